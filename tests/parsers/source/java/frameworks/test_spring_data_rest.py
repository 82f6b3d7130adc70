"""Spring Data REST: what it makes of repositories."""

from __future__ import annotations

from pathlib import Path

from tests.parsers.source.java.project import Project

POM = "<project><dependency>spring-boot-starter-data-rest</dependency></project>"
SOURCE = """package shop;
import org.springframework.data.repository.*;
import org.springframework.data.rest.core.annotation.*;
class Order { public long id; }
class OrderLine { public long id; }
class Person { public long id; }
@RepositoryRestResource(path = "purchases")
interface Orders extends CrudRepository<Order, Long> {
  @RestResource(exported = false) void deleteById(Long id);
}
@RepositoryRestResource interface Lines extends PagingAndSortingRepository<OrderLine, Long> {}
@RestResource interface People extends CrudRepository<Person, Long> {}
@RepositoryRestResource(exported = false)
interface Hidden extends CrudRepository<Order, Long> {}
interface Silent extends CrudRepository<OrderLine, Long> {}
interface NoRepository extends java.util.List<Order> {}
"""


def shown(project: Project) -> list[str]:
    return sorted(
        f"{o.method} {o.path}" + (f" ?{o.unresolved}" if o.unresolved else "")
        for o in project.code.operations
        if not o.excluded_from_docs
    )


def test_endpoints_of_repositories(tmp_path: Path) -> None:
    found = Project(
        tmp_path,
        {
            "pom.xml": POM,
            "src/main/java/shop/R.java": SOURCE,
            "src/main/resources/application.properties": "spring.data.rest.base-path=/api",
        },
    )
    plural = "the plural of `Person` is made by Spring Data REST"
    assert shown(found) == [
        f"DELETE /api/persons/{{id}} ?{plural}",
        "GET /api/orderLines",
        "GET /api/orderLines/{id}",
        f"GET /api/persons ?{plural}",
        f"GET /api/persons/{{id}} ?{plural}",
        "GET /api/purchases",
        "GET /api/purchases/{id}",
        f"PATCH /api/persons/{{id}} ?{plural}",
        "PATCH /api/purchases/{id}",
        f"POST /api/persons ?{plural}",
        "POST /api/purchases",
        f"PUT /api/persons/{{id}} ?{plural}",
        "PUT /api/purchases/{id}",
    ]
    assert found.responses("POST /api/purchases") == [
        "(201) application/hal+json "
        "<Spring Data REST writes the entity with links and embedded ones (HAL)>",
        "…",
    ]
    assert found.request("POST /api/purchases") == ["<Spring Data REST reads relations as links>"]


def test_base_path_that_code_sets(tmp_path: Path) -> None:
    source = """package shop;
        class Config implements RepositoryRestConfigurer {
          public void configureRepositoryRestConfiguration(RepositoryRestConfiguration config) {
            config.setBasePath("/rest"); } }
        """
    files = {"pom.xml": POM, "src/main/java/shop/R.java": SOURCE}
    found = Project(tmp_path / "set", {**files, "src/main/java/shop/Config.java": source})
    assert "GET /rest/purchases" in shown(found)
    hidden = {
        o.path for o in found.code.operations if o.handler == "Hidden" or o.excluded_from_docs
    }
    assert {"/rest", "/rest/profile", "/rest/profile/{path*}"} <= hidden
    computed = source.replace('"/rest"', "Library.base()")
    why = "the base path that code sets is not a constant"
    open_ = Project(tmp_path / "open", {**files, "src/main/java/shop/Config.java": computed})
    assert f"GET /{{computed}}/purchases ?{why}" in shown(open_)


def test_repositories_behind_interfaces_of_the_project(tmp_path: Path) -> None:
    source = """package shop;
        import org.springframework.data.repository.*;
        import org.springframework.data.rest.core.annotation.*;
        class Order { public long id; }
        @NoRepositoryBean interface Base<T> extends PagingAndSortingRepository<T, Long> {}
        """
    below = """package shop;
        import org.springframework.data.rest.core.annotation.*;
        @RepositoryRestResource interface Orders extends Base<Order> {}
        """
    files = {
        "pom.xml": POM,
        "src/main/java/shop/Base.java": source,
        "src/main/java/shop/Orders.java": below,
    }
    assert shown(Project(tmp_path, files)) == ["GET /orders", "GET /orders/{id}"]


def test_queries_and_relations_are_hidden(tmp_path: Path) -> None:
    found = Project(tmp_path, {"pom.xml": POM, "src/main/java/shop/R.java": SOURCE})
    hidden = [o for o in found.code.operations if o.excluded_from_docs]
    assert sorted(o.path for o in hidden if o.handler == "Orders") == [
        "/purchases/search",
        "/purchases/search/{path*}",
        "/purchases/{id}/{path*}",
    ]


def test_repositories_without_annotation_are_hidden(tmp_path: Path) -> None:
    found = Project(tmp_path, {"pom.xml": POM, "src/main/java/shop/R.java": SOURCE})
    assert {o.excluded_from_docs for o in found.code.operations if o.handler == "Silent"} == {True}


def test_modules_without_the_dependency_serve_nothing(tmp_path: Path) -> None:
    found = Project(tmp_path, {"pom.xml": "<project/>", "src/main/java/shop/R.java": SOURCE})
    assert shown(found) == []
