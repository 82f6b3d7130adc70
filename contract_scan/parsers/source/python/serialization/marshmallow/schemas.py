"""marshmallow schemas: classes and the values made of them, hooks, selections, their kin."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from contract_scan.ir.origin import Origin
from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.ir.schema import (
    Array,
    Field,
    Nothing,
    Object,
    Reference,
    Scalar,
    Schema,
    Unknown,
    with_nullable,
)
from contract_scan.parsers.source.analysis.dataflow.reaching_definitions import possible_values
from contract_scan.parsers.source.analysis.domain.hooks import TypeUse
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    ByType,
    ClassSymbol,
    ClassValue,
    Constant,
    FunctionValue,
    Instance,
    LibraryResult,
    OneOf,
    Record,
    Scope,
    Unresolved,
    Value,
    is_null,
)
from contract_scan.parsers.source.facts.nodes import (
    Argument,
    Assign,
    Attribute,
    Call,
    Expr,
    Member,
    Name,
    New,
)
from contract_scan.parsers.source.python.serialization.constructions import without_unused_null
from contract_scan.parsers.source.python.serialization.fields import (
    argument_value,
    given_text,
    is_true,
    member_origin,
    of_unknown_library,
    positional,
    possible_field,
)
from contract_scan.parsers.source.python.serialization.kinds import LibraryBase, library_bases
from contract_scan.parsers.source.python.serialization.marshmallow.hooks import after_hooks
from contract_scan.parsers.source.python.serialization.marshmallow.shapes import (
    declared_field,
    made_field,
    of_own_class,
    of_record,
    selection_flags,
)
from contract_scan.parsers.source.python.serialization.modes import (
    DUMP,
    LOAD,
    PARTIAL,
    flags,
    is_selected,
    variant_of_flags,
)
from contract_scan.parsers.source.python.serialization.naming import Renamer, renamer
from contract_scan.parsers.source.python.serialization.queries import items_of
from contract_scan.parsers.source.python.serialization.rejections import (
    Check,
    method_of,
    object_check,
    value_check,
    with_rejections,
)
from contract_scan.parsers.source.python.serialization.sqlalchemy import (
    column_names,
    column_schema,
    relations,
)

_PACKAGES = ("marshmallow.", "flask_marshmallow", "marshmallow_", "apiflask.")
_DERIVED_SCHEMAS = {"xivo.mallow_helpers.Schema": True, "xivo.mallow_helpers.ListSchema": False}
"""Schemas of other libraries, and whether these have no fields of their own."""
_LEVELS = 3
"""How many objects are gone through from the one that is dumped."""
_AUTO_BASES = frozenset({"SQLAlchemyAutoSchema", "ModelSchema", "TableSchema", "SQLAlchemySchema"})


def is_schema(bases: tuple[LibraryBase, ...]) -> bool:
    """Whether library bases make a class a marshmallow schema."""
    return any(
        base.name in _DERIVED_SCHEMAS
        or (
            base.name.startswith(_PACKAGES)
            and base.simple_name in _AUTO_BASES | {"Schema", "SchemaOpts", "ModelSchema"}
        )
        for base in bases
    )


def _unseen_fields(bases: tuple[LibraryBase, ...]) -> Reason:
    """Why a schema may have further fields: it inherits from a class of a library that is no plain
    schema. Empty: it has none."""
    for base in bases:
        known = base.name.startswith(_PACKAGES) or _DERIVED_SCHEMAS.get(base.name, False)
        if not known and of_unknown_library(base.name, frozenset()):
            return Reason("fields-undetermined", base=base.simple_name)
    return NO_REASON


def _unseen_relations(program: Program, meta: dict[str, Value]) -> Reason:
    """Why a schema that includes the relations of its model may have further fields: other models
    may add relations to it by `backref`. Empty: it has none."""
    if is_true(meta.get("include_relationships")) and program.files_containing(b"backref"):
        model = meta.get("model")
        name = model.symbol.decl.name if isinstance(model, ClassValue) else "model"
        return Reason("fields-undetermined", base=name)
    return NO_REASON


def is_schema_value(program: Program, value: Value) -> bool:
    """Whether a value is a marshmallow schema: class, instance, or dict of fields."""
    match value:
        case ClassValue(symbol=symbol) | Instance(symbol=symbol):
            return is_schema(library_bases(program, symbol))
        case Record(entries=entries):
            return bool(entries) and all(isinstance(e.value, LibraryResult) for e in entries)
        case _:
            return False


# --------------------------------------------------------------------------- schema values


def dump_schema(program: Program, value: Value, many: bool | None = None) -> Schema:
    """The schema of what dumping with a schema value (class or instance) writes."""
    return _schema_of_use(program, value, DUMP, many)


def load_schema(
    program: Program, value: Value, many: bool | None = None, *, partial: bool = False
) -> Schema:
    """The schema of what loading with a schema value (class, instance or dict of fields)
    accepts; with `partial`, each field may be omitted."""
    return _schema_of_use(program, value, LOAD, many, partial=partial)


def loaded_schema(
    program: Program, value: Value, arguments: Sequence[Argument], scope: Scope
) -> Schema:
    """The schema of what `schema.load(data, many=…, partial=…)` accepts."""
    given = {argument.name: argument.value for argument in arguments}
    many, is_known = _many(program, given.get("many"), scope)
    if not is_known:
        return Unknown(reason=Reason("schema-used-undetermined"))
    partial = _loads_partly(program, given.get("partial"), scope)
    return load_schema(program, value, many, partial=partial)


def dumped_schema(
    program: Program, value: Value, arguments: Sequence[Argument], scope: Scope
) -> Schema:
    """The schema of what `schema.dump(data, many=…)` writes."""
    given = {argument.name: argument.value for argument in arguments}
    many, is_known = _many(program, given.get("many"), scope)
    if not is_known:
        return Unknown(reason=Reason("schema-used-undetermined"))
    return dump_schema(program, value, many)


def _many(program: Program, many: Expr | None, scope: Scope) -> tuple[bool | None, bool]:
    """What a call says of `many`, and whether that is known; None leaves it to the schema."""
    if many is None:
        return None, True
    value = program.evaluate(many, scope)
    if not isinstance(value, Constant):
        return None, False
    return (None if value.value is None else bool(value.value)), True


def _loads_partly(program: Program, partial: Expr | None, scope: Scope) -> bool:
    """Whether `schema.load(data, partial=…)` may take less than the schema asks for: what is not
    constant depends on the request."""
    if partial is None:
        return False
    value = program.evaluate(partial, scope)
    return not (isinstance(value, Constant) and not value.value)


def _schema_of_use(
    program: Program, value: Value, direction: str, many: bool | None, *, partial: bool = False
) -> Schema:
    wanted = [direction, *((PARTIAL,) if partial else ())]
    match value:
        case ClassValue(symbol=symbol):
            pass
        case Instance(symbol=symbol, site=site, scope=scope):
            if site is not None and scope is not None:
                made = LibraryResult("", site, scope)
                wanted += selection_flags(program, made)
                if argument_value(program, made, "partial") is not None:
                    wanted.append(PARTIAL)
                if many is None:
                    many = is_true(argument_value(program, made, "many"))
        case Record():
            return of_record(program, value, direction)
        case FunctionValue():
            applied = program.evaluator.apply(value, (), value.scope)
            if isinstance(applied, FunctionValue):
                return Unknown(reason=Reason("schema-made-by-function"))
            return _schema_of_use(program, applied, direction, many, partial=partial)
        case _:
            return Unknown(reason=Reason("schema-used-undetermined"))
    reference = program.types.reference(symbol, {}, variant_of_flags(*wanted), symbol.origin)
    if many:
        schema: Schema = Array(items=reference, origin=symbol.origin)
        return after_hooks(program, symbol, schema, direction, for_many=True)
    return after_hooks(program, symbol, reference, direction, for_many=True)


def has_dump_hooks(program: Program, value: Value) -> bool:
    """Whether a schema changes what it has dumped: it may leave nulls out."""
    symbol = value.symbol if isinstance(value, ClassValue | Instance) else None
    return symbol is not None and any(
        annotation.name.rpartition(".")[2] == "post_dump"
        for owner in (symbol, *program.bases(symbol))
        for method in owner.decl.methods
        for annotation in method.annotations
    )


def with_nulls_of(
    program: Program,
    written: Schema,
    value: Value,
    site: Call | New,
    scope: Scope,
    levels: int = _LEVELS,
) -> Schema:
    """What dumping an object writes, with the null of its attributes, and of those of the objects
    that it leads to: a field writes null wherever its attribute is null, whatever the field says of
    what it loads."""
    if isinstance(written, Array):
        held = program.evaluator.item(value)
        item = with_nulls_of(program, written.items, held, site, scope, levels)
        return written if item is written.items else replace(written, items=item)
    if isinstance(value, OneOf):  # of null, nothing is written
        there = [option for option in value.options if not is_null(option)]
        value = there[0] if len(there) == 1 else value
    if isinstance(value, LibraryResult):  # a relation
        value = items_of(program, value) or value
    shape = program.types.flat(written)
    if not isinstance(shape, Object) or not isinstance(value, Instance | ByType | Record):
        return written
    fields = tuple(_with_null(program, field, value, site, scope, levels) for field in shape.fields)
    unchanged = all(one is other for one, other in zip(fields, shape.fields, strict=True))
    return written if unchanged else replace(shape, fields=fields)


def _with_null(
    program: Program, field: Field, value: Value, site: Call | New, scope: Scope, levels: int
) -> Field:
    name = field.declared_as or field.name
    is_open = field.schema.null_reason == Reason("null-in-object", name=name)
    is_nested = levels > 0 and isinstance(field.schema, Reference | Array)
    if isinstance(field.schema, Array) and _is_left_empty(program, value, name):
        nothing = Nothing(nullable=False, origin=field.origin)
        return replace(field, schema=replace(field.schema, items=nothing))
    is_plain = isinstance(field.schema, Scalar) and field.schema.nullable is False
    if not (is_open or is_nested or is_plain):
        return field
    held = program.evaluator.attribute(
        value, name, scope, site.span, subscript=isinstance(value, Record)
    )
    null = program.schema_of(held)
    if isinstance(held, Unresolved):
        return field
    if is_nested:
        inner = with_nulls_of(program, field.schema, held, site, scope, levels - 1)
        if inner is not field.schema:
            field = replace(field, schema=inner)
        if not is_open or isinstance(value, Record):  # `dump(it.owner) if it.owner else None`
            return field
    if not (null.nullable or null.null_reason):
        is_known = is_open and not program.types.is_unknown(null)
        return replace(field, schema=with_nullable(field.schema, False)) if is_known else field
    is_made_here = isinstance(value, Record) or (isinstance(value, Instance) and value.site)
    is_null = null.nullable if is_made_here or is_open else None
    reason = null.null_reason or Reason("null-in-object", name=name)
    nullable = replace(field.schema, nullable=is_null, null_reason=NO_REASON if is_null else reason)
    return replace(field, schema=nullable)


def _is_left_empty(program: Program, value: Value, name: str) -> bool:
    """Whether code has just made an object of a model without this list of others: these refer to
    it once they are stored themselves."""
    if not isinstance(value, Instance) or value.site is None:
        return False
    given = {argument.name for argument in value.site.args}
    given |= {member.name for member in value.assigned}
    return name not in given and any(
        member.name == name for _, member in relations(program, value.symbol)
    )


def as_made(program: Program, value: Value, expr: Expr | None, scope: Scope) -> Value:
    """The object that a call makes and gives, where it is declared to give one of the class:
    `pond = ponds.create(data)`; the value itself, where it may give another one."""
    while isinstance(expr, Name) and len(values := possible_values(expr, scope)) == 1:
        (expr,) = values
    call = program.evaluator.function_called(expr, scope) if isinstance(expr, Call) else None
    if not isinstance(value, ByType) or call is None:
        return value
    exits = [exit for exit in program.function_exits(call) if not exit.thrown]
    made = [program.evaluate(exit.value, exit.scope) for exit in exits if exit.value]
    found = [one for one in made if isinstance(one, Instance) and one.site is not None]
    return found[0] if found and len(found) == len(exits) else value


# --------------------------------------------------------------------------- classes


def schema(use: TypeUse, symbol: ClassSymbol) -> Schema:
    """The shape of objects of one schema class, in the direction that is asked for."""
    program = use.program
    meta = _meta(program, symbol)
    rename = _binding_rename(program, symbol)
    if rename is not None and rename("some_name") is None:
        return Unknown(
            reason=Reason("field-renaming-unreadable", type=symbol.decl.name),
            origin=symbol.origin,
        )
    excluded = _names(program, meta, "exclude")
    loads = LOAD in flags(use.variant)
    fields = {
        name: _checked_field(use, symbol, name, field) if loads else field
        for name, field in _fields(use, symbol, meta, rename)
        if is_selected(use.variant, name) and name not in excluded
    }
    shape: Schema = Object(
        fields=tuple(_directed_fields(program, fields, meta, use.variant)),
        incomplete_reason=_unseen_fields(library_bases(program, symbol))
        or _unseen_relations(program, meta),
        name=symbol.decl.name,
        origin=symbol.origin,
    )
    direction = DUMP if DUMP in flags(use.variant) else LOAD if LOAD in flags(use.variant) else ""
    if not direction:
        return shape
    return after_hooks(program, symbol, shape, direction, for_many=False)


def _directed_fields(
    program: Program, fields: dict[str, Field], meta: dict[str, Value], wanted: str
) -> Iterator[Field]:
    """The fields that the direction has, with the direction that `Meta` sets for them."""
    dump_only, load_only = (_names(program, meta, name) for name in ("dump_only", "load_only"))
    for name, field in fields.items():
        read_only = field.read_only or name in dump_only
        write_only = field.write_only or name in load_only
        if (read_only and LOAD in flags(wanted)) or (write_only and DUMP in flags(wanted)):
            continue
        has_default = field.has_default or PARTIAL in flags(wanted)
        yield replace(field, read_only=read_only, write_only=write_only, has_default=has_default)


def _checked_field(use: TypeUse, symbol: ClassSymbol, name: str, field: Field) -> Field:
    """A field as input may have it where methods refuse input without it, or its null:
    `@validates_schema`, and `@validates("name")`, which runs for what input has.
    https://marshmallow.readthedocs.io/en/stable/quickstart.html#field-validators-as-methods"""
    program = use.program
    attribute: str = name
    default: Value | None = None
    checks: list[Check] = []
    seen: set[str] = set()
    chain = use.chain(symbol)
    for owner, scope in reversed(chain):
        for member in owner.decl.members:
            made = None
            if member.name == name and member.value is not None:
                made = made_field(program, program.evaluate(member.value, scope))
            if made is not None:
                attribute = given_text(program, made, "attribute") or name
                default = argument_value(program, made, "load_default")
                default = default or argument_value(program, made, "missing")
    for owner, scope in chain:
        for method in owner.decl.methods:
            if method.name in seen or not method.params:
                continue
            seen.add(method.name)
            check = method_of(program, owner, method)
            given = method.params[0].name
            for decorator in method.annotations:
                kind = decorator.name.rpartition(".")[2]
                fields = {program.text(a.value, scope) for a in decorator.args if not a.name}
                if kind == "validates_schema":
                    checks.append(object_check(check, given, {attribute}, default))
                elif kind == "validates" and name in fields:
                    checks.append(value_check(program, check, 0, None))
    return with_rejections(program, field, checks)


