"""The bookshop, scanned as a user would scan it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from contract_scan.cli.main import main
from tests.reports.github import assert_github_takes

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def reports(bookshop: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """One scan, written in every format."""
    folder = tmp_path_factory.mktemp("reports")
    names = ("full", "concise", "json", "json-lines", "sarif")
    outputs = [word for name in names for word in ("--output-format", f"{name}={folder / name}")]
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(bookshop)
        assert main(["check", "--no-cache", "--isolated", *outputs]) == 1
    return {name: (folder / name).read_text(encoding="utf-8") for name in names}


def published(name: str) -> Any:
    return json.loads((ROOT / name).read_text(encoding="utf-8"))


def test_the_json_fits_its_published_schema(reports: dict[str, str]) -> None:
    schema = published("docs/schema/check.schema.json")
    jsonschema.validate(json.loads(reports["json"]), schema, jsonschema.Draft202012Validator)


def test_the_sarif_fits_its_schema_and_github_takes_it(reports: dict[str, str]) -> None:
    log = json.loads(reports["sarif"])
    jsonschema.Draft4Validator(published("tests/data/sarif-2.1.0.schema.json")).validate(log)
    assert_github_takes(log)


def test_every_format_tells_of_the_same_findings(reports: dict[str, str]) -> None:
    findings = json.loads(reports["json"])["findings"]
    lines = [json.loads(line) for line in reports["json-lines"].splitlines()]
    assert [line for line in lines if line["type"] == "finding"] == [
        {"type": "finding", **finding} for finding in findings
    ]
    problems = json.loads(reports["json"])["problems"]
    heads = tuple(
        f"{each['rule']}/{each['kind']} [{each['severity']}] {each['title']}" for each in problems
    )
    told = [line for line in reports["concise"].splitlines() if "CONTRACT-0" in line]
    told = [line[line.index("CONTRACT-0") :] for line in told]
    # Those that read alike are told together: three functions, and the routes of five files.
    assert [line for line in told if not line.startswith(heads)] == [
        "CONTRACT-001/status [error] `BookController.add` returns 200; the contract defines 201; "
        "2 more functions do the same (3 operations)",
        "CONTRACT-002/undocumented-endpoint [warning] 7 routes are in no contract (7 operations)",
    ]
    assert len(told) == len(problems) - 2 - 4
    assert sum(each["places"] for each in problems) == len(findings)
    (run,) = json.loads(reports["sarif"])["runs"]
    assert sum(each["properties"]["places"] for each in run["results"]) == len(findings)


def test_fingerprints_tell_all_findings_apart(reports: dict[str, str]) -> None:
    findings = json.loads(reports["json"])["findings"]
    assert len({each["fingerprint"] for each in findings}) == len(findings)


def test_every_code_frame_can_be_drawn(reports: dict[str, str]) -> None:
    framed = [line for line in reports["full"].splitlines() if line.lstrip().startswith("::: ")]
    marks = [line for line in reports["full"].splitlines() if "| " in line and "^" in line]
    assert len(marks) >= len(framed) > 0
