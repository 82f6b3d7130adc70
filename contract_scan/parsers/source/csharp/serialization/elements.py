"""What stands in arrays, lists and maps, and whether it may be null.

Serializers put null into a list of references without a word, whatever its type argument says, and
model validation looks at members only. Where nullable reference types are off, nothing says that
code itself puts none there.
"""

from __future__ import annotations

from msgspec.structs import replace

from contract_scan.ir.schema import Array, Object, Schema, Unknown, with_nullable
from contract_scan.parsers.source.analysis.domain.hooks import TypeUse
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import Scope
from contract_scan.parsers.source.csharp.serialization import library_types
from contract_scan.parsers.source.csharp.serialization.library_types import CONTAINERS, PAIRS
from contract_scan.parsers.source.csharp.serialization.nullability import (
    is_value_type,
    may_be_null,
)
from contract_scan.parsers.source.csharp.serialization.settings.record import READING
from contract_scan.parsers.source.facts.nodes import TypeExpr

_VALUES = 1
"""Which of the type arguments of a map its values are of."""


def library_type(use: TypeUse) -> Schema | None:
    """The schema of a type that is not declared in the project; None where it is not known."""
    shape = library_types.library_type(use)
    position = _VALUES if use.simple_name in PAIRS else CONTAINERS.get(use.simple_name)
    if position is None or position >= len(use.type.args):
        return shape
    type = use.type.args[position]
    match shape:
        case Array(items=items):
            return replace(shape, items=element(use.program, type, use.scope, items, use.variant))
        case Object(additional=values) if values is not None:
            values = element(use.program, type, use.scope, values, use.variant)
            return replace(shape, additional=values)
        case _:
            return shape


def element(program: Program, type: TypeExpr, scope: Scope, shape: Schema, variant: str) -> Schema:
    """The shape of an item, or of the value of a map."""
    if isinstance(shape, Unknown) or shape.nullable or is_value_type(program, type, scope):
        return shape
    if variant.startswith(READING):
        return with_nullable(shape, True)
    return shape if may_be_null(program, type, scope) is not None else with_nullable(shape, None)
