"""Answers that a handler writes by hand: `response.StatusCode = 422; await response.AsJson(x)`."""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import Scalar, Schema, Unknown
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import FunctionValue, Scope
from contract_scan.parsers.source.analysis.evaluation.call_sites import calls_in
from contract_scan.parsers.source.csharp.lowering.expressions import AWAIT
from contract_scan.parsers.source.csharp.resolution.calls import called_function
from contract_scan.parsers.source.csharp.resolution.extensions import extension_named
from contract_scan.parsers.source.csharp.resolution.source_text import function_text
from contract_scan.parsers.source.csharp.serialization.settings.options import unqualified_name
from contract_scan.parsers.source.csharp.web.outcomes import BranchResult, Handler, outcome
from contract_scan.parsers.source.csharp.web.statuses import status_of
from contract_scan.parsers.source.facts.nodes import (
    Assign,
    Attribute,
    Branch,
    Call,
    Evaluate,
    Expr,
    Loop,
    Name,
    NamedType,
    Param,
    Return,
    Statement,
    Throw,
)
from contract_scan.parsers.source.facts.visitor import nodes_of

WRITERS = (b"WriteAsJsonAsync(", b".Negotiate(", b".AsJson(", b"WriteAsync(")
_JSON = frozenset({"WriteAsJsonAsync", "Negotiate", "AsJson"})
_HARMLESS = frozenset({"Validate", "ValidateAsync", "OnStarting", "OnCompleted"})
_STREAMS = frozenset({"Body", "BodyWriter", "OutputStream"})
_MAX_DEPTH = 40
_MAX_CALLS = 3
"""How deep functions that are called are looked into."""
_ACCEPTING = "AcceptWebSocketAsync"
_WRITING = (
    *(b"Response.", b".Response", b"WriteAsync", b"WriteAsJsonAsync", b"HttpResponse "),
    _ACCEPTING.encode(),
)
_CARRIERS = ("HttpContext", "HttpResponse")
_HELD = frozenset({"HttpContext", "Response", "ControllerContext"})
"""Members of controllers, and of what they hold, that the response is or is part of."""


class _State(Struct, frozen=True):
    """What is known of the response at one point."""

    status: str = "200"
    explicit_status: bool = False
    is_sent: bool = False
    content_type: str = "text/plain"
    """That of text that is written; empty: it is undetermined."""


class _Writer:
    """Follows the statements of one handler."""

    def __init__(self, handler: Handler, function: FunctionValue) -> None:
        self.handler = handler
        self.program: Program = handler.program
        params = function.function.params
        self.responses = _parameters_of_type(params, "HttpResponse")
        self.contexts = _parameters_of_type(params, "HttpContext")
        self.carriers = self.responses | self.contexts
        self.found: list[BranchResult] = []
        self.is_determined = True

    def block(
        self, statements: tuple[Statement, ...], states: set[_State], scope: Scope, depth: int = 0
    ) -> set[_State]:
        """The states behind a block; empty where none gets there."""
        for statement in statements:
            if not states or depth > _MAX_DEPTH:
                self.is_determined = self.is_determined and depth <= _MAX_DEPTH
                return set()
            states = self.statement(statement, states, scope, depth)
        return states

    def statement(
        self, statement: Statement, states: set[_State], scope: Scope, depth: int
    ) -> set[_State]:
        match statement:
            case Assign(target=Attribute(name="StatusCode", value=holder), value=value) if (
                self.is_response(holder)
            ):
                status = status_of(self.program, value, scope)
                self.is_determined = self.is_determined and status is not None
                return {
                    s if s.is_sent else replace(s, status=status or "", explicit_status=True)
                    for s in states
                }
            case Assign(target=Attribute(name="ContentType", value=holder), value=value) if (
                self.is_response(holder)
            ):
                kind = "" if value is None else self.program.text(value, scope) or ""
                kind = kind.partition(";")[0].strip()
                return {replace(s, content_type=kind) for s in states}
            case Evaluate(value=value):
                return self.wrote(value, states, scope)
            case Loop(body=body):
                return states | self.block(body, states, scope, depth + 1)
            case Return(value=value):
                behind = states if value is None else self.wrote(value, states, scope)
                if value is not None and behind == states and not _is_done(value):
                    self.is_determined = False
                self.end(behind, statement, scope)
                return set()
            case Throw():
                return set()
            case Branch(blocks=blocks, exhaustive=exhaustive):
                behind = set() if exhaustive else set(states)
                for block in blocks:
                    behind |= self.block(block, states, scope, depth + 1)
                return behind
            case _:
                return states

    def wrote(self, value: Expr, states: set[_State], scope: Scope) -> set[_State]:
        """The states behind an expression that may write the response."""
        value = awaited_value(value)
        if not isinstance(value, Call) or not isinstance(value.callee, Attribute):
            return states
        if not self.is_response(value.callee.value) or not value.args:
            return states
        origin = self.program.origin(value, scope)
        for state in states:
            if state.is_sent:
                self.is_determined = False
            elif value.callee.name in _JSON:
                body = value.args[0].value
                one = outcome(self.handler, state.status, body, origin, scope)
                self.found.append(replace(one, explicit_status=state.explicit_status))
            else:
                text: Schema = Scalar(type="string")
                if state.content_type != "text/plain":
                    text = Unknown(reason=Reason("text-sent-as-is"))
                self.found.append(
                    BranchResult(
                        status=state.status,
                        schema=text,
                        content_type=state.content_type or "*/*",
                        explicit_status=state.explicit_status,
                        origin=origin,
                    )
                )
        return {replace(state, is_sent=True) for state in states}

    def end(self, states: set[_State], statement: Statement | None, scope: Scope) -> None:
        """The handler is done: what was not sent has no body."""
        for state in sorted(states, key=lambda s: s.status):
            if not state.is_sent:
                place = statement or scope.function
                assert place is not None
                origin = self.program.origin(place, scope)
                self.found.append(
                    BranchResult(
                        status=state.status, explicit_status=state.explicit_status, origin=origin
                    )
                )

    def is_response(self, expr: Expr) -> bool:
        """Whether an expression is the response: a parameter, or `context.Response`."""
        match expr:
            case Name(id=name):
                return name in self.responses or name == "Response"
            case Attribute(name="Response"):
                return True
            case _:
                return False

    def is_known(self, call: Call, scope: Scope) -> bool:
        """Whether what a call does to the response is known: nothing, or writing it."""
        name = call.callee.name if isinstance(call.callee, Attribute) else ""
        if name in _HARMLESS or name == _ACCEPTING:
            return name in _HARMLESS
        if isinstance(call.callee, Attribute) and self.is_response(call.callee.value):
            return name in _JSON or name == "WriteAsync"
        if isinstance(call.callee, Attribute) and self.is_context(call.callee.value):
            return name.startswith("Get")  # what an extension does with the whole is not known
        return not _hands_on_response(self.program, call, scope, self.carriers)

    def is_context(self, expr: Expr) -> bool:
        """Whether an expression is the context that the response is part of."""
        return isinstance(expr, Name) and expr.id in self.contexts

    def is_streamed(self, statements: tuple[Statement, ...]) -> bool:
        """Whether the stream of the body is used, to which anything may be written."""
        return any(
            isinstance(node, Attribute) and node.name in _STREAMS and self.is_response(node.value)
            for node in nodes_of(statements)
        )


