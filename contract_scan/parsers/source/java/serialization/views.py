"""`@JsonView`: which properties a response shows."""

from __future__ import annotations

from collections.abc import Iterable

from contract_scan.parsers.source.analysis.domain.hooks import TypeUse
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import ClassSymbol, Scope
from contract_scan.parsers.source.facts.nodes import Annotation
from contract_scan.parsers.source.java.resolution.annotations import (
    argument,
    class_argument,
    find,
    items,
)
from contract_scan.parsers.source.java.serialization.jackson.properties import Property
from contract_scan.parsers.source.java.serialization.jackson.registered_modules import type_key

_MARK = "view="


def variant_of_method(
    program: Program, variant: str, annotations: Iterable[tuple[Annotation, Scope]]
) -> str:
    """The variant under which a method with these annotations sends its body: Spring and the JSON
    provider of JAX-RS both write what the view of the method shows."""
    for annotation, scope in annotations:
        shown: list[ClassSymbol] = []
        for item in items(argument(find([annotation], "JsonView"), "value")):
            type = class_argument(item)
            found = program.names.declared_class(type, scope)
            if found is not None:
                shown.extend((found, *program.bases(found)))
        if shown:
            return _view_variant(variant, tuple(shown))
    return variant


def _view_variant(variant: str, views: tuple[ClassSymbol, ...]) -> str:
    """The variant that shows just what a view and those it extends show."""
    keys = " ".join(view.key for view in views)
    return f"{variant};{_MARK}{keys}"


def view_of(variant: str) -> frozenset[str]:
    """Keys of the view classes that a variant shows; empty: everything."""
    for part in variant.split(";"):
        if part.startswith(_MARK):
            return frozenset(part.removeprefix(_MARK).split(" "))
    return frozenset()


def in_view(use: TypeUse, found: Property, view: frozenset[str], shown_by_default: bool) -> bool:
    """Whether a property is shown; `shown_by_default` speaks of those without a view."""
    for accessor in found.accessors:
        annotation = find(accessor.annotations, "JsonView")
        if annotation is None:
            continue
        for item in items(argument(annotation, "value")):
            type = class_argument(item)
            if type is not None and type_key(use.program, type, accessor.scope) in view:
                return True
        return False
    return shown_by_default
