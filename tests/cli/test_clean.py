"""`contract-scan clean`: caches go, nothing else does."""

from __future__ import annotations

from pathlib import Path

import pytest

from contract_scan.cli.main import main
from tests.caches import cache_folder
from tests.cli.test_check import project, write_project

__all__ = ["project"]

FORMER_TAG = "Signature: 8a477f597d28d172789f06886806bc55\n# A cache of contract-scan.\n"


@pytest.fixture(autouse=True)
def caches(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache home without any other cache."""
    home = tmp_path_factory.mktemp("home")
    monkeypatch.setenv("XDG_CACHE_HOME", str(home))
    return home / "contract-scan"


def test_the_cache_of_a_scan_is_removed(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_project(project)
    before = {path.name for path in project.iterdir()}
    assert main(["--quiet"]) == 0
    assert cache_folder(project).is_dir()
    assert {path.name for path in project.iterdir()} == before
    assert main(["clean"]) == 0
    assert not cache_folder(project).exists()
    assert capsys.readouterr() == ("Removed the cache of ./\n", "")
    assert main(["clean"]) == 0
    assert capsys.readouterr() == ("No cache was found.\n", "")


def test_caches_of_folders_below_are_found_and_others_are_left(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("one", "two/deep", "elsewhere"):
        write_project(project / name)
        assert main(["--quiet", name]) == 0
    assert main(["clean", "one", "two"]) == 0
    assert sorted(capsys.readouterr().out.splitlines()) == [
        "Removed the cache of one/",
        "Removed the cache of two/deep/",
    ]
    assert cache_folder(project / "elsewhere").is_dir()


def test_all_caches_go_when_asked_for(
    project: Path, caches: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("one", "two"):
        write_project(project / name)
        assert main(["--quiet", name]) == 0
    (caches / "mine").mkdir()
    assert main(["clean", "--all"]) == 0
    assert sorted(path.name for path in caches.iterdir()) == ["key", "mine"]
    assert main(["clean", "--all", "one"]) == 2
    assert capsys.readouterr().err == (
        "contract-scan: --all removes the caches of all folders; name none\n"
    )


def test_what_is_no_entry_stays_in_the_folder(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_project(project)
    assert main(["--quiet"]) == 0
    folder = cache_folder(project)
    (folder / "letter.txt").write_text("mine")
    linked = folder / f"text-{'0' * 32}"  # an entry's name, but no regular file
    linked.symlink_to("letter.txt")
    assert main(["clean"]) == 2
    assert capsys.readouterr().err.endswith("cannot be removed: Directory not empty\n")
    assert sorted(folder.iterdir()) == [folder / "letter.txt", linked]


def test_a_cache_of_former_versions_goes_and_what_else_lies_there_stays(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    former = project / ".contract_scan_cache"
    (former / "texts").mkdir(parents=True)
    (former / "CACHEDIR.TAG").write_text(FORMER_TAG)
    (former / ".gitignore").write_text("*\n")
    (former / "cache-v1.sqlite").write_bytes(b"")
    (former / f"said-{'0' * 32}").write_bytes(b"")
    (former / "texts" / ("a" * 32)).write_bytes(b"")
    assert main(["clean"]) == 0
    assert capsys.readouterr().out == "Removed .contract_scan_cache/\n"
    assert not former.exists()


def test_a_folder_that_is_no_cache_is_left(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "real").mkdir()
    (project / "real" / "CACHEDIR.TAG").write_text(FORMER_TAG)
    (project / "real" / ("b" * 32)).write_text("mine")
    (project / "a").mkdir()
    (project / "a" / ".contract_scan_cache").symlink_to(project / "real")
    (project / "b" / ".contract_scan_cache").mkdir(parents=True)
    assert main(["clean"]) == 0
    assert capsys.readouterr().out == "No cache was found.\n"
    linked = project / "c" / ".contract_scan_cache"
    linked.mkdir(parents=True)
    (linked / "CACHEDIR.TAG").write_text(FORMER_TAG)
    (linked / "texts").symlink_to(project / "real")
    assert main(["clean"]) == 0
    names = sorted(path.name for path in (project / "real").iterdir())
    assert names == ["CACHEDIR.TAG", "b" * 32]
    assert (project / "b" / ".contract_scan_cache").is_dir()


def test_a_folder_that_does_not_exist(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["clean", "gone"]) == 2
    assert capsys.readouterr() == ("", "contract-scan: gone: no such folder\n")
