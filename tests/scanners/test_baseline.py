"""Known findings are left out, new ones are not, and what is known in vain is said."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from contract_scan.errors import ConfigurationError
from contract_scan.ir.document import NotAnalysed
from contract_scan.ir.origin import Origin, Span
from contract_scan.ir.violation import RULE_IDS as ALL
from contract_scan.ir.violation import Finding, OperationRef
from contract_scan.scanners.baseline import (
    Baseline,
    Entry,
    baseline_of,
    pruned_baseline,
    read_baseline,
    render,
    updated_baseline,
    without_known,
)
from contract_scan.scanners.fingerprint import with_fingerprints
from contract_scan.scanners.problems import cause_of
from contract_scan.scanners.report import Report

NAME = "contract-scan-baseline.json"
BASE = Finding(
    rule="CONTRACT-001",
    kind="type",
    severity="error",
    message="`total` is a string",
    origin=Origin("src/orders.py", Span(9, 5, 9, 10), symbol="Order"),
)
TWICE_AND_ONE = with_fingerprints(
    [BASE, BASE, msgspec.structs.replace(BASE, field="id", origin=Origin("src/a\u2028.py"))]
)
FIRST, SECOND, OTHER = TWICE_AND_ONE
NEW = msgspec.structs.replace(
    FIRST,
    problem=f"{cause_of(FIRST.problem)}:required",
    kind="undocumented-endpoint",
    operation=OperationRef(method="GET", path="/new"),
)
"""Another member of the cause of the first."""


def report(*findings: Finding, problems: tuple[NotAnalysed, ...] = ()) -> Report:
    return Report(findings=findings, not_analysed=problems)


def judged(
    found: Report, baseline: Baseline, select: frozenset[str] = ALL
) -> tuple[list[Finding], int]:
    result = without_known(found, baseline, select, NAME, render(baseline))
    return list(result.findings), result.known


def test_it_is_written_sorted_one_cause_a_line() -> None:
    assert render(baseline_of(TWICE_AND_ONE, "1.2.3")) == (
        f"""\
{{
 "version": 2,
 "tool_version": "1.2.3",
 "findings": [
  {{"fingerprint": "{cause_of(OTHER.problem)}", "rule": "CONTRACT-001", \
"path": "src/a\\u2028.py", "message": "`total` is a string", "members": [""]}},
  {{"fingerprint": "{cause_of(FIRST.problem)}", "rule": "CONTRACT-001", \
"path": "src/orders.py", "message": "`Order` returns a body; the contract defines none", \
"members": [""]}}
 ]
}}
"""
    )
    assert render(baseline_of([], "1")) == (
        '{\n "version": 2,\n "tool_version": "1",\n "findings": []\n}\n'
    )


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    baseline = baseline_of(TWICE_AND_ONE, "1.2.3")
    (tmp_path / NAME).write_text(render(baseline))
    read = read_baseline(tmp_path / NAME)
    assert (read.baseline, read.text) == (baseline, render(baseline))


def test_known_problems_are_left_out_with_all_their_places_and_a_new_member_is_new() -> None:
    baseline = baseline_of([FIRST], "1")
    assert judged(report(FIRST), baseline) == ([], 1)
    assert judged(report(FIRST, SECOND, OTHER), baseline) == ([OTHER], 2)
    assert judged(report(FIRST, NEW), baseline) == ([NEW], 1)


def test_a_baseline_of_version_1_is_still_known_and_says_how_many_are_stale() -> None:
    entry = Entry(
        fingerprint=FIRST.fingerprint, rule="CONTRACT-001", path="p", message="m", count=2
    )
    old = Baseline(version=1, findings=(entry,))
    assert judged(report(FIRST, SECOND), old) == ([], 2)
    ((stale,), known) = judged(report(FIRST), old)
    assert known == 1
    assert stale.message == "the baseline knows of 2, but 1 are found: CONTRACT-001 in p: m"
    assert pruned_baseline(old, report(FIRST), ALL, "2").findings == (
        msgspec.structs.replace(entry, count=1),
    )
    assert updated_baseline(old, report(FIRST), ALL, "2") == baseline_of([FIRST], "2")


def test_what_is_not_found_any_more_is_said_at_its_line() -> None:
    baseline = baseline_of([FIRST, NEW, OTHER], "1")
    found, known = judged(report(FIRST), baseline)
    assert known == 1
    assert [(each.rule, each.kind, each.origin.span.line, each.message) for each in found] == [
        (
            "CONTRACT-000",
            "stale-baseline",
            5,
            "the baseline knows of what is not found any more: CONTRACT-001 in src/a\u2028.py:"
            " `total` is a string",
        ),
        (
            "CONTRACT-000",
            "stale-baseline",
            6,
            "the baseline knows of GET /new, which is not found any more: CONTRACT-001 in"
            " src/orders.py: `total` is a string",
        ),
    ]
    assert judged(report(FIRST), baseline, ALL - {"CONTRACT-000"}) == ([], 1)


@pytest.mark.parametrize(
    ("problems", "select"),
    [
        ((), ALL - {"CONTRACT-001"}),
        ((NotAnalysed(path="src/orders.py", reason="broken", fatal=False),), ALL),
        ((NotAnalysed(path="openapi.yaml", reason="is not valid YAML"),), ALL),
    ],
)
def test_nothing_is_stale_that_could_not_be_found(
    problems: tuple[NotAnalysed, ...], select: frozenset[str]
) -> None:
    baseline = baseline_of([FIRST], "1")
    found = report(problems=problems)
    assert judged(found, baseline, select) == ([], 0)
    assert pruned_baseline(baseline, found, select, "1") == baseline
    assert updated_baseline(baseline, found, select, "1") == baseline


def test_what_moved_is_known_where_its_file_is_gone_and_only_one_is_like_it() -> None:
    baseline = baseline_of([FIRST], "1")
    (moved,) = with_fingerprints([at(FIRST, "src/shop/orders.py")])
    (other,) = with_fingerprints([at(FIRST, "src/copy.py")])

    def known(*findings: Finding, gone: tuple[str, ...]) -> int:
        judged = without_known(
            report(*findings),
            baseline,
            ALL,
            NAME,
            render(baseline),
            is_file=lambda path: path not in gone,
        )
        return judged.known

    assert known(moved, gone=("src/orders.py",)) == 1
    assert known(moved, gone=()) == 0  # a copy, of what was mended at its old place
    assert known(moved, other, gone=("src/orders.py",)) == 0
    assert known(FIRST, moved, gone=("src/orders.py",)) == 1


def at(finding: Finding, path: str) -> Finding:
    origin = msgspec.structs.replace(finding.origin, path=path)
    return msgspec.structs.replace(finding, origin=origin)


def test_prune_drops_and_update_adds_as_well() -> None:
    baseline = baseline_of([FIRST, NEW], "1")
    assert pruned_baseline(baseline, report(FIRST, OTHER), ALL, "2") == baseline_of([FIRST], "2")
    assert updated_baseline(baseline, report(FIRST, OTHER), ALL, "2") == baseline_of(
        [FIRST, OTHER], "2"
    )


def test_complaints_about_a_baseline_do_not_get_into_it() -> None:
    stale, _ = judged(report(), baseline_of([FIRST], "1"))
    assert baseline_of(stale, "1") == Baseline(tool_version="1")


def test_entries_left_twice_by_a_merge_count_once(tmp_path: Path) -> None:
    entry = Entry(fingerprint=FIRST.fingerprint, rule="CONTRACT-001", path="p", message="m")
    more = msgspec.structs.replace(entry, count=3)
    (tmp_path / NAME).write_text(render(Baseline(findings=(entry, more, entry))))
    assert read_baseline(tmp_path / NAME).baseline.findings == (more,)


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (
            b'{"version": 3, "findings": "otherwise"}',
            "is a baseline of version 3, written by a later contract-scan; this one reads version "
            "2: upgrade it, or write the baseline anew",
        ),
        (b"", "is not a baseline: Input data was truncated"),
        (b"[]", "is not a baseline: Expected `object`, got `array`"),
        (
            b'{"version": 1, "findings": [{}]}',
            "is not a baseline: Object missing required field `fingerprint` - at `$.findings[0]`",
        ),
        (b'{"findings": []}', "is not a baseline: Object missing required field `version`"),
    ],
)
def test_what_is_no_baseline_of_ours_is_refused(
    tmp_path: Path, content: bytes, complaint: str
) -> None:
    file = tmp_path / NAME
    file.write_bytes(content)
    with pytest.raises(ConfigurationError) as raised:
        read_baseline(file)
    assert str(raised.value) == f"{file}: {complaint}"


def test_deep_nesting_is_refused(tmp_path: Path) -> None:
    (tmp_path / NAME).write_text('{"version": 1, "x": ' + "[" * 100_000)
    with pytest.raises(ConfigurationError, match="is not a baseline"):
        read_baseline(tmp_path / NAME)


def test_a_baseline_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="there is no such baseline"):
        read_baseline(tmp_path / NAME)
    with pytest.raises(ConfigurationError, match="cannot be read"):
        read_baseline(tmp_path)
