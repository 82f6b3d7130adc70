"""Reading several contracts, and keeping what was read by content."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from contract_scan.errors import ContractError
from contract_scan.fleet.reading import Reading, UnitAcross, decode_reading, encode_reading
from contract_scan.ir.document import ContractDocument
from contract_scan.parsers.contracts.load import read_contracts
from tests.parsers.contracts.loading import load_contract, load_contracts
from tests.parsers.contracts.rendering import render

DOCUMENT = """\
openapi: 3.0.3
paths:
  /a:
    get:
      responses:
        200: {content: {application/json: {schema: {$ref: 'parts.yaml#/A'}}}}
"""


class Memory:
    """A cache that remembers what it was asked."""

    def __init__(self) -> None:
        self.kept: dict[bytes, bytes] = {}
        self.hits = 0

    def get(self, key: bytes) -> bytes | None:
        self.hits += key in self.kept
        return self.kept.get(key)

    def put(self, key: bytes, value: bytes) -> None:
        self.kept[key] = value


@pytest.fixture
def contract(tmp_path: Path) -> Path:
    (tmp_path / "openapi.yaml").write_text(DOCUMENT)
    (tmp_path / "parts.yaml").write_text("A: {type: string}\n")
    return tmp_path / "openapi.yaml"


def read(path: Path, cache: Memory, **options: Any) -> ContractDocument:
    return load_contract(path, path.parent, cache=cache, **options)


def test_what_was_read_before_is_equal_to_what_is_read(contract: Path) -> None:
    cache = Memory()
    first, second = read(contract, cache), read(contract, cache)
    assert first == second == load_contract(contract, contract.parent)
    assert (len(cache.kept), cache.hits) == (1, 1)


def test_what_is_kept_of_a_document_can_be_handed_to_another_process(contract: Path) -> None:
    cache = Memory()
    documents = tuple(read(contract, cache) for _ in range(2))
    reading = Reading(units=(UnitAcross(name="", documents=documents, events=()),))
    (unit,) = decode_reading(encode_reading(reading)).units
    assert documents[0].schemas
    assert unit.documents == documents


def test_a_changed_part_is_read_again(contract: Path) -> None:
    cache = Memory()
    read(contract, cache)
    (contract.parent / "parts.yaml").write_text("A: {type: integer}\n")
    changed = read(contract, cache)
    assert [render(one) for one in changed.schemas.values()] == ["integer"]


def test_a_moved_file_another_version_and_a_damaged_entry_are_read_again(contract: Path) -> None:
    cache = Memory()
    read(contract, cache)
    moved = contract.rename(contract.with_name("moved.yaml"))
    assert read(moved, cache).path == "moved.yaml"
    read(moved, cache, cache_version="2")
    assert len(cache.kept) == 3
    cache.kept = dict.fromkeys(cache.kept, b"garbage")
    assert read(moved, cache).path == "moved.yaml"


def test_documents_with_problems_are_not_kept(contract: Path) -> None:
    cache = Memory()
    (contract.parent / "parts.yaml").unlink()
    assert len(read(contract, cache).problems) == 1
    (contract.parent / "parts.yaml").write_text("A: {type: string}\n")
    assert read(contract, cache).problems == ()


def test_one_bad_contract_does_not_stop_the_rest(contract: Path) -> None:
    bad = contract.with_name("bad.yaml")
    bad.write_text("a: [")
    gone = contract.with_name("gone.yaml")
    found = read_contracts([bad, contract, gone], contract.parent)
    assert [one.path for one in found.documents] == ["openapi.yaml"]
    assert [(one.path, one.line, one.fatal) for one in found.problems] == [
        ("bad.yaml", 1, True),
        ("gone.yaml", 0, True),
    ]
    with pytest.raises(ContractError) as caught:
        load_contracts([contract, gone], contract.parent)
    assert str(caught.value) == "gone.yaml: does not exist"


def test_a_file_named_twice_is_read_once(contract: Path) -> None:
    assert len(load_contracts([contract, contract], contract.parent)) == 1


def test_duplicate_keys_are_problems_of_the_document(contract: Path) -> None:
    contract.write_text(DOCUMENT + "    get: {responses: {}}\n")
    (contract.parent / "parts.yaml").write_text("A: {type: string, type: integer}\n")
    document = load_contract(contract, contract.parent)
    assert [(one.path, one.line, one.fatal) for one in document.problems] == [
        ("openapi.yaml", 7, False)
    ]


def test_the_same_contract_is_read_alike_wherever_the_root_lies(
    contract: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    other = tmp_path_factory.mktemp("elsewhere")
    for name in ("openapi.yaml", "parts.yaml"):
        (other / name).write_bytes((contract.parent / name).read_bytes())
    assert load_contract(contract, contract.parent) == load_contract(other / "openapi.yaml", other)


def test_references_stay_within_a_folder_that_was_named_outside_of_the_root(tmp_path: Path) -> None:
    root, schemas = tmp_path / "code", tmp_path / "schemas"
    (schemas / "inner").mkdir(parents=True)
    root.mkdir()
    (schemas / "base.schema.json").write_text('{"title": "Base", "type": "string"}')
    (schemas / "inner" / "order.schema.json").write_text(
        '{"title": "Order", "type": "object", "properties":'
        ' {"id": {"$ref": "../base.schema.json"}, "secret": {"$ref": "../../outside.json"}}}'
    )
    (tmp_path / "outside.json").write_text('{"type": "string"}')
    found = read_contracts([schemas], root)
    assert [model.name for document in found.documents for model in document.models] == [
        "Base",
        "Order",
    ]
    assert [problem.reason for document in found.documents for problem in document.problems] == [
        "$ref `../../outside.json` leads outside of the scanned folder"
    ]
