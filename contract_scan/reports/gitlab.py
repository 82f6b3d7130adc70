"""The report for GitLab's Code Quality: a JSON array of what there is to show at a merge request.

An entry is a problem, whose fingerprint stays while code moves and operations come and go.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import Any

from contract_scan.ir.document import NotAnalysed
from contract_scan.ir.problem import Problem
from contract_scan.ir.violation import Severity
from contract_scan.reports.json_text import indented_json
from contract_scan.reports.listed import short_reach
from contract_scan.reports.order import problems_in_order
from contract_scan.reports.report import Report, Setting
from contract_scan.reports.repository_path import repository_path
from contract_scan.reports.rule_url import rule_url

_SEVERITY: dict[Severity, str] = {"error": "major", "warning": "minor", "note": "info"}


def render(report: Report, setting: Setting) -> Iterator[str]:
    """The problems, then what was not analysed, as indented JSON in ASCII."""
    entries = [_problem(problem, setting) for problem in report.problems]
    entries += [
        _not_analysed_entry(unread, setting) for unread in problems_in_order(report.not_analysed)
    ]
    yield indented_json(entries)


def _problem(problem: Problem, setting: Setting) -> dict[str, Any]:
    origin = problem.places[0].origin
    affected = short_reach(problem)
    return {
        "description": f"{problem.title} ({affected})" if affected else problem.title,
        "check_name": problem.name,
        "content": {"body": f"See [{problem.name}]({rule_url(problem.name)})."},
        "fingerprint": problem.fingerprint,
        "severity": _SEVERITY[problem.severity],
        "location": _location(origin.path, origin.span.line, setting),
    }


def _not_analysed_entry(problem: NotAnalysed, setting: Setting) -> dict[str, Any]:
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
