"""Every "must not" of every role, tried by a program that is run as that role, and blocked."""

from __future__ import annotations

import json
import random
import shutil
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from contract_scan.cli.main import main
from contract_scan.roles.team import TEAM
from tests.roles.runs import (
    ANALYSIS,
    APPROVE,
    DEPLOY,
    DRAFT,
    PASSES,
    SIGNED,
    SOURCE,
    VERIFY,
    Shop,
    repository,
)

Capture = pytest.CaptureFixture[str]

RUN = ".agent-team/runs/refunds"
WRITES = {
    "analysis": f"{RUN}/artifacts/analysis.md",
    "find result": f"{RUN}/artifacts/find_result.json",
    "context pack": f"{RUN}/artifacts/context_pack.json",
    "externals": f"{RUN}/meta/externals/refunds/externals_pack.json",
    "plan": f"{RUN}/artifacts/PLAN.md",
    "contract review": f"{RUN}/reviews/review_contract.md",
    "cost review": f"{RUN}/reviews/review_cost.md",
    "decision": f"{RUN}/artifacts/deployment.md",
    "patch": f"{RUN}/artifacts/diff.patch",
    "verification": f"{RUN}/artifacts/verify_report.json",
    "trace": f"{RUN}/TRACE.md",
    "guardrails": f"{RUN}/artifacts/guardrails.md",
    "dispatch": f"{RUN}/artifacts/dispatch_config.json",
    "prompt": f"{RUN}/outbox/900-more.md",
    "event": f"{RUN}/events.jsonl",
    "state": f"{RUN}/run.json",
    "evidence": f"{RUN}/evidence/0001.json",
    "other": f"{RUN}/notes.txt",
    "pointer": ".agent-team/runs/LATEST",
    "source": "services/refunds.py",
    "new source": "services/more.py",
    "hook": ".git/hooks/pre-commit",
}
"""What a program may write to, each by a name."""
OUTSIDE = "outside-its-outputs"
CODE = ("patch", "source", "new source", "hook")
MUST_NOT: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "chair": {},
    "orchestrator": {
        "orchestrator-decides": (
            *("analysis", "find result", "plan", "decision", "guardrails", "dispatch"),
        ),
        "orchestrator-patches": CODE,
        "orchestrator-approves": ("contract review", "cost review"),
    },
    "librarian": {
        "librarian-decides-solution": (
            *("analysis", "find result", "plan", "decision", "contract review", "cost review"),
            *("guardrails", "dispatch"),
        ),
        "librarian-patches": CODE,
    },
    "web_researcher": {
        "researcher-replaces-resolver": ("find result",),
        "researcher-executes": CODE,
    },
    "contract_guardian": {"guardian-edits-code": CODE},
    "cost_controller": {"controller-edits-code": CODE},
    "patchmaker": {
        "patchmaker-approves": (
            *("contract review", "cost review", "plan", "decision", "verification", "trace"),
            *("guardrails", "dispatch"),
        ),
    },
    "verifier": {
        "verifier-sets-policy": (
            *("verification", "trace", "plan", "decision", "contract review", "cost review"),
            *("guardrails", "dispatch"),
        ),
    },
}
"""What of it breaks which "must not"; everything else is outside of a role's outputs."""
MAY_WRITE: Mapping[str, Mapping[str, set[str]]] = {
    "deploy": {"chair": {"decision"}, "orchestrator": {"prompt"}},
    "plan": {
        "chair": {"plan"},
        "orchestrator": {"prompt"},
        "web_researcher": {"externals"},
        "contract_guardian": {"contract review"},
        "cost_controller": {"cost review"},
    },
}
"""What a role may write of it: when a patch has passed and the chair is asked whether to deploy it,
and when reviews of the draft are asked for."""
ROLE_NAMES = [role.name for role in TEAM]


def broken(role: str, name: str) -> str:
    """The "must not" that a role breaks by a write."""
    rules = MUST_NOT[role].items()
    return next((rule for rule, names in rules if name in names), OUTSIDE)


HANDED_IN: tuple[dict[str, str], ...] = (
    {"analysis": ANALYSIS},
    {"draft": DRAFT},
    {"contract_review": APPROVE, "cost_review": APPROVE},
    {"plan": SIGNED},
    {"patch": PASSES},
)
"""What roles hand in, from look to look, until a patch has passed."""


