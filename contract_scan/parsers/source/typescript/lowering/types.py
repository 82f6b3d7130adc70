"""Type syntax -> type expressions."""

from __future__ import annotations

from tree_sitter import Node

from contract_scan.ir.origin import Span
from contract_scan.parsers.source.facts.nodes import (
    ArrayType,
    FunctionType,
    IndexedType,
    IntersectionType,
    KeyOfType,
    LiteralExpr,
    LiteralType,
    MappedType,
    Member,
    Name,
    NamedType,
    NullType,
    ObjectType,
    TupleType,
    TypeExpr,
    TypeOfType,
    TypeParam,
    UnionType,
    UnsupportedType,
)
from contract_scan.parsers.source.typescript.lowering import objects, params
from contract_scan.parsers.source.typescript.lowering.context import (
    MAX_DEPTH,
    TOO_DEEP,
    Lowering,
    named_children,
    tokens,
)

_OPTIONALITY = {"omitting_type_annotation": "-", "opting_type_annotation": "+"}


def lower_type(context: Lowering, node: Node) -> TypeExpr:
    """A type node as a type expression; what has no word there is `UnsupportedType`."""
    while node.type in ("parenthesized_type", "readonly_type", "type_annotation", "constraint"):
        inner = next(named_children(node), None)
        if inner is None:
            return UnsupportedType(description="empty type", span=context.span(node))
        node = inner
    if context.depth >= MAX_DEPTH:
        return UnsupportedType(description=TOO_DEEP, span=context.span(node))
    context.depth += 1
    try:
        return _lower(context, node)
    finally:
        context.depth -= 1


def _union(options: tuple[TypeExpr, ...], span: Span) -> TypeExpr:
    """`{ [key: string]: any } | { [key: string]: any }[]`: what is declared so is passed on as it
    came, and which of the two it is depends on what was given."""
    if any(map(_takes_any_object, options)) and any(
        isinstance(option, ArrayType) and _takes_any_object(option.item) for option in options
    ):
        return UnsupportedType(description="one object of any keys, or a list of them", span=span)
    return UnionType(options=options, span=span)


def _takes_any_object(type: TypeExpr) -> bool:
    """`{ [key: string]: any }`, `Record<string, any>`."""
    value: TypeExpr | None = None
    match type:
        case ObjectType(members=(), index=index):
            value = index
        case NamedType(name="Record", args=(_, item)):
            value = item
        case _:
            pass
    return isinstance(value, NamedType) and value.name in ("any", "unknown")


def _lower(context: Lowering, node: Node) -> TypeExpr:
    span = context.span(node)
    match node.type:
        case "type_identifier" | "identifier" | "nested_type_identifier" | "this_type" | "this":
            return NamedType(name=_dotted_name(context, node), span=span)
        case "predefined_type":
            return _predefined_type(context.text(node), node, context)
        case "generic_type":
            return _generic(context, node)
        case "union_type":
            return _union(_operands(context, node), span)
        case "intersection_type":
            return IntersectionType(options=_operands(context, node), span=span)
        case "array_type":
            item = next(named_children(node), None)
            if item is None:
                return UnsupportedType(description="empty type", span=span)
            return ArrayType(item=lower_type(context, item), span=span)
        case "tuple_type":
            return _tuple(context, node)
        case "object_type" | "interface_body":
            return _object(context, node)
        case "literal_type":
            return _literal(context, node)
        case "lookup_type":
            return _lookup(context, node)
        case "index_type_query":
            return KeyOfType(item=_lower_only_child(context, node), span=span)
        case "type_query":
            return _type_query(context, node)
        case "function_type":
            returns = node.child_by_field_name("return_type")
            return FunctionType(
                params=params.lower_params(context, node.child_by_field_name("parameters")),
                returns=lower_type(context, returns) if returns is not None else None,
                span=span,
            )
        case "type_predicate_annotation":
            return _lower_only_child(context, node)
        case "type_predicate":
            asked = node.child_by_field_name("type")
            about = (lower_type(context, asked),) if asked is not None else ()
            return NamedType(name="boolean", args=about, span=span)
        case "asserts" | "asserts_annotation":
            return NullType(absent=True, span=span)
        case "optional_type":
            absent = NullType(absent=True, span=span)
            return UnionType(options=(_lower_only_child(context, node), absent), span=span)
        case "member_expression" | "call_expression":
            return _import_type(context, node)
        case "template_literal_type":
            return NamedType(name="string", span=span)
        case "conditional_type":
            return UnsupportedType(description="conditional type", span=span)
        case _:
            return UnsupportedType(description=node.type.replace("_", " "), span=span)


