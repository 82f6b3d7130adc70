"""Serializers of Django REST framework: declared fields, fields of the model, hooks."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING

from msgspec.structs import replace

from contract_scan.ir.origin import Origin
from contract_scan.ir.schema import (
    Array,
    Field,
    Object,
    Reference,
    Scalar,
    ScalarType,
    Schema,
    Union,
    Unknown,
    with_nullable,
)
from contract_scan.parsers.source.facts import (
    Assign,
    Attribute,
    Branch,
    Call,
    Expr,
    Index,
    LiteralExpr,
    Name,
    Return,
    Statement,
)
from contract_scan.parsers.source.link import flow
from contract_scan.parsers.source.link.shapes import unite
from contract_scan.parsers.source.link.types import TypeUse
from contract_scan.parsers.source.link.values import (
    ClassSymbol,
    ClassValue,
    Constant,
    FunctionValue,
    Instance,
    Made,
    Record,
    Shaped,
    Unresolved,
    Value,
)
from contract_scan.parsers.source.python.models import django
from contract_scan.parsers.source.python.models.django_relations import related_model
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
from contract_scan.parsers.source.python.models.marshmallow_hooks import as_record
from contract_scan.parsers.source.python.models.naming import camel
from contract_scan.parsers.source.python.models.variants import (
    DUMP,
    LOAD,
    PARTIAL,
    flags,
    variant,
)

if TYPE_CHECKING:
    from contract_scan.parsers.source.link.program import Program

CAMEL = "camel"
"""Keys are written in camel case by the renderer (and read so by the parser)."""
UNCLEAR = "unclear"
"""Whether keys are written in camel case cannot be told: a library has the settings."""
_RENAMED = "settings that cannot be seen decide whether names are written in camel case"
_SCALARS: dict[str, tuple[ScalarType, str]] = {
    **dict.fromkeys(("CharField", "SlugField", "RegexField", "FilePathField"), ("string", "")),
    **dict.fromkeys(("IPAddressField", "DurationField"), ("string", "")),
    "EmailField": ("string", "email"),
    **dict.fromkeys(("URLField", "FileField", "ImageField"), ("string", "uri")),
    **dict.fromkeys(("HyperlinkedRelatedField", "HyperlinkedIdentityField"), ("string", "uri")),
    "StringRelatedField": ("string", ""),
    "UUIDField": ("string", "uuid"),
    "IntegerField": ("integer", ""),
    "FloatField": ("number", ""),
    "DecimalField": ("string", "decimal"),
    **dict.fromkeys(("BooleanField", "NullBooleanField"), ("boolean", "")),
    "DateTimeField": ("string", "date-time"),
    "DateField": ("string", "date"),
    "TimeField": ("string", "time"),
}
_READ_ONLY = frozenset(
    {"SerializerMethodField", "ReadOnlyField", "StringRelatedField", "HyperlinkedIdentityField"}
)


def is_serializer(bases: tuple[LibraryBase, ...]) -> bool:
    """Whether library bases make a class a serializer."""
    return any(
        base.simple_name.endswith("Serializer")
        and ("rest_framework" in base.name or base.name.startswith(("drf", "rest_", "serializers")))
        for base in bases
    )


def is_serializer_class(program: Program, value: Value | None) -> bool:
    """Whether a value is a serializer class of the project."""
    return isinstance(value, ClassValue) and is_serializer(library_bases(program, value.symbol))


def reference(program: Program, symbol: ClassSymbol, direction: str, *others: str) -> Reference:
    """What a serializer class writes (DUMP) or takes (LOAD)."""
    return program.types.reference(symbol, {}, variant(direction, *others), symbol.origin)


def written(program: Program, value: Value, *others: str) -> Schema:
    """What `serializer.data` gives."""
    match value:
        case Instance(symbol=symbol, site=site, scope=scope):
            shape: Schema = reference(program, symbol, DUMP, *others)
            made = Made("", site, scope) if site is not None and scope is not None else None
            if made is not None and is_true(given(program, made, "many")):
                return Array(items=shape, origin=symbol.origin)
            if any(b.simple_name == "ListSerializer" for b in library_bases(program, symbol)):
                return Unknown(reason="a list serializer writes its own", origin=symbol.origin)
            return shape
        case _:
            return Unknown(reason="the serializer that is used here cannot be told")


def data_of(program: Program, value: Value) -> Value | None:
    """`.data` of a serializer."""
    if isinstance(value, Instance) and is_serializer(library_bases(program, value.symbol)):
        return Shaped(written(program, value, *_current(program)))
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
            reason = f"a `{base.simple_name}` of `{base.name.partition('.')[0]}` writes its own"
            return Unknown(reason=reason, origin=symbol.origin)
    own = _own_representation(program, symbol) if LOAD not in wanted else None
    fields: dict[str, Field] = {}
    for name, field in _fields(use, symbol):
        if DUMP in wanted and field.write_only:
            continue
        if LOAD in wanted and field.read_only:
            continue
        if PARTIAL in wanted:
            field = replace(field, has_default=True)
        fields[name] = field
    partial = _changes_fields(program, symbol)
    if partial:
        fields = {name: replace(field, required=None) for name, field in fields.items()}
    shape: Schema = Object(
        fields=tuple(fields.values()),
        partial=partial,
        name=symbol.decl.name,
        origin=symbol.origin,
    )
    if own is not None and DUMP in wanted:
        shape = _represented(program, own, shape, _model(program, _meta(program, symbol)))
    if own is not None and not wanted:
        reason = f"`{symbol.decl.name}.to_representation` is overridden"
        return Unknown(reason=reason, origin=symbol.origin)
    return named(shape, wanted)


def named(schema: Schema, wanted: Collection[str]) -> Schema:
    """A shape with its keys as the renderer that `wanted` speaks of writes them."""
    if CAMEL in wanted:
        return camelized(schema)
    return _of_unclear_names(schema) if UNCLEAR in wanted else schema


def _own_representation(program: Program, symbol: ClassSymbol) -> FunctionValue | None:
    return program.find_method(symbol, "to_representation")


def _represented(
    program: Program, method: FunctionValue, shape: Schema, model: ClassSymbol | None
) -> Schema:
    """What an overridden `to_representation` makes of what the library would write."""
    given_name = "@represented"
    body = tuple(
        _with_super(statement, given_name)
        for statement in program.body(method.function, method.scope.file)
    )
    function = replace(method.function, body=body)
    bindings: dict[str, Value] = {given_name: as_record(program, shape)}
    if model is not None and method.function.params:
        bindings[method.function.params[0].name] = Instance(model)
    scope = program.function_scope(function, method.scope, bindings)
    scope = replace(scope, receiver=method.receiver or scope.receiver)
    results = [
        program.infer(statement.value, scope)
        for statement in flow.returns(body)
        if isinstance(statement, Return) and statement.value is not None
    ]
    return unite(results) if results else Unknown(reason="`to_representation` returns nothing")


def _with_super(statement: Statement, name: str) -> Statement:
    """A statement in which `super().to_representation(x)` is a plain name."""
    match statement:
        case Assign(value=value) | Return(value=value) if _calls_super(value):
            return replace(statement, value=Name(name))
        case Branch(blocks=blocks):
            inner = tuple(tuple(_with_super(s, name) for s in block) for block in blocks)
            return replace(statement, blocks=inner)
        case _:
            return statement


def _calls_super(value: Expr | None) -> bool:
    match value:
        case Call(callee=Attribute(value=Name(id="super"), name="to_representation")):
            return True
        case Call(callee=Name(id="dict" | "OrderedDict"), args=[only]):
            return _calls_super(only.value)
        case _:
            return False


def _changes_fields(program: Program, symbol: ClassSymbol) -> str:
    """Why the fields may differ from what is declared; empty where nothing changes them."""
    for name in ("get_fields", "get_field_names"):
        if program.find_method(symbol, name) is not None:
            return f"`{name}` is overridden"
    constructor = program.find_method(symbol, "__init__")
    if constructor is not None:
        body = program.body(constructor.function, constructor.scope.file)
        left = tuple(statement for statement in body if _option_set(statement) is None)
        if "name='fields'" in repr(left):
            return "its constructor changes the fields"
    return ""


_OPTIONS = frozenset({"required", "read_only", "allow_null"})
_OF_NO_ACCOUNT = frozenset(
    {"queryset", "help_text", "label", "style", "initial", "error_messages", "validators"}
)


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
        ) if option in _OPTIONS | _OF_NO_ACCOUNT:
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
                    case (told, "read_only", LiteralExpr(value=True)) if told == name:
                        field = replace(field, read_only=True, has_default=True)
                    case (told, "required" | "read_only", value) if told == name:
                        needed = isinstance(value, LiteralExpr) and value.value is True
                        field = replace(field, has_default=not needed)
                    case (told, "allow_null", _) if told == name:
                        shape = with_nullable(field.schema, None)
                        field = replace(field, schema=shape)
                    case _:
                        pass
    return field


# --------------------------------------------------------------------------- fields


def _fields(use: TypeUse, symbol: ClassSymbol) -> Iterator[tuple[str, Field]]:
    program = use.program
    meta = _meta(program, symbol)
    model = _model(program, meta)
    extra = meta.get("extra_kwargs")
    read_only = set(_texts(program, meta, "read_only_fields"))
    write_only = set(_texts(program, meta, "write_only_fields"))
    declared = dict(_declared(use, symbol, model))
    is_model = model is not None or "model" in meta
    for name in _names(program, symbol, meta, model, declared):
        field = declared.get(name)
        if field is None:
            if not is_model:
                continue
            source = _extra_source(extra, name) or name
            field = replace(_model_field(program, symbol, model, source, meta), name=name)
            if name in read_only:
                field = replace(field, read_only=True, has_default=True)
            if name in write_only:
                field = replace(field, write_only=True)
            field = _with_extra(program, field, extra, name)
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
    if "model" not in meta:
        return list(declared)
    excluded = set(_texts(program, meta, "exclude"))
    columns = list(django.column_names(program, model)) if model is not None else []
    if any(b.simple_name.startswith("Hyperlinked") for b in library_bases(program, symbol)):
        columns = ["url", *(name for name in columns if name != "id")]
    names = dict.fromkeys([*columns, *declared])
    return [name for name in names if name not in excluded]


def _meta(program: Program, symbol: ClassSymbol) -> dict[str, Value]:
    """The options of the nearest `class Meta`, and of the classes that one inherits from."""
    for owner in (symbol, *program.bases(symbol)):
        for nested in owner.decl.classes:
            if nested.name != "Meta":
                continue
            inner = ClassSymbol(nested, owner.file, (*owner.outer, owner.decl.name))
            merged: dict[str, Value] = {}
            for part in reversed([inner, *program.bases(inner)]):
                scope = program.class_scope(part)
                for member in part.decl.members:
                    if member.value is not None:
                        merged[member.name] = program.evaluate(member.value, scope)
            return merged
    return {}


def _model(program: Program, meta: dict[str, Value]) -> ClassSymbol | None:
    value = meta.get("model")
    if isinstance(value, ClassValue):
        return value.symbol
    if isinstance(value, Made) and value.name.endswith("get_user_model"):
        return django.user_model(program)
    return None


def _texts(program: Program, meta: dict[str, Value], name: str) -> list[str]:
    value = meta.get(name)
    if value is None:
        return []
    return [text or "" for text in program.evaluator.texts(value)]


def _declared(
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
            field = _declared_field(use, symbol, model, member.name, value, place(owner, member))
            if field is not None:
                found[member.name] = field
    for name, field in found.items():
        if field is not None:
            yield name, field


def _declared_field(
    use: TypeUse,
    symbol: ClassSymbol,
    model: ClassSymbol | None,
    name: str,
    value: Value,
    origin: Origin,
) -> Field | None:
    program = use.program
    made: Made | None = None
    if isinstance(value, Made) and _is_field(value.name):
        made, kind = value, value.name.rpartition(".")[2]
    elif isinstance(value, Instance) and value.site is not None and value.scope is not None:
        bases = library_bases(program, value.symbol)
        if not is_serializer(bases) and not any(_is_field(base.name) for base in bases):
            return None
        made, kind = Made("", value.site, value.scope), "Serializer"
    else:
        return None
    if kind == "HiddenField":
        return None
    shape = (
        _own_field(use, value, model, name, made, origin)
        if isinstance(value, Instance)
        else _field_shape(use, symbol, model, name, kind, made, origin)
    )
    if is_true(given(program, made, "many")) and kind != "MultipleChoiceField":
        shape = Array(items=shape, origin=origin)
    if is_true(given(program, made, "allow_null")):
        shape = with_nullable(shape, True)
    read_only = kind in _READ_ONLY or is_true(given(program, made, "read_only"))
    required = given(program, made, "required")
    optional = isinstance(required, Constant) and required.value is False
    return Field(
        name=name,
        schema=shape,
        has_default=read_only or optional or "default" in call_arguments(made),
        read_only=read_only,
        write_only=is_true(given(program, made, "write_only")),
        origin=origin,
    )


def _is_field(name: str) -> bool:
    package, _, last = name.rpartition(".")
    known = "rest_framework" in package or package.startswith(("drf", "serializers", "rest_"))
    return known and last.endswith(("Field", "Serializer"))


def _own_field(
    use: TypeUse,
    value: Instance,
    model: ClassSymbol | None,
    name: str,
    made: Made,
    origin: Origin,
) -> Schema:
    """A nested serializer, or a field class of the project."""
    program = use.program
    bases = library_bases(program, value.symbol)
    if is_serializer(bases):
        kept = flags(use.variant) & {DUMP, LOAD, CAMEL, UNCLEAR}
        return program.types.reference(value.symbol, {}, variant(*kept), value.symbol.origin)
    method = program.find_method(value.symbol, "to_representation")
    related = any(base.simple_name.endswith("RelatedField") for base in bases)
    if method is not None:
        taken = _represented_value(program, model, made, name, related=related)
        return program.schema_of(program.evaluator.apply(method, taken, method.scope))
    for base in bases:
        shape = _field_shape(use, value.symbol, model, name, base.simple_name, made, origin)
        if not isinstance(shape, Unknown):
            return shape
    reason = f"nothing says what a `{value.symbol.decl.name}` field is"
    return Unknown(reason=reason, nullable=None, origin=value.symbol.origin)


def _represented_value(
    program: Program, model: ClassSymbol | None, made: Made, name: str, *, related: bool
) -> tuple[Value, ...]:
    """What the `to_representation` of a field class is given: the object that a relation leads to,
    or the value of the model's column."""
    source = given_text(program, made, "source") or name
    if related:
        target = related_model(program, model, source) or _queryset_model(program, made)
        return () if target is None else (Instance(target),)
    shape = _source_shape(program, model, source, Origin(made.scope.file.path, made.site.span))
    return () if isinstance(shape, Unknown) else (Shaped(shape),)


