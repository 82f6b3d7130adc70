"""What may be left out of the text of a file, since nothing that is taken from it changes."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from contract_scan.parsers.source.discovery.normalised_source import (
    LOOKED_THROUGH,
    UNREAD,
    same_essence,
)
from contract_scan.parsers.source.facts.nodes import declared_functions
from contract_scan.parsers.source.languages import SUFFIXES, load

BOOKSHOP = Path(__file__).parents[3] / "fixtures" / "projects" / "bookshop"
CALLS = (b".get(", b"publish")

PYTHON = """\
import orders
from shop import app

class Order:
    number: int = 1

    def total(self):
        rate = 2
        return self.number * rate

QUERY = '''
select *

from orders
'''
"""
TYPESCRIPT = """\
import { app } from "./app";
import { shop } from "./shop";
export class Order {
  number = 1;
  total() {
    return this.number * 2;
  }
}
const text = `
a

b`;
"""
CSHARP = """\
using System;
using Shop;
public class Order
{
    public int Number { get; set; }
    public int Total()
    {
        return Number * 2;
    }
}
"""
JAVA = """\
package shop;
import java.util.List;
public class Order {
    public int number;
    public int total() {
        return number * 2;
    }
}
"""
TEXTS = {"o.py": PYTHON, "o.ts": TYPESCRIPT, "o.cs": CSHARP, "o.java": JAVA}
TOTAL = {"o.py": [7, 9, UNREAD], "o.ts": [5, 7, UNREAD], "o.cs": [6, 9, UNREAD],
         "o.java": [5, 7, UNREAD]}  # fmt: skip
SIGNS = {"o.py": "#", "o.ts": "//", "o.cs": "//", "o.java": "//"}


def judged(path: str, new: str, functions: list[int] | None = None) -> list[int] | None:
    return same_essence(path, TEXTS[path].encode(), new.encode(), functions or [], CALLS)


def after_line(path: str, line: int, text: str) -> str:
    lines = TEXTS[path].split("\n")
    return "\n".join([*lines[:line], text, *lines[line:]])


every_language = pytest.mark.parametrize("path", TEXTS)


@every_language
def test_a_comment_changes_nothing_and_moves_what_follows(path: str) -> None:
    sign = SIGNS[path]
    first, last, how = TOTAL[path]
    for line in (3, first - 1):
        new = after_line(path, line, f"    {sign} said of what follows\n")
        assert judged(path, new, TOTAL[path]) == [first + 2, last + 2, how]
    assert judged(path, TEXTS[path] + f"{sign} the end\n", TOTAL[path]) == TOTAL[path]


@every_language
def test_a_comment_beside_another_changes_nothing(path: str) -> None:
    sign = SIGNS[path]
    old = after_line(path, 3, f"    {sign} one")
    new = after_line(path, 3, f"    {sign} two\n    {sign} one\n    {sign} three")
    assert same_essence(path, old.encode(), new.encode(), [], CALLS) == []
    assert same_essence(path, new.encode(), old.encode(), [], CALLS) == []


@every_language
def test_a_comment_behind_a_statement_changes_nothing(path: str) -> None:
    lines = TEXTS[path].split("\n")
    line = 4 if path in ("o.py", "o.cs") else 3
    lines[line] += f"  {SIGNS[path]} a word"
    assert judged(path, "\n".join(lines), TOTAL[path]) == TOTAL[path]


@every_language
def test_blank_lines_between_lines_change_nothing(path: str) -> None:
    assert judged(path, after_line(path, 2, "\n\n")) == []


@pytest.mark.parametrize("path", ["o.py", "o.ts"])
def test_blank_lines_in_a_text_count(path: str) -> None:
    lines = TEXTS[path].split("\n")
    assert judged(path, after_line(path, len(lines) - 4, "")) is None
    assert judged(path, TEXTS[path].replace("\n\n", "\n")) is None


@every_language
@pytest.mark.parametrize("said", ["shop.get(1)", "import shop", "require it", "publish"])
def test_a_comment_that_may_count_does(path: str, said: str) -> None:
    assert judged(path, after_line(path, 3, f"    {SIGNS[path]} {said}")) is None


def test_a_comment_at_the_top_counts() -> None:
    for line in (0, 1):
        assert judged("o.py", after_line("o.py", line, "# -*- coding: latin-1 -*-")) is None


def test_lines_above_what_may_name_the_encoding_count() -> None:
    old = "import a\n\n# coding: latin-1\nb = 1\n"
    for new in (old[9:], "\n" + old):
        assert same_essence("o.py", old.encode(), new.encode(), [], CALLS) is None
    later = old + "\n\nc = 1\n" * 100
    assert same_essence("o.py", later.encode(), f"{later}\n# d\n".encode(), [], CALLS) == []


def test_the_word_coding_says_nothing_outside_of_python() -> None:
    old = "namespace Media.Encoding;\n\npublic class Order { public int Id { get; set; } }\n"
    new = old.replace("public class", "// one\npublic class")
    assert same_essence("Order.cs", old.encode(), new.encode(), [], CALLS) == []
    assert (
        same_essence("Order.cs", old.encode(), new.replace("Id", "No").encode(), [], CALLS) is None
    )


@every_language
def test_a_comment_inside_an_expression_counts(path: str) -> None:
    sign = "\\\n# x\n" if path == "o.py" else "/* x */"
    old = "2\n" if path == "o.py" else "2;"
    assert judged(path, TEXTS[path].replace(old, sign + old)) is None


@every_language
def test_what_looks_like_a_comment_in_a_text_is_none(path: str) -> None:
    opened, closed = ("'''", "'''") if path == "o.py" else ("`", "`")
    if path in ("o.cs", "o.java"):
        opened, closed = '"', '"'
    text = TEXTS[path].replace("2", f"{opened}{SIGNS[path]} a{closed}")
    other = text.replace(" a", " b")
    assert same_essence(path, text.encode(), other.encode(), [], CALLS) is None
    assert text != other


@every_language
def test_the_statements_of_an_unread_function_may_change(path: str) -> None:
    new = TEXTS[path].replace("2", "3\n        + 4" if path != "o.py" else "3\n        rate += 4")
    first, last, how = TOTAL[path]
    assert judged(path, new, TOTAL[path]) == [first, last + 1, how]
    assert judged(path, new) is None


@every_language
def test_a_call_or_an_import_in_a_function_counts(path: str) -> None:
    for word in ("shop.get(1)", "publish(1)", "require(1)"):
        assert judged(path, TEXTS[path].replace("2", word), TOTAL[path]) is None


@every_language
def test_the_head_of_an_unread_function_counts(path: str) -> None:
    new = TEXTS[path].replace("otal(", "otals(")
    assert judged(path, new, TOTAL[path]) is None


@every_language
def test_every_byte_counts_of_a_function_that_was_looked_through(path: str) -> None:
    first, last, _ = TOTAL[path]
    looked = [first, last, LOOKED_THROUGH]
    assert judged(path, after_line(path, first, f"    {SIGNS[path]} x"), looked) is None
    moved = after_line(path, 3, f"    {SIGNS[path]} x")
    assert judged(path, moved, looked) == [first + 1, last + 1, LOOKED_THROUGH]


@pytest.mark.parametrize(
    "edit",
    [
        lambda text: text + "\n}{\n",
        lambda text: text.replace("\n", "\r", 1),
        lambda text: text + "\0",
    ],
    ids=["not parsed", "lone returns", "zero bytes"],
)
def test_a_text_that_is_not_understood_counts(edit: Callable[[str], str]) -> None:
    for path, text in TEXTS.items():
        assert judged(path, edit(text)) is None


def test_text_that_is_no_utf8_and_other_files_count() -> None:
    assert same_essence("o.py", b"a = 1\n", b"a = 1\n\n\n# \xff\n", [], ()) is None
    assert same_essence("o.rb", b"a = 1\n", b"a = 1\n\n", [], ()) is None


def test_line_ends_and_a_mark_at_the_top_change_nothing_else() -> None:
    old = b"\xef\xbb\xbf" + CSHARP.replace("\n", "\r\n").encode()
    new = old.replace(b"    public int N", b"    // the number\r\n    public int N")
    assert same_essence("o.cs", old, new, TOTAL["o.cs"], CALLS) == [7, 10, UNREAD]


# ---------------------------------------------------------------------- any edit

PIECES = ("# c", "// c", "/* c */", "/* a\n b */", "", '"', "x = 1", "/** doc */", "{", "}",
          "return 1;", "pass", 'log("a")', "foo();", "<b>", "@a", "'''", "`", "///",
          "#if X")  # fmt: skip


def _edited(chance: random.Random, text: str) -> str:
    lines = text.split("\n")
    at = chance.randrange(len(lines))
    piece = chance.choice(PIECES)
    indent = lines[at][: len(lines[at]) - len(lines[at].lstrip())]
    match chance.randrange(5):
        case 0:
            lines.insert(at, indent + piece)
        case 1:
            lines[at] = f"{lines[at]} {piece}"
        case 2:
            del lines[at]
        case 3:
            lines.insert(at, lines[at])
        case _:
            column = chance.randint(0, len(lines[at]))
            lines[at] = lines[at][:column] + piece + lines[at][column:]
    return "\n".join(lines)


def _without_lines(value: object, name: str = "") -> object:
    """Facts but for the lines that something stands on, and where it ends: a comment behind a
    declaration belongs to it for some grammars."""
    if isinstance(value, dict):
        return {key: _without_lines(inner, key) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        if name in ("span", "name_span"):
            return value[1]
        return [_without_lines(inner, "nothing") for inner in value]
    return value


@pytest.mark.parametrize("suffix", [".py", ".ts", ".cs", ".java"])
def test_texts_of_one_essence_give_the_same_facts(suffix: str) -> None:
    chance = random.Random(suffix)
    language = load(SUFFIXES[suffix])
    files = sorted(BOOKSHOP.rglob(f"*{suffix}"))
    same = 0
    for _ in range(300):
        file = chance.choice(files)
        old = file.read_text(encoding="utf-8")
        facts = language.lower(old.encode(), file.name)
        read = {(f.span.line, f.span.end_line) for f in declared_functions(facts) if f.body}
        lines = {
            (f.span.line, f.span.end_line) for f in declared_functions(facts) if f.body is None
        }
        functions = [n for pair in sorted(lines - read) for n in (*pair, UNREAD)]
        new = _edited(chance, old)
        if same_essence(file.name, old.encode(), new.encode(), functions, language.calls) is None:
            continue
        same += 1
        others = language.lower(new.encode(), file.name)
        assert _without_lines(msgspec.to_builtins(others)) == _without_lines(
            msgspec.to_builtins(facts)
        ), (file.name, new)
    assert same > 30
