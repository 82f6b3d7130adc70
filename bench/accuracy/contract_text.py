"""Contracts as plain data: read, addressed by JSON Pointer, written back."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any, Literal, TypeAlias

import yaml

Json: TypeAlias = Any
Kind: TypeAlias = Literal["openapi", "asyncapi", "json-schema"]
Pointer: TypeAlias = tuple[str, ...]

_Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def load(path: Path) -> Json:
    """A contract with every key as text (`200:` of YAML becomes "200")."""
    text = path.read_text(encoding="utf-8-sig")
    if path.suffix == ".json":
        try:
            return json.loads(text)
        except json.JSONDecodeError:
            pass  # YAML may bear that name, and is read then.
    return _text_keys(yaml.load(text, _Loader))


def save(document: Json, path: Path) -> None:
    """Write a contract as JSON, which every reader of YAML reads as well."""
    path.write_text(json.dumps(document, indent=1, default=str), encoding="utf-8")


def _text_keys(value: Json) -> Json:
    if isinstance(value, dict):
        return {str(key): _text_keys(item) for key, item in value.items()}
    return [_text_keys(item) for item in value] if isinstance(value, list) else value


def references(document: Json) -> set[str]:
    """The files beside a contract that it refers to."""
    found: set[str] = set()
    pending = [document]
    while pending:
        node = pending.pop()
        if isinstance(node, dict):
            reference = node.get("$ref")
            if isinstance(reference, str) and "/" not in (file := reference.partition("#")[0]):
                found.add(file)
            pending.extend(node.values())
        elif isinstance(node, list):
            pending.extend(node)
    return found - {""}


def kind_of(document: Json) -> Kind:
    """Which sort of contract a document is."""
    if "openapi" in document or "swagger" in document:
        return "openapi"
    return "asyncapi" if "asyncapi" in document else "json-schema"


def at(document: Json, pointer: Pointer) -> Json:
    """The value a pointer leads to, or None."""
    node = document
    for token in pointer:
        if isinstance(node, dict):
            node = node.get(token)
        elif isinstance(node, list) and token.isdecimal() and int(token) < len(node):
            node = node[int(token)]
        else:
            return None
    return node


def resolved(document: Json, pointer: Pointer) -> tuple[Pointer, Json]:
    """Follow references inside the document: where the value itself stands, and the value. None
    for references that leave the document, lead nowhere or go in a ring."""
    seen: set[Pointer] = set()
    while pointer not in seen:
        seen.add(pointer)
        node = at(document, pointer)
        reference = node.get("$ref") if isinstance(node, dict) else None
        if not isinstance(reference, str):
            return pointer, node
        if not reference.startswith("#"):
            return pointer, None
        pointer = tuple(
            token.replace("~1", "/").replace("~0", "~") for token in reference.split("/")[1:]
        )
    return pointer, None


def _is_in_its_alternatives(document: Json, place: Pointer, shared: dict[str, Json]) -> bool:
    """Whether an alternative of a schema takes in that schema itself (a base class that lists the
    classes below it)."""
    for word in ("oneOf", "anyOf"):
        for number in range(len(shared.get(word) or ())):
            where, option = resolved(document, (*place, word, str(number)))
            parts = option.get("allOf") if isinstance(option, dict) else None
            if any(
                resolved(document, (*where, "allOf", str(part)))[0] == place
                for part in range(len(parts or ()))
            ):
                return True
    return False


def inlined(document: Json, written: Pointer) -> Pointer | None:
    """Give a place a schema of its own: everything that is shared on the way, as it is written from
    the top of the document, is copied to where it is referred to. Changes the document. Returns
    where the value stands then; None where the way leaves the document, or where the alternatives
    of what is copied include it by its old place, so that a changed copy contradicts itself."""
    for length in range(1, len(written) + 1):
        for _ in range(8):
            node = at(document, written[:length])
            if not isinstance(node, dict) or not isinstance(node.get("$ref"), str):
                break
            place, shared = resolved(document, written[:length])
            if not isinstance(shared, dict) or _is_in_its_alternatives(document, place, shared):
                return None
            beside = {word: value for word, value in node.items() if word != "$ref"}
            node.clear()
            node.update(copy.deepcopy(shared))
            if "schemas" in place[-2:-1]:
                node.setdefault("title", place[-1])  # It keeps the name that it went by.
            elif "messages" in place[-2:-1]:
                node.setdefault("messageId", place[-1])
            node.update(beside)
    return written if at(document, written) is not None else None
