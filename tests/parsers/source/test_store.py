"""What was read before is kept, and a bad cache is no cache."""

from __future__ import annotations

from pathlib import Path

import pytest

from contract_scan.parsers.source.store import Store, content_key


def test_values_come_back_after_a_commit(tmp_path: Path) -> None:
    store = Store(tmp_path / "cache")
    store.put(b"key", b"value")
    store.commit("v1", [("a.py", 3, 99, b"seen")])
    store.close()
    again = Store(tmp_path / "cache")
    assert again.get(b"key") == b"value"
    assert list(again.files("v1")) == [("a.py", 3, 99, b"seen")]
    assert list(again.files("v2")) == []


def test_what_is_not_committed_is_not_kept(tmp_path: Path) -> None:
    store = Store(tmp_path / "cache")
    store.put(b"key", b"value")
    assert store.get(b"key") == b"value"
    store.close()
    assert Store(tmp_path / "cache").get(b"key") is None


def test_the_folder_hides_itself_from_git_and_backups(tmp_path: Path) -> None:
    Store(tmp_path / "cache").close()
    assert (tmp_path / "cache/.gitignore").read_text(encoding="utf-8") == "*\n"
    assert (tmp_path / "cache/CACHEDIR.TAG").read_text(encoding="utf-8").startswith("Signature: ")


@pytest.mark.parametrize("garbage", [b"", b"not a database at all" * 100])
def test_a_destroyed_cache_is_started_anew(tmp_path: Path, garbage: bytes) -> None:
    first = Store(tmp_path / "cache")
    first.put(b"key", b"value")
    first.commit()
    first.close()
    (file,) = (tmp_path / "cache").glob("*.sqlite")
    file.write_bytes(garbage)
    store = Store(tmp_path / "cache")
    assert store.get(b"key") is None
    store.put(b"key", b"new")
    store.commit()
    store.close()
    assert Store(tmp_path / "cache").get(b"key") == b"new"


def test_two_stores_may_write_one_after_the_other(tmp_path: Path) -> None:
    one, two = Store(tmp_path / "cache"), Store(tmp_path / "cache")
    one.put(b"a", b"1")
    two.put(b"b", b"2")
    one.commit()
    two.commit()
    assert (one.get(b"b"), two.get(b"a")) == (b"2", b"1")


def test_a_folder_that_cannot_be_made_keeps_nothing(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    store = Store(tmp_path / "file" / "cache")
    store.put(b"key", b"value")
    store.commit()
    assert store.get(b"key") is None


def test_keys_differ_by_content_and_by_what_derived_them() -> None:
    keys = {content_key(b"a"), content_key(b"b"), content_key(b"a", "x"), content_key(b"a", "y")}
    assert len(keys) == 4
