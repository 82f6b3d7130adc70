"""Whether a file can still be read when it was edited."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from contract_scan.errors import ContractError
from contract_scan.parsers.source.bounded_parse import ParseLimitError
from contract_scan.parsers.source.languages import SUFFIXES
from contract_scan.parsers.source.syntax_tree import parse, suffix_of

if TYPE_CHECKING:
    from tree_sitter import Node

CONTRACTS = (".yaml", ".yml", ".json")


def still_parses(path: str, before: bytes, after: bytes) -> bool:
    """Whether a text of UTF-8 is as well formed as the one whose place it takes."""
    if path.endswith(CONTRACTS):
        return _is_read(path, after) or not _is_read(path, before)
    if suffix_of(path) not in SUFFIXES:
        return True
    end = suffix_of(path)
    try:
        return parse(before, end).has_error or not parse(after, end).has_error
    except ParseLimitError:
        return False


def parse_of(path: str) -> Callable[[bytes], Node]:
    """The parser of a file's language, by its suffix."""
    return lambda content: parse(content, suffix_of(path))


def _is_read(path: str, text: bytes) -> bool:
    from contract_scan.parsers.contracts.located_tree import open_text

    try:
        open_text(text, path)
    except (ContractError, RecursionError):
        return False
    return True
