"""Operators of classes that convert a value where another type is expected."""

from __future__ import annotations

from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import ClassSymbol, Scope
from contract_scan.parsers.source.csharp.resolution.abstract_objects import (
    Constructed,
    Object,
    Opaque,
    Plain,
)
from contract_scan.parsers.source.csharp.resolution.value_classes import symbol_of
from contract_scan.parsers.source.facts.nodes import (
    Expr,
    Function,
    NamedType,
    NullableType,
    TypeExpr,
)

_TASKS = frozenset({"Task", "ValueTask"})


def awaited_type(type: TypeExpr | None) -> TypeExpr | None:
    """A type without what says that it may be null, or comes later."""
    while isinstance(type, NullableType):
        type = type.item
    if (
        isinstance(type, NamedType)
        and type.name.rpartition(".")[2].partition("`")[0] in _TASKS
        and type.args
    ):
        return awaited_type(type.args[0])
    return type


def implicit_operators(symbol: ClassSymbol) -> list[Function]:
    """The operators by which other values become objects of a class."""
    return [
        method
        for method in symbol.decl.methods
        if method.name == "op_Implicit" and len(method.params) == 1
    ]


def class_of_value(
    program: Program, given: Object, expr: Expr, scope: Scope
) -> ClassSymbol | bool | None:
    """The class of the project that a value is of; False where it is of none, None where that is
    not known."""
    if isinstance(given, Constructed):
        return given.symbol
    if not isinstance(given, Opaque):
        return False
    value = program.evaluator.unwrap(program.evaluate(expr, scope))
    symbol = symbol_of(program, value)
    if symbol is not None:
        return symbol
    return None if program.types.is_unknown(program.schema_of(value)) else False


def meant_operator(
    program: Program,
    operators: list[Function],
    symbol: ClassSymbol,
    given: Object,
    own: ClassSymbol | bool | None,
) -> Function | None:
    """The operator that makes an object of a class of a value; None where it is one already, or
    which one does is not known."""
    if own is None or given == Plain(None):
        return None
    lineage = [own, *program.bases(own)] if isinstance(own, ClassSymbol) else []
    keys = {each.key for each in lineage}
    if symbol.key in keys:
        return None
    inside = program.class_scope(symbol)
    names = {parameter.name for parameter in symbol.decl.type_params}
    general: Function | None = None
    for operator in operators:
        taken = awaited_type(operator.params[0].type)
        if not isinstance(taken, NamedType):
            continue
        if taken.name in names:
            general = operator
            continue
        declared = program.names.declared_class(taken, inside)
        if declared is not None and declared.key in keys:
            return operator
    return general
