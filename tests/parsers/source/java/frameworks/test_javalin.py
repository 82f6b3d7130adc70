"""Javalin: where routes are registered, what handlers take and send."""

from __future__ import annotations

from pathlib import Path

import pytest

from contract_scan.parsers.source.java.frameworks.javalin import template
from tests.parsers.source.java.project import Project

HEAD = """package shop;
import static io.javalin.apibuilder.ApiBuilder.*;
import io.javalin.Javalin;
import io.javalin.apibuilder.*;
import io.javalin.http.*;
import java.util.*;
"""
ORDER = "class Order { public long id; }\n"


def project(folder: Path, source: str) -> Project:
    return Project(folder, {"src/main/java/shop/Main.java": HEAD + ORDER + source})


@pytest.mark.parametrize(
    ("written", "common"),
    [
        ("/orders/:id/items", "/orders/{id}/items"),
        ("/orders/{id}", "/orders/{id}"),
        ("/files/<path>", "/files/{path*}"),
        ("/*/static/*", "/{any}/static/{path*}"),
    ],
)
def test_paths(written: str, common: str) -> None:
    assert template(written) == common


def test_routes_of_the_application(tmp_path: Path) -> None:
    found = project(
        tmp_path,
        """
        class Main {
          static final String BASE = "/orders";
          public static void main(String[] args) {
            Javalin app = Javalin.create(config -> { config.showBanner = false; }).start(7000);
            app.get(BASE, ctx -> ctx.json(List.of())).post(BASE, Main::add);
            app.addHttpHandler(HandlerType.PUT, "/{id}", new Put());
            app.before(ctx -> {});
            app.exception(RuntimeException.class, (e, ctx) -> ctx.status(500));
            new Users(app).register();
            Items.register(app, "/v1");
            Map<String, String> map = new HashMap<>();
            map.put("/no", "route");
          }
          static void add(Context ctx) {}
        }
        class Put implements Handler { public void handle(Context ctx) {} }
        class Users {
          private final Javalin app;
          Users(Javalin app) { this.app = app; }
          void register() { app.delete("/users/{id}", this::remove); }
          private void remove(Context ctx) {}
        }
        class Items {
          static void register(Javalin javalin, String version) {
            javalin.patch(version + "/items", ctx -> {});
            for (String name : List.of("a", "b")) { javalin.head("/" + name, ctx -> {}); }
          }
        }
        """,
    )
    assert found.routes() == [
        "DELETE /users/{id}",
        "GET /orders",
        "HEAD /a",
        "HEAD /b",
        "PATCH /v1/items",
        "POST /orders",
        "PUT /{id}",
    ]


def test_functions_that_call_each_other_are_followed_once(tmp_path: Path) -> None:
    functions = " ".join(
        f'void f{i}(Javalin app) {{ app.get("/{i}", ctx -> {{}});'
        f" f{(i + 1) % 9}(app); f{(i + 2) % 9}(app); f{(i + 3) % 9}(app); }}"
        for i in range(9)
    )
    found = project(tmp_path, f"class Main {{ {functions} }}")
    assert found.routes() == [f"GET /{i}" for i in range(9)]
    assert found.program.problems == []


def test_groups(tmp_path: Path) -> None:
    found = project(
        tmp_path,
        """
        class Main {
          void start() {
            Javalin app = Javalin.create(config -> {
              config.router.contextPath = "/api";
              config.router.apiBuilder(() -> path("v2", () -> get("status", ctx -> {})));
              config.router.mount(router -> router.get("/mounted", ctx -> {}));
            });
            app.routes(() -> {
              path("orders", () -> {
                get(Main::all);
                post("new", Main::all, Role.USER);
                path("{id}", () -> { get(Main::all); ApiBuilder.delete(Main::all); });
                path("items", new Items().routes());
              });
              more();
            });
            app.routes(new Group());
          }
          static void more() { put("/more", Main::all); }
          static void all(Context ctx) {}
        }
        class Items { EndpointGroup routes() { return () -> { get("/", Main::all); }; } }
        class Group implements EndpointGroup {
          public void addEndpoints() { patch("group", Main::all); }
        }
        """,
    )
    assert found.routes() == [
        "DELETE /api/orders/{id}",
        "GET /api/mounted",
        "GET /api/orders",
        "GET /api/orders/items",
        "GET /api/orders/{id}",
        "GET /api/v2/status",
        "PATCH /api/group",
        "POST /api/orders/new",
        "PUT /api/more",
    ]


