"""How the MCP servers are configured: what starts them, where, and how long they may take.

The records are parts of the builder's configuration; names and defaults are those of its document,
except that the default arguments start our own servers. With `server_root` and no arguments given,
the server is the module of the document below that folder.
"""

from __future__ import annotations

from dataclasses import dataclass, field

_COMMAND = "python"
_STARTUP_TIMEOUT_MS = 30_000
_TOOL_TIMEOUT_MS = 60_000


def _own_server_arguments(module: str) -> list[str]:
    return ["-m", f"contract_scan.servers.{module}"]


@dataclass(frozen=True)
class ContractEngineConfig:
    """The Contract Engine server, and what the builder does with it."""

    enabled: bool = False
    mcp_command: str = _COMMAND
    mcp_args: list[str] = field(default_factory=lambda: _own_server_arguments("contract_engine"))
    database_path: str = ""
    """Empty: the variable `CONTRACT_ENGINE_DB`."""
    validation_on_build: bool = True
    test_generation: bool = True
    server_root: str = ""
    """The folder that the server runs in; empty: the current one."""
    startup_timeout_ms: int = _STARTUP_TIMEOUT_MS
    tool_timeout_ms: int = _TOOL_TIMEOUT_MS


@dataclass(frozen=True)
class CodebaseIntelligenceConfig:
    """The Codebase Intelligence server, and what the builder does with it."""

    enabled: bool = False
    mcp_command: str = _COMMAND
    mcp_args: list[str] = field(
        default_factory=lambda: _own_server_arguments("codebase_intelligence")
    )
    database_path: str = ""
    """Empty: the variable `DATABASE_PATH`; so with the two below, by their names."""
    chroma_path: str = ""
    graph_path: str = ""
    replace_static_map: bool = True
    register_artifacts: bool = True
    server_root: str = ""
    startup_timeout_ms: int = _STARTUP_TIMEOUT_MS
    tool_timeout_ms: int = _TOOL_TIMEOUT_MS


@dataclass(frozen=True)
class ArchitectConfig:
    """The Architect server. The document names its tools but no configuration."""

    enabled: bool = False
    mcp_command: str = _COMMAND
    mcp_args: list[str] = field(default_factory=lambda: _own_server_arguments("architect"))
    database_path: str = ""
    """Empty: the variable `DATABASE_PATH`."""
    server_root: str = ""
    startup_timeout_ms: int = _STARTUP_TIMEOUT_MS
    tool_timeout_ms: int = _TOOL_TIMEOUT_MS
