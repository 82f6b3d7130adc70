"""Servlets: where they are mapped, what they read and write."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.parsers.source.java.project import Project

HEAD = """package shop;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.google.gson.Gson;
import jakarta.servlet.annotation.WebServlet;
import jakarta.servlet.http.*;
import java.util.*;
"""
ORDER = "class Order { public long id; }\n"
TAKES = "(HttpServletRequest request, HttpServletResponse response)"


def project(folder: Path, source: str, **files: str) -> Project:
    return Project(folder, {"src/main/java/shop/S.java": HEAD + ORDER + source, **files})


def test_annotated_servlets(tmp_path: Path) -> None:
    found = project(
        tmp_path,
        f"""
        abstract class Base extends HttpServlet {{ protected void doPost{TAKES} {{}} }}
        @WebServlet(name = "orders", urlPatterns = {{"/orders", "/orders/*"}})
        class Orders extends Base {{ @Override protected void doGet{TAKES} {{}} }}
        @WebServlet("/all") class All extends HttpServlet {{
          protected void service{TAKES} {{}} }}
        @WebServlet("*.do") class Ending extends HttpServlet {{ protected void doGet{TAKES} {{}} }}
        @WebServlet(Library.PATH) class Open extends HttpServlet {{
          protected void doPut{TAKES} {{}} }}
        class Unmapped extends HttpServlet {{ protected void doGet{TAKES} {{}} }}
        """,
    )
    assert found.routes() == [
        "* /all",
        "GET /orders",
        "GET /orders/{path*}",
        "GET /{path*} ?the pattern `*.do` takes paths by their ending",
        "POST /orders",
        "POST /orders/{path*}",
        "PUT / ?the URL pattern is not a constant",
    ]


def test_servlets_of_web_xml_and_of_code(tmp_path: Path) -> None:
    found = project(
        tmp_path,
        f"""
        class Described extends HttpServlet {{ protected void doGet{TAKES} {{}} }}
        class Added extends HttpServlet {{ protected void doDelete{TAKES} {{}} }}
        class Held extends HttpServlet {{ protected void doPut{TAKES} {{}} }}
        class Named extends HttpServlet {{ protected void doGet{TAKES} {{}} }}
        class Bean extends HttpServlet {{ protected void doPost{TAKES} {{}} }}
        class Main {{
          void start(ServletContextHandler context) {{
            context.addServlet(Added.class, "/added");
            context.addServlet(new ServletHolder(new Held()), "/held");
            Named servlet = new Named();
            ServletRegistration.Dynamic named = context.addServlet("named", servlet);
            named.addMapping("/one", "/two");
          }}
          Object bean() {{ return new ServletRegistrationBean<>(new Bean(), "/bean"); }}
        }}
        """,
        **{
            "src/main/webapp/WEB-INF/web.xml": """<web-app>
            <!-- <servlet-mapping><servlet-name>d</servlet-name>
              <url-pattern>/commented</url-pattern></servlet-mapping> -->
            <servlet><servlet-name>d</servlet-name>
              <servlet-class>shop.Described</servlet-class></servlet>
            <servlet-mapping><servlet-name>d</servlet-name>
              <url-pattern>/described</url-pattern></servlet-mapping></web-app>"""
        },
    )
    assert found.routes() == [
        "DELETE /added",
        "GET /described",
        "GET /one",
        "GET /two",
        "POST /bean",
        "PUT /held",
    ]


def test_what_servlets_write(tmp_path: Path) -> None:
    found = project(
        tmp_path,
        f"""
        @WebServlet("/w") class Writes extends HttpServlet {{
          private final ObjectMapper mapper = new ObjectMapper();
          protected void doGet{TAKES} {{
            if (request.getParameter("id") == null) {{
              response.sendError(HttpServletResponse.SC_BAD_REQUEST); return; }}
            response.setContentType("application/json;charset=utf-8");
            response.getWriter().write(mapper.writeValueAsString(new Order()));
          }}
          protected void doPost{TAKES} {{
            response.setStatus(201);
            mapper.writeValue(response.getOutputStream(), new Order());
          }}
          protected void doPut{TAKES} {{
            PrintWriter out = response.getWriter();
            out.print(new Gson().toJson(new Order()));
          }}
          protected void doDelete{TAKES} {{
            PrintWriter out = response.getWriter();
            out.print("{{"); out.print("}}");
          }}
        }}
        @WebServlet("/helped") class Helped extends HttpServlet {{
          protected void doGet{TAKES} {{ Json.send(response, 202, new Order()); }}
          protected void doPost{TAKES} {{ Json.send(response, 409); }}
          protected void doPut{TAKES} {{
            try {{ Json.send(response, 201, new Order()); }}
            catch (Failure e) {{ Json.send(response, e.code(), "text"); }}
            catch (RuntimeException e) {{ e.printStackTrace(); }}
          }}
        }}
        class Json {{
          static void send(HttpServletResponse response, int status) {{
            response.setStatus(status); }}
          static void send(HttpServletResponse response, int status, Object data) {{
            response.setStatus(status);
            String text = new Gson().toJson(data);
            response.getWriter().write(text);
          }}
        }}
        @WebServlet("/page") class Page extends HttpServlet {{
          protected void doGet{TAKES} {{
            request.getRequestDispatcher("/page.jsp").forward(request, response); }}
          protected void doPost{TAKES} {{ response.sendRedirect("/page"); }}
          protected void doPut{TAKES} {{ Library.answer(response); }}
          protected void doDelete{TAKES} {{ response.getWriter().write("{{}}"); }}
        }}
        """,
    )
    order = "{id: integer(int64)}"
    assert found.responses("GET /w") == [f"(200) {order}", "400"]
    assert found.responses("POST /w") == [f"201 {order}"]
    assert found.responses("PUT /w") == [f"(200) {order}"]
    assert found.responses("DELETE /w") == ["(200) <the body is written in several pieces>"]
    assert found.responses("GET /helped") == [f"202 {order}"]
    assert found.responses("POST /helped") == ["409"]
    assert found.responses("PUT /helped") == [f"201 {order}", "…"]
    assert found.operation("GET /page").excluded_from_docs
    assert found.responses("POST /page") == ["302"]
    assert found.responses("PUT /page") == [
        "(200) <`answer` is given the response and may send anything>",
        "…",
    ]
    assert found.responses("DELETE /page") == ["(200) <the text that is returned is sent as it is>"]


def test_what_servlets_read(tmp_path: Path) -> None:
    found = project(
        tmp_path,
        f"""
        @WebServlet("/r") class Reads extends HttpServlet {{
          protected void doGet{TAKES} {{
            request.getParameter("page"); request.getHeader("X-Tenant"); }}
          protected void doPost{TAKES} {{
            request.getParameter("name");
            Order order = new ObjectMapper().readValue(request.getReader(), Order.class); }}
          protected void doPut{TAKES} {{ request.getInputStream().readAllBytes(); }}
        }}
        """,
    )
    text = "<the code reads it as text>"
    assert found.parameters("GET /r") == [f"query page~: {text}", f"header X-Tenant~: {text}"]
    assert found.parameters("POST /r") == ["…"]
    assert found.request("POST /r") == ["{id: integer(int64)}"]
    assert found.request("PUT /r") == ["<the body is read as text or bytes>"]


def test_servlets_that_tell_paths_apart(tmp_path: Path) -> None:
    found = project(
        tmp_path,
        f"""
        @WebServlet({{"/orders", "/orders/*"}}) class Orders extends HttpServlet {{
          ObjectMapper json;
          protected void doGet{TAKES} {{
            String path = request.getPathInfo();
            if (path == null || path.equals("/")) {{
              json.writeValue(response.getWriter(), List.of(new Order()));
              return;
            }}
            if (path.equals("/count")) {{
              response.setStatus(204);
              return;
            }}
            json.writeValue(response.getWriter(), new Order());
          }}
          protected void doDelete{TAKES} {{
            String[] parts = request.getRequestURI().split("/");
            if (parts.length < 3) {{ response.sendError(404); return; }}
            response.setStatus(204);
          }}
          protected void doPost{TAKES} {{
            if (request.getPathInfo() != null && request.getPathInfo().length() > 1) {{
              json.writeValue(response.getWriter(), new Order());
            }} else {{
              json.writeValue(response.getWriter(), List.of(new Order()));
            }}
          }}
          protected void doPut{TAKES} {{
            if (request.getPathInfo().split("/").length > 1) {{
              json.writeValue(response.getWriter(), new Order());
            }} else {{
              json.writeValue(response.getWriter(), List.of(new Order()));
            }}
          }}
        }}
        """,
    )
    order = "{id: integer(int64)}"
    assert found.routes() == [
        "DELETE /orders",
        "DELETE /orders/{path*}",
        "GET /orders",
        "GET /orders/count",
        "GET /orders/{path*}",
        "POST /orders",
        "POST /orders/{path*}",
        "PUT /orders",
        "PUT /orders/{path*}",
    ]
    assert found.responses("POST /orders") == [f"(200) [{order}]"]
    assert found.responses("POST /orders/{path*}") == [f"(200) {order}"]
    assert found.responses("GET /orders") == [f"(200) [{order}]"]
    assert found.responses("GET /orders/count") == ["204"]
    assert found.responses("GET /orders/{path*}") == [f"(200) {order}"]
    assert found.responses("DELETE /orders/{path*}") == ["204", "404"]
    assert found.responses("PUT /orders") == [
        "(200) <the handler tells paths below `/orders` apart itself>",
        "…",
    ]


@pytest.mark.parametrize("name", ["shop.Orders", "orders"])
def test_a_mapping_without_a_servlet_element_names_the_class_or_its_annotation(
    tmp_path: Path, name: str
) -> None:
    source = """package shop;
    import jakarta.servlet.annotation.WebServlet;
    import jakarta.servlet.http.*;
    @WebServlet(name = "orders") public class Orders extends HttpServlet {
      protected void doGet(HttpServletRequest request, HttpServletResponse response) {}
    }"""
    web_xml = f"""<web-app><servlet-mapping><servlet-name>{name}</servlet-name>
      <url-pattern>/orders</url-pattern></servlet-mapping></web-app>"""
    files = {"src/shop/Orders.java": source, "WebContent/WEB-INF/web.xml": web_xml}
    assert Project(tmp_path, files).routes() == ["GET /orders"]
