"""Which two places show a finding, and what stands next to each."""

from __future__ import annotations

from contract_scan.ir.violation import Finding
from contract_scan.reports.frames import Frame


def frames_of(finding: Finding) -> list[Frame]:
    """The place of the finding with a line above it, then the place that it disagrees with."""
    expected = f"expected: {finding.expected}" if finding.expected else ""
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


def stands_in_contract(finding: Finding) -> bool:
    """Whether the finding is shown at its contract, the code having nothing to show."""
    contract, origin = finding.contract, finding.origin
    return contract is not None and contract.path == origin.path and contract.span == origin.span
