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


RULES = """
    namespace App;
    public class IssuerAttribute : ValidationAttribute
    {
        public override bool IsValid(object? value) => value is string text && text.Length == 24;
    }
    public class OptionalIssuerAttribute : ValidationAttribute
    {
        public override bool IsValid(object? value)
        {
            if (value == null) return true;
            return value is string text && text.Length == 24;
        }
    }
    public class FilledAttribute : ValidationAttribute
    {
        protected override ValidationResult IsValid(object value, ValidationContext context)
        {
            if (value is null) return new ValidationResult("fill it in");
            return ValidationResult.Success;
        }
    }
    public class KnownAttribute : ValidationAttribute
    {
        public override bool IsValid(object? value) => Registry.Knows(value);
    }
    public class NeededAttribute : RequiredAttribute { }
    public class ShortAttribute : StringLengthAttribute { public ShortAttribute() : base(9) { } }
    public class NoteAttribute : Attribute { }
"""


def test_attributes_of_the_project_that_refuse_null(tmp_path: Path) -> None:
    source = """
    namespace App;
    public class Check
    {
        [Issuer] public string? Issuer { get; set; }
        [OptionalIssuer] public string? Second { get; set; }
        [Filled] public string? Reason { get; set; }
        [Known] public string? Code { get; set; }
        [Needed] public string? Name { get; set; }
        [Short] public string? Title { get; set; }
        [Note] public string? Note { get; set; }
        [Issuer] public string Fallback { get; set; } = "a text that IsValid is asked for";
    }
    [ApiController, Route("x")]
    public class XController : ControllerBase
    {
        [HttpPost] public void Post([FromBody] Check check) { }
        [HttpGet] public void Get([FromQuery] Check check) { }
    }
    """
    files = {"App.csproj": CSPROJ, "Rules.cs": RULES, "C.cs": source}
    found = Project(tmp_path, files)
    assert found.request("POST /x") == [
        "{issuer!: string, second?: string|null, reason!: string, "
        "code~!: string~, name!: string, title?: string|null, note?: string|null, "
        "fallback~!: string}!"
    ]
    assert found.parameters("GET /x") == [
        "query issuer: string|null",
        "query second?: string|null",
        "query reason: string|null",
        "query code~: string|null",
        "query name: string|null",
        "query title?: string|null",
        "query note?: string|null",
        "query fallback~: string",
    ]


def test_rules_about_an_object_as_a_whole(tmp_path: Path) -> None:
    """What such a rule speaks of, clients may have to send; what `[Required]` asks for they do."""
    source = """
    namespace App;
    public class Check : IValidatableObject
    {
        public string? Issuer { get; set; }
        public string? Code { get; set; }
        public string? Note { get; set; }
        [Required] public string? Name { get; set; }
        public IEnumerable<ValidationResult> Validate(ValidationContext context)
        {
            if (Issuer is null && Code is null) yield return new ValidationResult("one of both");
        }
    }
    public class OneOfBothAttribute : ValidationAttribute
    {
        public override bool IsValid(object? value) => Registry.Knows(value);
    }
    [OneOfBoth]
    public class Pair
    {
        public string? Left { get; set; }
        public string? Right { get; set; }
    }
    [ApiController, Route("x")]
    public class XController : ControllerBase
    {
        [HttpPost("a")] public void A([FromBody] Check check) { }
        [HttpPost("b")] public void B([FromBody] Pair pair) { }
        [HttpGet] public Check Get() => new Check();
    }
    """
    found = Project(tmp_path, {"App.csproj": CSPROJ, "C.cs": source})
    assert found.request("POST /x/a") == [
        "{issuer~!: string~, code~!: string~, note?: string|null, name!: string|null}!"
    ]
    assert found.request("POST /x/b") == ["{left~!: string~, right~!: string~}!"]
    assert found.responses("GET /x") == [
        "(200) {issuer: string|null, code: string|null, note: string|null, name!: string|null}"
    ]


def test_who_switches_the_answer_off_asks_no_attribute(tmp_path: Path) -> None:
    source = """
    namespace App;
    public class Check { [Issuer] public string? Issuer { get; set; } }
    [ApiController, Route("x")]
    public class XController : ControllerBase
    {
        [HttpPost] public void Post([FromBody] Check check) { }
    }
    """
    startup = "o => o.SuppressModelStateInvalidFilter = true;"
    files = {"App.csproj": CSPROJ, "Rules.cs": RULES, "C.cs": source, "Program.cs": startup}
    assert Project(tmp_path, files).request("POST /x") == ["{issuer?: string|null}!"]
