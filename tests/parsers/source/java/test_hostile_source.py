"""No source, however broken, makes the front end raise; what can be read is read."""

from __future__ import annotations

import re

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from contract_scan.ir.origin import Span
from contract_scan.parsers.source.facts.nodes import FileFacts
from contract_scan.parsers.source.java.lowering.lower import lower, lower_body
from tests.parsers.source.java.show import show, show_class

SNIPPET = b"""package a.b;
import static c.D.*;
@RestController @RequestMapping({"/x", P + "/y"})
public sealed class A<T extends B & C> extends D<T> implements E permits F {
  private @Nullable List<? super T>[] items = new ArrayList<>() {{ add(1); }};
  @PostMapping(value = "/z", consumes = {"a", "b"}) public <R> Mono<R> f(@RequestBody @Valid T t) {
    for (var i : items) { try (X x = y()) { send("t", (Object) t); } catch (E | F e) { throw e; } }
    return switch (t) { case G(var h) when h > 1 -> h; default -> { yield "\\u00e9" + 'c'; } };
  }
  enum H { I("j") { void k() {} }; H(String s) { this.s = s; } } record L(int m) {} @interface N {}
}
"""


def survives(content: bytes) -> FileFacts:
    facts = lower(content, "A.java", re.compile(b""))
    encoded = msgspec.json.encode(facts)
    assert msgspec.json.decode(encoded, type=FileFacts) == facts
    for declaration in facts.classes:
        for method in declaration.methods:
            lower_body(content, "A.java", method.span)
    return facts


@given(st.binary(max_size=300))
def test_arbitrary_bytes(content: bytes) -> None:
    survives(content)


@given(st.integers(0, len(SNIPPET)), st.integers(0, len(SNIPPET)))
def test_snippets_with_a_stretch_cut_out(start: int, end: int) -> None:
    survives(SNIPPET[:start] + SNIPPET[max(start, end) :])


@given(
    st.integers(0, len(SNIPPET) - 1), st.sampled_from([b"{", b")", b'"', b"\x00", b"\xff", b"@"])
)
def test_snippets_with_a_stray_byte(place: int, stray: bytes) -> None:
    survives(SNIPPET[:place] + stray + SNIPPET[place + 1 :])


@pytest.mark.parametrize(
    "expression",
    [
        "(" * 10_000 + "a" + ")" * 10_000,
        "a" + "+a" * 20_000,
        '"a"' + "+a" * 20_000,
        "!" * 10_000 + "a",
        "a" + ".b()" * 10_000,
        "f(" * 5_000 + ")" * 5_000,
        "x -> " * 3_000 + "x",
        "a ? " * 3_000 + "b" + ": c" * 3_000,
        "new A() {{ put(1, " * 500 + "1" + "); }}" * 500,
        "{" * 5_000,
    ],
)
def test_hostile_nesting(expression: str) -> None:
    facts = survives(f"class A {{ int before; Object f() {{ return {expression}; }} }}".encode())
    assert [member.name for c in facts.classes for member in c.members] in (["before"], [])


def test_nesting_beyond_the_limit_is_opaque() -> None:
    source = f"class A {{ Object x = {'f(' * 200}{')' * 200}, y = a{'.b()' * 101}; }}"
    values = [show(m.value) for m in lower(source.encode(), "A.java").classes[0].members]
    assert values[0].count("f(") == 101
    assert "?nested too deeply?" in values[0]
    assert values[1] == "?nested too deeply?"


def test_deep_classes_and_statements() -> None:
    survives(b"class A { " * 3_000 + b"int x;" + b"}" * 3_000)
    survives(b"class A { void f() { " + b"if (a) { " * 3_000 + b"}" * 3_000 + b"} }")
    survives(b"class A { " + b"List<" * 3_000 + b"X" + b">" * 3_000 + b" x; }")
    survives(b"class A { @A(" + b"@A(" * 3_000 + b")" * 3_000 + b") int x; }")
    survives(b"class A { int" + b"[]" * 3_000 + b" x; }")


def test_long_ladder_of_ifs() -> None:
    ladder = "else ".join(f"if (a{i}) f{i}(); " for i in range(1_000))
    facts = survives(f"class A {{ void f() {{ {ladder} }} }}".encode())
    (method,) = facts.classes[0].methods
    assert len(method.body or ()) == 1


@pytest.mark.parametrize("mark", [b"\xff\xfe", b"\xfe\xff"])
def test_utf16_is_named_as_an_error(mark: bytes) -> None:
    content = mark + "class A {}".encode("utf-16-le" if mark == b"\xff\xfe" else "utf-16-be")
    assert survives(content) == FileFacts(
        path="A.java", language="java", errors=(Span(1, 1, 1, 2),)
    )


def test_utf16_without_a_mark_is_named_as_an_error() -> None:
    content = ("class A { String name; }" * 20).encode("utf-16-le")
    assert survives(content).errors == (Span(1, 1, 1, 2),)


@pytest.mark.parametrize(
    "content",
    [
        b"\xef\xbb\xbfclass A {\n\tint x;\n}",
        b"class A {\r\n\tint x;\r\n}",
        b"class A {\r\tint x;\r}",
    ],
)
def test_marks_and_line_ends(content: bytes) -> None:
    facts = survives(content)
    assert facts.errors == ()
    assert [line for c in facts.classes for line in show_class(c)] == ["class A", "  field int x"]
    assert facts.classes[0].members[0].name_span == Span(2, 6, 2, 7)


def test_nul_bytes_and_latin1_do_not_hide_what_follows() -> None:
    facts = survives(b'class A {\x00 String x = "caf\xe9"; /* \xe9 */ int y; }')
    assert [line for c in facts.classes for line in show_class(c)] == [
        "class A",
        "  field String x = 'caf\ufffd'",
        "  field int y",
    ]
