"""What the table of ids and the tests lack."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from bench.requirements.table import ROOT, Table, marked_tests


def faults(table: Table) -> Iterator[str]:
    """One line for each id without code, without a test, or unknown."""
    known = {entry.id for entry in table.requirements}
    for entry in table.requirements:
        if not entry.tests:
            yield f"{entry.id} has no test"
        for symbol in entry.symbols:
            path = ROOT / symbol.file
            if not path.is_file() or symbol.find(ast.parse(path.read_bytes())) is None:
                yield f"{entry.id} names {symbol.module}:{symbol.name}, which is not there"
    for name in sorted({*marked_tests()} - known):
        yield f"{name} is marked in tests and not in the table"
