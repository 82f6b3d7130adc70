"""Well-known calls of JavaScript: what they give."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from msgspec.structs import replace

from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import Array, Field, Object, Scalar, ScalarType, Schema
from contract_scan.parsers.source.analysis.domain.hooks import CallSite, always, always_scalar
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    BySchema,
    ByType,
    Constant,
    FunctionValue,
    Items,
    LibraryResult,
    LibrarySymbol,
    Scope,
    Unresolved,
    Value,
    union_of,
)
from contract_scan.parsers.source.facts.dotted_names import is_name
from contract_scan.parsers.source.facts.nodes import CAUGHT, Call, Name, NamedType, New
from contract_scan.parsers.source.language import CallModel, Property
from contract_scan.parsers.source.typescript.frameworks.express import (
    validator as express_validator,
)
from contract_scan.parsers.source.typescript.library_calls import (
    arrays,
    collections,
    folders,
    objects,
    paths,
    texts,
)
from contract_scan.parsers.source.typescript.resolution.configuration import (
    SETTING_CALLS,
    configured_value,
)
from contract_scan.parsers.source.typescript.resolution.injected_values import resolved_value
from contract_scan.parsers.source.typescript.resolution.message_handlers import BUS_CALLS
from contract_scan.parsers.source.typescript.resolution.walker import calls_in, nodes
from contract_scan.parsers.source.typescript.serialization import (
    joi,
    queries,
    schema_libraries,
    typeorm,
    vine,
    yup,
)
from contract_scan.parsers.source.typescript.serialization.mongoose import schemas as mongoose
from contract_scan.parsers.source.typescript.serialization.zod import schemas as zod


def _promise(site: CallSite) -> Value | None:
    """`new Promise((resolve) => { … resolve(value) … })`: what it is resolved with. Where the
    function hands `resolve` on, or a type is written out, that is for others to tell."""
    made = site.call.type if isinstance(site.call, New) else None
    function = site.value(0)
    if not isinstance(made, NamedType) or made.args or not isinstance(function, FunctionValue):
        return None
    name = function.function.params[0].name if function.function.params else ""
    scope = site.program.function_scope(function.function, function.scope)
    statements = scope.statements or ()

    def resolves(call: Call, _: Scope) -> bool:
        return is_name(call.callee, name)

    calls = [
        (call, place)
        for call, place in calls_in(site.program, statements, scope, deep=True, wanted=resolves)
        if is_name(call.callee, name)
    ]
    mentioned = sum(
        isinstance(node, Name) and node.id == name
        for node, _ in nodes(site.program, statements, scope)
    )
    if not calls or mentioned != len(calls):
        return None
    given = [site.program.evaluate(c.args[0].value, place) for c, place in calls if c.args]
    return union_of(tuple(site.unwrap(value) for value in given)) if given else Constant(None)


_SCHEMAS = (zod.is_zod, joi.is_joi, vine.is_vine, yup.is_yup, express_validator.is_chain)


def _is_schema_value(value: Value | None) -> bool:
    """Methods of schemas and of validation chains share names with those of strings and arrays."""
    match value:
        case LibraryResult(name=name) | LibrarySymbol(name=name):
            return any(is_one(name) for is_one in _SCHEMAS)
        case _:
            return False


def _then_result(site: CallSite) -> Value | None:
    return site.apply(site.value(0), arrays.receiver(site))


def _called_back(site: CallSite) -> Value | None:
    """`storage.run(context, () => value)`: what the function gives that a library is handed and
    calls at once. What else the library hands to the function is its own."""
    for position in range(len(site.call.args)):
        given = site.value(position)
        if isinstance(given, FunctionValue):
            return site.unwrap(site.apply(given))
    return None


def _bound_method(site: CallSite) -> Value | None:
    """`this.list.bind(this)`: the method."""
    return site.receiver if isinstance(site.receiver, FunctionValue) else None


def _receiver_itself(site: CallSite) -> Value | None:
    return arrays.receiver(site)


def _argument(site: CallSite) -> Value | None:
    return site.unwrap(site.value(0))


def _resolved_value(site: CallSite) -> Value | None:
    """`Promise.resolve(value)`; without one, a promise of nothing."""
    return _argument(site) if site.call.args else LibrarySymbol("undefined")


def _awaited_items(site: CallSite) -> Value | None:
    """`Promise.all([a(), b()])`: what each promise gives."""
    value = site.value(0)
    if isinstance(value, Items):
        inner = tuple(site.unwrap(item) for item in value.values)
        return replace(value, values=inner)
    return value


def _any_value(site: CallSite) -> Value | None:
    """What is declared to be `any`, which no compiler holds against a type."""
    return Unresolved(Reason("given-as-any", name=site.name), site.call.span, untyped=True)


def _decoded_json(site: CallSite) -> Value | None:
    """What `JSONCodec<Paid>().decode(…)` gives, which nothing holds against the type."""
    codec = site.receiver
    if not isinstance(codec, LibraryResult) or not isinstance(codec.site, Call):
        return None
    types = codec.site.type_args
    return ByType(types[0], codec.scope, site.call.span, unchecked=True) if types else None


def _handled_message(site: CallSite) -> Value | None:
    """`queryBus.execute(new FindOrder(id))`: what the handler of the message gives."""
    if isinstance(site.call, New):
        return None
    handler = site.program.evaluator.function_called(site.call, site.scope)
    return handler and site.program.evaluator.call_function(handler, site.call, site.scope)


def _memory(site: CallSite) -> Value | None:
    """`process.memoryUsage()`."""
    del site
    names = ("rss", "heapTotal", "heapUsed", "external", "arrayBuffers")
    number = Scalar(type="integer")
    return BySchema(Object(fields=tuple(Field(name=name, schema=number) for name in names)))


def _concise_date(site: CallSite) -> Value | None:
    """`new Date()` is a date; `Date()` a text."""
    if isinstance(site.call, New):
        return ByType(NamedType(name="Date", span=site.call.span), site.scope, site.call.span)
    return BySchema(Scalar(type="string"))


def _to_object(site: CallSite) -> Value | None:
    """`toObject()`, `lean()`, `exec()`: the same thing, as plain data."""
    value = arrays.receiver(site)
    if isinstance(value, BySchema):
        return replace(value, keeps_shape=False)
    return None if isinstance(value, LibraryResult | LibrarySymbol) else value


_STRING_METHODS = (
    "toString",
    "toISOString",
    "toFixed",
    "toPrecision",
    "toUpperCase",
    "toLowerCase",
    "toLocaleString",
    "toLocaleDateString",
    "toLocaleTimeString",
    "toHexString",
    "trim",
    "trimStart",
    "trimEnd",
    "join",
    "substring",
    "substr",
    "padStart",
    "padEnd",
    "replace",
    "replaceAll",
    "charAt",
    "normalize",
    "repeat",
)
_BOOLEAN_METHODS = (
    "some",
    "every",
    "includes",
    "startsWith",
    "endsWith",
    "test",
    "hasOwnProperty",
    "isArray",
    "has",
)
_NUMBER_METHODS = (
    *("indexOf", "lastIndexOf", "findIndex", "getTime", "valueOf", "charCodeAt"),
    "toNumber",  # of Decimal, Long and their like
)
_INTEGER_METHODS = (
    *("localeCompare", "search", "getTimezoneOffset", "getMonth", "getDay", "getDate"),
    *("getFullYear", "getHours", "getMinutes", "getSeconds", "getMilliseconds"),
    *("getUTCFullYear", "getUTCMonth", "getUTCDate", "getUTCDay", "getUTCHours"),
)


def _of_os(*names: str) -> tuple[str, ...]:
    modules = ("os", "os.default", "node:os", "node:os.default")
    return tuple(f"{module}.{name}" for module in modules for name in names)


_NUMBER_CALLS = (
    *_of_os("uptime", "freemem", "totalmem"),
    "Number",
    "parseInt",
    "parseFloat",
    "Number.parseInt",
    "Number.parseFloat",
    "Date.now",
    "performance.now",
    "process.uptime",
    *(f"Math.{name}" for name in ("abs", "max", "min", "random", "sqrt", "pow", "log", "sign")),
)
_INTEGER_CALLS = tuple(f"Math.{name}" for name in ("floor", "ceil", "round", "trunc"))
_STRING_CALLS = (
    "encodeURIComponent",
    "jsonwebtoken.sign",
    "btoa",
    "process.cwd",
    "String.fromCharCode",
    *("util.format", "node:util.format", "util.inspect", "node:util.inspect"),
    *_of_os("hostname", "platform", "arch", "release", "type", "homedir", "tmpdir"),
)
_NUMBERS_CALLS = _of_os("loadavg")
_UUID_CALLS = (
    "uuid.v4",
    "uuid.v1",
    "uuid.v7",
    "crypto.randomUUID",
    "node:crypto.randomUUID",
    "randomUUID",
)
_BOOLEAN_CALLS = (
    *("Boolean", "Array.isArray", "Number.isInteger", "isNaN", "Number.isNaN", "Number.isFinite"),
    *("isFinite", "Number.isSafeInteger", "Object.is", "Object.hasOwn"),
    *("fs.existsSync", "node:fs.existsSync", "fs.default.existsSync"),
)

_CALLING_BACK = (
    *(
        f"{module}.AsyncLocalStorage{made}.{method}"
        for module in ("async_hooks", "node:async_hooks")
        for made in ("", "()")
        for method in ("run", "exit")
    ),
    *(".startActiveSpan", "@opentelemetry/api.context.with"),
    *(f"@sentry/{name}.startSpan" for name in ("node", "nextjs", "nestjs", "bun", "core")),
    *("p-retry", "nestjs-cls.ClsService.run", ".runExclusive", "Promise.try"),
)

_SPECIAL: dict[str, Callable[[CallSite], Value | None]] = {
    ".then": _then_result,
    ".bind": _bound_method,
    ".catch": _receiver_itself,
    ".finally": _receiver_itself,
    ".split": always(BySchema(Array(items=Scalar(type="string")))),
    ".toObject": _to_object,
    "Promise.resolve": _resolved_value,
    **dict.fromkeys(_CALLING_BACK, _called_back),
    "Promise.all": _awaited_items,
    **dict.fromkeys(("JSON.parse", "fetch().json", "node-fetch.default().json"), _any_value),
    "nats.JSONCodec().decode": _decoded_json,
    **dict.fromkeys((".resolve", "typedi.Container.get"), resolved_value),
    **dict.fromkeys(BUS_CALLS, _handled_message),
    **dict.fromkeys(SETTING_CALLS, configured_value),
    **folders.CALL_MODELS,
    **paths.CALL_MODELS,
    "Promise": _promise,
    "structuredClone": _argument,
    "Date": _concise_date,
    "process.memoryUsage": _memory,
    "rxjs.of": _argument,
    "rxjs.from": _argument,
    "rxjs.firstValueFrom": _argument,
    "rxjs.lastValueFrom": _argument,
}


_NEUTRAL: dict[str, CallModel] = {
    **{f".{name}": always_scalar("string") for name in _STRING_METHODS},
    **{f".{name}": always_scalar("boolean") for name in _BOOLEAN_METHODS},
    **{f".{name}": always_scalar("numeric") for name in _NUMBER_METHODS},
    **{f".{name}": always_scalar("integer") for name in _INTEGER_METHODS},
    **arrays.CALL_MODELS,
    **objects.CALL_MODELS,
    **dict.fromkeys(_NUMBER_CALLS, always_scalar("numeric")),
    **dict.fromkeys(_INTEGER_CALLS, always_scalar("integer")),
    **dict.fromkeys(_STRING_CALLS, always_scalar("string")),
    **dict.fromkeys(_NUMBERS_CALLS, always(BySchema(Array(items=Scalar(type="numeric"))))),
    **dict.fromkeys(_UUID_CALLS, always_scalar("string", "uuid")),
    **dict.fromkeys(_BOOLEAN_CALLS, always_scalar("boolean")),
    **_SPECIAL,
    **collections.CALL_MODELS,
    **texts.CALL_MODELS,
    **queries.CALL_MODELS,
    **schema_libraries.CALL_MODELS,
    ".find": queries.first_of(typeorm.query, mongoose.query, arrays.one_item),
    ".sort": queries.first_of(arrays.same_items, mongoose.same_documents),
}
_ALL: dict[str, CallModel] = {
    **_NEUTRAL,
    **{f".{name}": texts.worked_out(name, _NEUTRAL[f".{name}"]) for name in texts.METHODS},
}


def _unless_schema(call_model: CallModel) -> CallModel:
    def call(site: CallSite) -> Value | None:
        return None if _is_schema_value(site.receiver) else call_model(site)

    return call


CALL_MODELS: Mapping[str, CallModel] = {
    name: _unless_schema(call_model) if name.startswith(".") else call_model
    for name, call_model in _ALL.items()
}
"""Key: qualified name, or a method with a leading dot."""


_PROCESS: dict[str, ScalarType] = {
    "version": "string",
    "platform": "string",
    "arch": "string",
    "title": "string",
    "pid": "integer",
    "ppid": "integer",
}


def _of_process(type: ScalarType) -> Property:
    def read_property(program: Program, value: Value) -> Value | None:
        del program
        known = isinstance(value, LibrarySymbol) and value.name in ("process", "node:process")
        return BySchema(Scalar(type=type)) if known else None

    return read_property


_OF_NUMBERS = ("PI", "E", "LN2", "LN10", "SQRT2", "EPSILON", "MAX_VALUE", "MIN_VALUE")
_OF_INTEGERS = ("MAX_SAFE_INTEGER", "MIN_SAFE_INTEGER")


def _of_numbers(type: ScalarType) -> Property:
    def read_property(program: Program, value: Value) -> Value | None:
        del program
        known = isinstance(value, LibrarySymbol) and value.name in ("Math", "Number")
        return BySchema(Scalar(type=type)) if known else None

    return read_property


_URLS = frozenset({"URL", "url.URL", "node:url.URL"})
_OF_URLS = (
    *("hash", "host", "hostname", "href", "origin", "password"),
    *("pathname", "port", "protocol", "search", "username"),
)
"""https://url.spec.whatwg.org/#url-class"""


