"""The methods to which the buses of @nestjs/cqrs hand messages: of the class whose decorator names
the class of the message (https://docs.nestjs.com/recipes/cqrs)."""

from __future__ import annotations

from msgspec.structs import replace

from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    ClassSymbol,
    ClassValue,
    FunctionValue,
    Instance,
    Scope,
)
from contract_scan.parsers.source.facts.nodes import Attribute, Call
from contract_scan.parsers.source.typescript.resolution.decorators import decorators

_LIBRARY = "@nestjs/cqrs."
_HANDLING = {f"{_LIBRARY}{kind}Bus": f"{_LIBRARY}{kind}Handler" for kind in ("Command", "Query")}
BUS_CALLS = tuple(f"{bus}.execute" for bus in _HANDLING)


def message_handler(program: Program, call: Call, scope: Scope) -> FunctionValue | None:
    """The method that a bus runs for a message; None for other calls."""
    callee = call.callee
    if not isinstance(callee, Attribute) or callee.name != "execute" or not call.args:
        return None
    decorator = _HANDLING.get(program.qualified_name(callee.value, scope))
    message = program.evaluate(call.args[0].value, scope)
    if decorator is None or not isinstance(message, Instance):
        return None
    for path in program.files_with_word(message.symbol.decl.name):
        for owner in program.classes(program.facts(path)):
            if _handles(program, owner, decorator, message.symbol):
                method = program.find_method(owner, "execute")
                return method and replace(method, receiver=Instance(owner, {}))
    return None


def _handles(program: Program, owner: ClassSymbol, decorator: str, message: ClassSymbol) -> bool:
    for each in decorators(program, owner.decl.annotations, program.module_scope(owner.file)):
        named = each.argument(0) if each.name == decorator else None
        taken = None if named is None else program.evaluate(named, each.scope)
        if isinstance(taken, ClassValue) and taken.symbol.key == message.key:
            return True
    return False
