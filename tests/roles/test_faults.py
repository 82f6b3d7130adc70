"""What is damaged, hostile or forged: said in one line, and nothing run or written elsewhere."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from contract_scan.cli.main import main
from contract_scan.errors import UsageError
from contract_scan.roles.decisions import read_adjudication, read_review
from contract_scan.roles.driver import start
from contract_scan.roles.key_lines import ArtifactError
from contract_scan.roles.plans import is_signed_form, read_plan
from tests.roles.runs import (
    ANALYSIS,
    APPROVE,
    DEPLOY,
    DRAFT,
    FAILS,
    PASSES,
    SIGNED,
    SOURCE,
    VERIFY,
    Shop,
    repository,
)

Capture = pytest.CaptureFixture[str]


@pytest.fixture
def shop(tmp_path: Path, capsys: Capture) -> Shop:
    made = repository(tmp_path / "shop")
    start(made.root, "Pay refunds", VERIFY.split(), run_id="refunds")
    return made


def test_nothing_that_the_repository_configures_is_run(
    shop: Shop, tmp_path: Path, capsys: Capture
) -> None:
    """Neither when the patch is checked, nor in the working tree that it is verified in, nor when
    it is applied."""
    marker = tmp_path / "was-run"
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\ntouch {marker}\ncat\n")
    program.chmod(0o755)
    (shop.root / ".gitattributes").write_text("*.py filter=x merge=x\n")
    shop.git("add", "-A")
    shop.git("commit", "-qm", "Attributes")
    for key in ("filter.x.clean", "filter.x.smudge", "merge.x.driver", "core.fsmonitor"):
        shop.git("config", key, str(program))
    for hook in ("post-checkout", "post-index-change", "reference-transaction"):
        (shop.root / ".git" / "hooks" / hook).symlink_to(program)
    shop.advance(capsys, "--own-changes")
    for artifacts in (
        {"analysis": ANALYSIS},
        {"draft": DRAFT},
        {"contract_review": APPROVE, "cost_review": APPROVE},
        {"plan": SIGNED},
        {"patch": FAILS},
        {"patch": PASSES},
        {"deployment": DEPLOY},
    ):
        shop.hand_in(**artifacts)
        stands = shop.advance(capsys)
    assert stands[1] == "ended"
    assert (shop.root / "services" / "refunds.py").read_text() == SOURCE.replace("None", "1")
    assert not marker.exists()


def test_runs_are_kept_in_no_folder_elsewhere(tmp_path: Path) -> None:
    shop = repository(tmp_path / "shop")
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (shop.root / ".agent-team").symlink_to(elsewhere)
    with pytest.raises(UsageError) as raised:
        start(shop.root, "Refunds", ["true"])
    assert str(raised.value) == f"{shop.root}/.agent-team: is a link; runs are kept in a folder"
    assert [*elsewhere.iterdir()] == []


def test_starts_at_the_same_instant_never_share_a_folder(tmp_path: Path) -> None:
    shop = repository(tmp_path / "shop")
    with ThreadPoolExecutor(8) as pool:
        made = pool.map(lambda _: start(shop.root, "Refunds", ["true"]), range(8))
    assert sorted(made) == [f"refunds-{number}" for number in range(1, 9)]


@pytest.mark.skipif(sys.platform == "win32", reason="kills its parent")
def test_a_driver_that_is_killed_accuses_nobody(tmp_path: Path, capsys: Capture) -> None:
    """The command that verifies kills the process that runs it, the first time."""
    shop = repository(tmp_path / "shop")
    killer = tmp_path / "verify.py"
    killer.write_text(
        "import os, pathlib, signal, sys\n"
        f"marker = pathlib.Path({str(tmp_path / 'killed')!r})\n"
        "if not marker.exists():\n"
        "    marker.touch()\n"
        "    os.kill(os.getppid(), signal.SIGKILL)\n"
    )
    start(shop.root, "Refunds", [sys.executable, str(killer)], run_id="refunds")
    for artifacts in (
        {"analysis": ANALYSIS},
        {"draft": DRAFT},
        {"contract_review": APPROVE, "cost_review": APPROVE},
    ):
        shop.hand_in(**artifacts)
        shop.advance(capsys)
    shop.hand_in(plan=SIGNED)
    shop.advance(capsys)
    shop.hand_in(patch=PASSES)
    program = (
        "from contract_scan.cli.main import main; raise SystemExit(main(['roles', 'advance']))"
    )
    done = subprocess.run([sys.executable, "-P", "-c", program], cwd=shop.root, check=False)
    assert done.returncode == -signal.SIGKILL
    assert shop.git("worktree", "list").count("\n") == 2
    _, standing = shop.roles(capsys, "advance")
    assert (standing["step"], standing["status"], standing["breaches"]) == ("deploy", "waiting", [])
    assert shop.git("worktree", "list").count("\n") == 1
    # Killed after the patch was applied: it is not applied twice.
    state = shop.run / "run.json"
    state.write_text(state.read_text().replace('"is_driven": false', '"is_driven": true'))
    shop.git("apply", str(shop.run / "artifacts" / "diff.patch"))
    shop.hand_in(deployment=DEPLOY)
    _, standing = shop.roles(capsys, "advance")
    assert (standing["ending"], standing["breaches"]) == ("done", [])
    assert (shop.root / "services" / "refunds.py").read_text() == SOURCE.replace("None", "1")


def test_two_processes_never_look_at_a_run_at_once(shop: Shop, capsys: Capture) -> None:
    program = (
        "from contract_scan.cli.main import main; raise SystemExit(main(['roles', 'advance']))"
    )
    words = ["roles", "act", "chair", "--root", str(shop.root), "--", sys.executable, "-P", "-c"]
    assert main([*words, program]) == 2
    message = "contract-scan: .agent-team/runs/refunds: another process is at work in this run"
    assert capsys.readouterr().err == (
        f"contract-scan: chair: `{sys.executable}` failed with status 2: {message}\n"
    )


def test_a_repository_without_a_commit(tmp_path: Path, capsys: Capture) -> None:
    shop = Shop(tmp_path)
    shop.git("init", "-q")
    assert main(["roles", "start", "Refunds", "--verify", "true", "--root", str(tmp_path)]) == 2
    assert capsys.readouterr().err.endswith("git knows no commit `HEAD`\n")
    assert not (tmp_path / ".agent-team").exists()


def test_a_verification_that_takes_too_long_fails(tmp_path: Path, capsys: Capture) -> None:
    shop = repository(tmp_path / "shop")
    words = ["--id", "refunds", "--root", str(shop.root), "--verify-seconds", "0.2"]
    assert main(["roles", "start", "Refunds", "--verify", "sleep 60", *words]) == 0
    capsys.readouterr()
    for artifacts in (
        {"analysis": ANALYSIS},
        {"draft": DRAFT},
        {"contract_review": APPROVE, "cost_review": APPROVE},
        {"plan": SIGNED},
        {"patch": PASSES},
    ):
        shop.hand_in(**artifacts)
        stands = shop.advance(capsys)
    assert stands[0] == "fix"
    report = json.loads((shop.run / "artifacts" / "verify_report.json").read_text())
    assert report["failures"][0]["message"] == (
        "exit status 127: `sleep` took longer than 0.2 seconds"
    )
    assert shop.git("worktree", "list").count("\n") == 1


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ("{", "is no configuration of the dispatcher: Input data was truncated"),
        (
            {"role_providers": {"patchmaker": "local_exec"}},
            "`local_exec` is for `librarian`, and that for it alone",
        ),
        (
            {"role_providers": {"librarian": "manual_outbox"}},
            "`local_exec` is for `librarian`, and that for it alone",
        ),
        (
            {"budgets": {"max_outbox_prompts": -1}},
            "`budgets.max_outbox_prompts` must be 0 to 10000",
        ),
    ],
)
def test_configurations_of_the_dispatcher(
    changed: str | dict[str, Any], message: str, shop: Shop, capsys: Capture
) -> None:
    place = shop.run / "artifacts" / "dispatch_config.json"
    before = json.loads(place.read_text())
    assert before == {
        "budgets": {"max_outbox_prompts": 20},
        "schema_version": "ctcp-dispatch-config-v1",
        "mode": "manual_outbox",
        "role_providers": {"librarian": "local_exec"},
    }
    place.write_text(changed if isinstance(changed, str) else json.dumps({**before, **changed}))
    _, standing = shop.roles(capsys, "advance", "--own-changes")
    assert (standing["status"], standing["reason"]) == (
        "blocked",
        f"artifacts/dispatch_config.json: {message}",
    )


@pytest.mark.parametrize(
    ("url", "is_kept"),
    [
        ("https://docs.example.org/refunds", True),
        ("https://example.org/refunds", True),
        ("https://example.org.evil.test/", False),
        ("https://evilexample.org/", False),
        ("file:///etc/passwd", False),
        ("https://[", False),
    ],
)
def test_what_the_web_researcher_hands_in(
    url: str, is_kept: bool, tmp_path: Path, capsys: Capture
) -> None:
    shop = repository(tmp_path / "shop")
    start(shop.root, "Refunds", ["true"], run_id="refunds", domains=["example.org"])
    shop.advance(capsys)
    pack = shop.run / "meta" / "externals" / "refunds" / "externals_pack.json"
    pack.parent.mkdir(parents=True)
    result = {
        "url": url,
        "locator": {"type": "heading", "value": "Refunds"},
        "fetched_at": "2026-01-01",
        "excerpt": "Refunds are paid within a week.",
        "why_relevant": "how long it takes",
    }
    pack.write_text(json.dumps({"schema_version": "ctcp-find-web-v1", "results": [result]}))
    shop.hand_in(analysis=ANALYSIS)
    assert shop.advance(capsys) == ("plan", "waiting", "chair", "artifacts/PLAN_draft.md")
    assert pack.exists() == is_kept
    put_away = [event for event in shop.events() if event.startswith("put away")]
    assert put_away == ([] if is_kept else [f"put away: quotes {url!r}, which is not allowed"])


def test_without_domains_there_is_no_web_researcher(shop: Shop, capsys: Capture) -> None:
    shop.advance(capsys)
    pack = shop.run / "meta" / "externals" / "refunds" / "externals_pack.json"
    pack.parent.mkdir(parents=True)
    pack.write_text("{}")
    _, standing = shop.roles(capsys, "advance")
    assert [one["path"] for one in standing["breaches"]] == [
        "meta/externals/refunds/externals_pack.json"
    ]
    assert not pack.exists()


def test_a_workflow_that_cannot_be_read(shop: Shop, capsys: Capture) -> None:
    workflows = shop.root / ".agent-team" / "workflows"
    workflows.mkdir()
    (workflows / "a.json").write_text('{"workflow_id": 1}')
    shop.hand_in(analysis=ANALYSIS)
    _, standing = shop.roles(capsys, "advance", "--own-changes")
    assert (standing["status"], standing["reason"]) == (
        "blocked",
        ".agent-team/workflows/a.json: is no workflow: Expected `str`, got `int` - at "
        "`$.workflow_id`",
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("hello", "P:1: has no line `Status: …`"),
        ("Status: DONE", "P:1: `Status` must be DRAFT or SIGNED, not 'DONE'"),
        ("\nStatus: DRAFT\n", "P:1: has no line `Scope-Allow: …`"),
        ("Status: DRAFT\nScope-Allow:\n", "P:2: has no line `Scope-Allow: …`"),
        ("Status: DRAFT\nScope-Allow: a/\nGates: g\n", "P:1: has no line `Stop: …`"),
        (
            DRAFT.replace("services/\n", "/etc/\n"),
            "P:4: `/etc/` is no path in the repository, with `/`",
        ),
        (
            DRAFT.replace("services/\n", "../x\n"),
            "P:4: `../x` is no path in the repository, with `/`",
        ),
        (
            DRAFT.replace("services/\n", "services/**\n"),
            "P:4: `services/**`: name a file, or a folder with `/` at the end",
        ),
        (
            DRAFT.replace("max_files 2", "max_files many"),
            "P:9: `Budgets` are `max_files N`, `max_added_lines N`, not 'max_files many'",
        ),
    ],
)
def test_plans_that_cannot_be_used(text: str, message: str) -> None:
    with pytest.raises(ArtifactError) as raised:
        read_plan(text, "P")
    assert str(raised.value) == message


def test_keys_as_agents_write_them() -> None:
    plan = read_plan(
        "## Status: signed\n- **Scope Allow**: `services/`, check.py\n```\nScope-Deny: x/\n```\n"
        "**Gates:**\n- lint\n- test\n\n* stop: never\nscope_deny: services/secrets/\n",
        "P",
    )
    assert plan.is_signed
    assert plan.allowed == ("services/", "check.py")
    assert plan.denied == ("services/secrets/",)
    assert plan.gates == ("lint", "test")
    assert [plan.allows(path) for path in ("services/a/b.py", "check.py", "check.pyc")] == [
        True,
        True,
        False,
    ]
    assert not plan.allows("services/secrets/key")


def test_a_signed_plan_is_its_draft_but_for_the_status() -> None:
    assert is_signed_form(SIGNED, DRAFT)
    assert is_signed_form(SIGNED.replace("\n", "\r\n"), DRAFT)
    assert not is_signed_form(SIGNED + "Scope-Allow: web/\n", DRAFT)
    assert not is_signed_form(SIGNED.replace("services/", "web/"), DRAFT)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("looks good", "R:1: has no line `Verdict: …`"),
        ("Verdict: APPROVE|BLOCK", "R:1: `Verdict` must be APPROVE or BLOCK, not 'APPROVE|BLOCK'"),
        ("Verdict: BLOCK", "R:1: has no line `Blocking-Reasons: …`"),
    ],
)
def test_reviews_that_cannot_be_used(text: str, message: str) -> None:
    with pytest.raises(ArtifactError) as raised:
        read_review(text, "R")
    assert str(raised.value) == message


def test_an_answer_needs_a_decision_and_a_reason() -> None:
    for text, message in (
        ("Decision: OVERRULE\nReason: x", "must be REVISE or DISPUTE, not 'OVERRULE'"),
        ("Decision: REVISE", "has no line `Reason: …`"),
    ):
        with pytest.raises(ArtifactError) as raised:
            read_adjudication(text, "A")
        assert str(raised.value).endswith(message)