def _of_url(program: Program, value: Value) -> Value | None:
    """A part of `new URL(…)`: a text."""
    del program
    is_url = isinstance(value, LibraryResult) and value.name in _URLS
    return BySchema(Scalar(type="string")) if is_url else None


def _length(program: Program, value: Value) -> Value | None:
    """The length of whatever a call of a library gave."""
    del program
    if isinstance(value, LibraryResult) and not _is_schema_value(value):
        return BySchema(Scalar(type="integer"))
    return None


def _of_error(program: Program, value: Value) -> Value | None:
    """The message of an error: of one that is made, of what a validation gives beside its
    result (Joi, Zod), and of what is caught, since what libraries throw are errors."""
    error = program.evaluator.without_null(value)
    name = program.evaluator.qualified_name(error)
    is_error = name == CAUGHT or name.endswith(("Error", "Exception")) or "http-errors" in name
    if is_error or (name.endswith(".error") and _is_schema_value(error)):
        return BySchema(Scalar(type="string"))
    return None


def _of_flat_error(schema: Schema) -> Property:
    """What a ZodError that is flattened holds (https://zod.dev/error-formatting#zflattenerror)."""

    def read(program: Program, value: Value) -> Value | None:
        del program
        is_flat = isinstance(value, LibraryResult) and value.name.endswith(".flatten")
        return BySchema(schema) if is_flat else None

    return read