def run_with(folder: Path, *handed_in: dict[str, str]) -> Shop:
    """A run in which that has been handed in."""
    shop = repository(folder / "shop")
    words = ["--verify", VERIFY, "--id", "refunds", "--root", str(shop.root)]
    assert main(["roles", "start", "Pay refunds", *words]) == 0
    for artifacts in handed_in:
        shop.hand_in(**artifacts)
        assert main(["roles", "advance", "--root", str(shop.root)]) == 1
    return shop


@pytest.fixture(scope="module")
def originals(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Shop]:
    """A run at each of two steps."""
    return {
        "deploy": run_with(tmp_path_factory.mktemp("deploy"), *HANDED_IN),
        "plan": run_with(tmp_path_factory.mktemp("plan"), *HANDED_IN[:2]),
    }


@pytest.fixture
def copies(originals: dict[str, Shop], tmp_path: Path, capsys: Capture) -> Callable[[str], Shop]:
    """What gives a copy of the run at a step."""

    def copy(step: str) -> Shop:
        root = tmp_path / "shop"
        shutil.copytree(originals[step].root, root, symlinks=True)
        capsys.readouterr()
        return Shop(root)

    return copy


@pytest.fixture
def shop(copies: Callable[[str], Shop]) -> Shop:
    return copies("deploy")


def writing(names: Mapping[str, str]) -> list[str]:
    """A program that writes to places."""
    program = (
        "import json, pathlib, sys\n"
        "for path, text in json.loads(sys.argv[1]).items():\n"
        "    file = pathlib.Path(path)\n"
        "    file.parent.mkdir(parents=True, exist_ok=True)\n"
        "    file.write_text(text)\n"
    )
    return [sys.executable, "-c", program, json.dumps(names)]


def contents(root: Path) -> dict[str, bytes]:
    """Every file of the run but those that say what happened."""
    told = ("run.json", "events.jsonl", "evidence", ".kept")
    run = root / RUN
    return {
        file.relative_to(run).as_posix(): file.read_bytes()
        for file in run.rglob("*")
        if file.is_file() and file.relative_to(run).parts[0] not in told
    }


def found(standing: dict[str, Any]) -> set[tuple[str, str, str]]:
    return {
        (
            one["role"],
            one["prohibition"],
            f"{RUN}/{one['path']}" if one["place"] == "run" else one["path"],
        )
        for one in standing["breaches"]
    }


@pytest.mark.parametrize("role", ROLE_NAMES)
def test_all_that_a_role_must_not_write_is_blocked_and_undone(
    role: str, shop: Shop, capsys: Capture
) -> None:
    before = contents(shop.root)
    allowed = MAY_WRITE["deploy"].get(role, set())
    wrong = {name: path for name, path in WRITES.items() if name not in allowed}
    program = writing(dict.fromkeys(wrong.values(), f"{role} was here\n"))
    code, standing = shop.roles(capsys, "act", role, "--", *program)
    assert (code, standing["status"]) == (1, "blocked")
    assert found(standing) == {(role, broken(role, name), path) for name, path in wrong.items()}
    # What was written in the run has no effect; the evidence has it.
    assert contents(shop.root) == before
    for number, one in enumerate(standing["breaches"], start=1):
        evidence = json.loads((shop.run / f"evidence/{number:04}.json").read_text())
        assert evidence == one
        if one["place"] == "run":
            assert (shop.run / one["rejected"]).read_text() == f"{role} was here\n"
    # The repository is not ours to mend: the run goes on when it is as it was.
    _, standing = shop.roles(capsys, "advance")
    assert (standing["status"], {one["place"] for one in standing["breaches"]}) == (
        "blocked",
        {"repository"},
    )
    (shop.root / "services" / "refunds.py").write_text(SOURCE)
    (shop.root / "services" / "more.py").unlink()
    (shop.root / ".git" / "hooks" / "pre-commit").unlink()
    (shop.root / ".agent-team" / "runs" / "LATEST").write_text("refunds\n")
    assert shop.advance(capsys) == ("deploy", "waiting", "chair", "artifacts/deployment.md")


