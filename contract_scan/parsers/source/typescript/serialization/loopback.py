"""Models of LoopBack 4: classes whose members are decorated by `@property`, and the schemas that
`getModelSchemaRef(Model, { exclude: ["id"] })` makes of them."""

from __future__ import annotations

from msgspec.structs import replace

from contract_scan.ir.origin import Origin
from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.ir.schema import Array, Field, Object, Scalar, Schema, Unknown, with_nullable
from contract_scan.parsers.source.analysis.domain.hooks import TypeUse
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    ClassSymbol,
    ClassValue,
    Constant,
    FunctionValue,
    Instance,
    Items,
    LibraryResult,
    OneOf,
    Record,
    Scope,
    Value,
)
from contract_scan.parsers.source.facts.nodes import (
    Annotation,
    Expr,
    LiteralExpr,
    Member,
    ObjectLiteral,
)

_REPOSITORY = "@loopback/repository."
_RELATIONS = frozenset({"hasMany", "hasOne", "belongsTo", "referencesMany"})
_SCHEMAS = (
    "getModelSchemaRef",
    "getModelSchemaRefSF",
    "getJsonSchemaRef",
    "getJsonSchema",
    "jsonToSchemaObject",
)
_FROM = (
    "@sourceloop/core.",
    "@loopback/rest.",
    "@loopback/openapi-v3.",
    "@loopback/repository-json-schema.",
)
_SCALARS = {
    "string": Scalar(type="string"),
    "number": Scalar(type="numeric"),
    "boolean": Scalar(type="boolean"),
    "date": Scalar(type="string", format="date-time"),
    "String": Scalar(type="string"),
    "Number": Scalar(type="numeric"),
    "Boolean": Scalar(type="boolean"),
    "Date": Scalar(type="string", format="date-time"),
}
_LOADED = Reason("loaded-fields-depend-on-query")
INPUT = "loopback.input"
"""The variant of a model that says what its schema takes."""


def model_schema(use: TypeUse, symbol: ClassSymbol) -> Schema | None:
    """The schema of a serialised model; None for a class that is no model."""
    return model(use.program, symbol, use.variant)


def library_type(use: TypeUse) -> Schema | None:
    """`Count`, what repositories give for a number of rows."""
    if use.name != f"{_REPOSITORY}Count":
        return None
    return Object(fields=(Field(name="count", schema=Scalar(type="numeric")),), name="Count")


def made_schema(program: Program, made: LibraryResult, variant: str) -> Schema | None:
    """The schema that a call makes of a model; None for any other call."""
    module, _, name = made.name.rpartition(".")
    if name not in _SCHEMAS or f"{module}." not in _FROM or not made.site.args:
        return None
    given = program.evaluate(made.site.args[0].value, made.scope)
    if name == "jsonToSchemaObject":
        return program.schema_of(given, variant)
    origin = Origin(made.scope.file.path, made.site.span)
    if isinstance(given, OneOf):
        given = next((v for v in given.options if isinstance(v, ClassValue)), given)
    if not isinstance(given, ClassValue):
        return Unknown(reason=Reason("schema-model-not-found"), origin=origin)
    shape: Schema | None = model(program, given.symbol, INPUT)
    if shape is None:
        shape = program.types.flat(program.schema_of(Instance(given.symbol), variant))
    options = None
    if len(made.site.args) > 1:
        options = program.evaluate(made.site.args[1].value, made.scope)
    return _with_model_options(program, shape, options) if isinstance(shape, Object) else shape


def _with_model_options(program: Program, shape: Object, options: Value | None) -> Object:
    """`{ partial, exclude, optional }`."""
    entries = {e.name: e.value for e in options.entries} if isinstance(options, Record) else {}

    def names(key: str) -> set[str]:
        value = entries.get(key)
        items = value.values if isinstance(value, Items) else (value,) if value is not None else ()
        texts = (program.evaluator.text(item) for item in items)
        return {text for text in texts if text is not None}

    excluded, optional = names("exclude"), names("optional")
    partial = entries.get("partial")
    every = isinstance(partial, Constant) and partial.value is True
    fields = tuple(
        replace(field, required=False) if every or field.name in optional else field
        for field in shape.fields
        if field.name not in excluded
    )
    return replace(shape, fields=fields)


def model(program: Program, symbol: ClassSymbol, variant: str) -> Object | None:
    """The fields of a model and of those it extends."""
    fields: dict[str, Field] = {}
    known = False
    hidden: set[str] = set()
    for owner in reversed([symbol, *program.bases(symbol)]):
        if owner.decl.kind != "class":
            continue
        scope = program.class_scope(owner)
        hidden |= _hidden_properties(program, owner, scope)
        for member in owner.decl.members:
            annotation, kind = _kind(program, member, scope)
            if annotation is None:
                continue
            known = True
            field = _field(program, member, annotation, kind, scope, variant)
            if field is None:
                hidden.add(member.name)
            else:
                fields[field.name] = field
    if not known:
        return None
    if variant != INPUT:
        fields = {name: field for name, field in fields.items() if name not in hidden}
    return Object(fields=tuple(fields.values()), name=symbol.decl.name, origin=symbol.origin)


def _kind(program: Program, member: Member, scope: Scope) -> tuple[Annotation | None, str]:
    for annotation in member.annotations:
        if annotation.callee is None:
            continue
        name = program.qualified_name(annotation.callee, scope)
        if name.startswith(_REPOSITORY):
            return annotation, name.removeprefix(_REPOSITORY)
    return None, ""


