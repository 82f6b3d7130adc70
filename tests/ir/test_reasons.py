"""Every reason stands in the table once, is used, is filled in whole, and its page lists it."""

from __future__ import annotations

import ast
import os
import string
from collections import Counter
from functools import cache
from pathlib import Path

import msgspec
import pytest
from msgspec import Struct

import contract_scan
from contract_scan.ir.reasons import SECTIONS, Reason, advice_about, decode_reason, encode_reason

PACKAGE = Path(contract_scan.__file__).parent
PAGE = PACKAGE.parent / "docs" / "reasons.md"
TEXTS = {code: text for section in SECTIONS for code, text in section.texts.items()}


class Kept(Struct, frozen=True):
    """Something with a reason, as caches keep it."""

    reason: Reason


def parameters_of(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name}


@cache
def uses() -> list[tuple[str, str, set[str]]]:
    """Place, code and parameters of every reason that code names."""
    found = []
    for path in sorted(PACKAGE.rglob("*.py")):
        source = path.read_text(encoding="utf-8")
        for node in ast.walk(ast.parse(source)) if "Reason(" in source else ():
            match node:
                case ast.Call(func=ast.Name(id="Reason"), args=[ast.Constant(value=str(code))]):
                    place = f"{path.relative_to(PACKAGE)}:{node.lineno}"
                    names = {keyword.arg or "**" for keyword in node.keywords}
                    found.append((place, code, names))
    return found


def test_no_code_stands_in_the_table_twice() -> None:
    counted = Counter(code for section in SECTIONS for code in section.texts)
    assert [code for code, count in counted.items() if count > 1] == []


def test_every_reason_that_code_names_is_in_the_table_and_filled_in_whole() -> None:
    wrong = [
        (place, code, sorted(given))
        for place, code, given in uses()
        if code and (code not in TEXTS or given != parameters_of(TEXTS[code]))
    ]
    assert wrong == []


def test_every_reason_of_the_table_is_named_in_code() -> None:
    assert sorted(TEXTS.keys() - {code for _, code, _ in uses()}) == []


def test_a_reason_is_its_text_and_keeps_its_code() -> None:
    library = Reason("result-from-library", name="load", provider="a library")
    assert library == "the result of `load` comes from a library"
    assert (library.code, library.parameters) == (
        "result-from-library",
        {"name": "load", "provider": "a library"},
    )
    assert (
        advice_about(library.code)
        == "say its type where it is used: a return type, an annotation of the variable"
    )


def test_the_cause_of_a_reason_is_the_innermost_one() -> None:
    inner = Reason("result-from-library", name="load", provider="a library")
    outer = Reason("some-fields-undetermined", is_open=inner)
    assert outer == "some fields are undetermined: the result of `load` comes from a library"
    assert outer.cause is inner


def test_caches_keep_reasons_with_those_within_them() -> None:
    inner = Reason("result-from-library", name="load", provider="a library")
    kept = Kept(Reason("some-fields-undetermined", is_open=inner))
    written = msgspec.msgpack.encode(kept, enc_hook=encode_reason)
    read = msgspec.msgpack.decode(written, type=Kept, dec_hook=decode_reason)
    assert (read, read.reason.code, read.reason.cause) == (kept, kept.reason.code, inner)


def test_a_reason_of_another_version_is_not_read_from_a_cache() -> None:
    written = msgspec.msgpack.encode({"reason": ["not-a-code", {}]})
    with pytest.raises(msgspec.ValidationError, match="'not-a-code' is not known"):
        msgspec.msgpack.decode(written, type=Kept, dec_hook=decode_reason)


def page() -> str:
    """The page of all reasons, made of the table."""
    lines = [
        "# Reasons",
        "",
        "Why something is `undetermined`, or was not analysed: each reason with its code, as JSON"
        " gives it, and what",
        "can be done about it. `contract-scan explain` says the same of one place.",
    ]
    for section in SECTIONS:
        lines += ["", f"## {section.title}", "", f"What you can do: {section.advice}.", ""]
        lines += ["| code | text |", "|---|---|"]
        lines += [
            f"| `{code}` | {text.replace('|', chr(92) + '|').replace('{', '⟨').replace('}', '⟩')} |"
            for code, text in sorted(section.texts.items())
        ]
    return "\n".join(lines) + "\n"


def test_the_page_lists_every_reason() -> None:
    """`UPDATE_DOCS=1` writes it anew."""
    if os.environ.get("UPDATE_DOCS") == "1":
        PAGE.write_text(page(), encoding="utf-8")
    assert PAGE.read_text(encoding="utf-8") == page()


ENTRIES = ("NotAnalysed", "Undetermined")
"""Records that hold a reason as its text: of these the type checker does not see whether it has a
code."""


def reasons_given(tree: ast.Module) -> list[ast.expr]:
    """What a module gives as the reasons of entries; of a name, all that it assigns to it."""
    assigned: dict[str, list[ast.expr]] = {}
    given: list[ast.expr] = []
    for node in ast.walk(tree):
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                assigned.setdefault(name, []).append(value)
            case ast.Call(func=ast.Name(id=name)) if name in ENTRIES:
                given += (each.value for each in node.keywords if each.arg == "reason")
    return [
        value
        for each in given
        for value in (assigned.get(each.id, []) if isinstance(each, ast.Name) else [each])
    ]


def texts_in(value: ast.AST) -> list[str]:
    """Literal texts within an expression, but not those that a `Reason` is filled in with."""
    if isinstance(value, ast.Call | ast.Compare | ast.Subscript):
        return []
    if isinstance(value, ast.JoinedStr) or (
        isinstance(value, ast.Constant) and isinstance(value.value, str)
    ):
        return [ast.unparse(value)]
    return [text for child in ast.iter_child_nodes(value) for text in texts_in(child)]


def test_no_reason_is_written_where_it_is_given() -> None:
    sources = ((path, path.read_text(encoding="utf-8")) for path in sorted(PACKAGE.rglob("*.py")))
    written = [
        (path.relative_to(PACKAGE).as_posix(), text)
        for path, source in sources
        if any(f"{entry}(" in source for entry in ENTRIES)
        for value in reasons_given(ast.parse(source))
        for text in texts_in(value)
    ]
    assert written == []


def test_a_text_that_is_given_as_a_reason_is_found() -> None:
    module = ast.parse(
        "why = f'not {this}'\n"
        "NotAnalysed(path=path, reason=why)\n"
        "Undetermined(rule=ID, reason='a guess' if guessed else Reason('code', name='x'))\n"
    )
    assert [text for value in reasons_given(module) for text in texts_in(value)] == [
        "f'not {this}'",
        "'a guess'",
    ]
