"""A plan is given again while what it rests on is as it was, and made anew otherwise."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from contract_scan.cli.main import main
from tests.fixes.projects import java, python, write

ROOT = Path(__file__).parents[2]
WRONG = java('String id, @JsonProperty("unit_price") double price')
SUBMODEL = (
    python("    id: str\n    unit_price: float\n")
    .replace("class Order(BaseModel)", "class Order(Base)")
    .replace("app = ", "from base import Base\n\napp = ")
)
PLAIN_BASE = "from pydantic import BaseModel\n\n\nclass Base(BaseModel):\n    pass\n"
OPEN_BASE = PLAIN_BASE.replace(
    "    pass", '    model_config = {"populate_by_name": True}  # by both names'
)


def findings(
    folder: Path, capsys: pytest.CaptureFixture[str], *options: str
) -> list[dict[str, Any]]:
    main(["check", str(folder), "--isolated", "--output-format", "json", *options])
    found: list[dict[str, Any]] = json.loads(capsys.readouterr().out)["findings"]
    return found


def modules_of_second_run(folder: Path, format: str) -> set[str]:
    """What a run loads that finds the cache full."""
    run = (
        "import sys; from contract_scan.cli.main import main;"
        f"main(['check', '--isolated', '-q', '--output-format', '{format}=/dev/null']);"
        "print(*sys.modules)"
    )
    for _ in range(2):
        done = subprocess.run(
            [sys.executable, "-c", run],
            cwd=folder,
            env={"PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
            check=True,
            timeout=300,
        )
    return set(done.stdout.split())


def test_nothing_is_parsed_a_second_time(tmp_path: Path) -> None:
    write(tmp_path, "App.java", WRONG)
    loaded = modules_of_second_run(tmp_path, "json")
    assert "contract_scan.fixes.cached_plan" in loaded
    assert not {"tree_sitter", "contract_scan.fixes.plan"} & loaded


def test_a_report_without_fixes_plans_none(tmp_path: Path) -> None:
    write(tmp_path, "App.java", WRONG)
    loaded = modules_of_second_run(tmp_path, "gitlab")
    assert not {name for name in loaded if name.startswith("contract_scan.fixes")}


def test_the_same_is_said_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(tmp_path, "App.java", WRONG)
    first, second = findings(tmp_path, capsys), findings(tmp_path, capsys)
    assert first == second == findings(tmp_path, capsys, "--no-cache")
    (finding,) = first
    assert finding["fix"]["edits"][0]["text"] == '"unitPrice"'


def test_a_file_that_changed_elsewhere_gets_another_plan(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The findings stay as they were; what mends them does not."""
    file = write(tmp_path, "App.java", WRONG + "// unit_price\n")
    assert [each["fix"]["safe"] for each in findings(tmp_path, capsys)] == [True]
    file.write_text(WRONG + 'class X { String x = "unit_price"; }\n')
    assert [each["fix"]["safe"] for each in findings(tmp_path, capsys)] == [False]


def test_a_base_class_in_another_file_counts(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(tmp_path, "app.py", SUBMODEL)
    base = tmp_path / "base.py"
    for text, safe in ((PLAIN_BASE, False), (OPEN_BASE, True), (PLAIN_BASE, False)):
        base.write_text(text)
        for _ in range(2):
            found = findings(tmp_path, capsys)
            assert [each["fix"]["safe"] for each in found] == [safe]


def test_a_package_that_comes_to_stand_in_front_counts(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(tmp_path, "app.py", SUBMODEL)
    (tmp_path / "base.py").write_text(PLAIN_BASE)
    assert [each["fix"]["safe"] for each in findings(tmp_path, capsys)] == [False]
    (tmp_path / "base").mkdir()
    (tmp_path / "base" / "__init__.py").write_text(OPEN_BASE)
    assert findings(tmp_path, capsys) == findings(tmp_path, capsys, "--no-cache")
