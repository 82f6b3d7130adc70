"""Single steps of a converter's `Write` method: a value, a name, the begin or end of an object."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.ir.schema import Nothing, Scalar, Schema, with_nullable
from contract_scan.parsers.source.analysis.domain.values import ClassSymbol, Scope
from contract_scan.parsers.source.csharp.serialization.converters.documents import (
    Frame,
    Frames,
    LostError,
    close,
    with_value,
)
from contract_scan.parsers.source.csharp.serialization.enum_texts import enum_texts
from contract_scan.parsers.source.facts.nodes import Expr

if TYPE_CHECKING:
    from contract_scan.parsers.source.analysis.domain.program import Program

_VALUES = {
    "WriteStringValue": "string",
    "WriteString": "string",
    "WriteBase64String": "string",
    "WriteBase64StringValue": "string",
    "WriteNumberValue": "numeric",
    "WriteNumber": "numeric",
    "WriteBooleanValue": "boolean",
    "WriteBoolean": "boolean",
    "WriteValue": "",
}
_NAMED = frozenset({"WriteString", "WriteNumber", "WriteBoolean", "WriteBase64String"})


class Reader(Struct):
    """What is known while a `Write` method is read."""

    program: Program
    variant: str
    writer: str
    value: str
    handled: ClassSymbol | None
    finished: list[Frames]
    present: tuple[str, ...] = ()
    """What has been seen not to be null at the place."""
    steps: int = 0
    active: tuple[int, ...] = ()
    """The functions that are handed the writer and are being read."""


def step(reader: Reader, name: str, args: tuple[Expr, ...], scope: Scope, frames: Frames) -> Frames:
    """What is open after one call of the writer."""
    match name:
        case "WriteStartObject" | "WriteStartArray":
            named = _with_name(reader, frames, args[0], scope) if args else frames
            kind = "object" if name == "WriteStartObject" else "list"
            return (*named, Frame(kind))
        case "WriteEndObject" | "WriteEndArray":
            return close(frames, "object" if name == "WriteEndObject" else "list")
        case "WritePropertyName" if args:
            return _with_name(reader, frames, args[0], scope)
        case "WriteNullValue":
            return with_value(frames, Nothing(nullable=True))
        case "WriteNull":
            named = _with_name(reader, frames, args[0], scope) if args else frames
            return with_value(named, Nothing(nullable=True))
        case _ if name in _NAMED and len(args) == 2:
            named = _with_name(reader, frames, args[0], scope)
            return with_value(named, _scalar(reader, name, args[1], scope))
        case _ if name in _VALUES and args and name not in _NAMED:
            return with_value(frames, _scalar(reader, name, args[0], scope))
        case "Flush" | "FlushAsync" | "WriteCommentValue":
            return frames
        case _:
            raise LostError


def _scalar(reader: Reader, name: str, expr: Expr, scope: Scope) -> Schema:
    """The text, number or truth value that is written of an expression."""
    if reader.handled is not None and reader.handled.decl.kind == "enum":
        texts = enum_texts(reader.program, reader.handled, expr, reader.value, scope)
        if texts is not None:
            return Scalar(type="string", values=texts)
    shape = reader.program.types.flat(reader.program.infer(expr, scope, reader.variant))
    kind = _VALUES[name]
    is_text = isinstance(shape, Scalar) and (
        shape.type == kind
        or not kind
        or (kind == "numeric" and shape.type in ("integer", "number"))
    )
    if is_text:
        return with_nullable(shape, False)
    match kind:
        case "string" | "numeric" | "boolean":
            return Scalar(type=kind)
        case _:
            raise LostError


def _with_name(reader: Reader, frames: Frames, expr: Expr, scope: Scope) -> Frames:
    if frames[-1].kind != "object":
        raise LostError
    text = reader.program.text(expr, scope)
    return (*frames[:-1], replace(frames[-1], pending="" if text is None else text))
