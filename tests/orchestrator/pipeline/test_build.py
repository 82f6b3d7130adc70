"""A build from its requirements to code that keeps its contracts."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from contract_scan import api
from contract_scan.clients.git import current_commit
from contract_scan.errors import ContractScanError
from contract_scan.orchestrator.config import (
    AGENT_TEAMS_VARIABLE,
    AgentTeamConfig,
    with_values,
    without_features,
)
from contract_scan.orchestrator.pipeline import (
    LOOPS,
    SCAN_LOOPS,
    STAGES,
    FindingsCounted,
    StageEnded,
    StageSkipped,
    StageStarted,
    build,
)
from contract_scan.orchestrator.state import RunState, load_state
from contract_scan.orchestrator.tracking import parse_contract_compliance_matrix
from tests.cli.test_changed import git
from tests.orchestrator.pipeline.scripted_servers import with_script
from tests.orchestrator.pipeline.shop import (
    BARE,
    CLEAN,
    LIST,
    LISTED,
    NO_CONTRACT_SCANS,
    PRD,
    QUIET,
    RIGHT,
    RULES,
    WRONG,
    Shop,
    boxes,
    configured,
)

TESTING = "Verify the contracts against the running services"


@pytest.mark.requirement("INT-011")
def test_the_order_of_the_stages() -> None:
    assert [stage.name for stage in STAGES] == [
        *("requirements", "backend", "codebase_map", "contracts", "tech_research", "plan"),
        *("agent_files", "milestones", "convergence", "scan_scope", "scans", "end_to_end"),
        *("browser", "verification", "documents"),
    ]


@pytest.mark.requirement("INT-012", "INT-013", "TEST-081", "TEST-094")
def test_the_order_of_the_loops() -> None:
    scans = [loop.name for loop in SCAN_LOOPS]
    contracts = [name for name in scans if name.startswith("contract_")]
    assert contracts == [
        "contract_endpoint_schema",
        "contract_missing_endpoint",
        "contract_event_schema",
        "contract_shared_model",
    ]
    assert [name for name in scans if name not in contracts] == [
        *("mock_data", "ui_compliance", "deployment", "asset", "prd_reconciliation", "dual_orm"),
        *("default_value", "relationship", "api_contract", "sdl", "xref"),
    ]
    assert scans.index("contract_endpoint_schema") == scans.index("api_contract") + 1
    assert [loop.name for loop in LOOPS[len(scans) :]] == ["e2e", "browser"]
    assert [stage.name for stage in STAGES].index("scan_scope") < (
        [stage.name for stage in STAGES].index("scans")
    )


@pytest.fixture(scope="module")
def mended(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Shop, RunState]]:
    """A finished build whose agents forgot a field and a route, and its state."""
    with pytest.MonkeyPatch.context() as patch:
        shop = Shop(tmp_path_factory.mktemp("mended"), patch, *RULES)
        yield shop, shop.build(depth="standard")


@pytest.mark.requirement(
    "INT-012", "INT-014", "REQ-075", "WIRE-012", "WIRE-014", "WIRE-015", "WIRE-016", "WIRE-017"
)
def test_a_build_goes_through_loops_of_fixes_to_a_clean_scan(
    mended: tuple[Shop, RunState],
) -> None:
    shop, state = mended
    assert (shop.folder / "app.py").read_text() == RIGHT + LIST
    assert state.health == "passed"
    assert state.milestones == {"milestone-1": "COMPLETE", "milestone-2": "COMPLETE"}
    assert state.completed_tasks == [
        *("milestone-1/code-writer", "milestone-1/code-reviewer"),
        *("milestone-2/code-writer", "milestone-2/code-reviewer"),
        *("contract_endpoint_schema/fix-1", "contract_missing_endpoint/fix-1"),
    ]
    assert [seen for seen in shop.seen if isinstance(seen, FindingsCounted)] == [
        FindingsCounted("contract_endpoint_schema", 0, 2),
        FindingsCounted("contract_endpoint_schema", 1, 0),
        FindingsCounted("contract_missing_endpoint", 0, 1),
        FindingsCounted("contract_missing_endpoint", 1, 0),
        FindingsCounted("contract_event_schema", 0, 0),
        FindingsCounted("contract_shared_model", 0, 0),
        # The second fix may have broken what the first one had mended.
        FindingsCounted("contract_endpoint_schema", 1, 0),
    ]
    report = state.contract_report
    assert report is not None
    assert (report.total_contracts, report.verified_contract_ids, report.health) == (
        2,
        ["SVC-001", "SVC-002"],
        "passed",
    )
    assert state.total_cost == 1.5
    assert (state.current_stage, state.interrupted, state.notes) == ("", False, [])
    assert load_state(shop.folder / ".agent-team") == state
    assert parse_contract_compliance_matrix(shop.kept("CONTRACT_COMPLIANCE_MATRIX.md")) == {
        "total": 2,
        "implemented": 2,
        "verified": 2,
        "violated": 0,
    }
    log = shop.kept("FIX_CYCLE_LOG.md")
    assert "## contract_endpoint_schema, round 1\n\n2 findings; an agent was asked." in log
    assert shop.kept("E2E_COVERAGE_MATRIX.md") == dedent("""\
        # Coverage of requirements

        No end-to-end tests were run.
        Contracts: 2 of 2 implemented, 2 verified, 0 violated.

        | Milestone | Status | Requirement | Checked |
        | --- | --- | --- | --- |
        | `milestone-1` | COMPLETE | REQ-001: An order can be read (review\\_cycles: 0) | YES |
        | `milestone-2` | COMPLETE | REQ-002: Orders can be listed (review\\_cycles: 0) | YES |
        """)
    assert "- Status: COMPLETE" in shop.kept("MASTER_PLAN.md")


@pytest.mark.requirement("WIRE-015")
def test_each_type_of_scan_has_its_own_prompt(mended: tuple[Shop, RunState]) -> None:
    shop, _ = mended
    schema, missing = shop.claude.prompts[-2:]
    assert "Endpoints send or accept other fields than their contracts say" in schema
    assert "CONTRACT-001 app.py:" in schema
    assert "Contracted endpoints have no route" in missing
    assert "CONTRACT-002 .agent-team/REQUIREMENTS.md:6 error:" in missing


def test_what_is_left_at_the_limit_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shop = Shop(tmp_path, monkeypatch, *RULES[:3])
    state = shop.build(**{"convergence.max_fix_rounds": 1})
    assert state.health == "partial"
    assert state.fix_rounds["contract_endpoint_schema"] == 1
    assert state.open_findings["contract_endpoint_schema"] == 2
    assert state.contract_report is not None
    assert state.contract_report.violated_contract_ids == ["SVC-001", "SVC-002"]


def test_what_can_surely_be_mended_is_not_shown_to_a_model(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    renamed = RIGHT.replace(
        "    id: int\n    total: str",
        "    model_config = ConfigDict(populate_by_name=True)\n\n    id: int\n    total_sum: str",
    ).replace("import BaseModel", "import BaseModel, ConfigDict")
    writer = {**RULES[0], "writes": {**RULES[0]["writes"], "app.py": renamed + LIST}}
    shop = Shop(tmp_path, monkeypatch, writer, *RULES[1:3])
    shop.prd.write_text(PRD.replace("total: string", "totalSum: string"))
    state = shop.build()
    assert state.health == "passed"
    assert state.fix_rounds["contract_endpoint_schema"] == 1
    assert len(shop.claude.prompts) == 2
    assert "mended without a model in app.py." in shop.kept("FIX_CYCLE_LOG.md")


@pytest.mark.requirement("REQ-085", "TEST-072", "INT-006", "INT-009")
def test_with_every_feature_off_the_plain_pipeline_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(AGENT_TEAMS_VARIABLE, "1")
    shop = Shop(tmp_path, monkeypatch)
    everything = with_values(
        AgentTeamConfig(),
        {
            **QUIET,
            "agent_teams.enabled": True,
            "contract_engine.enabled": True,
            "codebase_intelligence.enabled": True,
            "architect.enabled": True,
        },
    )
    config = without_features(everything)
    assert not config.architect.enabled
    state = build(shop.prd, config, project_dir=shop.folder, observe=shop.seen.append)
    assert [seen.name for seen in shop.seen if isinstance(seen, StageEnded)] == [
        *("requirements", "backend", "codebase_map", "plan", "milestones", "convergence"),
        *("scan_scope", "verification", "documents"),
    ]
    assert state.health == "passed"
    assert (state.contract_report, state.agent_teams_active) == (None, False)
    assert not (shop.folder / ".claude").exists()
    assert not any("--mcp-config" in call["argv"] for call in shop.claude.calls)
    assert sorted(path.name for path in (shop.folder / ".agent-team").iterdir()) == [
        *("E2E_COVERAGE_MATRIX.md", "MASTER_PLAN.md", "REQUIREMENTS.md", "STATE.json"),
        *("milestones", "runs"),
    ]


@pytest.mark.requirement("TEST-072", "INT-013", "INT-015")
def test_reviews_run_in_the_order_of_their_table_where_they_are_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clean = {"when": "Review the whole project", "text": "Fine.\n```json\n[]\n```"}
    shop = Shop(tmp_path, monkeypatch, clean, *CLEAN)
    scans = [
        *("mock_data", "ui_compliance", "deployment", "asset", "prd_reconciliation", "dual_orm"),
        *("default_value", "relationship", "sdl", "xref"),
    ]
    shop.build(**{f"quality_scans.{name}": True for name in [*scans, "api_contract"]})
    counted = [seen.loop for seen in shop.seen if isinstance(seen, FindingsCounted)]
    assert [*dict.fromkeys(counted)] == [
        *("mock_data", "ui_compliance", "deployment", "asset", "prd_reconciliation", "dual_orm"),
        *("default_value", "relationship", "api_contract"),
        *("contract_endpoint_schema", "contract_missing_endpoint"),
        *("contract_event_schema", "contract_shared_model"),
        *("sdl", "xref"),
    ]


def test_what_a_review_finds_is_mended_and_reviewed_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = [{"file_path": "app.py", "line": 3, "message": "it is invented", "severity": "error"}]
    shop = Shop(
        tmp_path,
        monkeypatch,
        {
            "when": "Review the whole project",
            "times": 1,
            "text": f"One.\n```json\n{json.dumps(found)}\n```",
        },
        {"when": "Review the whole project", "text": "None.\n```json\n[]\n```"},
        {"when": "mock_data app.py:3 error: it is invented", "text": "Done."},
        *CLEAN,
    )
    state = shop.build(**{"quality_scans.mock_data": True})
    assert (state.fix_rounds["mock_data"], state.open_findings["mock_data"]) == (1, 0)


def test_a_review_that_fails_takes_no_other_scan_with_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop = Shop(
        tmp_path, monkeypatch, {"when": "Review the whole", "text": "I forgot the form."}, *CLEAN
    )
    state = shop.build(**{"quality_scans.mock_data": True})
    assert state.notes == [
        "The scan mock_data failed: BuildError: the agent does not end with its findings"
    ]
    assert state.open_findings["contract_missing_endpoint"] == 0
    assert (state.failed_scans, state.health) == (["mock_data"], "partial")


def test_a_scan_that_ends_in_an_error_is_not_taken_for_a_clean_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop = Shop(tmp_path, monkeypatch, *CLEAN)
    scan = api.scan

    def fails(root: Path, **arguments: Any) -> Any:
        if arguments["select"] == {"CONTRACT-001"}:
            raise MemoryError("no room")
        return scan(root, **arguments)

    monkeypatch.setattr(api, "scan", fails)
    state = shop.build()
    assert state.notes == [
        "The scan contract_endpoint_schema failed: BuildError: CONTRACT-001: MemoryError: no room",
        "Not all contracts could be counted: CONTRACT-001: MemoryError: no room",
    ]
    assert "contract_endpoint_schema" not in state.open_findings
    assert (state.failed_scans, state.health) == (
        ["contract_endpoint_schema", "contract_report"],
        "partial",
    )


def test_tests_of_the_whole_are_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told = json.dumps({"passed": 3, "total": 3, "findings": []})
    shop = Shop(
        tmp_path,
        monkeypatch,
        {"when": "end-to-end tests", "text": f"All.\n```json\n{told}\n```"},
        *CLEAN,
    )
    (shop.folder / "requirements.txt").write_text("fastapi\n")
    shop.build(**{"e2e_testing.enabled": True})
    assert "The project is built on FastAPI." in shop.claude.prompts[-1]
    summary = json.loads(shop.kept("STATE.json"))["summary"]
    assert summary == {
        "success": True,
        "test_passed": 3,
        "test_total": 3,
        "convergence_ratio": 1.0,
    }


def test_a_build_whose_tests_fail_is_not_called_clean(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = json.dumps({"passed": 1, "total": 3, "findings": []})
    shop = Shop(
        tmp_path,
        monkeypatch,
        {"when": "end-to-end tests", "text": f"Two fail.\n```json\n{told}\n```"},
        *CLEAN,
    )
    state = shop.build(**{"e2e_testing.enabled": True})
    assert state.notes == ["End-to-end tests: 1 of 3 passed"]
    assert state.health == "partial"


@pytest.mark.requirement("REQ-076", "REQ-077", "REQ-081")
def test_contracts_that_fail_against_running_services_are_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    failed = "| `SVC-001` | GET /orders/{id} | 500 | FAIL |\n"
    tested = {"when": TESTING, "writes": {"CONTRACT_E2E_RESULTS.md": failed}}
    shop = Shop(tmp_path, monkeypatch, tested, *CLEAN)
    state = shop.build(**with_script(tmp_path))
    assert "Contracts tested against running services: 0 of 1 passed" in state.notes
    assert state.health == "partial"
    # The scans have verified it, but what runs says otherwise.
    assert parse_contract_compliance_matrix(shop.kept("CONTRACT_COMPLIANCE_MATRIX.md")) == {
        "total": 3,
        "implemented": 3,
        "verified": 2,
        "violated": 1,
    }
    coverage = shop.kept("E2E_COVERAGE_MATRIX.md")
    assert "Contracts: 3 of 3 implemented, 2 verified, 1 violated.\n" in coverage


@pytest.mark.requirement("REQ-081")
def test_results_of_another_run_say_nothing_of_contracts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    overloaded = {"when": TESTING, "fault": "error"}
    shop = Shop(tmp_path, monkeypatch, overloaded, *CLEAN)
    old = shop.folder / "CONTRACT_E2E_RESULTS.md"
    old.write_text("| `SVC-001` | GET /orders/{id} | 200 | PASS |\n")
    state = shop.build(**with_script(tmp_path))
    assert state.failed_tasks == ["contract-e2e"]
    assert (state.endpoint_test_report, old.exists()) == (None, False)
    assert state.health == "partial"


@pytest.mark.requirement("REQ-083")
@pytest.mark.parametrize("enabled", [True, False])
def test_research_knows_of_the_servers(
    enabled: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    note = {".agent-team/TECH_RESEARCH.md": "FastAPI has lifespans."}
    shop = Shop(tmp_path, monkeypatch, {"when": "Research the libraries", "writes": note}, *CLEAN)
    (shop.folder / ".mcp.json").write_text('{"mcpServers": {"contract-engine": {}}}')
    shop.build(
        depth="quick",
        **BARE,
        **{
            "tech_research.enabled": True,
            "contract_engine.enabled": enabled,
            "contract_engine.mcp_command": "no-such-server",
            "contract_engine.validation_on_build": False,
            "codebase_intelligence.enabled": enabled,
            "codebase_intelligence.mcp_command": "no-such-server",
        },
    )
    research, first = shop.claude.prompts[:2]
    assert ("The Contract Engine is available: it holds contracts" in research) is enabled
    assert "- The project's own `.mcp.json` lists contract-engine." in research
    assert ("Codebase Intelligence is available: it knows definitions" in research) is enabled
    assert "TECH RESEARCH RESULTS ==========\nFastAPI has lifespans." in first


PLAN = """\
# Shop

