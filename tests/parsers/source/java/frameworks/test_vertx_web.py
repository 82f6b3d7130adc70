"""Vert.x Web: routers and what is mounted below them, what handlers take and send."""

from __future__ import annotations

from pathlib import Path

from tests.parsers.source.java.project import Project

HEAD = """package shop;
import io.vertx.core.*;
import io.vertx.core.http.*;
import io.vertx.core.json.*;
import io.vertx.ext.web.*;
import io.vertx.ext.web.handler.*;
import io.vertx.ext.web.openapi.RouterBuilder;
import java.util.*;
"""
ORDER = "class Order { public long id; }\n"


def project(folder: Path, source: str) -> Project:
    return Project(folder, {"src/main/java/shop/Main.java": HEAD + ORDER + source})


def test_routers_and_their_routes(tmp_path: Path) -> None:
    found = project(
        tmp_path,
        """
        class Main extends AbstractVerticle {
          static final String ORDERS = "/orders";
          public void start() {
            Router router = Router.router(vertx);
            router.route().handler(BodyHandler.create());
            router.route("/api/*").handler(ctx -> { log(ctx); ctx.next(); });
            router.get(ORDERS).produces("application/json").handler(this::all);
            router.post(ORDERS + "/:id").handler(auth()).handler(this::all);
            router.route(HttpMethod.PUT, "/put").blockingHandler(this::all);
            router.route("/both").method(HttpMethod.GET).method(HttpMethod.HEAD)
              .handler(this::all);
            router.route().path("/built").method(HttpMethod.DELETE).handler(get());
            router.get("/static/*").handler(StaticHandler.create());
            router.route("/any").handler(ctx -> ctx.end());
            vertx.createHttpServer().requestHandler(router).listen(8080);
          }
          private Handler<RoutingContext> get() { return ctx -> ctx.end(); }
          private Handler<RoutingContext> auth() { return ctx -> ctx.next(); }
          private void all(RoutingContext ctx) { ctx.end(); }
        }
        """,
    )
    assert found.routes() == [
        "* /any",
        "DELETE /built",
        "GET /both",
        "GET /orders",
        "GET /static/{path*}",
        "HEAD /both",
        "POST /orders/{id}",
        "PUT /put",
    ]


def test_paths_that_are_formatted_of_constants(tmp_path: Path) -> None:
    found = project(
        tmp_path,
        """
        abstract class Endpoint { abstract String getName(); }
        class Main extends Endpoint {
          static final String NAME = String.format("%s/%s", "v1", "orders");
          String getName() { return NAME; }
          void addRoutes(Router router) {
            final String one = String.format("/%s/:%s", getName(), "id");
            router.get(one).handler(ctx -> { Objects.requireNonNull(ctx); ctx.end(); });
            String other = "/a";
            if (getName() == null) { other = "/b"; }
            router.put(other).handler(ctx -> ctx.end());
            router.post(String.format("/%s/%d", getName(), 1)).handler(ctx -> ctx.end());
          }
        }
        """,
    )
    assert found.responses("GET /v1/orders/{id}") == ["(200)"]
    why = "?the path of the route is not a constant that can be followed"
    assert found.routes() == ["GET /v1/orders/{id}", f"POST / {why}", f"PUT / {why}"]


def test_mounted_routers(tmp_path: Path) -> None:
    found = project(
        tmp_path,
        """
        class Main extends AbstractVerticle {
          private Router kept;
          public void start() {
            Router router = Router.router(vertx);
            Router api = Router.router(vertx);
            router.route("/api/*").subRouter(api);
            router.mountSubRouter("/old", users());
            api.route("/items*").subRouter(new Items().routes(vertx));
            api.get("/status").handler(ctx -> ctx.end());
            register(api, "/given");
            kept = Router.router(vertx);
            router.route("/kept/*").subRouter(kept);
            fill();
          }
          private Router users() {
            Router users = Router.router(vertx);
            users.get("/:id").handler(ctx -> ctx.end());
            return users;
          }
          private void register(Router on, String path) {
            on.delete(path).handler(ctx -> ctx.end());
          }
          private void fill() { kept.patch("/x").handler(ctx -> ctx.end()); }
        }
        class Items {
          Router routes(Vertx vertx) {
            Router items = Router.router(vertx);
            items.put("/all").handler(ctx -> ctx.end());
            return items;
          }
        }
        """,
    )
    assert found.routes() == [
        "DELETE /api/given",
        "GET /api/status",
        "GET /old/{id}",
        "PATCH /kept/x",
        "PUT /api/items/all",
    ]


