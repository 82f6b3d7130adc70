"""Which messages go to which exchange, queue or topic, and where messages come from, as start-up
code says it: `PublishMessage<T>().ToRabbitQueue("x")`, `ListenToKafkaTopic("x")` and their kin."""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec import Struct

from contract_scan.ir.origin import Origin
from contract_scan.parsers.source.analysis.domain.memo import memoised
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import ByType, ClassSymbol, Scope
from contract_scan.parsers.source.analysis.evaluation.call_sites import calls_in
from contract_scan.parsers.source.csharp.messaging.addresses import address
from contract_scan.parsers.source.csharp.messaging.typed_messages import qualified_type_name
from contract_scan.parsers.source.csharp.resolution.annotations import find, text
from contract_scan.parsers.source.csharp.resolution.callers import calls_of
from contract_scan.parsers.source.csharp.resolution.projects import project_of
from contract_scan.parsers.source.csharp.resolution.value_classes import symbol_of
from contract_scan.parsers.source.facts.nodes import Attribute, Call, Expr, Name, TypeExpr
from contract_scan.parsers.source.messaging.addresses import Address

_BROKERS = r"Rabbit|AzureServiceBus|Kafka|Sqs|Sns|Pubsub|Mqtt|Nats|Pulsar|RedisStream"
_PUBLISHES = re.compile(rf"To(?:{_BROKERS})\w*")
_LISTENS = re.compile(rf"ListenTo(?:{_BROKERS})\w*")
_LITERALS = (b".To", b".ListenTo", b".UseConventionalRouting(", b".DefaultIncomingMessage<")
_BY_TYPE = frozenset({"ToKafkaTopics", "ToRabbitTopics", "ToMqttTopics", "ToAzureServiceBusTopics"})
"""What sends every message to a topic of its own."""
_MAX_STEPS = 12


class Filter(Struct, frozen=True):
    """Which messages a rule is for: those of a type, of what a type says, or all."""

    kind: str
    """`type`, `kin` (what is derived from a type), `namespace`, `assembly`, `all`, or `unknown`."""
    value: str = ""

    def matches(self, program: Program, symbol: ClassSymbol) -> bool:
        """Whether a message matches the filter."""
        match self.kind:
            case "all":
                return True
            case "type":
                return symbol.key == self.value
            case "kin":
                return any(base.key == self.value for base in program.bases(symbol))
            case "namespace":
                return f"{qualified_type_name(symbol, '.')}".startswith(f"{self.value}.")
            case "assembly":
                return project_of(program, symbol.file.path).folder == self.value
            case _:
                return False


class Rule(Struct, frozen=True):
    """Messages, and where they go."""

    filters: tuple[Filter, ...]
    address: Address
    aliases: tuple[str, ...]
    by_type: bool
    folder: str
    """The project that says so."""


class Listener(Struct, frozen=True):
    """A place that messages come from."""

    address: Address
    message: ByType | None
    """What comes where the envelope does not say."""
    origin: Origin
    folder: str


class Routing(Struct, frozen=True):
    """All that start-up code says."""

    rules: tuple[Rule, ...] = ()
    listeners: tuple[Listener, ...] = ()
    conventional: tuple[tuple[str, bool], ...] = ()
    """The projects in which names are made of types, and whether they change how."""


@memoised
def message_routing(program: Program) -> Routing:
    """What start-up code says of routes."""
    rules: list[Rule] = []
    listeners: list[Listener] = []
    conventional: list[tuple[str, bool]] = []
    for path in program.files_containing(b"Wolverine"):
        folder = project_of(program, path).folder
        found = [
            (call, scope)
            for call, scope in calls_of(program, program.facts(path), *_LITERALS)
            if isinstance(call, Call) and isinstance(call.callee, Attribute)
        ]
        defaults = dict(_defaults(found))
        for call, scope in found:
            name = getattr(call.callee, "name", "")
            if _LISTENS.fullmatch(name):
                listeners += _listeners(program, call, scope, defaults, folder)
            elif _PUBLISHES.fullmatch(name):
                rules.append(_rule(program, call, name, scope, folder))
            elif name == "UseConventionalRouting":
                conventional.append((folder, bool(call.args)))
    return Routing(tuple(rules), tuple(listeners), tuple(conventional))


# --------------------------------------------------------------------------- publishing


