"""Minimal APIs: groups, endpoint modules, handlers, what is announced."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.parsers.source.csharp.project import CSPROJ, Project

DTOS = """
    namespace App;
    public record Order(int Id, string? Note);
    public class CreateOrder { public required string Sku { get; set; } }
    public class OrderService
    {
        public Task<Order?> Find(int id) => null!;
        public Task<List<Order>> All() => null!;
    }
"""
ORDER = "{id: integer(int32), note: string|null}"
ORDER_WITH_NULL = ORDER.replace("string|null", "nothing|null")


def project(folder: Path, program: str, **others: str) -> Project:
    files = {"App.csproj": CSPROJ, "Dtos.cs": DTOS, "Program.cs": "using App;\n" + program}
    files |= {f"{name}.cs": text for name, text in others.items()}
    return Project(folder, files)


def test_routes_and_groups(tmp_path: Path) -> None:
    found = project(
        tmp_path,
        """
        var builder = WebApplication.CreateBuilder(args);
        var app = builder.Build();
        app.MapGet("/health", () => "ok").ExcludeFromDescription();
        var api = app.MapGroup(Routes.Base).WithTags("x").RequireAuthorization();
        var orders = api.MapGroup($"/{Routes.Orders}");
        orders.MapGet("", () => 1);
        orders.MapGet("/{id:int?}", (int? id) => 1);
        orders.MapMethods("/many", new[] { "PUT", "patch" }, Handlers.Many);
        app.MapGroup("/a").MapGroup("b").MapDelete("c/{*rest}", (string rest) => { });
        app.MapPost(pattern: "/named", handler: () => 1);
        app.Map("/any", (HttpContext context) => { });
        app.Map("/branch", branch => branch.UseX());
        app.MapGet(builder.Configuration["x"], () => 1);
        mapper.Map(a, b);
        static class Routes { public const string Base = "/api/v1", Orders = "orders"; }
        static class Handlers { public static int Many() => 1; }
        """,
    )
    assert found.routes() == [
        "* /any",
        "DELETE /a/b/c/{rest*}",
        "GET / ?its path is not constant",
        "GET /api/v1/orders",
        "GET /api/v1/orders/{id}",
        "GET /health hidden",
        "PATCH /api/v1/orders/many",
        "POST /named",
        "PUT /api/v1/orders/many",
    ]
    assert found.operation("PUT /api/v1/orders/many").handler == "Handlers.Many"


def test_prefixes_of_endpoint_modules(tmp_path: Path) -> None:
    modules = """
        namespace App;
        public static class Orders
        {
            public static IEndpointRouteBuilder MapOrders(this IEndpointRouteBuilder routes)
            {
                var group = routes.MapGroup("/orders");
                group.MapGet("", List);
                return routes;
            }
            static int List() => 1;
        }
        public class Users
        {
            public void Register(IEndpointRouteBuilder app, string unused)
            { app.MapGet("users", () => 1); }
        }
        public static class Twice
        { public static void Add(RouteGroupBuilder group) => group.MapGet("/x", () => 1); }
        public static class Unused
        { public static void Map(WebApplication app) => app.MapGet("/unused", () => 1); }
        public static class Groups
        { public static RouteGroupBuilder V2(this WebApplication app) => app.MapGroup("/v2"); }
    """
    found = project(
        tmp_path,
        """
        var app = WebApplication.CreateBuilder(args).Build();
        app.MapGroup("/api").MapOrders();
        new Users().Register(app.MapGroup("/admin"), "x");
        Twice.Add(app.MapGroup("/one"));
        Twice.Add(app.MapGroup("/two"));
        app.V2().MapGet("/y", () => 1);
        """,
        Modules=modules,
    )
    assert found.routes() == [
        "GET /admin/users",
        "GET /api/orders",
        "GET /one/x",
        "GET /two/x",
        "GET /unused",
        "GET /v2/y",
    ]


def test_long_chains_of_endpoint_modules(tmp_path: Path) -> None:
    count = 20
    modules = "\n".join(
        f"""
        public static IEndpointRouteBuilder Add{n}Routes(this IEndpointRouteBuilder app)
        {{
            app.MapGet("/r{n}", () => 1);
            return app;
        }}"""
        for n in range(count)
    )
    chain = "".join(f".Add{n}Routes()" for n in range(count))
    found = project(
        tmp_path,
        f"""
        var app = WebApplication.Create();
        var api = app.MapGroup("/api");
        api{chain};
        """,
        Modules=f"namespace App; public static class Modules {{ {modules} }}",
    )
    assert found.routes() == sorted(f"GET /api/r{n}" for n in range(count))


def test_the_version_of_the_api_is_a_parameter_where_the_path_does_not_hold_it(
    tmp_path: Path,
) -> None:
    found = project(
        tmp_path,
        """
        var app = WebApplication.Create();
        var api = app.NewVersionedApi("Orders");
        api.MapGroup("api").HasApiVersion(1, 0).MapGet("/a", () => 1);
        api.MapGroup("v{version:apiVersion}").HasApiVersion(1, 0).MapGet("/b", () => 1);
        app.MapGet("/c", () => 1);
        """,
    )
    named = {
        o.path: [p.name for p in o.parameters if p.location == "query"]
        for o in found.code.operations
        if not o.excluded_from_docs
    }
    assert named == {"/api/a": ["api-version"], "/v1/b": [], "/c": []}


def test_routes_of_start_up_classes(tmp_path: Path) -> None:
    startup = """
        public class Startup
        {
            public void Configure(IApplicationBuilder app)
            {
                app.UseEndpoints(endpoints =>
                {
                    endpoints.MapGet("/a", async context => { await context.Response.X(); });
                    endpoints.MapControllers();
                });
            }
        }
    """
    found = project(tmp_path, "", Startup=startup)
    assert found.routes() == ["GET /a"]
    assert found.responses("GET /a") == ["…"]


HANDLERS = """
    var app = WebApplication.CreateBuilder(args).Build();
    builder.Services.AddScoped<OrderService>();
    app.MapGet("/value", async (OrderService s) => await s.All());
    app.MapGet("/null", async (OrderService s) => await s.Find(1));
    app.MapGet("/text", () => "hi");
    app.MapGet("/nothing", () => { });
    app.MapGet("/typed", async Task<Results<Ok<Order>, NotFound<string>>> (OrderService s) =>
        await s.Find(1) is { } o ? TypedResults.Ok(o) : TypedResults.NotFound("no"));
    app.MapGet("/results", async (OrderService s) =>
    {
        var order = await s.Find(1);
        if (order is null) return Results.NotFound(new { Error = "gone" });
        return Results.Ok(order);
    });
    app.MapGet("/json", () => Results.Json(new { A = 1 }, statusCode: 202));
    app.MapGet("/created", (OrderService s) => TypedResults.Created($"/x/{1}", new Order(1, null)));
    app.MapGet("/unknown", () => Library.Answer());
    app.MapGet("/announced", () => Library.Answer())
        .WithName("Announced").Produces<Order>(201).Produces(404).ProducesProblem(500);
    app.MapGet("/group", Named);
    app.MapGet("/redirected", Task<Results<Ok<Order>, RedirectToRouteHttpResult>> (Library l) =>
        l.Answer());
    app.MapGet("/failing", Task<Results<Ok<Order>, ProblemHttpResult>> (Library l) => l.Answer());
    app.MapGet("/switch", (int x) => x switch { 1 => Results.Ok(1), _ => Results.Conflict() });
    async Task<Ok<List<Order>>> Named(OrderService s) => TypedResults.Ok(await s.All());
