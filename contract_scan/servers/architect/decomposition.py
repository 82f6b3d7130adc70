"""A document -> the answer of `decompose`. Pure: the same document, strategy, limits and contracts
give the same answer."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any

import msgspec

from contract_scan.reports.json_schema import SchemaWriter
from contract_scan.servers.architect.checks import (
    document_issues,
    endpoint_issues,
    entity_issues,
    event_issues,
    questions_of,
    service_issues,
)
from contract_scan.servers.architect.endpoints import (
    SkippedRow,
    called_endpoints,
    client_calls,
    read_endpoints,
    with_services,
)
from contract_scan.servers.architect.entities import Candidate, entities_of
from contract_scan.servers.architect.events import events_of
from contract_scan.servers.architect.grouping import Limits, group
from contract_scan.servers.architect.names import KINDS, kebab, key_of, named_in
from contract_scan.servers.architect.prd import Prd
from contract_scan.servers.architect.records import (
    Call,
    ContractAtHand,
    Endpoint,
    Entity,
    EventMention,
    Issue,
    Relation,
    Service,
)
from contract_scan.servers.architect.relations import relations_of
from contract_scan.servers.architect.services import (
    NamedService,
    calls_of,
    keys_of,
    owners_of,
    services_of,
)
from contract_scan.servers.architect.stubs import VERSION, Entities, asyncapi_stub, openapi_stub

_PARAMETER = re.compile(r"\{[^{}/]+\}")
_TYPES = {"json-schema": "json_schema", "svc-table": "svc_table"}


def decomposition_of(
    prd: Prd,
    strategy: str,
    limits: Limits,
    contracts: Sequence[ContractAtHand],
    unreadable: Sequence[tuple[str, str]],
) -> dict[str, Any]:
    """The services, the domain model, the stubs, what is wrong and what has to be asked."""
    entities, repeated_entities = entities_of(prd)
    known = frozenset(one.name for one in entities)
    relations = relations_of(prd, entities)
    named, repeated_services = services_of(prd)
    read = read_endpoints(prd, named, known)
    owners = owners_of(prd, named, entities)
    grouping = group(strategy, limits, named, owners, entities, relations, read.said)
    services = grouping.services
    is_named = grouping.strategy == "named"
    said = read.said if is_named else tuple(_without_services(one) for one in read.said)
    endpoints = with_services(said, services, grouping.owners, entities)
    events = events_of(prd, services, known)
    calls = _dependencies(
        [
            *(calls_of(prd, services) if is_named else ()),
            *(called_endpoints(prd, services, grouping.owners) if is_named else ()),
            *client_calls(said, endpoints),
        ],
        events,
        relations,
        grouping.owners,
    )
    files = _files_of(contracts, services, endpoints)
    stubs = _stubs(services, endpoints, events, entities)
    provided = {stub["service_name"] for stub in stubs} | {name for name in files if files[name]}
    is_empty = not (services or entities or read.said or events)
    issues = [
        *document_issues(prd, is_empty=is_empty),
        *_duplicate_issues(repeated_entities, repeated_services),
        *_unread_issues(read.unread),
        *entity_issues(entities, grouping.owners, has_services=bool(services)),
        *endpoint_issues(endpoints),
        *event_issues(events),
        *service_issues(services, calls, frozenset(provided)),
        *grouping.issues,
        *(
            Issue("contract-unreadable", "warning", f"{path}: {reason}", path, 0)
            for path, reason in unreadable
        ),
    ]
    issues = [*dict.fromkeys(issues)]
    project = kebab(prd.title, "untitled")
    return {
        "service_map": {
            "project_name": project,
            "title": prd.title[:500],
            "strategy": grouping.strategy,
            "services": [
                _service(one, grouping.owners, endpoints, events, calls, files[one.name])
                for one in services
            ],
        },
        "domain_model": {
            "project_name": project,
            "entities": [_entity(one, relations, grouping.owners, entities) for one in entities],
        },
        "contract_stubs": stubs,
        "validation_issues": [msgspec.to_builtins(one) for one in issues],
        "interview_questions": [msgspec.to_builtins(one) for one in questions_of(issues)],
    }


# Private helpers


def _without_services(said: Any) -> Any:
    """An endpoint without services of the document, which another strategy does not use."""
    return msgspec.structs.replace(said, provider="", section_service="", client="")


def _dependencies(
    calls: Sequence[Call],
    events: Sequence[EventMention],
    relations: Sequence[Relation],
    owners: Mapping[str, Mapping[str, int]],
) -> tuple[Call, ...]:
    """Every reason for which a service needs another: each pair and kind once."""
    found = [*calls]
    publishers: dict[str, list[str]] = {}
    for one in events:
        if one.direction == "publishes" and one.service:
            publishers.setdefault(one.event, []).append(one.service)
    for one in events:
        found += [
            Call(one.service, publisher, "consumes", one.event, one.line)
            for publisher in publishers.get(one.event, ())
            if one.direction == "consumes" and one.service and publisher != one.service
        ]
    for relation in relations:
        for subject in owners.get(relation.subject, {}):
            for target in owners.get(relation.target, {}):
                # An entity that belongs to one of another service needs that service, not the
                # reverse.
                if subject != target and relation.kind != "has_many":
                    reason = f"{relation.subject} {relation.kind} {relation.target}"
                    found.append(Call(subject, target, "relation", reason, relation.line))
    unique: dict[tuple[str, str, str], Call] = {}
    for call in sorted(found, key=lambda one: one.line):
        reason = call.reason if call.kind == "consumes" else ""
        unique.setdefault((call.service, call.target, call.kind + reason), call)
    return tuple(unique.values())


def _files_of(
    contracts: Sequence[ContractAtHand], services: Sequence[Service], endpoints: Sequence[Endpoint]
) -> dict[str, list[ContractAtHand]]:
    """The contract files of each service: those that name it in the contract or configuration, in
    their title or path, and those with one of its endpoints."""
    keys = keys_of(services)
    found: dict[str, list[ContractAtHand]] = {one.name: [] for one in services}
    for contract in contracts:
        path = " ".join(PurePosixPath(contract.path).parts)
        by_name = (
            keys.get(key_of(contract.service)),
            next(iter(named_in(contract.title, keys)), None),
            next(iter(named_in(path, keys)), None),
            next(iter(named_in(path, keys, KINDS)), None),
        )
        places = {(method, _PARAMETER.sub("{}", path)) for method, path in contract.operations}
        by_endpoint = next(
            (
                one.service
                for one in endpoints
                if one.service
                and (one.operation.method, _PARAMETER.sub("{}", one.operation.path)) in places
            ),
            None,
        )
        service = next(filter(None, (*by_name, by_endpoint)), None)
        if service is not None:
            found[service].append(contract)
    return found


def _stubs(
    services: Sequence[Service],
    endpoints: Sequence[Endpoint],
    events: Sequence[EventMention],
    entities: Sequence[Entity],
) -> list[dict[str, Any]]:
    resolver = Entities(entities)
    made = [
        stub
        for service in services
        for stub in (
            openapi_stub(
                service, [one for one in endpoints if one.service == service.name], resolver
            ),
            asyncapi_stub(
                service, [one for one in events if one.service == service.name], resolver
            ),
        )
        if stub is not None
    ]
    return [
        {"service_name": one.service, "type": one.type, "version": VERSION, "spec": one.spec}
        for one in made
    ]


def _duplicate_issues(
    entities: Sequence[Candidate], services: Sequence[NamedService]
) -> list[Issue]:
    return [
        *(
            Issue(
                "duplicate-entity",
                "warning",
                f"{one.original_name[:80]} is described elsewhere already; this place is not read",
                one.original_name[:80],
                one.line,
            )
            for one in entities
        ),
        *(
            Issue(
                "duplicate-service",
                "warning",
                f"{one.original_name[:80]} has a section already; this one is not read as a part "
                "of it",
                one.original_name[:80],
                one.line,
            )
            for one in services
        ),
    ]


def _unread_issues(unread: Sequence[SkippedRow]) -> list[Issue]:
    return [Issue("unread-endpoint", "error", one.reason, one.subject, one.line) for one in unread]


def _service(
    service: Service,
    owners: Mapping[str, Mapping[str, int]],
    endpoints: Sequence[Endpoint],
    events: Sequence[EventMention],
    calls: Sequence[Call],
    files: Sequence[ContractAtHand],
) -> dict[str, Any]:
    def events_in_direction(direction: str) -> list[dict[str, Any]]:
        return [
            {"event": one.event, "line": one.line}
            for one in events
            if one.service == service.name and one.direction == direction
        ]

    return {
        "name": service.name,
        "original_name": service.original_name,
        "description": service.description,
        "line": service.line,
        "entities": [
            {"name": entity, "line": owned[service.name]}
            for entity, owned in owners.items()
            if service.name in owned
        ],
        "endpoints": [
            {
                "id": one.identifier,
                "method": one.operation.method,
                "path": one.operation.path,
                "line": one.line,
            }
            for one in endpoints
            if one.service == service.name
        ],
        "publishes": events_in_direction("publishes"),
        "consumes": events_in_direction("consumes"),
        "depends_on": [
            {"service": one.target, "kind": one.kind, "because": one.reason, "line": one.line}
            for one in calls
            if one.service == service.name
        ],
        "contracts": [
            {"path": one.path, "type": _TYPES.get(one.kind, one.kind), "title": one.title[:200]}
            for one in files
        ],
    }


def _entity(
    entity: Entity,
    relations: Sequence[Relation],
    owners: Mapping[str, Mapping[str, int]],
    entities: Sequence[Entity],
) -> dict[str, Any]:
    writer = SchemaWriter(Entities(entities), "#/entities")
    owned = [*owners.get(entity.name, {})]
    states = entity.states
    return {
        "name": entity.name,
        "original_name": entity.original_name,
        "description": entity.description,
        "line": entity.line,
        "owner": owned[0] if len(owned) == 1 else None,
        "fields": [
            {
                "name": one.name,
                "type": one.type,
                "required": one.required,
                "schema": writer.write(one.schema),
                "line": one.line,
            }
            for one in entity.fields
        ],
        "relations": [
            {"kind": one.kind, "target": one.target, "line": one.line}
            for one in relations
            if one.subject == entity.name
        ],
        "states": None
        if states is None
        else {
            "values": [*states.values],
            "transitions": [{"from": a, "to": b} for a, b in states.transitions],
            "line": states.line,
        },
    }
