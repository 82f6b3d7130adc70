"""What Spring handlers take and send."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.parsers.source.java.project import Project

HEAD = """package shop;
import java.util.*;
import org.springframework.web.bind.annotation.*;
import org.springframework.http.*;
import org.springframework.data.domain.*;
import org.springframework.data.jpa.repository.JpaRepository;
import reactor.core.publisher.*;
import org.springframework.boot.autoconfigure.SpringBootApplication;
class Order { public long id; }
enum Kind { A, B }
interface Orders extends JpaRepository<Order, Long> {
  Optional<Order> findByName(String name);
}
interface Service { Order get(long id); List<Order> all(); }
"""


def project(folder: Path, body: str, extra: str = "", settings: str = "") -> Project:
    source = (
        f"{HEAD}{extra}\n@RestController class C {{\n Orders orders; Service service;\n{body}\n}}"
    )
    files = {"src/main/java/shop/C.java": source}
    if settings:
        files["src/main/resources/application.properties"] = settings
    return Project(folder, files)


def test_declared_types(tmp_path: Path) -> None:
    found = project(
        tmp_path,
        """
        @GetMapping("/one") Order one() { return null; }
        @GetMapping("/list") List<Order> list() { return null; }
        @GetMapping("/mono") Mono<Order> mono() { return null; }
        @GetMapping("/flux") Flux<Order> flux() { return null; }
        @GetMapping("/map") Map<String, Integer> map() { return null; }
        @GetMapping("/text") String text() { return "all is well"; }
        @GetMapping("/void") void nothing() {}
        @PostMapping("/created") @ResponseStatus(HttpStatus.CREATED) Order made() { return null; }
        @DeleteMapping("/gone") @ResponseStatus(code = HttpStatus.NO_CONTENT) void gone() {}
        """,
    )
    assert {o.path: found.responses(f"{o.method} {o.path}") for o in found.code.operations} == {
        "/one": ["(200) {id: integer(int64)}"],
        "/list": ["(200) [{id: integer(int64)}]"],
        "/mono": ["(200) {id: integer(int64)}"],
        "/flux": ["(200) [{id: integer(int64)}]"],
        "/map": ["(200) {*: integer(int32)}"],
        "/text": ["(200) */* string"],
        "/void": ["(200)"],
        "/created": ["201 {id: integer(int64)}"],
        "/gone": ["204"],
    }


def test_response_entities(tmp_path: Path) -> None:
    found = project(
        tmp_path,
        """
        @GetMapping("/declared") ResponseEntity<Order> declared() {
          if (x) return ResponseEntity.notFound().build();
          return ResponseEntity.ok(service.get(1));
        }
        @PostMapping("/new") ResponseEntity<?> created(@RequestBody Order order) {
          return new ResponseEntity<>(order, HttpStatus.CREATED);
        }
        @PostMapping("/header") ResponseEntity<Void> header() {
          return ResponseEntity.created(uri).header("a", "b").build();
        }
        @GetMapping("/builder") ResponseEntity<Object> builder() {
          return ResponseEntity.status(HttpStatus.ACCEPTED).body(service.all());
        }
        @GetMapping("/map") ResponseEntity<Map<String, Object>> map() {
          Map<String, Object> body = new HashMap<>();
          body.put("order", service.get(1));
          body.put("count", 3);
          return ResponseEntity.ok(body);
        }
        @GetMapping("/of") ResponseEntity of() { return ResponseEntity.ok(Map.of("a", true)); }
        @GetMapping("/optional") ResponseEntity<?> optional() {
          return orders.findByName("x").map(ResponseEntity::ok)
              .orElse(ResponseEntity.notFound().build());
        }
        @GetMapping("/lambda") ResponseEntity<?> lambda() {
          return orders.findByName("x").map(o -> ResponseEntity.ok(List.of(o)))
              .orElseThrow(IllegalStateException::new);
        }
        @GetMapping("/kinds") ResponseEntity<?> kinds() { return ResponseEntity.ok(Kind.values()); }
        @GetMapping("/elsewhere") ResponseEntity<?> elsewhere() { return Library.make(); }
        """,
    )
    assert {o.path: found.responses(f"{o.method} {o.path}") for o in found.code.operations} == {
        "/declared": ["200 {id: integer(int64)}", "404"],
        "/new": ["201 {id: integer(int64)}"],
        "/header": ["201"],
        "/builder": ["202 [{id: integer(int64)}]"],
        "/map": ["200 {order!: {id: integer(int64)}, count!: 3}"],
        "/of": ["200 {a!: True}"],
        "/optional": ["200 {id: integer(int64)}", "404"],
        "/lambda": ["200 [{id: integer(int64)}]"],
        "/kinds": ["200 ['A' 'B']"],
        "/elsewhere": ["(200) <the result of `Library.make` comes from a library>", "…"],
    }


def test_envelopes_are_filled_by_what_is_put_in(tmp_path: Path) -> None:
    found = project(
        tmp_path,
        """
        @GetMapping("/typed") Result<Order> typed() { return null; }
        @GetMapping("/made") Result<?> made() { return Result.of(service.all()); }
        @GetMapping("/entity") ResponseEntity<Result<Object>> entity() {
          return ResponseEntity.ok(Result.of(service.get(1)));
        }
        """,
        """
        class Result<T> {
          public T data; public String message;
          static <T> Result<T> of(T data) {
            Result<T> made = new Result<>();
            made.data = data;
            return made;
          }
        }
        """,
    )
    order = "{id: integer(int64)}"
    assert {o.path: found.responses(f"{o.method} {o.path}") for o in found.code.operations} == {
        "/typed": [f"(200) {{data: {order}~, message: string~}}"],
        "/made": [f"(200) {{data: [{order}]~, message: string~}}"],
        "/entity": [f"200 {{data: {order}~, message: string~}}"],
    }


def test_pages_and_repositories(tmp_path: Path) -> None:
    found = project(
        tmp_path,
        """
        @GetMapping("/saved") Object saved(@RequestBody Order order) { return orders.save(order); }
        @GetMapping("/all") Object all() { return orders.findAll(); }
        @GetMapping("/page") ResponseEntity<?> page(Pageable pageable) {
          return ResponseEntity.ok(orders.findAll(pageable).map(o -> o.id).getContent());
        }
        """,
    )
    assert {o.path: found.responses(f"{o.method} {o.path}") for o in found.code.operations} == {
        "/saved": ["(200) {id: integer(int64)}"],
        "/all": ["(200) [{id: integer(int64)}]"],
        "/page": ["200 [integer(int64)]"],
    }


def test_page_of_declared_type(tmp_path: Path) -> None:
    found = project(tmp_path, '@GetMapping("/x") Page<Order> f() { return null; }')
    (shown,) = found.responses("GET /x")
    assert shown.startswith("(200) {content!: [{id: integer(int64)}], pageable!: {pageNumber!: ")
    assert shown.endswith("totalPages!: integer(int32), totalElements!: integer(int64)}")


def test_parameters(tmp_path: Path) -> None:
    found = project(
        tmp_path,
        """
        @GetMapping("/{id}/{kind}") void f(
            @PathVariable("id") UUID number, @PathVariable Kind kind,
            @RequestParam String q, @RequestParam(name = "n", required = false) Integer limit,
            @RequestParam(defaultValue = "1") int page, @RequestParam Optional<String> maybe,
            @RequestParam("tag") List<String> tags, @RequestHeader("X-Id") String header,
            @CookieValue(value = "c", required = false) String cookie, boolean plain,
            Pageable pageable, Filter filter, Locale locale) {}
        """,
        """
        class Filter { private String name; private int age;
          public String getName() { return name; } public void setName(String n) {}
          public int getAge() { return age; } public void setAge(int a) {} }
        """,
    )
    assert found.parameters("GET /{id}/{kind}") == [
        "path id: string(uuid)",
        "path kind: 'A' 'B'",
        "query q: string",
        "query n?: integer(int32)",
        "query page?=: integer(int32)",
        "query maybe?: string",
        "query tag: [string]",
        "header X-Id: string",
        "cookie c?: string",
        "query plain?: boolean",
        "query page?=: integer(int32)",
        "query size?=: integer(int32)",
        "query sort?=: [string]",
        "query name?=: string",
        "query age?=: integer(int32)",
    ]


PAGED = """
@GetMapping("/orders") void orders(Pageable pageable) {}
"""
CUSTOMIZER = """
@Configuration
class Paging {
  @Bean PageableHandlerMethodArgumentResolverCustomizer paging() {
    return resolver -> {
      resolver.setSizeParameterName("limit");
      resolver.setPageParameterName(%s);
    };
  }
}
"""


@pytest.mark.parametrize(
    ("extra", "settings", "parameters"),
    [
        (CUSTOMIZER % '"offset"', "", ["offset", "limit", "sort"]),
        (CUSTOMIZER % 'System.getenv("PAGE")', "", ["limit", "sort", "and other parameters"]),
        (
            "",
            "spring.data.web.pageable.size-parameter=per_page\n"
            "spring.data.web.pageable.prefix=p_\nspring.data.web.sort.sort-parameter=order\n",
            ["p_page", "p_per_page", "order"],
        ),
    ],
    ids=["in code", "in code, undetermined", "in settings"],
)
def test_parameters_of_pages_are_called_what_the_project_calls_them(
    tmp_path: Path, extra: str, settings: str, parameters: list[str]
) -> None:
    found = project(tmp_path, PAGED, extra, settings)
    [route] = found.code.operations_with_answers
    names = [p.name for p in route.parameters]
    assert names + ["and other parameters"] * (not route.parameters_complete) == parameters


def test_parameters_that_nothing_declares(tmp_path: Path) -> None:
    found = project(
        tmp_path,
        """
        @GetMapping("/a") void a(javax.servlet.http.HttpServletRequest request) {}
        @GetMapping("/b") void b(@RequestParam Map<String, String> all) {}
        @GetMapping("/c/{x}") void c(@CurrentUser User user) {}
        """,
    )
    assert found.parameters("GET /a") == ["…"]
    assert found.parameters("GET /b") == ["…"]
    assert found.parameters("GET /c/{x}") == ["path x: string", "…"]


def test_request_bodies(tmp_path: Path) -> None:
    found = project(
        tmp_path,
        """
        @PostMapping("/a") void a(@RequestBody Order order) {}
        @PostMapping("/b") void b(@RequestBody(required = false) List<Order> orders) {}
        @PostMapping(path = "/c", consumes = MediaType.APPLICATION_XML_VALUE)
        void c(@RequestBody Order order) {}
        @PostMapping("/d") void d(@RequestBody String text) {}
        @PostMapping("/e") void e(@RequestPart("file") MultipartFile file,
            @RequestParam(required = false) MultipartFile other) {}
        """,
        "import org.springframework.web.multipart.MultipartFile;",
    )
    order = "{id: integer(int64)}"
    assert {o.path: found.request(f"POST {o.path}") for o in found.code.operations} == {
        "/a": [f"{order}!"],
        "/b": [f"[{order}~]?"],
        "/c": [f"application/xml {order}!"],
        "/d": ["<the body is read as text or bytes>!"],
        "/e": ["multipart/form-data {file!: string(binary), other?: string(binary)}!"],
    }


def test_types_of_inherited_handlers_are_bound(tmp_path: Path) -> None:
    source = f"""{HEAD}
        abstract class Base<T, K> {{
          @GetMapping("/{{key}}") public ResponseEntity<List<T>> find(@PathVariable K key) {{
            return ResponseEntity.ok(load(key));
          }}
          @PostMapping public T create(@RequestBody T body) {{ return body; }}
        }}
        @RestController @RequestMapping("/orders") class C extends Base<Order, UUID> {{}}
        """
    found = Project(tmp_path, {"src/main/java/shop/C.java": source})
    assert found.responses("GET /orders/{key}") == ["200 [{id: integer(int64)}]"]
    assert found.parameters("GET /orders/{key}") == ["path key: string(uuid)"]
    assert found.request("POST /orders") == ["{id: integer(int64)}!"]


def test_views_are_pages(tmp_path: Path) -> None:
    source = f"""{HEAD}
        @org.springframework.stereotype.Controller class C {{
          @GetMapping("/page") String page() {{ return "page"; }}
          @GetMapping("/json") @ResponseBody Order json() {{ return null; }}
        }}
        """
    found = Project(tmp_path, {"src/main/java/shop/C.java": source})
    assert found.responses("GET /page") == ["(200) text/html string", "…"]
    assert [(o.path, o.excluded_from_docs) for o in found.code.operations] == [
        ("/page", True),
        ("/json", False),
    ]
    assert found.responses("GET /json") == ["(200) {id: integer(int64)}"]


def test_json_view(tmp_path: Path) -> None:
    found = project(
        tmp_path,
        '@GetMapping("/x") @JsonView(Views.Full.class) Card f() { return null; }',
        """
        import com.fasterxml.jackson.annotation.JsonView;
        class Views { interface Short {} interface Full extends Short {} interface Other {} }
        class Card {
          @JsonView(Views.Short.class) public int a;
          @JsonView(Views.Full.class) public int b;
          @JsonView(Views.Other.class) public int c;
          public int d;
        }
        """,
    )
    assert found.responses("GET /x") == ["(200) {a: integer(int32), b: integer(int32)}"]


def test_body_below_a_root_name(tmp_path: Path) -> None:
    source = f"""{HEAD}
        @com.fasterxml.jackson.annotation.JsonRootName("order") class Param {{ public long id; }}
        @RestController class C {{ @PostMapping("/x") void f(@RequestBody Param p) {{}} }}
        """
    settings = "spring.jackson.deserialization.UNWRAP_ROOT_VALUE=true\n"
    found = Project(
        tmp_path,
        {
            "src/main/java/shop/C.java": source,
            "src/main/resources/application.properties": settings,
        },
    )
    assert found.request("POST /x") == ["{order!: {id: integer(int64)}}!"]


def test_text(tmp_path: Path) -> None:
    found = project(
        tmp_path,
        """
        @GetMapping("/words") String words() { return "id " + service.get(1).id; }
        @GetMapping("/json") String json() { return mapper.writeValueAsString(service.get(1)); }
        @GetMapping("/raw") String raw() { return Library.text(); }
        @GetMapping("/looks") String looks() { return "{}"; }
        @GetMapping(path = "/csv", produces = "text/csv") String csv() { return Library.text(); }
        @GetMapping("/entity") ResponseEntity<String> entity() { return ResponseEntity.ok("ok"); }
        @GetMapping("/said") ResponseEntity<?> said() { return ResponseEntity.ok(report(1)); }
        @GetMapping("/written") ResponseEntity<?> written() { return ResponseEntity.ok(shown()); }
        @GetMapping("/open") ResponseEntity<?> open() { return ResponseEntity.ok(other()); }
        @GetMapping("/uuid") ResponseEntity<?> uuid() { return ResponseEntity.ok(key()); }
        String report(int n) { return n > 1 ? "Many" : report(); }
        String report() { return "Just one"; }
        String shown() { return mapper.writeValueAsString(service.get(1)); }
        String other() { return Library.text(); }
        UUID key() { return UUID.randomUUID(); }
        """,
    )
    assert {o.path: found.responses(f"{o.method} {o.path}") for o in found.code.operations} == {
        "/words": ["(200) */* string"],
        "/json": ["(200) */* {id: integer(int64)}"],
        "/raw": ["(200) <the text that is returned is sent as it is>"],
        "/looks": ["(200) <the text that is returned is sent as it is>"],
        "/csv": ["(200) text/csv string"],
        "/entity": ["200 */* string"],
        "/said": ["200 string"],
        "/written": ["200 {id: integer(int64)}"],
        "/open": ["200 <the text that is returned is sent as it is>"],
        "/uuid": ["200 string(uuid)"],
    }


def test_constraints_count_where_a_body_is_validated(tmp_path: Path) -> None:
    found = project(
        tmp_path,
        """
        @PostMapping("/a") void a(@RequestBody @Valid Form form) {}
        @PostMapping("/b") void b(@RequestBody Form form) {}
        """,
        """
        class Form { @NotNull public String name; @Valid public Line checked; public Line free; }
        class Line { @NotNull public String text; }
        """,
    )
    assert found.request("POST /a") == [
        "{name!: string, checked: {text!: string}~, free: {text: string}~}!"
    ]
    assert found.request("POST /b") == [
        "{name: string, checked: {text: string}~, free: {text: string}~}!"
    ]


def test_what_spring_boot_serves_by_itself(tmp_path: Path) -> None:
    source = f"""{HEAD}
        @SpringBootApplication class App {{}}
        @RestController class C {{ @GetMapping("/x") int f() {{ return 1; }} }}
        """
    pom = "<project><artifactId>spring-boot-starter-actuator</artifactId></project>"
    files = {"src/main/java/shop/App.java": source, "pom.xml": pom}
    found = Project(tmp_path, files)
    assert [(o.path, o.excluded_from_docs) for o in found.code.operations] == [
        ("/actuator", True),
        ("/actuator/{name}", True),
        ("/actuator/{name}/{path*}", True),
        ("/error", True),
        ("/x", False),
    ]


def test_functions_of_response_entity_by_their_names_alone(tmp_path: Path) -> None:
    found = project(
        tmp_path,
        """
        Mono<Order> one;
        @GetMapping("/a") ResponseEntity<Order> a() { return ok(new Order()); }
        @GetMapping("/b") Mono<ResponseEntity<Order>> b() {
          return one.map(order -> status(HttpStatus.CREATED).body(order))
            .switchIfEmpty(Mono.just(notFound().build())); }
        @DeleteMapping("/c") ResponseEntity<Void> c() { return noContent().build(); }
        """,
        """
        import reactor.core.publisher.Mono;
        import static org.springframework.http.ResponseEntity.*;
        """,
    )
    assert found.responses("GET /a") == ["200 {id: integer(int64)}"]
    assert found.responses("GET /b") == ["201 {id: integer(int64)}", "404"]
    assert found.responses("DELETE /c") == ["204"]


def test_lists_that_come_later_are_handed_on_as_a_whole(tmp_path: Path) -> None:
    found = project(
        tmp_path,
        """
        Lists lists;
        interface Lists { CompletableFuture<List<Order>> later(); Mono<List<Order>> mono();
          Flux<Order> flux(); Optional<List<Order>> perhaps(); }
        @GetMapping("/c") Mono<?> c() {
          return lists.mono().map(list -> { return Map.of("all", list); }); }
        @GetMapping("/d") Flux<?> d() { return lists.flux().map(one -> Map.of("one", one)); }
        @GetMapping("/e") Object e() { return lists.perhaps().map(l -> Map.of("all", l)); }
        @GetMapping("/f") Flux<?> f() { return lists.flux().flatMap(one -> {
          try { return Flux.just(one); } catch (Exception e) { log(e); }
          return Flux.empty(); }); }
        @GetMapping("/a") CompletableFuture<?> a() {
          return lists.later().thenApplyAsync(list -> Map.of("all", list), pool); }
        @GetMapping("/b") CompletableFuture<?> b() {
          return lists.later().thenCompose(list -> lists.later()); }
        """,
        """
        import java.util.concurrent.*;
        import reactor.core.publisher.*;
        """,
    )
    order = "{id: integer(int64)}"
    assert found.responses("GET /c") == [f"(200) {{all!: [{order}]}}"]
    assert found.responses("GET /d") == [f"(200) [{{one!: {order}}}]"]
    assert found.responses("GET /e") == [f"(200) {{all!: [{order}]}}"]
    assert found.responses("GET /f") == [f"(200) [{order}]"]
    assert found.responses("GET /a") == [f"(200) {{all!: [{order}]}}"]
    assert found.responses("GET /b") == [f"(200) [{order}]"]


def builtin(folder: Path, dependency: str, settings: str = "", more: str = "") -> list[str]:
    """The paths that an application serves which depends on a library."""
    files = {
        "src/main/java/shop/App.java": f"{HEAD} @SpringBootApplication class App {{}} {more}",
        "src/main/resources/application.properties": settings,
        "pom.xml": f"<project><artifactId>{dependency}</artifactId></project>",
    }
    return [o.path for o in Project(folder, files).code.operations if o.path != "/error"]


def test_where_management_endpoints_are_served(tmp_path: Path) -> None:
    actuator = "spring-boot-starter-actuator"
    base = "management.endpoints.web.base-path=/manage"
    assert builtin(tmp_path / "base", actuator, base) == [
        "/manage",
        "/manage/{name}",
        "/manage/{name}/{path*}",
    ]
    server = "management.server.base-path=/admin"
    assert builtin(tmp_path / "server", actuator, server) == [
        "/actuator",
        "/actuator/{name}",
        "/actuator/{name}/{path*}",
        "/admin/actuator",
        "/admin/actuator/{name}",
        "/admin/actuator/{name}/{path*}",
    ]
    root = """management.endpoints.web.base-path=/