def _fields(
    use: TypeUse, symbol: ClassSymbol, meta: dict[str, Value], rename: Renamer | None
) -> Iterator[tuple[str, Field]]:
    program = use.program
    model = meta.get("model")
    columns = model.symbol if isinstance(model, ClassValue) else None
    bases = library_bases(program, symbol)
    declared: set[str] = set()
    chain = use.chain(symbol)
    own: list[tuple[str, Field]] = []
    for owner, scope in reversed(chain):
        for member in owner.decl.members:
            if member.value is None or "constructor" in member.modifiers:
                continue
            given_value = program.evaluate(member.value, scope)
            value = made_field(program, given_value)
            if value is None and isinstance(given_value, Unresolved):
                declared.add(member.name)
                own.append((member.name, possible_field(member.name, member_origin(owner, member))))
            if value is None:
                continue
            found = declared_field(
                program,
                member.name,
                value,
                member_origin(owner, member),
                use.variant,
                symbol,
                rename,
            )
            if isinstance(given_value, Instance):
                found = [of_own_class(program, f, given_value, use.variant) for f in found]
            if columns is not None and value.name.endswith("auto_field"):
                found = [_auto_field(use, columns, value, member, member_origin(owner, member))]
            if found:
                declared.add(member.name)
                own.extend((member.name, field) for field in found)
    auto = any(base.simple_name in ("SQLAlchemyAutoSchema", "ModelSchema") for base in bases)
    listed = [name for name in _names(program, meta, "fields", "additional") if name]
    if columns is not None and auto:
        keys = is_true(meta.get("include_fk"))
        held = tuple(column_names(program, columns, foreign_keys=keys))
        for name in held:
            if name not in declared and (not listed or name in listed):
                yield name, _column_field(use, columns, name)
        related = _related_names(program, columns, meta) - declared
        for name in sorted(related):
            if not listed or name in listed:
                yield name, _listed_field(use, None, name, symbol)
        for name in listed:
            if name not in declared and name not in held and name not in related:
                yield name, _inferred_field(use, columns, name, symbol)
    elif listed:
        for name in listed:
            if name not in declared:
                yield name, _listed_field(use, columns, name, symbol)
    wanted = _names(program, meta, "fields")
    for name, field in own:
        if not wanted or name in wanted:
            yield name, field


