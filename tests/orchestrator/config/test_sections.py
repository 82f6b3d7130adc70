"""The defaults of every key."""

from __future__ import annotations

from dataclasses import asdict

import pytest

from contract_scan.clients.mcp import (
    ArchitectConfig,
    CodebaseIntelligenceConfig,
    ContractEngineConfig,
)
from contract_scan.orchestrator.config import (
    AgentTeamConfig,
    AgentTeamsConfig,
    ContractScanConfig,
    all_keys,
    load_config,
)


@pytest.mark.requirement("TECH-005", "TEST-012", "INT-006")
def test_defaults_of_agent_teams() -> None:
    assert asdict(AgentTeamsConfig()) == {
        "enabled": False,
        "fallback_to_cli": True,
        "interactive": False,
        "delegate_mode": True,
        "max_teammates": 5,
        "teammate_model": "",
        "teammate_permission_mode": "acceptEdits",
        "teammate_idle_timeout": 300,
        "task_completed_hook": True,
        "wave_timeout_seconds": 3600,
        "task_timeout_seconds": 1800,
        "teammate_display_mode": "in-process",
        "contract_limit": 100,
    }


@pytest.mark.requirement("TECH-037", "TEST-061")
def test_all_contract_scans_are_on_by_default() -> None:
    assert asdict(ContractScanConfig()) == {
        "endpoint_schema_scan": True,
        "missing_endpoint_scan": True,
        "event_schema_scan": True,
        "shared_model_scan": True,
    }


@pytest.mark.requirement("TECH-006", "TECH-016", "TECH-026", "TECH-038", "INT-006", "TEST-070")
def test_without_a_file_nothing_new_is_enabled() -> None:
    config, user_overrides = load_config()
    assert user_overrides == set()
    assert config.agent_teams == AgentTeamsConfig()
    assert config.contract_engine == ContractEngineConfig()
    assert config.codebase_intelligence == CodebaseIntelligenceConfig()
    assert config.architect == ArchitectConfig()
    assert config.contract_scans == ContractScanConfig()
    assert [
        key.name for key in all_keys() if key.name.endswith(".enabled") and key.default is True
    ] == ["codebase_map.enabled", "verification.enabled"]


def test_every_leaf_of_the_configuration_is_a_key() -> None:
    def leaves(values: dict[str, object], prefix: str = "") -> dict[str, object]:
        found: dict[str, object] = {}
        for name, value in values.items():
            if isinstance(value, dict) and name != "mcp_servers":
                found |= leaves(value, f"{prefix}{name}.")
            else:
                found[prefix + name] = value
        return found

    assert {key.name: key.default for key in all_keys()} == leaves(asdict(AgentTeamConfig()))
