"""What handlers with typed parameters take from a request, and what they send by returning it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.ir.operation import Body, Location, Parameter, Response
from contract_scan.ir.origin import Origin
from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.ir.schema import Anything, Array, Object, Scalar, Schema
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    ByType,
    ClassValue,
    Constant,
    FunctionValue,
    Items,
    LibraryResult,
    OneOf,
    Scope,
    Template,
    Value,
    origin_at,
)
from contract_scan.parsers.source.facts.nodes import (
    Annotation,
    Call,
    Expr,
    NamedType,
    NullType,
    Param,
    TypeExpr,
    UnionType,
)
from contract_scan.parsers.source.python.resolution.type_expressions import as_type
from contract_scan.parsers.source.python.serialization.kinds import library_bases
from contract_scan.parsers.source.python.serialization.modes import LOAD
from contract_scan.parsers.source.python.web.bodies import read_body
from contract_scan.parsers.source.python.web.common import (
    argument,
    call_argument,
    merge_responses,
    response,
    status_code,
    status_of,
    undetermined_response,
    unknown,
)
from contract_scan.parsers.source.python.web.error_statuses import ErrorFamily
from contract_scan.parsers.source.python.web.path_syntax import path_names
from contract_scan.parsers.source.python.web.raised_errors import only_raised, with_raised
from contract_scan.parsers.source.python.web.returns import ReturnedResponse, as_response
from contract_scan.parsers.source.web.route_graph import RouterId
from contract_scan.parsers.source.web.status_names import status_named


class Binding(Struct, frozen=True):
    """Where the value of a parameter comes from."""

    location: Location | Literal["body", "request", "provided"]
    """"request": what holds further parameters; "provided": nothing of the request."""
    content_type: str = "application/json"
    """Of a body."""


class Answer(Struct, frozen=True):
    """What a function or class of the library makes a response of. Arguments by name or position
    (-1: by name alone)."""

    status: str | None = "200"
    """Unless an argument says another one; None: an argument has to."""
    status_argument: tuple[int, *tuple[str, ...]] = (-1,)
    body: tuple[int, *tuple[str, ...]] | None = None
    content_type: str = ""
    """Empty: objects are sent as JSON, texts as `text/plain`."""
    opaque: Reason = NO_REASON
    """Why the content is undetermined, though there is some."""


FILE = Answer(content_type="application/octet-stream", opaque=Reason("body-is-file"))
PAGE = Answer(content_type="text/html", opaque=Reason("body-is-page"))


class HandlerLibrary(Struct, frozen=True, kw_only=True):
    """How handlers of a library take requests apart and answer them: parameters are bound by their
    types and names, and what is returned is sent."""

    package: str
    """What qualified names of the library begin with."""
    types: Mapping[str, Binding] = {}
    """By the last names of types of the library; their argument is the type of the value."""
    names: Mapping[str, Binding] = {}
    """By the names of parameters."""
    readers: frozenset[str] = frozenset()
    """Members of a request that give its body."""
    queries: frozenset[str] = frozenset()
    """Members of a request that give its query."""
    answers: Mapping[str, Answer] = {}
    """By the last names of functions and classes of the library."""
    named_answers: Answer | None = None
    """What functions make that are named after a status: of a redirection, without its body."""
    encoders: frozenset[str] = frozenset({"dumps"})
    """Last names of functions whose result is JSON of their first argument."""
    status_in_tuple: int | None = None
    """The position of the status in a tuple that is returned; None: tuples are bodies."""
    nothing: str | None = None
    """The status of a handler that returns nothing; None: it is the default one."""
    untyped_is_required: bool = True
    """Whether a query parameter without a declared type has to be given."""
    errors: ErrorFamily | None = None
    """Exceptions of the library that say a status."""


class Route(Struct, frozen=True, eq=False):
    """One handler under one method and path."""

    router: RouterId
    site: Annotation | Call
    path: Expr | None
    """None: there is none, the prefix is the path."""
    prefix: str | None
    """Of the class around it; None where it is not constant."""
    method: str
    """Empty: it is not constant."""
    scope: Scope
    handler: FunctionValue | None
    origin: Origin


class RequestInputs:
    """What a handler takes from a request, by the types and names of its parameters. `provided` are
    names of parameters and of types that the project has values injected for."""

    def __init__(
        self,
        program: Program,
        library: HandlerLibrary,
        route: Route,
        path: str,
        provided: frozenset[str],
    ) -> None:
        self._program, self._library, self._route = program, library, route
        self._provided = provided
        self._path = path_names(path)
        params = route.handler.function.params if route.handler is not None else ()
        own = ("self", "this", "cls") if route.handler and route.handler.owner else ()
        self._params = [p for p in params if p.kind in ("", "keyword") and p.name not in own]
        self._bindings = [(param, *self._binding(param)) for param in self._params]

    def parameters(self) -> Iterator[Parameter]:
        """Of the path, of the query, headers and cookies."""
        typed = {p.name: type for p, binding, type in self._bindings if binding.location == "path"}
        for name in self._path:
            declared, origin = typed.get(name), self._route.origin
            shape: Schema = Scalar(type="string", origin=origin)
            if declared is not None:
                shape = self._schema(declared)
            yield Parameter(name=name, location="path", schema=shape, required=True, origin=origin)
        for param, binding, declared in self._bindings:
            if binding.location in ("query", "header", "cookie"):
                yield self._parameter(param, binding.location, declared)

    def _parameter(self, param: Param, location: Location, type: TypeExpr | None) -> Parameter:
        origin = origin_at(self._scope, param.place)
        shape: Schema = Scalar(type="string", origin=origin)
        if type is not None:
            shape = self._schema(type)
        elif not self._library.untyped_is_required:
            shape = Anything(origin=origin)
        optional = param.default is not None or _is_optional(param.type) or _is_optional(type)
        return Parameter(
            name=self._wire_name(param),
            location=location,
            schema=shape,
            required=not optional and (type is not None or self._library.untyped_is_required),
            has_default=param.default is not None,
            origin=origin,
        )

    def _wire_name(self, param: Param) -> str:
        """The name of a parameter, or the one that the project's own type of it states."""
        found = self._own_type(param.type)
        if found is None or self._of_library_type(_without_null(param.type)) is None:
            return param.name
        stated = next((m.value for m in found.symbol.decl.members if m.name == "name"), None)
        scope = self._program.class_scope(found.symbol)
        return (self._program.text(stated, scope) if stated is not None else None) or param.name

    def bodies(self) -> tuple[Body, ...]:
        """The body: a parameter that is bound to it, else what the handler reads."""
        handler = self._route.handler
        if handler is None or self._route.method in ("GET", "HEAD"):
            return ()
        for param, binding, type in self._bindings:
            if binding.location != "body":
                continue
            origin = origin_at(self._scope, param.place)
            media = binding.content_type
            if type is None:
                why = unknown(Reason("handler-reads-request-itself"), origin)
                return (Body(schema=why, content_type=media, required=None, origin=origin),)
            needed = param.default is None and not _is_optional(param.type)
            if param.type == type and not self._is_model(type):
                why = unknown(Reason("body-or-service-undetermined"), origin)
                return (Body(schema=why, content_type=media, required=None, origin=origin),)
            shape = self._schema(type)
            return (Body(schema=shape, content_type=media, required=needed, origin=origin),)
        return read_body(self._program, handler, self._library.readers, "application/json")

    def is_complete(self) -> bool:
        """Whether the handler takes nothing that holds further parameters."""
        return self._route.handler is not None and not any(
            binding.location == "request" for _, binding, _ in self._bindings
        )

    def _binding(self, param: Param) -> tuple[Binding, TypeExpr | None]:
        """Where a parameter comes from, and the type of its value."""
        if param.name in self._library.names:
            return self._library.names[param.name], None
        type = _without_null(param.type)
        found = self._of_library_type(type)
        if found is not None:
            return found
        if param.name in self._path:
            return Binding("path"), param.type
        name = type.name.rpartition(".")[2] if isinstance(type, NamedType) else ""
        if param.name in self._provided or name in self._provided:
            return Binding("provided"), None
        if type is not None and (self._is_model(type) or self._is_own_class(type)):
            return Binding("body"), type
        return Binding("query"), param.type

    def _of_library_type(self, type: TypeExpr | None) -> tuple[Binding, TypeExpr | None] | None:
        if not isinstance(type, NamedType):
            return None
        own = self._own_type(type)
        if own is None:
            binding = self._library.types.get(type.name.rpartition(".")[2])
            return None if binding is None else (binding, type.args[0] if type.args else None)
        names = (base.name for base in library_bases(self._program, own.symbol))
        for name in names:
            binding = self._library.types.get(name.rpartition(".")[2])
            if binding is not None and name.startswith(self._library.package):
                is_model = binding.location == "body" and self._is_model(type)
                given = [
                    b.args[0] for b in own.symbol.decl.bases if isinstance(b, NamedType) and b.args
                ]
                return binding, type if is_model else (given[0] if given else None)
        return None

    def _own_type(self, type: TypeExpr | None) -> ClassValue | None:
        """The class of the project that a type names."""
        type = _without_null(type)
        if not isinstance(type, NamedType):
            return None
        found = self._program.names.lookup_type(type.name, self._scope)
        return found if isinstance(found, ClassValue) else None

    def _is_own_class(self, type: TypeExpr) -> bool:
        """Whether a type is a class of the project that no text is read as."""
        if self._own_type(type) is None:
            return False
        return not isinstance(self._program.types.flat(self._schema(type)), Scalar)

    def _is_model(self, type: TypeExpr) -> bool:
        shape = self._program.types.flat(self._schema(type))
        if isinstance(shape, Array):
            shape = self._program.types.flat(shape.items)
        return isinstance(shape, Object) and bool(shape.fields)

    @property
    def _scope(self) -> Scope:
        return self._route.handler.scope if self._route.handler else self._route.scope

    def _schema(self, type: TypeExpr) -> Schema:
        return self._program.schema(type, self._scope, LOAD)


