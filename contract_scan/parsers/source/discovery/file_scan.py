"""One look at the bytes of a source file: what it is worth, without parsing it."""

from __future__ import annotations

from pathlib import Path
from stat import S_ISLNK, S_ISREG

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.parsers.source.discovery.discover import (
    MAX_SOURCE_BYTES,
    NO_REGULAR_FILE,
    read_regular,
)
from contract_scan.parsers.source.discovery.inverted_index import WordIndex
from contract_scan.parsers.source.discovery.minified import (
    SCRIPTS,
    is_packed,
    trimmed_key,
)
from contract_scan.parsers.source.discovery.prefilter import Prefilter, PrefilterHit
from contract_scan.parsers.source.discovery.source_text import as_read
from contract_scan.parsers.source.store import content_key

_ENCODING = Reason("encoding-not-read")
MAX_LOOKED_THROUGH = 50_000_000
"""Bytes of a source file beyond which it is not even looked through for what it may hold."""
MAY_HOLD = frozenset(
    {
        "file-may-hold-routes",
        "large-file-may-hold-routes",
        "loaded-file-may-hold-routes",
        "skipped-file-may-hold-routes",
        "unreadable-file-may-hold-routes",
    }
)
"""Codes of the reasons of files that are left out and that may matter."""
UNREADABLE = Reason("unreadable-file-may-hold-routes")
_NOT_OPENED = Reason("skipped-file-may-hold-routes", why=NO_REGULAR_FILE)


class FileSummary(Struct, frozen=True, array_like=True):
    """What is remembered of a file by path, size and time."""

    digest: bytes
    prefilter_hit: PrefilterHit
    skipped: Reason = NO_REASON
    """Why the file is left out, where it is."""
    trimmed_digest: bytes = b""
    """Digest of its text without the blank lines at its end, as `trimmed_key` gives it."""
    lines: int = 0
    """How many of its lines come before the last that is not blank."""
    may_hold: bool = False
    """Whether it is left out and holds a marker: it may hold a route or event if other code loads
    it."""

    def with_markers(self, markers: tuple[int, ...]) -> FileSummary:
        """The same with the positions of the markers that the file holds."""
        return replace(self, prefilter_hit=replace(self.prefilter_hit, markers=markers))


def scan_file(
    root: Path,
    path: str,
    prefilter: Prefilter,
    largest: int = MAX_SOURCE_BYTES,
    index: WordIndex | None = None,
    place: str = "",
) -> tuple[FileSummary, bytes | None]:
    """What a file is worth, and its text where it is to be read (at most `largest` bytes). With an
    `index` its words are added there instead of looking for the markers now. The file lies at the
    `place`, where the path goes through a link. Raises OSError for a file that is gone."""
    written = read_regular(root / (place or path), largest)
    if written is None:
        return _look_at_large(root, place or path, prefilter, largest), None
    digest = content_key(written)
    content = as_read(written, path)
    if content is None:
        return FileSummary(
            digest, PrefilterHit(), Reason("file-may-hold-routes", why=_ENCODING)
        ), None
    if is_packed(content, path):
        return _left_out(Reason("minified-file"), digest, content, path, prefilter), None
    if index is None:
        return FileSummary(
            digest, prefilter.hits(content), NO_REASON, *_without_end(written)
        ), content
    index.add(path, content)
    return FileSummary(digest, prefilter.names(content), NO_REASON, *_without_end(written)), content


def _left_out(
    why: Reason, digest: bytes, content: bytes, path: str, prefilter: Prefilter
) -> FileSummary:
    """A file that is not read. Code of a framework is named; scripts that machines packed hold such
    words, too, and are where they load its library."""
    holds_marker = bool(prefilter.hits(content).markers)
    if holds_marker and (not path.endswith(SCRIPTS) or prefilter.loads_library(content)):
        return FileSummary(digest, PrefilterHit(), Reason("large-file-may-hold-routes", why=why))
    return FileSummary(digest, PrefilterHit(), why, may_hold=holds_marker)


def _without_end(content: bytes) -> tuple[bytes, int]:
    return trimmed_key(content), content.rstrip().count(b"\n")


def _look_at_large(root: Path, path: str, prefilter: Prefilter, largest: int) -> FileSummary:
    """A file above the limit: data or generated code is left out, code of a framework named."""
    state = (root / path).lstat()
    if not S_ISREG(state.st_mode):
        is_link = S_ISLNK(state.st_mode)
        return FileSummary(b"", PrefilterHit(), NO_REGULAR_FILE if is_link else _NOT_OPENED)
    content = read_regular(root / path, MAX_LOOKED_THROUGH)
    if content is None and state.st_size <= largest:
        return FileSummary(b"", PrefilterHit(), UNREADABLE)
    limit = Reason("file-too-large", largest=_readable_size(largest))
    if content is None:
        return FileSummary(b"", PrefilterHit(), Reason("large-file-may-hold-routes", why=limit))
    return _left_out(limit, b"", content, path, prefilter)


def _readable_size(size: int) -> str:
    """A number of bytes for people."""
    return f"{size / 1_000_000:g} MB" if size >= 100_000 else f"{size} bytes"
