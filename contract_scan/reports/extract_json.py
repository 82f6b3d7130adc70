"""What code has, as one JSON document: `contract-scan extract --format json`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from msgspec.structs import replace

from contract_scan.ir.event import EventUse
from contract_scan.ir.model import Model
from contract_scan.ir.operation import (
    DYNAMIC_PREFIX,
    DYNAMIC_SEGMENT,
    Body,
    Operation,
    Parameter,
    Response,
)
from contract_scan.reports.extraction import Extraction
from contract_scan.reports.json import not_analysed
from contract_scan.reports.json_schema import SchemaWriter
from contract_scan.reports.json_text import indented_json
from contract_scan.reports.order import (
    endpoints_in_order,
    events_in_order,
    models_in_order,
    problems_in_order,
)

SCHEMA_VERSION = 1


def render(extraction: Extraction) -> Iterator[str]:
    """The document. In endpoints and events named schemas are written in place; what is
    recursive, and what models refer to, stands in `schemas`."""
    writer = SchemaWriter(extraction.resolver, "#/schemas", inline=True)
    document: dict[str, Any] = {
        "schema_version": SCHEMA_VERSION,
        "endpoints": [
            _endpoint(each, writer) for each in _distinct_operations(extraction.endpoints)
        ],
        "models": [_model(each, writer) for each in models_in_order(extraction.models)],
        "events": [_event(each, writer) for each in events_in_order(extraction.events)],
    }
    document["schemas"] = writer.named_schemas()
    document["not_analysed"] = [
        not_analysed(each) for each in problems_in_order(extraction.problems)
    ]
    yield indented_json(document)


def _endpoint(operation: Operation, writer: SchemaWriter) -> dict[str, Any]:
    written: dict[str, Any] = {
        "method": operation.method,
        "path": _shown_path(operation),
        "params": [_parameter(each, writer) for each in operation.parameters],
        "request_body": _bodies(operation.request, writer),
        "responses": _responses(operation.responses, writer),
        "handler": operation.handler,
        "framework": operation.framework,
        "file": operation.origin.path,
        "line": operation.origin.span.line,
    }
    if operation.unresolved:
        written["unresolved"] = operation.unresolved
    if operation.excluded_from_docs:
        written["hidden"] = True
    if operation.added_by_framework:
        written["added_by_framework"] = True
    return written


def _shown_path(operation: Operation) -> str:
    """The path without what is undetermined of it: no part of it is a parameter that clients fill
    in. `unresolved` says why."""
    if not operation.unresolved:
        return operation.path
    return operation.path.removeprefix(DYNAMIC_PREFIX).replace(DYNAMIC_SEGMENT, "…") or "/"


def _distinct_operations(operations: Iterable[Operation]) -> list[Operation]:
    """Every route once, by path: one that a handler answers in several media types, or with and
    without some of them, is one route with all of their bodies."""
    found: dict[object, Operation] = {}
    for operation in endpoints_in_order(operations):
        key = (operation.method, operation.path, operation.handler, operation.origin)
        known = found.get(key)
        found[key] = operation if known is None else _join_operations(known, operation)
    return list(found.values())


def _join_operations(one: Operation, other: Operation) -> Operation:
    named = {(each.location, each.name) for each in one.parameters}
    further = [each for each in other.parameters if (each.location, each.name) not in named]
    by_status = {each.status: each for each in one.responses}
    for response in other.responses:
        known = by_status.get(response.status)
        bodies = () if known is None else known.bodies
        by_status[response.status] = replace(response, bodies=(*bodies, *response.bodies))
    return replace(
        one,
        parameters=(*one.parameters, *further),
        request=(*one.request, *other.request),
        responses=tuple(by_status.values()),
    )


def _parameter(parameter: Parameter, writer: SchemaWriter) -> dict[str, Any]:
    return {
        "name": parameter.name,
        "in": parameter.location,
        "required": parameter.required,
        "schema": writer.write_parameter(parameter.schema),
    }


def _bodies(bodies: tuple[Body, ...], writer: SchemaWriter) -> dict[str, Any] | None:
    """The schema of a body; of several content types any may be sent."""
    if not bodies:
        return None
    written: list[dict[str, Any]] = []
    for body in bodies:
        schema = writer.write(body.schema)
        if schema not in written:
            written.append(schema)
    return written[0] if len(written) == 1 else {"anyOf": written}


def _responses(responses: tuple[Response, ...], writer: SchemaWriter) -> dict[str, Any]:
    by_status: dict[str, tuple[Body, ...]] = {}
    for response in responses:
        by_status[response.status] = by_status.get(response.status, ()) + response.bodies
    return {status: _bodies(bodies, writer) for status, bodies in sorted(by_status.items())}


def _model(model: Model, writer: SchemaWriter) -> dict[str, Any]:
    return {
        "name": model.name,
        "language": model.language,
        "kind": model.kind,
        "schema": writer.write_declared(model.schema),
        "file": model.origin.path,
        "line": model.origin.span.line,
    }


def _event(event: EventUse, writer: SchemaWriter) -> dict[str, Any]:
    written: dict[str, Any] = {
        "direction": event.direction,
        "channel": event.address,
        "message": event.message,
        "payload": writer.write(event.payload),
        "framework": event.framework,
        "file": event.origin.path,
        "line": event.origin.span.line,
    }
    if event.pattern:
        written["pattern"] = True
    if event.unresolved:
        written["unresolved"] = event.unresolved
    return written
