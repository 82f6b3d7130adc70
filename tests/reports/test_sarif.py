from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import msgspec
import pytest

from contract_scan.ir.origin import Origin, Span
from contract_scan.reports import sarif
from contract_scan.reports.rule_url import REPOSITORY, rule_url
from contract_scan.reports.sarif import log, render
from contract_scan.scanners.report import Report
from tests.reports.github import assert_github_takes
from tests.reports.samples import BUSY, CLEAN, MISSING_ENDPOINT, WRONG_MODEL, WRONG_STATUS, project

SCHEMA = json.loads(
    (Path(__file__).parents[1] / "data/sarif-2.1.0.schema.json").read_text(encoding="utf-8")
)


def run(report: Report, tmp_path: Path) -> dict[str, Any]:
    runs = log(report, project(tmp_path))["runs"]
    assert len(runs) == 1
    return dict(runs[0])


@pytest.mark.parametrize("report", [BUSY, CLEAN, Report()], ids=["busy", "clean", "empty"])
@pytest.mark.parametrize("described", [True, False])
def test_the_schema_of_sarif_holds(report: Report, described: bool, tmp_path: Path) -> None:
    setting = project(tmp_path)
    if not described:
        setting = msgspec.structs.replace(setting, rules=())
    jsonschema.Draft4Validator(SCHEMA).validate(json.loads("".join(render(report, setting))))


def test_the_check_against_the_schema_is_not_vacuous(tmp_path: Path) -> None:
    value = log(BUSY, project(tmp_path))
    del value["runs"][0]["results"][0]["message"]
    assert not jsonschema.Draft4Validator(SCHEMA).is_valid(value)


def test_everything_is_there_that_github_requires(tmp_path: Path) -> None:
    assert_github_takes(log(BUSY, project(tmp_path)))


def test_a_result_whole(tmp_path: Path) -> None:
    results = run(Report(findings=(WRONG_STATUS,)), tmp_path)["results"]
    line_hash = results[0]["partialFingerprints"].pop("primaryLocationLineHash")
    assert line_hash.endswith(":1")
    assert results == [
        {
            "ruleId": "CONTRACT-001/status",
            "ruleIndex": 0,
            "level": "error",
            "message": {
                "text": "`GET /orders/{id}` returns 201; the contract allows 200."
                " See [the contract](1)."
            },
            "locations": [
                {
                    "physicalLocation": {
                        "artifactLocation": {"uri": "src/orders.py"},
                        "region": {
                            "startLine": 7,
                            "startColumn": 12,
                            "endLine": 7,
                            "endColumn": 48,
                        },
                    }
                }
            ],
            "relatedLocations": [
                {
                    "id": 1,
                    "message": {"text": "expected: 200"},
                    "physicalLocation": {
                        "artifactLocation": {"uri": "contracts/orders.yaml"},
                        "region": {
                            "startLine": 6,
                            "startColumn": 9,
                            "endLine": 6,
                            "endColumn": 14,
                        },
                    },
                }
            ],
            "partialFingerprints": {"contractScan/v1": "00000000000000000000000000000001"},
            "properties": {
                "kind": "status",
                "evidence": "enforced",
                "places": 1,
                "operations": ["GET /orders/{id}"],
                "channels": [],
                "models": [],
                "members": [],
            },
        }
    ]


def test_rules_come_with_their_page_level_and_tags(tmp_path: Path) -> None:
    driver = run(BUSY, tmp_path)["tool"]["driver"]
    assert driver["informationUri"] == REPOSITORY
    rules = driver["rules"]
    assert [rule["id"] for rule in rules] == [
        "CONTRACT-001/status",
        "CONTRACT-002/missing-endpoint",
        "CONTRACT-004/type",
    ]
    assert run(CLEAN, tmp_path / "clean")["tool"]["driver"]["rules"] == []
    assert rules[1] == {
        "id": "CONTRACT-002/missing-endpoint",
        "name": "MissingEndpoint",
        "deprecatedIds": ["CONTRACT-002"],
        "helpUri": rule_url("CONTRACT-002/missing-endpoint"),
        "shortDescription": {"text": "MissingEndpoint promise."},
        "fullDescription": {"text": "MissingEndpoint promise."},
        "help": {
            "text": "# MissingEndpoint\n\nWhat it promises.\n",
            "markdown": "# MissingEndpoint\n\nWhat it promises.\n",
        },
        "defaultConfiguration": {"level": "error"},
        "properties": {
            "precision": "high",
            "problem.severity": "error",
            "tags": ["contract"],
        },
    }


