"""What an output says that its role must not do, though it may write it."""

from __future__ import annotations

from contract_scan.roles import layout
from contract_scan.roles.decisions import read_adjudication, read_deployment
from contract_scan.roles.gates import Desk
from contract_scan.roles.key_lines import ArtifactError
from contract_scan.roles.librarian import (
    FileRequestError,
    context_pack,
    read_file_request,
    write_context_pack,
)
from contract_scan.roles.patches import outside_plan, read_patch
from contract_scan.roles.plans import read_plan
from contract_scan.roles.team import (
    DECIDES_SOLUTION,
    DELEGATES_DECISION,
    ROLES,
    WIDENS_SCOPE,
    Prohibition,
)

_CHAIR = frozenset({"chair", ROLES["chair"].title.lower(), "planner"})


def misconduct(desk: Desk, name: str) -> tuple[Prohibition, str] | None:
    """What a file of a run says that it must not, with the words for it. Files that cannot be read
    say nothing: the gates ask for them anew."""
    try:
        if name in (layout.PLAN, layout.PLAN_DRAFT):
            return _delegated_decision(read_plan(desk.text(name), name).decided_by)
        if name == layout.ADJUDICATION:
            return _delegated_decision(read_adjudication(desk.text(name), name).decided_by)
        if name == layout.DEPLOYMENT:
            return _delegated_decision(read_deployment(desk.text(name), name).decided_by)
        if name == layout.PATCH:
            wrong = outside_plan(read_patch(desk.text(name), name), desk.plan())
            return (WIDENS_SCOPE, wrong) if wrong else None
        if name == layout.CONTEXT_PACK:
            return _invented_context(desk)
    except (ArtifactError, FileRequestError):
        return None
    return None


def _delegated_decision(decided_by: str) -> tuple[Prohibition, str] | None:
    if not decided_by or decided_by.lower() in _CHAIR:
        return None
    return DELEGATES_DECISION, f"it says that {decided_by!r:.80} decided"


def _invented_context(desk: Desk) -> tuple[Prohibition, str] | None:
    request = desk.folder.raw(layout.FILE_REQUEST)
    if request is None:
        return DECIDES_SOLUTION, f"it answers no {layout.FILE_REQUEST}"
    pack = context_pack(read_file_request(request), desk.root)
    if desk.text(layout.CONTEXT_PACK) == write_context_pack(pack):
        return None
    return DECIDES_SOLUTION, "it holds something else than the files that were asked for"
