"""The table of judgements is whole."""

from __future__ import annotations

from typing import get_args

import pytest

from contract_scan.ir.evidence import GRADES, Grade
from contract_scan.ir.violation import KINDS_OF_SCOPE_RULE, Kind
from contract_scan.scanners.differences import (
    Difference,
    Direction,
    EnumDiffers,
    FieldExtra,
    FieldMissing,
    NameCase,
    NullableDiffers,
    RequiredDiffers,
    ShapeDiffers,
    TypeDiffers,
)
from contract_scan.scanners.rules import RULES
from contract_scan.scanners.severity_table import JUDGEMENTS, LIMITS, Aspect, judge, sentence

DIFFERENCES: tuple[type[Difference], ...] = get_args(Difference)
DIRECTIONS: tuple[Direction, ...] = get_args(Direction)

OF_RULES: dict[Kind, str] = {
    "status": "CONTRACT-001 judges statuses without a comparison of schemas",
    "parameter": "CONTRACT-001 compares parameters as text",
    "missing-endpoint": "CONTRACT-002",
    "undocumented-endpoint": "CONTRACT-002",
    "method": "CONTRACT-002",
    "base-path": "CONTRACT-002",
    "other-application": "CONTRACT-002",
    "missing-channel": "CONTRACT-003",
    "undocumented-channel": "CONTRACT-003",
    "missing-model": "CONTRACT-004",
    "invalid-ignore": "CONTRACT-000",
    "unused-ignore": "CONTRACT-000",
    "stale-baseline": "CONTRACT-000",
    "unused-exception": "CONTRACT-000",
    "expired-exception": "CONTRACT-000",
    **{kind: rule for rule, kinds in KINDS_OF_SCOPE_RULE.items() for kind in kinds},
}
"""Kinds that come from a rule itself rather than from a difference of schemas."""


def test_every_difference_is_judged_in_every_direction() -> None:
    rows = {(sort, direction) for sort in DIFFERENCES for direction in DIRECTIONS}
    assert set(JUDGEMENTS) == rows


def test_a_difference_is_the_same_kind_in_every_direction() -> None:
    for sort in DIFFERENCES:
        kinds = {row.kind for (other, _), row in JUDGEMENTS.items() if other is sort}
        assert len(kinds) == 1, sort


def test_every_kind_comes_from_somewhere() -> None:
    judged = {row.kind for row in JUDGEMENTS.values()}
    assert judged | set(OF_RULES) == set(get_args(Kind))
    assert judged & set(OF_RULES) == set()


def test_every_kind_is_documented() -> None:
    pages = "".join(rule.documentation for rule in RULES)
    assert [kind for kind in get_args(Kind) if f"`{kind}`" not in pages] == []


def test_a_weak_severity_is_milder() -> None:
    for key, row in JUDGEMENTS.items():
        assert (row.severity, row.weak) in {("error", None), ("error", "warning")}, key


def test_every_row_makes_a_sentence() -> None:
    for sort, direction in JUDGEMENTS:
        difference = sort(path="a.b", expected="string", found="integer")
        text = sentence("the order", difference, direction)
        assert text.startswith(("the order ", "the order: "))
        assert "None" not in text
        row, severity = judge(difference, direction)
        assert row.help
        assert severity in ("error", "warning")


