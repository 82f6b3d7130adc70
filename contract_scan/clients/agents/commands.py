"""The command lines of agents that write code: one row for each.

A prompt is never an argument: it would show up in the list of processes and may be too long. It
is sent to the standard input, or lies in a file where the agent reads none.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final, Protocol

from contract_scan.clients.agents.claude_hooks import ClaudeHookLines
from contract_scan.clients.agents.claude_lines import ClaudeLines
from contract_scan.clients.agents.codex_lines import CodexLines
from contract_scan.clients.agents.events import Event
from contract_scan.clients.agents.plain_lines import PlainLines

Servers = Mapping[str, Mapping[str, Any]]
"""MCP servers by name, in the form of Claude Code's `mcpServers`."""


class LineReader(Protocol):
    """Turns the lines of one run into events."""

    def read(self, line: bytes) -> Iterator[Event]: ...


@dataclass(frozen=True)
class AgentCommand:
    """How one agent is run for one prompt."""

    executable: str
    arguments: tuple[str, ...]
    reader: Callable[[], LineReader]
    permissions: Mapping[str, tuple[str, ...]]
    """Permission mode (by Claude Code's names) -> what says so."""
    servers: Callable[[Servers, Path], tuple[str, ...]]
    """What names MCP servers; the path is that of a file which holds them as `mcpServers`."""
    servers_allowed: Callable[[Servers], tuple[str, ...]]
    """What lets the agent call their tools: nobody is there whom it could ask."""
    tells_turns: bool = True
    """Whether its lines say when a turn has ended; a run without such a line has failed."""
    prompt_file: str = ""
    """The option for the file of the prompt; empty: the prompt is sent to the standard input."""
    outside_repositories: tuple[str, ...] = ()
    """What is said where the project is in no git repository."""
    without: Collection[str] = field(default=())
    """Variables that the agent must not inherit."""
    own_files: tuple[str, ...] = ()
    """Names, as patterns, of what it keeps for itself in the folder that it works in."""

    def line(
        self,
        *,
        executable: str,
        model: str,
        permission_mode: str,
        servers: Servers,
        servers_file: Path,
        prompt_file: Path,
        in_repository: bool = True,
    ) -> list[str]:
        """The words of the command. An empty `executable` or `model` is the agent's own."""
        may_act = permission_mode not in _ASKING_MODES
        prompt = (self.prompt_file, str(prompt_file)) if self.prompt_file else ()
        return [
            executable or self.executable,
            *self.arguments,
            *(() if in_repository else self.outside_repositories),
            *(("--model", model) if model else ()),
            *self.permissions[permission_mode],
            *(self.servers(servers, servers_file) if servers else ()),
            *(self.servers_allowed(servers) if servers and may_act else ()),
            *prompt,
        ]


def servers_document(servers: Servers) -> bytes:
    """The file of MCP servers that Claude Code reads."""
    return json.dumps({"mcpServers": servers}, indent=2).encode()


def _claude_servers(_: Servers, file: Path) -> tuple[str, ...]:
    return ("--mcp-config", str(file))


_CODEX_SERVER_KEYS: Final = {
    "command": "command",
    "args": "args",
    "env": "env",
    "url": "url",
    "headers": "http_headers",
}
"""Key of `mcpServers` -> Codex's."""


def _claude_servers_allowed(servers: Servers) -> tuple[str, ...]:
    return ("--allowedTools", ",".join(f"mcp__{name}" for name in servers))


def _codex_servers(servers: Servers, _: Path) -> tuple[str, ...]:
    """Settings, each a path of names and a value in TOML, whose strings, lists and inline tables
    are written by JSON's rules, but for the sign between key and value. Codex splits the path at
    dots and takes each part as it is, quotes included."""
    words: list[str] = []
    for name, entry in servers.items():
        for key, codex_key in _CODEX_SERVER_KEYS.items():
            if entry.get(key):
                setting = f"mcp_servers.{name}.{codex_key}={_toml(entry[key])}"
                words += ("--config", setting)
    return tuple(words)


def _codex_servers_allowed(servers: Servers) -> tuple[str, ...]:
    settings = (f'mcp_servers.{name}.default_tools_approval_mode="approve"' for name in servers)
    return tuple(word for setting in settings for word in ("--config", setting))


def _toml(value: object) -> str:
    if isinstance(value, Mapping):
        pairs = (f"{json.dumps(str(key))} = {_toml(each)}" for key, each in value.items())
        return f"{{ {', '.join(pairs)} }}"
    return json.dumps(value, ensure_ascii=False)


def _no_servers(*_: object) -> tuple[str, ...]:
    return ()


def _sandbox(mode: str) -> tuple[str, ...]:
    return ("--sandbox", mode)


_ASKING_MODES: Final = ("manual", "plan")
"""Permission modes in which an agent changes nothing that nobody has agreed to."""
_CLAUDE_MODES: Final = ("acceptEdits", "auto", "bypassPermissions", "dontAsk", "manual", "plan")

AGENT_COMMANDS: Final[Mapping[str, AgentCommand]] = {
    "claude": AgentCommand(
        executable="claude",
        arguments=("--print", "--output-format", "stream-json", "--verbose"),
        reader=ClaudeLines,
        permissions={mode: ("--permission-mode", mode) for mode in _CLAUDE_MODES},
        servers=_claude_servers,
        servers_allowed=_claude_servers_allowed,
        without=("CLAUDECODE",),
    ),
    "codex": AgentCommand(
        executable="codex",
        arguments=("exec", "--json", "--skip-git-repo-check", "-"),
        reader=CodexLines,
        permissions={
            "acceptEdits": _sandbox("workspace-write"),
            "auto": _sandbox("workspace-write"),
            "bypassPermissions": ("--dangerously-bypass-approvals-and-sandbox",),
            "dontAsk": _sandbox("workspace-write"),
            "manual": _sandbox("read-only"),
            "plan": _sandbox("read-only"),
        },
        servers=_codex_servers,
        servers_allowed=_codex_servers_allowed,
    ),
    "aider": AgentCommand(
        executable="aider",
        arguments=(
            "--no-pretty",
            "--no-stream",
            "--no-auto-commits",
            "--no-dirty-commits",
            "--no-check-update",
            # `--yes-always` would say yes to these for the user, too.
            "--no-analytics",
            "--no-show-release-notes",
            "--no-gitignore",
            "--no-detect-urls",
            "--no-suggest-shell-commands",
        ),
        outside_repositories=("--no-git",),
        reader=PlainLines,
        permissions={
            "acceptEdits": ("--yes-always",),
            "auto": ("--yes-always",),
            "bypassPermissions": ("--yes-always",),
            "dontAsk": ("--yes-always",),
            "manual": ("--yes-always", "--dry-run"),
            "plan": ("--yes-always", "--dry-run"),
        },
        servers=_no_servers,
        servers_allowed=_no_servers,
        tells_turns=False,
        prompt_file="--message-file",
        own_files=(".aider*",),  # what it adds to `.gitignore`, which `--no-gitignore` forbids
    ),
}
"""By the names that the configuration has for them."""

CLAUDE_WITH_LINES: Final = replace(
    AGENT_COMMANDS["claude"],
    arguments=(*AGENT_COMMANDS["claude"].arguments, "--input-format", "stream-json"),
)
"""Claude Code in its print mode, told more than one prompt: a line of JSON each."""

CLAUDE_IN_TERMINAL: Final = replace(AGENT_COMMANDS["claude"], arguments=(), reader=ClaudeHookLines)
"""Claude Code in a terminal, where it forms teams: it prints for people, and what it does is told
by hooks."""
