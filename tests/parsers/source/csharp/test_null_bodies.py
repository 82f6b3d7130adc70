"""Null as the body of an action: ASP.NET Core answers 204, not 200."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.engine.judged import judged

PROJECT = """<Project Sdk="Microsoft.NET.Sdk.Web"><PropertyGroup>
<TargetFramework>net8.0</TargetFramework><Nullable>{nullable}</Nullable></PropertyGroup></Project>
"""
PATHS = """
/orders/{id}:
  get:
    parameters: [{name: id, in: path, required: true, schema: {type: integer}}]
    responses:
      '200':
        description: ok
        content: {application/json: {schema: {type: object, properties: {count: {type: integer}}}}}
      '404': {description: missing}
"""
SOURCE = """
using MediatR;
using Microsoft.AspNetCore.Mvc;
using Microsoft.EntityFrameworkCore;
namespace Shop;
public class Order { public int Count { get; set; } }
public class OrderDto { public int Count { get; set; } }
public class Shop : DbContext { public DbSet<Order> Orders { get; set; } }
public interface IOrders {
  Task<Order> One(int id);
  Task<Order> Made(int id);
  Task<Order> Foreign(int id);
  bool Has(int id);
}
public class Orders(Shop shop, IRemote remote) : IOrders {
  public async Task<Order> One(int id) => await shop.Orders.FirstOrDefaultAsync(o => o.Count == id);
  public async Task<Order> Made(int id) { return new Order { Count = id }; }
  public Task<Order> Foreign(int id) => remote.Fetch<Order>(id);
  public bool Has(int id) => shop.Orders.Any(o => o.Count == id);
}
public record GetOrder(int Id) : IRequest<Order>;
public class GetOrderHandler(IOrders orders) : IRequestHandler<GetOrder, Order> {
  public async Task<Order> Handle(GetOrder request, CancellationToken token) {
    return await orders.One(request.Id);
  }
}
public static class Mappings {
  public static OrderDto ToDto(this Order order) {
    if (order == null) return null;
    return new OrderDto { Count = order.Count };
  }
}
[ApiController]
public class OrdersController(
    Shop shop, IOrders orders, IMediator mediator, AutoMapper.IMapper mapper) : ControllerBase {
  static readonly Order order = new Order { Count = 1 };
  [HttpGet("orders/{id}")]
  ACTION
}
"""
VIOLATED = (["GET /orders/{id} status"], [], 0)
UNDETERMINED = ([], ["GET /orders/{id}"], 0)
VERIFIED = ([], [], 1)
_ASKED_BEFORE = "if (!orders.Has(id)) return NotFound();"


def verdict(folder: Path, action: str, nullable: str = "disable", **others: str) -> object:
    files = {
        "Shop.csproj": PROJECT.format(nullable=nullable),
        "Orders.cs": SOURCE.replace("ACTION", action),
    }
    files |= {f"{name}.cs": text for name, text in others.items()}
    found = judged(folder, files, PATHS)
    return found.findings, found.undetermined, found.verified


@pytest.mark.parametrize(
    "action",
    [
        "public Order? One(int id) => id == 1 ? order : null;",
        "public Order One(int id) { if (id == 1) return order; return null; }",
        "public ActionResult<Order> One(int id) { return null as Order; }",
        "public IActionResult One(int id) { return Ok(null); }",
        "public async Task<Order> One(int id) => await shop.Orders.FindAsync(id);",
        "public async Task<ActionResult<Order>> One(int id) => await orders.One(id);",
        "public async Task<IActionResult> One(int id) => Ok(await orders.One(id));",
        "public Task<Order> One(int id) => mediator.Send(new GetOrder(id));",
        "public async Task<OrderDto> One(int id) {"
        " var found = await orders.One(id); return mapper.Map<OrderDto>(found); }",
        "public async Task<OrderDto> One(int id) => (await orders.One(id)).ToDto();",
        "public async Task<OrderDto> One(int id) => (await orders.One(id))?.ToDto();",
        "public Order One(int id) => shop.Orders.SingleOrDefault(o => o.Count == id)!;",
    ],
)
def test_null_is_answered_with_204(tmp_path: Path, action: str) -> None:
    assert verdict(tmp_path, action) == VIOLATED


@pytest.mark.parametrize(
    "action",
    [
        "public Order One(int id) => id == 1 ? order : new Order();",
        "public async Task<ActionResult<Order>> One(int id) {"
        " var found = await orders.One(id); if (found == null) return NotFound(); return found; }",
        "public async Task<IActionResult> One(int id) {"
        " var found = await orders.One(id); return found is null ? NotFound() : Ok(found); }",
        "public async Task<IActionResult> One(int id) {"
        " if (await orders.One(id) is { } found) return Ok(found); return NotFound(); }",
        "public async Task<Order> One(int id) => await orders.One(id) ?? new Order();",
        "public async Task<Order> One(int id) => await orders.One(id) ?? throw new Exception();",
        "public async Task<Order> One(int id) => await orders.Made(id);",
        "public async Task<OrderDto> One(int id) => (await orders.Made(id)).ToDto();",
        "public Order One(int id) => shop.Orders.First(o => o.Count == id);",
        "public IActionResult One(int id) => new JsonResult(new Order());",
    ],
)
def test_no_null_is_answered_with_200(tmp_path: Path, action: str) -> None:
    assert verdict(tmp_path, action) == VERIFIED


@pytest.mark.parametrize(
    "action",
    [
        "public Task<Order> One(int id) => orders.Foreign(id);",
        "public async Task<IActionResult> One(int id) {"
        f" {_ASKED_BEFORE} return Ok(await orders.One(id)); }}",
        "public async Task<ActionResult<Order>> One(int id) {"
        f" {_ASKED_BEFORE} return await orders.One(id); }}",
        "public async Task<Order> One(int id) {"
        " shop.Orders.Add(order); return await orders.One(id); }",
    ],
)
def test_whether_there_is_a_null_is_undetermined(tmp_path: Path, action: str) -> None:
    assert verdict(tmp_path, action) == UNDETERMINED


def test_the_compiler_holds_values_against_types_without_null(tmp_path: Path) -> None:
    action = "public Task<Order> One(int id) => orders.Foreign(id);"
    assert verdict(tmp_path, action, "enable") == VERIFIED


@pytest.mark.parametrize(
    "setting",
    [
        "options.OutputFormatters.RemoveType<HttpNoContentOutputFormatter>()",
        "formatter.TreatNullValueAsNoContent = false",
    ],
)
def test_without_the_formatter_null_is_a_body(tmp_path: Path, setting: str) -> None:
    action = "public Order One(int id) => shop.Orders.FirstOrDefault();"
    start = f"services.AddControllers(options => {{ {setting}; }});"
    assert verdict(tmp_path, action, Program=start) == (
        ["GET /orders/{id} nullable"],
        [],
        0,
    )


def test_a_filter_may_look_for_null_itself(tmp_path: Path) -> None:
    action = "[Found] public Order One(int id) => shop.Orders.FirstOrDefault();"
    found = """
        public class FoundAttribute : ResultFilterAttribute {
          public override void OnResultExecuting(ResultExecutingContext context) {
            if (context.Result is ObjectResult { Value: null })
              context.Result = new NotFoundResult();
          }
        }
    """
    findings, undetermined, verified = verdict(tmp_path, action, Found=found)  # type: ignore[misc]
    assert (findings, verified) == ([], 0)
    assert undetermined
