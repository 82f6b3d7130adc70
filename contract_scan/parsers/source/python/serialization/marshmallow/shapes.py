"""What the fields of marshmallow schemas hold: scalars, lists, nested schemas, dicts of fields."""

from __future__ import annotations

from msgspec.structs import replace

from contract_scan.ir.origin import Origin
from contract_scan.ir.reasons import NO_REASON, Reason
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
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    ClassSymbol,
    ClassValue,
    Constant,
    FunctionValue,
    Instance,
    Items,
    LibraryResult,
    LibrarySymbol,
    Record,
    Value,
)
from contract_scan.parsers.source.facts.nodes import (
    NamedType,
)
from contract_scan.parsers.source.python.serialization.fields import (
    argument_value,
    call_arguments,
    given_text,
    is_null,
    is_true,
    of_unknown_library,
    positional,
)
from contract_scan.parsers.source.python.serialization.kinds import library_bases
from contract_scan.parsers.source.python.serialization.marshmallow.hooks import after_hooks
from contract_scan.parsers.source.python.serialization.modes import (
    DUMP,
    LOAD,
    PARTIAL,
    flags,
    flags_inside,
    flags_without_fields,
    only_flags,
    variant_of_flags,
)
from contract_scan.parsers.source.python.serialization.naming import Renamer

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
_LIBRARIES = frozenset({"marshmallow", "webargs", "flask_marshmallow", "apiflask", "flask_smorest"})
_EXTENSIONS = frozenset({"marshmallow_sqlalchemy", "marshmallow_enum", "marshmallow_oneofschema"})
_VALIDATORS = (".validate", ".validators")
_DERIVED = frozenset({"xivo.mallow.fields"})
"""Modules of other libraries that derive marshmallow's field classes under their names, to change
what errors say."""


def declared_field(
    program: Program,
    name: str,
    made: LibraryResult,
    origin: Origin,
    wanted: str,
    symbol: ClassSymbol | None,
    rename: Renamer | None,
) -> list[Field]:
    """The field that `fields.X(…)` declares, or may declare; none where it is something else."""
    kind = _field_kind(made.name)
    if not kind and not of_unknown_library(made.name, _LIBRARIES | _EXTENSIONS):
        return []
    is_unknown = Reason("field-class-undetermined", name=name) if not kind else NO_REASON
    shape: Schema = (
        _shape(program, name, kind, made, origin, wanted, symbol)
        if kind
        else Unknown(reason=is_unknown, nullable=None, origin=origin)
    )
    if isinstance(shape, Scalar) and is_true(argument_value(program, made, "as_string")):
        is_number = shape.type in ("integer", "number")
        if is_number and LOAD not in flags(wanted):
            shape = Scalar(type="string", origin=origin)
    arguments = call_arguments(made)
    default = argument_value(program, made, "load_default") or argument_value(
        program, made, "missing"
    )
    if is_true(argument_value(program, made, "allow_none")) or is_null(default):
        shape = with_nullable(shape, True)
        if DUMP in flags(wanted):  # it says what is loaded; what is dumped is what the object holds
            why = Reason("null-in-object", name=name)
            shape = replace(shape, nullable=None, null_reason=why)
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
            required=True if kind else None,
            undetermined_reason=is_unknown,
            has_default=not is_true(argument_value(program, made, "required"))
            or default is not None,
            read_only=is_true(argument_value(program, made, "dump_only"))
            or (kind in ("Method", "Function") and "deserialize" not in arguments),
            write_only=is_true(argument_value(program, made, "load_only")),
            declared_as=name if wire != name else "",
            origin=origin,
        )
    ]


def _field_kind(called: str) -> str:
    """The class of a field (`Str`), empty where the call makes none, or nothing says so."""
    package, _, last = called.rpartition(".")
    root = package.partition(".")[0]
    if package.endswith(_VALIDATORS):
        return ""
    if root in _LIBRARIES or package in _DERIVED:
        return last if last[:1].isupper() or last == "auto_field" else ""
    if root in _EXTENSIONS:
        return last
    return ""


