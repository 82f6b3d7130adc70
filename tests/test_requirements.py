"""The ids of the builder's requirements: their code, their tests, and the page of both."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from bench.requirements.faults import faults
from bench.requirements.page import PAGE, render
from bench.requirements.replacing import replaced
from bench.requirements.table import Symbol, read_table

ROOT = Path(__file__).parents[1]


def collected(*arguments: str, root: Path = ROOT) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "--collect-only", *arguments],
        cwd=root,
        env={**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


def test_tests_are_selected_by_the_id_that_they_prove() -> None:
    file = "tests/clients/mcp/test_entries.py"
    done = collected("--requirement", "TEST-027", "--requirement", "TEST-037", file)
    assert [line for line in done.stdout.splitlines() if "::" in line] == [
        f"{file}::test_the_entry_of_the_contract_engine",
        f"{file}::test_the_entry_of_codebase_intelligence",
    ]


def test_every_id_has_code_and_a_test() -> None:
    assert [*faults(read_table())] == []


def test_little_is_left_out_and_with_a_reason() -> None:
    table = read_table()
    assert {*table.inapplicable} == {"REQ-084", "TEST-075"}
    assert len(table.not_replaced) <= 10
    assert {*table.not_replaced} <= {entry.id for entry in table.requirements}
    assert all([*table.inapplicable.values(), *table.not_replaced.values()])


def test_the_page_of_requirements_is_up_to_date() -> None:
    if os.environ.get("UPDATE_DOCS") == "1":
        PAGE.write_text(render(read_table()), encoding="utf-8")
    assert PAGE.read_text(encoding="utf-8") == render(read_table())


SOURCE = """\
from dataclasses import dataclass

LIMIT = 3

def twice(number: int) -> int:
    \"\"\"Double it.\"\"\"
    return 2 * number

def least() -> int: return LIMIT

@dataclass
class Point:
    x: int = 0

class Counter:
    def __init__(self) -> None:
        self.count = 0

    def add(self) -> None:
        self.count += 1
"""


@pytest.mark.parametrize(
    ("name", "use"),
    [
        ("twice", "twice(2)"),
        ("least", "least()"),
        ("Point", "Point()"),
        ("Counter", "Counter()"),
        ("Counter.add", "Counter().add()"),
    ],
)
def test_code_that_is_replaced_raises(name: str, use: str) -> None:
    module: dict[str, object] = {"__name__": __name__}
    exec(replaced(SOURCE, Symbol("module", name)), module)
    with pytest.raises(NotImplementedError, match="replaced"):
        eval(use, module)


def test_a_constant_that_is_replaced_is_empty() -> None:
    module: dict[str, object] = {"__name__": __name__}
    exec(replaced(SOURCE, Symbol("module", "LIMIT")), module)
    assert module["LIMIT"] == 0


def test_a_name_that_is_not_there_is_an_error() -> None:
    with pytest.raises(LookupError, match=r"module has no Point\.y"):
        replaced(SOURCE, Symbol("module", "Point.y"))


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
