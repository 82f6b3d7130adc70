"""`python -m bench.accuracy.get DIR`: fetch the repositories of the pinned pairs with git.

Each lands in `DIR/owner+name`, as plain files of the pinned commit without history. Files above
`--limit` megabytes are left out, since no contract and no source is as large, and so is what a
mirror does not have. A repository that is already there at its commit is left alone. `--from` names
another place to fetch from, such as `/mirrors/{repository}` or `https://host/{repository}.git`.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from bench.accuracy.run import pinned

ORIGIN = "https://github.com/{repository}.git"
STAMP = ".commit"
"""File in a fetched folder that names its commit."""


class GetError(Exception):
    """A repository could not be fetched."""


class Blob(NamedTuple):
    """One file of a commit."""

    digest: str
    path: str


def repositories() -> dict[str, str]:
    """Repository -> commit, of all pairs and their contracts."""
    return {
        item[word]: item[commit]
        for item in pinned()
        for word, commit in (
            ("repository", "commit"),
            ("contract_repository", "contract_commit"),
        )
    }


def fetch(repository: str, commit: str, folder: Path, origin: str, limit: int) -> int:
    """Write the files of a commit below a folder; gives the number of files that were left out.

    Raises GetError where git cannot fetch the commit.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        git = Path(scratch)
        _git(git, "init", "--quiet", "--bare")
        url = origin.format(repository=repository)
        try:
            _git(git, "fetch", "--quiet", "--depth=1", f"--filter=blob:limit={limit}", url, commit)
        except GetError:
            # Not every server filters.
            _git(git, "fetch", "--quiet", "--depth=1", url, commit)
        listed = list(_files(git, commit))
        lacking = _lacking(git, commit)
        there = [blob for blob in listed if blob.digest not in lacking]
        left_out = len(listed) - len(there) + _write(git, there, folder)
    (folder / STAMP).write_text(commit + "\n")
    return left_out


def _git(folder: Path, *arguments: str) -> bytes:
    environment = {**os.environ, "GIT_NO_LAZY_FETCH": "1", "GIT_TERMINAL_PROMPT": "0"}
    try:
        made = subprocess.run(
            ["git", "-C", str(folder), *arguments],
            capture_output=True,
            env=environment,
            check=False,
        )
    except OSError as error:
        raise GetError(f"git cannot be run: {error}") from None
    if made.returncode:
        said = made.stderr.decode(errors="replace").strip().splitlines()
        raise GetError(said[-1] if said else f"git {arguments[0]} failed")
    return made.stdout


def _files(git: Path, commit: str) -> Iterator[Blob]:
    """The plain files of a commit. Links and submodules are none."""
    for entry in _git(git, "ls-tree", "-r", "-z", commit).split(b"\0"):
        head, _, path = entry.partition(b"\t")
        mode, _, rest = head.partition(b" ")
        if mode in (b"100644", b"100755"):
            yield Blob(rest.split()[1].decode(), os.fsdecode(path))


def _lacking(git: Path, commit: str) -> set[str]:
    """The objects of a commit that were not fetched."""
    told = _git(git, "rev-list", "--objects", "--missing=print", "--no-walk", commit)
    return {line[1:] for line in told.decode(errors="replace").splitlines() if line[:1] == "?"}


def _write(git: Path, listed: list[Blob], folder: Path) -> int:
    """Write blob after blob, so that one that is missing does not lose the others."""
    asked = git / "asked"
    asked.write_text("".join(f"{blob.digest}\n" for blob in listed))
    left_out = 0
    command = ["git", "-C", str(git), "cat-file", "--batch"]
    with (
        asked.open("rb") as names,
        subprocess.Popen(
            command,
            stdin=names,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "GIT_NO_LAZY_FETCH": "1"},
        ) as told,
    ):
        assert told.stdout is not None
        for blob in listed:
            words = told.stdout.readline().split()
            if len(words) != 3:
                left_out += 1
                continue
            content = told.stdout.read(int(words[2]))
            told.stdout.read(1)
            target = folder / blob.path
            if not target.resolve().is_relative_to(folder.resolve()):
                raise GetError(f"{blob.path}: leads out of the folder")
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)
    return left_out


def main() -> int:
    """Fetch what is not there; exit status 1 where something could not be fetched."""
    parser = argparse.ArgumentParser(prog="python -m bench.accuracy.get", description=__doc__)
    parser.add_argument("folder", type=Path, metavar="DIR")
    parser.add_argument("--from", dest="origin", default=ORIGIN, metavar="URL")
    parser.add_argument("--limit", type=int, default=5, metavar="MB", help="largest file")
    options = parser.parse_args()
    status = 0
    for repository, commit in repositories().items():
        folder = options.folder / repository.replace("/", "+")
        stamp = folder / STAMP
        if stamp.is_file() and stamp.read_text().strip() == commit:
            print(f"{repository}: is there")
            continue
        try:
            left_out = fetch(
                repository, commit, folder, options.origin, options.limit * 1024 * 1024
            )
        except (GetError, OSError) as error:
            print(f"{repository}: {error}", file=sys.stderr)
            status = 1
            continue
        print(f"{repository}: fetched" + (f", {left_out} files left out" if left_out else ""))
    return status


if __name__ == "__main__":
    sys.exit(main())
