"""The configuration of a build: sections, their file, and what a depth makes of them.

    config, user_overrides = load_config(Path(".agent-team/config.yaml"))
    config = apply_depth_quality_gating(config.depth, config, user_overrides)

There is one record for each section of the file, with its defaults. Names and defaults of
`agent_teams`, `contract_engine`, `codebase_intelligence` and `contract_scans` are those of the
builder's requirements (TECH-005, TECH-015, TECH-025, TECH-037).
A field's type says what its value may be; `load_config` checks values against it. Plain integers
are at least 1.
"""

from __future__ import annotations

import dataclasses
import os
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated, Any, Final, Literal, get_args, get_origin, get_type_hints

import msgspec
import yaml
from msgspec import Meta

from contract_scan.clients.mcp import (
    ArchitectConfig,
    CodebaseIntelligenceConfig,
    ContractEngineConfig,
)
from contract_scan.errors import ConfigurationError
from contract_scan.yaml_document import YamlDocument, read_yaml_document

AGENT_TEAMS_VARIABLE: Final = "CLAUDE_CODE_EXPERIMENTAL_AGENT_TEAMS"
"""Agent teams are enabled by depth only where this is `1`."""

FEATURES_OFF: Final[Mapping[str, bool]] = {
    "agent_teams.enabled": False,
    "contract_engine.enabled": False,
    "contract_engine.test_generation": False,
    "codebase_intelligence.enabled": False,
    "codebase_intelligence.replace_static_map": False,
    "codebase_intelligence.register_artifacts": False,
    "architect.enabled": False,
    "contract_scans.endpoint_schema_scan": False,
    "contract_scans.missing_endpoint_scan": False,
    "contract_scans.event_schema_scan": False,
    "contract_scans.shared_model_scan": False,
}
"""The plain pipeline: no MCP server, no hook, no contract scan."""

_STANDARD: Final[Mapping[str, bool]] = {
    **FEATURES_OFF,
    "contract_engine.enabled": True,
    "contract_engine.validation_on_build": True,
    "codebase_intelligence.enabled": True,
    "architect.enabled": True,
    "contract_scans.endpoint_schema_scan": True,
    "contract_scans.missing_endpoint_scan": True,
}
_THOROUGH: Final[Mapping[str, bool]] = {
    **dict.fromkeys(FEATURES_OFF, True),
    "contract_engine.validation_on_build": True,
}

DEPTH_SETTINGS: Final[Mapping[Depth, Mapping[str, bool]]] = {
    "quick": FEATURES_OFF,
    "standard": _STANDARD,
    "thorough": _THOROUGH,
    "exhaustive": _THOROUGH,
}
"""The table of the builder's requirements: key -> value. The Architect, of which it says nothing
(INT-003 wants it where requirements are planned), is on where other servers are."""
_Place = Callable[[str], tuple[str, int]]
"""Key -> path and line of the file it stands in."""

_POSITIVE: Final = Annotated[int, msgspec.Meta(ge=1)]
_KINDS: Final[tuple[tuple[type, str], ...]] = (
    (bool, "true or false"),
    (int, "a whole number"),
    (float, "a number"),
    (str, "a text"),
    (list, "a list of texts"),
    (dict, "a mapping"),
)
_BOUND: Final = re.compile(r"^Expected `\w+` (<=|>=) ([\d.]+)")
Depth = Literal["quick", "standard", "thorough", "exhaustive"]
"""How much a build does besides writing code."""

AgentName = Literal["claude", "codex", "aider"]
"""The agent command lines that can run tasks."""

PermissionMode = Literal["acceptEdits", "auto", "bypassPermissions", "dontAsk", "manual", "plan"]
"""What an agent may do without asking; the names are Claude Code's."""

_DisplayMode = Literal["in-process", "tmux", "split"]
"""Where teammates show up; `split` is passed to Claude Code as `iterm2`, which splits panes."""

