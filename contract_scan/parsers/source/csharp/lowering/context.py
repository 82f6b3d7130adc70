"""What lowering one file carries along: the text, places in it, how deep it is nested."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import TypeAlias

from tree_sitter import Node

from contract_scan.ir.three_valued import all_of, any_of, negate
from contract_scan.parsers.source.facts.nodes import (
    Expr,
    NamedType,
    Statement,
    TypeExpr,
    UnsupportedSyntax,
)
from contract_scan.parsers.source.syntax_tree import UTF8_BOM, UTF16_BOMS, NodeText

LowerExpression: TypeAlias = "Callable[[Lowering, Node], Expr]"
LowerBlock: TypeAlias = "Callable[[Lowering, Node], tuple[Statement, ...]]"

MAX_DEPTH = 80
"""Nesting beyond this becomes `UnsupportedSyntax`: a level costs frames of Python's stack."""

MAX_WEIGHT = 250
"""Depth that facts may reach when the links of call chains are counted too."""

TOO_DEEP = "nested too deeply"

_TRIVIA = frozenset(
    {
        "comment",
        "preproc_region",
        "preproc_endregion",
        "preproc_pragma",
        "preproc_line",
        "preproc_nullable",
        "preproc_define",
        "preproc_undef",
        "preproc_error",
        "preproc_warning",
        "shebang_directive",
    }
)
_CONDITIONALS = frozenset({"preproc_if", "preproc_elif", "preproc_else"})
_NO_PARTS = _TRIVIA | _CONDITIONALS
_LONE_RETURN = re.compile(rb"\r(?!\n)")
_MODERN = re.compile(r"NET|NETCOREAPP|NET(COREAPP)?\d{1,2}_\d_OR_GREATER")
_OLD = re.compile(r"NETFRAMEWORK|NET[1-4]\d{1,2}(_OR_GREATER)?|NETSTANDARD.*|SILVERLIGHT")


class Lowering(NodeText):
    """State of lowering one file. Not shared between files."""

    __slots__ = (
        "_block",
        "_expressions",
        "aliases",
        "depth",
        "markers",
        "result",
        "weight",
    )

    def __init__(
        self,
        content: bytes,
        markers: re.Pattern[bytes] | None,
        expressions: Mapping[str, LowerExpression],
        block: LowerBlock,
        first_line: int = 1,
    ) -> None:
        super().__init__(content, first_line)
        self.markers = markers
        """Matches text whose functions are lowered with their bodies; None: all are."""
        self.aliases: dict[str, NamedType] = {}
        """What `using X = A.B.C;` directives call by another name."""
        self.result: TypeExpr | None = None
        """The declared type of what the function returns whose statements are lowered."""
        self.depth = 0
        self.weight = 0
        self._expressions = expressions
        self._block = block

    def expression(self, node: Node) -> Expr:
        """What an expression node says."""
        if self.depth >= MAX_DEPTH or self.weight >= MAX_WEIGHT:
            return UnsupportedSyntax(span=self.span(node), description=TOO_DEEP)
        lower = self._expressions.get(node.type)
        if lower is None:
            return self.opaque(node)
        self.depth += 1
        self.weight += 1
        result = lower(self, node)
        self.depth -= 1
        self.weight -= 1
        return result

    def block(self, node: Node) -> tuple[Statement, ...]:
        """The statements of a function's body: a block, `=> value`, or a lambda's expression."""
        return self._block(self, node)

    def opaque(self, node: Node) -> UnsupportedSyntax:
        """A node that the neutral form has no word for, under its own name."""
        return UnsupportedSyntax(span=self.span(node), description=node.type.replace("_", " "))

    def identifier(self, node: Node | None) -> str:
        """The name that an identifier node writes (`@class` is `class`)."""
        return self.text(node).removeprefix("@") if node is not None else ""

    def wants_body(self, node: Node) -> bool:
        """Whether the statements of a function are lowered together with its declaration."""
        if self.markers is None:
            return True
        return self.markers.search(self.content, node.start_byte, node.end_byte) is not None


def clr_name(name: str, arity: int) -> str:
    """The name of a generic type as the run time knows it: ``List`1``, ``Dictionary`2``.

    C# tells types of one name apart by their number of type parameters (`Result`, `Result<T>`), so
    that number is part of the name wherever types are declared or used.
    """
    return f"{name}`{arity}" if arity else name


