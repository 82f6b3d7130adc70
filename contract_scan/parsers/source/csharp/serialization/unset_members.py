"""Whether a member that nothing is seen to set holds null in an object that code makes.

Asked only where nullable reference types are off: elsewhere the compiler has looked. A member holds
null where it begins with nothing, no constructor or method of the class sets it, and nothing in the
program sets it on an object of the class that may be this one.
"""

from __future__ import annotations

import re
from typing import cast

from contract_scan.parsers.source.analysis.domain.memo import memoised_with
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    ClassSymbol,
    Instance,
    OneOf,
    Scope,
    Value,
)
from contract_scan.parsers.source.analysis.syntax.null_checks import is_null_literal
from contract_scan.parsers.source.analysis.typing.assigned_members import instance_member
from contract_scan.parsers.source.csharp.resolution.constructions import (
    found_in,
    gives_always,
    sets_own,
    writes_of,
)
from contract_scan.parsers.source.csharp.resolution.partial_classes import parts
from contract_scan.parsers.source.csharp.resolution.value_classes import symbol_of
from contract_scan.parsers.source.csharp.serialization.members import is_made, is_stored
from contract_scan.parsers.source.csharp.serialization.nullability import may_be_null
from contract_scan.parsers.source.facts.nodes import (
    Expr,
    New,
    TypeExpr,
)

_COPY = re.compile(rb"\bwith\s{0,9}\{([^{}]{0,1000})\}")


def excludes_null(program: Program, type: TypeExpr, scope: Scope) -> bool:
    """Whether no value of a type is null: by its kind, or because the compiler has looked."""
    return may_be_null(program, type, scope) is False


@memoised_with(False)
def is_always_given(program: Program, symbol: ClassSymbol, name: str) -> bool:
    """Whether every object that the project makes of a class is given a member that is not null,
    and nothing sets it to null later."""

    def counts(value: Expr, scope: Scope) -> bool:
        if is_made(value):
            return True
        shape = program.infer(value, scope)
        return shape.nullable is False and not program.types.is_unknown(shape)

    return gives_always(program, symbol, name, counts)


def null_if_unset(program: Program, made: Instance, name: str) -> bool | None:
    """Whether a member that nothing is seen to set is null in an object that code makes; None:
    undetermined."""
    key = f"csharp.unset:{made.symbol.key}.{name}"
    if key not in program.memory:
        program.memory[key] = _begins_with_null(program, made.symbol, name)
    begins = cast("bool | None", program.memory[key])
    if not begins:
        return begins
    if not isinstance(made.site, New) or _may_be_set(program, made, name):
        return None
    return True


def keeps_default(program: Program, made: Instance, name: str) -> bool:
    """Whether nothing sets a member of an object that code makes but constructors and, where it is
    made, its initialiser."""
    classes = (made.symbol, *program.bases(made.symbol))
    owners = [part for each in classes for part in parts(program, each)]
    if any(sets_own(program, each, name, later=True) for each in owners):
        return False
    return isinstance(made.site, New) and not _may_be_set(program, made, name)


def _begins_with_null(program: Program, symbol: ClassSymbol, name: str) -> bool | None:
    """Whether a member holds null when a constructor has run that is given nothing for it, and
    methods of the class leave it so."""
    classes = (symbol, *program.bases(symbol))
    owners = [part for each in classes for part in parts(program, each)]
    found = instance_member(owners, name)
    if found is None:
        return None
    owner, member = found
    type = member.type
    if type is None or may_be_null(program, type, program.class_scope(owner)) is False:
        return False  # the compiler has looked
    if member.kind == "getter":
        return False
    if member.value is not None and not is_null_literal(member.value):
        return False if is_made(member.value) else None
    if member.kind == "property" and not is_stored(program, owner.file.path, member):
        return None
    methods = [method.name for each in owners for method in each.decl.methods]
    if f"ShouldSerialize{name}" in methods or any(sets_own(program, each, name) for each in owners):
        return None
    return True


def _may_be_set(program: Program, made: Instance, name: str) -> bool:
    """Whether something sets a member of an object of a class that may be this one."""
    values = _set_on(program, name)
    return values is None or any(_may_be(program, made, value) for value in values)


@memoised_with(None)
def _set_on(program: Program, name: str) -> list[Value] | None:
    """What a member of a name is set on; None where that is undetermined."""
    writes = None if _is_copied(program, name) else writes_of(program, name)
    on = None if writes is None else [one.on(program) for one in writes]
    return None if on is None else [value for value in on if value is not None]


def _is_copied(program: Program, name: str) -> bool:
    """Whether something is copied with another value in a member of a name."""
    return any(
        name.encode() in inside
        for path in program.files_with_word(name)
        for inside in found_in(program, path, _COPY)
    )


def _may_be(program: Program, made: Instance, value: Value) -> bool:
    """Whether a value may be the object that is made."""
    if isinstance(value, OneOf):
        return any(_may_be(program, made, option) for option in value.options)
    if isinstance(value, Instance) and isinstance(value.site, New):
        return value.site is made.site
    symbol = symbol_of(program, value)
    if symbol is None:
        return True
    family = {each.key for each in (made.symbol, *program.bases(made.symbol))}
    return symbol.key in family
