"""The interface: all sessions as a tree that changes as they do, and keys that steer them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import ClassVar, Final

from textual import work
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.events import Resize
from textual.screen import ModalScreen
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option
from watchfiles import awatch

from contract_scan.clients import tmux
from contract_scan.clients.processes import ProcessError
from contract_scan.errors import ContractScanError
from contract_scan.sessions.lifecycle import SpawnRequest, abort, has_tmux, spawn, tmux_of
from contract_scan.sessions.listing import COLUMN_GAP, NOTHING, Row, padded_cells, rows_of
from contract_scan.sessions.reconciliation import reconciled_sessions
from contract_scan.sessions.session import Mode, Session, SessionError, State
from contract_scan.sessions.store import Store

_KEYS: Final = "n new   ↵ attach   x abort   d {} done   q quit"
_RECONCILING: Final = 2.0
"""Seconds between two looks at the processes, whose end changes no file."""
_GATHERING: Final = 50
"""Milliseconds in which changes of files count as one."""
_AROUND: Final = 4
"""Columns of the frame and of the blanks beside the tree."""
_COLOURS: Final[dict[State, str]] = {
    "pending": "yellow",
    "running": "green",
    "done": "dim",
    "aborted": "red",
}


class ScopeApp(App[None]):
    """Shows the sessions of one project until the user leaves; they run on."""

    TITLE = "scope"
    CSS = """
    #frame { border: round $primary; }
    #sessions { height: 1fr; padding: 1 1 0 1; border: none; background: $background; }
    #sessions { text-wrap: nowrap; text-overflow: ellipsis; }
    #sessions > .option-list--option-highlighted { background: $panel; text-style: bold; }
    #keys { height: 2; border-top: solid $primary; padding: 0 2; color: $text-muted; }
    """
    ENABLE_COMMAND_PALETTE = False
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("n", "new_session", "new"),
        Binding("x", "abort", "abort"),
        Binding("d", "toggle_done", "hide done"),
        Binding("j,down", "cursor_down", show=False),
        Binding("k,up", "cursor_up", show=False),
        Binding("h,left", "collapse", show=False),
        Binding("l,right", "expand", show=False),
        Binding("escape", "close_split", show=False),
        Binding("q", "quit", "quit"),
    ]

    def __init__(self, store: Store, folder: Path) -> None:
        super().__init__()
        self._store = store
        self._folder = folder
        self._rows: list[Row] = []
        self._collapsed: set[str] = set()
        self._running_count = 0
        self._hides_done = False
        self._columns = 80
        self._selected = ""
        """The session under the cursor, which stays there as rows come and go."""
        self._pane = ""
        """The pane to the right, in which a session is shown."""

    def compose(self) -> ComposeResult:
        """The header is the border of the frame, as are the keys below the tree."""
        with Vertical(id="frame"):
            yield OptionList(id="sessions", markup=False)
            yield Static(id="keys")

    def on_mount(self) -> None:
        """Show what is there, and follow it."""
        self._columns = self.size.width
        self._show_header()
        self._show_keys()
        self._store.prepare()
        self.refresh_sessions()
        self.set_interval(_RECONCILING, self.refresh_sessions)
        self._follow_files()

    # What follows the sessions

    @work(exclusive=True, group="files")
    async def _follow_files(self) -> None:
        async for _ in awatch(self._store.sessions_folder, step=_GATHERING, debounce=200):
            self.refresh_sessions()

    @work(exclusive=True, thread=True, group="refresh")
    def refresh_sessions(self) -> None:
        """Read all sessions, and show them."""
        try:
            sessions = reconciled_sessions(self._store)
        except ContractScanError as error:
            self.call_from_thread(self._complain, error)
            return
        self.call_from_thread(self._show, sessions)

    def _show(self, sessions: list[Session]) -> None:
        self._running_count = sum(session.state == "running" for session in sessions)
        self._show_header()
        if self._hides_done:
            sessions = [session for session in sessions if session.state != "done"]
        rows = rows_of(sessions, self._collapsed)
        if rows != self._rows:
            self._rows = rows
            self._draw_rows()

    def _draw_rows(self) -> None:
        """Draw the rows as wide as the terminal is."""
        rows = self._rows
        drawn = _lines(rows, self._columns - _AROUND)
        options = [Option(line, id=row.session.id) for row, line in zip(rows, drawn, strict=True)]
        ids = [row.session.id for row in rows]
        if self._selected not in ids:
            self._selected = ids[min(self._list.highlighted or 0, len(ids) - 1)] if ids else ""
        with self.prevent(OptionList.OptionHighlighted):
            self._list.set_options(options)
            self._list.highlighted = ids.index(self._selected) if ids else None

    def on_resize(self, event: Resize) -> None:
        """The count stands at the right end of the header, and rows are cut to fit."""
        self._columns = event.size.width
        self._show_header()
        self._draw_rows()

    def on_option_list_option_highlighted(self, event: OptionList.OptionHighlighted) -> None:
        """Keep in mind which session the cursor is at."""
        self._selected = event.option_id or ""

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Enter, or a click."""
        self._selected = event.option_id or ""
        self.action_attach()

    # What keys do

    def action_new_session(self) -> None:
        """Ask for a task, and start a session with it; where there is a terminal, one to talk to,
        which may be told its task there."""
        self.push_screen(TaskPrompt(may_be_empty=has_tmux()), self._spawn)

    def action_attach(self) -> None:
        """Show the selected session to the right."""
        row = self._row()
        if row is None:
            return
        session = row.session
        if not session.tmux_session:
            self._complain(f"session {session.id} has no terminal")
        elif not session.is_open:
            self._complain(f"session {session.id} has ended; `scope resume {session.id}` goes on")
        elif not tmux.is_inside():
            self._complain("this terminal is no pane of tmux; leave, and start `scope` again")
        else:
            self._in_background(partial(self._split, session))

    def action_close_split(self) -> None:
        """Close the pane to the right; its session runs on."""
        pane, self._pane = self._pane, ""
        if pane:
            self._in_background(partial(tmux.close_pane, pane))

    def action_abort(self) -> None:
        """End the selected session and all below it."""
        row = self._row()
        if row is not None:
            self._in_background(partial(abort, self._store, row.session.id))

    def action_toggle_done(self) -> None:
        """Hide sessions that are done, or show them."""
        self._hides_done = not self._hides_done
        self._show_keys()
        self.refresh_sessions()

    def action_cursor_down(self) -> None:
        """To the next session."""
        self._list.action_cursor_down()

    def action_cursor_up(self) -> None:
        """To the previous session."""
        self._list.action_cursor_up()

    def action_collapse(self) -> None:
        """Hide the sessions below the selected one."""
        row = self._row()
        if row is not None and row.has_children:
            self._collapsed.add(row.session.id)
            self.refresh_sessions()

    def action_expand(self) -> None:
        """Show them again."""
        self._collapsed.discard(self._selected)
        self.refresh_sessions()

    # Private helpers

    @property
    def _list(self) -> OptionList:
        return self.query_one("#sessions", OptionList)

    @property
    def _frame(self) -> Vertical:
        return self.query_one("#frame", Vertical)

    def _row(self) -> Row | None:
        return next((row for row in self._rows if row.session.id == self._selected), None)

    def _show_header(self) -> None:
        count = f"{self._running_count} running"
        line = "─" * max(1, self._columns - len(self.TITLE) - len(count) - 8)
        self._frame.border_title = f"{self.TITLE} {line} {count}"

    def _show_keys(self) -> None:
        text = _KEYS.format("show" if self._hides_done else "hide")
        self.query_one("#keys", Static).update(Content(text))

    def _spawn(self, task: str | None) -> None:
        if task is None:
            return
        mode: Mode = "interactive" if has_tmux() else "task"
        request = SpawnRequest(task=task, mode=mode, cwd=self._folder)

        def start() -> None:
            session = spawn(self._store, request)
            self._selected = session.id
            if session.tmux_session and tmux.is_inside():
                self._split(session)

        self._in_background(start)

    def _split(self, session: Session) -> None:
        server = tmux_of(self._store)
        if not server.has_session(session.tmux_session):
            raise SessionError(f"the terminal of session {session.id} is gone")
        if self._pane:
            tmux.close_pane(self._pane)
        self._pane = tmux.split_with(server.attach_command(session.tmux_session))

    @work(thread=True, group="steering")
    def _in_background(self, call: Callable[[], object]) -> None:
        """Do what takes a while, and say what went wrong."""
        try:
            call()
        except (ContractScanError, ProcessError) as error:
            self.call_from_thread(self._complain, error)
        self.call_from_thread(self.refresh_sessions)

    def _complain(self, what: object) -> None:
        self.notify(str(what), severity="warning", markup=False)


