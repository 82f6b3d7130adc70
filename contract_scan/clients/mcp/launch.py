"""From configuration to a process: command, arguments, folder and environment of a server.

A server gets the paths of its data and what the SDK deems safe to inherit (on POSIX: HOME,
LOGNAME, PATH, SHELL, TERM, USER), never the rest of the environment, which holds API keys.
"""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from typing import Protocol
from urllib.parse import parse_qsl, urlsplit

from contract_scan.clients.mcp.config import (
    ArchitectConfig,
    CodebaseIntelligenceConfig,
    ContractEngineConfig,
)
from contract_scan.errors import ConfigurationError

_INTERPRETER = "python"


@dataclass(frozen=True)
class ServerLaunch:
    """What it takes to start a server."""

    title: str
    """Its name in messages."""
    command: str
    args: list[str]
    env: dict[str, str] | None
    """Set besides what is safe to inherit; None where there is nothing to set."""
    cwd: str | None
    """None: the current folder."""
    startup_timeout_ms: int
    tool_timeout_ms: int


class _ServerConfig(Protocol):
    @property
    def mcp_command(self) -> str: ...
    @property
    def mcp_args(self) -> list[str]: ...
    @property
    def server_root(self) -> str: ...
    @property
    def startup_timeout_ms(self) -> int: ...
    @property
    def tool_timeout_ms(self) -> int: ...


def contract_engine_launch(config: ContractEngineConfig) -> ServerLaunch:
    """Raises ConfigurationError where the database's URL holds a password."""
    return _launch("Contract Engine", config, contract_engine_environment(config))


def codebase_intelligence_launch(config: CodebaseIntelligenceConfig) -> ServerLaunch:
    """Raises ConfigurationError where the database's URL holds a password."""
    return _launch("Codebase Intelligence", config, codebase_intelligence_environment(config))


def architect_launch(config: ArchitectConfig) -> ServerLaunch:
    """Raises ConfigurationError where the database's URL holds a password."""
    environment = {"DATABASE_PATH": _database(config.database_path, "DATABASE_PATH")}
    return _launch("Architect", config, environment)


def contract_engine_environment(config: ContractEngineConfig) -> dict[str, str]:
    """The variables of the server by name; empty ones are not set anywhere."""
    return {"DATABASE_PATH": _database(config.database_path, "CONTRACT_ENGINE_DB")}


def codebase_intelligence_environment(config: CodebaseIntelligenceConfig) -> dict[str, str]:
    """The variables of the server by name; empty ones are not set anywhere."""
    return {
        "DATABASE_PATH": _database(config.database_path, "DATABASE_PATH"),
        "CHROMA_PATH": config.chroma_path or os.environ.get("CHROMA_PATH", ""),
        "GRAPH_PATH": config.graph_path or os.environ.get("GRAPH_PATH", ""),
    }


def server_arguments(config: _ServerConfig) -> list[str]:
    """The arguments after the command: those of the configuration, or, where it names another
    program's root and no arguments, that program's module."""
    own = type(config)().mcp_args
    if config.server_root and config.mcp_args == own:
        module = own[-1].rpartition(".")[2]
        return ["-m", f"src.{module}.mcp_server"]
    return list(config.mcp_args)


def _launch(title: str, config: _ServerConfig, environment: dict[str, str]) -> ServerLaunch:
    args = server_arguments(config)
    command = config.mcp_command
    if command == _INTERPRETER and args == type(config)().mcp_args:
        # The interpreter that runs this has our servers; another `python`, if any, may not. It
        # imports nothing from the working directory.
        command, args = sys.executable, ["-P", *args]
    return ServerLaunch(
        title=title,
        command=command,
        args=args,
        env={name: value for name, value in environment.items() if value} or None,
        cwd=config.server_root or None,
        startup_timeout_ms=config.startup_timeout_ms,
        tool_timeout_ms=config.tool_timeout_ms,
    )


def _database(configured: str, variable: str) -> str:
    """A path or URL without a secret: what the server gets in its environment, others can read."""
    database = configured or os.environ.get(variable, "")
    if "://" in database and _holds_password(database):
        raise ConfigurationError(
            "the database's URL holds a password, which would stand in the environment of a server;"
            " put it into a pass file (~/.pgpass, or `?passfile=` in the URL)"
        )
    return database


def _holds_password(url: str) -> bool:
    try:
        parts = urlsplit(url)
        return bool(parts.password) or any(
            name.casefold() in ("password", "sslpassword") for name, _ in parse_qsl(parts.query)
        )
    except ValueError:
        return "@" in url
