"""Well-known calls that turn models into data, and data into models."""

from __future__ import annotations

from contract_scan.parsers.source.analysis.domain.hooks import CallSite
from contract_scan.parsers.source.analysis.domain.values import (
    BySchema,
    ByType,
    ClassValue,
    Constant,
    Instance,
    LibrarySymbol,
    OneOf,
    Record,
    Value,
)
from contract_scan.parsers.source.language import CallModel
from contract_scan.parsers.source.python.resolution.type_expressions import as_type
from contract_scan.parsers.source.python.serialization.include_exclude import (
    field_names,
    select_fields,
)
from contract_scan.parsers.source.python.serialization.marshmallow import schemas as marshmallow
from contract_scan.parsers.source.python.serialization.modes import (
    BY_NAME,
    ENCODED,
    EXCLUDE_NONE,
    EXCLUDE_UNSET,
    variant_of_flags,
)


def model_data(site: CallSite, value: Value, *, by_alias: bool) -> Value:
    """A model turned into data with the options of the call (`exclude_none=True` …)."""
    variant_flags = [
        EXCLUDE_NONE if _is_set(site, "exclude_none") else "",
        EXCLUDE_UNSET if _is_set(site, "exclude_unset", "exclude_defaults") else "",
    ]
    alias = _option(site, "by_alias")
    if isinstance(alias, Constant):
        by_alias = alias.value is True
    variant_flags.append("" if by_alias else BY_NAME)
    variant_flags.append(ENCODED if site.name.endswith("jsonable_encoder") else "")
    schema = site.program.schema_of(value, variant_of_flags(*variant_flags))
    include, exclude = _names(site, "include"), _names(site, "exclude")
    if include is not None or exclude is not None:
        schema = select_fields(site.program.types.flat(schema), include, exclude)
    return BySchema(schema)


def _is_set(site: CallSite, *names: str) -> bool:
    return any(
        isinstance(value, Constant) and value.value is True
        for value in (_option(site, name) for name in names)
    )


def _option(site: CallSite, name: str) -> Value | None:
    """What an option is given, also by keyword arguments that a project's own `model_dump` hands on
    after it has put its defaults among them: `kwargs["by_alias"] = True`."""
    value = site.value(-1, name)
    if value is not None:
        return value
    for argument in site.call.args:
        if argument.spread == "**":
            record = site.program.evaluate(argument.value, site.scope)
            if isinstance(record, Record):
                return next((e.value for e in record.entries if e.name == name), None)
    return None


def _names(site: CallSite, argument: str) -> dict[str, bool] | None:
    """The field names of `include=` or `exclude=`, and whether the whole field is meant; an empty
    name where some is undetermined."""
    value = _option(site, argument)
    if value is None or (isinstance(value, Constant) and value.value is None):
        return None
    return field_names(site.program, value)


def _model_dump(site: CallSite) -> Value | None:
    """`.model_dump()`, `.dict()`, `.json()` of a model."""
    match site.receiver:
        case Instance() | ByType() | BySchema() | OneOf():
            return model_data(site, site.receiver, by_alias=False)
        case LibrarySymbol(name="super") if site.scope.receiver is not None:
            return model_data(site, site.scope.receiver, by_alias=False)
        case _:
            return None


def _as_data(site: CallSite) -> Value | None:
    """`asdict(x)`, `msgspec.to_builtins(x)`."""
    value = site.value(0)
    return BySchema(site.program.schema_of(value)) if value is not None else None


def _jsonable(site: CallSite) -> Value | None:
    value = site.value(0)
    return model_data(site, value, by_alias=True) if value is not None else None


def _model_instance(site: CallSite) -> Value | None:
    """`Model.model_validate(x)` makes a `Model`."""
    if isinstance(site.receiver, ClassValue):
        return Instance(site.receiver.symbol, site.receiver.types)
    return None


def _parsed_as(site: CallSite) -> Value | None:
    """`parse_obj_as(list[Order], x)`."""
    declared = site.argument(0)
    type = as_type(declared) if declared is not None else None
    return ByType(type, site.scope) if type is not None else None


def _schema_dump(site: CallSite) -> Value | None:
    """`schema.dump(x)`, `.dump(xs, many=True)` and flask-marshmallow's `.jsonify` of a schema."""
    if site.receiver is None or not marshmallow.is_schema_value(site.program, site.receiver):
        return None
    many = site.value(-1, "many")
    wanted = many.value is True if isinstance(many, Constant) else None
    return BySchema(marshmallow.dump_schema(site.program, site.receiver, wanted))


def _schema_load(site: CallSite) -> Value | None:
    """`schema.load(x)`."""
    if site.receiver is None or not marshmallow.is_schema_value(site.program, site.receiver):
        return None
    partial = marshmallow.loads_partly(site.program, site.argument(-1, "partial"), site.scope)
    return BySchema(marshmallow.load_schema(site.program, site.receiver, partial=partial))


MODELS: dict[str, CallModel] = {
    "dataclasses.asdict": _as_data,
    "attr.asdict": _as_data,
    "attrs.asdict": _as_data,
    "msgspec.to_builtins": _as_data,
    "msgspec.json.encode": _as_data,
    "fastapi.encoders.jsonable_encoder": _jsonable,
    "pydantic.parse_obj_as": _parsed_as,
    "pydantic.tools.parse_obj_as": _parsed_as,
    ".dict": _model_dump,
    ".model_dump": _model_dump,
    ".model_dump_json": _model_dump,
    ".json": _model_dump,
    ".model_validate": _model_instance,
    ".model_validate_json": _model_instance,
    ".model_construct": _model_instance,
    ".parse_obj": _model_instance,
    ".parse_raw": _model_instance,
    ".from_orm": _model_instance,
    ".construct": _model_instance,
    ".dump": _schema_dump,
    ".dumps": _schema_dump,
    ".jsonify": _schema_dump,
    ".load": _schema_load,
}
