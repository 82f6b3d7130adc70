"""Where the mapper that a web framework writes with is configured, and what it is told."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.parsers.source.java.project import Project

RESOURCE = """package shop;
import javax.ws.rs.*;
import javax.ws.rs.ext.ContextResolver;
import com.fasterxml.jackson.annotation.*;
import com.fasterxml.jackson.databind.*;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.util.*;
class Order { public Date at; public String orderName; public Kind kind; }
enum Kind { NEW_ONE }
@Path("/x") public class R {
  @GET public Order get() { return null; }
  @POST public void add(Order order) {}
}
"""


def sent(folder: Path, config: str) -> list[str]:
    return Project(folder, {"src/main/java/shop/R.java": RESOURCE + config}).responses("GET /x")


RESOLVER = """class Mappers implements ContextResolver<ObjectMapper> {
  %s
  public ObjectMapper getContext(Class<?> type) { return %s; }
}"""
MADE = "new ObjectMapper().setPropertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)"


@pytest.mark.parametrize(
    "config",
    [
        RESOLVER % (f"static final ObjectMapper MAPPER = {MADE};", "MAPPER"),
        RESOLVER
        % (
            f"static class Holder {{ static final ObjectMapper INSTANCE = {MADE}; }}",
            "Holder.INSTANCE",
        ),
        RESOLVER % ("", "Json.mapper()")
        + """class Json { static ObjectMapper mapper() {
          ObjectMapper made = new ObjectMapper(); named(made); return made; }
          private static void named(ObjectMapper it) {
            it.setPropertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE); } }""",
        RESOLVER % ("", "new ShopMapper()")
        + """class ShopMapper extends ObjectMapper {
          ShopMapper() { setPropertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE); } }""",
    ],
    ids=["field", "holder", "functions", "class"],
)
def test_mappers_that_are_made_elsewhere(tmp_path: Path, config: str) -> None:
    assert sent(tmp_path, config) == ["(200) {at: integer~, order_name: string~, kind: 'NEW_ONE'~}"]


def test_resolvers_of_other_things_do_not_count(tmp_path: Path) -> None:
    config = (RESOLVER % ("", MADE)).replace("ContextResolver<ObjectMapper>", "ContextResolver<X>")
    (found,) = sent(tmp_path, config)
    assert "orderName" in found


def test_enums_in_small_letters(tmp_path: Path) -> None:
    made = (
        "JsonMapper.builder().configure(EnumFeature.WRITE_ENUMS_TO_LOWERCASE, true)"
        ".enable(MapperFeature.ACCEPT_CASE_INSENSITIVE_ENUMS).build()"
        ".disable(SerializationFeature.WRITE_DATES_AS_TIMESTAMPS)"
    )
    found = Project(tmp_path, {"src/main/java/shop/R.java": RESOURCE + RESOLVER % ("", made)})
    assert found.responses("GET /x") == [
        "(200) {at: string(date-time)~, orderName: string~, kind: 'new_one'~}"
    ]
    assert found.request("POST /x") == [
        "{at: (string(date-time) | number)~, orderName: string~, kind: 'new_one'~, *: nothing}"
    ]


def test_dropwizard_writes_dates_as_numbers(tmp_path: Path) -> None:
    config = "class App extends io.dropwizard.Application<C> {"
    assert sent(tmp_path, config + "}") == [
        "(200) {at: integer~, orderName: string~, kind: 'NEW_ONE'~}"
    ]
    told = "void initialize(Bootstrap b) { b.setObjectMapper(Own.M); } } class Own { "
    own = "static ObjectMapper M = new ObjectMapper()"
    off = ".disable(SerializationFeature.WRITE_DATES_AS_TIMESTAMPS); }"
    (tmp_path / "told").mkdir()
    assert sent(tmp_path / "told", config + told + own + off) == [
        "(200) {at: string(date-time)~, orderName: string~, kind: 'NEW_ONE'~}"
    ]
