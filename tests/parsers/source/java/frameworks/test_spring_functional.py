"""Spring's functional routes: how they are put together, what handlers take and send."""

from __future__ import annotations

from pathlib import Path

from tests.parsers.source.java.project import Project

HEAD = """package shop;
import static org.springframework.web.reactive.function.server.RequestPredicates.*;
import static org.springframework.web.reactive.function.server.RouterFunctions.*;
import static org.springframework.web.reactive.function.server.ServerResponse.ok;
import java.util.*;
import org.springframework.context.annotation.*;
import org.springframework.http.*;
import org.springframework.web.reactive.function.*;
import org.springframework.web.reactive.function.server.*;
import reactor.core.publisher.*;
"""
ORDER = """
class Order { public long id; }
interface Orders extends ReactiveCrudRepository<Order, Long> {}
"""


def project(folder: Path, source: str, **files: str) -> Project:
    return Project(folder, {"src/main/java/shop/R.java": HEAD + ORDER + source, **files})


def test_predicates_and_routes_that_follow_each_other(tmp_path: Path) -> None:
    found = project(
        tmp_path,
        """
        @Configuration class Routes {
          static final String ITEMS = "/items";
          @Bean RouterFunction<ServerResponse> routes(Handler h) {
            RequestPredicate json = accept(MediaType.APPLICATION_JSON);
            return route(GET("/orders/{id:[0-9]+}").and(json), h::any)
              .andRoute(POST("/orders").or(PUT("/orders")), h::any)
              .andRoute(method(HttpMethod.DELETE).and(path("/orders" + ITEMS)), h::any)
              .andRoute(path("/files/**"), h::any)
              .and(route(RequestPredicates.PATCH("/last").and(queryParam("a", "b")), h::any));
          }
        }
        class Handler { Mono<ServerResponse> any(ServerRequest r) { return ok().build(); } }
        """,
    )
    assert found.routes() == [
        "* /files/{path*}",
        "DELETE /orders/items",
        "GET /orders/{id}",
        "PATCH /last",
        "POST /orders",
        "PUT /orders",
    ]


def test_builder_groups_and_nested_routers(tmp_path: Path) -> None:
    found = project(
        tmp_path,
        """
        @Configuration class Routes {
          @Bean RouterFunction<ServerResponse> routes(Handler h) {
            return route()
              .GET("/a", h::any)
              .GET("/b", accept(MediaType.APPLICATION_JSON), h::any)
              .path("/orders", b -> b
                .POST(h::any)
                .nest(accept(MediaType.APPLICATION_JSON), c -> {
                  c.GET("", h::any);
                  c.DELETE("/{id}", h::any);
                })
                .path("/{id}/items", () -> route(GET("/all"), h::any)))
              .nest(path("/more"), this::more)
              .add(others(h))
              .filter((request, next) -> next.handle(request))
              .resources("/**", null)
              .build();
          }
          void more(RouterFunctions.Builder b) { b.PUT("/x", r -> ok().build()); }
          RouterFunction<ServerResponse> others(Handler h) {
            RouterFunction<ServerResponse> inner = route(GET("/inner"), h::any);
            return nest(path("/outer"), inner.andNest(path("/deep"), route(HEAD("/x"), h::any)));
          }
          @Bean RouterFunction<ServerResponse> statements(Handler h) {
            RouterFunctions.Builder b = RouterFunctions.route();
            b.GET("/first", h::any);
            if (h != null) { b.POST("/second", h::any); }
            return b.build();
          }
        }
        class Handler { Mono<ServerResponse> any(ServerRequest r) { return ok().build(); } }
        """,
    )
    assert found.routes() == [
        "DELETE /orders/{id}",
        "GET /a",
        "GET /b",
        "GET /first",
        "GET /orders",
        "GET /orders/{id}/items/all",
        "GET /outer/inner",
        "HEAD /outer/deep/x",
        "POST /orders",
        "POST /second",
        "PUT /more/x",
    ]


