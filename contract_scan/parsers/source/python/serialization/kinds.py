"""What kind of class it is: which library's base or decorator decides how it is written."""

from __future__ import annotations

from msgspec import Struct

from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    ClassSymbol,
    ClassValue,
    LibraryResult,
    LibrarySymbol,
    Scope,
    Value,
)
from contract_scan.parsers.source.analysis.typing import kinds
from contract_scan.parsers.source.facts.nodes import (
    AnnotatedType,
    Annotation,
    Attribute,
    Expr,
    Name,
    NamedType,
    TypeExpr,
)


class LibraryBase(Struct, frozen=True, eq=False):
    """A base class from a library, somewhere among the ancestors of a class."""

    name: str
    """Qualified name (`pydantic.BaseModel`)."""
    type: NamedType
    owner: ClassSymbol
    scope: Scope
    """Where the base is written."""

    @property
    def simple_name(self) -> str:
        """The last part of the name."""
        return self.name.rpartition(".")[2]


def library_bases(program: Program, symbol: ClassSymbol) -> tuple[LibraryBase, ...]:
    """Library classes that a class inherits from, directly or not, nearest first."""
    key = f"python.library_bases:{symbol.key}"
    known = program.memory.get(key)
    if isinstance(known, tuple):
        return known
    found: list[LibraryBase] = []
    for owner in (symbol, *program.bases(symbol)):
        scope = program.class_scope(owner)
        outside = scope.parent or scope
        for base in owner.decl.bases:
            named = _named_base(base)
            if named is None:
                continue
            name = _library_name(program, named, outside)
            if name:
                found.append(LibraryBase(name, named, owner, scope))
    result = tuple(found)
    program.memory[key] = result
    return result


def _named_base(base: TypeExpr) -> NamedType | None:
    if isinstance(base, AnnotatedType):
        base = base.item
    return base if isinstance(base, NamedType) else None


def _library_name(program: Program, base: NamedType, scope: Scope) -> str:
    first, *rest = base.name.split(".")
    expr: Expr = Name(first, span=base.span)
    for part in rest:
        expr = Attribute(expr, part, span=base.span)
    match program.evaluate(expr, scope):
        case LibrarySymbol(name=name):
            return name
        case LibraryResult(name=name):
            return f"{name}()"  # `Base = declarative_base()`
        case _:
            return ""


def decorator(program: Program, symbol: ClassSymbol, names: frozenset[str]) -> Annotation | None:
    """The decorator of a class that is one of these library functions, by qualified name."""
    scope = program.class_scope(symbol)
    outside = scope.parent or scope
    for annotation in symbol.decl.annotations:
        if annotation.callee is None:
            continue
        if program.qualified_name(annotation.callee, outside) in names:
            return annotation
    return None


def class_of(program: Program, value: Value | None) -> ClassSymbol | None:
    """The project class that a value is of, or is."""
    return value.symbol if isinstance(value, ClassValue) else kinds.class_of(program, value)


__all__ = ["LibraryBase", "class_of", "decorator", "library_bases"]
