"""The command lines of agents, and the lines that other agents than Claude Code print."""

from __future__ import annotations

import json
import tomllib
from itertools import pairwise
from pathlib import Path
from typing import get_args

import pytest

from contract_scan.clients.agents import (
    AGENT_COMMANDS,
    Event,
    FileWritten,
    TextWritten,
    ToolCalled,
    Transcript,
    TurnEnded,
    Unreadable,
    servers_document,
)
from contract_scan.clients.agents.codex_lines import CodexLines
from contract_scan.clients.agents.events import AgentReady
from contract_scan.clients.agents.plain_lines import PlainLines
from contract_scan.orchestrator.config import AgentName, PermissionMode

RECORDED = Path(__file__).parents[2] / "data" / "codex" / "writes_and_runs.jsonl"
SERVERS = {"contract-engine": {"command": "python", "args": ["-m", "engine"], "env": {"DB": "a b"}}}


def line_of(
    agent: str,
    *,
    executable: str = "",
    model: str = "",
    mode: str = "acceptEdits",
    in_repository: bool = True,
) -> str:
    words = AGENT_COMMANDS[agent].line(
        executable=executable,
        model=model,
        permission_mode=mode,
        servers={},
        servers_file=Path("servers.json"),
        prompt_file=Path("prompt.md"),
        in_repository=in_repository,
    )
    return " ".join(words)


def test_the_commands() -> None:
    assert {agent: line_of(agent) for agent in AGENT_COMMANDS} == {
        "claude": "claude --print --output-format stream-json --verbose"
        " --permission-mode acceptEdits",
        "codex": "codex exec --json --skip-git-repo-check - --sandbox workspace-write",
        "aider": "aider --no-pretty --no-stream --no-auto-commits --no-dirty-commits"
        " --no-check-update --no-analytics --no-show-release-notes --no-gitignore --no-detect-urls"
        " --no-suggest-shell-commands --yes-always --message-file prompt.md",
    }


def test_another_executable_and_another_model() -> None:
    assert line_of("codex", executable="/opt/codex", model="large", mode="plan") == (
        "/opt/codex exec --json --skip-git-repo-check - --model large --sandbox read-only"
    )


def test_aider_makes_no_repository_where_there_is_none() -> None:
    """Asked whether to, `--yes-always` says yes."""
    assert " --no-git " in line_of("aider", in_repository=False)
    assert " --no-git " not in line_of("aider")
    assert line_of("codex", in_repository=False) == line_of("codex")


def test_every_agent_of_the_configuration_has_a_command_for_every_mode() -> None:
    assert {*AGENT_COMMANDS} == {*get_args(AgentName)}
    for command in AGENT_COMMANDS.values():
        assert {*command.permissions} == {*get_args(PermissionMode)}


def test_claude_reads_servers_from_a_file() -> None:
    words = AGENT_COMMANDS["claude"].line(
        executable="",
        model="",
        permission_mode="plan",
        servers=SERVERS,
        servers_file=Path("servers.json"),
        prompt_file=Path("prompt.md"),
    )
    assert words[-2:] == ["--mcp-config", "servers.json"]
    assert json.loads(servers_document(SERVERS)) == {"mcpServers": SERVERS}


@pytest.mark.requirement("TEST-084")
@pytest.mark.parametrize("mode", ["acceptEdits", "dontAsk", "plan", "manual"])
def test_tools_of_servers_need_nobody_to_ask(mode: str) -> None:
    def words(agent: str) -> list[str]:
        return AGENT_COMMANDS[agent].line(
            executable="",
            model="",
            permission_mode=mode,
            servers={**SERVERS, "docs": {"command": "docs-server"}},
            servers_file=Path("servers.json"),
            prompt_file=Path("prompt.md"),
        )

    if mode in ("plan", "manual"):
        assert "--allowedTools" not in words("claude")
        assert not any("approval" in word for word in words("codex"))
    else:
        assert words("claude")[-2:] == ["--allowedTools", "mcp__contract-engine,mcp__docs"]
        assert words("codex")[-4:] == [
            "--config",
            'mcp_servers.contract-engine.default_tools_approval_mode="approve"',
            "--config",
            'mcp_servers.docs.default_tools_approval_mode="approve"',
        ]


