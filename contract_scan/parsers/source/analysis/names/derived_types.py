"""Which files may declare a class that derives from another one, told from their bytes.

Most files that name a class only use it. What stands before the body of a type is enough to leave
these out: a class that derives from another, by way of others or not, leads there by the simple
names in such headers.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from contract_scan.parsers.source.analysis.domain.memo import memoised
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.language import TypeHeaders

_COMMENT = re.compile(rb"//[^\n]*(?:(\n)|\Z)|/\*.*?(?:(\*/)|\Z)", re.DOTALL)
"""A comment, and its end where that is there: many comments may begin and none end."""
_BEGINS_OTHER_TEXT = (b'"', b"'", b"//", b"/*")
_WORD = re.compile(rb"[\w$\x80-\xff]+")
_FEW_NAMES = 20
"""How many classes may seem to derive from one in any case; of more, each must save two files that
name it, or all of these are looked into: a name that is looked for costs half of that."""


class _Header(NamedTuple):
    """What stands before the body of a type."""

    name: bytes
    words: frozenset[bytes]
    """The names in it, those of bases among them."""
    is_cut: bool
    """Whether it may go on: it ends in a text or comment."""


def files_deriving(program: Program, name: str) -> frozenset[str] | None:
    """Paths of the files that may declare a class which derives from one with a simple name; None
    where that is not told from their bytes."""
    if program.language.type_headers is None:
        return None
    found: set[str] = set()
    pending, seen = [name], {name}
    most = max(_FEW_NAMES, len(program.files_with_word(name)) // 2)
    while pending:
        base = pending.pop()
        for path in program.files_with_word(base):
            headers = _headers_of(program, path)
            if not headers:
                found.add(path)
            for header in headers:
                if header.is_cut:
                    found.add(path)
                elif base.encode() not in header.words:
                    continue
                derived = header.name.decode("utf-8", "replace")
                found.update(program.files_defining(derived))
                if derived not in seen:
                    seen.add(derived)
                    pending.append(derived)
        if len(seen) > most:
            return None
    return frozenset(found)


@memoised
def _headers_of(program: Program, path: str) -> tuple[_Header, ...]:
    kinds = program.language.type_headers
    assert kinds is not None
    texts = [program.files.find(path, pattern) for pattern in kinds.patterns]
    return tuple(header for found in texts for text in found for header in _headers_in(text, kinds))


def _headers_in(text: bytes, kinds: TypeHeaders) -> Iterator[_Header]:
    """The headers in what a pattern found: a word of a comment that looks like the beginning of a
    type reaches up to the end of the next header."""
    plain = _COMMENT.sub(lambda found: b" " if found.lastindex else found[0], text)
    is_cut = any(mark in plain for mark in _BEGINS_OTHER_TEXT)
    words = _WORD.findall(plain)
    for position, word in enumerate(words):
        begins = not position or words[position - 1] in kinds.keywords
        if begins and word not in kinds.keywords:
            yield _Header(word, frozenset(words[position + 1 :]), is_cut)
