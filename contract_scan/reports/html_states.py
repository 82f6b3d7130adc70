"""How the states of a promise look: a colour, a sign and a word, so that no one of them has to
be seen to tell them apart."""

from __future__ import annotations

from collections.abc import Mapping

from contract_scan.ir.promise import State
from contract_scan.reports.html_elements import Element, element

STATES: dict[State, tuple[str, str]] = {
    "verified": ("✓", "verified"),
    "partly": ("≈", "verified but for some fields"),
    "violated": ("✗", "violated"),
    "missing": ("∅", "missing"),
    "undetermined": ("?", "undetermined"),
    "absent": ("○", "not in the code"),
}
"""State -> sign and words, in the order they are shown."""

_WORST: tuple[State, ...] = ("missing", "violated", "undetermined", "partly", "verified", "absent")


def chip(state: State, label: str | int = "") -> Element:
    """A state as a small sign, with a number or name next to it."""
    sign, words = STATES[state]
    return element(
        "span",
        element("span", sign, aria_hidden="true"),
        element("span", words, class_="spoken"),
        f" {label}" if label != "" else None,
        class_=f"chip {state}",
        title=f"{label} {words}".strip(),
    )


def chips(counts: Mapping[State, int]) -> list[Element]:
    """The states that there are, each with its count."""
    return [chip(state, counts[state]) for state in STATES if counts.get(state)]


def bar(counts: Mapping[State, int]) -> Element:
    """The counts as shares of one bar."""
    total = sum(counts.values()) or 1
    parts = []
    start = 0.0
    for state in STATES:
        share = 100 * counts.get(state, 0) / total
        if share:
            parts.append(
                element("rect", x=f"{start:.2f}", width=f"{share:.2f}", height=8, class_=state)
            )
        start += share
    return element(
        "svg",
        *parts,
        viewBox="0 0 100 8",
        preserveAspectRatio="none",
        class_="bar",
        aria_hidden="true",
    )


def legend() -> Element:
    """What the signs mean."""
    return element(
        "p", *(chip(state, words) for state, (_, words) in STATES.items()), class_="legend"
    )


def worst(counts: Mapping[State, int]) -> State:
    """The state that a reader has to see first."""
    return next((state for state in _WORST if counts.get(state)), "verified")
