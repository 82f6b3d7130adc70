"""Expressions -> neutral expressions."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TypeAlias

from tree_sitter import Node

from contract_scan.parsers.source.facts.nodes import (
    Annotation,
    Argument,
    ArrayLiteral,
    Attribute,
    Call,
    Cast,
    Comprehension,
    Entry,
    Expr,
    Function,
    Index,
    Lambda,
    LiteralExpr,
    Name,
    ObjectLiteral,
    Return,
    Spread,
    TypeValue,
    UnsupportedSyntax,
)
from contract_scan.parsers.source.python.lowering import literals, operators, parameters, types
from contract_scan.parsers.source.python.lowering.scope import (
    DEEPEST,
    MOST_ITEMS,
    Scope,
    dotted_text,
    first_child,
    named_children,
)

_BUILTIN_GENERICS = frozenset(
    [
        "list",
        "dict",
        "tuple",
        "set",
        "frozenset",
        "type",
        "defaultdict",
        "deque",
        "List",
        "Dict",
        "Tuple",
        "Set",
        "FrozenSet",
        "Type",
        "DefaultDict",
        "Deque",
        "OrderedDict",
        "Counter",
        "Sequence",
        "MutableSequence",
        "Iterable",
        "Iterator",
        "Collection",
        "Mapping",
        "MutableMapping",
        "Generator",
        "AsyncIterator",
        "AsyncGenerator",
        "Awaitable",
        "Coroutine",
        "Optional",
        "Union",
        "Literal",
        "Annotated",
        "Callable",
        "ClassVar",
        "Final",
        "Required",
        "NotRequired",
    ]
)
_TYPE_LIKE = re.compile(
    r"(?:[A-Za-z_]\w*\.)*"
    r"(?:[A-Z](?=\w*[a-z])\w*+|[A-Z]|int|str|float|bool|bytes|list|dict|tuple|set|object)"
)
"""A dotted name that reads like that of a class; `CONSTANT` does not."""


def _sequence(scope: Scope, node: Node) -> Expr:
    """A list, tuple or set display."""
    children = named_children(node)
    if len(children) > MOST_ITEMS:
        return UnsupportedSyntax(f"display of {len(children)} items", span=scope.span(node))
    return ArrayLiteral(
        tuple(scope.expression(child) for child in children if child.type != "ERROR"),
        is_tuple=node.type in ("tuple", "expression_list", "pattern_list", "tuple_pattern"),
        span=scope.span(node),
    )


def _dictionary(scope: Scope, node: Node) -> Expr:
    """A dict display, with what is spread into it."""
    children = named_children(node)
    if len(children) > MOST_ITEMS:
        return UnsupportedSyntax(f"display of {len(children)} items", span=scope.span(node))
    entries: list[Entry] = []
    for child in children:
        span = scope.span(child)
        if child.type == "dictionary_splat":
            entries.append(Entry(value=scope.enclosed_expression(child), spread=True, span=span))
        elif child.type == "pair":
            key = scope.field(child, "key")
            value = scope.field(child, "value")
            if isinstance(key, LiteralExpr):
                entries.append(Entry(value=value, key=_key_text(key), span=span))
            else:
                entries.append(Entry(value=value, key_expression=key, span=span))
    return ObjectLiteral(tuple(entries), span=scope.span(node))


def _key_text(key: LiteralExpr) -> str:
    """A constant key as JSON writes it."""
    match key.value:
        case True:
            return "true"
        case False:
            return "false"
        case None:
            return "null"
        case value:
            return str(value)


def _comprehension(scope: Scope, node: Node) -> Expr:
    """A comprehension or generator expression."""
    body = node.child_by_field_name("body")
    clauses = [child for child in named_children(node) if child.type == "for_in_clause"]
    span = scope.span(node)
    if body is None or not clauses:
        return UnsupportedSyntax("unparsable comprehension", span=span)
    conditions = [first_child(child) for child in named_children(node) if child.type == "if_clause"]
    tests = [scope.expression(condition) for condition in conditions if condition is not None]
    key: Expr | None = None
    if body.type == "pair":
        key, element = (
            scope.field(body, "key"),
            scope.field(body, "value"),
        )
    else:
        element = scope.expression(body)
    for position, clause in enumerate(reversed(clauses)):
        if position:
            element = Spread(element, span=span)
        variable = clause.child_by_field_name("left")
        element = Comprehension(
            element,
            scope.expression(variable)
            if variable is not None
            else UnsupportedSyntax("target", span=span),
            scope.field(clause, "right"),
            key if not position else None,
            tests[0] if tests and not position else None,
            span=span,
        )
    return element


def expression(scope: Scope, node: Node) -> Expr:
    """The neutral form of any expression node."""
    read = _READERS.get(node.type)
    if read is None:
        return UnsupportedSyntax(_DESCRIPTIONS.get(node.type, node.type), span=scope.span(node))
    if scope.depth >= DEEPEST:
        return UnsupportedSyntax("nested too deeply", span=scope.span(node))
    scope.depth += 1
    try:
        return read(scope, node)
    finally:
        scope.depth -= 1


# --------------------------------------------------------------------------- names and access


def _identifier(scope: Scope, node: Node) -> Expr:
    name = scope.source.text(node)
    if not name:
        return UnsupportedSyntax("missing name", span=scope.span(node))
    if name == scope.receiver:
        name = "this"
    return Name(name, span=scope.span(node))


def _attribute(scope: Scope, node: Node) -> Expr:
    name = node.child_by_field_name("attribute")
    value = scope.field(node, "object")
    if name is None:
        return UnsupportedSyntax("missing name", span=scope.span(node))
    return Attribute(value, scope.source.text(name), span=scope.span(node))


def _subscript(scope: Scope, node: Node) -> Expr:
    value = node.child_by_field_name("value")
    indices = node.children_by_field_name("subscript")
    if value is None or not indices:
        return UnsupportedSyntax("missing expression", span=scope.span(node))
    if _names_a_type(scope, value, indices):
        return TypeValue(types.type_expression(scope, node), span=scope.span(node))
    index = (
        expression(scope, indices[0])
        if len(indices) == 1
        else ArrayLiteral(tuple(expression(scope, item) for item in indices), is_tuple=True)
    )
    return Index(expression(scope, value), index, span=scope.span(node))


def _names_a_type(scope: Scope, value: Node, indices: list[Node]) -> bool:
    """Whether `value[indices]` is a generic type rather than an item: a known generic, or a class
    by its capital with arguments that read like types. Items are got by strings and numbers."""
    name = dotted_text(scope, value)
    if not name:
        return False
    last = name.rpartition(".")[2]
    if scope.special_form(name) or last in _BUILTIN_GENERICS:
        return indices[0].type not in ("integer", "slice")
    if not _TYPE_LIKE.fullmatch(name):
        return False
    return all(reads_like_type(scope, index) for index in indices)


def reads_like_type(scope: Scope, node: Node) -> bool:
    """Whether an expression, where it stands as an argument of a generic, is a type."""
    match node.type:
        case "identifier" | "attribute":
            return _TYPE_LIKE.fullmatch(dotted_text(scope, node)) is not None
        case "subscript":
            value = node.child_by_field_name("value")
            return value is not None and _names_a_type(
                scope, value, node.children_by_field_name("subscript")
            )
        case "none":
            return True
        case "binary_operator":
            operator = node.child_by_field_name("operator")
            return (
                operator is not None
                and operator.type == "|"
                and all(
                    reads_like_type(scope, operand)
                    for operand in operators.chain(node, "binary_operator", "|")
                )
            )
        case _:
            return False


# --------------------------------------------------------------------------- calls


def _call(scope: Scope, node: Node) -> Expr:
    function = node.child_by_field_name("function")
    given = node.child_by_field_name("arguments")
    if function is None or given is None:
        return UnsupportedSyntax("unparsable call", span=scope.span(node))
    name = dotted_text(scope, function)
    if name == "super":
        return Name("super", span=scope.span(node))
    if scope.receiver_is_class and name == scope.receiver and scope.class_name:
        callee: Expr = Name(scope.class_name, span=scope.span(function))
    else:
        callee = expression(scope, function)
    args = arguments(scope, given)
    if name in ("cast", "typing.cast", "t.cast") and len(args) == 2 and not args[0].name:
        target = named_children(given)[0]
        return Cast(types.type_expression(scope, target), args[1].value, span=scope.span(node))
    return Call(callee, args, span=scope.span(node))


def arguments(scope: Scope, node: Node) -> tuple[Argument, ...]:
    """The arguments of an `argument_list` (or of a lone generator expression)."""
    if node.type == "generator_expression":
        return (Argument(value=expression(scope, node)),)
    result: list[Argument] = []
    for child in named_children(node)[:MOST_ITEMS]:
        match child.type:
            case "keyword_argument":
                name = child.child_by_field_name("name")
                result.append(
                    Argument(
                        value=scope.field(child, "value"),
                        name=scope.source.text(name) if name is not None else "",
                    )
                )
            case "list_splat" | "parenthesized_list_splat":
                result.append(Argument(value=scope.enclosed_expression(child), spread="*"))
            case "dictionary_splat":
                result.append(Argument(value=scope.enclosed_expression(child), spread="**"))
            case "ERROR":
                continue
            case _:
                result.append(Argument(value=expression(scope, child)))
    return tuple(result)


def _lambda(scope: Scope, node: Node) -> Expr:
    params = node.child_by_field_name("parameters")
    span = scope.span(node)
    outer, scope.pending = scope.pending, []
    value = scope.field(node, "body")
    body = (*scope.pending, Return(value, span=value.span))
    scope.pending = outer
    function = Function(
        name="",
        params=parameters.parameters(scope, params) if params is not None else (),
        body=body,
        span=span,
    )
    return Lambda(function, span=span)


def _transparent(scope: Scope, node: Node) -> Expr:
    """Parentheses and `await` say nothing about a value."""
    while node.type in ("parenthesized_expression", "await", "as_pattern", "as_pattern_target"):
        child = first_child(node)
        if child is None:
            return UnsupportedSyntax("missing expression", span=scope.span(node))
        node = child
    return expression(scope, node)


def _splat(scope: Scope, node: Node) -> Expr:
    return Spread(scope.enclosed_expression(node), span=scope.span(node))


def _type_node(scope: Scope, node: Node) -> Expr:
    """A `type` node where a value stands: the grammar wraps metadata of `Annotated` in one."""
    return scope.enclosed_expression(node)


def _ellipsis(scope: Scope, node: Node) -> Expr:
    return UnsupportedSyntax("...", span=scope.span(node))


_Reader: TypeAlias = Callable[[Scope, "Node"], Expr]


def _slice(scope: Scope, node: Node) -> Expr:
    """`begin:end:step` of a subscript."""
    parts = tuple(expression(scope, child) for child in named_children(node))
    return UnsupportedSyntax("slice", parts, span=scope.span(node))


_READERS: dict[str, _Reader] = {
    "slice": _slice,
    "identifier": _identifier,
    "attribute": _attribute,
    "subscript": _subscript,
    "call": _call,
    "lambda": _lambda,
    "string": literals.string,
    "concatenated_string": literals.concatenated_string,
    "integer": literals.integer,
    "float": literals.float_literal,
    "true": literals.constant,
    "false": literals.constant,
    "none": literals.constant,
    "ellipsis": _ellipsis,
    "binary_operator": operators.binary,
    "boolean_operator": operators.boolean,
    "comparison_operator": operators.comparison,
    "unary_operator": operators.unary,
    "not_operator": operators.unary,
    "conditional_expression": operators.conditional_expression,
    "named_expression": operators.named_expression,
    "list": _sequence,
    "tuple": _sequence,
    "set": _sequence,
    "expression_list": _sequence,
    "pattern_list": _sequence,
    "tuple_pattern": _sequence,
    "list_pattern": _sequence,
    "dictionary": _dictionary,
    "list_comprehension": _comprehension,
    "set_comprehension": _comprehension,
    "dictionary_comprehension": _comprehension,
    "generator_expression": _comprehension,
    "parenthesized_expression": _transparent,
    "await": _transparent,
    "as_pattern": _transparent,
    "as_pattern_target": _transparent,
    "list_splat": _splat,
    "list_splat_pattern": _splat,
    "type": _type_node,
}

_DESCRIPTIONS = {"ERROR": "unparsable code", "yield": "value sent to a generator"}
"""Words for a reason text, where the grammar's name of a node says too little."""


def decorator(scope: Scope, node: Node) -> Annotation | None:
    """`@name(arguments)` as an annotation."""
    target = first_child(node)
    if target is None:
        return None
    span = scope.span(node)
    callee = target.child_by_field_name("function") if target.type == "call" else target
    given = target.child_by_field_name("arguments") if target.type == "call" else None
    if callee is None:
        return None
    name = dotted_text(scope, callee) or scope.source.text(callee)[:200]
    return Annotation(
        name=name,
        args=arguments(scope, given) if given is not None else (),
        has_parentheses=target.type == "call",
        callee=expression(scope, callee),
        span=span,
    )


def decorators(scope: Scope, node: Node) -> tuple[Annotation, ...]:
    """The decorators of a `decorated_definition`, from the top."""
    found = (decorator(scope, child) for child in node.named_children if child.type == "decorator")
    return tuple(annotation for annotation in found if annotation is not None)
