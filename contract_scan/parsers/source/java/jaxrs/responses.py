"""What JAX-RS resource methods send: declared types, `Response`, statuses."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from contract_scan.ir.operation import Body, Response
from contract_scan.ir.origin import Origin
from contract_scan.ir.schema import Nothing, Schema, Unknown
from contract_scan.parsers.source.facts import NamedType, New, NullType
from contract_scan.parsers.source.java.annotations import has, type_name
from contract_scan.parsers.source.java.media import sent_as
from contract_scan.parsers.source.java.outcomes import (
    Outcome,
    argument_of,
    chain_call,
    chain_root,
    is_vague,
    responses_of,
    returned_outcomes,
    status_of,
    without_deferral,
)
from contract_scan.parsers.source.java.sent import SentByMethod
from contract_scan.parsers.source.java.texts import text_body
from contract_scan.parsers.source.link.values import (
    Constant,
    Made,
    Shaped,
    Typed,
    Unresolved,
    Value,
)

if TYPE_CHECKING:
    from contract_scan.parsers.source.link.program import Program

_FIXED = {
    "ok": "200",
    "created": "201",
    "accepted": "202",
    "noContent": "204",
    "notModified": "304",
    "seeOther": "303",
    "temporaryRedirect": "307",
    "serverError": "500",
    "notFound": "404",
}
_RESPONSES = frozenset({"Response", "RestResponse", "ResponseBuilder", "Object"})


def read_response(program: Program, value: Value) -> Iterator[Outcome]:
    """The outcome that returning a value makes: a `Response` taken apart, else an entity."""
    match value:
        case Made():
            root = chain_root(value, "Response") or chain_root(value, "RestResponse")
            root = root or chain_root(value, "ResponseBuilder")
            if root is None:
                # What a library call gives may be a response as a whole.
                yield Outcome(body=value, told=isinstance(value.site, New))
            else:
                yield _built(program, value, *root)
        case Typed(type=type) if type_name(without_deferral(type)) in _RESPONSES:
            inner = without_deferral(type)
            if isinstance(inner, NamedType) and inner.args:
                yield Outcome(body=Typed(inner.args[0], value.scope, value.span), told=False)
            else:
                yield Outcome(told=False)
        case Unresolved(span=span, path=path):
            yield Outcome(body=value, told=False, origin=Origin(path, span) if path else None)
        case Constant(value=None):
            yield Outcome("204")
        case _:
            yield Outcome(body=value)


def _built(program: Program, value: Made, root: Made, method: str) -> Outcome:
    """`Response.status(201).type(…).entity(x).build()`."""
    status = _FIXED.get(method)
    body: Value | None = None
    if method in ("ok", "accepted") and root.site.args:
        body = argument_of(program, root, 0)
    if method in ("status", "create"):
        status = status_of(program, argument_of(program, root, 0))
    later = chain_call(value, "status")
    if later is not None and later is not root:
        status = status_of(program, argument_of(program, later, 0))
    entity = chain_call(value, "entity")
    if entity is not None:
        body = argument_of(program, entity, 0)
    if isinstance(body, Constant) and body.value is None:
        body = None
    return Outcome(status or "", _entity(program, body), told=status is not None)


def _entity(program: Program, body: Value | None) -> Value | None:
    """What a `GenericEntity` holds."""
    if isinstance(body, Made) and body.name.rpartition(".")[2] == "GenericEntity":
        return argument_of(program, body, 0)
    return body


class Sent(SentByMethod):
    """The responses of one resource method."""

    def responses(self, content_type: str) -> tuple[tuple[Response, ...], bool]:
        """The responses, and whether they are all the success statuses there can be."""
        found, complete = self._responses(content_type)
        # A method that is given the servlet's response may set any status.
        writes = any(
            type_name(param.type) == "HttpServletResponse"
            for param in self.method.nearest.function.params
        )
        return found, complete and not writes

    def _responses(self, content_type: str) -> tuple[tuple[Response, ...], bool]:
        content = without_deferral(self.declared)
        name = type_name(content)
        is_suspended = any(
            has(param.annotations, "Suspended") or type_name(param.type) == "AsyncResponse"
            for param in self.method.nearest.function.params
        )
        if is_suspended:
            reason = f"`{self.method.name}` sends its response later (AsyncResponse)"
            return self._unknown(reason, content_type), False
        if isinstance(content, NullType) or name == "Void":
            return (Response(status="204", explicit=False, origin=self.origin),), True
        content_type = sent_as(name, content_type)
        if name == "String":
            return self._text(content_type)
        inner = content.args[0] if isinstance(content, NamedType) and content.args else None
        if name == "RestResponse" and inner is not None and type_name(inner) != "Void":
            return self._open(content_type, self.declared_body(inner))
        if name in _RESPONSES or is_vague(self.program, content, self.scope):
            return self._open(content_type, None)
        schema = self.program.schema(content, self.scope, self.variant)
        outcome = Outcome("", Shaped(schema))
        return responses_of([outcome], "200", lambda _: schema, content_type, self.origin), True

    def _text(self, content_type: str) -> tuple[tuple[Response, ...], bool]:
        """What a method that returns a `String` sends."""
        handler = self.method.value(self.controller)
        outcomes = returned_outcomes(self.program, handler, read_response)
        sent = text_body(self.program, outcomes, content_type, self.variant)
        body = Body(schema=sent.schema, content_type=sent.content_type, origin=self.origin)
        return (Response(status="200", bodies=(body,), explicit=False, origin=self.origin),), True

    def _unknown(self, reason: str, content_type: str) -> tuple[Response, ...]:
        schema = Unknown(reason=reason, origin=self.origin)
        body = Body(schema=schema, content_type=content_type, origin=self.origin)
        return (Response(status="200", bodies=(body,), explicit=False, origin=self.origin),)

    def _open(
        self, content_type: str, declared: Schema | None
    ) -> tuple[tuple[Response, ...], bool]:
        """Responses as the return statements make them."""
        handler = self.method.value(self.controller)
        outcomes = returned_outcomes(self.program, handler, read_response)
        told = [outcome for outcome in outcomes if outcome.told]

        def schema_of(outcome: Outcome) -> Schema | None:
            if outcome.body is None:
                return None
            status = outcome.status or "200"
            if declared is not None and status.startswith("2"):
                return declared
            return self.body_schema(outcome, content_type)

        found = responses_of(told, "200", schema_of, content_type, self.origin)
        complete = bool(outcomes) and len(told) == len(outcomes)
        if any(r.status.startswith("2") for r in found):
            return found, complete
        if complete and found:
            return found, True
        if declared is not None:
            outcome = Outcome("", Shaped(Nothing()))
            whole = responses_of([outcome], "200", lambda _: declared, content_type, self.origin)
            return (*found, *whole), False
        open_bodies = [o for o in outcomes if o.body is not None and not o.told]
        if open_bodies:
            # The status is not known, the body is: it counts for whatever success there is.
            assumed = (Outcome("", o.body, True, o.origin) for o in open_bodies)
            return (
                *found,
                *responses_of(assumed, "200", schema_of, content_type, self.origin),
            ), False
        reason = f"`{self.method.name}` does not show what it sends"
        return (*found, *self._unknown(reason, content_type)), False
