"""Enumerations: the values on the wire."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import LiteralValue, Scalar, Schema, Unknown
from contract_scan.parsers.source.analysis.dataflow import reaching_definitions
from contract_scan.parsers.source.analysis.domain.hooks import TypeUse
from contract_scan.parsers.source.analysis.domain.schemas import unite
from contract_scan.parsers.source.analysis.domain.values import (
    ByType,
    ClassSymbol,
    Constant,
    FunctionValue,
    Items,
    LibraryResult,
    Scope,
    Unresolved,
    Value,
)
from contract_scan.parsers.source.facts.nodes import Call, Expr
from contract_scan.parsers.source.python.serialization.kinds import LibraryBase

_BASES = frozenset({"Enum", "IntEnum", "StrEnum", "Flag", "IntFlag"})
_FLAGS = frozenset({"Flag", "IntFlag"})
_CHOICES = frozenset({"TextChoices", "IntegerChoices", "Choices"})


def is_enum(symbol: ClassSymbol, bases: tuple[LibraryBase, ...]) -> bool:
    """Whether a class is an enumeration, itself or through its bases."""
    return symbol.decl.kind == "enum" or any(b.simple_name in _BASES | _CHOICES for b in bases)


def schema(use: TypeUse, symbol: ClassSymbol, bases: tuple[LibraryBase, ...]) -> Schema:
    """The values of an enumeration, as serializers write them: by value."""
    names = {base.simple_name for base in bases}
    values: list[LiteralValue] = []
    naming = _value_generator(use, symbol)
    for owner, scope in reversed(use.chain(symbol)):
        for member in owner.decl.members:
            if member.name.startswith("_") or member.type is not None or member.value is None:
                continue
            value = _given_value(use, member.value, scope)
            if naming is not None and _is_auto(value):
                value = _generated_value(use, naming, member.name, values)
            constant = _constant(value, member.name, values, names)
            if constant is None:
                reason = Reason("value-not-constant", type=symbol.decl.name, member=member.name)
                return _of_mixin(use, names) or Unknown(reason=reason, origin=symbol.origin)
            values.append(constant.value)
    if not values:
        return _of_mixin(use, names) or Unknown(
            reason=Reason("no-constants", type=symbol.decl.name), origin=symbol.origin
        )
    if all(isinstance(v, str) for v in values):
        return Scalar(type="string", values=tuple(values), origin=symbol.origin)
    if all(isinstance(v, int) and not isinstance(v, bool) for v in values):
        return Scalar(type="integer", values=tuple(values), origin=symbol.origin)
    return unite(use.program.types.literal(v, symbol.origin) for v in values)


def _given_value(use: TypeUse, expr: Expr, scope: Scope) -> Value:
    """What a member is given, also by a function that is declared to give a text and returns
    `auto()`."""
    value = use.program.evaluate(expr, scope)
    callee = use.program.function_value(expr.callee, scope) if isinstance(expr, Call) else None
    if not isinstance(value, ByType) or callee is None:
        return value
    undeclared = replace(callee, function=replace(callee.function, returns=None))
    given = use.program.evaluator.apply(undeclared, (), scope)
    return given if _is_auto(given) else value


def _of_mixin(use: TypeUse, names: set[str]) -> Schema | None:
    """Only the type is known, from the type mixed in."""
    if names & {"str", "StrEnum", "TextChoices"}:
        return Scalar(type="string", origin=use.origin)
    if names & {"int", "IntEnum", "IntegerChoices"}:
        return Scalar(type="integer", origin=use.origin)
    return None


def _value_generator(use: TypeUse, symbol: ClassSymbol) -> FunctionValue | None:
    """The method of the project that gives `auto()` its values, of the class or one above it."""
    return use.program.find_method(symbol, "_generate_next_value_")


def _generated_value(
    use: TypeUse, naming: FunctionValue, name: str, values: Sequence[LiteralValue]
) -> Value:
    """The value that `_generate_next_value_(name, start, count, last_values)` returns."""
    program = use.program
    last = Items(tuple(Constant(value) for value in values))
    given = (Constant(name), Constant(1), Constant(len(values)), last)
    params = [param.name for param in naming.function.params if param.name not in ("self", "cls")]
    inside = program.function_scope(
        naming.function, naming.scope, dict(zip(params, given, strict=False))
    )
    ends = reaching_definitions.returns(inside.statements or ())
    if len(ends) != 1 or ends[0].value is None:
        return Unresolved(
            Reason("enum-value-chosen-by-method", function=naming.function.name),
            naming.function.span,
        )
    return program.evaluator.unwrap(program.evaluate(ends[0].value, inside))


def _is_auto(value: Value) -> bool:
    return isinstance(value, LibraryResult) and value.name in ("enum.auto", "auto")


def _constant(
    value: Value, name: str, before: Sequence[LiteralValue], names: set[str]
) -> Constant | None:
    match value:
        case Constant():
            return value
        case Items(values=[Constant() as first, *_]) if names & _CHOICES:
            return first
        case LibraryResult() if _is_auto(value):
            if "StrEnum" in names:
                return Constant(name.lower())
            if names & _FLAGS:
                return Constant(1 << len(before))
            following = _next_auto_value(before)
            if following is None:
                return None
            return Constant(str(following)) if "str" in names else Constant(following)
        case _:
            return None


def _next_auto_value(before: Sequence[LiteralValue]) -> int | None:
    """The number after those before it. None where versions of Python count on differently: from
    the last one, or from the greatest."""
    numbers = [value for value in before if isinstance(value, int)]
    if not numbers:
        return len(before) + 1
    return None if numbers[-1] != max(numbers) else numbers[-1] + 1
