"""How much of what changed is read where one file is registered."""

from __future__ import annotations

import threading
from pathlib import Path

from contract_scan import api

FILES = [f"part{number}.py" for number in range(5)]


def write(root: Path, value: str) -> None:
    for name in FILES:
        (root / name).write_text(f"def {value}_{name.removesuffix('.py')}() -> None: ...\n")


def test_the_file_is_read_though_there_is_no_time_for_others(tmp_path: Path) -> None:
    write(tmp_path, "old")
    with api.open_code_index(tmp_path, database=tmp_path / ".index.db") as index:
        index.update()
        write(tmp_path, "new")
        found = index.register("part3.py", "", seconds=0)
        assert (found.indexed, found.files_read, found.files_left) == (True, 1, 4)
        assert index.find_definitions("new_part3").count == 1
        assert index.find_definitions("new_part1").count == 0
        updated = index.update()
        assert sorted(updated.read) == ["part0.py", "part1.py", "part2.py", "part4.py"]
        assert (updated.left, index.find_definitions("new_part1").count) == (0, 1)


def test_nobody_waits_for_an_update_that_takes_long(tmp_path: Path) -> None:
    write(tmp_path, "old")
    reading, goes_on = threading.Event(), threading.Event()

    def progress(done: int, count: int) -> None:
        reading.set()
        assert goes_on.wait(60)

    with api.open_code_index(tmp_path, database=tmp_path / ".index.db") as index:
        first = threading.Thread(target=index.update, args=(progress,))
        first.start()
        assert reading.wait(60)
        found = index.register("part3.py", "", seconds=0)
        goes_on.set()
        first.join()
        assert (found.indexed, found.reason) == (False, "the index is being updated; call again")
        assert index.register("part3.py", "").indexed
