from __future__ import annotations

from pathlib import Path

import pytest

from contract_scan.ir.origin import Origin, Span
from contract_scan.reports.display import width
from contract_scan.reports.frames import MAX_WIDTH, Frame, dedent_rows, frame_rows
from contract_scan.reports.lines import Lines


def drawn(tmp_path: Path, content: str | bytes, span: Span, label: str = "here") -> list[str]:
    """The rows of a frame, with the mark below the text."""
    data = content if isinstance(content, bytes) else content.encode()
    (tmp_path / "file").write_bytes(data)
    frame = Frame(origin=Origin("file", span), arrow="-->", mark="^", label=label, before=1)
    return [row.text + row.mark for row in frame_rows(frame, Lines(tmp_path))]


def test_the_marked_place_has_its_label(tmp_path: Path) -> None:
    assert drawn(tmp_path, "one\ntwo = three\n", Span(2, 7, 2, 12)) == [
        "one",
        "two = three",
        "      ^^^^^ here",
    ]


def test_tabs_are_expanded_in_the_line_and_in_the_mark(tmp_path: Path) -> None:
    assert drawn(tmp_path, "\tif a:\n\t\tb\tc\n", Span(2, 5, 2, 6)) == [
        "    if a:",
        "        b   c",
        "            ^ here",
    ]


def test_wide_characters_count_twice(tmp_path: Path) -> None:
    assert drawn(tmp_path, "名前 = 値\n", Span(1, 6, 1, 7)) == ["名前 = 値", "       ^^ here"]


def test_a_long_line_is_cut_around_the_mark(tmp_path: Path) -> None:
    line = "x" * 1000 + "MARK" + "y" * 1000
    text, mark = drawn(tmp_path, line, Span(1, 1001, 1, 1005))
    assert width(text) == MAX_WIDTH
    assert text.startswith("…xxx")
    assert text.endswith("…")
    assert mark.index("^") == text.index("MARK")
    assert mark.strip() == "^^^^ here"


def test_a_long_mark_stays_within_the_width(tmp_path: Path) -> None:
    text, mark = drawn(tmp_path, "x" * 1000, Span(1, 1, 1, 1001), label="l" * 500)
    assert width(text) <= MAX_WIDTH
    assert width(mark) <= MAX_WIDTH


def test_a_span_of_many_lines_is_marked_on_its_first(tmp_path: Path) -> None:
    assert drawn(tmp_path, "def f(\n    a,\n):\n", Span(1, 5, 3, 2)) == [
        "def f(",
        "    ^^ here",
    ]


def test_blank_lines_above_are_not_shown(tmp_path: Path) -> None:
    assert drawn(tmp_path, "a\n\nb\n", Span(3, 1, 3, 2)) == ["b", "^ here"]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_every_line_end_counts_once(tmp_path: Path, end: str) -> None:
    assert drawn(tmp_path, f"a{end}b{end}c{end}", Span(3, 1, 3, 2)) == ["b", "c", "^ here"]


def test_a_form_feed_is_no_line_end(tmp_path: Path) -> None:
    assert drawn(tmp_path, "a\x0c\u2028b\nc\n", Span(2, 1, 2, 2)) == [
        "a\\x0c\\u2028b",
        "c",
        "^ here",
    ]


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-32"])
def test_byte_order_marks_are_no_columns(tmp_path: Path, encoding: str) -> None:
    assert drawn(tmp_path, "añb".encode(encoding), Span(1, 3, 1, 4)) == ["añb", "  ^ here"]


@pytest.mark.parametrize(
    "span", [Span(9, 1, 9, 2), Span(0, 0, 0, 0), Span(-1, 5, 2, 2)], ids=["past", "none", "wrong"]
)
def test_no_such_line_no_frame(tmp_path: Path, span: Span) -> None:
    assert drawn(tmp_path, "a\n", span) == []


def test_columns_past_the_end_are_marked_at_the_end(tmp_path: Path) -> None:
    assert drawn(tmp_path, "abc\n", Span(1, 50, 1, 60)) == ["abc", "   ^ here"]


def test_what_is_no_file_has_no_lines(tmp_path: Path) -> None:
    lines = Lines(tmp_path)
    assert lines.line(".", 1) is None
    assert lines.line("missing", 1) is None
    assert lines.line("nul\0byte", 1) is None


def test_only_a_few_files_are_kept_and_all_stay_readable(tmp_path: Path) -> None:
    names = [f"file{number}" for number in range(40)]
    for name in names:
        (tmp_path / name).write_text(f"{name}\nlast\n")
    lines = Lines(tmp_path)
    assert [lines.line(name, 1) for name in names + names] == names + names
    assert lines.line("file0", 2) == "last"


def test_what_all_rows_are_indented_by_can_be_taken_away(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("    if a:\n        return b\n")
    span = Span(2, 16, 2, 17)
    frame = Frame(origin=Origin("file", span), arrow="-->", mark="^", label="here", before=1)
    found = dedent_rows(frame_rows(frame, Lines(tmp_path)))
    assert [(row.number, row.text + row.mark) for row in found] == [
        (1, "if a:"),
        (2, "    return b"),
        (0, "           ^ here"),
    ]
    assert dedent_rows([]) == []
