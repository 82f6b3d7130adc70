"""Small programs, each with one drift of one kind: the examples of the pages.

A drift of a schema is one declaration of a type in each language, which stands in three sorts of
programs: one that answers with it, one that publishes it, and one that only has it. A line that
`§error` ends is the one on which the drift is found; `§warning:undocumented-endpoint` ends one on
which drift of another kind is found, which has the same cause. Pages show both as comments.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Literal, TypeAlias, get_args

from msgspec import Struct

from contract_scan.ir.violation import Kind
from contract_scan.scanners.kinds.records import rule_and_kind

Language: TypeAlias = Literal["python", "typescript", "csharp", "java"]
LANGUAGES: tuple[Language, ...] = get_args(Language)
Declarations: TypeAlias = Mapping[Language, str]

MARK = "§"
"""Stands before what is found on a line, at its end."""


class Program(Struct, frozen=True, kw_only=True):
    """A contract, and code in each language that breaks it in one way."""

    contract: tuple[str, str]
    """Name of the file, and its text."""
    code: Mapping[Language, tuple[str, str]]
    """Likewise; a language in which the kind cannot be seen is not there."""
    configuration: str = ""
    """What the kind needs in `contract-scan.toml` to be looked for."""


class _Drift(Struct, frozen=True, kw_only=True):
    """One drift of a schema: what the contract says of `Order`, and what languages declare."""

    properties: Mapping[str, Mapping[str, object]]
    declarations: Declarations


_ID = {"type": "string"}
_NUMBER = {"type": "number"}
_TOTAL = {"id": _ID, "total": _NUMBER}

_DRIFTS: Mapping[Kind, _Drift] = {
    "missing-field": _Drift(
        properties=_TOTAL,
        declarations={
            "python": "class Order(BaseModel):§error\n    id: str\n",
            "typescript": "export interface Order {§error\n  id: string;\n}\n",
            "csharp": "public record Order(string Id);§error\n",
            "java": "record Order(String id) {}§error\n",
        },
    ),
    "extra-field": _Drift(
        properties={"id": _ID},
        declarations={
            "python": "class Order(BaseModel):\n    id: str\n    total: float§warning\n",
            "typescript": (
                "export interface Order {\n  id: string;\n  total: number;§warning\n}\n"
            ),
            "csharp": "public record Order(\n    string Id,\n    double Total);§warning\n",
            "java": "record Order(\n    String id,\n    double total§warning\n) {}\n",
        },
    ),
    "name-case": _Drift(
        properties={"id": _ID, "bookId": _ID},
        declarations={
            "python": "class Order(BaseModel):\n    id: str\n    book_id: str§error\n",
            "typescript": (
                "export interface Order {\n  id: string;\n  book_id: string;§error\n}\n"
            ),
            "csharp": (
                "public record Order(\n    string Id,\n"
                '    [property: JsonPropertyName("book_id")] string BookId);§error\n'
            ),
            "java": (
                "record Order(\n    String id,\n"
                '    @JsonProperty("book_id") String bookId§error\n) {}\n'
            ),
        },
    ),
    "type": _Drift(
        properties=_TOTAL,
        declarations={
            "python": "class Order(BaseModel):\n    id: str\n    total: str§error\n",
            "typescript": ("export interface Order {\n  id: string;\n  total: string;§error\n}\n"),
            "csharp": "public record Order(\n    string Id,\n    string Total);§error\n",
            "java": "record Order(\n    String id,\n    String total§error\n) {}\n",
        },
    ),
    "required": _Drift(
        properties=_TOTAL,
        declarations={
            "python": "class Order(TypedDict):\n    id: str\n    total: NotRequired[float]§error\n",
            "typescript": ("export interface Order {\n  id: string;\n  total?: number;§error\n}\n"),
            "csharp": (
                "public record Order(\n    string Id,\n    [property: JsonIgnore("
                "Condition = JsonIgnoreCondition.WhenWritingNull)]\n"
                "    double? Total);§error\n"
            ),
            "java": (
                "@JsonInclude(JsonInclude.Include.NON_ABSENT)\nrecord Order(\n    String id,\n"
                "    Optional<Double> total§error\n) {}\n"
            ),
        },
    ),
    "nullable": _Drift(
        properties=_TOTAL,
        declarations={
            "python": "class Order(BaseModel):\n    id: str\n    total: float | None§error\n",
            "typescript": (
                "export interface Order {\n  id: string;\n  total: number | null;§error\n}\n"
            ),
            "csharp": "public record Order(\n    string Id,\n    double? Total);§error\n",
            "java": "record Order(\n    String id,\n    Optional<Double> total§error\n) {}\n",
        },
    ),
    "enum": _Drift(
        properties={"id": _ID, "state": {"type": "string", "enum": ["new", "paid"]}},
        declarations={
            "python": (
                'class Order(BaseModel):\n    id: str\n    state: Literal["new", "lost"]§error\n'
            ),
            "typescript": (
                'export interface Order {\n  id: string;\n  state: "new" | "lost";§error\n}\n'
            ),
            "csharp": (
                "[JsonConverter(typeof(JsonStringEnumConverter))]\n"
                "public enum State§error\n{\n    @new,\n    lost,\n}\n\n"
                "public record Order(string Id, State State);\n"
            ),
            "java": (
                "enum State {§error\n"
                '  @JsonProperty("new") NEW,\n'
                '  @JsonProperty("lost") LOST\n'
                "}\n\n"
                "record Order(String id, State state) {}\n"
            ),
        },
    ),
    "shape": _Drift(
        properties=_TOTAL,
        declarations={
            "python": "class Order(BaseModel):\n    id: str\n    total: list[float]§error\n",
            "typescript": (
                "export interface Order {\n  id: string;\n  total: number[];§error\n}\n"
            ),
            "csharp": "public record Order(\n    string Id,\n    List<double> Total);§error\n",
            "java": "record Order(\n    String id,\n    List<Double> total§error\n) {}\n",
        },
    ),
}

# ---------------------------------------------------------------- the programs that they stand in

_IMPORTS: Mapping[Language, tuple[tuple[str, str], ...]] = {
    "python": (
        ("Literal[", "from typing import Literal"),
        ("NotRequired[", "from typing import NotRequired, TypedDict"),
        ("BaseModel", "from pydantic import BaseModel"),
    ),
    "typescript": (),
    "csharp": (
        ("List<", "using System.Collections.Generic;"),
        ("Json", "using System.Text.Json.Serialization;"),
    ),
    "java": (
        ("JsonInclude", "import com.fasterxml.jackson.annotation.JsonInclude;"),
        ("JsonProperty", "import com.fasterxml.jackson.annotation.JsonProperty;"),
        ("List<", "import java.util.List;"),
        ("Optional<", "import java.util.Optional;"),
    ),
}
"""What a declaration needs, by the word in it that needs it."""


class _Setting(Struct, frozen=True, kw_only=True):
    """A program around a declaration, in one language."""

    file: str
    imports: str = ""
    before: str = ""
    after: str = ""
    head: str = ""

    def with_declaration(self, language: Language, declared: str) -> tuple[str, str]:
        """The name and the text of the file."""
        needed = [line for word, line in _IMPORTS[language] if word in declared]
        imports = sorted({*needed, *filter(None, self.imports.split("\n"))}, key=_import_order)
        others = [line for line in imports if _import_order(line)[0]]
        if others and len(others) < len(imports):
            imports.insert(-len(others), "")
        gap = "\n\n" if language == "python" else "\n"
        parts = ("\n".join(imports) + "\n" if imports else "", self.before, declared, self.after)
        return self.file, self.head + gap.join(part for part in parts if part)


def _import_order(line: str) -> tuple[bool, str]:
    """Those of Python's own library first."""
    return line.startswith(("from fastapi", "from aiokafka", "from pydantic")), line


