"""What Robyn's handlers take from a request, and what they send."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from msgspec import Struct

from contract_scan.ir.operation import Body, Parameter, Response
from contract_scan.ir.origin import Origin
from contract_scan.ir.schema import Object, Scalar, Schema
from contract_scan.parsers.source.analysis.domain.values import (
    BySchema,
    ByType,
    ClassValue,
    Constant,
    FunctionValue,
    Instance,
    Items,
    LibraryResult,
    OneOf,
    Record,
    Scope,
    Template,
    Value,
)
from contract_scan.parsers.source.facts.nodes import (
    Annotation,
    Call,
    NamedType,
    NullType,
    Param,
    TypeExpr,
    UnionType,
)
from contract_scan.parsers.source.python.resolution.type_expressions import as_type
from contract_scan.parsers.source.python.serialization.kinds import library_bases
from contract_scan.parsers.source.python.web.bodies import read_body
from contract_scan.parsers.source.python.web.common import (
    argument,
    call_argument,
    merge_responses,
    path_names,
    place,
    response,
    status_code,
    status_of,
    unknown,
)
from contract_scan.parsers.source.python.web.returns import ReturnedResponse, as_response
from contract_scan.parsers.source.web.route_graph import RouterId

if TYPE_CHECKING:
    from contract_scan.parsers.source.analysis.domain.program import Program

_PROVIDED = frozenset({"Request", "QueryParams", "Headers", "PathParams", "Method", "Url"}) | {
    "FormData",
    "Files",
    "IPAddress",
    "Identity",
    "Response",
    "WebSocket",
}
"""Types of what the library hands to handlers."""
_RESERVED = frozenset(
    {"r", "req", "request", "query_params", "headers", "path_params", "body", "method", "url"}
) | {"ip_addr", "identity", "form_data", "files", "router_dependencies", "global_dependencies"}
_READERS = frozenset({"json", "body", "form_data", "files"})
_FILES = frozenset({"FileResponse", "serve_file", "serve_html"})


class Route(Struct, frozen=True, eq=False):
    """One handler under one method and path."""

    router: RouterId
    site: Annotation | Call
    method: str
    """Empty: it is not constant."""
    scope: Scope
    handler: FunctionValue | None
    origin: Origin


class RequestInputs:
    """What a handler takes from a request, by the types and names of its parameters."""

    def __init__(self, program: Program, route: Route, path: str, injected: frozenset[str]) -> None:
        self._program = program
        self._injected = injected
        self._route = route
        self._path = path_names(path)
        params = route.handler.function.params if route.handler is not None else ()
        self._params = [param for param in params if param.kind in ("", "keyword")]

    def parameters(self) -> Iterator[Parameter]:
        """Of the path and of the query."""
        typed = {param.name: param for param in self._params}
        for name in self._path:
            param = typed.get(name)
            origin = self._route.origin
            shape: Schema = Scalar(type="string", origin=origin)
            if param is not None and param.type is not None:
                shape = self._schema(param.type)
            yield Parameter(name=name, location="path", schema=shape, required=True, origin=origin)
        for param in self._params:
            if self._is_of_query(param):
                origin = place(self._scope, param.span)
                shape = Scalar(type="string", origin=origin)
                if param.type is not None:
                    shape = self._schema(param.type)
                optional = param.default is not None or _is_optional(param.type)
                yield Parameter(
                    name=param.name,
                    location="query",
                    schema=shape,
                    required=not optional,
                    has_default=param.default is not None,
                    origin=origin,
                )

    def bodies(self) -> tuple[Body, ...]:
        """The body: a parameter with the type of a model, else what the handler reads."""
        handler = self._route.handler
        if handler is None or self._route.method in ("GET", "HEAD"):
            return ()
        for param in self._params:
            origin = place(self._scope, param.span)
            if self._is_model(param):
                assert param.type is not None
                shape = self._schema(param.type)
                return (Body(schema=shape, required=True, origin=origin),)
            if param.name == "body" or self._kind(param) in ("Body", "JsonBody"):
                why = unknown("the handler reads the request itself", origin)
                return (Body(schema=why, required=None, origin=origin),)
        return read_body(self._program, handler, _READERS, "application/json")

    def is_complete(self) -> bool:
        """Whether the handler takes nothing that holds further parameters."""
        return self._route.handler is not None and not any(
            param.name in _RESERVED or self._kind(param) in ("Request", "QueryParams", "Headers")
            for param in self._params
        )

    def _is_of_query(self, param: Param) -> bool:
        return (
            param.name not in _RESERVED
            and param.name not in self._path
            and param.name not in self._injected
            and self._kind(param) not in (*_PROVIDED, "Body", "JsonBody")
            and not self._is_model(param)
        )

    def _is_model(self, param: Param) -> bool:
        if param.type is None or param.name in self._path:
            return False
        shape = self._program.types.flat(self._schema(param.type))
        return isinstance(shape, Object) and bool(shape.fields)

    def _kind(self, param: Param) -> str:
        """The name of its type; of a class derived from one of the library's, that one's."""
        if not isinstance(param.type, NamedType):
            return ""
        found = self._program.names.lookup_type(param.type.name, self._scope)
        if isinstance(found, ClassValue):
            for base in library_bases(self._program, found.symbol):
                if base.name.startswith("robyn."):
                    return base.name.rpartition(".")[2]
        return param.type.name.rpartition(".")[2]

    @property
    def _scope(self) -> Scope:
        return self._route.handler.scope if self._route.handler else self._route.scope

    def _schema(self, type: TypeExpr) -> Schema:
        return self._program.schema(type, self._scope)


def _is_optional(type: TypeExpr | None) -> bool:
    return isinstance(type, UnionType) and any(isinstance(o, NullType) for o in type.options)


# --------------------------------------------------------------------------- responses


def responses(program: Program, route: Route) -> tuple[tuple[Response, ...], bool]:
    """What the handler of a route sends, and whether all its statuses are known."""
    if route.handler is None:
        why = unknown("the handler of the route could not be found", route.origin)
        return (response("200", why, route.origin, explicit=False),), False
    given_status = call_argument(route.site.args, "status_code")
    default = "200" if given_status is None else status_code(program, given_status, route.scope)
    model = call_argument(route.site.args, "response_model")
    type = None if model is None else as_type(model)
    declared = None if type is None else program.schema(type, route.scope)
    found: list[Response] = []
    complete = default is not None
    for item in _returned_responses(program, route.handler):
        if item is None or item.unclear_status or default is None:
            complete = False
            continue
        made = as_response(program, item, default)
        if declared is not None and item.status is None and item.content_type.endswith("json"):
            made = response(default, declared, item.origin, explicit=given_status is not None)
        found.append(made)
    return merge_responses(found), complete


def _returned_responses(
    program: Program, handler: FunctionValue
) -> Iterator[ReturnedResponse | None]:
    """The responses of a handler; None for one that is undetermined."""
    for result in program.function_exits(handler):
        if result.thrown:
            continue
        origin = place(result.scope, result.span)
        if result.generator:
            yield ReturnedResponse(None, None, origin, "text/event-stream", "it is streamed")
            continue
        value: Value = Constant(None)
        if result.value is not None:
            value = program.evaluate(result.value, result.scope)
        for option in value.options if isinstance(value, OneOf) else (value,):
            yield _response_of(program, option, origin)


def _response_of(program: Program, value: Value, origin: Origin) -> ReturnedResponse | None:
    match value:
        case LibraryResult(name=name) if name.startswith("robyn."):
            return _library_response(program, value, origin)
        case LibraryResult(site=site) if _encodes(value) and site.args:
            inner = program.evaluate(site.args[0].value, value.scope)
            return ReturnedResponse(None, inner, origin)
        case Items(values=[body, _, last], is_tuple=True, repeated=False):
            status = status_of(last)
            return ReturnedResponse(status, body, origin, unclear_status=status is None)
        case Record() | Items() | Instance() | ByType() | BySchema():
            return ReturnedResponse(None, value, origin)
        case Constant() | Template():
            return ReturnedResponse(None, None, origin, "text/plain", "it is text")
        case _:
            return ReturnedResponse(None, value, origin)


def _library_response(
    program: Program, made: LibraryResult, origin: Origin
) -> ReturnedResponse | None:
    """`Response(status_code=201, headers={…}, description=jsonify(x))`."""
    last = made.name.rpartition(".")[2]
    if last == "jsonify":
        content = argument(made.site, 0)
        value = None if content is None else program.evaluate(content, made.scope)
        return ReturnedResponse(None, value, origin)
    if last in _FILES:
        return ReturnedResponse(None, None, origin, "application/octet-stream", "it is a file")
    if last == "html":
        return ReturnedResponse(None, None, origin, "text/html", "it is a page")
    if last in ("StreamingResponse", "SSEResponse"):
        return ReturnedResponse(None, None, origin, "text/event-stream", "it is streamed")
    if last != "Response":
        return None
    given_status = argument(made.site, 0, "status_code")
    status = (
        "200" if given_status is None else status_of(program.evaluate(given_status, made.scope))
    )
    content = argument(made.site, 2, "description", "body")
    if content is None:
        return ReturnedResponse(status, None, origin, "", "", status is None)
    value = program.evaluate(content, made.scope)
    if isinstance(value, LibraryResult) and value.site.args and _encodes(value):
        inner = program.evaluate(value.site.args[0].value, value.scope)
        return ReturnedResponse(status, inner, origin, "application/json", "", status is None)
    if isinstance(value, Constant) and value.value == "":
        return ReturnedResponse(status, None, origin, "", "", status is None)
    why = "its text is not read"
    return ReturnedResponse(status, None, origin, "text/plain", why, status is None)


def _encodes(value: Value) -> bool:
    return isinstance(value, LibraryResult) and value.name.rpartition(".")[2] in (
        "dumps",
        "jsonify",
    )
