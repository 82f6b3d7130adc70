"""Views of Django REST framework: which methods they answer, what each takes and sends."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.ir.operation import Body, Response
from contract_scan.ir.origin import Origin
from contract_scan.ir.schema import (
    Array,
    Field,
    Object,
    Schema,
    Unknown,
)
from contract_scan.parsers.source.facts import (
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
from contract_scan.parsers.source.link import flow
from contract_scan.parsers.source.link.evaluate import CallSite
from contract_scan.parsers.source.link.values import (
    ClassSymbol,
    ClassValue,
    Constant,
    FunctionValue,
    Instance,
    Made,
    OneOf,
    Record,
    Scope,
    Shaped,
    Value,
)
from contract_scan.parsers.source.link.walk import calls_in
from contract_scan.parsers.source.python.messaging.reads import of_request
from contract_scan.parsers.source.python.models import drf
from contract_scan.parsers.source.python.models.drf_names import as_rendered
from contract_scan.parsers.source.python.models.fields import given, is_null, is_true
from contract_scan.parsers.source.python.models.kinds import library_bases
from contract_scan.parsers.source.python.models.variants import DUMP, LOAD, PARTIAL
from contract_scan.parsers.source.python.web.common import (
    merged,
    place,
    response,
    status_of,
    unknown,
)
from contract_scan.parsers.source.python.web.decide import reached
from contract_scan.parsers.source.python.web.drf_output import (
    View,
    attribute_of,
    naming_flags,
    paginated,
    pagination_class,
    rendered,
    renderer_of,
)

if TYPE_CHECKING:
    from contract_scan.parsers.source.link.program import Program

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


class Sent(Struct, frozen=True, eq=False):
    """What one view takes and sends."""

    bodies: tuple[Body, ...]
    responses: tuple[Response, ...]
    complete: bool


def described(program: Program, view: View, origin: Origin) -> Sent:
    """What one method of a view takes and sends."""
    reader = _Reader(program, view, origin)
    outer_flags = program.memory.get("python.drf.flags")
    outer_view = program.memory.get("python.drf.view")
    program.memory["python.drf.flags"] = reader.flags
    program.memory["python.drf.view"] = view
    try:
        return Sent(reader.bodies(), reader.responses(), reader.complete)
    finally:
        program.memory["python.drf.flags"] = outer_flags
        program.memory["python.drf.view"] = outer_view


class _Reader:
    def __init__(self, program: Program, view: View, origin: Origin) -> None:
        self._program = program
        self._view = view
        self._origin = origin
        self.complete = True
        self._renderer = renderer_of(program, view)
        self.flags = naming_flags(program, self._renderer)

    # ------------------------------------------------------------------ input

    def bodies(self) -> tuple[Body, ...]:
        """What is taken from the body."""
        view = self._view
        if view.method in ("GET", "HEAD", "DELETE", "OPTIONS"):
            return ()
        if view.handler is None:
            serializer = serializer_class(self._program, view)
            partial = (PARTIAL,) if view.action == "partial_update" else ()
            if isinstance(serializer, ClassValue):
                shape: Schema = drf.reference(
                    self._program, serializer.symbol, LOAD, *partial, *self.flags
                )
            else:
                shape = unknown("the serializer of the view cannot be told", self._origin)
            return (Body(schema=shape, required=True, origin=self._origin),)
        found = self._taken(view.handler)
        if found is not None:
            return (Body(schema=found, required=True, origin=self._origin),)
        statements = self._scope(view.handler).statements or ()
        if not _reads_request(statements, _REQUEST_PARTS):
            return ()
        read = None
        if not self.flags and not _reads_request(statements, _OTHER_PARTS):
            read = of_request(self._program, view.handler, _is_data)
        if read is None:
            read = unknown("the view reads the request itself", self._origin)
        return (Body(schema=read, required=None, origin=self._origin),)

    def _taken(self, handler: FunctionValue) -> Schema | None:
        """The input of the serializer that a handler builds with `data=`."""
        program = self._program
        scope = self._scope(handler)
        for call, place_of in calls_in(program, scope.statements or (), scope):
            data = next((a.value for a in call.args if a.name == "data"), None)
            if not isinstance(call, Call) or data is None:
                continue
            made = program.evaluate(call, place_of)
            if not isinstance(made, Instance) or not drf.is_serializer_class(
                program, ClassValue(made.symbol)
            ):
                continue
            envelope = _envelope(data, scope)
            if envelope is None:
                return unknown("the view makes up the serializer's input itself", self._origin)
            partial = Made("", call, place_of)
            flags = (PARTIAL,) if is_true(given(program, partial, "partial")) else ()
            shape: Schema = drf.reference(program, made.symbol, LOAD, *flags, *self.flags)
            if is_true(given(program, partial, "many")):
                shape = Array(items=shape, origin=self._origin)
            for key in reversed(envelope):
                field = Field(name=key, schema=shape, origin=self._origin)
                shape = Object(fields=(field,), origin=self._origin)
            return shape
        return None

    def _scope(self, handler: FunctionValue) -> Scope:
        scope = self._program.function_scope(handler.function, handler.scope)
        symbol = self._view.symbol
        receiver = Instance(symbol) if symbol is not None else handler.receiver
        return replace(scope, receiver=receiver or scope.receiver, owner=handler.owner)

    # ------------------------------------------------------------------ output

    def responses(self) -> tuple[Response, ...]:
        """What is sent, by status."""
        if self._view.handler is None:
            return tuple(self._standard())
        found = list(self._returned(self._view.handler))
        if not found:
            self.complete = False
        return merged(found)

    def _standard(self) -> Iterator[Response]:
        """What the library's own implementation of an action sends."""
        program, view = self._program, self._view
        if view.action == "destroy":
            yield response("204", None, self._origin)
            return
        serializer = serializer_class(program, view)
        if isinstance(serializer, ClassValue):
            shape: Schema = drf.reference(program, serializer.symbol, DUMP, *self.flags)
        else:
            shape = unknown("the serializer of the view cannot be told", self._origin)
        if view.action == "list":
            shape = paginated(program, view, Array(items=shape, origin=self._origin))
        status = "201" if view.action == "create" else "200"
        yield response(status, self._rendered(shape, status), self._origin)

    def _returned(self, handler: FunctionValue) -> Iterator[Response]:
        program = self._program
        scope = self._scope(handler)
        for statement in reached(program, scope.statements or (), scope, self._known):
            if not isinstance(statement, Return):
                continue
            origin = place(scope, statement.span)
            if statement.value is None:
                continue
            value = program.evaluate(statement.value, scope)
            for option in value.options if isinstance(value, OneOf) else (value,):
                yield from self._sent(option, origin)

    def _known(self, expr: Expr) -> Value | None:
        return known_of_view(self._view, expr)

    def _sent(self, value: Value, origin: Origin) -> Iterator[Response]:
        program = self._program
        last = value.name.rpartition(".")[2] if isinstance(value, Made) else ""
        if isinstance(value, Made) and last in ("Response", "JsonResponse", "HttpResponse"):
            named = {a.name: a.value for a in value.site.args if a.name}
            positional = [a.value for a in value.site.args if not a.name and not a.spread]
            data = named.get("data", positional[0] if positional else None)
            status_expr = named.get("status", positional[1] if positional[1:] else None)
            if last != "Response":
                status_expr = named.get("status")
            status = "200"
            if status_expr is not None:
                found = status_of(program.evaluate(status_expr, value.scope))
                if found is None:
                    self.complete = False
                    return
                status = found
            if data is None or last == "HttpResponse":
                shape = None if data is None else unknown("its text is not read", origin)
                yield response(status, shape, origin)
                return
            content = program.evaluate(data, value.scope)
            if is_null(content):
                yield response(status, None, origin)
                return
            schema = program.schema_of(content)
            schema = as_rendered(schema, self.flags)
            if last == "Response":
                schema = self._rendered(schema, status)
            yield response(status, schema, origin, explicit=status_expr is not None)
            return
        if isinstance(value, Shaped):  # `get_paginated_response(…)`
            yield response("200", self._rendered(value.schema, "200"), origin, explicit=False)
            return
        if isinstance(value, Made) and value.name.startswith("super."):
            yield from self._standard()
            return
        self.complete = False
        shape = unknown("the response that is returned here cannot be told", origin)
        yield response("200", shape, origin, explicit=False)

    def _rendered(self, schema: Schema, status: str) -> Schema:
        return rendered(self._program, self._renderer, schema, status)