def _lines(rows: Sequence[Row], columns: int) -> Iterator[Content]:
    """The lines of the tree, in colours. Texts of others are no markup."""
    for row, cells in zip(rows, padded_cells(rows, columns), strict=True):
        colour = _COLOURS[row.session.state]
        activity = "dim" if row.activity == NOTHING else ""
        styles = ("", "", colour, activity, _contract_colour(row))
        pairs = zip(cells, styles, strict=True)
        shown = [Content.styled(cell, style) for cell, style in pairs if cell]
        yield Content(COLUMN_GAP).join(shown)


def _contract_colour(row: Row) -> str:
    if row.contract == "delivered":
        return "green"
    return "red" if "finding" in row.contract else "yellow"


class TaskPrompt(ModalScreen[str | None]):
    """Gives the task, or None where the user changes their mind."""

    CSS = """
    TaskPrompt { align: center middle; }
    TaskPrompt Input { width: 80%; border: round $primary; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "dismiss_prompt", show=False)]

    def __init__(self, *, may_be_empty: bool) -> None:
        super().__init__()
        self._may_be_empty = may_be_empty

    def compose(self) -> ComposeResult:
        """One line to write in."""
        hint = " (empty: the first message says it)" if self._may_be_empty else ""
        field = Input(placeholder=f"What is to be done?{hint}")
        field.border_title = "new session"
        yield field

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Enter."""
        task = event.value.strip()
        if task or self._may_be_empty:
            self.dismiss(task)

    def action_dismiss_prompt(self) -> None:
        """Escape."""
        self.dismiss(None)
