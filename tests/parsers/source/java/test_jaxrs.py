"""JAX-RS: resources, applications, sub-resources, what they take and send."""

from __future__ import annotations

from pathlib import Path

import pytest

from contract_scan.ir.operation import DYNAMIC_PREFIX
from tests.parsers.source.java.project import Project

HEAD = """package shop;
import java.util.*;
import javax.ws.rs.*;
import javax.ws.rs.core.*;
import javax.ws.rs.container.*;
"""
ORDER = "class Order { public long id; }\n"


def project(folder: Path, source: str, **files: str) -> Project:
    return Project(folder, {"src/main/java/shop/R.java": HEAD + ORDER + source, **files})


def test_classes_and_methods(tmp_path: Path) -> None:
    found = project(
        tmp_path,
        """
        class Paths { static final String ITEMS = "items"; }
        @Path("/orders/")
        public class Orders {
          @GET public List<Order> list() { return null; }
          @GET @Path("{id: \\\\d+}") public Order get(@PathParam("id") long id) { return null; }
          @POST @Path("/{id}/" + Paths.ITEMS) public void add(@PathParam("id") long id) {}
          @PATCH @Path("{rest: .+}") public void rest() {}
          @REPORT public void report() {}
          public void helper() {}
        }
        @HttpMethod("REPORT") @interface REPORT {}
        """,
    )
    assert found.routes() == [
        "GET /orders",
        "GET /orders/{id}",
        "PATCH /orders/{rest*}",
        "POST /orders/{id}/items",
        "REPORT /orders",
    ]


def test_annotations_of_interfaces_and_base_classes(tmp_path: Path) -> None:
    found = project(
        tmp_path,
        """
        @Path("/orders") interface OrdersApi {
          @GET @Produces("application/json") Order get(@QueryParam("q") String q);
        }
        public class OrdersResource implements OrdersApi {
          public Order get(String q) { return null; }
        }
        @Path("/clients") interface Client { @GET String get(); }
        abstract class Base<T> { @GET @Path("/base") public T base() { return null; } }
        @Path("/things") public class Things extends Base<Order> {}
        """,
    )
    assert found.routes() == ["GET /orders", "GET /things/base"]
    assert found.parameters("GET /orders") == ["query q?: string"]
    assert found.responses("GET /things/base") == ["(200) {id: integer(int64)}"]


def test_annotations_of_other_libraries_are_no_routes(tmp_path: Path) -> None:
    source = """
        package shop;
        import retrofit2.http.*;
        interface Api { @GET("/x") Call<String> get(); }
        @Path("x") class Odd { @GET("/y") String get() { return ""; } String s = "javax.ws.rs"; }
        """
    assert Project(tmp_path, {"src/main/java/shop/Api.java": source}).routes() == []


def test_annotations_of_a_method_hide_those_that_it_overrides(tmp_path: Path) -> None:
    source = """
        class Base {
          @GET @Path("/{id}") public Order get(@PathParam("id") long id) { return null; }
          @GET @Path("/all") public Order all() { return null; }
        }
        @Path("/orders") public class Orders extends Base {
          @Override public Order get(@PathParam("id") long id) { return null; }
          @Override public Order all() { return null; }
        }
        """
    jersey = {"pom.xml": "", "App.java": "import io.dropwizard.Application; class App {}"}
    assert project(tmp_path / "a", source, **jersey).routes() == ["GET /orders/all"]
    # RESTEasy takes the route of the overridden method all the same.
    assert project(tmp_path / "b", source).routes() == ["GET /orders/all", "GET /orders/{id}"]


UNTOLD_DATE = (
    "whether `Instant` is written as text or as a number depends on how the mapper is configured, "
    "which was not found (SerializationFeature.WRITE_DATES_AS_TIMESTAMPS)"
)


@pytest.mark.parametrize(
    ("build", "shape"),
    [
        (
            "<artifactId>jersey-media-json-binding</artifactId>",
            "{name~: string, URL~: string, at~: string(date-time)}",
        ),
        (
            "<artifactId>jersey-media-json-binding</artifactId>"
            "<artifactId>jersey-media-json-jackson</artifactId>",
            f"{{url: string~, name: string~, at: <{UNTOLD_DATE}>~ (sent only)}}",
        ),
    ],
    ids=["JSON-B", "both"],
)
def test_the_library_that_the_build_brings(tmp_path: Path, build: str, shape: str) -> None:
    source = """
        class Item {
          private String url; public String name;
          public String getURL() { return url; }
          public java.time.Instant getAt() { return null; }
        }
        @Path("/items") public class Items { @GET public Item one() { return null; } }
        """
    found = project(tmp_path, source, **{"pom.xml": f"<project>{build}</project>"})
    assert found.responses("GET /items") == [f"(200) {shape}"]


