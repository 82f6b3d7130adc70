"""What is added to a contract says as much as its other operations do."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from contract_scan.cli.main import main
from contract_scan.fixes.change import AddOperation
from contract_scan.fixes.contracts import OpenContract
from contract_scan.fixes.text import Text

OK = {"200": {"description": "yes"}}
FOUND = {
    "operationId": "find",
    "responses": {"200": {"description": ""}, "404": {"description": ""}},
}


def opened(paths: dict[str, Any]) -> OpenContract:
    text = json.dumps({"openapi": "3.1.0", "info": {}, "paths": paths}, indent=2)
    return OpenContract(Text(text.encode()), "openapi.json")


def added(others: dict[str, Any], operation: dict[str, Any] = FOUND) -> dict[str, Any]:
    """What is added as `GET /b` to a contract with `GET /a`."""
    change = AddOperation("openapi.json", "get", "/b", operation)
    addition = opened({"/a": {"get": others}}).operation(change)
    assert addition is not None
    assert isinstance(addition.wanted, dict)
    wanted: dict[str, Any] = addition.wanted["get"]
    return wanted


def test_an_operation_has_a_name_where_others_have() -> None:
    assert "operationId" not in added({"responses": OK})
    assert added({"operationId": "other", "responses": OK})["operationId"] == "find"
    assert "operationId" not in added({"operationId": "find", "responses": OK})


def test_two_operations_are_not_added_under_one_name() -> None:
    contract = opened({"/a": {"get": {"operationId": "other", "responses": OK}}})
    names = []
    for path in ("/b", "/c", "/b"):
        addition = contract.operation(AddOperation("openapi.json", "get", path, FOUND))
        assert addition is not None
        assert isinstance(addition.wanted, dict)
        names.append(addition.wanted["get"].get("operationId"))
    assert names == ["find", None, "find"]


def tagged(*tags: str) -> dict[str, Any]:
    return {"get": {"tags": [*tags], "responses": OK}}


@pytest.mark.parametrize(
    ("paths", "path", "tags"),
    [
        ({"/v1/a": tagged("A"), "/v1/b": tagged("B")}, "/v1/a/{id}", ["A"]),
        ({"/v1/a/{id}": tagged("A"), "/v1/b": tagged("B")}, "/v1/a/{key}/c", ["A"]),
        ({"/v1/a": tagged("A", "X"), "/v1/b": tagged("B")}, "/v1/a", ["A", "X"]),
        ({"/v1/a": tagged("A"), "/v1/b": tagged("B")}, "/v1/c", None),
        ({"/a/b": tagged("A"), "/a/c": tagged("B"), "/d": tagged("D")}, "/a/e", None),
        ({"/a": tagged("All"), "/b": tagged("All")}, "/c", ["All"]),
        ({"/a": tagged("A")}, "/c", None),
        ({"/api/v1/a": tagged("A"), "/health": tagged("H")}, "/api/v1/c", None),
        ({"/shop/a": tagged("A"), "/shop/a/{id}": tagged("A"), "/h": tagged("H")}, "/shop/c", None),
        ({"/v1/a": tagged("A"), "/v1/a/{id}": tagged("A")}, "/v1/c", None),
        ({"/x/a": tagged("X"), "/x/b": tagged("X"), "/h": tagged("H")}, "/x/c", ["X"]),
        ({"/v1/a": tagged("A"), "/v1/b": tagged("A"), "/h": tagged("H")}, "/v1/c", None),
        ({"/a/{id}/b": tagged("A"), "/h": tagged("H")}, "/a/{key}/c", ["A"]),
        ({"/a": tagged(), "/b": tagged()}, "/c", None),
        ({"/a": {"get": {"tags": "A", "responses": OK}}}, "/a", None),
    ],
    ids=[
        "below another",
        "below one with a parameter",
        "another method",
        "beside all of them",
        "beside two groups",
        "the only group",
        "a single operation",
        "beside one below a version",
        "beside another thing",
        "beside the only thing",
        "in a group of several things",
        "beside several things below a version",
        "of the same item",
        "no groups",
        "no list",
    ],
)
def test_an_operation_is_in_the_group_of_its_neighbours(
    paths: dict[str, Any], path: str, tags: list[str] | None
) -> None:
    addition = opened(paths).operation(AddOperation("openapi.json", "put", path, FOUND))
    assert addition is not None
    assert isinstance(addition.wanted, dict)
    assert addition.wanted.get("put", addition.wanted).get("tags") == tags


def test_a_path_beside_an_empty_one_is_written_as_the_file_is() -> None:
    contract = opened({"/": {}})
    addition = contract.operation(AddOperation("openapi.json", "get", "/b", {"responses": OK}))
    assert addition is not None
    assert (
        addition.edit.text
        == """,
    "/b": {
      "get": {
        "responses": {
          "200": {
            "description": "OK"
          }
        }
      }
    }"""
    )


@pytest.mark.parametrize(
    ("others", "statuses"),
    [
        ({}, ["200"]),
        ({"400": {"description": "no"}}, ["200", "404"]),
        ({"default": {"description": "no"}}, ["200", "404"]),
        ({"422": {"description": "no"}}, ["200"]),
    ],
)
def test_errors_are_listed_where_others_list_them(
    others: dict[str, Any], statuses: list[str]
) -> None:
    """Else the first one would say of every other operation that it has none."""
    assert [*added({"responses": {**OK, **others}})["responses"]] == statuses


def test_an_operation_has_some_response() -> None:
    operation = {"responses": {"default": {"description": ""}}}
    assert [*added({"responses": OK}, operation)["responses"]] == ["default"]


def response(*values: str, **other: Any) -> dict[str, Any]:
    schema = {"type": "string", "enum": [*values], **other}
    return {"200": {"description": "", "content": {"application/json": {"schema": schema}}}}


def test_a_text_that_happens_to_be_sent_is_no_promise() -> None:
    wanted = added({"responses": OK}, {"responses": response("It is done.")})
    assert wanted["responses"]["200"]["content"] == {
        "application/json": {"schema": {"type": "string"}}
    }
    wanted = added({"responses": OK}, {"responses": response("open", "paid")})
    assert wanted["responses"]["200"]["content"] == {
        "application/json": {"schema": {"type": "string", "enum": ["open", "paid"]}}
    }


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        ("'200': { description: 'it''s ok' }", "enum: ['#é', 'it''s']"),
        ('"200": { description: ok }', 'enum: ["#é", "it\'s"]'),
    ],
)
def test_quotes_are_those_of_the_file(given: str, wanted: str) -> None:
    text = f"openapi: 3.1.0\npaths:\n  /a:\n    get:\n      responses:\n        {given}\n"
    change = AddOperation("openapi.yaml", "get", "/b", {"responses": response("#é", "it's")})
    contract = OpenContract(Text(text.encode()), "openapi.yaml")
    addition = contract.operation(change)
    assert addition is not None
    assert contract.provable_additions([addition]) == [addition]
    assert addition.edit.text.splitlines()[-1].strip() == wanted


CONTROLLER = """\
using Microsoft.AspNetCore.Mvc;

