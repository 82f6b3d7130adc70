"""One pattern that finds what each of many literals would find."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contract_scan.parsers.source.literals import any_of_literals


@pytest.mark.parametrize(
    ("literals", "pattern"),
    [
        ([b".get("], rb"\.get\("),
        ([b".get(", b".put(", b".get<"], rb"\.(?:get[\(<]|put\()"),
        ([b".send", b".sendAsync("], rb"\.send"),
        ([], rb"(?!)"),
    ],
)
def test_beginnings_are_shared(literals: list[bytes], pattern: bytes) -> None:
    assert any_of_literals(literals) == pattern


def test_patterns_stand_beside_the_literals() -> None:
    assert any_of_literals([b".get(", b".put("], [rb"\n@\w"]) == rb"(?:\.(?:get\(|put\()|\n@\w)"
    assert any_of_literals([], [rb"\n@\w"]) == rb"\n@\w"


@given(
    st.lists(st.binary(min_size=1, max_size=4), max_size=8),
    st.binary(max_size=30),
)
def test_it_finds_a_text_that_holds_a_literal(literals: list[bytes], text: bytes) -> None:
    found = re.compile(any_of_literals(literals), re.DOTALL).search(text)
    places = [text.find(literal) for literal in literals if literal in text]
    assert (found.start() if found else None) == (min(places) if places else None)
