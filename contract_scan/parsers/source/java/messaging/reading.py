"""Which class code reads a text as, `mapper.readValue(text, Order.class)`, and whether it has the
object validated."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeAlias

from msgspec import Struct

from contract_scan.parsers.source.analysis.dataflow.reaching_definitions import (
    assigned_values,
)
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import ByType, LibrarySymbol, Scope
from contract_scan.parsers.source.analysis.evaluation.call_sites import calls_in
from contract_scan.parsers.source.facts.nodes import (
    Assign,
    Attribute,
    Branch,
    Call,
    Expr,
    Function,
    Name,
    NamedType,
    New,
    Statement,
    Throw,
    TypeValue,
)
from contract_scan.parsers.source.facts.visitor import nodes_of
from contract_scan.parsers.source.java.resolution.annotations import constant_name, find
from contract_scan.parsers.source.java.serialization.gson.writers import text_variant
from contract_scan.parsers.source.java.serialization.validation import with_validation

_READERS = frozenset({"readValue", "fromJson", "convertValue", "treeToValue", "readerFor", "mapTo"})
_OF_THEMSELVES = frozenset({"mapTo"})
_VALIDATORS = frozenset(
    {
        *("jakarta.validation.Validator", "javax.validation.Validator"),
        "org.springframework.validation.Validator",
    }
)
_MAX_LEVELS = 3
_MAX_STEPS = 6


class ReadClass(Struct, frozen=True, eq=False):
    """A class that code reads a payload as."""

    type: NamedType
    variant: str
    """What it is read with, and whether it is validated."""


class _Read(Struct, frozen=True, eq=False):
    type: NamedType
    reader: Call
    scope: Scope
    validated: bool | None
    """Whether objects that break a constraint of theirs are refused (None: undetermined)."""


def read_as(program: Program, scope: Scope) -> ReadClass | None:
    """The only class that a function reads its text as; else the one that a function of the
    project reads it as, which is handed the payload, or told the class."""
    found = [
        _Read(named, call, place, _is_validated(program, call, place))
        for call, place in _reads(program, scope)
        for named in _classes(call)
    ]
    function = scope.function
    if not found and function is not None:
        payloads = {
            param.name
            for param in function.params
            if not param.annotations or find(param.annotations, "Payload") is not None
        }
        found = list(_read_elsewhere(program, scope, function, payloads, _MAX_LEVELS))
    if len({each.type.name for each in found}) != 1:
        return None
    answers = {each.validated for each in found}
    variant = text_variant(program, found[0].reader, found[0].scope)
    validated = answers.pop() if len(answers) == 1 else None
    return ReadClass(found[0].type, with_validation(variant, validated))


ReadType: TypeAlias = tuple[NamedType, str, Scope]
"""A class that code reads a text as, with the variant of what reads it, and where it is named."""


def read_types(program: Program, calls: Iterable[tuple[Call | New, Scope]]) -> list[ReadType]:
    """Every class that calls read a text as, also one that a function of the project is told which
    reads what it is given (`parse(text, Order.class)`)."""
    found: list[ReadType] = []
    for call, place in calls:
        named = list(_classes(call)) if isinstance(call, Call) else []
        if not isinstance(call, Call) or not named:
            continue
        reader, where = call, place
        if constant_name(call.callee) not in _READERS:
            target = program.function_value(call.callee, place)
            inside = (
                None if target is None else program.function_scope(target.function, target.scope)
            )
            reads = [] if inside is None else list(_reads(program, inside))
            if len(reads) != 1 or list(_classes(reads[0][0])):
                continue
            reader, where = reads[0]
        variant = text_variant(program, reader, where)
        found += ((each, variant, place) for each in named)
    return found


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
) -> Iterator[_Read]:
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
            (reader, within)
            for reader, within in _reads(program, inside)
            if any(_is_of(given, names, within) for given in _read_from(reader))
        ]
        if readers:
            known = [each for each in readers for _ in _classes(each[0])]
            validated = {_is_validated(program, *each) for each in known or readers}
            if False in validated:
                validated = {*(validated - {False}), _is_validated(program, call, place)}
            agreed = validated.pop() if len(validated) == 1 else None
            named = [(named, *one) for one in known for named in _classes(one[0])]
            told = [(named, *readers[0]) for named in _classes(call)]
            yield from (_Read(*each, agreed) for each in named or told)
        elif levels:
            yield from _read_elsewhere(program, inside, target.function, names, levels - 1)


def _is_validated(program: Program, made: Call, scope: Scope) -> bool | None:
    """Whether what a call gives is handed to a validator (`validator.validate(order)`), and what
    it finds is thrown. What is done about it in another way is undetermined."""
    for call, place in calls_in(program, scope.statements or (), scope):
        match call:
            case Call(callee=Attribute(value=validator, name="validate"), args=(first, *_)) if (
                _made_by(first.value, place) is made and _is_validator(program, validator, place)
            ):
                return True if _throws_about(call, scope.statements or ()) else None
            case _:
                pass
    return False


def _made_by(expr: Expr, scope: Scope) -> Expr | None:
    given = assigned_values(expr, scope) if isinstance(expr, Name) else (expr,)
    return given[0] if len(given) == 1 else None


def _is_validator(program: Program, expr: Expr, scope: Scope) -> bool:
    value = program.evaluate(expr, scope)
    if not isinstance(value, ByType) or not isinstance(value.type, NamedType):
        return False
    found = program.names.lookup_type(value.type.name, value.scope)
    return isinstance(found, LibrarySymbol) and found.name in _VALIDATORS


def _throws_about(validation: Call, statements: tuple[Statement, ...]) -> bool:
    """Whether a `throw` hangs on what a validation found: on the call itself, or on a local that
    is set to it; not where the function may catch it."""
    names: set[str] = set()
    for statement in statements:
        match statement:
            case Assign(target=Name(id=name), value=value) if value is validation:
                names.add(name)
            case Branch(kind="if", condition=condition, blocks=blocks) if condition is not None:
                asked = any(
                    node is validation or (isinstance(node, Name) and node.id in names)
                    for node in nodes_of((condition,))
                )
                if asked and any(isinstance(s, Throw) for block in blocks for s in block):
                    return True
            case _:
                pass
    return False


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
