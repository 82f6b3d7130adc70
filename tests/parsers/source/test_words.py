"""Which files a word stands in."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contract_scan.parsers.source.discovery.inverted_index import (
    PAYS_ABOVE,
    TextSearch,
    WordIndex,
    holds_word,
)

TEXTS = {
    "a": b"class Order : IOrder { }",
    "b": b"new Orders(reorder, $Order)",
    "c": "Größe Order".encode(),
    "d": b"",
}


def test_a_word_is_not_part_of_another() -> None:
    assert [path for path, text in TEXTS.items() if holds_word(text, b"Order")] == ["a", "c"]
    assert holds_word(b"Orders Order", b"Order")
    assert not holds_word("Größe".encode(), b"e")


def plain() -> TextSearch:
    return TextSearch(TEXTS.__getitem__)


def indexed() -> TextSearch:
    index = WordIndex()
    for path, content in TEXTS.items():
        index.add(path, content)
    return TextSearch(TEXTS.__getitem__, index)


def test_many_words_are_found_as_few_are() -> None:
    few, many = plain(), plain()
    for number in range(PAYS_ABOVE + 1):
        assert many.files_with_word(b"nowhere%d" % number, TEXTS) == frozenset()
    for word in (b"Order", b"Orders", b"$Order", b"class", b"reorder", b"absent"):
        assert few.files_with_word(word, TEXTS) == many.files_with_word(word, TEXTS)
        assert few.files_with_word(word, TEXTS) == indexed().files_with_word(word, TEXTS)
    assert few.requested_words() == (
        b"$Order",
        b"Order",
        b"Orders",
        b"absent",
        b"class",
        b"reorder",
    )


def test_the_word_that_makes_the_index_is_found_among_paths_that_are_read_once() -> None:
    words = plain()
    for number in range(PAYS_ABOVE):
        assert words.files_with_word(b"nowhere%d" % number, iter(TEXTS)) == frozenset()
    assert words.files_with_word(b"Order", iter(TEXTS)) == frozenset("ac")


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        (b"rder", "abc"),
        (b"Order : ", "a"),
        (b" : IO", "a"),
        (b"s(re", "b"),
        (b"{ }", "a"),
        (b"Order(", ""),
        (b"e Order", "c"),
    ],
)
def test_a_text_is_found_wherever_its_ends_fall(text: bytes, paths: str) -> None:
    assert (
        set(plain().files_containing(text, TEXTS))
        == set(indexed().files_containing(text, TEXTS))
        == set(paths)
    )


WRITING = st.text("ab_ $.é(", max_size=20)


@given(WRITING, WRITING, st.text("ab_ $.é(", min_size=1, max_size=5))
def test_any_text_is_found_with_and_without_an_index(one: str, other: str, text: str) -> None:
    texts = {"one": one.encode(), "other": other.encode()}
    index = WordIndex()
    for path, content in texts.items():
        index.add(path, content)
    found = set(TextSearch(texts.__getitem__, index).files_containing(text.encode(), texts))
    assert found == {path for path, content in texts.items() if text.encode() in content}


@given(WRITING, st.text("ab_", min_size=1, max_size=2))
def test_any_word_is_found_with_and_without_an_index(text: str, word: str) -> None:
    content = text.encode()
    index = WordIndex()
    index.add("x", content)
    found = TextSearch(lambda _: content, index).files_with_word(word.encode(), ["x"])
    assert (found == {"x"}) == holds_word(content, word.encode())
