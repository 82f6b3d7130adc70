"""Findings in the order of their weight, for readers that show only the first few."""

from __future__ import annotations

from collections.abc import Iterable

from contract_scan.ir.violation import Finding, Severity
from contract_scan.reports.order import in_order

_RANK: dict[Severity, int] = {"error": 0, "warning": 1, "note": 2}


def worst_first(findings: Iterable[Finding]) -> list[Finding]:
    """Errors before warnings before notes, each by place."""
    return sorted(in_order(findings), key=lambda finding: _RANK[finding.severity])
