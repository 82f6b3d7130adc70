"""Binders that decide what a parameter looks like in a request, whatever its type is declared as.

https://learn.microsoft.com/aspnet/core/mvc/advanced/custom-model-binding
"""

from __future__ import annotations

import re

from msgspec import Struct

from contract_scan.parsers.source.analysis.domain.memo import memoised
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import ClassSymbol, ClassValue, Scope
from contract_scan.parsers.source.csharp.resolution.annotations import (
    argument,
    find_all,
    simple_name,
)
from contract_scan.parsers.source.csharp.resolution.partial_classes import merged_annotations
from contract_scan.parsers.source.csharp.resolution.source_text import lines_of
from contract_scan.parsers.source.csharp.serialization.settings.options import unqualified_name
from contract_scan.parsers.source.facts.nodes import (
    Annotation,
    NamedType,
    NullableType,
    TypeExpr,
    TypeValue,
)

_MARKS = ("ModelBinder", "FromUri")
_ATTRIBUTES = frozenset({"ModelBinder", "ModelBinderAttribute", "CustomModelBinderAttribute"})
_PARSERS = frozenset({"TryParse", "BindAsync"})
_BINDING = frozenset({"BindModelAsync", "BindModel", "BindAsync"})
_NAMES = (b"ModelName", b"FieldName", b"ModelMetadata")
"""How binders ask for the name of what they bind."""
_PROVIDER = rb"IModelBinderProvider"
_TYPES = re.compile(rb"\btypeof\s*\(\s*([\w.]+)")
_MADE = re.compile(rb"\bnew\s+(?:BinderTypeModelBinder\s*\(\s*typeof\s*\(\s*)?([\w.]*Binder)\b")


class BoundBy(Struct, frozen=True, eq=False):
    """What makes a value of a request's text."""

    name: str
    symbol: ClassSymbol | None = None
    """Its class, where it is the project's and known."""


def model_binder(
    program: Program, annotations: tuple[Annotation, ...], type: TypeExpr, scope: Scope
) -> BoundBy | None:
    """What makes a value of a type from a request: a binder that the parameter, the type or a
    provider names, or the type's own way to read texts. None: it is read as its type says."""
    by = _binder_attribute(program, annotations, scope)
    if by is not None:
        return _binder_named(program, by, scope)
    inner = type.item if isinstance(type, NullableType) else type
    if not isinstance(inner, NamedType):
        return None
    provided = _binders_of_providers(program).get(unqualified_name(inner.name))
    if provided is not None:
        return provided
    found = program.names.declared_class(inner, scope)
    return _of_class(program, found) if found is not None else None


def reads_own_name(program: Program, by: BoundBy) -> bool:
    """Whether a binder may read the text that is named like its parameter. One of the project that
    asks for no name makes its value of something else."""
    methods = by.symbol.decl.methods if by.symbol is not None else ()
    if by.symbol is None or not any(method.name in _BINDING for method in methods):
        return True
    text = lines_of(program, by.symbol.file.path, by.symbol.decl.span)
    return any(name in text for name in _NAMES)


def _binder_attribute(
    program: Program, annotations: tuple[Annotation, ...], scope: Scope | None
) -> str | None:
    for annotation in find_all(annotations, *_MARKS):
        at = 0 if simple_name(annotation) == "ModelBinder" else -1
        written = argument(annotation, at, "BinderType")
        type = written.type if isinstance(written, TypeValue) else None
        if type is None and annotation.type_args:
            type = annotation.type_args[0]
        if isinstance(type, NamedType):
            return type.name
    for annotation in annotations if scope is not None else ():
        if _is_binder_attribute(program, annotation, scope):
            return simple_name(annotation)
    return None


def _is_binder_attribute(program: Program, annotation: Annotation, scope: Scope | None) -> bool:
    """Whether an attribute of the project is one that names a binder."""
    if scope is None:
        return False
    for name in (annotation.name, f"{annotation.name}Attribute"):
        found = program.names.lookup_type(name, scope)
        if isinstance(found, ClassValue):
            chain = (found.symbol, *program.bases(found.symbol))
            bases = (base for owner in chain for base in owner.decl.bases)
            return any(
                isinstance(b, NamedType) and unqualified_name(b.name) in _ATTRIBUTES for b in bases
            )
    return False


def _binder_named(program: Program, name: str, scope: Scope) -> BoundBy:
    found = program.names.lookup_type(name, scope)
    return BoundBy(unqualified_name(name), found.symbol if isinstance(found, ClassValue) else None)


def _of_class(program: Program, symbol: ClassSymbol) -> BoundBy | None:
    marked = merged_annotations(program, symbol)
    inside = program.class_scope(symbol)
    by = _binder_attribute(program, marked, None)
    if by is not None:
        return _binder_named(program, by, inside)
    for annotation in find_all(marked, "TypeConverter"):
        written = argument(annotation, 0)
        if isinstance(written, TypeValue) and isinstance(written.type, NamedType):
            return _binder_named(program, written.type.name, inside)
    if symbol.decl.kind == "enum":
        return None
    for method in symbol.decl.methods:
        if method.name in _PARSERS and "static" in method.modifiers:
            return BoundBy(f"{unqualified_name(symbol.decl.name)}.{method.name}", symbol)
    return None


@memoised
def _binders_of_providers(program: Program) -> dict[str, BoundBy]:
    """Types that the project's model binder providers name → the provider, with the class of the
    only binder that it makes."""
    found: dict[str, BoundBy] = {}
    if not program.any_file_contains(b"ModelBinderProviders"):
        return found
    for path in program.files_containing(_PROVIDER):
        for symbol in program.classes(program.facts(path)):
            bases = (base for base in symbol.decl.bases if isinstance(base, NamedType))
            if not any(unqualified_name(base.name) == _PROVIDER.decode() for base in bases):
                continue
            text = lines_of(program, path, symbol.decl.span)
            made = set(_MADE.findall(text))
            inside = program.class_scope(symbol)
            binder = _binder_named(program, made.pop().decode(), inside) if len(made) == 1 else None
            by = BoundBy(
                unqualified_name(symbol.decl.name), binder.symbol if binder is not None else None
            )
            for name in _TYPES.findall(text):
                found[name.decode().rpartition(".")[2]] = by
    return found
