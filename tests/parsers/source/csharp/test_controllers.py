"""ASP.NET Core controllers: routes, what they read, what they answer."""

from __future__ import annotations

from pathlib import Path

import pytest

from contract_scan.api import extract
from contract_scan.parsers.source.csharp.web.templates import combine, parse
from tests.parsers.source.csharp.project import CSPROJ, PROBLEM, Project

DTOS = """
    namespace App;
    public record Order(int Id, string? Note);
    public record CreateOrder(string Sku, int Count);
    public class Page<T> { public List<T> Items { get; set; } = []; public int Total { get; set; } }
    public class Filter { public int Page { get; set; } public string? Sort { get; set; } }
"""
ORDER = "{id: integer(int32), note: string|null}"
ORDER_WITH_NULL = ORDER.replace("string|null", "nothing|null")
READ = "{id?: integer(int32), note?: string|null}"


def project(folder: Path, source: str, **others: str) -> Project:
    files = {"App.csproj": CSPROJ, "Dtos.cs": DTOS, "C.cs": "namespace App;\n" + source}
    files |= {f"{name}.cs": text for name, text in others.items()}
    return Project(folder, files)


@pytest.mark.parametrize(
    ("template", "path"),
    [
        ("api/orders", "/api/orders"),
        ("/api//orders/", "/api/orders"),
        ("", "/"),
        ("{id:int}", "/{id}"),
        ("{id:int:min(1)}/x", "/{id}/x"),
        ("{code:regex(^[a-z]{{3}}$)}", "/{code}"),
        ("{*rest}", "/{rest*}"),
        ("{**rest}", "/{rest*}"),
        ("a{{b}}", "/a{b}"),
        ("{page=1}", "/{page}"),
    ],
)
def test_templates(template: str, path: str) -> None:
    assert parse(template).path == path


def test_optional_ends() -> None:
    assert parse("a/{id?}").shorter == "/a"
    assert parse("a/{id:int?}").shorter == "/a"
    assert parse("a/{page=1}").shorter == "/a"
    assert parse("{id?}").shorter == "/"
    assert parse("a/{id}").shorter is None


def test_an_absolute_template_replaces_the_controllers() -> None:
    assert combine("api", "/x") == "/x"
    assert combine("api", "~/x") == "/x"
    assert combine("api", "x") == "api/x"
    assert combine("api", None) == "api"
    assert combine("", "x") == "x"


def test_class_and_method_templates_multiply(tmp_path: Path) -> None:
    found = project(
        tmp_path,
        """
        [ApiController, Route("api/[controller]"), Route("v2/orders")]
        public class OrdersController : ControllerBase
        {
            const string One = "{id:int}";
            [HttpGet] public IActionResult List() => NoContent();
            [HttpGet(One)] public IActionResult Get(int id) => NoContent();
            [HttpPost("[action]")] public IActionResult CancelAsync() => NoContent();
            [HttpPut("~/absolute/{id}")] public IActionResult Put(int id) => NoContent();
            [AcceptVerbs("PUT", "PATCH", Route = "many")] public void Many() { }
            [HttpDelete, Route("gone/{id?}")] public void Delete(int? id) { }
            [NonAction] public void NotMe() { }
            public static void NorMe() { }
            void NorThis() { }
        }
        """,
    )
    assert found.routes() == [
        "DELETE /api/Orders/gone hidden",
        "DELETE /api/Orders/gone/{id}",
        "DELETE /v2/orders/gone hidden",
        "DELETE /v2/orders/gone/{id}",
        "GET /api/Orders",
        "GET /api/Orders/{id}",
        "GET /v2/orders",
        "GET /v2/orders/{id}",
        "PATCH /api/Orders/many",
        "PATCH /v2/orders/many",
        "POST /api/Orders/Cancel",
        "POST /v2/orders/Cancel",
        "PUT /absolute/{id}",
        "PUT /absolute/{id}",
        "PUT /api/Orders/many",
        "PUT /v2/orders/many",
    ]


def test_a_verb_without_template_stands_beside_one_with_a_template(tmp_path: Path) -> None:
    found = project(
        tmp_path,
        """
        [ApiController, Route("boats")]
        public class BoatsController : ControllerBase
        { [HttpGet, HttpGet("{id}")] public IActionResult Get(string? id) => NoContent(); }
        """,
    )
    assert found.routes() == ["GET /boats", "GET /boats/{id}"]


def test_inherited_actions_and_attributes(tmp_path: Path) -> None:
    found = project(
        tmp_path,
        """
        [ApiController] [Route("api/[controller]")]
        public abstract class CrudController<T> : ControllerBase
        {
            [HttpGet("{id}")] public virtual ActionResult<T> Get(int id) => Find(id);
            [HttpDelete("{id}")] public virtual void Delete(int id) { }
            protected abstract T Find(int id);
        }
        public class OrdersController : CrudController<Order>
        {
            protected override Order Find(int id) => Stub.Made();
            public override void Delete(int id) { }
        }
        """,
    )
    assert found.routes() == ["DELETE /api/Orders/{id}", "GET /api/Orders/{id}"]
    assert found.responses("GET /api/Orders/{id}") == [f"(200) {ORDER}"]


def test_route_attributes_of_the_projects_own(tmp_path: Path) -> None:
    found = project(
        tmp_path,
        """
        public class VersionedAttribute : Attribute, IRouteTemplateProvider
        {
            public const string Whole = "[controller]";
            public VersionedAttribute(int version, string resource = Whole)
            { Template = $"api/v{version}/{resource}"; }
            public string Template { get; }
        }
        public class V3Attribute : VersionedAttribute
        { public V3Attribute(string resource = "[controller]") : base(3, resource) { } }
        public class ByIdAttribute : Attribute, IActionHttpMethodProvider, IRouteTemplateProvider
        {
            public IEnumerable<string> HttpMethods => new[] { "GET" };
            public string Template => "{id:int}";
        }
        public class RemoveAttribute : HttpDeleteAttribute
        { public RemoveAttribute() : base("{id}/remove") { } }
        [V3] public class TagsController : Controller
        { [ById] public void Get(int id) { } [Remove] public void Remove(int id) { } }
        [V3("named")] public class OtherController : Controller { [HttpGet] public void All() { } }
        """,
    )
    assert found.routes() == [
        "DELETE /api/v3/Tags/{id}/remove",
        "GET /api/v3/Tags/{id}",
        "GET /api/v3/named",
    ]


