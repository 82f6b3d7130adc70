"""Which contracts govern which source folder, in a repository of one service or of many."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable
from re import compile as regex

from msgspec import Struct

from contract_scan.ir.document import ContractDocument

_FAMILIES = {
    "package.json": "node",
    "pyproject.toml": "python",
    "setup.py": "python",
    "setup.cfg": "python",
    "requirements.txt": "python",
    "pipfile": "python",
    "manage.py": "python",
    "pom.xml": "maven",
    "build.gradle": "gradle",
    "build.gradle.kts": "gradle",
    "settings.gradle": "gradle",
    "settings.gradle.kts": "gradle",
    "dockerfile": "docker",
}
"""Build files and what they belong to."""
_FAMILY_SUFFIXES = {".csproj": "dotnet", ".sln": "dotnet", ".slnx": "dotnet"}
_SEPARATORS = regex(r"[-_.\s]+")
_AFFIXES = frozenset(
    {
        "service",
        "services",
        "svc",
        "api",
        "apis",
        "server",
        "backend",
        "app",
        "openapi",
        "swagger",
        "asyncapi",
        "contract",
        "spec",
        "schema",
        "v1",
        "v2",
        "v3",
        "yaml",
        "yml",
        "json",
    }
)
HTTP = ("openapi", "svc-table")
"""Kinds of documents that promise routes."""
_ENDINGS = (".json", ".yaml", ".yml", ".md")


class GovernedSource(Struct, frozen=True, kw_only=True):
    """Source code and the contracts it has to keep."""

    source: str
    """Root-relative folder, empty for the root."""
    documents: tuple[ContractDocument, ...]
    also: tuple[str, ...] = ()
    """Further folders of the same code."""
    excluded: tuple[str, ...] = ()
    """Folders inside `source` whose code keeps contracts of its own instead."""


def assign_documents(
    documents: Iterable[ContractDocument], files: Iterable[str]
) -> tuple[GovernedSource, ...]:
    """Assign every document to the code it speaks of.

    `files` are the root-relative paths of the repository; build files among them mark services. A
    document governs the service that it stands in, or, standing elsewhere, the one that bears its
    name (its record's `service_name`, its own, its folder's, its title's); without such a service
    everything below the folder that it shares with code. An HTTP contract without a rival governs
    the whole build that its service is a part of, since routes may stand in any module of it.
    """
    families = _families(files)
    services = sorted((folder for folder in families if folder), key=len, reverse=True)
    places: dict[str, list[ContractDocument]] = {}
    shared: dict[str, list[ContractDocument]] = {}
    for document in documents:
        holder = places if document.kind in HTTP else shared
        holder.setdefault(_place_of(document, services), []).append(document)
    widened: dict[str, list[ContractDocument]] = {}
    for place in sorted(places):
        wider = _whole_build(place, families, [other for other in places if other != place])
        widened.setdefault(wider, []).extend(places[place])
    governed = [
        GovernedSource(
            source=source,
            documents=tuple(widened[source]),
            excluded=tuple(
                other for other in sorted(widened) if other != source and _contains(source, other)
            ),
        )
        for source in sorted(widened)
    ]
    governed += [
        GovernedSource(source=source, documents=tuple(shared[source])) for source in sorted(shared)
    ]
    return tuple(governed)


def is_build_file(name: str) -> bool:
    """Whether a file of that name marks the folder of a service or a package."""
    return _family(name) is not None


# Private helpers


def _family(name: str) -> str | None:
    name = name.lower()
    return _FAMILIES.get(name) or _FAMILY_SUFFIXES.get(posixpath.splitext(name)[1])


def _families(files: Iterable[str]) -> dict[str, frozenset[str]]:
    """Folders that hold build files -> what kinds of build these belong to."""
    found: dict[str, set[str]] = {}
    for shown in files:
        folder, name = posixpath.split(shown)
        family = _family(name)
        if family is not None:
            found.setdefault(folder, set()).add(family)
    return {folder: frozenset(families) for folder, families in found.items()}


def _whole_build(place: str, families: dict[str, frozenset[str]], rivals: list[str]) -> str:
    """The outermost folder of the same build above `place` that holds no rival contract."""
    own = families.get(place, frozenset()) - {"docker"}
    widest, folder = place, place
    while folder:
        folder = posixpath.dirname(folder)
        if any(not folder or rival == folder or _contains(folder, rival) for rival in rivals):
            break
        if own & families.get(folder, frozenset()):
            widest = folder
    return widest


def _contains(folder: str, other: str) -> bool:
    return not folder or other.startswith(folder + "/")


def _place_of(document: ContractDocument, services: list[str]) -> str:
    """The folder of code that a document speaks of."""
    inside = next((one for one in services if document.path.startswith(one + "/")), None)
    if document.service:
        within = [one for one in services if inside is None or _contains(inside, one)]
        named = _services_by_name(within).get(_core(document.service))
        return named if named is not None else inside or ""
    if inside is not None:
        return inside
    common = posixpath.dirname(document.path)
    while common and not any(_contains(common, service) for service in services):
        common = posixpath.dirname(common)
    names = _names(document)
    if document.kind == "json-schema" or _core(posixpath.basename(common)) in names:
        return common
    by_name = _services_by_name([one for one in services if _contains(common, one)])
    return next((by_name[name] for name in names if name in by_name), common)


def _names(document: ContractDocument) -> list[str]:
    folder, name = posixpath.split(document.path)
    for ending in _ENDINGS:
        name = name.removesuffix(ending)
    cores = [_core(one) for one in (name, posixpath.basename(folder), document.title)]
    return [core for core in cores if core]


def _services_by_name(services: list[str]) -> dict[str, str]:
    """Name of a service, without what all services are called -> its folder, where only one."""
    found: dict[str, str] = {}
    ambiguous: set[str] = set()
    for folder in services:
        core = _core(posixpath.basename(folder))
        if core in found and not (_contains(found[core], folder) or _contains(folder, found[core])):
            ambiguous.add(core)
        if core and (core not in found or len(folder) < len(found[core])):
            found[core] = folder
    return {name: folder for name, folder in found.items() if name not in ambiguous}


def _core(name: str) -> str:
    """`Orders-Service`, `orders.openapi`, `orders_api` -> `orders`."""
    words = [word for word in _SEPARATORS.split(name.lower()) if word]
    stems = [word for word in words if word not in _AFFIXES]
    return "".join(stems)
