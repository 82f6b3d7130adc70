"""What the route of a request tells handlers that ask: its method, and which parameters of an
optional part of the path are there."""

from __future__ import annotations

import re

from contract_scan.parsers.source.analysis.domain.path_facts import (
    Fact,
    Facts,
    Kind,
    Path,
    RequestMethod,
    path_of,
    test_path,
)
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import FunctionValue
from contract_scan.parsers.source.csharp.resolution.source_text import function_text
from contract_scan.parsers.source.facts.nodes import (
    Assign,
    Attribute,
    Call,
    Expr,
    LiteralExpr,
    Name,
    NamedType,
    NullableType,
    Param,
    TypeExpr,
)
from contract_scan.parsers.source.facts.visitor import nodes_of

_METHOD = b".Method"
_REQUESTS = ("HttpRequest", "HttpRequestData", "HttpRequestMessage")
_TESTS = "HttpMethods.Is"
"""`HttpMethods.IsGet(request.Method)`, of Microsoft.AspNetCore.Http."""


def handler_for(
    program: Program, handler: FunctionValue, method: str, facts: Facts
) -> FunctionValue:
    """A handler without what does not run for a method of HTTP, and under facts of its
    parameters."""
    known, variables = _method_facts(program, handler, method)
    facts = {**known, **facts}
    return program.evaluator.specialisations.with_facts(handler, facts, variables)


def _method_facts(
    program: Program, handler: FunctionValue, method: str
) -> tuple[Facts, frozenset[str]]:
    """Where a handler reads the method of its request, `Request.Method`, and what it asks of it;
    with the variables that it puts it into."""
    path = handler.scope.file.path
    if method in ("", "*") or _METHOD not in function_text(program, path, handler.function):
        return {}, frozenset()
    requests = {p.name for p in handler.function.params if _is_named(p.type, *_REQUESTS)}
    body = program.body(handler.function, handler.scope.file)
    variables = frozenset(
        node.target.id
        for node in nodes_of(body)
        if isinstance(node, Assign)
        and isinstance(node.target, Name)
        and node.value is not None
        and _is_method(node.value, requests)
    )
    facts: dict[Path, Fact] = {name: RequestMethod(method) for name in variables}
    for node in nodes_of(body):
        match node:
            case Call(callee=Attribute() as callee) if path_of(callee).startswith(_TESTS):
                facts[test_path(node)] = path_of(callee).removeprefix(_TESTS).upper() == method
            case Attribute() if _is_method(node, requests):
                facts[path_of(node)] = RequestMethod(method)
            case _:
                pass
    return {path: fact for path, fact in facts.items() if path}, variables


def _is_method(expr: Expr, requests: set[str]) -> bool:
    """Whether an expression is the method of the request."""
    if not isinstance(expr, Attribute) or expr.name != "Method":
        return False
    owner = path_of(expr.value)
    return owner.rpartition(".")[2] == "Request" or owner in requests


def presence_facts(routed: tuple[Param, ...], path: str, bodies: tuple[str, ...] = ()) -> Facts:
    """What a path tells of the parameters of a handler that routes give: which are present. So are
    `bodies`, without which the handler does not run."""
    facts: dict[Path, Fact] = dict.fromkeys(bodies, Kind.PRESENT)
    names = {name.lower() for name in re.findall(r"{(\w+)", path)}
    for parameter in routed:
        optional = isinstance(parameter.type, NullableType) or parameter.default is not None
        is_text = _is_named(parameter.type, "string", "String")
        if parameter.name.lower() in names:
            facts[parameter.name] = Kind.NONEMPTY_TEXT if is_text and optional else Kind.PRESENT
        elif isinstance(parameter.default, LiteralExpr):
            facts[parameter.name] = parameter.default.value
        elif parameter.default is None and (optional or is_text):
            facts[parameter.name] = None
    return facts


def _is_named(type: TypeExpr | None, *names: str) -> bool:
    inner = type.item if isinstance(type, NullableType) else type
    return isinstance(inner, NamedType) and inner.name in names
