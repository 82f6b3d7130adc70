"""Whether the program of an agent is there, and which version it is."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from contract_scan.clients.agents import AGENT_COMMANDS
from contract_scan.clients.processes import ProcessError, run_program
from contract_scan.orchestrator.config import AgentConfig

VERSION_TIMEOUT: Final = 10.0
"""Seconds that a program gets to say its version."""

_VERSION: Final = re.compile(r"(?<!\d)(\d{1,9})\.(\d{1,9})\.(\d{1,9})(?!\d)")

Version = tuple[int, int, int]


def executable_of(agent: AgentConfig) -> str:
    """What starts the agent."""
    return agent.command or AGENT_COMMANDS[agent.name].executable


def version_of(executable: str, folder: Path) -> Version | None:
    """The version that a program tells when asked with `--version`, (0, 0, 0) where it tells
    none; None where it is not there, fails, or takes longer than ten seconds."""
    try:
        done = run_program([executable, "--version"], cwd=folder, timeout=VERSION_TIMEOUT)
    except ProcessError:
        return None
    found = _VERSION.search(done.stdout.decode("utf-8", "replace"))
    return (int(found[1]), int(found[2]), int(found[3])) if found else (0, 0, 0)


def shown_version(version: Version) -> str:
    """A version for people."""
    return ".".join(map(str, version))
