"""aio-pika: exchanges that are published to, queues that are bound and consumed."""

from __future__ import annotations

from collections.abc import Iterator

from contract_scan.ir.event import EventUse
from contract_scan.parsers.source.analysis.dataflow.reaching_definitions import definitions_of
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import LibraryResult, Scope, origin_at
from contract_scan.parsers.source.analysis.evaluation.call_sites import calls_in
from contract_scan.parsers.source.facts.nodes import Assign, Attribute, Call, Expr, Name
from contract_scan.parsers.source.language import Framework
from contract_scan.parsers.source.messaging.brokers import AMQP
from contract_scan.parsers.source.python.messaging.interpreter import received_by
from contract_scan.parsers.source.python.messaging.payloads import enclosing_function
from contract_scan.parsers.source.python.messaging.uses import (
    callback,
    sends,
    through_exchange,
)
from contract_scan.parsers.source.python.resolution.calls_by_name import all_calls, called_name
from contract_scan.parsers.source.python.resolution.program_files import program_files
from contract_scan.parsers.source.python.resolution.type_expressions import dotted_name_of
from contract_scan.parsers.source.python.web.common import argument

_MARKERS = (b"aio_pika",)
_TAKES = (b".consume(", b".iterator(")
_MAKES = ("declare_queue", "get_queue")
_Site = tuple[Call, Scope]


def events(program: Program, framework: Framework) -> Iterator[EventUse]:
    """Every message that is published to an exchange or consumed from a queue."""
    for path in program_files(program, *_MARKERS):
        calls = [(c, s) for c, s in all_calls(program, path) if isinstance(c, Call)]
        queues = _declared_queues(program, calls)
        for call, scope in calls:
            if called_name(call) == "publish" and _has_keyword(call, "routing_key"):
                if not _is_put_back(program, call, scope, queues):
                    yield from _publish_uses(program, framework, call, scope)
            elif called_name(call) in ("consume", "iterator") and _is_queue(program, call, scope):
                yield from _consume_uses(program, framework, call, scope, calls)
    own = set(program_files(program, *_MARKERS))
    for path in program_files(program, *_TAKES) if own else ():
        for found, inside in all_calls(program, path) if path not in own else ():
            if isinstance(found, Call) and called_name(found) in ("consume", "iterator"):
                yield from _consumed_elsewhere(program, framework, found, inside)


def _has_keyword(call: Call, name: str) -> bool:
    return any(item.name == name for item in call.args)


def _publish_uses(
    program: Program, framework: Framework, call: Call, scope: Scope
) -> Iterator[EventUse]:
    key = argument(call, 1, "routing_key")
    message = argument(call, 0, "message")
    callee = call.callee
    exchange = _exchange_name(callee.value, scope) if isinstance(callee, Attribute) else None
    if key is not None and program.text(key, scope) == "":
        key = exchange  # a fanout exchange has no keys
    for use in sends(program, framework, scope, call, key, message):
        yield through_exchange(program, use, exchange, scope)


def _exchange_name(exchange: Expr, scope: Scope) -> Expr | None:
    """The name that an exchange was declared with."""
    made = _declaration(exchange, scope)
    return argument(made, 0, "name") if made is not None else None


def _declaration(expr: Expr, scope: Scope) -> Call | None:
    """The call that gave a local name its value."""
    if not isinstance(expr, Name):
        return None
    for definition in definitions_of(expr, scope):
        statement = definition.statement
        if isinstance(statement, Assign) and isinstance(statement.value, Call):
            return statement.value
    return None


def _declared_queues(program: Program, calls: list[_Site]) -> set[str]:
    """Names of the queues that a file declares; those of one attribute by its name."""
    found: set[str] = set()
    for call, scope in calls:
        name = argument(call, 0, "name")
        if called_name(call) == "declare_queue" and name is not None:
            text = program.text(name, scope)
            found.add(text if text is not None else dotted_name_of(name))
    return found - {""}


