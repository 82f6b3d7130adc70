"""How instances of a project's C# types look on the wire."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from msgspec.structs import replace

from contract_scan.ir.origin import Origin
from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.ir.schema import (
    Array,
    Field,
    Nothing,
    Object,
    Scalar,
    Schema,
    Unknown,
    with_nullable,
)
from contract_scan.parsers.source.analysis.domain.hooks import TypeUse
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    ByType,
    ClassSymbol,
    LibrarySymbol,
    Scope,
)
from contract_scan.parsers.source.analysis.evaluation.constant_members import constant_values
from contract_scan.parsers.source.csharp.resolution.annotations import argument, find, find_all
from contract_scan.parsers.source.csharp.serialization.converters.writers import (
    converted_schema,
    reads_itself,
    value_of,
)
from contract_scan.parsers.source.csharp.serialization.enums import (
    converted_enum,
    converter_name,
    enum_as_read,
    enum_schema,
)
from contract_scan.parsers.source.csharp.serialization.item_converters import (
    class_item_converter,
    item_converter,
    item_type,
)
from contract_scan.parsers.source.csharp.serialization.json_attributes import serializer
from contract_scan.parsers.source.csharp.serialization.library_classes import library_class
from contract_scan.parsers.source.csharp.serialization.library_types import (
    CONTAINERS,
    with_number_handling,
)
from contract_scan.parsers.source.csharp.serialization.members import (
    WireMember,
    ignore_condition,
    json_annotations,
    wire_members,
)
from contract_scan.parsers.source.csharp.serialization.model_validation import members_of_rules
from contract_scan.parsers.source.csharp.serialization.navigations import as_loaded, member_use
from contract_scan.parsers.source.csharp.serialization.nullability import (
    is_generic_reference,
    is_value_type,
    validates,
)
from contract_scan.parsers.source.csharp.serialization.polymorphism import (
    inheritance_converter,
    inheritance_schema,
    polymorphic,
)
from contract_scan.parsers.source.csharp.serialization.settings.application import settings_for
from contract_scan.parsers.source.csharp.serialization.settings.library_converters import (
    LIBRARY_CONVERTERS,
)
from contract_scan.parsers.source.csharp.serialization.settings.options import (
    REFUSING,
    is_converter,
    number_handling,
    type_key,
    unqualified_name,
    written_scalar,
)
from contract_scan.parsers.source.csharp.serialization.settings.record import (
    READING,
    ConvertedType,
    JsonSettings,
)
from contract_scan.parsers.source.csharp.serialization.unset_members import is_always_given
from contract_scan.parsers.source.facts.nodes import (
    Annotation,
    Attribute,
    NamedType,
    NullableType,
    TupleType,
    TypeExpr,
    TypeValue,
)

_LISTED = ("JsonArray", "JsonDictionary")
_UNSTATED = frozenset({"", "camel"})
"""Policies that libraries follow where nothing states one."""
_HARMLESS_BASES = frozenset(
    {
        "object",
        "Object",
        "ValueType",
        "Attribute",
        "MarshalByRefObject",
        "MemberwiseEquatable",
        "ObservableObject",
    }
)


def class_schema(use: TypeUse, symbol: ClassSymbol) -> Schema:
    """The shape of a class, interface, record, struct or enum of the project."""
    program = use.program
    settings = settings_for(program, use.variant, symbol.file.path)
    by = settings.converter_of(symbol.key)
    if by is not None and (by.is_read or not use.variant.startswith(READING)):
        shape = converted_schema(program, by, value_of(program, symbol), use.variant)
        return replace(shape, origin=symbol.origin)
    marked = json_annotations(program, symbol, use.variant, settings)
    converter = find(marked, "JsonConverter")
    is_enum = symbol.decl.kind == "enum"
    is_read = use.variant.startswith(READING)
    if is_enum and converter is not None:
        texts = converted_enum(program, symbol, converter, settings)
        if texts is not None:
            return enum_as_read(program, symbol, texts, settings) if is_read else texts
    if is_enum and converter is None:
        # An enum on its own, as a shared model, is written as its uses are.
        by_uses = None if use.variant else converted_by_uses(program, symbol, settings)
        written = by_uses or enum_schema(program, symbol, settings)
        return enum_as_read(program, symbol, written, settings) if is_read else written
    by_kind = inheritance_converter(use, symbol)
    if (
        by_kind is None
        and converter is not None
        and not _is_read_as_declared(use, symbol, converter)
    ):
        inside = program.class_scope(symbol)
        value = value_of(program, symbol)
        return converter_schema(program, converter, inside, symbol.origin, value, use.variant)
    if is_converter(program, symbol):
        return Unknown(reason=Reason("converter-not-serialisable"), origin=symbol.origin)
    collection = _collection(use, symbol, settings)
    if collection is not None:
        return collection
    if settings.unknown_naming and not _is_named_throughout(use, symbol, settings):
        return Unknown(reason=settings.unknown_naming, origin=symbol.origin)
    own = _object(use, symbol, settings)
    if by_kind is not None:
        return inheritance_schema(
            use, symbol, by_kind, own, partial(_object, use, settings=settings)
        )
    if settings.newtonsoft:
        return own
    if find_all(marked, "JsonDerivedType"):
        return polymorphic(use, symbol, marked, own, partial(_object, use, settings=settings))
    if find(marked, "JsonPolymorphic") is not None:
        reason = Reason("derived-types-declared-elsewhere", own=own.name)
        return Unknown(reason=reason, origin=symbol.origin)
    return own


def _collection(use: TypeUse, symbol: ClassSymbol, settings: JsonSettings) -> Schema | None:
    """A class that is a list or map of the library is written as one."""
    if symbol.decl.kind == "interface":
        return None
    for owner, scope in use.chain(symbol):
        for base in owner.decl.bases:
            if not isinstance(base, NamedType):
                continue
            simple = base.name.rsplit(".", 1)[-1]
            listed = simple in CONTAINERS or simple.endswith(("Dictionary`2", "SortedList`2"))
            if not listed:
                continue
            found = use.program.names.lookup_type(base.name, scope)
            if not isinstance(found, LibrarySymbol):
                continue
            marked = find(json_annotations(use.program, owner, use.variant, settings), *_LISTED)
            of_items = item_converter(marked)
            if of_items is not None and serializer(use.program, use.variant, settings) != "system":
                return _with_items(use, of_items, base, scope, symbol.origin, settings)
            return replace(use.schema(base, scope), origin=symbol.origin)
    return None


def _is_named_throughout(use: TypeUse, symbol: ClassSymbol, settings: JsonSettings) -> bool:
    """Whether attributes name all members, so that it does not matter which policy applies."""
    if not settings.differing_policies:
        return False
    lower, upper = (
        [m.wire_name for m in wire_members(use, symbol, replace(settings, naming=naming))]
        for naming in ("lower", "upper")
    )
    return lower == upper


def _object(use: TypeUse, symbol: ClassSymbol, settings: JsonSettings) -> Object:
    fields: list[Field] = []
    additional: Schema | None = None
    ruled = members_of_rules(use, symbol)
    marked = json_annotations(use.program, symbol, use.variant, settings)
    numbers = find(marked, "JsonNumberHandling")
    for member in wire_members(use, symbol, settings):
        if not member.input_required and (ruled is None or member.name in ruled):
            takes_null = None if member.takes_null else member.takes_null
            member = replace(member, input_required=None, takes_null=takes_null)
        if find(member.annotations, "JsonExtensionData") is not None:
            additional = Unknown(reason=Reason("extension-data"), origin=member.origin)
            continue
        fields.append(_field(use, symbol, member, settings, numbers))
    if additional is None and use.variant.startswith(READING):
        handling = find(marked, "JsonUnmappedMemberHandling")
        how = argument(handling, 0, "unmappedMemberHandling") if handling is not None else None
        is_refused = settings.refuses_unknown
        if isinstance(how, Attribute):
            is_refused = how.name in REFUSING
        additional = Nothing() if is_refused else None
    known = {field.declared_as or field.name for field in fields}
    fields.extend(
        replace(inherited, origin=symbol.origin)
        for inherited in _library_base_members(use, symbol, settings)
        if inherited.declared_as not in known and inherited.name not in known
    )
    return Object(
        fields=tuple(fields),
        additional=additional,
        incomplete_reason=unseen_base(use, symbol),
        name=unqualified_name(symbol.decl.name),
        case_insensitive=use.variant.startswith(READING)
        and (settings.newtonsoft or settings.case_insensitive),
        raw_names=settings.naming in _UNSTATED
        and all(f.name == settings.wire_name(f.declared_as or f.name) for f in fields),
        origin=symbol.origin,
    )


def _library_base_members(
    use: TypeUse, symbol: ClassSymbol, settings: JsonSettings
) -> Iterator[Field]:
    """The members of a known library class that a class inherits from."""
    for owner, scope in use.chain(symbol):
        for base in owner.decl.bases:
            if isinstance(base, NamedType):
                found = _library_members(use, base, scope, settings)
                yield from found or ()


def _library_members(
    use: TypeUse, base: NamedType, scope: Scope, settings: JsonSettings
) -> tuple[Field, ...] | None:
    name = base.name.rsplit(".", 1)[-1]
    if not isinstance(use.program.names.lookup_type(base.name, scope), LibrarySymbol):
        return None

    def argument(position: int) -> Schema:
        if position < len(base.args):
            return use.schema(base.args[position], scope)
        return Unknown(reason=Reason("used-without-type", type=base.name))

    return library_class(name, argument, settings, use.variant)


def unseen_base(use: TypeUse, symbol: ClassSymbol) -> Reason:
    """Why a library class that is inherited from may bring further members."""
    for owner, scope in use.chain(symbol):
        if owner.decl.kind not in ("class", "record"):
            continue
        for base in owner.decl.bases:
            if not isinstance(base, NamedType) or unqualified_name(base.name) in _HARMLESS_BASES:
                continue
            name = unqualified_name(base.name)
            if name[:1] == "I" and name[1:2].isupper():
                continue  # an interface adds nothing
            if _library_members(use, base, scope, JsonSettings()) is not None:
                continue
            if isinstance(use.program.names.lookup_type(base.name, scope), LibrarySymbol):
                return Reason("inherits-from-library", name=name)
    return NO_REASON


# --------------------------------------------------------------------------- one member


def _field(
    use: TypeUse,
    symbol: ClassSymbol,
    member: WireMember,
    settings: JsonSettings,
    numbers: Annotation | None,
) -> Field:
    """A member on the wire; `numbers` is the `[JsonNumberHandling]` of the class."""
    declared = member.type
    schema = as_loaded(use, member, _schema(member_use(use, member), member, settings))
    marked = find(member.annotations, "JsonNumberHandling") or numbers
    if marked is not None and find(member.annotations, "JsonConverter") is None:
        flags = number_handling(argument(marked, 0, "handling"))
        schema = with_number_handling(schema, flags, use.variant)
    if use.variant.startswith(READING):
        return _read_field(use, member, schema)
    if isinstance(schema, Scalar) and schema.values is None:
        values = constant_values(use.program, symbol, member.name)
        if values is not None:
            is_text = schema.type == "string"
            schema = replace(schema, values=tuple(map(str, values)) if is_text else values)
    # Where nothing says whether it may be null, one that begins as something is taken to stay so.
    nullable = False if member.nullable is None and member.is_initialised else member.nullable
    is_unused = nullable is True and is_always_given(use.program, symbol, member.name)
    nullable = None if is_unused else nullable
    required: bool | None = True
    takes_null = False
    condition = ignore_condition(use.program, member, settings)
    if condition == "null" or (condition == "default" and nullable is not False):
        # Null is left out, so what is sent is never null.
        required = {True: False, False: True, None: None}[nullable]
        takes_null = nullable is not False
        nullable = False
    elif condition == "default":  # a reference that is never null is never its default
        required = declared is not None and not is_value_type(use.program, declared, member.scope)
    elif condition == "maybe":
        required = False
    if declared is not None and not isinstance(schema, Unknown):
        schema = with_nullable(schema, nullable)
        if is_unused:
            reason = Reason("null-never-given", name=member.name)
            schema = replace(schema, null_reason=reason)
        elif nullable is None and _is_merely_validated(use, symbol, member):
            schema = replace(schema, null_reason=Reason("null-in-object", name=member.name))
    changes = [c for c in settings.contract_changes if c.is_about(member.wire_name)]
    doubt = Reason("changed-by-contract-modifier") if changes else NO_REASON
    if any(change.rewrites for change in changes):
        schema = Unknown(reason=doubt, origin=member.origin)
    is_left_out = any(change.omits for change in changes)
    return Field(
        name=member.wire_name,
        schema=schema,
        required=None if is_left_out else required,
        undetermined_reason=doubt if is_left_out else NO_REASON,
        has_default=member.input_required is False,
        takes_null=takes_null,
        read_only=member.read_only,
        write_only=member.write_only,
        omitted_if_null=required is None or takes_null,
        declared_as=member.name if member.name != member.wire_name else "",
        origin=member.origin,
    )


def _is_merely_validated(use: TypeUse, symbol: ClassSymbol, member: WireMember) -> bool:
    """Whether `[Required]` alone speaks against null: it is asked of what is read, and of columns,
    not of what is sent."""
    return (
        bool(use.variant)
        and member.nullable is None
        and isinstance(member.type, NullableType)
        and find(member.annotations, "Required") is not None
        and not use.program.any_file_contains(f"DbSet<{symbol.decl.name}>".encode())
    )


def _read_field(use: TypeUse, member: WireMember, schema: Schema) -> Field:
    """A member as clients may send it. A reference of which nothing says whether it may be null is
    read as null, and so is one of a type parameter: when the program runs, nothing tells `T` of
    `string` from `T` of `string?`."""
    if member.type is not None and not isinstance(schema, Unknown):
        generic = is_generic_reference(use.program, member.type, member.scope)
        nullable: bool | None = member.nullable is not False or generic
        if not nullable and not is_value_type(use.program, member.type, member.scope):
            nullable = False if _refuses_null(use.program, use.variant) else None
        if nullable is not False and member.takes_null is not True:
            nullable = member.takes_null
        schema = with_nullable(schema, nullable)
    return Field(
        name=member.wire_name,
        schema=schema,
        required=member.input_required,
        has_default=member.input_required is False,
        read_only=member.read_only,
        write_only=member.write_only,
        declared_as=member.name if member.name != member.wire_name else "",
        origin=member.origin,
    )


def _refuses_null(program: Program, variant: str) -> bool:
    """Whether null is refused where a type does not allow it. The serializer itself reads it; model
    validation of controllers looks for it unless it is switched off."""
    switch = variant.removeprefix(READING)
    if switch.startswith("mvc"):
        return validates(program)
    return not switch.startswith("http") or program.any_file_contains(b"RespectNullableAnnotations")


def _schema(use: TypeUse, member: WireMember, settings: JsonSettings) -> Schema:
    if member.type is None:
        return Unknown(reason=Reason("no-type", member=member.name), origin=member.origin)
    converter = find(member.annotations, "JsonConverter")
    by_newtonsoft = serializer(use.program, use.variant, settings) != "system"
    if converter is None and by_newtonsoft:
        converter = class_item_converter(use.program, member.scope)
    if converter is not None:
        return _converter_schema(use, converter, member.type, member.scope, member.origin, settings)
    of_items = item_converter(find(member.annotations, "JsonProperty")) if by_newtonsoft else None
    if of_items is not None:
        return _with_items(use, of_items, member.type, member.scope, member.origin, settings)
    if isinstance(member.type, TupleType):
        reason = Reason("tuple-serialization")
        return Unknown(reason=reason, origin=member.origin)
    inner = member.type.item if isinstance(member.type, NullableType) else member.type
    key = type_key(use.program, inner, member.scope) or ""
    by = settings.converter_of(key) if "#" not in key else None  # of the project: `class_schema`
    reading = use.variant.startswith(READING)
    if by is None or (reading and not by.is_read):
        return replace(use.schema(member.type, member.scope), origin=member.origin)
    if reading and by.reads is not None:
        return replace(by.accepted_schema, origin=member.origin)
    shape = converted_schema(use.program, by, ByType(inner, member.scope), use.variant)
    return replace(shape, origin=member.origin)


def _converter_schema(
    use: TypeUse,
    converter: Annotation,
    type: TypeExpr,
    scope: Scope,
    origin: Origin,
    settings: JsonSettings,
) -> Schema:
    """The schema of what a `[JsonConverter]` writes for values of a type: known for enums as
    text only."""
    inner = type.item if isinstance(type, NullableType) else type
    if isinstance(inner, NamedType):
        found = use.program.names.declared_class(inner, scope)
        if found is not None and found.decl.kind == "enum":
            texts = converted_enum(use.program, found, converter, settings)
            if texts is not None:
                is_read = use.variant.startswith(READING)
                return enum_as_read(use.program, found, texts, settings) if is_read else texts
    value = ByType(inner, scope)
    return converter_schema(use.program, converter, scope, origin, value, use.variant)


def _with_items(
    use: TypeUse,
    converter: Annotation,
    type: TypeExpr,
    scope: Scope,
    origin: Origin,
    settings: JsonSettings,
) -> Schema:
    """The shape of a list or map whose items, or values, a converter writes."""
    whole = use.schema(type, scope)
    written = item_type(use.program, type, scope)
    shape = use.program.types.flat(whole)
    if written is None or not isinstance(shape, Array | Object):
        name = converter_name(converter) or "a converter"
        return Unknown(reason=Reason("written-items-undetermined", name=name), origin=origin)
    items = _converter_schema(use, converter, written.type, written.scope, origin, settings)
    before = shape.items if isinstance(shape, Array) else shape.additional
    if before is not None and before.nullable and not isinstance(items, Unknown):
        items = with_nullable(items, True)
    if isinstance(shape, Array):
        return replace(shape, items=items, origin=origin)
    return replace(shape, additional=items, origin=origin)


def converter_schema(
    program: Program,
    annotation: Annotation,
    scope: Scope,
    origin: Origin,
    value: ByType | None,
    variant: str,
) -> Schema:
    """What the converter in a `[JsonConverter]` is seen to write."""
    name = converter_name(annotation) or "a converter"
    one = ConvertedType(type="", converter=name)
    symbol = _converter_class(program, annotation, scope)
    if symbol is None:
        one = replace(one, scalar=LIBRARY_CONVERTERS.get(name))
    else:
        one = replace(one, scalar=written_scalar(program, symbol), key=symbol.key)
    return replace(converted_schema(program, one, value, variant), origin=origin)


def _converter_class(program: Program, annotation: Annotation, scope: Scope) -> ClassSymbol | None:
    """The project's class that a `[JsonConverter]` names."""
    for written in (argument(annotation, 0, "ConverterType"), *annotation.type_args[:1]):
        type = written.type if isinstance(written, TypeValue) else written
        if isinstance(type, NamedType):
            found = program.names.declared_class(type, scope)
            if found is not None:
                return found
    return None


