"""What handlers of ASP.NET Core answer where not all of it is told, and with which errors."""

from __future__ import annotations

from pathlib import Path

from tests.parsers.source.csharp.project import CSPROJ, PROBLEM, Project

DTOS = """
    namespace App;
    public record Order(int Id, string? Note);
    public record Row(int Id);
    public class Result<T>
    {
        public bool IsSuccess { get; }
        public T Value { get; }
        public string? Error { get; }
    }
    public class Db : DbContext { }
"""
ORDER = "{id: integer(int32), note: string|null}"
ROW = "{id: integer(int32)}"
DYNAMIC_SEGMENT = "?some responses of the code are undetermined?"
BUSY = PROBLEM.replace(
    "{type!: string, title!: string", "{type~!: string, title~!: string, detail!: string"
)
VALIDATION = PROBLEM.replace(", …", ", errors!: {…: [string]}, …")


def project(folder: Path, source: str, **others: str) -> Project:
    files = {"App.csproj": CSPROJ, "Dtos.cs": DTOS, "C.cs": "namespace App;\n" + source}
    files |= {f"{name}.cs": text for name, text in others.items()}
    return Project(folder, files)


def test_what_is_told_counts_where_other_answers_are_not(tmp_path: Path) -> None:
    found = project(
        tmp_path,
        """
        [Route("x")] public class XController : ControllerBase
        {
            [HttpGet("two")] public IActionResult Two()
            {
                if (a) return NotFound(new { Gone = true });
                return b ? Foreign.Make() : Ok(new Row(1));
            }
            [HttpGet("errors")] public IActionResult Errors()
            { if (a) return Conflict("taken"); return Foreign.Make(); }
            [HttpGet("typed")] public ActionResult<Order> Typed()
            { if (a) return NotFound(new { Gone = true }); return Foreign.Make(); }
            [HttpGet("none")] public IActionResult None() => Foreign.Make();
        }
        """,
        P="""
            using App;
            var app = WebApplication.CreateBuilder(args).Build();
            app.MapGet("/minimal", (int id) => id switch
            { 1 => Results.NoContent(), 2 => Foreign.Make(), _ => Results.Ok(new Row(1)) });
            app.MapGet("/match", (ErrorOr<Row> row) =>
                row.Match(r => Results.Ok(r), errors => Foreign.Make(errors)));
        """,
    )
    assert found.responses("GET /x/two") == [
        f"200 {ROW} or {DYNAMIC_SEGMENT}",
        "404 {gone!: True}",
        "…",
    ]
    assert found.responses("GET /x/errors") == ["409 text/plain 'taken' 'taken'", "…"]
    assert found.responses("GET /x/typed") == [f"(200) {ORDER}", "404 {gone!: True}"]
    assert found.responses("GET /x/none") == ["…"]
    assert found.responses("GET /minimal") == [
        f"200 {ROW} or {DYNAMIC_SEGMENT}",
        "204",
        "…",
    ]
    assert found.responses("GET /match") == [f"200 {ROW} or {DYNAMIC_SEGMENT}", "…"]


def test_statuses_that_a_switch_chooses(tmp_path: Path) -> None:
    found = project(
        tmp_path,
        """
        [Route("x")] public class XController(Orders orders) : ControllerBase
        {
            [HttpGet] public IActionResult Get()
            {
                var result = orders.Get();
                if (result.IsSuccess) return Ok(result.Value);
                var status = result.Error switch
                {
                    "gone" => StatusCodes.Status410Gone,
                    "taken" => StatusCodes.Status409Conflict,
                    _ => 500,
                };
                return StatusCode(status, new { result.Error });
            }
            [HttpGet("problem")] public IActionResult Undetermined()
            {
                var result = orders.Get();
                var status = orders.Status(result);
                return result.IsSuccess ? Ok(result.Value) : Problem(statusCode: status);
            }
        }
        public class Orders { public Result<Order> Get() => null!; }
        """,
    )
    error = "{error!: string|null}"
    assert found.responses("GET /x") == [
        f"200 {ORDER}",
        f"409 {error}",
        f"410 {error}",
        f"500 {error}",
    ]
    # `Problem` answers some error: no success is left undetermined.
    assert found.responses("GET /x/problem") == [f"200 {ORDER}"]


ERRORS = """
    [Route("x")] public class XController : ControllerBase
    {
        [HttpGet("bare")] public IActionResult Bare()
        { if (a) return NotFound(); if (b) return new StatusCodeResult(409); return Forbid(); }
        [HttpGet("given")] public IActionResult Given() => NotFound(new { Gone = true });
        [HttpGet("problem")] public IActionResult Made() => Problem("busy", statusCode: 503);
        [HttpGet("invalid")] public IActionResult Invalid() => ValidationProblem();
        [HttpGet("own")] public IActionResult Own() => Problem(new ProblemDetails { Status = 418 });
    }
"""