@pytest.mark.parametrize("step", [*MAY_WRITE])
@pytest.mark.parametrize("seed", range(6))
def test_what_is_blocked_is_what_was_planted(
    step: str, seed: int, copies: Callable[[str], Shop], capsys: Capture
) -> None:
    chosen = random.Random(f"{step} {seed}")
    role = chosen.choice(ROLE_NAMES)
    names = chosen.sample([*WRITES], chosen.randint(1, 5))
    allowed = MAY_WRITE[step].get(role, set())
    program = writing({WRITES[name]: "Decision: DEPLOY\nReason: x\n" for name in names})
    _, standing = copies(step).roles(capsys, "act", role, "--", *program)
    assert found(standing) == {
        (role, broken(role, name), WRITES[name]) for name in names if name not in allowed
    }


@pytest.mark.parametrize(
    ("role", "name", "text"),
    [
        ("contract_guardian", "contract review", APPROVE),
        ("cost_controller", "cost review", APPROVE),
        ("chair", "plan", DRAFT),
    ],
)
def test_a_role_may_write_its_outputs_and_nothing_beside_them(
    role: str, name: str, text: str, copies: Callable[[str], Shop], capsys: Capture
) -> None:
    shop = copies("plan")
    program = writing({WRITES[name]: text})
    _, standing = shop.roles(capsys, "act", role, "--", *program)
    assert standing["breaches"] == []
    others = {one: path for one, path in WRITES.items() if one not in MAY_WRITE["plan"][role]}
    program = writing(dict.fromkeys([*others.values(), WRITES[name]], f"{text}\n"))
    _, standing = shop.roles(capsys, "act", role, "--", *program)
    assert found(standing) == {(role, broken(role, one), path) for one, path in others.items()}


def test_a_pack_that_nobody_asked_for_is_the_librarians_own_idea(
    copies: Callable[[str], Shop], capsys: Capture
) -> None:
    shop = copies("plan")
    program = writing({WRITES["context pack"]: "{}"})
    _, standing = shop.roles(capsys, "act", "librarian", "--", *program)
    assert [(one["prohibition"], one["detail"]) for one in standing["breaches"]] == [
        ("librarian-decides-solution", "it answers no artifacts/file_request.json")
    ]


def test_every_must_not_is_tried() -> None:
    tried = {rule for rules in MUST_NOT.values() for rule in rules}
    by_words = {"chair-delegates-decision", "patchmaker-widens-scope"}
    assert {one.id for role in TEAM for one in role.prohibitions} == tried | by_words


@pytest.mark.parametrize(
    "command",
    [
        [
            "git",
            "-c",
            "user.name=A",
            "-c",
            "user.email=a@b",
            "commit",
            "-q",
            "--allow-empty",
            "-mx",
        ],
        ["git", "branch", "mine"],
        ["git", "config", "core.hooksPath", "/tmp/hooks"],
        ["rm", "services/refunds.py"],
        ["ln", "-sf", "/etc/passwd", "services/refunds.py"],
        ["chmod", "+x", "services/refunds.py"],
        ["git", "update-index", "--assume-unchanged", "services/refunds.py"],
        ["git", "update-index", "--skip-worktree", "services/refunds.py"],
        ["sh", "-c", "echo '*.py' >> .git/info/exclude; echo > services/more.py"],
    ],
    ids=[
        *("commit", "branch", "setting", "deletion", "link", "mode"),
        *("hidden", "skipped", "excluded"),
    ],
)
def test_other_ways_to_change_the_repository(
    command: list[str], shop: Shop, capsys: Capture
) -> None:
    _, standing = shop.roles(capsys, "act", "cost_controller", "--", *command)
    assert {one["prohibition"] for one in standing["breaches"]} == {"controller-edits-code"}
    assert {one["place"] for one in standing["breaches"]} == {"repository"}


