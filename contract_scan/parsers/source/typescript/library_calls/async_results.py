"""What promises made by hand are resolved with."""

from __future__ import annotations

from typing import TYPE_CHECKING

from contract_scan.parsers.source.analysis.domain.values import (
    Constant,
    FunctionValue,
    Value,
    union_of,
)
from contract_scan.parsers.source.facts.nodes import Name, NamedType, New
from contract_scan.parsers.source.typescript.resolution.walker import calls_in, nodes

if TYPE_CHECKING:
    from contract_scan.parsers.source.analysis.domain.hooks import CallSite


def promise(site: CallSite) -> Value | None:
    """`new Promise((resolve) => { … resolve(value) … })`: what it is resolved with. Where the
    function hands `resolve` on, or a type is written out, that is for others to tell."""
    made = site.call.type if isinstance(site.call, New) else None
    function = site.value(0)
    if not isinstance(made, NamedType) or made.args or not isinstance(function, FunctionValue):
        return None
    name = function.function.params[0].name if function.function.params else ""
    scope = site.program.function_scope(function.function, function.scope)
    statements = scope.statements or ()
    calls = [
        (call, place)
        for call, place in calls_in(site.program, statements, scope, deep=True)
        if isinstance(call.callee, Name) and call.callee.id == name
    ]
    mentioned = sum(
        isinstance(node, Name) and node.id == name
        for node, _ in nodes(site.program, statements, scope)
    )
    if not calls or mentioned != len(calls):
        return None
    given = [site.program.evaluate(c.args[0].value, place) for c, place in calls if c.args]
    return union_of(tuple(site.unwrap(value) for value in given)) if given else Constant(None)
