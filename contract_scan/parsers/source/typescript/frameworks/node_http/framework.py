"""Node's own `http`: servers whose handler compares the method and the path of a request."""

from __future__ import annotations

from collections.abc import Iterator

from contract_scan.ir.operation import Operation
from contract_scan.ir.origin import Origin, Span
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import FunctionValue, LibraryResult, Scope
from contract_scan.parsers.source.facts.nodes import Attribute, Call
from contract_scan.parsers.source.language import Framework
from contract_scan.parsers.source.typescript.frameworks.node_http import dispatch_by_path as by_path
from contract_scan.parsers.source.typescript.resolution import walker
from contract_scan.parsers.source.typescript.web.endpoints import handler_name, operation
from contract_scan.parsers.source.typescript.web.handlers import (
    NO_ANSWERS,
    HandlerSummary,
    read_handler,
)
from contract_scan.parsers.source.typescript.web.paths import templates

NAME = "Node.js http"
_MAKERS = frozenset(
    f"{prefix}{module}{part}.{name}"
    for prefix in ("", "node:")
    for module in ("http", "https", "http2")
    for part in ("", ".default")
    for name in ("createServer", "createSecureServer", "Server")
)
MAX_BESIDE = 2
"""Servers with no more paths are not expected in a contract."""


def operations(program: Program, framework: Framework) -> Iterator[Operation]:
    """The routes that the handlers of servers tell apart."""
    seen: set[tuple[str, Span]] = set()
    for file in program.seeds(framework):
        for call, scope in walker.calls(program, file):
            for function in _handlers(program, call, scope):
                key = (function.scope.file.path, function.function.span)
                if key not in seen and len(function.function.params) == 2:
                    seen.add(key)
                    yield from _operations(program, function)


def _handlers(program: Program, call: Call, scope: Scope) -> Iterator[FunctionValue]:
    """What `http.createServer(handler)` and `server.on("request", handler)` are given."""
    callee = call.callee
    name = callee.name if isinstance(callee, Attribute) else ""
    if name in ("on", "addListener") and isinstance(callee, Attribute):
        if len(call.args) < 2 or program.text(call.args[0].value, scope) != "request":
            return
        server = program.evaluate(callee.value, scope)
        if not isinstance(server, LibraryResult) or server.name not in _MAKERS:
            return
    elif program.qualified_name(callee, scope) not in _MAKERS:
        return
    for argument in call.args:
        value = program.evaluate(argument.value, scope)
        if isinstance(value, FunctionValue):
            yield value


def _operations(program: Program, handler: FunctionValue) -> Iterator[Operation]:
    known: set[tuple[str, str]] = set()
    routes = list(by_path.routes(program, handler))
    # What answers a path or two stands beside the real server: metrics, health, the end of a login.
    beside = len({route.path for route in routes}) <= MAX_BESIDE
    for found in routes:
        handled = HandlerSummary(NO_ANSWERS)
        if not found.unresolved:
            handled = read_handler(
                program, found.handler, request=found.request, response=found.response
            )
        origin = Origin(found.handler.scope.file.path, found.span)
        for template in templates(found.path):
            if (found.method, template.path) in known:
                continue
            known.add((found.method, template.path))
            yield operation(
                found.method,
                template,
                handled,
                origin,
                framework=NAME,
                handler=handler_name(found.handler),
                unresolved=found.unresolved,
                hidden=beside,
            )


FRAMEWORK = Framework(
    name=NAME,
    markers=(b"createServer(", b"createSecureServer(", b"http.Server("),
    calls=(b"createServer(", b"createSecureServer("),
    operations=operations,
)
