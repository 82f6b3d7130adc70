"""Classes, members and methods of Java -> declarations of the neutral form."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace
from tree_sitter import Node

from contract_scan.ir.origin import NO_SPAN
from contract_scan.parsers.source.facts.nodes import (
    ClassDecl,
    ClassKind,
    Function,
    Member,
    TypeExpr,
)
from contract_scan.parsers.source.java.lowering.accessors import implicit_accessors
from contract_scan.parsers.source.java.lowering.annotations import modifiers_of, parameters
from contract_scan.parsers.source.java.lowering.expressions import arguments, lower_expression
from contract_scan.parsers.source.java.lowering.statements import lower_block
from contract_scan.parsers.source.java.lowering.types import (
    MAX_DEPTH,
    Reader,
    lower_type,
    type_arguments,
    type_parameters,
    with_bounds,
    with_dimensions,
)

CLASS_KINDS: dict[str, ClassKind] = {
    "class_declaration": "class",
    "interface_declaration": "interface",
    "record_declaration": "record",
    "enum_declaration": "enum",
    "annotation_type_declaration": "annotation",
}
METHODS = frozenset(
    {"method_declaration", "constructor_declaration", "compact_constructor_declaration"}
)
INITIALIZERS = frozenset({"static_initializer", "block"})
"""Blocks in the body of a class: what runs when the class is loaded, or an object of it is made."""
_GROUPS = frozenset({"ERROR", "enum_body_declarations"})
"""Nodes that hold members without being a declaration: what stands in them is read as well."""


def class_from_node(reader: Reader, node: Node, depth: int = 0) -> ClassDecl:
    """A type declaration, or the bare body of an anonymous class.

    The modifier `extends` says that the first of `bases` is a class rather than an interface.
    """
    if depth > MAX_DEPTH:
        return ClassDecl(name="", span=reader.span(node))
    if node.type == "class_body":
        members, methods, classes = _body(reader, node, "class", depth, is_anonymous=True)
        span = reader.span(node)
        return ClassDecl(name="", members=members, methods=methods, classes=classes, span=span)
    kind = CLASS_KINDS[node.type]
    words, annotations = modifiers_of(reader, node)
    name = node.child_by_field_name("name")
    members, methods, classes = _body(reader, node.child_by_field_name("body"), kind, depth)
    if node.child_by_field_name("superclass") is not None:
        words = (*words, "extends")
    declaration = ClassDecl(
        name=reader.text(name) if name is not None else "",
        kind=kind,
        type_params=type_parameters(reader, node.child_by_field_name("type_parameters")),
        bases=tuple(_bases(reader, node)),
        annotations=annotations,
        modifiers=words,
        members=(*_components(reader, node), *members),
        methods=methods,
        classes=classes,
        name_span=reader.span(name) if name is not None else NO_SPAN,
        span=reader.span(node),
    )
    implicit = implicit_accessors(declaration, reader.lombok)
    return replace(declaration, methods=(*methods, *implicit)) if implicit else declaration


def _bases(reader: Reader, node: Node) -> Iterator[TypeExpr]:
    for child in node.named_children:
        if child.type == "superclass":
            yield from type_arguments(reader, child)
        elif child.type in ("super_interfaces", "extends_interfaces"):
            for types in child.named_children:
                yield from type_arguments(reader, types)


def _components(reader: Reader, node: Node) -> Iterator[Member]:
    """Record components."""
    if node.type != "record_declaration":
        return
    for param in parameters(reader, node.child_by_field_name("parameters")):
        yield Member(
            name=param.name,
            kind="parameter",
            type=param.type,
            annotations=param.annotations,
            span=param.span,
            name_span=param.place,
        )


_Body = tuple[tuple[Member, ...], tuple[Function, ...], tuple[ClassDecl, ...]]


def _body(
    reader: Reader, node: Node | None, kind: ClassKind, depth: int, *, is_anonymous: bool = False
) -> _Body:
    """What a class body declares. The blocks of an anonymous class are no methods: they fill the
    new object (`New.entries`)."""
    members: list[Member] = []
    methods: list[Function] = []
    classes: list[ClassDecl] = []
    pending = list(reversed(node.named_children)) if node is not None else []
    while pending:
        child = pending.pop()
        match child.type:
            case "field_declaration" | "constant_declaration":
                members.extend(_fields(reader, child))
            case declaration if declaration in METHODS:
                methods.append(function_from_node(reader, child, in_enum=kind == "enum"))
            case block if block in INITIALIZERS and not is_anonymous:
                methods.append(_initializer(reader, child, in_enum=kind == "enum"))
            case "enum_constant":
                members.append(_enum_constant(reader, child))
            case "annotation_type_element_declaration":
                members.append(_annotation_element(reader, child))
            case declaration if declaration in CLASS_KINDS:
                classes.append(class_from_node(reader, child, depth + 1))
            case group if group in _GROUPS:
                pending.extend(reversed(child.named_children))
            case _:
                pass
    return tuple(members), tuple(methods), tuple(classes)


def _fields(reader: Reader, node: Node) -> Iterator[Member]:
    words, annotations = modifiers_of(reader, node)
    if node.type == "constant_declaration":
        words = (*words, *(word for word in ("static", "final") if word not in words))
    type_node = node.child_by_field_name("type")
    base = lower_type(reader, type_node) if type_node is not None else None
    constant = "static" in words and "final" in words
    for declarator in node.children_by_field_name("declarator"):
        name = declarator.child_by_field_name("name")
        if name is None:
            continue
        value = declarator.child_by_field_name("value")
        dimensions = declarator.child_by_field_name("dimensions")
        item = base
        if base is not None and dimensions is not None:
            item = with_dimensions(base, dimensions)
        yield Member(
            name=reader.text(name),
            kind="constant" if constant else "field",
            type=item,
            value=lower_expression(reader, value) if value is not None else None,
            annotations=annotations,
            modifiers=words,
            span=reader.span(declarator),
            name_span=reader.span(name),
        )


def _enum_constant(reader: Reader, node: Node) -> Member:
    _, annotations = modifiers_of(reader, node)
    name = node.child_by_field_name("name")
    return Member(
        name=reader.text(name) if name is not None else "",
        kind="enum",
        args=arguments(reader, node.child_by_field_name("arguments")),
        annotations=annotations,
        span=reader.span(node),
        name_span=reader.span(name) if name is not None else NO_SPAN,
    )


def _annotation_element(reader: Reader, node: Node) -> Member:
    """`String[] path() default {};` in an annotation type."""
    words, annotations = modifiers_of(reader, node)
    name = node.child_by_field_name("name")
    type_node = node.child_by_field_name("type")
    value = node.child_by_field_name("value")
    return Member(
        name=reader.text(name) if name is not None else "",
        kind="property",
        type=lower_type(reader, type_node) if type_node is not None else None,
        value=lower_expression(reader, value) if value is not None else None,
        annotations=annotations,
        modifiers=words,
        span=reader.span(node),
        name_span=reader.span(name) if name is not None else NO_SPAN,
    )


def initializer_body(node: Node) -> Node | None:
    """The block of a static initializer; one of objects is a block itself."""
    if node.type == "block":
        return node
    return next((child for child in node.named_children if child.type == "block"), None)


def _initializer(reader: Reader, node: Node, *, in_enum: bool) -> Function:
    """A block of statements in the body of a class, as a method that nobody can call. It has the
    name under which Java runs a static one (JVM specification, 2.9.2), also where it is run for
    every object: `<init>` is a constructor's."""
    body = initializer_body(node)
    is_read = body is not None and (in_enum or reader.is_marked(body))
    return Function(
        name="<clinit>",
        modifiers=("initializer", "static") if node.type != "block" else ("initializer",),
        body=lower_block(reader, body) if body is not None and is_read else None,
        span=reader.span(node),
    )


