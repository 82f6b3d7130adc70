"""Comments that except findings, through the whole command and in every language."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.cli.test_check import CONTRACT, DRIFT, UNDOCUMENTED, checked, write_project

TYPESCRIPT = """\
import express from "express";
const app = express();
app.get("/orders/:id", (req, res) => { res.json({ id: req.params.id, total: 1.5 }); });
// contract-scan: ignore[CONTRACT-002] for the load balancer
app.get("/health", (req, res) => { res.json({}); });
"""
CSHARP = """\
using Microsoft.AspNetCore.Mvc;

[ApiController]
public class HealthController : ControllerBase
{
    [HttpGet("/health")] // contract-scan: ignore[CONTRACT-002] for the load balancer
    public string Health() => "ok";
}
"""
JAVA = """\
package shop;

import org.springframework.web.bind.annotation.*;

@RestController
class HealthController {
  /* contract-scan: ignore[CONTRACT-002] for the load balancer */
  @GetMapping("/health")
  String health() { return "ok"; }
}
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def found(report: dict[str, Any]) -> list[tuple[str, str, int]]:
    return [(each["kind"], each["path"], each["line"]) for each in report["findings"]]


def test_python(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    comment = "  # contract-scan: ignore[CONTRACT-001] clients read both"
    write_project(project, DRIFT.replace("total: str", f"total: str{comment}"))
    status, report = checked(capsys)
    assert (status, found(report), report["summary"]["ignored"]) == (0, [], 1)
    assert report["summary"]["violated"] == 1


@pytest.mark.parametrize("line", ['@app.get("/health")', "def health() -> None:"])
def test_any_line_of_a_declaration_takes_the_comment(
    project: Path, capsys: pytest.CaptureFixture[str], line: str
) -> None:
    comment = "  # contract-scan: ignore[CONTRACT-002] for the load balancer"
    write_project(project, UNDOCUMENTED)
    assert [kind for kind, _, _ in found(checked(capsys)[1])] == ["undocumented-endpoint"]
    (project / "src" / "app.py").write_text(UNDOCUMENTED.replace(line, line + comment))
    _, report = checked(capsys)
    assert (found(report), report["summary"]["ignored"]) == ([], 1)


@pytest.mark.parametrize(
    ("name", "source"),
    [("server.js", TYPESCRIPT), ("Health.cs", CSHARP), ("HealthController.java", JAVA)],
)
def test_other_languages(
    project: Path, capsys: pytest.CaptureFixture[str], name: str, source: str
) -> None:
    write_project(project)
    (project / "src" / name).write_text(source.replace("contract-scan: ignore", "was: ignore"))
    assert [kind for kind, _, _ in found(checked(capsys)[1])] == ["undocumented-endpoint"]
    (project / "src" / name).write_text(source)
    _, report = checked(capsys)
    assert (found(report), report["summary"]["ignored"]) == ([], 1)


def test_in_a_yaml_contract(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_project(project, DRIFT)
    (project / "openapi.json").unlink()
    text = yaml.safe_dump(CONTRACT)
    (project / "openapi.yaml").write_text(
        text.replace("total:\n", "total: # contract-scan: ignore[CONTRACT-001] until May\n")
    )
    status, report = checked(capsys)
    assert (status, found(report), report["summary"]["ignored"]) == (0, [], 1)


def test_what_is_idle_or_misspelt_is_a_warning(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    comment = "  # contract-scan: ignore[CONTRACT-002, CONTRACT-01]"
    write_project(project, DRIFT.replace("id: str\n", f"id: str{comment}\n", 1))
    for options in ([], ["--isolated"]):
        status, report = checked(capsys, *options, "--ignore", "CONTRACT-001")
        assert status == 0
        assert sorted(found(report)) == [
            ("invalid-ignore", "src/app.py", 8),
            ("unused-ignore", "src/app.py", 8),
        ]
    assert checked(capsys, "--select", "CONTRACT-000", "--fail-on", "warning")[0] == 1
    assert found(checked(capsys, "--ignore", "CONTRACT-000,CONTRACT-001")[1]) == []


def test_cold_and_cached_scans_obey_alike(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from contract_scan.cli.main import main

    comment = "  # contract-scan: ignore[CONTRACT-001]"
    write_project(project, DRIFT.replace("total: str", f"total: str{comment}"))
    seen = set()
    for _ in range(2):
        assert main(["check", "--output-format", "concise"]) == 0
        seen.add(capsys.readouterr().out)
    (said,) = seen
    assert said.endswith(
        "1 more finding ignored by comments.\nNo other violation in 1 file; "
        "0 of 1 operation verified.\n"
    )
