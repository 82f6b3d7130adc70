"""Entries for other tools' MCP configuration, in the form of Claude Code's `mcpServers`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol

from contract_scan.clients.mcp.config import CodebaseIntelligenceConfig, ContractEngineConfig
from contract_scan.clients.mcp.launch import (
    codebase_intelligence_environment,
    contract_engine_environment,
    server_arguments,
)
from contract_scan.regular_file import read_regular

_LARGEST = 10_000_000
"""Bytes of a file of servers."""


class HasServers(Protocol):
    """What these functions need of the builder's configuration."""

    @property
    def mcp_servers(self) -> Mapping[str, Mapping[str, Any]]: ...
    @property
    def contract_engine(self) -> ContractEngineConfig: ...
    @property
    def codebase_intelligence(self) -> CodebaseIntelligenceConfig: ...


def get_mcp_servers(config: HasServers) -> dict[str, Any]:
    """The standard servers: those that the user's configuration lists, by name."""
    return {name: dict(entry) for name, entry in config.mcp_servers.items()}


def get_contract_aware_servers(config: HasServers) -> dict[str, Any]:
    """The standard servers, with the Contract Engine and Codebase Intelligence where enabled."""
    servers = get_mcp_servers(config)
    if config.contract_engine.enabled:
        servers["contract-engine"] = _contract_engine_mcp_server(config.contract_engine)
    if config.codebase_intelligence.enabled:
        servers["codebase-intelligence"] = _codebase_intelligence_mcp_server(
            config.codebase_intelligence
        )
    return servers


def get_project_servers(project_dir: Path) -> dict[str, Any]:
    """The servers that a project's `.mcp.json` lists for its agents, by name; none where the file
    is missing or cannot be read as such."""
    try:
        found = json.loads(read_regular(project_dir / ".mcp.json", _LARGEST))
    except (OSError, ValueError, RecursionError):
        return {}
    servers = found.get("mcpServers") if isinstance(found, dict) else None
    if not isinstance(servers, dict):
        return {}
    return {name: entry for name, entry in servers.items() if isinstance(entry, dict)}


def _contract_engine_mcp_server(config: ContractEngineConfig) -> dict[str, Any]:
    return _entry(config, contract_engine_environment(config))


def _codebase_intelligence_mcp_server(config: CodebaseIntelligenceConfig) -> dict[str, Any]:
    return _entry(config, codebase_intelligence_environment(config))


def _entry(
    config: ContractEngineConfig | CodebaseIntelligenceConfig, environment: dict[str, str]
) -> dict[str, Any]:
    return {
        "type": "stdio",
        "command": config.mcp_command,
        "args": server_arguments(config),
        "env": environment,
    }
