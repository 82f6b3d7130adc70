"""What a depth switches on and off."""

from __future__ import annotations

import pytest

from contract_scan.orchestrator.config import (
    AGENT_TEAMS_VARIABLE,
    AgentTeamConfig,
    Depth,
    all_keys,
    apply_depth_quality_gating,
    with_values,
    without_features,
)

WITH_TEAMS = {AGENT_TEAMS_VARIABLE: "1"}

KEYS = (
    "agent_teams.enabled",
    "contract_engine.enabled",
    "contract_engine.validation_on_build",
    "contract_engine.test_generation",
    "codebase_intelligence.enabled",
    "codebase_intelligence.replace_static_map",
    "codebase_intelligence.register_artifacts",
    "architect.enabled",
    "contract_scans.endpoint_schema_scan",
    "contract_scans.missing_endpoint_scan",
    "contract_scans.event_schema_scan",
    "contract_scans.shared_model_scan",
)
TABLE: dict[Depth, str] = {
    #             teams engine ci architect scans
    "quick": "      0   0 1 0  0 0 0  0  0 0 0 0",
    "standard": "   0   1 1 0  1 0 0  1  1 1 0 0",
    "thorough": "   1   1 1 1  1 1 1  1  1 1 1 1",
    "exhaustive": " 1   1 1 1  1 1 1  1  1 1 1 1",
}


def value_of(config: AgentTeamConfig, key: str) -> object:
    section, _, name = key.rpartition(".")
    return getattr(getattr(config, section) if section else config, name)


@pytest.mark.requirement("TECH-044", "TEST-062", "INT-003", "INT-016")
@pytest.mark.parametrize("depth", TABLE)
def test_the_table_of_depths(depth: Depth) -> None:
    gated = apply_depth_quality_gating(depth, AgentTeamConfig(), set(), WITH_TEAMS)
    wanted = dict(zip(KEYS, (digit == "1" for digit in TABLE[depth].split()), strict=True))
    assert {key: value_of(gated, key) for key in KEYS} == wanted


@pytest.mark.requirement("TECH-044", "INT-016")
@pytest.mark.parametrize("depth", TABLE)
def test_a_depth_leaves_all_else_as_it_was(depth: Depth) -> None:
    changed = with_values(
        AgentTeamConfig(), {"agent.parallel_tasks": 7, "contract_engine.mcp_command": "engine"}
    )
    gated = apply_depth_quality_gating(depth, changed, set(), WITH_TEAMS)
    differing = {
        key.name for key in all_keys() if value_of(gated, key.name) != value_of(changed, key.name)
    }
    assert differing <= {*KEYS, "depth"}
    assert gated.depth == depth


@pytest.mark.requirement("TECH-044")
@pytest.mark.parametrize("environment", [{}, {AGENT_TEAMS_VARIABLE: "0"}])
def test_without_the_variable_no_depth_enables_agent_teams(environment: dict[str, str]) -> None:
    gated = apply_depth_quality_gating("thorough", AgentTeamConfig(), set(), environment)
    assert not gated.agent_teams.enabled


@pytest.mark.requirement("TECH-044", "INT-016")
@pytest.mark.parametrize("depth", TABLE)
@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize("value", [True, False])
def test_what_the_user_set_stays(depth: Depth, key: str, value: bool) -> None:
    written = with_values(AgentTeamConfig(), {key: value})
    assert value_of(apply_depth_quality_gating(depth, written, {key}, {}), key) is value


@pytest.mark.requirement("INT-006", "INT-015")
def test_with_features_off_only_what_needs_none_is_left() -> None:
    everything = with_values(AgentTeamConfig(), dict.fromkeys(KEYS, True))
    plain = without_features(everything)
    assert [key for key in KEYS if value_of(plain, key)] == ["contract_engine.validation_on_build"]
