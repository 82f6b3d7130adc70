"""What declared types of methods say of the values that they give."""

from __future__ import annotations

from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import Scope
from contract_scan.parsers.source.facts.nodes import NamedType, NullableType, TypeExpr
from contract_scan.parsers.source.java.resolution.annotations import type_name

DEFERRED = frozenset(
    {
        *("Mono", "Uni", "Single", "Maybe", "CompletableFuture", "CompletionStage", "Future"),
        *("Callable", "DeferredResult", "WebAsyncTask", "ListenableFuture"),
    }
)
"""Types of which a handler sends the one value they come to hold."""


def without_deferral(type: TypeExpr) -> TypeExpr:
    """The type of the value that a deferred type comes to hold."""
    for _ in range(8):
        if isinstance(type, NullableType):
            type = type.item
        elif isinstance(type, NamedType) and type_name(type) in DEFERRED and type.args:
            type = type.args[0]
        else:
            break
    return type


def is_vague(program: Program, type: TypeExpr, scope: Scope) -> bool:
    """Whether a declared type leaves open what is sent: it says nothing, or an envelope does not
    say what is inside."""
    if program.evaluator.says_nothing(type, scope):
        return True
    if not isinstance(type, NamedType):
        return False
    found = program.names.declared_class(type, scope)
    if found is not None and found.decl.type_params and not type.args:
        return True
    return any(program.evaluator.says_nothing(argument, scope) for argument in type.args)
