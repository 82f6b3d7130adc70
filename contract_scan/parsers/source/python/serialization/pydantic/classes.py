"""Pydantic models, versions 1 and 2: names on the wire, defaults, computed and excluded fields."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec.structs import replace

from contract_scan.ir.origin import Origin
from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.ir.schema import Field, Object, Scalar, Schema, Union, Unknown, with_nullable
from contract_scan.parsers.source.analysis.domain.hooks import TypeUse
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.schemas import unite
from contract_scan.parsers.source.analysis.domain.values import (
    ByType,
    ClassSymbol,
    ClassValue,
    Constant,
    FunctionValue,
    LibraryResult,
    LibrarySymbol,
    Scope,
    Value,
)
from contract_scan.parsers.source.analysis.refinement.conditions import (
    ConditionContext,
    evaluate_condition,
)
from contract_scan.parsers.source.analysis.refinement.pruning import reachable_exits
from contract_scan.parsers.source.facts.nodes import (
    Attribute,
    Call,
    Choice,
    Expr,
    Function,
    Member,
    Name,
    NamedType,
    ObjectLiteral,
    Return,
    TypeExpr,
)
from contract_scan.parsers.source.python.resolution.library_versions import pydantic_major
from contract_scan.parsers.source.python.serialization.fields import (
    function_result,
    is_secret,
    is_special,
    left_out,
    member_origin,
    or_converted,
    substitute_formats,
    with_null_default,
)
from contract_scan.parsers.source.python.serialization.kinds import LibraryBase
from contract_scan.parsers.source.python.serialization.modes import LOAD, flags
from contract_scan.parsers.source.python.serialization.pydantic.config import (
    FieldNaming,
    Setting,
    Spec,
    additional,
    settings_of,
)
from contract_scan.parsers.source.python.serialization.pydantic.fields import DeclaredField, spec_of
from contract_scan.parsers.source.python.serialization.pydantic.nested import with_inherited_naming
from contract_scan.parsers.source.python.serialization.pydantic.validators import (
    converted_fields,
    validated_field,
    with_doubted_null,
    with_validated_items,
)

BASES = frozenset(
    {
        "pydantic.BaseModel",
        "pydantic.main.BaseModel",
        "pydantic.v1.BaseModel",
        "pydantic.RootModel",
        "pydantic.generics.GenericModel",
        "pydantic.v1.generics.GenericModel",
        "pydantic.BaseSettings",
        "pydantic_settings.BaseSettings",
        "sqlmodel.SQLModel",
        "sqlmodel.main.SQLModel",
        "fastapi_utils.api_model.APIModel",
        "fastapi_camelcase.CamelModel",
        "beanie.Document",
        "ninja.Schema",
        "ninja.schema.Schema",
        "ninja.ModelSchema",
        "ninja.orm.ModelSchema",
        "ninja.FilterSchema",
        "ninja_schema.Schema",
        "ninja_schema.ModelSchema",
        "BaseModel",
    }
)
"""Bases that make a class a pydantic model."""
DATACLASS = frozenset({"pydantic.dataclasses.dataclass", "pydantic.v1.dataclasses.dataclass"})
_WITHOUT_FIELDS = frozenset({"Generic", "Protocol", "ABC", "object", "Hashable"})


def schema(use: TypeUse, symbol: ClassSymbol, bases: tuple[LibraryBase, ...]) -> Schema:
    """How instances of a pydantic model look on the wire."""
    program = use.program
    root = _root(use, symbol, bases)
    if root is not None:
        return root
    major = _major(program, symbol, bases)
    chain = use.chain(symbol)
    settings = settings_of(program, symbol)
    overridden = _schema_of_own_serializer(use, symbol, chain, major)
    if overridden is not None:
        return overridden
    stated = program.stated_naming(symbol.file.path)
    naming = FieldNaming(program, settings, bases, major, use.variant, stated)
    if naming.unclear:
        return Unknown(
            reason=Reason("in-type", type=symbol.decl.name, unclear=naming.unclear),
            origin=symbol.origin,
        )
    loads = LOAD in flags(use.variant)
    naming.encoders = _TAKEN_AS_NUMBERS if loads else encoders(use, settings)
    serializers = {} if loads else _field_serializers(use, chain)
    converted = converted_fields(use, chain) if loads else frozenset()
    fields: list[Field] = []
    for declared in _declared_fields(program, chain, major):
        field = _field(use, declared, naming, serializers, major)
        if isinstance(field, Unknown):
            return replace(
                field, reason=Reason("in-type", type=symbol.decl.name, unclear=field.reason)
            )
        if field is not None and converted & {declared.member.name, "*"}:
            field = replace(field, schema=or_converted(field.schema, declared.member.name))
        if field is not None and not loads:
            shape = with_doubted_null(use, symbol, declared, field.schema)
            shape = with_validated_items(use, symbol, declared, shape)
            field = field if shape is field.schema else replace(field, schema=shape)
        if field is not None and loads:
            field = validated_field(use, symbol, declared, field)
        if field is not None:
            fields.append(field)
    fields.extend(_computed_fields(use, chain, naming))
    unread = next((b.name for b in bases if not _is_read(b)), "")
    return Object(
        fields=tuple(left_out(fields, use.variant)),
        additional=additional(settings),
        incomplete_reason=Reason("base-class-from-library", unread=unread) if unread else NO_REASON,
        name=symbol.decl.name,
        origin=symbol.origin,
    )


def _is_read(base: LibraryBase) -> bool:
    return base.name in BASES or base.simple_name in _WITHOUT_FIELDS


def _major(program: Program, symbol: ClassSymbol, bases: tuple[LibraryBase, ...]) -> int:
    if any(".v1." in base.name or base.name.startswith("pydantic.generics") for base in bases):
        return 1
    return pydantic_major(program, symbol.file.path)


def _root(use: TypeUse, symbol: ClassSymbol, bases: tuple[LibraryBase, ...]) -> Schema | None:
    """The shape of a model that stands for a single value (`RootModel[X]`, `__root__: X`)."""
    for owner, scope in use.chain(symbol):
        for member in owner.decl.members:
            is_root = member.name == "__root__" or (
                member.name == "root" and any(b.simple_name == "RootModel" for b in bases)
            )
            if is_root and member.type is not None:
                return use.schema(member.type, scope)
        for base in bases:
            if base.simple_name == "RootModel" and base.owner.key == owner.key and base.type.args:
                return use.schema(base.type.args[0], scope)
    return None


def _schema_of_own_serializer(
    use: TypeUse, symbol: ClassSymbol, chain: list[tuple[ClassSymbol, Scope]], major: int
) -> Schema | None:
    """The shape where the model writes itself (`@model_serializer`, its own `dict`), which says
    nothing of what it reads."""
    loads = LOAD in flags(use.variant)
    for owner, _ in chain:
        for method in owner.decl.methods:
            if method.name == "__get_pydantic_core_schema__":
                reason = Reason(
                    "method-decides-serialization", owner=owner.decl.name, method=method.name
                )
                return Unknown(reason=reason, origin=Origin(owner.file.path, method.name_span))
            if major == 1 and method.name == "dict" and not loads:
                reason = Reason("dict-overridden", owner=owner.decl.name)
                return Unknown(reason=reason, origin=Origin(owner.file.path, method.name_span))
            for annotation in method.annotations:
                if loads or annotation.name.rpartition(".")[2] != "model_serializer":
                    continue
                if any(a.name == "mode" for a in annotation.args):
                    reason = Reason("wrapping-model-serializer", owner=owner.decl.name)
                    return Unknown(reason=reason, origin=symbol.origin)
                return function_result(use, symbol, method.name)
    return None


# --------------------------------------------------------------------------- fields


def _declared_fields(
    program: Program, chain: list[tuple[ClassSymbol, Scope]], major: int
) -> list[DeclaredField]:
    """The fields of a model, its bases' before its own. Of fields that several bases have, pydantic
    (1 and 2) takes that of the first base, also where this only inherits it and a later one
    declares it anew: the order of bases, not that of Python's method resolution."""
    scopes = {owner.key: (owner, scope) for owner, scope in chain}
    found: dict[str, DeclaredField] = {}
    of_classes: dict[str, dict[str, DeclaredField]] = {}
    for owner, _ in reversed(chain):  # bases behind an alias are in the chain alone
        found.update(_fields_of(program, owner.key, scopes, major, of_classes))
    return list(found.values())


