"""What a handler does to the response object that it is given: `ctx.status(201).json(order)`.

The statements of a handler are followed along every path: what is set on one path is no part of the
response of another. A path ends where the handler returns; one that throws sends an error, of which
nothing is said.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.ir.origin import Origin
from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    Constant,
    FunctionValue,
    OneOf,
    Scope,
    Unresolved,
    Value,
)
from contract_scan.parsers.source.facts.nodes import (
    Argument,
    Assign,
    Attribute,
    Branch,
    Call,
    Choice,
    Evaluate,
    Expr,
    Function,
    Lambda,
    Loop,
    Name,
    New,
    Param,
    Return,
    Statement,
    Throw,
)
from contract_scan.parsers.source.facts.visitor import children
from contract_scan.parsers.source.java.resolution.annotations import constant_name, type_name
from contract_scan.parsers.source.java.web.async_results import callback_arguments, value_later
from contract_scan.parsers.source.java.web.branch_results import statuses_of
from contract_scan.parsers.source.java.web.chains import chain, function_called, method
from contract_scan.parsers.source.java.web.header_names import content_type_given
from contract_scan.parsers.source.java.web.media import stated_media_type
from contract_scan.parsers.source.java.web.reading import mark, methods_from_mark
from contract_scan.parsers.source.java.web.states import (
    Effect,
    ResponseState,
    returned_names,
    states_after,
)
from contract_scan.parsers.source.java.web.walker import arguments

MAX_STATES = 24
"""How many paths through a handler are told apart."""
MAX_DEPTH = 5
"""How many functions a response is handed on through."""
_CARRIERS = ((), ("response",), ("getResponse",))
"""The object itself, and the parts of it that responses are sent through."""
_LATER = frozenset(
    {
        *("onSuccess", "onComplete", "thenAccept", "thenApply", "ifPresent", "map", "with"),
        *("ifPresentOrElse", "subscribe", "compose", "flatMap", "whenComplete"),
    }
)
"""Methods whose lambda is given what their receiver holds."""


_TESTS = tuple(f"Objects.{name}" for name in ("requireNonNull", "isNull", "nonNull", "equals"))
"""Functions of the Java library that do nothing with the response that they are given."""


_HEADERS = frozenset({"header", "setHeader", "addHeader", "setResponseHeader"})


class ResponseCall(Struct, frozen=True):
    """What a method of the response, or of the object that stands for it, does. Positions are those
    of its arguments, negative ones from the end."""

    status: str = ""
    """The status that it sets where no argument does."""
    status_at: int | None = None
    body_at: int | None = None
    body_or_status_at: int | None = None
    """A status constant in this place is no body but the status (`send(StatusCode.CREATED)`)."""
    content_type: str = ""
    content_type_at: int | None = None
    unknown: Reason = NO_REASON
    """Why what is sent is undetermined."""
    sends: bool = False
    """Whether the response is sent with it, without a body where it is given none."""
    passed_on: bool = False
    """Whether somebody else answers the request."""


class ResponseCalls(Struct, frozen=True, eq=False):
    """What calls on the response do, by the methods of a library."""

    calls: Mapping[str, ResponseCall]
    media_types: Mapping[str, str] = {}
    """Constants of the library that are not called after a content type."""

    def __call__(self, program: Program, name: str, call: Call, scope: Scope) -> Effect | None:
        method = name.rpartition(".")[2]
        described = self.calls.get(method)
        if described is None:
            given = [argument.value for argument in call.args] if method in _HEADERS else []
            kind = content_type_given(program, given, scope)
            return None if kind is None else Effect(content_type=kind)
        if described.unknown or described.passed_on:
            return Effect(unknown=described.unknown, passed_on=described.passed_on)
        given = [argument.value for argument in call.args]
        code = _argument_at(described.status_at, given)
        body = _argument_at(described.body_at, given)
        either = _argument_at(described.body_or_status_at, given)
        if either is not None:
            value = program.evaluate(either, scope)
            is_status = not isinstance(value, Constant) and all(statuses_of(program, value))
            code, body = (either, None) if is_status else (code, either)
        typed = _argument_at(described.content_type_at, given)
        if code is body is typed is None and not (described.status or described.sends):
            return None
        statuses: tuple[str, ...] = (described.status,) if described.status else ()
        if code is not None:
            statuses = statuses_of(program, program.evaluate(code, scope))
        kind = described.content_type
        if typed is not None:
            kind = self.media_types.get(constant_name(typed), "")
            kind = kind or stated_media_type(program, typed, scope)
        sent: Value | None = Constant(None) if described.sends else None
        return Effect(
            statuses=statuses,
            body=sent if body is None else program.evaluate(body, scope),
            content_type=kind,
            final=described.sends,
        )


def _argument_at(at: int | None, given: list[Expr]) -> Expr | None:
    return given[at] if at is not None and -len(given) <= at < len(given) else None


HandedOf: TypeAlias = (
    "Callable[[Program, Call, Mapping[int, tuple[str, ...]], Scope], Effect | None]"
)
"""(program, call, arguments that are the response or a part of it, scope) -> what the call does to
the response; None: nothing that is known."""
EffectOf: TypeAlias = "Callable[[Program, str, Call, Scope], Effect | None]"
"""(program, name from the response on, call, scope) -> what the call does; None: nothing."""


_GIVEN = "<given>"
"""What the function that a method reference stands for calls its parameter."""


class Effects:
    """Follows handlers of one library."""

    def __init__(
        self,
        program: Program,
        effect_of: EffectOf,
        handed_of: HandedOf | None = None,
        *,
        returns: bool = False,
        must_send: bool = False,
    ) -> None:
        self.program = program
        self.effect_of = effect_of
        self.handed_of = handed_of
        self.returns = returns
        """Whether what a handler returns is sent as the body."""
        self.must_send = must_send
        """Whether nothing is sent unless the handler does it."""
        self.tracked: frozenset[str] = frozenset()
        """Variables that the handler returns."""
        self.complete = True
        self.passes_on = False
        """Whether the handler that was followed lets every request go on to somebody else."""

    def states(self, handler: FunctionValue, positions: Iterable[int]) -> list[ResponseState]:
        """The response at the end of every path. `positions`: the parameters that are the
        response."""
        if self.returns:
            scope = self.program.function_scope(handler.function, handler.scope)
            self.tracked = frozenset(returned_names(scope.statements or ()))
        ended = self._function(handler, dict.fromkeys(positions, ()), [ResponseState()], 0)
        if any(state.later and state.touched for state in ended):
            # What is sent later is no empty response before, of which a header may be set.
            touched = [state for state in ended if state.touched]
            ended = [s for s in touched if s.status or s.body is not None] or touched
            self.complete = self.complete and self.must_send
        if self.must_send and any(state.touched for state in ended):
            ended = [state for state in ended if state.touched]
        answered = [state for state in ended if not state.passed_on]
        self.passes_on = bool(ended) and not answered
        return answered

    def _function(
        self,
        function: FunctionValue,
        given: Mapping[int, tuple[str, ...]],
        states: list[ResponseState],
        depth: int,
        bound: Mapping[str, Value] | None = None,
    ) -> list[ResponseState]:
        decl = function.function
        marks: dict[str, Value] = {
            decl.params[position].name: mark(path)
            for position, path in given.items()
            if position < len(decl.params)
        }
        bound = {**(bound or {}), **marks}
        scope = self.program.function_scope(decl, function.scope, bound)
        open_states, ended = self._block(scope.statements or (), scope, states, depth)
        return self._merge_states([*ended, *open_states])

    def _block(
        self, block: Iterable[Statement], scope: Scope, states: list[ResponseState], depth: int
    ) -> tuple[list[ResponseState], list[ResponseState]]:
        """The states at the end of a block, and those in which it returned."""
        ended: list[ResponseState] = []
        for statement in block:
            if not states:
                break
            match statement:
                case Evaluate(value=value):
                    states = self._expr(value, scope, states, depth)
                case Assign(value=value) if value is not None:
                    states = self._expr(value, scope, states, depth)
                    if depth == 0:
                        states = self._after_assignment(statement, value, states)
                case Return(value=value):
                    if value is not None:
                        states = self._expr(value, scope, states, depth)
                        if self.returns and depth == 0:
                            states = self._after_return(value, scope, states)
                    ended.extend(states)
                    states = []
                case Throw():
                    states = []
                case Branch(blocks=blocks, exhaustive=exhaustive, kind=kind, condition=condition):
                    if condition is not None:
                        states = self._expr(condition, scope, states, depth)
                    after = [] if exhaustive or kind == "try" else list(states)
                    for position, inner in enumerate(blocks):
                        open_states, returned = self._block(inner, scope, states, depth)
                        if kind == "try" and position:
                            # A failure that is caught and of which nothing is said to the client.
                            open_states = [s for s in open_states if s not in states]
                        after.extend(open_states)
                        ended.extend(returned)
                    states = self._merge_states(after)
                case Loop(body=body):
                    open_states, returned = self._block(body, scope, states, depth)
                    ended.extend(returned)
                    states = self._merge_states([*states, *open_states])
                case _:
                    pass
        return states, ended

    def _after_assignment(
        self, statement: Assign, value: Expr, states: list[ResponseState]
    ) -> list[ResponseState]:
        """The states in which a variable that is returned holds what it is given."""
        target = statement.target
        if not isinstance(target, Name) or target.id not in self.tracked:
            return states
        known = {} if statement.operator else {target.id: value}
        return [
            replace(
                s, assigned={**{k: v for k, v in s.assigned.items() if k != target.id}, **known}
            )
            for s in states
        ]

    def _after_return(
        self, expr: Expr, scope: Scope, states: list[ResponseState]
    ) -> list[ResponseState]:
        if self._has_answered(expr, scope):
            return states
        name = expr.id if isinstance(expr, Name) else ""
        origin = self.program.origin(expr, scope)
        found: list[ResponseState] = []
        for state in states:
            value = self.program.evaluate(state.assigned.get(name, expr), scope)
            options = value.options if isinstance(value, OneOf) else (value,)
            found.extend(
                replace(state, body=option, touched=True, origin=origin) for option in options
            )
        return found

    def _has_answered(self, expr: Expr, scope: Scope) -> bool:
        """Whether what is returned is the response itself, or what a method gives that sends."""
        path = methods_from_mark(self.program, expr, scope)
        if path is None or not isinstance(expr, Call):
            return path == ()
        return self.effect_of(self.program, "().".join(path), expr, scope) is not None

    def _merge_states(self, states: list[ResponseState]) -> list[ResponseState]:
        found = list({id(state): state for state in states}.values())
        if len(found) > MAX_STATES:
            self.complete = False
        return found[:MAX_STATES]

    def _after(
        self, effect: Effect, origin: Origin, states: list[ResponseState]
    ) -> list[ResponseState]:
        """The states once a call has done something to the response."""
        found = [after for state in states for after in states_after(state, effect, origin)]
        return self._merge_states(found)

    # ------------------------------------------------------------------ expressions

    def _expr(
        self, expr: object, scope: Scope, states: list[ResponseState], depth: int
    ) -> list[ResponseState]:
        match expr:
            case Choice(options=options):
                after: list[ResponseState] = []
                for option in options:
                    after.extend(self._expr(option, scope, states, depth))
                return self._merge_states(after)
            case Lambda(function=function):
                inner = self.program.function_scope(function, scope)
                return self._states_after_deferred(inner, states, depth)
            case Call():
                return self._call(expr, scope, states, depth)
            case New(args=args) if any(self._is_handed(a.value, scope) for a in args):
                return self._given_away(expr, type_name(expr.type), scope, states)
            case tuple():
                for item in expr:
                    states = self._expr(item, scope, states, depth)
                return states
            case Struct():
                for child in children(expr):
                    if isinstance(child, tuple | Struct):
                        states = self._expr(child, scope, states, depth)
                return states
            case _:
                return states

    def _states_after_deferred(
        self, inner: Scope, states: list[ResponseState], depth: int
    ) -> list[ResponseState]:
        """A function that runs later, or perhaps."""
        open_states, ended = self._block(inner.statements or (), inner, states, depth)
        known = {id(state) for state in states}
        changed = [
            replace(state, later=True) for state in (*open_states, *ended) if id(state) not in known
        ]
        return self._merge_states([*states, *changed])

    def _call(
        self, call: Call, scope: Scope, states: list[ResponseState], depth: int
    ) -> list[ResponseState]:
        links = chain(call)
        before = (
            methods_from_mark(self.program, links.base, scope) if links.base is not call else None
        )
        if before is not None:
            for position, one in enumerate(links.calls):
                states = self._arguments(one, scope, states, depth)
                name = "().".join((*before, *links.names[: position + 1]))
                effect = self.effect_of(self.program, name, one, scope)
                if effect is not None:
                    origin = self.program.origin(one.args[0].value if one.args else one, scope)
                    states = self._after(effect, origin, states)
            return states
        if isinstance(call.callee, Attribute):
            states = self._expr(call.callee.value, scope, states, depth)
        paths = {
            i: methods_from_mark(self.program, a.value, scope) for i, a in enumerate(call.args)
        }
        handed = {i: path for i, path in paths.items() if path is not None and path in _CARRIERS}
        if self.handed_of is not None:
            parts = {i: path for i, path in paths.items() if path is not None}
            effect = self.handed_of(self.program, call, parts, scope) if parts else None
            if effect is not None:
                origin = self.program.origin(call, scope)
                return self._after(effect, origin, states)
        if handed:
            return self._handed_on(call, handed, scope, states, depth)
        return self._arguments(call, scope, states, depth)

    def _arguments(
        self, call: Call, scope: Scope, states: list[ResponseState], depth: int
    ) -> list[ResponseState]:
        for position, argument in enumerate(call.args):
            run: Expr = argument.value
            bound: dict[str, Value] = {}
            if self._is_method_of_response(run, scope):
                why = Reason("given-response", name=method(call))
                bound = {_GIVEN: Unresolved(why, run.span, scope.file.path)}
                run = _lambda_of_reference(run)
            if isinstance(run, Lambda):
                if position == 0:
                    bound |= self._given_later(call, run.function, scope)
                bound = callback_arguments(self.program, call, position, scope) | bound
                inner = self.program.function_scope(run.function, scope, bound)
                states = self._states_after_deferred(inner, states, depth)
            else:
                states = self._expr(argument.value, scope, states, depth)
        return states

    def _given_later(self, call: Call, function: Function, scope: Scope) -> dict[str, Value]:
        """What a lambda is given that is called with what its receiver holds."""
        callee, params = call.callee, function.params
        if (
            not isinstance(callee, Attribute)
            or callee.name not in _LATER
            or len(params) != 1
            or params[0].type is not None
        ):
            return {}
        held = callee.value
        if isinstance(held, Call) and method(held) == "subscribe" and not held.args:
            # Mutiny names the subscriber behind it: `orders.load().subscribe().with(…)`.
            held = getattr(held.callee, "value", held)
        value = value_later(self.program, held, scope)
        return {} if isinstance(value, Unresolved) else {params[0].name: value}

    def _handed_on(
        self,
        call: Call,
        handed: Mapping[int, tuple[str, ...]],
        scope: Scope,
        states: list[ResponseState],
        depth: int,
    ) -> list[ResponseState]:
        """A call that is given the response: what the function does with it counts."""
        function = function_called(self.program, call, scope)
        if (
            function is not None
            and depth < MAX_DEPTH
            and "abstract" not in function.function.modifiers
        ):
            bound = arguments(self.program, function, call, scope)
            specialisations = self.program.evaluator.specialisations
            facts = specialisations.facts_of_call(function, call, scope)
            function = specialisations.with_facts(function, facts)
            return self._function(function, handed, states, depth + 1, bound)
        if self.program.qualified_name(call.callee, scope).endswith(_TESTS):
            return states
        name = getattr(call.callee, "name", "") or getattr(call.callee, "id", "a function")
        return self._given_away(call, name, scope, states)

    def _is_method_of_response(self, expr: Expr, scope: Scope) -> bool:
        """Whether an argument is a reference to a method of the response: `response::send`."""
        if not isinstance(expr, Attribute):
            return False
        path = methods_from_mark(self.program, expr.value, scope)
        if path is None:
            return False
        name = "().".join((*path, expr.name))
        call = Call(callee=expr, args=(Argument(value=expr),), span=expr.span)
        return self.effect_of(self.program, name, call, scope) is not None

    def _is_handed(self, expr: Expr, scope: Scope) -> bool:
        return methods_from_mark(self.program, expr, scope) in _CARRIERS

    def _given_away(
        self, expr: Expr, name: str, scope: Scope, states: list[ResponseState]
    ) -> list[ResponseState]:
        """Something that is not followed is given the response."""
        self.complete = False
        why = Reason("given-response", name=name)
        effect = Effect(unknown=why)
        origin = self.program.origin(expr, scope)
        return self._after(effect, origin, states)


def _lambda_of_reference(reference: Expr) -> Lambda:
    """The function that a reference to a method stands for: `value -> ctx.json(value)`."""
    given = Name(id=_GIVEN, span=reference.span)
    call = Call(callee=reference, args=(Argument(value=given),), span=reference.span)
    body = (Evaluate(value=call, span=reference.span),)
    function = Function(name="", params=(Param(name=_GIVEN),), body=body, span=reference.span)
    return Lambda(function=function, span=reference.span)
