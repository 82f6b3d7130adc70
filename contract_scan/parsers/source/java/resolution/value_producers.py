"""The methods of the project that values come from."""

from __future__ import annotations

from typing import cast

from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    ByType,
    ClassSymbol,
    FunctionValue,
    Value,
)
from contract_scan.parsers.source.analysis.syntax.signatures import may_override, signature
from contract_scan.parsers.source.facts.nodes import Function, NamedType, NullableType, TypeExpr
from contract_scan.parsers.source.java.resolution.annotations import type_name
from contract_scan.parsers.source.java.resolution.declared_types import DEFERRED, without_deferral

_MAX_DEFERRALS = 8
_FIXED = frozenset({"private", "static", "final"})
"""Modifiers of methods and classes that nothing overrides."""


def producing_method(program: Program, value: Value, types: frozenset[str]) -> FunctionValue | None:
    """The method of the project that a value comes from, told by the type that it is declared to
    give; None where that is none of `types`."""
    if not isinstance(value, ByType) or type_name(without_deferral(value.type)) not in types:
        return None
    owner = value.scope.owner
    if owner is None:
        return None
    for method in owner.decl.methods:
        if _is_held(method.returns, value.type):
            found = FunctionValue(method, value.scope, owner)
            if "abstract" in method.modifiers:
                return program.evaluator.only_implementation(found)
            # Which of several runs is seen where the object is made, not where it is called.
            return None if is_overridden(program, owner, method) else found
    return None


def _is_held(declared: TypeExpr | None, type: TypeExpr) -> bool:
    """Whether a type is the one that is declared there, or that of the value which it holds."""
    for _ in range(_MAX_DEFERRALS):
        if declared is type or not isinstance(declared, NamedType | NullableType):
            break
        inner = declared.item if isinstance(declared, NullableType) else (*declared.args, None)[0]
        is_deferred = isinstance(declared, NullableType) or type_name(declared) in DEFERRED
        declared = inner if is_deferred else None
    return declared is type


def is_overridden(program: Program, owner: ClassSymbol, method: Function) -> bool:
    """Whether a class below declares a method anew."""
    if not _FIXED.isdisjoint((*method.modifiers, *owner.decl.modifiers)):
        return False
    type_params = [parameter.name for parameter in owner.decl.type_params]
    known = cast(
        "dict[tuple[str, str, tuple[str, ...]], bool]",
        program.memory.setdefault("java.overridden", {}),
    )
    key = (owner.key, method.name, signature(method))
    if key not in known:
        known[key] = any(
            may_override(other, method, type_params)
            for below in program.names.classes.implementations(owner)
            for other in below.decl.methods
        )
    return known[key]