def _fields_of(
    program: Program,
    key: str,
    scopes: dict[str, tuple[ClassSymbol, Scope]],
    major: int,
    of_classes: dict[str, dict[str, DeclaredField]],
) -> dict[str, DeclaredField]:
    """The fields of one class of a chain by their names. `of_classes`: those of classes that are
    known by now."""
    if key in of_classes:
        return of_classes[key]
    owner, scope = scopes[key]
    found = of_classes[key] = {}
    for base in reversed(owner.decl.bases):
        named = isinstance(base, NamedType) and program.names.lookup_type(
            base.name, scope.parent or scope
        )
        if isinstance(named, ClassValue) and named.symbol.key in scopes:
            found.update(_fields_of(program, named.symbol.key, scopes, major, of_classes))
    for member in owner.decl.members:
        if "constructor" in member.modifiers or not _is_field(member):
            continue
        known = found.get(member.name)
        if member.type is not None:
            found[member.name] = DeclaredField(owner, scope, member, member.type, scope)
        elif known is not None:
            found[member.name] = DeclaredField(owner, scope, member, known.type, known.type_scope)
        elif major == 1:
            found[member.name] = DeclaredField(owner, scope, member, None, scope)
    return found


def _is_field(member: Member) -> bool:
    name = member.name
    if name.startswith("_") or name == "model_config" or name == "Config":
        return False
    return not is_special(member.type, "ClassVar")