management.endpoints.web.path-mapping.health=healthz
"""
    paths = builtin(tmp_path / "root", actuator, root)
    assert {"/health", "/health/{name}", "/info", "/prometheus", "/healthz"} <= set(paths)
    assert "/{name}" not in paths


def test_documents_that_libraries_serve(tmp_path: Path) -> None:
    settings = "springdoc.api-docs.path=/docs"
    assert builtin(tmp_path, "springdoc-openapi-starter-webmvc-ui", settings) == [
        "/docs",
        "/docs.yaml",
        "/docs/{group}",
        "/swagger-ui.html",
        "/swagger-ui/index.html",
        "/swagger-ui/{path*}",
    ]


def test_security_that_nothing_configures(tmp_path: Path) -> None:
    security = "spring-boot-starter-security"
    assert builtin(tmp_path / "plain", security) == ["/login", "/logout"]
    assert builtin(tmp_path / "client", "spring-boot-starter-oauth2-client") == [
        "/login",
        "/login/oauth2/code/{id}",
        "/logout",
        "/oauth2/authorization/{id}",
    ]
    own = "class S { void f(HttpSecurity http) { http.logout(out -> out.disable()); } }"
    assert builtin(tmp_path / "own", security, more=own) == []


def test_handlers_that_are_given_the_response(tmp_path: Path) -> None:
    found = project(
        tmp_path,
        """
        @GetMapping("/header") Order header(HttpServletResponse response) {
          mark(response); return null; }
        @PostMapping("/created") Order created(HttpServletResponse response) {
          response.setStatus(HttpServletResponse.SC_CREATED); return null; }
        @DeleteMapping("/gone") void gone(HttpServletResponse response) { end(response, 204); }
        @GetMapping("/either") Order either(HttpServletResponse response) {
          if (busy()) { response.setStatus(202); } return null; }
        @GetMapping("/handed") Order handed(HttpServletResponse response) {
          library.write(response); return null; }
        @GetMapping("/written") void written(HttpServletResponse response) {
          response.getWriter().write("x"); }
        private void mark(HttpServletResponse response) { response.setHeader("X-A", "b"); }
        private void end(HttpServletResponse response, int status) { response.setStatus(status); }
        """,
        "import javax.servlet.http.HttpServletResponse;",
    )
    order = "{id: integer(int64)}"
    assert found.responses("GET /header") == [f"(200) {order}"]
    assert found.responses("POST /created") == [f"201 {order}"]
    assert found.responses("DELETE /gone") == ["204"]
    assert found.responses("GET /either") == [f"(200) {order}", f"202 {order}"]
    assert found.responses("GET /handed") == [f"(200) {order}", "…"]
    assert found.responses("GET /written") == ["…"]


def test_handlers_that_are_given_the_exchange_of_webflux(tmp_path: Path) -> None:
    found = project(
        tmp_path,
        """
        @GetMapping("/unused") Mono<Order> unused(ServerWebExchange exchange) { return null; }
        @GetMapping("/request") Mono<Order> request(ServerWebExchange exchange) {
          log(exchange.getRequest().getPath()); return null; }
        @PostMapping("/created") Mono<Order> created(ServerWebExchange exchange) {
          exchange.getResponse().setStatusCode(HttpStatus.CREATED); return null; }
        @GetMapping("/handed") Mono<Order> handed(ServerWebExchange exchange) {
          library.write(exchange); return null; }
        """,
        """
        import org.springframework.web.server.ServerWebExchange;
        import reactor.core.publisher.Mono;
        """,
    )
    order = "{id: integer(int64)}"
    assert found.responses("GET /unused") == [f"(200) {order}"]
    assert found.responses("GET /request") == [f"(200) {order}"]
    assert found.responses("POST /created") == [f"201 {order}"]
    assert found.responses("GET /handed") == [f"(200) {order}", "…"]


def test_files_and_event_streams_are_no_json(tmp_path: Path) -> None:
    found = project(
        tmp_path,
        """
        @GetMapping("/file") ResponseEntity<Resource> file() { return ResponseEntity.ok(load()); }
        @GetMapping("/bytes") byte[] bytes() { return null; }
        @GetMapping("/events") SseEmitter events() { return new SseEmitter(); }
        """,
        """
        import org.springframework.core.io.Resource;
        import org.springframework.web.servlet.mvc.method.annotation.SseEmitter;
        """,
    )
    kinds = {
        o.path: [b.content_type for b in o.responses[0].bodies]
        for o in found.code.operations_with_answers
    }
    assert kinds == {
        "/file": ["application/octet-stream"],
        "/bytes": ["application/octet-stream"],
        "/events": ["text/event-stream"],
    }


def test_bodies_that_are_put_together(tmp_path: Path) -> None:
    found = project(
        tmp_path,
        """
        OrderMapper mapper; ModelMapper models; ObjectMapper json;
        @GetMapping("/builder") ResponseEntity<?> builder() {
          return ResponseEntity.ok(Dto.builder().name("x").size(1).build()); }
        @GetMapping("/new") ResponseEntity<?> made() { return ResponseEntity.ok(new Dto()); }
        @GetMapping("/factory") ResponseEntity<?> factory() {
          Dto dto = Dto.from(service.get(1));
          return ResponseEntity.ok().body(dto); }
        @GetMapping("/mapper") ResponseEntity<?> mapper() {
          return ResponseEntity.ok(mapper.toDto(service.get(1))); }
        @GetMapping("/stream") ResponseEntity<?> stream() {
          return ResponseEntity.ok(service.all().stream().filter(o -> o.id > 1).map(Dto::from)
              .collect(Collectors.toList())); }
        @GetMapping("/loop") ResponseEntity<?> loop() {
          List<Object> list = new ArrayList<>();
          for (Order order : service.all()) { list.add(Dto.from(order)); }
          return ResponseEntity.ok(list); }
        @GetMapping("/models") ResponseEntity<?> models() {
          return ResponseEntity.ok(models.map(service.get(1), Dto.class)); }
        @GetMapping("/getter") ResponseEntity<?> getter() {
          return ResponseEntity.ok(Map.of("name", Dto.from(null).getName())); }
        @GetMapping("/choice") ResponseEntity<?> choice() {
          return x ? ResponseEntity.ok(new Dto()) : ResponseEntity.badRequest().body("no"); }
        @GetMapping("/switch") ResponseEntity<?> pick() {
          return switch (x) { case 1 -> ResponseEntity.ok(new Dto());
            default -> ResponseEntity.status(404).build(); }; }
        @GetMapping("/block") ResponseEntity<?> block() {
          return ResponseEntity.ok(new HashMap<String, Object>() {{ put("dto", new Dto()); }}); }
        """,
        """
        import lombok.*; import java.util.stream.*; import org.modelmapper.ModelMapper;
        @Data @Builder class Dto { private String name; private int size;
          static Dto from(Order order) { return null; } }
        interface OrderMapper { Dto toDto(Order order); }
        """,
    )
    dto = "{name: string~, size: integer(int32)}"
    fresh = "{name: string|null, size: integer(int32)}"
    assert {o.path: found.responses(f"{o.method} {o.path}") for o in found.code.operations} == {
        "/builder": ["200 {name: 'x', size: 1(int32)}"],
        "/new": [f"200 {fresh}"],
        "/factory": [f"200 {dto}"],
        "/mapper": [f"200 {dto}"],
        "/stream": [f"200 [{dto}]"],
        "/loop": [f"200 [{dto}]"],
        "/models": [f"200 {dto}"],
        "/getter": ["200 {name!: string}"],
        "/choice": [f"200 {fresh}", "400 string"],
        "/switch": [f"200 {fresh}", "404"],
        "/block": [f"200 {{dto!: {fresh}}}"],
    }


def test_headers_that_constants_of_a_library_name(tmp_path: Path) -> None:
    found = project(
        tmp_path,
        """
        @RestController
        class Orders {
          @GetMapping("/a") void a(@RequestHeader(name = HttpHeaders.IF_NONE_MATCH) String tag) {}
        }
        """,
    )
    assert found.parameters("GET /a") == ["header If-None-Match: string"]
