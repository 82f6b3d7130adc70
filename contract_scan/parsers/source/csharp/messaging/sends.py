"""Sends: what a call says, or what the callers of the method around it give."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from msgspec import Struct

from contract_scan.ir.event import Direction, EventUse
from contract_scan.ir.origin import Origin
from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import Unknown
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    ClassValue,
    Instance,
    Scope,
    named_function_scope,
)
from contract_scan.parsers.source.analysis.refinement.path_feasibility import reachability
from contract_scan.parsers.source.csharp.messaging.sites import bound_scopes, callers
from contract_scan.parsers.source.csharp.resolution.value_sources import without_wrappers
from contract_scan.parsers.source.csharp.serialization.json_texts import (
    Payload,
    undetermined_because,
)
from contract_scan.parsers.source.csharp.serialization.settings.options import unqualified_name
from contract_scan.parsers.source.facts.nodes import Call, Expr, Name, New
from contract_scan.parsers.source.messaging.addresses import Address

_MAX_CALLERS = 3
"""How many methods on top of each other are followed to where a message is made."""


class OutgoingMessage(Struct, frozen=True):
    """What a send says."""

    address: Address
    payload: Payload
    aliases: tuple[str, ...] = ()

    @property
    def is_open(self) -> bool:
        """Whether callers of the method around it may know more."""
        return bool(self.address.reason) or isinstance(self.payload.schema, Unknown)


def received_message(
    found: Address, payload: Payload | None, aliases: tuple[str, ...] = ()
) -> OutgoingMessage:
    """What a place receives; `payload` is what it is seen to read."""
    content = payload or undetermined_because(Reason("message-handling-not-followed"))
    return OutgoingMessage(found, content, aliases)


def channel_uses(
    program: Program,
    call: Call | New,
    scope: Scope,
    read: Callable[[Scope], OutgoingMessage],
    framework: str,
) -> Iterator[EventUse]:
    """The uses of a channel that a call makes. `read` returns the message as seen from a scope;
    where that leaves something undetermined, each caller of the method around it makes one use."""
    seen = _SendSite(program, read, framework)
    yield from seen.uses(call, scope, lambda place: [place], 0)


class _SendSite:
    """One send, seen from the method it stands in or from those that call it."""

    def __init__(
        self, program: Program, read: Callable[[Scope], OutgoingMessage], framework: str
    ) -> None:
        self.program = program
        self.read = read
        self.framework = framework

    def uses(
        self, call: Call | New, scope: Scope, inside: Callable[[Scope], list[Scope]], depth: int
    ) -> Iterator[EventUse]:
        """The uses that a call makes. `inside` gives the scopes of the library's call for one of
        the call's own."""
        messages = [self.read(place) for place in inside(scope)]
        hands_on = depth == 0 or (depth < _MAX_CALLERS and _hands_on(call, scope))
        if hands_on and any(one.is_open for one in messages):
            outside = list(callers(self.program, scope))
            seen: list[EventUse] = []
            for outer, place in outside:
                within = partial(self._caller_scopes, call, scope, outer, inside)
                seen.extend(self.uses(outer, place, within, depth + 1))
            yield from seen
            if seen:
                return
        for one in messages:
            yield channel_use("send", one, self.program.origin(call, scope), self.framework)

    def _caller_scopes(
        self,
        call: Call | New,
        scope: Scope,
        outer: Call,
        inside: Callable[[Scope], list[Scope]],
        place: Scope,
    ) -> list[Scope]:
        """The scopes of the library's call as a caller makes it; none where that does not come to
        it, the scope as it stands where that is undetermined."""
        found: list[Scope] = []
        for bound in bound_scopes(self.program, scope, outer, place):
            reach = reachability(self.program, bound, call.span)
            if reach != "no":
                found.extend(inside(bound if reach == "yes" else scope))
        return found


def _hands_on(call: Call | New, scope: Scope) -> bool:
    """Whether a call passes on what the method around it is given."""
    method = named_function_scope(scope)
    if method is None or method.function is None:
        return False
    names = {param.name for param in method.function.params}
    plain = (without_wrappers(argument.value) for argument in call.args)
    return any(isinstance(expr, Name) and expr.id in names for expr in plain)


def is_of(program: Program, expr: Expr, scope: Scope, names: frozenset[str]) -> bool:
    """Whether a value is of one of a library's types, and not of a type of the project."""
    value = program.evaluator.unwrap(program.evaluate(without_wrappers(expr), scope))
    if isinstance(value, Instance | ClassValue):
        return False
    name = program.evaluator.qualified_name(value)
    return "#" not in name and unqualified_name(name.rpartition(".")[2].removesuffix("()")) in names


def channel_use(
    direction: Direction,
    messages: OutgoingMessage,
    origin: Origin,
    framework: str,
    *,
    pattern: bool = False,
) -> EventUse:
    """A place that sends to an address or receives from it."""
    return EventUse(
        direction=direction,
        address=messages.address.text,
        payload=messages.payload.schema,
        message=messages.payload.message,
        aliases=messages.aliases,
        pattern=pattern,
        unresolved=messages.address.reason,
        framework=framework,
        origin=origin,
    )