def awaited_value(value: Expr) -> Expr:
    """What is awaited, `await x.ConfigureAwait(false)` too; an expression itself without that."""
    while isinstance(value, Call):
        if getattr(value.callee, "id", "") == AWAIT and value.args:
            value = value.args[0].value
        elif isinstance(value.callee, Attribute) and value.callee.name == "ConfigureAwait":
            value = value.callee.value
        else:
            break
    return value


def _is_done(value: Expr) -> bool:
    """`Task.CompletedTask`: nothing is left to do."""
    return isinstance(value, Attribute) and value.name == "CompletedTask"


def _parameters_of_type(params: tuple[Param, ...], *types: str) -> frozenset[str]:
    return frozenset(
        p.name
        for p in params
        if isinstance(p.type, NamedType) and unqualified_name(p.type.name) in types
    )


def writes_response(program: Program, function: FunctionValue, depth: int = 0) -> bool:
    """Whether a handler that returns nothing writes the response, or a method may that it calls."""
    body = function_text(program, function.scope.file.path, function.function)
    if any(word in body for word in _WRITING):
        return True
    scope = program.function_scope(function.function, function.scope)
    carriers = _parameters_of_type(function.function.params, *_CARRIERS)
    return depth < _MAX_CALLS and any(
        isinstance(call, Call) and _hands_on_response(program, call, place, carriers, depth)
        for call, place in calls_in(program, scope.statements or (), scope)
    )


def _hands_on_response(
    program: Program, call: Call, scope: Scope, carriers: frozenset[str], depth: int = 0
) -> bool:
    """Whether a call is handed the response, or what holds it, and may write it; a method of the
    same object has it anyway."""

    def holds(expr: Expr) -> bool:
        match expr:
            case Name(id=name):
                return name in carriers or name in _HELD
            case Attribute(name=name):
                return name in _HELD
            case _:
                return False

    is_own = isinstance(call.callee, Name) or (
        isinstance(call.callee, Attribute)
        and isinstance(call.callee.value, Name)
        and call.callee.value.id in ("this", "base")
    )
    is_given = any(holds(argument.value) for argument in call.args)
    is_extended = isinstance(call.callee, Attribute) and holds(call.callee.value)
    if not (is_own or is_given or is_extended):
        return False
    called = called_function(program, call, scope)
    if called is None and is_extended:
        name = getattr(call.callee, "name", "")
        extensions = extension_named(program, name)
        return is_given or any(writes_response(program, one, depth + 1) for one in extensions)
    if called is None or "abstract" in called.function.modifiers:
        return is_given
    return writes_response(program, called, depth + 1)


def written_outcomes(handler: Handler, function: FunctionValue) -> list[BranchResult] | None:
    """The responses that a handler writes manually; None if not all of them are known."""
    scope = handler.program.function_scope(function.function, function.scope)
    statements = scope.statements or ()
    writer = _Writer(handler, function)
    if writer.is_streamed(statements):
        return None
    for call, place in calls_in(handler.program, statements, scope):
        if isinstance(call, Call) and not writer.is_known(call, place):
            return None
    writer.end(writer.block(statements, {_State()}, scope), None, scope)
    return writer.found if writer.is_determined else None
