"""Documents in parts: files with paths or channels that give no version of OpenAPI or AsyncAPI, in
the folder of a document that does, or called like it in other folders of its package. Some program
merges them when it runs, or when it is built.

The document is then read as if it held what they hold; every place stays that of the part.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from collections.abc import Mapping as AnyMapping
from pathlib import Path
from re import compile as regex

from msgspec import Struct

from contract_scan.errors import ContractError
from contract_scan.ir.document import NotAnalysed
from contract_scan.ir.reasons import Reason
from contract_scan.parsers.contracts.contract_scope import is_build_file
from contract_scan.parsers.contracts.folders import files_below, is_left_out
from contract_scan.parsers.contracts.located_tree import (
    File,
    Mapping,
    MergedMapping,
    Node,
    Tree,
    shortened_text,
)

_DATA = (".json", ".yaml", ".yml")
_SEPARATORS = (".", "-", "_")
_VERSION_IN_YAML = regex(r"""\n["']?(?:openapi|swagger|asyncapi)["']?\s*:\s*["']?\d""")
"""Begins with an end of a line: `^` is tried at every character, ten times as long in 10 MB."""
_VERSION_IN_JSON = regex(r'"(openapi|swagger|asyncapi)"\s*:\s*"?\d')
_SECTIONS_IN_JSON = regex(r'"(info|paths|channels|operations|components)"\s*:')
_PROMISES_IN_YAML = regex(r"""\n["']?(?:paths|channels)["']?[ \t]*:(?![ \t]*(?:\{\s*\}|null))""")
_PROMISES_IN_JSON = regex(r'"(?:paths|channels)"\s*:\s*\{\s*"')
_SWAGGER_COMPONENTS = ("definitions", "parameters", "responses", "securityDefinitions")
_COMPONENTS_IN_YAML = regex(
    rf"""\n["']?(?:components|{"|".join(_SWAGGER_COMPONENTS)})["']?[ \t]*:"""
)
_COMPONENTS_IN_JSON = regex(rf'"(?:components|{"|".join(_SWAGGER_COMPONENTS)})"\s*:\s*\{{\s*"')
_OPERATIONS = {
    "paths": ("get", "put", "post", "delete", "options", "head", "patch", "trace", "query"),
    "channels": ("publish", "subscribe", "messages", "address"),
}
"""By section: what makes a member of it one of OpenAPI or AsyncAPI."""
_COMPONENTS = ("schemas", "parameters", "responses", "requestBodies", "headers", "messages")
_MERGED = {
    "paths": 2,
    "webhooks": 2,
    "components": 2,
    "channels": 1,
    "operations": 1,
    "definitions": 1,
    "parameters": 1,
    "responses": 1,
    "securityDefinitions": 1,
}
"""Sections of which each file may have some members, with how deep these may be parted: two files
may have a method each of one path."""


def is_document(text: str) -> bool:
    """Whether a text is one of OpenAPI or AsyncAPI: it gives the version."""
    if text.lstrip().startswith("{") or _VERSION_IN_JSON.search(text):
        # JSON is YAML, and both stand in files of either name.
        # `"openapi": "3.1"` alone may as well be a dependency in some list of packages.
        return bool(_VERSION_IN_JSON.search(text)) and bool(_SECTIONS_IN_JSON.search(text))
    return _VERSION_IN_YAML.search("\n" + text) is not None


def has_promises(text: str) -> bool:
    """Whether a document has paths or channels of its own: whoever uses its components, it is a
    contract."""
    return bool(_PROMISES_IN_JSON.search(text) or _PROMISES_IN_YAML.search("\n" + text))


class PartFiles(Struct, frozen=True):
    """Files that seem to be parts of a document, sorted."""

    files: tuple[Path, ...] = ()
    ambiguous: tuple[tuple[Path, Path], ...] = ()
    """Files that may be parts of another document as well, with that one."""
    looked_beyond: bool = False
    """Whether files of other folders were looked at."""


def part_files(
    path: Path,
    text: str,
    read: Callable[[Path], bytes],
    root: Path,
    below: Callable[[Path], Iterable[str]] = files_below,
) -> PartFiles:
    """Files that seem to be parts of a document: those that are called after it (`shop.json`,
    `shop.orders.json`), or all in its folder where it promises nothing itself; where nothing there
    promises anything either, also those that bear its name in other folders of its package, up to
    `root`, of the files that `below` lists. What documents there refer to is read where they do."""
    if not is_document(text):
        return PartFiles()
    stem, own = path.name.rpartition(".")[0], has_promises(text)
    texts = {
        path.with_name(name): _text(path.with_name(name), read)
        for name in files_beside(path)
        if not own or name.startswith(tuple(stem + each for each in _SEPARATORS))
    }
    beside = _parts(texts, (text, *texts.values()))
    if own or any(has_promises(texts[part]) for part in beside):
        return PartFiles(beside)
    namesakes = {other: _text(other, read) for other in _namesakes(path, root, below)}
    heads = [each for each, found in namesakes.items() if _is_head(found)]
    files, ambiguous = list(beside), []
    for part in _parts(namesakes, ()):
        nearness = _nearness(path, part)
        nearest = max(heads, key=lambda head: _nearness(head, part), default=None)
        if nearest is None or _nearness(nearest, part) < nearness:
            files.append(part)
        elif _nearness(nearest, part) == nearness:
            ambiguous.append((part, nearest))
    return PartFiles(tuple(files), tuple(ambiguous), looked_beyond=True)


def files_beside(path: Path) -> tuple[str, ...]:
    """Names of the files in the folder of a document that may hold a part of it, sorted."""
    try:
        names = sorted(entry.name for entry in os.scandir(path.parent))
    except OSError:
        return ()
    return tuple(name for name in names if name.endswith(_DATA) and name != path.name)


def _parts(texts: AnyMapping[Path, str], documents: Iterable[str]) -> tuple[Path, ...]:
    """Those of files that hold something of a document and are none, and that no document of
    theirs refers to."""
    referring = [each for each in documents if is_document(each)]
    return tuple(
        path
        for path, each in texts.items()
        if (has_promises(each) or _has_components(each))
        and not is_document(each)
        and not any(path.name in document for document in referring)
    )


def _namesakes(path: Path, root: Path, below: Callable[[Path], Iterable[str]]) -> Iterator[Path]:
    """Files of the same name in other folders of the package that a document is in."""
    folder = path.parent
    while folder != root and root in folder.parents and not _holds_build_file(folder):
        folder = folder.parent
    for shown in sorted(below(folder)):
        *folders, name = shown.split("/")
        other = folder / shown
        if (
            name == path.name
            and other != path
            and not any(map(is_left_out, map(str.lower, folders)))
        ):
            yield other


def _holds_build_file(folder: Path) -> bool:
    try:
        return any(is_build_file(entry.name) for entry in os.scandir(folder))
    except OSError:
        return True


def _is_head(text: str) -> bool:
    return is_document(text) and not has_promises(text)


def _nearness(document: Path, part: Path) -> int:
    """How many folders a document has in common with a part."""
    return len(Path(os.path.commonpath((document.parent, part.parent))).parts)


def _text(path: Path, read: Callable[[Path], bytes]) -> str:
    """The text of a file; empty where it is none that could be a part."""
    try:
        return read(path).decode("utf-8-sig", "replace")
    except ContractError:
        return ""


def _has_components(text: str) -> bool:
    return bool(_COMPONENTS_IN_JSON.search(text) or _COMPONENTS_IN_YAML.search("\n" + text))


def parts_of(document: Node, files: Iterable[File]) -> list[File]:
    """Those of files that have operations of the kind that a document is of; where there are such,
    also those that have components alone."""
    section = "channels" if document.has("asyncapi") else "paths"
    given = list(files)
    if not any(_has_any(file.root, section, _OPERATIONS[section]) for file in given):
        return []
    return [
        file
        for file in given
        if _has_any(file.root, section, _OPERATIONS[section])
        or any(key in _COMPONENTS for key, _ in _members(file.root, "components"))
        or (document.has("swagger") and any(map(file.root.has, _SWAGGER_COMPONENTS)))
    ]


def _has_any(root: Node, section: str, words: Iterable[str]) -> bool:
    return any(member.has(word) for _, member in _members(root, section) for word in words)


def _members(root: Node, section: str) -> Iterator[tuple[str, Node]]:
    holder = root.get(section)
    if holder is not None:
        yield from holder.members()


def merged_document(file: File, parts: Sequence[File], problems: Iterable[NotAnalysed]) -> File:
    """A document with what its parts hold, and with problems of finding them."""
    roots = [file.root, *(part.root for part in parts)]
    conflicts = list(problems)
    nodes = dict(file.root.members())
    for section, depth in _MERGED.items():
        holders = [found for root in roots if (found := root.get(section)) is not None]
        if len(holders) > 1 or (holders and section not in nodes):
            nodes[section] = _merged_node(holders, depth, conflicts)
    tree = Tree(MergedMapping(nodes), file.tree.start, file.tree.end, file.tree.duplicates)
    return File(file.path, file.text, tree, file.content_hash, tuple(conflicts))


def _merged_node(holders: Sequence[Node], depth: int, conflicts: list[NotAnalysed]) -> Node:
    """The members of mappings of one name; the first one of a name that several define."""
    first = holders[0]
    if len(holders) == 1:
        return first
    if not depth or not all(isinstance(holder.value, Mapping) for holder in holders):
        conflicts.extend(_conflicts(holders))
        return first
    named: dict[str, list[Node]] = {}
    for holder in holders:
        for key, member in holder.members():
            named.setdefault(key, []).append(member)
    nodes = {key: _merged_node(each, depth - 1, conflicts) for key, each in named.items()}
    return first.with_value(MergedMapping(nodes))


def _conflicts(holders: Sequence[Node]) -> Iterator[NotAnalysed]:
    first, *others = holders
    for other in others:
        if other.value != first.value:
            what = (
                f"`{shortened_text(other.pointer)}` is defined differently in"
                f" {first.file.path}:{first.line}, which counts for other parts"
            )
            reason = Reason("contract-problem", what=what)
            yield NotAnalysed(path=other.file.path, line=other.line, reason=reason)
