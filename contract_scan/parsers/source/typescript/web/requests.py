"""What a handler reads of its request: body, query, headers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from contract_scan.ir.operation import Body, Parameter
from contract_scan.ir.origin import Origin
from contract_scan.ir.schema import Object, Schema, Unknown
from contract_scan.parsers.source.facts import (
    Assign,
    Attribute,
    Call,
    Cast,
    Entry,
    Expr,
    Index,
    Lambda,
    LiteralExpr,
    Name,
    NamedType,
    ObjectLiteral,
    Param,
    Statement,
    TypeExpr,
)
from contract_scan.parsers.source.link.shapes import describe
from contract_scan.parsers.source.link.values import FunctionValue, Made, Scope
from contract_scan.parsers.source.typescript.models import zod
from contract_scan.parsers.source.typescript.models.class_transformer import UNCHECKED_INPUT
from contract_scan.parsers.source.typescript.utility_types import lenient
from contract_scan.parsers.source.typescript.web.walker import calls_in, children

if TYPE_CHECKING:
    from contract_scan.parsers.source.link.program import Program

_REQUEST_TYPES = frozenset({"Request", "RequestHandler", "Handler"})
_PARSES = frozenset({"parse", "safeParse", "parseAsync", "safeParseAsync"})
_BODY, _QUERY = "body", "query"
UNDECLARED = "the request body has no declared type"


class RequestReader:
    """Collects what one route's functions read."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._body: Schema | None = None
        self._checked = False
        self._body_origin = Origin("")
        self._reads_body = False
        self._query: dict[str, Parameter] = {}
        self._open: set[tuple[str, object]] = set()

    def bodies(self) -> tuple[Body, ...]:
        """The request body, where the functions read one."""
        if self._body is not None:
            required = True if self._checked else None
            return (Body(schema=self._body, required=required, origin=self._body_origin),)
        if self._reads_body:
            reason = Unknown(reason=UNDECLARED, origin=self._body_origin)
            return (Body(schema=reason, origin=self._body_origin),)
        return ()

    def parameters(self) -> tuple[Parameter, ...]:
        """Query parameters that are seen to be read."""
        return tuple(self._query.values())

    # ------------------------------------------------------------------ functions

    def handler(self, function: FunctionValue, scope: Scope, position: int | None) -> None:
        """Read a function whose parameter at `position` is the request."""
        params = function.function.params
        if position is None or position >= len(params):
            return
        key = (scope.file.path, function.function.span)
        if key in self._open:
            return
        self._open.add(key)
        param = params[position]
        self._typed(param, function)
        if param.pattern is not None:
            self._pattern(param, scope)
        if param.name:
            self._statements(scope.statements or (), scope, param.name)

    def _typed(self, param: Param, function: FunctionValue) -> None:
        """`Request<Params, ResponseBody, RequestBody, Query>`."""
        declared = param.type
        if not isinstance(declared, NamedType) or len(declared.args) < 3:
            return
        if declared.name.rsplit(".", 1)[-1] not in _REQUEST_TYPES:
            return
        self._declare_body(declared.args[2], function.scope)
        if len(declared.args) > 3:
            self._declare_query(declared.args[3], function.scope)

    def _pattern(self, param: Param, scope: Scope) -> None:
        """`({ body, query: { page } }, response) => …`."""
        if not isinstance(param.pattern, ObjectLiteral):
            return
        for entry in param.pattern.entries:
            if entry.key == _BODY:
                self._mention(scope, entry)
                if isinstance(entry.value, Name):
                    self._statements(scope.statements or (), scope, "", body=entry.value.id)
            elif entry.key == _QUERY and isinstance(entry.value, ObjectLiteral):
                self._query_names(entry.value, scope)

    # ------------------------------------------------------------------ bodies of functions

    def _statements(
        self, nodes: tuple[Statement, ...], scope: Scope, request: str, body: str = ""
    ) -> None:
        for node in _all(nodes):
            if isinstance(node, Assign):
                self._assigned(node, scope, request, body)
            elif isinstance(node, Cast) and _part(node.value, request, body) == _BODY:
                if not node.checks_only:
                    self._declare_body(node.type, scope)
            elif isinstance(node, Attribute | Index):
                self._read(node, scope, request, body)
        for call, place in calls_in(self._program, nodes, scope):
            self._call(call, place, request, body)

    def _assigned(self, node: Assign, scope: Scope, request: str, body: str) -> None:
        part = _part(node.value, request, body)
        if part == _BODY and node.type is not None:
            self._declare_body(node.type, scope)
        if part == _QUERY:
            if node.type is not None:
                self._declare_query(node.type, scope)
            if isinstance(node.target, ObjectLiteral):
                self._query_names(node.target, scope)

    def _read(self, node: Attribute | Index, scope: Scope, request: str, body: str) -> None:
        part = _part(node, request, body)
        if part == _BODY:
            self._mention(scope, node)
        inner = node.value
        if _part(inner, request, body) == _QUERY:
            name = node.name if isinstance(node, Attribute) else _constant(node.index)
            if name:
                self._add_query(name, scope, node)

    def _call(self, call: Call, scope: Scope, request: str, body: str) -> None:
        """`schema.parse(req.body)`, `schema.parse({ body: req.body })`, `service.create(req.body)`,
        `helper(req)`."""
        callee = call.callee
        if isinstance(callee, Attribute) and callee.name in _PARSES and call.args:
            self._parsed(callee.value, call.args[0].value, scope, request, body)
            return
        for position, argument in enumerate(call.args):
            part = _part(argument.value, request, body)
            whole = isinstance(argument.value, Name) and argument.value.id == request
            if part != _BODY and not whole:
                continue
            function = self._program.evaluate(callee, scope)
            if not isinstance(function, FunctionValue):
                continue
            params = function.function.params
            if part == _BODY and position < len(params):
                declared = params[position].type
                if declared is not None:
                    self._declare_body(declared, function.scope)
            elif whole and len(self._open) < 6:
                inner = self._program.function_scope(function.function, function.scope)
                self.handler(function, inner, position)

    def _parsed(self, validator: Expr, given: Expr, scope: Scope, request: str, body: str) -> None:
        value = self._program.evaluate(validator, scope)
        if not isinstance(value, Made) or not zod.is_zod(value.name):
            return
        part = _part(given, request, body)
        schema = self._program.schema_of(value)
        if part == _BODY:
            self._check_body(schema, scope, given)
        elif part == _QUERY:
            self._query_fields(schema)
        elif isinstance(given, ObjectLiteral) or (isinstance(given, Name) and given.id == request):
            self.envelope(schema, scope, given)

    def envelope(self, schema: Schema, scope: Scope, place: Expr) -> None:
        """A schema of `{ body, query, params }`."""
        flat = self._program.types.flat(schema)
        for field in flat.fields if isinstance(flat, Object) else ():
            if field.name == _BODY:
                self._check_body(field.schema, scope, place)
            elif field.name == _QUERY:
                self._query_fields(field.schema)

    # ------------------------------------------------------------------ what is found

    def _declare_body(self, declared: TypeExpr, scope: Scope) -> None:
        schema = lenient(self._program.schema(declared, scope, UNCHECKED_INPUT))
        if not self._program.types.is_unknown(schema):
            self._set_body(schema, scope, declared)

    def _check_body(self, schema: Schema, scope: Scope, place: Expr) -> None:
        """A schema that the body is parsed by says more than any type."""
        origin = Origin(scope.file.path, place.span)
        if not self._checked:
            self._body, self._body_origin = schema, origin
        elif self._body is not None and describe(self._body) != describe(schema):
            reason = "which of several schemas the body is checked by depends on the request"
            self._body = Unknown(reason=reason, origin=origin)
        self._checked = True

    def _set_body(self, schema: Schema, scope: Scope, place: Expr | TypeExpr) -> None:
        if self._body is None:
            self._body = schema
            self._body_origin = Origin(scope.file.path, place.span)

    def _mention(self, scope: Scope, place: Expr | Entry) -> None:
        if not self._reads_body and self._body is None:
            self._body_origin = Origin(scope.file.path, place.span)
        self._reads_body = True

    def _declare_query(self, declared: TypeExpr, scope: Scope) -> None:
        self._query_fields(lenient(self._program.schema(declared, scope, UNCHECKED_INPUT)))

    def _query_fields(self, schema: Schema) -> None:
        flat = self._program.types.flat(schema)
        for field in flat.fields if isinstance(flat, Object) else ():
            self._query[field.name] = Parameter(
                name=field.name,
                location="query",
                schema=field.schema,
                required=False if field.has_default else field.required,
                has_default=field.has_default,
                origin=field.origin,
            )

    def _query_names(self, pattern: ObjectLiteral, scope: Scope) -> None:
        for entry in pattern.entries:
            if entry.key is not None and not entry.spread:
                self._add_query(entry.key, scope, entry)

    def _add_query(self, name: str, scope: Scope, place: Expr | Entry) -> None:
        origin = Origin(scope.file.path, place.span)
        reason = Unknown(reason="the query parameter has no declared type", origin=origin)
        self._query.setdefault(
            name,
            Parameter(name=name, location="query", schema=reason, required=False, origin=origin),
        )


def _part(expr: Expr | None, request: str, body: str) -> str:
    """`body` for `req.body`, `query` for `req.query`; empty for anything else."""
    while isinstance(expr, Cast):
        expr = expr.value
    if isinstance(expr, Name) and body and expr.id == body:
        return _BODY
    if not isinstance(expr, Attribute) or not request:
        return ""
    inner = expr.value
    while isinstance(inner, Cast):
        inner = inner.value
    if isinstance(inner, Name) and inner.id == request and expr.name in (_BODY, _QUERY):
        return expr.name
    return ""


def _constant(expr: Expr) -> str:
    return expr.value if isinstance(expr, LiteralExpr) and isinstance(expr.value, str) else ""


def _all(nodes: tuple[Statement, ...]) -> list[object]:
    """Every statement and expression, those of inner functions included."""
    found: list[object] = []
    pending: list[object] = list(reversed(nodes))
    while pending:
        node = pending.pop()
        if isinstance(node, tuple):
            pending.extend(reversed(node))
            continue
        found.append(node)
        if isinstance(node, Lambda):
            pending.extend(reversed(node.function.body or ()))
        else:
            pending.extend(reversed(children(node)))
    return found
