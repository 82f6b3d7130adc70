"""No source, however broken, makes the front end raise; what can be read is read."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from contract_scan.ir.origin import Span
from contract_scan.parsers.source.csharp.lowering.lower import lower_file, lower_function
from contract_scan.parsers.source.facts.nodes import ClassDecl, FileFacts
from tests.parsers.source.csharp.show import show, show_class

SNIPPET = b"""#nullable enable
using static A.B; using X = C.D<int>; global using E;
[assembly: F(1)] namespace N;
var app = G.H(args)?.I!.J<K>(x: 1, out var y)[^1];
app.MapGet($"/{a:0}/{{b}}", async ([L] M m, int n = 3) => m is { O: 1 } p ? R.Ok(p) : throw e);
/// doc
[Route("a/[c]"), B<int>(C = typeof(List<>))] public partial class Q<T>(int x) : S<T>(x), U
  where T : class, new() {
  #if A && !B
  public required string? V { get; init; } = @"w""x";
  #elif C
  const int V = 1;
  #endif
  public (int, string)[,] Y => [1, ..z];
  [HttpPost] async Task<Z> AA([FromBody] BB? b, params int[] c) {
    try { foreach (var (d, e) in f) { yield return new { g, h.I, J = 1 }; } }
    catch (K l) when (l.M) { throw; } finally { n ??= new() { ["o"] = { 1 } }; }
    return p switch { 1 or > 2 => q, Q { R: var s } => s with { T = 1 }, _ => default };
  }
  enum U : byte { [V("w")] W = 1 << 2 } record struct X(int Y);
}
"""


def survives(content: bytes) -> FileFacts:
    facts = lower_file(content, "A.cs", None)
    encoded = msgspec.json.encode(facts)
    assert msgspec.json.decode(encoded, type=FileFacts) == facts
    for declared in facts.classes:
        bodies_survive(content, declared)
    return facts


def bodies_survive(content: bytes, declared: ClassDecl) -> None:
    for method in declared.methods:
        lower_function(content, method.span)


def test_the_snippet_is_whole() -> None:
    assert survives(SNIPPET).errors == ()


@settings(deadline=None)
@given(st.binary(max_size=300))
def test_arbitrary_bytes(content: bytes) -> None:
    survives(content)


@settings(deadline=None)
@given(st.integers(0, len(SNIPPET)), st.integers(0, len(SNIPPET)))
def test_snippets_with_a_stretch_cut_out(start: int, end: int) -> None:
    survives(SNIPPET[:start] + SNIPPET[max(start, end) :])


@settings(deadline=None)
@given(
    st.integers(0, len(SNIPPET) - 1),
    st.sampled_from([b"{", b")", b'"', b"\x00", b"\xff", b"#", b"<"]),
)
@example(819, b"<")  # a pattern without a name
def test_snippets_with_a_stray_byte(place: int, stray: bytes) -> None:
    survives(SNIPPET[:place] + stray + SNIPPET[place + 1 :])


@settings(deadline=None)
@given(st.integers(0, 100), st.integers(0, 100), st.integers(0, 100), st.integers(0, 100))
def test_any_span_of_a_function(line: int, column: int, end_line: int, end_column: int) -> None:
    lower_function(SNIPPET, Span(line, column, end_line, end_column))


@pytest.mark.parametrize(
    "expression",
    [
        "(" * 10_000 + "a" + ")" * 10_000,
        "a" + "+a" * 20_000,
        '"a"' + "+a" * 20_000,
        "a" + "+a-a" * 5_000,
        "a" + "??a" * 5_000,
        "!" * 10_000 + "a",
        "a" + ".b()" * 10_000,
        "a" + "?.b" * 5_000,
        "f(" * 5_000 + ")" * 5_000,
        "x => " * 3_000 + "x",
        "a ? " * 3_000 + "b" + ": c" * 3_000,
        "a" + " ? b : c" * 3_000,
        "new A { b = " * 2_000 + "1" + "}" * 2_000,
        "[" * 3_000 + "]" * 3_000,
        "a is " + "not " * 3_000 + "b",
        "{" * 5_000,
    ],
)
def test_hostile_nesting(expression: str) -> None:
    survives(f"class A {{ int before; object F() {{ return {expression}; }} }}".encode())


def test_nesting_beyond_the_limit_is_opaque() -> None:
    source = f"class A {{ object x = {'f(' * 200}{')' * 200}, y = a{'.b()' * 101}; }}"
    (declared,) = lower_file(source.encode(), "A.cs", None).classes
    calls, chain = (show(member.value) for member in declared.members)
    assert calls.count("f(") == 78
    assert "?nested too deeply?" in calls
    assert chain == "?nested too deeply?" + ".b()" * 75


def test_deep_declarations_types_and_statements() -> None:
    survives(b"class A { " * 3_000 + b"int x;" + b"}" * 3_000)
    survives(b"namespace A { " * 3_000 + b"class B {}" + b"}" * 3_000)
    survives(b"class A { void F() { " + b"if (a) { " * 3_000 + b"}" * 3_000 + b"} }")
    survives(b"class A { " + b"List<" * 3_000 + b"X" + b">" * 3_000 + b" x; }")
    survives(b"class A { int" + b"[]" * 3_000 + b" x; }")
    survives(b"class A { int" + b"[" + b"," * 3_000 + b"] x; }")
    survives(b"#if A\n" * 3_000 + b"class B {}\n" + b"#endif\n" * 3_000)
    survives(b"#if " + b"!" * 3_000 + b"A\nclass B {}\n#endif\n")


def test_long_ladder_of_ifs() -> None:
    ladder = "else ".join(f"if (a{i}) f{i}(); " for i in range(1_000))
    facts = survives(f"class A {{ void F() {{ {ladder} }} }}".encode())
    (method,) = facts.classes[0].methods
    assert len(method.body or ()) == 1


@pytest.mark.parametrize("mark", [b"\xff\xfe", b"\xfe\xff"])
def test_utf16_is_named_as_an_error(mark: bytes) -> None:
    content = mark + "class A {}".encode("utf-16-le" if mark == b"\xff\xfe" else "utf-16-be")
    expected = FileFacts(path="A.cs", language="csharp", errors=(Span(1, 1, 1, 1),))
    assert survives(content) == expected


def test_utf16_without_a_mark_is_named_as_an_error() -> None:
    content = ("class A { string Name; }" * 20).encode("utf-16-le")
    assert survives(content).errors == (Span(1, 1, 1, 1),)


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
    facts = survives(b'class A {\x00 string X = "caf\xe9"; /* \xe9 */ int Y; }')
    assert [line for c in facts.classes for line in show_class(c)] == [
        "class A",
        "  field string X = 'caf\ufffd'",
        "  field int Y",
    ]
