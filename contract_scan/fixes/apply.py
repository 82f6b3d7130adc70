"""Putting edits into files: each file gets all that fit together, or none, and at once."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Sequence
from pathlib import Path

from msgspec import Struct

from contract_scan import unsaved
from contract_scan.atomic import replace_file
from contract_scan.fixes.parsing import still_parses
from contract_scan.fixes.text import Text
from contract_scan.ir.fix import Edit, Fix
from contract_scan.parsers.source.discovery.minified import blake2b


class FileChange(Struct, frozen=True):
    """One file, before and after."""

    path: str
    before: bytes
    after: bytes
    fixes: tuple[Fix, ...]
    put_off: tuple[Fix, ...] = ()
    """Fixes that would change what an earlier one changes."""


class RefusedFile(Struct, frozen=True):
    """A file that was left as it is, and why."""

    path: str
    reason: str


def digest_of(raw: bytes) -> bytes:
    """What a file's bytes are known by."""
    return blake2b(raw, digest_size=16).digest()


def file_digest(root: Path, path: str) -> bytes:
    """The digest of a file; empty where it cannot be read."""
    try:
        return digest_of(read_bytes(root, path))
    except (OSError, ValueError):
        return b""


def apply_fixes(root: Path, fixes: Iterable[Fix]) -> tuple[list[FileChange], list[RefusedFile]]:
    """The files as they would be with the fixes, of which an earlier one wins over a later one that
    it overlaps. Nothing is written."""
    by_path: dict[str, list[Fix]] = {}
    for fix in fixes:
        wanted = by_path.setdefault(fix.path, [])
        if fix not in wanted:
            wanted.append(fix)
    mended: list[FileChange] = []
    refused: list[RefusedFile] = []
    for path, wanted in sorted(by_path.items()):
        try:
            mended.append(_mend_file(root, path, wanted))
        except ValueError as error:
            refused.append(RefusedFile(path, str(error)))
        except OSError as error:
            refused.append(RefusedFile(path, error.strerror or "it cannot be read"))
    return mended, refused


def _mend_file(root: Path, path: str, fixes: Sequence[Fix]) -> FileChange:
    raw = read_bytes(root, path)
    if any(fix.digest != digest_of(raw) for fix in fixes):
        raise ValueError("it has changed since it was scanned")
    text = Text(raw, python=path.endswith(".py"))
    done, put_off = compatible_fixes(fixes)
    edits: list[Edit] = []
    for fix in done:
        edits += [edit for edit in fix.edits if edit not in edits]
    after = text.encode(apply_edits(text, edits))
    if not still_parses(path, text.utf8, apply_edits(text, edits).encode()):
        raise ValueError("it could not be read any more")
    return FileChange(path, raw, after, tuple(done), tuple(put_off))


def compatible_fixes(fixes: Iterable[Fix]) -> tuple[list[Fix], list[Fix]]:
    """The fixes of one file that can be made at once, and those that an earlier one overlaps."""
    chosen: list[Edit] = []
    done: list[Fix] = []
    put_off: list[Fix] = []
    for fix in fixes:
        new = [edit for edit in fix.edits if edit not in chosen]
        if any(_collide(edit, other) for edit in new for other in chosen):
            put_off.append(fix)
            continue
        chosen += new
        done.append(fix)
    return done, put_off


def apply_edits(text: Text, edits: Iterable[Edit]) -> str:
    """A text with edits put in that do not overlap."""
    placed = [
        (text.offset(span.line, span.column), text.offset(span.end_line, span.end_column), new)
        for span, new in ((edit.span, edit.text) for edit in edits)
    ]
    pieces: list[str] = []
    done = 0
    for start, end, new in sorted(placed, key=lambda each: each[:2]):
        pieces += (text.text[done:start], new)
        done = end
    return "".join((*pieces, text.text[done:]))


def _collide(one: Edit, other: Edit) -> bool:
    """Whether two edits cannot both be made. Whole lines put in at one place can, and so can
    further members of one list."""
    first, second = sorted((one, other))
    first_end = (first.span.end_line, first.span.end_column)
    second_start = (second.span.line, second.span.column)
    if first_end != second_start:
        return first_end > second_start
    if _is_insertion(first) and _is_insertion(second):
        lines = first.text.endswith("\n") and second.text.endswith("\n")
        return not (lines or (first.text.startswith(",") and second.text.startswith(",")))
    return False


def _is_insertion(edit: Edit) -> bool:
    span = edit.span
    return (span.line, span.column) == (span.end_line, span.end_column)


def write(root: Path, mended: FileChange, *, back: bool = False) -> RefusedFile | None:
    """Put the new bytes in the place of the old ones (`back`: the old ones in the place of the
    new), keeping the mode of the file. Where it is no more as it was read, it is left alone."""
    old, new = (mended.after, mended.before) if back else (mended.before, mended.after)
    if old == new:
        return None
    try:
        if read_bytes(root, mended.path) != old:
            return RefusedFile(mended.path, "it has changed since it was scanned")
        if not unsaved.replace(root / mended.path, new):
            _replace(root / mended.path, new)
    except ValueError as error:
        return RefusedFile(mended.path, str(error))
    except OSError as error:
        return RefusedFile(mended.path, error.strerror or "it cannot be written")
    return None


def read_bytes(root: Path, path: str) -> bytes:
    """The bytes of a file below the root. Raises ValueError for what is no file of its own: one
    outside the root, or one that a link leads to. Raises OSError."""
    file = root / path
    if ".." in Path(path).parts or not _is_below(file, root):
        raise ValueError("it lies outside the scanned folder")
    unsaved_text = unsaved.text_of(file)
    if unsaved_text is not None:
        return unsaved_text
    if not stat.S_ISREG(file.lstat().st_mode):
        raise ValueError("it is not a regular file")
    return file.read_bytes()


def _is_below(file: Path, root: Path) -> bool:
    return Path(os.path.realpath(file.parent)).is_relative_to(os.path.realpath(root))


def _replace(file: Path, raw: bytes) -> None:
    if not os.access(file, os.W_OK):
        raise ValueError("it is read-only")
    replace_file(file, raw)
