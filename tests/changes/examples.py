"""The examples of the table of judgements as whole documents."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import yaml
from msgspec import Struct

from contract_scan.api import compare_contracts
from contract_scan.scanners.changes.judgements import JUDGEMENTS, Judgement, identifier
from contract_scan.scanners.changes.judgements.judgement import Prefix

LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""Reads what `SafeLoader` reads, several times as fast."""


class Case(Struct, frozen=True):
    """A before/after pair, and the id that it must be found by."""

    id: str
    judgement: Judgement
    prefix: Prefix
    before: dict[str, Any]
    after: dict[str, Any]


def cases() -> Iterator[Case]:
    """Every id with its pair."""
    for judgement in JUDGEMENTS.values():
        example = judgement.example
        for prefix in judgement.prefixes:
            documents = [
                document(example.of, yaml.load(text, LOADER) if text else None, prefix)
                for text in (example.before, example.after)
            ]
            if None in documents:
                continue  # a whole document is gone: see test_folders
            yield Case(
                identifier(judgement.kind, prefix), judgement, prefix, documents[0], documents[1]
            )


def ids(before: object, after: object) -> list[str]:
    """The ids of what changed, sorted, each once."""
    found = compare_contracts(before, after)
    assert found.problems == ()
    assert found.undetermined == ()
    return sorted({change.id for change in found.changes})


def document(of: str, value: Any, prefix: str) -> dict[str, Any] | None:
    """An example as a document."""
    match of:
        case "schema":
            return None if value is None else _of_schema(value, prefix)
        case "parameter":
            operation = {"parameters": [] if value is None else [value], "responses": OK}
            return _of_operation(operation, "request", prefix)
        case "response":
            responses = {"200": {"description": "", **value}}
            return _of_operation({"responses": responses}, "response", prefix)
        case "responses":
            return _of_operation({"responses": value}, "response", prefix)
        case "operation":
            return _of_operation(value, "request", prefix)
        case "openapi":
            return {"openapi": "3.1.0", "info": INFO, **value}
        case "asyncapi":
            return {"asyncapi": "3.0.0", "info": INFO, **value}
        case "message":
            return _of_messages(value, prefix)
    raise AssertionError(of)


INFO = {"title": "T", "version": "1"}
OK = {"200": {"description": "ok"}}


def _of_schema(schema: Any, prefix: str) -> dict[str, Any]:
    match prefix:
        case "model" | "":
            uri = "https://json-schema.org/draft/2020-12/schema"
            return {"$schema": uri, "title": "Model", **schema}
        case "request":
            body = {"required": True, "content": {"application/json": {"schema": schema}}}
            return of_operations({"post": {"requestBody": body, "responses": OK}})
        case "response":
            content = {"application/json": {"schema": schema}}
            return of_operations({"get": {"responses": {"200": {"content": content}}}})
        case _:
            return _of_messages({"m": {"payload": schema}}, prefix)


def of_operations(item: dict[str, Any]) -> dict[str, Any]:
    return {"openapi": "3.1.0", "info": INFO, "paths": {"/things": item}}


def _of_operation(operation: dict[str, Any], of: str, prefix: str) -> dict[str, Any]:
    """What users send is the response of a webhook, and what they get is its request."""
    if prefix in (of, ""):
        return of_operations({"post": operation})
    return {"openapi": "3.1.0", "info": INFO, "webhooks": {"things": {"post": operation}}}


def _of_messages(messages: dict[str, Any], prefix: str) -> dict[str, Any]:
    action = "receive" if prefix == "received" else "send"
    return {
        "asyncapi": "3.0.0",
        "info": INFO,
        "channels": {"things": {"address": "things", "messages": messages}},
        "operations": {"use": {"action": action, "channel": {"$ref": "#/channels/things"}}},
    }


CASES_BY_ID = {case.id: case for case in cases()}
