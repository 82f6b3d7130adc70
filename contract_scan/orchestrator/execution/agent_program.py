"""Whether the program of an agent is there, and which version it is."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from contract_scan.clients.agents import AGENT_COMMANDS
from contract_scan.clients.processes import ProcessError, run_program
from contract_scan.orchestrator.config import AgentConfig
from contract_scan.orchestrator.execution.tasks import BackendError

VERSION_TIMEOUT: Final = 10.0
"""Seconds that a program gets to say its version."""

_VERSION: Final = re.compile(r"(?<!\d)(\d{1,9})\.(\d{1,9})\.(\d{1,9})(?!\d)")

Version = tuple[int, int, int]


def executable_of(agent: AgentConfig) -> str:
    """What starts the agent."""
    return agent.command or AGENT_COMMANDS[agent.name].executable


def version_text(executable: str, folder: Path) -> str | None:
    """What a program answers to `--version` (TECH-010); None where it is not there, fails, or takes
    longer than ten seconds."""
    try:
        done = run_program([executable, "--version"], cwd=folder, timeout=VERSION_TIMEOUT)
    except ProcessError:
        return None
    return done.stdout.decode("utf-8", "replace")


def version_of(agent: AgentConfig, folder: Path) -> Version:
    """The version that an agent's program tells. Raises BackendError, also where it tells none."""
    executable = executable_of(agent)
    text = version_text(executable, folder)
    if text is None:
        raise BackendError(
            f"`{executable} --version` does not work: install {agent.name}, or set `agent.command`"
            " to where it is"
        )
    found = _VERSION.search(text)
    if found is None:
        raise BackendError(
            f"`{executable} --version` tells no version, so that it is not {agent.name}: set"
            " `agent.command` to where that is"
        )
    return int(found[1]), int(found[2]), int(found[3])


def shown_version(version: Version) -> str:
    """A version for people."""
    return ".".join(map(str, version))
