"""EmbedIO: controllers, the modules they are registered in, what handlers take and send."""

from __future__ import annotations

from pathlib import Path

from tests.parsers.source.csharp.project import CSPROJ, Project

START = """
    using EmbedIO;
    using EmbedIO.WebApi;
    using App;
    var server = new WebServer(o => o.WithUrlPrefix("http://*:9696/"))
        .WithWebApi("/api", m => m.WithController<Orders>().WithController(() => new Late()))
        .WithWebApi("named", "/v2", m => { m.RegisterController(typeof(Orders)); });
    var module = new WebApiModule("/chained").WithController<Chained>();
    server.WithModule(module);
    server.WithWebApi(config.Path, m => m.WithController<Moved>());
"""
HEAD = """
    using EmbedIO;
    using EmbedIO.Routing;
    using EmbedIO.WebApi;
    namespace App;
    public class Order { public int Id { get; set; } public string? Note { get; set; } }
"""


def project(folder: Path, source: str) -> Project:
    files = {"App.csproj": CSPROJ, "Api.cs": HEAD + source, "Program.cs": START}
    return Project(folder, files)


def test_controllers_and_modules(tmp_path: Path) -> None:
    found = project(
        tmp_path,
        """
        public class Orders : WebApiController
        {
            [Route(HttpVerbs.Get, "/orders/{id?}")]
            public Order? One(int id) => null;
            [Route(HttpVerbs.Any, "/any")]
            public void Any() { }
            public void NoRoute() { }
        }
        public abstract class Base : WebApiController
        {
            [Route(HttpVerbs.Delete, "/base")]
            public void Gone() { }
        }
        public class Chained : Base { }
        public class Moved : WebApiController
        {
            [Route(HttpVerbs.Put, "/moved")]
            public void Put() { }
        }
        public class Late : WebApiController
        {
            [Route(HttpVerbs.Post, "/late")]
            public void Post() { }
        }
        """,
    )
    assert found.routes() == [
        "* /api/any",
        "* /v2/any",
        "DELETE /chained/base",
        "GET /api/orders hidden",
        "GET /api/orders/{id}",
        "GET /v2/orders hidden",
        "GET /v2/orders/{id}",
        "POST /api/late",
        "PUT /{computed}/moved ?the path of the module is not constant",
    ]


def test_what_handlers_take_and_send(tmp_path: Path) -> None:
    found = project(
        tmp_path,
        """
        public class Orders : WebApiController
        {
            [Route(HttpVerbs.Get, "/orders/{id}")]
            public async Task<Order> One(
                int id, [QueryField] int page, [QueryField("X", true)] string x)
            {
                if (id == 0) throw HttpException.NotFound();
                if (id == 1) throw new HttpException(HttpStatusCode.Conflict);
                return await Load(id);
            }
            [Route(HttpVerbs.Post, "/orders")]
            public Order Add([JsonData] Order order)
            {
                Response.StatusCode = 201;
                return order;
            }
            [Route(HttpVerbs.Put, "/orders")]
            public Task Put([FormField] string name)
                => HttpContext.SendStringAsync(name, "text/plain", null);
            [Route(HttpVerbs.Delete, "/orders/{id}")]
            public void Delete(int id) { }
        }
        """,
    )
    order = "{Id: integer(int32), Note: string|null}"
    assert found.parameters("GET /api/orders/{id}") == [
        "path id: integer(int32)",
        "query page?: integer(int32)",
        "query X: string",
    ]
    assert found.responses("GET /api/orders/{id}") == [f"(200) {order}", "404", "409"]
    assert found.request("POST /api/orders") == ["{Id?: integer(int32), Note?: string|null}!"]
    assert found.responses("POST /api/orders") == [f"201 {order}"]
    assert found.request("PUT /api/orders") == ["application/x-www-form-urlencoded {name~: string}"]
    assert found.responses("PUT /api/orders") == [
        "(200) */* ?the handler writes the response itself?",
        "…",
    ]
    assert found.responses("DELETE /api/orders/{id}") == ["(200)"]


def test_attributes_that_give_the_whole_request(tmp_path: Path) -> None:
    found = project(
        tmp_path,
        """
        public class Orders : WebApiController
        {
            [Route(HttpVerbs.Post, "/form")]
            public void Form([FormData] NameValueCollection form) { }
            [Route(HttpVerbs.Get, "/query")]
            public void Query([QueryData] NameValueCollection query) { }
            [Route(HttpVerbs.Post, "/own")]
            public void Own([Grid] Order order, Order other) { }
        }
        """,
    )
    why = "?an attribute reads the request itself?"
    assert found.request("POST /api/form") == [f"application/x-www-form-urlencoded {why}"]
    assert found.request("GET /api/query") == []
    assert found.parameters("GET /api/query") == ["…"]
    assert found.request("POST /api/own") == [f"*/* {why}"]
    assert found.parameters("POST /api/own") == ["…"]
