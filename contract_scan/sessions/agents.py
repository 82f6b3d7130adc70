"""Which programs work in sessions, and which of them gets a task: tables, and the user's own.

The user's file is `sessions.toml` in the user's configuration folder. There is none in the project:
it would name programs to start, chosen by whoever made the repository.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

import msgspec
from msgspec import Struct

from contract_scan.clients.agents import AGENT_COMMANDS, LineReader
from contract_scan.clients.agents.plain_lines import PlainLines
from contract_scan.regular_file import read_regular
from contract_scan.sessions.session import Mode, SessionError, TaskType

DEFAULT_AGENT: Final = "claude-code"
CONFIGURATION_VARIABLE: Final = "SCOPE_CONFIG"
"""Environment variable: another file in the place of the user's."""

_PERMISSION_MODE: Final = "acceptEdits"
"""Nobody is there to be asked; commands that change more than files are up to the user's own
settings of the agent."""
_OWN_COMMANDS: Final = ("spawn", "poll", "wait", "list", "abort")
"""What an agent may do with sessions without being asked. What they start may do no more."""
_LARGEST: Final = 1_000_000


class SessionAgent(Struct, frozen=True, kw_only=True):
    """How one agent is run in a session."""

    name: str
    task: tuple[str, ...]
    """The words that run it for one prompt."""
    interactive: tuple[str, ...] = ()
    """The words that run it for a person; empty: it cannot talk to one."""
    task_resume: tuple[str, ...] = ()
    """Further words behind those, to go on with a conversation, whose name comes last; empty: it
    cannot."""
    interactive_resume: tuple[str, ...] = ()
    prompt_file: str = ""
    """The option for the file with the prompt; empty: it is sent to the standard input."""
    model_option: str = "--model"
    reader: Callable[[], LineReader] = PlainLines
    tells_turns: bool = False
    """Whether its lines say how the task ended; otherwise all that it prints is the result."""
    without: tuple[str, ...] = ()
    """Variables that it must not inherit."""
    own_files: tuple[str, ...] = ()
    """Names, as patterns, of what it keeps for itself in its folder, and nobody commits."""

    def command(self, mode: Mode, *, model: str, prompt_file: Path, conversation: str) -> list[str]:
        """The words that start it. An empty `conversation` begins a new one.

        An interactive agent is told where its instructions are, in one short sentence: a prompt as
        an argument could be read in the list of processes. Raises SessionError for a mode that the
        agent does not have.
        """
        is_task = mode == "task"
        words = self.task if is_task else self.interactive
        if not words:
            raise SessionError(
                f"the agent `{self.name}` cannot talk to a person; leave out {mode!r}"
            )
        resume = self.task_resume if is_task else self.interactive_resume
        chosen = [*words, *((self.model_option, model) if model and self.model_option else ())]
        if conversation and resume:
            chosen += [*resume, conversation]
        if is_task:
            return [*chosen, *((self.prompt_file, str(prompt_file)) if self.prompt_file else ())]
        return chosen if conversation and resume else [*chosen, _pointer(prompt_file)]


class Route(Struct, frozen=True, forbid_unknown_fields=True):
    """Who gets the tasks of a type."""

    agent: str = DEFAULT_AGENT
    model: str = ""
    """Empty: the agent's own choice."""


class Agents(Struct, frozen=True):
    """The agents that there are, and who gets which tasks."""

    by_name: Mapping[str, SessionAgent]
    routes: Mapping[TaskType, Route]

    def agent_named(self, name: str) -> SessionAgent:
        """The agent of a name. Raises SessionError where there is none."""
        if name not in self.by_name:
            known = ", ".join(self.by_name)
            raise SessionError(f"there is no agent {name!r:.80}; there are {known}")
        return self.by_name[name]

    def route(self, task_type: TaskType, agent: str, model: str) -> tuple[SessionAgent, str]:
        """Who gets a task, and with which model: what was asked for, else what the type says. The
        model of a type is that of its agent, and says nothing to another one."""
        default = self.routes.get(task_type, Route())
        chosen = self.agent_named(agent or default.agent)
        return chosen, model or (default.model if chosen.name == default.agent else "")


