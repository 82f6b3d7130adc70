"""Members of a base class as the classes below it fill them in."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from contract_scan.ir.origin import Origin
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import ClassSymbol, Instance, Scope
from contract_scan.parsers.source.facts.nodes import Argument, Call, Evaluate, Expr, Name, Param

_MAX_CLASSES = 200


def seen_from_below(program: Program, scope: Scope) -> list[Scope]:
    """A place in an abstract class as each class below it that has instances fills it in; the
    place itself where there is none."""
    owner = scope.owner_around
    if owner is None or "abstract" not in owner.decl.modifiers:
        return [scope]
    classes = [
        symbol
        for symbol in program.names.classes.implementations(owner)[:_MAX_CLASSES]
        if symbol.decl.kind in ("class", "record") and "abstract" not in symbol.decl.modifiers
    ]
    return [on_object(program, scope, symbol) for symbol in classes] or [scope]


def on_object(program: Program, scope: Scope, symbol: ClassSymbol) -> Scope:
    """A place in a class as that of an object of a class below it."""
    owner = scope.owner_around
    if owner is None:
        return scope
    for above, inside in program.types.chain(symbol, program.class_scope(symbol)):
        if above.key == owner.key:
            return _with_receiver(scope, inside, Instance(symbol))
    return scope


def place_of(program: Program, call: Call, scope: Scope) -> Origin:
    """The place of a call, or of the class that it is seen from."""
    owner = scope.owner_around
    below = object_class(scope, owner) if owner is not None else None
    return program.origin(call, scope) if below is None else below.origin


def _with_receiver(scope: Scope, inside: Scope, receiver: Instance) -> Scope:
    parent = None if scope.parent is None else _with_receiver(scope.parent, inside, receiver)
    if scope.owner is None and scope.function is None:
        return replace(scope, parent=parent)
    types = {**scope.types, **inside.types}
    return replace(scope, parent=parent, types=types, receiver=receiver)


def object_class(scope: Scope, owner: ClassSymbol) -> ClassSymbol | None:
    """The class of the object that a place is seen from, where it lies below the class around."""
    current: Scope | None = scope
    while current is not None:
        receiver = current.receiver
        if isinstance(receiver, Instance):
            return None if receiver.symbol.key == owner.key else receiver.symbol
        current = current.parent
    return None


def given_to_base(
    program: Program, symbol: ClassSymbol, owner: ClassSymbol, name: str
) -> Iterator[tuple[Expr, Scope]]:
    """What a class gives the parameter of its base's constructor: `: Base(producer, "orders")`."""
    params = _constructor(owner)
    position = next((i for i, param in enumerate(params) if param.name == name), None)
    if position is None:
        return
    for args, scope in base_arguments(program, symbol):
        named = [a.value for a in args if a.name == name]
        positional = [a.value for a in args if not a.name]
        if named:
            yield named[0], scope
        elif position < len(positional):
            yield positional[position], scope


def base_arguments(
    program: Program, symbol: ClassSymbol
) -> Iterator[tuple[tuple[Argument, ...], Scope]]:
    """The arguments of `: Base("x")` and `: base("x")`."""
    inside = program.class_scope(symbol)
    if symbol.decl.base_args:
        yield symbol.decl.base_args, inside
        return
    for method in symbol.decl.methods:
        if "constructor" not in method.modifiers:
            continue
        scope = program.function_scope(method, inside)
        for statement in scope.statements or ():
            match statement:
                case Evaluate(value=Call(callee=Name(id="super"), args=args)):
                    yield args, scope
                case _:
                    pass


def _constructor(symbol: ClassSymbol) -> tuple[Param, ...]:
    for method in symbol.decl.methods:
        if "constructor" in method.modifiers:
            return method.params
    primary = [m for m in symbol.decl.members if m.kind == "parameter"]
    return tuple(Param(name=m.name, type=m.type, span=m.span) for m in primary)
