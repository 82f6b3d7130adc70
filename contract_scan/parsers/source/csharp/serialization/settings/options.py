"""What one option of a serializer says: `PropertyNamingPolicy = …`, `Converters.Add(…)`."""

from __future__ import annotations

import re
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import ScalarType
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    ClassSymbol,
    ClassValue,
    Found,
    LibrarySymbol,
    Scope,
)
from contract_scan.parsers.source.analysis.evaluation.call_sites import calls_in, type_values
from contract_scan.parsers.source.csharp.resolution.source_text import function_text, lines_of
from contract_scan.parsers.source.csharp.serialization.naming import POLICIES, NamingPolicy
from contract_scan.parsers.source.csharp.serialization.settings.contract_modifiers import (
    contract_changes,
)
from contract_scan.parsers.source.csharp.serialization.settings.library_converters import (
    LIBRARY_CONVERTERS,
)
from contract_scan.parsers.source.csharp.serialization.settings.record import (
    ConvertedType,
    JsonSettings,
)
from contract_scan.parsers.source.facts.nodes import (
    ArrayLiteral,
    Attribute,
    Call,
    Cast,
    Entry,
    Evaluate,
    Expr,
    LiteralExpr,
    Name,
    NamedType,
    New,
    ObjectLiteral,
    TypeExpr,
    TypeValue,
)
from contract_scan.parsers.source.facts.visitor import nodes_of

_IGNORE: dict[str, Literal["", "null", "default"]] = {
    "WhenWritingNull": "null",
    "WhenWritingDefault": "default",
    "Ignore": "null",
}
_ENUM_CONVERTERS = frozenset(
    {"JsonStringEnumConverter", "StringEnumConverter", "JsonStringEnumMemberConverter"}
)
_WRITES: dict[str, ScalarType] = {
    "WriteStringValue": "string",
    "WriteNumberValue": "numeric",
    "WriteBooleanValue": "boolean",
}
_SPELLINGS: dict[str, tuple[str, ...]] = {
    name: pair
    for pair in (
        *(("decimal", "Decimal"), ("double", "Double"), ("float", "Single"), ("bool", "Boolean")),
        *(("int", "Int32"), ("long", "Int64"), ("ulong", "UInt64"), ("uint", "UInt32")),
        *(("string", "String"), ("short", "Int16"), ("byte", "Byte"), ("char", "Char")),
    )
    for name in pair
}
"""Types that C# has two names for."""
_CONVERTER_BASES = frozenset({"JsonConverter`1", "JsonConverter", "JsonConverterFactory"})


def with_option(
    program: Program, name: str, value: Expr, scope: Scope, settings: JsonSettings
) -> JsonSettings:
    """The settings after `options.name = value`."""
    match name:
        case "PropertyNamingPolicy" | "ContractResolver" | "NamingStrategy":
            policy = naming_policy_of(program, value, scope)
            if policy is None:
                reason = Reason("serializer-naming-policy-undetermined")
                return replace(settings, unknown_naming=reason)
            return replace(settings, naming=policy, unknown_naming="")
        case "TypeInfoResolver":
            return settings.with_contract_changes(contract_changes(program, value, scope))
        case "DefaultIgnoreCondition" | "NullValueHandling":
            return replace(settings, ignore=_IGNORE.get(_last_name(value), ""))
        case "IgnoreNullValues":
            return replace(settings, ignore="null" if _is_true(value) else "")
        case "PropertyNameCaseInsensitive":
            return replace(settings, case_insensitive=_is_true(value))
        case "IncludeFields":
            return replace(settings, fields=_is_true(value))
        case "NumberHandling":
            return replace(settings, number_handling=number_handling(value))
        case "UnmappedMemberHandling" | "MissingMemberHandling":
            return replace(settings, refuses_unknown=_last_name(value) in REFUSING)
        case "DictionaryKeyPolicy":
            policy = naming_policy_of(program, value, scope)
            return settings if policy is None else replace(settings, key_naming=policy)
        case "UseStringEnumConverter":  # of serializers that are generated
            return replace(settings, enum_texts=_is_true(value))
        case "Converters":
            for item in _items(value):
                settings = with_converter(program, item, scope, settings)
            return settings
        case _:
            return settings


REFUSING = frozenset({"Disallow", "Error"})
"""What `UnmappedMemberHandling` and Newtonsoft's `MissingMemberHandling` are set to."""