def _field_shape(
    use: TypeUse,
    symbol: ClassSymbol,
    model: ClassSymbol | None,
    name: str,
    kind: str,
    made: Made,
    origin: Origin,
) -> Schema:
    program = use.program
    known = _SCALARS.get(kind)
    if known is not None:
        if kind == "DecimalField" and _is_false(given(program, made, "coerce_to_string")):
            return Scalar(type="number", origin=origin)
        return Scalar(type=known[0], format=known[1], origin=origin)
    match kind:
        case "SerializerMethodField":
            method_name = given_text(program, made, "method_name") or _first_text(program, made)
            return _method_shape(program, symbol, model, method_name or f"get_{name}", origin)
        case "ChoiceField" | "MultipleChoiceField":
            value = given(program, made, "choices") or _first(program, made)
            values = django.choices(program, value)
            shape: Schema = Scalar(type="string", values=values, origin=origin)
            if values and all(isinstance(v, int) for v in values):
                shape = Scalar(type="integer", values=values, origin=origin)
            return Array(items=shape, origin=origin) if kind.startswith("Multiple") else shape
        case "ListField" | "ListSerializer":
            return Array(items=_child(use, symbol, made, origin), origin=origin)
        case "DictField" | "HStoreField":
            return Object(additional=_child(use, symbol, made, origin), origin=origin)
        case "ReadOnlyField":
            source = given_text(program, made, "source") or name
            return _source_shape(program, model, source, origin)
        case "PrimaryKeyRelatedField":
            return _key_shape(program, model, made, name, origin)
        case "SlugRelatedField":
            return _slug_shape(program, model, made, name, origin)
        case _ if kind.endswith(("HyperlinkedRelatedField", "HyperlinkedIdentityField")):
            return Scalar(type="string", format="uri", origin=origin)
        case _:
            reason = f"a field of class `{kind}` may be anything"
            return Unknown(reason=reason, nullable=None, origin=origin)


