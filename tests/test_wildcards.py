"""Texts with wildcards: the same as a regular expression with backtracking, in bounded time."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contract_scan.wildcards import Wildcard, fits, joined_by

EXPRESSIONS = {
    Wildcard.SOME: ".+",
    Wildcard.IN_SEGMENT: "[^/]+",
    Wildcard.BELOW: "(?:/.*)?",
}
PARTS = st.one_of(st.text("ab/", max_size=3), st.sampled_from(Wildcard))


@given(st.lists(PARTS, max_size=6), st.text("ab/", max_size=10))
def test_a_pattern_fits_what_the_regular_expression_matches(
    pattern: list[str | Wildcard], text: str
) -> None:
    expression = "".join(
        re.escape(part) if isinstance(part, str) else EXPRESSIONS[part] for part in pattern
    )
    assert fits(pattern, text) is (re.fullmatch(expression, text) is not None)


@pytest.mark.parametrize("wildcard", Wildcard)
def test_many_wildcards_take_no_longer_than_their_number(wildcard: Wildcard) -> None:
    """A regular expression of these would try more ways than there are atoms."""
    assert not fits(joined_by(wildcard, ["/a"] * 60), "/a" * 500 + "b")
