"""What is found out of a program is found out once, and for each program."""

from __future__ import annotations

from pathlib import Path

from contract_scan.parsers.source.analysis.domain.memo import memoised
from contract_scan.parsers.source.analysis.domain.program import Program
from tests.parsers.source.python.project import project


def test_a_function_runs_once_for_each_program(tmp_path: Path) -> None:
    runs: list[Program] = []

    @memoised
    def files(program: Program) -> int:
        runs.append(program)
        return len(runs)

    @memoised
    def others(program: Program) -> str:
        return "another answer"

    one = project(tmp_path / "one", {"app.py": ""})
    two = project(tmp_path / "two", {"app.py": ""})
    assert [files(one), files(one), files(two), others(one), files(one)] == [
        1,
        1,
        2,
        "another answer",
        1,
    ]
    assert runs == [one, two]
