"""Documents in parts: files beside them that have paths or components and give no version."""

from __future__ import annotations

import json
from pathlib import Path

from contract_scan.parsers.contracts.wire.load import read_wire_contracts
from tests.parsers.contracts.loading import load_contract
from tests.parsers.contracts.test_load import Memory

DOCUMENT = """{
  "openapi": "3.0.3",
  "info": {"title": "Shop", "version": "1"},
  "components": {"schemas": {"Name": {"type": "string"}}}
}
"""
ORDERS = """{
  "paths": {
    "/orders/{id}": {
      "get": {
        "parameters": [{"$ref": "#/components/parameters/Id"}],
        "responses": {"200": {"content": {"application/json": {"schema": {
          "$ref": "#/components/schemas/Order"
        }}}}}
      }
    }
  },
  "components": {"schemas": {"Order": {"properties": {
    "name": {"$ref": "#/components/schemas/Name"}
  }}}}
}
"""
CHANGES = """{"paths": {
  "/orders/{id}": {"delete": {"responses": {}}},
  "/orders": {"post": {"responses": {}}}
}}
"""
SHARED = """{"components": {"parameters": {"Id": {
  "name": "id", "in": "path", "required": true, "schema": {"type": "integer"}
}}}}
"""


def write(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (folder / name).write_text(text)
    return folder / "shop.json"


SHOP = {
    "shop.json": DOCUMENT,
    "orders.json": ORDERS,
    "changes.json": CHANGES,
    "shared.json": SHARED,
    "tsconfig.json": '{"compilerOptions": {"paths": {"@/*": ["src/*"]}}}',
    "data.json": '{"paths": {"/orders": "a list of them"}}',
}


def test_a_document_has_what_its_parts_hold_at_their_places(tmp_path: Path) -> None:
    found = load_contract(write(tmp_path, SHOP), tmp_path)
    assert [(o.method, o.path, o.origin.path, o.origin.span.line) for o in found.operations] == [
        ("GET", "/orders/{id}", "orders.json", 4),
        ("DELETE", "/orders/{id}", "changes.json", 2),
        ("POST", "/orders", "changes.json", 3),
    ]
    assert {operation.document for operation in found.operations} == {"shop.json"}
    assert [each.origin.path for each in found.operations[0].parameters] == ["shared.json"]
    assert sorted(found.schemas) == [
        "orders.json#/components/schemas/Order",
        "shop.json#/components/schemas/Name",
    ]
    assert found.problems == ()
    wire = read_wire_contracts([tmp_path / "shop.json"], tmp_path)
    assert [len(contract.endpoints) for contract in wire.contracts] == [3]


def test_what_two_parts_define_differently_is_an_error_of_the_contract(tmp_path: Path) -> None:
    parts = {
        "a.json": '{"paths": {"/a": {"get": {"summary": "one"}}}, '
        '"components": {"schemas": {"A": {"type": "string"}, "B": {"type": "string"}}}}',
        "b.json": '{"paths": {"/a": {"get": {"summary": "two"}}},\n'
        '"components": {"schemas": {"A": {"type": "integer"}, "B": {"type": "string"}}}}',
    }
    found = load_contract(write(tmp_path, {"shop.json": DOCUMENT, **parts}), tmp_path)
    assert [operation.summary for operation in found.operations] == ["one"]
    assert [(one.path, one.line, one.reason) for one in found.problems] == [
        (
            "b.json",
            1,
            "`/paths/~1a/get` is defined differently in a.json:1, which counts for other parts",
        ),
        (
            "b.json",
            2,
            "`/components/schemas/A` is defined differently in a.json:1, which counts for other"
            " parts",
        ),
    ]


def test_which_files_are_parts_of_a_document_with_paths_of_its_own(tmp_path: Path) -> None:
    """Those that are called after it; what it refers to is read where it does."""
    document = json.loads(DOCUMENT)
    document["paths"] = {"/a": {"$ref": "shop.a.json#/paths/~1a"}}
    part = '{"paths": {"/%s": {"get": {}}}}'
    names = ("shop.a", "shop.b", "shop-c", "shops", "other")
    files = {f"{name}.json": part % name[-1] for name in names}
    found = load_contract(write(tmp_path, {"shop.json": json.dumps(document), **files}), tmp_path)
    assert sorted(operation.path for operation in found.operations) == ["/a", "/b", "/c"]


def test_what_another_document_refers_to_is_no_part(tmp_path: Path) -> None:
    other = '{"openapi": "3.0.3", "info": {}, "paths": {"/a": {"$ref": "a.json#/paths/~1a"}}}'
    files = {"shop.json": DOCUMENT, "other.json": other, "a.json": '{"paths": {"/a": {"get": {}}}}'}
    found = load_contract(write(tmp_path, files), tmp_path)
    assert found.operations == ()


def test_a_part_that_is_added_counts_although_the_document_is_as_it_was(tmp_path: Path) -> None:
    cache, path = Memory(), write(tmp_path, SHOP)
    before = load_contract(path, tmp_path, cache=cache)
    (tmp_path / "late.json").write_text('{"paths": {"/late": {"get": {"responses": {}}}}}')
    after = load_contract(path, tmp_path, cache=cache)
    assert len(after.operations) == len(before.operations) + 1
    assert load_contract(path, tmp_path, cache=cache) == after
    assert cache.hits == 1


def test_channels_in_parts(tmp_path: Path) -> None:
    files = {
        "shop.yaml": "asyncapi: 2.6.0\ninfo: {title: Shop, version: '1'}\nchannels: {}\n",
        "orders.yaml": "channels:\n  orders:\n    publish: {message: {payload: {}}}\n",
        "paths.yaml": "paths:\n  /a: {get: {responses: {}}}\n",
    }
    write(tmp_path, files)
    found = load_contract(tmp_path / "shop.yaml", tmp_path)
    assert [(channel.key, channel.origin.path) for channel in found.channels] == [
        ("orders", "orders.yaml")
    ]


HEAD = "swagger: '2.0'\ninfo: {title: Shop, version: '1'}\nbasePath: /v1\n"
ORDERS_IN_YAML = """paths:
  /orders/{id}:
    get:
      parameters: [{$ref: '#/parameters/Id'}]
      responses:
        200: {schema: {$ref: '#/definitions/Order'}}
definitions:
  Order: {properties: {name: {$ref: '#/definitions/Name'}}}
"""
SHARED_IN_YAML = "parameters: {Id: {name: id, in: path, required: true, type: integer}}\n"
PLUGINS = {
    "shop/plugins/api/api.yml": HEAD + "definitions: {Name: {type: string}}\n",
    "shop/plugins/orders/api.yml": ORDERS_IN_YAML,
    "shop/plugins/shared/api.yml": SHARED_IN_YAML,
    "shop/more/changes/api.yml": "paths: {/orders: {post: {responses: {}}}}\n",
    "shop/plugins/orders/tests/api.yml": "paths: {/tested: {get: {responses: {}}}}\n",
    "shop/plugins/orders/events.yml": "paths: {/events: {get: {responses: {}}}}\n",
    "shop/setup.py": "",
    "other/plugins/bills/api.yml": "paths: {/bills: {get: {responses: {}}}}\n",
}


def write_tree(root: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)


def test_parts_of_its_name_in_other_folders_of_the_package(tmp_path: Path) -> None:
    """Neither those for tests, nor those of another package."""
    write_tree(tmp_path, PLUGINS)
    found = load_contract(tmp_path / "shop/plugins/api/api.yml", tmp_path)
    assert [(o.method, o.path, o.origin.path, o.origin.span.line) for o in found.operations] == [
        ("POST", "/orders", "shop/more/changes/api.yml", 1),
        ("GET", "/orders/{id}", "shop/plugins/orders/api.yml", 3),
    ]
    parameters = found.operations[1].parameters
    assert [each.origin.path for each in parameters] == ["shop/plugins/shared/api.yml"]
    assert found.base_paths == ("/v1",)
    assert found.problems == ()


def test_a_document_that_has_parts_beside_it_has_none_in_other_folders(tmp_path: Path) -> None:
    beside = {"shop/plugins/api/orders.yml": "paths: {/beside: {get: {responses: {}}}}\n"}
    write_tree(tmp_path, PLUGINS | beside)
    found = load_contract(tmp_path / "shop/plugins/api/api.yml", tmp_path)
    assert [operation.path for operation in found.operations] == ["/beside"]


def test_a_document_with_paths_of_its_own_has_no_parts_in_other_folders(tmp_path: Path) -> None:
    own = {"shop/plugins/api/api.yml": HEAD + "paths: {/own: {get: {responses: {}}}}\n"}
    write_tree(tmp_path, PLUGINS | own)
    found = load_contract(tmp_path / "shop/plugins/api/api.yml", tmp_path)
    assert [operation.path for operation in found.operations] == ["/own"]


def test_a_part_belongs_to_the_nearest_document(tmp_path: Path) -> None:
    """One that is equally near to two is told, and read for neither."""
    write_tree(
        tmp_path,
        {
            "a/api/api.yml": HEAD,
            "b/api/api.yml": HEAD,
            "a/orders/api.yml": "paths: {/a: {get: {responses: {}}}}\n",
            "b/orders/api.yml": "paths: {/b: {get: {responses: {}}}}\n",
            "c/orders/api.yml": "paths: {/c: {get: {responses: {}}}}\n",
        },
    )
    for name in ("a", "b"):
        found = load_contract(tmp_path / name / "api/api.yml", tmp_path)
        assert [operation.path for operation in found.operations] == [f"/{name}"]
        assert [(one.path, one.reason) for one in found.problems] == [
            (
                "c/orders/api.yml",
                "may be a part of `a/api/api.yml` and of `b/api/api.yml`, which are equally near",
            )
        ]


def test_a_part_that_is_added_in_another_folder_counts_as_well(tmp_path: Path) -> None:
    write_tree(tmp_path, PLUGINS)
    cache, path = Memory(), tmp_path / "shop/plugins/api/api.yml"
    before = load_contract(path, tmp_path, cache=cache)
    write_tree(tmp_path, {"shop/late/api.yml": "paths: {/late: {get: {responses: {}}}}\n"})
    after = load_contract(path, tmp_path, cache=cache)
    assert len(after.operations) == len(before.operations) + 1
    assert load_contract(path, tmp_path, cache=cache) == after
    assert cache.hits == 1