def test_versions_in_the_path(tmp_path: Path) -> None:
    found = project(
        tmp_path,
        """
        [ApiVersion("1.0")] [ApiVersion("2.1")] [Route("api/v{version:apiVersion}/x")]
        public class XController : ControllerBase
        {
            [HttpGet] public void All() { }
            [HttpPost, MapToApiVersion("2.1")] public void Add() { }
        }
        """,
    )
    assert [r for r in found.routes() if "hidden" not in r] == [
        "GET /api/v1/x",
        "GET /api/v2.1/x",
        "POST /api/v2.1/x",
    ]
    assert "GET /api/v1.0/x hidden" in found.routes()


def test_prefixes_set_by_a_convention(tmp_path: Path) -> None:
    convention = """
        public class PrefixConvention : IApplicationModelConvention
        {
            readonly AttributeRouteModel _prefix;
            public PrefixConvention(IRouteTemplateProvider p)
            { _prefix = new AttributeRouteModel(p); }
            public void Apply(ApplicationModel a)
            { x = AttributeRouteModel.CombineAttributeRouteModel(_prefix, s.AttributeRouteModel); }
        }
        public static class Ext
        {
            public static void UsePrefix(this MvcOptions o, string prefix) =>
                o.Conventions.Insert(0, new PrefixConvention(new RouteAttribute(prefix)));
        }
    """
    controller = """
        [Route("x")] public class XController : ControllerBase { [HttpGet] public void All() { } }
    """
    told = project(
        tmp_path / "told",
        controller,
        P=convention,
        S='services.AddControllers(o => o.UsePrefix("api/v1"));',
    )
    assert told.routes() == ["GET /api/v1/x"]
    unused = project(tmp_path / "unused", controller, P=convention.replace("Insert", "Inset"))
    assert unused.routes() == ["GET /x ?the convention `PrefixConvention` changes routes"]


def test_controllers_mapped_by_convention_are_hidden(tmp_path: Path) -> None:
    source = "public class HomeController : Controller { public IActionResult Index() => View(); }"
    mapped = 'app.MapControllerRoute("default", "{controller=Home}/{action=Index}/{id?}");'
    assert project(tmp_path / "a", source, P=mapped).routes() == [
        "* / hidden",
        "* /Home hidden",
        "* /Home/Index hidden",
        "* /Home/Index/{id} hidden",
    ]
    assert project(tmp_path / "b", source).routes() == []


def test_templates_of_routes_by_convention(tmp_path: Path) -> None:
    source = """
        public class HomeController : Controller
        { public IActionResult Index() => View(); [ActionName("list")] public void All() { } }
        [Area("Admin")] public class UsersController : Controller { public void Show(int id) { } }
        public class OtherController : Controller { public void Show() { } }
    """
    mapped = """
        app.MapAreaControllerRoute("admin", "Admin", "manage/{controller}/{action}/{id}");
        app.MapControllerRoute("areas", "{area:exists}/{controller}/{action}");
        app.MapControllerRoute("home", "start/{action}", new { controller = "Home" });
        app.MapControllerRoute(name: "x", pattern: builder.Configuration["x"]);
    """
    assert project(tmp_path, source, P=mapped).routes() == [
        "* /Admin/Users/Show hidden",
        "* /Other/Show hidden ?the template of a route by convention is not constant",
        "* /manage/Users/Show/{id} hidden",
        "* /start/Index hidden",
        "* /start/list hidden",
    ]


def test_clients_and_plain_classes_are_no_controllers(tmp_path: Path) -> None:
    found = project(
        tmp_path,
        """
        public interface IOrdersApi { [Get("/orders")] Task<Order> Get(); }
        [NonController] public class OldController : Controller
        { [HttpGet("x")] public void X() { } }
        public class GameController { public void Play() { } }
        """,
    )
    assert found.routes() == []


def test_what_a_controller_reads(tmp_path: Path) -> None:
    found = project(
        tmp_path,
        """
        public interface IClock { }
        [ApiController, Route("x/{tenant}")]
        public class XController : ControllerBase
        {
            [HttpPost("{id:guid}")]
            public void Post(
                Guid id, [FromQuery(Name = "q")] string search, string? sort, int page,
                DateOnly from = default, [FromHeader(Name = "X-Key")] string? key = null,
                List<string> tags = null, CreateOrder body, IClock clock, CancellationToken ct,
                [FromQuery] Filter filter) { }
            [HttpPut, Consumes("application/json", "text/json")] public void Put(Order? body) { }
            [HttpPost("up")] public void Upload(IFormFile file, [FromForm] string title) { }
            [HttpGet("raw")] public void Raw() { var x = Request.Query["x"]; }
        }
        """,
    )
    assert found.parameters("POST /x/{tenant}/{id}") == [
        "path id: string(uuid)",
        "query q: string",
        "query sort?: string|null",
        "query page?: integer(int32)",
        "query from?=: string(date)",
        "header X-Key?=: string|null",
        "query page?: integer(int32)",
        "query sort?: string|null",
        "path tenant: ?nothing reads the parameter `tenant`?",
    ]
    assert found.request("POST /x/{tenant}/{id}") == [
        "[string|null]",
        "{sku!: string, count?: integer(int32)}!",
    ]
    assert found.request("PUT /x/{tenant}") == [f"{READ}|null", f"text/json {READ}|null"]
    assert found.request("POST /x/{tenant}/up") == [
        "multipart/form-data {file~: string(binary), title~: string}"
    ]
    assert found.parameters("GET /x/{tenant}/raw")[-1] == "…"


