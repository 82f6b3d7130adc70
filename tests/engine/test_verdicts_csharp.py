"""C# programs beside their contracts: guilty code next to innocent code of its sort."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from contract_scan.api import scan
from tests.engine.judged import judged

PROJECT = """<Project Sdk="Microsoft.NET.Sdk.Web">
<PropertyGroup><TargetFramework>net8.0</TargetFramework></PropertyGroup></Project>
"""


def operation(path: str, type: str) -> str:
    """An operation whose response has a count of a type."""
    body = f"{{type: object, required: [count], properties: {{count: {{type: {type}}}}}}}"
    content = f"{{description: ok, content: {{application/json: {{schema: {body}}}}}}}"
    return f"{path}: {{get: {{responses: {{'200': {content}, '500': {{description: e}}}}}}}}\n"


def test_what_a_generic_wrapper_returns_counts_and_not_what_an_attribute_announces(
    tmp_path: Path,
) -> None:
    source = """
        #nullable enable
        using Microsoft.AspNetCore.Mvc;
        using System.Net;
        namespace Shop;
        public class Body { public int Count { get; set; } }
        public class Found {
          public Body Inner { get; set; }
          public HttpStatusCode Code { get; set; }
        }
        public interface IService { Task<Found> Find(); }
        public static class Timing {
          public static async Task<TResult> Timed<T, TResult>(
              this ILogger<T> logger, string name, Func<Task<TResult>> run, params object[] more) {
            try { var result = await run(); logger.LogInformation(name); return result; }
            catch (Exception) { logger.LogError(name); throw; }
          }
        }
        public abstract class Base<T> : ControllerBase {
          protected readonly ILogger<T> Logger;
          protected IActionResult Answer(Found found) {
            switch (found.Code) {
              case HttpStatusCode.OK: return Ok(found.Inner);
              default: return StatusCode(500);
            }
          }
        }
        [ApiController]
        public class Counts : Base<Counts> {
          private readonly IService service;
          [HttpGet("/counts")] [SwaggerResponse(200, type: typeof(Found))]
          public Task<IActionResult> Get() {
            return Logger.Timed("a", async () => Answer(await service.Find()), 1);
          }
          [HttpGet("/sums")] [SwaggerResponse(200, type: typeof(Found))]
          public Task<IActionResult> Sums() {
            return Logger.Timed("b", async () => Answer(await service.Find()), 1);
          }
        }
    """
    paths = operation("/counts", "integer") + operation("/sums", "string")
    found = judged(tmp_path, {"Shop.csproj": PROJECT, "Counts.cs": source}, paths)
    assert found.findings == ["GET /sums type: count"]
    assert (found.undetermined, found.verified) == ([], 1)


PART = "{type: object, properties: {part: {type: object, properties: {k: {type: integer}}}}}"
MEMBERS = """
    #nullable enable
    using System.Linq;
    using System.Collections.Generic;
    using Microsoft.AspNetCore.Mvc;
    public class Part { public int K { get; set; } }
    public class Dto { public Part? Part { get; set; } }
    public record Row(Part? Part, Part? Other = null);
    [ApiController]
    public class PartsController : ControllerBase {
      private List<Part> Load() => Store.Load();
      [HttpGet("/initialised")] public IActionResult Initialised() {
        return Ok(new Dto { Part = new Part { K = 1 } });
      }
      [HttpGet("/positional")] public IActionResult Positional() {
        return Ok(new Row(new Part { K = 1 }));
      }
      [HttpGet("/projected")] public IActionResult Projected() {
        return Ok(Load().Select(one => new Dto { Part = new Part { K = one.K } }).ToList());
      }
      [HttpGet("/bare")] public IActionResult Bare() {
        var made = new Dto();
        return Ok(made);
      }
      [HttpGet("/null")] public IActionResult Null() {
        return Ok(new Dto { Part = null });
      }
      [HttpGet("/emptied")] public IActionResult Emptied(bool empty) {
        var made = new Dto { Part = new Part { K = 1 } };
        if (empty) made.Part = null;
        return Ok(made);
      }
    }
