"""The hashes must equal the ones that GitHub computes when a report is uploaded.

The expected numbers were computed with its own implementation.
"""

from __future__ import annotations

import pytest

from contract_scan.reports.sarif_places import line_hashes

GREETING = [
    "e9496ae3ebfced30:1",
    "fb7c023a8b9ccb3f:1",
    "ce8ba1a563dcdaca:1",
    "e20e36e16fcb0cc8:1",
    "b3edc88f2938467e:1",
    "c8e28b0b4002a3a0:1",
    "c129715d7a2bc9a3:1",
]


def test_an_empty_file_has_one_line() -> None:
    assert line_hashes("") == ["c129715d7a2bc9a3:1"]


def test_blanks_do_not_count() -> None:
    assert line_hashes(" a\nb\n  \t\tc\n d") == [
        "271789c17abda88f:1",
        "54703d4cd895b18:1",
        "180aee12dab6264:1",
        "a23a3dc5e078b07b:1",
    ]


@pytest.mark.parametrize(
    "text",
    [
        " hello; \t\nworld!!!\n\n\n  \t\tGreetings\n End\n",
        " hello; \t\nworld!!!\r\r\r  \t\tGreetings\r End\r",
        " hello; \t\r\nworld!!!\r\n\r\n\r\n  \t\tGreetings\r\n End\r\n",
        " hello; \t\nworld!!!\r\n\n\r  \t\tGreetings\r End\r\n",
    ],
)
def test_line_ends_are_all_alike(text: str) -> None:
    assert line_hashes(text) == GREETING


def test_equal_lines_are_numbered() -> None:
    hashes = line_hashes("Lorem ipsum dolor sit amet.\n" * 10)
    assert hashes[:6] == [f"a7f2ff13bc495cf2:{number}" for number in range(1, 7)]
    assert hashes[6:] == [
        "a7f2ff1481e87703:1",
        "a9cf91f7bbf1862b:1",
        "55ec222b86bcae53:1",
        "cc97dc7b1d7d8f7b:1",
        "c129715d7a2bc9a3:1",
    ]
