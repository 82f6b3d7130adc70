"""Well-known calls: built-ins, the standard library, and how libraries turn models into data."""

from __future__ import annotations

import re
from collections.abc import Callable

from msgspec.structs import replace

from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import Array, Object, Scalar, ScalarType, Schema, with_nullable
from contract_scan.parsers.source.analysis.domain.hooks import CallSite, always_scalar
from contract_scan.parsers.source.analysis.domain.values import (
    BySchema,
    ByType,
    ClassSymbol,
    ClassValue,
    Constant,
    Instance,
    Items,
    LibrarySymbol,
    ModuleValue,
    OneOf,
    Record,
    Unresolved,
    Value,
    union_of,
)
from contract_scan.parsers.source.analysis.evaluation.setting_defaults import assume_default
from contract_scan.parsers.source.language import CallModel
from contract_scan.parsers.source.python.library_calls.containers import (
    CONTAINERS,
    with_members_set,
)
from contract_scan.parsers.source.python.resolution.type_expressions import as_type
from contract_scan.parsers.source.python.serialization import queries
from contract_scan.parsers.source.python.serialization import unannotated_classes as plain
from contract_scan.parsers.source.python.serialization.include_exclude import (
    field_names,
    select_fields,
)
from contract_scan.parsers.source.python.serialization.kinds import library_bases
from contract_scan.parsers.source.python.serialization.marshmallow import schemas as marshmallow
from contract_scan.parsers.source.python.serialization.modes import (
    BY_NAME,
    ENCODED,
    EXCLUDE_NONE,
    EXCLUDE_UNSET,
    variant_of_flags,
)


def _first_argument(site: CallSite) -> Value | None:
    """A call that gives what it gets."""
    return site.value(0)


def _receiver(site: CallSite) -> Value | None:
    """A method that gives the object back."""
    return site.receiver


def _members(site: CallSite) -> Value | None:
    """`getmembers(self, ismethod)`: (name, method) of every method that the class of an instance
    and its bases in the project have, by name."""
    kind = site.value(1, "predicate")
    instance = site.value(0, "object")
    if not isinstance(instance, Instance) or not isinstance(kind, LibrarySymbol):
        return None
    if kind.name != "inspect.ismethod":
        return None
    owners = (instance.symbol, *site.program.bases(instance.symbol))
    names = sorted({method.name for owner in owners for method in owner.decl.methods})
    pairs: list[Value] = []
    for name in names:
        method = site.program.find_method(instance.symbol, name)
        if method is not None and not name.startswith("__"):
            bound = replace(method, receiver=instance)
            pairs.append(Items((Constant(name), bound), is_tuple=True))
    return Items(tuple(pairs))


# --------------------------------------------------------------------------- strings


def _text_method(change: Callable[..., str] | None = None) -> CallModel:
    """A string method: done on constants, a string for anything else that is one."""

    def call(site: CallSite) -> Value | None:
        receiver = site.receiver
        if isinstance(receiver, Constant) and isinstance(receiver.value, str):
            given = [site.program.text(a.value, site.scope) for a in site.call.args]
            if change is not None and None not in given:
                try:
                    return Constant(change(receiver.value, *given), receiver.span, receiver.path)
                except (TypeError, ValueError):
                    return None
            return BySchema(Scalar(type="string"))
        if receiver is None or isinstance(receiver, Unresolved | LibrarySymbol):
            return None
        shape = site.program.types.flat(site.program.schema_of(receiver))
        if isinstance(shape, Scalar) and shape.type == "string":
            return BySchema(replace(shape, values=None))
        return None

    return call


_REPLACED = re.compile(r"\{(\w*)(?:![rsa])?(?::[^{}]*)?\}|\{\{|\}\}")


def _format(site: CallSite) -> Value | None:
    """`"/{}/{name}".format(a, name=b)`."""
    receiver = site.receiver
    if not isinstance(receiver, Constant) or not isinstance(receiver.value, str):
        return None
    parts: list[Value] = []
    end = position = 0
    for match in _REPLACED.finditer(receiver.value):
        parts.append(Constant(receiver.value[end : match.start()]))
        end = match.end()
        if match[0] in ("{{", "}}"):
            parts.append(Constant(match[0][0]))
            continue
        key = match[1]
        if not key or key.isdigit():
            value = site.value(int(key) if key else position)
            position += 1
        else:
            value = site.value(-1, key)
        parts.append(value or Unresolved(Reason("format-argument-missing")))
    parts.append(Constant(receiver.value[end:]))
    return site.program.evaluator.concatenate(tuple(parts))


