"""Contract files whose state is as it was are not read again."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from contract_scan.parsers.contracts.known_state import State
from contract_scan.parsers.contracts.load import read_contracts


class Kept(dict[bytes, bytes]):
    """What was read, by content."""

    def put(self, key: bytes, value: bytes) -> None:
        self[key] = value


class States:
    """The states of files, as somebody says they are."""

    def __init__(self) -> None:
        self.changed: dict[str, int] = {}
        self.unsettled: set[str] = set()

    def of(self, path: Path) -> State | None:
        if path.name in self.unsettled or not path.exists():
            return None
        return (1, 1 + self.changed.get(path.name, 0), 1)


def written(path: Path, *routes: str, **others: object) -> Path:
    """An OpenAPI document with these routes."""
    responses = {"responses": {"200": {"description": "ok"}}}
    paths = {route: {"get": responses} for route in routes}
    document = {"openapi": "3.1.0", "info": {"title": "T", "version": "1"}, "paths": paths}
    path.write_text(json.dumps({**document, **others}))
    return path


def routes(path: Path, kept: Kept, states: States) -> list[str]:
    found = read_contracts([path], path.parent, cache=kept, state_of=states.of)
    assert not found.problems
    return [each.path for document in found.documents for each in document.operations]


def test_a_file_whose_state_is_as_it_was_is_not_read(tmp_path: Path) -> None:
    kept, states = Kept(), States()
    shop = written(tmp_path / "shop.json", "/orders")
    assert routes(shop, kept, states) == ["/orders"]
    written(shop, "/carts")
    assert routes(shop, kept, states) == ["/orders"]
    states.changed["shop.json"] = 1
    assert routes(shop, kept, states) == ["/carts"]


def test_a_state_that_does_not_tell_whether_the_file_changes(tmp_path: Path) -> None:
    kept, states = Kept(), States()
    states.unsettled.add("shop.json")
    shop = written(tmp_path / "shop.json", "/orders")
    assert routes(shop, kept, states) == ["/orders"]
    written(shop, "/carts")
    assert routes(shop, kept, states) == ["/carts"]


def test_files_beside_a_document_that_may_be_parts_of_it(tmp_path: Path) -> None:
    kept, states = Kept(), States()
    shop = written(tmp_path / "shop.json", "/orders")
    assert routes(shop, kept, states) == ["/orders"]
    ok = {"responses": {"200": {"description": "ok"}}}
    part = tmp_path / "shop.carts.json"
    part.write_text(json.dumps({"paths": {"/carts": {"get": ok}}}))
    assert routes(shop, kept, states) == ["/orders", "/carts"]
    part.write_text(json.dumps({"paths": {"/lists": {"get": ok}}}))
    states.changed[part.name] = 1
    assert routes(shop, kept, states) == ["/orders", "/lists"]
    part.unlink()
    assert routes(shop, kept, states) == ["/orders"]


def test_files_beside_a_document_whose_names_are_no_utf8(tmp_path: Path) -> None:
    kept, states = Kept(), States()
    shop = written(tmp_path / "shop.json", "/orders")
    beside = tmp_path / os.fsdecode(b"shop.\xff.json")
    try:
        beside.write_text("{}")
    except OSError:
        pytest.skip("this file system takes no such name")
    assert routes(shop, kept, states) == ["/orders"]
    written(shop, "/carts")
    assert routes(shop, kept, states) == ["/orders"]
    beside.unlink()
    assert routes(shop, kept, states) == ["/carts"]


def test_files_that_a_document_refers_to_are_read(tmp_path: Path) -> None:
    kept, states = Kept(), States()
    items = tmp_path / "paths.json"
    items.write_text(json.dumps({"get": {"responses": {}}}))
    shop = tmp_path / "shop.json"
    written(shop, paths={"/orders": {"$ref": "./paths.json"}})
    assert routes(shop, kept, states) == ["/orders"]
    items.write_text(json.dumps({"get": {"responses": {}}, "put": {"responses": {}}}))
    assert routes(shop, kept, states) == ["/orders", "/orders"]
