"""What statements do to objects, as far as their syntax says: JavaScript's assignments to
properties, and `delete`."""

from __future__ import annotations

from contract_scan.parsers.source.analysis.dataflow import reaching_definitions
from contract_scan.parsers.source.facts.nodes import (
    Argument,
    Assign,
    Attribute,
    Call,
    Cast,
    Evaluate,
    Expr,
    Function,
    Index,
    Lambda,
    LiteralExpr,
    Name,
    OperationExpr,
    Return,
    Statement,
)
from contract_scan.parsers.source.facts.visitor import nodes_of


def changed_names(statements: tuple[Statement, ...]) -> frozenset[str]:
    """Names of the objects that statements set or take away something of."""
    found: set[str] = set()
    same: dict[str, str] = {}
    for statement in reaching_definitions.nested_statements(statements):
        match statement:
            case Assign(target=Name(id=name), value=Name(id=other)):
                same[name] = other
            case Assign(target=Attribute() | Index() as target):
                found.add(root_name(target))
            case Evaluate(value=value) if is_removal(value):
                found.add(root_name(removal_target(value)))
            case Evaluate(value=Call(callee=Attribute(value=receiver), args=args)):
                for argument in args:
                    if isinstance(argument.value, Lambda):
                        found |= _changed_inside(argument.value.function, root_name(receiver))
            case _:
                pass
    return frozenset(found | {same[name] for name in found if name in same}) - {""}


def _changed_inside(function: Function, receiver: str) -> frozenset[str]:
    """Names that a function changes the objects of which a method is given for each item; what it
    changes of an item, it changes of the object that has the list."""
    params = frozenset(parameter.name for parameter in function.params)
    inside = changed_names(function.body or ())
    return (inside - params) | ({receiver} if inside & params else set())


def removes_by_key(statements: tuple[Statement, ...]) -> bool:
    """Whether something is taken away under a key that is no literal."""
    for statement in reaching_definitions.nested_statements(statements):
        if not isinstance(statement, Evaluate):
            continue
        for node in nodes_of(statement.value):
            if isinstance(node, OperationExpr) and is_removal(node):
                return True
    return False


def without_casts(expr: Expr) -> Expr:
    """An expression without casts and `!`."""
    while isinstance(expr, Cast) or (
        isinstance(expr, OperationExpr) and expr.operator == "present" and expr.operands
    ):
        expr = expr.value if isinstance(expr, Cast) else expr.operands[0]
    return expr


def root_name(expr: Expr) -> str:
    """The name that a chain of keys begins with; empty for none."""
    while True:
        expr = without_casts(expr)
        match expr:
            case Name(id=id):
                return id
            case Attribute(value=inner) | Index(value=inner):
                expr = inner
            case _:
                return ""


def is_removal(expr: object) -> bool:
    """`delete row.key` (written as a call that maps have), `delete row[key]`."""
    match expr:
        case Call(callee=Attribute(name="delete", span=span), args=(Argument(value=key),)):
            return isinstance(key, LiteralExpr) and key.span == span == expr.span
        case OperationExpr(operator="delete", operands=(Attribute() | Index(),)):
            return True
        case _:
            return False


def removal_target(expr: Expr) -> Expr:
    """The expression that a removal takes away from its object."""
    match expr:
        case Call(callee=Attribute(value=inner), args=(Argument(value=LiteralExpr() as key),)):
            return Index(value=inner, index=key, span=expr.span)
        case OperationExpr(operands=(target,)):
            return target
        case _:
            return expr


def hands_on(statements: tuple[Statement, ...], names: frozenset[str]) -> bool:
    """Whether something in statements is handed one of the names."""
    for statement in reaching_definitions.nested_statements(statements):
        value = statement.value if isinstance(statement, Evaluate | Assign | Return) else None
        for node in nodes_of(value):
            if isinstance(node, Call) and any(root_name(a.value) in names for a in node.args):
                return True
    return False
