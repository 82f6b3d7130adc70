"""Modifiers of the contracts of System.Text.Json: functions that a resolver of type information
hands each type's contract to, and that leave properties out or write them in another way.

https://learn.microsoft.com/dotnet/standard/serialization/system-text-json/custom-contracts
"""

from __future__ import annotations

from collections.abc import Iterator

from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import FunctionValue, Scope
from contract_scan.parsers.source.csharp.resolution.calls import called_function
from contract_scan.parsers.source.csharp.serialization.settings.record import ContractChange
from contract_scan.parsers.source.facts.nodes import (
    Assign,
    Attribute,
    Call,
    Expr,
    LiteralExpr,
    Name,
    NamedType,
    New,
    OperationExpr,
)
from contract_scan.parsers.source.facts.visitor import nodes_of

_REMOVING = frozenset({"Remove", "RemoveAll", "RemoveAt", "Clear"})
_DECIDING = frozenset({"ShouldSerialize"})
_REWRITING = frozenset({"Get", "CustomConverter", "NumberHandling"})
_RENAMING = frozenset({"Name"})
_ADDING = frozenset({"Add", "Insert", "CreateJsonPropertyInfo"})
_UNFOLLOWED = ContractChange(omits=True, rewrites=True, renames=True)
_MAX_FOLLOWED = 3
"""How deep functions are followed that a modifier hands the contract on to."""


def contract_changes(program: Program, resolver: Expr, scope: Scope) -> tuple[ContractChange, ...]:
    """What the modifiers of a resolver of type information change in contracts of types."""
    found = []
    for modifier in _modifiers(program, resolver, scope):
        if isinstance(modifier, FunctionValue):
            change = _changes(program, modifier, 0)
        else:
            change = _UNFOLLOWED
        if change != ContractChange():
            found.append(change)
    return tuple(found)


def _modifiers(program: Program, resolver: Expr, scope: Scope) -> Iterator[FunctionValue | None]:
    """The modifiers that stand in an expression of a resolver, and the method of a resolver of the
    project; None for one that cannot be followed."""
    for node in nodes_of(resolver):
        match node:
            case New(type=NamedType() as type, entries=entries):
                if symbol := program.names.declared_class(type, scope):
                    inside = program.class_scope(symbol)
                    for method in symbol.decl.methods:
                        if method.name == "GetTypeInfo":
                            yield FunctionValue(method, inside, symbol)
                for entry in entries:
                    if entry.key == "Modifiers":
                        for item in _items(entry.value):
                            yield _function(program, item, scope)
            case Call(callee=Attribute(name="WithAddedModifier"), args=(*_, given)):
                yield _function(program, given.value, scope)
            case Name(id=name):
                yield from _of_variable(program, name, scope)
            case _:
                pass


def _of_variable(program: Program, name: str, scope: Scope) -> Iterator[FunctionValue | None]:
    """The modifiers of a resolver in a local variable: those it is made with, and those added."""
    for node in nodes_of(scope.statements or ()):
        match node:
            case Assign(target=Name(id=own), value=New() as made) if own == name:
                yield from _modifiers(program, made, scope)
            case Call(
                callee=Attribute(name="Add", value=Attribute(name="Modifiers", value=Name(id=own))),
                args=(given,),
            ) if own == name:
                yield _function(program, given.value, scope)
            case _:
                pass


def _items(value: Expr) -> tuple[Expr, ...]:
    entries = getattr(value, "entries", None)
    if entries is not None:
        return tuple(entry.value for entry in entries)
    return getattr(value, "items", (value,))


def _function(program: Program, modifier: Expr, scope: Scope) -> FunctionValue | None:
    """The function that is a modifier, or the one that makes it."""
    if isinstance(modifier, Call):
        return called_function(program, modifier, scope)
    return program.function_value(modifier, scope)


def _changes(program: Program, modifier: FunctionValue, depth: int) -> ContractChange:
    scope = program.function_scope(modifier.function, modifier.scope)
    change = ContractChange()
    for node in nodes_of(scope.statements or ()):
        match node:
            case Assign(target=Attribute(name=name)):
                change = change.join(
                    ContractChange(
                        omits=name in _DECIDING,
                        rewrites=name in _REWRITING,
                        renames=name in _RENAMING,
                    )
                )
            case Call(callee=Attribute(name=name) as callee):
                adds = name in _ADDING and _is_of_properties(callee)
                change = change.join(ContractChange(omits=name in _REMOVING, renames=adds))
                change = change.join(_handed_on(program, node, scope, depth))
            case Call(callee=Name()):
                change = change.join(_handed_on(program, node, scope, depth))
            case _:
                pass
        if isinstance(node, Call | OperationExpr):
            change = change.join(ContractChange(names=tuple(_compared_names(node))))
    return change if change.omits or change.rewrites or change.renames else ContractChange()


def _handed_on(program: Program, call: Call, scope: Scope, depth: int) -> ContractChange:
    """What a function of the project changes that a modifier calls."""
    if depth >= _MAX_FOLLOWED:
        return _UNFOLLOWED
    function = called_function(program, call, scope)
    return ContractChange() if function is None else _changes(program, function, depth + 1)


def _is_of_properties(callee: Attribute) -> bool:
    """Whether a method is called on the properties of a contract, or makes one of them."""
    holder = callee.value
    return callee.name == "CreateJsonPropertyInfo" or (
        isinstance(holder, Attribute) and holder.name == "Properties"
    )


def _compared_names(node: Call | OperationExpr) -> Iterator[str]:
    """The constant that the name of a property is compared with."""
    match node:
        case OperationExpr(operator="==", operands=(one, other)):
            pairs = [(one, other), (other, one)]
        case Call(callee=Attribute(name="Equals", value=asked), args=(given, *_)):
            pairs = [(asked, given.value)]
        case _:
            return
    for asked, text in pairs:
        if isinstance(text, LiteralExpr) and isinstance(text.value, str) and _is_name(asked):
            yield text.value


def _is_name(asked: Expr) -> bool:
    """`property.Name`, not the name of a type."""
    if not isinstance(asked, Attribute) or asked.name != "Name":
        return False
    holder = asked.value
    return not (isinstance(holder, Attribute) and holder.name.endswith("Type"))