def test_links_in_the_run_lead_nowhere(shop: Shop, capsys: Capture) -> None:
    secret = shop.root.parent / "secret.txt"
    secret.write_text("Decision: DEPLOY\nReason: x\n")
    command = ["ln", "-s", str(secret), f"{RUN}/artifacts/deployment.md"]
    _, standing = shop.roles(capsys, "act", "chair", "--", *command)
    assert (standing["status"], standing["reason"]) == (
        "waiting",
        "artifacts/deployment.md: is a link; write a file",
    )
    # Nor does one in the place of a folder: it is taken away, and what was there is put back.
    before = {file.name: file.read_bytes() for file in (shop.run / "artifacts").glob("[!d]*")}
    shutil.rmtree(shop.run / "artifacts")
    (shop.run / "artifacts").symlink_to(shop.root.parent)
    _, standing = shop.roles(capsys, "advance")
    assert "artifacts" in {one["path"] for one in standing["breaches"]}
    artifacts = shop.run / "artifacts"
    assert not artifacts.is_symlink()
    assert {file.name: file.read_bytes() for file in artifacts.glob("[!d]*")} == before
    assert secret.read_text() == "Decision: DEPLOY\nReason: x\n"
    assert {*shop.root.parent.iterdir()} == {shop.root, secret}


WIDER = {
    "denied": (
        PASSES.replace("services/refunds.py", "services/secrets.py"),
        "it touches services/secrets.py, which the plan does not allow",
    ),
    "elsewhere": (
        PASSES.replace("services/refunds.py", "check.py"),
        "it touches check.py, which the plan does not allow",
    ),
    "one more": (
        PASSES + PASSES.replace("services/refunds.py", "web/page.ts"),
        "it touches web/page.ts, which the plan does not allow",
    ),
    "renamed": (
        "diff --git a/services/refunds.py b/web/refunds.py\nsimilarity index 100%\n"
        "rename from services/refunds.py\nrename to web/refunds.py\n",
        "it touches web/refunds.py, which the plan does not allow",
    ),
    "many lines": (
        PASSES.replace("+1,2 @@", "+1,7 @@") + "+    # x\n" * 5,
        "it adds 6 lines; the plan allows 5",
    ),
    "many files": (
        "".join(PASSES.replace("refunds.py", f"{name}.py") for name in "abc"),
        "it touches 3 files; the plan allows 2",
    ),
}


@pytest.mark.parametrize("name", [*WIDER])
def test_a_patch_outside_of_the_plan_is_blocked(name: str, tmp_path: Path, capsys: Capture) -> None:
    shop = run_with(tmp_path, *HANDED_IN[:4])
    capsys.readouterr()
    patch, detail = WIDER[name]
    program = writing({f"{RUN}/artifacts/diff.patch": patch})
    _, standing = shop.roles(capsys, "act", "patchmaker", "--", *program)
    (breach,) = standing["breaches"]
    assert (breach["prohibition"], breach["detail"]) == ("patchmaker-widens-scope", detail)
    assert (shop.run / breach["rejected"]).read_text() == patch
    assert shop.advance(capsys) == ("build", "waiting", "patchmaker", "artifacts/diff.patch")


def test_a_decision_that_another_made_is_blocked(shop: Shop, capsys: Capture) -> None:
    text = f"{DEPLOY}Decided-by: cost_controller\n"
    program = writing({f"{RUN}/artifacts/deployment.md": text})
    _, standing = shop.roles(capsys, "act", "chair", "--", *program)
    (breach,) = standing["breaches"]
    assert (breach["prohibition"], breach["detail"]) == (
        "chair-delegates-decision",
        "it says that 'cost_controller' decided",
    )
    assert (shop.root / "services" / "refunds.py").read_text() == SOURCE
    text = f"{DEPLOY}Decided-by: Chair/Planner\n"
    program = writing({f"{RUN}/artifacts/deployment.md": text})
    code, standing = shop.roles(capsys, "act", "chair", "--", *program)
    assert (code, standing["ending"]) == (0, "done")


def test_a_program_that_fails_is_looked_at_all_the_same(shop: Shop, capsys: Capture) -> None:
    words = ["roles", "act", "chair", "--root", str(shop.root), "--"]
    assert main([*words, sys.executable, "-c", "raise SystemExit('no idea')"]) == 2
    assert "failed with status 1: no idea" in capsys.readouterr().err
    program = "open('services/refunds.py', 'w').close(); raise SystemExit(1)"
    assert main([*words, sys.executable, "-c", program]) == 1
    assert "blocked outside-its-outputs services/refunds.py" in capsys.readouterr().out