def _field(
    use: TypeUse,
    declared: DeclaredField,
    naming: FieldNaming,
    serializers: dict[str, Schema],
    major: int,
) -> Field | Unknown | None:
    program, member = use.program, declared.member
    origin = member_origin(declared.owner, member)
    spec, skip = spec_of(use, declared)
    if skip:
        return None
    type, type_scope = declared.type, declared.type_scope
    if type is None:
        value = None if member.value is None else program.evaluate(member.value, declared.scope)
        shape = (
            use.schema_of(value)
            if value is not None and not isinstance(value, LibraryResult)
            else None
        )
        if not isinstance(shape, Scalar):
            return None
        schema: Schema = replace(shape, values=None)
    else:
        schema = with_inherited_naming(use, use.schema(type, type_scope), naming)
    if naming.encoders:
        schema = substitute_formats(schema, naming.encoders)
    if spec.discriminator and isinstance(schema, Union):
        schema = replace(schema, discriminator=spec.discriminator)
    serialized = serializers.get(member.name) or serializers.get("*")
    if serialized is not None:
        unclear = serialized.nullable is None and schema.nullable is True
        schema = with_nullable(serialized, True) if unclear else serialized
    implicit_null = major == 1 and schema.nullable is True
    if spec.null_default:
        schema = with_null_default(schema, member.name)  # validators often fill it in
    name = naming.output_name(member.name, spec)
    if spec.unclear or name is None:
        why = spec.unclear or Reason("alias-generator-not-read")
        return Unknown(reason=Reason("in-field", member=member.name, why=why), origin=origin)
    accepted = naming.input_names(member.name, spec)
    return Field(
        name=name,
        schema=schema,
        required=True,
        has_default=spec.has_default or (implicit_null and not spec.is_required),
        write_only=spec.exclude,
        accepts=() if accepted == (name,) else accepted,
        declared_as=member.name if member.name != name else "",
        either_name=member.name != name and not naming.by_alias,
        undetermined_reason=_why_doubtful(type),
        origin=origin,
    )


def _why_doubtful(type: TypeExpr | None) -> Reason:
    """Why it is undetermined whether a field is ever sent; empty where it is."""
    if is_secret(type):
        return Reason("secret-masked")
    if isinstance(type, NamedType) and type.name.rpartition(".")[2] == "SkipJsonSchema":
        return Reason("skip-json-schema")
    return NO_REASON


# --------------------------------------------------------------------------- methods


def _computed_fields(
    use: TypeUse, chain: list[tuple[ClassSymbol, Scope]], naming: FieldNaming
) -> Iterator[Field]:
    """The properties that `@computed_field` adds to the output."""
    found: dict[str, Field] = {}
    for owner, scope in reversed(chain):
        for method in owner.decl.methods:
            annotation = next(
                (a for a in method.annotations if a.name.rpartition(".")[2] == "computed_field"),
                None,
            )
            if annotation is None:
                continue
            alias = next((a.value for a in annotation.args if a.name == "alias"), None)
            spec = Spec(alias=use.program.text(alias, scope))
            name = naming.output_name(method.name, spec) or method.name
            found[method.name] = Field(
                name=name,
                schema=method_result(use, owner, method, scope),
                read_only=True,
                declared_as=method.name if name != method.name else "",
                origin=Origin(
                    owner.file.path,
                    method.name_span,
                    "",
                    f"{owner.qualified_name}.{method.name}",
                ),
            )
    yield from found.values()


# ----------------------------------------------------------------------------------- serializers
# Methods of pydantic models that write or convert a field, or all that a property gives.


def _field_serializers(use: TypeUse, chain: list[tuple[ClassSymbol, Scope]]) -> dict[str, Schema]:
    """Field name -> what its `@field_serializer` gives."""
    found: dict[str, Schema] = {}
    for owner, scope in reversed(chain):
        for method in owner.decl.methods:
            for annotation in method.annotations:
                if annotation.name.rpartition(".")[2] not in ("field_serializer", "serializer"):
                    continue
                shape = _json_schema(use, owner, method, scope)
                names = [a.value for a in annotation.args if not a.name]
                if len(names) > 1 and shape.nullable is True:
                    # Null is for those of them that may be null.
                    reason = Reason("null-by-serializer", name=method.name)
                    shape = replace(shape, nullable=None, null_reason=reason)
                for expr in names:
                    name = use.program.text(expr, scope)
                    if name is not None:
                        found[name] = shape
    return found


