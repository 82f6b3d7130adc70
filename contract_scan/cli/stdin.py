"""What is read from standard input: one file that takes the place of the one on disk, or a list of
the files to report on."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from msgspec import Struct

from contract_scan.errors import UsageError

if TYPE_CHECKING:
    from contract_scan.config import Config
    from contract_scan.scanners.report import Report

DASH = "-"
"""The path that means standard input."""


class Piped(Struct, frozen=True):
    """A file whose text came from standard input."""

    file: Path
    """Absolute, without links. It need not exist."""
    text: bytes


def piped_file(paths: Sequence[str], filename: str | None, here: Path) -> Path | None:
    """The file that standard input stands for; None where it stands for none.

    Raises UsageError where it is not said which, or more than it is asked for.
    """
    if filename is None:
        if DASH in paths:
            raise UsageError("`-` reads one file: say which with --stdin-filename PATH")
        return None
    if set(paths) - {DASH}:
        raise UsageError("standard input is checked alone, without further paths")
    file = (here / filename).resolve()
    if file.is_dir():
        raise UsageError("is a folder; --stdin-filename names one file", filename)
    if not file.parent.is_dir():
        raise UsageError("no such folder", str(Path(filename).parent))
    return file


def read_piped(file: Path, config: Config) -> Piped:
    """Read standard input in the place of a file.

    Raises UsageError where there is more of it than a file may hold.
    """
    limit = max(config.limits.source_bytes, config.limits.contract_bytes)
    text = _standard_input(limit)
    if len(text) > limit:
        raise UsageError(f"standard input is larger than {limit} bytes")
    return Piped(file, text)


def listed_paths(source: str | None, here: Path) -> tuple[str, ...] | None:
    """The paths that a file (`-`: standard input) lists, one a line, or each before a NUL. None
    where nothing is to be read.

    Raises UsageError for a list that cannot be read, and a path that does not exist.
    """
    if source is None:
        return None
    shown = "standard input" if source == DASH else source
    try:
        raw = _standard_input() if source == DASH else (here / source).read_bytes()
        text = raw.decode()
    except OSError as error:
        raise UsageError(f"cannot be read: {error.strerror}", source) from None
    except UnicodeDecodeError:
        raise UsageError("the list of files is not written in UTF-8", shown) from None
    apart = text.split("\0") if "\0" in text else [line.rstrip("\r") for line in text.split("\n")]
    for number, path in enumerate(apart, 1):
        if path and not (here / path).exists():
            raise UsageError(f"no such file or folder: {path}", f"{shown}:{number}")
    return tuple(path for path in apart if path)


def _standard_input(limit: int = -1) -> bytes:
    if sys.stdin is None:
        raise UsageError("standard input is closed")
    return sys.stdin.buffer.read(limit + 1 if limit >= 0 else -1)


def fixes_of(report: Report, path: str) -> Report:
    """The report with no fixes but those of one file."""
    findings = tuple(
        msgspec.structs.replace(finding, fix=None)
        if finding.fix is not None and finding.fix.path != path
        else finding
        for finding in report.findings
    )
    return msgspec.structs.replace(report, findings=findings)


def write_piped(file: Path) -> None:
    """Print the text that takes the place of a file as it is now, byte for byte."""
    from contract_scan import unsaved

    sys.stdout.flush()
    sys.stdout.buffer.write(unsaved.text_of(file) or b"")
    sys.stdout.buffer.flush()
