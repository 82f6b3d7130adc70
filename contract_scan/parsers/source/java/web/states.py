"""What a handler does to a response, and the response on one path through it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.ir.origin import Origin
from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.parsers.source.analysis.dataflow.reaching_definitions import nested_statements
from contract_scan.parsers.source.analysis.domain.values import OneOf, Unresolved, Value
from contract_scan.parsers.source.facts.nodes import Expr, Name, Return, Statement


class Effect(Struct, frozen=True, eq=False):
    """What one call does to the response."""

    statuses: tuple[str, ...] = ()
    """The statuses that it may set, an empty one where that is undetermined; none: it sets none."""
    body: Value | None = None
    content_type: str = ""
    unknown: Reason = NO_REASON
    """Why what is sent is undetermined."""
    piece: bool = False
    """Whether the body is a piece that is written after others."""
    final: bool = False
    """Whether the response is sent with it: nothing that follows changes it."""
    passed_on: bool = False
    """Whether somebody else answers the request."""


class ResponseState(Struct, frozen=True, eq=False):
    """The response on one path."""

    status: str = ""
    is_status_known: bool = True
    chosen: bool = False
    """Whether the status is one of several that an expression chooses from."""
    body: Value | None = None
    content_type: str = ""
    touched: bool = False
    later: bool = False
    """Whether it was set in a function that runs later, or perhaps."""
    final: bool = False
    passed_on: bool = False
    assigned: Mapping[str, Expr] = {}
    """What variables that are returned hold on the path."""
    origin: Origin | None = None


def returned_names(statements: tuple[Statement, ...]) -> Iterator[str]:
    """Names of the variables that a function returns as they are."""
    for statement in nested_statements(statements):
        match statement:
            case Return(value=Name(id=name)):
                yield name
            case _:
                pass


def states_after(state: ResponseState, effect: Effect, origin: Origin) -> list[ResponseState]:
    """The response once a call has done something to it: one for each status that it may have."""
    if len(effect.statuses) < 2:
        return [_state_after(state, effect, origin)]
    return [
        replace(_state_after(state, replace(effect, statuses=(status,)), origin), chosen=True)
        for status in effect.statuses
    ]


def _state_after(state: ResponseState, effect: Effect, origin: Origin) -> ResponseState:
    if state.final or state.passed_on:
        return state
    if effect.passed_on:
        return replace(state, passed_on=True, touched=True)
    if effect.unknown:
        unknown = Unresolved(effect.unknown, origin.span, origin.path)
        return replace(state, body=unknown, is_status_known=False, touched=True, origin=origin)
    if effect.piece and state.body is not None:
        why = Reason("body-written-in-pieces")
        return replace(state, body=Unresolved(why, origin.span, origin.path), origin=origin)
    status, is_status_known = state.status, state.is_status_known
    for status in effect.statuses:
        is_status_known = bool(status)
    body: Value | None = state.body if effect.body is None else effect.body
    if isinstance(body, OneOf) and (state.chosen or len(effect.statuses) > 1):
        why = Reason("body-of-status-undetermined")
        body = Unresolved(why, origin.span, origin.path)
    return replace(
        state,
        status=status,
        is_status_known=is_status_known,
        body=body,
        content_type=effect.content_type or state.content_type,
        touched=True,
        final=effect.final,
        origin=origin if effect.body is not None or state.origin is None else state.origin,
    )