def test_addresses_are_relative_to_the_repository_and_percent_encoded(tmp_path: Path) -> None:
    setting = project(tmp_path / "services" / "shop")
    setting = msgspec.structs.replace(setting, repository=tmp_path)
    odd = msgspec.structs.replace(
        WRONG_STATUS,
        origin=Origin("src/a b#1?ü.py", Span(1, 1, 1, 2)),
        contract=Origin("../../contracts/x.yaml", Span(1, 1, 1, 2)),
    )
    value = log(Report(findings=(odd,)), setting)["runs"][0]
    result = value["results"][0]
    places = [*result["locations"], *result["relatedLocations"]]
    assert [place["physicalLocation"]["artifactLocation"]["uri"] for place in places] == [
        "services/shop/src/a%20b%231%3F%C3%BC.py",
        "contracts/x.yaml",
    ]
    assert value["automationDetails"] == {"id": "contract-scan/services/shop/"}
    assert "workingDirectory" not in value["invocations"][0]


def test_a_contract_outside_the_repository_has_an_absolute_address(tmp_path: Path) -> None:
    outside = msgspec.structs.replace(
        WRONG_STATUS, contract=Origin("../elsewhere.yaml", Span(1, 1, 1, 2))
    )
    value = run(Report(findings=(outside,)), tmp_path / "shop")
    place = value["results"][0]["relatedLocations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == (tmp_path / "elsewhere.yaml").as_uri()
    assert value["invocations"][0]["workingDirectory"] == {"uri": (tmp_path / "shop").as_uri()}


def test_columns_are_counted_in_utf_16_units(tmp_path: Path) -> None:
    setting = project(tmp_path)
    (tmp_path / "src" / "smile.py").write_text("é = '🙂🙂' + x\n", encoding="utf-8")
    smile = msgspec.structs.replace(
        WRONG_STATUS, origin=Origin("src/smile.py", Span(1, 12, 1, 13)), contract=None
    )
    result = log(Report(findings=(smile,)), setting)["runs"][0]["results"][0]
    region = result["locations"][0]["physicalLocation"]["region"]
    assert (region["startColumn"], region["endColumn"]) == (14, 15)


def test_foreign_text_makes_no_links(tmp_path: Path) -> None:
    evil = msgspec.structs.replace(MISSING_ENDPOINT, message="[click](2)", contract=None)
    result = run(Report(findings=(evil,)), tmp_path)["results"][0]
    assert result["message"]["text"] == "[click] (2)"


def test_unread_files_are_notifications(tmp_path: Path) -> None:
    invocation = run(BUSY, tmp_path)["invocations"][0]
    assert invocation["toolExecutionNotifications"] == [
        {
            "level": "error",
            "message": {"text": "is not UTF-8; save it as UTF-8"},
            "locations": [
                {
                    "physicalLocation": {
                        "artifactLocation": {"uri": "src/old.py"},
                        "region": {"startLine": 3},
                    }
                }
            ],
        }
    ]


def test_a_run_holds_no_more_than_github_takes_and_says_so(tmp_path: Path) -> None:
    notes = [
        msgspec.structs.replace(
            MISSING_ENDPOINT, severity="note", problem=f"p1:{number}:missing-endpoint"
        )
        for number in range(1, sarif.MAX_RESULTS + 3)
    ]
    value = run(Report(findings=(*notes, WRONG_STATUS)), tmp_path)
    assert len(value["results"]) == sarif.MAX_RESULTS
    assert value["results"][-1]["ruleId"] == WRONG_STATUS.name
    assert value["invocations"][0]["toolExecutionNotifications"][-1]["message"] == {
        "text": "3 more results left out: a run may hold 25000."
    }


def test_the_way_that_leads_to_the_place_is_a_related_location(tmp_path: Path) -> None:
    result = run(Report(findings=(WRONG_MODEL,)), tmp_path)["results"][0]
    assert [(each["id"], each["message"]["text"]) for each in result["relatedLocations"]] == [
        (1, "expected: number"),
        (2, "reached from here"),
    ]
