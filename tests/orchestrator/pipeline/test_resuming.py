"""A build that is killed, interrupted, and resumed."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

import pytest

from contract_scan.orchestrator.config import (
    AGENT_TEAMS_VARIABLE,
    AgentTeamConfig,
    with_values,
)
from contract_scan.orchestrator.execution import TaskStarted
from contract_scan.orchestrator.pipeline import BuildProgress, StageStarted, build, stages_of
from contract_scan.orchestrator.state import RunState, build_resume_context, load_state
from tests.orchestrator.pipeline.killing import (
    KILLED,
    boundary,
    killed_at,
    remains,
    run_until_killed,
    run_with_little_room,
)
from tests.orchestrator.pipeline.scripted_servers import TESTED, with_scripts
from tests.orchestrator.pipeline.shop import BARE, CLEAN, QUIET, RULES, Shop, configured
from tests.processes import is_running

ROOT = Path(__file__).parents[3]
PASSED: Final = json.dumps({"passed": 2, "total": 2, "findings": []})
TESTS_PASS: Final = {
    "when": "tests of the project that are missing",
    "text": f"All.\n```json\n{PASSED}\n```",
    "cost": 0,
}
"""End-to-end and browser tests."""

RESEARCHED: Final = {
    "when": "Research the libraries",
    "writes": {".agent-team/TECH_RESEARCH.md": "FastAPI has lifespans.\n"},
}


def with_every_stage(folder: Path) -> dict[str, object]:
    """Settings with which all stages do something, and a warning is noted: the version of the agent
    has no teams."""
    return with_scripts(
        folder,
        **{
            "agent_teams.enabled": True,
            "tech_research.enabled": True,
            "e2e_testing.enabled": True,
            "browser_testing.enabled": True,
        },
    )


@dataclass(frozen=True)
class Way:
    """One way to build the shop."""

    settings: Callable[[Path], Mapping[str, object]]
    """By the folder of the shop and of its servers."""
    rules: tuple[dict[str, Any], ...] = ()
    scenario: Mapping[str, Any] = field(default_factory=dict)
    notes: int = 0
    """How many it has at its end."""

    def shop(self, folder: Path, patch: pytest.MonkeyPatch) -> Shop:
        patch.setenv(AGENT_TEAMS_VARIABLE, "1")
        return Shop(folder, patch, *self.rules, *RULES, **self.scenario)


WAYS: Final = {
    "with every stage, after a warning": Way(
        with_every_stage,
        (TESTED, TESTS_PASS, RESEARCHED),
        {"version": "2.1.150"},
        notes=1,
    ),
    "with a team, scanning what changed": Way(
        lambda _: {
            "depth": "standard",
            "agent_teams.enabled": True,
            "scan_scope_mode": "changed",
        }
    ),
}


@dataclass(frozen=True)
class Whole:
    """A build that nothing disturbed."""

    way: Way
    shop: Shop
    state: RunState


@pytest.fixture(scope="module", params=WAYS.values(), ids=WAYS)
def whole(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Whole]:
    """One for each way."""
    way: Way = request.param
    with pytest.MonkeyPatch.context() as patch:
        shop = way.shop(tmp_path_factory.mktemp("whole"), patch)
        yield Whole(way, shop, shop.build(**way.settings(shop.folder.parent)))


def worked(shop: Shop) -> list[str]:
    """The prompts of work, less those for tests: a look that was under way is taken again."""
    return [prompt for prompt in shop.claude.prompts if not re.search(TESTS_PASS["when"], prompt)]


def boundaries(shop: Shop) -> list[str]:
    return [*dict.fromkeys(name for seen in shop.seen if (name := boundary(seen)))]


@pytest.mark.requirement("INT-018", "REQ-063", "TECH-031")
def test_a_build_killed_at_every_boundary_ends_as_if_it_had_not_been(
    whole: Whole, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    undisturbed = whole.shop
    assert (whole.state.health, len(whole.state.notes)) == ("passed", whole.way.notes)
    shop = whole.way.shop(tmp_path, monkeypatch)
    settings = dict(whole.way.settings(tmp_path))
    while run_until_killed(shop, settings, resume=bool(killed_at(shop))) == KILLED:
        pass
    assert killed_at(shop) == boundaries(undisturbed)
    enabled = {f"after {stage.name}" for stage, on in stages_of(configured(settings)) if on}
    assert enabled < {*killed_at(shop)}
    assert remains(shop) == remains(undisturbed)
    assert len(worked(shop)) == len(worked(undisturbed))  # no work was done twice


@pytest.mark.requirement("INT-017", "INT-018")
def test_a_build_interrupted_at_every_boundary_ends_as_if_it_had_not_been(
    whole: Whole, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    undisturbed = whole.shop
    shop = whole.way.shop(tmp_path, monkeypatch)
    settings = whole.way.settings(tmp_path)
    left = boundaries(undisturbed)

    def interrupt(progress: BuildProgress) -> None:
        if left and boundary(progress) == left[0]:
            left.pop(0)
            signal.raise_signal(signal.SIGINT)

    def go_on(*, resume: bool) -> RunState:
        config = configured(settings)
        return build(shop.prd, config, project_dir=shop.folder, resume=resume, observe=interrupt)

    while left:
        with pytest.raises(KeyboardInterrupt):
            go_on(resume=len(left) < len(boundaries(undisturbed)))
        state = load_state(shop.folder / ".agent-team")
        assert state is not None
        assert state.interrupted
    assert not go_on(resume=True).interrupted
    left_over, expected = remains(shop), remains(undisturbed)
    # What a lead had cost before it was interrupted has been spent.
    assert left_over["state"].pop("total_cost") >= expected["state"].pop("total_cost")
    assert left_over == expected


@pytest.mark.parametrize(
    ("maps_code", "message"),
    [
        (True, "/code-index.db: cannot be used: disk I/O error"),
        (False, "/milestone-1-code-writer.prompt.md: cannot be written: File too large"),
    ],
)
def test_a_disk_that_is_full_ends_the_build_which_goes_on_when_there_is_room(
    maps_code: bool, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop = Shop(tmp_path, monkeypatch)
    settings = {"codebase_map.enabled": maps_code}
    said = run_with_little_room(shop, settings, 1500)
    assert said.startswith("/")
    assert said.endswith(message)
    assert shop.build(resume=True, **settings).health == "passed"


@pytest.mark.requirement("TEST-082", "TEST-083", "INT-017", "INT-018", "WIRE-003A")
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


@pytest.mark.requirement("INT-018")
def test_a_milestone_that_failed_is_built_again_when_the_run_is_resumed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fails_once = {"when": "code reviewer.*`milestone-1`", "fault": "error", "times": 1}
    shop = Shop(tmp_path, monkeypatch, fails_once, *RULES)
    first = shop.build(depth="standard")
    assert first.milestones == {"milestone-1": "FAILED", "milestone-2": "PENDING"}
    assert first.health == "partial"
    resumed = shop.build(depth="standard", resume=True)
    assert resumed.milestones == {"milestone-1": "COMPLETE", "milestone-2": "COMPLETE"}
    assert (resumed.health, resumed.failed_tasks) == ("passed", [])
    assert resumed.contract_report is not None
    assert resumed.contract_report.verified_contract_ids == ["SVC-001", "SVC-002"]
    written = [
        re.search("code writer.*?the milestone `(.*?)`", it, re.DOTALL)
        for it in shop.claude.prompts
    ]
    assert [found[1] for found in written if found] == ["milestone-1", "milestone-2"]
    prompt = next(prompt for prompt in shop.claude.prompts if "Resumed run" in prompt)
    assert "Milestones of the run failed, and are built again." in prompt
    again = shop.build(depth="standard", resume=True)  # nothing is left to do
    assert replace(again, updated_at=resumed.updated_at) == resumed


@pytest.mark.requirement("INT-017", "INT-018")
@pytest.mark.parametrize("team", [False, True], ids=["one by one", "team"])
def test_what_was_completed_before_an_interrupt_amid_a_wave_is_kept(
    team: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(AGENT_TEAMS_VARIABLE, "1")
    # A lead has asked for the rule of a worker before it says that it has started it.
    hangs = {"when": "code reviewer.*`milestone-1`", "fault": "hangs", "times": int(team)}
    shop = Shop(tmp_path, monkeypatch, hangs, *CLEAN)
    config = configured({**BARE, "depth": "standard", "agent_teams.enabled": team})

    def interrupt(progress: BuildProgress) -> None:
        if isinstance(progress, TaskStarted) and progress.task_id == "milestone-1/code-reviewer":
            signal.raise_signal(signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        build(shop.prd, config, project_dir=shop.folder, observe=interrupt)
    state = load_state(shop.folder / ".agent-team")
    assert state is not None
    assert state.completed_tasks == ["milestone-1/code-writer"]
    assert "app.py" in state.written_files
    resumed = build(shop.prd, config, project_dir=shop.folder, resume=True)
    assert (resumed.health, resumed.completed_tasks.count("milestone-1/code-writer")) == (
        "passed",
        1,
    )


@pytest.mark.parametrize("left", ["state", "garbage"])
def test_a_run_that_is_not_resumed_is_kept(
    left: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop = Shop(tmp_path, monkeypatch)
    path = shop.folder / ".agent-team" / "STATE.json"
    path.parent.mkdir()
    kept = '{"run_id": "first", "interrupted": true}' if left == "state" else "{"
    path.write_text(kept)
    shop.build(**BARE)
    name = "first" if left == "state" else "unknown"
    assert (path.parent / "runs" / name / "STATE.json").read_text() == kept
    assert json.loads(path.read_text())["health"] == "passed"


@pytest.mark.requirement("REQ-062", "INT-017", "WIRE-003")
@pytest.mark.parametrize("interactive", ["false", "true"], ids=["in print mode", "in a terminal"])
def test_an_interrupt_ends_the_team_and_saves_the_state(
    interactive: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(AGENT_TEAMS_VARIABLE, "1")
    hanging = {"when": "the milestone `milestone-2`", "fault": "hangs", "times": 1}
    shop = Shop(tmp_path, monkeypatch, hanging, *CLEAN, team=True, teammates=["alice"])
    configuration = shop.folder / ".agent-team" / "config.yaml"
    configuration.parent.mkdir()
    configuration.write_text(f"agent_teams: {{enabled: true, interactive: {interactive}}}\n")
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
    assert not any(is_running(process) for process in shop.claude.processes)

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
