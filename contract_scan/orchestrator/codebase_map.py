"""CODEBASE_MAP.md: what a code base consists of, for agents that start to work on it.

Names and paths come from the code that is described. They stand in code spans, and nothing else of
that code is quoted, so that no agent takes it for an instruction.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from contract_scan import api
from contract_scan.clients.mcp import (
    ArtifactResult,
    CodebaseIntelligenceClient,
    DependencyResult,
)
from contract_scan.counted import counted
from contract_scan.errors import ContractScanError
from contract_scan.reports.markdown_text import code

if TYPE_CHECKING:
    from contract_scan.code_index.answers import Definition, Interface
    from contract_scan.config import Config

_QUERY: Final = "architecture overview"
_MOST_PLACES: Final = 50
"""Results of the search."""
_MOST_FILES: Final = 20
"""Files whose dependencies are asked for: one call each."""
_MOST_NAMES: Final = 10
"""Names in one line."""
_MOST_SERVICES: Final = 30
"""Services of a map from files."""

_INTERFACE_PARTS: Final = (
    ("Endpoints", "endpoints"),
    ("Publishes", "events_published"),
    ("Consumes", "events_consumed"),
)

Interfaces = Mapping[str, Mapping[str, Any]]
Dependencies = Mapping[str, DependencyResult]


class CodebaseMapError(ContractScanError):
    """There is nothing to make a map of."""


async def generate_codebase_map_from_mcp(
    project_dir: Path, client: CodebaseIntelligenceClient
) -> str:
    """The map of a project as Markdown, from the index of a Codebase Intelligence server.

    Paths below `project_dir` are shown relative to it; its name stands for the service where the
    index names none. Raises CodebaseMapError when the index has nothing of the project or the
    server failed (the log says how), so that the caller can make the map from the files instead.
    """
    places = await client.search_semantic(_QUERY, n_results=_MOST_PLACES)
    services = _distinct(place.get("service_name") for place in places) or [project_dir.name]
    files = _distinct(_file(place) for place in places)[:_MOST_FILES]
    interfaces = await asyncio.gather(*map(client.get_service_interface, services))
    dependencies = await asyncio.gather(*map(client.find_dependencies, files))
    described = {
        service: interface
        for service, interface in zip(services, interfaces, strict=True)
        if any(interface.get(key) for _, key in _INTERFACE_PARTS)
    }
    if not files and not described:
        raise CodebaseMapError("the Codebase Intelligence server knows nothing of the project")
    lines = [
        f"# Codebase map of {code(project_dir.name)}",
        *_service_lines(described, project_dir),
        *_file_lines(places, dict(zip(files, dependencies, strict=True)), project_dir),
        *_cycle_lines(dependencies, project_dir),
    ]
    return "\n".join(lines) + "\n"


def generate_codebase_map(project_dir: Path, *, config: Config | None = None) -> str:
    """The map of a project as Markdown, from an index of its files: no server is needed.

    Languages, services with their endpoints and events, modules, entry points, what is imported
    most, libraries, circular imports. Every list is bounded and says how much it leaves out; of the
    code only names and paths are shown, in code spans. Raises UsageError where `project_dir` is no
    folder, CodebaseMapError where it has no source files.
    """
    with api.open_code_index(project_dir, config=config) as index:
        index.update()
        summary = index.summary()
        if not summary.files:
            raise CodebaseMapError("there are no source files to make a map of")
        lines = [
            f"# Codebase map of {code(project_dir.resolve().name)}",
            "",
            f"{counted(summary.files, 'source file')}, {summary.test_files} of them tests;"
            f" {counted(sum(summary.symbols.values()), 'symbol')}.",
        ]
        lines += _count_lines("Languages", summary.languages, "file")
        for service, files in [*summary.services.items()][:_MOST_SERVICES]:
            lines += ["", f"## Service {code(service)}", "", f"{counted(files, 'file')}."]
            lines += _interface_lines(index.interface(service))
        lines += _remainder_lines(len(summary.services), _MOST_SERVICES, "services")
        lines += _module_lines(index.modules())
        lines += _entry_point_lines(index.entry_points())
    lines += _count_lines("Imported most", summary.most_imported, "file")
    lines += _count_lines("Libraries", summary.libraries, "file")
    if summary.cycles:
        lines += ["", "## Circular imports", ""]
        lines += [f"- {_codes(group)}" for group in summary.cycles[:_MOST_NAMES]]
        lines += _remainder_lines(summary.cycle_count, _MOST_NAMES, "groups of files")
    return "\n".join(lines) + "\n"


def _interface_lines(interface: Interface) -> Iterator[str]:
    for title, key in _INTERFACE_PARTS:
        entries = [
            entry for entry in getattr(interface, key) if not entry.get("added_by_framework")
        ]
        if entries:
            yield from ("", f"### {title}", "")
            yield from (f"- {_entry(entry, Path())}" for entry in entries[:_MOST_PLACES])
            yield from _remainder_lines(len(entries), _MOST_PLACES, "")


def _module_lines(modules: Sequence[tuple[str, str, str, int, int]]) -> Iterator[str]:
    yield from ("", "## Modules", "")
    largest = sorted(modules, key=lambda each: (-each[4], each[1], each[2]))[:_MOST_PLACES]
    for service, folder, language, files, symbols in sorted(largest):
        shown = f"- {code(folder or '.')} of {code(service)}: {language}"
        yield f"{shown}, {counted(files, 'file')}, {counted(symbols, 'symbol')}"
    yield from _remainder_lines(len(modules), _MOST_PLACES, "smaller ones")


def _entry_point_lines(found: Sequence[Definition]) -> Iterator[str]:
    if found:
        yield from ("", "## Entry points", "")
    for each in found[:_MOST_FILES]:
        yield f"- {code(each.qualified_name)} in {code(f'{each.path}:{each.line}')}"
    yield from _remainder_lines(len(found), _MOST_FILES, "")


def _count_lines(title: str, counts: Mapping[str, int], noun: str) -> Iterator[str]:
    if counts:
        yield from ("", f"## {title}", "")
    yield from (f"- {code(name)}: {counted(count, noun)}" for name, count in counts.items())


def _codes(files: Sequence[str]) -> str:
    more = f", and {len(files) - _MOST_NAMES} more" if len(files) > _MOST_NAMES else ""
    return ", ".join(map(code, files[:_MOST_NAMES])) + more


def _remainder_lines(count: int, most: int, what: str) -> Iterator[str]:
    if count > most:
        yield from ("", f"And {count - most} {what or 'more'}.".replace("  ", " "))


async def register_new_artifact(
    client: CodebaseIntelligenceClient, file_path: str, service_name: str
) -> ArtifactResult:
    """Have a new file read into the index; `indexed` is false when that failed."""
    return await client.register_artifact(file_path, service_name)


def _service_lines(interfaces: Interfaces, root: Path) -> Iterator[str]:
    for service, interface in interfaces.items():
        yield from ("", f"## Service {code(service)}")
        for title, key in _INTERFACE_PARTS:
            entries = [
                entry
                for entry in interface.get(key, [])
                if isinstance(entry, Mapping) and not entry.get("added_by_framework")
            ]
            if entries:
                yield from ("", f"### {title}", "")
                yield from (f"- {_entry(entry, root)}" for entry in entries)


def _entry(entry: Mapping[str, Any], root: Path) -> str:
    """An endpoint or event, with its place where it has one."""
    words = [entry.get("method"), entry.get("path")]
    if not any(words):
        words = [next((entry[key] for key in ("channel", "name", "event") if entry.get(key)), "")]
    shown = code(" ".join(str(word) for word in words if word))
    place = _code_location(entry, root)
    return f"{shown} in {place}" if place else shown


def _file_lines(
    places: Sequence[Mapping[str, Any]], dependencies: Dependencies, root: Path
) -> Iterator[str]:
    if dependencies:
        yield from ("", "## Files")
    for file, found in dependencies.items():
        yield from ("", f"### {code(_relative(file, root))}", "")
        symbols = _distinct(place.get("symbol_name") for place in places if _file(place) == file)
        yield from _name_list_lines("Symbols", symbols)
        yield from _name_list_lines("Imports", (_relative(one, root) for one in found.imports))
        yield from _name_list_lines(
            "Imported by", (_relative(one, root) for one in found.imported_by)
        )


def _name_list_lines(title: str, names: Iterable[str]) -> Iterator[str]:
    listed = list(names)
    if not listed:
        return
    more = len(listed) - _MOST_NAMES
    ending = f", and {more} more" if more > 0 else ""
    yield f"- {title}: {', '.join(map(code, listed[:_MOST_NAMES]))}{ending}"


def _cycle_lines(dependencies: Iterable[DependencyResult], root: Path) -> Iterator[str]:
    cycles = {
        tuple(_relative(file, root) for file in _from_smallest(cycle))
        for found in dependencies
        for cycle in found.circular_deps
        if cycle
    }
    if cycles:
        yield from ("", "## Circular imports", "")
    for cycle in sorted(cycles):
        yield f"- {' → '.join(map(code, (*cycle, cycle[0])))}"


def _from_smallest(cycle: Sequence[str]) -> Sequence[str]:
    """The same cycle wherever one enters it; some servers repeat the first file at the end."""
    files = cycle[:-1] if len(cycle) > 1 and cycle[0] == cycle[-1] else cycle
    start = files.index(min(files))
    return [*files[start:], *files[:start]]


def _code_location(entry: Mapping[str, Any], root: Path) -> str:
    file, line = _file(entry), entry.get("line", entry.get("line_start"))
    if not file:
        return ""
    relative = _relative(file, root)
    return code(f"{relative}:{line}" if isinstance(line, int) else relative)


def _file(entry: Mapping[str, Any]) -> str:
    file = entry.get("file_path") or entry.get("file")
    return file if isinstance(file, str) else ""


def _relative(file: str, root: Path) -> str:
    path = Path(file)
    return path.relative_to(root).as_posix() if path.is_relative_to(root) else path.as_posix()


def _distinct(names: Iterable[object]) -> list[str]:
    """The names that are text, each once, in their order."""
    return list(dict.fromkeys(name for name in names if isinstance(name, str) and name))