_Ratio = Annotated[float, Meta(ge=0, le=1)]
_Count = Annotated[int, Meta(ge=0)]
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
    teammate_display_mode: _DisplayMode = "in-process"
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

    min_convergence_ratio: _Ratio = 0.9
    """The part of the requirements that has to be checked off."""
    max_fix_rounds: _Count = 3
    """How often one loop of fixes goes round before what is left is reported."""
    max_recovery_rounds: _Count = 1
    """How often a milestone below the ratio is worked on again."""


@dataclass(frozen=True)
class TrackingDocumentsConfig:
    """The documents that a build keeps in `.agent-team/`."""

    e2e_coverage_matrix: bool = True
    fix_cycle_log: bool = True
    contract_compliance_matrix: bool = True


@dataclass(frozen=True)
class _Switch:
    """A part that is either there or not, off by default."""

    enabled: bool = False


@dataclass(frozen=True)
class _SwitchOn:
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
    codebase_map: _SwitchOn = field(default_factory=_SwitchOn)
    tech_research: _Switch = field(default_factory=_Switch)
    e2e_testing: _Switch = field(default_factory=_Switch)
    browser_testing: _Switch = field(default_factory=_Switch)
    verification: _SwitchOn = field(default_factory=_SwitchOn)


def apply_depth_quality_gating(
    depth: Depth,
    config: AgentTeamConfig,
    user_overrides: Collection[str],
    environment: Mapping[str, str] = os.environ,
) -> AgentTeamConfig:
    """The configuration as a depth has it; keys in `user_overrides` keep their values."""
    settings = dict(DEPTH_SETTINGS[depth])
    if environment.get(AGENT_TEAMS_VARIABLE) != "1":
        settings["agent_teams.enabled"] = False
    chosen = {key: value for key, value in settings.items() if key not in user_overrides}
    return with_values(replace(config, depth=depth), chosen)


def without_features(config: AgentTeamConfig) -> AgentTeamConfig:
    """The configuration with every feature off, whatever the user's file says."""
    return with_values(config, FEATURES_OFF)


def with_values(config: AgentTeamConfig, values: Mapping[str, object]) -> AgentTeamConfig:
    """The configuration with other values for some keys (`agent_teams.enabled`)."""
    for key, value in values.items():
        section, _, name = key.rpartition(".")
        changes: dict[str, Any] = {name: value}
        if section:
            changes = {section: replace(getattr(config, section), **changes)}
        config = replace(config, **changes)
    return config


@dataclasses.dataclass(frozen=True)
class Key:
    """One thing that can be configured."""

    name: str
    """With its section: `agent_teams.enabled`."""
    type: Any
    """The annotation of the field."""
    default: object


def load_config(path: Path | None = None) -> tuple[AgentTeamConfig, set[str]]:
    """Read a configuration file; without one, the defaults.

    Gives the configuration as written, before any depth is applied, and the keys that the file
    sets (`agent_teams.enabled`). Raises ConfigurationError, with the line, for a file that cannot
    be read, is no YAML, has an unknown key or a value of another type than the key takes.
    """
    if path is None:
        return _dict_to_config({})
    document = read_yaml_document(path)
    return _dict_to_config(document.values, _line_of_key(document))


def _line_of_key(document: YamlDocument) -> _Place:
    return lambda key: (document.path, document.line(key))


def _no_line(_: str) -> tuple[str, int]:
    return "", 0


def _dict_to_config(
    values: Mapping[Any, Any], place: _Place = _no_line
) -> tuple[AgentTeamConfig, set[str]]:
    """The configuration that plain values describe, and the keys that they set.

    Sections and keys that are missing have their defaults. Raises ConfigurationError.
    """
    user_overrides: set[str] = set()
    return _record(AgentTeamConfig, values, "", place, user_overrides), user_overrides


