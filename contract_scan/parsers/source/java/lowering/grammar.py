"""The tree-sitter grammar of Java: one parser per process, loaded with the first file."""

from __future__ import annotations

from functools import cache
from typing import cast

from tree_sitter import Parser, Tree

from contract_scan.errors import SourceError
from contract_scan.parsers.source.bounded_parse import parse as bounded_parse


@cache
def _parser() -> Parser:
    try:
        from tree_sitter import Language, Parser
    except ImportError as error:
        raise SourceError(
            "reading Java needs the package tree-sitter: pip install tree-sitter"
        ) from error
    try:
        import tree_sitter_java

        return Parser(Language(tree_sitter_java.language()))
    except ImportError:
        pass
    try:
        from tree_sitter_language_pack import get_parser
    except ImportError as error:
        raise SourceError(
            "reading Java needs its grammar: pip install tree-sitter-java "
            '(or "tree-sitter-language-pack>=0.13,<1")'
        ) from error
    return cast("Parser", get_parser("java"))


def parse(content: bytes) -> Tree:
    """The syntax tree of a file. Raises `SourceError` where no grammar is installed."""
    return bounded_parse(_parser(), content)
