"""Redis: what is published to channels and added to streams, and what subscribes to and reads them.

Lists, hashes and keys are data, not channels, whoever reads them.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from contract_scan.ir.event import EventUse
from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.ir.schema import Object, Scalar, Schema, Unknown
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import Record, Scope, origin_at
from contract_scan.parsers.source.facts.nodes import (
    Argument,
    ArrayLiteral,
    Call,
    Expr,
    ObjectLiteral,
)
from contract_scan.parsers.source.language import Framework
from contract_scan.parsers.source.python.messaging.payloads import (
    enclosing_function,
    handler_payload,
)
from contract_scan.parsers.source.python.messaging.uses import (
    addresses,
    callback,
    is_of,
    made_by,
    method_calls,
    receive,
    sends,
)
from contract_scan.parsers.source.python.web.common import argument

_NAMES = (b"redis", b"valkey")
_CALLS = (b".publish(", b".subscribe(", b".psubscribe(", b".xadd(", b".xread")
_LIBRARIES = (
    *("redis.*", "aioredis.*", "fakeredis.*", "coredis.*", "valkey.*"),
    *("django_redis.*", "flask_redis.*"),
)
_SUBSCRIBES = {"subscribe": False, "ssubscribe": False, "psubscribe": True}
"""Methods of a subscription; True for those that take patterns."""
_READS = {"xread": 0, "xreadgroup": 2, "xread_group": 2}
"""Methods that read streams, and where the streams stand."""
_WHOLE = frozenset({"data", "payload", "body", "message", "event", "json", "value"})
"""Names of the one field of a stream's entry that holds the whole message."""


def events(program: Program, framework: Framework) -> Iterator[EventUse]:
    """Every message that is published, added to a stream, subscribed to or read."""
    if not program.files_containing(*_NAMES):
        return
    for call, callee, scope in method_calls(program, *_CALLS):
        name, target = callee.name, callee.value
        if name == "publish" and _is_client(program, target, scope):
            channel, message = argument(call, 0, "channel"), argument(call, 1, "message")
            yield from sends(program, framework, scope, call, channel, message)
        elif name == "xadd" and _is_client(program, target, scope):
            yield from _stream_add_uses(program, framework, call, scope)
        elif name in _SUBSCRIBES and _is_subscription(program, target, scope):
            yield from _subscribe_uses(program, framework, call, scope, _SUBSCRIBES[name])
        elif name in _READS and _is_client(program, target, scope):
            yield from _stream_read_uses(program, framework, call, scope, _READS[name])


def _is_client(program: Program, expr: Expr, scope: Scope) -> bool:
    return is_of(program, expr, scope, _LIBRARIES, ("redis", "redis_client", "valkey"))


def _is_subscription(program: Program, expr: Expr, scope: Scope) -> bool:
    if made_by(program, program.evaluate(expr, scope), *_LIBRARIES):
        return True
    return is_of(program, expr, scope, (), ("pubsub", "pub_sub")) and "redis" in _imported_modules(
        scope
    )


def _imported_modules(scope: Scope) -> str:
    """The modules that a file imports, to tell what an untyped object is."""
    return " ".join(entry.module for entry in scope.file.imports)


# --------------------------------------------------------------------------- channels


def _subscribe_uses(
    program: Program, framework: Framework, call: Call, scope: Scope, pattern: bool
) -> Iterator[EventUse]:
    origin = origin_at(scope, call.span)
    content = handler_payload(program, enclosing_function(scope))
    for item in call.args:
        if item.name or item.spread == "**":
            yield from _with_handlers(program, framework, call, item, scope, pattern)
            continue
        for text, unresolved in addresses(program, item.value, scope):
            yield receive(framework, text, content, origin, unresolved=unresolved, pattern=pattern)


def _with_handlers(
    program: Program,
    framework: Framework,
    call: Call,
    item: Argument,
    scope: Scope,
    pattern: bool,
) -> Iterator[EventUse]:
    """`subscribe(orders=handle)`, `subscribe(**{"shop.orders": handle})`."""
    origin = origin_at(scope, call.span)
    if item.name and item.name != "ignore_subscribe_messages":
        content = handler_payload(program, callback(program, item.value, scope))
        yield receive(framework, item.name, content, origin, pattern=pattern)
    elif isinstance(item.value, ObjectLiteral):
        for entry in item.value.entries:
            content = handler_payload(program, callback(program, entry.value, scope))
            found = (
                [(entry.key, NO_REASON)]
                if entry.key
                else addresses(program, entry.key_expression, scope)
            )
            for text, unresolved in found:
                yield receive(
                    framework, text, content, origin, unresolved=unresolved, pattern=pattern
                )


# --------------------------------------------------------------------------- streams


def _stream_add_uses(
    program: Program, framework: Framework, call: Call, scope: Scope
) -> Iterator[EventUse]:
    stream, fields = argument(call, 0, "name", "stream"), argument(call, 1, "fields")
    whole = _single_field_message(program, fields, scope)
    for use in sends(program, framework, scope, call, stream, whole or fields):
        yield use if whole is not None else replace(use, payload=_entry(program, use.payload))


def _single_field_message(program: Program, fields: Expr | None, scope: Scope) -> Expr | None:
    """The message, where it is the one field of an entry: `{"data": json.dumps(order)}`."""
    if not isinstance(fields, ObjectLiteral) or len(fields.entries) != 1:
        return None
    entry = fields.entries[0]
    key = entry.key or (program.text(entry.key_expression, scope) if entry.key_expression else None)
    return entry.value if key in _WHOLE else None


def _entry(program: Program, schema: Schema) -> Schema:
    """A stream's entry: all its values are text, whatever they are in the code."""
    flat = program.types.flat(schema)
    if not isinstance(flat, Object):
        return schema
    fields = []
    for field in flat.fields:
        held = program.types.flat(field.schema)
        if isinstance(held, Unknown):
            why = Reason("stream-field-may-hold-text", field=field.name)
            return Unknown(reason=why, origin=field.origin)
        if not isinstance(held, Scalar) or held.type != "string":
            why = Reason("stream-holds-text")
            held = Unknown(reason=why, nullable=None, origin=field.origin)
        fields.append(replace(field, schema=held))
    return replace(flat, fields=tuple(fields))


def _stream_read_uses(
    program: Program, framework: Framework, call: Call, scope: Scope, position: int
) -> Iterator[EventUse]:
    """`xread({"orders": "$"})`; earlier versions of aioredis took a list of streams."""
    streams = argument(call, position, "streams")
    content = handler_payload(program, enclosing_function(scope))
    origin = origin_at(scope, call.span)
    for text, unresolved in _streams(program, streams, scope):
        yield receive(framework, text, content, origin, unresolved=unresolved)


def _streams(program: Program, expr: Expr | None, scope: Scope) -> Iterator[tuple[str, Reason]]:
    if isinstance(expr, ObjectLiteral) and not any(entry.spread for entry in expr.entries):
        for entry in expr.entries:
            if entry.key is not None:
                yield entry.key, NO_REASON
            else:
                yield from addresses(program, entry.key_expression, scope)
        return
    value = None if expr is None else program.evaluate(expr, scope)
    if isinstance(value, Record) and value.entries and not value.partial:
        yield from ((entry.name, NO_REASON) for entry in value.entries)
    elif isinstance(expr, ArrayLiteral) or not isinstance(value, Record):
        yield from addresses(program, expr, scope)
    else:
        yield "", Reason("read-streams-not-constant")


FRAMEWORK = Framework(
    name="redis-py", markers=(*_NAMES, *_CALLS), calls=_CALLS, protocols=("redis",), events=events
)
