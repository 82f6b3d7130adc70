"""Contracts that cannot be kept all at once are refused, with the line."""

from __future__ import annotations

from pathlib import Path

import pytest

from contract_scan.cli.main import main

FIRST = """Scope Contract: A
Identity:
  scope_id: a
Deliverables:
  - src/x.py
  - lib/**
Constraints:
  shared_files:
    - lib/y.py
"""


def second(deliverable: str, shared: str = "", exported: str = "type X") -> str:
    files = f"  shared_files:\n    - {shared}\n" if shared else ""
    return (
        f"\nScope Contract: B\nIdentity:\n  scope_id: b\nDeliverables:\n  - {deliverable}\n"
        f"Interfaces:\n  exports:\n    - {exported}\nConstraints:\n{files}"
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            second("src/x.py"),
            "15: src/x.py is a deliverable of `a` in line 5 as well; leave it to one, and list it "
            "in `shared_files` of the other",
        ),
        (
            second("`lib/**`"),
            "15: `lib/**` is a deliverable of `a` in line 6 as well; leave it to one, and list it "
            "in `shared_files` of the other",
        ),
        (
            second("lib/z.py", "lib/"),
            "15: lib/z.py is a deliverable of `b` and in its `shared_files`, so that it must not "
            "be modified; take it out of one",
        ),
        (
            second("../z.py"),
            "15: '../z.py' must be a path in the repository, relative to its root",
        ),
        (
            second("z.py", "/etc/passwd"),
            "21: '/etc/passwd' must be a path in the repository, relative to its root",
        ),
        (
            second("z.py", exported="../api.d.ts"),
            "18: '../api.d.ts' must be a path in the repository, relative to its root",
        ),
    ],
)
def test_what_cannot_hold_together(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, message: str
) -> None:
    file = tmp_path / "scopes.md"
    file.write_text(FIRST + text)
    assert main(["scopes", "show", str(file)]) == 2
    assert capsys.readouterr().err == f"contract-scan: {file}:{message}\n"


def test_a_file_below_a_pattern_of_a_sibling_may_be_somebody_elses(tmp_path: Path) -> None:
    file = tmp_path / "scopes.md"
    file.write_text(FIRST + second("lib/y.py", "src/x.py"))
    assert main(["scopes", "show", str(file)]) == 0
