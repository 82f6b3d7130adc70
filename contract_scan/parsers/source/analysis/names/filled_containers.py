"""Containers that a file makes empty at its top level, for functions to fill.

A registry, a cache or a store in memory (`USERS = []`) is empty as it is written only.
"""

from __future__ import annotations

from contract_scan.ir.reasons import Reason
from contract_scan.parsers.source.analysis.dataflow.object_mutations import root_name
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import Found, Items, Record, Unresolved
from contract_scan.parsers.source.facts.nodes import (
    Assign,
    Attribute,
    Call,
    Expr,
    FileFacts,
    Function,
    Index,
    Name,
)
from contract_scan.parsers.source.facts.visitor import nodes_of

_FILLING = frozenset(
    {"append", "appendleft", "extend", "insert", "add", "update", "setdefault", "__setitem__"}
)
"""Methods of lists, sets and dictionaries that put something into them."""


def as_filled(program: Program, file: FileFacts, name: str, found: Found) -> Found:
    """What a variable at the top level of a file holds when other code runs: where that is an empty
    container that functions fill, one of which it is undetermined what is in it."""
    match found:
        case Items(values=(), is_tuple=False, origin=origin) if _is_filled(program, file, name):
            unknown = Unresolved(Reason("value-items-undetermined"))
            return Items((unknown,), repeated=True, origin=origin)
        case Record(entries=(), partial="", values=None, origin=origin) if _is_filled(
            program, file, name
        ):
            reason = Reason("some-keys-computed")
            return Record((), reason, Unresolved(reason), origin)
        case _:
            return found


def _is_filled(program: Program, file: FileFacts, name: str) -> bool:
    """Whether functions of a file, or of those that take the variable from it, put something into
    what it holds, or give it another value."""
    if program.any_file_contains(f"global {name}".encode()):
        return True
    return any(
        _fills(program, other, _name_in(file, name, other), name)
        for other in (program.facts(path) for path in program.files_with_word(name))
        if other.functions or other.classes
    )


def _name_in(file: FileFacts, name: str, other: FileFacts) -> str:
    """What a file calls the variable of another one; empty where it does not import it."""
    if other.path == file.path:
        return name
    for entry in other.imports:
        if entry.name == name:
            return entry.local or name
    return ""


def _fills(program: Program, file: FileFacts, local: str, name: str) -> bool:
    """Whether a function of a file fills a variable, be it called `local` there or taken from a
    module (`store.USERS`)."""
    functions: list[Function] = [*file.functions]
    for symbol in program.classes(file):
        functions.extend(symbol.decl.methods)
    return any(
        _is_variable(filled, local, name, is_own=bool(local) and local == name)
        for function in functions
        for node in nodes_of(program.body(function, file))
        if (filled := _filled_by(node)) is not None
    )


def _filled_by(node: object) -> Expr | None:
    """What a statement or call puts something into."""
    match node:
        case Assign(target=Index(value=container)):
            return container
        case Call(callee=Attribute(value=container, name=method), args=[_, *_]) if (
            method in _FILLING
        ):
            return container
        case _:
            return None


def _is_variable(container: Expr, local: str, name: str, *, is_own: bool) -> bool:
    match container:
        case Name(id=id):
            return bool(local) and id == local
        case Attribute(value=Name(id=owner), name=member):
            return member == name and owner not in ("this", "self", "cls") and not is_own
        case _:
            return is_own and root_name(container) == local
