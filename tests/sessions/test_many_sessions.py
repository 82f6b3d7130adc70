"""Twenty sessions at once in a real tmux, and a hundred kills at random moments."""

from __future__ import annotations

import contextlib
import os
import random
import signal
import time
from pathlib import Path

from contract_scan.clients.process_tree import is_running, mark_of
from contract_scan.sessions.lifecycle import abort, resume, tmux_of
from contract_scan.sessions.reconciliation import reconciled_sessions
from contract_scan.sessions.session import Session
from tests.sessions.project import Project, needs_tmux

SPARED = range(6)
ATTACKED = range(6, 20)
KILLS = 100
SIGNALS = (signal.SIGKILL, signal.SIGTERM, signal.SIGHUP)


def result_of(session_id: str) -> str:
    """What a session leaves that does its task to the end."""
    return f"begun {session_id}\nfound {session_id}"


def task_of(number: int, chance: random.Random) -> str:
    """Agents that do not care for signals, with a process in the background each."""
    begin = f"ignore-hangup\nleave-behind pid-{number}\nsay begun {number}"
    return f"{begin}\nsleep {chance.uniform(1, 4):.2f}\nsay found {number}"


def processes_of_sessions(project: Project) -> dict[int, str]:
    """Every process that bears the variables of this project's sessions -> its session."""
    wanted = f"SCOPE_DIR={project.store.folder}".encode()
    found: dict[int, str] = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            variables = (folder / "environ").read_bytes().split(b"\0")
        except OSError:
            continue
        if wanted in variables and mark_of(int(folder.name)) is not None:
            names = dict(one.decode().partition("=")[::2] for one in variables)
            found[int(folder.name)] = names["SCOPE_SESSION_ID"]
    return found


def kill_something(project: Project, session_id: str, chance: random.Random) -> None:
    """One of its processes, its terminal, or all of it as a user would."""
    kind = chance.choices(("process", "terminal", "abort"), (8, 2, 1))[0]
    if kind == "abort":
        abort(project.store, session_id)
    elif kind == "terminal":
        tmux_of(project.store).kill_session(f"scope-{session_id}")
    else:
        there = processes_of_sessions(project)
        own = sorted(pid for pid, owner in there.items() if owner == session_id)
        if own:
            with contextlib.suppress(ProcessLookupError):
                os.kill(chance.choice(own), chance.choice(SIGNALS))


def is_right(project: Project, session: Session) -> bool:
    """Whether a state fits what is there, or fitted until the session ended."""
    begun, whole = f"begun {session.id}", result_of(session.id)
    match session.state:
        case "done":
            return session.result == whole and not session.reason
        case "aborted":
            return bool(session.reason) and session.result in ("", begun, whole)
        case _:
            if session.process is not None and is_running(session.process):
                return True
            ended = project.now(session.id)
            return not ended.is_open and is_right(project, ended)


@needs_tmux
def test_no_wrong_state_no_survivor_no_lost_result(project: Project) -> None:
    chance = random.Random(18)
    for number in (*ATTACKED, *SPARED):
        project.spawn(task_of(number, chance), session_id=str(number), uses_tmux=True)
    for _ in range(KILLS):
        session_id = str(chance.choice(ATTACKED))
        if not project.now(session_id).is_open:
            resume(project.store, session_id)
        kill_something(project, session_id, chance)
        time.sleep(chance.uniform(0, 0.05))

    time.sleep(2)
    sessions = reconciled_sessions(project.store)
    assert {one.id for one in sessions} == {str(number) for number in (*SPARED, *ATTACKED)}
    assert [one for one in sessions if not is_right(project, one)] == []
    ended = {one.id for one in sessions if not one.is_open}
    # The process that writes the end of a session ends itself right after that.
    project.until(lambda: ended.isdisjoint(processes_of_sessions(project).values()))
    assert [one.state for one in sessions].count("aborted") >= 5

    everything = project.ended(*(one.id for one in sessions))
    assert [one for one in everything if not is_right(project, one)] == []
    spared = [one for one in everything if int(one.id) in SPARED]
    assert [(one.state, one.result) for one in spared] == [
        ("done", result_of(one.id)) for one in spared
    ]
    project.until(lambda: processes_of_sessions(project) == {})
