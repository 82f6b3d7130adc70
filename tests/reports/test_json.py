from __future__ import annotations

import json
from pathlib import Path
from typing import Any, get_args

import jsonschema
import msgspec
import pytest

from contract_scan.ir.violation import Kind
from contract_scan.reports.json import render
from contract_scan.reports.json_lines import render as render_lines
from contract_scan.scanners.report import Report
from tests.reports.samples import BUSY, CLEAN, WRONG_STATUS, project

SCHEMA = json.loads(
    (Path(__file__).parents[2] / "docs/schema/check.schema.json").read_text(encoding="utf-8")
)


def document(report: Report, tmp_path: Path) -> dict[str, Any]:
    value = json.loads("".join(render(report, project(tmp_path))))
    assert isinstance(value, dict)
    return value


def test_the_whole_document(tmp_path: Path) -> None:
    said = document(BUSY, tmp_path)
    none = dict.fromkeys(("verified", "partly", "violated", "missing", "undetermined", "absent"), 0)
    assert said["schema_version"] == 1
    assert said["summary"] == {
        "operations": 3,
        "verified": 0,
        "partly": 0,
        "violated": 1,
        "missing": 1,
        "undetermined": 1,
        "absent": 0,
        "channels": {**none, "total": 0},
        "models": {**none, "total": 1, "violated": 1},
        "problems": 3,
        "places": 3,
        "files": 4,
        "ignored": 0,
        "known": 0,
        "known_problems": 0,
        "elsewhere": 0,
    }
    assert said["problems"][1] == {
        "fingerprint": BUSY.problems[1].fingerprint,
        "rule": "CONTRACT-001",
        "kind": "status",
        "severity": "error",
        "title": "`GET /orders/{id}` returns 201; the contract allows 200",
        "code": {"path": "src/orders.py", "line": 7, "column": 12, "type": "get_order"},
        "contract": {
            "path": "contracts/orders.yaml",
            "line": 6,
            "column": 9,
            "type": "",
            "pointer": "/paths/~1orders~1{id}/get/responses",
        },
        "members": [],
        "operations": ["GET /orders/{id}"],
        "channels": [],
        "models": [],
        "places": 1,
    }
    assert [(item["rule"], item["path"], item["line"]) for item in said["findings"]] == [
        ("CONTRACT-002", "contracts/orders.yaml", 8),
        ("CONTRACT-001", "src/orders.py", 7),
        ("CONTRACT-004", "src/orders.py", 11),
    ]
    assert said["findings"][1] == {
        "rule": "CONTRACT-001",
        "kind": "status",
        "severity": "error",
        "message": "`GET /orders/{id}` returns 201; the contract allows 200",
        "path": "src/orders.py",
        "line": 7,
        "column": 12,
        "end_line": 7,
        "end_column": 48,
        "operation": {
            "method": "GET",
            "path": "/orders/{id}",
            "status": "201",
            "direction": "response",
        },
        "channel": None,
        "model": None,
        "field": "",
        "expected": "200",
        "found": "201",
        "evidence": "enforced",
        "contract": {
            "path": "contracts/orders.yaml",
            "line": 6,
            "column": 9,
            "pointer": "/paths/~1orders~1{id}/get/responses",
        },
        "reached_from": None,
        "help": "return 200, or add 201 to the contract",
        "fingerprint": "v1:00000000000000000000000000000001",
        "problem": "",
        "fix": None,
    }
    assert said["findings"][2]["reached_from"] == {
        "path": "src/orders.py",
        "line": 6,
        "column": 1,
    }
    assert said["undetermined"] == [
        {
            "rule": "CONTRACT-001",
            "operation": {
                "method": "GET",
                "path": "/orders",
                "status": "200",
                "direction": "response",
            },
            "channel": None,
            "model": None,
            "field": "items[]",
            "reason": "the handler's return type is declared as any",
            "code": "",
            "absent": False,
            "path": "src/orders.py",
            "line": 6,
        }
    ]
    assert said["not_analysed"] == [
        {
            "path": "src/old.py",
            "line": 3,
            "reason": "is not UTF-8; save it as UTF-8",
            "partly": False,
            "code": "",
        }
    ]


@pytest.mark.parametrize("report", [BUSY, CLEAN, Report()], ids=["busy", "clean", "empty"])
def test_the_published_schema_holds(report: Report, tmp_path: Path) -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    jsonschema.validate(document(report, tmp_path), SCHEMA, jsonschema.Draft202012Validator)


def test_the_published_schema_is_not_vacuous(tmp_path: Path) -> None:
    said = document(BUSY, tmp_path)
    del said["findings"][0]["fingerprint"]
    with pytest.raises(jsonschema.ValidationError, match="fingerprint"):
        jsonschema.validate(said, SCHEMA, jsonschema.Draft202012Validator)


def test_the_published_schema_names_every_kind() -> None:
    named = SCHEMA["$defs"]["finding"]["properties"]["kind"]["examples"]
    assert set(named) == set(get_args(Kind))


def test_foreign_text_keeps_its_truth_in_plain_ascii(tmp_path: Path) -> None:
    message = "\x1b[31m \u202e \udcff \x7f 日本語"
    report = Report(findings=(msgspec.structs.replace(WRONG_STATUS, message=message),))
    text = "".join(render(report, project(tmp_path)))
    assert text.isascii()
    assert "\x1b" not in text
    assert json.loads(text)["findings"][0]["message"] == message


def test_json_lines_hold_the_same_values_one_a_line(tmp_path: Path) -> None:
    setting = project(tmp_path)
    lines = [json.loads(line) for line in "".join(render_lines(BUSY, setting)).splitlines()]
    whole = json.loads("".join(render(BUSY, setting)))
    kinds = [line.pop("type") for line in lines]
    problems, findings = ["problem"] * 3, ["finding"] * 3
    assert kinds == [*problems, *findings, "undetermined", "not_analysed", "summary"]
    assert lines[:3] == whole["problems"]
    assert lines[3:6] == whole["findings"]
    assert lines[6:7] == whole["undetermined"]
    assert lines[7:8] == whole["not_analysed"]
    assert lines[8] == {"schema_version": 1, **whole["summary"]}
