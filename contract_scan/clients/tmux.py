"""tmux, as the terminal that sessions of agents run in: a server of its own for each project.

The server has a socket of its own and reads no configuration, so that neither a user's other
sessions nor settings of theirs (`destroy-unattached`, `remain-on-exit`) get in the way. Names are
addressed as `=NAME`: without the sign, tmux takes a prefix or a pattern for the name.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import time
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Final

from msgspec import Struct

from contract_scan.clients.processes import ProcessError, run_program

VARIABLE: Final = "TMUX"
"""Set in every pane; tmux refuses to attach from where it is set."""

_PATIENCE: Final = 15.0
"""Seconds that a command may take; the first one starts the server."""
_OWN_VARIABLES: Final = (VARIABLE, "TMUX_PANE")
_COLUMNS, _ROWS = "200", "50"
"""The size of a session that nobody has attached to yet."""


_SERVER_ENDS: Final = ("server exited", "lost server", "no server running", "Connection refused")
"""What tmux says where its server ends, as it does after the last session, while it is asked for a
new one. Nothing was made then; a moment later a new server starts."""
_ATTEMPTS: Final = 10
_SHORT: Final = 0.05
"""Seconds between two attempts."""

OLDEST: Final = (3, 2)
"""The version with `new-session -e`."""
_VERSION: Final = re.compile(r"(?<!\d)(\d+)\.(\d+)")


def is_installed() -> bool:
    """Whether there is a tmux that does what is asked of it here."""
    return bool(installed_version())


@cache
def installed_version() -> str:
    """The version of tmux; empty where it is not there, or too old."""
    if shutil.which("tmux") is None:
        return ""
    try:
        done = run_program(["tmux", "-V"], cwd=Path("/"), timeout=_PATIENCE, name="tmux")
    except ProcessError:
        return ""
    text = done.stdout.decode("utf-8", "replace").strip().removeprefix("tmux ")
    found = _VERSION.search(text)
    return text if found and (int(found[1]), int(found[2])) >= OLDEST else ""


def is_inside() -> bool:
    """Whether this process runs in a pane, of whichever server."""
    return bool(os.environ.get(VARIABLE))


class Tmux(Struct, frozen=True):
    """The server of one socket. Every method raises ProcessError where tmux fails."""

    socket: str
    """Its name, as `tmux -L` takes it."""

    def create_session(
        self,
        name: str,
        command: Sequence[str],
        *,
        cwd: Path,
        environment: Mapping[str, str],
        without: Sequence[str] = (),
    ) -> int:
        """Start a program in a session of its own, attached to nothing, and return its process id.

        `environment` is set for the program; variables `without` are kept from the server where
        this starts it, since whatever runs in it later would inherit them.
        """
        set_variables = [word for item in environment.items() for word in ("-e", "=".join(item))]
        words = [
            *("new-session", "-d", "-s", name, "-c", str(cwd), "-x", _COLUMNS, "-y", _ROWS),
            *(*set_variables, "-P", "-F", "#{pane_pid}", "--", *command),
            *(";", "set-option", "-g", "mouse", "on"),
            *(";", "set-option", "-g", "status", "off"),
        ]
        for _ in range(_ATTEMPTS - 1):
            try:
                return int(self._run(words, cwd=cwd, without=without).strip())
            except ProcessError as error:
                if not any(sign in error.message for sign in _SERVER_ENDS):
                    raise
            time.sleep(_SHORT)
        return int(self._run(words, cwd=cwd, without=without).strip())

    def kill_session(self, name: str) -> None:
        """End a session, where it is there."""
        if self.has_session(name):
            self._run(["kill-session", "-t", f"={name}"], accepted=(0, 1))

    def has_session(self, name: str) -> bool:
        """Whether a session of exactly this name is there."""
        return name in self.session_names()

    def session_names(self) -> frozenset[str]:
        """The names of all sessions; none where no server runs."""
        listed = self._run(["list-sessions", "-F", "#{session_name}"], accepted=(0, 1))
        return frozenset(listed.splitlines())

    def attach_command(self, name: str) -> list[str]:
        """The command that shows a session, also from inside of a pane."""
        unset = [word for variable in _OWN_VARIABLES for word in ("-u", variable)]
        return ["env", *unset, *self._command(), "attach-session", "-t", f"={name}"]

    def launch(
        self, name: str, command: Sequence[str], cwd: Path, without: Sequence[str] = ()
    ) -> None:
        """Become a client of a session that runs a command; the session is made where it is not
        there. Variables `without` are kept from the server, as `create_session` does. Returns only
        by an error: OSError where tmux cannot be started."""
        start = ["new-session", "-A", "-s", name, "-c", str(cwd), "--", *command]
        options = ["set-option", "-g", "mouse", "on", ";", "set-option", "-g", "status", "off"]
        environment = {key: value for key, value in os.environ.items() if key not in without}
        os.execvpe("tmux", [*self._command(), *start, ";", *options], environment)

    def _command(self) -> list[str]:
        return ["tmux", "-L", self.socket, "-f", "/dev/null"]

    def _run(
        self,
        words: Sequence[str],
        *,
        cwd: Path | None = None,
        without: Sequence[str] = (),
        accepted: Sequence[int] = (0,),
    ) -> str:
        done = run_program(
            [*self._command(), *words],
            cwd=cwd or Path("/"),
            timeout=_PATIENCE,
            without=(*_OWN_VARIABLES, *without),
            name="tmux",
            accepted=accepted,
        )
        return done.stdout.decode("utf-8", "replace")


def split_with(command: Sequence[str]) -> str:
    """Open a pane to the right of the one that this process runs in, with a command in it, and
    return the pane's id. Raises ProcessError."""
    words = ["split-window", "-h", "-l", "60%", "-P", "-F", "#{pane_id}", shlex.join(command)]
    return _in_own_server(words).strip()


def close_pane(pane: str) -> None:
    """Close a pane, where it is there still. What it is attached to runs on."""
    try:
        _in_own_server(["kill-pane", "-t", pane])
    except ProcessError:
        return


def _in_own_server(words: Sequence[str]) -> str:
    """Run a command of the server whose pane this is, which may be that of the user."""
    done = run_program(["tmux", *words], cwd=Path("/"), timeout=_PATIENCE, name="tmux")
    return done.stdout.decode("utf-8", "replace")
