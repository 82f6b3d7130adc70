"""Events: who publishes and who consumes which, and what they carry.

Sentences ("publishes `order.placed`", "published by Orders"), lists below such labels, tables
with a column of events, and sections for events in which every item and heading is one.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Literal, TypeAlias

from contract_scan import api
from contract_scan.ir.schema import Schema
from contract_scan.servers.architect.names import named_in, plain_text
from contract_scan.servers.architect.prd import Prd, Section, Statement
from contract_scan.servers.architect.records import EventMention, Service
from contract_scan.servers.architect.services import InContext, in_context, keys_of
from contract_scan.servers.architect.vocabulary import EVENT_PARTS, term

Direction: TypeAlias = Literal["publishes", "consumes"]

_ACTIVE = re.compile(
    r"\b(?:(?P<publishes>publish(?:es|ed events)?|emits?|produces?|raises?|broadcasts?"
    r"|veröffentlicht|sendet|publie|émet|publica|emite)"
    r"|(?P<consumes>consumes?|consumed events|subscribes? to|subscriptions|listens? (?:to|for)"
    r"|reacts? to|konsumiert|empfängt|abonniert|consomme|écoute|s['’]abonne à|recibe|escucha"
    r"|se suscribe a))\b(?! by\b)",
    re.IGNORECASE,
)
_PASSIVE = re.compile(
    r"\b(?:(?P<publishes>published|emitted|produced|raised)"
    r"|(?P<consumes>consumed|received|handled)) by\b",
    re.IGNORECASE,
)
_TOKEN = re.compile(
    r"`(?P<code>[A-Za-z][\w./:-]{0,199})`"
    r"|(?<![\w/{])(?P<dotted>[a-z][\w-]{0,199}+(?>(?:\.[a-z][\w-]{0,199}+)+))(?!\w)"
    r"|(?<![\w/{.])(?P<camel>[A-Z][a-z0-9]+(?:[A-Z][a-z0-9]+)+)(?![\w/])"
)
_BRACED = re.compile(r"^([^{\n]*+)\{.*\}", re.MULTILINE)
"""The first brace of a line to the last; searched for at beginnings of lines alone."""
_FIELD = re.compile(r"^(?P<name>[A-Za-z_]\w{0,79})(?P<optional>\?)?\s*:\s*(?P<type>\S.*)$")
_NAMES = ("event", "event name", "channel", "topic", "message", "name")
_PUBLISHERS = frozenset({"publisher", "producer", "published by", "source", "emitted by"})
_CONSUMERS = frozenset(
    {"consumer", "consumers", "subscriber", "subscribers", "consumed by", "consumer(s)"}
)
_PAYLOADS = frozenset({"payload", "schema", "data", "fields", "body"})


def events_of(
    prd: Prd, services: Sequence[Service], known: Collection[str]
) -> tuple[EventMention, ...]:
    """Every mention in the order of lines; each event, service and direction once. A mention
    without a payload gets that of another mention of the event."""
    keys = keys_of(services)
    mentions = [*_of_text(prd, services, keys, known)]
    for section in prd.sections:
        mentions += _of_tables(section, keys, known)
    mentions.sort(key=lambda one: one.line)
    spelling: dict[str, str] = {}
    payloads: dict[str, Schema] = {}
    for one in mentions:
        spelling.setdefault(one.event.lower(), one.event)
        if one.payload is not None:
            payloads.setdefault(one.event.lower(), one.payload)
    found: dict[tuple[str, str, str], EventMention] = {}
    for one in mentions:
        key = one.event.lower()
        whole = EventMention(spelling[key], one.service, one.direction, payloads.get(key), one.line)
        found.setdefault((key, one.service, one.direction), whole)
    return tuple(
        one
        for (key, service, direction), one in found.items()
        if service or not any(k == key and s and d == direction for k, s, d in found)
    )


# Private helpers


def _of_text(
    prd: Prd,
    services: Sequence[Service],
    keys: Mapping[tuple[str, ...], str],
    known: Collection[str],
) -> Iterator[EventMention]:
    statements = [*in_context(prd, services)]
    for at, one in enumerate(statements):
        event = _event_around(prd, one)
        payload = _payload(one.statement.text, known) or _nested_payload(statements, at, known)
        yield from _of_statement(one, event, payload, keys)


def _of_statement(
    one: InContext, around: str, payload: Schema | None, keys: Mapping[tuple[str, ...], str]
) -> Iterator[EventMention]:
    text = _BRACED.sub(r"\1 ", one.statement.text)
    line = one.statement.line
    verbs = sorted(
        [*_ACTIVE.finditer(text), *_PASSIVE.finditer(text)], key=lambda verb: verb.start()
    )
    under = one.statement.under
    if not verbs:
        label = _ACTIVE.match(under)
        if label and one.service and one.statement.depth:
            for event in _tokens(text)[:1]:
                yield EventMention(event, one.service, _direction(label), payload, line)
        elif around and payload is not None and _tokens(text)[:1] == (around,):
            yield EventMention(around, "", "publishes", payload, line)
        return
    ends = [*(verb.start() for verb in verbs[1:]), len(text)]
    for position, (verb, end) in enumerate(zip(verbs, ends, strict=True)):
        before = text[(verbs[position - 1].end() if position else 0) : verb.start()]
        after = text[verb.end() : end]
        if verb.re is _PASSIVE:
            events = (around,) if around else _tokens(text[: verbs[0].start()])[-1:]
            for event in events:
                for service in named_in(plain_text(after), keys) or ("",):
                    yield EventMention(event, service, _direction(verb), payload, line)
        else:
            subjects = named_in(plain_text(before), keys) if not position else ()
            service = subjects[-1] if subjects else one.service
            for event in _tokens(after):
                yield EventMention(event, service, _direction(verb), payload, line)


def _direction(verb: re.Match[str]) -> Direction:
    return "publishes" if verb["publishes"] else "consumes"


def _tokens(text: str) -> tuple[str, ...]:
    """The names of events in a text: in code marks, with dots, or of several capitalised words."""
    found: dict[str, None] = {}
    for token in _TOKEN.finditer(text):
        name = token["code"] or token["dotted"] or token["camel"]
        if not name.lower().endswith("service"):
            found[name] = None
    return tuple(found)


def _event_around(prd: Prd, one: InContext) -> str:
    """The event that an item or heading in a section for events is."""
    section = prd.sections[one.section]
    if term(section.title) in EVENT_PARTS:
        text = one.statement.text if one.statement.depth == 1 else one.statement.under
        return next(iter(_tokens(text.partition("{")[0])[:1]), "")
    if section.parent is not None and term(prd.sections[section.parent].title) in EVENT_PARTS:
        return next(iter(_tokens(section.title)), section.title.split(" ")[0])
    return ""


def _payload(text: str, known: Collection[str]) -> Schema | None:
    """What stands in braces, or after `payload:`."""
    shown = plain_text(text)
    start = shown.find("{")
    if start >= 0:
        end = shown.rfind("}")
        return api.read_type(shown[start : end + 1], known) if end > start else None
    found = re.search(r"\bpayload:?\s+(?P<name>[A-Z]\w{0,79})\b", shown)
    return api.read_type(found["name"], known) if found else None


def _nested_payload(
    statements: Sequence[InContext], at: int, known: Collection[str]
) -> Schema | None:
    """The fields in items below an item that names an event."""
    top = statements[at]
    if not top.statement.depth or not _tokens(top.statement.text):
        return None
    fields: list[str] = []
    for one in statements[at + 1 :]:
        if one.section != top.section or one.statement.depth <= top.statement.depth:
            break
        if found := _FIELD.match(_plain_text(one.statement)):
            fields.append(f"{found['name']}{found['optional'] or ''}: {found['type']}")
    return api.read_type("{ " + ", ".join(fields) + " }", known) if fields else None


def _plain_text(statement: Statement) -> str:
    return plain_text(statement.text)


def _of_tables(
    section: Section, keys: Mapping[tuple[str, ...], str], known: Collection[str]
) -> Iterator[EventMention]:
    for table in section.tables:
        headings = [term(one) for one in table.headings]
        is_events = any(one in _PUBLISHERS | _CONSUMERS for one in headings)
        column = next((headings.index(one) for one in _NAMES if one in headings), None)
        if not is_events or column is None:
            continue
        for row in table.rows:
            cells = dict(zip(headings, map(plain_text, row.cells), strict=False))
            event = plain_text(row.cells[column])
            if not re.fullmatch(r"[A-Za-z][\w./:-]{0,199}", event):
                continue
            said = next((cells[one] for one in headings if one in _PAYLOADS), "")
            payload = api.read_type(said, known) if said.strip(" -–—") else None
            for heading in headings:
                for words, direction in ((_PUBLISHERS, "publishes"), (_CONSUMERS, "consumes")):
                    if heading in words:
                        for service in named_in(cells[heading], keys) or ("",):
                            yield EventMention(
                                event,
                                service,
                                "publishes" if direction == "publishes" else "consumes",
                                payload,
                                row.line,
                            )
