"""Google Cloud Pub/Sub: what publishers send to topics, and what takes the messages of
subscriptions.

A channel is a topic, by its id. Of which topic a subscription is stands in the cloud alone: it is
known by its own id, where a contract lists that.
"""

from __future__ import annotations

from collections.abc import Iterator

from contract_scan.ir.event import EventUse
from contract_scan.ir.reasons import Reason
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import Scope
from contract_scan.parsers.source.csharp.messaging.addresses import Address, address
from contract_scan.parsers.source.csharp.messaging.sends import (
    OutgoingMessage,
    channel_use,
    channel_uses,
    is_of,
    received_message,
)
from contract_scan.parsers.source.csharp.resolution.callers import method_calls
from contract_scan.parsers.source.csharp.resolution.value_sources import (
    made_by,
    sources,
    without_wrappers,
)
from contract_scan.parsers.source.csharp.serialization.json_texts import (
    Payload,
    read_in,
    read_near,
    serialised_payload,
    undetermined_because,
)
from contract_scan.parsers.source.csharp.serialization.settings.options import unqualified_name
from contract_scan.parsers.source.facts.nodes import (
    ArrayLiteral,
    Attribute,
    Call,
    Expr,
    FileFacts,
    Name,
    NamedType,
    New,
    ObjectLiteral,
)
from contract_scan.parsers.source.language import Framework

_PUBLISHER = frozenset({"PublisherClient"})
_SERVICE = frozenset({"PublisherServiceApiClient"})
_SUBSCRIBER = frozenset({"SubscriberClient"})
_MAKES = ("CreateAsync", "Create", "BuildAsync", "Build")
_NAMES = frozenset({"TopicName", "SubscriptionName"})
_METHODS = ("PublishAsync", "Publish", "StartAsync")
_CALLS = tuple(f".{name}(".encode() for name in _METHODS)
_MAX_DEPTH = 6


def events(program: Program, framework: Framework) -> Iterator[EventUse]:
    """Every message that is published, and every subscription that is listened to."""
    for file in program.seeds(framework):
        for call, callee, scope in method_calls(program, file, *_CALLS):
            receiver, name = callee.value, callee.name
            if not call.args or name not in _METHODS:
                continue
            if name == "StartAsync":
                if _is_client(program, receiver, scope, _SUBSCRIBER):
                    yield _receive_use(program, file, call, receiver, scope)
            elif _is_client(program, receiver, scope, _PUBLISHER):
                yield from _publish_uses(program, call, receiver, scope)
            elif len(call.args) > 1 and _is_client(program, receiver, scope, _SERVICE):
                yield from _published_at_once(program, call, scope)


def _is_client(program: Program, expr: Expr, scope: Scope, names: frozenset[str]) -> bool:
    """Whether a value is declared as a client, or made by its class or the builder of that."""
    if is_of(program, expr, scope, names):
        return True
    made = made_by(program, expr, scope, *_MAKES)
    maker = (
        without_wrappers(made[0].callee.value)
        if made and isinstance(made[0].callee, Attribute)
        else None
    )
    match maker:
        case Name(id=name) | Attribute(name=name):
            return name in names
        case New(type=NamedType(name=name)):
            return unqualified_name(name).removesuffix("Builder") in names
        case _:
            return False


# --------------------------------------------------------------------------- sending


def _publish_uses(program: Program, call: Call, receiver: Expr, scope: Scope) -> Iterator[EventUse]:
    """`publisher.PublishAsync(message)`: to the topic that the publisher was made for."""

    def read_message(seen: Scope) -> OutgoingMessage:
        # With a key for the order of messages in front, the message comes last.
        return OutgoingMessage(
            _made_for(program, receiver, seen), _body(program, call.args[-1].value, seen)
        )

    yield from channel_uses(program, call, scope, read_message, FRAMEWORK.name)


def _published_at_once(program: Program, call: Call, scope: Scope) -> Iterator[EventUse]:
    """`client.Publish(topic, messages)`."""

    def read_message(seen: Scope) -> OutgoingMessage:
        return OutgoingMessage(
            _topic_name(program, call.args[0].value, seen), _body(program, call.args[1].value, seen)
        )

    yield from channel_uses(program, call, scope, read_message, FRAMEWORK.name)


