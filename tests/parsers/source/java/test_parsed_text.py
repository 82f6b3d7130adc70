"""Texts of requests that handlers parse: what the parser takes is the type of the parameter."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.parsers.source.java.project import Project

TEXT = "<the code reads it as text>"
HEAD = """package lock;
import io.javalin.Javalin;
import java.time.*;
import java.util.*;
import java.math.BigDecimal;
public class Locks {
  enum Side { LEFT, RIGHT }
  static int number(String text) { return Integer.parseInt(text); }
  static int lenient(String text) {
    try { return Integer.parseInt(text); } catch (NumberFormatException e) { return 0; } }
  public static void main(String[] args) {
    Javalin app = Javalin.create();
    app.get("/locks/{id}", ctx -> {
"""


def read(folder: Path, body: str) -> str:
    source = f"{HEAD}{body}\n    }});\n  }}\n}}"
    found = Project(folder, {"src/main/java/lock/Locks.java": source})
    (shown,) = found.parameters("GET /locks/{id}")[:1]
    return shown.removeprefix("path id: ")


ID = 'ctx.pathParam("id")'


@pytest.mark.parametrize(
    ("body", "shape"),
    [
        (f"int id = Integer.parseInt({ID});", "integer(int32)"),
        (f"ctx.json(Long.valueOf({ID}));", "integer(int64)"),
        (f"String text = {ID}; UUID id = UUID.fromString(text);", "string(uuid)"),
        (f"LocalDate day = LocalDate.parse({ID});", "string(date)"),
        (f"var sum = new BigDecimal({ID});", "number"),
        (f"Side side = Side.valueOf({ID});", "'LEFT' 'RIGHT'"),
        (f"boolean open = Boolean.parseBoolean({ID});", "boolean"),
        (f"int id = number({ID});", "integer(int32)"),
        (f"String s = {ID}; if (s != null) {{ ctx.json(Integer.parseInt(s)); }}", "integer(int32)"),
        (f"String s = {ID}; Integer n = s == null ? null : Integer.valueOf(s);", "integer(int32)"),
        (
            f"try {{ ctx.json(Integer.parseInt({ID})); }} "
            "catch (Exception e) { ctx.status(400); }",
            "integer(int32)",
        ),
    ],
)
def test_what_is_always_parsed_is_of_that_type(tmp_path: Path, body: str, shape: str) -> None:
    assert read(tmp_path, body) == shape


@pytest.mark.parametrize(
    "body",
    [
        f"ctx.result({ID});",
        f'String s = {ID}; if (s.startsWith("n")) {{ ctx.json(Integer.parseInt(s.strip())); }}',
        f"String s = {ID}; if (s.length() < 4) {{ ctx.json(Integer.parseInt(s)); }} ctx.result(s);",
        f"int n = 1; try {{ n = Integer.parseInt({ID}); }} catch (Exception e) {{ n = 2; }} "
        "ctx.json(n);",
        f"Runnable later = () -> Integer.parseInt({ID});",
        f"int n = lenient({ID}) + 1; ctx.json(n);",
        f"String s = {ID}; s = s.trim(); int n = Integer.parseInt(s);",
        f"String s = {ID}; int n = Integer.parseInt(s); UUID id = UUID.fromString(s);",
    ],
)
def test_what_may_stay_a_text_is_of_no_known_type(tmp_path: Path, body: str) -> None:
    assert read(tmp_path, body) == TEXT


def test_parameters_of_the_query_and_their_defaults(tmp_path: Path) -> None:
    source = """package lock;
    import static spark.Spark.*;
    public class Locks { public static void main(String[] args) {
      get("/locks", (request, response) -> {
        int page = Integer.parseInt(request.queryParams("page"));
        int size = Integer.parseInt(request.queryParamOrDefault("size", "10"));
        return request.queryParams("sort");
      });
    } }"""
    found = Project(tmp_path, {"src/main/java/lock/Locks.java": source})
    assert found.parameters("GET /locks") == [
        "query page~: integer(int32)",
        "query size~=: integer(int32)",
        f"query sort~: {TEXT}",
    ]
