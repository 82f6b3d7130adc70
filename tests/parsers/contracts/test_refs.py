"""Where references may lead, and where they never do."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from contract_scan.ir.schema import Reference
from tests.parsers.contracts.loading import load_contract, load_contracts
from tests.parsers.contracts.rendering import load, problems, render


def schema(folder: Path, name: str, **keywords: object) -> Path:
    """A JSON Schema file; `_` in front of a keyword stands for `$`."""
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    given = {("$" + key[1:] if key.startswith("_") else key): one for key, one in keywords.items()}
    path.write_text(json.dumps(given))
    return path


def refers(folder: Path, reference: str, **more: object) -> list[str]:
    """What a property that refers there turns out to be, or the problems."""
    path = schema(
        folder,
        "model.json",
        type="object",
        properties={"a": {"$ref": reference}},
        definitions={"Text": {"type": "string"}, "a/b~c%d": {"type": "integer"}},
        **more,
    )
    document = load_contract(path, folder)
    found = document.models[0].schema.fields[0].schema  # type: ignore[union-attr]
    if document.problems:
        return [problem.reason for problem in document.problems]
    assert isinstance(found, Reference)
    return [render(document.schemas[found.key])]


@pytest.mark.parametrize(
    ("reference", "found"),
    [
        ("#/definitions/Text", "string"),
        ("model.json#/definitions/Text", "string"),
        ("./other/../model.json#/definitions/Text", "string"),
        ("#/definitions/a~1b~0c%25d", "integer"),
        ("#definitions/Text", "string"),
    ],
)
def test_pointers_inside_the_document(tmp_path: Path, reference: str, found: str) -> None:
    assert refers(tmp_path, reference) == [found]


def test_the_root_itself_may_be_meant(tmp_path: Path) -> None:
    expected = ["model{a?: <model.json#>}"]
    assert refers(tmp_path, "#") == expected
    assert refers(tmp_path, "#/") == expected


@pytest.mark.parametrize(
    ("reference", "reason"),
    [
        (
            "#/definitions/Gone",
            "leads nowhere: there is no `Gone` in model.json#/definitions",
        ),
        ("#gone", "names an anchor that does not exist"),
        ("gone.json", "leads to a file that does not exist"),
        ("../secret.json", "leads outside of the scanned folder"),
        ("..%2Fsecret.json", "leads outside of the scanned folder"),
        ("%2e%2e/secret.json", "leads outside of the scanned folder"),
        ("/etc/passwd", "leads outside of the scanned folder"),
        ("link.json", "leads outside of the scanned folder"),
        (
            "file:///etc/passwd",
            "is remote; nothing is fetched, so save a copy beside the contract",
        ),
        (
            "http://169.254.169.254/latest/meta-data",
            "is remote; nothing is fetched, so save a copy beside the contract",
        ),
        ("a%00b.json", "is not a path"),
        ("x" * 300, "is not a usable path"),
    ],
)
def test_references_that_are_refused(tmp_path: Path, reference: str, reason: str) -> None:
    (tmp_path / "secret.json").write_text('{"type": "string"}')
    folder = tmp_path / "root"
    folder.mkdir()
    (folder / "link.json").symlink_to(tmp_path / "secret.json")
    shown = reference if len(reference) <= 80 else reference[:79] + "…"
    assert refers(folder, reference) == [f"$ref `{shown}` {reason}"]


def test_a_refused_file_is_named_but_never_shown(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("secret: [unclosed")
    assert refers(tmp_path, "notes.txt") == [
        "$ref `notes.txt` cannot be followed: notes.txt:1: is not valid YAML: "
        "while parsing a flow sequence, did not find expected ',' or ']'"
    ]


def test_a_folder_or_special_file_is_not_opened(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    assert refers(tmp_path, "folder") == [
        "$ref `folder` cannot be followed: folder: is not a regular file"
    ]


def test_relative_identifiers_of_embedded_schemas(tmp_path: Path) -> None:
    path = schema(
        tmp_path,
        "model.json",
        _schema="https://json-schema.org/draft/2020-12/schema",
        _id="Plan",
        type="object",
        properties={"flag": {"$ref": "Flag"}, "deep": {"$ref": "Deep"}, "file": {"$ref": "gone"}},
        _defs={
            "Flag": {"$id": "Flag", "type": "boolean"},
            "Deep": {"$id": "Deep", "type": "object", "properties": {"f": {"$ref": "Flag"}}},
        },
    )
    document = load_contract(path, tmp_path)
    assert [text for *_, text in problems(document)] == [
        "$ref `gone` leads to a file that does not exist"
    ]
    assert render(document.models[0].schema).startswith("model{flag?: <Flag>, deep?: <Deep>,")


def test_anchors_and_identifiers(tmp_path: Path) -> None:
    path = schema(
        tmp_path,
        "model.json",
        _schema="https://json-schema.org/draft/2020-12/schema",
        _id="https://example.org/schemas/model.json",
        type="object",
        properties={
            "anchor": {"$ref": "#text"},
            "embedded": {"$ref": "https://example.org/schemas/inner"},
            "relative": {"$ref": "inner#/$defs/Flag"},
        },
        _defs={
            "Text": {"$anchor": "text", "type": "string"},
            "Inner": {
                "$id": "inner",
                "type": "object",
                "properties": {"flag": {"$ref": "#/$defs/Flag"}},
                "$defs": {"Flag": {"type": "boolean"}},
            },
        },
    )
    document = load_contract(path, tmp_path)
    assert problems(document) == []
    assert render(document.models[0].schema) == (
        "model{anchor?: <Text>, embedded?: <Inner>, relative?: <Flag>}"
    )
    assert {key.rpartition("/")[2]: render(one) for key, one in document.schemas.items()} == {
        "Text": "string",
        "Inner": "Inner{flag?: <Flag>}",
        "Flag": "boolean",
    }


def test_old_drafts_use_identifiers_as_anchors(tmp_path: Path) -> None:
    found = load(
        tmp_path,
        """
        $schema: http://json-schema.org/draft-04/schema#
        type: object
        properties: {a: {$ref: '#text'}}
        definitions: {Text: {id: '#text', type: string}}
        """,
    )
    assert problems(found) == []
    assert [render(one) for one in found.schemas.values()] == ["string"]


def test_files_that_were_published_side_by_side_answer_for_their_addresses(
    tmp_path: Path,
) -> None:
    base = "https://example.org/schemas"
    order = schema(
        tmp_path,
        "orders/order.json",
        _id=f"{base}/orders/order.json",
        type="object",
        properties={
            "near": {"$ref": f"{base}/orders/line.json"},
            "relative": {"$ref": "../shared/money.json"},
            "same": {"$ref": f"{base}/shared/money.json"},
        },
    )
    schema(tmp_path, "orders/line.json", _id=f"{base}/orders/line.json", type="string")
    schema(tmp_path, "shared/money.json", type="integer")
    document = load_contract(order, tmp_path)
    assert problems(document) == []
    assert sorted(document.schemas) == ["orders/line.json#", "shared/money.json#"]


def test_files_without_an_address_answer_where_their_folder_is_called_alike(
    tmp_path: Path,
) -> None:
    base = "https://example.org/shop/schemas"
    order = schema(
        tmp_path,
        "schemas/order.json",
        type="object",
        properties={
            "line": {"$ref": f"{base}/line.json"},
            "money": {"$ref": "https://example.org/shop/shared/money.json"},
            "far": {"$ref": "https://example.org/shop/far/line.json"},
        },
    )
    schema(tmp_path, "schemas/line.json", type="string")
    schema(tmp_path, "shared/money.json", type="integer")
    document = load_contract(order, tmp_path)
    assert [problem.reason for problem in document.problems] == [
        "$ref `https://example.org/shop/far/line.json` is remote; nothing is fetched, "
        "so save a copy beside the contract"
    ]
    assert sorted(document.schemas) == ["schemas/line.json#", "shared/money.json#"]


def test_a_file_that_calls_itself_something_else_does_not_answer(tmp_path: Path) -> None:
    schema(tmp_path, "other.json", _id="https://example.org/elsewhere.json", type="string")
    assert refers(tmp_path, "https://example.org/other.json") == [
        "$ref `https://example.org/other.json` is remote; nothing is fetched, "
        "so save a copy beside the contract"
    ]


def test_contracts_read_together_answer_for_each_other(tmp_path: Path) -> None:
    order = schema(
        tmp_path,
        "a/order.json",
        type="object",
        properties={"money": {"$ref": "https://example.org/money"}},
    )
    money = schema(tmp_path, "b/money.json", _id="https://example.org/money", type="integer")
    alone = load_contract(order, tmp_path)
    together = load_contracts((order, money), tmp_path)
    assert [problem.line for problem in alone.problems] == [1]
    assert [document.problems for document in together] == [(), ()]
    assert {key: render(one) for key, one in together[0].schemas.items()} == {
        "b/money.json#": "integer"
    }


def test_a_contract_outside_the_root_may_refer_within_its_own_folder(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    path = schema(outside, "a.json", properties={"b": {"$ref": "b.json"}, "c": {"$ref": "../c"}})
    schema(outside, "b.json", type="string")
    schema(tmp_path, "c", type="string")
    root = tmp_path / "root"
    root.mkdir()
    document = load_contract(path, root)
    assert document.path == "../outside/a.json"
    assert [problem.reason for problem in document.problems] == [
        "$ref `../c` leads outside of the scanned folder"
    ]


def test_dynamic_references_with_one_meaning_are_followed_and_others_are_not(
    tmp_path: Path,
) -> None:
    one = load(
        tmp_path,
        """
        $schema: https://json-schema.org/draft/2020-12/schema
        $dynamicAnchor: node
        type: object
        properties: {next: {$dynamicRef: '#node'}}
        """,
        "tree.yaml",
    )
    two = load(
        tmp_path,
        """
        $schema: https://json-schema.org/draft/2020-12/schema
        type: object
        properties: {items: {$dynamicRef: '#item'}}
        $defs:
          A: {$dynamicAnchor: item, type: string}
          B: {$id: other, $defs: {C: {$dynamicAnchor: item, type: integer}}}
        """,
        "list.yaml",
    )
    assert render(one.models[0].schema) == "tree{next?: <tree.yaml#>}"
    assert [reason for _, _, reason in problems(two)] == [
        "$dynamicRef `#item` depends on the schema it is used from"
    ]


def test_pointers_pass_through_references(tmp_path: Path) -> None:
    document = load(
        tmp_path,
        """
        type: object
        properties: {a: {$ref: '#/definitions/Alias/properties/deep'}}
        definitions:
          Alias: {$ref: '#/definitions/Real'}
          Real: {type: object, properties: {deep: {type: string}}}
        """,
    )
    assert problems(document) == []
    assert render(document.schemas["contract.yaml#/definitions/Real/properties/deep"]) == "string"


@pytest.mark.parametrize(
    ("head", "read"),
    [
        ("", []),
        (
            "openapi: 3.0.3\n",
            [
                "$ref `#/components/schemas/Order` leads nowhere: "
                "there is no `components` in paths/orders.yaml"
            ],
        ),
    ],
)
def test_pointers_in_a_file_of_pieces_may_be_those_of_the_document(
    tmp_path: Path, head: str, read: list[str]
) -> None:
    (tmp_path / "paths").mkdir()
    (tmp_path / "paths" / "orders.yaml").write_text(
        head
        + "get: {responses: {'200': {description: ok, content: {application/json:"
        + " {schema: {$ref: '#/components/schemas/Order'}}}}}}\n"
    )
    whole = tmp_path / "openapi.yaml"
    whole.write_text(
        "openapi: 3.0.3\ninfo: {title: Shop, version: '1'}\n"
        "paths: {/orders: {$ref: paths/orders.yaml}}\n"
        "components: {schemas: {Order: {type: object, properties: {id: {type: string}}}}}\n"
    )
    document = load_contract(whole, tmp_path)
    assert [text for *_, text in problems(document)] == read
    assert ("openapi.yaml#/components/schemas/Order" in document.schemas) is (not read)
