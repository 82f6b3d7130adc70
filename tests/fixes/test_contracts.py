"""Adding what the code sends to a contract, with everything else as it was."""

from __future__ import annotations

import difflib
from pathlib import Path

import pytest

from contract_scan.cli.main import main
from contract_scan.fixes.change import AddProperty, WireType
from contract_scan.fixes.contracts import Addition, OpenContract
from contract_scan.fixes.text import Text
from tests.fixes.projects import typescript

HEAD = """\
openapi: 3.0.3
info: { title: Shop, version: "1" }
paths:
  /orders/{id}:
    get:
      parameters: [{ name: id, in: path, required: true, schema: { type: string } }]
      responses:
        "200":
          description: the order
          content: { application/json: { schema: { $ref: "#/components/schemas/Order" } } }
components:
  schemas:
    Order:
      type: object
"""
BLOCK = f"""{HEAD}\
      properties:
        id:
            type: string # of the shop
        # what it costs

    # nothing else
    Other: {{ type: object }}
"""
STATE = AddProperty("state", WireType("string", "date", nullable=True))
POINTER = "/components/schemas/Order"


def proven(source: str, name: str, change: AddProperty, pointer: str = POINTER) -> list[Addition]:
    """The addition of a field; nothing where there is no sure place for it."""
    contract = OpenContract(Text(source.encode()), name)
    addition = contract.property(change, pointer)
    return [] if addition is None else contract.provable_additions([addition])


def after(source: str, name: str, change: AddProperty) -> str:
    """The text with the field."""
    (addition,) = proven(source, name, change)
    edit = addition.edit
    return source[: edit.start] + edit.text + source[edit.end :]


def added(source: str, name: str = "openapi.yaml", change: AddProperty = STATE) -> list[str]:
    """The lines that come and go."""
    lines = difflib.ndiff(source.split("\n"), after(source, name, change).split("\n"))
    return [f"{line[0]}{line[2:]}" for line in lines if line[0] in "+-"]


def test_blocks_of_yaml() -> None:
    assert added(BLOCK) == [
        "+        state:",
        "+            type: string",
        "+            nullable: true",
        "+            format: date",
    ]


def test_line_ends_stay() -> None:
    assert added(BLOCK.replace("\n", "\r\n")) == [
        "+        state:\r",
        "+            type: string\r",
        "+            nullable: true\r",
        "+            format: date\r",
    ]


def test_members_in_braces_in_blocks() -> None:
    source = f"{HEAD}      properties:\n        id: {{ type: string }} # of the shop\n"
    assert added(source) == ["+        state: { type: string, nullable: true, format: date }"]


def test_a_file_without_an_end_of_its_last_line() -> None:
    source = f"{HEAD}      properties:\n        id: {{ type: string }}"
    assert added(source) == ["+        state: { type: string, nullable: true, format: date }"]


def test_braces_on_one_line() -> None:
    source = f"{HEAD}      properties: {{ id: {{ type: string }} }}\n"
    assert added(source) == [
        "-      properties: { id: { type: string } }",
        "+      properties: { id: { type: string },"
        " state: { type: string, nullable: true, format: date } }",
    ]


def test_null_in_openapi_3_1() -> None:
    source = f"{HEAD}      properties:\n        id: {{ type: string }}\n".replace("3.0.3", "3.1.0")
    change = AddProperty("state", WireType("integer", nullable=True))
    assert added(source, change=change) == ['+        state: { type: [integer, "null"] }']


JSON = """\
{
    "openapi": "3.1.0",
    "paths": {},
    "components": { "schemas": { "Order": {
        "properties": {
            "id": {
                "type": "string"
            }
        }
    } } }
}
"""


def test_json_keeps_its_indentation() -> None:
    change = AddProperty("state", WireType("string", "date"))
    text = """            },
            "state": {
                "type": "string",
                "format": "date"
            }
        }
    } } }
"""
    assert after(JSON, "openapi.json", change) == JSON.replace(
        "            }\n        }\n    } } }\n", text
    )


def test_json_on_one_line() -> None:
    source = (
        '{"openapi": "3.1.0", "components": {"schemas": {"Order": '
        '{"properties": {"id": {"type": "string"}}}}}}'
    )
    change = AddProperty("state", WireType("boolean"))
    assert after(source, "openapi.json", change) == source.replace(
        '{"type": "string"}', '{"type": "string"}, "state": { "type": "boolean" }'
    )


@pytest.mark.parametrize(
    "properties",
    [
        "      properties: {}\n",
        "      properties:\n        id: &id { type: string }\n",
        "      properties:\n        id: { type: string }\n        state: { type: string }\n",
        "      properties:\n        id:\n          description: |\n            the id\n",
        "      allOf: []\n",
    ],
    ids=["none", "an anchor", "it is there", "a text of several lines", "no properties"],
)
def test_where_there_is_no_sure_place(properties: str) -> None:
    assert proven(f"{HEAD}{properties}", "a.yaml", STATE) == []


def test_what_is_no_openapi_document_is_left_alone() -> None:
    source = "properties:\n  id: { type: string }\n"
    assert proven(source, "order.schema.yaml", STATE, "") == []


def test_the_command_adds_it_where_unsafe_fixes_are_asked_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "app.ts").write_text(typescript("  id: string;\n  gift: boolean;"))
    file = tmp_path / "openapi.yaml"
    file.write_text(BLOCK)
    command = ["check", str(tmp_path), "--isolated", "--no-cache", "--fix", "--show-fixes"]
    assert main(command) == 0
    assert file.read_text() == BLOCK
    assert main([*command, "--unsafe-fixes"]) == 0
    mended = file.read_text()
    assert mended == BLOCK.replace(
        "# of the shop\n", "# of the shop\n        gift:\n            type: boolean\n"
    )
    said = capsys.readouterr()
    assert said.err.endswith("Fixed 1 finding in 1 file.\n")
    assert said.out.endswith("No violation in 1 file; 1 of 1 operation verified.\n")
    assert main([*command, "--unsafe-fixes"]) == 0
    assert file.read_text() == mended


@pytest.mark.parametrize(
    ("fields", "added"),
    [
        ("  id: string;\n  gift: boolean;", ["gift"]),
        ("  id: string;\n  passwordHash: string;\n  gift: boolean;", ["gift"]),
        ("  gift: boolean;\n  note: string;", []),
    ],
    ids=["a field", "a secret", "fields beside one that is missing"],
)
def test_what_a_contract_should_not_come_to_promise_is_not_added(
    tmp_path: Path, fields: str, added: list[str]
) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "app.ts").write_text(typescript(fields))
    file = tmp_path / "openapi.yaml"
    file.write_text(BLOCK.replace("type: object\n", "type: object\n      required: [id]\n", 1))
    before = file.read_text().splitlines()
    command = ["check", str(tmp_path), "--isolated", "--no-cache", "--fix", "--quiet"]
    main([*command, "--unsafe-fixes"])
    new = [line.strip() for line in file.read_text().splitlines() if line not in before]
    assert [line.removesuffix(":") for line in new if not line.startswith("type:")] == added
