"""What proves something and what only suggests it: the same promise broken by code that enforces it
and by code that only names a type, in every language."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from contract_scan.api import scan
from contract_scan.ir.violation import OperationRef

STRING = {"type": "string"}
OR_NULL = {"type": "string", "nullable": True}

Said = dict[str, str]
"""`POST /orders name nullable` -> `error enforced`, or `undetermined`."""


def operation(
    *, takes: Any = None, gives: Any = None, status: str = "200", parameters: Any = ()
) -> dict[str, Any]:
    """One operation of a contract: schemas of the two bodies."""
    answer: dict[str, Any] = {"description": ""}
    if gives is not None:
        answer["content"] = {"application/json": {"schema": gives}}
    found: dict[str, Any] = {"responses": {status: answer}, "parameters": list(parameters)}
    if takes is not None:
        content = {"application/json": {"schema": takes}}
        found["requestBody"] = {"required": True, "content": content}
    return found


def obj(required: tuple[str, ...] = (), **fields: Any) -> dict[str, Any]:
    return {"type": "object", "required": list(required), "properties": fields}


def said(root: Path, files: dict[str, str], paths: dict[str, dict[str, Any]]) -> Said:
    """Everything that a scan says of request bodies, parameters and responses."""
    document = {"openapi": "3.0.3", "info": {"title": "T", "version": "1"}, "paths": paths}
    for path, text in {**files, "openapi.json": json.dumps(document)}.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    report = scan(root, cache=False)
    assert {problem.code for problem in report.not_analysed} <= {"nothing-verified"}
    found: Said = {}
    for finding in report.findings:
        place = _place(finding.operation, finding.field, finding.kind)
        found[place] = f"{finding.severity} {finding.evidence}"
    for entry in report.undetermined:
        found.setdefault(_place(entry.operation, entry.field, ""), "undetermined")
    return found


def _place(operation: OperationRef | None, field: str, kind: str) -> str:
    assert operation is not None
    return " ".join(part for part in (operation.method, operation.path, field, kind) if part)


# ------------------------------------------------------------------ TypeScript

EXPRESS = """
import express, { Request, Response } from 'express';
import { z } from 'zod';
import { store } from 'somewhere';
interface NewOrder { name: string; }
interface Found { total: string; }
const Strict = z.object({ name: z.string() });
const app = express();
app.use(express.json());
"""


def express(*routes: str) -> dict[str, str]:
    return {"src/main.ts": EXPRESS + "\n".join(routes), "package.json": '{"name": "shop"}'}


NEW = {"post": operation(takes=obj(name=OR_NULL), gives=obj(ok={"type": "boolean"}))}


def test_a_schema_that_parses_the_body_refuses_what_it_does_not_have(tmp_path: Path) -> None:
    files = express(
        "app.post('/orders', (req, res) => {"
        "  const order = Strict.parse(req.body); res.json({ ok: order.name.length > 0 }) })"
    )
    assert said(tmp_path, files, {"/orders": NEW}) == {
        "POST /orders name nullable": "error enforced",
        "POST /orders name required": "error enforced",
    }


@pytest.mark.parametrize(
    "read",
    [
        "const order = req.body as NewOrder; console.log(order?.name);",
        "const order: NewOrder = req.body; const name = order.name ?? 'none';",
        "const order = <NewOrder>req.body; if (order.name) { order.name.trim() }",
        "const order = req.body as NewOrder; const n = order.name && order.name.length;",
        "const order = req.body as NewOrder; if (!order.name) { return res.json({ ok: true }) }"
        " order.name.trim();",
    ],
)
def test_a_type_that_nothing_checks_refuses_nothing(tmp_path: Path, read: str) -> None:
    handler = f"app.post('/orders', (req, res) => {{ {read} res.json({{ ok: true }}) }})"
    assert said(tmp_path, express(handler), {"/orders": NEW}) == {}


def test_type_arguments_of_the_request_refuse_nothing(tmp_path: Path) -> None:
    files = express(
        "app.post('/orders', (req: Request<{}, unknown, NewOrder>, res: Response) => {"
        "  console.log(req.body.name); res.json({ ok: true }) })"
    )
    assert said(tmp_path, files, {"/orders": NEW}) == {}


@pytest.mark.parametrize(
    ("read", "found"),
    [
        (
            "const order = req.body as NewOrder; order.name.trim();",
            {"name nullable": "error enforced", "name required": "error enforced"},
        ),
        (
            "const order = req.body as NewOrder;"
            " if (!order.name) { return res.status(400).json({ ok: false }) }",
            {"name required": "error enforced", "name": "undetermined"},
        ),
        (
            "const order = req.body as NewOrder; if (order) { order.name.trim() }",
            {"name": "undetermined"},
        ),
        (
            "const order = req.body as NewOrder; store(order);",
            {"name": "undetermined"},
        ),
    ],
    ids=["taken apart", "refused", "taken apart by some", "handed on"],
)
def test_beside_such_a_type_the_uses_of_the_body_say_what_is_needed(
    tmp_path: Path, read: str, found: Said
) -> None:
    handler = f"app.post('/orders', (req, res) => {{ {read} res.json({{ ok: true }}) }})"
    expected = {f"POST /orders {place}": what for place, what in found.items()}
    assert said(tmp_path, express(handler), {"/orders": NEW}) == expected


def test_another_type_than_the_contract_has_is_a_warning_where_nothing_checks_it(
    tmp_path: Path,
) -> None:
    takes = obj(name={"type": "integer"})
    files = express(
        "app.post('/cast', (req, res) => {"
        "  const o = req.body as NewOrder; console.log(o?.name); res.json({ ok: true }) })",
        "app.post('/parsed', (req, res) => {"
        "  const o = Strict.partial().parse(req.body); console.log(o); res.json({ ok: true }) })",
    )
    paths = {path: {"post": operation(takes=takes, gives=obj())} for path in ("/cast", "/parsed")}
    found = said(tmp_path, files, paths)
    assert found["POST /cast name type"] == "warning declared"
    assert found["POST /parsed name type"] == "error enforced"


def test_what_is_sent_is_known_no_better_than_the_cast_that_says_so(tmp_path: Path) -> None:
    gives = obj(("total",), total={"type": "number"})
    files = express(
        "import { load } from './load';",
        "app.get('/cast', async (req, res) => { res.json((await load()) as Found) })",
        "app.get('/member', async (req, res) => {"
        "  const all = (await load()) as { found: Found }; res.json(all.found) })",
        "app.get('/item', async (req, res) => {"
        "  const all = (await load()) as Found[]; res.json(all[0]) })",
        "app.get('/spread', async (req, res) => {"
        "  const one = (await load()) as Found; res.json({ ...one }) })",
        "function claimed(): Found { return JSON.parse(read()) as Found }",
        "app.get('/returned', (req, res) => { res.json(claimed()) })",
        "app.get('/parsed', (req, res) => { const f: Found = JSON.parse(read()); res.json(f) })",
        "function made(): Found { return { total: String(1) } }",
        "app.get('/made', (req, res) => { res.json(made()) })",
    )
    files["src/load.ts"] = "export async function load(): Promise<any> { return {} }"
    names = ("cast", "member", "item", "spread", "returned", "parsed", "made")
    found = said(tmp_path, files, {f"/{name}": {"get": operation(gives=gives)} for name in names})
    expected = {f"GET /{name} total type": "warning declared" for name in names[:-1]}
    assert found == {**expected, "GET /made total type": "error checked"}


THROUGH_ANY = """
interface Totals { [year: string]: Found }
interface Open { total: string; note?: string }
const load = (): any => JSON.parse(read());
const entry = (of: { [key: string]: any }, key: string): any => {
  if (of[key] === undefined) { of[key] = {}; }
  return of[key];
};
const typed = (of: Totals, key: string): Found => of[key];
const log = (of: any): void => { console.log(of); };
const sized = (size: number): Open => ({ total: String(size), note: load().note });
function parsed(): Found { return JSON.parse(read()) }
function member(of: any): Found { return of.found }
function field(of: any): Found { return { total: of.total } }
function open(of: any): Open { return { total: of.total } }
async function filled(): Promise<Totals> {
  const made: Totals = {}; entry(entry(made, '2024'), 'total').sum = 1; return made }
