"""Documents in parts: files with paths or channels that give no version of OpenAPI or AsyncAPI, in
the folder of a document that does. Some program merges them when it runs, or when it is built.

The document is then read as if it held what they hold; every place stays that of the part.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from re import MULTILINE
from re import compile as regex

from contract_scan.errors import ContractError
from contract_scan.ir.document import NotAnalysed
from contract_scan.ir.reasons import Reason
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
_VERSION_IN_YAML = regex(r"""^["']?(openapi|swagger|asyncapi)["']?\s*:\s*["']?\d""", MULTILINE)
_VERSION_IN_JSON = regex(r'"(openapi|swagger|asyncapi)"\s*:\s*"?\d')
_SECTIONS_IN_JSON = regex(r'"(info|paths|channels|operations|components)"\s*:')
_PROMISES_IN_YAML = regex(
    r"""^["']?(?:paths|channels)["']?[ \t]*:(?![ \t]*(?:\{\s*\}|null))""", MULTILINE
)
_PROMISES_IN_JSON = regex(r'"(?:paths|channels)"\s*:\s*\{\s*"')
_COMPONENTS_IN_YAML = regex(r"""^["']?components["']?[ \t]*:""", MULTILINE)
_COMPONENTS_IN_JSON = regex(r'"components"\s*:\s*\{\s*"')
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
    return _VERSION_IN_YAML.search(text) is not None


def has_promises(text: str) -> bool:
    """Whether a document has paths or channels of its own: whoever uses its components, it is a
    contract."""
    return bool(_PROMISES_IN_YAML.search(text) or _PROMISES_IN_JSON.search(text))


def part_files(path: Path, text: str, read: Callable[[Path], bytes]) -> tuple[Path, ...]:
    """Files that seem to be parts of a document, sorted: those that are called after it
    (`shop.json`, `shop.orders.json`), or all in its folder where it promises nothing itself. What
    documents there refer to is read where they do."""
    if not is_document(text):
        return ()
    stem, own = path.name.rpartition(".")[0], has_promises(text)
    try:
        names = sorted(entry.name for entry in os.scandir(path.parent))
    except OSError:
        return ()
    texts = {
        name: _text(path.with_name(name), read)
        for name in names
        if name.endswith(_DATA)
        and name != path.name
        and (not own or name.startswith(tuple(stem + each for each in _SEPARATORS)))
    }
    documents = [text, *(each for each in texts.values() if is_document(each))]
    return tuple(
        path.with_name(name)
        for name, each in texts.items()
        if (has_promises(each) or _has_components(each))
        and not is_document(each)
        and not any(name in document for document in documents)
    )


def _text(path: Path, read: Callable[[Path], bytes]) -> str:
    """The text of a file; empty where it is none that could be a part."""
    try:
        return read(path).decode("utf-8-sig", "replace")
    except ContractError:
        return ""


def _has_components(text: str) -> bool:
    return bool(_COMPONENTS_IN_YAML.search(text) or _COMPONENTS_IN_JSON.search(text))


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
    ]


def _has_any(root: Node, section: str, words: Iterable[str]) -> bool:
    return any(member.has(word) for _, member in _members(root, section) for word in words)


def _members(root: Node, section: str) -> Iterator[tuple[str, Node]]:
    holder = root.get(section)
    if holder is not None:
        yield from holder.members()


def merged_document(file: File, parts: Sequence[File]) -> File:
    """A document with what its parts hold."""
    roots = [file.root, *(part.root for part in parts)]
    conflicts: list[NotAnalysed] = []
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
