"""Azure Functions: routes of HTTP triggers, what functions read and answer."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.parsers.source.csharp.project import CSPROJ, Project

DTOS = """
    namespace App;
    public record Order(int OrderId, string? Note);
    public class CreateOrder { public required string Sku { get; set; } }
"""
CAMEL = "{orderId: integer(int32), note: string|null}"
CAMEL_WITH_NULL = CAMEL.replace("string|null", "nothing|null")
PASCAL = "{OrderId: integer(int32), Note: string|null}"
PASCAL_WITH_NULL = PASCAL.replace("string|null", "nothing|null")


def project(folder: Path, source: str, **others: str) -> Project:
    files = {
        "App.csproj": CSPROJ,
        "Dtos.cs": DTOS,
        "F.cs": f"namespace App;\npublic class F\n{{\n{source}\n}}",
    }
    return Project(folder, files | {name.replace("_", "."): text for name, text in others.items()})


ROUTES = """
    const string Orders = "orders";
    [FunctionName("Plain")] public static IActionResult A(
        [HttpTrigger(AuthorizationLevel.Function, "get", "post", Route = null)] HttpRequest req)
        => new OkResult();
    [FunctionName(nameof(B))] public IActionResult B(
        [HttpTrigger("put", Route = Orders + "/{id:int?}")] HttpRequest req, int? id)
        => new OkResult();
    [Function("C")] public IActionResult C([HttpTrigger] HttpRequestData req) => new OkResult();
    [Function("D"), OpenApiIgnore] public IActionResult D(
        [HttpTrigger(AuthorizationLevel.Anonymous, "delete", Route = "{*rest}")] HttpRequest req)
        => new OkResult();
    [Function("E")] public IActionResult E(
        [HttpTrigger(AuthorizationLevel.Anonymous, "get", Route = Settings.Route)] HttpRequest r)
        => new OkResult();
    [Function("Timer")] public void T([TimerTrigger("0 * * * * *")] TimerInfo timer) { }
"""


@pytest.mark.parametrize(
    ("host", "prefix"),
    [
        ("", "/api"),
        ('{"version": "2.0", "extensions": {"http": {"routePrefix": "v1/x"}}}', "/v1/x"),
        ('{"http": {"routePrefix": ""}}', ""),
    ],
)
def test_routes(tmp_path: Path, host: str, prefix: str) -> None:
    others = {"host_json": host} if host else {}
    assert project(tmp_path, ROUTES, **others).routes() == sorted(
        [
            f"* {prefix}/C",
            f"DELETE {prefix}/{{rest*}} hidden",
            f"GET {prefix}/Plain",
            f"GET {prefix or '/'} ?its route is not constant",
            f"POST {prefix}/Plain",
            f"PUT {prefix}/orders hidden",
            f"PUT {prefix}/orders/{{id}}",
        ]
    )


def test_a_host_file_that_cannot_be_read(tmp_path: Path) -> None:
    source = """
        [Function("C")] public IActionResult C([HttpTrigger("get")] HttpRequest r) => null!;
    """
    assert project(tmp_path, source, host_json="{ // x").routes() == [
        "GET /api/C ?`host.json` cannot be read, and may set a prefix"
    ]


def test_what_a_function_reads(tmp_path: Path) -> None:
    found = project(
        tmp_path,
        """
        [FunctionName("A")]
        [OpenApiParameter("page", In = ParameterLocation.Query, Type = typeof(int))]
        public async Task<IActionResult> A(
            [HttpTrigger(AuthorizationLevel.Function, "post", Route = "a/{id}")] HttpRequest req,
            Guid id, ILogger log, ExecutionContext context)
        {
            var body = await new StreamReader(req.Body).ReadToEndAsync();
            var order = JsonConvert.DeserializeObject<CreateOrder>(body);
            return new OkResult();
        }
        [Function("B")] public async Task<HttpResponseData> B(
            [HttpTrigger(AuthorizationLevel.Function, "put", "get")] HttpRequestData req,
            [FromQuery] string sort)
        {
            var order = await req.ReadFromJsonAsync<CreateOrder>();
            return req.CreateResponse(HttpStatusCode.NoContent);
        }
        [FunctionName("C")] public IActionResult C([HttpTrigger("post")] CreateOrder order)
            => new OkResult();
        [FunctionName("D")] public IActionResult D([HttpTrigger("get")] HttpRequest req)
            => new OkObjectResult(req.Query["x"]);
        [Function("E"), OpenApiRequestBody("application/json", typeof(CreateOrder))]
        public IActionResult E([HttpTrigger("post")] HttpRequest req) => new OkResult();
        """,
    )
    assert found.parameters("POST /api/a/{id}") == [
        "path id: string(uuid)",
        "query page?: integer(int32)",
    ]
    assert found.request("POST /api/a/{id}") == ["{sku!: string}"]
    assert found.parameters("GET /api/B") == ["query sort~: string"]
    assert found.request("GET /api/B") == []
    assert found.request("PUT /api/B") == ["{Sku!: string}"]
    assert found.request("POST /api/C") == ["{sku!: string}"]
    assert found.parameters("GET /api/D") == ["…"]
    assert found.request("POST /api/E") == ["{Sku!: string}"]


ANSWERS = """
    [FunctionName("A")] public async Task<IActionResult> A([HttpTrigger("get")] HttpRequest req)
    {
        if (none) return new NotFoundResult();
        return new OkObjectResult(new Order(1, null));
    }
    [Function("B")] public IActionResult B([HttpTrigger("get")] HttpRequest req) =>
        new OkObjectResult(new Order(1, null));
    [Function("C")] public async Task<HttpResponseData> C([HttpTrigger("get")] HttpRequestData req)
    {
        if (none)
        {
            var missing = req.CreateResponse(HttpStatusCode.NotFound);
            return missing;
        }
        var response = req.CreateResponse(HttpStatusCode.Created);
        response.Headers.Add("x", "y");
        await response.WriteAsJsonAsync(new Order(1, null));
        return response;
    }
    [Function("D")] public HttpResponseData D([HttpTrigger("get")] HttpRequestData req)
    {
        var response = req.CreateResponse();
        response.WriteString("x");
        return response;
    }
    [Function("E")] public async Task<HttpResponseData> E([HttpTrigger("get")] HttpRequestData req)
        => await Helpers.Answer(req);
    [Function("G")] public async Task<HttpResponseData> G([HttpTrigger("get")] HttpRequestData req)
    {
        var response = req.CreateResponse(HttpStatusCode.OK);
        response.StatusCode = status;
        return response;
    }
    [Function("H")] public Order H([HttpTrigger("get")] HttpRequestData req) => new(1, null);
    [FunctionName("I")] public HttpResponseMessage I([HttpTrigger("get")] HttpRequestMessage req)
        => req.CreateResponse(HttpStatusCode.Accepted, new Order(1, null));
    [Function("J")]
    [OpenApiResponseWithBody(HttpStatusCode.OK, "application/json", typeof(Order))]
    [OpenApiResponseWithoutBody(statusCode: HttpStatusCode.NotFound)]
    public Task<HttpResponseData> J([HttpTrigger("get")] HttpRequestData req) => Other.Do(req);
    [Function("K")] public Several K([HttpTrigger("get")] HttpRequestData req) => new();
    public class Several
    {
        public HttpResponseData Response { get; set; }
        [QueueOutput("q")] public string Message { get; set; }
    }
