"""Middleware that takes the beginning off the URL before routes are looked for.

`const [, version, rest] = /^\\/v(\\d+)(\\/.*)$/.exec(request.url); request.url = rest`
"""

from __future__ import annotations

import re

from contract_scan.ir.reasons import Reason
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import FunctionValue
from contract_scan.parsers.source.facts.nodes import (
    Assign,
    Attribute,
    Call,
    Expr,
    Name,
    UnsupportedSyntax,
)
from contract_scan.parsers.source.facts.visitor import nodes_of
from contract_scan.parsers.source.typescript.web.path_tests import REGULAR_EXPRESSION, path_of
from contract_scan.parsers.source.typescript.web.paths import DYNAMIC_PREFIX
from contract_scan.parsers.source.web.route_graph import NO_PREFIX, Prefix

_REST = re.compile(r"(?:\(/\.[*+]\)|/\.[*+]|/)?\$?$")
"""What a pattern has behind the beginning that it takes off."""
_MATCHES = frozenset({"exec", "match"})


def url_prefixes(program: Program, function: FunctionValue) -> tuple[Prefix, ...]:
    """What a middleware takes off the URL, and nothing where it may also leave the URL as it is;
    empty where it always does."""
    params = function.function.params
    request = params[0].name if params else ""
    if not request or not program.any_file_contains(b".url ="):
        return ()
    statements = program.function_scope(function.function, function.scope).statements or ()
    nodes = list(nodes_of(statements))
    writes = [
        node
        for node in nodes
        if isinstance(node, Assign) and node.target is not None and _is_url(node.target, request)
    ]
    if not writes:
        return ()
    optional = not any(each is write for write in writes for each in statements)
    found = {
        prefix for node in nodes if isinstance(node, Call) and (prefix := _prefix(node, request))
    }
    if len(found) == 1:
        taken = Prefix(found.pop())
        return (NO_PREFIX, taken) if optional else (taken,)
    if optional:
        return ()  # what is asked for as it is registered is answered
    return (Prefix(DYNAMIC_PREFIX, Reason("prefix-not-constant")),)


def _is_url(expr: Expr, request: str) -> bool:
    match expr:
        case Attribute(value=Name(id=id), name="url"):
            return id == request
        case _:
            return False


def _prefix(call: Call, request: str) -> str:
    """The path that the pattern stands for by which the URL is taken apart; empty for none."""
    match call:
        case Call(callee=Attribute(value=one, name=name), args=(other,)) if name in _MATCHES:
            pattern, text = (one, other.value) if name == "exec" else (other.value, one)
        case _:
            return ""
    if not isinstance(pattern, UnsupportedSyntax) or not _is_url(text, request):
        return ""
    written = REGULAR_EXPRESSION.fullmatch(pattern.description)
    if written is None:
        return ""
    return path_of(_REST.sub("", written[1].replace("\\/", "/")) + "$")
