"""NATS: `publish` of a connection or of JetStream, `subscribe` with a handler or a dispatcher."""

from __future__ import annotations

from collections.abc import Iterator

from contract_scan.ir.event import EventUse
from contract_scan.ir.origin import Origin
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import LibraryResult, Scope
from contract_scan.parsers.source.analysis.evaluation.call_sites import with_receivers
from contract_scan.parsers.source.facts.nodes import Call, Expr
from contract_scan.parsers.source.java.messaging.addresses import address
from contract_scan.parsers.source.java.messaging.payloads import (
    PLAIN_MAPPER,
    Payload,
    argument_payload,
)
from contract_scan.parsers.source.java.messaging.readers import read_by_handler, read_near
from contract_scan.parsers.source.java.messaging.uses import channel_use
from contract_scan.parsers.source.java.messaging.wrappers import SendSite, sites_of_call
from contract_scan.parsers.source.java.resolution.annotations import constant_name
from contract_scan.parsers.source.language import Framework
from contract_scan.parsers.source.messaging.brokers import NATS

_PACKAGE = "io.nats.client."
_SENDS = frozenset({"publish", "publishAsync", "request", "requestWithTimeout"})
_RECEIVES = frozenset({"subscribe"})
_DISPATCHER = "createDispatcher"
_NOT_SENT = frozenset({"Duration", "Headers", "PublishOptions"})
"""Types of arguments beside the bytes that are sent."""
_INBOX = "getReplyTo"


def events(program: Program, framework: Framework) -> Iterator[EventUse]:
    """Every subject that is published to or subscribed to."""
    for file in program.seeds(framework):
        for call, callee, scope in with_receivers(program.calls(file)):
            if not call.args or not _is_client(program, callee.value, scope):
                continue
            if callee.name in _SENDS and len(call.args) > 1:
                yield from _publish_uses(program, call, scope)
            elif callee.name in _RECEIVES:
                yield from _subscribe_uses(program, call, callee.value, scope)


def _is_client(program: Program, expr: Expr, scope: Scope) -> bool:
    return program.qualified_name(expr, scope).startswith(_PACKAGE)


def _publish_uses(program: Program, call: Call, scope: Scope) -> Iterator[EventUse]:
    subject = call.args[0].value
    body = _body(program, call, scope)
    if body is None or (isinstance(subject, Call) and constant_name(subject.callee) == _INBOX):
        return  # an answer to whoever asked is in no channel
    for site in sites_of_call(program, call, scope, (subject, body)):
        origin = program.origin(site.shown, site.shown_scope)
        payload = argument_payload(program, site, body, origin, PLAIN_MAPPER)
        found = address(program, subject, site.scope)
        yield channel_use("send", found, payload, origin, FRAMEWORK.name)


def _body(program: Program, call: Call, scope: Scope) -> Expr | None:
    """The bytes that are sent: the last argument that is no option and no time to wait."""
    for argument in reversed(call.args[1:]):
        names = program.qualified_name(argument.value, scope).split(".")
        if _NOT_SENT.isdisjoint(names):
            return argument.value
    return None


def _subscribe_uses(program: Program, call: Call, client: Expr, scope: Scope) -> Iterator[EventUse]:
    subject = call.args[0].value
    for site in sites_of_call(program, call, scope, (subject,)):
        origin = program.origin(site.shown, site.shown_scope)
        found = address(program, subject, site.scope)
        pattern = NATS.is_pattern(found.text)
        payload = _message_payload(program, site, client, "" if pattern else found.text, origin)
        yield channel_use("receive", found, payload, origin, FRAMEWORK.name, pattern=pattern)


def _message_payload(
    program: Program, site: SendSite, client: Expr, subject: str, origin: Origin
) -> Payload:
    """What the handler of a subscription makes of messages: its own, or that of the dispatcher;
    where there is none, the code around fetches them."""
    handlers = [*(argument.value for argument in site.call.args[1:])]
    made = program.evaluator.unwrap(program.evaluate(client, site.scope))
    if isinstance(made, LibraryResult) and made.name.endswith(_DISPATCHER):
        handlers += [argument.value for argument in made.site.args]
    for handler in handlers:
        function = program.function_value(handler, site.scope)
        if function is not None:
            return read_by_handler(program, function, origin, subject)
    return read_near(program, None, site.scope, origin, PLAIN_MAPPER, subject)


FRAMEWORK = Framework(
    name="NATS",
    markers=(b"io.nats.client",),
    calls=tuple(f".{name}(".encode() for name in sorted(_SENDS | _RECEIVES)),
    events=events,
    protocols=("nats",),
)