def number_handling(value: Expr | None) -> frozenset[str]:
    """The flags of `JsonNumberHandling` that an expression names."""
    named = (node.name for node in nodes_of(value) if isinstance(node, Attribute))
    return frozenset(named) - {"JsonNumberHandling"}


def with_entries(
    program: Program, entries: tuple[Entry, ...], scope: Scope, settings: JsonSettings
) -> JsonSettings:
    """The settings after an object initialiser."""
    for entry in entries:
        if entry.key is not None:
            settings = with_option(program, entry.key, entry.value, scope, settings)
    return settings


def naming_policy_of(program: Program, value: Expr, scope: Scope) -> NamingPolicy | None:
    """The policy that an expression names, a class of the project too; None where it cannot be
    told."""
    from contract_scan.parsers.source.csharp.serialization.naming_classes import (
        policy_of,
        renames_members,
    )

    inner = next(
        (e.value for e in getattr(value, "entries", ()) if e.key == "NamingStrategy"), None
    )
    if inner is not None and renames_members(program, value, scope):
        return None
    own = policy_of(program, value if inner is None else inner, scope)
    return naming_policy(value) if own is None else own


def naming_policy(value: Expr) -> NamingPolicy | None:
    """The policy that an expression names; None where it is undetermined."""
    match value:
        case LiteralExpr(value=None):
            return ""
        case Attribute(name="Instance" | "Default", value=holder):
            return POLICIES.get(_last_name(holder))
        case Attribute(name=name):
            return POLICIES.get(name)
        case New(type=NamedType(name=name), entries=entries):
            for entry in entries:
                if entry.key == "NamingStrategy":
                    return naming_policy(entry.value)
            return POLICIES.get(name.rsplit(".", 1)[-1])
        case _:
            return None


def with_converter(
    program: Program, value: Expr, scope: Scope, settings: JsonSettings
) -> JsonSettings:
    """The settings after a converter has been added."""
    written = value.type if isinstance(value, New) else None
    if not isinstance(written, NamedType):
        reason = Reason("added-converter-undetermined")
        return replace(settings, unknown_enums=reason)
    name = unqualified_name(written.name)
    if name in _ENUM_CONVERTERS:
        assert isinstance(value, New)
        if written.args:
            return _with_enum_type(program, value, written.args[0], scope, settings)
        return _with_enum_texts(program, value, scope, settings)
    handled = handled_type(program, written, scope)
    if handled is None:
        found = program.names.lookup_type(written.name, scope)
        if "DateTime" in name and not name.startswith("IsoDateTime"):
            return _with_dates(program, name, found, settings)
        if not isinstance(found, ClassValue):
            return settings  # a library's converter for types of its own
        of_enums = own_text_converter(program, found.symbol)
        if of_enums is not None and not of_enums.is_for_one:
            return _with_policy(settings, of_enums.naming)
        if named := _named_by(program, found.symbol) or _types_of_parts(program, found.symbol):
            only = not _has_getter_of_false(program, found.symbol, "CanRead")
            theirs = tuple(
                ConvertedType(type=key, converter=name, key=found.symbol.key, is_read=only)
                for key in named
            )
            return replace(settings, converted_types=(*settings.converted_types, *theirs))
        if _speaks_of_enums(program, found.symbol):
            return replace(settings, unknown_enums=Reason("converter-may-write-enums", name=name))
        return settings
    found = program.names.lookup_type(written.name, scope)
    own = found.symbol if isinstance(found, ClassValue) else None
    scalar = written_scalar(program, own) if own is not None else None
    key = own.key if own is not None else ""
    one = ConvertedType(type=handled, converter=name, scalar=scalar, key=key)
    return replace(settings, converted_types=(*settings.converted_types, one))


def _with_dates(program: Program, name: str, found: Found, settings: JsonSettings) -> JsonSettings:
    """The settings after a converter of times has been added that does not write them as usual."""
    own = found.symbol if isinstance(found, ClassValue) else None
    scalar = written_scalar(program, own) if own is not None else LIBRARY_CONVERTERS.get(name)
    key = own.key if own is not None else ""
    times = (
        ConvertedType(type=type, converter=name, scalar=scalar, key=key)
        for type in ("DateTime", "DateTimeOffset")
    )
    return replace(settings, converted_types=(*settings.converted_types, *times))


