"""Finds in TypeScript what the record of a messaging library describes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.ir.event import EventUse
from contract_scan.ir.schema import Schema, Unknown
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    FunctionValue,
    Items,
    LibraryResult,
    OneOf,
    Scope,
    Value,
)
from contract_scan.parsers.source.facts.nodes import (
    Argument,
    ArrayLiteral,
    Attribute,
    Expr,
    Lambda,
    LiteralExpr,
    ObjectLiteral,
    UnsupportedSyntax,
)
from contract_scan.parsers.source.language import Framework
from contract_scan.parsers.source.messaging.handlers_by_address import handler_of_address
from contract_scan.parsers.source.messaging.records import (
    AddressOfMessage,
    Callback,
    Each,
    Key,
    Keys,
    Listener,
    MessagingLibrary,
    Receive,
    Send,
    Slot,
    Step,
    framework_of,
)
from contract_scan.parsers.source.typescript.lowering.params import dotted_name_of
from contract_scan.parsers.source.typescript.messaging import library as library_calls
from contract_scan.parsers.source.typescript.messaging.library import (
    SEVERAL,
    LibraryCall,
    property_of,
)
from contract_scan.parsers.source.typescript.messaging.received import (
    handler_of,
    part_shape,
    received_alone,
)
from contract_scan.parsers.source.typescript.messaging.sites import MessageSite, addresses, uses


def framework(library: MessagingLibrary) -> Framework:
    """A described library as the engine has it."""
    return framework_of(library, events)


def events(program: Program, framework: Framework, library: MessagingLibrary) -> Iterator[EventUse]:
    """Every place that sends or receives through the library."""
    return _Interpretation(program, framework, library).uses()


class _Handling(Struct, frozen=True):
    """What takes the messages of a subscription."""

    handler: FunctionValue | None
    """None where it is not seen, or one of several."""
    is_shared: bool
    """Whether it takes those of several subscriptions, or several take them."""
    address: tuple[AddressOfMessage, ...] = ()
    """Where it finds the address of a message."""


class _Interpretation:
    """One library in one program."""

    def __init__(self, program: Program, framework: Framework, library: MessagingLibrary) -> None:
        self._program, self._framework, self._library = program, framework, library
        self._calls = list(self._method_calls())
        self._receives = [
            (receive, call)
            for call in self._calls
            if (receive := self._receive_of(call)) is not None
        ]
        self._listeners = [
            (way, call)
            for way in self._ways_of_listening()
            for call in self._calls
            if call.method == way.method
            if not way.events or self._first_text(call) in way.events
        ]
        self._subscriptions = Counter(
            library_calls.receiver_key(call)
            for receive, call in self._receives
            for _ in self._values(receive.address, call)
        )

    def uses(self) -> Iterator[EventUse]:
        """What is sent, then what is received."""
        for call in self._calls:
            for send in self._library.sends:
                if call.method in send.methods and len(call.call.args) >= send.min_args:
                    yield from self._send_uses(send, call)
        for receive, call in (*self._receives, *self._constructions()):
            yield from self._receive_uses(receive, call)

    # ------------------------------------------------------------------ calls

    def _method_calls(self) -> Iterator[LibraryCall]:
        library = self._library
        methods = {name for send in library.sends for name in send.methods}
        methods |= {name for receive in library.receives for name in receive.methods}
        methods |= {way.method for way in self._ways_of_listening()}
        methods |= library.bindings.methods if library.bindings is not None else set()
        known = [send.methods for send in library.sends if send.is_known_by_name]
        return library_calls.method_calls(
            self._program,
            self._framework,
            library.receiver.types,
            frozenset(methods),
            receiver=library.receiver,
            on_anything=frozenset().union(*known) if library.receiver.types else frozenset(methods),
        )

    def _ways_of_listening(self) -> list[Listener]:
        handlers = [way for receive in self._library.receives for way in receive.handlers]
        return list(dict.fromkeys(way for way in handlers if isinstance(way, Listener)))

    def _receive_of(self, call: LibraryCall) -> Receive | None:
        for receive in self._library.receives:
            if call.method not in receive.methods or len(call.call.args) < receive.min_args:
                continue
            if receive.of and call.kind and not call.kind.startswith(receive.of):
                continue
            if not receive.event or self._first_text(call) == receive.event:
                return receive
        return None

    def _first_text(self, call: LibraryCall) -> str | None:
        first = call.argument(0)
        return None if first is None else self._program.text(first, call.scope)

    def _constructions(self) -> Iterator[tuple[Receive, LibraryCall]]:
        for receive in self._library.receives:
            names = frozenset(
                f"{module}.{prefix}{name}"
                for module in self._library.receiver.types
                for prefix in ("", "default.")
                for name in receive.constructors
            )
            found = library_calls.constructions(self._program, self._framework, names)
            for new, name, scope in found if names else ():
                if len(new.args) >= receive.min_args:
                    made = LibraryResult(name, new, scope)
                    yield receive, LibraryCall(new, "", made, name, scope)

    # ------------------------------------------------------------------ slots

    def _values(
        self, slot: Slot, call: LibraryCall, args: tuple[Argument, ...] | None = None
    ) -> list[Expr]:
        """The expressions that stand in a slot, as they can be read where the call stands."""
        if slot.made_by:
            return [self._value_of_maker(slot, call)]
        found = list(self._slot_values(slot, args or call.call.args, call.scope))
        if not slot.noun:
            return found
        return [self._constant(slot.noun, found[0] if found else None, call.scope, call)]

    def _value_of_maker(self, slot: Slot, call: LibraryCall) -> Expr:
        maker: Value | None = call.receiver
        while isinstance(maker, LibraryResult):
            if maker.name.rsplit(".", 1)[-1] in slot.made_by:
                found = next(self._slot_values(slot, maker.site.args, maker.scope), None)
                return self._constant(slot.noun, found, maker.scope, call)
            maker = maker.receiver
        return self._constant(slot.noun_of_given or slot.noun, None, call.scope, call)

    def _constant(self, noun: str, expr: Expr | None, scope: Scope, call: LibraryCall) -> Expr:
        span = call.call.span
        return library_calls.constant(self._program, expr, scope, span, noun, place=call.scope)

    def _slot_values(self, slot: Slot, args: tuple[Argument, ...], scope: Scope) -> Iterator[Expr]:
        given = args[slot.position :]
        found = [argument.value for argument in given[:1]]
        if slot.to_end and not (found and isinstance(found[0], ArrayLiteral)):
            values = [argument.value for argument in given if not argument.spread]
            found = [value for value in values if not isinstance(value, Lambda)]
        for step in slot.steps:
            found = [inner for expr in found for inner in self._step(step, expr, scope)]
        yield from found

    def _step(self, step: Step, expr: Expr, scope: Scope) -> list[Expr]:
        match step:
            case Key(names=names):
                for name in names:
                    held = property_of(self._program, expr, scope, name)
                    if held is not None:
                        return [held]
                attribute = Attribute(value=expr, name=names[0], span=expr.span)
                return [] if step.is_required else [attribute]
            case Each():
                return self._items(step, expr, scope)
            case Keys():
                if not isinstance(expr, ObjectLiteral):
                    return [expr]
                keys = (entry.key for entry in expr.entries)
                return [LiteralExpr(value=key, span=expr.span) for key in keys if key is not None]

    def _items(self, each: Each, expr: Expr, scope: Scope) -> list[Expr]:
        if isinstance(expr, ArrayLiteral):
            return list(expr.items)
        if each.lists == "literal":
            return [] if each.only_lists else [expr]
        value = self._program.evaluate(expr, scope)
        options = value.options if isinstance(value, OneOf) else (value,)
        ending = f".{each.filled_by_calls_of}"
        if each.filled_by_calls_of and any(
            isinstance(option, LibraryResult) and option.name.endswith(ending) for option in options
        ):
            return []
        if each.lists == "any" or isinstance(value, Items):
            return library_calls.items_of(expr)
        return [] if each.only_lists else [expr]

    # ------------------------------------------------------------------ sending

    def _send_uses(self, send: Send, call: LibraryCall) -> Iterator[EventUse]:
        if send.batch is None:
            yield from self._message_uses(send, call, call.call.args)
            return
        for message in self._values(send.batch, call):
            yield from self._message_uses(send, call, (Argument(value=message),))

    def _message_uses(
        self, send: Send, call: LibraryCall, args: tuple[Argument, ...]
    ) -> Iterator[EventUse]:
        payloads = self._values(send.payload, call, args)
        is_list = any(isinstance(step, Each) for step in send.payload.steps)
        exchange = self._values(send.exchange, call) if send.exchange is not None else []
        for address in self._values(send.address, call, args):
            into = exchange[0] if exchange and self._is_empty(address, call.scope) else address
            for payload in payloads or (() if is_list else (None,)):
                site = library_calls.send_site(
                    self._library.name, into, payload, call.scope, call.call.span
                )
                uses_ = self._uses_by_contract_name(site)
                if not exchange or into is not address:
                    yield from uses_
                    continue
                name = self._program.text(exchange[0], call.scope)
                yield from (_through_exchange(use, name) for use in uses_)

    def _is_empty(self, expr: Expr, scope: Scope) -> bool:
        return self._program.text(expr, scope) == ""

    def _uses_by_contract_name(self, site: MessageSite) -> Iterator[EventUse]:
        """Uses by the names that contracts list."""
        for use in uses(self._program, site):
            yield replace(use, address=self._library.broker.short_name(use.address))

    # ------------------------------------------------------------------ receiving

    def _receive_uses(self, receive: Receive, call: LibraryCall) -> Iterator[EventUse]:
        handling = self._handler_of_subscription(receive, call)
        for queue in self._values(receive.address, call):
            for address, scope in self._bound_keys(queue, call) or [(queue, call.scope)]:
                for one, handler, shape in self._by_address(receive, handling, address, scope):
                    site = library_calls.receive_site(
                        self._library.name,
                        one,
                        handler,
                        scope,
                        call.call.span,
                        shape=shape,
                        pattern=self._is_pattern(receive, address, scope),
                    )
                    yield from self._uses_by_contract_name(site)

    def _by_address(
        self, receive: Receive, handling: _Handling, address: Expr, scope: Scope
    ) -> Iterator[tuple[Expr, FunctionValue | None, Schema | None]]:
        """What takes the messages of the addresses that an expression may be, or their shape: of a
        handler that asks where a message came to, what runs for each."""
        running = self._handlers_of_addresses(handling, address, scope)
        if not any(running.values()):
            yield address, *self._taken_by(None, receive, handling)
            return
        for text, handler in running.items():
            literal = LiteralExpr(value=text, span=address.span)
            yield literal, *self._taken_by(handler, receive, handling)

    def _handlers_of_addresses(
        self, handling: _Handling, address: Expr, scope: Scope
    ) -> dict[str, FunctionValue | None]:
        """A handler as it runs for each address that an expression may be; None where it does not
        ask for the address."""
        program, handler = self._program, handling.handler
        if handler is None or not handling.address:
            return {}
        return {
            text: handler_of_address(program, handler, handling.address, text)
            for text in addresses(program, program.evaluate(address, scope))
            if not self._library.broker.is_pattern(text)
        }

    def _taken_by(
        self, running: FunctionValue | None, receive: Receive, handling: _Handling
    ) -> tuple[FunctionValue | None, Schema | None]:
        """What parses the messages, or the shape that it takes them for: the handler as it runs for
        one address, or for all (None)."""
        handler = running or handling.handler
        if handler is None or (running is None and handling.is_shared):
            return None, SEVERAL if handling.is_shared else None
        shape = self._shape(receive, handler)
        if shape is None and handling.is_shared:
            shape = received_alone(self._program, handler) or SEVERAL
        return handler if shape is None else None, shape

    def _shape(self, receive: Receive, handler: FunctionValue) -> Schema | None:
        """What a handler takes the part of a message for that the library has parsed; None where
        the handler parses it."""
        if not receive.message_part:
            return None
        shape = part_shape(self._program, handler, receive.message_part)
        return shape or Unknown(reason=receive.untyped)

    def _bound_keys(self, queue: Expr, call: LibraryCall) -> list[tuple[Expr, Scope]]:
        """The keys that are bound to a queue in the same file; the exchange where a key is
        empty."""
        bindings = self._library.bindings
        found: list[tuple[Expr, Scope]] = []
        for other in self._calls if bindings is not None else ():
            if bindings is None or other.method not in bindings.methods:
                continue
            slots = (bindings.queue, bindings.key, bindings.exchange or bindings.key)
            given = [self._values(slot, other) for slot in slots]
            if all(given) and self._is_same_queue(given[0][0], other.scope, queue, call.scope):
                key, exchange = given[1][0], given[2][0]
                found.append((exchange if self._is_empty(key, other.scope) else key, other.scope))
        return found

    def _is_same_queue(self, one: Expr, place: Scope, other: Expr, scope: Scope) -> bool:
        """Whether two expressions of a file name one queue: the same text, or the same expression
        of one function."""
        if place.file is not scope.file:
            return False
        texts = self._program.text(one, place), self._program.text(other, scope)
        if texts != (None, None):
            return texts[0] == texts[1]
        return place.function is scope.function and dotted_name_of(one) == dotted_name_of(other)

    def _is_pattern(self, receive: Receive, address: Expr, scope: Scope) -> bool:
        match receive.pattern:
            case "always":
                return True
            case "wildcards":
                text = self._program.text(address, scope)
                return text is not None and self._library.broker.is_pattern(text)
            case "regular expression":
                return isinstance(address, UnsupportedSyntax)
            case _:
                return False

    def _handler_of_subscription(self, receive: Receive, call: LibraryCall) -> _Handling:
        is_shared = False
        for way in receive.handlers:
            if not isinstance(way, Callback | Listener):
                continue
            handlers: list[FunctionValue | None] = []
            match way:
                case Callback(slot=slot):
                    written = self._values(slot, call)
                    handlers = [handler_of(self._program, w, call.scope) for w in written[-1:]]
                case Listener(of="subscription"):
                    handlers = [h for on, h in self._listening_calls(way) if _is_on(call, on)][:1]
                case Listener():
                    key = library_calls.receiver_key(call)
                    handlers = [
                        handler
                        for on, handler in self._listening_calls(way)
                        if library_calls.receiver_key(on) == key
                    ]
                    is_shared = len(handlers) > 1 or (
                        bool(handlers) and self._subscriptions[key] != 1
                    )
            if len(handlers) == 1 and handlers[0] is not None:
                return _Handling(handlers[0], is_shared, way.address)
        return _Handling(None, is_shared)

    def _listening_calls(self, way: Listener) -> Iterator[tuple[LibraryCall, FunctionValue | None]]:
        """Calls that listen in a way, each with the function it is given."""
        for listened, call in self._listeners:
            for written in self._values(way.slot, call) if listened == way else ():
                yield call, handler_of(self._program, written, call.scope)


def _through_exchange(use: EventUse, exchange: str | None) -> EventUse:
    """A message that is sent through an exchange; a contract may list the exchange instead of
    the routing key."""
    if not exchange:
        return use
    both = () if use.unresolved else (f"{exchange}/{use.address}",)
    return replace(use, aliases=(exchange, *both))


def _is_on(subscription: LibraryCall, call: LibraryCall) -> bool:
    """Whether a method is called on what a subscribing call gave."""
    return (
        isinstance(call.receiver, LibraryResult)
        and call.receiver.site.span == subscription.call.span
        and call.scope.file is subscription.scope.file
    )
