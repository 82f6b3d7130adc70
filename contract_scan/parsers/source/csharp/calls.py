"""Which overload of a project function a call means."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from contract_scan.parsers.source.csharp.members import parts
from contract_scan.parsers.source.facts import Call, Param
from contract_scan.parsers.source.link.values import FunctionValue, Scope

if TYPE_CHECKING:
    from contract_scan.parsers.source.link.program import Program


def takes(params: tuple[Param, ...], count: int) -> bool:
    """Whether a function takes so many arguments."""
    required = sum(p.default is None and p.kind == "" for p in params)
    return required <= count and (count <= len(params) or any(p.kind for p in params))


def called(program: Program, call: Call, scope: Scope) -> FunctionValue | None:
    """The project function that is called, among overloads the one that takes the arguments."""
    found = program.function_value(call.callee, scope)
    if found is None or found.owner is None or takes(found.function.params, len(call.args)):
        return found
    for part in parts(program, found.owner):
        for method in part.decl.methods:
            if method.name == found.function.name and takes(method.params, len(call.args)):
                return replace(found, function=method)
    return found