async function checked(): Promise<Totals> {
  const made: Totals = {}; typed(made, '2024').total = String(1); log(made); return made }
"""


def test_a_type_is_known_no_better_than_the_any_that_passes_for_it(tmp_path: Path) -> None:
    unchecked = {
        "parsed": "res.json(parsed())",
        "member": "res.json(member(load()))",
        "field": "res.json(field(load()))",
        "open": "res.json(open(load()))",
        "assigned": "const one: Found = load().found; res.json({ total: one.total })",
        "literal": "const all = load(); const one: Found = { total: all.total }; res.json(one)",
        "item": "const all: any[] = load(); const found: Found[] = all.map((a) => a.found);"
        " res.json(found[0])",
    }
    checked = {
        "beside": "const { total } = sized(1); res.json({ total })",
    }
    files = express(
        THROUGH_ANY,
        *(
            f"app.get('/{name}', async (req, res) => {{ {body} }})"
            for name, body in {**unchecked, **checked}.items()
        ),
        "app.get('/filled', async (req, res) => { res.json(await filled()) })",
        "app.get('/checked', async (req, res) => { res.json(await checked()) })",
    )
    gives = obj(("total",), total={"type": "number"})
    by_year = operation(gives={"type": "object", "additionalProperties": gives})
    paths = {f"/{name}": {"get": operation(gives=gives)} for name in {**unchecked, **checked}}
    paths |= {f"/{name}": {"get": by_year} for name in ("filled", "checked")}
    assert said(tmp_path, files, paths) == {
        **{f"GET /{name} total type": "warning declared" for name in unchecked},
        **{f"GET /{name} total type": "error checked" for name in checked},
        "GET /filled {}.total type": "warning declared",
        "GET /checked {}.total type": "error checked",
    }


NEST = """
import { Body, Controller, Module, Post, HttpCode, UsePipes, ValidationPipe } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { IsString } from 'class-validator';
class NewOrder { @IsString() name!: string; }
interface Loose { name: string; }
@Controller()
class Orders {
  @Post('plain') @HttpCode(200) plain(@Body() body: NewOrder) { return { ok: !!body?.name } }
  @Post('loose') @HttpCode(200) @UsePipes(new ValidationPipe())
  loose(@Body() body: Loose) { return { ok: !!body?.name } }
  @Post('piped') @HttpCode(200) piped(@Body(new ValidationPipe()) body: NewOrder) {
    return { ok: !!body?.name }
  }
  @Post('key') @HttpCode(200) key(@Body('name') name: string) { return { ok: !!name } }
}
@Module({ controllers: [Orders] })
class AppModule {}
async function start() {
  const app = await NestFactory.create(AppModule);
  PIPES
  await app.listen(3000);
}
void start();
"""


def test_a_body_of_nest_is_checked_where_a_pipe_holds_it_against_a_class(tmp_path: Path) -> None:
    ok = obj(ok={"type": "boolean"})
    paths = {f"/{name}": {"post": operation(gives=ok)} for name in ("plain", "loose", "piped")}
    files = {"src/main.ts": NEST.replace("PIPES", ""), "package.json": "{}"}
    assert said(tmp_path, files, paths) == {"POST /piped shape": "error enforced"} | {
        "POST /key undocumented-endpoint": "warning enforced"
    }
    files["src/main.ts"] = NEST.replace("PIPES", "app.useGlobalPipes(new ValidationPipe());")
    assert said(tmp_path, files, paths) == {
        "POST /piped shape": "error enforced",
        "POST /plain shape": "error enforced",
        "POST /key undocumented-endpoint": "warning enforced",
    }


# ------------------------------------------------------------------ Python

FLASK = """
from dataclasses import dataclass
from typing import TypedDict, cast
from flask import Flask, request, jsonify
from pydantic import BaseModel
app = Flask(__name__)

