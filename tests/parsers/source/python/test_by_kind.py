"""What differs with the kind of a value: functions given a list or an object, choices."""

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


def test_choice_of_a_column_that_is_of_the_kind_that_is_asked_for(tmp_path: Path) -> None:
    source = """
        import json
        from fastapi import FastAPI
        from sqlalchemy import Column, Text
        app = FastAPI()
        class Order(Base):
            lines = Column(Text, nullable=False)
            note = Column(Text)
        @app.get("/orders")
        def orders(order: Order):
            return {
                "lines": 1 if isinstance(order.lines, str) else order.lines,
                "note": 1 if isinstance(order.note, str) else order.note,
                "other": 1 if isinstance(order.lines, list) else order.lines,
            }
        """
    [_, *found] = handled(tmp_path, "FastAPI", source)
    assert found[-1] == (
        "  200 application/json {lines: integer[1], note: (integer[1] | string)~, other: string}"
    )


def test_key_of_an_object_that_computed_keys_were_given_several_kinds(tmp_path: Path) -> None:
    source = """
        from fastapi import FastAPI
        app = FastAPI()
        @app.get("/orders")
        def orders():
            order = {}
            for name in load():
                order[name] = 1
                order[name + "_text"] = "one"
            return {"id": order["id"]}
        """
    assert handled(tmp_path, "FastAPI", source) == [
        "GET /orders",
        "  200 application/json {id: unknown: `id` is not a member that can be seen}",
    ]