_TEXTS = Array(items=Scalar(type="string"))


_OF_UPLOADS: dict[str, ScalarType] = {
    "size": "integer",
    **dict.fromkeys(("originalname", "mimetype", "filename", "fieldname", "encoding"), "string"),
    **dict.fromkeys(("destination", "path"), "string"),
}
"""https://github.com/expressjs/multer#file-information"""


def _of_upload(type: ScalarType) -> Property:
    def read_property(program: Program, value: Value) -> Value | None:
        name = program.evaluator.qualified_name(program.evaluator.without_null(value))
        is_file = name in ("<request>.file", "Express.Multer.File", "multer.File")
        return BySchema(Scalar(type=type)) if is_file else None

    return read_property


# ---------------------------------------------------------------------------------- HTTP clients
# What answers of other services hold, where the call says it: `axios.get<Order>(url)`.


_CLIENTS = ("axios.", "axios().", "@nestjs/axios.HttpService.")


def _data(program: Program, value: Value) -> Value | None:
    """`response.data`: of the type that the call was given; None for anything else."""
    del program
    if not isinstance(value, LibraryResult) or not value.name.startswith(_CLIENTS):
        return None
    types = value.site.type_args if isinstance(value.site, Call) else ()
    return ByType(types[0], value.scope, value.site.span, unchecked=True) if types else None


PROPERTIES: Mapping[str, Property] = {
    **{name: _of_process(type) for name, type in _PROCESS.items()},
    **dict.fromkeys(_OF_NUMBERS, _of_numbers("number")),
    **dict.fromkeys(_OF_INTEGERS, _of_numbers("integer")),
    **{name: _of_upload(type) for name, type in _OF_UPLOADS.items()},
    **dict.fromkeys(_OF_URLS, _of_url),
    "fieldErrors": _of_flat_error(Object(additional=_TEXTS)),
    "formErrors": _of_flat_error(_TEXTS),
    "length": _length,
    **queries.PROPERTIES,
    "data": _data,
    "message": _of_error,
}
"""Properties that no class of a project declares."""
