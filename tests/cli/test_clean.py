"""`contract-scan clean`: caches go, nothing else does."""

from __future__ import annotations

from pathlib import Path

import pytest

from contract_scan.cli.main import main
from tests.cli.test_check import project, write_project

__all__ = ["project"]


def test_the_cache_of_a_scan_is_removed(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_project(project)
    assert main(["--quiet"]) == 0
    before = {path.name for path in project.iterdir()}
    assert main(["clean"]) == 0
    assert before - {path.name for path in project.iterdir()} == {".contract_scan_cache"}
    assert capsys.readouterr() == ("Removed .contract_scan_cache/\n", "")


def test_caches_of_folders_below_are_found_and_others_are_left(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("one", "two/deep", "elsewhere"):
        write_project(project / name)
        assert main(["--quiet", name]) == 0
    assert main(["clean", "one", "two"]) == 0
    assert capsys.readouterr().out == (
        "Removed one/.contract_scan_cache/\nRemoved two/deep/.contract_scan_cache/\n"
    )
    assert [str(path.parent.relative_to(project)) for path in project.rglob("CACHEDIR.TAG")] == [
        "elsewhere/.contract_scan_cache"
    ]


def test_a_folder_that_is_no_cache_is_left(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "real").mkdir()
    (project / "real" / "CACHEDIR.TAG").write_text("mine")
    (project / "a").mkdir()
    (project / "a" / ".contract_scan_cache").symlink_to(project / "real")
    (project / "b" / ".contract_scan_cache").mkdir(parents=True)
    assert main(["clean"]) == 0
    assert capsys.readouterr().out == "No cache was found.\n"
    assert (project / "real" / "CACHEDIR.TAG").is_file()
    assert (project / "b" / ".contract_scan_cache").is_dir()


def test_a_folder_that_does_not_exist(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["clean", "gone"]) == 2
    assert capsys.readouterr() == ("", "contract-scan: gone: no such folder\n")
