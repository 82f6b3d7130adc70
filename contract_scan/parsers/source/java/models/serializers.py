"""What a serializer of the project writes, where that is plain from its text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from contract_scan.ir.origin import Origin
from contract_scan.ir.schema import Array, Scalar, Schema, Unknown
from contract_scan.parsers.source.facts import Attribute, Call
from contract_scan.parsers.source.link.shapes import unite
from contract_scan.parsers.source.link.walk import calls_in

if TYPE_CHECKING:
    from contract_scan.parsers.source.link.program import Program
    from contract_scan.parsers.source.link.values import ClassSymbol

_WRITES: dict[str, Scalar] = {
    "writeString": Scalar(type="string"),
    "writeNumber": Scalar(type="numeric"),
    "writeBoolean": Scalar(type="boolean"),
}
TO_TEXT = frozenset({"ToStringSerializer", "StringSerializer", "ISO8601Utils"})
"""Serializers of libraries that write a text."""


def written_by(program: Program, serializer: ClassSymbol | None, of: str, origin: Origin) -> Schema:
    """The shape that a serializer gives instances of the class `of`."""
    if serializer is None:
        return Unknown(reason=f"`{of}` is written by a serializer of its own", origin=origin)
    name = serializer.decl.name
    unknown = Unknown(reason=f"`{of}` is written by the serializer `{name}`", origin=origin)
    method = program.find_method(serializer, "serialize")
    if method is None:
        return unknown
    scope = program.function_scope(method.function, method.scope)
    shapes: list[Schema] = []
    is_list = False
    for call, _ in calls_in(program, scope.statements or (), scope):
        if not isinstance(call, Call) or not isinstance(call.callee, Attribute):
            continue
        written = call.callee.name
        if written in _WRITES:
            shapes.append(_WRITES[written])
        elif written in ("writeStartArray", "writeEndArray"):
            is_list = True
        elif written != "writeNull" and written.startswith(("write", "serialize", "default")):
            return unknown
    if not shapes:
        return unknown
    return Array(items=unite(shapes)) if is_list else unite(shapes)
