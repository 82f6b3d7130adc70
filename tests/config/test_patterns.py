"""Patterns of a configuration, as seen from the folder that is scanned."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contract_scan.config import Pattern
from contract_scan.config.patterns import Patterns, wrong_pattern

SHOP = Path("/shop")


@pytest.mark.parametrize(
    ("pattern", "root", "path", "matches"),
    [
        (Pattern("/src/a.py", SHOP), SHOP, "src/a.py", True),
        (Pattern("/src/a.py", SHOP), SHOP / "src", "a.py", True),
        (Pattern("/src/a.py", SHOP), SHOP / "src", "src/a.py", False),
        (Pattern("src/", SHOP), SHOP / "src", "deep/a.py", True),
        (Pattern("*.py", SHOP), SHOP / "src", "deep/a.py", True),
        (Pattern("/a.py", SHOP / "src"), SHOP, "src/a.py", True),
        (Pattern("/a.py", SHOP / "src"), SHOP, "a.py", False),
        (Pattern("*.py", SHOP / "src"), SHOP, "other/a.py", False),
        (Pattern("/a.py"), SHOP / "src", "a.py", True),
        (Pattern("*.py", SHOP), SHOP / "src", "../api/a.py", True),
    ],
)
def test_each_counts_from_its_own_folder(
    pattern: Pattern, root: Path, path: str, matches: bool
) -> None:
    assert Patterns([pattern], root).match(path) is matches


def test_a_pattern_may_take_back_what_one_before_it_says() -> None:
    patterns = Patterns([Pattern("*.py", SHOP), Pattern("!keep.py", SHOP)], SHOP)
    assert [patterns.match(path) for path in ("a.py", "keep.py")] == [True, False]


def test_no_pattern_matches_nothing() -> None:
    assert not Patterns([], SHOP).match("a.py")


def test_a_range_that_runs_backwards_is_no_pattern() -> None:
    assert wrong_pattern("[?--]") == "is no pattern of files"


@given(st.text(alphabet="a/!#*[]\\ ?-\n", max_size=12))
def test_every_pattern_is_either_refused_or_can_be_used(text: str) -> None:
    if not wrong_pattern(text):
        assert Patterns([Pattern(text, SHOP)], SHOP).match("a/a") in (True, False)
