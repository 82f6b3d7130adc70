"""A file that changes between the look at it and its reading leaves nothing wrong behind."""

from __future__ import annotations

import os
from pathlib import Path

from contract_scan.parsers.source.discovery.discover import SourceTree
from contract_scan.parsers.source.languages import SUFFIXES, load
from contract_scan.parsers.source.reader import SourceReader
from contract_scan.parsers.source.retained_sources import RetainedSources
from contract_scan.parsers.source.store import Store
from contract_scan.private_folder import PrivateFolder
from tests.caches import rest

ONE = "class Book: ...\n"
OTHER = "class Tome: ...\n"


def test_what_was_read_of_another_text_is_not_kept_for_the_one_that_was_seen(
    tmp_path: Path,
) -> None:
    (tmp_path / "cache").mkdir()
    root = tmp_path / "code"
    root.mkdir()
    file = root / "books.py"
    file.write_text(ONE)
    rest()
    store = Store(PrivateFolder(str(tmp_path / "cache"), b"k" * 32))
    retained = RetainedSources()

    def opened() -> SourceReader:
        tree = SourceTree(root, SUFFIXES)
        return SourceReader(tree, {"python": load("python")}, store, filter=True, retained=retained)

    def classes(reader: SourceReader) -> list[str]:
        return [declared.name for declared in reader.facts("books.py").classes]

    opened()
    retained.texts.clear()  # as where there is no room for them
    seen_before = opened()
    file.write_text(OTHER)
    assert classes(seen_before) == ["Tome"]
    os.replace(file, root / "put-away")
    file.write_text(ONE)
    assert classes(opened()) == ["Book"]
    store.commit()
    store.close()
    afresh = Store(PrivateFolder(str(tmp_path / "cache"), b"k" * 32))
    tree = SourceTree(root, SUFFIXES)
    assert classes(SourceReader(tree, {"python": load("python")}, afresh, filter=True)) == ["Book"]
    afresh.close()
