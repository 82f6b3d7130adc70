"""Bodies of classes: fields, methods, accessors, and what a constructor declares."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from contract_scan.parsers.source.facts.nodes import (
    Annotation,
    Assign,
    Attribute,
    Expr,
    Function,
    Member,
    Name,
    New,
    ObjectType,
    Param,
    TypeExpr,
)
from contract_scan.parsers.source.typescript.lowering import (
    effects,
    expressions,
    functions,
    objects,
    params,
    types,
)
from contract_scan.parsers.source.typescript.lowering.context import (
    Lowering,
    named_children,
    tokens,
)

if TYPE_CHECKING:
    from tree_sitter import Node

_FIELD_WORDS = ("static", "readonly", "abstract", "declare", "accessor")
_FIELDS = frozenset({"public_field_definition", "field_definition"})
_METHODS = frozenset({"method_definition", "abstract_method_signature", "method_signature"})


def lower_class_body(
    context: Lowering, body: Node | None
) -> tuple[tuple[Member, ...], tuple[Function, ...], tuple[TypeExpr, ...]]:
    """Data members, methods, and index signatures as types."""
    members: list[Member] = []
    methods: list[Function] = []
    indexed: list[TypeExpr] = []
    if body is None:
        return (), (), ()
    lazy, context.lazy = context.lazy, True
    waiting: list[Annotation] = []
    for child in _elements(body):
        if child.type == "decorator":
            waiting.append(params.lower_decorator(context, child))
            continue
        annotations, waiting = tuple(waiting), []
        if child.type in _FIELDS:
            member = _field(context, child, annotations)
            if member is not None:
                members.append(member)
        elif child.type in _METHODS:
            _method(context, child, annotations, members, methods)
        elif child.type == "index_signature":
            declared = child.child_by_field_name("type")
            if declared is not None:
                index = types.lower_type(context, declared)
                indexed.append(ObjectType(members=(), index=index, span=index.span))
    context.lazy = lazy
    return tuple(members), _without_overloads(methods), tuple(indexed)


def _elements(body: Node) -> list[Node]:
    """The elements of a class body, with what stands inside of syntax errors."""
    found: list[Node] = []
    pending = list(reversed(list(named_children(body))))
    while pending:
        child = pending.pop()
        if child.type == "ERROR":
            pending.extend(reversed(list(named_children(child))))
        else:
            found.append(child)
    return found


def _field(context: Lowering, node: Node, before: tuple[Annotation, ...]) -> Member | None:
    name_node = node.child_by_field_name("name")
    if name_node is None:
        name_node = node.child_by_field_name("property")
    if name_node is None:
        return None
    name = objects.lower_key(context, name_node)
    if name is None:
        return None
    declared = node.child_by_field_name("type")
    value = node.child_by_field_name("value")
    lowered = expressions.lower_expression(context, value) if value is not None else None
    words = params.modifiers(context, node, _FIELD_WORDS)
    if name_node.type == "private_property_identifier":
        words = ("private", *words)
    return Member(
        name=name,
        type=types.lower_type(context, declared) if declared is not None else None,
        value=effects.with_name(lowered, name),
        annotations=(*before, *params.lower_decorators(context, node)),
        modifiers=words,
        optional="?" in tokens(node),
        name_span=context.span(name_node),
        span=context.span(node),
    )


def _method(
    context: Lowering,
    node: Node,
    before: tuple[Annotation, ...],
    members: list[Member],
    methods: list[Function],
) -> None:
    function = functions.lower_function(context, node)
    if not function.name:
        return
    annotations = (*before, *params.lower_decorators(context, node))
    words = function.modifiers
    if node.type != "method_definition" and "abstract" not in words:
        words = (*words, "abstract")
    if function.name == "constructor":
        words = (*words, "constructor")
    body = function.body if node.type == "method_definition" else None
    function = functions.with_changes(function, annotations=annotations, modifiers=words, body=body)
    methods.append(function)
    if "get" in words or "set" in words:
        members.append(_accessor(function))
    if "constructor" in words and node.type == "method_definition":
        members.extend(_parameter_properties(function.params))
        _assign_members(members, _assigned_members(context, node, function.params))


def _accessor(function: Function) -> Member:
    setter = "set" in function.modifiers
    declared = function.returns
    if setter and function.params:
        declared = function.params[0].type
    return Member(
        name=function.name,
        kind="setter" if setter else "getter",
        type=declared,
        annotations=function.annotations,
        modifiers=function.modifiers,
        name_span=function.name_span,
        span=function.span,
    )


def _parameter_properties(parameters: tuple[Param, ...]) -> list[Member]:
    """`constructor(private readonly service: Service)` declares a property."""
    return [
        Member(
            name=param.name,
            kind="parameter",
            type=param.type,
            value=param.default,
            annotations=param.annotations,
            modifiers=param.modifiers,
            optional=param.optional,
            name_span=param.place,
            span=param.span,
        )
        for param in parameters
        if param.modifiers and param.name
    ]


def _assigned_members(context: Lowering, node: Node, parameters: tuple[Param, ...]) -> list[Member]:
    """The properties that a constructor assigns (`this.x = …`), as JavaScript declares them."""
    body = node.child_by_field_name("body")
    if body is None:
        return []
    by_name = {param.name: param for param in parameters if param.name}
    found: dict[str, Member] = {}
    for child in named_children(body):
        if child.type != "expression_statement" or b"this" not in (child.text or b""):
            continue
        done: effects.Statements = []
        effects.lower_effect(context, child.named_children[0], done)
        for effect in done:
            if not isinstance(effect, Assign) or not isinstance(effect.target, Attribute):
                continue
            target = effect.target
            if not isinstance(target.value, Name) or target.value.id != "this":
                continue
            value = effect.value
            if functions.binds_itself(target.name, value):
                continue
            param = by_name.get(value.id) if isinstance(value, Name) else None
            found.setdefault(
                target.name,
                Member(
                    name=target.name,
                    type=param.type if param is not None else _constructed_type(value),
                    value=None if param is not None else value,
                    modifiers=("assigned",),
                    name_span=target.span,
                    span=effect.span,
                ),
            )
    return list(found.values())


def _assign_members(members: list[Member], assigned: list[Member]) -> None:
    """What the constructor assigns is the value of a declared property that has none, and declares
    one that is not."""
    positions = {member.name: position for position, member in enumerate(members)}
    for member in assigned:
        position = positions.get(member.name)
        if position is None:
            members.append(member)
        elif members[position].value is None and member.value is not None:
            known = members[position]
            words = (*known.modifiers, "assigned")
            members[position] = replace(known, value=member.value, modifiers=words)


def _constructed_type(value: Expr | None) -> TypeExpr | None:
    return value.type if isinstance(value, New) else None


def _without_overloads(methods: list[Function]) -> tuple[Function, ...]:
    """Signatures of a method that also has a body are left out."""
    written = {method.name for method in methods if "abstract" not in method.modifiers}
    return tuple(
        method
        for method in methods
        if "abstract" not in method.modifiers or method.name not in written
    )
