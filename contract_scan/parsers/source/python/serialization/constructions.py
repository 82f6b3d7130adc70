"""Whether the objects of a class are ever made with the null that a field of it allows."""

from __future__ import annotations

import re

from msgspec.structs import replace

from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import Field, Object, Reference, Unknown
from contract_scan.parsers.source.analysis.domain.memo import memoised
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    ByType,
    ClassSymbol,
    ClassValue,
    Instance,
    OneOf,
    Scope,
    Unresolved,
    Value,
)
from contract_scan.parsers.source.facts.nodes import Assign, Attribute, Call, Expr, Name
from contract_scan.parsers.source.facts.visitor import nodes_of
from contract_scan.parsers.source.python.resolution.calls_by_name import calls_to
from contract_scan.parsers.source.python.serialization.queries import items_of
from contract_scan.parsers.source.python.serialization.sqlalchemy import column_has_default

_DEEPEST = 3
"""How many objects are gone through that hand a member on."""


def without_unused_null(
    program: Program, symbol: ClassSymbol, name: str, field: Field, *, is_seen: bool = False
) -> Field:
    """A field of a class that nothing reads from input: whether it is null is undetermined where
    all that make such objects give it something else, or other code sets it. `is_seen`: only where
    each of them is seen to give it."""
    if field.schema.nullable is not True:
        return field
    given = _is_always_given(program, symbol, name, _DEEPEST, is_seen=is_seen)
    if not given and (is_seen or given is None or not _is_assigned(program, symbol, name)):
        return field
    reason = Reason("null-never-given", name=name)
    return replace(field, schema=replace(field.schema, nullable=None, null_reason=reason))


def is_constructed(program: Program, symbol: ClassSymbol) -> bool:
    """Whether code of the project makes objects of a class, field by field."""
    return bool(_constructions(program, symbol))


def _is_always_given(
    program: Program, symbol: ClassSymbol, name: str, levels: int, *, is_seen: bool
) -> bool | None:
    """Whether all that make objects of a class give a field something that is not null; None where
    nothing makes any. `is_seen`: of one of them, this has to be known."""
    constructions = _constructions(program, symbol)
    if not constructions:
        return None
    are_given = all(
        _gives_value(program, call, scope, symbol, name, levels, is_seen=is_seen)
        for call, scope in constructions
    )
    return are_given and (
        not is_seen
        or any(
            (given := _argument(program, call, symbol, name)) is not None
            and not isinstance(shape := program.infer(given, scope), Unknown)
            and shape.nullable is False
            for call, scope in constructions
        )
    )


def _constructions(program: Program, symbol: ClassSymbol) -> list[tuple[Call, Scope]]:
    """The calls that make objects of a class, those of its own `cls(…)` included."""
    key = f"python.constructions:{symbol.key}"
    known = program.memory.get(key)
    if isinstance(known, list):
        return known
    found: list[tuple[Call, Scope]] = []
    for called in (symbol.decl.name, "cls"):
        for call, scope in calls_to(program, called):
            value = program.evaluate(call.callee, scope)
            if isinstance(value, ClassValue) and value.symbol.key == symbol.key:
                found.append((call, scope))
    program.memory[key] = found
    return found


def _gives_value(
    program: Program,
    call: Call,
    scope: Scope,
    symbol: ClassSymbol,
    name: str,
    levels: int,
    *,
    is_seen: bool,
) -> bool:
    """Whether a construction gives a field something that is not known to be null at times."""
    if any(argument.spread for argument in call.args):
        return not is_seen
    given = _argument(program, call, symbol, name)
    if given is None:
        return False
    if program.infer(given, scope).nullable is not True:
        return True
    if not isinstance(given, Attribute) or not levels:
        return False
    # `status=goal.status`, where each `Goal` is made with a status.
    holder = program.evaluate(given.value, scope)
    holder = items_of(program, holder) or holder
    held = holder.symbol if isinstance(holder, Instance) else None
    if held is None and isinstance(shape := program.types.schema_of(holder), Reference):
        held = program.types.symbol_of(shape)
    return held is not None and (
        column_has_default(program, held, given.name)
        or bool(_is_always_given(program, held, given.name, levels - 1, is_seen=True))
    )


def _argument(program: Program, call: Call, symbol: ClassSymbol, name: str) -> Expr | None:
    positional = [argument.value for argument in call.args if not argument.name]
    names = [
        member.name
        for owner in reversed((symbol, *program.bases(symbol)))
        for member in owner.decl.members
        if member.type is not None and "constructor" not in member.modifiers
    ]
    named = {argument.name: argument.value for argument in call.args if argument.name}
    given = dict(zip(dict.fromkeys(names), positional, strict=False)) | named
    return given.get(name)


def _is_assigned(program: Program, symbol: ClassSymbol, name: str) -> bool:
    """Whether code in files which mention a class sets an attribute of what may be its objects."""
    attribute = re.compile(rb"\.[\s\\]*%s" % re.escape(name.encode()))
    return any(
        _may_be(program, program.evaluate(target, scope), symbol)
        for path in program.files_containing(symbol.decl.name.encode())
        if program.files.find(path, attribute)
        for target, _, scope in attributes_assigned(program, path).get(name, ())
    )


def _may_be(program: Program, value: Value, symbol: ClassSymbol) -> bool:
    match value:
        case OneOf(options=options):
            return any(_may_be(program, option, symbol) for option in options)
        case Unresolved():
            return True
        case Instance(symbol=other):
            return other.key == symbol.key
        case ByType():
            found = program.types.flat(program.schema_of(value))
            return not isinstance(found, Object) or found.name == symbol.decl.name
        case _:
            return False


@memoised
def attributes_assigned(
    program: Program, path: str
) -> dict[str, list[tuple[Expr, Expr | None, Scope]]]:
    """What code in a file sets attributes of, but for `this`, and to what, by their names."""
    found: dict[str, list[tuple[Expr, Expr | None, Scope]]] = {}
    file = program.facts(path)
    module = program.module_scope(file)
    scopes = [program.function_scope(function, module) for function in file.functions]
    for each in program.classes(file):
        inside = program.class_scope(each)
        scopes += [program.function_scope(method, inside) for method in each.decl.methods]
    for scope in scopes:
        for node in nodes_of(scope.statements or ()):
            match node:
                case Assign(
                    target=Attribute(value=Name(id=id) as target, name=name), value=value
                ) if id != "this":
                    found.setdefault(name, []).append((target, value, scope))
                case _:
                    pass
    return found