def test_forms_with_files(tmp_path: Path) -> None:
    found = project(
        tmp_path,
        """
        public class Upload
        {
            public string Name { get; set; }
            public IFormFile File { get; set; }
            public IList<IFormFile>? More { get; set; }
            public Dictionary<string, string> Tags { get; set; }
        }
        [ApiController, Route("x")]
        public class XController : ControllerBase
        {
            [HttpPost("many")] public void Many([FromForm] List<IFormFile> files) { }
            [HttpPost("all")] public void All(IFormFileCollection files) { }
            [HttpPost("class")] public void Class([FromForm] Upload upload) { }
            [HttpGet] public void Get([FromQuery] Upload upload) { }
            [HttpPost("kind")] public void OfKind([FromForm] Kind kind) { }
        }
        public enum Kind { Small, Big }
        """,
    )
    files = "[string(binary)]"
    assert found.request("POST /x/many") == [f"multipart/form-data {{files~: {files}}}"]
    assert found.request("POST /x/all") == [f"multipart/form-data {{files~: {files}}}"]
    undetermined = "?how `Tags` is read from texts is not known?"
    assert found.request("POST /x/class") == [
        "multipart/form-data {name~: string, file~: string(binary), "
        f"more~: {files}, tags~: {undetermined}}}"
    ]
    assert found.parameters("GET /x")[-1] == f"query tags?: {undetermined}"
    assert found.request("POST /x/kind") == [
        "application/x-www-form-urlencoded {kind~: 'Small'|'Big' or integer}"
    ]


def test_without_api_controller_nothing_is_refused(tmp_path: Path) -> None:
    found = project(
        tmp_path,
        """
        [Route("x")] public class XController : Controller
        { [HttpPost] public void Post(string q, Filter f, [FromBody] Order o) { } }
        """,
    )
    assert found.parameters("POST /x") == [
        "query q~: string",
        "query page?: integer(int32)",
        "query sort?: string|null",
    ]
    assert found.request("POST /x") == [f"{READ}!"]


ANSWERS = """
    [ApiController, Route("x")]
    public class XController(Service service) : ControllerBase
    {
        [HttpGet("value")] public Order Value() => service.Get();
        [HttpGet("task")] public async Task<List<Order>> Tasked() => await service.All();
        [HttpGet("text")] public string Text() => "x";
        [HttpGet("nothing")] public void Nothing() { }
        [HttpGet("typed")] public async Task<ActionResult<Order>> Typed(int id)
        {
            var order = await service.Find(id);
            if (order is null) return NotFound();
            return order;
        }
        [HttpGet("plain")] public async Task<IActionResult> Plain(int id)
        {
            var order = await service.Find(id);
            return order == null ? NotFound(new { Message = "gone" }) : Ok(order);
        }
        [HttpPost("created")] public IActionResult Create(CreateOrder c) =>
            CreatedAtAction(nameof(Plain), new { id = 1 }, service.Get());
        [HttpPost("status")] public IActionResult Status() =>
            StatusCode(StatusCodes.Status202Accepted, new { Done = true, service.Get().Id });
        [HttpPost("object")] public IActionResult Result() =>
            new ObjectResult(service.Get()) { StatusCode = 201 };
        [HttpGet("local")] public IActionResult Local()
        {
            IActionResult result;
            if (flag) result = Ok(service.Page()); else result = BadRequest();
            return result;
        }
        [HttpGet("own")] public IActionResult Own() => Answer(service.Get());
        IActionResult Answer(Order? order) => order is null ? NotFound() : Ok(order);
        [HttpGet("match")] public IActionResult Match() =>
            service.Try().Match(o => Ok(o), e => Problem());
        [HttpGet("foreign")] public IActionResult Foreign() => library.Answer();
        [ProducesResponseType(typeof(Order), 200)] [ProducesResponseType(404)]
        [HttpGet("announced")] public IActionResult Announced() => library.Answer();
        [ProducesResponseType<Page<Order>>(StatusCodes.Status200OK)]
        [HttpGet("both")] public IActionResult Both() => Ok(library.Get());
        [HttpGet("file")] public IActionResult Download() => File(bytes, "application/pdf");
        [HttpGet("hand")] public IActionResult Hand() => Content(json, "application/json");
        [HttpGet("written")] public IActionResult Written() => Content(
            JsonSerializer.Serialize(new { Count = 1 }), "application/json; charset=utf-8");
        [HttpGet("written-result")] public IActionResult WrittenResult() =>
            Written(new { Count = 1 });
        static IActionResult Written(object it) => new ContentResult {
            Content = JsonConvert.SerializeObject(it), ContentType = "application/json",
            StatusCode = 200 };
        [HttpGet("csv")] public IActionResult Table() =>
            new ContentResult { Content = rows, ContentType = "text/csv" };
        [HttpGet("object-typed")] public object Free() => new { Count = 1, Items = service.All2() };
    }
    public class Service
    {
        public Order Get() => Stub.Made();
        public Task<Order?> Find(int id) => Stub.Made();
        public Task<List<Order>> All() => Stub.Made();
        public List<Order> All2() => Stub.Made();
        public Page<Order> Page() => Stub.Made();
        public ErrorOr<Order> Try() => default;
    }
"""


