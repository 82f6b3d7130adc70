"""Files that are named and not read are spoken of."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from contract_scan.cli.main import main
from tests.fixes.projects import java, write

SOURCE = java('String id, @JsonProperty("unitPrice") double price')


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    subprocess.run(["git", "init", "--quiet"], cwd=tmp_path, check=True)
    write(tmp_path, "App.java", SOURCE)
    for name in (
        "left/Out.java",
        "src/test/AppTest.java",
        "old/Old.java",
        "src/_archive/Cart.java",
        "node_modules/x/y.js",
    ):
        (tmp_path / name).parent.mkdir(parents=True)
        (tmp_path / name).write_text("class X {}\n")
    (tmp_path / "app.rb").write_text("class X end\n")
    (tmp_path / ".gitignore").write_text("left/\n")
    (tmp_path / "contract-scan.toml").write_text('exclude = ["old/"]\n')
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("file", "why"),
    [
        ("left/Out.java", "git ignores it"),
        ("old/Old.java", "it is excluded"),
        ("src/test/AppTest.java", "it is test code"),
        ("src/_archive/Cart.java", "it is archived, by the name of its folder"),
        ("node_modules/x/y.js", "code in this folder is never read"),
        ("app.rb", "no language that is read has this suffix"),
    ],
)
def test_the_reason_is_named(
    project: Path, capsys: pytest.CaptureFixture[str], file: str, why: str
) -> None:
    assert main(["check", "--no-cache", file]) == 0
    assert capsys.readouterr().err == f"{file}: not read: {why}\n"
    assert main(["check", "--no-cache", "--quiet", file]) == 0
    assert capsys.readouterr() == ("", "")


def test_archived_code_that_other_code_mentions_is_read(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "App.java").write_text("class App {} // with shop._archive.Cart\n")
    assert main(["check", "--no-cache", "src/_archive/Cart.java"]) == 2  # and it verifies nothing
    assert capsys.readouterr().err == ""


def test_what_is_read_is_not_spoken_of(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "--no-cache", "App.java", "openapi.json", "src"]) == 0
    assert capsys.readouterr().err == ""
