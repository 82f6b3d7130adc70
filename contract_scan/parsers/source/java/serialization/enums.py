"""How enum constants look on the wire."""

from __future__ import annotations

from msgspec.structs import replace

from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import LiteralValue, Scalar, Schema, Unknown, with_nullable
from contract_scan.parsers.source.analysis.domain.hooks import TypeUse
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import ClassSymbol, Constant, Scope
from contract_scan.parsers.source.facts.dotted_names import dotted_name_of
from contract_scan.parsers.source.facts.nodes import (
    Assign,
    Attribute,
    Call,
    Expr,
    Function,
    LiteralExpr,
    Member,
    Name,
    Return,
)
from contract_scan.parsers.source.java.resolution.annotations import (
    argument,
    constant_name,
    find,
    has,
)
from contract_scan.parsers.source.java.resolution.dependencies import is_in_related_files
from contract_scan.parsers.source.java.serialization.jackson.settings import (
    READING,
    JacksonSettings,
    with_format,
)
from contract_scan.parsers.source.java.serialization.naming import property_of_getter

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
    annotations = symbol.decl.annotations
    settings = with_format(settings, find(annotations, "JsonFormat"))
    written = _constants(use, symbol, settings)
    if READING not in use.variant.split(";"):
        return written
    marked = (find(m.annotations, "JsonEnumDefaultValue") for m in symbol.decl.members)
    if settings.unknown_enums == "default" and not any(marked):
        settings = replace(settings, unknown_enums="refused")
    return as_read(written, settings)


def as_read(schema: Schema | None, settings: JacksonSettings) -> Schema | None:
    """The shape of constants as a mapper reads them that may take other texts than it writes."""
    if not isinstance(schema, Scalar) or schema.values is None or schema.type != "string":
        return schema
    if settings.unknown_enums != "refused":
        return replace(schema, values=None)
    return replace(schema, ignores_case=settings.enums_in_any_case)


def _constants(use: TypeUse, symbol: ClassSymbol, settings: JacksonSettings) -> Schema | None:
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
    is_named = any(find(one.annotations, "JsonProperty") for one in constants)
    by_text = settings.enums_read_by_to_string if reads else settings.enums_use_to_string
    if by_text and not is_named:  # what an annotation calls a constant wins
        return texts_of_constants(use, symbol)
    if _has_texts(use, constants, scope) and not is_in_related_files(
        use.program, symbol.file.path, *_SERIALIZERS
    ):
        reason = Reason("enum-texts-writer-not-found")
        return Unknown(reason=reason, is_text=True, origin=symbol.origin)
    named = _of_names(use, symbol, constants, scope)
    if settings.enums_in_lower_case and isinstance(named, Scalar) and named.values is not None:
        return replace(named, values=tuple(str(value).lower() for value in named.values))
    return named


def texts_of_constants(use: TypeUse, symbol: ClassSymbol) -> Schema:
    """What `toString` gives of the constants of an enum."""
    constants = [member for member in symbol.decl.members if member.kind == "enum"]
    for method in symbol.decl.methods:
        if method.name == "toString" and not method.params:
            return _of_method(use, symbol, method, constants, use.program.class_scope(symbol))
    names = tuple(member.name for member in constants)
    return Scalar(type="string", values=names, origin=symbol.origin)


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


# What fields and methods of enum constants give, told from how the constants are made.

_SAME = frozenset({"String.valueOf", "Objects.toString", "java.util.Objects.toString"})
"""Functions that give the text of what they are given."""
_TEXT_METHODS = {"toLowerCase": str.lower, "toUpperCase": str.upper}
_NAMES = frozenset({"name", "toString"})
"""Methods that every enum has, which give the name of the constant."""
_MAX_DEPTH = 8


def field_of(program: Program, symbol: ClassSymbol, member: Member, field: str) -> Constant | None:
    """What a field of a constant holds; None where that is undetermined."""
    position = _position(symbol, field, len(member.args))
    if position is None or position >= len(member.args):
        return None
    scope = program.class_scope(symbol)
    value = program.evaluate(member.args[position].value, scope)
    return value if isinstance(value, Constant) else None


def text_of_constant(
    program: Program, symbol: ClassSymbol, member: Member, expr: Expr
) -> str | None:
    """The text that an expression of the enum gives for one of its constants, where it is one that
    `value_of` follows; None where that is undetermined."""
    constant = _constant_of(program, symbol, member, expr, 0)
    return constant.value if constant is not None and isinstance(constant.value, str) else None


