"""Google Cloud Pub/Sub: topics that are published to, subscriptions that are listened to."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeGuard

from msgspec.structs import replace

from contract_scan.ir.event import EventUse
from contract_scan.ir.reasons import Reason
from contract_scan.parsers.source.analysis.dataflow.reaching_definitions import definitions_of
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    FunctionValue,
    Record,
    Scope,
    Value,
    origin_at,
)
from contract_scan.parsers.source.facts.nodes import Assign, Call, Expr, Name
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
    texts,
)
from contract_scan.parsers.source.python.resolution.calls_by_name import called_name
from contract_scan.parsers.source.python.web.common import argument

_NAMES = (b"pubsub_v1", b"google.cloud.pubsub", b"import pubsub")
_CALLS = (b".publish(", b".subscribe(", b".pull(", b".create_subscription(")
_LIBRARY = ("google.cloud.pubsub*",)


def events(program: Program, framework: Framework) -> Iterator[EventUse]:
    """Every message that is published to a topic or received from a subscription."""
    if not program.files_containing(*_NAMES):
        return
    topics = dict(_topics(program))
    for call, callee, scope in method_calls(program, *_CALLS):
        target, name = callee.value, callee.name
        if name == "publish" and _is_client(program, target, scope, "publisher"):
            topic, data = (
                _resource_name(argument(call, 0, "topic"), scope),
                argument(call, 1, "data"),
            )
            for use in sends(program, framework, scope, call, topic, data):
                yield with_topic_name(use)
        elif name == "subscribe" and _is_client(program, target, scope, "subscriber"):
            handler = callback(program, argument(call, 1, "callback"), scope)
            path_of = _resource_name(argument(call, 0, "subscription"), scope)
            yield from _subscription_uses(
                program, framework, call, scope, _values(program, path_of, scope), handler, topics
            )
        elif name == "pull" and _is_client(program, target, scope, "subscriber"):
            given = _request_values(program, call, scope, "subscription")
            handler = enclosing_function(scope)
            yield from _subscription_uses(program, framework, call, scope, given, handler, topics)


def _is_client(program: Program, expr: Expr, scope: Scope, word: str) -> bool:
    return is_of(program, expr, scope, _LIBRARY, (word, "pubsub") if _imports(scope) else ())


def _resource_name(expr: Expr | None, scope: Scope) -> Expr | None:
    """The name in `client.topic_path("project", name)`, whatever the client is; other
    expressions as they are."""
    if isinstance(expr, Name):
        for definition in definitions_of(expr, scope):
            statement = definition.statement
            if isinstance(statement, Assign) and isinstance(statement.value, Call):
                return _resource_name(statement.value, scope) if _is_path(statement.value) else expr
    return argument(expr, 1, "topic", "subscription") if _is_path(expr) else expr


def _is_path(expr: Expr | None) -> TypeGuard[Call]:
    return isinstance(expr, Call) and called_name(expr) in ("topic_path", "subscription_path")


def _imports(scope: Scope) -> bool:
    return any(
        entry.module.startswith("google.cloud") and "pubsub" in f"{entry.module}.{entry.name}"
        for entry in scope.file.imports
    )


def _values(program: Program, expr: Expr | None, scope: Scope) -> list[str]:
    return [] if expr is None else [text for text, _ in addresses(program, expr, scope) if text]


def _request_values(program: Program, call: Call, scope: Scope, key: str) -> list[str]:
    """`pull(subscription=path)`, `pull(request={"subscription": path})`."""
    direct = argument(call, -1, key)
    if direct is not None:
        return _values(program, direct, scope)
    request = argument(call, 0, "request")
    value: Value | None = None if request is None else program.evaluate(request, scope)
    if isinstance(value, Record):
        return [t for e in value.entries if e.name == key for t in texts(program, e.value)]
    return []


def _topics(program: Program) -> Iterator[tuple[str, str]]:
    """Subscriptions that the code makes itself, with their topics."""
    for call, callee, scope in method_calls(program, b".create_subscription("):
        if callee.name != "create_subscription":
            continue
        names = _request_values(program, call, scope, "name")
        topics = _request_values(program, call, scope, "topic")
        if len(names) == len(topics) == 1:
            yield _short_name(names[0]), _short_name(topics[0])


def _subscription_uses(
    program: Program,
    framework: Framework,
    call: Call,
    scope: Scope,
    subscriptions: list[str],
    handler: FunctionValue | None,
    topics: dict[str, str],
) -> Iterator[EventUse]:
    content = handler_payload(program, handler)
    origin = origin_at(scope, call.span)
    if not subscriptions:
        yield receive(
            framework, "", content, origin, unresolved=Reason("subscription-not-constant")
        )
    for subscription in map(_short_name, subscriptions):
        topic = topics.get(subscription)
        if topic is not None:
            found = receive(framework, topic, content, origin)
            yield replace(found, aliases=(subscription,))
            continue
        why = Reason("subscription-topic-not-found", text=subscription)
        # A contract may list the subscription itself, or its topic may be called alike.
        found = receive(framework, "", content, origin, unresolved=why)
        yield replace(found, aliases=(subscription,))


def with_topic_name(use: EventUse) -> EventUse:
    """A use whose address is the name of its topic: the last part of
    `projects/shop/topics/orders`."""
    name = _short_name(use.address)
    if not name.replace("{}", ""):
        why = use.unresolved or Reason("address-computed")
        return replace(use, address="", unresolved=why)
    return replace(use, address=name)


def _short_name(path: str) -> str:
    return path.rpartition("/")[2] if path.startswith("projects/") else path


FRAMEWORK = Framework(
    name="Google Cloud Pub/Sub",
    markers=(*_NAMES, *_CALLS),
    calls=_CALLS,
    protocols=("googlepubsub",),
    events=events,
)
