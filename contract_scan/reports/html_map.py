"""The map: which service provides which endpoints, and which channels run between services."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from contract_scan.ir.promise import Promise, Role, State
from contract_scan.reports.display import clip
from contract_scan.reports.html_elements import Element, element
from contract_scan.reports.html_states import chip, chips, worst
from contract_scan.reports.report import Report

ROW = 34
HEIGHT = 22
BOX = 200
GAP = 150
MOST_DRAWN = 80
"""Channels. More of them make no picture; the lists have them all."""


def map_section(report: Report) -> Element | None:
    """A drawing of the channels, and a card for each service."""
    services = _services(report)
    if not services:
        return None
    channels = [promise for promise in report.promises if promise.sort == "channel"]
    return element(
        "section",
        element("h2", "Map"),
        element(
            "p",
            "Who provides which endpoints, and who sends and receives what on which channel.",
            class_="about",
        ),
        _map_drawing(channels) if 0 < len(channels) <= MOST_DRAWN else None,
        element("div", *(_card(service, report) for service in services), class_="cards"),
        id="map",
    )


def _services(report: Report) -> list[str]:
    """The services that have a part in anything, in the order of their folders."""
    order = {service.name: index for index, service in enumerate(report.services)}
    named = {part.service for promise in report.promises for part in promise.parts}
    named |= {promise.service for promise in report.promises if not promise.parts}
    return sorted(named, key=lambda name: (order.get(name, -1), name))


def _card(service: str, report: Report) -> Element:
    endpoints = [
        (promise.name, promise.state)
        for promise in report.promises
        if promise.sort == "operation" and promise.service == service
    ]
    orphans = [
        (promise.name, promise.state)
        for promise in report.promises
        if promise.sort != "operation" and promise.service == service and not promise.parts
    ]
    return element(
        "article",
        element("h3", service or "elsewhere"),
        _list("provides", "endpoint", endpoints),
        _list("sends", "channel", _part_states(report, service, "sends")),
        _list("receives", "channel", _part_states(report, service, "receives")),
        _list("has", "shared model", _part_states(report, service, "has")),
        _list("nobody here has a part in", "channel or model", orphans),
        class_="card",
    )


def _part_states(report: Report, service: str, role: Role) -> list[tuple[str, State]]:
    found: list[tuple[str, State]] = []
    for promise in report.promises:
        states = Counter(
            part.state
            for part in promise.parts
            if part.service == service and part.role == role and promise.sort != "operation"
        )
        if states:
            found.append((promise.name, worst(states)))
    return found


def _list(verb: str, noun: str, items: Sequence[tuple[str, State]]) -> Element | None:
    if not items:
        return None
    counts = Counter(state for _, state in items)
    number = len(items)
    words = noun if number == 1 else noun.replace("channel or model", "channels or models")
    plural = words if number == 1 or words != noun else f"{noun}s"
    return element(
        "details",
        element("summary", f"{verb} {number} {plural} ", *chips(counts)),
        element(
            "ul", *(element("li", chip(state), " ", element("code", name)) for name, state in items)
        ),
    )


# The drawing


def _map_drawing(channels: Sequence[Promise]) -> Element:
    """Senders at the left, channels in the middle, receivers at the right."""
    senders = _ends(channels, "sends")
    receivers = _ends(channels, "receives")
    rows = max(len(senders), len(channels), len(receivers))
    height = rows * ROW + 28
    left = _column(senders, 0, rows)
    middle = _column([c.name for c in channels], BOX + GAP, rows)
    right = _column(receivers, 2 * (BOX + GAP), rows)
    width = 3 * BOX + 2 * GAP
    parts: list[Element] = [
        _heading("sends", 0),
        _heading("channel", BOX + GAP),
        _heading("receives", 2 * (BOX + GAP)),
    ]
    for index, channel in enumerate(channels):
        x, y = middle[index]
        parts += _lines(channel, "sends", senders, left, (x, y))
        parts += _lines(channel, "receives", receivers, right, (x, y))
    parts += [_box(name, left[i], "service") for i, name in enumerate(senders)]
    parts += [_box(c.name, middle[i], f"channel {c.state}") for i, c in enumerate(channels)]
    parts += [_box(name, right[i], "service") for i, name in enumerate(receivers)]
    return element(
        "div",
        element(
            "svg",
            element("title", "Channels between services; the lists below say the same in words"),
            *parts,
            viewBox=f"-1 0 {width + 2} {height}",  # half of a box's border lies outside of it
            class_="drawing",
            role="img",
        ),
        class_="scroll",
        tabindex=0,
        role="region",
        aria_label="Drawing of the channels between services",
    )


def _ends(channels: Sequence[Promise], role: Role) -> list[str]:
    found = (part.service for c in channels for part in c.parts if part.role == role)
    return sorted(dict.fromkeys(found))


def _column(names: Sequence[str], x: int, rows: int) -> list[tuple[int, float]]:
    """Where the boxes of a column stand, spread over the height."""
    step = rows * ROW / max(len(names), 1)
    return [(x, 28 + step * index + (step - HEIGHT) / 2) for index in range(len(names))]


def _lines(
    channel: Promise,
    role: Role,
    names: Sequence[str],
    places: Sequence[tuple[int, float]],
    middle: tuple[int, float],
) -> Iterator[Element]:
    for index, name in enumerate(names):
        states = Counter(p.state for p in channel.parts if p.role == role and p.service == name)
        if not states:
            continue
        x, y = places[index]
        start = (x + BOX, y) if role == "sends" else (middle[0] + BOX, middle[1])
        end = middle if role == "sends" else (x, y)
        yield _line(start, end, worst(states))


def _line(start: tuple[float, float], end: tuple[float, float], state: State) -> Element:
    x1, y1, x2, y2 = start[0], start[1] + HEIGHT / 2, end[0], end[1] + HEIGHT / 2
    half = (x1 + x2) / 2
    way = f"M{x1:g} {y1:.1f}C{half:g} {y1:.1f} {half:g} {y2:.1f} {x2:g} {y2:.1f}"
    return element("path", d=way, class_=f"line {state}")


def _box(name: str, place: tuple[int, float], kind: str) -> Element:
    x, y = place
    label = clip(name or "elsewhere", 26)
    return element(
        "g",
        element("title", name or "elsewhere"),
        element("rect", x=x, y=f"{y:.1f}", width=BOX, height=HEIGHT, rx=4),
        element("text", label, x=x + 8, y=f"{y + 15:.1f}"),
        class_=f"box {kind}",
    )


def _heading(words: str, x: int) -> Element:
    return element("text", words, x=x + 8, y=16, class_="heading")
