"""A file that takes its parser too much work is named, and costs the scan nothing else."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from contract_scan.cli.main import main
from contract_scan.parsers.source.bounded_parse import (
    TOO_MUCH_MEMORY,
    TOO_MUCH_WORK,
    TOO_SLOW,
    parse,
)
from contract_scan.parsers.source.languages import load
from contract_scan.parsers.source.syntax_tree import parser_for

AMBIGUOUS = {
    "java": ("A.java", b"class A { void f() { a" + b"a<" * 40_000),
    "csharp": ("A.cs", b"class A { void F() { a" + b"a<" * 40_000),
    "typescript": ("a.ts", b"A<B,\n" * 40_000),
}
"""Each operator may begin type arguments, and the parser follows both readings to the end."""
BROKEN = {
    "java": ("A.java", b"class A { void f() { " + b"<a>" * 4_000),
    "csharp": ("A.cs", b"class A { void f() { " + b"*," * 4_000),
}
"""After each of these errors the parser tries many ways to go on."""
ROUTE = """
from fastapi import FastAPI
app = FastAPI()
@app.get("/things")
def things() -> list[str]:
    return []
"""


@pytest.mark.parametrize("name", BROKEN)
def test_parsing_ends_after_too_many_steps(name: str) -> None:
    path, text = BROKEN[name]
    facts = load(name).lower(text, path)
    assert facts.unread == TOO_MUCH_WORK
    assert facts.functions == facts.classes == facts.errors == ()


@pytest.mark.parametrize("name", AMBIGUOUS)
def test_parsing_ends_before_it_takes_too_much_memory(name: str) -> None:
    path, text = AMBIGUOUS[name]
    facts = load(name).lower(text, path)
    assert facts.unread == TOO_MUCH_MEMORY
    assert facts.functions == facts.classes == facts.errors == ()


@pytest.mark.parametrize("name", ["python", "typescript"])
def test_a_table_of_numbers_is_read(name: str) -> None:
    path = {"python": "a.py", "typescript": "a.ts"}[name]
    facts = load(name).lower(b"x = [" + b"1," * 100_000 + b"1]\nclass A: pass\n", path)
    assert facts.unread == ""


class CountingParser:
    """A parser that counts the texts it is given."""

    def __init__(self, path: str) -> None:
        self._parser = parser_for(path[-3:])
        self.texts = 0

    def parse(self, *given: Any, **named: Any) -> Any:
        self.texts += 1
        return self._parser.parse(*given, **named)


def test_a_text_that_takes_many_steps_is_parsed_once_for_all_who_ask() -> None:
    parser: Any = CountingParser("a.ts")
    text = b"x = [" + b"1," * 40_000 + b"1]\n"
    first = parse(parser, text)
    assert parse(parser, bytes(bytearray(text))).root_node == first.root_node
    assert parser.texts == 1
    assert parse(parser, text + b"y = 1;\n").root_node != first.root_node
    assert parser.texts == 2


def test_parsing_ends_after_too_long_in_few_steps() -> None:
    # At the end of each of these comments the scanner of Python looks at all that follow.
    text = b"def f():\n    return " + b"# a\n" * 60_000
    assert load("python").lower(text, "a.py").unread == TOO_SLOW


class Interrupted(bytes):
    """A text while the second part of which is read somebody presses Ctrl-C."""

    def __getitem__(self, part: Any) -> Any:
        if part.start:
            raise KeyboardInterrupt
        return super().__getitem__(part)


def test_an_interrupt_while_a_text_is_read_ends_the_parsing() -> None:
    source = Interrupted(b"export const a = { b: [1, 2, 3], c: (x) => x + 1 };\n" * 40_000)
    with pytest.raises(KeyboardInterrupt):
        parse(parser_for(".ts"), source)


def test_a_class_counts_by_its_last_declaration_at_the_top_level_only() -> None:
    text = (
        b"class A:\n    a: int\nif x:\n    class A:\n        b: int\nclass B: ...\nclass B: ...\n"
    )
    facts = load("python").lower(text, "a.py")
    assert [each.name for each in facts.classes] == ["A", "A", "B"]


def test_the_file_is_named_and_the_rest_is_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "app.py").write_text(ROUTE)
    (tmp_path / "openapi.yaml").write_text(
        "openapi: 3.1.0\ninfo: {title: t, version: '1'}\npaths:\n  /things:\n    get:\n"
        "      responses: {'200': {description: d, content: {application/json:"
        " {schema: {type: array, items: {type: string}}}}}}\n"
    )
    (tmp_path / "a.ts").write_bytes(b'import express from "express"; express().get("/b", f);\n')
    with (tmp_path / "a.ts").open("ab") as file:
        file.write(AMBIGUOUS["typescript"][1])
    words = ["check", str(tmp_path), "--output-format", "json", "--cache-dir", f"{tmp_path}-cache"]
    for _ in range(2):  # the second one from the cache
        assert main(words) == 2
        found = json.loads(capsys.readouterr().out)
        assert [(each["path"], each["code"]) for each in found["not_analysed"]] == [
            ("a.ts", TOO_MUCH_MEMORY)
        ]
        assert found["summary"]["verified"] == 1
