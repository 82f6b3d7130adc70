"""Which files a text stands in, without looking through all of them for each text.

The words of a file are found in one pass over its bytes; whatever is looked for afterwards, a
marker of a framework or the name of a class, is looked for among the words, of which a project has
few, and only then in the files that have them.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable

from msgspec import Struct

from contract_scan.parsers.source.discovery.surface_fingerprint import holds_word

_PART = re.compile(rb"[0-9A-Za-z_\x80-\xff]+")
_SPACES = bytes(b if _PART.match(bytes([b])) else 32 for b in range(256))
"""Translates what no word holds to spaces: splitting then costs a third of a pattern."""
PAYS_ABOVE = 24
"""Words from which on an index of all costs less than looking for each."""


class _WordFragment(Struct, frozen=True):
    """A word, or what stands of one at an edge, of a text that is looked for."""

    text: bytes
    starts: bool
    """Whether a word starts with it: something else stands before it in the text."""
    ends: bool
    """Whether a word ends with it."""


class WordIndex:
    """The words of texts, by path."""

    def __init__(self) -> None:
        self.paths: set[str] = set()
        """Paths of the texts that are in the index."""
        self._places: dict[bytes, list[str]] = {}
        self._all: bytes | None = None
        self._starts: list[int] = []
        self._order: list[list[str]] = []

    def add(self, path: str, content: bytes) -> None:
        """Take in the words of one text."""
        self.paths.add(path)
        self._all = None
        places = self._places
        for word in set(content.translate(_SPACES).split()):
            known = places.get(word)
            if known is None:
                places[word] = [path]
            else:
                known.append(path)

    def candidates(self, text: bytes) -> Iterable[str]:
        """Paths of the texts that may hold a text: all that hold it, and hardly more."""
        pieces = [
            _WordFragment(match.group(), match.start() > 0, match.end() < len(text))
            for match in _PART.finditer(text)
        ]
        if not pieces:
            return self.paths
        whole = [self._places.get(p.text, []) for p in pieces if p.starts and p.ends]
        if whole:
            return min(whole, key=len)
        return self._files_with_piece(max(pieces, key=lambda piece: len(piece.text)))

    def _files_with_piece(self, piece: _WordFragment) -> set[str]:
        """Paths of the texts in which some word has a piece."""
        if self._all is None:
            self._join()
        before, after = (b" " if piece.starts else b""), (b" " if piece.ends else b"")
        needle = before + piece.text + after
        found: set[str] = set()
        words = self._all or b""
        at = words.find(needle)
        while at >= 0:
            # A needle that starts with a space starts one byte before its word.
            index = bisect_right(self._starts, at + len(before)) - 1
            found.update(self._order[index])
            following = index + 1
            if following == len(self._starts):
                break
            at = words.find(needle, self._starts[following] - 1)
        return found

    def _join(self) -> None:
        """All words in one text, so that a piece is found in them by one search."""
        at, starts = 1, []
        for word in self._places:
            starts.append(at)
            at += len(word) + 1
        self._all = b" " + b" ".join(self._places) + b" "
        self._starts = starts
        self._order = list(self._places.values())


class TextSearch:
    """Looks for texts in the source files of one language."""

    def __init__(
        self,
        content: Callable[[str], bytes],
        index: WordIndex | None = None,
        answers: dict[bytes, frozenset[str]] | None = None,
    ) -> None:
        """`content` gives the text of a path; `index` knows the words of those that were read
        anyway; `answers` are those of an earlier run, as they are now, and get those of this."""
        self._content = content
        self._index = WordIndex() if index is None else index
        self._answers = {} if answers is None else answers
        self._searched = 0
        self._known: dict[bytes, frozenset[str]] = {}

    def files_with_word(self, word: bytes, paths: Iterable[str]) -> frozenset[str]:
        """Those of the paths whose files have a word, not as a part of another. The paths are the
        same in every call."""
        found = self._known.get(word) or self._answers.get(word)
        if found is None:
            paths = tuple(paths)  # Gone through twice below; an iterator would end at the first.
            if self._searched == PAYS_ABOVE:
                for path in paths:
                    if path not in self._index.paths:
                        self._index.add(path, self._content(path))
            likely = self.likely_files(word, paths)
            found = frozenset(path for path in likely if holds_word(self._content(path), word))
            self._searched += 1
        self._known[word] = self._answers[word] = found
        return found

    def likely_files(self, text: bytes, paths: Iterable[str]) -> Iterable[str]:
        """Those of the paths whose files may hold a text."""
        candidates = frozenset(self._index.candidates(text))
        indexed = self._index.paths
        return (path for path in paths if path in candidates or path not in indexed)

    def files_containing(self, text: bytes, paths: Iterable[str]) -> Iterable[str]:
        """Those of the paths whose files hold a text."""
        return (path for path in self.likely_files(text, paths) if text in self._content(path))

    def requested_words(self) -> tuple[bytes, ...]:
        """The words that were asked for, sorted."""
        return tuple(sorted(self._known))
