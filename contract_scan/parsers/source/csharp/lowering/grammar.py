"""The tree-sitter grammar of C#: one parser per process, loaded with the first file."""

from __future__ import annotations

from functools import cache
from typing import cast

from tree_sitter import Node, Parser

from contract_scan.errors import SourceError
from contract_scan.parsers.source.bounded_parse import parse as bounded_parse


@cache
def _parser() -> Parser:
    try:
        from tree_sitter import Language, Parser
    except ImportError as error:
        raise SourceError("reading C# needs tree-sitter: pip install tree-sitter") from error
    try:
        import tree_sitter_c_sharp

        return Parser(Language(tree_sitter_c_sharp.language()))
    except ImportError:
        pass
    try:
        from tree_sitter_language_pack import get_parser
    except ImportError as error:
        raise SourceError(
            "reading C# needs its grammar: pip install tree-sitter-c-sharp "
            "(or contract-scan[more-languages])"
        ) from error
    return cast("Parser", get_parser("csharp"))


def parse(content: bytes) -> Node:
    """The root of the syntax tree of a file.

    Raises:
        SourceError: no grammar is installed.
    """
    return bounded_parse(_parser(), content).root_node
