"""Branches of a helper that a member of the object which it is given decides."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.parsers.source.csharp.project import CSPROJ, Project

SOURCE = """
    using Microsoft.AspNetCore.Mvc;
    using System.Net;
    namespace App;
    public enum Kind {{ Made, Kept, Lost }}
    public class Answer
    {{ public HttpStatusCode Code {{ get; set; }} public Kind Kind {{ get; set; }} }}
    public abstract class BaseController : ControllerBase
    {{
        protected IActionResult Send(Answer answer)
        {{
            switch (answer.Code)
            {{
                case HttpStatusCode.OK: return Ok();
                case HttpStatusCode.Accepted: return StatusCode(202);
                default: return StatusCode(500);
            }}
        }}
        protected IActionResult OfKind(Answer answer)
        {{
            if (answer.Kind == Kind.Made) return StatusCode(201);
            return answer.Kind == Kind.Kept ? NoContent() : NotFound();
        }}
    }}
    [ApiController, Route("x")] public class XController : BaseController
    {{
        [HttpGet] public IActionResult Get(Answer given)
        {{
            {body}
        }}
    }}
"""


@pytest.mark.parametrize(
    ("body", "statuses"),
    [
        ("return Send(new Answer { Code = HttpStatusCode.Accepted });", ["202"]),
        ("return Send(new Answer { Code = HttpStatusCode.OK });", ["200"]),
        ("return Send(new Answer { Code = HttpStatusCode.Conflict });", ["500"]),
        ("return OfKind(new Answer { Kind = Kind.Made });", ["201"]),
        ("return OfKind(new Answer { Kind = Kind.Lost });", ["404"]),
        ("return Send(given);", ["200", "202", "500"]),
        (
            "var one = new Answer { Code = HttpStatusCode.OK }; one.Code = given.Code;"
            " return Send(one);",
            ["200", "202", "500"],
        ),
        (
            "var one = new Answer { Code = HttpStatusCode.OK };"
            " if (given.Kind == Kind.Lost) { one.Code = HttpStatusCode.Accepted; }"
            " return Send(one);",
            ["200", "202", "500"],
        ),
    ],
)
def test_a_member_of_the_object_that_is_given(
    tmp_path: Path, body: str, statuses: list[str]
) -> None:
    source = SOURCE.format(body=body)
    found = Project(tmp_path, {"App.csproj": CSPROJ, "X.cs": source})
    assert [one.status for one in found.operation("GET /x").responses] == statuses
