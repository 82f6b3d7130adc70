"""How enum constants look on the wire."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import LiteralValue, Scalar, Schema, Unknown, with_nullable
from contract_scan.parsers.source.analysis.domain.values import ClassSymbol, Constant, Scope
from contract_scan.parsers.source.facts.nodes import Function, Member
from contract_scan.parsers.source.java.resolution.annotations import argument, constant_name, find
from contract_scan.parsers.source.java.resolution.dependencies import is_in_related_files
from contract_scan.parsers.source.java.serialization.enum_values import field_of, value_of
from contract_scan.parsers.source.java.serialization.jackson.settings import (
    READING,
    JacksonSettings,
)

if TYPE_CHECKING:
    from contract_scan.parsers.source.analysis.domain.hooks import TypeUse

_SERIALIZERS = (
    *(b"com.fasterxml.jackson", b"tools.jackson", b"com.google.gson", b"json.bind", b"moshi"),
    *(b"org.springframework", b"ws.rs", b"io.micronaut", b"io.quarkus", b"io.javalin"),
    *(b"io.helidon", b"io.vertx", b"com.linecorp.armeria", b"play.mvc", b"fastjson"),
)
"""What stands in code of which it is known how enums are written."""
_OWN_READERS = (b"modifyEnumDeserializer", b"addDeserializer(Enum.class")
_OWN_WRITERS = (b"modifyEnumSerializer", b"addSerializer(Enum.class")
"""What stands in code that reads or writes every enum in a way of its own."""


def enum_schema(use: TypeUse, symbol: ClassSymbol, settings: JacksonSettings) -> Schema | None:
    """The wire values of an enum; None where its constants are written as objects."""
    decl = symbol.decl
    scope = use.program.class_scope(symbol)
    shape = constant_name(argument(find(decl.annotations, "JsonFormat"), "shape"))
    constants = [member for member in decl.members if member.kind == "enum"]
    reads = READING in use.variant.split(";")
    if is_in_related_files(
        use.program, symbol.file.path, *(_OWN_READERS if reads else _OWN_WRITERS)
    ):
        verb = "read" if reads else "written"
        reason = Reason("custom-enum-code", verb=verb)
        return Unknown(reason=reason, is_text=True, origin=symbol.origin)
    if shape in ("NUMBER", "NUMBER_INT"):
        values = tuple(range(len(constants)))
        return Scalar(type="integer", values=values, origin=symbol.origin)
    for method in decl.methods:
        if find(method.annotations, "JsonValue") is not None:
            return _of_method(use, symbol, method, constants, scope)
    for member in decl.members:
        if find(member.annotations, "JsonValue") is not None:
            return _of_member(use, symbol, member.name, constants, scope)
    if shape == "OBJECT":
        return None
    if settings.enums_use_to_string:
        for method in decl.methods:
            if method.name == "toString" and not method.params:
                return _of_method(use, symbol, method, constants, scope)
    if _has_texts(use, constants, scope) and not is_in_related_files(
        use.program, symbol.file.path, *_SERIALIZERS
    ):
        reason = Reason("enum-texts-writer-not-found")
        return Unknown(reason=reason, is_text=True, origin=symbol.origin)
    named = _of_names(use, symbol, constants, scope)
    if not isinstance(named, Scalar) or named.values is None:
        return named
    if reads and settings.enums_in_any_case:
        return replace(named, values=_in_any_case(named.values))
    if settings.enums_in_lower_case:
        return replace(named, values=tuple(str(value).lower() for value in named.values))
    return named


def _has_texts(use: TypeUse, constants: list[Member], scope: Scope) -> bool:
    """Whether every constant is made with a text that is not its name."""
    texts = [
        [
            value.value
            for a in member.args
            if isinstance(value := use.program.evaluate(a.value, scope), Constant)
        ]
        for member in constants
    ]
    return bool(texts) and all(any(isinstance(one, str) for one in own) for own in texts)


def _in_any_case(values: tuple[LiteralValue, ...]) -> tuple[LiteralValue, ...]:
    """The values as they are, and in capitals and small letters: what else clients would write is
    not listed."""
    texts = [str(value) for value in values]
    return tuple(dict.fromkeys([*texts, *(t.lower() for t in texts), *(t.upper() for t in texts)]))


def _of_names(use: TypeUse, symbol: ClassSymbol, constants: list[Member], scope: Scope) -> Schema:
    values: list[str] = []
    for member in constants:
        renamed = find(member.annotations, "JsonProperty", "SerializedName", "JsonbProperty")
        written = argument(renamed, "value")
        name = use.program.text(written, scope) if written is not None else member.name
        if name is None:
            reason = Reason("constant-name-computed", type=symbol.decl.name, member=member.name)
            return Unknown(reason=reason, origin=symbol.origin)
        values.append(name)
    return Scalar(type="string", values=tuple(values), origin=symbol.origin)


def _of_method(
    use: TypeUse, symbol: ClassSymbol, method: Function, constants: list[Member], scope: Scope
) -> Schema:
    """Values that a `@JsonValue` method gives: a field, the name, or a text made of them."""
    shape = _declared_schema(use, method.returns, scope)
    values: list[LiteralValue] = []
    for member in constants:
        value = value_of(use.program, symbol, member, method)
        if value is None:
            return shape
        values.append(value.value)
    if not isinstance(shape, Scalar) or not values:
        return shape
    return Scalar(type=shape.type, values=tuple(values), origin=symbol.origin)


def _of_member(
    use: TypeUse, symbol: ClassSymbol, field: str, constants: list[Member], scope: Scope
) -> Schema:
    """Values of one field of every constant, from the arguments of their constructors."""
    declared = next((m for m in symbol.decl.members if m.name == field), None)
    shape = _declared_schema(use, declared.type if declared is not None else None, scope)
    values: list[LiteralValue] = []
    for member in constants:
        value = field_of(use.program, symbol, member, field)
        if value is None:
            return shape
        values.append(value.value)
    if not isinstance(shape, Scalar):
        return shape
    return Scalar(type=shape.type, values=tuple(values), origin=symbol.origin)


def _declared_schema(use: TypeUse, type: object, scope: Scope) -> Schema:
    from contract_scan.parsers.source.facts.nodes import NamedType

    if isinstance(type, NamedType):
        return with_nullable(use.schema(type, scope), False)
    return Scalar(type="string", origin=use.origin)
