"""Comments of YAML contracts that speak to contract-scan, told from text by YAML's tokens."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from re import compile as regex
from typing import Final

import yaml

from contract_scan.errors import ContractError
from contract_scan.ir.comment import ADDRESS, Comment, said_in
from contract_scan.ir.origin import Origin, Span
from contract_scan.parsers.contracts.located_tree import decode
from contract_scan.parsers.contracts.refs import read_regular_file

YAML_SUFFIXES: Final = (".yaml", ".yml")

_LINE_END = regex("\r\n|[\r\n\x85\u2028\u2029]")
_MARK = ADDRESS.encode()
_Place = tuple[int, int]
"""Line and column, from 0, as YAML's marks count them."""
_NOWHERE: tuple[_Place, _Place] = ((sys.maxsize, 0), (sys.maxsize, 0))


def comments_of_contract(file: Path, path: str) -> list[Comment]:
    """The instructions in a YAML file shown as `path`; none where it cannot be read."""
    try:
        content = read_regular_file(file, path)
        return list(comments(decode(content, path), path)) if _MARK in content else []
    except ContractError:
        return []


def comments(text: str, path: str) -> Iterator[Comment]:
    """The instructions in the comments of a YAML text, in order; none where it is not YAML."""
    if ADDRESS not in text:
        return
    lines = _LINE_END.split(text)
    held = [row for row, line in enumerate(lines) if ADDRESS in line and "#" in line]
    if not held:
        return
    try:
        scalars = _scalars(text)
    except yaml.YAMLError:
        return
    following = _next_code_rows(lines)
    for row in held:
        column = _comment_start(row, lines[row], scalars)
        if column is None:
            continue
        about = row + 1 if lines[row][:column].strip() else following[row + 1] + 1
        for offset, said in said_in(lines[row][column:]):
            start = column + offset + 1
            span = Span(row + 1, start, row + 1, start + len(ADDRESS) + 1 + len(said))
            yield Comment(said=said, origin=Origin(path, span), lines=(about,))


def _scalars(text: str) -> dict[int, list[tuple[_Place, _Place]]]:
    """Where scalars stand, by every row that they touch."""
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    found: dict[int, list[tuple[_Place, _Place]]] = {}
    for token in yaml.scan(text, Loader=loader):
        if not isinstance(token, yaml.ScalarToken):
            continue
        start = (token.start_mark.line, token.start_mark.column)
        end = (token.end_mark.line, token.end_mark.column)
        if token.style in ("|", ">"):
            start = (start[0] + 1, 0)  # behind `|` on its own line a comment may stand
        for row in range(start[0], end[0] + 1):
            found.setdefault(row, []).append((start, end))
    return found


def _comment_start(
    row: int, line: str, scalars: dict[int, list[tuple[_Place, _Place]]]
) -> int | None:
    """The column of the sign that starts a comment on a line."""
    spans = iter(scalars.get(row, ()))
    start, end = next(spans, _NOWHERE)
    column = line.find("#")
    while column >= 0:
        while end <= (row, column):
            start, end = next(spans, _NOWHERE)
        inside = start <= (row, column)
        if not inside and (not column or line[column - 1] in " \t"):
            return column
        column = line.find("#", column + 1)
    return None


def _next_code_rows(lines: list[str]) -> list[int]:
    """For each row, and the one behind the last, the first from it on that is no comment alone."""
    found = list(range(len(lines) + 1))
    for row in range(len(lines) - 1, -1, -1):
        if lines[row].lstrip().startswith("#"):
            found[row] = found[row + 1]
    return found