def test_problem_details_of_errors_without_a_body(tmp_path: Path) -> None:
    api = project(tmp_path / "api", "[ApiController]" + ERRORS)
    assert api.responses("GET /x/bare") == ["403", f"404 {PROBLEM}", f"409 {PROBLEM}"]
    assert api.responses("GET /x/given") == ["404 {gone!: True}"]
    assert api.responses("GET /x/problem") == [f"503 {BUSY}"]
    assert api.responses("GET /x/invalid") == [f"400 {VALIDATION}"]
    assert api.responses("GET /x/own") == []
    plain = project(tmp_path / "plain", ERRORS)
    assert plain.responses("GET /x/bare") == ["403", "404", "409"]
    assert plain.responses("GET /x/problem") == [f"503 {BUSY}"]


def test_applications_that_write_problem_details_in_their_own_way(tmp_path: Path) -> None:
    suppressed = "services.Configure<ApiBehaviorOptions>(o => o.SuppressMapClientErrors = true);"
    without = project(tmp_path / "a", "[ApiController]" + ERRORS, S=suppressed)
    assert without.responses("GET /x/bare") == ["403", "404", "409"]
    factory = "public class Own : ProblemDetailsFactory { }"
    own = project(tmp_path / "b", "[ApiController]" + ERRORS, S=factory)
    undetermined = "?the application makes problem details itself?"
    assert own.responses("GET /x/problem") == [f"503 application/problem+json {undetermined}"]


def test_problem_details_of_minimal_apis(tmp_path: Path) -> None:
    found = project(
        tmp_path,
        "",
        P="""
            var app = WebApplication.CreateBuilder(args).Build();
            app.MapGet("/a", () => Results.NotFound());
            app.MapGet("/b", () => TypedResults.Problem("busy", statusCode: 503));
            app.MapGet("/c", () => Results.ValidationProblem(errors));
            app.MapGet("/d", () => Results.ValidationProblem(
                new Dictionary<string, string[]> { ["name"] = ["is needed"] }));
        """,
    )
    assert found.responses("GET /a") == ["404"]
    assert found.responses("GET /b") == [f"503 {BUSY}".replace(", …: string", "")]
    assert found.responses("GET /c") == [f"400 {VALIDATION}".replace(", …: string}", "}")]
    assert found.responses("GET /d") == [f"400 {VALIDATION}".replace(", …: string}", "}")]


def test_requests_of_the_projects_own_kind(tmp_path: Path) -> None:
    found = project(
        tmp_path,
        """
        public interface IQuery<T> : IRequest<Result<T>> { }
        public record GetOrder(int Id) : IQuery<Order>;
        [Route("x")] public class XController(ISender sender) : ControllerBase
        {
            [HttpGet("whole")] public async Task<IActionResult> Whole() =>
                Ok(await sender.Send(new GetOrder(1)));
            [HttpGet("value")] public async Task<IActionResult> Value()
            {
                var result = await sender.Send(new GetOrder(1));
                return result.IsSuccess ? Ok(result.Value) : BadRequest(new { result.Error });
            }
        }
        """,
    )
    assert found.responses("GET /x/whole") == [
        f"200 {{isSuccess-: boolean, value-: {ORDER}, error-: string|null}}"
    ]
    assert found.responses("GET /x/value") == [f"200 {ORDER}", "400 {error!: string|null}"]


def test_results_that_a_library_translates(tmp_path: Path) -> None:
    found = project(
        tmp_path,
        """
        public interface IOrders
        { Task<Ardalis.Result.Result<Order>> Get(); Task<Ardalis.Result.Result> Delete(); }
        [Route("x")] public class XController(IOrders orders) : ControllerBase
        {
            [HttpGet] public async Task<ActionResult> Get() =>
                (await orders.Get()).ToActionResult(this);
        }
        """,
        P="""
            using App;
            var app = WebApplication.CreateBuilder(args).Build();
            app.MapGet("/minimal", async (IOrders o) => (await o.Get()).ToMinimalApiResult());
            app.MapDelete("/minimal", async (IOrders o) => (await o.Delete()).ToMinimalApiResult());
        """,
    )
    # Who implements the interface decides on the status.
    assert found.responses("GET /x") == [f"(200) {ORDER}", "…"]
    assert found.responses("GET /minimal") == [f"(200) {ORDER}", "…"]
    assert found.responses("DELETE /minimal") == ["(200)", "…"]


def test_what_mappers_fill_and_tables_hold(tmp_path: Path) -> None:
    found = project(
        tmp_path,
        """
        [Route("x")] public class XController(IMapper mapper, Db db) : ControllerBase
        {
            [HttpGet("map")] public IActionResult Map()
            { var row = new Row(1); return Ok(mapper.Map(source, row)); }
            [HttpGet("adapt")] public IActionResult Adapt()
            { var row = new Row(1); return Ok(source.Adapt(row)); }
            [HttpGet("set")] public async Task<IActionResult> Rows() =>
                Ok(await db.Set<Order>().Where(o => o.Id > 1).ToListAsync());
        }
        """,
    )
    assert found.responses("GET /x/map") == [f"200 {ROW}"]
    assert found.responses("GET /x/adapt") == [f"200 {ROW}"]
    assert found.responses("GET /x/set") == [f"200 [{ORDER}]"]