def test_bodies_that_moxy_writes(tmp_path: Path) -> None:
    source = """
        enum State { OPEN }
        @XmlAccessorType(XmlAccessType.FIELD) class Line {
          int count; transient String hidden; @XmlElement(nillable = true) public String note;
          List<Date> days; Map<String, Integer> prices; }
        class Part extends Line { }
        class Other {
          @XmlElements({}) public Object any;
          public List<String> getNames() { return null; } }
        @Path("/orders") public class Orders {
          @GET public Order one() { return null; }
          @GET @Path("/state") public State state() { return null; }
          @GET @Path("/line") public Line line() { return null; }
          @GET @Path("/part") public Part part() { return null; }
          @GET @Path("/other") public Other other() { return null; }
        }
        class Api extends ResourceConfig { Api() { register(MoxyJsonFeature.class); } }
        """
    found = project(tmp_path, source)
    assert found.responses("GET /orders") == ["(200) {id: integer(int64)}"]
    assert found.responses("GET /orders/state") == ["(200) 'OPEN'"]
    prices = "{entry~!: [{key~!: string, value~!: integer(int32)}]}"
    line = f"count: integer(int32), note: string~, days~: [string(date-time)], prices~: {prices}"
    assert found.responses("GET /orders/line") == [f"(200) {{{line}}}"]
    assert found.responses("GET /orders/part") == [f"(200) {{{line}, type~: string}}"]
    not_read = "MOXy writes `Other` by annotations of JAXB or settings that are not read"
    assert found.responses("GET /orders/other") == [f"(200) {{names~: [string], … {not_read}}}"]


def test_lists_in_wrappers_that_moxy_writes_as_arrays(tmp_path: Path) -> None:
    source = """
        @XmlAccessorType(XmlAccessType.FIELD) class Command {
          @XmlElementWrapper(name = "arguments") @XmlElement(name = "argument")
          List<String> arguments; }
        @Path("/commands") public class Commands {
          @POST public Command run(Command command) { return command; }
        }
        class Api extends ResourceConfig { Api() {
          register(MoxyJsonFeature.class);
          register(new MoxyJsonConfig().property(JSON_WRAPPER_AS_ARRAY_NAME, true)); } }
        """
    found = project(tmp_path, source)
    assert found.responses("POST /commands") == ["(200) {arguments~: [string]}"]
    either = "([string] | {argument~: ([string] | string)})"
    assert found.request("POST /commands") == [f"{{arguments~: {either}}}"]


def test_variables_that_may_be_empty(tmp_path: Path) -> None:
    source = """
        @Path("{scope: ([\\\\w-]+)?}{slash:|/}users") public class Users {
          @GET public Order all() { return null; }
        }
        @Path("/item{plural:|s}") public class One {
          @GET @Path("{id: (/\\\\d{1,3})?}") public Order one() { return null; }
          @GET @Path("kind/{kind: a|b}") public Order kind() { return null; }
        }
        """
    assert project(tmp_path, source).routes() == [
        "GET /item",
        "GET /item/kind/{kind}",
        "GET /item/{id}",
        "GET /items",
        "GET /items/kind/{kind}",
        "GET /items/{id}",
        "GET /users",
        "GET /{scope}/users",
        "GET /{scope}users",
    ]


def test_static_methods(tmp_path: Path) -> None:
    source = """
        @Path("/orders") public class Orders {
          @GET public static Order all() { return null; }
          public static Order one() { return null; }
        }
        """
    assert project(tmp_path, source).routes() == ["GET /orders"]


