"""Types that are taken from values: `typeof value`, `(typeof table)["key"]`, and members of types
that are mapped over keys."""

from __future__ import annotations

from contract_scan.ir.schema import Scalar
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    AliasSymbol,
    BoundType,
    ByType,
    ClassValue,
    Instance,
    Scope,
    Value,
    union_of,
)
from contract_scan.parsers.source.facts.nodes import (
    IndexedType,
    LiteralType,
    MappedType,
    NamedType,
    TypeExpr,
    TypeOfType,
)

_DEEPEST = 20
"""How many types are followed from one to the next."""


def value_of_type(
    program: Program, type: TypeExpr, scope: Scope, deepest: int = _DEEPEST
) -> Value | None:
    """The value that a type is taken from; None where it is taken from none that is seen."""
    for left in range(deepest, 0, -1):
        match type:
            case TypeOfType(value=value):
                return program.evaluate(value, scope)
            case IndexedType(item=item, index=index):
                table = value_of_type(program, item, scope, left - 1)
                return None if table is None else _value_under_keys(program, table, index, scope)
            case NamedType(name=name):
                match program.names.lookup_type(name, scope):
                    case AliasSymbol(alias=alias, file=file):
                        type, scope = alias.type, program.module_scope(file)
                    case BoundType(type=bound, scope=inside, shape=None):
                        type, scope = bound, inside
                    case _:
                        return None
            case _:
                return None
    return None


def _value_under_keys(
    program: Program, table: Value, index: TypeExpr, scope: Scope
) -> Value | None:
    """What a value has under the keys that a type lists; None where one of them is not seen."""
    keys = program.types.flat(program.types.schema(index, scope))
    if not isinstance(keys, Scalar) or not keys.values:
        return None
    found = [program.evaluator.member(table, str(key)) for key in keys.values]
    known = tuple(value for value in found if value is not None)
    return union_of(known) if len(known) == len(found) else None


def instance_of_type(program: Program, type: NamedType, scope: Scope) -> Instance | None:
    """An object of the class that the argument of `InstanceType<typeof Order>` names."""
    if type.name not in program.language.instance_types or len(type.args) != 1:
        return None
    named = value_of_type(program, type.args[0], scope)
    return Instance(named.symbol, named.types) if isinstance(named, ClassValue) else None


def mapped_member(program: Program, type: MappedType, scope: Scope, name: str) -> ByType | None:
    """A member of `{ [K in Names]: T<K> }`; None where the names are not listed, or it is none."""
    keys = program.types.flat(program.types.schema(type.constraint, scope))
    if not isinstance(keys, Scalar) or keys.values is None or name not in keys.values:
        return None
    bound = {type.variable: BoundType(LiteralType(value=name), scope)}
    return ByType(type.item, Scope(file=scope.file, parent=scope, types=bound), type.span)
