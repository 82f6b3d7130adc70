"""Serializers of Django REST framework: declared fields, fields of the model, hooks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec.structs import replace

from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.ir.schema import (
    Array,
    Field,
    Object,
    Reference,
    Scalar,
    Schema,
    Unknown,
    with_nullable,
)
from contract_scan.parsers.source.analysis.domain.hooks import TypeUse
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    BySchema,
    ClassSymbol,
    ClassValue,
    Constant,
    Instance,
    LibraryResult,
    Record,
    Unresolved,
    Value,
)
from contract_scan.parsers.source.facts.nodes import (
    Argument,
    Assign,
    Attribute,
    Call,
    Expr,
    Index,
    LiteralExpr,
    Name,
    Return,
    Statement,
)
from contract_scan.parsers.source.facts.visitor import nodes_of
from contract_scan.parsers.source.python.serialization import django
from contract_scan.parsers.source.python.serialization.constructions import without_unused_null
from contract_scan.parsers.source.python.serialization.django import related_model
from contract_scan.parsers.source.python.serialization.drf.fields import (
    column_shape,
    declared_field,
    is_serializer,
    list_of,
    meta_of,
    own_representation,
    represented_schema,
)
from contract_scan.parsers.source.python.serialization.drf.get_fields import (
    DESCRIBING,
    field_after_get_fields,
    keys_changed_by_get_fields,
    keys_taken_away,
    only_describes_fields,
)
from contract_scan.parsers.source.python.serialization.drf.names import as_rendered
from contract_scan.parsers.source.python.serialization.drf.polymorphic import (
    LIBRARIES,
    alternatives,
)
from contract_scan.parsers.source.python.serialization.fields import (
    argument_value,
    given_text,
    is_null,
    is_true,
    member_origin,
    of_unknown_library,
    possible_field,
)
from contract_scan.parsers.source.python.serialization.kinds import library_bases
from contract_scan.parsers.source.python.serialization.modes import (
    DUMP,
    LOAD,
    PARTIAL,
    filled_of,
    flags,
    variant_of_flags,
)
from contract_scan.parsers.source.python.serialization.rejections import (
    Check,
    object_check,
    value_check,
    with_rejections,
)

_NO_FIELDS = frozenset({"django", "rest_framework"})
"""Packages whose calls make no other fields than those that are known."""
_OPTIONS = frozenset({"required", "read_only", "allow_null"})


def is_serializer_class(program: Program, value: Value | None) -> bool:
    """Whether a value is a serializer class of the project."""
    return isinstance(value, ClassValue) and is_serializer(library_bases(program, value.symbol))


def reference(program: Program, symbol: ClassSymbol, direction: str, *others: str) -> Reference:
    """What a serializer class writes (DUMP) or takes (LOAD)."""
    return program.types.reference(symbol, {}, variant_of_flags(direction, *others), symbol.origin)


def serialized_schema(program: Program, value: Value, *others: str) -> Schema:
    """What `serializer.data` gives."""
    match value:
        case Instance(symbol=symbol, site=site, scope=scope):
            shape: Schema = reference(program, symbol, DUMP, *others)
            construction = (
                LibraryResult("", site, scope) if site is not None and scope is not None else None
            )
            many = None if construction is None else _writes_list(program, construction)
            if isinstance(many, Reason):
                return Unknown(reason=many, origin=symbol.origin)
            if many:
                return list_of(program, symbol, shape)
            if any(b.simple_name == "ListSerializer" for b in library_bases(program, symbol)):
                return Unknown(reason=Reason("list-serializer-overridden"), origin=symbol.origin)
            return shape
        case _:
            return Unknown(reason=Reason("serializer-used-undetermined"))


def _writes_list(program: Program, made: LibraryResult) -> bool | Reason:
    """Whether a serializer writes a list; why, where that is undetermined."""
    own = argument_value(program, made, "many")
    if own is not None:
        return is_true(own)
    for argument in made.site.args:
        if argument.spread != "**":
            continue
        spread = program.evaluate(argument.value, made.scope)
        entries, why = program.evaluator.entries_of(spread)
        many = next((entry for entry in entries if entry.name == "many"), None)
        if many is not None and not many.optional:
            return is_true(many.value)
        if many is not None or why:
            return Reason("one-or-many-objects-undetermined")
    return False


def data_of(program: Program, value: Value) -> Value | None:
    """`.data` of a serializer."""
    if isinstance(value, Instance) and is_serializer(library_bases(program, value.symbol)):
        return BySchema(serialized_schema(program, value, *_current(program)))
    return None


def _current(program: Program) -> tuple[str, ...]:
    """Flags of the view that is being read."""
    current = program.memory.get("python.drf.flags")
    return current if isinstance(current, tuple) else ()


# --------------------------------------------------------------------------- classes


def schema(use: TypeUse, symbol: ClassSymbol) -> Schema:
    """The shape of one serializer class, in the direction that is asked for."""
    program = use.program
    wanted = flags(use.variant)
    for base in library_bases(program, symbol):
        if base.simple_name.startswith("GeoFeature") or "json_api" in base.name:
            reason = Reason(
                "library-serializer-writes",
                base=base.simple_name,
                value=base.name.partition(".")[0],
            )
            return Unknown(reason=reason, origin=symbol.origin)
    if LOAD not in wanted and _replaces_data(program, symbol):
        reason = Reason("data-overridden", type=symbol.decl.name)
        return Unknown(reason=reason, origin=symbol.origin)
    for name in ("run_validation", "to_internal_value") if LOAD in wanted else ():
        if _replaces_input(program, symbol, name):
            reason = Reason("method-overridden", name=name)
            return Unknown(reason=reason, origin=symbol.origin)
    own = own_representation(program, symbol) if LOAD not in wanted else None
    fields: dict[str, Field] = {}
    for name, field in _fields(use, symbol):
        if DUMP in wanted and field.write_only:
            continue
        if LOAD in wanted and field.read_only:
            continue
        if PARTIAL in wanted:
            field = replace(field, has_default=True)
        fields[name] = _checked_field(use, symbol, name, field) if LOAD in wanted else field
    for name in _completed_keys(program, symbol) & fields.keys() if LOAD in wanted else ():
        if fields[name].required and not fields[name].has_default:
            reason = Reason("field-need-completed", type=symbol.decl.name)
            fields[name] = replace(fields[name], required=None, undetermined_reason=reason)
    partial = _changes_fields(program, symbol)
    if partial:
        renamed = keys_taken_away(program, symbol)
        changed = keys_changed_by_get_fields(program, symbol)
        fields = {
            name: field_after_get_fields(field, changed)
            for name, field in fields.items()
            if name not in renamed
        }
    partial = partial or _columns_of_libraries(program, symbol) or _unread_fields(program, symbol)
    shape = Object(
        fields=tuple(fields.values()),
        incomplete_reason=partial,
        name=symbol.decl.name,
        origin=symbol.origin,
    )
    chosen = alternatives(use, symbol, shape)
    if chosen is not None:
        return as_rendered(program, chosen, wanted)
    if own is not None and DUMP in wanted:
        model = _model(program, meta_of(program, symbol))
        return as_rendered(program, represented_schema(program, own, shape, model), wanted)
    if own is not None and not wanted:
        reason = Reason("to-representation-overridden", type=symbol.decl.name)
        return Unknown(reason=reason, origin=symbol.origin)
    return as_rendered(program, shape, wanted)


def _checked_field(use: TypeUse, symbol: ClassSymbol, name: str, field: Field) -> Field:
    """A field as input may have it where `validate` or `validate_<field>` refuse input without it,
    or its null. https://www.django-rest-framework.org/api-guide/serializers/#validation"""
    program = use.program
    source: str = name
    default: Value | None = None
    for owner, scope in reversed(use.chain(symbol)):
        for member in owner.decl.members:
            if member.name != name or member.value is None:
                continue
            made = program.evaluate(member.value, scope)
            if isinstance(made, Instance) and made.site is not None and made.scope is not None:
                made = LibraryResult("", made.site, made.scope)
            if isinstance(made, LibraryResult):
                source = given_text(program, made, "source") or name
                default = argument_value(program, made, "default")
    checks: list[Check] = []
    whole, own = (program.find_method(symbol, n) for n in ("validate", f"validate_{name}"))
    if whole is not None and whole.function.params:
        given = whole.function.params[0].name
        checks.append(object_check(whole, given, {name, source}, default))
    if own is not None and own.function.params:
        checks.append(value_check(program, own, 0, default))
    return with_rejections(program, field, checks)