def function_from_node(reader: Reader, node: Node, *, in_enum: bool = False) -> Function:
    """A method or constructor. Its statements are lowered where its text holds a call marker, and
    for constructors and methods of enums, which decide how constants are written."""
    words, annotations = modifiers_of(reader, node)
    name = node.child_by_field_name("name")
    body = node.child_by_field_name("body")
    returns = node.child_by_field_name("type")
    statements = None
    if body is None:
        words = words if "abstract" in words else (*words, "abstract")
    elif in_enum or reader.is_marked(body):
        statements = lower_block(reader, body)
    if node.type != "method_declaration":
        words = (*words, "constructor")
    result = lower_type(reader, returns) if returns is not None else None
    dimensions = node.child_by_field_name("dimensions")
    if result is not None and dimensions is not None:
        result = with_dimensions(result, dimensions)
    params = parameters(reader, node.child_by_field_name("parameters"))
    type_params = type_parameters(reader, node.child_by_field_name("type_parameters"))
    if result is not None and not params:
        # No argument says which type of its callers' it gives: `<P extends Item> P getItem()`.
        result = with_bounds(result, {each.name: each.bound for each in type_params})
    return Function(
        name=reader.text(name) if name is not None else "",
        params=params,
        returns=result,
        annotations=annotations,
        modifiers=words,
        type_params=type_params,
        body=statements,
        name_span=reader.span(name) if name is not None else NO_SPAN,
        span=reader.span(node),
    )
