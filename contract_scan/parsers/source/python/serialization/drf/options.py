"""Options that the constructor of a serializer sets on its fields."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from contract_scan.ir.schema import (
    Field,
    with_nullable,
)
from contract_scan.parsers.source.analysis.domain.values import ClassSymbol
from contract_scan.parsers.source.facts.nodes import (
    Assign,
    Attribute,
    Expr,
    Index,
    LiteralExpr,
    Name,
    Statement,
)

if TYPE_CHECKING:
    from contract_scan.parsers.source.analysis.domain.program import Program


_OPTIONS = frozenset({"required", "read_only", "allow_null"})
_OF_NO_ACCOUNT = frozenset(
    {"queryset", "help_text", "label", "style", "initial", "error_messages", "validators"}
)


def option_set(statement: Statement) -> tuple[str, str, Expr | None] | None:
    """Field, option and value of `self.fields["field"].option = value`."""
    match statement:
        case Assign(
            target=Attribute(
                value=Index(
                    value=Attribute(value=Name(id="this"), name="fields"),
                    index=LiteralExpr(value=str(field)),
                ),
                name=option,
            ),
            value=value,
        ) if option in _OPTIONS | _OF_NO_ACCOUNT:
            return field, option, value
        case _:
            return None


def options_set(program: Program, symbol: ClassSymbol, field: Field, name: str) -> Field:
    """A field with the options that constructors of its serializer set."""
    for owner in reversed((symbol, *program.bases(symbol))):
        for method in owner.decl.methods:
            if "constructor" not in method.modifiers and method.name != "__init__":
                continue
            for statement in program.body(method, owner.file):
                match option_set(statement):
                    case (option, "read_only", LiteralExpr(value=True)) if option == name:
                        field = replace(field, read_only=True, has_default=True)
                    case (option, "required" | "read_only", value) if option == name:
                        needed = isinstance(value, LiteralExpr) and value.value is True
                        field = replace(field, has_default=not needed)
                    case (option, "allow_null", _) if option == name:
                        shape = with_nullable(field.schema, None)
                        field = replace(field, schema=shape)
                    case _:
                        pass
    return field
