"""Status and content type that are set on a response after it is made.

`response.status_code = 207`: each library names the members in its own way. What is set in a
function that is handed the response, or that made it, counts as well.
"""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.ir.operation import Response
from contract_scan.ir.origin import Origin
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import LibraryResult, RecordEntry
from contract_scan.parsers.source.python.web.common import statuses_of

_STATUS = frozenset({"status_code", "status", "status_int"})
_CONTENT_TYPE = frozenset({"content_type", "mimetype", "media_type", "content-type"})
_ANY = "*/*"


class AssignedMembers(Struct, frozen=True):
    """What is set on a response after it is made."""

    statuses: tuple[tuple[str, Origin], ...] = ()
    """Statuses, each with the place where it is set."""
    keeps_status: bool = True
    """Whether the status that it was made with may be sent."""
    complete: bool = True
    """False where a status that is set is undetermined."""
    content_type: str = ""
    """Empty: none is set; `*/*`: it is undetermined."""


def assigned_members(program: Program, made: LibraryResult) -> AssignedMembers:
    """What statements set on a response that a library has made."""
    found = AssignedMembers()
    for entry in made.assigned:
        if entry.name in _STATUS:
            found = _with_status(found, entry)
        elif entry.name.lower().removeprefix("headers.") in _CONTENT_TYPE:
            found = replace(found, content_type=_content_type(program, entry))
    return found


def _with_status(found: AssignedMembers, entry: RecordEntry) -> AssignedMembers:
    statuses = statuses_of(entry.value)
    places = tuple((status, entry.origin) for status in statuses)
    if entry.optional:
        return replace(
            found, statuses=(*found.statuses, *places), complete=found.complete and bool(statuses)
        )
    return replace(found, statuses=places, keeps_status=False, complete=bool(statuses))


def _content_type(program: Program, entry: RecordEntry) -> str:
    text = None if entry.optional else program.evaluator.text(entry.value)
    return _ANY if text is None else text.partition(";")[0].strip()


def as_answered(
    program: Program, made: LibraryResult, responses: tuple[Response, ...]
) -> tuple[tuple[Response, ...], bool]:
    """The responses that an object sends of which these are known from how it was made, and whether
    all of their statuses are told."""
    if not made.assigned:
        return responses, True
    members = assigned_members(program, made)
    found: list[Response] = list(responses) if members.keeps_status else []
    for response in responses[:1]:
        found.extend(
            replace(
                response,
                status=status,
                bodies=() if status in ("204", "304") else response.bodies,
                explicit_status=True,
                origin=origin,
            )
            for status, origin in members.statuses
        )
    if members.content_type:
        found = [
            replace(
                response,
                bodies=tuple(
                    replace(body, content_type=members.content_type) for body in response.bodies
                ),
            )
            for response in found
        ]
    return tuple(found), members.complete
