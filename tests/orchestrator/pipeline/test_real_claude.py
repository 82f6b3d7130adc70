"""A build with the real Claude Code, which talks to a scripted API on the loopback interface.

`CONTRACT_SCAN_TEST_CLAUDE` names the program (`npm install @anthropic-ai/claude-code`).
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from contract_scan.orchestrator.agent_files.hooks import tracked_changes
from contract_scan.orchestrator.config import AGENT_TEAMS_VARIABLE
from contract_scan.orchestrator.execution import ToolUsed
from contract_scan.orchestrator.pipeline import build
from contract_scan.orchestrator.state import RunState
from tests.agents.loopback_api import Conversation, LoopbackApi, loopback_api
from tests.orchestrator.pipeline.shop import PRD, RIGHT, WRONG, configured

CLAUDE = os.environ.get("CONTRACT_SCAN_TEST_CLAUDE", "")
pytestmark = pytest.mark.skipif(not CLAUDE, reason="CONTRACT_SCAN_TEST_CLAUDE names no program")

ONE_MILESTONE = PRD.partition("## Milestone 2")[0].replace(
    "| SVC-002 | Orders.list | /orders | GET | - | { count: number } |\n", ""
)
BOXES = ".agent-team/milestones/milestone-1/REQUIREMENTS.md"
CHECKED = "- [x] REQ-001: An order can be read (review_cycles: 1)\n"


class RealShop:
    """The folder of a shop that the real program builds, and a home of its own for it."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.folder = folder / "shop"
        self.folder.mkdir()
        self.prd = folder / "PRD.md"
        self.prd.write_text(ONE_MILESTONE)
        for name in ("CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT", "ANTHROPIC_AUTH_TOKEN"):
            monkeypatch.delenv(name, raising=False)
        for name, value in {
            "HOME": str(folder / "home"),
            "CLAUDE_CONFIG_DIR": str(folder / "home" / ".claude"),
            "ANTHROPIC_API_KEY": "sk-ant-none",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "DISABLE_AUTOUPDATER": "1",
        }.items():
            monkeypatch.setenv(name, value)
        self.monkeypatch = monkeypatch
        self.tools: list[tuple[str, str]] = []

    def trust(self) -> None:
        """What its user has answered when the real program was started in the folder first."""
        home = Path(os.environ["CLAUDE_CONFIG_DIR"])
        home.mkdir(parents=True)
        answers = {
            "hasCompletedOnboarding": True,
            "customApiKeyResponses": {"approved": ["sk-ant-none"]},
            "projects": {str(self.folder): {"hasTrustDialogAccepted": True}},
        }
        (home / ".claude.json").write_text(json.dumps(answers))

    def writes(self, name: str, text: str) -> list[tuple[str, dict[str, str]]]:
        """The turns in which a file is written: one that is there has to be read before."""
        path = str(self.folder / name)
        return [
            ("Read", {"file_path": path}),
            ("Write", {"file_path": path, "content": text}),
        ]

    def answers_of(self, tool: str) -> list[Any]:
        """What a tool answered in the builds."""
        calls: set[str] = set()
        answers = []
        for file in (self.folder / ".agent-team" / "runs").glob("*/*.lines"):
            for line in file.read_text().splitlines():
                message = json.loads(line).get("message")
                content = message["content"] if isinstance(message, dict) else []
                for block in content if isinstance(content, list) else []:
                    if block.get("name") == tool:
                        calls.add(block["id"])
                    elif block.get("tool_use_id") in calls:
                        answers.append(block["content"])
        return answers

    def build(self, api: LoopbackApi, **settings: object) -> RunState:
        self.monkeypatch.setenv("ANTHROPIC_BASE_URL", api.url)
        config = configured({"depth": "quick", "agent.command": CLAUDE, **settings})
        return build(self.prd, config, project_dir=self.folder, observe=self._see)

    def _see(self, progress: object) -> None:
        if isinstance(progress, ToolUsed):
            self.tools.append((progress.tool, Path(progress.target).name))


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[RealShop]:
    monkeypatch.delenv(AGENT_TEAMS_VARIABLE, raising=False)
    yield RealShop(tmp_path, monkeypatch)


