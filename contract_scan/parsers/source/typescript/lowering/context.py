"""What lowering one file carries along: the tree, how deep it is, and the modules it has named."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import TypeAlias

from msgspec import Struct
from tree_sitter import Node

from contract_scan.ir.origin import Span
from contract_scan.parsers.source.facts.nodes import (
    ClassDecl,
    Expr,
    Function,
    Import,
    LiteralExpr,
    TypeExpr,
    UnsupportedSyntax,
)
from contract_scan.parsers.source.syntax_tree import SyntaxTree

MAX_DEPTH = 90
"""Nesting beyond this is `UnsupportedSyntax`: every level costs frames of Python's stack."""

MAX_CHAIN = 150
"""Links of one call chain (`a.b().c()…`) that are read, counted from its end."""

TOO_DEEP = "nested too deeply"

_COMMENTS = ("comment", "html_comment")
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "v": "\v", "0": "\0"}
_SIMPLE_ESCAPE = re.compile(r"\\(u\{[0-9a-fA-F]+\}|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|\r\n|[\s\S])")


LowerExpression: TypeAlias = "Callable[[Lowering, Node], Expr]"
LowerType: TypeAlias = "Callable[[Lowering, Node], TypeExpr]"
LowerFunction: TypeAlias = "Callable[[Lowering, Node], Function]"
LowerClass: TypeAlias = "Callable[[Lowering, Node, str], ClassDecl]"


class Productions(Struct, frozen=True):
    """The parts of the grammar that hold each other: a type holds expressions, an expression holds
    functions, a function holds classes. What is below one of them calls it through here."""

    expression: LowerExpression
    type: LowerType
    function: LowerFunction
    class_declaration: LowerClass
    """Takes the name of a class that bears none."""


class Lowering:
    """State of lowering one file. Not shared between files."""

    __slots__ = ("_productions", "depth", "imports", "lazy", "markers", "span", "text", "tree")

    def __init__(
        self, tree: SyntaxTree, markers: re.Pattern[bytes] | None, productions: Productions
    ) -> None:
        self._productions = productions
        self.tree = tree
        self.text: Callable[[Node], str] = tree.text
        """The source text of a node."""
        self.span: Callable[[Node], Span] = tree.span
        """The place of a node."""
        self.markers = markers
        """Matches text whose functions are lowered with their bodies; None: all are."""
        self.depth = 0
        self.lazy = False
        """Whether a function met now is a declaration, whose body may be read on demand."""
        self.imports: dict[str, Import] = {}
        """Imports that stand inside expressions and types, by their made-up local name."""

    def lowering_at(self, tree: SyntaxTree, place: Node) -> Lowering:
        """The lowering of a text of its own that stands at a place of the file."""
        span = self.span(place)
        other = Lowering(tree, self.markers, self._productions)
        other.span = lambda _: span
        other.depth, other.imports = self.depth, self.imports
        return other

    def expression(self, node: Node) -> Expr:
        """The expression that stands at a node."""
        return self._productions.expression(self, node)

    def type(self, node: Node) -> TypeExpr:
        """The type that stands at a node."""
        return self._productions.type(self, node)

    def function(self, node: Node) -> Function:
        """The function, arrow function or method that stands at a node."""
        return self._productions.function(self, node)

    def class_declaration(self, node: Node, name: str = "") -> ClassDecl:
        """The class, interface or enum that stands at a node; `name` for one that bears none."""
        return self._productions.class_declaration(self, node, name)

    def wants_body(self, node: Node) -> bool:
        """Whether the body of a function is lowered together with it: that of a declared one where
        it holds a marker."""
        if not self.lazy or self.markers is None or self._runs_as_read(node):
            return True
        return self.markers.search(self.tree.content, node.start_byte, node.end_byte) is not None

    def _runs_as_read(self, node: Node) -> bool:
        """`models.forEach((model) => { routes.push(model.route); })`"""
        call = node.parent.parent if node.parent is not None else None
        callee = call.child_by_field_name("function") if call is not None else None
        name = callee.child_by_field_name("property") if callee is not None else None
        return name is not None and self.text(name) == "forEach"

    def module(self, name: str) -> str:
        """The local name that stands for a module named inside an expression or type."""
        local = module_local(name)
        self.imports.setdefault(local, Import(module=name, name="", local=local))
        return local

    def string(self, node: Node) -> str:
        """The value of a `string` node, or of a template without substitutions."""
        raw = self.tree.content[node.start_byte + 1 : max(node.end_byte - 1, node.start_byte + 1)]
        return unescape(raw.decode("utf-8", "replace"))

    def number(self, text: str, node: Node) -> Expr:
        """The value of a number in any of its notations."""
        digits = text.replace("_", "").lower().rstrip("n")
        value: int | float
        try:
            if digits[:2] in ("0x", "0o", "0b"):
                value = int(digits, 0)
            elif digits.isdigit() and len(digits) < 400:
                value = int(digits)
            else:
                value = float(digits)
                value = int(value) if value.is_integer() and abs(value) < 2**53 else value
        except (ValueError, OverflowError):
            return UnsupportedSyntax(description="number", span=self.span(node))
        return LiteralExpr(value=value, span=self.span(node))


def module_local(name: str) -> str:
    """The made-up local name of `require("name")` and `import("name")`: it holds no dot, so that
    `require("./m").x` stays a name and an attribute."""
    return f"module<{name.replace('.', '·')}>"


def unescape(text: str) -> str:
    """The value of the text between the quotes of a string literal."""
    if "\\" not in text:
        return text
    return _SIMPLE_ESCAPE.sub(_unescape, text)


def _unescape(match: re.Match[str]) -> str:
    escape = match.group(1)
    if escape in ("\n", "\r", "\r\n"):
        return ""
    if len(escape) == 1:
        return _ESCAPES.get(escape, escape)
    code = int(escape.strip("ux{}"), 16)
    return chr(code) if code <= 0x10FFFF and not 0xD800 <= code <= 0xDFFF else "\ufffd"


def named_children(node: Node) -> Iterator[Node]:
    """The named children of a node without comments."""
    return (child for child in node.named_children if child.type not in _COMMENTS)


def tokens(node: Node) -> set[str]:
    """The kinds of the unnamed children of a node (`static`, `?`, `readonly` …)."""
    return {child.type for child in node.children if not child.is_named}


def void_argument(node: Node) -> Node | None:
    """The operand that `void` evaluates and discards: `call()` of `void call()`."""
    while node.type == "parenthesized_expression":
        inner = next(named_children(node), None)
        if inner is None:
            return None
        node = inner
    if node.type != "unary_expression" or "void" not in tokens(node):
        return None
    return node.child_by_field_name("argument")
