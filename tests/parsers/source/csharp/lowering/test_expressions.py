"""C# expressions, each construct with the exact facts it gives."""

from __future__ import annotations

import pytest

from tests.parsers.source.csharp.show import classes, expression, statements


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("1", "1"),
        ("0x1F", "31"),
        ("0b101", "5"),
        ("1_000L", "1000"),
        ("1.5m", "1.5"),
        ("1e3", "1000.0"),
        ("-1", "-1"),
        ("true", "True"),
        ("null", "None"),
        ("'c'", "'c'"),
        (r"'\n'", r"'\n'"),
        (r'"a\t\u0041\""', repr('a\tA"')),
        ('@"a\\b""c"', repr('a\\b"c')),
        ('"""a "b" c"""', repr('a "b" c')),
        ('"""\n    a\n      b\n    """', repr("a\n  b")),
        ('"x"u8', "?UTF-8 string literal?"),
        ("1" + "0" * 500, "?number out of range?"),
    ],
)
def test_literals(source: str, expected: str) -> None:
    assert expression(source) == expected


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ('$"/a/{b}/c"', "text('/a/', b, '/c')"),
        ('$"{{x}} {a:0.00}{b,5}"', "text('{x} ', a, b)"),
        ('$@"a""{b}"', "text('a\"', b)"),
        ('$$"""a{x}{{b}}"""', "text('a{x}', b)"),
        ('$"plain"', "'plain'"),
        ('$"{a}"', "text(a)"),
        ('"a" + b + "c"', "text('a', b, 'c')"),
        ('a + "b" + c + 1', "text(a, 'b', c, 1)"),
        ("a + b + c", "op(+, a, b, c)"),
        ("a + b - c", "op(-, op(+, a, b), c)"),
        ("a && b || c", "op(||, op(&&, a, b), c)"),
        ("!a", "op(!, a)"),
        ("a ?? b ?? c", "choice(!(a), !(b), c)"),
        ("a ?? throw new E()", "!(a)"),
        ("a ? b : c ? d : e", "choice(b, d, e)"),
        ("a switch { 1 => b, _ when c => d, _ => throw e }", "choice(b, d)"),
        ("a switch { _ => b }", "choice(b)"),
        ("a is null", "op(==, a, None)"),
        ("a is not null", "op(!=, a, None)"),
        ("a is { }", "op(!=, a, None)"),
        ("a is not null && b", "op(&&, op(!=, a, None), b)"),
        ("a is B", "op(is, a, type(B))"),
        ("a is not B", "op(!, op(is, a, type(B)))"),
        ("a is B { }", "op(is, a, type(B))"),
        ("a is B { C: 1 }", "op(&&, op(is, a, type(B)), op(==, a.C, 1))"),
        (
            "a is not B { C: 1 }",
            "op(!, op(&&, op(is, a, type(B)), op(==, a.C, 1)))",
        ),
        ("a is { C: 1 }", "op(&&, op(!=, a, None), op(==, a.C, 1))"),
        ("a is B.C", "op(==, a, B.C)"),
        ("a is not (B or C.D)", "op(&&, op(!, op(is, a, type(B))), op(!=, a, C.D))"),
        ("a is > 1", "op(>, a, 1)"),
        ("a is >= 2 and < 5", "op(&&, op(>=, a, 2), op(<, a, 5))"),
        ("(B)a", "cast(B, a)"),
        ("a as B", "cast(B, a)"),
        ("a with { X = 1 }", "op(with, a, {X: 1})"),
        ("a++", "a"),
        ("(a)!", "!(a)"),
        ("await a", "await(a)"),
        ("a[1..2]", "a[op(.., 1, 2)]"),
        ("from o in os where o.A select o.B", "each(o.B for o in os.Where((o) => return o.A))"),
        (
            "from o in os join p in ps on o.A equals p.A into q select q",
            "os.SelectMany((o) => return each(q for q in [ps]))",
        ),
        (
            "from o in os from p in o.P let q = p.Q where q select q",
            "os.SelectMany((o) => return o.P.SelectMany((p) => return "
            "each(q for q in [p.Q].Where((q) => return q))))",
        ),
        ("from o in os select o into p select p.A", "each(p.A for p in each(o for o in os))"),
        (
            "from o in os group o.A by o.K into g select g.Key",
            "each(g.Key for g in each({Element: o.A, Key: o.K} for o in os).GroupBy("
            "(member) => return member.Key, (member) => return member.Element))",
        ),
    ],
)
def test_texts_operators_and_patterns(source: str, expected: str) -> None:
    assert expression(source) == expected


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("this.a", "this.a"),
        ("base.A()", "super.A()"),
        ("a?.B!.C?[1]?.D(e)", "!(a.B).C[1].D(e)"),
        ("a.B<C>(d, e: 1, out var f, ref g)", "a.B<C>(d, e: 1, f, g)"),
        ("F<int>()", "F<int>()"),
        ("F<int>.G()", "type(F<int>).G()"),
        ("global::A.B.C", "A.B.C"),
        ('string.Join(",", a)', "string.Join(',', a)"),
        ("nameof(A.B<int>)", "'B'"),
        ("typeof(List<int>)", "type(List<int>)"),
        ("typeof(List<>)", "type(List)"),
        ("default", "?default value?"),
        ("default(int)", "cast(int, ?default value?)"),
        ("a[b, c]", "a[(b, c)]"),
        ("checked(a)", "a"),
        ("stackalloc int[3]", "?stackalloc expression?"),
    ],
)
def test_members_calls_and_types(source: str, expected: str) -> None:
    assert expression(source) == expected


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("new A(b) { C = 1, D = { 2 }, E = { F = 3 } }", "new A(b) {C: 1, D: [2], E: {F: 3}}"),
        ("new(a) { B = 1 }", "new var(a) {B: 1}"),
        (
            'new Dictionary<string, int> { ["a"] = 1, [b] = 2 }',
            "new Dictionary<string, int>() {a: 1, [b]: 2}",
        ),
        (
            'new Dictionary<string, int> { { "a", 1 }, { b, 2 } }',
            "new Dictionary<string, int>() {a: 1, [b]: 2}",
        ),
        ("new List<int> { 1, 2 }", "new List<int>() {1, 2}"),
        ("new[] { 1, 2 }", "[1, 2]"),
        ("new A[] { b }", "cast(A[], [b])"),
        ("new A[3]", "new A[]()"),
        ("new { a, b.C, d?.E, F = 1 /* c */ }", "{a: a, C: b.C, E: d.E, F: 1}"),
        ("[1, ..a]", "[1, ..a]"),
        ("(1, a)", "(1, a)"),
    ],
)
def test_objects_and_collections(source: str, expected: str) -> None:
    assert expression(source) == expected


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("a => a.B", "(a) => return a.B"),
        ("async (int a, B b = null) => { return a; }", "async (int a, B b = None) => return a"),
        ("[X] static int (int a) => a", "[X] static int (int a) => return a"),
        ("() => throw e", "() => throw e"),
        ("() => a.B = 1", "() => a.B = 1"),
        ("delegate (int a) { return a; }", "(int a) => return a"),
        ("a => a is { } b ? b : c", "(a) => b = !(a); return choice(b, c)"),
        ("([FromBody] A a) => a", "([FromBody] A a) => return a"),
    ],
)
def test_lambdas(source: str, expected: str) -> None:
    assert expression(source) == expected


def test_this_as_a_value() -> None:
    source = "f(this); x = this; g(a: this); var y = b ? this : c; h(() => this, [this]);"
    assert statements(source) == [
        "f(this)",
        "x = this",
        "g(a: this)",
        "y = choice(this, c)",
        "h(() => return this, [this])",
    ]
    assert classes("class A { object P => this; object G() => this; A H() { return this; } }") == [
        "class A",
        "  get getter object P = this",
        "  object G() [return this]",
        "  A H() [return this]",
    ]
