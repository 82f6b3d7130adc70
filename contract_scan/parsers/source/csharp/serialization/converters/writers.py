"""What a converter of the project writes: its `Write` method, read step by step.

The steps build a document: values, objects with their fields, lists. What stands under a condition
may be left out; what cannot be followed makes the whole unknown.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import (
    Nothing,
    Scalar,
    Schema,
    Unknown,
    with_nullable,
)
from contract_scan.parsers.source.analysis.domain.values import (
    ByType,
    ClassSymbol,
    ClassValue,
    Scope,
)
from contract_scan.parsers.source.csharp.resolution.annotations import find
from contract_scan.parsers.source.csharp.serialization.converters.documents import (
    Frame,
    Frames,
    LostError,
    join,
    one_of_shapes,
    with_value,
)
from contract_scan.parsers.source.csharp.serialization.converters.mentions import (
    contains_name,
    dotted_name,
    is_object,
    mentions_call,
    type_of,
)
from contract_scan.parsers.source.csharp.serialization.converters.steps import Reader, step
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
)

if TYPE_CHECKING:
    from contract_scan.parsers.source.analysis.domain.program import Program

_METHODS = frozenset({"Write", "WriteJson"})
_MAX_HELPERS = 6
"""How many functions that hand on the writer are followed."""
_MAX_NODES = 5_000
_MAX_DEPTH = 30
_MAX_DERIVED = 100
"""Classes that derive from one which are taken for what a value may be of."""


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
    handled = handled_class(program, value)
    reader = Reader(
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
    """The schema of a value that a converter of the project writes. What the converter reads may
    be more than what it writes: only texts and numbers are assumed to be read as they are
    written."""
    reading = variant.startswith(READING)
    symbol = _class_of(program, one.key)
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


def handled_class(program: Program, value: ByType) -> ClassSymbol | None:
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
    reader: Reader, statements: tuple[Statement, ...], scope: Scope, frames: Frames, depth: int
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
    reader: Reader, statement: Statement, scope: Scope, frames: Frames, depth: int
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
        case Assign(value=value) if value is None or not contains_name(value, reader.writer):
            return frames
        case _:
            raise LostError


def _branch(
    reader: Reader, branch: Branch, scope: Scope, frames: Frames, depth: int
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
            return dotted_name(tested) if (sign == "!=") == first else ""
        case _:
            return ""


# --------------------------------------------------------------------------- steps


def _expression(reader: Reader, expr: Expr, scope: Scope, frames: Frames) -> Frames:
    match expr:
        case Call(callee=Attribute(value=Name(id=id), name=name), args=args) if id == reader.writer:
            return step(reader, name, tuple(a.value for a in args), scope, frames)
        case Call(callee=Attribute(name="Serialize"), args=(first, second, *rest)) if (
            isinstance(first.value, Name) and first.value.id == reader.writer
        ):
            as_object = any(is_object(type) for type in expr.type_args)
            shape = _serialized_schema(reader, second.value, rest, scope, as_object=as_object)
            return with_value(frames, shape)
        case _ if contains_name(expr, reader.writer):
            # What only checks its arguments writes nothing.
            if isinstance(expr, Call) and _is_check(expr.callee):
                return frames
            if isinstance(expr, Call):
                return _handed_on(reader, expr, scope, frames)
            raise LostError
        case _:
            return frames


def _handed_on(reader: Reader, call: Call, scope: Scope, frames: Frames) -> Frames:
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
        parameter.name: dotted_name(argument.value)
        for parameter, argument in zip(found.function.params, call.args, strict=False)
    }
    writer = next((name for name, given in names.items() if given == reader.writer), "")
    if not writer or any(argument.name for argument in call.args):
        raise LostError
    inner = Reader(
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


def _recursive_schema(reader: Reader, expr: Expr, scope: Scope) -> Schema:
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
    reader: Reader, expr: Expr, rest: Sequence[Argument], scope: Scope, *, as_object: bool
) -> Schema:
    """What the serializer itself writes of a part of the value. `value.GetType()` behind it, and
    an `object`, ask for the class that the object is of."""
    if isinstance(expr, Cast) and is_object(expr.type):
        expr, as_object = expr.value, True
    itself = dotted_name(expr)
    asked = [argument for argument in rest if mentions_call(argument, "GetType")]
    if any(not itself or type_of(argument.value) != itself for argument in asked):
        raise LostError
    if itself == reader.value:
        # Of itself it would be written by the converter again, or by other options than these.
        if reader.handled is None or not (asked or as_object):
            raise LostError
        return _derived_schema(reader, reader.handled)
    if asked or as_object:
        value = reader.program.evaluator.unwrap(reader.program.evaluate(expr, scope))
        if isinstance(value, ByType):
            declared = handled_class(reader.program, value)
            if declared is not None and reader.program.implementations(declared):
                raise LostError
    shape = reader.program.infer(expr, scope, reader.variant)
    return with_nullable(shape, False) if itself in reader.present else shape


def _derived_schema(reader: Reader, base: ClassSymbol) -> Schema:
    """A union of the classes that derive from one, each as it is written by itself."""
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


__all__ = ["converted_schema", "value_of", "written_schema"]
