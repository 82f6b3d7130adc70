"""One build, while it runs: what it was given, what it has found out, and its state."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, TypeAlias

from contract_scan.atomic import replace_file
from contract_scan.clients.mcp import get_contract_aware_servers, get_mcp_servers
from contract_scan.compliance import ScanScope
from contract_scan.config.confinement import is_confined
from contract_scan.errors import ContractScanError
from contract_scan.orchestrator.config import AgentTeamConfig
from contract_scan.orchestrator.contract_results import ContractScanResults
from contract_scan.orchestrator.execution import (
    BUILDER_FOLDER,
    CostAdded,
    CostBudget,
    ExecutionWave,
    Progress,
    ProgressWarning,
    ScheduledTask,
    TaskEnded,
    TaskResult,
    WaveExecutor,
    WaveResult,
    Workplace,
)
from contract_scan.orchestrator.plan import Checkboxes, MasterPlan, Milestone, count_checkboxes
from contract_scan.orchestrator.scans import compute_changed_files
from contract_scan.orchestrator.service_contracts import ServiceContractRegistry
from contract_scan.orchestrator.state import RunState, StateError, save_state
from contract_scan.regular_file import read_regular

_LARGEST: Final = 5_000_000
"""Bytes of a document that is read."""


class BuildError(ContractScanError):
    """A build cannot go on."""


@dataclass(frozen=True)
class StageStarted:
    """A stage begins."""

    name: str
    title: str
    number: int
    total: int


@dataclass(frozen=True)
class StageEnded:
    """A stage is over, and the state is written."""

    name: str


@dataclass(frozen=True)
class StageSkipped:
    """A stage is off, or was completed before the run was resumed."""

    name: str
    title: str
    number: int
    total: int
    why: str


@dataclass(frozen=True)
class FindingsCounted:
    """A loop of fixes has looked at what is left."""

    loop: str
    round: int
    findings: int


BuildProgress: TypeAlias = Progress | StageStarted | StageEnded | StageSkipped | FindingsCounted
BuildObserver: TypeAlias = Callable[[BuildProgress], None]


@dataclass
class BuildRun:
    """What the stages of one build share."""

    project_dir: Path
    prd: Path
    config: AgentTeamConfig
    state: RunState
    observe: BuildObserver
    prd_text: str = ""
    plan: MasterPlan | None = None
    registry: ServiceContractRegistry = field(default_factory=ServiceContractRegistry)
    codebase_map: str = ""
    contract_context: str = ""
    codebase_index_context: str = ""
    tech_research: str = ""
    resume_context: str = ""
    scope: ScanScope | None = None
    results: ContractScanResults = field(default_factory=ContractScanResults)
    executor: WaveExecutor | None = None
    waves: int = 0
    executing: set[str] = field(default_factory=set)
    """Ids of the tasks of the wave that is executed, each of which is done once in a run."""

    def __post_init__(self) -> None:
        """Agents work in the project, with the servers of the configuration."""
        self.workplace = Workplace(
            self.project_dir,
            run_id=self.state.run_id,
            servers=self._servers(),
            spending=CostBudget(self.state.total_cost, self.config.agent.max_cost_usd),
            observe=self.record_progress,
        )

    def _servers(self) -> Mapping[str, Mapping[str, Any]]:
        """The MCP servers of agents (WIRE-009)."""
        config = self.config
        if config.contract_engine.enabled or config.codebase_intelligence.enabled:
            return get_contract_aware_servers(config)
        return get_mcp_servers(config)

    @property
    def service_name(self) -> str:
        """The name under which contracts and the index of the code know the project: that of its
        folder."""
        return self.project_dir.name

    @property
    def made_plan(self) -> MasterPlan:
        """The plan, once it is made."""
        assert self.plan is not None
        return self.plan

    @property
    def folder(self) -> Path:
        """The builder's folder of the project."""
        return self.project_dir / BUILDER_FOLDER

    def record_progress(self, progress: Progress) -> None:
        """Take something that backends tell into account, and pass it on."""
        match progress:
            case CostAdded():
                self.state.total_cost += progress.usd
            case ProgressWarning() if progress.message not in self.state.notes:
                # A stage that a resumed run begins anew, or restores, notes the same again.
                self.state.notes.append(progress.message)
            case TaskEnded(result) if result.task_id in self.executing:
                self._keep_completed(result)
        self.observe(progress)

    def _keep_completed(self, result: TaskResult) -> None:
        """What is completed stays so, whatever becomes of the rest of its wave."""
        if result.status == "completed":
            self._count(result)
            with suppress(StateError):  # it is written again after the wave
                self.save()

    def note(self, message: str) -> None:
        """Write down that something went otherwise than planned."""
        self.record_progress(ProgressWarning(message))

    def count_scan(self, name: str, *, failed: bool) -> None:
        """Remember whether a scan ended in an error, until it ends without one."""
        others = [other for other in self.state.failed_scans if other != name]
        self.state.failed_scans = [*others, name] if failed else others

    def save(self) -> None:
        """Write STATE.json. Raises StateError."""
        self.state.updated_at = current_time()
        self.state.agent_teams_active = (
            self.executor is not None
            and self.executor.state.mode == "agent_teams"
            and self.state.current_stage != ""
        )
        save_state(self.state, self.folder)

    async def execute(self, *tasks: ScheduledTask) -> WaveResult:
        """Execute tasks as one wave, less those that are completed already, count them, and save
        the state. Raises StateError."""
        todo = tuple(task for task in tasks if task.id not in self.state.completed_tasks)
        if not todo:
            return WaveResult(self.waves, [], all_succeeded=True)
        self.executing = {task.id for task in todo}
        try:
            result = await self._execute(todo)
        finally:
            self.executing = set()
        for done in result.task_results:
            self._count(done)
        self.save()
        return result

    async def ask(self, task: ScheduledTask) -> TaskResult:
        """Execute a task whose answer matters rather than what it does: each time anew."""
        result = await self._execute((task,))
        return result.task_results[0]

    async def _execute(self, tasks: tuple[ScheduledTask, ...]) -> WaveResult:
        assert self.executor is not None
        self.waves += 1
        return await self.executor.execute_wave(ExecutionWave(self.waves, tasks))

    def _count(self, done: TaskResult) -> None:
        self.add_written([*done.files_created, *done.files_modified])
        completed = done.status == "completed"
        ends = self.state.completed_tasks if completed else self.state.failed_tasks
        if done.task_id not in ends:
            ends.append(done.task_id)
        if completed and done.task_id in self.state.failed_tasks:
            self.state.failed_tasks.remove(done.task_id)
        if not completed:
            self.note(f"{done.task_id}: {done.status}: {done.error}")

    def add_written(self, files: Iterable[str]) -> None:
        """Remember that files were written, relative to the project."""
        self.state.written_files = sorted({*self.state.written_files, *files})

    def update_scope(self) -> None:
        """Find out which files scans report on: what has changed up to now."""
        self.scope = compute_changed_files(
            self.project_dir,
            self.config.scan_scope_mode,
            self.state.written_files,
            changed_since=self.state.changed_since,
        )

    # Documents

    def requirements_of(self, milestone: Milestone) -> Path:
        """The file in which a milestone's check boxes are set."""
        return self.folder / "milestones" / milestone.id / "REQUIREMENTS.md"

    def checkboxes(self) -> Checkboxes:
        """Those of all milestones."""
        milestones = self.plan.milestones if self.plan is not None else ()
        texts = (self.read(self.requirements_of(milestone)) for milestone in milestones)
        return sum(map(count_checkboxes, texts), Checkboxes())

    def read(self, path: Path) -> str:
        """A document of the builder's; empty where there is none that could be read."""
        try:
            return read_regular(path, _LARGEST).decode("utf-8", "replace")
        except OSError:
            return ""

    def write(self, path: Path, text: str) -> None:
        """Write a document, whole or not at all. Raises BuildError, also where a link leads out of
        the project."""
        refuse_outside(path, self.project_dir)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            replace_file(path, text.encode("utf-8", "surrogatepass"))
        except OSError as error:
            raise BuildError(f"cannot be written: {error.strerror}", str(path)) from None

    def relative(self, path: Path) -> str:
        """A path as agents are told it."""
        return Path(os.path.relpath(path, self.project_dir)).as_posix()


def refuse_outside(path: Path, project_dir: Path) -> None:
    """Raise BuildError where a path, with the links in it, leads out of the project: whoever wrote
    the project may have put them there."""
    if not is_confined(path, Path(os.path.realpath(project_dir))):
        raise BuildError("lies outside of the project; nothing is written there", str(path))


def current_time() -> str:
    """The time, for the state."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def read_requirements(prd: Path) -> tuple[str, str]:
    """The text of a requirements document, and the hash of its bytes. Raises BuildError."""
    try:
        raw = read_regular(prd, _LARGEST + 1)
    except OSError as error:
        raise BuildError(f"cannot be read: {error.strerror}", str(prd)) from None
    if len(raw) > _LARGEST:
        raise BuildError(f"is larger than {_LARGEST // 1_000_000} MB; split it", str(prd))
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise BuildError("is not UTF-8; save it as UTF-8", str(prd), line) from None
    if not text.strip():
        raise BuildError("is empty; write down what is to be built", str(prd))
    return text, hashlib.sha256(raw).hexdigest()
