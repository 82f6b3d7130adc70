"""Endpoints: rows of SVC tables and of other tables with a column of endpoints, and `GET /orders`
in running text; and which service provides each."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence

import msgspec
from msgspec import Struct

from contract_scan import api
from contract_scan.ir.operation import Operation, Parameter
from contract_scan.servers.architect.names import key_of, named_in, plain_text, words_of
from contract_scan.servers.architect.prd import Prd, Row, Table
from contract_scan.servers.architect.records import Call, Endpoint, Entity, EntityField, Service
from contract_scan.servers.architect.services import (
    in_context,
    is_call,
    keys_of,
    service_of_section,
)
from contract_scan.servers.architect.vocabulary import term

_PROVIDERS = frozenset({"service", "provider", "backend service", "backend", "provided by"})
_CLIENTS = frozenset(
    {
        "client",
        "caller",
        "consumer",
        "frontend service",
        "frontend service.method",
        "client method",
        "client service",
        "called by",
    }
)
_TEXTS = ("description", "purpose", "notes", "summary")
_IN_TEXT = re.compile(
    r"\b(?P<method>GET|PUT|POST|DELETE|PATCH|HEAD|OPTIONS)\s+(?P<path>/[^\s,;)]*)"
)
_REQUEST = re.compile(r"\b(?:request|body|accepts)\b:?\s*", re.IGNORECASE)
_RESPONSE = re.compile(r"->|→|\breturns\b:?|\bresponse\b:?|\bresponds with\b:?", re.IGNORECASE)
_VERSION = re.compile(r"api|rest|v\d+", re.IGNORECASE)
_PARAMETER = re.compile(r"\{([^{}/]*)\}")
_TEXT_HEADINGS = ("id", "method", "endpoint", "request", "response")


class DescribedEndpoint(Struct, frozen=True, kw_only=True):
    """An endpoint before it has a service."""

    operation: Operation
    identifier: str = ""
    provider: str = ""
    """The service that a column names; empty: none."""
    section_service: str
    """The service whose section it stands in; empty: none."""
    client: str = ""
    """The service that calls it; empty: none is named."""
    description: str = ""
    line: int
    gives_request: bool
    gives_response: bool


class SkippedRow(Struct, frozen=True):
    """A row that names an endpoint and makes none."""

    subject: str
    reason: str
    line: int


class Endpoints(Struct, frozen=True):
    """What the document says of endpoints."""

    said: tuple[DescribedEndpoint, ...]
    unread: tuple[SkippedRow, ...]


def read_endpoints(prd: Prd, services: Sequence[Service], known: Collection[str]) -> Endpoints:
    """Every endpoint in the order of lines. `known` are the names that types may refer to."""
    said: list[DescribedEndpoint] = []
    unread: list[SkippedRow] = []
    keys = keys_of(services)
    for index, section in enumerate(prd.sections):
        around = service_of_section(prd, index, services)
        for table in section.tables:
            for row in table.rows:
                _read_row(table, row, around, keys, known, said, unread)
    for one in in_context(prd, services):
        for text in _texts(one.statement.text):
            cells = _cells(text)
            reading = api.read_endpoint_row(_TEXT_HEADINGS, cells, one.statement.line, known)
            said += [
                DescribedEndpoint(
                    operation=operation,
                    section_service=one.service,
                    line=one.statement.line,
                    gives_request=bool(cells[3]),
                    gives_response=bool(cells[4]),
                )
                for operation in (reading.operations if reading else ())
            ]
    readable = []
    for each in sorted(said, key=lambda one: one.line):
        if reason := _unusable(each.operation.path):
            shown = each.identifier or f"{each.operation.method} {each.operation.path}"
            unread.append(SkippedRow(shown, reason, each.line))
        else:
            readable.append(each)
    return Endpoints(tuple(readable), tuple(sorted(unread, key=lambda one: one.line)))


def with_services(
    said: Sequence[DescribedEndpoint],
    services: Sequence[Service],
    owners: Mapping[str, Mapping[str, int]],
    entities: Sequence[Entity],
) -> tuple[Endpoint, ...]:
    """Endpoints with the service that provides each: the one that its row names, the one in whose
    section it stands, the one that the first segment of its path names, or the owner of the
    entity that this segment names. Parameters of paths get the types of the fields that they name.
    """
    keys = keys_of(services)
    by_key = {key_of(one.name): one for one in entities}
    found: list[Endpoint] = []
    for one in said:
        service = (
            one.provider or one.section_service or prefix_service(one.operation.path, keys, owners)
        )
        found.append(
            Endpoint(
                _with_parameters(one.operation, by_key),
                one.identifier,
                service,
                one.description,
                one.line,
                one.gives_request,
                one.gives_response,
            )
        )
    return tuple(found)


def client_calls(
    said: Sequence[DescribedEndpoint], endpoints: Sequence[Endpoint]
) -> Iterator[Call]:
    """What rows say of which service calls which endpoint."""
    for one, endpoint in zip(said, endpoints, strict=True):
        if one.client and endpoint.service and one.client != endpoint.service:
            reason = f"{one.client} calls {one.operation.method} {one.operation.path}"
            yield Call(one.client, endpoint.service, "calls", reason, one.line)


def called_endpoints(
    prd: Prd, services: Sequence[Service], owners: Mapping[str, Mapping[str, int]]
) -> Iterator[Call]:
    """`calls GET /payments` in the section of a service."""
    keys = keys_of(services)
    for one in in_context(prd, services):
        text = plain_text(one.statement.text)
        for found in _IN_TEXT.finditer(text):
            if one.service and is_call(text[: found.start()]):
                target = prefix_service(found["path"], keys, owners)
                if target and target != one.service:
                    reason = f"calls {found['method']} {found['path']}"
                    yield Call(one.service, target, "calls", reason, one.statement.line)


def first_segment(path: str) -> str:
    """The first segment of a path that is neither a version, `api` nor a parameter; empty: none."""
    for segment in path.split("/"):
        if segment and not _VERSION.fullmatch(segment):
            return "" if "{" in segment else segment
    return ""


def prefix_service(
    path: str, keys: Mapping[tuple[str, ...], str], owners: Mapping[str, Mapping[str, int]]
) -> str:
    """The service that the first segment of a path names, or that alone owns the entity which it
    names; empty: none."""
    key = key_of(first_segment(path))
    if not key:
        return ""
    if key in keys:
        return keys[key]
    for entity, named in owners.items():
        if key_of(entity) == key and len(named) == 1:
            return next(iter(named))
    return ""


def parameters_of(path: str) -> tuple[str, ...]:
    """The names of the parameters of a path."""
    return tuple(_PARAMETER.findall(path))


# Private helpers


def _with_parameters(operation: Operation, entities: Mapping[tuple[str, ...], Entity]) -> Operation:
    """The operation with the parameters of its path that name a field of an entity: `{id}` after
    `/orders`, and `{orderId}`."""
    known = {one.name for one in operation.parameters if one.location == "path"}
    added: list[Parameter] = []
    before = ""
    for segment in operation.path.split("/"):
        found = _PARAMETER.fullmatch(segment)
        if found and found[1] not in known:
            field = _field_named(found[1], entities.get(key_of(before)), entities)
            if field is not None:
                parameter = Parameter(
                    name=found[1], location="path", schema=field.schema, required=True
                )
                added.append(parameter)
        before = segment
    parameters = (*operation.parameters, *added)
    return msgspec.structs.replace(operation, parameters=parameters)


def _field_named(
    name: str, before: Entity | None, entities: Mapping[tuple[str, ...], Entity]
) -> EntityField | None:
    words = words_of(name)
    if before is not None:
        for field in before.fields:
            if words_of(field.name) == words:
                return field
    named = entities.get(key_of(" ".join(words[:-1]))) if words[-1:] == ("id",) else None
    return next((one for one in named.fields if one.name == "id"), None) if named else None


def _read_row(
    table: Table,
    row: Row,
    around: str,
    keys: Mapping[tuple[str, ...], str],
    known: Collection[str],
    said: list[DescribedEndpoint],
    unread: list[SkippedRow],
) -> None:
    reading = api.read_endpoint_row(table.headings, row.cells, row.line, known)
    if reading is None:
        return
    headings = [term(one) for one in table.headings]
    cells = dict(zip(headings, map(plain_text, row.cells), strict=False))
    provider = next((cells[one] for one in headings if one in _PROVIDERS), "")
    client = next((cells[one] for one in headings if one in _CLIENTS), "")
    if reading.problem:
        subject = reading.identifier or reading.cells.get("endpoint", "")
        unread.append(SkippedRow(subject[:200], reading.problem, row.line))
    said += [
        DescribedEndpoint(
            operation=operation,
            identifier=reading.identifier,
            provider=next(iter(named_in(provider, keys)), ""),
            section_service=around,
            client=next(iter(named_in(client.partition(".")[0], keys)), ""),
            description=next((cells[one] for one in _TEXTS if cells.get(one)), ""),
            line=row.line,
            gives_request=bool(reading.cells.get("request")),
            gives_response=bool(reading.cells.get("response")),
        )
        for operation in reading.operations
    ]


def _texts(text: str) -> Iterator[str]:
    """The parts of a statement that begin with an endpoint that is provided, not called."""
    shown = plain_text(text)
    starts = [*_IN_TEXT.finditer(shown)]
    for found, following in zip(starts, [*starts[1:], None], strict=False):
        if not is_call(shown[: found.start()]):
            yield shown[found.start() : following.start() if following else None]


def _cells(text: str) -> tuple[str, str, str, str, str]:
    """The cells of a row out of `POST /orders request: {…} -> 201 Order`."""
    found = _IN_TEXT.match(text)
    assert found is not None
    rest = text[found.end() :]
    response = _RESPONSE.search(rest)
    before = rest[: response.start()] if response else rest
    returned = rest[response.end() :] if response else ""
    request = _REQUEST.search(before)
    body = before[request.end() :] if request else ""
    return "", found["method"], found["path"].rstrip(".:"), _type(body), _type(returned)


def _type(text: str) -> str:
    return text.strip().rstrip(";,.").strip()


def _unusable(path: str) -> str:
    """Why a path cannot stand in an OpenAPI document; empty: it can."""
    rest = _PARAMETER.sub("", path)
    names = _PARAMETER.findall(path)
    if "{" in rest or "}" in rest or any(not name.strip() for name in names):
        return f"the braces in the path `{path[:200]}` do not fit together"
    if len(names) != len({*names}):
        return f"the path `{path[:200]}` names a parameter twice"
    return ""
