"""What a messaging library looks like, as data: `<language>/messaging/interpreter.py` reads code by
it.

A library is described by the calls that send and receive, and for each by the slots of the call in
which address, payload and handler stand. The first `Send` or `Receive` that fits a call is the one.

TypeScript reads steps of slots, makers and listeners; Python reads names of arguments, exchanges,
bindings, replies and the function around a call; C# what makes values, type arguments and events.
What a library of a language is the first to need is added to that language's interpreter.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Literal, Protocol, TypeAlias

from msgspec import Struct

from contract_scan.ir.event import EventUse
from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.language import Framework
from contract_scan.parsers.source.messaging.brokers import Broker


class Key(Struct, frozen=True):
    """The property of an object: the first of these names that it has."""

    names: tuple[str, ...]
    is_required: bool = True
    """Otherwise the first name is read as an attribute of what is no object literal."""


class Each(Struct, frozen=True):
    """The items of a list; what is no list stands for itself, unless `only_lists`."""

    lists: Literal["literal", "known", "any"] = "known"
    """What is a list: one that is written out, a value that is known to be one, or anything."""
    only_lists: bool = False
    """Whether what is no list stands for nothing."""
    filled_by_calls_of: str = ""
    """The method that makes a list which other calls fill: they send its items, not this call."""


class Keys(Struct, frozen=True):
    """The keys of an object literal (`subscribe({ "a/b": { qos: 1 } })`); else the value itself."""


Step: TypeAlias = Key | Each | Keys


class Made(Struct, frozen=True):
    """A value is read of what makes another one: `new Message { Value = value }`,
    `TopicName.FromProjectTopic(project, value)`, `builder.WithTopic(value).Build()`."""

    by: tuple[str, ...]
    """Last names of classes and methods."""
    position: int | None = 0
    """Which argument it is; negative: counted from the end; None: it is given by name only."""
    names: tuple[str, ...] = ()
    """Names of arguments or properties."""
    is_required: bool = True
    """Otherwise what is not made so stands for itself."""


class Slot(Struct, frozen=True):
    """Where in a call a value stands: an argument, and what is read of it."""

    position: int | None
    """None: it is given by name only."""
    steps: tuple[Step, ...] = ()
    made: Made | None = None
    """What is read of the argument by what makes it, after the steps."""
    names: tuple[str, ...] = ()
    """Names under which it may be given instead."""
    to_end: bool = False
    """Whether all arguments from the position on are values; functions among them are not."""
    made_by: tuple[str, ...] = ()
    """The value stands in the call that made the receiver (`client.topic(name).publish(data)`), not
    in this one: last names of methods or classes."""
    noun: str = ""
    """What a reason calls the value where it is not constant; empty: the reason is the value's."""
    noun_of_given: str = ""
    """The same where the call that made the receiver is not seen; empty: as `noun`."""
    missing: Reason = NO_REASON
    """Why the value is undetermined where nothing is seen to stand in the slot."""


class Receiver(Struct, frozen=True):
    """What a method has to be called on; nothing: the name of the method alone tells."""

    types: tuple[str, ...] = ()
    """TypeScript: modules of the library. Python: qualified names, `nats.*` for all of a module."""
    variables: tuple[str, ...] = ()
    """Words in the name of a variable of which nothing else is known."""
    variable_endings: tuple[str, ...] = ()
    """What the name of such a variable ends with."""
    variables_elsewhere: tuple[str, ...] = ()
    """The same in files that do not import the library."""
    type_argument: int | None = None
    """Which of its type arguments is the type of the content."""
    types_without_content: tuple[str, ...] = ()
    """Type arguments that say that there is none."""


class AddressOfMessage(Struct, frozen=True):
    """Where the function that handles messages finds the address that one came to."""

    path: tuple[str, ...]
    """Members of an argument: `("topic",)`; `("topic()",)` where it is a call; none: the argument
    itself is the address."""
    position: int | None = 0
    """Which argument; None: a variable of the function that fetches messages."""


class Callback(Struct, frozen=True):
    """The call itself is given the function that handles messages."""

    slot: Slot
    address: tuple[AddressOfMessage, ...] = ()
    """Where the function finds the address."""


class Listener(Struct, frozen=True):
    """Another call, on the same client or on the subscription, is given the function."""

    method: str
    slot: Slot
    events: frozenset[str] = frozenset()
    """Values of its first argument that tell of messages; none: it takes no name of an event."""
    of: Literal["client", "subscription"] = "client"
    address: tuple[AddressOfMessage, ...] = ()
    """Where the function finds the address."""


class Assigned(Struct, frozen=True):
    """The function is assigned to an event of what the call gives (`processor.Handle += …`)."""

    event: str


