"""Whatever a schema says, it is read: the laws that hold for every document."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st

from contract_scan.ir.document import ContractDocument
from contract_scan.ir.reasons import decode_reason, encode_reason
from contract_scan.ir.schema import Array, Object, Reference, Schema, Union
from tests.parsers.contracts.loading import load_records

_NAMES = ("A", "B", "C")
_REFERENCES = st.sampled_from([f"#/components/schemas/{name}" for name in (*_NAMES, "Gone")])
_WORDS = st.sampled_from(["a", "b", "c"])
_VALUES = st.none() | st.booleans() | st.integers(-3, 3) | st.text(max_size=3) | st.just(1.5)
_TYPES = st.sampled_from(["object", "array", "string", "integer", "number", "boolean", "null", "x"])


def _schemas(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    several = st.lists(inner, max_size=3)
    by_name = st.dictionaries(_WORDS, inner, max_size=3)
    return st.fixed_dictionaries(
        {},
        optional={
            "$ref": _REFERENCES,
            "type": _TYPES | st.lists(_TYPES, max_size=3) | _VALUES,
            "properties": by_name | _VALUES,
            "required": st.lists(_WORDS, max_size=3) | _VALUES,
            "additionalProperties": inner | st.booleans(),
            "patternProperties": by_name,
            "items": inner | several,
            "prefixItems": several,
            "allOf": several,
            "anyOf": several,
            "oneOf": several | _VALUES,
            "not": inner,
            "if": inner,
            "then": inner,
            "dependentRequired": st.dictionaries(_WORDS, st.lists(_WORDS, max_size=2), max_size=2),
            "enum": st.lists(_VALUES, max_size=3),
            "const": _VALUES,
            "nullable": st.booleans(),
            "format": _WORDS | _VALUES,
            "readOnly": st.booleans(),
            "discriminator": st.just({"propertyName": "a"}) | _VALUES,
        },
    )


_ANY: st.SearchStrategy[Any] = st.recursive(
    st.booleans() | st.just({}) | _VALUES, _schemas, max_leaves=12
)


@settings(max_examples=200, deadline=None)
@given(
    st.fixed_dictionaries(dict.fromkeys(_NAMES, _ANY)),
    st.sampled_from(["3.0.3", "3.1.0"]),
)
def test_every_document_is_read_and_holds_together(schemas: dict[str, Any], version: str) -> None:
    content = {"application/json": {"schema": {"$ref": "#/components/schemas/A"}}}
    spec = {
        "openapi": version,
        "paths": {"/a": {"get": {"responses": {"200": {"content": content}}}}},
        "components": {"schemas": schemas},
    }
    (document,) = load_records([{"id": "1", "spec": spec}], _nowhere())
    assert _decoded(document) == document
    assert json.loads(msgspec.json.encode(document, enc_hook=encode_reason))["kind"] == "openapi"
    for schema in _all_schemas(document):
        if isinstance(schema, Reference):
            assert schema.key in document.schemas
    for key in document.schemas:
        assert not _returns_unguarded(key, document)


_OF_SCALARS = st.fixed_dictionaries(
    {"type": _TYPES | _VALUES},
    optional={
        "format": _WORDS | _VALUES,
        "description": _WORDS,
        "default": _VALUES,
        "pattern": _WORDS,
        "minLength": st.integers(0, 3),
        "maximum": st.integers(0, 3),
        "readOnly": st.booleans(),
        "writeOnly": st.booleans(),
        "nullable": st.booleans(),
        "x-nullable": st.booleans(),
        "enum": st.lists(_VALUES, max_size=2),
        "contentEncoding": st.just("base64"),
        "contentMediaType": st.just("application/octet-stream"),
        "x-extensible-enum": st.lists(_VALUES, max_size=2),
        "properties": st.dictionaries(_WORDS, st.just({}), max_size=1),
    },
)


@settings(max_examples=200, deadline=None)
@given(_OF_SCALARS, st.sampled_from(["2.0", "3.0.3", "3.1.0"]))
def test_a_keyword_that_says_nothing_changes_nothing(schema: dict[str, Any], version: str) -> None:
    """A scalar of a few well-known keywords is read in a shorter way than one with others."""
    assert _read_as_property(schema, version) == _read_as_property({**schema, "x-a": 1}, version)


def _read_as_property(schema: dict[str, Any], version: str) -> dict[str, Schema]:
    """The schemas of a document of which an object has the schema as its last property."""
    holder = {"type": "object", "properties": {"a": {"type": "string"}, "b": schema}}
    if version == "2.0":
        answer: dict[str, Any] = {"schema": {"$ref": "#/definitions/A"}}
        rest: dict[str, Any] = {"swagger": version, "definitions": {"A": holder}}
    else:
        content = {"application/json": {"schema": {"$ref": "#/components/schemas/A"}}}
        answer = {"content": content}
        rest = {"openapi": version, "components": {"schemas": {"A": holder}}}
    spec = {"paths": {"/a": {"get": {"responses": {"200": answer}}}}, **rest}
    (document,) = load_records([{"id": "1", "spec": spec}], _nowhere())
    assert document.schemas
    return document.schemas


def _nowhere() -> Any:
    from pathlib import Path

    return Path(__file__).parent / "no-such-folder"


def _decoded(document: ContractDocument) -> ContractDocument:
    written = msgspec.msgpack.encode(document, enc_hook=encode_reason)
    return msgspec.msgpack.decode(written, type=ContractDocument, dec_hook=decode_reason)


def _all_schemas(document: ContractDocument) -> Iterator[Schema]:
    pending: list[Schema] = list(document.schemas.values())
    for operation in document.operations:
        for response in operation.responses:
            pending += [body.schema for body in response.bodies]
    while pending:
        schema = pending.pop()
        yield schema
        match schema:
            case Object(fields=fields, additional=additional):
                pending += [field.schema for field in fields]
                pending += [additional] if additional is not None else []
            case Array(items=items, prefix=prefix):
                pending += [items, *prefix]
            case Union(options=options):
                pending += options
            case _:
                pass


def _returns_unguarded(start: str, document: ContractDocument) -> bool:
    """Whether references and unions alone lead from a schema back to it."""
    pending: list[Schema] = [document.schemas[start]]
    seen: set[str] = set()
    while pending:
        schema = pending.pop()
        if isinstance(schema, Union):
            pending += schema.options
        elif isinstance(schema, Reference) and schema.key not in seen:
            if schema.key == start:
                return True
            seen.add(schema.key)
            pending.append(document.schemas[schema.key])
    return False