def _is_false(value: Value | None) -> bool:
    return isinstance(value, Constant) and value.value is False


def _first(program: Program, made: Made) -> Value | None:
    first = positional(made)
    return program.evaluate(first, made.scope) if first is not None else None


def _first_text(program: Program, made: Made) -> str | None:
    first = positional(made)
    return program.text(first, made.scope) if first is not None else None


def _child(use: TypeUse, symbol: ClassSymbol, made: Made, origin: Origin) -> Schema:
    expr = call_arguments(made).get("child")
    value = use.program.evaluate(expr, made.scope) if expr is not None else None
    field = (
        _declared_field(use, symbol, None, "child", value, origin) if value is not None else None
    )
    if field is None:
        return Unknown(reason="the items of the field cannot be told", origin=origin)
    return field.schema


def _method_shape(
    program: Program, symbol: ClassSymbol, model: ClassSymbol | None, name: str, origin: Origin
) -> Schema:
    """What the method behind a `SerializerMethodField` gives."""
    method = program.find_method(symbol, name)
    if method is None:
        return Unknown(reason=f"`{name}` is not declared", nullable=None, origin=origin)
    args: tuple[Value, ...] = ()
    if method.function.params and model is not None:
        args = (Instance(model),)
    result = program.evaluator.apply(method, args, method.scope)
    if isinstance(result, Unresolved):
        return Unknown(reason=result.reason, nullable=None, origin=origin)
    return program.schema_of(result, variant(DUMP))


