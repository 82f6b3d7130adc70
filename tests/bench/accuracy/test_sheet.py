"""Which findings a person reads, and what becomes of the verdicts."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from bench.accuracy.sheet import SheetError, causes, counted, drawn, place_of, rows


def finding(line: int, severity: str = "error", field: str = "id") -> dict[str, Any]:
    return {
        "rule": "CONTRACT-001",
        "kind": "extra-field",
        "severity": severity,
        "evidence": "checked",
        "message": f"`GET /orders` response 200 has `{field}`",
        "operation": {"method": "GET", "path": "/orders", "status": "200", "direction": "response"},
        "channel": None,
        "model": None,
        "field": field,
        "path": "app.py",
        "line": line,
        "contract": {"path": "openapi.yaml", "line": 12},
    }


def severities(findings: list[Any]) -> Counter[str]:
    return Counter(found["severity"] for found in findings)


def test_every_error_and_half_of_the_warnings_are_drawn_and_no_note() -> None:
    found = [finding(line) for line in range(5)]
    found += [finding(line, "warning") for line in range(11)] + [finding(99, "note")]
    assert severities(drawn(found)) == {"error": 5, "warning": 6}


def test_errors_have_two_thirds_of_the_cap() -> None:
    found = [finding(line, sort) for line in range(100) for sort in ("error", "warning")]
    assert severities(drawn(found, cap=9)) == {"error": 6, "warning": 3}


def test_errors_have_what_the_warnings_leave() -> None:
    found = [finding(line) for line in range(100)] + [finding(1, "warning")]
    assert severities(drawn(found, cap=9)) == {"error": 8, "warning": 1}


def test_warnings_have_what_the_errors_leave() -> None:
    found = [finding(1)] + [finding(line, "warning") for line in range(100)]
    assert severities(drawn(found, cap=9)) == {"error": 1, "warning": 8}


def test_one_place_does_not_crowd_out_the_others() -> None:
    crowd = [finding(1, field=f"a{number}") for number in range(500)]
    chosen = drawn([*crowd, finding(2), finding(3)], cap=5)
    assert Counter(place_of(found).line for found in chosen) == {1: 3, 2: 1, 3: 1}


def test_the_seed_decides_and_the_order_of_the_findings_does_not() -> None:
    found = [finding(line) for line in range(200)]
    assert drawn(found, seed=1) == drawn(found[::-1], seed=1)
    assert drawn(found, seed=1) != drawn(found, seed=2)


def test_a_row_says_both_places_and_waits_for_a_verdict() -> None:
    assert rows([finding(3)]) == [
        {
            "severity": "error",
            "rule": "CONTRACT-001",
            "kind": "extra-field",
            "evidence": "checked",
            "message": "`GET /orders` response 200 has `id`",
            "code": "app.py:3",
            "contract": "openapi.yaml:12",
            "verdict": "",
            "cause": "",
        }
    ]


def test_a_verdict_stays_with_the_same_message_at_the_same_place() -> None:
    before = [{**rows([finding(3)])[0], "verdict": "false", "cause": "narrowed by a guard"}]
    again = rows([finding(3), finding(4)], before)
    assert [(row["verdict"], row["cause"]) for row in again] == [
        ("false", "narrowed by a guard"),
        ("", ""),
    ]


def judged(verdict: str, cause: str = "", severity: str = "error") -> dict[str, Any]:
    return {**rows([finding(3, severity)])[0], "verdict": verdict, "cause": cause}


def test_verdicts_are_counted_by_severity_and_kind() -> None:
    sheet = [judged("true"), judged("true"), judged("false", "a guard")]
    sheet.append(judged("debatable", severity="warning"))
    kind = {"rule": "CONTRACT-001", "kind": "extra-field"}
    assert counted(sheet) == [
        {"severity": "error", **kind, "true": 2, "false": 1, "debatable": 0},
        {"severity": "warning", **kind, "true": 0, "false": 0, "debatable": 1},
    ]


def test_causes_come_by_how_much_they_make_false() -> None:
    sheet = [judged("false", "a guard"), judged("false", "a mock"), judged("false", "a mock")]
    assert causes([*sheet, judged("true")]) == [
        {"cause": "a mock", "findings": 2},
        {"cause": "a guard", "findings": 1},
    ]


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (judged(""), "app.py:3: verdict '' is none of true, false, debatable"),
        (judged("wrong"), "app.py:3: verdict 'wrong' is none of true, false, debatable"),
        (judged("false"), "app.py:3: is false, and no cause is given"),
    ],
)
def test_a_sheet_that_is_not_filled_in_is_refused(row: dict[str, Any], message: str) -> None:
    with pytest.raises(SheetError, match=message):
        counted([row])
