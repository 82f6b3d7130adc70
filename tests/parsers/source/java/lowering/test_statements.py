"""Statements and expressions of Java, each construct with the exact facts it gives."""

from __future__ import annotations

import re

import pytest

from contract_scan.parsers.source.java.lowering.lower import lower
from tests.parsers.source.java.show import show_statement


def statements(body: str) -> list[str]:
    facts = lower(f"class A {{ void f() {{ {body} }} }}".encode(), "A.java", re.compile(b""))
    assert facts.errors == ()
    return [show_statement(s) for s in facts.classes[0].methods[0].body or ()]


@pytest.mark.parametrize(
    ("written", "meaning"),
    [
        ('"a\\n\\"\\u0041\\101\\s"', repr('a\n"AA ')),
        ('"\\uD83D\\uDE00"', repr("😀")),
        ('"\\uD83D"', repr("\ufffd")),
        ('"""\n   one\n     two  \n   """', repr("one\n  two\n")),
        ("'c'", "'c'"),
        ("0x1F", "31"),
        ("017", "15"),
        ("0b11", "3"),
        ("1_000L", "1000"),
        ("1.5f", "1.5"),
        ("-1", "-1"),
        ("null", "None"),
        ("true", "True"),
        ("((a))", "a"),
        ("a.b(1).c[2].d", "a.b(1).c[2].d"),
        ("A.<T>of(int[].class)", "A.of<T>(type int[])"),
        ("Outer.super.run()", "super.run()"),
        ("this.x", "this.x"),
        ('"a" + b + 1', "text('a', b, 1)"),
        ('1 + 2 + "a"', "text(+(1, 2), 'a')"),
        ('a + ("b" + c)', "text(a, 'b', c)"),
        ("a + b - c", "-(+(a, b), c)"),
        ("a && b && c", "&&(a, b, c)"),
        ("!a", "!(a)"),
        ("i++", "++(i)"),
        ("a ? b : c", "one of(b, c)"),
        ("(Order) x", "(Order) x"),
        ("(Runnable & Serializable) x", "(Runnable) x"),
        ("x instanceof Order", "instanceof(x, type Order)"),
        ("Order::id", "Order.id"),
        ("ArrayList<String>::new", "type ArrayList<String>.new"),
        ("new int[] {1, 2}", "[1, 2]"),
        ("new int[3][]", "new int[][]()"),
        ("new Order(1, x)", "new Order(1, x)"),
        ("outer.new Inner(3)", "new Inner(3)"),
        ("new Task() { public void run() {} }", "new Task() with run"),
        ("x -> x.y", "(no type x) -> {return x.y}"),
        ("(a, b) -> { return a; }", "(no type a, no type b) -> {return a}"),
        ("(final int a) -> a", "(final int a) -> {return a}"),
        ("() -> 1", "() -> {return 1}"),
        (
            "switch (x) { case A, B -> 1; case C -> { int q = 2; yield q; } default -> throw e; }",
            "one of(1, q)",
        ),
        ("f(a = b)", "f(b)"),
    ],
)
def test_expression(written: str, meaning: str) -> None:
    assert statements(f"return {written};") == [f"return {meaning}"]


def test_collections_filled_in_an_initialiser_block() -> None:
    assert statements(
        """return new HashMap<String, Object>() {{
             put("a", data); this.put(KEY, 1); putAll(rest); if (x) put("b", 2);
           }};"""
    ) == [
        "return new HashMap<String, Object>() {a: data, [KEY]: 1, **rest, "
        "**?statement in an initialiser block?}"
    ]
    assert statements("return new ArrayList<>() {{ add(a); addAll(b); }};") == [
        "return new ArrayList() {a, **b}"
    ]


def test_locals_and_assignments() -> None:
    assert statements("int a = 1, b[]; var c = f(); a = this.d = 2; e[0] += 3;") == [
        "int a = 1",
        "int[] b",
        "c = f()",
        "this.d = 2",
        "a = 2",
        "e[0] += 3",
    ]


def test_ladder_of_ifs_keeps_each_condition() -> None:
    assert statements("if (a) x(); else if (b) { y(); } else z();") == [
        "if (a) {x()} | {if (b) {y()} | {z()}}"
    ]
    assert statements("if (a) x(); else if (b) { y(); }") == [
        "if (a) {x()} | {if (b) {y()} or nothing}"
    ]
    assert statements("if (a) return;") == ["if (a) {return nothing} or nothing"]


def test_long_ladder_of_ifs_is_one_branch() -> None:
    ladder = " else ".join(f"if (a{each}) x{each}();" for each in range(21))
    calls = " | ".join(f"{{x{each}()}}" for each in range(21))
    assert statements(ladder) == [f"if (a0) {calls} or nothing"]


def test_pattern_variables_are_locals() -> None:
    assert statements("if (x instanceof Order o && o.ok()) return o;") == [
        "Order o = (Order) x",
        "if (&&(instanceof(x, type Order), o.ok())) {return o} or nothing",
    ]


def test_loops() -> None:
    assert statements("for (Order o : orders) f(o); for (var o : orders) {}") == [
        "Order o",
        "loop o in orders {f(o)}",
        "loop o in orders {}",
    ]
    assert statements(
        "for (int i = 0; i < 3; i++) { f(); } while (a) g(); do { h(); } while (b);"
    ) == [
        "int i = 0",
        "loop {f()}",
        "loop {g()}",
        "loop {h()}",
    ]


def test_switch_statements() -> None:
    assert statements(
        "switch (x) { case 1: case 2: f(); break; case A: return; default: g(); }"
    ) == ["switch (x) [[1, 2], A, ?default?] {f()} | {return nothing} | {g()}"]
    assert statements("switch (x) { case 1, 2 -> f(); case B -> { g(); } }") == [
        "switch (x) [[1, 2], B] {f()} | {g()} or nothing"
    ]


def test_try() -> None:
    assert statements(
        "try (var r = open()) { return r; } catch (A | B e) { throw e; } finally { close(); }"
    ) == ["r = open()", "try {return r} | {A e; throw e}", "close()"]


def test_blocks_within_are_part_of_the_method() -> None:
    assert statements("synchronized (this) { a(); } { b(); } label: c(); class L {} assert d;") == [
        "a()",
        "b()",
        "c()",
        "define L",
    ]


def test_constructor_calls() -> None:
    facts = lower(b"class A { A() { this(1); } A(int x) { super(x); } }", "A.java", re.compile(b""))
    bodies = [[show_statement(s) for s in m.body or ()] for m in facts.classes[0].methods]
    assert bodies == [["this(1)"], ["super(x)"]]