def _lower_only_child(context: Lowering, node: Node) -> TypeExpr:
    child = next(named_children(node), None)
    if child is None:
        return UnsupportedType(description="empty type", span=context.span(node))
    return lower_type(context, child)


def _dotted_name(context: Lowering, node: Node) -> str:
    text = context.text(node)
    return text if text.isidentifier() else "".join(text.split())


def _predefined_type(text: str, node: Node, context: Lowering) -> TypeExpr:
    span = context.span(node)
    if text in ("void", "undefined"):
        return NullType(absent=True, span=span)
    return NamedType(name="symbol" if text.startswith("unique") else text, span=span)


def _generic(context: Lowering, node: Node) -> TypeExpr:
    name = node.child_by_field_name("name")
    if name is None:
        name = node.named_children[0]
    args = lower_type_arguments(context, node.child_by_field_name("type_arguments"))
    base = lower_type(context, name)
    if not isinstance(base, NamedType):
        return base
    return NamedType(name=base.name, args=args, span=context.span(node))


def lower_type_arguments(context: Lowering, node: Node | None) -> tuple[TypeExpr, ...]:
    """The types between `<` and `>`; none for None."""
    if node is None:
        return ()
    return tuple(lower_type(context, child) for child in named_children(node))


def _operands(context: Lowering, node: Node) -> tuple[TypeExpr, ...]:
    """The sides of `A | B | C`, a chain that nests to the left, in order as written."""
    kind = node.type
    found: list[TypeExpr] = []
    pending = [node]
    while pending:
        current = pending.pop()
        if current.type == kind:
            pending.extend(reversed(list(named_children(current))))
        else:
            found.append(lower_type(context, current))
    return tuple(found)


def _tuple(context: Lowering, node: Node) -> TypeExpr:
    span = context.span(node)
    items: list[TypeExpr] = []
    rest: TypeExpr | None = None
    for child in named_children(node):
        label = child.child_by_field_name("name")
        kind = child.child_by_field_name("type")
        item = lower_type(context, kind) if kind is not None else None
        if child.type == "rest_type" or (label is not None and label.type == "rest_pattern"):
            rest = item if item is not None else _lower_only_child(context, child)
        elif child.type == "optional_parameter" and item is not None:
            items.append(UnionType(options=(item, NullType(absent=True)), span=context.span(child)))
        else:
            items.append(item if item is not None else lower_type(context, child))
    if rest is None:
        return TupleType(items=tuple(items), span=span)
    if not items:
        return rest
    if isinstance(rest, ArrayType):
        return ArrayType(item=UnionType(options=(*items, rest.item), span=span), span=span)
    return UnsupportedType(description="tuple with a rest element", span=span)


def _literal(context: Lowering, node: Node) -> TypeExpr:
    span = context.span(node)
    child = next(named_children(node), None)
    if child is None:
        return UnsupportedType(description="empty type", span=span)
    if child.type in ("null", "undefined"):
        return NullType(absent=child.type == "undefined", span=span)
    value = context.expression(child)
    if isinstance(value, LiteralExpr):
        return LiteralType(value=value.value, span=span)
    return UnsupportedType(description="literal type", span=span)


def _lookup(context: Lowering, node: Node) -> TypeExpr:
    """`T["a"]["b"]…`: a chain that nests to the left."""
    chain = [node]
    current = next(named_children(node), None)
    while current is not None and current.type == "lookup_type":
        chain.append(current)
        current = next(named_children(current), None)
    if current is None or len(chain) > MAX_DEPTH:
        return UnsupportedType(description=TOO_DEEP, span=context.span(node))
    result = lower_type(context, current)
    for link in reversed(chain):
        index = link.named_children[-1]
        result = IndexedType(item=result, index=lower_type(context, index), span=context.span(link))
    return result


def _type_query(context: Lowering, node: Node) -> TypeExpr:
    child = next(named_children(node), None)
    if child is None:
        return UnsupportedType(description="empty type", span=context.span(node))
    if child.type == "instantiation_expression":
        child = next(named_children(child), child)
    return TypeOfType(value=context.expression(child), span=context.span(node))


