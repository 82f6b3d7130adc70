"""The marker that ties tests to the ids of the owner's document."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


def numbered(kind: str, *numbers: int | range) -> set[str]:
    """`REQ-017` … from numbers and ranges of them."""
    found = (each if isinstance(each, range) else (each,) for each in numbers)
    return {f"{kind}-{number:03}" for each in found for number in each}


CLIENTS_AND_REGISTRY = {
    *numbered("REQ", range(17, 43)),
    *("REQ-029A", "TEST-030A", "TEST-030B", "TEST-030C", "TEST-030D"),
    *numbered("TECH", range(13, 29)),
    *numbered("WIRE", range(4, 9)),
    *numbered("SVC", range(1, 14)),
    *numbered("INT", range(1, 6)),
    *numbered("SEC", 1, 3),
    *numbered("TEST", range(18, 40), range(67, 70), range(77, 81), 84, 90, 91),
}
"""Milestones 2 and 3 of the owner's document, and what other parts of it ask of the clients, of the
registry and of the servers' configuration."""


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


def test_everything_that_is_asked_of_clients_and_registry_is_proved_by_a_test() -> None:
    pytest.importorskip("mcp", reason="the extra `mcp` is not installed")
    folders = ("clients", "servers", "orchestrator", "generated_tests")
    done = collected("--list-requirements", *(f"tests/{folder}" for folder in folders))
    proved = {line.partition(" ")[0] for line in done.stdout.splitlines() if "::" in line}
    assert sorted(CLIENTS_AND_REGISTRY - proved) == []


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
