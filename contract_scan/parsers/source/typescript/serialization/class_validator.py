"""class-validator: which members of a class its decorators let be missing.

`undefined` fails nearly every check. It passes where `@IsOptional()` ends validation before the
checks, or where all checks of a member let it pass: those that look into the value
(`@ValidateNested()`), and functions of the project that give true for it.
"""

from __future__ import annotations

from collections.abc import Iterator

from contract_scan.parsers.source.analysis.domain.hooks import TypeUse
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    ClassValue,
    FunctionValue,
    Record,
    Scope,
    Value,
)
from contract_scan.parsers.source.facts.nodes import Annotation, Expr, Member
from contract_scan.parsers.source.typescript.resolution import walker
from contract_scan.parsers.source.typescript.resolution.decorators import Decorator, decorators
from contract_scan.parsers.source.typescript.serialization import refinements

_MODULE = "class-validator."
_LETS_PASS = frozenset(
    {"Allow", "IsEmpty", "IsNotIn", "NotEquals", "ValidateNested", "ValidatePromise"}
)
"""Decorators that say nothing against `undefined`."""
_OTHERS = ("@nestjs/", "class-transformer.")
"""Libraries whose decorators put nothing on the whitelist."""


def takes_undefined(use: TypeUse, member: Member, scope: Scope) -> bool | None:
    """Whether input is valid without a member; None where that is undetermined."""
    program = use.program
    verdicts: list[bool | None] = []
    is_open = False
    every = list(_decorators(use, member, scope))
    is_exposed = any(found.name == "class-transformer.Expose" for found in every)
    for found in every:
        match found.name.removeprefix(_MODULE):
            case "IsOptional":
                return True
            case "class-transformer.Transform":  # it runs for exposed members that are missing
                is_open = is_open or is_exposed
            case "ValidateIf":
                condition = _value(program, found.argument(0), found.scope)
                validates = refinements.takes_undefined(program, condition, member.name)
                if validates is False:
                    return True
                is_open = is_open or validates is None
            case "Validate":
                validator = _value(program, found.argument(0), found.scope)
                verdicts.append(_validator_passes(program, validator))
            case "ValidateBy":
                validator = _value(program, found.option("validator"), found.scope)
                verdicts.append(_validator_passes(program, validator))
            case name if name != found.name and name not in _LETS_PASS:
                verdicts.append(False)
    for written, place in _annotations(use, member, scope):
        for annotation in written:
            verdicts.extend(_registered_validators(program, annotation, place))
    if False in verdicts:
        return None if is_open else False
    return None if None in verdicts else True


def lists(use: TypeUse, member: Member, scope: Scope) -> bool:
    """Whether a member may have a decorator of class-validator, which puts it on the whitelist: one
    of the project may stand for such."""
    for written, place in _annotations(use, member, scope):
        for annotation in written:
            found = decorators(use.program, (annotation,), place)
            if not found or not all(each.name.startswith(_OTHERS) for each in found):
                return True
    return False


def looks_into(use: TypeUse, member: Member, scope: Scope) -> bool:
    """Whether what is in a member is validated as well: as an instance of its class."""
    names = {found.name for found in _decorators(use, member, scope)}
    return {f"{_MODULE}ValidateNested", "class-transformer.Type"} <= names


def _decorators(use: TypeUse, member: Member, scope: Scope) -> Iterator[Decorator]:
    for written, place in _annotations(use, member, scope):
        yield from decorators(use.program, written, place)


def _annotations(
    use: TypeUse, member: Member, scope: Scope
) -> Iterator[tuple[tuple[Annotation, ...], Scope]]:
    """The decorators of a member, and those that it inherits."""
    yield member.annotations, scope
    symbol = scope.owner
    for owner, place in use.chain(symbol)[1:] if symbol is not None else ():
        for inherited in owner.decl.members:
            if inherited.name == member.name:
                yield inherited.annotations, place


def _value(program: Program, expr: Expr | None, scope: Scope) -> Value | None:
    return None if expr is None else program.evaluate(expr, scope)


def _registered_validators(
    program: Program, annotation: Annotation, scope: Scope
) -> Iterator[bool | None]:
    """What the validators say of `undefined` that a decorator of the project registers."""
    made = None if annotation.callee is None else program.evaluate(annotation.callee, scope)
    if not isinstance(made, FunctionValue):
        return
    inside = program.function_scope(made.function, made.scope)
    for call, place in walker.calls_in(program, inside.statements or (), inside, deep=True):
        if program.qualified_name(call.callee, place) == f"{_MODULE}registerDecorator":
            options = program.evaluate(call.args[0].value, place) if call.args else None
            entry = walker.entries(options).get("validator") if options is not None else None
            yield _validator_passes(program, None if entry is None else entry.value)


def _validator_passes(program: Program, validator: Value | None) -> bool | None:
    """Whether `validate(undefined)` of a class or object gives true."""
    match validator:
        case ClassValue(symbol=symbol):
            method: Value | None = program.find_method(symbol, "validate")
        case Record(entries=entries):
            method = next((e.value for e in entries if e.name == "validate"), None)
        case _:
            return None
    return refinements.takes_undefined(program, method)
