"""Parameters that the project's own resolvers fill in."""

from __future__ import annotations

from pathlib import Path

import pytest

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


def test_what_resolvers_read_is_undetermined(tmp_path: Path) -> None:
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


CONVERTED = """package com.shop;
import com.fasterxml.jackson.annotation.*;
import java.util.*;
import org.springframework.core.convert.converter.*;
import org.springframework.web.bind.annotation.*;
enum Plain { ONE, TWO }
enum Status { OPEN("open"), DONE("done");
  private final String text;
  Status(String text) { this.text = text; }
  @JsonValue public String text() { return text; }
  @JsonCreator public static Status of(String text) { return OPEN; } }
%s
@RestController class C {
  @GetMapping("/x") void x(@RequestParam Plain plain, @RequestParam Status status,
    @RequestParam List<Status> all) {}
}
"""
TO_STATUS = (
    "class ToStatus implements Converter<String, Status> { public Status convert(String s) {"
)


@pytest.mark.parametrize(
    ("converters", "plain", "status"),
    [
        (f"{TO_STATUS} return Status.of(s); }} }}", "'ONE' 'TWO'", "'open' 'done'"),
        (
            f"{TO_STATUS} return Status.valueOf(s.trim()); }} }}",
            "'ONE' 'TWO'",
            "<`Status` is read by a converter>",
        ),
        (
            "class B { @Bean Converter<String, Status> c() { return s -> Status.of(s); } }",
            "'ONE' 'TWO'",
            "'open' 'done'",
        ),
        (
            "class B { void add(FormatterRegistry r) {"
            " r.addConverter(String.class, Status.class, Status::of); } }",
            "'ONE' 'TWO'",
            "'open' 'done'",
        ),
        (
            "class F implements ConverterFactory<String, Enum> {"
            " public Converter getConverter(Class type) { return null; } }",
            "<`Plain` is read by a converter>",
            "<`Status` is read by a converter>",
        ),
    ],
    ids=["class", "otherwise", "bean", "registered", "factory"],
)
def test_enums_that_converters_read(
    tmp_path: Path, converters: str, plain: str, status: str
) -> None:
    found = Project(tmp_path, {"src/main/java/com/shop/C.java": CONVERTED % converters})
    assert found.parameters("GET /x") == [
        f"query plain: {plain}",
        f"query status: {status}",
        f"query all: [{status}]",
    ]


@pytest.mark.parametrize("of_a_store", ["", f"@ReadingConverter {TO_STATUS} return null; }} }}"])
def test_enums_that_no_converter_reads_have_their_names(tmp_path: Path, of_a_store: str) -> None:
    found = Project(tmp_path, {"src/main/java/com/shop/C.java": CONVERTED % of_a_store})
    assert found.parameters("GET /x")[1] == "query status: 'OPEN' 'DONE'"


def test_what_the_framework_fills_in_is_named(tmp_path: Path) -> None:
    spring = """
    import java.security.Principal;
    @RestController class D {
      @GetMapping("/spring") void all(Principal who, HttpServletRequest request,
        @CurrentUser Other user, Login login, @RequestParam int n, Filter filter) {}
    }
    """
    jaxrs = """package com.shop; import jakarta.ws.rs.*; import jakarta.ws.rs.container.*;
    import jakarta.ws.rs.core.*; import io.dropwizard.auth.Auth;
    @Path("/jaxrs") public class R {
      @POST public void add(@Auth Account account, @Context UriInfo info,
        @Suspended AsyncResponse later, SecurityContext security, Order order) {}
    }
    class Account {} class Order {}
    """
    files = {
        "src/main/java/com/shop/C.java": SOURCE + spring,
        "src/main/java/com/shop/R.java": jaxrs,
    }
    found = Project(tmp_path, files)
    assert {
        o.path: o.framework_injected for o in found.code.operations if o.framework_injected
    } == {
        "/login": ("Login",),
        "/other": ("Other",),
        "/spring": ("Principal", "HttpServletRequest", "Other", "Login"),
        "/jaxrs": ("Account", "UriInfo", "AsyncResponse", "SecurityContext"),
    }
