"""`contract-scan diff`: outputs, exit statuses, accepted changes, impact."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest

from contract_scan.cli.main import main

ROOT = Path(__file__).parents[2]

BASE = """\
openapi: 3.0.3
info: {title: T, version: '1'}
paths:
  /things/{id}:
    get:
      responses:
        '200': {content: {application/json: {schema: {$ref: '#/components/schemas/Thing'}}}}
    post:
      requestBody: {content: {application/json: {schema: {$ref: '#/components/schemas/Thing'}}}}
      responses: {'201': {description: ok}}
components:
  schemas:
    Thing:
      type: object
      required: [id]
      properties: {id: {type: string, maxLength: 9}}
"""
LONGER = BASE.replace("maxLength: 9", "maxLength: 10")
HOSTILE = BASE.replace("{id: {type", '{"a|b\\e[1m`@x": {type: string}, id: {type')
CODE = """\
from fastapi import FastAPI
from pydantic import BaseModel

app = FastAPI()


class Thing(BaseModel):
    id: str


@app.get("/things/{id}")
def get(id: str) -> Thing: ...
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, text in (("base", BASE), ("longer", LONGER), ("hostile", HOSTILE)):
        (tmp_path / f"{name}.yaml").write_text(text)
    (tmp_path / "code").mkdir()
    (tmp_path / "code" / "app.py").write_text(CODE)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_text_names_what_changed_and_both_places(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["diff", "base.yaml", "longer.yaml", "--impact", "code"]) == 1
    assert capsys.readouterr() == (
        "breaking response-max-length-raised texts may be longer: 9 -> 10\n"
        "  GET /things/{id} response 200 (application/json) id\n"
        "  base     base.yaml:16:39\n"
        "  revision longer.yaml:16:39\n"
        "  used provides GET /things/{id} (id): code/app.py:11:1\n"
        "\n"
        "safe request-max-length-raised texts may be longer: 9 -> 10\n"
        "  POST /things/{id} request body (application/json) id\n"
        "  base     base.yaml:16:39\n"
        "  revision longer.yaml:16:39\n"
        "\n"
        "2 changes (1 breaking, 1 safe) in 1 contract: base.yaml -> longer.yaml\n",
        "",
    )


PROVIDERS = {
    "app.ts": """\
import express from "express";

interface Thing {
  id: string;
}

const app = express();
app.get("/things/:id", (req, res) => {
  const thing: Thing = { id: req.params.id };
  res.json(thing);
});
app.listen(3000);
""",
    "Things.java": """\
import org.springframework.web.bind.annotation.*;

record Thing(String id) {}

@RestController
class Things {
    @GetMapping("/things/{id}")
    Thing get(@PathVariable String id) {
        return new Thing(id);
    }
}
""",
    "Things.cs": """\
using Microsoft.AspNetCore.Mvc;

public record Thing(string Id);

[ApiController]
public class ThingsController : ControllerBase
{
    [HttpGet("/things/{id}")]
    public Thing Get(string id) => new Thing(id);
}
""",
}


@pytest.mark.parametrize(("name", "line"), [("app.ts", 8), ("Things.java", 8), ("Things.cs", 9)])
def test_the_code_that_provides_what_changed_is_named_in_other_languages(
    name: str, line: int, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "code" / "app.py").unlink()
    (folder / "code" / name).write_text(PROVIDERS[name])
    main(["diff", "base.yaml", "longer.yaml", "--impact", "code", "--format", "json"])
    change = json.loads(capsys.readouterr().out)["changes"][0]
    assert change["id"] == "response-max-length-raised"
    assert [
        (one["role"], one["subject"], one["place"]["path"], one["place"]["line"], one["fields"])
        for one in change["impacts"]
    ] == [("provides", "GET /things/{id}", f"code/{name}", line, ["id"])]


