"""Places that send or receive, as event uses: addresses, patterns, what is undetermined."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec.structs import replace

from contract_scan.ir.event import Direction, EventUse
from contract_scan.ir.origin import Origin
from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.ir.schema import Schema, Unknown
from contract_scan.parsers.source.analysis.domain.memo import memoised
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    ByType,
    ClassSymbol,
    ClassValue,
    Constant,
    FunctionValue,
    Items,
    LibraryResult,
    LibrarySymbol,
    OneOf,
    Record,
    Scope,
    Template,
    Unresolved,
    Value,
    origin_at,
)
from contract_scan.parsers.source.analysis.evaluation.call_sites import calls_in
from contract_scan.parsers.source.analysis.evaluation.setting_defaults import assume, assume_default
from contract_scan.parsers.source.facts.nodes import Attribute, Call, Expr, Name, NamedType
from contract_scan.parsers.source.language import Framework
from contract_scan.parsers.source.python.messaging.payloads import Payload, of_value, payload
from contract_scan.parsers.source.python.messaging.syntax import is_own_attribute
from contract_scan.parsers.source.python.messaging.trace import (
    TracedScope,
    attribute_values,
    caller_scopes,
    takes_subclasses,
)
from contract_scan.parsers.source.python.resolution.calls_by_name import all_calls, calls_to
from contract_scan.parsers.source.python.resolution.program_files import program_files
from contract_scan.parsers.source.python.resolution.type_expressions import dotted_name_of
from contract_scan.parsers.source.python.web.common import argument
from contract_scan.parsers.source.python.web.common import text as setting_text

_BASE = "BaseSettings"


def method_calls(program: Program, *literals: bytes) -> Iterator[tuple[Call, Attribute, Scope]]:
    """Calls of methods in the files that hold one of the literals, each with what is called."""
    for path in program_files(program, *literals):
        for call, scope in all_calls(program, path):
            if isinstance(call, Call) and isinstance(call.callee, Attribute):
                yield call, call.callee, scope


def made_by(program: Program, value: Value, *names: str) -> bool:
    """Whether a value is what one of these library calls gives, or declared as that type."""
    qualified = (
        value.name
        if isinstance(value, LibraryResult | LibrarySymbol)
        else program.evaluator.qualified_name(value)
        if isinstance(value, ByType)
        else ""
    )
    if isinstance(value, OneOf):
        return any(made_by(program, option, *names) for option in value.options)
    return any(
        qualified == name or (name.endswith("*") and qualified.startswith(name[:-1]))
        for name in names
    )


def is_of(
    program: Program, expr: Expr, scope: Scope, names: tuple[str, ...], called: tuple[str, ...]
) -> bool:
    """Whether an expression is a client of a library: made by it, declared as one of its types, or
    else (handed in without a type, kept by a web application) called like one."""
    value = program.evaluate(expr, scope)
    if made_by(program, value, *names):
        return True
    match value:
        case Unresolved() | LibrarySymbol() | Constant(value=None):
            pass  # None: an attribute that is set once there is a connection
        case _:
            return False
    last = dotted_name_of(expr).rpartition(".")[2].lower().strip("_")
    return any(last == word or (len(word) > 3 and word in last) for word in called)


def sends(
    program: Program,
    framework: Framework,
    scope: Scope,
    call: Call,
    address: Expr | None,
    message: Expr | None,
) -> Iterator[EventUse]:
    """The sends that one publishing call stands for, one for each caller that tells them apart."""
    exprs = [expr for expr in (address, message) if expr is not None]
    if is_written_here(program, scope, address, message) and not takes_subclasses(
        program, scope, exprs
    ):
        exprs = []  # callers could add nothing but their own place
    seen: set[tuple[str, str, object]] = set()
    for found in caller_scopes(program, scope, exprs):
        content = (
            payload(program, message, found.scope)
            if message is not None
            else Payload(_unknown_schema(Reason("message-not-found")))
        )
        content = Payload(_unknown_schema(found.reason)) if found.reason else content
        origin = _origin(found, scope, call)
        for text, unresolved in addresses(program, address, found.scope):
            if not text and self_addressed(address) and not found.span:
                yield from _self_addressed(program, framework, address)
                continue
            key = (text, content.name, origin.span)
            if key in seen:
                continue
            seen.add(key)
            yield EventUse(
                direction="send",
                address=text,
                payload=content.schema,
                message=content.name,
                unresolved=unresolved,
                framework=framework.name,
                origin=origin,
            )


def through_exchange(
    program: Program, use: EventUse, exchange: Expr | None, scope: Scope
) -> EventUse:
    """What is sent through an AMQP exchange, which a contract may list instead of the routing
    key."""
    names = [text for text, _ in addresses(program, exchange, scope) if text]
    if len(names) != 1 or names[0] == use.address:
        return use
    if use.unresolved:
        return replace(use, aliases=(names[0],))
    return replace(use, aliases=(names[0], f"{names[0]}/{use.address}"))


def is_written_here(
    program: Program, scope: Scope, address: Expr | None, message: Expr | None
) -> bool:
    """Whether a publishing function says by itself where it sends to, and makes what it sends."""
    if not all(text for text, _ in addresses(program, address, scope)):
        return False
    name = payload(program, message, scope).name if message is not None else ""
    return bool(name) and any(
        isinstance(call.callee, Name | Attribute) and _last_name(call.callee) == name
        for call, _ in calls_in(program, scope.statements or (), scope)
        if isinstance(call, Call)
    )


def _last_name(callee: Name | Attribute) -> str:
    return callee.id if isinstance(callee, Name) else callee.name


def _origin(found: TracedScope, scope: Scope, call: Call) -> Origin:
    if found.span is not None:
        return Origin(found.path, found.span, "", "")
    return origin_at(scope, call.span)


def addresses(program: Program, expr: Expr | None, scope: Scope) -> Iterator[tuple[str, Reason]]:
    """Addresses that an expression gives, and why one is undetermined."""
    if expr is None:
        yield "", Reason("no-address")
        return
    _assume_settings(program)
    value = program.evaluate(expr, scope)
    found = list(texts(program, value))
    if not any(found):
        setting = setting_text(program, expr, scope) or ""
        assume(program, setting)
        found = [setting]
    # What a caller gives goes to the address of one class, which is undetermined.
    is_open = not any(found) and not scope.bindings
    if is_open and is_own_attribute(expr) and scope.owner is not None:
        for other, _ in attribute_values(program, scope.owner, expr.name):
            found.extend(texts(program, other))
    known = list(dict.fromkeys(filter(None, found)))
    for address in known:
        yield address, NO_REASON
    if not known:
        yield "", Reason("address-computed")


_READS = frozenset({"os.getenv", "os.environ.get"})
"""Calls whose first argument names a variable of the environment, not what it holds."""


def texts(program: Program, value: Value) -> Iterator[str]:
    """The strings that a value may be, or hold; partly known ones with `{}`."""
    match value:
        case OneOf(options=options):
            for option in options:
                yield from texts(program, option)
        case Items(values=values):
            for item in values:
                yield from texts(program, item)
        case Constant(value=str(text)):
            yield text
        case Template():
            template = program.evaluator.template(value) or ""
            if template.replace("{}", "").strip("./-_:"):
                yield template
        case LibraryResult(name=name, site=Call() as site, scope=scope) if name.endswith("_path"):
            # Google's `publisher.topic_path("project", "orders")`
            named = program.text(argument(site, 1, "topic", "subscription"), scope)
            if named is not None:
                yield named
        case (
            LibrarySymbol(receiver=LibraryResult(site=Call() as site, scope=scope))
            | LibraryResult(site=Call() as site, scope=scope)
        ) if (resource := argument(site, -1, "QueueName", "Name")) is not None:
            # AWS: `sqs.get_queue_url(QueueName="orders")["QueueUrl"]`
            yield from texts(program, program.evaluate(resource, scope))
        case LibraryResult(name=name, site=Call(args=[first, *_]), scope=scope) if (
            name not in _READS
        ):
            # `RabbitQueue("orders")`, `TopicPartition("orders", 0)`
            named = program.text(first.value, scope)
            if named is not None:
                yield named
        case _:
            known = program.evaluator.text(value)
            if known is not None:
                yield known


def receive(
    framework: Framework,
    address: str,
    content: Payload,
    origin: Origin,
    *,
    unresolved: Reason = NO_REASON,
    pattern: bool = False,
) -> EventUse:
    """One place that receives."""
    found = use(framework, "receive", address, content, origin, unresolved)
    return replace(found, pattern=pattern)


def use(
    framework: Framework,
    direction: Direction,
    address: str,
    content: Payload,
    origin: Origin,
    unresolved: Reason = NO_REASON,
) -> EventUse:
    """One place that sends or receives."""
    return EventUse(
        direction=direction,
        address=address,
        payload=content.schema,
        message=content.name,
        kinds=content.kinds,
        unresolved=unresolved,
        framework=framework.name,
        origin=origin,
    )


def _unknown_schema(reason: Reason) -> Schema:
    return Unknown(reason=reason)


# --------------------------------------------------------------------------- self-addressed events


def self_addressed(address: Expr | None) -> bool:
    """Whether an address is read from the message itself: `routing_key=event.event_type`."""
    return (
        isinstance(address, Attribute)
        and isinstance(address.value, Name)
        and (address.value.id != "this")
    )


def _self_addressed(
    program: Program, framework: Framework, address: Expr | None
) -> Iterator[EventUse]:
    """Events that carry their own address in a constant field, where they are made. They reach the
    broker by way of something that keeps them (an outbox)."""
    assert isinstance(address, Attribute)
    key = f"python.self_addressed:{framework.name}:{address.name}"
    if key in program.memory:
        return
    program.memory[key] = True
    for path in program.files_containing(address.name.encode()):
        yield from _stored_event_uses(program, framework, path, address.name)
        for symbol in program.classes(program.facts(path)):
            text = _own_address(program, symbol, address.name)
            if text is None:
                continue
            for call, scope in calls_to(program, symbol.decl.name):
                callee = program.evaluate(call.callee, scope)
                if not isinstance(callee, ClassValue) or callee.symbol.key != symbol.key:
                    continue
                content = of_value(program, program.evaluate(call, scope))
                yield use(framework, "send", text, content, origin_at(scope, call.span))


_CONTENTS = ("payload", "payload_json", "data", "body", "message", "content")


def _stored_event_uses(
    program: Program, framework: Framework, path: str, name: str
) -> Iterator[EventUse]:
    """`outbox.add(event_type="order.created", payload={…})`: the events that code stores to send
    them later."""
    for call, scope in all_calls(program, path):
        named = {item.name: item.value for item in call.args if item.name}
        content_expr = next((named[key] for key in _CONTENTS if key in named), None)
        if name not in named or content_expr is None or not isinstance(call, Call):
            continue
        text = program.text(named[name], scope)
        if text is not None:
            content = payload(program, content_expr, scope)
            yield use(framework, "send", text, content, origin_at(scope, call.span))


def _own_address(program: Program, symbol: ClassSymbol, name: str) -> str | None:
    for member in symbol.decl.members:
        if member.name == name and member.value is not None:
            if "constructor" in member.modifiers:
                return None
            scope = program.class_scope(symbol)
            value = program.evaluate(member.value, scope)
            if isinstance(value, LibraryResult) and value.site.args:
                value = program.evaluate(value.site.args[0].value, value.scope)
            return program.evaluator.text(value)
    return None


def callback(program: Program, expr: Expr | None, scope: Scope) -> FunctionValue | None:
    """The function that a consumer is given."""
    if expr is None:
        return None
    value = program.evaluate(expr, scope)
    if isinstance(value, LibraryResult):  # `partial(handle, x)`
        for item in value.site.args:
            inner = callback(program, item.value, value.scope)
            if inner is not None:
                return inner
    return value if isinstance(value, FunctionValue) else None


@memoised
def _assume_settings(program: Program) -> None:
    """Remember the defaults of all settings classes as texts that stand in."""
    for path in program.files_containing(_BASE.encode()):
        for symbol in program.classes(program.facts(path)):
            if any(_is_settings(one) for one in (symbol, *program.bases(symbol))):
                scope = program.class_scope(symbol)
                for member in symbol.decl.members:
                    if member.value is not None:
                        assume_default(program, program.evaluate(member.value, scope))


def _is_settings(symbol: ClassSymbol) -> bool:
    return any(
        isinstance(base, NamedType) and base.name.rpartition(".")[2] == _BASE
        for base in symbol.decl.bases
    )


# ---------------------------------------------------------------------- several messages at once
# Messages that are sent several at once: lists of dicts, each with content and address.


_Entry = Mapping[str, Value]
"""The values of one entry by their keys."""


def entry_uses(
    program: Program,
    framework: Framework,
    call: Call,
    scope: Scope,
    many: Expr | None,
    address: Expr | None,
    content: str,
) -> Iterator[EventUse]:
    """The sends of a list of entries that all go to one address."""
    exprs = [expr for expr in (many, address) if expr is not None]
    seen: set[tuple[object, ...]] = set()
    for scope_known, origin in known_places(program, call, scope, exprs):
        found = list(addresses(program, address, scope_known))
        for entry in _entries(program, many, scope_known) or [{}]:
            message = _content(program, entry.get(content))
            for text, unresolved in found:
                key = (text, message.name, origin.span, id(entry) if entry else 0)
                if key not in seen:
                    seen.add(key)
                    yield use(framework, "send", text, message, origin, unresolved)


def entries(
    program: Program,
    framework: Framework,
    call: Call,
    scope: Scope,
    many: Expr | None,
    address: str,
    content: str,
) -> Iterator[tuple[EventUse, _Entry]]:
    """The sends of a list of entries that each say where they go, with the entry itself."""
    exprs = [] if many is None else [many]
    for scope_known, origin in known_places(program, call, scope, exprs):
        for entry in _entries(program, many, scope_known) or [{}]:
            message = _content(program, entry.get(content))
            target = entry.get(address)
            known = [] if target is None else list(dict.fromkeys(texts(program, target)))
            for text in known:
                yield use(framework, "send", text, message, origin), entry
            if not known:
                why = Reason("address-computed")
                yield use(framework, "send", "", message, origin, why), entry


def known_places(
    program: Program, call: Call, scope: Scope, exprs: list[Expr]
) -> Iterator[tuple[Scope, Origin]]:
    """The scopes in which what is sent is known, each with the place to show."""
    for found in caller_scopes(program, scope, exprs):
        if found.span is not None:
            yield found.scope, Origin(found.path, found.span, "", "")
        else:
            yield found.scope, origin_at(scope, call.span)


def _entries(program: Program, many: Expr | None, scope: Scope) -> list[_Entry]:
    found: list[_Entry] = []
    pending = [] if many is None else [program.evaluate(many, scope)]
    while pending:
        value = pending.pop(0)
        match value:
            case Items(values=values):
                pending.extend(values)
            case OneOf(options=options):
                pending.extend(options)
            case Record():
                found.append({entry.name: entry.value for entry in value.entries})
            case _:
                continue
    return found


def _content(program: Program, value: Value | None) -> Payload:
    if value is None:
        return Payload(Unknown(reason=Reason("message-not-found")))
    return of_value(program, value)
