"""What is searched for in the bytes of every source file, and what of it one file holds.

Imports nothing that takes time: what was printed last time is given again by way of this.
"""

from __future__ import annotations

from contract_scan.parsers.source.discovery.minified import blake2b

TYPE_CHECKING = False  # importing it takes longer than all the rest here
if TYPE_CHECKING:
    import re
    from collections.abc import Iterable, Sequence

_ASCII = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz$"
_IN_WORDS = frozenset(_ASCII) | frozenset(range(0x80, 0x100))


def holds_word(content: bytes, word: bytes) -> bool:
    """Whether a text has the word, not as a part of another."""
    if not _IN_WORDS.issuperset(word):
        return False
    start = content.find(word)
    while start >= 0:
        end = start + len(word)
        before, after = content[start - 1 : start], content[end : end + 1]
        if not (before and before[0] in _IN_WORDS) and not (after and after[0] in _IN_WORDS):
            return True
        start = content.find(word, start + 1)
    return False


def names_in(content: bytes, definitions: re.Pattern[bytes]) -> tuple[str, ...]:
    """The names of types that a text looks as if it defines, in order. The pattern has one group
    for each spelling of a definition; one of them holds the name. A line end stands before the
    text, so that the pattern may begin lines with it."""
    found = definitions.findall(b"\n" + content)
    if found and isinstance(found[0], tuple):
        found = [next(filter(None, groups), b"") for groups in found]
    names = dict.fromkeys(filter(None, found))
    return tuple(name.decode("utf-8", "replace") for name in names)


class SearchSpec:
    """What the files of a language are searched for."""

    __slots__ = ("calls", "definitions", "literals", "words")

    def __init__(
        self,
        *,
        definitions: bytes,
        literals: Sequence[bytes],
        words: Sequence[bytes],
        calls: Sequence[bytes],
    ) -> None:
        """`definitions` is the pattern of a type definition; `literals` and `words` are what files
        are searched for, the words not as parts of others; a function whose text holds one of the
        `calls` is read together with the declarations."""
        self.definitions = definitions
        self.literals = literals
        self.words = words
        self.calls = calls

    def occurring_in(self, content: bytes) -> list[bytes]:
        """What a text holds of what is searched for."""
        return [
            *(literal for literal in self.literals if literal in content),
            *(word for word in self.words if holds_word(content, word)),
        ]

    def holds_alike(self, old: bytes, new: bytes, same: tuple[int, int]) -> bool:
        """Whether two texts hold the same of what is searched for. They have as many bytes in
        common at their beginning and at their end as `same` says: what stands there in both is not
        searched again."""
        longest = max(map(len, (*self.literals, *self.words)), default=0)
        pieces = [_text_between(text, same, longest) for text in (old, new)]

        def concerns(word: bytes) -> bool:
            return any(word in piece for piece in pieces)

        return all(
            (literal in old) == (literal in new) for literal in filter(concerns, self.literals)
        ) and all(
            holds_word(old, word) == holds_word(new, word) for word in filter(concerns, self.words)
        )


def _text_between(text: bytes, same: tuple[int, int], around: int) -> bytes:
    """What stands between the beginning and the end of a text, with some bytes around it."""
    start, rest = same
    return text[max(0, start - around) : len(text) - max(0, rest - around)]


def glimpse_key(
    names: Iterable[str], held: Iterable[bytes], found: Iterable[tuple[bytes, int, bytes]]
) -> bytes:
    """Digest of what is seen of a file without parsing it: the names that it defines, what it holds
    of what is searched for, and for each pattern that is asked of it, with its flags, the digest of
    what that finds."""
    seen = ([*names], sorted({*held}), sorted(found))
    return blake2b(repr(seen).encode("utf-8", "surrogateescape"), digest_size=16).digest()


def parts_key(found: Iterable[bytes]) -> bytes:
    """Digest of what a pattern found."""
    text = b"".join(b"%d %b" % (len(part), part) for part in found)
    return blake2b(text, digest_size=16).digest()
