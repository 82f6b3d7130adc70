"""Which class code reads a text as: `mapper.readValue(text, Order.class)`."""

from __future__ import annotations

from collections.abc import Iterator

from contract_scan.parsers.source.analysis.dataflow.reaching_definitions import (
    assigned_values,
)
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import Scope
from contract_scan.parsers.source.analysis.evaluation.call_sites import calls_in
from contract_scan.parsers.source.facts.nodes import (
    Attribute,
    Call,
    Expr,
    Function,
    Name,
    NamedType,
    TypeValue,
)
from contract_scan.parsers.source.java.resolution.annotations import constant_name, find

_READERS = frozenset({"readValue", "fromJson", "convertValue", "treeToValue", "readerFor", "mapTo"})
_OF_THEMSELVES = frozenset({"mapTo"})
_MAX_LEVELS = 3
_MAX_STEPS = 6


def read_as(program: Program, scope: Scope) -> NamedType | None:
    """The only class that a function reads its text as; else the one that a function of the
    project reads it as, which is handed the payload, or told the class."""
    found = read_types(program, scope)
    function = scope.function
    if not found and function is not None:
        payloads = {
            param.name
            for param in function.params
            if not param.annotations or find(param.annotations, "Payload") is not None
        }
        found = list(_read_elsewhere(program, scope, function, payloads, _MAX_LEVELS))
    return found[0] if len({type.name for type in found}) == 1 else None


def read_types(program: Program, scope: Scope) -> list[NamedType]:
    """Every class that a function reads a text as."""
    return [named for call, _ in _reads(program, scope) for named in _classes(call)]


def _reads(program: Program, scope: Scope) -> Iterator[tuple[Call, Scope]]:
    for call, place in calls_in(program, scope.statements or (), scope):
        if isinstance(call, Call) and constant_name(call.callee) in _READERS:
            yield call, place


def _classes(call: Call) -> Iterator[NamedType]:
    """The classes that a call is given: `Order.class`."""
    for given in call.args:
        value = given.value
        if isinstance(value, TypeValue) and isinstance(value.type, NamedType):
            yield value.type


def _read_elsewhere(
    program: Program, scope: Scope, function: Function, payloads: set[str], levels: int
) -> Iterator[NamedType]:
    """What functions read a payload as that are given it, by the names of the parameters that may
    be it."""
    for call, place in calls_in(program, scope.statements or (), scope):
        if not isinstance(call, Call):
            continue
        handed = [_is_of(a.value, payloads, place) for a in call.args]
        target = program.function_value(call.callee, place) if any(handed) else None
        if target is None or target.function is function:
            continue
        params = target.function.params
        names = {param.name for param, given in zip(params, handed, strict=False) if given}
        inside = program.function_scope(target.function, target.scope)
        readers = [
            reader
            for reader, within in _reads(program, inside)
            if any(_is_of(given, names, within) for given in _read_from(reader))
        ]
        if readers:
            known = [named for reader in readers for named in _classes(reader)]
            yield from known or _classes(call)
        elif levels:
            yield from _read_elsewhere(program, inside, target.function, names, levels - 1)


def _read_from(reader: Call) -> Iterator[Expr]:
    """What a call reads: its arguments, or (`json.mapTo(Order.class)`) what it is called on."""
    yield from (argument.value for argument in reader.args)
    if isinstance(reader.callee, Attribute) and reader.callee.name in _OF_THEMSELVES:
        yield reader.callee.value


def _is_of(expr: Expr, names: set[str], scope: Scope) -> bool:
    """Whether an expression is one of some variables, a part of it (`record.value()`), or a local
    that was set to such."""
    for _ in range(_MAX_STEPS):
        match expr:
            case Name(id=name) if name in names:
                return True
            case Name(id=name):
                given = assigned_values(expr, scope)
                if len(given) != 1 or given[0] is None:
                    return False
                expr = given[0]
            case Call(callee=Attribute(value=inner)) | Attribute(value=inner):
                expr = inner
            case _:
                return False
    return False
