"""Armeria: annotated services, services bound to paths, what they take and send."""

from __future__ import annotations

from pathlib import Path

from tests.parsers.source.java.project import Project

HEAD = """package shop;
import com.linecorp.armeria.common.*;
import com.linecorp.armeria.server.*;
import com.linecorp.armeria.server.annotation.*;
import java.util.*;
import java.util.concurrent.CompletableFuture;
class Order { public long id; }
class Draft { public String name; }
"""


def project(folder: Path, source: str) -> Project:
    return Project(folder, {"src/main/java/shop/S.java": HEAD + source})


def served(
    folder: Path, methods: str, setup: str = "sb.annotatedService(new Orders());"
) -> Project:
    """One service with these methods."""
    return project(
        folder,
        f"""
        @PathPrefix("/orders") class Orders {{ {methods} }}
        class Main {{ static void main(String[] args) {{
          ServerBuilder sb = Server.builder(); {setup} sb.build(); }} }}
        """,
    )


def test_annotated_services(tmp_path: Path) -> None:
    found = served(
        tmp_path,
        """
        @Get public List<Order> list() { return null; }
        @Get("/:id") @Get("/{id}/copy") public Order get(@Param("id") long id) { return null; }
        @Post @Path("/made") public Order add(Draft draft) { return null; }
        @Delete("prefix:/all") public void clear() {}
        @Get("glob:/files/**") public String file() { return ""; }
        public void none() {}
        """,
        """
        sb.annotatedService(new Orders()).annotatedService("/api", new Orders(), new Other());
        sb.annotatedService().pathPrefix("/fluent").build(new Orders());
        sb.contextPath("/v1").annotatedService(new Orders()).and();
        """,
    )
    routes = [
        *("DELETE {}/orders/all/{{path*}}", "GET {}/orders", "GET {}/orders/files/{{path*}}"),
        *("GET {}/orders/{{id}}", "GET {}/orders/{{id}}/copy", "POST {}/orders/made"),
    ]
    prefixes = ("", "/api", "/fluent", "/v1")
    assert found.routes() == sorted(each.format(p) for p in prefixes for each in routes)


def test_what_methods_send(tmp_path: Path) -> None:
    found = served(
        tmp_path,
        """
        @Get("/a") public CompletableFuture<Order> a() { return null; }
        @Get("/b") @StatusCode(202) public Order b() { return null; }
        @Get("/c") public void c() {}
        @Get("/d") public String d() { return "text"; }
        @Get("/e") public HttpResponse e(@Param boolean missing) {
          if (missing) { return HttpResponse.of(HttpStatus.NOT_FOUND); }
          return HttpResponse.ofJson(HttpStatus.CREATED, new Order()); }
        @Get("/f") public ResponseEntity<Order> f() { return ResponseEntity.of(new Order()); }
        @Get("/g") public HttpResult<Order> g() {
          return HttpResult.of(HttpStatus.ACCEPTED, new Order()); }
        @Get("/h") public HttpResponse h() { return HttpResponse.of(HttpStatus.OK,
          MediaType.PLAIN_TEXT_UTF_8, "x"); }
        @Get("/i") public HttpResponse i() { return HttpResponse.of(Library.later()); }
        @Get("/j") @ProducesText public Object j() { return Library.any(); }
        """,
    )
    order = "{id: integer(int64)}"
    shown = {
        o.path.rpartition("/")[2]: found.responses(f"GET {o.path}") for o in found.code.operations
    }
    assert shown == {
        "a": [f"(200) {order}"],
        "b": [f"202 {order}"],
        "c": ["(204)"],
        "d": ["(200) text/plain string"],
        "e": [f"201 {order}", "404 <the text that is returned is sent as it is>"],
        "f": [f"200 {order}"],
        "g": [f"202 {order}"],
        "h": ["200 */* string"],
        "i": ["200 <the result of `Library.later` comes from a library>"],
        "j": [
            "(200) text/plain <the result of `Library.any` comes from a library>",
            "…",
        ],
    }


def test_what_methods_take(tmp_path: Path) -> None:
    found = served(
        tmp_path,
        """
        @Get("/a/{id}") public void a(@Param long id, @Param("q") Optional<String> text,
          @Param @Default("1") int page, @Param String sort, @Header String userAgent) {}
        @Post("/b") public void b(@Param String field, Draft draft) {}
        @Put("/c") public void c(String text) {}
        @Post("/d") public void d(AggregatedHttpRequest request) {}
        @Get("/e") public void e(Query query, ServiceRequestContext context) {}
        @Post("/f") public void f(org.gen.model.Made made) {}
        @Post("/g") public void g(com.linecorp.armeria.common.RequestHeaders headers) {}
        """
        + '} class Query { @Param("q") String text; ',
    )
    assert found.parameters("GET /orders/a/{id}") == [
        "path id: integer(int64)",
        "query q?: string",
        "query page?=: integer(int32)",
        "query sort: string",
        "header user-agent: string",
    ]
    assert found.parameters("POST /orders/b") == ["…"]
    assert found.request("POST /orders/b") == ["{name: string~}"]
    assert found.request("PUT /orders/c") == ["<the body is read as text or bytes>"]
    assert found.request("POST /orders/d") == ["<`request` is the request as a whole>"]
    assert found.parameters("GET /orders/e") == ["…"]
    assert found.request("POST /orders/f") == ["<type `org.gen.model.Made` comes from a library>"]
    assert found.request("POST /orders/g") == ["<`headers` is the request as a whole>"]


