"""C# statements, each construct with the exact facts it gives."""

from __future__ import annotations

import pytest

from contract_scan.ir.origin import Span
from contract_scan.parsers.source.csharp.lowering.lower import lower_file, lower_function
from contract_scan.parsers.source.facts.nodes import Branch, Return
from tests.parsers.source.csharp.show import facts_of, show_block, statements


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("var a = 1, b = 2;", ["a = 1", "b = 2"]),
        ("Order? a;", ["Order? a = nothing"]),
        ("const string A = B;", ["string A = B"]),
        ("var (a, (b, c)) = d;", ["(a, (b, c)) = d"]),
        ("(a, b.C) = (1, 2);", ["(a, b.C) = (1, 2)"]),
        ('a.B["c"] = 1;', ["a.B['c'] = 1"]),
        ("a += 1; b ??= c;", ["a += 1", "b ??= c"]),
        ("a.B();", ["a.B()"]),
        ("await a.B();", ["await(a.B())"]),
        ("throw new E();", ["throw new E()"]),
        ("throw;", ["throw nothing"]),
        ("yield return a; yield break;", ["yield a"]),
        (
            "lock (a) { b(); } checked { c(); } unsafe { d(); } x: e();",
            ["b()", "c()", "d()", "e()"],
        ),
        ("using var a = b(); using (var c = d()) { e(); }", ["a = b()", "c = d()", "e()"]),
        ("{ a(); { b(); } }", ["a()", "b()"]),
    ],
)
def test_plain_statements(source: str, expected: list[str]) -> None:
    assert statements(source) == expected


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("if (a) return; else { b(); }", ["if a [return nothing] [b()]"]),
        ("if (a) { } ", ["if? a []"]),
        (
            "if (a) b(); else if (c) d(); else e();",
            ["if a [b()] [if c [d()] [e()]]"],
        ),
        (
            "switch (a) { case 1: case B.C: x(); break; case D d: y(); break; default: z(); }",
            [
                "switch a [1: x()] [B.C: x()] [op(of type, type(D)): "
                "d = cast(D, ?variable of a nested pattern?); y()] [?switch section?: z()]"
            ],
        ),
        (
            "try { a(); } catch (E e) when (e.B) { c(); } catch { d(); } finally { f(); }",
            ["try [a()] [E e = nothing; c()] [d()]", "f()"],
        ),
        ("foreach (var a in b) { c(); }", ["for a in b [c()]"]),
        ("await foreach (A a in b) c();", ["for a in cast(A[], b) [c()]"]),
        ("foreach (var (a, b) in c) { }", ["for (a, b) in c []"]),
        ("for (int i = 0; i < 3; i++) { a(); }", ["int i = 0", "loop [a()]"]),
        ("while (a) { b(); }", ["loop [b()]"]),
        ("while (true) { b(); }", ["if [b()]"]),
        ("do { a(); } while (b);", ["if [a()]"]),
    ],
)
def test_branches_and_loops(source: str, expected: list[str]) -> None:
    assert statements(source) == expected


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("if (a is B b) c(b);", ["b = cast(B, a)", "if? op(is, a, type(B)) [c(b)]"]),
        ("if (a is not { } b) c();", ["b = !(a)", "if? op(==, a, None) [c()]"]),
        (
            "if (a.B() is var b && c) d();",
            ["b = a.B()", "if? op(&&, op(is, a.B(), ?declaration pattern?), c) [d()]"],
        ),
        (
            "if (!a.TryGet(b, out var c)) d();",
            ["c = op(out, a.TryGet(b, c), 1)", "if? op(!, a.TryGet(b, c)) [d()]"],
        ),
        (
            "if (a.TryGetValue(b, out var c)) d();",
            ["c = a[b]", "if? a.TryGetValue(b, c) [d()]"],
        ),
        ("a.TryGet(b, out C c);", ["C c = ?out parameter?", "a.TryGet(b, c)"]),
        ("var a = b is C c ? c : d;", ["c = cast(C, b)", "a = choice(c, d)"]),
        ("a(x => x is B b);", ["a((x) => b = cast(B, x); return op(is, x, type(B)))"]),
    ],
)
def test_variables_declared_in_expressions(source: str, expected: list[str]) -> None:
    assert statements(source) == expected


def test_top_level_functions_stand_apart_from_statements() -> None:
    facts = facts_of("a();\nint F(int x) => x;\nb();")
    assert show_block(facts.statements) == ["a()", "b()"]
    assert [f.name for f in facts.functions] == ["F"]


def test_local_functions_are_defined_where_they_stand() -> None:
    assert statements("void A() { }") == []
    source = "class A { int F() { return G(1); int G(int x) => x; } }"
    body = facts_of(source).classes[0].methods[0].body or ()
    assert show_block(body) == ["return G(1)", "define int G(int x) [return x]"]


def test_a_condition_of_the_project_is_one_of_several_runs() -> None:
    assert statements("#if MINE\na();\n#else\nb();\n#endif\nc();") == ["if [a()] [b()]", "c()"]
    assert statements("#if MINE\na();\n#endif\nc();") == ["if [a()] []", "c()"]


def test_a_condition_on_the_platform_is_decided() -> None:
    assert statements("#if NET8_0_OR_GREATER && !NETFRAMEWORK\na();\n#else\nb();\n#endif") == [
        "a()"
    ]
    assert statements("#if NETSTANDARD2_0 || NET48\na();\n#elif NET\nb();\n#endif") == ["b()"]
    assert statements("#if NETFRAMEWORK\na();\n#endif\nb();") == ["b()"]


def test_every_statement_of_a_try_without_its_finally_is_inside_its_span() -> None:
    (branch, after) = facts_of("try { a(); }\ncatch { b(); }\nfinally { c(); }").statements
    assert isinstance(branch, Branch)
    assert branch.span == Span(1, 1, 2, 15)
    assert after.span == Span(3, 11, 3, 15)


BODY = """using L = System.List<int>;
namespace N;
class Ä {
    /* é */ [HttpGet("é")] public async Task<L> Get(int a) {
        var x = new L(); if (a is B é) { return é; }
        return x;
    }
    Ä() => X = 1;
}
"""


def test_a_body_read_on_demand_is_the_body_read_at_once() -> None:
    content = BODY.encode()
    whole = lower_file(content, "A.cs", None).classes[0].methods
    for method in whole:
        assert lower_function(content, method.span) == method.body
    assert show_block(whole[0].body or ())[0] == "x = new System.List<int>()"


def test_bodies_are_lowered_only_where_a_marker_stands() -> None:
    import re

    source = b"class A { void F() { a.Send(1); } [Http] void G() { b(); } void H() { c(); } }"
    methods = lower_file(source, "A.cs", re.compile(rb"\.Send\(|\[Http")).classes[0].methods
    assert [(m.name, None if m.body is None else show_block(m.body)) for m in methods] == [
        ("F", ["a.Send(1)"]),
        ("G", ["b()"]),
        ("H", None),
    ]


def test_what_nests_too_deeply_may_return_anything() -> None:
    facts = facts_of("if (a) " * 100 + "return b;")
    deepest = facts.statements
    while isinstance(deepest[-1], Branch):
        deepest = deepest[-1].blocks[0]
    assert isinstance(deepest[-1], Return)
    assert show_block(deepest) == ["return ?nested too deeply?"]
