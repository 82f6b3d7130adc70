"""What was read of a repository is taken again while all that it rests on is as it was, and only
then."""

from __future__ import annotations

import os
import random
import shutil
from pathlib import Path

import pytest

from contract_scan.cache import folder_name
from contract_scan.fleet.reading import ReadRequest, SharedNames, read_repository
from tests.caches import rest
from tests.fleet.fleets import SHOP

WANTED = SharedNames(
    models=("Customer", "CustomerDto"), addresses=("order.created", "order/paid", "stock")
)
EDITS = 24
WORDS = (
    *("order.created", "orderId", "order_id", "Customer", "Guest", "email", "string", "currency"),
    *("send_and_wait", "import", "class", "order/paid", "null", "{", "}", ":", "# ", "// "),
    *("# contract-scan: ignore[CONTRACT-003]", "// contract-scan: ignore", "required"),
)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """All repositories of the shop in one, with files that are old enough to be trusted."""
    folder = tmp_path / "one"
    for each in sorted(path for path in SHOP.iterdir() if path.is_dir()):
        shutil.copytree(each, folder / each.name)
    _make_old(folder)
    rest()
    return folder


def _make_old(folder: Path) -> None:
    for path in folder.rglob("*"):
        os.utime(path, (1_700_000_000, 1_700_000_000))


def _request(root: Path, cache: Path | None) -> ReadRequest:
    return ReadRequest(
        name="one",
        root=str(root),
        wanted=WANTED,
        cache=False if cache is None else str(cache),
        seconds=60,
        memory=4096,
    )


def _written_entries(root: Path, cache: Path) -> dict[str, int]:
    """The entries of the cache and when they were written."""
    folder = cache / folder_name(str(root.resolve()))
    return {path.name: path.stat().st_mtime_ns for path in folder.iterdir()}


def test_an_unchanged_repository_is_not_read_again(root: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    first = read_repository(_request(root, cache))
    written = _written_entries(root, cache)
    assert read_repository(_request(root, cache)) == first
    assert _written_entries(root, cache) == written
    assert first == read_repository(_request(root, None))


def test_what_others_share_is_part_of_the_question(root: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    for wanted in (WANTED, SharedNames(), SharedNames(models=("Customer",))):
        asked = [
            ReadRequest(
                name="one",
                root=str(root),
                wanted=wanted,
                shared=shared,
                contracts=contracts,
                cache=place,
                seconds=60,
                memory=4096,
            )
            for shared in (True, False)
            for contracts in ((), (str(root / "api" / "openapi.yaml"),))
            for place in (str(cache), False)
        ]
        for kept, read in zip(asked[::2], asked[1::2], strict=True):
            assert read_repository(kept) == read_repository(read)


def test_no_edit_is_missed(root: Path, tmp_path: Path) -> None:
    """Edits files by chance, one after the other, and compares with what nothing is kept of."""
    cache = tmp_path / "cache"
    chance = random.Random(19)
    answers = set()
    for number in range(EDITS):
        said = _edit(root, chance)
        read = read_repository(_request(root, None))
        assert read_repository(_request(root, cache)) == read, f"edit {number}: {said}"
        if number % 3 == 0:  # states of files that are too new are not trusted: let some be old
            _make_old(root)
            rest()
            read_repository(_request(root, cache))
        answers.add(read)
    assert len(answers) > EDITS // 4


def _edit(root: Path, chance: random.Random) -> str:
    """One edit of one file, and what it is."""
    files = sorted(path for path in root.rglob("*") if path.is_file())
    file = chance.choice(files)
    lines = file.read_text().splitlines(keepends=True)
    at = chance.randrange(len(lines) + 1)
    kind = chance.choice(("insert", "blank", "remove", "double", "replace", "copy", "delete"))
    if kind == "insert":
        lines.insert(at, f"{chance.choice(WORDS)}\n")
    elif kind == "blank":
        lines.insert(at, "\n")
    elif kind == "remove":
        del lines[at : at + 1]
    elif kind == "double":
        lines[at:at] = lines[at : at + 3]
    elif kind == "replace":
        before, after = chance.choice(WORDS), chance.choice(WORDS)
        lines = [line.replace(before, after) for line in lines]
    elif kind == "copy":
        file.with_name(f"other{chance.randrange(4)}{file.suffix}").write_text("".join(lines))
        return f"copy {file}"
    elif len(files) > 8:
        file.unlink()
        return f"delete {file}"
    file.write_text("".join(lines))
    return f"{kind} {file}:{at}"
