"""Contract stubs: OpenAPI 3.1 for the endpoints of a service, AsyncAPI 3.0 for its events.

What the document does not say stays visible: `x-unknown` with the reason stands in the place of a
schema.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from msgspec import Struct

from contract_scan.ir.operation import Operation
from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.ir.schema import Field, Object, Reference, Schema
from contract_scan.reports.json_schema import SchemaWriter
from contract_scan.servers.architect.names import kebab, pascal
from contract_scan.servers.architect.records import Endpoint, Entity, EventMention, Service

VERSION = "0.1.0"
_PARAMETER = re.compile(r"\{([^{}/]+)\}")


class Stub(Struct, frozen=True):
    """A contract to start from."""

    service: str
    type: str
    """`openapi` or `asyncapi`."""
    spec: dict[str, Any]


class Entities:
    """Resolves references to entities."""

    def __init__(self, entities: Sequence[Entity]) -> None:
        self._schemas = {one.name: entity_schema(one) for one in entities}

    def resolve(self, reference: Reference) -> Schema:
        """The entity as an object."""
        return self._schemas[reference.key]


def entity_schema(entity: Entity) -> Object:
    """An entity as an object with its fields."""
    return Object(
        fields=tuple(
            Field(name=one.name, schema=one.schema, required=one.required) for one in entity.fields
        ),
        incomplete_reason=NO_REASON if entity.fields else Reason("document-lists-no-fields"),
        name=entity.name,
    )


def openapi_stub(
    service: Service, endpoints: Sequence[Endpoint], entities: Entities
) -> Stub | None:
    """The endpoints of a service, those at the same method and path once; None for none."""
    writer = SchemaWriter(entities, "#/components/schemas")
    paths: dict[str, dict[str, Any]] = {}
    shapes: dict[str, str] = {}
    identifiers: set[str] = set()
    for one in endpoints:
        # Templates that differ in the names of parameters alone are one path.
        path = shapes.setdefault(_PARAMETER.sub("{}", one.operation.path), one.operation.path)
        method = one.operation.method.lower()
        if method in paths.setdefault(path, {}) or path != one.operation.path:
            continue
        paths[path][method] = _operation(one, writer, identifiers)
    paths = {path: methods for path, methods in paths.items() if methods}
    if not paths:
        return None
    spec: dict[str, Any] = {
        "openapi": "3.1.0",
        "info": _info(service),
        "paths": paths,
    }
    if schemas := writer.named_schemas():
        spec["components"] = {"schemas": schemas}
    return Stub(service.name, "openapi", spec)


def asyncapi_stub(
    service: Service, events: Sequence[EventMention], entities: Entities
) -> Stub | None:
    """The events that a service publishes (`send`) and consumes (`receive`); None for none."""
    writer = SchemaWriter(entities, "#/components/schemas")
    channels: dict[str, Any] = {}
    operations: dict[str, Any] = {}
    for position, one in enumerate(events, start=1):
        channel = _component(one.event)
        message = pascal(one.event, f"Message{position}")
        if channel not in channels:
            payload = (
                {"x-unknown": "the document gives no payload"}
                if one.payload is None
                else writer.write(one.payload)
            )
            channels[channel] = {
                "address": one.event,
                "messages": {message: {"name": message, "payload": payload}},
            }
        message = next(iter(channels[channel]["messages"]))
        action = "send" if one.direction == "publishes" else "receive"
        operations[f"{action}-{channel}"] = {
            "action": action,
            "channel": {"$ref": f"#/channels/{channel}"},
            "messages": [{"$ref": f"#/channels/{channel}/messages/{message}"}],
            "x-line": one.line,
        }
    if not channels:
        return None
    spec: dict[str, Any] = {
        "asyncapi": "3.0.0",
        "info": _info(service),
        "channels": channels,
        "operations": operations,
    }
    if schemas := writer.named_schemas():
        spec["components"] = {"schemas": schemas}
    return Stub(service.name, "asyncapi", spec)


# Private helpers


def _info(service: Service) -> dict[str, str]:
    info = {"title": service.original_name, "version": VERSION}
    return {**info, "description": service.description} if service.description else info


def _operation(one: Endpoint, writer: SchemaWriter, identifiers: set[str]) -> dict[str, Any]:
    operation = one.operation
    wanted = one.identifier or kebab(f"{operation.method} {operation.path}", "operation")
    identifier, number = wanted, 1
    while identifier in identifiers:
        number += 1
        identifier = f"{wanted}-{number}"
    identifiers.add(identifier)
    written: dict[str, Any] = {"operationId": identifier}
    if one.description:
        written["summary"] = one.description
    if parameters := _parameters(operation, writer):
        written["parameters"] = parameters
    if operation.request:
        schema = writer.write(operation.request[0].schema, reads=True)
        written["requestBody"] = {
            "required": True,
            "content": {"application/json": {"schema": schema}},
        }
    elif operation.method in ("POST", "PUT", "PATCH") and not one.gives_request:
        written["x-unknown"] = "the document gives no request body"
    written["responses"] = {
        response.status: {
            "description": "as the document says",
            **(
                {"content": {"application/json": {"schema": writer.write(body.schema)}}}
                if (body := next(iter(response.bodies), None))
                else {}
                if one.gives_response
                else {"x-unknown": "the document gives no response"}
            ),
        }
        for response in operation.responses
    }
    written["x-line"] = one.line
    return written


def _parameters(operation: Operation, writer: SchemaWriter) -> list[dict[str, Any]]:
    written: list[dict[str, Any]] = [
        {
            "name": one.name,
            "in": one.location,
            "required": bool(one.required),
            "schema": writer.write(one.schema),
        }
        for one in operation.parameters
    ]
    known = {one.name for one in operation.parameters if one.location == "path"}
    for name in _PARAMETER.findall(operation.path):
        if name not in known:
            schema = {"x-unknown": "the document gives no type for this parameter"}
            written.append({"name": name, "in": "path", "required": True, "schema": schema})
    return written


def _component(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9._-]", "-", name)
