"""A handler of several channels as it runs for the messages of one address."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from contract_scan.parsers.source.analysis.domain.path_facts import Path, path_of, root_of
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import FunctionValue
from contract_scan.parsers.source.facts.nodes import (
    Assign,
    Attribute,
    Call,
    Expr,
    Function,
    Index,
    Loop,
    Name,
    ObjectLiteral,
    Statement,
)
from contract_scan.parsers.source.facts.visitor import nodes_of
from contract_scan.parsers.source.messaging.records import AddressOfMessage


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