def written_scalar(program: Program, symbol: ClassSymbol) -> ScalarType | None:
    """What the `Write` method of a converter writes, where that is always one text or number."""
    method = next((m for m in symbol.decl.methods if m.name.startswith("Write")), None)
    if method is None:
        return None
    kinds: set[ScalarType | None] = set()
    scope = program.function_scope(method, program.class_scope(symbol))
    for call, _ in calls_in(program, scope.statements or (), scope):
        if isinstance(call, Call) and isinstance(call.callee, Attribute):
            name = call.callee.name
            if name.startswith("Write") and name != "WriteNullValue":
                kinds.add(_WRITES.get(name))
    return kinds.pop() if len(kinds) == 1 else None


def _with_enum_type(
    program: Program, value: New, type: TypeExpr, scope: Scope, settings: JsonSettings
) -> JsonSettings:
    """`new JsonStringEnumConverter<E>(policy)`: for one enum alone."""
    key = type_key(program, type, scope)
    alone = _with_enum_texts(program, value, scope, JsonSettings())
    if key is None or alone.unknown_enums:
        return replace(
            settings, unknown_enums=alone.unknown_enums or Reason("enum-type-undetermined")
        )
    return replace(settings, enum_types=(*settings.enum_types, (key, alone.enum_naming)))


def _with_enum_texts(
    program: Program, value: New, scope: Scope, settings: JsonSettings
) -> JsonSettings:
    policy: NamingPolicy | None = ""
    for argument in value.args:
        if isinstance(argument.value, LiteralExpr):
            continue
        policy = naming_policy_of(program, argument.value, scope)
        break
    for entry in value.entries:
        if entry.key == "NamingStrategy":
            policy = naming_policy_of(program, entry.value, scope)
        elif entry.key == "CamelCaseText":
            policy = "camel"
    return _with_policy(settings, policy)


def _with_policy(settings: JsonSettings, policy: NamingPolicy | None) -> JsonSettings:
    """The settings after a converter has been added that writes enums as text."""
    if policy is None:
        return replace(settings, enum_texts=True, unknown_enums=Reason("enum-naming-undetermined"))
    return replace(settings, enum_texts=True, enum_naming=policy)


class TextConverter(Struct, frozen=True):
    """A converter of enums to text that the project derives from one of a library."""

    library: str
    """Name of the class of the library."""
    naming: NamingPolicy | None
    """None: undetermined."""
    is_for_one: bool = False
    """Whether it is for one enum alone."""


def own_text_converter(program: Program, symbol: ClassSymbol) -> TextConverter | None:
    """What a class writes enums as that does nothing but hand a naming policy to the converter of a
    library: `class Camel() : JsonStringEnumConverter(JsonNamingPolicy.CamelCase)`."""
    bases = [base for base in symbol.decl.bases if isinstance(base, NamedType)]
    base = next((b for b in bases if unqualified_name(b.name) in _ENUM_CONVERTERS), None)
    constructors = [m for m in symbol.decl.methods if "constructor" in m.modifiers]
    if base is None or len(constructors) > 1 or len(constructors) < len(symbol.decl.methods):
        return None
    made = TextConverter(unqualified_name(base.name), "", is_for_one=bool(base.args))
    given = symbol.decl.base_args
    for constructor in constructors:
        for statement in program.body(constructor, symbol.file):
            match statement:
                case Evaluate(value=Call(callee=Name(id="super"), args=args)):
                    given = args
                case _:
                    return None
    scope = program.class_scope(symbol)
    for argument in given:
        match argument.value:
            case LiteralExpr():
                pass
            case TypeValue(type=NamedType(name=name)):
                return replace(made, naming=POLICIES.get(unqualified_name(name)))
            case value:
                return replace(made, naming=naming_policy_of(program, value, scope))
    return made


_MAX_ARGUMENTS = 5
"""Type arguments of type arguments that are looked at."""


def handled_type(program: Program, converter: NamedType, scope: Scope) -> str | None:
    """Key (or library name) of the type that a project's converter writes; None: not just one."""
    found = program.names.declared_class(converter, scope)
    if found is None:
        return None
    bound = program.names.classes.bind(found.decl.type_params, converter, scope)
    inside = program.names.classes.class_scope(found, bound)
    for owner, place in program.types.chain(found, inside):
        for base in owner.decl.bases:
            if isinstance(base, NamedType) and base.name.rsplit(".", 1)[-1] == "JsonConverter`1":
                return type_key(program, base.args[0], place) if base.args else None
    return None


