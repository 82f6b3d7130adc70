"""Fields that serializers of Django REST framework declare."""

from __future__ import annotations

from msgspec.structs import replace

from contract_scan.ir.origin import Origin
from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.ir.schema import (
    Array,
    Field,
    Nothing,
    Object,
    Scalar,
    ScalarType,
    Schema,
    Unknown,
    with_nullable,
)
from contract_scan.parsers.source.analysis.dataflow import reaching_definitions
from contract_scan.parsers.source.analysis.domain.hooks import TypeUse
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.schemas import unite
from contract_scan.parsers.source.analysis.domain.values import (
    BySchema,
    ByType,
    ClassSymbol,
    ClassValue,
    Constant,
    FunctionValue,
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
    Branch,
    Call,
    Expr,
    LiteralExpr,
    Name,
    Return,
    Statement,
)
from contract_scan.parsers.source.python.serialization import django
from contract_scan.parsers.source.python.serialization.constructions import is_filled_in
from contract_scan.parsers.source.python.serialization.django import (
    choices,
    related_model,
    reverse,
)
from contract_scan.parsers.source.python.serialization.drf.names import CAMEL, UNCLEAR
from contract_scan.parsers.source.python.serialization.drf.settings import (
    writes_decimals_as_numbers,
)
from contract_scan.parsers.source.python.serialization.fields import (
    argument_value,
    call_arguments,
    given_text,
    is_true,
    positional,
)
from contract_scan.parsers.source.python.serialization.kinds import LibraryBase, library_bases
from contract_scan.parsers.source.python.serialization.marshmallow.hooks import as_record
from contract_scan.parsers.source.python.serialization.modes import (
    DUMP,
    LOAD,
    WRITTEN,
    filled_of,
    flags,
    flags_of_filled,
    variant_of_flags,
)

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


_OF_WHOLE_OBJECT = frozenset({"SerializerMethodField", "HyperlinkedIdentityField"})
"""Fields that are given the whole object (`source="*"`), which is never null."""


def is_serializer(bases: tuple[LibraryBase, ...]) -> bool:
    """Whether library bases make a class a serializer: the library's own, and what other libraries
    that build on it keep in modules called `serializers`."""
    return any(
        base.simple_name.endswith("Serializer")
        and (
            "rest_framework" in base.name
            or base.name.startswith(("drf", "rest_", "serializers"))
            or base.name.split(".")[-2:-1] == ["serializers"]
        )
        for base in bases
    )


def declared_field(
    use: TypeUse,
    symbol: ClassSymbol,
    model: ClassSymbol | None,
    name: str,
    value: Value,
    origin: Origin,
) -> Field | None:
    """The field that a member of a serializer class declares; None where it declares none."""
    program = use.program
    made: LibraryResult | None = None
    if isinstance(value, LibraryResult) and _is_field(value.name):
        made, kind = value, value.name.rpartition(".")[2]
    elif isinstance(value, Instance) and value.site is not None and value.scope is not None:
        bases = library_bases(program, value.symbol)
        if not is_serializer(bases) and not any(_is_field(base.name) for base in bases):
            return None
        made, kind = LibraryResult("", value.site, value.scope), "Serializer"
    else:
        return None
    if kind == "HiddenField":  # neither read nor written
        return Field(name=name, schema=Nothing(), read_only=True, write_only=True, origin=origin)
    shape = (
        _own_field(use, value, model, name, made, origin)
        if isinstance(value, Instance)
        else _field_shape(use, symbol, model, name, kind, made, origin)
    )
    many = is_true(argument_value(program, made, "many")) and kind != "MultipleChoiceField"
    if many:
        if isinstance(value, Instance):
            shape = list_of(program, value.symbol, shape)
        else:
            shape = Array(items=shape, origin=origin)
    source = given_text(program, made, "source") or name
    dumped = DUMP in flags(use.variant) and kind not in _OF_WHOLE_OBJECT
    filled = filled_of(use.variant)
    allows_null = _allowed_null(program, made)
    if allows_null is None:
        shape = replace(shape, nullable=None, null_reason=Reason("null-by-option", name=name))
    elif allows_null:
        # What is sent is what the column holds, whatever the field allows.
        is_filled = source in filled or _holds_no_null(program, model, source)
        shape = with_nullable(shape, not (dumped and is_filled))
    read_only = kind in _READ_ONLY or is_true(argument_value(program, made, "read_only"))
    if dumped and not many and shape.nullable is False and source not in filled:
        is_kept = read_only and WRITTEN not in flags(use.variant)
        null = _null_of_source(program, model, source, is_kept=is_kept)
        shape = replace(shape, nullable=null.nullable, null_reason=null.null_reason)
    required = argument_value(program, made, "required")
    optional = isinstance(required, Constant) and required.value is False
    if required is None and isinstance(value, Instance):
        optional = _decides_itself(program, value)
    has_default = "default" in call_arguments(made)
    default = argument_value(program, made, "default") if dumped else None
    if isinstance(default, Constant) and default.value is None and shape.nullable is False:
        through_null = _leads_through_null(program, model, source, filled)
        if through_null is not False:  # where there is no `b` of `a.b`, the default is sent
            why = NO_REASON if through_null else Reason("null-in-object", name=name)
            shape = replace(shape, nullable=through_null, null_reason=why)
    is_sent: bool | None = True
    # The library leaves such a field out; that one which has to be there is missing is an error.
    if dumped and (read_only or optional) and not has_default and shape.nullable is not True:
        through_null = _leads_through_null(program, model, source, filled)
        if through_null is not False:
            is_sent = None if through_null is None or WRITTEN in flags(use.variant) else False
    return Field(
        name=name,
        schema=shape,
        required=is_sent,
        has_default=read_only or optional or has_default,
        read_only=read_only,
        write_only=is_true(argument_value(program, made, "write_only")),
        origin=origin,
    )


