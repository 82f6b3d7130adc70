"""Expressions of TypeScript and JavaScript in the neutral form."""

from __future__ import annotations

import pytest

from contract_scan.parsers.source.facts.nodes import (
    Argument,
    ArrayLiteral,
    Attribute,
    Call,
    Cast,
    Choice,
    Entry,
    Expr,
    Function,
    Index,
    Lambda,
    LiteralExpr,
    Name,
    NamedType,
    New,
    ObjectLiteral,
    OperationExpr,
    Param,
    Return,
    Spread,
    Text,
    UnsupportedSyntax,
)
from tests.parsers.source.typescript.support import bare, expression, facts, statements

A, B, C = Name(id="a"), Name(id="b"), Name(id="c")


def lit(value: str | float | None) -> LiteralExpr:
    return LiteralExpr(value=value)


def call(callee: Expr, *args: Expr) -> Call:
    return Call(callee=callee, args=tuple(Argument(value=arg) for arg in args))


def not_(operand: Expr) -> OperationExpr:
    return OperationExpr(operator="!", operands=(operand,))


def both(*operands: Expr) -> OperationExpr:
    return OperationExpr(operator="&&", operands=operands)


LITERALS = {
    "'it\\'s'": "it's",
    '"a\\n\\u0041\\x42\\u{1F600}\\\\"': "a\nAB\U0001f600\\",
    "`plain`": "plain",
    "'line\\\ncontinued'": "linecontinued",
    "1_000": 1000,
    "0xff": 255,
    "0b11": 3,
    "1e3": 1000,
    "1.50": 1.5,
    "10n": 10,
    "-7": -7,
    "true": True,
    "false": False,
    "null": None,
    "('in parentheses')": "in parentheses",
}


@pytest.mark.parametrize("source", LITERALS)
def test_literals(source: str) -> None:
    assert expression(source) == lit(LITERALS[source])


EXPRESSIONS: dict[str, Expr] = {
    "a.b": Attribute(value=A, name="b"),
    "a?.b": Attribute(value=A, name="b", optional=True),
    "a!.b!": Attribute(value=A, name="b"),
    "a.#b": Attribute(value=A, name="#b"),
    "a['b']": Index(value=A, index=lit("b")),
    "a?.[0]": Index(value=A, index=lit(0)),
    "a(b, ...c)": Call(callee=A, args=(Argument(value=B), Argument(value=C, spread="*"))),
    "a?.(b)": call(A, B),
    "a<string>(b)": Call(
        callee=A, args=(Argument(value=B),), type_args=(NamedType(name="string"),)
    ),
    "await a(b)": call(A, B),
    "(await a).b": Attribute(value=A, name="b"),
    "a`text`": call(A, lit("text")),
    "a.b(c).b": Attribute(value=call(Attribute(value=A, name="b"), C), name="b"),
    "this.a": Attribute(value=Name(id="this"), name="a"),
    "super.a()": call(Attribute(value=Name(id="super"), name="a")),
    "undefined": Name(id="undefined"),
    "void 0": Name(id="undefined"),
    "new A.B<C>(b)": New(
        type=NamedType(name="A.B", args=(NamedType(name="C"),)), args=(Argument(value=B),)
    ),
    "new Date": New(type=NamedType(name="Date")),
    "[a, ...b]": ArrayLiteral(items=(A, Spread(value=B))),
    "a ? b : c": Choice(options=(B, C), given=(A, not_(A))),
    "a ? b : b ? c : a": Choice(
        options=(B, C, A),
        given=(A, both(not_(A), B), both(not_(A), not_(B))),
    ),
    "a ?? b": Choice(options=(A, B), fallback=True),
    "a || b || c": Choice(options=(A, B, C), fallback=True, falsy=True),
    "a && b": Choice(options=(OperationExpr(operator="falsy", operands=(A,)), B)),
    "{ ...(a && b) }": ObjectLiteral(
        entries=(Entry(value=Choice(options=(ObjectLiteral(), B)), spread=True),)
    ),
    "a === b": OperationExpr(operator="===", operands=(A, B)),
    "a + b + c": OperationExpr(operator="+", operands=(A, B, C)),
    "'/' + a + '/x'": Text(parts=(lit("/"), A, lit("/x"))),
    "`/${a}/x`": Text(parts=(lit("/"), A, lit("/x"))),
    "!a": OperationExpr(operator="!", operands=(A,)),
    "typeof a": OperationExpr(operator="typeof", operands=(A,)),
    "delete a.b": call(Attribute(value=A, name="delete"), lit("b")),
    "a as B": Cast(type=NamedType(name="B"), value=A),
    "<B>a": Cast(type=NamedType(name="B"), value=A),
    "a as const": A,
    "<const>a": A,
    "a as b.c.D": Cast(type=NamedType(name="b.c.D"), value=A),
    "a as b.c.d.E": Cast(type=NamedType(name="b.c.d.E"), value=A),
    "a satisfies b.c.D": Cast(type=NamedType(name="b.c.D"), value=A, checks_only=True),
    "(a as b.C).d": Attribute(value=Cast(type=NamedType(name="b.C"), value=A), name="d"),
    "a satisfies B": Cast(type=NamedType(name="B"), value=A, checks_only=True),
    "(a, b)": B,
    "a = b": B,
    "/x+/g": UnsupportedSyntax(description="regular expression /x+/g"),
    "class {}.name": Attribute(
        value=UnsupportedSyntax(description="class expression"), name="name"
    ),
    "require('./a.js')": Name(id="module<·/a·js>"),
    "require('./a').b": Attribute(value=Name(id="module<·/a>"), name="b"),
    "await import('./a')": Name(id="module<·/a>"),
    "require(a)": call(Name(id="require"), A),
    "a`b`": call(A, lit("b")),
    "a.b<T>`c`": call(Attribute(value=A, name="b"), lit("c")),
    "await a.b<Array<T>>`c`": call(Attribute(value=A, name="b"), lit("c")),
    "a > `b`": OperationExpr(operator=">", operands=(A, lit("b"))),
}


