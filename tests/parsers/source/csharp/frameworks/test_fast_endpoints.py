"""FastEndpoints: routes, groups, versions, what endpoints read and send."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.parsers.source.csharp.project import CSPROJ, Project

DTOS = """
    namespace App;
    public record Order(int Id, string? Note);
    public class CreateOrder { public required string Sku { get; set; } }
    public class ById { public int OrderId { get; set; } }
    public class OrderService { public Task<Order?> Find(int id) => null!; }
"""
ORDER = "{id: integer(int32), note: string|null}"
ERROR = "{statusCode!: integer(int32), message!: string, errors!: {…: [string]}}"

PROBLEM = (
    "{type~!: string, title~!: string, detail~!: string, instance~!: string, "
    "status~!: integer(int32), …: ?extension members of problem details?}"
)


def project(folder: Path, source: str, start: str = "", **others: str) -> Project:
    files = {
        "App.csproj": CSPROJ,
        "Dtos.cs": DTOS,
        "E.cs": "using FastEndpoints;\nnamespace App;\n" + source,
        "Program.cs": f"var app = WebApplication.CreateBuilder(args).Build();\n{start}",
    }
    files |= {f"{name}.cs": text for name, text in others.items()}
    return Project(folder, files)


def test_verbs_and_routes(tmp_path: Path) -> None:
    found = project(
        tmp_path,
        """
        public static class Urls { public const string Orders = "/orders"; }
        public class List : EndpointWithoutRequest<List<Order>>
        { public override void Configure() { Get(Urls.Orders, "/all-orders"); AllowAnonymous(); } }
        public class Add : Endpoint<CreateOrder, Order>
        {
            public override void Configure()
            { Verbs(Http.POST, Http.PUT); Routes($"{Urls.Orders}/add"); Options(x => x.Foo()); }
        }
        public class Show : Endpoint<ById, Order>
        { public override void Configure() => Get("/orders/{@id}/show", r => new { r.OrderId }); }
        public class Optional : Endpoint<ById>
        { public override void Configure() { Delete("orders/{OrderId:int?}"); } }
        [HttpPatch("/orders/{OrderId}"), AllowAnonymous]
        public class ByAttribute : Endpoint<ById> { }
        public class Picked : Ep.Req<ById>.Res<Order>
        { public override void Configure() { Post("/picked"); } }
        public class Words : Endpoint<ById> { public override void Configure() { Verbs("head");
            Routes(new[] { "/words" }); } }
        public class Delete(OrderService service) : Endpoint<ById>
        { public override void Configure() { Delete("/named"); } }
        """,
    )
    assert found.routes() == [
        "DELETE /named",
        "DELETE /orders hidden",
        "DELETE /orders/{OrderId}",
        "GET /all-orders",
        "GET /orders",
        "GET /orders/{OrderId}/show",
        "HEAD /words",
        "PATCH /orders/{OrderId}",
        "POST /orders/add",
        "POST /picked",
        "PUT /orders/add",
    ]
    assert found.responses("POST /picked") == [f"(200) {ORDER}", "…"]


def test_endpoints_that_share_a_base_class(tmp_path: Path) -> None:
    found = project(
        tmp_path,
        """
        public abstract class Base<TReq, TRes> : Endpoint<TReq, TRes> where TReq : notnull
        {
            public override void Configure() { AllowAnonymous(); Route(); }
            protected void At(string path) { Get("/base" + path); }
            protected abstract void Route();
        }
        public class One : Base<ById, Order>
        {
            public override void Configure() { base.Configure(); At("/one/{OrderId}"); }
            protected override void Route() { }
            public override async Task HandleAsync(ById r, CancellationToken ct)
            { await Send.OkAsync(await service.Find(r.OrderId), ct); }
        }
        """,
    )
    assert found.routes() == ["GET /base/one/{OrderId}"]
    assert found.parameters("GET /base/one/{OrderId}") == ["path OrderId: integer(int32)"]
    assert found.responses("GET /base/one/{OrderId}") == [f"200 {ORDER}"]


def test_groups(tmp_path: Path) -> None:
    found = project(
        tmp_path,
        """
        public class Admin : Group
        { public Admin() { Configure("admin", ep => { ep.Roles("x"); }); } }
        public class Users : SubGroup<Admin>
        { public Users() => Configure("/users/", ep => ep.EndpointVersion(2)); }
        public class Odd : Group { public Odd() { Configure(Environment.NewLine, ep => { }); } }
        public class A : EndpointWithoutRequest
        { public override void Configure() { Get("/a"); Group<Users>(); } }
        [HttpGet("b"), Group<Admin>] public class B : EndpointWithoutRequest { }
        public class C : EndpointWithoutRequest
        { public override void Configure() { Get("c"); Group<Odd>(); } }
        public class D : EndpointWithoutRequest
        { public override void Configure() { Get("d"); Group<Library.Group>(); } }
        """,
        "app.UseFastEndpoints();",
    )
    assert found.routes() == [
        "GET /admin/b",
        "GET /admin/users/a/v2",
        "GET /c ?the prefix of its group is not constant",
        "GET /d ?the group it belongs to is not part of the code",
    ]


CONFIGURED = """
    public class Plain : EndpointWithoutRequest
    { public override void Configure() { Get("/plain"); } }
    public class Other : EndpointWithoutRequest
    { public override void Configure() { Get("/other"); RoutePrefixOverride("mobile"); } }
    public class None : EndpointWithoutRequest
    { public override void Configure() { Get("/none"); RoutePrefixOverride(string.Empty); } }
    public class Versioned : EndpointWithoutRequest
    { public override void Configure() { Get("/versioned"); Version(3, deprecateAt: 4); } }
