"""What handlers of Python's libraries read of a request, with what is seen to run before them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec import Struct

from contract_scan.parsers.source.analysis.domain.memo import memoised
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    ClassValue,
    FunctionValue,
    Instance,
    Scope,
)
from contract_scan.parsers.source.facts.nodes import Annotation
from contract_scan.parsers.source.python.resolution.calls_by_name import calls_to
from contract_scan.parsers.source.python.web.common import functions
from contract_scan.parsers.source.web.request_members import (
    ANYTHING,
    RequestMembers,
    RequestUses,
)
from contract_scan.parsers.source.web.request_uses import RequestUsesReader

_OF_DECORATORS = ("__init__", "__call__")
"""What runs of a decorator that is a class."""


class RequestLibrary(Struct, frozen=True, kw_only=True):
    """How a library hands requests to functions."""

    members: RequestMembers
    hooks: tuple[str, ...] = ()
    """Decorators of functions that run before or after handlers, by their last names, and methods
    that are given such functions."""
    unseen: tuple[bytes, ...] = ()
    """What the text of a file holds that runs something else before handlers."""
    decorators: tuple[str, ...] = ()
    """Beginnings of the qualified names of decorators around handlers that read nothing."""


def handler_uses(
    program: Program,
    library: RequestLibrary,
    handler: FunctionValue | None,
    decorators: Iterable[tuple[Annotation, Scope]] = (),
) -> RequestUses:
    """What a handler reads of its request, which is its first parameter unless the library has it
    under a global name. `decorators`: those that its class has, or that are not written on it."""
    if handler is None or (library.unseen and program.any_file_contains(*library.unseen)):
        return ANYTHING
    is_global = bool(library.members.global_names)
    position = None if is_global else 0
    params = [p for p in handler.function.params if p.name not in ("this", "self")]
    if not is_global and not params:
        return ANYTHING
    asked: list[tuple[FunctionValue, int | None]] = [(handler, position)]
    own = ((annotation, handler.scope) for annotation in handler.function.annotations)
    for annotation, scope in (*own, *decorators):
        around = None if annotation.callee is None else program.evaluate(annotation.callee, scope)
        name = "" if around is None else program.evaluator.qualified_name(around)
        match around if is_global else None:
            case FunctionValue() as function:
                asked.append((function, None))
            case ClassValue(symbol=symbol) | Instance(symbol=symbol):
                made, called = (program.find_method(symbol, each) for each in _OF_DECORATORS)
                if called is None:
                    return ANYTHING
                asked += [(method, None) for method in (made, called) if method]
            case _:
                if not name.startswith(library.decorators):
                    return ANYTHING
    asked.extend((hook, position) for hook in _hooks(program, library.hooks))
    return _reader(program, library.members).uses(asked)


_READERS = "handler-uses"


def _reader(program: Program, members: RequestMembers) -> RequestUsesReader:
    """The reader of a library: what it has read of functions, it keeps."""
    known = program.memory.setdefault((_READERS, id(members)), None)
    if not isinstance(known, RequestUsesReader):
        known = RequestUsesReader(program, members)
        program.memory[_READERS, id(members)] = known
    return known


@memoised
def _hooks(program: Program, names: tuple[str, ...]) -> tuple[FunctionValue, ...]:
    """The functions of the project that run before or after handlers."""
    return tuple(_registrations(program, names))


def _registrations(program: Program, names: tuple[str, ...]) -> Iterator[FunctionValue]:
    for path in program.files_containing(*(name.encode() for name in names)) if names else ():
        for declared in functions(program, program.facts(path)):
            if any(a.name.rpartition(".")[2] in names for a in declared.function.annotations):
                yield declared.value
    for name in names:
        for call, scope in calls_to(program, name):
            for argument in call.args:
                value = program.evaluate(argument.value, scope)
                if isinstance(value, FunctionValue):
                    yield value
