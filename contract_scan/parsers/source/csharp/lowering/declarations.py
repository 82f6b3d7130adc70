"""C# type declarations -> class declarations with their members and methods."""

from __future__ import annotations

from tree_sitter import Node

from contract_scan.ir.origin import NO_SPAN
from contract_scan.parsers.source.csharp.lowering.context import (
    MAX_DEPTH,
    Lowering,
    children,
    clr_name,
)
from contract_scan.parsers.source.csharp.lowering.expressions import lower_arguments
from contract_scan.parsers.source.csharp.lowering.functions import (
    attributes,
    conversion,
    function,
    function_body,
    modifiers,
    parameters,
)
from contract_scan.parsers.source.csharp.lowering.target_types import of_target_type
from contract_scan.parsers.source.csharp.lowering.types import (
    declared_type,
    lower_type,
    type_parameters,
)
from contract_scan.parsers.source.facts.nodes import (
    Alias,
    Argument,
    ClassDecl,
    ClassKind,
    Expr,
    Function,
    FunctionType,
    Member,
    Param,
    TypeExpr,
)

CLASSES: dict[str, ClassKind] = {
    "class_declaration": "class",
    "interface_declaration": "interface",
    "record_declaration": "record",
    "struct_declaration": "struct",
    "enum_declaration": "enum",
}


def class_declaration(low: Lowering, node: Node) -> ClassDecl | None:
    """A class, interface, record, struct or enum with all that it declares; None: nested too
    deeply."""
    if low.depth >= MAX_DEPTH:
        return None
    low.depth += 1
    name = node.child_by_field_name("name")
    bases, base_args = _bases(low, node)
    parts = _TypeMembers()
    written = modifiers(low, node)
    if node.type == "record_declaration" and any(c.type == "struct" for c in node.children):
        written = (*written, "struct")
    _primary_constructor(low, node, written, parts)
    body = node.child_by_field_name("body")
    for child in children(body) if body is not None else []:
        _member(low, child, parts)
    low.depth -= 1
    type_params = type_parameters(low, node)
    return ClassDecl(
        span=low.span(node),
        name=clr_name(low.identifier(name), len(type_params)),
        kind=CLASSES[node.type],
        type_params=type_params,
        bases=bases,
        base_args=base_args,
        annotations=attributes(low, node),
        modifiers=written,
        members=tuple(parts.members.values()),
        methods=tuple(parts.methods),
        classes=tuple(parts.classes),
        aliases=tuple(parts.aliases),
        name_span=low.span(name) if name is not None else NO_SPAN,
    )


def delegate(low: Lowering, node: Node) -> Alias:
    """`delegate R D(A a)`: a name for a function type."""
    name = node.child_by_field_name("name")
    type_params = type_parameters(low, node)
    return Alias(
        span=low.span(node),
        name=clr_name(low.identifier(name), len(type_params)),
        type=FunctionType(
            span=low.span(node),
            params=parameters(low, node.child_by_field_name("parameters")),
            returns=declared_type(low, node.child_by_field_name("type")),
        ),
        type_params=type_params,
        modifiers=modifiers(low, node),
        name_span=low.span(name) if name is not None else NO_SPAN,
    )


class _TypeMembers:
    """What the body of a type declares, collected in order.

    A member that `#if` declares twice counts once, as it is declared last: `#else` is what a
    build without extra symbols compiles.
    """

    def __init__(self) -> None:
        self.members: dict[str, Member] = {}
        self.methods: list[Function] = []
        self.classes: list[ClassDecl] = []
        self.aliases: list[Alias] = []

    def add(self, member: Member) -> None:
        key = f"{member.name}#explicit" if "explicit" in member.modifiers else member.name
        self.members[key] = member


def _bases(low: Lowering, node: Node) -> tuple[tuple[TypeExpr, ...], tuple[Argument, ...]]:
    listed = next((c for c in node.named_children if c.type == "base_list"), None)
    if listed is None:
        return (), ()
    bases: list[TypeExpr] = []
    arguments: tuple[Argument, ...] = ()
    for child in children(listed):
        if child.type == "argument_list":
            arguments = lower_arguments(low, child)
        elif child.type == "primary_constructor_base_type":
            written = child.child_by_field_name("type")
            if written is not None:
                bases.append(lower_type(low, written))
            inner = next((c for c in child.named_children if c.type == "argument_list"), None)
            arguments = lower_arguments(low, inner)
        else:
            bases.append(lower_type(low, child))
    return tuple(bases), arguments


def _primary_constructor(
    low: Lowering, node: Node, written: tuple[str, ...], parts: _TypeMembers
) -> None:
    """Parameters behind the name: public properties of a record, captured values elsewhere."""
    listed = next((c for c in node.named_children if c.type == "parameter_list"), None)
    if listed is None:
        return
    if node.type == "record_declaration":
        settable = "struct" in written and "readonly" not in written
        kinds: tuple[str, ...] = ("public", "get", "set" if settable else "init")
    else:
        kinds = ("private",)
    found = parameters(low, listed)
    for param in found:
        parts.add(_from_parameter(param, kinds))
    name = node.child_by_field_name("name")
    parts.methods.append(
        Function(
            span=low.span(listed),
            name=low.identifier(name),
            params=found,
            modifiers=("public", "constructor", "primary"),
            body=(),
            name_span=low.span(name) if name is not None else NO_SPAN,
        )
    )


def _from_parameter(param: Param, kinds: tuple[str, ...]) -> Member:
    return Member(
        span=param.span,
        name=param.name,
        kind="parameter",
        type=param.type,
        value=param.default,
        annotations=param.annotations,
        modifiers=kinds,
        name_span=param.place,
    )


