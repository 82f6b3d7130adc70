"""Messages that are sent several at once: lists of dicts, each with content and address."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from contract_scan.ir.event import EventUse
from contract_scan.ir.origin import Origin
from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import Unknown
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    Items,
    OneOf,
    Record,
    Scope,
    Value,
    origin_at,
)
from contract_scan.parsers.source.facts.nodes import Call, Expr
from contract_scan.parsers.source.language import Framework
from contract_scan.parsers.source.python.messaging.payloads import Payload, of_value
from contract_scan.parsers.source.python.messaging.trace import caller_scopes
from contract_scan.parsers.source.python.messaging.uses import addresses, texts, use

Entry = Mapping[str, Value]
"""The values of one entry by their keys."""


def entry_uses(
    program: Program,
    framework: Framework,
    call: Call,
    scope: Scope,
    many: Expr | None,
    address: Expr | None,
    content: str,
) -> Iterator[EventUse]:
    """The sends of a list of entries that all go to one address."""
    exprs = [expr for expr in (many, address) if expr is not None]
    seen: set[tuple[object, ...]] = set()
    for scope_known, origin in known_places(program, call, scope, exprs):
        found = list(addresses(program, address, scope_known))
        for entry in _entries(program, many, scope_known) or [{}]:
            message = _content(program, entry.get(content))
            for text, unresolved in found:
                key = (text, message.name, origin.span, id(entry) if entry else 0)
                if key not in seen:
                    seen.add(key)
                    yield use(framework, "send", text, message, origin, unresolved)


def entries(
    program: Program,
    framework: Framework,
    call: Call,
    scope: Scope,
    many: Expr | None,
    address: str,
    content: str,
) -> Iterator[tuple[EventUse, Entry]]:
    """The sends of a list of entries that each say where they go, with the entry itself."""
    exprs = [] if many is None else [many]
    for scope_known, origin in known_places(program, call, scope, exprs):
        for entry in _entries(program, many, scope_known) or [{}]:
            message = _content(program, entry.get(content))
            target = entry.get(address)
            known = [] if target is None else list(dict.fromkeys(texts(program, target)))
            for text in known:
                yield use(framework, "send", text, message, origin), entry
            if not known:
                why = Reason("address-computed")
                yield use(framework, "send", "", message, origin, why), entry


def known_places(
    program: Program, call: Call, scope: Scope, exprs: list[Expr]
) -> Iterator[tuple[Scope, Origin]]:
    """The scopes in which what is sent is known, each with the place to show."""
    for found in caller_scopes(program, scope, exprs):
        if found.span is not None:
            yield found.scope, Origin(found.path, found.span, "", "")
        else:
            yield found.scope, origin_at(scope, call.span)


def _entries(program: Program, many: Expr | None, scope: Scope) -> list[Entry]:
    found: list[Entry] = []
    pending = [] if many is None else [program.evaluate(many, scope)]
    while pending:
        value = pending.pop(0)
        match value:
            case Items(values=values):
                pending.extend(values)
            case OneOf(options=options):
                pending.extend(options)
            case Record():
                found.append({entry.name: entry.value for entry in value.entries})
            case _:
                continue
    return found


def _content(program: Program, value: Value | None) -> Payload:
    if value is None:
        return Payload(Unknown(reason=Reason("message-not-found")))
    return of_value(program, value)
