"""What a configuration file that was found in a repository may read and write: nothing outside of
the repository, nothing of git's, and over no file but an earlier report. And where links in it may
lead what the user names: not out of it."""

from __future__ import annotations

import os
import re
import stat
from pathlib import Path

from contract_scan.config.patterns import MAX_LETTERS

MAX_DEEP_WILDCARDS = 2
"""`**` in a pattern of contracts: each one more goes through all folders as often again."""
MAX_PARTS = 100
"""Folders in a pattern of contracts: Python goes into each by a call within a call."""
_END = 4_096
"""Bytes at the start and at the end of a file by which a report is recognised."""
_RULE = rb"(?:CONTRACT|SCOPE)-\d+"
_KIND = _RULE + rb"(?:/[a-z-]+)?"
_STARTS = (
    rb'\{\s*"schema_version": \d+,\s*"summary":',
    rb'\{\s*"\$schema": "[^"]*sarif[^"]*",\s*"version": "2\.1\.0",\s*"runs": \[\s*\{\s*"tool":'
    rb' \{\s*"driver": \{\s*"name": "contract-scan"',
    rb'\{"type":"(?:problem|finding|undetermined|not_analysed|summary)",',
    rb'\[\s*\{\s*"description": "(?:[^"\\]|\\.)*",\s*"check_name": "' + _KIND + rb'"',
    rb"\[\s*\]\s*\Z",  # of GitLab, without findings
    rb'<\?xml [^>]*\?>\s*<testsuites name="contract-scan"',
    rb"<!-- contract-scan -->",
    rb'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><meta http-equiv='
    rb'"Content-Security-Policy"',
    rb"::(?:error|warning|notice) title=contract-scan[ :,]",
    rb"##vso\[task\.logissue type=(?:error|warning);[^\]]*code=(?:" + _RULE + rb"/|not-analysed)",
    rb"[^\n]+:\d+: \[(?:" + _RULE + rb"/[a-z-]+|not-analysed)\] ",
    rb'\{\s*"source": \{\s*"name": "contract-scan"',
    _KIND + rb" \[(?:error|warning|note)\] ",
    rb"[^\n]+: " + _KIND + rb" \[(?:error|warning|note)\] ",
    rb"[^\n]+\n +(?:\d+:\d+|-)  " + _KIND + rb" \[(?:error|warning|note)\] ",
)
_WITHOUT_IGNORED = dict.fromkeys(
    [*range(0x200C, 0x2010), *range(0x202A, 0x202F), *range(0x206A, 0x2070), 0xFEFF]
)
"""The code points that HFS+ leaves out when it compares names (as `utf8.c` of git lists them)."""
_OF_GIT = re.compile(r"\.git|git~[0-9]", re.IGNORECASE)
_PLAIN = ("", ".log", ".out", ".txt")
"""Suffixes with which an empty file is no part of a program."""
_ENDS = (
    rb"(?:Found \d+ (?:errors?, |problems? )|No (?:other )?violation in )[^\n]*\.\n[^\n]*\n?\Z",
)


def boundary_of(folder: Path) -> Path:
    """The repository around a folder of a configuration file; the folder where there is none."""
    folder = Path(os.path.realpath(folder))
    for above in (folder, *folder.parents):
        if os.path.lexists(above / ".git"):
            return above
    return folder


def is_confined(path: Path, boundary: Path) -> bool:
    """Whether a path, with all links in it followed, leads to what lies in a folder and does not
    belong to git."""
    real = Path(os.path.realpath(path))
    if not real.is_relative_to(boundary):
        return False
    above = [folder for folder in (real, *real.parents) if folder.is_relative_to(boundary)]
    if any(map(_is_git_folder, above)):
        return False
    return not any(is_of_git(part) for part in real.relative_to(boundary).parts)


def is_led_out(path: Path) -> bool:
    """Whether a link leads a path that is named in a repository, or below the working directory
    where there is none, out of that or to what belongs to git. A path elsewhere, or in `.git`, may
    be named as it is."""
    named = Path(os.path.abspath(path))  # noqa: PTH100 - links stay
    here = Path.cwd()
    around = (folder for folder in named.parents if os.path.lexists(folder / ".git"))
    boundary = next(around, here)
    if not named.is_relative_to(boundary):
        return False
    real = Path(os.path.realpath(boundary))
    if Path(os.path.realpath(named)) == real / named.relative_to(boundary):
        return False
    return not is_confined(named, real)


def _is_git_folder(folder: Path) -> bool:
    """Whether git takes a folder for one of its own, whatever it is called: a bare repository, or
    what a file `.git` names (as `setup.c` of git tells them)."""
    if not os.path.lexists(folder / "HEAD"):
        return False
    parts = ("objects", "refs")
    return os.path.lexists(folder / "commondir") or all((folder / part).is_dir() for part in parts)


def is_of_git(part: str) -> bool:
    """Whether a file system may take a name for `.git`: HFS+ leaves out letters that do not show,
    NTFS what follows a colon, blanks and dots at the end, and has short names (`git~1`)."""
    shown = part.translate(_WITHOUT_IGNORED).partition(":")[0]
    return _OF_GIT.fullmatch(shown.rstrip(". ")) is not None


def wrong_path(path: str) -> str:
    """Why no file system takes a path; empty: it may."""
    if len(path) > MAX_LETTERS:
        return f"has more than {MAX_LETTERS} letters"
    return "holds NUL" if "\0" in path else ""


def wrong_deep_pattern(pattern: str) -> str:
    """What is wrong with a pattern of contracts; empty: nothing."""
    wrong = wrong_path(pattern)
    if wrong:
        return wrong
    parts = pattern.split("/")
    if len(parts) > MAX_PARTS:
        return f"has more than {MAX_PARTS} parts"
    if sum("**" in part for part in parts) > MAX_DEEP_WILDCARDS:
        return f"has more than {MAX_DEEP_WILDCARDS} `**`"
    wild = next((n for n, part in enumerate(parts) if any(c in part for c in "*?[")), len(parts))
    return "goes up after a wildcard" if ".." in parts[wild:] else ""


def may_be_replaced(file: Path) -> bool:
    """Whether nothing is there, or a report of an earlier run."""
    try:
        state = file.lstat()
    except FileNotFoundError:
        return True
    except OSError:
        return False
    if not stat.S_ISREG(state.st_mode):
        return False
    if not state.st_size:
        return file.suffix in _PLAIN  # a report without findings may say nothing
    try:
        with file.open("rb") as opened:
            start = opened.read(_END)
            opened.seek(max(0, state.st_size - _END))
            end = opened.read(_END)
    except OSError:
        return False
    return any(re.match(pattern, start, re.DOTALL) for pattern in _STARTS) or any(
        re.search(pattern, end) for pattern in _ENDS
    )
