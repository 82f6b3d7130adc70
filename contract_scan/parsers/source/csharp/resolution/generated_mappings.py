"""Methods that the source generator of Mapperly writes: `[Mapper] partial class OrderMapper {
public partial OrderDto ToDto(Order order); }`.

What such a method makes of an object is an object, and null, or an exception, of null
(https://mapperly.riok.app/docs/configuration/mapper).
"""

from __future__ import annotations

from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import ClassSymbol, FunctionValue
from contract_scan.parsers.source.analysis.syntax.signatures import may_override
from contract_scan.parsers.source.csharp.resolution.annotations import find_all
from contract_scan.parsers.source.csharp.resolution.partial_classes import merged_annotations
from contract_scan.parsers.source.facts.nodes import Function

_NAMESPACE = b"Riok.Mapperly"


def is_generated_mapping(program: Program, function: FunctionValue) -> bool:
    """Whether a method without a body is written by Mapperly, or so are all methods that stand in
    its place."""
    owner, method = function.owner, function.function
    if owner is None or len(method.params) != 1 or not program.any_file_contains(_NAMESPACE):
        return False
    if _is_generated(program, owner, method):
        return True
    type_params = [parameter.name for parameter in owner.decl.type_params]
    found = [
        (symbol, each)
        for symbol in program.names.classes.implementations(owner)
        for each in symbol.decl.methods
        if may_override(each, method, type_params) and not _is_open(program, symbol, each)
    ]
    return bool(found) and all(_is_generated(program, symbol, each) for symbol, each in found)


def _is_generated(program: Program, owner: ClassSymbol, method: Function) -> bool:
    is_partial = "partial" in method.modifiers and not program.body(method, owner.file)
    return is_partial and any(find_all(merged_annotations(program, owner), "Mapper"))


def _is_open(program: Program, owner: ClassSymbol, method: Function) -> bool:
    """Whether a method is abstract, so that those of classes below stand in its place."""
    is_partial = "partial" in method.modifiers
    return not is_partial and not program.body(method, owner.file)
