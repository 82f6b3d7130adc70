"""`contract-scan explain`: the whole way from the contract to the code, for what somebody names."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from contract_scan.cli.main import main
from tests.cli.test_check import CONTRACT, DRIFT, SOURCE, project, write_project

__all__ = ["project"]

CHAIN = """\
CONTRACT-001/type [error] `GET /orders/{id}` response 200: `total` is a string, expected a \
number
  The contract says
    1. operation `GET /orders/{id}`
       openapi.json:9:7
    2. promises status 200
       openapi.json:21:11
    3. a body of application/json: Order
       openapi.json:24:15
    4. type `Order`
       openapi.json:37:7
    5. property `total`: number, required
       openapi.json:47:11
  The code does
    1. route `GET /orders/{id}` (FastAPI), handled by `get_order`
       src/app.py:12:1
    2. sends status 200
       src/app.py:13:5
    3. a body of application/json: Order
       src/app.py:13:5
    4. type `Order`
       src/app.py:7:7
    5. property `total`: string, always there
       src/app.py:9:5
  Therefore
    expected: number
    found:    string
    evidence: enforced: code that runs makes it so
    help:     change the type in the code, or the contract if the code is right
    contract: #/components/schemas/Order/properties/total
    known as: v1:8e68935795eba23e55cd03e8d7bf1348
    the rule: contract-scan rule CONTRACT-001/type
"""


def explained(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert main(["explain", "--no-cache", *words]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    return out


def refused(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert main(["explain", "--no-cache", *words]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    return err.removeprefix("contract-scan: ").removesuffix("\n")


@pytest.mark.parametrize(
    "what",
    [
        "v1:8e68935795eba23e55cd03e8d7bf1348",
        "v1:8e68",
        "8e68935795",
        "src/app.py:9",
        "src/app.py:9:12",
        "openapi.json:47",
    ],
)
def test_a_finding_by_fingerprint_or_place(
    project: Path, capsys: pytest.CaptureFixture[str], what: str
) -> None:
    write_project(project, DRIFT)
    assert explained(capsys, what) == CHAIN


def test_an_operation_shows_its_route_and_what_is_wrong_with_it(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_project(project, DRIFT)
    heading = (
        "operation GET /orders/{id}: violated, the code breaks it\n"
        "  The contract says\n"
        f"    1. operation `GET /orders/{{id}}`, held against the service `{project.name}`\n"
        "       openapi.json:9:7\n"
        "  The code has\n"
        "    1. route `GET /orders/{id}` (FastAPI), handled by `get_order`\n"
        "       src/app.py:12:1\n"
    )
    for words in (
        ["GET /orders/{id}"],
        ["get", "/orders/{whatever}"],
        ["GET", "/orders/{id}", "."],
    ):
        assert explained(capsys, *words) == f"{heading}\n{CHAIN}"


def test_places_are_named_from_the_working_directory(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    write_project(project / "shop", DRIFT)
    expected = CHAIN.replace("src/app.py:", "shop/src/app.py:")
    expected = expected.replace("openapi.json:", "shop/openapi.json:")
    assert explained(capsys, "shop/src/app.py:9", "shop") == expected
    monkeypatch.chdir(project / "shop")
    assert explained(capsys, "src/app.py:9") == CHAIN


def test_a_missing_operation_shows_what_comes_nearest(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_project(project, SOURCE.replace("/orders/{id}", "/order/{id}"))
    out = explained(capsys, "GET /orders/{id}")
    assert out.startswith(
        "operation GET /orders/{id}: missing, nothing in the code keeps it\n"
        "  The contract says\n"
        f"    1. operation `GET /orders/{{id}}`, held against the service `{project.name}`\n"
        "       openapi.json:9:7\n"
        "  Nothing in the code is it; nearest come\n"
        "    1. route `GET /order/{id}` (FastAPI), handled by `get_order`\n"
        "       src/app.py:12:1\n"
        "\n"
        "CONTRACT-002/missing-endpoint [error] `GET /orders/{id}` has no route in the code\n"
    )


def test_a_route_in_no_contract_shows_what_it_may_have_been_meant_for(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_project(project, SOURCE.replace("/orders/{id}", "/order/{id}"))
    assert explained(capsys, "src/app.py:12").splitlines() == [
        "CONTRACT-002/undocumented-endpoint [warning] `GET /order/{id}` is in no contract",
        "  The code does",
        "    1. route `GET /order/{id}` (FastAPI), handled by `get_order`",
        "       src/app.py:12:1",
        "  Contracted, and without a route, are",
        "    1. operation `GET /orders/{id}`",
        "       openapi.json:9:7",
        "  Therefore",
        "    evidence: enforced: code that runs makes it so",
        "    help:     add the endpoint to the contract, or remove it from the code",
        "    known as: v1:d2bc465e2a24dad01378224543c97f84",
        "    the rule: contract-scan rule CONTRACT-002/undocumented-endpoint",
    ]


def test_what_is_undetermined_comes_with_its_reason_and_what_to_do(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_project(project, SOURCE.replace(" -> Order", ""))
    assert explained(capsys, "GET", "/orders/{id}").splitlines()[7:] == [
        "",
        "CONTRACT-001 undetermined GET /orders/{id} 200 response: the result of `load` comes from"
        " a library",
        "  The contract says",
        "    1. operation `GET /orders/{id}`",
        "       openapi.json:9:7",
        "    2. promises status 200",
        "       openapi.json:21:11",
        "    3. a body of application/json: Order",
        "       openapi.json:24:15",
        "    4. type `Order`",
        "       openapi.json:37:7",
        "  The code does",
        "    1. route `GET /orders/{id}` (FastAPI), handled by `get_order`",
        "       src/app.py:12:1",
        "    2. sends status 200",
        "       src/app.py:13:5",
        "    3. a body of application/json: unknown",
        "       src/app.py:13:5",
        "    4. unknown: the result of `load` comes from a library",
        "       src/app.py:14:12",
        "  What you can do",
        "    say its type where it is used: a return type, an annotation of the variable",
    ]


_CONSTANT_AND_NOT = {
    "app.ts": """\
