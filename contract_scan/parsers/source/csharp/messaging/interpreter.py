"""Finds in C# what the record of a messaging library describes."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from contract_scan.ir.event import EventUse
from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.parsers.source.analysis.dataflow import reaching_definitions
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    BoundType,
    ByType,
    Items,
    LibraryResult,
    LibrarySymbol,
    Scope,
    Value,
    named_function_scope,
)
from contract_scan.parsers.source.analysis.evaluation.call_sites import calls_in
from contract_scan.parsers.source.csharp.messaging.addresses import address
from contract_scan.parsers.source.csharp.messaging.sends import (
    OutgoingMessage,
    channel_use,
    channel_uses,
    is_of,
    received_message,
)
from contract_scan.parsers.source.csharp.messaging.sites import wrapper_scopes
from contract_scan.parsers.source.csharp.resolution.callers import calls_of
from contract_scan.parsers.source.csharp.resolution.calls import called_function
from contract_scan.parsers.source.csharp.resolution.inherited_members import (
    place_of,
    seen_from_below,
)
from contract_scan.parsers.source.csharp.resolution.value_classes import (
    called_scopes,
    is_cancellation_token,
)
from contract_scan.parsers.source.csharp.resolution.value_sources import (
    sources,
    variable,
    without_wrappers,
)
from contract_scan.parsers.source.csharp.serialization.json_texts import (
    RAW,
    Payload,
    read_in,
    read_near,
    read_payloads,
    serialised_payload,
    type_name,
    undetermined_because,
)
from contract_scan.parsers.source.csharp.serialization.settings.options import unqualified_name
from contract_scan.parsers.source.csharp.serialization.settings.record import READING
from contract_scan.parsers.source.facts.nodes import (
    Argument,
    ArrayLiteral,
    ArrayType,
    Assign,
    Attribute,
    Call,
    Expr,
    FileFacts,
    Lambda,
    Name,
    NamedType,
    New,
    NullableType,
    TypeExpr,
)
from contract_scan.parsers.source.language import Framework
from contract_scan.parsers.source.messaging.addresses import Address, routed_address
from contract_scan.parsers.source.messaging.handlers_by_address import calls_for_address
from contract_scan.parsers.source.messaging.records import (
    Assigned,
    Callback,
    Each,
    Enclosing,
    Made,
    MessagingLibrary,
    Nearby,
    Receive,
    Send,
    Slot,
    framework_of,
)

_MAX_STEPS = 30
"""Links of a chain of calls and definitions that are looked at."""
_Located = tuple[Expr, Scope]


def framework(library: MessagingLibrary) -> Framework:
    """A described library as the engine has it."""
    return framework_of(library, events)


def events(program: Program, framework: Framework, library: MessagingLibrary) -> Iterator[EventUse]:
    """Every place that sends or receives through the library."""
    for file in program.seeds(framework):
        yield from _FileInterpretation(program, library, file).uses()


class _FileInterpretation:
    """One library in one file."""

    def __init__(self, program: Program, library: MessagingLibrary, file: FileFacts) -> None:
        self._program, self._library, self._file = program, library, file
        self._calls = list(calls_of(program, file, *library.calls))

    def uses(self) -> Iterator[EventUse]:
        """What the file sends and receives."""
        subscriptions: list[tuple[Receive, Call, list[Address], Scope]] = []
        for call, scope in self._calls:
            send = self._send_of(call, scope)
            if send is not None:
                yield from self._send_uses(send, call, scope)
                continue
            receive = self._receive_of(call, scope)
            if receive is not None and isinstance(call, Call):
                for seen in seen_from_below(self._program, scope):
                    subscriptions += self._as_called(receive, call, seen)
        for receive, call, addresses, scope in subscriptions:
            handled = subscriptions if receive.handles_all else [(receive, call, addresses, scope)]
            is_shared = sum(len(each[2]) for each in handled) > 1
            yield from self._receive_uses(receive, call, addresses, scope, is_shared=is_shared)

    def _as_called(
        self, receive: Receive, call: Call, scope: Scope
    ) -> list[tuple[Receive, Call, list[Address], Scope]]:
        """A call that subscribes, with its addresses; where these are not told, as each caller of
        the function around it makes it."""
        addresses = self._addresses(receive, call, scope)
        outside = wrapper_scopes(self._program, scope) if any(a.reason for a in addresses) else ()
        seen = [inside for inside, _, _ in outside]
        return [
            (receive, call, self._addresses(receive, call, inside), inside) for inside in seen
        ] or [(receive, call, addresses, scope)]

    # ------------------------------------------------------------------ calls

    def _send_of(self, call: Call | New, scope: Scope) -> Send | None:
        for send in self._library.sends:
            if isinstance(call, New):
                if self._is_made(call, scope, send.constructors):
                    return send
            elif _method(call) in send.methods and len(call.args) >= send.min_args:
                is_made = send.is_known_by_payload and self._is_written_out(send, call, scope)
                if is_made or self._is_on_client(send, call, scope):
                    return send
        return None

    def _receive_of(self, call: Call | New, scope: Scope) -> Receive | None:
        for receive in self._library.receives:
            if _method(call) not in receive.methods or len(call.args) < receive.min_args:
                continue
            if self._is_on_client(receive, call, scope):
                return receive
        return None

    def _is_made(self, made: New, scope: Scope, names: frozenset[str]) -> bool:
        """Whether an object is one of these classes of a library."""
        if not isinstance(made.type, NamedType) or unqualified_name(made.type.name) not in names:
            return False
        return isinstance(self._program.names.lookup_type(made.type.name, scope), LibrarySymbol)

    def _is_on_client(self, described: Send | Receive, call: Call | New, scope: Scope) -> bool:
        """Whether a call is one of a client: a value of its type, or made by what makes clients;
        where no types are known, a call of no function of the project."""
        if not isinstance(call, Call) or not isinstance(call.callee, Attribute):
            return False
        types = frozenset(described.of or self._library.receiver.types)
        if not types:
            return self._program.function_value(call.callee, scope) is None
        if is_of(self._program, call.callee.value, scope, types):
            return True
        makers = self._makers(call.callee.value, scope)
        return any(not types.isdisjoint(_maker_names(maker)) for maker, _ in makers)

    def _is_written_out(self, send: Send, call: Call, scope: Scope) -> bool:
        made = send.payload.made
        found = self._standing_in(replace(send.payload, made=None), call, scope)
        return made is not None and found is not None and bool(list(self._parts(made, *found)))

    def _value_of(self, expr: Expr, scope: Scope) -> Value:
        value = self._program.evaluate(without_wrappers(expr), scope)
        return self._program.evaluator.unwrap(value)

    # ------------------------------------------------------------------ slots

    def _standing_in(self, slot: Slot, call: Call | New, scope: Scope) -> _Located | None:
        """What stands in a slot, with the scope that it is read in."""
        return next(self._values(slot, call, scope), None)

    def _values(self, slot: Slot, call: Call | New, scope: Scope) -> Iterator[_Located]:
        if slot.made_by:
            if isinstance(call, Call) and isinstance(call.callee, Attribute):
                made = Made(slot.made_by, slot.position, slot.names)
                given: Iterator[_Located] = self._parts(made, call.callee.value, scope)
            else:
                given = iter(())
        else:
            value = self._argument(call.args, slot.position, slot.names, scope)
            given = iter(() if value is None else ((value, scope),))
        for expr, place in given:
            if slot.made is None:
                yield expr, place
                continue
            found = list(self._parts(slot.made, expr, place))
            is_made = found or self._is_made_so(slot.made, expr, place)
            yield from found if is_made or slot.made.is_required else [(expr, place)]

    def _argument(
        self,
        args: tuple[Argument, ...],
        position: int | None,
        names: tuple[str, ...],
        scope: Scope,
    ) -> Expr | None:
        """An argument by the parameter's name, else by its position."""
        for argument in args:
            if argument.name in names:
                return argument.value
        if position is None:
            return None
        given = args
        if position < 0:
            given = tuple(
                a
                for a in args
                if not a.name and not is_cancellation_token(self._program, a.value, scope)
            )
        if not -len(given) <= position < len(given) or given[position].name:
            return None
        return given[position].value

    def _parts(self, made: Made, expr: Expr, scope: Scope, depth: int = 0) -> Iterator[_Located]:
        """What the makers of a value are given, from the last call of a chain to the first."""
        is_found = False
        for maker, place in self._makers(expr, scope):
            for part in self._parts_of_maker(made, maker, place, depth):
                is_found = True
                yield part
        if is_found or depth:
            return
        value = self._value_of(expr, scope)
        if isinstance(value, Items) and value.values:
            value = value.values[0]
        if isinstance(value, LibraryResult) and isinstance(value.site, New):
            yield from self._parts_of_maker(made, value.site, value.scope, depth)

    def _is_made_so(self, made: Made, expr: Expr, scope: Scope) -> bool:
        return any(_is_made_by(made, maker) for maker, _ in self._makers(expr, scope))

    def _makers(self, expr: Expr, scope: Scope) -> Iterator[tuple[Call | New, Scope]]:
        """The calls that make a value, each on what the next one gives: `a.B().C()`."""
        for _ in range(_MAX_STEPS):
            plain = without_wrappers(expr)
            match plain:
                case New():
                    yield plain, scope
                    return
                case Call(callee=Attribute(value=inner)):
                    yield plain, scope
                    expr = inner
                case ArrayLiteral(items=(first, *_)):
                    expr = first
                case _:
                    given = list(sources(self._program, plain, scope))
                    if len(given) != 1:
                        return
                    expr, scope = given[0]

    def _parts_of_maker(
        self, made: Made, maker: Call | New, scope: Scope, depth: int
    ) -> Iterator[_Located]:
        if not _is_made_by(made, maker):
            return
        entries = maker.entries if isinstance(maker, New) else ()
        found = next((entry.value for entry in entries if entry.key in made.names), None)
        if found is None:
            found = self._argument(maker.args, made.position, made.names, scope)
        if isinstance(found, Lambda):
            inside = self._program.function_scope(found.function, scope)
            for call, place in calls_in(self._program, inside.statements or (), inside):
                yield from self._parts_of_maker(made, call, place, depth)
        elif found is not None:
            nested = list(self._parts(made, found, scope, depth + 1)) if depth < 2 else []
            yield from nested or [(found, scope)]

    # ------------------------------------------------------------------ sending

    def _send_uses(self, send: Send, call: Call | New, scope: Scope) -> Iterator[EventUse]:
        where = self._argument(call.args, send.address.position, send.address.names, scope)
        if isinstance(where, Attribute) and where.name in send.replies_to:
            return

        def read_message(seen: Scope) -> OutgoingMessage:
            found = self._address(send.address, call, seen)
            aliases: tuple[str, ...] = ()
            if send.exchange is not None:
                exchange = self._address(send.exchange, call, seen)
                found, aliases = routed_address(exchange, found)
            if not found.text and not found.reason:
                found = Address(reason=send.address.missing or Reason("no-address"))
            return OutgoingMessage(found, self._sent_payload(send, call, seen), aliases)

        for use in channel_uses(self._program, call, scope, read_message, self._library.name):
            yield replace(use, message=use.message or use.address) if send.names_message else use

    def _address(self, slot: Slot, call: Call | New, scope: Scope) -> Address:
        """The address in a slot; empty where it is an empty text, or nothing stands there."""
        located = self._standing_in(slot, call, scope)
        if located is None:
            return Address()
        expr, place = located
        found = address(self._program, expr, place)
        is_empty = self._program.text(expr, place) == "" or getattr(expr, "name", "") == "Empty"
        if is_empty and not found.text:
            return Address()
        return replace(found, text=self._library.broker.short_name(found.text))

    def _sent_payload(self, send: Send, call: Call | New, scope: Scope) -> Payload:
        located = self._standing_in(send.payload, call, scope)
        if any(argument.name in self._library.serializer_arguments for argument in call.args):
            return undetermined_because(Reason("serializer-passed-to-call"))
        if located is None:
            declared = self._content_type(self._library.receiver.type_argument, call, scope)
            if declared is not None:
                return self._of_type(declared, self._library.serialization_mode)
            return undetermined_because(send.payload.missing or Reason("no-payload"))
        value = self._program.evaluator.unwrap(self._program.evaluate(*located))
        is_raw = isinstance(value, ByType) and _is_raw(value.type)
        if not is_raw and self._has_other_serializers():
            return undetermined_because(Reason("serializer-registry-writes-messages"))
        return serialised_payload(self._program, *located, self._library.serialization_mode)

    def _has_other_serializers(self) -> bool:
        others = self._library.other_serializers
        return bool(others) and self._program.any_file_contains(*others)

    # ------------------------------------------------------------------ types

    def _content_type(
        self, position: int | None, call: Call | New, scope: Scope
    ) -> BoundType | None:
        """The type of the content that the type of the client states."""
        if position is None or not isinstance(call, Call) or not isinstance(call.callee, Attribute):
            return None
        value: Value | None = self._value_of(call.callee.value, scope)
        while isinstance(value, LibraryResult) and isinstance(value.receiver, LibraryResult):
            value = value.receiver
        written: TypeExpr | None = None
        if isinstance(value, LibraryResult) and isinstance(value.site, New):
            written = value.site.type
        elif isinstance(value, ByType):
            written = value.type.item if isinstance(value.type, NullableType) else value.type
        if not isinstance(written, NamedType) or position >= len(written.args):
            return None
        assert isinstance(value, ByType | LibraryResult)
        found = written.args[position]
        name = unqualified_name(found.name) if isinstance(found, NamedType) else ""
        if _is_raw(found) or name in self._library.receiver.types_without_content:
            return None
        return BoundType(found, value.scope)

    def _of_type(self, bound: BoundType, mode: str) -> Payload:
        schema = self._program.schema(bound.type, bound.scope, mode)
        name = type_name(self._program, ByType(bound.type, bound.scope))
        return Payload(schema=schema, message=name)

    # ------------------------------------------------------------------ receiving

    def _addresses(self, receive: Receive, call: Call, scope: Scope) -> list[Address]:
        """The addresses that a call subscribes to."""
        located = list(self._values(receive.address, call, scope))
        if any(isinstance(step, Each) for step in receive.address.steps):
            texts = [t for expr, place in located for t in self._program.texts(expr, place)]
            if texts and all(texts):
                return [Address(text=text or "") for text in texts]
        if len(located) < 2:
            return [self._address(receive.address, call, scope)]
        return [address(self._program, expr, place) for expr, place in located]

    def _receive_uses(
        self,
        receive: Receive,
        call: Call,
        addresses: list[Address],
        scope: Scope,
        *,
        is_shared: bool,
    ) -> Iterator[EventUse]:
        shared = self._received_payload(receive, call, scope, is_shared=is_shared)
        origin = place_of(self._program, call, scope)
        for given in addresses:
            own = self._payload_by_address(receive, given, call, scope) if is_shared else None
            payload = own or shared
            found, aliases = self._with_bindings(receive, given, call, scope)
            if not found.text and not found.reason:
                found = Address(reason=receive.address.missing or Reason("no-address"))
            if receive.is_subscription and found.text:
                aliases = (found.text,)
                found = Address(reason=Reason("subscription-topic-not-found", text=found.text))
            message = received_message(found, payload, aliases)
            pattern = self._is_pattern(receive, found.text, call, scope)
            yield channel_use("receive", message, origin, self._library.name, pattern=pattern)

    def _is_pattern(self, receive: Receive, text: str, call: Call, scope: Scope) -> bool:
        if receive.pattern_words:
            written = self._argument(call.args, receive.address.position, (), scope)
            for maker, _ in self._makers(written, scope) if written is not None else ():
                words = (_method(maker), *(getattr(a.value, "name", "") for a in maker.args))
                told = [
                    receive.pattern_words[word] for word in words if word in receive.pattern_words
                ]
                if told:
                    return told[0]
        match receive.pattern:
            case "wildcards":
                return self._library.broker.is_pattern(text)
            case "after ^":
                return text.startswith("^")
            case "with *":
                return "*" in text
            case _:
                return False

    def _received_payload(
        self, receive: Receive, call: Call, scope: Scope, *, is_shared: bool
    ) -> Payload | None:
        """What a handler makes of messages; None where that is not seen."""
        mode = READING + self._library.serialization_mode
        position = receive.type_argument
        declared = self._content_type(self._library.receiver.type_argument, call, scope)
        if position is not None and position < len(call.type_args):
            written = call.type_args[position]
            declared = None if _is_raw(written) else BoundType(written, scope)
        if declared is not None:
            has_own = any(a.name in self._library.serializer_arguments for a in call.args)
            if has_own or self._has_other_serializers():
                return undetermined_because(Reason("serializer-registry-reads-messages"))
            return self._of_type(declared, mode)
        if is_shared:
            return undetermined_because(Reason("handler-shared-by-topics"))
        for way in receive.handlers:
            inside: Scope | None = None
            match way:
                case Callback(slot=slot):
                    inside = self._callback(slot, call, scope)
                case Assigned(event=event):
                    inside = self._assigned_handler(event, call, scope)
                case Enclosing():
                    inside = named_function_scope(scope) or scope
                case _:
                    around = named_function_scope(scope)
                    bound = around if around is not None and around.types else None
                    told = None if bound is None else read_in(self._program, bound)
                    return told or read_near(self._program, self._file, scope)
            if inside is not None:
                return read_in(self._program, inside)
        return None

    def _payload_by_address(
        self, receive: Receive, given: Address, call: Call, scope: Scope
    ) -> Payload | None:
        """What code that asks where a message comes from makes of those from one address; None
        where that is not seen."""
        paths = [way.address for way in receive.handlers if isinstance(way, Nearby) and way.address]
        text = given.text
        if not paths or not text or self._is_pattern(receive, text, call, scope):
            return None
        owner = scope.owner_around
        starts = [named_function_scope(scope) or scope]
        if owner is not None:
            inside = self._program.class_scope(owner)
            starts += [self._program.function_scope(each, inside) for each in owner.decl.methods]
        for start in starts:
            told = calls_for_address(self._program, start, text, paths, self._scope_of_call)
            found = read_payloads(self._program, told or ())
            if told is not None:
                return found[0] if len(found) == 1 else None
        return None

    def _scope_of_call(self, call: Call, scope: Scope) -> Scope | None:
        target = called_function(self._program, call, scope)
        return None if target is None else called_scopes(self._program, target, call, scope)[0]

    def _callback(self, slot: Slot, call: Call, scope: Scope) -> Scope | None:
        given = call.args[slot.position :] if slot.to_end else call.args[slot.position :][:1]
        for argument in given:
            handler = self._program.function_value(argument.value, scope)
            if handler is not None:
                return self._program.function_scope(handler.function, handler.scope)
        return None

    def _assigned_handler(self, event: str, call: Call, scope: Scope) -> Scope | None:
        """The function that is assigned to an event of what a call gives, where there is just one:
        `processor.ProcessMessageAsync += Handle`."""
        name = _assigned_to(call, scope)
        owner = scope.owner_around
        places = [scope]
        if owner is not None:
            inside = self._program.class_scope(owner)
            near = named_function_scope(scope) or scope
            places = [
                near if each is near.function else self._program.function_scope(each, inside)
                for each in owner.decl.methods
            ]
        found: list[Scope] = []
        for place in places:
            for statement in reaching_definitions.nested_statements(place.statements or ()):
                match statement:
                    case Assign(target=Attribute(value=holder, name=assigned), value=given) if (
                        given and assigned == event and name in ("", variable(holder))
                    ):
                        function = self._program.function_value(given, place)
                        if function is not None:
                            found.append(
                                self._program.function_scope(function.function, function.scope)
                            )
                    case _:
                        pass
        return found[0] if len(found) == 1 else None

    def _with_bindings(
        self, receive: Receive, found: Address, call: Call, scope: Scope
    ) -> tuple[Address, tuple[str, ...]]:
        """A queue with the keys and exchanges that are bound to it, which contracts may list
        instead; the first of them stands for a queue whose name is undetermined. With a key that
        is undetermined (of types that are subscribed to), any channel may be received from."""
        bindings = self._library.bindings
        if bindings is None:
            return found, ()
        queue = self._argument(call.args, receive.address.position, receive.address.names, scope)
        bound: list[str] = []
        undetermined = NO_REASON
        for other, place in self._calls:
            if _method(other) not in bindings.methods:
                continue
            named = self._argument(other.args, bindings.queue.position, bindings.queue.names, place)
            text = self._address(bindings.queue, other, place).text
            is_same = _queue_variable(named) and _queue_variable(named) == _queue_variable(queue)
            if text == found.text if found.text else found.reason and is_same:
                slots = [slot for slot in (bindings.key, bindings.exchange) if slot is not None]
                given = [self._address(slot, other, place) for slot in slots]
                bound += [each.text for each in given]
                undetermined = undetermined or given[0].reason
        wildcards = self._library.broker.wildcards
        aliases = tuple(dict.fromkeys(each for each in bound if each and each not in wildcards))
        if undetermined:
            return Address(reason=undetermined), aliases
        if found.reason and aliases:
            return Address(text=aliases[0]), aliases[1:]
        return found, tuple(alias for alias in aliases if alias != found.text)


