"""What stands for what, looked up by the place of the cursor."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from contract_scan.ir.origin import Origin
from contract_scan.scanners.links import Link
from contract_scan.server.positions import covers

_OUTSIDE_IN = {
    name: rank
    for rank, name in enumerate(
        ("property", "parameter", "type", "model", "channel", "operation", "request", "response")
    )
}
LineOf = Callable[[str, int], str]
"""The text of a line of a file, from 1."""
FURTHEST = 400
"""Lines above the cursor in which the block that holds it may begin."""


class Index:
    """The links of a folder, by file."""

    def __init__(self, links: Iterable[Link]) -> None:
        self._code: dict[str, list[Link]] = {}
        self._contract: dict[str, list[Link]] = {}
        for link in links:
            self._code.setdefault(link.code.path, []).append(link)
            self._contract.setdefault(link.contract.path, []).append(link)

    def links_at(self, path: str, line: int, column: int, line_of: LineOf) -> list[Link]:
        """The links of the smallest thing around a place; lines and columns from 1.

        In code that is what stands on the line; in a contract also the block around it.
        """
        code = _smallest(self._code.get(path, ()), lambda link: link.code, line, column)
        if code:
            return code
        links = self._contract.get(path)
        if not links:
            return []
        found = _smallest(links, lambda link: link.contract, line, column)
        return found or _links_of_block(links, line, lambda number: line_of(path, number))

    def is_contract(self, path: str) -> bool:
        """Whether a file is (part of) a contract."""
        return path in self._contract and path not in self._code


def _smallest(
    links: Sequence[Link], place: Callable[[Link], Origin], line: int, column: int
) -> list[Link]:
    """The links that cover a place most closely; else those that begin on its line."""
    on = [link for link in links if covers(place(link).span, line, column)]
    on = on or [link for link in links if place(link).span.line == line]
    if not on:
        return []

    def size(link: Link) -> tuple[int, int, int]:
        span = place(link).span
        lines = span.end_line - span.line
        columns = span.end_column - span.column if not lines else 0
        return lines, columns, _OUTSIDE_IN.get(link.sort, len(_OUTSIDE_IN))

    least = min(map(size, on))
    return [link for link in on if size(link) == least]


def _links_of_block(links: Sequence[Link], line: int, text: Callable[[int], str]) -> list[Link]:
    """The links of the innermost block of a contract around a line, by its indentation."""
    by_line: dict[int, list[Link]] = {}
    for link in links:
        by_line.setdefault(link.contract.span.line, []).append(link)
    edge = _indentation(text(line))
    for number in range(line - 1, max(line - FURTHEST, 0), -1):
        above = text(number)
        if not above.strip():
            continue
        indentation = _indentation(above)
        if edge is not None and indentation is not None and indentation >= edge:
            continue
        edge = indentation
        if number in by_line:
            return by_line[number]
    return []


def _indentation(line: str) -> int | None:
    plain = line.lstrip()
    return len(line) - len(plain) if plain else None