def readable(content: bytes) -> bytes | None:
    """The text to parse: without byte order mark, with line ends that the grammar counts.

    None: the text is in another encoding than UTF-8.
    """
    if content.startswith(UTF16_BOMS):
        return None
    content = content.removeprefix(UTF8_BOM)
    if b"\r" in content:
        content = _LONE_RETURN.sub(b"\n", content)
    if b"\0" in content:
        if content.count(b"\0") * 4 > len(content):
            return None
        content = content.replace(b"\0", b" ")
    return content


_HOLDING_THIS = frozenset(
    {
        *("argument", "variable_declarator", "return_statement", "yield_statement"),
        *("arrow_expression_clause", "lambda_expression", "parenthesized_expression"),
        *("initializer_expression", "conditional_expression", "switch_expression_arm"),
        *("cast_expression", "as_expression", "expression_element"),
    }
)
"""Nodes of which `this`, which the grammar gives no name, may be a value."""


def children(node: Node) -> list[Node]:
    """The named children of a node without comments and directives; of `#if` the parts that may
    be compiled."""
    nodes = node.named_children
    if node.type in _HOLDING_THIS:
        nodes = [child for child in node.children if child.is_named or child.type == "this"]
    kinds = [child.type for child in nodes]
    if _NO_PARTS.isdisjoint(kinds):
        return nodes
    found: list[Node] = []
    for child, kind in zip(nodes, kinds, strict=True):
        if kind in _CONDITIONALS:
            found.extend(compiled_nodes(child))
        elif kind not in _TRIVIA:
            found.append(child)
    return found


def statements_of(node: Node) -> list[Node]:
    """As `children`, but an undecided `#if` stays: it is one of several runs of statements."""
    found: list[Node] = []
    for child in node.named_children:
        kind = child.type
        if kind in _TRIVIA:
            continue
        if kind == "preproc_if" and len(alternatives := branches(child)) == 1:
            found.extend(alternatives[0])
        else:
            found.append(child)
    return found


def compiled_nodes(node: Node, depth: int = 0) -> list[Node]:
    """The nodes in an `#if`: of the part that is surely compiled, or else of every part."""
    return [child for branch in branches(node, depth) for child in branch]


def branches(node: Node, depth: int = 0) -> list[list[Node]]:
    """The runs of nodes of an `#if … #elif … #else` of which one is compiled, without those that
    never are for a .NET of today. Symbols of the project's own are undecided."""
    found: list[list[Node]] = []
    part: Node | None = node
    closed = False
    while part is not None:
        condition = part.child_by_field_name("condition")
        following = part.child_by_field_name("alternative")
        decided = _condition_value(condition) if condition is not None else True
        if decided is not False:
            found.append(_own_children(part, condition, following, depth))
        if decided is True:
            closed = True
            break
        part = following
    if not closed:
        found.append([])
    return found


def _own_children(
    part: Node, condition: Node | None, following: Node | None, depth: int
) -> list[Node]:
    found: list[Node] = []
    for child in part.named_children:
        if child in (condition, following) or child.type in _TRIVIA:
            continue
        if child.type not in _CONDITIONALS:
            found.append(child)
        elif depth < MAX_DEPTH:
            found.extend(compiled_nodes(child, depth + 1))
    return found


def _condition_value(condition: Node, depth: int = 0) -> bool | None:
    """Whether a directive's condition holds; None: it depends on symbols of the project's own."""
    if depth > MAX_DEPTH:
        return None
    kind = condition.type
    if kind == "parenthesized_expression":
        inner = condition.named_children
        return _condition_value(inner[0], depth + 1) if inner else None
    if kind == "unary_expression":
        argument = condition.child_by_field_name("argument")
        return negate(_condition_value(argument, depth + 1)) if argument is not None else None
    if kind == "binary_expression":
        left, right = (condition.child_by_field_name(side) for side in ("left", "right"))
        operator = condition.child_by_field_name("operator")
        if left is None or right is None or operator is None:
            return None
        values = (_condition_value(left, depth + 1), _condition_value(right, depth + 1))
        if operator.type == "&&":
            return all_of(values)
        return any_of(values) if operator.type == "||" else None
    text = condition.text.decode("utf-8", "replace") if condition.text else ""
    if text in ("true", "false"):
        return text == "true"
    if _OLD.fullmatch(text):
        return False
    return True if _MODERN.fullmatch(text) else None
