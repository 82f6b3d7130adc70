"""A project whose sessions run a stand-in for an agent."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from contract_scan.clients.process_tree import ProcessMark, end_processes, mark_of
from contract_scan.sessions.lifecycle import SpawnRequest, abort, spawn, tmux_of, wait
from contract_scan.sessions.reconciliation import reconciled_session
from contract_scan.sessions.session import FOLDER_VARIABLE, SESSION_VARIABLE, Session
from contract_scan.sessions.store import FOLDER, Store

FAKE_AGENT = Path(__file__).with_name("fake_agent.py")
PATIENCE = 60.0
"""Seconds after which a test gives up; nothing takes so long."""

needs_tmux = pytest.mark.skipif(shutil.which("tmux") is None, reason="tmux is not installed")


class Project:
    """A folder with its sessions."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.store = Store(folder / FOLDER)
        self._bystanders: list[subprocess.Popen[bytes]] = []

    def bystander(self) -> ProcessMark:
        """A process that only waits: the program of sessions that are written down and not started.
        Not this one, since everything that it started ends with such a session."""
        if not self._bystanders:
            words = [sys.executable, "-I", "-S", "-c", "input()"]
            self._bystanders.append(subprocess.Popen(words, stdin=subprocess.PIPE))
        mark = mark_of(self._bystanders[0].pid)
        assert mark is not None
        return mark

    def spawn(self, task: str, **wanted: object) -> Session:
        """Start a session without a terminal, unless `uses_tmux` says otherwise."""
        values = {"agent": "fake", "cwd": self.folder, "uses_tmux": False, **wanted}
        return spawn(self.store, SpawnRequest(task=task, **values))  # type: ignore[arg-type]

    def ended(self, *session_ids: str) -> list[Session]:
        """Sessions, as soon as they have ended."""
        found = wait(self.store, session_ids, PATIENCE, pause=lambda _: time.sleep(0.02))
        assert [one.id for one in found if one.is_open] == []
        return found

    def now(self, session_id: str) -> Session:
        """A session as it really is."""
        return reconciled_session(self.store, self.store.load(session_id))

    def until(self, is_so: Callable[[], object]) -> None:
        """Wait until something is so."""
        end = time.monotonic() + PATIENCE
        while not is_so():
            assert time.monotonic() < end, "it takes too long"
            time.sleep(0.02)

    def git(self, *words: str) -> str:
        done = subprocess.run(
            ["git", "-C", str(self.folder), *words], check=True, capture_output=True, text=True
        )
        return done.stdout.strip()

    def clean(self) -> None:
        """End whatever is left."""
        for session in self.store.load_all():
            abort(self.store, session.id)
        end_processes([], [{FOLDER_VARIABLE: str(self.store.folder)}])
        for process in self._bystanders:
            process.kill()
            process.communicate()
        if shutil.which("tmux"):
            socket = tmux_of(self.store).socket
            subprocess.run(["tmux", "-L", socket, "kill-server"], capture_output=True, check=False)
            folder = Path(os.environ.get("TMUX_TMPDIR", "/tmp"), f"tmux-{os.getuid()}")
            (folder / socket).unlink(missing_ok=True)  # tmux leaves it there


def make_project(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Project]:
    """A project in a folder; its sessions have ended when the test has."""
    for variable in (SESSION_VARIABLE, FOLDER_VARIABLE, "TMUX", "TMUX_PANE"):
        monkeypatch.delenv(variable, raising=False)
    configuration = folder.parent / "sessions.toml"
    words = ", ".join(json.dumps(word) for word in (sys.executable, "-S", str(FAKE_AGENT)))
    configuration.write_text(f"[agents.fake]\ncommand = [{words}]\n")
    monkeypatch.setenv("SCOPE_CONFIG", str(configuration))
    folder.mkdir()
    project = Project(folder)
    yield project
    os.environ.pop(SESSION_VARIABLE, None)
    project.clean()
