"""`check --watch`: the real process, while files change around it."""

from __future__ import annotations

import json
import os
import pty
import re
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from contract_scan.cli.watch import CLEAR
from tests.cli.test_check import CONTRACT, DRIFT, SOURCE, write_project
from tests.forked import forked_python

ROOT = Path(__file__).parents[2]
WAITING = "Watching for changes (Ctrl-C to stop).\n"
CLEAN = "No violation in 1 file; 1 of 1 operation verified.\n"
EXCEPTED = "No other violation in 1 file; 0 of 1 operation verified.\n"
WRONG_TYPE = (
    "src/app.py:9:12: CONTRACT-001/type [error] "
    "`GET /orders/{id}` response 200: `total` is a string, expected a number\n"
)


class Watching:
    """A watching process."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process

    def said(self) -> str:
        """What it prints up to when it waits again, but for the line that tells what changed, which
        `changed` keeps."""
        assert self.process.stdout is not None
        text = ""
        self.changed = ""
        while not text.endswith(WAITING):
            line = self.process.stdout.readline()
            assert line, f"it ended, saying {text!r}"
            if re.match(r"\[\d\d:\d\d:\d\d\] ", line):
                self.changed = line.partition("] ")[2]
            else:
                text += line
        return text.removesuffix(WAITING)

    def interrupted(self) -> int:
        """Its exit status after Ctrl-C."""
        self.process.send_signal(signal.SIGINT)
        return self.process.wait(60)


@contextmanager
def watching(folder: Path, *words: str, stdout: int = subprocess.PIPE) -> Iterator[Watching]:
    process = subprocess.Popen(
        [forked_python(), "-m", "contract_scan", "check", "--watch", "--no-cache", *words],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT), "COLUMNS": "80"},
        stdin=subprocess.DEVNULL,
        stdout=stdout,
        stderr=subprocess.STDOUT if stdout == subprocess.PIPE else subprocess.PIPE,
        text=True,
        bufsize=1,
    )
    try:
        yield Watching(process)
    finally:
        process.kill()
        process.wait()
        for stream in (process.stdout, process.stderr):
            if stream is not None:
                stream.close()


def test_every_change_of_code_or_contract_is_checked(tmp_path: Path) -> None:
    write_project(tmp_path)
    app, contract = tmp_path / "src" / "app.py", tmp_path / "openapi.json"
    with watching(tmp_path, "--output-format", "concise") as process:
        assert process.said().endswith(CLEAN)
        app.write_text(DRIFT)
        assert process.said().startswith(WRONG_TYPE)
        assert process.changed == f"Changed: {Path('src', 'app.py')}.\n"
        text = contract.read_text()
        contract.write_text(text.replace('"number"', '"string"'))
        assert process.said().endswith(CLEAN)
        contract.write_text(text)
        assert process.said().startswith(WRONG_TYPE)
        (tmp_path / "notes.png").write_bytes(b"\x89")
        app.write_text(SOURCE)
        assert process.said().endswith(CLEAN)
        assert process.interrupted() == 130


def test_what_can_be_mended_does_not_end_it(tmp_path: Path) -> None:
    write_project(tmp_path, DRIFT)
    configuration, app = tmp_path / "contract-scan.toml", tmp_path / "src" / "app.py"
    with watching(tmp_path, "--output-format", "concise") as process:
        assert process.said().startswith(WRONG_TYPE)
        configuration.write_text("ignroe = ['CONTRACT-001']\n")
        assert process.said() == (
            "contract-scan: contract-scan.toml:1: unknown key `ignroe`; did you mean `ignore`?\n"
        )
        configuration.write_text("ignore = ['CONTRACT-001']\n")
        assert process.said().endswith(EXCEPTED)
        app.unlink()
        assert "no source file" in process.said()
        app.write_text(SOURCE)
        assert process.said().endswith(CLEAN)
        assert process.interrupted() == 130


def test_what_it_writes_itself_starts_no_check(tmp_path: Path) -> None:
    write_project(tmp_path, DRIFT)
    app, out = tmp_path / "src" / "app.py", tmp_path / "out.json"
    formats = ("--output-format", "concise", "--output-format", "json=out.json")
    with watching(tmp_path, *formats) as process:
        assert process.said().startswith(WRONG_TYPE)
        written = out.stat().st_mtime_ns
        app.write_text(SOURCE)
        # Had its own report started a check, drift would be told once more before this.
        assert process.said().endswith(CLEAN)
        assert out.stat().st_mtime_ns > written


def test_a_contract_from_elsewhere_is_watched(tmp_path: Path) -> None:
    write_project(tmp_path / "shop")
    contract = tmp_path / "contracts" / "shop.json"
    contract.parent.mkdir()
    (tmp_path / "shop" / "openapi.json").unlink()
    contract.write_text(json.dumps(CONTRACT))
    with watching(tmp_path / "shop", "--contract", "../contracts/shop.json") as process:
        assert process.said().endswith(CLEAN)
        contract.write_text(json.dumps(CONTRACT).replace('"number"', '"boolean"'))
        assert process.said().startswith("CONTRACT-001/type [error]")


def test_a_terminal_is_cleared_and_a_pipe_is_not(tmp_path: Path) -> None:
    write_project(tmp_path)
    with watching(tmp_path) as process:
        assert CLEAR not in process.said()
    ours, theirs = pty.openpty()
    try:
        with watching(tmp_path, stdout=theirs) as process:
            assert process.process.stderr is not None
            assert process.process.stderr.readline() == WAITING
            assert os.read(ours, len(CLEAR)).decode() == CLEAR
            assert process.interrupted() == 130
    finally:
        os.close(ours)
        os.close(theirs)


def test_it_starts_only_where_it_could_check(tmp_path: Path) -> None:
    with watching(tmp_path, "gone") as process:
        assert process.process.stdout is not None
        assert process.process.stdout.read() == "contract-scan: gone: no such file or folder\n"
        assert process.process.wait(60) == 2
