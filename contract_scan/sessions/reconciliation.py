"""What states say, held against what really runs: a session whose process or working folder is gone
has ended, whoever did that.
"""

from __future__ import annotations

from collections.abc import Iterable

from contract_scan.clients.process_tree import end_processes, is_running
from contract_scan.sessions.session import (
    FOLDER_VARIABLE,
    OPEN_STATES,
    SESSION_VARIABLE,
    Session,
)
from contract_scan.sessions.store import Store


def reconciled_sessions(store: Store) -> list[Session]:
    """Every session as it really is, the oldest first."""
    sessions = store.load_all()
    return [reconciled_session(store, session) for session in sessions]


def reconciled_session(store: Store, session: Session) -> Session:
    """A session as it really is: where what it needs is gone, it is aborted with the reason, and
    what it left behind is ended."""
    reason = _missing_resource(session)
    if not reason:
        return session
    if store.change(session.id, only_in=OPEN_STATES, state="aborted", activity="", reason=reason):
        end_sessions(store, [session])
    return store.load(session.id)


def end_sessions(store: Store, sessions: Iterable[Session]) -> None:
    """End every process of sessions, wherever it went."""
    ended = list(sessions)
    end_processes(
        [session.process for session in ended if session.process is not None],
        [environment_of(store, session.id) for session in ended],
    )


def environment_of(store: Store, session_id: str) -> dict[str, str]:
    """The variables that mark every process of a session, and no other one."""
    return {SESSION_VARIABLE: session_id, FOLDER_VARIABLE: str(store.folder)}


def _missing_resource(session: Session) -> str:
    """What an open session needs and does not have; empty: nothing."""
    if not session.is_open:
        return ""
    if session.process is None or not is_running(session.process):
        return "its process is gone"
    if session.state == "running" and not session.cwd.is_dir():
        return f"its working folder {session.cwd} is gone"
    return ""
