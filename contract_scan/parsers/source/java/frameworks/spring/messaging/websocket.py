"""Spring's messages over WebSocket (STOMP): `@MessageMapping`, `@SendTo`, templates."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from contract_scan.ir.event import EventUse
from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import Scope
from contract_scan.parsers.source.facts.nodes import Annotation, Attribute, Call, Expr
from contract_scan.parsers.source.java.frameworks.spring.messaging.listeners import (
    Listener,
    listener_payload,
    listeners,
    payload_parameter,
    replies,
)
from contract_scan.parsers.source.java.frameworks.spring.messaging.messages import (
    is_send,
    message_content,
)
from contract_scan.parsers.source.java.messaging.addresses import address
from contract_scan.parsers.source.java.messaging.payloads import Payload, argument_payload
from contract_scan.parsers.source.java.messaging.uses import channel_use
from contract_scan.parsers.source.java.messaging.wrappers import SendSite, sites_of_call
from contract_scan.parsers.source.java.resolution.annotations import (
    argument,
    constant_name,
    find,
    items,
    type_name,
)
from contract_scan.parsers.source.java.resolution.build import once_for_module
from contract_scan.parsers.source.java.resolution.dependencies import (
    is_in_related_files,
    related_files_containing,
)
from contract_scan.parsers.source.java.serialization.jackson.settings import wire_variant
from contract_scan.parsers.source.language import Framework
from contract_scan.parsers.source.messaging.addresses import Address

# Where STOMP messages of Spring go to: prefixes of the application, of the broker and of users.

APPLICATION, USER = "setApplicationDestinationPrefixes", "setUserDestinationPrefix"
BROKER = "/topic"
"""Where what a handler returns is sent to, followed by the handler's own destination."""


class Prefixes(Struct, frozen=True):
    """What stands before destinations in a module."""

    application: tuple[str, ...] = ("",)
    """Before what handlers are mapped to."""
    user: str = "/user"
    """Before what is sent to one user."""
    reason: Reason = NO_REASON
    """Why they are undetermined; empty where they can."""


@once_for_module
def prefixes(program: Program, near: str) -> Prefixes:
    """The prefixes that configuration code sets in the modules that a file belongs to."""
    found: dict[str, list[str | None]] = {}
    for path in related_files_containing(program, near, APPLICATION.encode(), USER.encode()):
        for call, scope in program.calls(program.facts(path)):
            name = constant_name(call.callee) if isinstance(call, Call) else ""
            if name in (APPLICATION, USER):
                texts = [t for a in call.args for t in program.texts(a.value, scope)]
                found.setdefault(name, []).extend(texts or [None])
    if any(text is None for texts in found.values() for text in texts):
        return Prefixes(reason=Reason("destination-prefix-not-constant"))
    known = {name: [text for text in texts if text] for name, texts in found.items()}
    return Prefixes(tuple(known.get(APPLICATION, ())) or ("",), (known.get(USER) or ["/user"])[0])


def join_destination(*parts: str) -> str:
    """Parts of a destination with one slash between them."""
    return "/" + "/".join(part.strip("/") for part in parts if part.strip("/"))


_SIMP = b"springframework.messaging.simp"
_BROKER = b"EnableWebSocketMessageBroker"
_MAPPINGS = ("MessageMapping", "SubscribeMapping")
_TEMPLATES = frozenset(
    {"SimpMessagingTemplate", "SimpMessageSendingOperations", "SimpMessagingOperations"}
)
_SENDS = frozenset({"convertAndSend", "convertAndSendToUser", "send"})


def events(program: Program, framework: Framework) -> Iterator[EventUse]:
    """Every mapped method with what it answers, and every send of a template."""
    for file in program.seeds(framework):
        variant = wire_variant(program, file.path)
        # `@MessageMapping` is RSocket's as well.
        if is_in_related_files(program, file.path, _SIMP, _BROKER):
            for symbol in program.classes(file):
                for name in _MAPPINGS:
                    for listener in listeners(program, symbol, name, ""):
                        yield from _mapping_uses(program, listener, variant)
        for call, scope in program.calls(file):
            if isinstance(call, Call) and is_send(
                program, call, scope, _SENDS, _TEMPLATES, ("org.springframework.messaging",)
            ):
                yield from _send_uses(program, call, scope, variant)


# --------------------------------------------------------------------------- handlers