import express from 'express';
import { codeOf } from 'codes';
const app = express();
app.put('/account', (req, res) => {
  if (req.headers.dry) return res.status(200).json({ id: 1 });
  res.status(codeOf(req)).json({ id: 1 });
});
app.listen(3000);
""",
    "handed.ts": """\
import express from 'express';
import { finish } from 'codes';
const app = express();
app.put('/account', (req, res) => {
  if (req.headers.dry) return res.status(200).json({ id: 1 });
  finish(res, { id: 1 });
});
app.listen(3000);
""",
    "account.controller.ts": """\
import { Controller, Put, Res } from '@nestjs/common';
import { codeOf } from 'codes';

@Controller('account')
export class AccountController {
  @Put()
  put(@Res({ passthrough: true }) res): { id: number } {
    if (this.moved) res.status(codeOf(this));
    return { id: 1 };
  }
}
""",
    "app.py": """\
from fastapi import FastAPI
from fastapi.responses import JSONResponse
from codes import code_of

app = FastAPI()

@app.put("/account")
def put_account():
    if app.debug:
        return JSONResponse({"id": 1}, status_code=200)
    return JSONResponse({"id": 1}, status_code=code_of(app))
""",
    "views.py": """\
from flask import Flask
from codes import code_of

app = Flask(__name__)

@app.put("/account")
def put_account():
    if app.debug:
        return {"id": 1}
    return {"id": 1}, code_of(app)
""",
    "Accounts.java": """\
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.*;

record Account(int id) {}

@RestController
class Accounts {
  @PutMapping("/account")
  ResponseEntity<Account> put() {
    if (Codes.isDry()) return ResponseEntity.ok(new Account(1));
    return ResponseEntity.status(Codes.of(this)).body(new Account(1));
  }
}
""",
    "Accounts.cs": """\
