"""Which files a word stands in."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from contract_scan.parsers.source.words import PAYS_ABOVE, Words, holds_word

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


def test_many_words_are_found_as_few_are() -> None:
    few = Words(TEXTS, TEXTS.__getitem__)
    many = Words(TEXTS, TEXTS.__getitem__)
    for number in range(PAYS_ABOVE + 1):
        assert many.naming(b"nowhere%d" % number) == frozenset()
    for word in (b"Order", b"Orders", b"$Order", b"class", b"reorder", b"absent"):
        assert few.naming(word) == many.naming(word)
    assert few.asked() == (b"$Order", b"Order", b"Orders", b"absent", b"class", b"reorder")


@given(st.text("ab_ $.é", max_size=20), st.text("ab_", min_size=1, max_size=2))
def test_any_text_gives_the_same_with_and_without_an_index(text: str, word: str) -> None:
    content = text.encode()
    plain, indexed = Words(["x"], lambda _: content), Words(["x"], lambda _: content)
    for number in range(PAYS_ABOVE + 1):
        indexed.naming(b"nowhere%d" % number)
    assert plain.naming(word.encode()) == indexed.naming(word.encode())
