"""`check -`, `--stdin-filename` and `--files-from`: what an editor or a hook hands over."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from tests.fixes.projects import SCHEMA, contract, java, write
from tests.forked import forked_python

ROOT = Path(__file__).parents[2]
WRONG = java('String id, @JsonProperty("unit_price") double price')
RIGHT = WRONG.replace("unit_price", "unitPrice")
FINDING = (
    "App.java:6:60: CONTRACT-001/name-case [error] "
    "`GET /orders/{id}` response 200 has `unit_price` instead of `unitPrice`\n"
)
SUMMARY = """\
              total  verified  violated  missing  undetermined
operations        1         {}         {}        0             0
"""
ELSEWHERE = (
    "\n1 more finding outside of what was asked for.\n"
    "No other violation in 2 files; 0 of 1 operation verified.\n"
)
OTHER = "package shop;\n\nclass Other {}\n"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """On disk all is well."""
    write(tmp_path, "App.java", RIGHT)
    (tmp_path / "Other.java").write_text(OTHER)
    return tmp_path


def check(
    folder: Path, *options: str, given: str | bytes = b""
) -> subprocess.CompletedProcess[bytes]:
    """Run the real command with something on its standard input."""
    return subprocess.run(
        [forked_python(), "-m", "contract_scan", "check", "--isolated", *options],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        input=given.encode() if isinstance(given, str) else given,
        capture_output=True,
        check=False,
        timeout=300,
    )


def contents(folder: Path) -> dict[str, bytes]:
    return {p.name: p.read_bytes() for p in folder.iterdir() if p.is_file()}


@pytest.mark.parametrize("paths", [("-",), ()])
def test_a_text_takes_the_place_of_a_source_file(project: Path, paths: tuple[str, ...]) -> None:
    before = contents(project)
    done = check(
        project,
        *paths,
        *("--stdin-filename", "App.java", "--output-format", "concise"),
        given=WRONG,
    )
    assert (done.returncode, done.stderr) == (1, b"")
    assert done.stdout.decode().startswith(FINDING)
    assert contents(project) == before
    assert check(project, "--output-format", "concise").returncode == 0


def test_a_text_takes_the_place_of_a_contract(project: Path) -> None:
    schema = {**SCHEMA, "properties": {**SCHEMA["properties"], "id": {"type": "integer"}}}
    done = check(
        project,
        *("-", "--stdin-filename", "openapi.json", "--output-format", "json"),
        given=json.dumps(contract(schema)),
    )
    assert done.returncode == 1
    (finding,) = json.loads(done.stdout)["findings"]
    keys = ("kind", "expected", "found", "path", "line", "column")
    assert [finding[key] for key in keys] == ["type", "integer", "string", "App.java", 6, 21]


def test_frames_show_the_text_that_was_handed_over(project: Path) -> None:
    done = check(project, "-", "--stdin-filename", "App.java", given=f"// moved\n\n{WRONG}")
    assert b"  --> App.java:8:60\n" in done.stdout
    assert (
        b'8 | record Order(String id, @JsonProperty("unit_price") double price) {}' in done.stdout
    )


def test_only_what_concerns_the_file_is_told(project: Path) -> None:
    (project / "App.java").write_text(WRONG)
    done = check(
        project, "-", "--stdin-filename", "Other.java", "--output-format", "concise", given=OTHER
    )
    assert done.returncode == 0
    assert done.stdout.decode() == SUMMARY.format(0, 1) + ELSEWHERE


def test_a_file_that_was_never_written(project: Path) -> None:
    (project / "App.java").unlink()
    options = ("-", "--stdin-filename", "App.java", "--output-format", "concise")
    done = check(project, *options, given=WRONG)
    assert done.stdout.decode().startswith(FINDING)
    assert not (project / "App.java").exists()


def test_a_text_does_not_stay(project: Path) -> None:
    """What is kept of files from run to run is of files that are there."""
    for _ in range(2):
        assert check(project, "-", "--stdin-filename", "App.java", given=WRONG).returncode == 1
        assert check(project).returncode == 0
        assert check(project, "-", "--stdin-filename", "App.java", given=RIGHT).returncode == 0


def test_fix_prints_the_text_as_mended(project: Path) -> None:
    before = contents(project)
    text = WRONG.replace("\n", "\r\n")
    done = check(
        project,
        *("-", "--stdin-filename", "App.java", "--fix", "--output-format", "concise"),
        given=text,
    )
    assert done.stdout.decode() == RIGHT.replace("\n", "\r\n")
    assert done.returncode == 0
    assert done.stderr.decode() == "Fixed 1 finding in 1 file.\n" + SUMMARY.format(1, 0) + (
        "\nNo violation in 2 files; 1 of 1 operation verified.\n"
    )
    assert contents(project) == before


def test_fix_prints_what_needs_no_mending_as_it_is(project: Path) -> None:
    raw = b"\xef\xbb\xbf" + RIGHT.encode() + b"// \xc3\xa9, without an end"
    done = check(project, "-", "--stdin-filename", "App.java", "--fix", "-q", given=raw)
    assert (done.returncode, done.stdout, done.stderr) == (0, raw, b"")


def test_fix_mends_no_other_file(project: Path) -> None:
    (project / "App.java").write_text(WRONG)
    before = contents(project)
    given = json.dumps(contract(), indent=1)
    options = ("-", "--stdin-filename", "openapi.json", "--fix", "--unsafe-fixes", "-q")
    done = check(project, *options, given=given)
    assert (done.returncode, done.stdout) == (1, given.encode())
    assert contents(project) == before


def test_diff_is_of_the_text(project: Path) -> None:
    done = check(project, "-", "--stdin-filename", "App.java", "--diff", given=WRONG)
    assert done.returncode == 1
    assert done.stdout.decode().splitlines()[:2] == ["--- a/App.java", "+++ b/App.java"]
    assert [line for line in done.stdout.decode().splitlines() if line[:1] in "+-"][2:] == [
        '-record Order(String id, @JsonProperty("unit_price") double price) {}',
        '+record Order(String id, @JsonProperty("unitPrice") double price) {}',
    ]
    assert done.stderr == b"Would fix 1 finding in 1 file.\n"


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("-",), "`-` reads one file: say which with --stdin-filename PATH"),
        (
            ("-", "App.java", "--stdin-filename", "App.java"),
            "standard input is checked alone, without further paths",
        ),
        (
            ("-", "--stdin-filename", "App.java", "--staged"),
            "standard input is checked alone, without a choice of files",
        ),
        (("-", "--stdin-filename", "."), ".: is a folder; --stdin-filename names one file"),
        (("-", "--stdin-filename", "no/App.java"), "no: no such folder"),
        (
            ("--watch", "--stdin-filename", "App.java"),
            "--watch reads nothing from standard input",
        ),
        (("--files-from", "no.txt"), "no.txt: cannot be read: No such file or directory"),
    ],
)
def test_what_makes_no_sense_is_refused(project: Path, options: tuple[str, ...], said: str) -> None:
    done = check(project, *options, given=WRONG)
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.decode() == f"contract-scan: {said}\n"


def test_a_text_beyond_the_limits_is_refused(project: Path) -> None:
    limits = ("limits.source-bytes = 1000", "limits.contract-bytes = 1000")
    options = ("--config", limits[0], "--config", limits[1], "--stdin-filename", "App.java")
    done = check(project, *options, given=b" " * 1001)
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr == b"contract-scan: standard input is larger than 1000 bytes\n"


@pytest.mark.parametrize(
    "listed", ["App.java\nOther.java\n", "App.java\r\n", "Other.java\0App.java\0"]
)
def test_files_from_a_list(project: Path, listed: str) -> None:
    (project / "App.java").write_text(WRONG)
    options = ("--files-from", "-", "--output-format", "concise")
    done = check(project, *options, given=listed)
    assert (done.returncode, done.stderr) == (1, b"")
    assert done.stdout.decode().startswith(FINDING)


@pytest.mark.parametrize("listed", ["Other.java\n", "", "\n"])
def test_a_list_limits_the_report(project: Path, listed: str) -> None:
    (project / "App.java").write_text(WRONG)
    (project / "list").write_text(listed)
    done = check(project, "--files-from", "list")
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.decode().endswith(ELSEWHERE)


def test_a_path_of_a_list_that_does_not_exist(project: Path) -> None:
    done = check(project, "--files-from", "-", given="App.java\nGone.java\n")
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr == b"contract-scan: standard input:2: no such file or folder: Gone.java\n"
    done = check(project, "--files-from", "-", given=b"\xff\n")
    assert done.stderr == (
        b"contract-scan: standard input: the list of files is not written in UTF-8\n"
    )


def test_a_text_in_a_language_that_is_not_read_is_spoken_of(project: Path) -> None:
    done = check(project, "-", "--stdin-filename", "new.rb", given="class X end")
    assert done.stderr == b"new.rb: not read: no language that is read has this suffix\n"
    assert done.returncode == 0
