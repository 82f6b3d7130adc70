"""Kinds of contracts: which one an opened file is, in which version, and what reads it."""

from __future__ import annotations

from re import compile as regex

from contract_scan.errors import ContractError
from contract_scan.ir.document import ContractDocument
from contract_scan.parsers.contracts.asyncapi import read_asyncapi
from contract_scan.parsers.contracts.conjunction import constrains
from contract_scan.parsers.contracts.contract_record import is_record_file
from contract_scan.parsers.contracts.json_schema import read_json_schema
from contract_scan.parsers.contracts.located_tree import Mapping, Node, shortened_text
from contract_scan.parsers.contracts.openapi import read_openapi
from contract_scan.parsers.contracts.refs import Documents

_TYPES = ("object", "array", "string", "number", "integer", "boolean")
_READABLE = {
    "openapi": (regex(r"3\.[012](\..*)?"), "3.0, 3.1 and 3.2 (and 2.0 under `swagger`)"),
    "swagger": (regex(r"2(\.0)?"), "2.0 (and 3.x under `openapi`)"),
    "asyncapi": (regex(r"[23](\..*)?"), "2.x and 3.x"),
}


def is_contract(root: Node) -> bool:
    """Whether a parsed file is a contract of any kind (a JSON Schema only if it says so)."""
    return (
        any(root.has(word) for word in _READABLE)
        or is_record_file(root)
        or "json-schema.org" in root.text("$schema")
    )


def looks_like_schema(root: Node) -> bool:
    """Whether a mapping is a schema though it does not say so."""
    value = root.value
    if not isinstance(value, Mapping):
        return False
    if any(isinstance(value.get(word), Mapping) for word in ("$defs", "definitions")):
        return True
    if not constrains(root):
        return False
    properties = value.get("properties")
    if isinstance(properties, Mapping):
        return all(isinstance(one, (Mapping, bool)) for one in properties.values())
    typed = value.get("type") in _TYPES and len(value) > 1
    return typed or any(root.has(word) for word in ("allOf", "oneOf", "anyOf", "enum"))


def kind_of(root: Node) -> str:
    """The key under which a contract gives its version; empty where it gives none."""
    return next((word for word in _READABLE if root.has(word)), "")


def read_document(root: Node, sources: Documents, expected: str = "") -> ContractDocument:
    """Lower an opened document.

    `expected` is what a record says of its kind; empty where nothing says anything. Raises
    `ContractError` where it is no contract that can be read.
    """
    path, line = root.file.path, root.line
    if not isinstance(root.value, Mapping):
        raise ContractError(
            "is no contract: it holds no mapping at its top"
            if root.value is not None
            else "is empty",
            path,
        )
    kind = kind_of(root)
    if kind:
        version = readable_version(root, kind)
        if kind == "asyncapi":
            return read_asyncapi(root, sources, version)
        return read_openapi(root, sources, version)
    if expected in ("openapi", "asyncapi"):
        raise ContractError(
            f"is no {expected} document: it gives no `{expected}` version", path, line
        )
    if expected == "json_schema" or "json-schema.org" in root.text("$schema"):
        return read_json_schema(root, sources)
    if looks_like_schema(root):
        return read_json_schema(root, sources)
    raise ContractError(
        "is no contract that can be read: it has neither an `openapi`, `swagger` or `asyncapi` "
        "version nor the keywords of a JSON Schema",
        path,
    )


def readable_version(root: Node, kind: str) -> str:
    """The version that a document gives under `kind`. Raises `ContractError` for one not read."""
    place = root.get(kind)
    assert place is not None
    pattern, readable = _READABLE[kind]
    value = place.value
    version = str(value) if isinstance(value, (str, int, float)) else ""
    if not pattern.fullmatch(version):
        raise ContractError(
            f"`{kind}: {shortened_text(version, 20)}` is a version that is not read; "
            f"readable are {readable}",
            place.file.path,
            place.line,
        )
    return "2.0" if kind == "swagger" else version
