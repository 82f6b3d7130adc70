"""What a handler `(request, response) => …` sends and reads: Express, and Nest's `@Res()`."""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.ir.operation import Answers, Body, DeferredAnswers, Parameter, Response
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import FunctionValue, Scope
from contract_scan.parsers.source.facts.nodes import Function
from contract_scan.parsers.source.typescript.web.body_uses import BodyUses
from contract_scan.parsers.source.typescript.web.function_scope import scope_of
from contract_scan.parsers.source.typescript.web.request_augmentation import REQUEST
from contract_scan.parsers.source.typescript.web.request_reads import (
    as_used,
    has_undeclared_body,
    is_only_declared,
)
from contract_scan.parsers.source.typescript.web.requests import RequestReader
from contract_scan.parsers.source.typescript.web.response_calls import ResponseFunction
from contract_scan.parsers.source.typescript.web.response_chains import ResponseChains
from contract_scan.parsers.source.typescript.web.response_envelopes import Envelope
from contract_scan.parsers.source.typescript.web.response_walk import (
    NO_METHODS,
    NOTHING_SET,
    Heads,
    Held,
    ResponseMethods,
    ResponseWalk,
)
from contract_scan.parsers.source.typescript.web.returned_responses import merge_by_status


class HandlerSummary(Struct, frozen=True):
    """What a handler does."""

    answers: DeferredAnswers
    request: tuple[Body, ...] = ()
    parameters: tuple[Parameter, ...] = ()

    @property
    def responses(self) -> tuple[Response, ...]:
        """What it sends."""
        return self.answers.value.responses

    def with_changed_answers(self, change: Callable[[Answers], Answers]) -> HandlerSummary:
        """The same with other answers."""
        return replace(self, answers=self.answers.map(change))


NO_ANSWERS = DeferredAnswers(lambda: Answers((), statuses_complete=False))
"""Of a handler that is not seen to send anything."""


def read_handler(
    program: Program,
    handler: FunctionValue,
    *,
    request: int | None = 0,
    response: int | None = 1,
    default_status: str = "200",
    returns: bool = False,
    envelope: Envelope | None = None,
    status_first: bool = False,
    uses: BodyUses | None = None,
    senders: tuple[ResponseFunction, ...] = (),
    before: Heads = NOTHING_SET,
    methods: ResponseMethods = NO_METHODS,
) -> HandlerSummary:
    """What a handler sends and reads; `request` and `response` are positions of parameters. With
    `returns`, what the handler returns is sent too (Fastify), in an `envelope` if there is one;
    with `status_first`, what is sent first may be the status (Restify). With `uses`, which has
    read the functions before it, what is read of a body without a declared type is noted there
    only. `senders` are functions of the library that are given the response to send with; `before`
    is what is set on the response when the handler is called, `methods` what the project puts on
    it."""
    requests = RequestReader(program)
    scope = scope_of(program, handler)

    def answers() -> Answers:
        sending = ResponseChains(program, default_status, status_first=status_first)
        main = handler if returns else None
        walk = ResponseWalk(program, sending, senders, main, envelope, methods)
        inside = _with_request(scope, handler.function, request)
        held = _followed_names(handler.function, response, request is not None)
        walk.function(handler, inside, held, before)
        return Answers(
            tuple(merge_by_status(sending.sites)),
            walk.complete and sending.complete,
            walk.undetermined_at or sending.undetermined_at,
            sending.responses_without_status() if walk.complete else (),
        )

    requests.handler(handler, scope, request)
    bodies = requests.bodies()
    by_use = has_undeclared_body(bodies) or is_only_declared(bodies)
    if request is not None and (uses is not None or by_use):
        seen = uses or BodyUses(program)
        seen.handler(handler, scope, request)
        bodies = bodies if uses is not None else as_used(bodies, seen)
    return HandlerSummary(
        answers=DeferredAnswers(answers),
        request=bodies,
        parameters=requests.parameters(),
    )


def sends(program: Program, function: FunctionValue) -> bool:
    """Whether a function sends something by a response, its second parameter, or hands it to
    something that may."""
    held = _followed_names(function.function, 1, is_followed=False)
    sending = ResponseChains(program, "")
    walk = ResponseWalk(program, sending)
    walk.function(function, scope_of(program, function), held, NOTHING_SET)
    return bool(sending.sites) or not (walk.complete and sending.complete)


def _with_request(scope: Scope, function: Function, position: int | None) -> Scope:
    """Inside a handler, what stands for its request known where its type is not declared."""
    parameter = function.params[position : position + 1] if position is not None else ()
    if not parameter or parameter[0].type is not None or not parameter[0].name:
        return scope
    return replace(scope, bindings={**scope.bindings, parameter[0].name: REQUEST})


def _followed_names(function: Function, position: int | None, is_followed: bool) -> Held:
    """The names of a handler's response, and of what calls the handlers behind it: where it
    `is_followed`, the parameter after the response."""
    if position is None or position >= len(function.params):
        return Held(frozenset())
    names = [parameter.name for parameter in function.params[position : position + 2]]
    names = names if is_followed else names[:1]
    return Held(frozenset(names[:1]) - {""}, frozenset(names[1:]) - {""})


def heads_handed_on(
    program: Program, function: FunctionValue, before: Heads = NOTHING_SET
) -> Heads:
    """What is set on the response when a function `(request, response, next)` calls the handlers
    behind it; where it has no `next`, when it returns. `before` is what is set when it is
    called."""
    walk = ResponseWalk(program, ResponseChains(program, ""))
    held = _followed_names(function.function, 1, is_followed=True)
    left = walk.function(function, scope_of(program, function), held, before)
    return (walk.handed_on if held.following else left) or before


def heads_left(program: Program, function: FunctionValue, response: int) -> Heads:
    """What is set on the response, a parameter at a position, when a function returns."""
    walk = ResponseWalk(program, ResponseChains(program, ""))
    held = _followed_names(function.function, response, is_followed=False)
    return walk.function(function, scope_of(program, function), held, NOTHING_SET)
