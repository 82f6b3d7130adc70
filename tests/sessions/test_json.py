"""What `scope` tells programs has the form that docs/schema/sessions.schema.json describes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from contract_scan.cli.sessions import main
from contract_scan.scopes.markdown_form import read_markdown
from contract_scan.sessions.lifecycle import abort, outcome_of
from tests.sessions.project import Project

SCHEMA = json.loads(
    (Path(__file__).parents[2] / "docs" / "schema" / "sessions.schema.json").read_text()
)
CONTRACT = """Scope Contract: Part
Identity:
  scope_id: part
Deliverables:
  - made.txt
  - owed.txt
"""


def printed(capsys: pytest.CaptureFixture[str], form: str, *words: str) -> tuple[int, Any]:
    """The exit status of a command, and what it printed, which has this form."""
    status = main(words)
    value = json.loads(capsys.readouterr().out)
    Draft202012Validator({**SCHEMA, "anyOf": [{"$ref": f"#/$defs/{form}"}]}).validate(value)
    Draft202012Validator(SCHEMA).validate(value)
    return status, value


def test_poll_wait_and_list(
    project: Project, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    project.git("init", "--quiet")
    (project.folder / "a.txt").write_text("a\n")
    project.git("add", "a.txt")
    project.git("-c", "user.name=t", "-c", "user.email=t@t", "commit", "--quiet", "-m", "one")
    monkeypatch.chdir(project.folder)
    (contract,) = read_markdown(CONTRACT)
    project.spawn("write made.txt x\nsay made", contract=contract)
    project.spawn("sleep 600", session_id="slow", task_type="test")
    project.spawn("say later", session_id="last", after=("slow",))
    project.ended("0")

    status, waited = printed(capsys, "results", "wait", "0", "slow", "last", "--timeout", "0.1")
    assert (status, waited["timed_out"]) == (1, ["slow", "last"])
    done, slow, last = waited["results"]
    assert done == {
        "id": "0",
        "status": "done",
        "activity": None,
        "result": "made\n" if done["result"].endswith("\n") else "made",
        "reason": None,
        "contract": {
            "scope_id": "part",
            "state": "findings",
            "findings": [
                {
                    "rule": "SCOPE-001",
                    "kind": "undelivered",
                    "message": "owed.txt: no such file",
                    "line": done["contract"]["findings"][0]["line"],
                }
            ],
            "problem": None,
        },
    }
    assert (slow["status"], slow["contract"]) == ("running", None)
    assert (last["status"], last["activity"]) == ("pending", "waiting for slow")

    abort(project.store, "slow")
    project.ended("last")
    status, polled = printed(capsys, "session", "poll", "last")
    assert status == 0
    assert (polled["status"], polled["result"]) == ("aborted", None)
    assert polled["reason"] == "session slow, which it comes after, was aborted"

    _, listed = printed(capsys, "sessions", "list", "--json")
    assert [(one["id"], one["type"], one["after"]) for one in listed["sessions"]] == [
        ("0", "implement", []),
        ("slow", "test", []),
        ("last", "implement", ["slow"]),
    ]
    _, left = printed(capsys, "sessions", "list", "--json", "--hide-done")
    assert [one["id"] for one in left["sessions"]] == ["slow", "last"]


HANDOFF = """Done.

## Handoff
1. Produced: made.txt
2. Key decisions: none
3. Areas of uncertainty: none
4. Integration points: none
5. Open questions: none

## Contract Fulfillment
- Deliverables:
  - ✅ made.txt → made.txt
  - ✅ owed.txt → owed.txt
- Deviations: none
"""


@pytest.mark.parametrize(
    ("handoff", "kinds", "last"),
    [
        (
            HANDOFF,
            ["undelivered", "wrong-claim"],
            "owed.txt is said to be delivered, but no such file",
        ),
        (
            HANDOFF.replace("5. Open questions: none\n", ""),
            ["undelivered", "undetermined"],
            "its handoff cannot be read: the handoff misses `open questions`; write `none` where "
            "there is nothing",
        ),
        ("Done. I hand it off.\n", ["undelivered"], "owed.txt: no such file"),
    ],
    ids=["read", "incomplete", "none"],
)
def test_what_the_result_claims_is_held_against_the_contract(
    project: Project, handoff: str, kinds: list[str], last: str
) -> None:
    project.git("init", "--quiet")
    project.git("-c", "user.name=t", "-c", "user.email=t@t", *EMPTY)
    (contract,) = read_markdown(CONTRACT)
    said = "\n".join(f"say {line}" for line in handoff.splitlines())
    project.spawn(f"write made.txt x\n{said}", contract=contract)
    [ended] = project.ended("0")
    state = outcome_of(ended).contract
    assert state is not None
    assert [one["kind"] for one in state["findings"]] == kinds
    assert state["findings"][-1]["message"] == last


EMPTY = ("commit", "--quiet", "--allow-empty", "-m", "one")
