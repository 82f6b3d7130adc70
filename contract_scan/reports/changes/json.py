"""Changes as JSON: the schema is docs/schema/diff.schema.json."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from contract_scan.ir.contract_changes import (
    CHANGE_LEVELS,
    ChangeImpact,
    ChangeSubject,
    ContractChange,
    ContractChanges,
)
from contract_scan.ir.origin import Origin
from contract_scan.reports.json_text import indented_json

VERSION = 1
"""Of the form; fields are added without a new one."""


def render(found: ContractChanges, color: bool) -> Iterator[str]:
    """The whole report as one document."""
    yield indented_json(document(found))


def document(found: ContractChanges) -> dict[str, Any]:
    """The report as plain values."""
    levels = Counter(change.level for change in found.changes)
    return {
        "schema_version": VERSION,
        "base": found.base,
        "revision": found.revision,
        "summary": {
            **{level: levels[level] for level in CHANGE_LEVELS},
            "suppressed": found.suppressed,
            "undetermined": len(found.undetermined),
            "contracts": found.contracts,
        },
        "changes": [_change(change) for change in found.changes],
        "undetermined": [
            {
                "reason": one.reason,
                "base": _location(one.base),
                "revision": _location(one.revision),
                "subject": _subject(one.subject),
            }
            for one in found.undetermined
        ],
        "not_analysed": [
            {"path": one.path, "line": one.line or None, "reason": one.reason}
            for one in found.problems
        ],
    }


def _change(change: ContractChange) -> dict[str, Any]:
    return {
        "id": change.id,
        "level": change.level,
        "message": change.message,
        "before": change.before,
        "after": change.after,
        "base": _location(change.base),
        "revision": _location(change.revision),
        "subjects": [_subject(one) for one in change.subjects],
        "impacts": [_impact(one) for one in change.impacts],
    }


def _location(origin: Origin) -> dict[str, Any] | None:
    if not origin.path:
        return None
    span = origin.span
    return {
        "path": origin.path,
        "line": span.line or None,
        "column": span.column or None,
        "pointer": origin.pointer,
    }


def _subject(one: ChangeSubject) -> dict[str, str]:
    return {
        "contract": one.contract,
        "operation": one.operation,
        "channel": one.channel,
        "action": one.action,
        "message": one.message,
        "model": one.model,
        "part": one.part,
        "field": one.field,
    }


def _impact(one: ChangeImpact) -> dict[str, Any]:
    return {
        "role": one.role,
        "subject": one.subject,
        "place": _location(one.origin),
        "fields": list(one.fields),
    }
