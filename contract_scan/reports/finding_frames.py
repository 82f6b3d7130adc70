"""Which two places show a finding, and what stands next to each."""

from __future__ import annotations

from msgspec.structs import replace

from contract_scan.ir.origin import Origin, Span
from contract_scan.ir.problem import Problem
from contract_scan.ir.violation import Finding
from contract_scan.reports.frames import Frame
from contract_scan.reports.place import expected_text


def frames_of(finding: Finding) -> list[Frame]:
    """The place of the finding with a line above it, then the place that it disagrees with."""
    expected = expected_text(finding)
    expected = f"expected: {expected}" if expected else ""
    found = f"found: {finding.found}" if finding.found else ""
    if stands_in_contract(finding):
        first = Frame(origin=finding.origin, arrow="-->", mark="^", label=expected)
        other, label = finding.reached_from, found or "the code does this"
    else:
        first = Frame(origin=finding.origin, arrow="-->", mark="^", label=found, before=1)
        other, label = finding.contract, expected or "the contract says this"
    if other is None:
        return [first]
    return [first, Frame(origin=other, arrow=":::", mark="-", label=label)]


def frames_of_problem(problem: Problem) -> list[Frame]:
    """The frames of its first place; for several fields of a type those of the types."""
    if len({member.name for member in problem.members}) < 2:
        return frames_of(problem.places[0])
    found = []
    if problem.code is not None:
        found.append(Frame(origin=_head(problem.code), arrow="-->", mark="^"))
    if problem.contract is not None:
        found.append(Frame(origin=_head(problem.contract), arrow=":::", mark="-"))
    return found or frames_of(problem.places[0])


def _head(origin: Origin) -> Origin:
    """The first line of something that goes over many: the whole of it is too much to mark."""
    span = origin.span
    if span.end_line == span.line:
        return origin
    return replace(origin, span=Span(span.line, span.column, span.line + 1, 1))


def stands_in_contract(finding: Finding) -> bool:
    """Whether the finding is shown at its contract, the code having nothing to show."""
    contract, origin = finding.contract, finding.origin
    return contract is not None and contract.path == origin.path and contract.span == origin.span
