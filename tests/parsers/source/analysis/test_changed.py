"""Objects that statements go on changing, also in functions that are handed them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.parsers.source.analysis.support import returned

HELPERS = """
KEY = "key"
def fill(m, value):
    m["extra"] = value
def sometimes(m):
    if KEY:
        m["maybe"] = True
    return m
def outer(m):
    fill(m, 2)
def again(m):
    again(m)
    m["x"] = 1
def replaced(m):
    m = {}
    m["lost"] = 1
def rows(items):
    items.append(1)
class Filler:
    def fill(self, m):
        m["by"] = "method"
"""


@pytest.mark.parametrize(
    ("body", "shape"),
    [
        ("m = {}\nfill(m, 1)\nreturn m", "{extraTrue:integer:(1,);;}"),
        (
            "m = {'a': 1}\nfill(value='x', m=m)\nreturn m",
            "{aTrue:integer:(1,),extraTrue:string:('x',);;}",
        ),
        ("m = {}\nsometimes(m)\nreturn m", "{maybeFalse:boolean:(True,);;}"),
        ("m = {}\nif flag:\n    fill(m, 1)\nreturn m", "{extraFalse:integer:(1,);;}"),
        ("m = {}\nouter(m)\nreturn m", "{extraTrue:integer:(2,);;}"),
        ("m = {}\nagain(m)\nreturn m", "{xTrue:integer:(1,);;}"),
        ("m = {}\nreplaced(m)\nreturn m", "{;;}"),
        ("m = {}\nFiller().fill(m)\nreturn m", "{byTrue:string:('method',);;}"),
        ("m = {}\nunknown(m)\nreturn m", "{;;}"),
        ("m = []\nrows(m)\nreturn m", "[;integer:(1,)]"),
        # What a loop puts in the place of every item.
        ("m = [1, 2]\nfor i, n in enumerate(m):\n    m[i] = 'x'\nreturn m", "[;string:('x',)]"),
        ("m = [1]\nfor i in range(len(m)):\n    m[i] = 'x'\nreturn m", "[;string:('x',)]"),
        (
            "m = [1]\nfor i in range(len(flag)):\n    m[i] = 'x'\nreturn m",
            "[;(integer:(1,)|string:('x',))]",
        ),
        # Keys that are constants of the project.
        ("m = {}\nm[KEY] = 1\nreturn m", "{keyTrue:integer:(1,);;}"),
        # What is put into something else goes on to be what its name holds.
        (
            "m = {}\nn = {'m': 1}\nn['m'] = m\nm['a'] = 1\nreturn n",
            "{mTrue:{aTrue:integer:(1,);;};;}",
        ),
        (
            "found = []\nfor each in flag:\n    row = {}\n    found.append(row)\n    row['a'] = 1\n"
            "return found",
            "[;{aTrue:integer:(1,);;}]",
        ),
        ("m = {}\nfound = []\nfound.append(m)\nm = {'b': 1}\nreturn found", "[;{;;}]"),
    ],
)
def test_changes(tmp_path: Path, body: str, shape: str) -> None:
    lines = "".join(f"    {line}\n" for line in body.splitlines())
    assert returned(tmp_path, f"{HELPERS}\ndef f(flag):\n{lines}") == [shape]


@pytest.mark.parametrize(
    ("body", "shape"),
    [
        ("x = {'a': []}\nx['a'].append(1)\nreturn x", "{aTrue:[;integer:(1,)];;}"),
        ("x = {'a': []}\nx.get('a').append(1)\nreturn x", "{aTrue:[;integer:(1,)];;}"),
        (
            "x = {'a': {'b': 1}}\nx['a']['c'] = 2\nreturn x",
            "{aTrue:{bTrue:integer:(1,),cTrue:integer:(2,);;};;}",
        ),
        ("x = {'a': {'b': 1}}\nx['c'].append(2)\nreturn x", "{aTrue:{bTrue:integer:(1,);;};;}"),
        ("x = {}\nx.setdefault('a', []).append(1)\nreturn x", "{aTrue:[;integer:(1,)];;}"),
        ("x = {}\nfor k in y:\n    x[k] = []\n    x[k].append(1)\nreturn x", "{;[;integer:(1,)];}"),
        (
            "x = {'a': {'b': 1}}\nif y:\n    x['a']['c'] = 2\nreturn x",
            "{aTrue:{bTrue:integer:(1,),cFalse:integer:(2,);;};;}",
        ),
    ],
)
def test_what_an_object_holds_may_be_changed(tmp_path: Path, body: str, shape: str) -> None:
    lines = "".join(f"    {line}\n" for line in body.splitlines())
    assert returned(tmp_path, f"def f(y):\n{lines}") == [shape]
