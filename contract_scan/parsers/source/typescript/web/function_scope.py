"""The scope inside a handler."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec.structs import replace

from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import FunctionValue, Scope, Value


def scope_of(
    program: Program, function: FunctionValue, bindings: Mapping[str, Value] | None = None
) -> Scope:
    """Inside a function, its receiver known."""
    scope = program.function_scope(function.function, function.scope, bindings)
    return replace(
        scope,
        receiver=function.receiver or scope.receiver,
        owner=function.owner or scope.owner,
    )
