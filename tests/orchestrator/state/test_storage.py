"""STATE.json."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import fields
from pathlib import Path

import pytest

from contract_scan.compliance import Violation
from contract_scan.orchestrator.state import (
    ContractReport,
    EndpointTestReport,
    EndToEndReport,
    Health,
    RunState,
    StateError,
    as_plain_values,
    load_state,
    save_state,
)

VIOLATION = Violation(
    check="CONTRACT-001",
    message="the field `total` is missing",
    file_path="src/orders.py",
    line=12,
    severity="error",
)

FULL = RunState(
    run_id="20260102-030405",
    requirements_path="docs/PRD.md",
    requirements_hash="ab" * 32,
    changed_since="4f2a9c1",
    depth="thorough",
    started_at="2026-01-02T03:04:05+00:00",
    updated_at="2026-01-02T03:09:05+00:00",
    completed_stages=["requirements", "codebase_map"],
    current_stage="milestones",
    interrupted=True,
    milestones={"milestone-1": "COMPLETE", "milestone-2": "IN_PROGRESS"},
    completed_tasks=["milestone-1/task-1"],
    failed_tasks=["milestone-1/task-2"],
    written_files=["app.py"],
    total_cost=1.25,
    requirements_checked=3,
    requirements_total=4,
    agent_teams_active=True,
    contract_report=ContractReport(
        total_contracts=3,
        verified_contracts=1,
        violated_contracts=1,
        missing_implementations=1,
        violations=[as_plain_values(VIOLATION)],
        health="partial",
        verified_contract_ids=["SVC-001"],
        violated_contract_ids=["SVC-002"],
    ),
    endpoint_test_report=EndpointTestReport(
        total_endpoints=2,
        tested_endpoints=1,
        passed_endpoints=1,
        failed_endpoints=0,
        untested_contracts=["SVC-002"],
        health="partial",
    ),
    e2e_report=EndToEndReport(passed=5, total=6, health="partial"),
    registered_artifacts=["src/orders.py"],
    fix_rounds={"contract_endpoint_schema": 2},
    open_findings={"contract_endpoint_schema": 1},
    failed_scans=["mock_data"],
    notes=["the wave 2 was executed without a team"],
    health="partial",
)


@pytest.mark.requirement("TECH-029", "TECH-030", "TEST-046")
def test_reports_know_nothing_at_first() -> None:
    assert as_plain_values(ContractReport()) == {
        "total_contracts": 0,
        "verified_contracts": 0,
        "violated_contracts": 0,
        "missing_implementations": 0,
        "violations": [],
        "health": "unknown",
        "verified_contract_ids": [],
        "violated_contract_ids": [],
    }
    assert as_plain_values(EndpointTestReport()) == {
        "total_endpoints": 0,
        "tested_endpoints": 0,
        "passed_endpoints": 0,
        "failed_endpoints": 0,
        "untested_contracts": [],
        "health": "unknown",
    }


@pytest.mark.requirement("TECH-007", "TECH-031")
def test_a_new_run_has_no_reports_and_no_team() -> None:
    state = RunState()
    assert (state.agent_teams_active, state.contract_report, state.endpoint_test_report) == (
        False,
        None,
        None,
    )
    assert state.registered_artifacts == []


@pytest.mark.requirement("TECH-031", "INT-017", "INT-018", "TEST-083")
@pytest.mark.parametrize("state", [RunState(), FULL], ids=["new", "full"])
def test_a_state_survives_its_file(state: RunState, tmp_path: Path) -> None:
    save_state(state, tmp_path)
    assert load_state(tmp_path) == state


def test_every_field_of_the_full_state_differs_from_its_default() -> None:
    new = RunState()
    assert not [
        field.name
        for field in fields(RunState)
        if getattr(new, field.name) == getattr(FULL, field.name)
    ]


@pytest.mark.requirement("TECH-031")
def test_the_file_has_a_summary_for_the_program_that_started_the_build(tmp_path: Path) -> None:
    path = save_state(FULL, tmp_path)
    assert path == tmp_path / "STATE.json"
    written = json.loads(path.read_text(encoding="utf-8"))
    assert written["summary"] == {
        "success": True,
        "test_passed": 5,
        "test_total": 6,
        "convergence_ratio": 0.75,
    }
    assert written["contract_report"]["violations"] == [
        {
            "check": "CONTRACT-001",
            "message": "the field `total` is missing",
            "file_path": "src/orders.py",
            "line": 12,
            "severity": "error",
        }
    ]


@pytest.mark.requirement("TECH-031")
@pytest.mark.parametrize(
    ("health", "success"),
    [("passed", True), ("partial", True), ("failed", False), ("unknown", False)],
)
def test_what_counts_as_success(health: Health, success: bool, tmp_path: Path) -> None:
    path = save_state(RunState(health=health), tmp_path)
    assert json.loads(path.read_text(encoding="utf-8"))["summary"] == {
        "success": success,
        "test_passed": 0,
        "test_total": 0,
        "convergence_ratio": 0.0,
    }


def test_the_directory_is_made(tmp_path: Path) -> None:
    save_state(FULL, tmp_path / "shop" / ".agent-team")
    assert load_state(tmp_path / "shop" / ".agent-team") == FULL


def test_there_is_no_state_before_the_first_run(tmp_path: Path) -> None:
    assert load_state(tmp_path) is None


def test_a_state_of_another_version(tmp_path: Path) -> None:
    path = tmp_path / "STATE.json"
    path.write_text('{"run_id": "7", "colour": "red"}', encoding="utf-8")
    assert load_state(tmp_path) == RunState(run_id="7")


@pytest.mark.parametrize(
    ("written", "why"),
    [
        ("", "Input data was truncated"),
        ('{"run_id": "7"', "Input data was truncated"),
        ("[]", "Expected `object`, got `array`"),
        ('{"total_cost": "much"}', "Expected `float`, got `str` - at `$.total_cost`"),
        ('{"health": "fine"}', "Invalid enum value 'fine' - at `$.health`"),
        ("\x00", "JSON is malformed: invalid character (byte 0)"),
    ],
)
def test_a_file_that_is_no_state(written: str, why: str, tmp_path: Path) -> None:
    path = tmp_path / "STATE.json"
    path.write_text(written, encoding="utf-8")
    with pytest.raises(StateError) as caught:
        load_state(tmp_path)
    assert str(caught.value) == (
        f"{path}: is not the state of a run ({why}); move it away to start anew"
    )
    assert path.read_text(encoding="utf-8") == written


def test_a_folder_in_the_place_of_the_file(tmp_path: Path) -> None:
    (tmp_path / "STATE.json").mkdir()
    with pytest.raises(StateError) as caught:
        load_state(tmp_path)
    assert str(caught.value) == f"{tmp_path / 'STATE.json'}: cannot be read: Is a directory"


_SAVE_IN_LITTLE_SPACE = """
import resource, signal, sys
from pathlib import Path
from contract_scan.orchestrator.state import RunState, StateError, save_state
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
try:
    save_state(RunState(run_id="new", notes=["x" * 5000]), Path(sys.argv[1]))
except StateError as error:
    print(error)
"""


def test_where_a_state_cannot_be_written_the_one_before_stays(tmp_path: Path) -> None:
    save_state(FULL, tmp_path)
    done = subprocess.run(
        [sys.executable, "-c", _SAVE_IN_LITTLE_SPACE, str(tmp_path)],
        capture_output=True,
        text=True,
        timeout=300,
        check=True,
    )
    assert done.stdout == f"{tmp_path / 'STATE.json'}: cannot be written: File too large\n"
    assert load_state(tmp_path) == FULL
    assert os.listdir(tmp_path) == ["STATE.json"]
