"""Names that would be commands to the program that runs a build."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from contract_scan.cli.main import main
from contract_scan.reports.display import without_commands
from tests.cli.test_changed import items, project

__all__ = ["project"]

COMMAND = re.compile(
    r"^\s*::(?!: )|##(vso|teamcity)?\[|section_(start|end):\d|^\s*(---|\+\+\+|~~~|\^\^\^)(\s|$)",
    re.MULTILINE,
)
NAMES = (
    "::error file=x::y.py",
    "##[error]x.py",
    "##vso[task.complete]x.py",
    "##teamcity[x]x.py",
    "section_start:0:x[collapsed=true]x.py",
    "--- x.py",
    "+++ x.py",
    "~~~ x.py",
)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("format", ["concise", "grouped", "full"])
def test_no_line_of_a_report_is_one(
    project: Path, name: str, format: str, capsys: pytest.CaptureFixture[str]
) -> None:
    served = items("int").replace("APIRouter()", "FastAPI()")
    (project / "items.py").unlink()
    (project / "app.py").unlink()
    (project / name).write_text(served, encoding="utf-8")
    assert main(["check", "--output-format", format]) == 1
    out, err = capsys.readouterr()
    assert COMMAND.search(out + err) is None
    assert name[-4:] in out


def test_a_message_is_none_either(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "--contract", "##vso[task.complete]"]) == 2
    assert COMMAND.search(capsys.readouterr().err) is None


def test_two_harmless_texts_side_by_side() -> None:
    assert without_commands(" :" + ":error::x\na::b") == " \\x3a:error::x\na::b"