def test_the_response_of_the_servlet_api(tmp_path: Path) -> None:
    found = project(
        tmp_path,
        """
        @Path("/orders") public class Orders {
          @GET @Path("/a") public Order a(@Context HttpServletResponse r) {
            r.setHeader("X", "y"); return null; }
          @GET @Path("/b") public Order b(@Context HttpServletResponse r) {
            r.sendError(409); return null; }
        }
        """,
    )
    assert found.responses("GET /orders/a") == ["(200) {id: integer(int64)}"]
    assert found.responses("GET /orders/b") == ["(200) {id: integer(int64)}", "…"]


def test_sub_resource_locators(tmp_path: Path) -> None:
    found = project(
        tmp_path,
        """
        @Path("/orders") public class Orders {
          @Path("/{id}/items") public Items items(@PathParam("id") long id) { return new Items(); }
          @Path("notes") public Class<Notes> notes() { return Notes.class; }
          @Path("any") public Object any() { return new Notes(); }
          @Path("unknown") public Object unknown() { return Library.find(); }
        }
        public class Items {
          @GET public List<Order> list(@QueryParam("page") @DefaultValue("1") int page) {
            return null; }
          @Path("{item}") public Items deeper() { return this; }
        }
        class Notes { @GET @Path("/all") public String all() { return ""; } }
        """,
    )
    assert found.routes() == [
        "* /orders/unknown ?the sub-resource that `unknown` returns is undetermined",
        "GET /orders/any/all",
        "GET /orders/notes/all",
        "GET /orders/{id}/items",
    ]
    assert found.parameters("GET /orders/{id}/items") == [
        "path id: integer(int64)",
        "query page?=: integer(int32)",
    ]


def test_methods_with_a_path_and_no_verb_that_lead_to_nothing(tmp_path: Path) -> None:
    found = project(
        tmp_path,
        """
        @Path("/orders") public class Orders {
          @Path("{id}") public Order one(@PathParam("id") long id) { return find(id); }
          @Path("list") public List<Order> list() { return all(); }
          @Path("response") public Response response() { return Response.ok().build(); }
          @Path("text") public String text() { return ""; }
          @Path("void") public void nothing() {}
          @Path("made") public Library library() { return Library.make(); }
        }
        """,
    )
    assert found.routes() == [
        "* /orders/made ?the sub-resource that `library` returns is undetermined"
    ]


def test_dropwizard_takes_enums_in_any_case(tmp_path: Path) -> None:
    found = project(
        tmp_path,
        """
        class App extends io.dropwizard.Application<C> {}
        enum Sort { BY_ID }
        enum Registry { QUAY("quay.io"); public String toString() { return host; } }
        @Path("/x") public class R {
          @GET public void f(@QueryParam("a") Sort a, @QueryParam("b") Registry b) {}
        }
        """,
    )
    assert found.parameters("GET /x") == [
        "query a?: 'BY_ID' 'by_id' 'By_id' 'BY-ID' 'by-id' 'By-id' 'BY.ID' 'by.id' 'By.id'",
        "query b?: <constants of `Registry` are also taken by their texts (toString)>",
    ]


def test_decorators_answer_nothing_themselves(tmp_path: Path) -> None:
    found = project(
        tmp_path,
        """
        @Path("/x") interface Api { @GET Order get(); }
        class Real implements Api { public Order get() { return null; } }
        @Decorator class Before implements Api { public Order get() { return api.get(); } }
        """,
    )
    assert [(o.path, o.handler) for o in found.code.operations] == [("/x", "Real.get")]


def test_builders_that_other_methods_fill(tmp_path: Path) -> None:
    found = project(
        tmp_path,
        """
        @Path("/x") public class R {
          @GET public Response f() { return made(1); }
          private Response made(int given) {
            Response.ResponseBuilder builder = Response.ok();
            builder.header("a", "b");
            builder.entity(new Order());
            return builder.build();
          }
        }
        """,
    )
    assert found.responses("GET /x") == ["200 {id: integer(int64)}"]


def test_responses_that_depend_on_types_of_what_is_given(tmp_path: Path) -> None:
    found = project(
        tmp_path,
        """
        @Path("/x") public class R {
          @GET public Response f() { return convert(library.get()); }
          private static Response convert(Response given) {
            Object entity = given.getEntity();
            if (entity instanceof Order) { return Response.ok(new Order()).build(); }
            else if (entity instanceof List) { return Response.ok(List.of("a")).build(); }
            return Response.status(404).build();
          }
        }
        """,
    )
    assert found.responses("GET /x") == [
        "200 <what `convert` gives depends on what it is given>",
        "404",
    ]


