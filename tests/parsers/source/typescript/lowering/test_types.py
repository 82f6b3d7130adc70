"""Types of TypeScript in the neutral form."""

from __future__ import annotations

import pytest

from contract_scan.parsers.source.facts.nodes import (
    ArrayType,
    Attribute,
    FunctionType,
    IndexedType,
    IntersectionType,
    KeyOfType,
    LiteralType,
    MappedType,
    Member,
    Name,
    NamedType,
    NullType,
    ObjectType,
    Param,
    TupleType,
    TypeExpr,
    TypeOfType,
    UnionType,
    UnsupportedType,
)
from tests.parsers.source.typescript.support import type_expression

STRING, NUMBER = NamedType(name="string"), NamedType(name="number")
A, T = NamedType(name="A"), NamedType(name="T")
ABSENT = NullType(absent=True)

TYPES: dict[str, TypeExpr] = {
    "string": STRING,
    "void": ABSENT,
    "undefined": ABSENT,
    "null": NullType(),
    "unique symbol": NamedType(name="symbol"),
    "this": NamedType(name="this"),
    "A.B": NamedType(name="A.B"),
    "Map<string, A>": NamedType(name="Map", args=(STRING, A)),
    "ns.List<A>": NamedType(name="ns.List", args=(A,)),
    "A[]": ArrayType(item=A),
    "readonly A[]": ArrayType(item=A),
    "(A | null)[]": ArrayType(item=UnionType(options=(A, NullType()))),
    "| 'a' | -1 | true": UnionType(
        options=(LiteralType(value="a"), LiteralType(value=-1), LiteralType(value=True))
    ),
    "{ [key: string]: any } | { [key: string]: any }[]": UnsupportedType(
        description="one object of any keys, or a list of them"
    ),
    "Record<string, unknown>[] | Record<string, unknown> | null": UnsupportedType(
        description="one object of any keys, or a list of them"
    ),
    "Record<string, A> | Record<string, A>[]": UnionType(
        options=(
            NamedType(name="Record", args=(STRING, A)),
            ArrayType(item=NamedType(name="Record", args=(STRING, A))),
        )
    ),
    "A & T & string": IntersectionType(options=(A, T, STRING)),
    "[string, number]": TupleType(items=(STRING, NUMBER)),
    "[name: string, age?: number]": TupleType(items=(STRING, UnionType(options=(NUMBER, ABSENT)))),
    "[A?]": TupleType(items=(UnionType(options=(A, ABSENT)),)),
    "[...A[]]": ArrayType(item=A),
    "[string, ...A[]]": ArrayType(item=UnionType(options=(STRING, A))),
    "[string, ...T]": UnsupportedType(description="tuple with a rest element"),
    "A['b']['c']": IndexedType(
        item=IndexedType(item=A, index=LiteralType(value="b")), index=LiteralType(value="c")
    ),
    "(typeof a)[number]": IndexedType(item=TypeOfType(value=Name(id="a")), index=NUMBER),
    "keyof typeof a.b": KeyOfType(item=TypeOfType(value=Attribute(value=Name(id="a"), name="b"))),
    "(a: A, b?: string) => T": FunctionType(
        params=(Param(name="a", type=A), Param(name="b", type=STRING, optional=True)), returns=T
    ),
    "{ [K in keyof T]-?: T[K] }": MappedType(
        variable="K",
        constraint=KeyOfType(item=T),
        item=IndexedType(item=T, index=NamedType(name="K")),
        optional="-",
    ),
    "{ [K in A]?: string }": MappedType(variable="K", constraint=A, item=STRING, optional="+"),
    "{ [K in A as `x${K}`]: string }": UnsupportedType(description="mapped type with renamed keys"),
    "T extends string ? A : never": UnsupportedType(description="conditional type"),
    "`x${string}`": NamedType(name="string"),
    "import('./a').B": NamedType(name="module<·/a>.B"),
    "z.infer<typeof schema>": NamedType(
        name="z.infer", args=(TypeOfType(value=Name(id="schema")),)
    ),
}


@pytest.mark.parametrize("source", TYPES)
def test_types(source: str) -> None:
    assert type_expression(source) == TYPES[source]


def test_object_types() -> None:
    source = "{ a: A; readonly 'b-c'?: string, [key: string]: T; run(x: A): void; get d(): A }"
    assert type_expression(source) == ObjectType(
        members=(
            Member(name="a", kind="property", type=A),
            Member(
                name="b-c", kind="property", type=STRING, modifiers=("readonly",), optional=True
            ),
            Member(
                name="run",
                kind="property",
                type=FunctionType(params=(Param(name="x", type=A),), returns=ABSENT),
            ),
            Member(name="d", kind="getter", type=A),
        ),
        index=T,
    )
