"""Patterns of a configuration, as seen from the folder that is scanned."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pathspec import GitIgnoreSpec

from contract_scan.config import Pattern
from contract_scan.config.patterns import Patterns, readable_lines, wrong_pattern

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


PIECES = (
    "a",
    "b",
    "*",
    "*",
    "**",
    "/",
    "**/",
    "/**",
    "?",
    "[ab]",
    "[!a/]",
    "[]a]",
    "\\*",
    "!",
    ".",
)


@given(
    lines=st.lists(
        st.lists(st.sampled_from(PIECES), min_size=3, max_size=10).map("".join), max_size=3
    ),
    path=st.text(alphabet="ab*.!/", min_size=1, max_size=12).filter(
        lambda text: "//" not in f"/{text}/"
    ),
)
def test_patterns_with_many_wildcards_match_what_the_library_matches(
    lines: list[str], path: str
) -> None:
    try:
        expected = GitIgnoreSpec.from_lines(lines)
    except ValueError:
        return
    assert readable_lines(lines).match_file(path) == expected.match_file(path)


def test_a_set_never_matches_a_slash_as_for_git() -> None:
    assert not readable_lines(["x*[!a]*y*/"]).match_file("x/y/z")
    assert not readable_lines(["x*[.-0]*y*/"]).match_file("x/y/z")
