"""No source, however broken, makes the front end raise; what can be read is read."""

from __future__ import annotations

import re

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from contract_scan.ir.origin import Span
from contract_scan.parsers.source.facts.nodes import FileFacts
from contract_scan.parsers.source.python.lowering.lower import lower, lower_body
from tests.parsers.source.python.show import show, show_class

SNIPPET = b"""# -*- coding: utf-8 -*-
from typing import Optional as O, TypeVar
T = TypeVar("T", bound="B")
Alias: TypeAlias = "dict[str, 'Order']"
Row = TypedDict("Row", {"a": int, "b": NotRequired[str]})
@app.route("/x/<int:id>", methods=["GET", *more], **{"k": f"{a!r:>{w}}" "b"})
class A(Base[T], Generic[T], metaclass=M):
    x: "O[int]" = Field(..., alias='a\\u00e9\\N{BULLET}\\x41\\101')
    a, b = 1_000, 0x1F
    def __init__(self, y: Annotated[int, Query(gt=1)] = -1, *args, **kw):
        self.y = y; self.z: list[int] = [i for i in y if i]
    @classmethod
    async def get(cls, /, a, *, b):
        from . import x
        if (n := a) and not b or "%s" % n: yield {**a, "k": lambda q: q}, 201
        try:
            async with f() as g: return await g["x"][1:2]
        except* E as e: raise H(404) from e
        else: match = 1
        finally: pass
        match a:
            case {"a": 1} | [_, *r] if r: pass
            case _: pass
type X[T] = list[T] | None
"""


def survives(content: bytes) -> FileFacts:
    facts = lower(content, "a.py", re.compile(b""))
    encoded = msgspec.json.encode(facts)
    assert msgspec.json.decode(encoded, type=FileFacts) == facts
    assert msgspec.msgpack.decode(msgspec.msgpack.encode(facts), type=FileFacts) == facts
    for declaration in facts.classes:
        for method in declaration.methods:
            lower_body(content, "a.py", method.span)
    return facts


@given(st.binary(max_size=300))
def test_arbitrary_bytes(content: bytes) -> None:
    survives(content)


@given(st.integers(0, len(SNIPPET)), st.integers(0, len(SNIPPET)))
def test_snippets_with_a_stretch_cut_out(start: int, end: int) -> None:
    survives(SNIPPET[:start] + SNIPPET[max(start, end) :])


@given(
    st.integers(0, len(SNIPPET) - 1),
    st.sampled_from([b"{", b")", b'"', b"'''", b"\x00", b"\xff", b"@", b"\n", b"\\", b":"]),
)
def test_snippets_with_a_stray_byte(place: int, stray: bytes) -> None:
    survives(SNIPPET[:place] + stray + SNIPPET[place + 1 :])


@pytest.mark.parametrize(
    "expression",
    [
        "(" * 10_000 + "a" + ")" * 10_000,
        "a" + "+a" * 20_000,
        '"a"' + "+a" * 20_000,
        "a" + "|B" * 20_000,
        "a" + " and a" * 20_000,
        "-" * 10_000 + "a",
        "not " * 10_000 + "a",
        "a" + ".b()" * 10_000,
        "a" + "[0]" * 10_000,
        "f(" * 5_000 + ")" * 5_000,
        "[" * 5_000 + "]" * 5_000,
        "lambda: " * 3_000 + "x",
        "a if b else " * 3_000 + "c",
        "{1: " * 3_000 + "1" + "}" * 3_000,
        "list[" * 3_000 + "int" + "]" * 3_000,
        "f'" + "{x}" * 3_000 + "'",
    ],
)
def test_hostile_nesting(expression: str) -> None:
    facts = survives(f"class A:\n    before = 1\n    x: {expression} = {expression}\n".encode())
    assert facts.classes[0].members[0].name == "before"


def test_nesting_beyond_the_limit_is_opaque() -> None:
    facts = lower(f"class A:\n    x = {'f(' * 200}{')' * 200}\n".encode(), "a.py")
    value = show(facts.classes[0].members[0].value)
    assert value.count("f(") == 148
    assert "?nested too deeply?" in value


def test_deep_classes_and_statements() -> None:
    deep = [" " * level for level in range(2_000)]
    survives("\n".join(f"{indent}class A:" for indent in deep).encode())
    survives("\n".join(f"{indent}if a:" for indent in deep).encode())
    survives("\n".join(f"{indent}def f():" for indent in deep).encode())
    survives(("@" + "a" * 2_000 + "\n").encode() * 500 + b"def f(): pass")


def test_long_ladder_of_ifs() -> None:
    ladder = "if a: f()\n" + "elif b: g()\n" * 2_000
    facts = survives(ladder.encode())
    assert len(facts.statements) == 1


def test_long_displays_are_data() -> None:
    facts = lower(b"a = [" + b"1," * 5_001 + b"]\nb = 1", "a.py")
    assert [show(getattr(s, "value", None)) for s in facts.statements] == [
        "?display of 5001 items?",
        "1",
    ]


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
def test_utf16_is_named_as_an_error(encoding: str) -> None:
    assert survives("class A: pass".encode(encoding)) == FileFacts(
        path="a.py", language="python", errors=(Span(1, 1, 1, 1),)
    )


@pytest.mark.parametrize(
    "content",
    [
        b"\xef\xbb\xbfclass A:\n\tx: int\n",
        b"class A:\r\n\tx: int\r\n",
        b"class A:\r\tx: int\r",
    ],
)
def test_marks_and_line_ends(content: bytes) -> None:
    facts = survives(content)
    assert facts.errors == ()
    assert [line for c in facts.classes for line in show_class(c)] == [
        "class A()",
        "  field x: int",
    ]
    assert facts.classes[0].members[0].name_span == Span(2, 2, 2, 3)


def test_encoding_cookie() -> None:
    facts = survives("# coding: latin-1\nx = 'é'\n".encode("latin-1"))
    assert show(getattr(facts.statements[0], "value", None)) == "'é'"
    assert survives(b"# coding: nonsense\nx = '\xe9'\n").errors == ()


def test_broken_code_does_not_hide_what_follows() -> None:
    facts = survives(b"class A:\n    x: int\ndef broken(:\n    pass\nclass B:\n    y: int\n")
    assert facts.errors != ()
    assert [c.name for c in facts.classes] == ["A", "B"]


def test_nul_bytes_and_odd_characters() -> None:
    facts = survives(b"x = 1\x00\nclass B:\n    y = '\\ud800\xff'\n")
    assert [c.name for c in facts.classes] == ["B"]
    assert show(facts.classes[0].members[0].value) == "'\ufffd\ufffd'"
