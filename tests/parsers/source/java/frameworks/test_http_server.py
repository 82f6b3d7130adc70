"""The JDK's server: contexts, and handlers that tell requests apart."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.parsers.source.java.project import Project

HEAD = """package shop;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.google.gson.Gson;
import com.sun.net.httpserver.*;
import java.io.*;
import java.util.*;
class Order { public long id; }
class Draft { public String name; }
"""


def project(folder: Path, source: str) -> Project:
    return Project(folder, {"src/main/java/shop/S.java": HEAD + source})


def main(folder: Path, body: str, members: str = "") -> Project:
    """A program that makes a server and does this."""
    return project(
        folder,
        f"""
        class Main {{
          static final String BASE = "/api";
          static final ObjectMapper json = new ObjectMapper();
          {members}
          public static void main(String[] args) throws IOException {{
            HttpServer server = HttpServer.create(new InetSocketAddress(8080), 0);
            {body}
            server.start();
          }}
        }}
        """,
    )


def listed(project: Project) -> list[str]:
    """Routes that a contract should have."""
    return sorted(
        f"{o.method} {o.path}" + (f" ?{o.unresolved}" if o.unresolved else "")
        for o in project.code.operations
        if not o.excluded_from_docs
    )


def test_contexts(tmp_path: Path) -> None:
    found = main(
        tmp_path,
        """
        server.createContext(BASE + "/a", new A());
        server.createContext("/b", Main::b);
        server.createContext("/c", exchange -> exchange.sendResponseHeaders(204, -1));
        HttpContext d = server.createContext("/d");
        d.setHandler(new A());
        more(server);
        """,
        """
        static class A implements HttpHandler {
          public void handle(HttpExchange exchange) { exchange.sendResponseHeaders(202, -1); }
        }
        static void b(HttpExchange exchange) { exchange.sendResponseHeaders(201, -1); }
        static void more(HttpServer server) { server.createContext("/e", Main::b); }
        """,
    )
    assert listed(found) == ["* /api/a", "* /b", "* /c", "* /d", "* /e"]
    assert found.responses("* /api/a") == ["202"]
    assert found.responses("* /c") == ["204"]
    assert found.responses("* /d") == ["202"]
    assert {o.path for o in found.code.operations if o.excluded_from_docs} == {
        *("/api/a/{path*}", "/b/{path*}", "/c/{path*}", "/d/{path*}", "/e/{path*}"),
    }


HANDLER = """
  public void handle(HttpExchange exchange) throws IOException {
    %s
  }
  void send(HttpExchange exchange, int status, Object body) throws IOException {
    byte[] bytes = json.writeValueAsString(body).getBytes(StandardCharsets.UTF_8);
    exchange.getResponseHeaders().set("Content-Type", "application/json; charset=utf-8");
    exchange.sendResponseHeaders(status, bytes.length);
    try (OutputStream out = exchange.getResponseBody()) { out.write(bytes); }
  }