def test_crud_handlers(tmp_path: Path) -> None:
    found = project(
        tmp_path,
        """
        class Main {
          void start(Javalin app) {
            app.routes(() -> crud("orders/{order-id}", new Orders()));
          }
        }
        class Orders implements CrudHandler {
          public void getAll(Context ctx) { ctx.json(new ArrayList<Order>()); }
          public void getOne(Context ctx, String id) { ctx.json(new Order()); }
          public void create(Context ctx) { ctx.bodyAsClass(Order.class); ctx.status(201); }
          public void update(Context ctx, String id) {}
          public void delete(Context ctx, String id) { ctx.status(HttpStatus.NO_CONTENT); }
        }
        """,
    )
    assert found.routes() == [
        "DELETE /orders/{order-id}",
        "GET /orders",
        "GET /orders/{order-id}",
        "PATCH /orders/{order-id}",
        "POST /orders",
    ]
    assert found.responses("GET /orders/{order-id}") == ["(200) {id: integer(int64)}"]
    assert found.responses("DELETE /orders/{order-id}") == ["204"]
    assert found.request("POST /orders") == ["{id: integer(int64)}"]


def test_what_is_undetermined(tmp_path: Path) -> None:
    found = project(
        tmp_path,
        """
        class Main {
          void start(Javalin app) {
            app.get(System.getenv("PATH"), ctx -> {});
            app.routes(() -> path(System.getenv("P"), () -> get("x", ctx -> {})));
            app.get("/library", Library.handler());
          }
        }
        """,
    )
    reason = "the path of the route is not a constant that can be followed"
    assert found.routes() == [f"GET / ?{reason}", "GET /library", f"GET /x ?{reason}"]
    assert found.responses("GET /library") == [
        "(200) <which handler answers is undetermined>",
        "…",
    ]


def test_responses(tmp_path: Path) -> None:
    found = project(
        tmp_path,
        """
        class Main {
          private final Orders orders = new Orders();
          void start(Javalin app) {
            app.get("/chain", ctx -> ctx.status(201).json(new Order()));
            app.get("/paths", this::paths);
            app.get("/helped", this::helped);
            app.get("/later", ctx -> ctx.future(() -> orders.load().thenAccept(o -> ctx.json(o))));
            app.get("/text", ctx -> ctx.result("hello"));
            app.get("/written", ctx -> ctx
              .result(new ObjectMapper().writeValueAsString(new Order()))
              .contentType("application/json"));
            app.get("/raw", ctx -> ctx.contentType("application/json").result(Library.text()));
            app.get("/page", ctx -> ctx.html("<p>"));
            app.get("/moved", ctx -> ctx.redirect("/text"));
            app.get("/empty", ctx -> {});
            app.get("/handed", ctx -> Library.answer(ctx));
            app.get("/thrown", ctx -> { throw new NotFoundResponse(); });
          }
          private void paths(Context ctx) {
            Order order = orders.find(ctx.pathParam("id"));
            if (order == null) { ctx.status(404); return; }
            try { ctx.json(Map.of("order", order)); }
            catch (RuntimeException e) { ctx.status(HttpStatus.BAD_REQUEST).json(e.getMessage()); }
          }
          private void helped(Context ctx) { send(ctx, new Order()); }
          private void send(Context ctx, Order order) { ctx.json(order); }
        }
        class Orders {
          Order find(String id) { return null; }
          java.util.concurrent.CompletableFuture<Order> load() { return null; }
        }
        """,
    )
    order = "{id: integer(int64)}"
    text = "<the text that is returned is sent as it is>"
    assert found.responses("GET /chain") == [f"201 {order}"]
    assert found.responses("GET /paths") == [
        f"(200) {{order!: {order}}}",
        f"400 {text}",
        "404",
    ]
    assert found.responses("GET /helped") == [f"(200) {order}"]
    assert found.responses("GET /later") == [f"(200) {order}", "…"]
    assert found.responses("GET /text") == ["(200) text/plain 'hello'"]
    assert found.responses("GET /written") == [f"(200) {order}"]
    assert found.responses("GET /raw") == [
        "(200) <the result of `Library.text` comes from a library>"
    ]
    assert found.operation("GET /page").excluded_from_docs
    assert found.responses("GET /moved") == ["302"]
    assert found.responses("GET /empty") == ["(200)"]
    assert found.responses("GET /handed") == [
        "(200) text/plain <`answer` is given the response and may send anything>",
        "…",
    ]
    assert found.responses("GET /thrown") == ["404"]