def _method(call: Call | New) -> str:
    return call.callee.name if isinstance(call, Call) and isinstance(call.callee, Attribute) else ""


def _maker_names(maker: Call | New) -> tuple[str, ...]:
    """The class of `new Client()`; method and class of `Client.Create()`."""
    if isinstance(maker, New):
        return (unqualified_name(maker.type.name),) if isinstance(maker.type, NamedType) else ()
    match maker.callee:
        case Attribute(value=Name(id=holder) | Attribute(name=holder), name=name):
            return name, holder
        case _:
            return (_method(maker),)


def _is_made_by(made: Made, maker: Call | New) -> bool:
    """Whether a call is one that the record names; `new()` may be any class."""
    names = _maker_names(maker)
    return not names or names[0] in made.by


def _is_raw(type: TypeExpr) -> bool:
    """Whether a type says nothing of the content of messages."""
    inner = type.item if isinstance(type, ArrayType | NullableType) else type
    if not isinstance(inner, NamedType):
        return True
    return unqualified_name(inner.name).removesuffix("[]") in RAW


def _assigned_to(call: Call, scope: Scope) -> str:
    """The local name or member that holds what a call gives."""
    current: Scope | None = scope
    while current is not None:
        for statement in reaching_definitions.nested_statements(current.statements or ()):
            if not isinstance(statement, Assign) or statement.value is None:
                continue
            if without_wrappers(statement.value) is call:
                return variable(statement.target)
        current = current.parent
    return ""


def _queue_variable(expr: Expr | None) -> str:
    """The name of a variable, also of `declared.QueueName`."""
    match without_wrappers(expr) if expr is not None else None:
        case Attribute(value=holder, name="QueueName"):
            return variable(holder)
        case _:
            return variable(expr)
