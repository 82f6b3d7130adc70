"""How C# chooses among methods of one name."""

from __future__ import annotations

from collections.abc import Callable

from contract_scan.ir.schema import LiteralValue, Scalar
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import FunctionValue, Scope, Value
from contract_scan.parsers.source.analysis.typing import overloads
from contract_scan.parsers.source.analysis.typing.overloads import (
    CONVERTED,
    TYPE_PARAMETER,
    UNRELATED,
    OverloadRules,
    can_take,
)
from contract_scan.parsers.source.csharp.resolution.partial_classes import parts
from contract_scan.parsers.source.facts.nodes import NamedType, NullableType, TypeExpr

_NUMBERS = {
    "byte": 0,
    "short": 1,
    "int": 2,
    "uint": 3,
    "long": 4,
    "ulong": 5,
    "float": 6,
    "double": 7,
    "decimal": 8,
}
_OWN = frozenset({*_NUMBERS, "string", "bool"})
_FUNCTIONS = frozenset({"Func", "Action", "Expression", "Predicate", "Comparison", "Delegate"})
_ANYTHING = frozenset({"object", "Object", "dynamic"})


def overload(
    program: Program,
    callee: FunctionValue,
    names: tuple[str, ...],
    value: Callable[[int], Value],
) -> FunctionValue | None:
    """The overload that is called with arguments of these names (empty: by position); None where
    the arguments do not tell which one."""
    return overloads.overload(_RULES, program, callee, names, value)


def may_take(
    program: Program,
    callee: FunctionValue,
    names: tuple[str, ...],
    value: Callable[[int], Value],
) -> bool:
    """Whether a method may be given these arguments by their types."""
    return overloads.may_take(_RULES, program, callee, names, value)


def _takes_function(program: Program, type: TypeExpr, scope: Scope) -> bool:
    while isinstance(type, NullableType):
        type = type.item
    if not isinstance(type, NamedType):
        return False
    return type.name.rpartition(".")[2].partition("`")[0] in _FUNCTIONS


def _of_literal(value: LiteralValue) -> tuple[str, ...]:
    match value:
        case bool():
            return ("bool",)
        case int():
            return ("int",)
        case float():
            return ("double",)
        case str():
            return ("string",)
        case _:
            return ()


def _of_scalar(schema: Scalar) -> tuple[str, ...]:
    match schema:
        case Scalar(type="string", format=""):
            return ("string",)
        case Scalar(type="boolean"):
            return ("bool",)
        case Scalar(type="integer", format=format):
            return ("long" if format == "int64" else "int",)
        case _:
            return ()


def _conversion(here: str, name: str) -> int | None:
    if name in _ANYTHING:
        return CONVERTED
    if here in _NUMBERS and name in _NUMBERS:
        further = _NUMBERS[name] - _NUMBERS[here]
        return further if further > 0 else UNRELATED
    return UNRELATED if {here, name} & _OWN else None


_RULES = OverloadRules(
    anything=_ANYTHING,
    telling_nothing=_ANYTHING | {"IActionResult", "ActionResult", "IResult", "JsonNode"},
    takes_function=_takes_function,
    of_literal=_of_literal,
    of_scalar=_of_scalar,
    of_external=lambda name: "",
    conversion=_conversion,
    parts=parts,
    variadic=TYPE_PARAMETER,
    inherited=False,
)

__all__ = ["can_take", "may_take", "overload"]