def _body(program: Program, expr: Expr, scope: Scope, depth: int = 0) -> Payload:
    """What a text, `ByteString.CopyFromUtf8(text)` or `new PubsubMessage { Data = … }` holds; of
    several messages, the first."""
    expr = without_wrappers(expr)
    if depth > _MAX_DEPTH:
        return undetermined_because(Reason("message-content-not-followed"))
    match expr:
        case ArrayLiteral(items=(first, *_)):
            return _body(program, first, scope, depth + 1)
        case New() if _is_message(expr):
            data = next((entry.value for entry in expr.entries if entry.key == "Data"), None)
            if data is None:
                return undetermined_because(Reason("message-without-data"))
            return _body(program, data, scope, depth + 1)
        case Call(callee=Attribute(name="CopyFromUtf8" | "CopyFrom"), args=(text, *_)):
            return serialised_payload(program, text.value, scope, "bare")
        case _:
            pass
    given = list(sources(program, expr, scope))
    if len(given) == 1 and isinstance(without_wrappers(given[0][0]), New | ArrayLiteral | Call):
        return _body(program, *given[0], depth + 1)
    return serialised_payload(program, expr, scope, "bare")


def _is_message(made: New) -> bool:
    return made.type is None or (
        isinstance(made.type, NamedType) and unqualified_name(made.type.name) == "PubsubMessage"
    )


# --------------------------------------------------------------------------- receiving


def _receive_use(
    program: Program, file: FileFacts, call: Call, receiver: Expr, scope: Scope
) -> EventUse:
    function = program.function_value(call.args[0].value, scope)
    payload: Payload | None
    if function is not None:
        payload = read_in(program, program.function_scope(function.function, function.scope))
    else:
        payload = read_near(program, file, scope)
    found = _made_for(program, receiver, scope)
    aliases: tuple[str, ...] = ()
    if found.text:
        aliases = (found.text,)
        found = Address(reason=Reason("subscription-topic-not-found", text=found.text))
    message = received_message(found, payload, aliases)
    return channel_use("receive", message, program.origin(call, scope), FRAMEWORK.name)


# --------------------------------------------------------------------------- names


def _made_for(program: Program, client: Expr, scope: Scope) -> Address:
    """The topic or subscription that a client was made for."""
    made = made_by(program, client, scope, *_MAKES)
    if made is None:
        return Address(reason=Reason("client-destination-not-followed"))
    call, place = made
    if call.args and call.callee != client:
        return _topic_name(program, call.args[0].value, place)
    builder = without_wrappers(call.callee.value) if isinstance(call.callee, Attribute) else None
    for entry in builder.entries if isinstance(builder, New | ObjectLiteral) else ():
        if entry.key in _NAMES:
            return _topic_name(program, entry.value, place)
    return Address(reason=Reason("client-destination-not-followed"))


def _topic_name(program: Program, expr: Expr, scope: Scope, depth: int = 0) -> Address:
    """The id in `TopicName.FromProjectTopic(project, id)`, `new TopicName(project, id)`,
    `TopicName.Parse("projects/p/topics/id")`, or the whole name as a text."""
    expr = without_wrappers(expr)
    match expr:
        case Call(callee=Attribute(name=name), args=(*_, last)) if name.startswith(
            ("FromProject", "FormatProject", "Parse", "FromUnparsed")
        ):
            return _short(address(program, last.value, scope))
        case New(args=(*_, last)):
            return _short(address(program, last.value, scope))
        case _:
            pass
    given = list(sources(program, expr, scope))
    if len(given) == 1 and depth < _MAX_DEPTH:
        return _topic_name(program, *given[0], depth + 1)
    return _short(address(program, expr, scope))


def _short(found: Address) -> Address:
    return Address(found.text.rpartition("/")[2], found.reason)


FRAMEWORK = Framework(
    name="Google Cloud Pub/Sub",
    markers=(b"Google.Cloud.PubSub", b"PublisherClient", b"SubscriberClient"),
    calls=_CALLS,
    events=events,
    protocols=("googlepubsub",),
)
