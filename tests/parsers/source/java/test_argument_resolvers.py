"""Parameters that the project's own resolvers fill in."""

from __future__ import annotations

from pathlib import Path

from tests.parsers.source.java.project import Project

SOURCE = """package com.shop;
import org.springframework.core.MethodParameter;
import org.springframework.web.bind.annotation.*;
import org.springframework.web.method.support.*;
class Pageable { public int from; public int count; }
class Login { public String name; }
class Filter { public String text; }
class PageResolver implements HandlerMethodArgumentResolver {
  public boolean supportsParameter(MethodParameter p) {
    Class<?> type = p.getParameterType();
    return Login.class.isAssignableFrom(type) || type == Other.class;
  }
  public Object resolveArgument(MethodParameter p) { return Filter.class; }
}
class Other {}
@RestController class C {
  @GetMapping("/own") void own(Pageable page) {}
  @GetMapping("/login") void login(Login login, @RequestParam int n) {}
  @GetMapping("/other") void other(Other other) {}
  @GetMapping("/filter") void filter(Filter filter) {}
}
"""


def test_what_resolvers_read_is_not_told(tmp_path: Path) -> None:
    found = Project(tmp_path, {"src/main/java/com/shop/C.java": SOURCE})
    assert {
        o.path: ([p.name for p in o.parameters], o.parameters_complete)
        for o in found.code.operations
    } == {
        "/own": (["from", "count"], True),
        "/login": (["n"], False),
        "/other": ([], False),
        "/filter": (["text"], True),
    }


def test_dates_arrive_as_text_however_the_mapper_writes_them(tmp_path: Path) -> None:
    source = """package com.shop;
    import java.time.*;
    import java.util.*;
    import org.springframework.web.bind.annotation.*;
    class Config { @org.springframework.context.annotation.Bean
      com.fasterxml.jackson.databind.ObjectMapper m() {
        return new com.fasterxml.jackson.databind.ObjectMapper(); } }
    @RestController class C {
      @GetMapping("/x/{day}") void x(@PathVariable LocalDate day, @RequestParam Instant at,
        @RequestParam List<LocalDate> days, @RequestParam Optional<OffsetDateTime> until,
        @RequestParam List<Integer> numbers) {}
    }
    """
    found = Project(tmp_path, {"src/main/java/com/shop/C.java": source})
    (operation,) = found.code.operations
    assert [found.parameter(p) for p in operation.parameters] == [
        "path day: string(date)",
        "query at: string(date-time)",
        "query days: [string(date)]",
        "query until?: string(date-time)",
        "query numbers: [integer(int32)]",
    ]
