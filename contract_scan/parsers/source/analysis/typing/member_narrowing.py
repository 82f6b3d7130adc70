"""Which values a member has left where a test has asked for it.

After `if (order.status !== "paid") return`, the order is still of its class; of the values that its
status may have, one is left. What a test says travels with the value until its shape is asked for.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from contract_scan.ir.schema import (
    Array,
    Field,
    LiteralValue,
    Object,
    Scalar,
    Schema,
    Union,
    with_nullable,
)
from contract_scan.parsers.source.analysis.domain.effects import EVERY_ITEM, Mutation, PathKey
from contract_scan.parsers.source.analysis.domain.program import Program, Typing
from contract_scan.parsers.source.analysis.domain.values import (
    BoundType,
    BySchema,
    ByType,
    Constant,
    Instance,
    Items,
    OneOf,
    Refinement,
    Scope,
    Value,
    is_null,
    union_of,
)
from contract_scan.parsers.source.analysis.syntax.null_checks import (
    ALL,
    ANY,
    NOT,
    NULL_PREDICATES,
    OTHER,
    SAME,
    conjunction,
    is_null_literal,
    member_read,
)
from contract_scan.parsers.source.analysis.typing.written_values import (
    is_membership,
)
from contract_scan.parsers.source.facts.nodes import (
    Attribute,
    Call,
    Cast,
    Choice,
    Expr,
    Index,
    LiteralExpr,
    OperationExpr,
)

_MOST_VARIANTS = 8
"""How many lists of one type are told apart by what tests have said of their items."""
_DEEPEST_TYPE = 3
"""How deep type parameters are compared that are bound to one another."""


def refine_members(
    program: Program, value: Value, name: str, test: Expr, scope: Scope, *, holds: bool
) -> Value:
    """A value of a declared type with what a test says of its members."""
    match value:
        case ByType() | Instance() | BySchema():
            refinements = tuple(_member_facts(program, name, test, scope, holds=holds))
            return (
                replace(value, refinements=(*value.refinements, *refinements))
                if refinements
                else value
            )
        case OneOf(options=options) if any(
            isinstance(o, ByType | Instance | BySchema) for o in options
        ):
            each = (refine_members(program, o, name, test, scope, holds=holds) for o in options)
            return union_of(tuple(each))
        case _:
            return value


def invalidate(value: Value, mutations: Sequence[Mutation]) -> Value:
    """A value without what tests have said of members that code sets, before or after them."""
    match value:
        case ByType() | Instance() | BySchema() if value.refinements and mutations:
            left = tuple(
                one for one in value.refinements if not any(_sets(m, one.member) for m in mutations)
            )
            return replace(value, refinements=left)
        case OneOf(options=options) if mutations:
            return union_of(tuple(invalidate(option, mutations) for option in options))
        case _:
            return value


def _sets(mutation: Mutation, member: str) -> bool:
    if mutation.kind in ("pass", "through", "built"):
        return False
    names = member.split(".")
    if mutation.kind == "set":
        changed: tuple[PathKey, ...] = (*mutation.path, mutation.key)
    else:
        changed, names = mutation.path, names[:-1]
    is_above = len(changed) <= len(names)
    return is_above and all(c in (None, n) for c, n in zip(changed, names, strict=False))


def refinements_of_member(value: ByType | Instance | BySchema, name: str) -> tuple[Refinement, ...]:
    """What tests have said of a member of a value, and of the members of that."""
    return tuple(
        replace(one, member=rest)
        for one in value.refinements
        for first, _, rest in [(name, "", "") if one.member == name else one.member.partition(".")]
        if first == name
    )


def says_not_null(refinements: tuple[Refinement, ...]) -> bool:
    """Whether tests have said that a value itself is not null."""
    return any(not one.member and takes_null_away(one) for one in refinements)


def takes_null_away(refinement: Refinement) -> bool:
    """Whether a test has said that a value or a member of it is not null."""
    return not refinement.keeps and is_null(refinement.value)


def members_not_null(value: Value) -> tuple[Refinement, ...]:
    """What tests have said not to be null of the members of a value, or of each item of a list."""
    match value:
        case ByType() | Instance():
            return tuple(one for one in value.refinements if one.member and takes_null_away(one))
        case OneOf(options=options):
            return _common([members_not_null(one) for one in options if not is_null(one)])
        case Items(values=values):
            each = _common([members_not_null(item) for item in values])
            return tuple(replace(one, member=f"{EVERY_ITEM}.{one.member}") for one in each)
        case _:
            return ()


def without_variants(options: list[Value]) -> list[Value]:
    """Lists of one type as one, with what tests have said of the items of all: a query that is
    filtered under one condition after another has twice as many variants after each."""
    if len(options) <= _MOST_VARIANTS:
        return options
    kept: list[Value] = []
    groups: list[tuple[Value, list[ByType]]] = []
    for option in options:
        is_list = isinstance(option, Items) and option.repeated and len(option.values) == 1
        row = option.values[0] if isinstance(option, Items) and is_list else option
        if not isinstance(row, ByType) or row.assigned:
            kept.append(option)
            continue
        same = next(
            (
                rows
                for first, rows in groups
                if type(first) is type(option) and _is_one_type(rows[0], row, _DEEPEST_TYPE)
            ),
            None,
        )
        if same is None:
            groups.append((option, [row]))
        else:
            same.append(row)
    for first, rows in groups:
        row = rows[0]
        if len(rows) > 1:
            row = replace(row, refinements=_common([members_not_null(one) for one in rows]))
        kept.append(replace(first, values=(row,)) if isinstance(first, Items) else row)
    return kept


def _is_one_type(one: ByType | BoundType, other: ByType | BoundType, depth: int) -> bool:
    """Whether two types are written the same and mean the same where they stand: each call of a
    generic method has a place of its own."""
    here, there = one.scope, other.scope
    if one.type != other.type or here is there:
        return one.type == other.type
    is_same_place = here.file is there.file and here.function is there.function
    if not (depth and is_same_place and here.owner is there.owner):
        return False
    return here.types.keys() == there.types.keys() and all(
        _is_one_type(bound, there.types[name], depth - 1) for name, bound in here.types.items()
    )


def _common(each: Sequence[tuple[Refinement, ...]]) -> tuple[Refinement, ...]:
    names = [{one.member for one in told} for told in each]
    return tuple(one for one in each[0] if all(one.member in n for n in names)) if each else ()


def narrowed_schema(
    types: Typing, schema: Schema, refinements: tuple[Refinement, ...], variant: str
) -> Schema:
    """A shape with the values that are left; the shape itself where nothing changes."""
    flat = types.flat(schema)
    of_items = tuple(
        replace(one, member=one.member.removeprefix(f"{EVERY_ITEM}."))
        for one in refinements
        if one.member.startswith(f"{EVERY_ITEM}.")
    )
    if of_items and isinstance(flat, Array):
        return replace(flat, items=narrowed_schema(types, flat.items, of_items, variant))
    not_null = frozenset(one.member for one in refinements if takes_null_away(one))
    schema = _without_null_members(types, schema, not_null) if not_null else schema
    for one in refinements:
        if is_null(one.value):
            continue
        constant = types.flat(types.schema_of(one.value, variant))
        if isinstance(constant, Scalar) and constant.values is not None:
            schema = _narrow_member(types, schema, one, constant.values)
    return schema


def with_fields(schema: Schema, flat: Object, fields: Sequence[Field]) -> Schema:
    """A shape, known as `flat` where references are followed, with these fields; the shape itself
    where they are the ones that it has."""
    if len(fields) == len(flat.fields) and all(map(operator.is_, fields, flat.fields)):
        return schema
    return replace(flat, fields=tuple(fields))


def _without_null_members(types: Typing, schema: Schema, members: frozenset[str]) -> Schema:
    """A shape of which members (and, by an empty name, the whole) are not null; the shape itself
    where they may not be null anyway."""
    flat = types.flat(schema)
    if "" in members and flat.nullable is not False:
        schema = flat = with_nullable(flat, False)
    if not isinstance(flat, Object):
        return schema
    fields = tuple(
        without_null(types, field) if (field.declared_as or field.name) in members else field
        for field in flat.fields
    )
    return with_fields(schema, flat, fields)


def without_null(types: Typing, field: Field) -> Field:
    """A field that holds no null; the field itself where it holds none anyway."""
    shape = types.flat(field.schema)
    if shape.nullable is False and not field.omitted_if_null:
        return field
    return replace(
        field,
        schema=with_nullable(shape, False),
        required=True if field.omitted_if_null else field.required,
        omitted_if_null=False,
    )


def _narrow_member(
    types: Typing, schema: Schema, refinement: Refinement, values: tuple[LiteralValue, ...]
) -> Schema:
    flat = types.flat(schema)
    if not refinement.member:
        return _narrow_whole(types, schema, refinement.keeps, values)
    if not isinstance(flat, Object):
        return schema
    fields = []
    for field in flat.fields:
        member_shape = types.flat(field.schema)
        if refinement.member in (field.name, field.declared_as) and isinstance(
            member_shape, Scalar
        ):
            narrowed = _narrow_values(member_shape, refinement.keeps, values)
            field = replace(field, schema=narrowed) if narrowed is not member_shape else field
        fields.append(field)
    return with_fields(schema, flat, fields)


def _narrow_whole(
    types: Typing, schema: Schema, keeps: bool, values: tuple[LiteralValue, ...]
) -> Schema:
    flat = types.flat(schema)
    match flat:
        case Scalar():
            return _narrow_values(flat, keeps, values)
        case Union(options=options) if not keeps:
            possible = [o for o in options if not _holds_only(types.flat(o), values)]
            left = tuple(_narrow_whole(types, option, keeps, values) for option in possible)
            if not left or (
                len(left) == len(options)
                and all(new is old for new, old in zip(left, options, strict=True))
            ):
                return schema
            if len(left) == 1:
                return with_nullable(left[0], flat.nullable)
            return replace(flat, options=left)
        case _:
            return schema


def _holds_only(shape: Schema, values: tuple[LiteralValue, ...]) -> bool:
    own = shape.values if isinstance(shape, Scalar) else None
    return own is not None and all(value in values for value in own)


def _narrow_values(scalar: Scalar, keeps: bool, values: tuple[LiteralValue, ...]) -> Scalar:
    if scalar.values is None:
        return scalar
    remaining = tuple(value for value in scalar.values if (value in values) is keeps)
    if not remaining or len(remaining) == len(scalar.values):
        return scalar
    # What equals a constant is not null.
    return replace(scalar, values=remaining, nullable=False if keeps else scalar.nullable)


def _member_facts(
    program: Program, name: str, test: Expr, scope: Scope, *, holds: bool
) -> Iterator[Refinement]:
    match test:
        case OperationExpr(operator=operator, operands=(inner,)) if operator in NOT:
            yield from _member_facts(program, name, inner, scope, holds=not holds)
        case OperationExpr(operator=operator, operands=operands) if operator in (
            ALL if holds else ANY
        ):
            for operand in operands:
                yield from _member_facts(program, name, operand, scope, holds=holds)
        case Choice(options=options, given=()):
            both = conjunction(options)
            for option in (both or ()) if holds else () if both else options:
                yield from _member_facts(program, name, option, scope, holds=holds)
        case OperationExpr(operator=operator, operands=(left, right)) if operator in SAME | OTHER:
            if member_read(left, name) is None:
                left, right = right, left
            member = member_read(left, name)
            if member is not None:
                keeps = holds is (operator in SAME)
                yield Refinement(member, keeps, program.evaluate(right, scope))
                is_there = is_null_literal(right) and operator not in ("===", "!==")
                if isinstance(right, LiteralExpr) and (
                    not is_null_literal(right) if keeps else is_there
                ):
                    yield from _of_holders(member)
                elif keeps and _excludes_null(program, program.evaluate(right, scope)):
                    yield Refinement(member, False, Constant(None))
                    yield from _of_holders(member)
        case Attribute() | Index() if holds and (member := member_read(test, name)) is not None:
            yield Refinement(member, False, Constant(None))
            yield from _of_holders(member)
        case Cast(type=type, value=cast) if holds and (member := member_read(cast, name)):
            excludes_null = program.language.excludes_null
            if excludes_null is not None and excludes_null(program, type, scope):
                yield Refinement(member, False, Constant(None))
        case Call(callee=Attribute(name=asked) as callee, args=(only,)):
            member = member_read(only.value, name)
            if member is not None and (
                NULL_PREDICATES.get(asked) is (not holds)
                or (holds and is_membership(program, callee, scope))
            ):
                yield Refinement(member, False, Constant(None))
        case _:
            return


def _excludes_null(program: Program, value: Value) -> bool:
    """Whether a value is never null, in a language whose types may let null pass: what equals it is
    not null either."""
    excludes_null = program.language.excludes_null
    match program.evaluator.unwrap(value):
        case ByType(type=type, scope=scope, refinements=refinements) if excludes_null is not None:
            return says_not_null(refinements) or excludes_null(program, type, scope)
        case Constant(value=constant):
            return excludes_null is not None and constant is not None
        case _:
            return False


def _of_holders(member: str) -> Iterator[Refinement]:
    """What holds a member that is not null is not null either: `a.b` of `a.b?.c != null`."""
    names = member.split(".")
    for length in range(1, len(names)):
        yield Refinement(".".join(names[:length]), False, Constant(None))
