"""A file gets another text whole, or stays as it is."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from contract_scan.atomic import replace_file


def mode_of(file: Path) -> int:
    return stat.S_IMODE(file.stat().st_mode)


def test_a_file_keeps_its_mode(tmp_path: Path) -> None:
    file = tmp_path / "a"
    file.write_bytes(b"old")
    file.chmod(0o640)
    replace_file(file, b"new")
    assert (file.read_bytes(), mode_of(file)) == (b"new", 0o640)
    replace_file(file, b"newer", mode=0o755)
    assert (file.read_bytes(), mode_of(file)) == (b"newer", 0o755)
    assert [*tmp_path.iterdir()] == [file]


def test_a_new_file_has_the_mode_of_new_files(tmp_path: Path) -> None:
    (tmp_path / "known").touch()
    replace_file(tmp_path / "new", b"")
    assert mode_of(tmp_path / "new") == mode_of(tmp_path / "known")


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "inner").mkdir()
    link, file = tmp_path / "link", tmp_path / "inner" / "file"
    file.write_bytes(b"old")
    link.symlink_to(file)
    replace_file(link, b"new")
    assert link.is_symlink()
    assert file.read_bytes() == b"new"
    assert [*file.parent.iterdir()] == [file]


def test_the_longest_of_names(tmp_path: Path) -> None:
    file = tmp_path / ("n" * os.pathconf(tmp_path, "PC_NAME_MAX"))
    replace_file(file, b"new")
    assert file.read_bytes() == b"new"


def test_what_cannot_be_written_leaves_nothing_behind(tmp_path: Path) -> None:
    folder = tmp_path / "a"
    folder.mkdir()
    with pytest.raises(OSError, match="Is a directory"):
        replace_file(folder, b"new")
    assert [*tmp_path.iterdir()] == [folder]