@pytest.mark.parametrize(
    ("route", "expected"),
    [
        ("value", [f"(200) {ORDER}"]),
        ("task", [f"(200) [{ORDER}]"]),
        ("text", ["(200) text/plain string string"]),
        ("nothing", ["(200)"]),
        ("typed", [f"(200) {ORDER}", f"404 {PROBLEM}"]),
        ("plain", [f"200 {ORDER}", "404 {message!: 'gone'}"]),
        ("local", [f"200 {{items: [{ORDER}], total: integer(int32)}}", f"400 {PROBLEM}"]),
        ("own", [f"200 {ORDER}", f"404 {PROBLEM}"]),
        ("match", [f"200 {ORDER}", f"500 {PROBLEM}"]),
        ("foreign", ["…"]),
        ("announced", [f"200 {ORDER}", "404", "…"]),
        ("both", [f"200 {{items: [{ORDER}], total: integer(int32)}}", "…"]),
        ("file", ["200 application/pdf string(binary)"]),
        ("hand", ["200 ?the JSON text is made by hand?"]),
        ("written", ["200 {Count!: 1}"]),
        ("written-result", ["200 {Count!: 1}"]),
        ("csv", ["200 text/csv string"]),
        ("object-typed", [f"(200) {{count!: 1, items!: [{ORDER}]}}"]),
    ],
)
def test_answers(tmp_path: Path, route: str, expected: list[str]) -> None:
    assert project(tmp_path, ANSWERS).responses(f"GET /x/{route}") == expected


@pytest.mark.parametrize(
    ("route", "expected"),
    [
        ("created", [f"201 {ORDER}"]),
        ("status", ["202 {done!: True, id!: integer(int32)}"]),
        ("object", [f"201 {ORDER}"]),
    ],
)
def test_answers_of_posts(tmp_path: Path, route: str, expected: list[str]) -> None:
    assert project(tmp_path, ANSWERS).responses(f"POST /x/{route}") == expected


def test_requests_sent_through_a_mediator(tmp_path: Path) -> None:
    found = project(
        tmp_path,
        """
        public record Get(int Id) : IRequest<Order>;
        public class Search : IRequest<Page<Order>> { }
        [Route("x")] public class XController(IMediator mediator) : ControllerBase
        {
            [HttpGet("{id}")] public async Task<IActionResult> One(int id) =>
                Ok(await mediator.Send(new Get(id)));
            [HttpPost] public async Task<IActionResult> All([FromBody] Search search)
            { var page = await mediator.Send(search); return Ok(page); }
        }
        """,
    )
    assert found.responses("GET /x/{id}") == [f"200 {ORDER}"]
    assert found.responses("POST /x") == [f"200 {{items: [{ORDER}], total: integer(int32)}}"]


def test_the_constant_of_a_status_as_a_body(tmp_path: Path) -> None:
    found = project(
        tmp_path,
        """
        [ApiController, Route("x")]
        public class XController : ControllerBase
        {
            [HttpGet] public IActionResult Get() => new OkObjectResult(StatusCodes.Status200OK);
            [HttpPut] public IActionResult Put()
            { int code = StatusCodes.Status202Accepted; return StatusCode(code, new Order()); }
        }
        """,
    )
    assert found.responses("GET /x") == ["200 200"]
    assert found.responses("PUT /x") == [f"202 {ORDER}"]


def test_results_that_hold_a_value(tmp_path: Path) -> None:
    found = project(
        tmp_path,
        """
        public record GetOrder(int Id) : IRequest<ErrorOr<Order>>;
        public record GetOrders : IRequest<Result<List<Order>>>;
        public record GetOne(int Id) : IRequest<OneOf<Order, NotFound>>;
        public record GetNamed(int Id) : IRequest<Found>;
        public partial class Found : OneOfBase<Order, NotFound> { }
        [ApiController, Route("x")]
        public class XController(ISender sender, IMapper mapper) : ControllerBase
        {
            [HttpGet("match")] public async Task<IActionResult> Match()
            {
                var result = await sender.Send(new GetOrder(1));
                return result.Match(o => Ok(o), e => Problem());
            }
            [HttpGet("named")] public async Task<IActionResult> Named()
            { return (await sender.Send(new GetOrder(1))).Match<IActionResult>(Ok, Problem); }
            [HttpGet("one")] public async Task<IActionResult> One() =>
                (await sender.Send(new GetOne(1))).Match(o => Ok(o), _ => NotFound());
            [HttpGet("base")] public async Task<IActionResult> Base() =>
                (await sender.Send(new GetNamed(1))).Match(o => Ok(o), _ => NotFound());
            [HttpGet("value")] public async Task<IActionResult> Value()
            {
                var result = await sender.Send(new GetOrders());
                return result.IsSuccess ? Ok(result.Value) : BadRequest(result.Error);
            }
            [HttpGet("mapped")] public async Task<IActionResult> Mapped()
            {
                var result = await sender.Send(new GetOrder(1));
                if (result.IsError) return Conflict();
                return Ok(mapper.Map<CreateOrder>(result.Value));
            }
        }
        """,
        P="""
            using App;
            var app = WebApplication.CreateBuilder(args).Build();
            app.MapGet("/minimal", async (ISender sender) =>
            {
                var result = await sender.Send(new GetOrder(1));
                return result.Match(Results.Ok, Results.BadRequest);
            });
        """,
    )
    assert found.responses("GET /x/match") == [f"200 {ORDER}", f"500 {PROBLEM}"]
    assert found.responses("GET /x/named") == [f"200 {ORDER}", f"500 {PROBLEM}"]
    assert found.responses("GET /x/one") == [f"200 {ORDER}", f"404 {PROBLEM}"]
    assert found.responses("GET /x/base") == [f"200 {ORDER}", f"404 {PROBLEM}"]
    assert found.responses("GET /x/value") == [
        f"200 [{ORDER}]",
        "400 ?the value of `Result`1.Error` comes from a library?",
    ]
    assert found.responses("GET /x/mapped") == [
        "200 {sku: string, count: integer(int32)}",
        f"409 {PROBLEM}",
    ]
    assert found.responses("GET /minimal") == [
        f"200 {ORDER}",
        "400 ?what the result holds is not known?",
    ]


