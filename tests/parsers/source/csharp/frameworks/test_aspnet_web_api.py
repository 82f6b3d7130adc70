"""ASP.NET Web API 2 and MVC 5: routes by attribute and convention, verbs, answers, JSON."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.parsers.source.csharp.project import CSPROJ, Project

DTOS = """
    namespace App
    {
        public class Order { public int Id { get; set; } public string Note { get; set; } }
        public class CreateOrder { [Required] public string Sku { get; set; } }
        public class Filter { public int Page { get; set; } public string Sort { get; set; } }
    }
"""
ORDER = "{Id: integer(int32), Note: string~}"
MADE = "{Id: integer(int32), Note: string|null}"
"""An order that the action makes, of which nothing sets the note."""
DEFAULT = """
    config.MapHttpAttributeRoutes();
    config.Routes.MapHttpRoute(
        name: "DefaultApi",
        routeTemplate: "api/{controller}/{id}",
        defaults: new { id = RouteParameter.Optional });
"""


def project(folder: Path, source: str, start: str = DEFAULT) -> Project:
    config = """
        using System.Web.Http;
        namespace App { public static class WebApiConfig {
            public static void Register(HttpConfiguration config) { %s } } }
    """
    files = {
        "App.csproj": CSPROJ.replace("enable", "disable"),
        "Dtos.cs": DTOS,
        "WebApiConfig.cs": config % start,
        "C.cs": f"using System.Web.Http;\nnamespace App {{\n{source}\n}}",
    }
    return Project(folder, files)


def test_attribute_routes(tmp_path: Path) -> None:
    found = project(
        tmp_path,
        """
        [RoutePrefix("api/orders")]
        public class OrdersController : ApiController
        {
            [Route("")] public IHttpActionResult GetAll() { return Ok(); }
            [HttpGet, Route("{id:int}", Name = "One")] public Order Find(int id) { return null; }
            [Route("{id:int?}")] public void Delete(int? id = null) { }
            [HttpPut, HttpPatch, Route("~/other/{*rest}")] public void Change(string rest) { }
            [AcceptVerbs("HEAD"), Route(Names.Much)] public void Much() { }
            [NonAction] public void NotMe() { }
        }
        public static class Names { public const string Much = "much/more"; }
        [Route("single")] public class SingleController : ApiController
        { public int Get() { return 1; } public void Cancel() { } }
        [RoutePrefix(Names.Odd)] public class OddController : ApiController
        { [Route("x")] public int Get() { return 1; } }
        public abstract class BaseController : ApiController
        { [Route("base")] public int Get() { return 1; } }
        public class DerivedController : BaseController { }
        public class V1PrefixAttribute : RoutePrefixAttribute
        {
            const string Base = "api/v1/";
            public V1PrefixAttribute(string prefix) : base(Base + prefix) { }
        }
        [V1Prefix("things")] public class ThingsController : ApiController
        { [Route("{id}")] public int Get(int id) { return 1; } }
        """,
    )
    assert found.routes() == [
        "DELETE /api/orders hidden",
        "DELETE /api/orders/{id}",
        "GET /api/Derived",
        "GET /api/orders",
        "GET /api/orders/{id}",
        "GET /api/v1/things/{id}",
        "GET /single",
        "GET /{computed}/x ?the prefix of the controller is not constant",
        "HEAD /api/orders/much/more",
        "PATCH /other/{rest*}",
        "POST /single",
        "PUT /other/{rest*}",
    ]


CONVENTIONAL = """
    public class OrdersController : ApiController
    {
        public IEnumerable<Order> Get() { return null; }
        public Order Get(int id) { return null; }
        public void Post(CreateOrder order) { }
        [HttpPut] public void Change(int id, [FromBody] string value) { }
        public void Submit() { }
        public Order GetByName(string name) { return null; }
    }
