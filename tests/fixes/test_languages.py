"""Each fix in each language, made by the real command on a small project."""

from __future__ import annotations

import difflib
from pathlib import Path
from typing import Any

import pytest

from contract_scan.cli.main import main
from contract_scan.fixes.parsing import parse_of
from tests.fixes.projects import (
    NAMES,
    contract,
    csharp,
    java,
    python,
    request_contract,
    typescript,
    with_query,
    write,
)


def schema(**state: Any) -> dict[str, Any]:
    """An object with an id and a required state."""
    properties = {"id": {"type": "string"}, "state": state}
    return {"type": "object", "required": ["id", "state"], "properties": properties}


ID_ONLY = {"type": "object", "required": ["id"], "properties": {"id": {"type": "string"}}}
VALUES = {"type": "string", "enum": ["new", "paid", "sent"]}
JSON = "using System.Text.Json.Serialization;\n"
SERIALIZED = (
    typescript('  id: string;\n\n  @Expose({ name: "unit_price" })\n  price: number;')
    .replace("import { Con", "import { ClassSerializerInterceptor, UseInterceptors, Con")
    .replace('@Controller("', '@UseInterceptors(ClassSerializerInterceptor)\n@Controller("')
)

SAFE: dict[str, tuple[str, str, Any, list[str]]] = {
    "an alias of pydantic that fields can also be filled without": (
        "python",
        python(
            "    model_config = ConfigDict(populate_by_name=True)\n    id: str\n"
            "    unit_price: float  # net\n"
        ),
        contract(),
        [
            "-    unit_price: float  # net",
            '+    unit_price: float = Field(alias="unitPrice")  # net',
        ],
    ),
    "an alias of pydantic that is for output alone": (
        "python",
        python("    id: str\n    price: float = Field(serialization_alias='unit_price')\n"),
        contract(),
        [
            "-    price: float = Field(serialization_alias='unit_price')",
            "+    price: float = Field(serialization_alias='unitPrice')",
        ],
    ),
    "a name of class-transformer": (
        "typescript",
        SERIALIZED,
        contract(),
        ['-  @Expose({ name: "unit_price" })', '+  @Expose({ name: "unitPrice" })'],
    ),
    "a name of System.Text.Json that is there": (
        "csharp",
        csharp(
            '    public string Id { get; init; }\n    [JsonPropertyName("unit_price")]\n'
            "    public double Price { get; init; }",
            head=JSON,
        ),
        contract(),
        ['-    [JsonPropertyName("unit_price")]', '+    [JsonPropertyName("unitPrice")]'],
    ),
    "a name of System.Text.Json that is not there": (
        "csharp",
        csharp(
            "    public string Id { get; init; }\n\n    /// <summary>Net.</summary>\n"
            "    public double Unit_Price { get; init; }"
        ),
        contract(),
        ["+using System.Text.Json.Serialization;", '+    [JsonPropertyName("unitPrice")]'],
    ),
    "a name of Jackson that is there": (
        "java",
        java('String id, @JsonProperty("unit_price") double price'),
        contract(),
        [
            '-record Order(String id, @JsonProperty("unit_price") double price) {}',
            '+record Order(String id, @JsonProperty("unitPrice") double price) {}',
        ],
    ),
    "a name of Jackson that is not there": (
        "java",
        java("String id, double unit_price").replace(
            "import com.fasterxml.jackson.annotation.JsonProperty;\n", ""
        ),
        contract(),
        [
            "+import com.fasterxml.jackson.annotation.JsonProperty;",
            "-record Order(String id, double unit_price) {}",
            '+record Order(String id, @JsonProperty("unitPrice") double unit_price) {}',
        ],
    ),
    "the status of a route of FastAPI": (
        "python",
        python("    id: str\n").replace("app.get(", "app.post("),
        contract(ID_ONLY, "201", "post"),
        ['-@app.post("/orders/{id}")', '+@app.post("/orders/{id}", status_code=201)'],
    ),
    "a status of FastAPI that is written": (
        "python",
        python("    id: str\n", decorator='"/orders/{id}", status_code=202'),
        contract(ID_ONLY),
        [
            '-@app.get("/orders/{id}", status_code=202)',
            '+@app.get("/orders/{id}", status_code=200)',
        ],
    ),
    "the status of a route of Nest": (
        "typescript",
        typescript("  id: string;", decorators='@Post(":id")').replace(
            "{ Controller, Get", "{ Controller, Post"
        ),
        contract(ID_ONLY, "202", "post"),
        [
            '-import { Controller, Post, Param } from "@nestjs/common";',
            '+import { Controller, Post, Param, HttpCode } from "@nestjs/common";',
            "+  @HttpCode(202)",
        ],
    ),
    "an import of Nest over several lines": (
        "typescript",
        typescript("  id: string;", decorators='@Post(":id")').replace(
            "{ Controller, Get, Param }", "{\n  Controller,\n  Post,\n  Param,\n}"
        ),
        contract(ID_ONLY, "202", "post"),
        ["+  HttpCode,", "+  @HttpCode(202)"],
    ),
    "the status of a route of Spring": (
        "java",
        java("String id", mapping='@PostMapping("/{id}")'),
        contract(ID_ONLY, "201", "post"),
        [
            "+import org.springframework.http.HttpStatus;",
            "+    @ResponseStatus(HttpStatus.CREATED)",
        ],
    ),
    "a status of Spring that is written": (
        "java",
        java(
            "String id", mapping='@GetMapping("/{id}")\n    @ResponseStatus(HttpStatus.CREATED)'
        ).replace("import org", "import org.springframework.http.HttpStatus;\nimport org", 1),
        contract(ID_ONLY),
        [
            "-    @ResponseStatus(HttpStatus.CREATED)",
            "+    @ResponseStatus(HttpStatus.OK)",
        ],
    ),
    "the answer without a body of ASP.NET": (
        "csharp",
        csharp("    public string Id { get; init; }").replace(
            'HttpGet("{id}")]\n    public ActionResult<Order> Get(string id) => _orders.Find(id);',
            'HttpDelete("{id}")]\n    public IActionResult Remove(string id) => Ok();',
        ),
        {
            **contract(ID_ONLY),
            "paths": {"/orders/{id}": {"delete": {"responses": {"204": {"description": "gone"}}}}},
        },
        [
            "-    public IActionResult Remove(string id) => Ok();",
            "+    public IActionResult Remove(string id) => NoContent();",
        ],
    ),
}

