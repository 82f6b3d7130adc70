"""Building: milestones in waves, each by the roles that its depth asks for."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from contract_scan.api import SOURCE_SUFFIXES
from contract_scan.clients.mcp import (
    CodebaseIntelligenceClient,
    MCPConnectionError,
    create_codebase_intelligence_session,
)
from contract_scan.errors import ContractScanError
from contract_scan.orchestrator.codebase_map import register_new_artifact
from contract_scan.orchestrator.config import Depth
from contract_scan.orchestrator.execution import ScheduledTask
from contract_scan.orchestrator.execution.files import snapshot
from contract_scan.orchestrator.pipeline.run import BuildError, BuildRun
from contract_scan.orchestrator.plan import (
    MASTER_PLAN_FILE,
    Milestone,
    check_milestone_health,
    count_checkboxes,
    milestone_waves,
    update_master_plan_status,
)
from contract_scan.orchestrator.prompts import build_milestone_execution_prompt
from contract_scan.orchestrator.state import MilestoneStatus
from contract_scan.regular_file import read_regular

ROLES_OF_DEPTH: Final[Mapping[Depth, tuple[str, ...]]] = {
    "quick": ("code-writer",),
    "standard": ("code-writer", "code-reviewer"),
    "thorough": (
        "architect",
        "code-writer",
        "test-engineer",
        "code-reviewer",
        "wiring-verifier",
    ),
    "exhaustive": (
        "architect",
        "code-writer",
        "test-engineer",
        "code-reviewer",
        "wiring-verifier",
    ),
}
"""Who works on a milestone, one after the other."""

SOURCES_FILE: Final = "sources-before.jsonl"
"""Of the folder of a run: the sources that were there before its first milestone."""

_LARGEST_LIST: Final = 200_000_000


async def execute_milestones(run: BuildRun) -> None:
    """Build all milestones that are not complete, in waves, and keep the state after each."""
    complete = {name for name, status in run.state.milestones.items() if status == "COMPLETE"}
    before = _sources_before(run)
    for wave in milestone_waves(run.made_plan, complete):
        ready = [milestone for milestone in wave if _is_ready(run, milestone)]
        for milestone in ready:
            _set_status(run, milestone, "IN_PROGRESS")
        if ready:
            tasks = [task for milestone in ready for task in tasks_of(run, milestone)]
            await run.execute(*tasks)
            for milestone in ready:
                ids = {task.id for task in tasks_of(run, milestone)}
                done = ids <= {*run.state.completed_tasks}
                _set_status(run, milestone, "COMPLETE" if done else "FAILED")
        if before is not None:
            await _register(run, sorted(_sources(run) - before))
        run.save()


def tasks_of(run: BuildRun, milestone: Milestone, suffix: str = "") -> Iterator[ScheduledTask]:
    """The tasks of a milestone, each of which needs the one before it."""
    before: tuple[str, ...] = ()
    for role in ROLES_OF_DEPTH[run.config.depth]:
        identifier = f"{milestone.id}/{role}{suffix}"
        prompt = build_milestone_execution_prompt(
            milestone,
            run.relative(run.requirements_of(milestone)),
            role=role,
            service_name=run.service_name,
            codebase_map=run.codebase_map,
            tech_research_content=run.tech_research,
            contract_context=run.contract_context,
            codebase_index_context=run.codebase_index_context,
            resume_context=run.resume_context,
        )
        yield ScheduledTask(identifier, f"{milestone.title}: {role}", prompt, role, before)
        before = (identifier,)


async def converge(run: BuildRun) -> None:
    """Count the check boxes, and work again on milestones that have too few (REQ-061)."""
    convergence = run.config.convergence
    for number in range(1, convergence.max_recovery_rounds + 1):
        lagging = [*_milestones_behind(run, run.made_plan.milestones)]
        if not lagging:
            break
        tasks = (
            task
            for milestone in lagging
            for task in tasks_of(run, milestone, f"-recovery-{number}")
        )
        await run.execute(*tasks)
    boxes = run.checkboxes()
    run.state.requirements_checked, run.state.requirements_total = boxes.checked, boxes.total


def _milestones_behind(run: BuildRun, milestones: Iterable[Milestone]) -> Iterator[Milestone]:
    for milestone in milestones:
        if run.state.milestones.get(milestone.id) != "COMPLETE":
            continue  # what failed is told, and not tried again behind the user's back
        boxes = count_checkboxes(run.read(run.requirements_of(milestone)))
        health = check_milestone_health(boxes, run.config.convergence.min_convergence_ratio)
        if boxes.total and health.health != "passed":
            yield milestone


def _is_ready(run: BuildRun, milestone: Milestone) -> bool:
    lacking = [
        other for other in milestone.dependencies if run.state.milestones.get(other) != "COMPLETE"
    ]
    if lacking:
        run.note(f"{milestone.id} is not built: it needs {', '.join(lacking)}")
    return not lacking


def _set_status(run: BuildRun, milestone: Milestone, status: MilestoneStatus) -> None:
    run.state.milestones[milestone.id] = status
    path = run.folder / MASTER_PLAN_FILE
    run.write(path, update_master_plan_status(run.read(path), milestone.id, status))


def _sources(run: BuildRun) -> set[str]:
    """The files of the project that the index of the code reads, so that new ones are registered
    there (WIRE-013 names those of three languages)."""
    return {name for name in snapshot(run.project_dir) if name.endswith(SOURCE_SUFFIXES)}


def _sources_before(run: BuildRun) -> frozenset[str] | None:
    """Those that were there before the first milestone, also where the run is resumed amid one;
    None where nothing is registered."""
    config = run.config.codebase_intelligence
    if not (config.enabled and config.register_artifacts):
        return None
    path = run.folder / "runs" / run.state.run_id / SOURCES_FILE
    if not path.is_file():
        run.write(path, "".join(f"{json.dumps(name)}\n" for name in sorted(_sources(run))))
    try:
        lines = read_regular(path, _LARGEST_LIST).splitlines()
        return frozenset(str(json.loads(line)) for line in lines)
    except (OSError, ValueError) as error:
        raise BuildError(
            f"cannot be read: {error}; start anew without --resume", str(path)
        ) from None


async def _register(run: BuildRun, files: Sequence[str]) -> None:
    """Have new files read into the index of the code, each once."""
    config = run.config.codebase_intelligence
    new = [name for name in files if name not in run.state.registered_artifacts]
    if not new:
        return
    try:
        async with create_codebase_intelligence_session(config) as session:
            client = CodebaseIntelligenceClient(session)
            for name in new:
                path = str(run.project_dir / name)
                done = await register_new_artifact(client, path, run.service_name)
                if done.indexed:
                    run.state.registered_artifacts.append(name)
    except (MCPConnectionError, ImportError, ContractScanError) as error:
        run.note(f"New files are not registered: {error}")
