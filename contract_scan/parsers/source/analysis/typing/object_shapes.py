"""The shape of an object by what code tells of its members: what it is made with, what is set on it
since, and what nothing sets.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping

from msgspec.structs import replace

from contract_scan.ir.evidence import DECLARED
from contract_scan.ir.origin import NOWHERE
from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.ir.schema import (
    Array,
    Field,
    Nothing,
    Object,
    Scalar,
    Schema,
    Union,
    Unknown,
    with_nullable,
)
from contract_scan.parsers.source.analysis.domain.program import Program, Typing
from contract_scan.parsers.source.analysis.domain.schemas import unite
from contract_scan.parsers.source.analysis.domain.values import (
    AssignedMember,
    BySchema,
    ByType,
    Constant,
    Copied,
    Instance,
    Items,
    LibraryResult,
    LibrarySymbol,
    OneOf,
    Record,
    Scope,
    Value,
    is_always_there,
    is_null,
    is_undefined,
    union_of,
)
from contract_scan.parsers.source.analysis.typing.assigned_members import (
    begins_as_object,
    given_members,
    instance_member,
    member_set_to,
)
from contract_scan.parsers.source.analysis.typing.computed_members import with_computed_members
from contract_scan.parsers.source.analysis.typing.constant_fields import (
    CHOSEN,
    with_constants,
    with_values_of,
)
from contract_scan.parsers.source.analysis.typing.constructions import (
    constructed_values,
    member_as_made,
)
from contract_scan.parsers.source.analysis.typing.member_narrowing import (
    narrowed_schema,
    says_not_null,
    with_fields,
    without_null,
)
from contract_scan.parsers.source.analysis.typing.written_values import (
    holds_written_null,
    is_made_here,
)
from contract_scan.parsers.source.facts.nodes import (
    ArrayLiteral,
    Attribute,
    Call,
    Choice,
    Expr,
    LiteralExpr,
    Name,
    New,
)


def refined_schema(program: Program, declared: Schema, value: Value, variant: str) -> Schema:
    """A declared shape with what code has told of the members of the value that is sent in it: what
    it was made with, what is set since, and what tests have left. The shape itself where nothing is
    told."""
    types, shape = program.types, declared
    nulls: set[str] = set()
    if isinstance(value, OneOf):
        there = [option for option in value.options if not is_null(option)]
        each = [refined_schema(program, declared, option, variant) for option in there]
        return declared if not each or any(one is declared for one in each) else unite(each)
    value = as_listed(program, value)
    if isinstance(value, Items) and value.values and not value.is_tuple:
        flat = types.flat(declared)
        if not isinstance(flat, Array) or flat.prefix:
            return declared
        each = [refined_schema(program, flat.items, item, variant) for item in value.values]
        if any(item is flat.items for item in each):
            return declared
        return replace(flat, items=unite(each))
    if isinstance(value, LibraryResult):
        whole = types.flat(declared)
        made = types.schema_of(value, variant) if isinstance(whole, Object | Union) else declared
        classes = whole.options if isinstance(whole, Union) else (declared,)
        return made if any(is_of_one_class(types, made, one) for one in classes) else declared
    if isinstance(value, Record):
        match types.flat(declared):
            case Object(fields=(), additional=items) if items is not None:
                return types.schema_of(value, variant) if types.is_unknown(items) else declared
            case _:
                return declared
    if not isinstance(value, ByType | Instance):
        return declared
    if isinstance(value, Instance) and value.scope is not None and not value.constant:
        members = dict(given_members(program, value))
        shape = schema_with_members(program, shape, members, value.scope, variant)
        shape = with_constants(program, shape, value, members, variant)
        since = {*members, *(one.name for one in value.assigned)}
        fixed = tuple(m for m in constructed_values(program, value) if m.name not in since)
        shape = schema_with_assigned(program, shape, fixed, variant) if fixed else shape
        known = frozenset({*members, *(one.name for one in fixed)})
        nulls = {
            name
            for name, given in members.items()
            if isinstance(given, LiteralExpr | Call)
            and is_null(program.evaluate(given, value.scope))
        }
        nulls |= {one.name for one in fixed if is_null(one.value)}
        shape = _with_unset_members(program, shape, value, known)
        shape = _without_undefined_members(program, shape, value)
    if isinstance(value, ByType) and value.copied:
        known = frozenset(one.name for one in value.assigned if not is_null(one.value))
        shape = _with_copied_members(program, shape, known, value.copied, _COPIED_DEPTH)
    shape = narrowed_schema(types, shape, value.refinements, variant)
    if value.assigned:
        shape = schema_with_assigned(program, shape, value.assigned, variant)
        shape = _with_held_members(program, shape, value, variant)
    if isinstance(value, Instance):
        shape = _with_null_alone(types, shape, value, nulls)
    return with_computed_members(program, declared, shape, value)


def as_listed(program: Program, value: Value) -> Value:
    """`new List<T> { first, second }` as the items that it begins with; other values as they
    are."""
    match value:
        case LibraryResult(site=New(args=(), entries=entries), scope=scope) if entries and all(
            entry.key is None and not entry.spread for entry in entries
        ):
            found = (program.evaluate(entry.value, scope) for entry in entries)
            return Items(tuple(map(program.evaluator.unwrap, found)))
        case _:
            return value


def _with_null_alone(types: Typing, schema: Schema, made: Instance, nulls: set[str]) -> Schema:
    """The shape of an object without the types of members that hold null, and nothing but null."""
    nulls = nulls - {one.name for one in made.assigned}
    nulls |= {one.name for one in made.assigned if is_null(one.value)}
    nulls -= made.may_be_assigned or frozenset()
    flat = types.flat(schema)
    if not nulls or made.may_be_assigned is None or not isinstance(flat, Object):
        return schema
    fields = (
        replace(f, schema=_null_alone(f.schema))
        if (f.declared_as or f.name) in nulls and types.flat(f.schema).nullable
        else f
        for f in flat.fields
    )
    return with_fields(schema, flat, tuple(fields))


def _null_alone(shape: Schema) -> Schema:
    """Null in the place of a shape."""
    return Nothing(nullable=True, null_known=shape.null_known, origin=shape.origin)


def is_of_one_class(types: Typing, made: Schema, declared: Schema) -> bool:
    """Whether two shapes are those of one class, which stands at one place."""
    own, whole = types.flat(made), types.flat(declared)
    both = isinstance(own, Object) and isinstance(whole, Object)
    return both and own.origin == whole.origin != NOWHERE


def _with_unset_members(
    program: Program, schema: Schema, made: Instance, given: frozenset[str]
) -> Schema:
    """The shape of what is constructed here with null in the members that nothing sets; where code
    that is not followed may set them, or that they are never null is only declared, whether they
    are null is undetermined."""
    null_if_unset = program.language.null_if_unset
    if null_if_unset is None:
        return schema

    def holds_null(name: str) -> bool | None:
        may_be_set = made.may_be_assigned is None or name in made.may_be_assigned
        null = null_if_unset(program, made, name)
        return None if may_be_set and null else null

    known = given | {one.name for one in made.assigned}
    schema = schema_with_unset(program.types, schema, known, holds_null)
    flat = program.types.flat(schema)
    if not isinstance(flat, Object) or made.may_be_assigned is None:
        return schema
    fields = flat.fields
    if program.language.declares_not_null_unchecked:
        fields = tuple(_with_doubt_of_unset(program, field, made, known) for field in fields)
    if isinstance(made.site, New) and not made.site.args:
        kept = known | made.may_be_assigned
        fields = tuple(
            without_null(program.types, field)
            if (name := field.declared_as or field.name) not in kept
            and (field.omitted_if_null or program.types.flat(field.schema).nullable)
            and begins_as_object(program, made.symbol, name)
            else field
            for field in fields
        )
    return with_fields(schema, flat, fields)


def _with_doubt_of_unset(
    program: Program, field: Field, made: Instance, known: frozenset[str]
) -> Field:
    """A member that is declared not to be null, which is undetermined where nothing is seen to set
    it, or only what is not followed does."""
    shape, name = program.types.flat(field.schema), field.declared_as or field.name
    null_if_unset, may_be_assigned = program.language.null_if_unset, made.may_be_assigned
    is_settled = name in known or shape.nullable is not False or field.required is not True
    if is_settled or null_if_unset is None or may_be_assigned is None:
        return field
    null = null_if_unset(program, made, name)
    is_doubted = null is True or (null is None and name in may_be_assigned)
    return _with_null(field, shape, None) if is_doubted else field


def _without_undefined_members(program: Program, schema: Schema, made: Instance) -> Schema:
    """The shape of what is constructed here without the members that are never set."""
    flat = program.types.flat(schema) if program.language.structural else schema
    if not isinstance(flat, Object):
        return schema
    fields = []
    for field in flat.fields:
        name = field.declared_as or field.name
        value = None if field.required is True else member_as_made(program, made, name)
        if value is None or not is_undefined(value):
            fields.append(field)
    return with_fields(schema, flat, fields)


def schema_with_unset(
    types: Typing, schema: Schema, given: Collection[str], holds_null: Callable[[str], bool | None]
) -> Schema:
    """A shape of which some members are given values. The others hold null, or that is
    undetermined, where their types say nothing of null and `holds_null` does not rule it out."""
    flat = types.flat(schema)
    if not isinstance(flat, Object):
        return schema
    fields = []
    for field in flat.fields:
        name, shape = field.declared_as or field.name, types.flat(field.schema)
        is_asked = shape.nullable is None or field.omitted_if_null
        if name not in given and _has_members(shape) and holds_null(name):
            # What is in it is never sent.
            field = replace(field, schema=_null_alone(shape))
            if not field.omitted_if_null:
                fields.append(field)
            continue
        null = holds_null(name) if is_asked and name not in given else False
        if field.omitted_if_null and null:
            continue  # it is null, and then left out
        if field.omitted_if_null and null is None:
            reason = Reason("null-in-object", name=name)
            field = replace(field, undetermined_reason=reason)
        elif is_asked and name not in given and not field.omitted_if_null:
            is_known = null is not False or bool(shape.null_reason)
            if null is None and isinstance(shape, Object | Array):
                # What it holds if it is set is known by its type alone.
                shape = replace(shape, evidence=shape.evidence or DECLARED)
            field = _with_null(field, shape, null) if is_known else field
        fields.append(field)
    return with_fields(schema, flat, fields)


def _has_members(shape: Schema) -> bool:
    """Whether a shape may be null and holds more when it is not."""
    return shape.nullable is True and isinstance(shape, Object | Array)


def _with_null(field: Field, shape: Schema, null: bool | None, reason: Reason = NO_REASON) -> Field:
    """A field of a shape that holds null, or of which it is undetermined whether it does."""
    reason = reason or Reason("null-in-object", name=field.declared_as or field.name)
    if shape.nullable is null and (null is not None or shape.null_reason == reason):
        return field
    if null is not None:
        return replace(field, schema=with_nullable(shape, null))
    return replace(field, schema=replace(shape, nullable=None, null_reason=reason))


_COPIED_DEPTH = 4
"""How deep it is followed what a library has copied."""


def _with_copied_members(
    program: Program, schema: Schema, known: frozenset[str], copied: Copied, depth: int
) -> Schema:
    """A shape that a library has filled from another object: of a member that may be left out, it
    is undetermined whether it is ever sent (unless `copied` says that it is); not of those that
    are known to be set. Nothing keeps null out of what a class requires that is made of a contract.
    What the type of another one says nothing of, is not taken to be null."""
    types = program.types
    lets_null_pass = program.language.excludes_null is not None
    flat = types.flat(schema)
    if isinstance(flat, Array) and depth:
        items = _with_copied_members(program, flat.items, known, copied, depth - 1)
        return schema if items is flat.items else replace(flat, items=items)
    if not isinstance(flat, Object) or not depth:
        return schema
    fields = []
    for field in flat.fields:
        name = field.declared_as or field.name
        inner = _with_copied_members(program, field.schema, frozenset(), copied, depth - 1)
        field = field if inner is field.schema else replace(field, schema=inner)
        if name not in known and (field.required is True or copied == "any"):
            null = types.flat(inner).nullable if lets_null_pass else True
            if field.required is not True or (null is False and field.origin.pointer):
                reason = Reason("member-copied-by-mapper", member=name)
                field = replace(
                    field,
                    required=field.required and None,
                    undetermined_reason=reason,
                    omitted_if_null=field.omitted_if_null and not field.required,
                )
        fields.append(field)
    return with_fields(schema, flat, fields)


def schema_with_assigned(
    program: Program, schema: Schema, assigned: tuple[AssignedMember, ...], variant: str
) -> Schema:
    """A shape of which some members were set: they hold null only where what they were set to may
    be null. Their shape is that of their type, as the serializer of the type writes them."""
    flat = program.types.flat(schema)
    if not isinstance(flat, Object):
        return schema
    given = {one.name: one for one in assigned}
    fields = tuple(
        _field_after_assignment(program, field, given.get(field.declared_as or field.name), variant)
        for field in flat.fields
        if not (field.omitted_if_null and _is_set_to_null(given, field))
    )
    return with_fields(schema, flat, fields)


def _with_held_members(
    program: Program, schema: Schema, value: ByType | Instance, variant: str
) -> Schema:
    """A shape whose members hold what code has set them to, where that is nothing that their types
    say and nothing checks it. A member that a serializer makes something else of stays as it is."""
    types, holds = program.types, program.language.holds_what_is_set
    named = value.symbol if isinstance(value, Instance) else None
    if isinstance(value, ByType):
        named = program.names.declared_class(value.type, value.scope)
    flat = types.flat(schema)
    if holds is None or named is None or not isinstance(flat, Object) or not holds(program, named):
        return schema
    given = {one.name: one.value for one in value.assigned}
    fields = []
    for field in flat.fields:
        name = field.declared_as or field.name
        found = instance_member((named, *program.bases(named)), name) if name in given else None
        if found is not None and found[1].type is not None:
            declared = types.schema(found[1].type, program.class_scope(found[0]), variant)
            as_written = (
                _may_be(types, field.schema, declared),
                _may_be(types, declared, field.schema),
            )
            held = given[name]
            shape = types.schema_of(held, variant)
            if all(as_written) and not _may_be(types, shape, declared, is_null(held)):
                field = replace(field, schema=shape)
        fields.append(field)
    return with_fields(schema, flat, fields)


def _may_be(types: Typing, given: Schema, declared: Schema, is_null: bool = False) -> bool:
    """Whether a value of one shape may be one of another, as far as their kinds tell."""
    given, declared = types.flat(given), types.flat(declared)
    match given, declared:
        case Union(options=options), _:
            return any(_may_be(types, option, declared) for option in options)
        case _, Union(options=options):
            return any(_may_be(types, given, option, is_null) for option in options)
        case Nothing(), _:
            return not is_null or declared.nullable is not False
        case Scalar(), Scalar():
            numbers = ("integer", "number", "numeric")
            return given.type == declared.type or {given.type, declared.type} <= {*numbers}
        case Array(), Array():
            return _may_be(types, given.items, declared.items)
        case ((Scalar() | Array() | Object()), (Scalar() | Array() | Object())):
            return isinstance(given, Object) and isinstance(declared, Object)
        case _:
            return True


def _is_set_to_null(given: Mapping[str, AssignedMember], field: Field) -> bool:
    one = given.get(field.declared_as or field.name)
    return one is not None and is_null(one.value)


def _field_after_assignment(
    program: Program, field: Field, one: AssignedMember | None, variant: str
) -> Field:
    if one is None:
        return field
    types, value = program.types, one.value
    field = _as_given(program, field, value, one.undefined(), variant)
    field = _with_shape_of(program, field, value, variant)
    shape, given = types.flat(field.schema), types.flat(types.schema_of(value, variant))
    is_unchecked = program.language.declares_not_null_unchecked
    # Where null is left out with what is empty, none is written.
    is_written = field.required is True or not is_unchecked
    if shape.nullable is False and not field.omitted_if_null and is_written:
        if holds_written_null(value):
            return _with_null(field, shape, True)  # `x.name = null!`, whatever its type says
        if is_unchecked and _is_null_seen(program, value):
            return _with_null(field, shape, None)
    lets_null_pass = shape.nullable is not False or field.omitted_if_null
    if lets_null_pass and program.language.excludes_null is not None:
        return _with_null_of(program, field, value, given)
    if shape.nullable is False or given.nullable is True or isinstance(given, Nothing):
        return field
    if given.nullable is None or isinstance(given, Unknown):
        return _with_null(field, shape, None, given.null_reason or shape.null_reason)
    return without_null(types, field)


def _as_given(
    program: Program, field: Field, value: Value, undefined: bool | None, variant: str
) -> Field:
    """A field as the value is that it is given, where no type says what it is, or that it is there;
    `undefined` leaves it out."""
    types = program.types
    is_untyped = isinstance(types.flat(field.schema), Unknown)
    if not program.language.structural:
        shape = types.flat(field.schema)  # what else is unknown, a serializer may write
        is_open = isinstance(shape, Unknown) and shape.accepts_any
        given = types.schema_of(value, variant) if is_open else field.schema
        return field if isinstance(types.flat(given), Unknown) else replace(field, schema=given)
    options = value.options if isinstance(value, OneOf) else (value,)
    present = tuple(option for option in options if not is_undefined(option))
    if (field.required is True and not is_untyped) or not present:
        return field
    schema = types.schema_of(union_of(present), variant) if is_untyped else field.schema
    if is_untyped and isinstance(types.flat(schema), Unknown):
        return field
    return replace(field, schema=schema, required=is_always_there(value, undefined))


def _with_null_of(program: Program, field: Field, value: Value, given: Schema) -> Field:
    """A field whose type lets null pass, or says nothing of it, after it is set to a value of a
    shape. What is declared to take null counts as such unless the value is told to be none. Where
    nothing says that a value may be null, it is not taken to be, nor to be left out for it."""
    shape = program.types.flat(field.schema)
    null = _holds_null(program, value, given)
    if null is None:
        types_tell = program.language.annotated_null is None or isinstance(given, Unknown)
        is_open = (given.nullable is None and not given.null_reason) or not types_tell
        is_declared = shape.nullable is True or field.required is False
        if (is_declared and is_open) or not (is_declared or _is_null_seen(program, value)):
            return field
    if not field.omitted_if_null:
        return _with_null(field, shape, null, given.null_reason)
    if null is False:
        return without_null(program.types, field)
    if null is None and field.required is False:
        name = field.declared_as or field.name
        reason = given.null_reason or Reason("null-in-object", name=name)
        return replace(field, required=None, undetermined_reason=reason)
    return replace(field, required=None if null is None else False, omitted_if_null=False)


def _is_null_seen(program: Program, value: Value) -> bool:
    """Whether one of the ways to a value is seen to give null, or is known to."""
    library_null = program.language.library_null
    match value:
        case OneOf(options=options):
            return any(_is_null_seen(program, one) for one in options)
        case LibraryResult(name=name) if library_null is not None:
            return library_null(name) is True
        case ByType(null_returned=True, refinements=refinements):
            return not says_not_null(refinements)
        case _:
            return is_null(value)


def _holds_null(program: Program, value: Value, given: Schema) -> bool | None:
    """Whether a member whose type lets null pass holds null after it is set to a value of a shape,
    in a language whose types mostly do; None: undetermined."""
    excludes_null, library_null = program.language.excludes_null, program.language.library_null
    match value:
        case BySchema(schema=Nothing(nullable=None)):
            return None
        case _ if is_null(value):
            return True
        case OneOf(options=options):
            types = program.types
            each = [_holds_null(program, one, types.flat(types.schema_of(one))) for one in options]
            begun = [isinstance(one, Constant) and not one.is_chosen for one in options]
            if any(null and not is_begun for null, is_begun in zip(each, begun, strict=True)):
                return True
            return each[0] if len(set(each)) == 1 else None
        case Instance(site=New() | Call()):
            return False
        case _ if is_made_here(value):
            return False
        case ByType(type=type, scope=scope, refinements=refinements):
            if says_not_null(refinements) or (
                excludes_null and excludes_null(program, type, scope)
            ):
                return False
            return given.nullable or None
        case LibraryResult(name=name) | LibrarySymbol(name=name) if (
            library_null and library_null(name) is False
        ):
            return False
        case BySchema() | LibraryResult():  # of a library that never gives null
            return False if given.nullable is False and not isinstance(given, Unknown) else None
        case _:
            return None


def is_never_null(program: Program, value: Value) -> bool:
    """Whether code gives no null, in a language whose types mostly let null pass."""
    return _holds_null(program, value, program.types.flat(program.types.schema_of(value))) is False


def _with_shape_of(program: Program, field: Field, value: Value, variant: str) -> Field:
    """A field with what code tells of the object, or of the objects in the list, that it is given,
    or with the one constant that it is."""
    types = program.types
    if isinstance(types.flat(field.schema), Object | Array):
        schema = refined_schema(program, field.schema, program.evaluator.unwrap(value), variant)
        return field if schema is field.schema else replace(field, schema=schema)
    return with_values_of(types, field, value, variant)


def _given_field(
    program: Program, field: Field, value: Value, undefined: bool | None, variant: str
) -> Field:
    """A member as a construction gives it: without null where that cannot be, of which it is
    undetermined whether it is null where its type alone says that it is not, or nothing does."""
    types = program.types
    field = _as_given(program, field, value, undefined, variant)
    field = _with_shape_of(program, field, value, variant)
    shape, given = types.flat(field.schema), types.flat(types.schema_of(value, variant))
    says_nothing = shape.nullable is None and (is_null(value) or not shape.null_reason)
    is_told_beside = bool(shape.nullable) and program.language.annotated_null is not None
    is_open = says_nothing or is_told_beside or field.omitted_if_null
    if is_open and program.language.excludes_null is not None:
        return _with_null_of(program, field, value, given)
    if field.omitted_if_null and field.required is False:
        null = _holds_null(program, value, given)
        if null is None:
            reason = Reason("null-in-object", name=field.declared_as or field.name)
            return replace(field, required=None, undetermined_reason=reason)
        return field if null else without_null(types, field)
    trusts = program.language.trusts_null_of_types
    is_plain = isinstance(given, Scalar) and (given.type != "string" or bool(given.format))
    is_known = is_plain or (trusts and not isinstance(given, Unknown))
    is_tested = isinstance(value, ByType) and says_not_null(value.refinements)
    if is_made_here(value) or is_tested or (is_known and given.nullable is False):
        return without_null(types, field)
    if trusts or shape.nullable is not True or given.nullable is True or isinstance(given, Nothing):
        return field
    return _with_null(field, shape, None)


def schema_with_members(
    program: Program, schema: Schema, members: Mapping[str, Expr], scope: Scope, variant: str
) -> Schema:
    """A shape of which some members are known to hold no null, or constants of an enum, or are
    given what may be null or not: the shape itself where it says so anyway."""
    types = program.types
    flat = types.flat(schema) if members else schema
    if not isinstance(flat, Object):
        return schema
    fields = []
    for field in flat.fields:
        expr = members.get(field.declared_as or field.name)
        shape = field.schema if expr is None else types.flat(field.schema)
        is_choice = isinstance(shape, Scalar) and (
            bool(shape.values) or (shape.type in CHOSEN and _may_be_constant(expr))
        )
        may_lack = field.omitted_if_null or shape.nullable is not False
        may_be_absent = field.required is False and program.language.structural
        is_open = isinstance(shape, Unknown) or field.required is None or may_be_absent
        is_open = is_open or (isinstance(shape, Object) and _may_hold_null(program, shape))
        if expr is not None and (is_choice or may_lack or is_open or isinstance(shape, Array)):
            given = member_set_to(program, field.name, expr, scope)
            value = given.value
            if isinstance(shape, Array) and _is_empty(program, expr, value, scope):
                field = replace(field, schema=replace(shape, items=Nothing()))
            if field.omitted_if_null and is_null(value):
                continue
            field = _given_field(program, field, value, given.undefined(), variant)
        fields.append(field)
    return with_fields(schema, flat, fields)


def _may_hold_null(program: Program, shape: Object) -> bool:
    """Whether members of an object may be null by their types, in a language whose types let null
    pass: what is given may tell."""
    flat = program.types.flat
    return program.language.excludes_null is not None and any(
        field.omitted_if_null or flat(field.schema).nullable is True for field in shape.fields
    )


def _may_be_constant(expr: Expr | None) -> bool:
    """Whether an expression may give a constant without a call, which costs more to evaluate."""
    return isinstance(expr, LiteralExpr | Name | Attribute | Choice)


def _is_empty(program: Program, expr: Expr, value: Value, scope: Scope) -> bool:
    """Whether a list without an item is made right where it is given (`List.of()`), so that nothing
    can have been added to it."""
    if not isinstance(value, Items) or value.values or value.repeated:
        return False
    match expr:
        case ArrayLiteral(items=()):
            return True
        case Call(callee=Attribute(value=Name() as owner) | (Name() as owner), args=()):
            return isinstance(program.evaluate(owner, scope), LibrarySymbol)
        case _:
            return False
