"""Statuses that handlers and dependencies set on the response that FastAPI gives them.

`response.status_code = 207` counts for everything that is returned but a response that the handler
makes itself. https://fastapi.tiangolo.com/advanced/response-change-status-code/
"""

from __future__ import annotations

from msgspec import Struct

from contract_scan.ir.origin import NO_SPAN, Origin, Span
from contract_scan.parsers.source.analysis.dataflow import reaching_definitions
from contract_scan.parsers.source.analysis.domain.effects import Mutation
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import FunctionValue, Scope, origin_at
from contract_scan.parsers.source.facts.nodes import Call, Name
from contract_scan.parsers.source.python.web.common import statuses_of

_DEEPEST = 5
"""How deep calls of helpers that are handed the response are followed."""


class InjectedResponse(Struct, frozen=True, eq=False):
    """A parameter that the framework gives the response."""

    function: FunctionValue
    name: str


class CurrentStatuses(Struct, frozen=True):
    """The statuses that a response may have at a place, each with where it is set."""

    places: dict[str, Origin]
    undetermined_at: Origin | None = None
    """Where a status is set that is not known; None: all are known."""

    def together(self, other: CurrentStatuses) -> CurrentStatuses:
        """Those of either."""
        return CurrentStatuses(
            other.places | self.places, self.undetermined_at or other.undetermined_at
        )


def statuses_at(
    program: Program,
    injected: InjectedResponse,
    use: Span,
    before: CurrentStatuses,
    depth: int = 0,
) -> CurrentStatuses | None:
    """The statuses at a place of a function (`NO_SPAN`: its end), of a response that has others
    `before` it runs; None where nothing leads there."""
    function = injected.function
    scope = program.function_scope(function.function, function.scope)
    state = reaching_definitions.parameter_state(scope.statements or (), injected.name, use)
    found: CurrentStatuses | None = None
    for definition in state:
        current = before
        if definition.statement is reaching_definitions.HANDED:
            for mutation in definition.mutations:
                current = _statuses_after(program, mutation, scope, injected.name, current, depth)
        found = current if found is None else found.together(current)
    return found


def statuses_after(
    program: Program, injected: InjectedResponse, before: CurrentStatuses, depth: int = 0
) -> CurrentStatuses:
    """The statuses after a function has returned, by whichever of its returns."""
    returned = [one.span for one in program.function_exits(injected.function) if not one.thrown]
    found: CurrentStatuses | None = None
    for span in (*returned, NO_SPAN):
        current = statuses_at(program, injected, span, before, depth)
        if current is not None:
            found = current if found is None else found.together(current)
    return before if found is None else found


def _statuses_after(
    program: Program,
    mutation: Mutation,
    scope: Scope,
    name: str,
    before: CurrentStatuses,
    depth: int,
) -> CurrentStatuses:
    if mutation.kind == "pass":
        after = _after_call(program, mutation, scope, name, before, depth)
    elif mutation.key == "status_code" and not mutation.path:
        given = mutation.value
        statuses = () if given is None else statuses_of(program.evaluate(given, scope))
        place = origin_at(scope, mutation.span)
        after = CurrentStatuses(dict.fromkeys(statuses, place), None if statuses else place)
    else:
        return before
    return before.together(after) if mutation.conditional else after


def _after_call(
    program: Program,
    mutation: Mutation,
    scope: Scope,
    name: str,
    before: CurrentStatuses,
    depth: int,
) -> CurrentStatuses:
    """The statuses after a function that is handed the response has run."""
    call = mutation.value
    if not isinstance(call, Call) or depth > _DEEPEST:
        return before
    callee = program.function_value(call.callee, scope)
    if callee is None:
        return before
    parameters = [p.name for p in callee.function.params if p.name not in ("self", "cls")]
    for position, argument in enumerate(call.args):
        if not isinstance(argument.value, Name) or argument.value.id != name:
            continue
        parameter = argument.name or (parameters[position : position + 1] or [""])[0]
        if parameter:
            inner = InjectedResponse(callee, parameter)
            return statuses_after(program, inner, before, depth + 1)
    return before