def _related_names(program: Program, model: ClassSymbol, meta: dict[str, Value]) -> set[str]:
    """The relations of a model that a schema has fields for: `include_relationships = True`.
    https://marshmallow-sqlalchemy.readthedocs.io/en/latest/api_reference.html#marshmallow_sqlalchemy.SQLAlchemySchemaOpts"""
    if not is_true(meta.get("include_relationships")):
        return set()
    return {member.name for _, member in relations(program, model)}


def _auto_field(
    use: TypeUse, columns: ClassSymbol, made: LibraryResult, member: Member, origin: Origin
) -> Field:
    program, first = use.program, positional(made)
    name = program.text(first, made.scope) if first is not None else None
    field = _column_field(use, columns, name or member.name)
    return replace(
        field,
        name=given_text(program, made, "data_key") or member.name,
        read_only=is_true(argument_value(program, made, "dump_only")),
        write_only=is_true(argument_value(program, made, "load_only")),
        origin=origin,
    )


def _column_field(use: TypeUse, columns: ClassSymbol, name: str) -> Field:
    shape, origin, has_default = column_schema(use.program, columns, name)
    field = Field(name=name, schema=shape, has_default=has_default, origin=origin)
    if DUMP not in flags(use.variant):
        return field
    return without_unused_null(use.program, columns, name, field, is_seen=True)