def test_routers_made_of_a_contract(tmp_path: Path) -> None:
    found = project(
        tmp_path,
        """
        class Main {
          void start(RouterBuilder builder) {
            builder.operation("listOrders").handler(ctx -> ctx.json(List.of(new Order())));
          }
        }
        """,
    )
    (operation,) = found.code.operations
    assert operation.operation_id == "listOrders"
    assert found.routes() == ["*  ?the contract that the router is made of gives method and path"]
    assert found.responses("* ") == ["(200) [{id: integer(int64)}]"]


def test_what_is_undetermined(tmp_path: Path) -> None:
    found = project(
        tmp_path,
        """
        class Main {
          void start(Router router) {
            router.get(System.getenv("X")).handler(ctx -> ctx.end());
            router.getWithRegex("/a.*").handler(ctx -> ctx.end());
            router.get("/library").handler(Library.handler());
          }
        }
        """,
    )
    assert found.routes() == [
        "GET / ?the path is a regular expression",
        "GET / ?the path of the route is not a constant that can be followed",
        "GET /library",
    ]
    assert found.responses("GET /library") == [
        "(200) <which handler answers is undetermined>",
        "…",
    ]


def test_responses(tmp_path: Path) -> None:
    found = project(
        tmp_path,
        """
        class Main {
          Orders orders;
          void start(Router router) {
            router.get("/json").handler(ctx -> ctx.json(new Order()));
            router.post("/encoded").handler(ctx -> ctx.response().setStatusCode(201)
              .putHeader("content-type", "application/json; charset=utf-8")
              .end(Json.encodePrettily(new Order())));
            router.get("/object").handler(ctx -> ctx.response().end(
              new JsonObject().put("id", 1L).put("name", "x").encode()));
            router.get("/paths").handler(this::paths);
            router.get("/later").handler(ctx -> orders.load()
              .onSuccess(o -> send(ctx, o)).onFailure(ctx::fail));
            router.get("/responds").respond(ctx -> orders.load());
            router.get("/text").handler(ctx -> ctx.end("hello"));
            router.get("/built").handler(ctx -> ctx.json(build()));
            router.get("/referred").handler(ctx -> orders.load().onSuccess(ctx::json));
            router.get("/unseen").handler(ctx -> { Library.register(ctx::get); });
          }
          private void paths(RoutingContext ctx) {
            HttpServerResponse response = ctx.response();
            if (ctx.user() == null) { ctx.fail(401); return; }
            if (ctx.failed()) {
              response.setStatusCode(HttpResponseStatus.NO_CONTENT.code()).end(); }
            else { String body = Json.encode(new Order()); response.end(body); }
          }
          private void send(RoutingContext ctx, Order order) { write(ctx.response(), order); }
          private void write(HttpServerResponse response, Order order) {
            response.setStatusCode(202).end(Json.encode(order)); }
          private JsonObject build() {
            JsonObject made = new JsonObject(); made.put("id", 1); return made; }
        }
        interface Orders { Future<Order> load(); }
        """,
    )
    order = "{id: integer(int64)}"
    assert found.responses("GET /json") == [f"(200) {order}"]
    assert found.responses("POST /encoded") == [f"201 {order}"]
    assert found.responses("GET /object") == ["(200) {id!: 1, name!: 'x'}"]
    assert found.responses("GET /paths") == [f"(200) {order}", "204", "401"]
    assert found.responses("GET /later") == [f"202 {order}"]
    assert found.responses("GET /responds") == [f"(200) {order}"]
    assert found.responses("GET /text") == ["(200) text/plain 'hello'"]
    assert found.responses("GET /built") == ["(200) {id!: 1}"]
    assert found.responses("GET /referred") == [f"(200) {order}"]
    assert found.responses("GET /unseen") == [
        "(200) <`Main.start` does not show what it sends>",
        "…",
    ]