def method_result(use: TypeUse, owner: ClassSymbol, method: Function, scope: Scope) -> Schema:
    """What a method gives."""
    value = FunctionValue(method, scope, owner, scope.receiver)
    return use.schema_of(use.program.evaluator.apply(value, (), use.scope))


def _json_schema(use: TypeUse, owner: ClassSymbol, method: Function, scope: Scope) -> Schema:
    """The schema of what a serializer returns in JSON mode, which it may ask its last parameter
    for."""
    parameter_names = [
        param.name for param in method.params if param.name not in ("self", "this", "cls")
    ]
    inside = use.program.function_scope(method, scope)
    inside = replace(inside, receiver=scope.receiver, owner=owner)
    if method.returns is not None or len(parameter_names) < 2 or not inside.statements:
        return method_result(use, owner, method, scope)
    info = parameter_names[-1]

    def known_value(expr: Expr) -> Value | None:
        match expr:
            case Attribute(value=Name(id=id), name="mode") if id == info:
                return Constant("json")
            case Call(callee=Attribute(value=Name(id=id), name="mode_is_json")) if id == info:
                return Constant(True)
            case _:
                return None

    known = ConditionContext(use.program, inside, known_value)
    ends = reachable_exits(inside.statements, known)
    results = [end.value for end in ends if isinstance(end, Return) and end.value is not None]
    results = [_chosen_option(value, known) for value in results]
    if not results:
        return method_result(use, owner, method, scope)
    return unite(use.schema_of(use.program.evaluate(value, inside)) for value in results)


def _chosen_option(value: Expr, known: ConditionContext) -> Expr:
    """The option of `a if info.mode == "json" else b` that applies."""
    if isinstance(value, Choice):
        for option, test in zip(value.options, value.given, strict=False):
            if evaluate_condition(test, known) is True:
                return option
    return value


# -------------------------------------------------------------------------------------- encoders
# What functions that pydantic's models name for writing values make of them.


_ENCODED_FORMATS = {
    "datetime.datetime": "date-time",
    "datetime.date": "date",
    "datetime.time": "time",
    "datetime.timedelta": "duration",
    "decimal.Decimal": "decimal",
    "uuid.UUID": "uuid",
}


_TAKEN_AS_NUMBERS: Mapping[str, Schema] = {
    format: Scalar(
        type="string",
        format=format,
        also_takes=("number",),
        also_formats=("date",) if format == "date-time" else (),
    )
    for format in ("date-time", "date", "time", "duration")
}
"""Formats of times, of which pydantic reads numbers too: seconds.
https://docs.pydantic.dev/latest/concepts/conversion_table/"""
_NUMBERS: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "ser_json_timedelta": ("float", ("duration",)),
    "ser_json_temporal": ("seconds", ("date-time", "date", "time", "duration")),
}
"""Settings by which pydantic writes times as numbers: the value that says so, and which formats.
https://docs.pydantic.dev/latest/api/config/#pydantic.config.ConfigDict.ser_json_temporal"""


def encoders(use: TypeUse, settings: dict[str, Setting]) -> dict[str, Schema]:
    """Formats that the settings of a model write in another way than usual."""
    formats: dict[str, Schema] = {}
    for name, (numeric, written) in _NUMBERS.items():
        said = settings.get(name)
        value = said.value.value if said and isinstance(said.value, Constant) else None
        if isinstance(value, str) and value in (numeric, "milliseconds"):
            formats.update(dict.fromkeys(written, Scalar(type="number")))
    setting = settings.get("json_encoders")
    if setting is None or not isinstance(setting.expr, ObjectLiteral) or setting.scope is None:
        return formats
    for entry in setting.expr.entries:
        if entry.key_expression is None:
            continue
        name = use.program.qualified_name(entry.key_expression, setting.scope)
        format = _ENCODED_FORMATS.get(name)
        if format is None:
            continue
        function = use.program.evaluate(entry.value, setting.scope)
        result = function_schema(use, function)
        if not (isinstance(result, Scalar) and result.type == "string"):
            formats[format] = result
    return formats


def function_schema(use: TypeUse, function: Value) -> Schema:
    """The schema of what a function that serialises a value returns."""
    match function:
        case LibrarySymbol(name="str" | "repr"):
            return Scalar(type="string")
        case LibrarySymbol(name="float"):
            return Scalar(type="number")
        case LibrarySymbol(name="int"):
            return Scalar(type="integer")
        case FunctionValue(function=declared, scope=scope):
            param = declared.params[0] if declared.params else None
            typed: tuple[Value, ...] = ()
            if param is not None and param.type is not None:
                typed = (ByType(param.type, scope),)
            return use.schema_of(use.program.evaluator.apply(function, typed, use.scope))
        case _:
            return Unknown(reason=Reason("model-json-encoder-not-read"))