"""


def test_members_that_a_construction_gives_are_not_null(tmp_path: Path) -> None:
    shapes = {
        "/initialised": PART,
        "/positional": PART,
        "/projected": f"{{type: array, items: {PART}}}",
        "/bare": PART,
        "/null": PART,
        "/emptied": PART,
    }
    paths = "".join(
        f"{path}: {{get: {{responses: {{'200': {{description: ok, "
        f"content: {{application/json: {{schema: {schema}}}}}}}}}}}}}\n"
        for path, schema in shapes.items()
    )
    found = judged(tmp_path, {"Parts.cs": MEMBERS}, paths)
    assert [one for one in found.findings if "nullable" in one] == [
        "GET /bare nullable: part",
        "GET /emptied nullable: part",
        "GET /null nullable: part",
    ]


def test_an_attribute_that_puts_a_variable_of_the_environment_before_its_template(
    tmp_path: Path,
) -> None:
    source = """
        using Microsoft.AspNetCore.Mvc;
        namespace Shop;
        public sealed class BasePathAttribute : RouteAttribute {
          public BasePathAttribute(string variable, string? template = null)
            : base(template == null
                ? $"{Environment.GetEnvironmentVariable(variable) ?? throw new Exception("unset")}"
                : $"{Environment.GetEnvironmentVariable(variable)}/{template}") { }
        }
        public record Counted(int Count);
        public record Named(string Count);
        [ApiController, BasePath("BASE_PATH", "orders")]
        public class OrderController : ControllerBase {
          [HttpGet("open")] public Counted Open() => new Counted(1);
          [HttpGet("closed")] public Named Closed() => new Named("");
        }
        [ApiController, BasePath("BASE_PATH")]
        public class ShelfController : ControllerBase {
          [HttpGet("shelves")] public Counted Shelves() => new Counted(1);
        }
        """
    paths = "".join(
        operation(f"/api/shop/{path}", "integer")
        for path in ("orders/open", "orders/closed", "shelves")
    )
    found = judged(tmp_path, {"Shop.csproj": PROJECT, "Orders.cs": source}, paths)
    assert found.findings == ["GET /api/shop/orders/closed type: count"]
    assert found.verified == 2


def test_the_content_types_of_an_action_replace_those_of_its_controller(tmp_path: Path) -> None:
    source = """
        using Microsoft.AspNetCore.Mvc;
        namespace Shop;
        public record Upload(string Title, IFormFile File);
        public record Order(int Count);
        [ApiController, Route("orders"), Consumes("application/json")]
        public class OrderController : ControllerBase {
          [HttpPost] public IActionResult Add(Order order) => NoContent();
          [HttpPost("file"), Consumes("multipart/form-data")]
          public IActionResult File([FromForm] Upload upload) => NoContent();
          [HttpPost("text"), Consumes("multipart/form-data")]
          public IActionResult Text([FromForm] Upload upload) => NoContent();
        }
        """

    def posted(path: str, kinds: str) -> str:
        content = f"requestBody: {{content: {{{kinds}}}}}"
        return f"{path}: {{post: {{{content}, responses: {{'204': {{description: ok}}}}}}}}\n"

    members = "{Title: {type: string}, File: {type: string, format: binary}}"
    form = f"{{schema: {{type: object, properties: {members}}}}}"
    order = "{schema: {type: object, required: [count], properties: {count: {type: integer}}}}"
    paths = (
        posted("/orders", f"application/json: {order}")
        + posted("/orders/file", f"multipart/form-data: {form}")
        + posted("/orders/text", f"application/json: {form}")
    )
    found = judged(tmp_path, {"Shop.csproj": PROJECT, "Orders.cs": source}, paths)
    assert found.findings == ["POST /orders/text shape"]
    assert found.verified == 2


def test_an_arm_of_a_switch_expression_that_an_argument_picks(tmp_path: Path) -> None:
    source = """
        using Microsoft.AspNetCore.Mvc;
        namespace Shop;
        public enum View { Short, Long, Raw }
        public record Tally(int Count);
        public record Words(string Count);
        [ApiController]
        public class Views : ControllerBase {
          private object Shown(View view) => view switch {
            View.Short => new Tally(1),
            View.Long or View.Raw => new Words(""),
            _ => throw new ArgumentException(),
          };
          [HttpGet("/short")] public IActionResult Short() => Ok(Shown(View.Short));
          [HttpGet("/long")] public IActionResult Long() => Ok(Shown(View.Long));
        }
        """
    paths = operation("/short", "integer") + operation("/long", "integer")
    found = judged(tmp_path, {"Shop.csproj": PROJECT, "Views.cs": source}, paths)
    assert found.findings == ["GET /long type: count"]
    assert found.verified == 1


def test_routes_that_an_object_of_the_project_maps_with_what_it_was_made_of(
    tmp_path: Path,
) -> None:
    builder = """
        using Microsoft.AspNetCore.Routing;
        namespace Shop;
        public class Versions {
          public static readonly Version V1 = new(1.1, "v1");
          public static readonly Version V2 = new(2.0, "v2");
          public class Version(double number, string name) {
            public double Number { get; } = number;
            public string Name { get; } = name;
            public override string ToString() => Name;
          }
        }
        public class Routes {
          private Routes(IEndpointRouteBuilder routes, Verb verb, string path, Delegate handler) {
            _routes = routes; _verb = verb; _path = path.Trim('/'); _handler = handler;
          }
          private readonly IEndpointRouteBuilder _routes;
          private readonly Verb? _verb;
          private readonly string _path;
          private readonly Delegate? _handler;
          private bool _anonymous = false;
          public static Routes MapGet(IEndpointRouteBuilder routes, string path, Delegate handler)
            => new(routes, Verb.Get, path, handler);
          public static Routes MapPost(IEndpointRouteBuilder routes, string path, Delegate handler)
            => new(routes, Verb.Post, path, handler);
          public Routes Anonymous() { _anonymous = true; return this; }
          public void For(params Versions.Version[] versions) { For("", false, versions); }
          public void For(string policy, bool open = false, params Versions.Version[] versions) {
            foreach (var version in versions) {
              var whole = $"/{version}/{_path}";
              var mapped = _verb switch {
                Verb.Get => _routes.MapGet(whole, _handler),
                Verb.Post => _routes.MapPost(whole, _handler),
                _ => throw new ArgumentException()
              };
              if (!_anonymous) mapped.RequireAuthorization();
            }
          }
          private enum Verb { Get, Post }
        }
        """
    orders = """
        namespace Shop;
        public record Tally(int Count);
        public record Words(string Count);
        public static class Orders {
          public static void Map(IEndpointRouteBuilder routes) {
            Routes.MapGet(routes, "/orders", All).Anonymous().For(Versions.V1, Versions.V2);
            Routes.MapGet(routes, "/shelves/{id}", One).For(Versions.V2);
            Routes.MapPost(routes, "/orders", One).For(Versions.V2);
          }
          static IResult All() => Results.Ok(new Tally(1));
          static IResult One(string id) => Results.Ok(new Words(""));
        }
        """
    program = (
        "var app = WebApplication.CreateBuilder(args).Build();\nOrders.Map(app);\napp.Run();\n"
    )
    one = "{name: id, in: path, required: true, schema: {type: string}}"
    paths = (
        operation("/v1/orders", "integer")
        + operation("/v2/orders", "integer")
        + operation("/v2/shelves/{id}", "integer").replace(
            "{get: {", f"{{get: {{parameters: [{one}], "
        )
        + operation("/v1/shelves", "integer")
    )
    files = {
        "Shop.csproj": PROJECT,
        "Builder.cs": builder,
        "Orders.cs": orders,
        "Program.cs": f"using Shop;\n{program}",
    }
    found = judged(tmp_path, files, paths)
    assert found.findings == [
        "GET /v1/shelves missing-endpoint",
        "GET /v2/shelves/{id} type: count",
        "POST /v2/orders undocumented-endpoint (warning)",
    ]
    assert found.verified == 2


def test_a_class_that_no_serializer_can_make_is_a_service_and_no_body(tmp_path: Path) -> None:
    source = """
        namespace Shop;
        public interface IStore { }
        public class Reset { private readonly IStore _store;
          public Reset(IStore store) { _store = store; } }
        public class Close(IStore store) { public int Done() => 1; }
        public class Change {
          public Change(int count) { Count = count; }
          public int Count { get; }
        }
        public class Program {
          public static void Main(string[] args) {
            var app = WebApplication.CreateBuilder(args).Build();
            app.MapPut("/reset", (Reset reset) => Results.NoContent());
            app.MapPut("/close", (Close close) => Results.NoContent());
            app.MapPut("/change", (Change change) => Results.NoContent());
          }
        }
        """
    paths = "".join(
        f"{path}: {{put: {{responses: {{'204': {{description: ok}}}}}}}}\n"
        for path in ("/reset", "/close", "/change")
    )
    found = judged(tmp_path, {"Shop.csproj": PROJECT, "Program.cs": source}, paths)
    assert found.findings == ["PUT /change shape"]
    assert found.verified == 2


MODELS = """
    #nullable enable
    using System.Text.Json;
    using System.Text.Json.Serialization;
    public class Detector {
      [JsonPropertyName("version")] public int Version { get; set; }
      [JsonPropertyName("note")]
      [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)]
      public string? Note { get; set; }
      [JsonPropertyName("mark")] public string Mark { get; set; } = "";
    }
    public class Lock { public string Name { get; set; } = ""; }
    public class Npm {
      static readonly JsonSerializerOptions Options =
        new() { PropertyNamingPolicy = JsonNamingPolicy.CamelCase };
      public static Lock? Read(string text) => JsonSerializer.Deserialize<Lock>(text, Options);
    }
    public class Cargo {
      static readonly JsonSerializerOptions Options =
        new() { PropertyNamingPolicy = JsonNamingPolicy.SnakeCaseLower };
      public static Lock? Read(string text) => JsonSerializer.Deserialize<Lock>(text, Options);
    }
