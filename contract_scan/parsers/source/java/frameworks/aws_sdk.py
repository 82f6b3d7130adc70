"""AWS SDK for Java: messages of SQS and SNS."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from contract_scan.ir.event import EventUse
from contract_scan.ir.reasons import Reason
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import LibraryResult, Scope
from contract_scan.parsers.source.analysis.evaluation.call_sites import calls_in, with_receivers
from contract_scan.parsers.source.facts.nodes import Attribute, Call, Expr, Lambda, New
from contract_scan.parsers.source.java.messaging.addresses import address
from contract_scan.parsers.source.java.messaging.payloads import PLAIN_MAPPER, argument_payload
from contract_scan.parsers.source.java.messaging.readers import read_near
from contract_scan.parsers.source.java.messaging.uses import channel_use
from contract_scan.parsers.source.java.messaging.wrappers import sites_of_call
from contract_scan.parsers.source.java.resolution.annotations import type_name
from contract_scan.parsers.source.java.web.outcomes import chain_call
from contract_scan.parsers.source.language import Framework
from contract_scan.parsers.source.messaging.addresses import Address, resource_name

_QUEUES = frozenset({"SqsClient", "SqsAsyncClient", "AmazonSQS", "AmazonSQSAsync"})
_TOPICS = frozenset({"SnsClient", "SnsAsyncClient", "AmazonSNS", "AmazonSNSAsync"})
_ADDRESSES = ("queueUrl", "withQueueUrl", "topicArn", "withTopicArn")
_BODIES = ("messageBody", "withMessageBody", "message", "withMessage")
_REQUESTS = frozenset({"SendMessageRequest", "PublishRequest", "ReceiveMessageRequest"})


def events(program: Program, framework: Framework) -> Iterator[EventUse]:
    """Every message that is sent, and every queue that is polled."""
    for file in program.seeds(framework):
        for call, callee, scope in with_receivers(program.calls(file)):
            name = callee.name
            if name not in ("sendMessage", "publish", "receiveMessage") or not call.args:
                continue
            client = program.qualified_name(callee.value, scope).rpartition(".")[2]
            if name == "publish" and client in _TOPICS:
                yield from _send_uses(program, call, scope, "sns")
            elif name == "sendMessage" and client in _QUEUES:
                yield from _send_uses(program, call, scope, "sqs")
            elif name == "receiveMessage" and client in _QUEUES:
                yield _receive_use(program, call, scope)


def _send_uses(program: Program, call: Call, scope: Scope, protocol: str) -> Iterator[EventUse]:
    where, what = _parts(program, call, scope)
    if where is None and _is_to_phone(program, call.args[0].value, scope):
        return
    place = where[1] if where is not None else what[1] if what is not None else scope
    exprs = (where[0] if where is not None else None, what[0] if what is not None else None)
    for site in sites_of_call(program, call, place, exprs):
        found = _address(program, exprs[0], site.scope)
        origin = program.origin(site.shown, scope if site.shown is call else site.shown_scope)
        payload = argument_payload(program, site, exprs[1], origin, PLAIN_MAPPER)
        event = channel_use("send", found, payload, origin, FRAMEWORK.name)
        yield replace(event, protocols=(protocol,))


def _is_to_phone(program: Program, request: Expr, scope: Scope) -> bool:
    """Whether SNS sends a text message to a phone, which is no channel."""
    value = program.evaluate(request, scope)
    names = ("phoneNumber", "withPhoneNumber")
    return isinstance(value, LibraryResult) and _builder_argument(value, names) is not None


_Part = tuple[Expr, Scope]


def _parts(program: Program, call: Call, scope: Scope) -> tuple[_Part | None, _Part | None]:
    """Where to and what: of a request that is built, configured, made, or of plain arguments."""
    first = call.args[0].value
    if len(call.args) >= 2:
        return (first, scope), (call.args[1].value, scope)
    if isinstance(first, Lambda):
        inside = program.function_scope(first.function, scope)
        steps: dict[str, _Part] = {}
        for step, place in calls_in(program, inside.statements or (), inside):
            if isinstance(step, Call) and isinstance(step.callee, Attribute) and step.args:
                steps.setdefault(step.callee.name, (step.args[0].value, place))
        return _step(steps, _ADDRESSES), _step(steps, _BODIES)
    value = program.evaluate(first, scope)
    if not isinstance(value, LibraryResult):
        return None, None
    where, what = _builder_argument(value, _ADDRESSES), _builder_argument(value, _BODIES)
    made: object = value
    for _ in range(40):
        if not isinstance(made, LibraryResult):
            break
        site = made.site
        if isinstance(site, New) and type_name(site.type) in _REQUESTS:
            args = [(given.value, made.scope) for given in site.args]
            where = where or (args[0] if args else None)
            what = what or (args[1] if len(args) > 1 else None)
        made = made.receiver
    return where, what


def _step(steps: dict[str, _Part], names: tuple[str, ...]) -> _Part | None:
    return next((steps[name] for name in names if name in steps), None)


def _builder_argument(made: LibraryResult, names: tuple[str, ...]) -> _Part | None:
    for name in names:
        call = chain_call(made, name)
        if call is not None and call.site.args:
            return call.site.args[0].value, call.scope
    return None


def _address(program: Program, expr: Expr | None, scope: Scope) -> Address:
    """A URL or ARN, or the name that a queue's URL is asked for by."""
    if expr is None:
        return Address(reason=Reason("request-made-elsewhere"))
    value = program.evaluate(expr, scope)
    if isinstance(value, LibraryResult):
        for call in _receivers(value):
            if call.name.rpartition(".")[2] == "getQueueUrl" and call.site.args:
                return _queue_name(program, call.site.args[0].value, call.scope)
    return resource_name(address(program, expr, scope))


def _receivers(made: LibraryResult) -> Iterator[LibraryResult]:
    current: object = made
    for _ in range(40):
        if not isinstance(current, LibraryResult):
            return
        yield current
        current = current.receiver


def _queue_name(program: Program, expr: Expr, scope: Scope) -> Address:
    """The name in `getQueueUrl(GetQueueUrlRequest.builder().queueName("orders").build())`."""
    if isinstance(expr, Lambda):
        inside = program.function_scope(expr.function, scope)
        for step, place in calls_in(program, inside.statements or (), inside):
            if isinstance(step, Call) and getattr(step.callee, "name", "") == "queueName":
                return address(program, step.args[0].value, place)
    value = program.evaluate(expr, scope)
    built = (
        _builder_argument(value, ("queueName", "withQueueName"))
        if isinstance(value, LibraryResult)
        else None
    )
    return address(program, *(built or (expr, scope)))


def _receive_use(program: Program, call: Call, scope: Scope) -> EventUse:
    first = call.args[0].value
    where, _ = _parts(program, call, scope)
    if where is None and not isinstance(program.evaluate(first, scope), LibraryResult):
        where = (first, scope)
    found = _address(program, *(where or (None, scope)))
    origin = program.origin(call, scope)
    payload = read_near(program, None, scope, origin, PLAIN_MAPPER)
    event = channel_use("receive", found, payload, origin, FRAMEWORK.name)
    return replace(event, protocols=("sqs",))


FRAMEWORK = Framework(
    name="AWS SDK for Java",
    markers=(
        b"software.amazon.awssdk.services.sqs",
        b"software.amazon.awssdk.services.sns",
        b"com.amazonaws.services.sqs",
        b"com.amazonaws.services.sns",
    ),
    calls=(b".sendMessage(", b".publish(", b".receiveMessage("),
    events=events,
)
