"""Advice on bodies: what it makes of what handlers send, and for which handlers."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.parsers.source.java.project import Project

HEAD = """package shop.api;
import java.util.*;
import org.springframework.web.bind.annotation.*;
import org.springframework.http.*;
import org.springframework.web.servlet.mvc.method.annotation.ResponseBodyAdvice;
class Order { public long id; }
class Marked { public int marked; }
class Result<T> {
  public int code; public T data;
  static <T> Result<T> ok(T data) {
    Result<T> made = new Result<>(); made.data = data; return made;
  }
}
@interface Plain {}
@RestController class C {
  @GetMapping("/order") Order order() { return orders.one(); }
  @GetMapping("/list") ResponseEntity<List<Order>> list() {
    return ResponseEntity.ok(orders.all());
  }
  @GetMapping("/text") String text() { return "done"; }
  @GetMapping("/wrapped") Result<Order> wrapped() { return Result.ok(orders.one()); }
  @GetMapping("/plain") @Plain Order plain() { return orders.one(); }
  @DeleteMapping("/gone") @ResponseStatus(HttpStatus.NO_CONTENT) void gone() {}
  @PostMapping("/nothing") void nothing() {}
}
"""
ORDER = "{id: integer(int64)}"
WRAPPED = "(200) {code: integer(int32), data: %s}"


def sent(
    folder: Path, supports: str, writes: str, selectors: str = "", annotation: str = ""
) -> dict[str, list[str]]:
    marked = annotation or f"@RestControllerAdvice{selectors}"
    advice = f"""
        {marked} class Envelope implements ResponseBodyAdvice<Object> {{
          private ObjectMapper mapper;
          public boolean supports(MethodParameter method,
              Class<? extends HttpMessageConverter<?>> converter) {{ {supports} }}
          public Object beforeBodyWrite(Object body, MethodParameter method, MediaType media,
              Class<? extends HttpMessageConverter<?>> converter, ServerHttpRequest request,
              ServerHttpResponse response) {{ {writes} }}
        }}
        """
    found = Project(folder, {"src/main/java/shop/api/C.java": HEAD + advice})
    return {o.path: found.responses(f"{o.method} {o.path}") for o in found.code.operations}


def test_the_usual_envelope(tmp_path: Path) -> None:
    writes = """
        if (body instanceof Result) { return body; }
        if (body instanceof String) { return mapper.writeValueAsString(Result.ok(body)); }
        return Result.ok(body);
        """
    assert sent(tmp_path, "return true;", writes) == {
        "/order": [WRAPPED % ORDER],
        "/list": [f"200 {{code: integer(int32), data: [{ORDER}]}}"],
        "/text": [WRAPPED % "string"],
        "/wrapped": [WRAPPED % f"{ORDER}~"],
        "/plain": [WRAPPED % ORDER],
        "/gone": ["204"],
        "/nothing": [WRAPPED % "<nothing is given to the envelope>~"],
    }


@pytest.mark.parametrize(
    ("supports", "wrapped"),
    [
        ("return !method.hasMethodAnnotation(Plain.class);", "/order /list /text /wrapped"),
        ("return method.getMethodAnnotation(Plain.class) != null;", "/plain"),
        (
            "return AnnotatedElementUtils.hasAnnotation(method.getContainingClass(), "
            "RestController.class) && !method.getParameterType().equals(String.class);",
            "/order /list /wrapped /plain",
        ),
        (
            "boolean done = method.getParameterType() == Result.class; return !done;",
            "/order /list /text /plain",
        ),
        (
            "return MappingJackson2HttpMessageConverter.class.isAssignableFrom(converter);",
            "/order /list /wrapped /plain",
        ),
        (
            "if (StringHttpMessageConverter.class == converter) return false; "
            'return method.getContainingClass().getPackage().getName().startsWith("shop");',
            "/order /list /wrapped /plain",
        ),
        ("return Result.class.isAssignableFrom(method.getParameterType());", "/wrapped"),
    ],
)
def test_for_which_handlers_it_is(tmp_path: Path, supports: str, wrapped: str) -> None:
    found = sent(tmp_path, supports, "return new Marked();")
    marked = {path for path, (response, *_) in found.items() if "marked" in response}
    assert marked - {"/nothing"} == set(wrapped.split())


@pytest.mark.parametrize(
    ("selectors", "is_for"),
    [
        ('("shop")', True),
        ('(basePackages = {"shop.api", "other"})', True),
        ('(basePackages = "sho")', False),
        ("(basePackageClasses = Order.class)", True),
        ("(assignableTypes = C.class)", True),
        ("(assignableTypes = Order.class)", False),
        ("(annotations = RestController.class)", True),
        ("(annotations = Plain.class)", False),
    ],
)
def test_selectors(tmp_path: Path, selectors: str, is_for: bool) -> None:
    found = sent(tmp_path, "return true;", "return Result.ok(body);", selectors)
    assert found["/order"] == ([WRAPPED % ORDER] if is_for else [f"(200) {ORDER}"])


def test_a_class_without_the_annotation_is_not_asked(tmp_path: Path) -> None:
    found = sent(tmp_path, "return true;", "return Result.ok(body);", annotation="@Component")
    assert found["/order"] == [f"(200) {ORDER}"]


def test_paths_statuses_and_conditional_expressions(tmp_path: Path) -> None:
    writes = """
        String path = request.getURI().getPath();
        if (path.startsWith("/order")) return body;
        HttpStatus status = HttpStatus.resolve(response.getStatus());
        if (!status.is2xxSuccessful()) return body;
        Object made = null;
        try { made = body instanceof Result ? body : Result.ok(body); } catch (Exception e) {}
        return body instanceof Result<?> done ? done : Result.ok(body);
        """
    found = sent(tmp_path, "return true;", writes)
    assert found["/order"] == [f"(200) {ORDER}"]
    assert found["/plain"] == [WRAPPED % ORDER]


def test_what_is_undetermined(tmp_path: Path) -> None:
    why = "whether and how `Envelope` wraps the body is undetermined"
    (tmp_path / "supports").mkdir()
    found = sent(tmp_path / "supports", "return settings.isOn();", "return Result.ok(body);")
    assert found["/order"] == [f"(200) <{why}>"]
    (tmp_path / "writes").mkdir()
    writes = "if (on) { return body; } return Result.ok(body);"
    found = sent(tmp_path / "writes", "return true;", writes)
    assert found["/list"] == [f"200 <{why}>"]
    assert found["/gone"] == ["204"]


def test_an_advice_that_gives_back_what_it_is_given(tmp_path: Path) -> None:
    found = sent(tmp_path, "return settings.isOn();", "log.info(body); return body;")
    assert found["/order"] == [f"(200) {ORDER}"]
