"""Which files a word stands in, without looking through all of them for each word."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

_WORD = re.compile(rb"[\w$\x80-\xff]+")
PAYS_ABOVE = 24
"""Words from which on an index of all costs less than looking for each."""


def holds_word(content: bytes, word: bytes) -> bool:
    """Whether a text has the word, not as a part of another."""
    start = content.find(word)
    while start >= 0:
        match = _WORD.match(content, start)
        end = match.end() if match is not None else start
        before = content[start - 1 : start]
        if end == start + len(word) and not _WORD.match(before):
            return True
        start = content.find(word, start + 1)
    return False


class Words:
    """The files of one language in which words stand."""

    def __init__(self, paths: Iterable[str], content: Callable[[str], bytes]) -> None:
        """`content` gives the text of a path."""
        self._paths = tuple(paths)
        self._content = content
        self._known: dict[bytes, frozenset[str]] = {}
        self._index: dict[bytes, list[str]] | None = None

    def naming(self, word: bytes) -> frozenset[str]:
        """Paths of the files that have the word."""
        found = self._known.get(word)
        if found is None:
            found = self._known[word] = frozenset(self._look_for(word))
        return found

    def asked(self) -> tuple[bytes, ...]:
        """The words that were asked for, sorted."""
        return tuple(sorted(self._known))

    def _look_for(self, word: bytes) -> Iterable[str]:
        if len(self._known) < PAYS_ABOVE:
            return (path for path in self._paths if holds_word(self._content(path), word))
        if self._index is None:
            self._index = {}
            for path in self._paths:
                for each in set(_WORD.findall(self._content(path))):
                    self._index.setdefault(each, []).append(path)
        return self._index.get(word, ())
