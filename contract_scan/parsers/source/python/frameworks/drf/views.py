"""Views of Django REST framework: which methods they answer, what each takes and sends."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from msgspec.structs import replace

from contract_scan.ir.operation import Answers, Body, Parameter, Response
from contract_scan.ir.origin import Origin
from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import Anything, Array, Field, Object, Schema, Unknown
from contract_scan.parsers.source.analysis.dataflow import reaching_definitions
from contract_scan.parsers.source.analysis.domain.hooks import CallSite
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    BySchema,
    ClassSymbol,
    ClassValue,
    Constant,
    FunctionValue,
    Instance,
    LibraryResult,
    OneOf,
    Scope,
    Value,
    origin_at,
)
from contract_scan.parsers.source.analysis.evaluation.base_constructors import base_construction
from contract_scan.parsers.source.analysis.evaluation.call_sites import calls_in
from contract_scan.parsers.source.facts.nodes import (
    Argument,
    Assign,
    Attribute,
    Call,
    Expr,
    Index,
    LiteralExpr,
    Name,
    Return,
    Statement,
)
from contract_scan.parsers.source.facts.visitor import nodes_of
from contract_scan.parsers.source.python.frameworks.drf.permissions import (
    known_of_user,
    needs_a_user,
)
from contract_scan.parsers.source.python.frameworks.drf.query_serializers import query_parameters
from contract_scan.parsers.source.python.frameworks.drf.responses import (
    View,
    known_of_view,
    naming_flags,
    paginated_schema,
    pagination_class,
    rendered_schema,
    renderer_of,
    serializer_class,
)
from contract_scan.parsers.source.python.messaging.reads import of_request
from contract_scan.parsers.source.python.resolution.branch_selection import reachable_exits
from contract_scan.parsers.source.python.serialization.drf import serializers as drf
from contract_scan.parsers.source.python.serialization.drf.fields import list_of
from contract_scan.parsers.source.python.serialization.drf.names import as_rendered
from contract_scan.parsers.source.python.serialization.fields import (
    argument_value,
    is_null,
    is_true,
)
from contract_scan.parsers.source.python.serialization.kinds import library_bases
from contract_scan.parsers.source.python.serialization.modes import DUMP, LOAD, PARTIAL, WRITTEN
from contract_scan.parsers.source.python.web.common import (
    argument,
    merge_responses,
    response,
    status_of,
    unknown,
)
from contract_scan.parsers.source.python.web.dispatch_by_method import known_method
from contract_scan.parsers.source.python.web.dumped_texts import json_source
from contract_scan.parsers.source.python.web.returns import as_answered

_STATUS_BY_CLASS = {
    "HttpResponsePermanentRedirect": "301",
    "HttpResponseRedirect": "302",
    "HttpResponseNotModified": "304",
    "HttpResponseBadRequest": "400",
    "HttpResponseForbidden": "403",
    "HttpResponseNotFound": "404",
    "HttpResponseNotAllowed": "405",
    "HttpResponseGone": "410",
    "HttpResponseServerError": "500",
}
"""Responses of `django.http` that have a status of their own."""

GENERIC_VIEWS: dict[str, dict[str, str]] = {
    "CreateAPIView": {"post": "create"},
    "ListAPIView": {"get": "list"},
    "RetrieveAPIView": {"get": "retrieve"},
    "DestroyAPIView": {"delete": "destroy"},
    "UpdateAPIView": {"put": "update", "patch": "partial_update"},
    "ListCreateAPIView": {"get": "list", "post": "create"},
    "RetrieveUpdateAPIView": {"get": "retrieve", "put": "update", "patch": "partial_update"},
    "RetrieveDestroyAPIView": {"get": "retrieve", "delete": "destroy"},
    "RetrieveUpdateDestroyAPIView": {
        "get": "retrieve",
        "put": "update",
        "patch": "partial_update",
        "delete": "destroy",
    },
}
"""Generic views -> the action behind each method."""
MIXINS: dict[str, tuple[str, ...]] = {
    "CreateModelMixin": ("create",),
    "ListModelMixin": ("list",),
    "RetrieveModelMixin": ("retrieve",),
    "UpdateModelMixin": ("update", "partial_update"),
    "DestroyModelMixin": ("destroy",),
    "ModelViewSet": ("list", "create", "retrieve", "update", "partial_update", "destroy"),
    "ReadOnlyModelViewSet": ("list", "retrieve"),
}
"""Classes that bring actions along."""
_DEEPEST = 4
"""How many methods of a view hand a request on to each other."""
ACTIONS = {
    "list": "GET",
    "create": "POST",
    "retrieve": "GET",
    "update": "PUT",
    "partial_update": "PATCH",
    "destroy": "DELETE",
}
"""Standard actions -> their methods."""


def actions_of(program: Program, symbol: ClassSymbol) -> set[str]:
    """The standard actions that a viewset has, its own and those its library bases bring."""
    found = {name for name in ACTIONS if program.find_method(symbol, name) is not None}
    for base in library_bases(program, symbol):
        found.update(MIXINS.get(base.simple_name, ()))
    return found


def generic_methods(program: Program, symbol: ClassSymbol) -> dict[str, str]:
    """Method (small letters) -> action, for a generic view."""
    found: dict[str, str] = {}
    for base in library_bases(program, symbol):
        for method, action in GENERIC_VIEWS.get(base.simple_name, {}).items():
            found.setdefault(method, action)
    return found


# -------------------------------------------------------------------------------------- requests
# What views of Django REST framework take from the body of a request.


_REQUEST_PARTS = frozenset({"data", "POST", "body", "FILES"})
_OTHER_PARTS = frozenset({"method", "FILES", "POST", "body", "stream"})
"""What may be read beside the object, or decides which part of it is."""


def bodies(
    program: Program, view: View, scope: Scope | None, naming: tuple[str, ...], origin: Origin
) -> tuple[Body, ...]:
    """What one method of a view takes from the body. `scope`: inside the project's own code for it;
    None where the library answers. `naming`: how names are written."""
    if view.method in ("GET", "HEAD", "DELETE", "OPTIONS"):
        return ()
    if view.handler is None or scope is None:
        serializer = serializer_class(program, view)
        partial = (PARTIAL,) if view.action == "partial_update" else ()
        if isinstance(serializer, ClassValue):
            shape: Schema = drf.reference(program, serializer.symbol, LOAD, *partial, *naming)
        else:
            shape = unknown(Reason("view-serializer-undetermined"), origin)
        return (Body(schema=shape, required=_is_needed(program, shape), origin=origin),)
    found = _serializer_input(program, scope, naming, origin)
    if found is not None:
        return (Body(schema=found, required=_is_needed(program, found), origin=origin),)
    statements = scope.statements or ()
    if not _reads_request(statements, _REQUEST_PARTS):
        return ()
    read = None
    if not naming and not _reads_request(statements, _OTHER_PARTS):
        read = of_request(program, view.handler, _is_data)
    if read is None:
        read = unknown(Reason("view-reads-request-itself"), origin)
    return (Body(schema=read, required=None, origin=origin),)


def _is_needed(program: Program, shape: Schema) -> bool | None:
    """Whether there has to be a body: without one, a serializer is given an empty object."""
    flat = program.types.flat(shape)
    if not isinstance(flat, Object):
        return True
    needs = [field.required for field in flat.fields if not field.has_default]
    if True in needs:
        return True
    return None if None in needs or flat.incomplete_reason else False


def _serializer_input(
    program: Program, scope: Scope, naming: tuple[str, ...], origin: Origin
) -> Schema | None:
    """The input of the serializer that a handler constructs with `data=`."""
    for call, place_of in calls_in(program, scope.statements or (), scope):
        data = next((a.value for a in call.args if a.name == "data"), None)
        if not isinstance(call, Call) or data is None:
            continue
        serializer = program.evaluate(call, place_of)
        if not isinstance(serializer, Instance) or not drf.is_serializer_class(
            program, ClassValue(serializer.symbol)
        ):
            continue
        envelope = _envelope(data, scope)
        if envelope is None:
            return unknown(Reason("serializer-input-made-by-view"), origin)
        partial = LibraryResult("", call, place_of)
        flags = (PARTIAL,) if is_true(argument_value(program, partial, "partial")) else ()
        shape: Schema = drf.reference(program, serializer.symbol, LOAD, *flags, *naming)
        if added := _keys_set_by_view(program, scope):
            shape = _without_fields(program.types.flat(shape), added)
        if not envelope and (beside := _keys_read_by_view(program, scope, added)):
            shape = _with_fields(program.types.flat(shape), beside, origin)
        if is_true(argument_value(program, partial, "many")):
            shape = Array(items=shape, origin=origin)
        for key in reversed(envelope):
            field = Field(name=key, schema=shape, origin=origin)
            shape = Object(fields=(field,), origin=origin)
        return shape
    return None


def _keys_set_by_view(program: Program, scope: Scope) -> set[str]:
    """The keys that a view itself adds to the data of the request: `request.data["by"] = …`."""
    return {
        text
        for statement in reaching_definitions.nested_statements(scope.statements or ())
        if isinstance(statement, Assign)
        and isinstance(statement.target, Index)
        and _is_data(statement.target.value, scope)
        and (text := program.text(statement.target.index, scope)) is not None
    }


def _keys_read_by_view(program: Program, scope: Scope, added: set[str]) -> dict[str, bool]:
    """The keys that a view reads of the data besides its serializer, with whether it needs them:
    `request.data["value"]`, `request.data.get("note")`."""
    found: dict[str, bool] = {}
    for node in nodes_of(scope.statements or ()):
        match node:
            case Index(value=of, index=key) if _is_data(of, scope):
                is_needed = True
            case Call(callee=Attribute(value=of, name="get"), args=(Argument(value=key), *_)) if (
                _is_data(of, scope)
            ):
                is_needed = False
            case _:
                continue
        if (text := program.text(key, scope)) is not None and text not in added:
            found[text] = found.get(text, False) or is_needed
    return found


def _with_fields(shape: Schema, read: dict[str, bool], origin: Origin) -> Schema:
    """An object with the fields that it lacks of those that are read, each of any type."""
    if not isinstance(shape, Object):
        return shape
    known = {field.name for field in shape.fields} | {f.declared_as for f in shape.fields}
    further = tuple(
        Field(name=name, schema=Anything(nullable=True), has_default=not needed, origin=origin)
        for name, needed in read.items()
        if name not in known
    )
    return replace(shape, fields=(*shape.fields, *further))


def _without_fields(shape: Schema, names: set[str]) -> Schema:
    if not isinstance(shape, Object):
        return shape
    return replace(shape, fields=tuple(f for f in shape.fields if f.name not in names))


def _is_data(expr: Expr, scope: Scope) -> bool:
    """Whether an expression is the object in a request: `request.data`."""
    del scope
    return isinstance(expr, Attribute) and expr.name == "data" and _is_request(expr.value)


def _reads_request(statements: tuple[Statement, ...], parts: frozenset[str]) -> bool:
    """Whether statements read one of these parts of a request."""
    return any(
        isinstance(node, Attribute) and node.name in parts and _is_request(node.value)
        for node in nodes_of(statements)
    )


def _is_request(expr: Expr) -> bool:
    match expr:
        case Name(id="request") | Attribute(value=Name(id="this"), name="request"):
            return True
        case _:
            return False


def _envelope(data: Expr, scope: Scope) -> list[str] | None:
    """The keys under which `request.data` holds a serializer's input: none for the data itself;
    None where the input is made up by the view."""
    match data:
        case Attribute(value=value, name="data" | "POST") if _is_request(value):
            return []
        case Index(value=inner, index=LiteralExpr(value=str(key))):
            outer = _envelope(inner, scope)
            return None if outer is None else [*outer, key]
        case Call(callee=Attribute(value=inner, name="get" | "pop"), args=[first, *_]):
            outer = _envelope(inner, scope)
            if outer is None or not isinstance(first.value, LiteralExpr):
                return None
            return [*outer, str(first.value.value)]
        case Name(id=name):
            definitions = reaching_definitions.reaching_definitions(
                scope.statements or (), name, data.span
            )
            if len(definitions) == 1 and isinstance(definitions[0].statement, Assign):
                statement = definitions[0].statement
                if statement.value is not None and not definitions[0].mutations:
                    return _envelope(statement.value, scope)
            return None
        case _:
            return None


def view_bodies(program: Program, view: View, origin: Origin) -> tuple[Body, ...]:
    """What one method of a view takes from the body."""
    with _reader_of(program, view, origin) as reader:
        return reader.bodies()


def view_queries(
    program: Program, view: View, origin: Origin, known: Sequence[Parameter]
) -> tuple[Parameter, ...]:
    """What one method of a view takes from the query: what is known, and the fields of the
    serializers that it gives its query."""
    names = {parameter.name for parameter in known if parameter.location in ("query", "path")}
    with _reader_of(program, view, origin) as reader:
        return (*known, *reader.queries(names))


def view_answers(program: Program, view: View, origin: Origin) -> Answers:
    """What one method of a view sends."""
    with _reader_of(program, view, origin) as reader:
        return Answers(reader.responses(), reader.complete, reader.undetermined_status)


@contextmanager
def _reader_of(program: Program, view: View, origin: Origin) -> Iterator[_Reader]:
    """Inside, names are those that the renderer of the view writes."""
    reader = _Reader(program, view, origin)
    outer_flags = program.memory.get("python.drf.flags")
    outer_view = program.memory.get("python.drf.view")
    program.memory["python.drf.flags"] = reader.written_flags
    program.memory["python.drf.view"] = view
    try:
        yield reader
    finally:
        program.memory["python.drf.flags"] = outer_flags
        program.memory["python.drf.view"] = outer_view


class _Reader:
    def __init__(self, program: Program, view: View, origin: Origin) -> None:
        self._program = program
        self._view = view
        self._origin = origin
        self.complete = True
        self.undetermined_status: Origin | None = None
        self._renderer = renderer_of(program, view)
        self.flags = naming_flags(program, self._renderer)
        is_written = view.method in ("POST", "PUT", "PATCH")
        self.written_flags = (*self.flags, WRITTEN) if is_written else self.flags
        self._needs_a_user = needs_a_user(program, view)

    def bodies(self) -> tuple[Body, ...]:
        """What is taken from the body."""
        scope = None if self._view.handler is None else self._scope(self._view.handler)
        return bodies(self._program, self._view, scope, self.flags, self._origin)

    def queries(self, known: set[str]) -> Iterator[Parameter]:
        """The fields of serializers that are given the query."""
        if self._view.handler is not None:
            yield from query_parameters(self._program, self._scope(self._view.handler), known)

    def _scope(self, handler: FunctionValue) -> Scope:
        scope = self._program.function_scope(handler.function, handler.scope)
        symbol = self._view.symbol
        receiver = Instance(symbol) if symbol is not None else handler.receiver
        return replace(scope, receiver=receiver or scope.receiver, owner=handler.owner)

    # ------------------------------------------------------------------ output

    def responses(self) -> tuple[Response, ...]:
        """What is sent, by status."""
        if self._view.handler is None:
            return tuple(self._standard(self._view.action))
        found = list(self._returned_responses(self._scope(self._view.handler)))
        if not found:
            self.complete = False
        return merge_responses(found)

    def _standard(self, action: str) -> Iterator[Response]:
        """What the library's own implementation of an action sends."""
        program, view = self._program, self._view
        if action == "destroy":
            yield response("204", None, self._origin)
            return
        serializer = serializer_class(program, view)
        if isinstance(serializer, ClassValue):
            shape: Schema = drf.reference(program, serializer.symbol, DUMP, *self.written_flags)
            listed = list_of(program, serializer.symbol, shape)
        else:
            shape = unknown(Reason("view-serializer-undetermined"), self._origin)
            listed = Array(items=shape, origin=self._origin)
        if action == "list":
            shape = paginated_schema(program, view, listed)
        status = "201" if action == "create" else "200"
        yield response(status, self._rendered_schema(shape, status), self._origin)

    def _returned_responses(self, scope: Scope) -> Iterator[Response]:
        program = self._program

        def known_value(expr: Expr) -> Value | None:
            known = known_of_view(self._view, expr) or known_method(expr, scope, self._view.method)
            return known_of_user(expr, scope) if known is None and self._needs_a_user else known

        for statement in reachable_exits(program, scope.statements or (), scope, known_value):
            if not isinstance(statement, Return):
                continue
            origin = origin_at(scope, statement.span)
            if statement.value is None:
                continue
            inner = self._handed_on(statement.value, scope)
            if inner is not None:
                yield from self._returned_responses(inner)
                continue
            if (action := self._own_action(statement.value, scope)) is not None:
                yield from self._standard(action)
                continue
            value = program.evaluate(statement.value, scope)
            for option in value.options if isinstance(value, OneOf) else (value,):
                sent = tuple(self._value_responses(option, origin))
                if isinstance(option, LibraryResult):
                    sent, complete = as_answered(program, option, sent)
                    if not complete:
                        self._note_undetermined(origin)
                yield from sent

    def _handed_on(self, expr: Expr, scope: Scope) -> Scope | None:
        """Inside the view's own method that makes the response: `return self.list(request)`. What
        is known of the request holds there too."""
        match expr:
            case Call(callee=Attribute(value=Name(id="this"), name=name)) if scope.depth < _DEEPEST:
                pass
            case _:
                return None
        symbol = self._view.symbol
        method = None if symbol is None else self._program.find_method(symbol, name)
        if method is None or (scope.function is not None and method.function is scope.function):
            return None
        bindings = self._program.evaluator.arguments_with_defaults(method, expr, scope)
        inner = self._program.function_scope(method.function, method.scope, bindings)
        return replace(inner, receiver=scope.receiver, owner=method.owner, depth=scope.depth + 1)

    def _own_action(self, expr: Expr, scope: Scope) -> str | None:
        """`self.list(…)` of a view that has it from the library, and `super().list(…)` where no
        class of the project above the one that says so has it."""
        match expr:
            case Call(callee=Attribute(value=Name(id="super"), name=name)) if name in ACTIONS:
                return name if self._is_of_library(name, scope) else None
            case Call(callee=Attribute(value=Name(id="this"), name=name)) if name in ACTIONS:
                symbol = self._view.symbol
                actions = set() if symbol is None else actions_of(self._program, symbol)
                return name if name in actions else None
            case _:
                return None

    def _is_of_library(self, name: str, scope: Scope) -> bool:
        """Whether the next class in the order of resolution that has an action is the library's."""
        symbol = self._view.symbol
        if symbol is None:
            return False
        order = [symbol, *self._program.bases(symbol)]
        keys = [owner.key for owner in order]
        current = scope.owner.key if scope.owner is not None else symbol.key
        above = order[keys.index(current) + 1 :] if current in keys else order[1:]
        return not any(method.name == name for owner in above for method in owner.decl.methods)

    def _value_responses(self, value: Value, origin: Origin) -> Iterator[Response]:
        program = self._program
        value = _as_library_response(program, value)
        last = value.name.rpartition(".")[2] if isinstance(value, LibraryResult) else ""
        if isinstance(value, LibraryResult) and last in (
            "Response",
            "JsonResponse",
            "HttpResponse",
        ):
            named = {a.name: a.value for a in value.site.args if a.name}
            positional = [a.value for a in value.site.args if not a.name and not a.spread]
            data = named.get("data", positional[0] if positional else None)
            status_expr = named.get("status", positional[1] if positional[1:] else None)
            if last != "Response":
                status_expr = named.get("status")
            status = "200"
            if any(argument.spread for argument in value.site.args):
                self._note_undetermined(origin)  # The status may be among what is spread.
                return
            if status_expr is not None:
                found = status_of(program.evaluate(status_expr, value.scope))
                if found is None:
                    self._note_undetermined(origin)
                    return
                status = found
            if data is None:
                yield response(status, None, origin)
                return
            content = program.evaluate(data, value.scope)
            if last == "HttpResponse":
                content_type = argument(value.site, 1, "content_type")
                source = json_source(program, data, value.scope)
                if source is None or not _is_json(program, content_type, value.scope):
                    yield response(status, unknown(Reason("text-not-read"), origin), origin)
                    return
                content = source
            if is_null(content):
                yield response(status, None, origin)
                return
            schema = program.schema_of(content)
            schema = as_rendered(program, schema, self.flags)
            if last == "Response":
                schema = self._rendered_schema(schema, status)
            yield response(status, schema, origin, explicit=status_expr is not None)
            return
        if isinstance(value, LibraryResult) and last in _STATUS_BY_CLASS:
            shape = unknown(Reason("text-not-read"), origin) if value.site.args else None
            yield response(_STATUS_BY_CLASS[last], shape, origin, content_type="text/html")
            return
        if isinstance(value, BySchema):  # `get_paginated_response(…)`
            yield response(
                "200", self._rendered_schema(value.schema, "200"), origin, explicit=False
            )
            return
        if isinstance(value, LibraryResult) and value.name.startswith("super."):
            yield from self._standard(last if last in ACTIONS else self._view.action)
            return
        self._note_undetermined(origin)
        shape = unknown(Reason("returned-response-undetermined"), origin)
        yield response("200", shape, origin, explicit=False)

    def _note_undetermined(self, place: Origin) -> None:
        self.complete = False
        self.undetermined_status = self.undetermined_status or place

    def _rendered_schema(self, schema: Schema, status: str) -> Schema:
        return rendered_schema(self._program, self._renderer, schema, status)


