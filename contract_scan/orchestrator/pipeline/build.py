"""A build from its first stage to its last, interrupted and resumed where it must be."""

from __future__ import annotations

import asyncio
import hashlib
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeVar

from contract_scan.clients import git
from contract_scan.clients.mcp import (
    ArchitectConfig,
    CodebaseIntelligenceConfig,
    ContractEngineConfig,
)
from contract_scan.folder_lock import folder_lock
from contract_scan.orchestrator.config import AgentTeamConfig
from contract_scan.orchestrator.execution import BUILDER_FOLDER, BackendError
from contract_scan.orchestrator.pipeline.checking import CONTRACT_TESTS
from contract_scan.orchestrator.pipeline.milestones import ROLES_OF_DEPTH
from contract_scan.orchestrator.pipeline.run import (
    BuildError,
    BuildObserver,
    BuildRun,
    StageEnded,
    StageSkipped,
    StageStarted,
    current_time,
    read_requirements,
    refuse_outside,
)
from contract_scan.orchestrator.pipeline.stages import STAGES, Stage
from contract_scan.orchestrator.state import (
    STATE_FILE,
    RunState,
    StateError,
    build_resume_context,
    load_state,
)

_MILESTONES = "milestones"
"""The stage that builds them."""

_OFF = "switched off"
_DONE = "completed before"


def build(
    prd: Path,
    config: AgentTeamConfig,
    *,
    project_dir: Path,
    resume: bool = False,
    observe: BuildObserver = lambda _: None,
) -> RunState:
    """Build what requirements ask for, below a project's folder, and give the state at the end.

    With `resume`, go on where the last run was interrupted, for the same requirements; where it
    came to its end, milestones that failed are built again. STATE.json is written after each stage,
    milestone and completed task. An interrupt ends all agents, saves the state and is
    passed on. Raises ContractScanError where a build cannot start or go on.
    """
    if not project_dir.is_dir():
        raise BuildError("is not a folder", str(project_dir))
    folder = project_dir.resolve()
    refuse_outside(folder / BUILDER_FOLDER / STATE_FILE, folder)
    _, requirements_hash = read_requirements(prd)
    if resume and not (folder / BUILDER_FOLDER / STATE_FILE).exists():
        raise BuildError("there is no run to resume; leave out --resume", str(folder))
    with _exclusive_folder(folder / BUILDER_FOLDER):
        run = _start_run(prd, requirements_hash, config, folder, resume=resume, observe=observe)
        return _state_after_run(run)


def _state_after_run(run: BuildRun) -> RunState:
    try:
        asyncio.run(_run_stages(run))
    except BaseException as error:
        run.state.interrupted = True
        with suppress(StateError):  # what stands there was written after the last stage
            run.save()
        if isinstance(error, (BackendError, RuntimeError)):
            raise BuildError(str(error)) from error
        raise
    return run.state


def stages_of(config: AgentTeamConfig) -> Iterator[tuple[Stage, bool]]:
    """All stages in their order, each with whether the configuration has it run."""
    for stage in STAGES:
        yield stage, stage.is_enabled(config)


async def _run_stages(run: BuildRun) -> None:
    completed = {*run.state.completed_stages}
    try:
        for number, (stage, enabled) in enumerate(stages_of(run.config), start=1):
            if stage.name in completed:
                if stage.restore is not None:
                    await stage.restore(run)
                run.observe(StageSkipped(stage.name, stage.title, number, len(STAGES), _DONE))
            elif not enabled:
                run.observe(StageSkipped(stage.name, stage.title, number, len(STAGES), _OFF))
            else:
                run.state.current_stage = stage.name
                run.save()
                run.observe(StageStarted(stage.name, stage.title, number, len(STAGES)))
                await stage.run(run)
                run.state.completed_stages.append(stage.name)
                run.save()
                run.observe(StageEnded(stage.name))
        run.state.current_stage, run.state.interrupted = "", False
    finally:
        # Agents are ended before the state is saved for the last time (REQ-062).
        if run.executor is not None:
            await run.executor.shutdown()
    run.save()


@contextmanager
def _exclusive_folder(folder: Path) -> Iterator[None]:
    """Keep other builds out of the folder. Raises BuildError."""
    with ExitStack() as held:
        try:
            folder.mkdir(parents=True, exist_ok=True)
            is_free = held.enter_context(folder_lock(folder))
        except OSError as error:
            raise BuildError(f"cannot be used: {error.strerror}", str(folder)) from None
        if not is_free:
            raise BuildError(
                "another build is at work here; wait for its end, or look at it with --status",
                str(folder.parent),
            )
        yield


