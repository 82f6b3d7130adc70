"""Messages that are sent through a mediator or a bus, and the methods that handle them: MediatR,
Mediator, Foundatio.Mediator, Wolverine, and what projects write like them. A library finds the
handler by the type of the message."""

from __future__ import annotations

from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    ClassSymbol,
    FunctionValue,
    Instance,
    Scope,
)
from contract_scan.parsers.source.csharp.resolution.calls import called_function
from contract_scan.parsers.source.csharp.resolution.value_classes import symbol_of
from contract_scan.parsers.source.facts.nodes import Attribute, Call, NamedType

_SENDING = frozenset(
    {"Send", "SendAsync", "Invoke", "InvokeAsync", "Query", "QueryAsync", "ExecuteAsync"}
)
_HANDLING = frozenset({"Handle", "HandleAsync", "ExecuteAsync", "Consume", "ConsumeAsync"})


def message_handlers(program: Program, call: Call, scope: Scope) -> list[FunctionValue]:
    """The methods that handle the message which a call sends; empty where it sends none."""
    callee = call.callee
    if not isinstance(callee, Attribute) or callee.name not in _SENDING or not call.args:
        return []
    function = called_function(program, call, scope)
    if function is not None and not function.function.type_params:
        return []  # a method that runs itself; one for messages of every type hands them on
    message = program.evaluator.unwrap(program.evaluate(call.args[0].value, scope))
    symbol = symbol_of(program, message)
    return [] if symbol is None else _handlers(program, symbol)


def _handlers(program: Program, message: ClassSymbol) -> list[FunctionValue]:
    found: list[FunctionValue] = []
    for path in program.files_with_word(message.decl.name.partition("`")[0]):
        for owner in program.classes(program.facts(path)):
            inside = program.class_scope(owner)
            for method in owner.decl.methods if owner.decl.kind != "interface" else ():
                first = method.params[0].type if method.params else None
                if method.name not in _HANDLING or not isinstance(first, NamedType):
                    continue
                taken = program.names.declared_class(first, inside)
                if taken is not None and taken.key == message.key:
                    found.append(FunctionValue(method, inside, owner, Instance(owner, {})))
    return found
