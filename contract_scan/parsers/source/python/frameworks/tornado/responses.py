"""What a handler that writes its response (rather than returning it) sends on each way through it.

Every way is followed on its own: the status that is set and what is written on it belong together.
Methods of the project that the handler calls on itself are followed as if they stood in its place.
"""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.ir.operation import Response
from contract_scan.ir.origin import Origin
from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.ir.schema import Scalar, Schema
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    Constant,
    FunctionValue,
    Instance,
    Items,
    LibraryResult,
    OneOf,
    Scope,
    Template,
    Value,
    origin_at,
)
from contract_scan.parsers.source.analysis.refinement.argument_facts import RECEIVERS
from contract_scan.parsers.source.analysis.refinement.conditions import (
    ConditionContext,
    evaluate_condition,
)
from contract_scan.parsers.source.facts.nodes import (
    Argument,
    Assign,
    Attribute,
    Branch,
    Call,
    Expr,
    Loop,
    Name,
    Return,
    Statement,
    Throw,
)
from contract_scan.parsers.source.python.messaging.trace import bind_arguments
from contract_scan.parsers.source.python.web.common import (
    merge_responses,
    response,
    status_of,
    undetermined_response,
    unknown,
)

_JSON = "application/json"
_HTML = "text/html"
_MOST = 64
"""How many ways through a handler are told apart."""
_DEEPEST = 4
"""How many methods deep a handler is followed."""
_ENCODERS = frozenset({"dumps", "json_encode", "encode", "packb"})


class WrittenValue(Struct, frozen=True, eq=False):
    """Something that is written."""

    value: Value | None
    origin: Origin
    reason: Reason = NO_REASON
    """Why its content is undetermined."""
    content_type: str = _JSON


class ResponsePath(Struct, frozen=True, eq=False):
    """One way through a handler, as far as it was followed."""

    status: str = ""
    unclear_status: bool = False
    content_type: str = ""
    pieces: tuple[WrittenValue, ...] = ()
    ended: bool = False
    failed: bool = False
    """It ended with an error, which is no promise of the handler."""


def responses(
    program: Program, handler: FunctionValue, origin: Origin
) -> tuple[tuple[Response, ...], bool]:
    """What a handler sends, and whether all its statuses are known."""
    writer = _Writer(program)
    scope = program.function_scope(handler.function, handler.scope)
    if handler.receiver is not None:
        scope = replace(scope, receiver=handler.receiver)
    before = writer.prepared_paths(handler)
    ways = writer.block(scope.statements or (), scope, before, _DEEPEST)
    if writer.cut:
        return (undetermined_response(Reason("handler-path-limit"), origin),), False
    completed = [way for way in ways if not way.failed]
    found = [_response(program, way, origin) for way in completed if not way.unclear_status]
    written = {item.status for item in found}
    errors = [item for item in writer.errors.values() if item.status not in written]
    return merge_responses([*found, *errors]), not any(way.unclear_status for way in completed)


def _response(program: Program, way: ResponsePath, origin: Origin) -> Response:
    status, explicit = way.status or "200", bool(way.status)
    if not way.pieces:
        return response(status, None, origin, explicit=explicit)
    piece = way.pieces[-1]
    shape: Schema | None
    content_type = piece.content_type
    if len(way.pieces) > 1:
        shape = unknown(Reason("response-written-in-parts"), piece.origin)
    elif piece.reason:
        shape = unknown(piece.reason, piece.origin)
    else:
        shape = None if piece.value is None else program.schema_of(piece.value)
    if content_type != _JSON and way.content_type:
        content_type = way.content_type
    return response(status, shape, piece.origin, content_type=content_type, explicit=explicit)


