"""Members of which a method of the class computes what is written: a getter that gives "" for null.

What code sets such a member to is not what is written, so that null in it is not told.
"""

from __future__ import annotations

from msgspec.structs import replace

from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import Field, Object, Schema
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import ByType, Instance
from contract_scan.parsers.source.analysis.typing.kinds import class_of


def with_computed_members(
    program: Program, declared: Schema, shape: Schema, value: ByType | Instance
) -> Schema:
    """A shape (`shape`) in which members hold null, or are left out for it, by what code has set
    them to: where a method computes what is written of one, that is undetermined. `declared` is the
    shape without what code sets."""
    reads_as_set = program.language.reads_as_set
    if reads_as_set is None or shape is declared:
        return shape
    before, after = program.types.flat(declared), program.types.flat(shape)
    if not isinstance(before, Object) or not isinstance(after, Object):
        return shape
    known = {field.name: field for field in after.fields}
    told = [field for field in before.fields if _tells_null(program, field, known.get(field.name))]
    symbol = class_of(program, value) if told else None
    if symbol is None:
        return shape
    computed = {
        field.name
        for field in told
        if not reads_as_set(program, symbol, field.declared_as or field.name)
    }
    if not computed:
        return shape
    fields = (
        _with_open_null(program, field) if field.name in computed else known.get(field.name)
        for field in before.fields
    )
    added = (field for field in after.fields if all(field.name != b.name for b in before.fields))
    return replace(after, fields=(*(field for field in fields if field is not None), *added))


def _tells_null(program: Program, before: Field, after: Field | None) -> bool:
    """Whether code is said to set a member to null that may hold something else by its type."""
    if after is None:
        return True
    types = program.types
    null = types.flat(after.schema).nullable
    return null is True and types.flat(before.schema).nullable is not True


def _with_open_null(program: Program, field: Field) -> Field:
    reason = Reason("null-in-object", name=field.declared_as or field.name)
    if field.omitted_if_null:
        return replace(field, undetermined_reason=reason)
    shape = program.types.flat(field.schema)
    return replace(field, schema=replace(shape, nullable=None, null_reason=reason))
