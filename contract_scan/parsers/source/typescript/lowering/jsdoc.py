"""Types that JavaScript declares in comments: `/** @type {import('./models/User')} */`."""

from __future__ import annotations

from tree_sitter import Node

from contract_scan.parsers.source.facts.nodes import TypeExpr
from contract_scan.parsers.source.typescript.lowering.context import Lowering
from contract_scan.parsers.source.typescript.lowering.grammar import SyntaxTree

_IMPORT = "import("
_LONGEST = 2_000
"""Characters of a comment that are read."""


def type_above(context: Lowering, node: Node) -> TypeExpr | None:
    """The type that the comment above a node declares by `@type`, where it says the module that
    the type comes from; None for other comments."""
    comment = node.prev_sibling
    if comment is None or comment.type != "comment":
        return None
    text = context.text(comment)
    if not text.startswith("/**") or len(text) > _LONGEST or _IMPORT not in text:
        return None
    written = _in_braces(text.partition("@type ")[2])
    if _IMPORT not in written:
        return None
    tree = SyntaxTree(f"type T = {written};".encode(), "types.ts")
    if tree.root.has_error or len(tree.root.named_children) != 1:
        return None
    declared = tree.root.named_children[0].child_by_field_name("value")
    return None if declared is None else context.beside(tree, comment).type(declared)


def _in_braces(text: str) -> str:
    """What stands in the braces with which a text begins; empty where it does not."""
    text = text.lstrip()
    depth = 0
    for position, character in enumerate(text):
        depth += (character == "{") - (character == "}")
        if depth == 0:
            return text[1:position] if position else ""
    return ""
