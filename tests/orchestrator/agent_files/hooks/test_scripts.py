"""The scripts of the hooks, run as Claude Code runs them: by a shell, with JSON on their input."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from contract_scan.orchestrator.agent_files.hooks import (
    HookInput,
    generate_hooks_config,
    tracked_changes,
    write_hooks_to_project,
)
from contract_scan.orchestrator.config import AgentTeamConfig
from contract_scan.orchestrator.plan import count_checkboxes

SHELLS = [name for name in ("dash", "bash", "zsh") if shutil.which(name)]
"""What may run a script that says `#!/bin/sh`, on one system or another."""

DONE, OPEN = "- [x] REQ-001: orders\n", "- [ ] REQ-002: items\n"
HALF = DONE + OPEN
REFUSED = (
    "REQUIREMENTS.md only 0.50 complete (threshold: 0.8)\n"
    "1 of 2 items are open. Work on them, and check off what is done and tested. Where\n"
    "they are no part of your task, end again.\n"
)
UNREADABLE = "contract-scan: what came on standard input is no input of a hook\n"


@dataclass
class Project:
    """A project with hooks, whose path is hard to quote."""

    folder: Path
    requirements: str = ""
    environment: dict[str, str] = field(default_factory=dict)

    def install(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        given = Path(self.requirements) if self.requirements else None
        config = generate_hooks_config(AgentTeamConfig(), self.folder, given)
        write_hooks_to_project(config, self.folder)

    def write(self, text: str, name: str = "REQUIREMENTS.md") -> None:
        file = self.folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")

    def run(
        self, event: str, script: str, told: dict[str, Any] | str | bytes, shell: str = ""
    ) -> tuple[int, str]:
        """Exit status and standard error of a hook; with `shell`, run by that one."""
        settings = json.loads((self.folder / ".claude" / "settings.local.json").read_bytes())
        command = next(
            handler["command"]
            for group in settings["hooks"][event]
            for handler in group["hooks"]
            if handler.get("command", "").endswith(script)
        )
        if isinstance(told, dict):
            base = {"hook_event_name": event, "session_id": "s-1", "cwd": str(self.folder)}
            told = json.dumps({**base, **told})
        done = subprocess.run(
            ["sh", "-c", f"{shell} {command}"],
            input=told if isinstance(told, bytes) else told.encode("utf-8", "surrogatepass"),
            cwd="/",
            env={
                **os.environ,
                "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
                "CLAUDE_PROJECT_DIR": str(self.folder),
                **self.environment,
            },
            capture_output=True,
            timeout=300,
            check=False,
        )
        assert done.stdout == b""
        return done.returncode, done.stderr.decode()

    def stop(self, told: dict[str, Any] | str | bytes = "", shell: str = "") -> tuple[int, str]:
        return self.run("Stop", "quality-gate.sh", told or {}, shell)

    def idle(self, **told: Any) -> tuple[int, str]:
        given = {"team_name": "session-1", "teammate_name": "alice", **told}
        return self.run("TeammateIdle", "teammate-idle-check.sh", given)

    def wrote(self, told: dict[str, Any] | str) -> tuple[int, str]:
        return self.run("PostToolUse", "track-file-change.sh", told)


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """One whose name a shell could take for something else."""
    made = Project(tmp_path / 'it\'s "my" $(touch hacked) `shop` & co')
    made.install()
    return made


@pytest.fixture
def plain(tmp_path: Path) -> Project:
    made = Project(tmp_path / "shop")
    made.install()
    return made


@pytest.mark.requirement("REQ-013", "REQ-016", "TEST-092")
@pytest.mark.parametrize("shell", ["", *SHELLS])
def test_an_agent_does_not_stop_while_too_much_is_open(project: Project, shell: str) -> None:
    project.write(HALF)
    assert project.stop(shell=shell) == (2, REFUSED)
    project.write(DONE * 10)
    assert project.stop(shell=shell) == (0, "")
    assert not Path("/hacked").exists()


@pytest.mark.parametrize(
    ("done", "left", "status"), [(4, 1, 0), (7, 2, 2), (799, 201, 2), (800, 200, 0), (0, 3, 2)]
)
def test_the_threshold_is_reached_exactly(
    done: int, left: int, status: int, plain: Project
) -> None:
    plain.write(DONE * done + OPEN * left)
    assert plain.stop()[0] == status


@pytest.mark.parametrize(
    "text",
    [
        "",
        "# Nothing to check off\n",
        "- [x] one\n* [X] two\n+ [ ] three\n  - [x] four\n",
        "```\n- [ ] an example\n```\n- [x] one\n",
        "~~~~\n- [ ] an example\n```\n~~~~\n- [x] one\n",
        "   ```sh\n- [ ] an example\n   ````\n- [x] one\n",
        "```\n- [ ] a fence that nothing ends\n",
        "- [x] one\r\n- [ ] two\r\n- [x]three\r\n-[ ] four\r\n",
        "- [x] größer \u2028 \U0001f600\n- [ ] two",
        "text - [ ] in a line\n> - [ ] quoted\n1. [ ] numbered\n- [x] one\n",
    ],
)
def test_the_gate_counts_as_the_build_does(text: str, plain: Project) -> None:
    boxes = count_checkboxes(text)
    plain.write(text)
    status, said = plain.stop()
    assert status == (2 if boxes.total and boxes.ratio < 0.8 else 0)
    if status == 2:
        assert f"\n{boxes.total - boxes.checked} of {boxes.total} items are open." in said


def test_nobody_is_refused_again_and_again(plain: Project) -> None:
    plain.write(HALF)
    assert plain.stop({"stop_hook_active": True}) == (0, "")
    assert plain.stop({"stop_hook_active": False}) == (2, REFUSED)


def test_an_agent_that_waits_for_others_may_wait(plain: Project) -> None:
    plain.write(HALF)
    running = {"id": "a1", "type": "subagent", "status": "running"}
    ended = {"id": "a2", "type": "subagent", "status": "completed"}
    assert plain.stop({"background_tasks": [ended, running]}) == (0, "")
    assert plain.stop({"background_tasks": [ended]}) == (2, REFUSED)
    assert plain.stop({"background_tasks": []}) == (2, REFUSED)


def test_requirements_lie_where_the_agent_works_or_in_the_project(plain: Project) -> None:
    assert plain.stop() == (0, "")
    plain.write(HALF, ".agent-team/REQUIREMENTS.md")
    assert plain.stop() == (2, REFUSED)
    plain.write(DONE, "work tree/REQUIREMENTS.md")
    assert plain.stop({"cwd": str(plain.folder / "work tree")}) == (0, "")
    assert plain.stop({"cwd": str(plain.folder / "gone")}) == (2, REFUSED)
    assert plain.stop({"cwd": 5}) == (2, REFUSED)


def test_in_a_build_the_milestones_that_are_worked_on_count(plain: Project) -> None:
    plain.write(OPEN, ".agent-team/REQUIREMENTS.md")
    plan = (
        "## Milestone 1: A\n\n- ID: m-1\n- Status: {}\n\n"
        "## Milestone 2: B\n\n- ID: m-2\n- Status: {}\n\n"
        "## Milestone 3: C\n\n- ID: ../m-3\n- Status: PENDING\n"
    )
    for number, text in (("1", DONE * 9), ("2", OPEN)):
        plain.write(text, f".agent-team/milestones/m-{number}/REQUIREMENTS.md")
    plain.write(plan.format("IN_PROGRESS", "PENDING"), ".agent-team/MASTER_PLAN.md")
    assert plain.stop() == (0, "")
    plain.write(plan.format("IN_PROGRESS", "IN_PROGRESS"), ".agent-team/MASTER_PLAN.md")
    assert plain.stop() == (0, "")
    plain.write(plan.format("COMPLETE", "IN_PROGRESS"), ".agent-team/MASTER_PLAN.md")
    status, said = plain.stop()
    assert (status, said.splitlines()[0]) == (
        2,
        "REQUIREMENTS.md only 0.00 complete (threshold: 0.8)",
    )
    plain.write(plan.format("COMPLETE", "PENDING"), ".agent-team/MASTER_PLAN.md")
    assert plain.stop() == (0, "")


@pytest.mark.parametrize("name", ["docs/what we want.md", 'it\'s "$(touch hacked)".md'])
def test_requirements_may_be_called_otherwise(name: str, tmp_path: Path) -> None:
    project = Project(tmp_path / "shop", requirements=name)
    project.install()
    project.write(DONE)
    project.write(HALF, name)
    assert project.stop() == (2, REFUSED)


def test_requirements_may_lie_outside_of_the_project(tmp_path: Path) -> None:
    (tmp_path / "PRD.md").write_text(HALF)
    project = Project(tmp_path / "shop", requirements=str(tmp_path / "PRD.md"))
    project.install()
    assert project.stop() == (2, REFUSED)


HOSTILE = [
    "",
    "not json",
    "[]",
    "null",
    '{"cwd": ',
    b"\xff\xfe\x00",
    "[" * 300_000,
]


@pytest.mark.parametrize("told", HOSTILE, ids=range(len(HOSTILE)))
def test_input_that_is_none_is_reported_and_refuses_nothing(
    told: str | bytes, plain: Project
) -> None:
    plain.write(HALF)
    for event, script in (
        ("Stop", "quality-gate.sh"),
        ("Stop", "contract-gate.sh"),
        ("TeammateIdle", "teammate-idle-check.sh"),
        ("PostToolUse", "track-file-change.sh"),
    ):
        assert plain.run(event, script, told) == (1, UNREADABLE)


@pytest.mark.parametrize(
    "cwd",
    ["$(touch hacked)", "`touch hacked`", "'; touch hacked; '", "a\nb", "-", "\0", "\ud800", {}],
)
def test_values_of_the_input_are_never_run(cwd: Any, plain: Project) -> None:
    plain.write(HALF)
    assert plain.stop({"cwd": cwd, "session_id": "../../x", "hook_event_name": "$(x)"}) == (
        2,
        REFUSED,
    )
    assert not Path("/hacked").exists()


def test_modules_of_the_project_are_not_run(plain: Project) -> None:
    plain.write("raise SystemExit('run')\n", "json.py")
    plain.environment = {"PYTHONPATH": str(plain.folder)}
    plain.write(HALF)
    assert plain.stop() == (2, REFUSED)


def test_without_python_the_hooks_say_so_and_refuse_nothing(plain: Project, tmp_path: Path) -> None:
    programs = tmp_path / "programs"
    programs.mkdir()
    for name in ("sh", "cat", "grep", "awk", "mkdir"):
        found = shutil.which(name)
        assert found is not None
        (programs / name).symlink_to(found)
    for script in (plain.folder / ".claude" / "hooks").iterdir():
        lines = script.read_text().splitlines(keepends=True)
        gone = ["own_python=/gone/python\n" if it.startswith("own_python=") else it for it in lines]
        script.write_text("".join(gone))
    plain.environment = {"PATH": str(programs)}
    plain.write(HALF)
    said = "contract-scan: this hook needs Python 3 on the PATH, and did nothing\n"
    assert plain.stop() == (1, said)
    assert plain.idle() == (1, said)
    assert plain.wrote({}) == (1, said)


def test_the_python_that_wrote_the_hooks_serves_where_none_is_on_the_path(
    plain: Project, tmp_path: Path
) -> None:
    programs = tmp_path / "programs"
    programs.mkdir()
    for name in ("sh", "cat", "grep", "awk"):
        (programs / name).symlink_to(shutil.which(name) or "")
    plain.environment = {"PATH": str(programs)}
    plain.write(HALF)
    assert plain.stop() == (2, REFUSED)


def test_a_script_that_is_gone_refuses_nothing(plain: Project) -> None:
    (plain.folder / ".claude" / "hooks" / "quality-gate.sh").unlink()
    assert plain.stop()[0] == 127


# Idle teammates


@pytest.fixture
def tasks(project: Project, tmp_path: Path) -> Path:
    """The folder of the team's tasks."""
    home = tmp_path / "claude home"
    project.environment = {"CLAUDE_CONFIG_DIR": str(home), "CLAUDE_CODE_TASK_LIST_ID": ""}
    folder = home / "tasks" / "session-1"
    folder.mkdir(parents=True)
    return folder


