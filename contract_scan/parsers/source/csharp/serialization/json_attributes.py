"""Which attributes a JSON serializer honours: both libraries have some of the same name."""

from __future__ import annotations

from typing import Literal, TypeAlias

from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.csharp.resolution.annotations import simple_name
from contract_scan.parsers.source.csharp.resolution.modules import imported_namespaces
from contract_scan.parsers.source.csharp.resolution.projects import may_use_newtonsoft
from contract_scan.parsers.source.csharp.serialization.settings.record import READING, JsonSettings
from contract_scan.parsers.source.facts.nodes import Annotation, FileFacts

Library: TypeAlias = Literal["", "system", "newtonsoft"]
"""System.Text.Json or Newtonsoft.Json; empty: it is undetermined which."""

_OF_BOTH = frozenset({"JsonIgnore", "JsonConverter", "JsonExtensionData", "JsonRequired"})
_LIBRARIES: dict[str, Library] = {
    "System.Text.Json.Serialization": "system",
    "Newtonsoft.Json": "newtonsoft",
}


def serializer(program: Program, variant: str, settings: JsonSettings) -> Library:
    """The library that writes; empty where the other one may be the one."""
    if settings.newtonsoft:
        return "newtonsoft"
    switch = variant.removeprefix(READING).partition("@")[0]
    sure = switch == "http" or (switch == "mvc" and not may_use_newtonsoft(program))
    return "system" if sure else ""


def honoured_attributes(
    program: Program, annotations: tuple[Annotation, ...], file: FileFacts, by: Library
) -> tuple[Annotation, ...]:
    """The attributes without those that are the other library's, although named alike."""
    if not by or not any(simple_name(annotation) in _OF_BOTH for annotation in annotations):
        return annotations
    return tuple(
        annotation
        for annotation in annotations
        if simple_name(annotation) not in _OF_BOTH
        or _library(program, annotation, file) in ("", by)
    )


def _library(program: Program, annotation: Annotation, file: FileFacts) -> Library:
    """Whose attribute it is, by its qualified name, an alias, or the only namespace imported."""
    head, _, rest = annotation.name.partition(".")
    for entry in file.imports:
        if entry.local and entry.local.removesuffix("Attribute") == head.removesuffix("Attribute"):
            whole = ".".join(part for part in (entry.module, entry.name, rest) if part)
            return _LIBRARIES.get(whole.rpartition(".")[0], "")
    qualifier = annotation.name.rpartition(".")[0].removeprefix("global::")
    if qualifier:
        return _LIBRARIES.get(qualifier, "")
    imported = set(imported_namespaces(program, file))
    found = {library for name, library in _LIBRARIES.items() if name in imported}
    return found.pop() if len(found) == 1 else ""
