"""Small operations on schemas that linking needs: unions and a text that identifies a shape."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from typing import Final

from msgspec.structs import replace

from contract_scan.ir.evidence import Evidence, of_either, of_part
from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.ir.schema import (
    Anything,
    Array,
    LiteralValue,
    Nothing,
    Object,
    Reference,
    Scalar,
    ScalarType,
    Schema,
    Union,
    Unknown,
    with_nullable,
)
from contract_scan.ir.three_valued import all_of, any_of

VALIDATED: Final = Reason("field-need-validated")


def with_enforced_needs(schema: Schema, flat: Callable[[Schema], Schema], depth: int) -> Schema:
    """A shape that a validator holds values against: it refuses objects, and those in them as deep
    as is said, that lack a field which it requires."""
    shape = flat(schema)
    if isinstance(shape, Array) and depth:
        return replace(shape, items=with_enforced_needs(shape.items, flat, depth - 1))
    if not isinstance(shape, Object) or not depth:
        return schema
    fields = []
    for field in shape.fields:
        inner = with_enforced_needs(field.schema, flat, depth - 1)
        if field.required:
            evidence = replace(field.evidence or Evidence(), required="enforced")
            field = replace(field, evidence=evidence)
        fields.append(replace(field, schema=inner))
    return replace(shape, fields=tuple(fields))


FROM_OTHER_SCALARS: Mapping[ScalarType, tuple[ScalarType, ...]] = {
    "string": ("number", "boolean"),
    "numeric": ("string", "boolean"),
    "boolean": ("string", "number"),
}
"""What `converted_from` takes where texts, numbers and booleans are made of each other."""


def converted_from(schema: Schema, taken: Mapping[ScalarType, tuple[ScalarType, ...]]) -> Schema:
    """A schema whose scalars are read from values of other JSON types too. `taken` gives these
    types by the scalar's own; `numeric` stands for all numbers."""
    match schema:
        case Scalar(type=own, values=None):
            key: ScalarType = own if own in ("string", "boolean") else "numeric"
            if key not in taken:
                return schema
            return replace(schema, also_takes=taken[key])
        case Array(items=items, prefix=prefix):
            return replace(
                schema,
                items=converted_from(items, taken),
                prefix=tuple(converted_from(item, taken) for item in prefix),
            )
        case Object(fields=fields, additional=additional):
            return replace(
                schema,
                fields=tuple(
                    replace(field, schema=converted_from(field.schema, taken)) for field in fields
                ),
                additional=None if additional is None else converted_from(additional, taken),
            )
        case Union(options=options):
            return replace(schema, options=tuple(converted_from(one, taken) for one in options))
        case _:
            return schema


def unite(schemas: Iterable[Schema]) -> Schema:
    """One schema for a value that may have any of several shapes.

    Null joins as `nullable`, scalars of one type as one scalar, equal shapes once. No schema at all
    gives `Nothing`.
    """
    nullable: bool | None = False
    null_reason = NO_REASON
    options: list[Schema] = []
    places: dict[Hashable, list[int]] = {}
    values: dict[int, dict[LiteralValue, None]] = {}
    for schema in schemas:
        for option in _alternatives(schema):
            nullable = any_of((nullable, option.nullable))
            null_reason = null_reason or option.null_reason
            if isinstance(schema, Union):
                null_reason = null_reason or schema.null_reason
                nullable = any_of((nullable, schema.nullable))
            if not isinstance(option, Nothing):
                _join(options, places, values, with_nullable(option, False))
    for position, several in values.items():
        known = options[position]
        if isinstance(known, Scalar) and known.values is not None:
            options[position] = replace(known, values=tuple(several))
    if not options:
        return Nothing(nullable=True)
    whole: Schema = options[0]
    if len(options) > 1:
        whole = Union(options=tuple(options), origin=options[0].origin)
    whole = with_nullable(whole, nullable)
    is_open = nullable is None and null_reason
    return replace(whole, null_reason=null_reason) if is_open else whole


def _alternatives(schema: Schema) -> Iterable[Schema]:
    """The shapes that one schema stands for, each known as it is there."""
    if not isinstance(schema, Union):
        return (schema,)
    whole = schema.evidence
    if whole is None:
        return schema.options
    return (replace(o, evidence=of_part(o.evidence or Evidence(), whole)) for o in schema.options)


def _join(
    options: list[Schema],
    places: dict[Hashable, list[int]],
    values: dict[int, dict[LiteralValue, None]],
    schema: Schema,
) -> None:
    """Put a shape among the options. `places` are the positions of those with one outline, so that
    a shape is compared with few of many; `values` gather those of scalars that are joined, by the
    position of their option, whose own are outdated then."""
    alike = places.setdefault(_outline(schema), [])
    for position in alike:
        known = options[position]
        if isinstance(known, Scalar) and isinstance(schema, Scalar):
            evidence = _of_either(known, schema)
            if known.values is None or schema.values is None:
                options[position] = replace(known, values=None, evidence=evidence)
                return
            if known.evidence != evidence:
                options[position] = replace(known, evidence=evidence)
            gathered = values.setdefault(position, dict.fromkeys(known.values))
            for value in schema.values:
                gathered.setdefault(value)
            return
        if is_same_shape(known, schema):
            if known.evidence != schema.evidence:
                options[position] = replace(known, evidence=_of_either(known, schema))
            return
    alike.append(len(options))
    options.append(schema)


