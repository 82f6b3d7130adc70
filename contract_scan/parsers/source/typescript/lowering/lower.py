"""One file of TypeScript, TSX or JavaScript -> facts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from tree_sitter import Node

from contract_scan.ir.origin import Span
from contract_scan.parsers.source.ancestors import placed_nodes
from contract_scan.parsers.source.bounded_parse import ParseLimitError
from contract_scan.parsers.source.discovery.generated_code import stated_source
from contract_scan.parsers.source.facts.nodes import FileFacts, Statement
from contract_scan.parsers.source.syntax_tree import UTF8_BOM, UTF16_BOMS, SyntaxTree, suffix_of
from contract_scan.parsers.source.typescript.lowering import (
    declarations,
    expressions,
    functions,
    types,
)
from contract_scan.parsers.source.typescript.lowering.context import Lowering, Productions
from contract_scan.parsers.source.typescript.lowering.module import Module

_MODULE_CALL = re.compile(rb"""\b(?:require|import)\s*\(\s*(["'`])([^"'`\\\r\n]{1,300})\1""")
_PRODUCTIONS = Productions(
    expression=expressions.lower_expression,
    type=types.lower_type,
    function=functions.lower_function,
    class_declaration=declarations.lower_class,
)
_NOTHING = re.compile(rb"(?!)")


def lower(content: bytes, path: str, markers: re.Pattern[bytes] | None = None) -> FileFacts:
    """The facts of a file; a function whose text the markers match is lowered with its body.

    Never raises for bad source: places that the grammar could not parse are in `errors`, the rest
    is read.

    Raises:
        SourceError: no grammar is installed.
    """
    if content.startswith(UTF16_BOMS):
        return FileFacts(path=path, language="typescript", errors=(Span(1, 1, 1, 1),))
    try:
        tree = SyntaxTree(content.removeprefix(UTF8_BOM), suffix_of(path))
    except ParseLimitError as error:
        return FileFacts(path=path, language="typescript", unread=error.code)
    context = Lowering(tree, markers or _NOTHING, _PRODUCTIONS)
    for match in _MODULE_CALL.finditer(content):
        # Bodies are read later: the modules that they name are noted now. A mention in a comment
        # is one import too many, which nothing refers to.
        context.module(match.group(2).decode("utf-8", "replace"))
    module = Module(context)
    module.lower_children(tree.root)
    return module.facts(path, tuple(_errors(tree)), stated_source(content))


def lower_body(content: bytes, path: str, span: Span) -> tuple[Statement, ...]:
    """The statements of the function that stands at `span`; none where there is no function."""
    tree = _tree(content, path)
    start = tree.offset(span.line, span.column)
    end = tree.offset(span.end_line, span.end_column)
    node: Node | None = tree.root.descendant_for_byte_range(start, end)
    while node is not None and node.type not in functions.FUNCTIONS:
        node = node.parent
    if node is None:
        return ()
    return functions.lower_function_body(Lowering(tree, None, _PRODUCTIONS), node)


@lru_cache(maxsize=4)
def _tree(content: bytes, path: str) -> SyntaxTree:
    """The last files parsed for their bodies: handlers of one file are asked for in a row."""
    return SyntaxTree(content.removeprefix(UTF8_BOM), suffix_of(path))


def _errors(tree: SyntaxTree) -> Iterator[Span]:
    """Outermost places that the grammar could not parse, in order."""
    for placed in placed_nodes(tree.root, _children_with_errors):
        node = placed.node
        if node.is_missing and node.type == "!" and _has_template(placed.grandparent):
            continue
        if node.is_error or node.is_missing:
            yield tree.span(node)


def _children_with_errors(node: Node) -> list[Node]:
    """What to look at below a node; nothing where the node itself is what was not parsed."""
    if node.is_error or not node.has_error:
        return []
    return [child for child in node.children if child.has_error or child.is_missing]


def _has_template(call: Node | None) -> bool:
    """Whether a template stands where arguments do. A `!` within what is called is then made up,
    between a tag's type arguments and its template (`` sql<Row[]>`…` ``), for which the grammar has
    no rule."""
    arguments = call.child_by_field_name("arguments") if call is not None else None
    return arguments is not None and arguments.type == "template_string"
