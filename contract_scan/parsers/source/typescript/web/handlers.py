"""What a handler `(request, response) => …` sends and reads: Express, and Nest's `@Res()`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.ir.operation import Body, Parameter, Response
from contract_scan.ir.origin import Origin
from contract_scan.parsers.source.analysis.domain.values import FunctionValue, Scope, Value
from contract_scan.parsers.source.facts.nodes import (
    Assign,
    Attribute,
    Branch,
    Call,
    Define,
    Expr,
    Function,
    Lambda,
    Loop,
    Name,
    ObjectLiteral,
    Param,
    Return,
    Statement,
)
from contract_scan.parsers.source.typescript.resolution.walker import nested_nodes
from contract_scan.parsers.source.typescript.web.body_uses import BodyUses
from contract_scan.parsers.source.typescript.web.closures import Closures
from contract_scan.parsers.source.typescript.web.request_augmentation import REQUEST
from contract_scan.parsers.source.typescript.web.request_reads import (
    as_used,
    has_undeclared_body,
    is_only_declared,
)
from contract_scan.parsers.source.typescript.web.requests import RequestReader
from contract_scan.parsers.source.typescript.web.response_calls import ResponseFunction, chain_of
from contract_scan.parsers.source.typescript.web.response_chains import ResponseChains
from contract_scan.parsers.source.typescript.web.response_heads import JSON, Head
from contract_scan.parsers.source.typescript.web.response_sites import merge_by_status

if TYPE_CHECKING:
    from contract_scan.parsers.source.analysis.domain.program import Program

MAX_FOLLOWED = 4
"""How many calls deep a response object is followed into helpers."""


class HandlerSummary(Struct, frozen=True):
    """What a handler does."""

    responses: tuple[Response, ...]
    statuses_complete: bool
    request: tuple[Body, ...]
    parameters: tuple[Parameter, ...]


def read_handler(
    program: Program,
    handler: FunctionValue,
    *,
    request: int | None = 0,
    response: int | None = 1,
    default_status: str = "200",
    returns: bool = False,
    status_first: bool = False,
    uses: BodyUses | None = None,
    senders: tuple[ResponseFunction, ...] = (),
) -> HandlerSummary:
    """What a handler sends and reads; `request` and `response` are positions of parameters. With
    `returns`, what the handler returns is sent too (Fastify); with `status_first`, what is sent
    first may be the status (Restify). With `uses`, which has read the functions before it, what is
    read of a body without a declared type is noted there only. `senders` are functions of the
    library that are given the response to send with."""
    sending = ResponseChains(program, default_status, status_first=status_first)
    reader = _Reader(program, sending, senders)
    requests = RequestReader(program)
    scope = scope_of(program, handler)
    names = _names(handler.function, response)
    if returns:
        reader.returned_by(handler)
    reader.handler(handler, _with_request(scope, handler.function, request), names, 0)
    requests.handler(handler, scope, request)
    bodies = requests.bodies()
    by_use = has_undeclared_body(bodies) or is_only_declared(bodies)
    if request is not None and (uses is not None or by_use):
        seen = uses or BodyUses(program)
        seen.handler(handler, scope, request)
        bodies = bodies if uses is not None else as_used(bodies, seen)
    return HandlerSummary(
        responses=tuple(merge_by_status(reader.sending.sites)),
        statuses_complete=reader.complete and reader.sending.complete,
        request=bodies,
        parameters=requests.parameters(),
    )


def scope_of(
    program: Program, function: FunctionValue, bindings: Mapping[str, Value] | None = None
) -> Scope:
    """Inside a function, its receiver known."""
    scope = program.function_scope(function.function, function.scope, bindings)
    return replace(
        scope,
        receiver=function.receiver or scope.receiver,
        owner=function.owner or scope.owner,
    )


def _with_request(scope: Scope, function: Function, position: int | None) -> Scope:
    """Inside a handler, what stands for its request known where its type is not declared."""
    parameter = function.params[position : position + 1] if position is not None else ()
    if not parameter or parameter[0].type is not None or not parameter[0].name:
        return scope
    return replace(scope, bindings={**scope.bindings, parameter[0].name: REQUEST})


def _names(function: Function, position: int | None) -> frozenset[str]:
    if position is None or position >= len(function.params):
        return frozenset()
    return frozenset({function.params[position].name}) - {""}


class _Reader:
    """Walks a handler, and the functions that it gives its response to, to what sends."""

    def __init__(
        self, program: Program, sending: ResponseChains, senders: tuple[ResponseFunction, ...]
    ) -> None:
        self._program = program
        self.sending = sending
        self._senders = {sender.name: sender for sender in senders}
        self._open: set[tuple[str, object]] = set()
        self._closures = Closures()
        self._main: FunctionValue | None = None
        self.complete = True

    def returned_by(self, function: FunctionValue) -> None:
        """Note that what this function returns is sent."""
        self._main = function

    def handler(
        self, function: FunctionValue, scope: Scope, names: frozenset[str], depth: int
    ) -> None:
        """Read a function whose response object bears one of the names."""
        key = (scope.file.path, function.function.span)
        if key in self._open or not (names or function is self._main):
            self.complete = self.complete and key not in self._open
            return
        self._open.add(key)
        self._statements(scope.statements or (), scope, names, Head(), depth)
        self._open.discard(key)

    # ------------------------------------------------------------------ statements

    def _statements(
        self,
        nodes: tuple[Statement, ...],
        scope: Scope,
        names: frozenset[str],
        head: Head,
        depth: int,
    ) -> Head:
        """What was set by itself (`res.status(201);`) when the end is reached."""
        for node in nodes:
            match node:
                case Branch(blocks=blocks, condition=condition):
                    if condition is not None:
                        self._expression(condition, scope, names, head, depth)
                    ends = [self._statements(b, scope, names, head, depth) for b in blocks]
                    left = [e for e, b in zip(ends, blocks, strict=True) if not _ends_function(b)]
                    if left and all(end.same(left[0]) for end in left):
                        head = left[0] if node.exhaustive else head
                    elif left and any(not end.same(head) for end in left):
                        self.complete = False
                case Loop(body=body):
                    head = self._statements(body, scope, names, head, depth)
                case Define(declaration=Function() as declared):
                    if self._closures.is_called(declared.name, scope):
                        continue  # read where it is called, with what it is given
                    inner = self._program.function_scope(declared, scope)
                    self._statements(declared.body or (), inner, names, head, depth)
                case Assign(target=Attribute(value=Name(id=id), name="statusCode"), value=value):
                    if id in names and value is not None:
                        head = replace(head, status=value)
                case Assign(target=Name(id=id), value=Lambda()) if self._closures.is_called(
                    id, scope
                ):
                    continue
                case _:
                    value = getattr(node, "value", None)
                    if isinstance(node, Return) and self._sends_returned(scope):
                        self._return(node, scope, names, head.status)
                    if value is not None:
                        head = self._expression(value, scope, names, head, depth)
        return head

    def _sends_returned(self, scope: Scope) -> bool:
        return self._main is not None and scope.function is self._main.function

    def _return(
        self, node: Return, scope: Scope, names: frozenset[str], status: Expr | None
    ) -> None:
        """`return value` of a handler whose result is sent."""
        value = node.value
        if value is None or self._main is None:
            return
        if isinstance(value, Name) and value.id in (*names, "undefined"):
            return
        if isinstance(value, Call) and chain_of(value, names) is not None:
            return
        declared = self._main.function.returns
        schema = self._program.infer(value, scope)
        if declared is not None:
            typed = self._program.schema(declared, self._main.scope)
            schema = schema if self._program.types.is_unknown(typed) else typed
        origin = Origin(scope.file.path, value.span)
        self.sending.note(
            status, Body(schema=schema, content_type=JSON, origin=origin), scope, value
        )

    def _expression(
        self, expr: Expr, scope: Scope, names: frozenset[str], head: Head, depth: int
    ) -> Head:
        """Read the response chains of an expression; what is set and not sent."""
        inner_links: set[int] = set()
        left = head
        for call, place in self._calls(expr, scope, names, head, depth):
            if id(call) in inner_links:
                continue
            chain = chain_of(call, names)
            if chain is None:
                self._helper(call, place, names, depth)
                continue
            inner_links.update(map(id, chain[:-1]))
            set_only = self.sending.by_chain(chain, place, head)
            left = set_only if set_only is not None else left
        return left

    def _calls(
        self, expr: Expr, scope: Scope, names: frozenset[str], head: Head, depth: int
    ) -> Iterator[tuple[Call, Scope]]:
        """Calls of an expression; functions inside it are read as statements of their own."""
        bound: dict[int, dict[str, Value]] = {}
        functions: list[Lambda] = []
        for node in nested_nodes(expr):
            if isinstance(node, Call):
                given = self._callback_bindings(node, scope)
                bound.update((id(argument.value), given) for argument in node.args)
                yield node, scope
            elif isinstance(node, Lambda):
                functions.append(node)
        for node in functions:
            params = node.function.params
            values = bound.get(id(node), {}).values()
            bindings = {p.name: v for p, v in zip(params, values, strict=False)}
            inner = self._program.function_scope(node.function, scope, bindings)
            shadowed = names - {p.name for p in params}
            own = frozenset(shadowed) or names
            self._statements(inner.statements or (), inner, own, head, depth)

    def _callback_bindings(self, call: Call, scope: Scope) -> dict[str, Value]:
        """The arguments that `promise.then(value => …)` passes to its function."""
        callee = call.callee
        if isinstance(callee, Attribute) and callee.name == "then":
            value = self._program.evaluate(callee.value, scope)
            return {"": self._program.evaluator.unwrap(value)}
        return {}

    # ------------------------------------------------------------------ helpers

    def _helper(self, call: Call, scope: Scope, names: frozenset[str], depth: int) -> None:
        """A call that is given the response object: a project function is followed."""
        positions = [
            position
            for position, argument in enumerate(call.args)
            if isinstance(argument.value, Name) and argument.value.id in names
        ]
        callee: Value
        if not positions and not any(_keys_with_response(a.value, names) for a in call.args):
            closure = self._closure(call, scope, names)
            if closure is None or depth >= MAX_FOLLOWED:
                return
            bindings = self._program.evaluator.arguments_with_defaults(closure, call, scope)
            inner = scope_of(self._program, closure, bindings)
            inner = replace(inner, depth=scope.depth + 1)
            inner = self._program.evaluator.as_called(inner, closure, call, scope)
            self.handler(closure, inner, names, depth + 1)
            return
        callee = self._program.evaluate(call.callee, scope)
        sender = self._senders.get(self._program.evaluator.qualified_name(callee))
        if sender is not None and positions[:1] == [0]:
            self.sending.by_function(call, sender, scope)
            return
        if (
            not isinstance(callee, FunctionValue)
            or "abstract" in callee.function.modifiers
            or depth >= MAX_FOLLOWED
        ):
            self.complete = False
            return
        params = callee.function.params
        inner_names = frozenset(params[p].name for p in positions if p < len(params))
        for parameter, argument in zip(params, call.args, strict=False):
            inner_names |= _taken_out(parameter, _keys_with_response(argument.value, names))
        bindings = self._program.evaluator.arguments_with_defaults(callee, call, scope)
        inner = scope_of(self._program, callee, bindings)
        types = self._program.evaluator.inferred_types(callee, call, scope, {})
        inner = replace(inner, depth=scope.depth + 1, types={**inner.types, **types})
        inner = self._program.evaluator.as_called(inner, callee, call, scope)
        self.handler(callee, inner, inner_names - {""}, depth + 1)

    def _closure(self, call: Call, scope: Scope, names: frozenset[str]) -> FunctionValue | None:
        """`send(200, x)`: a function inside the handler, which sees the response by itself."""
        if not isinstance(call.callee, Name) or not self._closures.is_called_around(
            call.callee.id, scope
        ):
            return None
        callee = self._program.evaluate(call.callee, scope)
        if not isinstance(callee, FunctionValue) or callee.scope.function is None:
            return None
        shadowed = {parameter.name for parameter in callee.function.params}
        return None if names & shadowed else callee


def _keys_with_response(expr: Expr, names: frozenset[str]) -> frozenset[str]:
    """The keys under which an object literal holds the response: `send({ res, data })`."""
    entries = expr.entries if isinstance(expr, ObjectLiteral) else ()
    return frozenset(
        e.key for e in entries if e.key and isinstance(e.value, Name) and e.value.id in names
    )


def _taken_out(parameter: Param, keys: frozenset[str]) -> frozenset[str]:
    """The names that a parameter's pattern gives what stands under the keys."""
    pattern = parameter.pattern
    entries = pattern.entries if isinstance(pattern, ObjectLiteral) else ()
    return frozenset(e.value.id for e in entries if e.key in keys and isinstance(e.value, Name))


def _ends_function(block: tuple[Statement, ...]) -> bool:
    return bool(block) and type(block[-1]).__name__ in ("Return", "Throw")
