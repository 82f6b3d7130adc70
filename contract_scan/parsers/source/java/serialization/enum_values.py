"""What fields and methods of enum constants give, told from how the constants are made."""

from __future__ import annotations

from typing import TYPE_CHECKING

from contract_scan.parsers.source.analysis.domain.values import ClassSymbol, Constant
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

if TYPE_CHECKING:
    from contract_scan.parsers.source.analysis.domain.program import Program

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