class Enclosing(Struct, frozen=True):
    """The function around the call fetches messages and handles them."""

    address: tuple[AddressOfMessage, ...] = ()
    """Where the function finds the address."""


class Nearby(Struct, frozen=True):
    """The function around the call, else the class, parses messages in one place; or in one for
    each address."""

    address: tuple[str, ...] = ()
    """Members of a message that lead to the address that it came to."""


Handler: TypeAlias = Callback | Listener | Assigned | Enclosing | Nearby


class Send(Struct, frozen=True, kw_only=True):
    """Calls that send, or constructors of what is sent."""

    methods: frozenset[str] = frozenset()
    constructors: frozenset[str] = frozenset()
    of: tuple[str, ...] = ()
    """As `Receive.of`."""
    is_known_by_name: bool = False
    """Whether no other library has methods of these names."""
    batch: Slot | None = None
    """Where several messages are sent at once, each with its own address and payload: these are
    read of the message."""
    is_known_by_payload: bool = False
    """Whether a payload that is made as its slot says tells the call as well as the receiver."""
    names_message: bool = False
    """Whether the address names the message where the type of its content does not."""
    address: Slot
    payload: Slot
    exchange: Slot | None = None
    """What the address is a routing key of. It is the address where the key is empty, and contracts
    may list it instead."""
    replies_to: frozenset[str] = frozenset()
    """Attributes that hold the inbox of whoever asked: what is sent there is no channel."""
    min_args: int = 1


class Receive(Struct, frozen=True, kw_only=True):
    """Calls that subscribe, or constructors of what receives."""

    methods: frozenset[str] = frozenset()
    constructors: frozenset[str] = frozenset()
    address: Slot
    handlers: tuple[Handler, ...]
    """Where the handler is looked for, in this order."""
    message_part: str = ""
    """The property of a message that holds its content, parsed; empty: the handler parses text."""
    parsed_if: tuple[str, ...] = ()
    """The part is parsed only where the client is made with one of these arguments, or is of a
    class whose name ends so; empty: always."""
    untyped: Reason = NO_REASON
    """Why the content is undetermined where the handler is seen and says nothing of that part."""
    pattern: Literal["never", "always", "wildcards", "regular expression", "after ^", "with *"] = (
        "never"
    )
    """When an address is a pattern; wildcards are the broker's."""
    pattern_words: dict[str, bool] = {}
    """Names in what makes an address -> whether they say that it is a pattern."""
    pattern_argument: str = ""
    """The name of the argument that holds a pattern, where that is given instead of addresses."""
    event: str = ""
    """The call subscribes only if this is its first argument (`.on("message", …)`)."""
    of: tuple[str, ...] = ()
    """What the qualified name of the receiver begins with, where clients of several kinds have
    methods of that name; what is known by a variable's name fits any."""
    min_args: int = 1
    type_argument: int | None = None
    """Which type argument of the call is the type of the content."""
    is_subscription: bool = False
    """Whether the address names a subscription: of which topic, the broker alone knows."""
    handles_all: bool = False
    """Whether one handler of the client is given the messages of all subscriptions."""


class Bindings(Struct, frozen=True, kw_only=True):
    """Calls that bind queues to what is sent (`queue_bind(queue, exchange, key)`): what a queue
    receives is known by the keys that are bound to it in the same file."""

    methods: frozenset[str]
    queue: Slot
    key: Slot
    exchange: Slot | None = None
    """Contracts may list it instead of the key."""


class MessagingLibrary(Struct, frozen=True, kw_only=True):
    """One client library."""

    name: str
    broker: Broker
    protocols: tuple[str, ...] = ()
    """Where they are not the broker's."""
    markers: tuple[bytes, ...]
    calls: tuple[bytes, ...]
    imports: tuple[bytes, ...] = ()
    """The markers of which some file of a program that uses the library holds one; empty: all."""
    receiver: Receiver = Receiver()
    sends: tuple[Send, ...] = ()
    receives: tuple[Receive, ...] = ()
    bindings: Bindings | None = None
    serialization_mode: str = ""
    """How the client itself writes an object that it is given."""
    other_serializers: tuple[bytes, ...] = ()
    """What files hold where another serializer writes and reads messages."""
    serializer_arguments: tuple[str, ...] = ()
    """Arguments of calls that are serializers."""


class Interpreter(Protocol):
    """Finds in the code of one language what a record describes."""

    def __call__(
        self, program: Program, framework: Framework, library: MessagingLibrary
    ) -> Iterator[EventUse]:
        """Every place that sends or receives through the library."""
        ...


def framework_of(library: MessagingLibrary, interpreter: Interpreter) -> Framework:
    """A described library as the engine has it."""
    return Framework(
        name=library.name,
        markers=library.markers,
        calls=library.calls,
        protocols=library.protocols or library.broker.protocols,
        events=partial(interpreter, library=library),
    )
