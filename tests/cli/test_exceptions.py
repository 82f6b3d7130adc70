"""What the configuration leaves out, through the whole command."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from contract_scan.cli.main import main
from tests.cli.test_check import SOURCE, UNDOCUMENTED, checked, write_project
from tests.reports.github import assert_github_takes

BOTH = UNDOCUMENTED.replace("total: float", "total: str")
"""A wrong field (CONTRACT-001) and a route that no contract has (CONTRACT-002)."""
SARIF = json.loads(
    (Path(__file__).parents[1] / "data/sarif-2.1.0.schema.json").read_text(encoding="utf-8")
)


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("GITHUB_ACTIONS", raising=False)
    return write_project(tmp_path, BOTH)


def configure(project: Path, text: str) -> None:
    (project / "contract-scan.toml").write_text(text)


def exception(selector: str, rule: str = "CONTRACT-001", more: str = "") -> str:
    return (
        f'[[exceptions]]\nrules = ["{rule}"]\n{selector}\n'
        f'reason = "clients read both"\nowner = "team-orders"\n{more}\n'
    )


def found(report: dict[str, Any]) -> list[tuple[str, str, int]]:
    return [(each["kind"], each["path"], each["line"]) for each in report["findings"]]


TYPE = ("type", "src/app.py", 9)
ROUTE = ("undocumented-endpoint", "src/app.py", 17)


@pytest.mark.parametrize(
    "selector",
    [
        'path = "src/*.py"',
        'path = "/src"',
        'path = "openapi.json"',
        'operation = "GET /orders/{id}"',
        'operation = "get /orders/{orderId}"',
        'operation = "/orders/*"',
        'operation = "* /*"',
        'field = "total"',
        'field = "to*"',
        'path = "src/"\noperation = "/orders/{}"\nfield = "*tal"',
    ],
)
def test_an_exception_leaves_out_what_it_is_about(
    project: Path, capsys: pytest.CaptureFixture[str], selector: str
) -> None:
    configure(project, exception(selector))
    status, report = checked(capsys)
    assert (status, found(report), report["summary"]["ignored"]) == (0, [ROUTE], 1)
    assert report["summary"]["violated"] == 1


@pytest.mark.parametrize(
    "selector",
    [
        'path = "app.ts"',
        'operation = "POST /orders/{id}"',
        'operation = "/orders"',
        'channel = "*"',
        'model = "*"',
        'field = "id"',
        'path = "src/"\nfield = "id"',
    ],
)
def test_one_that_is_about_nothing_is_told_at_its_line(
    project: Path, capsys: pytest.CaptureFixture[str], selector: str
) -> None:
    configure(project, "\n" + exception(selector))
    status, report = checked(capsys)
    unused = ("unused-exception", "contract-scan.toml", 2)
    assert (status, found(report)) == (1, [unused, TYPE, ROUTE])
    assert report["findings"][0]["message"] == (
        "this exception of team-orders is not needed: nothing like it is found"
    )


def test_an_expired_exception_excepts_nothing_and_is_told(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    configure(project, exception('field = "total"', more="expires = 2020-02-29"))
    status, report = checked(capsys)
    expired = ("expired-exception", "contract-scan.toml", 1)
    assert (status, found(report)) == (1, [expired, TYPE, ROUTE])
    assert report["findings"][0]["message"] == (
        "this exception expired on 2020-02-29; team-orders answers for it"
    )
    configure(project, exception('field = "total"', more="expires = 9999-12-31"))
    assert found(checked(capsys)[1]) == [ROUTE]


@pytest.mark.parametrize(
    "arguments",
    [["--ignore", "CONTRACT-001"], ["src"], ["--contract", "openapi.json"]],
    ids=["a rule that did not run", "a part of the project", "named contracts"],
)
def test_nothing_is_unused_that_could_not_have_been_used(
    project: Path, capsys: pytest.CaptureFixture[str], arguments: list[str]
) -> None:
    configure(project, 'contracts = ["openapi.json"]\n' + exception('path = "elsewhere/"'))
    kinds = {each["kind"] for each in checked(capsys, *arguments)[1]["findings"]}
    assert "unused-exception" not in kinds


def test_the_kept_report_of_last_time_does_not_hide_a_change(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def kinds() -> list[str]:
        main(["check", "--output-format", "json"])
        return [each["kind"] for each in json.loads(capsys.readouterr().out)["findings"]]

    assert kinds() == ["type", "undocumented-endpoint"]
    configure(project, exception('field = "total"'))
    assert kinds() == ["undocumented-endpoint"]
    configure(project, '[severities]\n"CONTRACT-002" = "off"\n')
    assert kinds() == ["type"]
    configure(project, '[per-file-ignores]\n"src/**" = ["ALL"]\n')
    assert kinds() == []
    configure(project, "[limits]\nsource-bytes = 1000\n")
    (project / "src" / "app.py").write_text(BOTH + "#" * 1000)
    main(["check", "--output-format", "json"])
    report = json.loads(capsys.readouterr().out)
    assert [each["reason"] for each in report["not_analysed"] if each["path"] == "src/app.py"] == [
        "left out: it is larger than 1000 bytes and may hold a route or event; split it"
    ]


def test_files_may_be_ignored_by_rule(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    configure(project, '[per-file-ignores]\n"app.*" = ["CONTRACT-002"]\n"x" = ["ALL"]\n')
    status, report = checked(capsys)
    assert (status, found(report), report["summary"]["ignored"]) == (1, [TYPE], 1)


def test_patterns_are_relative_to_the_configuration(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    configure(project, 'contracts = ["openapi.json"]\n[per-file-ignores]\n"/src/*" = ["ALL"]\n')
    assert found(checked(capsys, "src")[1]) == []
    configure(project, 'contracts = ["openapi.json"]\nexclude = ["/src/app.py"]\n')
    assert main(["check", "--no-cache", "src"]) == 2
    assert capsys.readouterr().err.endswith(
        "src: no source file of TypeScript, JavaScript, Python, C# or Java was found\n"
    )


@pytest.mark.parametrize(
    ("severities", "status", "severity"),
    [
        ("CONTRACT-001 = 'warning'", 0, {"type": "warning", "undocumented-endpoint": "warning"}),
        ("CONTRACT-001.type = 'note'", 0, {"type": "note", "undocumented-endpoint": "warning"}),
        ("'contract-002' = 'error'", 1, {"type": "error", "undocumented-endpoint": "error"}),
        ("CONTRACT-001.type = 'off'", 0, {"undocumented-endpoint": "warning"}),
        ("CONTRACT-001.enum = 'off'", 1, {"type": "error", "undocumented-endpoint": "warning"}),
        (
            "CONTRACT-001 = 'off'\n'CONTRACT-001.type' = 'note'",
            0,
            {"type": "note", "undocumented-endpoint": "warning"},
        ),
    ],
)
def test_severities(
    project: Path,
    capsys: pytest.CaptureFixture[str],
    severities: str,
    status: int,
    severity: dict[str, str],
) -> None:
    configure(project, f"[severities]\n{severities}\n")
    result, report = checked(capsys)
    assert result == status
    assert {each["kind"]: each["severity"] for each in report["findings"]} == severity


def test_what_a_rule_finds_that_is_off_is_counted(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    configure(project, "[severities]\nCONTRACT-001 = 'off'\n")
    report = checked(capsys)[1]
    assert (found(report), report["summary"]["ignored"]) == ([ROUTE], 1)
    assert (report["summary"]["verified"], report["summary"]["violated"]) == (0, 1)


def test_the_text_counts_what_is_left_out(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    configure(project, exception('field = "total"'))
    commented = BOTH.replace('/health")', '/health")  # contract-scan: ignore[CONTRACT-002] probe')
    (project / "src" / "app.py").write_text(commented)
    assert main(["--no-cache"]) == 0
    assert capsys.readouterr().out.endswith(
        "\n1 more finding ignored by comments.\n"
        "1 more finding ignored by the configuration.\n"
        "No other violation in 1 file; 0 of 1 operation verified.\n"
    )


def sarif(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    main(["check", "--no-cache", "--output-format", "sarif", *arguments])
    log = json.loads(capsys.readouterr().out)
    jsonschema.Draft4Validator(SARIF).validate(log)
    assert_github_takes(log)
    assert isinstance(log, dict)
    return log


def suppressions(log: dict[str, Any]) -> list[tuple[str, list[Any]]]:
    results = log["runs"][0]["results"]
    return [(each["properties"]["kind"], each.get("suppressions", [])) for each in results]


def test_sarif_lists_what_is_left_out_and_why(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    configure(project, exception('field = "total"', more="expires = 9999-12-31"))
    commented = BOTH.replace('/health")', '/health")  # contract-scan: ignore[CONTRACT-002] probe')
    (project / "src" / "app.py").write_text(commented)
    assert suppressions(sarif(capsys)) == [
        (
            "type",
            [
                {
                    "kind": "external",
                    "status": "accepted",
                    "justification": "clients read both (team-orders, until 9999-12-31)",
                }
            ],
        ),
        (
            "undocumented-endpoint",
            [
                {
                    "kind": "inSource",
                    "status": "accepted",
                    "justification": "probe",
                    "location": {
                        "physicalLocation": {
                            "artifactLocation": {"uri": "src/app.py"},
                            "region": {
                                "startLine": 17,
                                "startColumn": 24,
                                "endLine": 17,
                                "endColumn": 65,
                            },
                        }
                    },
                }
            ],
        ),
    ]
    assert suppressions(sarif(capsys, "--suppressed", "never")) == []


def test_sarif_lists_only_open_findings_where_github_would_take_all_for_open(
    project: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    configure(project, exception('field = "total"'))
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    assert [kind for kind, _ in suppressions(sarif(capsys))] == ["undocumented-endpoint"]
    listed = suppressions(sarif(capsys, "--suppressed", "always"))
    assert [kind for kind, _ in listed] == ["undocumented-endpoint", "type"]


def test_the_json_report_lists_no_suppressed_finding(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    configure(project, exception('path = "src/"', "ALL"))
    report = checked(capsys)[1]
    assert (report["findings"], report["summary"]["ignored"]) == ([], 2)
    assert "suppressed" not in report


def test_required_models(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "src" / "app.py").write_text(SOURCE)
    model = {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "Refund"}
    (project / "refund.schema.json").write_text(
        json.dumps({**model, "type": "object", "properties": {"id": {"type": "string"}}})
    )
    assert [each["kind"] for each in checked(capsys)[1]["findings"]] == []
    configure(project, 'required-models = ["Refund"]\n')
    assert [each["kind"] for each in checked(capsys)[1]["findings"]] == ["missing-model"]


def test_a_service_may_have_several_folders(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "src" / "app.py").write_text(SOURCE)
    for name in ("worker", "other"):
        (project / name).mkdir()
        (project / name / "app.py").write_text(UNDOCUMENTED.replace("/orders", f"/{name}"))
    configure(
        project,
        '[[services]]\nname = "orders"\ncontracts = ["openapi.json"]\nsource = ["src", "worker"]\n',
    )
    report = checked(capsys)[1]
    assert {each["path"] for each in report["findings"]} == {"worker/app.py"}
    assert report["summary"]["verified"] == 1
