"""Which file a C# type name means: namespaces, `using` directives, global usings."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator
from typing import cast

from contract_scan.parsers.source.analysis.domain.file_distance import distance
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.csharp.resolution.projects import Project, project_of, sees
from contract_scan.parsers.source.facts.nodes import FileFacts, Import
from contract_scan.parsers.source.language import Files, TypeHeaders

DEFINITIONS = (
    rb"\b(?:record\s+struct|record\s+class|class|struct|interface|enum|record)"
    rb"\s+@?([A-Za-z_\x80-\xff][\w\x80-\xff]*)"
)
"""Definitions of types."""
TYPE_HEADERS = TypeHeaders(
    (
        re.compile(rb"\b(?:class|struct|interface|record)\s+([^{;]*)"),
        re.compile(rb"\busing\s+(\w+\s*=[^{;]*)"),
    ),
    frozenset({b"class", b"struct", b"interface", b"record"}),
)
_NAMESPACE = re.compile(rb"^(?:\xef\xbb\xbf)?[^\S\n]*namespace\s+([\w.\x80-\xff]+)", re.MULTILINE)
_IMPLICIT = "csharp.implicit"
_INTEGERS = ("byte", "sbyte", "short", "ushort", "int", "uint", "long", "ulong", "nint", "nuint")
_PREDEFINED = frozenset(
    {*_INTEGERS, "bool", "char", "decimal", "double", "float", "object", "string", "dynamic"}
)
_GLOBAL_USINGS = "csharp.global_usings"
_NAMESPACES = "csharp.namespaces"


def find_module(files: Files, path: str, entry: Import) -> str | None:
    """The file of the type that `using X = A.B.C;` or `using static A.B.C;` names.

    None for libraries and for `using A.B;`, whose files are found by type name (`implicit`).
    """
    if entry.name == "*":
        if "static" not in entry.modifiers:
            return None
        namespace, _, name = entry.module.rpartition(".")
    else:
        namespace, name = entry.module, entry.name
    candidates = [
        p for p in files.files_named(f"{plain_name(name)}.cs") if namespace in _namespaces(files, p)
    ]
    return min(candidates, key=lambda other: distance(path, other)) if candidates else None


def _namespaces(files: Files, path: str) -> set[str]:
    return {match.decode("utf-8", "replace") for match in files.find(path, _NAMESPACE)}


def plain_name(name: str) -> str:
    """The name as it is written, without the number of type parameters."""
    return name.partition("`")[0]


def implicit(program: Program, file: FileFacts, name: str) -> Iterable[str]:
    """Files in which a type name may be declared, best first: the namespaces around the place,
    then what is imported. A qualified name (`Models.Order`) is relative to those around."""
    if name in _PREDEFINED or not program.files_defining(plain_name(name.rpartition(".")[2])):
        return ()
    known = cast("dict[tuple[str, str], tuple[str, ...]]", program.memory.setdefault(_IMPLICIT, {}))
    key = (file.path, name)
    if key not in known:
        known[key] = tuple(_implicit(program, file, name))
    return known[key]


def _implicit(program: Program, file: FileFacts, name: str) -> Iterable[str]:
    qualifier, _, simple = name.rpartition(".")
    if qualifier:
        namespaces: Iterable[str] = [
            f"{outer}.{qualifier}" if outer else qualifier for outer in namespaces_around(file)
        ]
    else:
        namespaces = [*namespaces_around(file), *imported_namespaces(program, file)]
    return _declaring_files(program, file, simple, namespaces)


def _declaring_files(
    program: Program, file: FileFacts, name: str, namespaces: Iterable[str]
) -> Iterator[str]:
    defining = [path for path in program.files_defining(plain_name(name)) if path != file.path]
    if not defining:
        return
    # Of types of one full name in several projects the compiler knows those that it references.
    ordered = sorted(
        defining,
        key=lambda path: (not sees(program, file.path, path), distance(file.path, path)),
    )
    wanted = dict.fromkeys(namespaces)
    homes = [
        (path, _home(program, path, name)) for path in ordered if _may_be_in(program, path, wanted)
    ]
    for namespace in wanted:
        for path, home in homes:
            if home == namespace:
                yield path


def _may_be_in(program: Program, path: str, namespaces: Container[str]) -> bool:
    """Whether a file may declare types in one of the namespaces, told from its bytes: many files
    define a type of a common name, and one of them is meant."""
    known = cast("dict[str, set[str]]", program.memory.setdefault(_NAMESPACES, {}))
    if path not in known:
        known[path] = _namespaces(program.files, path)
    declared = known[path]
    return len(declared) > 1 or next(iter(declared), "") in namespaces


def declared_namespaces(program: Program) -> frozenset[str]:
    """The namespaces that the sources declare, with those around them."""
    found: set[str] = set()
    for path in program.files.ending(".cs"):
        for namespace in _namespaces(program.files, path):
            while namespace and namespace not in found:
                found.add(namespace)
                namespace = namespace.rpartition(".")[0]
    return frozenset(found)


def _home(program: Program, path: str, name: str) -> str | None:
    """The namespace in which a file declares a type of that name; None: it does not."""
    facts = program.facts(path)
    declared = any(c.name == name for c in facts.classes)
    if not (declared or any(alias.name == name for alias in facts.aliases)):
        return None
    return facts.namespaces.get(name, facts.package)


def namespaces_around(file: FileFacts) -> list[str]:
    """The namespaces of a file, innermost first, down to the global one."""
    found: dict[str, None] = {}
    for namespace in sorted({file.package, *file.namespaces.values()}, reverse=True):
        current = namespace
        while current:
            found[current] = None
            current = current.rpartition(".")[0]
    found[""] = None
    return sorted(found, key=lambda n: -n.count(".") if n else 1)


def imported_namespaces(program: Program, file: FileFacts) -> list[str]:
    """The namespaces that a file imports itself or is given by its project."""
    own: list[str] = []
    for entry in file.imports:
        if entry.name == "*" and "static" not in entry.modifiers:
            if "relative" in entry.modifiers:
                own.extend(f"{outer}.{entry.module}" for outer in namespaces_around(file) if outer)
            own.append(entry.module)
    project = project_of(program, file.path)
    shared = [e.module for e in _global_usings(program, project) if "static" not in e.modifiers]
    return [*own, *shared, *project.usings]


def shared_imports(program: Program, file: FileFacts) -> tuple[Import, ...]:
    """What `global using static` in other files of the project imports into this one."""
    usings = _global_usings(program, project_of(program, file.path))
    return tuple(e for e in usings if "static" in e.modifiers)


def _global_usings(program: Program, project: Project) -> tuple[Import, ...]:
    """What the `global using` directives of a project import as a whole."""
    known = program.memory.get(_GLOBAL_USINGS)
    if known is None:
        found: dict[str, tuple[Import, ...]] = {}
        for path in program.files_containing(b"global using"):
            usings = tuple(
                e for e in program.facts(path).imports if "global" in e.modifiers and e.name == "*"
            )
            folder = project_of(program, path).folder
            found[folder] = (*found.get(folder, ()), *usings)
        known = program.memory[_GLOBAL_USINGS] = found
    return cast("dict[str, tuple[Import, ...]]", known).get(project.folder, ())
