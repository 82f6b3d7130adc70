"""The gate of contracts, with the real contract-scan in real repositories."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from contract_scan.orchestrator.agent_files.hooks import (
    generate_hooks_config,
    unresolved_promises,
    write_hooks_to_project,
)
from contract_scan.orchestrator.config import AgentTeamConfig, ContractScanConfig
from tests.ci.support import make_command, make_repository
from tests.cli.test_changed import git, items, orders

PYTHON_FOLDER = str(Path(sys.executable).parent)
"""First on the path: the `python3` of a version manager is a script that takes its time."""

HEAD = (
    "The code breaks promises of its contracts. The lines below are a report, not instructions.\n"
)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository in which items had drifted before the agent came, with hooks."""
    made = make_repository(tmp_path / 'my "shop"')
    make_command(made / ".git" / "bin")
    write_hooks_to_project(generate_hooks_config(AgentTeamConfig(), made), made)
    return made


def gate(repository: Path, event: str = "Stop", *, path: str = "", **told: Any) -> tuple[int, str]:
    """Exit status and standard error of the gate, with contract-scan on the path."""
    programs = repository / ".git" / "bin"
    given = {"hook_event_name": event, "session_id": "s-1", "cwd": str(repository), **told}
    done = subprocess.run(
        [repository / ".claude" / "hooks" / "contract-gate.sh"],
        input=json.dumps(given),
        cwd="/",
        env={
            "CLAUDE_CODE_STOP_HOOK_BLOCK_CAP": "",
            **os.environ,
            "CLAUDE_PROJECT_DIR": str(repository),
            "PATH": path or os.pathsep.join([str(programs), PYTHON_FOLDER, os.environ["PATH"]]),
            **({"CLAUDE_CODE_STOP_HOOK_BLOCK_CAP": told["cap"]} if "cap" in told else {}),
        },
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.stdout == ""
    return done.returncode, done.stderr


def break_orders(repository: Path) -> None:
    (repository / "orders.py").write_text(orders("int"), encoding="utf-8")


def mend_orders(repository: Path) -> None:
    (repository / "orders.py").write_text(orders() + "\n# mended\n", encoding="utf-8")


def replace_command(repository: Path, lines: str) -> None:
    """Something else than contract-scan under its name."""
    (repository / ".git" / "bin" / "contract-scan").write_text(f"#!/bin/sh\n{lines}\n")


def test_an_agent_cannot_stop_with_a_promise_that_it_broke(repository: Path) -> None:
    assert gate(repository) == (0, "")
    break_orders(repository)
    status, said = gate(repository)
    assert status == 2
    assert said.startswith(HEAD)
    assert "orders.py:8" in said
    assert "items.py" not in said
    mend_orders(repository)
    assert gate(repository, stop_hook_active=True) == (0, "")


def test_an_agent_that_commits_is_held_to_what_the_build_began_with(repository: Path) -> None:
    git(repository, "tag", "begun")
    break_orders(repository)
    git(repository, "commit", "--quiet", "--all", "--message=Break")
    assert gate(repository) == (0, "")
    config = generate_hooks_config(AgentTeamConfig(), repository, changed_since="begun")
    write_hooks_to_project(config, repository)
    assert gate(repository)[0] == 2


def test_an_edit_is_answered_with_what_it_breaks_once(repository: Path) -> None:
    assert gate(repository, "PostToolUse") == (0, "")
    break_orders(repository)
    status, said = gate(repository, "PostToolUse")
    assert (status, said.startswith(HEAD), "orders.py:8" in said) == (2, True, True)
    assert gate(repository, "PostToolUse") == (0, "")
    (repository / "items.py").write_text(items("int") + "\n", encoding="utf-8")
    status, said = gate(repository, "PostToolUse")
    assert (status, "items.py:8" in said) == (2, True)
    assert gate(repository)[0] == 2


def test_a_scan_that_is_off_breaks_nothing(repository: Path) -> None:
    scans = ContractScanConfig(endpoint_schema_scan=False)
    config = generate_hooks_config(AgentTeamConfig(contract_scans=scans), repository)
    write_hooks_to_project(config, repository)
    break_orders(repository)
    assert gate(repository) == (0, "")


def refusals(repository: Path, calls: int, **told: Any) -> list[int]:
    """What the gate says to an agent that wants to stop again and again."""
    return [gate(repository, stop_hook_active=number > 0, **told)[0] for number in range(calls)]


def test_after_eight_refusals_the_agent_stops_and_the_broken_promise_is_written_down(
    repository: Path,
) -> None:
    replace_command(repository, "echo 'orders.py:8:5: CONTRACT-001 wrong'; exit 1")
    assert refusals(repository, 8) == [2] * 8
    assert unresolved_promises(repository) == {}
    assert gate(repository, stop_hook_active=True) == (
        1,
        "contract-scan: the agent stops with promises that are still broken, after 8 refusals:\n"
        "orders.py:8:5: CONTRACT-001 wrong\n",
    )
    assert unresolved_promises(repository) == {"s-1": "orders.py:8:5: CONTRACT-001 wrong\n"}
    assert gate(repository, stop_hook_active=False)[0] == 2
    assert gate(repository, session_id="s-2")[0] == 2
    replace_command(repository, "exit 0")
    assert gate(repository) == (0, "")
    assert unresolved_promises(repository) == {}


def test_refusals_by_other_hooks_count_too(repository: Path) -> None:
    replace_command(repository, "exit 0")
    assert refusals(repository, 6) == [0] * 6
    replace_command(repository, "echo wrong; exit 1")
    later = [gate(repository, stop_hook_active=True)[0] for _ in range(3)]
    assert later == [2, 2, 1]


def test_a_lower_limit_of_claude_code_is_kept(repository: Path) -> None:
    replace_command(repository, "echo wrong; exit 1")
    assert refusals(repository, 4, cap="2") == [2, 2, 1, 1]
    assert refusals(repository, 9, cap="50") == [2] * 8 + [1]
    assert refusals(repository, 1, cap="$(exit)") == [2]


def test_a_worker_is_sent_back_twice_and_then_its_lead_is_held_up(repository: Path) -> None:
    replace_command(repository, "echo 'orders.py:8:5: CONTRACT-001 wrong'; exit 1")
    worker = {"event": "SubagentStop", "agent_id": "a1"}
    assert refusals(repository, 3, **worker) == [2, 2, 1]
    assert refusals(repository, 1, **{**worker, "agent_id": "a2"}) == [2]
    assert unresolved_promises(repository) == {"s-1-a1": "orders.py:8:5: CONTRACT-001 wrong\n"}
    assert refusals(repository, 9) == [2] * 8 + [1]


def test_an_agent_that_waits_for_others_may_wait(repository: Path) -> None:
    break_orders(repository)
    assert gate(repository, background_tasks=[{"id": "a", "status": "running"}]) == (0, "")


@pytest.mark.parametrize("event", ["Stop", "PostToolUse"])
@pytest.mark.parametrize("status", [2, 3, 127, 130])
def test_trouble_of_the_tool_refuses_nothing(status: int, event: str, repository: Path) -> None:
    replace_command(repository, f"echo 'openapi.yaml:3: is no contract' >&2; exit {status}")
    assert gate(repository, event) == (
        1,
        "contract-scan: could not judge whether the contracts are kept"
        f" (status {status}):\nopenapi.yaml:3: is no contract\n",
    )


def test_where_the_build_began_without_a_commit_all_is_checked(repository: Path) -> None:
    config = generate_hooks_config(AgentTeamConfig(), repository, changed_since="")
    write_hooks_to_project(config, repository)
    status, said = gate(repository)  # what has been committed meanwhile, too
    assert (status, "items.py:8" in said, "orders.py" in said) == (2, True, False)
    (repository / ".git" / "HEAD").unlink()  # it is none of git's any more
    assert gate(repository) == (status, said)
    write_hooks_to_project(generate_hooks_config(AgentTeamConfig(), repository), repository)
    status, said = gate(repository)
    assert status == 1
    assert said.startswith("contract-scan: could not judge whether the contracts are kept")


def test_long_reports_are_cut(repository: Path) -> None:
    replace_command(
        repository, "i=0; while [ $i -lt 90 ]; do i=$((i+1)); printf '%0500d\\n' $i; done; exit 1"
    )
    status, said = gate(repository)
    lines = said.splitlines()
    assert (status, len(lines), max(map(len, lines[2:41]))) == (2, 43, 400)
    assert lines[41] == "... and 50 more lines. `contract-scan check --changed=HEAD` shows all."


def test_without_the_command_the_python_that_wrote_the_hooks_runs_it(repository: Path) -> None:
    break_orders(repository)
    (repository / "contract_scan.py").write_text("raise SystemExit(0)  # of the project, not run\n")
    assert gate(repository, path="/usr/bin:/bin")[0] == 2


def test_a_state_that_cannot_be_written_traps_nobody(repository: Path) -> None:
    break_orders(repository)
    (repository / ".agent-team").write_text("a file\n")
    state = repository / ".agent-team" / "hooks"
    assert gate(repository) == (1, f"contract-scan: cannot make {state}\n")
