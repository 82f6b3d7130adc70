"""marshmallow schemas: fields, hooks that wrap or unwrap, selections, Flask's and webargs' kin."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from msgspec.structs import replace

from contract_scan.ir.origin import Origin
from contract_scan.ir.schema import (
    Array,
    Field,
    LiteralValue,
    Object,
    Scalar,
    ScalarType,
    Schema,
    Unknown,
    with_nullable,
)
from contract_scan.parsers.source.facts import (
    Assign,
    Attribute,
    Call,
    Expr,
    Member,
    NamedType,
)
from contract_scan.parsers.source.link.type_use import TypeUse
from contract_scan.parsers.source.link.values import (
    ClassSymbol,
    ClassValue,
    Constant,
    External,
    FunctionValue,
    Instance,
    Items,
    Made,
    Record,
    Scope,
    Value,
)
from contract_scan.parsers.source.python.models.fields import (
    call_arguments,
    given,
    given_text,
    is_null,
    is_true,
    place,
    positional,
)
from contract_scan.parsers.source.python.models.kinds import LibraryBase, library_bases
from contract_scan.parsers.source.python.models.marshmallow_fields import made_field, of_own_class
from contract_scan.parsers.source.python.models.marshmallow_hooks import wrapped
from contract_scan.parsers.source.python.models.naming import Renamer, renamer
from contract_scan.parsers.source.python.models.sqlalchemy import column_names, column_schema
from contract_scan.parsers.source.python.models.variants import (
    DUMP,
    LOAD,
    PARTIAL,
    flags,
    inside,
    is_selected,
    only,
    variant,
    without,
)

if TYPE_CHECKING:
    from contract_scan.parsers.source.link.program import Program

_SCALARS: dict[str, tuple[ScalarType, str]] = {
    **dict.fromkeys(("String", "Str", "IPInterface"), ("string", "")),
    **dict.fromkeys(("Integer", "Int", "TimeDelta"), ("integer", "")),
    **dict.fromkeys(("Float", "Number"), ("number", "")),
    **dict.fromkeys(("Boolean", "Bool"), ("boolean", "")),
    **dict.fromkeys(
        ("DateTime", "LocalDateTime", "AwareDateTime", "NaiveDateTime"), ("string", "date-time")
    ),
    "Date": ("string", "date"),
    "Time": ("string", "time"),
    "Decimal": ("string", "decimal"),
    "UUID": ("string", "uuid"),
    "Email": ("string", "email"),
    "IP": ("string", ""),
    "IPv4": ("string", "ipv4"),
    "IPv6": ("string", "ipv6"),
    **dict.fromkeys(("Url", "URL"), ("string", "uri")),
    **dict.fromkeys(("URLFor", "UrlFor", "AbsoluteURLFor", "AbsoluteUrlFor"), ("string", "")),
    **dict.fromkeys(("Upload", "File"), ("string", "binary")),
}
"""Field classes that stand for a scalar."""
_AUTO_BASES = frozenset({"SQLAlchemyAutoSchema", "ModelSchema", "TableSchema", "SQLAlchemySchema"})


def is_schema(bases: tuple[LibraryBase, ...]) -> bool:
    """Whether library bases make a class a marshmallow schema."""
    return any(
        base.name.startswith(("marshmallow.", "flask_marshmallow", "marshmallow_", "apiflask."))
        and base.simple_name in _AUTO_BASES | {"Schema", "SchemaOpts", "ModelSchema"}
        for base in bases
    )


def is_schema_value(program: Program, value: Value) -> bool:
    """Whether a value is a marshmallow schema: class, instance, or dict of fields."""
    match value:
        case ClassValue(symbol=symbol) | Instance(symbol=symbol):
            return is_schema(library_bases(program, symbol))
        case Record(entries=entries):
            return bool(entries) and all(isinstance(e.value, Made) for e in entries)
        case _:
            return False


# --------------------------------------------------------------------------- schema values


def sent(program: Program, value: Value, many: bool | None = None) -> Schema:
    """What dumping with a schema value (class or instance) gives."""
    return _used(program, value, DUMP, many)


def accepted(
    program: Program, value: Value, many: bool | None = None, *, partial: bool = False
) -> Schema:
    """What loading with a schema value (class, instance or dict of fields) takes; with `partial`,
    each field may be left out."""
    return _used(program, value, LOAD, many, partial=partial)


def loads_partly(program: Program, partial: Expr | None, scope: Scope) -> bool:
    """Whether `schema.load(data, partial=…)` may take less than the schema asks for: what is not
    constant depends on the request."""
    if partial is None:
        return False
    value = program.evaluate(partial, scope)
    return not (isinstance(value, Constant) and not value.value)


def _used(
    program: Program, value: Value, direction: str, many: bool | None, *, partial: bool = False
) -> Schema:
    wanted = [direction, *((PARTIAL,) if partial else ())]
    match value:
        case ClassValue(symbol=symbol):
            pass
        case Instance(symbol=symbol, site=site, scope=scope):
            if site is not None and scope is not None:
                made = Made("", site, scope)
                wanted += _selected(program, made)
                if given(program, made, "partial") is not None:
                    wanted.append(PARTIAL)
                if many is None:
                    many = is_true(given(program, made, "many"))
        case Record():
            return _of_record(program, value, direction)
        case FunctionValue():
            applied = program.evaluator.apply(value, (), value.scope)
            if isinstance(applied, FunctionValue):
                return Unknown(reason="the schema is made by a function")
            return _used(program, applied, direction, many, partial=partial)
        case _:
            return Unknown(reason="the schema that is used here cannot be told")
    reference = program.types.reference(symbol, {}, variant(*wanted), symbol.origin)
    if many:
        schema: Schema = Array(items=reference, origin=symbol.origin)
        return wrapped(program, symbol, schema, direction, for_many=True)
    return wrapped(program, symbol, reference, direction, for_many=True)


def _selected(program: Program, made: Made) -> list[str]:
    """Flags for `only=` and `exclude=` of a schema or nested field."""
    found: list[str] = []
    for name, flag in (("only", only), ("exclude", without)):
        expr = call_arguments(made).get(name)
        if expr is not None:
            texts = program.texts(expr, made.scope)
            found += flag(frozenset(text for text in texts if text is not None))
    return found


def _of_record(program: Program, record: Record, direction: str) -> Schema:
    """A dict of fields, as webargs takes it."""
    fields = [
        field
        for entry in record.entries
        if isinstance(entry.value, Made)
        for field in _field(program, entry.name, entry.value, entry.origin, direction, None, None)
    ]
    return Object(fields=tuple(fields), origin=record.origin or Origin(""))


# --------------------------------------------------------------------------- classes


def schema(use: TypeUse, symbol: ClassSymbol) -> Schema:
    """The shape of objects of one schema class, in the direction that is asked for."""
    program = use.program
    meta = _meta(program, symbol)
    rename = _binding_rename(program, symbol)
    if rename is not None and rename("some_name") is None:
        return Unknown(
            reason=f"`{symbol.decl.name}` renames its fields in a way that cannot be read",
            origin=symbol.origin,
        )
    excluded = _names(program, meta, "exclude")
    fields = {
        name: field
        for name, field in _fields(use, symbol, meta, rename)
        if is_selected(use.variant, name) and name not in excluded
    }
    shape: Schema = Object(
        fields=tuple(_marked(program, fields, meta, use.variant)),
        name=symbol.decl.name,
        origin=symbol.origin,
    )
    direction = DUMP if DUMP in flags(use.variant) else LOAD if LOAD in flags(use.variant) else ""
    if not direction:
        return shape
    return wrapped(program, symbol, shape, direction, for_many=False)


def _marked(
    program: Program, fields: dict[str, Field], meta: dict[str, Value], wanted: str
) -> Iterator[Field]:
    """Fields that the direction has, with what `Meta` says of direction."""
    dump_only, load_only = (_names(program, meta, name) for name in ("dump_only", "load_only"))
    for name, field in fields.items():
        read_only = field.read_only or name in dump_only
        write_only = field.write_only or name in load_only
        if (read_only and LOAD in flags(wanted)) or (write_only and DUMP in flags(wanted)):
            continue
        has_default = field.has_default or PARTIAL in flags(wanted)
        yield replace(field, read_only=read_only, write_only=write_only, has_default=has_default)


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
            if value is None:
                continue
            found = _field(
                program, member.name, value, place(owner, member), use.variant, symbol, rename
            )
            if isinstance(given_value, Instance):
                found = [of_own_class(program, f, given_value, use.variant) for f in found]
            if columns is not None and value.name.endswith("auto_field"):
                found = [_auto_field(program, columns, value, member, place(owner, member))]
            if found:
                declared.add(member.name)
                own.extend((member.name, field) for field in found)
    auto = any(base.simple_name in ("SQLAlchemyAutoSchema", "ModelSchema") for base in bases)
    listed = [name for name in _names(program, meta, "fields", "additional") if name]
    if columns is not None and auto:
        keys = is_true(meta.get("include_fk"))
        for name in column_names(program, columns, foreign_keys=keys):
            if name not in declared and (not listed or name in listed):
                yield name, _column_field(program, columns, name)
    elif listed:
        for name in listed:
            if name not in declared:
                yield name, _listed_field(program, columns, name, symbol)
    wanted = _names(program, meta, "fields")
    for name, field in own:
        if not wanted or name in wanted:
            yield name, field


def _auto_field(
    program: Program, columns: ClassSymbol, made: Made, member: Member, origin: Origin
) -> Field:
    first = positional(made)
    name = program.text(first, made.scope) if first is not None else None
    field = _column_field(program, columns, name or member.name)
    return replace(
        field,
        name=given_text(program, made, "data_key") or member.name,
        read_only=is_true(given(program, made, "dump_only")),
        write_only=is_true(given(program, made, "load_only")),
        origin=origin,
    )


def _column_field(program: Program, columns: ClassSymbol, name: str) -> Field:
    shape, origin, has_default = column_schema(program, columns, name)
    return Field(name=name, schema=shape, has_default=has_default, origin=origin)


def _listed_field(
    program: Program, columns: ClassSymbol | None, name: str, symbol: ClassSymbol
) -> Field:
    if columns is not None:
        return _column_field(program, columns, name)
    reason = f"the type of `{name}` is taken from the object"
    return Field(
        name=name,
        schema=Unknown(reason=reason, nullable=None, origin=symbol.origin),
        has_default=True,
        origin=symbol.origin,
    )


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


# --------------------------------------------------------------------------- fields


def _field(
    program: Program,
    name: str,
    made: Made,
    origin: Origin,
    wanted: str,
    symbol: ClassSymbol | None,
    rename: Renamer | None,
) -> list[Field]:
    """The field that `fields.X(…)` declares; none where it is something else."""
    kind = field_kind(program, made)
    if not kind:
        return []
    shape = _shape(program, name, kind, made, origin, wanted, symbol)
    arguments = call_arguments(made)
    default = given(program, made, "load_default") or given(program, made, "missing")
    if is_true(given(program, made, "allow_none")) or is_null(default):
        shape = with_nullable(shape, True)
    key = given_text(program, made, "data_key")
    if LOAD in flags(wanted):
        key = key or given_text(program, made, "load_from")
    else:
        key = key or given_text(program, made, "dump_to")
    wire = key or name
    if rename is not None:
        wire = rename(wire) or wire
    return [
        Field(
            name=wire,
            schema=shape,
            has_default=not is_true(given(program, made, "required")) or default is not None,
            read_only=is_true(given(program, made, "dump_only"))
            or (kind in ("Method", "Function") and "deserialize" not in arguments),
            write_only=is_true(given(program, made, "load_only")),
            declared_as=name if wire != name else "",
            origin=origin,
        )
    ]


def field_kind(program: Program, made: Made) -> str:
    """The class of a field (`Str`), empty where the call makes no field."""
    package, _, last = made.name.rpartition(".")
    root = package.partition(".")[0]
    if root in ("marshmallow", "webargs", "flask_marshmallow", "apiflask", "flask_smorest"):
        return last if last[:1].isupper() or last == "auto_field" else ""
    if root in ("marshmallow_sqlalchemy", "marshmallow_enum", "marshmallow_oneofschema"):
        return last
    return ""


def _shape(
    program: Program,
    name: str,
    kind: str,
    made: Made,
    origin: Origin,
    wanted: str,
    symbol: ClassSymbol | None,
) -> Schema:
    known = _SCALARS.get(kind)
    if known is not None:
        if kind == "DateTime" and (given_text(program, made, "format") or "").startswith("time"):
            return Scalar(type="number", origin=origin)
        values = _choices(program, made)
        return Scalar(type=known[0], format=known[1], values=values, origin=origin)
    first = positional(made) or call_arguments(made).get("cls_or_instance")
    match kind:
        case "List":
            inner = program.evaluate(first, made.scope) if first is not None else None
            return Array(items=_inner(program, name, inner, origin, wanted, symbol), origin=origin)
        case "Nested":
            return _nested(program, name, made, origin, wanted, symbol)
        case "Pluck":
            return _plucked(program, name, made, origin, wanted, symbol)
        case "Dict" | "Mapping":
            values_expr = call_arguments(made).get("values")
            inner = program.evaluate(values_expr, made.scope) if values_expr is not None else None
            additional = _inner(program, name, inner, origin, wanted, symbol)
            return Object(additional=additional, origin=origin)
        case "Enum" | "EnumField":
            return _enumeration(program, made, origin)
        case "Constant" if first is not None:
            return program.infer(first, made.scope)
        case "Method" if first is not None and symbol is not None:
            method = program.find_method(symbol, program.text(first, made.scope) or "")
            if method is not None:
                result = program.evaluator.apply(method, (), made.scope)
                return program.schema_of(result)
        case "Function":
            function = first if first is not None else call_arguments(made).get("serialize")
            if function is not None:
                value = program.evaluate(function, made.scope)
                return program.schema_of(program.evaluator.apply(value, (), made.scope))
        case "Hyperlinks":
            return Object(additional=Scalar(type="string"), origin=origin)
        case _:
            pass
    reason = f"a field of class `{kind}` may be anything"
    return Unknown(reason=reason, nullable=None, origin=origin)


def _inner(
    program: Program,
    name: str,
    value: Value | None,
    origin: Origin,
    wanted: str,
    symbol: ClassSymbol | None,
) -> Schema:
    """The shape of items: a field class (`fields.Str`) or a field."""
    made = made_field(program, value)
    if made is not None:
        found = _field(program, name, made, origin, wanted, symbol, None)
        if found and isinstance(value, Instance):
            return of_own_class(program, found[0], value, wanted).schema
        if found:
            return found[0].schema
    match value:
        case External(name=field):
            known = _SCALARS.get(field.rpartition(".")[2])
            if known is not None:
                return Scalar(type=known[0], format=known[1], origin=origin)
        case _:
            pass
    return Unknown(reason=f"the items of `{name}` cannot be told", nullable=None, origin=origin)


def _choices(program: Program, made: Made) -> tuple[LiteralValue, ...] | None:
    """The constants of `validate=OneOf([…])`."""
    value = given(program, made, "validate")
    for option in value.values if isinstance(value, Items) else (value,):
        if not isinstance(option, Made) or not option.name.endswith("OneOf"):
            continue
        expr = positional(option) or call_arguments(option).get("choices")
        choices = program.evaluate(expr, option.scope) if expr is not None else None
        if isinstance(choices, Items) and not choices.repeated:
            constants = [item.value for item in choices.values if isinstance(item, Constant)]
            if len(constants) == len(choices.values):
                return tuple(constants)
    return None


def _enumeration(program: Program, made: Made, origin: Origin) -> Schema:
    """`fields.Enum(Color)` is written by name, by value where that is asked for."""
    first = positional(made)
    value = program.evaluate(first, made.scope) if first is not None else None
    if isinstance(value, ClassValue):
        if given(program, made, "by_value") is not None:
            scope = program.class_scope(value.symbol)
            return program.schema(NamedType(value.symbol.decl.name), scope)
        names = tuple(
            member.name
            for owner in (value.symbol, *program.bases(value.symbol))
            for member in owner.decl.members
            if member.value is not None and not member.name.startswith("_")
        )
        return Scalar(type="string", values=names, origin=origin)
    return Scalar(type="string", origin=origin)


def _nested(
    program: Program,
    name: str,
    made: Made,
    origin: Origin,
    wanted: str,
    symbol: ClassSymbol | None,
) -> Schema:
    """`fields.Nested(X)`: by class, instance, name, `"self"` or a function that makes one."""
    expr = positional(made) or call_arguments(made).get("nested")
    many = is_true(given(program, made, "many"))
    handed = [flag for flag in inside(wanted, name) if flag != PARTIAL]
    extra = _selected(program, made)
    value = program.evaluate(expr, made.scope) if expr is not None else None
    if isinstance(value, FunctionValue):
        value = program.evaluator.apply(value, (), made.scope)
    if isinstance(value, Constant) and isinstance(value.value, str):
        target = symbol if value.value == "self" else _named(program, value.value)
        value = ClassValue(target) if target is not None else None
    if isinstance(value, Instance) and value.site is not None and value.scope is not None:
        inner = Made("", value.site, value.scope)
        extra += _selected(program, inner)
        many = many or is_true(given(program, inner, "many"))
    if any(flag[0] == "+" for flag in handed):
        extra = [flag for flag in extra if flag[0] != "+"]  # the outer choice is a narrower one
    if isinstance(value, Instance | ClassValue):
        nested = program.types.reference(value.symbol, {}, variant(*handed, *extra), origin)
        shape: Schema = Array(items=nested, origin=origin) if many else nested
        direction = DUMP if DUMP in flags(wanted) else LOAD if LOAD in flags(wanted) else ""
        return wrapped(program, value.symbol, shape, direction, for_many=True)
    if isinstance(value, Record):
        shape = _of_record(program, value, wanted)
        return Array(items=shape, origin=origin) if many else shape
    return Unknown(reason=f"the schema nested in `{name}` cannot be told", origin=origin)


def _named(program: Program, name: str) -> ClassSymbol | None:
    """The one schema class of that name."""
    last = name.rpartition(".")[2]
    found = [
        symbol
        for path in program.defining(last)
        for symbol in program.classes(program.facts(path))
        if symbol.decl.name == last
    ]
    return found[0] if len(found) == 1 else None


def _plucked(
    program: Program,
    name: str,
    made: Made,
    origin: Origin,
    wanted: str,
    symbol: ClassSymbol | None,
) -> Schema:
    nested = program.types.flat(_nested(program, name, made, origin, wanted, symbol))
    items = program.types.flat(nested.items) if isinstance(nested, Array) else nested
    key = positional(made, 1) or call_arguments(made).get("field_name")
    field_name = program.text(key, made.scope) if key is not None else None
    for field in items.fields if isinstance(items, Object) else ():
        if field_name in (field.name, field.declared_as):
            plucked = field.schema
            return Array(items=plucked, origin=origin) if isinstance(nested, Array) else plucked
    return Unknown(reason=f"the field that `{name}` plucks cannot be told", origin=origin)
