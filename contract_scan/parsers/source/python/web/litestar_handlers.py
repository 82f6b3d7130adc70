"""What Litestar handlers take and send."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.ir.operation import Body, Location, Parameter, Response
from contract_scan.ir.origin import Origin
from contract_scan.ir.schema import Array, Scalar, ScalarType, Schema, Union, Unknown
from contract_scan.parsers.source.facts import (
    Assign,
    Attribute,
    Name,
    NamedType,
    NullType,
    Param,
    TypeExpr,
    UnionType,
)
from contract_scan.parsers.source.link.values import (
    ClassValue,
    Constant,
    External,
    FunctionValue,
    Made,
    OneOf,
    Record,
    Scope,
    Typed,
    Value,
)
from contract_scan.parsers.source.python.expressions import as_type
from contract_scan.parsers.source.python.models.fields import annotated, given, given_text
from contract_scan.parsers.source.python.models.variants import BY_NAME
from contract_scan.parsers.source.python.web.common import (
    merged,
    place,
    response,
    status_code,
    status_of,
    unknown,
)
from contract_scan.parsers.source.python.web.litestar_app import Handler, is_litestar
from contract_scan.parsers.source.python.web.litestar_dto import Dto, dto_of, transferred

if TYPE_CHECKING:
    from contract_scan.parsers.source.link.program import Program

_PROVIDED = frozenset(
    {"request", "socket", "state", "headers", "cookies", "query", "scope", "body", "self", "this"}
)
"""Names of parameters that the framework fills in itself."""
_MEDIA = {
    "JSON": "application/json",
    "MESSAGEPACK": "application/x-msgpack",
    "URL_ENCODED": "application/x-www-form-urlencoded",
    "MULTI_PART": "multipart/form-data",
    "HTML": "text/html",
    "TEXT": "text/plain",
}
_MADE = {
    "Redirect": ("302", ""),
    "File": ("", "application/octet-stream"),
    "Stream": ("", "application/octet-stream"),
    "ServerSentEvent": ("", "text/event-stream"),
    "Template": ("", "text/html"),
    "HTMXTemplate": ("", "text/html"),
}
"""Response classes without content that could be compared -> own status, content type."""
_DEEPEST = 6


PATH_PARAMETER = re.compile(r"\{(\w+)(?::(\w+))?\}")
"""A parameter in a path with its type."""


class Taken(Struct, frozen=True, eq=False):
    """What a handler takes from a request."""

    parameters: tuple[Parameter, ...]
    bodies: tuple[Body, ...]
    complete: bool


def prefers_aliases(program: Program) -> bool:
    """Whether pydantic models are written under their aliases: only where a plugin says so."""
    known = program.memory.get("python.litestar.aliases")
    if not isinstance(known, bool):
        known = program.mentions(b"prefer_alias=True")
        program.memory["python.litestar.aliases"] = known
    return known


# --------------------------------------------------------------------------- requests


_CONVERTERS: dict[str, tuple[ScalarType, str]] = {
    "int": ("integer", ""),
    "float": ("number", ""),
    "uuid": ("string", "uuid"),
    "date": ("string", "date"),
    "datetime": ("string", "date-time"),
}


def taken(program: Program, handler: Handler, path: str) -> Taken:
    """What a handler and its dependencies take; `path` has the types of its parameters."""
    converters = dict(PATH_PARAMETER.findall(path))
    reader = _Request(program, handler, frozenset(converters))
    reader.function(handler.function, 0)
    found = dict(reader.parameters)
    for name, converter in converters.items():
        if ("path", name) not in found:
            kind, form = _CONVERTERS.get(converter, ("string", ""))
            shape = Scalar(type=kind, format=form)
            found["path", name] = Parameter(name=name, location="path", schema=shape, required=True)
    return Taken(tuple(found.values()), tuple(reader.bodies), reader.complete)


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
        if isinstance(value, Made) and value.site.args:
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
        origin = place(scope, param.span)
        marker, default = _markers(program, param, scope)
        if marker is not None and marker.name.endswith(("Dependency", "NamedDependency")):
            return
        location: Location = "path" if param.name in self._path_names else "query"
        name = param.name
        if marker is not None and location != "path":
            for where in ("query", "header", "cookie"):
                alias = given_text(program, marker, where)
                if alias is not None:
                    name = alias
                    location = "query"
                    if where != "query":
                        location = "header" if where == "header" else "cookie"
        schema: Schema = unknown(f"parameter `{param.name}` has no declared type", origin)
        if param.type is not None:
            schema = program.schema(param.type, scope)
        # Without a mark it is a dependency where its type is no plain value; where not all
        # dependencies are known, it may be one of those.
        unmarked = location == "query" and marker is None
        if unmarked and not (self._known and _is_plain(program, schema)):
            self.complete = self.complete and self._known and not self._is_unknown(schema)
            return
        required = default is None and schema.nullable is False
        self.parameters.setdefault(
            (location, name),
            Parameter(
                name=name,
                location=location,
                schema=schema,
                required=True if location == "path" else required,
                has_default=default is not None,
                origin=origin,
            ),
        )

    def _is_unknown(self, schema: Schema) -> bool:
        return isinstance(self._program.types.flat(schema), Unknown)

    def _body(self, param: Param, scope: Scope) -> None:
        program = self._program
        origin = place(scope, param.span)
        marker, default = _markers(program, param, scope)
        media = "application/json"
        if marker is not None:
            value = given(program, marker, "media_type")
            media = media if value is None else media_type(program, value) or media
        if param.type is None:
            schema: Schema = unknown("the body has no declared type", origin)
        else:
            type, inside, _ = annotated(program, param.type, scope)
            if isinstance(type, NamedType) and type.name.rpartition(".")[2] == "DTOData":
                type = type.args[0] if type.args else type
            schema = program.schema(type, inside)
        dto = _dto(program, self._handler, "dto")
        if dto is not None:
            schema = transferred(program, dto, _by_name(program, param, scope, schema))
        required = default is None and schema.nullable is False
        self.bodies.append(
            Body(schema=schema, content_type=media, required=required, origin=origin)
        )


def _by_name(program: Program, param: Param, scope: Scope, schema: Schema) -> Schema:
    """The shape of a body under the names in the code: a data transfer object starts from them."""
    if param.type is None:
        return schema
    type, inside, _ = annotated(program, param.type, scope)
    if isinstance(type, NamedType) and type.name.rpartition(".")[2] == "DTOData" and type.args:
        type = type.args[0]
    return program.schema(type, inside, BY_NAME)


def _markers(program: Program, param: Param, scope: Scope) -> tuple[Made | None, Value | None]:
    """`Parameter(…)` or `Body(…)` of a parameter, and its default."""
    found: list[Value] = []
    if param.type is not None:
        _, _, metadata = annotated(program, param.type, scope)
        found.extend(program.evaluate(expr, inside) for expr, inside in metadata)
    default = None if param.default is None else program.evaluate(param.default, scope)
    if default is not None:
        found.append(default)
    marker = next(
        (value for value in found if isinstance(value, Made) and is_litestar(value.name)), None
    )
    if (default is marker and marker is not None) or (default is None and marker is not None):
        default = given(program, marker, "default")
    return marker, default


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


def _dto(program: Program, handler: Handler, name: str) -> Dto | None:
    for expr, scope in handler.options(name):
        return dto_of(program, expr, scope)
    if name == "return_dto":
        return _dto(program, handler, "dto")
    return None


def media_type(program: Program, value: Value) -> str:
    """A content type given as text or as a member of Litestar's enumerations."""
    text = program.evaluator.text(value)
    if text is not None:
        return text
    name = value.name.rpartition(".")[2] if isinstance(value, External) else ""
    return _MEDIA.get(name, "")


