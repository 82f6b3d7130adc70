"""The schema that several keywords of one type describe together."""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct

from contract_scan.ir.origin import Origin
from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.ir.schema import (
    Anything,
    Array,
    LiteralValue,
    Nothing,
    Scalar,
    ScalarType,
    Schema,
    Union,
    Unknown,
    with_nullable,
)
from contract_scan.parsers.contracts.conjunction import (
    JSON_TYPES,
    Conjunct,
    allowed_types,
    common_values,
    inferred_type,
    is_null_only,
    keywords,
    literals,
    required_only,
    strings,
    type_of_value,
)
from contract_scan.parsers.contracts.flatten import Conjunction
from contract_scan.parsers.contracts.located_tree import Mapping, Node, Sequence
from contract_scan.parsers.contracts.objects import (
    CONTRADICTION,
    Annotations,
    ReadTogether,
    read_object,
)

_SCALARS: dict[str, ScalarType] = {
    "string": "string",
    "integer": "integer",
    "number": "number",
    "boolean": "boolean",
}
_OF_PLAIN_SCALARS = frozenset(
    {
        *("type", "format", "title", "description", "default", "example", "examples"),
        *("readOnly", "writeOnly", "deprecated", "externalDocs", "xml", "$comment"),
        *("pattern", "minLength", "maxLength", "multipleOf"),
        *("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"),
    }
)
"""Keywords of which only `type` and `format` decide what a scalar is."""
_VALUE_KEYWORDS = {"enum", "const", "pattern", "format", "minLength", "maxLength"}
_TYPE_ORDER = ("object", "array", "string", "integer", "number", "boolean")


class SchemaContext(Struct, frozen=True):
    """What is known of a schema besides its keywords."""

    origin: Origin
    name: str
    nullable: bool | None
    possibly_absent: tuple[str, ...] = ()
    """Names of properties that some alternative requires."""


def plain_scalar(part: Conjunct) -> Scalar | None:
    """What `read_typed` makes of a schema that names one scalar type, and has no keyword that takes
    looking at several together. Most schemas of a contract are such; None for all others."""
    value = part.node.value
    if part.without or not isinstance(value, Mapping) or not _OF_PLAIN_SCALARS.issuperset(value):
        return None
    named, form = value.get("type"), value.get("format", "")
    json_type = _SCALARS.get(named) if isinstance(named, str) else None
    if json_type is None or not isinstance(form, str):
        return None
    nullable = False if part.dialect.null_sayable else None
    return Scalar(type=json_type, format=form, nullable=nullable, origin=part.node.origin)


def read_typed(
    conjunction: Conjunction,
    around: SchemaContext,
    read: ReadTogether,
    annotations: Callable[[Node], Annotations],
) -> Schema:
    """Lower schemas that hold at once and whose alternatives are dealt with."""
    parts, origin = conjunction.parts, around.origin
    values = common_values(parts)
    if values is not None and not values:
        if around.nullable or any(_lists_null(part) for part in parts):
            return Nothing(nullable=True, origin=origin)
        return _unknown_schema(Reason("contract-values-contradict"), origin)
    types = _types(conjunction, values, origin)
    if not isinstance(types, frozenset):
        return types
    denied = _denied_types(parts)
    if denied is None:
        return _unknown_schema(Reason("not-keyword"), origin)
    nullable = around.nullable
    if "null" in denied and nullable is not True:
        nullable = False
    types -= denied
    if not types:
        if nullable:
            return Nothing(nullable=True, origin=origin)
        return _unknown_schema(CONTRADICTION, origin)
    if values is not None:
        return _enum_schema(parts, types, values, nullable, origin)
    shapes: list[Schema] = []
    for json_type in _TYPE_ORDER:
        if json_type not in types or (json_type == "integer" and "number" in types):
            continue
        if json_type == "object":
            partial = conjunction.unknown or _subtypes(parts)
            shapes.append(
                read_object(
                    parts,
                    read,
                    annotations,
                    origin=origin,
                    name=around.name,
                    nullable=False,
                    partial=partial,
                    perhaps=around.possibly_absent,
                )
            )
        elif conjunction.unknown:
            return _unknown_schema(conjunction.unknown, origin)
        elif json_type == "array":
            shapes.append(_array(parts, read, origin))
        else:
            shapes.append(_scalar(parts, json_type, origin, None))
    return _one_or_several(shapes, nullable, origin)


def _types(
    conjunction: Conjunction, values: list[object] | None, origin: Origin
) -> frozenset[str] | Schema:
    """The types that are left, or the schema where types do not matter or is undetermined."""
    parts = conjunction.parts
    types = allowed_types(parts)
    if types is not None:
        odd = types - JSON_TYPES
        return (
            _unknown_schema(Reason("not-a-json-schema-type", odd=min(odd)), origin)
            if odd
            else types
        )
    if values is not None:
        return frozenset(type_of_value(value) or "number" for value in values)
    inferred = inferred_type(parts)
    if inferred:
        return frozenset({inferred})
    if conjunction.unknown:
        return _unknown_schema(conjunction.unknown, origin)
    if all(not any(True for _ in keywords(part)) for part in parts):
        return Anything(nullable=True, origin=origin)
    return _unknown_schema(Reason("contract-without-type"), origin)


