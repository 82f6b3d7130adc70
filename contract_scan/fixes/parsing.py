"""Whether a file can still be read when it was edited."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from contract_scan.errors import ContractError
from contract_scan.parsers.source.bounded_parse import ParseLimitError
from contract_scan.parsers.source.bounded_parse import parse as bounded_parse

if TYPE_CHECKING:
    from tree_sitter import Node

CONTRACTS = (".yaml", ".yml", ".json")
LANGUAGES = {
    ".ts": "typescript",
    ".tsx": "typescript",
    ".mts": "typescript",
    ".cts": "typescript",
    ".js": "typescript",
    ".mjs": "typescript",
    ".cjs": "typescript",
    ".jsx": "typescript",
    ".cs": "csharp",
    ".java": "java",
    ".py": "python",
}
"""The languages whose files are edited, by suffix."""


def suffix(path: str) -> str:
    """The end of a file's name, with its dot."""
    return path[path.rfind(".") :]


def still_parses(path: str, before: bytes, after: bytes) -> bool:
    """Whether a text of UTF-8 is as well formed as the one whose place it takes."""
    if path.endswith(CONTRACTS):
        return _is_read(path, after) or not _is_read(path, before)
    if suffix(path) not in LANGUAGES:
        return True
    parse = parse_of(path)
    try:
        return parse(before).has_error or not parse(after).has_error
    except ParseLimitError:
        return False


def parse_of(path: str) -> Callable[[bytes], Node]:
    """The parser of a file's language, by its suffix."""
    match LANGUAGES[suffix(path)]:
        case "python":
            from contract_scan.parsers.source.python.lowering.grammar import parser as of_python

            return lambda content: bounded_parse(of_python(), content).root_node
        case "csharp":
            from contract_scan.parsers.source.csharp.lowering.grammar import parse as of_csharp

            return of_csharp
        case "java":
            from contract_scan.parsers.source.java.lowering.grammar import parse as of_java

            return lambda content: of_java(content).root_node
        case _:
            from contract_scan.parsers.source.typescript.lowering.grammar import dialect
            from contract_scan.parsers.source.typescript.lowering.grammar import (
                parser as of_typescript,
            )

            return lambda content: bounded_parse(of_typescript(dialect(path)), content).root_node


def _is_read(path: str, text: bytes) -> bool:
    from contract_scan.parsers.contracts.located_tree import open_text

    try:
        open_text(text, path)
    except (ContractError, RecursionError):
        return False
    return True