def _listed_field(
    use: TypeUse, columns: ClassSymbol | None, name: str, symbol: ClassSymbol
) -> Field:
    if columns is not None:
        return _column_field(use, columns, name)
    reason = Reason("type-taken-from-object", name=name)
    return Field(
        name=name,
        schema=Unknown(reason=reason, nullable=None, origin=symbol.origin),
        has_default=True,
        origin=symbol.origin,
    )


def _inferred_field(use: TypeUse, columns: ClassSymbol, name: str, symbol: ClassSymbol) -> Field:
    """A name that is listed beside the columns of a model: `fields.Inferred`, which writes what the
    object has under that name by its value, such as a property."""
    program, field = use.program, _listed_field(use, None, name, symbol)
    scope = program.class_scope(symbol)
    held = program.evaluator.attribute(Instance(columns), name, scope, symbol.decl.name_span)
    shape = program.types.flat(program.schema_of(held))
    return replace(field, schema=shape) if isinstance(shape, Scalar) else field


def _meta(program: Program, symbol: ClassSymbol) -> dict[str, Value]:
    """The options of `class Meta`, those of nearer classes over those of farther ones."""
    merged: dict[str, Value] = {}
    for owner in reversed([symbol, *program.bases(symbol)]):
        for nested in owner.decl.classes:
            if nested.name != "Meta":
                continue
            inner = ClassSymbol(nested, owner.file, (*owner.outer, owner.decl.name))
            for part in reversed([inner, *program.bases(inner)]):
                scope = program.class_scope(part)
                for member in part.decl.members:
                    if member.value is not None:
                        merged[member.name] = program.evaluate(member.value, scope)
    return merged


def _names(program: Program, meta: dict[str, Value], *options: str) -> list[str]:
    """The strings of options that list fields."""
    return [
        text or ""
        for option in options
        if option in meta
        for text in program.evaluator.texts(meta[option])
    ]


def _binding_rename(program: Program, symbol: ClassSymbol) -> Renamer | None:
    """The renaming that `on_bind_field` does by setting `data_key`."""
    method = program.find_method(symbol, "on_bind_field")
    if method is None or not method.function.params:
        return None
    scope = program.function_scope(method.function, method.scope)
    for statement in scope.statements or ():
        if not isinstance(statement, Assign) or not isinstance(statement.target, Attribute):
            continue
        if statement.target.name == "data_key" and isinstance(statement.value, Call):
            return renamer(program, program.evaluate(statement.value.callee, scope)) or _nameless
    return None


def _nameless(name: str) -> str | None:
    del name
    return None
