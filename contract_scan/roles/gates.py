"""The gates of a run, one after the other: each is open when an artifact is there and valid.

Nothing is decided here. The first gate that is closed says where a run stands and who has to hand
in what.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Final, Literal, TypeAlias

from msgspec import Struct

from contract_scan.clients.git_patches import patch_problem
from contract_scan.roles import layout
from contract_scan.roles.decisions import (
    Review,
    read_adjudication,
    read_deployment,
    read_review,
)
from contract_scan.roles.key_lines import ArtifactError
from contract_scan.roles.librarian import FileRequestError, read_file_request
from contract_scan.roles.patches import outside_plan, read_patch
from contract_scan.roles.plans import Plan, is_signed_form, read_plan
from contract_scan.roles.run_folder import RunFolder
from contract_scan.roles.state import RunState
from contract_scan.roles.team import RoleName, Step

Supplier: TypeAlias = RoleName | Literal["resolver"]

REVIEWS: Final[tuple[tuple[str, RoleName], ...]] = (
    (layout.CONTRACT_REVIEW, "contract_guardian"),
    (layout.COST_REVIEW, "cost_controller"),
)


class Desk:
    """The artifacts of a run, and its state."""

    def __init__(self, root: Path, folder: RunFolder, state: RunState) -> None:
        self.root = root
        self.folder = folder
        self.state = state

    def text(self, name: str) -> str:
        """The text of an artifact. Raises ArtifactError where there is none."""
        text = self.folder.text(name)
        if text is None:
            raise ArtifactError("is not there", name)
        if not text.strip():
            raise ArtifactError("is empty", name)
        return text

    def plan(self) -> Plan:
        """The signed plan. Raises ArtifactError where there is none."""
        return read_plan(self.text(layout.PLAN), layout.PLAN)

    def review(self, name: str) -> Review:
        """A review of the draft as it is. Raises ArtifactError where there is none."""
        return read_review(self.text(name), name)


class Gate(Struct, frozen=True):
    """A condition of going on."""

    step: Step
    supplier: Supplier
    """Who has to see to it."""
    target: str
    """The artifact that it is about."""
    check: Callable[[Desk], None]
    """Raises ArtifactError while it is closed."""


class ClosedGate(Struct, frozen=True):
    """Where a run stands."""

    gate: Gate
    step: Step
    reason: str
    is_absent: bool
    """Whether nothing has been handed in yet."""


def first_closed(desk: Desk) -> ClosedGate | None:
    """The first gate that is closed; None where all are open."""
    found = (_closed_gate(desk, gate) for gate in GATES)
    return next((one for one in found if one is not None), None)


def closed_reviews(desk: Desk) -> list[ClosedGate]:
    """The gates of reviews that are closed."""
    found = (_closed_gate(desk, gate) for gate in GATES if gate.target in dict(REVIEWS))
    return [one for one in found if one is not None]


def check_signature(desk: Desk) -> None:
    """Raises ArtifactError where the plan is no longer the one that was signed."""
    signature = desk.state.signature
    if signature and desk.folder.hash_of(layout.PLAN) != signature:
        raise ArtifactError(f"is not what was signed ({signature:.12})", layout.PLAN)


def blocking_reviews(desk: Desk) -> list[str]:
    """The reviews of this round that block the draft."""
    return [name for name, _ in REVIEWS if desk.review(name).verdict == "BLOCK"]


def _closed_gate(desk: Desk, gate: Gate) -> ClosedGate | None:
    try:
        gate.check(desk)
    except ArtifactError as error:
        is_fix = gate.step == "build" and desk.state.failed_patches
        absent = not (desk.folder.path / gate.target).exists()
        return ClosedGate(gate, "fix" if is_fix else gate.step, str(error), absent)
    return None


# What each gate asks


def _analysis(desk: Desk) -> None:
    desk.text(layout.ANALYSIS)


def _find_result(desk: Desk) -> None:
    made = desk.state.made.get(layout.FIND_RESULT)
    if not made or desk.folder.hash_of(layout.FIND_RESULT) != made:
        raise ArtifactError("is not the result of the resolver", layout.FIND_RESULT)


def _file_request(desk: Desk) -> None:
    raw = desk.folder.raw(layout.FILE_REQUEST)
    if raw is not None:
        try:
            read_file_request(raw, layout.FILE_REQUEST)
        except FileRequestError as error:
            raise ArtifactError(error.message, error.path) from None


def _context_pack(desk: Desk) -> None:
    request = desk.folder.hash_of(layout.FILE_REQUEST)
    made = desk.state.made.get(layout.CONTEXT_PACK)
    if request and (
        desk.state.packed_request != request or desk.folder.hash_of(layout.CONTEXT_PACK) != made
    ):
        raise ArtifactError(f"does not answer {layout.FILE_REQUEST}", layout.CONTEXT_PACK)


def _draft(desk: Desk) -> None:
    draft = read_plan(desk.text(layout.PLAN_DRAFT), layout.PLAN_DRAFT)
    if draft.is_signed:
        raise ArtifactError(f"is a draft; the signed plan is {layout.PLAN}", layout.PLAN_DRAFT)


def _review_check(name: str) -> Callable[[Desk], None]:
    def check(desk: Desk) -> None:
        desk.review(name)

    return check


def _check_adjudication(desk: Desk) -> None:
    if blocking_reviews(desk):
        read_adjudication(desk.text(layout.ADJUDICATION), layout.ADJUDICATION)


def _check_signature(desk: Desk) -> None:
    blocking = [] if desk.state.signature else blocking_reviews(desk)
    if blocking:
        raise ArtifactError(f"cannot be signed: {', '.join(blocking)} blocks it", layout.PLAN)
    if not desk.plan().is_signed:
        raise ArtifactError("must say `Status: SIGNED`", layout.PLAN)
    if not is_signed_form(desk.text(layout.PLAN), desk.text(layout.PLAN_DRAFT)):
        message = f"must be {layout.PLAN_DRAFT}, which was reviewed, but for its status"
        raise ArtifactError(message, layout.PLAN)
    check_signature(desk)


def _patch(desk: Desk) -> None:
    text = desk.text(layout.PATCH)
    patch = read_patch(text, layout.PATCH)
    wrong = outside_plan(patch, desk.plan())
    if wrong:
        raise ArtifactError(wrong, layout.PATCH)
    if desk.folder.hash_of(layout.PATCH) in desk.state.failed_patches:
        raise ArtifactError("is a patch that failed", layout.PATCH)
    wrong = patch_problem(desk.root, desk.state.base, desk.folder.path / layout.PATCH)
    if wrong:
        raise ArtifactError(f"cannot be applied to {desk.state.base:.12}: {wrong}", layout.PATCH)


def _check_verification(desk: Desk) -> None:
    passed = desk.state.passed_patch
    if not passed or passed != desk.folder.hash_of(layout.PATCH):
        raise ArtifactError("does not say that the patch passes", layout.REPORT)
    if desk.folder.hash_of(layout.REPORT) != desk.state.made.get(layout.REPORT):
        raise ArtifactError("is not what the verifier wrote", layout.REPORT)


def _check_deployment_decision(desk: Desk) -> None:
    read_deployment(desk.text(layout.DEPLOYMENT), layout.DEPLOYMENT)


def _check_deployment(desk: Desk) -> None:
    if not desk.state.ending:
        raise ArtifactError("is not applied to the repository yet", layout.PATCH)


GATES: Final = (
    Gate("analysis", "chair", layout.ANALYSIS, _analysis),
    Gate("analysis", "resolver", layout.FIND_RESULT, _find_result),
    Gate("analysis", "chair", layout.FILE_REQUEST, _file_request),
    Gate("analysis", "librarian", layout.CONTEXT_PACK, _context_pack),
    Gate("plan", "chair", layout.PLAN_DRAFT, _draft),
    *(Gate("plan", role, name, _review_check(name)) for name, role in REVIEWS),
    Gate("plan", "chair", layout.ADJUDICATION, _check_adjudication),
    Gate("plan", "chair", layout.PLAN, _check_signature),
    Gate("build", "patchmaker", layout.PATCH, _patch),
    Gate("verify", "verifier", layout.REPORT, _check_verification),
    Gate("deploy", "chair", layout.DEPLOYMENT, _check_deployment_decision),
    Gate("deploy", "orchestrator", layout.PATCH, _check_deployment),
)
"""In their order."""
