"""What controllers and results of minimal APIs answer in place of a body that is null: see
`null_bodies`."""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.ir.origin import Origin
from contract_scan.ir.schema import with_nullable
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.span_order import encloses
from contract_scan.parsers.source.analysis.domain.values import FunctionValue, Scope
from contract_scan.parsers.source.csharp.resolution.null_tests import has_asked_receiver
from contract_scan.parsers.source.csharp.web.null_bodies import behind_checks, receiver_nullness
from contract_scan.parsers.source.csharp.web.nullness import (
    Nullness,
    answers_null_without_content,
    join_nullness,
)
from contract_scan.parsers.source.csharp.web.outcomes import BranchResult, Handler
from contract_scan.parsers.source.facts.nodes import Call

_OPEN = frozenset({Nullness.NEVER, Nullness.UNDETERMINED})


class AnswersToNull(Struct, frozen=True):
    """The answers of an action, with those that null gets."""

    found: list[BranchResult]
    undetermined: Origin | None = None
    """Where the first body stands that may be null, or may not."""


def returned_at(
    program: Program, function: FunctionValue, outcome: BranchResult, place: Origin, scope: Scope
) -> BranchResult:
    """An answer that a handler returns at a place."""
    origin, nullness = outcome.origin, outcome.nullness
    is_own = origin.path == place.path and encloses(function.function.span, origin.span)
    if not is_own:
        nullness = behind_checks(program, nullness, scope, place.span)
    return replace(outcome, nullness=nullness, returned_at=place)


def answers_to_null(
    program: Program, outcomes: list[BranchResult], *, is_changed: bool
) -> AnswersToNull:
    """The answers with 204 beside, or in place of, 200 where the body may be null; with null as a
    body where the application has no formatter that says 204. With `is_changed`, filters may look
    for null themselves."""
    without_content = answers_null_without_content(program)
    found: list[BranchResult] = []
    undetermined: Origin | None = None
    for one in outcomes:
        if one.status != "200" or one.nullness is Nullness.NEVER or one.keeps_status_of_null:
            found.append(one)
            continue
        proved = one.nullness not in _OPEN
        place = one.returned_at if one.returned_at.path else one.origin
        if not without_content:
            schema = one.schema and with_nullable(one.schema, True if proved else None)
            found.append(replace(one, schema=schema))
        elif is_changed or not proved:
            undetermined = undetermined or place
            found.append(one)
        else:
            if one.nullness is not Nullness.ALWAYS:
                found.append(one)
            found.append(BranchResult(status="204", origin=place))
    return AnswersToNull(found, undetermined)


def with_empty_bodies(outcomes: list[BranchResult]) -> list[BranchResult]:
    """The answers with one without a body beside each, or in its place, of which the status stays
    where the value is null. Results of minimal APIs write nothing then
    (https://github.com/dotnet/aspnetcore: src/Shared/HttpResultsHelper.cs)."""
    found: list[BranchResult] = []
    for one in outcomes:
        proved = one.keeps_status_of_null and one.nullness not in _OPEN
        if not proved or one.nullness is not Nullness.ALWAYS:
            found.append(one)
        if proved:
            place = one.returned_at if one.returned_at.path else one.origin
            found.append(BranchResult(status=one.status, origin=place))
    return found


def without_null(found: list[BranchResult] | None) -> list[BranchResult] | None:
    """Answers of which the code has made sure that their bodies are not null."""
    return found and [replace(one, nullness=Nullness.NEVER) for one in found]


def with_asked_receivers(
    handler: Handler, found: list[BranchResult] | None, call: Call, scope: Scope
) -> list[BranchResult] | None:
    """The answers of a call, which are null where a receiver is that `?.` asks for."""
    if not found or not handler.asks_for_null or not has_asked_receiver(call.callee):
        return found
    asked = receiver_nullness(handler.program, call.callee, scope)
    return [replace(one, nullness=join_nullness((one.nullness, asked))) for one in found]
