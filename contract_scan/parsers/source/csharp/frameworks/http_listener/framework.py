"""HttpListener: functions that compare the method and the path of a request, and answer it."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from contract_scan.ir.operation import Body, Operation, Parameter
from contract_scan.ir.origin import NO_SPAN, Span
from contract_scan.ir.schema import Scalar
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import Scope, origin_at
from contract_scan.parsers.source.csharp.frameworks.http_listener.responses import answers
from contract_scan.parsers.source.csharp.frameworks.http_listener.roles import TYPES, Roles
from contract_scan.parsers.source.csharp.frameworks.http_listener.routes import (
    HandlerBranch,
    RequestHelper,
    routes,
)
from contract_scan.parsers.source.csharp.resolution.source_text import function_text
from contract_scan.parsers.source.csharp.serialization.json_texts import read_in
from contract_scan.parsers.source.csharp.serialization.settings.options import unqualified_name
from contract_scan.parsers.source.csharp.web.responses import merge_responses
from contract_scan.parsers.source.csharp.web.templates import parse
from contract_scan.parsers.source.csharp.web.traits import DOTNET
from contract_scan.parsers.source.facts.nodes import (
    Attribute,
    Call,
    FileFacts,
    Function,
    Index,
    NamedType,
    NullableType,
)
from contract_scan.parsers.source.facts.visitor import nodes_of
from contract_scan.parsers.source.language import Framework

_NAME = "HttpListener"
_CALLS = (b".GetContext(", b".GetContextAsync(", b".EndGetContext(")
MAX_BESIDE = 2
"""Servers with no more paths are not expected in a contract."""


def operations(program: Program, framework: Framework) -> Iterator[Operation]:
    """The routes that the code around a listener tells apart."""
    found: list[HandlerBranch] = []
    followed: set[tuple[str, Span]] = set()
    for is_start in (True, False):
        for file in program.seeds(framework):
            for function, within in _functions(program, file):
                key = (file.path, function.span)
                if key in followed or is_start is not _starts(program, file, function):
                    continue
                if not is_start and not _takes_request(function):
                    continue
                followed.add(key)
                scope = program.function_scope(function, within)
                found += routes(program, scope.statements or (), RequestHelper(scope, {}), followed)
            if is_start and file.statements:
                module = program.module_scope(file)
                found += routes(program, file.statements, RequestHelper(module, {}), followed)
    # What answers a path or two stands beside the real server: metrics, health, the end of a login.
    beside = len({each.conditions.path for each in found}) <= MAX_BESIDE
    known: set[tuple[str, str]] = set()
    for each in found:
        route = (each.conditions.method, each.conditions.path)
        if route not in known:
            known.add(route)
            operation = _operation(program, each, hidden=beside)
            if not _refuses_methods(each, operation):
                yield operation


def _refuses_methods(found: HandlerBranch, operation: Operation) -> bool:
    """Whether all that is done is to refuse the methods that other parts do not answer."""
    others = any(not condition.startswith("/") for condition in found.conditions.without)
    statuses = [response.status for response in operation.responses]
    refuses = bool(statuses) and all(status >= "400" for status in statuses)
    return others and operation.statuses_complete and refuses


def _functions(program: Program, file: FileFacts) -> Iterator[tuple[Function, Scope]]:
    module = program.module_scope(file)
    for function in file.functions:
        yield function, module
    for symbol in program.classes(file):
        within = program.class_scope(symbol)
        for method in symbol.decl.methods:
            yield method, within


def _starts(program: Program, file: FileFacts, function: Function) -> bool:
    """Whether a function gets requests from a listener."""
    text = function_text(program, file.path, function)
    return any(literal in text for literal in _CALLS)


def _takes_request(function: Function) -> bool:
    types = (p.type.item if isinstance(p.type, NullableType) else p.type for p in function.params)
    return any(
        isinstance(type, NamedType) and unqualified_name(type.name) in TYPES for type in types
    )


def _operation(program: Program, found: HandlerBranch, *, hidden: bool) -> Operation:
    inside = RequestHelper(found.scope, found.parameter_roles)
    function = found.scope.function
    span = found.span
    if span == NO_SPAN and function is not None:
        span = function.span
    origin = origin_at(found.scope, span)
    method = found.conditions.method or "*"
    template = parse(found.conditions.path)
    results = None
    request: tuple[Body, ...] = ()
    if not found.unresolved:
        results = answers(program, found.statements, inside, origin)
        request = () if method in ("GET", "HEAD") else _request(program, found)
    return Operation(
        method=method,
        path=template.path,
        parameters=tuple(_parameters(program, found)),
        parameters_complete=False,
        request=request,
        responses=merge_responses(results, [], ()),
        statuses_complete=results is not None,
        origin=origin,
        handler=function.name if function is not None else "",
        framework=_NAME,
        excluded_from_docs=hidden,
        unresolved=found.unresolved,
    )


def _request(program: Program, found: HandlerBranch) -> tuple[Body, ...]:
    """What the statements for a request make of a text: its body, as a rule."""
    inside = replace(found.scope, statements=found.statements)
    payload = read_in(program, inside)
    return () if payload is None else (Body(schema=payload.schema),)


def _parameters(program: Program, found: HandlerBranch) -> Iterator[Parameter]:
    """`request.QueryString["page"]`, `request.QueryString.Get("page")`."""
    roles = Roles(program, found.scope, found.parameter_roles)
    seen: set[str] = set()
    for node in nodes_of(found.statements):
        match node:
            case Index(value=value, index=index):
                pass
            case Call(callee=Attribute(value=value, name="Get"), args=(first,)):
                index = first.value
            case _:
                continue
        name = program.text(index, found.scope) if roles.role_of(value) == "query" else None
        if name and name not in seen:
            seen.add(name)
            origin = program.origin(node, found.scope)
            text = Scalar(type="string")
            yield Parameter(name=name, location="query", schema=text, required=False, origin=origin)


FRAMEWORK = Framework(
    name=_NAME,
    markers=(b"HttpListener",),
    calls=(*_CALLS, b"HttpListenerContext", b"HttpListenerRequest", b"HttpListenerResponse"),
    operations=operations,
    traits=DOTNET,
)