"""


@pytest.mark.parametrize(
    ("route", "expected"),
    [
        ("GET /api/A", [f"200 {CAMEL_WITH_NULL}", "404"]),
        ("GET /api/B", [f"200 {CAMEL_WITH_NULL}"]),
        ("GET /api/C", [f"201 {PASCAL_WITH_NULL}", "404"]),
        ("GET /api/D", ["200 text/plain string"]),
        ("GET /api/E", ["…"]),
        ("GET /api/G", ["…"]),
        ("GET /api/H", [f"(200) {PASCAL_WITH_NULL}"]),
        ("GET /api/I", [f"202 {CAMEL_WITH_NULL}"]),
        ("GET /api/J", [f"200 {PASCAL}", "404", "…"]),
        ("GET /api/K", ["…"]),
    ],
)
def test_answers(tmp_path: Path, route: str, expected: list[str]) -> None:
    assert project(tmp_path, ANSWERS).responses(route) == expected


def test_responses_that_functions_of_the_project_give(tmp_path: Path) -> None:
    found = project(
        tmp_path,
        """
        [Function("A")] public Task<HttpResponseData> A([HttpTrigger("get")] HttpRequestData req)
            => Json(req, HttpStatusCode.Accepted, new Order(1, null));
        [Function("B")] public async Task<HttpResponseData> B(
            [HttpTrigger("get")] HttpRequestData req)
        {
            var response = Begun(req);
            await response.WriteAsJsonAsync(new Order(1, null));
            return none ? response : await req.Refused("no");
        }
        [Function("C")] public async Task<Several> C([HttpTrigger("get")] HttpRequestData req)
        {
            var response = Begun(req);
            return new Several { Response = response, Message = "x" };
        }
        [Function("D")] public Marked D([HttpTrigger("get")] HttpRequest req)
            => new() { Result = new OkObjectResult(new Order(1, null)) };
        private static HttpResponseData Begun(HttpRequestData req)
            => req.CreateResponse(HttpStatusCode.Created);
        private static async Task<HttpResponseData> Json<T>(
            HttpRequestData req, HttpStatusCode status, T value)
        {
            var response = req.CreateResponse(status);
            await response.WriteAsJsonAsync(value, status);
            return response;
        }
        public class Several
        {
            public HttpResponseData Response { get; set; }
            [QueueOutput("q")] public string Message { get; set; }
        }
        public class Marked
        {
            [HttpResult] public IActionResult Result { get; set; }
            [QueueOutput("q")] public string Message { get; set; }
        }
        """,
        Helpers_cs="""
        public static class Helpers
        {
            public static async Task<HttpResponseData> Refused(
                this HttpRequestData req, string why)
            {
                var response = req.CreateResponse(HttpStatusCode.BadRequest);
                await response.WriteStringAsync(why);
                return response;
            }
        }
        """,
    )
    shown = {route: found.responses(f"GET /api/{route}") for route in "ABCD"}
    assert shown == {
        "A": [f"202 {PASCAL_WITH_NULL}"],
        "B": [f"201 {PASCAL_WITH_NULL}", "400 text/plain string"],
        "C": ["201"],
        "D": [f"200 {CAMEL_WITH_NULL}"],
    }


def test_names_that_the_worker_is_told(tmp_path: Path) -> None:
    start = """
        var host = new HostBuilder().ConfigureFunctionsWorkerDefaults().ConfigureServices(s =>
            s.Configure<JsonSerializerOptions>(o =>
                o.PropertyNamingPolicy = JsonNamingPolicy.SnakeCaseLower)).Build();
    """
    found = project(tmp_path, ANSWERS, Program_cs=start)
    assert found.responses("GET /api/H") == ["(200) {order_id: integer(int32), note: nothing|null}"]
    assert found.responses("GET /api/A")[0] == f"200 {CAMEL_WITH_NULL}"