EVENTS = """\
asyncapi: 3.0.0
info: { title: Orders, version: 1.0.0 }
defaultContentType: application/json
channels:
  placed:
    address: orders.placed
    messages:
      OrderPlaced:
        payload:
          type: object
          required: [id, note]
          properties:
            id: { type: string }
            note: { type: string }
operations:
  send: { action: send, channel: { $ref: '#/channels/placed' } }
"""
USES = {
    "Receiver.java": """\
package shop;

import org.springframework.kafka.annotation.KafkaListener;

record OrderPlaced(String id, String note) {}

class Receiver {
    @KafkaListener(topics = "orders.placed")
    void placed(OrderPlaced order) {}
}
""",
    "Sender.cs": """\
using System.Text.Json;
using Confluent.Kafka;

public record OrderPlaced(string Id, string Note);

public class Sender
{
    private readonly IProducer<Null, string> producer;

    public async Task Place(string id, string note)
    {
        var text = JsonSerializer.Serialize(new { id, note });
        await producer.ProduceAsync("orders.placed", new Message<Null, string> { Value = text });
    }
}
""",
    "receiver.ts": """\
import { Kafka } from 'kafkajs';
interface OrderPlaced { id: string; note: string }
const consumer = new Kafka({ brokers: [] }).consumer({ groupId: 'g' });
export async function start() {
  await consumer.subscribe({ topic: 'orders.placed' });
  await consumer.run({ eachMessage: async ({ message }) => {
    const order: OrderPlaced = JSON.parse(message.value!.toString());
    console.log(order.note);
  } });
}
""",
    "send.py": """\
import json
from dataclasses import dataclass
from kafka import KafkaProducer

producer = KafkaProducer(value_serializer=lambda value: json.dumps(value).encode())


def place(id: str, note: str) -> None:
    producer.send("orders.placed", {"id": id, "note": note})
""",
}


def impacts_on_events(folder: Path, revised: str, capsys: pytest.CaptureFixture[str]) -> list[str]:
    """Who has to do with the one change of `EVENTS`, as the report names them."""
    for name, text in USES.items():
        (folder / "code" / name).write_text(text)
    (folder / "revised.yaml").write_text(revised)
    main(["diff", "events.yaml", "revised.yaml", "--impact", "code", "--format", "json"])
    (change,) = json.loads(capsys.readouterr().out)["changes"]
    return [
        f"{one['role']} {one['subject']} {one['fields']} {place['path']}:{place['line']}"
        for one in change["impacts"]
        for place in [one["place"]]
    ]


def test_senders_and_receivers_of_a_message_that_changed_are_named_in_all_languages(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "events.yaml").write_text(EVENTS)
    revised = EVENTS.replace("required: [id, note]", "required: [id]")
    assert impacts_on_events(folder, revised, capsys) == [
        "receives orders.placed ['note'] code/Receiver.java:9",
        "sends orders.placed ['note'] code/Sender.cs:13",
        "receives orders.placed ['note'] code/receiver.ts:5",
        "sends orders.placed ['note'] code/send.py:9",
    ]


def test_where_a_channel_goes_both_ways_the_end_that_changed_is_named(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    answered = EVENTS.replace(
        "operations:\n",
        "      Answer: { payload: { type: string } }\n"
        "operations:\n"
        "  answer:\n"
        "    action: receive\n"
        "    channel: { $ref: '#/channels/placed' }\n"
        "    messages: [{ $ref: '#/channels/placed/messages/Answer' }]\n",
    ).replace(
        "channel: { $ref: '#/channels/placed' } }",
        "channel: { $ref: '#/channels/placed' },"
        " messages: [{ $ref: '#/channels/placed/messages/OrderPlaced' }] }",
    )
    (folder / "events.yaml").write_text(answered)
    revised = answered.replace("required: [id, note]", "required: [id]")
    assert impacts_on_events(folder, revised, capsys) == [
        "sends orders.placed ['note'] code/Sender.cs:13",
        "sends orders.placed ['note'] code/send.py:9",
    ]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["base.yaml", "base.yaml"], 0),
        (["base.yaml", "longer.yaml"], 1),
        (["base.yaml", "longer.yaml", "--exit-zero"], 0),
        (["base.yaml", "longer.yaml", "--ignore", "response-*"], 0),
        (["base.yaml", "longer.yaml", "--ignore", "response-*", "--fail-on", "safe"], 1),
        (["base.yaml", "longer.yaml", "--select", "request-*", "--fail-on", "dangerous"], 0),
        (["base.yaml", "nothing.yaml"], 2),
        (["base.yaml"], 2),
        (["base.yaml", "base.yaml", "--fail-on", "never"], 2),
        (["base.yaml", "base.yaml", "--ignore", "nope"], 2),
        (["base.yaml", "base.yaml", "--accepted", "nope"], 2),
        (["base.yaml", "git:HEAD:base.yaml"], 2),
    ],
)
def test_exit_statuses(
    folder: Path, capsys: pytest.CaptureFixture[str], words: list[str], expected: int
) -> None:
    assert main(["diff", *words]) == expected
    said = capsys.readouterr().err
    assert said.count("\n") == (1 if expected == 2 else 0)


