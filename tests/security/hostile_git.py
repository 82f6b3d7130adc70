"""Repositories whose git configuration runs programs, and the proof that it would."""

from __future__ import annotations

import os
import socket
import subprocess
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from tests.cli.test_changed import git, orders


@dataclass(frozen=True)
class Trap:
    """A repository, and a program outside of it that leaves a mark when it is run."""

    repository: Path
    program: Path
    mark: Path

    def was_run(self) -> bool:
        """Whether the program was, since this was last asked."""
        found = self.mark.exists()
        self.mark.unlink(missing_ok=True)
        return found

    def configure(self, *pairs: str) -> None:
        """Set keys to the values that follow them."""
        for key, value in zip(pairs[::2], pairs[1::2], strict=True):
            git(self.repository, "config", "--add", key, value)

    def plainly(self, *words: str) -> None:
        """What git does where nobody takes care, before a terminal; it may fail, may run what it
        likes, and may wait for an answer that never comes."""
        terminal, shown = os.openpty()
        try:
            with suppress(subprocess.TimeoutExpired):
                subprocess.run(
                    ["git", *words],
                    cwd=self.repository,
                    env={**os.environ, "GIT_TERMINAL_PROMPT": "0", "TERM": "xterm"},
                    stdin=subprocess.DEVNULL,
                    stdout=shown,
                    stderr=subprocess.DEVNULL,
                    check=False,
                    timeout=5,
                )
        finally:
            os.close(terminal)
            os.close(shown)


def trap(repository: Path, outside: Path) -> Trap:
    """A program outside of the repository that leaves a mark."""
    outside.mkdir()
    program, mark = outside / "program", outside / "mark"
    program.write_text(f"#!/bin/sh\n: >'{mark}'\nexit 1\n")
    program.chmod(0o755)
    return Trap(repository, program, mark)


def change(repository: Path) -> None:
    """Change a file that git tracks, in the index and in the working tree."""
    (repository / "orders.py").write_text(orders("bool"), encoding="utf-8")
    git(repository, "add", "orders.py")
    (repository / "orders.py").write_text(orders("int"), encoding="utf-8")


def lack_an_object(trap: Trap, url: str) -> None:
    """Make it a partial clone that lacks a `.gitignore`, which git then fetches from an address."""
    ignoring = trap.repository / "more" / ".gitignore"
    ignoring.parent.mkdir()
    ignoring.write_text("*.log\n")
    (ignoring.parent / "more.py").write_text("")
    git(trap.repository, "add", "--all")
    git(trap.repository, "commit", "--quiet", "--message=More")
    command = ["git", "rev-parse", "HEAD:more/.gitignore"]
    found = subprocess.run(command, cwd=trap.repository, check=True, capture_output=True, text=True)
    name = found.stdout.strip()
    git(trap.repository, "update-index", "--skip-worktree", "more/.gitignore")
    ignoring.unlink()
    trap.configure(
        *("core.repositoryFormatVersion", "1"),
        *("extensions.partialClone", "origin"),
        *("remote.origin.promisor", "true"),
        *("remote.origin.url", url),
    )
    (trap.repository / ".git" / "objects" / name[:2] / name[2:]).unlink()
    (ignoring.parent / "new.py").write_text("")  # the patterns are asked about this one


def _fetches_by_a_helper(trap: Trap) -> tuple[str, ...]:
    lack_an_object(trap, f"ext::{trap.program}")
    trap.configure("protocol.ext.allow", "always")
    return LISTING


def _fetches_by_ssh(trap: Trap) -> tuple[str, ...]:
    lack_an_object(trap, "ssh://localhost/nowhere")
    trap.configure("core.sshCommand", str(trap.program))
    return LISTING


def _fetches_by_upload_pack(trap: Trap) -> tuple[str, ...]:
    lack_an_object(trap, f"file://{trap.repository}")
    trap.configure("remote.origin.uploadpack", str(trap.program))
    return LISTING


def _fetches_by_a_proxy(trap: Trap) -> tuple[str, ...]:
    lack_an_object(trap, "git://localhost/nowhere")
    trap.configure("core.gitProxy", str(trap.program))
    return LISTING


