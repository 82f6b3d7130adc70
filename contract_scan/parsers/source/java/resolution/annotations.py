"""Looking into annotations of Java declarations."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import ClassSymbol, LibrarySymbol, Scope
from contract_scan.parsers.source.facts.nodes import (
    Annotation,
    Argument,
    ArrayLiteral,
    Attribute,
    Call,
    Expr,
    LiteralExpr,
    Name,
    NamedType,
    NullableType,
    NullType,
    TypeExpr,
    TypeValue,
)


def simple_name(annotation: Annotation) -> str:
    """The last part of an annotation's name."""
    return annotation.name.rpartition(".")[2]


def find(annotations: Iterable[Annotation], *names: str) -> Annotation | None:
    """The first annotation with one of the simple names."""
    for annotation in annotations:
        if simple_name(annotation) in names:
            return annotation
    return None


def has(annotations: Iterable[Annotation], *names: str) -> bool:
    """Whether one of the annotations has one of the simple names."""
    return find(annotations, *names) is not None


def argument(annotation: Annotation | None, *names: str) -> Expr | None:
    """The value of the first of the elements that is given; `value` also when it stands alone."""
    return element_of(annotation.args, *names) if annotation is not None else None


def element_of(args: tuple[Argument, ...], *names: str) -> Expr | None:
    """The value of an element, from the arguments alone (nested annotations are calls)."""
    for name in names:
        for element in args:
            if element.name == name or (name == "value" and not element.name):
                return element.value
    return None


def items(expr: Expr | None) -> tuple[Expr, ...]:
    """The items of an array element; a single value stands for a list of one."""
    if expr is None:
        return ()
    return expr.items if isinstance(expr, ArrayLiteral) else (expr,)


def nested_annotations(expr: Expr | None) -> Iterator[Call]:
    """Nested annotations of an element."""
    for item in items(expr):
        if isinstance(item, Call):
            yield item


def constant_name(expr: Expr | None) -> str:
    """The last name of an enum constant or a constant as written: `Include.NON_NULL`."""
    match expr:
        case Attribute(name=name):
            return name
        case Name(id=name):
            return name
        case _:
            return ""


def flag(expr: Expr | None, default: bool = False) -> bool:
    """A boolean element written out."""
    if isinstance(expr, LiteralExpr) and isinstance(expr.value, bool):
        return expr.value
    return default


def is_hidden(annotations: Iterable[Annotation], *describing: str) -> bool:
    """Whether annotations leave what they stand at out of the documentation: one that does nothing
    else, or `hidden` of one of those that describe it."""
    own = tuple(annotations)
    if has(own, "Hidden", "ApiIgnore"):
        return True
    return any(flag(argument(each, "hidden")) for each in own if simple_name(each) in describing)


def class_argument(expr: Expr | None) -> NamedType | None:
    """The type of a `T.class` element; `Void.class` and `void.class` stand for none."""
    if not isinstance(expr, TypeValue) or isinstance(expr.type, NullType):
        return None
    if not isinstance(expr.type, NamedType) or expr.type.name in ("Void", "java.lang.Void"):
        return None
    return expr.type


def type_name(type: TypeExpr | None) -> str:
    """The simple name of a type; empty where it has none."""
    match type:
        case NamedType(name=name):
            return name.rpartition(".")[2]
        case NullableType(item=NamedType(name=name)):
            return name.rpartition(".")[2]
        case _:
            return ""


def own_and_inherited(
    chain: Iterable[tuple[ClassSymbol, Scope]], *names: str
) -> tuple[Annotation, Scope] | None:
    """The annotation of a class, or of the nearest of its ancestors that has it, with the scope
    its values are to be read in."""
    for symbol, scope in chain:
        annotation = find(symbol.decl.annotations, *names)
        if annotation is not None:
            return annotation, scope
    return None


def library_name(
    program: Program, annotation: Annotation, scope: Scope, packages: tuple[str, ...]
) -> str:
    """The simple name of an annotation of a library, by the beginnings of its packages; empty for
    any other. Libraries have annotations of the same names."""
    found = program.names.lookup_type(annotation.name, scope)
    if not isinstance(found, LibrarySymbol):
        return ""
    package, _, simple = found.name.rpartition(".")
    if not package:
        stars = [entry.module for entry in scope.file.imports if entry.name == "*"]
        return simple if any(module.startswith(packages) for module in stars) else ""
    return simple if package.startswith(packages) else ""
