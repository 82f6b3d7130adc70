"""Revisions of an enemy's repository: `contract-scan diff git:REF:PATH` writes nothing outside of a
folder of its own, takes no revision for an option, and names what it could not read."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from contract_scan.cli.main import main

CONTRACT = b'openapi: 3.0.3\ninfo: {title: t, version: "1"}\npaths: {}\n'
FILE, FOLDER, LINK = b"100644", b"40000", b"120000"
NOTHING = "No change in 1 contract: git:{0}:. -> git:plain:x.yaml\n"
Entry = tuple[bytes, bytes, str]
"""Mode, name and object of an entry of a tree."""

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="names that Windows does not take")


class Repository:
    """A repository whose trees are written byte by byte, as git itself would not write them."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.git("init", "--quiet")
        self.contract = self.blob(CONTRACT)
        self.commit("plain", [(FILE, b"x.yaml", self.contract)])

    def git(self, *words: str, given: bytes = b"") -> str:
        """What git prints."""
        identity = ("-c", "user.name=a", "-c", "user.email=a@example.org")
        done = subprocess.run(
            ["git", *identity, *words], input=given, cwd=self.root, capture_output=True, check=True
        )
        return done.stdout.decode().strip()

    def blob(self, content: bytes) -> str:
        """The object with a content."""
        return self.git("hash-object", "-w", "--stdin", given=content)

    def tree(self, entries: Sequence[Entry]) -> str:
        """The object with entries, whatever these are."""
        raw = b"".join(b"%b %b\0" % entry[:2] + bytes.fromhex(entry[2]) for entry in entries)
        words = ("hash-object", "-t", "tree", "-w", "--literally", "--stdin")
        return self.git(*words, given=raw)

    def commit(self, branch: str, entries: Sequence[Entry]) -> None:
        """A branch whose only commit has a tree."""
        commit = self.git("commit-tree", "-m", "x", self.tree(entries))
        self.git("update-ref", f"refs/heads/{branch}", commit)


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repository:
    """An empty repository, which is the working directory; beside it, nothing."""
    root = tmp_path / "inner" / "repository"
    root.mkdir(parents=True)
    monkeypatch.chdir(root)
    return Repository(root)


def told(branch: str, capsys: pytest.CaptureFixture[str], path: str = ".") -> tuple[int, str]:
    """The exit status of a comparison with the plain revision, and all that it prints."""
    capsys.readouterr()
    status = main(["diff", f"git:{branch}:{path}", "git:plain:x.yaml"])
    said = capsys.readouterr()
    return status, said.out + said.err


@pytest.mark.parametrize(
    "name",
    [
        *(b"../../pwned.yaml", b"/pwned.yaml", b"a/../../../../pwned.yaml", b".git/pwned.yaml"),
        b"..\\pwned.yaml",
    ],
)
def test_a_tree_writes_nothing_outside(
    name: bytes, repository: Repository, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    name = name.replace(b"/pwned", bytes(tmp_path) + b"/pwned", 1) if name[:1] == b"/" else name
    entries = [(FILE, name, repository.contract), (FILE, b"x.yaml", repository.contract)]
    repository.commit("enemy", entries)
    status, said = told("enemy", capsys)
    assert status == 2
    assert "leads out of the repository, or into what belongs to git" in said
    assert not list(tmp_path.rglob("pwned.yaml"))


@pytest.mark.parametrize("branch", ["-x", "--output=pwned", "--exec=touch", "--upload-pack=x"])
def test_a_revision_is_no_option(
    branch: str, repository: Repository, capsys: pytest.CaptureFixture[str]
) -> None:
    repository.commit(branch, [(FILE, b"x.yaml", repository.contract)])
    assert told(branch, capsys) == (0, NOTHING.format(branch))
    assert sorted(path.name for path in repository.root.iterdir()) == [".git"]


@pytest.mark.parametrize(
    ("names", "reason"),
    [
        ([(FILE, b"a.yaml"), (FOLDER, b"a.yaml")], "cannot be laid out as a file: File exists"),
        ([(FOLDER, b"a.yaml"), (FILE, b"a.yaml")], "cannot be laid out as a file: Is a directory"),
        ([(FILE, b"a" * 300 + b".yaml")], "cannot be laid out as a file: File name too long"),
    ],
    ids=["twice", "twice, folder first", "long"],
)
def test_a_tree_that_no_file_system_takes_is_named(
    names: list[tuple[bytes, bytes]],
    reason: str,
    repository: Repository,
    capsys: pytest.CaptureFixture[str],
) -> None:
    inner = repository.tree([(FILE, b"b.yaml", repository.contract)])
    objects = {FILE: repository.contract, FOLDER: inner}
    repository.commit("enemy", [(mode, name, objects[mode]) for mode, name in names])
    status, said = told("enemy", capsys)
    assert (status, said.count("\n")) == (2, 1)
    assert said.endswith(f": {reason}\n")


def test_what_a_revision_does_not_hold_is_named(
    repository: Repository, capsys: pytest.CaptureFixture[str]
) -> None:
    """Objects of a partial clone are not fetched, and links are not followed."""
    link = repository.blob(b"/etc/passwd")
    gone = "1" * 40
    entries = [(FILE, b"a.yaml", gone), (LINK, b"b.yaml", link)]
    repository.commit("enemy", [*entries, (FILE, b"x.yaml", repository.contract)])
    status, said = told("enemy", capsys)
    assert status == 2
    missing = "its content is missing in this repository, or is no file"
    assert f"enemy:a.yaml: {missing}" in said
    assert "enemy:b.yaml: is a link, which is not followed in a revision" in said
    assert told("enemy", capsys, "a.yaml") == (2, f"contract-scan: enemy:a.yaml: {missing}\n")


def test_names_of_a_revision_act_on_no_terminal(
    repository: Repository, capsys: pytest.CaptureFixture[str]
) -> None:
    name = b"\x1b[31m\n::error::x\xff\xe2\x80\xae.yaml"
    repository.commit("enemy", [(FILE, name, "1" * 40), (FILE, b"x.yaml", repository.contract)])
    status, said = told("enemy", capsys)
    assert status == 2
    assert "\\x1b[31m" in said
    assert not {"\x1b", "\u202e"} & set(said)
    assert not [line for line in said.splitlines() if line.startswith("::")]
