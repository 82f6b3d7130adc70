"""Errors that a handler of Nest sends by throwing an exception of the framework."""

from __future__ import annotations

from collections.abc import Iterator

from contract_scan.ir.operation import Response
from contract_scan.parsers.source.analysis.dataflow.object_mutations import without_casts
from contract_scan.parsers.source.analysis.domain.memo import memoised
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    ByType,
    ClassSymbol,
    FunctionValue,
    Instance,
    LibraryResult,
    Value,
)
from contract_scan.parsers.source.analysis.evaluation.base_constructors import base_construction
from contract_scan.parsers.source.analysis.evaluation.raised_errors import (
    sole_errors,
    thrown_errors,
)
from contract_scan.parsers.source.facts.dotted_names import is_name
from contract_scan.parsers.source.facts.nodes import (
    Argument,
    Assign,
    Attribute,
    Call,
    Cast,
    Choice,
    Expr,
    Function,
    LiteralExpr,
    Name,
    OperationExpr,
    Statement,
)
from contract_scan.parsers.source.facts.visitor import nodes_of
from contract_scan.parsers.source.typescript.resolution.decorators import COMMON
from contract_scan.parsers.source.typescript.web.statuses import of_value
from contract_scan.parsers.source.web.status_names import PHRASES

_EXCEPTIONS = {f"{name}Exception": status for name, status in PHRASES.items()} | {
    "MisdirectedException": "421",
}
_FILTER = b"@Catch("
_CATCHING = b"catchError("


def error_responses(program: Program, handler: FunctionValue) -> Iterator[Response]:
    """The error responses for what a handler throws in its own statements; none where a filter
    of the project handles the exception."""
    seen: set[str] = set()
    for expr, scope in thrown_errors(program, handler):
        value = _construction(program, program.evaluate(expr, scope))
        if value is None or not value.name.startswith(COMMON):
            continue
        for status in _statuses(program, value):
            if status not in seen and not _is_filtered(program):
                seen.add(status)
                yield Response(status=status, origin=program.origin(expr, scope))


def always_throws(program: Program, handler: FunctionValue) -> bool:
    """Whether a handler does nothing but throw exceptions of which the statuses are known, and no
    interceptor of the project may catch them."""
    made = [
        _construction(program, program.evaluate(expr, scope))
        for expr, scope in sole_errors(program, handler)
    ]
    if program.any_file_contains(_CATCHING):
        return False
    return bool(made) and all(
        one is not None and one.name.startswith(COMMON) and bool(_statuses(program, one))
        for one in made
    )


def _construction(program: Program, value: Value) -> LibraryResult | None:
    """How an exception is made: one of the framework, or one of the project derived from it."""
    match value:
        case LibraryResult():
            return value
        case Instance(symbol=symbol):
            base = _library_base(program, symbol)
            return base_construction(program, value, base) if base else None
        case _:
            return None


def _library_base(program: Program, symbol: ClassSymbol) -> str:
    """The exception of the framework that a class derives from; empty for other classes."""
    for owner in (symbol, *program.bases(symbol)):
        inside = program.class_scope(owner)
        for type in owner.decl.bases:
            name = program.evaluator.qualified_name(ByType(type, inside.parent or inside))
            if name.startswith(COMMON):
                return name
    return ""


def _statuses(program: Program, made: LibraryResult) -> tuple[str, ...]:
    name = made.name.removeprefix(COMMON)
    if name != "HttpException":
        return (_EXCEPTIONS[name],) if name in _EXCEPTIONS else ()
    args = made.site.args
    given = of_value(program.evaluate(args[1].value, made.scope)) if len(args) > 1 else ()
    return tuple(str(status) for status in given if status >= 400)


@memoised
def _is_filtered(program: Program) -> bool:
    """Whether a filter of the project catches the framework's exceptions, or all there are, and may
    send them with another status than their own."""
    return any(
        not keeps_status(program, method, symbol)
        for path in program.files_containing(_FILTER)
        for symbol, method in _filters(program, path)
    )


def _filters(program: Program, path: str) -> Iterator[tuple[ClassSymbol, Function]]:
    """The methods of filters in a file that catch exceptions of the framework, or all."""
    file = program.facts(path)
    for decl in file.classes:
        for annotation in decl.annotations:
            caught = [getattr(a.value, "id", "HttpException") for a in annotation.args]
            if annotation.name != "Catch" or (caught and not any(map(_is_of_nest, caught))):
                continue
            symbol = ClassSymbol(decl, file)
            yield from ((symbol, method) for method in decl.methods if method.name == "catch")


def _is_of_nest(name: str) -> bool:
    return name in ("HttpException", "Error") or name in _EXCEPTIONS


_SETTERS = frozenset({"status", "code", "sendStatus", "writeHead"})


def keeps_status(program: Program, method: Function, symbol: ClassSymbol) -> bool:
    """Whether a filter sends each exception of the framework with the status that it has: every
    status that it sets is `exception.getStatus()`, or that where it is such an exception."""
    exception = method.params[0].name if method.params else ""
    body = program.body(method, symbol.file)
    arguments: list[Expr] = []
    hands_up = False
    for node in nodes_of(body):
        match node:
            case Call(callee=Attribute(value=Name(id="super"), name="catch")):
                hands_up = True
            case Call(callee=Attribute(name="reply"), args=(_, _, Argument(value=value), *_)):
                arguments.append(value)
            case Call(callee=Attribute(name=name), args=(Argument(value=value), *_)):
                if name in _SETTERS:
                    arguments.append(value)
            case _:
                pass
    if not arguments:
        return hands_up
    return bool(exception) and all(_is_own_status(body, value, exception) for value in arguments)


def _is_own_status(body: tuple[Statement, ...], expr: Expr, exception: str, depth: int = 0) -> bool:
    match expr:
        case Call(callee=Attribute(value=value, name="getStatus")):
            return is_name(without_casts(value), exception)
        case Cast(value=value):
            return _is_own_status(body, value, exception, depth)
        case Choice(options=(first, *_), given=(test, *_)):
            return _asks_kind(test, exception) and _is_own_status(body, first, exception, depth)
        case Name(id=id) if depth < 2:
            values = [
                node.value
                for node in nodes_of(body)
                if isinstance(node, Assign) and node.value is not None
                if isinstance(node.target, Name) and node.target.id == id
            ]
            own = [value for value in values if _is_own_status(body, value, exception, depth + 1)]
            # `let status = 500; if (exception instanceof HttpException) status = …`
            others = [value for value in values if value not in own]
            return len(own) == 1 and all(isinstance(one, LiteralExpr | Attribute) for one in others)
        case _:
            return False


def _asks_kind(test: Expr, exception: str) -> bool:
    """`exception instanceof HttpException`."""
    match test:
        case OperationExpr(operator="instanceof", operands=(Name(id=id), kind)):
            return id == exception and getattr(kind, "id", "HttpException") == "HttpException"
        case _:
            return False
