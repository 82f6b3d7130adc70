"""Classes with their members and methods -> neutral declarations."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace
from tree_sitter import Node

from contract_scan.ir.origin import Span
from contract_scan.parsers.source.facts.nodes import (
    Alias,
    Annotation,
    Argument,
    ArrayLiteral,
    Assign,
    Attribute,
    ClassDecl,
    ClassKind,
    Expr,
    Function,
    LiteralExpr,
    Member,
    Name,
    NamedType,
    TypeExpr,
    TypeParam,
    UnsupportedSyntax,
)
from contract_scan.parsers.source.python.lowering import (
    aliases,
    expressions,
    functions,
    statements,
    types,
)
from contract_scan.parsers.source.python.lowering.scope import (
    DEEPEST,
    Scope,
    first_child,
    named_children,
)

_GENERIC_BASES = frozenset({"Generic", "Protocol"})


def class_declaration(
    scope: Scope, node: Node, annotations: tuple[Annotation, ...]
) -> ClassDecl | None:
    """A class with its members, methods and nested types."""
    name_node = node.child_by_field_name("name")
    if name_node is None or scope.depth >= DEEPEST:
        return None
    name = scope.source.text(name_node)
    bases, keywords = _bases(scope, node.child_by_field_name("superclasses"))
    is_enum = any(
        isinstance(base, NamedType) and base.name.rpartition(".")[2] in types.ENUM_BASES
        for base in bases
    )
    kind: ClassKind = "enum" if is_enum else "class"
    outer = scope.class_name, scope.receiver, scope.receiver_is_class
    scope.class_name, scope.receiver, scope.receiver_is_class = name, "", False
    scope.depth += 1
    try:
        parts = _ClassParts(is_enum)
        body = node.child_by_field_name("body")
        if body is not None:
            _read_class_body(scope, body, parts)
    finally:
        scope.depth -= 1
        scope.class_name, scope.receiver, scope.receiver_is_class = outer
    return ClassDecl(
        name=name,
        kind=kind,
        type_params=types.type_parameters(scope, node) or _generic_parameters(scope, bases),
        bases=bases,
        keywords=keywords,
        annotations=annotations,
        members=tuple(parts.members),
        methods=functions.without_overloads(parts.methods),
        classes=tuple(parts.classes),
        aliases=tuple(parts.aliases),
        name_span=scope.span(name_node),
        span=scope.span(node),
    )


class _ClassParts:
    """What the body of a class declares, gathered in order."""

    def __init__(self, is_enum: bool) -> None:
        self.is_enum = is_enum
        self.members: list[Member] = []
        self.methods: list[Function] = []
        self.classes: list[ClassDecl] = []
        self.aliases: list[Alias] = []


def _bases(scope: Scope, node: Node | None) -> tuple[tuple[TypeExpr, ...], tuple[Argument, ...]]:
    if node is None:
        return (), ()
    bases: list[TypeExpr] = []
    for child in named_children(node):
        if child.type in ("keyword_argument", "dictionary_splat", "ERROR"):
            continue
        bases.append(types.type_expression(scope, child))
    keywords = tuple(
        argument
        for argument in expressions.arguments(scope, node)
        if argument.name or argument.spread == "**"
    )
    return tuple(bases), keywords


def _generic_parameters(scope: Scope, bases: tuple[TypeExpr, ...]) -> tuple[TypeParam, ...]:
    """Type parameters that only `Generic[T]` (or a base applied to type variables) tells of."""
    explicit = [
        argument
        for base in bases
        if isinstance(base, NamedType) and base.name.rpartition(".")[2] in _GENERIC_BASES
        for argument in base.args
    ]
    candidates = explicit or [
        argument
        for base in bases
        if isinstance(base, NamedType)
        for argument in base.args
        if isinstance(argument, NamedType) and argument.name in scope.type_variables
    ]
    names: dict[str, TypeParam] = {}
    for candidate in candidates:
        if isinstance(candidate, NamedType) and not candidate.args:
            names.setdefault(
                candidate.name,
                TypeParam(name=candidate.name, bound=_type_variable_bound(scope, candidate.name)),
            )
    return tuple(names.values())


def _type_variable_bound(scope: Scope, variable: str) -> TypeExpr | None:
    """The bound of `T = TypeVar("T", bound=X)`, where it is a plain name."""
    type_variable = scope.type_variables.get(variable)
    for argument in type_variable.args if type_variable is not None else ():
        if argument.name == "bound":
            name = types.dotted_name(argument.value)
            if name:
                return NamedType(name, span=argument.value.span)
            if isinstance(argument.value, LiteralExpr) and isinstance(argument.value.value, str):
                return NamedType(argument.value.value, span=argument.value.span)
    return None


def _read_class_body(scope: Scope, body: Node, parts: _ClassParts) -> None:
    for node in flat_statements(body):
        match node.type:
            case "expression_statement":
                for child in node.named_children:
                    if child.type == "assignment":
                        _read_members(scope, child, parts)
            case "function_definition":
                _read_method(scope, node, (), parts)
            case "class_definition":
                nested = class_declaration(scope, node, ())
                if nested is not None:
                    parts.classes.append(nested)
            case "decorated_definition":
                inner = node.child_by_field_name("definition")
                annotations = expressions.decorators(scope, node)
                if inner is None:
                    continue
                if inner.type == "class_definition":
                    nested = class_declaration(scope, inner, annotations)
                    if nested is not None:
                        parts.classes.append(nested)
                else:
                    _read_method(scope, inner, annotations, parts)
            case "type_alias_statement":
                alias = aliases.type_alias(scope, node)
                if alias is not None:
                    parts.aliases.append(alias)
            case _:
                continue


_CONTAINERS = frozenset(
    {
        "block",
        "if_statement",
        "elif_clause",
        "else_clause",
        "try_statement",
        "except_clause",
        "finally_clause",
        "with_statement",
        "ERROR",
    }
)


def flat_statements(body: Node) -> Iterator[Node]:
    """The statements of a body in order, also those inside `if`, `try` and unparsable stretches."""
    pending = list(reversed(body.named_children))
    while pending:
        node = pending.pop()
        if node.type in _CONTAINERS:
            pending.extend(reversed(node.named_children))
        else:
            yield node


_INITIALISERS = frozenset({"initialize"})
"""Methods besides the constructor that libraries call before any other (Tornado)."""


def _read_method(
    scope: Scope, node: Node, annotations: tuple[Annotation, ...], parts: _ClassParts
) -> None:
    method = functions.function(scope, node, annotations, in_class=True)
    if method is None:
        return
    parts.methods.append(method)
    if "constructor" in method.modifiers:
        known = {member.name for member in parts.members}
        parts.members.extend(
            member
            for member in _constructor_members(scope, node, method)
            if member.name not in known
        )
    elif method.name in _INITIALISERS:
        known = {member.name for member in parts.members}
        parts.members.extend(
            replace(member, value=None)
            for member in _constructor_members(scope, node, method)
            if member.name not in known and member.type is not None
        )


def _constructor_members(scope: Scope, node: Node, method: Function) -> Iterator[Member]:
    """Attributes that `__init__` assigns on `self`, typed by annotation or by the parameter."""
    block = node.child_by_field_name("body")
    params = node.child_by_field_name("parameters")
    receiver_node = first_child(params) if params is not None else None
    if block is None or receiver_node is None or receiver_node.type != "identifier":
        return
    receiver = scope.source.text(receiver_node)
    declared = {param.name: param.type for param in method.params}
    outer, scope.receiver = scope.receiver, receiver
    try:
        for child in block.named_children:
            inner = first_child(child) if child.type == "expression_statement" else None
            if inner is None or inner.type != "assignment":
                continue
            for assign in statements.statement(scope, child):
                if (
                    isinstance(assign, Assign)
                    and isinstance(assign.target, Attribute)
                    and isinstance(assign.target.value, Name)
                    and assign.target.value.id == "this"
                ):
                    value = assign.value
                    type_ = assign.type
                    if type_ is None and isinstance(value, Name):
                        type_ = declared.get(value.id)
                    yield Member(
                        name=assign.target.name,
                        type=type_,
                        value=value,
                        modifiers=("constructor",),
                        name_span=assign.target.span,
                        span=assign.span,
                    )
    finally:
        scope.receiver = outer


def _read_members(scope: Scope, node: Node, parts: _ClassParts) -> None:
    """`name: T = value`, `a = b = value` and `a, b = 1, 2` in the body of a class."""
    annotation = node.child_by_field_name("type")
    span = scope.span(node)
    targets: list[Node] = []
    current: Node | None = node
    while current is not None and current.type == "assignment":
        target = current.child_by_field_name("left")
        if target is not None:
            targets.append(target)
        current = current.child_by_field_name("right")
    value = expressions.expression(scope, current) if current is not None else None
    declared = types.type_expression(scope, annotation) if annotation is not None else None
    for target in targets:
        if target.type == "identifier":
            _add_member(scope, target, declared, value, span, parts)
        elif target.type == "pattern_list":
            names = named_children(target)
            items = value.items if isinstance(value, ArrayLiteral) else ()
            for position, name in enumerate(names):
                if name.type == "identifier":
                    item: Expr = (
                        items[position]
                        if len(items) == len(names)
                        else UnsupportedSyntax("unpacked value", span=span)
                    )
                    _add_member(scope, name, None, item, span, parts)


def _add_member(
    scope: Scope,
    target: Node,
    declared: TypeExpr | None,
    value: Expr | None,
    span: Span,
    parts: _ClassParts,
) -> None:
    name = scope.source.text(target)
    constant = parts.is_enum and declared is None and not name.startswith("_")
    parts.members.append(
        Member(
            name=name,
            kind="enum" if constant else "field",
            type=declared,
            value=value,
            modifiers=("static",) if _is_class_variable(declared) else (),
            name_span=scope.span(target),
            span=span,
        )
    )


def _is_class_variable(declared: TypeExpr | None) -> bool:
    return isinstance(declared, NamedType) and declared.name.rpartition(".")[2] == "ClassVar"