@pytest.mark.parametrize(
    ("difference", "direction", "severity", "text"),
    [
        (
            FieldMissing(path="a", expected="string"),
            "request",
            "warning",
            "it does not read `a`, which the contract requires",
        ),
        (
            FieldMissing(path="a", expected="string", rejected=True),
            "request",
            "error",
            "it rejects `a`, which the contract allows",
        ),
        (
            FieldExtra(path="a", found="string"),
            "response",
            "warning",
            "it has `a`, which the contract does not define",
        ),
        (
            FieldExtra(path="a", forbidden=True),
            "response",
            "error",
            "it has `a`; the contract forbids additional properties",
        ),
        (
            FieldExtra(path="a", write_only=True),
            "response",
            "warning",
            "it has `a`, which the contract marks as writeOnly",
        ),
        (
            FieldExtra(path="a", found="string", needed=True),
            "consumer",
            "error",
            "it requires `a`, which the contract does not define",
        ),
        (
            FieldExtra(path="a", found="string"),
            "consumer",
            "warning",
            "it reads `a`, which the contract does not define",
        ),
        (
            EnumDiffers(path="a", expected="string", found='"x"'),
            "request",
            "warning",
            'it accepts only "x" for `a`; the contract allows any string',
        ),
        (
            EnumDiffers(path="a", lacking=('"x"',)),
            "consumer",
            "warning",
            'it accepts "x" for `a`, which the contract does not list',
        ),
        (
            EnumDiffers(path="a", values=('"x"',)),
            "consumer",
            "error",
            'it rejects "x" for `a`, which the contract allows',
        ),
        (
            NullableDiffers(path="a", code_is_stricter=True),
            "model",
            "warning",
            "it cannot hold `a: null`, which the contract allows",
        ),
        (
            ShapeDiffers(path="", expected_phrase="an array", found_phrase="an object"),
            "response",
            "error",
            "it is an object, expected an array",
        ),
    ],
)
def test_how_bad_it_is_and_how_it_is_said(
    difference: Difference, direction: Direction, severity: str, text: str
) -> None:
    assert judge(difference, direction)[1] == severity
    assert sentence("it", difference, direction) == text


def test_nothing_limits_what_is_proved() -> None:
    for aspect in get_args(Aspect):
        assert {"enforced", "checked"} & set(LIMITS[aspect]) == set()
    for sort, direction in JUDGEMENTS:
        difference = sort(path="a")
        plain = judge(difference, direction)
        assert judge(difference, direction, "enforced") == plain
        assert judge(difference, direction, "checked") == plain


_GRAVITY = ("undetermined", "note", "warning", "error")


def test_a_guess_is_never_graver_than_proof() -> None:
    for sort, direction in JUDGEMENTS:
        difference = sort(path="a")
        proved = _GRAVITY.index(judge(difference, direction)[1])
        for grade in GRADES:
            assert _GRAVITY.index(judge(difference, direction, grade)[1]) <= proved
        assert judge(difference, direction, "guessed")[1] != "error"


@pytest.mark.parametrize(
    ("difference", "direction", "outcomes"),
    [
        (RequiredDiffers(path="a"), "request", ("undetermined", "undetermined", "undetermined")),
        (NullableDiffers(path="a"), "request", ("undetermined", "undetermined", "undetermined")),
        (NullableDiffers(path="a"), "consumer", ("undetermined", "undetermined", "undetermined")),
        (
            FieldExtra(path="a", needed=True),
            "request",
            ("undetermined", "undetermined", "undetermined"),
        ),
        (
            FieldMissing(path="a", rejected=True),
            "request",
            ("undetermined", "undetermined", "undetermined"),
        ),
        (TypeDiffers(path="a"), "request", ("warning", "warning", "undetermined")),
        (ShapeDiffers(path=""), "request", ("warning", "warning", "undetermined")),
        (NameCase(path="a"), "request", ("warning", "warning", "undetermined")),
        (EnumDiffers(path="a", values=("1",)), "request", ("warning", "note", "undetermined")),
        (FieldMissing(path="a"), "request", ("warning", "note", "undetermined")),
        (FieldMissing(path="a"), "response", ("warning", "error", "undetermined")),
        (TypeDiffers(path="a"), "response", ("warning", "error", "undetermined")),
        (RequiredDiffers(path="a"), "response", ("warning", "error", "undetermined")),
        (NullableDiffers(path="a"), "response", ("warning", "error", "undetermined")),
        (EnumDiffers(path="a", values=("1",)), "response", ("warning", "error", "undetermined")),
        (FieldExtra(path="a", forbidden=True), "response", ("warning", "error", "note")),
        (FieldExtra(path="a"), "response", ("warning", "warning", "note")),
        (TypeDiffers(path="a"), "model", ("error", "error", "undetermined")),
    ],
)
def test_what_is_said_where_it_is_only_declared_inferred_or_guessed(
    difference: Difference, direction: Direction, outcomes: tuple[str, ...]
) -> None:
    weak: tuple[Grade, ...] = ("declared", "inferred", "guessed")
    assert tuple(judge(difference, direction, grade)[1] for grade in weak) == outcomes
