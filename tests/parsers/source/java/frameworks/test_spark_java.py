"""Spark: routes and groups, what handlers take and send."""

from __future__ import annotations

from pathlib import Path

from tests.parsers.source.java.project import Project

HEAD = """package shop;
import static spark.Spark.*;
import com.google.gson.Gson;
import java.util.*;
import spark.*;
"""
ORDER = "class Order { public long id; }\n"


def project(folder: Path, source: str) -> Project:
    return Project(folder, {"src/main/java/shop/Main.java": HEAD + ORDER + source})


def test_routes_that_a_class_registers_when_it_is_loaded_or_made(tmp_path: Path) -> None:
    found = project(
        tmp_path,
        """
        class Main {
          static final String ORDERS = "/orders";
          static { get(ORDERS, (req, res) -> "x"); path("/api", () -> { put("/a", Main::add); }); }
          { post(ORDERS, (req, res) -> { res.status(201); return "x"; }); }
          { int nothing = 1; }
          static Object add(Request request, Response response) { return ""; }
        }
        enum Kind { A; static { delete("/kinds", (req, res) -> ""); } }
        """,
    )
    assert found.routes() == ["DELETE /kinds", "GET /orders", "POST /orders", "PUT /api/a"]


def test_routes_and_groups(tmp_path: Path) -> None:
    found = project(
        tmp_path,
        """
        class Main {
          static final String ORDERS = "/orders";
          public static void main(String[] args) {
            port(8080);
            before("/*", (req, res) -> {});
            get(ORDERS + "/:id", (req, res) -> "x");
            Spark.post(ORDERS, "application/json", Main::add);
            path("/api", () -> {
              put("/put", new Put());
              path("/deep", () -> items());
              delete("*", (req, res) -> "");
            });
            Service http = Service.ignite().port(4567);
            http.patch("/other", (req, res) -> "");
            get(System.getenv("X"), (req, res) -> "");
            Map<String, String> map = new HashMap<>();
            map.put("/no", "route");
          }
          static void items() { head("/items", (req, res) -> ""); }
          static Object add(Request request, Response response) { return ""; }
        }
        class Put implements Route { public Object handle(Request q, Response s) { return ""; } }
        """,
    )
    assert found.routes() == [
        "DELETE /api/{path*}",
        "GET / ?the path of the route is not a constant that can be followed",
        "GET /orders/{id}",
        "HEAD /api/deep/items",
        "PATCH /other",
        "POST /orders",
        "PUT /api/put",
    ]


def test_responses(tmp_path: Path) -> None:
    found = project(
        tmp_path,
        """
        class Main {
          static Gson gson = new Gson();
          static void start() {
            get("/transformed", (req, res) -> new Order(), gson::toJson);
            get("/own", (req, res) -> new Order(), new Shouting());
            get("/plain", (req, res) -> new Order());
            get("/written", (req, res) -> { res.type("application/json");
              return gson.toJson(new Order()); });
            get("/text", (req, res) -> "hello");
            post("/created", (req, res) -> { res.status(201); return new Order(); },
              new JsonTransformer());
            delete("/gone", (req, res) -> { res.status(204); return ""; });
            get("/moved", (req, res) -> { res.redirect("/text"); return null; });
            get("/page", (req, res) -> new ModelAndView(null, "p"), new FreeMarkerEngine());
          }
        }
        """,
    )
    order = "{id: integer(int64)}"
    assert found.responses("GET /transformed") == [f"(200) {order}"]
    assert found.responses("GET /own") == [
        "(200) <a transformer of the project's own writes what is returned>"
    ]
    assert found.responses("GET /plain") == [
        "(200) <what is returned is sent as its text (`toString`)>"
    ]
    assert found.responses("GET /written") == [f"(200) {order}"]
    assert found.responses("GET /text") == ["(200) string"]
    assert found.responses("POST /created") == [f"201 {order}"]
    assert found.responses("DELETE /gone") == ["204"]
    assert found.responses("GET /moved") == ["302"]
    assert found.operation("GET /page").excluded_from_docs


def test_what_handlers_take(tmp_path: Path) -> None:
    found = project(
        tmp_path,
        """
        class Main {
          static void start() {
            post("/orders/:id", (req, res) -> {
              String id = req.params(":id");
              String page = req.queryParams("page");
              String tenant = req.headers("X-Tenant");
              String text = req.body();
              return new Gson().toJson(new Gson().fromJson(text, Order.class));
            });
            post("/raw", (req, res) -> req.body());
            get("/any", (req, res) -> req.queryMap());
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
    assert found.parameters("GET /any") == ["…"]


def test_what_a_variable_holds_on_each_path(tmp_path: Path) -> None:
    source = """package shop;
        import com.google.gson.Gson;
        import static spark.Spark.*;
        class Order { public long id; }
        class Main { static void main(String[] args) { Gson gson = new Gson();
          get("/a", (req, res) -> {
            String text = "";
            if (req.params("id") == null) {
              res.status(404);
              text = "There is no order " + req.params("id");
            } else {
              text = gson.toJson(new Order());
            }
            res.type("application/json");
            return text; }); } }
        """
    found = Project(tmp_path, {"src/main/java/shop/S.java": source})
    assert found.responses("GET /a") == ["(200) {id: integer(int64)}", "404 string"]
