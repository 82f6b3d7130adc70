"""How Jackson writes instances of a class, and what it accepts for them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.ir.evidence import Evidence
from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.ir.schema import (
    Array,
    Field,
    LiteralValue,
    Nothing,
    Object,
    Scalar,
    Schema,
    Unknown,
    with_nullable,
)
from contract_scan.parsers.source.analysis.domain.hooks import TypeUse
from contract_scan.parsers.source.analysis.domain.schemas import unite
from contract_scan.parsers.source.analysis.domain.values import (
    ClassSymbol,
    ClassValue,
    Constant,
    Instance,
    Scope,
)
from contract_scan.parsers.source.analysis.evaluation.constant_members import (
    constant_values,
    is_never_extended,
)
from contract_scan.parsers.source.analysis.typing.assigned_members import instance_member
from contract_scan.parsers.source.facts.nodes import (
    Annotation,
    Attribute,
    Expr,
    LiteralExpr,
    Name,
    NamedType,
    Return,
)
from contract_scan.parsers.source.java.resolution.annotations import (
    argument,
    constant_name,
    find,
    flag,
    has,
    items,
    own_and_inherited,
    simple_name,
    type_name,
)
from contract_scan.parsers.source.java.resolution.dependencies import is_in_related_files
from contract_scan.parsers.source.java.serialization.constraints import in_groups
from contract_scan.parsers.source.java.serialization.enums import enum_schema
from contract_scan.parsers.source.java.serialization.jackson.custom import (
    custom,
    read_by_creators,
    single_value,
)
from contract_scan.parsers.source.java.serialization.jackson.polymorphism import (
    discriminator,
    type_info,
    union,
    wrap_schema,
)
from contract_scan.parsers.source.java.serialization.jackson.properties import (
    Accessor,
    Chain,
    Property,
    explicit_names,
    properties,
)
from contract_scan.parsers.source.java.serialization.jackson.registered_modules import (
    registered_modules,
)
from contract_scan.parsers.source.java.serialization.jackson.serializer_modifiers import (
    Effect,
    graver,
)
from contract_scan.parsers.source.java.serialization.jackson.settings import (
    READING,
    WITH_NULL,
    JacksonSettings,
    jackson_settings,
    with_format,
)
from contract_scan.parsers.source.java.serialization.jackson.values import (
    any_getter,
    property_schema,
)
from contract_scan.parsers.source.java.serialization.library_bases import (
    collection_base,
    has_state,
    inherited_fields,
    library_base,
)
from contract_scan.parsers.source.java.serialization.naming import STATED, STRATEGIES, strategy_of
from contract_scan.parsers.source.java.serialization.nullness import (
    MAY_BE_NULL,
    is_optional,
    is_primitive,
    never_given_null,
    nullness,
)
from contract_scan.parsers.source.java.serialization.unset_members import reads_as_set
from contract_scan.parsers.source.java.serialization.validation import (
    must_be_given,
    null_known,
    without_validation,
)
from contract_scan.parsers.source.java.serialization.views import in_view, view_of

_PASSING = ("JsonIgnore", "JsonAnySetter", "JsonAnyGetter", "JsonUnwrapped", "JsonTypeInfo")
"""Annotations beside which a mapper takes properties that the class does not show."""
_REFUSED = Evidence(required="enforced")
"""Of a property without which reading, or the validation behind it, refuses an object."""


class _Class(Struct, frozen=True, eq=False):
    """What holds for all properties of the class at hand."""

    use: TypeUse
    symbol: ClassSymbol
    chain: Chain
    settings: JacksonSettings
    naming: str
    """Key of `STRATEGIES`, or with a leading `?` one that is not known."""
    inclusion: str
    ignored: frozenset[str]
    read_only: frozenset[str]
    write_only: frozenset[str]
    links_creators: bool
    """Whether constructor parameters have names at run time."""


def jackson_schema(use: TypeUse, symbol: ClassSymbol) -> Schema:
    """The shape of instances of a class as Jackson writes them."""
    program = use.program
    settings = jackson_settings(program, symbol.file.path, use.variant)
    chain = use.chain(symbol)
    annotated = _annotation_sources(use, symbol, chain)
    written = custom(use, symbol, annotated)
    if written is not None:
        return written
    if symbol.decl.kind == "enum":
        values = enum_schema(use, symbol, settings)
        if values is not None:
            return values
    value = single_value(use, annotated)
    if value is not None:
        return value
    taken, is_object_read = read_by_creators(use, chain, settings)
    if not is_object_read and taken:
        return unite(taken)
    collection = collection_base(use, chain)
    if collection is not None:
        return collection
    info = type_info(use, annotated)
    several = union(use, symbol, info)
    if several is not None:
        return several
    whole = _object(_context(use, symbol, chain, settings))
    if info is None or not isinstance(whole, Object):
        return unite((*taken, whole))
    tag = discriminator(use, symbol, info)
    if tag is not None:
        others = tuple(f for f in whole.fields if f.name != tag.name)
        whole = replace(whole, fields=(tag, *others))
    return wrap_schema(use, symbol, info, whole)


# --------------------------------------------------------------------------- the object


def _context(use: TypeUse, symbol: ClassSymbol, chain: Chain, settings: JacksonSettings) -> _Class:
    annotated = _annotation_sources(use, symbol, chain)
    naming = settings.naming
    annotation = own_and_inherited(annotated, "JsonNaming")
    if annotation is not None:
        type = getattr(argument(annotation[0], "value"), "type", None)
        written = type.name if isinstance(type, NamedType) else "PropertyNamingStrategy"
        strategy = strategy_of(written)
        naming = f"?{written}" if strategy is None else strategy
    if naming.startswith("?"):
        naming = STATED.get(use.program.stated_naming(symbol.file.path), naming)
    format = own_and_inherited(annotated, "JsonFormat")
    settings = with_format(settings, format[0] if format is not None else None)
    inclusion = settings.inclusion
    annotation = own_and_inherited(annotated, "JsonInclude")
    if annotation is not None:
        inclusion = _stated_inclusion(annotation[0], inclusion)
    if own_and_inherited(annotated, "JsonFilter") is not None:
        inclusion = "FILTERED"
    ignored, reads, writes = _ignored_names(use, annotated)
    boot = symbol.decl.kind == "record" or is_in_related_files(
        use.program, symbol.file.path, b"org.springframework.boot"
    )
    return _Class(use, symbol, chain, settings, naming, inclusion, ignored, reads, writes, boot)


def _stated_inclusion(annotation: Annotation, otherwise: str) -> str:
    """What `@JsonInclude` says; with `USE_DEFAULTS`, what holds without it."""
    stated = constant_name(argument(annotation, "value")) or "ALWAYS"
    return otherwise if stated == "USE_DEFAULTS" else stated


def _annotation_sources(use: TypeUse, symbol: ClassSymbol, chain: Chain) -> Chain:
    """The classes whose annotations count for the class: what is mixed in comes first."""
    mixins = [(mixin, use.program.class_scope(mixin)) for mixin in _mixins(use, symbol)]
    return [*mixins, *chain]


def _mixins(use: TypeUse, symbol: ClassSymbol) -> tuple[ClassSymbol, ...]:
    """Classes whose annotations count for the class as well."""
    mixin = registered_modules(use.program, symbol.file.path).mixins.get(symbol.key)
    return (mixin,) if mixin is not None else ()


def _ignored_names(
    use: TypeUse, chain: Chain
) -> tuple[frozenset[str], frozenset[str], frozenset[str]]:
    """Names that `@JsonIgnoreProperties` leaves out wholly, on input only, on output only."""
    ignored: set[str] = set()
    reads: set[str] = set()
    writes: set[str] = set()
    for symbol, scope in chain:
        annotation = find(symbol.decl.annotations, "JsonIgnoreProperties")
        if annotation is None:
            continue
        texts = {use.program.text(item, scope) for item in items(argument(annotation, "value"))}
        names = {text for text in texts if text is not None}
        if flag(argument(annotation, "allowGetters")):
            reads |= names
        elif flag(argument(annotation, "allowSetters")):
            writes |= names
        else:
            ignored |= names
        break
    return frozenset(ignored), frozenset(reads), frozenset(writes)


def _object(context: _Class) -> Schema:
    use, symbol = context.use, context.symbol
    mixins = _mixins(use, symbol)
    found = properties(use.program, context.chain, context.settings, mixins)
    if context.naming.startswith("?") and found:
        reason = Reason("naming-strategy-unknown", naming=context.naming[1:])
        return Unknown(reason=reason, origin=symbol.origin)
    fields: dict[str, Field] = {}
    partial = NO_REASON
    view = view_of(use.variant)
    shown_by_default = context.settings.view_inclusion
    for item in found.values():
        if view and not in_view(use, item, view, shown_by_default):
            continue
        for field, why in _fields(context, item):
            partial = partial or why
            if field is not None:
                fields.setdefault(field.name, field)
    partial = partial or library_base(use, context.chain)
    for inherited in inherited_fields(use, context.chain):
        fields.setdefault(inherited.name, inherited)
    is_read = READING in use.variant.split(";")
    additional = any_getter(use, context.chain)
    if (
        is_read
        and _refuses_unknown(context, found)
        and not any(f.read_only for f in fields.values())
    ):
        additional = Nothing()
    if view and found and not fields and not partial:
        reason = Reason("json-view-without-properties", type=symbol.decl.name)
        return Unknown(reason=reason, origin=symbol.origin)
    if not fields and not partial and additional is None and has_state(context.chain):
        reason = Reason("jackson-no-visible-property", type=symbol.decl.name)
        return Unknown(reason=reason, origin=symbol.origin)
    return Object(
        name=symbol.decl.name,
        fields=tuple(fields.values()),
        additional=additional,
        incomplete_reason=partial,
        case_insensitive=is_read and context.settings.names_in_any_case,
        raw_names=not context.naming
        and not any(has(item.annotations(), "JsonProperty") for item in found.values()),
        origin=symbol.origin,
    )


def _refuses_unknown(context: _Class, found: Mapping[str, Property]) -> bool:
    """Whether a property in the input that the class has not is refused: not where annotations make
    the mapper pass over some, or keep or hand on what it does not know."""
    use = context.use
    if not context.settings.refuses_unknown or view_of(use.variant):
        return False
    annotated = _annotation_sources(use, context.symbol, context.chain)
    if own_and_inherited(annotated, "JsonIgnoreProperties") is not None:
        return False
    declared = [a for s, _ in annotated for m in s.decl.members for a in m.annotations]
    declared += [a for s, _ in annotated for m in s.decl.methods for a in m.annotations]
    declared += [a for each in found.values() for a in each.annotations()]
    return not has(declared, *_PASSING)


def _fields(context: _Class, found: Property) -> Iterator[tuple[Field | None, Reason]]:
    """The fields that a property becomes (several when it is unwrapped), each with the reason why
    there may be more."""
    use = context.use
    reader, writer = found.reader(), found.writer()
    source = reader or (writer if found.of_kind("setter", "creator") else None)
    if source is None:
        return
    name, accepts, why = _names(context, found)
    if why:
        yield None, why
        return
    if not context.ignored.isdisjoint({name, found.name}):
        return
    annotations = found.annotations()
    effect, doubt = _effect_of_changers(context, found)
    if effect == "never":
        return
    if effect == "unknown":
        yield None, doubt
        return
    unwrapped = find(annotations, "JsonUnwrapped")
    if unwrapped is not None and flag(argument(unwrapped, "enabled"), default=True):
        inner = _unwrapped_fields(context, source, unwrapped)
        if inner is not None:
            yield from inner
            return
    if source.type is None or _is_ignored_type(use, source):
        return
    if not has(annotations, "Valid"):
        use = without_validation(use)
    schema = _of_constants(context, found, property_schema(use, source, annotations))
    if isinstance(schema, Nothing) and (schema.nullable is not True or _is_void(source)):
        return  # nothing is written
    is_read = READING in use.variant.split(";")
    if reader is not None and not is_read:
        # What a constructor takes need not be what it keeps.
        null = nullness(source.type, _of_what_is_read(context, found))
        null = False if null is None and _is_refused_as_null(context, found) else null
    else:
        null = nullness(source.type, in_groups(annotations, context.use.variant))
    required: bool | None = True
    if not is_read:  # what output leaves out may well be given
        required, null = required_and_nullable(context.inclusion, source, annotations, null)
        if required is not True and has(annotations, "Transient"):
            # Neither Spring Data nor JPA keeps it, so what is read from a database has it empty.
            doubt = Reason("member-not-stored", member=found.name)
    if effect is not None:
        required = None if required else required
    if effect == "changed":
        schema = Unknown(reason=doubt, origin=source.origin)
    if null is False and not is_primitive(source.type):
        schema = replace(schema, null_known=null_known(context.use, annotations))
    elif context.settings.null_known is not None:
        schema = replace(schema, null_known=context.settings.null_known)
    access = constant_name(argument(find(annotations, "JsonProperty"), "access"))
    sends = reader is not None and access != "WRITE_ONLY" and name not in context.write_only
    takes = (
        writer is not None
        or source.is_abstract
        or isinstance(schema, Array)
        or (isinstance(schema, Object) and not schema.fields)
    )
    read_only = access == "READ_ONLY" and not _is_bound_by_creator(context, found)
    takes = takes and not read_only and name not in context.read_only
    if not sends and not takes:
        return
    given, open_ = must_be_given(context.use, context.chain, found)
    yield (
        Field(
            name=name,
            schema=with_nullable(schema, null),
            required=None if open_ else required,
            has_default=not given and not open_,
            read_only=not takes,
            write_only=not sends,
            accepts=accepts,
            takes_null=context.settings.null_for_primitives and is_primitive(source.type),
            undetermined_reason=doubt or open_,
            omitted_if_null=required is not True
            and effect is None
            and context.inclusion != "FILTERED"
            and not _leaves_out_more(context.inclusion, annotations, schema),
            evidence=_REFUSED if given or open_ else None,
            excluded_from_docs=found.is_hidden,
            declared_as=found.name if found.name != name else "",
            origin=source.origin,
        ),
        NO_REASON,
    )


def _is_refused_as_null(context: _Class, found: Property) -> bool:
    """Whether every object of the class has what is not null in the field of a property."""
    program = context.use.program
    owners = [symbol for symbol, _ in context.chain]
    member = instance_member(owners, found.name)
    return (
        member is not None
        and never_given_null(program, member[0], found.name)
        and reads_as_set(program, context.symbol, found.name)
    )


def _of_what_is_read(context: _Class, found: Property) -> tuple[Annotation, ...]:
    """The annotations of what a property is written from. That a field may be null says nothing of
    what a getter makes of it."""
    written = found.annotations("getter", "field")
    symbol = context.chain[0][0]
    if not has(written, *MAY_BE_NULL) or reads_as_set(context.use.program, symbol, found.name):
        return written
    of_field = [a for accessor in found.of_kind("field") for a in accessor.annotations]
    return tuple(a for a in written if simple_name(a) not in MAY_BE_NULL or a not in of_field)


def _of_constants(context: _Class, found: Property, schema: Schema) -> Schema:
    """The shape of a property whose field every constructor sets to a constant: these are the
    values that are sent. A getter counts that gives the field as it is."""
    use = context.use
    if READING in use.variant.split(";") or not isinstance(schema, Scalar):
        return schema
    getters = found.of_kind("getter")
    returned = _only_return(use, getters[0]) if getters else None
    is_fixed = returned is not None and _is_constant(use, *returned)
    if returned is not None and is_fixed and is_never_extended(use.program, context.symbol):
        constant = use.program.evaluate(*returned)
        given = use.program.types.flat(use.program.types.schema_of(constant, use.variant))
        if isinstance(constant, Constant | Instance) and isinstance(given, Scalar):
            return _with_values(schema, given.values or ())
    if schema.values is not None or not found.of_kind("field"):
        return schema
    if not all(_gives_field(use, getter, found.name) for getter in getters):
        return schema
    values = constant_values(use.program, context.symbol, found.name)
    return schema if values is None else replace(schema, values=values)


def _is_void(source: Accessor) -> bool:
    """Whether a property is left out since it is declared as `Void` (`ALLOW_VOID_VALUED_PROPERTIES`
    of Jackson's MapperFeature is off); a `T` that stands for it is written as null, since the
    erased type counts."""
    return type_name(source.type) == "Void"


def _is_constant(use: TypeUse, expr: Expr, scope: Scope) -> bool:
    """Whether an expression is a literal or names a constant: what another member begins with may
    have changed since."""
    match expr:
        case LiteralExpr():
            return True
        case Name(id=name):
            owner = scope.owner_around
        case Attribute(value=holder, name=name):
            named = use.program.evaluate(holder, scope)
            owner = named.symbol if isinstance(named, ClassValue) else None
        case _:
            return False
    members = owner.decl.members if owner is not None else ()
    return any(
        m.name == name and (m.kind == "enum" or {"static", "final"} <= set(m.modifiers))
        for m in members
    )


def _with_values(schema: Scalar, values: tuple[LiteralValue, ...]) -> Scalar:
    """A shape of which some values alone are sent; the shape itself where there are none."""
    left = tuple(v for v in values if schema.values is None or v in schema.values)
    return replace(schema, values=left, nullable=False) if left else schema


def _only_return(use: TypeUse, getter: Accessor) -> tuple[Expr, Scope] | None:
    """What a getter returns that does nothing else, and where."""
    owner = getter.scope.owner
    for method in owner.decl.methods if owner is not None else ():
        if method.name_span == getter.span:
            match use.program.body(method, getter.scope.file):
                case (Return(value=value),) if value is not None:
                    return value, use.program.function_scope(method, getter.scope)
                case _:
                    return None
    return None


def _gives_field(use: TypeUse, getter: Accessor, name: str) -> bool:
    """Whether a getter is seen to return the field of a name."""
    returned = _only_return(use, getter)
    match returned[0] if returned is not None else None:
        case Name(id=field) | Attribute(value=Name(id="this"), name=field):
            return field == name
        case _:
            return False


def _is_bound_by_creator(context: _Class, found: Property) -> bool:
    """Whether a constructor that JSON is read with takes the property: its arguments are bound by
    their names, whatever access other accessors declare."""
    return any(
        context.links_creators or has(accessor.annotations, "JsonProperty")
        for accessor in found.of_kind("creator")
    )


def _effect_of_changers(context: _Class, found: Property) -> tuple[Effect | None, Reason]:
    """What classes of the project make of a property while the program runs, by its name or by an
    annotation of the project's own that it bears, and why."""
    program = context.use.program
    known = registered_modules(program, context.symbol.file.path)
    own = [
        annotation.name.rpartition(".")[2]
        for accessor in (found.accessors if known.changers else ())
        for annotation in accessor.annotations
        if isinstance(program.names.lookup_type(annotation.name, accessor.scope), ClassValue)
    ]
    classes = [symbol.key for symbol in (context.symbol, *program.bases(context.symbol))]
    effect: Effect | None = None
    reason = NO_REASON
    for changer in known.changers:
        result = changer.effect(found.name, own, classes)
        if result is not None and (effect is None or graver(effect, result[0]) != effect):
            effect, reason = result
    return effect, reason


def _names(context: _Class, found: Property) -> tuple[str, tuple[str, ...], Reason]:
    """The name a property is written under, the names it is read from where they differ, and why
    they are undetermined."""
    program = context.use.program
    readers = explicit_names(program, found.of_kind("getter", "field"))
    linked = ("setter", "creator") if context.links_creators else ("setter",)
    writers = explicit_names(program, [a for a in found.accessors if a.kind in linked])
    bound = explicit_names(program, found.of_kind("creator"))
    if any(not name for _, name in (*readers, *writers, *bound)):
        return "", (), Reason("property-name-not-constant", name=found.name)
    if readers or writers:
        name = (readers or writers)[0][1]
    else:
        name = STRATEGIES[context.naming](found.name)
    # An argument is bound by its name, also where nothing links it to the field that it is kept in.
    accepted = [written for _, written in (*(writers if readers else ()), *bound)]
    aliases = find(found.annotations(), "JsonAlias", "SerializedName")
    for item in items(argument(aliases, "value")):
        text = program.text(item, found.accessors[0].scope)
        if text is not None:
            accepted.append(text)
    others = tuple(dict.fromkeys(a for a in accepted if a != name))
    return name, (name, *others) if others else (), NO_REASON


def _unwrapped_fields(
    context: _Class, source: Accessor, annotation: Annotation
) -> list[tuple[Field | None, Reason]] | None:
    """The fields of a property that is written into the enclosing object; None where its value
    is no object and is written like any other."""
    use = context.use
    if source.type is None:
        return []
    schema = use.program.types.flat(use.schema(source.type, source.scope))
    if isinstance(schema, Scalar | Array):
        return None
    if not isinstance(schema, Object):
        reason = schema.reason if isinstance(schema, Unknown) else Reason("unwrapped-property")
        return [(None, reason)]
    prefix = use.program.text(argument(annotation, "prefix"), source.scope) or ""
    suffix = use.program.text(argument(annotation, "suffix"), source.scope) or ""
    found: list[tuple[Field | None, Reason]] = [
        (replace(field, name=f"{prefix}{field.name}{suffix}", accepts=()), schema.incomplete_reason)
        for field in schema.fields
    ]
    return found or ([(None, schema.incomplete_reason)] if schema.incomplete_reason else [])


def _is_ignored_type(use: TypeUse, source: Accessor) -> bool:
    symbol = use.program.names.declared_class(source.type, source.scope)
    return symbol is not None and has(symbol.decl.annotations, "JsonIgnoreType")


# Whether a property's key is always written, and whether its value may be null.


def required_and_nullable(
    inclusion: str, source: Accessor, annotations: tuple[Annotation, ...], null: bool | None
) -> tuple[bool | None, bool | None]:
    """(key always written, value may be null), by the `@JsonInclude` of the class and of the
    property. Whether a value ever is null (or empty) no type says; only where null is foreseen or
    excluded is the presence of the key known."""
    if type_name(source.type) == "JsonNullable":
        return None, null  # it is left out where it is undefined
    own = find(annotations, "JsonInclude")
    if own is not None:
        inclusion = _stated_inclusion(own, inclusion)
    if inclusion in WITH_NULL:
        return True, null
    if inclusion == "FILTERED":
        return None, null
    written, may_be_null = _unless_empty(inclusion, source, null)
    if written is None and _is_said_to_be_there(annotations):
        written = True
    return written, may_be_null


def _leaves_out_more(inclusion: str, annotations: tuple[Annotation, ...], schema: Schema) -> bool:
    """Whether a member is left out for more than null: a list or map that is empty, a number that
    is 0."""
    own = find(annotations, "JsonInclude")
    inclusion = inclusion if own is None else _stated_inclusion(own, inclusion)
    is_container = isinstance(schema, Array) or (isinstance(schema, Object) and not schema.fields)
    return inclusion == "NON_DEFAULT" or (inclusion == "NON_EMPTY" and is_container)


def _unless_empty(
    inclusion: str, source: Accessor, null: bool | None
) -> tuple[bool | None, bool | None]:
    unless_null = True if null is False else None if null is None else False
    match inclusion:
        case "NON_NULL":
            return unless_null, False
        case "NON_ABSENT":
            return (False if is_optional(source.type) else unless_null), False
        case "NON_EMPTY":
            return (True if is_primitive(source.type) else False if null else None), False
        case _:
            return (False if null else None), False


def _is_said_to_be_there(annotations: tuple[Annotation, ...]) -> bool:
    """Whether documentation beside the property says that it is always there: as much is known of
    a value that no type says anything about."""
    schema = find(annotations, "Schema", "ApiModelProperty")
    if constant_name(argument(schema, "requiredMode")) == "REQUIRED":
        return True
    return flag(argument(schema, "required"))
