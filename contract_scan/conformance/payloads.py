"""Messages and values against AsyncAPI documents and JSON Schemas."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from contract_scan.conformance.specifications import open_specification
from contract_scan.conformance.values import Case, Deviation, validate_values
from contract_scan.parsers.contracts.dialects import (
    ASYNCAPI,
    JSON_SCHEMA_NEW,
    dialect_of_schema_uri,
)
from contract_scan.parsers.contracts.located_tree import Node
from contract_scan.parsers.contracts.refs import Documents
from contract_scan.parsers.contracts.standalone import SchemaWriter

_NO_SUCH = "schema"


def deviations_of_values(
    spec: Mapping[str, object], type: str, values: Mapping[str, object], *, timeout: float
) -> dict[str, tuple[Deviation, ...]]:
    """For each name what deviates: names of messages of an AsyncAPI document, of `$defs` of a JSON
    Schema, or the empty one for the whole schema.

    Raises `ContractError` where the specification cannot be read, or the values cannot be validated
    within `timeout` seconds.
    """
    file, documents = open_specification(spec)
    schemas = dict(_schemas(file.root, documents, type))
    dialect = (
        ASYNCAPI
        if type == "asyncapi"
        else dialect_of_schema_uri(file.root.text("$schema"), JSON_SCHEMA_NEW)
    )
    writer = SchemaWriter(documents, dialect, "response")
    known = {name: writer.write(schemas[name]) for name in values if name in schemas}
    cases = [Case("", schema, values[name]) for name, schema in known.items()]
    validated = validate_values(cases, {"": writer.definitions}, timeout=timeout)
    found = dict(zip(known, validated, strict=True))
    names = ", ".join(sorted(name for name in schemas if name)) or "no names"
    return {
        name: (
            (Deviation("", _NO_SUCH, f"one of {names}", name),)
            if name not in known
            else _deviations_or_invalid(found[name])
        )
        for name in values
    }


def _deviations_or_invalid(found: tuple[Deviation, ...] | None) -> tuple[Deviation, ...]:
    if found is not None:
        return found
    return (Deviation("", _NO_SUCH, "a schema that can be applied", "it is not valid"),)


def _schemas(root: Node, documents: Documents, type: str) -> Iterator[tuple[str, Node]]:
    if type != "asyncapi":
        yield "", root
        for word in ("definitions", "$defs"):
            holder = root.get(word)
            yield from holder.members() if holder is not None else ()
        return
    for name, message in _messages(root, documents):
        payload = message.get("payload")
        if payload is None:
            continue
        schema = payload.get("schema") if payload.has("schemaFormat") else payload
        for known in (name, message.text("name")):
            if known and schema is not None:
                yield known, schema


def _messages(root: Node, documents: Documents) -> Iterator[tuple[str, Node]]:
    components = root.get("components")
    listed = components.get("messages") if components is not None else None
    for name, message in listed.members() if listed is not None else ():
        yield name, documents.follow(message)
    channels = root.get("channels")
    for _, given in channels.members() if channels is not None else ():
        channel = documents.follow(given)
        messages = channel.get("messages")
        for name, message in messages.members() if messages is not None else ():
            yield name, documents.follow(message)
        for word in ("publish", "subscribe"):
            operation = channel.get(word)
            definition = operation.get("message") if operation is not None else None
            if definition is None:
                continue
            options = definition.get("oneOf")
            for one in options.elements() if options is not None else (definition,):
                target = documents.follow(one)
                yield target.text("name") or target.name, target
