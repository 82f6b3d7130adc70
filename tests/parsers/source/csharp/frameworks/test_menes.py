"""Menes: methods that implement operations of a document by their names."""

from __future__ import annotations

from pathlib import Path

from tests.parsers.source.csharp.project import CSPROJ, Project

SOURCE = """
    using Menes;
    public class OrderService : IOpenApiService
    {
        public const string GetOrderId = "getOrder";
        [OperationId(GetOrderId)]
        public async Task<OpenApiResult> GetOrder(string id)
        {
            try
            {
                var order = await store.Find(id);
                OpenApiResult result = this.OkResult(order, "application/json");
                result.Results.Add("ETag", order.ETag);
                return result;
            }
            catch (OrderNotFoundException) { return this.NotFoundResult(); }
            catch (ArgumentException) { return new OpenApiResult { StatusCode = 400 }; }
        }
        [OperationId("createOrder")]
        public Task<OpenApiResult> Create(Order body) =>
            Task.FromResult(body.IsNew
                ? this.CreatedResult(links, GetOrderId, ("id", body.Id)) : this.ConflictResult());
        [OperationId("placeOrder")]
        public OpenApiResult Place(Order body) => this.CreatedResult("/orders/1", body);
        [OperationId("open")] public OpenApiResult Open() => Answered();
        [OperationId("own")] public OpenApiResult Own() => this.OkResult(1);
        [OperationId(Names.Other)] public OpenApiResult Other() => this.AcceptedResult("/x");
    }
    public static class Extensions
    { public static OpenApiResult OkResult(this OrderService it, int code) => Company.Made(code); }
    public class NoService { [OperationId("none")] public void None() { } }
"""
BODY = "?what `IJsonSerializerSettingsProvider` of a library sets is undetermined"


def answers(found: Project) -> dict[str, tuple[list[str], bool]]:
    return {
        operation.handler: (
            [f"{one.status}{' body' if one.bodies else ''}" for one in operation.responses],
            operation.statuses_complete,
        )
        for operation in found.code.operations_with_answers
    }


def test_operations_by_name(tmp_path: Path) -> None:
    found = Project(tmp_path, {"App.csproj": CSPROJ, "A.cs": SOURCE})
    names = {o.handler: o.operation_id for o in found.code.operations_with_answers}
    assert names["OrderService.GetOrder"] == "getOrder"
    assert "NoService.None" not in names
    given = answers(found)
    assert given["OrderService.GetOrder"] == (["200 body", "400", "404"], True)
    assert given["OrderService.Create"] == (["201", "409"], True)
    assert given["OrderService.Place"] == (["201 body"], True)


def test_what_is_undetermined(tmp_path: Path) -> None:
    found = Project(tmp_path, {"App.csproj": CSPROJ, "A.cs": SOURCE})
    given = answers(found)
    assert given["OrderService.Open"] == ([], False)
    assert given["OrderService.Own"] == ([], False)
    (other,) = [o for o in found.code.operations_with_answers if o.handler.endswith(".Other")]
    assert (other.operation_id, other.unresolved.code) == ("", "handled-operation-not-constant")
