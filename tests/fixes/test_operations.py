"""Adding the routes that a contract lacks, with everything else as it was."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from contract_scan.cli.main import main
from contract_scan.fixes.change import AddOperation
from contract_scan.fixes.contracts import Addition, OpenContract
from contract_scan.fixes.text import Text

APP = """\
from typing import Literal, Optional

from fastapi import FastAPI
from pydantic import BaseModel

app = FastAPI()


class Line(BaseModel):
    sku: str


class Order(BaseModel):
    id: str
    state: Literal["open", "paid"]


class NewOrder(BaseModel):
    lines: list[Line]
    note: str = ""


@app.get("/api/orders/{order_id}")
def get_order(order_id: str) -> Order:
    return load(order_id)


@app.get("/api/orders")
def list_orders(limit: int = 10) -> list[Order]:
    return load_all()


@app.post("/api/orders", status_code=201)
def create_order(order: NewOrder) -> Order:
    return save(order)


@app.delete("/api/orders/{order_id}", status_code=204)
def drop(order_id: str) -> None:
    remove(order_id)
"""
V3 = """\
openapi: 3.0.3
info: { title: Shop, version: "1" }
servers: [{ url: https://shop.example/api }]
paths:
  # reading one
  /orders/{id}:
    parameters:
      - { name: id, in: path, required: true, schema: { type: string } }
    get:
      responses:
        "200":
          description: the order  # found
          content: { application/json: { schema: { $ref: "#/components/schemas/Order" } } }

# Everything below is shared
components:
  schemas:
    Order:
      type: object
      required: [id, state]
      properties: { id: { type: string }, state: { type: string, enum: [open, paid] } }
"""
ADDED_TO_V3 = """\
    delete:
      responses:
        "204":
          description: No Content
  /orders:
    get:
      parameters:
        - name: limit
          in: query
          schema:
            type: integer
            default: 10
      responses:
        "200":
          description: OK
          content:
            application/json:
              schema:
                type: array
                items:
                  $ref: "#/components/schemas/Order"
    post:
      requestBody:
        required: true
        content:
          application/json:
            schema:
              type: object
              properties:
                lines:
                  type: array
                  items:
                    type: object
                    properties:
                      sku:
                        type: string
                    required: [sku]
                note:
                  type: string
              required: [lines]
      responses:
        "201":
          description: Created
          content:
            application/json:
              schema:
                $ref: "#/components/schemas/Order"
"""
V2 = """\
swagger: "2.0"
info: { title: Shop, version: "1" }
basePath: /api
paths:
  /orders/{id}:
    get:
      parameters:
        - { name: id, in: path, required: true, type: string }
      responses:
        "200": { description: the order, schema: { $ref: "#/definitions/Order" } }
definitions:
  Order:
    type: object
    required: [id, state]
    properties: { id: { type: string }, state: { type: string, enum: [open, paid] } }
"""
ADDED_TO_V2 = """\
    delete:
      parameters:
        - name: id
          in: path
          required: true
          type: string
      responses:
        "204":
          description: No Content
  /orders:
    get:
      parameters:
        - name: limit
          in: query
          type: integer
          default: 10
      responses:
        "200":
          description: OK
          schema:
            type: array
            items:
              $ref: "#/definitions/Order"
    post:
      parameters:
        - name: body
          in: body
          required: true
          schema:
            type: object
            properties:
              lines:
                type: array
                items:
                  type: object
                  properties:
                    sku:
                      type: string
                  required: [sku]
              note:
                type: string
            required: [lines]
      responses:
        "201":
          description: Created
          schema:
            $ref: "#/definitions/Order"
"""


def fix(folder: Path, *options: str) -> int:
    return main(["check", str(folder), "--isolated", "--no-cache", "--fix", *options])


def project(folder: Path, name: str, contract: str) -> Path:
    (folder / ".git").mkdir()
    (folder / "app.py").write_text(APP)
    file = folder / name
    file.write_bytes(contract.encode())
    return file


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize(
    ("contract", "before", "lines"),
    [
        (V3, "\n# Everything below", ADDED_TO_V3),
        (V3.replace("3.0.3", "3.1.0"), "\n# Everything below", ADDED_TO_V3),
        (V2, "definitions:", ADDED_TO_V2),
    ],
    ids=["3.0", "3.1", "2.0"],
)
def test_what_the_code_has_is_added(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    contract: str,
    before: str,
    lines: str,
    end: str,
) -> None:
    file = project(tmp_path, "openapi.yaml", contract.replace("\n", end))
    assert fix(tmp_path, "--fail-on", "warning") == 1
    assert file.read_bytes().decode() == contract.replace("\n", end)
    assert fix(tmp_path, "--unsafe-fixes", "--fail-on", "warning") == 0
    mended = file.read_bytes().decode()
    assert mended == contract.replace(before, lines + before, 1).replace("\n", end)
    said = capsys.readouterr()
    assert said.out.endswith("No violation in 1 file; 4 of 4 operations verified.\n")
    assert said.err == "Fixed 3 findings in 1 file.\n"
    assert fix(tmp_path, "--unsafe-fixes") == 0
    assert file.read_bytes().decode() == mended


@pytest.mark.parametrize("indent", [2, 4, None])
@pytest.mark.parametrize("contract", [V3, V3.replace("3.0.3", "3.1.0"), V2])
def test_json_says_the_same(tmp_path: Path, contract: str, indent: int | None) -> None:
    document = yaml.safe_load(contract)
    file = project(tmp_path, "openapi.json", json.dumps(document, indent=indent))
    assert fix(tmp_path, "--unsafe-fixes", "--fail-on", "warning") == 0
    mended = file.read_text()
    marked = V2 if contract == V2 else V3
    before, lines = ("definitions:", ADDED_TO_V2) if marked is V2 else ("\n# E", ADDED_TO_V3)
    expected = yaml.safe_load(contract.replace(before, lines + before, 1))
    assert json.loads(mended) == expected
    if indent is not None:
        spread = json.dumps(expected, indent=indent)
        assert "".join(mended.split()) == "".join(spread.split())
    assert fix(tmp_path, "--unsafe-fixes") == 0
    assert file.read_text() == mended


def test_one_method_of_those_shown(tmp_path: Path) -> None:
    """What the report is limited to limits what is added."""
    file = project(tmp_path, "openapi.yaml", V3)
    (tmp_path / "more.py").write_text(
        "from app import Line, app\n\n\n"
        '@app.get("/api/lines/{sku}")\ndef line(sku: str) -> Line: ...\n'
    )
    assert fix(tmp_path / "more.py", "--unsafe-fixes") == 0
    added = file.read_text().replace(V3.partition("\n# Everything")[0], "")
    assert [line for line in added.splitlines() if line.startswith("  /")] == ["  /lines/{sku}:"]


OPERATION: dict[str, Any] = {"responses": {"200": {"description": "Status 200."}}}
PATHS = "openapi: 3.1.0\ninfo: {}\npaths:\n"


def proven(change: AddOperation, source: str, name: str) -> list[Addition]:
    """The addition of an operation; nothing where there is no sure place for it."""
    contract = OpenContract(Text(source.encode()), name)
    addition = contract.operation(change)
    return [] if addition is None else contract.provable_additions([addition])


@pytest.mark.parametrize(
    "paths",
    [
        "  {}\n",
        "  /a: &a { get: {} }\n",
        "  /a:\n    get:\n      description: |\n        text\n",
        "  /b/{x}: {}\n  /b/{y}: { put: {} }\n  /c: { get: { responses: {} } }\n",
        '  /b/{x}: { $ref: "#/x" }\n',
        "  /b/{x}: { get: { responses: {} } }\n",
    ],
    ids=["none", "an anchor", "a text of lines", "two templates", "elsewhere", "it is there"],
)
def test_where_there_is_no_sure_place(paths: str) -> None:
    change = AddOperation("openapi.yaml", "get", "/b/{id}", OPERATION)
    assert proven(change, f"{PATHS}{paths}", "openapi.yaml") == []


@pytest.mark.parametrize(
    ("version", "schema"),
    [
        ("swagger: '2.0'", {"anyOf": [{"type": "string"}, {"type": "integer"}]}),
        ("openapi: 3.0.0", {"type": "array", "items": {"x-unknown": "who knows"}}),
        ("openapi: 3.1.0", {"x-unknown": "who knows"}),
    ],
)
def test_what_is_undetermined_is_left_open(version: str, schema: dict[str, Any]) -> None:
    content = {"application/json": {"schema": schema}}
    operation = {"responses": {"200": {"description": "", "content": content}}}
    change = AddOperation("a.yaml", "get", "/b", operation)
    source = f"{version}\npaths:\n  /a: {{ get: {{ responses: {{}} }} }}\n"
    (addition,) = proven(change, source, "a.yaml")
    assert "who knows" not in addition.edit.text
    assert "{}" in addition.edit.text


WORDS = st.text("abcyn01-_ :#'\"é", min_size=1, max_size=6)
SCHEMAS = st.recursive(
    st.one_of(
        st.just({}),
        st.builds(lambda t: {"type": t}, st.sampled_from(["string", "integer", "boolean"])),
        st.builds(lambda v: {"type": "string", "enum": v}, st.lists(WORDS, min_size=2, max_size=3)),
    ),
    lambda inner: st.one_of(
        st.builds(lambda items: {"type": "array", "items": items}, inner),
        st.builds(
            lambda p: {"type": "object", "properties": p, "required": sorted(p)},
            st.dictionaries(WORDS, inner, min_size=1, max_size=3),
        ),
    ),
    max_leaves=6,
)


@given(
    schema=SCHEMAS,
    status=st.sampled_from(["200", "201", "2XX", "default"]),
    new=st.booleans(),
    form=st.sampled_from(["yaml", "single", "flow", "json", "compact"]),
    end=st.sampled_from(["\n", "\r\n"]),
)
@settings(max_examples=150, deadline=None)
def test_the_file_says_what_it_said_and_the_operation(
    schema: dict[str, Any], status: str, new: bool, form: str, end: str
) -> None:
    document = {
        "openapi": "3.1.0",
        "info": {"title": "no", "version": "1.0"},
        "paths": {"/b": {"get": {"responses": {"200": {"description": "yes"}}}}},
        "components": {"schemas": {"Other": {"type": "object"}}},
    }
    written = {
        "yaml": yaml.safe_dump(document, sort_keys=False).replace("'", '"'),
        "single": yaml.safe_dump(document, sort_keys=False),
        "flow": yaml.safe_dump(document, sort_keys=False, default_flow_style=True),
        "json": json.dumps(document, indent=2),
        "compact": json.dumps(document),
    }[form].replace("\n", end)
    name = "openapi.yaml" if form in ("yaml", "single", "flow") else "openapi.json"
    content = {"application/json": {"schema": schema}}
    operation = {"responses": {status: {"description": "", "content": content}}}
    change = AddOperation(name, "post", "/a" if new else "/b", operation)
    (addition,) = proven(change, written, name)
    edit = addition.edit
    assert edit.start == edit.end
    after = written[: edit.start] + edit.text + written[edit.end :]
    again = yaml.safe_load(after) if "yaml" in name else json.loads(after)
    added = again["paths"]["/a" if new else "/b"].pop("post")
    if new:
        assert again["paths"].pop("/a") == {}
    assert again == document
    assert added["responses"][status]["content"] == content
    assert proven(change, after, name) == []
