"""Exceptions next to what they are about, and what is said of those that are wrong or idle."""

from __future__ import annotations

import msgspec
import pytest

from contract_scan.ir.comment import Comment
from contract_scan.ir.document import NotAnalysed
from contract_scan.ir.origin import Origin, Span
from contract_scan.ir.violation import RULE_IDS as ALL
from contract_scan.ir.violation import Finding
from contract_scan.scanners.report import Report
from contract_scan.scanners.suppressions import without_ignored

FINDING = Finding(
    rule="CONTRACT-001",
    kind="type",
    severity="error",
    message="`total` is a string",
    origin=Origin("src/orders.py", Span(9, 5, 9, 10)),
    contract=Origin("openapi.yaml", Span(40, 9, 40, 14)),
    reached_from=Origin("src/routes.py", Span(20, 1, 20, 9)),
)


def comment(said: str, path: str = "src/orders.py", line: int = 9) -> Comment:
    return Comment(said=said, origin=Origin(path, Span(line, 20, line, 40)), lines=(line,))


def judged(
    *comments: Comment, report: Report | None = None, select: frozenset[str] = ALL
) -> tuple[list[tuple[str, str]], int]:
    """(kind and message of every finding that is left, how many were ignored)."""
    result = without_ignored(
        report or Report(findings=(FINDING,)),
        comments,
        select=select,
        inside={"src/orders.py", "src/routes.py", "openapi.yaml"},
    )
    return [(finding.kind, finding.message) for finding in result.findings], result.ignored


STAYS = ("type", "`total` is a string")


@pytest.mark.parametrize(
    ("path", "line"), [("src/orders.py", 9), ("openapi.yaml", 40), ("src/routes.py", 20)]
)
def test_any_place_that_a_finding_names_will_do(path: str, line: int) -> None:
    assert judged(comment("ignore[CONTRACT-001] agreed", path, line)) == ([], 1)


def test_several_rules_may_be_named() -> None:
    also = msgspec.structs.replace(FINDING, rule="CONTRACT-003")
    report = Report(findings=(FINDING, also))
    assert judged(comment("ignore[CONTRACT-001,CONTRACT-003]"), report=report) == ([], 2)


def test_one_kind_of_a_rule_may_be_named() -> None:
    assert judged(comment("ignore[CONTRACT-001/type] agreed")) == ([], 1)
    assert judged(comment("ignore[CONTRACT-001/enum, CONTRACT-001/type]")) == (
        [("unused-ignore", "`ignore[CONTRACT-001/enum]` is not needed: nothing is found here")],
        1,
    )


def test_another_line_rule_or_file_is_no_match_and_said_to_be_idle() -> None:
    idle = ("unused-ignore", "`ignore[CONTRACT-001]` is not needed: nothing is found here")
    assert judged(comment("ignore[CONTRACT-001]", line=8)) == ([idle, STAYS], 0)
    assert judged(comment("ignore[CONTRACT-001]", "src/routes.py")) == ([STAYS, idle], 0)
    assert judged(comment("ignore[CONTRACT-002]")) == (
        [STAYS, (idle[0], idle[1].replace("001", "002"))],
        0,
    )


@pytest.mark.parametrize(
    ("said", "complaint"),
    [
        ("ignore", "`ignore` names no rule"),
        ("ignore CONTRACT-001", "`ignore` names no rule"),
        ("ignore[]", "`ignore[]` names no rule"),
        ("ignore[CONTRACT-01]", "`ignore` names the unknown rule `CONTRACT-01`"),
        ("ignore[CONTRACT-001/tpye]", "`ignore` names the unknown kind `tpye` of CONTRACT-001"),
        ("ignore[CONTRACT-000/stale-baseline]", "CONTRACT-000 cannot be ignored in place"),
        ("ignore[CONTRACT-000]", "CONTRACT-000 cannot be ignored in place"),
        ("disable[CONTRACT-001]", "`contract-scan: disable` is not understood"),
    ],
)
def test_what_is_not_understood_excepts_nothing_and_is_said(said: str, complaint: str) -> None:
    assert judged(comment(said)) == ([STAYS, ("invalid-ignore", complaint)], 0)


def test_a_misspelt_rule_is_suggested() -> None:
    result = without_ignored(
        Report(),
        [comment("ignore[CONTRCT-001]")],
        select=ALL,
        inside={"src/orders.py"},
    )
    assert [finding.help for finding in result.findings] == ["did you mean `CONTRACT-001`?"]


def test_nothing_is_idle_for_a_rule_that_did_not_run() -> None:
    only = frozenset({"CONTRACT-000", "CONTRACT-001"})
    assert judged(comment("ignore[CONTRACT-001, CONTRACT-004]"), select=only) == ([], 1)


def test_nothing_is_idle_in_a_file_that_was_not_read_whole() -> None:
    partly = Report(not_analysed=(NotAnalysed(path="src/orders.py", reason="broken", fatal=False),))
    assert judged(comment("ignore[CONTRACT-001]"), report=partly) == ([], 0)


def test_exceptions_hold_also_where_their_own_rule_does_not_run() -> None:
    select = ALL - {"CONTRACT-000"}
    assert judged(comment("ignore[CONTRACT-001, X]"), select=select) == ([], 1)


def test_files_beyond_the_scanned_folder_are_obeyed_but_not_complained_of() -> None:
    beyond = msgspec.structs.replace(FINDING, contract=Origin("../api.yaml", Span(4, 1, 4, 2)))
    said = (comment("ignore[CONTRACT-001, X]", "../api.yaml", 4),)
    assert judged(*said, report=Report(findings=(beyond,))) == ([], 1)


def test_complaints_have_fingerprints_of_their_own() -> None:
    result = without_ignored(
        Report(),
        [comment("ignore[CONTRACT-001, CONTRACT-002]"), comment("ignore[CONTRACT-001]", line=4)],
        select=ALL,
        inside={"src/orders.py"},
    )
    assert len({finding.fingerprint for finding in result.findings}) == 3
