"""`contract-scan results`, by the examples of its page."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from contract_scan.cli.main import main
from tests.refunds import APP, OPENAPI

PAGE = Path(__file__).parents[2] / "docs" / "agent-results.md"


def blocks(language: str) -> list[str]:
    text = PAGE.read_text(encoding="utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```", text, flags=re.DOTALL | re.MULTILINE)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    auditor, engineer, _ = blocks("markdown")
    (tmp_path / "auditor.md").write_text(auditor)
    (tmp_path / "qa.md").write_text(engineer)
    for name, text in {
        "src/config/jwt.ts": "// key\nexport {};\n",
        "src/api/login.ts": "//",
    }.items():
        (tmp_path / name).parent.mkdir(parents=True)
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_whole_result_has_no_defects(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["results", "check", "auditor.md", "--root", "."]) == 0
    assert capsys.readouterr().out == "1 results, 0 defects\n"


def test_defects_are_told_with_their_lines(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (expected,) = blocks("text")
    assert main(["results", "check", "qa.md", "--root", "."]) == 1
    assert capsys.readouterr().out == expected


def test_results_are_merged_as_the_page_shows(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    *_, expected = blocks("markdown")
    words = ["results", "merge", "auditor.md", "qa.md", "--weight", "security auditor=2"]
    assert main(words) == 1
    assert capsys.readouterr().out == expected


def test_a_merged_result_is_a_whole_result(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["results", "merge", "auditor.md", "qa.md", "--output-file", "merged.md"]) == 1
    assert main(["results", "check", "merged.md"]) == 0
    assert main(["results", "merge", "merged.md", "--output-file", "again.md"]) == 1
    merged, again = (
        re.findall(r"^\| (?:SEC|QA|Acc).*", (folder / name).read_text(), re.MULTILINE)
        for name in ("merged.md", "again.md")
    )
    assert merged == again


@pytest.mark.parametrize(
    ("text", "words", "message"),
    [
        ("# Notes\n", [], "odd.md: holds no result (a heading `… Result` begins one)"),
        (
            "# A Result\n## Status\nSUCCESS\n## Status\nFAILED\n",
            [],
            "odd.md:4: `Status` is given twice, first in line 2",
        ),
        (
            "# A Result\n## Status\nmaybe\n",
            [],
            "the result of A (line 1) has none of the statuses SUCCESS, PARTIAL, FAILED",
        ),
        (
            "# A Result\n## Status\nSUCCESS\n",
            ["--weight", "b=2"],
            "the weight of 'b' is for none of a",
        ),
        (
            "# A Result\n## Status\nSUCCESS\n",
            ["--weight", "a=much"],
            "--weight 'a=much': say AGENT=NUMBER, such as auditor=2",
        ),
        (
            "# A Result\n## Status\nSUCCESS\n",
            ["--weight", "a=-1"],
            "the weight -1 of 'a' is not 0 or more",
        ),
    ],
)
def test_what_cannot_be_merged_is_one_line(
    text: str,
    words: list[str],
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "odd.md").write_text(text)
    assert main(["results", "merge", "odd.md", *words, "--output-file", "out.md"]) == 2
    assert capsys.readouterr() == ("", f"contract-scan: {message}\n")
    assert not (tmp_path / "out.md").exists()


WITHOUT_AMOUNT = APP.replace("    amount: int\n", "").replace(", amount=1", "")


@pytest.fixture
def scanned(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "openapi.yaml").write_text(OPENAPI)
    (tmp_path / "app.py").write_text(WITHOUT_AMOUNT)
    assert main(["check", "--output-format", "json=report.json", "."]) == 1
    return tmp_path


def test_a_scan_is_a_result_and_its_issues_are_the_problems_again(
    scanned: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["results", "from-report", "report.json", "--output-file", "scan.md"]) == 0
    assert main(["results", "check", "scan.md", "--root", "."]) == 0
    capsys.readouterr()
    assert main(["results", "problems", "scan.md", "--report", "report.json"]) == 1
    (problem,) = json.loads((scanned / "report.json").read_text())["problems"]
    assert capsys.readouterr().out == (
        f"{problem['fingerprint']} app.py:7: CONTRACT-001/missing-field: {problem['title']}\n"
    )
    merged = scanned / "merged.md"
    assert main(["results", "merge", "scan.md", "--output-file", str(merged)]) == 1
    assert problem["fingerprint"] in merged.read_text()


def test_a_fingerprint_that_the_scan_has_not_is_named(
    scanned: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (scanned / "made-up.md").write_text(
        "# A Result\n## Status\nPARTIAL\n## Issues\n- Wrong | Fingerprint: p1:0\n"
    )
    capsys.readouterr()
    assert main(["results", "problems", "made-up.md", "--report", "report.json"]) == 2
    assert capsys.readouterr() == (
        "",
        "contract-scan: line 5: the report has no problem 'p1:0'\n",
    )


@pytest.mark.parametrize(
    ("report", "message"),
    [
        ("[]", "is no JSON report of a scan: Expected `object`, got `array`"),
        (
            json.dumps(
                {
                    "schema_version": 9,
                    "summary": {"operations": 0, "verified": 0, "undetermined": 0, "files": 0},
                    "problems": [],
                    "findings": [],
                    "not_analysed": [],
                }
            ),
            "has the schema version 9; 1 can be read",
        ),
    ],
)
def test_a_report_that_cannot_be_read_is_one_line(
    report: str,
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "report.json").write_text(report)
    assert main(["results", "from-report", "report.json"]) == 2
    assert capsys.readouterr() == ("", f"contract-scan: report.json: {message}\n")


def test_a_scan_without_problems_is_a_whole_result(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "openapi.yaml").write_text(OPENAPI)
    (tmp_path / "app.py").write_text(APP)
    assert main(["check", "--output-format", "json=report.json", "."]) == 0
    assert main(["results", "from-report", "report.json", "--output-file", "scan.md"]) == 0
    capsys.readouterr()
    assert main(["results", "check", "scan.md", "--root", "."]) == 0
    assert "### Status\nSUCCESS\n" in (tmp_path / "scan.md").read_text()


def test_a_scan_that_could_not_read_everything_has_failed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "openapi.yaml").write_text(OPENAPI)
    (tmp_path / "app.py").write_text(APP)
    (tmp_path / "broken.yaml").write_text("openapi: 3.1.0\npaths: [\n")
    assert main(["check", "--output-format", "json=report.json", "."]) == 2
    assert main(["results", "from-report", "report.json", "--output-file", "scan.md"]) == 0
    capsys.readouterr()
    assert main(["results", "check", "scan.md"]) == 0
    text = (tmp_path / "scan.md").read_text()
    assert "### Status\nFAILED\n" in text
    assert "| Occurred At | `broken.yaml:" in text
