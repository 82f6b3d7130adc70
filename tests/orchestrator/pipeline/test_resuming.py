"""A build that is killed, interrupted, and resumed."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from contract_scan.orchestrator.config import (
    AGENT_TEAMS_VARIABLE,
    AgentTeamConfig,
    with_values,
)
from contract_scan.orchestrator.pipeline import STAGES, BuildProgress, StageStarted, build
from contract_scan.orchestrator.state import build_resume_context, load_state
from tests.orchestrator.pipeline.shop import QUIET, RULES, Shop

_BUILD = """
import os, sys
from pathlib import Path
from contract_scan.orchestrator.config import AgentTeamConfig, with_values
from contract_scan.orchestrator.pipeline import StageEnded, build
from tests.orchestrator.pipeline.shop import QUIET

prd, folder, last, resume = sys.argv[1:]


def watch(progress):
    if isinstance(progress, StageEnded) and progress.name == last:
        os._exit(9)


config = with_values(AgentTeamConfig(), QUIET)
build(Path(prd), config, project_dir=Path(folder), resume=resume == "yes", observe=watch)
"""

ROOT = Path(__file__).parents[3]
RUN_STAGES = [
    stage.name
    for stage in STAGES
    if stage.name not in ("contracts", "tech_research", "agent_files", "end_to_end", "browser")
]


def run(shop: Shop, *, until: str = "", resume: bool = False) -> int:
    words = [str(shop.prd), str(shop.folder), until, "yes" if resume else "no"]
    done = subprocess.run(
        [sys.executable, "-c", _BUILD, *words], cwd=ROOT, timeout=300, check=False
    )
    return done.returncode


def anonymous(shop: Shop) -> dict[str, Any]:
    """What is left of a build, without times and ids."""
    folder = shop.folder / ".agent-team"
    documents = {
        path.relative_to(folder).as_posix(): path.read_text()
        for path in sorted(folder.rglob("*.md"))
        if "runs" not in path.parts
    }
    state = json.loads((folder / "STATE.json").read_text())
    for name in ("run_id", "started_at", "updated_at", "requirements_path"):
        del state[name]
    text = json.dumps({"state": state, "documents": documents})
    unnamed: dict[str, Any] = json.loads(re.sub(r"pytest-\d+/[\w-]+", "", text))
    return {**unnamed, "code": (shop.folder / "app.py").read_text()}


@pytest.fixture(scope="module")
def uninterrupted(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    with pytest.MonkeyPatch.context() as patch:
        shop = Shop(tmp_path_factory.mktemp("whole"), patch)
        assert run(shop) == 0
        return anonymous(shop)


@pytest.mark.requirement("INT-018", "REQ-063", "TECH-031")
@pytest.mark.parametrize("stage", RUN_STAGES)
def test_a_build_killed_after_any_stage_ends_as_if_it_had_not_been(
    stage: str, uninterrupted: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop = Shop(tmp_path, monkeypatch)
    assert run(shop, until=stage) == 9
    assert run(shop, resume=True) == 0
    assert anonymous(shop) == uninterrupted


def test_work_that_was_done_is_not_done_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop = Shop(tmp_path, monkeypatch)
    assert run(shop, until="milestones") == 9
    before = len(shop.claude.prompts)
    assert run(shop, resume=True) == 0
    after = shop.claude.prompts[before:]
    assert [("CONTRACT-001 app.py" in prompt, "CONTRACT-002" in prompt) for prompt in after] == [
        (True, True),
        (False, True),
    ]


@pytest.mark.requirement("TEST-082", "TEST-083", "INT-017", "INT-018")
def test_an_interrupt_after_the_scans_keeps_the_report_of_contracts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(AGENT_TEAMS_VARIABLE, "1")
    shop = Shop(tmp_path, monkeypatch)
    config = with_values(AgentTeamConfig(), {**QUIET, "agent_teams.enabled": True})

    def interrupt(progress: BuildProgress) -> None:
        if isinstance(progress, StageStarted) and progress.name == "verification":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        build(shop.prd, config, project_dir=shop.folder, observe=interrupt)
    state = load_state(shop.folder / ".agent-team")
    assert state is not None
    assert (state.interrupted, state.agent_teams_active) == (True, True)
    assert state.contract_report is not None
    assert state.contract_report.verified_contract_ids == ["SVC-001", "SVC-002"]
    context = build_resume_context(state)
    assert "## Verified contracts\n\n- `SVC-001`\n- `SVC-002`" in context
    assert "An agent team was active." in context
    resumed = build(shop.prd, config, project_dir=shop.folder, resume=True)
    assert resumed.contract_report == state.contract_report
    assert (resumed.health, resumed.interrupted) == ("passed", False)


@pytest.mark.parametrize("left", ["state", "garbage"])
def test_a_run_that_is_not_resumed_is_kept(
    left: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop = Shop(tmp_path, monkeypatch)
    path = shop.folder / ".agent-team" / "STATE.json"
    path.parent.mkdir()
    kept = '{"run_id": "first", "interrupted": true}' if left == "state" else "{"
    path.write_text(kept)
    shop.build(depth="quick")
    name = "first" if left == "state" else "unknown"
    assert (path.parent / "runs" / name / "STATE.json").read_text() == kept
    assert json.loads(path.read_text())["health"] == "passed"


@pytest.mark.requirement("REQ-062", "INT-017", "WIRE-003")
def test_an_interrupt_ends_the_team_and_saves_the_state(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(AGENT_TEAMS_VARIABLE, "1")
    hanging = {"when": "the milestone `milestone-2`", "fault": "hangs", "times": 1}
    shop = Shop(tmp_path, monkeypatch, hanging, *RULES, team=True, teammates=["alice"])
    configuration = shop.folder / ".agent-team" / "config.yaml"
    configuration.parent.mkdir()
    configuration.write_text("agent_teams: {enabled: true}\n")
    command = [sys.executable, "-m", "contract_scan", "build", str(shop.folder)]
    words = ["--prd", str(shop.prd), "--depth", "quick"]
    process = subprocess.Popen(
        [*command, *words], cwd=ROOT, stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    assert process.stderr is not None
    for line in process.stderr:
        if "milestone-2/code-writer begins" in line:
            break
    os.killpg(process.pid, signal.SIGINT)
    said = process.stderr.read()
    assert process.wait(timeout=120) == 130
    assert "Interrupted; go on with --resume." in said
    state = json.loads(shop.kept("STATE.json"))
    assert state["agent_teams_active"] is True
    assert (state["interrupted"], state["current_stage"]) == (True, "milestones")
    assert state["milestones"] == {"milestone-1": "COMPLETE", "milestone-2": "IN_PROGRESS"}
    told = [m["message"]["content"] for m in shop.claude.messages if m["type"] == "user"]
    assert any("shutdown_request" in text for text in told)
    assert not any(is_running(call["argv"]) for call in shop.claude.calls)

    resumed = subprocess.run(
        [*command, *words, "--resume"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert "milestone-2: COMPLETE" in resumed.stdout
    prompts = sorted(
        (shop.folder / ".agent-team" / "runs").glob("*/milestone-2-code-writer.prompt.md")
    )
    assert "Its teammates are lost" in prompts[-1].read_text()


def is_running(arguments: list[str]) -> bool:
    """Whether any process of the machine was started with just these arguments."""
    wanted = "\0".join(arguments).encode()
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if wanted and wanted in path.read_bytes():
                return True
        except OSError:
            continue
    return False


def test_one_interrupt_is_enough(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shop = Shop(tmp_path, monkeypatch, {"when": "", "fault": "hangs"})
    process = subprocess.Popen(
        [sys.executable, "-m", "contract_scan", "build", "--prd", str(shop.prd), "--plain"],
        cwd=shop.folder,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        start_new_session=True,
    )
    assert process.stderr is not None
    for line in process.stderr:
        if "begins" in line:
            break
    os.killpg(process.pid, signal.SIGINT)
    process.stderr.read()
    assert process.wait(timeout=120) == 130
    assert json.loads(shop.kept("STATE.json"))["interrupted"] is True
