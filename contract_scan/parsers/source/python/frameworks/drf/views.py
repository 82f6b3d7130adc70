"""Views of Django REST framework: which methods they answer, what each takes and sends."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from msgspec.structs import replace

from contract_scan.ir.operation import Answers, Body, Parameter, Response
from contract_scan.ir.origin import Origin
from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import Array, Object, Scalar, Schema, Unknown
from contract_scan.parsers.source.analysis.domain.hooks import CallSite
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    BySchema,
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
from contract_scan.parsers.source.analysis.refinement.conditions import ConditionContext
from contract_scan.parsers.source.analysis.refinement.pruning import reachable_exits
from contract_scan.parsers.source.facts.nodes import (
    Assign,
    Attribute,
    Call,
    Expr,
    Name,
    Return,
    Statement,
)
from contract_scan.parsers.source.facts.visitor import nodes_of
from contract_scan.parsers.source.python.frameworks.drf.actions import ACTIONS, library_action
from contract_scan.parsers.source.python.frameworks.drf.bodies import bodies
from contract_scan.parsers.source.python.frameworks.drf.permissions import (
    known_of_user,
    needs_a_user,
)
from contract_scan.parsers.source.python.frameworks.drf.query_serializers import query_parameters
from contract_scan.parsers.source.python.frameworks.drf.queryset_filters import filled_paths
from contract_scan.parsers.source.python.frameworks.drf.reached_calls import reached_calls
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
from contract_scan.parsers.source.python.serialization.drf import serializers as drf
from contract_scan.parsers.source.python.serialization.drf.fields import list_of
from contract_scan.parsers.source.python.serialization.drf.names import as_rendered
from contract_scan.parsers.source.python.serialization.fields import (
    is_null,
    is_true,
)
from contract_scan.parsers.source.python.serialization.kinds import library_bases
from contract_scan.parsers.source.python.serialization.modes import (
    DUMP,
    WRITTEN,
    flags_of_filled,
)
from contract_scan.parsers.source.python.web.common import (
    argument,
    merge_responses,
    response,
    statuses_of,
    unknown,
    varies,
)
from contract_scan.parsers.source.python.web.dispatch_by_method import known_method, view_for
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

_PAGES = {
    "render": (4, "status"),
    "TemplateResponse": (4, "status"),
    "SimpleTemplateResponse": (3, "status"),
    "render_to_response": (-1, "status"),
}
"""Functions and classes of Django that make pages of templates -> where they are given a status."""

_DEEPEST = 4
"""How many methods of a view hand a request on to each other."""


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
        running = view_for(self._program, self._view.handler, self._view.method)
        found = list(self._returned_responses(self._scope(running)))
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
            wanted = list(self.written_flags)
            if action in ("list", "retrieve") and view.symbol is not None:
                wanted += flags_of_filled(filled_paths(program, view.symbol))
            shape: Schema = drf.reference(program, serializer.symbol, DUMP, *wanted)
            listed = list_of(program, serializer.symbol, shape)
            hook = f"perform_{action.removeprefix('partial_')}"
            own = program.find_method(view.symbol, hook) if view.symbol is not None else None
            if own is not None:
                shape = self._with_members_set(shape, self._scope(own))
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
            value = known_of_view(self._view, expr) or known_method(expr, scope, self._view.method)
            return known_of_user(expr, scope) if value is None and self._needs_a_user else value

        known = ConditionContext(program, scope, known_value)
        for statement in reachable_exits(scope.statements or (), known):
            if not isinstance(statement, Return):
                continue
            origin = origin_at(scope, statement.span)
            if statement.value is None:
                continue
            inner = self._handed_on(statement.value, scope)
            if inner is not None:
                yield from self._returned_responses(inner)
                continue
            action = library_action(program, self._view.symbol, statement.value, scope)
            if action is not None:
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
            if any(argument.spread for argument in value.site.args):
                self._note_undetermined(origin)  # The status may be among what is spread.
                return
            statuses: tuple[str, ...] = ("200",)
            if status_expr is not None:
                statuses = statuses_of(program.evaluate(status_expr, value.scope))
            if not statuses:
                self._note_undetermined(origin)
            sends_several = len(statuses) > 1
            for status in statuses:
                yield self._made_response(
                    value,
                    data,
                    status,
                    origin,
                    explicit=status_expr is not None,
                    several=sends_several,
                )
            return
        if isinstance(value, LibraryResult) and last in _STATUS_BY_CLASS:
            shape = unknown(Reason("text-not-read"), origin) if value.site.args else None
            yield response(_STATUS_BY_CLASS[last], shape, origin, content_type="text/html")
            return
        if isinstance(value, LibraryResult) and value.name == "django.shortcuts.redirect":
            lasting = argument(value.site, -1, "permanent")
            known = None if lasting is None else program.evaluate(lasting, value.scope)
            yield response("301" if is_true(known) else "302", None, origin)
            return
        if isinstance(value, LibraryResult) and last in _PAGES:
            given = argument(value.site, *_PAGES[last])
            statuses = (
                ("200",) if given is None else statuses_of(program.evaluate(given, value.scope))
            )
            if not statuses:
                self._note_undetermined(origin)
            page = unknown(Reason("body-is-page"), origin)
            for status in statuses:
                yield response(status, page, origin, content_type="text/html", explicit=False)
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

    def _made_response(
        self,
        made: LibraryResult,
        data: Expr | None,
        status: str,
        origin: Origin,
        *,
        explicit: bool,
        several: bool,
    ) -> Response:
        """The response that a class of the library is made for, with one of its statuses."""
        program = self._program
        last = made.name.rpartition(".")[2]
        if data is None:
            is_written = last == "HttpResponse" and argument(made.site, 1, "content_type")
            later = unknown(Reason("text-not-read"), origin) if is_written else None
            return response(status, later, origin)
        content = program.evaluate(data, made.scope)
        if last == "HttpResponse":
            content_type = argument(made.site, 1, "content_type")
            source = json_source(program, data, made.scope)
            if source is None or not _is_json(program, content_type, made.scope):
                return response(status, unknown(Reason("text-not-read"), origin), origin)
            content = source
        if is_null(content):
            return response(status, None, origin)
        if several and varies(content):
            open_content = unknown(Reason("content-of-status-undetermined"), origin)
            return response(status, open_content, origin, explicit=explicit)
        schema = program.schema_of(content)
        if isinstance(content, BySchema):
            schema = self._with_members_set(schema, made.scope)
        schema = as_rendered(program, schema, self.flags)
        if last == "Response":
            schema = self._rendered_schema(schema, status)
        return response(status, schema, origin, explicit=explicit)

    def _with_members_set(self, schema: Schema, scope: Scope) -> Schema:
        """What a serializer writes of an object of which the view sets members first: of all values
        that a column may have, these are others. `instance.status = Status.CLOSED`."""
        shape = self._program.types.flat(schema)
        if not isinstance(shape, Object):
            return schema
        types = self._program.types
        limited = {f.name for f in shape.fields if _is_limited(types.flat(f.schema))}
        places = (each.scope for each in reached_calls(self._program, scope)) if limited else ()
        names = {
            name
            for statements in {id(each.statements): each.statements for each in places}.values()
            for name in _members_set(statements or ())
        }
        if limited.isdisjoint(names):
            return schema
        why = Reason("assigned-values-undetermined")
        fields = tuple(
            replace(f, schema=unknown(why, f.origin)) if f.name in limited & names else f
            for f in shape.fields
        )
        return replace(shape, fields=fields)

    def _note_undetermined(self, place: Origin) -> None:
        self.complete = False
        self.undetermined_status = self.undetermined_status or place

    def _rendered_schema(self, schema: Schema, status: str) -> Schema:
        return rendered_schema(self._program, self._renderer, schema, status)


def _is_limited(schema: Schema) -> bool:
    """Whether a schema allows some of several values alone."""
    return isinstance(schema, Scalar) and len(schema.values or ()) > 1


def _members_set(statements: tuple[Statement, ...]) -> Iterator[str]:
    """The members of objects that statements set: `upload.status = …`, `form.save(status=…)`."""
    for node in nodes_of(statements):
        match node:
            case Assign(target=Attribute(name=name)):
                yield name
            case Call(callee=Attribute(name="save"), args=args):
                yield from (argument.name for argument in args if argument.name)
            case _:
                pass


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
