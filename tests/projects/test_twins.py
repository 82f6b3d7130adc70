"""The two bookshops stay in step: they differ in the planted drift and in nothing else."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.projects.twins import CLEAN, DRIFTED, EXPECTED, PLANTED, drifted, texts

FINDINGS: list[dict[str, Any]] = json.loads(EXPECTED.read_text())
RULES = ("CONTRACT-001", "CONTRACT-002", "CONTRACT-003", "CONTRACT-004")
SERVICES = {
    "python": ("services/orders/",),
    "java": ("services/catalog/",),
    "csharp": ("services/payments/",),
    "typescript": ("services/gateway/", "services/admin/"),
}


def test_the_drifted_shop_is_the_clean_one_with_the_planted_edits() -> None:
    assert texts(DRIFTED) == drifted(texts(CLEAN))


def test_every_planted_drift_is_expected_and_nothing_else_is() -> None:
    planted = {plant["drift"] for plant in json.loads(PLANTED.read_text())}
    assert {finding["drift"] for finding in FINDINGS} == planted


def test_no_finding_is_expected_twice() -> None:
    keys = [json.dumps({**finding, "drift": ""}, sort_keys=True) for finding in FINDINGS]
    assert len(keys) == len(set(keys))


def test_every_expected_place_exists() -> None:
    shop = texts(DRIFTED)
    assert all(
        0 < finding["line"] <= len(shop[finding["path"]].splitlines()) for finding in FINDINGS
    )


@pytest.mark.parametrize("language", SERVICES)
@pytest.mark.parametrize("rule", RULES)
def test_every_rule_is_broken_in_every_language(rule: str, language: str) -> None:
    assert any(
        finding["rule"] == rule and finding["path"].startswith(SERVICES[language])
        for finding in FINDINGS
    )


def test_drift_of_every_kind_is_planted() -> None:
    assert {finding["kind"] for finding in FINDINGS} == {
        "missing-field",
        "extra-field",
        "name-case",
        "type",
        "required",
        "nullable",
        "enum",
        "shape",
        "status",
        "missing-endpoint",
        "undocumented-endpoint",
        "method",
        "parameter",
        "base-path",
        "missing-channel",
        "undocumented-channel",
    }