def add(folder: Path, number: int, status: str = "pending", **rest: Any) -> None:
    task = {"id": str(number), "subject": "$(x)", "status": status, "blockedBy": [], **rest}
    (folder / f"{number}.json").write_text(json.dumps(task))


def sent_back(*numbers: int) -> tuple[int, str]:
    listed = " ".join(map(str, numbers))
    return 2, (
        f"{len(numbers)} pending unblocked tasks are left: {listed}."
        " Take one with TaskUpdate and carry it out.\n"
    )


@pytest.mark.requirement("REQ-012")
def test_a_teammate_does_not_rest_while_there_are_tasks_for_it(
    project: Project, tasks: Path
) -> None:
    add(tasks, 1, "completed")
    add(tasks, 2, "in_progress", owner="bob")
    add(tasks, 3, blockedBy=["2"])
    assert project.idle() == (0, "")
    add(tasks, 4, blockedBy=["1"])
    add(tasks, 10, owner="alice")
    add(tasks, 11, owner="bob")
    (tasks / "12.json").write_text('{"id": "12", "sta')
    (tasks / ".lock").touch()
    assert project.idle() == sent_back(4, 10)
    assert project.idle(teammate_name="bob") == sent_back(4, 11)


def test_a_teammate_that_takes_nothing_may_rest_at_last(project: Project, tasks: Path) -> None:
    add(tasks, 1)
    assert [project.idle()[0] for _ in range(5)] == [2, 2, 2, 0, 0]
    add(tasks, 2)
    assert project.idle() == sent_back(1, 2)


