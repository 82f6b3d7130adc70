"""Whether a member that nothing is seen to set holds null in an object that code makes.

Asked only where nullable reference types are off: elsewhere the compiler has looked. A member holds
null where it begins with nothing, no constructor or method of the class sets it, and nothing in the
program sets it on an object of the class that may be this one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import cast

from contract_scan.parsers.source.analysis.domain.memo import memoised, memoised_with
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
from contract_scan.parsers.source.csharp.resolution.partial_classes import parts
from contract_scan.parsers.source.csharp.resolution.source_text import function_text
from contract_scan.parsers.source.csharp.resolution.value_classes import symbol_of
from contract_scan.parsers.source.csharp.serialization.members import is_made, is_stored
from contract_scan.parsers.source.csharp.serialization.nullability import may_be_null
from contract_scan.parsers.source.facts.nodes import (
    Assign,
    Attribute,
    Expr,
    Function,
    Name,
    New,
    TypeExpr,
)
from contract_scan.parsers.source.facts.visitor import nodes_of

_MOST_FILES = 60
"""In how many files it is looked for what sets a member."""
_SET = re.compile(rb"\.\s{0,9}(\w{1,255})\s{0,9}(?:\?\?)?=(?![=>])")
"""A member that is set on something."""
_COPY = re.compile(rb"\bwith\s{0,9}\{([^{}]{0,1000})\}")


def excludes_null(program: Program, type: TypeExpr, scope: Scope) -> bool:
    """Whether no value of a type is null: by its kind, or because the compiler has looked."""
    return may_be_null(program, type, scope) is False


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
    if f"ShouldSerialize{name}" in methods or any(_sets(program, each, name) for each in owners):
        return None
    return True


def _sets(program: Program, owner: ClassSymbol, name: str) -> bool:
    """Whether methods of a class seem to set a member; what initialisers of objects set counts for
    these objects alone."""
    sets = re.compile(rb"\b%s\s{0,9}(?:\?\?)?=(?![=>])" % name.encode())
    return any(
        isinstance(node, Assign) and _is_own(node.target, name)
        for method in owner.decl.methods
        if sets.search(function_text(program, owner.file.path, method))
        for node in nodes_of(program.body(method, owner.file))
    )


def _is_own(target: Expr, name: str) -> bool:
    """Whether a member of the object itself is set, or of one that a variable holds."""
    match target:
        case Name(id=id) | Attribute(name=id):
            return id == name
        case _:
            return True


def _may_be_set(program: Program, made: Instance, name: str) -> bool:
    """Whether something sets a member of an object of a class that may be this one."""
    values = _set_on(program, name)
    return values is None or any(_may_be(program, made, value) for value in values)


@memoised_with(None)
def _set_on(program: Program, name: str) -> list[Value] | None:
    """What a member of a name is set on; None where that is undetermined."""
    paths = _setting_files(program, name)
    if len(paths) > _MOST_FILES or _is_copied(program, name):
        return None
    return [
        program.evaluator.unwrap(program.evaluate(receiver, scope))
        for path in paths
        for receiver, scope in _receivers(program, path, name)
    ]


def _setting_files(program: Program, name: str) -> list[str]:
    """Files in which a member of a name is set on something."""
    written = name.encode()
    paths = program.files_with_word(name)
    return [path for path in paths if written in _found_in(program, path, _SET)]


def _is_copied(program: Program, name: str) -> bool:
    """Whether something is copied with another value in a member of a name."""
    return any(
        name.encode() in inside
        for path in program.files_with_word(name)
        for inside in _found_in(program, path, _COPY)
    )


@memoised
def _found_in(program: Program, path: str, pattern: re.Pattern[bytes]) -> frozenset[bytes]:
    """What a pattern finds in a file, which is asked once for all names."""
    return frozenset(program.files.find(path, pattern))


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


def _receivers(program: Program, path: str, name: str) -> Iterator[tuple[Expr, Scope]]:
    """What a member of a name is set on in a file."""
    for owner in program.classes(program.facts(path)):
        around = program.class_scope(owner)
        for method in owner.decl.methods:
            if name.encode() not in function_text(program, path, method):
                continue
            scope = program.function_scope(method, around)
            for receiver in _receivers_in(program, method, owner).get(name, ()):
                yield receiver, scope


def _receivers_in(program: Program, method: Function, owner: ClassSymbol) -> dict[str, list[Expr]]:
    """What members are set on in a method, by their names."""
    key = f"csharp.set_in:{owner.file.path}:{method.span}"
    if key not in program.memory:
        found: dict[str, list[Expr]] = {}
        for node in nodes_of(program.body(method, owner.file)):
            match node:
                case Assign(target=Attribute(value=receiver, name=name)):
                    found.setdefault(name, []).append(receiver)
                case _:
                    pass
        program.memory[key] = found
    return cast("dict[str, list[Expr]]", program.memory[key])