def _allowed_null(program: Program, made: LibraryResult) -> bool | None:
    """Whether a field is made to allow null; None where that is undetermined."""
    match call_arguments(made).get("allow_null"):
        case None:
            return False
        case Attribute(
            value=Call(
                callee=Attribute(value=Attribute(value=model, name="_meta"), name="get_field"),
                args=[Argument(value=LiteralExpr(value=str(name)))],
            ),
            name="null",
        ):
            owner = program.evaluate(model, made.scope)
            if not isinstance(owner, ClassValue) or not django.has_column(
                program, owner.symbol, name
            ):
                return None
            return django.column(program, owner.symbol, name).schema.nullable
        case given:
            value = program.evaluate(given, made.scope)
            return value.value is True if isinstance(value, Constant) else None


def _holds_no_null(program: Program, model: ClassSymbol | None, source: str) -> bool:
    """Whether the column of the model that a declared field reads never holds null."""
    owner, last = (None, "") if source == "*" else _owner_of_source(program, model, source)
    if owner is None or reverse(program, owner, last) is not None:
        return False
    held = program.types.flat(django.column(program, owner, last).schema)
    is_column = not isinstance(held, Unknown) and held.nullable is False
    return is_column and _leads_through_null(program, model, source) is False


def _null_of_source(
    program: Program, model: ClassSymbol | None, source: str, *, is_kept: bool
) -> Nothing:
    """The null that a declared field sends wherever its source holds it, whatever the field says.
    Where what the source holds is not just kept, but set by a request, it may be set always."""
    if model is None or source == "*":
        return Nothing()
    owner, last = _owner_of_source(program, model, source)
    relation = None if owner is None else reverse(program, owner, last)
    if relation is not None and not relation.is_list:
        return Nothing(nullable=None, null_reason=Reason("null-without-row", name=last))
    found = program.types.flat(_source_shape(program, model, source, model.origin))
    if found.nullable and (not is_kept or is_filled_in(program, owner, last)):
        return Nothing(nullable=None, null_reason=Reason("null-in-column"))
    if isinstance(found, Unknown) and found.nullable is None:
        return Nothing()
    return Nothing(nullable=found.nullable, null_reason=found.null_reason)


def _decides_itself(program: Program, value: Instance) -> bool:
    """Whether the class of a field has its constructor decide what is required."""
    own = program.find_method(value.symbol, "__init__")
    if own is None:
        return False
    return "'required'" in repr(program.body(own.function, own.scope.file))


def _is_field(name: str) -> bool:
    package, _, last = name.rpartition(".")
    known = "rest_framework" in package or package.startswith(("drf", "serializers", "rest_"))
    return known and last.endswith(("Field", "Serializer"))