def test_a_team_without_a_list_may_rest(project: Project, tasks: Path) -> None:
    add(tasks, 1)
    add(tasks.parent, 1)
    for name in ("session-2", "", ".", "..", "../tasks/session-1", "session-1/", 5, None):
        assert project.idle(team_name=name) == (0, "")


def test_a_list_may_be_chosen_by_its_variable(project: Project, tasks: Path) -> None:
    add(tasks, 1)
    project.environment["CLAUDE_CODE_TASK_LIST_ID"] = "session-1"
    assert project.idle(team_name="") == sent_back(1)
    project.environment["CLAUDE_CODE_TASK_LIST_ID"] = "../tasks/session-1"
    assert project.idle(team_name="") == (0, "")


# Writes


def write(project: Project, file: Any, tool: str = "Write") -> tuple[int, str]:
    given = {"file_path": file, "content": "x" * 100_000}
    return project.wrote({"tool_name": tool, "tool_input": given, "tool_response": {"ok": True}})


@pytest.mark.requirement("REQ-015")
def test_writes_are_logged(project: Project) -> None:
    odd = '/srv/it\'s\n"odd" $(x).py'
    assert write(project, odd) == (0, "")
    assert write(project, "/srv/b.py", "Edit") == (0, "")
    assert write(project, 5) == (0, "")
    assert project.wrote({"tool_name": "Write"}) == (0, "")
    assert tracked_changes(project.folder) == [
        HookInput(
            session_id="s-1",
            cwd=str(project.folder),
            hook_event_name="PostToolUse",
            tool_name=tool,
            tool_input={"file_path": file},
        )
        for tool, file in (("Write", odd), ("Edit", "/srv/b.py"))
    ]
    assert [change.file_path for change in tracked_changes(project.folder)] == [odd, "/srv/b.py"]


