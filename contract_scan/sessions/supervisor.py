"""The program that a session consists of: it starts the agent when its turn has come, shows what
the agent does, and writes down the result and how it ended.

Run as `python -m contract_scan.sessions.supervisor FOLDER ID`, in a terminal of tmux or in none.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from types import FrameType
from typing import Final, NoReturn

from contract_scan.clients.agents import (
    AgentReady,
    Event,
    TextWritten,
    ToolCalled,
    Transcript,
    TurnEnded,
)
from contract_scan.clients.git_worktrees import Worktree, commit_all, worktrees
from contract_scan.clients.process_group import ProcessGroup
from contract_scan.clients.process_tree import end_processes, own_mark
from contract_scan.clients.processes import ProcessError, run_in_foreground
from contract_scan.errors import ContractScanError
from contract_scan.reports.display import display
from contract_scan.sessions.activity import activity_of
from contract_scan.sessions.agents import SessionAgent, read_agents
from contract_scan.sessions.reconciliation import environment_of, reconciled_session
from contract_scan.sessions.session import (
    FOLDER_VARIABLE,
    OPEN_STATES,
    SESSION_VARIABLE,
    Session,
    SessionError,
    State,
)
from contract_scan.sessions.store import INSTRUCTIONS, SCOPE_CONTRACT, Store

ENVIRONMENT: Final = "environment"
"""A private file with the variables of whoever started the session, which is read once."""
MESSAGE: Final = "message.md"
"""What the agent is told when its session is taken up; empty: its instructions once more."""

_NAME: Final = "contract_scan.sessions.supervisor"
_OF_THE_TERMINAL: Final = ("TMUX", "TMUX_PANE", "TERM", "TERM_PROGRAM", "TERM_PROGRAM_VERSION")
"""Variables that are those of this terminal, whatever the starter's was."""
_SHORT: Final = 0.2
"""Seconds between two looks at the sessions that this one comes after."""
_INTERRUPTED: Final = 130
_ENDING: Final = ("SIGHUP", "SIGTERM")


class _Ended(Exception):  # noqa: N818 - what happened, not an error
    """The session is told to end, by a signal."""


class _Failure(Exception):  # noqa: N818 - the same
    """The session cannot be done; the text says why."""


def main(folder: str, session_id: str) -> int:
    """Run a session to its end. Returns 0 where it is done."""
    store = Store(Path(folder))
    _take_environment(store, session_id)
    for name in _ENDING:
        signal.signal(getattr(signal, name), _end)
    if not store.change(session_id, only_in=OPEN_STATES, process=own_mark()):
        return 1
    session = store.load(session_id)
    reason = ""
    try:
        _wait_for_turn(store, session)
        _run_agent(store, session)
    except _Ended as error:
        reason = f"it was ended by {error}"
    except (_Failure, ContractScanError) as error:
        reason = str(error)
    for name in _ENDING:
        signal.signal(getattr(signal, name), signal.SIG_IGN)
    _finish(store, session, reason)
    return 1 if reason else 0


def supervisor_command(store: Store, session_id: str) -> list[str]:
    """The words that start this program. Nothing is imported from the working directory."""
    return [sys.executable, "-P", "-m", _NAME, str(store.folder), session_id]


def environment_to_hand_on() -> bytes:
    """The variables of this process, for the supervisor: a server of tmux has those of whoever
    started it first."""
    return b"\0".join(key + b"=" + value for key, value in os.environb.items())


# Private helpers


def _take_environment(store: Store, session_id: str) -> None:
    raw = store.take_private(session_id, ENVIRONMENT)
    if raw is not None:
        own = {name: os.environ[name] for name in _OF_THE_TERMINAL if name in os.environ}
        os.environb.clear()
        for entry in raw.split(b"\0"):
            key, separator, value = entry.partition(b"=")
            if separator and os.fsdecode(key) not in _OF_THE_TERMINAL:
                os.environb[key] = value
        os.environ.update(own)
    os.environ.update({SESSION_VARIABLE: session_id, FOLDER_VARIABLE: str(store.folder)})


def _end(number: int, _: FrameType | None) -> NoReturn:
    raise _Ended(signal.Signals(number).name)


def _wait_for_turn(store: Store, session: Session) -> None:
    """Wait until every session that this one comes after is done."""
    waiting = list(session.after) if session.state == "pending" else []
    shown = ""
    while waiting:
        first = waiting[0]
        try:
            other = reconciled_session(store, store.load(first))
        except SessionError:
            text = f"waiting for {first}, which is not there yet"
        else:
            if other.state == "aborted":
                raise _Failure(f"session {first}, which it comes after, was aborted")
            if other.state == "done":
                waiting.pop(0)
                continue
            text = f"waiting for {', '.join(waiting)}"
        if text != shown:
            store.change(session.id, only_in=OPEN_STATES, activity=text)
            shown = text
        time.sleep(_SHORT)
    if not store.change(session.id, only_in=OPEN_STATES, state="running", activity=""):
        raise _Failure("it was aborted while it waited")


def _run_agent(store: Store, session: Session) -> None:
    """Run the agent, until it has ended."""
    agent = read_agents().agent_named(session.agent)
    message = store.text_of(session.id, MESSAGE)
    name = MESSAGE if message else INSTRUCTIONS
    words = agent.command(
        session.mode,
        model=session.model,
        prompt_file=store.folder_of(session.id) / name,
        conversation=session.agent_session if message else "",
    )
    if session.mode == "interactive":
        _run_interactive(session, agent, words)
        return
    prompt = b"" if agent.prompt_file else store.text_of(session.id, name).encode()
    run = _TaskRun(store, session, agent)
    try:
        asyncio.run(run.run(words, prompt))
    finally:
        # Also that of an agent that failed, or whose session was aborted just now.
        store.change(session.id, result=run.result)