def _own_field(
    use: TypeUse,
    value: Instance,
    model: ClassSymbol | None,
    name: str,
    made: LibraryResult,
    origin: Origin,
) -> Schema:
    """A nested serializer, or a field class of the project."""
    program = use.program
    bases = library_bases(program, value.symbol)
    if is_serializer(bases):
        inherited = flags(use.variant) & {DUMP, LOAD, CAMEL, UNCLEAR}
        before = (given_text(program, made, "source") or name) + "."
        filled = {p.removeprefix(before) for p in filled_of(use.variant) if p.startswith(before)}
        variant = variant_of_flags(*inherited, *flags_of_filled(filled))
        return program.types.reference(value.symbol, {}, variant, value.symbol.origin)
    method = program.find_method(value.symbol, "to_representation")
    related = any(base.simple_name.endswith("RelatedField") for base in bases)
    if method is not None and not _hands_on(program, value.symbol, method):
        if LOAD not in flags(use.variant):
            represented = _represented_value(program, model, made, name, related=related)
            return program.schema_of(program.evaluator.apply(method, represented, method.scope))
        # What it writes says nothing of what it reads.
        if program.find_method(value.symbol, "to_internal_value") is not None:
            reason = Reason("field-type-undetermined", type=value.symbol.decl.name)
            return Unknown(reason=reason, nullable=None, origin=value.symbol.origin)
    child = _member(program, value.symbol, "child")
    for base in bases:
        if child is not None and base.simple_name in ("ListField", "DictField"):
            item = declared_field(use, value.symbol, None, "child", child, origin)
            return _container(base.simple_name, item, origin)
        shape = _field_shape(use, value.symbol, model, name, base.simple_name, made, origin)
        if not isinstance(shape, Unknown):
            return shape
    reason = Reason("field-type-undetermined", type=value.symbol.decl.name)
    return Unknown(reason=reason, nullable=None, origin=value.symbol.origin)


def _member(program: Program, symbol: ClassSymbol, name: str) -> Value | None:
    """What the body of a class gives a name."""
    return program.evaluator.class_member(ClassValue(symbol), name)


def _container(kind: str, item: Field | None, origin: Origin) -> Schema:
    """A list or a dict of what a field class of the project says of its items."""
    if item is None:
        inner: Schema = Unknown(reason=Reason("field-items-undetermined"), origin=origin)
    else:
        inner = item.schema
    if kind == "ListField":
        return Array(items=inner, origin=origin)
    return Object(additional=inner, origin=origin)


def _represented_value(
    program: Program, model: ClassSymbol | None, made: LibraryResult, name: str, *, related: bool
) -> tuple[Value, ...]:
    """What the `to_representation` of a field class is given: the object that a relation leads to,
    or the value of the model's column."""
    source = given_text(program, made, "source") or name
    if related:
        target = related_model(program, model, source) or _queryset_model(program, made)
        return () if target is None else (Instance(target),)
    shape = _source_shape(program, model, source, Origin(made.scope.file.path, made.site.span))
    return () if isinstance(shape, Unknown) else (BySchema(shape),)


def _field_shape(
    use: TypeUse,
    symbol: ClassSymbol,
    model: ClassSymbol | None,
    name: str,
    kind: str,
    made: LibraryResult,
    origin: Origin,
) -> Schema:
    program = use.program
    known = _SCALARS.get(kind)
    if known is not None:
        if kind == "DecimalField" and _is_number(program, made):
            return Scalar(type="number", origin=origin)
        if kind == "UUIDField" and given_text(program, made, "format") == "int":
            return Scalar(type="integer", origin=origin)
        return Scalar(type=known[0], format=known[1], origin=origin)
    match kind:
        case "SerializerMethodField":
            method_name = given_text(program, made, "method_name") or _first_text(program, made)
            return _method_shape(program, symbol, model, method_name or f"get_{name}", origin)
        case "ChoiceField" | "MultipleChoiceField":
            value = argument_value(program, made, "choices") or _first_argument(program, made)
            values = choices(program, value)
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
            shape = _slug_shape(program, model, made, name, origin)
            is_text = isinstance(shape, Scalar) and shape.type == "string"
            # The database makes text of what it looks for.
            if is_text and LOAD in flags(use.variant):
                return replace(shape, also_takes=("number", "boolean"))
            return shape
        case _ if kind.endswith(("HyperlinkedRelatedField", "HyperlinkedIdentityField")):
            return Scalar(type="string", format="uri", origin=origin)
        case _:
            reason = Reason("field-class-accepts-anything", kind=kind)
            return Unknown(reason=reason, nullable=None, origin=origin)