[ApiController]
[Route("api/[controller]")]
public class CustomFormatController : ControllerBase
{
    [HttpGet("{id}")]
    public ActionResult<string> Get(int id) { return Ok("a"); }

    [HttpPut("{id}")]
    public ActionResult<string> Put(int id) { return Ok("a"); }

    [HttpDelete("{id}/Old")]
    public IActionResult Delete(int id) { return NoContent(); }
}
"""
CONTRACT = """\
openapi: 3.1.0
info: { title: Formats, version: "1" }
paths:
  /api/customformat/{formatId}:
    get:
      parameters:
        - { name: formatId, in: path, required: true, schema: { type: integer } }
      responses:
        "200": { description: ok, content: { application/json: { schema: { type: string } } } }
"""
ADDED = """\
    put:
      parameters:
        - name: formatId
          in: path
          required: true
          schema:
            type: integer
            format: int32
      responses:
        "200":
          description: OK
          content:
            text/plain:
              schema:
                type: string
            application/json:
              schema:
                type: string
  /api/customformat/{id}/old:
    delete:
      parameters:
        - name: id
          in: path
          required: true
          schema:
            type: integer
            format: int32
      responses:
        "204":
          description: No Content
"""


def test_paths_are_spelled_as_the_contract_spells_them(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "CustomFormatController.cs").write_text(CONTROLLER)
    file = tmp_path / "openapi.yaml"
    file.write_text(CONTRACT)
    command = ["check", str(tmp_path), "--isolated", "--no-cache", "--fix", "--unsafe-fixes"]
    assert main([*command, "--fail-on", "warning"]) == 0
    assert file.read_text() == CONTRACT + ADDED
