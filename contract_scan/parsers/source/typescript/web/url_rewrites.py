"""Middleware that takes the beginning off the URL before routes are looked for.

`const [, version, rest] = /^\\/v(\\d+)(\\/.*)$/.exec(request.url); request.url = rest`
"""

from __future__ import annotations

import re

from msgspec import Struct

from contract_scan.ir.reasons import NO_REASON, Reason
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

_REST = re.compile(r"(?:\(/\.[*+]\)|/\.[*+]|/)?\$?$")
"""What a pattern has behind the beginning that it takes off."""
_MATCHES = frozenset({"exec", "match"})


class UrlRewrite(Struct, frozen=True):
    """What stands in the URL before the path of a route."""

    prefix: str
    unresolved: Reason = NO_REASON
    optional: bool = False
    """Whether the URL may also be left as it is."""


def url_rewrite(program: Program, function: FunctionValue) -> UrlRewrite | None:
    """What a middleware takes off the URL; None where it leaves the URL as it is."""
    params = function.function.params
    request = params[0].name if params else ""
    if not request or not program.any_file_contains(b".url ="):
        return None
    statements = program.function_scope(function.function, function.scope).statements or ()
    nodes = list(nodes_of(statements))
    writes = [
        node
        for node in nodes
        if isinstance(node, Assign) and node.target is not None and _is_url(node.target, request)
    ]
    if not writes:
        return None
    optional = not any(each is write for write in writes for each in statements)
    found = {
        prefix for node in nodes if isinstance(node, Call) and (prefix := _prefix(node, request))
    }
    if len(found) == 1:
        return UrlRewrite(found.pop(), optional=optional)
    if optional:
        return None  # what is asked for as it is registered is answered
    return UrlRewrite(DYNAMIC_PREFIX, Reason("prefix-not-constant"), optional)


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
