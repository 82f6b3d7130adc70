"""MQTT: Paho, aiomqtt, gmqtt, Flask-MQTT and FastAPI-MQTT.

A client of Paho has one callback for all messages (`on_message`) and more by topic
(`message_callback_add`); aiomqtt gives messages to the loop around the subscription.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from msgspec import Struct

from contract_scan.ir.event import EventUse
from contract_scan.ir.origin import Span
from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import Unknown
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import FunctionValue, Scope, origin_at
from contract_scan.parsers.source.facts.nodes import (
    Annotation,
    ArrayLiteral,
    Assign,
    Attribute,
    Call,
    Expr,
    Function,
    Lambda,
    Name,
    ObjectLiteral,
    Statement,
)
from contract_scan.parsers.source.facts.visitor import nodes_of
from contract_scan.parsers.source.language import Framework
from contract_scan.parsers.source.python.messaging.payloads import (
    Payload,
    enclosing_function,
    handler_payload,
)
from contract_scan.parsers.source.python.messaging.uses import (
    addresses,
    callback,
    is_of,
    made_by,
    method_calls,
    receive,
    sends,
)
from contract_scan.parsers.source.python.resolution.calls_by_name import all_calls
from contract_scan.parsers.source.python.resolution.program_files import program_files
from contract_scan.parsers.source.python.web.common import (
    DeclaredFunction,
    argument,
    functions,
)

_NAMES = (b"mqtt",)
_EVENTS = frozenset({"on_connect", "on_message", "on_disconnect", "on_subscribe", "on_publish"})
_CALLS = (b".publish(", b".subscribe(", b".message_callback_add(", b".on_message", b".on_connect")
_PACKAGES = ("paho", "aiomqtt", "asyncio_mqtt", "gmqtt", "flask_mqtt", "fastapi_mqtt", "amqtt")
_LIBRARIES = tuple(f"{package}.*" for package in _PACKAGES)
_CALLED = ("client", "mqtt", "mqttc", "mqtt_client")
_QUALITIES = ("0", "1", "2")
_SHARED = Unknown(reason=Reason("handler-shared-by-topics"))


def events(program: Program, framework: Framework) -> Iterator[EventUse]:
    """Every topic that is published to or subscribed to."""
    known = set()
    for path in program_files(program, *_NAMES):
        file = program.facts(path)
        if not any(entry.module.split(".")[0] in _PACKAGES for entry in file.imports):
            continue
        known.add(path)
        yield from _File(program, framework, path).events()
    if not known:
        return
    for call, callee, scope in method_calls(program, b".publish("):
        # By a client that another file makes.
        if callee.name != "publish" or scope.file.path in known:
            continue
        if made_by(program, program.evaluate(callee.value, scope), *_LIBRARIES):
            yield from _publish_uses(program, framework, call, scope)


def _publish_uses(
    program: Program, framework: Framework, call: Call, scope: Scope
) -> Iterator[EventUse]:
    topic = argument(call, 0, "topic", "message_or_topic")
    message = argument(call, 1, "payload")
    yield from sends(program, framework, scope, call, topic, message)


class _Call(Struct, frozen=True, eq=False):
    """A call of a client's method."""

    call: Call
    scope: Scope


class _Callback(Struct, frozen=True, eq=False):
    """A function that a client calls on an event."""

    event: str
    scope: Scope
    handler: FunctionValue