@pytest.mark.parametrize(
    ("files", "prefix"),
    [
        ({"App": '@ApplicationPath("/api") public class App extends Application {}'}, "/api"),
        ({"App": '@ApplicationPath("api/*") public class App extends ResourceConfig {}'}, "/api"),
        (
            {
                "App": "public class App extends io.dropwizard.Application<C> { void run(E e) { "
                'e.jersey().setUrlPattern("/rest/*"); } }'
            },
            "/rest",
        ),
    ],
)
def test_prefix_of_the_application(tmp_path: Path, files: dict[str, str], prefix: str) -> None:
    sources = {f"src/main/java/shop/{k}.java": HEAD + v for k, v in files.items()}
    found = project(tmp_path, '@Path("/x") public class X { @GET public int f() { return 1; } }')
    assert found.routes() == ["GET /x"]
    resource = '@Path("/x") public class X { @GET public int f() { return 1; } }'
    assert project(tmp_path, resource, **sources).routes() == [f"GET {prefix}/x"]


@pytest.mark.parametrize(
    ("files", "prefix"),
    [
        ({"config.yml": "server: {rootPath: '/api/*'}"}, "/api"),
        (
            {
                "config-developer.yml": "server: {gzip: {minimumEntitySize: 0bytes}}",
                "config-cloud.yml": "server:\n  type: simple\n  applicationContextPath: /cloud\n"
                "  host: @HOST@\n",
            },
            "/cloud",
        ),
        (
            {"src/main/resources/all.yml": "server: {applicationContextPath: /a, rootPath: /b}"},
            "/a/b",
        ),
        ({"one.yml": "server: {rootPath: /one}", "two.yml": "server: {rootPath: /two}"}, ""),
        ({"src/test/resources/test.yml": "server: {rootPath: /test}"}, ""),
        ({"conf/config.yml": "server: {rootPath: '/shop'}"}, "/shop"),
    ],
)
def test_prefix_of_dropwizard_settings(tmp_path: Path, files: dict[str, str], prefix: str) -> None:
    resource = '@Path("/x") public class X { @GET public int f() { return 1; } }'
    sources = {"src/main/java/shop/X.java": HEAD + resource, **files}
    assert Project(tmp_path, sources).routes() == [f"GET {prefix}/x"]


def test_prefix_of_dropwizard_that_the_environment_sets(tmp_path: Path) -> None:
    resource = '@Path("/x") public class X { @GET public int f() { return 1; } }'
    settings = {"conf/config.yml": "server: {rootPath: '${PREFIX:-/shop}'}"}
    found = Project(tmp_path, {"src/main/java/shop/X.java": HEAD + resource, **settings})
    assert found.routes() == [
        f"GET {DYNAMIC_PREFIX}/x ?the property `PREFIX` of the base path is set nowhere"
    ]


def test_several_applications_serve_what_they_register(tmp_path: Path) -> None:
    found = project(
        tmp_path,
        """
        @ApplicationPath("/admin") public class Admin extends Application {
          public Set<Class<?>> getClasses() { return Set.of(Users.class); } }
        @ApplicationPath("/shop") public class Shop extends ResourceConfig {
          public Shop() { register(Goods.class); } }
        @Path("/users") public class Users { @GET public int f() { return 1; } }
        @Path("/goods") public class Goods { @GET public int f() { return 1; } }
        """,
    )
    assert found.routes() == ["GET /admin/users", "GET /shop/goods"]


def test_prefix_of_settings_and_servlet_mappings(tmp_path: Path) -> None:
    resource = '@Path("/x") public class X { @GET public int f() { return 1; } }'
    quarkus = {"src/main/resources/application.properties": "quarkus.http.root-path=/root\n"}
    assert project(tmp_path / "a", resource, **quarkus).routes() == ["GET /root/x"]
    web = """<web-app>
      <servlet><servlet-name>rest</servlet-name>
        <servlet-class>org.glassfish.jersey.servlet.ServletContainer</servlet-class></servlet>
      <servlet-mapping><servlet-name>page</servlet-name><url-pattern>/page</url-pattern>
      </servlet-mapping>
      <servlet-mapping><servlet-name>rest</servlet-name><url-pattern>/rest/*</url-pattern>
      </servlet-mapping></web-app>"""
    found = project(tmp_path / "b", resource, **{"src/main/webapp/WEB-INF/web.xml": web})
    assert found.routes() == ["GET /rest/x"]