def _cleans(name: str) -> Callable[[Trap], tuple[str, ...]]:
    def set_up(trap: Trap) -> tuple[str, ...]:
        (trap.repository / ".gitattributes").write_text(f"*.py filter={name}\n")
        trap.configure(f"filter.{name}.clean", str(trap.program))
        return ("diff",)

    set_up.__name__ = f"_cleans_by_{name}"
    return set_up


def _cleans_by_a_process(trap: Trap) -> tuple[str, ...]:
    (trap.repository / ".gitattributes").write_text("*.py filter=x\n")
    trap.configure("filter.x.process", str(trap.program), "filter.x.required", "true")
    return ("diff",)


def _cleans_by_attributes_of_its_own(trap: Trap) -> tuple[str, ...]:
    (trap.repository / ".git" / "info" / "attributes").write_text("*.py filter=x\n")
    trap.configure("filter.x.clean", str(trap.program))
    return ("diff",)


def _includes_settings(trap: Trap) -> tuple[str, ...]:
    (trap.repository / ".gitattributes").write_text("*.py filter=x\n")
    (trap.repository / "more.cfg").write_text(f'[filter "x"]\nclean = {trap.program}\n')
    trap.configure("include.path", "../more.cfg")
    return ("diff",)


def _includes_settings_from_outside(trap: Trap) -> tuple[str, ...]:
    (trap.repository / ".gitattributes").write_text("*.py filter=x\n")
    outside = trap.program.parent / "more.cfg"
    outside.write_text(
        f'[filter "x"]\nclean = {trap.program}\n[core]\nfsmonitor = {trap.program}\n'
    )
    trap.configure("include.path", str(outside))
    return ("diff",)


def _includes_settings_on_a_condition(trap: Trap) -> tuple[str, ...]:
    outside = trap.program.parent / "more.cfg"
    outside.write_text(f"[diff]\nexternal = {trap.program}\n")
    trap.configure(f"includeIf.gitdir:{trap.repository}/.path", str(outside))
    return ("diff",)


def _has_settings_of_its_work_tree(trap: Trap) -> tuple[str, ...]:
    trap.configure("extensions.worktreeConfig", "true")
    (trap.repository / ".git" / "config.worktree").write_text(
        f"[core]\nfsmonitor = {trap.program}\n[diff]\nexternal = {trap.program}\n"
    )
    return ("diff",)


def _has_a_linked_work_tree(trap: Trap) -> tuple[str, ...]:
    git(trap.repository, "worktree", "add", "--quiet", "other")
    change(trap.repository / "other")
    trap.configure("extensions.worktreeConfig", "true", "diff.external", str(trap.program))
    settings = trap.repository / ".git" / "worktrees" / "other" / "config.worktree"
    settings.write_text(f"[core]\nfsmonitor = {trap.program}\n")
    return ("-C", "other", "diff")


def pages(trap: Trap) -> tuple[str, ...]:
    trap.configure("core.pager", str(trap.program))
    return ("diff",)


def pages_by_verb(trap: Trap) -> tuple[str, ...]:
    for verb in ("ls-files", "diff", "config", "rev-parse", "merge-base", "check-ignore"):
        trap.configure(f"pager.{verb}", str(trap.program))
    return ("ls-files",)


def _smudges(trap: Trap) -> tuple[str, ...]:
    (trap.repository / ".gitattributes").write_text("*.py filter=x\n")
    trap.configure("filter.x.smudge", str(trap.program))
    return ("checkout", "--force", "--", ".")


def _asks_for_credentials(trap: Trap) -> tuple[str, ...]:
    trap.configure("credential.helper", f"!{trap.program}")
    return ("-c", "credential.interactive=false", "ls-remote", asking_for_a_password())


def _converts_to_text(trap: Trap) -> tuple[str, ...]:
    (trap.repository / ".gitattributes").write_text("*.py diff=x\n")
    trap.configure("diff.x.textconv", str(trap.program))
    return ("diff",)


def _compares_by_a_driver(trap: Trap) -> tuple[str, ...]:
    (trap.repository / ".gitattributes").write_text("*.py diff=x\n")
    trap.configure("diff.x.command", str(trap.program))
    return ("diff",)


