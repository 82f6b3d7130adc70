"""Lines and columns in the units of the protocol."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lsprotocol import types

from contract_scan.ir.origin import NOWHERE, Origin, Span
from contract_scan.server.positions import Positions, code_points, covers, path_of, units


@pytest.mark.parametrize(
    ("text", "utf_8", "utf_16", "utf_32"),
    [("abc", 3, 3, 3), ("é", 2, 1, 1), ("漢", 3, 1, 1), ("🎈", 4, 2, 1), ("a🎈é", 7, 4, 3)],
)
def test_how_many_units_a_text_takes(text: str, utf_8: int, utf_16: int, utf_32: int) -> None:
    assert [units(text, f"utf-{bits}") for bits in (8, 16, 32)] == [utf_8, utf_16, utf_32]


@given(
    st.text(alphabet="aé漢🎈\t "),
    st.integers(0, 40),
    st.sampled_from(["utf-8", "utf-16", "utf-32"]),
)
def test_columns_lead_back_to_where_they_came_from(text: str, index: int, encoding: str) -> None:
    at = min(index, len(text))
    assert code_points(text, units(text[:at], encoding), encoding) == at


def test_an_offset_beyond_the_line_is_its_end() -> None:
    assert code_points("a🎈", 99, "utf-16") == 2
    assert code_points("ab", 99, "utf-16") == 2


def test_ranges_count_from_0_and_are_never_empty(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_bytes("x = '🎈🎈'; y\r\nz\r\n".encode())
    positions = Positions(tmp_path, "utf-16")
    assert positions.range(Origin("a.py", Span(1, 11, 1, 12))) == types.Range(
        types.Position(0, 12), types.Position(0, 13)
    )
    assert positions.range(Origin("a.py", Span(2, 1, 2, 1))) == types.Range(
        types.Position(1, 0), types.Position(1, 1)
    )
    assert positions.range(Origin("gone.py", Span(7, 3, 9, 1))) == types.Range(
        types.Position(6, 0), types.Position(8, 0)
    )
    assert positions.range(NOWHERE).start == types.Position(0, 0)


def test_addresses_of_files(tmp_path: Path) -> None:
    positions = Positions(tmp_path, "utf-16")
    for path in ("a b/ü#%.py", "../beside.yaml"):
        assert path_of(positions.uri(path)) == Path(f"{tmp_path}/{path}").resolve()
    assert path_of("file:///c/a%20b.py") == Path("/c/a b.py")
    assert path_of("file://localhost/c/a.py") == Path("/c/a.py")
    for none in ("untitled:Untitled-1", "file:", "file:c/a.py", "file://elsewhere/c/a.py"):
        assert path_of(none) is None


def test_what_a_place_covers() -> None:
    assert covers(Span(3, 5, 3, 9), 3, 5)
    assert covers(Span(3, 5, 3, 9), 3, 9)
    assert not covers(Span(3, 5, 3, 9), 3, 4)
    assert not covers(Span(3, 5, 3, 9), 4, 6)
    assert covers(Span(3, 5, 6, 1), 4, 1)
    assert not covers(Span(0, 0, 0, 0), 0, 0)
