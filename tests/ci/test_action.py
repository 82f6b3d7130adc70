"""The action for GitHub: what its step does, and that it is safe by the rules of zizmor."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from tests.ci.support import ROOT, make_command, make_repository

BIN = Path(sys.executable).parent
ZIZMOR = shutil.which("zizmor", path=f"{BIN}{os.pathsep}{os.environ.get('PATH', '')}")


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    return make_repository(tmp_path / "checkout")


def step(repository: Path, **inputs: str) -> tuple[int, str, dict[str, str]]:
    """Status, output and outputs of the step, with the environment that a runner gives."""
    outputs = repository.parent / "outputs"
    outputs.write_text("", encoding="utf-8")
    command = make_command(repository.parent / "bin")
    environment = {
        **os.environ,
        "CONTRACT_SCAN": str(command),
        "GITHUB_OUTPUT": str(outputs),
        "RUNNER_TEMP": str(repository.parent),
        "PATHS": ".",
        "SARIF": "contract-scan.sarif",
        **inputs,
    }
    done = subprocess.run(
        ["bash", str(ROOT / ".ci" / "action.sh")],
        cwd=repository,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    given = dict(line.split("=", 1) for line in outputs.read_text("utf-8").splitlines())
    return done.returncode, done.stdout + done.stderr, given


def test_findings_are_annotations_and_a_sarif_report(repository: Path) -> None:
    status, said, given = step(repository)
    assert status == 1
    assert "::error title=contract-scan (CONTRACT-001/type),file=items.py,line=8," in said
    assert given == {"status": "1", "sarif-file": "contract-scan.sarif", "complete": "true"}
    report = json.loads((repository / "contract-scan.sarif").read_text("utf-8"))
    assert [result["ruleId"] for result in report["runs"][0]["results"]] == ["CONTRACT-001/type"]


def test_inputs(repository: Path) -> None:
    assert step(repository, FAIL_ON="never")[0] == 0
    assert step(repository, CHANGED="HEAD")[0] == 0
    assert step(repository, ARGS="--ignore CONTRACT-001")[0] == 0
    status, said, given = step(repository, ARGS="--no-such-option")
    assert (status, given) == (2, {"status": "2"})
    assert "no such option" in said.lower()


def test_what_a_workflow_gives_is_never_shell_text(repository: Path) -> None:
    step(repository, PATHS="$(touch owned) ;touch owned `touch owned`", ARGS="; touch owned")
    step(repository, BASELINE="$(touch owned)", CHANGED="; touch owned", FAIL_ON="$(touch owned)")
    assert not list(repository.rglob("owned"))


def test_every_input_reaches_the_step_as_a_variable() -> None:
    action = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))
    runs = [each["run"] for each in action["runs"]["steps"] if "run" in each]
    assert [run for run in runs if "${{" in run] == []
    used = json.dumps(action["runs"])
    assert [name for name in action["inputs"] if f"inputs.{name} " not in used] == []


def test_other_actions_are_pinned_by_commit() -> None:
    action = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))
    used = [each["uses"] for each in action["runs"]["steps"] if "uses" in each]
    revisions = [each.partition("@")[2] for each in used]
    assert revisions != []
    assert [each for each in revisions if len(each) != 40] == []


@pytest.mark.skipif(ZIZMOR is None, reason="zizmor is not installed")
def test_zizmor_finds_nothing() -> None:
    assert ZIZMOR is not None
    done = subprocess.run(
        [ZIZMOR, "--offline", "--no-progress", "--quiet", str(ROOT / "action.yml")],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_an_incomplete_scan_is_not_uploaded(repository: Path) -> None:
    (repository / "docs").mkdir()
    (repository / "docs" / "openapi.yaml").write_text("openapi: 3.1.0\npaths: [", encoding="utf-8")
    _, _, given = step(repository, FAIL_ON="never")
    assert "complete" not in given
    action = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
    upload = action["runs"]["steps"][-1]
    assert "steps.check.outputs.complete == 'true'" in upload["if"]