def test_context_path_and_placeholders(tmp_path: Path) -> None:
    found = project(
        tmp_path,
        """
        @Configuration class Routes {
          @Bean RouterFunction<ServerResponse> routes() {
            return route(GET("/orders"), r -> ok().build());
          }
        }
        """,
        **{"src/main/resources/application.properties": "spring.webflux.base-path=/api"},
    )
    assert found.routes() == ["GET /api/orders"]


def test_paths_that_are_formatted(tmp_path: Path) -> None:
    found = project(
        tmp_path,
        """
        @Configuration class Routes {
          @Bean RouterFunction<ServerResponse> routes(Handler h, String given) {
            return route(GET(String.format("/%s/v%d", "orders", 2)), h::any)
              .andRoute(POST(String.format("/%s/x", given)), h::any)
              .andRoute(PUT(String.format("/%05d", 7)), h::any)
              .andRoute(DELETE(String.format("/%s/%s", "few")), h::any);
          }
        }
        class Handler { Mono<ServerResponse> any(ServerRequest r) { return ok().build(); } }
        """,
    )
    assert found.routes() == [
        "DELETE / ?the path of the route is not a constant",
        "GET /orders/v2",
        "POST / ?the path of the route is not a constant",
        "PUT / ?the path of the route is not a constant",
    ]


def test_what_is_undetermined(tmp_path: Path) -> None:
    found = project(
        tmp_path,
        """
        @Configuration class Routes {
          @Bean RouterFunction<ServerResponse> routes(Handler h, RouterFunction<ServerResponse> o) {
            return route(GET(System.getenv("X")), h::any)
              .andRoute(request -> true, h::any)
              .andNest(path("/below"), o);
          }
          RouterFunction<ServerResponse> loose(Handler h) { return route(GET("/loose"), h::any); }
        }
        class Handler { Mono<ServerResponse> any(ServerRequest r) { return ok().build(); } }
        """,
    )
    assert found.routes() == [
        "* / ?the condition of a route is code that is undetermined",
        "* /below ?the router function that is served here is undetermined",
        "GET / ?the path of the route is not a constant",
        "GET /loose ?where the routes of `loose` are served is undetermined",
    ]


ENDPOINTS = """
        record Version(String group, String number) {
          @Override public String toString() {
            return StringUtils.hasText(group) ? group + "/" + number : number; }
          static Version parse(String text) {
            var parts = text.split("/");
            return parts.length == 1 ? new Version("", text) : new Version(parts[0], parts[1]); }
        }
        interface Endpoint {
          RouterFunction<ServerResponse> endpoint();
          default Version version() { return Version.parse("shop/v1"); }
        }
        @Component class Posts implements Endpoint {
          public RouterFunction<ServerResponse> endpoint() {
            return RouterFunctions.route().GET("posts", r -> ok().build()).build(); }
        }
        @Component class Tags implements Endpoint {
          public RouterFunction<ServerResponse> endpoint() {
            return RouterFunctions.route().GET("tags", r -> ok().build()).build(); }
          @Override public Version version() { return new Version("", "v2"); }
        }
        @Component class Computed implements Endpoint {
          public RouterFunction<ServerResponse> endpoint() {
            return RouterFunctions.route().GET("computed", r -> ok().build()).build(); }
          @Override public Version version() { return Versions.latest(); }
        }
        class Unused implements Endpoint {
          public RouterFunction<ServerResponse> endpoint() {
            return RouterFunctions.route().GET("unused", r -> ok().build()).build(); }
        }
"""


def test_beans_that_are_collected_by_their_type(tmp_path: Path) -> None:
    given = """
        @Configuration class Config {
          @Bean RouterFunction<ServerResponse> all(List<Endpoint> endpoints) {
            RouterFunctions.Builder b = RouterFunctions.route();
            for (Endpoint each : endpoints) { b.add(each.endpoint()); }
            return b.build();
          }
        }
        """
    provided = given.replace("List<", "ObjectProvider<").replace(
        "for (Endpoint each : endpoints) { b.add(each.endpoint()); }",
        "endpoints.orderedStream().forEach(each -> b.add(each.endpoint()));",
    )
    asked = provided.replace("ObjectProvider<Endpoint> endpoints", "ApplicationContext c").replace(
        "endpoints.orderedStream()", "c.getBeansOfType(Endpoint.class).values()"
    )
    for name, source in (("list", given), ("provider", provided), ("context", asked)):
        assert project(tmp_path / name, ENDPOINTS + source).routes() == [
            "GET /computed",
            "GET /posts",
            "GET /tags",
            "GET /unused ?where the routes of `endpoint` are served is undetermined",
        ]


