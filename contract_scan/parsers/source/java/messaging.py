"""What messaging libraries share: addresses from settings, payloads, calls through own wrappers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.ir.schema import Schema, Unknown
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
from contract_scan.parsers.source.java.annotations import argument, find, type_name
from contract_scan.parsers.source.java.evidence import holding
from contract_scan.parsers.source.java.models.classes import GSON_MAPPER
from contract_scan.parsers.source.java.models.jackson_settings import wire_variant
from contract_scan.parsers.source.java.overloads import may_mean
from contract_scan.parsers.source.java.properties import resolved, settings
from contract_scan.parsers.source.java.texts import WRITERS
from contract_scan.parsers.source.link.values import (
    ClassSymbol,
    FunctionValue,
    Instance,
    Made,
    Scope,
    Typed,
    Unresolved,
    Value,
)
from contract_scan.parsers.source.link.walk import calls_in

if TYPE_CHECKING:
    from contract_scan.ir.origin import Origin
    from contract_scan.parsers.source.link.program import Program

MAX_CALLERS = 200
"""How many calls of a wrapper are followed."""
PLAIN_MAPPER = "mapper=plain"
"""Variant of what a converter writes with a mapper of its own."""


class Address(Struct, frozen=True):
    """Where a message goes to or comes from."""

    text: str = ""
    why: str = ""
    """Why it could not be told; empty where it could."""


# --------------------------------------------------------------------------- addresses


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
            if method == "name":
                return inner.name if isinstance(inner, Attribute) else None
            found = program.find_method(value.symbol, method)
            field = _returned_field(program, found) if found is not None else None
            member = program.evaluator.member(value, field) if field is not None else None
            return program.evaluator.text(member) if member is not None else None
        case _:
            return None


def _returned_field(program: Program, method: FunctionValue) -> str | None:
    for statement in program.body(method.function, method.scope.file):
        match statement:
            case Return(value=Name(id=name) | Attribute(value=Name(id="this"), name=name)):
                return name
            case _:
                return None
    return None


# --------------------------------------------------------------------------- payloads


def payload_schema(
    program: Program, value: Value, path: str, origin: Origin, converter: str
) -> tuple[Schema, str]:
    """The shape of what is sent, and the name of its type. `converter` is the variant that the
    library's own converter writes with; text made by a mapper is what the mapper was given."""
    variant = converter
    value = program.evaluator.unwrapped(value)
    if isinstance(value, Made) and value.name.endswith(WRITERS) and value.site.args:
        is_gson = value.name.endswith(".toJson")
        variant = GSON_MAPPER if is_gson else wire_variant(program, path)
        value = program.evaluator.unwrapped(program.evaluate(value.site.args[0].value, value.scope))
    if isinstance(value, Unresolved):
        return Unknown(reason=value.reason, origin=origin), ""
    name = _name_of(program, value)
    schema = program.schema_of(value, variant)
    if name in ("String", "byte[]"):
        return Unknown(reason="the payload is text that is sent as it is", origin=origin), ""
    return schema, name


def _name_of(program: Program, value: Value) -> str:
    match value:
        case Typed(type=type, scope=scope):
            if isinstance(type, NamedType):
                found = program.names.lookup_type(type.name, scope)
                inner = getattr(found, "type", None)
                if isinstance(inner, NamedType):
                    return type_name(inner)
            return type_name(type)
        case Instance(symbol=symbol):
            return symbol.decl.name
        case _:
            return ""


# --------------------------------------------------------------------------- wrappers


class Site(Struct, frozen=True, eq=False):
    """A place that sends: a call of the library, seen from where its arguments are known."""

    call: Call
    scope: Scope
    shown: Call
    """The call to show: the caller's, where a wrapper sends what it is given."""
    shown_scope: Scope


def sites(program: Program, call: Call, scope: Scope, exprs: tuple[Expr | None, ...]) -> list[Site]:
    """The call itself; or, where one of its arguments is a parameter of the method around it that
    leaves the address or payload open, one site for every caller of that method."""
    itself = Site(call, scope, call, scope)
    function = scope.function
    if function is None or not any(_is_open(program, expr, scope) for expr in exprs):
        return [itself]
    found = [_seen_from(program, itself, *place) for place in _callers(program, function, scope)]
    return found[:MAX_CALLERS] or [itself]


def _is_open(program: Program, expr: Expr | None, scope: Scope) -> bool:
    """Whether an expression is a parameter whose declared type says too little."""
    if expr is None or scope.function is None:
        return False
    if isinstance(expr, Call) and expr.args and isinstance(expr.callee, Attribute):
        # `writeValueAsString(event)`: what counts is what is written.
        return any(_is_open(program, a.value, scope) for a in expr.args)
    if not isinstance(expr, Name):
        return False
    for param in scope.function.params:
        if param.name == expr.id:
            name = type_name(param.type)
            generic = {p.name for p in scope.function.type_params}
            return name in ("String", "Object") or name in generic or len(name) == 1
    return False


def _callers(program: Program, function: Function, scope: Scope) -> Iterator[tuple[Call, Scope]]:
    """Calls of a method anywhere in the program."""
    for path in holding(program, scope.file.path, f"{function.name}(".encode()):
        file = program.facts(path)
        for symbol in program.classes(file):
            inside = program.class_scope(symbol)
            for method in symbol.decl.methods:
                if method is function:
                    continue
                place = program.function_scope(method, inside)
                for call, within in calls_in(program, place.statements or (), place):
                    if isinstance(call, Call) and _calls(program, call, within, function, scope):
                        yield call, within


def _calls(program: Program, call: Call, within: Scope, function: Function, scope: Scope) -> bool:
    """Whether a call leads to the method: by name first, which costs nothing."""
    match call.callee:
        case Attribute(name=name) | Name(id=name) if name == function.name:
            pass
        case _:
            return False
    if len(call.args) != len(function.params):
        return False
    if isinstance(call.callee, Name):
        owner = within.owner
        if owner is None or scope.owner is None or owner.key != scope.owner.key:
            return False
        return _takes(program, call, within, function, scope)
    receiver = program.evaluate(call.callee.value, within)
    symbol: ClassSymbol | None = getattr(receiver, "symbol", None)
    if isinstance(receiver, Typed) and isinstance(receiver.type, NamedType):
        found = program.names.lookup_type(receiver.type.name, receiver.scope)
        symbol = getattr(found, "symbol", None)
    if symbol is None or scope.owner is None:
        return False
    keys = {symbol.key, *(base.key for base in program.bases(symbol))}
    own = {scope.owner.key, *(base.key for base in program.bases(scope.owner))}
    return not keys.isdisjoint(own) and _takes(program, call, within, function, scope)


def _takes(program: Program, call: Call, within: Scope, function: Function, scope: Scope) -> bool:
    """Whether, among methods of its name, the arguments may be meant for this one."""
    method = FunctionValue(function, scope.parent or scope, scope.owner, scope.receiver)
    values = tuple(program.evaluate(argument.value, within) for argument in call.args)
    return may_mean(program, method, values)


def _seen_from(program: Program, site: Site, call: Call, within: Scope) -> Site:
    """The library's call with the parameters of the method around it bound to a caller's
    arguments."""
    function = site.scope.function
    assert function is not None
    bound = {
        param.name: program.evaluate(argument.value, within)
        for param, argument in zip(function.params, call.args, strict=False)
    }
    scope = replace(site.scope, bindings={**site.scope.bindings, **bound})
    return Site(site.call, scope, call, within)
