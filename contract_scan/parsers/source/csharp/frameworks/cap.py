"""CAP: `ICapPublisher.Publish`, `[CapSubscribe]`."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from contract_scan.ir.event import EventUse
from contract_scan.ir.origin import Origin
from contract_scan.parsers.source.analysis.dataflow import reaching_definitions
from contract_scan.parsers.source.analysis.domain.memo import memoised
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import ClassSymbol, Scope
from contract_scan.parsers.source.csharp.messaging.addresses import address
from contract_scan.parsers.source.csharp.messaging.payloads import handler_payload
from contract_scan.parsers.source.csharp.messaging.sends import (
    OutgoingMessage,
    channel_use,
    channel_uses,
    is_of,
)
from contract_scan.parsers.source.csharp.resolution.annotations import argument, find, find_all
from contract_scan.parsers.source.csharp.resolution.arguments import call_argument
from contract_scan.parsers.source.csharp.resolution.callers import calls_of, method_calls
from contract_scan.parsers.source.csharp.resolution.projects import project_of
from contract_scan.parsers.source.csharp.serialization.json_texts import serialised_payload
from contract_scan.parsers.source.facts.nodes import (
    Annotation,
    Assign,
    Attribute,
    Call,
    Function,
    LiteralExpr,
)
from contract_scan.parsers.source.language import Framework
from contract_scan.parsers.source.messaging.addresses import Address

_PUBLISHERS = frozenset({"ICapPublisher"})
_SENDS = {"Publish": 0, "PublishAsync": 0, "PublishDelay": 1, "PublishDelayAsync": 1}
"""Method -> position of the name of the topic."""
_CALLS = (b".Publish(", b".PublishAsync(", b".PublishDelay", b".Publish<", b".PublishAsync<")


def events(program: Program, framework: Framework) -> Iterator[EventUse]:
    """Every message that is published, every method that subscribes."""
    for file in program.seeds(framework):
        for symbol in program.classes(file):
            for method in symbol.decl.methods:
                yield from _subscription_uses(program, method, symbol)
        for call, callee, scope in method_calls(program, file, *_CALLS):
            position = _SENDS.get(callee.name)
            if position is not None and is_of(program, callee.value, scope, _PUBLISHERS):
                yield from _publish_uses(program, call, position, scope)


def _publish_uses(program: Program, call: Call, position: int, scope: Scope) -> Iterator[EventUse]:
    name = call_argument(call, "name", position)
    content = call_argument(call, "contentObj", position + 1)
    if name is None or content is None:
        return
    variant = _serialization_mode(program, scope.file.path)

    def read_message(seen: Scope) -> OutgoingMessage:
        found = _with_topic_prefix(program, address(program, name, seen))
        return OutgoingMessage(found, serialised_payload(program, content, seen, variant))

    yield from channel_uses(program, call, scope, read_message, FRAMEWORK.name)


def _subscription_uses(
    program: Program, method: Function, symbol: ClassSymbol
) -> Iterator[EventUse]:
    scope = program.class_scope(symbol)
    for marked in find_all(method.annotations, "CapSubscribe"):
        found = _topic(program, marked, symbol, scope)
        payload = handler_payload(
            program, method, scope, _serialization_mode(program, symbol.file.path), frozenset()
        )
        origin = Origin(
            symbol.file.path, method.name_span, "", f"{symbol.qualified_name}.{method.name}"
        )
        pattern = "*" in found.text or "#" in found.text
        message = OutgoingMessage(found, payload)
        yield channel_use("receive", message, origin, FRAMEWORK.name, pattern=pattern)


def _topic(program: Program, marked: Annotation, symbol: ClassSymbol, scope: Scope) -> Address:
    """The topic of a subscription; a partial one continues that of its class."""
    found = address(program, argument(marked, 0, "name"), scope)
    partial = argument(marked, 1, "isPartial")
    whole = find(symbol.decl.annotations, "CapSubscribe")
    if isinstance(partial, LiteralExpr) and partial.value is True and whole is not None:
        start = address(program, argument(whole, 0, "name"), scope)
        if start.reason:
            return start
        if found.text:
            found = replace(found, text=f"{start.text}.{found.text}")
    return _with_topic_prefix(program, found)


# --------------------------------------------------------------------------- options


def _with_topic_prefix(program: Program, found: Address) -> Address:
    """A topic with the prefix that start-up code sets for all topics."""
    prefix = _prefix(program)
    if not found.text or prefix == Address():
        return found
    return Address(text=f"{prefix.text}.{found.text}") if prefix.text else prefix


@memoised
def _prefix(program: Program) -> Address:
    """`options.TopicNamePrefix = "shop"`; empty where there is none."""
    return next(_prefixes(program), Address())


def _prefixes(program: Program) -> Iterator[Address]:
    for path in program.files_containing(b"TopicNamePrefix"):
        for call, scope in calls_of(program, program.facts(path), b"TopicNamePrefix"):
            if not isinstance(call, Call) or getattr(call.callee, "name", "") != "AddCap":
                continue
            function = program.function_value(call.args[0].value, scope) if call.args else None
            if function is None:
                continue
            inside = program.function_scope(function.function, function.scope)
            for statement in reaching_definitions.nested_statements(inside.statements or ()):
                match statement:
                    case Assign(target=Attribute(name="TopicNamePrefix"), value=written):
                        yield address(program, written, inside)
                    case _:
                        pass


def _serialization_mode(program: Program, near: str) -> str:
    """CAP writes with the serializer's own defaults, unless start-up code changes its options
    (https://github.com/dotnetcore/CAP: JsonUtf8Serializer, CapOptions.JsonSerializerOptions)."""
    paths = program.files_containing(b".AddCap(")
    folder = project_of(program, near).folder
    own = [path for path in paths if project_of(program, path).folder == folder]
    for path in own or paths:
        if b".JsonSerializerOptions" in (program.files.read(path) or b""):
            return "bare@?"
    return "bare"


FRAMEWORK = Framework(
    name="CAP",
    markers=(b"DotNetCore.CAP", b"ICapPublisher", b"CapSubscribe"),
    calls=_CALLS,
    events=events,
)
