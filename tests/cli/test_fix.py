"""`--fix`, `--unsafe-fixes`, `--diff` and `--show-fixes`, as a user meets them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from contract_scan.cli.main import main
from tests.fixes.projects import contract, java, python, typescript, write

ROOT = Path(__file__).parents[2]
WRONG_NAME = java('String id, @JsonProperty("unit_price") double price')
RIGHT_NAME = WRONG_NAME.replace("unit_price", "unitPrice")
WRONG_NULL = typescript("  id: string;\n  unitPrice: number | null;")
RIGHT_NULL = WRONG_NULL.replace(" | null", "")


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """One finding that is safe to fix."""
    write(tmp_path / "p", "App.java", WRONG_NAME)
    monkeypatch.chdir(tmp_path / "p")
    return tmp_path / "p"


def check(*options: str) -> int:
    return main(["check", "--isolated", "--no-cache", *options])


def test_what_can_be_fixed_is_marked(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert check() == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == (
        "CONTRACT-001/name-case [error] "
        "[*] `GET /orders/{id}` response 200 has `unit_price` instead of `unitPrice`"
    )
    assert lines[-2:] == [
        "Found 1 problem (1 error); 1 file read.",
        "[*] 1 fixable with `--fix`.",
    ]


def test_fix_mends_and_reports_what_is_left(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert check("--fix", "--output-format", "concise") == 0
    said = capsys.readouterr()
    assert said.out.splitlines()[-1] == ("No violation in 1 file; 1 of 1 operation verified.")
    assert said.err == "Fixed 1 finding in 1 file.\n"
    assert (project / "App.java").read_text() == RIGHT_NAME


def test_show_fixes_names_each(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert check("--fix", "--show-fixes", "--quiet") == 0
    assert capsys.readouterr().err == (
        "App.java:6: CONTRACT-001/name-case name it `unitPrice` on the wire: fixed\n"
        "Fixed 1 finding in 1 file.\n"
    )


def test_diff_changes_nothing(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert check("--diff") == 1
    said = capsys.readouterr()
    assert said.out == (
        "--- a/App.java\n+++ b/App.java\n@@ -3,7 +3,7 @@\n"
        " import com.fasterxml.jackson.annotation.JsonProperty;\n"
        " import org.springframework.web.bind.annotation.*;\n \n"
        '-record Order(String id, @JsonProperty("unit_price") double price) {}\n'
        '+record Order(String id, @JsonProperty("unitPrice") double price) {}\n'
        " \n @RestController\n"
        ' @RequestMapping("/orders")\n'
    )
    assert said.err == "Would fix 1 finding in 1 file.\n"
    assert (project / "App.java").read_text() == WRONG_NAME


def test_patch_takes_the_diff(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    check("--diff")
    diff = capsys.readouterr().out
    subprocess.run(
        ["git", "apply", "-p1", "-"], cwd=project, input=diff, text=True, check=True, timeout=300
    )
    assert (project / "App.java").read_text() == RIGHT_NAME


def test_paths_lead_there_from_the_working_directory(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(project.parent)
    assert check("p", "--diff", "--show-fixes") == 1
    said = capsys.readouterr()
    assert said.out.startswith("--- a/p/App.java\n+++ b/p/App.java\n")
    assert said.err.startswith(
        "p/App.java:6: CONTRACT-001/name-case name it `unitPrice` on the wire: "
    )


def test_diff_without_anything_to_fix(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "App.java").write_text(RIGHT_NAME)
    assert check("--diff") == 0
    assert capsys.readouterr() == ("", "No fixes to make.\n")


def test_unsafe_fixes_are_made_where_they_are_asked_for(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "App.java").unlink()
    write(project, "app.ts", WRONG_NULL)
    assert check() == 1
    assert capsys.readouterr().out.splitlines()[-1] == "1 fixable with `--fix --unsafe-fixes`."
    assert check("--fix", "--quiet") == 1
    assert (project / "app.ts").read_text() == WRONG_NULL
    assert check("--unsafe-fixes") == 1
    assert "[*] 1 fixable with `--fix`.\n" in capsys.readouterr().out
    assert check("--fix", "--unsafe-fixes") == 0
    assert (project / "app.ts").read_text() == RIGHT_NULL


def test_fixes_in_each_others_way_are_made_one_after_the_other(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    schema: dict[str, Any] = {
        "type": "object",
        "required": ["id", "paid", "sent"],
        "properties": {"id": {"type": "string"}, "paid": {"type": "boolean"}},
    }
    schema["properties"]["sent"] = {"type": "boolean"}
    write(project, "App.java", java("String id"), contract(schema))
    assert check("--fix", "--unsafe-fixes", "--quiet") == 0
    assert capsys.readouterr().err == "Fixed 2 findings in 1 file.\n"
    mended = java("String id, boolean paid, boolean sent")
    assert (project / "App.java").read_text() == mended


def test_a_diff_is_status_0_where_it_is_to_be(project: Path) -> None:
    assert check("--diff", "--exit-zero") == 0


def test_only_what_is_reported_is_fixed(project: Path) -> None:
    other = project / "Other.java"
    other.write_text(WRONG_NAME.replace("Order", "Item").replace("/orders", "/items"))
    document = (project / "openapi.json").read_text().replace("/orders/", "/items/")
    (project / "items.openapi.json").write_text(document)
    assert check("--fix", "Other.java") == 0
    assert (project / "App.java").read_text() == WRONG_NAME
    assert '"unitPrice"' in other.read_text()


def test_a_fix_that_makes_other_drift_is_taken_back(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    schema: dict[str, Any] = {
        "type": "object",
        "required": ["unit_price"],
        "properties": {"id": {"type": "string"}, "unit_price": {"type": "number"}},
    }
    other = json.dumps(contract(schema), indent=2).replace("/orders/{id}", "/goods/{id}")
    (project / "other.openapi.json").write_text(other)
    both = WRONG_NAME.replace('"/orders"', '{"/orders", "/goods"}')
    (project / "App.java").write_text(both)
    assert check("--fix", "--quiet") == 1
    assert capsys.readouterr().err == (
        "App.java:6: CONTRACT-001/name-case name it `unitPrice` on the wire: taken back, since it"
        " makes other drift\n"
    )
    assert (project / "App.java").read_text() == both


def test_python_is_not_fixed_without_libcst(project: Path) -> None:
    (project / "App.java").unlink()
    source = python("    id: str\n    price: float = Field(serialization_alias='unit_price')\n")
    write(project, "app.py", source)
    script = (
        "import sys; sys.modules['libcst'] = None; from contract_scan.cli.main import main;"
        "sys.exit(main(['check', '--isolated', '--no-cache', '--fix', '--quiet']))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        cwd=project,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 1
    assert done.stderr == (
        "Python files are not fixed without libcst: pip install 'contract-scan[fix]'\n"
    )
    assert (project / "app.py").read_text() == source


def test_code_that_would_bring_libcst_down_is_not_fixed(project: Path) -> None:
    (project / "App.java").unlink()
    source = python("    id: str\n    price: float = Field(serialization_alias='unit_price')\n")
    nested = source + f"\n\ndeep = {'-' * 5000}1\n"
    write(project, "app.py", nested)
    assert check("--fix", "--quiet") == 1
    assert (project / "app.py").read_text() == nested


def test_the_json_has_the_edits(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    check("--output-format", "json")
    said = json.loads(capsys.readouterr().out)
    schema = json.loads((ROOT / "docs/schema/check.schema.json").read_text())
    jsonschema.validate(said, schema, jsonschema.Draft202012Validator)
    (finding,) = said["findings"]
    assert finding["fix"] == {
        "title": "name it `unitPrice` on the wire",
        "safe": True,
        "edits": [
            {
                "path": "App.java",
                "line": 6,
                "column": 39,
                "end_line": 6,
                "end_column": 51,
                "text": '"unitPrice"',
            }
        ],
    }


def test_the_sarif_has_the_edits(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    check("--output-format", "sarif")
    log = json.loads(capsys.readouterr().out)
    schema = json.loads((ROOT / "tests/data/sarif-2.1.0.schema.json").read_text())
    jsonschema.Draft4Validator(schema).validate(log)
    ((result,),) = [run["results"] for run in log["runs"]]
    assert result["fixes"] == [
        {
            "description": {"text": "name it `unitPrice` on the wire"},
            "artifactChanges": [
                {
                    "artifactLocation": {"uri": "App.java"},
                    "replacements": [
                        {
                            "deletedRegion": {
                                "startLine": 6,
                                "startColumn": 39,
                                "endLine": 6,
                                "endColumn": 51,
                            },
                            "insertedContent": {"text": '"unitPrice"'},
                        }
                    ],
                }
            ],
            "properties": {"safe": True},
        }
    ]