def read_agents() -> Agents:
    """The agents and routes of the tables, with what the user's file adds and replaces.

    Raises SessionError where that file cannot be read.
    """
    own = _read_own()
    mine = {name: _own_agent(name, row) for name, row in own.agents.items()}
    agents = Agents({**_AGENTS, **mine}, {**_ROUTES, **own.routes})
    for route in agents.routes.values():
        agents.agent_named(route.agent)
    return agents


# The tables


def _built_in(
    name: str,
    command: str,
    *,
    interactive: tuple[str, ...] = (),
    task_resume: tuple[str, ...] = (),
    interactive_resume: tuple[str, ...] = (),
    allowed: tuple[str, ...] = (),
) -> SessionAgent:
    """An agent that the builder runs as well, by the same words, and with those by which it may
    start sessions."""
    row = AGENT_COMMANDS[command]
    return SessionAgent(
        name=name,
        task=(row.executable, *row.arguments, *row.permissions[_PERMISSION_MODE], *allowed),
        interactive=interactive,
        task_resume=task_resume,
        interactive_resume=interactive_resume,
        prompt_file=row.prompt_file,
        reader=row.reader,
        tells_turns=row.tells_turns,
        without=tuple(row.without),
        own_files=row.own_files,
    )


_AGENTS: Final = {
    agent.name: agent
    for agent in (
        _built_in(
            DEFAULT_AGENT,
            "claude",
            interactive=("claude",),
            task_resume=("--resume",),
            interactive_resume=("--resume",),
            allowed=(
                "--allowedTools",
                ",".join(f"Bash(scope {command}:*)" for command in _OWN_COMMANDS),
            ),
        ),
        _built_in("codex", "codex", interactive=("codex",), interactive_resume=("resume",)),
        _built_in("aider", "aider"),
    )
}
_ROUTES: Final[Mapping[TaskType, Route]] = {
    "explore": Route(model="haiku"),  # reads much and writes nothing: the cheapest model will do
}
"""Types that are not here go to the default agent with its own model."""


# What the user adds


class _OwnAgent(Struct, frozen=True, forbid_unknown_fields=True):
    """An agent whose prompt is sent to its standard input, and which prints its result."""

    command: tuple[str, ...]
    interactive: tuple[str, ...] = ()
    model_option: str = ""
    prompt_file: str = ""


class _OwnFile(Struct, frozen=True, forbid_unknown_fields=True):
    agents: dict[str, _OwnAgent] = {}
    routes: dict[TaskType, Route] = {}


def _own_agent(name: str, row: _OwnAgent) -> SessionAgent:
    return SessionAgent(
        name=name,
        task=row.command,
        interactive=row.interactive,
        model_option=row.model_option,
        prompt_file=row.prompt_file,
    )


def configuration_file() -> Path:
    """The file in which the user names agents and routes."""
    given = os.environ.get(CONFIGURATION_VARIABLE)
    if given:
        return Path(given)
    home = os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config"
    return Path(home, "contract-scan", "sessions.toml")


def _read_own() -> _OwnFile:
    path = configuration_file()
    try:
        raw = read_regular(path, _LARGEST)
    except FileNotFoundError:
        return _OwnFile()
    except OSError as error:
        raise SessionError(f"cannot be read: {error.strerror}", str(path)) from None
    try:
        own = msgspec.toml.decode(raw, type=_OwnFile)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise SessionError(f"names no agents and routes: {error}", str(path)) from None
    for name, row in own.agents.items():
        if not row.command or not name.strip() or len(name.splitlines()) != 1:
            raise SessionError(f"the agent {name!r:.60} needs a name and a command", str(path))
    return own


def _pointer(prompt_file: Path) -> str:
    return f"Your task stands in the file {prompt_file}. Read it first, then do it."