def test_it_builds_and_mends_what_the_scan_finds(shop: RealShop) -> None:
    read, write = shop.writes(BOXES, CHECKED)
    app = shop.writes("app.py", WRONG)[1]
    fix = shop.writes("app.py", RIGHT)
    conversations = (
        Conversation("CONTRACT-001 app.py", [[fix[0]], [fix[1]], ["The field is there."]]),
        Conversation("the milestone `milestone-1`", [[app, read], [write], ["It is built."]]),
    )
    with loopback_api(*conversations) as api:
        state = shop.build(api)
    assert (state.health, state.notes) == ("passed", [])
    assert (shop.folder / "app.py").read_text() == RIGHT
    assert state.completed_tasks == ["milestone-1/code-writer", "contract_endpoint_schema/fix-1"]
    assert state.written_files == [BOXES, "app.py"]
    assert state.total_cost > 0
    assert shop.tools == [
        ("Write", "app.py"),
        ("Read", "REQUIREMENTS.md"),
        ("Write", "REQUIREMENTS.md"),
        ("Read", "app.py"),
        ("Write", "app.py"),
    ]


TASK = "milestone-1/code-writer"
CREATED = {"subject": "Orders", "description": TASK, "metadata": {"builder_task_id": TASK}}
WORKER = {
    "description": TASK,
    "prompt": f"Carry out {TASK}.",
    "subagent_type": "general-purpose",
}
REPORT = f'```json\n{{"task": "{TASK}", "status": "completed", "error": ""}}\n```'


LEAD = Conversation(
    "You lead workers through the tasks",
    [
        [("TaskCreate", CREATED)],
        [("Agent", WORKER)],
        ["The worker is at work."],
        [("TaskUpdate", {"taskId": "1", "status": "completed"})],
        ["All is done."],
    ],
)
VALIDATE = "mcp__contract-engine__validate_endpoint"
RESPONSE = {
    "service_name": "shop",
    "method": "GET",
    "path": "/orders/{id}",
    "response_body": {"id": 1, "total": "5"},
}


@pytest.mark.requirement("TEST-084")
@pytest.mark.parametrize("team", [False, True], ids=["one by one", "worker of a lead"])
def test_agents_have_the_contract_engine_validate_what_they_built(
    team: bool, shop: RealShop
) -> None:
    if team:
        shop.monkeypatch.setenv(AGENT_TEAMS_VARIABLE, "1")
    read, write = shop.writes(BOXES, CHECKED)
    app = shop.writes("app.py", RIGHT)[1]
    turns = [[app, read], [write], [(VALIDATE, RESPONSE)], [f"It is built.\n{REPORT}"]]
    start = f"Carry out {TASK}" if team else "the milestone `milestone-1`"
    with loopback_api(Conversation(start, turns), LEAD) as api:
        state = shop.build(
            api,
            **{
                "agent_teams.enabled": team,
                "contract_engine.enabled": True,
                "contract_engine.validation_on_build": False,
            },
        )
    assert (state.notes, state.health) == ([], "passed")
    (answer,) = shop.answers_of(VALIDATE)
    # The engine was asked, and has no contract of the service yet.
    assert json.loads(answer)["error"].startswith("the service 'shop' has no active contract")


def test_a_team_is_looked_for_and_done_without(shop: RealShop) -> None:
    """In print mode the lead has the tools for tasks, and workers are agents in the background."""
    shop.monkeypatch.setenv(AGENT_TEAMS_VARIABLE, "1")
    read, write = shop.writes(BOXES, CHECKED)
    app = shop.writes("app.py", RIGHT)[1]
    worker = Conversation(f"Carry out {TASK}", [[app, read], [write], [f"It is built.\n{REPORT}"]])
    with loopback_api(worker, LEAD) as api:
        state = shop.build(api, **{"agent_teams.enabled": True})
    assert state.notes == []
    assert state.health == "passed"
    assert state.completed_tasks == [TASK]
    assert state.written_files == [BOXES, "app.py"]
    # The real program has read the hooks: they have noted what was written.
    assert {Path(change.file_path).name for change in tracked_changes(shop.folder)} == {
        "app.py",
        "REQUIREMENTS.md",
    }