_ENDPOINTS: Mapping[Language, _Setting] = {
    "python": _Setting(
        file="app.py",
        imports="from fastapi import FastAPI",
        before="app = FastAPI()\n",
        after='@app.get("/orders/{order_id}")\ndef order(order_id: str) -> Order:\n'
        "    return load(order_id)\n",
    ),
    "typescript": _Setting(
        file="orders.controller.ts",
        imports='import { Controller, Get, Param } from "@nestjs/common";',
        after='@Controller("orders")\nexport class OrdersController {\n  @Get(":id")\n'
        '  find(@Param("id") id: string): Promise<Order> {\n    return this.orders.find(id);\n'
        "  }\n}\n",
    ),
    "csharp": _Setting(
        file="OrdersController.cs",
        imports="using Microsoft.AspNetCore.Mvc;",
        after='[ApiController]\n[Route("orders")]\n'
        "public class OrdersController : ControllerBase\n{\n"
        '    [HttpGet("{id}")]\n'
        "    public ActionResult<Order> Find(string id) => orders.Find(id);\n}\n",
    ),
    "java": _Setting(
        file="OrderController.java",
        head="package shop;\n\n",
        imports="import org.springframework.web.bind.annotation.*;",
        after='@RestController\nclass OrderController {\n  @GetMapping("/orders/{id}")\n'
        "  Order find(@PathVariable String id) {\n    return orders.find(id);\n  }\n}\n",
    ),
}
_PUBLISHERS: Mapping[Language, _Setting] = {
    "python": _Setting(
        file="events.py",
        imports="import json\nfrom aiokafka import AIOKafkaProducer",
        before='producer = AIOKafkaProducer(bootstrap_servers="kafka:9092")\n',
        after="async def publish(order: Order) -> None:\n"
        '    await producer.send("order.created", json.dumps(order.model_dump()).encode())\n',
    ),
    "typescript": _Setting(
        file="events.ts",
        imports='import { Kafka } from "kafkajs";',
        before='const producer = new Kafka({ brokers: ["kafka:9092"] }).producer();\n',
        after="export async function publish(order: Order): Promise<void> {\n"
        "  const value = JSON.stringify(order);\n"
        '  await producer.send({ topic: "order.created", messages: [{ value }] });\n}\n',
    ),
    "csharp": _Setting(
        file="OrderEvents.cs",
        imports="using System.Text.Json;\nusing System.Threading.Tasks;\nusing Confluent.Kafka;",
        after="public class OrderEvents(IProducer<string, string> producer)\n{\n"
        "    public Task Publish(Order order) =>\n        producer.ProduceAsync(\n"
        '            "order.created",\n'
        "            new Message<string, string>\n            {\n"
        "                Value = JsonSerializer.Serialize(order, JsonSerializerOptions.Web),\n"
        "            });\n}\n",
    ),
    "java": _Setting(
        file="OrderEvents.java",
        head="package shop;\n\n",
        imports="import org.springframework.kafka.core.KafkaTemplate;\n"
        "import org.springframework.stereotype.Component;",
        after="@Component\nclass OrderEvents {\n"
        "  private final KafkaTemplate<String, Order> kafka;\n\n"
        "  OrderEvents(KafkaTemplate<String, Order> kafka) {\n    this.kafka = kafka;\n  }\n\n"
        '  void publish(Order order) {\n    kafka.send("order.created", order);\n  }\n}\n',
    ),
}
_MODELS: Mapping[Language, _Setting] = {
    "python": _Setting(file="orders.py"),
    "typescript": _Setting(file="orders.ts"),
    "csharp": _Setting(file="Order.cs"),
    "java": _Setting(file="Order.java", head="package shop;\n\n"),
}


