"""What GitHub code scanning requires of a SARIF log beyond its schema, and the limits it sets."""

from __future__ import annotations

import gzip
import json
from typing import Any


def assert_github_takes(log: dict[str, Any]) -> None:
    """Every text that must be there is there, every place has four numbers, no limit is passed."""
    assert log["$schema"]
    assert log["version"] == "2.1.0"
    assert 1 <= len(log["runs"]) <= 20
    assert len(gzip.compress(json.dumps(log).encode())) <= 10_000_000
    for run in log["runs"]:
        assert run["automationDetails"]["id"].endswith("/")
        driver = run["tool"]["driver"]
        assert driver["name"]
        assert len(driver["rules"]) <= 25_000
        for rule in driver["rules"]:
            assert_rule(rule)
        assert len(run["results"]) <= 25_000
        for result in run["results"]:
            assert driver["rules"][result["ruleIndex"]]["id"] == result["ruleId"]
            assert_result(result)


def assert_rule(rule: dict[str, Any]) -> None:
    assert rule["id"]
    for text in (rule["shortDescription"], rule["fullDescription"]):
        assert 0 < len(text["text"]) <= 1024
    assert rule["help"]["text"]
    assert rule["help"]["markdown"]
    assert rule["defaultConfiguration"]["level"] in ("note", "warning", "error")
    assert rule["properties"]["precision"] in ("very-high", "high", "medium", "low")
    assert rule["properties"]["problem.severity"] in ("error", "warning", "recommendation")
    assert 0 < len(rule["properties"]["tags"]) <= 10


def assert_result(result: dict[str, Any]) -> None:
    assert result["message"]["text"]
    assert result["level"] in ("note", "warning", "error")
    assert result["partialFingerprints"]["primaryLocationLineHash"]
    assert len(result["locations"]) == 1
    related = result.get("relatedLocations", [])
    for place in related:
        assert place["message"]["text"]
    assert len({place["id"] for place in related}) == len(related) <= 1000
    if "](1)" in result["message"]["text"]:
        assert 1 in {place["id"] for place in related}
    for place in result["locations"] + related:
        physical = place["physicalLocation"]
        region = physical["region"]
        assert set(region) == {"startLine", "startColumn", "endLine", "endColumn"}
        assert min(region.values()) >= 1
        start = (region["startLine"], region["startColumn"])
        assert start < (region["endLine"], region["endColumn"])
        uri = physical["artifactLocation"]["uri"]
        assert uri
        assert not uri.startswith(("/", "file:", "./", "../"))
