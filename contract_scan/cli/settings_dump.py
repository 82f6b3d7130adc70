"""`check --show-settings` and `check --show-files`: what is in force, and what would be read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from contract_scan.config import Layer, merge_layers, origins
from contract_scan.config.keys import Key, keys
from contract_scan.config.toml import KeyPath
from contract_scan.config.toml_text import toml_key, toml_of
from contract_scan.counted import counted
from contract_scan.ir.document import ContractDocument
from contract_scan.listing import ListedFile, ListedService, Listing
from contract_scan.reports.display import display
from contract_scan.reports.order import problems_in_order

_COLUMN = 40
"""Where the remarks start, unless a value is longer."""


def settings(
    layers: Sequence[Layer], contracts: Sequence[str], root: Path, here: Path
) -> Iterator[str]:
    """Every key with its value and where that comes from, as TOML: lines without their ends.

    `contracts` are those that the command line names, in place of all configured ones.
    """
    values = merge_layers(layers)
    sources = {way: _display_path(place, here) for way, place in origins(layers).items()}
    if contracts:
        values["contracts"] = tuple(contracts)
        sources["contracts",] = "--contract"
    file = next((str(layer.file) for layer in layers if layer.file is not None), "")
    yield f"# Folder: {display(_display_path(str(root), here)) or '.'}"
    yield f"# Configuration: {display(_display_path(file, here)) or 'no file'}"
    yield ""
    known = keys()
    for key in known:
        if not _is_table(key):
            yield from _simple(key, values, sources)
    for key in known:
        if key.repeated:
            yield from _tables(key, values, sources)
        elif _is_table(key):
            yield from _table(key, values, sources)


def _is_table(key: Key) -> bool:
    return bool(key.inner) or key.default == "{}"


def _simple(key: Key, values: dict[str, Any], sources: dict[KeyPath, str]) -> Iterator[str]:
    if key.name in values:
        yield _line(key.name, values[key.name], sources[key.name,])
    elif key.default:
        yield _with_remark(f"{key.name} = {key.default}", "default")
    else:
        yield f"# {key.name} is not set"


def _table(key: Key, values: dict[str, Any], sources: dict[KeyPath, str]) -> Iterator[str]:
    inside = values.get(key.name, {})
    if not inside and not key.inner:
        return
    yield ""
    yield f"[{key.name}]"
    for name, value in inside.items():
        yield _line(name, value, sources[key.name, name])
    for inner in key.inner:
        last = inner.name.rpartition(".")[2]
        if last not in inside:
            yield _with_remark(f"{last} = {inner.default}", "default")


def _tables(key: Key, values: dict[str, Any], sources: dict[KeyPath, str]) -> Iterator[str]:
    for table in values.get(key.name, ()):
        yield ""
        yield _with_remark(f"[[{key.name}]]", sources[key.name,])
        for name, value in table.items():
            yield f"{toml_key(name)} = {display(toml_of(value))}"


def _line(name: str, value: Any, source: str) -> str:
    return _with_remark(f"{toml_key(name)} = {toml_of(value)}", source)


def _with_remark(text: str, remark: str) -> str:
    return f"{display(text):<{_COLUMN}}  # {display(remark)}"


def _display_path(place: str, here: Path) -> str:
    """Paths in a text as seen from the working directory."""
    return "" if place == str(here) else place.replace(f"{here}/", "")


def files(found: Listing, before: str) -> Iterator[str]:
    """Contracts with what they govern, files that are read, files that are left out: lines without
    their ends. `before` is put before every path."""
    for part in found.parts:
        folders = " and ".join(_folder(folder, before) for folder in part.folders)
        but = ", ".join(_folder(folder, before) for folder in part.excluded)
        yield f"{display(part.service)}: {folders}{f' without {but}' if but else ''}"
        yield from (f"  {_document(document, before)}" for document in _unique(part))
    if not found.parts:
        yield "No contract."
    if found.problems:
        yield from ("", "Not read:")
        for problem in problems_in_order(found.problems):
            line = f":{problem.line}" if problem.line else ""
            yield display(f"  {before}{problem.path}{line}: {problem.reason}")
    yield from _list_lines("Read", found.read, before)
    yield from _list_lines("Left out", found.left_out, before)


def _unique(part: ListedService) -> list[ContractDocument]:
    return list({document.path: document for document in part.documents}.values())


def _folder(folder: str, before: str) -> str:
    return display((before + folder).rstrip("/") or ".")


def _document(document: ContractDocument, before: str) -> str:
    return display(f"{before}{document.path}: {describe(document)}")


def describe(document: ContractDocument) -> str:
    """What a contract promises, in words: `openapi, 5 operations`."""
    counts = (
        (len(document.operations) if document.kind != "asyncapi" else 0, "operation"),
        (len(document.channels), "channel"),
        (len(document.models) if document.kind == "json-schema" else 0, "model"),
    )
    return ", ".join([document.kind, *(counted(number, noun) for number, noun in counts if number)])


def _list_lines(heading: str, entries: Sequence[ListedFile], before: str) -> Iterator[str]:
    if entries:
        yield ""
        yield f"{heading} ({counted(len(entries), 'file')}):"
        yield from (display(f"  {before}{entry.path}: {entry.said}") for entry in entries)
