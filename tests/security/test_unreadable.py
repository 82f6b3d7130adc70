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