# ------------------------------------------------------------------------------ the contracts


def _openapi(schema: str) -> tuple[str, str]:
    return "openapi.yaml", (
        'openapi: 3.0.3\ninfo: { title: Shop, version: "1" }\npaths:\n  /orders/{id}:\n    get:\n'
        "      parameters:\n"
        "        - { name: id, in: path, required: true, schema: { type: string } }\n"
        '      responses:\n        "200":\n          description: the order\n          content:\n'
        f"            application/json:\n              schema:\n{_indent(schema, 16)}"
    )


def _asyncapi(schema: str) -> tuple[str, str]:
    return "asyncapi.yaml", (
        'asyncapi: 3.0.0\ninfo: { title: Shop, version: "1" }\nchannels:\n  created:\n'
        "    address: order.created\n    messages:\n      OrderCreated:\n        payload:\n"
        f"{_indent(schema, 10)}"
        "operations:\n  created:\n    action: send\n"
        '    channel: { $ref: "#/channels/created" }\n'
    )


def _schema_in_yaml(drift: _Drift) -> str:
    properties = "".join(
        f"  {name}: {{ {', '.join(f'{key}: {_flow(value)}' for key, value in schema.items())} }}\n"
        for name, schema in drift.properties.items()
    )
    names = ", ".join(drift.properties)
    return f"type: object\nrequired: [{names}]\nproperties:\n{properties}"


