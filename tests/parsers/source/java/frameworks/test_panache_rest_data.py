"""Quarkus REST Data with Panache: what a build makes of resource interfaces."""

from __future__ import annotations

from pathlib import Path

from tests.parsers.source.java.project import Project

HEAD = """package shop;
import io.quarkus.hibernate.orm.rest.data.panache.*;
import io.quarkus.rest.data.panache.*;
import java.util.List;
class OrderLine { public Long id; public String name; }
"""


def project(folder: Path, source: str, settings: str = "") -> Project:
    files = {
        "src/main/java/shop/R.java": HEAD + source,
        "src/main/resources/application.properties": settings,
    }
    return Project(folder, files)


def test_endpoints_of_resources(tmp_path: Path) -> None:
    found = project(
        tmp_path,
        """
        interface OrderLinesResource extends PanacheEntityResource<OrderLine, Long> {}
        interface Repository {}
        """,
    )
    assert found.routes() == [
        "DELETE /order-lines/{id}",
        "GET /order-lines",
        "GET /order-lines/count",
        "GET /order-lines/{id}",
        "POST /order-lines",
        "PUT /order-lines/{id}",
    ]
    line = "{id: integer(int64)~, name: string~}"
    assert found.responses("GET /order-lines") == [f"(200) [{line}]", "…"]
    assert found.parameters("GET /order-lines") == [
        "query sort?: [string]",
        "query page?=: integer(int32)",
        "query size?=: integer(int32)",
        "…",
    ]
    assert found.responses("GET /order-lines/{id}") == [f"(200) {line}", "(404)", "…"]
    assert found.responses("POST /order-lines") == [f"(201) {line}", "…"]
    assert found.responses("PUT /order-lines/{id}") == [f"(201) {line}", "(204)", "…"]
    assert found.responses("DELETE /order-lines/{id}") == ["(204)", "(404)", "…"]
    assert found.operation("GET /order-lines/count").excluded_from_docs


def test_properties(tmp_path: Path) -> None:
    found = project(
        tmp_path,
        """
        class Lines {}
        @ResourceProperties(path = "lines", paged = false)
        interface Resource extends PanacheRepositoryResource<Lines, OrderLine, Long> {
          @MethodProperties(path = "all") List<OrderLine> list(Page page, Sort sort);
          @MethodProperties(exposed = false) boolean delete(Long id);
          @MethodProperties(exposed = false) long count();
        }
        @ResourceProperties(exposed = false)
        interface Hidden extends PanacheEntityResource<OrderLine, Long> {}
        """,
        "quarkus.rest.path=/api",
    )
    assert found.routes() == [
        "GET /api/lines/all",
        "GET /api/lines/{id}",
        "POST /api/lines",
        "PUT /api/lines/{id}",
    ]
    assert found.parameters("GET /api/lines/all") == ["query sort?: [string]", "…"]


def test_what_is_undetermined(tmp_path: Path) -> None:
    found = project(
        tmp_path,
        """
        @ResourceProperties(path = Library.PATH)
        interface Lines extends PanacheEntityResource<OrderLine, Long> {
          @MethodProperties(exposed = false) long count();
          @MethodProperties(exposed = false) boolean delete(Long id);
          @MethodProperties(exposed = false) OrderLine update(Long id, OrderLine line);
          @MethodProperties(exposed = false) OrderLine add(OrderLine line);
          @MethodProperties(exposed = false) OrderLine get(Long id); }
        """,
    )
    assert found.routes() == ["GET /lines ?the path of the resource is not a constant"]