def _compares_by_a_program(trap: Trap) -> tuple[str, ...]:
    trap.configure("diff.external", str(trap.program))
    return ("diff",)


def _watches_files(trap: Trap) -> tuple[str, ...]:
    trap.configure("core.fsmonitor", str(trap.program))
    return ("diff",)


def _hooks_the_index(trap: Trap) -> tuple[str, ...]:
    hook = trap.repository / ".git" / "hooks" / "post-index-change"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\nexec '{trap.program}' </dev/null\n")
    hook.chmod(0o755)
    for file in trap.repository.glob("*.*"):
        os.utime(
            file, (1_000_000_000, 1_000_000_000)
        )  # the index is out of date, its files are not
    return ("diff",)


def _compares_in_a_submodule(trap: Trap) -> tuple[str, ...]:
    inner = trap.repository / "inner"
    inner.mkdir()
    git(inner, "init", "--quiet")
    for number in range(2):
        (inner / "inner.py").write_text(f"x = {number}\n")
        git(inner, "add", "--all")
        git(inner, "commit", "--quiet", "--message=Next")
        if not number:
            git(trap.repository, "add", "inner")
    git(inner, "config", "diff.external", str(trap.program))
    trap.configure("diff.submodule", "diff")
    return ("diff", "--ext-diff")


def watches_files_of_a_submodule(trap: Trap) -> tuple[str, ...]:
    inner = trap.repository / "inner"
    inner.mkdir()
    git(inner, "init", "--quiet")
    (inner / "inner.py").write_text("x = 1\n")
    (inner / ".gitattributes").write_text("*.py filter=x\n")
    git(inner, "add", "--all")
    git(inner, "commit", "--quiet", "--message=One")
    git(trap.repository, "add", "inner")
    git(inner, "config", "core.fsmonitor", str(trap.program))
    git(inner, "config", "filter.x.clean", str(trap.program))
    (inner / "inner.py").write_text("x = 2\n")
    return ("diff",)


def _is_an_alias(trap: Trap) -> tuple[str, ...]:
    for verb in ("ls-files", "diff", "config", "rev-parse", "merge-base", "new"):
        trap.configure(f"alias.{verb}", f"!{trap.program}")
    return ("new",)


LISTING = ("ls-files", "--others", "--exclude-standard")
WAYS = (
    _fetches_by_a_helper,
    _fetches_by_ssh,
    _fetches_by_upload_pack,
    _fetches_by_a_proxy,
    _cleans("lfs"),
    _cleans("a=b"),
    _cleans_by_a_process,
    _cleans_by_attributes_of_its_own,
    _includes_settings,
    _includes_settings_from_outside,
    _includes_settings_on_a_condition,
    _has_settings_of_its_work_tree,
    _has_a_linked_work_tree,
    pages,
    pages_by_verb,
    _smudges,
    _asks_for_credentials,
    _converts_to_text,
    _compares_by_a_driver,
    _compares_by_a_program,
    _watches_files,
    _hooks_the_index,
    _compares_in_a_submodule,
    watches_files_of_a_submodule,
    _is_an_alias,
)
"""Each sets a repository up and returns the git command that then runs the program."""


class _Asking(BaseHTTPRequestHandler):
    """Lets nobody in without a password."""

    def do_GET(self) -> None:
        self.send_response(401)
        self.send_header("WWW-Authenticate", "Basic realm=test")
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


def asking_for_a_password() -> str:
    """The address of a server on this machine that does so for as long as the process lives."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Asking)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_port}/nowhere"


class Listener:
    """Listens on a loopback address, and answers nothing."""

    def __init__(self) -> None:
        self._socket = socket.create_server(("127.0.0.1", 0))
        self._socket.setblocking(False)
        self.address = f"http://127.0.0.1:{self._socket.getsockname()[1]}/nowhere"

    def was_called(self) -> bool:
        """Whether somebody connected, since this was last asked."""
        found = False
        while True:
            try:
                connection, _ = self._socket.accept()
            except BlockingIOError:
                return found
            connection.close()
            found = True

    def close(self) -> None:
        """Stop."""
        self._socket.close()
