"""Headers without which middleware, or a filter, refuses a request before it comes to its handler.

`var key = http.Request.Headers["Idempotency-Key"]; if (string.IsNullOrEmpty(key)) { …; return; }`.
Which requests come there is not followed, so that such a header may be needed.
"""

from __future__ import annotations

import re

from contract_scan.ir.operation import Parameter
from contract_scan.ir.schema import Scalar
from contract_scan.parsers.source.analysis.dataflow.reaching_definitions import nested_statements
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import FunctionValue
from contract_scan.parsers.source.facts.nodes import (
    Assign,
    Attribute,
    Branch,
    Call,
    Choice,
    Expr,
    Index,
    LiteralExpr,
    Name,
    OperationExpr,
    Return,
    Throw,
)
from contract_scan.parsers.source.facts.visitor import nodes_of

_OF_SECURITY = re.compile(
    r"(?i)authorization|cookie|session|token|secret|signature|c[sx]rf|(?:api|access|function\w{0,20})-?key"
)
"""Contracts tell these by security schemes."""
_OF_HTTP = re.compile(r"(?i)accept.*|content-.*|host|origin|range|user-agent|if-.*|x-forwarded.*")
"""Headers that clients send by themselves."""


def demanded_headers(program: Program, function: FunctionValue) -> list[Parameter]:
    """The headers that a function reads and then ends without where they are not there."""
    scope = program.function_scope(function.function, function.scope)
    statements = scope.statements or ()
    read: dict[str, Expr] = {}
    for node in nodes_of(statements):
        if isinstance(node, Assign) and isinstance(node.target, Name) and node.value is not None:
            key = _header(node.value)
            if key is not None:
                read[node.target.id] = key
    found: dict[str, Parameter] = {}
    for branch in nested_statements(statements):
        if not isinstance(branch, Branch) or branch.condition is None or not _ends(branch):
            continue
        for key in _absent(branch.condition, read):
            name = program.text(key, scope)
            if name and not _OF_SECURITY.search(name) and not _OF_HTTP.fullmatch(name):
                found[name] = Parameter(
                    name=name,
                    location="header",
                    schema=Scalar(type="string"),
                    required=None,
                    origin=program.origin(key, scope),
                )
    return list(found.values())


def _header(value: Expr) -> Expr | None:
    """The name of the header that an expression reads; None where something else may stand in."""
    choices = (node for node in nodes_of(value) if isinstance(node, Choice))
    if any(not isinstance(o, LiteralExpr | Attribute) for c in choices for o in c.options[1:]):
        return None
    for node in nodes_of(value):
        match node:
            case Index(value=Attribute(name="Headers"), index=key):
                return key
            case Call(callee=Attribute(name="TryGetValue", value=Attribute(name="Headers"))):
                return node.args[0].value if node.args else None
            case _:
                pass
    return None


def _ends(branch: Branch) -> bool:
    """Whether the block of a test ends the function and hands the request on to nobody; not where
    it asks who sends the request."""
    block = branch.blocks[0] if branch.kind == "if" and branch.blocks else ()
    if not block or not isinstance(block[-1], Return | Throw):
        return False
    words = {getattr(n, "name", getattr(n, "id", "")) for n in nodes_of(block)}
    numbers = {n.value for n in nodes_of(block) if isinstance(n, LiteralExpr)}
    asks = any("Unauthorized" in str(word) for word in words) or 401 in numbers
    return not asks and not words & {"next", "_next"}


def _absent(test: Expr, read: dict[str, Expr]) -> list[Expr]:
    """The headers for which a test holds where they are not there."""
    match test:
        case OperationExpr(operator="||", operands=operands):
            return [key for operand in operands for key in _absent(operand, read)]
        case OperationExpr(operator="!", operands=(asked,)):
            pass
        case OperationExpr(operator="==" | "is", operands=(asked, LiteralExpr(value=None))):
            pass
        case Call(callee=Attribute(name="IsNullOrEmpty" | "IsNullOrWhiteSpace"), args=(given,)):
            asked = given.value
        case _:
            return []
    key = _header(asked) or next(
        (read[each.id] for each in nodes_of(asked) if isinstance(each, Name) and each.id in read),
        None,
    )
    return [] if key is None else [key]