def test_queries_mappers_and_extension_methods(tmp_path: Path) -> None:
    found = project(
        tmp_path,
        """
        public class Row { public int Id { get; set; } public string Secret { get; set; } = ""; }
        public class Db : DbContext { public DbSet<Row> Rows { get; set; } }
        public static class Mapping
        {
            public static Order ToDto(this Row row) => new Order(row.Id, null);
            public static List<Order> ToDto(this IEnumerable<Row> rows) =>
                rows.Select(ToDto).ToList();
        }
        [Route("x")] public class XController(Db db, IMapper mapper) : ControllerBase
        {
            [HttpGet("a")] public async Task<IActionResult> A() =>
                Ok(await db.Rows.Where(r => r.Id > 1).Select(r => new { r.Id }).ToListAsync());
            [HttpGet("b")] public IActionResult B() => Ok(mapper.Map<List<Order>>(db.Rows));
            [HttpGet("c")] public IActionResult C() => Ok(db.Rows.First().ToDto());
            [HttpGet("d")] public IActionResult D() => Ok(db.Rows.ToList().ToDto());
            [HttpGet("e")] public async Task<IActionResult> E()
            {
                var row = await db.Rows.FirstOrDefaultAsync();
                if (row == null) return NotFound();
                return Ok(new { row.Id, Map = new Dictionary<string, int> { ["Aa"] = 1 } });
            }
            [HttpGet("f")] public IActionResult F() => Ok(from r in db.Rows select r.ToDto());
        }
        """,
    )
    assert found.responses("GET /x/a") == ["200 [{id!: integer(int32)}]"]
    assert found.responses("GET /x/b") == [f"200 [{ORDER}]"]
    assert found.responses("GET /x/c") == [f"200 {ORDER_WITH_NULL}"]
    assert found.responses("GET /x/d") == [f"200 [{ORDER_WITH_NULL}]"]
    assert found.responses("GET /x/e") == ["200 {id!: integer(int32), map!: {Aa!: 1}}", "404"]
    assert found.responses("GET /x/f") == [f"200 [{ORDER_WITH_NULL}]"]


def test_extension_methods_are_those_of_the_namespaces_in_scope(tmp_path: Path) -> None:
    """Two versions of an API map the same rows, each with an extension method of one name."""
    rows = "namespace App.Data; public class Row { public int Id { get; set; } }"
    version = """
        namespace App.VERSION;
        using App.Data;
        public record RowDto(int VERSION);
        public static class Mapping
        {
            public static RowDto ToDto(this Row row) => new RowDto(row.Id);
        }
    """
    controller = """
        namespace App.VERSION.Http;
        using App.Data;
        [Route("NAME")] public class CController(Db db) : ControllerBase
        {
            [HttpGet] public object A() => db.Find<Row>().ToDto();
        }
    """
    files = {"App.csproj": CSPROJ, "Row.cs": rows}
    for name in ("V1", "V2"):
        files[f"{name}/Dto.cs"] = version.replace("VERSION", name)
        files[f"{name}/C.cs"] = controller.replace("VERSION", name).replace("NAME", name)
    files["V3/C.cs"] = "using App.V2;\n" + (
        controller.replace("VERSION", "V3").replace("NAME", "V3")
    )
    files["Db.cs"] = "namespace App; public class Db { public T Find<T>() => throw null!; }"
    found = Project(tmp_path, files)
    assert found.responses("GET /V1") == ["(200) {v1: integer(int32)}"]
    assert found.responses("GET /V2") == ["(200) {v2: integer(int32)}"]
    assert found.responses("GET /V3") == ["(200) {v2: integer(int32)}"]


def test_the_filter_loses_nothing(tmp_path: Path) -> None:
    files = {"App.csproj": CSPROJ, "Dtos.cs": DTOS, "C.cs": "namespace App;\n" + ANSWERS}
    with_filter = Project(tmp_path / "on", files).code.operations_with_answers
    assert (
        Project(tmp_path / "off", files, filter=False).code.operations_with_answers == with_filter
    )


def test_a_filter_that_changes_answers_leaves_successes_open(tmp_path: Path) -> None:
    wrapper = """
        public class Wrapper : IAsyncResultFilter
        {
            public Task OnResultExecutionAsync(ResultExecutingContext c, ResultExecutionDelegate n)
            { c.Result = new ObjectResult(new { data = c.Result }); return n(); }
        }
    """
    controller = """
        [Route("x")] public class XController : ControllerBase
        { [HttpGet] public ActionResult<Order> Get() => flag ? new Order(1, null) : NotFound(); }
    """
    added = project(
        tmp_path / "on",
        controller,
        W=wrapper,
        S="services.AddControllers(o => o.Filters.Add<Wrapper>());",
    )
    assert added.responses("GET /x") == [
        "(200) ?the filter `Wrapper` may change what is sent?",
        "404",
    ]
    alone = project(tmp_path / "off", controller, W=wrapper)
    assert alone.responses("GET /x") == [f"(200) {ORDER_WITH_NULL}", "404"]


@pytest.mark.parametrize(
    ("body", "changes"),
    [
        ("void OnActionExecuted(X c) { if (c.Exception is Lost e) c.Result = Not(e); }", False),
        ("void OnActionExecuted(X c) { if (c.Exception == null) return; c.Result = No(); }", False),
        ("void OnActionExecuted(X c) { if (c.Exception is not null && a) c.Result = 1; }", False),
        ("void OnActionExecuted(X c) { switch (c.Exception) { case Lost: c.Result = 1; } }", False),
        ("void OnActionExecuted(X c) { if (c.Exception is null) c.Result = Wrap(c); }", True),
        ("void OnActionExecuted(X c) { if (c.Exception != null || a) c.Result = Wrap(c); }", True),
        ("void OnActionExecuted(X c) { if (a) { } else if (b) c.Result = Wrap(c); }", True),
        ("void OnActionExecuted(X c) { if (c.Result is ObjectResult o) o.Value = Wrap(o); }", True),
        ("async Task OnActionExecutionAsync(X c, Next n) { c.Result = 1; await n(); }", False),
        (
            "async Task OnActionExecutionAsync(X c, Next n) { var d = await n(); d.Result = 1; }",
            True,
        ),
    ],
)
def test_filters_that_answer_for_exceptions_change_no_success(
    tmp_path: Path, body: str, changes: bool
) -> None:
    found = project(
        tmp_path,
        """
        [Route("x")] public class XController : ControllerBase
        { [HttpGet] public ActionResult<Order> Get() => new Order(1, null); }
        """,
        W=f"public class Own : IActionFilter, IAsyncActionFilter {{ public {body} }}",
        S="services.AddControllers(o => o.Filters.Add<Own>());",
    )
    changed = "?the filter `Own` may change what is sent?"
    assert found.responses("GET /x") == [f"(200) {changed if changes else ORDER_WITH_NULL}"]


