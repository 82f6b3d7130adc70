from __future__ import annotations

import io
import os
import pty
import termios
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from contract_scan.api import scan
from contract_scan.cli import terminal
from contract_scan.cli.terminal import ColorChoice, Progress, columns_of, shows_links, wants_color
from tests.cli.test_check import SOURCE, write_project

VARIABLES = ("NO_COLOR", "FORCE_COLOR", "CLICOLOR_FORCE", "TERM")
LINKING = (
    "DOMTERM",
    "FORCE_HYPERLINK",
    "KITTY_WINDOW_ID",
    "KONSOLE_VERSION",
    "TERM_PROGRAM",
    "VTE_VERSION",
    "WT_SESSION",
)


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("choice", "environment", "on_terminal", "elsewhere"),
    [
        ("auto", {}, True, False),
        ("auto", {"TERM": "dumb"}, False, False),
        ("auto", {"NO_COLOR": "1"}, False, False),
        ("auto", {"NO_COLOR": ""}, True, False),
        ("auto", {"FORCE_COLOR": "1"}, True, True),
        ("auto", {"CLICOLOR_FORCE": "1"}, True, True),
        ("auto", {"CLICOLOR_FORCE": "0"}, True, False),
        ("auto", {"NO_COLOR": "1", "FORCE_COLOR": "1"}, False, False),
        ("always", {"NO_COLOR": "1"}, True, True),
        ("never", {"FORCE_COLOR": "1"}, False, False),
    ],
)
def test_when_to_use_colours(
    monkeypatch: pytest.MonkeyPatch,
    choice: ColorChoice,
    environment: dict[str, str],
    on_terminal: bool,
    elsewhere: bool,
) -> None:
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert wants_color(choice, Terminal()) is on_terminal
    assert wants_color(choice, io.StringIO()) is elsewhere


def drawn(stream: io.StringIO, *, enabled: bool = True) -> str:
    progress = Progress(stream, enabled=enabled, patience=0.0)
    progress("reading", 3, 10)
    progress.clear()
    return stream.getvalue()


def test_progress_is_one_line_wiped_at_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    assert drawn(Terminal()) == "\r\x1b[Kreading 3/10\r\x1b[K"


def test_progress_is_for_terminals_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    assert drawn(io.StringIO()) == ""
    assert drawn(Terminal(), enabled=False) == ""
    monkeypatch.setenv("TERM", "dumb")
    assert drawn(Terminal()) == ""


def test_quick_work_shows_no_progress(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    stream = Terminal()
    progress = Progress(stream, patience=3600.0)
    progress("reading", 1, 2)
    progress.clear()
    assert stream.getvalue() == ""
    assert terminal.PATIENCE > 0


@pytest.mark.parametrize(
    ("environment", "on_terminal", "elsewhere"),
    [
        ({}, False, False),
        ({"TERM_PROGRAM": "vscode"}, True, False),
        ({"TERM": "xterm-kitty"}, True, False),
        ({"VTE_VERSION": "4999"}, False, False),
        ({"VTE_VERSION": "7600"}, True, False),
        ({"WT_SESSION": "1", "NO_COLOR": "1"}, False, False),
        ({"WT_SESSION": "1", "FORCE_HYPERLINK": "0"}, False, False),
        ({"FORCE_HYPERLINK": "1"}, True, True),
    ],
)
def test_when_to_write_links(
    monkeypatch: pytest.MonkeyPatch,
    environment: dict[str, str],
    on_terminal: bool,
    elsewhere: bool,
) -> None:
    for name in (*VARIABLES, *LINKING):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert shows_links("auto", Terminal()) is on_terminal
    assert shows_links("auto", io.StringIO()) is elsewhere


def test_how_wide_a_stream_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    assert columns_of(io.StringIO()) == 80
    monkeypatch.setenv("COLUMNS", "132")
    assert columns_of(io.StringIO()) == 132
    monkeypatch.delenv("COLUMNS")
    ours, theirs = pty.openpty()
    with os.fdopen(theirs, "w", encoding="utf-8") as stream:
        termios.tcsetwinsize(stream, (24, 61))
        assert columns_of(stream) == 61
    os.close(ours)


@pytest.mark.parametrize("workers", [0, 1])
def test_progress_counts_the_files_that_the_report_counts(tmp_path: Path, workers: int) -> None:
    write_project(tmp_path)
    (tmp_path / "src" / "prices.py").write_text("TAX = 0.19\n")
    (tmp_path / "src" / "more.py").write_text(SOURCE)
    told: list[tuple[str, int, int]] = []
    with ThreadPoolExecutor(1) as executor:
        report = scan(
            tmp_path,
            executor=executor if workers else None,
            cache=False,
            progress=lambda stage, done, total: told.append((stage, done, total)),
        )
    assert report.files == 3
    assert {(stage, total) for stage, _, total in told} == {("reading", 3)}
    assert told[-1] == ("reading", 3, 3)
