"""Bad and hostile source: never an exception, and everything else of the file is read."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contract_scan.ir.origin import Span
from contract_scan.parsers.source.facts.nodes import ClassDecl, FileFacts
from contract_scan.parsers.source.typescript.language import LANGUAGE

SNIPPET = b"""\
import { Body, Controller, Get } from '@nestjs/common';
@Controller('orders')
export class Orders<T> extends Base<T> {
  constructor(private readonly service: Service<T>) { super(); this.x = [1, ...y]; }
  @Get(':id') async find(@Param('id') id: string): Promise<{ a?: T[]; b: 'x' | null }> {
    const { a, b = 1, ...rest } = await this.service.find(`${id}/x`, { ...a, b: c?.d ?? 1 });
    switch (a) { case 1: return { a }; default: throw new Error('no'); }
  }
}
export type Mapped<T> = { [K in keyof T]?: T[K] } & Omit<T, 'a'>;
router.route('/x').get((req, res) => res.status(200).json({ ok: true })).post(handler);
enum E { A = 'a', B }
namespace N { export interface I { [k: string]: typeof x } }
"""

HOSTILE = {
    "parentheses": "const a = " + "(" * 10_000 + "1" + ")" * 10_000 + "; class After {}",
    "sum": "const a = " + "+".join(["a"] * 20_000) + "; class After {}",
    "brackets": "const a = " + "[" * 3_000 + "]" * 3_000 + "; class After {}",
    "calls": "const a = x" + ".b()" * 5_000 + "; class After {}",
    "minus": "const a = " + "- " * 5_000 + "1; class After {}",
    "ternaries": "const a = " + "x ? 1 : " * 3_000 + "0; class After {}",
    "unions": "type A = " + "|".join(["'a'"] * 5_000) + "; class After {}",
    "type arguments": "type A = " + "P<" * 1_000 + "x" + ">" * 1_000 + "; class After {}",
    "else ifs": "if (a) {} " + "else if (b) { c() } " * 2_000 + "class After {}",
    "blocks": "{" * 2_000 + "}" * 2_000 + "class After {}",
    "lambdas": "x(" + "() => " * 1_000 + "1); class After {}",
    "namespaces": "namespace A {" * 500 + "}" * 500 + "class After {}",
    "classes": "class A { m() { " * 300 + "} }" * 300 + "class After {}",
    "patterns": "const " + "[" * 1_000 + "a" + "]" * 1_000 + " = b; class After {}",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_deep_nesting_is_cut_off_and_what_follows_is_read(name: str) -> None:
    found = LANGUAGE.lower(HOSTILE[name].encode(), "a.ts")
    assert "After" in [declared.name for declared in found.classes]


def test_a_syntax_error_loses_only_its_place() -> None:
    found = LANGUAGE.lower(b"class A { x: string }\nconst = ;\nclass B { y: number }\n", "a.ts")
    assert [declared.name for declared in found.classes] == ["A", "B"]
    assert [span.line for span in found.errors] == [2]


def test_byte_order_marks() -> None:
    assert LANGUAGE.lower(b"\xef\xbb\xbfclass A {}", "a.ts").classes == (
        ClassDecl(name="A", name_span=Span(1, 7, 1, 8), span=Span(1, 1, 1, 11)),
    )
    assert LANGUAGE.lower("class A {}".encode("utf-16"), "a.ts") == FileFacts(
        path="a.ts", language="typescript", errors=(Span(1, 1, 1, 1),)
    )


def test_line_ends_tabs_and_nul_bytes() -> None:
    found = LANGUAGE.lower(b"\tclass A {\r\n\tx: string\r\n}\r\n", "a.ts")
    assert [(c.name, c.name_span) for c in found.classes] == [("A", Span(1, 8, 1, 9))]
    assert LANGUAGE.lower(b"class A {}\0\0class B {}", "a.ts").classes[0].name == "A"


def test_bytes_that_are_no_text() -> None:
    found = LANGUAGE.lower(b"const a = '\xff\xfe'; class A {}", "a.ts")
    assert [declared.name for declared in found.classes] == ["A"]


def test_the_body_of_something_that_is_no_function_is_empty() -> None:
    assert LANGUAGE.lower_body(b"const a = 1;", "a.ts", Span(1, 1, 1, 5)) == ()
    assert LANGUAGE.lower_body(b"const a = 1;", "a.ts", Span(40, 1, 41, 5)) == ()


@settings(max_examples=150, deadline=None)
@given(st.binary(max_size=200), st.sampled_from(["a.ts", "a.tsx", "a.js"]))
def test_any_bytes_are_read(content: bytes, path: str) -> None:
    assert LANGUAGE.lower(content, path).path == path


@settings(max_examples=150, deadline=None)
@given(
    st.integers(0, len(SNIPPET)),
    st.integers(0, len(SNIPPET)),
    st.sampled_from([b"", b"{", b")", b"'", b"`", b"<", b"@", b"\0", b"\xff"]),
    st.sampled_from(["a.ts", "a.tsx", "a.js"]),
)
def test_mutilated_source_is_read(cut: int, resume: int, between: bytes, path: str) -> None:
    content = SNIPPET[:cut] + between + SNIPPET[resume:]
    found = LANGUAGE.lower(content, path)
    for declared in found.classes:
        for method in declared.methods:
            assert isinstance(LANGUAGE.lower_body(content, path, method.span), tuple)
