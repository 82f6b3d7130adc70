"""Enumerations: the values on the wire."""

from __future__ import annotations

from contract_scan.ir.schema import LiteralValue, Scalar, Schema, Unknown
from contract_scan.parsers.source.analysis.domain.hooks import TypeUse
from contract_scan.parsers.source.analysis.domain.schemas import unite
from contract_scan.parsers.source.analysis.domain.values import (
    ClassSymbol,
    Constant,
    Items,
    Made,
    Value,
)
from contract_scan.parsers.source.python.serialization.kinds import LibraryBase

_BASES = frozenset({"Enum", "IntEnum", "StrEnum", "Flag", "IntFlag"})
_CHOICES = frozenset({"TextChoices", "IntegerChoices", "Choices"})


def is_enum(symbol: ClassSymbol, bases: tuple[LibraryBase, ...]) -> bool:
    """Whether a class is an enumeration, itself or through its bases."""
    return symbol.decl.kind == "enum" or any(b.simple_name in _BASES | _CHOICES for b in bases)


def schema(use: TypeUse, symbol: ClassSymbol, bases: tuple[LibraryBase, ...]) -> Schema:
    """The values of an enumeration, as serializers write them: by value."""
    names = {base.simple_name for base in bases}
    values: list[LiteralValue] = []
    for owner, scope in reversed(use.chain(symbol)):
        for member in owner.decl.members:
            if member.name.startswith("_") or member.type is not None or member.value is None:
                continue
            value = use.program.evaluate(member.value, scope)
            constant = _constant(value, member.name, len(values), names)
            if constant is None:
                reason = f"the value of `{symbol.decl.name}.{member.name}` is not constant"
                return _of_mixin(use, names) or Unknown(reason=reason, origin=symbol.origin)
            values.append(constant.value)
    if not values:
        return _of_mixin(use, names) or Unknown(
            reason=f"`{symbol.decl.name}` has no constants", origin=symbol.origin
        )
    if all(isinstance(v, str) for v in values):
        return Scalar(type="string", values=tuple(values), origin=symbol.origin)
    if all(isinstance(v, int) and not isinstance(v, bool) for v in values):
        return Scalar(type="integer", values=tuple(values), origin=symbol.origin)
    return unite(use.program.types.literal(v, symbol.origin) for v in values)


def _of_mixin(use: TypeUse, names: set[str]) -> Schema | None:
    """Only the type is known, from the type mixed in."""
    if names & {"str", "StrEnum", "TextChoices"}:
        return Scalar(type="string", origin=use.origin)
    if names & {"int", "IntEnum", "IntegerChoices"}:
        return Scalar(type="integer", origin=use.origin)
    return None


def _constant(value: Value, name: str, position: int, names: set[str]) -> Constant | None:
    match value:
        case Constant():
            return value
        case Items(values=[Constant() as first, *_]) if names & _CHOICES:
            return first
        case Made(name="enum.auto" | "auto"):
            if "StrEnum" in names:
                return Constant(name.lower())
            return None if "str" in names else Constant(position + 1)
        case _:
            return None
