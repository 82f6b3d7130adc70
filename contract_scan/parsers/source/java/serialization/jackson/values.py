"""The shape of one property's value, with everything its annotations change."""

from __future__ import annotations

from msgspec.structs import replace

from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import Array, Nothing, Object, Scalar, Schema, Unknown
from contract_scan.parsers.source.analysis.domain.hooks import TypeUse
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import ClassValue, Scope
from contract_scan.parsers.source.facts.nodes import (
    Annotation,
    Argument,
    ArrayType,
    NamedType,
    NullType,
    TypeExpr,
)
from contract_scan.parsers.source.java.resolution.annotations import (
    argument,
    class_argument,
    constant_name,
    element_of,
    find,
    has,
    items,
    nested_annotations,
    type_name,
)
from contract_scan.parsers.source.java.resolution.containers import LISTS, MAPS
from contract_scan.parsers.source.java.serialization.enums import as_read
from contract_scan.parsers.source.java.serialization.jackson.custom import (
    converter_schema,
    deserializer_schema,
    serializer_schema,
)
from contract_scan.parsers.source.java.serialization.jackson.properties import Accessor, Chain
from contract_scan.parsers.source.java.serialization.jackson.settings import (
    READING,
    JacksonSettings,
    with_format,
)
from contract_scan.parsers.source.java.serialization.library_types import (
    OLDER_DATES,
    date_format,
    format_of_pattern,
)
from contract_scan.parsers.source.java.serialization.serializers import STANDARD, TO_TEXT


def property_schema(use: TypeUse, source: Accessor, annotations: tuple[Annotation, ...]) -> Schema:
    """The shape of a property's value."""
    assert source.type is not None
    type = source.type
    if has(annotations, "JsonRawValue"):
        return Unknown(reason=Reason("raw-json-value"), origin=source.origin)
    if has(annotations, "JsonIdentityReference", "JsonTypeInfo"):
        reason = Reason("type-or-identity-information")
        return Unknown(reason=reason, origin=source.origin)
    serialize = find(annotations, "JsonSerialize")
    reads = READING in use.variant.split(";")
    marked = find(annotations, "JsonDeserialize") if reads else serialize
    using = argument(marked, "using")
    if reads and using is not None and _is_own(use, using, source.scope):
        return replace(deserializer_schema(using, type_name(type)), origin=source.origin)
    if not reads and using is not None and not _is_standard(use, using, source.scope):
        return replace(_as_serialized(use, using, type, source.scope), origin=source.origin)
    converter = argument(marked, "converter")
    if converter is not None:
        converted = converter_schema(use, converter, source.scope, reads=reads)
        return replace(converted, origin=source.origin)
    if argument(marked, "contentConverter", "contentUsing", "keyUsing"):
        written = _schema_of_items(use, marked, source, reads=reads)
        whole = None if written is None else _container(type, written)
        unread = Unknown(reason=Reason("items-written-by-converter"))
        return replace(whole or unread, origin=source.origin)
    other = class_argument(argument(serialize, "as"))
    if other is not None:
        type = other
    schema = _formatted_schema(use, type, source, annotations)
    if schema is None:
        schema = use.schema(type, source.scope)
    if not reads:
        schema = _with_listed_values(use.program, schema, annotations, source.scope)
    elif (
        isinstance(schema, Scalar)
        and type_name(getattr(argument(serialize, "using"), "type", None)) in TO_TEXT
    ):
        # Jackson takes numbers in quotation marks too, and this one is sent so.
        schema = replace(schema, also_takes=("string",))
    elif (format := find(annotations, "JsonFormat")) is not None:
        schema = _read_in_format(use.program.types.flat(schema), schema, format)
    return replace(schema, origin=source.origin)


def _read_in_format(flat: Schema, schema: Schema, format: Annotation) -> Schema:
    """The shape of what is read with the features that a `@JsonFormat` beside it names."""
    said = with_format(JacksonSettings(), format)
    match flat:
        case Scalar() if said.enums_in_any_case or said.unknown_enums != "refused":
            return as_read(flat, said) or flat
        case Object() if said.names_in_any_case:
            return replace(flat, case_insensitive=True)
        case _:
            return schema


def _schema_of_items(
    use: TypeUse, marked: Annotation | None, source: Accessor, *, reads: bool
) -> Schema | None:
    """The shape that a converter or a serializer for the items of a property gives them; None where
    another one is for its keys."""
    if argument(marked, "keyUsing") is not None:
        return None
    converter = argument(marked, "contentConverter")
    if converter is not None:
        return converter_schema(use, converter, source.scope, reads=reads)
    using, item = argument(marked, "contentUsing"), _item_type(source.type)
    if reads:
        return deserializer_schema(using, type_name(item))
    return _as_serialized(use, using, item, source.scope)


def _as_serialized(use: TypeUse, using: object, type: TypeExpr | None, scope: Scope) -> Schema:
    """What a serializer that is named beside a value of a type writes."""
    symbol = use.program.names.declared_class(type, scope)
    return serializer_schema(use, using, type_name(type), symbol, scope)


def _item_type(type: TypeExpr | None) -> TypeExpr | None:
    if isinstance(type, ArrayType):
        return type.item
    return type.args[-1] if isinstance(type, NamedType) and type.args else None


def _container(type: TypeExpr, items: Schema) -> Schema | None:
    """A list, array or map of items; None for any other type."""
    if isinstance(type, ArrayType) or type_name(type) in LISTS:
        return Array(items=items)
    return Object(additional=items) if type_name(type) in MAPS else None


