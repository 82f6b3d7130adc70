"""Whether objects of a class, or rows of a table, are ever given the null that a field allows."""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec.structs import replace

from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import Field, Object, Reference, Unknown
from contract_scan.parsers.source.analysis.domain.memo import memoised, memoised_with
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    ByType,
    ClassSymbol,
    ClassValue,
    Instance,
    Items,
    OneOf,
    Scope,
    Unresolved,
    Value,
)
from contract_scan.parsers.source.facts.nodes import (
    Assign,
    Attribute,
    Branch,
    Call,
    Expr,
    Loop,
    Name,
    ObjectLiteral,
    Statement,
)
from contract_scan.parsers.source.facts.visitor import nodes_of
from contract_scan.parsers.source.python.resolution.calls_by_name import calls_to
from contract_scan.parsers.source.python.serialization.queries import items_of
from contract_scan.parsers.source.python.serialization.sqlalchemy import column_has_default

_DEEPEST = 3
"""How many objects are gone through that hand a member on."""
_STORES = tuple(
    prefix + name
    for name in ("create", "get_or_create", "update_or_create")
    for prefix in ("", "a")
)
"""Methods of managers that store a row of what they are given by name."""


def without_unused_null(
    program: Program, symbol: ClassSymbol, name: str, field: Field, *, is_seen: bool = False
) -> Field:
    """A field of a class that nothing reads from input: whether it is null is undetermined where
    all that make such objects give it something else, or other code sets it. `is_seen`: only where
    each of them is seen to give it."""
    if field.schema.nullable is not True:
        return field
    if is_seen:
        is_unused = is_always_given(program, symbol, name)
    else:
        given = _is_always_given(program, symbol, name, _DEEPEST, is_seen=False)
        is_unused = given or (given is False and any(_writes(program, symbol, name)))
    if not is_unused:
        return field
    reason = Reason("null-never-given", name=name)
    return replace(field, schema=replace(field.schema, nullable=None, null_reason=reason))


@memoised_with(False)
def is_always_given(program: Program, symbol: ClassSymbol, name: str) -> bool:
    """Whether all that make objects of a class, or rows of a table, give a member something that is
    not null, as is seen of one of them, and nothing sets it to null later."""
    return bool(_is_always_given(program, symbol, name, _DEEPEST, is_seen=True)) and not any(
        value is None or program.infer(value, scope).nullable
        for value, scope in _writes(program, symbol, name)
    )


def is_filled_in(program: Program, model: ClassSymbol | None, name: str) -> bool:
    """Whether a model sets an attribute itself, or all that store rows give it something, so that
    it need not be null where its column is."""
    if model is not None and is_always_given(program, model, name):
        return True
    for owner in () if model is None else (model, *program.bases(model)):
        for method in owner.decl.methods:
            for node in nodes_of(program.body(method, owner.file)):
                match node:
                    case Assign(target=Attribute(value=Name(id="this"), name=assigned)):
                        if assigned == name:
                            return True
                    case _:
                        pass
    return False


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
            (given := _value_given(program, call, scope, symbol, name)) is not None
            and not isinstance(shape := program.infer(given, scope), Unknown)
            and shape.nullable is False
            for call, scope in constructions
        )
    )


def _constructions(program: Program, symbol: ClassSymbol) -> list[tuple[Call, Scope]]:
    """The calls that make objects of a class, those of its own `cls(…)` included, and rows of a
    table (`Order.objects.create(…)`)."""
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
    found += _stored_rows(program).get(symbol.key, ())
    program.memory[key] = found
    return found


@memoised
def _stored_rows(program: Program) -> dict[str, list[tuple[Call, Scope]]]:
    """The calls that store a new row, by the models."""
    found: dict[str, list[tuple[Call, Scope]]] = {}
    for name in _STORES:
        for call, scope in calls_to(program, name):
            row = program.evaluate(call, scope)
            if isinstance(row, Items) and row.values:
                row = row.values[0]  # and whether it is new
            if isinstance(row, Instance):
                found.setdefault(row.symbol.key, []).append((call, scope))
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
    given = _value_given(program, call, scope, symbol, name)
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


def _value_given(
    program: Program, call: Call, scope: Scope, symbol: ClassSymbol, name: str
) -> Expr | None:
    """What a construction gives a member, or what the object is set to right behind it."""
    given = _argument(program, call, symbol, name)
    return _set_behind(scope.statements or (), call, name) if given is None else given


def _set_behind(statements: tuple[Statement, ...], call: Call, name: str) -> Expr | None:
    """What a block sets a member to of the object that it makes by a call and gives a name."""
    made = ""
    for statement in statements:
        match statement:
            case Assign(target=Name(id=id), value=value) if value is call:
                made = id
            case Assign(target=Attribute(value=Name(id=id), name=member), value=value):
                if made and (id, member) == (made, name):
                    return value
            case Branch(blocks=blocks) if not made:
                for block in blocks:
                    if (given := _set_behind(block, call, name)) is not None:
                        return given
            case Loop(body=body) if not made:
                if (given := _set_behind(body, call, name)) is not None:
                    return given
            case _:
                pass
    return None


def _argument(program: Program, call: Call, symbol: ClassSymbol, name: str) -> Expr | None:
    positional = [argument.value for argument in call.args if not argument.name]
    names = [
        member.name
        for owner in reversed((symbol, *program.bases(symbol)))
        for member in owner.decl.members
        if member.type is not None and "constructor" not in member.modifiers
    ]
    named = {argument.name: argument.value for argument in call.args if argument.name}
    defaults = named.get("defaults")
    if isinstance(defaults, ObjectLiteral):  # `get_or_create(id=id, defaults={"name": name})`
        named |= {entry.key: entry.value for entry in defaults.entries if entry.key}
    given = dict(zip(dict.fromkeys(names), positional, strict=False)) | named
    return given.get(name) or given.get(f"{name}_id")


def _writes(
    program: Program, symbol: ClassSymbol, name: str
) -> Iterator[tuple[Expr | None, Scope]]:
    """What code in files which mention a class sets an attribute of what may be its objects to."""
    attribute = re.compile(rb"\.[\s\\]*%s" % re.escape(name.encode()))
    for path in program.files_containing(symbol.decl.name.encode()):
        if program.files.find(path, attribute):
            for target, value, scope in attributes_assigned(program, path).get(name, ()):
                if _may_be(program, program.evaluate(target, scope), symbol):
                    yield value, scope


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