"""


def test_policies_for_other_types_and_a_field_that_is_left_out_where_it_is_null(
    tmp_path: Path,
) -> None:
    text = {"type": ["string", "null"]}
    fields = {"version": {"type": "string"}, "note": text, "mark": text}
    schema = {"type": "object", "properties": fields}
    (tmp_path / "Shop.csproj").write_text(PROJECT)
    (tmp_path / "Models.cs").write_text(MODELS)
    (tmp_path / "detector.schema.json").write_text(
        json.dumps({"$schema": "http://json-schema.org/draft-07/schema#", **schema})
    )
    report = scan(tmp_path, cache=False)
    assert [(f.kind, f.field) for f in report.findings] == [
        ("type", "version"),
        ("nullable", "mark"),
    ]
    assert report.undetermined == ()


VALIDATED = """
    #nullable enable
    using FluentValidation;
    using MediatR;
    using Microsoft.AspNetCore.Builder;
    var app = WebApplication.Create();
    app.MapPut("/lines/{id}", async (Guid id, Line line, ISender sender) => {
      line.Id = id;
      await sender.Send(line);
      return Results.NoContent();
    });
    app.Run();
    public record Line : IRequest<Unit> {
      public Guid Id { get; set; }
      public string? Name { get; set; }
      public Guid Shop { get; set; }
      public int Count { get; set; }
      public string? Note { get; set; }
      public string Mark { get; set; } = "plain";
    }
    public class LineValidator : AbstractValidator<Line> {
      public LineValidator() {
        RuleFor(x => x.Id).NotEmpty();
        RuleFor(x => x.Name).MaximumLength(9).NotEmpty().WithMessage("who?");
        RuleFor(x => x.Shop).NotEmpty();
        RuleFor(x => x.Count).NotNull();
        RuleFor(x => x.Mark).NotEmpty();
        RuleFor(x => x.Note).NotEmpty().When(x => x.Count > 1);
      }
    }
    public class Sizes : AbstractValidator<Other> {
      public Sizes() { RuleFor(x => x.Note).NotEmpty(); }
    }
    public record Other(string Note) : IRequest<Unit>;
