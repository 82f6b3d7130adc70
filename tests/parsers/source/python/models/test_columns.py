"""Attributes of SQLAlchemy models that views send one by one, and classes that write themselves."""

from __future__ import annotations

from pathlib import Path

from tests.parsers.source.python.project import project, shape


def given(root: Path, source: str) -> str:
    """What the function `sent` of a module gives."""
    program = project(root, {"app.py": source})
    found = program.names.lookup("sent", program.module_scope(program.facts("app.py")))
    [result] = program.function_exits(found)  # type: ignore[arg-type]
    assert result.value is not None
    return shape(program, program.infer(result.value, result.scope))


def test_columns_of_a_model(tmp_path: Path) -> None:
    source = """
        from sqlalchemy import Boolean, Column, DateTime, Integer, Numeric, String
        class Order(Base):
            id = Column(Integer, primary_key=True)
            title = Column(String(20), nullable=False)
            note = Column(String)
            paid = Column(Boolean, nullable=False)
            made = Column(DateTime, nullable=False)
            total = Column(Numeric, nullable=False)
        def sent(order: Order):
            return {
                "id": order.id, "title": order.title, "note": order.note, "paid": order.paid,
                "made": order.made, "total": order.total,
            }
        """
    assert given(tmp_path, source) == (
        "{id: integer, title: string, note: string~, paid: boolean, made: string, "
        "total: unknown: how the column is written is not known}"
    )


def test_types_of_columns_that_the_project_decorates(tmp_path: Path) -> None:
    source = """
        from sqlalchemy import Column, Integer, String, TypeDecorator
        class LowerCase(TypeDecorator):
            impl = String
            def process_bind_param(self, value, dialect):
                return value.lower()
        class Cents(TypeDecorator):
            impl = Integer
            def process_result_value(self, value, dialect) -> float | None:
                return value / 100
        class Opaque(TypeDecorator):
            impl = Integer
            def process_result_value(self, value, dialect):
                return load(value)
        class Order(Base):
            name = Column(LowerCase, nullable=False)
            total = Column(Cents(), nullable=False)
            lines = Column(Opaque, nullable=False)
        def sent(order: Order):
            return {"name": order.name, "total": order.total, "lines": order.lines}
        """
    assert given(tmp_path, source) == (
        "{name: string, total: number, lines: unknown: the type of the column is undetermined}"
    )


def test_hybrid_properties_are_no_functions(tmp_path: Path) -> None:
    source = """
        from sqlalchemy import Column, Integer
        from sqlalchemy.ext.hybrid import hybrid_property
        class Order(Base):
            id = Column(Integer, primary_key=True)
            @hybrid_property
            def json_model(self):
                return {"id": self.id}
        def sent(order: Order):
            return order.json_model
        """
    assert given(tmp_path, source) == "{id: integer}"


def test_a_class_that_the_renderer_asks_how_it_is_written(tmp_path: Path) -> None:
    source = """
        from typing import Any
        class Order(Base):
            def __json__(self, request) -> dict[str, Any]:
                return {"id": 1, "open": True}
        def sent(order: Order):
            return order
        """
    assert given(tmp_path, source) == "{id: integer[1], open: boolean[True]}"