def _flow(value: object) -> str:
    return f"[{', '.join(value)}]" if isinstance(value, list) else str(value)


def _schema_in_json(drift: _Drift) -> tuple[str, str]:
    properties = ",\n".join(
        f'    "{name}": {json.dumps(schema)}' for name, schema in drift.properties.items()
    )
    required = json.dumps([*drift.properties])
    return "order.schema.json", (
        '{\n  "$schema": "https://json-schema.org/draft/2020-12/schema",\n  "title": "Order",\n'
        f'  "type": "object",\n  "required": {required},\n'
        f'  "properties": {{\n{properties}\n  }}\n}}\n'
    )


def _indent(text: str, columns: int) -> str:
    return "".join(f"{' ' * columns}{line}\n" for line in text.splitlines())


def _schema_program(rule: str, kind: Kind) -> Program:
    drift = _DRIFTS[kind]
    settings = {
        "CONTRACT-001": _ENDPOINTS,
        "CONTRACT-003": _PUBLISHERS,
        "CONTRACT-004": _MODELS,
    }[rule]
    contracts = {
        "CONTRACT-001": lambda: _openapi(_schema_in_yaml(drift)),
        "CONTRACT-003": lambda: _asyncapi(_schema_in_yaml(drift)),
        "CONTRACT-004": lambda: _schema_in_json(drift),
    }
    code = {}
    for language, declared in drift.declarations.items():
        file, text = settings[language].with_declaration(language, declared)
        if "TypedDict" in declared:  # which is no class with methods of its own
            text = text.replace("order.model_dump()", "order")
        code[language] = file, text
    return Program(contract=contracts[rule](), code=code)


# ------------------------------------------------------- what is found of routes and of channels

_ORDERS = (
    'openapi: 3.0.3\ninfo: { title: Shop, version: "1" }\npaths:\n  /orders:\n    get:\n'
    '      responses: { "200": { description: all orders } }\n'
)


def _serving_programs(routes: Mapping[Language, str]) -> dict[Language, tuple[str, str]]:
    """Programs that serve routes, given what stands below the application in each language."""
    heads: Mapping[Language, str] = {
        "python": "from fastapi import FastAPI, Header\n\napp = FastAPI()\n\n\n",
        "typescript": 'import express from "express";\n\nconst app = express();\n\n',
        "csharp": "using Microsoft.AspNetCore.Mvc;\n\n[ApiController]\n"
        "public class OrdersController : ControllerBase\n{\n",
        "java": "package shop;\n\nimport org.springframework.http.*;\n"
        "import org.springframework.web.bind.annotation.*;\n\n"
        "@RestController\nclass OrderController {\n",
    }
    ends: Mapping[Language, str] = {"python": "", "typescript": "", "csharp": "}\n", "java": "}\n"}
    found = {}
    for language, text in routes.items():
        head = heads[language] if "Header" in text else heads[language].replace(", Header", "")
        if "HttpStatus" not in text:
            head = head.replace("import org.springframework.http.*;\n", "")
        found[language] = _ENDPOINTS[language].file, f"{head}{text}{ends[language]}"
    return found


_LIST_ORDERS: Mapping[Language, str] = {
    "python": '@app.get("/orders")\ndef orders(): ...\n',
    "typescript": 'app.get("/orders", (req, res) => res.end());\n',
    "csharp": '    [HttpGet("orders")]\n    public IActionResult Orders() => Ok();\n',
    "java": '  @GetMapping("/orders")\n  void orders() {}\n',
}


def _and_orders(routes: Mapping[Language, str]) -> dict[Language, tuple[str, str]]:
    """Programs that list orders, and have a further route."""
    gap: Mapping[Language, str] = {"python": "\n\n", "typescript": "", "csharp": "\n", "java": "\n"}
    return _serving_programs(
        {each: _LIST_ORDERS[each] + gap[each] + text for each, text in routes.items()}
    )


