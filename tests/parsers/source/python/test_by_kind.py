"""Functions whose result depends on whether they are given a list or an object."""

from __future__ import annotations

from pathlib import Path

from tests.parsers.source.python.project import handled


def test_function_that_asks_whether_it_is_given_a_list(tmp_path: Path) -> None:
    source = """
        from fastapi import FastAPI
        app = FastAPI()
        def shown(order):
            if isinstance(order, (list, tuple)):
                return [shown(each) for each in order]
            return {"id": order.id}
        @app.get("/orders")
        def orders():
            return shown(load())
        """
    assert handled(tmp_path, "FastAPI", source) == [
        "GET /orders",
        "  200 application/json unknown: "
        "whether `shown` gives a list or an object depends on what it is given",
    ]


def test_function_that_asks_for_something_else_may_give_both(tmp_path: Path) -> None:
    source = """
        from fastapi import FastAPI
        app = FastAPI()
        def shown(order):
            if order.lines is None:
                return ["nothing"]
            return {"id": 1}
        @app.get("/orders")
        def orders():
            return shown(load())
        """
    assert handled(tmp_path, "FastAPI", source) == [
        "GET /orders",
        "  200 application/json ([string['nothing']] | {id: integer[1]})",
    ]