def test_a_status_set_by_hand(tmp_path: Path) -> None:
    found = project(
        tmp_path,
        """
        [Route("x")] public class XController : ControllerBase
        { [HttpPost] public Order Post() { Response.StatusCode = 201; return new Order(1, null); } }
        """,
    )
    assert found.responses("POST /x") == [f"201 {ORDER_WITH_NULL}"]


def test_statuses_set_on_some_paths_and_in_methods_that_are_called(tmp_path: Path) -> None:
    found = project(
        tmp_path,
        """
        [Route("x")] public class XController : ControllerBase
        {
            [HttpGet("some")] public Order Some(int n)
            { if (n > 2) Response.StatusCode = 207; return new Order(1, null); }
            [HttpGet("either")] public async Task<Order> Either(int n)
            {
                if (n > 2)
                { HttpContext.Response.StatusCode = StatusCodes.Status206PartialContent; }
                else { Response.StatusCode = 202; }
                return await Load();
            }
            [HttpGet("called")] public Order Called() { Mark(); return new Order(1, null); }
            private void Mark() { var answer = Response; answer.StatusCode = 207; }
            [HttpGet("handed")] public Order Handed()
            { Marks.Set(HttpContext); return new Order(1, null); }
            [HttpGet("error")] public Order Failed(int n)
            {
                if (n > 2) { Response.StatusCode = 404; return null; }
                return new Order(1, null);
            }
            [HttpGet("thrown")] public Order Thrown(int n)
            {
                if (n > 2) { Response.StatusCode = 404; throw new Exception(); }
                return new Order(1, null);
            }
            [HttpGet("result")] public IActionResult Result()
            { Response.StatusCode = 207; return Ok(new Order(1, null)); }
        }
        public static class Marks
        { public static void Set(HttpContext context) { context.Response.StatusCode = 207; } }
        """,
    )
    error = "404 ?what is sent with the status that is set is undetermined?"
    assert found.responses("GET /x/some") == [f"(200) {ORDER_WITH_NULL}", f"207 {ORDER_WITH_NULL}"]
    assert found.responses("GET /x/either") == [f"202 {ORDER}", f"206 {ORDER}"]
    assert found.responses("GET /x/called") == [f"207 {ORDER_WITH_NULL}"]
    assert found.responses("GET /x/handed") == [f"207 {ORDER_WITH_NULL}"]
    assert found.responses("GET /x/error") == [f"(200) {ORDER_WITH_NULL}", error]
    assert found.responses("GET /x/thrown") == [f"(200) {ORDER_WITH_NULL}"]
    assert found.responses("GET /x/result") == [f"200 {ORDER_WITH_NULL}"]


def test_a_web_socket_that_is_accepted_is_answered_with_101(tmp_path: Path) -> None:
    found = project(
        tmp_path,
        """
        [Route("x")] public class XController : Controller
        {
            [HttpGet("socket")] public async Task<IActionResult> Socket()
            {
                if (!HttpContext.WebSockets.IsWebSocketRequest) return NotFound();
                var listener = new Listener(await HttpContext.WebSockets.AcceptWebSocketAsync());
                return new EmptyResult();
            }
            [HttpGet("empty")] public IActionResult Empty() => new EmptyResult();
        }
        """,
    )
    assert found.responses("GET /x/socket") == ["101", "404"]
    assert found.responses("GET /x/empty") == ["200"]


def test_answers_of_a_path_with_an_optional_end_and_of_the_one_without(tmp_path: Path) -> None:
    found = project(
        tmp_path,
        """
        public record Orders(Order[] Items);
        [Route("orders")] public class OrdersController : Controller
        {
            [HttpGet("{id?}")] public IActionResult Get(string id, int limit = 0)
            {
                if (id == null) return Json(new Orders([]));
                if (limit == 0) return Json(new Order(1, null));
                return NotFound();
            }
        }
        """,
    )
    assert found.responses("GET /orders") == ["200 {items: [nothing]}"]
    assert found.responses("GET /orders/{id}") == [f"200 {ORDER_WITH_NULL}", "404"]


def test_results_without_a_status_keep_the_one_that_is_set(tmp_path: Path) -> None:
    found = project(
        tmp_path,
        """
        public record Problem(string Text);
        [Route("x")] public class XController : Controller
        {
            [HttpGet("json")] public IActionResult Written()
            { Response.StatusCode = 206; return new JsonResult(new Order(1, null)); }
            [HttpGet("helper")] public IActionResult Helped()
            { HttpContext.Response.StatusCode = 202; return Json(new Order(1, null)); }
            [HttpGet("object")] public IActionResult Object()
            { Response.StatusCode = 201; return new ObjectResult(new Order(1, null)); }
            [HttpGet("text")] public IActionResult Text()
            { Response.StatusCode = 503; return Content("later", "text/plain"); }
            [HttpGet("own")] public IActionResult Own()
            {
                Response.StatusCode = 206;
                return new ObjectResult(new Order(1, null)) { StatusCode = 200 };
            }
            [HttpGet("each")] public IActionResult Each(int n)
            {
                if (n > 2) { Response.StatusCode = 400; return Json(new Problem("n")); }
                return Json(new Order(1, null));
            }
            [HttpGet("called")] public IActionResult Called(int n)
            {
                if (n > 2) { Response.StatusCode = 400; return Bad(); }
                return Good(n);
            }
            private JsonResult Bad() { return new JsonResult(new Problem("n")); }
            private JsonResult Good(int n)
            {
                if (n > 1) { Response.StatusCode = 202; return Json(new Order(1, null)); }
                return Json(new Problem("n"));
            }
        }
        """,
    )
    assert found.responses("GET /x/json") == [f"206 {ORDER_WITH_NULL}"]
    assert found.responses("GET /x/helper") == [f"202 {ORDER_WITH_NULL}"]
    assert found.responses("GET /x/object") == [f"201 {ORDER_WITH_NULL}"]
    assert found.responses("GET /x/text") == ["503 text/plain string"]
    assert found.responses("GET /x/own") == [f"200 {ORDER_WITH_NULL}"]
    assert found.responses("GET /x/each") == [f"200 {ORDER_WITH_NULL}", "400 {text: 'n'}"]
    assert found.responses("GET /x/called") == [
        "200 {text: 'n'}",
        f"202 {ORDER_WITH_NULL}",
        "400 {text: 'n'}",
    ]


