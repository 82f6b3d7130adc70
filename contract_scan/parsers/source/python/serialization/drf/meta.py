"""What the `Meta` of a serializer of Django REST framework says."""

from __future__ import annotations

from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import Array, Schema, Unknown
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import ClassSymbol, ClassValue, Value


def meta_of(program: Program, symbol: ClassSymbol) -> dict[str, Value]:
    """The options of the nearest `class Meta`, and of the classes that one inherits from."""
    for owner in (symbol, *program.bases(symbol)):
        for nested in owner.decl.classes:
            if nested.name != "Meta":
                continue
            inner = ClassSymbol(nested, owner.file, (*owner.outer, owner.decl.name))
            merged: dict[str, Value] = {}
            for part in reversed([inner, *program.bases(inner)]):
                scope = program.class_scope(part)
                for member in part.decl.members:
                    if member.value is not None:
                        merged[member.name] = program.evaluate(member.value, scope)
            return merged
    return {}


def list_of(program: Program, symbol: ClassSymbol, item: Schema) -> Schema:
    """What a serializer class writes of many objects, each as `item`: an array, unless the list
    serializer that it names writes something else."""
    named = meta_of(program, symbol).get("list_serializer_class")
    if isinstance(named, ClassValue) and any(
        program.find_method(named.symbol, name) is not None
        for name in ("to_representation", "data")
    ):
        reason = Reason("custom-list-format", type=named.symbol.decl.name)
        return Unknown(reason=reason, origin=symbol.origin)
    return Array(items=item, origin=symbol.origin)
