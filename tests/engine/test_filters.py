"""What is left of lists where a test takes null away, in each language."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest

from contract_scan.api import extract
from contract_scan.ir.schema import Array

PYTHON = """
    from fastapi import FastAPI
    app = FastAPI()
    def row(x):
        if x > 1: return None
        return dict(id=str(x))
    @app.get("/rows")
    def rows(): return {expression}
    """

TYPESCRIPT = """
    import express from 'express';
    const app = express();
    function row(x: number) {{ if (x > 3) return null; return {{ id: `${{x}}` }}; }}
    app.get('/rows', (request, response) => response.json({expression}));
    """

CSHARP = """
    #nullable enable
    using System.Linq;
    var app = WebApplication.Create(args);
    app.MapGet("/rows", () => {expression});
    app.Run();
    static Row? One(int x) => x > 3 ? null : new Row("");
    public record Row(string Id);
    """

JAVA = """
    package shop;
    import java.util.*;
    import java.util.stream.*;
    import org.springframework.web.bind.annotation.*;
    @RestController class Rows {{
      Map<String, String> row(int x) {{ if (x > 3) return null; return Map.of("id", "" + x); }}
      @GetMapping("/rows") public Object rows() {{ return {expression}; }}
    }}
    """

FILES = {"app.py": PYTHON, "app.ts": TYPESCRIPT, "Program.cs": CSHARP, "Rows.java": JAVA}


@pytest.mark.parametrize(
    ("file", "expression", "nullable"),
    [
        ("app.py", "[row(x) for x in [1, 5]]", True),
        ("app.py", "list(filter(None, [row(x) for x in [1, 2]]))", False),
        ("app.py", "list(filter(lambda r: r is not None, [row(x) for x in [1, 2]]))", False),
        ("app.py", "list(filter(lambda r: r is None, [row(x) for x in [1, 5]]))", True),
        ("app.py", "[r for r in map(row, [1, 2]) if r]", False),
        ("app.ts", "[1, 2].map(row)", True),
        ("app.ts", "[1, 2].map(row).filter(Boolean)", False),
        ("app.ts", "[1, 2].map(row).filter((r) => !!r)", False),
        ("app.ts", "[1, 2].map(row).filter((r): r is any => r !== null)", False),
        ("app.ts", "[1, 2].map(row).filter((r) => { return r != undefined; })", False),
        ("app.ts", "[1, 2].map(row).filter((r) => r?.id !== '1')", True),
        ("Program.cs", "new[] { 1, 2 }.Select(x => One(x))", True),
        ("Program.cs", "new[] { 1, 2 }.Select(x => One(x)).Where(r => r != null)", False),
        ("Program.cs", "new[] { 1, 2 }.Select(x => One(x)).Where(r => r is not null)", False),
        ("Program.cs", "new[] { 1, 2 }.Select(x => One(x)).OfType<Row>()", False),
        ("Rows.java", "Stream.of(1, 2).map(x -> row(x)).filter(Objects::nonNull).toList()", False),
        ("Rows.java", "Stream.of(1, 2).map(x -> x > 3 ? null : x).toList()", True),
        ("Rows.java", "Stream.of(1, 2).map(x -> x > 3 ? null : x).filter(r -> r != null)", False),
    ],
)
def test_items(file: str, expression: str, nullable: bool, tmp_path: Path) -> None:
    source = dedent(FILES[file]).format(expression=expression)
    (tmp_path / file).write_text(source)
    [operation] = extract(tmp_path, cache=False).endpoints
    [response] = [r for r in operation.responses if r.status == "200"]
    body = response.bodies[0].schema
    assert isinstance(body, Array)
    assert (body.items.nullable is True) is nullable