_OF_ROUTES: Mapping[str, Program] = {
    "CONTRACT-001/status": Program(
        contract=(
            "openapi.yaml",
            'openapi: 3.0.3\ninfo: { title: Shop, version: "1" }\npaths:\n  /orders/{id}:\n'
            "    delete:\n      parameters:\n"
            "        - { name: id, in: path, required: true, schema: { type: string } }\n"
            '      responses: { "204": { description: the order is gone } }\n',
        ),
        code=_serving_programs(
            {
                "python": '@app.delete("/orders/{order_id}", status_code=202)\n'
                "def delete(order_id: str) -> None: ...§error\n",
                "typescript": 'app.delete("/orders/:id", (req, res) => {\n'
                "  res.status(202).end();§error\n});\n",
                "csharp": '    [HttpDelete("orders/{id}")]\n'
                "    public IActionResult Delete(string id) => StatusCode(202);§error\n",
                "java": '  @DeleteMapping("/orders/{id}")\n'
                "  ResponseEntity<Void> delete(@PathVariable String id) {\n"
                "    return ResponseEntity.status(HttpStatus.ACCEPTED).build();§error\n  }\n",
            }
        ),
    ),
    "CONTRACT-001/parameter": Program(
        contract=(
            "openapi.yaml",
            'openapi: 3.0.3\ninfo: { title: Shop, version: "1" }\npaths:\n  /orders:\n'
            "    get:\n      parameters:\n"
            "        - { name: limit, in: query, schema: { type: integer } }\n"
            '      responses: { "200": { description: all orders } }\n',
        ),
        code=_serving_programs(
            {
                "python": '@app.get("/orders")\ndef orders(limit: int):§error\n'
                "    return find(limit)\n",
                "csharp": '    [HttpGet("orders")]\n'
                "    public IActionResult Orders([FromQuery, BindRequired] int limit) =>§error\n"
                "        Ok(orders.Find(limit));\n",
                "java": '  @GetMapping("/orders")\n'
                "  void orders(@RequestParam int limit) {}§error\n",
            }
        )
        | {
            "typescript": (
                "orders.controller.ts",
                'import { Controller, Get, ParseIntPipe, Query } from "@nestjs/common";\n\n'
                '@Controller("orders")\nexport class OrdersController {\n  @Get()\n'
                '  orders(@Query("limit", ParseIntPipe) limit: number): void {}§error\n}\n',
            ),
        },
    ),
    "CONTRACT-002/missing-endpoint": Program(
        contract=(
            "openapi.yaml",
            f"{_ORDERS}  /customers:\n    get:§error\n"
            '      responses: { "200": { description: all customers } }\n',
        ),
        code=_serving_programs(_LIST_ORDERS),
    ),
    "CONTRACT-002/undocumented-endpoint": Program(
        contract=("openapi.yaml", _ORDERS),
        code=_and_orders(
            {
                "python": '@app.get("/orders/debug")§warning\ndef debug(): ...\n',
                "typescript": 'app.get("/orders/debug", (req, res) => res.end());§warning\n',
                "csharp": '    [HttpGet("orders/debug")]\n'
                "    public IActionResult Debug() => Ok();§warning\n",
                "java": '  @GetMapping("/orders/debug")\n  void debug() {}§warning\n',
            }
        ),
    ),
    "CONTRACT-002/method": Program(
        contract=(
            "openapi.yaml",
            f"{_ORDERS}  /orders/{{id}}/cancel:\n    post:§error\n      parameters:\n"
            "        - { name: id, in: path, required: true, schema: { type: string } }\n"
            '      responses: { "200": { description: the cancelled order } }\n',
        ),
        code=_and_orders(
            {
                "python": '@app.put("/orders/{order_id}/cancel")§warning:undocumented-endpoint\n'
                "def cancel(order_id: str): ...\n",
                "typescript": 'app.put("/orders/:id/cancel", (req, res) => res.end());'
                "§warning:undocumented-endpoint\n",
                "csharp": '    [HttpPut("orders/{id}/cancel")]\n'
                "    public IActionResult Cancel(string id) => Ok();"
                "§warning:undocumented-endpoint\n",
                "java": '  @PutMapping("/orders/{id}/cancel")\n'
                "  void cancel(@PathVariable String id) {}§warning:undocumented-endpoint\n",
            }
        ),
    ),
    "CONTRACT-002/base-path": Program(
        contract=(
            "openapi.yaml",
            _ORDERS.replace("paths:", "servers: [{ url: https://shop.example/api }]\npaths:"),
        ),
        code=_serving_programs(
            {
                "python": '@app.get("/orders")§warning\ndef orders(): ...\n',
                "typescript": 'app.get("/orders", (req, res) => res.end());§warning\n',
                "csharp": '    [HttpGet("orders")]\n'
                "    public IActionResult Orders() => Ok();§warning\n",
                "java": '  @GetMapping("/orders")\n  void orders() {}§warning\n',
            }
        ),
    ),
    "CONTRACT-002/other-application": Program(
        contract=(
            "openapi.yaml",
            f"{_ORDERS}  /customers:\n    get:\n"
            '      responses: { "200": { description: all customers } }\n',
        ),
        code={
            "python": (
                "app.py",
                "from fastapi import FastAPI\n\napp = FastAPI()\n"
                "mock = FastAPI()§note\n\n\n"
                '@app.get("/orders")\ndef orders(): ...\n\n\n'
                '@app.get("/customers")\ndef customers(): ...\n\n\n'
                '@mock.get("/orders")\ndef mocked_orders(): ...\n\n\n'
                '@mock.post("/reset")\ndef reset(): ...\n',
            ),
        },
    ),
}


