"""What a converter of the project reads: the kinds of values that its `Read` method takes.

They are those that it asks the reader for (`GetString`, `GetInt32`) or tests for (`TokenType ==
JsonTokenType.True`), on whichever of its ways. What reads parts of a value leaves it undetermined.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from contract_scan.ir.schema import Scalar, ScalarType, Schema, Union
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import ClassSymbol, Scope
from contract_scan.parsers.source.facts.nodes import (
    Attribute,
    Branch,
    Call,
    Cast,
    Expr,
    Name,
    NamedType,
    OperationExpr,
    Statement,
    Throw,
    TypeExpr,
)
from contract_scan.parsers.source.facts.visitor import nodes_of

_MAX_HELPERS = 6
"""How many functions that hand on the reader are followed."""
_WHOLE = ("Byte", "SByte", "Int16", "Int32", "Int64", "UInt16", "UInt32", "UInt64")
_TEXTS = ("String", "DateTime", "DateTimeOffset", "Guid", "BytesFromBase64")
_ASKED: dict[str, ScalarType] = {
    **{f"{verb}{name}": "integer" for verb in ("Get", "TryGet") for name in _WHOLE},
    **{
        f"{verb}{name}": "number"
        for verb in ("Get", "TryGet")
        for name in ("Double", "Single", "Decimal")
    },
    **{f"{verb}{name}": "string" for verb in ("Get", "TryGet") for name in _TEXTS},
    "GetBoolean": "boolean",
    "CopyString": "string",
    "ValueTextEquals": "string",
}
_TOKENS: dict[str, ScalarType] = {
    "String": "string",
    "Number": "numeric",
    "Integer": "integer",
    "Float": "number",
    "True": "boolean",
    "False": "boolean",
    "Boolean": "boolean",
    "Date": "string",
    "Bytes": "string",
}
_STRUCTURED = frozenset({"StartObject", "StartArray", "EndObject", "EndArray", "PropertyName"})
_HARMLESS = frozenset(
    {"TokenType", "HasValueSequence", "ValueSequence", "ValueSpan", "ValueIsEscaped"}
    | {"CurrentDepth", "TokenStartIndex", "BytesConsumed", "Position", "Path", "ValueType"}
)
_CAST: dict[str, ScalarType] = {
    **dict.fromkeys(("string", "String", "DateTime"), "string"),
    **dict.fromkeys(("int", "long", "Int32", "Int64"), "integer"),
    **dict.fromkeys(("double", "decimal", "float"), "number"),
    **dict.fromkeys(("bool", "Boolean"), "boolean"),
}


class _LostError(Exception):
    """What is read is not seen."""


class _Read(Struct):
    """What is known while a `Read` method is gone through."""

    program: Program
    kinds: set[ScalarType]
    """Kinds of values that the reader is asked for."""
    tested: set[ScalarType]
    """Kinds of values that a test asks for."""
    active: tuple[int, ...] = ()


def read_kinds(program: Program, converter: ClassSymbol) -> frozenset[ScalarType] | None:
    """The kinds of values that a converter takes; None where they are undetermined. Empty: it
    declares no method that reads, or one that always throws."""
    method = program.find_method(converter, "Read") or program.find_method(converter, "ReadJson")
    if method is None or not method.function.params:
        return frozenset()
    found = _Read(program, set(), set(), (id(method.function),))
    scope = program.function_scope(method.function, method.scope)
    try:
        _body(found, scope.statements or (), method.function.params[0].name, scope)
    except _LostError:
        return None
    numbers = found.kinds & {"integer", "number"}
    tested = found.tested - {"numeric"} if numbers else found.tested
    return frozenset(found.kinds | tested)


def kinds_schema(kinds: frozenset[ScalarType]) -> Schema:
    """The shape of values of these kinds."""
    options = tuple(Scalar(type=kind) for kind in sorted(kinds))
    return options[0] if len(options) == 1 else Union(options=options)


def _body(found: _Read, statements: tuple[Statement, ...], reader: str, scope: Scope) -> None:
    refused = [*_refused_tokens(statements, reader)]
    named = seen = 0
    for node in nodes_of(statements):
        match node:
            case Name(id=id) if id == reader:
                named += 1
            case Cast(type=type, value=Attribute(value=Name(id=id), name="Value")) if id == reader:
                found.kinds.add(_cast_kind(type))
                seen += 1
            case Attribute(value=Name(id=id), name=name) if id == reader:
                seen += _member(found, name)
            case Call(args=args) if any(_is_reader(a.value, reader) for a in args):
                _handed_on(found, node, reader, scope)
                seen += 1
            case Attribute(value=Name(id="JsonTokenType" | "JsonToken"), name=name):
                if name in _STRUCTURED:
                    raise _LostError
                if name in _TOKENS and not any(node is one for one in refused):
                    found.tested.add(_TOKENS[name])
            case _:
                pass
    if named != seen:
        raise _LostError


def _member(found: _Read, name: str) -> int:
    """Note what a member of the reader tells; 0 where it is looked at with what stands around."""
    if name == "Value":
        return 0
    if name in _ASKED:
        found.kinds.add(_ASKED[name])
    elif name not in _HARMLESS:
        raise _LostError
    return 1


def _cast_kind(type: TypeExpr) -> ScalarType:
    inner = getattr(type, "item", type)
    name = inner.name.rpartition(".")[2] if isinstance(inner, NamedType) else ""
    if name not in _CAST:
        raise _LostError
    return _CAST[name]


def _is_reader(expr: Expr, reader: str) -> bool:
    return isinstance(expr, Name) and expr.id == reader


def _handed_on(found: _Read, call: Call, reader: str, scope: Scope) -> None:
    """What a function of the project reads that is handed the reader, or a serializer."""
    if getattr(call.callee, "name", "") == "Deserialize" and call.type_args:
        found.kinds.add(_cast_kind(call.type_args[0]))
        return
    function = found.program.evaluator.function_called(call, scope)
    if (
        function is None
        or len(found.active) > _MAX_HELPERS
        or id(function.function) in found.active
    ):
        raise _LostError
    pairs = zip(function.function.params, call.args, strict=False)
    names = [param.name for param, argument in pairs if _is_reader(argument.value, reader)]
    if len(names) != 1 or any(argument.name for argument in call.args):
        raise _LostError
    before = found.active
    found.active = (*before, id(function.function))
    inside = found.program.function_scope(function.function, function.scope)
    _body(found, inside.statements or (), names[0], inside)
    found.active = before


def _refused_tokens(statements: tuple[Statement, ...], reader: str) -> Iterator[Attribute]:
    """The kinds of tokens for which a method only throws: `if (reader.TokenType ==
    JsonTokenType.Number) throw new JsonException();`."""
    for branch in nodes_of(statements):
        if not isinstance(branch, Branch):
            continue
        for position, block in enumerate(branch.blocks):
            if len(block) != 1 or not isinstance(block[0], Throw):
                continue
            match branch.condition:
                case OperationExpr(operator="==", operands=(tested, Attribute() as kind)) if (
                    position == 0 and _is_token(tested, reader)
                ):
                    yield kind
                case tested if branch.kind == "switch" and _is_token(tested, reader):
                    case = branch.cases[position] if position < len(branch.cases) else None
                    if isinstance(case, Attribute):
                        yield case
                case _:
                    pass


def _is_token(expr: Expr | None, reader: str) -> bool:
    match expr:
        case Attribute(value=value, name="TokenType"):
            return _is_reader(value, reader)
        case _:
            return False