def test_services_that_are_bound_to_paths(tmp_path: Path) -> None:
    found = project(
        tmp_path,
        """
        class Own extends AbstractHttpService {
          protected HttpResponse doGet(ServiceRequestContext ctx, HttpRequest req) {
            return HttpResponse.ofJson(new Order()); }
          protected HttpResponse doPost(ServiceRequestContext ctx, HttpRequest req) {
            return HttpResponse.of(201); } }
        class Main { static void main(String[] args) {
          Server.builder()
            .service("/lambda/{id}", (ctx, req) -> HttpResponse.of("x"))
            .service("/own", new Own())
            .serviceUnder("/docs", new DocService())
            .route().get("/route").build((ctx, req) -> HttpResponse.of(204))
            .route().path("/many").methods(HttpMethod.PUT, HttpMethod.PATCH).build(new Own())
            .build(); } }
        class Spring { ArmeriaServerConfigurator configure() {
          return builder -> builder.service("/spring", (ctx, req) -> HttpResponse.of(202)); } }
        """,
    )
    assert found.routes() == [
        "* /docs/{path*}",
        "* /lambda/{id}",
        "* /spring",
        "GET /many",
        "GET /own",
        "GET /route",
        "POST /many",
        "POST /own",
    ]
    assert found.operation("* /docs/{path*}").excluded_from_docs
    assert found.responses("* /lambda/{id}") == ["200 */* string"]
    assert found.responses("GET /own") == ["200 {id: integer(int64)}"]
    assert found.responses("POST /own") == ["201 <the text that is returned is sent as it is>"]
    assert found.responses("GET /route") == ["204"]


def test_services_of_a_list_that_is_not_seen(tmp_path: Path) -> None:
    methods = '@Get("/a") public void a() {}'
    found = served(tmp_path / "list", methods, "Library.services().forEach(sb::annotatedService);")
    assert found.routes() == [
        "GET /{computed}/orders/a ?where the service is registered is not seen"
    ]
    loop = "for (Object each : Library.services()) { sb.annotatedService(each); }"
    assert served(tmp_path / "loop", methods, loop).routes() == ["GET /orders/a"]


def test_what_is_undetermined(tmp_path: Path) -> None:
    found = served(
        tmp_path,
        """
        @Get("regex:^/(?<id>[0-9]+)$") public void a() {}
        @Get(Library.PATH) public void b() {}
        """,
    )
    assert found.routes() == [
        "GET /orders ?the path is a regular expression",
        "GET /orders ?the path of the route is not a constant that can be followed",
    ]


def test_prefixes_that_a_helper_puts_together_from_fields_and_arguments(tmp_path: Path) -> None:
    found = project(
        tmp_path,
        """
        class Main {
          private static final String API = "/api/";
          private final ServerBuilder builder = Server.builder().http(8090);
          private final String base;
          Main(String base) { this.base = base; }
          public static void main(String[] args) { new Main(API).mount("shelves", new Shelves()); }
          Main mount(String name, Shelves service) { register(name, service); return this; }
          private void register(String name, Object service) {
            builder.annotatedService().pathPrefix(base + name).build(service);
          }
        }
        class Shelves { @Get("/all") @ProducesJson public int all() { return 1; } }
        """,
    )
    assert found.routes() == ["GET /api/shelves/all"]


def test_overloads_and_enum_constants_tell_prefixes_apart(tmp_path: Path) -> None:
    found = project(
        tmp_path,
        """
        class Main {
          private final ServerBuilder builder = Server.builder().http(8090);
          private final String base;
          private final String control;
          private enum Protocol {
            ADMIN(true), SHOP(false);
            private final boolean isControl;
            Protocol(boolean isControl) { this.isControl = isControl; }
            String path(String base, String control) { return isControl ? control : base; }
          }
          Main(String base, String control) { this.base = base; this.control = control; }
          public static void main(String[] args) {
            new Main("/api/", "/control/")
                .mount("shelves", new Shelves()).mount("users", new Users());
          }
          Main mount(String name, Users service) {
            register(Protocol.ADMIN, name, service); return this;
          }
          Main mount(String name, Shelves service) {
            register(Protocol.SHOP, name, service); return this;
          }
          private void register(Protocol protocol, String name, Object service) {
            String prefix = protocol.path(base, control) + name;
            builder.annotatedService().pathPrefix(prefix).build(service);
          }
        }
        class Shelves { @Get("/all") public HttpResponse all() { return HttpResponse.of(200); } }
        class Users { @Get("/all") public HttpResponse all() { return HttpResponse.of(204); } }
        """,
    )
    assert found.routes() == ["GET /api/shelves/all", "GET /control/users/all"]


def test_routes_that_a_lambda_configures_and_services_that_have_their_own(tmp_path: Path) -> None:
    found = project(
        tmp_path,
        """
        class Main {
          public static void main(String[] args) {
            Server.builder()
                .withRoute(r -> r.path("/orders/{id}").methods(HttpMethod.GET, HttpMethod.PUT)
                    .build((ctx, req) -> HttpResponse.of("hi")))
                .service(new Routed())
                .build().start();
          }
        }
        class Routed implements HttpServiceWithRoutes {
          public Set<Route> routes() {
            return Set.of(Route.builder().path("/own").methods(HttpMethod.POST).build());
          }
          public HttpResponse serve(ServiceRequestContext ctx, HttpRequest req) {
            return HttpResponse.of(HttpStatus.ACCEPTED);
          }
        }
        """,
    )
    assert found.routes() == ["GET /orders/{id}", "POST /own", "PUT /orders/{id}"]
