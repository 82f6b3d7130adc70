"""How grades of evidence join: no way of joining them makes more of what is known."""

from __future__ import annotations

from itertools import product

from contract_scan.ir.evidence import (
    GRADES,
    Evidence,
    Grade,
    at_least,
    of_either,
    of_part,
    stronger,
    uniform,
    weaker,
)

EVERY: tuple[Grade | None, ...] = (*GRADES, None)
EVERY_EVIDENCE = tuple(
    Evidence(
        type=EVERY[at],
        values=EVERY[(at + 1) % 6],
        required=EVERY[(at + 2) % 6],
        nullable=EVERY[(at + 3) % 6],
        closed=EVERY[5 - at],
    )
    for at in range(6)
)
"""Each grade for each constraint; constraints do not know each other."""


def test_grades_are_ordered_from_proof_to_guess() -> None:
    assert GRADES == ("enforced", "checked", "declared", "inferred", "guessed")
    for weak, strong in product(range(5), range(5)):
        assert at_least(GRADES[weak], GRADES[strong]) == (weak <= strong)


def test_what_is_not_said_lies_between_what_is_checked_and_what_is_only_declared() -> None:
    """The value around it decides; it is never taken to be proved, nor to be a mere guess."""
    assert [stronger(None, grade) for grade in GRADES] == ["enforced", "checked", None, None, None]
    assert [weaker(None, grade) for grade in GRADES] == [
        None,
        None,
        "declared",
        "inferred",
        "guessed",
    ]


def test_joining_alternatives_is_associative_commutative_and_idempotent() -> None:
    for one, two, three in product(EVERY_EVIDENCE, repeat=3):
        assert of_either(one, one) == one
        assert of_either(one, two) == of_either(two, one)
        assert of_either(of_either(one, two), three) == of_either(one, of_either(two, three))


def test_alternatives_are_never_known_better_than_the_worst_of_them() -> None:
    for one, two in product(EVERY_EVIDENCE, repeat=2):
        joined = of_either(one, two)
        for name in ("type", "values", "required", "nullable", "closed"):
            grade = getattr(joined, name)
            assert stronger(grade, getattr(one, name)) == getattr(one, name)
            assert stronger(grade, getattr(two, name)) == getattr(two, name)


def test_a_part_keeps_its_own_evidence_wherever_it_is_put() -> None:
    for part, around, outside in product(EVERY_EVIDENCE, repeat=3):
        assert of_part(part, part) == part
        assert of_part(of_part(part, around), outside) == of_part(part, of_part(around, outside))
        for name in ("type", "values", "required", "nullable", "closed"):
            own = getattr(part, name)
            assert getattr(of_part(part, around), name) == (own or getattr(around, name))


def test_one_grade_for_everything() -> None:
    for grade in GRADES:
        evidence = uniform(grade)
        assert {
            evidence.of("type"),
            evidence.of("values"),
            evidence.of("required"),
            evidence.of("nullable"),
            evidence.of("closed"),
        } == {grade}


def test_each_constraint_has_a_grade_of_its_own() -> None:
    evidence = Evidence(type="checked", nullable="declared")
    assert evidence.of("type") == "checked"
    assert evidence.of("nullable") == "declared"
    assert evidence.of("required") is None
    assert evidence.of("values") is None
    assert evidence.of("closed") is None