def _import_type(context: Lowering, node: Node) -> TypeExpr:
    """`import("./module").Name`, and `import("./module")` for what `module.exports` is there."""
    names: list[str] = []
    current: Node | None = node
    while current is not None and current.type == "member_expression":
        attribute = current.child_by_field_name("property")
        names.append(context.text(attribute) if attribute is not None else "")
        current = current.child_by_field_name("object")
    value = context.expression(current) if current is not None else None
    if isinstance(value, Name):
        return NamedType(name=".".join((value.id, *reversed(names))), span=context.span(node))
    return UnsupportedType(description="computed module as a type", span=context.span(node))


# ------------------------------------------------------------------ members


def _object(context: Lowering, node: Node) -> TypeExpr:
    for child in named_children(node):
        if child.type == "index_signature":
            clause = next(
                (c for c in named_children(child) if c.type == "mapped_type_clause"), None
            )
            if clause is not None:
                return _lower_mapped_type(context, child, clause)
    members, index = lower_members(context, node)
    return ObjectType(members=members, index=index, span=context.span(node))


def _lower_mapped_type(context: Lowering, node: Node, clause: Node) -> TypeExpr:
    span = context.span(node)
    if clause.child_by_field_name("alias") is not None:
        return UnsupportedType(description="mapped type with renamed keys", span=span)
    name = clause.child_by_field_name("name")
    constraint = clause.child_by_field_name("type")
    value = node.child_by_field_name("type")
    if name is None or constraint is None or value is None:
        return UnsupportedType(description="mapped type", span=span)
    item = next(named_children(value), None) if value.type in _OPTIONALITY else value
    return MappedType(
        variable=context.text(name),
        constraint=lower_type(context, constraint),
        item=lower_type(context, item if item is not None else value),
        optional=_OPTIONALITY.get(value.type, ""),
        span=span,
    )


def lower_members(context: Lowering, body: Node) -> tuple[tuple[Member, ...], TypeExpr | None]:
    """The data members of an object type or interface body, and the type of its index signature.

    Methods become members of a function type: they are never written on the wire.
    """
    members: list[Member] = []
    index: TypeExpr | None = None
    for child in named_children(body):
        if child.type == "index_signature":
            value = child.child_by_field_name("type")
            if value is not None:
                index = lower_type(context, value)
        elif child.type in ("property_signature", "method_signature"):
            member = _signature(context, child)
            if member is not None:
                members.append(member)
        elif child.type == "ERROR":
            inner, inner_index = lower_members(context, child)
            members.extend(inner)
            index = index or inner_index
    return tuple(members), index


def _signature(context: Lowering, node: Node) -> Member | None:
    name_node = node.child_by_field_name("name")
    name = objects.lower_member_name(context, name_node) if name_node is not None else None
    if name is None or name_node is None:
        return None
    written = tokens(node)
    kind = node.child_by_field_name("type")
    declared = lower_type(context, kind) if kind is not None else None
    if node.type == "method_signature":
        returns = node.child_by_field_name("return_type")
        declared = lower_type(context, returns) if returns is not None else None
        if "set" in written:
            return None
        if "get" not in written:
            declared = FunctionType(
                params=params.lower_params(context, node.child_by_field_name("parameters")),
                returns=declared,
                span=context.span(node),
            )
    return Member(
        name=name,
        kind="getter" if "get" in written else "property",
        type=declared,
        modifiers=("readonly",) if "readonly" in written else (),
        optional="?" in written,
        name_span=context.span(name_node),
        span=context.span(node),
    )


def lower_type_params(context: Lowering, node: Node | None) -> tuple[TypeParam, ...]:
    """The parameters between `<` and `>` of a declaration; none for None."""
    if node is None:
        return ()
    found = []
    for child in named_children(node):
        name = child.child_by_field_name("name")
        if child.type != "type_parameter" or name is None:
            continue
        bound = child.child_by_field_name("constraint")
        default = child.child_by_field_name("value")
        found.append(
            TypeParam(
                name=context.text(name),
                bound=_lower_only_child(context, bound) if bound is not None else None,
                default=_lower_only_child(context, default) if default is not None else None,
            )
        )
    return tuple(found)
