"""The cases of the rules, in fixtures/rules: one heading a case, one contract, code per language.

A fence names its language and file (`python app.py`). A comment says what is found on its line
(`# error: [CONTRACT-001] type`, `# undetermined: [CONTRACT-001]`); where there is no comment,
nothing is found. Blocks of one language make one project, and so does the contract with each.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from contract_scan.api import scan
from contract_scan.ir.origin import Origin
from tests.pages_of_cases import sections

CASES = Path(__file__).parents[2] / "fixtures" / "rules"
CODE = ("python", "typescript", "csharp", "java")
EXPECTED = re.compile(
    r"(?P<level>error|warning|note|undetermined): "
    r"\[(?P<rule>CONTRACT-\d+)\](?: (?P<kind>[a-z-]+))?"
)


class Case(NamedTuple):
    """One heading in one language."""

    rule: str
    name: str
    language: str
    files: dict[str, str]
    contracts: tuple[str, ...]

    def expected(self) -> list[tuple[str, int, str, str]]:
        """(file, line, level, kind) of every comment."""
        return sorted(
            (file, number, match["level"], match["kind"] or "")
            for file, content in self.files.items()
            for number, line in enumerate(content.split("\n"), start=1)
            for match in EXPECTED.finditer(line)
            if match["rule"] == self.rule
        )


def cases() -> Iterator[Case]:
    for page in sorted(CASES.glob("*/*.md")):
        rule = page.parent.name.replace("_", "-").upper()
        for heading, fences in sections(page.read_text(encoding="utf-8")):
            contracts = {f: text for lang, f, text in fences if lang not in CODE}
            for language in CODE:
                code = {f: text for lang, f, text in fences if lang == language}
                if code:
                    name = f"{page.parent.name}/{page.stem}: {heading}"
                    files = contracts | code
                    yield Case(rule, name, language, files, tuple(contracts))


def place(origin: Origin) -> tuple[str, int]:
    return origin.path, origin.span.line


ALL_CASES = list(cases())


@pytest.mark.parametrize("case", ALL_CASES, ids=[f"{c.name} [{c.language}]" for c in ALL_CASES])
def test_case(case: Case, tmp_path: Path) -> None:
    for file, content in case.files.items():
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).write_text(content, encoding="utf-8")
    report = scan(
        tmp_path,
        contracts=[tmp_path / name for name in case.contracts],
        select={case.rule},
        cache=False,
    )
    found = [(*place(f.origin), f.severity, f.kind) for f in report.findings]
    undetermined = [(*place(u.origin), "undetermined", "") for u in report.undetermined]
    assert [one for one in report.not_analysed if one.code != "nothing-verified"] == []
    assert sorted(set(found + undetermined)) == case.expected(), "\n".join(
        [*(f.message for f in report.findings), *(u.reason for u in report.undetermined)]
    )
