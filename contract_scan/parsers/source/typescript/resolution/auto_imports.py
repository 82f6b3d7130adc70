"""Nuxt and Nitro: what server code uses without importing it, from files of known folders."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable

from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.facts.nodes import FileFacts
from contract_scan.parsers.source.language import Files
from contract_scan.parsers.source.typescript.resolution.projects import Projects

_CONFIGURATIONS = ("nitro.config", "nuxt.config")
_FOLDERS = ("server/utils/", "shared/utils/", "shared/types/", "utils/")
"""Folders of a project whose exports its server code gets; the last only where Nitro is alone."""


def nitro_project(files: Files, path: str) -> tuple[str, str] | None:
    """(folder, configuration) of the Nuxt or Nitro project that a file is part of."""
    folder = posixpath.dirname(path)
    projects = Projects.for_files(files)
    found = ((projects.nearest_folder_with(folder, name), name) for name in _CONFIGURATIONS)
    known = [(above, name) for above, name in found if above is not None]
    return max(known, key=lambda each: len(each[0]), default=None)


def implicit(program: Program, file: FileFacts, name: str) -> Iterable[str]:
    """Files that export a name which a file of a Nuxt or Nitro server did not import."""
    if "." in name:
        return ()
    project = nitro_project(program.files, file.path)
    if project is None:
        return ()
    return _exporters(program, project).get(name, ())


def _exporters(program: Program, project: tuple[str, str]) -> dict[str, tuple[str, ...]]:
    """Name -> the file that gives it, for one project."""
    known = Projects.for_files(program.files).auto_imported
    if project not in known:
        names: dict[str, tuple[str, ...]] = {}
        known[project] = names
        folder, configuration = project
        folders = _FOLDERS if configuration == "nitro.config" else _FOLDERS[:-1]
        starts = tuple(posixpath.join(folder, each) for each in folders)
        for path in program.files.source("typescript"):
            if path.startswith(starts) and not path.endswith(".d.ts"):
                for name in _exported_names(program.facts(path)):
                    names.setdefault(name, (path,))
    return known[project]


def _exported_names(file: FileFacts) -> Iterable[str]:
    for declared in (file.classes, file.functions, file.aliases):
        yield from (each.name for each in declared if each.name and "export" in each.modifiers)
    yield from (e.exported for e in file.exports if e.exported not in ("*", "default"))
