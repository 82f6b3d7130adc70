"""What departs from scope contracts, in the formats that scans have."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from contract_scan.api import scan
from contract_scan.cli.main import main
from contract_scan.reports.formats import FORMATS
from tests.scopes.repositories import APP, BACKEND, OPENAPI, PAGE, WEB, Repository

ROOT = Path(__file__).parents[2]
DRIFTED = {
    "services/app.py": APP.replace("amount", "amount_cents"),
    "web/money.ts": "export const cents = 1;\n",
}
NAMES = ["CONTRACT-001/missing-field", "SCOPE-001/undelivered", "SCOPE-002/forbidden-file"]


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repository:
    folder = tmp_path / "repository"
    folder.mkdir()
    monkeypatch.chdir(folder)
    repository = Repository(folder)
    repository.branch("main--page", {**WEB, "web/money.ts": "export const cents = 1;\n"})
    return repository


def consolidate(*words: str) -> int:
    return main(["scopes", "consolidate", "../scopes.md", "--base", "main", *words])


def test_every_format_names_every_breach_with_its_rule(
    repository: Repository, tmp_path: Path
) -> None:
    repository.branch("main--backend", DRIFTED)
    words = [word for name in FORMATS for word in ("--output-format", f"{name}=../{name}.out")]
    assert consolidate(*words) == 1
    for name in FORMATS:
        text = (tmp_path / f"{name}.out").read_text()
        parts = [part for rule in NAMES for part in rule.split("/")]
        assert [part for part in parts if part not in text] == [], name
        assert "services/test_app.py: no such file" in text.replace("\\_", "_"), name


def test_the_report_shows_the_lines_of_the_branch_and_of_the_scope_contract(
    repository: Repository, capsys: pytest.CaptureFixture[str]
) -> None:
    repository.branch("main--backend", DRIFTED)
    assert consolidate("--output-format", "full") == 1
    shown = capsys.readouterr().out
    assert " 7 | class Refund(BaseModel):\n" in shown
    assert "1 | export const cents = 1;\n" in shown
    assert "13 |     - web/money.ts\n" in shown
    assert "6 |   - services/test_app.py\n" in shown
    assert "= scope: `backend`\n" in shown
    assert shown.endswith("Found 3 problems (3 errors); 3 files read.\n")


def test_a_broken_promise_has_the_fingerprints_that_a_scan_gives_it(
    repository: Repository, tmp_path: Path
) -> None:
    repository.branch("main--backend", DRIFTED)
    assert consolidate("--output-format", "json=../report.json") == 1
    report = json.loads((tmp_path / "report.json").read_text())
    schema = json.loads((ROOT / "docs/schema/check.schema.json").read_text())
    Draft202012Validator(schema).validate(report)
    told = {one["kind"]: one for one in report["findings"]}
    repository.git("checkout", "-q", "main--backend")
    found = scan(repository.folder, cache=False).findings
    (scanned,) = (one for one in found if one.severity == "error")
    assert told["missing-field"]["fingerprint"] == scanned.fingerprint
    assert told["missing-field"]["problem"] == scanned.problem
    assert told["undelivered"]["path"] == "../scopes.md"
    assert told["undelivered"]["line"] == 6
    assert told["forbidden-file"]["path"] == "web/money.ts"
    assert {tuple(one["scopes"]) for one in report["findings"]} == {("backend",)}


def test_fingerprints_stay_while_scope_contracts_grow(
    repository: Repository, tmp_path: Path
) -> None:
    repository.branch("main--backend", DRIFTED)

    def fingerprints() -> set[str]:
        consolidate("--output-format", "json=../report.json")
        report = json.loads((tmp_path / "report.json").read_text())
        return {one["fingerprint"] for one in (*report["problems"], *report["findings"])}

    before = fingerprints()
    contracts = tmp_path / "scopes.md"
    contracts.write_text("# Scopes of refunds\n\n" + contracts.read_text())
    assert fingerprints() == before
    assert len(before) == 6


def test_sarif_describes_the_rules_of_scopes(repository: Repository, tmp_path: Path) -> None:
    repository.branch("main--backend", DRIFTED)
    assert consolidate("--output-format", "sarif=../report.sarif") == 1
    log = json.loads((tmp_path / "report.sarif").read_text())
    rules = {one["id"]: one for one in log["runs"][0]["tool"]["driver"]["rules"]}
    assert sorted(rules) == NAMES
    assert rules["SCOPE-001/undelivered"]["shortDescription"] == {
        "text": "A deliverable is not there, in what scopes deliver."
    }
    assert [one["properties"]["scopes"] for one in log["runs"][0]["results"]] == [["backend"]] * 3


def test_a_report_becomes_a_result_and_its_issues_are_found_again(
    repository: Repository, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    repository.branch("main--backend", DRIFTED)
    assert consolidate("--output-format", "json=../report.json") == 1
    assert main(["results", "from-report", "../report.json", "--output-file", "../r.md"]) == 0
    assert main(["results", "check", "../r.md"]) == 0
    capsys.readouterr()
    assert main(["results", "problems", "../r.md", "--report", "../report.json"]) == 1
    lines = capsys.readouterr().out.splitlines()
    report = json.loads((tmp_path / "report.json").read_text())
    assert [line.split(" ")[0] for line in lines] == [
        one["fingerprint"] for one in report["problems"]
    ]
    assert [line.split(": ")[1] for line in lines] == NAMES


def test_one_scope_alone_has_the_same_reports(repository: Repository, tmp_path: Path) -> None:
    repository.branch("main--backend", DRIFTED)
    repository.git("checkout", "-q", "main--backend")
    words = ["scopes", "check", "../scopes.md", "--scope", "backend", "--since", "main"]
    assert main([*words, "--output-format", "json", "--output-file", "../report.json"]) == 1
    report = json.loads((tmp_path / "report.json").read_text())
    assert sorted(f"{one['rule']}/{one['kind']}" for one in report["findings"]) == NAMES[1:]
    assert report["summary"]["files"] == 2


def test_a_file_that_is_gone_is_told_at_the_contract(
    repository: Repository, tmp_path: Path
) -> None:
    repository.branch("main--backend", BACKEND)
    repository.git("checkout", "-q", "main--backend")
    repository.git("rm", "-q", "web/money.ts")
    repository.git("commit", "-q", "-m", "less")
    words = ["scopes", "check", "../scopes.md", "--scope", "backend", "--since", "main"]
    assert main([*words, "--output-format", "json=../report.json"]) == 1
    (told,) = json.loads((tmp_path / "report.json").read_text())["findings"]
    assert (told["kind"], told["path"], told["line"]) == ("forbidden-file", "../scopes.md", 13)


def test_what_is_undetermined_is_no_breach(repository: Repository, tmp_path: Path) -> None:
    contracts = tmp_path / "scopes.md"
    contracts.write_text(contracts.read_text().replace("type Refund\n", "type Money\n", 1))
    text = contracts.read_text().replace("    - type Refund from backend\n", "")
    contracts.write_text(text)
    repository.branch("main--backend", BACKEND)
    assert consolidate("--output-format", "json=../report.json") == 0
    report = json.loads((tmp_path / "report.json").read_text())
    assert report["findings"] == []
    (told,) = report["undetermined"]
    assert (told["rule"], told["field"], told["line"]) == ("SCOPE-003", "type Money", 10)


def test_a_contract_that_cannot_be_read_is_told_and_nothing_is_moved(
    repository: Repository, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    broken = OPENAPI.replace("properties: {id", "properties: [id")
    repository.branch("main--backend", {**BACKEND, "openapi.yaml": broken})
    assert consolidate("--into", "refunds") == 2
    first, last = capsys.readouterr().out.splitlines()
    assert first.startswith("openapi.yaml:16: not-analysed: ")
    assert last == "2 scopes: 0 breaches of contracts, 0 undetermined"
    assert repository.git("branch", "--list", "refunds") == ""
    assert consolidate("--output-format", "json=../report.json") == 2
    (told,) = json.loads((tmp_path / "report.json").read_text())["not_analysed"]
    assert told["path"] == "openapi.yaml"


def test_the_page_of_a_sibling_differs_from_its_provider(
    repository: Repository, tmp_path: Path
) -> None:
    repository.git("branch", "-D", "main--page", "-q")
    page = PAGE.replace("amount: number", "amount: string")
    repository.branch("main--page", {**WEB, "web/src/page.ts": page})
    repository.branch("main--backend", BACKEND)
    assert consolidate("--output-format", "json=../report.json") == 1
    (told,) = json.loads((tmp_path / "report.json").read_text())["findings"]
    assert (told["rule"], told["kind"]) == ("SCOPE-003", "type-conflict")
    assert (told["path"], told["line"], told["scopes"]) == ("web/src/page.ts", 3, ["page"])
    assert told["contract"]["line"] == 24


def test_scans_neither_select_nor_ignore_rules_of_scopes(
    repository: Repository, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["check", "--select", "SCOPE-001"]) == 2
    assert capsys.readouterr().err == (
        "contract-scan: rule `SCOPE-001`, which no scan applies; what a scope need not keep is "
        "taken out of its contract\n"
    )
    assert main(["rule", "scope-003/type-conflict"]) == 0
    assert capsys.readouterr().out == (ROOT / "docs/rules/SCOPE-003/type-conflict.md").read_text()