def _is_read_as_declared(use: TypeUse, symbol: ClassSymbol, converter: Annotation) -> bool:
    """Whether the converter on a class changes only what is written."""
    if not use.variant.startswith(READING):
        return False
    found = _converter_class(use.program, converter, use.program.class_scope(symbol))
    return found is not None and reads_itself(use.program, found)


# Enums whose every use is written as text: generators set the converter on each property instead
# of on the enum.


def converted_by_uses(
    program: Program, symbol: ClassSymbol, settings: JsonSettings
) -> Schema | None:
    """The texts of an enum that a converter of every member writes which holds it; None where one
    has none, where they differ, or where no member holds it."""
    shapes: list[Schema] = []
    for converter in _converters(program, symbol):
        if converter is None:
            return None
        shape = converted_enum(program, symbol, converter, settings)
        if shape is None or (shapes and shape != shapes[0]):
            return None
        shapes.append(shape)
    return shapes[0] if shapes else None


def _converters(program: Program, symbol: ClassSymbol) -> Iterator[Annotation | None]:
    """The converter of each member that holds the enum, or lists or maps of it."""
    for path in program.files_with_word(unqualified_name(symbol.decl.name)):
        for owner in program.classes(program.facts(path)):
            scope = program.class_scope(owner)
            for member in owner.decl.members:
                if member.type is None or "static" in member.modifiers:
                    continue
                if _is_type(program, member.type, scope, symbol):
                    yield find(member.annotations, "JsonConverter")
                    continue
                item = item_type(program, member.type, scope)
                if item is not None and _is_type(program, item.type, item.scope, symbol):
                    yield item_converter(find(member.annotations, "JsonProperty"))


def _is_type(program: Program, type: TypeExpr, scope: Scope, symbol: ClassSymbol) -> bool:
    inner = type.item if isinstance(type, NullableType) else type
    if not isinstance(inner, NamedType) or unqualified_name(
        inner.name.rpartition(".")[2]
    ) != unqualified_name(symbol.decl.name):
        return False
    found = program.names.declared_class(inner, scope)
    return found is not None and found.key == symbol.key