def test_parameters_and_entities(tmp_path: Path) -> None:
    found = project(
        tmp_path,
        """
        enum Kind { A, B }
        class Filter { @QueryParam("from") String from; @HeaderParam("X-F") String header; }
        @Path("/x/{id}") public class X {
          @QueryParam("field") private String field;
          @POST @Path("{kind}") public void f(
            @PathParam("id") UUID id, @PathParam("kind") Kind kind,
            @NotNull @QueryParam("q") String q, @QueryParam("n") @DefaultValue("5") int n,
            @QueryParam("tag") List<String> tags, @CookieParam("c") String cookie,
            @BeanParam Filter filter, @Context SecurityContext security, @Auth User user,
            @Valid @NotNull Order order) {}
          @PUT public void form(@FormParam("a") String a, @FormParam("b") @NotNull Integer b) {}
          @DELETE public void open(@Context UriInfo uri) {}
        }
        """,
    )
    assert found.parameters("POST /x/{id}/{kind}") == [
        "query field?: string",
        "path id: string(uuid)",
        "path kind: 'A' 'B'",
        "query q: string",
        "query n?=: integer(int32)",
        "query tag?: [string]",
        "cookie c?: string",
        "query from?: string",
        "header X-F?: string",
    ]
    assert found.request("POST /x/{id}/{kind}") == ["{id: integer(int64)}!"]
    assert found.request("PUT /x/{id}") == [
        "application/x-www-form-urlencoded {a?: string, b!: integer(int32)}"
    ]
    assert found.parameters("DELETE /x/{id}") == ["query field?: string", "path id: string", "…"]


CONTAINER = """
class Page {
  @QueryParam("page") int number; @QueryParam("size") @DefaultValue("20") int size;
}
class Plain { public int number; }
@Path("/x") public class X {
  @GET public void list(@Valid Page page) {}
  @POST public void add(Plain plain) {}
}
"""


def test_quarkus_needs_no_annotation_where_a_class_holds_parameters(tmp_path: Path) -> None:
    found = project(tmp_path, "import io.quarkus.logging.Log;" + CONTAINER)
    assert found.parameters("GET /x") == [
        "query page?: integer(int32)",
        "query size?=: integer(int32)",
    ]
    assert found.request("GET /x") == []
    assert found.request("POST /x") == ["{number: integer(int32)}"]


def test_elsewhere_a_class_without_annotation_is_the_body(tmp_path: Path) -> None:
    found = project(tmp_path, CONTAINER)
    assert found.parameters("GET /x") == []
    assert found.request("GET /x") == [
        "<Jackson sees no property of `Page`: it has no public getter, public field or annotated"
        " member>"
    ]


def test_the_list_that_mutiny_collects_is_mapped_as_one(tmp_path: Path) -> None:
    found = project(
        tmp_path,
        """
        import io.smallrye.mutiny.*;
        class Orders { public List<Order> all; Orders(List<Order> all) { this.all = all; } }
        interface Store { Multi<Order> load(); }
        @Path("/x") public class X {
          Store store;
          @GET public Uni<Response> get() {
            return store.load().collect().asList().map(all -> Response.ok(new Orders(all)).build());
          }
        }
        """,
    )
    assert found.responses("GET /x") == ["200 {all: [{id: integer(int64)}]}"]


def test_setters_that_lombok_chains(tmp_path: Path) -> None:
    found = project(
        tmp_path,
        """
        import lombok.Data; import lombok.experimental.Accessors;
        @Data @Accessors(chain = true) class Told { private String code; }
        @Path("/x") public class X {
          @GET public Response get() { return Response.ok(new Told().setCode("1")).build(); }
        }
        """,
    )
    assert found.responses("GET /x") == ["200 {code: string~}"]