"""


def handled(folder: Path, body: str, more: str = "") -> Project:
    """One context whose handler does this."""
    handler = HANDLER % body
    return main(
        folder,
        'server.createContext("/orders", new Orders());',
        f"static class Orders implements HttpHandler {{ {handler} {more} }}",
    )


def test_methods_that_a_handler_tells_apart(tmp_path: Path) -> None:
    found = handled(
        tmp_path,
        """
        try {
          if ("GET".equals(exchange.getRequestMethod())) {
            send(exchange, 200, new Order());
          } else if (exchange.getRequestMethod().equalsIgnoreCase("POST")) {
            Draft draft = json.readValue(exchange.getRequestBody(), Draft.class);
            send(exchange, 201, new Order());
          } else {
            exchange.sendResponseHeaders(405, -1);
          }
        } finally { exchange.close(); }
        """,
    )
    assert listed(found) == ["GET /orders", "POST /orders"]
    assert found.responses("GET /orders") == ["200 {id: integer(int64)}"]
    assert found.request("POST /orders") == ["{name: string~}"]
    assert found.responses("POST /orders") == ["201 {id: integer(int64)}"]


@pytest.mark.parametrize(
    "read",
    [
        "Draft draft = json.readValue(ex.getRequestBody(), Draft.class);",
        "Draft draft = gson.fromJson(new InputStreamReader(ex.getRequestBody()), Draft.class);",
        """String text = new String(ex.getRequestBody().readAllBytes(), UTF_8);
           Draft draft = gson.fromJson(text, Draft.class);""",
        """BufferedReader in = new BufferedReader(new InputStreamReader(ex.getRequestBody()));
           Draft draft = gson.fromJson(in, Draft.class);""",
        """String text = IOUtils.toString(ex.getRequestBody(), UTF_8);
           Draft draft = json.readValue(text, Draft.class);""",
    ],
)
def test_bodies_that_are_read_as_a_class(tmp_path: Path, read: str) -> None:
    found = main(
        tmp_path,
        f"""server.createContext("/x", ex -> {{
              {read}
              ex.sendResponseHeaders(204, -1); }});""",
        "static final com.google.gson.Gson gson = new com.google.gson.Gson();",
    )
    assert found.request("* /x") == ["{name: string~}"]


def test_methods_of_a_switch(tmp_path: Path) -> None:
    found = handled(
        tmp_path,
        """
        String method = exchange.getRequestMethod();
        switch (method) {
          case "GET": list(exchange); break;
          case "DELETE": exchange.sendResponseHeaders(204, -1); break;
          default: exchange.sendResponseHeaders(405, 0);
        }
        """,
        """void list(HttpExchange exchange) { send(exchange, 200, List.of(new Order())); }""",
    )
    assert listed(found) == ["DELETE /orders", "GET /orders"]
    assert found.responses("GET /orders") == ["200 [{id: integer(int64)}]"]


def test_paths_that_a_handler_tells_apart(tmp_path: Path) -> None:
    found = handled(
        tmp_path,
        """
        String path = exchange.getRequestURI().getPath();
        String method = exchange.getRequestMethod();
        if (path.equals("/orders/open")) { send(exchange, 200, new Order()); return; }
        if (path.equals("/orders") && "POST".equals(method)) {
          send(exchange, 201, new Order());
          return;
        }
        String[] parts = path.split("/");
        if (method.equals("GET")) {
          if (parts.length > 2) { send(exchange, 200, new Order()); }
          else { send(exchange, 200, List.of(new Order())); }
        } else if (method.equals("POST") && path.endsWith("/paid")) {
          send(exchange, 202, new Order());
        } else {
          send(exchange, 404, Map.of("error", "none"));
        }
        """,
    )
    why = "<the handler tells paths below `/orders` apart itself>"
    assert listed(found) == ["* /orders/open", "POST /orders"]
    assert sorted(
        f"{o.method} {o.path}" for o in found.code.operations if o.excluded_from_docs
    ) == [
        "GET /orders",
        "GET /orders/{path*}",
        "POST /orders/{path*}",
    ]
    assert found.responses("* /orders/open") == ["200 {id: integer(int64)}"]
    assert found.responses("POST /orders") == ["201 {id: integer(int64)}"]
    assert found.responses("GET /orders") == [f"(200) {why}", "…"]
    assert found.responses("POST /orders/{path*}") == ["202 {id: integer(int64)}"]


def test_what_is_left_of_a_path_is_no_path(tmp_path: Path) -> None:
    found = handled(
        tmp_path,
        """
        String path = exchange.getRequestURI().getPath();
        if (!path.startsWith("/orders/v1")) { exchange.sendResponseHeaders(404, -1); return; }
        String rest = path.substring("/orders/v1".length());
        if (rest.equals("/all")) { send(exchange, 200, List.of(new Order())); return; }
        send(exchange, 200, new Order());
        """,
    )
    assert listed(found) == []
    assert {f"{o.method} {o.path}" for o in found.code.operations} == {"* /orders/v1/{path*}"}


def test_patterns_of_paths(tmp_path: Path) -> None:
    found = handled(
        tmp_path,
        """
        String path = exchange.getRequestURI().getPath();
        if (path.matches("/orders/\\\\d+")) { send(exchange, 200, new Order()); }
        else if (path.matches("^/orders/([^/]+)/lines/[a-z0-9-]+$")) { send(exchange, 202, 1); }
        else if (path.matches("/orders/(a|b)/x")) { send(exchange, 203, 1); }
        else if (path.matches("/orders/files/.*")) { send(exchange, 206, 1); }
        else { send(exchange, 404, 1); }
        """,
    )
    assert listed(found) == ["* /orders/{id}", "* /orders/{id}/lines/{id}"]
    assert found.responses("* /orders/files/{path*}") == ["206 1"]
    assert found.responses("* /orders/{id}") == ["200 {id: integer(int64)}"]


def test_pages_and_files_are_hidden(tmp_path: Path) -> None:
    found = main(
        tmp_path,
        """
        server.createContext("/", exchange -> exchange.sendResponseHeaders(200, 0));
        server.createContext("/style.css", exchange -> exchange.sendResponseHeaders(200, 0));
        """,
    )
    assert listed(found) == []


def test_text_and_what_mappers_write(tmp_path: Path) -> None:
    found = main(
        tmp_path,
        """
        server.createContext("/text", exchange -> {
          exchange.sendResponseHeaders(200, 2);
          exchange.getResponseBody().write("OK".getBytes());
        });
        server.createContext("/mapper", exchange -> {
          exchange.sendResponseHeaders(200, 0);
          json.writeValue(exchange.getResponseBody(), new Order());
        });
        server.createContext("/library", exchange -> {
          exchange.sendResponseHeaders(200, 0);
          Library.copy(exchange.getResponseBody());
        });
        """,
    )
    assert found.responses("* /text") == ["200 text/plain 'OK'"]
    assert found.responses("* /mapper") == ["200 {id: integer(int64)}"]
    assert found.responses("* /library") == [
        "200 text/plain <`copy` is given the stream and may send anything>",
        "…",
    ]


def test_exchanges_that_are_given_away(tmp_path: Path) -> None:
    found = main(
        tmp_path,
        """
        server.createContext("/thread", exchange -> new Library(exchange).start());
        server.createContext("/field", exchange -> queue.add(() -> work()));
        """,
    )
    assert found.responses("* /thread") == [
        "(200) text/plain <`Library` is given the response and may send anything>",
        "…",
    ]
    assert found.responses("* /field") == [
        "(200) <`Main.main` does not show what it sends>",
        "…",
    ]


def test_what_handlers_read(tmp_path: Path) -> None:
    found = handled(
        tmp_path,
        """
        String key = exchange.getRequestHeaders().getFirst("X-Key");
        exchange.sendResponseHeaders(204, -1);
        """,
    )
    assert found.parameters("* /orders") == ["header X-Key~: <the code reads it as text>"]


def test_what_is_undetermined(tmp_path: Path) -> None:
    found = main(
        tmp_path,
        """
        server.createContext(args[0], new Library());
        server.createContext("/library", new Library());
        """,
    )
    assert listed(found) == [
        "* / ?the path of the route is not a constant that can be followed",
        "* /library",
    ]
    assert found.responses("* /library") == ["(200) <which handler answers is undetermined>", "…"]


def test_a_server_at_a_free_port_is_hidden(tmp_path: Path) -> None:
    made = project(
        tmp_path,
        """
        class Main {
          static final int PORT = 0;
          public static void main(String[] args) throws IOException {
            HttpServer fake = HttpServer.create(new java.net.InetSocketAddress(PORT), 0);
            fake.createContext("/fake", exchange -> exchange.sendResponseHeaders(204, -1));
            HttpServer local = HttpServer.create(new java.net.InetSocketAddress("localhost", 0), 0);
            local.createContext("/local", exchange -> exchange.sendResponseHeaders(204, -1));
            HttpServer real = HttpServer.create(new java.net.InetSocketAddress("localhost", 80), 0);
            real.createContext("/real", exchange -> exchange.sendResponseHeaders(204, -1));
          }
        }
        """,
    )
    assert listed(made) == ["* /real"]
    assert {operation.path for operation in made.code.operations} >= {"/fake", "/local", "/real"}
