"""How sessions hang together: which were started from which, and which come after which."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from contract_scan.sessions.session import Session, SessionError


class TreeNode(Struct, frozen=True):
    """A session with those that were started from it."""

    session: Session
    children: tuple[TreeNode, ...] = ()


def session_tree(sessions: Sequence[Session]) -> tuple[TreeNode, ...]:
    """Sessions without a parent, and those below them. One whose parent is not there counts as
    without, and so does one of a circle, which hand-made files may have."""
    ids = {session.id for session in sessions}
    below: Mapping[str, list[Session]] = defaultdict(list)
    for session in sessions:
        below[session.parent if session.parent in ids else ""].append(session)
    placed: set[str] = set()

    def node(session: Session) -> TreeNode:
        placed.add(session.id)
        children = [child for child in below[session.id] if child.id not in placed]
        return TreeNode(session, tuple(node(child) for child in children))

    roots = [node(session) for session in below[""]]
    rest = (node(session) for session in sessions if session.id not in placed)
    return (*roots, *rest)


def descendants(sessions: Sequence[Session], session_id: str) -> list[Session]:
    """Every session below another one, whose own is not among them."""
    found: list[Session] = []
    above = {session_id}
    while below := [one for one in sessions if one.parent in above and one not in found]:
        found += below
        above = {one.id for one in below}
    return found


def check_order(session: Session, others: Sequence[Session]) -> None:
    """Raise SessionError where a session could never start: one that it comes after comes after
    it, or is one of those that it was started from."""
    by_id = {one.id: one for one in others} | {session.id: session}
    for ancestor in _ancestors(session, by_id):
        if ancestor in session.after:
            raise SessionError(
                f"`{session.id}` cannot come after `{ancestor}`, which it was started from"
            )
    path = _way_back(session.id, by_id)
    if path:
        raise SessionError(
            f"the sessions come after each other in a circle: {' after '.join(path)}"
        )


def _ancestors(session: Session, by_id: Mapping[str, Session]) -> Iterator[str]:
    seen = {session.id}
    parent = session.parent
    while parent and parent not in seen:
        yield parent
        seen.add(parent)
        parent = by_id[parent].parent if parent in by_id else ""


def _way_back(start: str, by_id: Mapping[str, Session]) -> list[str]:
    """The sessions on a way from one to itself; empty where there is none."""
    pending = [[start, one] for one in by_id[start].after]
    seen: set[str] = set()
    while pending:
        path = pending.pop()
        last = path[-1]
        if last == start:
            return path
        if last in by_id and last not in seen:
            seen.add(last)
            pending += [[*path, one] for one in by_id[last].after]
    return []
