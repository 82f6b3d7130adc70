"""Several schemas that hold at once, with every `allOf` and `$ref` among them followed."""

from __future__ import annotations

from msgspec import Struct

from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.parsers.contracts.conjunction import Conjunct
from contract_scan.parsers.contracts.dialects import Dialect, dialect_of_schema_uri
from contract_scan.parsers.contracts.located_tree import Mapping, Node, shortened_text
from contract_scan.parsers.contracts.problems import Problems
from contract_scan.parsers.contracts.refs import Documents, RefError

_REFERENCES = ("$ref", "$dynamicRef", "$recursiveRef")
_API_DOCUMENTS = ("openapi", "swagger", "asyncapi")
_OTHER_COMPONENTS = {
    "callbacks": "a callback",
    "channels": "a channel",
    "examples": "an example",
    "headers": "a header",
    "links": "a link",
    "messages": "a message",
    "operations": "an operation",
    "parameters": "a parameter",
    "pathItems": "a path",
    "replies": "a reply",
    "requestBodies": "a request body",
    "responses": "a response",
    "securityDefinitions": "a security scheme",
    "securitySchemes": "a security scheme",
    "servers": "a server",
}
"""What stands in the sections of `components` that hold no schemas (OpenAPI 3.1, 4.8.7; AsyncAPI
3.0, Components Object), and at the root of a Swagger document (OpenAPI 2.0, Swagger Object)."""


class Conjunction(Struct):
    """Schemas that hold at once, with every `allOf` and `$ref` among them followed."""

    parts: list[Conjunct]
    members: frozenset[str]
    """Ids of all schemas that were followed."""
    impossible: bool = False
    unknown: Reason = NO_REASON
    """Why a member could not be read."""


def reference_of(part: Conjunct) -> str | None:
    """Where a schema refers to, if it does."""
    for word in _REFERENCES:
        reference = part.value(word)
        if isinstance(reference, str):
            return reference
    return None


def dialect_of(node: Node, default: Dialect) -> Dialect:
    """A file with its own `$schema` speaks its own dialect."""
    for place in (node, node.file.root):
        uri = place.text("$schema")
        if uri:
            return dialect_of_schema_uri(uri, default)
    return default


def target_of(node: Node, reference: str, documents: Documents) -> Node:
    """Where a schema's reference leads. Raises `RefError`."""
    target = documents.target(node, reference)
    component = _other_component(target)
    if component:
        raise RefError(
            f"$ref `{shortened_text(reference)}` leads to {component} where a schema belongs",
            node.file.path,
            node.line,
        )
    if node.has("$dynamicRef") and documents.dynamic_anchors(reference) > 1:
        raise RefError(
            f"$dynamicRef `{reference}` depends on the schema it is used from",
            node.file.path,
            node.line,
        )
    return target


def _other_component(target: Node) -> str:
    """The kind of a component of an OpenAPI or AsyncAPI document that is not a schema; empty for
    every other place."""
    if not any(target.file.root.has(word) for word in _API_DOCUMENTS):
        return ""
    match target.pointer.split("/")[1:]:
        case ["components", section, _]:
            return _OTHER_COMPONENTS.get(section, "")
        case [("parameters" | "responses" | "securityDefinitions") as section, _]:
            return _OTHER_COMPONENTS[section]
        case _:
            return ""


def flatten(seeds: list[Conjunct], documents: Documents, problems: Problems) -> Conjunction:
    """Follow every `allOf` and `$ref`, each schema once."""
    parts: list[Conjunct] = []
    unknown = NO_REASON
    visited: set[str] = set()
    pending: list[tuple[Conjunct, frozenset[str]]] = [
        (part, frozenset()) for part in reversed(seeds)
    ]
    while pending:
        part, above = pending.pop()
        node = part.node
        if node.id in above:
            problems.add(node, "the schema is part of itself through `allOf` or `$ref`")
            unknown = unknown or Reason("schema-part-of-itself")
            continue
        if node.id in visited:
            continue
        visited.add(node.id)
        if node.value is False:
            return Conjunction([], frozenset(visited), impossible=True)
        if not isinstance(node.value, Mapping):
            if node.value is not True:
                problems.add(node, "a schema must be a mapping (or true or false)")
                unknown = unknown or Reason("schema-not-mapping")
            continue
        inside = above | {node.id}
        following: list[tuple[Conjunct, frozenset[str]]] = []
        reference = reference_of(part)
        if reference is not None:
            try:
                target = target_of(node, reference, documents)
            except RefError as error:
                problems.add_error(error)
                unknown = unknown or Reason("contract-problem", what=error.message)
            else:
                dialect = dialect_of(target, part.dialect)
                following.append((Conjunct(target, dialect, alternative=part.alternative), inside))
        if reference is None or part.dialect.sibling_keywords:
            parts.append(part.without_keywords(*_REFERENCES, "allOf"))
            members = part.get("allOf")
            following.extend(
                (Conjunct(element, part.dialect, alternative=part.alternative), inside)
                for element in (members.elements() if members else ())
            )
        pending.extend(reversed(following))
    return Conjunction(parts, frozenset(visited), unknown=unknown)
