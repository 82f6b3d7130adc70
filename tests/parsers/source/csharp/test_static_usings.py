"""What `using static` brings in: types and constants nested in a type, whichever file holds it."""

from __future__ import annotations

from pathlib import Path

from tests.parsers.source.csharp.project import CSPROJ, Project

NESTED = """
    namespace Lib.Things;
    public static partial class Names
    {
        public const string Orders = "/orders";
        public class Dto { public int Id { get; set; } }
        public static class Deep
        {
            public const string Items = "/items";
            public class Item { public string Sku { get; set; } = ""; }
        }
    }
"""
USE = """
    namespace Shop;
    public static class Start
    {
        public static void Map(WebApplication app)
        {
            app.MapGet(Orders, () => new Dto());
            app.MapGet(Items, () => new Item());
        }
    }
"""
BOTH = "using static Lib.Things.Names;\nusing static Lib.Things.Names.Deep;\n"
ANSWERS = {
    "/items": "200={sku: string}",
    "/orders": "200={id: integer(int32)}",
}


def _answers(folder: Path, files: dict[str, str]) -> dict[str, str]:
    project = Project(folder, {"App.csproj": CSPROJ, **files})
    return {
        operation.path: " ".join(
            f"{response.status}={project.show(body.schema)}"
            for response in operation.responses
            for body in response.bodies
        )
        for operation in project.code.operations_with_answers
    }


def test_types_in_files_of_another_name(tmp_path: Path) -> None:
    assert _answers(tmp_path, {"All.cs": NESTED, "Start.cs": BOTH + USE}) == ANSWERS


def test_the_file_named_after_the_type_holds_another_part(tmp_path: Path) -> None:
    other = "namespace Lib.Things; public static partial class Names { }"
    files = {"All.cs": NESTED, "Names.cs": other, "Start.cs": BOTH + USE}
    assert _answers(tmp_path, files) == ANSWERS


def test_usings_for_the_whole_project(tmp_path: Path) -> None:
    usings = BOTH.replace("using static", "global using static")
    assert _answers(tmp_path, {"All.cs": NESTED, "Usings.cs": usings, "Start.cs": USE}) == ANSWERS


def test_usings_of_another_project_do_not_count(tmp_path: Path) -> None:
    usings = BOTH.replace("using static", "global using static")
    files = {"All.cs": NESTED, "Other/Other.csproj": CSPROJ, "Other/Usings.cs": usings}
    found = Project(tmp_path, {"App.csproj": CSPROJ, **files, "Start.cs": USE})
    assert [bool(operation.unresolved) for operation in found.code.operations] == [True, True]


def test_types_of_another_namespace_do_not_count(tmp_path: Path) -> None:
    other = NESTED.replace("Lib.Things", "Lib.Elsewhere")
    found = Project(tmp_path, {"App.csproj": CSPROJ, "All.cs": other, "Start.cs": BOTH + USE})
    assert [bool(operation.unresolved) for operation in found.code.operations] == [True, True]


def test_statuses_of_the_library(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "App.csproj": CSPROJ,
            "GatesController.cs": """
                using static Microsoft.AspNetCore.Http.StatusCodes;
                [ApiController, Route("gates")]
                public class GatesController : ControllerBase
                {
                    [HttpPost] public IResult Close(bool open) => open
                        ? TypedResults.Ok()
                        : TypedResults.StatusCode(Status412PreconditionFailed);
                }
            """,
        },
    )
    (operation,) = project.code.operations_with_answers
    assert [response.status for response in operation.responses] == ["200", "412"]
    assert operation.statuses_complete
