"""A schema as the list of plain shapes it may have: references followed, unions opened."""

from __future__ import annotations

from typing import TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.ir.document import Resolver
from contract_scan.ir.evidence import Evidence, Grade, of_either, stronger, weaker
from contract_scan.ir.origin import NOWHERE, Origin
from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.ir.schema import (
    Anything,
    Array,
    LiteralValue,
    Nothing,
    Object,
    Reference,
    Scalar,
    Schema,
    Union,
    Unknown,
)
from contract_scan.ir.three_valued import any_of
from contract_scan.scanners.differences.names import fold

Shape: TypeAlias = Unknown | Anything | Nothing | Scalar | Array | Object


class Alternative(Struct, frozen=True):
    """One plain shape, and the key of the reference that led to it (empty: it stands in place)."""

    shape: Shape
    key: str = ""
    use: Origin = NOWHERE
    """Where the reference stands; nowhere for a shape that stands in place."""
    tags: tuple[LiteralValue, ...] = ()
    """The only values of its tag, where what holds the alternative says so, and not itself."""

    @property
    def name(self) -> str:
        """Name of the type or component, where it has one."""
        named = self.shape.name if isinstance(self.shape, Object) else ""
        return named or self.key.replace("#", "/").rpartition("/")[2]


_Tag: TypeAlias = tuple[str, tuple[LiteralValue, ...]]
"""The name of a tag, and the values that lead to an alternative; none: every one may."""


class Alternatives(Struct, frozen=True):
    """All plain shapes of a schema, and whether null is one more of them."""

    options: tuple[Alternative, ...]
    nullable: bool | None
    null_known: Grade | None = None
    """How that is known; None: as what is around it."""
    null_reason: Reason = NO_REASON
    """Why it is undetermined, where there is a statement that gives null."""


def alternatives(schema: Schema, resolver: Resolver) -> Alternatives:
    """Open a schema. What cannot be resolved is an `Unknown` option."""
    found: list[Alternative] = []
    nullable: bool | None = False
    null_known: dict[bool | None, Grade | None] = {}
    null_reason = NO_REASON
    waiting: list[tuple[Schema, str, Origin, _Tag]] = [(schema, "", NOWHERE, ("", ()))]
    seen: set[str] = set()
    while waiting:
        node, key, use, tag = waiting.pop()
        own = _nullable(node)
        nullable = any_of((nullable, own))
        null_reason = null_reason or node.null_reason
        # One shape that is null sometimes is enough; that none is takes them all.
        around = node.evidence.nullable if node.evidence is not None else None
        grade = node.null_known or around
        best = stronger if own else weaker
        null_known[own] = best(null_known.get(own, grade), grade)
        match node:
            case Reference(key=target):
                if target not in seen:
                    seen.add(target)
                    use = use if use.path else node.origin
                    waiting.append((_resolve(resolver, node), target, use, tag))
            case Union(options=options, tags=tags):
                own_tags = [(node.discriminator, values) if values else tag for values in tags]
                pairs = zip(options, own_tags or [tag] * len(options), strict=True)
                waiting += [(option, "", use, own) for option, own in [*pairs][::-1]]
            case Nothing():
                pass
            case Object() if tag[1]:
                found.append(with_tag(Alternative(node, key, use), *tag, resolver))
            case _:
                found.append(Alternative(node, key, use))
    known = null_known.get(nullable)
    return Alternatives(tuple(_merge_scalars(found)), nullable, known, null_reason)


def with_tag(
    option: Alternative, name: str, values: tuple[LiteralValue, ...], resolver: Resolver
) -> Alternative:
    """A shape whose tag has only some of its values; as it is where it has no such tag."""
    shape = option.shape
    if not isinstance(shape, Object):
        return option
    for field in shape.fields:
        if field.name != name:
            continue
        members = alternatives(field.schema, resolver)
        tag = members.options[0].shape if len(members.options) == 1 else None
        if not isinstance(tag, Scalar) or (tag.values is None and tag.type != "string"):
            break
        left = tuple(value for value in values if tag.values is None or value in tag.values)
        if left and left != tag.values:
            narrow = replace(tag, values=left, nullable=members.nullable)
            fields = tuple(
                replace(other, schema=narrow) if other is field else other for other in shape.fields
            )
            return replace(option, shape=replace(shape, fields=fields), tags=left)
    return option


def discriminator(schema: Schema, resolver: Resolver) -> str:
    """The property that a schema's alternatives are told apart by; empty where it names none."""
    target = target_schema(schema, resolver)
    return target.discriminator if isinstance(target, Union) else ""


def union_evidence(schema: Schema, resolver: Resolver) -> Evidence | None:
    """How it is known which alternatives a schema has; None where it has one, or nothing says."""
    target = target_schema(schema, resolver)
    return target.evidence if isinstance(target, Union) else None


def target_schema(schema: Schema, resolver: Resolver) -> Schema:
    """The schema that a reference leads to, by way of others; the last one of a ring."""
    seen: set[str] = set()
    while isinstance(schema, Reference) and schema.key not in seen:
        seen.add(schema.key)
        schema = _resolve(resolver, schema)
    return schema


def field_names(schema: Schema, resolver: Resolver) -> set[str]:
    """The folded names of the fields that a schema's objects may have."""
    return {
        fold(field.name)
        for option in alternatives(schema, resolver).options
        if isinstance(option.shape, Object)
        for field in option.shape.fields
    }


def is_record(schema: Schema, resolver: Resolver, *, nameless: bool = False) -> bool:
    """Whether a schema is of records of Avro, or (`nameless`) of objects of no class."""
    objects = [
        option.shape
        for option in alternatives(schema, resolver).options
        if isinstance(option.shape, Object)
    ]
    return bool(objects) and all(one.is_avro or (nameless and not one.name) for one in objects)


def _nullable(node: Schema) -> bool | None:
    # Of a shape of which nothing is known or said, nothing is about null either.
    return None if isinstance(node, Unknown | Anything) else node.nullable


def _resolve(resolver: Resolver, reference: Reference) -> Schema:
    try:
        return resolver.resolve(reference)
    except KeyError:
        return Unknown(
            reason=Reason("reference-leads-nowhere", reference=reference.key),
            origin=reference.origin,
        )


def _merge_scalars(found: list[Alternative]) -> list[Alternative]:
    """Alternatives of one scalar type are one alternative with all their values."""
    merged: list[Alternative] = []
    place: dict[str, int] = {}
    for option in found:
        shape = option.shape
        if isinstance(shape, Scalar):
            if shape.type in place:
                index = place[shape.type]
                merged[index] = Alternative(_joined_scalar(merged[index].shape, shape))
                continue
            place[shape.type] = len(merged)
        merged.append(option)
    return merged


def _joined_scalar(one: Shape, other: Scalar) -> Scalar:
    assert isinstance(one, Scalar)
    if one.values is None or other.values is None:
        values = None
    else:
        values = one.values + tuple(value for value in other.values if value not in one.values)
    same_format = one.format if one.format == other.format else ""
    evidence = one.evidence
    if evidence != other.evidence:
        evidence = of_either(evidence or Evidence(), other.evidence or Evidence())
    return replace(one, values=values, format=same_format, evidence=evidence)
