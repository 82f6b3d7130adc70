"""Envelopes that filters put around what controllers answer."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.parsers.source.csharp.project import CSPROJ, PROBLEM, Project

MODELS = """
    namespace App;
    public record Order(int Id);
    public class ApiResponse<T>
    {
        public ApiResponse() { }
        public ApiResponse(T data) { Data = data; }
        public T Data { get; set; }
        public bool Success { get; set; } = true;
        public static ApiResponse<T> Of(T data) => new(data);
    }
    public class Reply { public object? Body { get; set; } public int Code { get; set; } }
"""
ORDER = "{id: integer(int32)}"
GLOBAL = "services.AddControllers(o => o.Filters.Add<Wrapper>());"
DYNAMIC_SEGMENT = "?the filter `Wrapper` may change what is sent?"
LOST = f"404 application/problem+json {DYNAMIC_SEGMENT}"


def project(folder: Path, body: str, startup: str = GLOBAL, marks: str = "") -> Project:
    wrapper = f"""
    namespace App;
    public class Wrapper : ResultFilterAttribute
    {{
        public override void OnResultExecuting(ResultExecutingContext context)
        {{
            {body}
        }}
    }}
    """
    controller = f"""
    namespace App;
    [ApiController, Route("x")]
    public class XController : ControllerBase
    {{
        {marks}
        [HttpGet] public ActionResult<Order> Get() => none ? NotFound() : new Order(1);
        [HttpPost] public IActionResult Post() => Created("/x", new Order(1));
        [HttpDelete] public IActionResult Delete() => NoContent();
    }}
    """
    files = {"App.csproj": CSPROJ, "M.cs": MODELS, "W.cs": wrapper, "C.cs": controller}
    return Project(folder, {**files, "Program.cs": startup})


ASKED = "if (context.Result is ObjectResult result) "
ANONYMOUS = "{data!: " + ORDER + ", success!: True}"


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (ASKED + "{ result.Value = new { data = result.Value, success = true }; }", ANONYMOUS),
        (
            ASKED + "{ var inner = result.Value;"
            " context.Result = new ObjectResult(new { data = inner, success = true })"
            " { StatusCode = result.StatusCode }; }",
            ANONYMOUS,
        ),
        (
            "if (context.Result is not ObjectResult result) return;"
            " var whole = new { data = result.Value, success = true }; result.Value = whole;",
            ANONYMOUS,
        ),
        (
            "var result = context.Result as ObjectResult; if (result == null) { return; }"
            " result.Value = new Reply { Body = result.Value, Code = 0 };",
            "{body: " + ORDER + ", code: integer(int32)}",
        ),
        (
            ASKED + "{ result.Value = new ApiResponse<object>(result.Value); }",
            "{data: " + ORDER + ", success: True}",
        ),
        (
            ASKED + "{ result.Value = ApiResponse<object>.Of(result.Value); }",
            "{data: " + ORDER + ", success: True}",
        ),
        # What differs from answer to answer is left open.
        (
            ASKED + "if (result.Value is Order) result.Value = new { data = result.Value };",
            DYNAMIC_SEGMENT,
        ),
        (
            "if (context.Result is ObjectResult { StatusCode: 200 } result)"
            " result.Value = new { data = result.Value };",
            DYNAMIC_SEGMENT,
        ),
        (
            "if (context.Result is ObjectResult result && result.StatusCode == 200)"
            " result.Value = new { data = result.Value };",
            DYNAMIC_SEGMENT,
        ),
        (
            ASKED + "{ if (Skips(c)) return; result.Value = new { d = result.Value }; }",
            DYNAMIC_SEGMENT,
        ),
        (ASKED + "{ result.Value = new { data = Other(result) }; }", DYNAMIC_SEGMENT),
        (
            ASKED + "{ result.Value = new { data = result.Value }; } else { context.Result ="
            " new ObjectResult(new { data = 1 }); }",
            DYNAMIC_SEGMENT,
        ),
        (
            "if (context.Result is OkObjectResult r) r.Value = new { data = r.Value };",
            DYNAMIC_SEGMENT,
        ),
    ],
)
def test_envelopes_of_every_success(tmp_path: Path, body: str, expected: str) -> None:
    found = project(tmp_path, body)
    assert found.responses("GET /x") == [
        f"(200) {expected}",
        f"404 application/problem+json {DYNAMIC_SEGMENT}",
    ]
    assert found.responses("POST /x") == [f"201 {expected}"]
    assert found.responses("DELETE /x") == ["204"]


def test_an_envelope_of_successes_alone_leaves_errors_as_they_are(tmp_path: Path) -> None:
    body = (
        "if (context.Result is ObjectResult result && result.StatusCode >= 200"
        " && result.StatusCode < 300)"
        " result.Value = new { data = result.Value, success = true };"
    )
    found = project(tmp_path, body)
    assert found.responses("GET /x") == [f"(200) {ANONYMOUS}", f"404 {PROBLEM}"]


def test_a_new_result_has_a_status_of_its_own(tmp_path: Path) -> None:
    body = ASKED + "{ context.Result = new JsonResult(new { data = result.Value }); }"
    found = project(tmp_path, body)
    assert found.responses("POST /x") == ["200 {data!: " + ORDER + "}"]


def test_filters_among_attributes_count_where_they_stand(tmp_path: Path) -> None:
    body = ASKED + "{ result.Value = new { data = result.Value, success = true }; }"
    for mark in ("[Wrapper]", "[ServiceFilter(typeof(Wrapper))]", "[TypeFilter<Wrapper>]"):
        found = project(tmp_path / mark.strip("[]()<>"), body, startup="", marks=mark)
        assert found.responses("GET /x") == [
            f"(200) {ANONYMOUS}",
            f"404 application/problem+json {DYNAMIC_SEGMENT}",
        ], mark
        assert found.responses("POST /x") == [f"201 {ORDER}"], mark
    alone = project(tmp_path / "alone", body, startup="")
    assert alone.responses("GET /x") == [f"(200) {ORDER}", f"404 {PROBLEM}"]
