"""A run from its analysis to the patch in the repository, by real programs and real git."""

from __future__ import annotations

import json
import re
import zipfile
from pathlib import Path
from typing import Any

import pytest

from contract_scan.cli.main import main
from tests.roles.runs import (
    ANALYSIS,
    APPROVE,
    BLOCK,
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


def begin(shop: Shop, capsys: Capture, *options: str) -> None:
    words = ["--verify", VERIFY, "--id", "refunds", "--root", str(shop.root)]
    assert main(["roles", "start", "Pay refunds", *words, *options]) == 0
    assert capsys.readouterr().out == "refunds\n"


@pytest.fixture
def shop(tmp_path: Path, capsys: Capture) -> Shop:
    made = repository(tmp_path / "shop")
    begin(made, capsys)
    return made


def to_signature(shop: Shop, capsys: Capture) -> tuple[str, ...]:
    shop.hand_in(analysis=ANALYSIS)
    shop.advance(capsys)
    shop.hand_in(draft=DRAFT)
    shop.advance(capsys)
    shop.hand_in(contract_review=APPROVE, cost_review=APPROVE)
    shop.advance(capsys)
    shop.hand_in(plan=SIGNED)
    return shop.advance(capsys)


def test_a_run_goes_from_gate_to_gate(shop: Shop, capsys: Capture) -> None:
    stands = [shop.advance(capsys)]
    for artifacts in (
        {"analysis": ANALYSIS},
        {"draft": DRAFT},
        {"contract_review": APPROVE},
        {"cost_review": APPROVE},
        {"plan": SIGNED},
        {"patch": FAILS},
        {"patch": PASSES},
    ):
        shop.hand_in(**artifacts)
        stands.append(shop.advance(capsys))
    assert stands == [
        ("analysis", "waiting", "chair", "artifacts/analysis.md"),
        ("plan", "waiting", "chair", "artifacts/PLAN_draft.md"),
        ("plan", "waiting", "contract_guardian", "reviews/review_contract.md"),
        ("plan", "waiting", "cost_controller", "reviews/review_cost.md"),
        ("plan", "waiting", "chair", "artifacts/PLAN.md"),
        ("build", "waiting", "patchmaker", "artifacts/diff.patch"),
        ("fix", "waiting", "patchmaker", "artifacts/diff.patch"),
        ("deploy", "waiting", "chair", "artifacts/deployment.md"),
    ]
    source = shop.root / "services" / "refunds.py"
    assert source.read_text() == SOURCE  # nothing is applied before it is decided
    shop.hand_in(deployment=DEPLOY)
    code, standing = shop.roles(capsys, "advance")
    assert (code, standing["ending"], standing["reason"]) == (0, "done", "it passes")
    assert source.read_text() == SOURCE.replace("None", "1")
    assert shop.git("status", "--porcelain") == " M services/refunds.py\n"
    assert shop.git("worktree", "list").count("\n") == 1
    # Nobody has anything to do in a run that has ended.
    code, standing = shop.roles(capsys, "act", "patchmaker", "--", "rm", "check.py")
    assert (code, standing["ending"]) == (0, "done")
    assert (shop.root / "check.py").exists()


def test_what_the_verifier_writes(shop: Shop, capsys: Capture) -> None:
    to_signature(shop, capsys)
    shop.hand_in(patch=FAILS)
    shop.advance(capsys)
    report = json.loads((shop.run / "artifacts" / "verify_report.json").read_text())
    state = json.loads((shop.run / "run.json").read_text())
    command = VERIFY.split()
    assert report == {
        "result": "FAIL",
        "gate": "full",
        "iteration": 1,
        "max_iterations": 3,
        "plan_sha256": state["signature"],
        "patch_sha256": state["failed_patches"][0],
        "commands": [{"cmd": command, "exit_code": 1}],
        "failures": [{"kind": "command", "id": VERIFY, "message": "exit status 1: checked"}],
        "paths": {
            "trace": "TRACE.md",
            "verify_report": "artifacts/verify_report.json",
            "stdout_log": "logs/verify.stdout.log",
            "stderr_log": "logs/verify.stderr.log",
            "plan": "artifacts/PLAN.md",
            "patch": "artifacts/diff.patch",
            "bundle": "failure_bundle.zip",
        },
    }
    assert (shop.run / "TRACE.md").read_text() == (
        "# Trace of refunds, iteration 1 of 3\n\n"
        f"- result: FAIL\n- base: {state['base']}\n- plan: {state['signature']}\n"
        f"- patch: {state['failed_patches'][0]}\n\n"
        f"## Commands\n\n- `{VERIFY}`: exit status 1\n\n"
        f"## Failures\n\n- command `{VERIFY}`: exit status 1: checked\n\n"
        "## Last lines\n\n    checked\n"
    )
    with zipfile.ZipFile(shop.run / "failure_bundle.zip") as bundle:
        assert bundle.namelist() == [
            "TRACE.md",
            "artifacts/verify_report.json",
            "logs/verify.stdout.log",
            "logs/verify.stderr.log",
            "artifacts/PLAN.md",
            "artifacts/diff.patch",
        ]
        assert bundle.read("artifacts/diff.patch").decode() == FAILS
    shop.hand_in(patch=PASSES)
    shop.advance(capsys)
    assert (shop.run / "contrast.md").read_text() == (
        "# Iteration 1 and iteration 2\n\nFAIL -> PASS\n\n"
        f"## Gone\n\n- command `{VERIFY}`: exit status 1: checked\n\n"
        "## New\n\nNone.\n\n## Still there\n\nNone.\n"
    )


def test_the_verifier_says_what_a_command_did_that_cannot_run(
    tmp_path: Path, capsys: Capture
) -> None:
    shop = repository(tmp_path / "shop")
    words = ["--id", "refunds", "--root", str(shop.root), "--max-iterations", "1"]
    assert main(["roles", "start", "Refunds", "--verify", "no-such-program", *words]) == 0
    capsys.readouterr()
    to_signature(shop, capsys)
    shop.hand_in(patch=PASSES)
    code, standing = shop.roles(capsys, "advance")
    assert (code, standing["ending"], standing["reason"]) == (
        1,
        "budget_exceeded",
        "1 patches failed",
    )
    report = json.loads((shop.run / "artifacts" / "verify_report.json").read_text())
    assert report["failures"][0]["message"] == (
        "exit status 127: cannot start `no-such-program`: No such file or directory"
    )


def test_a_review_that_blocks_keeps_the_plan_from_being_signed(shop: Shop, capsys: Capture) -> None:
    shop.hand_in(analysis=ANALYSIS)
    shop.advance(capsys)
    shop.hand_in(draft=DRAFT)
    shop.advance(capsys)
    shop.hand_in(contract_review=APPROVE, cost_review=BLOCK)
    assert shop.advance(capsys) == ("plan", "waiting", "chair", "artifacts/adjudication.md")
    shop.hand_in(plan=SIGNED)  # without an answer to the review
    assert shop.advance(capsys) == ("plan", "waiting", "chair", "artifacts/adjudication.md")
    shop.hand_in(adjudication="Decision: REVISE\nReason: a test is planned now\n")
    assert shop.advance(capsys) == ("plan", "waiting", "chair", "artifacts/PLAN_draft.md")
    assert (shop.run / "history" / "round-1-review_cost.md").read_text() == BLOCK
    revised = DRAFT.replace("Gates: verify", "Gates: verify, test")
    shop.hand_in(draft=revised)
    shop.advance(capsys)
    shop.hand_in(contract_review=APPROVE, cost_review=APPROVE)
    code, standing = shop.roles(capsys, "advance")
    assert (standing["target"], standing["reason"]) == (
        "artifacts/PLAN.md",
        "artifacts/PLAN.md: must be artifacts/PLAN_draft.md, which was reviewed, but for its "
        "status",
    )
    shop.hand_in(plan=revised.replace("DRAFT", "SIGNED"))
    assert shop.advance(capsys)[0] == "build"
    assert code == 1


def test_disputed_reviews_are_asked_for_again_and_rounds_are_counted(
    shop: Shop, capsys: Capture
) -> None:
    shop.hand_in(analysis=ANALYSIS)
    shop.advance(capsys)
    shop.hand_in(draft=DRAFT)
    stands = []
    for _ in range(3):
        stands.append(shop.advance(capsys)[2])
        shop.hand_in(contract_review=BLOCK, cost_review=APPROVE)
        shop.advance(capsys)
        shop.hand_in(adjudication="Decision: DISPUTE\nReason: there is a test\n")
    _, standing = shop.roles(capsys, "advance")
    assert stands == ["contract_guardian"] * 3
    assert (standing["ending"], standing["reason"]) == (
        "budget_exceeded",
        "3 rounds of reviews were not enough",
    )


def test_a_draft_that_changes_is_reviewed_anew(shop: Shop, capsys: Capture) -> None:
    shop.hand_in(analysis=ANALYSIS)
    shop.advance(capsys)
    shop.hand_in(draft=DRAFT)
    shop.advance(capsys)
    shop.hand_in(contract_review=APPROVE, cost_review=APPROVE)
    shop.advance(capsys)
    shop.hand_in(draft=DRAFT.replace("services/\n", "services/, web/\n"), plan=SIGNED)
    assert shop.advance(capsys) == (
        "plan",
        "waiting",
        "contract_guardian",
        "reviews/review_contract.md",
    )


def test_a_signed_plan_is_its_hash(shop: Shop, capsys: Capture) -> None:
    to_signature(shop, capsys)
    shop.hand_in(plan=SIGNED.replace("max_files 2", "max_files 99"))
    _, standing = shop.roles(capsys, "advance")
    (breach,) = standing["breaches"]
    assert (breach["role"], breach["prohibition"]) == ("patchmaker", "patchmaker-approves")
    assert (shop.run / "artifacts" / "PLAN.md").read_text() == SIGNED
    # An owner may change it, but a plan that was changed is not the one that was signed.
    shop.hand_in(plan=SIGNED + "\nmore\n")
    signature = json.loads((shop.run / "run.json").read_text())["signature"]
    _, standing = shop.roles(capsys, "advance", "--own-changes")
    assert (standing["status"], standing["reason"]) == (
        "blocked",
        f"artifacts/PLAN.md: is not what was signed ({signature:.12})",
    )
    shop.hand_in(plan=SIGNED)
    assert shop.advance(capsys, "--own-changes")[:2] == ("build", "waiting")


def test_the_librarian_answers_the_request_of_the_chair(shop: Shop, capsys: Capture) -> None:
    request: dict[str, Any] = {
        "schema_version": "ctcp-file-request-v1",
        "goal": "Refunds",
        "needs": [{"path": "services/refunds.py"}, {"path": ".git/config"}],
        "budget": {"max_files": 2, "max_total_bytes": 1000},
    }
    shop.hand_in(analysis=ANALYSIS, file_request=json.dumps(request))
    assert shop.advance(capsys)[3] == "artifacts/PLAN_draft.md"
    pack = json.loads((shop.run / "artifacts" / "context_pack.json").read_text())
    assert [(one["path"], one["content"]) for one in pack["files"]] == [
        ("services/refunds.py", SOURCE)
    ]
    assert pack["omitted"] == [{"path": ".git/config", "reason": "denied"}]
    request["needs"] = [{"path": "check.py"}]
    shop.hand_in(file_request=json.dumps(request))
    assert shop.advance(capsys)[3] == "artifacts/PLAN_draft.md"
    pack = json.loads((shop.run / "artifacts" / "context_pack.json").read_text())
    assert [one["path"] for one in pack["files"]] == ["check.py"]


def test_the_resolver_chooses_by_words(shop: Shop, capsys: Capture) -> None:
    workflows = shop.root / ".agent-team" / "workflows"
    workflows.mkdir()
    for name, words in (("payments", ["refunds", "paid"]), ("search", ["index", "query"])):
        workflow = {"workflow_id": name, "version": "2", "keywords": words}
        (workflows / f"{name}.json").write_text(json.dumps(workflow))
    shop.hand_in(analysis=ANALYSIS)
    shop.advance(capsys, "--own-changes")
    assert json.loads((shop.run / "artifacts" / "find_result.json").read_text()) == {
        "schema_version": "ctcp-find-result-v1",
        "selected_workflow_id": "payments",
        "selected_version": "2",
        "candidates": [
            {
                "workflow_id": "payments",
                "version": "2",
                "score": 1.0,
                "why": "words found: refunds, paid",
            },
            {
                "workflow_id": "patch",
                "version": "1",
                "score": 0.0,
                "why": "none of its words is found",
            },
            {
                "workflow_id": "search",
                "version": "2",
                "score": 0.0,
                "why": "none of its words is found",
            },
        ],
    }


def test_a_patch_that_is_rejected_changes_nothing(shop: Shop, capsys: Capture) -> None:
    to_signature(shop, capsys)
    shop.hand_in(patch=PASSES)
    shop.advance(capsys)
    shop.hand_in(deployment="Decision: REJECT\nReason: not this week\n")
    _, standing = shop.roles(capsys, "advance")
    assert (standing["ending"], standing["reason"]) == ("rejected", "not this week")
    assert shop.git("status", "--porcelain") == ""


def test_a_patch_that_no_longer_fits_is_not_half_applied(shop: Shop, capsys: Capture) -> None:
    to_signature(shop, capsys)
    shop.hand_in(patch=PASSES)
    shop.advance(capsys)
    source = shop.root / "services" / "refunds.py"
    source.write_text("def refund():\n    return 7\n")
    shop.advance(capsys, "--own-changes")
    shop.hand_in(deployment=DEPLOY)
    _, standing = shop.roles(capsys, "advance")
    assert standing["status"] == "blocked"
    assert standing["reason"].startswith(
        "artifacts/diff.patch: does not fit the working tree: "
        "`git` failed with status 1: error: services/refunds.py: patch does not apply"
    )
    assert source.read_text() == "def refund():\n    return 7\n"


@pytest.mark.parametrize(
    ("patch", "reason"),
    [
        (
            "hello\n",
            "artifacts/diff.patch:1: must begin with `diff --git`; write it with `git diff`",
        ),
        (
            PASSES.replace("return None", "return nothing"),
            "cannot be applied to",
        ),
        (
            PASSES.replace("services/refunds.py", "../refunds.py"),
            "artifacts/diff.patch:1: '../refunds.py' is no path in the repository with plain "
            "characters",
        ),
        (
            PASSES.replace("services/refunds.py", ".git/hooks/pre-commit"),
            "artifacts/diff.patch:1: '.git/hooks/pre-commit' belongs to git",
        ),
        (PASSES.removesuffix("+    return 1\n"), "artifacts/diff.patch:6: ends within a hunk"),
    ],
)
def test_patches_that_cannot_be_used(patch: str, reason: str, shop: Shop, capsys: Capture) -> None:
    to_signature(shop, capsys)
    shop.hand_in(patch=patch)
    _, standing = shop.roles(capsys, "advance")
    assert (standing["step"], standing["status"]) == ("build", "waiting")
    assert reason in standing["reason"]


def test_prompts_are_written_once_and_name_one_target(shop: Shop, capsys: Capture) -> None:
    for _ in range(3):
        shop.advance(capsys)
    to_signature(shop, capsys)
    shop.hand_in(patch=FAILS)
    shop.advance(capsys)
    prompts = {file.name: file.read_text() for file in sorted((shop.run / "outbox").iterdir())}
    assert [*prompts] == [
        "001-chair-analysis-analysis-r1-i0.md",
        "002-chair-plan-plan_draft-r1-i0.md",
        "003-contract_guardian-plan-review_contract-r1-i0.md",
        "004-cost_controller-plan-review_cost-r1-i0.md",
        "005-chair-plan-plan-r1-i0.md",
        "006-patchmaker-build-diff-r1-i0.md",
        "007-patchmaker-fix-diff-r1-i1.md",
    ]
    for text in prompts.values():
        (target,) = re.findall(r"^Target-Path: (.*)$", text, flags=re.MULTILINE)
        places = re.findall(r"^(?:Write-Abs|Write to): (.*)$", text, flags=re.MULTILINE)
        assert places == [str(shop.run / target)] * 2


def test_no_more_prompts_than_the_budget(tmp_path: Path, capsys: Capture) -> None:
    shop = repository(tmp_path / "shop")
    begin(shop, capsys, "--max-outbox-prompts", "1")
    shop.advance(capsys)
    shop.hand_in(analysis=ANALYSIS)
    _, standing = shop.roles(capsys, "advance")
    assert (standing["status"], standing["reason"]) == (
        "blocked",
        "budget_exceeded: 1 prompts were written",
    )
    assert len([*(shop.run / "outbox").iterdir()]) == 1


def test_the_run_pointer_names_the_latest_run(shop: Shop, capsys: Capture) -> None:
    words = ["--verify", VERIFY, "--root", str(shop.root)]
    for _ in range(2):
        assert main(["roles", "start", "Pay: refunds!", *words]) == 0
    assert capsys.readouterr().out == "pay-refunds-1\npay-refunds-2\n"
    assert main(["roles", "advance", "--root", str(shop.root)]) == 1
    assert capsys.readouterr().out.startswith("pay-refunds-2: analysis: waiting for chair: ")
    assert (shop.run.parent / "LATEST").read_text() == "pay-refunds-2\n"
    assert shop.git("status", "--porcelain") == ""  # runs are ignored by git


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--id", "../x"], "--id: '../x' is no id of a run"),
        (["--id", "refunds"], "the run `refunds` is there already"),
    ],
)
def test_ids_that_cannot_be_used(
    words: list[str], message: str, shop: Shop, capsys: Capture
) -> None:
    command = ["roles", "start", "Refunds", "--verify", "true", "--root", str(shop.root), *words]
    assert main(command) == 2
    assert message in capsys.readouterr().err


def test_what_is_no_run(shop: Shop, tmp_path: Path, capsys: Capture) -> None:
    for words, message in (
        (["--run", "other"], "there is no run `other`"),
        (["--run", "../refunds"], "'../refunds' is no id of a run"),
    ):
        assert main(["roles", "advance", "--root", str(shop.root), *words]) == 2
        assert message in capsys.readouterr().err
    (shop.run / "run.json").write_text("{}")
    assert main(["roles", "advance", "--root", str(shop.root)]) == 2
    assert "run.json: is no state of a run: " in capsys.readouterr().err
    (tmp_path / "empty").mkdir()
    assert main(["roles", "advance", "--root", str(tmp_path / "empty")]) == 2
    assert "empty: is no git repository" in capsys.readouterr().err