UNSAFE: dict[str, tuple[str, str, Any, list[str]]] = {
    "an alias of pydantic": (
        "python",
        python("    id: str\n    unit_price: float\n"),
        contract(),
        ["-    unit_price: float", '+    unit_price: float = Field(alias="unitPrice")'],
    ),
    "an alias within a call of several lines": (
        "python",
        python("    id: str\n    unit_price: float = Field(\n        gt=0,  # net\n    )\n"),
        contract(),
        ["-        gt=0,  # net", '+        gt=0, alias="unitPrice",  # net'],
    ),
    "a status of Nest that sends nothing of what is returned": (
        "typescript",
        typescript("  id: string;", decorators='@Delete(":id")').replace(
            "{ Controller, Get", "{ Controller, Delete"
        ),
        {
            **contract(ID_ONLY),
            "paths": {"/orders/{id}": {"delete": {"responses": {"204": {"description": "gone"}}}}},
        },
        [
            '-import { Controller, Delete, Param } from "@nestjs/common";',
            '+import { Controller, Delete, Param, HttpCode } from "@nestjs/common";',
            "+  @HttpCode(204)",
        ],
    ),
    "a property of a class": (
        "typescript",
        typescript("  id: string;\n  unit_price: number; // net"),
        contract(),
        ["-  unit_price: number; // net", "+  unitPrice: number; // net"],
    ),
    "a name that was changed altogether": (
        "java",
        java("String id, double net"),
        contract(),
        [
            "-record Order(String id, double net) {}",
            '+record Order(String id, @JsonProperty("unitPrice") double net) {}',
        ],
    ),
    "a type of Python": (
        "python",
        python("    id: str\n    state: int | None\n"),
        contract(schema(type=["string", "null"], format="date-time")),
        [
            "+from datetime import datetime",
            "-    state: int | None",
            "+    state: datetime | None",
        ],
    ),
    "a type of TypeScript": (
        "typescript",
        typescript("  id: string;\n  state: string | null;"),
        contract(schema(type=["integer", "null"])),
        ["-  state: string | null;", "+  state: number | null;"],
    ),
    "a number of C#": (
        "csharp",
        csharp("    public string Id { get; init; }\n    public int State { get; init; }"),
        contract(schema(type="string", format="uuid")),
        [
            "-    public int State { get; init; }",
            "+    public System.Guid State { get; init; }",
        ],
    ),
    "a type of Java": (
        "java",
        java("String id, long state"),
        contract(schema(type="string", format="uuid")),
        [
            "+import java.util.UUID;",
            "-record Order(String id, long state) {}",
            "+record Order(String id, UUID state) {}",
        ],
    ),
    "null in Python": (
        "python",
        python("    id: str\n    state: str | None\n"),
        contract(schema(type="string")),
        ["-    state: str | None", "+    state: str"],
    ),
    "null in TypeScript": (
        "typescript",
        typescript("  id: string;\n  state: string | null;"),
        contract(schema(type="string")),
        ["-  state: string | null;", "+  state: string;"],
    ),
    "null in C#": (
        "csharp",
        csharp("    public string Id { get; init; }\n    public int? State { get; init; }"),
        contract(schema(type="integer")),
        ["-    public int? State { get; init; }", "+    public int State { get; init; }"],
    ),
    "a property that may be left out": (
        "typescript",
        typescript("  id: string;\n  state?: number;"),
        contract(schema(type="integer")),
        ["-  state?: number;", "+  state: number;"],
    ),
    "values of a literal type": (
        "python",
        python(
            '    id: str\n    state: Literal[\n        "new",\n        "gone",\n'
            '        "paid",  # all\n    ]\n',
            imports="from typing import Literal\n",
        ),
        contract(schema(**VALUES)),
        ['-        "gone",', '-        "paid",  # all', '+        "paid", "sent",  # all'],
    ),
    "values of an enumeration of Python": (
        "python",
        python(
            "    id: str\n    state: State\n",
            imports="from enum import Enum\n\n\nclass State(str, Enum):\n"
            '    NEW = "new"\n    GONE = "gone"\n',
        ),
        contract(schema(type="string", enum=["new", "on-hold"])),
        ['-    GONE = "gone"', '+    ON_HOLD = "on-hold"'],
    ),
    "values of a union": (
        "typescript",
        typescript('  id: string;\n  state: "gone" | "new" | "paid"; // all'),
        contract(schema(**VALUES)),
        [
            '-  state: "gone" | "new" | "paid"; // all',
            '+  state: "new" | "paid" | "sent"; // all',
        ],
    ),
    "values of an enumeration of C#": (
        "csharp",
        csharp(
            "    public string Id { get; init; }\n    public State State { get; init; }",
            head=f"{JSON}[JsonConverter(typeof(JsonStringEnumConverter))]\n"
            "public enum State { Paid, Gone }\n",
        ),
        contract(schema(type="string", enum=["Paid", "Sent"])),
        ["-public enum State { Paid, Gone }", "+public enum State { Paid, Sent }"],
    ),
    "values of an enumeration of Java": (
        "java",
        java(
            "String id, State state",
            extra='\nenum State {\n    @JsonProperty("new") NEW,\n    @JsonProperty("gone") GONE,\n'
            '    @JsonProperty("paid") PAID;\n}\n',
        ),
        contract(schema(**VALUES)),
        [
            '-    @JsonProperty("gone") GONE,',
            '-    @JsonProperty("paid") PAID;',
            '+    @JsonProperty("paid") PAID,',
            '+    @JsonProperty("sent") SENT;',
        ],
    ),
    "a field of a request of pydantic": (
        "python",
        python("    id: str\n", decorator='"/orders", status_code=204')
        .replace("app.get(", "app.post(")
        .replace("get_order(id: str) -> Order", "take(order: Order) -> None"),
        request_contract({"type": "object", "properties": {"id": {"type": "string"}}}),
        ["-    id: str", "+    id: str | None = None"],
    ),
    "a query parameter of FastAPI under another name": (
        "python",
        python("    id: str\n", imports="from typing import Annotated\n").replace(
            "(id: str)", "(id: str, page_size: int = 10)"
        ),
        with_query(contract(ID_ONLY), "pageSize"),
        [
            "-from fastapi import FastAPI",
            "+from fastapi import FastAPI, Query",
            "-def get_order(id: str, page_size: int = 10) -> Order:",
            '+def get_order(id: str, page_size: Annotated[int, Query(alias="pageSize")] = 10)'
            " -> Order:",
        ],
    ),
    "a query parameter of Spring": (
        "java",
        java("String id").replace("String id) {\n", "String id, @RequestParam int page) {\n"),
        with_query(contract(ID_ONLY), "page"),
        [
            "-    public Order find(@PathVariable String id, @RequestParam int page) {",
            "+    public Order find(@PathVariable String id, @RequestParam(required = false)"
            " Integer page) {",
        ],
    ),
    "a field of pydantic": (
        "python",
        python("    id: str\n"),
        contract(schema(type="boolean")),
        ["+    state: bool"],
    ),
    "a property of TypeScript": (
        "typescript",
        typescript("  readonly id: string;"),
        contract(schema(type="integer")),
        ["+  readonly state: number;"],
    ),
    "a property of C#": (
        "csharp",
        csharp("    public required string Id { get; init; }"),
        contract(schema(type="integer")),
        ["+    public required int State { get; init; }"],
    ),
    "a component of Java": (
        "java",
        java("String id"),
        contract(schema(type="integer")),
        ["-record Order(String id) {}", "+record Order(String id, int state) {}"],
    ),
}