@pytest.mark.requirement("WIRE-009")
def test_teammates_in_a_terminal_have_the_tools_of_the_servers(shop: RealShop) -> None:
    shop.monkeypatch.setenv(AGENT_TEAMS_VARIABLE, "1")
    shop.trust()
    read, write = shop.writes(BOXES, CHECKED)
    app = shop.writes("app.py", RIGHT)[1]
    to_lead = {"to": "team-lead", "summary": "done", "message": f"It is built.\n{REPORT}"}
    conversations = (
        Conversation(
            f"Carry out {TASK}",
            [
                [app, read],
                [write],
                [(VALIDATE, RESPONSE)],
                [("SendMessage", to_lead)],
                [f"It is built.\n{REPORT}"],
            ],
        ),
        Conversation(
            "wave-1-1.lead.md",
            [
                [("TaskCreate", CREATED)],
                [("Agent", {**WORKER, "name": "code-writer-1-1"})],
                ["The teammate is at work."],
                [("TaskUpdate", {"taskId": "1", "status": "completed"})],
                ["All is done."],
            ],
        ),
    )
    with loopback_api(*conversations) as api:
        state = shop.build(
            api,
            **{
                "agent_teams.enabled": True,
                "agent_teams.interactive": True,
                "contract_engine.enabled": True,
                "contract_engine.validation_on_build": False,
            },
        )
    assert (state.notes, state.health) == ([], "passed")
    (told,) = (shop.folder / ".agent-team" / "runs").glob("*/wave-1.servers.jsonl")
    assert told.read_text() == '"contract-engine"\n'
    (lines,) = (shop.folder / ".agent-team" / "runs").glob("*/wave-1.hooks.jsonl")
    events = [json.loads(line) for line in lines.read_text().splitlines()]
    answers = [
        each
        for each in events
        if each["hook_event_name"] == "PostToolUse" and each["tool_name"] == VALIDATE
    ]
    # The engine was asked, and has no contract of the service yet.
    assert "the service 'shop' has no active contract" in json.dumps(answers)


def test_a_team_forms_in_a_terminal(shop: RealShop) -> None:
    shop.monkeypatch.setenv(AGENT_TEAMS_VARIABLE, "1")
    shop.trust()
    read, write = shop.writes(BOXES, CHECKED)
    app = shop.writes("app.py", RIGHT)[1]
    to_lead = {"to": "team-lead", "summary": "done", "message": f"It is built.\n{REPORT}"}
    conversations = (
        Conversation(
            f"Carry out {TASK}",
            [
                [app, read],
                [write, ("Bash", {"command": "python3 -c \"open('unasked', 'w')\""})],
                [("SendMessage", to_lead)],
                [f"It is built.\n{REPORT}"],
            ],
        ),
        Conversation(
            "wave-1-1.lead.md",
            [
                [("TaskCreate", CREATED)],
                [("Agent", {**WORKER, "name": "code-writer-1-1"})],
                ["The teammate is at work."],
                [("TaskUpdate", {"taskId": "1", "status": "completed"})],
                ["All is done."],
            ],
        ),
    )
    with loopback_api(*conversations) as api:
        state = shop.build(api, **{"agent_teams.enabled": True, "agent_teams.interactive": True})
    assert state.notes == []
    assert state.health == "passed"
    assert state.completed_tasks == [TASK]
    assert state.written_files == [BOXES, "app.py"]
    (told,) = (shop.folder / ".agent-team" / "runs").glob("*/wave-1.hooks.jsonl")
    events = [json.loads(line) for line in told.read_text().splitlines()]
    answers = [each["tool_response"] for each in events if "tool_response" in each]
    assert "teammate_spawned" in [answer.get("status") for answer in answers]
    assert "TeammateIdle" in [each["hook_event_name"] for each in events]
    # Nobody is there who could allow a command.
    assert not (shop.folder / "unasked").exists()
