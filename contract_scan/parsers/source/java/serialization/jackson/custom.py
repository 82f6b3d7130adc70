"""Classes that Jackson writes, or reads, as something else than their properties: by a serializer,
a converter, one value, or a creator that takes the whole."""

from __future__ import annotations

from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import Scalar, Schema, Unknown
from contract_scan.parsers.source.analysis.domain.hooks import TypeUse
from contract_scan.parsers.source.analysis.domain.values import ClassSymbol, Scope
from contract_scan.parsers.source.facts.nodes import Expr, Function, NamedType
from contract_scan.parsers.source.java.resolution.annotations import (
    argument,
    class_argument,
    constant_name,
    find,
    flag,
    has,
    own_and_inherited,
    type_name,
)
from contract_scan.parsers.source.java.serialization.enums import texts_of_constants
from contract_scan.parsers.source.java.serialization.jackson.properties import Chain, properties
from contract_scan.parsers.source.java.serialization.jackson.registered_modules import (
    registered_modules,
)
from contract_scan.parsers.source.java.serialization.jackson.settings import (
    READING,
    JacksonSettings,
    names_parameters,
)
from contract_scan.parsers.source.java.serialization.serializers import TO_TEXT, written_by

_CONVERTERS = frozenset({"Converter", "StdConverter", "JsonbAdapter"})


def custom(use: TypeUse, symbol: ClassSymbol, chain: Chain) -> Schema | None:
    """The shape of a class that a serializer or converter writes, registered or annotated."""
    known = registered_modules(use.program, symbol.file.path)
    for owner, _ in chain:
        if owner.key in known.serializers:
            serializer = known.serializers[owner.key]
            return written_by(use.program, serializer, symbol.decl.name, symbol.origin)
    if READING in use.variant.split(";"):
        read = own_and_inherited(chain, "JsonDeserialize")
        if read is None:
            return None  # a serializer says nothing of what is read
        if (using := argument(read[0], "using")) is not None:
            return deserializer_schema(using, symbol.decl.name)
        converter = argument(read[0], "converter")
        return None if converter is None else converter_schema(use, converter, read[1], reads=True)
    annotation = own_and_inherited(chain, "JsonSerialize")
    if annotation is None:
        return None
    written, scope = annotation
    using = argument(written, "using")
    if using is not None:
        return serializer_schema(use, using, symbol.decl.name, symbol, scope)
    converter = argument(written, "converter")
    if converter is not None:
        return converter_schema(use, converter, scope, reads=False)
    other = argument(written, "as")
    target = getattr(other, "type", None)
    if isinstance(target, NamedType) and type_name(target) != symbol.decl.name:
        found = use.program.names.declared_class(target, scope)
        if found is not None:
            return use.schema(target, scope)
    return None


def deserializer_schema(using: object, of: str) -> Schema:
    """What `using = X.class` reads, which only its code says."""
    name = type_name(getattr(using, "type", None))
    return Unknown(reason=Reason("read-by-deserializer", of=of, deserializer=name))


def serializer_schema(
    use: TypeUse, using: object, of: str, symbol: ClassSymbol | None, scope: Scope
) -> Schema:
    """What `using = X.class` writes of a type called `of`, which is that class of the project."""
    type = getattr(using, "type", None)
    if not isinstance(type, NamedType):
        return Unknown(reason=Reason("written-by-own-serializer", of=of))
    if type_name(type) in TO_TEXT:
        if symbol is not None and symbol.decl.kind == "enum":
            return texts_of_constants(use, symbol)
        return Scalar(type="string")
    found = use.program.names.declared_class(type, scope)
    if found is not None:
        return written_by(use.program, found, of, found.origin)
    return Unknown(reason=Reason("written-by-library", of=of, type=type_name(type)))


def converter_schema(use: TypeUse, converter: Expr, scope: Scope, *, reads: bool) -> Schema:
    """The shape that `converter = X.class` writes for a value, or the one that it reads."""
    named = class_argument(converter)
    found = use.program.names.declared_class(named, scope)
    if found is not None:
        inner = use.program.class_scope(found)
        for owner, inside in use.program.types.chain(found, inner):
            for base in owner.decl.bases:
                if not isinstance(base, NamedType) or type_name(base) not in _CONVERTERS:
                    continue
                if len(base.args) == 2:
                    return use.schema(base.args[0 if reads else 1], inside)
    name = type_name(named) if named is not None else "a class"
    return Unknown(reason=Reason("converter-unreadable", name=name))


def single_value(use: TypeUse, chain: Chain) -> Schema | None:
    """`@JsonValue`: the class is written as one value."""
    for symbol, scope in chain:
        for method in symbol.decl.methods:
            marked = find(method.annotations, "JsonValue")
            if marked is not None and flag(argument(marked, "value"), default=True):
                if method.returns is None:
                    return None
                return use.schema(method.returns, scope)
        for member in symbol.decl.members:
            if member.kind != "enum" and has(member.annotations, "JsonValue") and member.type:
                return use.schema(member.type, scope)
    return None


def read_by_creators(
    use: TypeUse, chain: Chain, settings: JacksonSettings
) -> tuple[tuple[Schema, ...], bool]:
    """The shapes of input that creators of a class take whole, as their one argument, and whether
    it is read from its properties as well: Jackson has one creator for each kind of scalar, one for
    properties (or the constructor without parameters), and prefers one that takes anything else."""
    if READING not in use.variant.split(";"):
        return (), True
    symbol, scope = chain[0]
    constructors = [m for m in symbol.decl.methods if "constructor" in m.modifiers]
    unseen = use.program.language.implicit_constructors(use.program, symbol)
    is_object_read = () in unseen or not (constructors or unseen)
    whole: list[Schema] = []
    takes_objects = False
    for method in symbol.decl.methods:
        marked = find(method.annotations, "JsonCreator")
        mode = constant_name(argument(marked, "mode"))
        if marked is None or mode == "DISABLED":
            is_object_read = is_object_read or (method in constructors and not method.params)
            continue
        only = method.params[0].type if len(method.params) == 1 else None
        if only is None or _takes_properties(use, chain, settings, method, mode):
            is_object_read = True
        else:
            whole.append(use.schema(only, scope))
            takes_objects = takes_objects or type_name(only) not in _OF_SCALARS
    return tuple(whole), is_object_read and not takes_objects


_OF_SCALARS = frozenset(
    {
        *("String", "int", "Integer", "long", "Long", "double", "Double", "boolean", "Boolean"),
        *("BigInteger", "BigDecimal"),
    }
)
"""What creators of one argument take from a JSON text, number or truth value alone."""


def _takes_properties(
    use: TypeUse, chain: Chain, settings: JacksonSettings, creator: Function, mode: str
) -> bool:
    """Whether the one parameter of a creator stands for a property: its mode says so, or without
    one it is named expressly, or its name is known at run time and is that of a property that is
    written."""
    if mode in ("PROPERTIES", "DELEGATING"):
        return mode == "PROPERTIES"
    (param,) = creator.params
    if has(param.annotations, "JsonProperty", "JacksonInject"):
        return True
    symbol, _ = chain[0]
    if symbol.decl.kind == "record":
        return True
    if not names_parameters(use.program, symbol.file.path, settings):
        return False
    found = properties(use.program, chain, settings, ()).get(param.name)
    return found is not None and found.reader() is not None
