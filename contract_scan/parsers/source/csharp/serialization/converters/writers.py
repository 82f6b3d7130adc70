"""What a converter of the project writes: its `Write` method, read step by step.

The steps build a document: values, objects with their fields, lists. What stands under a condition
may be left out; what cannot be followed makes the whole unknown.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import (
    Nothing,
    Scalar,
    Schema,
    Unknown,
    with_nullable,
)
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    ByType,
    ClassSymbol,
    Scope,
)
from contract_scan.parsers.source.csharp.resolution.annotations import find
from contract_scan.parsers.source.csharp.serialization.converters.documents import (
    Frame,
    Frames,
    LostError,
    close,
    join,
    one_of_shapes,
    with_value,
)
from contract_scan.parsers.source.csharp.serialization.converters.readers import (
    kinds_schema,
    read_kinds,
)
from contract_scan.parsers.source.csharp.serialization.enum_texts import enum_texts
from contract_scan.parsers.source.csharp.serialization.settings.record import READING, ConvertedType
from contract_scan.parsers.source.facts.nodes import (
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
    TypeExpr,
)
from contract_scan.parsers.source.facts.visitor import nodes_of

_METHODS = frozenset({"Write", "WriteJson"})
_MAX_HELPERS = 6
"""How many functions that hand on the writer are followed."""
_MAX_NODES = 5_000
_MAX_DEPTH = 30
_MAX_DERIVED = 100
"""Classes that derive from one which are taken for what a value may be of."""
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


def written_schema(
    program: Program,
    converter: ClassSymbol,
    value: ByType,
    variant: str,
) -> Schema | None:
    """The schema of what a converter writes for a value; None if it is undetermined."""
    method = program.find_method(converter, "Write") or program.find_method(converter, "WriteJson")
    if method is None or len(method.function.params) < 2 or method.scope.owner is None:
        return None
    writer, value_param = method.function.params[:2]
    scope = program.function_scope(method.function, method.scope, {value_param.name: value})
    handled = program.names.declared_class(value.type, value.scope)
    reader = _Reader(
        program, variant, writer.name, value_param.name, handled, [], active=(id(method.function),)
    )
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


def converted_schema(
    program: Program, one: ConvertedType, value: ByType | None, variant: str
) -> Schema:
    """The schema of a value that a converter of the project writes, or reads. Where it is not seen
    to read, only texts and numbers are assumed to be read as they are written."""
    reading = variant.startswith(READING)
    symbol = _class_of(program, one.key)
    if reading and symbol is not None:
        kinds = read_kinds(program, symbol)
        if kinds is None:
            return replace(one, scalar=None).schema
        if kinds:
            return kinds_schema(kinds)
    if symbol is None or value is None or (reading and one.scalar is not None):
        return one.schema
    shape = written_schema(program, symbol, value, variant.removeprefix(READING))
    if shape is None:
        return one.schema
    if not reading:
        return shape
    match program.types.flat(shape):
        case Scalar(type="string" | "integer" | "number" | "numeric" as type):
            return Scalar(type=type)
        case _:
            return one.schema


def reads_itself(program: Program, converter: ClassSymbol) -> bool:
    """Whether a converter only hands what it reads on to the serializer, asked for the type that it
    converts: `return JsonSerializer.Deserialize<T>(ref reader, options)`."""
    method = program.find_method(converter, "Read")
    if method is None or not isinstance(method.function.returns, NamedType):
        return False
    match program.function_scope(method.function, method.scope).statements or ():
        case (Return(value=Call(callee=Attribute(name="Deserialize"), type_args=(asked,))),):
            return isinstance(asked, NamedType) and asked.name == method.function.returns.name
        case _:
            return False


def value_of(program: Program, symbol: ClassSymbol) -> ByType:
    """A value of a class of the project."""
    return ByType(NamedType(name=symbol.decl.name), program.class_scope(symbol))


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
            return frames if after is None else join(frames, after)
        case Assign(value=value) if value is None or not _contains_name(value, reader.writer):
            return frames
        case _:
            raise LostError


def _branch(
    reader: _Reader, branch: Branch, scope: Scope, frames: Frames, depth: int
) -> Frames | None:
    ends: list[Frames] = []
    before = reader.present
    for position, block in enumerate(branch.blocks):
        seen = _non_null_name(branch.condition, first=position == 0)
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
        result = join(result, end)
    return result


def _non_null_name(condition: Expr | None, *, first: bool) -> str:
    """What is not null in the first block (`x != null`), or in the other (`x == null`)."""
    match condition:
        case OperationExpr(
            operator="!=" | "==" as sign, operands=(tested, LiteralExpr(value=None))
        ):
            return _dotted_name(tested) if (sign == "!=") == first else ""
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
            as_object = any(_is_object(type) for type in expr.type_args)
            shape = _serialized_schema(reader, second.value, rest, scope, as_object=as_object)
            return with_value(frames, shape)
        case _ if _contains_name(expr, reader.writer):
            # What only checks its arguments writes nothing.
            if isinstance(expr, Call) and _is_check(expr.callee):
                return frames
            if isinstance(expr, Call):
                return _handed_on(reader, expr, scope, frames)
            raise LostError
        case _:
            return frames


def _handed_on(reader: _Reader, call: Call, scope: Scope, frames: Frames) -> Frames:
    """A call of another function of the project that is handed the writer; the method itself writes
    a value of the same kind inside of this one."""
    evaluator = reader.program.evaluator
    found = evaluator.function_called(call, scope)
    if found is None or len(reader.active) >= _MAX_HELPERS:
        raise LostError
    if id(found.function) in reader.active:
        if found.function.name not in _METHODS or len(call.args) < 2 or len(frames) < 2:
            raise LostError
        return with_value(frames, _recursive_schema(reader, call.args[1].value, scope))
    bindings = evaluator.arguments_with_defaults(found, call, scope)
    names = {
        parameter.name: _dotted_name(argument.value)
        for parameter, argument in zip(found.function.params, call.args, strict=False)
    }
    writer = next((name for name, given in names.items() if given == reader.writer), "")
    if not writer or any(argument.name for argument in call.args):
        raise LostError
    inner = _Reader(
        program=reader.program,
        variant=reader.variant,
        writer=writer,
        value=next((name for name, given in names.items() if given == reader.value), ""),
        handled=reader.handled,
        finished=[],
        steps=reader.steps,
        active=(*reader.active, id(found.function)),
    )
    inside = reader.program.function_scope(found.function, found.scope, bindings)
    end = _block(inner, inside.statements or (), inside, frames, 0)
    reader.steps = inner.steps
    ends = [*inner.finished, *([end] if end is not None else [])]
    if not ends:
        raise LostError
    result = ends[0]
    for other in ends[1:]:
        result = join(result, other)
    return result


def _recursive_schema(reader: _Reader, expr: Expr, scope: Scope) -> Schema:
    """The schema of a value that the converter writes inside its own output: the same where all
    values of the class use the converter."""
    handled = reader.handled
    if handled is not None and find(handled.decl.annotations, "JsonConverter") is not None:
        return reader.program.infer(expr, scope, reader.variant)
    return Unknown(reason=Reason("converter-writes-itself"))


def _is_check(callee: Expr) -> bool:
    match callee:
        case Attribute(name="IfNull" | "ThrowIfNull" | "NotNull"):
            return True
        case Attribute(value=Name(id="Contract" | "ArgumentNullException" | "Debug" | "Guard")):
            return True
        case _:
            return False


def _serialized_schema(
    reader: _Reader, expr: Expr, rest: Sequence[Argument], scope: Scope, *, as_object: bool
) -> Schema:
    """What the serializer itself writes of a part of the value. `value.GetType()` behind it, and
    an `object`, ask for the class that the object is of."""
    if isinstance(expr, Cast) and _is_object(expr.type):
        expr, as_object = expr.value, True
    itself = _dotted_name(expr)
    asked = [argument for argument in rest if _mentions_call(argument, "GetType")]
    if any(not itself or _type_of(argument.value) != itself for argument in asked):
        raise LostError
    if itself == reader.value:
        # Of itself it would be written by the converter again, or by other options than these.
        if reader.handled is None or not (asked or as_object):
            raise LostError
        return _derived_schema(reader, reader.handled)
    if asked or as_object:
        value = reader.program.evaluator.unwrap(reader.program.evaluate(expr, scope))
        if isinstance(value, ByType):
            declared = reader.program.names.declared_class(value.type, value.scope)
            if declared is not None and reader.program.names.classes.implementations(declared):
                raise LostError
    shape = reader.program.infer(expr, scope, reader.variant)
    return with_nullable(shape, False) if itself in reader.present else shape


def _derived_schema(reader: _Reader, base: ClassSymbol) -> Schema:
    """A union of the classes that derive from one, each as it is written by itself."""
    program = reader.program
    found: dict[str, ClassSymbol] = {}
    pending = [base]
    while pending:
        for symbol in program.names.classes.implementations(pending.pop()):
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


def _dotted_name(expr: Expr) -> str:
    """A name, or a member of one, as it is written; empty for anything else."""
    match expr:
        case Name(id=id):
            return id
        case Attribute(value=Name(id=id), name=name):
            return f"{id}.{name}"
        case _:
            return ""


def _type_of(expr: Expr) -> str:
    """What `value.GetType()` is asked of."""
    match expr:
        case Call(callee=Attribute(value=holder, name="GetType"), args=()):
            return _dotted_name(holder)
        case _:
            return ""


def _is_object(type: TypeExpr) -> bool:
    """Whether a type is the base of all."""
    return isinstance(type, NamedType) and type.name in ("object", "Object")


def _contains_name(node: object, name: str) -> bool:
    """Whether a name stands in a piece of syntax."""
    return any(isinstance(n, Name) and n.id == name for n in nodes_of(node))


def _mentions_call(node: object, name: str) -> bool:
    """Whether a method of the name is called in a piece of syntax."""
    return any(
        isinstance(n, Call) and isinstance(n.callee, Attribute) and n.callee.name == name
        for n in nodes_of(node)
    )


class _Reader(Struct):
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


def _step(
    reader: _Reader, name: str, args: tuple[Expr, ...], scope: Scope, frames: Frames
) -> Frames:
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


def _scalar(reader: _Reader, name: str, expr: Expr, scope: Scope) -> Schema:
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


def _with_name(reader: _Reader, frames: Frames, expr: Expr, scope: Scope) -> Frames:
    if frames[-1].kind != "object":
        raise LostError
    text = reader.program.text(expr, scope)
    return (*frames[:-1], replace(frames[-1], pending="" if text is None else text))


__all__ = ["converted_schema", "value_of", "written_schema"]
