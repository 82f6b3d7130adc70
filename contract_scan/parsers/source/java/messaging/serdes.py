"""Which type the serde of a Kafka stream reads and writes: `Consumed.with(keys, values)`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.parsers.source.analysis.domain.values import ByType, LibraryResult, Scope
from contract_scan.parsers.source.facts.nodes import (
    Attribute,
    Call,
    Expr,
    Name,
    NamedType,
    New,
    TypeExpr,
    TypeValue,
)
from contract_scan.parsers.source.java.resolution.annotations import type_name

if TYPE_CHECKING:
    from contract_scan.parsers.source.analysis.domain.program import Program

_OPTIONS = frozenset({"Consumed", "Produced"})
_TEXTS = frozenset({"String", "ByteArray", "Bytes"})
_JSON = "Json"
"""What the names of serdes hold that read and write JSON: Spring's, Confluent's `KafkaJson…`."""


class SerdePayload(Struct, frozen=True, eq=False):
    """What a serde says of the payload."""

    type: TypeExpr | None = None
    is_text: bool = False
    reason: Reason = NO_REASON
    """Why the type is undetermined; empty where it could."""


def carried_by(program: Program, call: Call, scope: Scope) -> SerdePayload | None:
    """What the serde among the arguments of `stream` or `to` says; None where none is given."""
    for given in call.args[1:]:
        match given.value:
            case Call(callee=Attribute(value=Name(id=name), name="with"), args=(_, serde, *_)):
                pass
            case Call(callee=Attribute(value=Name(id=name), name="valueSerde"), args=(serde,)):
                pass
            case _:
                continue
        if name in _OPTIONS:
            return _carried_type(program, serde.value, scope)
    return None


def _carried_type(program: Program, expr: Expr, scope: Scope) -> SerdePayload:
    match expr:
        case Call(callee=Attribute(value=Name(id="Serdes"), name=name), args=()):
            if name in _TEXTS:
                return SerdePayload(is_text=True)
            return SerdePayload(reason=Reason("serdes-no-json", name=name))
        case _:
            pass
    value = program.evaluate(expr, scope)
    made = (
        expr if isinstance(expr, New) else value.site if isinstance(value, LibraryResult) else None
    )
    if isinstance(made, New) and _JSON in type_name(made.type):
        for given in made.args[:1]:
            if isinstance(given.value, TypeValue):
                return SerdePayload(given.value.type)
        return _argument(made.type)
    if isinstance(value, ByType) and _JSON in type_name(value.type):
        return _argument(value.type)
    return SerdePayload(reason=Reason("serde-undetermined"))


def _argument(type: TypeExpr | None) -> SerdePayload:
    if isinstance(type, NamedType) and type.args:
        return SerdePayload(type.args[-1])
    return SerdePayload(reason=Reason("serde-undetermined"))
