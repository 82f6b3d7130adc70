"""Every property of every payload that a contract promises, and where it shows on the wire."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple, TypeAlias

from bench.accuracy.contract_text import Json, Pointer, at, kind_of, resolved

METHODS = ("get", "put", "post", "delete", "patch")
_BODILESS = ("204", "205")
"""Statuses that have no body, whatever a contract says."""
_SUCCESS = re.compile(r"2(\d\d|XX)", re.IGNORECASE)


class Use(NamedTuple):
    """One payload in which a property shows."""

    subject: str
    """`GET /orders`, the key of a channel, or the name of a model."""
    wire: str
    """Wire path of the property in that payload."""
    written: Pointer = ()
    """The way to the schema that owns the property, as it is written from the top of the document;
    references on it are not followed."""


class Site(NamedTuple):
    """One property of one object schema, with every payload that reaches it."""

    owner: Pointer
    name: str
    uses: tuple[Use, ...]
    depth: int
    in_array: bool
    required: bool


def home(site: Site) -> Use:
    """The payload in which a property stands nearest to the top: where a model is defined."""
    return min(site.uses, key=lambda use: (len(use.wire), use.subject))


Roots: TypeAlias = Iterable[tuple[str, Pointer]]
"""(subject, the way to the schema of a payload, as it is written) of many payloads."""


class _Step(NamedTuple):
    pointer: Pointer
    written: Pointer
    wire: str
    depth: int
    in_array: bool
    above: frozenset[Pointer]


def payloads(document: Json) -> Iterator[tuple[str, Pointer]]:
    """(subject, way to the payload's schema) of everything that is sent."""
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


def success_statuses(document: Json, path: str, method: str) -> list[str]:
    """The success statuses of an operation, as they are written."""
    statuses = at(document, ("paths", path, method, "responses")) or {}
    return [status for status in statuses if _SUCCESS.fullmatch(status)]


def _responses(document: Json) -> Iterator[tuple[str, Pointer]]:
    for path, method in operations(document):
        subject = f"{method.upper()} {path}"
        for status in success_statuses(document, path, method):
            if status in _BODILESS:
                continue
            yield from _bodies(document, subject, ("paths", path, method, "responses", status))


def _bodies(document: Json, subject: str, written: Pointer) -> Iterator[tuple[str, Pointer]]:
    """The first JSON body of a response or request, in either version."""
    _, holder = resolved(document, written)
    if not isinstance(holder, dict):
        return
    if isinstance(holder.get("schema"), dict):
        yield subject, (*written, "schema")
    for content_type, media in (holder.get("content") or {}).items():
        json_like = content_type == "*/*" or "json" in content_type.lower()
        if json_like and isinstance(media, dict) and "schema" in media:
            yield subject, (*written, "content", content_type, "schema")
            break


def requests(document: Json) -> Iterator[tuple[str, Pointer]]:
    """(subject, way to the payload's schema) of every request body."""
    for path, method in operations(document):
        subject = f"{method.upper()} {path}"
        place = ("paths", path, method)
        operation = at(document, place)
        if "requestBody" in operation:
            yield from _bodies(document, subject, (*place, "requestBody"))
        for index in range(len(operation.get("parameters") or [])):
            written = (*place, "parameters", str(index))
            _, parameter = resolved(document, written)
            if isinstance(parameter, dict) and parameter.get("in") == "body":
                yield from _bodies(document, subject, written)


def _messages(document: Json) -> Iterator[tuple[str, Pointer]]:
    for key in document.get("channels") or {}:
        base: Pointer = ("channels", key)
        _, channel = resolved(document, base)
        if not isinstance(channel, dict):
            continue
        waiting: list[Pointer] = [
            (*base, "messages", name) for name in channel.get("messages") or {}
        ] + [
            (*base, verb, "message")
            for verb in ("publish", "subscribe")
            if isinstance(channel.get(verb), dict) and "message" in channel[verb]
        ]
        while waiting:
            written = waiting.pop(0)
            message = _along(document, written)
            if not isinstance(message, dict):
                continue
            waiting += [
                (*written, "oneOf", str(index)) for index in range(len(message.get("oneOf") or []))
            ]
            if isinstance(message.get("payload"), dict):
                inner = ("schema",) if "schemaFormat" in message["payload"] else ()
                yield key, (*written, "payload", *inner)


def _along(document: Json, written: Pointer) -> Json:
    """The value at the end of a way with references on it."""
    return resolved(document, landed(document, written))[1]


def landed(document: Json, written: Pointer) -> Pointer:
    """Where a way with references on it really ends; the last value may be a reference itself."""
    pointer: Pointer = ()
    for token in written:
        pointer, _ = resolved(document, pointer)
        pointer = (*pointer, token)
    return pointer


def sites(document: Json, roots: Roots | None = None) -> list[Site]:
    """Every property that some payload reaches (without `roots`: of what is sent), in a stable
    order. What a client only reads is no part of requests, what it only sends none of responses."""
    found: dict[tuple[Pointer, str], Site] = {}
    elsewhere = "writeOnly" if roots is None else "readOnly"
    for subject, root in payloads(document) if roots is None else roots:
        waiting = [_Step(landed(document, root), root, "", 0, False, frozenset())]
        while waiting:
            step = waiting.pop()
            owner, schema = resolved(document, step.pointer)
            if not isinstance(schema, dict) or owner in step.above:
                continue
            for name, use in _properties(schema, step, subject):
                value = at(document, (*owner, "properties", name))
                if isinstance(value, dict) and value.get(elsewhere) is True:
                    continue
                known = found.get((owner, name))
                required = name in (schema.get("required") or [])
                uses = known.uses if known else ()
                site = known or Site(owner, name, (), step.depth, step.in_array, required)
                if all((use.subject, use.wire) != (old.subject, old.wire) for old in uses):
                    site = site._replace(uses=(*uses, use))
                found[owner, name] = site
            waiting += _below(owner, schema, step)
    return sorted(found.values(), key=lambda site: (site.owner, site.name))


def _properties(schema: Json, step: _Step, subject: str) -> Iterator[tuple[str, Use]]:
    properties = schema.get("properties")
    for name in properties if isinstance(properties, dict) else {}:
        yield name, Use(subject, below(step.wire, name), step.written)


def below(wire: str, name: str) -> str:
    """Wire path of a property of the object at `wire`."""
    return f"{wire}.{name}" if wire else name


def _below(owner: Pointer, schema: Json, step: _Step) -> Iterator[_Step]:
    above = step.above | {owner}

    def inner(*tokens: str) -> _Step:
        return step._replace(
            pointer=(*owner, *tokens), written=(*step.written, *tokens), above=above
        )

    properties = schema.get("properties")
    for name, value in (properties if isinstance(properties, dict) else {}).items():
        if isinstance(value, dict):
            yield inner("properties", name)._replace(
                wire=below(step.wire, name), depth=step.depth + 1
            )
    items = schema.get("items")
    if isinstance(items, dict):
        yield inner("items")._replace(wire=step.wire + "[]", in_array=True)
    for index in range(len(items) if isinstance(items, list) else 0):
        yield inner("items", str(index))._replace(wire=step.wire + "[]", in_array=True)
    if isinstance(schema.get("additionalProperties"), dict):
        yield inner("additionalProperties")._replace(wire=step.wire + "{}", depth=step.depth + 1)
    for word in ("allOf", "oneOf", "anyOf"):
        for index in range(len(schema.get(word) or [])):
            yield inner(word, str(index))
