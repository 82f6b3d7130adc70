"""Contract records, as a Contract Engine gives them, around a document.

A record is `{id, type, version, service_name, spec, …}`; a file holds one, a list of them, or a
mapping from ids to them, plain or under `contracts` or `items`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from collections.abc import Mapping as AnyMapping

from msgspec import Struct

from contract_scan.errors import ContractError
from contract_scan.parsers.contracts.located_tree import (
    DEFAULT_LIMITS,
    File,
    Limits,
    Mapping,
    Node,
    Sequence,
    open_text,
    shortened_text,
)

_LISTS = ("contracts", "items")
_SIGNS = (
    "id",
    "contract_id",
    "type",
    "contract_type",
    "service_name",
    "provider_service",
    "spec_hash",
)
_TYPES = ("openapi", "asyncapi", "json_schema")


class Record(Struct, frozen=True):
    """A contract inside a record."""

    spec: Node
    type: str
    """`openapi`, `asyncapi`, `json_schema`, or empty where the record does not say."""
    service: str
    name: str


def is_record_file(root: Node) -> bool:
    """Whether a file holds contract records."""
    return not root.has("$schema") and any(True for _ in _record_nodes(root))


def records(root: Node) -> Iterator[Record]:
    """Every record of a file. Raises `ContractError` for one whose specification is unusable."""
    for place in _record_nodes(root):
        yield _record(place)


def _record_nodes(root: Node) -> Iterator[Node]:
    if _is_record(root):
        yield root
        return
    for word in _LISTS:
        holder = root.get(word)
        if holder is not None and isinstance(holder.value, (Mapping, Sequence)):
            yield from _places_in(holder)
            return
    yield from _places_in(root)


def _places_in(holder: Node) -> Iterator[Node]:
    if isinstance(holder.value, Sequence):
        yield from (one for one in holder.elements() if _is_record(one))
    else:
        yield from (one for _, one in holder.members() if _is_record(one))


def _is_record(node: Node) -> bool:
    spec = node.get("spec")
    return (
        spec is not None
        and isinstance(spec.value, (Mapping, str))
        and isinstance(node.value, Mapping)
        and any(isinstance(node.value.get(word), (str, int)) for word in _SIGNS)
        and not any(node.has(word) for word in ("openapi", "swagger", "asyncapi", "kind"))
    )


def _record(node: Node) -> Record:
    spec = node.get("spec")
    assert spec is not None
    given = (node.text("type") or node.text("contract_type")).lower().replace("-", "_")
    if given and given not in _TYPES:
        raise ContractError(
            f"the contract's type `{shortened_text(given)}` is none of {', '.join(_TYPES)}",
            node.file.path,
            node.line,
        )
    if isinstance(spec.value, str):
        spec = _inner_document(spec)
    return Record(
        spec=spec,
        type=given,
        service=node.text("service_name") or node.text("provider_service"),
        name=node.text("id") or node.text("contract_id"),
    )


def _inner_document(spec: Node) -> Node:
    """A specification given as text. Its lines are those of the text, not of the record."""
    path = f"{spec.file.path}#{spec.pointer}"
    assert isinstance(spec.value, str)
    return open_text(spec.value.encode("utf-8", "replace"), path).root


def file_of_record(
    record: AnyMapping[str, object], name: str, limits: Limits = DEFAULT_LIMITS
) -> File:
    """A record that came over the wire, as a file of its own. Raises `ContractError`."""
    try:
        text = json.dumps(record, indent=2, ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise ContractError(f"is not a contract record: {error}", name) from error
    return open_text(text.encode("utf-8", "replace"), name, limits)
