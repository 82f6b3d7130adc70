"""Places that send a response, and the responses they make together."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.ir.operation import Body, Response
from contract_scan.ir.origin import Origin
from contract_scan.ir.schema import Schema
from contract_scan.parsers.source.analysis.domain.schemas import unite


class ResponseSite(Struct, frozen=True):
    """One place that sends a response."""

    status: str
    explicit_status: bool
    body: Body | None
    origin: Origin


def merge_by_status(sites: list[ResponseSite]) -> Iterator[Response]:
    """One response per status; bodies of one content type are one body."""
    by_status: dict[str, list[ResponseSite]] = {}
    for item in sites:
        by_status.setdefault(item.status, []).append(item)
    for status, items in by_status.items():
        bodies: dict[str, list[Body]] = {}
        for item in items:
            if item.body is not None:
                bodies.setdefault(item.body.content_type, []).append(item.body)
        yield Response(
            status=status,
            bodies=tuple(_one_body(group) for group in bodies.values()),
            explicit_status=any(item.explicit_status for item in items),
            origin=items[0].origin,
        )


def _one_body(bodies: list[Body]) -> Body:
    schema: Schema = unite(body.schema for body in bodies)
    if len(bodies) == 1:
        schema = bodies[0].schema
    return replace(bodies[0], schema=schema)
