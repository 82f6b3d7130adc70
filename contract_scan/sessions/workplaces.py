"""Working trees of sessions, once nobody needs them any more."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from msgspec import Struct

from contract_scan.clients.git_command import top_of
from contract_scan.clients.git_worktrees import worktrees
from contract_scan.scopes.workplaces import Clearance, clear_workplace
from contract_scan.sessions.session import Session, SessionError
from contract_scan.sessions.store import Store, found_store


class ClearedSession(Struct, frozen=True):
    """What became of the working tree of a session."""

    session: Session
    clearance: Clearance


def clear_sessions(
    store: Store, session_ids: Sequence[str] = (), *, delete_merged: bool = False
) -> Iterator[ClearedSession]:
    """Remove the working trees that were made for sessions, where nothing would be lost: those of
    the ids, else of all that have ended. Nobody can take up a session meanwhile.

    One that is no working tree of the repository around the sessions stays: their records lie in
    that repository, and whoever made it may have written them.

    Raises SessionError for a session that is not there or has no working tree of its own,
    UsageError where git refuses.
    """
    chosen = [store.load(one) for one in session_ids]
    for session in chosen:
        if not session.branch:
            raise SessionError(f"session {session.id} has no working tree of its own")
    if not session_ids:
        chosen = [
            one
            for one in store.load_all()
            if one.branch and not one.is_open and (delete_merged or one.cwd.is_dir())
        ]
    for session in chosen:
        with store.locked():
            now = store.load(session.id)
            in_use = f"session {now.id} has not ended" if now.is_open else ""
            repository, own = _own_worktrees(store)
            if now.cwd.is_dir() and now.cwd.resolve() not in own:
                in_use = in_use or f"{now.cwd} is no working tree of {repository}"
            in_use = in_use or _other_user(store, now)
            clearance = clear_workplace(
                repository,
                now.cwd,
                now.branch,
                delete_merged=delete_merged,
                in_use=in_use,
            )
        yield ClearedSession(now, clearance)


def open_session_in(project: Path, place: Path) -> str:
    """Why a folder is needed: the open session that works in it; empty: none does."""
    store = found_store(project)
    working = [] if store is None else store.open_in(place)
    return f"session {working[0].id} works in it; `scope list` shows it" if working else ""


# Private helpers


def _own_worktrees(store: Store) -> tuple[Path, frozenset[Path]]:
    """The main working tree of the repository around the sessions, and all others of it; none where
    there is no repository."""
    top = top_of(str(store.folder.parent))
    if top is None:
        return store.folder.parent, frozenset()
    main, *linked = worktrees(Path(top))
    return main.path, frozenset(one.path.resolve() for one in linked)


def _other_user(store: Store, session: Session) -> str:
    """Another open session in the working tree of one that has ended."""
    working = [one for one in store.open_in(session.cwd) if one.id != session.id]
    return f"session {working[0].id} works in it" if working else ""
