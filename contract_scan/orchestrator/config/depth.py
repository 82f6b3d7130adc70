"""What a depth switches on and off, unless the user's file says otherwise (TECH-044)."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any, Final

from contract_scan.orchestrator.config.sections import AgentTeamConfig, Depth

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
