"""What a function gives that changes or replaces what it is handed."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.parsers.source.analysis.support import returned


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("d['x'] = 1\nreturn d", ["{idTrue:integer:(1,),xTrue:integer:(1,);;}"]),
        ("if k:\n    d['x'] = 1\nreturn d", ["{idTrue:integer:(1,),xFalse:integer:(1,);;}"]),
        (
            "d['x'] = d['id']\nreturn {'in': d}",
            ["{inTrue:{idTrue:integer:(1,),xTrue:integer:(1,);;};;}"],
        ),
        ("d = {'y': 1}\nreturn d", ["{yTrue:integer:(1,);;}"]),
        ("d = {**d, 'y': 2}\nreturn d", ["{idTrue:integer:(1,),yTrue:integer:(2,);;}"]),
        (
            "if k:\n    d = {'y': 1}\nreturn d",
            ["({idTrue:integer:(1,);;}|{yTrue:integer:(1,);;})"],
        ),
        # What happens after the place, and what another function of that name does, is no matter.
        ("a = {'in': d['id']}\nd['id'] = 'x'\nreturn a", ["{inTrue:integer:(1,);;}"]),
        ("def g(d):\n    d['x'] = 1\nreturn d", ["{idTrue:integer:(1,);;}"]),
    ],
)
def test_a_dict(tmp_path: Path, body: str, expected: list[str]) -> None:
    lines = "".join(f"    {line}\n" for line in body.splitlines())
    source = f"def changed(d, k):\n{lines}\ndef f(k):\n    return changed({{'id': 1}}, k)\n"
    assert returned(tmp_path, source) == expected


def test_a_list(tmp_path: Path) -> None:
    source = """
    def changed(items):
        items.append("x")
        return items

    def f():
        return changed([1, 2])
    """
    assert returned(tmp_path, source) == ["[;(integer:(1, 2)|string:('x',))]"]


def test_several_functions_one_after_the_other(tmp_path: Path) -> None:
    source = """
    def named(body):
        body["name"] = "n"
        return body

    def aged(body):
        body["age"] = 1
        return named(body)

    def f():
        body = {"id": 1}
        body = aged(body)
        return body
    """
    assert returned(tmp_path, source) == [
        "{idTrue:integer:(1,),ageTrue:integer:(1,),nameTrue:string:('n',);;}"
    ]