def test_a_line_that_is_cut_off_is_left_out(plain: Project) -> None:
    write(plain, "/srv/a.py")
    log = plain.folder / ".agent-team" / "hooks" / "changes.jsonl"
    log.write_text(log.read_text() + '{"tool_name": "Wri')
    assert [change.file_path for change in tracked_changes(plain.folder)] == ["/srv/a.py"]


@pytest.mark.parametrize("link", [".agent-team", ".agent-team/hooks"])
def test_hooks_remember_nothing_outside_of_the_project(
    link: str, plain: Project, tmp_path: Path
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    place = plain.folder / link
    place.parent.mkdir(exist_ok=True)
    place.symlink_to(outside)
    state = plain.folder / ".agent-team" / "hooks"
    said = f"contract-scan: {state} is reached by a link; nothing is written there\n"
    assert write(plain, "/srv/a.py") == (1, said)
    assert plain.run("Stop", "contract-gate.sh", {}) == (1, said)
    assert list(outside.iterdir()) == []


def test_the_log_is_no_way_out_of_the_project_either(plain: Project, tmp_path: Path) -> None:
    state = plain.folder / ".agent-team" / "hooks"
    state.mkdir(parents=True)
    (state / "changes.jsonl").symlink_to(tmp_path / "outside")
    status, said = write(plain, "/srv/a.py")
    assert (status, said.startswith(f"contract-scan: {state}/changes.jsonl: ")) == (1, True)
    assert not (tmp_path / "outside").exists()
    assert tracked_changes(plain.folder) == []
