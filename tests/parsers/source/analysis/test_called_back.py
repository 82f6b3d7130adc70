"""Variables that functions change which are written down where the variable is."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.parsers.source.analysis.support import returned
from tests.parsers.source.csharp.project import CSPROJ
from tests.parsers.source.csharp.project import Project as CSharp
from tests.parsers.source.java.project import Project as Java
from tests.parsers.source.typescript.project import Project as TypeScript


@pytest.mark.parametrize(
    ("body", "shape"),
    [
        pytest.param(
            "const out = []; rows().forEach(r => out.push(r.name)); res.json(out);",
            "[string]",
            id="items are added",
        ),
        pytest.param(
            "const out = [];"
            " rows().map(r => { if (r.id > 1) { out.push({ n: r.name }); } return 1; });"
            " res.json(out);",
            "[{n: string}]",
            id="items are added on one way through the function",
        ),
        pytest.param(
            "const out: any = {}; rows().forEach(({ id, name }) => { out[name] = id; });"
            " res.json(out);",
            "{*: numeric}",
            id="keys are computed, the item taken apart",
        ),
        pytest.param(
            "const out: any = { a: 1 }; rows().forEach(r => { out.b = r.id; }); res.json(out);",
            "{a: 1, b?: numeric}",
            id="a key may be set",
        ),
        pytest.param(
            "let last = null; rows().forEach(r => { last = r.id; }); res.json({ last });",
            "{last: numeric?}",
            id="another value is assigned",
        ),
        pytest.param(
            "let last = 1; rows().forEach(r => { const last = r.name; log(last); });"
            " res.json({ last });",
            "{last: 1}",
            id="another variable of the name",
        ),
        pytest.param(
            "let last = 1; rows().forEach(last => { last = 'x'; }); res.json({ last });",
            "{last: 1}",
            id="a parameter of the name",
        ),
        pytest.param(
            "const out = []; const add = (r: Row) => { out.push(r.id); }; rows().forEach(add);"
            " res.json(out);",
            "[numeric]",
            id="the function has a name",
        ),
        pytest.param(
            "const out = []; function add(r: Row) { out.push(r.id); } rows().forEach(add);"
            " res.json(out);",
            "[numeric]",
            id="the function is declared",
        ),
        pytest.param(
            "const out = []; await Promise.all(rows().map(async r => {"
            " more(r).forEach(m => { out.push({ id: r.id, more: m.name }); }); })); res.json(out);",
            "[{id: numeric, more: string}]",
            id="a function in a function",
        ),
        pytest.param(
            "const out = []; rows().forEach(r => { out.push(r.id); }); const copy = out;"
            " rows().forEach(r => { copy.length; }); res.json(copy);",
            "[numeric]",
            id="before the place",
        ),
        pytest.param(
            "const out = []; res.json(out); rows().forEach(r => { out.push(r.id); });",
            "[nothing]",
            id="after the place",
        ),
        pytest.param(
            "const out = []; all().then(() => { out.push(1); }).then(() => { res.json(out); });",
            "[1]",
            id="earlier in the same statement",
        ),
    ],
)
def test_functions_of_typescript(tmp_path: Path, body: str, shape: str) -> None:
    source = """
        interface Row { id: number; name: string }
        declare function rows(): Row[];
        declare function more(row: Row): Row[];
        declare function all(): Promise<void>;
        const app = require('express')();
        app.get('/a', async (req, res) => { BODY });
    """
    found = TypeScript(tmp_path, {"a.ts": source.replace("BODY", body)})
    assert found.responses("GET /a") == {"200*": shape}


def test_lambdas_of_java(tmp_path: Path) -> None:
    source = """package com.shop;
    import java.util.*;
    import org.springframework.web.bind.annotation.*;
    class Row { public long id; public String name; }
    @RestController class Rows {
      private List<Row> rows;
      @GetMapping("/ids") public Object ids() {
        var found = new ArrayList<>();
        rows.forEach(row -> found.add(row.id));
        return found;
      }
      @GetMapping("/named") public Object named() {
        Map<String, Object> found = new HashMap<>();
        found.put("size", 1);
        rows.stream().forEach(row -> { found.put("last", row.name); });
        return found;
      }
    }
    """
    found = Java(tmp_path, {"src/main/java/Rows.java": source})
    told = {
        o.path: [found.body(b) for r in o.responses for b in r.bodies]
        for o in found.code.operations_with_answers
    }
    assert told == {"/ids": ["[integer(int64)]"], "/named": ["{size!: 1, last?!: string}"]}


def test_lambdas_of_csharp(tmp_path: Path) -> None:
    source = """
        var app = WebApplication.Create();
        List<Row> rows = Load();
        app.MapGet("/ids", () =>
        {
            var found = new List<object>();
            rows.ForEach(row => found.Add(new { row.Id }));
            return found;
        });
        app.MapGet("/last", () =>
        {
            object? last = null;
            rows.ForEach(row => { last = new { row.Name }; });
            return new { Last = last };
        });
        public record Row(int Id, string Name);
    """
    found = CSharp(tmp_path, {"App.csproj": CSPROJ, "Program.cs": source})
    assert {route: found.responses(route) for route in found.routes()} == {
        "GET /ids": ["(200) [{id!: integer(int32)}]"],
        "GET /last": ["(200) {last!: {name!: string}|null}"],
    }


def test_nested_functions_of_python(tmp_path: Path) -> None:
    source = """
def each(function): ...
def f():
    found = []
    last = None
    def add(row):
        last = row
        found.append(1)
    each(add)
    return found
"""
    assert returned(tmp_path, source) == ["[;integer:(1,)]"]
