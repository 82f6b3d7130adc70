"""Whether the objects of a dataclass are ever made with the null that a field of it allows."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.parsers.source.python.project import model

SHOP = """
    from dataclasses import dataclass
    @dataclass
    class Order:
        note: str | None = None
"""


@pytest.mark.parametrize(
    ("made", "note"),
    [
        ("", "?"),
        ("order = Order()", "?"),
        ("order = Order(note=None)", "?"),
        ("def made(): return Order", "?"),
        ('order = Order(note="x")', "~"),
        ('order = (Order)(note="x")', "~"),
        ('order = Order \\\n    (note="x")', "~"),
        ('order = (Order  # of today\n    (note="x"))', "~"),
        ('order = Order(note="x")\nother = Order()', "?"),
        ('order = Order()\norder.note = "x"', "~"),
        ('def made():\n    order = Order()\n    order.note = "x"', "~"),
        ('def made():\n    order = Order()\n    order. note = "x"', "~"),
        ("def read():\n    order = Order()\n    return order.note", "?"),
    ],
)
def test_fields_of_a_dataclass_that_are_never_made_null(
    tmp_path: Path, made: str, note: str
) -> None:
    others = {"made": f"from app import Order\n{made}\n"}
    assert model(tmp_path, SHOP, "Order", **others) == f"{{note=: string{note}}}"
