"""Whether something came with a message: what a handler is given, or polls for."""

from __future__ import annotations

from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import Scope
from contract_scan.parsers.source.facts.nodes import (
    Assign,
    Attribute,
    Call,
    Cast,
    Expr,
    Index,
    Loop,
    Name,
)

_TEXTS = frozenset({"str", "bytes", "bytearray", "memoryview", "base64.b64decode"})
_POLLS = frozenset(
    {"poll", "get_message", "getone", "next_msg", "receive", "receive_message", "get", "next"}
    | {"receive_messages", "receive_batch", "getmany", "consume", "fetch", "pull", "request"}
    | {"xread", "xreadgroup", "basic_get"}
)
_DEEPEST_GIVEN = 40
"""How deep expressions are looked into."""

_BESIDE_BODY = frozenset(
    {"headers", "cookies", "args", "query_params", "query_string", "META", "COOKIES", "GET"}
)
"""Members of requests and messages that hold something else than the body."""


def is_given(program: Program, expr: Expr, scope: Scope, levels: int) -> bool:
    """Whether an expression is (a part of) what the function around it is given or polls for."""
    for _ in range(_DEEPEST_GIVEN):
        match expr:
            case Attribute(name=name) if name in _BESIDE_BODY:
                return False
            case Attribute(value=inner) | Index(value=inner) | Cast(value=inner):
                expr = inner
            case Call(callee=Attribute(value=inner, name=name), args=args) if (
                not args or name in ("decode", "get") or name in _POLLS
            ):
                if name in _POLLS and (not args or name not in ("get", "request")):
                    return True
                expr = inner
            case Call(callee=callee, args=[first, *_]) if (
                program.qualified_name(callee, scope) in _TEXTS
                or getattr(callee, "id", "") in _TEXTS
            ):
                expr = first.value
            case _:
                break
    if not isinstance(expr, Name) or not levels:
        return False
    function = scope.function
    for definition in program.names.locals.reaching(scope.statements or (), expr.id, expr.span):
        match definition.statement:
            case Loop():
                return True
            case Assign(value=value) if value is not None:
                return is_given(program, value, scope, levels - 1)
            case _:
                return False
    return function is not None and any(p.name == expr.id for p in function.params)
