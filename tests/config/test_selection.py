from __future__ import annotations

import pytest

from contract_scan.config.rules import (
    KINDS_WITH_PAGES,
    SELECTORS,
    chosen_kinds,
    expand_rules,
    rules_of,
    unknown_rule,
    words,
)
from contract_scan.ir.violation import KINDS_OF_RULE

ALL = {name for name in SELECTORS if "/" in name}


def complaint(word: str, message: str) -> Exception:
    return ValueError(f"{word}: {message}")


def of(*rules: str) -> set[str]:
    return {name for name in ALL if name.startswith(rules)}


def test_words_are_separated_by_commas_or_by_repeating() -> None:
    assert words(["a,b", " c ", "", "d,"]) == ("a", "b", "c", "d")


@pytest.mark.parametrize(
    ("select", "ignore", "names"),
    [
        ([], [], ALL),
        (["ALL"], ["CONTRACT-000"], ALL - of("CONTRACT-000")),
        (["CONTRACT"], [], ALL),
        (["contract-001", "CONTRACT-004"], [], of("CONTRACT-001", "CONTRACT-004")),
        (["CONTRACT-001"], ["CONTRACT-001/Type"], of("CONTRACT-001") - {"CONTRACT-001/type"}),
        (["CONTRACT-002/method"], [], {"CONTRACT-002/method"}),
        (
            ["contract/nullable"],
            ["CONTRACT-004"],
            {"CONTRACT-001/nullable", "CONTRACT-003/nullable"},
        ),
        ([], ["all"], set()),
    ],
)
def test_ids_their_beginnings_kinds_and_all(
    select: list[str], ignore: list[str], names: set[str]
) -> None:
    assert chosen_kinds(select, ignore, complaint) == names


def test_the_rules_that_kinds_belong_to() -> None:
    named = expand_rules(["all/nullable", "CONTRACT-002/method"], complaint)
    assert rules_of(named) == {"CONTRACT-001", "CONTRACT-002", "CONTRACT-003", "CONTRACT-004"}


@pytest.mark.parametrize("word", ["CONTRACT-9", "", "/", "CONTRACT-001/", "/nullable"])
def test_a_rule_that_does_not_exist_is_an_error(word: str) -> None:
    with pytest.raises(ValueError, match=f"^{word}: (unknown rule|unknown kind|no kind)"):
        chosen_kinds([], [word], complaint)


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("contract-01", "unknown rule `contract-01`; did you mean `CONTRACT-001`?"),
        (
            "x",
            "unknown rule `x`; known are CONTRACT-000, CONTRACT-001, CONTRACT-002, CONTRACT-003,"
            " CONTRACT-004",
        ),
        ("nullable", "unknown rule `nullable`; did you mean `CONTRACT-001/nullable`?"),
        (
            "CONTRACT-001/missing-feild",
            "unknown kind `missing-feild` of CONTRACT-001; did you mean"
            " `CONTRACT-001/missing-field`?",
        ),
        (
            "CONTRACT-003/",
            "no kind is named behind `CONTRACT-003/`; known are "
            + ", ".join(KINDS_OF_RULE["CONTRACT-003"]),
        ),
        ("ALL/metod", "unknown kind `metod`; did you mean `ALL/method`?"),
        (
            "CONTRACT-002/type",
            "unknown kind `type` of CONTRACT-002; known are missing-endpoint,"
            " undocumented-endpoint, method, base-path, other-application",
        ),
    ],
)
def test_a_suggestion_is_made_where_one_is_near(word: str, said: str) -> None:
    assert unknown_rule(word) == said


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("x", f"unknown rule `x`; known are {', '.join(KINDS_WITH_PAGES)}"),
        (
            "scope-9",
            "unknown rule `scope-9`; known are SCOPE-001, SCOPE-002, SCOPE-003, SCOPE-004,"
            " SCOPE-005",
        ),
        ("scope-01", "unknown rule `scope-01`; did you mean `SCOPE-001`?"),
        ("contract-2", "unknown rule `contract-2`; did you mean `CONTRACT-002`?"),
        ("type-conflict", "unknown rule `type-conflict`; did you mean `SCOPE-003/type-conflict`?"),
        ("SCOPE-001/x", "unknown kind `x` of SCOPE-001; known are undelivered"),
    ],
)
def test_rules_of_scopes_are_among_those_that_have_a_page(word: str, said: str) -> None:
    assert unknown_rule(word, KINDS_WITH_PAGES) == said
