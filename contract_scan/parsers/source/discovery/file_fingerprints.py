"""What a scan took from source files, kept so that a changed one is judged without a scan.

Beside what is seen of a file without parsing it, the texts of those files that were parsed: what
was taken from them is as it was where the new text differs in nothing that matters.

Imports nothing that takes time: what was printed last time is given again by way of this.
"""

from __future__ import annotations

from contract_scan.parsers.source.discovery.minified import blake2b, is_packed
from contract_scan.parsers.source.discovery.record_codec import join, split
from contract_scan.parsers.source.discovery.source_text import is_as_written
from contract_scan.parsers.source.discovery.surface_fingerprint import (
    SearchSpec,
    glimpse_key,
    names_in,
    parts_key,
)
from contract_scan.private_folder import TEXT

TYPE_CHECKING = False  # importing it takes longer than all the rest here
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from contract_scan.private_folder import PrivateFolder

ADDRESS = b"contract-scan:"
"""What a comment that speaks to contract-scan starts with."""
NO_FINGERPRINT = bytes(16)
_PARSED = -1
"""What the numbers of a parsed file hold before those of its functions."""
_MOST_SPARE = 2_000
"""Texts that are kept though nothing of what was printed last rests on them."""


class FileFingerprints:
    """What is known of one file."""

    __slots__ = ("functions", "patterns", "seen")

    def __init__(
        self, seen: bytes, patterns: Sequence[int] = (), functions: Sequence[int] | None = None
    ) -> None:
        """`seen` is what `glimpse_key` gives, or `NO_FINGERPRINT`; `patterns` are the positions of
        those that were asked of the file; `functions` says how functions were read (`essence`),
        None of a file that was not parsed."""
        self.seen = seen
        self.patterns = patterns
        self.functions = functions

    def numbers(self) -> list[int]:
        """All but `seen`: how many patterns, which, and of a parsed file the functions."""
        found = [len(self.patterns), *self.patterns]
        return found if self.functions is None else [*found, _PARSED, *self.functions]


class FingerprintTable:
    """What is known of every source file, by its position."""

    __slots__ = ("_ends", "_numbers", "_patterns", "_searched", "_seen")

    def __init__(
        self,
        searched: Mapping[str, SearchSpec],
        patterns: Sequence[tuple[bytes, int]],
        seen: bytes,
        numbers: bytes,
        ends: bytes,
    ) -> None:
        """`searched` is by the suffix of files; `patterns` are those that were asked of any file,
        with their flags; the others are what `gathered` makes of the traces of all files."""
        self._searched = searched
        self._patterns = patterns
        self._seen = seen
        self._numbers = memoryview(bytearray(numbers)).cast("i")
        self._ends = memoryview(ends).cast("i")

    def of(self, position: int) -> FileFingerprints:
        """What is known of a file."""
        start = self._ends[position - 1] if position else 0
        count, *numbers = self._numbers[start : self._ends[position]].tolist()
        seen = self._seen[position * 16 : position * 16 + 16]
        functions = numbers[count + 1 :] if len(numbers) > count else None
        return FileFingerprints(seen, numbers[:count], functions)

    def _replace_lines(self, position: int, functions: Sequence[int]) -> None:
        """Take down other lines of the functions of a file."""
        end = self._ends[position]
        for at, number in enumerate(functions, end - len(functions)):
            self._numbers[at] = number

    def again(
        self, position: int, path: str, content: bytes, old: bytes, cache: PrivateFolder
    ) -> bool:
        """Whether what is taken from a file is what was taken when the digest of its text was
        `old`; what is known of it is that of the new text then. `cache` has the texts."""
        known = self.of(position)
        searched = self._searched.get(path[path.rfind(".") :])
        if known.seen == NO_FINGERPRINT or searched is None or ADDRESS in content:
            return False
        if is_packed(content, path) or not is_as_written(content, path):
            return False
        if known.functions is None:
            return self._surface_fingerprint(content, known, searched) == known.seen
        from contract_scan.parsers.source.discovery.normalised_source import (
            common_ends,
            same_essence,
        )

        text = cached_text(cache, old)
        if text is None:
            return False
        same = common_ends(text, content)
        if not searched.holds_alike(text, content, same):
            return False
        if self._search_results(text, known, searched) != self._search_results(
            content, known, searched
        ):
            return False
        functions = same_essence(path, text, content, known.functions, searched.calls)
        if functions is None:
            return False
        self._replace_lines(position, functions)
        keep_texts(cache, [content])
        return True

    def keep(self, position: int, content: bytes, cache: PrivateFolder) -> bool:
        """Keep the text of a file that gives the same, to hold the next one against it: whether
        that is ever done, since the file is parsed."""
        is_parsed = self.of(position).functions is not None
        if is_parsed:
            keep_texts(cache, [content])
        return is_parsed

    def _surface_fingerprint(
        self, content: bytes, known: FileFingerprints, searched: SearchSpec
    ) -> bytes:
        names, found = self._search_results(content, known, searched)
        return glimpse_key(names, searched.occurring_in(content), found)

    def _search_results(
        self, content: bytes, known: FileFingerprints, searched: SearchSpec
    ) -> tuple[tuple[str, ...], list[tuple[bytes, int, bytes]]]:
        """What patterns find in a text: names that it defines, and whatever was asked of it."""
        import re

        names = names_in(content, re.compile(searched.definitions))
        asked = (self._patterns[number] for number in known.patterns)
        return names, [
            (pattern, flags, parts_key(re.findall(pattern, content, flags)))
            for pattern, flags in asked
        ]

    def to_bytes(self) -> bytes:
        """All of it as bytes."""
        parts = [b"%d" % len(self._searched), b"%d" % len(self._patterns)]
        for suffix, searched in self._searched.items():
            parts += [suffix.encode(), searched.definitions]
            parts += map(join, (searched.literals, searched.words, searched.calls))
        for pattern, flags in self._patterns:
            parts += [pattern, b"%d" % flags]
        return join((*parts, self._seen, bytes(self._numbers), bytes(self._ends)))


