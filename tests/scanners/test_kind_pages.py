"""Every kind of drift has a page, and what its example says is what a scan finds.

`UPDATE_DOCS=1` writes the pages anew.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from contract_scan.api import scan
from contract_scan.config import Config
from contract_scan.ir.violation import KINDS_OF_RULE, KINDS_OF_SCOPE_RULE
from contract_scan.scanners.kinds.page import page_of, severity_of
from contract_scan.scanners.kinds.programs import LANGUAGES, MARK, Program, program_of
from contract_scan.scanners.kinds.records import NAMES, RECORDS
from contract_scan.scanners.severity_table import JUDGEMENTS

PAGES = Path(__file__).parents[2] / "docs" / "rules"
SHOWN = [(name, program) for name in NAMES if (program := program_of(name)) is not None]


def placed(program: Program, language: str, own: str) -> Iterator[tuple[str, int, str, str]]:
    """(file, line, severity, kind) of everything that a program says is found."""
    for file, text in (program.contract, program.code[language]):  # type: ignore[index]
        for number, line in enumerate(text.split("\n"), start=1):
            _, mark, said = line.partition(MARK)
            if mark:
                severity, _, kind = said.partition(":")
                yield file, number, severity, kind or own


@pytest.mark.parametrize(
    ("name", "program", "language"),
    [
        pytest.param(name, program, language, id=f"{name}-{language}")
        for name, program in SHOWN
        for language in program.code
    ],
)
def test_an_example_breaks_the_contract_as_it_says(
    tmp_path: Path, name: str, program: Program, language: str
) -> None:
    for file, text in (program.contract, program.code[language]):  # type: ignore[index]
        (tmp_path / file).write_text(re.sub(f"{MARK}.*", "", text), encoding="utf-8")
    models = ("Order",) if program.configuration else ()
    found = scan(
        tmp_path,
        contracts=(tmp_path / program.contract[0],),
        config=Config(required_models=models),
        cache=False,
    ).findings
    rule, _, own = name.partition("/")
    assert {finding.rule for finding in found} == {rule}
    assert sorted(
        (finding.origin.path, finding.origin.span.line, finding.severity, finding.kind)
        for finding in found
    ) == sorted(placed(program, language, own))


def test_every_kind_of_drift_between_contract_and_code_has_an_example() -> None:
    assert {name for name, _ in SHOWN} == {
        name for name in NAMES if not name.startswith(("CONTRACT-000/", "SCOPE-"))
    }
    few = {name: list(program.code) for name, program in SHOWN if len(program.code) < 4}
    assert few == {"CONTRACT-002/other-application": ["python"]}
    assert set(LANGUAGES) == {"python", "typescript", "csharp", "java"}


def test_every_kind_has_a_record() -> None:
    rules = (*KINDS_OF_RULE.values(), *KINDS_OF_SCOPE_RULE.values())
    assert set(RECORDS) == {kind for kinds in rules for kind in kinds}
    unclear = {kind for kind, record in RECORDS.items() if record.severity is None}
    assert unclear == {row.kind for row in JUDGEMENTS.values()}


def test_the_severity_of_a_kind_is_its_gravest() -> None:
    assert severity_of("CONTRACT-001/extra-field") == "error"
    assert severity_of("CONTRACT-002/undocumented-endpoint") == "warning"
    assert severity_of("CONTRACT-002/other-application") == "note"


@pytest.mark.parametrize("name", NAMES)
def test_the_page_of_a_kind_is_made_of_its_record(name: str) -> None:
    page = PAGES / f"{name}.md"
    if os.environ.get("UPDATE_DOCS") == "1":
        page.parent.mkdir(parents=True, exist_ok=True)
        page.write_text(page_of(name), encoding="utf-8")
    assert page.read_text(encoding="utf-8") == page_of(name)


def test_no_page_of_a_kind_is_left_over() -> None:
    written = {f"{page.parent.name}/{page.stem}" for page in PAGES.glob("*/*.md")}
    assert written == set(NAMES)


def test_a_page_says_what_a_user_asks() -> None:
    headings = [
        "# CONTRACT-001/nullable: null on one side only",
        "## What is found",
        "## Why it matters",
        "## Example",
        "## How to fix",
        "## When it stays silent",
        "## Leaving it out",
    ]
    page = page_of("CONTRACT-001/nullable")
    assert [line for line in page.splitlines() if line.startswith(("# C", "## "))] == headings
    assert "    total: float | None  # error: CONTRACT-001/nullable\n" in page
    assert "| what is sent | error | never send null, or allow it in the contract |\n" in page