def _mapping_uses(program: Program, listener: Listener, variant: str) -> Iterator[EventUse]:
    before = prefixes(program, listener.symbol.file.path)
    on_class = find(listener.symbol.decl.annotations, "MessageMapping")
    own = listener.annotation.get("value", "destinations")
    starts = _addresses(program, _values(on_class), listener.scope) or [Address()]
    ends = (
        [address(program, item, own[1]) for item in items(own[0])] if own is not None else []
    ) or [Address()]
    for start in starts:
        for end in ends:
            why = start.reason or end.reason or before.reason
            path = join_destination(start.text, end.text)
            yield from _uses_at_path(program, listener, variant, path, why, before)


def _uses_at_path(
    program: Program, listener: Listener, variant: str, path: str, why: Reason, before: Prefixes
) -> Iterator[EventUse]:
    subscribes = listener.annotation.name == "SubscribeMapping"
    answer = _answer(program, listener, variant)
    if not subscribes and payload_parameter(listener.method) is not None:
        payload = listener_payload(program, listener, variant)
        for prefix in before.application:
            yield _use("receive", join_destination(prefix, path), why, payload, listener, (path,))
    if answer is None:
        return
    is_determined = False
    for name, prefix in (("SendTo", ""), ("SendToUser", before.user)):
        reply = find(listener.method.annotations, name) or find(
            listener.symbol.decl.annotations, name
        )
        for found in _addresses(program, _values(reply), listener.scope):
            is_determined = True
            aliases = (found.text, *(join_destination(a, found.text) for a in before.application))
            text = join_destination(prefix, found.text)
            yield _use("send", text, found.reason or before.reason, answer, listener, aliases)
    if is_determined:
        return
    if subscribes:
        for prefix in before.application:
            yield _use("send", join_destination(prefix, path), why, answer, listener, (path,))
    else:
        yield _use("send", join_destination(BROKER, path), why, answer, listener, ())


def _use(
    direction: str,
    text: str,
    why: Reason,
    payload: Payload,
    listener: Listener,
    aliases: tuple[str, ...],
) -> EventUse:
    return channel_use(
        "send" if direction == "send" else "receive",
        Address(reason=why) if why else Address(text=text),
        payload,
        listener.origin,
        FRAMEWORK.name,
        aliases=() if why else tuple(dict.fromkeys(a for a in aliases if a != text)),
        pattern="*" in text and not why,
    )


def _answer(program: Program, listener: Listener, variant: str) -> Payload | None:
    returns = listener.method.returns
    if returns is None or not replies(listener.method):
        return None
    return Payload(program.schema(returns, listener.scope, variant), type_name(returns))


def _values(annotation: Annotation | None) -> tuple[Expr, ...]:
    return items(argument(annotation, "value", "destinations"))


def _addresses(program: Program, found: tuple[Expr, ...], scope: Scope) -> list[Address]:
    return [address(program, item, scope) for item in found]


# --------------------------------------------------------------------------- templates


def _send_uses(program: Program, call: Call, scope: Scope, variant: str) -> Iterator[EventUse]:
    assert isinstance(call.callee, Attribute)
    args = [given.value for given in call.args]
    to_user = call.callee.name == "convertAndSendToUser"
    if to_user:
        args = args[1:]
    destination, payload = (args[0], args[1]) if len(args) > 1 else (None, *args[:1])
    if call.callee.name == "send" and payload is not None:
        yield _message(program, call, scope, destination, payload, variant)
        return
    for site in sites_of_call(program, call, scope, (destination, payload)):
        found = address(program, destination, site.scope)
        origin = program.origin(site.shown, site.shown_scope)
        content = argument_payload(program, site, payload, origin, variant)
        before = prefixes(program, scope.file.path)
        text = join_destination(before.user if to_user else "", found.text)
        yield channel_use(
            "send",
            found if found.reason else Address(text=text),
            content,
            origin,
            FRAMEWORK.name,
            aliases=(found.text,) if to_user and not found.reason else (),
        )


def _message(
    program: Program,
    call: Call,
    scope: Scope,
    destination: Expr | None,
    message: Expr,
    variant: str,
) -> EventUse:
    """`send(destination, MessageBuilder.withPayload(x).build())`."""
    content = message_content(program, message, scope)
    origin = program.origin(call, scope)
    payload = content.payload if content is not None else None
    site = SendSite(call, content.scope if content is not None else scope, call, scope)
    value_payload = argument_payload(program, site, payload, origin, variant)
    found = address(program, destination, scope)
    return channel_use("send", found, value_payload, origin, FRAMEWORK.name)


FRAMEWORK = Framework(
    name="Spring WebSocket messaging",
    markers=(_SIMP, b"messaging.handler.annotation"),
    calls=(
        *(b".convertAndSend(", b".convertAndSendToUser(", b".send("),
        *(f"{name}(".encode() for name in (APPLICATION, USER)),
    ),
    events=events,
    protocols=("stomp", "ws"),
)
