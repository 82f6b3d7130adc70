"""What LINQ gives: groups, joins, pairs of dictionaries, query expressions."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.parsers.source.csharp.project import CSPROJ, Project, models

TYPES = """
    public class Db : DbContext
    {
        public DbSet<Order> Orders { get; set; } = null!;
        public DbSet<Line> Lines => Set<Line>();
        public Dictionary<string, Order> Named { get; set; } = [];
    }
    public class Order
    {
        public int Id { get; set; }
        public string Name { get; set; } = "";
        public Kind Kind { get; set; }
        public List<Line> Lines { get; set; } = [];
    }
    public class Line { public int OrderId { get; set; } public Guid Sku { get; set; } }
    public enum Kind { A, B }
"""
PAIR = "{name!: string, sku!: string(uuid)}"
COUNTS = "{key!: 0|1, n!: integer(int32)}"


@pytest.mark.parametrize(
    ("expression", "shown"),
    [
        ("db.Orders.GroupBy(o => o.Kind).Select(g => new { g.Key, N = g.Count() })", COUNTS),
        ("db.Orders.ToLookup(o => o.Kind).Select(g => new { g.Key, N = g.Count() })", COUNTS),
        (
            "db.Orders.GroupBy(o => o.Kind, (key, all) => new { key, N = all.Count() })",
            COUNTS,
        ),
        (
            "db.Orders.GroupBy(o => new { o.Kind, o.Name }, o => o.Id)"
            ".Select(g => new { g.Key.Name, Ids = g.ToList() })",
            "{name!: string, ids!: [integer(int32)]}",
        ),
        ("db.Lines.GroupBy(l => l.OrderId)", "[{orderId: integer(int32), sku: string(uuid)}]"),
        (
            "db.Orders.Join(db.Lines, o => o.Id, l => l.OrderId, (o, l) => new { o.Name, l.Sku })",
            PAIR,
        ),
        (
            "db.Orders.GroupJoin(db.Lines, o => o.Id, l => l.OrderId, (o, ls) => "
            "new { o.Name, Sku = ls.First().Sku })",
            PAIR,
        ),
        ("db.Orders.SelectMany(o => o.Lines, (o, l) => new { o.Name, l.Sku })", PAIR),
        ("db.Orders.Zip(db.Lines, (o, l) => new { o.Name, l.Sku })", PAIR),
        (
            'new Dictionary<string, Order> { ["a"] = db.Orders.First() }.ToList()'
            ".Select(p => new { p.Key, p.Value.Id })",
            "{key!: ?the type of the keys of this map is not seen?, id!: integer(int32)}",
        ),
        ("db.Orders.Select((o, i) => new { o.Name, i })", "{name!: string, i!: integer(int32)}"),
        ("db.Lines.Chunk(3)", "[{orderId: integer(int32), sku: string(uuid)}]"),
        ("from o in db.Orders from l in o.Lines select new { o.Name, l.Sku }", PAIR),
        (
            "from o in db.Orders join l in db.Lines on o.Id equals l.OrderId into ls "
            "from l in ls.DefaultIfEmpty() let s = l.Sku select new { o.Name, Sku = s }",
            PAIR,
        ),
        (
            "from o in db.Orders group o by o.Kind into g select new { g.Key, N = g.Count() }",
            COUNTS,
        ),
        ("db.Named.Select(p => new { p.Key, p.Value.Id })", "{key!: string, id!: integer(int32)}"),
        ("db.Named.Values.Select(o => o.Name)", "string"),
        ("db.Named.Keys", "string"),
        (
            'new Dictionary<string, Order> { ["a"] = db.Orders.First() }.Values.Select(o => o.Id)',
            "integer(int32)",
        ),
        ("Enum.GetNames(typeof(Kind))", "string"),
    ],
)
def test_lists_made_of_others(tmp_path: Path, expression: str, shown: str) -> None:
    routes = f"""
        public static class Routes
        {{
            public static void Map(WebApplication app) =>
                app.MapGet("/x", (Db db) => ({expression}).ToList());
        }}
    """
    found = models(tmp_path, TYPES + routes)
    assert found.responses("GET /x") == [f"(200) [{shown}]"]


def test_a_map_that_code_fills_is_gone_through_by_pairs(tmp_path: Path) -> None:
    source = """
        var app = WebApplication.Create();
        List<Row> rows = Load();
        app.MapGet("/again", () =>
        {
            var named = new Dictionary<string, Dictionary<int, Row>>();
            rows.ForEach(row =>
                named.TryAdd(row.Name, new Dictionary<int, Row> { [row.Id] = row }));
            var sorted = named.OrderBy(pair => pair.Value.Values.Max(row => row.Id)).ToList();
            return sorted.Take(3).ToDictionary(pair => pair.Key, pair => pair.Value);
        });
        app.MapGet("/selected", () =>
        {
            var named = new Dictionary<string, Row>();
            foreach (var row in rows) named[row.Name] = row;
            return named.Select(pair => new { pair.Value.Id });
        });
        public record Row(int Id, string Name);
    """
    found = Project(tmp_path, {"App.csproj": CSPROJ, "Program.cs": source})
    assert {route: found.responses(route) for route in found.routes()} == {
        "GET /again": ["(200) {…: {…: {id: integer(int32), name: string}}}"],
        "GET /selected": ["(200) [{id!: integer(int32)}]"],
    }
