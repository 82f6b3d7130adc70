"""What was printed is said again while all that it rests on is as it was, and only then."""

from __future__ import annotations

import io
import os
import random
import shutil
import subprocess
import tarfile
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import click
import pytest

from contract_scan.cli import check
from contract_scan.cli import output_replay as again
from contract_scan.cli.main import main
from contract_scan.cli.output_replay import question, replay_output
from contract_scan.cli.replay_record import Record, RecordedOutput, decode_record
from contract_scan.parsers.source.dependency_snapshot import DependencySnapshot, Files
from tests.caches import cache_folder, entries, rest
from tests.forked import forked_python

BOOKSHOP = Path(__file__).parents[2] / "fixtures" / "projects" / "bookshop"
CODE = (".cs", ".java", ".py", ".ts")
ORDERS = "services/orders/orders/api/orders.py"
CONTRACT = "services/orders/openapi.yaml"
OLD = 1_700_000_000
JSON = ("--output-format", "json")


class Outcome(NamedTuple):
    status: int | None
    printed: str
    complained: str = ""


class Project:
    """A folder under git, and the command run in it."""

    def __init__(self, root: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.root = root
        self._capsys = capsys

    def run(self, *words: str) -> Outcome:
        # What was written a moment ago is not kept: its time may not tell of the next write.
        if "--no-cache" not in words:
            rest()
        self._capsys.readouterr()
        return Outcome(main(["check", *words]), *self._capsys.readouterr())

    def again(self, *words: str) -> Outcome:
        """What is said again; without a status where nothing is."""
        self._capsys.readouterr()
        asked = question(["check", *words])
        said = None if asked is None else replay_output(asked)
        return Outcome(said, *self._capsys.readouterr())

    def is_right(self, *words: str) -> bool:
        """Whether the command says what it says without a cache, the first time and the next."""
        right = self.run(*words, "--no-cache")
        return self.run(*words) == right and self.run(*words) == right

    def append(self, name: str, text: str) -> None:
        with (self.root / name).open("a", encoding="utf-8", newline="") as opened:
            opened.write(text)

    def sources(self) -> list[str]:
        return sorted(
            path.relative_to(self.root).as_posix()
            for path in (self.root / "services").rglob("*")
            if path.suffix in CODE
        )


NOTHING = Outcome(None, "")


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A service of the bookshop, all of it written long ago."""
    return _written_long_ago(tmp_path_factory.mktemp("original") / "bookshop", {"orders"})


def _written_long_ago(root: Path, services: set[str]) -> Path:
    """These services of the bookshop, under git."""
    others = {path.name for path in (BOOKSHOP / "services").iterdir()} - services
    shutil.copytree(BOOKSHOP, root, ignore=shutil.ignore_patterns(*others))
    subprocess.run(["git", "init", "--quiet", str(root)], check=True)
    for path in root.rglob("*"):
        os.utime(path, (OLD, OLD))
    return root


@pytest.fixture
def project(
    original: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Project:
    root = Path(shutil.copytree(original, tmp_path / "bookshop"))
    monkeypatch.chdir(root)
    return Project(root, capsys)


@pytest.fixture
def two_services(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Project:
    """A project in two languages."""
    root = _written_long_ago(tmp_path / "bookshop", {"orders", "payments"})
    monkeypatch.chdir(root)
    return Project(root, capsys)


@pytest.fixture(scope="module")
def said_of_the_original(original: Path) -> Outcome:
    """What the command says without a cache while nothing was edited."""
    return _said_without_cache(original)


@pytest.fixture(scope="module")
def said_of_another_route(original: Path, tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    """What it says as JSON without a cache where one route has another path."""
    root = Path(shutil.copytree(original, tmp_path_factory.mktemp("other") / "bookshop"))
    file = root / ORDERS
    file.write_bytes(_with_another_route(file.read_bytes()))
    return _said_without_cache(root, *JSON)


def _said_without_cache(root: Path, *words: str) -> Outcome:
    command = [forked_python(), "-m", "contract_scan", "check", "--no-cache", *words]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    return Outcome(done.returncode, done.stdout, done.stderr)


def _with_another_route(content: bytes) -> bytes:
    """The same number of bytes."""
    other = content.replace(b'/cancel"', b'/cancer"')
    assert (len(other), other != content) == (len(content), True)
    return other


@pytest.mark.parametrize("form", ["full", "concise", "json", "sarif"])
def test_what_was_said_is_said_again(project: Project, form: str) -> None:
    words = ("--output-format", form)
    first = project.run(*words)
    assert first == project.run(*words, "--no-cache")
    assert project.again(*words) == first


def test_the_words_are_part_of_the_question(project: Project) -> None:
    project.run()
    assert project.again().status == 1
    for words in (["--exit-zero"], ["--select", "CONTRACT-002"], ["services", "contracts"], ["-q"]):
        assert project.again(*words) == NOTHING
        assert project.is_right(*words)
        assert project.again(*words) == project.run(*words)


def test_every_part_of_a_report_is_its_own(project: Project) -> None:
    concise = ("--output-format", "concise")
    for path in project.sources()[::5]:
        right = project.run(path, *concise, "--no-cache")
        assert project.run(path, *concise) == right
        assert project.again(path, *concise) == right


def test_files_that_nothing_is_said_of_share_what_is_said(project: Project) -> None:
    words = ("--output-format", "json", "--select", "CONTRACT-004")
    findings = project.run(*words).printed
    silent = [path for path in project.sources() if path not in findings]
    said = project.run(silent[0], *words)
    assert len(silent) > 3
    assert [project.again(path, *words) for path in silent] == [said] * len(silent)


@pytest.mark.parametrize("text", ["\n", "\n\n\n", "  \n\t\n", "\r\n"], ids=repr)
def test_blank_lines_at_the_end_of_files_change_nothing(project: Project, text: str) -> None:
    words = ("--output-format", "json", "--ignore", "CONTRACT-001")
    project.run("services/orders/orders/repository.py", *words)
    for path in project.sources():
        if (project.root / path).stat().st_size:  # an empty file ends with no line
            project.append(path, text)
    before = project.run("services/orders/orders/repository.py", *words, "--no-cache")
    assert project.again("services/orders/orders/repository.py", *words) == before


def test_a_file_whose_lines_are_shown_counts_with_every_byte(project: Project) -> None:
    project.run(ORDERS)
    assert ORDERS in project.again(ORDERS).printed
    project.append(ORDERS, "\n")
    assert project.again(ORDERS) == NOTHING


def test_files_that_were_written_again_are_known_by_their_new_time(project: Project) -> None:
    rest()
    said = project.run("--output-format", "json")
    (record,) = entries(project.root, "said")
    for path in project.sources():
        os.utime(project.root / path, (OLD + 60, OLD + 60))
    rest()
    before = record.read_bytes()
    assert project.again("--output-format", "json") == said
    renewed = record.read_bytes()
    assert renewed != before
    assert project.again("--output-format", "json") == said
    assert record.read_bytes() == renewed  # no file was looked at, so there is nothing to note


def _write_in_place(file: Path, content: bytes) -> None:
    file.write_bytes(content)


def _rename_over(file: Path, content: bytes) -> None:
    beside = file.with_name("beside")
    beside.write_bytes(content)
    beside.replace(file)


def _unpack_over(file: Path, content: bytes) -> None:
    state = file.stat()
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as archive:
        member = tarfile.TarInfo(file.name)
        member.size, member.mtime, member.mode = len(content), OLD, state.st_mode
        archive.addfile(member, io.BytesIO(content))
    packed.seek(0)
    with tarfile.open(fileobj=packed) as archive:
        archive.extraction_filter = getattr(tarfile, "data_filter", None)  # since Python 3.11.4
        archive.extractall(file.parent)


@pytest.mark.parametrize("replace", [_write_in_place, _rename_over, _unpack_over])
@pytest.mark.parametrize("settled", [True, False], ids=["later", "at once"])
def test_another_text_of_the_same_size_and_time_is_seen(
    project: Project,
    said_of_another_route: Outcome,
    replace: Callable[[Path, bytes], None],
    settled: bool,
) -> None:
    """As archives with fixed times, `touch -d` and quick editors leave it."""
    if settled:
        rest()
    said = project.run(*JSON)
    file = project.root / ORDERS
    content = file.read_bytes()
    replace(file, _with_another_route(content))
    os.utime(file, (OLD, OLD))
    assert (file.stat().st_size, file.stat().st_mtime) == (len(content), OLD)
    assert project.again(*JSON) == NOTHING
    assert project.run(*JSON) == said_of_another_route != said


def test_another_text_of_the_same_size_and_time_to_the_nanosecond_is_seen(
    project: Project, said_of_another_route: Outcome
) -> None:
    """What tells is the time of the inode, which nobody can set."""
    file, times = project.root / ORDERS, (OLD * 10**9 + 123_456_789,) * 2
    os.utime(file, ns=times)
    rest()
    said = project.run(*JSON)
    file.write_bytes(_with_another_route(file.read_bytes()))
    os.utime(file, ns=times)
    assert project.again(*JSON) == NOTHING
    assert project.run(*JSON) == said_of_another_route != said


def test_a_file_that_is_unpacked_into_a_folder_of_the_same_time_is_seen(project: Project) -> None:
    rest()
    project.run()
    folder = (project.root / ORDERS).parent
    before = folder.stat().st_mtime
    (folder / "late.py").write_text("from fastapi import APIRouter\nrouter = APIRouter()\n")
    os.utime(folder, (before, before))
    assert project.again() == NOTHING
    assert project.is_right()


def test_a_new_time_makes_no_other_part_forgotten(project: Project) -> None:
    said = project.run()
    os.utime(project.root / ORDERS, (OLD + 60, OLD + 60))
    project.run(ORDERS)
    assert project.again() == said


def _write(name: str, text: str) -> Callable[[Project], None]:
    def edit(project: Project) -> None:
        (project.root / name).write_text(text, encoding="utf-8")

    return edit


def _append(name: str, text: str) -> Callable[[Project], None]:
    return lambda project: project.append(name, text)


@pytest.mark.parametrize(
    "edit",
    [
        _append(ORDERS, "\n# the end\n"),
        _append(CONTRACT, "\n"),
        _write("services/orders/orders/api/late.py", "import orders\n"),
        lambda project: (project.root / ORDERS).unlink(),
        _write("contract-scan.toml", 'ignore = ["CONTRACT-002"]\n'),
        _write("pyproject.toml", '[tool.contract-scan]\nselect = ["CONTRACT-002"]\n'),
        _write(".gitignore", "orders.py\n"),
        lambda project: (project.root / ".git").rename(project.root / "git"),
        lambda project: shutil.rmtree(cache_folder(project.root)),
    ],
    ids=[
        "a source file",
        "a contract",
        "a new file",
        "a file that is gone",
        "a configuration",
        "another configuration",
        "what git ignores",
        "no repository any more",
        "no cache any more",
    ],
)
def test_what_may_change_something_is_looked_at(
    project: Project, said_of_the_original: Outcome, edit: Callable[[Project], None]
) -> None:
    project.run()
    assert project.again() == said_of_the_original
    edit(project)
    assert project.again() == NOTHING
    assert project.is_right()


def test_a_variable_is_part_of_the_question(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.run()
    monkeypatch.setenv("CONTRACT_SCAN_IGNORE", "CONTRACT-002")
    assert project.again() == NOTHING
    assert project.is_right()


def test_a_new_schema_in_a_folder_that_is_named_is_seen(project: Project, tmp_path: Path) -> None:
    """The folder lies outside of what git lists."""
    schemas = tmp_path / "schemas"
    shutil.copytree(project.root / "contracts" / "models", schemas)
    words = ("--contract", str(schemas), "--output-format", "json")
    project.run(*words)
    assert project.again(*words) == project.run(*words, "--no-cache")
    (schemas / "late.schema.json").write_text('{"title": "Late", "type": "object"}')
    assert project.again(*words) == NOTHING
    assert project.is_right(*words)


def test_another_contract_behind_the_same_name_is_seen(project: Project, tmp_path: Path) -> None:
    link = tmp_path / "contract.yaml"
    link.symlink_to(project.root / CONTRACT)
    words = ("--contract", str(link))
    project.run(*words)
    assert project.again(*words) == project.run(*words, "--no-cache")
    shutil.copy(project.root / CONTRACT, tmp_path / "other.yaml")
    link.unlink()
    link.symlink_to(tmp_path / "other.yaml")
    assert project.again(*words) == NOTHING


def test_another_configuration_behind_the_same_name_is_seen(project: Project) -> None:
    for name, rule in (("one", "CONTRACT-001"), ("other", "CONTRACT-002")):
        (project.root / f"{name}.toml").write_text(f'ignore = ["{rule}"]\n')
        os.utime(project.root / f"{name}.toml", (OLD, OLD))
    link = project.root / "contract-scan.toml"
    link.symlink_to("one.toml")
    said = project.run()
    assert project.again() == said
    link.unlink()
    link.symlink_to("other.toml")
    assert project.again() == NOTHING
    assert project.is_right()


def test_a_damaged_record_is_none(project: Project) -> None:
    said = project.run()
    (file,) = entries(project.root, "said")
    content = file.read_bytes()
    for damaged in (b"", b"garbage", content[:-1], content[:200] + b"x" + content[201:]):
        file.write_bytes(damaged)
        assert project.again() == NOTHING
    assert project.run() == said
    assert project.again() == said


def test_the_oldest_records_are_forgotten(project: Project) -> None:
    for number in range(1, 16):
        project.run("--jobs", str(number), "--select", "CONTRACT-004")
    assert len(entries(project.root, "said")) == 12


EDITS: list[Callable[[random.Random, str], str]] = [
    lambda chance, text: text + "\n" * chance.randint(1, 3),
    lambda chance, text: text + "# x\n",
    lambda chance, text: text.rstrip() + "\n",
    lambda chance, text: text.rstrip(),
    lambda chance, text: "\n" + text,
    lambda chance, text: _at_line(chance, text, lambda line: ""),
    lambda chance, text: _at_line(chance, text, lambda line: line + line),
    lambda chance, text: _at_line(chance, text, lambda line: line.replace("id", "key")),
    lambda chance, text: _at_line(chance, text, lambda line: line.replace("(", "((", 1)),
    lambda chance, text: _at_line(chance, text, lambda line: line.rstrip("\n") + ' "\n'),
    lambda chance, text: _at_line(chance, text, lambda line: line.rstrip("\n") + " /*\n"),
]


def _at_line(chance: random.Random, text: str, change: Callable[[str], str]) -> str:
    lines = text.splitlines(keepends=True) or [""]
    at = chance.randrange(len(lines))
    return "".join([*lines[:at], change(lines[at]), *lines[at + 1 :]])


def test_no_edit_is_missed(two_services: Project) -> None:
    """Every kind of edit at a random place, one upon the other, of three files at a time: whatever
    was kept of the states before, the command says what it says without a cache."""
    chance = random.Random(0)
    words = ("--output-format", "concise")
    two_services.run(*words)
    edits = chance.sample(EDITS, len(EDITS))
    for start in range(0, len(edits), 3):
        names = [*chance.sample(two_services.sources(), 2), chance.choice((CONTRACT, ORDERS))]
        for name, edit in zip(names, edits[start : start + 3], strict=False):
            file = two_services.root / name
            file.write_text(edit(chance, file.read_text(encoding="utf-8")), encoding="utf-8")
            if chance.random() < 0.5:
                at = OLD + chance.randrange(10_000)
                os.utime(file, (at, at))
        assert two_services.is_right(*words), names
        assert two_services.run(*names, *words) == two_services.run(*names, *words, "--no-cache"), (
            names
        )


def test_options_are_known_as_the_command_knows_them() -> None:
    flags, with_value = set(), set()
    for parameter in check.command.params:
        if isinstance(parameter, click.Option):
            (flags if parameter.is_flag else with_value).update(parameter.opts)
    assert again.FLAGS - flags == set()
    assert again.WITH_VALUE - with_value == set()


@pytest.mark.parametrize(
    "words",
    [
        ["extract"],
        ["orders"],
        ["--fix"],
        ["--staged", "--changed"],
        ["--staged=yes"],
        ["-"],
        ["--", "services"],
        ["--select"],
        ["--quiet=yes"],
        ["--help"],
        ["check", "nowhere.py"],
        ["check", "--no-cache"],
        ["check", "-qe"],
    ],
    ids=" ".join,
)
def test_what_is_not_understood_is_left_to_the_command(project: Project, words: list[str]) -> None:
    assert question(words) is None


def test_a_record_is_read_as_it_was_written() -> None:
    def files(*paths: str, trimmed: bytes = b"") -> Files:
        return Files(
            list(paths), [number for n in range(len(paths)) for number in (n, -n, 7)],
            bytearray(b"d" * 16 * len(paths)), bytearray(trimmed),
        )  # fmt: skip

    standing = DependencySnapshot(
        listing=b"l" * 16,
        sources=files("a.py", "b\udcff.py", trimmed=b"t" * 32),
        others=files("openapi.yaml"),
        absent=["c.py"],
        links=["x", "/y"],
        folders=[],
        submodules=["libs/a"],
        largest=7,
    )
    said = {b"all": RecordedOutput(1, b"text", ["a.py"]), b"\0 \xff": RecordedOutput(0, b"", [])}
    record = Record(
        standing,
        day="2026-01-02",
        mentioned=["a.py", "é"],
        mentions=[0, 1, -1],
        missing=["0", "orders"],
        said=said,
        traces=b"traces",
    )
    read = decode_record(record.to_bytes())
    assert read is not None
    assert read.to_bytes() == record.to_bytes()
    assert (read.standing.sources.states, read.mentions) == ([0, 0, 7, 1, -1, 7], [0, 1, -1])
    assert read.missing == ["0", "orders"]
    assert [*read.said] == [b"all", b"\0 \xff"]
