"""Results whose value may be null: minimal APIs send no body then, and keep the status; controllers
send none either, with 204 in the place of 200."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.parsers.source.csharp.project import CSPROJ, Project

TYPES = """
public class Db : DbContext { public DbSet<Order> Orders { get; set; } = null!; }
public class Order { public int Id { get; set; } }
"""
ORDER = "{id: integer(int32)}"


def answers(folder: Path, code: str) -> list[str]:
    """What a route answers, `or nothing` behind what is sent with and without a body."""
    files = {"App.csproj": CSPROJ, "Program.cs": f"{code}\n{TYPES}"}
    project = Project(folder, files)
    shown = project.responses("GET /o")
    responses = project.operation("GET /o").responses
    return [
        text + (" or nothing" if response.empty_at is not None else "")
        for text, response in zip(shown, responses, strict=True)
    ]


@pytest.mark.parametrize(
    ("handler", "expected"),
    [
        ("Results.Ok(db.Orders.FirstOrDefault())", [f"200 {ORDER} or nothing"]),
        ("TypedResults.Ok(db.Orders.FirstOrDefault())", [f"200 {ORDER} or nothing"]),
        ("Results.Json(db.Orders.FirstOrDefault())", [f"200 {ORDER} or nothing"]),
        ('Results.Created("/o", db.Orders.FirstOrDefault())', [f"201 {ORDER} or nothing"]),
        ("Results.Ok(db.Orders.First())", [f"200 {ORDER}"]),
        ("db.Orders.FirstOrDefault()", [f"(200) {ORDER}|null"]),
        (
            "{ var o = db.Orders.FirstOrDefault(); return Results.Ok(o); }",
            [f"200 {ORDER} or nothing"],
        ),
        (
            "{ var o = db.Orders.FirstOrDefault();"
            " return o is null ? Results.NotFound() : Results.Ok(o); }",
            [f"200 {ORDER}", "404"],
        ),
        (
            "{ var o = db.Orders.FirstOrDefault(); if (o == null) return Results.NotFound();"
            " return Results.Ok(o); }",
            [f"200 {ORDER}", "404"],
        ),
        (
            "{ if (db.Orders.Any()) return Results.Ok(); return Results.Ok(db.Orders.First()); }",
            [f"200 {ORDER} or nothing"],
        ),
    ],
)
def test_minimal_apis(tmp_path: Path, handler: str, expected: list[str]) -> None:
    code = f"""
    var app = WebApplication.CreateBuilder(args).Build();
    app.MapGet("/o", (Db db) => {handler});
    app.Run();
    """
    assert answers(tmp_path, code) == expected


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("return Ok(db.Orders.FirstOrDefault());", [f"200 {ORDER}", "204"]),
        ("return Ok(db.Orders.First());", [f"200 {ORDER}"]),
        ('return Created("/o", db.Orders.FirstOrDefault());', [f"201 {ORDER} or nothing"]),
        ("return Json(db.Orders.FirstOrDefault());", [f"200 {ORDER}|null"]),
    ],
)
def test_controllers(tmp_path: Path, body: str, expected: list[str]) -> None:
    code = f"""
    namespace Shop;
    [Route("o")]
    public class OrdersController(Db db) : Controller
    {{ [HttpGet] public IActionResult Get() {{ {body} }} }}
    """
    assert answers(tmp_path, code) == expected
