"""What a converter of the project writes: its `Write` method, read step by step.

The steps build a document: values, objects with their fields, lists. What stands under a condition
may be left out; what cannot be followed makes the whole unknown.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.ir.schema import (
    Nothing,
    Scalar,
    Schema,
    Unknown,
    with_nullable,
)
from contract_scan.parsers.source.csharp.documents import (
    Frame,
    Frames,
    LostError,
    closed,
    merged,
    one_of_shapes,
    with_value,
)
from contract_scan.parsers.source.csharp.enum_texts import enum_texts
from contract_scan.parsers.source.csharp.mentions import (
    dotted,
    is_object,
    mentions,
    mentions_call,
    type_of,
)
from contract_scan.parsers.source.csharp.settings import READING, Converted
from contract_scan.parsers.source.facts import (
    Argument,
    Assign,
    Attribute,
    Branch,
    Call,
    Cast,
    Evaluate,
    Expr,
    LiteralExpr,
    Loop,
    Name,
    NamedType,
    OperationExpr,
    Return,
    Statement,
    Throw,
)
from contract_scan.parsers.source.link.values import ClassSymbol, ClassValue, Scope, Typed

if TYPE_CHECKING:
    from contract_scan.parsers.source.link.program import Program

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
_MAX_NODES = 5_000
_MAX_DEPTH = 30
_MAX_DERIVED = 30
"""Classes that derive from one which are taken for what a value may be of."""


class _Reader(Struct):
    program: Program
    variant: str
    writer: str
    value: str
    handled: ClassSymbol | None
    finished: list[Frames]
    present: tuple[str, ...] = ()
    """What has been seen not to be null at the place."""
    steps: int = 0


def written(
    program: Program,
    converter: ClassSymbol,
    value: Typed,
    variant: str,
) -> Schema | None:
    """The shape of what a converter writes of a value; None where that cannot be told."""
    method = program.find_method(converter, "Write") or program.find_method(converter, "WriteJson")
    if method is None or len(method.function.params) < 2 or method.scope.owner is None:
        return None
    writer, given = method.function.params[:2]
    scope = program.function_scope(method.function, method.scope, {given.name: value})
    handled = handled_class(program, value)
    reader = _Reader(program, variant, writer.name, given.name, handled, [])
    try:
        end = _block(reader, scope.statements or (), scope, (Frame("document"),), 0)
    except LostError:
        return None
    documents = [*reader.finished, *([end] if end is not None else [])]
    if not documents or any(len(frames) != 1 for frames in documents):
        return None
    shapes = [s for frames in documents for s in frames[0].values if not isinstance(s, Nothing)]
    found = one_of_shapes(tuple(shapes)) if shapes else None
    return None if isinstance(found, Unknown) else found


def converted(program: Program, one: Converted, value: Typed | None, variant: str) -> Schema:
    """The shape of a value that a converter of the project writes. What one reads may be more than
    what it writes: only texts and numbers are taken to be read as they are written."""
    if variant.startswith(READING):
        return one.schema
    symbol = _class_of(program, one.key)
    if symbol is None or value is None:
        return one.schema
    shape = written(program, symbol, value, variant)
    return one.schema if shape is None else shape


def value_of(program: Program, symbol: ClassSymbol) -> Typed:
    """A value of a class of the project."""
    return Typed(NamedType(name=symbol.decl.name), program.class_scope(symbol))


def handled_class(program: Program, value: Typed) -> ClassSymbol | None:
    """The project's class that a value is of."""
    type = value.type
    if not isinstance(type, NamedType):
        return None
    found = program.names.lookup_type(type.name, value.scope)
    return found.symbol if isinstance(found, ClassValue) else None


def _class_of(program: Program, key: str) -> ClassSymbol | None:
    path, _, name = key.partition("#")
    if not name:
        return None
    symbols = program.classes(program.facts(path))
    return next((symbol for symbol in symbols if symbol.qualified_name == name), None)


# --------------------------------------------------------------------------- statements


def _block(
    reader: _Reader, statements: tuple[Statement, ...], scope: Scope, frames: Frames, depth: int
) -> Frames | None:
    """What is open after statements; None where none of them leads to the end."""
    current: Frames | None = frames
    for statement in statements:
        if current is None:
            return None
        reader.steps += 1
        if depth > _MAX_DEPTH or reader.steps > _MAX_NODES:
            raise LostError
        current = _statement(reader, statement, scope, current, depth)
    return current


def _statement(
    reader: _Reader, statement: Statement, scope: Scope, frames: Frames, depth: int
) -> Frames | None:
    match statement:
        case Evaluate(value=value):
            return _expression(reader, value, scope, frames)
        case Return(value=value):
            if value is not None:
                frames = _expression(reader, value, scope, frames)
            reader.finished.append(frames)
            return None
        case Throw():
            return None
        case Branch(kind="if" | "switch"):
            return _branch(reader, statement, scope, frames, depth)
        case Loop(body=body):
            after = _block(reader, body, scope, frames, depth + 1)
            return frames if after is None else merged(frames, after)
        case Assign(value=value) if value is None or not mentions(value, reader.writer):
            return frames
        case _:
            raise LostError