"""


@pytest.mark.parametrize(
    ("route", "expected"),
    [
        ("value", [f"(200) [{ORDER}]"]),
        ("null", [f"(200) {ORDER}|null"]),
        ("text", ["(200) text/plain 'hi'"]),
        ("nothing", ["(200)"]),
        ("typed", [f"200 {ORDER}", "404 string"]),
        ("results", [f"200 {ORDER}", "404 {error!: 'gone'}"]),
        ("json", ["202 {a!: 1}"]),
        ("created", [f"201 {ORDER_WITH_NULL}"]),
        ("unknown", ["…"]),
        ("group", [f"200 [{ORDER}]"]),
        ("redirected", [f"200 {ORDER}", "302"]),
        ("failing", [f"200 {ORDER}"]),
        ("switch", ["200 1", "409"]),
    ],
)
def test_answers(tmp_path: Path, route: str, expected: list[str]) -> None:
    assert project(tmp_path, HANDLERS).responses(f"GET /{route}") == expected


def test_what_is_announced_fills_in_what_is_not_seen(tmp_path: Path) -> None:
    found = project(tmp_path, HANDLERS)
    responses = found.operation("GET /announced").responses
    assert [r.status for r in responses] == ["201", "404", "500"]
    assert found.operation("GET /announced").operation_id == "Announced"


def test_what_a_handler_reads(tmp_path: Path) -> None:
    found = project(
        tmp_path,
        """
        var app = WebApplication.CreateBuilder(args).Build();
        builder.Services.AddScoped<OrderService>();
        app.MapPost("/x/{id}", (int id, CreateOrder body, OrderService s, ILogger<int> log,
            string q, int? page, [FromHeader(Name = "X-Key")] string key, int[] ids,
            CancellationToken ct, string sort = "a") => 1);
        app.MapGet("/y", (Order service, [AsParameters] Paging p) => 1);
        app.MapPut("/z", (CreateOrder? body) => 1).Accepts<CreateOrder>("text/json");
        app.MapPost("/file", (IFormFile file) => 1);
        app.MapGet("/raw", (HttpRequest request) => 1);
        record Paging(int Page, [FromQuery(Name = "page_size")] int? Size = 10);
        """,
    )
    assert found.parameters("POST /x/{id}") == [
        "path id: integer(int32)",
        "query q: string",
        "query page?: integer(int32)|null",
        "header X-Key: string",
        "query sort?=: string",
    ]
    assert found.request("POST /x/{id}") == ["{sku!: string~}!", "[integer(int32)]!"]
    assert found.parameters("GET /y") == [
        "query page: integer(int32)",
        "query page_size?=: integer(int32)|null",
    ]
    assert found.request("PUT /z") == ["text/json {sku!: string~}|null"]
    assert found.request("POST /file") == ["multipart/form-data {file!: string(binary)}"]
    assert found.parameters("GET /raw") == []


def test_endpoints_of_libraries(tmp_path: Path) -> None:
    found = project(
        tmp_path,
        """
        var app = WebApplication.CreateBuilder(args).Build();
        app.MapGroup("/ops").MapHealthChecks("health", new HealthCheckOptions()).AllowAnonymous();
        app.UseHealthChecks("/ready").UseRouting();
        app.MapPrometheusScrapingEndpoint();
        app.MapHealthChecks(builder.Configuration["x"]);
        app.MapHealth("/other");
        """,
    )
    assert found.routes() == [
        "* / hidden ?its path is not constant",
        "* /metrics hidden",
        "* /ops/health hidden",
        "* /ready hidden",
    ]
    assert not found.operation("* /ops/health").statuses_complete


def test_routes_of_identity(tmp_path: Path) -> None:
    found = project(
        tmp_path,
        """
        var app = WebApplication.CreateBuilder(args).Build();
        app.MapGroup("/users").MapIdentityApi<User>();
        """,
    )
    assert found.routes() == [
        "GET /users/confirmEmail",
        "GET /users/manage/info",
        "POST /users/forgotPassword",
        "POST /users/login",
        "POST /users/manage/2fa",
        "POST /users/manage/info",
        "POST /users/refresh",
        "POST /users/register",
        "POST /users/resendConfirmationEmail",
        "POST /users/resetPassword",
    ]
    assert found.responses("POST /users/login") == [
        "(200) {tokenType: string, accessToken: string, expiresIn: integer(int64), "
        "refreshToken: string}",
        "401",
    ]
    assert found.parameters("POST /users/login") == [
        "query useCookies?: boolean",
        "query useSessionCookies?: boolean",
    ]
    assert found.parameters("GET /users/confirmEmail") == [
        "query userId: string",
        "query code: string",
        "query changedEmail?: string",
    ]
    assert found.request("POST /users/resendConfirmationEmail") == ["{email!: string}!"]
    assert found.request("POST /users/manage/info") == [
        "{newEmail?: string|null, newPassword?: string|null, oldPassword?: string|null}!"
    ]


def test_as_parameters_reads_inherited_properties(tmp_path: Path) -> None:
    queries = """
        namespace App;
        public class Paged { public int Page { get; set; } }
        public class Search<T> : Paged
        {
            private readonly int _hidden;
            public T? Term { get; set; }
            public int Skip => Page * 10;
        }
    """
    found = project(
        tmp_path,
        """
        var app = WebApplication.CreateBuilder(args).Build();
        app.MapGet("/x", ([AsParameters] Search<string> search) => 1);
        app.MapGet("/y", ([AsParameters] Library.Search search) => 1);
        """,
        Queries=queries,
    )
    assert found.parameters("GET /x") == ["query term?: string|null", "query page: integer(int32)"]
    assert found.parameters("GET /y") == ["…"]


def test_wrappers_of_the_projects_own(tmp_path: Path) -> None:
    wrappers = """
        namespace App;
        public static class Extensions
        {
            public static IEndpointRouteBuilder MapGet(
                this IEndpointRouteBuilder b, Delegate handler, string pattern = "")
            { b.MapGet(pattern, handler).WithName(handler.Method.Name); return b; }
            public static void MapCommand(
                this IEndpointRouteBuilder b, string path, Delegate handler)
                => b.MapMethods(path, [HttpMethods.Post], handler);
        }
    """
    found = project(
        tmp_path,
        """
        var app = WebApplication.CreateBuilder(args).Build();
        var group = app.MapGroup("/x");
        group.MapGet(One, "{id}");
        group.MapGet(All);
        group.MapCommand("run", (CreateOrder c) => Results.Accepted());
        group.MapGet("plain", () => 1);
        int One(int id) => 1;
        int All() => 1;
        """,
        Wrappers=wrappers,
    )
    assert found.routes() == ["GET /x", "GET /x/plain", "GET /x/{id}", "POST /x/run"]
    assert found.responses("POST /x/run") == ["202"]
    assert found.operation("GET /x/{id}").handler == "One"


def test_wrappers_take_named_arguments_and_defaults(tmp_path: Path) -> None:
    wrappers = """
        namespace App;
        public static class Extensions
        {
            public static IEndpointRouteBuilder MapGet(
                this IEndpointRouteBuilder b, Delegate handler, string pattern = "",
                string role = "")
            {
                var route = b.MapGet(pattern, handler);
                if (role != "") route.RequireAuthorization(role);
                return b;
            }
            public static void MapAdmin(this IEndpointRouteBuilder b, Delegate handler)
                => b.MapGet(handler, role: "Admin", pattern: "admin");
            public static void MapQuery<TQuery, TResult>(
                this IEndpointRouteBuilder b, string path, int version = 1)
                => b.MapGroup($"v{version}").MapGet(
                    $"q/{path}", async ([AsParameters] TQuery q, ISender s) => s.Send<TResult>(q))
                    .Produces<TResult>(206);
            public static void MapCrud(
                this IEndpointRouteBuilder b, string path, Delegate one, Delegate drop)
            {
                var items = b.MapGroup(path);
                items.MapGet("{id}", one);
                items.MapDelete("{id}", drop);
            }
            public static void MapUnused(this IEndpointRouteBuilder b, string path)
                => b.MapGet(path, () => 1);
            public static void MapNothing(this IEndpointRouteBuilder b, Delegate handler)
                => b.MapGet("nothing", handler);
        }
    """
    found = project(
        tmp_path,
        """
        var app = WebApplication.CreateBuilder(args).Build();
        var group = app.MapGroup("/x");
        group.MapGet(All, role: "Reader");
        group.MapGet(handler: One, pattern: "{id}");
        group.MapGet(Named, role: Environment.GetEnvironmentVariable("R"), pattern: "named");
        group.MapAdmin(Named);
        app.MapQuery<Find, Order>(path: "orders", version: 2);
        app.MapCrud("crud", drop: (int id) => Results.NoContent(), one: One);
        int One(int id) => 1;
        int All() => 1;
        int Named() => 1;
        public record Find(string? Sku);
        """,
        Wrappers=wrappers,
    )
    assert found.routes() == [
        "DELETE /crud/{id}",
        "GET / ?its path is not constant",
        "GET /crud/{id}",
        "GET /v2/q/orders",
        "GET /x",
        "GET /x/admin",
        "GET /x/named",
        "GET /x/{id}",
    ]
    assert found.operation("GET /x").handler == "All"
    assert found.operation("GET /x/admin").handler == "Named"
    assert found.responses("DELETE /crud/{id}") == ["204"]
    assert found.responses("GET /v2/q/orders") == [f"206 {ORDER}", "…"]
    assert found.parameters("GET /v2/q/orders") == ["query sku?: string|null"]


def test_modules_that_start_up_code_finds_by_reflection_have_an_unknown_prefix(
    tmp_path: Path,
) -> None:
    modules = """
        namespace App;
        public interface IModule { void Map(IEndpointRouteBuilder app); }
        public class Orders : IModule
        { public void Map(IEndpointRouteBuilder app) => app.MapGet("/orders", () => 1); }
    """
    reflection = 'foreach (var m in Find()) { Call(m, app); }\napp.Map("/y", () => 1);'
    alone = project(tmp_path / "alone", reflection, Modules=modules)
    assert alone.routes() == [
        "* /y",
        "GET /orders ?what calls the method that maps it cannot be seen",
    ]
    seen = 'foreach (IModule m in Find()) { m.Map(app.MapGroup("/api")); }'
    assert project(tmp_path / "seen", seen, Modules=modules).routes() == ["GET /api/orders"]


def test_types_of_libraries_are_services(tmp_path: Path) -> None:
    found = project(
        tmp_path,
        """
        var app = WebApplication.CreateBuilder(args).Build();
        app.MapPost("/logout", (SignInManager<User> manager, [FromBody] object empty) => 1);
        """,
    )
    assert found.request("POST /logout") == ["?declared as object?~!"]


GROUPS = """
    public static class Ext
    {
        public static RouteGroupBuilder MapGroup(this WebApplication app, GroupBase group)
        {
            var name = group.GroupName ?? group.GetType().Name;
            return app.MapGroup($"/api/{name}").WithTags(name);
        }
        public static IEndpointRouteBuilder MapGet(
            this IEndpointRouteBuilder builder, Delegate handler, string pattern = "")
        {
            builder.MapGet(pattern, handler).WithName(handler.Method.Name);
            return builder;
        }
        public static WebApplication MapEndpoints(this WebApplication app)
        {
            foreach (var type in assembly.GetExportedTypes())
                if (Activator.CreateInstance(type) is GroupBase instance) { CALL }
            return app;
        }
    }