class _File:
    """The clients of one file."""

    def __init__(self, program: Program, framework: Framework, path: str) -> None:
        self._program, self._framework, self._path = program, framework, path
        self._subscribed: list[_Call] = []
        self._by_topic: dict[str, FunctionValue] = {}
        self._callbacks = tuple(self._find_callbacks())
        self._handed = frozenset(
            client for found in self._callbacks if (client := _client_of(found.handler.function))
        )
        """Parameters that the library hands a client."""

    def events(self) -> Iterator[EventUse]:
        """What the file sends and receives."""
        for call, scope in all_calls(self._program, self._path):
            if isinstance(call, Call):
                yield from self._call_uses(call, scope)
        for declared in functions(self._program, self._program.facts(self._path)):
            for annotation in declared.function.annotations:
                yield from self._decorator_uses(declared, annotation)
        yield from self._subscription_uses()

    def _call_uses(self, call: Call, scope: Scope) -> Iterator[EventUse]:
        callee = call.callee
        name = self._program.qualified_name(callee, scope)
        if name in ("paho.mqtt.publish.single", "paho.mqtt.publish.multiple"):
            yield from self._published_at_once(call, scope)
            return
        if name in ("paho.mqtt.subscribe.callback", "paho.mqtt.subscribe.simple"):
            handler = callback(self._program, argument(call, 0, "callback"), scope)
            topics = argument(call, 1 if name.endswith("callback") else 0, "topics")
            content = handler_payload(self._program, handler or enclosing_function(scope))
            yield from self._receives(topics, content, call, scope)
            return
        if not isinstance(callee, Attribute) or not self._is_client(callee.value, scope):
            return
        if callee.name == "publish":
            yield from _publish_uses(self._program, self._framework, call, scope)
        elif callee.name == "message_callback_add":
            handler = callback(self._program, argument(call, 1, "callback"), scope)
            for text, _ in addresses(self._program, argument(call, 0, "sub"), scope):
                if text and handler is not None:
                    self._by_topic[text] = handler
        elif callee.name == "subscribe":
            self._subscribed.append(_Call(call, scope))

    def _published_at_once(self, call: Call, scope: Scope) -> Iterator[EventUse]:
        """`publish.single("topic", payload)`, `publish.multiple([{"topic": …, "payload": …}])`."""
        messages = argument(call, 0, "msgs")
        if not isinstance(messages, ArrayLiteral):
            topic, message = argument(call, 0, "topic"), argument(call, 1, "payload")
            yield from sends(self._program, self._framework, scope, call, topic, message)
            return
        for item in messages.items:
            if isinstance(item, ObjectLiteral):
                held = {entry.key: entry.value for entry in item.entries}
                topic, message = held.get("topic"), held.get("payload")
            else:
                parts = item.items if isinstance(item, ArrayLiteral) else ()
                topic, message = (*parts, None, None)[:2]
            yield from sends(self._program, self._framework, scope, call, topic, message)

    def _is_client(self, expr: Expr, scope: Scope) -> bool:
        inside = scope.function
        if isinstance(expr, Name) and inside and (inside.span, expr.id) in self._handed:
            return True
        return is_of(self._program, expr, scope, _LIBRARIES, _CALLED)

    def _decorator_uses(
        self, declared: DeclaredFunction, annotation: Annotation
    ) -> Iterator[EventUse]:
        """`@mqtt.on_topic("a/#")` of Flask-MQTT, `@mqtt.subscribe("a/#")` of FastAPI-MQTT."""
        callee, scope = annotation.callee, declared.scope
        if not isinstance(callee, Attribute) or callee.name not in ("on_topic", "subscribe"):
            return
        if not self._is_client(callee.value, scope):
            return
        call = Call(callee, annotation.args, span=annotation.span)
        content = handler_payload(self._program, declared.value)
        if callee.name == "on_topic":
            for text, _ in addresses(self._program, argument(call, 0, "topic"), scope):
                self._by_topic[text] = declared.value
            return
        for item in (a for a in annotation.args if not a.name):
            yield from self._receives(item.value, content, call, scope)

    def _subscription_uses(self) -> Iterator[EventUse]:
        """Subscriptions of the clients, with the handlers of their messages."""
        handlers: dict[str, dict[Span, FunctionValue]] = {}
        for registered in self._callbacks:
            if registered.event == "on_message":
                of_owner = handlers.setdefault(_owner(registered.scope), {})
                of_owner[registered.handler.function.span] = registered.handler
        topics = [
            (found, text, unresolved)
            for found in self._subscribed
            for text, unresolved in self._topics(found)
        ]
        shared = Counter(_owner(f.scope) for f, text, _ in topics if text not in self._by_topic)
        for found, text, unresolved in topics:
            owner = _owner(found.scope)
            whole = [*handlers.get(owner, {}).values()]
            own = self._by_topic.get(text)
            if own is None and whole and (shared[owner] > 1 or len(whole) > 1):
                # What it does for one topic is told where it looks at the topic.
                kinds = handler_payload(self._program, whole[0]).kinds if len(whole) == 1 else ()
                content = Payload(_SHARED, kinds=kinds)
            else:
                handler = whole[0] if whole else enclosing_function(found.scope)
                content = handler_payload(self._program, own or handler)
            origin = origin_at(found.scope, found.call.span)
            yield receive(self._framework, text, content, origin, unresolved=unresolved)

    def _topics(self, found: _Call) -> Iterator[tuple[str, Reason]]:
        """`"a"`, `("a", 1)`, `[("a", 0), ("b", 1)]`: topics, and how surely they are delivered."""
        given = argument(found.call, 0, "topic")
        for text, unresolved in addresses(self._program, given, found.scope):
            if text not in _QUALITIES:
                yield text, unresolved

    def _receives(
        self, topics: Expr | None, content: Payload, call: Call, scope: Scope
    ) -> Iterator[EventUse]:
        origin = origin_at(scope, call.span)
        for text, unresolved in addresses(self._program, topics, scope):
            yield receive(self._framework, text, content, origin, unresolved=unresolved)

    def _find_callbacks(self) -> Iterator[_Callback]:
        """What a client calls: `client.on_message = on_message`, `@mqtt.on_message()`."""
        program = self._program
        file = program.facts(self._path)
        module = program.module_scope(file)
        places = [(file.statements, module)]
        for declared in functions(program, file):
            scope = program.function_scope(declared.function, declared.scope)
            places.append((scope.statements or (), scope))
            for annotation in declared.function.annotations:
                callee = annotation.callee
                if not isinstance(callee, Attribute) or callee.name != "on_message":
                    continue
                if is_of(program, callee.value, declared.scope, _LIBRARIES, _CALLED):
                    yield _Callback(callee.name, declared.scope, declared.value)
        for statements, scope in places:
            for event, value in _callback_assignments(statements):
                handler = callback(program, value, scope)
                if handler is not None:
                    yield _Callback(event, scope, handler)


def _client_of(function: Function) -> tuple[Span, str] | None:
    """The parameter of a callback that its client is handed as: the first one."""
    names = [p.name for p in function.params if p.name not in ("self", "cls", "this")]
    return (function.span, names[0]) if names else None


def _owner(scope: Scope) -> str:
    """The class around a place; nothing outside classes."""
    return scope.owner.key if scope.owner is not None else ""


def _callback_assignments(statements: tuple[Statement, ...]) -> Iterator[tuple[str, Expr]]:
    """The values that statements assign to attributes like `on_message`, outside nested
    functions."""
    for node in nodes_of(statements, (Lambda,)):
        match node:
            case Assign(target=Attribute(name=name), value=value) if (
                name in _EVENTS and value is not None
            ):
                yield name, value
            case _:
                pass


FRAMEWORK = Framework(name="MQTT", markers=_NAMES, calls=_CALLS, protocols=("mqtt",), events=events)
