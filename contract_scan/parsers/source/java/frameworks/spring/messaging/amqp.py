"""Spring AMQP (RabbitMQ)."""

from __future__ import annotations

from collections.abc import Iterator

from contract_scan.ir.event import EventUse
from contract_scan.ir.reasons import Reason
from contract_scan.parsers.source.analysis.domain.memo import memoised
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    ByType,
    ClassSymbol,
    LibraryResult,
    Scope,
)
from contract_scan.parsers.source.analysis.evaluation.call_sites import calls_in
from contract_scan.parsers.source.facts.nodes import (
    Attribute,
    Call,
    Expr,
    Function,
    Lambda,
    LiteralExpr,
    Name,
    NamedType,
    New,
    Return,
)
from contract_scan.parsers.source.java.frameworks.spring.messaging.listeners import (
    Listener,
    listener_payload,
)
from contract_scan.parsers.source.java.frameworks.spring.messaging.messages import (
    Messaging,
    framework,
)
from contract_scan.parsers.source.java.messaging.addresses import address
from contract_scan.parsers.source.java.messaging.payloads import argument_payload
from contract_scan.parsers.source.java.messaging.uses import channel_use
from contract_scan.parsers.source.java.messaging.wrappers import SendSite, sites_of_call
from contract_scan.parsers.source.java.resolution.annotations import (
    element_of,
    has,
    items,
    nested_annotations,
    type_name,
)
from contract_scan.parsers.source.java.resolution.dependencies import everywhere
from contract_scan.parsers.source.java.resolution.properties import settings
from contract_scan.parsers.source.messaging.addresses import Address, routed_address

_TEMPLATES = frozenset(
    {"RabbitTemplate", "AmqpTemplate", "RabbitOperations", "AsyncRabbitTemplate"}
    | {"RabbitMessagingTemplate", "BatchingRabbitTemplate", "RabbitMessageOperations"}
)
_CONVERTERS = frozenset({"Jackson2JsonMessageConverter", "JacksonJsonMessageConverter"})
_WILDCARDS = frozenset({"#", "*", "", "#.#"})
_NAMED = frozenset(
    {"Queue", "TopicExchange", "DirectExchange", "FanoutExchange", "HeadersExchange", "Exchange"}
)


# --------------------------------------------------------------------------- receiving


def _receive_uses(program: Program, listener: Listener, variant: str) -> Iterator[EventUse]:
    payload = listener_payload(program, listener, variant)
    for found, names in _queues(program, listener):
        aliases = tuple(dict.fromkeys(name for name in names if name not in _WILDCARDS))
        yield channel_use(
            "receive", found, payload, listener.origin, FRAMEWORK.name, aliases=aliases
        )


def _queues(program: Program, listener: Listener) -> Iterator[tuple[Address, tuple[str, ...]]]:
    """The queues of a listener, each with the routing keys and exchanges bound to it."""
    queues = listener.annotation.get("queues", "value")
    for item in items(queues[0]) if queues is not None else ():
        assert queues is not None
        found = _queue(program, item, queues[1])
        yield found, _bindings(program).get(found.text, ())
    declared = listener.annotation.get("queuesToDeclare")
    for call in nested_annotations(declared[0]) if declared is not None else ():
        assert declared is not None
        found = address(program, element_of(call.args, "name", "value"), declared[1])
        yield found, _bindings(program).get(found.text, ())
    bound = listener.annotation.get("bindings")
    for call in nested_annotations(bound[0]) if bound is not None else ():
        assert bound is not None
        yield _bound_queue(program, call, bound[1])


def _queue(program: Program, item: Expr, scope: Scope) -> Address:
    """A queue by name, or by the bean that declares it: `#{orderQueue.name}`."""
    text = program.text(item, scope)
    if text is not None and text.startswith("#{"):
        name = _bean_name(program, text)
        return Address(text=name) if name else Address(reason=Reason("queue-set-at-run-time"))
    return address(program, item, scope)