# --------------------------------------------------------------------------- what a view knows


def known_of_view(view: View, expr: Expr) -> Value | None:
    """`self.action` and `self.request.method` while one method of a view is read."""
    match expr:
        case Attribute(value=Name(id="this"), name="action") if view.action:
            return Constant(view.action)
        case Attribute(value=Name(id="request"), name="method"):
            return Constant(view.method)
        case Attribute(value=Attribute(value=Name(id="this"), name="request"), name="method"):
            return Constant(view.method)
        case _:
            return None


def serializer_class(program: Program, view: View) -> Value | None:
    """The serializer class that a view uses in one of its methods."""
    if view.symbol is None:
        return None
    overridden = program.find_method(view.symbol, "get_serializer_class")
    direct = attribute_of(program, view, "serializer_class")
    if overridden is None or any(name == "serializer_class" for name, _ in view.overrides):
        return direct if isinstance(direct, ClassValue) else None
    scope = program.function_scope(overridden.function, overridden.scope)
    scope = replace(scope, receiver=Instance(view.symbol), owner=overridden.owner)

    def known(expr: Expr) -> Value | None:
        return known_of_view(view, expr)

    found: list[Value] = []
    for statement in reached(program, scope.statements or (), scope, known):
        if isinstance(statement, Return) and statement.value is not None:
            found.extend(_picked(program, view, statement.value, scope, direct))
    classes = [value for value in found if isinstance(value, ClassValue)]
    keys = {value.symbol.key for value in classes}
    return classes[0] if len(keys) == 1 and len(classes) == len(found) else None


