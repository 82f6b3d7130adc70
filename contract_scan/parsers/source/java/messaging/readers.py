"""What code makes of messages that it fetches itself."""

from __future__ import annotations

from functools import partial

from contract_scan.ir.origin import Origin
from contract_scan.ir.reasons import Reason
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import FunctionValue, Scope
from contract_scan.parsers.source.analysis.evaluation.call_sites import calls_in
from contract_scan.parsers.source.facts.nodes import Call, Function, TypeExpr
from contract_scan.parsers.source.java.messaging.payloads import (
    Payload,
    is_text,
    payload_type,
    undetermined_payload,
)
from contract_scan.parsers.source.java.messaging.reading import ReadType, read_as, read_types
from contract_scan.parsers.source.java.resolution.annotations import type_name
from contract_scan.parsers.source.java.serialization.jackson.settings import READING
from contract_scan.parsers.source.messaging.handlers_by_address import calls_for_address

_ADDRESSES = (("topic()",), ("getTopic()",), ("getSubject()",))
"""How messages are asked for the address that they were sent to."""


def read_near(
    program: Program,
    declared: TypeExpr | None,
    scope: Scope,
    origin: Origin,
    variant: str,
    address: str = "",
) -> Payload:
    """The shape of messages that are fetched at a place: the declared type; of text, what the
    method around the place reads it as, else what its class does. `address`: the one that they come
    from, where code may ask for it."""
    type = payload_type(declared) if declared is not None else None
    if type is None or is_text(type) or type_name(type) == "Object":
        read = _read_as(program, scope, address)
        if read is None:
            return undetermined_payload(Reason("message-handling-not-followed"), origin)
        type, variant, scope = read
    schema = program.schema(type, scope, f"{variant};{READING}")
    return Payload(schema, type_name(type))


def read_by_handler(
    program: Program, handler: FunctionValue, origin: Origin, address: str = ""
) -> Payload:
    """The shape of messages that a function is handed, by the class that it reads their content
    as; of those from one address where it asks for that."""
    inside = program.function_scope(handler.function, handler.scope)
    told = None
    if address:
        called = partial(_scope_of_call, program)
        told = calls_for_address(program, inside, address, _ADDRESSES, called)
    found = None if told is None else _only(read_types(program, told))
    if told is None and (read := read_as(program, inside)) is not None:
        found = read.type, read.variant, inside
    if found is None:
        return undetermined_payload(Reason("message-handling-not-followed"), origin)
    type, variant, scope = found
    return Payload(program.schema(type, scope, f"{variant};{READING}"), type_name(type))


def _read_as(program: Program, scope: Scope, address: str) -> ReadType | None:
    method, owner = _method(scope), scope.owner_around
    starts = [method] if method is not None else []
    if owner is not None:
        inside = program.class_scope(owner)
        starts += [program.function_scope(each, inside) for each in owner.decl.methods]
    for start in starts if address else ():
        told = calls_for_address(
            program, start, address, _ADDRESSES, partial(_scope_of_call, program)
        )
        if told is not None:
            return _only(read_types(program, told))
    read = [read_types(program, calls_in(program, s.statements or (), s)) for s in starts]
    if method is not None and (read[0] or owner is None):
        return _only(read[0])
    return _only([each for one in read for each in one])


def _only(found: list[ReadType]) -> ReadType | None:
    return found[0] if len({type_name(type) for type, _, _ in found}) == 1 else None


def _scope_of_call(program: Program, call: Call, scope: Scope) -> Scope | None:
    target = program.function_value(call.callee, scope)
    return None if target is None else program.function_scope(target.function, target.scope)


def _method(scope: Scope) -> Scope | None:
    """The outermost function around a place."""
    current: Scope | None = scope
    found: Scope | None = None
    while current is not None:
        function: Function | None = current.function
        if function is not None:
            found = current
        current = current.parent
    return found
