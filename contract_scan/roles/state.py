"""What the driver of gates remembers of a run: `run.json`, and one line in `events.jsonl` for each
thing that happened."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, Literal, TypeAlias

import msgspec
from msgspec import Struct

from contract_scan.errors import UsageError
from contract_scan.roles import layout
from contract_scan.roles.run_folder import RunFolder
from contract_scan.roles.team import RoleName, Step

SCHEMA_VERSION: Final = "contract-scan-run-v1"
RUN_ID: Final = re.compile(r"[a-z0-9][a-z0-9-]{0,63}")

Ending: TypeAlias = Literal["", "done", "rejected", "budget_exceeded"]


class Limits(Struct, frozen=True, kw_only=True):
    """When a run stops by itself."""

    max_iterations: int = 3
    """Verifications."""
    max_review_rounds: int = 3
    max_outbox_prompts: int = 20
    verify_seconds: float = 1800.0


class Reviewed(Struct, frozen=True):
    """A review, and the draft that it is about."""

    review: str
    draft: str
    """Hashes, both."""


class Snapshot(Struct, frozen=True):
    """What was there when the driver looked last, by path."""

    run: Mapping[str, str] = {}
    """Files of the run."""
    repository: Mapping[str, str] = {}
    """What is not committed, branches, and the settings of git."""


class RunState(Struct, frozen=True, kw_only=True):
    """A run as it stands."""

    schema_version: Literal["contract-scan-run-v1"] = SCHEMA_VERSION
    run_id: str
    goal: str
    base: str
    """The commit that patches are written for."""
    verify: tuple[str, ...]
    """The command that verifies."""
    limits: Limits = Limits()
    step: Step = "analysis"
    on_turn: tuple[RoleName, ...] = ("chair",)
    """Who may have written since the driver looked last."""
    is_driven: bool = False
    """Whether the driver is at work; where it is not, it was killed before it could say so."""
    ending: Ending = ""
    reason: str = ""
    """Why it ended."""
    made: Mapping[str, str] = {}
    """What the driver's own helpers wrote last, by path: hashes."""
    packed_request: str = ""
    """The hash of the request that the context pack answers."""
    review_round: int = 1
    reviews: Mapping[str, Reviewed] = {}
    """By the path of the review."""
    signature: str = ""
    """The hash of the plan as it was signed."""
    iteration: int = 0
    """Verifications that were made."""
    failed_patches: tuple[str, ...] = ()
    passed_patch: str = ""
    """The hash of the patch that passed."""
    breaches: int = 0
    """How many there were."""
    open_breaches: Mapping[str, str] = {}
    """What was done to the repository and is not put back: paths, with what is there."""
    snapshot: Snapshot = Snapshot()


def load_state(folder: RunFolder) -> RunState:
    """The state of a run. Raises UsageError where there is none, or it is damaged."""
    place = folder.path / layout.STATE
    if not folder.path.is_dir():
        raise UsageError(f"there is no run `{folder.run_id:.80}`", str(folder.path.parent))
    raw = folder.raw(layout.STATE)
    if raw is None:
        raise UsageError("is not there; the folder holds no run", str(place))
    try:
        return msgspec.json.decode(raw, type=RunState)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"is no state of a run: {error}", str(place)) from None


def save_state(folder: RunFolder, state: RunState) -> None:
    """Write the state of a run. Raises UsageError where that fails."""
    folder.write(layout.STATE, msgspec.json.format(msgspec.json.encode(state), indent=2) + b"\n")


def note_event(folder: RunFolder, role: str, event: str, path: str = "") -> None:
    """Add a line to the events of a run. Raises UsageError where that fails."""
    time = datetime.now(UTC).isoformat(timespec="seconds")
    line = {"ts": time, "role": role, "event": event, "path": path}
    before = folder.raw(layout.EVENTS) or b""
    folder.write(layout.EVENTS, before + msgspec.json.encode(line) + b"\n")


def runs_of(root: Path) -> Path:
    """The folder of all runs of a repository. Raises UsageError where a link leads there."""
    at = root
    for part in Path(layout.RUNS).parts:
        at /= part
        if at.is_symlink():
            raise UsageError("is a link; runs are kept in a folder", str(at))
    return at