def _as_library_response(program: Program, value: Value) -> Value:
    """The construction of the library's `Response` that an object of a class of the project amounts
    to; any other value as it is."""
    if not isinstance(value, Instance) or value.assigned or value.may_be_assigned is None:
        return value
    for base in library_bases(program, value.symbol):
        if base.name.startswith("rest_framework.") and base.simple_name == "Response":
            set_by_class = frozenset({"status_code", "data", "content"})
            return base_construction(program, value, base.name, set_by_class) or value
    return value


def _is_json(program: Program, content_type: Expr | None, scope: Scope) -> bool:
    """Whether a content type is told to be JSON."""
    text = "" if content_type is None else program.text(content_type, scope)
    return text is not None and text.partition(";")[0].strip() == "application/json"


# --------------------------------------------------------------------------- intrinsics of views


def get_serializer(site: CallSite) -> Value | None:
    """`self.get_serializer(…)`: the serializer of the view that is being read."""
    view = _current(site)
    if view is None:
        return None
    found = serializer_class(site.program, view)
    if not isinstance(found, ClassValue):
        return None
    return Instance(found.symbol, {}, site.call, site.scope)


def get_serializer_class(site: CallSite) -> Value | None:
    """`self.get_serializer_class()`."""
    view = _current(site)
    return serializer_class(site.program, view) if view is not None else None


def paginate_queryset(site: CallSite) -> Value | None:
    """A page, or None where the view has no pagination."""
    view = _current(site)
    if view is None:
        return None
    pagination = pagination_class(site.program, view)
    if pagination is None:
        return Constant(None)
    return BySchema(Array(items=Unknown(reason=Reason("queryset-objects"))))


def get_paginated_response(site: CallSite) -> Value | None:
    """`self.get_paginated_response(data)`: the page with its envelope."""
    view, data = _current(site), site.value(0)
    if view is None or data is None:
        return None
    return BySchema(paginated_schema(site.program, view, site.program.schema_of(data), always=True))


def _current(site: CallSite) -> View | None:
    view = site.program.memory.get("python.drf.view")
    if not isinstance(view, View) or not isinstance(site.receiver, Instance):
        return None
    return view
