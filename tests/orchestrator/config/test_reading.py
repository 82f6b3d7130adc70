"""From a file to the configuration, and what is said of files that are wrong."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from textwrap import dedent
from typing import Any, Literal, get_args, get_origin

import pytest
import yaml

from contract_scan.clients.mcp import (
    CodebaseIntelligenceConfig,
    ContractEngineConfig,
)
from contract_scan.clients.mcp.launch import contract_engine_launch
from contract_scan.errors import ConfigurationError
from contract_scan.orchestrator.config import (
    AgentTeamConfig,
    AgentTeamsConfig,
    ContractScanConfig,
    Key,
    _dict_to_config,
    all_keys,
    config_as_yaml,
    load_config,
    with_values,
)

Write = Callable[[str], Path]

SECTIONS = [field.name for field in fields(AgentTeamConfig)]
FOUR_SECTIONS = ("agent_teams", "contract_engine", "codebase_intelligence", "contract_scans")


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def write(text: str) -> Path:
        path = tmp_path / "config.yaml"
        path.write_text(dedent(text), encoding="utf-8")
        return path

    return write


def other_value(key: Key) -> Any:
    """A value that a key takes and that is not its default."""
    if get_origin(key.type) is Literal:
        return next(value for value in get_args(key.type) if value != key.default)
    match key.default:
        case bool():
            return not key.default
        case float():
            return key.default / 2 if key.default else 0.5
        case int():
            return key.default + 1
        case str():
            return f"{key.default}other"
        case list():
            return [*key.default, "other"]
        case _:
            return {"docs": {"type": "stdio", "command": "docs-server"}}


@pytest.mark.requirement("TECH-008", "TEST-013", "INT-007", "TEST-073")
def test_a_section_of_agent_teams() -> None:
    config, user_overrides = _dict_to_config(
        {"agent_teams": {"enabled": True, "max_teammates": 3, "teammate_display_mode": "tmux"}}
    )
    assert config.agent_teams == AgentTeamsConfig(
        enabled=True, max_teammates=3, teammate_display_mode="tmux"
    )
    assert user_overrides == {
        "agent_teams.enabled",
        "agent_teams.max_teammates",
        "agent_teams.teammate_display_mode",
    }


@pytest.mark.requirement("TEST-013", "TEST-026", "INT-006")
def test_sections_that_are_missing_have_their_defaults() -> None:
    assert _dict_to_config({"depth": "quick"}) == (AgentTeamConfig(depth="quick"), {"depth"})


@pytest.mark.requirement("TECH-021", "TEST-026")
def test_a_section_of_the_contract_engine(write: Write) -> None:
    path = write(
        """\
        contract_engine:
          enabled: true
          mcp_command: node
          mcp_args:
            - server.js
            - --stdio
          database_path: contracts.db
        """
    )
    assert load_config(path)[0].contract_engine == ContractEngineConfig(
        enabled=True,
        mcp_command="node",
        mcp_args=["server.js", "--stdio"],
        database_path="contracts.db",
    )


@pytest.mark.requirement("TECH-015")
def test_with_a_root_and_no_arguments_the_server_is_the_module_of_that_root(write: Write) -> None:
    path = write("contract_engine: {server_root: /srv/engine}\n")
    launch = contract_engine_launch(load_config(path)[0].contract_engine)
    assert (launch.args, launch.cwd) == (["-m", "src.contract_engine.mcp_server"], "/srv/engine")


@pytest.mark.requirement("TECH-027", "TEST-088")
def test_all_fields_of_codebase_intelligence(write: Write) -> None:
    values: dict[str, Any] = {
        "enabled": True,
        "mcp_command": "python3.12",
        "mcp_args": ["-m", "intelligence"],
        "database_path": "symbols.db",
        "chroma_path": "chroma",
        "graph_path": "graph.json",
        "replace_static_map": False,
        "register_artifacts": False,
        "server_root": "/srv/intelligence",
        "startup_timeout_ms": 1500,
        "tool_timeout_ms": 2500,
    }
    path = write(yaml.safe_dump({"codebase_intelligence": values}))
    config, user_overrides = load_config(path)
    assert config.codebase_intelligence == CodebaseIntelligenceConfig(**values)
    assert user_overrides == {f"codebase_intelligence.{name}" for name in values}


@pytest.mark.requirement("TECH-039")
def test_a_section_of_contract_scans(write: Write) -> None:
    path = write("contract_scans: {event_schema_scan: false, shared_model_scan: no}\n")
    assert load_config(path)[0].contract_scans == ContractScanConfig(
        event_schema_scan=False, shared_model_scan=False
    )


@pytest.mark.requirement("INT-020", "TEST-089")
def test_a_file_gives_the_configuration_and_what_the_user_set(write: Write) -> None:
    path = write(
        """\
        agent_teams: {enabled: true}
        contract_engine: {enabled: true}
        codebase_intelligence: {enabled: true}
        contract_scans: {shared_model_scan: false}
        """
    )
    result = load_config(path)
    assert type(result) is tuple
    config, user_overrides = result
    assert isinstance(config, AgentTeamConfig)
    assert type(user_overrides) is set
    assert user_overrides == {
        "agent_teams.enabled",
        "contract_engine.enabled",
        "codebase_intelligence.enabled",
        "contract_scans.shared_model_scan",
    }


@pytest.mark.requirement("TEST-074")
@pytest.mark.parametrize("key", [*all_keys()], ids=lambda key: key.name)
def test_every_key_survives_yaml(key: Key, write: Write) -> None:
    value = other_value(key)
    changed = with_values(AgentTeamConfig(), {key.name: value})
    assert changed != AgentTeamConfig()
    config, user_overrides = load_config(write(config_as_yaml(changed)))
    assert config == changed
    assert user_overrides == {known.name for known in all_keys()}
    section, _, name = key.name.rpartition(".")
    assert load_config(
        write(yaml.safe_dump({section: {name: value}} if section else {name: value}))
    )[1] == {key.name}


@pytest.mark.requirement("TEST-070", "TEST-074")
@pytest.mark.parametrize("section", FOUR_SECTIONS)
@pytest.mark.parametrize("written", ["{}", "", "~"])
def test_an_empty_section_has_its_defaults(section: str, written: str, write: Write) -> None:
    assert load_config(write(f"{section}: {written}\n")) == (AgentTeamConfig(), set())


@pytest.mark.parametrize("text", ["", "# nothing yet\n", "---\n"])
def test_an_empty_file_has_the_defaults(text: str, write: Write) -> None:
    assert load_config(write(text)) == (AgentTeamConfig(), set())


@pytest.mark.parametrize(
    ("text", "message"),
    [
        pytest.param(
            "agent_teams:\n  enabled: true\n  max_teamates: 3\n",
            "3: unknown key `agent_teams.max_teamates`; did you mean `agent_teams.max_teammates`?",
            id="a misspelt key",
        ),
        pytest.param(
            "contract_scans:\n  everything: true\n",
            "2: unknown key `contract_scans.everything`; known: endpoint_schema_scan,"
            " missing_endpoint_scan, event_schema_scan, shared_model_scan",
            id="a key that nothing is like",
        ),
        pytest.param(
            "7: seven\n",
            f"1: unknown key `7`; known: {', '.join(SECTIONS)}",
            id="a key that is a number",
        ),
        pytest.param(
            "\ndepth: deep\n",
            "2: `depth` must be one of quick, standard, thorough, exhaustive, not the text `deep`",
            id="an unknown depth",
        ),
        pytest.param(
            "agent_teams:\n  enabled: 'yes'\n",
            "2: `agent_teams.enabled` must be true or false, not the text `yes`",
            id="a text for a switch",
        ),
        pytest.param(
            "agent_teams:\n  max_teammates: true\n",
            "2: `agent_teams.max_teammates` must be a whole number, not true",
            id="a switch for a number",
        ),
        pytest.param(
            "contract_engine:\n  tool_timeout_ms: 0\n",
            "2: `contract_engine.tool_timeout_ms` must be a whole number of at least 1, not 0",
            id="no time at all",
        ),
        pytest.param(
            "convergence:\n  min_convergence_ratio: 90\n",
            "2: `convergence.min_convergence_ratio` must be a number of at most 1, not 90",
            id="a ratio in percent",
        ),
        pytest.param(
            "convergence:\n  max_fix_rounds: -1\n",
            "2: `convergence.max_fix_rounds` must be a whole number of at least 0, not -1",
            id="fewer than no rounds",
        ),
        pytest.param(
            "contract_engine:\n  mcp_args: -m server\n",
            "2: `contract_engine.mcp_args` must be a list of texts, not the text `-m server`",
            id="a text for a list",
        ),
        pytest.param(
            "contract_engine:\n  mcp_args: [-m, 3]\n",
            "2: `contract_engine.mcp_args` must be a list of texts, not a list",
            id="a list of other things",
        ),
        pytest.param(
            "agent:\n  model:\n",
            "2: `agent.model` must be a text, not nothing",
            id="a key without a value",
        ),
        pytest.param(
            "depth: quick\nagent_teams: true\n",
            "2: `agent_teams` takes keys with values",
            id="a switch for a section",
        ),
        pytest.param(
            "depth: quick\nagent: {}\ndepth: standard\n",
            "3: `depth` is given twice, first in line 1; keep one",
            id="a key given twice",
        ),
        pytest.param(
            "depth: [quick\nagent: {}\n",
            "2: is not valid YAML: while parsing a flow sequence expected ',' or ']', but got ':'",
            id="a bracket left open",
        ),
        pytest.param(
            "depth: quick\n\tagent: {}\n",
            "2: is not valid YAML: while scanning for the next token"
            " found character '\\t' that cannot start any token",
            id="a tab",
        ),
        pytest.param("- quick\n", "1: must hold keys with values (`depth: quick`)", id="a list"),
        pytest.param(
            "depth: quick\n---\ndepth: standard\n",
            "2: is not valid YAML: expected a single document in the stream"
            " but found another document",
            id="two documents",
        ),
        pytest.param(
            "depth: !!python/name:os.system x\n",
            "1: is not valid YAML: could not determine a constructor for the tag"
            " 'tag:yaml.org,2002:python/name:os.system'",
            id="a tag that would make an object",
        ),
        pytest.param("[" * 5000, "1: is not valid YAML: nested too deeply", id="depth"),
    ],
)
def test_a_wrong_file_gives_one_line_with_its_place(text: str, message: str, write: Write) -> None:
    path = write("")
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ConfigurationError) as caught:
        load_config(path)
    assert str(caught.value) == f"{path}:{message}"


def test_a_file_that_is_no_text(tmp_path: Path) -> None:
    path = tmp_path / "config.yaml"
    path.write_bytes(b"depth: quick\nagent: \xff\n")
    with pytest.raises(ConfigurationError) as caught:
        load_config(path)
    assert str(caught.value) == f"{path}:2: is not UTF-8; save it as UTF-8"


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError) as caught:
        load_config(tmp_path / "config.yaml")
    assert str(caught.value) == (
        f"{tmp_path / 'config.yaml'}: cannot be read: No such file or directory"
    )


def test_anchors_and_merge_keys_are_written_out(write: Write) -> None:
    path = write(
        """\
        contract_engine: &server
          enabled: true
          startup_timeout_ms: 5000
        architect:
          <<: *server
          startup_timeout_ms: 7000
        """
    )
    config, user_overrides = load_config(path)
    assert config.contract_engine.startup_timeout_ms == 5000
    assert (config.architect.enabled, config.architect.startup_timeout_ms) == (True, 7000)
    assert "architect.enabled" in user_overrides
