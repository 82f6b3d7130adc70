"""Formatters of a project that write and read bodies by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.parsers.source.csharp.project import CSPROJ, Project

SOURCE = """
    using Microsoft.AspNetCore.Mvc;
    using Microsoft.AspNetCore.Mvc.Formatters;
    namespace App;
    public interface IShape { int Sides { get; } }
    public class Square : IShape { public int Sides { get; set; } }
    public class Note { public string Text { get; set; } }
    public class ShapeFormatter : TextOutputFormatter
    {
        public ShapeFormatter() { SupportedMediaTypes.Add("application/json"); }
        protected override bool CanWriteType(Type type) => typeof(IShape).IsAssignableFrom(type);
        public override Task WriteResponseBodyAsync(OutputFormatterWriteContext c, Encoding e) =>
            c.HttpContext.Response.WriteAsync("[]");
    }
    public class ShapeReader : TextInputFormatter
    {
        public ShapeReader() { SupportedMediaTypes.Add("application/json"); }
        protected override bool CanReadType(Type type) => type == typeof(Square);
    }
    public class CsvFormatter : TextOutputFormatter
    {
        public CsvFormatter() { SupportedMediaTypes.Add("text/csv"); }
    }
    [ApiController, Route("shapes")] public class ShapesController : ControllerBase
    {
        [HttpGet] public ActionResult<Square> Get() => new Square();
        [HttpGet("all")] public ActionResult<List<Square>> All() => new List<Square>();
        [HttpGet("note")] public ActionResult<Note> Note() => new Note();
        [HttpPost] public ActionResult<Note> Post([FromBody] Square shape) => new Note();
    }
"""
WRITTEN = "?the output formatter `ShapeFormatter` writes it?"
READ = "?the input formatter `ShapeReader` reads it?"
SQUARE = "{sides: integer(int32)}"


def project(folder: Path, start: str) -> Project:
    setup = f"services.AddControllers(options => {{ {start} }});"
    return Project(folder, {"App.csproj": CSPROJ, "Shapes.cs": SOURCE, "Program.cs": setup})


@pytest.mark.parametrize(
    ("start", "square", "listed"),
    [
        ("options.OutputFormatters.Insert(0, new ShapeFormatter());", WRITTEN, WRITTEN),
        (
            "options.OutputFormatters.RemoveType<SystemTextJsonOutputFormatter>();"
            "options.OutputFormatters.Add(new ShapeFormatter());",
            WRITTEN,
            WRITTEN,
        ),
        ("options.OutputFormatters.Add(new ShapeFormatter());", SQUARE, f"[{SQUARE}]"),
        ("options.OutputFormatters.Insert(0, new CsvFormatter());", SQUARE, f"[{SQUARE}]"),
    ],
)
def test_what_a_formatter_writes_before_that_of_json(
    tmp_path: Path, start: str, square: str, listed: str
) -> None:
    found = project(tmp_path, start)
    assert found.responses("GET /shapes") == [f"(200) {square}"]
    assert found.responses("GET /shapes/all") == [f"(200) {listed}"]
    assert found.responses("GET /shapes/note") == ["(200) {text: string}"]


def test_what_a_formatter_reads_before_that_of_json(tmp_path: Path) -> None:
    found = project(tmp_path, "options.InputFormatters.Insert(0, new ShapeReader());")
    (body,) = found.operation("POST /shapes").request
    assert found.show(body.schema) == READ


def test_annotations_of_an_action_that_always_throws_are_not_what_it_sends(tmp_path: Path) -> None:
    source = """
        using Microsoft.AspNetCore.Mvc;
        namespace App;
        public class Note { public string Text { get; set; } }
        [ApiController, Route("notes")] public class NotesController : ControllerBase
        {
            [HttpGet, ProducesResponseType(typeof(Note), 200), ProducesResponseType(404)]
            public IActionResult Get(int id)
            {
                string example = null;
                throw new NotImplementedException();
            }
            [HttpGet("one"), ProducesResponseType(typeof(Note), 200)]
            public IActionResult One(int id)
            {
                if (id == 0) throw new NotImplementedException();
                return Ok(new Note());
            }
        }
    """
    found = Project(tmp_path, {"App.csproj": CSPROJ, "Notes.cs": source})
    assert found.responses("GET /notes") == ["404", "…"]
    assert found.responses("GET /notes/one") == ["200 {text: string}"]
