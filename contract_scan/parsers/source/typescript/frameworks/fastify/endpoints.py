"""What one Fastify route takes and sends: by its schemas, its types and its handler."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property

from msgspec import Struct

from contract_scan.ir.evidence import DECLARED, ENFORCED, Evidence
from contract_scan.ir.operation import Answers, Body, Location, Operation, Parameter, Response
from contract_scan.ir.origin import Origin, Span
from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import Nothing, Object, Schema
from contract_scan.parsers.source.analysis.domain.path_facts import Fact, Facts, Path
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.schemas import (
    FROM_OTHER_SCALARS,
    converted_from,
)
from contract_scan.parsers.source.analysis.domain.values import (
    FunctionValue,
    Items,
    LibraryResult,
    Record,
    Scope,
    Value,
    origin_at,
)
from contract_scan.parsers.source.analysis.typing.json_schema_values import schema_value
from contract_scan.parsers.source.facts.nodes import NamedType, ObjectType, TypeExpr
from contract_scan.parsers.source.typescript.frameworks.fastify.payload_hooks import PayloadHooks
from contract_scan.parsers.source.typescript.frameworks.fastify.response_writing import written_by
from contract_scan.parsers.source.typescript.resolution import walker
from contract_scan.parsers.source.typescript.serialization.zod import schemas as zod
from contract_scan.parsers.source.typescript.web.dispatch_by_method import OTHER, methods_of
from contract_scan.parsers.source.typescript.web.handlers import (
    NO_ANSWERS,
    HandlerSummary,
    heads_handed_on,
    read_handler,
)
from contract_scan.parsers.source.typescript.web.middleware import sets_head
from contract_scan.parsers.source.typescript.web.optional_parameters import (
    as_asked,
    path_parameter_facts,
)
from contract_scan.parsers.source.typescript.web.paths import join, templates
from contract_scan.parsers.source.typescript.web.request_reads import path_text
from contract_scan.parsers.source.typescript.web.response_heads import JSON
from contract_scan.parsers.source.typescript.web.response_walk import NOTHING_SET
from contract_scan.parsers.source.typescript.web.routers import Graph, Node
from contract_scan.parsers.source.web.request_members import (
    ANYTHING,
    RequestMembers,
    RequestUses,
)
from contract_scan.parsers.source.web.request_uses import RequestUsesReader
from contract_scan.parsers.source.web.route_graph import application_of

_HOOKS = ("onRequest", "preParsing", "preValidation", "preHandler")
"""Hooks before the handler, in the order in which they run
(https://fastify.dev/docs/latest/Reference/Lifecycle/)."""
_SCHEMA_LOCATIONS: dict[str, Location] = {
    "querystring": "query",
    "query": "query",
    "params": "path",
    "headers": "header",
}
_TYPE_LOCATIONS: dict[str, Location] = {
    "Querystring": "query",
    "Params": "path",
    "Headers": "header",
}


_REQUEST = RequestMembers(
    queries=frozenset({"query"}),
    bodies=frozenset({"body", "file", "files", "parts", "saveRequestFiles"}),
    addresses=frozenset({"url", "originalUrl"}),
    both=frozenset({"raw"}),
    others=frozenset(
        {"params", "headers", "id", "log", "ip", "ips", "host", "hostname", "protocol", "method"}
        | {"routeOptions", "routerPath", "socket", "cookies", "session", "user", "jwtVerify"}
    ),
)
"""https://fastify.dev/docs/latest/Reference/Request/"""


class Route(Struct, frozen=True):
    """One registration, before the prefixes of its plugin are known."""

    node: Node
    method: str
    path: str
    unresolved: Reason
    options: Value | None
    handler: FunctionValue | None
    generics: TypeExpr | None
    scope: Scope
    span: Span


class Endpoint:
    """What one route takes and sends: its schemas first, then its types, then its handler."""

    def __init__(
        self,
        program: Program,
        route: Route,
        graph: Graph,
        schemas: dict[str, Value],
        hooks: PayloadHooks,
    ) -> None:
        """`schemas`: what `addSchema` registered, by `$id`."""
        self._program = program
        self._route = route
        self._graph = graph
        self._named = schemas.get
        self._payload_hooks = hooks
        self._origin = origin_at(route.scope, route.span)
        self._schemas: dict[str, Value] = {}
        entry = walker.entries(route.options).get("schema") if route.options is not None else None
        if entry is not None:
            self._schemas = {n: e.value for n, e in walker.entries(entry.value).items()}
        self._types = self._route_types()

    def _route_types(self) -> dict[str, TypeExpr]:
        """`{ Body: X; Querystring: Y }`, given to the route or to the handler's request."""
        generics = self._route.generics
        handler = self._route.handler
        if generics is None and handler is not None and handler.function.params:
            declared = handler.function.params[0].type
            if isinstance(declared, NamedType) and declared.args:
                generics = declared.args[0]
        if isinstance(generics, ObjectType):
            return {m.name: m.type for m in generics.members if m.type is not None}
        return {}

    def operations(self) -> Iterator[Operation]:
        """One for each path."""
        route = self._route
        known: dict[tuple[str, frozenset[tuple[Path, Fact]]], HandlerSummary] = {}
        methods = methods_of(self._program, route.handler, route.method)
        for place in self._graph.places(route.node):
            paths = templates(join(place.prefix, route.path))
            for template in paths:
                given = path_parameter_facts(template, paths, may_be_empty=True)
                for method in methods:
                    key = (method, frozenset(given.items()))
                    if key not in known:
                        known[key] = self._handler_signature(method, given)
                    handled = known[key]
                    operation = Operation(
                        method="*" if method == OTHER else method,
                        path=template.path,
                        parameters=self._parameters(handled, template.parameters),
                        parameters_complete="querystring" in self._schemas,
                        request=self._request(handled),
                        deferred=handled.answers.map(self._after_hooks),
                        origin=self._origin,
                        handler=route.handler.function.name if route.handler is not None else "",
                        framework="Fastify",
                        application=application_of(place),
                        excluded_from_docs=self._is_hidden(),
                        unresolved=route.unresolved or place.unresolved,
                    )
                    yield self._uses.apply(operation)

    def _handler_signature(self, method: str, given: Facts) -> HandlerSummary:
        """The signature of the handler for a method, where optional parameters of the path are
        present or absent."""
        if self._route.handler is None:
            return HandlerSummary(NO_ANSWERS)
        handler = as_asked(self._program, self._route.handler, given, method)
        heads = NOTHING_SET
        for hook in self._hooks():
            heads = heads_handed_on(self._program, hook, heads)
        return read_handler(self._program, handler, returns=True, before=heads)

    def _hooks(self) -> Iterator[FunctionValue]:
        """The functions that the route runs before its handler."""
        entries = walker.entries(self._route.options) if self._route.options is not None else {}
        for name in _HOOKS:
            value = entries[name].value if name in entries else None
            for hook in value.values if isinstance(value, Items) else (value,):
                if isinstance(hook, FunctionValue) and sets_head(self._program, hook):
                    yield hook

    @cached_property
    def _uses(self) -> RequestUses:
        """What the handler reads, behind no hook of the project that may read more."""
        entries = walker.entries(self._route.options) if self._route.options is not None else {}
        if self._payload_hooks.reads_requests or any(name in entries for name in _HOOKS):
            return ANYTHING
        reader = RequestUsesReader(self._program, _REQUEST)
        return reader.uses([None if self._route.handler is None else (self._route.handler, 0)])

    @property
    def has_tags(self) -> bool:
        """Whether the route says under which headings its documentation stands."""
        tags = self._schemas.get("tags")
        return tags is not None and not (isinstance(tags, Items) and not tags.values)

    def _is_hidden(self) -> bool:
        """Whether no document of the API has the route: one that opens a WebSocket, too."""
        options = walker.entries(self._route.options) if self._route.options is not None else {}
        opened = options.get("websocket")
        given = (self._schemas.get("hide"), opened.value if opened is not None else None)
        return any(getattr(value, "value", None) is True for value in given)

    def _schema(self, value: Value) -> Schema:
        return schema_value(self._program, value, self._named)

    def _read_schema(self, value: Value) -> Schema:
        """What a schema lets in: Ajv, which checks by JSON Schemas here, converts values to the
        types that they declare (https://ajv.js.org/coercion.html); Fastify sets it up so
        (https://fastify.dev/docs/latest/Reference/Validation-and-Serialization/)."""
        if isinstance(value, LibraryResult) and zod.is_zod(value.name):
            return self._program.schema_of(value, zod.INPUT)
        return converted_from(self._schema(value), FROM_OTHER_SCALARS)

    def _request(self, handled: HandlerSummary) -> tuple[Body, ...]:
        if "body" in self._schemas:
            schema = self._read_schema(self._schemas["body"])
            # No body is validated as null.
            required = self._program.types.flat(schema).nullable is not True
            return (Body(schema=schema, required=required, origin=self._origin),)
        if "Body" in self._types:
            # Type arguments declare a body that nothing holds against them.
            schema = self._program.schema(self._types["Body"], self._route.scope)
            if handled.request and self._program.types.is_unknown(schema):
                return handled.request  # `Body: unknown`, which the handler checks itself
            uses = next((body.schema for body in handled.request), None)
            return (Body(schema=schema, evidence=DECLARED, uses=uses, origin=self._origin),)
        return handled.request

    def _parameters(self, handled: HandlerSummary, names: tuple[str, ...]) -> tuple[Parameter, ...]:
        found: dict[tuple[str, str], Parameter] = {}
        for key, location in _SCHEMA_LOCATIONS.items():
            if key in self._schemas:
                self._fields(self._read_schema(self._schemas[key]), location, found, ENFORCED)
        for key, location in _TYPE_LOCATIONS.items():
            if key in self._types and not any(place == location for place, _ in found):
                declared = self._program.schema(self._types[key], self._route.scope)
                self._fields(declared, location, found, DECLARED)
        for parameter in handled.parameters:
            found.setdefault((parameter.location, parameter.name), parameter)
        for name in names:
            found.setdefault(("path", name), path_text(name, self._origin))
        return tuple(p for p in found.values() if p.location != "path" or p.name in names)

    def _fields(
        self,
        schema: Schema,
        location: Location,
        found: dict[tuple[str, str], Parameter],
        evidence: Evidence,
    ) -> None:
        flat = self._program.types.flat(schema)
        for field in flat.fields if isinstance(flat, Object) else ():
            found[location, field.name] = Parameter(
                name=field.name,
                location=location,
                schema=field.schema,
                required=True if location == "path" else field.required,
                has_default=field.has_default,
                evidence=evidence,
                origin=field.origin,
            )

    # ------------------------------------------------------------------ responses

    def _after_hooks(self, sent: Answers) -> Answers:
        """What is sent after hooks that run before and after a payload is written."""
        entries = walker.entries(self._route.options) if self._route.options is not None else {}
        own = ((name, entry.value) for name, entry in entries.items())
        hooks = self._payload_hooks.of_route(self._route.node, own)
        before = tuple(hook for hook in hooks if hook.name == "preSerialization")
        after = tuple(hook for hook in hooks if hook.name == "onSend")
        declared = self._with_declared(self._payload_hooks.change_answers(sent, before))
        return self._payload_hooks.change_answers(declared, after)

    def _with_declared(self, sent: Answers) -> Answers:
        declared = self._declared_responses()
        responses = sent.responses
        complete = sent.statuses_complete and bool(responses)
        if not declared:
            return sent if complete or not sent.statuses_complete else sent.left_open()
        # What a response schema does not name, Fastify leaves out; a status without a schema is
        # sent as it is.
        result = []
        for response in responses:
            match = declared.get(response.status) or declared.get(f"{response.status[0]}XX")
            result.append(written_by(self._program, match, response) if match else response)
        if not responses:
            result = [r for r in declared.values() if r.status.startswith("2")]
        return Answers(tuple(result), complete, sent.undetermined_status)

    def _declared_responses(self) -> dict[str, Response]:
        found: dict[str, Response] = {}
        value = self._schemas.get("response")
        if isinstance(value, Record):
            for entry in value.entries:
                schema = self._schema(self._content(entry.value))
                self._declare(found, entry.name, schema, entry.origin)
        reply = self._types.get("Reply")
        if not found and isinstance(reply, ObjectType):
            numbered = [m for m in reply.members if re.fullmatch(r"[1-5](\d\d|[xX]{2})", m.name)]
            for member in numbered:
                if member.type is not None:
                    schema = self._program.schema(member.type, self._route.scope)
                    self._declare(found, member.name, schema, self._origin)
        if not found and reply is not None:
            schema = self._program.schema(reply, self._route.scope)
            self._declare(found, "200", schema, self._origin)
        return found

    def _content(self, value: Value) -> Value:
        """`{ content: { "application/json": { schema } } }`."""
        content = walker.entries(value).get("content")
        inner = walker.entries(content.value).get(JSON) if content is not None else None
        schema = walker.entries(inner.value).get("schema") if inner is not None else None
        return schema.value if schema is not None else value

    def _declare(
        self, found: dict[str, Response], status: str, schema: Schema, origin: Origin
    ) -> None:
        key = status.upper()
        empty = isinstance(self._program.types.flat(schema), Nothing) or key == "204"
        bodies = () if empty else (Body(schema=schema, origin=origin),)
        found[key] = Response(status=key, bodies=bodies, documented=True, origin=origin)
