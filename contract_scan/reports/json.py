"""The report as one JSON document. Its form is stable: `docs/schema/check.schema.json`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from contract_scan.ir.document import NotAnalysed
from contract_scan.ir.fix import Edit, Fix, WithheldFix
from contract_scan.ir.origin import Origin
from contract_scan.ir.problem import Member, Problem
from contract_scan.ir.violation import Finding, OperationRef, Undetermined
from contract_scan.reports.json_text import indented_json
from contract_scan.reports.listed import counts_by_kind
from contract_scan.reports.order import in_order, problems_in_order, undetermined_in_order
from contract_scan.reports.place import way_to
from contract_scan.reports.report import Counts, Report, Setting

SCHEMA_VERSION = 1


def render(report: Report, setting: Setting) -> Iterator[str]:
    """The whole report as indented JSON, in ASCII so that no terminal can act on it."""
    document = {
        "schema_version": SCHEMA_VERSION,
        "summary": summary(report),
        "problems": [problem(item) for item in report.problems],
        "findings": [finding_object(item) for item in in_order(report.findings)],
        "undetermined": [
            undetermined_object(item) for item in undetermined_in_order(report.undetermined)
        ],
        "not_analysed": [not_analysed(item) for item in problems_in_order(report.not_analysed)],
    }
    if setting.statistics:
        document["statistics"] = [
            {"name": each.name, "problems": each.problems, "places": each.places}
            for each in counts_by_kind(report)
        ]
    yield indented_json(document)


def summary(report: Report) -> dict[str, Any]:
    """The counts: of operations at the top, of channels and models below their names."""
    operations = report.summary.operations
    return {
        "operations": operations.total,
        "verified": operations.verified,
        "partly": operations.partly,
        "violated": operations.violated,
        "missing": operations.missing,
        "undetermined": operations.undetermined,
        "absent": operations.absent,
        "channels": _counts_object(report.summary.channels),
        "models": _counts_object(report.summary.models),
        "problems": len(report.problems),
        "places": len(report.findings),
        "files": report.files,
        "ignored": report.ignored,
        "known": report.known,
        "known_problems": report.known_problems,
        "elsewhere": report.elsewhere,
    }


def problem(item: Problem) -> dict[str, Any]:
    """One thing to mend, with everything that it affects."""
    return {
        "fingerprint": item.fingerprint,
        "rule": item.rule,
        "kind": item.kind,
        "severity": item.severity,
        "title": item.title,
        "code": _typed_location(item.code, item.code_type),
        "contract": _typed_location(item.contract, item.contract_type),
        "members": [_member(member) for member in item.members],
        "operations": list(item.operations),
        "channels": list(item.channels),
        "models": list(item.models),
        "places": len(item.places),
    }


def _typed_location(origin: Origin | None, type: str) -> dict[str, Any] | None:
    """A place with the type or component that stands there; the type is empty where it has no
    name."""
    if origin is None:
        return None
    span = origin.span
    found = {"path": origin.path, "line": span.line, "column": span.column, "type": type}
    return found | ({"pointer": origin.pointer} if origin.pointer else {})


def _member(member: Member) -> dict[str, str]:
    return {
        "name": member.name,
        "kind": member.kind,
        "expected": member.expected,
        "found": member.found,
    }


def finding_object(item: Finding) -> dict[str, Any]:
    """One broken promise in one place."""
    span = item.origin.span
    return {
        "rule": item.rule,
        "kind": item.kind,
        "severity": item.severity,
        "message": item.message,
        "path": item.origin.path,
        "line": span.line,
        "column": span.column,
        "end_line": span.end_line,
        "end_column": span.end_column,
        "operation": _operation(item.operation),
        "channel": item.channel,
        "model": item.model,
        "field": item.field,
        "expected": item.expected,
        "found": item.found,
        "evidence": item.evidence,
        "contract": _contract(item.contract),
        "reached_from": _reached_from(way_to(item)),
        "help": item.help,
        "fingerprint": item.fingerprint,
        "problem": item.problem,
        "fix": _fix(item.fix),
        **_withheld(item.withheld),
        **({"scopes": list(item.scopes)} if item.scopes else {}),
    }


def undetermined_object(item: Undetermined) -> dict[str, Any]:
    """One promise of which is undetermined whether it is kept."""
    return {
        "rule": item.rule,
        "operation": _operation(item.operation),
        "channel": item.channel,
        "model": item.model,
        "field": item.field,
        "reason": item.reason,
        "code": item.code,
        "absent": item.absent,
        "path": item.origin.path,
        "line": item.origin.span.line,
    }


def not_analysed(problem: NotAnalysed) -> dict[str, Any]:
    """One file that was not read, or not wholly (`partly`)."""
    return {
        "path": problem.path,
        "line": problem.line,
        "reason": problem.reason,
        "partly": not problem.fatal,
        "code": problem.code,
    }


def _counts_object(counts: Counts) -> dict[str, int]:
    return {
        "total": counts.total,
        "verified": counts.verified,
        "partly": counts.partly,
        "violated": counts.violated,
        "missing": counts.missing,
        "undetermined": counts.undetermined,
        "absent": counts.absent,
    }


def _operation(operation: OperationRef | None) -> dict[str, str] | None:
    if operation is None:
        return None
    return {
        "method": operation.method,
        "path": operation.path,
        "status": operation.status,
        "direction": operation.direction,
    }


def _contract(origin: Origin | None) -> dict[str, Any] | None:
    if origin is None:
        return None
    return {
        "path": origin.path,
        "line": origin.span.line,
        "column": origin.span.column,
        "pointer": origin.pointer,
    }


def _withheld(withheld: WithheldFix | None) -> dict[str, Any]:
    """A fix that is not made for what it would break; nothing for most findings."""
    if withheld is None:
        return {}
    described = {"title": withheld.title, "safe": withheld.safe, "reason": withheld.reason}
    return {"withheld": described}


def _fix(fix: Fix | None) -> dict[str, Any] | None:
    if fix is None:
        return None
    return {"title": fix.title, "safe": fix.safe, "edits": [_edit(edit) for edit in fix.edits]}


def _edit(edit: Edit) -> dict[str, Any]:
    return {
        "path": edit.path,
        "line": edit.span.line,
        "column": edit.span.column,
        "end_line": edit.span.end_line,
        "end_column": edit.span.end_column,
        "text": edit.text,
    }


def _reached_from(origin: Origin | None) -> dict[str, Any] | None:
    if origin is None:
        return None
    return {"path": origin.path, "line": origin.span.line, "column": origin.span.column}
