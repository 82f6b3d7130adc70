"""Helidon SE: routings, services, and what handlers send."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.parsers.source.java.project import Project

HEAD = """package shop;
import io.helidon.http.Status;
import io.helidon.webserver.WebServer;
import io.helidon.webserver.http.*;
import jakarta.json.*;
import java.util.*;
class Order { public long id; }
class Draft { public String name; }
"""


def project(folder: Path, source: str) -> Project:
    return Project(folder, {"src/main/java/shop/S.java": HEAD + source})


HANDLERS = """
  void list(ServerRequest request, ServerResponse response) {
    response.send(List.of(new Order())); }
  void get(ServerRequest request, ServerResponse response) {
    String id = request.path().pathParameters().get("id");
    String full = request.query().first("full").orElse("");
    response.send(new Order()); }
  void add(ServerRequest request, ServerResponse response) {
    Draft draft = request.content().as(Draft.class);
    response.status(Status.CREATED_201).send(new Order()); }
"""
SERVICE = f"""
class Orders implements HttpService {{
  public void routing(HttpRules rules) {{
    rules.get("/", this::list).get("/{{id:\\\\d+}}", this::get).post("/", this::add)
         .delete("/{{+rest}}", (req, res) -> res.status(204).send());
  }}
  {HANDLERS}
}}
"""


def test_routings_and_services(tmp_path: Path) -> None:
    found = project(
        tmp_path,
        f"""
        {SERVICE}
        class Main {{
          static void main(String[] args) {{
            WebServer.builder().routing(Main::routing).build().start();
            WebServer.builder().routing(r -> r.get("/lambda", (req, res) -> res.send("x"))).build();
            HttpRouting.Builder own = HttpRouting.builder().put("/own", (req, res) -> res.send());
          }}
          static void routing(HttpRouting.Builder routing) {{
            routing.register("/orders", new Orders())
                   .any("/any", (req, res) -> res.send("x"))
                   .route(Method.PATCH, "/route", (req, res) -> res.send("x"))
                   .register("/supplied", () -> new Orders());
            more(routing);
          }}
          static void more(HttpRouting.Builder routing) {{
            routing.get("/more[/end]", (req, res) -> res.send("x")); }}
        }}
        """,
    )
    orders = ["DELETE {}/{{rest*}}", "GET {}", "GET {}/{{id}}", "POST {}"]
    assert found.routes() == sorted(
        [
            *("* /any", "GET /lambda", "GET /more", "GET /more/end", "PATCH /route", "PUT /own"),
            *(each.format("/orders") for each in orders),
            *(each.format("/supplied") for each in orders),
        ]
    )


def test_what_handlers_take_and_send(tmp_path: Path) -> None:
    found = project(
        tmp_path,
        SERVICE
        + """class Main { static void routing(HttpRouting.Builder r) {
            r.register("/orders", new Orders()); } }""",
    )
    assert found.responses("GET /orders") == ["(200) [{id: integer(int64)}]"]
    assert found.parameters("GET /orders/{id}") == [
        "path id: <the code reads it as text>",
        "query full?: <the code reads it as text>",
    ]
    assert found.request("POST /orders") == ["{name: string~}"]
    assert found.responses("POST /orders") == ["201 {id: integer(int64)}"]
    assert found.responses("DELETE /orders/{rest*}") == ["204"]


def routed(folder: Path, body: str, more: str = "") -> Project:
    """One route whose handler does this."""
    return project(
        folder,
        f"""
        class Main {{
          static void routing(HttpRouting.Builder r) {{ r.get("/x", Main::x); }}
          static void x(ServerRequest request, ServerResponse response) {{ {body} }}
          {more}
        }}
        """,
    )


@pytest.mark.parametrize(
    ("body", "shape"),
    [
        (
            'response.send(Json.createObjectBuilder().add("id", 7).add("open", true).build());',
            "{id!: 7, open!: True}",
        ),
        (
            """JsonArrayBuilder tags = JSON.createArrayBuilder().add("new").add("sale");
               JsonObjectBuilder order = JSON.createObjectBuilder().add("tags", tags);
               order.add("by", name());
               response.send(order.addNull("note").build());""",
            "{tags!: ['new' 'sale'], by!: string, note!: nothing|null}",
        ),
        ("response.send(Json.createArrayBuilder().add(1).addNull().build());", "[1|null]"),
    ],
)
def test_json_that_builders_put_together(tmp_path: Path, body: str, shape: str) -> None:
    members = """static final JsonBuilderFactory JSON = Json.createBuilderFactory(Map.of());
                 static String name() { return null; }"""
    assert routed(tmp_path, body, members).responses("GET /x") == [f"(200) {shape}"]


def test_what_is_sent_first_counts(tmp_path: Path) -> None:
    found = routed(
        tmp_path,
        'if (valid(response, "x")) { response.send(new Order()); }',
        """static boolean valid(ServerResponse response, String text) {
             if (text.isEmpty()) { response.status(400).send(Map.of("error", 1)); return false; }
             return true; }""",
    )
    assert found.responses("GET /x") == [
        "(200) {id: integer(int64)}",
        "400 {error!: 1}",
    ]


def test_methods_of_the_response_that_are_given_away(tmp_path: Path) -> None:
    found = routed(
        tmp_path,
        "find().ifPresentOrElse(response::send, () -> response.status(404).send());",
    )
    assert found.responses("GET /x") == [
        "(200) <the result of `find` comes from a library>",
        "404",
    ]


def test_handlers_that_let_requests_go_on_are_none(tmp_path: Path) -> None:
    found = project(
        tmp_path,
        """
        class Main { static void routing(HttpRouting.Builder r) {
          r.any((req, res) -> { log(); res.next(); })
           .get("/x", (req, res) -> res.next(), (req, res) -> res.send("x")); } }
        """,
    )
    assert found.routes() == ["GET /x"]
    assert found.responses("GET /x") == ["(200) text/plain 'x'"]


def test_older_versions(tmp_path: Path) -> None:
    source = """package shop;
        import io.helidon.webserver.*;
        class Order { public long id; }
        class Orders implements Service {
          public void update(Routing.Rules rules) {
            rules.get("/{id}", this::get)
                 .post("/", Handler.create(Order.class, this::add)); }
          void get(ServerRequest request, ServerResponse response) {
            request.path().param("id");
            response.status(Http.Status.ACCEPTED_202).send(new Order()); }
          void add(ServerRequest request, ServerResponse response, Order order) {
            response.send(order); }
        }
        class Main { static Routing routing() {
          return Routing.builder().register("/orders", new Orders()).build(); } }
        """
    found = Project(tmp_path, {"src/main/java/shop/S.java": source})
    assert found.routes() == ["GET /orders/{id}", "POST /orders"]
    assert found.responses("GET /orders/{id}") == ["202 {id: integer(int64)}"]
    assert found.responses("POST /orders") == ["(200) {id: integer(int64)}"]


def test_what_is_undetermined(tmp_path: Path) -> None:
    found = project(
        tmp_path,
        """
        class Unseen implements HttpService { public void routing(HttpRules rules) {
          rules.get("/below", (req, res) -> res.send("x")); } }
        class Main { static void routing(HttpRouting.Builder r, Config config) {
          r.get(config.path(), (req, res) -> res.send("x"))
           .get("/order*", (req, res) -> res.send("x"))
           .get("/library", Library.handler()); } }
        """,
    )
    assert found.routes() == [
        "GET / ?the path of the route is not a constant that can be followed",
        "GET /library",
        "GET /order* ?the path `/order*` has a wildcard",
        "GET /{computed}/below ?where the service is registered is not seen",
    ]
    assert found.responses("GET /library") == [
        "(200) <which handler answers is undetermined>",
        "…",
    ]
