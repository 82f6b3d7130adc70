"""Shared models that the code does not have: an answer, told apart from what is undetermined."""

from __future__ import annotations

import json
from pathlib import Path

from contract_scan.ir.origin import Origin, Span
from contract_scan.ir.violation import Undetermined
from contract_scan.reports import html, markdown, sarif, text
from contract_scan.reports import json as as_json
from contract_scan.reports.report import Setting
from contract_scan.scanners.report import PromiseCounts, Report, Summary
from tests.reports.samples import UNTYPED, project

NOTHING = "no type in the code stands for the model"


def lacking(name: str, line: int) -> Undetermined:
    origin = Origin("models.json", Span(line, 1, line, 5))
    return Undetermined(rule="CONTRACT-004", reason=NOTHING, origin=origin, model=name, absent=True)


MODELS = tuple(lacking(f"Model{at}", at) for at in range(1, 11))
REPORT = Report(
    undetermined=(UNTYPED, *MODELS),
    summary=Summary(models=PromiseCounts(total=11, verified=1, absent=10)),
    files=2,
)


def lines(setting: Setting) -> list[str]:
    return "".join(text.full(REPORT, setting)).splitlines()


def test_the_terminal_names_them_apart(tmp_path: Path) -> None:
    setting = project(tmp_path)
    named = "Model1, Model2, Model3, Model4, Model5, Model6, Model7, Model8"
    assert lines(setting) == [
        "Undetermined in 1 place:",
        "    1 × the handler's return type is declared as any",
        "        GET /orders 200 response items[] at src/orders.py:6:1",
        "",
        "Not in the code: 10 models, for which no type stands:",
        f"  {named}, and 2 more (shown with --verbose)",
        "",
        "              total  verified  violated  missing  undetermined  not in the code",
        "models           11         1         0        0             0               10",
        "",
        "No violation in 2 files; 1 of 11 models verified.",
    ]


def test_json_counts_and_marks_them(tmp_path: Path) -> None:
    document = json.loads("".join(as_json.render(REPORT, project(tmp_path))))
    assert document["summary"]["models"]["absent"] == 10
    assert [item["absent"] for item in document["undetermined"]] == [True] * 10 + [False]


def test_sarif_counts_questions_only(tmp_path: Path) -> None:
    document = json.loads("".join(sarif.render(REPORT, project(tmp_path))))
    assert document["runs"][0]["properties"] == {"undetermined": 1}


def test_markdown_has_a_column_and_a_list(tmp_path: Path) -> None:
    said = "".join(markdown.render(REPORT, project(tmp_path))).splitlines()
    assert "| models | 11 | 1 | 0 | 0 | 0 | 10 |" in said
    assert "<details><summary>Undetermined: 1</summary>" in said
    assert said[said.index("<details><summary>Not in the code: 10 models</summary>") + 2] == (
        ", ".join(f"`Model{at}`" for at in range(1, 11))
    )


def test_html_has_a_section_of_them(tmp_path: Path) -> None:
    page = "".join(html.render(REPORT, project(tmp_path)))
    _, _, section = page.partition('id="absent"')
    section = section.partition("</section>")[0]
    assert f"10 × {NOTHING}" in section
    assert section.count("<li>") == 10
    assert "<b>10</b> not in the code" in page
