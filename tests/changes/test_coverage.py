"""The breaking checks and warnings of oasdiff (data/oasdiff_checks.json: its ids and levels, which
are facts): each is found by an id of ours in a pair of our own, or the list says why not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from contract_scan.api import compare_contracts
from tests.changes.examples import CASES_BY_ID, INFO, LOADER, OK, document, of_operations

CHECKS: list[dict[str, str]] = json.loads(
    (Path(__file__).parent / "data" / "oasdiff_checks.json").read_text()
)
FOUND = [check for check in CHECKS if "found_by" in check]
BREAKING = [check for check in FOUND if check["level"] == "ERR"]
WARNINGS = [check for check in FOUND if check["level"] == "WARN"]
_SCHEMA_PLACES = {"body", "property", "parameter", "parameter-property", "header"}


def pair(check: dict[str, str]) -> list[dict[str, Any]]:
    """The pair of our id, at the place that the check is about."""
    case = CASES_BY_ID[check["found_by"]]
    example, prefix = case.judgement.example, case.prefix
    place = check.get("place", "")
    texts = [check.get(key, getattr(example, key)) for key in ("before", "after")]
    values = [yaml.load(text, LOADER) if text else None for text in texts]
    if place == "header-parameter":
        return [_parameter("header", value) for value in values]
    if place in _SCHEMA_PLACES:
        return [_at(place, value, prefix) for value in values]
    found = [document(place or example.of, value, prefix) for value in values]
    return [one for one in found if one is not None]


def _at(place: str, schema: Any, prefix: str) -> dict[str, Any]:
    within = {"type": "object", "properties": {"p": schema}}
    match place:
        case "parameter":
            return _parameter("query", schema)
        case "parameter-property":
            return _parameter("query", within)
        case "header":
            header = {"200": {"description": "", "headers": {"A": {"schema": schema}}}}
            return of_operations({"get": {"responses": header}})
    found = document("schema", within if place == "property" else schema, prefix)
    assert found is not None
    return found


def _parameter(location: str, schema: Any) -> dict[str, Any]:
    parameter = {"name": "a", "in": location, "schema": schema}
    operation = {"parameters": [parameter], "responses": OK}
    return {"openapi": "3.1.0", "info": INFO, "paths": {"/things": {"get": operation}}}


@pytest.mark.parametrize("check", BREAKING, ids=lambda check: check["id"])
def test_a_breaking_check_is_found(check: dict[str, str]) -> None:
    found = compare_contracts(*pair(check)).at_least("breaking")
    assert {one.id for one in found} == {check["found_by"]}


@pytest.mark.parametrize("check", WARNINGS, ids=lambda check: check["id"])
def test_a_warning_is_found_as_dangerous_at_least(check: dict[str, str]) -> None:
    found = compare_contracts(*pair(check)).at_least("dangerous")
    assert {one.id for one in found} == {check["found_by"]}


@pytest.mark.parametrize(("level", "count"), [("ERR", 213), ("WARN", 30)])
def test_of_what_concerns_the_wire_nearly_all_is_found(level: str, count: int) -> None:
    checks = [check for check in CHECKS if check["level"] == level]
    policies = [check for check in checks if "a policy" in check.get("reason", "")]
    found = [check for check in checks if "found_by" in check]
    assert len(checks) == count
    assert all(("reason" in check) != ("found_by" in check) for check in checks)
    assert len(found) / (len(checks) - len(policies)) >= 0.95