using Microsoft.AspNetCore.Mvc;

public record Account(int id);

[ApiController]
public class Accounts : ControllerBase {
  [HttpPut("/account")]
  public IActionResult Put() {
    if (Codes.IsDry()) return Ok(new Account(1));
    return StatusCode(Codes.Of(this), new Account(1));
  }
}
""",
}
"""Handlers that send one status that is constant, and one that is not."""


@pytest.mark.parametrize(
    ("file", "place"),
    [
        ("app.ts", "app.ts:6:14"),
        ("handed.ts", "handed.ts:6:3"),
        ("account.controller.ts", "account.controller.ts:8:32"),
        ("app.py", "app.py:11:12"),
        ("views.py", "views.py:10:5"),
        ("Accounts.java", "Accounts.java:11:5"),
        ("Accounts.cs", "Accounts.cs:10:12"),
    ],
)
def test_a_status_that_is_not_constant_is_shown_where_it_is_sent(
    project: Path, capsys: pytest.CaptureFixture[str], file: str, place: str
) -> None:
    (project / "openapi.yaml").write_text(
        "openapi: 3.0.3\n"
        "info: { title: Accounts, version: '1' }\n"
        "paths:\n"
        "  /account:\n"
        "    put:\n"
        "      responses:\n"
        "        '200':\n"
        "          description: Changed\n"
        "          content:\n"
        "            application/json:\n"
        "              schema: { type: object, properties: { id: { type: integer } } }\n"
    )
    (project / "package.json").write_text('{"dependencies": {"codes": "1"}}')
    (project / file).write_text(_CONSTANT_AND_NOT[file])
    (said,) = [
        paragraph
        for paragraph in explained(capsys, "PUT /account").split("\n\n")
        if " undetermined " in paragraph.splitlines()[0]
    ]
    steps = [line.strip() for line in said.partition("The code does")[2].splitlines()]
    assert steps[3:5] == ["2. sends a status that is not followed", place]


def test_a_channel_that_nothing_uses(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "asyncapi.yaml").write_text(
        "asyncapi: 3.0.0\n"
        "info: { title: Shop, version: '1' }\n"
        "channels:\n"
        "  placed:\n"
        "    address: order.placed\n"
        "    messages: { placed: { payload: { type: object } } }\n"
        "operations:\n"
        "  place: { action: send, channel: { $ref: '#/channels/placed' } }\n"
    )
    (project / "app.py").write_text(
        "from kafka import KafkaProducer\n\n"
        "producer = KafkaProducer()\n\n\n"
        "def place():\n"
        "    producer.send('order.places', b'{}')\n"
    )
    assert explained(capsys, "placed").splitlines()[:8] == [
        "channel placed: missing, nothing in the code keeps it",
        "  The contract says",
        f"    1. channel `placed`, held against the service `{project.name}`",
        "       asyncapi.yaml:4:3",
        "  Nothing in the code is it; nearest come",
        "    1. sends to `order.places` (kafka-python), in `place`",
        "       app.py:7:5",
        "",
    ]


def test_a_model_in_another_case_style(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    schema: dict[str, Any] = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Order",
        "type": "object",
        "required": ["lines"],
        "properties": {
            "lines": {
                "type": "array",
                "items": {
                    "type": "object",
                    "required": ["unitPrice"],
                    "properties": {"unitPrice": {"type": "number"}},
                },
            }
        },
    }
    (project / "order.schema.json").write_text(json.dumps(schema, indent=1))
    (project / "app.py").write_text(
        "from pydantic import BaseModel\n\n\n"
        "class Line(BaseModel):\n    unit_price: float\n\n\n"
        "class Order(BaseModel):\n    lines: list[Line]\n"
    )
    out = explained(capsys, "Order")
    assert [line.strip() for line in out.splitlines() if line[4:5].isdigit()] == [
        f"1. model `Order`, held against the service `{project.name}`",
        "1. type in code",
        "1. model `Order`",
        "2. property `lines`: array of object, required",
        "3. property `unitPrice`: number, required",
        "1. class `Order`",
        "2. property `lines`: array of Line, always there",
        "3. type `Line`",
        "4. property `unit_price`: number, always there",
    ]


@pytest.mark.parametrize(
    ("what", "message"),
    [
        ("GET /order/x", "no contract has `GET /order/x`; did you mean `GET /orders/{id}`?"),
        (
            "nope",
            "no contract has `nope`; WHAT is a fingerprint, a place (`path:line`),"
            " `METHOD /path`, a channel or model",
        ),
        (
            "v1:0000",
            "no finding has the fingerprint `v1:0000`: it may be mended, or ignored by a comment",
        ),
        ("src/gone.py:1", "src/gone.py: no such file"),
        (
            "src/app.py:1",
            "src/app.py:1: nothing is found, missing or contracted on this line; the nearest are"
            " 9, 12, 13",
        ),
        (
            "src/other.py:1",
            "src/other.py:1: nothing is found, missing or contracted on this line, nor anywhere in"
            " the file",
        ),
    ],
)
def test_what_is_not_there(
    project: Path, capsys: pytest.CaptureFixture[str], what: str, message: str
) -> None:
    write_project(project, DRIFT)
    (project / "src" / "other.py").write_text("x = 1\n")
    assert refused(capsys, what) == message


def test_text_of_a_repository_cannot_act_on_the_terminal(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    hostile = "to\x1b[2Jtal"
    text = json.dumps(CONTRACT, indent=2).replace("total", hostile.replace("\x1b", "\\u001b"))
    write_project(project, SOURCE, text)
    out = explained(capsys, "GET", "/orders/{id}", "--color", "never")
    assert "\x1b" not in out
    assert "to\\x1b[2Jtal" in out


def test_only_one_folder_can_be_looked_into(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_project(project, DRIFT)
    assert refused(capsys, "v1:8e68", "src/app.py") == "src/app.py: name one folder to look into"


@pytest.mark.parametrize(
    ("place", "kind", "steps"),
    [
        (
            "services/admin/src/orders/orders.dto.ts:8",
            "requires the query parameter",
            [
                "operation `GET /orders`",
                'query parameter `status`: "pending" | "paid" | "shipped" | "cancelled", optional',
                "route `GET /backoffice/orders` (NestJS), handled by `OrdersController.list`",
                'query parameter `status`: "pending" | "paid" | "shipped" | "cancelled", required',
            ],
        ),
        (
            "services/admin/src/orders/orders.controller.ts:13",
            "the contract's endpoints are below",
            [
                "operation `GET /orders`",
                "route `GET /backoffice/orders` (NestJS), handled by `OrdersController.list`",
            ],
        ),
        (
            "services/catalog/openapi.yaml:70",
            "the code defines only",
            [
                "operation `DELETE /books/{isbn}`",
                "route `GET /api/books/{isbn}` (Spring MVC), handled by `BookController.get`",
                "route `PUT /api/books/{isbn}` (Spring MVC), handled by `BookController.update`",
            ],
        ),
        (
            "services/gateway/src/events/consumer.ts:23",
            "the code receives from",
            ["receives from `catalog.price-changed` (kafkajs), in `startEventConsumer`"],
        ),
    ],
    ids=["parameter", "base path", "method", "channel in no contract"],
)
def test_every_kind_names_both_sides(
    bookshop: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    place: str,
    kind: str,
    steps: list[str],
) -> None:
    monkeypatch.chdir(bookshop)
    assert main(["explain", "--isolated", place]) == 0
    paragraphs = capsys.readouterr().out.split("\n\n")
    (said,) = (each for each in paragraphs if kind in each.splitlines()[0])
    numbered = [line.strip() for line in said.splitlines() if line.startswith("    ")]
    assert [line[3:] for line in numbered if line[0].isdigit() and line[1] == "."] == steps