"""
BEHAVIOUR = """
    public class Validation<TRequest, TResponse>(IEnumerable<IValidator<TRequest>> validators)
        : IPipelineBehavior<TRequest, TResponse> { }
"""


def test_members_that_a_validator_asks_for_are_required(tmp_path: Path) -> None:
    fields = ", ".join(f"{name}: {{type: string}}" for name in ("id", "name", "note", "mark"))
    body = f"{{type: object, properties: {{{fields}, shop: {{type: string, format: uuid}}}}}}"
    content = f"{{content: {{application/json: {{schema: {body}}}}}, required: true}}"
    key = "{in: path, name: id, required: true, schema: {type: string, format: uuid}}"
    paths = (
        f"/lines/{{id}}: {{put: {{parameters: [{key}], requestBody: {content},"
        " responses: {'204': {description: ok}}}}"
    ).replace("id: {type: string}", "id: {type: string, format: uuid}")
    files = {"Shop.csproj": PROJECT, "Lines.cs": VALIDATED}
    by_hand = "    public class Own(IValidator<Line> validator) { }\n"
    found = judged(tmp_path / "piped", {**files, "Validation.cs": BEHAVIOUR}, paths)
    assert found.findings == [
        "PUT /lines/{id} required: name",
        "PUT /lines/{id} required: shop",
    ]
    found = judged(tmp_path / "by hand", {**files, "Own.cs": by_hand}, paths)
    assert (found.findings, found.verified) == ([], 0)
    assert found.undetermined == ["PUT /lines/{id} name", "PUT /lines/{id} shop"]
    assert judged(tmp_path / "not run", files, paths).verified == 1


@pytest.mark.parametrize(
    ("registration", "findings", "undetermined"),
    [
        ("services.AddValidatorsFromAssembly(assembly)", [], []),
        (
            "services.AddValidatorsFromAssembly(assembly, includeInternalTypes: true)",
            ["PUT /lines required: name"],
            [],
        ),
        ("services.AddScoped<IValidator<Line>, LineValidator>()", [], ["PUT /lines name"]),
        ("services.Scan(scan => scan.FromAssemblies(assembly))", [], ["PUT /lines name"]),
    ],
)
def test_a_validator_that_is_not_public_counts_where_it_is_registered(
    tmp_path: Path, registration: str, findings: list[str], undetermined: list[str]
) -> None:
    lines = """
    #nullable enable
    using FluentValidation;
    using MediatR;
    using Microsoft.AspNetCore.Builder;
    var app = WebApplication.Create();
    app.MapPut("/lines", async (Line line, ISender sender) => {
      await sender.Send(line);
      return Results.NoContent();
    });
    app.Run();
    public record Line : IRequest<Unit> { public string? Name { get; set; } }
    internal class LineValidator : AbstractValidator<Line> {
      public LineValidator() { RuleFor(x => x.Name).NotEmpty(); }
    }
    """
    body = "{type: object, properties: {name: {type: string}}}"
    content = f"{{content: {{application/json: {{schema: {body}}}}}, required: true}}"
    answer_204 = "responses: {'204': {description: ok}}"
    files = {
        "Shop.csproj": PROJECT,
        "Lines.cs": lines,
        "Validation.cs": BEHAVIOUR,
        "Setup.cs": f"public class Setup {{ void Add() {{ {registration}; }} }}",
    }
    found = judged(tmp_path, files, f"/lines: {{put: {{requestBody: {content}, {answer_204}}}}}")
    assert (found.findings, found.undetermined) == (findings, undetermined)


TEXT = "{type: object, properties: {code: {type: string}}}"


GIVEN = """
    #nullable enable
    using System.Text.Json;
    using Microsoft.AspNetCore.Mvc;
    public class Given { public string? Code { get; set; } }
    public class Bare { public string? Code { get; set; } }
    public class Unsure { public string? Code { get; set; } }
    public class Read { public string? Code { get; set; } }
    public class Other { public string? Name { get; set; } }
    public class Taken { public string? Code { get; set; } }
    public static class Make {
      public static Given Given(string code) { return Same(new Given { Code = code }); }
      private static Given Same(Given given) => given;
      public static Other Other() => new() { Name = "a" };
      public static Bare Bare(bool is_known) {
        return is_known ? new Bare { Code = "a" } : new Bare();
      }
      public static Unsure Unsure(string? code) { return new Unsure { Code = code }; }
      public static Read Read(string text) {
        return JsonSerializer.Deserialize<Read>(text) ?? new Read { Code = "a" };
      }
    }
    [ApiController]
    public class ErrorsController : ControllerBase {
      [HttpGet("/given")] public Given Given() => Make.Given("a");
      [HttpGet("/bare")] public Bare Bare() => Make.Bare(true);
      [HttpGet("/unsure")] public Unsure Unsure() => Make.Unsure(null);
      [HttpGet("/read")] public Read Read() => Make.Read("{}");
      [HttpGet("/taken")] public Taken Taken() => new Store().Load(new Taken { Code = "a" });
      [HttpPost("/other")] public void Take(Taken taken) { }
    }
