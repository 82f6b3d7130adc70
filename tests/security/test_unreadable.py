"""What cannot be read is named, and the scan is not complete: exit status 2."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.cli.test_changed import git, items, project
from tests.security.unprivileged import run

__all__ = ["project"]


@pytest.fixture(params=["in a repository", "without git"])
def clean(project: Path, request: pytest.FixtureRequest) -> Iterator[Path]:
    """A folder without any drift."""
    (project / "items.py").write_text(items(), encoding="utf-8")
    (project / "more").mkdir()
    (project / "more" / "more.py").write_text("x = 1\n", encoding="utf-8")
    if request.param == "without git":
        shutil.rmtree(project / ".git")
    yield project
    for path in (project / "more", project / "openapi.yaml", project / "orders.py"):
        if path.exists():
            path.chmod(0o755)


def scanned(folder: Path, *words: str) -> tuple[int, list[tuple[str, str]]]:
    """The exit status, and what was not analysed with the reasons."""
    done = run(folder, "check", "--output-format", "json", *words)
    report: dict[str, Any] = json.loads(done.stdout)
    return done.returncode, [(each["path"], each["reason"]) for each in report["not_analysed"]]


def test_all_can_be_read(clean: Path) -> None:
    assert scanned(clean) == (0, [])


def test_a_folder(clean: Path) -> None:
    (clean / "more").chmod(0)
    found = (2, [("more", "cannot be read: Permission denied; what lies below it is not known")])
    assert scanned(clean) == found
    assert scanned(clean) == found
    (clean / "more").chmod(0o755)
    assert scanned(clean) == (0, [])


def test_a_folder_that_only_a_link_leads_to(clean: Path) -> None:
    (clean / ".gitignore").write_text("more/\n", encoding="utf-8")
    (clean / "linked").symlink_to("more")
    assert scanned(clean) == (0, [])
    (clean / "more").chmod(0)
    found = scanned(clean)
    (clean / "more").chmod(0o755)
    said = "cannot be read: Permission denied; what lies below it is not known, and may hold"
    assert found == (2, [("linked", f"{said} a route or event")])


def test_a_folder_whose_files_git_tracks(project: Path) -> None:
    (project / "items.py").write_text(items(), encoding="utf-8")
    (project / "more").mkdir()
    (project / "more" / "more.py").write_text("x = 1\n", encoding="utf-8")
    git(project, "add", "--all")
    git(project, "commit", "--quiet", "--message=More")
    (project / "more").chmod(0)
    try:
        status, named = scanned(project)
    finally:
        (project / "more").chmod(0o755)
    assert (status, named[-1]) == (2, ("more/more.py", "cannot be read: Permission denied"))


def test_a_source(clean: Path) -> None:
    (clean / "orders.py").chmod(0)
    status, named = scanned(clean, "--no-cache")
    assert (status, [path for path, _ in named]) == (2, ["orders.py"])
    assert "cannot be read" in named[0][1]


def test_permission_that_is_given_is_seen(clean: Path) -> None:
    (clean / "orders.py").chmod(0)
    assert scanned(clean)[0] == 2
    (clean / "orders.py").chmod(0o644)
    assert scanned(clean) == (0, [])


def test_permission_that_a_folder_gives_is_seen(clean: Path) -> None:
    (clean / "more").chmod(0o444)  # what is in it is listed, and can neither be read nor told
    status, named = scanned(clean)
    assert (status, named[-1]) == (2, ("more/more.py", "cannot be read: Permission denied"))
    (clean / "more").chmod(0o755)
    assert scanned(clean) == (0, [])


SETTINGS = {
    "pyproject.toml": "[project]\nname = 'shop'\n",
    "tsconfig.json": "{}",
    "package.json": "{}",
    "pom.xml": "<project/>",
    "build.gradle": "",
    "Shop.csproj": "<Project/>",
    "Directory.Build.props": "<Project/>",
}
"""Files that say how code is to be read."""
READ = {
    "app.ts": "import express from 'express';\nimport { a } from '@/a';\n"
    "const app = express();\napp.get('/b', (req, res) => { res.json({ a }); });\n",
    "App.java": "import org.springframework.web.bind.annotation.*;\n@RestController class App {\n"
    '  @GetMapping("/c") String get() { return ""; }\n}\n',
    "App.cs": "using Microsoft.AspNetCore.Mvc;\n"
    "[ApiController] public class App : ControllerBase {\n"
    '  [HttpGet("/d")] public string Get() => "";\n}\nvar app = WebApplication.Create(args);\n'
    'app.MapGet("/e", () => 1);\n',
}
"""Code that is read by them."""


@pytest.mark.parametrize("where", ["", "../"])
def test_settings_and_build_files(where: str, project: Path) -> None:
    (project / "items.py").write_text(items(), encoding="utf-8")
    root = project
    if where:
        (project / "shop").mkdir()
        for name in ("items.py", "orders.py", "app.py", "openapi.yaml"):
            (project / name).rename(project / "shop" / name)
        root = project / "shop"
    for name, text in READ.items():
        (root / name).write_text(text, encoding="utf-8")
    for name, text in SETTINGS.items():
        (project / name).write_text(text, encoding="utf-8")
    status, named = scanned(root)
    assert named == []
    for name in SETTINGS:
        (project / name).chmod(0)
    status, named = scanned(root)
    asked = {*SETTINGS} - ({"pyproject.toml"} if where else set())  # others decide nothing here
    assert named == [
        (f"{where}{name}", "cannot be read: Permission denied") for name in sorted(asked)
    ]
    assert status == 2
    for name in SETTINGS:
        (project / name).chmod(0o644)
    assert scanned(root)[1] == []


@pytest.mark.parametrize("with_git", [True, False])
def test_folders_around_the_root(with_git: bool, project: Path) -> None:
    """Those in which build files are looked for, and what else of the program lies in them."""
    root = project / "services" / "shop"
    root.mkdir(parents=True)
    (project / "items.py").write_text(items(), encoding="utf-8")
    for name in ("items.py", "orders.py", "app.py", "openapi.yaml"):
        (project / name).rename(root / name)
    (project / "pyproject.toml").write_text(SETTINGS["pyproject.toml"], encoding="utf-8")
    (project / "shared").mkdir()
    (project / "shared" / "more.py").write_text("x = 1\n", encoding="utf-8")
    if not with_git:
        shutil.rmtree(project / ".git")
    assert scanned(root) == (0, [])
    reason = "cannot be read: Permission denied; what lies below it is not known"
    (project / "shared").chmod(0)
    found = scanned(root)
    (project / "shared").chmod(0o755)
    assert found == (2, [("../../shared", reason)])
    (project / "services").chmod(0o311)  # may be gone through
    found = scanned(root)
    (project / "services").chmod(0o755)
    assert found == (2, [("..", reason)])
    assert scanned(root) == (0, [])
    (project / "pyproject.toml").unlink()  # the build may be anywhere in the repository
    (project / "services").chmod(0o311)
    found = scanned(root)
    (project / "services").chmod(0o755)
    assert found == ((2, [("..", reason)]) if with_git else (0, []))


def test_folders_around_a_repository_are_not_looked_at(project: Path) -> None:
    (project / "items.py").write_text(items(), encoding="utf-8")
    was = project.parent.stat().st_mode
    project.parent.chmod(0o311)
    try:
        assert scanned(project) == (0, [])
        shutil.rmtree(project / ".git")
        assert scanned(project) == (0, [])
    finally:
        project.parent.chmod(was)


def test_what_git_ignores(clean: Path) -> None:
    (clean / ".gitignore").write_text("more/\n", encoding="utf-8")
    assert scanned(clean) == (0, [])
    (clean / ".gitignore").chmod(0)
    reason = "cannot be read: Permission denied; what it leaves out is not known"
    assert scanned(clean) == (2, [(".gitignore", reason)])
    (clean / ".gitignore").chmod(0o644)
    assert scanned(clean) == (0, [])


@pytest.mark.parametrize("mode", [0, 0o444])
def test_a_folder_of_schemas(
    mode: int, clean: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    schemas = tmp_path_factory.mktemp("schemas")
    schema = '{"$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object"}'
    (schemas / "shared").mkdir()
    (schemas / "Nobody.json").write_text(schema, encoding="utf-8")
    (schemas / "shared" / "None.json").write_text(schema, encoding="utf-8")
    words = ("--contract", str(schemas), "--contract", "openapi.yaml")
    assert scanned(clean, *words) == (0, [])
    (schemas / "shared").chmod(mode)
    status, named = scanned(clean, *words)
    (schemas / "shared").chmod(0o755)
    lost = ("shared/None.json", "") if mode else ("shared", "; what lies below it is not known")
    assert [(Path(path).name, reason) for path, reason in named] == [
        (Path(lost[0]).name, f"cannot be read: Permission denied{lost[1]}")
    ]
    assert (status, scanned(clean, *words)) == (2, (0, []))


def test_a_contract_in_a_folder_that_cannot_be_entered(clean: Path) -> None:
    (clean / "more" / "openapi.yaml").write_text("openapi: 3.1.0\n", encoding="utf-8")
    (clean / "more").chmod(0)
    done = run(clean, "check", "--contract", "more/openapi.yaml")
    said = "contract-scan: more/openapi.yaml: cannot be read: Permission denied\n"
    assert (done.returncode, done.stdout, done.stderr) == (2, "", said)


def test_a_contract_that_was_found(clean: Path) -> None:
    (clean / "openapi.yaml").chmod(0)
    assert scanned(clean) == (2, [("openapi.yaml", "cannot be read: Permission denied")])


def test_the_report_of_an_incomplete_scan_says_so(clean: Path) -> None:
    (clean / "openapi.yaml").chmod(0)
    done = run(clean, "check", "--output-format", "sarif")
    assert done.returncode == 2
    (sarif,) = json.loads(done.stdout)["runs"]
    assert sarif["results"] == []
    (invocation,) = sarif["invocations"]
    assert invocation["executionSuccessful"] is False
    (notification,) = invocation["toolExecutionNotifications"]
    assert notification["message"]["text"] == "cannot be read: Permission denied"
    assert notification["level"] == "error"


MACHINE = ("sarif", "json", "json-lines", "junit", "gitlab", "github", "markdown", "html")


@pytest.fixture
def failing(clean: Path) -> Path:
    """The folder, with contracts that cannot be read in three ways."""
    (clean / "openapi.yaml").chmod(0)
    (clean / "broken.yaml").write_text("openapi: 3.1.0\npaths: [", encoding="utf-8")
    for name in MACHINE:
        (clean / f"{name}.report").write_text("of an earlier run", encoding="utf-8")
    return clean


@pytest.mark.parametrize(
    ("contract", "said"),
    [
        ("openapi.yaml", "cannot be read: Permission denied"),
        ("broken.yaml", "YAML"),
        ("missing.yaml", "no such contract"),
    ],
)
def test_a_contract_that_was_named_gives_reports_that_say_so(
    failing: Path, contract: str, said: str
) -> None:
    outputs = [f"--output-format={name}={name}.report" for name in MACHINE]
    done = run(failing, "check", "--contract", contract, *outputs)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    texts = {name: (failing / f"{name}.report").read_text("utf-8") for name in MACHINE}
    assert [name for name, text in texts.items() if contract not in text or said not in text] == []
    (sarif,) = json.loads(texts["sarif"])["runs"]
    assert (sarif["results"], sarif["invocations"][0]["executionSuccessful"]) == ([], False)
    (problem,) = json.loads(texts["json"])["not_analysed"]
    assert problem["path"] == contract
    on_output = run(failing, "check", "--contract", contract, "--output-format=sarif")
    assert (on_output.returncode, on_output.stdout) == (2, texts["sarif"])
    assert run(failing, "check", "--contract", contract).stdout == ""


def test_files_that_were_read_in_part_make_no_complete_report(project: Path) -> None:
    (project / "items.py").write_text(items() + "def broken(:\n", encoding="utf-8")
    done = run(project, "check", "--output-format", "sarif")
    ((_, reason),) = scanned(project)[1]
    assert (done.returncode, "cannot be parsed here" in reason) == (2, True), reason
    (invocation,) = json.loads(done.stdout)["runs"][0]["invocations"]
    assert invocation["executionSuccessful"] is False