def test_what_handlers_take(tmp_path: Path) -> None:
    found = project(
        tmp_path,
        """
        class Main {
          void start(Javalin app) {
            app.post("/orders/{id}", this::add);
            app.post("/form", ctx -> ctx.formParam("name"));
            app.post("/raw", ctx -> ctx.body());
            app.get("/any", ctx -> ctx.queryParamMap());
          }
          private void add(Context ctx) {
            long id = ctx.pathParamAsClass("id", Long.class).get();
            Integer page = ctx.queryParamAsClass("page", Integer.class).getOrDefault(1);
            String sort = ctx.queryParam("sort");
            String tenant = ctx.header("X-Tenant");
            Order order = ctx.bodyValidator(Order.class).check(o -> true, "no").get();
            ctx.header("X-Total", "1").json(order);
          }
        }
        """,
    )
    text = "<the code reads it as text>"
    assert found.parameters("POST /orders/{id}") == [
        "path id: integer(int64)",
        "query page?: integer(int32)",
        f"query sort~: {text}",
        f"header X-Tenant~: {text}",
    ]
    assert found.request("POST /orders/{id}") == ["{id: integer(int64)}"]
    assert found.request("POST /form") == [f"application/x-www-form-urlencoded {{name~!: {text}}}"]
    assert found.request("POST /raw") == ["<the body is read as text or bytes>"]
    assert found.parameters("GET /any") == ["…"]


def test_a_chain_of_calls_that_is_too_long(tmp_path: Path) -> None:
    links = "\n".join(f'.get("/r{i}", ctx -> ctx.json({i}))' for i in range(3000))
    first = 'app.get("/first", ctx -> ctx.json(1));'
    last = 'app.get("/last", ctx -> ctx.json(2));'
    found = project(
        tmp_path, f"class Main {{ void start(Javalin app) {{ {first} app{links}; {last} }} }}"
    )
    read = {f"GET /r{i}" for i in range(50)}
    assert set(found.routes()) == {"GET /first", "GET /last", *read}
    assert [problem.reason for problem in found.program.problems] == [
        "a chain of calls is too long to be read whole"
    ]


@pytest.mark.parametrize(
    ("made", "routes"),
    [
        ('new Orders(app, "/v1").register();', ["GET /v1/orders"]),
        ('new Orders(app, "/v1").register(); new Orders(app, "/v2").register();', None),
    ],
)
def test_prefixes_that_the_only_constructor_call_gives(
    tmp_path: Path, made: str, routes: list[str] | None
) -> None:
    found = project(
        tmp_path,
        f"""
        class Main {{
          public static void main(String[] args) {{ Javalin app = Javalin.create(); {made} }}
        }}
        class Orders {{
          private final Javalin app;
          private final String base;
          Orders(Javalin app, String base) {{ this.app = app; this.base = base; }}
          void register() {{ bind("/orders"); }}
          private void bind(String name) {{ app.get(base + name, ctx -> ctx.json(List.of())); }}
        }}
        """,
    )
    assert found.routes() == (routes or ["GET /v1/orders", "GET /v2/orders"])
