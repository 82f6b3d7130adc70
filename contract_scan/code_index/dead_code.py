"""Declarations that nothing uses, as far as names tell.

A symbol is reported only where its name stands nowhere else in the whole project: not in code of
any language, in a comment or string, a template or a configuration file. So what is called by
reflection or by name is never reported, and dead code whose name is common is not found.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterator, Sequence
from typing import Final

from contract_scan.code_index.answers import DeadSymbol, Definition
from contract_scan.code_index.identifiers import identifiers
from contract_scan.parsers.source.discovery.discover import SourceTree, read_regular
from contract_scan.parsers.source.languages import SUFFIXES

Candidate = tuple[Definition, bool, bool]
"""A declaration, whether only tests mention it, and whether others can use it from outside."""
_KINDS: Final = (*("class", "interface", "record", "struct", "enum", "type", "function", "method"),)
_LARGEST: Final = 500_000
"""Bytes of a file that is no source file and is looked through."""
_MOST_BYTES: Final = 50_000_000
_ENTRY_NAMES: Final = frozenset({"main", "Main", "handler", "lambda_handler", "default"})


def candidates(reading: sqlite3.Connection, service: str) -> list[Candidate]:
    """Symbols of product code whose names stand in source files only where they are declared, or
    else only in tests."""
    kinds = ", ".join("?" * len(_KINDS))
    rows = reading.execute(
        "SELECT symbols.*, files.path, files.language, files.service, files.is_test,"
        " files.is_generated,"
        " (SELECT count(*) FROM symbols AS other WHERE other.name = symbols.name) AS declared,"
        " (SELECT sum(count) FROM words WHERE word = symbols.name) AS mentioned,"
        " (SELECT sum(count) FROM words JOIN files AS test ON test.id = words.file"
        "  WHERE word = symbols.name AND test.is_test) AS mentioned_in_tests"
        " FROM symbols JOIN files ON files.id = symbols.file"
        f" WHERE symbols.kind IN ({kinds}) AND NOT symbols.library_use AND NOT files.is_test"
        " AND NOT files.is_generated AND (? = '' OR files.service = ?)"
        " AND NOT EXISTS (SELECT 1 FROM overrides WHERE overrides.file = symbols.file"
        "  AND overrides.qualified_name = symbols.qualified_name)"
        " ORDER BY files.path, symbols.line",
        (*_KINDS, service, service),
    )
    found: list[Candidate] = []
    for row in rows:
        mentioned = (row["mentioned"] or 0) - row["declared"]
        tests = row["mentioned_in_tests"] or 0
        if mentioned > tests or row["name"] in _ENTRY_NAMES or row["name"].startswith("__"):
            continue
        found.append((Definition.of_row(row), mentioned > 0, _is_open(row)))
    return found


def unused_symbols(
    found: Sequence[Candidate], handlers: Collection[tuple[str, str]], tree: SourceTree
) -> Iterator[DeadSymbol]:
    """Those that no endpoint or event has for a handler, and no other file of the project names.
    What lies in a symbol that is reported is not reported beside it."""
    wanted = {definition.name for definition, _, _ in found}
    named = _named_elsewhere(tree, wanted)
    reported: set[tuple[str, str]] = set()
    for definition, in_tests, is_open in found:
        around = definition.qualified_name.rpartition(".")[0]
        if definition.name in named or (definition.path, definition.name) in handlers:
            continue
        reported.add((definition.path, definition.qualified_name))
        if (definition.path, around) in reported:
            continue
        yield DeadSymbol(
            definition=definition,
            reason="only_in_tests" if in_tests else "not_mentioned",
            confidence="medium" if is_open else "high",
        )


def _is_open(row: sqlite3.Row) -> bool:
    if row["language"] == "python":
        return not row["name"].startswith("_")
    return bool(row["exported"])


def _named_elsewhere(tree: SourceTree, wanted: Collection[str]) -> set[str]:
    """Which of some names stand in files that are no source files: templates, configuration."""
    found: set[str] = set()
    left = _MOST_BYTES
    for path in sorted(tree.paths()):
        if left <= 0 or path[path.rfind(".") :] in SUFFIXES:
            continue
        content = read_regular(tree.root / path, _LARGEST)
        if content is None or b"\0" in content:
            continue
        left -= len(content)
        found.update(
            name for name in identifiers(content.decode("utf-8", "replace")) if name in wanted
        )
    return found