def test_texts_of_controllers_are_sent_as_they_are_or_as_json(tmp_path: Path) -> None:
    found = project(
        tmp_path,
        """
        [Route("x")] public class XController : ControllerBase
        {
            [HttpGet("a")] public string Plain() => "a";
            [HttpGet("b")] public IActionResult Helped(string text) => Ok(text);
            [HttpGet("c"), Produces("application/json")] public string AsJson() => "a";
            [HttpGet("d")] public IResult Minimal(string text) => Results.Ok(text);
            [HttpGet("e")] public IActionResult Text(string text) => Content(text);
        }
        """,
        P="""
            var app = WebApplication.CreateBuilder(args).Build();
            app.MapGet("/minimal", (string text) => text);
        """,
    )
    assert found.responses("GET /x/a") == ["(200) text/plain string string"]
    assert found.responses("GET /x/b") == ["200 text/plain string string"]
    assert found.responses("GET /x/c") == ["(200) string"]
    assert found.responses("GET /x/d") == ["200 string"]
    assert found.responses("GET /x/e") == ["200 text/plain string"]
    assert found.responses("GET /minimal") == ["(200) text/plain string"]


def test_results_that_implementations_of_an_interface_give(tmp_path: Path) -> None:
    found = project(
        tmp_path,
        """
        public interface IMapper
        {
            bool Takes(string path);
            Task<IActionResult> Answer(string path);
        }
        public abstract class MapperBase : IMapper
        {
            public abstract bool Takes(string path);
            public Task<IActionResult> Answer(string path)
            {
                if (!Exists(path)) { return Task.FromResult<IActionResult>(null); }
                return Task.FromResult<IActionResult>(new FileStreamResult(Open(path), kind));
            }
        }
        public class Html : MapperBase { public override bool Takes(string path) => true; }
        public class Moved : IMapper
        {
            public bool Takes(string path) => false;
            public async Task<IActionResult> Answer(string path) => new RedirectResult(path);
        }
        [ApiController, Route("x")]
        public class XController(IEnumerable<IMapper> mappers) : ControllerBase
        {
            [HttpGet]
            public async Task<IActionResult> Get()
            {
                var mapper = mappers.SingleOrDefault(m => m.Takes("a"));
                if (mapper != null)
                {
                    var result = await mapper.Answer("a");
                    if (result != null) { return result; }
                    return NotFound();
                }
                return NotFound();
            }
        }
        """,
    )
    assert found.responses("GET /x") == [
        "200 application/octet-stream string(binary)",
        "302",
        f"404 {PROBLEM}",
    ]


def test_helpers_that_may_give_no_result(tmp_path: Path) -> None:
    found = project(
        tmp_path,
        "public class None { }",
        P="""
            using App;
            using HttpResult = Microsoft.AspNetCore.Http.IResult;
            var app = WebApplication.CreateBuilder(args).Build();
            app.MapPost("/a", async (Order order) =>
            {
                var refused = Checks.Kind(order);
                if (refused is not null) return refused;
                return Results.NoContent();
            });
            app.MapPost("/b", (Order order) => Checks.Needed(order) ?? Results.Ok(order));
            public static class Checks
            {
                public static IResult? Kind(Order order) =>
                    order.Id > 0 ? null : global::Microsoft.AspNetCore.Http.Results.StatusCode(415);
                public static HttpResult? Needed(Order order)
                {
                    if (order.Id == 1) return null;
                    return TypedResults.UnprocessableEntity();
                }
            }
        """,
    )
    assert found.responses("POST /a") == ["204", "415"]
    assert found.responses("POST /b") == [f"200 {ORDER}", "422"]


def test_files_that_are_announced(tmp_path: Path) -> None:
    found = project(
        tmp_path,
        """
        [Route("x")] public class XController(IReports reports) : ControllerBase
        {
            [HttpGet("a"), ProducesResponseType(typeof(FileResult), 200)]
            public Task<ActionResult> A() => reports.Sent();
        }
        """,
        P="""
            var app = WebApplication.CreateBuilder(args).Build();
            app.MapGet("/b", Library.Sent).Produces<FileContentHttpResult>(200, "application/pdf");
            app.MapGet("/c", Library.Sent).Produces<FileResult>(contentType: "text/csv");
        """,
    )
    assert found.responses("GET /x/a") == ["200 application/octet-stream string(binary)", "…"]
    assert found.responses("GET /b") == ["200 application/pdf string(binary)", "…"]
    assert found.responses("GET /c") == ["200 text/csv string(binary)", "…"]