class Strict(BaseModel):
    name: str

@dataclass
class Plain:
    name: str

class Found(TypedDict):
    total: str

@app.post("/strict")
def strict():
    Strict(**request.get_json())
    return {}

@app.post("/plain")
def plain():
    Plain(**request.get_json())
    return {}

@app.get("/cast")
def claimed():
    return jsonify(cast(Found, load()))

@app.get("/literal")
def literal():
    return jsonify({"total": "many"})
"""


def test_a_constructor_of_python_checks_what_its_library_checks(tmp_path: Path) -> None:
    paths = {
        f"/{name}": {"post": operation(takes=obj(name=OR_NULL), gives=obj())}
        for name in ("strict", "plain")
    }
    gives = obj(("total",), total={"type": "number"})
    paths |= {f"/{name}": {"get": operation(gives=gives)} for name in ("cast", "literal")}
    found = said(tmp_path, {"app.py": FLASK}, paths)
    requests = {place: what for place, what in found.items() if place.startswith("POST")}
    assert requests == {
        "POST /strict name nullable": "error enforced",
        "POST /strict name required": "error enforced",
        "POST /plain name required": "error enforced",
        "POST /plain name": "undetermined",
    }
    assert found["GET /cast total type"] == "warning declared"
    assert found["GET /literal total type"].startswith("error")


# ------------------------------------------------------------------ C#

PROGRAM = """
using Microsoft.AspNetCore.Builder;
using Microsoft.Extensions.DependencyInjection;
var builder = WebApplication.CreateBuilder(args);
builder.Services.AddControllers();
var app = builder.Build();
app.MapControllers();
app.Run();
"""
CONTROLLER = """
using System.Collections.Generic;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Mvc;
namespace Shop
{
    public class Labels
    {
        public Dictionary<string, string> Texts { get; set; }
        public List<int> Sizes { get; set; }
    }
    public class Found { public int Total { get; set; } }

