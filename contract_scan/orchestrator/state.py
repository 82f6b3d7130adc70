"""The state of a run: its record, its file, and what agents are told of it when it is resumed."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Literal

import msgspec

from contract_scan.atomic import replace_file
from contract_scan.errors import ContractScanError
from contract_scan.regular_file import read_regular
from contract_scan.reports.markdown_text import code

_MOST: Final = 100
"""Names in one list."""
STATE_FILE: Final = "STATE.json"
_RUN_ID: Final = re.compile(r"(?!\.)[\w.-]{0,200}")
"""A folder has this name, and `STATE.json` may come with a project of somebody else."""
_LARGEST: Final = 50_000_000
_SUCCESSFUL: Final = ("passed", "partial")
Health = Literal["passed", "partial", "failed", "unknown"]
MilestoneStatus = Literal["PENDING", "IN_PROGRESS", "COMPLETE", "FAILED"]


def build_resume_context(state: RunState) -> str:
    """The state of an interrupted run as Markdown for a prompt (REQ-063).

    Ids and paths stand in code spans, and nothing else is quoted.
    """
    return "\n".join(_lines(state)) + "\n"


def _lines(state: RunState) -> Iterator[str]:
    yield "# Resumed run"
    yield ""
    if state.current_stage or not state.completed_stages:
        where = code(state.current_stage) if state.current_stage else "its first stage"
        how = f"The run was interrupted in {where}."
    else:
        how = "Milestones of the run failed, and are built again."
    yield f"{how} What is completed must not be done again."
    if state.completed_stages:
        yield from _list_section("Completed stages", state.completed_stages)
    if state.completed_tasks:
        yield from _list_section("Completed tasks", state.completed_tasks)
    if state.milestones:
        yield from ("", "## Milestones", "")
        yield from (f"- {code(name)}: {status}" for name, status in state.milestones.items())
    if state.contract_report is not None:
        yield from _contract_lines(state.contract_report)
    if state.registered_artifacts:
        yield from _list_section(
            "Registered artifacts (do not register them again)", state.registered_artifacts
        )
    if state.agent_teams_active:
        yield from (
            "",
            "## Agent team",
            "",
            "An agent team was active. Its teammates are lost, and what they had not written.",
        )


def _contract_lines(report: ContractReport) -> Iterator[str]:
    yield from ("", "## Contracts", "")
    yield (
        f"{report.verified_contracts} of {report.total_contracts} verified,"
        f" {report.violated_contracts} violated, {report.missing_implementations} not implemented."
    )
    if report.verified_contract_ids:
        yield from _list_section("Verified contracts", report.verified_contract_ids)
    if report.violated_contract_ids:
        yield from _list_section("Violated contracts", report.violated_contract_ids)


def _list_section(title: str, names: Sequence[str]) -> Iterator[str]:
    yield from ("", f"## {title}", "")
    yield from (f"- {code(name)}" for name in names[:_MOST])
    if len(names) > _MOST:
        yield f"- and {len(names) - _MOST} more"


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


@dataclass
class ContractReport:
    """How the code stands to its contracts (TECH-029)."""

    total_contracts: int = 0
    verified_contracts: int = 0
    violated_contracts: int = 0
    missing_implementations: int = 0
    violations: list[dict[str, Any]] = field(default_factory=list)
    health: Health = "unknown"
    verified_contract_ids: list[str] = field(default_factory=list)
    violated_contract_ids: list[str] = field(default_factory=list)


@dataclass
class EndpointTestReport:
    """What requests to the running endpoints showed (TECH-030)."""

    total_endpoints: int = 0
    tested_endpoints: int = 0
    passed_endpoints: int = 0
    failed_endpoints: int = 0
    untested_contracts: list[str] = field(default_factory=list)
    health: Health = "unknown"


@dataclass
class EndToEndReport:
    """What the end-to-end tests showed."""

    passed: int = 0
    total: int = 0
    health: Health = "unknown"


@dataclass
class RunState:
    """A run, from its requirements to its result (TECH-007, TECH-031)."""

    run_id: str = ""
    requirements_path: str = ""
    """Of the PRD, as it was given."""
    requirements_hash: str = ""
    """SHA-256 of its bytes: a run is resumed for the same requirements only."""
    changed_since: str = ""
    """The commit that the run began at: what agents commit counts as changed. Empty where the
    project had none."""
    depth: str = ""
    started_at: str = ""
    updated_at: str = ""
    completed_stages: list[str] = field(default_factory=list)
    current_stage: str = ""
    """Empty before the first and after the last one."""
    interrupted: bool = False
    milestones: dict[str, MilestoneStatus] = field(default_factory=dict)
    completed_tasks: list[str] = field(default_factory=list)
    failed_tasks: list[str] = field(default_factory=list)
    written_files: list[str] = field(default_factory=list)
    """Files that tasks have written, relative to the project, sorted."""
    total_cost: float = 0.0
    """US dollars, as the agents report."""
    requirements_checked: int = 0
    """Check boxes of requirements that are set."""
    requirements_total: int = 0
    agent_teams_active: bool = False
    contract_report: ContractReport | None = None
    endpoint_test_report: EndpointTestReport | None = None
    e2e_report: EndToEndReport | None = None
    registered_artifacts: list[str] = field(default_factory=list)
    fix_rounds: dict[str, int] = field(default_factory=dict)
    """Name of a loop of fixes -> how often it went round."""
    open_findings: dict[str, int] = field(default_factory=dict)
    """Name of a loop of fixes -> findings that are left."""
    failed_scans: list[str] = field(default_factory=list)
    """Scans that ended in an error, so that nobody knows what they would have found."""
    notes: list[str] = field(default_factory=list)
    """What went otherwise than planned: fallbacks, promises that could not be kept."""
    health: Health = "unknown"
