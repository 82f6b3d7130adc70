"""The stages of a build, in their order (INT-011)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Final, TypeAlias

from contract_scan.orchestrator.config import AgentTeamConfig
from contract_scan.orchestrator.pipeline import agent_files, checking, milestones, preparing
from contract_scan.orchestrator.pipeline.loops import SCAN_LOOPS
from contract_scan.orchestrator.pipeline.run import BuildRun

Step: TypeAlias = Callable[[BuildRun], Awaitable[None]]


def _is_always_enabled(_: AgentTeamConfig) -> bool:
    return True


def _asks_servers(config: AgentTeamConfig) -> bool:
    return config.contract_engine.enabled or config.codebase_intelligence.enabled


@dataclass(frozen=True)
class Stage:
    """One stage."""

    name: str
    title: str
    run: Step
    is_enabled: Callable[[AgentTeamConfig], bool] = _is_always_enabled
    restore: Step | None = None
    """Where a resumed run had completed the stage: gets back what it had found out."""


STAGES: Final[tuple[Stage, ...]] = (
    Stage("requirements", "Read the requirements", preparing.read_prd, restore=preparing.read_prd),
    Stage("backend", "Find the agents", preparing.choose_backend, restore=preparing.choose_backend),
    Stage(
        "codebase_map",
        "Map the code that is there",
        preparing.map_codebase,
        lambda config: config.codebase_map.enabled,
        preparing.restore_codebase_map,
    ),
    Stage(
        "contracts",
        "Load the contracts",
        preparing.load_contracts,
        _asks_servers,
        preparing.restore_contracts,
    ),
    Stage(
        "tech_research",
        "Research technologies",
        preparing.research_technology,
        lambda config: config.tech_research.enabled,
        preparing.restore_tech_research,
    ),
    Stage("plan", "Plan milestones", preparing.decompose, restore=preparing.restore_plan),
    Stage(
        "agent_files",
        "Tell the team of the project",
        agent_files.prepare_agent_files,
        lambda config: config.agent_teams.enabled,
        agent_files.restore_agent_files,
    ),
    Stage("milestones", "Build milestones", milestones.execute_milestones),
    Stage("convergence", "Count requirements", milestones.converge),
    Stage(
        "scan_scope", "Find what changed", checking.compute_scope, restore=checking.compute_scope
    ),
    Stage(
        "scans",
        "Scan and fix",
        checking.run_scans,
        lambda config: any(loop.is_enabled(config) for loop in SCAN_LOOPS),
        checking.count_contracts,
    ),
    Stage(
        "end_to_end",
        "Test end to end",
        checking.run_end_to_end,
        lambda config: config.e2e_testing.enabled or checking.tests_contracts(config),
    ),
    Stage(
        "browser",
        "Test in a browser",
        checking.run_browser,
        lambda config: config.browser_testing.enabled,
    ),
    Stage("verification", "Verify", checking.verify, lambda config: config.verification.enabled),
    Stage(
        "documents",
        "Write documents",
        checking.write_documents,
        lambda config: any(vars(config.tracking_documents).values()),
    ),
)
