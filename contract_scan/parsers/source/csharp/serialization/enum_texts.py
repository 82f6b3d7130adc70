"""The text that an expression makes of each constant of an enum: `value.ToString().ToLower()`."""

from __future__ import annotations

from contract_scan.ir.schema import Scalar
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import ClassSymbol, Scope
from contract_scan.parsers.source.csharp.resolution.annotations import find
from contract_scan.parsers.source.csharp.serialization.naming import POLICIES, wire_name
from contract_scan.parsers.source.facts.nodes import (
    Attribute,
    Call,
    Expr,
    LiteralExpr,
    Member,
    Name,
    Text,
)

_MAX_DEPTH = 20


def enum_texts(
    program: Program, symbol: ClassSymbol, expr: Expr, name: str, scope: Scope
) -> tuple[str, ...] | None:
    """What an expression gives for every constant of an enum that the variable `name` holds; None
    where that is undetermined."""
    if find(symbol.decl.annotations, "Flags") is not None:
        return None
    made = [_text(expr, name, member.name) for member in value_members(symbol)]
    known = [text for text in made if text is not None]
    if known and len(known) == len(made):
        return tuple(dict.fromkeys(known))
    shape = program.types.flat(program.infer(expr, scope))
    if not isinstance(shape, Scalar) or shape.type != "string" or not shape.values:
        return None
    return tuple(str(value) for value in shape.values)


def value_members(symbol: ClassSymbol) -> tuple[Member, ...]:
    """The constants that are values. One called `Null` that is the default stands for no value
    (generators of other formats need a zero), and is not sent as one."""
    members = symbol.decl.members
    unset = bool(members) and members[0].name == "Null" and members[0].value is None
    return members[1:] if unset else members


def _text(expr: Expr, name: str, constant: str, depth: int = 0) -> str | None:
    if depth > _MAX_DEPTH:
        return None
    match expr:
        case Text(parts=parts):
            texts = [_part(part, name, constant, depth + 1) for part in parts]
            known = [text for text in texts if text is not None]
            return "".join(known) if len(known) == len(texts) else None
        case Call(callee=Attribute(value=Name(id=id), name="ToString"), args=()) if id == name:
            return constant
        case Call(callee=Attribute(value=Name(id="Enum"), name="GetName"), args=args):
            named = any(isinstance(a.value, Name) and a.value.id == name for a in args)
            return constant if named else None
        case Call(callee=Attribute(name="ConvertName", value=policy), args=(inner,)):
            naming = POLICIES.get(policy.name) if isinstance(policy, Attribute) else None
            text = _text(inner.value, name, constant, depth + 1)
            return None if naming is None or text is None else wire_name(text, naming)
        case Call(callee=Attribute(value=value, name=method), args=args):
            text = _text(value, name, constant, depth + 1)
            return None if text is None else _changed_text(text, method, [a.value for a in args])
        case _:
            return None


def _part(expr: Expr, name: str, constant: str, depth: int) -> str | None:
    match expr:
        case LiteralExpr(value=str() as text):
            return text
        case Name(id=id) if id == name:
            return constant
        case _:
            return _text(expr, name, constant, depth)


def _changed_text(text: str, method: str, args: list[Expr]) -> str | None:
    match method, args:
        case (("ToLower" | "ToLowerInvariant"), []):
            return text.lower()
        case (("ToUpper" | "ToUpperInvariant"), []):
            return text.upper()
        case "Replace", [LiteralExpr(value=str() as old), LiteralExpr(value=str() as new)] if old:
            return text.replace(old, new)
        case _:
            return None