def test_a_registry_that_keeps_router_functions_by_a_key(tmp_path: Path) -> None:
    registry = """
        class Registry {
          private final Map<Version, List<RouterFunction<ServerResponse>>> held = new HashMap<>();
          Registry add(Endpoint e) {
            held.computeIfAbsent(e.version(), v -> new LinkedList<>()).add(e.endpoint());
            return this;
          }
          RouterFunction<ServerResponse> build() {
            RouterFunctions.Builder b = RouterFunctions.route();
            held.forEach((version, all) -> b.nest(RequestPredicates.path("/apis/" + version),
              () -> all.stream().reduce(RouterFunction::and).orElse(null)));
            return b.build();
          }
        }
        @Configuration class Config {
          @Bean RouterFunction<ServerResponse> all(ApplicationContext context) {
            var registry = new Registry();
            context.getBeansOfType(Endpoint.class).values().forEach(registry::add);
            return registry.build();
          }
        }
        """
    assert project(tmp_path / "filled", ENDPOINTS + registry).routes() == [
        "GET /apis/shop/v1/posts",
        "GET /apis/v2/tags",
        "GET /computed ?the path of the route is not a constant",
        "GET /unused ?where the routes of `endpoint` are served is undetermined",
    ]
    other = registry.replace("context.getBeansOfType(Endpoint.class)", "Library.chosen()")
    assert project(tmp_path / "chosen", ENDPOINTS + other).routes() == [
        f"GET /{name} ?where the routes of `endpoint` are served is undetermined"
        for name in ("computed", "posts", "tags", "unused")
    ]


def test_the_builder_of_springdoc_by_its_static_import(tmp_path: Path) -> None:
    source = """
        import static org.springdoc.webflux.core.fn.SpringdocRouteBuilder.route;
        @Configuration class Routes {
          @Bean RouterFunction<ServerResponse> routes() {
            return route().nest(path("/orders"),
              () -> route().GET(r -> ok().build(), b -> b.operationId("list")).build(),
              b -> b.operationId("orders")).build();
          }
        }
        """
    head = HEAD.replace(
        "import static org.springframework.web.reactive.function.server.Router", "//"
    )
    found = Project(tmp_path, {"src/main/java/shop/R.java": head + source})
    assert found.routes() == ["GET /orders"]


