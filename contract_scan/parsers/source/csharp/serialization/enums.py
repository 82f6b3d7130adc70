"""How C# enums are written: as numbers, or as text under some naming."""

from __future__ import annotations

from msgspec.structs import replace

from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import Scalar, Schema, Union, Unknown
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import ClassSymbol
from contract_scan.parsers.source.csharp.resolution.annotations import argument, find, text
from contract_scan.parsers.source.csharp.serialization.enum_texts import value_members
from contract_scan.parsers.source.csharp.serialization.naming import NamingPolicy, wire_name
from contract_scan.parsers.source.csharp.serialization.settings.options import (
    TextConverter,
    naming_policy,
    own_text_converter,
    unqualified_name,
)
from contract_scan.parsers.source.csharp.serialization.settings.record import JsonSettings
from contract_scan.parsers.source.facts.nodes import (
    Annotation,
    Expr,
    LiteralExpr,
    Name,
    NamedType,
    OperationExpr,
    TypeValue,
)

_TEXT_CONVERTERS = frozenset(
    {"JsonStringEnumConverter", "StringEnumConverter", "JsonStringEnumMemberConverter"}
)


def enum_schema(program: Program, symbol: ClassSymbol, settings: JsonSettings) -> Schema:
    """The values of an enum on the wire that no `[JsonConverter]` says anything of."""
    own = next((naming for key, naming in settings.enum_types if key == symbol.key), None)
    if own is not None:
        return _texts(program, symbol, own, members=settings.newtonsoft)
    if settings.unknown_enums:
        return Unknown(reason=settings.unknown_enums, origin=symbol.origin)
    if settings.enum_texts:
        return _texts(program, symbol, settings.enum_naming, members=settings.newtonsoft)
    return _numbers(symbol)


def enum_as_read(
    program: Program, symbol: ClassSymbol, written: Schema, settings: JsonSettings
) -> Schema:
    """What is taken for an enum that is written like that: names in upper and lower case, any
    number, and names beside numbers by Newtonsoft, which needs a converter only to write them."""
    if not isinstance(written, Scalar):
        return written
    if written.type == "string":
        return replace(written, ignores_case=True)
    numbers = replace(written, also_takes=("number",))
    if not settings.newtonsoft:
        return numbers
    names = _texts(program, symbol, "", members=True)
    options = (numbers, replace(names, ignores_case=True))
    return Union(options=options, origin=symbol.origin)


def converted_enum(
    program: Program, symbol: ClassSymbol, converter: Annotation, settings: JsonSettings
) -> Schema | None:
    """The values of an enum that a `[JsonConverter]` on it, or on a property, writes which is of a
    library, or derives from one of it; None for other converters."""
    name = converter_name(converter)
    if name not in _TEXT_CONVERTERS:
        own = _own_converter(program, converter)
        if own is None:
            return None
        if own.naming is None:
            return Unknown(reason=Reason("enum-value-names-undetermined"), origin=symbol.origin)
        members = own.library != "JsonStringEnumConverter"
        return _texts(program, symbol, own.naming, members=members)
    naming: NamingPolicy | None = ""
    for given in converter.args[1:]:
        if isinstance(given.value, TypeValue):
            written = given.value.type
            naming = (
                naming_policy(Name(id=""))
                if not isinstance(written, NamedType)
                else _policy_named(unqualified_name(written.name))
            )
        elif isinstance(given.value, LiteralExpr) and given.value.value is True:
            naming = "camel"
    if naming is None:
        return Unknown(reason=Reason("enum-value-names-undetermined"), origin=symbol.origin)
    return _texts(program, symbol, naming, members=name != "JsonStringEnumConverter")


def _own_converter(program: Program, converter: Annotation) -> TextConverter | None:
    """The project's converter that an attribute names, where it derives from one of a library. It
    is looked for by its name alone, since the attribute may stand at a member of any class."""
    found = [
        own
        for path in program.files_defining(converter_name(converter))
        for each in program.classes(program.facts(path))
        if each.decl.name == converter_name(converter)
        if (own := own_text_converter(program, each)) is not None
    ]
    return found[0] if len(found) == 1 else None


def _policy_named(name: str) -> NamingPolicy | None:
    from contract_scan.parsers.source.csharp.serialization.naming import POLICIES

    return POLICIES.get(name)


def converter_name(converter: Annotation) -> str:
    """The plain name of the class in `[JsonConverter(typeof(X))]` or `[JsonConverter<X>]`."""
    written = argument(converter, 0, "ConverterType")
    if isinstance(written, TypeValue) and isinstance(written.type, NamedType):
        return unqualified_name(written.type.name)
    if converter.type_args and isinstance(converter.type_args[0], NamedType):
        return unqualified_name(converter.type_args[0].name)
    return ""


def _texts(program: Program, symbol: ClassSymbol, naming: NamingPolicy, *, members: bool) -> Schema:
    """The names of the constants. `members`: the converter honours `[EnumMember(Value = …)]`."""
    scope = program.class_scope(symbol)
    if find(symbol.decl.annotations, "Flags") is not None:
        return Scalar(type="string", origin=symbol.origin)
    values: list[str] = []
    for member in value_members(symbol):
        written: str | None = None
        marked = find(member.annotations, "JsonStringEnumMemberName")
        if marked is not None:
            written = text(program, marked, scope, 0, "name")
        named = find(member.annotations, "EnumMember")
        if members and named is not None:
            value = text(program, named, scope, -1, "Value")
            written = written if value is None else value
        values.append(written if written is not None else wire_name(member.name, naming))
    return Scalar(type="string", values=tuple(dict.fromkeys(values)), origin=symbol.origin)


def _numbers(symbol: ClassSymbol) -> Schema:
    """The values of the constants; any number where they are combined or is undetermined."""
    free = Scalar(type="integer", origin=symbol.origin)
    if find(symbol.decl.annotations, "Flags") is not None:
        return free
    known: dict[str, int] = {}
    following = 0
    for member in symbol.decl.members:
        value = following if member.value is None else _number(member.value, known)
        if value is None:
            return free
        known[member.name] = value
        following = value + 1
    return Scalar(type="integer", values=tuple(dict.fromkeys(known.values())), origin=symbol.origin)


def _number(expr: Expr, known: dict[str, int]) -> int | None:
    match expr:
        case LiteralExpr(value=int() as number) if not isinstance(number, bool):
            return number
        case LiteralExpr(value=str() as letter) if len(letter) == 1:
            return ord(letter)
        case Name(id=name):
            return known.get(name)
        case OperationExpr(operator=operator, operands=(left, right)):
            first, second = _number(left, known), _number(right, known)
            if first is None or second is None:
                return None
            match operator:
                case "<<" if 0 <= second < 64:
                    return int(first << second)
                case "|":
                    return first | second
                case "+":
                    return first + second
                case _:
                    return None
        case _:
            return None
