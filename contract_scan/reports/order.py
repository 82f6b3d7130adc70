"""The order of everything in a report: by place, whatever order it was found in."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

from contract_scan.ir.document import NotAnalysed
from contract_scan.ir.event import EventUse
from contract_scan.ir.model import Model
from contract_scan.ir.operation import Operation
from contract_scan.ir.origin import Origin
from contract_scan.ir.violation import Finding, OperationRef, Undetermined

_Key: TypeAlias = "tuple[str | int, ...]"


def in_order(findings: Iterable[Finding]) -> list[Finding]:
    """Findings by path, line, column and rule; what is left is decided by what they say."""
    return sorted(findings, key=_finding_key)


def undetermined_in_order(undetermined: Iterable[Undetermined]) -> list[Undetermined]:
    """Undetermined promises by path, line, column and rule."""
    return sorted(undetermined, key=_undetermined_key)


def open_in_order(undetermined: Iterable[Undetermined]) -> list[Undetermined]:
    """Those of them that are questions: something is there that could not be compared."""
    return [item for item in undetermined_in_order(undetermined) if not item.absent]


def absent_in_order(undetermined: Iterable[Undetermined]) -> list[Undetermined]:
    """Those of them that are answers: the code has nothing that could be compared."""
    return [item for item in undetermined_in_order(undetermined) if item.absent]


def problems_in_order(problems: Iterable[NotAnalysed]) -> list[NotAnalysed]:
    """Problems by path and line, each said once."""
    return sorted(set(problems), key=lambda problem: (problem.path, problem.line, problem.reason))


def _finding_key(finding: Finding) -> _Key:
    return (
        *_origin_key(finding.origin),
        finding.rule,
        finding.kind,
        finding.field,
        *_operation(finding.operation),
        finding.channel or "",
        finding.model or "",
        finding.message,
        *_origin_key(finding.contract or finding.origin),
        *_origin_key(finding.reached_from or finding.origin),
        finding.severity,
        finding.expected,
        finding.found,
        finding.fingerprint,
    )


def _undetermined_key(item: Undetermined) -> _Key:
    return (
        *_origin_key(item.origin),
        item.rule,
        *_operation(item.operation),
        item.channel or "",
        item.model or "",
        item.field,
        item.reason,
    )


def _origin_key(origin: Origin) -> _Key:
    span = origin.span
    return (
        origin.path,
        span.line,
        span.column,
        span.end_line,
        span.end_column,
        origin.pointer,
        origin.symbol,
    )


def _operation(operation: OperationRef | None) -> _Key:
    if operation is None:
        return ("", "", "", "")
    return (operation.path, operation.method, operation.status, operation.direction)


def endpoints_in_order(operations: Iterable[Operation]) -> list[Operation]:
    """Routes by path, method and place."""
    return sorted(
        operations,
        key=lambda each: (each.path, each.method, *_origin_key(each.origin), each.handler),
    )


def models_in_order(models: Iterable[Model]) -> list[Model]:
    """Models by name and place."""
    return sorted(models, key=lambda model: (model.name, *_origin_key(model.origin)))


def events_in_order(events: Iterable[EventUse]) -> list[EventUse]:
    """Uses of channels by address, direction and place."""
    return sorted(
        events,
        key=lambda event: (
            event.address,
            event.direction,
            *_origin_key(event.origin),
            event.message,
        ),
    )
