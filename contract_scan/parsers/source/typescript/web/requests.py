"""What a handler reads of its request: body, query, headers."""

from __future__ import annotations

from contract_scan.parsers.source.analysis.dataflow import reaching_definitions
from contract_scan.parsers.source.analysis.domain.values import FunctionValue, LibraryResult, Scope
from contract_scan.parsers.source.facts.nodes import (
    Assign,
    Attribute,
    Call,
    Cast,
    Expr,
    Index,
    LiteralExpr,
    Name,
    NamedType,
    ObjectLiteral,
    Param,
    Statement,
)
from contract_scan.parsers.source.facts.visitor import nodes_of
from contract_scan.parsers.source.typescript.resolution.walker import calls_in
from contract_scan.parsers.source.typescript.serialization.zod import schemas as zod
from contract_scan.parsers.source.typescript.web import schemas
from contract_scan.parsers.source.typescript.web.request_reads import (
    RequestReads,
    validated_argument,
)

_REQUEST_TYPES = frozenset({"Request", "RequestHandler", "Handler"})
_BODY, _QUERY = "body", "query"


class RequestReader(RequestReads):
    """Collects what the functions of one route read of a request object (`request.body`)."""

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
        self._declare_by_request_type(param, function)
        if param.pattern is not None:
            self._pattern(param, scope)
        if param.name:
            self._statements(scope.statements or (), scope, param.name)

    def _declare_by_request_type(self, param: Param, function: FunctionValue) -> None:
        """`Request<Params, ResponseBody, RequestBody, Query>`."""
        declared = param.type
        if not isinstance(declared, NamedType) or len(declared.args) < 3:
            return
        if declared.name.rsplit(".", 1)[-1] not in _REQUEST_TYPES:
            return
        self.declare_body(declared.args[2], function.scope)
        if len(declared.args) > 3:
            self.declare_query(declared.args[3], function.scope)

    def _pattern(self, param: Param, scope: Scope) -> None:
        """`({ body, query: { page } }, response) => …`."""
        if not isinstance(param.pattern, ObjectLiteral):
            return
        for entry in param.pattern.entries:
            if entry.key == _BODY:
                self.mention(scope, entry)
                if isinstance(entry.value, Name):
                    self._statements(scope.statements or (), scope, "", body=entry.value.id)
            elif entry.key == _QUERY and isinstance(entry.value, ObjectLiteral):
                self.query_names(entry.value, scope)

    # ------------------------------------------------------------------ bodies of functions

    def _statements(
        self, nodes: tuple[Statement, ...], scope: Scope, request: str, body: str = ""
    ) -> None:
        for node in nodes_of(nodes):
            if isinstance(node, Assign):
                self._note_assignment(node, scope, request, body)
            elif isinstance(node, Cast) and _part(node.value, request, body) == _BODY:
                if not node.checks_only:
                    self.declare_body(node.type, scope)
            elif isinstance(node, Attribute | Index):
                self._note_read(node, scope, request, body)
        for call, place in calls_in(self._program, nodes, scope):
            self._call(call, place, request, body)

    def _note_assignment(self, node: Assign, scope: Scope, request: str, body: str) -> None:
        part = _part(node.value, request, body)
        if part == _BODY and node.type is not None:
            self.declare_body(node.type, scope)
        if part == _QUERY:
            if node.type is not None:
                self.declare_query(node.type, scope)
            if isinstance(node.target, ObjectLiteral):
                self.query_names(node.target, scope)

    def _note_read(self, node: Attribute | Index, scope: Scope, request: str, body: str) -> None:
        part = _part(node, request, body)
        if part == _BODY:
            self.mention(scope, node)
        inner = node.value
        if _part(inner, request, body) == _QUERY:
            name = node.name if isinstance(node, Attribute) else _constant(node.index)
            if name:
                self.add_query(name, scope, node)

    def _call(self, call: Call, scope: Scope, request: str, body: str) -> None:
        """`schema.parse(req.body)`, `schema.parse({ body: req.body })`, `service.create(req.body)`,
        `helper(req)`."""
        callee = call.callee
        parsed = validated_argument(self._program, call, scope)
        if parsed is not None:
            self._note_parsing(*parsed, scope, request, body)
            return
        for position, argument in enumerate(call.args):
            part = self._part(argument.value, scope, request, body)
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
                    self.declare_body(declared, function.scope)
            elif whole and len(self._open) < 6:
                inner = self._program.function_scope(function.function, function.scope)
                self.handler(function, inner, position)

    def _note_parsing(
        self, validator: Expr, given: Expr, scope: Scope, request: str, body: str
    ) -> None:
        value = self._program.evaluate(validator, scope)
        if not isinstance(value, LibraryResult) or not schemas.checks(value):
            return
        part = self._part(given, scope, request, body)
        schema = self._program.schema_of(value, zod.INPUT)
        if part == _BODY:
            self.check_body(schema, scope, given)
        elif part == _QUERY:
            self.query_fields(schema)
        elif isinstance(given, ObjectLiteral) or (isinstance(given, Name) and given.id == request):
            self.envelope(schema, scope, given)

    def _part(self, expr: Expr, scope: Scope, request: str, body: str) -> str:
        """The same of `req[source]`, whose `source` a middleware is made for, and of a variable
        that holds a part of the request."""
        if isinstance(expr, Name) and expr.id not in (request, body):
            held = [
                d.statement.value
                for d in reaching_definitions.reaching_definitions(
                    scope.statements or (), expr.id, expr.span
                )
                if isinstance(d.statement, Assign) and d.target is None
            ]
            expr = held[0] if len(held) == 1 and held[0] is not None else expr
        if isinstance(expr, Index) and isinstance(expr.value, Name) and expr.value.id == request:
            name = self._program.text(expr.index, scope)
            return name if name in (_BODY, _QUERY) else ""
        return _part(expr, request, body)


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