def _join(site: CallSite) -> Value | None:
    receiver, given = site.receiver, site.value(0)
    if not isinstance(receiver, Constant) or not isinstance(receiver.value, str):
        return None
    if isinstance(given, Items) and not given.repeated:
        texts = [site.program.evaluator.text(item) for item in given.values]
        if None not in texts:
            return Constant(receiver.value.join(text or "" for text in texts))
    return BySchema(Scalar(type="string"))


def _splits(change: Callable[..., list[str]]) -> CallModel:
    """A method that takes a string apart: done on constants, some strings for anything else."""

    def call(site: CallSite) -> Value | None:
        receiver = site.receiver
        if isinstance(receiver, Constant) and isinstance(receiver.value, str):
            given = [site.program.plain(a.value, site.scope) for a in site.call.args if not a.name]
            if None not in given and len(given) == len(site.call.args):
                try:
                    return Items(tuple(map(Constant, change(receiver.value, *given))))
                except (TypeError, ValueError):
                    return None
        if isinstance(_text_method()(site), BySchema):
            return Items((BySchema(Scalar(type="string")),), True)
        return None

    return call


_CONVERTED: dict[str, ScalarType] = {
    "int": "integer",
    "float": "number",
    "bool": "boolean",
    "str": "string",
}


def _argument(site: CallSite) -> Value | None:
    """`request.args.get("page", 1, type=int)`: text, or what it is converted to; the default, or
    null, where it is not given."""
    wanted = site.argument(2, "type")
    name = "str" if wanted is None else getattr(wanted, "id", "")
    type = _CONVERTED.get(name)
    if type is None:
        return None
    given = BySchema(Scalar(type=type))
    default = site.value(1, "default")
    return union_of((given, Constant(None) if default is None else default))


def _exists(site: CallSite) -> Value | None:
    """Of a query set of Django or a path; what other libraries give differs (Redis counts)."""
    made_by = site.program.evaluator.qualified_name(site.receiver) if site.receiver else ""
    if made_by.startswith(("django.db.", "pathlib.")) or queries.of_django(site):
        return BySchema(Scalar(type="boolean"))
    return None


def _attribute(site: CallSite) -> Value | None:
    """`getattr(order, "total")`, and what stands in where there is none."""
    owner, name = site.value(0), site.argument(1)
    text = None if name is None else site.program.text(name, site.scope)
    if text is not None and isinstance(owner, ModuleValue):
        exported = site.program.names.modules.resolve_export(owner.path, text)
        if exported is None:
            return site.value(2)
        return site.program.evaluator.attribute(owner, text, site.scope, site.call.span)
    if text is None or not isinstance(owner, Instance | ByType | Record | ClassValue):
        return None
    found = site.program.evaluator.attribute(owner, text, site.scope, site.call.span)
    default = site.value(2)
    if default is not None and isinstance(found, Unresolved | LibrarySymbol):
        return None
    return found


def _iso(site: CallSite) -> Value | None:
    """`.isoformat()` keeps the format of a date, time or moment."""
    if site.receiver is None:
        return None
    shape = site.program.types.flat(site.program.schema_of(site.receiver))
    if isinstance(shape, Scalar) and shape.format in ("date", "date-time", "time"):
        return BySchema(replace(shape, nullable=False))
    return BySchema(Scalar(type="string"))


def _strings(site: CallSite) -> Value | None:
    """`str(x)`: a constant stays one."""
    value = site.value(0)
    if isinstance(value, Constant) and isinstance(value.value, str):
        return value
    return BySchema(Scalar(type="string"))


# --------------------------------------------------------------------------- the environment


def _default(site: CallSite) -> Value | None:
    """`os.getenv("NAME", "default")`: what holds where nothing is set."""
    default = site.value(1, "default")
    if default is not None:
        assume_default(site.program, default)
    return default


def _gather_results(site: CallSite) -> Value | None:
    """`await asyncio.gather(a(), b())`."""
    if any(argument.spread for argument in site.call.args):
        return None
    return Items(
        tuple(site.program.evaluate(a.value, site.scope) for a in site.call.args if not a.name),
        False,
        True,
    )


def _number(site: CallSite) -> Value | None:
    """`round(x)` is an integer, `round(x, 2)` a number; `sum(xs)` as its items."""
    return BySchema(Scalar(type="integer" if len(site.call.args) == 1 else "number"))


def _sum(site: CallSite) -> Value | None:
    shape = site.program.schema_of(site.item(site.value(0)))
    if isinstance(shape, Scalar):
        return BySchema(replace(shape, values=None))
    if isinstance(shape, Array):
        return None
    return BySchema(Scalar(type="numeric"))


# ------------------------------------------------------------------------- conversions of models
# Well-known calls that turn models into data, and data into models.


