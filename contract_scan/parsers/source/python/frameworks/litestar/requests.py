"""What Litestar handlers take from a request."""

from __future__ import annotations

import re

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.ir.operation import Body, Location, Parameter
from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import (
    Anything,
    Array,
    Object,
    Scalar,
    ScalarType,
    Schema,
    Union,
    Unknown,
)
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    ClassValue,
    FunctionValue,
    LibraryResult,
    LibrarySymbol,
    Record,
    Scope,
    Value,
    origin_at,
)
from contract_scan.parsers.source.facts.nodes import NamedType, Param, TypeExpr
from contract_scan.parsers.source.python.frameworks.litestar.applications import (
    Handler,
    dto_of_handler,
    is_litestar,
    media_type,
)
from contract_scan.parsers.source.python.frameworks.litestar.dto import transferred_schema
from contract_scan.parsers.source.python.serialization.fields import (
    argument_value,
    given_text,
    unwrap_annotated,
)
from contract_scan.parsers.source.python.serialization.modes import BY_NAME, LOAD
from contract_scan.parsers.source.python.web.common import (
    unknown,
)
from contract_scan.parsers.source.python.web.path_syntax import PathSyntax

_PROVIDED = frozenset(
    {"request", "socket", "state", "headers", "cookies", "query", "scope", "body", "self", "this"}
)
"""Names of parameters that the framework fills in itself."""
_DEEPEST = 6

PATHS = PathSyntax(re.compile(r"\{(?P<name>\w+)(?::(?P<type>\w+))?\}"))
"""A parameter in a path with its type."""


class RequestInputs(Struct, frozen=True, eq=False):
    """What a handler takes from a request."""

    parameters: tuple[Parameter, ...]
    bodies: tuple[Body, ...]
    complete: bool

    @property
    def reads_no_body(self) -> bool:
        """Whether all that the handler reads is known, and no body is among it."""
        return self.complete and not self.bodies


_LOCATIONS: tuple[Location, ...] = ("query", "header", "cookie", "path")
_PLACES = {
    name: location
    for location in _LOCATIONS
    for name in (f"From{location.title()}", f"{location.title()}Parameter")
}
"""`FromQuery[T]` and `QueryParameter(name=…)`, which Litestar has since 2.22 -> where they read.
https://docs.litestar.dev/latest/reference/params.html"""
_ENCODINGS = {
    "JSONBody": "application/json",
    "MsgPackBody": "application/x-msgpack",
    "MultipartBody": "multipart/form-data",
    "URLEncodedBody": "application/x-www-form-urlencoded",
}
"""`MultipartBody[T]` -> the type of the body."""
_INJECTED = ("Dependency", "NamedDependency")

_CONVERTERS: dict[str, tuple[ScalarType, str]] = {
    "int": ("integer", ""),
    "float": ("number", ""),
    "uuid": ("string", "uuid"),
    "date": ("string", "date"),
    "datetime": ("string", "date-time"),
}


def request_inputs(program: Program, handler: Handler, path: str) -> RequestInputs:
    """The request inputs of a handler and its dependencies; `path` has the types of its
    parameters."""
    converters = dict(PATHS.parameter.findall(path))
    reader = _Request(program, handler, frozenset(converters))
    reader.function(handler.function, 0)
    found = dict(reader.parameters)
    for name, converter in converters.items():
        if ("path", name) not in found:
            kind, form = _CONVERTERS.get(converter, ("string", ""))
            shape = Scalar(type=kind, format=form)
            found["path", name] = Parameter(name=name, location="path", schema=shape, required=True)
    return RequestInputs(tuple(found.values()), tuple(reader.bodies), reader.complete)


