"""Amazon EventBridge: events that the AWS SDK puts on a bus."""

from __future__ import annotations

from collections.abc import Iterator

from contract_scan.ir.event import EventUse
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import Scope
from contract_scan.parsers.source.analysis.evaluation.call_sites import calls_in
from contract_scan.parsers.source.facts.nodes import Call, Expr, New
from contract_scan.parsers.source.java.messaging.addresses import address
from contract_scan.parsers.source.java.messaging.payloads import PLAIN_MAPPER, argument_payload
from contract_scan.parsers.source.java.messaging.uses import channel_use
from contract_scan.parsers.source.java.messaging.wrappers import sites_of_call
from contract_scan.parsers.source.java.resolution.annotations import type_name
from contract_scan.parsers.source.java.web.chains import chain, method
from contract_scan.parsers.source.language import Framework
from contract_scan.parsers.source.messaging.addresses import Address

_ENTRY = "PutEventsRequestEntry"
_TYPES = frozenset({"detailType", "withDetailType"})
_DETAILS = frozenset({"detail", "withDetail"})
_AROUND = frozenset({"eventBusName", "withEventBusName", "source", "withSource"})


def events(program: Program, framework: Framework) -> Iterator[EventUse]:
    """Every entry that is made to be put on a bus."""
    for file in program.seeds(framework):
        seen: set[object] = set()
        for call, scope in program.calls(file):
            if isinstance(call, Call) and method(call) in _TYPES and call.args:
                steps = _steps(program, call, scope)
                key = call.args[0].value.span
                if steps is not None and key not in seen:
                    seen.add(key)
                    yield from _entry(program, call, scope, steps)


def _steps(program: Program, call: Call, scope: Scope) -> dict[str, Expr] | None:
    """What an entry is made of, by the names of the methods; None: it is none."""
    base = chain(call).base
    is_entry = getattr(base, "id", "") == _ENTRY
    if isinstance(base, New):
        is_entry = type_name(base.type) == _ENTRY
    steps: dict[str, Expr] = {}
    # The chain goes on around the call: all calls of the function with this beginning.
    for other, _ in calls_in(program, scope.statements or (), scope):
        if isinstance(other, Call) and other.args and _starts_alike(other, call):
            steps.setdefault(method(other), other.args[0].value)
    # `entries(entry -> entry.detailType("x"))`: an entry that a function is given.
    is_given = scope.function is not None and not scope.function.name
    return steps if is_entry or is_given else None


def _starts_alike(one: Call, other: Call) -> bool:
    return chain(one).base.span == chain(other).base.span


def _entry(
    program: Program, call: Call, scope: Scope, steps: dict[str, Expr]
) -> Iterator[EventUse]:
    type = next(steps[name] for name in sorted(_TYPES) if name in steps)
    detail = next((steps[name] for name in sorted(_DETAILS) if name in steps), None)
    for site in sites_of_call(program, call, scope, (type, detail)):
        found: Address = address(program, type, site.scope)
        origin = program.origin(site.shown, site.shown_scope)
        payload = argument_payload(program, site, detail, origin, PLAIN_MAPPER)
        around = [address(program, steps[n], site.scope).text for n in sorted(_AROUND & set(steps))]
        known = [name for name in around if name]
        aliases = (
            *known,
            *(f"{name}/{found.text}" for name in known),
            *(f"{name}.{found.text}" for name in known),
        )
        yield channel_use(
            "send", found, payload, origin, FRAMEWORK.name, aliases=aliases if found.text else ()
        )


FRAMEWORK = Framework(
    name="Amazon EventBridge",
    markers=(
        b"software.amazon.awssdk.services.eventbridge",
        b"com.amazonaws.services.eventbridge",
    ),
    calls=(b"etailType(",),
    events=events,
)
