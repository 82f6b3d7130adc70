"""Loops over the routes of an application that register them again, under paths of their own.

    for route in list(app.router.routes):
        app.router.add_api_route(renamed(route.path), route.endpoint)

What is registered so has no constant path. It says more than that some route is undetermined: which
of the paths of the other routes clients are meant to use is, too.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from msgspec import Struct

from contract_scan.ir.operation import Operation
from contract_scan.ir.origin import Span
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.span_order import encloses
from contract_scan.parsers.source.facts.dotted_names import first_name
from contract_scan.parsers.source.facts.nodes import (
    Attribute,
    Call,
    Expr,
    FileFacts,
    Function,
    Lambda,
    Loop,
)
from contract_scan.parsers.source.facts.visitor import children

_LISTS: Final = frozenset(
    {"routes", "iter_rules", "url_map", "stack", "getRoutes", "GetRoutes", "Endpoints"}
)
"""What libraries call the routes of an application, or what gives them."""
_EACH: Final = frozenset({"forEach", "map", "ForEach"})
_MARKERS: Final = tuple(sorted(name.encode() for name in _LISTS))


def registers_copies(program: Program, operation: Operation) -> bool:
    """Whether a route whose path is not constant is registered by such a loop."""
    path = operation.origin.path
    if not operation.unresolved or path not in program.files_containing(*_MARKERS):
        return False
    use = operation.origin.span
    for root in _bodies(program, program.facts(path), use):
        for node in _nodes_around(root, use):
            source = _looped_over(node)
            if source is None:
                continue
            owner = first_name(source)
            calls = (inner for inner in _nodes_around(node, use) if isinstance(inner, Call))
            if owner and any(
                first_name(call.callee) == owner for call in calls if call is not node
            ):
                return True
    return False


def _bodies(program: Program, file: FileFacts, use: Span) -> Iterator[object]:
    """The statements of the file and of the functions around a place."""
    yield from file.statements
    functions = [*file.functions, *(m for c in program.classes(file) for m in c.decl.methods)]
    for function in functions:
        if encloses(function.span, use):
            yield from program.body(function, file)


def _nodes_around(root: object, use: Span) -> Iterator[object]:
    """The nodes of a tree that hold a place, in no order."""
    pending = [root]
    while pending:
        node = pending.pop()
        span = getattr(node, "span", None)
        if isinstance(span, Span) and span.line and not encloses(span, use):
            continue
        yield node
        if isinstance(node, Struct):
            pending.extend(children(node))
        elif isinstance(node, tuple):
            pending.extend(node)


def _looped_over(node: object) -> Expr | None:
    """The routes that a loop goes through, as an expression; None where it does not."""
    if isinstance(node, Loop) and node.iterable is not None:
        return _routes(node.iterable)
    if isinstance(node, Call) and isinstance(node.callee, Attribute) and node.callee.name in _EACH:
        takes_function = any(isinstance(a.value, Lambda | Function) for a in node.args)
        return _routes(node.callee.value) if takes_function else None
    return None


def _routes(expr: Expr) -> Expr | None:
    """`app.routes`, `list(app.routes)`, `app.url_map.iter_rules()`, `app.routes[:]`."""
    current: Expr | None = expr
    while current is not None:
        match current:
            case Attribute(name=name) if name in _LISTS:
                return current
            case Attribute(value=value):
                current = value
            case Call(callee=Attribute() as callee):
                current = callee
            case Call(args=(only,)):
                current = only.value
            case _:
                current = getattr(current, "value", None)
    return None
