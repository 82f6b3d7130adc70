"""What services offer and say to each other, as `extract` finds it."""

from __future__ import annotations

from collections.abc import Iterable

from contract_scan.code_index.answers import InterfacePart
from contract_scan.ir.event import EventUse
from contract_scan.ir.operation import Operation


def interface_of(
    operations: Iterable[Operation], events: Iterable[EventUse]
) -> list[InterfacePart]:
    """Endpoints and events in order of place. Where an address is not known, `unresolved` says
    why. `added_by_framework` marks endpoints that a framework serves by itself."""
    return [*map(_endpoint, operations), *map(_event, events)]


def _endpoint(operation: Operation) -> InterfacePart:
    record: dict[str, object] = {
        "method": operation.method,
        "path": operation.path,
        "handler": operation.handler,
        "framework": operation.framework,
        "file_path": operation.origin.path,
        "line": operation.origin.span.line,
    }
    if operation.unresolved:
        record["unresolved"] = str(operation.unresolved)
    if operation.added_by_framework:
        record["added_by_framework"] = True
    return InterfacePart(part="endpoint", path=operation.origin.path, record=record)


def _event(event: EventUse) -> InterfacePart:
    record: dict[str, object] = {
        "channel": event.address,
        "message": event.message,
        "handler": event.origin.symbol,
        "framework": event.framework,
        "protocols": [*event.protocols],
        "file_path": event.origin.path,
        "line": event.origin.span.line,
    }
    if event.unresolved:
        record["unresolved"] = str(event.unresolved)
    return InterfacePart(part=event.direction, path=event.origin.path, record=record)