def test_responses(tmp_path: Path) -> None:
    found = project(
        tmp_path,
        """
        @Configuration class Routes {
          @Bean RouterFunction<ServerResponse> routes(Handler h) {
            return route()
              .GET("/value", h::value).GET("/mono", h::mono).GET("/flux", h::flux)
              .GET("/inserted", h::inserted).GET("/found", h::found).GET("/unknown", h::unknown)
              .GET("/open", h::open).GET("/text", h::text).GET("/library", Library::handle)
              .DELETE("/after", h::after)
              .POST("/created", r -> ServerResponse.created(null).bodyValue(new Order())).build();
          }
        }
        class Handler {
          Orders orders;
          Mono<ServerResponse> value(ServerRequest r) {
            return ServerResponse.status(HttpStatus.ACCEPTED).bodyValue(Map.of("ok", true)); }
          Mono<ServerResponse> mono(ServerRequest r) {
            Mono<Order> order = load();
            return ok().contentType(MediaType.APPLICATION_JSON).body(order, Order.class); }
          Mono<ServerResponse> flux(ServerRequest r) {
            return ok().body(all(), Order.class); }
          Mono<ServerResponse> inserted(ServerRequest r) {
            return ok().body(BodyInserters.fromValue(new Order())); }
          Mono<ServerResponse> found(ServerRequest r) {
            return load().flatMap(o -> ok().bodyValue(o))
              .switchIfEmpty(ServerResponse.notFound().build()); }
          Mono<ServerResponse> unknown(ServerRequest r) { return Library.answer(r); }
          Mono<ServerResponse> open(ServerRequest r) {
            return ok().body(Library.load(), Order.class); }
          Mono<ServerResponse> text(ServerRequest r) {
            return ok().contentType(MediaType.TEXT_PLAIN).bodyValue("hello"); }
          Mono<ServerResponse> after(ServerRequest r) {
            return drop().then(ServerResponse.noContent().build()); }
          Mono<Void> drop() { return null; }
          Mono<Order> load() { return null; }
          Flux<Order> all() { return null; }
        }
        """,
    )
    assert found.responses("GET /value") == ["202 {ok!: True}"]
    assert found.responses("GET /mono") == ["200 {id: integer(int64)}"]
    assert found.responses("GET /flux") == ["200 [{id: integer(int64)}]"]
    assert found.responses("GET /inserted") == ["200 {id: integer(int64)}"]
    assert found.responses("GET /found") == ["200 {id: integer(int64)}", "404"]
    assert found.responses("POST /created") == ["201 {id: integer(int64)}"]
    assert found.responses("DELETE /after") == ["204"]
    assert found.responses("GET /text") == ["200 text/plain 'hello'"]
    assert found.responses("GET /open") == [
        "200 <whether one or many `Order` are sent is undetermined>"
    ]
    assert found.responses("GET /unknown") == [
        "(200) <`Handler.unknown` does not show what it sends>",
        "…",
    ]
    assert found.responses("GET /library") == [
        "(200) <`the handler` does not show what it sends>",
        "…",
    ]


def test_what_handlers_take(tmp_path: Path) -> None:
    found = project(
        tmp_path,
        """
        @Configuration class Routes {
          @Bean RouterFunction<ServerResponse> routes(Handler h) {
            return route().POST("/orders/{id}", h::add).POST("/many", h::many)
              .GET("/handed", h::handed).GET("/any", h::any).GET("/library", h::library).build();
          }
        }
        class Handler {
          Mono<ServerResponse> add(ServerRequest request) {
            long id = Long.parseLong(request.pathVariable("id"));
            String q = request.queryParam("q").orElse("x");
            String tenant = request.headers().firstHeader("X-Tenant");
            return request.bodyToMono(Order.class).flatMap(o -> ok().bodyValue(o));
          }
          Mono<ServerResponse> many(ServerRequest request) {
            return ok().body(request.bodyToFlux(Order.class), Order.class); }
          Mono<ServerResponse> handed(ServerRequest request) { return helped(request); }
          private Mono<ServerResponse> helped(ServerRequest r) {
            r.queryParam("page"); return ok().build(); }
          Mono<ServerResponse> any(ServerRequest request) {
            request.queryParams(); return ok().build(); }
          Mono<ServerResponse> library(ServerRequest request) {
            Library.read(request); return ok().build(); }
        }
        """,
    )
    text = "<the code reads it as text>"
    assert found.parameters("POST /orders/{id}") == [
        "path id: integer(int64)",
        f"query q?: {text}",
        f"header X-Tenant~: {text}",
    ]
    assert found.request("POST /orders/{id}") == ["{id: integer(int64)}"]
    assert found.request("POST /many") == ["[{id: integer(int64)}]"]
    assert found.parameters("GET /handed") == [f"query page~: {text}"]
    assert found.parameters("GET /any") == ["…"]
    assert found.parameters("GET /library") == ["…"]


def test_pages_are_hidden(tmp_path: Path) -> None:
    found = project(
        tmp_path,
        """
        @Configuration class Routes {
          @Bean RouterFunction<ServerResponse> routes() {
            return route().GET("/page", r -> ok().render("page"))
              .GET("/data", r -> ok().build()).build();
          }
        }
        """,
    )
    assert found.operation("GET /page").excluded_from_docs
    assert not found.operation("GET /data").excluded_from_docs
