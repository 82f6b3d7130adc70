"""Null in the place of a number: Jackson 2 reads 0, Jackson 3 refuses it."""

from __future__ import annotations

from pathlib import Path

import pytest

from contract_scan.ir.schema import Object
from tests.parsers.source.java.project import Project

SOURCE = """package shop;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.web.bind.annotation.*;
@RestController class Orders { @PostMapping("/orders") void add(@RequestBody Order order) {} }
class Order { public int count; public Integer boxed; public String note; }
"""
BOOT = """<project><parent><artifactId>spring-boot-starter-parent</artifactId>
<version>{}.0.0</version></parent></project>"""
REFUSED = "spring.jackson.deserialization.fail-on-null-for-primitives={}"
BEAN = """package shop; import org.springframework.context.annotation.*;
import com.fasterxml.jackson.databind.*;
@Configuration class Config { @Bean ObjectMapper mapper() { return new ObjectMapper()
  .configure(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES, true); } }
"""


def taken(folder: Path, files: dict[str, str]) -> list[str]:
    """Fields that are read from null as well."""
    found = Project(folder, {"src/main/java/shop/Orders.java": SOURCE, **files})
    (operation,) = found.code.operations_with_answers
    (body,) = operation.request
    shape = found.program.types.flat(body.schema)
    assert isinstance(shape, Object)
    return [field.name for field in shape.fields if field.takes_null]


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({}, ["count"]),
        ({"pom.xml": BOOT.format(3)}, ["count"]),
        ({"pom.xml": BOOT.format(4)}, []),
        ({"src/main/resources/application.properties": REFUSED.format("true")}, []),
        ({"src/main/java/shop/Config.java": BEAN}, []),
        (
            {
                "pom.xml": BOOT.format(4),
                "src/main/resources/application.properties": REFUSED.format("false"),
            },
            ["count"],
        ),
    ],
    ids=["default", "boot 3", "boot 4", "setting", "mapper", "boot 4 told otherwise"],
)
def test_jackson(tmp_path: Path, files: dict[str, str], expected: list[str]) -> None:
    assert taken(tmp_path, files) == expected


def test_gson_leaves_what_is_null_as_it_is(tmp_path: Path) -> None:
    source = """package shop;
    import static spark.Spark.*; import com.google.gson.Gson;
    class Main { public static void main(String[] a) { post("/orders", (q, r) -> {
      Order order = new Gson().fromJson(q.body(), Order.class); r.status(204); return ""; }); } }
    class Order { int count; String note; }
    """
    assert taken(tmp_path, {"src/main/java/shop/Orders.java": source}) == ["count", "note"]
