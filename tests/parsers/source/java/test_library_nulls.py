"""Expressions of the JDK that are never null, and others beside them that may be."""

from __future__ import annotations

from pathlib import Path

import pytest

from contract_scan.parsers.source.analysis.typing.object_shapes import is_never_null
from contract_scan.parsers.source.facts.nodes import Assign
from contract_scan.parsers.source.java.library_calls.nulls import library_null
from tests.parsers.source.java.project import Project

SOURCE = """package p;
import java.math.*;
import java.net.URI;
import java.sql.Timestamp;
import java.time.*;
import java.time.temporal.ChronoUnit;
import java.util.*;
import java.util.stream.*;
class C {
  void m(String x, List<String> l, BigDecimal b, LocalDateTime t, Instant i, Date d, URI u,
      Map<String, String> map, Object o) {
    Object made = %s;
  }
}"""
PATH = "src/main/java/p/C.java"


def never_null(folder: Path, expression: str) -> bool:
    program = Project(folder, {PATH: SOURCE % expression}).program
    file = program.facts(PATH)
    (owner,) = program.classes(file)
    (method,) = owner.decl.methods
    scope = program.function_scope(method, program.class_scope(owner))
    (made,) = program.body(method, file)
    assert isinstance(made, Assign)
    return is_never_null(program, program.evaluate(made.value, scope))


@pytest.mark.parametrize(
    "expression",
    [
        "Instant.now()",
        "LocalDateTime.now().plusDays(1).atOffset(ZoneOffset.UTC)",
        "t.plusDays(1)",
        "i.atOffset(ZoneOffset.UTC)",
        "Duration.ofSeconds(1)",
        "ChronoUnit.DAYS.between(t, t)",
        "UUID.randomUUID()",
        "BigDecimal.ONE",
        "b.add(b).setScale(2)",
        'x.split(",")',
        "Long.parseLong(x)",
        "Boolean.TRUE",
        "Math.max(1, 2)",
        "Date.from(i)",
        "Timestamp.valueOf(t)",
        "d.toInstant()",
        "URI.create(x)",
        "Optional.of(x)",
        'Optional.ofNullable(x).orElse("a")',
        'Optional.ofNullable(x).map(String::trim).orElseGet(() -> "a")',
        "Optional.ofNullable(x).orElseThrow()",
        "l.stream().findFirst().orElseThrow()",
        "l.stream().map(String::trim).toList()",
        "l.toArray(new String[0])",
        "Objects.requireNonNull(x)",
        'Objects.requireNonNullElse(x, "a")',
        "Objects.toString(o)",
        'Objects.toString(o, "a")',
    ],
)
def test_never_null(tmp_path: Path, expression: str) -> None:
    assert never_null(tmp_path, expression)


@pytest.mark.parametrize(
    "expression",
    [
        "x",
        "l.get(0)",
        'map.get("a")',
        'map.getOrDefault("a", x)',
        "List.of(x).get(0)",
        "u.getHost()",
        "t.query(null)",
        'Integer.getInteger("a")',
        'System.getenv("A")',
        "Optional.ofNullable(x).orElse(null)",
        "Optional.ofNullable(x).orElse(x)",
        "Optional.ofNullable(x).orElseGet(() -> null)",
        "Objects.requireNonNullElse(x, x)",
        "Objects.toString(o, null)",
        "Objects.toString(o, x)",
        'x.isEmpty() ? x : "a"',
    ],
)
def test_may_be_null(tmp_path: Path, expression: str) -> None:
    assert not never_null(tmp_path, expression)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("java.time.Instant.now", True),
        ("Instant.now().plus", True),
        ("org.joda.time.Instant.now", False),
        ("java.time.Instant", False),
        ("java.sql.Date.valueOf", True),
        ("java.util.Date.valueOf", False),
        ("java.util.Date.from().toString", False),
        ("", False),
    ],
)
def test_names(name: str, expected: bool) -> None:
    assert (library_null(name) is False) is expected
