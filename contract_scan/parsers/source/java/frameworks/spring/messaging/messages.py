"""What Spring's messaging libraries share: listeners, sends of templates, replies, messages."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.ir.event import EventUse
from contract_scan.ir.reasons import Reason
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import ClassSymbol, LibraryResult, Scope
from contract_scan.parsers.source.facts.nodes import Attribute, Call, Expr, New
from contract_scan.parsers.source.java.frameworks.spring.messaging.listeners import (
    Listener,
    listeners,
    replies,
)
from contract_scan.parsers.source.java.messaging.addresses import address
from contract_scan.parsers.source.java.messaging.payloads import PLAIN_MAPPER, Payload
from contract_scan.parsers.source.java.messaging.uses import channel_use
from contract_scan.parsers.source.java.resolution.annotations import (
    argument,
    constant_name,
    find,
    items,
    type_name,
)
from contract_scan.parsers.source.java.resolution.dependencies import related_files_containing
from contract_scan.parsers.source.java.serialization.jackson.settings import made_mapper_variant
from contract_scan.parsers.source.java.web.outcomes import chain_call
from contract_scan.parsers.source.language import Framework
from contract_scan.parsers.source.messaging.addresses import Address


class Messaging(Struct, frozen=True, kw_only=True):
    """What sets one library apart."""

    name: str
    markers: tuple[bytes, ...]
    calls: tuple[bytes, ...]
    protocols: tuple[str, ...] = ()
    listener: str
    """Annotation of methods that receive, or of classes whose methods do."""
    handler: str = ""
    """Annotation of the receiving methods of such a class."""
    converters: frozenset[str] = frozenset()
    """Classes that write payloads with a mapper of their own."""
    templates: frozenset[str]
    """Classes whose methods send."""
    packages: tuple[str, ...]
    """Where those classes are declared."""
    sends: frozenset[str]
    """Those methods."""
    read_listener: Callable[[Program, Listener, str], Iterator[EventUse]]
    """(program, listener, variant) -> what it receives."""
    read_send: Callable[[Program, Call, Scope, str], Iterator[EventUse]]
    """(program, call that sends, its scope, variant) -> what it sends."""


def framework(library: Messaging) -> Framework:
    """A described library as the engine has it."""
    return Framework(
        name=library.name,
        markers=library.markers,
        calls=library.calls,
        events=partial(_events, library=library),
        protocols=library.protocols,
    )


def _events(program: Program, framework: Framework, library: Messaging) -> Iterator[EventUse]:
    """Every listener with its replies, and every send."""
    for file in program.seeds(framework):
        variant = _converter_variant(program, file.path, library.converters)
        for symbol in program.classes(file):
            for listener in listeners(program, symbol, library.listener, library.handler):
                yield from library.read_listener(program, listener, variant)
                yield from _reply_uses(program, listener, variant, framework.name)
        for call, scope in program.calls(file):
            if isinstance(call, Call) and is_send(
                program, call, scope, library.sends, library.templates, library.packages
            ):
                yield from library.read_send(program, call, scope, variant)


def is_send(
    program: Program,
    call: Call,
    scope: Scope,
    sends: frozenset[str],
    templates: frozenset[str],
    packages: tuple[str, ...],
) -> bool:
    """Whether a call is a send of a template: the library's own, or a class derived from it."""
    if not isinstance(call.callee, Attribute) or call.callee.name not in sends:
        return False
    value = program.evaluate(call.callee.value, scope)
    symbol: ClassSymbol | None = getattr(value, "symbol", None)
    if symbol is not None:
        return any(type_name(base) in templates for base in symbol.decl.bases)
    package, _, simple = program.evaluator.qualified_name(value).rpartition(".")
    return simple in templates and (not package or package.startswith(packages))


def _reply_uses(
    program: Program, listener: Listener, variant: str, framework: str
) -> Iterator[EventUse]:
    """The return value of a listener, sent to the destination of `@SendTo`."""
    reply = find(listener.method.annotations, "SendTo")
    returns = listener.method.returns
    if reply is None or returns is None or not replies(listener.method):
        return
    payload = Payload(program.schema(returns, listener.scope, variant), type_name(returns))
    for item in items(argument(reply, "value")):
        found = address(program, item, listener.scope)
        # RabbitMQ writes an exchange before the queue; a topic of Kafka has no slash.
        found = replace(found, text=found.text.rpartition("/")[2])
        yield channel_use("send", found, payload, listener.origin, framework)


# --------------------------------------------------------------------------- messages


class Content(Struct, frozen=True, eq=False):
    """What a message of Spring is seen to be built of."""

    payload: Expr
    scope: Scope
    """Where the payload is to be evaluated."""
    message: LibraryResult


def message_content(program: Program, expr: Expr, scope: Scope) -> Content | None:
    """The payload of `MessageBuilder.withPayload(x)…build()` or `new GenericMessage<>(x)`."""
    value = program.evaluate(expr, scope)
    if not isinstance(value, LibraryResult):
        return None
    made = chain_call(value, "withPayload")
    if made is None and type_name(getattr(value.site, "type", None)) == "GenericMessage":
        made = value
    if made is None or not made.site.args:
        return None
    return Content(made.site.args[0].value, made.scope, value)


def header_address(program: Program, message: LibraryResult, header: str) -> Address:
    """The address in a header of a message under construction, by the header's constant."""
    current = chain_call(message, "setHeader")
    for _ in range(20):
        if current is None:
            break
        args = current.site.args
        if len(args) == 2 and constant_name(args[0].value) == header:
            return address(program, args[1].value, current.scope)
        before = current.receiver
        current = chain_call(before, "setHeader") if isinstance(before, LibraryResult) else None
    return Address(reason=Reason("no-topic-in-headers"))


def _converter_variant(program: Program, near: str, converters: frozenset[str]) -> str:
    """The variant of payloads: a converter that is given a mapper, when it is made or
    later, has that, if it is made there, or else the application's; any other has a plain one of
    its own."""
    literals = tuple(f"new {name}".encode() for name in sorted(converters))
    for path in related_files_containing(program, near, *literals) if literals else ():
        for call, scope in program.calls(program.facts(path)):
            if isinstance(call, New) and type_name(call.type) in converters and call.args:
                return made_mapper_variant(program, call.args[0].value, scope)
        if b".setObjectMapper(" in (program.files.read(path) or b""):
            return ""
    return PLAIN_MAPPER