    [ApiController]
    [Route("labels")]
    public class LabelsController : ControllerBase
    {
        [HttpPost]
        public IActionResult Save([FromBody] Labels labels) => NoContent();

        [HttpGet("typed")]
        public ActionResult<Found> Typed() => new Found();

        [HttpGet("documented")]
        [ProducesResponseType(typeof(Found), StatusCodes.Status200OK)]
        public IActionResult Documented() => Answer();

        private IActionResult Answer() => Elsewhere.Answers.Found();
    }
}
"""


@pytest.mark.parametrize("nullable", ["", "<Nullable>enable</Nullable>"])
def test_null_in_collections_of_csharp_is_refused_by_nobody(tmp_path: Path, nullable: str) -> None:
    project = (
        '<Project Sdk="Microsoft.NET.Sdk.Web"><PropertyGroup>'
        f"<TargetFramework>net8.0</TargetFramework>{nullable}</PropertyGroup></Project>"
    )
    files = {"Shop.csproj": project, "Program.cs": PROGRAM, "LabelsController.cs": CONTROLLER}
    texts = {"type": "object", "nullable": True, "additionalProperties": OR_NULL}
    sizes = {"type": "array", "nullable": True, "items": {"type": "integer", "nullable": True}}
    total = obj(total=STRING)
    paths = {
        "/labels": {"post": operation(takes=obj(texts=texts, sizes=sizes), status="204")},
        "/labels/typed": {"get": operation(gives=total)},
        "/labels/documented": {"get": operation(gives=total)},
    }
    found = said(tmp_path, files, paths)
    assert found["POST /labels sizes[] nullable"] == "error checked"
    assert "POST /labels texts{} nullable" not in found
    assert found["GET /labels/typed total type"] == "error checked"
    assert found["GET /labels/documented total type"] == "warning declared"


# ------------------------------------------------------------------ Java

JAVA = """
package shop;
import jakarta.validation.Valid;
import jakarta.validation.constraints.NotNull;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.*;

@RestController
public class Shop {
  public record Order(@NotNull String name, int count) {}

  @PostMapping("/valid") @ResponseStatus(HttpStatus.NO_CONTENT)
  public void valid(@Valid @RequestBody Order order) {}

  @PostMapping("/plain") @ResponseStatus(HttpStatus.NO_CONTENT)
  public void plain(@RequestBody Order order) {}
}
"""


def test_constraints_of_java_count_where_something_validates(tmp_path: Path) -> None:
    takes = obj(name=OR_NULL, count=STRING)
    paths = {
        f"/{name}": {"post": operation(takes=takes, status="204")} for name in ("valid", "plain")
    }
    files = {
        "src/main/java/shop/Shop.java": JAVA,
        "pom.xml": "<project><dependencies><dependency><groupId>org.springframework.boot</groupId>"
        "<artifactId>spring-boot-starter-web</artifactId></dependency></dependencies></project>",
    }
    assert said(tmp_path, files, paths) == {
        "POST /valid name required": "error enforced",
        "POST /valid name nullable": "error enforced",
        "POST /valid count type": "error checked",
        "POST /plain count type": "error checked",
        "POST /plain name": "undetermined",
    }