def _replaces_data(program: Program, symbol: ClassSymbol) -> bool:
    """Whether a class has a property `data` of its own, which is what views send."""
    owners = (symbol, *program.bases(symbol))
    return any(method.name == "data" for owner in owners for method in owner.decl.methods)


def _replaces_input(program: Program, symbol: ClassSymbol, name: str) -> bool:
    """Whether a class has a `to_internal_value` of its own that does anything before it hands what
    it is given on to the library's: it may rename it, or fill in what is missing; so may
    `run_validation` around it, or ask for nothing."""
    method = program.find_method(symbol, name)
    if method is None or not method.function.params:
        return False
    body = program.body(method.function, method.scope.file)
    match body[0] if body else None:
        case Assign(value=Call() as first) | Return(value=Call() as first):
            pass
        case _:
            return True
    match first:
        case Call(callee=Attribute(value=Name(id="super")), args=[Argument(value=Name(id=given))]):
            return given != method.function.params[0].name
        case _:
            return True


def _completed_keys(program: Program, symbol: ClassSymbol) -> frozenset[str]:
    """The keys that constructors of a serializer put into the data that they are given:
    `data.setdefault("kind", instance.kind)`."""
    bodies = (
        program.body(method, owner.file)
        for owner in (symbol, *program.bases(symbol))
        for method in owner.decl.methods
        if method.name == "__init__"
    )
    found: set[str] = set()
    for body in bodies:
        for node in nodes_of(body):
            match node:
                case (
                    Call(
                        callee=Attribute(value=given, name="setdefault"),
                        args=[Argument(value=LiteralExpr(value=str(key))), *_],
                    )
                    | Assign(target=Index(value=given, index=LiteralExpr(value=str(key))))
                ) if _is_input(given):
                    found.add(key)
                case _:
                    pass
    return frozenset(found)