@pytest.mark.parametrize("source", EXPRESSIONS)
def test_expressions(source: str) -> None:
    assert expression(f"[{source}]") == ArrayLiteral(items=(EXPRESSIONS[source],))


def test_type_arguments_of_tags_are_no_errors() -> None:
    source = "const rows = await db.$queryRaw<Row[]>`SELECT ${x}`; const broken = a.b(;"
    read = facts(source)
    assert [(span.line, span.column) for span in read.errors] == [(1, 72)]


def test_object_literals() -> None:
    assert expression("{ a, 'b-c': b, 1: c, [a]: b, [`d`]: c, ...b, }") == ObjectLiteral(
        entries=(
            Entry(key="a", value=A),
            Entry(key="b-c", value=B),
            Entry(key="1", value=C),
            Entry(key_expression=A, value=B),
            Entry(key="d", value=C),
            Entry(value=B, spread=True),
        )
    )


def test_methods_of_object_literals_are_functions_and_getters_are_what_they_return() -> None:
    literal = expression("{ run() { return a }, get size() { return b }, set size(v) {} }")
    assert isinstance(literal, ObjectLiteral)
    run, size = literal.entries
    assert run.value == Lambda(function=Function(name="run"))
    assert size.value == Call(callee=Lambda(function=Function(name="size", modifiers=("get",))))


def test_parameters_of_arrow_functions() -> None:
    (statement,) = bare(facts("const f = async ({ a, b: [c] }: T, d = 1, ...e) => a").statements)
    assert statement.value == Lambda(  # type: ignore[union-attr]
        function=Function(
            name="f",
            params=(
                Param(
                    name="",
                    kind="pattern",
                    type=NamedType(name="T"),
                    pattern=ObjectLiteral(
                        entries=(
                            Entry(key="a", value=A),
                            Entry(key="b", value=ArrayLiteral(items=(C,))),
                        )
                    ),
                ),
                Param(name="d", default=lit(1)),
                Param(name="e", kind="*"),
            ),
            modifiers=("async",),
        )
    )


def test_places_count_code_points() -> None:
    (statement,) = facts("/* 日本😀 */ const x = '日本' + a;\r\n").statements
    text = statement.value  # type: ignore[union-attr]
    assert isinstance(text, Text)
    assert [_place(part) for part in text.parts] == [
        (1, 21, 1, 25),
        (1, 28, 1, 29),
    ]


def test_calls_on_a_template_whose_tag_has_type_arguments() -> None:
    plain = call(Name(id="sql"), lit("x"))
    assert expression("sql<number>`x`") == plain
    assert expression("sql<number | null>`x`.as('n')") == call(
        Attribute(value=plain, name="as"), lit("n")
    )


def _place(expr: Expr) -> tuple[int, int, int, int]:
    span = expr.span
    return (span.line, span.column, span.end_line, span.end_column)


def test_a_returned_expression_body_is_one_return() -> None:
    assert statements("return [1].map(x => ({ x }))") == (
        Return(
            value=call(
                Attribute(value=ArrayLiteral(items=(lit(1),)), name="map"),
                Lambda(
                    function=Function(
                        name="",
                        params=(Param(name="x"),),
                        body=(
                            Return(
                                value=ObjectLiteral(entries=(Entry(key="x", value=Name(id="x")),))
                            ),
                        ),
                    )
                ),
            )
        ),
    )
