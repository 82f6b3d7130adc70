"""Which function of the project a call means."""

from __future__ import annotations

from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import FunctionValue, Scope
from contract_scan.parsers.source.csharp.resolution.overloads import (
    may_take,
    meant_methods,
    overload,
)
from contract_scan.parsers.source.facts.nodes import Argument, Call


def called_function(program: Program, call: Call, scope: Scope) -> FunctionValue | None:
    """The project function that is called, among overloads the one that takes the arguments."""
    found = program.function_value(call.callee, scope)
    return None if found is None else resolve_overload(program, found, call.args, scope)


def resolve_overload(
    program: Program, found: FunctionValue, args: tuple[Argument, ...], scope: Scope
) -> FunctionValue | None:
    """The overload of a function that takes the arguments."""
    names = tuple(argument.name for argument in args)
    return overload(program, found, names, lambda index: program.evaluate(args[index].value, scope))


def meant_functions(
    program: Program, found: FunctionValue, call: Call, scope: Scope
) -> list[FunctionValue]:
    """The overloads of a function that a call may mean; the receiver of an extension method is its
    first argument."""
    args = call.args
    names = tuple(argument.name for argument in args)
    return meant_methods(
        program,
        found,
        names,
        lambda index: program.evaluate(args[index].value, scope),
        len(call.type_args),
    )


def may_be_given(
    program: Program, method: FunctionValue, args: tuple[Argument, ...], scope: Scope
) -> bool:
    """Whether a method may be given the arguments, as far as their types tell."""
    names = tuple(argument.name for argument in args)
    return may_take(
        program, method, names, lambda index: program.evaluate(args[index].value, scope)
    )
