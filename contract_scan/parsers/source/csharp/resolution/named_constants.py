"""The constants that a name or a path of names gives: of enums, of libraries, and static members
that nothing sets later."""

from __future__ import annotations

from collections.abc import Callable

from contract_scan.parsers.source.analysis.domain.path_facts import EnumConstant
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    ClassSymbol,
    ClassValue,
    Constant,
    Instance,
    LibrarySymbol,
    Scope,
)
from contract_scan.parsers.source.analysis.refinement.argument_facts import library_constant
from contract_scan.parsers.source.csharp.resolution.abstract_objects import (
    OPAQUE,
    Object,
    Place,
    Plain,
)
from contract_scan.parsers.source.csharp.resolution.constructed_members import (
    is_fixed,
    static_member,
)
from contract_scan.parsers.source.facts.nodes import Attribute, Expr, Name, TypeExpr


class NamedConstants:
    """Looks up constants by their names."""

    def __init__(
        self,
        program: Program,
        converted: Callable[[Expr, Place, TypeExpr | None, Scope], tuple[Object, ...]],
    ) -> None:
        self._program = program
        self._converted = converted

    def objects(self, expr: Name | Attribute, place: Place) -> tuple[Object, ...]:
        """A constant of an enum, or a static member of a class that nothing sets later."""
        scope = place.scope
        if isinstance(expr, Attribute):
            holder = self._class_named(expr.value, scope)
            if holder is not None:
                return self._static_member(holder, expr.name)
            root = _root(expr)
            if root is None or self._is_variable(root, scope):
                return OPAQUE
        elif scope.owner_around is not None:
            owner = scope.owner_around
            for symbol in (owner, *self._program.bases(owner)):
                member = static_member(self._program, symbol, expr.id)
                if member is not None:
                    return self._static_member(symbol, expr.id)
        value = self._program.evaluate(expr, scope)
        match value:
            case Constant(value=held, declared_type=None):
                return (Plain(held),)
            case Instance(symbol=symbol, constant=name) if name:
                return (Plain(EnumConstant(symbol.key, name)),)
            case LibrarySymbol(name=name) if "(" not in name:
                constant = library_constant(self._program, name)
                return OPAQUE if constant is None else (Plain(constant),)
            case _:
                return OPAQUE

    def _is_variable(self, name: Name, scope: Scope | None) -> bool:
        """Whether a name is that of a local variable or of a parameter."""
        while scope is not None:
            statements = scope.statements or ()
            if self._program.names.locals.reaching(statements, name.id, name.span):
                return True
            if scope.function is not None and any(p.name == name.id for p in scope.function.params):
                return True
            scope = scope.parent
        return False

    def _class_named(self, expr: Expr, scope: Scope) -> ClassSymbol | None:
        """The class of the project that stands before a static member."""
        match expr:
            case Name(id=id):
                found = self._program.names.lookup_type(id, scope)
                return found.symbol if isinstance(found, ClassValue) else None
            case Attribute():
                value = self._program.evaluate(expr, scope)
                return value.symbol if isinstance(value, ClassValue) else None
            case _:
                return None

    def _static_member(self, symbol: ClassSymbol, name: str) -> tuple[Object, ...]:
        found = static_member(self._program, symbol, name)
        if found is None:
            return OPAQUE
        owner, member = found
        if member.kind == "enum":
            return (Plain(EnumConstant(owner.key, name)),)
        if member.value is None or not is_fixed(member):
            return OPAQUE
        inside = Place(self._program.class_scope(owner))
        return self._converted(member.value, inside, member.type, inside.scope)


def _root(expr: Expr) -> Name | None:
    """The name that a path begins with."""
    while isinstance(expr, Attribute):
        expr = expr.value
    return expr if isinstance(expr, Name) else None