## Milestone 1: Orders

- ID: milestone-1
- Dependencies: none
- Description: Orders can be read.

- [ ] REQ-001: An order can be read (review_cycles: 0)
"""


@pytest.mark.requirement("INT-014")
def test_requirements_without_milestones_are_planned_by_an_agent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    planner = {
        "when": "split.*into milestones|Split",
        "writes": {".agent-team/MASTER_PLAN.md": PLAN},
    }
    shop = Shop(tmp_path, monkeypatch, planner, *CLEAN)
    shop.prd.write_text("# Shop\n\nAn order can be read.\n")
    state = shop.build(**BARE)
    assert state.milestones == {"milestone-1": "COMPLETE"}
    assert "========== REQUIREMENTS ==========\n# Shop" in shop.claude.prompts[0]


def test_a_plan_that_the_agent_did_not_write(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    forgets = {"when": "Split the requirements", "times": 1, "text": "Here it is."}
    planner = {"when": "Split the requirements", "writes": {".agent-team/MASTER_PLAN.md": PLAN}}
    shop = Shop(tmp_path, monkeypatch, forgets, planner, *CLEAN)
    shop.prd.write_text("# Shop\n\nAn order can be read.\n")
    with pytest.raises(ContractScanError) as caught:
        shop.build(**BARE)
    path = shop.folder / ".agent-team" / "MASTER_PLAN.md"
    assert str(caught.value) == f"{path}: has no milestones; the agent did not write the plan"
    state = load_state(shop.folder / ".agent-team")
    assert state is not None
    assert (state.current_stage, state.interrupted) == ("plan", True)
    # It is asked again.
    assert shop.build(resume=True, **BARE).milestones == {"milestone-1": "COMPLETE"}


def test_a_milestone_that_needs_one_that_failed_is_not_built(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = {"when": "the milestone `milestone-1`", "fault": "error"}
    shop = Shop(tmp_path, monkeypatch, broken, *CLEAN)
    state = shop.build(**BARE)
    assert state.milestones == {"milestone-1": "FAILED", "milestone-2": "PENDING"}
    assert state.health == "failed"
    assert "milestone-2 is not built: it needs milestone-1" in state.notes


@pytest.mark.requirement("REQ-061")
def test_a_milestone_with_too_few_boxes_is_worked_on_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lazy = {**CLEAN[1], "times": 1, "writes": {}}
    shop = Shop(tmp_path, monkeypatch, CLEAN[0], lazy, *CLEAN[1:])
    state = shop.build(**BARE)
    assert "milestone-2/code-writer-recovery-1" in state.completed_tasks
    assert (state.requirements_checked, state.health) == (2, "passed")


@pytest.mark.requirement("TECH-044", "INT-016")
@pytest.mark.parametrize(
    ("depth", "roles"),
    [
        ("quick", ["code-writer"]),
        ("standard", ["code-writer", "code-reviewer"]),
        (
            "thorough",
            ["architect", "code-writer", "test-engineer", "code-reviewer", "wiring-verifier"],
        ),
    ],
)
def test_who_works_on_a_milestone_is_told_by_the_depth(
    depth: str, roles: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop = Shop(tmp_path, monkeypatch)
    shop.prd.write_text(PRD.partition("## Milestone 2")[0])
    state = shop.build(**BARE, depth=depth)
    assert state.completed_tasks == [f"milestone-1/{role}" for role in roles]


@pytest.mark.requirement("REQ-056", "WIRE-002", "WIRE-010")
def test_a_team_finds_instructions_and_hooks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(AGENT_TEAMS_VARIABLE, "1")
    shop = Shop(tmp_path, monkeypatch)
    gave_up = shop.folder / ".agent-team" / "hooks" / "contract-gate-old.unresolved"
    gave_up.parent.mkdir(parents=True)
    gave_up.touch()
    (shop.folder / "requirements.txt").write_text("fastapi\n")
    shop.build(depth="standard", **{"agent_teams.enabled": True, "codebase_map.enabled": False})
    instructions = (shop.folder / ".claude" / "CLAUDE.md").read_text(encoding="utf-8")
    for role in ("code-writer", "code-reviewer"):
        assert f"## Instructions for the role `{role}`\n" in instructions
    assert instructions.count("- Service: `shop`\n") == 2
    assert instructions.count("\nServers: FastAPI\n") == 2
    settings = json.loads((shop.folder / ".claude" / "settings.local.json").read_bytes())
    assert sorted(settings["hooks"]) == [
        *("PostToolUse", "Stop", "SubagentStop", "TaskCompleted", "TeammateIdle")
    ]
    assert not gave_up.exists()


def test_the_gate_of_a_team_compares_with_the_commit_that_the_build_began_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(AGENT_TEAMS_VARIABLE, "1")
    shop = Shop(tmp_path, monkeypatch)
    git(shop.folder, "init", "--quiet")
    git(shop.folder, "commit", "--quiet", "--allow-empty", "--message=Begin")
    state = shop.build(depth="quick", **{"agent_teams.enabled": True})
    assert state.changed_since == current_commit(shop.folder) != ""
    gate = (shop.folder / ".claude" / "hooks" / "contract-gate.sh").read_text()
    assert f"changed=--changed={state.changed_since}\n" in gate


@pytest.mark.requirement("WIRE-002")
def test_agents_that_work_one_by_one_get_neither(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop = Shop(tmp_path, monkeypatch)
    shop.build(**BARE, **{"agent_teams.enabled": True})
    assert not (shop.folder / ".claude").exists()


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("settings.local.json", '{"model": "opus"} // mine\n', ":1: is not JSON: "),
        ("CLAUDE.md", "<!-- AGENT-TEAMS-END -->\n", ": .* have to be there once, in this order"),
    ],
)
def test_files_that_cannot_be_added_to_end_the_build_before_it_costs_anything(
    name: str, text: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(AGENT_TEAMS_VARIABLE, "1")
    shop = Shop(tmp_path, monkeypatch)
    file = shop.folder / ".claude" / name
    file.parent.mkdir()
    file.write_text(text)
    with pytest.raises(ContractScanError, match=re.escape(name) + message):
        shop.build(**{"agent_teams.enabled": True})
    assert [path.read_text() for path in file.parent.iterdir()] == [text]
    kept = load_state(shop.folder / ".agent-team")
    assert kept is not None
    assert (kept.completed_stages, kept.total_cost) == (["requirements"], 0)


def test_an_agent_that_stopped_with_a_broken_promise_is_noted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop = Shop(tmp_path, monkeypatch)
    gave_up = shop.folder / ".agent-team" / "hooks" / "contract-gate-s-1.unresolved"
    gave_up.parent.mkdir(parents=True)
    gave_up.write_text("app.py:1: CONTRACT-001\napp.py:2: CONTRACT-001\n")
    state = shop.build()
    assert state.notes == [
        "The agent of the session s-1 stopped with broken promises after its hook had refused as"
        " often as it may; its last report has 2 lines"
    ]
    assert state.health == "passed"  # the scans have shown that the promise is kept by now
    assert shop.build(depth="quick", **NO_CONTRACT_SCANS).health == "partial"


@pytest.mark.requirement("WIRE-001")
def test_a_build_with_a_team(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(AGENT_TEAMS_VARIABLE, "1")
    shop = Shop(tmp_path, monkeypatch)
    state = shop.build(**BARE, **{"agent_teams.enabled": True})
    assert state.health == "passed"
    assert shop.claude.prompts == []
    assert state.agent_teams_active is False  # the build is over


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (None, "cannot be read: No such file or directory"),
        ("", "is empty; write down what is to be built"),
        (" \n\n", "is empty; write down what is to be built"),
    ],
)
def test_requirements_that_are_none(
    text: str | None, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop = Shop(tmp_path, monkeypatch)
    shop.prd.unlink()
    if text is not None:
        shop.prd.write_text(text)
    with pytest.raises(ContractScanError) as caught:
        shop.build()
    assert str(caught.value) == f"{shop.prd}: {message}"
    assert not (shop.folder / ".agent-team").exists()


@pytest.mark.requirement("WIRE-001")
def test_without_an_agent_nothing_is_lost(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shop = Shop(tmp_path, monkeypatch)
    with pytest.raises(ContractScanError) as caught:
        shop.build(**BARE, **{"agent.command": "no-such-claude"})
    assert str(caught.value) == (
        "`no-such-claude --version` does not work: install claude, or set `agent.command` to"
        " where it is"
    )
    assert shop.build(resume=True, **BARE).health == "passed"


@pytest.mark.parametrize("is_repository", [True, False], ids=["repository", "folder"])
def test_without_git_what_tasks_have_written_is_scanned(
    is_repository: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop = Shop(tmp_path, monkeypatch, *RULES)
    if is_repository:
        git(shop.folder, "init", "--quiet")
    monkeypatch.setenv("PATH", str(shop.claude.folder / "bin"))
    state = shop.build(scan_scope_mode="changed")
    assert (state.changed_since, state.health) == ("", "passed")
    assert state.fix_rounds["contract_endpoint_schema"] == 1
    # A missing endpoint is in no file, and in every scope.
    assert state.fix_rounds["contract_missing_endpoint"] == 1
    assert state.notes == []


@pytest.mark.requirement("WIRE-014A", "INT-019")
def test_an_endpoint_that_stays_missing_is_left_in_every_scope(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop = Shop(
        tmp_path, monkeypatch, CLEAN[0], {**CLEAN[1], "writes": boxes("milestone-2", LISTED)}
    )
    state = shop.build(scan_scope_mode="changed", **{"convergence.max_fix_rounds": 0})
    assert state.open_findings["contract_missing_endpoint"] == 1
    assert state.health == "partial"


LIST_IN_A_FILE = """\
from fastapi import APIRouter
from pydantic import BaseModel

