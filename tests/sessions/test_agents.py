"""Who gets which task, and the commands of agents."""

from __future__ import annotations

from pathlib import Path

import pytest

from contract_scan.sessions.agents import read_agents
from contract_scan.sessions.session import Mode, SessionError, TaskType


@pytest.fixture
def own_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    file = tmp_path / "sessions.toml"
    monkeypatch.setenv("SCOPE_CONFIG", str(file))
    return file


@pytest.mark.parametrize(
    ("task_type", "agent", "model", "expected"),
    [
        ("implement", "", "", ("claude-code", "")),
        ("explore", "", "", ("claude-code", "haiku")),
        ("explore", "", "opus", ("claude-code", "opus")),
        ("explore", "codex", "", ("codex", "")),
        ("test", "", "", ("codex", "mini")),
    ],
)
def test_the_type_decides_unless_somebody_else_does(
    own_file: Path, task_type: TaskType, agent: str, model: str, expected: tuple[str, str]
) -> None:
    own_file.write_text('[routes.test]\nagent = "codex"\nmodel = "mini"\n')
    found, chosen = read_agents().route(task_type, agent, model)
    assert (found.name, chosen) == expected


@pytest.mark.parametrize(
    ("name", "mode", "conversation", "words"),
    [
        (
            "claude-code",
            "task",
            "",
            "claude --print --output-format stream-json --verbose --permission-mode acceptEdits"
            " --allowedTools Bash(scope spawn:*),Bash(scope poll:*),Bash(scope wait:*),"
            "Bash(scope list:*),Bash(scope abort:*) --model m",
        ),
        (
            "claude-code",
            "task",
            "c1",
            "claude --print --output-format stream-json --verbose --permission-mode acceptEdits"
            " --allowedTools Bash(scope spawn:*),Bash(scope poll:*),Bash(scope wait:*),"
            "Bash(scope list:*),Bash(scope abort:*) --model m --resume c1",
        ),
        ("claude-code", "interactive", "c1", "claude --model m --resume c1"),
        ("codex", "interactive", "c1", "codex --model m resume c1"),
        ("mine", "task", "c1", "mine -x"),
    ],
)
def test_commands(own_file: Path, name: str, mode: Mode, conversation: str, words: str) -> None:
    own_file.write_text('[agents.mine]\ncommand = ["mine", "-x"]\n')
    agent = read_agents().agent_named(name)
    made = agent.command(mode, model="m", prompt_file=Path("/p"), conversation=conversation)
    assert " ".join(made) == words


def test_a_person_is_told_by_the_file_and_not_by_an_argument(own_file: Path) -> None:
    agent = read_agents().agent_named("claude-code")
    made = agent.command("interactive", model="", prompt_file=Path("/s/p.md"), conversation="")
    assert made == [
        "claude",
        "Your task stands in the file /s/p.md. Read it first, then do it.",
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[agents", "names no agents and routes"),
        ("[agents.x]\n", "names no agents and routes: .*`command`"),
        ("[agents.x]\ncommand = []\n", "the agent 'x' needs a name and a command"),
        ("[routes.cook]\n", "names no agents and routes: .*'cook'"),
        ('[routes.test]\nagent = "none"\n', "there is no agent 'none'"),
        ("[other]\n", "unknown field `other`"),
    ],
)
def test_a_file_that_says_something_else(own_file: Path, text: str, message: str) -> None:
    own_file.write_text(text)
    with pytest.raises(SessionError, match=message):
        read_agents()


def test_an_agent_that_talks_to_nobody(own_file: Path) -> None:
    with pytest.raises(SessionError, match="`aider` cannot talk to a person"):
        read_agents().agent_named("aider").command(
            "interactive", model="", prompt_file=Path("/p"), conversation=""
        )
