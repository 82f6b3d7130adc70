"""The pre-commit hook of a repository: a small script that git runs before each commit."""

from __future__ import annotations

import os
import shlex
import sys
from pathlib import Path

from contract_scan.atomic import replace_file
from contract_scan.clients.git import inside_work_tree
from contract_scan.clients.git_command import (
    OF_THE_REPOSITORY,
    OWN_VARIABLES,
    WITH_HOOKS,
    command,
    patience,
)
from contract_scan.clients.processes import ProcessError, run_program
from contract_scan.errors import UsageError
from contract_scan.regular_file import read_regular

_LARGEST = 1_000_000
"""Bytes of a hook in which our mark is looked for."""
MARK = "# Written by `contract-scan hooks install --git`."


def install(folder: Path) -> tuple[Path, bool]:
    """Write the hook of the repository that a folder belongs to: its path, and whether an older
    one of ours was there. Someone else's hook is left alone.

    Raises UsageError where there is no repository, another hook, or no way to write.
    """
    file = _hook(folder)
    existing = _text(file)
    if existing is not None and MARK not in existing:
        raise UsageError(
            "another hook is there already; add this line to it:"
            " contract-scan check --staged || exit 1",
            str(file),
        )
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        replace_file(file, _script().encode(), mode=0o755)
    except OSError as error:
        raise UsageError(f"cannot be written: {error.strerror}", str(file)) from None
    return file, existing is not None


def uninstall(folder: Path) -> Path | None:
    """Take our hook away; None where it was not there. Raises UsageError as `install`."""
    file = _hook(folder)
    existing = _text(file)
    if existing is None or MARK not in existing:
        return None
    try:
        file.unlink()
    except OSError as error:
        raise UsageError(f"cannot be removed: {error.strerror}", str(file)) from None
    return file


def _hook(folder: Path) -> Path:
    """Where git looks for the hook: settings and further work trees may move it. Raises UsageError
    where there is no repository, or where this one moves its hooks out of itself."""
    if not inside_work_tree(folder):
        raise UsageError("is in no git repository", str(folder))
    try:
        file = folder / _git(folder, "rev-parse", "--git-path", "hooks/pre-commit")
        own = [_git(folder, "rev-parse", name) for name in ("--show-toplevel", "--git-common-dir")]
    except ProcessError as error:
        raise UsageError(error.message, str(folder)) from None
    place = Path(os.path.realpath(file))
    is_inside = any(place.is_relative_to(os.path.realpath(folder / each)) for each in own)
    if not is_inside and not _is_moved_by_user(folder):
        raise UsageError("lies outside of the repository; nothing is written there", str(file))
    return file


def _is_moved_by_user(folder: Path) -> bool:
    """Whether it is the configuration of the user or the system that says where hooks are."""
    try:
        found = _git(folder, "config", "--show-scope", "--get", "core.hooksPath")
    except ProcessError:
        return False
    return os.fsencode(found.partition("\t")[0]) not in OF_THE_REPOSITORY


def _git(folder: Path, *words: str) -> str:
    """The line that git prints. Nothing here runs a hook, so that their place may be asked for."""
    started = command(str(folder), os.environ, WITH_HOOKS)
    if isinstance(started, str):
        raise ProcessError(started)
    before, variables = started
    left = patience().seconds_left()
    found = run_program(
        [*before, *words],
        name="git",
        cwd=folder,
        timeout=left,
        environment=variables,
        without=OWN_VARIABLES,
    )
    return os.fsdecode(found.stdout).removesuffix("\n")


def _text(file: Path) -> str | None:
    try:
        return read_regular(file, _LARGEST).decode("utf-8", "replace")
    except FileNotFoundError:
        return None
    except OSError as error:
        raise UsageError(f"cannot be read: {error.strerror}", str(file)) from None


def _script() -> str:
    python = shlex.quote(sys.executable)
    return f"""#!/bin/sh
{MARK}
# Says what the next commit breaks. `git commit --no-verify` goes past it.
if command -v contract-scan >/dev/null 2>&1; then
    exec contract-scan check --staged
fi
exec {python} -P -m contract_scan check --staged
"""
