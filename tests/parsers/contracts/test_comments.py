"""Comments of YAML contracts, told from what only looks like one."""

from __future__ import annotations

from pathlib import Path

from contract_scan.parsers.contracts.comments import comments, comments_of_contract

TEXT = """\
# contract-scan: ignore[CONTRACT-002] from the top
# more of it
openapi: 3.1.0
info:
  title: "a # contract-scan: ignore[CONTRACT-001]"
  description: | # contract-scan: ignore[CONTRACT-003] behind the bar
    text
    # contract-scan: ignore[CONTRACT-001]
  # contract-scan: ignore[CONTRACT-004] below the text
  version: a#b contract-scan ignore
  summary: 'it
    # contract-scan: ignore[CONTRACT-001]
    ends'
  plain: a#contract-scan:ignore[CONTRACT-001]
paths: {a: b, # contract-scan: ignore[CONTRACT-001] inside a flow
  c: d}
"""


def told(text: str) -> list[tuple[int, str, tuple[int, ...]]]:
    return [(c.origin.span.line, c.said, c.lines) for c in comments(text, "a.yaml")]


def test_comments_are_told_from_text() -> None:
    assert told(TEXT) == [
        (1, "ignore[CONTRACT-002] from the top", (3,)),
        (6, "ignore[CONTRACT-003] behind the bar", (6,)),
        (9, "ignore[CONTRACT-004] below the text", (10,)),
        (15, "ignore[CONTRACT-001] inside a flow", (15,)),
    ]


def test_line_ends_move_nothing() -> None:
    assert told(TEXT.replace("\n", "\r\n")) == told(TEXT)


def test_what_is_not_yaml_says_nothing() -> None:
    assert told('# contract-scan: ignore[CONTRACT-001]\na: "open') == []


def test_nesting_as_deep_as_contracts_may_have_is_read_to_its_end() -> None:
    deep = "[" * 200 + "]" * 200 + " # contract-scan: ignore[CONTRACT-001]"
    assert told(deep) == [(1, "ignore[CONTRACT-001]", (1,))]


def test_a_file_that_cannot_be_read_says_nothing(tmp_path: Path) -> None:
    assert comments_of_contract(tmp_path / "none.yaml", "none.yaml") == []
    (tmp_path / "latin.yaml").write_bytes(b"# contract-scan: ignore[CONTRACT-001] \xe9")
    assert comments_of_contract(tmp_path / "latin.yaml", "latin.yaml") == []