def test_what_cannot_be_read_leaves_the_question_open(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    broken = BASE.replace("#/components/schemas/Thing", "#/components/schemas/None", 1)
    (folder / "broken.yaml").write_text(broken)
    assert main(["diff", "broken.yaml", "broken.yaml"]) == 2
    assert capsys.readouterr().out == (
        "undetermined $ref `#/components/schemas/None` leads nowhere:"
        " there is no `None` in broken.yaml#/components/schemas\n"
        "  GET /things/{id} response 200 (application/json)\n"
        "  base     broken.yaml:7:46\n"
        "  revision broken.yaml:7:46\n"
        "\n"
        "not read broken.yaml:7: $ref `#/components/schemas/None` leads nowhere:"
        " there is no `None` in broken.yaml#/components/schemas\n"
        "not read broken.yaml:7: $ref `#/components/schemas/None` leads nowhere:"
        " there is no `None` in broken.yaml#/components/schemas\n"
        "\n"
        "No change in 1 contract, 1 undetermined, 2 not read: broken.yaml -> broken.yaml\n"
    )


def test_json_is_as_its_schema_says(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["diff", "base.yaml", "longer.yaml", "--format", "json", "--impact", "code"])
    document = json.loads(capsys.readouterr().out)
    schema = json.loads((ROOT / "docs/schema/diff.schema.json").read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate(document, schema)
    assert document["summary"] == {
        "breaking": 1,
        "dangerous": 0,
        "safe": 1,
        "suppressed": 0,
        "undetermined": 0,
        "contracts": 1,
    }
    assert document["changes"][0] == {
        "id": "response-max-length-raised",
        "level": "breaking",
        "message": "texts may be longer",
        "before": "9",
        "after": "10",
        "base": {
            "path": "base.yaml",
            "line": 16,
            "column": 39,
            "pointer": "/components/schemas/Thing/properties/id/maxLength",
        },
        "revision": {
            "path": "longer.yaml",
            "line": 16,
            "column": 39,
            "pointer": "/components/schemas/Thing/properties/id/maxLength",
        },
        "subjects": [
            {
                "contract": "base.yaml",
                "operation": "GET /things/{id}",
                "channel": "",
                "action": "",
                "message": "",
                "model": "",
                "part": "response 200 (application/json)",
                "field": "id",
            }
        ],
        "impacts": [
            {
                "role": "provides",
                "subject": "GET /things/{id}",
                "place": {"path": "code/app.py", "line": 11, "column": 1, "pointer": ""},
                "fields": ["id"],
            }
        ],
    }


def test_foreign_text_stays_text(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["diff", "base.yaml", "hostile.yaml", "--select", "request-*"])
    assert "(application/json) a|b\\x1b[1m`@x\n" in capsys.readouterr().out
    main(["diff", "base.yaml", "hostile.yaml", "--select", "request-*", "--format", "markdown"])
    table = capsys.readouterr().out.splitlines()[-1]
    assert table == (
        "| `request-optional-property-added` a property is new: string"
        " | ``POST /things/{id} request body (application/json) a\\|b\\x1b[1m`@x``"
        " | `base.yaml:13:5` | `hostile.yaml:16:20` |"
    )
    main(["diff", "base.yaml", "hostile.yaml", "--select", "request-*", "--format", "github"])
    assert capsys.readouterr().out == (
        "::notice title=contract-scan (safe request-optional-property-added),file=hostile.yaml,"
        "line=16::request-optional-property-added a property is new: string"
        "%0APOST /things/{id} request body (application/json) a|b\\x1b[1m`@x"
        "%0Abase: base.yaml:13:5\n"
    )


def test_accepted_changes_are_left_out_and_stale_lines_said(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "accepted").write_text(
        "# agreed with the shop\n"
        "response-max-length-raised GET /things/{id} response 200 (application/json) id\n"
        "response-max-length-raised GET /other\n"
        "sent-*\n"
    )
    assert main(["diff", "base.yaml", "longer.yaml", "--accepted", "accepted"]) == 0
    said = capsys.readouterr().out
    assert "breaking" not in said
    assert [line for line in said.splitlines() if line.startswith("not read")] == [
        "not read accepted:3: `response-max-length-raised` accepts no change of this"
        " comparison; take the line out",
        "not read accepted:4: `sent-*` accepts no change of this comparison; take the line out",
    ]


def test_a_report_goes_to_a_file(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["diff", "base.yaml", "longer.yaml", "--format", "markdown"]
    main(words)
    shown = capsys.readouterr().out
    assert main([*words, "--output-file", "report.md"]) == 1
    assert (folder / "report.md").read_text() == shown
    assert capsys.readouterr() == ("", "")