def _outline(schema: Schema) -> Hashable:
    """What equal shapes have in common, for little; scalars that join have the same."""
    match schema:
        case Scalar(type=type, format=format):
            return "scalar", type, format
        case Reference(key=key):
            return "reference", key
        case Object(fields=fields):
            return "object", *(field.name for field in fields)
        case Array(prefix=prefix):
            return "array", len(prefix)
        case Union(options=options):
            return "union", len(options)
        case Unknown(reason=reason):
            return "unknown", reason
        case _:
            return schema.__class__


def _of_either(left: Schema, right: Schema) -> Evidence | None:
    """How a value is known that may be of one shape or of the other."""
    if left.evidence == right.evidence:
        return left.evidence
    return of_either(left.evidence or Evidence(), right.evidence or Evidence())


def is_same_shape(left: Schema, right: Schema) -> bool:
    """Whether two shapes are equal, whatever their places. It compares what `describe` writes
    without making a text: the shapes of a whole database are compared often, and most differ
    at once."""
    if left is right:
        return True
    match left, right:
        case Nothing(), Nothing():
            return True
        case _ if left.nullable is not right.nullable:
            return False
        case Reference(), Reference():
            return left.key == right.key
        case Scalar(), Scalar():
            same = left.type == right.type and left.format == right.format
            return same and repr(left.values) == repr(right.values)
        case Array(), Array():
            return _all_alike(left.prefix, right.prefix) and is_same_shape(left.items, right.items)
        case Object(), Object():
            return (
                left.incomplete_reason == right.incomplete_reason
                and len(left.fields) == len(right.fields)
                and all(
                    ours.name == theirs.name and ours.required is theirs.required
                    for ours, theirs in zip(left.fields, right.fields, strict=True)
                )
                and _further_alike(left.additional, right.additional)
                and _all_alike([f.schema for f in left.fields], [f.schema for f in right.fields])
            )
        case Union(), Union():
            return _all_alike(left.options, right.options)
        case Unknown(), Unknown():
            return left.reason == right.reason
        case Anything(), Anything():
            return True
        case _:
            return False


def is_assignable(
    given: Schema, expected: Schema, flat: Callable[[Schema], Schema], depth: int
) -> bool | None:
    """Whether a compiler takes a value of one shape for one of another, as it narrows by a declared
    type predicate (`data is Failure`); None where that is not known of both."""
    given, expected = flat(given), flat(expected)
    if not depth or given.nullable is not False or expected.nullable is not False:
        return None
    match given, expected:
        case Object(), Object():
            named = {field.name: field for field in given.fields}
            pairs = [(named[f.name], f) for f in expected.fields if f.name in named]
            if given.incomplete_reason or expected.incomplete_reason:
                return None
            if any(f.name not in named and f.required is True for f in expected.fields):
                return None if given.additional is not None else False
            return bool(pairs) and all_of(
                is_assignable(ours.schema, theirs.schema, flat, depth - 1)
                if ours.required is theirs.required
                else None
                for ours, theirs in pairs
            )
        case Scalar(values=None), Scalar(values=None):
            return given.type == expected.type or None
        case Array(prefix=()), Array(prefix=()):
            return is_assignable(given.items, expected.items, flat, depth - 1)
        case ((Scalar() | Array() | Object()), (Scalar() | Array() | Object())):
            return None if type(given) is type(expected) else False
        case _:
            return None


def _all_alike(left: Sequence[Schema], right: Sequence[Schema]) -> bool:
    same = len(left) == len(right)
    return same and all(
        is_same_shape(ours, theirs) for ours, theirs in zip(left, right, strict=True)
    )


def _further_alike(left: Schema | None, right: Schema | None) -> bool:
    return left is right if left is None or right is None else is_same_shape(left, right)


def describe(schema: Schema) -> str:
    """A text that is equal for equal shapes, whatever their places."""
    mark = {True: "?", False: "", None: "~"}[schema.nullable]
    match schema:
        case Reference(key=key):
            return key + mark
        case Scalar(type=type, format=format, values=values):
            shown = "" if values is None else repr(values)
            return f"{type}:{format}{shown}{mark}"
        case Array(items=items, prefix=prefix):
            inner = ",".join(describe(item) for item in prefix)
            return f"[{inner};{describe(items)}]{mark}"
        case Object(fields=fields, additional=additional, incomplete_reason=partial):
            inner = ",".join(f"{f.name}{f.required}:{describe(f.schema)}" for f in fields)
            rest = "" if additional is None else describe(additional)
            return f"{{{inner};{rest};{partial}}}{mark}"
        case Union(options=options):
            return "(" + "|".join(describe(option) for option in options) + ")" + mark
        case Unknown(reason=reason):
            return f"<{reason}>{mark}"
        case Anything():
            return "any" + mark
        case Nothing():
            return "null"


def says_nothing(schema: Schema) -> bool:
    """Whether a declared shape tells nothing about the value (`any`, a free map, a bare list)."""
    match schema:
        case Unknown() | Anything():
            return True
        case Object(fields=fields, additional=additional, incomplete_reason=partial):
            return not fields and not partial and (additional is None or says_nothing(additional))
        case Array(items=items, prefix=prefix):
            return not prefix and says_nothing(items)
        case Union(options=options):
            return any(says_nothing(option) for option in options)
        case _:
            return False


def with_peers(shape: Object, names: Collection[str] | None) -> Object:
    """An object of which some of the optional members are needed beside others, or without others:
    which of `names` (None: of all) depends on what there is."""
    fields = (
        replace(field, required=None, undetermined_reason=VALIDATED)
        if field.required is False
        and not field.has_default
        and (names is None or field.name in names)
        else field
        for field in shape.fields
    )
    return replace(shape, fields=tuple(fields))