"""


def test_groups_named_after_the_class_that_maps_them(tmp_path: Path) -> None:
    source = """
        public abstract class GroupBase
        {
            public virtual string? GroupName { get; }
            public abstract void Map(WebApplication app);
        }
        public class Items : GroupBase
        {
            public override void Map(WebApplication app) =>
                app.MapGroup(this).RequireAuthorization().MapGet(All).MapGet(One, "{id}");
            public Task<List<int>> All() => null!;
            public Task<int> One(int id) => null!;
        }
        public class Users : GroupBase
        {
            public override void Map(WebApplication app) => app.MapGroup(this).MapGet(All);
            public Task<List<int>> All() => null!;
        }
    """
    program = "var app = WebApplication.Create(); app.MapEndpoints();"
    groups = GROUPS.replace("CALL", "instance.Map(app);")
    found = project(tmp_path, program, Groups=groups, Source=source)
    assert found.routes() == ["GET /api/Items", "GET /api/Items/{id}", "GET /api/Users"]


def test_groups_that_may_be_given_another_name_than_that_of_their_class(tmp_path: Path) -> None:
    source = """
        namespace App;
        public static class Groups
        {
            public static RouteGroupBuilder MapGroup(
                this WebApplication app, GroupBase group, string? name = null, string root = "api")
            {
                var own = group.GetType().Name;
                return app.MapGroup(name ?? $"/{root}/{own}").WithTags(name ?? own);
            }
        }
        public abstract class GroupBase { public abstract void Map(WebApplication app); }
        public class Items : GroupBase
        {
            public override void Map(WebApplication app)
            {
                app.MapGroup(this).MapGet("all", () => 1);
                app.MapGroup(this, "things").MapGet("all", () => 1);
                app.MapGroup(this, root: "v2").MapGet("all", () => 1);
                app.MapGroup(this, null, "v3").MapGet("all", () => 1);
            }
        }
    """
    program = "var app = WebApplication.Create(); new Items().Map(app);"
    assert project(tmp_path, program, Source=source).routes() == [
        "GET /api/Items/all",
        "GET /things/all",
        "GET /v2/Items/all",
        "GET /v3/Items/all",
    ]


def test_groups_made_by_functions_that_are_given_their_prefix(tmp_path: Path) -> None:
    source = """
        namespace App;
        public static class Groups
        {
            public static RouteGroupBuilder MapOrders(this WebApplication app) =>
                app.MapNamed("orders", "Orders");
            public static RouteGroupBuilder MapLines(this IEndpointRouteBuilder group)
            {
                var lines = group.MapNamed($"{{id}}/lines", "Lines");
                return lines;
            }
            private static RouteGroupBuilder MapNamed(
                this IEndpointRouteBuilder app, string prefix, string name)
            {
                ArgumentException.ThrowIfNullOrWhiteSpace(prefix);
                return app.MapGroup($"/{prefix}").WithTags(name);
            }
            public static RouteGroupBuilder Plain(WebApplication app, string prefix) =>
                app.MapGroup(prefix);
        }
    """
    program = """
        var app = WebApplication.Create();
        var orders = app.MapOrders();
        orders.MapGet("/all", () => 1);
        orders.MapLines().MapGet("/all", (int id) => 1);
        var plain = Groups.Plain(app, "plain");
        plain.MapGet("/all", () => 1);
    """
    assert project(tmp_path, program, Source=source).routes() == [
        "GET /orders/all",
        "GET /orders/{id}/lines/all",
        "GET /plain/all",
    ]


def test_constants_named_with_their_namespace(tmp_path: Path) -> None:
    source = """
        namespace App.Api;
        public static class Routes
        {
            public const string All = "/all";
            public static class Orders { public const string One = "/orders/{id}"; }
        }
    """
    endpoints = """
        namespace App.Endpoints.Orders;
        public static class One
        {
            public static void Map(WebApplication app)
            {
                app.MapGet(App.Api.Routes.All, () => 1);
                app.MapGet(Api.Routes.Orders.One, (int id) => 1);
                app.MapGet(Elsewhere.Routes.All, () => 1);
            }
        }
    """
    program = "var app = WebApplication.Create(); App.Endpoints.Orders.One.Map(app);"
    found = project(tmp_path, program, Source=source, Endpoints=endpoints)
    assert found.routes() == [
        "GET / ?its path is not constant",
        "GET /all",
        "GET /orders/{id}",
    ]


def test_groups_that_are_handed_to_the_class_they_are_named_after(tmp_path: Path) -> None:
    source = """
        public abstract class GroupBase
        {
            public virtual string? GroupName { get; }
            public abstract void Map(RouteGroupBuilder group);
        }
        public class Items : GroupBase
        {
            public override void Map(RouteGroupBuilder group) => group.MapGet(All);
            public Task<List<int>> All() => null!;
        }
        public class Users : GroupBase
        {
            public override string? GroupName => "people";
            public override void Map(RouteGroupBuilder group) => group.MapGet(All, "all");
            public Task<List<int>> All() => null!;
        }
    """
    program = "var app = WebApplication.Create(); app.MapEndpoints();"
    groups = GROUPS.replace("CALL", "instance.Map(app.MapGroup(instance));")
    found = project(tmp_path, program, Groups=groups, Source=source)
    assert found.routes() == ["GET /api/Items", "GET /api/people/all"]


def test_groups_that_are_handed_over_by_reflection(tmp_path: Path) -> None:
    groups = """
        public interface IGroup
        {
            static virtual string? Prefix => null;
            static abstract void Map(RouteGroupBuilder group);
        }
        public static class Ext
        {
            public static WebApplication MapEndpoints(this WebApplication app, Assembly assembly)
            {
                foreach (var type in assembly.GetExportedTypes())
                {
                    var name = type.Name;
                    var prefix = type.GetProperty(nameof(IGroup.Prefix))
                        ?.GetValue(null) as string ?? $"/api/{name}";
                    var group = app.MapGroup(prefix).WithTags(name);
                    type.GetMethod(nameof(IGroup.Map))!.Invoke(null, [group]);
                }
                return app;
            }
        }
        public class Items : IGroup
        {
            public static void Map(RouteGroupBuilder group) => group.MapGet("{id}", () => 1);
        }
        public class Users : IGroup
        {
            public static string? Prefix => "/people";
            public static void Map(RouteGroupBuilder group) => group.MapGet("all", () => 1);
        }
    """
    program = "var app = WebApplication.Create(); app.MapEndpoints(typeof(Program).Assembly);"
    found = project(tmp_path, program, Groups=groups)
    assert found.routes() == ["GET /api/Items/{id}", "GET /people/all"]


def test_groups_that_are_handed_over_by_generic_methods(tmp_path: Path) -> None:
    endpoints = """
        public interface IEndpoint { static abstract void Map(IEndpointRouteBuilder app); }
        public interface IModule { void Map(IEndpointRouteBuilder app); }
        public static class Ext
        {
            public static IEndpointRouteBuilder Add<TEndpoint>(this IEndpointRouteBuilder app)
                where TEndpoint : IEndpoint
            {
                TEndpoint.Map(app);
                return app;
            }
            public static void Public<T>(IEndpointRouteBuilder app) where T : IEndpoint
                => app.MapGroup("public").Add<T>();
            public static void AddModule<T>(this WebApplication app, string name)
                where T : IModule, new() => new T().Map(app.MapGroup(name));
        }
        public class List : IEndpoint
        {
            public static void Map(IEndpointRouteBuilder app) => app.MapGet("", () => 1);
        }
        public class Item : IEndpoint
        {
            public static void Map(IEndpointRouteBuilder app) => app.MapGet("{id}", () => 1);
        }
        public class Left : IEndpoint
        {
            public static void Map(IEndpointRouteBuilder app) => app.MapGet("left", () => 1);
        }
        public class Users : IModule
        {
            public void Map(IEndpointRouteBuilder app) => app.MapGet("all", () => 1);
        }
        public class Orders : IModule
        {
            public void Map(IEndpointRouteBuilder app) => app.MapGet("all", () => 1);
        }
    """
    program = """
        var app = WebApplication.Create();
        var items = app.MapGroup("/items");
        items.Add<List>().Add<Item>();
        Ext.Public<Item>(items);
        app.AddModule<Users>("users");
        app.AddModule<Orders>(Environment.GetEnvironmentVariable("ORDERS"));
    """
    found = project(tmp_path, program, Endpoints=endpoints)
    assert found.routes() == [
        "GET /items",
        "GET /items/public/{id}",
        "GET /items/{id}",
        "GET /left ?what calls the method that maps it cannot be seen",
        "GET /users/all",
        "GET /{computed}/all ?the prefix of its group is not constant",
    ]


def test_paths_that_settings_give(tmp_path: Path) -> None:
    start = """
        var app = WebApplication.CreateBuilder(args).Build();
        var options = builder.Configuration.GetSection("Api").Get<ApiOptions>();
        var api = app.MapGroup(builder.Configuration["Api:Prefix"] ?? "/other");
        api.MapGet("/a", () => 1);
        app.MapGroup($"/x/{options.Area}").MapGet("/b", () => 1);
        app.MapGet(builder.Configuration["Api:None"] ?? "/c", () => 1);
        app.MapGet(builder.Configuration.GetValue<string>("Api:Missing"), () => 1);
        public class ApiOptions { public string Area { get; set; } }
    """
    settings = '{"Api": {"Prefix": "/v2", "Area": "shop"}}'
    files = {"App.csproj": CSPROJ, "Program.cs": start, "appsettings.json": settings}
    assert Project(tmp_path, files).routes() == [
        "GET / ?its path is not constant",
        "GET /c",
        "GET /v2/a",
        "GET /x/shop/b",
    ]


def test_bodies_that_handlers_read_themselves(tmp_path: Path) -> None:
    start = """
        using App;
        var app = WebApplication.CreateBuilder(args).Build();
        app.MapPost("/json", async (HttpContext context) =>
            Results.Ok(await context.Request.ReadFromJsonAsync<CreateOrder>()));
        app.MapPost("/stream", async (HttpRequest request) =>
        {
            var order = await JsonSerializer.DeserializeAsync<CreateOrder>(request.Body);
            return Results.NoContent();
        });
        app.MapPost("/text", async (HttpContext context) =>
        {
            using var reader = new StreamReader(context.Request.Body);
            var order = JsonConvert.DeserializeObject<CreateOrder>(await reader.ReadToEndAsync());
        });
        app.MapPost("/handed", async (HttpContext context) =>
        {
            var (order, errors) = Checked.Parse<CreateOrder>(
                await new StreamReader(context.Request.Body).ReadToEndAsync());
        });
        app.MapPost("/other", async (HttpContext context, HttpClient client) =>
        {
            var answer = await client.GetAsync("/x");
            var order = await answer.Content.ReadFromJsonAsync<CreateOrder>();
        });
        app.MapPost("/two", async (HttpRequest request) =>
        {
            if (old) { var order = JsonSerializer.Deserialize<Order>(request.Body); }
            else { var order = JsonSerializer.Deserialize<CreateOrder>(request.Body); }
        });
        public static class Checked
        {
            public static (T?, string[]) Parse<T>(string text)
                => (JsonSerializer.Deserialize<T>(text), []);
        }
    """
    files = {"App.csproj": CSPROJ, "Program.cs": start, "Dtos.cs": DTOS}
    found = Project(tmp_path, files)
    paths = ("json", "stream", "text", "handed", "other", "two")
    assert {path: found.request(f"POST /{path}") for path in paths} == {
        "json": ["{sku!: string~}"],
        "stream": ["{Sku!: string}"],
        "text": ["{Sku!: string}"],
        "handed": ["{Sku!: string}"],
        "other": [],
        "two": [],
    }


def test_routes_in_a_loop_over_a_list_that_is_written_out(tmp_path: Path) -> None:
    start = """
        var app = WebApplication.CreateBuilder(args).Build();
        foreach (var kind in new[] { "small", "big" })
        {
            app.MapGet($"/kinds/{kind}", () => new { kind });
        }
        foreach (var kind in Library.Kinds()) app.MapGet($"/others/{kind}", () => 1);
    """
    found = Project(tmp_path, {"App.csproj": CSPROJ, "Program.cs": start})
    assert found.routes() == [
        "GET /kinds/big",
        "GET /kinds/small",
        "GET /others/{computed} ?its path is not constant",
    ]
    assert found.responses("GET /kinds/big") == ["(200) {kind!: 'big'}"]


def test_extension_methods_of_texts_and_numbers_that_are_written_out(tmp_path: Path) -> None:
    source = """
        using App.Texts;
        var app = WebApplication.Create();
        app.MapDelete("/orders", () => Results.Ok("Order".ToDeleted()));
        app.MapGet("/pages", () => Results.Ok(20.ToPage()));
        app.MapGet("/name", (string id) => Results.Ok(id.ToDeleted()));
    """
    texts = """
        namespace App.Texts;
        public static class Texts
        {
            public static object ToDeleted(this string kind) => new { title = $"{kind} deleted" };
            public static object ToPage(this int size) => new { size };
        }
        namespace App.Others;
        public static class Others
        {
            public static object ToDeleted(this string kind) => new { other = 1 };
        }
    """
    found = Project(tmp_path, {"App.csproj": CSPROJ, "Program.cs": source, "Texts.cs": texts})
    assert found.responses("DELETE /orders") == ["200 {title!: 'Order deleted'}"]
    assert found.responses("GET /pages") == ["200 {size!: 20}"]
    assert found.responses("GET /name") == ["200 {title!: string}"]


def test_what_handlers_do_to_the_response_beside_what_they_return(tmp_path: Path) -> None:
    source = """
        var app = WebApplication.Create();
        app.MapGet("/some", (HttpContext context, int n) =>
        {
            if (n > 2) context.Response.StatusCode = 207;
            return new { n };
        });
        app.MapGet("/all", (HttpResponse response) =>
        { response.StatusCode = 202; return new { n = 1 }; });
        app.MapPost("/ask", async Task (HttpContext context, bool stream) =>
        {
            try
            {
                context.Response.ContentType = "application/json; charset=utf-8";
                await context.Response.WriteAsync(Ask()).ConfigureAwait(false);
            }
            catch (Exception)
            {
                context.Response.StatusCode = 503;
                await context.Response.WriteAsync("{}").ConfigureAwait(false);
            }
        });
    """
    found = Project(tmp_path, {"App.csproj": CSPROJ, "Program.cs": source})
    assert found.responses("GET /some") == [
        "(200) {n!: integer(int32)}",
        "207 {n!: integer(int32)}",
    ]
    assert found.responses("GET /all") == ["202 {n!: 1}"]
    assert found.responses("POST /ask") == [
        "(200) ?the text that is written is sent as it is?",
        "503 text/plain string",
    ]
