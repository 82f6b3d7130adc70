"""Classes, interfaces, enums, namespaces and type aliases."""

from __future__ import annotations

from typing import TYPE_CHECKING

from contract_scan.parsers.source.facts.nodes import (
    Alias,
    Annotation,
    ClassDecl,
    Member,
    NamedType,
    ObjectType,
    TypeExpr,
    TypeOfType,
)
from contract_scan.parsers.source.typescript.lowering import class_bodies as bodies
from contract_scan.parsers.source.typescript.lowering import expressions, objects, params, types
from contract_scan.parsers.source.typescript.lowering.context import Lowering, named_children

if TYPE_CHECKING:
    from tree_sitter import Node

_CLASS_WORDS = ("abstract", "declare")


def lower_class(
    context: Lowering,
    node: Node,
    name: str = "",
    decorators: tuple[Annotation, ...] = (),
    extra: tuple[str, ...] = (),
) -> ClassDecl:
    """A class, interface or enum node.

    An index signature of an interface or class is a base `{ [key]: T }` of it. A class that has an
    `extends` clause bears the modifier `extends`: its first base is that, the others it implements.

    `name` is used where the node bears none, `decorators` are those written before `export`, and
    `extra` the modifiers that stand on the node around it.
    """
    name_node = node.child_by_field_name("name")
    own_name = context.text(name_node) if name_node is not None else ""
    body = node.child_by_field_name("body")
    if node.type == "class":
        own_name = name or own_name
    words = (*extra, *params.modifiers(context, node, _CLASS_WORDS))
    span = context.span(node)
    name_span = context.span(name_node) if name_node is not None else span
    if node.type == "enum_declaration":
        return ClassDecl(
            name=own_name or name,
            kind="enum",
            modifiers=words,
            members=_enum_members(context, body),
            name_span=name_span,
            span=span,
        )
    type_params = types.lower_type_params(context, node.child_by_field_name("type_parameters"))
    if node.type == "interface_declaration":
        return _interface(context, node, own_name or name, words, decorators)
    members, methods, indexed = bodies.lower_class_body(context, body)
    if _extends(node):
        words = (*words, "extends")
    return ClassDecl(
        name=own_name or name,
        type_params=type_params,
        bases=(*_bases(context, node), *indexed),
        annotations=(*decorators, *params.lower_decorators(context, node)),
        modifiers=words,
        members=members,
        methods=methods,
        name_span=name_span,
        span=span,
    )


def _interface(
    context: Lowering,
    node: Node,
    name: str,
    words: tuple[str, ...],
    decorators: tuple[Annotation, ...],
) -> ClassDecl:
    name_node = node.child_by_field_name("name")
    body = node.child_by_field_name("body")
    members, index = types.lower_members(context, body) if body is not None else ((), None)
    bases: list[TypeExpr] = []
    for child in named_children(node):
        if child.type == "extends_type_clause":
            bases.extend(types.lower_type(context, base) for base in named_children(child))
    if index is not None:
        bases.append(ObjectType(members=(), index=index, span=index.span))
    return ClassDecl(
        name=name,
        kind="interface",
        type_params=types.lower_type_params(context, node.child_by_field_name("type_parameters")),
        bases=tuple(bases),
        annotations=decorators,
        modifiers=words,
        members=members,
        name_span=context.span(name_node) if name_node is not None else context.span(node),
        span=context.span(node),
    )


def _extends(node: Node) -> bool:
    """Whether the first base of a class is the one it extends."""
    heritage = next((child for child in node.children if child.type == "class_heritage"), None)
    if heritage is None:
        return False
    first = next(named_children(heritage), None)
    return first is not None and first.type != "implements_clause"


def _bases(context: Lowering, node: Node) -> tuple[TypeExpr, ...]:
    heritage = next((child for child in node.children if child.type == "class_heritage"), None)
    if heritage is None:
        return ()
    found: list[TypeExpr] = []
    for clause in named_children(heritage):
        if clause.type == "extends_clause":
            value = clause.child_by_field_name("value")
            if value is not None:
                arguments = clause.child_by_field_name("type_arguments")
                found.append(_base(context, value, arguments))
        elif clause.type == "implements_clause":
            found.extend(types.lower_type(context, base) for base in named_children(clause))
        else:
            found.append(_base(context, clause, None))
    return tuple(found)


def _base(context: Lowering, node: Node, arguments: Node | None) -> TypeExpr:
    """The base class of an `extends` clause: a name, or a call such as `PickType(Base, […])`."""
    value = expressions.lower_expression(context, node)
    name = params.dotted_name_of(value)
    span = context.span(node)
    if name:
        args = types.lower_type_arguments(context, arguments)
        return NamedType(name=name, args=args, span=span)
    return TypeOfType(value=value, span=span)


# ------------------------------------------------------------------ enums, aliases, namespaces


def _enum_members(context: Lowering, body: Node | None) -> tuple[Member, ...]:
    found: list[Member] = []
    for child in named_children(body) if body is not None else ():
        name_node = child.child_by_field_name("name") if child.type == "enum_assignment" else child
        if name_node is None or child.type == "ERROR":
            continue
        name = objects.lower_key(context, name_node)
        value = child.child_by_field_name("value") if child.type == "enum_assignment" else None
        if name is None:
            continue
        found.append(
            Member(
                name=name,
                kind="enum",
                value=expressions.lower_expression(context, value) if value is not None else None,
                name_span=context.span(name_node),
                span=context.span(child),
            )
        )
    return tuple(found)


def lower_alias(context: Lowering, node: Node, extra: tuple[str, ...] = ()) -> Alias | None:
    """`type Name<T> = …`."""
    name = node.child_by_field_name("name")
    value = node.child_by_field_name("value")
    if name is None or value is None:
        return None
    return Alias(
        name=context.text(name),
        type=types.lower_type(context, value),
        type_params=types.lower_type_params(context, node.child_by_field_name("type_parameters")),
        modifiers=extra,
        name_span=context.span(name),
        span=context.span(node),
    )
