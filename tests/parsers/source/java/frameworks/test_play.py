"""Play: routes files, and the actions that they name."""

from __future__ import annotations

from pathlib import Path

from tests.parsers.source.java.project import Project

HEAD = """package controllers;
import java.util.*;
import java.util.concurrent.*;
import play.libs.Json;
import play.mvc.*;
class Order { public long id; }
class Draft { public String name; }
interface Repo { CompletionStage<List<Order>> list(); }
"""


def project(folder: Path, routes: str, methods: str = "", **files: str) -> Project:
    """An application with these routes, and one controller with these methods."""
    source = f"{HEAD} public class Orders extends Controller {{ Repo repo; {methods} }}"
    return Project(folder, {"conf/routes": routes, "app/controllers/Orders.java": source, **files})


def test_routes_files(tmp_path: Path) -> None:
    shop = """
# Orders
GET     /                     controllers.Orders.list(request: Request)
GET     /:id                  controllers.Orders.get(id: Long)
POST    /$code<[a-z/]+>/x     controllers.Orders.list(code)
"""
    found = project(
        tmp_path,
        """
        GET     /home                controllers.Orders.list(request: Request)   # the start
        +nocsrf
        GET     /files/*name         controllers.Orders.get(name)
        GET     /assets/*file        controllers.Assets.at(path="/public", file)
        ->      /api/orders          shop.Routes
        ->      /else                other.Routes
        not a route
        """,
        **{"conf/shop.routes": shop, "conf/application.conf": 'play.http.context = "/app"\n'},
    )
    assert found.routes() == [
        "* /app/else/{path*}",
        "GET /app/api/orders",
        "GET /app/api/orders/{id}",
        "GET /app/assets/{file*}",
        "GET /app/files/{name*}",
        "GET /app/home",
        "POST /app/api/orders/{code}/x",
    ]
    hidden = {o.path for o in found.code.operations if o.excluded_from_docs}
    assert hidden == {"/app/else/{path*}", "/app/assets/{file*}"}


def test_parameters_of_routes(tmp_path: Path) -> None:
    found = project(
        tmp_path,
        "GET /orders/:id controllers.Orders.get(id: Long, page: Int ?= 1, q: Option[String], "
        'tags: java.util.List[String], on: Boolean, mode = "x", at: DateTime)',
        "public Result get(Long id) { return noContent(); }",
    )
    assert found.parameters("GET /orders/{id}") == [
        "path id: integer(int64)",
        "query page?=: integer(int32)",
        "query q?: string",
        "query tags?: [string]",
        "query on: boolean",
        "query at: <`DateTime` is read by a binder>",
        "…",
    ]


def test_what_actions_send(tmp_path: Path) -> None:
    methods = {
        "a": "public Result a() { return ok(Json.toJson(new Order())); }",
        "b": "public CompletionStage<Result> b() { return repo.list().thenApplyAsync("
        "list -> created(Json.toJson(list)), pool); }",
        "c": "public Result c(String id) { if (id == null) { return notFound(); } "
        'return status(202, Json.toJson(new Order())).withHeader("a", "b"); }',
        "d": 'public Result d() { return ok("text").as("text/plain"); }',
        "e": "public Result e() { return redirect(routes.Orders.a()); }",
        "f": "public Result f() { return ok().chunked(source); }",
        "g": "public Result g() { return Library.result(); }",
        "h": "public Result h() { ObjectNode all = Json.newObject(); "
        'all.put("count", 3); all.set("first", Json.toJson(new Order())); return ok(all); }',
    }
    routes = "\n".join(f"GET /{name} controllers.Orders.{name}" for name in methods)
    found = project(tmp_path, routes, " ".join(methods.values()))
    order = "{id: integer(int64)}"
    assert {name: found.responses(f"GET /{name}") for name in methods} == {
        "a": [f"200 {order}"],
        "b": [f"201 [{order}]"],
        "c": [f"202 {order}", "404"],
        "d": ["200 */* string"],
        "e": ["303"],
        "f": ["200 <what `chunked` sends is a stream or a file>"],
        "g": ["(200) <what is returned is no result that is read>", "…"],
        "h": [f"200 {{count!: 3, first!: {order}}}"],
    }


def test_pages_are_hidden(tmp_path: Path) -> None:
    found = project(
        tmp_path,
        "GET / controllers.Orders.page",
        "public Result page() { return ok(views.html.index.render()); }",
    )
    assert [o.excluded_from_docs for o in found.code.operations] == [True]


def test_what_actions_read(tmp_path: Path) -> None:
    found = project(
        tmp_path,
        """
        POST /a controllers.Orders.a(request: Request)
        POST /b controllers.Orders.b
        """,
        """
        public Result a(Http.Request request) {
          Draft draft = Json.fromJson(request.body().asJson(), Draft.class);
          request.header("X-Key"); request.queryString("q");
          return noContent(); }
        public Result b() { Json.fromJson(request().body().asJson(), Draft.class);
          return noContent(); }
        """,
    )
    assert found.request("POST /a") == ["{name: string~}"]
    assert found.parameters("POST /a") == [
        "header X-Key~: <the code reads it as text>",
        "query q~: <the code reads it as text>",
    ]
    assert found.request("POST /b") == ["<what `b` reads of the body is undetermined>"]


def test_what_is_undetermined(tmp_path: Path) -> None:
    found = project(
        tmp_path,
        """
        GET  /scala  controllers.InScala.get
        ->   /       routers.Generated
        """,
    )
    assert found.routes() == [
        "* /{path*} ?the routes of `routers.Generated` are not seen",
        "GET /scala",
    ]
    assert found.responses("GET /scala") == [
        "(200) <the action `controllers.InScala.get` is not among the sources of Java>",
        "…",
    ]


def test_several_applications(tmp_path: Path) -> None:
    source = "package controllers; import play.mvc.*; public class A extends Controller {{ {} }}"
    found = Project(
        tmp_path,
        {
            "one/conf/routes": "GET /one controllers.A.x",
            "two/conf/routes": "GET /two controllers.A.x",
            "one/app/controllers/A.java": source.format("public Result x() { return ok(); }"),
            "two/app/controllers/A.java": source.format("public Result x() { return created(); }"),
        },
    )
    assert found.responses("GET /one") == ["200"]
    assert found.responses("GET /two") == ["201"]
