"""The stage that tells a team of agents of the project: by CLAUDE.md, and by hooks that hold it to
what it is told."""

from __future__ import annotations

from typing import Any

from contract_scan.counted import counted
from contract_scan.orchestrator.agent_files.claude_md import (
    check_teammate_claude_md,
    write_teammate_claude_md,
)
from contract_scan.orchestrator.agent_files.hooks import (
    HookConfig,
    forget_sessions,
    generate_hooks_config,
    settings_with_hooks,
    unresolved_promises,
    write_hooks_to_project,
)
from contract_scan.orchestrator.application import detect_app_type
from contract_scan.orchestrator.pipeline.milestones import ROLES_OF_DEPTH
from contract_scan.orchestrator.pipeline.run import BuildRun
from contract_scan.orchestrator.service_contracts import ServiceContract


def check_agent_files(run: BuildRun) -> None:
    """Raise the ContractScanError that would end the stage where a team works, as long as no agent
    has cost anything."""
    if _has_team(run):
        check_teammate_claude_md(run.project_dir, ROLES_OF_DEPTH[run.config.depth])
        settings_with_hooks(_hooks(run), run.project_dir)


async def prepare_agent_files(run: BuildRun) -> None:
    """Write both where a team works (REQ-056, WIRE-002, WIRE-010): agents that work one by one are
    told all in their prompts. Raises ContractScanError where files of the user are in the way."""
    if not _has_team(run):
        return
    forget_sessions(run.project_dir)
    await restore_agent_files(run)


async def restore_agent_files(run: BuildRun) -> None:
    """The same for a resumed run, which keeps what the hooks have noted."""
    if not _has_team(run):
        return
    contracts = [_row(contract) for contract in run.registry.contracts.values()]
    for role in ROLES_OF_DEPTH[run.config.depth]:
        write_teammate_claude_md(
            run.project_dir,
            role,
            run.service_name,
            run.config,
            contracts,
            run.workplace.servers,
            tech_stack=_technology(run),
        )
    write_hooks_to_project(_hooks(run), run.project_dir)


def note_unresolved_promises(run: BuildRun) -> bool:
    """Write into the state which agents stopped although their code broke a promise, and say
    whether there are any."""
    unresolved = unresolved_promises(run.project_dir)
    for session, said in unresolved.items():
        lines = counted(len(said.splitlines()), "line")
        run.note(
            f"The agent of the session {session} stopped with broken promises after its hook had"
            f" refused as often as it may; its last report has {lines}"
        )
    return bool(unresolved)


def _has_team(run: BuildRun) -> bool:
    return run.executor is not None and run.executor.state.mode == "agent_teams"


def _hooks(run: BuildRun) -> HookConfig:
    return generate_hooks_config(run.config, run.project_dir, changed_since=run.state.changed_since)


def _technology(run: BuildRun) -> str:
    """What the project is built on by its own files, and what was found out about it."""
    app = detect_app_type(run.project_dir)
    sides = (("Servers", app.backend_frameworks), ("User interfaces", app.frontend_frameworks))
    lines = [f"{side}: {', '.join(names)}" for side, names in sides if names]
    return "\n".join([*lines, run.tech_research]).strip()


def _row(contract: ServiceContract) -> dict[str, Any]:
    return {
        "id": contract.contract_id,
        "type": contract.contract_type,
        "version": contract.version,
        "service_name": contract.provider_service,
    }
