"""docs/requirements.md: each id with its code and its tests."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from bench.requirements.table import KINDS, ROOT, Requirement, Symbol, Table

PAGE: Final = ROOT / "docs" / "requirements.md"

_TITLES: Final = {
    "REQ": "What a build does",
    "TECH": "Records, names and values",
    "WIRE": "How the parts are joined",
    "SVC": "Tools of the servers",
    "INT": "Integration",
    "SEC": "Security",
    "TEST": "Tests that are asked for",
}
_HEAD: Final = """\
# Requirements of the builder

Where each id of the builder's requirements is done, and which tests show it. Ids of contracts and
of standards look alike (`SVC-001` is also the first row of a service table, `INT-001` also a
standard of integration): here they are always those of the requirements. What Claude Code does
otherwise than the requirements say stands in
[builder.md](builder.md#where-requirements-and-claude-code-disagree).

This page is made of `bench/requirements/ids.toml` and of the markers of tests
(`python -m bench.requirements --write`); a test fails while it is stale.
`python -m bench.requirements --replace` replaces each function that is named here by one that
raises, and requires that a test of each of its ids fails. The last run over all 154 (commit
47c73a73, 14 minutes on two cores) found none whose tests did not fail.
"""


def render(table: Table) -> str:
    """The whole page."""
    return "\n".join(_lines(table)) + "\n"


def _lines(table: Table) -> Iterator[str]:
    yield _HEAD.rstrip("\n")
    for kind in KINDS:
        yield from (
            "",
            f"## {_TITLES[kind]}",
            "",
            "| id | what | code | tests |",
            "|---|---|---|---|",
        )
        yield from (_row(entry) for entry in table.requirements if entry.kind == kind)
    yield from ("", "## What cannot apply", "")
    yield from (f"- {name}: {reason}." for name, reason in table.inapplicable.items())
    yield from ("", "## What is not replaced", "")
    yield from (f"- {name}: {reason}." for name, reason in table.not_replaced.items())
    if not table.not_replaced:
        yield "Every id is."


def _row(entry: Requirement) -> str:
    code = "<br>".join(_code(symbol) for symbol in entry.symbols)
    tests = "<br>".join(_test(test) for test in entry.tests)
    return f"| {entry.id} | {entry.words} | {code} | {tests} |"


def _code(symbol: Symbol) -> str:
    return f"[`{symbol.name}`](../{symbol.file.as_posix()})"


def _test(test: str) -> str:
    file, _, name = test.partition("::")
    return f"[`{name}`](../{Path(file).as_posix()})"
