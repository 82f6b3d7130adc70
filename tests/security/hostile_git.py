"""Repositories whose git configuration runs programs, and the proof that it would."""

from __future__ import annotations

import os
import socket
import subprocess
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
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
        """What git does where nobody takes care; it may fail, may run what it likes, and may wait
        for an answer that never comes."""
        with suppress(subprocess.TimeoutExpired):
            subprocess.run(
                ["git", *words],
                cwd=self.repository,
                env={**os.environ, "GIT_TERMINAL_PROMPT": "0"},
                capture_output=True,
                check=False,
                timeout=5,
            )


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
    _converts_to_text,
    _compares_by_a_driver,
    _compares_by_a_program,
    _watches_files,
    _hooks_the_index,
    _compares_in_a_submodule,
    _is_an_alias,
)
"""Each sets a repository up and returns the git command that then runs the program."""


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