def test_handlers_of_mutiny(tmp_path: Path) -> None:
    found = Project(
        tmp_path,
        {
            "src/main/java/shop/Main.java": """
        package shop;
        import io.smallrye.mutiny.Uni;
        import io.vertx.mutiny.ext.web.*;
        class Main {
          Orders orders;
          void start(Router router) {
            router.get("/order").handler(this::one);
            router.delete("/order").handler(ctx -> orders.load().subscribe()
              .with(o -> ctx.response().setStatusCode(204).endAndForget(), ctx::fail));
          }
          private void one(RoutingContext ctx) {
            orders.load().map(View::of).subscribe().with(ctx::jsonAndForget, ctx::fail);
          }
        }
        interface Orders { Uni<Order> load(); }
        class Order { public long id; }
        class View { public String name; static View of(Order order) { return new View(); } }
        """
        },
    )
    assert found.responses("GET /order") == ["(200) {name: string|null}"]
    assert found.responses("DELETE /order") == ["204"]


def test_json_objects(tmp_path: Path) -> None:
    found = project(
        tmp_path,
        """
        class Main {
          Orders orders;
          void start(Router router) {
            router.get("/method").handler(ctx -> ctx.json(new Item().toJson()));
            router.get("/nested").handler(ctx -> ctx.end(nested().encode()));
            router.get("/helper").handler(ctx -> send(ctx, new Item().toJson()));
            router.get("/sometimes").handler(ctx -> ctx.json(sometimes()));
            router.get("/list").handler(ctx -> ctx.json(
              new JsonArray().add(new JsonObject().put("a", 1L))));
            router.get("/computed").handler(ctx -> ctx.json(new JsonObject().put(key(), 1)));
            router.get("/handed").handler(ctx -> ctx.json(handed()));
            router.get("/parsed").handler(ctx -> ctx.json(new JsonObject(text())));
            router.get("/looped").handler(ctx -> ctx.json(looped()));
            router.get("/later").handler(ctx -> more(ctx, new JsonObject().put("id", 1)));
            router.get("/either").handler(ctx -> ctx.json(either()));
          }
          private JsonObject nested() {
            return new JsonObject().put("item", new Item().toJson()).put("name", "x"); }
          private void send(RoutingContext ctx, Object body) {
            ctx.response().putHeader("content-type", "application/json").end(body.toString()); }
          private JsonObject sometimes() {
            JsonObject made = new JsonObject().put("id", 1);
            if (orders != null) { made.put("more", true); }
            return made; }
          private JsonObject handed() {
            JsonObject made = new JsonObject(); made.put("id", 1); fill(made); return made; }
          private void more(RoutingContext ctx, JsonObject o) { o.put("more", 1); ctx.json(o); }
          private JsonObject either() {
            JsonObject made = null;
            if (orders != null) { made = new JsonObject().put("id", 1); }
            made.put("more", 1);
            return made; }
          private void fill(JsonObject o) { o.put("more", 1); }
          private JsonObject looped() {
            JsonObject made = new JsonObject();
            for (Order order : orders.all()) { made.put(order.name, order); }
            return made; }
        }
        class Item { long id; JsonObject toJson() { return new JsonObject().put("id", id); } }
        interface Orders { List<Order> all(); }
        """,
    )
    undetermined = "<what a `JsonObject` holds is not followed beyond the place that makes it>"
    assert {o.path: found.responses(f"{o.method} {o.path}") for o in found.code.operations} == {
        "/method": ["(200) {id!: integer(int64)}"],
        "/nested": ["(200) {item!: {id!: integer(int64)}, name!: 'x'}"],
        "/helper": ["(200) {id!: integer(int64)}"],
        "/sometimes": ["(200) {id!: 1, more?!: True}"],
        "/list": ["(200) [{a!: 1}]"],
        "/computed": ["(200) {… a key is computed}"],
        "/handed": ["(200) {id!: 1, … the object is handed on, and may be added to}"],
        "/parsed": [f"(200) {undetermined}"],
        "/looped": [f"(200) {undetermined}"],
        "/later": [f"(200) {undetermined}"],
        "/either": [f"(200) {undetermined}"],
    }


