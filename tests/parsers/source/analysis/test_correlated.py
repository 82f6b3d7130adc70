"""A first null that later statements replace: left for certain, or only perhaps."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.parsers.source.analysis.support import returned

LOAD = """
def load() -> str: ...
"""


def last(root: Path, body: str) -> str:
    """What the last return of a function gives."""
    lines = "".join(f"    {line}\n" for line in body.strip().splitlines())
    return returned(root, f"{LOAD}\ndef f(flag, other, items):\n{lines}")[-1]


@pytest.mark.parametrize(
    "body",
    [
        "x = None\nif flag:\n    x = load()\nreturn x",
        "x = None\nfor item in items:\n    x = load()\nreturn x",
        "x = None\ntry:\n    x = load()\nexcept ValueError:\n    pass\nreturn x",
        "if flag:\n    x = load()\nelse:\n    x = None\nreturn x",
        # A test of something else does not keep these ways from the end.
        "x = None\nif not other:\n    raise KeyError\nif flag:\n    x = load()\nreturn x",
        "x = None\nif flag:\n    x = load()\nif other:\n    return x\nreturn x",
    ],
)
def test_null_is_left_where_nothing_else_decides(tmp_path: Path, body: str) -> None:
    assert last(tmp_path, body) == "string:?"


@pytest.mark.parametrize(
    "body",
    [
        # Several statements may replace it.
        "x = None\nif flag:\n    x = load()\nif not flag:\n    x = load()\nreturn x",
        "x = None\ndone = False\nif flag:\n    x = load()\n    done = True\n"
        "if not done:\n    x = load()\nreturn x",
        # A test that has to do with it leaves first, or leads there.
        "x = None\nif not flag:\n    raise KeyError\nif flag:\n    x = load()\nreturn x",
        "x = None\nif flag:\n    x = load()\nif not flag:\n    return 1\nreturn x",
        "x = None\nok = False\nif flag:\n    x = load()\n    ok = True\n"
        "if not ok:\n    raise KeyError\nreturn x",
        "if flag:\n    x = load()\nelse:\n    x = None\nif not flag:\n    raise KeyError\nreturn x",
        "try:\n    x = None\n    if flag:\n        x = load()\n"
        "except OSError:\n    raise KeyError\nif not flag:\n    raise KeyError\nreturn x",
    ],
)
def test_null_is_open_where_the_ways_may_not_meet(tmp_path: Path, body: str) -> None:
    assert last(tmp_path, body) == "string:~"


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("x = None\nif flag:\n    x = load()\nif flag:\n    return x\nelse:\n    return x", "null"),
        (
            "if flag:\n    x = load()\nelse:\n    x = 1\nreturn 2 if not flag else x",
            "(integer:(2,)|string:)",
        ),
        # Another value of the condition, or a list that is filled in between.
        (
            "if flag:\n    x = load()\nelse:\n    x = 1\nflag = other\nif flag:\n    return x",
            "(string:|integer:(1,))",
        ),
        (
            "items = []\nif items:\n    x = load()\nelse:\n    x = 1\nitems.append(2)\n"
            "if items:\n    return x",
            "(string:|integer:(1,))",
        ),
    ],
)
def test_a_repeated_condition_tells_which_value_is_left(
    tmp_path: Path, body: str, expected: str
) -> None:
    assert last(tmp_path, body) == expected


def test_what_may_be_null_is_asked_for_its_members_as_null_is(tmp_path: Path) -> None:
    body = (
        "x = None\nif flag:\n    x = {'a': 1}\nif not flag:\n    x = {'a': 2}\n"
        "return {'a': x['a'], 'b': x}"
    )
    assert last(tmp_path, body) == (
        "{aTrue:integer:(1, 2),bTrue:({aTrue:integer:(1,);;}|{aTrue:integer:(2,);;})~;;}"
    )
