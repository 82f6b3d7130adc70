"""Spring's annotations, written directly or through annotations that the project composes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from msgspec import Struct

from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    ClassSymbol,
    ClassValue,
    LibrarySymbol,
    Scope,
)
from contract_scan.parsers.source.facts.nodes import Annotation, ArrayLiteral, Expr, LiteralExpr
from contract_scan.parsers.source.java.resolution.annotations import argument, class_argument, find

MAX_COMPOSITION = 5
"""How many levels of composed annotations are followed."""


class Merged(Struct, frozen=True, eq=False):
    """A Spring annotation with the values that it has where it is used."""

    name: str
    """Simple name of Spring's annotation."""
    values: Mapping[str, tuple[Expr, Scope]]
    """Elements given, each with the scope its value is to be read in."""
    used: Annotation
    """The annotation as it is written at the place of use."""

    def get(self, *names: str) -> tuple[Expr, Scope] | None:
        """The first of the elements that is given."""
        for name in names:
            if name in self.values:
                return self.values[name]
        return None

    def text(self, program: Program, *names: str) -> str | None:
        """The constant text of the first of the elements that is given."""
        found = self.get(*names)
        return None if found is None else program.text(*found)


def merged_annotations(
    program: Program, annotations: Iterable[Annotation], scope: Scope, wanted: frozenset[str]
) -> Iterator[Merged]:
    """Spring's annotations of the wanted simple names among those of a declaration."""
    for annotation in annotations:
        yield from _merge_annotation(program, annotation, scope, wanted, 0)


def first_merged(
    program: Program, annotations: Iterable[Annotation], scope: Scope, *names: str
) -> Merged | None:
    """The first of them."""
    return next(merged_annotations(program, annotations, scope, frozenset(names)), None)


def _merge_annotation(
    program: Program, annotation: Annotation, scope: Scope, wanted: frozenset[str], depth: int
) -> Iterator[Merged]:
    found = program.names.lookup_type(annotation.name, scope)
    match found:
        case LibrarySymbol(name=name):
            simple = name.rpartition(".")[2]
            known = "." not in name or name.startswith(("org.springframework.", "io.awspring."))
            if known and simple in wanted:
                values = {a.name or "value": (a.value, scope) for a in annotation.args}
                yield Merged(simple, values, annotation)
        case ClassValue(symbol=symbol) if depth < MAX_COMPOSITION:
            if symbol.decl.kind == "annotation":
                inside = program.class_scope(symbol)
                for meta in symbol.decl.annotations:
                    for below in _merge_annotation(program, meta, inside, wanted, depth + 1):
                        yield _with_aliases(below, annotation, scope, symbol, inside)
        case _:
            return


def _with_aliases(
    below: Merged, annotation: Annotation, scope: Scope, symbol: ClassSymbol, inside: Scope
) -> Merged:
    """The meta-annotation with the elements that the composed one overrides (`@AliasFor`)."""
    values = dict(below.values)
    for member in symbol.decl.members:
        alias = find(member.annotations, "AliasFor")
        target = class_argument(argument(alias, "annotation"))
        if target is None and (alias is not None or member.name == "value"):
            continue  # an alias within the annotation itself
        name = member.name
        if alias is not None:
            written = argument(alias, "attribute", "value")
            if isinstance(written, LiteralExpr) and isinstance(written.value, str):
                name = written.value
        given = argument(annotation, member.name)
        if given is not None:
            values[name] = (given, scope)
        elif member.value is not None and not _is_empty(member.value):
            values[name] = (member.value, inside)
    # What is given under one of the two names of an element hides the other.
    if ("path" in values) != ("path" in below.values):
        values.pop("value", None)
    return Merged(below.name, values, annotation)


def _is_empty(expr: Expr) -> bool:
    if isinstance(expr, ArrayLiteral):
        return not expr.items
    return isinstance(expr, LiteralExpr) and expr.value == ""


def composed_annotations(program: Program, wanted: frozenset[str]) -> dict[str, ClassSymbol]:
    """Annotation types of the project that are composed of the wanted ones, by simple name."""
    found: dict[str, ClassSymbol] = {}
    for path in program.files_containing(b"@interface"):
        for symbol in program.classes(program.facts(path)):
            if symbol.decl.kind != "annotation":
                continue
            scope = program.class_scope(symbol)
            if (
                next(merged_annotations(program, symbol.decl.annotations, scope, wanted), None)
                is not None
            ):
                found[symbol.decl.name] = symbol
    return found
