"""Who refuses requests whose values are not valid: controllers without `[ApiController]` do so
where they, or a filter, look at the state of the model."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.parsers.source.csharp.project import CSPROJ, Project

FILTER = """
    namespace App;
    public class ValidateModelAttribute : ActionFilterAttribute
    {
        public override void OnActionExecuting(ActionExecutingContext context)
        {
            if (!context.ModelState.IsValid)
            {
                context.Result = new BadRequestObjectResult(context.ModelState);
            }
        }
    }
    public class LooksOn : IAsyncActionFilter
    {
        public async Task OnActionExecutionAsync(ActionExecutingContext context, Next next)
        {
            if (!context.ModelState.IsValid) { _log.Warn("not valid"); }
            await next();
        }
    }
"""


def project(folder: Path, source: str, startup: str = "") -> Project:
    files = {"App.csproj": CSPROJ, "Filters.cs": FILTER, "C.cs": source, "Program.cs": startup}
    return Project(folder, files)


def controller(marks: str = "", action: str = "", body: str = "") -> str:
    return f"""
    namespace App;
    {marks}
    [Route("x")]
    public class XController : Controller
    {{
        {action}
        [HttpGet]
        public IActionResult Get([FromQuery] string search, [FromQuery] string? sort, int page)
        {{
            {body}
            return Ok(1);
        }}
    }}
    """


def action(body: str) -> str:
    return controller(body=body)


NEEDED = ["query search: string", "query sort?: string|null", "query page?: integer(int32)"]
OPEN = ["query search~: string", "query sort?: string|null", "query page?: integer(int32)"]


@pytest.mark.parametrize(
    ("source", "startup", "expected"),
    [
        (controller("[ApiController]"), "", NEEDED),
        (controller(), "", OPEN),
        (controller("[ValidateModel]"), "", NEEDED),
        (controller("", "[ValidateModelAttribute]"), "", NEEDED),
        (controller("[ServiceFilter(typeof(ValidateModelAttribute))]"), "", NEEDED),
        (controller("[TypeFilter<ValidateModelAttribute>]"), "", NEEDED),
        (controller("[ServiceFilter(typeof(LooksOn))]"), "", OPEN),
        (controller(), "s.AddMvc(o => o.Filters.Add<ValidateModelAttribute>());", NEEDED),
        (controller(), "s.AddMvc(o => o.Filters.Add(new ValidateModelAttribute()));", NEEDED),
        (controller(), "s.AddControllers(o => o.Filters.Add(typeof(LooksOn)));", OPEN),
        (action("if (!ModelState.IsValid) return BadRequest(ModelState);"), "", NEEDED),
        (action("if (a || ModelState.IsValid == false) { throw new E(); }"), "", NEEDED),
        (action("if (ModelState.IsValid) { Save(); } else { return BadRequest(); }"), "", NEEDED),
        (action("if (a && !ModelState.IsValid) return BadRequest();"), "", OPEN),
        (action("if (!ModelState.IsValid) Log();"), "", OPEN),
    ],
)  # fmt: skip
def test_who_refuses_what_is_not_valid(
    tmp_path: Path, source: str, startup: str, expected: list[str]
) -> None:
    assert project(tmp_path, source, startup).parameters("GET /x") == expected


@pytest.mark.parametrize(
    ("switch", "mark"),
    [
        ("SuppressModelStateInvalidFilter = true", "~"),
        ("SuppressImplicitRequiredAttributeForNonNullableReferenceTypes = true", "?"),
    ],
)
def test_applications_that_switch_validation_off(tmp_path: Path, switch: str, mark: str) -> None:
    found = project(tmp_path, controller("[ApiController]"), f"o => o.{switch};")
    assert found.parameters("GET /x")[0] == f"query search{mark}: string"


def test_members_of_a_class_that_is_read_from_the_query(tmp_path: Path) -> None:
    source = """
    namespace App;
    public class Search
    {
        [Required] public string? Text { get; set; }
        public string? Sort { get; set; }
    }
    [ApiController, Route("x")]
    public class XController : ControllerBase
    {
        [HttpGet] public void Get([FromQuery] Search search) { }
    }
    """
    assert project(tmp_path, source).parameters("GET /x") == [
        "query text: string|null",
        "query sort?: string|null",
    ]


def test_filters_of_web_api_answer_with_a_response(tmp_path: Path) -> None:
    source = """
    using System.Web.Http;
    public class Search { [Required] public string Text { get; set; } }
    public class CheckAttribute : ActionFilterAttribute
    {
        public override void OnActionExecuting(HttpActionContext context)
        {
            if (context.ModelState.IsValid == false)
                context.Response = context.Request.CreateErrorResponse(400, context.ModelState);
        }
    }
    [Route("x")]
    public class XController : ApiController
    {
        [HttpGet, Route("a"), Check] public int A([FromUri] Search search) { return 1; }
        [HttpGet, Route("b")] public int B([FromUri] Search search) { return 1; }
    }
    """
    found = Project(tmp_path, {"C.cs": source})
    shown = {route: found.parameters(route) for route in ("GET /a", "GET /b")}
    assert shown == {"GET /a": ["query text: string"], "GET /b": ["query text~: string"]}
