"""Configuration of the servers, and their entries in other tools' configuration."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any

import pytest
import yaml

from contract_scan.clients.mcp import (
    ArchitectConfig,
    CodebaseIntelligenceConfig,
    ContractEngineConfig,
    get_contract_aware_servers,
    get_mcp_servers,
    get_project_servers,
)
from contract_scan.clients.mcp.launch import (
    architect_launch,
    codebase_intelligence_launch,
    contract_engine_launch,
)
from contract_scan.errors import ConfigurationError

PATHS = ("CONTRACT_ENGINE_DB", "DATABASE_PATH", "CHROMA_PATH", "GRAPH_PATH")


@dataclass(frozen=True)
class Root:
    """The part of the builder's configuration that servers are in."""

    mcp_servers: dict[str, dict[str, Any]] = field(default_factory=dict)
    contract_engine: ContractEngineConfig = field(default_factory=ContractEngineConfig)
    codebase_intelligence: CodebaseIntelligenceConfig = field(
        default_factory=CodebaseIntelligenceConfig
    )


@pytest.fixture(autouse=True)
def no_paths(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in PATHS:
        monkeypatch.delenv(name, raising=False)


@pytest.mark.requirement("TEST-025", "TECH-015", "INT-006")
def test_defaults_of_the_contract_engine() -> None:
    assert {
        one.name: getattr(ContractEngineConfig(), one.name) for one in fields(ContractEngineConfig)
    } == {
        "enabled": False,
        "mcp_command": "python",
        "mcp_args": ["-m", "contract_scan.servers.contract_engine"],
        "database_path": "",
        "validation_on_build": True,
        "test_generation": True,
        "server_root": "",
        "startup_timeout_ms": 30000,
        "tool_timeout_ms": 60000,
    }


@pytest.mark.requirement("TEST-036", "TECH-025", "INT-006")
def test_defaults_of_codebase_intelligence() -> None:
    config = CodebaseIntelligenceConfig()
    assert {one.name: getattr(config, one.name) for one in fields(config)} == {
        "enabled": False,
        "mcp_command": "python",
        "mcp_args": ["-m", "contract_scan.servers.codebase_intelligence"],
        "database_path": "",
        "chroma_path": "",
        "graph_path": "",
        "replace_static_map": True,
        "register_artifacts": True,
        "server_root": "",
        "startup_timeout_ms": 30000,
        "tool_timeout_ms": 60000,
    }


TEMPLATE = """
contract_engine:
  enabled: false
  mcp_command: "python"
  mcp_args: ["-m", "src.contract_engine.mcp_server"]
  database_path: ""
  server_root: ""
  validation_on_build: true
  test_generation: true
  startup_timeout_ms: 30000
  tool_timeout_ms: 60000

codebase_intelligence:
  enabled: false
  mcp_command: "python"
  mcp_args: ["-m", "src.codebase_intelligence.mcp_server"]
  database_path: ""
  chroma_path: ""
  graph_path: ""
  server_root: ""
  replace_static_map: true
  register_artifacts: true
  startup_timeout_ms: 30000
  tool_timeout_ms: 60000
"""
"""Sections of a configuration file, with every key that servers have."""


@pytest.mark.requirement("TEST-026", "TECH-015", "TECH-025")
def test_the_sections_of_a_configuration_file_are_these_records() -> None:
    sections = yaml.safe_load(TEMPLATE)
    for kind, section in (
        (ContractEngineConfig, sections["contract_engine"]),
        (CodebaseIntelligenceConfig, sections["codebase_intelligence"]),
    ):
        config = kind(**section)
        assert asdict(config) == section
        assert replace(config, mcp_args=kind().mcp_args) == kind()


@pytest.mark.requirement("TECH-015", "TECH-025", "INT-003")
def test_our_own_servers_run_in_this_interpreter_and_others_in_their_root() -> None:
    launches = (
        (contract_engine_launch, ContractEngineConfig, "contract_engine"),
        (codebase_intelligence_launch, CodebaseIntelligenceConfig, "codebase_intelligence"),
        (architect_launch, ArchitectConfig, "architect"),
    )
    for launch, config, module in launches:
        own = launch(config())
        assert (own.command, own.args, own.env, own.cwd) == (
            sys.executable,
            ["-P", "-m", f"contract_scan.servers.{module}"],
            None,
            None,
        )
        other = launch(config(server_root="/srv"))
        assert (other.command, other.args, other.cwd) == (
            "python",
            ["-m", f"src.{module}.mcp_server"],
            "/srv",
        )
        given = launch(config(mcp_args=["serve.py"], server_root="/srv"))
        assert (given.command, given.args) == ("python", ["serve.py"])


@pytest.mark.requirement("TEST-027", "WIRE-004")
def test_the_entry_of_the_contract_engine() -> None:
    engine = ContractEngineConfig(
        enabled=True, mcp_command="uv", mcp_args=["run", "engine"], database_path="/data/c.db"
    )
    assert get_contract_aware_servers(Root(contract_engine=engine)) == {
        "contract-engine": {
            "type": "stdio",
            "command": "uv",
            "args": ["run", "engine"],
            "env": {"DATABASE_PATH": "/data/c.db"},
        }
    }


@pytest.mark.requirement("TEST-037", "WIRE-006")
def test_the_entry_of_codebase_intelligence() -> None:
    intelligence = CodebaseIntelligenceConfig(
        enabled=True,
        mcp_args=["serve.py"],
        database_path="/data/s.db",
        chroma_path="/data/chroma",
        graph_path="/data/graph.json",
    )
    assert get_contract_aware_servers(Root(codebase_intelligence=intelligence)) == {
        "codebase-intelligence": {
            "type": "stdio",
            "command": "python",
            "args": ["serve.py"],
            "env": {
                "DATABASE_PATH": "/data/s.db",
                "CHROMA_PATH": "/data/chroma",
                "GRAPH_PATH": "/data/graph.json",
            },
        }
    }


@pytest.mark.requirement("WIRE-004", "WIRE-006", "TECH-015", "TECH-025", "SEC-001")
def test_entries_hold_the_paths_of_the_environment_and_nothing_else_of_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("CONTRACT_ENGINE_DB", "/mine.db")
    monkeypatch.setenv("GRAPH_PATH", "/graph.json")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-ant-secret")
    servers = get_contract_aware_servers(
        Root(
            contract_engine=ContractEngineConfig(enabled=True),
            codebase_intelligence=CodebaseIntelligenceConfig(enabled=True),
        )
    )
    assert {name: entry["env"] for name, entry in servers.items()} == {
        "contract-engine": {"DATABASE_PATH": "/mine.db"},
        "codebase-intelligence": {
            "DATABASE_PATH": "",
            "CHROMA_PATH": "",
            "GRAPH_PATH": "/graph.json",
        },
    }


@pytest.mark.requirement("SEC-001")
def test_no_entry_holds_a_password() -> None:
    engine = ContractEngineConfig(enabled=True, database_path="postgresql://me:secret@db/contracts")
    with pytest.raises(ConfigurationError, match="pass file"):
        get_contract_aware_servers(Root(contract_engine=engine))


STANDARD = {"docs": {"type": "stdio", "command": "npx", "args": ["docs-mcp"]}}


@pytest.mark.requirement("TEST-039", "TEST-080", "WIRE-005", "WIRE-007", "WIRE-008")
@pytest.mark.parametrize("engine", [False, True])
@pytest.mark.parametrize("intelligence", [False, True])
def test_servers_are_listed_where_they_are_enabled(engine: bool, intelligence: bool) -> None:
    root = Root(
        STANDARD,
        ContractEngineConfig(enabled=engine),
        CodebaseIntelligenceConfig(enabled=intelligence),
    )
    servers = get_contract_aware_servers(root)
    expected = {"docs"}
    expected |= {"contract-engine"} if engine else set()
    expected |= {"codebase-intelligence"} if intelligence else set()
    assert set(servers) == expected
    assert servers["docs"] == STANDARD["docs"]
    assert get_mcp_servers(root) == STANDARD


@pytest.mark.requirement("TEST-077")
def test_the_servers_of_a_project_are_those_that_its_file_lists(tmp_path: Path) -> None:
    engine = ContractEngineConfig(enabled=True, database_path="/data/c.db")
    entries = get_contract_aware_servers(Root(STANDARD, contract_engine=engine))
    (tmp_path / ".mcp.json").write_text(json.dumps({"mcpServers": entries}))
    assert get_project_servers(tmp_path) == entries
    assert set(entries) == {"docs", "contract-engine"}


@pytest.mark.requirement("TEST-077")
@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", "{}", '{"mcpServers": []}', '{"mcpServers": {"a": 1}}', "[" * 100_000, "\x00"],
    ids=["empty", "cut", "list", "no key", "no mapping", "no entry", "deep", "no text"],
)
def test_a_file_that_lists_no_servers(text: str, tmp_path: Path) -> None:
    assert get_project_servers(tmp_path) == {}
    (tmp_path / ".mcp.json").write_text(text)
    assert get_project_servers(tmp_path) == {}
