"""What comments say to contract-scan."""

from __future__ import annotations

import pytest

from contract_scan.ir.comment import said_in

IGNORE = "contract-scan: ignore[CONTRACT-001] old"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (f"# {IGNORE}", [(2, "ignore[CONTRACT-001] old")]),
        (f"/* {IGNORE} */", [(3, "ignore[CONTRACT-001] old")]),
        (f"<!-- {IGNORE} -->", [(5, "ignore[CONTRACT-001] old")]),
        (f"# noqa  # {IGNORE}", [(10, "ignore[CONTRACT-001] old")]),
        ("/**\n * contract-scan: one\n * contract-scan: two\n */", [(7, "one"), (29, "two")]),
        (f"# see {IGNORE}", []),
        ("# see contract-scan: one // contract-scan: two", [(28, "two")]),
        ("# contract-scan: one # contract-scan: two", [(2, "one # contract-scan: two")]),
    ],
)
def test_an_instruction_follows_the_sign_of_a_comment(
    text: str, said: list[tuple[int, str]]
) -> None:
    assert said_in(text) == said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("/" * 1_000_000 + "contract-scan:", 1),
        ("contract-scan:" + " " * 1_000_000 + "x", 1),
        ("contract-scan: " + "*/ " * 300_000 + "x", 1),
        ("x contract-scan:" * 60_000, 0),
    ],
    ids=["signs", "blanks", "ends", "addresses"],
)
def test_long_comments_are_gone_through_once(text: str, said: int) -> None:
    """Going back from every place would take hours."""
    assert len(said_in(text)) == said