SERVICES = """
interface Orders {
  Orders find(String id, Handler<AsyncResult<Order>> done);
  void describe(String id, Handler<AsyncResult<JsonObject>> done);
  void keep(String id, Handler<AsyncResult<Order>> done);
  void either(String id, Handler<AsyncResult<JsonObject>> done);
  void named(String id, Named done);
  Future<JsonObject> report(String id);
  Future<JsonObject> handed(String id);
}
interface Named { void call(Order order); }
class SqlOrders implements Orders {
  Sql sql = new Sql();
  Handler<AsyncResult<Order>> kept;
  public Orders find(String id, Handler<AsyncResult<Order>> done) {
    done.handle(Future.succeededFuture(new Order()));
    return this;
  }
  public void describe(String id, Handler<AsyncResult<JsonObject>> done) {
    if (id == null) { done.handle(Future.failedFuture("no id")); return; }
    sql.count(id, ar -> {
      if (ar.succeeded()) {
        done.handle(Future.succeededFuture(new JsonObject().put("n", ar.result())));
      } else { done.handle(Future.failedFuture(ar.cause())); }
    });
  }
  public void keep(String id, Handler<AsyncResult<Order>> done) { this.kept = done; }
  public void either(String id, Handler<AsyncResult<JsonObject>> done) {
    if (id == null) { done.handle(Future.succeededFuture(new JsonObject().put("a", 1L))); }
    else { done.handle(Future.succeededFuture(new JsonObject().put("b", 1L))); }
  }
  public void named(String id, Named done) { done.call(new Order()); }
  public Future<JsonObject> report(String id) {
    Promise<JsonObject> promise = Promise.promise();
    sql.count(id, ar -> promise.complete(new JsonObject().put("n", ar.result())));
    return promise.future();
  }
  public Future<JsonObject> handed(String id) {
    Promise<JsonObject> promise = Promise.promise();
    promise.complete(new JsonObject().put("n", 1));
    Library.complete(promise);
    return promise.future();
  }
}
class Sql {
  void count(String id, Handler<AsyncResult<Long>> done) { Library.count(id, done); }
}
"""


def test_what_is_sent_once_something_is_there(tmp_path: Path) -> None:
    found = project(
        tmp_path,
        """
        class Main {
          Orders orders;
          void start(Router router) {
            router.get("/typed").handler(ctx -> orders.find("1", ar -> {
              if (ar.succeeded()) { ctx.json(ar.result()); } else { ctx.fail(404); } }));
            router.get("/built").handler(ctx -> orders.describe("1", ar -> {
              JsonObject told = ar.result(); ctx.end(told.encode()); }));
            router.get("/kept").handler(ctx -> orders.keep("1", ar -> ctx.json(ar.result())));
            router.get("/either").handler(ctx ->
              orders.either("1", ar -> ctx.end(ar.result().encode())));
            router.get("/asked").handler(ctx -> orders.either("1", ar -> {
              JsonObject told = ar.result();
              if (told.containsKey("a")) { ctx.fail(404); return; }
              ctx.end(told.encode()); }));
            router.get("/named").handler(ctx -> orders.named("1", order -> ctx.json(order)));
            router.get("/promised").handler(ctx -> orders.report("1").onComplete(ar -> {
              if (ar.succeeded()) { ctx.end(ar.result().encodePrettily()); }
              else { ctx.response().setStatusCode(500).end(); } }));
            router.get("/changed").handler(ctx -> orders.report("1").onSuccess(told -> {
              told.put("more", 1); ctx.json(told); }));
            router.get("/handed").handler(ctx ->
              orders.handed("1").onSuccess(told -> ctx.json(told)));
            router.get("/composed").handler(ctx -> orders.report("1")
              .compose(told -> Future.succeededFuture(new Order()))
              .onSuccess(order -> ctx.json(order)));
            router.get("/filled").handler(ctx -> {
              JsonObject made = new JsonObject();
              orders.all().forEach(order -> made.put(order.name, 1));
              ctx.json(made); });
          }
        }
        """
        + SERVICES,
    )
    order = "{id: integer(int64)}"
    undetermined = "<what a `JsonObject` holds is not followed beyond the place that makes it>"
    assert {o.path: found.responses(f"{o.method} {o.path}") for o in found.code.operations} == {
        "/typed": [f"(200) {order}", "404"],
        "/built": ["(200) {n!: integer(int64)}"],
        "/kept": [f"(200) {order}"],
        "/either": ["(200) ({a!: 1} | {b!: 1})"],
        "/asked": [f"(200) {undetermined}", "404"],
        "/named": [f"(200) {order}"],
        "/promised": ["(200) {n!: integer(int64)}", "500"],
        "/changed": [f"(200) {undetermined}"],
        "/handed": [f"(200) ({{n!: 1}} | {undetermined})"],
        "/composed": [f"(200) {order}"],
        "/filled": [f"(200) {undetermined}"],
    }