def _model_data(site: CallSite, value: Value, *, by_alias: bool) -> Value:
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
            return _model_data(site, site.receiver, by_alias=False)
        case LibrarySymbol(name="super") if site.scope.receiver is not None:
            return _model_data(site, site.scope.receiver, by_alias=False)
        case _:
            return None


def _as_data(site: CallSite) -> Value | None:
    """`asdict(x)`, `msgspec.to_builtins(x)`."""
    value = site.value(0)
    if value is None:
        return None
    schema, factory = site.program.schema_of(value), site.value(-1, "dict_factory")
    if factory is None or isinstance(factory, LibrarySymbol):
        return BySchema(schema)
    return BySchema(_made_by_factory(site, factory, schema, _DEEPEST))


_DEEPEST = 6


def _made_by_factory(site: CallSite, factory: Value, schema: Schema, levels: int) -> Schema:
    """A shape as `asdict(x, dict_factory=…)` writes it, which hands the factory the pairs of each
    object."""
    flat = site.program.types.flat(schema)
    if isinstance(flat, Array) and levels:
        return replace(flat, items=_made_by_factory(site, factory, flat.items, levels - 1))
    if not isinstance(flat, Object) or not flat.fields or not levels:
        return schema
    pairs: list[Value] = []
    for field in flat.fields:
        held = BySchema(_made_by_factory(site, factory, field.schema, levels - 1))
        pairs.append(Items((Constant(field.name), held), is_tuple=True))
    made = site.program.schema_of(site.apply(factory, Items(tuple(pairs))))
    return with_nullable(made, flat.nullable)


def _jsonable(site: CallSite) -> Value | None:
    value = site.value(0)
    return _model_data(site, value, by_alias=True) if value is not None else None


def _model_instance(site: CallSite) -> Value | None:
    """`Model.model_validate(x)` makes a `Model`."""
    if isinstance(site.receiver, ClassValue):
        return Instance(site.receiver.symbol, site.receiver.types)
    return None


def _constructed_instance(site: CallSite) -> Value | None:
    """`Model.model_construct(id=1)`, which checks nothing: a field that is not given, and has no
    default, is missing."""
    made = _model_instance(site)
    if made is None or any(argument.spread for argument in site.call.args):
        return made
    given_values = CONTAINERS["dict"](site)
    if isinstance(made, Instance) and given_values is not None:
        made = with_members_set(site, made, given_values)
    shape = site.program.types.flat(site.program.schema_of(made))
    if not isinstance(shape, Object) or any(f.declared_as or f.accepts for f in shape.fields):
        return made  # it may be written under either name
    given = {argument.name for argument in site.call.args}
    missing = [f.name for f in shape.fields if not f.has_default and f.name not in given]
    fields = tuple(replace(f, required=f.required and f.name not in missing) for f in shape.fields)
    return BySchema(replace(shape, fields=fields)) if missing else made


def _parsed_as(site: CallSite) -> Value | None:
    """`parse_obj_as(list[Order], x)`."""
    declared = site.argument(0)
    type = as_type(declared) if declared is not None else None
    return ByType(type, site.scope) if type is not None else None


def _schema_dump(site: CallSite) -> Value | None:
    """`schema.dump(x)`, `.dump(xs, many=True)` and flask-marshmallow's `.jsonify` of a schema."""
    if site.receiver is None or not marshmallow.is_schema_value(site.program, site.receiver):
        return None
    written = marshmallow.dumped_schema(site.program, site.receiver, site.call.args, site.scope)
    value = site.value(0)
    if value is None or marshmallow.has_dump_hooks(site.program, site.receiver):
        return BySchema(written)
    value = marshmallow.as_made(site.program, value, site.argument(0), site.scope)
    return BySchema(marshmallow.with_nulls_of(site.program, written, value, site.call, site.scope))


def _schema_load(site: CallSite) -> Value | None:
    """`schema.load(x)`."""
    if site.receiver is None or not marshmallow.is_schema_value(site.program, site.receiver):
        return None
    return BySchema(
        marshmallow.loaded_schema(site.program, site.receiver, site.call.args, site.scope)
    )


_MODELS: dict[str, CallModel] = {
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
    ".model_construct": _constructed_instance,
    ".parse_obj": _model_instance,
    ".parse_raw": _model_instance,
    ".from_orm": _model_instance,
    ".construct": _constructed_instance,
    ".dump": _schema_dump,
    ".dumps": _schema_dump,
    ".jsonify": _schema_dump,
    ".load": _schema_load,
}