class _Writer:
    def __init__(self, program: Program) -> None:
        self._program = program
        self.cut = False
        self.errors: dict[str, Response] = {}
        """What `send_error` answers, by status."""
        self._active: set[object] = set()

    def prepared_paths(self, handler: FunctionValue) -> list[ResponsePath]:
        """The ways on which a handler begins: `prepare` of its class runs before it."""
        ways = [ResponsePath()]
        symbol = handler.receiver.symbol if isinstance(handler.receiver, Instance) else None
        method = None if symbol is None else self._program.find_method(symbol, "prepare")
        if method is None:
            return ways
        inner = self._program.function_scope(method.function, method.scope)
        inner = replace(inner, receiver=handler.receiver)
        after = self.block(inner.statements or (), inner, ways, _DEEPEST - 1)
        going = [replace(way, ended=False) for way in after if not way.failed and not way.pieces]
        return going or ways

    # ------------------------------------------------------------------ statements

    def block(
        self, statements: Iterable[Statement], scope: Scope, ways: list[ResponsePath], levels: int
    ) -> list[ResponsePath]:
        """The ways after statements, for each way before them."""
        for statement in statements:
            going = [way for way in ways if not way.ended]
            done = [way for way in ways if way.ended]
            if not going:
                break
            ways = _different([*done, *self._statement(statement, scope, going, levels)])
            if len(ways) > _MOST:
                self.cut = True
                return ways[:_MOST]
        return ways

    def _statement(
        self, statement: Statement, scope: Scope, ways: list[ResponsePath], levels: int
    ) -> list[ResponsePath]:
        match statement:
            case Return(value=value):
                after = ways if value is None else self._expr(value, scope, ways, levels)
                return [replace(way, ended=True) for way in after]
            case Throw(value=value):
                name = _callee_name(value)
                failed = name != "Finish"
                return [replace(way, ended=True, failed=failed) for way in ways]
            case Branch():
                return self._branch(statement, scope, ways, levels)
            case Loop(body=body):
                once = self.block(body, scope, ways, levels)
                before = {len(way.pieces) for way in ways}
                why = Reason("response-written-in-parts")
                once = [
                    way
                    if len(way.pieces) in before or way.ended
                    else replace(way, pieces=(replace(way.pieces[-1], reason=why),))
                    for way in once
                ]
                return [*ways, *once]
            case Assign(value=value) if value is not None:
                return self._expr(value, scope, ways, levels)
            case _:
                value = getattr(statement, "value", None)
                return ways if value is None else self._expr(value, scope, ways, levels)

    def _branch(
        self, branch: Branch, scope: Scope, ways: list[ResponsePath], levels: int
    ) -> list[ResponsePath]:
        blocks = list(branch.blocks)
        stays = not branch.exhaustive and branch.kind != "try"
        if branch.kind == "if" and branch.condition is not None:
            verdict = evaluate_condition(branch.condition, ConditionContext(self._program, scope))
            if verdict is True:
                blocks, stays = blocks[:1], False
            elif verdict is False:
                blocks = blocks[1:]
        found = [way for block in blocks for way in self.block(block, scope, ways, levels)]
        return [*ways, *found] if stays or not blocks else found

    # ------------------------------------------------------------------ calls

    def _expr(
        self, expr: Expr, scope: Scope, ways: list[ResponsePath], levels: int
    ) -> list[ResponsePath]:
        if not isinstance(expr, Call) or not isinstance(expr.callee, Attribute):
            return ways
        callee = expr.callee
        if not isinstance(callee.value, Name) or callee.value.id not in ("this", "super"):
            return ways
        positional = [a.value for a in expr.args if not a.name and not a.spread]
        named = {a.name: a.value for a in expr.args if a.name}
        first = positional[0] if positional else None
        own = self._program.evaluate(callee, scope)
        if isinstance(own, FunctionValue):
            after = self._call_effects(own, expr, scope, ways, levels)
            return _with_call_origin(after, ways, scope, expr) if callee.name == "write" else after
        match callee.name:
            case "set_status":
                code = first if first is not None else named.get("status_code")
                status = None if code is None else self._status(code, scope)
                return [
                    replace(way, status=status or "", unclear_status=status is None) for way in ways
                ]
            case "write" | "finish":
                chunk = first if first is not None else named.get("chunk")
                ended = callee.name == "finish"
                handed_on = self._handed_on(expr, scope) if chunk is None else None
                if handed_on is not None:
                    return [
                        replace(way, pieces=(*way.pieces, handed_on), ended=ended) for way in ways
                    ]
                if chunk is None:
                    return [replace(way, ended=ended) for way in ways]
                if ended:
                    # The library's `finish` hands its chunk to `self.write`.
                    writing = Attribute(Name("this"), "write")
                    if isinstance(self._program.evaluate(writing, scope), FunctionValue):
                        call = Call(writing, (Argument(value=chunk),), span=expr.span)
                        after = self._expr(call, scope, ways, levels)
                        return [replace(way, ended=True) for way in after]
                piece = self._piece(chunk, scope)
                return [replace(way, pieces=(*way.pieces, piece), ended=ended) for way in ways]
            case "send_error" | "write_error":
                code = first if first is not None else named.get("status_code")
                status = "500" if code is None else self._status(code, scope)
                if status is not None:
                    origin = origin_at(scope, expr.span)
                    self.errors.setdefault(status, response(status, None, origin))
                return [replace(way, ended=True, failed=True) for way in ways]
            case "render":
                piece = WrittenValue(
                    None, origin_at(scope, expr.span), Reason("body-is-page"), _HTML
                )
                return [replace(way, pieces=(piece,), ended=True) for way in ways]
            case "redirect":
                status = self._redirect_status(positional, named, scope)
                return [replace(way, status=status, pieces=(), ended=True) for way in ways]
            case "set_header" if len(positional) > 1:
                if (self._program.text(positional[0], scope) or "").lower() == "content-type":
                    media = self._program.text(positional[1], scope) or ""
                    media = media.partition(";")[0].strip()
                    return [replace(way, content_type=media) for way in ways]
                return ways
            case _:
                return ways

    def _call_effects(
        self, callee: FunctionValue, call: Call, scope: Scope, ways: list[ResponsePath], levels: int
    ) -> list[ResponsePath]:
        """The ways after a call of a method of the project."""
        key = (callee.scope.file.path, callee.function.span)
        if not levels or key in self._active:
            return ways
        self._active.add(key)
        bindings = bind_arguments(self._program, callee.function.params, call.args, scope)
        bindings.update(self._variadic_binding(callee, call, scope))
        inner = self._program.function_scope(callee.function, callee.scope, bindings)
        inner = replace(inner, receiver=scope.receiver or callee.receiver)
        after = self.block(inner.statements or (), inner, ways, levels - 1)
        self._active.discard(key)
        # It comes back from a `return`; what it finished stays finished only with an error.
        return [replace(way, ended=way.failed) for way in after]

    def _variadic_binding(
        self, callee: FunctionValue, call: Call, scope: Scope
    ) -> dict[str, Value]:
        """What `*args` of a method holds: the arguments beyond its other parameters."""
        star = next((p.name for p in callee.function.params if p.kind == "*" and p.name), "")
        if not star:
            return {}
        named = [p for p in callee.function.params if p.kind == "" and p.name not in RECEIVERS]
        positional = [argument for argument in call.args if not argument.name]
        if any(argument.spread for argument in positional):
            beyond = [a for a in positional if a.spread == "*"]
            handed_on = self._program.evaluate(beyond[0].value, scope) if len(beyond) == 1 else None
            return {} if handed_on is None or len(positional) != 1 else {star: handed_on}
        values = (self._program.evaluate(a.value, scope) for a in positional[len(named) :])
        return {star: Items(tuple(values), is_tuple=True)}

    def _handed_on(self, call: Call, scope: Scope) -> WrittenValue | None:
        """What `super().finish(*args)` writes; None where it writes nothing."""
        origin = origin_at(scope, call.span)
        why = WrittenValue(None, origin, Reason("passed-value-not-found"))
        spread = [a for a in call.args if a.spread]
        if not spread:
            return None
        given = [self._program.evaluate(a.value, scope) for a in spread if a.spread == "*"]
        match given:
            case [Items(values=(), repeated=False)]:
                return None
            case [Items(values=(chunk, *_), repeated=False)]:
                return self._written_value(chunk, origin)
            case _:
                return why

    def _status(self, expr: Expr, scope: Scope) -> str | None:
        value = self._program.evaluate(expr, scope)
        if isinstance(value, OneOf):
            found = {status_of(option) for option in value.options}
            return found.pop() if len(found) == 1 else None
        return status_of(value)

    def _redirect_status(self, positional: list[Expr], named: dict[str, Expr], scope: Scope) -> str:
        code = named.get("status", positional[2] if positional[2:] else None)
        permanent = named.get("permanent", positional[1] if positional[1:] else None)
        if code is not None:
            return self._status(code, scope) or "302"
        is_permanent = (
            permanent is not None
            and evaluate_condition(permanent, ConditionContext(self._program, scope)) is True
        )
        return "301" if is_permanent else "302"

    def _piece(self, chunk: Expr, scope: Scope) -> WrittenValue:
        return self._written_value(
            self._program.evaluate(chunk, scope), origin_at(scope, chunk.span)
        )

    def _written_value(self, value: Value, origin: Origin) -> WrittenValue:
        for _ in range(3):
            if not isinstance(value, LibraryResult) or not value.site.args:
                break
            if value.name.rpartition(".")[2] not in _ENCODERS:
                break
            value = self._program.evaluate(value.site.args[0].value, value.scope)
            return WrittenValue(value, origin)
        if isinstance(value, Constant | Template):
            return WrittenValue(None, origin, Reason("body-is-text"), _HTML)
        flat = self._program.types.flat(self._program.schema_of(value))
        if isinstance(flat, Scalar) and flat.type == "string":
            return WrittenValue(None, origin, Reason("body-is-text"), _HTML)
        return WrittenValue(value, origin)


def _with_call_origin(
    ways: list[ResponsePath], before: list[ResponsePath], scope: Scope, call: Call
) -> list[ResponsePath]:
    """Ways whose last piece has the place where the handler writes it as its origin, not the
    base class's method that it calls."""
    known = {id(piece) for way in before for piece in way.pieces}
    origin = origin_at(scope, call.span)
    return [
        replace(way, pieces=(*way.pieces[:-1], replace(way.pieces[-1], origin=origin)))
        if way.pieces and id(way.pieces[-1]) not in known
        else way
        for way in ways
    ]


def _different(ways: list[ResponsePath]) -> list[ResponsePath]:
    """Ways that do not differ in what they send, once."""
    found: dict[tuple[object, ...], ResponsePath] = {}
    for way in ways:
        pieces = tuple((piece.origin, piece.reason) for piece in way.pieces)
        status = (way.status, way.unclear_status, way.content_type)
        found.setdefault((*status, pieces, way.ended, way.failed), way)
    return list(found.values())


def _callee_name(expr: Expr | None) -> str:
    if isinstance(expr, Call):
        expr = expr.callee
    return expr.id if isinstance(expr, Name) else getattr(expr, "name", "")