def type_key(program: Program, type: TypeExpr, scope: Scope, depth: int = 0) -> str | None:
    """The key of a project type; the name of a library type with what its arguments are:
    `Dictionary`2<string,object>`. None for anything else."""
    from contract_scan.parsers.source.analysis.domain.values import BoundType
    from contract_scan.parsers.source.facts.nodes import NullableType

    for _ in range(5):
        if isinstance(type, NullableType):
            type = type.item
            continue
        if not isinstance(type, NamedType):
            return None
        found = program.names.lookup_type(type.name, scope)
        if isinstance(found, BoundType):
            type, scope = found.type, found.scope
            continue
        if isinstance(found, ClassValue):
            return found.symbol.key
        if not isinstance(found, LibrarySymbol) or depth > _MAX_ARGUMENTS:
            return None
        name = found.name.rsplit(".", 1)[-1]
        keys = [type_key(program, argument, scope, depth + 1) or "?" for argument in type.args]
        return f"{name}<{','.join(keys)}>" if keys else name
    return None


def is_converter(program: Program, symbol: ClassSymbol) -> bool:
    """Whether a project class is a converter of either library."""
    owners = [symbol, *program.bases(symbol)]
    return any(
        isinstance(base, NamedType) and base.name.rsplit(".", 1)[-1] in _CONVERTER_BASES
        for owner in owners
        for base in owner.decl.bases
    )


def _named_by(program: Program, converter: ClassSymbol) -> list[str]:
    """Keys of the project's types that a converter for several types, or one that makes such
    converters, says are its own: those that `CanConvert` names, and what derives from them."""
    found: list[str] = []
    for method in converter.decl.methods:
        if method.name != "CanConvert":
            continue
        scope = program.function_scope(method, program.class_scope(converter))
        excludes = b"!" in function_text(program, converter.file.path, method)
        for value in type_values(scope.statements or ()):
            named = value.type
            theirs = isinstance(named, NamedType) and program.names.lookup_type(named.name, scope)
            if isinstance(theirs, ClassValue):
                derived = program.names.classes.implementations(theirs.symbol)
                found.extend(symbol.key for symbol in (theirs.symbol, *derived))
            elif isinstance(theirs, LibrarySymbol) and not excludes:
                key = type_key(program, named, scope)
                found.extend(_SPELLINGS.get(key, (key,)) if key else ())
    return found


def _types_of_parts(program: Program, converter: ClassSymbol) -> list[str]:
    """Keys of the types of the converters that a converter makes, and hands on to."""
    found: list[str] = []
    for method in converter.decl.methods:
        scope = program.function_scope(method, program.class_scope(converter))
        for made in nodes_of(scope.statements or ()):
            written = made.type if isinstance(made, New) else None
            if not isinstance(written, NamedType):
                continue
            part = program.names.declared_class(written, scope)
            if part is not None and is_converter(program, part):
                handled = handled_type(program, written, scope)
                found.extend([handled] if handled else _named_by(program, part))
    return found


def _has_getter_of_false(program: Program, symbol: ClassSymbol, name: str) -> bool:
    """Whether a class says `override bool CanRead => false`."""
    for member in symbol.decl.members:
        if member.name != name:
            continue
        match member.value:
            case LiteralExpr(value=False):
                return True
            case _:
                text = lines_of(program, symbol.file.path, member.span)
                return re.search(rb"\breturn\s+false\s*;", text) is not None
    return False


def _speaks_of_enums(program: Program, symbol: ClassSymbol) -> bool:
    return symbol.file.path in program.files_containing(b"IsEnum", b"Enum.")


def unqualified_name(name: str) -> str:
    """A type's own name, without namespace and number of type parameters."""
    return name.rsplit(".", 1)[-1].partition("`")[0]


def _last_name(expr: Expr) -> str:
    match expr:
        case Attribute(name=name):
            return name
        case Cast(value=value):
            return _last_name(value)
        case _:
            return getattr(expr, "id", "")


def _is_true(expr: Expr) -> bool:
    return isinstance(expr, LiteralExpr) and expr.value is True


def _items(value: Expr) -> tuple[Expr, ...]:
    match value:
        case ArrayLiteral(items=items):
            return items
        case New(entries=entries) | ObjectLiteral(entries=entries):
            return tuple(entry.value for entry in entries)
        case Call():
            return ()
        case _:
            return ()
