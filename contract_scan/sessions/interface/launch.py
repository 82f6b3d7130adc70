"""The way into the interface: in tmux where that is there, else in the terminal as it is."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from pathlib import Path

from contract_scan.clients import tmux
from contract_scan.sessions.lifecycle import has_tmux, tmux_of
from contract_scan.sessions.session import (
    FOLDER_VARIABLE,
    INTERFACE_NAME,
    SESSION_VARIABLE,
    SessionError,
)
from contract_scan.sessions.store import store_to_make


def show_sessions(folder: Path, *, inside_tmux: bool) -> None:
    """Show the sessions of the project around a folder, until the user leaves. Outside of tmux,
    this program is replaced by a tmux that runs it again.

    Raises SessionError where what it needs is not installed.
    """
    missing = [name for name in ("textual", "watchfiles") if find_spec(name) is None]
    if missing:
        raise SessionError("the interface needs the extra `sessions` of contract-scan")
    store = store_to_make(folder)
    try:
        store.prepare()
    except OSError as error:
        raise SessionError(f"cannot be written: {error.strerror}", str(store.folder)) from None
    if not inside_tmux and has_tmux() and not tmux.is_inside():
        command = [sys.executable, "-P", "-m", "contract_scan.cli.sessions", "--inside-tmux"]
        try:
            tmux_of(store).launch(
                INTERFACE_NAME,
                command,
                folder.resolve(),
                without=(SESSION_VARIABLE, FOLDER_VARIABLE),
            )
        except OSError as error:
            raise SessionError(f"tmux cannot be started: {error.strerror}") from None
    from contract_scan.sessions.interface.app import ScopeApp

    ScopeApp(store, folder.resolve()).run()
