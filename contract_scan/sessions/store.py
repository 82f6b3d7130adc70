"""The folder `.scope`: every session is a folder in it, every field a file of plain text.

A session appears whole, by the renaming of a folder that nobody looks into; its files are replaced
whole. Whoever changes a state holds the lock of the folder, and looks at the state first: a session
ends once.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Final, TextIO, get_args

from msgspec.structs import replace

from contract_scan.clients.process_tree import ProcessMark
from contract_scan.regular_file import read_regular
from contract_scan.sessions.session import (
    DEFAULT_TASK_TYPE,
    FOLDER_VARIABLE,
    STATES,
    TASK_TYPES,
    Mode,
    Session,
    SessionError,
    State,
    is_id,
)

FOLDER: Final = ".scope"
INSTRUCTIONS: Final = "contract.md"
"""What the agent is told, in the folder of a session."""
SCOPE_CONTRACT: Final = "scope_contract.yaml"
OUTPUT: Final = "output"
"""What a session without a terminal printed."""

_SESSIONS: Final = "sessions"
_COUNTER: Final = "next_id"
_LOCK: Final = "lock"
_NEW: Final = ".new-"
"""How folders begin that are being made."""
_LARGEST: Final = 10_000_000
"""Bytes of one file."""
_GIT_IGNORE: Final = "# The state of running sessions: nothing to share.\n*\n"


class Store:
    """The sessions of one project."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.sessions_folder = folder / _SESSIONS

    def folder_of(self, session_id: str) -> Path:
        """Where a session is kept."""
        return self.sessions_folder / session_id

    def load(self, session_id: str) -> Session:
        """A session. Raises SessionError where there is none of this id."""
        found = self._read_session(session_id) if is_id(session_id) else None
        if found is None:
            raise SessionError(f"there is no session {session_id!r:.80}; see `scope list`")
        return found

    def load_all(self) -> list[Session]:
        """Every session, the oldest first. Folders that are no session are passed over."""
        try:
            names = [entry.name for entry in os.scandir(self.sessions_folder)]
        except FileNotFoundError:
            return []
        except OSError as error:
            message = f"cannot be read: {error.strerror}"
            raise SessionError(message, str(self.sessions_folder)) from None
        found = (self._read_session(name) for name in names if is_id(name))
        return sorted(filter(None, found), key=lambda one: (one.created_at, _order(one.id)))

    def open_in(self, place: Path) -> list[Session]:
        """The open sessions that work in a folder or below it, the oldest first."""
        folder = place.resolve()
        return [
            one
            for one in self.load_all()
            if one.is_open and one.cwd.resolve().is_relative_to(folder)
        ]

    def create(
        self,
        make: Callable[[str], Session],
        parent: str,
        wanted: str,
        files: Callable[[Session], dict[str, str]],
        check: Callable[[Session], None] = lambda _: None,
    ) -> Session:
        """Add a session: `make` gets its id, which is `wanted` or the next one below the parent.
        `files` are further files of its folder; `check` may refuse the session by an error, while
        nobody else can add one.

        Raises SessionError for an id that is taken, or where the folder cannot be written.
        """
        try:
            self.prepare()
            with self.locked():
                session_id = wanted or self._next_id(parent)
                if os.path.lexists(self.folder_of(session_id)):
                    raise SessionError(f"the id `{session_id}` is taken; choose another")
                session = make(session_id)
                check(session)
                self._add(session, files(session))
                return session
        except OSError as error:
            message = f"cannot be written: {error.strerror}"
            raise SessionError(message, str(self.folder)) from None

    def change(
        self, session_id: str, *, only_in: Sequence[State] = STATES, **values: object
    ) -> bool:
        """Set fields of a session, where it is in one of these states. Returns whether it was.

        Raises SessionError where there is no such session or its files cannot be written.
        """
        try:
            with self.locked():
                before = self.load(session_id)
                if before.state not in only_in:
                    return False
                after = replace(before, **values)
                for name, text in _texts(after, before).items():
                    _write(self.folder_of(session_id) / name, text)
                return True
        except OSError as error:
            message = f"cannot be written: {error.strerror}"
            raise SessionError(message, str(self.folder_of(session_id))) from None

    def text_of(self, session_id: str, name: str) -> str:
        """A further file of a session; empty where it is not there."""
        return _read_text(self.folder_of(session_id) / name)

    def put_text(self, session_id: str, name: str, text: str) -> None:
        """Write a further file of a session. Raises OSError."""
        _write(self.folder_of(session_id) / name, text)

    def put_private(self, session_id: str, name: str, raw: bytes) -> None:
        """Write a further file that nobody else may read. Raises OSError."""
        _write_bytes(self.folder_of(session_id) / name, raw)

    def take_private(self, session_id: str, name: str) -> bytes | None:
        """The content of such a file, which is gone then; None where it is not there."""
        path = self.folder_of(session_id) / name
        try:
            raw = read_regular(path, _LARGEST)
            path.unlink()
        except OSError:
            return None
        return raw

    def open_output(self, session_id: str) -> TextIO:
        """What a session printed, to be added to. Raises SessionError where its file cannot be
        opened, or is a link: that may lead anywhere."""
        path = self.folder_of(session_id) / OUTPUT
        try:
            return open(path, "a", encoding="utf-8", errors="replace", opener=_without_following)
        except OSError as error:
            raise SessionError(f"cannot be written: {error.strerror}", str(path)) from None

    @contextlib.contextmanager
    def locked(self) -> Iterator[None]:
        """Nobody else changes states or adds sessions meanwhile. Not to be nested."""
        descriptor = os.open(self.folder / _LOCK, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            yield
        finally:
            os.close(descriptor)

    # Private helpers

    def prepare(self) -> None:
        """Make the folders. Raises SessionError for links, and OSError."""
        if self.folder.is_symlink() or self.sessions_folder.is_symlink():
            raise SessionError(
                "is a link; sessions are kept in the project itself", str(self.folder)
            )
        self.folder.mkdir(mode=0o700, exist_ok=True)
        self.sessions_folder.mkdir(mode=0o700, exist_ok=True)
        ignored = self.folder / ".gitignore"
        if not os.path.lexists(ignored):
            _write(ignored, _GIT_IGNORE)

    def _next_id(self, parent: str) -> str:
        """Counted for sessions without a parent; of the others, one more than the last sibling."""
        if parent:
            prefix = f"{parent}."
            used = [
                int(rest)
                for entry in os.scandir(self.sessions_folder)
                if (rest := entry.name.removeprefix(prefix)) != entry.name and rest.isdecimal()
            ]
            return f"{prefix}{max(used, default=-1) + 1}"
        text = _read_text(self.folder / _COUNTER).strip()
        number = int(text) if text.isascii() and text.isdecimal() and len(text) < 10 else 0
        while os.path.lexists(self.folder_of(str(number))):
            number += 1
        _write(self.folder / _COUNTER, f"{number + 1}\n")
        return str(number)

    def _add(self, session: Session, files: dict[str, str]) -> None:
        made = Path(tempfile.mkdtemp(prefix=_NEW, dir=self.sessions_folder))
        try:
            for name, text in {**_texts(session, None), **files}.items():
                _write(made / name, text)
            made.rename(self.folder_of(session.id))
        except BaseException:
            shutil.rmtree(made, ignore_errors=True)
            raise

    def _read_session(self, session_id: str) -> Session | None:
        folder = self.folder_of(session_id)
        if folder.is_symlink() or not folder.is_dir():
            return None

        def text(name: str) -> str:
            return _read_text(folder / name)

        def line(name: str) -> str:
            return text(name).strip()

        state, cwd = line("state"), line("cwd")
        if state not in STATES or not cwd:
            return None  # somebody else's folder, or one that is being removed
        task_type = line("task_type")
        return Session(
            id=session_id,
            task=line("task"),
            task_type=next((one for one in TASK_TYPES if one == task_type), DEFAULT_TASK_TYPE),
            agent=line("agent"),
            mode=next((one for one in get_args(Mode) if one == line("mode")), "task"),
            parent=line("parent"),
            after=tuple(text("after").split()),
            state=next(one for one in STATES if one == state),
            activity=line("activity"),
            result=text("result"),
            reason=line("reason"),
            model=line("model"),
            inputs=tuple(filter(None, text("inputs").split("\n"))),
            cwd=Path(cwd),
            created_at=line("created_at"),
            tmux_session=line("tmux_session"),
            agent_session=line("agent_session"),
            process=_process(line("process")),
            since=line("since"),
            branch=line("branch"),
            contract_state=line("contract_state"),
        )


def found_store(start: Path) -> Store | None:
    """The sessions of the project around a folder: those of the session that this program runs in,
    else the nearest `.scope` at or above it, not beyond the top of the repository. Links are none:
    they may lead to what belongs to somebody else."""
    given = os.environ.get(FOLDER_VARIABLE, "")
    if given and Path(given).is_dir():
        return Store(Path(given))
    folder = start.resolve()
    for each in (folder, *folder.parents):
        if _is_own_folder(each / FOLDER):
            return Store(each / FOLDER)
        if (each / ".git").exists():
            return None
    return None


def store_to_make(start: Path) -> Store:
    """The sessions of the project around a folder, also where there are none yet: at the top of the
    repository, else in the folder itself."""
    found = found_store(start)
    if found is not None:
        return found
    folder = start.resolve()
    top = next((each for each in (folder, *folder.parents) if (each / ".git").exists()), folder)
    return Store(top / FOLDER)


# Private helpers


def _is_own_folder(folder: Path) -> bool:
    within = folder / _SESSIONS
    return folder.is_dir() and not folder.is_symlink() and not within.is_symlink()


def _texts(session: Session, before: Session | None) -> dict[str, str]:
    """The files of a session, by name; of one that was there before, those that differ."""
    lists = {"after": "\n".join(session.after), "inputs": "\n".join(session.inputs)}
    process = "" if session.process is None else f"{session.process.pid} {session.process.started}"
    values = {
        name: str(getattr(session, name))
        for name in Session.__struct_fields__
        if name not in ("id", "process", *lists)
    }
    texts = {**values, **lists, "process": process}
    ended = {
        name: f"{text}\n" if text and name != "result" else text for name, text in texts.items()
    }
    # The state comes last: who sees that a session has ended sees its result as well.
    ordered = {name: ended[name] for name in sorted(ended, key=lambda name: name == "state")}
    if before is None:
        return ordered
    old = _texts(before, None)
    return {name: text for name, text in ordered.items() if text != old[name]}


def _process(text: str) -> ProcessMark | None:
    pid, _, started = text.partition(" ")
    if not (pid.isascii() and pid.isdecimal() and 0 < int(pid) < 2**31):
        return None
    return ProcessMark(int(pid), started)


def _order(session_id: str) -> list[tuple[int, str]]:
    """Numbers by their value, before words."""
    return [
        (int(part), "") if part.isdecimal() else (2**31, part) for part in session_id.split(".")
    ]


def _without_following(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK, 0o666)


def _read_text(path: Path) -> str:
    try:
        raw = read_regular(path, _LARGEST)
    except OSError:
        return ""
    return raw.decode("utf-8", "replace")


def _write(path: Path, text: str) -> None:
    _write_bytes(path, text.encode("utf-8", "replace"))


def _write_bytes(path: Path, raw: bytes) -> None:
    """Replace a file whole. A link in its place is replaced, not followed: it may lead anywhere."""
    handle, name = tempfile.mkstemp(prefix=".", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as opened:
            opened.write(raw)
        Path(name).replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            Path(name).unlink()
        raise