def _shape(
    program: Program,
    name: str,
    kind: str,
    made: LibraryResult,
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
            return _nested_schema(program, name, made, origin, wanted, symbol)
        case "Pluck":
            return _plucked_schema(program, name, made, origin, wanted, symbol)
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
                result = program.evaluator.apply(
                    method, _dumped_object(program, symbol), made.scope
                )
                return program.schema_of(result)
        case "Function":
            function = first if first is not None else call_arguments(made).get("serialize")
            if function is not None:
                value = program.evaluate(function, made.scope)
                dumped = _dumped_object(program, symbol)
                return program.schema_of(program.evaluator.apply(value, dumped, made.scope))
        case "Hyperlinks":
            return Object(additional=Scalar(type="string"), origin=origin)
        case _:
            pass
    reason = Reason("field-class-accepts-anything", kind=kind)
    return Unknown(reason=reason, nullable=None, origin=origin)


def _dumped_object(program: Program, symbol: ClassSymbol | None) -> tuple[Value, ...]:
    """What `fields.Function` and `fields.Method` are given: an object of the model that `Meta`
    names; nothing where it names none."""
    for owner in (symbol, *program.bases(symbol)) if symbol is not None else ():
        for nested in owner.decl.classes:
            if nested.name != "Meta":
                continue
            inner = ClassSymbol(nested, owner.file, (*owner.outer, owner.decl.name))
            model = program.evaluator.class_member(ClassValue(inner), "model")
            if isinstance(model, ClassValue):
                return (Instance(model.symbol),)
    return ()


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
        found = declared_field(program, name, made, origin, wanted, symbol, None)
        if found and isinstance(value, Instance):
            return of_own_class(program, found[0], value, wanted).schema
        if found:
            return found[0].schema
    match value:
        case LibrarySymbol(name=field):
            known = _SCALARS.get(field.rpartition(".")[2])
            if known is not None:
                return Scalar(type=known[0], format=known[1], origin=origin)
        case _:
            pass
    return Unknown(reason=Reason("items-undetermined", name=name), nullable=None, origin=origin)


def _choices(program: Program, made: LibraryResult) -> tuple[LiteralValue, ...] | None:
    """The constants of `validate=OneOf([…])`."""
    value = argument_value(program, made, "validate")
    for option in value.values if isinstance(value, Items) else (value,):
        if not isinstance(option, LibraryResult) or not option.name.endswith("OneOf"):
            continue
        expr = positional(option) or call_arguments(option).get("choices")
        choices = program.evaluate(expr, option.scope) if expr is not None else None
        if isinstance(choices, Items) and not choices.repeated:
            constants = [item.value for item in choices.values if isinstance(item, Constant)]
            if len(constants) == len(choices.values):
                return tuple(constants)
    return None


def _enumeration(program: Program, made: LibraryResult, origin: Origin) -> Schema:
    """`fields.Enum(Color)` is written by name, by value where that is asked for."""
    first = positional(made) or call_arguments(made).get("enum")
    value = program.evaluate(first, made.scope) if first is not None else None
    if isinstance(value, ClassValue):
        if argument_value(program, made, "by_value") is not None:
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


def _nested_schema(
    program: Program,
    name: str,
    made: LibraryResult,
    origin: Origin,
    wanted: str,
    symbol: ClassSymbol | None,
) -> Schema:
    """`fields.Nested(X)`: by class, instance, name, `"self"` or a function that makes one."""
    expr = positional(made) or call_arguments(made).get("nested")
    many = is_true(argument_value(program, made, "many"))
    handed = [flag for flag in flags_inside(wanted, name) if flag != PARTIAL]
    extra = selection_flags(program, made)
    value = program.evaluate(expr, made.scope) if expr is not None else None
    if isinstance(value, FunctionValue):
        value = program.evaluator.apply(value, (), made.scope)
    if isinstance(value, Constant) and isinstance(value.value, str):
        target = symbol if value.value == "self" else _schema_class(program, value.value)
        value = ClassValue(target) if target is not None else None
    if isinstance(value, Instance) and value.site is not None and value.scope is not None:
        inner = LibraryResult("", value.site, value.scope)
        extra += selection_flags(program, inner)
        many = many or is_true(argument_value(program, inner, "many"))
    if any(flag[0] == "+" for flag in handed):
        extra = [flag for flag in extra if flag[0] != "+"]  # the outer choice is a narrower one
    if isinstance(value, Instance | ClassValue):
        nested = program.types.reference(
            value.symbol, {}, variant_of_flags(*handed, *extra), origin
        )
        shape: Schema = Array(items=nested, origin=origin) if many else nested
        direction = DUMP if DUMP in flags(wanted) else LOAD if LOAD in flags(wanted) else ""
        return after_hooks(program, value.symbol, shape, direction, for_many=True)
    if isinstance(value, Record):
        shape = of_record(program, value, wanted)
        return Array(items=shape, origin=origin) if many else shape
    return Unknown(reason=Reason("nested-schema-undetermined", name=name), origin=origin)


def _schema_class(program: Program, name: str) -> ClassSymbol | None:
    """The one schema class of that name."""
    last = name.rpartition(".")[2]
    found = [
        symbol
        for path in program.files_defining(last)
        for symbol in program.classes(program.facts(path))
        if symbol.decl.name == last
    ]
    return found[0] if len(found) == 1 else None


def _plucked_schema(
    program: Program,
    name: str,
    made: LibraryResult,
    origin: Origin,
    wanted: str,
    symbol: ClassSymbol | None,
) -> Schema:
    nested = program.types.flat(_nested_schema(program, name, made, origin, wanted, symbol))
    items = program.types.flat(nested.items) if isinstance(nested, Array) else nested
    key = positional(made, 1) or call_arguments(made).get("field_name")
    field_name = program.text(key, made.scope) if key is not None else None
    for field in items.fields if isinstance(items, Object) else ():
        if field_name in (field.name, field.declared_as):
            plucked = field.schema
            return Array(items=plucked, origin=origin) if isinstance(nested, Array) else plucked
    return Unknown(reason=Reason("plucked-field-undetermined", name=name), origin=origin)


def selection_flags(program: Program, made: LibraryResult) -> list[str]:
    """Flags for `only=` and `exclude=` of a schema or nested field."""
    found: list[str] = []
    for name, flag in (("only", only_flags), ("exclude", flags_without_fields)):
        expr = call_arguments(made).get(name)
        if expr is not None:
            texts = program.texts(expr, made.scope)
            found += flag(frozenset(text for text in texts if text is not None))
    return found


def of_record(program: Program, record: Record, direction: str) -> Schema:
    """A dict of fields, as webargs takes it."""
    fields: list[Field] = []
    incomplete = record.partial
    for entry in record.entries:
        made = made_field(program, entry.value)
        if made is None:
            incomplete = incomplete or Reason("field-class-undetermined", name=entry.name)
            continue
        for field in declared_field(program, entry.name, made, entry.origin, direction, None, None):
            if isinstance(entry.value, Instance):
                field = of_own_class(program, field, entry.value, direction)
            fields.append(field)
    origin = record.origin or Origin("")
    return Object(fields=tuple(fields), incomplete_reason=incomplete, origin=origin)


# ---------------------------------------------------------------------------------------- fields
# Field classes of marshmallow that a project derives from the library's.


def made_field(program: Program, value: Value | None) -> LibraryResult | None:
    """A call that may make a field: of the library, or of a class derived from one of its."""
    if isinstance(value, LibraryResult):
        return value
    if not isinstance(value, Instance) or value.site is None or value.scope is None:
        return None
    bases = library_bases(program, value.symbol)
    for base in bases:
        if _field_kind(base.name) and "Schema" not in base.simple_name:
            return LibraryResult(base.name, value.site, value.scope)
    for base in bases:
        if of_unknown_library(base.name, _LIBRARIES | _EXTENSIONS):
            return LibraryResult(base.name, value.site, value.scope)
    return None


def of_own_class(program: Program, field: Field, value: Instance, wanted: str) -> Field:
    """A field with what its own class says of what is written and read."""
    written = program.find_method(value.symbol, "_serialize")
    read = program.find_method(value.symbol, "_deserialize")
    own = program.find_method(value.symbol, "__init__")
    directions = flags(wanted) & {DUMP, LOAD}
    name = value.symbol.decl.name
    if written is not None and LOAD not in directions:
        if written.function.returns is not None:
            given: Schema = program.schema_of(program.evaluator.apply(written, (), written.scope))
            return replace(field, schema=given)
        return _undetermined_field(field, Reason("serialize-method-decides", name=name))
    if read is not None and DUMP not in directions:
        return _undetermined_field(field, Reason("deserialize-method-decides", name=name))
    if own is not None and not isinstance(field.schema, Scalar):
        return _undetermined_field(field, Reason("field-constructor-decides", name=name))
    return field


def _undetermined_field(field: Field, reason: Reason) -> Field:
    unknown = Unknown(reason=reason, nullable=None, origin=field.origin)
    return replace(field, schema=unknown)
