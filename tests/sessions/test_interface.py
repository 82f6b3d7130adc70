"""The interface, driven by Textual's pilot, and once as a user sees it: in a real tmux."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable

import msgspec
import pytest
from textual.pilot import Pilot
from textual.widgets import OptionList

from contract_scan.clients.process_tree import ProcessMark
from contract_scan.sessions.interface.app import ScopeApp
from contract_scan.sessions.lifecycle import tmux_of
from contract_scan.sessions.session import Session
from tests.sessions.project import PATIENCE, Project, needs_tmux

DRAWN = """\
╭─ scope ────────────────────────────────────────────────────────────────────────────── 3 running ─╮
│                                                                                                  │
│ ▼ 0      Refactor auth to JWT         ● running  waiting on children                             │
│   ├ 0.0  Extract JWT helpers          ● running  editing token.ts                                │
│   └ 0.1  Update middleware            ✓ done     ─                    delivered                  │
│   1      Write tests for user module  ● running  running: jest                                   │
│   2      Fix database connection      ✓ done     ─                    2 findings                 │
│                                                                                                  │
│                                                                                                  │
│──────────────────────────────────────────────────────────────────────────────────────────────────│
│  n new   ↵ attach   x abort   d hide done   q quit                                               │
╰──────────────────────────────────────────────────────────────────────────────────────────────────╯"""

Script = Callable[[ScopeApp, Pilot[None]], Awaitable[None]]


def verdict(found: str, findings: int = 0) -> str:
    kinds = [{"kind": "undelivered", "scope_id": "a", "message": "m"}] * findings
    value = {"scope_id": "a", "verdict": found, "findings": kinds}
    return msgspec.json.encode(value).decode()


def put(project: Project, number: int, session_id: str, task: str, **values: object) -> None:
    """A session that is there; the program that runs it waits."""
    session = Session(
        id=session_id,
        task=task,
        agent="fake",
        cwd=project.folder,
        created_at=f"2026-01-0{number}",
        process=project.bystander(),
        **values,  # type: ignore[arg-type]
    )
    project.store.create(lambda _: session, "", session_id, lambda _: {})


def put_all(project: Project) -> None:
    """The sessions that the document draws."""
    busy = "waiting on children"
    put(project, 1, "0", "Refactor auth to JWT", state="running", activity=busy)
    edits = {"parent": "0", "state": "running", "activity": "editing token.ts"}
    put(project, 2, "0.0", "Extract JWT helpers", **edits)
    kept = {"parent": "0", "state": "done", "contract_state": verdict("delivered")}
    put(project, 3, "0.1", "Update middleware", **kept)
    runs = {"state": "running", "activity": "running: jest"}
    put(project, 4, "1", "Write tests for user module", **runs)
    broken = {"state": "done", "contract_state": verdict("findings", 2)}
    put(project, 5, "2", "Fix database connection", **broken)


def screen(app: ScopeApp) -> str:
    """What the terminal shows."""
    strips = app.screen._compositor.render_strips()
    return "\n".join(strip.text.rstrip() for strip in strips)


def drive(project: Project, script: Script, columns: int = 100) -> None:
    """Run the interface, and do with it what a script says."""

    async def run() -> None:
        app = ScopeApp(project.store, project.folder)
        async with app.run_test(size=(columns, 12), notifications=True) as pilot:
            await script(app, pilot)

    asyncio.run(run())


async def until(app: ScopeApp, pilot: Pilot[None], is_so: Callable[[str], object]) -> None:
    """Wait until the screen is so."""
    end = time.monotonic() + PATIENCE
    while not is_so(screen(app)):
        assert time.monotonic() < end, screen(app)
        await pilot.pause(0.02)


def test_sessions_are_drawn_as_a_tree(project: Project) -> None:
    put_all(project)

    async def script(app: ScopeApp, pilot: Pilot[None]) -> None:
        await until(app, pilot, lambda text: text == DRAWN)

    drive(project, script)


NARROW = """\
╭─ scope ──────────────────────────────────────── 3 running ─╮
│                                                            │
│ ▼ 0      Refactor au…  ● running  waiting on …             │
│   ├ 0.0  Extract JWT…  ● running  editing tok…             │
│   └ 0.1  Update midd…  ✓ done     ─             delivered  │
│   1      Write tests…  ● running  running: je…             │
│   2      Fix databas…  ✓ done     ─             2 findings │
│                                                            │
│                                                            │
│────────────────────────────────────────────────────────────│
│  n new   ↵ attach   x abort   d hide done   q quit         │
╰────────────────────────────────────────────────────────────╯"""


def test_in_a_narrow_terminal_every_session_has_one_line(project: Project) -> None:
    put_all(project)

    async def script(app: ScopeApp, pilot: Pilot[None]) -> None:
        await until(app, pilot, lambda text: text == NARROW)
        await pilot.resize_terminal(40, 12)
        await until(app, pilot, lambda text: "│ ▼ 0      Ref…  ● running  …" in text)
        await pilot.resize_terminal(100, 12)
        await until(app, pilot, lambda text: text == DRAWN)

    drive(project, script, columns=62)


def test_keys_fold_hide_and_select(project: Project) -> None:
    put_all(project)

    async def script(app: ScopeApp, pilot: Pilot[None]) -> None:
        await until(app, pilot, lambda text: text == DRAWN)
        await pilot.press("h")
        await until(app, pilot, lambda text: "▶ 0" in text and "0.0" not in text)
        await pilot.press("right")
        await until(app, pilot, lambda text: "▼ 0" in text and "├ 0.0" in text)
        await pilot.press("d")
        await until(app, pilot, lambda text: "└ 0.0" in text and "✓ done" not in text)
        assert "d show done" in screen(app)
        await pilot.press("j", "j", "k", "d")
        await until(app, pilot, lambda text: text == DRAWN)
        assert app.query_one(OptionList).highlighted == 1  # `0.0`, as the rows come back
        await pilot.press("q")

    drive(project, script)


def test_it_follows_what_happens(project: Project) -> None:
    put(project, 1, "0", "Look", state="running", activity="reading a.py")

    async def script(app: ScopeApp, pilot: Pilot[None]) -> None:
        await until(app, pilot, lambda text: "reading a.py" in text)
        project.store.change("0", activity="[b]editing[/b] \x1b[31mb.py")
        await until(app, pilot, lambda text: "[b]editing[/b] \\x1b[31mb.py" in text)
        await asyncio.to_thread(project.spawn, "say well")
        await until(app, pilot, lambda text: "1  say well  ✓ done" in text)
        project.store.change("0", process=ProcessMark(2**22, "never"))
        await until(app, pilot, lambda text: "✗ aborted  its process is gone" in text)
        assert "0 running" in screen(app)

    drive(project, script)


def test_a_session_is_started_and_aborted(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SCOPE_NO_TMUX", "1")
    route_to_the_fake_agent(project)

    async def script(app: ScopeApp, pilot: Pilot[None]) -> None:
        await pilot.press("n", *"sleep", "space", *"600", "enter")
        await until(app, pilot, lambda text: "0  sleep 600  ● running" in text)
        await pilot.press("enter")
        await until(app, pilot, lambda text: "session 0 has no terminal" in text)
        await pilot.press("x")
        await until(app, pilot, lambda text: "✗ aborted  aborted on request" in text)
        await pilot.press("n", "escape", "n", "enter", "escape")
        await until(app, pilot, lambda text: "What is to be done" not in text)

    drive(project, script)
    assert [one.id for one in project.store.load_all()] == ["0"]


def route_to_the_fake_agent(project: Project) -> None:
    """Let the fake agent do all tasks, and talk to people: it is `cat` then."""
    file = project.folder.parent / "sessions.toml"
    interactive = 'interactive = ["sh", "-c", "echo hello from $SCOPE_SESSION_ID; cat"]\n'
    file.write_text(file.read_text() + interactive + '[routes.implement]\nagent = "fake"\n')


@needs_tmux
def test_in_a_real_tmux(project: Project) -> None:
    """What a user sees: the tree, a session to the right of it, and the tree again."""
    route_to_the_fake_agent(project)
    server = tmux_of(project.store)
    command = [sys.executable, "-m", "contract_scan.cli.sessions", "--inside-tmux"]
    environment = {name: os.environ[name] for name in ("PATH", "SCOPE_CONFIG")}
    server.create_session(
        "scope-main",
        command,
        cwd=project.folder,
        environment={**environment, "TERM": "tmux-256color"},
    )

    def keys(*words: str) -> None:
        target = ["tmux", "-L", server.socket, "send-keys", "-t", "=scope-main:0.0"]
        subprocess.run([*target, *words], check=True)

    def picture() -> str:
        """The whole window, with both panes."""
        listed = ["list-panes", "-t", "=scope-main:", "-F", "#{pane_id}"]
        panes = run_tmux(server.socket, *listed).split()
        return "\n".join(run_tmux(server.socket, "capture-pane", "-p", "-t", one) for one in panes)

    project.until(lambda: "0 running" in picture())
    keys("n")
    project.until(lambda: "new session" in picture())
    keys("Look at it", "Enter")
    project.until(lambda: "● running" in picture() and "hello from 0" in picture())
    assert server.session_names() == {"scope-main", "scope-0"}
    keys("Escape")
    project.until(lambda: "hello from 0" not in picture())
    assert project.now("0").state == "running"
    keys("Enter")
    project.until(lambda: "hello from 0" in picture())
    keys("x")
    project.until(lambda: "✗ aborted" in picture() and "hello from 0" not in picture())
    keys("q")
    project.until(lambda: "scope-main" not in server.session_names())
    assert project.now("0").reason == "aborted on request"


def run_tmux(socket: str, *words: str) -> str:
    done = subprocess.run(
        ["tmux", "-L", socket, *words], capture_output=True, text=True, check=False
    )
    return done.stdout
