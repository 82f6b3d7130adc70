"""ServiceStack."""

from __future__ import annotations

from pathlib import Path

from tests.parsers.source.csharp.project import CSPROJ, Project

DTOS = """
    using ServiceStack;
    namespace Shop;
    [Route("/orders", "GET")]
    [Route("/orders/{Id}", Verbs = "GET,DELETE")]
    public class FindOrders : IReturn<List<Order>>
    { public int? Id { get; set; } public string? Name { get; set; } }

    [Route("/orders", "POST")]
    public class CreateOrder : IPost, IReturn<OrderResponse>
    { public string Name { get; set; } = ""; public List<Line> Lines { get; set; } = []; }

    [Route("/orders/{Id}/lines")]
    public class Lines : IReturn<LinesResponse> { public int Id { get; set; } }

    [Route("/orders/{Id}", "DELETE")]
    public class DeleteOrder : IReturnVoid { public int Id { get; set; } }

    [Route("/files/{Path*}", "GET")]
    public class GetFile { public string Path { get; set; } = ""; }

    public class Ping : IReturn<string> { }

    public class Order
    { public int Id { get; set; } public string? Note { get; set; } public Kind Kind { get; set; } }
    public class Line { public string Sku { get; set; } = ""; }
    [DataContract]
    public class OrderResponse
    {
        [DataMember(Name = "result")] public Order Order { get; set; } = null!;
        [DataMember] public ResponseStatus? ResponseStatus { get; set; }
        public int Hidden { get; set; }
    }
    public class LinesResponse { public List<Line> Results { get; set; } = []; }
    public enum Kind { New, Old }
"""
ORDER = "{id: integer(int32), note?: string, kind: 'New'|'Old'}"


def project(folder: Path, services: str, dtos: str = DTOS, **others: str) -> Project:
    files = {
        "App.csproj": CSPROJ,
        "Dtos.cs": dtos,
        "Services.cs": f"using ServiceStack;\nusing Shop;\n{services}",
    }
    return Project(folder, files | {f"{name}.cs": text for name, text in others.items()})


def test_routes_of_requests(tmp_path: Path) -> None:
    found = project(
        tmp_path,
        """
        public class Orders : Service
        {
            public object Any(FindOrders request) => Db.Select<Order>();
            public object Post(CreateOrder request) => new OrderResponse();
            public async Task<LinesResponse> GetAsync(Lines request) => null!;
            public void Delete(DeleteOrder request) { }
            public object Get(GetFile request) => new HttpResult(new FileInfo(request.Path));
            public object Any(Ping request) => "pong";
            private object Get(CreateOrder request) => null;
            public object Other(CreateOrder request) => null;
        }
        public class Plain { public object Get(FindOrders request) => null; }
        """,
        Clients="using ServiceStack; public class C(IServiceClient client) { }",
    )
    assert found.routes() == [
        "DELETE /orders/{Id}",
        "DELETE /orders/{Id}",
        "GET /files/{Path*}",
        "GET /orders",
        "GET /orders/{Id}",
        "GET /orders/{Id}/lines",
        "POST /orders",
    ]
    assert found.parameters("GET /orders/{Id}") == [
        "path Id: integer(int32)|null",
        "query name?: string|null",
    ]
    assert found.parameters("GET /orders") == [
        "query id?: integer(int32)|null",
        "query name?: string|null",
    ]
    assert found.request("POST /orders") == ["{name?: string, lines?: [{sku?: string}|null]}"]
    assert found.responses("GET /orders") == [f"(200) [{ORDER}]"]
    assert found.responses("GET /orders/{Id}/lines") == ["(200) {results: [{sku: string}]}"]


def test_answers(tmp_path: Path) -> None:
    found = project(
        tmp_path,
        """
        public class Orders : Service
        {
            public object Post(CreateOrder request)
            {
                if (request.Name == "") throw HttpError.NotFound("no");
                return new HttpResult(new OrderResponse(), HttpStatusCode.Created);
            }
            public object Get(FindOrders request) =>
                request.Id == null ? null : new HttpError(HttpStatusCode.NotFound, "none");
            public object Get(Lines request)
                => new HttpResult(new LinesResponse()) { StatusCode = HttpStatusCode.Accepted };
            public void Delete(DeleteOrder request) { }
        }
        """,
    )
    assert found.responses("POST /orders") == [f"201 {{result: {ORDER}}}"]
    assert found.responses("GET /orders") == ["(204)", "404"]
    assert found.responses("GET /orders/{Id}/lines") == ["202 {results: [{sku: string}]}"]
    assert found.responses("DELETE /orders/{Id}") == ["(204)"]


def test_answers_that_are_undetermined(tmp_path: Path) -> None:
    dtos = """
        using ServiceStack;
        namespace Shop;
        [Route("/a")] public class A { }
        [Route("/b")] public class B { }
        [Route(Missing.Path)] public class C { }
    """
    found = project(
        tmp_path,
        """
        public class Things : Service
        {
            public object Get(A request) => Gateway.Send(request);
            public object Get(B request) => new HttpResult(bytes, "image/png");
            public object Get(C request) => 1;
        }
        """,
        dtos,
    )
    assert found.routes() == ["GET / ?its path is not constant", "GET /a", "GET /b"]
    assert found.responses("GET /a") == ["…"]
    assert found.responses("GET /b") == ["…"]


def test_requests_that_servicestack_answers_by_itself(tmp_path: Path) -> None:
    dtos = """
        using ServiceStack;
        namespace Shop;
        [Route("/rows", "GET")]
        public class QueryRows : QueryDb<Row> { public int? Id { get; set; } }
        [Route("/rows", "POST")]
        public class CreateRow : ICreateDb<Row>, IReturn<IdResponse> { public int Id { get; set; } }
        [Route("/clients")] public class OnlySent : IReturn<Row> { }
        public class Row { public int Id { get; set; } }
    """
    found = project(tmp_path, "", dtos)
    assert found.routes() == ["GET /rows", "POST /rows"]
    (shown,) = found.responses("GET /rows")
    assert shown.startswith(
        "(200) {offset: integer(int32), total: integer(int32), results~: [{id: integer(int32)}], "
    )
    assert found.parameters("GET /rows") == ["query id?: integer(int32)|null", "…"]


def test_what_start_up_code_says(tmp_path: Path) -> None:
    host = """
        using ServiceStack;
        public class AppHost : AppHostBase
        {
            public override void Configure(Container container)
            {
                SetConfig(new HostConfig { HandlerFactoryPath = "api", UseCamelCase = false });
                Routes.Add<Shop.Late>("/late/{Id}", "GET").Add<Shop.Late>("/later", "POST");
            }
        }
    """
    dtos = """
        using ServiceStack;
        namespace Shop;
        public class Late { public int Id { get; set; } }
    """
    services = "public class S : Service { public Late Any(Late request) => request; }"
    found = project(tmp_path, services, dtos, Host=host)
    assert found.routes() == ["GET /api/late/{Id}", "POST /api/later"]
    assert found.responses("POST /api/later") == ["(200) {Id: integer(int32)}"]
