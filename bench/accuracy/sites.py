"""Every property of every payload that a contract promises, and where it shows on the wire."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from bench.accuracy.contract_text import Json, Pointer, at, kind_of, resolved

METHODS = ("get", "put", "post", "delete", "patch")
_SUCCESS = re.compile(r"2(\d\d|XX)", re.IGNORECASE)


class Use(NamedTuple):
    """One payload in which a property shows."""

    subject: str
    """`GET /orders`, the key of a channel, or the name of a model."""
    wire: str
    """Wire path of the property in that payload."""


class Site(NamedTuple):
    """One property of one object schema, with every payload that reaches it."""

    owner: Pointer
    name: str
    uses: tuple[Use, ...]
    depth: int
    in_array: bool
    required: bool


class _Step(NamedTuple):
    pointer: Pointer
    wire: str
    depth: int
    in_array: bool
    above: frozenset[Pointer]


def payloads(document: Json) -> Iterator[tuple[str, Pointer]]:
    """(subject, pointer of the payload's schema) of everything that is sent."""
    match kind_of(document):
        case "openapi":
            yield from _responses(document)
        case "asyncapi":
            yield from _messages(document)
        case _:
            yield str(document.get("title") or "#"), ()
            for group in ("definitions", "$defs"):
                for name in document.get(group) or {}:
                    yield name, (group, name)


def operations(document: Json) -> list[tuple[str, str]]:
    """(path, method) of every operation, sorted."""
    return sorted(
        (path, method)
        for path, item in (document.get("paths") or {}).items()
        if isinstance(item, dict)
        for method in METHODS
        if isinstance(item.get(method), dict)
    )


def _responses(document: Json) -> Iterator[tuple[str, Pointer]]:
    for path, method in operations(document):
        subject = f"{method.upper()} {path}"
        statuses = at(document, ("paths", path, method, "responses")) or {}
        for status in filter(_SUCCESS.fullmatch, statuses):
            pointer, response = resolved(document, ("paths", path, method, "responses", status))
            if not isinstance(response, dict):
                continue
            if isinstance(response.get("schema"), dict):
                yield subject, (*pointer, "schema")
            for content_type, media in (response.get("content") or {}).items():
                json_like = content_type == "*/*" or "json" in content_type.lower()
                if json_like and isinstance(media, dict) and "schema" in media:
                    yield subject, (*pointer, "content", content_type, "schema")
                    break


def _messages(document: Json) -> Iterator[tuple[str, Pointer]]:
    for key in document.get("channels") or {}:
        base, channel = resolved(document, ("channels", key))
        if not isinstance(channel, dict):
            continue
        waiting: list[Pointer] = [
            (*base, "messages", name) for name in channel.get("messages") or {}
        ] + [
            (*base, verb, "message")
            for verb in ("publish", "subscribe")
            if at(document, (*base, verb, "message")) is not None
        ]
        while waiting:
            pointer, message = resolved(document, waiting.pop(0))
            if not isinstance(message, dict):
                continue
            waiting += [
                (*pointer, "oneOf", str(index)) for index in range(len(message.get("oneOf") or []))
            ]
            if isinstance(message.get("payload"), dict):
                inner = ("schema",) if "schemaFormat" in message["payload"] else ()
                yield key, (*pointer, "payload", *inner)


def sites(document: Json) -> list[Site]:
    """Every property that some payload reaches, in a stable order."""
    found: dict[tuple[Pointer, str], Site] = {}
    for subject, root in payloads(document):
        waiting = [_Step(root, "", 0, False, frozenset())]
        while waiting:
            step = waiting.pop()
            owner, schema = resolved(document, step.pointer)
            if not isinstance(schema, dict) or owner in step.above:
                continue
            for name, use in _properties(schema, step.wire, subject):
                known = found.get((owner, name))
                required = name in (schema.get("required") or [])
                uses = known.uses if known else ()
                site = known or Site(owner, name, (), step.depth, step.in_array, required)
                found[owner, name] = site._replace(uses=tuple(dict.fromkeys((*uses, use))))
            waiting += _below(owner, schema, step)
    return sorted(found.values(), key=lambda site: (site.owner, site.name))


def _properties(schema: Json, wire: str, subject: str) -> Iterator[tuple[str, Use]]:
    properties = schema.get("properties")
    for name in properties if isinstance(properties, dict) else {}:
        yield name, Use(subject, below(wire, name))


def below(wire: str, name: str) -> str:
    """Wire path of a property of the object at `wire`."""
    return f"{wire}.{name}" if wire else name


def _below(owner: Pointer, schema: Json, step: _Step) -> Iterator[_Step]:
    above = step.above | {owner}
    properties = schema.get("properties")
    for name, value in (properties if isinstance(properties, dict) else {}).items():
        if isinstance(value, dict):
            pointer = (*owner, "properties", name)
            yield _Step(pointer, below(step.wire, name), step.depth + 1, step.in_array, above)
    items = schema.get("items")
    if isinstance(items, dict):
        yield _Step((*owner, "items"), step.wire + "[]", step.depth, True, above)
    for index in range(len(items) if isinstance(items, list) else 0):
        yield _Step((*owner, "items", str(index)), step.wire + "[]", step.depth, True, above)
    if isinstance(schema.get("additionalProperties"), dict):
        pointer = (*owner, "additionalProperties")
        yield _Step(pointer, step.wire + "{}", step.depth + 1, step.in_array, above)
    for word in ("allOf", "oneOf", "anyOf"):
        for index in range(len(schema.get(word) or [])):
            yield step._replace(pointer=(*owner, word, str(index)), above=above)
