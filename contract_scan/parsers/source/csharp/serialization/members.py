"""Which members of a C# type a serializer writes, and under which name."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal, TypeAlias, cast

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.ir.origin import NO_SPAN, Origin, Span
from contract_scan.parsers.source.analysis.domain.hooks import TypeUse
from contract_scan.parsers.source.analysis.domain.path_facts import Fact, Kind
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import ClassSymbol, Scope
from contract_scan.parsers.source.csharp.resolution.annotations import argument, find, text
from contract_scan.parsers.source.csharp.resolution.partial_classes import merged_annotations, parts
from contract_scan.parsers.source.csharp.resolution.source_text import lines_of
from contract_scan.parsers.source.csharp.serialization.json_attributes import (
    Library,
    honoured_attributes,
    serializer,
)
from contract_scan.parsers.source.csharp.serialization.model_validation import (
    accepts,
    validates_models,
)
from contract_scan.parsers.source.csharp.serialization.naming import NamingPolicy, wire_name
from contract_scan.parsers.source.csharp.serialization.nullability import (
    implies_required,
    is_generic_reference,
    is_value_type,
    may_be_null,
)
from contract_scan.parsers.source.csharp.serialization.settings.options import (
    naming_policy,
    unqualified_name,
)
from contract_scan.parsers.source.csharp.serialization.settings.record import READING, JsonSettings
from contract_scan.parsers.source.facts.nodes import (
    Annotation,
    ArrayLiteral,
    Attribute,
    Call,
    Expr,
    LiteralExpr,
    Member,
    Name,
    NamedType,
    New,
    NullableType,
    ObjectLiteral,
    Text,
    TypeExpr,
    TypeValue,
    UnsupportedSyntax,
)

Condition: TypeAlias = Literal["", "never", "always", "null", "default", "maybe"]
"""When a member is left out: never (empty or `never`), always, when null, when default, or when
code says so."""

_CONDITIONS: dict[str, Condition] = {
    "Always": "always",
    "Never": "never",
    "WhenWritingNull": "null",
    "WhenWritingDefault": "default",
    "WhenWriting": "always",
    "WhenReading": "never",
}


_STORED = re.compile(rb"\bget\s{0,9};")
"""The accessor of a property that gives what is stored in it."""
_IMPLEMENTING = frozenset({f"{READING}masstransit"})
"""Variants of libraries that make a class for an interface at run time, with a setter for every
property that they read."""


class WireMember(Struct, frozen=True, kw_only=True):
    """A member that is written, read or both."""

    name: str
    wire_name: str
    type: TypeExpr | None
    scope: Scope
    annotations: tuple[Annotation, ...]
    origin: Origin
    nullable: bool | None
    input_required: bool | None = False
    """Whether a reader refuses an object without it; None: undetermined."""
    takes_null: bool | None = True
    """Whether rules of the project take null for valid; None: undetermined."""
    read_only: bool = False
    write_only: bool = False
    conditional: bool = False
    """A `ShouldSerialize…` method decides (Newtonsoft.Json)."""
    is_initialised: bool = False
    """It begins as something, not as null."""


def wire_members(use: TypeUse, symbol: ClassSymbol, settings: JsonSettings) -> list[WireMember]:
    """The members of a type and of what it inherits from, own ones first."""
    program = use.program
    validated = validates_models(program, use.variant)
    found: dict[str, WireMember | None] = {}
    for owner, scope in use.chain(symbol):
        if owner.decl.kind == "interface" and symbol.decl.kind != "interface":
            continue
        marked = merged_annotations(program, owner)
        policy = _class_policy(marked, settings)
        constructed = _constructor_parameters(program, owner)
        conditional = _should_serialize(program, owner) if settings.newtonsoft else frozenset()
        by = serializer(program, use.variant, settings)
        # System.Text.Json knows neither mark; whoever sets them has another library in mind.
        opt_in = by != "system" and _is_opt_in(marked)
        marks = _name_attributes(by, settings)
        for part, declared in _own_members(program, owner):
            ours = honoured_attributes(program, declared.annotations, part.file, by)
            member = (
                declared if ours is declared.annotations else replace(declared, annotations=ours)
            )
            if member.name in found or not _visible(member, owner, settings, opt_in=opt_in):
                continue
            if ignore_attribute(program, member, settings) == "always":
                found[member.name] = None
                continue
            inside = (
                scope if part is owner else program.names.classes.class_scope(part, scope.types)
            )
            found[member.name] = _wire_member(
                program,
                member,
                inside,
                _name_of(program, member, policy, inside, marks),
                constructed=member.name.lower() in constructed,
                conditional=member.name in conditional,
                validated=validated,
                implied=validated and use.variant.startswith(READING),
                implemented=owner.decl.kind == "interface" and use.variant in _IMPLEMENTING,
            )
    return [member for member in found.values() if member is not None]


def _wire_member(
    program: Program,
    member: Member,
    scope: Scope,
    written: str,
    *,
    constructed: bool,
    conditional: bool,
    validated: bool,
    implied: bool,
    implemented: bool,
) -> WireMember:
    nullable = None if member.type is None else may_be_null(program, member.type, scope)
    if nullable is not False and find(member.annotations, "NotNull", "DisallowNull") is not None:
        nullable = False
    if nullable is not False and find(member.annotations, "Required") is not None:
        nullable = None if nullable else False  # validated, though declared with `?`
    if nullable is False and find(member.annotations, "MaybeNull", "AllowNull") is not None:
        nullable = True
    computed = member.kind == "getter"
    settable = any(word in ("set", "init") for word in member.modifiers) or member.kind in (
        "parameter",
        "field",
    )
    takes_null = not validated or accepts(program, member.annotations, scope, None)
    included = find(member.annotations, "JsonInclude", "JsonProperty") is not None
    readable = settable or constructed or included
    return WireMember(
        name=member.name,
        wire_name=written,
        type=member.type,
        scope=scope,
        annotations=member.annotations,
        origin=Origin(scope.file.path, _name_span(member), "", _symbol(scope, member)),
        nullable=nullable,
        input_required=_input_required(program, member, scope, nullable)
        or (implied and nullable is False and _is_implied(program, member, scope))
        or (validated and _refuses_absence(program, member, scope)),
        takes_null=takes_null,
        read_only=(computed or not readable) and not (implemented and member.value is None),
        write_only=member.kind == "setter",
        conditional=conditional,
        is_initialised=is_made(member.value),
    )


def _name_span(member: Member) -> Span:
    """Where the name stands, below the attributes."""
    return member.name_span if member.name_span != NO_SPAN else member.span


def _symbol(scope: Scope, member: Member) -> str:
    owner = scope.owner.qualified_name if scope.owner is not None else ""
    return f"{owner}.{member.name}" if owner else member.name


# --------------------------------------------------------------------------- parts and members


def json_annotations(
    program: Program, symbol: ClassSymbol, variant: str, settings: JsonSettings
) -> tuple[Annotation, ...]:
    """The attributes of all parts of a type that the serializer honours."""
    by = serializer(program, variant, settings)
    found = (
        honoured_attributes(program, p.decl.annotations, p.file, by) for p in parts(program, symbol)
    )
    return tuple(annotation for part in found for annotation in part)


def _own_members(program: Program, symbol: ClassSymbol) -> Iterator[tuple[ClassSymbol, Member]]:
    for part in parts(program, symbol):
        for member in part.decl.members:
            yield part if part is not symbol else symbol, member


def _visible(member: Member, owner: ClassSymbol, settings: JsonSettings, *, opt_in: bool) -> bool:
    words = member.modifiers
    if "static" in words or "explicit" in words or member.kind in ("constant", "enum"):
        return False
    forced = find(member.annotations, "JsonProperty", "JsonInclude", "DataMember") is not None
    if opt_in:
        return find(member.annotations, "JsonProperty", "DataMember") is not None
    if member.kind == "field":
        if forced:
            return True
        return "public" in words and settings.fields
    hidden = ("private" in words or "protected" in words or "internal" in words) and (
        "public" not in words
    )
    public = "public" in words or (owner.decl.kind == "interface" and not hidden)
    if not public:
        return forced
    # `public string Name { private get; set; }` is only read.
    return not any(word.endswith(" get") for word in words)


def _is_opt_in(marked: tuple[Annotation, ...]) -> bool:
    if find(marked, "DataContract") is not None:
        return True
    written = find(marked, "JsonObject")
    value = argument(written, 0, "MemberSerialization") if written is not None else None
    return isinstance(value, Attribute) and value.name == "OptIn"


def _constructor_parameters(program: Program, symbol: ClassSymbol) -> frozenset[str]:
    """Names (in lower case) of the parameters of the constructors: members they set are read."""
    return frozenset(
        parameter.name.lower()
        for part in parts(program, symbol)
        for method in part.decl.methods
        if "constructor" in method.modifiers
        for parameter in method.params
    )


def _should_serialize(program: Program, symbol: ClassSymbol) -> frozenset[str]:
    prefix = "ShouldSerialize"
    return frozenset(
        method.name.removeprefix(prefix)
        for part in parts(program, symbol)
        for method in part.decl.methods
        if method.name.startswith(prefix) and not method.params
    )


# --------------------------------------------------------------------------- names


def _class_policy(marked: tuple[Annotation, ...], settings: JsonSettings) -> NamingPolicy | None:
    """The policy that an attribute on the type sets."""
    written = find(marked, "JsonObject")
    value = argument(written, -1, "NamingStrategyType") if written is not None else None
    if settings.newtonsoft and isinstance(value, TypeValue) and isinstance(value.type, NamedType):
        return naming_policy(New(type=NamedType(name=unqualified_name(value.type.name))))
    return None


class _NameAttributes(Struct, frozen=True):
    """What gives members their names."""

    names: tuple[tuple[str, int, str], ...]
    naming: NamingPolicy


def _name_attributes(by: Library, settings: JsonSettings) -> _NameAttributes:
    """System.Text.Json knows no attribute of Newtonsoft.Json: those count only where nothing is
    known of what writes."""
    names = (_STJ,) if by == "system" else _NAMES[settings.newtonsoft]
    return _NameAttributes(names, settings.naming)


def _name_of(
    program: Program,
    member: Member,
    policy: NamingPolicy | None,
    scope: Scope,
    marks: _NameAttributes,
) -> str:
    for name, position, keyword in marks.names:
        marked = find(member.annotations, name)
        if marked is not None:
            written = text(program, marked, scope, position, keyword)
            if written:
                return written
    return wire_name(member.name, marks.naming if policy is None else policy)


_STJ = ("JsonPropertyName", 0, "name")
_NEWTONSOFT = (("JsonProperty", 0, "PropertyName"), ("DataMember", -1, "Name"))
_NAMES: dict[bool, tuple[tuple[str, int, str], ...]] = {
    # A project that is seen to use one library may still hold attributes of the other on types
    # that other code writes; names are then given by the one that is used.
    False: (_STJ, *_NEWTONSOFT[:1]),
    True: _NEWTONSOFT,
}


# --------------------------------------------------------------------------- left out, required


def ignore_attribute(program: Program, member: Member, settings: JsonSettings) -> Condition:
    """What `[JsonIgnore]` and its kin on a member say; empty: nothing."""
    marked = find(member.annotations, "JsonIgnore", "IgnoreDataMember")
    if marked is not None:
        if marked.name.endswith("IgnoreDataMember") and not settings.newtonsoft:
            return ""
        value = argument(marked, -1, "Condition")
        if value is None:
            return "always"
        return _CONDITIONS.get(value.name, "maybe") if isinstance(value, Attribute) else "maybe"
    property = find(member.annotations, "JsonProperty")
    if property is not None:
        value = argument(property, -1, "NullValueHandling")
        if isinstance(value, Attribute):
            return "null" if value.name == "Ignore" else "never"
        value = argument(property, -1, "DefaultValueHandling")
        if isinstance(value, Attribute) and value.name.startswith("Ignore"):
            return "default"
    contract = find(member.annotations, "DataMember")
    value = argument(contract, -1, "EmitDefaultValue") if contract is not None else None
    if settings.newtonsoft and isinstance(value, LiteralExpr) and value.value is False:
        return "default"
    return ""


def ignore_condition(program: Program, member: WireMember, settings: JsonSettings) -> Condition:
    """When a member that is written at all is left out."""
    holder = Member(name=member.name, annotations=member.annotations)
    own = ignore_attribute(program, holder, settings)
    if member.conditional:
        return "maybe"
    if own:
        return own
    return cast("Condition", settings.ignore)


def _input_required(program: Program, member: Member, scope: Scope, nullable: bool | None) -> bool:
    """Whether a reader refuses an object without the member."""
    if "required" in member.modifiers:
        return True
    if find(member.annotations, "JsonRequired") is not None:
        return True
    property = find(member.annotations, "JsonProperty")
    value = argument(property, -1, "Required") if property is not None else None
    if isinstance(value, Attribute):
        return value.name in ("Always", "AllowNull")
    if find(member.annotations, "Required") is None or member.type is None:
        return False
    # `[Required]` looks for null: a number that is absent is 0, and passes.
    return not (nullable is False and is_value_type(program, member.type, scope)) and not (
        _passes_as_given(member.value, find(member.annotations, "Required"))
    )


def _is_implied(program: Program, member: Member, scope: Scope) -> bool:
    """Whether a member counts as `[Required]`, as its type allows no null and it begins as none; or
    whether it begins as 0, which its `[Range]` refuses."""
    if member.type is None:
        return False
    if is_value_type(program, member.type, scope):
        return member.value is None and _refuses_zero(find(member.annotations, "Range"))
    if is_generic_reference(program, member.type, scope):
        return False  # when the program runs, nothing tells `T` of `string` from `string?`
    if member.kind == "property" and not is_stored(program, scope.file.path, member):
        return False  # what it begins as, another member says
    return not _passes_as_given(member.value, None) and implies_required(program)


def _refuses_zero(range: Annotation | None) -> bool:
    """Whether 0 is not between the bounds of `[Range(1, 5)]`; they may be texts."""
    given = () if range is None else [a.value for a in range.args if not a.name][-2:]
    bounds = [value.value for value in given if isinstance(value, LiteralExpr)]
    try:
        least, most = (float(bound) for bound in bounds if bound is not None)
    except ValueError:
        return False
    return least > 0 or most < 0


def is_stored(program: Program, path: str, member: Member) -> bool:
    """Whether a property of a file gives what is stored in it."""
    span, text = member.span, lines_of(program, path, member.span)
    if span.line == span.end_line:
        text = text.decode("utf-8", "replace")[span.column - 1 : span.end_column].encode()
    return _STORED.search(text) is not None


def _refuses_absence(program: Program, member: Member, scope: Scope) -> bool | None:
    """Whether attributes of the project refuse what a member is that is left out."""
    absent: Fact = Kind.PRESENT
    if isinstance(member.value, LiteralExpr):
        absent = member.value.value
    elif member.value is None and member.type is not None:
        is_value = not isinstance(member.type, NullableType) and is_value_type(
            program, member.type, scope
        )
        absent = Kind.PRESENT if is_value else None
    taken = accepts(program, member.annotations, scope, absent)
    return None if taken is None else not taken


def is_made(value: Expr | None) -> bool:
    """Whether an initial value, or what a property computes, is seen not to be null."""
    match value:
        case LiteralExpr(value=written):
            return written is not None
        case New() | ArrayLiteral() | ObjectLiteral() | Text():
            return True
        case Attribute(name="Empty") | Call(callee=Attribute(name="Empty")):
            return True
        case _:
            return False


def _passes_as_given(value: Expr | None, required: Annotation | None) -> bool:
    """Whether what a member begins with passes `[Required]`, or what is implied where it is None:
    not null, also behind `!`, and not an empty text unless the attribute allows one."""
    match value:
        case None | LiteralExpr(value=None) | UnsupportedSyntax(description="default value"):
            return False
        case Call(callee=Name(id="!"), args=(only,)):
            return _passes_as_given(only.value, required)
        case LiteralExpr(value="") | Attribute(value=Name(id="string" | "String"), name="Empty"):
            allowed = argument(required, -1, "AllowEmptyStrings") if required is not None else value
            allowed = None if required is None else argument(required, -1, "AllowEmptyStrings")
            return required is None or (isinstance(allowed, LiteralExpr) and allowed.value is True)
        case _:
            return True


__all__ = [
    "Condition",
    "WireMember",
    "ignore_condition",
    "is_made",
    "json_annotations",
    "merged_annotations",
    "wire_members",
]
