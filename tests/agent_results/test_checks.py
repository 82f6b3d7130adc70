"""What a result should say and does not."""

from __future__ import annotations

from pathlib import Path

import pytest

from contract_scan.agent_results.checks import defects
from contract_scan.agent_results.markdown_form import read_results

WHOLE = """## A Result
### Status
PARTIAL
### Summary
Read everything.
### Findings
- One
### Key References
| Item | Location | Relevance |
|---|---|---|
| Key | `src/a.py:2` | why |
### Confidence
90 - read twice
### Issues
- SEC-1: Key in the code | Severity: critical | Location: `src/a.py:1`
### Next Steps
1. Mend it
### Blockers
- No right | Resolution: ask
"""


def kinds(text: str, root: Path | None = None) -> list[tuple[int, str]]:
    (result,) = read_results(text)
    return [(defect.line, defect.kind) for defect in defects(result, root)]


def test_a_whole_result_has_none() -> None:
    assert kinds(WHOLE) == []


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("PARTIAL", "DONE", [(1, "unknown-status")]),
        ("Read everything.", "", [(1, "missing-section")]),
        ("Read everything.", "x" * 2000, []),
        ("Read everything.", "x" * 2001, [(1, "long-summary")]),
        ("- One", "", [(1, "missing-section")]),
        ("| Key | `src/a.py:2` | why |\n", "", [(1, "missing-section")]),
        ("`src/a.py:2`", "`src/a.py`", [(11, "no-location")]),
        ("90 - read twice", "90", [(13, "unjustified-confidence")]),
        ("90 - read twice", "sure", [(1, "no-confidence")]),
        ("90 - read twice", "120 - very", [(13, "no-confidence")]),
        (" | Severity: critical", "", [(15, "no-severity")]),
        ("Severity: critical", "Severity: bad", [(15, "no-severity")]),
        (" | Location: `src/a.py:1`", "", [(15, "no-location")]),
        (" | Resolution: ask", "", [(19, "no-resolution")]),
        (
            "### Next Steps\n1. Mend it\n### Blockers\n- No right | Resolution: ask\n",
            "",
            [(1, "no-next-steps")],
        ),
    ],
)
def test_each_defect(old: str, new: str, expected: list[tuple[int, str]]) -> None:
    assert old in WHOLE
    assert kinds(WHOLE.replace(old, new, 1)) == expected


@pytest.mark.parametrize(("score", "supported"), [(84, True), (85, False)])
def test_a_high_confidence_needs_a_place(score: int, supported: bool) -> None:
    text = (
        "## A Result\n### Status\nSUCCESS\n### Summary\nDone.\n### Findings\n- One\n"
        f"### Confidence\n{score} - because\n"
    )
    wanted = [(1, "missing-section")] + [(9, "unsupported-confidence")] * (not supported)
    assert kinds(text) == wanted


def test_a_failure_needs_other_sections() -> None:
    (result,) = read_results("## A Result\n### Status\nFAILED\n### Summary\nNo.\n")
    assert [defect.message for defect in defects(result)] == [
        f"A says nothing under `{title}`"
        for title in (
            "Error Details",
            "Attempted Actions",
            "Root Cause Analysis",
            "Recovery Options",
            "Blockers",
        )
    ]


@pytest.mark.parametrize(
    ("place", "problem"),
    [
        ("src/a.py:2", ""),
        ("src/a.py:3", "the file has 2 lines"),
        ("src/b.py:1", "there is no such file"),
        ("src:1", "there is no such file"),
        ("../outside.py:1", "is no path inside the folder"),
        ("/etc/passwd:1", "is no path inside the folder"),
        (r"C:\a.cs:1", "is no path inside the folder"),
        ("link.py:1", "there is no such file"),
    ],
)
def test_places_must_exist_in_the_folder(tmp_path: Path, place: str, problem: str) -> None:
    root = tmp_path / "root"
    (root / "src").mkdir(parents=True)
    (root / "src" / "a.py").write_text("a\nb")
    (tmp_path / "outside.py").write_text("a\n")
    (root / "link.py").symlink_to(tmp_path / "outside.py")
    (result,) = read_results(WHOLE.replace("src/a.py:2", place, 1))
    expected = [f"`{place}`: {problem}"] if problem else []
    assert [defect.message for defect in defects(result, root)] == expected
