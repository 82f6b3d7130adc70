"""What lowering one file carries along, and the small reads that every part of it shares."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, TypeAlias

from msgspec import Struct
from tree_sitter import Node

from contract_scan.ir.origin import Span
from contract_scan.parsers.source.facts.nodes import (
    Annotation,
    Call,
    ClassDecl,
    Expr,
    Function,
    Statement,
    UnsupportedSyntax,
)
from contract_scan.parsers.source.python.lowering.grammar import parsed_part
from contract_scan.parsers.source.syntax_tree import SyntaxTree

DEEPEST = 150
"""Levels of nesting that are read; what lies deeper is opaque."""
MOST_ITEMS = 5000
"""Entries of one display that are read; a longer one is data, not a declaration."""

SPECIAL_FORMS = frozenset(
    {
        "Optional",
        "Union",
        "Literal",
        "Annotated",
        "Callable",
        "Tuple",
        "tuple",
        "ClassVar",
        "Final",
        "Required",
        "NotRequired",
        "ReadOnly",
        "InitVar",
        "Unpack",
    }
)
"""Forms that change what their arguments mean; known by this name whatever an import calls them."""


LowerExpression: TypeAlias = "Callable[[Scope, Node], Expr]"
LowerClass: TypeAlias = "Callable[[Scope, Node, tuple[Annotation, ...]], ClassDecl | None]"


class LowerFunction(Protocol):
    """Lowers a function or a method with its decorators."""

    def __call__(
        self, scope: Scope, node: Node, annotations: tuple[Annotation, ...], *, in_class: bool
    ) -> Function | None: ...


class Productions(Struct, frozen=True):
    """The parts of the grammar that hold each other: a type and a parameter hold expressions, a
    statement holds functions and classes. What is below one of them calls it through here."""

    expression: LowerExpression
    function: LowerFunction
    class_declaration: LowerClass


class Scope:
    """What lowering one file carries along."""

    __slots__ = (
        "_form_names",
        "_productions",
        "aliased_imports",
        "all_bodies",
        "class_name",
        "declared",
        "depth",
        "fixed_span",
        "marker_offsets",
        "pending",
        "receiver",
        "receiver_is_class",
        "source",
        "top_level",
        "type_variables",
    )

    def __init__(self, source: SyntaxTree, productions: Productions) -> None:
        self._productions = productions
        self.source = source
        self.depth = 0
        self.fixed_span: Span | None = None
        self.receiver = ""
        """Name of the parameter that stands for the object (`self`) or class (`cls`)."""
        self.receiver_is_class = False
        self.class_name = ""
        self.all_bodies = False
        """Lower the statements of every function."""
        self.marker_offsets: tuple[int, ...] = ()
        self.pending: list[Statement] = []
        """Assignments made inside the expression being read (`:=`)."""
        self.type_variables: dict[str, Call] = {}
        self.aliased_imports: dict[int, tuple[tuple[str, str], ...]] = {}
        """Imports inside functions whose names mean something else elsewhere in the file: byte of
        the statement -> (local name, name that the file's facts know it by)."""
        self.top_level = True
        """False inside a function; declarations of the top level are facts of the file."""
        self.declared: set[int] = set()
        """First bytes of assignments that declare a type and are read as such."""
        self._form_names: dict[str, str] = {}

    def expression(self, node: Node) -> Expr:
        """The expression that stands at a node."""
        return self._productions.expression(self, node)

    def field(self, node: Node, name: str) -> Expr:
        """The expression in a field of a node."""
        child = node.child_by_field_name(name)
        if child is None:
            return UnsupportedSyntax("missing expression", span=self.span(node))
        return self._productions.expression(self, child)

    def enclosed_expression(self, node: Node) -> Expr:
        """The expression inside parentheses, or behind the star of a splat."""
        child = first_child(node)
        if child is None:
            return UnsupportedSyntax("missing expression", span=self.span(node))
        return self._productions.expression(self, child)

    def function(self, node: Node, annotations: tuple[Annotation, ...] = ()) -> Function | None:
        """The function that stands at a node outside a class; None for one without a name."""
        return self._productions.function(self, node, annotations, in_class=False)

    def class_declaration(
        self, node: Node, annotations: tuple[Annotation, ...] = ()
    ) -> ClassDecl | None:
        """The class that stands at a node; None for one without a name, or nested too deeply."""
        return self._productions.class_declaration(self, node, annotations)

    def span(self, node: Node) -> Span:
        """The place of a node; for a quoted annotation the place of the string."""
        return self.fixed_span or self.source.span(node)

    def import_form(self, local: str, canonical: str) -> None:
        """Remember that `local` was imported as the special form `canonical`."""
        self._form_names[local] = canonical

    def special_form(self, name: str) -> str:
        """The special form that a dotted name stands for; empty for any other name."""
        known = self._form_names.get(name)
        if known is not None:
            return known
        last = name.rpartition(".")[2]
        return last if last in SPECIAL_FORMS else ""

    def for_quoted_text(self, text: bytes, span: Span) -> Scope:
        """A scope for the text of a quoted annotation."""
        inner = Scope(parsed_part(text), self._productions)
        inner.fixed_span = span
        inner.depth = self.depth
        inner._form_names = self._form_names
        return inner


def named_children(node: Node) -> list[Node]:
    """Named children without comments and line continuations."""
    return [child for child in node.named_children if not child.is_extra]


def first_child(node: Node) -> Node | None:
    """The first named child that is no comment."""
    for child in node.named_children:
        if not child.is_extra:
            return child
    return None


def dotted_text(scope: Scope, node: Node) -> str:
    """`a.b.c` as written, without blanks; empty where the node is no dotted name."""
    parts: list[str] = []
    while node.type == "attribute":
        value, name = node.child_by_field_name("object"), node.child_by_field_name("attribute")
        if value is None or name is None:
            return ""
        parts.append(scope.source.text(name))
        node = value
    if node.type == "identifier":
        parts.append(scope.source.text(node))
    elif node.type in ("dotted_name", "member_type"):
        parts.append(".".join(scope.source.text(child) for child in reversed(named_children(node))))
        return (
            ".".join(reversed(parts))
            if len(parts) > 1
            else ".".join(scope.source.text(child) for child in named_children(node))
        )
    else:
        return ""
    return ".".join(reversed(parts))
