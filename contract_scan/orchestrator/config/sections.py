"""What can be configured of a build: one record for each section of the file, with its defaults.

Names and defaults of `agent_teams`, `contract_engine`, `codebase_intelligence` and
`contract_scans` are those of the builder's requirements (TECH-005, TECH-015, TECH-025, TECH-037).
A field's type says what its value may be; `reading.py` checks values against it. Plain integers
are at least 1.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

from msgspec import Meta

from contract_scan.clients.mcp import (
    ArchitectConfig,
    CodebaseIntelligenceConfig,
    ContractEngineConfig,
)

Depth = Literal["quick", "standard", "thorough", "exhaustive"]
"""How much a build does besides writing code."""

AgentName = Literal["claude", "codex", "aider"]
"""The agent command lines that can run tasks."""

PermissionMode = Literal["acceptEdits", "auto", "bypassPermissions", "dontAsk", "manual", "plan"]
"""What an agent may do without asking; the names are Claude Code's."""

DisplayMode = Literal["in-process", "tmux", "split"]
"""Where teammates show up; `split` is passed to Claude Code as `iterm2`, which splits panes."""

Ratio = Annotated[float, Meta(ge=0, le=1)]
Count = Annotated[int, Meta(ge=0)]
"""A number that may be zero."""


@dataclass(frozen=True)
class AgentTeamsConfig:
    """Claude Code Agent Teams: one lead process for each wave of tasks."""

    enabled: bool = False
    fallback_to_cli: bool = True
    """Run with one process for each task where a team cannot be formed or breaks."""
    interactive: bool = False
    """Run leads in terminals of their own, where Claude Code forms teams, rather than in its print
    mode, where it forms none."""
    delegate_mode: bool = True
    """The lead coordinates only: it gets no tool that writes files or runs commands."""
    max_teammates: int = 5
    """Workers at a time."""
    teammate_model: str = ""
    """Empty: that of the lead."""
    teammate_permission_mode: PermissionMode = "acceptEdits"
    teammate_idle_timeout: int = 300
    """Seconds without any event of a worker after which its task has timed out."""
    task_completed_hook: bool = True
    """Have an agent verify requirements before a task counts as completed."""
    wave_timeout_seconds: int = 3600
    task_timeout_seconds: int = 1800
    teammate_display_mode: DisplayMode = "in-process"
    contract_limit: int = 100
    """The most contracts that CLAUDE.md lists."""


@dataclass(frozen=True)
class ContractScanConfig:
    """The scans that compare code with contracts."""

    endpoint_schema_scan: bool = True
    """CONTRACT-001."""
    missing_endpoint_scan: bool = True
    """CONTRACT-002."""
    event_schema_scan: bool = True
    """CONTRACT-003."""
    shared_model_scan: bool = True
    """CONTRACT-004."""


@dataclass(frozen=True)
class AgentConfig:
    """The command line of the agent that writes code."""

    name: AgentName = "claude"
    command: str = ""
    """Another executable than the one of that name on the PATH."""
    model: str = ""
    """Empty: the agent's own choice."""
    permission_mode: PermissionMode = "acceptEdits"
    parallel_tasks: int = 1
    """Tasks of a wave that run at the same time, each in a process of its own."""
    task_timeout_seconds: int = 1800
    max_cost_usd: Annotated[float, Meta(ge=0)] = 0.0
    """Start no further task once the run has cost as much; 0: no limit."""


@dataclass(frozen=True)
class QualityScanConfig:
    """The scans after the last milestone other than those of contracts.

    The API contract scan is contract-scan itself on the service tables of the requirements. Each
    of the others is a review by an agent against one fixed standard, and costs a run of a model.
    """

    mock_data: bool = False
    ui_compliance: bool = False
    deployment: bool = False
    asset: bool = False
    prd_reconciliation: bool = False
    dual_orm: bool = False
    default_value: bool = False
    relationship: bool = False
    api_contract: bool = True
    sdl: bool = False
    xref: bool = False


@dataclass(frozen=True)
class ConvergenceConfig:
    """When a build counts as done."""

    min_convergence_ratio: Ratio = 0.9
    """The part of the requirements that has to be checked off."""
    max_fix_rounds: Count = 3
    """How often one loop of fixes goes round before what is left is reported."""
    max_recovery_rounds: Count = 1
    """How often a milestone below the ratio is worked on again."""


@dataclass(frozen=True)
class TrackingDocumentsConfig:
    """The documents that a build keeps in `.agent-team/`."""

    e2e_coverage_matrix: bool = True
    fix_cycle_log: bool = True
    contract_compliance_matrix: bool = True


@dataclass(frozen=True)
class Switch:
    """A part that is either there or not, off by default."""

    enabled: bool = False


@dataclass(frozen=True)
class SwitchOn:
    """A part that is either there or not, on by default."""

    enabled: bool = True


@dataclass(frozen=True)
class AgentTeamConfig:
    """The whole configuration of a build."""

    depth: Depth = "standard"
    scan_scope_mode: Literal["full", "changed"] = "full"
    """`changed`: scans report what is in files that the build changed; they read all."""
    mcp_servers: dict[str, dict[str, Any]] = field(default_factory=dict)
    """Further MCP servers for agents, by name, in the form of Claude Code's `mcpServers`."""
    agent: AgentConfig = field(default_factory=AgentConfig)
    agent_teams: AgentTeamsConfig = field(default_factory=AgentTeamsConfig)
    contract_engine: ContractEngineConfig = field(default_factory=ContractEngineConfig)
    codebase_intelligence: CodebaseIntelligenceConfig = field(
        default_factory=CodebaseIntelligenceConfig
    )
    architect: ArchitectConfig = field(default_factory=ArchitectConfig)
    contract_scans: ContractScanConfig = field(default_factory=ContractScanConfig)
    quality_scans: QualityScanConfig = field(default_factory=QualityScanConfig)
    convergence: ConvergenceConfig = field(default_factory=ConvergenceConfig)
    tracking_documents: TrackingDocumentsConfig = field(default_factory=TrackingDocumentsConfig)
    codebase_map: SwitchOn = field(default_factory=SwitchOn)
    tech_research: Switch = field(default_factory=Switch)
    e2e_testing: Switch = field(default_factory=Switch)
    browser_testing: Switch = field(default_factory=Switch)
    verification: SwitchOn = field(default_factory=SwitchOn)
