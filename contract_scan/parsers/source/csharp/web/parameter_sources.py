"""What kind of thing a parameter is: one text, a list of them, a service, or an object."""

from __future__ import annotations

import re

from contract_scan.parsers.source.analysis.domain.hooks import TypeUse
from contract_scan.parsers.source.analysis.domain.memo import memoised
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    BoundType,
    ClassSymbol,
    ClassValue,
    LibrarySymbol,
    Scope,
)
from contract_scan.parsers.source.csharp.resolution.library_names import library_name
from contract_scan.parsers.source.csharp.serialization.library_classes import LIBRARY_ENUMS
from contract_scan.parsers.source.csharp.serialization.library_types import (
    VALUE_TYPES,
    library_type,
)
from contract_scan.parsers.source.csharp.serialization.settings.options import unqualified_name
from contract_scan.parsers.source.facts.nodes import ArrayType, NamedType, NullableType, TypeExpr

_TEXTS = frozenset({"string", "String", "Uri", "Version", "StringValues"})
_REGISTRATION = re.compile(
    rb"\bAdd(?:Scoped|Singleton|Transient|DbContext\w*|HttpClient|Hosted\w*|KeyedScoped"
    rb"|KeyedSingleton|KeyedTransient|Options|GrpcClient|RefitClient)?"
    rb"\s*<((?:[^<>()]|<(?:[^<>()]|<[^<>()]*>)*>){1,200})>"
)
_ARGUMENTS = re.compile(r"<[^<>]*>")


_MAX_HOPS = 5


def declared_class(
    program: Program, type: TypeExpr, scope: Scope
) -> tuple[ClassSymbol, Scope] | None:
    """The project's class, record or struct that a type is, with the scope inside it."""
    for _ in range(_MAX_HOPS):
        if isinstance(type, NullableType):
            type = type.item
        if not isinstance(type, NamedType):
            return None
        match program.names.lookup_type(type.name, scope):
            case BoundType(type=inner, scope=inside):
                type, scope = inner, inside
            case ClassValue(symbol=symbol) if symbol.decl.kind != "enum":
                bound = program.names.classes.bind(symbol.decl.type_params, type, scope)
                return symbol, program.names.classes.class_scope(symbol, bound)
            case _:
                return None
    return None


def enum_names(program: Program, type: TypeExpr, scope: Scope) -> tuple[str, ...] | None:
    """The constants of the enum that a type is; None for other types."""
    if isinstance(type, NullableType):
        return enum_names(program, type.item, scope)
    found = program.names.declared_class(type, scope)
    if found is None and isinstance(type, NamedType):
        return LIBRARY_ENUMS.get(library_name(program, type.name, scope.file))
    if found is None or found.decl.kind != "enum":
        return None
    return tuple(member.name for member in found.decl.members)


_JSON_VALUES = frozenset({"JsonElement", "JsonDocument"})
"""Values that hold JSON of any shape: nothing makes one of a text alone."""


def is_simple(program: Program, type: TypeExpr, scope: Scope) -> bool:
    """Whether values of a type are read from one text (numbers, texts, dates, enums)."""
    if isinstance(type, NullableType):
        return is_simple(program, type.item, scope)
    if not isinstance(type, NamedType):
        return False
    if type.name.rsplit(".", 1)[-1] == "Nullable`1" and type.args:
        return is_simple(program, type.args[0], scope)
    found = program.names.lookup_type(type.name, scope)
    match found:
        case BoundType(type=inner, scope=inside):
            return inner != type and is_simple(program, inner, inside)
        case ClassValue(symbol=symbol):
            return symbol.decl.kind == "enum" or _parses_itself(symbol)
        case LibrarySymbol(name=name):
            simple = library_name(program, name, scope.file)
            return simple in _TEXTS or (simple in VALUE_TYPES and simple not in _JSON_VALUES)
        case _:
            return False


def _parses_itself(symbol: ClassSymbol) -> bool:
    return any(
        method.name in ("TryParse", "BindAsync") and "static" in method.modifiers
        for method in symbol.decl.methods
    )


def list_of_simple(program: Program, type: TypeExpr, scope: Scope) -> bool:
    """Whether values of a type are lists of what is read from one text each."""
    if isinstance(type, NullableType):
        return list_of_simple(program, type.item, scope)
    if isinstance(type, ArrayType):
        return is_simple(program, type.item, scope)
    if isinstance(type, NamedType) and len(type.args) == 1:
        simple = type.name.rsplit(".", 1)[-1]
        return simple in program.language.containers and is_simple(program, type.args[0], scope)
    return False


def is_service(program: Program, type: TypeExpr, scope: Scope) -> bool:
    """Whether a type is one that the container of services gives."""
    inner = type.item if isinstance(type, NullableType) else type
    if not isinstance(inner, NamedType):
        return False
    found = program.names.lookup_type(inner.name, scope)
    name = unqualified_name(inner.name)
    if isinstance(found, ClassValue):
        if found.symbol.decl.kind == "interface":
            return True
        if any(
            isinstance(base, NamedType) and unqualified_name(base.name).endswith("DbContext")
            for owner in (found.symbol, *program.bases(found.symbol))
            for base in owner.decl.bases
        ):
            return True
        return name in _registered_services(program) or _needs_services(program, found.symbol)
    if isinstance(found, LibrarySymbol):
        simple = found.name.rsplit(".", 1)[-1]
        known = simple in program.language.containers or simple in program.language.transparent
        if known or name in _registered_services(program):
            return not known
        use = TypeUse(program, inner, found.name, scope)
        return library_type(use) is None
    return False


def _needs_services(program: Program, symbol: ClassSymbol) -> bool:
    """Whether every constructor of a class takes something that no public property of it is called
    like: no serializer can make one (`class Reset(IOrders orders)`)."""
    if symbol.decl.kind != "class":
        return False
    named = {
        member.name.lower()
        for owner in (symbol, *program.bases(symbol))
        for member in owner.decl.members
        if "public" in member.modifiers and member.kind != "parameter"
    }
    constructors = [
        [parameter.name.lower() for parameter in method.params]
        for method in symbol.decl.methods
        if "constructor" in method.modifiers and "public" in method.modifiers
    ]
    primary = [member.name.lower() for member in symbol.decl.members if member.kind == "parameter"]
    each = [*constructors, *([primary] if primary else [])]
    return bool(each) and all(set(params) - named for params in each)


@memoised
def _registered_services(program: Program) -> frozenset[str]:
    """Names of the types that start-up code registers as services."""
    names: set[str] = set()
    for path in program.files_containing(b".Add"):
        for listed in program.files.find(path, _REGISTRATION):
            bare = listed.decode("utf-8", "replace")
            while (shorter := _ARGUMENTS.sub("", bare)) != bare:
                bare = shorter
            names.update(part.strip().rsplit(".", 1)[-1] for part in bare.split(","))
    return frozenset(names)
