"""What a handler reads of its request: body, query, headers."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping
from itertools import takewhile
from typing import TypeAlias

from msgspec.structs import replace

from contract_scan.ir.evidence import DECLARED, Evidence
from contract_scan.ir.operation import Parameter
from contract_scan.ir.origin import Span
from contract_scan.ir.schema import LiteralValue, Nothing, Scalar, Unknown
from contract_scan.parsers.source.analysis.dataflow.object_mutations import without_casts
from contract_scan.parsers.source.analysis.dataflow.reaching_definitions import definitions_of
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    FunctionValue,
    LibraryResult,
    LibrarySymbol,
    Scope,
)
from contract_scan.parsers.source.facts.nodes import (
    Assign,
    Attribute,
    Call,
    Cast,
    Evaluate,
    Expr,
    Index,
    LiteralExpr,
    Name,
    NamedType,
    ObjectLiteral,
    OperationExpr,
    Param,
    Statement,
)
from contract_scan.parsers.source.facts.visitor import nodes_of
from contract_scan.parsers.source.typescript.resolution.walker import calls_in
from contract_scan.parsers.source.typescript.serialization.zod import schemas as zod
from contract_scan.parsers.source.typescript.web import schemas
from contract_scan.parsers.source.typescript.web.converted_parameters import (
    parameter_defaults,
    parameter_uses,
)
from contract_scan.parsers.source.typescript.web.function_scope import scope_of
from contract_scan.parsers.source.typescript.web.request_reads import (
    RequestReads,
    SpreadBody,
    path_text,
    spread_body,
    validated_argument,
)

_REQUEST_TYPES = frozenset({"Request", "RequestHandler", "Handler"})
_REQUEST, _BODY, _QUERY, _PARAMS = "request", "body", "query", "params"
_PARTS = frozenset({_BODY, _QUERY, _PARAMS})
_DEEPEST = 6
"""How many functions deep a request is followed."""

_Part: TypeAlias = str | SpreadBody
_Names: TypeAlias = Mapping[str, _Part]
"""What the names in a function hold: the request, or a part of it."""


class RequestReader(RequestReads):
    """Collects what the functions of one route read of a request object (`request.body`)."""

    def __init__(self, program: Program) -> None:
        super().__init__(program)
        self._path_uses: dict[str, tuple[Expr, Scope] | None] = {}
        """Path parameters, with where a number is made of each that is used as nothing else."""
        self._query_numbers: dict[str, bool] = {}
        """Query parameters, with whether numbers alone are made of each."""
        self._query_defaults: dict[str, LiteralValue] = {}
        self.query_set: set[str] = set()
        """Query parameters that a function has set whatever the request has: what runs behind it
        reads none of the request's."""

    def parameters(self) -> tuple[Parameter, ...]:
        """Parameters that are seen to be read."""
        converted = (
            replace(path_text(name, self._program.origin(*use)), schema=Scalar(type="numeric"))
            for name, use in self._path_uses.items()
            if use is not None
            and "" not in self._path_uses
            and ("path", name) not in self._parameters
        )
        return (*map(self._as_used, super().parameters()), *converted)

    def _as_used(self, parameter: Parameter) -> Parameter:
        """A query parameter that nothing declares, with what its uses say: a number is made of any
        text, which refuses none, and a fallback counts where it is left out."""
        if parameter.location != "query" or parameter.evidence != Evidence():
            return parameter
        if parameter.of_other_path or not isinstance(parameter.schema, Unknown):
            return parameter
        name = parameter.name
        if self._query_numbers.get(name) and "" not in self._query_numbers:
            text = Scalar(type="string", origin=parameter.origin)
            parameter = replace(parameter, schema=text, evidence=DECLARED)
        default = self._query_defaults.get(name)
        return replace(parameter, has_default=default is not None, default=default)

    # ------------------------------------------------------------------ functions

    def handler(self, function: FunctionValue, scope: Scope, position: int | None) -> None:
        """Read a function whose parameter at `position` is the request."""
        if position is not None:
            self._function(function, scope, {position: _REQUEST}, None)

    def _function(
        self, function: FunctionValue, scope: Scope, given: Mapping[int, _Part], call: Span | None
    ) -> None:
        """Read a function whose parameters hold the request or parts of it, once for each call."""
        params = function.function.params
        key = (scope.file.path, (function.function.span, call, *given.items()))
        if key in self._open or scope.depth > _DEEPEST:
            return
        self._open.add(key)
        names: dict[str, _Part] = {}
        for position, part in given.items():
            if position >= len(params):
                continue
            param = params[position]
            if part == _REQUEST:
                self._declare_by_request_type(param, function)
                if param.pattern is not None:
                    names.update(self._pattern(param, scope))
            elif part == _BODY and param.type is not None:
                self.declare_body(param.type, function.scope)
            if param.name:
                names[param.name] = part
        if names:
            self._statements(scope.statements or (), scope, names)

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

    def _pattern(self, param: Param, scope: Scope) -> dict[str, str]:
        """The names that `({ body, query: { page } }, response) => …` gives parts of a request."""
        names: dict[str, str] = {}
        entries = param.pattern.entries if isinstance(param.pattern, ObjectLiteral) else ()
        for entry in entries:
            if entry.key == _BODY:
                self.mention(scope, entry)
            elif entry.key == _QUERY and isinstance(entry.value, ObjectLiteral):
                self.query_names(entry.value, scope)
            if entry.key in _PARTS and isinstance(entry.value, Name):
                names[entry.value.id] = entry.key
        return names

    # ------------------------------------------------------------------ bodies of functions

    def _statements(self, nodes: tuple[Statement, ...], scope: Scope, names: _Names) -> None:
        names = {**names, **_named_parts(nodes, names)}
        uses = parameter_uses(nodes, lambda expr: _part(expr, names) == _PARAMS)
        for name, use in uses.items():
            if use is None or self._path_uses.get(name, use) is None:
                self._path_uses[name] = None
            else:
                self._path_uses[name] = (use, scope)
        self._note_query_uses(nodes, names)
        targets = set[int]()
        for node in nodes_of(nodes):
            if isinstance(node, Assign):
                self._note_assignment(node, scope, names)
                if not node.operator:
                    targets.add(id(node.target))
            elif id(node) in targets:
                continue  # written, not read
            elif isinstance(node, Cast) and _part(node.value, names) == _BODY:
                if not node.checks_only:
                    self.declare_body(node.type, scope)
            elif isinstance(node, Attribute | Index):
                self._note_read(node, scope, names)
            elif isinstance(node, OperationExpr) and node.operator == "in":
                name, holder = (_constant(node.operands[0]), node.operands[1])
                if name and _part(holder, names) == _QUERY:
                    self.add_query(name, scope, node)
        holders = {*names, *_names_given(nodes, names)}
        for call, place in calls_in(
            self._program, nodes, scope, wanted=lambda call, _: _mentions(call.args, holders)
        ):
            self._call(call, place, names)
        for statement in takewhile(lambda each: isinstance(each, Assign | Evaluate), nodes):
            if isinstance(statement, Assign) and not statement.operator:
                self.query_set.add(_query_name(statement.target, names))

    def _note_query_uses(self, nodes: tuple[Statement, ...], names: _Names) -> None:
        def is_query(expr: Expr | None) -> bool:
            return _part(expr, names) == _QUERY

        for name, use in parameter_uses(nodes, is_query).items():
            self._query_numbers[name] = use is not None and self._query_numbers.get(name, True)
        known = self._query_defaults
        for name, value in parameter_defaults(nodes, is_query).items():
            known[name] = value if known.get(name, value) == value else None

    def _note_assignment(self, node: Assign, scope: Scope, names: _Names) -> None:
        part = _part(node.value, names)
        if part == _BODY and node.type is not None:
            self.declare_body(node.type, scope)
        if part == _QUERY:
            if node.type is not None:
                self.declare_query(node.type, scope)
            if isinstance(node.target, ObjectLiteral):
                self.query_names(node.target, scope)

    def _note_read(self, node: Attribute | Index, scope: Scope, names: _Names) -> None:
        if isinstance(node, Attribute) and _part(node, names) == _BODY:
            self.mention(scope, node)
        name = _query_name(node, names)
        if not name and isinstance(node, Index) and _part(node.value, names) == _QUERY:
            name = self._program.text(node.index, scope) or ""
        if name and name not in self.query_set:
            self.add_query(name, scope, node)

    def _call(self, call: Call, scope: Scope, names: _Names) -> None:
        """`schema.parse(req.body)`, `schema.parse({ body: req.body })`, `service.create(req.body)`,
        `helper(req)`, `check(schemas.body, req.body)`."""
        parsed = validated_argument(self._program, call, scope)
        if parsed is not None and self._note_parsing(*parsed, scope, names):
            return
        given = {
            position: part
            for position, argument in enumerate(call.args)
            if (part := self._part(argument.value, scope, names)) and not argument.spread
        }
        callee = self._program.evaluate(call.callee, scope) if given else None
        if isinstance(callee, LibrarySymbol) and callee.name in GETTERS:
            name = self._program.text(call.args[-1].value, scope)
            if name:
                self.add_query(name, scope, call, anywhere=True)
        if not isinstance(callee, FunctionValue):
            if parsed is not None and self._part(parsed[1], scope, names) == _BODY:
                self.note_unseen_check()
            return
        bindings = self._program.evaluator.arguments_with_defaults(callee, call, scope)
        inner = replace(scope_of(self._program, callee, bindings), depth=scope.depth + 1)
        inner = self._program.evaluator.as_called(inner, callee, call, scope)
        self._function(callee, inner, given, call.span)

    def _note_parsing(self, validator: Expr, given: Expr, scope: Scope, names: _Names) -> bool:
        """Note that a schema checks a part of the request, and say whether it is one."""
        value = self._program.evaluate(validator, scope)
        if not isinstance(value, LibraryResult) or not schemas.checks(value):
            return False
        part = self._part(given, scope, names)
        schema = self._program.schema_of(value, zod.INPUT)
        if isinstance(schema, Nothing):
            return True  # `z.never()`: no request has such a part, or none would pass
        if isinstance(part, SpreadBody):
            self.check_body(schema, scope, given, part.keys)
        elif part == _BODY:
            self.check_body(schema, scope, given)
        elif part == _QUERY:
            self.query_fields(schema)
        elif part == _REQUEST or isinstance(given, ObjectLiteral):
            self.envelope(schema, scope, given)
        elif part == _PARAMS:
            self.fields(schema, "path")
        return True

    def _part(self, expr: Expr, scope: Scope, names: _Names) -> _Part:
        """The same of `req[source]`, whose `source` a middleware is made for, of a variable that
        holds a part of the request, of an object that holds parts under their own names, and of
        one into which the body is spread."""
        expr = without_casts(expr)
        if isinstance(expr, Name) and expr.id not in names:
            held = [
                d.statement.value
                for d in definitions_of(expr, scope)
                if isinstance(d.statement, Assign) and d.target is None
            ]
            expr = held[0] if len(held) == 1 and held[0] is not None else expr
        if isinstance(expr, Index) and _part(expr.value, names) == _REQUEST:
            name = self._program.text(expr.index, scope)
            return name if name in _PARTS else ""
        if isinstance(expr, ObjectLiteral):
            spread = spread_body(expr)
            whole = "" if spread is None else self._part(spread.value, scope, names)
            if spread is not None and isinstance(whole, SpreadBody):
                return replace(spread, keys=spread.keys | whole.keys)
            if spread is not None and whole == _BODY:
                return spread
            parts = {entry.key: entry.value for entry in expr.entries if entry.key in _PARTS}
            own = parts and all(_part(value, names) == key for key, value in parts.items())
            return _REQUEST if own else ""
        return _part(expr, names)


