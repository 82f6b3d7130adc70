"""The real Claude Code in sessions: it talks to a scripted API on the loopback interface.

`CONTRACT_SCAN_TEST_CLAUDE` names the program (`npm install @anthropic-ai/claude-code`).
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from contract_scan.cli.sessions import main
from contract_scan.sessions.lifecycle import tmux_of
from contract_scan.sessions.session import Session
from tests.agents.loopback_api import Conversation, LoopbackApi, loopback_api
from tests.sessions.project import Project, needs_tmux

CLAUDE = os.environ.get("CONTRACT_SCAN_TEST_CLAUDE", "")
pytestmark = pytest.mark.skipif(not CLAUDE, reason="CONTRACT_SCAN_TEST_CLAUDE names no program")


@pytest.fixture
def shop(project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    """A project with the hooks of `scope setup`, whose user has answered the first questions."""
    for name in ("CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT", "ANTHROPIC_AUTH_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    programs = tmp_path / "bin"
    programs.mkdir()
    (programs / "claude").symlink_to(Path(shutil.which(CLAUDE) or CLAUDE).resolve())
    home = tmp_path / "home" / ".claude"
    home.mkdir(parents=True)
    for name, value in {
        "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}",
        "HOME": str(tmp_path / "home"),
        "CLAUDE_CONFIG_DIR": str(home),
        "ANTHROPIC_API_KEY": "sk-ant-none",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "DISABLE_AUTOUPDATER": "1",
    }.items():
        monkeypatch.setenv(name, value)
    answers = {
        "hasCompletedOnboarding": True,
        "customApiKeyResponses": {"approved": ["sk-ant-none"]},
        "projects": {str(project.folder): {"hasTrustDialogAccepted": True}},
    }
    (home / ".claude.json").write_text(json.dumps(answers))
    project.git("init", "--quiet")
    monkeypatch.chdir(project.folder)
    assert main(["setup"]) == 0
    return project


def spawn(project: Project, api: LoopbackApi, task: str, **wanted: object) -> Session:
    os.environ["ANTHROPIC_BASE_URL"] = api.url
    try:
        return project.spawn(task, agent="claude-code", **wanted)
    finally:
        del os.environ["ANTHROPIC_BASE_URL"]


def test_a_task_is_done_and_its_last_message_is_the_result(shop: Project) -> None:
    login = {"file_path": str(shop.folder / "login.py"), "content": "ok = True\n"}
    turns = [[("Write", login)], ["Wrote `login.py`."]]
    with loopback_api(Conversation("Write the login", turns)) as api:
        spawn(shop, api, "Write the login")
        [ended] = shop.ended("0")
    assert (ended.state, ended.reason) == ("done", "")
    assert (ended.result, ended.activity) == ("Wrote `login.py`.", "")
    assert (shop.folder / "login.py").read_text() == "ok = True\n"
    assert ended.agent_session
    assert "· editing login.py\n" in (shop.store.folder_of("0") / "output").read_text()


def test_it_starts_sessions_and_its_work_is_committed_though_it_can_ask_nobody(
    shop: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    programs = Path(sys.executable).parent
    monkeypatch.setenv("PATH", f"{programs}{os.pathsep}{os.environ['PATH']}")
    for role in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{role}_NAME", "t")
        monkeypatch.setenv(f"GIT_{role}_EMAIL", "t@t")
    shop.git("commit", "--quiet", "--allow-empty", "-m", "one")
    trees = shop.folder.parent / "trees"
    login = {"file_path": str(trees / "0" / "login.py"), "content": "ok = True\n"}
    turns = [
        [("Write", login)],
        [("Bash", {"command": "git add --all && git commit --message done"})],
        [("Bash", {"command": "scope spawn 'Look around' --type explore"})],
        [("Bash", {"command": "scope wait 0.0 --timeout 60"})],
        ["Wrote `login.py`."],
    ]
    child = Conversation("Look around", [["I looked."]])
    with loopback_api(Conversation("Write the login", turns), child) as api:
        spawn(shop, api, "Write the login", worktrees=trees)
        ended = [*shop.ended("0"), *shop.ended("0.0")]
    assert [(one.state, one.result) for one in ended] == [
        ("done", "Wrote `login.py`."),
        ("done", "I looked."),
    ]
    assert shop.git("log", "--format=%s", "--name-only", "HEAD..scope/0").split("\n\n") == [
        "Write the login",
        "login.py",
    ]


@needs_tmux
def test_hooks_tell_what_an_agent_does_that_somebody_talks_to(shop: Project) -> None:
    """In its terminal nothing is read; what is known comes from the hooks."""
    (shop.folder / "notes.txt").write_text("cents\n")
    read = ("Read", {"file_path": str(shop.folder / "notes.txt")})
    ask = ("Bash", {"command": "python3 -c \"open('unasked', 'w')\""})
    seen: list[str] = []

    def has_ended_its_turn() -> bool:
        session = shop.now("0")
        assert session.is_open, session.reason
        seen.append(session.activity)
        return session.result == "I read the notes."

    turns = [[read], ["I read the notes."], [ask], ["Never mind."]]
    with loopback_api(Conversation("contract.md", turns)) as api:
        spawn(shop, api, "Look at the notes", mode="interactive", uses_tmux=True)
        shop.until(has_ended_its_turn)
        shop.until(lambda: shop.now("0").activity == "waiting for you")
        server = tmux_of(shop.store)

        def type_in(*keys: str, may_be_gone: bool = False) -> None:
            target = ["tmux", "-L", server.socket, "send-keys", "-t", "=scope-0:0.0"]
            subprocess.run([*target, *keys], check=not may_be_gone)

        type_in("And now?", "Enter")
        # It must ask before it runs a command, and the session shows that it waits.
        shop.until(lambda: seen.append(shop.now("0").activity) or seen[-1].startswith("running:"))
        type_in("Escape")
        type_in("/exit", "Enter")
        # The terminal is gone a little before the session is told to have ended.
        shop.until(lambda: type_in("Enter", may_be_gone=True) or not shop.now("0").is_open)
    ended = shop.now("0")
    assert "reading notes.txt" in seen
    assert seen[-1] == "running: python3 -c \"open('unasked', 'w')\""
    assert (ended.state, ended.reason, ended.activity) == ("done", "", "")
    assert ended.result == "I read the notes."
    assert ended.agent_session
    assert not (shop.folder / "unasked").exists()


def test_its_end_is_noted_where_the_program_of_the_session_is_gone(shop: Project) -> None:
    """The hook `SessionEnd` alone: Claude Code is started by hand within a session."""
    with loopback_api(Conversation("Say it", [["It is said."]])) as api:
        spawn(shop, api, "Say it")
        shop.ended("0")
        shop.store.change("0", state="running", result="", agent_session="")
        environment = {
            **os.environ,
            "ANTHROPIC_BASE_URL": api.url,
            "SCOPE_SESSION_ID": "0",
            "SCOPE_DIR": str(shop.store.folder),
        }
        subprocess.run(
            ["claude", "--print", "Say it"],
            cwd=shop.folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=True,
            timeout=120,
        )
    ended = shop.store.load("0")
    assert (ended.state, ended.result, ended.activity) == ("done", "It is said.", "")
    assert ended.agent_session