# --------------------------------------------------------------------------- members


def _member(low: Lowering, node: Node, parts: _TypeMembers) -> None:
    match node.type:
        case "property_declaration":
            parts.add(_property(low, node))
        case "field_declaration":
            for member in _fields(low, node):
                parts.add(member)
        case "enum_member_declaration":
            parts.add(_enum_member(low, node))
        case "method_declaration":
            parts.methods.append(function(low, node))
        case "constructor_declaration":
            parts.methods.append(function(low, node, ("constructor",)))
        case "conversion_operator_declaration":
            parts.methods.append(conversion(low, node))
        case "delegate_declaration":
            parts.aliases.append(delegate(low, node))
        case kind if kind in CLASSES:
            nested = class_declaration(low, node)
            if nested is not None:
                parts.classes.append(nested)
        case _:
            pass


def _property(low: Lowering, node: Node) -> Member:
    name = node.child_by_field_name("name")
    value = node.child_by_field_name("value")
    accessors = node.child_by_field_name("accessors")
    written = list(modifiers(low, node))
    if any(c.type == "explicit_interface_specifier" for c in node.named_children):
        written.append("explicit")
    found = _accessors(low, accessors)
    computed = value is not None and value.type == "arrow_expression_clause"
    initial = value
    if computed and value is not None:
        found = {"get": ""}
        initial = next(iter(children(value)), None)
    elif found.keys() == {"get"} and accessors is not None:
        computed, initial = _getter(accessors, initial)
    written.extend(f"{access} {kind}".strip() for kind, access in found.items())
    settable = "set" in found or "init" in found
    type = declared_type(low, node.child_by_field_name("type"))
    initialiser = _value(low, initial)
    lowered = None if initialiser is None else of_target_type(initialiser, type)
    return Member(
        span=low.span(node),
        name=low.identifier(name),
        kind="getter" if computed else "property" if "get" in found or not settable else "setter",
        type=type,
        value=lowered,
        annotations=attributes(low, node),
        modifiers=tuple(written),
        name_span=low.span(name) if name is not None else NO_SPAN,
        accessors=()
        if computed and lowered is not None
        else _lower_accessors(low, node, accessors),
    )


def _lower_accessors(low: Lowering, owner: Node, accessors: Node | None) -> tuple[Function, ...]:
    """The accessors of a property with statements that are wanted now."""
    found: list[Function] = []
    type = declared_type(low, owner.child_by_field_name("type"))
    for child in children(accessors) if accessors is not None else []:
        body = function_body(child) if child.type == "accessor_declaration" else None
        name = child.child_by_field_name("name")
        if body is None or name is None or not low.wants_body(child):
            continue
        kind, span = low.text(name), low.span(child)
        params = () if kind == "get" else (Param(span=span, name="value", type=type),)
        found.append(
            Function(
                span=span,
                name=low.identifier(owner.child_by_field_name("name")),
                params=params,
                returns=type if kind == "get" else None,
                modifiers=(*modifiers(low, child), kind),
                body=low.block(body),
                name_span=low.span(name),
            )
        )
    return tuple(found)


def _accessors(low: Lowering, node: Node | None) -> dict[str, str]:
    """Accessor -> its own access modifiers: `{ get; private set; }`."""
    found: dict[str, str] = {}
    for child in children(node) if node is not None else []:
        if child.type == "accessor_declaration":
            name = child.child_by_field_name("name")
            if name is not None:
                found[low.text(name)] = " ".join(modifiers(low, child))
    return found


def _getter(accessors: Node, initial: Node | None) -> tuple[bool, Node | None]:
    """Whether a property without setter is computed, and the expression it gives."""
    for child in children(accessors):
        body = child.child_by_field_name("body")
        if body is None:
            continue
        if body.type == "arrow_expression_clause":
            return True, next(iter(children(body)), None)
        statements = children(body)
        if len(statements) == 1 and statements[0].type == "return_statement":
            return True, next(iter(children(statements[0])), None)
        return True, None
    return False, initial


def _value(low: Lowering, node: Node | None) -> Expr | None:
    if node is None or node.type == "throw_expression":
        return None
    return low.expression(node)


def _fields(low: Lowering, node: Node) -> list[Member]:
    declaration = next((c for c in node.named_children if c.type == "variable_declaration"), None)
    if declaration is None:
        return []
    written = modifiers(low, node)
    marked = attributes(low, node)
    type = declared_type(low, declaration.child_by_field_name("type"))
    found: list[Member] = []
    for child in children(declaration):
        if child.type != "variable_declarator":
            continue
        name = child.child_by_field_name("name")
        parts = children(child)
        has_value = len(parts) > 1 and any(c.type == "=" for c in child.children)
        found.append(
            Member(
                span=low.span(child),
                name=low.identifier(name),
                kind="constant" if "const" in written else "field",
                type=type,
                value=of_target_type(low.expression(parts[-1]), type) if has_value else None,
                annotations=marked,
                modifiers=written,
                name_span=low.span(name) if name is not None else NO_SPAN,
            )
        )
    return found


def _enum_member(low: Lowering, node: Node) -> Member:
    name = node.child_by_field_name("name")
    value = node.child_by_field_name("value")
    return Member(
        span=low.span(node),
        name=low.identifier(name),
        kind="enum",
        value=low.expression(value) if value is not None else None,
        annotations=attributes(low, node),
        name_span=low.span(name) if name is not None else NO_SPAN,
    )