def _is_number(program: Program, made: LibraryResult) -> bool:
    """Whether a `DecimalField` writes numbers, as it or the settings say."""
    value = argument_value(program, made, "coerce_to_string")
    if isinstance(value, Constant) and isinstance(value.value, bool):
        return not value.value
    return value is None and writes_decimals_as_numbers(program)


def column_shape(program: Program, schema: Schema) -> Schema:
    """How a serializer writes the value of a model's column."""
    is_decimal = isinstance(schema, Scalar) and schema.format == "decimal"
    if is_decimal and writes_decimals_as_numbers(program):
        return replace(schema, type="number", format="")
    return schema


def _first_argument(program: Program, made: LibraryResult) -> Value | None:
    first = positional(made)
    return program.evaluate(first, made.scope) if first is not None else None


def _first_text(program: Program, made: LibraryResult) -> str | None:
    first = positional(made)
    return program.text(first, made.scope) if first is not None else None


def _child(use: TypeUse, symbol: ClassSymbol, made: LibraryResult, origin: Origin) -> Schema:
    expr = call_arguments(made).get("child")
    value = use.program.evaluate(expr, made.scope) if expr is not None else None
    field = declared_field(use, symbol, None, "child", value, origin) if value is not None else None
    if field is None:
        return Unknown(reason=Reason("field-items-undetermined"), origin=origin)
    return field.schema


def _method_shape(
    program: Program, symbol: ClassSymbol, model: ClassSymbol | None, name: str, origin: Origin
) -> Schema:
    """What the method behind a `SerializerMethodField` gives."""
    method = program.find_method(symbol, name)
    if method is None:
        return Unknown(reason=Reason("name-not-declared", name=name), nullable=None, origin=origin)
    args: tuple[Value, ...] = ()
    if method.function.params and model is not None:
        args = (Instance(model),)
    result = program.evaluator.apply(method, args, method.scope)
    if isinstance(result, ByType):
        # What the body makes in sight has no more fields than it is made with.
        result = program.evaluator.returned_value(method)
    if isinstance(result, Unresolved):
        return Unknown(reason=result.reason, nullable=None, origin=origin)
    shape = program.schema_of(result, variant_of_flags(DUMP))
    if method.function.returns is not None and _gives_text(program, method, args, shape):
        reason = Reason("declared-result-differs", name=name)
        return Unknown(reason=reason, nullable=None, origin=origin)
    return shape


def _gives_text(
    program: Program, method: FunctionValue, args: tuple[Value, ...], declared: Schema
) -> bool:
    """Whether a method that is declared to give a list or an object is seen to give a text: what it
    declares is for people, and nothing checks it."""
    if not isinstance(declared, Array | Object):
        return False
    undeclared = replace(method, function=replace(method.function, returns=None))
    seen = program.schema_of(program.evaluator.apply(undeclared, args, method.scope))
    return isinstance(seen, Scalar)


def _source_shape(
    program: Program, model: ClassSymbol | None, source: str, origin: Origin
) -> Schema:
    """The shape of `source="a.b"` on a model."""
    owner, last = _owner_of_source(program, model, source)
    if owner is None:
        reason = Reason("source-object-undetermined", source=source)
        return Unknown(reason=reason, nullable=None, origin=origin)
    return django.column(program, owner, last).schema


def _owner_of_source(
    program: Program, model: ClassSymbol | None, source: str
) -> tuple[ClassSymbol | None, str]:
    """The model that the last name of `source="a.b"` belongs to, and that name."""
    *path, last = source.split(".")
    for part in path:
        model = related_model(program, model, part)
    return model, last


def _leads_through_null(
    program: Program,
    model: ClassSymbol | None,
    source: str,
    filled: frozenset[str] = frozenset(),
) -> bool | None:
    """Whether a relation on the way to `source="a.b"` may be null, so that there is no `b`."""
    parts = source.split(".")
    for end, part in enumerate(parts[:-1], 1):
        is_open = ".".join(parts[:end]) not in filled
        if model is not None and is_open and django.column(program, model, part).schema.nullable:
            return None if is_filled_in(program, model, part) else True
        model = related_model(program, model, part)
    return False