def _record(
    kind: type[Any], values: Mapping[Any, Any], prefix: str, place: _Place, found: set[str]
) -> Any:
    hints = get_type_hints(kind, include_extras=True)
    changes: dict[str, Any] = {}
    for key, value in values.items():
        name = f"{prefix}{key}"
        if not isinstance(key, str) or key not in hints:
            raise _unknown_key_error(str(key), name, hints, place)
        hint = hints[key]
        if not dataclasses.is_dataclass(hint):
            changes[key] = _value(hint, value, name, place)
            found.add(name)
        elif isinstance(value, Mapping):
            changes[key] = _record(_class(hint), value, f"{name}.", place, found)
        elif value is not None:
            raise ConfigurationError(f"`{name}` takes keys with values", *place(name))
    return kind(**changes)


def _class(hint: Any) -> type[Any]:
    assert isinstance(hint, type)
    return hint


def _unknown_key_error(
    key: str, name: str, known: Mapping[str, object], place: _Place
) -> ConfigurationError:
    close = get_close_matches(key, known, n=1)
    prefix = name[: len(name) - len(key)]
    advice = f"did you mean `{prefix}{close[0]}`?" if close else f"known: {', '.join(known)}"
    return ConfigurationError(f"unknown key `{name}`; {advice}", *place(name))


def _value(hint: Any, value: object, name: str, place: _Place) -> Any:
    try:
        return msgspec.convert(value, _POSITIVE if hint is int else hint)
    except msgspec.ValidationError as error:
        raise ConfigurationError(
            f"`{name}` must be {_allowed_values(hint, str(error))}, not {_value_in_words(value)}",
            *place(name),
        ) from None


def _allowed_values(hint: Any, complaint: str) -> str:
    if get_origin(hint) is Literal:
        return f"one of {', '.join(map(str, get_args(hint)))}"
    plain = get_args(hint)[0] if get_origin(hint) is Annotated else hint
    kind = get_origin(plain) or plain
    described = dict(_KINDS)[kind]
    bound = _BOUND.match(complaint)
    if bound is None:
        return described
    return (
        f"{described} of at {'most' if bound[1] == '<=' else 'least'} {bound[2].removesuffix('.0')}"
    )


def _value_in_words(value: object) -> str:
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return str(value)
    if isinstance(value, str):
        return f"the text `{value if len(value) <= 40 else value[:39] + '…'}`"
    return "a mapping" if isinstance(value, Mapping) else "a list"


def all_keys(kind: type[Any] = AgentTeamConfig, prefix: str = "") -> Iterator[Key]:
    """Every key of the configuration, in the order of the records."""
    default = kind()
    for name, hint in get_type_hints(kind, include_extras=True).items():
        if dataclasses.is_dataclass(hint):
            yield from all_keys(_class(hint), f"{prefix}{name}.")
        else:
            yield Key(f"{prefix}{name}", hint, getattr(default, name))


_PROGRAM_KEYS: Final = frozenset(
    {
        "agent.command",
        "agent.permission_mode",
        "agent_teams.teammate_permission_mode",
        "mcp_servers",
        *(
            f"{server}.{name}"
            for server in ("architect", "codebase_intelligence", "contract_engine")
            for name in ("mcp_args", "mcp_command", "server_root")
        ),
    }
)
"""Keys that decide which programs are started, and what agents may do without asking."""


def load_found_config(path: Path) -> tuple[AgentTeamConfig, set[str]]:
    """Read a file that lies in the project rather than one that the user has named.

    Whoever wrote the project must not decide which programs are started: keys that do so are
    refused. Raises ConfigurationError.
    """
    document = read_yaml_document(path)
    config, user_overrides = _dict_to_config(document.values, _line_of_key(document))
    for key in sorted(user_overrides & _PROGRAM_KEYS):
        raise ConfigurationError(
            f"`{key}` is taken only from a file that is named with --build-config",
            *_line_of_key(document)(key),
        )
    return config, user_overrides


def config_as_yaml(config: AgentTeamConfig) -> str:
    """The whole configuration as a file that `load_config` reads."""
    text: str = yaml.safe_dump(dataclasses.asdict(config), sort_keys=False, allow_unicode=True)
    return text