def _is_input(expr: Expr) -> bool:
    """Whether an expression is what the constructor of a serializer is given as its data."""
    match expr:
        case Name(id="data") | Attribute(name="initial_data"):
            return True
        case Index(value=Name(id="kwargs"), index=LiteralExpr(value="data")):
            return True
        case _:
            return False


def _changes_fields(program: Program, symbol: ClassSymbol) -> Reason:
    """Why the fields may differ from what is declared; empty where nothing changes them."""
    for name in ("get_fields", "get_field_names"):
        is_described = name == "get_fields" and only_describes_fields(program, symbol)
        if program.find_method(symbol, name) is not None and not is_described:
            return Reason("method-overridden", name=name)
    constructor = program.find_method(symbol, "__init__")
    if constructor is not None:
        body = program.body(constructor.function, constructor.scope.file)
        left = tuple(statement for statement in body if _option_set(statement) is None)
        if "name='fields'" in repr(left):
            return Reason("constructor-changes-fields")
    return NO_REASON


def _columns_of_libraries(program: Program, symbol: ClassSymbol) -> Reason:
    """Why a serializer that writes all of its model may write more than the project's classes say;
    empty where it does not."""
    meta = meta_of(program, symbol)
    model = _model(program, meta)
    if "model" not in meta or _texts(program, meta, "fields") not in ([], ["__all__"]):
        return NO_REASON
    if chooser := _chosen_by(program, symbol, meta):
        return Reason("written-fields-chosen", chooser=chooser)
    if model is None:
        return Reason("serializer-model-undetermined")
    base = django.unread_base(program, model)
    return Reason("fields-undetermined", base=base) if base else NO_REASON