def decode_table(content: bytes) -> FingerprintTable:
    """The traces that some bytes hold."""
    parts = iter(split(content))
    languages, asked = int(next(parts)), int(next(parts))
    searched = {}
    for _ in range(languages):
        suffix = next(parts).decode()
        searched[suffix] = SearchSpec(
            definitions=next(parts),
            literals=split(next(parts)),
            words=split(next(parts)),
            calls=split(next(parts)),
        )
    patterns = [(next(parts), int(next(parts))) for _ in range(asked)]
    return FingerprintTable(searched, patterns, *parts)


def table_of(
    searched: Mapping[str, SearchSpec],
    patterns: Sequence[tuple[bytes, int]],
    files: Iterable[FileFingerprints],
) -> FingerprintTable:
    """The traces of files, in their order."""
    from array import array

    numbers, ends, seen = array("i"), array("i"), []
    for file in files:
        seen.append(file.seen)
        numbers.extend(file.numbers())
        ends.append(len(numbers))
    return FingerprintTable(searched, patterns, b"".join(seen), numbers.tobytes(), ends.tobytes())


# ---------------------------------------------------------------------- texts


def cached_text(cache: PrivateFolder, digest: bytes) -> bytes | None:
    """The text of a digest; None where it is not kept."""
    return cache.get(f"{TEXT}-{digest.hex()}")


def keep_texts(cache: PrivateFolder, texts: Iterable[bytes]) -> None:
    """Keep texts under their digests, as they are: packing them takes longer than reading them.
    What cannot be written is not kept."""
    for text in texts:
        if not cache.put(f"{TEXT}-{blake2b(text, digest_size=16).hexdigest()}", text):
            return


def cached_digests(cache: PrivateFolder) -> set[bytes]:
    """The digests of the texts that are kept."""
    return {bytes.fromhex(name[len(TEXT) + 1 :]) for name in cache.names(TEXT)}


def forget_texts(cache: PrivateFolder, needed: set[bytes], cached: set[bytes]) -> None:
    """Remove the texts that nothing needs any more, where there are many."""
    spare = cached - needed
    if len(spare) > _MOST_SPARE:
        for digest in spare:
            cache.remove(f"{TEXT}-{digest.hex()}")
