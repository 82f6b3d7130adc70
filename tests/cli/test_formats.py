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


def test_pylint_azure_and_rdjson(capsys: pytest.CaptureFixture[str]) -> None:
    assert printed(capsys, "pylint").startswith(f"src/app.py:9: [CONTRACT-001/type] {MESSAGE}")
    assert printed(capsys, "azure").startswith(
        "##vso[task.logissue type=error;sourcepath=shop/src/app.py;linenumber=9;columnnumber=12;"
        f"code=CONTRACT-001/type;]{MESSAGE}"
    )
    (diagnostic,) = json.loads(printed(capsys, "rdjson"))["diagnostics"]
    assert diagnostic["location"]["path"] == "shop/src/app.py"


def test_statistics_are_counted_where_there_is_a_place_for_them(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    command = ["check", "--no-cache", "--quiet", "--statistics", "--output-format"]
    for people in ("full", "concise", "grouped"):
        assert main([*command, people]) == 1
        assert capsys.readouterr().out == "1 in 1  CONTRACT-001/type\n\n"
    assert main([*command, "json"]) == 1
    counted = json.loads(capsys.readouterr().out)["statistics"]
    assert counted == [{"name": "CONTRACT-001/type", "problems": 1, "places": 1}]
    assert main([*command, "sarif"]) == 2
    assert capsys.readouterr().err == (
        "contract-scan: --statistics counts in concise, full, grouped, json; `sarif` has no place"
        " for it\n"
    )
    assert main([*command, "concise", "--output-format", f"sarif={tmp_path / 's'}"]) == 1
