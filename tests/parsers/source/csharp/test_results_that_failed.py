"""Helpers that are given a result which is seen to have failed answer with errors alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.parsers.source.csharp.project import CSPROJ, PROBLEM, Project

CODE = """
    using Microsoft.AspNetCore.Mvc;
    public record Order(int Id);
    public record Page(List<Order> Items);
    public class Result { public bool IsSuccess { get; } public bool IsFailure => !IsSuccess; }
    public class Result<T> : Result { public T Value { get; } }
    public interface IOrders { Task<Result<Page>> All(); Result Delete(int id); }

    public abstract class Base : ControllerBase
    {
        protected IActionResult Answer<T>(Result<T> result)
        {
            if (result.IsSuccess)
                return Ok(result.Value);
            return Fails(result);
        }
        protected IActionResult Answer(Result result) => result.IsSuccess ? Ok() : Fails(result);
        protected IActionResult Fails(Result result)
            => result.IsFailure ? NotFound() : StatusCode(201);
    }

    [ApiController, Route("o")]
    public class OrdersController(IOrders orders) : Base
    {
        [HttpGet("behind")] public async Task<IActionResult> Behind()
        {
            var result = await orders.All();
            if (result.IsFailure)
                return Answer(result);
            return Ok(result.Value.Items);
        }
        [HttpGet("negated")] public async Task<IActionResult> Negated()
        {
            var result = await orders.All();
            if (!result.IsSuccess || orders == null) return Answer(result);
            return Ok(result.Value.Items);
        }
        [HttpGet("both")] public async Task<IActionResult> Both()
        {
            var result = await orders.All();
            if (result.IsFailure == true && orders != null) { return Answer(result: result); }
            return NoContent();
        }
        [HttpGet("rest")] public async Task<IActionResult> Rest()
        {
            var result = await orders.All();
            if (result.IsSuccess) { return Ok(result.Value.Items); }
            return Answer(result);
        }
        [HttpGet("option")] public IActionResult Option()
        {
            var result = orders.Delete(1);
            return result.IsFailure ? Answer(result) : NoContent();
        }
        [HttpGet("again")] public IActionResult Again()
        {
            var result = orders.Delete(1);
            if (result.IsFailure) { result = orders.Delete(2); return Answer(result); }
            return NoContent();
        }
        [HttpGet("open")] public async Task<IActionResult> Open() => Answer(await orders.All());
    }
"""
ORDERS = "[{id: integer(int32)}]"


@pytest.mark.parametrize(
    ("route", "expected"),
    [
        ("behind", [f"200 {ORDERS}", f"404 {PROBLEM}"]),
        ("negated", ["200 {items: " + ORDERS + "} or " + ORDERS, f"404 {PROBLEM}"]),
        ("both", ["204", f"404 {PROBLEM}"]),
        ("rest", [f"200 {ORDERS}", f"404 {PROBLEM}"]),
        ("option", ["204", f"404 {PROBLEM}"]),
        ("again", ["200", "204", f"404 {PROBLEM}"]),
        ("open", ["200 {items: " + ORDERS + "}", f"404 {PROBLEM}"]),
    ],
)
def test_helpers_behind_a_test_of_the_result(
    tmp_path: Path, route: str, expected: list[str]
) -> None:
    found = Project(tmp_path, {"App.csproj": CSPROJ, "A.cs": CODE})
    assert found.responses(f"GET /o/{route}") == expected


def test_delegates_that_a_helper_is_handed(tmp_path: Path) -> None:
    source = """
        using Microsoft.AspNetCore.Mvc;
        [ApiController, Route("o")]
        public class C : ControllerBase
        {
            [HttpGet("a")] public Task<ActionResult> A() => Guarded(async id =>
            { await Task.Delay(id); return Ok(new { id }); });
            private async Task<ActionResult> Guarded(Func<int, Task<ActionResult>> action)
            {
                if (User == null) return StatusCode(403, "no");
                return await action.Invoke(1);
            }
            [HttpGet("b")] public Task<ActionResult> B(CancellationToken ct)
            {
                var answer = Checked(1, isWritable: User != null, async id => Ok(new { id }), ct);
                return answer;
            }
            private async Task<ActionResult> Checked(int id, bool isWritable,
                Func<int, Task<ActionResult>> action, CancellationToken ct = default)
                => isWritable ? await action.Invoke(id) : NotFound();
        }
    """
    found = Project(tmp_path, {"App.csproj": CSPROJ, "A.cs": source})
    assert found.responses("GET /o/a") == ["200 {id!: 1}", "403 text/plain 'no' 'no'"]
    assert found.responses("GET /o/b") == ["200 {id!: 1}", f"404 {PROBLEM}"]