def _source_shape(
    program: Program, model: ClassSymbol | None, source: str, origin: Origin
) -> Schema:
    """The shape of `source="a.b"` on a model."""
    current = model
    *path, last = source.split(".")
    for part in path:
        current = related_model(program, current, part)
    if current is None:
        reason = f"the object behind `{source}` cannot be told"
        return Unknown(reason=reason, nullable=None, origin=origin)
    return django.column(program, current, last).schema


def _key_shape(
    program: Program, model: ClassSymbol | None, made: Made, name: str, origin: Origin
) -> Schema:
    source = given_text(program, made, "source") or name
    target = related_model(program, model, source) or _queryset_model(program, made)
    if target is None:
        return Unknown(reason="the related model cannot be told", nullable=None, origin=origin)
    return django.primary_key(program, target)


def _slug_shape(
    program: Program, model: ClassSymbol | None, made: Made, name: str, origin: Origin
) -> Schema:
    slug = given_text(program, made, "slug_field")
    source = given_text(program, made, "source") or name
    target = _queryset_model(program, made) or related_model(program, model, source)
    if target is None or slug is None:
        return Unknown(reason="the related model cannot be told", nullable=None, origin=origin)
    return django.column(program, target, slug).schema


def _queryset_model(program: Program, made: Made) -> ClassSymbol | None:
    expr = call_arguments(made).get("queryset")
    while isinstance(expr, Call | Attribute):
        expr = expr.callee if isinstance(expr, Call) else expr.value
    if expr is None:
        return None
    value = program.evaluate(expr, made.scope)
    return value.symbol if isinstance(value, ClassValue) else None


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
        reason = "the model of the serializer cannot be told"
        unknown = Unknown(reason=reason, nullable=None, origin=symbol.origin)
        return Field(name=name, schema=unknown, has_default=True, origin=symbol.origin)
    *path, last = name.split(".")
    for part in path:
        model = related_model(program, model, part)
    if model is None:
        reason = f"the object behind `{name}` cannot be told"
        unknown = Unknown(reason=reason, nullable=None, origin=symbol.origin)
        return Field(name=name, schema=unknown, has_default=True, origin=symbol.origin)
    column = django.column(program, model, last)
    shape_of: Schema = column.schema
    if is_depth(meta) and related_model(program, model, last) is not None:
        shape_of = Unknown(reason="relations are written out (`depth`)", origin=column.origin)
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


