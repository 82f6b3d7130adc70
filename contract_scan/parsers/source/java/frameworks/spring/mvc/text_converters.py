"""Converters of a project's own, which make parameters of the texts that requests hold.

Spring reads the constants of an enum by their names, unless a `Converter<String, Status>` of the
project does.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, cast

from msgspec import Struct

from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import Schema, Unknown, with_nullable
from contract_scan.parsers.source.analysis.domain.values import ClassSymbol, ClassValue, Scope
from contract_scan.parsers.source.analysis.evaluation.call_sites import calls_in
from contract_scan.parsers.source.facts.nodes import (
    Attribute,
    Call,
    Expr,
    Function,
    NamedType,
    New,
    TypeExpr,
)
from contract_scan.parsers.source.java.resolution.annotations import (
    class_argument,
    constant_name,
    has,
    type_name,
)
from contract_scan.parsers.source.java.resolution.build import module_of
from contract_scan.parsers.source.java.resolution.dependencies import related_files_containing
from contract_scan.parsers.source.java.serialization.jackson.settings import READING

if TYPE_CHECKING:
    from contract_scan.parsers.source.analysis.domain.program import Program

_ANY = "*"
"""Stands for all enums: what a `ConverterFactory` converts."""


def converter_schema(
    program: Program, type: TypeExpr | None, scope: Scope, variant: str
) -> Schema | None:
    """The texts that a parameter of an enum accepts where a converter reads it; None where
    none does. `Status.fromValue(text)`, which also reads JSON, accepts the same texts as JSON."""
    if not isinstance(type, NamedType):
        return None
    found = program.names.lookup_type(type.name, scope)
    if not isinstance(found, ClassValue) or found.symbol.decl.kind != "enum":
        return None
    known = _converters(program, scope.file.path)
    called = known.get(found.symbol.decl.name, known.get(_ANY))
    if called is None:
        return None
    if any(_is_creator(found.symbol, name) for name in called):
        read = program.schema(type, scope, f"{variant};{READING}" if variant else READING)
        return with_nullable(program.types.flat(read), False)
    reason = Reason("read-by-converter", type=found.symbol.decl.name)
    return Unknown(reason=reason, is_text=True)


def _is_creator(symbol: ClassSymbol, name: str) -> bool:
    return any(m.name == name and has(m.annotations, "JsonCreator") for m in symbol.decl.methods)


def _converters(program: Program, near: str) -> dict[str, frozenset[str]]:
    """Simple names of what the converters of the modules around a file make of texts, each with the
    names of the methods that they call."""
    memory = cast(
        "dict[str, dict[str, frozenset[str]]]",
        program.memory.setdefault("java.spring.converters", {}),
    )
    module = module_of(program, near)
    if module not in memory:
        memory[module] = dict(_converters_near(program, near))
    return memory[module]


def _converters_near(program: Program, near: str) -> Iterator[tuple[str, frozenset[str]]]:
    for path in related_files_containing(
        program, near, b"Converter<String,", b"ConverterFactory<String,"
    ):
        file = program.facts(path)
        for symbol in program.classes(file):
            yield from _of_class(program, symbol)
            for method in symbol.decl.methods:
                made = _converted_type(method.returns)
                if made and has(method.annotations, "Bean"):
                    yield made, _called_names(program, method, program.class_scope(symbol))
    for path in related_files_containing(program, near, b"addConverter(String.class"):
        file = program.facts(path)
        for symbol in program.classes(file):
            for method in symbol.decl.methods:
                scope = program.function_scope(method, program.class_scope(symbol))
                for call, place in calls_in(program, program.body(method, file), scope):
                    yield from _registered_converter(program, call, place)


def _registered_converter(
    program: Program, call: Call | New, scope: Scope
) -> Iterator[tuple[str, frozenset[str]]]:
    """`registry.addConverter(String.class, Status.class, Status::fromValue)`."""
    if not isinstance(call, Call) or constant_name(call.callee) != "addConverter":
        return
    values = [argument.value for argument in call.args]
    types = [type_name(class_argument(value)) for value in values]
    if len(types) > 2 and types[0] == "String":
        yield types[1], _referenced_names(program, values[2], scope)


def _of_class(program: Program, symbol: ClassSymbol) -> Iterator[tuple[str, frozenset[str]]]:
    if has(symbol.decl.annotations, "ReadingConverter"):
        return  # what Spring Data reads of a store
    for base in symbol.decl.bases:
        made = _converted_type(base)
        for method in symbol.decl.methods if made else ():
            if method.name in ("convert", "getConverter"):
                yield made, _called_names(program, method, program.class_scope(symbol))


def _converted_type(type: TypeExpr | None) -> str:
    """The target type of a converter of texts; empty where the type is no such converter."""
    if not isinstance(type, NamedType) or len(type.args) != 2:
        return ""
    if type_name(type.args[0]) != "String":
        return ""
    kind = type_name(type)
    if kind == "ConverterFactory":
        return _ANY
    return type_name(type.args[1]) if kind == "Converter" else ""


def _called_names(program: Program, method: Function, inside: Scope) -> frozenset[str]:
    scope = program.function_scope(method, inside)
    body = program.body(method, scope.file)
    return _names(program, body, scope)


def _referenced_names(program: Program, expr: Expr, scope: Scope) -> frozenset[str]:
    if isinstance(expr, Attribute):  # `Status::fromValue`
        return frozenset({expr.name})
    return _names(program, (expr,), scope)


def _names(program: Program, nodes: tuple[Struct, ...], scope: Scope) -> frozenset[str]:
    return frozenset(
        constant_name(call.callee)
        for call, _ in calls_in(program, nodes, scope)
        if isinstance(call, Call)
    )
