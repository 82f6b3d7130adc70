"""What a serializer of the project writes, where that is plain from its text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from contract_scan.ir.origin import Origin
from contract_scan.ir.schema import Array, Field, Object, Scalar, Schema, Unknown
from contract_scan.parsers.source.facts import (
    Attribute,
    Branch,
    Call,
    Evaluate,
    Expr,
    Loop,
    Statement,
)
from contract_scan.parsers.source.link.shapes import unite
from contract_scan.parsers.source.link.values import Scope
from contract_scan.parsers.source.link.walk import calls_in

if TYPE_CHECKING:
    from contract_scan.parsers.source.link.program import Program
    from contract_scan.parsers.source.link.values import ClassSymbol

_WRITES: dict[str, Scalar] = {
    "writeString": Scalar(type="string"),
    "writeNumber": Scalar(type="numeric"),
    "writeBoolean": Scalar(type="boolean"),
}
_FIELDS: dict[str, Scalar] = {
    "writeStringField": Scalar(type="string"),
    "writeStringProperty": Scalar(type="string"),
    "writeNumberField": Scalar(type="numeric"),
    "writeNumberProperty": Scalar(type="numeric"),
    "writeBooleanField": Scalar(type="boolean"),
    "writeBooleanProperty": Scalar(type="boolean"),
}
_OBJECT_FIELDS = frozenset({"writeObjectField", "writePOJOField", "writePOJOProperty"})
_MAX_DEPTH = 20
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
    statements = scope.statements or ()
    written = [name for name, _ in _writes(program, statements, scope)]
    if "writeStartObject" in written:
        return _object(program, statements, scope, of, origin) or unknown
    shapes: list[Schema] = []
    is_list = False
    for call in written:
        if call in _WRITES:
            shapes.append(_WRITES[call])
        elif call in ("writeStartArray", "writeEndArray"):
            is_list = True
        elif call != "writeNull":
            return unknown
    if not shapes:
        return unknown
    return Array(items=unite(shapes)) if is_list else unite(shapes)


def _writes(
    program: Program, statements: tuple[Statement, ...], scope: Scope
) -> Iterator[tuple[str, Call]]:
    """Calls that write something, in order."""
    for call, _ in calls_in(program, statements, scope):
        if isinstance(call, Call) and isinstance(call.callee, Attribute):
            name = call.callee.name
            if name.startswith(("write", "serialize", "defaultSerialize")):
                yield name, call


def _object(
    program: Program, statements: tuple[Statement, ...], scope: Scope, of: str, origin: Origin
) -> Schema | None:
    """`writeStartObject(); writeStringField("a", …); …; writeEndObject();` in one row."""
    block = _block_with(statements, "writeStartObject", 0)
    if block is None:
        return None
    fields: list[Field] = []
    pending = ""
    for statement in block:
        call = _call_of(statement)
        if call is None:
            if any(_writes(program, (statement,), scope)):
                return None  # written under a condition, or several times
            continue
        name = call.callee.name if isinstance(call.callee, Attribute) else ""
        args = [a.value for a in call.args]
        if pending and name in _WRITES:
            fields.append(Field(name=pending, schema=_WRITES[name], origin=origin))
            pending = ""
        elif name in ("writeFieldName", "writeName") and args:
            pending = program.text(args[0], scope) or ""
            if not pending:
                return None
        elif name in _FIELDS or name in _OBJECT_FIELDS:
            field = _field(program, name, args, scope, origin)
            if field is None:
                return None
            fields.append(field)
        elif name.startswith("write") and name not in ("writeStartObject", "writeEndObject"):
            return None
    return Object(name=of, fields=tuple(fields), origin=origin)


def _field(
    program: Program, call: str, args: list[Expr], scope: Scope, origin: Origin
) -> Field | None:
    name = program.text(args[0], scope) if len(args) == 2 else None
    if name is None:
        return None
    schema: Schema | None = _FIELDS.get(call)
    if schema is None:
        schema = program.infer(args[1], scope)
    return Field(name=name, schema=schema, origin=origin)


def _call_of(statement: Statement) -> Call | None:
    value = statement.value if isinstance(statement, Evaluate) else None
    return value if isinstance(value, Call) else None


def _block_with(
    statements: tuple[Statement, ...], name: str, depth: int
) -> tuple[Statement, ...] | None:
    """The block of statements in which a method is called, not within a further block."""
    for statement in statements:
        call = _call_of(statement)
        if call is not None and isinstance(call.callee, Attribute) and call.callee.name == name:
            return statements
    for statement in statements if depth < _MAX_DEPTH else ():
        inner: tuple[tuple[Statement, ...], ...] = ()
        if isinstance(statement, Branch):
            inner = statement.blocks
        elif isinstance(statement, Loop):
            inner = (statement.body,)
        for block in inner:
            found = _block_with(block, name, depth + 1)
            if found is not None:
                return found
    return None
