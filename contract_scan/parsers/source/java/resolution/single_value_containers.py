"""Whether a method is called of what holds one value: `Mono<List<Order>>`, not `Flux<Order>`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from contract_scan.parsers.source.analysis.domain.values import ByType
from contract_scan.parsers.source.facts.nodes import Attribute, Call, Expr, Name
from contract_scan.parsers.source.java.resolution.annotations import type_name
from contract_scan.parsers.source.java.resolution.declared_types import DEFERRED

if TYPE_CHECKING:
    from contract_scan.parsers.source.analysis.domain.hooks import CallSite

_HOLDERS = DEFERRED | {"Optional"}
_GATHERING = frozenset({"collectList", "collectSortedList", "collect"})
"""Methods that make one list of many values. `map` of it is called of what holds the list, since
lists themselves have no such method."""
_KEEPING = frozenset(
    {
        *("map", "flatMap", "filter", "thenApply", "thenCompose", "thenApplyAsync", "or"),
        *("doOnNext", "doOnSuccess", "doOnError", "doFinally", "log", "cache", "timeout", "retry"),
        *("subscribeOn", "publishOn", "onErrorMap", "onErrorResume", "onErrorReturn"),
        *("defaultIfEmpty", "switchIfEmpty", "contextWrite", "chain", "onItem", "transform"),
    }
)
"""Methods that give another one of the same kind."""
_MAX_STEPS = 50


def holds_one(site: CallSite) -> bool:
    """Whether the receiver of a call holds one value, be it a list."""
    callee = site.call.callee if isinstance(site.call, Call) else None
    if not isinstance(callee, Attribute):
        return False
    expr: Expr = callee.value
    for _ in range(_MAX_STEPS):
        whole = site.program.evaluate(expr, site.scope)
        if isinstance(whole, ByType) and type_name(whole.type) in _HOLDERS:
            return True
        match expr:
            case Call(callee=Attribute(value=Name(id=owner))) if owner in _HOLDERS:
                return True
            case Call(callee=Attribute(name=name)) if name in _GATHERING:
                return True
            case Call(callee=Attribute(value=inner, name=name)) if name in _KEEPING:
                expr = inner
            case _:
                return False
    return False