def _names_given(nodes: tuple[Statement, ...], names: Container[str]) -> Iterator[str]:
    """The variables that are made with something of the request."""
    for node in nodes_of(nodes):
        if (
            isinstance(node, Assign)
            and isinstance(node.target, Name)
            and _mentions(node.value, names)
        ):
            yield node.target.id


def _mentions(syntax: object, names: Container[str]) -> bool:
    return any(isinstance(node, Name) and node.id in names for node in nodes_of(syntax))


def _named_parts(nodes: tuple[Statement, ...], names: _Names) -> dict[str, _Part]:
    """Variables that hold parts of a request: `const { query } = req`, `const q = req.query`."""
    found: dict[str, _Part] = {}
    for node in nodes_of(nodes):
        if not isinstance(node, Assign) or not node.declares:
            continue
        match node.target:
            case Name(id=id) if part := _part(node.value, names):
                found[id] = part
            case ObjectLiteral(entries=entries) if _part(node.value, names) == _REQUEST:
                parts = ((e.value.id, e.key) for e in entries if isinstance(e.value, Name))
                found.update((id, key) for id, key in parts if key in _PARTS)
            case _:
                pass
    return found


GETTERS = frozenset({"decentraland-server.server.extractFromReq"})
"""Functions of libraries that are given the request and a name: they read the query, the body or
the path under it, and throw where none has it."""


def _part(expr: Expr | None, names: _Names) -> _Part:
    """`body` for `req.body`, `query` for `req.query`; empty for anything else."""
    while isinstance(expr, Cast):
        expr = expr.value
    if isinstance(expr, Name):
        return names.get(expr.id, "")
    if isinstance(expr, Attribute) and expr.name in _PARTS:
        return expr.name if _part(expr.value, names) == _REQUEST else ""
    return ""


def _query_name(expr: Expr, names: _Names) -> str:
    """The query parameter that `req.query.page` or `req.query["page"]` stands for; empty for
    anything else."""
    if not isinstance(expr, Attribute | Index) or _part(expr.value, names) != _QUERY:
        return ""
    return expr.name if isinstance(expr, Attribute) else _constant(expr.index)


def _constant(expr: Expr) -> str:
    return expr.value if isinstance(expr, LiteralExpr) and isinstance(expr.value, str) else ""