def _enum_schema(
    parts: list[Conjunct],
    types: frozenset[str],
    values: list[object],
    nullable: bool | None,
    origin: Origin,
) -> Schema:
    """The listed values, by type."""
    found = {type_of_value(value) for value in values}
    if "" in found:
        return _unknown_schema(Reason("contract-value-not-json"), origin)
    if found & types & {"object", "array"}:
        return _unknown_schema(Reason("contract-lists-objects"), origin)
    shapes: list[Schema] = []
    for json_type in _TYPE_ORDER[2:]:
        if json_type in types and not (json_type == "integer" and "number" in types):
            fitting = literals(values, json_type)
            if fitting:
                shapes.append(_scalar(parts, json_type, origin, fitting))
    if not shapes:
        return _unknown_schema(Reason("contract-values-of-other-type"), origin)
    return _one_or_several(shapes, nullable, origin)


def _one_or_several(shapes: list[Schema], nullable: bool | None, origin: Origin) -> Schema:
    if len(shapes) == 1:
        return with_nullable(shapes[0], nullable)
    return Union(options=tuple(shapes), nullable=nullable, origin=origin)


def _unknown_schema(reason: Reason, origin: Origin) -> Unknown:
    return Unknown(reason=reason, nullable=None, origin=origin)


def _scalar(
    parts: list[Conjunct],
    json_type: str,
    origin: Origin,
    values: tuple[str | int | float | bool | None, ...] | None,
) -> Schema:
    form = ""
    for part in parts:
        given = part.value("format")
        if isinstance(given, str):
            form = form or given
    if json_type == "string" and not form:
        form = _encoded_format(parts)
    return Scalar(
        type=_SCALARS[json_type],
        format=form,
        values=values,
        current_values=_current_values(parts, json_type) if values is None else (),
        origin=origin,
    )


def _current_values(parts: list[Conjunct], json_type: str) -> tuple[LiteralValue, ...]:
    """The values that an extensible enum lists: those of `x-extensible-enum` (Zalando RESTful API
    Guidelines, rule 112), to which the owner of the contract may add."""
    for part in parts:
        listed = part.value("x-extensible-enum")
        if isinstance(listed, Sequence):
            return literals(list(listed), json_type)
    return ()


def _array(parts: list[Conjunct], read: ReadTogether, origin: Origin) -> Schema:
    items: list[Conjunct] = []
    prefixes: list[list[Conjunct]] = []
    for part in parts:
        node = part.get("items")
        rest = node
        prefix = part.get("prefixItems")
        if node is not None and isinstance(node.value, Sequence):
            if _is_meant_for_all_items(part, node.value):
                rest = node.element(0)
            else:
                prefix, rest = node, part.get("additionalItems")
        if rest is None:
            rest = part.get("unevaluatedItems")
        if prefix is not None:
            for position, element in enumerate(prefix.elements()):
                if position == len(prefixes):
                    prefixes.append([])
                prefixes[position].append(Conjunct(element, part.dialect, seed=True))
        if rest is not None:
            items.append(Conjunct(rest, part.dialect, seed=True))
    return Array(
        items=read(items) if items else Anything(nullable=True, origin=origin),
        prefix=tuple(read(schemas) for schemas in prefixes),
        origin=origin,
    )


def _is_meant_for_all_items(part: Conjunct, listed: Sequence) -> bool:
    """Whether `items` is a list of one schema that nothing else makes a tuple of. By drafts 4 to
    2019-09 it speaks of the first item alone; its authors mean every item."""
    return (
        len(listed) == 1
        and part.get("additionalItems") is None
        and part.get("unevaluatedItems") is None
        and part.value("maxItems") is None
    )


def discriminator_of(part: Conjunct) -> str:
    """The property that tells subtypes apart, empty where none is named."""
    given = part.value("discriminator")
    if isinstance(given, Mapping):
        given = given.get("propertyName")
    return given if isinstance(given, str) else ""


def mapped_values(part: Conjunct, reference: str) -> tuple[str, ...]:
    """The values of the discriminator that its mapping leads from to a reference: each entry names
    the schema, or refers to it."""
    given = part.value("discriminator")
    mapping = given.get("mapping") if isinstance(given, Mapping) else None
    names = {reference, reference.rpartition("/")[2]} - {""}
    entries = mapping.items() if isinstance(mapping, Mapping) else ()
    return tuple(str(value) for value, target in entries if target in names)


def _subtypes(parts: list[Conjunct]) -> Reason:
    """Subtypes may add fields where the schema itself (not what it extends) tells them apart."""
    for part in parts:
        if part.seed and discriminator_of(part) and not part.value("oneOf"):
            return Reason("subtypes-may-add-fields", part=discriminator_of(part))
    return NO_REASON


def _denied_types(parts: list[Conjunct]) -> frozenset[str] | None:
    """Types that `not` forbids; None where it forbids something that cannot be compared."""
    denied: set[str] = set()
    for part in parts:
        node = part.get("not")
        if node is None or required_only(node) is not None:
            continue
        inner = set(keywords(Conjunct(node, part.dialect)))
        if inner == {"type"}:
            given = node.value.get("type") if isinstance(node.value, Mapping) else None
            denied.update((given,) if isinstance(given, str) else strings(given))
        elif inner and is_null_only(node):
            denied.add("null")
        elif not inner or inner - _VALUE_KEYWORDS:
            return None
    return frozenset(denied)


def _lists_null(part: Conjunct) -> bool:
    listed = part.value("enum")
    if isinstance(listed, Sequence):
        return any(value is None for value in listed)
    return part.node.has("const") and part.value("const") is None


def _encoded_format(parts: list[Conjunct]) -> str:
    for part in parts:
        encoding = part.value("contentEncoding")
        if isinstance(encoding, str):
            return "byte" if encoding.startswith("base64") else encoding
    for part in parts:
        media = part.value("contentMediaType")
        if isinstance(media, str) and media == "application/octet-stream":
            return "binary"
    return ""