"""


def test_a_nullable_member_that_every_construction_gives_is_undetermined(tmp_path: Path) -> None:
    names = ("given", "bare", "unsure", "read", "taken")
    found = judged(tmp_path, {"Errors.cs": GIVEN}, "".join(answer(name, "200") for name in names))
    assert [one for one in found.findings if "nullable" in one] == [
        "GET /bare nullable: code",
        "GET /read nullable: code",
        "GET /taken nullable: code",
        "GET /unsure nullable: code",
    ]


def answer(name: str, status: str) -> str:
    """An operation whose response of a status has a code, a text that is not null."""
    content = f"{{description: d, content: {{application/json: {{schema: {TEXT}}}}}}}"
    return f"/{name}: {{get: {{responses: {{'{status}': {content}}}}}}}\n"


def test_an_error_that_only_an_attribute_lists_is_a_warning(tmp_path: Path) -> None:
    source = """
        #nullable enable
        using Microsoft.AspNetCore.Mvc;
        public class Failure { public string? Code { get; set; } }
        [ApiController]
        public class ErrorsController : ControllerBase {
          [HttpGet("/listed")] [ProducesResponseType(typeof(Failure), 500)]
          public IActionResult Listed() => Ok();
          [HttpGet("/sent")]
          public IActionResult Sent(Failure failure) => StatusCode(500, failure);
        }
    """
    paths = answer("listed", "500") + answer("sent", "500")
    found = judged(tmp_path, {"Errors.cs": source}, paths)
    assert [one for one in found.findings if "nullable" in one] == [
        "GET /listed nullable: code (warning)",
        "GET /sent nullable: code",
    ]