def value_of(
    program: Program, symbol: ClassSymbol, member: Member, method: Function, depth: int = 0
) -> Constant | None:
    """What a method without parameters gives of a constant: it returns a field, the name, or a text
    that well-known functions make of these. None where that is undetermined."""
    statements = program.body(method, symbol.file)
    if len(statements) != 1 or not isinstance(statements[0], Return) or method.params:
        return None
    value = statements[0].value
    return None if value is None else _constant_of(program, symbol, member, value, depth)


def _constant_of(
    program: Program, symbol: ClassSymbol, member: Member, expr: Expr, depth: int
) -> Constant | None:
    if depth >= _MAX_DEPTH:
        return None
    field = _own_field(expr)
    if field is not None:
        return field_of(program, symbol, member, field)
    match expr:
        case LiteralExpr(value=value):
            return Constant(value)
        case Call(callee=callee, args=(only,)) if dotted_name_of(callee) in _SAME:
            return _as_text(_constant_of(program, symbol, member, only.value, depth + 1))
        case Call(callee=Name(id=name), args=()):
            return _method_constant(program, symbol, member, name, depth)
        case Call(callee=Attribute(value=Name(id="this"), name=name), args=()):
            return _method_constant(program, symbol, member, name, depth)
        case Call(callee=Attribute(value=Name(id="super"), name=name), args=()):
            return Constant(member.name) if name in _NAMES else None
        case Call(callee=Attribute(value=inner, name="toString" | "trim" | "strip"), args=()):
            return _as_text(_constant_of(program, symbol, member, inner, depth + 1))
        case Call(callee=Attribute(value=inner, name=name)) if name in _TEXT_METHODS:
            constant = _constant_of(program, symbol, member, inner, depth + 1)
            is_text = constant is not None and isinstance(constant.value, str)
            return (
                Constant(_TEXT_METHODS[name](str(constant.value))) if is_text and constant else None
            )
        case Call(callee=Attribute(value=inner, name="replace"), args=(old, new)):
            constant = _constant_of(program, symbol, member, inner, depth + 1)
            return _replace_text(constant, old.value, new.value)
        case _:
            return None


def _method_constant(
    program: Program, symbol: ClassSymbol, member: Member, name: str, depth: int
) -> Constant | None:
    """The constant that a method of the enum itself returns."""
    own = next((m for m in symbol.decl.methods if m.name == name and not m.params), None)
    if own is not None:
        return value_of(program, symbol, member, own, depth + 1)
    field = property_of_getter(name, is_boolean=False)
    if field is not None and has(symbol.decl.annotations, "Getter"):
        return field_of(program, symbol, member, field)
    declared = next((m for m in symbol.decl.members if m.name == field), None)
    if declared is not None and has(declared.annotations, "Getter"):
        return field_of(program, symbol, member, declared.name)
    return Constant(member.name) if name in _NAMES else None


def _as_text(constant: Constant | None) -> Constant | None:
    if constant is None or isinstance(constant.value, bool | float) or constant.value is None:
        return None
    return Constant(str(constant.value))


def _replace_text(constant: Constant | None, old: Expr, new: Expr) -> Constant | None:
    """`text.replace("_", "-")`, with texts or single characters."""
    texts = [e.value for e in (old, new) if isinstance(e, LiteralExpr)]
    if constant is None or not isinstance(constant.value, str):
        return None
    match texts:
        case [str(before), str(after)] if before:
            return Constant(constant.value.replace(before, after))
        case _:
            return None


def _own_field(value: Expr) -> str | None:
    match value:
        case Name(id=name):
            return name
        case Attribute(value=Name(id="this"), name=name):
            return name
        case _:
            return None


def _position(symbol: ClassSymbol, field: str, arity: int) -> int | None:
    """Which constructor argument a field is set from."""
    constructors = [m for m in symbol.decl.methods if "constructor" in m.modifiers]
    for constructor in constructors:
        if len(constructor.params) != arity:
            continue
        names = [p.name for p in constructor.params]
        for statement in constructor.body or ():
            if isinstance(statement, Assign) and _own_field(statement.target) == field:
                source = statement.value
                if isinstance(source, Name) and source.id in names:
                    return names.index(source.id)
                return None
    if constructors:
        return None
    # Lombok's constructors take the fields in order.
    fields = [m.name for m in symbol.decl.members if m.kind == "field"]
    return fields.index(field) if field in fields and len(fields) == arity else None