def test_a_text_that_a_method_reads_as_a_class(tmp_path: Path) -> None:
    found = project(
        tmp_path,
        """
        import com.google.gson.*; import com.google.gson.reflect.TypeToken;
        import java.lang.reflect.Type; import com.fasterxml.jackson.databind.ObjectMapper;
        enum Kind { A, B }
        class Draft { public boolean open; public Kind kind; public Long no; }
        @Path("/{id}") public class X {
          Gson gson = new Gson(); ObjectMapper mapper = new ObjectMapper(); Logger log;
          @POST @Path("gson") public void gson(String json) {
            log.info("read {}", json);
            Draft draft = gson.fromJson(json, Draft.class); }
          @POST @Path("jackson") public void jackson(String json) {
            if (json.isBlank()) { throw new BadRequestException(); }
            Order order = mapper.readValue(json, Order.class); }
          @POST @Path("token") public void token(String json) {
            Type type = new TypeToken<List<Order>>() {}.getType();
            List<Order> orders = gson.fromJson(json, type); }
          @POST @Path("helper") public void helper(String json) { read(json); }
          private Order read(String text) { return mapper.readValue(text, Order.class); }
          @POST @Path("both") public void both(String json) {
            gson.fromJson(json, Draft.class); gson.fromJson(json, Order.class); }
          @POST @Path("more") public void more(String json) {
            Order order = mapper.readValue(json, Order.class); store.keep(json); }
          @POST @Path("changed") public void changed(String json) {
            json = json.trim(); Order order = mapper.readValue(json, Order.class); }
          @POST @Path("other") public void other(String json) {
            if (json.startsWith("[")) { return; }
            Order order = mapper.readValue(json, Order.class); }
        }
        """,
    )
    order, text = "{id: integer(int64), *: nothing}", "<the body is read as text or bytes>"
    draft = (
        "{open: boolean, kind~: <Gson reads a text that is no constant of `Kind` as null, and"
        " refuses none>, no~: integer(int64)}"
    )
    assert {o.path: found.request(f"POST {o.path}") for o in found.code.operations} == {
        "/{id}/gson": [draft],
        "/{id}/jackson": [order],
        "/{id}/token": ["[{id: integer(int64)}~]"],
        "/{id}/helper": [order],
        "/{id}/both": [text],
        "/{id}/more": [text],
        "/{id}/changed": [text],
        "/{id}/other": [text],
    }


def test_parameters_of_dropwizard(tmp_path: Path) -> None:
    found = project(
        tmp_path,
        """
        import io.dropwizard.jersey.params.*;
        class LongParam {}
        @Path("/x") public class X {
          @GET @Path("{id}") public void get(@PathParam("id") UUIDParam id,
            @QueryParam("page") IntParam page, @QueryParam("full") BooleanParam full,
            @QueryParam("own") LongParam own) {}
        }
        """,
    )
    assert found.parameters("GET /x/{id}") == [
        "path id: string(uuid)",
        "query page?: integer(int32)",
        "query full?: boolean",
        "query own?: <`LongParam` is read by a converter>",
    ]


def test_responses(tmp_path: Path) -> None:
    found = project(
        tmp_path,
        """
        import static javax.ws.rs.core.Response.ok;
        class Service { Order get() { return null; } }
        @Path("/") public class X {
          Service service;
          @GET @Path("declared") public Order declared() { return null; }
          @GET @Path("void") public void nothing() {}
          @GET @Path("stage") public java.util.concurrent.CompletionStage<List<Order>> stage() {
            return null; }
          @GET @Path("entity") public Response entity() {
            return Response.status(Response.Status.CREATED).entity(service.get()).build(); }
          @GET @Path("ok") public Response shown() {
            if (x) { return Response.status(404).build(); }
            return ok(service.get()).build(); }
          @GET @Path("later") public Response later() {
            Response.ResponseBuilder builder = Response.accepted();
            builder.entity(service.get()).header("a", "b");
            return builder.build(); }
          @GET @Path("none") public Response none() { return Response.noContent().build(); }
          @GET @Path("generic") public Response generic() {
            return Response.ok(new GenericEntity<List<Order>>(List.of(service.get())) {}).build(); }
          @GET @Path("text") public Response text() { return Response.ok("raw").build(); }
          @GET @Path("bytes") public Response bytes() { return Response.ok(content()).build(); }
          byte[] content() { return null; }
          @GET @Path("month") public Response month() { return Response.ok(now()).build(); }
          java.time.YearMonth now() { return null; }
          @GET @Path("elsewhere") public Response elsewhere() { return Library.make(); }
          @GET @Path("async") public void async(@Suspended AsyncResponse response) {}
          @GET @Path("file") @Produces("text/csv") public StreamingOutput file() { return null; }
        }
        """,
    )
    order = "{id: integer(int64)}"
    assert {o.path: found.responses(f"{o.method} {o.path}") for o in found.code.operations} == {
        "/declared": [f"(200) {order}"],
        "/void": ["(204)"],
        "/stage": [f"(200) [{order}]"],
        "/entity": [f"201 {order}"],
        "/ok": [f"200 {order}", "404"],
        "/later": [f"202 {order}"],
        "/none": ["204"],
        "/generic": [f"200 [{order}]"],
        "/text": ["200 string"],
        "/bytes": ["200 <the text that is returned is sent as it is>"],
        "/month": ["200 string"],
        "/elsewhere": ["(200) <the result of `Library.make` comes from a library>", "…"],
        "/async": ["(200) <`async` sends its response later (AsyncResponse)>", "…"],
        "/file": ["(200) text/csv string(binary)"],
    }


