"""Putting edits into files."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contract_scan.fixes.apply import FileChange, RefusedFile, apply_fixes, digest_of, write
from contract_scan.fixes.diff import unified_diff
from contract_scan.fixes.text import Text
from contract_scan.ir.fix import Edit, Fix
from contract_scan.ir.origin import Span


def fix(file: Path, *edits: tuple[tuple[int, int, int, int], str]) -> Fix:
    made = tuple(Edit(file.name, Span(*span), text) for span, text in edits)
    return Fix(title="mend it", safe=True, edits=made, digest=digest_of(file.read_bytes()))


def test_edits_are_put_in_at_their_places(tmp_path: Path) -> None:
    file = tmp_path / "a.ts"
    file.write_bytes(b"let a = 1;\nlet b = 2;\n")
    wanted = fix(file, ((2, 5, 2, 6), "c"), ((1, 1, 1, 1), "// new\n"))
    (mended,), refused = apply_fixes(tmp_path, [wanted])
    assert (mended.after, refused) == (b"// new\nlet a = 1;\nlet c = 2;\n", [])
    assert file.read_bytes() == mended.before
    assert write(tmp_path, mended) is None
    assert file.read_bytes() == mended.after


def test_of_two_edits_that_overlap_the_first_wins(tmp_path: Path) -> None:
    file = tmp_path / "a.ts"
    file.write_bytes(b"let a = 1;\n")
    first, second = fix(file, ((1, 5, 1, 6), "b")), fix(file, ((1, 1, 1, 6), "var c"))
    (mended,), _ = apply_fixes(tmp_path, [first, second])
    assert (mended.after, mended.fixes) == (b"let b = 1;\n", (first,))
    assert mended.put_off == (second,)


def test_of_a_fix_that_overlaps_in_part_nothing_is_made(tmp_path: Path) -> None:
    file = tmp_path / "a.ts"
    file.write_bytes(b"let a = 1;\n")
    second = fix(file, ((1, 5, 1, 6), "c"), ((1, 9, 1, 10), "2"))
    (mended,), _ = apply_fixes(tmp_path, [fix(file, ((1, 5, 1, 6), "b")), second])
    assert mended.after == b"let b = 1;\n"


def test_an_edit_that_two_fixes_need_is_made_once(tmp_path: Path) -> None:
    file = tmp_path / "a.ts"
    file.write_bytes(b"let a = 1;\n")
    line = ((1, 1, 1, 1), "import 'x';\n")
    (mended,), _ = apply_fixes(
        tmp_path, [fix(file, line, ((1, 5, 1, 6), "b")), fix(file, line, ((1, 9, 1, 10), "2"))]
    )
    assert mended.after == b"import 'x';\nlet b = 2;\n"


def test_whole_lines_that_are_put_in_at_one_place_stand_in_order(tmp_path: Path) -> None:
    file = tmp_path / "a.ts"
    file.write_bytes(b"let a = 1;\n")
    lines = [fix(file, ((1, 1, 1, 1), text)) for text in ("import 'x';\n", "import 'y';\n")]
    (mended,), _ = apply_fixes(tmp_path, lines)
    assert mended.after == b"import 'x';\nimport 'y';\nlet a = 1;\n"


def test_a_file_that_has_changed_is_left_alone(tmp_path: Path) -> None:
    file = tmp_path / "a.ts"
    file.write_bytes(b"let a = 1;\n")
    wanted = fix(file, ((1, 5, 1, 6), "b"))
    file.write_bytes(b"let x = 1;\n")
    assert apply_fixes(tmp_path, [wanted]) == (
        [],
        [RefusedFile("a.ts", "it has changed since it was scanned")],
    )


def test_a_file_that_changes_before_it_is_written_is_left_alone(tmp_path: Path) -> None:
    file = tmp_path / "a.ts"
    file.write_bytes(b"let a = 1;\n")
    (mended,), _ = apply_fixes(tmp_path, [fix(file, ((1, 5, 1, 6), "b"))])
    file.write_bytes(b"let x = 1;\n")
    assert write(tmp_path, mended) == RefusedFile("a.ts", "it has changed since it was scanned")
    assert file.read_bytes() == b"let x = 1;\n"


def test_the_mode_of_a_file_is_kept(tmp_path: Path) -> None:
    file = tmp_path / "a.ts"
    file.write_bytes(b"let a = 1;\n")
    file.chmod(0o750)
    (mended,), _ = apply_fixes(tmp_path, [fix(file, ((1, 5, 1, 6), "b"))])
    write(tmp_path, mended)
    assert stat.S_IMODE(file.stat().st_mode) == 0o750
    assert os.listdir(tmp_path) == ["a.ts"]


def test_what_a_link_leads_to_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "other.ts").write_bytes(b"let a = 1;\n")
    link = tmp_path / "a.ts"
    link.symlink_to("other.ts")
    wanted = fix(link, ((1, 5, 1, 6), "b"))
    assert apply_fixes(tmp_path, [wanted]) == (
        [],
        [RefusedFile("a.ts", "it is not a regular file")],
    )


def test_another_name_of_the_same_file_keeps_what_it_held(tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    (tmp_path / "other.ts").write_bytes(b"let a = 1;\n")
    file = root / "a.ts"
    file.hardlink_to(tmp_path / "other.ts")
    (mended,), _ = apply_fixes(root, [fix(file, ((1, 5, 1, 6), "b"))])
    assert write(root, mended) is None
    assert file.read_bytes() == b"let b = 1;\n"
    assert (tmp_path / "other.ts").read_bytes() == b"let a = 1;\n"


def test_a_file_whose_folder_becomes_a_link_out_is_left_alone(tmp_path: Path) -> None:
    root, folder = tmp_path / "root", tmp_path / "root" / "src"
    folder.mkdir(parents=True)
    file = folder / "a.ts"
    file.write_bytes(b"let a = 1;\n")
    edit = Edit("src/a.ts", Span(1, 5, 1, 6), "b")
    wanted = Fix(title="mend it", safe=True, edits=(edit,), digest=digest_of(file.read_bytes()))
    (mended,), _ = apply_fixes(root, [wanted])
    folder.rename(tmp_path / "outside")
    folder.symlink_to(tmp_path / "outside")
    refused = RefusedFile("src/a.ts", "it lies outside the scanned folder")
    assert write(root, mended) == refused
    assert (tmp_path / "outside" / "a.ts").read_bytes() == b"let a = 1;\n"


def test_what_lies_outside_is_left_alone(tmp_path: Path) -> None:
    outside = tmp_path / "outside.ts"
    outside.write_bytes(b"let a = 1;\n")
    root = tmp_path / "root"
    root.mkdir()
    edit = Edit("../outside.ts", Span(1, 5, 1, 6), "b")
    wanted = Fix(title="mend it", safe=True, edits=(edit,), digest=digest_of(outside.read_bytes()))
    refused = [RefusedFile("../outside.ts", "it lies outside the scanned folder")]
    assert apply_fixes(root, [wanted]) == ([], refused)


def test_an_encoding_without_a_character_refuses_it(tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    file.write_bytes(b"# coding: latin-1\na = '\xe9'\n")
    assert apply_fixes(tmp_path, [fix(file, ((2, 1, 2, 2), "b"))])[0][0].after == (
        b"# coding: latin-1\nb = '\xe9'\n"
    )
    _, (refused,) = apply_fixes(tmp_path, [fix(file, ((2, 1, 2, 2), "日"))])
    assert refused.path == "a.py"


@pytest.mark.parametrize("raw", [b"\xff\xfea\0", b"let a = '\xe9';", b"a\rb", b"a\0b"])
def test_what_is_not_plain_text_is_refused(raw: bytes) -> None:
    with pytest.raises(ValueError, match="file"):
        Text(raw)


def test_a_diff_is_one_that_patch_takes() -> None:
    mended = FileChange("a.ts", b"let a = 1;\nlet b = 2;", b"let a = 3;\nlet b = 2;", ())
    assert "".join(unified_diff(mended)) == (
        "--- a/a.ts\n+++ b/a.ts\n@@ -1,2 +1,2 @@\n-let a = 1;\n+let a = 3;\n let b = 2;\n"
        "\\ No newline at end of file\n"
    )


LINES = st.text(st.characters(codec="utf-8", exclude_characters="\r\n\0"), max_size=8)


@given(
    st.lists(LINES, min_size=1, max_size=5),
    st.sampled_from(["\n", "\r\n"]),
    st.booleans(),
    st.data(),
)
def test_every_other_byte_stays_as_it_was(
    lines: list[str], end: str, mark: bool, data: st.DataObject
) -> None:
    body = end.join(lines)
    raw = (b"\xef\xbb\xbf" if mark else b"") + body.encode()
    text = Text(raw)
    at = data.draw(st.integers(0, len(text.text)))
    assert text.offset(*text.place(at)) == at
    assert text.from_byte(text.to_byte(at)) == at
    assert text.encode(text.text) == raw
