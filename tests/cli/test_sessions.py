"""The command `scope`, as people and agents call it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from contract_scan.cli.sessions import main
from tests.sessions.project import Project, make_project


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Project]:
    monkeypatch.setenv("SCOPE_NO_TMUX", "1")
    for made in make_project(tmp_path / "shop", monkeypatch):
        monkeypatch.chdir(made.folder)
        yield made


def test_one_session_from_start_to_end(
    project: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["spawn", "sleep 600", "--agent", "fake", "--type", "review"]) == 0
    assert main(["wait", "0", "--timeout", "0"]) == 1
    assert main(["abort", "0"]) == 0
    assert main(["abort", "0"]) == 0
    assert main(["wait", "0"]) == 1
    assert main(["poll", "0"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("0\n{")
    polled = json.loads(out[out.rindex("\n{") :])
    assert polled == {
        "id": "0",
        "status": "aborted",
        "activity": None,
        "result": None,
        "reason": "aborted on request",
        "contract": None,
    }


def test_the_list_as_json(project: Project, capsys: pytest.CaptureFixture[str]) -> None:
    main(["spawn", "fail 1", "--agent", "fake", "--id", "a"])
    main(["wait", "a"])
    main(["spawn", "say it", "--agent", "fake", "--id", "b", "--after", "a"])
    main(["wait", "b"])
    capsys.readouterr()
    assert main(["list", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["sessions"]
    assert [(one["id"], one["status"], one["after"], one["agent"]) for one in found] == [
        ("a", "aborted", [], "fake"),
        ("b", "aborted", ["a"], "fake"),
    ]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["spawn"], "say what is to be done, in one argument"),
        (["spawn", "x", "--id", "../x"], "'../x' cannot be the id of a session"),
        (["spawn", "x", "--after", "a b"], "'a b' cannot be the id of a session"),
        (["spawn", "x", "--type", "cook"], "'cook' is not one of"),
        (["spawn", "x", "--agent", "none"], "there is no agent 'none'; there are claude-code,"),
        (["spawn", "x", "--input", "gone.py"], "gone.py: is not there, so it cannot be an input"),
        (["spawn", "x", "--input", "a\nb"], "the input 'a\\nb' is no path of one line"),
        (["spawn", "x", "--interactive"], "a session to talk to needs a terminal: install tmux"),
        (["spawn", "x", "--scope", "a"], "--scope names a contract of a file: add --contract FILE"),
        (["poll", "0"], "there are no sessions here yet; `scope spawn` starts one"),
        (["wait", "0"], "there are no sessions here yet"),
        ([], "the interface needs a terminal; `scope list` prints the sessions"),
    ],
)
def test_what_cannot_be_done_is_one_line(
    project: Project, capsys: pytest.CaptureFixture[str], words: list[str], message: str
) -> None:
    assert main(words) == 1
    out, error = capsys.readouterr()
    assert (out, error.count("\n")) == ("", 1)
    assert error.startswith(f"scope: {message}") or message in error
    assert not (project.store.folder / "sessions").exists()
