"""The events that code sends and receives, as an AsyncAPI 3.0 document.

A use whose channel is undetermined stands in `x-unresolved`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from contract_scan.ir.event import EventUse
from contract_scan.reports.extraction import Extraction
from contract_scan.reports.json_schema import SchemaWriter, unused_name
from contract_scan.reports.json_text import indented_json
from contract_scan.reports.order import events_in_order


def render(extraction: Extraction) -> Iterator[str]:
    """The document as indented JSON."""
    yield indented_json(document(extraction))


def document(extraction: Extraction) -> dict[str, Any]:
    """The document as plain values."""
    writer = SchemaWriter(extraction.resolver, "#/components/schemas")
    channels: dict[str, dict[str, Any]] = {}
    operations: dict[str, dict[str, Any]] = {}
    unresolved: list[dict[str, Any]] = []
    keys: dict[str, str] = {}
    for event in events_in_order(extraction.events):
        if event.unresolved or not event.address:
            reason = event.unresolved or "the channel is undetermined"
            unresolved.append(
                {"action": event.direction, "x-unknown": reason, **_source_fields(event)}
            )
            continue
        if event.address not in keys:
            keys[event.address] = unused_name(event.address, keys.values())
        key = keys[event.address]
        channel = channels.setdefault(key, {"address": event.address, "messages": {}})
        message = _message(channel["messages"], event, writer)
        name = unused_name(f"{event.direction}-{key}", operations)
        operations[name] = {
            "action": event.direction,
            "channel": {"$ref": f"#/channels/{key}"},
            "messages": [{"$ref": f"#/channels/{key}/messages/{message}"}],
            **_source_fields(event),
        }
    written: dict[str, Any] = {
        "asyncapi": "3.0.0",
        "info": {"title": "Events found in the code", "version": "0"},
        "channels": channels,
        "operations": operations,
    }
    schemas = writer.named_schemas()
    if schemas:
        written["components"] = {"schemas": schemas}
    if unresolved:
        written["x-unresolved"] = unresolved
    return written


def _message(messages: dict[str, Any], event: EventUse, writer: SchemaWriter) -> str:
    """The name of the message among those of its channel; added unless an equal one is there."""
    message: dict[str, Any] = {"payload": writer.write(event.payload)}
    if event.message:
        message["name"] = event.message
    for name, known in messages.items():
        if known == message:
            return str(name)
    name = unused_name(event.message or "message", messages)
    messages[name] = message
    return name


def _source_fields(event: EventUse) -> dict[str, Any]:
    written: dict[str, Any] = {}
    if event.framework:
        written["x-framework"] = event.framework
    if event.pattern:
        written["x-pattern"] = True
    if event.origin.path:
        written["x-source"] = f"{event.origin.path}:{event.origin.span.line}"
    return written
