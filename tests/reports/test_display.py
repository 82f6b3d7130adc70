from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contract_scan.reports.display import clip, display, width


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain text", "plain text"),
        ("naïve 日本語 🙂", "naïve 日本語 🙂"),
        ("\x1b[31mred", "\\x1b[31mred"),
        ("a\tb\nc\rd", "a\\tb\\nc\\rd"),
        ("\x7f\x80\x9b", "\\x7f\\x80\\x9b"),
        ("\u202etxt.exe", "\\u202etxt.exe"),
        ("zero\u200bwidth", "zero\\u200bwidth"),
        ("\udc80", "\\udc80"),
        ("\U000e0041", "\\U000e0041"),
    ],
)
def test_only_what_a_terminal_acts_on_is_escaped(text: str, shown: str) -> None:
    assert display(text) == shown


@given(st.text(st.characters(codec=None)))
def test_displayed_text_can_be_encoded_and_stays_on_its_line(text: str) -> None:
    shown = display(text)
    shown.encode("utf-8")
    assert len(shown.splitlines()) <= 1
    assert "\x1b" not in shown


@pytest.mark.parametrize(
    ("text", "columns"), [("abc", 3), ("日本", 4), ("e\u0301", 1), ("ｆｕｌｌ", 8), ("", 0)]
)
def test_wide_characters_take_two_columns_and_combining_ones_none(text: str, columns: int) -> None:
    assert width(text) == columns


@given(st.text(), st.integers(1, 20))
def test_a_clipped_text_fits(text: str, columns: int) -> None:
    assert width(clip(text, columns)) <= columns


def test_clipping_says_that_something_is_left_out() -> None:
    assert clip("abcdef", 4) == "abc…"
    assert clip("日本語", 4) == "日…"
    assert clip("abcd", 4) == "abcd"
