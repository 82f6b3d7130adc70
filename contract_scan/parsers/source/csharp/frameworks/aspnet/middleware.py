"""Middleware of ASP.NET Core: what runs before the handlers of routes, and may answer itself."""

from __future__ import annotations

from collections.abc import Iterator

from contract_scan.ir.operation import Operation
from contract_scan.parsers.source.analysis.domain.memo import memoised
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import Scope
from contract_scan.parsers.source.csharp.resolution.callers import calls_of
from contract_scan.parsers.source.csharp.resolution.source_text import function_text
from contract_scan.parsers.source.csharp.serialization.settings.options import unqualified_name
from contract_scan.parsers.source.facts.nodes import (
    Attribute,
    Branch,
    Call,
    Expr,
    FileFacts,
    Function,
    Lambda,
    LiteralExpr,
    Name,
    NamedType,
    OperationExpr,
    Statement,
)
from contract_scan.parsers.source.facts.visitor import nodes_of
from contract_scan.parsers.source.language import Framework

MARKERS = (b".Use(async", b".Use((", b"RequestDelegate", b"IMiddleware")
_QUERIES = (b"Request.Query",)
_OF_REQUESTS = frozenset({"HttpContext", "HttpRequest"})
_INVOKED = frozenset({"Invoke", "InvokeAsync"})
_NEXT = frozenset({"next", "_next"})
_SENDS = frozenset({"SendFileAsync", "WriteAsJsonAsync", "WriteAsync", "Redirect"})


@memoised
def reads_queries(program: Program) -> bool:
    """Whether code that is no controller reads the query of a request while there is middleware:
    which parameters a request may have is then not told by its handler."""
    if not program.files_containing(*MARKERS):
        return False
    for path in program.files_containing(*_QUERIES):
        file = program.facts(path)
        for symbol in program.classes(file):
            if symbol.decl.name.endswith("Controller"):
                continue
            for method in symbol.decl.methods:
                if _takes_request(method) and any(
                    literal in function_text(program, path, method) for literal in _QUERIES
                ):
                    return True
        if any(_QUERIES[0] in function_text(program, path, f) for f, _ in _inline(program, file)):
            return True
    return False


def answered_paths(program: Program, framework: Framework) -> Iterator[Operation]:
    """The paths that middleware answers itself: `if (path == "/openapi.yaml") { …; return; }`."""
    for file in program.seeds(framework):
        for function, scope in (*_inline(program, file), *_classes(program, file)):
            inside = program.function_scope(function, scope)
            for path, statement in _answers(inside.statements or ()):
                yield Operation(
                    method="*",
                    path=path,
                    parameters_complete=False,
                    origin=program.origin(statement, inside),
                    framework=framework.name,
                    excluded_from_docs=True,
                )


def _inline(program: Program, file: FileFacts) -> Iterator[tuple[Function, Scope]]:
    """`app.Use(async (context, next) => …)`."""
    for call, scope in calls_of(program, file, b".Use("):
        match call:
            case Call(callee=Attribute(name="Use"), args=(given,)) if isinstance(
                given.value, Lambda
            ):
                if len(given.value.function.params) == 2:
                    yield given.value.function, scope
            case _:
                pass


def _classes(program: Program, file: FileFacts) -> Iterator[tuple[Function, Scope]]:
    """Classes with `InvokeAsync(HttpContext context)`."""
    for symbol in program.classes(file):
        for method in symbol.decl.methods:
            if method.name in _INVOKED and _takes_request(method):
                yield method, program.class_scope(symbol)


def _takes_request(function: Function) -> bool:
    return any(
        isinstance(param.type, NamedType) and unqualified_name(param.type.name) in _OF_REQUESTS
        for param in function.params
    )


def _answers(statements: tuple[Statement, ...]) -> Iterator[tuple[str, Branch]]:
    """The paths for which a block sends something and hands the request on to nobody."""
    for node in nodes_of(statements):
        if isinstance(node, Branch) and node.condition is not None and node.blocks:
            names = set(_called_names(node.blocks[0]))
            if names & _SENDS and not names & _NEXT:
                yield from ((path, node) for path in _paths(node.condition))


def _called_names(nodes: object) -> Iterator[str]:
    for node in nodes_of(nodes):
        match node:
            case Call(callee=Attribute(name=name) | Name(id=name)):
                yield name
            case _:
                pass


def _paths(condition: Expr) -> Iterator[str]:
    """The constant paths that a test holds the path of the request against."""
    match condition:
        case OperationExpr(operator="==", operands=(one, other)):
            for asked, text in ((one, other), (other, one)):
                yield from _path(asked, text)
        case Call(callee=Attribute(name="Equals", value=asked), args=(given, *_)):
            yield from _path(asked, given.value)
        case OperationExpr(operator="||" | "&&", operands=operands):
            for operand in operands:
                yield from _paths(operand)
        case _:
            pass


def _path(asked: Expr, text: Expr) -> Iterator[str]:
    """A constant path that is compared with something called a path."""
    name = ""
    while isinstance(asked, Attribute) and asked.name == "Value":
        asked = asked.value
    match asked:
        case Attribute(name=name) | Name(id=name):
            pass
        case _:
            return
    text_of_path = text.value if isinstance(text, LiteralExpr) else None
    is_path = isinstance(text_of_path, str) and text_of_path.startswith("/")
    if is_path and name.lower().endswith("path"):
        yield str(text_of_path)