def _rule(program: Program, call: Call, name: str, scope: Scope, folder: str) -> Rule:
    given = [argument.value for argument in call.args]
    by_type = name in _BY_TYPE
    aliases: tuple[str, ...] = ()
    if name.startswith("ToRabbitRoutingKey") and len(given) > 1:
        to, exchange = address(program, given[1], scope), address(program, given[0], scope)
        aliases = (exchange.text,) if exchange.text else ()
    elif by_type:
        to = Address()
        exchange = address(program, given[0], scope) if given else Address()
        aliases = (exchange.text,) if exchange.text else ()
    else:
        to = address(program, given[0] if given else None, scope)
    return Rule(tuple(_filters(program, call, scope)), to, aliases, by_type, folder)


def _filters(program: Program, call: Call, scope: Scope) -> Iterator[Filter]:
    """What stands before the destination in a chain of calls, or in the function that a rule is
    written in: `opts.Publish(rule => { rule.Message<T>(); rule.ToRabbitQueue("x"); })`."""
    match call.callee:
        case Attribute(value=Name(id=id)):
            for other, place in calls_in(program, scope.statements or (), scope):
                on = getattr(getattr(other, "callee", None), "value", None)
                if isinstance(other, Call) and isinstance(on, Name) and on.id == id:
                    yield from _filter(program, other, place)
            return
        case _:
            pass
    expr: Expr = call.callee
    for _ in range(_MAX_STEPS):
        match expr:
            case Attribute(value=Call(callee=Attribute() as callee) as inner):
                yield from _filter(program, inner, scope)
                expr = callee
            case _:
                return


def _filter(program: Program, call: Call, scope: Scope) -> Iterator[Filter]:
    name = getattr(call.callee, "name", "")
    symbol = symbol_of(program, ByType(call.type_args[0], scope)) if call.type_args else None
    match name:
        case "PublishAllMessages":
            yield Filter("all")
        case "PublishMessage" | "Message" | "PublishMessagesTo":
            yield Filter("type", symbol.key) if symbol is not None else Filter("unknown")
        case "MessagesImplementing":
            yield Filter("kin", symbol.key) if symbol is not None else Filter("unknown")
        case "MessagesFromNamespace":
            known = program.text(call.args[0].value, scope) if call.args else None
            yield Filter("namespace", known) if known else Filter("unknown")
        case "MessagesFromNamespaceContaining" if symbol is not None:
            yield Filter("namespace", qualified_type_name(symbol, ".").rpartition(".")[0])
        case "MessagesFromAssemblyContaining" if symbol is not None:
            yield Filter("assembly", project_of(program, symbol.file.path).folder)
        case _ if name.startswith("MessagesFrom"):
            yield Filter("unknown")
        case _:
            return


def message_name(program: Program, symbol: ClassSymbol) -> str:
    """What Wolverine calls a type of messages (https://github.com/JasperFx/wolverine:
    WolverineMessageNaming)."""
    marked = find(symbol.decl.annotations, "MessageIdentity")
    own = text(program, marked, program.class_scope(symbol), 0, "alias") if marked else None
    return own or qualified_type_name(symbol, ".")


def topic_name(program: Program, symbol: ClassSymbol) -> str:
    """The topic of a type of messages, where each type has one."""
    marked = find(symbol.decl.annotations, "Topic")
    own = text(program, marked, program.class_scope(symbol), 0, "topicName") if marked else None
    return own or message_name(program, symbol)


# --------------------------------------------------------------------------- listening


def _defaults(found: list[tuple[Call, Scope]]) -> Iterator[tuple[int, tuple[TypeExpr, Scope]]]:
    """`ListenTo…("x").DefaultIncomingMessage<T>()`: the type, by the call that listens."""
    for call, scope in found:
        if getattr(call.callee, "name", "") != "DefaultIncomingMessage" or not call.type_args:
            continue
        expr: Expr = call.callee
        for _ in range(_MAX_STEPS):
            match expr:
                case Attribute(value=Call(callee=Attribute(name=name) as callee) as inner):
                    if _LISTENS.fullmatch(name):
                        yield id(inner), (call.type_args[0], scope)
                    expr = callee
                case _:
                    break


def _listeners(
    program: Program,
    call: Call,
    scope: Scope,
    defaults: dict[int, tuple[TypeExpr, Scope]],
    folder: str,
) -> Iterator[Listener]:
    default = defaults.get(id(call))
    message = ByType(default[0], default[1]) if default is not None else None
    origin = program.origin(call, scope)
    several = getattr(call.callee, "name", "") == "ListenToKafkaTopics"
    for argument in call.args if several else call.args[:1]:
        yield Listener(address(program, argument.value, scope), message, origin, folder)
