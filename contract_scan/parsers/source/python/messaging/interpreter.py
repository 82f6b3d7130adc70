"""Finds in Python what the record of a messaging library describes."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator

from msgspec.structs import replace

from contract_scan.ir.event import EventUse
from contract_scan.ir.origin import Origin
from contract_scan.parsers.source.analysis.dataflow.reaching_definitions import definitions_of
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    FunctionValue,
    Instance,
    LibraryResult,
    Scope,
    Value,
    origin_at,
)
from contract_scan.parsers.source.facts.nodes import (
    ArrayLiteral,
    Assign,
    Attribute,
    Call,
    Expr,
    Loop,
    Name,
)
from contract_scan.parsers.source.facts.visitor import nodes_of
from contract_scan.parsers.source.language import Framework
from contract_scan.parsers.source.messaging.handlers_by_address import handler_of_address
from contract_scan.parsers.source.messaging.records import (
    AddressOfMessage,
    Bindings,
    Callback,
    Enclosing,
    MessagingLibrary,
    Receive,
    Send,
    Slot,
    framework_of,
)
from contract_scan.parsers.source.python.messaging.payloads import (
    enclosing_function,
    handler_payload,
)
from contract_scan.parsers.source.python.messaging.syntax import is_own_attribute
from contract_scan.parsers.source.python.messaging.trace import attribute_values
from contract_scan.parsers.source.python.messaging.uses import (
    addresses,
    callback,
    is_of,
    receive,
    sends,
    texts,
    through_exchange,
)
from contract_scan.parsers.source.python.resolution.calls_by_name import all_calls, called_name
from contract_scan.parsers.source.python.resolution.program_files import program_files
from contract_scan.parsers.source.python.web.common import argument


def framework(library: MessagingLibrary) -> Framework:
    """A described library as the engine has it."""
    return framework_of(library, events)


def events(program: Program, framework: Framework, library: MessagingLibrary) -> Iterator[EventUse]:
    """Every place that sends or receives through the library."""
    importing = program_files(program, *(library.imports or library.markers))
    # A client may be made in one file and used in another.
    calling = program_files(program, *library.calls) if importing else ()
    for path in dict.fromkeys((*importing, *calling)):
        yield from _FileInterpretation(program, framework, library, path).uses()


class _FileInterpretation:
    """One library in one file."""

    def __init__(
        self, program: Program, framework: Framework, library: MessagingLibrary, path: str
    ) -> None:
        self._program, self._framework, self._library = program, framework, library
        self._calls = [(c, s) for c, s in all_calls(program, path) if isinstance(c, Call)]

    def uses(self) -> Iterator[EventUse]:
        """What the file sends and receives."""
        for call, scope in self._calls:
            name = called_name(call)
            for send in self._library.sends:
                if name in send.methods and self._is_on_client(send, call, scope):
                    yield from self._send_uses(send, call, scope)
            for receive_ in self._library.receives:
                if name in receive_.methods and self._is_on_client(receive_, call, scope):
                    yield from self._receive_uses(receive_, call, scope, self._client(call, scope))
                elif name in receive_.constructors:
                    made = self._program.evaluate(call, scope)
                    if isinstance(made, LibraryResult) and made.name in receive_.of:
                        yield from self._receive_uses(receive_, call, scope, made)

    def _is_on_client(self, described: Send | Receive, call: Call, scope: Scope) -> bool:
        receiver = self._library.receiver
        types = described.of or receiver.types
        if not types:
            return True
        if not isinstance(call.callee, Attribute):
            return False
        packages = {name.partition(".")[0] for name in types}
        imports = any(entry.module.partition(".")[0] in packages for entry in scope.file.imports)
        words = receiver.variables if imports else receiver.variables_elsewhere
        return is_of(self._program, call.callee.value, scope, types, words)

    def _client(self, call: Call, scope: Scope) -> Value | None:
        if not isinstance(call.callee, Attribute):
            return None
        return self._program.evaluate(call.callee.value, scope)

    # ------------------------------------------------------------------ sending

    def _send_uses(self, send: Send, call: Call, scope: Scope) -> Iterator[EventUse]:
        program, framework = self._program, self._framework
        address, payload = _value(send.address, call), _value(send.payload, call)
        if isinstance(address, Attribute) and address.name in send.replies_to:
            return
        if send.exchange is None:
            yield from sends(program, framework, scope, call, address, payload)
            return
        exchange = _value(send.exchange, call)
        if address is not None and program.text(address, scope) == "":
            address = exchange  # a fanout exchange has no keys
        for use in sends(program, framework, scope, call, address, payload):
            yield through_exchange(program, use, exchange, scope)

    # ------------------------------------------------------------------ receiving

    def _receive_uses(
        self, described: Receive, call: Call, scope: Scope, client: Value | None
    ) -> Iterator[EventUse]:
        program, framework = self._program, self._framework
        origin = origin_at(scope, call.span)
        handler, places = self._handler(described, call, scope)
        part = _parsed_part(described, client)
        pattern = argument(call, -1, described.pattern_argument)
        if pattern is not None:
            content = handler_payload(program, handler, part)
            for text, why in addresses(program, pattern, scope):
                yield receive(framework, text, content, origin, unresolved=why, pattern=True)
            return
        broker = self._library.broker
        bindings = self._library.bindings
        for address in _values(described.address, call):
            keys = list(self._bound_keys(bindings, address, scope)) if bindings else []
            for key in dict.fromkeys(keys):
                running = _handler_at(program, handler, places, key)
                content = handler_payload(program, running, part)
                yield receive(framework, key, content, origin, pattern=broker.is_pattern(key))
            if not keys:
                yield from received_by(
                    program,
                    framework,
                    address,
                    scope,
                    handler,
                    origin,
                    parsed=part,
                    # With which keys messages came to a queue, its name does not say.
                    places=() if bindings else places,
                    is_pattern=broker.is_pattern
                    if described.pattern == "wildcards"
                    else lambda _: False,
                )

    def _bound_keys(self, bindings: Bindings, address: Expr | None, scope: Scope) -> Iterator[str]:
        queues = self._texts(address, scope)
        for call, inside in self._calls:
            if called_name(call) not in bindings.methods:
                continue
            if not queues.isdisjoint(self._texts(_value(bindings.queue, call), inside)):
                keys = addresses(self._program, _value(bindings.key, call), inside)
                yield from (key for key, _ in keys if key)

    def _texts(self, expr: Expr | None, scope: Scope) -> set[str]:
        return {text for text, _ in addresses(self._program, expr, scope)}

    def _handler(
        self, described: Receive, call: Call, scope: Scope
    ) -> tuple[FunctionValue | None, tuple[AddressOfMessage, ...]]:
        """What takes the messages, and where it finds the address of one."""
        for way in described.handlers:
            if isinstance(way, Enclosing):
                return _reading_function(self._program, call, scope), way.address
            written = _value(way.slot, call) if isinstance(way, Callback) else None
            if written is not None and isinstance(way, Callback):
                return callback(self._program, written, scope), way.address
        return None, ()


def _value(slot: Slot, call: Call) -> Expr | None:
    return argument(call, -1 if slot.position is None else slot.position, *slot.names)


def _values(slot: Slot, call: Call) -> list[Expr | None]:
    if not slot.to_end:
        return [_value(slot, call)]
    given = [item.value for item in call.args if not item.name and item.spread != "**"]
    return [*given[slot.position :]]


def _parsed_part(described: Receive, client: Value | None) -> str:
    """The attribute of a message that has the parsed content, where the client has a
    deserializer."""
    if not described.parsed_if:
        return described.message_part
    if not isinstance(client, LibraryResult):
        return ""
    given = {argument.name for argument in client.site.args}
    is_parsed = client.name.endswith(described.parsed_if) or given & set(described.parsed_if)
    return described.message_part if is_parsed else ""


# ------------------------------------------------------------------------------ what is received
# What handlers receive, those of base classes as each class below fills them in.


def received_by(
    program: Program,
    framework: Framework,
    address: Expr | None,
    scope: Scope,
    handler: FunctionValue | None,
    origin: Origin,
    *,
    parsed: str = "",
    places: tuple[AddressOfMessage, ...] = (),
    is_pattern: Callable[[str], bool] = lambda _: False,
) -> Iterator[EventUse]:
    """What a handler receives from an address, which it finds at one of the `places`. Where that is
    an attribute which the classes below set, each takes its own messages its own way."""
    own = _own_attribute(address, scope)
    found: set[tuple[str, str]] = set()
    if own is not None and scope.owner is not None:
        for value, symbol in attribute_values(program, scope.owner, own.name):
            for text in texts(program, value):
                if (text, symbol.key) in found:
                    continue
                found.add((text, symbol.key))
                on_class = handler and replace(handler, receiver=Instance(symbol))
                content = handler_payload(program, on_class, parsed)
                yield receive(framework, text, content, symbol.origin, pattern=is_pattern(text))
    if found:
        return
    for text, why in addresses(program, address, scope):
        content = handler_payload(program, _handler_at(program, handler, places, text), parsed)
        yield receive(framework, text, content, origin, unresolved=why, pattern=is_pattern(text))


def _handler_at(
    program: Program,
    handler: FunctionValue | None,
    places: tuple[AddressOfMessage, ...],
    address: str,
) -> FunctionValue | None:
    """A handler as it runs for messages of an address."""
    if handler is None or not address or not places:
        return handler
    return handler_of_address(program, handler, places, address) or handler


def _reading_function(program: Program, call: Call, scope: Scope) -> FunctionValue | None:
    """The function that asks for messages: the one around a call; where that makes a client that an
    attribute keeps (`self.consumer = AIOKafkaConsumer("orders")`), the method that goes through it.
    """
    owner = scope.owner
    kept = {
        node.target.name
        for statement in scope.statements or ()
        for node in nodes_of(statement)
        if isinstance(node, Assign)
        and is_own_attribute(node.target)
        and node.value is not None
        and any(one is call for one in nodes_of(node.value))
    }
    if owner is None or not kept:
        return enclosing_function(scope)
    for method in owner.decl.methods:
        loops = (
            node.iterable
            for statement in program.body(method, owner.file)
            for node in nodes_of(statement)
            if isinstance(node, Loop)
        )
        through = (part for one in loops for part in nodes_of(one))
        if any(isinstance(part, Attribute) and _is_kept(part, kept) for part in through):
            found = program.find_method(owner, method.name)
            return found and replace(found, receiver=Instance(owner))
    return enclosing_function(scope)


def _is_kept(part: Attribute, names: Collection[str]) -> bool:
    return is_own_attribute(part) and part.name in names


def _own_attribute(address: Expr | None, scope: Scope) -> Attribute | None:
    """The attribute of the object that an address is, or is an item of: in a loop, in a list."""
    if is_own_attribute(address):
        return address
    match address:
        case ArrayLiteral(items=(only,)):
            return _own_attribute(only, scope)
        case Name():
            for definition in definitions_of(address, scope):
                statement = definition.statement
                if isinstance(statement, Loop) and is_own_attribute(statement.iterable):
                    return statement.iterable
        case _:
            pass
    return None
