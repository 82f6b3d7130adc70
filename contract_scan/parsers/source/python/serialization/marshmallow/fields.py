"""Field classes of marshmallow that a project derives from the library's."""

from __future__ import annotations

from msgspec.structs import replace

from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import Field, Scalar, Schema, Unknown
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import Instance, LibraryResult, Value
from contract_scan.parsers.source.python.serialization.kinds import library_bases
from contract_scan.parsers.source.python.serialization.modes import DUMP, LOAD, flags


def made_field(program: Program, value: Value | None) -> LibraryResult | None:
    """A call that may make a field: of the library, or of a class derived from one of its."""
    if isinstance(value, LibraryResult):
        return value
    if not isinstance(value, Instance) or value.site is None or value.scope is None:
        return None
    for base in library_bases(program, value.symbol):
        if base.name.startswith("marshmallow") and "Schema" not in base.simple_name:
            return LibraryResult(base.name, value.site, value.scope)
    return None


def of_own_class(program: Program, field: Field, value: Instance, wanted: str) -> Field:
    """A field with what its own class says of what is written and read."""
    written = program.find_method(value.symbol, "_serialize")
    read = program.find_method(value.symbol, "_deserialize")
    own = program.find_method(value.symbol, "__init__")
    directions = flags(wanted) & {DUMP, LOAD}
    name = value.symbol.decl.name
    if written is not None and LOAD not in directions:
        if written.function.returns is not None:
            given: Schema = program.schema_of(program.evaluator.apply(written, (), written.scope))
            return replace(field, schema=given)
        return _undetermined_field(field, Reason("serialize-method-decides", name=name))
    if read is not None and DUMP not in directions:
        return _undetermined_field(field, Reason("deserialize-method-decides", name=name))
    if own is not None and not isinstance(field.schema, Scalar):
        return _undetermined_field(field, Reason("field-constructor-decides", name=name))
    return field


def _undetermined_field(field: Field, reason: Reason) -> Field:
    unknown = Unknown(reason=reason, nullable=None, origin=field.origin)
    return replace(field, schema=unknown)