def _unread_fields(program: Program, symbol: ClassSymbol) -> Reason:
    """Why a serializer may have fields that the project's classes do not say: `Meta` lists some of
    another library, or a serializer of such a one declares them; empty where it has none."""
    meta = meta_of(program, symbol)
    if not all(_texts(program, meta, "fields")):
        return Reason("fields-not-constant", owner=symbol.decl.name)
    if "fields" in meta or "model" in meta:
        return NO_REASON
    for base in library_bases(program, symbol):
        is_known = base.name.startswith("rest_framework.") or base.name in LIBRARIES
        if "Serializer" in base.simple_name and not is_known:
            return Reason("fields-undetermined", base=base.simple_name)
    return NO_REASON


def _chosen_by(program: Program, symbol: ClassSymbol, meta: dict[str, Value]) -> str:
    """The class of another library that decides which fields of a model are written: the framework
    itself refuses a `Meta` that says nothing of them. Empty where there is none."""
    if "fields" in meta or "exclude" in meta:
        return ""
    bases = library_bases(program, symbol)
    own = ("rest_framework.", "typing.", "abc.")
    return next((base.simple_name for base in bases if not base.name.startswith(own)), "")


# --------------------------------------------------------------------------- fields


def _fields(use: TypeUse, symbol: ClassSymbol) -> Iterator[tuple[str, Field]]:
    program = use.program
    meta = meta_of(program, symbol)
    model = _model(program, meta)
    extra = meta.get("extra_kwargs")
    read_only = set(_texts(program, meta, "read_only_fields"))
    write_only = set(_texts(program, meta, "write_only_fields"))
    declared = dict(_declared_fields(use, symbol, model))
    possible = dict(_possible_fields(use, symbol, declared))
    is_model = model is not None or "model" in meta
    for name in _names(program, symbol, meta, model, {**declared, **possible}):
        field = declared.get(name)
        if field is None and name in possible and not _texts(program, meta, "fields"):
            field = possible[name]
        if field is None:
            if not is_model:
                continue
            source = _extra_source(extra, name) or name
            hidden = _overriding_member(use, symbol, name)
            field = replace(hidden or _model_field(program, symbol, model, source, meta), name=name)
            if name in read_only:
                field = replace(field, read_only=True, has_default=True)
            if name in write_only:
                field = replace(field, write_only=True)
            field = _with_extra(field, extra, name)
            if model is not None and DUMP in flags(use.variant):
                field = without_unused_null(program, model, source, field, is_seen=True)
                if source in filled_of(use.variant):
                    field = replace(field, schema=with_nullable(field.schema, False))
        yield name, _options_set(program, symbol, field, name)


def _names(
    program: Program,
    symbol: ClassSymbol,
    meta: dict[str, Value],
    model: ClassSymbol | None,
    declared: dict[str, Field],
) -> list[str]:
    """The fields of a serializer in order."""
    listed = _texts(program, meta, "fields")
    if listed and listed != ["__all__"]:
        return list(dict.fromkeys(name for name in listed if name))
    if "model" not in meta or _chosen_by(program, symbol, meta):
        return list(declared)
    excluded = set(_texts(program, meta, "exclude"))
    columns = list(django.column_names(program, model)) if model is not None else []
    if any(b.simple_name.startswith("Hyperlinked") for b in library_bases(program, symbol)):
        columns = ["url", *(name for name in columns if name != "id")]
    names = dict.fromkeys([*columns, *declared])
    return [name for name in names if name not in excluded]