def _hidden_properties(program: Program, owner: ClassSymbol, scope: Scope) -> set[str]:
    """`@model({ settings: { hiddenProperties: [...] } })`."""
    for annotation in owner.decl.annotations:
        for argument in annotation.args:
            value = program.evaluate(argument.value, scope)
            found = _path(value, "settings", "hiddenProperties") or _path(value, "hiddenProperties")
            if isinstance(found, Items):
                texts = (program.evaluator.text(item) for item in found.values)
                return {text for text in texts if text is not None}
    return set()


def _path(value: Value | None, *names: str) -> Value | None:
    for name in names:
        if not isinstance(value, Record):
            return None
        value = next((e.value for e in value.entries if e.name == name), None)
    return value


def _field(
    program: Program,
    member: Member,
    annotation: Annotation,
    kind: str,
    scope: Scope,
    variant: str,
) -> Field | None:
    origin = Origin(scope.file.path, member.span)
    head = kind.split(".")[0]
    if head in _RELATIONS and head != "belongsTo":
        if variant == INPUT:
            return None
        reason = Unknown(reason=Reason("relation-written-as-loaded"), origin=origin)
        return Field(
            name=member.name,
            schema=reason,
            required=None,
            undetermined_reason=_LOADED,
            origin=origin,
        )
    options = annotation.args[-1].value if annotation.args else None
    said = {e.key: e.value for e in options.entries} if isinstance(options, ObjectLiteral) else {}
    if _is_literal(said.get("hidden"), True) and variant != INPUT:
        return None
    required = _is_literal(said.get("required"), True)
    schema = _shape(program, member, annotation, kind, said, scope, variant, origin)
    has_default = (
        "default" in said or "defaultFn" in said or _is_literal(said.get("generated"), True)
    )
    if variant == INPUT:
        return Field(
            name=member.name,
            schema=schema,
            required=required,
            has_default=has_default,
            origin=origin,
        )
    return Field(
        name=member.name,
        schema=schema,
        required=True if required else None,
        undetermined_reason=NO_REASON if required else _LOADED,
        origin=origin,
    )


def _shape(
    program: Program,
    member: Member,
    annotation: Annotation,
    kind: str,
    said: dict[str | None, Expr],
    scope: Scope,
    variant: str,
    origin: Origin,
) -> Schema:
    if kind == "property.array" and annotation.args:
        inner = _of_type(program, annotation.args[0].value, scope, variant, origin)
        return Array(items=inner, origin=origin)
    own = said.get("type")
    named = own.value if isinstance(own, LiteralExpr) else None
    if named == "array":
        item = said.get("itemType")
        inner = Unknown(reason=Reason("property-items-not-declared"), origin=origin)
        if item is not None:
            return Array(items=_of_type(program, item, scope, variant, origin), origin=origin)
        return Array(items=inner, origin=origin)
    declared: Schema | None = None
    if member.type is not None:
        declared = program.types.flat(program.schema(member.type, scope, variant))
    noted = _of_type(program, own, scope, variant, origin) if own is not None else None
    found = _schema_of_type_and_decorator(declared, noted, variant, origin)
    return _with_json_schema(program, found, said.get("jsonSchema"), scope, variant)


def _schema_of_type_and_decorator(
    declared: Schema | None, noted: Schema | None, variant: str, origin: Origin
) -> Schema:
    """What the type and the decorator say together: requests are checked by the decorator."""
    if noted is None or isinstance(noted, Unknown):
        known = declared if declared is not None and not isinstance(declared, Unknown) else noted
        return known or Unknown(reason=Reason("property-untyped"), origin=origin)
    if declared is None or isinstance(declared, Unknown):
        return noted
    if not isinstance(noted, Scalar):
        return declared
    if isinstance(declared, Scalar) and declared.type == noted.type:
        # A string in the code may be a date for the schema; an enum says more than its type.
        return declared if declared.values is not None else noted
    if variant == INPUT:
        return noted
    return Unknown(reason=Reason("type-and-decorator-disagree"), origin=origin)


def _with_json_schema(
    program: Program, schema: Schema, given: Expr | None, scope: Scope, variant: str
) -> Schema:
    """`jsonSchema: { nullable: true, enum: [...] }`."""
    value = program.evaluate(given, scope) if given is not None else None
    entries = {e.name: e.value for e in value.entries} if isinstance(value, Record) else {}
    values = entries.get("enum")
    if isinstance(values, Items) and isinstance(schema, Scalar):
        texts = [item.value for item in values.values if isinstance(item, Constant)]
        if len(texts) == len(values.values):
            schema = replace(schema, values=tuple(texts))
    null = entries.get("nullable")
    if isinstance(null, Constant) and null.value is True:
        return with_nullable(schema, True if variant == INPUT else None)
    return schema


def _of_type(program: Program, expr: Expr, scope: Scope, variant: str, origin: Origin) -> Schema:
    """`"string"`, `String`, a model, or a function that gives one."""
    value = program.evaluate(expr, scope)
    if isinstance(value, FunctionValue):
        value = program.evaluator.returned_value(value)
    name = value.value if isinstance(value, Constant) else program.evaluator.qualified_name(value)
    if isinstance(name, str) and name in _SCALARS:
        return replace(_SCALARS[name], origin=origin)
    if isinstance(value, ClassValue):
        return program.schema_of(Instance(value.symbol), variant)
    if name in ("object", "any", "Object"):
        return Unknown(
            reason=Reason("property-accepts-any-object"), accepts_any=True, origin=origin
        )
    return Unknown(reason=Reason("property-type-not-read"), origin=origin)


def _is_literal(expr: Expr | None, value: object) -> bool:
    return isinstance(expr, LiteralExpr) and expr.value is value
