"""How C# chooses among methods of one name."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from contract_scan.ir.schema import LiteralValue, Scalar
from contract_scan.parsers.source.analysis.dataflow.reaching_definitions import returns
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import FunctionValue, Scope, Value
from contract_scan.parsers.source.analysis.typing import overloads
from contract_scan.parsers.source.analysis.typing.overloads import (
    CONVERTED,
    OMITTED,
    TYPE_PARAMETER,
    UNRELATED,
    OverloadRules,
    can_take,
)
from contract_scan.parsers.source.csharp.resolution.partial_classes import parts
from contract_scan.parsers.source.facts.nodes import (
    Attribute,
    Call,
    Expr,
    Name,
    NamedType,
    New,
    NullableType,
    Return,
    TypeExpr,
)

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
_TASKS = frozenset({"Task", "ValueTask"})
_RESULTS = frozenset({"Results", "TypedResults"})
"""Classes whose methods make results of ASP.NET Core, and no tasks."""


def meant_methods(
    program: Program,
    callee: FunctionValue,
    names: tuple[str, ...],
    value: Callable[[int], Value],
    type_args: int,
) -> list[FunctionValue]:
    """The overloads that a call with these arguments may mean."""
    return overloads.meant_methods(_RULES, program, callee, names, value, type_args)


def may_take(
    program: Program,
    callee: FunctionValue,
    names: tuple[str, ...],
    value: Callable[[int], Value],
) -> bool:
    """Whether a method may be given these arguments by their types."""
    return overloads.may_take(_RULES, program, callee, names, value)


def _function_misfit(program: Program, type: TypeExpr, scope: Scope, given: FunctionValue) -> int:
    """A lambda that gives a task is taken for `Func<Task<T>>` before `Func<T>`, one that gives none
    for no `Func<Task<T>>`."""
    while isinstance(type, NullableType):
        type = type.item
    if not isinstance(type, NamedType) or _unqualified(type) not in _FUNCTIONS:
        return UNRELATED
    if _unqualified(type) != "Func" or not type.args:
        return 0
    if not given.function.name and len(given.function.params) != len(type.args) - 1:
        return UNRELATED
    gives_task = _gives_task(program, given)
    if gives_task is None or gives_task is _is_task(type.args[-1]):
        return 0
    return OMITTED if gives_task else UNRELATED


def _unqualified(type: NamedType) -> str:
    """The name of a type without its namespace and the number of its parameters."""
    return type.name.rpartition(".")[2].partition("`")[0]


def _is_task(type: TypeExpr | None) -> bool:
    return isinstance(type, NamedType) and _unqualified(type) in _TASKS


def _gives_task(program: Program, given: FunctionValue) -> bool | None:
    """Whether a function gives a task; None where that is not known."""
    function = given.function
    if "async" in function.modifiers:
        return True
    if function.returns is not None:
        return _is_task(function.returns)
    inside = program.function_scope(function, given.scope)
    found = {
        None if statement.value is None else _is_task_value(program, statement.value, inside)
        for statement in returns(inside.statements or ())
        if isinstance(statement, Return)
    }
    return found.pop() if len(found) == 1 else None


def _is_task_value(program: Program, value: Expr, scope: Scope) -> bool | None:
    match value:
        case Attribute(value=Name(id=id)) | Call(callee=Attribute(value=Name(id=id))) if (
            id in _TASKS
        ):
            return True
        case Call(callee=Attribute(value=Name(id=id))) if id in _RESULTS:
            return False
        case Call(callee=callee):
            found = program.function_value(callee, scope)
            if found is None or found.owner is None:
                return None
            named = [m for m in found.owner.decl.methods if m.name == found.function.name]
            kinds = {_is_task(method.returns) for method in named}
            return kinds.pop() if len(kinds) == 1 else None
        case New(type=NamedType() as type):
            return _is_task(type)
        case _:
            return None


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
    function_misfit=_function_misfit,
    of_literal=_of_literal,
    of_scalar=_of_scalar,
    of_external=lambda name: "",
    conversion=_conversion,
    parts=parts,
    variadic=TYPE_PARAMETER,
    inherited=False,
)

overload = partial(overloads.overload, _RULES)
"""The overload that is called with arguments of some names (empty: by position); None where the
arguments do not tell which one."""

__all__ = ["can_take", "may_take", "meant_methods", "overload"]
