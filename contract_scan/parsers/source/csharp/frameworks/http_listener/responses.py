"""What is answered through an `HttpListenerResponse`: statuses, types and bodies that are written
to its stream, also by functions that are given it."""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.ir.origin import Origin
from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import Scalar, Schema, Unknown
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    Constant,
    Instance,
    Items,
    LibraryResult,
    Record,
    Scope,
)
from contract_scan.parsers.source.csharp.frameworks.http_listener.roles import Roles
from contract_scan.parsers.source.csharp.frameworks.http_listener.routes import (
    RequestHelper,
    called_functions,
)
from contract_scan.parsers.source.csharp.resolution.value_sources import without_wrappers
from contract_scan.parsers.source.csharp.serialization.json_texts import serialised_payload
from contract_scan.parsers.source.csharp.web.outcomes import BranchResult
from contract_scan.parsers.source.csharp.web.statuses import status_of
from contract_scan.parsers.source.facts.nodes import (
    Assign,
    Attribute,
    Branch,
    Call,
    Evaluate,
    Expr,
    LiteralExpr,
    Loop,
    OperationExpr,
    Return,
    Statement,
    Throw,
)

_WRITES = frozenset({"Write", "WriteAsync", "WriteLine", "WriteLineAsync"})
_SERIALIZES = frozenset({"Serialize", "SerializeAsync"})
_COPIES = frozenset({"CopyTo", "CopyToAsync"})
_MAX_FOLLOWED = 4
_MAX_DEPTH = 40


class _State(Struct, frozen=True):
    """What is known of the response at one point."""

    status: str = "200"
    explicit_status: bool = False
    kind: str = ""
    """Its content type."""
    is_sent: bool = False


def answers(
    program: Program, statements: tuple[Statement, ...], inside: RequestHelper, origin: Origin
) -> list[BranchResult] | None:
    """What statements answer; None where not all of it is told."""
    follower = _Follower(program)
    states = follower.function(statements, {_State()}, inside)
    for state in sorted(states, key=lambda state: state.status):
        if not state.is_sent:
            one = BranchResult(
                status=state.status, explicit_status=state.explicit_status, origin=origin
            )
            follower.found.append(one)
    return follower.found if follower.is_determined else None


