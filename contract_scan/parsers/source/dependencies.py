"""What an answer rests on, so that it can be given again while that is as it was.

An answer about code depends on the list of files, on a few files that are read as they are
(contracts, settings), and on what was *taken* from each source file: the names and markers that a
glance finds, its facts where it was looked into, the bodies that were followed. A file that has
changed, but gives the same, changes no answer.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable
from pathlib import Path

import msgspec
from msgspec import Raw, Struct
from msgspec.structs import replace

from contract_scan.ir.origin import Span
from contract_scan.ir.reasons import encode_reason
from contract_scan.parsers.source.bounded_parse import ParseLimitError
from contract_scan.parsers.source.discovery.discover import (
    MAX_OTHER_BYTES,
    SourceTree,
    read_regular,
)
from contract_scan.parsers.source.discovery.file_scan import FileSummary, scan_file
from contract_scan.parsers.source.discovery.minified import blake2b
from contract_scan.parsers.source.discovery.prefilter import Prefilter
from contract_scan.parsers.source.discovery.surface_fingerprint import holds_word
from contract_scan.parsers.source.discovery.text_probe import Excerpt, excerpt_key
from contract_scan.parsers.source.languages import SUFFIXES, front
from contract_scan.parsers.source.store import Store, content_key, file_state


class SourceDependency(Struct, frozen=True, array_like=True):
    """What was taken from one source file."""

    size: int
    time: int
    inode: int
    """State of the file, as `file_state` gives it."""
    content: bytes
    """Digest of its text."""
    effect: bytes
    """Digest of what was taken; empty where the answer may depend on every byte."""
    parsed: bool = False
    """Whether its facts were."""
    bodies: tuple[Span, ...] = ()
    """Functions whose statements were read afterwards."""
    excerpts: tuple[tuple[Excerpt, bytes], ...] = ()
    """Parts of the text that were asked for, with the digests of what was found."""
    trimmed_digest: bytes = b""
    """Digest of the text without the blank lines at its end, where more or fewer of them change
    nothing of what was taken; else empty."""
    surface_fingerprint: bytes = b""
    """What `glimpse_key` gives of it; empty where more counts than that and the facts."""
    functions: tuple[int, ...] = ()
    """How its functions were read, as `essence` takes it."""


class FileDependency(Struct, frozen=True, array_like=True):
    """A file that was read as it is."""

    size: int
    time: int
    inode: int
    content: bytes
    """Digest of its bytes; empty: it was looked for and was not there."""


class Outline(Struct, frozen=True, array_like=True):
    """What files of a language are searched for."""

    markers: tuple[bytes, ...]
    calls: tuple[bytes, ...]
    literals: tuple[bytes, ...]
    """What was searched for beside the markers."""
    words: tuple[bytes, ...] = ()
    """Words that were searched for, not as parts of others."""
    definitions: bytes = b""
    """The pattern of a type definition."""


class Dependencies(Struct, frozen=True, array_like=True):
    """Everything that an answer rests on, besides what was asked and the list of files."""

    sources: dict[str, SourceDependency]
    others: dict[str, FileDependency]
    missing: tuple[str, ...]
    """Source files that git lists and that were not there."""
    outlines: dict[str, Outline]
    """By language: what every file was searched for."""
    largest: int
    """Bytes of a source file beyond which it is not read."""


class _CachedAnswer(Struct, frozen=True, array_like=True):
    evidence: Dependencies
    answer: Raw


def question(tree: SourceTree, version: str, *parts: bytes) -> bytes:
    """The key of an answer: what is asked (`parts`), of which files, by which version."""
    digest = blake2b(version.encode(), digest_size=16)
    for text in (*parts, "\n".join(tree.listing()).encode("utf-8", "surrogateescape")):
        digest.update(b"%d\0" % len(text))
        digest.update(text)
    return digest.digest()


def effect(
    seen: FileSummary, facts: bytes, bodies: Iterable[tuple[Span, bytes]], held: Iterable[bytes]
) -> bytes:
    """Digest of what is taken from a file: what a glance finds, the digests of its facts and of the
    bodies that were read, and which of the literals that were searched for it holds."""
    parts = (seen.prefilter_hit, seen.skipped, facts, sorted(bodies), sorted(held))
    return content_key(msgspec.msgpack.encode(parts, enc_hook=encode_reason))


def reads(root: str, files: Iterable[tuple[str, bytes]], since: int) -> dict[str, FileDependency]:
    """Evidence of files read as they are, from their paths and the digests of their bytes. They
    were read at the time `since` (ns) or later: what was changed after it may not be what was
    read."""
    found = {}
    for path, content in files:
        try:
            state = file_state(f"{root}/{path}", since)
        except OSError:
            state = (0, 0, 0)
        found[path] = FileDependency(*state, content)
    return found


def put_answer(store: Store, key: bytes, evidence: Dependencies, answer: bytes) -> None:
    """Keep an answer with what it rests on."""
    store.put(key, msgspec.msgpack.encode(_CachedAnswer(evidence, Raw(answer))))


def get_answer(store: Store, key: bytes, root: Path) -> tuple[Raw, Dependencies] | None:
    """The answer given last time, and what it rests on now, if that is as it was. Files that were
    written again and give the same are known by their new state from then on."""
    cached = store.get(key)
    if cached is None:
        return None
    try:
        found = msgspec.msgpack.decode(cached, type=_CachedAnswer)
    except (msgspec.DecodeError, RecursionError):
        return None
    check = _Check(found.evidence, str(root))
    if not check.holds():
        return None
    renewed = check.revalidated()
    if renewed is not None and check.is_settled():
        put_answer(store, key, renewed, bytes(found.answer))
        store.commit()
    return found.answer, renewed or found.evidence


class _Check:
    """Whether evidence still holds."""

    def __init__(self, evidence: Dependencies, root: str) -> None:
        self._evidence = evidence
        self._root = root
        self._now = time.time_ns()
        self._sources: dict[str, SourceDependency] = {}
        self._others: dict[str, FileDependency] = {}

    def revalidated(self) -> Dependencies | None:
        """The evidence with the new states of files that give the same as before; None where there
        are none."""
        if not self._sources and not self._others:
            return None
        old = self._evidence
        return replace(old, sources=old.sources | self._sources, others=old.others | self._others)

    def is_settled(self) -> bool:
        """Whether the state of something that was looked at again will tell that it changes."""
        states: tuple[SourceDependency | FileDependency, ...] = (
            *self._sources.values(),
            *self._others.values(),
        )
        return any(state.time for state in states)

    def holds(self) -> bool:
        """Cheap questions first: a file whose state is as it was is not opened."""
        evidence = self._evidence
        if any(os.path.lexists(f"{self._root}/{path}") for path in evidence.missing):
            return False
        try:
            changed = [path for path, old in evidence.sources.items() if self._differs(path, old)]
            others = [path for path, old in evidence.others.items() if self._differs(path, old)]
        except OSError:
            return False
        return all(map(self._same_bytes, others)) and all(map(self._same_effect, changed))

    def _differs(self, path: str, old: SourceDependency | FileDependency) -> bool:
        if not old.content and not old.size:  # was not there
            return os.path.lexists(f"{self._root}/{path}")
        state = file_state(f"{self._root}/{path}", self._now)
        return not state[1] or state != (old.size, old.time, old.inode)

    def _same_bytes(self, path: str) -> bool:
        old = self._evidence.others[path]
        state = file_state(f"{self._root}/{path}", self._now)
        content = read_regular(Path(self._root, path), MAX_OTHER_BYTES)
        if content is None or content_key(content) != old.content:
            return False
        self._others[path] = FileDependency(*state, old.content)
        return True

    def _same_effect(self, path: str) -> bool:
        old = self._evidence.sources[path]
        state = file_state(f"{self._root}/{path}", self._now)
        seen = self._seen_again(path, old)
        if seen is not None:
            size, at, inode = state
            trimmed = seen.trimmed_digest if old.trimmed_digest else b""
            self._sources[path] = replace(
                old, size=size, time=at, inode=inode, content=seen.digest, trimmed_digest=trimmed
            )
        return seen is not None

    def _seen_again(self, path: str, old: SourceDependency) -> FileSummary | None:
        """What is seen of a changed file; None where what was taken from it may be other."""
        name = SUFFIXES[path[path.rfind(".") :]]
        outline = self._evidence.outlines.get(name)
        if outline is None:
            return None
        language = front(name, outline.calls)
        prefilter = Prefilter(outline.markers, language.definitions)
        seen, content = scan_file(Path(self._root), path, prefilter, self._evidence.largest)
        if seen.digest == old.content and content is not None:
            return seen
        if not old.effect or content is None:
            return None
        facts = msgspec.msgpack.encode(language.lower(content, path)) if old.parsed else b""
        try:
            bodies = [
                (
                    span,
                    content_key(msgspec.msgpack.encode(language.lower_body(content, path, span))),
                )
                for span in old.bodies
            ]
        except ParseLimitError:
            return None
        if any(excerpt_key(excerpt.of(content)) != found for excerpt, found in old.excerpts):
            return None
        held = [
            *(literal for literal in outline.literals if literal in content),
            *(word for word in outline.words if holds_word(content, word)),
        ]
        same = old.effect == effect(seen, content_key(facts), bodies, held)
        return seen if same else None
