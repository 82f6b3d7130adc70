"""Statements of function bodies, read on demand."""

from __future__ import annotations

import pytest

from contract_scan.parsers.source.facts.nodes import (
    CAUGHT,
    Argument,
    ArrayLiteral,
    Assign,
    Attribute,
    Branch,
    Call,
    Choice,
    ClassDecl,
    Define,
    Entry,
    Evaluate,
    Expr,
    Function,
    Lambda,
    LiteralExpr,
    Loop,
    Name,
    NamedType,
    ObjectLiteral,
    OperationExpr,
    Return,
    Throw,
    UnsupportedSyntax,
)
from tests.parsers.source.typescript.support import statements

A, B, C, D = (Name(id=name) for name in "abcd")


def call(callee: Expr, *args: Expr) -> Call:
    return Call(callee=callee, args=tuple(Argument(value=arg) for arg in args))


def lit(value: float) -> LiteralExpr:
    return LiteralExpr(value=value)


def test_variables_and_assignments() -> None:
    assert statements("let a: T = b, c; var d; a = b = d; a.x += 1; a.x = c; a++") == (
        Assign(target=A, value=B, type=NamedType(name="T"), declares=True, scoped=True),
        Assign(target=C, value=None, declares=True, scoped=True),
        Assign(target=D, value=None, declares=True),
        Assign(target=A, value=D),
        Assign(target=B, value=D),
        Assign(target=Attribute(value=A, name="x"), value=lit(1), operator="+"),
        Assign(target=Attribute(value=A, name="x"), value=C),
        Assign(target=A, value=lit(1), operator="+"),
    )


def test_destructuring_keeps_its_defaults_as_assignments_of_their_own() -> None:
    assert statements("const { a, b: { c }, d = 1, ...rest } = x; const [p, , q] = y") == (
        Assign(
            target=ObjectLiteral(
                entries=(
                    Entry(key="a", value=A),
                    Entry(key="b", value=ObjectLiteral(entries=(Entry(key="c", value=C),))),
                    Entry(key="d", value=D),
                    Entry(value=Name(id="rest"), spread=True),
                )
            ),
            value=Name(id="x"),
            declares=True,
            scoped=True,
        ),
        Assign(
            target=D,
            value=Choice(options=(Attribute(value=Name(id="x"), name="d"), lit(1))),
        ),
        Assign(
            target=ArrayLiteral(
                items=(Name(id="p"), UnsupportedSyntax(description="hole"), Name(id="q")),
            ),
            value=Name(id="y"),
            declares=True,
            scoped=True,
        ),
    )


def test_branches() -> None:
    assert statements("if (a) return b; else if (b) { throw c } a ? b() : c(); a && b()") == (
        Branch(
            blocks=(
                (Return(value=B),),
                (Branch(blocks=((Throw(value=C),),), condition=B),),
            ),
            condition=A,
            exhaustive=True,
        ),
        Branch(
            blocks=((Evaluate(value=call(B)),), (Evaluate(value=call(C)),)),
            condition=A,
            exhaustive=True,
        ),
        Branch(blocks=((Evaluate(value=call(B)),),), condition=A),
    )


def test_a_case_that_falls_through_has_the_statements_it_falls_into() -> None:
    source = "switch (a) { case 1: case 2: return b; case 3: b(); break; default: return c }"
    assert statements(source) == (
        Branch(
            blocks=(
                (Return(value=B),),
                (Return(value=B),),
                (Evaluate(value=call(B)),),
                (Return(value=C),),
            ),
            condition=A,
            exhaustive=True,
            cases=(lit(1), lit(2), lit(3)),
            kind="switch",
        ),
    )


@pytest.mark.parametrize(
    "first",
    [
        "try { return b } catch (e) { throw c }",
        "try { b() } finally { return c }",
        "{ if (b) { return b } else if (c) { break } else { throw d } } /* done */",
        "{ if (b) return b; else { try { return b } catch { return c } } }",
    ],
)
def test_a_case_that_leaves_on_every_way_does_not_fall_through(first: str) -> None:
    [branch] = statements(f"switch (a) {{ case 1: {first} case 2: d() }}")
    [with_second] = statements("switch (a) { case 2: d() }")
    assert isinstance(branch, Branch)
    assert isinstance(with_second, Branch)
    assert branch.blocks[1:] == with_second.blocks
    assert Evaluate(value=call(D)) not in branch.blocks[0]


@pytest.mark.parametrize(
    "first",
    [
        "try { return b } catch (e) { c() }",
        "try { b() } catch (e) { return c }",
        "if (b) { return b }",
        "if (b) { return b } else { c() }",
    ],
)
def test_a_case_that_leaves_on_some_ways_falls_through(first: str) -> None:
    [branch] = statements(f"switch (a) {{ case 1: {first} case 2: d() }}")
    assert isinstance(branch, Branch)
    assert Evaluate(value=call(D)) in branch.blocks[0]


def test_try_runs_one_of_two_blocks_and_then_finally() -> None:
    caught = Assign(target=D, value=Name(id=CAUGHT), declares=True, scoped=True)
    assert statements("try { a() } catch (d) { b() } finally { c() }") == (
        Branch(
            blocks=((Evaluate(value=call(A)),), (caught, Evaluate(value=call(B)))),
            exhaustive=True,
            kind="try",
        ),
        Evaluate(value=call(C)),
    )


def test_loops() -> None:
    keys = call(Attribute(value=Name(id="Object"), name="keys"), B)
    increment = Assign(target=A, value=lit(0), declares=True, scoped=True)
    assert statements(
        "for (const a of b) c(); for (const a in b) c(); for (let a = 0; a < 1; a++) c();"
        "while (a) c(); do c(); while (a)"
    ) == (
        Loop(body=(Evaluate(value=call(C)),), variable=A, iterable=B),
        Loop(body=(Evaluate(value=call(C)),), variable=A, iterable=keys),
        increment,
        Loop(body=(Evaluate(value=call(C)),)),
        Loop(body=(Evaluate(value=call(C)),)),
        Evaluate(value=call(C)),
        Loop(body=(Evaluate(value=call(C)),)),
    )
    each = Loop(body=(Evaluate(value=call(C)),), variable=A, iterable=B)
    assert statements("b.forEach((a) => { c() }); b.forEach(a => c())") == (each, each)
    (hiding, _) = statements("b.forEach((a) => { c() }); let a = 1")
    assert isinstance(hiding, Evaluate)


def test_declarations_inside_a_body() -> None:
    assert statements("function a() { return b } class D {} const E = class {}") == (
        Define(declaration=Function(name="a", body=(Return(value=B),))),
        Define(declaration=ClassDecl(name="D")),
        Define(declaration=ClassDecl(name="E")),
    )


def test_generators() -> None:
    assert statements("yield a; yield* b") == (
        Return(value=A, generator=True),
        Return(value=B, generator=True),
    )


def test_what_void_throws_away_is_evaluated() -> None:
    assert statements("void a(b); void (await c()); return void a()") == (
        Evaluate(value=call(A, B)),
        Evaluate(value=call(C)),
        Evaluate(value=call(A)),
        Return(value=None),
    )
    unused = Function(name="", body=(Evaluate(value=call(A, B)), Return(value=None)))
    assert statements("x(() => void a(b))") == (
        Evaluate(value=call(Name(id="x"), Lambda(function=unused))),
    )


def test_what_says_nothing_is_left_out() -> None:
    assert statements("; debugger; label: for (;;) { break label } !a;") == (
        Loop(body=()),
        Evaluate(value=OperationExpr(operator="!", operands=(A,))),
    )