def _model(program: Program, meta: dict[str, Value]) -> ClassSymbol | None:
    value = meta.get("model")
    if isinstance(value, ClassValue):
        return value.symbol
    if isinstance(value, LibraryResult) and value.name.endswith("get_user_model"):
        return django.user_model(program)
    return None


def _texts(program: Program, meta: dict[str, Value], name: str) -> list[str]:
    value = meta.get(name)
    if value is None:
        return []
    return [text or "" for text in program.evaluator.texts(value)]


def _declared_fields(
    use: TypeUse, symbol: ClassSymbol, model: ClassSymbol | None
) -> Iterator[tuple[str, Field]]:
    found: dict[str, Field | None] = {}
    for owner, scope in reversed(use.chain(symbol)):
        for member in owner.decl.members:
            if member.value is None or "constructor" in member.modifiers:
                continue
            value = use.program.evaluate(member.value, scope)
            if is_null(value):
                found[member.name] = None  # takes an inherited field away
                continue
            field = declared_field(
                use, symbol, model, member.name, value, member_origin(owner, member)
            )
            if field is not None:
                found[member.name] = field
    for name, field in found.items():
        if field is not None:
            yield name, field


def _possible_fields(
    use: TypeUse, symbol: ClassSymbol, declared: Mapping[str, Field]
) -> Iterator[tuple[str, Field]]:
    """Members that may be fields, as nothing is known of their classes."""
    program = use.program
    for owner, scope in reversed(use.chain(symbol)):
        for member in owner.decl.members:
            if member.value is None or member.name in declared:
                continue
            if "constructor" not in member.modifiers and _may_be_field(
                program, program.evaluate(member.value, scope)
            ):
                yield member.name, possible_field(member.name, member_origin(owner, member))


def _may_be_field(program: Program, value: Value) -> bool:
    match value:
        case LibraryResult(name=name):
            return of_unknown_library(name, _NO_FIELDS)
        case Instance(symbol=symbol, site=site) if site is not None:
            bases = library_bases(program, symbol)
            return any(of_unknown_library(base.name, _NO_FIELDS) for base in bases)
        case Unresolved():
            return True
        case _:
            return False


def _overriding_member(use: TypeUse, symbol: ClassSymbol, name: str) -> Field | None:
    """A member of a serializer that stands instead of the model's field although nothing is known
    of its class; None where there is none."""
    for owner, scope in use.chain(symbol):
        for member in owner.decl.members:
            if member.name != name or member.value is None or "constructor" in member.modifiers:
                continue
            if isinstance(use.program.evaluate(member.value, scope), LibraryResult | Instance):
                reason = Reason("field-class-undetermined", name=name)
                unknown = Unknown(reason=reason, nullable=None, origin=member_origin(owner, member))
                return Field(name=name, schema=unknown, has_default=True, origin=unknown.origin)
    return None


def _model_field(
    program: Program,
    symbol: ClassSymbol,
    model: ClassSymbol | None,
    name: str,
    meta: dict[str, Value],
) -> Field:
    """A field that the serializer takes from its model."""
    if name == "url" and (model is None or not django.has_column(program, model, name)):
        shape = Scalar(type="string", format="uri", origin=symbol.origin)
        return Field(name=name, schema=shape, read_only=True, origin=symbol.origin)
    if model is None:
        reason = Reason("serializer-model-undetermined")
        unknown = Unknown(reason=reason, nullable=None, origin=symbol.origin)
        return Field(name=name, schema=unknown, has_default=True, origin=symbol.origin)
    *path, last = name.split(".")
    for part in path:
        model = related_model(program, model, part)
    if model is None:
        reason = Reason("source-object-undetermined", source=name)
        unknown = Unknown(reason=reason, nullable=None, origin=symbol.origin)
        return Field(name=name, schema=unknown, has_default=True, origin=symbol.origin)
    column = django.column(program, model, last)
    shape_of = column_shape(program, column.schema)
    linked = any("Hyperlinked" in b.simple_name for b in library_bases(program, symbol))
    if linked and related_model(program, model, last) is not None:
        link = Scalar(type="string", format="uri", origin=column.origin)
        many = isinstance(shape_of, Array)
        shape_of = Array(items=link, origin=column.origin) if many else link
        shape_of = with_nullable(shape_of, column.schema.nullable)
    if is_depth(meta) and related_model(program, model, last) is not None:
        shape_of = Unknown(reason=Reason("relations-nested"), origin=column.origin)
    return Field(
        name=name,
        schema=shape_of,
        has_default=column.has_default,
        read_only=column.read_only,
        origin=column.origin,
    )


