"""Well-known calls: built-ins, the standard library, and how libraries turn models into data."""

from __future__ import annotations

import re
from collections.abc import Callable

from msgspec.structs import replace

from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import Array, Scalar, ScalarType
from contract_scan.parsers.source.analysis.domain.hooks import CallSite
from contract_scan.parsers.source.analysis.domain.values import (
    BySchema,
    ByType,
    ClassValue,
    Constant,
    Instance,
    Items,
    LibrarySymbol,
    Record,
    Unresolved,
    Value,
    union_of,
)
from contract_scan.parsers.source.analysis.evaluation.setting_defaults import assume_default
from contract_scan.parsers.source.language import CallModel
from contract_scan.parsers.source.python.library_calls.containers import CONTAINERS
from contract_scan.parsers.source.python.library_calls.model_conversions import MODELS
from contract_scan.parsers.source.python.serialization import queries
from contract_scan.parsers.source.python.serialization import unannotated_classes as plain


def _returns_scalar(type: ScalarType, format: str = "") -> CallModel:
    """A call that returns a scalar whatever its arguments."""
    value = BySchema(Scalar(type=type, format=format))

    def call(site: CallSite) -> Value | None:
        del site
        return value

    return call


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


def _split_text(site: CallSite) -> Value | None:
    if isinstance(_text_method()(site), BySchema):
        return Items((BySchema(Scalar(type="string")),), True)
    return None


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


COMMON: dict[str, CallModel] = {
    **CONTAINERS,
    **MODELS,
    "str": _strings,
    "repr": _returns_scalar("string"),
    "getattr": _attribute,
    "vars": plain.as_dict,
    "format": _returns_scalar("string"),
    "hex": _returns_scalar("string"),
    "int": _returns_scalar("integer"),
    "len": _returns_scalar("integer"),
    "hash": _returns_scalar("integer"),
    "round": _number,
    "sum": _sum,
    "float": _returns_scalar("number"),
    "bool": _returns_scalar("boolean"),
    "any": _returns_scalar("boolean"),
    "all": _returns_scalar("boolean"),
    "isinstance": _returns_scalar("boolean"),
    "hasattr": _returns_scalar("boolean"),
    "copy.copy": _first_argument,
    "copy.deepcopy": _first_argument,
    "asyncio.gather": _gather_results,
    "asyncio.create_task": _first_argument,
    "asyncio.shield": _first_argument,
    "asyncio.wait_for": _first_argument,
    "os.getenv": _default,
    "os.environ.get": _default,
    "datetime.datetime.now": _returns_scalar("string", "date-time"),
    "datetime.datetime.utcnow": _returns_scalar("string", "date-time"),
    "datetime.datetime.today": _returns_scalar("string", "date-time"),
    "datetime.datetime.fromisoformat": _returns_scalar("string", "date-time"),
    "datetime.datetime.fromtimestamp": _returns_scalar("string", "date-time"),
    "datetime.datetime.strptime": _returns_scalar("string", "date-time"),
    "datetime.datetime": _returns_scalar("string", "date-time"),
    "datetime.date.today": _returns_scalar("string", "date"),
    "datetime.date": _returns_scalar("string", "date"),
    "django.utils.timezone.now": _returns_scalar("string", "date-time"),
    "time.time": _returns_scalar("number"),
    "time.time_ns": _returns_scalar("integer"),
    "uuid.uuid1": _returns_scalar("string", "uuid"),
    "uuid.uuid4": _returns_scalar("string", "uuid"),
    "uuid.UUID": _returns_scalar("string", "uuid"),
    "jwt.encode": _returns_scalar("string"),
    "jose.jwt.encode": _returns_scalar("string"),
    "secrets.token_hex": _returns_scalar("string"),
    "flask_jwt_extended.create_access_token": _returns_scalar("string"),
    "flask_jwt_extended.create_refresh_token": _returns_scalar("string"),
    ".create_access_token": _returns_scalar("string"),
    ".create_refresh_token": _returns_scalar("string"),
    ".create_jwt_token": _returns_scalar("string"),
    "werkzeug.security.generate_password_hash": _returns_scalar("string"),
    "flask.url_for": _returns_scalar("string"),
    "django.urls.reverse": _returns_scalar("string"),
    "rest_framework.reverse.reverse": _returns_scalar("string"),
    ".build_absolute_uri": _returns_scalar("string"),
    "flask.request.args.get": _argument,
    "flask.request.values.get": _argument,
    "flask.request.form.get": _argument,
    "flask.request.headers.get": _argument,
    "flask.request.cookies.get": _argument,
    "inspect.getmembers": _members,
    "secrets.token_urlsafe": _returns_scalar("string"),
    "random.randint": _returns_scalar("integer"),
    "random.random": _returns_scalar("number"),
    ".format": _format,
    ".join": _join,
    ".split": _split_text,
    ".splitlines": _split_text,
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
    ".strftime": _returns_scalar("string"),
    ".timestamp": _returns_scalar("number"),
    ".total_seconds": _returns_scalar("number"),
    ".hex": _returns_scalar("string"),
    ".startswith": _returns_scalar("boolean"),
    ".endswith": _returns_scalar("boolean"),
    ".count": _returns_scalar("integer"),
    ".exists": _exists,
}
"""Well-known calls by qualified name, or by method name with a leading dot; the frameworks' own are
added in `language`."""