"""


@pytest.mark.parametrize(
    ("start", "routes"),
    [
        (
            'app.UseFastEndpoints(c => { c.Endpoints.RoutePrefix = "api"; });',
            ["/api/plain", "/api/versioned/v3", "/mobile/other", "/none"],
        ),
        (
            "app.MapFastEndpoints(Start.Configure);",
            ["/api/r2/versioned", "/api/r2/plain", "/mobile/r2/other", "/r2/none"],
        ),
        (
            'app.UseFastEndpoints(c => { c.RoutingOptions = o => o.Prefix = "old"; '
            'c.VersioningOptions = o => { o.Prefix = "r"; }; });',
            ["/mobile/other", "/none", "/old/plain", "/old/versioned/r3"],
        ),
    ],
)
def test_prefixes_and_versions_of_the_application(
    tmp_path: Path, start: str, routes: list[str]
) -> None:
    configured = """
        static class Start
        {
            const string Prefix = "r";
            public static void Configure(Config c)
            {
                c.Endpoints.RoutePrefix = "/api/";
                c.Versioning.Prefix = Prefix;
                c.Versioning.DefaultVersion = 2;
                c.Versioning.PrependToRoute = true;
            }
        }
    """
    found = project(tmp_path, CONFIGURED, start, Start=configured)
    expected = [route.replace("/api/r2/versioned", "/api/r3/versioned") for route in routes]
    assert found.routes() == sorted(f"GET {route}" for route in expected)


def test_routes_that_are_undetermined(tmp_path: Path) -> None:
    found = project(
        tmp_path,
        """
        public class A : EndpointWithoutRequest
        { public override void Configure() { Get($"/a/{Guid.NewGuid()}"); } }
        public class B : EndpointWithoutRequest { public override void Configure() { } }
        public class C : EndpointWithoutRequest
        { public override void Configure() { Get("/c"); Version(Settings.Version); } }
        [DontRegister] public class D : EndpointWithoutRequest
        { public override void Configure() { Get("/d"); } }
        public abstract class E : EndpointWithoutRequest
        { public override void Configure() { Get("/e"); } }
        """,
        "",
    )
    assert found.routes() == [
        "* / ?no route is seen in its `Configure` method",
        "GET /a/{computed} ?its route is not constant",
        "GET /c ?its version is not constant",
    ]
    prefixed = project(
        tmp_path / "prefix",
        CONFIGURED,
        'app.UseFastEndpoints(c => c.Endpoints.RoutePrefix = builder.Configuration["x"]);',
    )
    assert "GET /{computed}/plain ?the prefix of all endpoints is not constant" in prefixed.routes()


def test_what_an_endpoint_reads(tmp_path: Path) -> None:
    found = project(
        tmp_path,
        """
        public class Search
        {
            public Guid Tenant { get; set; }
            [BindFrom("per_page")] public int PerPage { get; set; } = 10;
            public string? Sort { get; set; }
            public List<string> Tags { get; set; } = [];
            [FromHeader("X-Key")] public string Key { get; set; }
            [FromHeader(IsRequired = false)] public string Trace { get; set; }
            [FromCookie] public string Session { get; set; }
            [FromClaim("sub")] public string User { get; set; }
            [QueryParam] public bool Deep { get; set; }
        }
        public class GetIt : Endpoint<Search, Order>
        { public override void Configure() { Get("/{tenant}/search"); } }
        public class PostIt : Endpoint<Search, Order>
        { public override void Configure() { Post("/{tenant}/search"); } }
        """,
    )
    assert found.parameters("GET /{tenant}/search") == [
        "path tenant: string(uuid)",
        "query per_page?: integer(int32)",
        "query sort?: string|null",
        "query tags?: [string]",
        "header X-Key: string",
        "header Trace?: string",
        "cookie Session: string",
        "query deep?: boolean",
        "…",
    ]
    assert found.parameters("POST /{tenant}/search") == [
        "path tenant: string(uuid)",
        "header X-Key: string",
        "header Trace?: string",
        "cookie Session: string",
        "query deep?: boolean",
        "…",
    ]
    assert found.request("GET /{tenant}/search") == []
    assert found.request("POST /{tenant}/search") == [
        "{tenant?: string(uuid), perPage?: integer(int32), sort?: string|null, "
        "tags?: [string|null]~, key?: string~, trace?: string~, session?: string~, "
        "user?: string~, deep?: boolean}"
    ]


def test_bodies(tmp_path: Path) -> None:
    found = project(
        tmp_path,
        """
        public class Wrapped
        { public int Id { get; set; } [FromBody] public CreateOrder O { get; set; } }
        public class Upload
        { public string Title { get; set; } public IFormFile File { get; set; } }
        public class Raw : IPlainTextRequest { public string Content { get; set; } }
        public class A : Endpoint<Wrapped> { public override void Configure() { Put("/a/{Id}"); } }
        public class B : Endpoint<Upload>
        { public override void Configure() { Post("/b"); AllowFileUploads(); } }
        public class C : Endpoint<List<CreateOrder>>
        { public override void Configure() { Post("/c"); } }
        public class D : Endpoint<Raw> { public override void Configure() { Post("/d"); } }
        public class E : Endpoint<CreateOrder> { public override void Configure() { Post("/e"); } }
        public class F : Endpoint<CreateOrder>
        { public override void Configure() { Post("/f"); AllowFormData(true); } }
        public class G : EndpointWithoutRequest
        {
            public override void Configure() { Get("/g/{id}"); }
            public override async Task HandleAsync(CancellationToken ct)
            {
                var id = Route<int>("ID");
                var page = Query<int>("page", isRequired: false);
                await Send.NoContentAsync(ct);
            }
        }
        public class H : EndpointWithoutRequest
        { public override void Configure() { Get("/h/{id}"); } }
        """,
    )
    assert found.request("PUT /a/{Id}") == ["{sku!: string~}"]
    assert found.request("POST /b") == [
        "multipart/form-data {title?: string~, file?: string(binary)}"
    ]
    assert found.request("POST /c") == ["[{sku!: string~}|null]"]
    assert found.request("POST /d") == ["text/plain string"]
    assert found.request("POST /e") == ["{sku!: string~}"]
    assert found.request("POST /f") == ["application/x-www-form-urlencoded {sku!: string~}"]
    assert found.parameters("GET /g/{id}") == [
        "path id: integer(int32)",
        "query page?: integer(int32)",
    ]
    assert found.parameters("GET /h/{id}") == [
        "path id: ?nothing reads the parameter `id`?",
        "…",
    ]


SENDERS = """
    public class A : Endpoint<ById, Order>
    {
        public OrderService Service { get; set; }
        public override void Configure() { Get("/a"); }
        public override async Task HandleAsync(ById r, CancellationToken ct)
        {
            var order = await Service.Find(r.OrderId);
            if (order is null) { await SendNotFoundAsync(ct); return; }
            await SendAsync(order, cancellation: ct);
        }
    }
    public class B : Endpoint<ById, Order>
    {
        public override void Configure() { Post("/b"); }
        public override async Task HandleAsync(ById r, CancellationToken ct)
        {
            if (r.OrderId == 0) ThrowError("gone", 410);
            await Reply(new Order(1, null));
        }
        Task Reply(Order o) =>
            Send.CreatedAtAsync<A>(new { r.OrderId }, o, generateAbsoluteUrl: true);
    }
    public class C : Endpoint<ById, Order>
    {
        public override void Configure() { Get("/c"); }
        public override Task HandleAsync(ById r, CancellationToken ct)
        { Response = new(1, "x"); return Task.CompletedTask; }
    }
    public class D : Endpoint<ById>
    {
        public override void Configure() { Get("/d"); }
        public override async Task HandleAsync(ById r, CancellationToken ct) =>
            await Send.OkAsync(new { Done = true, r.OrderId }, ct);
    }
    public class E : Endpoint<ById>
    {
        public override void Configure() { Delete("/e"); }
        public override async Task HandleAsync(ById r, CancellationToken ct)
        { await Send.OkAsync(ct); }
    }
    public class F : EndpointWithoutRequest
    {
        public override void Configure() { Get("/f"); }
        public override async Task HandleAsync(CancellationToken ct)
        { await Task.Delay(1); }
    }
    public class G : EndpointWithoutRequest
    {
        public override void Configure() { Get("/g"); }
        public override async Task HandleAsync(CancellationToken ct)
        { await SendStringAsync("x", 203, contentType: "text/csv"); }
    }
    public class H : EndpointWithoutRequest<Order>
    {
        public override void Configure() { Get("/h"); }
        public override async Task HandleAsync(CancellationToken ct)
        { await Send.ResultAsync(flag ? TypedResults.Ok(order) : Results.NotFound()); }
    }
    public class I : EndpointWithoutRequest<Order>
    {
        public override void Configure() { Get("/i"); }
        public override async Task HandleAsync(CancellationToken ct)
        { await Send.TeapotAsync(); }
    }
    public class J : EndpointWithoutRequest
    {
        public override void Configure() { Get("/j"); }
        public override async Task HandleAsync(CancellationToken ct)
        {
            if (x) { await Send.RedirectAsync("/x", isPermanent: true); }
            else if (y) { await Send.ErrorsAsync(409, ct); }
            else { await Send.BytesAsync(bytes, contentType: "image/png"); }
        }
    }
    public class K : EndpointWithoutRequest
    {
        public override void Configure() { Get("/k"); }
        public override async Task HandleAsync(CancellationToken ct)
        { await HttpContext.Response.WriteAsync("x"); }
    }
    public class L : EndpointWithoutRequest
    {
        public override void Configure() { Get("/l"); }
        public override async Task HandleAsync(CancellationToken ct)
        { AddError("noted"); await Send.OkAsync(ct); }
    }
    public class M : EndpointWithoutRequest
    {
        public override void Configure() { Get("/m"); }
        public override async Task HandleAsync(CancellationToken ct)
        { AddError("noted"); ThrowIfAnyErrors(); await Send.OkAsync(ct); }
    }
    public class N : EndpointWithoutRequest<Results<Ok<Order>, ProblemDetails>>
    {
        public override void Configure() { Get("/n"); }
        public override async Task<Results<Ok<Order>, ProblemDetails>> ExecuteAsync(
            CancellationToken ct)
        {
            if (x) { AddError("noted"); return new ProblemDetails(ValidationFailures); }
            return TypedResults.Ok(new Order(1, "x"));
        }
    }