def test_responses_that_are_resumed_later(tmp_path: Path) -> None:
    found = project(
        tmp_path,
        """
        import java.util.concurrent.*;
        interface Service { CompletableFuture<Order> find(); List<Order> all(); }
        @Path("/") public class X {
          Service service; Executor executor;
          @GET @Path("entity") public void entity(@Suspended AsyncResponse later) {
            executor.execute(() -> later.resume(service.all())); }
          @GET @Path("whole") public void whole(@Suspended final AsyncResponse later) {
            later.resume(Response.status(202).entity(new Order()).build()); }
          @GET @Path("callback") public void callback(@Suspended AsyncResponse later) {
            service.find().thenAccept(order -> later.resume(order)); }
          @GET @Path("reference") public void reference(@Suspended AsyncResponse later) {
            service.find().thenAccept(later::resume); }
          @GET @Path("both") public void both(@Suspended AsyncResponse later) {
            service.find().whenComplete((order, problem) -> {
              if (problem != null) { later.resume(problem); } else { later.resume(order); }
            }); }
          @GET @Path("failure") public void failure(@Suspended AsyncResponse later) {
            if (service == null) { later.resume(new NotFoundException()); return; }
            later.resume(service.all()); }
          @GET @Path("either") public void either(@Suspended AsyncResponse later) {
            later.resume(service == null ? new NotFoundException() : service.all()); }
          @GET @Path("handed") public void handed(@Suspended AsyncResponse later) {
            later.resume(service.all());
            Elsewhere.finish(later); }
          @GET @Path("never") public void never(@Suspended AsyncResponse later) {
            Elsewhere.finish(later); }
        }
        """,
    )
    order = "{id: integer(int64)}"
    assert {o.path: found.responses(f"{o.method} {o.path}") for o in found.code.operations} == {
        "/entity": [f"(200) [{order}]"],
        "/whole": [f"202 {order}"],
        "/callback": [f"(200) {order}"],
        "/reference": [f"(200) {order}"],
        "/both": [f"(200) {order}"],
        "/failure": [f"(200) [{order}]"],
        "/either": [f"(200) [{order}]"],
        "/handed": [
            f"(200) ([{order}] | <`handed` hands its response to code that cannot be followed>)",
            "…",
        ],
        "/never": ["(200) <`never` sends its response later (AsyncResponse)>", "…"],
    }


def test_a_generic_entity_says_what_it_holds(tmp_path: Path) -> None:
    found = project(
        tmp_path,
        """
        @Path("/x") public class X {
          @GET public Response all(List raw) {
            return Response.ok(new GenericEntity<List<Order>>(raw) {}).build(); }
        }
        """,
    )
    assert found.responses("GET /x") == ["200 [{id: integer(int64)}]"]


def test_pages_are_not_meant_for_contracts(tmp_path: Path) -> None:
    found = project(
        tmp_path,
        """
        @Path("/") public class Pages {
          @GET @Produces(MediaType.TEXT_HTML) public String page() { return render(); }
          @GET @Path("data") public Order data() { return null; }
        }
        """,
    )
    assert {o.path: o.excluded_from_docs for o in found.code.operations} == {
        "/": True,
        "/data": False,
    }


