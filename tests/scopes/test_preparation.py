"""The form of a preparation: what the published schema allows is what is read."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from jsonschema import Draft202012Validator

from contract_scan.scopes.contract import ScopeContractError
from contract_scan.scopes.preparation import read_preparation

DOCS = Path(__file__).parents[2] / "docs"
SCHEMA = Draft202012Validator(json.loads((DOCS / "schema" / "prepare.schema.json").read_text()))


def with_scope(**values: Any) -> dict[str, Any]:
    return {"feature": "Refunds", "scopes": [{"name": "API", **values}]}


def is_read(value: object) -> bool:
    try:
        read_preparation(yaml.safe_dump(value), "prepare.yaml")
    except ScopeContractError as error:
        assert error.path == "prepare.yaml"
        return False
    return True


@pytest.mark.parametrize(
    "value",
    [
        with_scope(),
        with_scope(id="api", keywords=["a"], files=["a.py", "b/", {"path": "c/**"}]),
        with_scope(id=None, files=None, keywords=None, notes=None),
        with_scope(files=[{"path": "a.py", "change": 0}], uses=["x"], provides=["type Y"]),
        {**with_scope(), "conventions": ["Money is cents"]},
        {**with_scope(), "conventions": None},
    ],
)
def test_what_is_allowed(value: dict[str, Any]) -> None:
    assert (SCHEMA.is_valid(value), is_read(value)) == (True, True)


@pytest.mark.parametrize(
    "value",
    [
        {},
        {"feature": "Refunds"},
        {"feature": "Refunds", "scopes": []},
        {"feature": "Refunds", "scopes": {}},
        {"feature": " ", "scopes": [{"name": "API"}]},
        {"feature": 1, "scopes": [{"name": "API"}]},
        {"feature": "Refunds", "scopes": ["API"]},
        {"feature": "Refunds", "scopes": [{"id": "api"}]},
        {**with_scope(), "more": 1},
        {**with_scope(), "conventions": "Money is cents"},
        with_scope(more=1),
        with_scope(id="Not Kebab"),
        with_scope(id="a" * 65),
        with_scope(id=3),
        with_scope(keywords="api"),
        with_scope(keywords=[1]),
        with_scope(notes=[""]),
        with_scope(files=["/etc/passwd"]),
        with_scope(files=["../a.py"]),
        with_scope(files=["."]),
        with_scope(files=[".."]),
        with_scope(files=[{}]),
        with_scope(files=[{"path": "a.py", "change": -1}]),
        with_scope(files=[{"path": "a.py", "change": True}]),
        with_scope(files=[{"path": "a.py", "change": "much"}]),
        with_scope(files=[{"path": "a.py", "lines": 3}]),
    ],
)
def test_what_is_not(value: dict[str, Any]) -> None:
    assert (SCHEMA.is_valid(value), is_read(value)) == (False, False)


def test_the_example_of_the_page_is_one() -> None:
    page = (DOCS / "scope-contracts.md").read_text(encoding="utf-8")
    example = re.search(r"^```yaml\n(.*?)^```$", page, re.DOTALL | re.MULTILINE)
    assert example is not None
    SCHEMA.validate(yaml.safe_load(example[1]))
    assert is_read(yaml.safe_load(example[1]))
