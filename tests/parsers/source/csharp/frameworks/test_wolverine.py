"""Wolverine's HTTP endpoints."""

from __future__ import annotations

from pathlib import Path

from tests.parsers.source.csharp.project import CSPROJ, Project

TYPES = """
    using Wolverine.Http;
    namespace Shop.Models;
    public record Order(int Id, string? Note);
    public record CreateOrder(string Sku);
    public record OrderCreated(int Id);
    public record Created(int Id) : CreationResponse("/orders/" + Id);
"""
ORDER = "{id: integer(int32), note: string|null}"


def project(folder: Path, endpoints: str, program: str = "", namespace: str = "Shop") -> Project:
    files = {
        "App.csproj": CSPROJ,
        "Types.cs": TYPES,
        "Endpoints.cs": (
            f"using Wolverine.Http;\nusing Shop.Models;\nnamespace {namespace};\n{endpoints}"
        ),
        "Program.cs": program,
    }
    return Project(folder, files)


def test_routes_and_answers(tmp_path: Path) -> None:
    found = project(
        tmp_path,
        """
        public static class OrderEndpoints
        {
            [WolverineGet("/orders/{id}")]
            public static Task<Order?> Get(int id, IQuerySession session) => null!;
            [WolverineGet("/orders")]
            public static List<Order> All(string? note, int page, DateTime now) => [];
            [WolverinePost("/orders", OperationId = "create")]
            public static (Created, OrderCreated) Post(CreateOrder command, Order loaded)
                => default;
            [WolverinePost("/later")] public static AcceptResponse Later(CreateOrder c) => null!;
            [WolverinePut("/orders/{id}"), EmptyResponse]
            public static OrderCreated Put(int id, CreateOrder command) => null!;
            [WolverineDelete("/orders/{id}")] public static void Delete(int id) { }
            [WolverinePatch("/orders/{id}")]
            public static IResult Patch(int id, [NotBody] Order order) => Results.NoContent();
            [WolverineGet("/text")] public static string Text() => "";
        }
        """,
    )
    assert found.routes() == [
        "DELETE /orders/{id}",
        "GET /orders",
        "GET /orders/{id}",
        "GET /text",
        "PATCH /orders/{id}",
        "POST /later",
        "POST /orders",
        "PUT /orders/{id}",
    ]
    assert found.parameters("GET /orders") == [
        "query note?: string|null",
        "query page?: integer(int32)",
    ]
    assert found.responses("GET /orders") == [f"(200) [{ORDER}]"]
    assert found.responses("GET /orders/{id}") == [f"(200) {ORDER}"]
    assert found.request("POST /orders") == ["{sku?: string~}!"]
    assert found.operation("POST /orders").operation_id == "create"
    assert found.responses("POST /orders") == ["201 {id: integer(int32), url: string}"]
    assert found.responses("POST /later") == ["202 {url: string}"]
    assert found.responses("PUT /orders/{id}") == ["(204)"]
    assert found.responses("DELETE /orders/{id}") == ["(204)"]
    assert found.responses("PATCH /orders/{id}") == ["204"]
    assert found.request("PATCH /orders/{id}") == []
    assert found.responses("GET /text") == ["(200) text/plain string"]


def test_prefixes(tmp_path: Path) -> None:
    program = """
        app.MapWolverineEndpoints(opts =>
        {
            opts.RoutePrefix("api");
            opts.RoutePrefix("shop", forEndpointsInNamespace: "Shop.Inner");
        });
    """
    endpoints = """
        [RoutePrefix("own")]
        public class A { [WolverineGet("/a")] public string Get() => ""; }
        public class B { [WolverineGet("/b")] public string Get() => ""; }
    """
    outer = project(tmp_path / "outer", endpoints, program)
    assert outer.routes() == ["GET /api/b", "GET /own/a"]
    inner = project(tmp_path / "inner", endpoints, program, "Shop.Inner")
    assert inner.routes() == ["GET /own/a", "GET /shop/b"]


def test_what_is_undetermined(tmp_path: Path) -> None:
    found = project(
        tmp_path,
        """
        public static class Endpoint
        {
            public static Task<Order?> LoadAsync(int id, IQuerySession session) => null!;
            [WolverinePost("/a")]
            public static (IStartStream, OrderCreated) A(CreateOrder c) => default;
            [WolverinePost("/b")] public static int B(CreateOrder c) => 200;
            [WolverineGet(Route)] public static string C() => "";
        }
        """,
    )
    assert found.routes() == ["GET / ?its path is not constant", "POST /a", "POST /b"]
    assert found.responses("POST /a") == ["…"]
    assert found.responses("POST /b") == ["…"]
    assert found.parameters("POST /a") == ["…"]
