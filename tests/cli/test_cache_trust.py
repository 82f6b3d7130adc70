"""What lies in a cache counts only where this user put it there, and nothing else is touched."""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from contract_scan.cache import folder_name, usable_cache
from contract_scan.cli.main import main
from contract_scan.parsers.source.store import content_key
from contract_scan.private_folder import SEAL, PrivateFolder
from tests.caches import entries, rest
from tests.forked import forked_python

CONTRACT = """\
openapi: 3.0.3
info: {title: Orders, version: '1'}
paths:
  /orders:
    get: {responses: {'200': {description: ok}}}
"""
GOOD = "from fastapi import FastAPI\napp = FastAPI()\n@app.get('/orders')\ndef orders(): ...\n"
BAD = GOOD.replace("/orders", "/olders")
IN_REPOSITORY = ("--cache-dir", ".contract_scan_cache")


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The cache home of a user who has never scanned anything."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "home"))
    return tmp_path / "home" / "contract-scan"


@pytest.fixture
def project(tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository whose code keeps its contract."""
    root = (tmp_path / "project").resolve()
    root.mkdir()
    (root / "openapi.yaml").write_text(CONTRACT)
    (root / "app.py").write_text(GOOD)
    subprocess.run(["git", "init", "--quiet", str(root)], check=True)
    monkeypatch.chdir(root)
    return root


def _names(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


def _planted(project: Path, cache: Path) -> Path:
    """The folder in which this cache would have to lie, with somebody else's entries."""
    return cache / folder_name(str(project))


def test_a_scan_writes_nothing_into_the_repository(project: Path, home: Path) -> None:
    before = _names(project)
    assert main(["check", "--quiet"]) == 0
    assert _names(project) == before
    (folder,) = (path for path in home.iterdir() if path.is_dir())
    assert (folder.stat().st_mode & 0o777, (home / "key").stat().st_mode & 0o777) == (0o700, 0o600)
    assert {path.stat().st_mode & 0o777 for path in folder.iterdir()} == {0o600}


def test_a_former_cache_in_the_repository_is_neither_read_nor_changed(
    project: Path, tmp_path: Path
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    for number in range(2_100):
        (outside / f"{number:032x}").write_text("mine")
    (project / ".contract_scan_cache").mkdir()
    (project / ".contract_scan_cache" / "texts").symlink_to(outside)
    for _ in range(2):
        assert main(["check", "--quiet"]) == 0
    assert len([*outside.iterdir()]) == 2_100
    assert _names(project / ".contract_scan_cache") == ["texts"]


def test_no_link_in_the_repository_is_followed(
    project: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "outside").mkdir()
    (project / ".contract_scan_cache").symlink_to(tmp_path / "outside")
    for place in (".contract_scan_cache", ".contract_scan_cache/deep"):
        assert main(["check", "--quiet", "--cache-dir", place]) == 0
        assert capsys.readouterr().err == (
            f"contract-scan: {place}: no cache is used: a link in the repository leads there\n"
        )
    alias = tmp_path / "alias"
    alias.symlink_to(project)
    assert main(["check", "--quiet", "--cache-dir", str(alias / ".contract_scan_cache")]) == 0
    assert "a link in the repository leads there" in capsys.readouterr().err
    assert [*(tmp_path / "outside").iterdir()] == []


def test_a_link_in_the_place_of_the_cache_is_not_followed(
    project: Path, home: Path, tmp_path: Path
) -> None:
    (tmp_path / "outside").mkdir()
    home.mkdir(parents=True)
    _planted(project, home).symlink_to(tmp_path / "outside")
    assert main(["check", "--quiet"]) == 0
    assert [*(tmp_path / "outside").iterdir()] == []


def test_a_cache_that_came_with_the_repository_is_not_used(
    project: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its author scanned harmless code at the very same place, then put other code there."""
    rest()
    with monkeypatch.context() as author:
        author.setenv("XDG_CACHE_HOME", str(project.parent / "author"))
        assert main(["check", "--quiet", *IN_REPOSITORY]) == 0
    assert entries_in(project / ".contract_scan_cache", "pack")
    (project / "app.py").write_text(BAD)
    capsys.readouterr()
    before = _names(project)
    assert main(["check", "--quiet", *IN_REPOSITORY]) == 1
    assert capsys.readouterr().err == (
        "contract-scan: .contract_scan_cache: no cache is used: what lies there was not made by"
        " this user; remove it\n"
    )
    assert _names(project) == before


def entries_in(base: Path, kind: str) -> list[Path]:
    """The entries of the one cache that lies in a folder."""
    return sorted(base.glob(f"*/{kind}-*"))


def test_a_cache_that_git_tracks_is_not_used(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["check", "--quiet", *IN_REPOSITORY]) == 0
    git = ["git", "-C", str(project)]
    subprocess.run([*git, "add", "--force", ".contract_scan_cache"], check=True)
    capsys.readouterr()
    before = {path: path.stat().st_mtime_ns for path in project.rglob("*") if path.is_file()}
    (project / "app.py").write_text(BAD)
    assert main(["check", "--quiet", *IN_REPOSITORY]) == 1
    assert capsys.readouterr().err == (
        "contract-scan: .contract_scan_cache: no cache is used: git tracks files there\n"
    )
    del before[project / "app.py"]
    assert {path: path.stat().st_mtime_ns for path in before} == before


def _forge(pack: Path, sealing: PrivateFolder) -> None:
    """Put into the place of a pack one with the facts of harmless code."""
    content = pack.read_bytes()
    start = SEAL + 8
    end = start + int.from_bytes(content[SEAL:start], "big")
    index, values = [], []
    for key, length, _ in msgspec.msgpack.decode(content[start:end]):
        value = content[end : end + length].replace(b"/olders", b"/orders")
        end += length
        if b"CONTRACT-" not in value:  # else it is the report
            values.append(value)
            index.append((key, len(value), content_key(value)))
    encoded = msgspec.msgpack.encode(index)
    head = sealing.seal(pack.name, encoded) + len(encoded).to_bytes(8, "big") + encoded
    pack.write_bytes(head + b"".join(values))


@pytest.mark.parametrize("own", [True, False], ids=["with the key", "without the key"])
def test_facts_that_are_forged_count_for_nothing(project: Path, home: Path, own: bool) -> None:
    """It is the key alone that keeps them out: whoever has it can forge them."""
    (project / "app.py").write_text(BAD)
    rest()
    assert main(["check", "--quiet"]) == 1
    for path in entries(project, "said"):
        path.unlink()
    folder = _planted(project, home)
    sealing = usable_cache(str(project)) if own else PrivateFolder(str(folder), b"x" * SEAL)
    for path in entries(project, "pack"):
        _forge(path, sealing)
    sealing.close()
    assert main(["check", "--quiet"]) == (0 if own else 1)


@pytest.mark.parametrize("own", [True, False], ids=["with the key", "without the key"])
def test_an_output_that_is_forged_is_not_printed(
    project: Path, home: Path, own: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["check", "--output-format", "concise"]) == 0
    (record,) = entries(project, "said")
    said = record.read_bytes()[SEAL:].replace(b"No violation in", b"All is so good")
    folder = _planted(project, home)
    sealing = usable_cache(str(project)) if own else PrivateFolder(str(folder), b"x" * SEAL)
    record.write_bytes(sealing.seal(record.name, said) + said)
    sealing.close()
    capsys.readouterr()
    assert main(["check", "--output-format", "concise"]) == 0
    assert ("All is so good" in capsys.readouterr().out) == own


def test_entries_of_another_folder_count_for_nothing(project: Path, home: Path) -> None:
    other = project.parent / "other"
    shutil.copytree(project, other)
    assert main(["check", "--quiet", str(other)]) == 0
    copied = _planted(project, home)
    shutil.copytree(_planted(other, home), copied)
    kept = {path.name for path in entries(project, "pack")}
    (project / "app.py").write_text(BAD)
    assert main(["check", "--quiet"]) == 1
    assert kept.isdisjoint(path.name for path in entries(project, "pack"))


def test_what_is_sealed_for_one_folder_is_not_sealed_for_another(project: Path, home: Path) -> None:
    def seal(root: Path) -> bytes:
        cache = usable_cache(str(root))
        try:
            return cache.seal("text-" + "0" * 32, b"text")
        finally:
            cache.close()

    other = project.parent / "other"
    other.mkdir()
    assert seal(project) == seal(project) != seal(other)


def test_a_cache_of_another_user_is_not_used(
    project: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CONTRACT_SCAN_CACHE_KEY", "a secret of the pipeline")
    assert main(["check", "--quiet", *IN_REPOSITORY]) == 0
    folder = project / ".contract_scan_cache"
    kept = {path: path.stat().st_mtime_ns for path in folder.iterdir()}
    somebody = os.geteuid() + 1
    monkeypatch.setattr(os, "geteuid", lambda: somebody)
    (project / "app.py").write_text(BAD)
    assert main(["check", "--quiet", *IN_REPOSITORY]) == 1
    assert {path: path.stat().st_mtime_ns for path in folder.iterdir()} == kept


def _fifo(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def _link(path: Path) -> None:
    elsewhere = path.parent.parent / "elsewhere"
    path.rename(elsewhere)
    path.symlink_to(elsewhere)


def _folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def _empty(path: Path) -> None:
    path.write_bytes(b"")


@pytest.mark.parametrize("spoil", [_fifo, _link, _folder, _empty])
def test_odd_things_in_the_place_of_entries_do_no_harm(
    project: Path, home: Path, spoil: Callable[[Path], None]
) -> None:
    assert main(["check", "--quiet"]) == 0
    for path in sorted(_planted(project, home).iterdir()):
        spoil(path)
    program = [forked_python(), "-m", "contract_scan", "check", "--quiet"]
    for _ in range(2):
        done = subprocess.run(program, capture_output=True, timeout=300, check=False)
        assert (done.returncode, done.stderr) == (0, b"")


def test_oddly_named_files_are_left_alone(project: Path, home: Path) -> None:
    assert main(["check", "--quiet"]) == 0
    folder = _planted(project, home)
    odd = ["abc", "text-abc", f"text-{'g' * 32}", f"said-{'0' * 31}", "pack-", "é\n", "0" * 31]
    for name in odd:
        (folder / name).write_text("mine")
    (project / "app.py").write_text(BAD)
    assert main(["check", "--quiet"]) == 1
    assert all((folder / name).read_text() == "mine" for name in odd)


def test_a_key_that_others_can_read_is_replaced(project: Path, home: Path) -> None:
    assert main(["check", "--quiet"]) == 0
    key = (home / "key").read_bytes()
    (home / "key").chmod(0o644)
    assert main(["check", "--quiet"]) == 0
    assert (home / "key").read_bytes() != key
    assert (home / "key").stat().st_mode & 0o777 == 0o600


def test_a_secret_takes_the_place_of_the_key(
    project: Path, home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """As in a pipeline that keeps nothing but a folder of the project."""
    monkeypatch.setenv("CONTRACT_SCAN_CACHE_KEY", "a secret of the pipeline")
    assert main(["check", "--quiet", *IN_REPOSITORY]) == 0
    assert not home.exists()
    packs = entries_in(project / ".contract_scan_cache", "pack")
    assert main(["check", "--quiet", *IN_REPOSITORY]) == 0
    assert entries_in(project / ".contract_scan_cache", "pack") == packs
    monkeypatch.setenv("CONTRACT_SCAN_CACHE_KEY", "short")
    capsys.readouterr()
    assert main(["check", "--quiet", *IN_REPOSITORY]) == 0
    assert capsys.readouterr().err == (
        "contract-scan: .contract_scan_cache: no cache is used: CONTRACT_SCAN_CACHE_KEY is shorter"
        " than 16 letters\n"
    )


def test_no_configuration_of_the_repository_moves_the_cache(project: Path) -> None:
    (project / "contract-scan.toml").write_text('cache-dir = "../outside"\n')
    assert main(["check", "--quiet"]) == 2
    assert not (project.parent / "outside").exists()


@pytest.mark.parametrize("home", ["/dev/null", "/proc/1/none"])
def test_without_a_place_for_a_cache_the_scan_goes_on(
    project: Path, home: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", home)
    assert main(["check", "--quiet"]) == 0
    assert capsys.readouterr().err == ""
    assert main(["check", "--quiet", "--cache-dir", home]) == 0
    assert capsys.readouterr().err.startswith(f"contract-scan: {home}: no cache is used: ")


@pytest.mark.parametrize("room", [0, 10, 100, 1_000, 100_000])
def test_a_full_disk_leaves_nothing_half_written(project: Path, home: Path, room: int) -> None:
    """Every file can grow to so many bytes; what is printed goes through a pipe."""
    program = [sys.executable, "-m", "contract_scan", "check", "--output-format", "json"]

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (room, room))

    def run(before: Callable[[], None] | None = None) -> tuple[int, bytes, bytes]:
        done = subprocess.run(
            program, capture_output=True, timeout=300, check=False, preexec_fn=before
        )
        return done.returncode, done.stdout, done.stderr

    full = run(limit)
    assert full[0] == 0
    folder = _planted(project, home)
    for path in folder.iterdir() if folder.is_dir() else ():
        assert 0 < path.stat().st_size < room, path.name  # as large as it can get is cut off
        assert not path.name.startswith("part-"), path.name
    assert run() == full
    assert (folder / ".gitignore").read_text() == "*\n"
    assert entries(project, "pack")
    assert run() == full
    (folder / ".gitignore").write_bytes(b"")  # as a full disk left it to former versions
    assert main(["check", "--quiet", "--output-format", "json-lines"]) == 0
    assert (folder / ".gitignore").read_text() == "*\n"