COMMON: dict[str, CallModel] = {
    **CONTAINERS,
    **_MODELS,
    "str": _strings,
    "repr": always_scalar("string"),
    "getattr": _attribute,
    "vars": plain.as_dict,
    "format": always_scalar("string"),
    "hex": always_scalar("string"),
    "int": always_scalar("integer"),
    "len": always_scalar("integer"),
    "hash": always_scalar("integer"),
    "round": _number,
    "sum": _sum,
    "float": always_scalar("number"),
    "bool": always_scalar("boolean"),
    "any": always_scalar("boolean"),
    "all": always_scalar("boolean"),
    "isinstance": always_scalar("boolean"),
    "hasattr": always_scalar("boolean"),
    "copy.copy": _first_argument,
    "copy.deepcopy": _first_argument,
    "asyncio.gather": _gather_results,
    "asyncio.create_task": _first_argument,
    "asyncio.shield": _first_argument,
    "asyncio.wait_for": _first_argument,
    "os.getenv": _default,
    "os.environ.get": _default,
    "datetime.datetime.now": always_scalar("string", "date-time"),
    "datetime.datetime.utcnow": always_scalar("string", "date-time"),
    "datetime.datetime.today": always_scalar("string", "date-time"),
    "datetime.datetime.fromisoformat": always_scalar("string", "date-time"),
    "datetime.datetime.fromtimestamp": always_scalar("string", "date-time"),
    "datetime.datetime.strptime": always_scalar("string", "date-time"),
    "datetime.datetime": always_scalar("string", "date-time"),
    "datetime.date.today": always_scalar("string", "date"),
    "datetime.date": always_scalar("string", "date"),
    "django.utils.timezone.now": always_scalar("string", "date-time"),
    "time.time": always_scalar("number"),
    "time.time_ns": always_scalar("integer"),
    "uuid.uuid1": always_scalar("string", "uuid"),
    "uuid.uuid4": always_scalar("string", "uuid"),
    "uuid.UUID": always_scalar("string", "uuid"),
    "jwt.encode": always_scalar("string"),
    "jose.jwt.encode": always_scalar("string"),
    "secrets.token_hex": always_scalar("string"),
    "flask_jwt_extended.create_access_token": always_scalar("string"),
    "flask_jwt_extended.create_refresh_token": always_scalar("string"),
    ".create_access_token": always_scalar("string"),
    ".create_refresh_token": always_scalar("string"),
    ".create_jwt_token": always_scalar("string"),
    "werkzeug.security.generate_password_hash": always_scalar("string"),
    "flask.url_for": always_scalar("string"),
    "django.urls.reverse": always_scalar("string"),
    "rest_framework.reverse.reverse": always_scalar("string"),
    ".build_absolute_uri": always_scalar("string"),
    "flask.request.args.get": _argument,
    "flask.request.values.get": _argument,
    "flask.request.form.get": _argument,
    "flask.request.headers.get": _argument,
    "flask.request.cookies.get": _argument,
    "inspect.getmembers": _members,
    "secrets.token_urlsafe": always_scalar("string"),
    "random.randint": always_scalar("integer"),
    "random.random": always_scalar("number"),
    ".format": _format,
    ".join": _join,
    ".split": _splits(str.split),
    ".splitlines": _splits(str.splitlines),
    ".lower": _text_method(str.lower),
    ".upper": _text_method(str.upper),
    ".title": _text_method(str.title),
    ".capitalize": _text_method(str.capitalize),
    ".strip": _text_method(str.strip),
    ".lstrip": _text_method(str.lstrip),
    ".rstrip": _text_method(str.rstrip),
    ".removeprefix": _text_method(str.removeprefix),
    ".removesuffix": _text_method(str.removesuffix),
    ".replace": _text_method(str.replace),
    ".zfill": _text_method(),
    ".encode": _receiver,
    ".decode": _receiver,
    ".isoformat": _iso,
    ".strftime": always_scalar("string"),
    ".timestamp": always_scalar("number"),
    ".total_seconds": always_scalar("number"),
    ".hex": always_scalar("string"),
    ".startswith": always_scalar("boolean"),
    ".endswith": always_scalar("boolean"),
    ".count": always_scalar("integer"),
    ".exists": _exists,
}
"""Well-known calls by qualified name, or by method name with a leading dot; the frameworks' own are
added in `language`."""


# ----------------------------------------------------------------------------------- typed dicts
# Calls of a `TypedDict` of the project, which make plain dictionaries.


def typed_dict_call(site: CallSite, symbol: ClassSymbol) -> Value | None:
    """The dictionary that `Point(x=1)` makes; None for a class that is no `TypedDict`."""
    if all(base.simple_name != "TypedDict" for base in library_bases(site.program, symbol)):
        return None
    return CONTAINERS["dict"](site)