def _run_interactive(session: Session, agent: SessionAgent, words: list[str]) -> None:
    """The agent has the terminal. Hooks of its own tell what it does, and its last message."""
    # Ctrl-C is for the agent. A handler is not inherited, unlike a signal that is ignored.
    signal.signal(signal.SIGINT, lambda *_: None)
    status = run_in_foreground(words, cwd=session.cwd, without=agent.without)
    if status not in (0, _INTERRUPTED):
        raise _Failure(_ending(agent, status, ""))


class _TaskRun:
    """One run of an agent for one prompt."""

    def __init__(self, store: Store, session: Session, agent: SessionAgent) -> None:
        self._store = store
        self._session = session
        self._agent = agent
        self._transcript = Transcript()
        self._activity = ""

    @property
    def result(self) -> str:
        """What the agent has said so far that counts as its result."""
        return self._transcript.text

    async def run(self, words: list[str], prompt: bytes) -> None:
        """Run to the end. Raises _Failure where the agent failed, and _Ended."""
        loop = asyncio.get_running_loop()
        ended: asyncio.Future[str] = loop.create_future()

        def end(name: str) -> None:
            if not ended.done():
                ended.set_result(name)

        for name in _ENDING:
            loop.add_signal_handler(getattr(signal, name), end, name)
        process = ProcessGroup.start(words, cwd=self._session.cwd, without=self._agent.without)
        try:
            process.write(prompt)
            process.close_input()
            work = asyncio.ensure_future(self._read_output(process))
            await asyncio.wait((work, ended), return_when=asyncio.FIRST_COMPLETED)
            if ended.done():
                work.cancel()
                raise _Ended(ended.result())
            status = work.result()
        finally:
            await process.end(patience=0.3)
        if status or self._transcript.error:
            error_text = self._transcript.error or process.complaint
            raise _Failure(_ending(self._agent, status, error_text))
        if self._agent.tells_turns and not self._transcript.turns:
            raise _Failure("the agent ended before its task did")

    async def _read_output(self, process: ProcessGroup) -> int:
        reader = self._agent.reader()
        with self._store.open_output(self._session.id) as output:
            async for line in process.lines():
                for event in reader.read(line):
                    self._transcript.add(event)
                    for shown in self._lines_of(event):
                        output.write(f"{shown}\n")
                        output.flush()
                        with contextlib.suppress(OSError):
                            print(display(shown), flush=True)
        return await process.wait_exit()

    def _lines_of(self, event: Event) -> Iterator[str]:
        """The lines that show an event; the session's files follow it."""
        match event:
            case AgentReady() if event.session_id:
                self._change(agent_session=event.session_id)
            case TextWritten():
                yield from event.text.splitlines()
            case TurnEnded():
                # At once: what ends the session next may leave no time for it.
                self._store.change(self._session.id, result=self.result)
            case ToolCalled():
                activity = activity_of(event.name, event.input, str(self._session.cwd))
                if activity != self._activity:
                    self._activity = activity
                    self._change(activity=activity)
                yield f"· {activity}"

    def _change(self, **values: str) -> None:
        self._store.change(self._session.id, only_in=OPEN_STATES, **values)


def _ending(agent: SessionAgent, status: int, error_text: str) -> str:
    """Why an agent failed, in one line."""
    how = f"was ended by signal {-status}" if status < 0 else f"ended with status {status}"
    shown = " ".join(error_text.split())[:200]
    return f"the agent `{agent.name}` {how}" + (f": {shown}" if shown else "")


def _finish(store: Store, session: Session, reason: str) -> None:
    """Write down how the session ended, after everything that it left running was ended."""
    end_processes([], [environment_of(store, session.id)])
    state: State = "aborted" if reason else "done"
    contract_state = ""
    has_contract = bool(store.text_of(session.id, SCOPE_CONTRACT))
    if not reason and session.mode == "task" and (session.branch or has_contract):
        _commit_work(store, session)
    if not reason and has_contract:
        store.change(session.id, only_in=OPEN_STATES, activity="checking its scope contract")
        contract_state = _contract_state(store, session.id)
    store.change(
        session.id,
        only_in=OPEN_STATES,
        state=state,
        activity="",
        reason=reason,
        contract_state=contract_state,
    )


def _commit_work(store: Store, session: Session) -> None:
    """Commit what the agent left in a working tree that only this session uses: an agent that can
    ask nobody for permission may not run git. Where that fails, its output says so."""
    if any(one.id != session.id for one in store.open_in(session.cwd)):
        return
    try:
        own = _linked_worktree(session.cwd)
        if own is not None:
            message = f"{session.task}\n\nSession {session.id} of {session.agent}"
            commit_all(own, message, read_agents().agent_named(session.agent).own_files)
    except ContractScanError as error:
        with contextlib.suppress(SessionError), store.open_output(session.id) as output:
            output.write(f"its work is not committed: {error.message}\n")


def _linked_worktree(place: Path) -> Worktree | None:
    """The working tree at a branch that a folder is the top of; None for the main one, and where
    there is no such."""
    if not (place / ".git").is_file():
        return None
    _, *linked = worktrees(place)
    found = (one for one in linked if one.branch and one.path.resolve() == place.resolve())
    return next(found, None)


def _contract_state(store: Store, session_id: str) -> str:
    from contract_scan.sessions.contract_state import evaluate, write_state

    state = evaluate(store, store.load(session_id))
    return write_state(state) if state is not None else ""


if __name__ == "__main__":
    try:
        sys.exit(main(*sys.argv[1:]))
    except (ContractScanError, ProcessError) as error:
        sys.exit(f"scope: {display(str(error))}")
    except KeyboardInterrupt:
        sys.exit(_INTERRUPTED)
