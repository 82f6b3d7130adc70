"""Carter: modules, base paths, answers written by hand."""

from __future__ import annotations

from pathlib import Path

from tests.parsers.source.csharp.project import CSPROJ, Project

DTOS = """
    namespace App;
    public record Order(int Id, string? Note);
"""
ORDER = "{id: integer(int32), note: string|null}"
ORDER_WITH_NULL = ORDER.replace("string|null", "nothing|null")


def project(folder: Path, source: str, start: str = "app.MapCarter();") -> Project:
    files = {
        "App.csproj": CSPROJ,
        "Dtos.cs": DTOS,
        "Modules.cs": "using Carter;\nnamespace App;\n" + source,
        "Program.cs": f"var app = WebApplication.CreateBuilder(args).Build();\n{start}",
    }
    return Project(folder, files)


MODULES = """
    public class Plain : ICarterModule
    {
        const string Base = "/plain";
        public void AddRoutes(IEndpointRouteBuilder app)
        {
            app.MapGet(Base, () => new Order(1, null));
            var group = app.MapGroup($"{Base}/group");
            group.MapPost<Order>("/", (Order order) => Results.Created("/x", order));
        }
    }
    public class Based : CarterModule
    {
        public Based() : base("/based") { WithTags("x"); }
        public override void AddRoutes(IEndpointRouteBuilder app) { app.MapGet("/{id:int}", Get); }
        static Order Get(int id) => new(id, null);
    }
    public class Primary(ISender sender) : CarterModule("primary")
    { public override void AddRoutes(IEndpointRouteBuilder app) => app.MapPut("x", () => 1); }
    public class Bare : CarterModule
    { public override void AddRoutes(IEndpointRouteBuilder app) => app.MapPut("bare", () => 1); }
    public class Split : ICarterModule
    { public void AddRoutes(IEndpointRouteBuilder app) => app.MapMore(); }
    public static class More
    {
        public static void MapMore(this IEndpointRouteBuilder app) =>
            app.MapDelete("/more", () => Results.NoContent());
    }
"""


def test_routes_of_modules(tmp_path: Path) -> None:
    found = project(tmp_path, MODULES)
    assert found.routes() == [
        "DELETE /more",
        "GET /based/{id}",
        "GET /plain",
        "POST /plain/group",
        "PUT /bare",
        "PUT /primary/x",
    ]
    named = {o.path: o.framework for o in found.code.operations}
    assert {path for path, name in named.items() if name != "Carter"} == {"/more"}
    assert found.responses("GET /based/{id}") == [f"(200) {ORDER_WITH_NULL}"]
    assert found.responses("POST /plain/group") == [f"201 {ORDER}"]


def test_modules_in_a_group(tmp_path: Path) -> None:
    found = project(tmp_path, MODULES, 'app.MapGroup("/api").MapCarter();')
    assert found.routes() == [
        "DELETE /api/more",
        "GET /api/based/{id}",
        "GET /api/plain",
        "POST /api/plain/group",
        "PUT /api/bare",
        "PUT /api/primary/x",
    ]


def test_base_paths_that_are_undetermined(tmp_path: Path) -> None:
    found = project(
        tmp_path,
        """
        public class Odd() : CarterModule(Environment.NewLine)
        { public override void AddRoutes(IEndpointRouteBuilder app) => app.MapPut("x", () => 1); }
        """,
    )
    assert found.routes() == ["PUT /{computed}/x ?the base path of its module is not constant"]


def test_answers_written_by_hand(tmp_path: Path) -> None:
    found = project(
        tmp_path,
        """
        public class Hand : ICarterModule
        {
            public void AddRoutes(IEndpointRouteBuilder app)
            {
                app.MapPost("/a", async (HttpContext ctx, Order order) =>
                {
                    var result = ctx.Request.Validate(order);
                    if (!result.IsValid)
                    {
                        ctx.Response.StatusCode = 422;
                        await ctx.Response.Negotiate(new { Errors = 1 });
                        return;
                    }
                    ctx.Response.StatusCode = 201;
                    await ctx.Response.Negotiate(order);
                });
                app.MapGet("/b", (HttpResponse res) =>
                {
                    if (none) { res.StatusCode = 404; return Task.CompletedTask; }
                    return res.AsJson(new Order(1, null));
                });
                app.MapGet("/c", (HttpResponse res) => res.WriteAsync("x"));
                app.MapGet("/d", async (HttpResponse res) => { await Write(res); });
                app.MapGet("/e", async (HttpResponse res) =>
                { res.StatusCode = flag; await res.Negotiate(1); });
            }
        }
        """,
    )
    assert found.responses("POST /a") == [f"201 {ORDER}", "422 {errors!: 1}"]
    assert found.responses("GET /b") == [f"(200) {ORDER_WITH_NULL}", "404"]
    assert found.responses("GET /c") == ["(200) text/plain string"]
    assert found.responses("GET /d") == ["…"]
    assert found.responses("GET /e") == ["…"]