def _with_extra(program: Program, field: Field, extra: Value | None, name: str) -> Field:
    """A field with what `extra_kwargs` says of it."""
    for entry in extra.entries if isinstance(extra, Record) else ():
        if entry.name != name or not isinstance(entry.value, Record):
            continue
        said = {e.name: e.value for e in entry.value.entries}
        required = said.get("required")
        if isinstance(required, Constant):
            field = replace(field, has_default=required.value is False)
        if is_true(said.get("read_only")):
            field = replace(field, read_only=True, has_default=True)
        if is_true(said.get("write_only")):
            field = replace(field, write_only=True)
        if is_true(said.get("allow_null")):
            field = replace(field, schema=with_nullable(field.schema, True))
        if "default" in said:
            field = replace(field, has_default=True)
    return field


def _of_unclear_names(schema: Schema) -> Schema:
    """A shape of which only the names are told that camel case leaves as they are."""
    match schema:
        case Object(fields=fields, partial=partial):
            told = tuple(
                replace(f, schema=_of_unclear_names(f.schema))
                for f in fields
                if camel(f.name) == f.name
            )
            why = partial or (_RENAMED if len(told) < len(fields) else "")
            return replace(schema, fields=told, partial=why)
        case Array(items=items):
            return replace(schema, items=_of_unclear_names(items))
        case Union(options=options):
            return replace(schema, options=tuple(_of_unclear_names(o) for o in options))
        case _:
            return schema


def camelized(schema: Schema) -> Schema:
    """A shape with the keys that are written out in it in camel case."""
    match schema:
        case Object(fields=fields):
            return replace(schema, fields=tuple(_camel_field(field) for field in fields))
        case Array(items=items):
            return replace(schema, items=camelized(items))
        case Union(options=options):
            return replace(schema, options=tuple(camelized(option) for option in options))
        case _:
            return schema


def _camel_field(field: Field) -> Field:
    name = camel(field.name)
    declared = field.declared_as or (field.name if name != field.name else "")
    return replace(field, name=name, declared_as=declared, schema=camelized(field.schema))
