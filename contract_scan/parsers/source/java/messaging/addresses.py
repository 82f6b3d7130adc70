"""Where messages go to: constants, `@Value`, settings, enums."""

from __future__ import annotations

from msgspec.structs import replace

from contract_scan.ir.reasons import Reason
from contract_scan.parsers.source.analysis.dataflow.constructor_parameters import assigned_from
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    ByType,
    ClassSymbol,
    FunctionValue,
    Instance,
    Scope,
)
from contract_scan.parsers.source.analysis.evaluation.call_sites import calls_in
from contract_scan.parsers.source.analysis.evaluation.setting_defaults import assume
from contract_scan.parsers.source.facts.nodes import (
    Assign,
    Attribute,
    Call,
    Expr,
    Function,
    Name,
    NamedType,
    Return,
)
from contract_scan.parsers.source.java.resolution.annotations import argument, find
from contract_scan.parsers.source.java.resolution.properties import (
    has_default,
    resolve_placeholders,
    settings,
)
from contract_scan.parsers.source.messaging.addresses import Address


def address(program: Program, expr: Expr | None, scope: Scope) -> Address:
    """A constant text, or one that settings give: `@Value` members, `@ConfigurationProperties`."""
    if expr is None:
        return Address(reason=Reason("no-address"))
    text = program.text(expr, scope) or _from_members(program, expr, scope)
    if text is None:
        text = _of_object(program, expr, scope)
    if text is None:
        shown = program.template(expr, scope)
        if shown is not None and shown.strip("{}"):
            return Address(text=shown)
        return Address(reason=Reason("address-not-constant"))
    values = settings(program, scope.file.path)
    whole, missing = resolve_placeholders(text, values)
    if missing:
        return Address(reason=Reason("property-not-set", missing=missing))
    if whole.startswith("#{"):
        return Address(reason=Reason("address-expression-at-run-time"))
    if has_default(text, values):
        assume(program, whole)
    return Address(text=whole)


def _from_members(program: Program, expr: Expr, scope: Scope) -> str | None:
    """The placeholder of the member or parameter that an expression reads."""
    match expr:
        case Name(id=name) | Attribute(value=Name(id="this"), name=name):
            return (
                _of_parameter(program, name, scope)
                or _of_member(program, name, scope)
                or _of_super(program, name, scope)
            )
        case Call(callee=Name(id=name), args=()):
            return _of_own_method(program, name, scope)
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


def _of_own_method(program: Program, name: str, scope: Scope) -> str | None:
    """What a method gives in the class below that fills it in: `topic()`."""
    receiver = scope.receiver
    return _given_by(program, receiver, name) if isinstance(receiver, Instance) else None


def _given_by(program: Program, value: Instance, name: str) -> str | None:
    """The only text that a method of an object gives."""
    method = program.find_method(value.symbol, name)
    if method is None:
        return None
    texts = {
        program.text(given.value, given.scope) or _from_members(program, given.value, given.scope)
        for given in program.function_exits(replace(method, receiver=value))
        if given.value is not None and not given.thrown
    }
    return texts.pop() if len(texts) == 1 else None


def _of_super(program: Program, name: str, scope: Scope) -> str | None:
    """The text that the class below gives the constructor which sets a member:
    `super(template, "orders")`."""
    owner, receiver = scope.owner, scope.receiver
    if owner is None or not isinstance(receiver, Instance) or receiver.symbol.key == owner.key:
        return None
    given = assigned_from(program, owner, name)
    inside = program.class_scope(receiver.symbol)
    above = [m.params for m in owner.decl.methods if "constructor" in m.modifiers]
    for method in receiver.symbol.decl.methods:
        if "constructor" not in method.modifiers or len(above) != 1:
            continue
        place = program.function_scope(method, inside)
        for call, within in calls_in(program, place.statements or (), place):
            if not isinstance(call, Call) or getattr(call.callee, "id", "") != "super":
                continue
            for param, passed in zip(above[0], call.args, strict=False):
                if param.name in given:
                    text = program.text(passed.value, within)
                    return text or _from_members(program, passed.value, within)
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
    if isinstance(value, ByType):
        symbol = program.names.declared_class(value.type, value.scope)
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


def _of_object(program: Program, expr: Expr, scope: Scope) -> str | None:
    """`Topic.ORDERS.getName()`: the field of an enum constant that a getter returns; what a method
    of another object gives."""
    match expr:
        case Call(callee=Attribute(value=inner, name=method), args=()):
            value = _object(program, inner, scope)
            if value is None:
                return None
            if value.symbol.decl.kind != "enum":
                return _given_by(program, value, method)
            if method in ("name", "toString"):
                return _constant_name(value)
            found = program.find_method(value.symbol, method)
            field = _returned_field(program, found) if found is not None else None
            member = program.evaluator.member(value, field) if field is not None else None
            return program.evaluator.text(member) if member is not None else None
        case _:
            return None


def _object(program: Program, expr: Expr, scope: Scope) -> Instance | None:
    """What an expression gives, where it is sure to be of one class of the project."""
    value = program.evaluate(expr, scope)
    if isinstance(value, ByType) and isinstance(value.type, NamedType):
        symbol: ClassSymbol | None = program.names.declared_class(value.type, value.scope)
        if (
            symbol is None
            or symbol.decl.kind != "class"
            or program.names.classes.implementations(symbol)
        ):
            return None
        return Instance(symbol)
    return value if isinstance(value, Instance) else None


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