def changed(before: bytes, after: bytes) -> list[str]:
    """The lines that went and came."""
    lines = difflib.ndiff(before.decode().split("\n"), after.decode().split("\n"))
    return [line for line in lines if line[0] in "+-" and line[2:].strip()]


def assert_fixed(folder: Path, case: tuple[str, str, Any, list[str]], options: list[str]) -> None:
    language, source, document, expected = case
    file = write(folder, NAMES[language], source, document)
    before = file.read_bytes()
    command = ["check", str(folder), "--isolated", "--no-cache", "--fix", *options]
    assert main(command) == 0
    after = file.read_bytes()
    assert [f"{line[0]}{line[2:]}" for line in changed(before, after)] == expected
    assert not parse_of(file.name)(after).has_error
    assert main(command) == 0
    assert file.read_bytes() == after


@pytest.mark.parametrize("what", SAFE)
def test_a_safe_fix(what: str, tmp_path: Path) -> None:
    assert_fixed(tmp_path / "p", SAFE[what], [])


@pytest.mark.parametrize("what", UNSAFE)
def test_an_unsafe_fix(what: str, tmp_path: Path) -> None:
    assert_fixed(tmp_path / "p", UNSAFE[what], ["--unsafe-fixes"])


NOT_UNASKED = (
    "an alias of pydantic",
    "a status of Nest that sends nothing of what is returned",
    "null in C#",
    "a component of Java",
)


@pytest.mark.parametrize("what", NOT_UNASKED)
def test_an_unsafe_fix_is_not_made_unasked(what: str, tmp_path: Path) -> None:
    language, source, document, _ = UNSAFE[what]
    file = write(tmp_path / "p", NAMES[language], source, document)
    before = file.read_bytes()
    assert main(["check", str(tmp_path / "p"), "--isolated", "--no-cache", "--fix"]) == 1
    assert file.read_bytes() == before
