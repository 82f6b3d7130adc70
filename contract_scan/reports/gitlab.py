"""The report for GitLab's Code Quality: a JSON array of what there is to show at a merge request.

Entries with equal fingerprints would be shown as one; ours tell equal findings apart.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import Any

from contract_scan.ir.document import Problem
from contract_scan.ir.violation import Finding, Severity
from contract_scan.reports.json_text import indented
from contract_scan.reports.order import in_order, problems_in_order
from contract_scan.reports.report import Report, Setting
from contract_scan.reports.repository_path import repository_path

_SEVERITY: dict[Severity, str] = {"error": "major", "warning": "minor", "note": "info"}


def render(report: Report, setting: Setting) -> Iterator[str]:
    """The findings, then what was not analysed, as indented JSON in ASCII."""
    entries = [_finding(finding, setting) for finding in in_order(report.findings)]
    entries += [_problem(problem, setting) for problem in problems_in_order(report.problems)]
    yield indented(entries)


def _finding(finding: Finding, setting: Setting) -> dict[str, Any]:
    return {
        "description": finding.message,
        "check_name": finding.rule,
        "fingerprint": finding.fingerprint,
        "severity": _SEVERITY[finding.severity],
        "location": _location(finding.origin.path, finding.origin.span.line, setting),
    }


def _problem(problem: Problem, setting: Setting) -> dict[str, Any]:
    identity = "\0".join((problem.path, str(problem.line), problem.reason))
    digest = hashlib.blake2b(identity.encode("utf-8", "surrogatepass"), digest_size=16)
    return {
        "description": f"Not analysed: {problem.reason}",
        "check_name": "not-analysed",
        "fingerprint": f"problem:{digest.hexdigest()}",
        "severity": "major" if problem.is_grave else "minor",
        "location": _location(problem.path or ".", problem.line, setting),
    }


def _location(path: str, line: int, setting: Setting) -> dict[str, Any]:
    return {"path": repository_path(path, setting), "lines": {"begin": max(line, 1)}}
