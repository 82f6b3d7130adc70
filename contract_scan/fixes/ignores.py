"""Writing the comments that except findings in place, each in the syntax of its language.

A comment stands alone above the line of its finding, behind the line where nothing can stand above
it (inside an expression that goes over lines), and nowhere where neither is read as a comment. What
tells is the next scan: a finding that is still there takes its comment back.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Literal, TypeAlias

from msgspec import Struct

from contract_scan.fixes.apply import FileChange, RefusedFile, read_bytes, write
from contract_scan.fixes.parsing import still_parses
from contract_scan.fixes.text import Text
from contract_scan.ir.comment import ADDRESS, SIGNS
from contract_scan.ir.origin import Origin
from contract_scan.ir.violation import Finding
from contract_scan.parsers.source.syntax_tree import suffix_of

ABOUT_EXCEPTIONS = "CONTRACT-000"
"""The rule that cannot be excepted from."""

Look: TypeAlias = Callable[[], Iterable[Finding]]
"""Scans again."""
_Style: TypeAlias = Literal["above", "behind", "nowhere"]
_Line: TypeAlias = tuple[str, int]
"""A path and the number of a line."""
_NEXT: Mapping[_Style, _Style] = {"above": "behind", "behind": "nowhere", "nowhere": "nowhere"}
_LIST = re.compile(re.escape(ADDRESS) + r"\s*ignore\[(?P<names>[^\]]*)\]")


class Ignored(Struct, frozen=True):
    """What became of findings that were to be excepted."""

    done: tuple[Finding, ...] = ()
    left: tuple[Finding, ...] = ()
    """Findings that no comment can except: in JSON, in files outside the folder, in text that goes
    over lines."""
    files: tuple[str, ...] = ()
    """The files that have new comments, sorted."""
    refused: tuple[RefusedFile, ...] = ()


def add_ignores(root: Path, findings: Sequence[Finding], look: Look, reason: str) -> Ignored:
    """Write a comment with the reason for each finding; those of one line share one. A comment that
    is there already is given further names.

    Every file is replaced whole. Where scanning again fails, all of them are put back.
    """
    at: dict[_Line, list[Finding]] = {}
    left = []
    for finding in findings:
        line = _commentable_line(finding)
        if line is None:
            left.append(finding)
        else:
            at.setdefault(line, []).append(finding)
    styles: dict[_Line, _Style] = dict.fromkeys(at, "above")
    while True:
        written, refused = _write_all(root, at, styles, reason)
        try:
            present = {finding.fingerprint for finding in look()}
        except BaseException:
            _put_back(root, written)
            raise
        stuck = [
            line
            for line, own in at.items()
            if styles[line] != "nowhere" and any(one.fingerprint in present for one in own)
        ]
        gone = {each.path for each in refused}
        retried = [line for line in stuck if line[0] not in gone]
        if not retried:
            break
        _put_back(root, written)
        for line in retried:
            styles[line] = _NEXT[styles[line]]
    done = [one for own in at.values() for one in own if one.fingerprint not in present]
    left += [one for own in at.values() for one in own if one.fingerprint in present]
    return Ignored(
        done=tuple(done),
        left=tuple(left),
        files=tuple(sorted(file.path for file in written)),
        refused=tuple(refused),
    )


def _commentable_line(finding: Finding) -> _Line | None:
    """The first of the places that a finding names at which a comment may stand."""
    if finding.rule == ABOUT_EXCEPTIONS:
        return None
    origins: tuple[Origin | None, ...] = (finding.origin, finding.reached_from, finding.contract)
    for origin in origins:
        if origin is None or not origin.span.line or origin.path.startswith("../"):
            continue
        if suffix_of(origin.path) in SIGNS:
            return origin.path, origin.span.line
    return None


def _write_all(
    root: Path, at: Mapping[_Line, Sequence[Finding]], styles: Mapping[_Line, _Style], reason: str
) -> tuple[list[FileChange], list[RefusedFile]]:
    """Write the comments of every file, as long as it can be read with them."""
    written: list[FileChange] = []
    refused: list[RefusedFile] = []
    for path in sorted({path for path, _ in at}):
        wanted = {
            number: sorted({finding.name for finding in own})
            for (file, number), own in at.items()
            if file == path and styles[file, number] != "nowhere"
        }
        behind = {number for number in wanted if styles[path, number] == "behind"}
        try:
            raw = read_bytes(root, path)
            text = Text(raw, python=path.endswith(".py"))
            new = _with_comments(path, text, wanted, behind, reason)
            mended = FileChange(path, raw, text.encode(new), ())
        except (ValueError, OSError) as error:
            said = error.strerror if isinstance(error, OSError) else str(error)
            refused.append(RefusedFile(path, said or "it cannot be read"))
            continue
        refusal = write(root, mended)
        if refusal is not None:
            refused.append(refusal)
        elif mended.before != mended.after:
            written.append(mended)
    return written, refused


def _put_back(root: Path, written: Iterable[FileChange]) -> None:
    for file in written:
        write(root, file, back=True)


def _with_comments(
    path: str,
    text: Text,
    wanted: Mapping[int, Sequence[str]],
    behind: set[int],
    reason: str,
) -> str:
    """A text with a comment for each line; without those with which it is not well formed."""
    whole = _text_with_comments(path, text, wanted, behind, reason)
    if still_parses(path, text.utf8, whole.encode()):
        return whole
    harmless = {
        number: names
        for number, names in wanted.items()
        if still_parses(
            path,
            text.utf8,
            _text_with_comments(path, text, {number: names}, behind, reason).encode(),
        )
    }
    return _text_with_comments(path, text, harmless, behind, reason)


def _text_with_comments(
    path: str,
    text: Text,
    wanted: Mapping[int, Sequence[str]],
    behind: set[int],
    reason: str,
) -> str:
    sign = SIGNS[suffix_of(path)]
    lines = text.text.split("\n")
    for number in sorted(wanted, reverse=True):
        if not 1 <= number <= len(lines):
            continue
        here = number - 1
        names = wanted[number]
        line = lines[here].rstrip("\r")
        end = lines[here][len(line) :]
        if _LIST.search(line):
            lines[here] = _with_names(line, names) + end
        elif here and lines[here - 1].lstrip().startswith(sign) and _LIST.search(lines[here - 1]):
            lines[here - 1] = _with_names(lines[here - 1], names)
        else:
            comment = f"{sign} {ADDRESS} ignore[{', '.join(names)}] {reason}".rstrip()
            if number in behind:
                gap = "  " if sign == "#" else " "
                lines[here] = f"{line}{gap}{comment}{end}"
            else:
                indentation = line[: len(line) - len(line.lstrip())]
                lines.insert(here, f"{indentation}{comment}{text.line_end[:-1]}")
    return "\n".join(lines)


def _with_names(line: str, names: Sequence[str]) -> str:
    """A line with a comment that excepts these kinds as well."""

    def extended(found: re.Match[str]) -> str:
        there = [name.strip() for name in found["names"].split(",") if name.strip()]
        more = [name for name in names if name not in there and name.partition("/")[0] not in there]
        return found[0].replace(f"[{found['names']}]", f"[{', '.join([*there, *more])}]")

    return _LIST.sub(extended, line, count=1)
