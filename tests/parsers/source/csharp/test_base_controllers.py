"""Base controllers that answer for overrides, and results that derive from those of the library."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.parsers.source.csharp.project import CSPROJ, Project

SOURCE = """
#nullable enable
namespace Shop;
public record Order(int Id);
public record Note(string Text);
public class Made(string path, object value) : CreatedResult(path, value);
public class Failed : ObjectResult {
  public Failed(string text) : base(new Note(text)) { StatusCode = 422; }
}
public class Worse : Failed { public Worse() : base("worse") { } }
public class Late : ObjectResult {
  public Late(object value) : base(value) { Value = null; }
}
public class Own : StatusCodeResult {
  public Own() : base(200) { }
  public override void ExecuteResult(ActionContext context) { Write(context); }
}
public abstract class Base<T> : ControllerBase where T : class {
  protected abstract T Map(int id);
  public virtual async Task<ActionResult<T>> One(int id) {
    try {
      if (id < 0) return NotFound();
      return Map(id);
    } catch (Exception error) { return Broken(error); }
  }
  protected ActionResult<T> Added(T value) => new Made("/x", value);
  protected ActionResult<T[]> Many(int id) {
    if (id < 0) return BadRequest();
    return new[] { Map(id) };
  }
  protected async Task<ActionResult<T>> Kept(int id) {
    var made = await Saved(id);
    return made;
  }
  protected async Task<ActionResult<T>> Saved(int id) {
    if (id == 0) return Conflict();
    return new Made("/x", Map(id));
  }
  protected ActionResult<T> Given(ActionResult<T> given) { return given; }
  protected ActionResult Broken(Exception error) => new Failed(error.Message);
}
[Route("orders")]
public class OrdersController : Base<Order> {
  protected override Order Map(int id) => new Order(id);
  [HttpGet("one")] public override async Task<ActionResult<Order>> One(int id) =>
    await base.One(id);
  [HttpGet("added")] public async Task<ActionResult<Order>> Add() => Added(new Order(1));
  [HttpGet("kept")] public async Task<ActionResult<Order>> Keep(int id) => await Kept(id);
  [HttpGet("given")] public ActionResult<Order> Give() => Given(found);
  [HttpGet("worse")] public IActionResult Worst() => new Worse();
  [HttpGet("late")] public IActionResult Later() => new Late(new Order(1));
  [HttpGet("own")] public IActionResult OfItsOwn() => new Own();
  [HttpGet("own-value")] public ActionResult<Order> OwnAsValue() => new Own();
  [HttpGet("all")] public async Task<ActionResult> All(int id) {
    var found = Many(id);
    return found.Value != null ? Ok(found.Value) : found.Result;
  }
}
"""


@pytest.mark.parametrize(
    ("route", "expected"),
    [
        ("one", ["(200) {id: integer(int32)}", "404", "422 {text: string}"]),
        ("added", ["201 {id: integer(int32)}"]),
        ("kept", ["201 {id: integer(int32)}", "409"]),
        ("given", ["(200) {id: integer(int32)}", "…"]),
        ("worse", ["422 {text: 'worse'}"]),
        ("late", ["…"]),
        ("own", ["…"]),
        ("own-value", ["(200) {id: integer(int32)}", "…"]),
        ("all", ["200 [{id: integer(int32)}]", "400"]),
    ],
)
def test_base_controllers(tmp_path: Path, route: str, expected: list[str]) -> None:
    files = {"Shop.csproj": CSPROJ, "Orders.cs": SOURCE}
    assert Project(tmp_path, files).responses(f"GET /orders/{route}") == expected
