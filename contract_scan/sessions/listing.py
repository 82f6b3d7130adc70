"""Sessions as rows of a tree, for a terminal."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Final

from msgspec import Struct

from contract_scan.reports.display import clip, display, width
from contract_scan.sessions.contract_state import shown_state
from contract_scan.sessions.session import Session, State
from contract_scan.sessions.tree import TreeNode, session_tree

NOTHING: Final = "─"
"""What stands for no activity."""
COLUMN_GAP: Final = "  "

_SIGNS: Final[dict[State, str]] = {
    "pending": "○",
    "running": "●",
    "done": "✓",
    "aborted": "✗",
}
_TASK, _ACTIVITY = 1, 3
"""Their places in a row."""
_LEAST: Final = ((12, 12), (12, 1), (4, 1))
"""Columns that tasks and activities are cut to, and to how many where that is not enough."""
_LONGEST_TASK: Final = 40
_LONGEST_ACTIVITY: Final = 60
"""Columns."""


class Row(Struct, frozen=True, kw_only=True):
    """One session as it is shown. Every text is safe for a terminal."""

    session: Session
    has_children: bool
    tree: str
    """Its place in the tree, with its id."""
    task: str
    state: str
    activity: str
    """What it does, or why it was aborted."""
    contract: str
    """What became of its scope contract; empty where it has none or nothing is known yet."""

    @property
    def cells(self) -> tuple[str, ...]:
        """The texts from left to right."""
        return (self.tree, self.task, self.state, self.activity, self.contract)


def rows_of(sessions: Sequence[Session], collapsed: Collection[str] = ()) -> list[Row]:
    """The rows of all sessions; what lies below those of the ids `collapsed` is left out."""
    return [row for node in session_tree(sessions) for row in _node_rows(node, "", "", collapsed)]


def padded_cells(rows: Sequence[Row], columns: int | None = None) -> Iterator[tuple[str, ...]]:
    """The cells of rows, each as wide as the widest of its column. Where that is more than there
    are `columns`, tasks and activities are cut."""
    found = zip(*(row.cells for row in rows), strict=True)
    widths = [max(map(width, column)) for column in found]
    if columns is not None and rows:
        widths = _narrow_widths(widths, columns)
    for row in rows:
        cells = [clip(cell, wide) for cell, wide in zip(row.cells, widths, strict=True)]
        yield tuple(
            cell + " " * (wide - width(cell)) for cell, wide in zip(cells, widths, strict=True)
        )


def lines(rows: Sequence[Row]) -> Iterator[str]:
    """Rows as lines of text."""
    return (COLUMN_GAP.join(cells).rstrip() for cells in padded_cells(rows))


def _narrow_widths(widths: Sequence[int], columns: int) -> list[int]:
    """Widths that fit into so many columns, as far as tasks and activities can be cut: the wider of
    the two first, and the task last, since it tells sessions apart."""
    narrowed = list(widths)
    gaps = len(COLUMN_GAP) * (sum(map(bool, widths)) - 1)
    over = sum(widths) + gaps - columns
    for least_task, least_activity in _LEAST:
        least = {_TASK: least_task, _ACTIVITY: least_activity}
        while over > 0:
            wider = max(
                (one for one in least if narrowed[one] > least[one]),
                key=lambda one: narrowed[one],
                default=None,
            )
            if wider is None:
                break
            narrowed[wider] -= 1
            over -= 1
    return narrowed


def _node_rows(
    node: TreeNode, before: str, branch: str, collapsed: Collection[str]
) -> Iterator[Row]:
    """The rows of a node and of those below it. `before` is what stands in front of its children,
    `branch` what leads to itself."""
    session = node.session
    is_open = session.id not in collapsed
    arrow = "" if not node.children else "▼ " if is_open else "▶ "
    lead = f"{branch} " if branch else "" if arrow else "  "
    activity = session.activity or (session.reason if session.state == "aborted" else "")
    yield Row(
        session=session,
        has_children=bool(node.children),
        tree=f"{lead}{arrow}{session.id}",
        task=clip(display(session.task) or "(no task yet)", _LONGEST_TASK),
        state=f"{_SIGNS[session.state]} {session.state}",
        activity=clip(display(activity) or NOTHING, _LONGEST_ACTIVITY),
        contract=shown_state(session.contract_state),
    )
    for child in node.children if is_open else ():
        is_last = child is node.children[-1]
        yield from _node_rows(
            child,
            before + ("    " if is_last else "  │ "),
            before + ("  └" if is_last else "  ├"),
            collapsed,
        )