def _key_shape(
    program: Program, model: ClassSymbol | None, made: LibraryResult, name: str, origin: Origin
) -> Schema:
    source = given_text(program, made, "source") or name
    target = related_model(program, model, source) or _queryset_model(program, made)
    if target is None:
        return Unknown(reason=Reason("related-model-undetermined"), nullable=None, origin=origin)
    return django.primary_key(program, target)


def _slug_shape(
    program: Program, model: ClassSymbol | None, made: LibraryResult, name: str, origin: Origin
) -> Schema:
    slug = given_text(program, made, "slug_field")
    source = given_text(program, made, "source") or name
    target = _queryset_model(program, made) or related_model(program, model, source)
    if target is None or slug is None:
        return Unknown(reason=Reason("related-model-undetermined"), nullable=None, origin=origin)
    return django.column(program, target, slug).schema


def _queryset_model(program: Program, made: LibraryResult) -> ClassSymbol | None:
    expr = call_arguments(made).get("queryset")
    while isinstance(expr, Call | Attribute):
        expr = expr.callee if isinstance(expr, Call) else expr.value
    if expr is None:
        return None
    value = program.evaluate(expr, made.scope)
    return value.symbol if isinstance(value, ClassValue) else None


# ----------------------------------------------------------------------------- to_representation
# What serializers of Django REST framework make of their fields in an own `to_representation`.


def own_representation(program: Program, symbol: ClassSymbol) -> FunctionValue | None:
    """A project's own `to_representation`; None where the library's is used."""
    return program.find_method(symbol, "to_representation")


def represented_schema(
    program: Program, method: FunctionValue, shape: Schema, model: ClassSymbol | None
) -> Schema:
    """The schema that an overridden `to_representation` returns, from the schema that the
    library would write, or that another class of the project does to which `super()` leads."""
    receiver = method.receiver
    if isinstance(receiver, Instance) and method.owner is not None:
        inherited = program.names.classes.next_method(receiver, method.owner, method.function.name)
        if isinstance(inherited, FunctionValue) and inherited.owner is not None:
            above = replace(inherited, receiver=receiver)
            shape = program.types.flat(represented_schema(program, above, shape, model))
        elif isinstance(inherited, Unresolved):
            shape = Unknown(reason=inherited.reason, origin=shape.origin)
    given_name = "@represented"
    body = tuple(
        _with_super(statement, given_name)
        for statement in program.body(method.function, method.scope.file)
    )
    function = replace(method.function, body=body)
    given = as_record(program, shape)
    if isinstance(shape, Object) and not shape.fields and shape.additional is None:
        given = Record((), shape.incomplete_reason, None, shape.origin)
    bindings: dict[str, Value] = {given_name: given}
    if model is not None and method.function.params:
        bindings[method.function.params[0].name] = Instance(model)
    scope = program.function_scope(function, method.scope, bindings)
    scope = replace(scope, receiver=method.receiver or scope.receiver)
    results = [
        program.infer(statement.value, scope)
        for statement in reaching_definitions.returns(body)
        if isinstance(statement, Return) and statement.value is not None
    ]
    return (
        unite(results) if results else Unknown(reason=Reason("to-representation-returns-nothing"))
    )


def _hands_on(program: Program, symbol: ClassSymbol, method: FunctionValue) -> bool:
    """Whether the only `to_representation` of a class gives what the library makes of something,
    as it is."""
    owners = (symbol, *program.bases(symbol))
    own = [m for owner in owners for m in owner.decl.methods if m.name == "to_representation"]
    if len(own) > 1:
        return False
    results = [
        statement.value
        for statement in reaching_definitions.returns(
            program.body(method.function, method.scope.file)
        )
        if isinstance(statement, Return)
    ]
    return bool(results) and all(map(_calls_super, results))


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


# ------------------------------------------------------------------------------------------ Meta
# What the `Meta` of a serializer of Django REST framework says.


def meta_of(program: Program, symbol: ClassSymbol) -> dict[str, Value]:
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


def list_of(program: Program, symbol: ClassSymbol, item: Schema) -> Schema:
    """What a serializer class writes of many objects, each as `item`: an array, unless the list
    serializer that it names writes something else."""
    named = meta_of(program, symbol).get("list_serializer_class")
    if isinstance(named, ClassValue) and any(
        program.find_method(named.symbol, name) is not None
        for name in ("to_representation", "data")
    ):
        reason = Reason("custom-list-format", type=named.symbol.decl.name)
        return Unknown(reason=reason, origin=symbol.origin)
    return Array(items=item, origin=symbol.origin)