"""


@pytest.mark.parametrize(
    ("start", "routes"),
    [
        (
            DEFAULT,
            [
                "GET /api/Orders",
                "GET /api/Orders",
                "GET /api/Orders/{id}",
                "POST /api/Orders",
                "POST /api/Orders",
                "PUT /api/Orders/{id}",
            ],
        ),
        (
            'config.Routes.MapHttpRoute("X", "x/{controller}/{action}");',
            [
                "GET /x/Orders/Get",
                "GET /x/Orders/Get",
                "GET /x/Orders/GetByName",
                "POST /x/Orders/Post",
                "POST /x/Orders/Submit",
                "PUT /x/Orders/Change",
            ],
        ),
        (
            'config.Routes.MapHttpRoute("X", "only/{id}", new { controller = "other" });'
            'config.Routes.MapHttpRoute("Y", "submit", '
            'new { controller = "orders", action = "Submit" });',
            ["POST /submit"],
        ),
        ("config.MapHttpAttributeRoutes();", []),
    ],
)
def test_routes_by_convention(tmp_path: Path, start: str, routes: list[str]) -> None:
    assert [r for r in project(tmp_path, CONVENTIONAL, start).routes() if "hidden" not in r] == (
        routes
    )


def test_a_second_route_is_hidden_and_an_unknown_template_undetermined(tmp_path: Path) -> None:
    source = "public class AController : ApiController { public int Get() { return 1; } }"
    second = project(
        tmp_path / "second",
        source,
        DEFAULT + 'config.Routes.MapHttpRoute("X", "x/{controller}/{action}");',
    )
    assert second.routes() == ["GET /api/A", "GET /x/A/Get hidden"]
    unknown = project(
        tmp_path / "unknown", source, 'config.Routes.MapHttpRoute("X", Settings.Template);'
    )
    assert unknown.routes() == ["GET /A/Get ?the template of a route by convention is not constant"]


def test_what_an_action_reads(tmp_path: Path) -> None:
    found = project(
        tmp_path,
        """
        public class OrdersController : ApiController
        {
            [HttpPost, Route("x/{id}")]
            public void Add(int id, string q, CreateOrder order, int page = 1) { }
            [HttpGet, Route("y")] public void Search([FromUri] Filter filter, int? size) { }
            [HttpPut, Route("z")] public void Put([FromBody] string value) { }
        }
        """,
    )
    assert found.parameters("POST /x/{id}") == [
        "path id: integer(int32)",
        "query q: string",
        "query page?=: integer(int32)",
    ]
    assert found.request("POST /x/{id}") == ["{Sku!: string}!"]
    assert found.parameters("GET /y") == [
        "query page?: integer(int32)",
        "query sort?: string",
        "query size: integer(int32)|null",
    ]
    assert found.request("PUT /z") == ["string!"]


ANSWERS = """
    public class XController : ApiController
    {
        [Route("value")] public Order GetValue() { return repository.Find(); }
        [Route("void")] public void PostNothing() { }
        [Route("task")] public async Task<IHttpActionResult> GetTask(int id)
        {
            Order order = repository.Find(id);
            if (order == null) return NotFound();
            if (!ModelState.IsValid) return BadRequest(ModelState);
            return Ok(order);
        }
        [Route("created")] public IHttpActionResult PostIt(CreateOrder o)
        { return CreatedAtRoute("x", new { id = 1 }, new Order()); }
        [Route("status")] public IHttpActionResult PutIt()
        { return StatusCode(HttpStatusCode.NoContent); }
        [Route("content")] public IHttpActionResult PutContent()
        { return Content(HttpStatusCode.Accepted, new { Done = true }); }
        [Route("message")] public HttpResponseMessage GetMessage(int id)
        {
            if (id == 0) throw new HttpResponseException(HttpStatusCode.Gone);
            if (id == 1) return Request.CreateErrorResponse(HttpStatusCode.NotFound, "gone");
            return Request.CreateResponse(HttpStatusCode.OK, new Order());
        }
        [Route("plain")] public HttpResponseMessage GetPlain()
        { return new HttpResponseMessage(HttpStatusCode.NotModified); }
        [Route("hand")] public HttpResponseMessage GetHand()
        {
            var message = new HttpResponseMessage(HttpStatusCode.OK);
            message.Content = new StringContent(json);
            return message;
        }
        [Route("typed"), ResponseType(typeof(Order))] public IHttpActionResult GetTyped()
        { return Ok(repository.Find()); }
        [Route("wrapped")] public IHttpActionResult GetWrapped()
        { return ResponseMessage(Request.CreateResponse(HttpStatusCode.Conflict)); }
        [Route("object")] public object GetObject() { return new { Name = "x" }; }
        [Route("library")] public IHttpActionResult GetLibrary() { return library.Answer(); }
    }
