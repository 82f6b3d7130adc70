"""What binders of a project make of the one text that they read.

A binder, a type converter or a `TryParse` takes the text of a path or query. Where it hands it to a
parser of the library, the text is that of the library's type; where no parser of the library sees
it, any text may be meant.
"""

from __future__ import annotations

import re

from contract_scan.ir.schema import Scalar, Schema
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    ClassSymbol,
    FunctionValue,
    Scope,
)
from contract_scan.parsers.source.analysis.evaluation.call_sites import calls_in
from contract_scan.parsers.source.csharp.resolution.annotations import find, text
from contract_scan.parsers.source.csharp.resolution.calls import called_function
from contract_scan.parsers.source.csharp.resolution.source_text import function_text
from contract_scan.parsers.source.csharp.web.text_shapes import shape_of_text
from contract_scan.parsers.source.facts.nodes import (
    Attribute,
    Name,
    NamedType,
    New,
    TypeExpr,
)

_BINDING = ("BindModelAsync", "BindModel")
_METHODS = (*_BINDING, "ConvertFrom", "TryParse", "Parse")
"""Methods that read a text: of model binders, type converters, and types that read themselves."""
_PARSERS = frozenset({"Parse", "TryParse", "ParseExact", "TryParseExact"})
_CONVERTED = {
    **dict.fromkeys(("ToInt16", "ToInt32", "ToInt64", "ToByte"), "long"),
    **dict.fromkeys(("ToDouble", "ToDecimal", "ToSingle"), "decimal"),
    "ToBoolean": "bool",
    "ToDateTime": "DateTime",
}
"""Methods of `System.Convert` → the type that they read."""
_TEXTS = frozenset(
    {
        *("short", "int", "long", "ushort", "uint", "ulong", "byte", "sbyte", "nint", "BigInteger"),
        *("Int16", "Int32", "Int64", "UInt16", "UInt32", "UInt64", "float", "double", "decimal"),
        *("Single", "Double", "Decimal", "bool", "Boolean", "Guid", "DateTime", "DateTimeOffset"),
        *("DateOnly", "TimeOnly", "TimeSpan", "Uri", "Version", "char"),
    }
)
_PARTED = (
    *("Split", "Deserialize", "DeserializeObject", "DeserializeAsync", "ReadFromJsonAsync"),
    *("ReadAsStringAsync", "ReadToEndAsync", "CopyToAsync", "ReadFormAsync", "GetValues"),
    *("TrimStart", "TrimEnd", "Substring", "Replace", "Remove"),
)
"""Calls of binders that read more than one plain text, a part of it, or other parts of the
request."""
_PART = re.compile(rb"\[[^\[\]\n]{0,40}\.\.")
_MEMBER = "EnumMember"
_MAX_FOLLOWED = 3


def bound_schema(
    program: Program, binder: ClassSymbol, type: TypeExpr, scope: Scope, variant: str
) -> Schema | None:
    """The shape of the text that a binder reads for a parameter of a type; None: that is
    undetermined."""
    symbol = _enum_of(program, type, scope)
    if symbol is not None:
        return _member_texts(program, binder, symbol)
    for method in binder.decl.methods:
        if method.name in _METHODS:
            kinds: set[str] = set()
            value = FunctionValue(method, program.class_scope(binder), binder)
            if not _reads_text(program, value) or not _read_by(program, value, kinds, 0):
                return None
            if len(kinds) > 1:
                return None
            if not kinds:
                return Scalar(type="string")
            return shape_of_text(program, NamedType(name=kinds.pop()), scope, variant)
    return None


def _reads_text(program: Program, function: FunctionValue) -> bool:
    """Whether a function looks at the text that it is given."""
    text = function_text(program, function.scope.file.path, function.function)
    if function.function.name in _BINDING:
        return b".GetValue(" in text
    params = function.function.params
    name = params[-1 if function.function.name == "ConvertFrom" else 0].name if params else ""
    return bool(name) and text.count(name.encode()) > 1


def _read_by(program: Program, function: FunctionValue, kinds: set[str], depth: int) -> bool:
    """Whether a function reads one plain text; `kinds` takes the types of the library whose parsers
    it calls."""
    if depth > _MAX_FOLLOWED:
        return False
    if _PART.search(function_text(program, function.scope.file.path, function.function)):
        return False
    scope = program.function_scope(function.function, function.scope)
    for call, inside in calls_in(program, scope.statements or (), scope):
        if isinstance(call, New) or not isinstance(call.callee, Attribute):
            continue
        name, holder = call.callee.name, call.callee.value
        written = _type_name(holder)
        if name in _PARTED or (written == "Enum" and name in _PARSERS):
            return False
        if written == "Convert" and name in _CONVERTED:
            kinds.add(_CONVERTED[name])
        elif name in _PARSERS and written in _TEXTS:
            kinds.add(written)
        elif name in _PARSERS:
            called = called_function(program, call, inside)
            if called is None or called.function is function.function:
                return False
            if not _read_by(program, called, kinds, depth + 1):
                return False
    return True


def _type_name(holder: object) -> str:
    match holder:
        case Name(id=name) | Attribute(name=name):
            return name
        case _:
            return ""


def _enum_of(program: Program, type: TypeExpr, scope: Scope) -> ClassSymbol | None:
    inner = getattr(type, "item", type)
    if not isinstance(inner, NamedType):
        return None
    found = program.names.declared_class(inner, scope)
    if found is not None and found.decl.kind == "enum":
        return found
    return None


def _member_texts(program: Program, converter: ClassSymbol, symbol: ClassSymbol) -> Schema | None:
    """The texts that a converter reads as members of an enum by their `[EnumMember]`, and by
    their names, which its base reads."""
    inside = program.class_scope(symbol)
    for method in converter.decl.methods:
        if method.name == "ConvertFrom":
            body = function_text(program, converter.file.path, method)
            if _MEMBER.encode() not in body:
                return None
            values: dict[str | int | float | bool | None, None] = {}
            for member in symbol.decl.members:
                marked = find(member.annotations, _MEMBER)
                name = None if marked is None else text(program, marked, inside, -1, "Value")
                if name is not None:
                    values[name] = None
                values[member.name] = None
            return Scalar(type="string", values=tuple(values))
    return None


__all__ = ["bound_schema"]
