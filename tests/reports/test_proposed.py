"""What a fix changes, as people look at it."""

from __future__ import annotations

from pathlib import Path

import pytest

from contract_scan.ir.fix import Edit, Fix
from contract_scan.ir.origin import Span
from contract_scan.reports.html_findings import proposed_lines
from contract_scan.reports.lines import Lines

TEXT = "one\ntwo\nthree\nfour\nfive\n"


def shown(folder: Path, *edits: tuple[tuple[int, int, int, int], str]) -> list[str]:
    (folder / "a.txt").write_bytes(TEXT.encode())
    made = tuple(Edit("a.txt", Span(*span), text) for span, text in edits)
    fix = Fix(title="mend it", safe=True, edits=made, digest=b"")
    return [f"{e.sign}{e.number} {e.text}" for e in proposed_lines(fix, Lines(folder))]


@pytest.mark.parametrize(
    ("edits", "expected"),
    [
        ([((2, 1, 2, 4), "2")], ["-2 two", "+2 2"]),
        ([((2, 1, 2, 1), "new\n")], ["+2 new"]),
        ([((2, 4, 2, 4), ",\nnew")], ["-2 two", "+2 two,", "+2 new"]),
        ([((2, 4, 2, 4), "\nnew")], ["+2 new"]),
        ([((2, 1, 3, 1), "")], ["-2 two"]),
        ([((2, 4, 3, 1), "")], ["-2 two", "-3 three", "+2 twothree"]),
        ([((1, 1, 1, 4), "1"), ((4, 1, 4, 5), "4")], ["-1 one", "+1 1", "-4 four", "+4 4"]),
        ([((2, 1, 2, 2), "T"), ((2, 3, 2, 4), "O")], ["-2 two", "+2 TwO"]),
        ([((6, 1, 6, 1), "six\n")], ["+6 six"]),
        ([((2, 1, 2, 1), "a\r\nb\r\n")], ["+2 a", "+2 b"]),
    ],
)
def test_lines_that_go_and_lines_that_come(
    tmp_path: Path, edits: list[tuple[tuple[int, int, int, int], str]], expected: list[str]
) -> None:
    assert shown(tmp_path, *edits) == expected


def test_what_cannot_be_read_is_taken_for_empty(tmp_path: Path) -> None:
    edit = Edit("gone.txt", Span(1, 1, 1, 1), "new\n")
    fix = Fix(title="", safe=True, edits=(edit,), digest=b"")
    assert [line.text for line in proposed_lines(fix, Lines(tmp_path))] == ["new"]