def _start_run(
    prd: Path,
    requirements_hash: str,
    config: AgentTeamConfig,
    folder: Path,
    *,
    resume: bool,
    observe: BuildObserver,
) -> BuildRun:
    before = load_state(folder / BUILDER_FOLDER) if resume else None
    if before is not None:
        if before.requirements_hash not in ("", requirements_hash):
            raise BuildError(
                "has changed since the run was interrupted; start anew without --resume", str(prd)
            )
        state, context = before, build_resume_context(before)
        if not state.current_stage:
            _reopen_failed_milestones(state)
        state.interrupted = False
    else:
        _put_aside(folder)
        state, context = _new_state(prd, requirements_hash, folder), ""
    state.depth = config.depth
    run = BuildRun(folder, prd, servers_in_project(config, folder), state, observe)
    run.resume_context = context
    return run


def _reopen_failed_milestones(state: RunState) -> None:
    """Have milestones that failed in a run that came to its end built again, and whatever follows
    from them done anew. What was completed for them stays completed."""
    left = [name for name, status in state.milestones.items() if status != "COMPLETE"]
    if not left or _MILESTONES not in state.completed_stages:
        return
    del state.completed_stages[state.completed_stages.index(_MILESTONES) :]
    for name in left:
        state.milestones[name] = "PENDING"
    state.completed_tasks = [task for task in state.completed_tasks if _is_kept(task, state)]
    state.failed_tasks.clear()
    state.fix_rounds.clear()
    state.open_findings.clear()
    state.failed_scans.clear()
    state.contract_report = state.endpoint_test_report = state.e2e_report = None


def _is_kept(task: str, state: RunState) -> bool:
    """Whether a task belongs to the plan or to the first work on a milestone, not to what follows
    from it."""
    milestone, _, role = task.partition("/")
    roles = {role for roles in ROLES_OF_DEPTH.values() for role in roles}
    if not role:
        return task != CONTRACT_TESTS
    return milestone in state.milestones and role in roles


def _put_aside(folder: Path) -> None:
    """Keep the state of the run before, whatever it holds, with what else is kept of that run."""
    path = folder / BUILDER_FOLDER / STATE_FILE
    if not path.is_file():
        return
    try:
        before = load_state(path.parent)
    except StateError:
        before = None
    archive = path.parent / "runs" / (before.run_id if before and before.run_id else "unknown")
    try:
        archive.mkdir(parents=True, exist_ok=True)
        path.replace(archive / STATE_FILE)
    except OSError as error:
        raise BuildError(f"cannot be put aside: {error.strerror}", str(path)) from None


def _new_state(prd: Path, requirements_hash: str, project_dir: Path) -> RunState:
    begun = current_time()
    moment = datetime.now(UTC).strftime("%Y%m%d-%H%M%S")
    unique = hashlib.sha256(f"{begun}{prd}{requirements_hash}".encode()).hexdigest()[:6]
    return RunState(
        run_id=f"{moment}-{unique}",
        requirements_path=str(prd),
        requirements_hash=requirements_hash,
        changed_since=git.current_commit(project_dir),
        started_at=begun,
    )


Server = TypeVar("Server", ArchitectConfig, CodebaseIntelligenceConfig, ContractEngineConfig)


def servers_in_project(config: AgentTeamConfig, project_dir: Path) -> AgentTeamConfig:
    """The configuration with those of the three servers located in the project that are our own
    ones (command, arguments and folder as by default)."""
    return replace(
        config,
        architect=_with_location(config.architect, project_dir),
        codebase_intelligence=_with_location(config.codebase_intelligence, project_dir),
        contract_engine=_with_location(config.contract_engine, project_dir),
    )


def _with_location(server: Server, project_dir: Path) -> Server:
    if _start(server) != _start(type(server)()):
        return server
    # The interpreter that runs this has our servers; with -P it imports nothing from the project.
    return replace(
        server,
        mcp_command=sys.executable,
        mcp_args=["-P", *server.mcp_args],
        server_root=str(project_dir),
    )


def _start(
    server: ArchitectConfig | CodebaseIntelligenceConfig | ContractEngineConfig,
) -> tuple[str, list[str], str]:
    return server.mcp_command, server.mcp_args, server.server_root