def _bound_queue(program: Program, call: Call, scope: Scope) -> tuple[Address, tuple[str, ...]]:
    """`@QueueBinding(value = @Queue("q"), exchange = @Exchange("e"), key = "k")`."""
    aliases: list[str] = []
    for key in items(element_of(call.args, "key")):
        found = address(program, key, scope)
        aliases.append(found.text)
    exchange = next(nested_annotations(element_of(call.args, "exchange")), None)
    if exchange is not None:
        name = address(program, element_of(exchange.args, "name", "value"), scope).text
        keys = [key for key in aliases if key not in _WILDCARDS]
        aliases.append(name)
        # Springwolf, which writes AsyncAPI documents from Spring code, names channels so.
        aliases.extend(f"{name}_{key}" for key in keys)
    queue = next(nested_annotations(element_of(call.args, "value")), None)
    named = element_of(queue.args, "name", "value") if queue is not None else None
    if named is None:
        # A queue of the broker's naming: the routing key or exchange is what a contract knows.
        known = [alias for alias in aliases if alias and alias not in _WILDCARDS]
        if known:
            return Address(text=known[0]), tuple(known[1:])
        return Address(reason=Reason("queue-named-by-broker")), ()
    return address(program, named, scope), tuple(aliases)


# --------------------------------------------------------------------------- sending


def _send_uses(program: Program, call: Call, scope: Scope, variant: str) -> Iterator[EventUse]:
    args = tuple(a.value for a in call.args)
    exchange, key, payload = _parts(program, args, scope)
    for site in sites_of_call(program, call, scope, (exchange, key, payload)):
        yield _event(program, site, exchange, key, payload, variant)


def _parts(
    program: Program, args: tuple[Expr, ...], scope: Scope
) -> tuple[Expr | None, Expr | None, Expr | None]:
    """Exchange, routing key and payload of `convertAndSend(…)`."""
    if len(args) == 1:
        return None, None, args[0]
    if len(args) == 2:
        if _is_extra(program, args[1], scope):
            return None, None, args[0]
        return None, args[0], args[1]
    if len(args) >= 3:
        if _is_extra(program, args[2], scope):
            return None, args[0], args[1]
        return args[0], args[1], args[2]
    return None, None, None


def _is_extra(program: Program, expr: Expr, scope: Scope) -> bool:
    """Whether an argument is a post-processor or correlation data rather than the payload."""
    if isinstance(expr, Lambda):
        return True
    match program.evaluate(expr, scope):
        case ByType(type=NamedType() as type):
            return type_name(type) in ("MessagePostProcessor", "CorrelationData")
        case LibraryResult(name=name):
            return name.rpartition(".")[2] in ("MessagePostProcessor", "CorrelationData")
        case _:
            return False


def _event(
    program: Program,
    site: SendSite,
    exchange: Expr | None,
    key: Expr | None,
    payload: Expr | None,
    variant: str,
) -> EventUse:
    origin = program.origin(site.shown, site.shown_scope)
    values = settings(program, site.scope.file.path)
    defaults = {
        "exchange": values.get("spring.rabbitmq.template.exchange", ""),
        "key": values.get("spring.rabbitmq.template.routingkey", ""),
    }
    into = _or_default(program, exchange, site.scope, defaults["exchange"])
    found, aliases = routed_address(into, _or_default(program, key, site.scope, defaults["key"]))
    content = argument_payload(program, site, payload, origin, variant)
    return channel_use("send", found, content, origin, FRAMEWORK.name, aliases=aliases)


def _or_default(program: Program, expr: Expr | None, scope: Scope, default: str) -> Address:
    if expr is None:
        return Address(text=default)
    if isinstance(expr, LiteralExpr) and expr.value == "":
        return Address()
    return address(program, expr, scope)


