"""The byte-level pass over every source file: which files are worth parsing, and who defines what.

The filter is made of what the extractors declare: the markers of the frameworks and the shape of a
type definition. A file that holds none of it is not parsed unless a name leads there.
"""

from __future__ import annotations

import re

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.ir.comment import ADDRESS
from contract_scan.parsers.source.discovery.surface_fingerprint import names_in
from contract_scan.parsers.source.language import Language

_ADDRESS = ADDRESS.encode()


class PrefilterHit(Struct, frozen=True, array_like=True):
    """What the byte-level pass says of one file."""

    markers: tuple[int, ...] = ()
    """Positions in the language's list of markers of those that the file holds."""
    names: tuple[str, ...] = ()
    """Names of types that the text looks as if it defines."""
    addressed: bool = False
    """Whether the text holds what comments that speak to contract-scan start with."""


def markers_of(language: Language) -> tuple[bytes, ...]:
    """The literals by which the frameworks of a language are known."""
    return tuple(sorted({marker for f in language.frameworks for marker in f.markers}))


class Prefilter:
    """The byte-level pass for one language."""

    def __init__(self, markers: tuple[bytes, ...], definitions: bytes) -> None:
        """`markers` are the literals that frameworks are known by, `definitions` is the pattern of
        a type definition."""
        self.markers = markers
        self._definitions = re.compile(definitions)
        self._loading: re.Pattern[bytes] | None = None

    def hits(self, content: bytes) -> PrefilterHit:
        """Look at the bytes of one file."""
        held = tuple(i for i, marker in enumerate(self.markers) if marker in content)
        return replace(self.names(content), markers=held)

    def names(self, content: bytes) -> PrefilterHit:
        """The same without markers."""
        names = names_in(content, self._definitions)
        return PrefilterHit(names=names, addressed=_ADDRESS in content)

    def loads_library(self, content: bytes) -> bool:
        """Whether a script imports or requires one of the packages that markers name (`"express`),
        or makes a server of Node.js."""
        if self._loading is None:
            found = (_PACKAGE.fullmatch(marker) for marker in self.markers)
            packages = sorted({re.escape(each[1]) for each in found if each is not None})
            self._loading = re.compile(_LOADING % b"|".join(packages))
        if self._loading.search(content):
            return True
        return b"createServer(" in content and _LOADS_HTTP.search(content) is not None


_PACKAGE = re.compile(rb"""["']?(@?[a-z][a-z0-9-]{1,60}(?:[/.][a-z][a-z0-9-]{0,60}){0,3})["']?""")
"""A marker that is the name of a package, with or without a quotation mark."""
_LOADING = rb"""\b(?:require\s*+\(|from|import)\s*+\(?\s*+["'`](?:npm:)?(?:%s)["'`/@]"""
_LOADS_HTTP = re.compile(_LOADING % rb"(?:node:)?https?2?")