"""


@pytest.mark.parametrize(
    ("route", "expected"),
    [
        ("GET /value", [f"(200) {ORDER}"]),
        ("POST /void", ["(204)"]),
        ("GET /task", [f"200 {ORDER}", "400", "404"]),
        ("POST /created", [f"201 {MADE}"]),
        ("PUT /status", ["204"]),
        ("PUT /content", ["202 {Done!: True}"]),
        (
            "GET /message",
            [f"200 {MADE}", "404 ?Web API writes errors as its settings say?", "410"],
        ),
        ("GET /plain", ["304"]),
        ("GET /hand", ["…"]),
        ("GET /typed", [f"200 {ORDER}"]),
        ("GET /wrapped", ["409"]),
        ("GET /object", ["(200) {Name!: 'x'}"]),
        ("GET /library", ["…"]),
    ],
)
def test_answers(tmp_path: Path, route: str, expected: list[str]) -> None:
    assert project(tmp_path, ANSWERS).responses(route) == expected


@pytest.mark.parametrize(
    ("settings", "shape"),
    [
        ("", "{OrderId!: 1}"),
        (
            "config.Formatters.JsonFormatter.SerializerSettings.ContractResolver = "
            "new CamelCasePropertyNamesContractResolver();",
            "{orderId!: 1}",
        ),
        (
            "var json = GlobalConfiguration.Configuration.Formatters.JsonFormatter;"
            "var settings = json.SerializerSettings;"
            "settings.ContractResolver = new DefaultContractResolver "
            "{ NamingStrategy = new SnakeCaseNamingStrategy() };",
            "{order_id!: 1}",
        ),
        (
            "config.Formatters.JsonFormatter.SerializerSettings = new JsonSerializerSettings "
            "{ ContractResolver = new CamelCasePropertyNamesContractResolver() };",
            "{orderId!: 1}",
        ),
        (
            "config.Formatters.JsonFormatter.SerializerSettings = Shared.Make();",
            "{OrderId!: 1, ?the settings of the JSON formatter cannot be followed?}",
        ),
    ],
)
def test_names_on_the_wire(tmp_path: Path, settings: str, shape: str) -> None:
    source = """
        public class AController : ApiController
        { public IHttpActionResult Get() { return Ok(new { OrderId = 1 }); } }
    """
    assert project(tmp_path, source, DEFAULT + settings).responses("GET /api/A") == [f"200 {shape}"]


def test_pages_of_mvc(tmp_path: Path) -> None:
    files = {
        "App.csproj": CSPROJ,
        "RouteConfig.cs": """
            using System.Web.Mvc;
            public class RouteConfig { public static void RegisterRoutes(RouteCollection routes)
            {
                routes.IgnoreRoute("{resource}.axd/{*pathInfo}");
                routes.MapMvcAttributeRoutes();
                routes.MapRoute(name: "Default", url: "{controller}/{action}/{id}",
                    defaults: new
                    { controller = "Home", action = "Index", id = UrlParameter.Optional });
            } }
        """,
        "Home.cs": """
            using System.Web.Mvc;
            public class HomeController : Controller
            {
                public ActionResult Index() { return View(); }
                [AcceptVerbs(HttpVerbs.Get | HttpVerbs.Head)] public void Ping() { }
                [HttpPost] public JsonResult Save(int id)
                { return Json(new { Saved = true }, JsonRequestBehavior.AllowGet); }
            }
            [RouteArea("Admin"), RoutePrefix("users")]
            public class UsersController : Controller
            { [HttpGet, Route("{id}")] public ActionResult Show(int id) { return HttpNotFound(); } }
        """,
    }
    files["Areas/Shop/ShopAreaRegistration.cs"] = """
        using System.Web.Mvc;
        public class ShopAreaRegistration : AreaRegistration
        {
            public override string AreaName { get { return "Shop"; } }
            public override void RegisterArea(AreaRegistrationContext context)
            { context.MapRoute("Shop_default", "shop/{controller}/{action}"); }
        }
    """
    files["Areas/Shop/Controllers/CartController.cs"] = """
        using System.Web.Mvc;
        public class CartController : Controller { public ActionResult Show() { return View(); } }
    """
    found = Project(tmp_path, files)
    assert found.routes() == [
        "* / hidden",
        "* /Home hidden",
        "* /Home/Index hidden",
        "* /Home/Index/{id} hidden",
        "* /shop/Cart/Show hidden",
        "GET /Admin/users/{id}",
        "GET /Home/Ping hidden",
        "GET /Home/Ping/{id} hidden",
        "HEAD /Home/Ping hidden",
        "HEAD /Home/Ping/{id} hidden",
        "POST /Home/Save hidden",
        "POST /Home/Save/{id} hidden",
    ]
    assert found.responses("POST /Home/Save") == ["200 {Saved!: True}"]
    assert found.responses("GET /Admin/users/{id}") == ["404"]