# --------------------------------------------------------------------------- responses


class Responses:
    """What a handler sends, by status."""

    def __init__(self, program: Program, handler: Handler, method: str) -> None:
        self._program = program
        self._handler = handler
        methods = handler.methods or (method,)
        default = "201" if "POST" in methods else "204" if "DELETE" in methods else "200"
        given = handler.option("status_code")
        told = None if given is None else status_code(program, *given)
        self.complete = given is None or told is not None
        self._explicit = given is not None
        self._status = told or default
        self._dto = _dto(program, handler, "return_dto")
        self._variant = "" if self._dto is None and prefers_aliases(program) else BY_NAME

    def read(self) -> tuple[Response, ...]:
        """Every response that is told."""
        function = self._handler.function.function
        scope = self._handler.function.scope
        origin = place(scope, function.name_span)
        hook = self._hook()
        declared = function.returns
        kind = self._response_class()
        found: list[Response] = []
        if hook:
            shape: Schema | None = unknown(hook, origin)
            found.append(self._response(self._status, shape, origin, "", self._explicit))
        elif kind:
            found.extend(self._made(kind, origin))
        elif isinstance(declared, NullType):
            found.append(response(self._status, None, origin, explicit=self._explicit))
        else:
            found.append(
                self._response(
                    self._status, self._declared(origin), origin, self._media(), self._explicit
                )
            )
        found.extend(self._documented())
        return merged(found)

    def _declared(self, origin: Origin) -> Schema:
        function = self._handler.function
        declared = function.function.returns
        if declared is None:
            from contract_scan.parsers.source.link.shapes import unite

            values = [
                self._program.evaluate(result.value, result.scope)
                for result in self._program.returned(function)
                if not result.thrown and result.value is not None
            ]
            if not values:
                return unknown("nothing that the handler returns can be seen", origin)
            return self._sent(unite(self._program.schema_of(v, self._variant) for v in values))
        return self._sent(self._program.schema(declared, function.scope, self._variant))

    def _sent(self, schema: Schema) -> Schema:
        return schema if self._dto is None else transferred(self._program, self._dto, schema)

    def _media(self) -> str:
        option = next(self._handler.options("media_type"), None)
        if option is not None:
            return media_type(self._program, self._program.evaluate(*option)) or "application/json"
        declared = self._handler.function.function.returns
        if isinstance(declared, NamedType) and declared.name in ("str", "bytes"):
            return "text/plain"
        return "application/json"

    def _response(
        self, status: str, schema: Schema | None, origin: Origin, media: str, explicit: bool
    ) -> Response:
        return response(
            status, schema, origin, content_type=media or "application/json", explicit=explicit
        )

    # responses that the handler makes

    def _response_class(self) -> str:
        """The response class that the handler is declared to return."""
        declared = self._handler.function.function.returns
        if isinstance(declared, UnionType):
            kinds = [self._class_of(option) for option in declared.options]
            return "Response" if any(kinds) else ""
        return self._class_of(declared)

    def _class_of(self, declared: TypeExpr | None) -> str:
        if not isinstance(declared, NamedType):
            return ""
        value = Typed(declared, self._handler.function.scope)
        name = self._program.evaluator.qualified(value)
        last = name.rpartition(".")[2]
        if not is_litestar(name) and not name.startswith("starlette."):
            return ""
        return last if last in _MADE or last.endswith("Response") else ""

    def _made(self, kind: str, origin: Origin) -> Iterator[Response]:
        declared = self._handler.function.function.returns
        scope = self._handler.function.scope
        inner: Schema | None = None
        if kind == "Response" and isinstance(declared, NamedType) and declared.args:
            argument = declared.args[0]
            inner = self._sent(self._program.schema(argument, scope, self._variant))
            if isinstance(argument, NullType) or self._program.types.is_unknown(inner):
                inner = None
        seen = False
        for made in self._returned():
            seen = True
            yield self._made_response(made, inner, origin)
        if not seen:
            self.complete = False
            status, media = _MADE.get(kind, ("", ""))
            shape: Schema | None = inner
            if shape is None and kind != "Redirect":
                shape = unknown("the response is made in another function", origin)
            yield self._response(status or self._status, shape, origin, media, self._explicit)

    def _returned(self) -> Iterator[Made]:
        for result in self._program.returned(self._handler.function):
            if result.thrown or result.value is None:
                continue
            value = self._program.evaluate(result.value, result.scope)
            for option in value.options if isinstance(value, OneOf) else (value,):
                if isinstance(option, Made) and is_litestar(option.name):
                    yield option
                else:
                    self.complete = False

    def _made_response(self, made: Made, inner: Schema | None, origin: Origin) -> Response:
        program = self._program
        kind = made.name.rpartition(".")[2]
        own, media = _MADE.get(kind, ("", ""))
        status_value = given(program, made, "status_code")
        status = own or self._status
        explicit = self._explicit
        if status_value is not None:
            explicit = True
            told = status_of(status_value)
            if told is None:
                self.complete = False
            status = told or status
        if kind in _MADE:
            shape = None if kind == "Redirect" else unknown("it is not sent as JSON", origin)
            return self._response(status, shape, origin, media, explicit)
        media_value = given(program, made, "media_type")
        media = self._media() if media_value is None else media_type(program, media_value)
        positional = [a.value for a in made.site.args if not a.name and not a.spread]
        named = next((a.value for a in made.site.args if a.name == "content"), None)
        content = named if named is not None else (positional[0] if positional else None)
        if content is None:
            return response(status, None, origin, explicit=explicit)
        value = program.evaluate(content, made.scope)
        if isinstance(value, Constant) and value.value in (None, ""):
            return response(status, None, origin, explicit=explicit)
        if inner is not None and status.startswith("2"):
            return self._response(status, inner, origin, media, explicit)
        schema = self._sent(program.schema_of(value, self._variant))
        return self._response(status, schema, origin, media, explicit)

    # what else changes or documents responses

    def _hook(self) -> str:
        """Why what is returned may not be what is sent: a hook that makes a response anew."""
        for expr, scope in self._handler.options("after_request"):
            value = self._program.function_value(expr, scope)
            if value is None or not _passes_on(self._program, value):
                return "the hook `after_request` may change what is sent"
        return ""

    def _documented(self) -> Iterator[Response]:
        """`responses={404: ResponseSpec(data_container=Problem)}`."""
        option = self._handler.option("responses")
        if option is None:
            return
        value = self._program.evaluate(*option)
        for entry in value.entries if isinstance(value, Record) else ():
            spec = entry.value
            if not entry.name.isdigit() or not isinstance(spec, Made):
                continue
            container = next(
                (a.value for a in spec.site.args if a.name in ("", "data_container")), None
            )
            type = None if container is None else as_type(container)
            if type is not None and entry.name != self._status:
                schema = self._program.schema(type, spec.scope, self._variant)
                yield replace(response(entry.name, schema, entry.origin), documented=True)


def _passes_on(program: Program, hook: FunctionValue) -> bool:
    """Whether a hook gives the response back as it came, but for headers and the like."""
    if not hook.function.params:
        return False
    name = hook.function.params[-1].name
    returned = [r for r in program.returned(hook) if not r.thrown]
    body = program.body(hook.function, hook.scope.file)
    return (
        bool(returned)
        and all(isinstance(r.value, Name) and r.value.id == name for r in returned)
        and not any(
            isinstance(s, Assign)
            and (
                (isinstance(s.target, Name) and s.target.id == name)
                or (isinstance(s.target, Attribute) and s.target.name in ("content", "status_code"))
            )
            for s in body
        )
    )
