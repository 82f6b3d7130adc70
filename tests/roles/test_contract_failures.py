"""The verifier compares the code with its contracts before and after a patch."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from contract_scan.cli.main import main
from tests.refunds import APP, OPENAPI
from tests.roles.runs import ANALYSIS, APPROVE, Shop, repository

Capture = pytest.CaptureFixture[str]

DRAFT = """# Refunds

Status: DRAFT
Scope-Allow: app.py, openapi.yaml, contract-scan.toml
Gates: verify
Stop: three patches failed
Budgets: max_files 3, max_added_lines 50
"""


@pytest.fixture
def shop(tmp_path: Path, capsys: Capture) -> Shop:
    """A run whose plan is signed; the command that verifies looks at nothing."""
    made = repository(tmp_path / "shop")
    commit(made, {"openapi.yaml": OPENAPI, "app.py": APP})
    begin(made, capsys)
    return made


def begin(shop: Shop, capsys: Capture) -> None:
    words = ["--verify", "true", "--id", "refunds", "--root", str(shop.root)]
    assert main(["roles", "start", "Pay refunds", *words]) == 0
    capsys.readouterr()
    shop.hand_in(analysis=ANALYSIS)
    shop.advance(capsys)
    shop.hand_in(draft=DRAFT)
    shop.advance(capsys)
    shop.hand_in(contract_review=APPROVE, cost_review=APPROVE)
    shop.advance(capsys)
    shop.hand_in(plan=DRAFT.replace("DRAFT", "SIGNED"))
    shop.advance(capsys)


def commit(shop: Shop, files: dict[str, str]) -> None:
    for name, text in files.items():
        (shop.root / name).write_text(text)
    shop.git("add", "-A")
    shop.git("commit", "-qm", "Endpoint")


def patch(shop: Shop, **files: tuple[str, str]) -> str:
    """The patch that replaces a text in files, whose working tree stays as it is."""
    for name, (old, new) in files.items():
        file = shop.root / name.replace("_", ".")
        text = file.read_text() if file.exists() else ""
        assert old in text
        file.write_text(text.replace(old, new) if old else new)
    shop.git("add", "-A")
    made = shop.git("diff", "--cached")
    shop.git("reset", "-q", "--hard")
    return made


def failures(shop: Shop) -> list[str]:
    report = json.loads((shop.run / "artifacts" / "verify_report.json").read_text())
    assert [one["kind"] for one in report["failures"]] == ["contract"] * len(report["failures"])
    assert report["result"] == ("FAIL" if report["failures"] else "PASS")
    return [one["message"] for one in report["failures"]]


RENAMED = (
    "app.py: CONTRACT-001/missing-field: `GET /refunds/{id}` response 200 lacks `amount`, which "
    "the contract requires"
)


def test_a_patch_that_breaks_a_promise_fails_and_a_further_one_mends_it(
    shop: Shop, capsys: Capture
) -> None:
    shop.hand_in(patch=patch(shop, app_py=("amount", "sum")))
    assert shop.advance(capsys)[:2] == ("fix", "waiting")
    assert failures(shop) == [RENAMED]
    assert (shop.run / "failure_bundle.zip").exists()
    assert "## Failures\n\n- contract `p1:" in (shop.run / "TRACE.md").read_text()
    shop.hand_in(patch=patch(shop, app_py=("amount=1", "amount=2")))
    assert shop.advance(capsys)[:2] == ("deploy", "waiting")
    assert failures(shop) == []
    assert RENAMED in (shop.run / "contrast.md").read_text().partition("## New")[0]


def test_what_was_broken_before_counts_against_no_patch(tmp_path: Path, capsys: Capture) -> None:
    made = repository(tmp_path / "shop")
    commit(made, {"openapi.yaml": OPENAPI, "app.py": APP.replace("amount", "sum")})
    begin(made, capsys)
    made.hand_in(patch=patch(made, app_py=("id=id", 'id=f"{id}"')))
    assert made.advance(capsys)[:2] == ("deploy", "waiting")
    assert failures(made) == []


def test_a_patch_cannot_ignore_what_it_breaks(shop: Shop, capsys: Capture) -> None:
    config = ("", 'ignore = ["CONTRACT-001"]\n')
    renamed = patch(shop, app_py=("amount", "sum"))
    shop.hand_in(patch=renamed + patch(shop, **{"contract-scan_toml": config}))
    assert shop.advance(capsys)[:2] == ("fix", "waiting")
    assert failures(shop) == [RENAMED]


def test_a_patch_after_which_a_contract_cannot_be_read(shop: Shop, capsys: Capture) -> None:
    shop.hand_in(patch=patch(shop, openapi_yaml=("[id, amount]", "[id, amount")))
    assert shop.advance(capsys)[:2] == ("fix", "waiting")
    (told,) = failures(shop)
    assert told.startswith("openapi.yaml: not-analysed: ")


def test_the_status_says_where_a_run_stands_and_changes_nothing(
    shop: Shop, capsys: Capture
) -> None:
    shop.hand_in(patch=patch(shop, app_py=("amount", "sum")))
    before = (shop.run / "run.json").read_bytes()
    assert main(["roles", "status", "--root", str(shop.root)]) == 0
    base = shop.git("rev-parse", "HEAD")[:12]
    signature = json.loads(before)["signature"][:12]
    assert capsys.readouterr().out == (
        "refunds: build: waiting for verifier: artifacts/verify_report.json\n"
        "  goal          Pay refunds\n"
        f"  base          {base}\n"
        "  reviews       round 1 of 3\n"
        f"  plan          signed {signature}\n"
        "  patches       0 of 3 verified, none passed\n"
        "  breaches      0\n"
        "  reason        artifacts/verify_report.json: does not say that the patch passes\n"
        "  new           artifacts/diff.patch\n"
    )
    assert (shop.run / "run.json").read_bytes() == before
    shop.advance(capsys)
    code, status = shop.roles(capsys, "status")
    assert (code, status["status"], status["step"], status["iteration"]) == (
        0,
        "waiting",
        "fix",
        1,
    )
    assert (status["target"], status["changed"]) == ("artifacts/diff.patch", [])


def test_the_status_names_what_a_role_must_not_have_changed(shop: Shop, capsys: Capture) -> None:
    (shop.root / "app.py").write_text("")
    shop.advance(capsys)
    _, status = shop.roles(capsys, "status")
    assert (status["status"], status["open_breaches"]) == ("blocked", ["app.py"])
    assert main(["roles", "status", "--root", str(shop.root), "--run", "gone"]) == 2
