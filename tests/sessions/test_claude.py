"""Claude Code in sessions: what its lines say, and its conversation taken up again."""

from __future__ import annotations

from pathlib import Path

import pytest

from contract_scan.sessions.lifecycle import resume
from tests.agents.install import FakeClaude, Scenario
from tests.sessions.project import Project


@pytest.fixture
def claude(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FakeClaude:
    rules = [
        {"when": "Go on: and the tests", "text": "The tests, too."},
        {"when": "Write the login", "text": "Wrote it.", "writes": {"login.py": "ok = True\n"}},
    ]
    return Scenario(rules=rules).install(tmp_path / "claude", monkeypatch)


def test_its_lines_give_the_result_and_the_conversation_goes_on(
    project: Project, claude: FakeClaude
) -> None:
    project.spawn("Write the login", agent="", task_type="implement")
    [ended] = project.ended("0")
    assert (ended.agent, ended.state, ended.reason) == ("claude-code", "done", "")
    assert (ended.result, ended.activity) == ("Wrote it.", "")
    assert (project.folder / "login.py").read_text() == "ok = True\n"
    assert ended.agent_session
    output = (project.store.folder_of("0") / "output").read_text()
    assert "· editing login.py\n" in output

    _, goes_on = resume(project.store, "0", "Go on: and the tests")
    [again] = project.ended("0")
    assert goes_on
    assert again.result == "The tests, too."
    assert claude.prompts[1] == "Go on: and the tests\n"
    assert ["--resume", ended.agent_session] == claude.calls[1]["argv"][-2:]


def test_what_the_agent_is_told(project: Project, claude: FakeClaude) -> None:
    (project.folder / "src dir").mkdir()
    project.spawn("Write the login\n\nin two\nparagraphs", agent="", inputs=("src dir",))
    project.ended("0")
    assert claude.prompts == [
        "# Task\n\nWrite the login\n\nin two\nparagraphs\n\n"
        "## Task Type: Implement\n"
        "Write or modify code to accomplish the task. Return:\n"
        "- Files changed (list)\n- Brief summary of approach\n- Any assumptions made\n\n"
        "## Inputs\nLook at these first:\n- src dir\n\n"
        "## Returning\n"
        "Your last message is the result that whoever started this session reads. Nobody reads"
        " the rest.\n"
    ]