def _picked(
    program: Program, view: View, expr: Expr, scope: Scope, direct: Value | None
) -> Iterator[Value]:
    """What `return …` of `get_serializer_class` gives, dicts by action looked into."""
    match expr:
        case Call(callee=Attribute(value=table, name="get"), args=[key, *default]):
            known = known_of_view(view, key.value)
            record = program.evaluate(table, scope)
            if isinstance(known, Constant) and isinstance(record, Record):
                entry = next((e for e in record.entries if e.name == known.value), None)
                if entry is not None:
                    yield entry.value
                elif default:
                    yield from _picked(program, view, default[0].value, scope, direct)
                return
        case Index(value=table, index=key):
            known = known_of_view(view, key)
            record = program.evaluate(table, scope)
            if isinstance(known, Constant) and isinstance(record, Record):
                yield from (e.value for e in record.entries if e.name == known.value)
                return
        case Call(callee=Attribute(value=Name(id="super"), name="get_serializer_class")):
            if direct is not None:
                yield direct
            return
        case _:
            pass
    value = program.evaluate(expr, scope)
    yield from value.options if isinstance(value, OneOf) else (value,)


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
    return Shaped(Array(items=Unknown(reason="objects of a queryset")))


def get_paginated_response(site: CallSite) -> Value | None:
    """`self.get_paginated_response(data)`: the page with its envelope."""
    view, data = _current(site), site.value(0)
    if view is None or data is None:
        return None
    return Shaped(paginated(site.program, view, site.program.schema_of(data), always=True))


def _current(site: CallSite) -> View | None:
    view = site.program.memory.get("python.drf.view")
    if not isinstance(view, View) or not isinstance(site.receiver, Instance):
        return None
    return view


# --------------------------------------------------------------------------- request data


_REQUEST_PARTS = frozenset({"data", "POST", "body", "FILES"})
_OTHER_PARTS = frozenset({"method", "FILES", "POST", "body", "stream"})
"""What may be read beside the object, or decides which part of it is."""


def _is_data(expr: Expr, scope: Scope) -> bool:
    """Whether an expression is the object in a request: `request.data`."""
    del scope
    return isinstance(expr, Attribute) and expr.name == "data" and _is_request(expr.value)


def _reads_request(statements: tuple[Statement, ...], parts: frozenset[str]) -> bool:
    """Whether statements read one of these parts of a request."""
    pending: list[object] = list(statements)
    while pending:
        node = pending.pop()
        if isinstance(node, tuple):
            pending.extend(node)
        elif isinstance(node, Attribute) and node.name in parts and _is_request(node.value):
            return True
        elif isinstance(node, Struct):
            names = node.__struct_fields__
            pending.extend(getattr(node, name) for name in names if name != "span")
    return False


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
            definitions = flow.reaching(scope.statements or (), name, data.span)
            if len(definitions) == 1 and isinstance(definitions[0].statement, Assign):
                statement = definitions[0].statement
                if statement.value is not None and not definitions[0].mutations:
                    return _envelope(statement.value, scope)
            return None
        case _:
            return None
