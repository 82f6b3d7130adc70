"""The pages in docs/rules are the rules' own documentation.

`UPDATE_DOCS=1` writes them anew.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from contract_scan.ir.violation import RULE_IDS
from contract_scan.scanners.rule import Rule
from contract_scan.scanners.rules import RULES

PAGES = Path(__file__).parents[2] / "docs" / "rules"

SECTIONS = [
    "## What it promises",
    "## Why it matters",
    "## Example",
    "## How to fix",
    "## When it stays silent",
]


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_the_page_of_a_rule_is_its_docstring(rule: Rule) -> None:
    page = PAGES / f"{rule.id}.md"
    if os.environ.get("UPDATE_DOCS") == "1":
        page.parent.mkdir(parents=True, exist_ok=True)
        page.write_text(rule.documentation, encoding="utf-8")
    assert page.read_text(encoding="utf-8") == rule.documentation


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_a_page_says_what_a_user_asks(rule: Rule) -> None:
    lines = rule.documentation.splitlines()
    assert lines[0].startswith(f"# {rule.id}: ")
    assert lines[2] == rule.summary
    assert [line for line in lines if line.startswith("## ")] == SECTIONS
    languages = ("python", "typescript", "csharp", "java") if rule.id in RULE_IDS else ()
    assert all(f"```{language}" in lines for language in languages)


def test_no_page_is_left_over() -> None:
    assert {page.stem for page in PAGES.glob("*.md")} == {rule.id for rule in RULES}
