"""Output fields of Flask-RESTful and Flask-RESTX: dicts of field objects, `api.model(…)`."""

from __future__ import annotations

from contract_scan.ir.origin import Origin
from contract_scan.ir.reasons import Reason
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
    Constant,
    FunctionValue,
    Items,
    LibraryResult,
    LibrarySymbol,
    Record,
    Value,
)
from contract_scan.parsers.source.facts.nodes import Expr
from contract_scan.parsers.source.python.serialization.fields import (
    argument_value,
    call_arguments,
    is_true,
    positional,
)

_PACKAGES = frozenset({"flask_restful", "flask_restx", "flask_restplus"})
_SCALARS: dict[str, tuple[ScalarType, str]] = {
    **dict.fromkeys(("String", "ClassName", "FormattedString", "Arbitrary"), ("string", "")),
    **dict.fromkeys(("Fixed", "Price"), ("string", "")),
    **dict.fromkeys(("Url", "URI"), ("string", "")),
    "Integer": ("integer", ""),
    **dict.fromkeys(("Float", "Number"), ("number", "")),
    "Boolean": ("boolean", ""),
    "DateTime": ("string", "date-time"),
    "Date": ("string", "date"),
}


def is_fields(program: Program, value: Value) -> bool:
    """Whether a value describes output: a model, or a dict of fields."""
    match value:
        case LibraryResult(name=name):
            return name.rpartition(".")[2] in ("model", "inherit", "clone", "schema_model") and (
                name.partition(".")[0] in _PACKAGES
            )
        case Record(entries=entries):
            return bool(entries) and all(_field_class(e.value) for e in entries)
        case _:
            return False


def marshalled_schema(program: Program, value: Value) -> Schema:
    """The schema of what marshalling with a model or a dict of fields returns."""
    match value:
        case Record(entries=entries, origin=origin):
            fields = tuple(
                _field(program, entry.name, entry.value, entry.origin) for entry in entries
            )
            return Object(fields=fields, origin=origin or Origin(""))
        case LibraryResult(name=name, site=site, scope=scope):
            origin = Origin(scope.file.path, site.span)
            kind = name.rpartition(".")[2]
            if kind == "model":
                expr = positional(value, 1) or call_arguments(value).get("model")
                return _model_schema(program, value, [] if expr is None else [expr])
            if kind in ("inherit", "clone"):
                return _model_schema(program, value, [a.value for a in site.args[1:] if not a.name])
            return Unknown(reason=Reason("model-written-as-json-schema"), origin=origin)
        case LibrarySymbol() if _field_class(value):
            return _shape(program, value, Origin(""))
        case _:
            return Unknown(reason=Reason("output-fields-undetermined"))


def _model_schema(program: Program, made: LibraryResult, parts: list[Expr]) -> Schema:
    """A model with the fields of its parents and its own."""
    origin = Origin(made.scope.file.path, made.site.span)
    first = positional(made)
    name = program.text(first, made.scope) if first is not None else None
    fields: dict[str, Field] = {}
    for expr in parts:
        value = program.evaluate(expr, made.scope)
        part = marshalled_schema(program, value)
        if not isinstance(part, Object):
            return (
                part if isinstance(part, Unknown) else Unknown(reason=Reason("model-not-an-object"))
            )
        fields.update((field.name, field) for field in part.fields)
    return Object(fields=tuple(fields.values()), name=name or "", origin=origin)


def _field_class(value: Value) -> str:
    """The class of a field, empty where the value is none."""
    if isinstance(value, Record):
        return "Nested"
    if not isinstance(value, LibraryResult | LibrarySymbol):
        return ""
    package, _, last = value.name.rpartition(".")
    return last if package.partition(".")[0] in _PACKAGES and last[:1].isupper() else ""


def _field(program: Program, name: str, value: Value, origin: Origin) -> Field:
    made = value if isinstance(value, LibraryResult) else None
    required = made is not None and is_true(argument_value(program, made, "required"))
    shape = _shape(program, value, origin)
    return Field(
        name=name,
        schema=shape,
        has_default=not required,
        read_only=made is not None and is_true(argument_value(program, made, "readonly")),
        origin=origin,
    )


def _shape(program: Program, value: Value, origin: Origin) -> Schema:
    if isinstance(value, Record):
        return marshalled_schema(program, value)
    kind = _field_class(value)
    made = value if isinstance(value, LibraryResult) else None
    known = _SCALARS.get(kind)
    if known is not None:
        values = _choices(program, made) if made is not None else None
        return Scalar(type=known[0], format=known[1], values=values, origin=origin)
    if made is None:
        return _unknown_schema(kind, origin)
    first = positional(made)
    inner = program.evaluate(first, made.scope) if first is not None else None
    if isinstance(inner, FunctionValue):
        inner = program.evaluator.apply(inner, (), made.scope)
    match kind:
        case "List" if inner is not None:
            items = _shape(program, inner, origin)
            return Array(items=items, origin=origin)
        case "Nested" if inner is not None:
            shape_of = marshalled_schema(program, inner)
            if is_true(argument_value(program, made, "as_list")):
                return Array(items=shape_of, origin=origin)
            nullable = is_true(argument_value(program, made, "allow_null"))
            return with_nullable(shape_of, True) if nullable else shape_of
        case "Wildcard" if inner is not None:
            return Object(additional=_shape(program, inner, origin), origin=origin)
        case _:
            return _unknown_schema(kind, origin)


def _choices(program: Program, made: LibraryResult) -> tuple[LiteralValue, ...] | None:
    value = argument_value(program, made, "enum")
    if not isinstance(value, Items) or value.repeated:
        return None
    constants = tuple(item.value for item in value.values if isinstance(item, Constant))
    return constants if len(constants) == len(value.values) else None


def _unknown_schema(kind: str, origin: Origin) -> Schema:
    reason = Reason("field-class-accepts-anything", kind=kind)
    return Unknown(reason=reason, nullable=None, origin=origin)
