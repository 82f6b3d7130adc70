"""The librarian: hands out the files that a request names, within its budget, and decides nothing.

A request (`file_request.json`) says which files or lines of files are needed, why, and how much of
them there may be. The answer (`context_pack.json`) has their texts, and names everything that was
asked for and left out, with the reason.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Final, Literal, TypeAlias

import msgspec
from msgspec import Struct

from contract_scan.counted import counted
from contract_scan.errors import ContractScanError
from contract_scan.regular_file import NOT_THROUGH_LINKS

SCHEMA_VERSION: Final = "ctcp-context-pack-v1"
"""Of the answer, as those who read such packs know it."""
DENIED_PREFIXES: Final = (
    ".git/",
    ".agent-team/",
    "runs/",
    "build/",
    "dist/",
    "node_modules/",
    "__pycache__/",
)
"""Folders, at any depth, of which nothing is handed out."""
LARGEST_BUDGET: Final = 100_000_000
"""Bytes that a request may ask for at most."""
MOST_FILES: Final = 10_000
"""Files that a request may ask for at most."""

_LARGEST_FILE: Final = 16_000_000
"""Bytes of a file of which lines are handed out."""

Reason: TypeAlias = Literal[
    "too_large", "denied", "not_found", "invalid_request", "budget_exceeded"
]


class FileRequestError(ContractScanError):
    """A request for files cannot be read."""


class Budget(Struct, frozen=True, forbid_unknown_fields=True):
    """How much may be handed out."""

    max_files: int
    max_total_bytes: int
    """Of the texts, in UTF-8."""


class Need(Struct, frozen=True, forbid_unknown_fields=True):
    """A file that is needed."""

    path: str
    """Relative to the repository, with `/`."""
    mode: Literal["full", "snippets"] = "full"
    line_ranges: tuple[tuple[int, int], ...] = ()
    """For snippets: first and last lines, from 1."""


class FileRequest(Struct, frozen=True, forbid_unknown_fields=True):
    """What is needed, and why."""

    goal: str
    needs: tuple[Need, ...]
    budget: Budget
    reason: str = ""
    schema_version: Literal["ctcp-file-request-v1"] = "ctcp-file-request-v1"


class PackedFile(Struct, frozen=True, omit_defaults=True):
    """A file that is handed out, or lines of it."""

    path: str
    why: str
    content: str
    truncated: bool = False
    """Whether the budget ended within it; its last line is whole all the same."""


class OmittedFile(Struct, frozen=True):
    """A file that was asked for and is not handed out."""

    path: str
    reason: Reason


class ContextPack(Struct, frozen=True, kw_only=True):
    """What is handed out."""

    schema_version: str = SCHEMA_VERSION
    goal: str
    repo_slug: str
    """The name of the repository's folder."""
    summary: str
    files: tuple[PackedFile, ...]
    omitted: tuple[OmittedFile, ...]


def read_file_request(raw: bytes, path: str = "") -> FileRequest:
    """A request. Raises FileRequestError where it is no JSON of that form, or asks for more than
    anybody may."""
    try:
        request = msgspec.json.decode(raw, type=FileRequest)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise FileRequestError(f"is no request for files: {error}", path) from error
    budget = request.budget
    if not 0 <= budget.max_files <= MOST_FILES:
        raise FileRequestError(f"`budget.max_files` must be 0 to {MOST_FILES}", path)
    if not 0 <= budget.max_total_bytes <= LARGEST_BUDGET:
        raise FileRequestError(f"`budget.max_total_bytes` must be 0 to {LARGEST_BUDGET}", path)
    return request


def context_pack(request: FileRequest, root: Path) -> ContextPack:
    """What a repository has of the files that are needed, in the order of the request, each once.

    The budget goes to the files that are asked for first. Nothing outside of the root is opened,
    nor any link, nor what is no regular file.
    """
    folder = root.resolve()
    packed: list[PackedFile] = []
    omitted: list[OmittedFile] = []
    bytes_left = request.budget.max_total_bytes
    for need in _distinct_needs(request.needs):
        found = _content(need, folder)
        if not isinstance(found, str):
            omitted.append(OmittedFile(need.path, found[0]))
            continue
        fitting = _whole_lines(found, bytes_left)
        if len(packed) == request.budget.max_files or (found and not fitting):
            omitted.append(OmittedFile(need.path, "budget_exceeded"))
            continue
        packed.append(PackedFile(need.path, request.reason, fitting, len(fitting) < len(found)))
        bytes_left -= len(fitting.encode())
    spent = request.budget.max_total_bytes - bytes_left
    return ContextPack(
        goal=request.goal,
        repo_slug=folder.name,
        summary=(
            f"{counted(len(packed), 'file')} with {counted(spent, 'byte')}; {len(omitted)} left out"
        ),
        files=tuple(packed),
        omitted=tuple(omitted),
    )


def write_context_pack(pack: ContextPack) -> str:
    """A pack as indented JSON."""
    return msgspec.json.format(msgspec.json.encode(pack), indent=2).decode() + "\n"


# Private helpers


def _distinct_needs(needs: tuple[Need, ...]) -> Iterator[Need]:
    seen: set[Need] = set()
    for need in needs:
        if need not in seen:
            seen.add(need)
            yield need


def _content(need: Need, folder: Path) -> str | tuple[Reason]:
    """The text that is needed, or why there is none."""
    path = PurePosixPath(need.path)
    odd = not path.parts or path.is_absolute() or "\\" in need.path or "\0" in need.path
    if odd or ".." in path.parts or ":" in path.parts[0]:
        return ("invalid_request",)
    if need.mode == "snippets" and not _are_ranges(need.line_ranges):
        return ("invalid_request",)
    if any(f"{part}/".lower() in DENIED_PREFIXES for part in path.parts):
        return ("denied",)
    raw = _read_file(folder, path)
    if not isinstance(raw, bytes):
        return raw
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError:
        return ("denied",)  # it is no text
    return text if need.mode == "full" else _lines(text, need.line_ranges)


def _are_ranges(ranges: tuple[tuple[int, int], ...]) -> bool:
    return bool(ranges) and all(1 <= first <= last for first, last in ranges)


def _read_file(folder: Path, path: PurePosixPath) -> bytes | tuple[Reason]:
    """The bytes of a regular file to which no link leads."""
    at = folder
    try:
        for part in path.parts:
            at /= part
            if at.is_symlink():
                return ("denied",)
        if at.is_dir():
            return ("denied",)
        descriptor = os.open(at, NOT_THROUGH_LINKS)
    except (OSError, ValueError):
        return ("not_found",)
    with os.fdopen(descriptor, "rb") as file:
        about = os.fstat(file.fileno())
        if not stat.S_ISREG(about.st_mode):
            return ("denied",)
        if about.st_size > _LARGEST_FILE:
            return ("too_large",)
        return file.read()


def _lines(text: str, ranges: tuple[tuple[int, int], ...]) -> str:
    """Lines of a text, each once, in its order; `…` stands where some are left out."""
    lines = text.splitlines(keepends=True)
    wanted = sorted(
        {at for first, last in ranges for at in range(first, min(last, len(lines)) + 1)}
    )
    pieces: list[str] = []
    for before, at in zip([0, *wanted], wanted, strict=False):
        if at != before + 1:
            pieces.append("…\n")
        pieces.append(lines[at - 1])
    return "".join(pieces)


def _whole_lines(text: str, size: int) -> str:
    """The whole lines at the beginning of a text that have at most so many bytes in UTF-8."""
    raw = text.encode()
    if len(raw) <= size:
        return text
    return raw[: raw.rfind(b"\n", 0, size) + 1].decode()
