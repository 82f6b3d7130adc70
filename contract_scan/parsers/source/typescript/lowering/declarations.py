"""Classes, interfaces, enums, namespaces and type aliases."""

from __future__ import annotations

from msgspec.structs import replace
from tree_sitter import Node

from contract_scan.parsers.source.facts.nodes import (
    Alias,
    Annotation,
    Assign,
    Attribute,
    ClassDecl,
    Expr,
    Function,
    LiteralExpr,
    Member,
    Name,
    NamedType,
    New,
    ObjectType,
    Param,
    TypeExpr,
    TypeOfType,
)
from contract_scan.parsers.source.syntax_tree import SyntaxTree
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

_CLASS_WORDS = ("abstract", "declare")
_JSDOC_IMPORT = "import("
_LONGEST_JSDOC = 2_000
"""Characters of a comment that are read."""


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
    members, methods, indexed = _lower_class_body(context, body)
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


# ----------------------------------------------------------------------------- bodies of classes
# Bodies of classes: fields, methods, accessors, and what a constructor declares.


_FIELD_WORDS = ("static", "readonly", "abstract", "declare", "accessor")
_FIELDS = frozenset({"public_field_definition", "field_definition"})
_METHODS = frozenset({"method_definition", "abstract_method_signature", "method_signature"})


def _lower_class_body(
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
        elif child.type == "class_static_block":
            methods.append(_static_block(context, child))
        elif child.type == "index_signature":
            declared = child.child_by_field_name("type")
            if declared is not None:
                index = types.lower_type(context, declared)
                indexed.append(ObjectType(members=(), index=index, span=index.span))
    context.lazy = lazy
    return tuple(members), _without_overloads(methods), tuple(indexed)


def _static_block(context: Lowering, node: Node) -> Function:
    """`static { … }`, which runs when the class is defined, as a method that nothing can call."""
    return Function(
        name="<static>",
        modifiers=("static", "private"),
        body=functions.lower_function_body(context, node),
        name_span=context.span(node),
        span=context.span(node),
    )


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
    name = objects.lower_member_name(context, name_node)
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
        if function.returns is None and "get" in words:
            function = replace(function, returns=_type_above(context, node))
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
            starts_as_null = isinstance(value, LiteralExpr) and value.value is None
            declared = _type_above(context, child) if starts_as_null else None
            found.setdefault(
                target.name,
                Member(
                    name=target.name,
                    type=declared or (param.type if param else _constructed_type(value)),
                    value=None if param is not None or declared is not None else value,
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


def _type_above(context: Lowering, node: Node) -> TypeExpr | None:
    """The type that the comment above a node of JavaScript declares by `@type`, where it says the
    module that the type comes from (`/** @type {import('./models/User')} */`); None for other
    comments."""
    comment = node.prev_sibling
    if comment is None or comment.type != "comment":
        return None
    text = context.text(comment)
    if not text.startswith("/**") or len(text) > _LONGEST_JSDOC or _JSDOC_IMPORT not in text:
        return None
    written = _in_braces(text.partition("@type ")[2])
    if _JSDOC_IMPORT not in written:
        return None
    tree = SyntaxTree(f"type T = {written};".encode(), ".ts")
    if tree.root.has_error or len(tree.root.named_children) != 1:
        return None
    declared = tree.root.named_children[0].child_by_field_name("value")
    return None if declared is None else context.lowering_at(tree, comment).type(declared)


def _in_braces(text: str) -> str:
    """What stands in the braces with which a text begins; empty where it does not."""
    text = text.lstrip()
    depth = 0
    for position, character in enumerate(text):
        depth += (character == "{") - (character == "}")
        if depth == 0:
            return text[1:position] if position else ""
    return ""