"""


@pytest.mark.parametrize(
    ("route", "expected"),
    [
        ("GET /a", [f"200 {ORDER}", "404"]),
        ("POST /b", [f"201 {ORDER}", f"410 application/problem+json {ERROR}"]),
        ("GET /c", [f"(200) {ORDER}"]),
        ("GET /d", ["200 {done!: True, orderId!: integer(int32)}"]),
        ("DELETE /e", ["200"]),
        ("GET /f", ["(204)"]),
        ("GET /g", ["203 text/csv string"]),
        ("GET /h", ["200 ?the value of `order` comes from a library?", "404"]),
        ("GET /i", [f"(200) {ORDER}", "…"]),
        (
            "GET /j",
            [
                "200 image/png string(binary)",
                "301",
                f"409 application/problem+json {ERROR}",
            ],
        ),
        ("GET /k", ["…"]),
        ("GET /l", ["200"]),
        ("GET /m", ["200", f"400 application/problem+json {ERROR}"]),
        (
            "GET /n",
            [
                "200 {id: integer(int32), note: 'x'} or "
                "?some responses of the code are undetermined?",
                "…",
            ],
        ),
    ],
)
def test_what_an_endpoint_sends(tmp_path: Path, route: str, expected: list[str]) -> None:
    assert project(tmp_path, SENDERS).responses(route) == expected


def test_what_an_endpoint_returns(tmp_path: Path) -> None:
    found = project(
        tmp_path,
        """
        public class A : Endpoint<ById, Results<Created<Order>, NotFound>>
        {
            public override void Configure() { Post("/a"); }
            public override async Task<Results<Created<Order>, NotFound>> ExecuteAsync(
                ById r, CancellationToken ct) => await service.Try();
        }
        public class B : EndpointWithoutRequest<Order?>
        {
            public override void Configure() { Get("/b"); }
            public override async Task<Order?> ExecuteAsync(CancellationToken ct)
            { if (x) await Send.ForbiddenAsync(ct); return null; }
        }
        public class C : EndpointWithoutRequest<string>
        {
            public override void Configure() { Get("/c"); }
            public override Task<string> ExecuteAsync(CancellationToken ct) => Task.FromResult("");
        }
        """,
    )
    assert found.responses("POST /a") == [f"201 {ORDER}", "404"]
    assert found.responses("GET /b") == [f"(200) {ORDER}", "403"]
    assert found.responses("GET /c") == ["(200) string"]


def test_what_is_announced_fills_in_what_is_not_seen(tmp_path: Path) -> None:
    found = project(
        tmp_path,
        """
        public class CreateOrderValidator : Validator<CreateOrder> { }
        public class A : Endpoint<CreateOrder>
        {
            public override void Configure()
            {
                Post("/a");
                Description(b => b.Produces<Order>(201).ProducesProblem(409).WithName("Add"));
                Summary(s => s.Response<Order>(404, "none"));
            }
            public override async Task HandleAsync(CreateOrder r, CancellationToken ct)
            { await Send.SecretAsync(); }
        }
        public class B : Endpoint<ById>
        {
            public override void Configure()
            { Get("/b"); Options(b => b.ExcludeFromDescription()); }
        }
        """,
    )
    assert found.responses("POST /a") == [
        f"201 {ORDER}",
        f"400 application/problem+json {ERROR}",
        f"404 {ORDER}",
        f"409 application/problem+json {PROBLEM}",
        "…",
    ]
    assert found.operation("POST /a").operation_id == "Add"
    assert found.routes() == ["GET /b hidden", "POST /a"]


def test_names_and_hooks_of_the_application(tmp_path: Path) -> None:
    named = project(
        tmp_path / "named",
        SENDERS,
        "app.UseFastEndpoints(c => c.Serializer.Options.PropertyNamingPolicy = "
        "JsonNamingPolicy.SnakeCaseLower);",
    )
    assert named.responses("GET /d") == ["200 {done!: True, order_id!: integer(int32)}"]
    assert named.parameters("GET /a") == ["query order_id?: integer(int32)"]
    old = project(
        tmp_path / "old",
        SENDERS,
        "app.UseFastEndpoints(c => c.SerializerOptions = o => o.PropertyNamingPolicy = null);",
    )
    assert old.responses("GET /d") == ["200 {Done!: True, OrderId!: integer(int32)}"]
    changed = project(
        tmp_path / "changed",
        SENDERS,
        "app.UseFastEndpoints(c => { c.Endpoints.GlobalResponseModifier = (x, y) => { }; "
        "c.Errors.UseProblemDetails(); });",
    )
    assert changed.responses("GET /c") == [
        "(200) ?`GlobalResponseModifier` of the application may change what is sent?"
    ]


@pytest.mark.parametrize(
    ("configurator", "route"),
    [
        # Asks for routes and changes none.
        (
            'ep => { if (ep.Routes.Any(r => r.StartsWith("/x"))) ep.AllowAnonymous(); }',
            "/api/orders/{id}/v1",
        ),
        ('ep => ep.RoutePrefixOverride("mobile")', "/mobile/orders/{id}/v1"),
        (
            "ep => { ep.RoutePrefixOverride(string.Empty); ep.EndpointVersion(2); }",
            "/orders/{id}/v2",
        ),
        ("ep => ep.Add()", "/api/orders/{id}/v3"),
        (
            "ep => { if (ep.EndpointTags is null) return; ep.EndpointVersion(2); }",
            "/api/orders/{id}/v1 ?`Configurator` of the application changes routes",
        ),
        (
            "ep => { ep.Routes = Other(ep); }",
            "/api/orders/{id}/v1 ?`Configurator` of the application changes routes",
        ),
    ],
)
def test_what_the_application_sets_for_every_endpoint(
    tmp_path: Path, configurator: str, route: str
) -> None:
    assert configured(tmp_path, configurator).routes() == [f"GET {route}"]


def test_responses_that_the_application_announces_for_every_endpoint(tmp_path: Path) -> None:
    found = configured(tmp_path, "ep => ep.Description(b => b.Produces<App.Fault>(409))")
    assert found.responses("GET /api/orders/{id}/v1") == [
        f"(200) {ORDER}",
        "409 {why: string}",
        "…",
    ]


def configured(folder: Path, configurator: str) -> Project:
    endpoints = """
        public class Show : EndpointWithoutRequest<Order>
        { public override void Configure() { Get("/orders/{id}"); Version(1); } }
        public class Fault { public string Why { get; set; } = ""; }
        public static class Defaults
        { public static void Add(this EndpointDefinition it) { it.EndpointVersion(3); } }
    """
    settings = f'c.Endpoints.RoutePrefix = "api"; c.Endpoints.Configurator = {configurator};'
    return project(folder, endpoints, f"app.UseFastEndpoints(c => {{ {settings} }});")