def test_what_handlers_take(tmp_path: Path) -> None:
    found = project(
        tmp_path,
        """
        class Main {
          void start(Router router) {
            router.post("/orders/:id").handler(this::add);
            router.post("/raw").handler(ctx -> { ctx.body().asJsonObject(); ctx.end(); });
            router.post("/mapped").handler(ctx -> {
              JsonObject body = ctx.body().asJsonObject();
              if (body == null) { ctx.fail(400); return; }
              Order order = body.mapTo(Order.class); ctx.end(); });
            router.get("/any").handler(ctx -> { ctx.queryParams(); ctx.end(); });
            router.get("/handed").handler(ctx -> { Library.read(ctx.request()); ctx.end(); });
          }
          private void add(RoutingContext ctx) {
            String id = ctx.request().getParam("id");
            String page = ctx.request().getParam("page");
            String tenant = ctx.request().getHeader("X-Tenant");
            Order order = ctx.body().asPojo(Order.class);
            ctx.json(order);
          }
        }
        """,
    )
    text = "<the code reads it as text>"
    assert found.parameters("POST /orders/{id}") == [
        f"path id: {text}",
        f"query page~: {text}",
        f"header X-Tenant~: {text}",
    ]
    assert found.request("POST /orders/{id}") == ["{id: integer(int64)}"]
    assert found.request("POST /raw") == ["<the body is read as text or bytes>"]
    assert found.request("POST /mapped") == ["{id: integer(int64)}"]
    assert found.parameters("GET /any") == ["…"]
    assert found.parameters("GET /handed") == ["…"]


def test_routes_that_are_kept_in_variables(tmp_path: Path) -> None:
    found = project(
        tmp_path,
        """
        class Main {
          private Route later;
          void start(Router router, Route given) {
            Route orders = router.get("/orders").produces("application/json");
            orders.handler(this::check);
            orders.handler(ctx -> ctx.json(new Order()));
            Route built = router.route();
            built.method(HttpMethod.POST);
            built.path("/built");
            built.handler(ctx -> ctx.end());
            Route mounted = router.route("/api/*");
            Router api = Router.router(vertx);
            api.get("/items").handler(ctx -> ctx.end());
            mounted.subRouter(api);
            secured(router.put("/secured"));
            later.handler(ctx -> ctx.end());
          }
          private void secured(Route route) { route.handler(ctx -> ctx.end("ok")); }
          private void check(RoutingContext ctx) { ctx.next(); }
        }
        """,
    )
    assert found.routes() == [
        "* / ?the route was made elsewhere: its method and path are undetermined",
        "GET /api/items",
        "GET /orders",
        "POST /built",
        "PUT /secured",
    ]
    assert found.responses("GET /orders") == ["(200) {id: integer(int64)}"]
    assert found.responses("PUT /secured") == ["(200) text/plain 'ok'"]
