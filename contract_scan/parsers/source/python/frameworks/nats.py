"""nats-py: subjects that are published to and subscribed to, in core NATS and in JetStream."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from contract_scan.ir.event import EventUse
from contract_scan.parsers.source.analysis.domain.values import Scope
from contract_scan.parsers.source.facts.nodes import Attribute, Call, Expr
from contract_scan.parsers.source.language import Framework
from contract_scan.parsers.source.python.messaging.payloads import (
    enclosing_function,
    handler_payload,
)
from contract_scan.parsers.source.python.messaging.uses import (
    addresses,
    callback,
    is_of,
    method_calls,
    receive,
    sends,
)
from contract_scan.parsers.source.python.web.common import argument, place

if TYPE_CHECKING:
    from contract_scan.parsers.source.analysis.domain.program import Program

_NAMES = (b"import nats", b"from nats")
_CALLS = (b".publish(", b".request(", b".subscribe(", b".pull_subscribe(", b".publish_async(")
_SENDS = frozenset({"publish", "publish_async", "request"})
_RECEIVES = frozenset({"subscribe", "pull_subscribe"})


def events(program: Program, framework: Framework) -> Iterator[EventUse]:
    """Every message that is published, requested or subscribed to."""
    if not program.holding(*_NAMES):
        return
    for call, callee, scope in method_calls(program, *_CALLS):
        if callee.name not in _SENDS | _RECEIVES:
            continue
        if not _is_client(program, callee.value, scope):
            continue
        if callee.name in _SENDS:
            yield from _send_uses(program, framework, call, scope)
        else:
            yield from _subscription_uses(program, framework, call, scope)


def _is_client(program: Program, expr: Expr, scope: Scope) -> bool:
    imports = any(entry.module.split(".")[0] == "nats" for entry in scope.file.imports)
    called = ("nc", "js", "nats", "jetstream") if imports else ("nats", "jetstream")
    return is_of(program, expr, scope, ("nats.*",), called)


def _send_uses(
    program: Program, framework: Framework, call: Call, scope: Scope
) -> Iterator[EventUse]:
    subject, message = argument(call, 0, "subject"), argument(call, 1, "payload")
    if isinstance(subject, Attribute) and subject.name in ("reply", "reply_to"):
        return  # an answer goes to the inbox of whoever asked
    yield from sends(program, framework, scope, call, subject, message)


def _subscription_uses(
    program: Program, framework: Framework, call: Call, scope: Scope
) -> Iterator[EventUse]:
    handler = argument(call, 2, "cb")
    function = (
        callback(program, handler, scope) if handler is not None else enclosing_function(scope)
    )
    content = handler_payload(program, function)
    origin = place(scope, call.span)
    for text, unresolved in addresses(program, argument(call, 0, "subject"), scope):
        words = text.split(".")
        pattern = "*" in words or ">" in words
        yield receive(framework, text, content, origin, unresolved=unresolved, pattern=pattern)


FRAMEWORK = Framework(
    name="nats-py", markers=(*_NAMES, *_CALLS), calls=_CALLS, protocols=("nats",), events=events
)
