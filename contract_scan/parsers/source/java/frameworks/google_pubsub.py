"""Google Cloud Pub/Sub: Spring's `PubSubTemplate`, and the client library's publishers and
subscribers.

A channel is a topic, by its id. Of which topic a subscription is stands in the cloud alone: it is
known by its own id, where a contract lists that.
"""

from __future__ import annotations

from collections.abc import Iterator

from contract_scan.ir.event import EventUse
from contract_scan.ir.reasons import Reason
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import LibraryResult, Scope
from contract_scan.parsers.source.analysis.evaluation.call_sites import with_receivers
from contract_scan.parsers.source.facts.nodes import (
    Call,
    Expr,
    NamedType,
    New,
    TypeValue,
)
from contract_scan.parsers.source.java.messaging.addresses import address
from contract_scan.parsers.source.java.messaging.payloads import PLAIN_MAPPER, argument_payload
from contract_scan.parsers.source.java.messaging.readers import read_near
from contract_scan.parsers.source.java.messaging.uses import channel_use
from contract_scan.parsers.source.java.messaging.wrappers import sites_of_call
from contract_scan.parsers.source.java.web.outcomes import chain_call
from contract_scan.parsers.source.language import Framework
from contract_scan.parsers.source.messaging.addresses import Address

_TEMPLATES = frozenset(
    {"PubSubTemplate", "PubSubPublisherTemplate", "PubSubSubscriberTemplate", "PubSubOperations"}
    | {"PubSubPublisherOperations", "PubSubSubscriberOperations"}
)
_LIBRARY = "com.google.cloud.pubsub.v1"
_NAMES = frozenset({"of", "ofProjectTopicName", "ofProjectSubscriptionName", "format"})
_TEXTS = frozenset({"copyFromUtf8", "copyFrom"})
_RECEIVES = frozenset({"subscribe", "subscribeAndConvert", "pull", "pullAndConvert", "pullAndAck"})


def events(program: Program, framework: Framework) -> Iterator[EventUse]:
    """Every message that is published, and every subscription that is listened to."""
    for file in program.seeds(framework):
        for call, callee, scope in with_receivers(program.calls(file)):
            name, receiver = callee.name, callee.value
            if name == "publish" and call.args:
                if _is_template(program, receiver, scope):
                    payload = call.args[1].value if len(call.args) > 1 else None
                    yield from _send_uses(program, call, call.args[0].value, scope, payload, scope)
                else:
                    yield from _publish_uses(program, call, receiver, scope)
            elif _takes_messages(program, call, name, receiver, scope):
                yield _receive_use(program, call, scope)


def _takes_messages(program: Program, call: Call, name: str, receiver: Expr, scope: Scope) -> bool:
    """`template.subscribe("mine", …)`, `Subscriber.newBuilder(name, receiver)`."""
    if name in _RECEIVES and call.args:
        return _is_template(program, receiver, scope)
    is_built = name == "newBuilder" and len(call.args) > 1
    return is_built and _is_called(program.qualified_name(receiver, scope), "Subscriber")


def _is_template(program: Program, expr: Expr, scope: Scope) -> bool:
    return program.qualified_name(expr, scope).rpartition(".")[2] in _TEMPLATES


def _is_called(qualified: str, name: str) -> bool:
    """Whether a class is the library's of that name, imported by it or with all others."""
    return qualified in (name, f"{_LIBRARY}.{name}")


# --------------------------------------------------------------------------- sending


def _publish_uses(program: Program, call: Call, receiver: Expr, scope: Scope) -> Iterator[EventUse]:
    """`publisher.publish(message)`: the topic is that of the publisher's builder."""
    publisher = program.evaluate(receiver, scope)
    topic, place = None, scope
    begun = chain_call(publisher, "newBuilder") if isinstance(publisher, LibraryResult) else None
    if begun is None and not _is_called(program.qualified_name(receiver, scope), "Publisher"):
        return
    if begun is not None and not _is_called(begun.name.removesuffix(".newBuilder"), "Publisher"):
        return
    if begun is not None and begun.site.args:
        topic, place = begun.site.args[0].value, begun.scope
    message = program.evaluate(call.args[0].value, scope)
    data = chain_call(message, "setData") if isinstance(message, LibraryResult) else None
    payload, inside = None, scope
    if data is not None and data.site.args:
        payload, inside = data.site.args[0].value, data.scope
    yield from _send_uses(program, call, topic, place, payload, inside)


def _send_uses(
    program: Program,
    call: Call,
    topic: Expr | None,
    place: Scope,
    payload: Expr | None,
    inside: Scope,
) -> Iterator[EventUse]:
    """The messages that a call publishes, with the arguments of the callers of a wrapper."""
    for site in sites_of_call(program, call, inside, (topic if place is inside else None, payload)):
        found = _topic_address(program, topic, site.scope if place is inside else place)
        origin = program.origin(site.shown, site.shown_scope)
        content = argument_payload(
            program, site, _text(program, payload, inside), origin, PLAIN_MAPPER
        )
        yield channel_use("send", found, content, origin, FRAMEWORK.name)


def _text(program: Program, payload: Expr | None, scope: Scope) -> Expr | None:
    """The text in `ByteString.copyFromUtf8(text)`."""
    value = program.evaluate(payload, scope) if payload is not None else None
    if (
        isinstance(value, LibraryResult)
        and value.name.rpartition(".")[2] in _TEXTS
        and value.site.args
    ):
        return value.site.args[0].value
    return payload


# --------------------------------------------------------------------------- receiving


def _receive_use(program: Program, call: Call, scope: Scope) -> EventUse:
    named = _topic_address(program, call.args[0].value, scope)
    aliases = (named.text,) if named.text else ()
    found = named
    if named.text:
        found = Address(reason=Reason("subscription-topic-not-found", text=named.text))
    declared = next(
        (a.value.type for a in call.args if isinstance(a.value, TypeValue)),
        None,
    )
    origin = program.origin(call, scope)
    payload = read_near(program, declared, scope, origin, PLAIN_MAPPER)
    return channel_use("receive", found, payload, origin, FRAMEWORK.name, aliases=aliases)


def _topic_address(program: Program, expr: Expr | None, scope: Scope) -> Address:
    """The id in `TopicName.of(project, id)`, or of a whole name."""
    if expr is None:
        return Address(reason=Reason("client-destination-not-followed"))
    value = program.evaluate(expr, scope)
    if isinstance(value, LibraryResult) and value.site.args:
        made = value.site
        by_name = value.name.rpartition(".")[2] in _NAMES
        if by_name or (isinstance(made, New) and isinstance(made.type, NamedType)):
            expr, scope = made.args[-1].value, value.scope
    found = address(program, expr, scope)
    return Address(found.text.rpartition("/")[2], found.reason)


FRAMEWORK = Framework(
    name="Google Cloud Pub/Sub",
    markers=(b"com.google.cloud.pubsub", b"cloud.spring.pubsub", b"cloud.gcp.pubsub"),
    calls=(
        b".publish(",
        *(f".{name}(".encode() for name in sorted(_RECEIVES)),
        b"Subscriber.newBuilder(",
    ),
    events=events,
    protocols=("googlepubsub",),
)