def _without_null(type: TypeExpr | None) -> TypeExpr | None:
    """`T` of `T | None`."""
    if not isinstance(type, UnionType):
        return type
    options = [option for option in type.options if not isinstance(option, NullType)]
    return options[0] if len(options) == 1 else type


def _is_optional(type: TypeExpr | None) -> bool:
    return isinstance(type, UnionType) and any(isinstance(o, NullType) for o in type.options)


# --------------------------------------------------------------------------- responses


class Responses:
    """What the handler of a route sends."""

    def __init__(self, program: Program, library: HandlerLibrary, route: Route) -> None:
        self._program, self._library, self._route = program, library, route
        self.undetermined_status: Origin | None = None
        """Once all are read: the first place of which the status is undetermined."""

    def all(self) -> tuple[tuple[Response, ...], bool]:
        """All responses, and whether all their statuses are known."""
        program, route = self._program, self._route
        if route.handler is None:
            return (undetermined_response(Reason("route-handler-not-found"), route.origin),), False
        given_status = call_argument(route.site.args, "status_code")
        default = "200" if given_status is None else status_code(program, given_status, route.scope)
        model = call_argument(route.site.args, "response_model")
        type = None if model is None else as_type(model)
        declared = None if type is None else program.schema(type, route.scope)
        found: list[Response] = []
        complete = default is not None
        for item in self._returned_responses(route.handler):
            if item is None or item.unclear_status or default is None:
                complete = False
                continue
            made = as_response(program, item, default)
            if declared is not None and item.status is None and item.content_type.endswith("json"):
                made = response(default, declared, item.origin, explicit=given_status is not None)
            found.append(made)
        merged = merge_responses(found)
        if self._library.errors is not None:
            raised = only_raised(program, route.handler, family=self._library.errors)
            if raised:
                return raised, True
            merged = with_raised(program, route.handler, merged, family=self._library.errors)
        return merged, complete

    def _returned_responses(self, handler: FunctionValue) -> Iterator[ReturnedResponse | None]:
        """The responses of a handler; None for one that is undetermined."""
        for result in self._program.function_exits(handler):
            if result.thrown:
                continue
            origin = origin_at(result.scope, result.span)
            if result.generator:
                yield ReturnedResponse(
                    None, None, origin, "text/event-stream", Reason("body-is-stream")
                )
                continue
            value: Value = Constant(None)
            if result.value is not None:
                value = self._program.evaluate(result.value, result.scope)
            for option in value.options if isinstance(value, OneOf) else (value,):
                item = self._of_value(option, origin)
                if item is None or item.unclear_status:
                    self.undetermined_status = self.undetermined_status or origin
                yield item

    def _of_value(self, value: Value, origin: Origin) -> ReturnedResponse | None:
        match value:
            case LibraryResult(name=name) if name.startswith(self._library.package):
                return self._of_library(value, origin)
            case LibraryResult() if (inner := self._encoded_value(value)) is not None:
                return ReturnedResponse(None, inner, origin)
            case Items(values=values, is_tuple=True, repeated=False) if (
                self._library.status_in_tuple is not None
                and len(values) == self._library.status_in_tuple + 1
            ):
                status = status_of(values[-1])
                return ReturnedResponse(status, values[0], origin, unclear_status=status is None)
            case Constant(value=None) if self._library.nothing is not None:
                return ReturnedResponse(self._library.nothing, None, origin)
            case Constant(value=None):
                return ReturnedResponse(None, None, origin, "text/plain", Reason("body-is-text"))
            case _ if _is_text(value):
                return ReturnedResponse(None, None, origin, "text/plain", Reason("body-is-text"))
            case _:
                return ReturnedResponse(None, value, origin)

    def _of_library(self, made: LibraryResult, origin: Origin) -> ReturnedResponse | None:
        """`Response(status_code=201, headers={…}, description=jsonify(x))`, `created(x)`."""
        inner = self._encoded_value(made)
        if inner is not None:
            return ReturnedResponse(None, inner, origin)
        answer = self._answer_of(made.name.rpartition(".")[2])
        if answer is None:
            return None
        if answer.opaque:
            return ReturnedResponse(None, None, origin, answer.content_type, answer.opaque)
        position, *names = answer.status_argument
        given = argument(made.site, position, *names)
        status = answer.status
        if given is not None:
            status = status_of(self._program.evaluate(given, made.scope))
        unclear = status is None
        content = argument(made.site, *answer.body) if answer.body else None
        if content is None:
            return ReturnedResponse(status, None, origin, "", NO_REASON, unclear)
        value = self._program.evaluate(content, made.scope)
        inner = self._encoded_value(value)
        if inner is not None:
            return ReturnedResponse(status, inner, origin, "application/json", NO_REASON, unclear)
        if isinstance(value, Constant) and value.value in ("", None):
            return ReturnedResponse(status, None, origin, "", NO_REASON, unclear)
        is_text = answer.content_type.startswith("text/") or (
            not answer.content_type and _is_text(value)
        )
        if is_text:
            media = answer.content_type or "text/plain"
            return ReturnedResponse(status, None, origin, media, Reason("text-not-read"), unclear)
        return ReturnedResponse(status, value, origin, "application/json", NO_REASON, unclear)

    def _answer_of(self, name: str) -> Answer | None:
        known, named = self._library.answers.get(name), self._library.named_answers
        status = status_named(name) if named is not None else None
        if known is not None or named is None or status is None:
            return known
        return replace(named, status=status, body=None if status[0] == "3" else named.body)

    def _encoded_value(self, value: Value) -> Value | None:
        """What `jsonify(x)` or `dumps(x)` makes JSON of."""
        if not isinstance(value, LibraryResult) or not value.site.args:
            return None
        if value.name.rpartition(".")[2] not in self._library.encoders:
            return None
        return self._program.evaluate(value.site.args[0].value, value.scope)


def _is_text(value: Value) -> bool:
    match value:
        case Constant(value=str()) | Template():
            return True
        case ByType(type=NamedType(name="str")):
            return True
        case _:
            return False
