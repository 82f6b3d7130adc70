"""Keys that are set under two tests of which one always holds."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.parsers.source.analysis.support import returned

ALWAYS = "{idTrue:integer:(1,),aTrue:integer:(2, 3);;}"
PERHAPS = "{idTrue:integer:(1,),aFalse:integer:(2, 3);;}"


def given(root: Path, body: str) -> str:
    """What a function returns whose body changes `data`."""
    lines = "".join(f"    {line}\n" for line in body.strip().splitlines())
    source = f"def f(flag, other, items, order):\n    data = {{'id': 1}}\n{lines}    return data\n"
    return returned(root, source)[-1]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("flag", "not flag"),
        ("not flag", "flag"),
        ("flag is None", "flag is not None"),
        ("flag != 'a'", "flag == 'a'"),
        ("order.open", "not order.open"),
        ("not (flag and other)", "flag and other"),
    ],
)
def test_one_of_the_two_holds(tmp_path: Path, first: str, second: str) -> None:
    body = f"if {first}:\n    data['a'] = 2\nif {second}:\n    data['a'] = 3"
    assert given(tmp_path, body) == ALWAYS


@pytest.mark.parametrize(
    "body",
    [
        "if flag:\n    data['a'] = 2\nelse:\n    data['a'] = 3",
        "data['a'] = 1\nif flag:\n    data['a'] = 2\nelse:\n    data['a'] = 3",
        "if flag:\n    data['a'] = 2\nelif other:\n    data['a'] = 3\nelse:\n    data['a'] = 2",
        "if flag:\n    data['a'] = 2\nelif other:\n    return {}\nelse:\n    data['a'] = 3",
        "try:\n    data['a'] = 2\nexcept KeyError:\n    data['a'] = 3",
    ],
)
def test_every_way_sets_it(tmp_path: Path, body: str) -> None:
    assert given(tmp_path, body) == ALWAYS


@pytest.mark.parametrize(
    "body",
    [
        "if flag:\n    data['a'] = 2\nelif other:\n    data['a'] = 3",
        "if flag:\n    data['a'] = 2\n    del data['a']\nelse:\n    data['a'] = 3",
        "if flag:\n    data['a'] = 2\nif other:\n    data['a'] = 3",
        "if flag:\n    data['a'] = 2\nif flag:\n    data['a'] = 3",
        "if flag == 'a':\n    data['a'] = 2\nif flag != 'b':\n    data['a'] = 3",
        # What is asked has changed, or may have.
        "if flag:\n    data['a'] = 2\n    flag = other\nif not flag:\n    data['a'] = 3",
        "if flag:\n    data['a'] = 2\nflag = other\nif not flag:\n    data['a'] = 3",
        "if order.open:\n    data['a'] = 2\norder.open = 1\nif not order.open:\n    data['a'] = 3",
        "if items.pop():\n    data['a'] = 2\nif not items.pop():\n    data['a'] = 3",
        # Another test stands around one of the two.
        "if other:\n    if flag:\n        data['a'] = 2\nif not flag:\n    data['a'] = 3",
        "for x in items:\n    if flag:\n        data['a'] = 2\nif not flag:\n    data['a'] = 3",
        "if flag:\n    data['a'] = 2\nif other:\n    if not flag:\n        data['a'] = 3",
    ],
)
def test_neither_may_hold(tmp_path: Path, body: str) -> None:
    assert given(tmp_path, body) == PERHAPS


def test_a_test_around_that_of_the_value_is_kept_in_mind(tmp_path: Path) -> None:
    source = """
    def load() -> str: ...

    def f(flag):
        value = load()
        body = {}
        if flag:
            if value is not None:
                body["a"] = value
        return body
    """
    assert returned(tmp_path, source) == ["{aFalse:string:;;}"]
