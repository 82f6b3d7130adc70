"""Every output format through the whole command, on one small project with drift."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

from contract_scan.cli.main import main
from tests.cli.test_check import DRIFT, SOURCE, write_project

MESSAGE = "`GET /orders/{id}` "


@pytest.fixture(autouse=True)
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The drift stands in the part `shop` of a repository."""
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)
    write_project(tmp_path / "repository" / "shop", DRIFT)
    (tmp_path / "repository" / "shop" / ".git").rename(tmp_path / "repository" / ".git")
    monkeypatch.chdir(tmp_path / "repository" / "shop")
    return tmp_path / "repository" / "shop"


def printed(capsys: pytest.CaptureFixture[str], name: str, status: int = 1) -> str:
    assert main(["check", "--no-cache", "--quiet", "--output-format", name]) == status
    out, err = capsys.readouterr()
    assert err == ""
    return out


def test_grouped(capsys: pytest.CaptureFixture[str]) -> None:
    path, finding, end = printed(capsys, "grouped").splitlines()
    assert (path, end) == ("src/app.py", "")
    assert finding.startswith(f"  9:12  CONTRACT-001/type [error] {MESSAGE}")


def test_github_with_the_page_of_the_step(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    page = tmp_path / "summary.md"
    page.write_text("before\n")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(page))
    (line,) = printed(capsys, "github").splitlines()
    assert line.startswith(
        "::error title=contract-scan (CONTRACT-001/type),file=shop/src/app.py,line=9,col=12,"
    )
    assert page.read_text() == "before\n" + printed(capsys, "markdown")


def test_a_page_that_cannot_be_written_is_named(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path))
    assert main(["check", "--no-cache", "--output-format", "github"]) == 2
    assert capsys.readouterr().err == (
        f"contract-scan: {tmp_path}: cannot be written ($GITHUB_STEP_SUMMARY): Is a directory\n"
    )


def test_gitlab(capsys: pytest.CaptureFixture[str]) -> None:
    (entry,) = json.loads(printed(capsys, "gitlab"))
    assert entry["location"] == {"path": "shop/src/app.py", "lines": {"begin": 9}}
    assert entry["fingerprint"].startswith("p1:")


def test_junit(capsys: pytest.CaptureFixture[str], shop: Path) -> None:
    root = ElementTree.fromstring(printed(capsys, "junit"))
    assert [suite.get("name") for suite in root] == ["shop/src/app.py"]
    (shop / "src" / "app.py").write_text(SOURCE)
    root = ElementTree.fromstring(printed(capsys, "junit", 0))
    assert (root.get("tests"), root.get("failures")) == ("1", "0")


def test_markdown(capsys: pytest.CaptureFixture[str]) -> None:
    out = printed(capsys, "markdown")
    assert out.startswith("<!-- contract-scan -->\n## contract-scan: 1 problem (1 error)\n")
    assert f"\n- **CONTRACT-001/type** error, `shop/src/app.py:9`: {MESSAGE}" in out