router = APIRouter()


class Orders(BaseModel):
    {field}: int


@router.get("/orders")
def list_orders() -> Orders: ...
"""
INCLUDED = """
from lists import router

app.include_router(router)
"""


@pytest.mark.requirement("WIRE-014A", "WIRE-015", "INT-019")
def test_what_a_fix_breaks_in_a_new_file_is_found_and_mended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fixes = [
        {
            "when": "CONTRACT-002.*`GET /orders` has no route",
            "writes": {
                "app.py": RIGHT + INCLUDED,
                "lists.py": LIST_IN_A_FILE.format(field="total"),
            },
        },
        {
            "when": "CONTRACT-001 lists.py:.*lacks `count`",
            "writes": {"lists.py": LIST_IN_A_FILE.format(field="count")},
        },
    ]
    shop = Shop(tmp_path, monkeypatch, *RULES[:4], *fixes)
    state = shop.build(scan_scope_mode="changed")
    assert state.fix_rounds["contract_endpoint_schema"] == 2
    assert state.contract_report is not None
    assert state.contract_report.verified_contract_ids == ["SVC-001", "SVC-002"]
    assert (state.health, state.notes) == ("passed", [])


@pytest.mark.requirement("WIRE-015")
def test_what_a_fix_of_a_test_breaks_is_found_and_mended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fails = [{"file_path": "app.py", "line": 3, "message": "it fails", "severity": "error"}]

    def tests(kind: str, passed: int, findings: list[dict[str, Any]]) -> dict[str, Any]:
        told = json.dumps({"passed": passed, "total": 1, "findings": findings})
        return {"when": f"Write the {kind} tests", "text": f"Ran.\n```json\n{told}\n```"}

    rules: list[dict[str, Any]] = [{**RULES[3], "writes": {"app.py": RIGHT + LIST}}]
    for kind in ("end-to-end", "browser"):
        mended = {"when": f"These {kind} tests fail", "writes": {"app.py": WRONG + LIST}}
        rules += [mended, {**tests(kind, 0, fails), "times": 1}, tests(kind, 1, [])]
    shop = Shop(tmp_path, monkeypatch, *rules, *CLEAN)
    state = shop.build(**{"e2e_testing.enabled": True, "browser_testing.enabled": True})
    assert state.fix_rounds == {
        "contract_endpoint_schema": 2,
        "contract_missing_endpoint": 0,
        "contract_event_schema": 0,
        "contract_shared_model": 0,
        "e2e": 1,
        "browser": 1,
    }
    assert state.open_findings["contract_endpoint_schema"] == 0
    assert state.contract_report is not None
    assert state.contract_report.health == "passed"
    matrix = parse_contract_compliance_matrix(shop.kept("CONTRACT_COMPLIANCE_MATRIX.md"))
    assert matrix["verified"] == 2


@pytest.mark.requirement("WIRE-017", "INT-015")
def test_verification_runs_only_scans_that_are_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop = Shop(tmp_path, monkeypatch, *RULES[:3])
    off = {"contract_scans.endpoint_schema_scan": False, "convergence.max_fix_rounds": 0}
    state = shop.build(**off)
    assert state.notes == [
        "CONTRACT-002 is broken in .agent-team/REQUIREMENTS.md:6:"
        " `GET /orders` has no route in the code"
    ]


@pytest.mark.requirement("TEST-085", "WIRE-014", "INT-013")
def test_without_any_server_the_service_tables_are_scanned_and_the_code_is_mended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fixes = [
        {"when": "service tables.*CONTRACT-001.*lacks `total`", "writes": {"app.py": RIGHT + LIST}}
    ]
    shop = Shop(tmp_path, monkeypatch, *fixes, *RULES[:3])
    state = shop.build(**NO_CONTRACT_SCANS, **{"quality_scans.api_contract": True})
    assert [seen for seen in shop.seen if isinstance(seen, FindingsCounted)] == [
        FindingsCounted("api_contract", 0, 3),
        FindingsCounted("api_contract", 1, 0),
    ]
    assert state.completed_tasks[-1] == "api_contract/fix-1"
    assert (shop.folder / "app.py").read_text() == RIGHT + LIST
    assert (state.health, state.contract_report) == ("passed", None)
    assert not any("--mcp-config" in call["argv"] for call in shop.claude.calls)


@pytest.mark.parametrize(
    ("version", "team", "note"),
    [
        (
            "2.1.100",
            False,
            "Claude Code 2.1.100 is older than 2.1.145: its hooks may keep agents from ending that"
            " only wait",
        ),
        (
            "2.1.177",
            True,
            "Agent teams cannot be used, falling back to CLI: agent teams need Claude Code 2.1.178;"
            " this is 2.1.177",
        ),
    ],
)
def test_claude_code_that_is_old_is_told_and_done_with(
    version: str, team: bool, note: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(AGENT_TEAMS_VARIABLE, "1")
    shop = Shop(tmp_path, monkeypatch, version=version)
    state = shop.build(**BARE, **{"agent_teams.enabled": team})
    assert (state.notes, state.health) == ([note], "passed")


def test_there_is_nothing_to_resume(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shop = Shop(tmp_path, monkeypatch)
    with pytest.raises(ContractScanError) as caught:
        shop.build(resume=True)
    assert str(caught.value) == f"{shop.folder}: there is no run to resume; leave out --resume"


def test_two_builds_do_not_work_in_one_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop = Shop(tmp_path, monkeypatch)
    refused: list[str] = []

    def try_another(progress: object) -> None:
        if isinstance(progress, StageStarted) and progress.name == "milestones":
            with pytest.raises(ContractScanError) as caught:
                shop.build(**BARE)
            refused.append(str(caught.value))

    config = configured(BARE)
    state = build(shop.prd, config, project_dir=shop.folder, observe=try_another)
    assert refused == [
        f"{shop.folder}: another build is at work here; wait for its end, or look at it with"
        " --status"
    ]
    assert (state.health, load_state(shop.folder / ".agent-team")) == ("passed", state)


def test_other_requirements_are_not_resumed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop = Shop(tmp_path, monkeypatch)
    shop.build(**BARE)
    shop.prd.write_text(PRD + "\nMore.\n")
    with pytest.raises(ContractScanError) as caught:
        shop.build(resume=True)
    assert str(caught.value) == (
        f"{shop.prd}: has changed since the run was interrupted; start anew without --resume"
    )


def test_stages_that_are_off_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shop = Shop(tmp_path, monkeypatch)
    shop.build(**{"codebase_map.enabled": False})
    assert [seen for seen in shop.seen if isinstance(seen, StageSkipped)] == [
        StageSkipped(name, title, number, 15, "switched off")
        for number, name, title in (
            (3, "codebase_map", "Map the code that is there"),
            (4, "contracts", "Load the contracts"),
            (5, "tech_research", "Research technologies"),
            (7, "agent_files", "Tell the team of the project"),
            (12, "end_to_end", "Test end to end"),
            (13, "browser", "Test in a browser"),
        )
    ]
    assert next(seen for seen in shop.seen if isinstance(seen, StageStarted)) == (
        StageStarted("requirements", "Read the requirements", 1, 15)
    )
