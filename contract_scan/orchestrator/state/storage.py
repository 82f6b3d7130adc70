"""STATE.json: what is known of a run, kept so that it can be resumed and read by other programs."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, Final

import msgspec

from contract_scan.atomic import replace_file
from contract_scan.errors import ContractScanError
from contract_scan.orchestrator.state.records import RunState
from contract_scan.regular_file import read_regular

STATE_FILE: Final = "STATE.json"
_RUN_ID: Final = re.compile(r"(?!\.)[\w.-]{0,200}")
"""A folder has this name, and `STATE.json` may come with a project of somebody else."""
_LARGEST: Final = 50_000_000
_SUCCESSFUL: Final = ("passed", "partial")


class StateError(ContractScanError):
    """The state of a run cannot be read or written."""


def convergence_ratio(state: RunState) -> float:
    """The part of the requirements that is checked off; 0 where there are none."""
    if state.requirements_total == 0:
        return 0.0
    return state.requirements_checked / state.requirements_total


def summary_of(state: RunState) -> dict[str, Any]:
    """What the program that started the build wants to know of it (TECH-031)."""
    tests = state.e2e_report
    return {
        "success": state.health in _SUCCESSFUL,
        "test_passed": tests.passed if tests else 0,
        "test_total": tests.total if tests else 0,
        "convergence_ratio": convergence_ratio(state),
    }


def as_plain_values(record: object) -> Any:
    """Records (dataclasses, and the engine's structures) as dictionaries, lists and scalars: the
    one way in which they get into JSON."""
    return msgspec.to_builtins(record)


def save_state(state: RunState, directory: Path) -> Path:
    """Write STATE.json into a directory, whole or not at all, and say where it is.

    Makes the directory. Raises StateError; what was there before is then still there.
    """
    path = directory / STATE_FILE
    values = {"summary": summary_of(state), **as_plain_values(state)}
    text = json.dumps(values, indent=2, ensure_ascii=False)
    try:
        directory.mkdir(parents=True, exist_ok=True)
        replace_file(path, f"{text}\n".encode("utf-8", "surrogatepass"))
    except OSError as error:
        raise StateError(f"cannot be written: {error.strerror}", str(path)) from None
    return path


def load_state(directory: Path) -> RunState | None:
    """Read STATE.json of a directory; None where there is none.

    Keys that are not known are left out, keys that are missing have their defaults, so that
    states of other versions can be read. Raises StateError for a file that is no such state.
    """
    path = directory / STATE_FILE
    try:
        raw = read_regular(path, _LARGEST + 1)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise StateError(f"cannot be read: {error.strerror}", str(path)) from None
    if len(raw) > _LARGEST:
        raise StateError("is too large for the state of a run", str(path))
    try:
        state = msgspec.json.decode(raw, type=RunState)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        raise StateError(
            f"is not the state of a run ({error}); move it away to start anew", str(path)
        ) from None
    if not _RUN_ID.fullmatch(state.run_id):
        raise StateError(
            "has no name of a folder as `run_id`; move it away to start anew", str(path)
        )
    return state
