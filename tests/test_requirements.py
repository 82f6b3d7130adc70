"""The marker that ties tests to the ids of the owner's document."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


def collected(*arguments: str, root: Path = ROOT) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "--collect-only", *arguments],
        cwd=root,
        env={**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_tests_are_selected_by_the_id_that_they_prove() -> None:
    file = "tests/clients/mcp/test_entries.py"
    done = collected("--requirement", "TEST-027", "--requirement", "TEST-037", file)
    assert [line for line in done.stdout.splitlines() if "::" in line] == [
        f"{file}::test_the_entry_of_the_contract_engine",
        f"{file}::test_the_entry_of_codebase_intelligence",
    ]


@pytest.mark.parametrize("identifier", ["REQ-17", "ISSUE-017"])
def test_an_id_that_no_document_has_is_refused(identifier: str, tmp_path: Path) -> None:
    (tmp_path / "conftest.py").write_bytes((ROOT / "tests" / "conftest.py").read_bytes())
    (tmp_path / "test_one.py").write_text(
        f"import pytest\n\n\n@pytest.mark.requirement({identifier!r})\ndef test_one(): ...\n"
    )
    (tmp_path / "pytest.ini").write_text("[pytest]\nmarkers = requirement\n")
    done = collected(root=tmp_path)
    assert done.returncode == pytest.ExitCode.USAGE_ERROR
    assert f"test_one.py::test_one: {identifier!r} is no id of a requirement" in done.stderr