def _formatted_schema(
    use: TypeUse, type: TypeExpr, source: Accessor, annotations: tuple[Annotation, ...]
) -> Schema | None:
    """The shape that `@JsonFormat` (or JSON-B's `@JsonbDateFormat`) gives; None for none."""
    annotation = find(annotations, "JsonFormat", "JsonbDateFormat")
    if annotation is None:
        return None
    shape = constant_name(argument(annotation, "shape"))
    pattern = argument(annotation, "pattern", "value")
    inner = type
    while isinstance(inner, NamedType) and inner.args and type_name(inner) in _AROUND:
        inner = inner.args[0]
    format = date_format(inner) if isinstance(inner, NamedType) else None
    if shape == "STRING" or (format is not None and shape in ("", "ANY") and pattern is not None):
        written = use.program.text(pattern, source.scope) if pattern is not None else None
        if pattern is not None and format is not None:
            format = format_of_pattern(written) if written else ""
        ends_early = format == "date" and type_name(inner) in OLDER_DATES
        taken = ("date-time",) if ends_early else ()
        text: Schema = Scalar(type="string", format=format or "", also_formats=taken)
        return Array(items=text) if inner is not type and type_name(type) != "Optional" else text
    named = use.program.names.declared_class(inner, source.scope) if shape else None
    if shape.startswith("NUMBER") and named is not None and named.decl.kind == "enum":
        return Scalar(type="integer")  # its place among the constants
    if shape.startswith("NUMBER") and format is not None:
        return Scalar(type="numeric")
    if shape in ("ARRAY", "POJO", "OBJECT"):
        if shape == "OBJECT" and format is None:
            return None
        unknown = Unknown(reason=Reason("json-format-shape", shape=shape))
        return Array(items=unknown) if shape == "ARRAY" and named is not None else unknown
    del use, source
    return None


_AROUND = frozenset({"List", "Set", "Collection", "Optional"})


def _is_standard(use: TypeUse, using: object, scope: Scope) -> bool:
    """Whether a serializer is the one that Jackson has for the type."""
    type = getattr(using, "type", None)
    if not isinstance(type, NamedType) or type_name(type) not in STANDARD:
        return False
    return not _is_own(use, using, scope)


def _is_own(use: TypeUse, using: object, scope: Scope) -> bool:
    """Whether a serializer or deserializer is a class of the project."""
    type = getattr(using, "type", None)
    return isinstance(type, NamedType) and isinstance(
        use.program.names.lookup_type(type.name, scope), ClassValue
    )


def any_getter(use: TypeUse, chain: Chain) -> Schema | None:
    """The shape of further properties that `@JsonAnyGetter` adds; None for none."""
    for symbol, scope in chain:
        for method in symbol.decl.methods:
            if not has(method.annotations, "JsonAnyGetter"):
                continue
            if method.returns is None or isinstance(method.returns, NullType):
                return None
            schema = use.program.types.flat(use.schema(method.returns, scope))
            return _map_values(use, schema)
        for member in symbol.decl.members:
            if member.type is not None and has(member.annotations, "JsonAnyGetter"):
                schema = use.program.types.flat(use.schema(member.type, scope))
                return _map_values(use, schema)
    return None


def _map_values(use: TypeUse, map_: Schema) -> Schema | None:
    """The schema of a map's values; None where they are never written as JSON."""
    inner = map_.additional if isinstance(map_, Object) else None
    if inner is None:
        return Unknown(reason=Reason("properties-from-map"))
    held = use.program.types.flat(inner)
    return None if isinstance(held, Nothing) and not held.nullable else inner


# ------------------------------------------------------------------ values that documentation lists
# Nothing enforces such a list. It is the code's own statement of what the property may be, of the
# same worth as a declared type, and counts where the type says no more than that it is text.


_IN_ONE_TEXT = "ApiModelProperty"
"""The annotation of Swagger 1.5, which has the whole list in one text."""
_RANGE = "range"
"""How that text begins where it is a range of numbers."""


def _with_listed_values(
    program: Program, schema: Schema, annotations: tuple[Annotation, ...], scope: Scope
) -> Schema:
    """The shape of a property that is sent, limited to the values that its documentation lists."""
    for name in ("Schema", _IN_ONE_TEXT):
        marked = find(annotations, name)
        if marked is not None:
            schema = _limit_values(
                schema, _listed_values(program, marked.args, scope, name == _IN_ONE_TEXT)
            )
    several = find(annotations, "ArraySchema")
    if several is not None and isinstance(schema, Array):
        for item in nested_annotations(element_of(several.args, "schema")):
            inner = _limit_values(
                schema.items, _listed_values(program, item.args, scope, in_one_text=False)
            )
            schema = replace(schema, items=inner)
    return schema


def _limit_values(schema: Schema, values: tuple[str, ...]) -> Schema:
    if not isinstance(schema, Scalar) or schema.type != "string" or schema.values or schema.format:
        return schema
    return replace(schema, values=values) if values else schema


def _listed_values(
    program: Program, args: tuple[Argument, ...], scope: Scope, in_one_text: bool
) -> tuple[str, ...]:
    """The values that an annotation lists; none where it lists none, or not all of them could be
    told."""
    listed = items(element_of(args, "allowableValues", "enumeration"))
    texts = tuple(program.text(item, scope) for item in listed)
    known = tuple(text for text in texts if text is not None)
    if len(known) < len(texts):
        return ()
    if in_one_text:
        whole = known[0] if known and not known[0].startswith(_RANGE) else ""
        return tuple(text.strip() for text in whole.split(",") if text.strip())
    # One text with commas in it is one value to the library, and seldom meant so.
    return known if len(known) > 1 or "," not in "".join(known) else ()
