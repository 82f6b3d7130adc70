"""Objects of classes that are generated from a contract: what calls set in them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from msgspec.structs import replace

from contract_scan.ir.schema import Array, Nothing, Object, Schema, Union
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    AssignedMember,
    BySchema,
    LibraryResult,
    RecordEntry,
    Value,
    union_of,
)
from contract_scan.parsers.source.analysis.syntax.null_checks import property_of
from contract_scan.parsers.source.analysis.typing.object_shapes import (
    schema_with_assigned,
    schema_with_unset,
)
from contract_scan.parsers.source.facts.nodes import New
from contract_scan.parsers.source.java.serialization.generated_servers import generated_type
from contract_scan.parsers.source.java.serialization.unset_members import Site, may_be_set

_MOST_CALLS = 200
_GETTERS = ("get", "is", "to", "hash")
"""Beginnings of the names of methods that give something else than the object."""


def generated_object(program: Program, made: LibraryResult, variant: str) -> Schema | None:
    """The shape of an instance of a generated class: constructed, put together by calls that give
    it back (`new Order().id(1)`), or built (`Order.builder().id(1).build()`). None: the class is
    not generated."""
    chain = _chain(made)
    root = chain[-1]
    name = root.name
    if not isinstance(root.site, New):
        name, _, method = name.rpartition(".")
        if method != "builder" or not made.name.endswith(".build"):
            return None
    elif any(not each.site.args and _method(each).startswith(_GETTERS) for each in chain[:-1]):
        return None
    file, simple = root.scope.file, name.rpartition(".")[2]
    schema = class_of_contract(program, replace(root, name=name))
    flat = None if schema is None else program.types.flat(schema)
    if isinstance(flat, Union) and isinstance(root.site, New) and len(root.site.args) == 1:
        # A class of `oneOf` is written as what it was made of.
        held = program.evaluate(root.site.args[0].value, root.scope)
        return program.types.schema_of(held, variant)
    if schema is None or not isinstance(flat, Object):
        return schema
    given = _member_values(program, chain, flat)
    assigned = tuple(AssignedMember(*one) for one in given.items())
    schema = schema_with_assigned(program, schema, assigned, variant)
    calls = {_method(each) for each in chain[:-1]}
    site = Site(file.path, root.site.span)
    containers = {
        field.declared_as or field.name
        for field in flat.fields
        if isinstance(shape := program.types.flat(field.schema), Array | Object)
        if isinstance(shape, Array) or not shape.fields
    }

    def holds_null(name: str) -> bool | None:
        # Which lists and maps are empty to begin with depends on the generator and its options.
        capital = f"{name[:1].upper()}{name[1:]}"
        if name in containers:
            return None if {f"add{capital}Item", f"put{capital}Item"}.isdisjoint(calls) else False
        if not isinstance(root.site, New) or (root.site.args and not given):
            return None
        return None if may_be_set(program, site, (f"set{capital}", name), {simple}) else True

    return schema_with_unset(program.types, schema, given, holds_null)


def class_of_contract(program: Program, made: LibraryResult) -> Schema | None:
    """The shape of the class that the name of a value is the name of, where that is generated."""
    package, _, simple = made.name.rpartition(".")
    file = made.scope.file
    stars = [entry.module for entry in file.imports if entry.name == "*"]
    packages = [package] if package else [file.package, *stars]
    return generated_type(program, file.path, simple, packages)


def _chain(made: LibraryResult) -> list[LibraryResult]:
    """A call and those that it is made on, the last of which begins the chain."""
    chain = [made]
    while isinstance(chain[-1].receiver, LibraryResult) and len(chain) < _MOST_CALLS:
        chain.append(chain[-1].receiver)
    return chain


def _method(made: LibraryResult) -> str:
    return made.name.rpartition(".")[2]


def _member_values(
    program: Program, chain: list[LibraryResult], flat: Object
) -> dict[str, Callable[[], Value]]:
    """What the constructor, a chain of calls, and statements since set the members of an object
    to."""
    given: dict[str, Callable[[], Value]] = {}
    root = chain[-1].site
    required = [field.declared_as or field.name for field in flat.fields if field.required]
    if isinstance(root, New) and len(root.args) == len(required):
        for name, argument in zip(required, root.args, strict=True):
            given[name] = partial(program.evaluate, argument.value, chain[-1].scope)
    for each in reversed(chain):
        if not isinstance(each.site, New) and len(each.site.args) == 1:
            name = property_of(_method(each), "set")
            given[name] = partial(program.evaluate, each.site.args[0].value, each.scope)
        for entry in each.assigned:
            before = given.get(entry.name) if entry.optional else None
            given[entry.name] = partial(_either, entry, before)
    return given


def _either(entry: RecordEntry, before: Callable[[], Value] | None) -> Value:
    """What a statement sets, or what was there before where a branch may not be taken."""
    if not entry.optional:
        return entry.value
    null = BySchema(Nothing(nullable=None))
    return union_of((entry.value, null if before is None else before()))