def is_depth(meta: dict[str, Value]) -> bool:
    """Whether relations are written out instead of their keys."""
    depth = meta.get("depth")
    return isinstance(depth, Constant) and isinstance(depth.value, int) and depth.value > 0


def _extra_source(extra: Value | None, name: str) -> str:
    """The attribute of the model that `extra_kwargs` has a field take its value from."""
    for entry in extra.entries if isinstance(extra, Record) else ():
        if entry.name == name and isinstance(entry.value, Record):
            for said in entry.value.entries:
                if said.name == "source" and isinstance(said.value, Constant):
                    return str(said.value.value)
    return ""


def _with_extra(field: Field, extra: Value | None, name: str) -> Field:
    """A field with what `extra_kwargs` says of it."""
    for entry in extra.entries if isinstance(extra, Record) else ():
        if entry.name != name or not isinstance(entry.value, Record):
            continue
        said = {e.name: e.value for e in entry.value.entries}
        writable = said.get("read_only")
        if field.read_only and isinstance(writable, Constant) and writable.value is False:
            field = replace(field, read_only=False, has_default=False)
        required = said.get("required")
        if isinstance(required, Constant):
            field = replace(field, has_default=required.value is False)
        if is_true(said.get("read_only")):
            field = replace(field, read_only=True, has_default=True)
        if is_true(said.get("write_only")):
            field = replace(field, write_only=True)
        if is_true(said.get("allow_null")):
            field = replace(field, schema=with_nullable(field.schema, True))
        if is_true(said.get("many")) and not isinstance(field.schema, Array):
            field = replace(field, schema=Array(items=field.schema, origin=field.origin))
        if "default" in said:
            field = replace(field, has_default=True)
    return field


def _option_set(statement: Statement) -> tuple[str, str, Expr | None] | None:
    """Field, option and value of `self.fields["field"].option = value`."""
    match statement:
        case Assign(
            target=Attribute(
                value=Index(
                    value=Attribute(value=Name(id="this"), name="fields"),
                    index=LiteralExpr(value=str(field)),
                ),
                name=option,
            ),
            value=value,
        ) if option in _OPTIONS | DESCRIBING:
            return field, option, value
        case _:
            return None


def _options_set(program: Program, symbol: ClassSymbol, field: Field, name: str) -> Field:
    """A field with the options that constructors of its serializer set."""
    for owner in reversed((symbol, *program.bases(symbol))):
        for method in owner.decl.methods:
            if "constructor" not in method.modifiers and method.name != "__init__":
                continue
            for statement in program.body(method, owner.file):
                match _option_set(statement):
                    case (option, "read_only", LiteralExpr(value=True)) if option == name:
                        field = replace(field, read_only=True, has_default=True)
                    case (option, "required" | "read_only", value) if option == name:
                        needed = isinstance(value, LiteralExpr) and value.value is True
                        field = replace(field, has_default=not needed)
                    case (option, "allow_null", _) if option == name:
                        reason = Reason("null-by-option", name=name)
                        shape = replace(field.schema, nullable=None, null_reason=reason)
                        field = replace(field, schema=shape)
                    case _:
                        pass
    return field
