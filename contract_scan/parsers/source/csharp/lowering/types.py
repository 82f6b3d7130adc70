"""C# type syntax -> type expressions."""

from __future__ import annotations

from collections.abc import Callable

from tree_sitter import Node

from contract_scan.parsers.source.csharp.lowering.context import (
    MAX_DEPTH,
    TOO_DEEP,
    Lowering,
    children,
    clr_name,
)
from contract_scan.parsers.source.facts.nodes import (
    ArrayType,
    NamedType,
    NullableType,
    NullType,
    TupleType,
    TypeExpr,
    TypeParam,
    UnsupportedType,
)


def lower_type(low: Lowering, node: Node) -> TypeExpr:
    """The type that a type node writes."""
    if low.depth >= MAX_DEPTH:
        return UnsupportedType(span=low.span(node), description=TOO_DEEP)
    lower = _TYPES.get(node.type)
    if lower is None:
        return UnsupportedType(span=low.span(node), description=node.type.replace("_", " "))
    low.depth += 1
    result = lower(low, node)
    low.depth -= 1
    return result


def declared_type(low: Lowering, node: Node | None) -> TypeExpr | None:
    """The type of a declaration; None where it is inferred (`var`) or not written."""
    if node is None or node.type == "implicit_type":
        return None
    return lower_type(low, node)


def type_arguments(low: Lowering, node: Node) -> tuple[TypeExpr, ...]:
    """The arguments of a `generic_name`; none for the open form `List<>`."""
    for child in node.named_children:
        if child.type == "type_argument_list":
            return tuple(lower_type(low, item) for item in children(child))
    return ()


def type_parameters(low: Lowering, node: Node) -> tuple[TypeParam, ...]:
    """The type parameters of a declaration, with the first type that each is constrained to."""
    listed = node.child_by_field_name("type_parameters")
    if listed is None:
        listed = next((c for c in node.named_children if c.type == "type_parameter_list"), None)
    if listed is None:
        return ()
    bounds = _bounds(low, node)
    names = [
        low.identifier(child.child_by_field_name("name"))
        for child in children(listed)
        if child.type == "type_parameter"
    ]
    return tuple(TypeParam(name=name, bound=bounds.get(name)) for name in names)


def _bounds(low: Lowering, node: Node) -> dict[str, TypeExpr]:
    found: dict[str, TypeExpr] = {}
    for clause in node.named_children:
        if clause.type != "type_parameter_constraints_clause":
            continue
        name = ""
        for part in children(clause):
            if part.type == "identifier":
                name = low.identifier(part)
            elif part.type == "type_parameter_constraint":
                bound = part.child_by_field_name("type")
                if bound is not None and name not in found:
                    found[name] = lower_type(low, bound)
                elif low.text(part) == "struct":
                    found[name] = NamedType(name="struct")
    return found


def _identifier(low: Lowering, node: Node) -> TypeExpr:
    name = low.identifier(node)
    meant = low.aliases.get(name)
    if meant is not None:
        return NamedType(span=low.span(node), name=meant.name, args=meant.args)
    return NamedType(span=low.span(node), name=name)


def _predefined_type(low: Lowering, node: Node) -> TypeExpr:
    name = low.text(node)
    if name == "void":
        return NullType(span=low.span(node), absent=True)
    return NamedType(span=low.span(node), name=name)


def _generic(low: Lowering, node: Node) -> TypeExpr:
    return NamedType(
        span=low.span(node), name=_simple_name(low, node), args=type_arguments(low, node)
    )


def _qualified_type(low: Lowering, node: Node) -> TypeExpr:
    """`A.B<int>.C<string>`: the dotted name, with the arguments of its last part before those of
    the parts in front of it, nearest first."""
    parts: list[str] = []
    generics: list[Node] = []
    part: Node | None = node
    while part is not None:
        named = part.child_by_field_name("name") if "qualified" in part.type else part
        if named is not None and named.type == "generic_name":
            generics.append(named)
        if part.type == "qualified_name":
            parts.append(_simple_name(low, part.child_by_field_name("name")))
            part = part.child_by_field_name("qualifier")
        elif part.type == "alias_qualified_name":
            parts.append(_simple_name(low, part.child_by_field_name("name")))
            alias = part.child_by_field_name("alias")
            if alias is not None and low.text(alias) != "global":
                parts.append(low.identifier(alias))
            break
        else:
            parts.append(_simple_name(low, part))
            break
    args = tuple(arg for generic in generics for arg in type_arguments(low, generic))
    if parts and parts[-1] in low.aliases:
        parts[-1] = low.aliases[parts[-1]].name
    return NamedType(span=low.span(node), name=".".join(reversed(parts)), args=args)


def _simple_name(low: Lowering, node: Node | None) -> str:
    if node is not None and node.type == "generic_name" and node.named_children:
        return clr_name(low.identifier(node.named_children[0]), _arity(node))
    return low.identifier(node)


def _arity(node: Node) -> int:
    """How many type arguments a `generic_name` has; the open form `List<>` has one."""
    for child in node.named_children:
        if child.type == "type_argument_list":
            return 1 + sum(part.type == "," for part in child.children)
    return 0


def _nullable(low: Lowering, node: Node) -> TypeExpr:
    return NullableType(span=low.span(node), item=_inner(low, node))


def _array(low: Lowering, node: Node) -> TypeExpr:
    span = low.span(node)
    inner = _inner(low, node)
    if isinstance(inner, NamedType) and inner.name == "byte":
        # Serialisers write bytes as one string, so this is a type of its own.
        return NamedType(span=span, name="byte[]")
    item: TypeExpr = ArrayType(span=span, item=inner)
    rank = node.child_by_field_name("rank")
    for _ in range(min(low.text(rank).count(","), MAX_DEPTH) if rank is not None else 0):
        item = ArrayType(span=span, item=item)
    return item


def _tuple(low: Lowering, node: Node) -> TypeExpr:
    elements = [child for child in children(node) if child.type == "tuple_element"]
    named = [child.child_by_field_name("name") for child in elements]
    names = tuple(low.identifier(name) if name is not None else "" for name in named)
    return TupleType(
        span=low.span(node),
        items=tuple([_inner(low, child) for child in elements]),
        names=names if any(names) else (),
    )


def _type_without_modifier(low: Lowering, node: Node) -> TypeExpr:
    """`ref T`, `scoped T`: how a value is passed is not part of its type."""
    return _inner(low, node)


def _inner(low: Lowering, node: Node) -> TypeExpr:
    inner = node.child_by_field_name("type")
    if inner is None:
        return UnsupportedType(span=low.span(node), description=node.type.replace("_", " "))
    return lower_type(low, inner)


_TYPES: dict[str, Callable[[Lowering, Node], TypeExpr]] = {
    "identifier": _identifier,
    "predefined_type": _predefined_type,
    "generic_name": _generic,
    "qualified_name": _qualified_type,
    "alias_qualified_name": _qualified_type,
    "nullable_type": _nullable,
    "array_type": _array,
    "tuple_type": _tuple,
    "ref_type": _type_without_modifier,
    "scoped_type": _type_without_modifier,
}
