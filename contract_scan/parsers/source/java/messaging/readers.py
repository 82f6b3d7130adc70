"""What code makes of messages that it fetches itself."""

from __future__ import annotations

from contract_scan.ir.origin import Origin
from contract_scan.ir.reasons import Reason
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import Scope
from contract_scan.parsers.source.facts.nodes import Function, TypeExpr
from contract_scan.parsers.source.java.messaging.payloads import (
    Payload,
    is_text,
    payload_type,
    undetermined_payload,
)
from contract_scan.parsers.source.java.messaging.reading import read_types
from contract_scan.parsers.source.java.resolution.annotations import type_name
from contract_scan.parsers.source.java.serialization.jackson.settings import READING


def read_near(
    program: Program, declared: TypeExpr | None, scope: Scope, origin: Origin, variant: str
) -> Payload:
    """The shape of messages that are fetched at a place: the declared type; of text, what the
    method around the place reads it as, else what its class does."""
    type = payload_type(declared) if declared is not None else None
    if type is None or is_text(type) or type_name(type) == "Object":
        type, variant = _read_as(program, scope) or (None, "")
    if type is None:
        return undetermined_payload(Reason("message-handling-not-followed"), origin)
    schema = program.schema(type, scope, f"{variant};{READING}")
    return Payload(schema, type_name(type))


def _read_as(program: Program, scope: Scope) -> tuple[TypeExpr, str] | None:
    method, owner = _method(scope), scope.owner_around
    near = read_types(program, method) if method is not None else []
    if near or owner is None:
        return near[0] if len({type_name(type) for type, _ in near}) == 1 else None
    inside = program.class_scope(owner)
    found = [
        read
        for function in owner.decl.methods
        for read in read_types(program, program.function_scope(function, inside))
    ]
    return found[0] if len({type_name(type) for type, _ in found}) == 1 else None


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
