"""Which of several methods of one name a call means."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.parsers.source.csharp.project import CSPROJ, Project

CONTROLLER = """
    using Microsoft.AspNetCore.Mvc;
    namespace App;
    public class Thing { }
    public class Order : Thing { public int Id { get; set; } }
    public class Item { public string Name { get; set; } = ""; }
    public record OrderDto(int Id);
    public record ItemDto(string Name);
    public record ThingDto(bool Seen);
    public static class Mapper
    {
        public static OrderDto Map(Order order) => new(order.Id);
        public static ItemDto Map(Item item) => new(item.Name);
        public static ThingDto Map(Thing thing) => new(true);
        public static List<ItemDto> Map(IEnumerable<Item> items) => items.Select(Map).ToList();
        public static T Map<T>(T value) => value;
    }
    public interface ICommand { }
    public interface IQuery<T> { }
    public record GetItem(int Id) : IQuery<Item>;
    public record Delete(int Id) : ICommand;
    public class Dispatcher
    {
        public Task Ask(ICommand command, CancellationToken token = default) => null!;
        public Task<T> Ask<T>(IQuery<T> query, CancellationToken token = default) => null!;
    }
    public class Numbers
    {
        public OrderDto Of(string text) => null!;
        public ItemDto Of(long number) => null!;
        public ThingDto Of(Func<int> made) => null!;
        public OrderDto Named(int id) => null!;
        public ItemDto Named(string name) => null!;
    }
    [ApiController, Route("x")]
    public class XController(Dispatcher dispatcher, Numbers numbers) : ControllerBase
    {
        [HttpGet] public async Task<IActionResult> Get(Item item, List<Item> items, Order order)
        {
            var found = await dispatcher.Ask(new GetItem(1));
            object unknown = Library.Something();
            return EXPRESSION;
        }
        IActionResult Made(Order order) => Ok(new OrderDto(1));
        IActionResult Made(Item item) => Ok(new ItemDto(""));
    }
"""


@pytest.mark.parametrize(
    ("expression", "body"),
    [
        ("Ok(Mapper.Map(order))", "{id: integer(int32)}"),
        ("Ok(Mapper.Map(item))", "{name: string}"),
        ("Ok(Mapper.Map(new Thing()))", "{seen: boolean}"),
        ("Ok(Mapper.Map(items))", "[{name: string}]"),
        ("Ok(items.Select(Mapper.Map))", "[{name: string}]"),
        ("Ok(items.Select(i => Mapper.Map(i)))", "[{name: string}]"),
        ("Ok(found)", "{name: string}"),
        ('Ok(numbers.Of("a"))', "{id: integer(int32)}"),
        ("Ok(numbers.Of(1))", "{name: string}"),
        ("Ok(numbers.Of(() => 1))", "{seen: boolean}"),
        ('Ok(numbers.Named(name: "a"))', "{name: string}"),
        ("Ok(numbers.Named(unknown))", "?which `Named` is called is undetermined?"),
        ("Made(item)", "{name: ''}"),
    ],
)
def test_arguments_tell_the_overload(tmp_path: Path, expression: str, body: str) -> None:
    project = Project(
        tmp_path,
        {"App.csproj": CSPROJ, "X.cs": CONTROLLER.replace("EXPRESSION", expression)},
    )
    assert project.responses("GET /x")[:1] == [f"200 {body}"]


@pytest.mark.parametrize(
    ("expression", "shape"),
    [
        ("DateTime.UtcNow", "string(date-time)"),
        ("DateTime.UtcNow.Date.AddDays(1)", "string(date-time)"),
        ("thing.At.Value", "string(date-time)"),
        ("thing.At.Value.Year", "integer(int32)"),
        ("thing.At.HasValue", "boolean"),
        ("thing.Kind.Value", "0|1"),
        ("thing.At.GetValueOrDefault()", "string(date-time)"),
        ("Guid.Empty", "string(uuid)"),
        ("string.Empty", "''"),
        ("error.Message", "string"),
        ("new OwnException().Message", "string"),
        ("things.Max(t => t.At)", "string(date-time)|null"),
        ("things.MaxBy(t => t.At)", "{at: string(date-time)|null, kind: 0|1|null}"),
        ('"a,b".Split(",")', "[string]"),
        ("int.Parse(text)", "integer(int32)"),
        ("System.Math.Round(1.5)", "numeric"),
        ("System.Convert.ToBase64String(null)", "string"),
        ("new List<int>().Count", "integer(int32)"),
        ("new Uri(text).Host", "string"),
        ("User.Identity.Name", "string|null"),
        ("Pair.Find().Count", "integer(int32)"),
        ("Pair.Find().Item2", "string"),
        ("User.Identity.IsAuthenticated", "boolean"),
        ("System.Text.Json.JsonSerializer.Deserialize<OwnException[]>(text).Length", "integer"),
    ],
)
def test_values_of_library_types(tmp_path: Path, expression: str, shape: str) -> None:
    text = f"""
        using Microsoft.AspNetCore.Builder;
        var app = WebApplication.Create();
        app.MapGet("/x", (Exception error, List<Thing> things, Thing thing, string text) =>
            Results.Ok(new {{ v = {expression} }}));
        public enum Kind {{ A, B }}
        public class User {{ }}
        public static class Pair {{ public static (int Count, string Text) Find() => Db.Find(); }}
        public class OwnException : Exception {{ }}
        public class Thing
        {{
            public DateTime? At {{ get; set; }}
            public Kind? Kind {{ get; set; }}
        }}
    """
    project = Project(tmp_path, {"App.csproj": CSPROJ, "Program.cs": text})
    (shown,) = project.responses("GET /x")
    assert shown in (f"200 {{v: {shape}}}", f"200 {{v!: {shape}}}")
