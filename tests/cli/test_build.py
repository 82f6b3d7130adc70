"""`contract-scan build` on the command line."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from contract_scan.cli.main import main
from contract_scan.orchestrator.config import AGENT_TEAMS_VARIABLE
from tests.orchestrator.pipeline.shop import CLEAN, LIST, RIGHT, RULES, Shop


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Shop:
    monkeypatch.delenv(AGENT_TEAMS_VARIABLE, raising=False)
    monkeypatch.chdir(tmp_path)
    return Shop(tmp_path, monkeypatch, *RULES)


def configured(shop: Shop, text: str) -> None:
    path = shop.folder / ".agent-team" / "config.yaml"
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)


@pytest.mark.requirement("REQ-085")
def test_a_plain_build(shop: Shop, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["build", "shop", "--prd", "PRD.md", "--plain"]) == 0
    out, err = capsys.readouterr()
    said = out.splitlines()
    assert said[0].startswith("Run ")
    assert said[0].endswith(" of PRD.md: passed")
    assert "  milestone-1: COMPLETE" in said
    assert "  Requirements: 2 of 2" in said
    assert "[1/15] Read the requirements" in err
    assert "  milestone-1/code-writer begins" in err
    assert main(["build", "shop", "--status"]) == 0
    assert capsys.readouterr().out == out


def test_what_is_left_is_told_by_the_exit_status(
    shop: Shop, capsys: pytest.CaptureFixture[str]
) -> None:
    configured(
        shop,
        "depth: quick\ncontract_scans: {missing_endpoint_scan: true}\n"
        "quality_scans: {api_contract: false}\nconvergence: {max_fix_rounds: 0}\n",
    )
    assert main(["build", "shop", "--prd", "PRD.md"]) == 1
    out = capsys.readouterr().out
    assert "  Contracts: 1 of 2 verified, 0 violated, 1 not implemented\n" in out
    assert "  contract_missing_endpoint: 1 finding left\n" in out


@pytest.mark.parametrize(
    ("settings", "status", "health"),
    [
        ("convergence: {min_convergence_ratio: 0.5}", 0, "passed"),
        ("convergence: {min_convergence_ratio: 0.6}", 1, "partial"),
        ("convergence: {min_convergence_ratio: 1}", 1, "partial"),
        ("verification: {enabled: false}", 1, "unknown"),
    ],
)
def test_the_exit_status_says_whether_the_build_has_passed(
    settings: str,
    status: int,
    health: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    shop = Shop(tmp_path, monkeypatch, CLEAN[0], {**CLEAN[1], "writes": {"app.py": RIGHT + LIST}})
    configured(shop, f"depth: quick\n{settings}\n")
    assert main(["build", "shop", "--prd", "PRD.md"]) == status
    said = capsys.readouterr().out.splitlines()
    assert said[0].endswith(f" of PRD.md: {health}")
    assert "  Requirements: 1 of 2" in said


def test_nothing_is_done_in_a_dry_run(shop: Shop, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["build", "shop", "--prd", "PRD.md", "--dry-run", "--depth", "quick"]) == 0
    out = capsys.readouterr().out
    assert "run   milestones: Build milestones\n" in out
    assert "skip  contracts: Load the contracts\n" in out
    assert "Loops of fixes: api_contract\n" in out
    assert "Wave 1: milestone-1\nWave 2: milestone-2\n" in out
    assert "\ndepth: quick\n" in out
    assert (shop.claude.calls, [*shop.folder.iterdir()]) == ([], [])


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "name the requirements with --prd FILE"),
        (["--prd", "gone.md"], "gone.md: cannot be read: No such file or directory"),
        (["--prd", "shop"], "shop: cannot be read: Is a directory"),
        (
            ["--prd", "PRD.md", "--build-config", "gone.yaml"],
            "gone.yaml: cannot be read: No such file or directory",
        ),
        (
            ["--prd", "PRD.md", "--depth", "deep"],
            "Invalid value for '--depth': 'deep' is not one of 'quick', 'standard', 'thorough',"
            " 'exhaustive'; did you mean",
        ),
        (["--prd", "PRD.md", "--resume"], "shop: there is no run to resume; leave out --resume"),
        (["--status"], "shop/.agent-team: there is no run"),
    ],
)
def test_what_cannot_be_done_is_said_in_one_line(
    words: list[str], message: str, shop: Shop, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["build", "shop", *words]) == 2
    err = capsys.readouterr().err
    assert err.startswith(f"contract-scan: {message.partition(';')[0]}")
    assert err.count("\n") == 1


def test_a_configuration_that_is_wrong(shop: Shop, capsys: pytest.CaptureFixture[str]) -> None:
    configured(shop, "depth: quick\nagent_teams:\n  enabld: true\n")
    assert main(["build", "shop", "--prd", "PRD.md"]) == 2
    assert capsys.readouterr().err == (
        "contract-scan: shop/.agent-team/config.yaml:3: unknown key `agent_teams.enabld`;"
        " did you mean `agent_teams.enabled`?\n"
    )


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("agent: {command: ./evil}\n", "agent.command"),
        ("agent: {permission_mode: bypassPermissions}\n", "agent.permission_mode"),
        ("mcp_servers: {docs: {command: ./evil}}\n", "mcp_servers"),
        ("contract_engine: {mcp_command: ./evil}\n", "contract_engine.mcp_command"),
        ("architect: {mcp_args: [-c, evil]}\n", "architect.mcp_args"),
    ],
)
def test_a_project_does_not_decide_what_is_started(
    text: str, key: str, shop: Shop, capsys: pytest.CaptureFixture[str]
) -> None:
    configured(shop, text)
    assert main(["build", "shop", "--prd", "PRD.md"]) == 2
    assert capsys.readouterr().err == (
        f"contract-scan: shop/.agent-team/config.yaml:1: `{key}` is taken only from a file that is"
        " named with --build-config\n"
    )
    named = "shop/.agent-team/config.yaml"
    words = ["build", "shop", "--prd", "PRD.md", "--build-config", named, "--dry-run"]
    assert main(words) == 0


def test_a_state_that_is_none_is_not_touched(
    shop: Shop, capsys: pytest.CaptureFixture[str]
) -> None:
    state = shop.folder / ".agent-team" / "STATE.json"
    state.parent.mkdir()
    state.write_text("{")
    assert main(["build", "shop", "--prd", "PRD.md", "--resume"]) == 2
    assert "is not the state of a run (Input data was truncated)" in capsys.readouterr().err
    assert state.read_text() == "{"


def test_a_folder_of_the_builder_that_cannot_be_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop = Shop(tmp_path, monkeypatch, *RULES)
    (shop.folder / ".agent-team").write_text("a file in the place of the folder")
    done = subprocess.run(
        [sys.executable, "-m", "contract_scan", "build", "--prd", str(shop.prd), "--plain"],
        cwd=shop.folder,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 2
    last = done.stderr.splitlines()[-1]
    assert last == "contract-scan: .agent-team: cannot be used: File exists"
