from __future__ import annotations

import pytest

from contract_scan.cli.selection import selected, unknown_rule, words

RULES = ["CONTRACT-001", "CONTRACT-002", "CONTRACT-003", "OTHER-001"]


def complaint(word: str, message: str) -> Exception:
    return ValueError(f"{word}: {message}")


def test_words_are_separated_by_commas_or_by_repeating() -> None:
    assert words(["a,b", " c ", "", "d,"]) == ("a", "b", "c", "d")


@pytest.mark.parametrize(
    ("select", "ignore", "rules"),
    [
        ([], [], set(RULES)),
        (["ALL"], ["OTHER-001"], set(RULES[:3])),
        (["CONTRACT"], [], set(RULES[:3])),
        (["contract-001", "OTHER"], [], {"CONTRACT-001", "OTHER-001"}),
        (["CONTRACT"], ["CONTRACT-002"], {"CONTRACT-001", "CONTRACT-003"}),
        ([], ["all"], set()),
    ],
)
def test_ids_their_beginnings_and_all(
    select: list[str], ignore: list[str], rules: set[str]
) -> None:
    assert selected(RULES, select, ignore, complaint) == rules


def test_a_rule_that_does_not_exist_is_an_error() -> None:
    with pytest.raises(ValueError, match="CONTRACT-9: unknown rule"):
        selected(RULES, [], ["CONTRACT-9"], complaint)


def test_a_suggestion_is_made_where_one_is_near() -> None:
    assert unknown_rule("contract-01", RULES) == (
        "unknown rule `contract-01`; did you mean `CONTRACT-001`?"
    )
    assert unknown_rule("x", RULES[:2]) == (
        "unknown rule `x`; known are CONTRACT-001, CONTRACT-002"
    )
