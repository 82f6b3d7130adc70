"""A handler of several channels as it runs for the messages of one address."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TypeAlias

from contract_scan.ir.origin import Span
from contract_scan.parsers.source.analysis.domain.path_facts import Path, path_of, root_of
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import FunctionValue, Scope
from contract_scan.parsers.source.analysis.evaluation.call_sites import calls_in
from contract_scan.parsers.source.facts.nodes import (
    Assign,
    Attribute,
    Call,
    Expr,
    Function,
    Index,
    Loop,
    Name,
    New,
    ObjectLiteral,
    Statement,
)
from contract_scan.parsers.source.facts.visitor import nodes_of
from contract_scan.parsers.source.messaging.records import AddressOfMessage

Called: TypeAlias = "Callable[[Call, Scope], Scope | None]"
"""(call, scope) -> the function of the project that it runs, as it calls it."""
_DEEPEST = 3
"""How many functions that call one another are looked into."""


def calls_for_address(
    program: Program, start: Scope, address: str, paths: Iterable[tuple[str, ...]], called: Called
) -> list[tuple[Call | New, Scope]] | None:
    """The calls that run for a message from an address, in a function (or the statements of a file)
    and in those that it calls; None where nothing asks for the address. `paths`: where messages
    hold it, whoever is given them."""
    found: list[tuple[Call | New, Scope]] = []
    known: dict[int, frozenset[Span] | None] = {}

    def calls_left(inside: Scope) -> frozenset[Span] | None:
        key = id(_body(inside))
        if key not in known:
            known[key] = _running_calls(program, inside, address, paths)
        return known[key]

    pending, seen = [(start, 0)], set[int]()
    while pending:
        inside, depth = pending.pop(0)
        if id(_body(inside)) in seen:
            continue
        seen.add(id(_body(inside)))
        for call, place in calls_in(program, _body(inside), inside):
            around = (calls_left(each) for each in _functions_around(place))
            if not all(spans is None or call.span in spans for spans in around):
                continue
            found.append((call, place))
            entered = called(call, place) if isinstance(call, Call) and depth < _DEEPEST else None
            if entered is not None:
                pending.append((entered, depth + 1))
    return found if any(spans is not None for spans in known.values()) else None


def _body(scope: Scope) -> tuple[Statement, ...]:
    return scope.statements or (scope.file.statements if scope.function is None else ())


def _functions_around(scope: Scope) -> Iterator[Scope]:
    """The functions around a place, and the top level of a file that stands in none."""
    current: Scope | None = scope
    while current is not None and (current.owner is None or current.function is not None):
        yield current
        current = current.parent


def _running_calls(
    program: Program, inside: Scope, address: str, paths: Iterable[tuple[str, ...]]
) -> frozenset[Span] | None:
    """The places of the calls in a function that run for an address; None where its statements do
    not ask for one."""
    function = inside.function or Function(name="", body=inside.file.statements)
    positions = (None, *range(len(function.params)))
    places = [AddressOfMessage(path, position) for path in paths for position in positions]
    handler = FunctionValue(function, inside.parent or inside, inside.owner)
    left = handler_of_address(program, handler, places, address)
    if left is None:
        return None
    body = program.body(left.function, left.scope.file)
    return frozenset(node.span for node in nodes_of(body) if isinstance(node, Call | New))


def handler_of_address(
    program: Program,
    handler: FunctionValue,
    places: Iterable[AddressOfMessage],
    address: str,
) -> FunctionValue | None:
    """A handler without what does not run for messages of an address, in which the address stands
    wherever it is read. None where the handler does not ask for the address."""
    body = program.body(handler.function, handler.scope.file)
    texts: dict[Path, str] = {}
    fetched: set[str] = set()
    for place in places:
        if place.position is None:
            found = _paths_of_fetched(body, ".".join(place.path))
            fetched.update(map(root_of, found))
        else:
            found = set(_paths(handler.function, place.position, place.path))
        texts.update(dict.fromkeys(found, address))
    if not texts:
        return None
    return program.evaluator.specialisations.with_texts(handler, texts, frozenset(fetched))


def _paths_of_fetched(body: tuple[Statement, ...], ending: str) -> set[Path]:
    """How a function that fetches messages reads the address of one: by a member of what it waits
    for, or goes through."""
    fetched: set[str] = set()
    for node in nodes_of(body):
        match node:
            case Assign(target=Name(id=name), value=Call()) | Loop(variable=Name(id=name)):
                fetched.add(name)
            case _:
                pass
    paths = {f"{name}.{ending}" for name in fetched}
    return {path for node in nodes_of(body) if (path := _read_path(node)) in paths}


def _read_path(node: object) -> Path:
    return path_of(node) if isinstance(node, Attribute | Call | Index) else ""


def _paths(function: Function, position: int, path: tuple[str, ...]) -> Iterator[Path]:
    """How a function reads the address from its argument, which it may take apart."""
    if position >= len(function.params):
        return
    param = function.params[position]
    if param.pattern is None:
        yield ".".join((param.name, *path))
        return
    yield from _paths_in(param.pattern, path)


def _paths_in(pattern: Expr, path: tuple[str, ...]) -> Iterator[Path]:
    if isinstance(pattern, Name):
        yield ".".join((path_of(pattern), *path))
    elif isinstance(pattern, ObjectLiteral) and path:
        for entry in pattern.entries:
            if entry.key == path[0] and not entry.spread:
                yield from _paths_in(entry.value, path[1:])
