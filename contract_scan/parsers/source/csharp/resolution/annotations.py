"""Reading attributes of declarations: by name, with their arguments."""

from __future__ import annotations

from collections.abc import Iterable

from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import ClassSymbol, ClassValue, Scope
from contract_scan.parsers.source.facts.nodes import Annotation, Expr


def simple_name(annotation: Annotation) -> str:
    """The attribute's name without namespace and the optional suffix."""
    return annotation.name.rsplit(".", 1)[-1].removesuffix("Attribute")


def find(annotations: Iterable[Annotation], *names: str) -> Annotation | None:
    """The first attribute of one of these (simple) names."""
    for annotation in annotations:
        if simple_name(annotation) in names:
            return annotation
    return None


def find_all(annotations: Iterable[Annotation], *names: str) -> list[Annotation]:
    """All attributes of one of these (simple) names."""
    return [annotation for annotation in annotations if simple_name(annotation) in names]


def argument(annotation: Annotation, position: int, *names: str) -> Expr | None:
    """The argument under one of the names, or else at the position (-1: only by name)."""
    for given in annotation.args:
        if given.name and given.name in names:
            return given.value
    positional = [given.value for given in annotation.args if not given.name]
    return positional[position] if 0 <= position < len(positional) else None


def text(
    program: Program, annotation: Annotation, scope: Scope, position: int, *names: str
) -> str | None:
    """The constant string of an argument; None where there is none or it is not constant."""
    return program.text(argument(annotation, position, *names), scope)


def attribute_class(program: Program, annotation: Annotation, scope: Scope) -> ClassSymbol | None:
    """The class of the project that an attribute is of."""
    for name in (f"{annotation.name}Attribute", annotation.name):
        if not program.files_defining(name.rsplit(".", 1)[-1]):
            continue
        found = program.names.lookup_type(name, scope)
        if isinstance(found, ClassValue):
            return found.symbol
    return None
