"""Everything of the bookshop that can be mended, mended at once."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from contract_scan.cli.main import main

BOOKSHOP = Path(__file__).parents[2] / "fixtures" / "projects" / "bookshop"


def identity(finding: dict[str, Any]) -> tuple[str, ...]:
    """What a finding is about, wherever its line is."""
    named = ("rule", "kind", "operation", "channel", "model", "field", "path")
    return tuple(json.dumps(finding[name]) for name in named)


def test_what_can_be_fixed_is_gone_and_nothing_is_new(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "bookshop"
    shutil.copytree(BOOKSHOP, folder)
    command = ["check", str(folder), "--isolated", "--output-format", "json", "--unsafe-fixes"]
    assert main(command) == 1
    before = json.loads(capsys.readouterr().out)["findings"]
    assert main([*command, "--fix"]) == 1
    after = json.loads(capsys.readouterr().out)["findings"]
    left = {identity(finding) for finding in before if finding["fix"] is None}
    assert {identity(finding) for finding in after} == left
    assert len(before) - len(after) == 44
    assert main([*command, "--diff"]) == 0
    said = capsys.readouterr()
    *withheld, last = said.err.splitlines()
    assert (said.out, last) == ("", "No fixes to make.")
    assert [line for line in withheld if ": not fixed, services/" not in line] == []