class _Request:
    def __init__(self, program: Program, handler: Handler, path_names: frozenset[str]) -> None:
        self._program = program
        self._handler = handler
        self._path_names = path_names
        self._dependencies: dict[str, Value] = {}
        self.parameters: dict[tuple[str, str], Parameter] = {}
        self.bodies: list[Body] = []
        self.complete = True
        self._known = True
        for expr, scope in handler.options("dependencies"):
            value = program.evaluate(expr, scope)
            if not isinstance(value, Record) or value.partial or value.values is not None:
                self._known = False
            for entry in value.entries if isinstance(value, Record) else ():
                self._dependencies.setdefault(entry.name, entry.value)
        if any(True for _ in handler.options("parameters")):
            self.complete = False

    def function(self, value: FunctionValue, depth: int) -> None:
        """Everything one function takes."""
        for param in value.function.params:
            if param.kind in ("*", "**") or param.name in _PROVIDED:
                continue
            if param.name == "data":
                if not depth:
                    self._body(param, value.scope)
                continue
            if param.name in self._dependencies:
                self._dependency(self._dependencies[param.name], depth + 1)
                continue
            self._parameter(param, value.scope)

    def _dependency(self, value: Value, depth: int) -> None:
        """`Provide(function)` or the function itself: it takes parameters like a handler."""
        program = self._program
        if isinstance(value, LibraryResult) and value.site.args:
            value = program.evaluate(value.site.args[0].value, value.scope)
        match value:
            case FunctionValue() if depth < _DEEPEST:
                self.function(value, depth)
            case ClassValue(symbol=symbol):
                constructor = program.find_method(symbol, "__init__")
                if constructor is not None and depth < _DEEPEST:
                    self.function(constructor, depth)
                elif constructor is None:
                    self.complete = False
            case _:
                self.complete = False

    def _parameter(self, param: Param, scope: Scope) -> None:
        program = self._program
        origin = origin_at(scope, param.place)
        mark = _mark(program, param, scope)
        if mark.name in _INJECTED:
            return
        location: Location = "path" if param.name in self._path_names else "query"
        name = param.name
        if location != "path":
            location = _PLACES.get(mark.name, location)
        if location != "path" and mark.made is not None:
            for where in ("name", *_LOCATIONS):
                alias = given_text(program, mark.made, where)
                if alias is not None:
                    name = alias
                    location = _PLACES.get(f"From{where.title()}", location)
        reason = Reason("parameter-untyped", parameter=param.name)
        schema: Schema = replace(unknown(reason, origin), is_text=True)
        if param.type is not None:
            schema = program.schema(param.type, scope)
        # Without a mark it is a dependency where its type is no plain value; where not all
        # dependencies are known, it may be one of those.
        unmarked = location == "query" and not mark.name
        if unmarked and not (self._known and _is_plain(program, schema)):
            self.complete = self.complete and self._known and not self._is_unknown(schema)
            return
        required = mark.default is None and schema.nullable is False
        self.parameters.setdefault(
            (location, name),
            Parameter(
                name=name,
                location=location,
                schema=schema,
                required=True if location == "path" else required,
                has_default=mark.default is not None,
                origin=origin,
            ),
        )

    def _is_unknown(self, schema: Schema) -> bool:
        return isinstance(self._program.types.flat(schema), Unknown)

    def _body(self, param: Param, scope: Scope) -> None:
        program = self._program
        origin = origin_at(scope, param.place)
        mark = _mark(program, param, scope)
        media = _ENCODINGS.get(mark.name, "application/json")
        if mark.made is not None:
            value = argument_value(program, mark.made, "media_type")
            media = media if value is None else media_type(program, value) or media
        if param.type is None:
            schema: Schema = unknown(Reason("body-untyped"), origin)
        else:
            type, inside = _transferred_type(program, param.type, scope)
            schema = program.schema(type, inside, LOAD)
            shape = program.types.flat(schema)
            if media == "multipart/form-data" and isinstance(shape, Scalar):
                # One file is a member of the form, whatever it is called there.
                schema = Object(fields=(), additional=Anything(), origin=origin)
        dto = dto_of_handler(program, self._handler, "dto")
        if dto is not None:
            schema = transferred_schema(program, dto, _by_name(program, param, scope, schema))
        required = mark.default is None and schema.nullable is False
        self.bodies.append(
            Body(schema=schema, content_type=media, required=required, origin=origin)
        )


def _by_name(program: Program, param: Param, scope: Scope, schema: Schema) -> Schema:
    """The shape of a body under the names in the code: a data transfer object starts from them."""
    if param.type is None:
        return schema
    type, inside = _transferred_type(program, param.type, scope)
    return program.schema(type, inside, BY_NAME)


def _transferred_type(program: Program, type: TypeExpr, scope: Scope) -> tuple[TypeExpr, Scope]:
    """The type of a body without what is said of it: `T` of `JSONBody[DTOData[T]]`."""
    type, inside, _ = unwrap_annotated(program, type, scope)
    while isinstance(type, NamedType) and type.args:
        if type.name.rpartition(".")[2] not in ("DTOData", *_ENCODINGS):
            break
        type = type.args[0]
    return type, inside


class _Mark(Struct, frozen=True, eq=False):
    """What is said of a parameter beside its type."""

    name: str = ""
    """Of what says it: `FromQuery`, `Parameter`, `Body`, `Dependency`."""
    made: LibraryResult | None = None
    """`Parameter(…)` itself; None where a type says it."""
    default: Value | None = None


def _mark(program: Program, param: Param, scope: Scope) -> _Mark:
    found: list[Value] = []
    name = ""
    if param.type is not None:
        type, inside, metadata = unwrap_annotated(program, param.type, scope)
        found.extend(program.evaluate(expr, at) for expr, at in metadata)
        if isinstance(type, NamedType) and type.args:
            named = program.names.lookup_type(type.name, inside)
            if isinstance(named, LibrarySymbol) and is_litestar(named.name):
                name = named.name.rpartition(".")[2]
    default = None if param.default is None else program.evaluate(param.default, scope)
    if default is not None:
        found.append(default)
    made = next((v for v in found if isinstance(v, LibraryResult) and is_litestar(v.name)), None)
    if made is None:
        return _Mark(name if name in (*_PLACES, *_ENCODINGS, *_INJECTED) else "", None, default)
    if default is made or default is None:
        default = argument_value(program, made, "default")
    return _Mark(made.name.rpartition(".")[2], made, default)


def _is_plain(program: Program, schema: Schema) -> bool:
    match program.types.flat(schema):
        case Scalar():
            return True
        case Array(items=items):
            return _is_plain(program, items)
        case Union(options=options):
            return all(_is_plain(program, option) for option in options)
        case _:
            return False