def _is_put_back(program: Program, call: Call, scope: Scope, queues: set[str]) -> bool:
    """Whether a message is put (back) into a queue of one's own: no message to anybody else."""
    callee = call.callee
    if not isinstance(callee, Attribute) or not isinstance(callee.value, Attribute):
        return False
    key = argument(call, 1, "routing_key")
    if callee.value.name != "default_exchange" or key is None:
        return False
    return (program.text(key, scope) or dotted_name_of(key)) in queues


# --------------------------------------------------------------------------- receiving


def _is_queue(program: Program, call: Call, scope: Scope) -> bool:
    """Whether `.consume(…)` is called on a queue."""
    if not isinstance(call.callee, Attribute):
        return False
    target = call.callee.value
    declared = _declaration(target, scope)
    if _declares(declared):
        return True
    value = program.evaluate(target, scope)
    name = (
        value.name if isinstance(value, LibraryResult) else program.evaluator.qualified_name(value)
    )
    return name.startswith("aio_pika.") or dotted_name_of(target).rpartition(".")[2].endswith(
        "queue"
    )


def _declares(call: Call | None) -> bool:
    """Whether a call declares a queue."""
    return call is not None and called_name(call) in _MAKES


def _made_elsewhere(program: Program, call: Call, scope: Scope) -> LibraryResult | None:
    """The call that declares the queue which a function of the project gives."""
    if not isinstance(call.callee, Attribute):
        return None
    value = program.evaluate(call.callee.value, scope)
    if not isinstance(value, LibraryResult) or not isinstance(value.site, Call):
        return None
    is_queue = value.name.startswith("aio_pika.") and value.name.rpartition(".")[2] in _MAKES
    return value if is_queue else None


def _consumed_elsewhere(
    program: Program, framework: Framework, call: Call, scope: Scope
) -> Iterator[EventUse]:
    """A queue that is consumed in a file which does not name the library."""
    if _made_elsewhere(program, call, scope) is not None:
        yield from _consume_uses(program, framework, call, scope, [])


def _bound_there(program: Program, made: LibraryResult) -> Iterator[_Site]:
    """What a function of the project binds the queue to that it declares, seen from its call."""
    for call, inside in calls_in(program, made.scope.statements or (), made.scope):
        if not isinstance(call, Call) or called_name(call) != "bind":
            continue
        if isinstance(call.callee, Attribute) and _has_keyword(call, "routing_key"):
            declared = _declaration(call.callee.value, inside)
            if declared is not None and declared.span == made.site.span:
                yield call, inside


def _consume_uses(
    program: Program, framework: Framework, call: Call, scope: Scope, calls: list[_Site]
) -> Iterator[EventUse]:
    assert isinstance(call.callee, Attribute)
    target = call.callee.value
    handler = (
        callback(program, argument(call, 0, "callback"), scope)
        if called_name(call) == "consume"
        else enclosing_function(scope)
    )
    origin = origin_at(scope, call.span)
    bindings = [
        (bind, inside)
        for bind, inside in calls
        if called_name(bind) == "bind"
        and _has_keyword(bind, "routing_key")
        and isinstance(bind.callee, Attribute)
        and dotted_name_of(bind.callee.value) == dotted_name_of(target)
        and inside.owner is scope.owner
    ]
    queue_call = None if bindings else _made_elsewhere(program, call, scope)
    if queue_call is not None:
        bindings = list(_bound_there(program, queue_call))
    if not bindings:
        declared = _declaration(target, scope)
        name = argument(declared, 0, "name") if declared is not None else None
        if queue_call is not None and isinstance(queue_call.site, Call) and not _declares(declared):
            name, scope = argument(queue_call.site, 0, "name"), queue_call.scope
        yield from received_by(
            program, framework, name, scope, handler, origin, is_pattern=AMQP.is_pattern
        )
    for bind, inside in bindings:
        key = argument(bind, 1, "routing_key")
        yield from received_by(
            program, framework, key, inside, handler, origin, is_pattern=AMQP.is_pattern
        )


FRAMEWORK = Framework(
    name="aio-pika",
    markers=_MARKERS,
    calls=(b".publish(", *_TAKES),
    protocols=("amqp",),
    events=events,
)