def test_type_parameters_are_fixed_by_what_is_passed(tmp_path: Path) -> None:
    found = project(
        tmp_path,
        """
        public class Result<T> { public T Value { get; set; } public bool Ok { get; set; } }
        public interface IQuery<TOut> { }
        public record Get(int Id) : IQuery<Result<Order>>;
        public interface IBus { Task<TOut> Ask<TOut>(IQuery<TOut> query); }
        public class ApiResponse<T> { public T Data { get; set; } }
        public static class ApiResponse
        { public static ApiResponse<T> Of<T>(T data) => new() { Data = data }; }
        public abstract class Base : ControllerBase
        {
            protected IActionResult Handle<T>(Result<T> result)
            {
                if (result.Ok && result.Value != null) return Ok(result.Value);
                return BadRequest();
            }
        }
        [Route("x")] public class XController(IBus bus, Service service) : Base
        {
            [HttpGet("a")] public async Task<IActionResult> A() =>
                Handle(await bus.Ask(new Get(1)));
            [HttpGet("b")] public IActionResult B() => Ok(ApiResponse.Of(service.List()));
        }
        public class Service { public List<Order> List() => Stub.Made(); }
        """,
    )
    assert found.responses("GET /x/a") == [f"200 {ORDER}", "400"]
    assert found.responses("GET /x/b") == [f"200 {{data: [{ORDER}]}}"]


def test_a_helper_of_the_library_is_meant_where_the_projects_own_cannot_be(tmp_path: Path) -> None:
    found = project(
        tmp_path,
        """
        public abstract class Rest<T> : ControllerBase
        {
            protected ActionResult<T> Accepted(int id) => AcceptedAtAction("Get", Find(id));
            protected abstract T Find(int id);
        }
        [Route("x")] public class XController(Service service) : Rest<Order>
        {
            [HttpPut("one")] public IActionResult One() => Accepted(service.List()[0].Id);
            [HttpPut("all")] public IActionResult All() => Accepted(service.List());
        }
        public class Service { public List<Order> List() => Stub.Made(); }
        """,
    )
    assert found.responses("PUT /x/one") == [f"202 {ORDER}"]
    assert found.responses("PUT /x/all") == [f"202 [{ORDER}]"]


def test_controllers_of_referenced_projects_are_routed_too(tmp_path: Path) -> None:
    include = '<Project><ProjectReference Include="..\\{0}\\{0}.csproj" /></Project>'
    controller = """
        [Route("{0}")] public class {0}Controller : ControllerBase
        {{ [HttpGet] public string Get() => "x"; }}
    """
    for path, text in {
        "all.sln": "",
        "Api/Api.csproj": include.format("Web"),
        "Api/Main.cs": controller.format("Main"),
        "Web/Web.csproj": include.format("Core").replace("<Project>", "<Project><!-- -->"),
        "Web/Ping.cs": controller.format("Ping"),
        "Core/Core.csproj": "<Project />",
        "Core/Core.cs": controller.format("Core"),
        "Other/Other.csproj": "<Project />",
        "Other/Other.cs": controller.format("Other"),
    }.items():
        target = tmp_path / path
        target.parent.mkdir(exist_ok=True)
        target.write_text(text, encoding="utf-8")
    found = extract(tmp_path / "Api", cache=False).endpoints
    assert {(o.path, o.excluded_from_docs, o.origin.path, o.origin.span.line) for o in found} == {
        ("/Main", False, "Main.cs", 3),
        ("/Ping", True, "Api.csproj", 1),
        ("/Core", True, "Api.csproj", 1),
    }


@pytest.mark.parametrize(
    ("references", "shape"),
    [
        ({"Api": "Second"}, "{id: integer(int32), title: string|null}"),
        ({"Api": "Middle", "Middle": "Second"}, "{id: integer(int32), title: string|null}"),
        ({"Api": "First"}, "{id: integer(int32)}"),
        ({}, "{id: integer(int32)}"),
    ],
)
def test_of_types_of_one_name_that_of_a_referenced_project_is_meant(
    tmp_path: Path, references: dict[str, str], shape: str
) -> None:
    include = '<Project><ProjectReference Include="..\\{0}\\{0}.csproj" /></Project>'
    projects = {
        f"{name}/{name}.csproj": include.format(references[name])
        if name in references
        else "<Project />"
        for name in ("Api", "First", "Middle", "Second")
    }
    model = "namespace Shop; public class Model {{ public int Id {{ get; set; }} {} }}"
    found = Project(
        tmp_path,
        {
            **projects,
            "First/Model.cs": model.format(""),
            "Second/Model.cs": model.format("public string? Title { get; set; }"),
            "Api/A.cs": 'using Shop; [ApiController, Route("a")] public class AController '
            ": ControllerBase { [HttpGet] public Model Get() => new(); }",
        },
    )
    assert found.responses("GET /a") == [f"(200) {shape}"]


