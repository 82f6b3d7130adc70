"""Paths of Litestar's handlers."""

from __future__ import annotations

from collections.abc import Iterator

from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import OneOf
from contract_scan.parsers.source.facts.nodes import Expr
from contract_scan.parsers.source.python.frameworks.litestar.applications import Handler, join_path


def paths(program: Program, handler: Handler) -> Iterator[tuple[str, Reason]]:
    """The paths of a handler with all before them, and why one is undetermined."""
    unresolved = handler.unresolved
    if any(layer.path is None for layer in handler.layers):
        unresolved = unresolved or Reason("router-or-controller-path-not-constant")
    prefix = [layer.path or "" for layer in handler.layers]
    expr = _path_expr(handler)
    found: tuple[str | None, ...] = ("/",) if expr is None else program.texts(expr, handler.scope)
    if expr is not None and isinstance(program.evaluate(expr, handler.scope), OneOf):
        found = (None,)
    for path in found or (None,):
        if path is None:
            partial = program.template(expr, handler.scope) if expr is not None else None
            reason = unresolved or Reason("route-path-computed")
            yield join_path(iter((*prefix, partial or NO_REASON))), reason
        else:
            yield join_path(iter((*prefix, path))), unresolved


def _path_expr(handler: Handler) -> Expr | None:
    option = handler.option("path")
    if option is not None:
        return option[0]
    return next((a.value for a in handler.annotation.args if not a.name and not a.spread), None)
