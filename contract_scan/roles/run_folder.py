"""The files of one run. Nothing outside of its folder is read or written; no link is followed."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from contract_scan.atomic import replace_file
from contract_scan.errors import UsageError
from contract_scan.regular_file import read_regular
from contract_scan.roles import layout
from contract_scan.roles.key_lines import ArtifactError

LARGEST_ARTIFACT: Final = 5_000_000
"""Bytes of a file that a role hands back."""

_PIECE: Final = 1 << 20


class RunFolder:
    """The folder of a run below the top of a repository."""

    def __init__(self, root: Path, run_id: str) -> None:
        self.run_id = run_id
        self.path = root / layout.RUNS / run_id

    def raw(self, name: str) -> bytes | None:
        """The bytes of a file; None where it is not there. Raises ArtifactError where it cannot be
        read, is no regular file, or is larger than `LARGEST_ARTIFACT`."""
        place = self._path_of(name)
        try:
            raw = read_regular(place, LARGEST_ARTIFACT + 1)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise ArtifactError(f"cannot be read: {error.strerror}", name) from None
        if len(raw) > LARGEST_ARTIFACT:
            raise ArtifactError(f"is larger than {LARGEST_ARTIFACT} bytes", name)
        return raw

    def text(self, name: str) -> str | None:
        """The text of a file; None where it is not there. Raises ArtifactError as `raw` does, and
        where it is not UTF-8."""
        raw = self.raw(name)
        try:
            return None if raw is None else raw.decode("utf-8-sig").replace("\r\n", "\n")
        except UnicodeDecodeError:
            raise ArtifactError("is not UTF-8", name) from None

    def hash_of(self, name: str) -> str:
        """The SHA-256 of a file's bytes; empty where it is not there. Raises ArtifactError as `raw`
        does."""
        raw = self.raw(name)
        return "" if raw is None else digest(raw)

    def write(self, name: str, raw: bytes) -> None:
        """Put bytes into a file, whole or not at all. Raises UsageError where that fails."""
        place = self._path_of(name)
        try:
            place.parent.mkdir(parents=True, exist_ok=True)
            if place.is_dir():
                place.rmdir()  # a folder where a file belongs, from which all was taken
            replace_file(place, raw)
        except OSError as error:
            raise UsageError(f"cannot be written: {error.strerror}", str(place)) from None

    def move(self, name: str, to: str) -> None:
        """Give a file another name; a link moves itself. Nothing happens where it is not there.
        Raises UsageError where that fails."""
        source, target = self._entry(name), self._entry(to)
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            source.replace(target)
        except FileNotFoundError:
            return
        except OSError as error:
            raise UsageError(f"cannot be moved: {error.strerror}", str(source)) from None

    def fingerprints(self) -> dict[str, str]:
        """What every file but the state is, by its path: the SHA-256 of its bytes, or what it is
        instead."""
        return {path: mark for path, mark in self._fingerprints() if path != layout.STATE}

    def _fingerprints(self) -> Iterator[tuple[str, str]]:
        for folder, folders, files in os.walk(self.path):
            at = Path(folder)
            links = [name for name in folders if (at / name).is_symlink()]
            folders[:] = sorted({*folders} - {*links, layout.KEPT})
            for name in sorted([*files, *links]):
                yield (at / name).relative_to(self.path).as_posix(), fingerprint(at / name)

    def _path_of(self, name: str) -> Path:
        """Where a file lies. Raises ArtifactError where a link leads there."""
        at = self._entry(name)
        if at.is_symlink():
            raise ArtifactError("is a link; write a file", name)
        return at

    def _entry(self, name: str) -> Path:
        """The same, of what may itself be a link."""
        at = self.path
        for part in ("", *Path(name).parts[:-1]):
            at /= part
            if at.is_symlink():
                raise ArtifactError("lies behind a link", name)
        return at / Path(name).name


def digest(raw: bytes) -> str:
    """The SHA-256 of bytes."""
    return hashlib.sha256(raw).hexdigest()


def fingerprint(place: Path) -> str:
    """What lies at a place: the SHA-256 of a file's bytes, or `link to …`, `no regular file`,
    `unreadable`, `gone`."""
    if place.is_symlink():
        return f"link to {os.readlink(place)}"  # noqa: PTH115 - as it is written
    if not place.exists():
        return "gone"
    if not place.is_file():
        return "no regular file"
    found = hashlib.sha256()
    try:
        with place.open("rb") as file:
            while piece := file.read(_PIECE):
                found.update(piece)
    except OSError:
        return "unreadable"
    return found.hexdigest()
