"""Where messages go to: constants, `@Value`, settings, enums."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from contract_scan.parsers.source.facts import (
    Assign,
    Attribute,
    Call,
    Expr,
    Function,
    Name,
    NamedType,
    Return,
)
from contract_scan.parsers.source.java.annotations import argument, find
from contract_scan.parsers.source.java.properties import resolved, settings
from contract_scan.parsers.source.link.values import (
    ClassSymbol,
    FunctionValue,
    Instance,
    Scope,
    Typed,
)

if TYPE_CHECKING:
    from contract_scan.parsers.source.link.program import Program


class Address(Struct, frozen=True):
    """Where a message goes to or comes from."""

    text: str = ""
    why: str = ""
    """Why it could not be told; empty where it could."""


def address(program: Program, expr: Expr | None, scope: Scope) -> Address:
    """A constant text, or one that settings give: `@Value` members, `@ConfigurationProperties`."""
    if expr is None:
        return Address(why="no address is given")
    text = program.text(expr, scope) or _from_members(program, expr, scope)
    if text is None:
        text = _of_enum(program, expr, scope)
    if text is None:
        shown = program.template(expr, scope)
        if shown is not None and shown.strip("{}"):
            return Address(text=shown)
        return Address(why="the address is not a constant that can be followed")
    whole, missing = resolved(text, settings(program, scope.file.path))
    if missing:
        return Address(why=f"the property `{missing}` is set in no settings file")
    if whole.startswith("#{"):
        return Address(why="the address is an expression that is evaluated at run time")
    return Address(text=whole)


def _from_members(program: Program, expr: Expr, scope: Scope) -> str | None:
    """The placeholder of the member or parameter that an expression reads."""
    match expr:
        case Name(id=name) | Attribute(value=Name(id="this"), name=name):
            return _of_parameter(program, name, scope) or _of_member(program, name, scope)
        case Call(callee=Attribute(name="getProperty"), args=(key, *_)):
            text = program.text(key.value, scope)
            return None if text is None else f"${{{text}}}"
        case Call(callee=Attribute()) | Attribute():
            path = _settings_path(program, expr, scope)
            return None if path is None else f"${{{path}}}"
        case _:
            return None


def _of_parameter(program: Program, name: str, scope: Scope) -> str | None:
    function = scope.function
    for param in function.params if function is not None else ():
        if param.name == name:
            return program.text(argument(find(param.annotations, "Value"), "value"), scope)
    return None


def _of_member(program: Program, name: str, scope: Scope) -> str | None:
    """`@Value("${a.b}") String name;`, or a constructor parameter with it that sets the member."""
    owner = scope.owner
    if owner is None:
        return None
    for symbol, inside in program.types.chain(owner, program.class_scope(owner)):
        for member in symbol.decl.members:
            if member.name == name:
                text = program.text(argument(find(member.annotations, "Value"), "value"), inside)
                if text is not None:
                    return text
        for method in symbol.decl.methods:
            if "constructor" in method.modifiers:
                text = _of_constructor(program, name, method, symbol, inside)
                if text is not None:
                    return text
    return None


def _of_constructor(
    program: Program, name: str, method: Function, symbol: ClassSymbol, inside: Scope
) -> str | None:
    written = {p.name: argument(find(p.annotations, "Value"), "value") for p in method.params}
    if not any(written.values()):
        return None
    source = name
    for statement in program.body(method, symbol.file):
        match statement:
            case Assign(target=Attribute(value=Name(id="this"), name=target), value=Name(id=given)):
                if target == name:
                    source = given
            case _:
                pass
    return program.text(written.get(source), inside)


def _settings_path(program: Program, expr: Expr, scope: Scope) -> str | None:
    """The key that a chain of getters of a `@ConfigurationProperties` class reads."""
    names: list[str] = []
    while True:
        match expr:
            case Call(callee=Attribute(value=inner, name=name), args=()):
                names.append(_property(name))
                expr = inner
            case Attribute(value=inner, name=name) if not isinstance(inner, Name):
                names.append(name)
                expr = inner
            case _:
                break
    if not names or len(names) > 8:
        return None
    value = program.evaluate(expr, scope)
    symbol: ClassSymbol | None = getattr(value, "symbol", None)
    if isinstance(value, Typed) and isinstance(value.type, NamedType):
        found = program.names.lookup_type(value.type.name, value.scope)
        symbol = getattr(found, "symbol", None)
    if symbol is None:
        return None
    annotation = find(symbol.decl.annotations, "ConfigurationProperties")
    if annotation is None:
        return None
    inside = program.class_scope(symbol)
    prefix = program.text(argument(annotation, "prefix", "value"), inside)
    return None if prefix is None else ".".join((prefix, *reversed(names)))


def _property(getter: str) -> str:
    name = getter[3:] if getter.startswith("get") and len(getter) > 3 else getter
    return name[:1].lower() + name[1:]


def _of_enum(program: Program, expr: Expr, scope: Scope) -> str | None:
    """`Topic.ORDERS.getName()`: the field of an enum constant that a getter returns."""
    match expr:
        case Call(callee=Attribute(value=inner, name=method), args=()):
            value = program.evaluate(inner, scope)
            if not isinstance(value, Instance) or value.symbol.decl.kind != "enum":
                return None
            if method in ("name", "toString"):
                return _constant_name(value)
            found = program.find_method(value.symbol, method)
            field = _returned_field(program, found) if found is not None else None
            member = program.evaluator.member(value, field) if field is not None else None
            return program.evaluator.text(member) if member is not None else None
        case _:
            return None


def _constant_name(value: Instance) -> str | None:
    """The name of an enum's constant, which stands where the constant does."""
    members = value.symbol.decl.members
    if value.site is None:
        return None
    return next((member.name for member in members if member.span == value.site.span), None)


def _returned_field(program: Program, method: FunctionValue) -> str | None:
    for statement in program.body(method.function, method.scope.file):
        match statement:
            case Return(value=Name(id=name) | Attribute(value=Name(id="this"), name=name)):
                return name
            case _:
                return None
    return None