_ORDER = _Drift(
    properties={"id": _ID},
    declarations={
        "python": "class Order(BaseModel):\n    id: str\n",
        "typescript": "export interface Order {\n  id: string;\n}\n",
        "csharp": "public record Order(string Id);\n",
        "java": "record Order(String id) {}\n",
    },
)


def _misnamed_channel(kind: Kind) -> Program:
    """Publishers to another address than the contract has: what is promised is missing, and what is
    there is undocumented. The page of one names the other."""
    marks = {"missing-channel": "error", "undocumented-channel": "warning"}
    marks |= {each: f"{marks[each]}:{each}" for each in marks if each != kind}
    name, contract = _asyncapi(_schema_in_yaml(_ORDER))
    contract = contract.replace("  created:\n", f"  created:§{marks['missing-channel']}\n", 1)
    code = {}
    for language, declared in _ORDER.declarations.items():
        file, text = _PUBLISHERS[language].with_declaration(language, declared)
        lines = text.replace('"order.created"', '"order.made"').split("\n")
        sending = ("producer.send(", "ProduceAsync(", "kafka.send(")
        code[language] = (
            file,
            "\n".join(
                f"{line}§{marks['undocumented-channel']}"
                if any(call in line for call in sending)
                else line
                for line in lines
            ),
        )
    return Program(contract=(name, contract), code=code)


def _marked_at_start(contract: tuple[str, str]) -> tuple[str, str]:
    name, text = contract
    return name, text.replace("\n", "§error\n", 1)


_OF_MODELS = Program(
    contract=_marked_at_start(_schema_in_json(_ORDER)),
    configuration='required-models = ["Order"]\n',
    code={
        "python": (
            "orders.py",
            "from pydantic import BaseModel\n\n\nclass Basket(BaseModel):\n    id: str\n",
        ),
        "typescript": ("orders.ts", "export interface Basket {\n  id: string;\n}\n"),
        "csharp": ("Basket.cs", "public record Basket(string Id);\n"),
        "java": ("Basket.java", "package shop;\n\nrecord Basket(String id) {}\n"),
    },
)


def program_of(name: str) -> Program | None:
    """The program of a kind (`CONTRACT-001/missing-field`); None where none shows it, as of what
    is wrong with exceptions."""
    rule, kind = rule_and_kind(name)
    match kind:
        case "missing-channel" | "undocumented-channel":
            return _misnamed_channel(kind)
        case "missing-model":
            return _OF_MODELS
        case _ if kind in _DRIFTS:
            return _schema_program(rule, kind)
        case _:
            return _OF_ROUTES.get(name)
