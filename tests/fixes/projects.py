"""Small projects in four languages that break one promise of one contract."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

SCHEMA: dict[str, Any] = {
    "type": "object",
    "required": ["id", "unitPrice"],
    "properties": {"id": {"type": "string"}, "unitPrice": {"type": "number"}},
}


def contract(schema: Any = SCHEMA, status: str = "200", method: str = "get") -> dict[str, Any]:
    """One operation that answers with a schema."""
    content = {"application/json": {"schema": {"$ref": "#/components/schemas/Order"}}}
    answer = {"description": "the order", "content": content}
    parameter = {"name": "id", "in": "path", "required": True, "schema": {"type": "string"}}
    return {
        "openapi": "3.1.0",
        "info": {"title": "Shop", "version": "1"},
        "paths": {
            "/orders/{id}": {method: {"parameters": [parameter], "responses": {status: answer}}}
        },
        "components": {"schemas": {"Order": schema}},
    }


def with_query(document: dict[str, Any], name: str) -> dict[str, Any]:
    """The same contract, with a query parameter that may be left out."""
    (operations,) = document["paths"].values()
    parameter = {"name": name, "in": "query", "schema": {"type": "integer"}}
    for operation in operations.values():
        operation["parameters"].append(parameter)
    return document


def request_contract(schema: Any) -> dict[str, Any]:
    """One operation that takes a schema."""
    content = {"application/json": {"schema": schema}}
    return {
        "openapi": "3.1.0",
        "info": {"title": "Shop", "version": "1"},
        "paths": {
            "/orders": {
                "post": {
                    "requestBody": {"required": True, "content": content},
                    "responses": {"204": {"description": "taken"}},
                }
            }
        },
    }


NAMES = {"python": "app.py", "typescript": "app.ts", "csharp": "App.cs", "java": "App.java"}


def python(fields: str, *, imports: str = "", decorator: str = '"/orders/{id}"') -> str:
    return f"""\
from fastapi import FastAPI
from pydantic import BaseModel, ConfigDict, Field
{imports}
app = FastAPI()


class Order(BaseModel):
{fields}

@app.get({decorator})
def get_order(id: str) -> Order:
    return load(id)
"""


def typescript(fields: str, *, decorators: str = '@Get(":id")') -> str:
    return f"""\
import {{ Controller, Get, Param }} from "@nestjs/common";
import {{ Expose }} from "class-transformer";

export class Order {{
{fields}
}}

@Controller("orders")
export class OrdersController {{
  {decorators}
  find(@Param("id") id: string): Promise<Order> {{
    return this.orders.find(id);
  }}
}}
"""


def csharp(members: str, *, head: str = "") -> str:
    return f"""\
#nullable enable
using Microsoft.AspNetCore.Mvc;
{head}
namespace Shop;

public sealed class Order
{{
{members}
}}

[ApiController]
[Route("orders")]
public class OrdersController : ControllerBase
{{
    [HttpGet("{{id}}")]
    public ActionResult<Order> Get(string id) => _orders.Find(id);
}}
"""


def java(components: str, *, extra: str = "", mapping: str = '@GetMapping("/{id}")') -> str:
    return f"""\
package shop;

import com.fasterxml.jackson.annotation.JsonProperty;
import org.springframework.web.bind.annotation.*;

record Order({components}) {{}}
{extra}
@RestController
@RequestMapping("/orders")
class OrderController {{
    {mapping}
    public Order find(@PathVariable String id) {{
        return store.find(id);
    }}
}}
"""


def write(folder: Path, name: str, source: str, contract_: Any = None) -> Path:
    """Write a project; its source file."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / ".git").mkdir(exist_ok=True)
    text = json.dumps(contract() if contract_ is None else contract_, indent=2)
    (folder / "openapi.json").write_text(text, encoding="utf-8")
    file = folder / name
    file.write_bytes(source.encode())
    return file
