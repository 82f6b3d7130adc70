"""One way in which a handler ends: a status and a body, and the statuses that values stand for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec import Struct

from contract_scan.ir.origin import Origin
from contract_scan.ir.reasons import Reason
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    Constant,
    LibraryResult,
    OneOf,
    Unresolved,
    Value,
)
from contract_scan.parsers.source.web import status_names

_MOST_STATUSES = 12
"""How many statuses code chooses among; of more, an enum has them, and they come from elsewhere."""


class BranchResult(Struct, frozen=True, eq=False):
    """One way in which a handler ends."""

    status: str = ""
    """Empty: the framework's default."""
    body: Value | None = None
    """None: there is no body."""
    is_status_known: bool = True
    """Whether the status is known at all."""
    origin: Origin | None = None
    content_type: str = ""
    """Empty: what the handler declares."""
    null_given: bool = False
    """Whether there is no body since what is given for one is null here."""


def undetermined_status(outcomes: Iterable[BranchResult]) -> Origin | None:
    """The first place of which the status is undetermined."""
    return next((one.origin for one in outcomes if one.origin and not one.is_status_known), None)


def status_of(program: Program, value: Value | None) -> str | None:
    """The status that a number or a constant such as `HttpStatus.CREATED` stands for."""
    match value:
        case Constant(is_default=True):
            return None
        case Constant(value=int(number)) if not isinstance(number, bool):
            return str(number)
        case None:
            return None
        case LibraryResult(name=name, site=site, scope=scope) if site.args and (
            name.endswith((".valueOf", ".fromStatusCode", ".resolve"))
        ):
            return status_of(program, program.evaluate(site.args[0].value, scope))
        case LibraryResult(receiver=receiver) if receiver is not None:
            return status_of(program, receiver)
        case _:
            simple = program.evaluator.qualified_name(value).rpartition(".")[2]
            return status_named(simple)


def statuses_of(program: Program, value: Value | None) -> tuple[str, ...]:
    """The statuses that a value may stand for, one for each option; an empty one where it is
    undetermined."""
    options = value.options if isinstance(value, OneOf) else (value,)
    found = tuple(dict.fromkeys(status_of(program, option) or "" for option in options))
    return found if len(found) <= _MOST_STATUSES else ("",)


def with_statuses(
    program: Program, status: Value | None, body: Value | None, content_type: str = ""
) -> Iterator[BranchResult]:
    """The outcomes of a response whose status is a value, one for each that it may be. Problem
    details describe errors (RFC 9457), so an undetermined status of theirs is no success."""
    statuses = statuses_of(program, status)
    if "problem+" in content_type:
        statuses = tuple(filter(None, statuses))
    if body is not None and (len(statuses) > 1) and _varies(statuses, body):
        body = Unresolved(Reason("body-of-status-undetermined"))
    for one in statuses:
        yield BranchResult(one, body, is_status_known=bool(one), content_type=content_type)


def _varies(statuses: tuple[str, ...], body: Value) -> bool:
    """Whether the body may be another one with each of several statuses: that of an error beside
    that of a success, or what is chosen as the status is."""
    return isinstance(body, OneOf) or len({one[:1] for one in statuses}) > 1


def status_named(name: str) -> str | None:
    """The number of a status constant."""
    name = name.removeprefix("SC_")
    before, _, number = name.rpartition("_")
    if before and len(number) == 3 and number.isdigit():
        return number  # `NO_CONTENT_204` of Helidon
    return status_names.status_named(name)