class _Follower:
    """Follows statements from one function of the project to the next."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.found: list[BranchResult] = []
        self.is_determined = True
        self._functions = 0

    def function(
        self, statements: tuple[Statement, ...], states: set[_State], inside: RequestHelper
    ) -> set[_State]:
        """The states behind the statements of a function."""
        if self._functions >= _MAX_FOLLOWED:
            self.is_determined = False
            return states
        self._functions += 1
        one = _OneFunction(self, inside)
        behind = one.block(statements, states, 0)
        self._functions -= 1
        return behind | one.returned


class _OneFunction:
    """Follows the statements of one function."""

    def __init__(self, follower: _Follower, inside: RequestHelper) -> None:
        self.follower = follower
        self.program = follower.program
        self.inside = inside
        self.scope: Scope = inside.scope
        self.roles = Roles(follower.program, inside.scope, inside.parameter_roles)
        self.returned: set[_State] = set()

    def block(
        self, statements: tuple[Statement, ...], states: set[_State], depth: int
    ) -> set[_State]:
        """The states behind a block; empty where none gets there."""
        for statement in statements:
            if not states or depth > _MAX_DEPTH:
                self.follower.is_determined = self.follower.is_determined and depth <= _MAX_DEPTH
                return set()
            states = self._statement(statement, states, depth)
        return states

    def _statement(self, statement: Statement, states: set[_State], depth: int) -> set[_State]:
        match statement:
            case Assign(target=Attribute(name=name, value=holder), value=value) if (
                value is not None
                and name in ("StatusCode", "ContentType")
                and self.roles.role_of(holder) == "response"
            ):
                return {self._assign_property(state, name, value) for state in states}
            case Assign(value=value) if value is not None:
                return self._expression(value, states)
            case Evaluate(value=value):
                return self._expression(value, states)
            case Return(value=value):
                self.returned |= states if value is None else self._expression(value, states)
                return set()
            case Throw():
                return set()
            case Branch(blocks=blocks, exhaustive=exhaustive, condition=condition):
                holds = self._test_outcome(condition) if statement.kind == "if" else None
                if holds is not None and len(blocks) <= 2:
                    chosen = (*blocks, ())[0 if holds else 1]
                    return self.block(chosen, states, depth + 1)
                behind = set() if exhaustive else set(states)
                for block in blocks:
                    behind |= self.block(block, states, depth + 1)
                return behind
            case Loop(body=body):
                return states | self.block(body, states, depth + 1)
            case _:
                return states

    def _test_outcome(self, test: Expr | None) -> bool | None:
        """Whether a test of what a caller gave (`body is not null`) holds."""
        match test:
            case OperationExpr(operator="==" | "!=" as operator, operands=(one, other)):
                if not isinstance(other, LiteralExpr) or other.value is not None:
                    return None
                value = self.program.evaluate(one, self.scope)
                if isinstance(value, Constant):
                    return (value.value is None) is (operator == "==")
                is_made = isinstance(value, Record | Items | LibraryResult | Instance)
                return (operator == "!=") if is_made else None
            case _:
                return None

    def _assign_property(self, state: _State, name: str, value: Expr) -> _State:
        if state.is_sent:
            return state
        if name == "ContentType":
            text = self.program.text(value, self.scope) or ""
            return replace(state, kind=text.partition(";")[0].strip().lower())
        status = status_of(self.program, value, self.scope)
        self.follower.is_determined = self.follower.is_determined and status is not None
        return replace(state, status=status or "", explicit_status=True)

    def _expression(self, value: Expr, states: set[_State]) -> set[_State]:
        """The states behind an expression that may write the response, or call what does."""
        body = self._written_body(without_wrappers(value))
        if body is not None:
            return {self._after_sending(state, body) for state in states}
        for function in called_functions(self.program, (Evaluate(value=value),), self.inside):
            if function is None:
                self.follower.is_determined = False
                continue
            states = self.follower.function(function.scope.statements or (), states, function)
        return states

    def _written_body(self, value: Expr) -> Expr | None:
        """The expression that a call writes to the response."""
        match value:
            case Call(callee=Attribute(value=of, name=name), args=(first, *more)):
                role = self.roles.role_of(of)
                if name in _WRITES and role in ("stream", "writer"):
                    return first.value
                if name == "Close" and role == "response":
                    return first.value
                into_stream = self.roles.role_of(first.value) == "stream"
                if name in _SERIALIZES and more and into_stream:
                    return replace(value, args=tuple(more))
                return of if name in _COPIES and into_stream else None
            case _:
                return None

    def _after_sending(self, state: _State, body: Expr) -> _State:
        """The state after a body is sent. The first body is the response: what follows is more
        of it, or never runs."""
        if state.is_sent:
            return state
        schema, kind = self._body(body, state.kind)
        self.follower.found.append(
            BranchResult(
                status=state.status,
                schema=schema,
                content_type=kind,
                explicit_status=state.explicit_status,
                origin=self.program.origin(body, self.scope),
            )
        )
        return replace(state, is_sent=True)

    def _body(self, body: Expr, kind: str) -> tuple[Schema, str]:
        """The shape and content type of what is written."""
        if kind and not kind.endswith(("/json", "+json")):
            return Scalar(type="string", format="" if kind.startswith("text/") else "binary"), kind
        payload = serialised_payload(self.program, body, self.scope, "")
        if isinstance(payload.schema, Unknown):
            why = Reason("response-writes-not-followed")
            return Unknown(reason=why), kind or "application/json"
        return payload.schema, kind or "application/json"
