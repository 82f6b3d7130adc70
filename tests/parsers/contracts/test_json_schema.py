"""Shared models of JSON Schema documents."""

from __future__ import annotations

from pathlib import Path

import pytest

from contract_scan.errors import ContractError
from contract_scan.ir.origin import Span
from contract_scan.parsers.contracts.load import read_contracts
from tests.parsers.contracts.loading import load_contracts
from tests.parsers.contracts.rendering import load, render


def models(folder: Path, text: str, name: str = "contract.yaml") -> dict[str, str]:
    return {one.name: render(one.schema) for one in load(folder, text, name).models}


def test_the_root_and_every_definition_are_models(tmp_path: Path) -> None:
    document = load(
        tmp_path,
        """\
        {
          "$schema": "https://json-schema.org/draft/2020-12/schema",
          "title": "Order",
          "type": "object",
          "required": ["lines"],
          "properties": {"lines": {"type": "array", "items": {"$ref": "#/$defs/Line"}}},
          "$defs": {
            "Line": {"type": "object", "properties": {"sku": {"type": "string"}}},
            "Level": {"enum": ["low", "high"]}
          },
          "definitions": {"Old": {"type": "integer"}}
        }
        """,
        "order.schema.json",
    )
    assert document.kind == "json-schema"
    assert document.version == "https://json-schema.org/draft/2020-12/schema"
    assert [(one.name, render(one.schema), one.origin.span.line) for one in document.models] == [
        ("Order", "Order{lines: [<Line>]}", 1),
        ("Line", "Line{sku?: string}", 8),
        ("Level", "string of 'low'/'high'", 9),
        ("Old", "integer", 11),
    ]
    assert {one.document for one in document.models} == {"order.schema.json"}
    assert document.models[1].origin.span == Span(8, 5, 8, 11)


def test_a_holder_of_definitions_is_no_model_itself(tmp_path: Path) -> None:
    assert models(tmp_path / "a", "definitions: {A: {type: string}}") == {"A": "string"}
    pointing = "$ref: '#/definitions/A'\ndefinitions: {A: {type: string}}"
    assert models(tmp_path / "b", pointing) == {"A": "string"}


@pytest.mark.parametrize(
    ("title", "name", "model"),
    [
        ("Order", "x.json", "Order"),
        ("order_line", "x.json", "order_line"),
        ("Order line", "x.json", "OrderLine"),
        ("The bill of materials of a product", "order-line.schema.json", "order-line"),
        ("Order (new)", "order.schema.yaml", "order"),
        ("", "bom-1.6.schema.json", "bom"),
        ("", "customer.v2.json", "customer"),
        ("", "2024.json", "2024"),
    ],
)
def test_the_root_is_named_by_its_title_or_else_its_file(
    tmp_path: Path, title: str, name: str, model: str
) -> None:
    assert list(models(tmp_path, f'{{"title": "{title}", "type": "object"}}', name)) == [model]


def test_a_published_name_stays_when_the_file_is_called_otherwise(tmp_path: Path) -> None:
    text = """
        $schema: http://json-schema.org/draft-07/schema#
        $id: http://example.org/schema/order-line-1.6.schema.json
        title: The lines of an order, as they are published
        type: object
        """
    assert list(models(tmp_path, text, "copy-7.yaml")) == ["order-line"]


@pytest.mark.parametrize(
    ("identifier", "name"),
    [
        ("urn:Gate:1.4:2021:3:BadgeRequest", "BadgeRequest"),
        ("URN:gate:events/BadgeRequest.json", "BadgeRequest"),
        ("urn:uuid:6e8bc430-9c3a-11d9-9669-0800200c9a66", "contract"),
    ],
)
def test_the_last_part_of_a_urn_names_the_model(tmp_path: Path, identifier: str, name: str) -> None:
    assert list(models(tmp_path, f'{{"$id": "{identifier}", "type": "object"}}')) == [name]


def test_a_root_that_only_wraps_the_definition_of_its_name_is_no_model(tmp_path: Path) -> None:
    text = """
        $id: https://events.example/RainNote.json
        type: object
        properties: {}
        $defs: {{RainNote: {{type: object, properties: {{mm: {{type: number}}}}}}}}
        """
    wrapper = text.format("{rain: {$ref: '#/$defs/RainNote'}}")
    assert models(tmp_path / "a", wrapper) == {"RainNote": "RainNote{mm?: number}"}
    holder = text.format("{rain: {$ref: '#/$defs/RainNote'}, id: {type: string}}")
    document = load(tmp_path / "b", holder)
    assert [render(one.schema) for one in document.models] == [
        "contract{rain?: <RainNote>, id?: string}",
        "RainNote{mm?: number}",
    ]


def test_the_dialect_decides_what_stands_beside_a_reference(tmp_path: Path) -> None:
    text = """
        $schema: {}
        type: object
        properties: {{a: {{$ref: '#/definitions/A', required: [x]}}}}
        definitions: {{A: {{type: object, properties: {{x: {{type: string}}}}}}}}
        """
    old = models(tmp_path / "a", text.format("http://json-schema.org/draft-07/schema#"))
    new = models(tmp_path / "b", text.format("https://json-schema.org/draft/2019-09/schema"))
    assert old["contract"] == "contract{a?: <A>}"
    assert new["contract"] == "contract{a?: A{x: string}}"


def test_draft_4_is_read(tmp_path: Path) -> None:
    assert models(
        tmp_path,
        """
        $schema: http://json-schema.org/draft-04/schema#
        id: http://example.org/price.json
        type: object
        properties:
          amount: {type: number, minimum: 0, exclusiveMinimum: true}
          pair: {type: array, items: [{type: string}, {type: integer}]}
          code: {type: [string, 'null']}
        """,
    ) == {
        "price": "contract{amount?: number, pair?: [string, integer, ...any|null], "
        "code?: string|null}"
    }


def test_a_folder_is_read_whatever_files_in_it_are_broken(tmp_path: Path) -> None:
    (tmp_path / "models/sub").mkdir(parents=True)
    (tmp_path / "models/a.schema.json").write_text('{"type": "object", "title": "A"}')
    (tmp_path / "models/sub/b.json").write_text('{"$defs": {"B": {"$ref": "../a.schema.json"}}}')
    (tmp_path / "models/broken.json").write_text("{")
    (tmp_path / "models/package.json").write_text('{"name": "models"}')
    found = read_contracts([tmp_path / "models"], tmp_path)
    assert [
        (document.path, [(one.name, one.document) for one in document.models], [*document.schemas])
        for document in found.documents
    ] == [
        ("models/a.schema.json", [("A", "models/a.schema.json")], []),
        ("models/sub/b.json", [("B", "models/sub/b.json")], ["models/a.schema.json#"]),
    ]
    assert [(one.path, one.line) for one in found.problems] == [("models/broken.json", 1)]


def test_a_folder_without_contracts_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(ContractError) as caught:
        load_contracts([tmp_path / "empty"], tmp_path)
    assert str(caught.value) == "empty: holds no contract document"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "contract.yaml: is empty"),
        ("- a", "contract.yaml: is no contract: it holds no mapping at its top"),
        (
            "name: thing",
            "contract.yaml: is no contract that can be read: it has neither an `openapi`, "
            "`swagger` or `asyncapi` version nor the keywords of a JSON Schema",
        ),
    ],
)
def test_a_file_that_is_no_contract_says_so(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(ContractError) as caught:
        load(tmp_path, text)
    assert str(caught.value) == message
