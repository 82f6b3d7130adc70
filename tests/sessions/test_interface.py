"""The interface, driven by Textual's pilot, and once as a user sees it: in a real tmux."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable

import msgspec
from textual.pilot import Pilot

from contract_scan.clients.process_tree import own_mark
from contract_scan.sessions.interface.app import ScopeApp
from contract_scan.sessions.session import Session
from tests.sessions.project import PATIENCE, Project

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
    """A session that is there; the program that runs it is this one."""
    session = Session(
        id=session_id,
        task=task,
        agent="fake",
        cwd=project.folder,
        created_at=f"2026-01-0{number}",
        process=own_mark(),
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


def drive(project: Project, script: Script) -> None:
    """Run the interface, and do with it what a script says."""

    async def run() -> None:
        app = ScopeApp(project.store, project.folder)
        async with app.run_test(size=(100, 12)) as pilot:
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
