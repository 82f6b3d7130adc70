"""Our own MCP servers work on the project that is built, not on the folder that a user is in."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from contract_scan.clients.mcp import (
    ArchitectConfig,
    CodebaseIntelligenceConfig,
    ContractEngineConfig,
)
from contract_scan.orchestrator.config import AgentTeamConfig

Server = TypeVar("Server", ArchitectConfig, CodebaseIntelligenceConfig, ContractEngineConfig)


def servers_in_project(config: AgentTeamConfig, project_dir: Path) -> AgentTeamConfig:
    """The configuration with those of the three servers located in the project that are our own
    ones (command, arguments and folder as by default)."""
    return replace(
        config,
        architect=_with_location(config.architect, project_dir),
        codebase_intelligence=_with_location(config.codebase_intelligence, project_dir),
        contract_engine=_with_location(config.contract_engine, project_dir),
    )


def _with_location(server: Server, project_dir: Path) -> Server:
    if _start(server) != _start(type(server)()):
        return server
    # The interpreter that runs this has our servers; with -P it imports nothing from the project.
    return replace(
        server,
        mcp_command=sys.executable,
        mcp_args=["-P", *server.mcp_args],
        server_root=str(project_dir),
    )


def _start(
    server: ArchitectConfig | CodebaseIntelligenceConfig | ContractEngineConfig,
) -> tuple[str, list[str], str]:
    return server.mcp_command, server.mcp_args, server.server_root
