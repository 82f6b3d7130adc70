"""Servlet filters: the paths that they answer themselves."""

from __future__ import annotations

from pathlib import Path

from tests.parsers.source.java.project import Project

HEAD = """package shop;
import com.fasterxml.jackson.databind.ObjectMapper;
import jakarta.servlet.*;
import jakarta.servlet.http.*;
import org.springframework.security.web.util.matcher.*;
import org.springframework.web.filter.OncePerRequestFilter;
class Status { public String state; }
class Login { public String name; }
"""
TAKES = "(HttpServletRequest request, HttpServletResponse response, FilterChain chain)"


def answered(folder: Path, body: str, members: str = "") -> Project:
    """A filter that does this."""
    source = f"""
        class F extends OncePerRequestFilter {{
          ObjectMapper json; {members}
          protected void doFilterInternal{TAKES} {{ {body} }}
        }}
        """
    return Project(folder, {"src/main/java/shop/F.java": HEAD + source})


def test_a_path_that_is_compared(tmp_path: Path) -> None:
    found = answered(
        tmp_path,
        """
        String path = request.getRequestURI();
        if (path.equals("/status") && "GET".equals(request.getMethod())) {
          json.writeValue(response.getWriter(), new Status());
          return;
        }
        chain.doFilter(request, response);
        """,
    )
    assert found.routes() == ["GET /status"]
    assert found.operation("GET /status").excluded_from_docs
    assert found.responses("GET /status") == ["(200) {state: string|null}", "…"]


def test_all_other_paths_go_on_first(tmp_path: Path) -> None:
    found = answered(
        tmp_path,
        """
        if (!"/login".equals(request.getServletPath()) || !request.getMethod().equals("POST")) {
          chain.doFilter(request, response);
          return;
        }
        Login login = json.readValue(request.getInputStream(), Login.class);
        response.setStatus(204);
        """,
    )
    assert found.routes() == ["POST /login"]
    assert found.request("POST /login") == ["{name: string~}"]
    assert found.responses("POST /login") == ["204", "…"]


def test_ladders_switches_and_matchers(tmp_path: Path) -> None:
    ladder = answered(
        tmp_path / "ladder",
        """
        String path = request.getServletPath();
        if (path.equals("/a")) { response.setStatus(200); }
        else if (path.equals("/b") || path.equals("/c")) { response.sendRedirect("/d"); }
        else if (path.startsWith("/files/")) { response.getWriter().write("x"); }
        else { chain.doFilter(request, response); }
        """,
    )
    assert ladder.routes() == ["* /a", "* /b", "* /c", "* /files/{path*}"]
    switch = answered(
        tmp_path / "switch",
        """
        switch (request.getRequestURI()) {
          case "/a": response.setStatus(200); return;
          case "/b": case "/c": response.setStatus(202); return;
          default: chain.doFilter(request, response);
        }
        """,
    )
    assert switch.routes() == ["* /a", "* /b", "* /c"]
    matcher = answered(
        tmp_path / "matcher",
        """
        if (matcher.matches(request)) { response.setStatus(201); return; }
        chain.doFilter(request, response);
        """,
        'RequestMatcher matcher = new AntPathRequestMatcher("/m/*", "PUT");',
    )
    assert matcher.routes() == ["PUT /m/{any}"]


def test_filters_that_only_guard_or_let_go_on(tmp_path: Path) -> None:
    found = answered(
        tmp_path,
        """
        String path = request.getRequestURI();
        if (path.equals("/open")) { chain.doFilter(request, response); return; }
        if (path.startsWith("/api") && request.getHeader("Authorization") == null) {
          response.sendError(401);
          return;
        }
        if (path.startsWith("/admin")) {
          response.setStatus(403);
          response.getWriter().write("{}");
          return;
        }
        response.setHeader("X-Seen", "yes");
        chain.doFilter(request, response);
        """,
    )
    assert found.routes() == []


def test_what_is_given_to_others(tmp_path: Path) -> None:
    found = answered(
        tmp_path,
        """
        if (request.getRequestURI().equals("/proxy")) { Library.answer(response); return; }
        chain.doFilter(request, response);
        """,
    )
    assert found.routes() == ["* /proxy"]
    assert found.responses("* /proxy") == [
        "(200) <`answer` is given the response and may send anything>",
        "…",
    ]


def test_filters_of_the_servlet_api(tmp_path: Path) -> None:
    source = """
        class F implements Filter {
          public void doFilter(ServletRequest req, ServletResponse res, FilterChain chain) {
            HttpServletRequest request = (HttpServletRequest) req;
            HttpServletResponse response = (HttpServletResponse) res;
            if (request.getRequestURI().endsWith("/ping")) {
              response.setStatus(200);
              return;
            }
            chain.doFilter(req, res);
          }
        }
        """
    found = Project(tmp_path, {"src/main/java/shop/F.java": HEAD + source})
    assert found.routes() == ["* /ping"]
