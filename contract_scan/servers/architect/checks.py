"""What is wrong with a document or missing in it, and what a person has to decide."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from contract_scan.ir.schema import Array, Object, Schema, Union, Unknown
from contract_scan.servers.architect.endpoints import parameters_of
from contract_scan.servers.architect.entities import NO_TYPE
from contract_scan.servers.architect.prd import Prd
from contract_scan.servers.architect.records import (
    Call,
    Endpoint,
    Entity,
    EventMention,
    Issue,
    Question,
    Service,
)

_PARAMETER = re.compile(r"\{[^{}/]+\}")
_WITH_BODY = frozenset({"POST", "PUT", "PATCH"})
_QUESTIONS: Mapping[str, str] = {
    "endpoint-without-service": "Which service provides {subject}?",
    "entity-without-owner": "Which service owns the entity {subject}?",
    "entity-with-several-owners": "Which one service owns the entity {subject}?",
    "undefined-type": "What are the fields or the JSON type of {subject}? ({message})",
    "missing-type": "What is the type of {subject}?",
    "missing-fields": "Which fields does the entity {subject} have?",
    "missing-request": "What does {subject} take as its request body?",
    "missing-response": "What does {subject} answer?",
    "missing-payload": "What does the event {subject} carry?",
    "event-without-publisher": "Which service publishes the event {subject}?",
    "service-cycle": "Which of the calls between {subject} can become an event, or go away?",
    "service-without-contract": "Which endpoints or events does {subject} provide?",
    "duplicate-id": "Which of the rows named {subject} is meant, and what is the id of the others?",
    "duplicate-entity": "Are the places that describe {subject} one entity? Which one counts?",
    "duplicate-service": "Are the sections for {subject} one service?",
    "duplicate-endpoint": "Which definition of {subject} counts?",
    "unread-endpoint": "Which method and path does {subject} stand for?",
    "nothing-recognised": "Which services, entities and endpoints does the system have?",
}
"""What is asked where an issue of a code was found."""


def endpoint_text(endpoint: Endpoint) -> str:
    """`POST /orders`"""
    return f"{endpoint.operation.method} {endpoint.operation.path}"


def entity_issues(
    entities: Sequence[Entity], owners: Mapping[str, Mapping[str, int]], *, has_services: bool
) -> Iterator[Issue]:
    """Owners, fields and types of entities."""
    for entity in entities:
        owned_by = owners.get(entity.name, {})
        if len(owned_by) > 1:
            listed = ", ".join(f"{name} (line {line})" for name, line in owned_by.items())
            yield Issue(
                "entity-with-several-owners",
                "error",
                f"{entity.name} is owned by {listed}",
                entity.name,
                entity.line,
            )
        elif not owned_by and has_services:
            message = f"nothing says which service owns {entity.name}"
            yield Issue("entity-without-owner", "warning", message, entity.name, entity.line)
        if not entity.fields:
            message = f"the document lists no fields of {entity.name}"
            yield Issue("missing-fields", "warning", message, entity.name, entity.line)
        for field in entity.fields:
            subject = f"{entity.name}.{field.name}"
            for reason in unknowns(field.schema):
                code = "missing-type" if reason == NO_TYPE else "undefined-type"
                yield Issue(
                    code,
                    "warning" if reason == NO_TYPE else "error",
                    f"{subject}: {reason}",
                    subject,
                    field.line,
                )


def endpoint_issues(endpoints: Sequence[Endpoint]) -> Iterator[Issue]:
    """Services, ids and schemas of endpoints, and the types of parameters of their paths."""
    identifiers: dict[str, int] = {}
    places: dict[str, int] = {}
    for one in endpoints:
        name = endpoint_text(one)
        if not one.service:
            message = f"nothing says which service provides {name}"
            yield Issue("endpoint-without-service", "error", message, name, one.line)
        if one.identifier:
            first = identifiers.setdefault(one.identifier, one.line)
            if first != one.line:
                message = f"{one.identifier} is on line {first} already"
                yield Issue("duplicate-id", "error", message, one.identifier, one.line)
        place = f"{one.operation.method} {_PARAMETER.sub('{}', one.operation.path)}"
        first = places.setdefault(place, one.line)
        if first != one.line:
            message = f"{name} is on line {first} already; the stub has the first"
            yield Issue("duplicate-endpoint", "error", message, name, one.line)
        if one.operation.method in _WITH_BODY and not one.gives_request:
            message = f"{name}: the document gives no request body"
            yield Issue("missing-request", "warning", message, name, one.line)
        if not one.gives_response:
            message = f"{name}: the document gives no response"
            yield Issue("missing-response", "warning", message, name, one.line)
        known = {each.name for each in one.operation.parameters if each.location == "path"}
        for parameter in parameters_of(one.operation.path):
            if parameter not in known:
                message = f"{name}: the document gives no type for the parameter {parameter}"
                subject = f"{parameter} of {name}"
                yield Issue("missing-type", "warning", message, subject, one.line)
        for reason in dict.fromkeys(_operation_unknowns(one)):
            yield Issue("undefined-type", "error", f"{name}: {reason}", name, one.line)


def event_issues(events: Sequence[EventMention]) -> Iterator[Issue]:
    """Publishers and payloads of events."""
    published = {one.event for one in events if one.direction == "publishes" and one.service}
    for one in {each.event: each for each in reversed(events)}.values():
        if one.event not in published:
            message = f"nothing says which service publishes {one.event}"
            yield Issue("event-without-publisher", "warning", message, one.event, one.line)
        if one.payload is None:
            message = f"the document gives no payload of {one.event}"
            yield Issue("missing-payload", "warning", message, one.event, one.line)
        else:
            for reason in dict.fromkeys(unknowns(one.payload)):
                message = f"{one.event}: {reason}"
                yield Issue("undefined-type", "error", message, one.event, one.line)


def service_issues(
    services: Sequence[Service], calls: Iterable[Call], with_contract: frozenset[str]
) -> Iterator[Issue]:
    """Cycles of calls, and services without a contract. Events make no cycle: who publishes does
    not wait."""
    edges: dict[str, dict[str, int]] = {one.name: {} for one in services}
    for call in calls:
        if call.kind == "calls":
            edges[call.service].setdefault(call.target, call.line)
    reached = {name: _reachable(name, edges) for name in edges}
    seen: set[str] = set()
    for name in edges:
        if name in seen or name not in reached[name]:
            continue
        circle = [other for other in edges if other in reached[name] and name in reached[other]]
        seen |= {*circle}
        listed = ", ".join(circle)
        line = min(line for one in circle for to, line in edges[one].items() if to in circle)
        message = f"{listed} call each other in a cycle"
        yield Issue("service-cycle", "warning", message, listed, line)
    for service in services:
        if service.name not in with_contract:
            message = f"{service.name} has no endpoints, events or contract file"
            yield Issue("service-without-contract", "warning", message, service.name, service.line)


def document_issues(prd: Prd, *, is_empty: bool) -> Iterator[Issue]:
    """Tables that are none, and a document in which nothing was recognised."""
    for line in prd.malformed:
        message = (
            "the lines look like a table, but it lacks its row of dashes or differs in columns"
        )
        yield Issue("malformed-table", "error", message, f"line {line}", line)
    if is_empty:
        titles = [one.title for one in prd.sections if one.title][:10]
        message = (
            "no service, entity, endpoint or event was recognised"
            + (f" below {', '.join(repr(title[:60]) for title in titles)}" if titles else "")
            + "; headings are read in English, German, French and Spanish: "
            "Services, Entities, Endpoints, Events"
        )
        yield Issue("nothing-recognised", "error", message, prd.title, 1)


def questions_of(issues: Iterable[Issue]) -> tuple[Question, ...]:
    """One question for each subject of each issue that a person has to decide."""
    found: dict[tuple[str, str], Question] = {}
    for one in issues:
        template = _QUESTIONS.get(one.code)
        if template is not None:
            message = one.message.partition(": ")[2] or one.message
            text = template.format(subject=one.subject, message=message)
            found.setdefault((one.code, one.subject), Question(text, one.subject, one.line))
    return tuple(found.values())


def unknowns(schema: Schema) -> Iterator[str]:
    """Why parts of a schema are not known."""
    match schema:
        case Unknown(reason=reason):
            yield reason
        case Array(items=items):
            yield from unknowns(items)
        case Object(fields=fields, additional=additional, incomplete_reason=partial):
            if partial:
                yield partial
            for field in fields:
                yield from unknowns(field.schema)
            if additional is not None:
                yield from unknowns(additional)
        case Union(options=options):
            for option in options:
                yield from unknowns(option)
        case _:
            pass


# Private helpers


def _operation_unknowns(endpoint: Endpoint) -> Iterator[str]:
    operation = endpoint.operation
    for parameter in operation.parameters:
        yield from unknowns(parameter.schema)
    for body in operation.request:
        yield from unknowns(body.schema)
    for response in operation.responses:
        for body in response.bodies:
            yield from unknowns(body.schema)


def _reachable(start: str, edges: Mapping[str, Mapping[str, int]]) -> set[str]:
    found: set[str] = set()
    waiting = [*edges[start]]
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += edges[name]
    return found
