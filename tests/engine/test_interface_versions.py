"""Contracts and handlers of several versions of one interface, which share paths."""

from __future__ import annotations

import json
from pathlib import Path
from textwrap import dedent

from contract_scan.api import scan
from contract_scan.scanners.report import Report


def document(version: str, server: str, type: str, *paths: str) -> str:
    body = {"type": "object", "required": ["count"], "properties": {"count": {"type": type}}}
    content = {"application/json": {"schema": body}}
    picked = {"name": "api-version", "in": "query", "schema": {"type": "string"}}
    answer = {"responses": {"200": {"description": "", "content": content}}}
    answers = {"get": {**answer, **({} if server else {"parameters": [picked]})}}
    return json.dumps(
        {
            "openapi": "3.0.3",
            "info": {"title": "Shop", "version": version},
            "servers": [{"url": server}] if server else [],
            "paths": dict.fromkeys(paths, answers),
        }
    )


def report_of(root: Path, files: dict[str, str]) -> Report:
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(dedent(text))
    return scan(root, cache=False)


def shown(report: Report) -> list[tuple[str, str]]:
    return [
        (f.kind, f.contract.path if f.contract is not None else f.origin.path)
        for f in report.findings
    ]


def test_handlers_that_a_header_picks_are_held_against_the_contract_of_their_version(
    tmp_path: Path,
) -> None:
    program = """
        var app = WebApplication.CreateBuilder(args).Build();
        var api = app.NewVersionedApi("Shop");
        var both = api.MapGroup("api").HasApiVersion(1, 0).HasApiVersion(2, 0);
        var v1 = api.MapGroup("api").HasApiVersion(1, 0);
        var v2 = api.MapGroup("api").HasApiVersion(2, 0);
        v1.MapGet("/orders", () => new Words(""));
        v2.MapGet("/orders", () => new Tally(1));
        v1.MapGet("/shelves", () => new Tally(1));
        v2.MapGet("/shelves", () => new Tally(1));
        v1.MapGet("/rooms", () => new Tally(1));
        v2.MapGet("/stock", () => new Tally(1));
        both.MapGet("/info", () => new Tally(1));
        app.Run();
        record Tally(int Count);
        record Words(string Count);
        """
    paths = ("/api/orders", "/api/shelves", "/api/info")
    found = report_of(
        tmp_path,
        {
            "Shop.csproj": '<Project Sdk="Microsoft.NET.Sdk.Web"></Project>',
            "Program.cs": program,
            "Shop.json": document("1.0", "", "integer", *paths, "/api/rooms"),
            "Shop_v2.json": document("2.0", "", "integer", *paths, "/api/stock"),
        },
    )
    assert shown(found) == [("type", "Shop.json")]
    assert found.summary.operations.verified == 7


def controller(package: str, prefix: str, type: str) -> str:
    return f"""
        package shop.api.{package};
        import org.springframework.web.bind.annotation.*;
        @RestController
        @RequestMapping("{prefix}")
        public class Orders {{
          public static class Counted {{ public {type} count; }}
          @GetMapping("/orders") public Counted all() {{ return new Counted(); }}
          @GetMapping("/orders/{{id}}") public Counted one(@PathVariable String id) {{
            return new Counted();
          }}
        }}
        """


def test_a_gateway_takes_off_what_stands_before_the_version(tmp_path: Path) -> None:
    paths = ("/orders", "/orders/{id}")
    source = "src/main/java/shop/api"
    found = report_of(
        tmp_path,
        {
            "pom.xml": "<project></project>",
            f"{source}/v1/Orders.java": controller("v1", "", "int"),
            f"{source}/v3/Orders.java": controller("v3", "/v3", "boolean"),
            "contracts/v1.json": document("1", "https://x/gate/shop/v1", "integer", *paths),
            "contracts/v2.json": document("2", "https://x/gate/shop/v2", "string", *paths),
            "contracts/v3.json": document("3", "https://x/gate/shop/v3", "boolean", *paths),
            "contracts/v4.json": document("4", "https://x/gate/others/v4", "string", *paths),
        },
    )
    assert [f for f in found.findings if f.severity == "error"] == []
    assert found.summary.operations.verified == 4
    assert {u.reason for u in found.undetermined} == {
        "the route keeps to `contracts/v1.json`, which describes this path in another version:"
        " which of the two it is meant for is undetermined",
        "`GET /orders` stands in a folder of version 1",
        "`GET /orders/{id}` stands in a folder of version 1",
    }
