"""FastStream: subscribers and publishers as decorators, objects and calls, for every broker."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeGuard

from contract_scan.ir.event import EventUse
from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.ir.schema import Unknown
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    ByType,
    Constant,
    LibraryResult,
    Scope,
    Value,
    origin_at,
)
from contract_scan.parsers.source.facts.nodes import Annotation, Attribute, Call, Expr, New
from contract_scan.parsers.source.language import Framework
from contract_scan.parsers.source.python.messaging.payloads import (
    Payload,
    name_of,
    refused_without_needs,
)
from contract_scan.parsers.source.python.messaging.uses import (
    addresses,
    made_by,
    receive,
    sends,
    use,
)
from contract_scan.parsers.source.python.resolution.calls_by_name import all_calls, called_name
from contract_scan.parsers.source.python.resolution.program_files import program_files
from contract_scan.parsers.source.python.serialization.fields import given_text, unwrap_annotated
from contract_scan.parsers.source.python.web.common import (
    DeclaredFunction,
    argument,
    functions,
)

_MARKERS = (b"faststream", b".subscriber(", b".publisher(")
_ADDRESSES = ("queue", "subject", "channel", "list", "stream", "topic", "topics")
_PROVIDED = ("Logger", "Context", "Depends", "Header", "Path", "Message", "Broker", "NoCast")


def events(program: Program, framework: Framework) -> Iterator[EventUse]:
    """Every message that a FastStream broker or router publishes or subscribes to."""
    seeds = program_files(program, *_MARKERS)
    for path in seeds:
        file = program.facts(path)
        for declared in functions(program, file):
            for annotation in declared.function.annotations:
                yield from _decorator_uses(program, framework, declared, annotation)
    # A broker may be made in one file and used in another.
    others = program_files(program, b".publish(") if seeds else ()
    for path in dict.fromkeys((*seeds, *others)):
        for call, scope in all_calls(program, path):
            if isinstance(call, Call) and called_name(call) == "publish":
                yield from _publish_uses(program, framework, call, scope)


def _is_broker(program: Program, value: Value) -> bool:
    return made_by(program, value, "faststream.*", "propan.*")


def _decorator_uses(
    program: Program, framework: Framework, declared: DeclaredFunction, annotation: Annotation
) -> Iterator[EventUse]:
    callee, scope = annotation.callee, declared.scope
    if callee is None:
        return
    if not annotation.has_parentheses:
        # `@to_orders`, a publisher object
        value = program.evaluate(callee, scope)
        if _is_publisher(value):
            content = _returned_payload(program, declared)
            yield from _send_uses(program, framework, value.site, value.scope, content, declared)
        return
    if not isinstance(callee, Attribute) or callee.name not in ("subscriber", "publisher"):
        return
    if not _is_broker(program, program.evaluate(callee.value, scope)):
        return
    call = Call(callee, annotation.args, span=annotation.span)
    if callee.name == "publisher":
        content = _returned_payload(program, declared)
        yield from _send_uses(program, framework, call, scope, content, declared)
        return
    is_batch = any(
        item.name == "batch" and getattr(item.value, "value", None) is True
        for item in annotation.args
    )
    content = _message_payload(program, declared, is_batch=is_batch)
    pattern = any(item.name == "pattern" for item in annotation.args)
    for text, unresolved in _addresses(program, call, scope, every=True):
        yield receive(
            framework,
            text,
            content,
            origin_at(scope, annotation.span),
            unresolved=unresolved,
            pattern=pattern or "*" in text or ">" in text,
        )


def _is_publisher(value: Value) -> TypeGuard[LibraryResult]:
    """Whether a value is a publisher object."""
    return (
        isinstance(value, LibraryResult)
        and value.name.startswith("faststream")
        and value.name.endswith(".publisher")
    )


def _send_uses(
    program: Program,
    framework: Framework,
    call: Call | New,
    scope: Scope,
    content: Payload,
    declared: DeclaredFunction,
) -> Iterator[EventUse]:
    origin = origin_at(declared.scope, declared.function.name_span)
    if not isinstance(call, Call):
        return
    for text, unresolved in _addresses(program, call, scope, every=False):
        yield use(framework, "send", text, content, origin, unresolved)


def _publish_uses(
    program: Program, framework: Framework, call: Call, scope: Scope
) -> Iterator[EventUse]:
    """`broker.publish(message, "topic")`, `publisher.publish(message)`."""
    if not isinstance(call.callee, Attribute):
        return
    target = program.evaluate(call.callee.value, scope)
    if not _is_broker(program, target):
        return
    message = argument(call, 0, "message")
    address = argument(call, 1, *_ADDRESSES)
    if address is None and isinstance(target, LibraryResult) and target.name.endswith(".publisher"):
        content_call = target.site
        if isinstance(content_call, Call):
            inner = argument(content_call, 0, *_ADDRESSES)
            address = inner
    yield from sends(program, framework, scope, call, address, message)


# --------------------------------------------------------------------------- addresses


def _addresses(
    program: Program, call: Call, scope: Scope, *, every: bool
) -> Iterator[tuple[str, Reason]]:
    """The addresses of a decorator, with the prefix of its router."""
    prefix = _prefix(program, call, scope)
    exprs: list[Expr] = [a.value for a in call.args if a.name in _ADDRESSES]
    positional = [a.value for a in call.args if not a.name and not a.spread]
    is_rabbit = _package(program, call, scope) == "rabbit"
    exprs += positional if every and not is_rabbit else positional[:1]
    if not exprs:
        yield "", Reason("no-address")
    for expr in exprs:
        key = _routing_key(program, expr, scope)
        for text, unresolved in [(key, NO_REASON)] if key else addresses(program, expr, scope):
            yield (prefix + text if text else "", unresolved)


def _package(program: Program, call: Call, scope: Scope) -> str:
    if not isinstance(call.callee, Attribute):
        return ""
    value = program.evaluate(call.callee.value, scope)
    name = (
        value.name if isinstance(value, LibraryResult) else program.evaluator.qualified_name(value)
    )
    return name.split(".")[1] if name.count(".") > 1 else ""


def _routing_key(program: Program, expr: Expr, scope: Scope) -> str:
    """The key of `RabbitQueue("name", routing_key="key")`."""
    value = program.evaluate(expr, scope)
    return (
        given_text(program, value, "routing_key") or "" if isinstance(value, LibraryResult) else ""
    )


def _prefix(program: Program, call: Call, scope: Scope) -> str:
    if not isinstance(call.callee, Attribute):
        return ""
    value = program.evaluate(call.callee.value, scope)
    return given_text(program, value, "prefix") or "" if isinstance(value, LibraryResult) else ""


# --------------------------------------------------------------------------- payloads


def _message_payload(program: Program, declared: DeclaredFunction, *, is_batch: bool) -> Payload:
    """The type of the parameter that receives the message; of a batch of Kafka's, which is a list
    of them (https://faststream.airt.ai/latest/kafka/Subscriber/batch_subscriber/), of each."""
    for param in declared.function.params:
        if param.kind in ("*", "**"):
            continue
        default = None if param.default is None else program.evaluate(param.default, declared.scope)
        if isinstance(default, LibraryResult) and default.name.rpartition(".")[2] in _PROVIDED:
            continue
        if param.type is None:
            return Payload(Unknown(reason=Reason("parameter-untyped", parameter=param.name)))
        type, scope, metadata = unwrap_annotated(program, param.type, declared.scope)
        value = ByType(type, scope)
        qualified = program.evaluator.qualified_name(value)
        if "#" not in qualified and qualified.rpartition(".")[2].endswith(_PROVIDED):
            continue
        if any(
            isinstance(made := program.evaluate(expr, inside), LibraryResult)
            and made.name.rpartition(".")[2] in _PROVIDED
            for expr, inside in metadata
        ):
            continue
        if is_batch:
            each = program.evaluator.item(value)
            taken = refused_without_needs(program, program.schema_of(each))
            return Payload(taken, name_of(program, each))
        taken = refused_without_needs(program, program.schema(type, scope))
        return Payload(taken, name_of(program, value))
    return Payload(Unknown(reason=Reason("subscriber-takes-no-message")))


def _returned_payload(program: Program, declared: DeclaredFunction) -> Payload:
    """The message that a publisher function returns."""
    returns = declared.function.returns
    if returns is not None:
        value = ByType(returns, declared.scope)
        return Payload(program.schema(returns, declared.scope), name_of(program, value))
    result = program.evaluator.apply(declared.value, (), declared.scope)
    if isinstance(result, Constant) and result.value is None:
        return Payload(Unknown(reason=Reason("publisher-returns-nothing")))
    return Payload(program.schema_of(result), name_of(program, result))


FRAMEWORK = Framework(
    name="FastStream", markers=_MARKERS, calls=(b".publish(", b"publisher("), events=events
)
