"""Whether every object that a project makes of a class is given a member: declared with `?`, and
never left null."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.parsers.source.csharp.project import CSPROJ, Project

MODEL = "namespace App; public class Problem { public string? Code { get; set; } }"
FACTORY = """
namespace App;
public static class Problems { public static Problem Of() => new Problem { Code = "x" }; }
"""
CONTROLLER = """
namespace App;
[ApiController, Route("problems")]
public class ProblemsController(IStore store) : ControllerBase
{
    [HttpGet] public ActionResult<Problem> Get() => store.Find();
}
"""
GIVEN, OPEN = "{code: string~}", "{code: string|null}"


def shape(folder: Path, **others: str) -> str:
    """What the action answers, in a project with these further files."""
    files = {"App.csproj": CSPROJ, "Problem.cs": MODEL, "Problems.cs": FACTORY}
    files |= {"ProblemsController.cs": CONTROLLER}
    files |= {f"{name}.cs": f"namespace App; {text}" for name, text in others.items()}
    (response,) = Project(folder, files).responses("GET /problems")
    return response.partition(" ")[2]


@pytest.mark.parametrize(
    "other",
    [
        "",
        'class Other { Problem Get() => new App . Problem\n { Code = "y" }; }',
        "class Other { List<Problem> Get() => store.Find<Other>(new Other()); }",
        "class Other { bool Is(object it) => it is Problem { Code: null }; }",
        "class Other { DbSet<Problem> Rows { get; } void Map(EntityTypeBuilder<Problem> b) {} }",
        'class Other { void Set() { var a = Problems.Of(); a.Code = "y"; a.Code ??= null; } }',
        "class Other { void Set(Row made) { made.Code = null; } } class Row { string? Code; }",
        "class Other { Problem Get() => new Problem { Code = r.IsDBNull(1) ? null : r.Get(1) }; }",
        'class Other { void Set() => rows.Update(s => s.SetProperty(p => p.Code, "z")); }',
    ],
)
def test_a_member_that_every_construction_gives(tmp_path: Path, other: str) -> None:
    assert shape(tmp_path, Other=other) == GIVEN


@pytest.mark.parametrize(
    "other",
    [
        "class Other { Problem Get() => new Problem(); }",
        "class Other { Problem Get() => new /* a */ Problem { }; }",
        "class Other { object Get() => new Dictionary<string, Problem>(); }",
        "class Other { Problem Get() { Problem made = new(); return made; } }",
        "class Other { Problem Get(string text) => Json.Deserialize<Problem>(text); }",
        "class Other : Problem { }",
        "class Other { void Set(dynamic made) { made.Code = null; } }",
        "class Other { void Set(dynamic made) { (made.Code, made.Id) = (null, 1); } }",
        "class Other { void Set(dynamic made) { (made.Code, made.Id) = Codes.Of(); } }",
        "class Other { void Set() { var made = Problems.Of(); made.Code = null; } }",
        "class Other { void Set() => rows.Update(s => s.SetProperty(p => p.Code, p => null)); }",
        "class Other { void Set() => rows.Update(s => s.SetProperty(p => p.Code, code)); }",
        "class Other { void Map(M m) => m.HasForeignKey(p => p.Code).OnDelete(Rule.SetNull); }",
        "class Other { [HttpPost] public void Take(Problem problem) { } }",
    ],
)
def test_a_member_that_something_may_leave_null(tmp_path: Path, other: str) -> None:
    assert shape(tmp_path, Other=other) == OPEN
