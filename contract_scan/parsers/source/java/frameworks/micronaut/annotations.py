"""Annotations of Micronaut."""

from __future__ import annotations

from collections.abc import Iterable

from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import Scope
from contract_scan.parsers.source.facts.nodes import Annotation
from contract_scan.parsers.source.java.resolution.annotations import library_name
from contract_scan.parsers.source.java.web.handlers import Method
from contract_scan.parsers.source.java.web.routes import VERBS_BY_ANNOTATION

_PACKAGES = ("io.micronaut",)
VERBS = {**VERBS_BY_ANNOTATION, "CustomHttpMethod": ""}


def micronaut_name(program: Program, annotation: Annotation, scope: Scope) -> str:
    """The simple name of an annotation of Micronaut; empty for any other."""
    return library_name(program, annotation, scope, _PACKAGES)


def micronaut(
    program: Program, annotations: Iterable[Annotation], scope: Scope, *names: str
) -> Annotation | None:
    """The first annotation that is one of Micronaut with one of the simple names."""
    for annotation in annotations:
        simple = annotation.name.rpartition(".")[2]
        if simple in names and micronaut_name(program, annotation, scope):
            return annotation
    return None


def of_method(program: Program, method: Method, *names: str) -> tuple[Annotation, Scope] | None:
    """The annotation of a method, or of the nearest one it overrides that has it."""
    for annotation, scope in method.annotations():
        if micronaut(program, [annotation], scope, *names) is not None:
            return annotation, scope
    return None
