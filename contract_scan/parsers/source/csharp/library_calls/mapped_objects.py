"""What AutoMapper and Mapster fill of an object that they make.

A member is filled from the one of its name. AutoMapper makes an empty list of a list that is null
(https://docs.automapper.org: "Handling null collections"); what else it is told of a member by
`ForMember` may leave it null.
"""

from __future__ import annotations

import re
from functools import partial

from msgspec.structs import replace

from contract_scan.ir.schema import Array, Object, with_nullable
from contract_scan.parsers.source.analysis.domain.memo import memoised
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    AssignedMember,
    BySchema,
    ByType,
    Instance,
    Items,
    OneOf,
    Value,
    is_null,
    union_of,
)
from contract_scan.parsers.source.analysis.typing.assigned_members import instance_member
from contract_scan.parsers.source.csharp.library_calls.mapped_members import mapped_view
from contract_scan.parsers.source.csharp.resolution.value_classes import symbol_of

_MEMBER = (
    rb"\.(?:ForMember|ForPath|Map)\(\s{0,99}\w{1,99}\s{0,9}=>\s{0,9}\w{1,99}!?\.(\w{1,99})\s{0,9},"
)
_TOLD = re.compile(_MEMBER)
_IGNORED = re.compile(_MEMBER + rb"\s{0,99}\w{1,99}\s{0,9}=>\s{0,9}\w{1,99}\.Ignore\(")
_CALLS = (b".ForMember(", b".ForPath(", b".Map(")
_KEEPS_NULL = (b"AllowNullCollections", b"ForAllMembers")
"""What leaves lists null."""


def mapped_object(program: Program, made: ByType, source: Value | None, *, lists: bool) -> Value:
    """An object that a mapper makes of another one, or a list of such. `lists`: lists that are
    null become empty ones."""
    whole = program.types.flat(program.types.schema_of(made))
    if isinstance(whole, Array):
        item = program.evaluator.item(made)
        of = None if source is None else program.evaluator.item(source)
        each = mapped_object(program, item, of, lists=lists) if isinstance(item, ByType) else item
        return made if each is item else Items((each,), repeated=True)
    options = source.options if isinstance(source, OneOf) else (source,)
    there = [one for one in options if one is not None and not is_null(one)]
    if len(there) > 1:
        each_made = (mapped_object(program, made, one, lists=lists) for one in there)
        return union_of(tuple(each_made))
    source = there[0] if there else None
    made = _as_filled(program, made, source)
    fields = whole.fields if isinstance(whole, Object) else ()
    assigned = tuple(
        AssignedMember(name, partial(BySchema, with_nullable(shape, False)))
        for field in fields
        for name in (field.declared_as or field.name,)
        for shape in (program.types.flat(field.schema),)
        if (shape.nullable or field.omitted_if_null)
        and _is_filled(program, name, source, as_list=isinstance(shape, Array) and lists)
    )
    return replace(made, assigned=assigned) if assigned else made


def _as_filled(program: Program, made: ByType, source: Value | None) -> ByType:
    """What is made, as far as it is known what is in its members that hold objects."""
    symbol = symbol_of(program, made)
    of = None if source is None else symbol_of(program, source)
    seen = source.view if isinstance(source, ByType | Instance) else ""
    view = "" if symbol is None else mapped_view(program, symbol, of, seen)
    return replace(made, view=view) if view else made


def _is_filled(program: Program, name: str, source: Value | None, *, as_list: bool) -> bool:
    """Whether a member is given something that is never null."""
    is_told = name in _members(program, _TOLD)
    symbol = None if source is None else symbol_of(program, source)
    owners = () if symbol is None else (symbol, *program.bases(symbol))
    found = instance_member(owners, name)
    if as_list and not program.any_file_contains(*_KEEPS_NULL):
        is_found = is_told or found is not None
        return is_found and name not in _members(program, _IGNORED)
    if is_told or found is None or found[1].type is None:
        return False
    excludes_null = program.language.excludes_null
    scope = program.class_scope(found[0])
    return excludes_null is not None and excludes_null(program, found[1].type, scope)


@memoised
def _members(program: Program, pattern: re.Pattern[bytes]) -> frozenset[str]:
    """The members of which mappings say something."""
    return frozenset(
        name.decode()
        for path in program.files_containing(*_CALLS)
        for name in program.files.find(path, pattern)
    )
