"""The example in docs/generated-tests.md."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from contract_scan.cli.main import main

PAGE = (Path(__file__).parents[2] / "docs" / "generated-tests.md").read_text(encoding="utf-8")


def test_the_example_gives_the_tests_that_the_page_lists(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    blocks = re.findall(r"```(\w*)\n(.*?)```", PAGE, flags=re.DOTALL)
    (contract,) = [text for language, text in blocks if language == "yaml"]
    commands, listed = [text for language, text in blocks if not language]
    monkeypatch.chdir(tmp_path)
    (tmp_path / "openapi.yaml").write_text(contract, encoding="utf-8")
    for command in commands.splitlines():
        program, *arguments = command.split()
        assert program == "contract-scan"
        assert main(arguments) == 0
    collected = subprocess.run(
        [sys.executable, "-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    found = [line.partition("::")[2] for line in collected.stdout.splitlines() if "::" in line]
    assert found == listed.splitlines()
    assert (tmp_path / "pets.test.js").read_text(encoding="utf-8").startswith('"use strict";')