@memoised
def _bindings(program: Program) -> dict[str, tuple[str, ...]]:
    """Queue -> routing keys and exchanges that beans bind it to."""
    return _binding_aliases(program)


def _bean_name(program: Program, expression: str) -> str:
    """The queue that `#{bean.name}` or `#{@bean}` means; empty where it is undetermined."""
    inner = expression.removeprefix("#{").removesuffix("}").strip().lstrip("@")
    name = inner.split(".")[0].removesuffix("()")
    return _beans(program).get(name, "")


@memoised
def _beans(program: Program) -> dict[str, str]:
    """Bean -> name of the queue or exchange that it is."""
    found: dict[str, str] = {}
    for symbol, method, scope in _bean_methods(program):
        if type_name(method.returns) in _NAMED:
            text = _made_name(program, symbol, method, scope)
            if text:
                found[method.name] = text
    return found


def _bean_methods(program: Program) -> list[tuple[ClassSymbol, Function, Scope]]:
    found: list[tuple[ClassSymbol, Function, Scope]] = []
    for path in everywhere(program, b"org.springframework.amqp.core"):
        for symbol in program.classes(program.facts(path)):
            inside = program.class_scope(symbol)
            for method in symbol.decl.methods:
                if not has(method.annotations, "Bean"):
                    continue
                scope = program.function_scope(method, inside)
                found.append((symbol, method, scope))
    return found


def _made_name(program: Program, symbol: ClassSymbol, method: Function, scope: Scope) -> str:
    """The name in `new Queue("orders")` or `QueueBuilder.durable("orders").build()`."""
    for statement in program.body(method, symbol.file):
        if not isinstance(statement, Return) or statement.value is None:
            continue
        expr: Expr = statement.value
        while isinstance(expr, Call) and isinstance(expr.callee, Attribute):
            if expr.args and isinstance(expr.callee.value, Name):
                return address(program, expr.args[0].value, scope).text
            expr = expr.callee.value
        if isinstance(expr, New) and expr.args:
            return address(program, expr.args[0].value, scope).text
    return ""


def _binding_aliases(program: Program) -> dict[str, tuple[str, ...]]:
    """`BindingBuilder.bind(queue).to(exchange).with(key)`."""
    found: dict[str, list[str]] = {}
    for _, method, scope in _bean_methods(program):
        if type_name(method.returns) != "Binding":
            continue
        steps: dict[str, Expr] = {}
        for call, _ in calls_in(program, scope.statements or (), scope):
            if isinstance(call, Call) and isinstance(call.callee, Attribute) and call.args:
                steps.setdefault(call.callee.name, call.args[0].value)
        queue = _bean(program, steps.get("bind"))
        if queue:
            names = found.setdefault(queue, [])
            if "with" in steps:
                names.append(address(program, steps["with"], scope).text)
            names.append(_bean(program, steps.get("to")))
    return {queue: tuple(name for name in names if name) for queue, names in found.items()}


def _bean(program: Program, expr: Expr | None) -> str:
    """The name of the queue or exchange that a parameter or a call of a bean method means."""
    match expr:
        case Name(id=name) | Call(callee=Name(id=name)):
            return _beans(program).get(name, "")
        case _:
            return ""


FRAMEWORK = framework(
    Messaging(
        name="Spring AMQP",
        markers=(b"org.springframework.amqp",),
        calls=(
            *(b".convertAndSend(", b".convertSendAndReceive", b"new Queue(", b"BindingBuilder"),
            *(f"new {name}".encode() for name in sorted(_CONVERTERS)),
        ),
        protocols=("amqp",),
        listener="RabbitListener",
        handler="RabbitHandler",
        converters=_CONVERTERS,
        templates=_TEMPLATES,
        packages=("org.springframework.amqp",),
        sends=frozenset({"convertAndSend", "convertSendAndReceive", "convertSendAndReceiveAsType"}),
        read_listener=_receive_uses,
        read_send=_send_uses,
    )
)
