"""The matrix: which service keeps which contract."""

from __future__ import annotations

import posixpath
from collections import Counter, defaultdict

from contract_scan.ir.promise import Promise, State
from contract_scan.reports.html_elements import Element, element, join
from contract_scan.reports.html_states import chips, worst
from contract_scan.reports.report import Report

Cell = tuple[str, str]
"""Service and contract."""


def matrix_section(report: Report) -> Element | None:
    """A table with a row for each service and a column for each contract."""
    cells = cells_of(report)
    if not cells:
        return None
    order = {service.name: index for index, service in enumerate(report.services)}
    services = sorted({s for s, _ in cells}, key=lambda name: (order.get(name, -1), name))
    contracts = sorted({contract for _, contract in cells})
    head = element(
        "tr",
        element("th", "service", scope="col"),
        *(element("th", _label(contract), scope="col", title=contract) for contract in contracts),
    )
    rows = [
        element(
            "tr",
            element("th", service or "elsewhere", scope="row"),
            *(_cell(cells.get((service, contract)), contract) for contract in contracts),
        )
        for service in services
    ]
    return element(
        "section",
        element("h2", "Services and contracts"),
        element(
            "p",
            "How many promises of a contract each service keeps, breaks, lacks, or leaves open.",
            class_="about",
        ),
        element(
            "div",
            element("table", element("thead", head), element("tbody", *rows), class_="matrix"),
            class_="scroll",
            tabindex=0,
            role="region",
            aria_label="Matrix of services and contracts",
        ),
        id="matrix",
    )


def cells_of(report: Report) -> dict[Cell, Counter[State]]:
    """How many promises of each contract are in which state, by service.

    A channel or model counts for every service that has a part in it, as far as that goes; one that
    nobody has a part in counts for the service that its contract is held against.
    """
    cells: dict[Cell, Counter[State]] = defaultdict(Counter)
    for promise in report.promises:
        contract = _column(promise)
        if promise.sort == "operation" or not promise.parts:
            cells[promise.service, contract][promise.state] += 1
            continue
        states: dict[str, Counter[State]] = defaultdict(Counter)
        for part in promise.parts:
            states[part.service][part.state] += 1
        for service, counts in states.items():
            # Where nobody else has a part, what is missing is missing there, as the sum has it.
            state = promise.state if len(states) == 1 else worst(counts)
            cells[service, contract][state] += 1
    return dict(cells)


def _column(promise: Promise) -> str:
    """Shared models stand together, by folder: each has a file of its own."""
    if promise.sort != "model":
        return promise.contract
    return (posixpath.dirname(promise.contract) or ".") + "/"


def _label(contract: str) -> Element:
    """The folder above the name, so that columns stay narrow."""
    folder, name = posixpath.split(contract.rstrip("/"))
    above = posixpath.basename(folder)
    return join(
        element("span", f"{above}/") if above else None,
        f"{name}/" if contract.endswith("/") else name,
    )


def _cell(counts: Counter[State] | None, contract: str) -> Element:
    """The counts, with the name of the contract for screens that have no room for columns."""
    if counts is None:
        return element("td", element("span", "–", aria_label="not concerned"), class_="none")
    return element("td", *chips(counts), class_=worst(counts), data_contract=contract)
