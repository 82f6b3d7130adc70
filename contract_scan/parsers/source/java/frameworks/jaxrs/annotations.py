"""Annotations of JAX-RS: which ones they are, and the verbs that a project adds."""

from __future__ import annotations

from collections.abc import Iterable

from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import ClassValue, Scope
from contract_scan.parsers.source.facts.nodes import Annotation
from contract_scan.parsers.source.java.resolution.annotations import argument, find, library_name

PACKAGES = ("javax.ws.rs", "jakarta.ws.rs")
_FURTHER = ("org.jboss.resteasy", "io.quarkus", "org.glassfish.jersey", "io.dropwizard.jersey")
VERBS = frozenset({"GET", "POST", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS"})


def jaxrs_name(program: Program, annotation: Annotation, scope: Scope) -> str:
    """The simple name of an annotation of JAX-RS (or of a library that extends it); empty for any
    other. Retrofit and Micronaut have annotations of the same names."""
    return library_name(program, annotation, scope, (*PACKAGES, *_FURTHER))


def jaxrs(
    program: Program, annotations: Iterable[Annotation], scope: Scope, *names: str
) -> Annotation | None:
    """The first annotation that is one of JAX-RS with one of the simple names."""
    for annotation in annotations:
        if annotation.name.rpartition(".")[2] in names and jaxrs_name(program, annotation, scope):
            return annotation
    return None


def verb_of(program: Program, annotation: Annotation, scope: Scope) -> str:
    """The HTTP method that an annotation stands for; empty for none."""
    simple = annotation.name.rpartition(".")[2]
    if simple in VERBS:
        return simple if jaxrs_name(program, annotation, scope) else ""
    found = program.names.lookup_type(annotation.name, scope)
    if isinstance(found, ClassValue) and found.symbol.decl.kind == "annotation":
        own = find(found.symbol.decl.annotations, "HttpMethod")
        inside = program.class_scope(found.symbol)
        return program.text(argument(own, "value"), inside) or ""
    return ""
