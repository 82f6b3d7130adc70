"""Contracts of ts-rest: `initContract().router({ list: { method, path, responses } })`, routers
inside routers, prefixes, and what one endpoint declares."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.ir.operation import Body, Location, Parameter, Response
from contract_scan.ir.origin import Origin
from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.ir.schema import Nothing, Schema
from contract_scan.parsers.source.analysis.domain.values import (
    Constant,
    LibraryResult,
    LibrarySymbol,
    Record,
    RecordEntry,
    Value,
)
from contract_scan.parsers.source.facts.nodes import Call
from contract_scan.parsers.source.typescript.resolution import walker
from contract_scan.parsers.source.typescript.serialization.zod import schemas as zod
from contract_scan.parsers.source.typescript.web.paths import DYNAMIC_SEGMENT, join
from contract_scan.parsers.source.typescript.web.response_heads import JSON
from contract_scan.parsers.source.typescript.web.taint_marks import MarkedReader, TaintMarks

if TYPE_CHECKING:
    from contract_scan.parsers.source.analysis.domain.program import Program

MAX_NESTING = 10
"""How many routers deep a contract is followed."""
MARKS = TaintMarks(bodies={"<input>.body": JSON}, queries=frozenset({"<input>.query"}))
_CORE = "@ts-rest/core."
_AS_GIVEN = frozenset({"query", "mutation"})
"""Functions of a contract that give the endpoint they are given."""
_LOCATIONS: Mapping[str, Location] = {"pathParams": "path", "query": "query", "headers": "header"}
_LAX = frozenset({"optional", "nullish", "default", "type"})
"""Calls that make what may be left out; a mere type is not checked."""
_EMPTY = ("204", "205", "304")


class Endpoint(Struct, frozen=True):
    """One endpoint of a contract."""

    keys: tuple[str, ...]
    """Where it stands in the contract: the names of routers around it, and its own."""
    method: str
    path: str
    unresolved: Reason
    entries: Mapping[str, RecordEntry]
    origin: Origin


def endpoints(
    program: Program, value: Value, prefix: str = "", keys: tuple[str, ...] = ()
) -> Iterator[Endpoint]:
    """The endpoints of a contract, of a router in it, or the one that a value is."""
    if len(keys) > MAX_NESTING:
        return
    if isinstance(value, LibrarySymbol):
        yield from _nested_endpoints(program, value, prefix, keys)
        return
    name = _of_core(value)
    if isinstance(value, LibraryResult) and name in _AS_GIVEN and value.site.args:
        value = program.evaluate(value.site.args[0].value, value.scope)
    elif isinstance(value, LibraryResult) and name == "router" and value.site.args:
        options = [program.evaluate(a.value, value.scope) for a in value.site.args[1:2]]
        own = walker.entries(options[0]).get("pathPrefix") if options else None
        text = program.evaluator.text(own.value) if own is not None else ""
        prefix = join(prefix, DYNAMIC_SEGMENT if text is None else text)
        value = program.evaluate(value.site.args[0].value, value.scope)
    if not isinstance(value, Record):
        return
    entries = walker.entries(value)
    if "method" in entries and "path" in entries:
        yield _endpoint(program, entries, prefix, keys)
        return
    for entry in value.entries:
        yield from endpoints(program, entry.value, prefix, (*keys, entry.name))


def _nested_endpoints(
    program: Program, value: LibrarySymbol, prefix: str, keys: tuple[str, ...]
) -> Iterator[Endpoint]:
    """`contract.users`: a router in a contract, or one endpoint of it."""
    key = value.name.rsplit(".", 1)[-1]
    if isinstance(value.receiver, LibraryResult | LibrarySymbol):
        for endpoint in endpoints(program, value.receiver, prefix):
            if endpoint.keys[:1] == (key,):
                yield replace(endpoint, keys=(*keys, *endpoint.keys[1:]))


def _of_core(value: Value) -> str:
    """The function of a contract that made a value: `router` of `initContract().router(…)`."""
    if not isinstance(value, LibraryResult) or not value.name.startswith(_CORE):
        return ""
    return value.name.rsplit(".", 1)[-1]


def _endpoint(
    program: Program, entries: dict[str, RecordEntry], prefix: str, keys: tuple[str, ...]
) -> Endpoint:
    method = program.evaluator.text(entries["method"].value)
    path = program.evaluator.text(entries["path"].value)
    reason = Reason("method-not-constant") if method is None else NO_REASON
    if path is None or DYNAMIC_SEGMENT in prefix:
        reason = Reason("path-not-constant")
    return Endpoint(
        keys=keys,
        method=(method or "*").upper(),
        path=join(prefix, DYNAMIC_SEGMENT if path is None else path),
        unresolved=reason,
        entries=entries,
        origin=entries["path"].origin,
    )


# ---------------------------------------------------------------------- what is declared


def body_of(program: Program, endpoint: Endpoint) -> tuple[Body, ...]:
    """The request body that an endpoint takes, none for those that take none."""
    entry = endpoint.entries.get("body")
    if entry is None or endpoint.method in ("GET", "HEAD"):
        return ()
    schema = _schema(program, entry.value, zod.INPUT)
    if schema is None:
        return ()
    given = endpoint.entries.get("contentType")
    kind = program.evaluator.text(given.value) if given is not None else JSON
    site = entry.value.site if isinstance(entry.value, LibraryResult) else None
    lax = isinstance(site, Call) and getattr(site.callee, "name", "") in _LAX
    required = None if lax else True
    body = Body(schema=schema, content_type=kind or "*/*", required=required, origin=entry.origin)
    return (body,)


def parameters_of(program: Program, endpoint: Endpoint) -> tuple[Parameter, ...]:
    """The parameters that an endpoint declares."""
    reader = MarkedReader(program, MARKS)
    for name, location in _LOCATIONS.items():
        entry = endpoint.entries.get(name)
        schema = _schema(program, entry.value, zod.INPUT) if entry is not None else None
        if schema is not None:
            reader.fields(schema, location)
    return reader.parameters()


def responses_of(program: Program, endpoint: Endpoint) -> dict[str, Response]:
    """Status -> response of the statuses that an endpoint declares."""
    declared = endpoint.entries.get("responses")
    value = declared.value if declared is not None else None
    if isinstance(value, LibraryResult) and _of_core(value) == "responses" and value.site.args:
        value = program.evaluate(value.site.args[0].value, value.scope)
    found: dict[str, Response] = {}
    for entry in value.entries if isinstance(value, Record) else ():
        if entry.name.isdigit():
            found[entry.name] = _response(program, entry)
    return found


def _response(program: Program, entry: RecordEntry) -> Response:
    value, kind = entry.value, JSON
    if isinstance(value, LibraryResult) and _of_core(value) == "otherResponse" and value.site.args:
        inner = walker.entries(program.evaluate(value.site.args[0].value, value.scope))
        given = inner.get("contentType")
        kind = (program.evaluator.text(given.value) if given is not None else None) or "*/*"
        value = inner["body"].value if "body" in inner else value
    schema = None if entry.name in _EMPTY else _schema(program, value, "")
    body = Body(schema=schema, content_type=kind, origin=entry.origin) if schema else None
    return Response(
        status=entry.name, bodies=(body,) if body is not None else (), origin=entry.origin
    )


def _schema(program: Program, value: Value, variant: str) -> Schema | None:
    """The shape of what is declared; None where it says that there is no body."""
    if isinstance(value, Constant) and value.value is None:
        return None
    name = _of_core(value)
    if isinstance(value, LibraryResult) and name == "type" and isinstance(value.site, Call):
        given = value.site.type_args
        schema = program.schema(given[0], value.scope) if given else program.schema_of(value)
        return None if isinstance(program.types.flat(schema), Nothing) else schema
    if name == "noBody":
        return None
    return program.schema_of(value, variant)