def test_an_inherited_action_stands_in_the_project_of_its_controller(tmp_path: Path) -> None:
    base = """
        public abstract class Rest : ControllerBase
        { [HttpGet("one")] public string One() => "x"; }
    """
    found = Project(
        tmp_path,
        {
            "Shared/Shared.csproj": CSPROJ,
            "Shared/Rest.cs": base,
            "Api/Api.csproj": CSPROJ,
            "Api/Local.cs": base.replace("Rest", "Local"),
            "Api/A.cs": '[Route("a")] public class AController : Rest { }',
            "Api/B.cs": '[Route("b")] public class BController : Local { }',
        },
    )
    assert {(o.path, o.origin.path) for o in found.code.operations} == {
        ("/a/one", "Api/A.cs"),
        ("/b/one", "Api/Local.cs"),
    }


def test_what_a_helper_is_given_counts_where_it_is_of_another_class(tmp_path: Path) -> None:
    found = project(
        tmp_path,
        """
        public class Entity { public string Secret { get; set; } = ""; }
        public class Slim : Entity { }
        public interface IShown { public int Number { get; } }
        [Route("x")] public class XController(Service service) : ControllerBase
        {
            [HttpGet("other")] public ActionResult<List<Entity>> Other() => Ok(service.List());
            [HttpGet("one")] public ActionResult<List<Order>> One() => Ok(service.List().First());
            [HttpGet("derived")] public ActionResult<Entity> Derived() => Ok(service.Slim());
            [HttpGet("open")] public ActionResult<Entity> Open() => Ok(service.Shown());
        }
        public class Service
        {
            public List<Order> List() => Stub.Made();
            public Slim Slim() => Stub.Made();
            public IShown Shown() => Stub.Made();
        }
        """,
    )
    assert found.responses("GET /x/other") == [f"200 [{ORDER}]"]
    assert found.responses("GET /x/one") == [f"200 {ORDER}"]
    assert found.responses("GET /x/derived") == ["200 {secret: string}"]
    assert found.responses("GET /x/open") == ["200 {secret: string}"]


def test_problem_details_bring_their_status_along(tmp_path: Path) -> None:
    found = project(
        tmp_path,
        """
        [Route("x")] public class XController : ControllerBase
        {
            [HttpGet("a")] public IActionResult A() => new ObjectResult(new Order(1, null));
            [HttpGet("b")] public IActionResult B() =>
                new ObjectResult(new ProblemDetails { Status = 403 });
            [HttpGet("c")] public IActionResult C() => new ObjectResult(Library.Answer());
        }
        """,
    )
    assert found.responses("GET /x/a") == [f"200 {ORDER_WITH_NULL}"]
    assert found.responses("GET /x/b") == ["…"]
    assert found.responses("GET /x/c") == ["…"]


def test_results_of_ardalis_that_are_translated(tmp_path: Path) -> None:
    found = project(
        tmp_path,
        """
        using Ardalis.Result;
        [ApiController, Route("x"), TranslateResultToActionResult]
        public class XController : ControllerBase
        {
            [HttpGet] public async Task<Result<Order>> Get() => await Send();
            [HttpDelete] public Result Delete() => Result.Success();
        }
        [ApiController, Route("y")]
        public class YController : ControllerBase
        { [HttpGet] public Result<Order> Get() => Result.Success(new Order(1, "")); }
        """,
    )
    assert found.responses("GET /x")[0] == f"(200) {ORDER}"
    assert found.responses("DELETE /x") == ["200"]
    assert found.responses("GET /y") == ["…"]


def test_bodies_that_actions_read_themselves(tmp_path: Path) -> None:
    found = project(
        tmp_path,
        """
        [Route("x")] public class XController : ControllerBase
        {
            [HttpPost("a")] public async Task<IActionResult> A()
                => Ok(await Request.ReadFromJsonAsync<CreateOrder>());
            [HttpPost("b")] public async Task<IActionResult> B()
            {
                using var reader = new StreamReader(Request.Body);
                return Ok(JsonSerializer.Deserialize<CreateOrder>(await reader.ReadToEndAsync()));
            }
        }
        """,
    )
    assert found.request("POST /x/a") == ["{sku?: string~, count?: integer(int32)}"]
    assert found.request("POST /x/b") == ["{Sku?: string, Count?: integer(int32)}"]
    # The text `null` gives null.
    assert found.responses("POST /x/a") == ["200 {sku: string, count: integer(int32)}", "…"]


def test_services_that_are_registered_with_types_in_their_arguments(tmp_path: Path) -> None:
    found = project(
        tmp_path,
        """
        public class Create { public record Command(string Sku); }
        """,
        Program="""
            using App;
            services.AddTransient<IHandler<Create.Command, Order>, Handler>();
            app.MapPost("/x", (Create.Command command, Handler handler) => 1);
        """,
    )
    assert found.request("POST /x") == ["{sku?: string~}!"]


def test_controllers_of_odata(tmp_path: Path) -> None:
    controllers = """
        public class OrdersController : ODataController
        {
            [EnableQuery] public IQueryable<Order> Get() => null;
            [EnableQuery] public SingleResult<Order> GetOrders([FromRoute] int key) => null;
            public IActionResult Post([FromBody] Order order) => Created(order);
            public IActionResult GetLines(int key) => Ok();
        }
        [Route("odata/lines")] public class LinesController : ODataController
        {
            [HttpGet] public List<Order> All() => [];
        }
    """
    start = 'services.AddControllers().AddOData(o => o.AddRouteComponents("odata", model));'
    found = project(tmp_path / "odata", controllers, S=start)
    assert found.routes() == [
        "GET /odata/Orders hidden",
        "GET /odata/Orders({key}) hidden",
        "GET /odata/Orders/{key} hidden",
        "GET /odata/lines",
        "GET /{computed} hidden ?OData routes it by its entity model",
        "POST /odata/Orders hidden",
    ]
    assert found.responses("GET /odata/lines") == ["(200) ?OData writes it?"]
    assert found.request("POST /odata/Orders") == [READ + "!"]
    alone = project(tmp_path / "alone", controllers)
    assert alone.routes() == ["GET /odata/lines"]
    assert alone.responses("GET /odata/lines") == [f"(200) [{ORDER}]"]
