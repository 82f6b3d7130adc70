"""What Mapperly makes of an object is never null; what it makes of null may be."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.parsers.source.csharp.project import Project

CSPROJ = '<Project Sdk="Microsoft.NET.Sdk.Web"></Project>'
SOURCE = """
    using Microsoft.AspNetCore.Mvc;
    using Riok.Mapperly.Abstractions;
    public class Order { public int Id { get; set; } }
    public class Dto { public int Id { get; set; } }
    public interface IMap<TIn, TOut> { TOut To(TIn from); }
    public abstract class Map<TIn, TOut> : IMap<TIn, TOut> { public abstract TOut To(TIn from); }
    [Mapper] public partial class OrderMap : Map<Order, Dto>
    { public override partial Dto To(Order from); }
    [Mapper] public partial class Other : Map<Dto, Order>
    { public override partial Order To(Dto from); }
    OTHER
    [ApiController, Route("o")]
    public class OrdersController(IMap<Order, Dto> map, IStore store) : ControllerBase
    {
        [HttpGet("tested")] public ActionResult<Dto> Tested()
        {
            var order = store.Find();
            if (order == null) return NotFound();
            return map.To(order);
        }
        [HttpGet("open")] public ActionResult<Dto> Open() => map.To(store.Find());
    }
"""


@pytest.mark.parametrize(
    ("other", "route", "complete"),
    [
        ("", "tested", True),
        ("", "open", False),
        (
            "public class ByHand : Map<Dto, Dto> { public override Dto To(Dto d) => Made(d); }",
            "tested",
            False,
        ),
    ],
)
def test_objects_that_a_generated_method_maps(
    tmp_path: Path, other: str, route: str, complete: bool
) -> None:
    found = Project(tmp_path, {"App.csproj": CSPROJ, "A.cs": SOURCE.replace("OTHER", other)})
    operation = found.operation(f"GET /o/{route}")
    assert operation.statuses_complete is complete