def _branch(
    reader: _Reader, branch: Branch, scope: Scope, frames: Frames, depth: int
) -> Frames | None:
    ends: list[Frames] = []
    before = reader.present
    for position, block in enumerate(branch.blocks):
        seen = _present(branch.condition, first=position == 0)
        reader.present = (*before, seen) if seen else before
        end = _block(reader, block, scope, frames, depth + 1)
        if end is not None:
            ends.append(end)
    reader.present = before
    if not branch.exhaustive:
        ends.append(frames)
    if not ends:
        return None
    result = ends[0]
    for end in ends[1:]:
        result = merged(result, end)
    return result


def _present(condition: Expr | None, *, first: bool) -> str:
    """What is not null in the first block (`x != null`), or in the other (`x == null`)."""
    match condition:
        case OperationExpr(
            operator="!=" | "==" as sign, operands=(tested, LiteralExpr(value=None))
        ):
            return dotted(tested) if (sign == "!=") == first else ""
        case _:
            return ""


# --------------------------------------------------------------------------- steps


def _expression(reader: _Reader, expr: Expr, scope: Scope, frames: Frames) -> Frames:
    match expr:
        case Call(callee=Attribute(value=Name(id=id), name=name), args=args) if id == reader.writer:
            return _step(reader, name, tuple(a.value for a in args), scope, frames)
        case Call(callee=Attribute(name="Serialize"), args=(first, second, *rest)) if (
            isinstance(first.value, Name) and first.value.id == reader.writer
        ):
            as_object = any(is_object(type) for type in expr.type_args)
            shape = _serialized(reader, second.value, rest, scope, as_object=as_object)
            return with_value(frames, shape)
        case _ if mentions(expr, reader.writer):
            # What only checks its arguments writes nothing.
            if isinstance(expr, Call) and _is_check(expr.callee):
                return frames
            raise LostError
        case _:
            return frames


def _is_check(callee: Expr) -> bool:
    match callee:
        case Attribute(value=Name(id="Contract" | "ArgumentNullException" | "Debug" | "Guard")):
            return True
        case _:
            return False


def _serialized(
    reader: _Reader, expr: Expr, rest: Sequence[Argument], scope: Scope, *, as_object: bool
) -> Schema:
    """What the serializer itself writes of a part of the value. `value.GetType()` behind it, and
    an `object`, ask for the class that the object is of."""
    if isinstance(expr, Cast) and is_object(expr.type):
        expr, as_object = expr.value, True
    itself = dotted(expr)
    asked = [argument for argument in rest if mentions_call(argument, "GetType")]
    if any(not itself or type_of(argument.value) != itself for argument in asked):
        raise LostError
    if itself == reader.value:
        # Of itself it would be written by the converter again, or by other options than these.
        if reader.handled is None or not (asked or as_object):
            raise LostError
        return _derived(reader, reader.handled)
    if asked or as_object:
        value = reader.program.evaluator.unwrapped(reader.program.evaluate(expr, scope))
        if isinstance(value, Typed):
            declared = handled_class(reader.program, value)
            if declared is not None and reader.program.implementations(declared):
                raise LostError
    shape = reader.program.infer(expr, scope, reader.variant)
    return with_nullable(shape, False) if itself in reader.present else shape


def _derived(reader: _Reader, base: ClassSymbol) -> Schema:
    """One of the classes that derive from one, each as it is written by itself."""
    program = reader.program
    found: dict[str, ClassSymbol] = {}
    pending = [base]
    while pending:
        for symbol in program.implementations(pending.pop()):
            if symbol.key not in found and symbol.key != base.key:
                found[symbol.key] = symbol
                pending.append(symbol)
    if len(found) > _MAX_DERIVED or any("`" in s.decl.name for s in found.values()):
        raise LostError
    shapes = tuple(
        program.schema(
            NamedType(name=symbol.decl.name), program.class_scope(symbol), reader.variant
        )
        for symbol in sorted(found.values(), key=lambda symbol: symbol.key)
        if "abstract" not in symbol.decl.modifiers
    )
    if not shapes:
        raise LostError
    return one_of_shapes(shapes)


def _step(
    reader: _Reader, name: str, args: tuple[Expr, ...], scope: Scope, frames: Frames
) -> Frames:
    match name:
        case "WriteStartObject" | "WriteStartArray":
            named = _with_name(reader, frames, args[0], scope) if args else frames
            kind = "object" if name == "WriteStartObject" else "list"
            return (*named, Frame(kind))
        case "WriteEndObject" | "WriteEndArray":
            return closed(frames, "object" if name == "WriteEndObject" else "list")
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


def _scalar(reader: _Reader, name: str, expr: Expr, scope: Scope) -> Schema:
    """The text, number or truth value that is written of an expression."""
    if reader.handled is not None and reader.handled.decl.kind == "enum":
        texts = enum_texts(reader.program, reader.handled, expr, reader.value, scope)
        if texts is not None:
            return Scalar(type="string", values=texts)
    shape = reader.program.types.flat(reader.program.infer(expr, scope, reader.variant))
    kind = _VALUES[name]
    told = isinstance(shape, Scalar) and (
        shape.type == kind
        or not kind
        or (kind == "numeric" and shape.type in ("integer", "number"))
    )
    if told:
        return with_nullable(shape, False)
    match kind:
        case "string" | "numeric" | "boolean":
            return Scalar(type=kind)
        case _:
            raise LostError


def _with_name(reader: _Reader, frames: Frames, expr: Expr, scope: Scope) -> Frames:
    if frames[-1].kind != "object":
        raise LostError
    text = reader.program.text(expr, scope)
    return (*frames[:-1], replace(frames[-1], pending="" if text is None else text))


__all__ = ["converted", "value_of", "written"]
