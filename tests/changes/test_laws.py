"""What holds of every comparison: nothing changed where nothing did, however it is written."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from contract_scan.api import compare_contracts
from contract_scan.ir.contract_changes import ContractChanges
from contract_scan.parsers.contracts.wire.load import contract_files
from tests.changes.examples import Case, cases, ids

FIXTURES = Path(__file__).parents[2] / "fixtures"
CONTRACTS = contract_files(FIXTURES)
CASES = [*cases()]


def names(found: ContractChanges) -> list[str]:
    return [change.id for change in found.changes]


@pytest.mark.parametrize("path", CONTRACTS, ids=lambda one: one.relative_to(FIXTURES).as_posix())
def test_nothing_changes_from_a_contract_to_itself(path: Path) -> None:
    assert names(compare_contracts(path, path)) == []


_KINDS = ("openapi: 3", "asyncapi: ", "json-schema.org")


def test_the_fixtures_hold_every_kind_of_contract() -> None:
    said = "\n".join(path.read_text() for path in CONTRACTS)
    assert {word for word in _KINDS if word not in said} == set()


def shuffled(value: Any, order: random.Random) -> Any:
    """The same document with the keys of its mappings, and lists without an order, rearranged."""
    if isinstance(value, dict):
        members = [
            (key, shuffled(inner, order) if key not in _SETS else _rearranged(inner, order))
            for key, inner in value.items()
        ]
        order.shuffle(members)
        return dict(members)
    if isinstance(value, list):
        return [shuffled(one, order) for one in value]
    return value


_SETS = frozenset({"required", "enum", "parameters", "oneOf", "anyOf", "allOf", "security", "type"})


def _rearranged(value: Any, order: random.Random) -> Any:
    inner = shuffled(value, order)
    if isinstance(inner, list):
        order.shuffle(inner)
    return inner


@settings(max_examples=100, deadline=None)
@given(case=st.sampled_from(CASES), seed=st.integers(0, 2**32))
def test_the_order_of_a_document_means_nothing(case: Case, seed: int) -> None:
    order = random.Random(seed)
    assert ids(case.before, shuffled(case.before, order)) == []
    assert ids(shuffled(case.before, order), shuffled(case.after, order)) == [case.id]


ALONE = [path for path in CONTRACTS if "$ref: '." not in path.read_text()]


@pytest.mark.parametrize("path", ALONE, ids=lambda one: one.relative_to(FIXTURES).as_posix())
def test_the_order_and_syntax_of_a_real_contract_mean_nothing(path: Path, tmp_path: Path) -> None:
    document = yaml.safe_load(path.read_text())
    text = json.dumps(shuffled(document, random.Random(7)), default=str)
    (tmp_path / "other.json").write_text(text)
    assert names(compare_contracts(path, tmp_path / "other.json")) == []


@settings(max_examples=100, deadline=None)
@given(case=st.sampled_from(CASES))
def test_yaml_and_json_say_the_same(case: Case, tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("pair")
    for name, document in (("before", case.before), ("after", case.after)):
        (folder / f"{name}.json").write_text(json.dumps(document))
        (folder / f"{name}.yaml").write_text(yaml.safe_dump(document))

    def found(before: str, after: str) -> list[str]:
        changes = compare_contracts(folder / before, folder / after).changes
        return sorted({change.id for change in changes})

    assert found("before.json", "before.yaml") == []
    assert found("before.yaml", "after.json") == [case.id]
    assert found("before.json", "after.yaml") == [case.id]


def in_place(document: Any, schema: Any) -> Iterator[Any]:
    """A schema written in the ways that mean the same."""
    yield {"allOf": [schema]}
    yield {"$ref": "#/components/schemas/Other"}
    yield {"oneOf": [schema]}
    yield {"allOf": [{"$ref": "#/components/schemas/Other"}, {"description": "the same"}]}


SCHEMA = {
    "type": "object",
    "required": ["id"],
    "properties": {
        "id": {"type": "string", "maxLength": 9},
        "parent": {"$ref": "#/components/schemas/Thing"},
        "children": {"type": "array", "items": {"$ref": "#/components/schemas/Thing"}},
    },
}


def recursive(schema: Any, extra: dict[str, Any]) -> dict[str, Any]:
    content = {"application/json": {"schema": schema}}
    return {
        "openapi": "3.1.0",
        "info": {"title": "T", "version": "1"},
        "paths": {
            "/things": {
                "post": {
                    "requestBody": {"content": content},
                    "responses": {"200": {"description": "", "content": content}},
                }
            }
        },
        "components": {"schemas": {"Thing": SCHEMA, **extra}},
    }


def test_a_schema_may_move_and_be_renamed() -> None:
    before = recursive({"$ref": "#/components/schemas/Thing"}, {})
    for written in in_place(before, SCHEMA):
        assert ids(before, recursive(written, {"Other": SCHEMA})) == []
    renamed = json.loads(json.dumps(before).replace("Thing", "Renamed"))
    assert ids(before, renamed) == []


def test_a_change_in_a_ring_of_schemas_is_found_once() -> None:
    before = recursive({"$ref": "#/components/schemas/Thing"}, {})
    after = json.loads(json.dumps(before).replace('"maxLength": 9', '"maxLength": 5'))
    found = compare_contracts(before, after).changes
    assert [(one.id, [s.place for s in one.subjects]) for one in found] == [
        (
            "request-max-length-lowered",
            ["POST /things request body (application/json) id"],
        ),
        (
            "response-max-length-lowered",
            ["POST /things response 200 (application/json) id"],
        ),
    ]


def test_a_ring_of_references_alone_is_undetermined() -> None:
    ring = {"A": {"$ref": "#/components/schemas/B"}, "B": {"$ref": "#/components/schemas/A"}}
    document = recursive({"$ref": "#/components/schemas/A"}, ring)
    found = compare_contracts(document, document)
    assert found.changes == ()
    assert {one.reason for one in found.undetermined} == {"the schema is part of itself"}


def test_alternatives_that_are_covered_are_no_change() -> None:
    def body(schema: Any) -> dict[str, Any]:
        return {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "M", **schema}

    narrow, wide = {"type": "string", "maxLength": 5}, {"type": "string"}
    number = {"type": "integer"}
    before = body({"anyOf": [narrow, wide, number]})
    assert ids(before, body({"anyOf": [wide, number]})) == []
    assert ids(body({"anyOf": [wide, number]}), before) == []
    assert ids(body(wide), body({"anyOf": [narrow, wide]})) == []


def test_unions_of_each_other_end_and_say_what_is_undetermined() -> None:
    def document(longest: int) -> dict[str, Any]:
        names = [f"N{index}" for index in range(16)]
        unions = {}
        for index, name in enumerate(names):
            others = [{"$ref": f"#/$defs/{names[(index * 3 + step) % 16]}"} for step in range(4)]
            following = {"$ref": f"#/$defs/{names[(index + 1) % 16]}"}
            text = {"type": "string", "maxLength": longest + index}
            own = {"type": "object", "properties": {f"p{index}": following, "v": text}}
            unions[name] = {"anyOf": [*others, own]}
        schema = {"type": "object", "properties": {"a": {"$ref": "#/$defs/N0"}}, "$defs": unions}
        return {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "M", **schema}

    found = compare_contracts(document(5), document(6))
    assert {one.reason for one in found.undetermined} == {
        "the contract combines too many alternatives to compare them all"
    }
