"""Types of Java -> type expressions; and the reader that all lowering shares."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from msgspec.structs import replace
from tree_sitter import Node

from contract_scan.ir.origin import Span
from contract_scan.parsers.source.facts.nodes import (
    ArrayType,
    ClassDecl,
    Expr,
    IntersectionType,
    NamedType,
    NullableType,
    NullType,
    Statement,
    TypeExpr,
    TypeParam,
    UnsupportedType,
)
from contract_scan.parsers.source.syntax_tree import NodeText

MAX_DEPTH = 100
"""Levels of nesting that are read; whatever lies deeper is opaque."""
TOO_DEEP = "nested too deeply"
_BETWEEN_PARTS = re.compile(rb"[\s/@]")
"""What may stand between the parts of a name besides the dots."""
COMMENTS = frozenset({"line_comment", "block_comment"})
NAME_NODES = frozenset({"identifier", "type_identifier"})
"""Terminal nodes whose text is a name."""


class Reader(NodeText):
    """Text of one file by syntax node, and the ways from inner to outer constructs.

    Annotations hold expressions, expressions hold statements (lambdas) and class bodies (anonymous
    classes), each lowered by a module that in turn needs the former: `expression`, `block` and
    `class_body` are those ways back.
    """

    __slots__ = (
        "block",
        "class_body",
        "expression",
        "lombok",
        "markers",
        "unread",
    )

    def __init__(
        self,
        content: bytes,
        markers: re.Pattern[bytes] | None,
        expression: Callable[[Reader, Node, int], Expr],
        block: Callable[[Reader, Node, int], tuple[Statement, ...]],
        class_body: Callable[[Reader, Node, int], ClassDecl],
    ) -> None:
        super().__init__(content)
        self.markers = markers
        self.expression = expression
        self.block = block
        self.class_body = class_body
        self.lombok: frozenset[str] = frozenset()
        """Names that mean Lombok's annotations in this file (see `lower_accessors`)."""
        self.unread: list[Span] = []
        """Chains of calls that are too long to be read whole."""

    def name(self, node: Node) -> str:
        """A (dotted) name without the white space and comments that may stand between its parts."""
        written = self.content[node.start_byte : node.end_byte]
        if not _BETWEEN_PARTS.search(written):
            return written.decode("utf-8", "replace")
        parts: list[str] = []
        pending = [node]
        while pending:
            current = pending.pop()
            if current.type in ("identifier", "type_identifier", "this", "super"):
                parts.append(self.text(current))
            elif current.type not in COMMENTS and "annotation" not in current.type:
                pending.extend(reversed(current.named_children))
        return ".".join(parts)

    def is_marked(self, node: Node) -> bool:
        """Whether the text of a function holds one of the call markers."""
        if self.markers is None:
            return False
        return self.markers.search(self.content, node.start_byte, node.end_byte) is not None


def lower_type(reader: Reader, node: Node, depth: int = 0) -> TypeExpr:
    """One type as written. Type annotations other than `@Nullable` say nothing about its shape."""
    if depth > MAX_DEPTH:
        return UnsupportedType(description=TOO_DEEP, span=reader.span(node))
    match node.type:
        case "type_identifier" | "identifier" | "scoped_type_identifier" | "scoped_identifier":
            return NamedType(name=reader.name(node), span=reader.span(node))
        case "integral_type" | "floating_point_type" | "boolean_type":
            return NamedType(name=reader.text(node), span=reader.span(node))
        case "void_type":
            return NullType(absent=True, span=reader.span(node))
        case "generic_type":
            return _generic(reader, node, depth)
        case "array_type":
            element = node.child_by_field_name("element")
            dimensions = node.child_by_field_name("dimensions")
            if element is None:
                return UnsupportedType(description="array type", span=reader.span(node))
            return with_dimensions(lower_type(reader, element, depth + 1), dimensions)
        case "annotated_type":
            return _lower_annotated(reader, node, depth)
        case "wildcard":
            bound = node.named_children[-1] if node.named_child_count else None
            if bound is None or "annotation" in bound.type:
                return UnsupportedType(description="?", span=reader.span(node))
            return lower_type(reader, bound, depth + 1)
        case other:
            return UnsupportedType(description=other.replace("_", " "), span=reader.span(node))


def _generic(reader: Reader, node: Node, depth: int) -> TypeExpr:
    name = ""
    args: tuple[TypeExpr, ...] = ()
    for child in node.named_children:
        if child.type == "type_arguments":
            args = type_arguments(reader, child, depth)
        elif child.type not in COMMENTS:
            name = reader.name(child)
    return NamedType(name=name, args=args, span=reader.span(node))


def type_arguments(reader: Reader, node: Node, depth: int = 0) -> tuple[TypeExpr, ...]:
    """The types between `<` and `>`; none for the diamond `<>`."""
    return tuple(
        lower_type(reader, child, depth + 1)
        for child in node.named_children
        if child.type not in COMMENTS
    )


def _lower_annotated(reader: Reader, node: Node, depth: int) -> TypeExpr:
    nullable = False
    item: TypeExpr | None = None
    for child in node.named_children:
        if child.type in ("marker_annotation", "annotation"):
            name = child.child_by_field_name("name")
            nullable |= name is not None and is_nullable_name(reader.name(name))
        elif child.type not in COMMENTS:
            item = lower_type(reader, child, depth + 1)
    if item is None:
        return UnsupportedType(description="annotated type", span=reader.span(node))
    return NullableType(item=item, span=reader.span(node)) if nullable else item


def is_nullable_name(name: str) -> bool:
    """Whether an annotation of this name says "may be null", whatever library it comes from."""
    return name.rpartition(".")[2] in ("Nullable", "CheckForNull")


def with_dimensions(item: TypeExpr, dimensions: Node | None) -> TypeExpr:
    """`item[]…` with as many brackets as `dimensions` has.

    `byte[]` and `char[]` keep a name of their own: serializers write them as strings.
    """
    count = 0
    if dimensions is not None:
        count = sum(1 for child in dimensions.children if child.type == "[")
    for _ in range(min(count, MAX_DEPTH)):
        if isinstance(item, NamedType) and item.name in ("byte", "char"):
            item = NamedType(name=f"{item.name}[]", span=item.span)
        else:
            item = ArrayType(item=item, span=item.span)
    return item


def type_parameters(reader: Reader, node: Node | None) -> tuple[TypeParam, ...]:
    """`<T extends A & B, U>`."""
    if node is None:
        return ()
    found: list[TypeParam] = []
    for child in node.named_children:
        if child.type != "type_parameter":
            continue
        name = ""
        bound: TypeExpr | None = None
        for part in child.named_children:
            if part.type in NAME_NODES:
                name = reader.text(part)
            elif part.type == "type_bound":
                bound = one_type(reader, part)
        found.append(TypeParam(name=name, bound=bound))
    return tuple(found)


def with_bounds(type: TypeExpr, bounds: Mapping[str, TypeExpr | None]) -> TypeExpr:
    """A type in which type parameters with bounds are the bounds."""
    match type:
        case NamedType(name=name, args=()):
            return bounds.get(name) or type
        case NamedType(args=args):
            return replace(type, args=tuple(with_bounds(each, bounds) for each in args))
        case ArrayType(item=item):
            return replace(type, item=with_bounds(item, bounds))
        case _:
            return type


def one_type(reader: Reader, node: Node) -> TypeExpr | None:
    """The type that a bound or a cast stands for: the single one, or the intersection of all."""
    types = type_arguments(reader, node)
    if not types:
        return None
    return types[0] if len(types) == 1 else IntersectionType(options=types, span=reader.span(node))
