"""Jooby: routes, groups and mounts, what handlers take and send."""

from __future__ import annotations

from pathlib import Path

from tests.parsers.source.java.project import Project

HEAD = """package shop;
import io.jooby.*;
import io.jooby.exception.*;
import static io.jooby.Jooby.runApp;
import java.util.*;
"""


def project(folder: Path, source: str) -> Project:
    return Project(folder, {"src/main/java/shop/Main.java": HEAD + source})


def test_routes_of_an_application(tmp_path: Path) -> None:
    found = project(
        tmp_path,
        """
        class App extends Jooby {
          static final String ORDERS = "/orders";
          {
            use(next -> ctx -> next.apply(ctx));
            get("/", ctx -> "Hello");
            post(ORDERS, this::add);
            get("/users/{id:[0-9]+}", ctx -> 1);
            get("/profile/{id}?", ctx -> 1);
            get("/files/*", ctx -> 1);
            get("/assets/*rest", ctx -> 1);
            path("/api", () -> {
              put("/a", ctx -> 1);
              routes(() -> { path("/deep", () -> { delete("/b", ctx -> 1); }); });
            });
            mount(new Plain());
            mount("/prefix", new Orders());
            install("/v2", Orders::new);
            get(System.getenv("X"), ctx -> 1);
          }
          Object add(Context ctx) { return ""; }
          public static void main(String[] args) { runApp(args, App::new); }
        }
        class Plain extends Jooby { { get("/plain", ctx -> 1); } }
        class Orders extends Jooby {
          Orders() { get("/orders/{id}", ctx -> 1); }
        }
        class Controllers extends Jooby { { mvc(new Cats_()); } }
        """,
    )
    assert found.routes() == [
        "* /{path*} ?routes of classes with annotations are not read",
        "DELETE /api/deep/b",
        "GET /",
        "GET / ?the path of the route is not a constant that can be followed",
        "GET /assets/{rest*}",
        "GET /files/{path*}",
        "GET /plain",
        "GET /prefix/orders/{id}",
        "GET /profile",
        "GET /profile/{id}",
        "GET /users/{id}",
        "GET /v2/orders/{id}",
        "POST /orders",
        "PUT /api/a",
    ]


def test_routes_of_functions_that_are_given_the_application(tmp_path: Path) -> None:
    found = project(
        tmp_path,
        """
        class Main {
          public static void main(String[] args) {
            runApp(args, app -> {
              app.get("/a", ctx -> "x");
              more(app);
            });
            Jooby other = new Jooby();
            other.patch("/c", ctx -> "x");
          }
          static void more(Jooby app) { app.head("/b", ctx -> ""); }
        }
        """,
    )
    assert found.routes() == ["GET /a", "HEAD /b", "PATCH /c"]


def test_what_handlers_take_and_send(tmp_path: Path) -> None:
    found = project(
        tmp_path,
        """
        class Order { public long id; }
        class App extends Jooby {
          {
            get("/orders/{id}", ctx -> {
              long id = ctx.path("id").longValue();
              int page = ctx.query("page").intValue(1);
              String state = ctx.query("state").valueOrNull();
              boolean all = ctx.header("X-All").booleanValue();
              if (id == 0) { throw new NotFoundException("no"); }
              if (id == 1) { throw new StatusCodeException(StatusCode.CONFLICT); }
              return new Order();
            });
            post("/orders", ctx -> {
              Order order = ctx.body(Order.class);
              ctx.setResponseCode(StatusCode.CREATED);
              return order;
            });
            put("/orders", ctx -> {
              Order order = ctx.body().to(Order.class);
              return ctx.setResponseCode(202).render(order);
            });
            delete("/orders/{id}", ctx -> ctx.send(StatusCode.NO_CONTENT));
            get("/page", ctx -> { ctx.setResponseType(MediaType.html); return "<p>"; });
            get("/text", ctx -> "done");
            get("/old", ctx -> ctx.sendRedirect("/text"));
            post("/form", ctx -> ctx.form("name").value());
          }
        }
        """,
    )
    order = "{id: integer(int64)}"
    assert found.parameters("GET /orders/{id}") == [
        "path id: integer",
        "query page~=: integer",
        "query state~: string",
        "header X-All~: boolean",
    ]
    assert found.responses("GET /orders/{id}") == [f"(200) {order}", "404", "409"]
    assert found.responses("POST /orders") == [
        "201 <the result of `request.body` comes from the framework>"
    ]
    assert found.responses("PUT /orders") == [f"202 {order}"]
    assert found.responses("DELETE /orders/{id}") == ["204"]
    assert found.responses("GET /old") == ["302"]
    assert found.responses("GET /text") == ["(200) text/plain 'done'"]
    assert found.operation("GET /page").excluded_from_docs
    assert found.request("POST /orders") == [order]
    assert found.request("PUT /orders") == [order]
    assert found.request("POST /form") == [
        "application/x-www-form-urlencoded {name~!: <the code reads it as text>}"
    ]
