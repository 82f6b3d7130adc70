"""What was read before is kept, and a bad cache is no cache."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from contract_scan.parsers.source.dependency_snapshot import NO_FINGERPRINT, Files
from contract_scan.parsers.source.store import Store, content_key, file_state
from contract_scan.private_folder import PACK, PrivateFolder

KEY = b"k" * 32


def store(folder: Path, key: bytes = KEY) -> Store:
    folder.mkdir(exist_ok=True)
    return Store(PrivateFolder(str(folder), key))


def put(folder: Path, key: bytes, value: bytes) -> None:
    opened = store(folder)
    opened.put(key, value)
    opened.commit()
    opened.close()


def got(folder: Path, key: bytes, sealing: bytes = KEY) -> bytes | None:
    opened = store(folder, sealing)
    try:
        return opened.get(key)
    finally:
        opened.close()


def packs(folder: Path) -> list[Path]:
    return sorted(folder.glob(f"{PACK}-*"))


def test_values_come_back_after_a_commit(tmp_path: Path) -> None:
    opened = store(tmp_path)
    opened.put(b"key", b"value")
    opened.put_files("v1", [("a.py", 3, 99, 7, b"seen"), ("b.py", 1, 98, 8, b"too")])
    opened.commit()
    assert opened.get(b"key") == b"value"
    opened.put_files("v1", [("a.py", 4, 100, 7, b"again")])
    opened.commit()
    opened.close()
    again = store(tmp_path)
    assert again.get(b"key") == b"value"
    assert sorted(again.files("v1")) == [("a.py", 4, 100, 7, b"again"), ("b.py", 1, 98, 8, b"too")]
    assert list(again.files("v2")) == []
    again.close()


def test_what_is_not_committed_is_not_kept(tmp_path: Path) -> None:
    opened = store(tmp_path)
    opened.put(b"key", b"value")
    assert opened.get(b"key") == b"value"
    opened.close()
    assert got(tmp_path, b"key") is None


@pytest.mark.parametrize("garbage", [b"", b"not a pack at all" * 100])
def test_a_destroyed_pack_is_dropped(tmp_path: Path, garbage: bytes) -> None:
    put(tmp_path, b"key", b"value")
    (file,) = packs(tmp_path)
    file.write_bytes(garbage)
    assert got(tmp_path, b"key") is None
    assert packs(tmp_path) == []
    put(tmp_path, b"key", b"new")
    assert got(tmp_path, b"key") == b"new"


def test_a_value_that_was_altered_is_none(tmp_path: Path) -> None:
    put(tmp_path, b"key", b"harmful")
    (file,) = packs(tmp_path)
    file.write_bytes(file.read_bytes().replace(b"harmful", b"harmles"))
    assert got(tmp_path, b"key") is None


def test_a_pack_of_another_user_is_none(tmp_path: Path) -> None:
    put(tmp_path, b"key", b"value")
    assert got(tmp_path, b"key", b"other" * 6) is None


def test_many_commits_leave_few_packs_and_every_value(tmp_path: Path) -> None:
    for number in range(60):
        put(tmp_path, b"%d" % number, b"x" * (100 if number % 7 else 5_000))
    assert len(packs(tmp_path)) <= 12
    found = [got(tmp_path, b"%d" % number) for number in range(60)]
    assert found == [b"x" * (100 if number % 7 else 5_000) for number in range(60)]


def test_two_stores_may_write_one_after_the_other(tmp_path: Path) -> None:
    one, two = store(tmp_path), store(tmp_path)
    one.put(b"a", b"1")
    two.put(b"b", b"2")
    one.commit()
    two.commit()
    one.close()
    two.close()
    assert (got(tmp_path, b"b"), got(tmp_path, b"a")) == (b"2", b"1")


def test_without_a_folder_nothing_is_kept() -> None:
    opened = Store(None)
    opened.put(b"key", b"value")
    opened.commit()
    assert (opened.get(b"key"), opened.keeps) == (None, False)


def test_keys_differ_by_content_and_by_what_derived_them() -> None:
    keys = {content_key(b"a"), content_key(b"b"), content_key(b"a", "x"), content_key(b"a", "y")}
    assert len(keys) == 4


SECOND = 1_000_000_000
WRITTEN = 1_700_000_000 * SECOND + 123_456_789
"""A time with more than whole seconds."""


@pytest.fixture
def stated(monkeypatch: pytest.MonkeyPatch) -> dict[str, int]:
    """What the system says of every file: no two can be made here that have one time."""
    says = {"size": 5, "inode": 7, "time": WRITTEN}

    def lstat(path: str) -> os.stat_result:
        fields = (0o100644, says["inode"], 1, 1, 0, 0, says["size"], 0, 0, says["time"] // SECOND)
        return os.stat_result(fields, {"st_ctime_ns": says["time"], "st_mtime_ns": 0})

    monkeypatch.setattr(os, "lstat", lstat)
    return says


@pytest.mark.parametrize(("what", "other"), [("size", 6), ("inode", 8), ("time", WRITTEN + 1)])
def test_size_time_and_inode_each_tell_another_text(
    stated: dict[str, int], what: str, other: int
) -> None:
    later = WRITTEN + 60 * SECOND
    before = file_state("/a.py", later)
    files = Files(["a.py"], [*before], bytearray(NO_FINGERPRINT), bytearray())
    assert file_state("/a.py", later) == before
    assert files.changed_positions("/") == []
    stated[what] = other
    assert file_state("/a.py", later) != before
    assert files.changed_positions("/") == [0]


@pytest.mark.parametrize(
    ("time", "looked"),
    [(WRITTEN, WRITTEN + 1), (WRITTEN // SECOND * SECOND, WRITTEN + 60 * SECOND)],
    ids=["just written", "whole seconds"],
)
def test_content_tells_where_the_time_does_not(
    stated: dict[str, int], time: int, looked: int
) -> None:
    stated["time"] = time
    _, at, _ = file_state("/a.py", looked)
    assert at == 0  # so that the file is looked at again
    files = Files(["a.py"], [5, at, 7], bytearray(NO_FINGERPRINT), bytearray())
    assert files.changed_positions("/") == [0]