def test_codex_takes_servers_as_settings() -> None:
    """It splits the path of a setting at dots and takes the parts as they are, and reads the value
    as TOML."""
    servers = {
        **SERVERS,
        "docs": {"url": "https://docs.example/mcp", "headers": {"X-Team": "Gr\u00fcn \U0001f600"}},
    }
    words = AGENT_COMMANDS["codex"].line(
        executable="",
        model="",
        permission_mode="plan",
        servers=servers,
        servers_file=Path("servers.json"),
        prompt_file=Path("prompt.md"),
    )
    settings = [word for before, word in pairwise(words) if before == "--config"]
    read: dict[tuple[str, ...], object] = {}
    for setting in settings:
        path, _, value = setting.partition("=")
        read[tuple(path.split("."))] = tomllib.loads(f"it = {value}")["it"]
    assert read == {
        ("mcp_servers", "contract-engine", "command"): "python",
        ("mcp_servers", "contract-engine", "args"): ["-m", "engine"],
        ("mcp_servers", "contract-engine", "env"): {"DB": "a b"},
        ("mcp_servers", "docs", "url"): "https://docs.example/mcp",
        ("mcp_servers", "docs", "http_headers"): {"X-Team": "Gr\u00fcn \U0001f600"},
    }


def events_of(reader: CodexLines | PlainLines, lines: bytes) -> list[Event]:
    return [event for line in lines.splitlines() for event in reader.read(line)]


CODEX = b"""\
{"type":"thread.started","thread_id":"thread-1"}
{"type":"turn.started"}
{"type":"item.started","item":{"id":"item_0","type":"command_execution","command":"ls"}}
{"type":"item.completed","item":{"id":"item_1","type":"file_change","status":"completed","changes":\
[{"path":"a.py","kind":"add"},{"path":"b.py","kind":"update"},{"path":"c.py","kind":"delete"}]}}
{"type":"item.completed","item":{"id":"item_2","type":"file_change","status":"failed","changes":\
[{"path":"d.py","kind":"add"}]}}
{"type":"item.completed","item":{"id":"item_3","type":"agent_message","text":"Both done."}}
{"type":"turn.completed","usage":{"input_tokens":10,"output_tokens":5}}
"""


def test_lines_of_codex() -> None:
    assert events_of(CodexLines(), CODEX) == [
        AgentReady("thread-1"),
        ToolCalled("item_0", "command", {"command": "ls"}),
        FileWritten("a.py", created=True),
        FileWritten("b.py", created=False),
        TextWritten("Both done."),
        TurnEnded("Both done."),
    ]


def test_a_run_of_codex_that_was_recorded() -> None:
    assert events_of(CodexLines(), RECORDED.read_bytes()) == [
        AgentReady("01a221fa-292e-73d2-abb5-b47dbe960f6b"),
        ToolCalled("item_0", "file_change", {"path": "/home/dev/shop/api.py"}),
        FileWritten("/home/dev/shop/api.py", created=True),
        ToolCalled("item_1", "command", {"command": "/bin/bash -lc ls"}),
        ToolCalled("item_2", "file_change", {"path": "/home/dev/shop/api.py"}),
        FileWritten("/home/dev/shop/api.py", created=False),
        TextWritten("The API is there."),
        TurnEnded("The API is there."),
    ]


@pytest.mark.parametrize(
    ("line", "events"),
    [
        (b"not json", [Unreadable("not json")]),
        (b"[]", [Unreadable("[]")]),
        (b"", []),
        (
            b'{"type":"turn.failed","error":{"message":"usage limit"}}',
            [TurnEnded("", "usage limit")],
        ),
        (
            b'{"type":"item.started","item":{"id":"i","type":"mcp_tool_call","server":"docs",'
            b'"tool":"find","arguments":{"name":"x"}}}',
            [ToolCalled("i", "docs.find", {"name": "x"})],
        ),
        (b'{"type":"item.started","item":{"id":"i","type":"reasoning"}}', []),
        (b'{"type":"turn.failed"}', [TurnEnded("", "failed")]),
        (b'{"type":"error","message":"stream lost"}', [TurnEnded("", "stream lost")]),
        (
            b'{"type":"item.completed","item":{"item_type":"assistant_message","text":"old"}}',
            [TextWritten("old")],
        ),
    ],
)
def test_other_lines_of_codex(line: bytes, events: list[Event]) -> None:
    assert [*CodexLines().read(line)] == events


def test_lines_of_aider() -> None:
    transcript = Transcript()
    for event in events_of(PlainLines(), b"Aider v0.86\n\nApplied edit to src/a.py\nDone.\n"):
        transcript.add(event)
    assert transcript.text == "Aider v0.86\n\nApplied edit to src/a.py\nDone."
    assert transcript.files == {"src/a.py": False}