@pytest.mark.parametrize("imported", ["HttpMethod.*", "HttpMethod.GET"])
def test_a_static_import_of_constants_hides_no_annotation(tmp_path: Path, imported: str) -> None:
    source = f"""package a;
    import static a.{imported};
    import jakarta.ws.rs.*;
    @Path("/x") public class R {{ @GET public String get() {{ return ""; }} }}"""
    constants = "package a; public enum HttpMethod { GET, POST; }"
    files = {"src/main/java/a/R.java": source, "src/main/java/a/HttpMethod.java": constants}
    assert Project(tmp_path, files).routes() == ["GET /x"]


def test_the_view_of_a_method_shows_what_it_and_its_bases_show(tmp_path: Path) -> None:
    found = project(
        tmp_path,
        """
        @Path("/cards") public class Cards {
          @GET @JsonView(Views.Full.class) public Card full() { return null; }
          @GET @Path("/short") @JsonView(Views.Short.class) public Card some() { return null; }
          @PUT public void put(@JsonView(Views.Short.class) Card card) {}
        }
        class Views { static class Short {} static class Full extends Short {} }
        class Card {
          @com.fasterxml.jackson.annotation.JsonView(Views.Short.class) public int a;
          @com.fasterxml.jackson.annotation.JsonView(Views.Full.class) public int b;
        }
        """,
    )
    assert found.responses("GET /cards") == ["(200) {a: integer(int32), b: integer(int32)}"]
    assert found.responses("GET /cards/short") == ["(200) {a: integer(int32)}"]
    assert len(found.operation("PUT /cards").request) == 1


def test_the_status_that_resteasy_is_told(tmp_path: Path) -> None:
    found = project(
        tmp_path,
        """
        @Path("/orders") interface OrdersApi {
          @POST @org.jboss.resteasy.reactive.ResponseStatus(201) Order add(Order order);
          @DELETE @org.jboss.resteasy.reactive.ResponseStatus(202) void drop();
          @PUT @org.jboss.resteasy.reactive.ResponseStatus(202) Response put();
        }
        public class Orders implements OrdersApi {
          public Order add(Order order) { return order; }
          public void drop() {}
          public Response put() { return Response.noContent().build(); }
        }
        """,
    )
    assert found.responses("POST /orders") == ["201 {id: integer(int64)}"]
    assert found.responses("DELETE /orders") == ["202"]
    assert found.responses("PUT /orders") == ["204"]


def test_an_implementation_may_add_annotations_to_parameters(tmp_path: Path) -> None:
    interface = """package shop.api;
        import javax.ws.rs.*;
        @Path("/orders") public interface OrdersApi {
          @GET String list(@QueryParam("sort") String sort, @QueryParam("by") String by); }
        """
    source = """package shop;
        import javax.ws.rs.DefaultValue;
        public class Orders implements shop.api.OrdersApi {
          public String list(@DefaultValue("up") String sort, String by) { return ""; } }
        """
    files = {"api/OrdersApi.java": interface, "Orders.java": source}
    found = Project(tmp_path, {f"src/main/java/shop/{name}": text for name, text in files.items()})
    assert [(p.name, p.has_default) for p in found.operation("GET /orders").parameters] == [
        ("sort", True),
        ("by", False),
    ]


def test_what_methods_below_an_undetermined_prefix_take_is_read(tmp_path: Path) -> None:
    found = project(
        tmp_path,
        """
        @ApplicationPath(Prefix.of("x")) class App extends Application {}
        @Path("/orders") public class Orders {
          @GET public Order list(@QueryParam("sort") String sort) { return null; }
        }
        """,
    )
    (operation,) = found.code.operations
    assert operation.unresolved
    assert [parameter.name for parameter in operation.parameters] == ["sort"]


def test_of_several_implementations_those_that_a_container_makes_answer(tmp_path: Path) -> None:
    source = """
        @Path("/orders") interface OrdersApi { @GET Order get(); }
        @ApplicationScoped public class Orders implements OrdersApi {
          public Order get() { return new Order(); } }
        public class OrdersClient implements OrdersApi {
          private OrdersApi delegate;
          public Order get() { return delegate.get(); } }
        """
    found = project(tmp_path / "made", source)
    assert [operation.handler for operation in found.code.operations] == ["Orders.get"]
    found = project(tmp_path / "plain", source.replace("@ApplicationScoped", ""))
    handlers = [operation.handler for operation in found.code.operations]
    assert handlers == ["Orders.get", "OrdersClient.get"]
