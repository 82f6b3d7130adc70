"""Objects of databases as views send them: by their columns, as dicts, and as they are."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.parsers.source.python.models.test_queries import sent
from tests.parsers.source.python.project import handled

TORTOISE = """
    from enum import Enum
    from tortoise import fields
    from tortoise.models import Model
    class Kind(str, Enum):
        BIG = "big"
    class Shop(Model):
        name = fields.CharField(max_length=9)
    class Order(Model):
        note = fields.TextField(null=True)
        paid = fields.BooleanField(default=False)
        made = fields.DatetimeField(auto_now_add=True)
        total = fields.DecimalField(max_digits=9, decimal_places=2)
        kind = fields.CharEnumField(Kind)
        shop = fields.ForeignKeyField("models.Shop", related_name="orders")
    class Line(Model):
        key = fields.UUIDField(pk=True)
        order = fields.ForeignKeyField("models.Order", related_name="lines", null=True)
"""
PEEWEE = """
    from peewee import AutoField, BooleanField, CharField, ForeignKeyField, IntegerField, Model
    from playhouse.shortcuts import model_to_dict
    class Base(Model):
        class Meta:
            database = None
    class Shop(Base):
        key = AutoField()
        name = CharField()
    class Order(Base):
        shop = ForeignKeyField(Shop, backref="orders", null=True)
        count = IntegerField(null=True)
"""
DJANGO = """
    from django.db import models
    from django.forms.models import model_to_dict
    class Shop(models.Model):
        name = models.CharField(max_length=9)
    class Tag(models.Model):
        text = models.CharField(max_length=9)
    class Order(models.Model):
        note = models.TextField(null=True)
        made = models.DateTimeField(auto_now_add=True)
        shop = models.ForeignKey(Shop, on_delete=models.CASCADE, related_name="orders")
        class Meta:
            ordering = ["id"]
    class Tagged(models.Model):
        tags = models.ManyToManyField(Tag)
"""
ALCHEMY = """
    from sqlalchemy import Column, Float, Integer, String, inspect
    from sqlalchemy.orm import DeclarativeBase, Mapped, declarative_base, relationship
    class Base(DeclarativeBase):
        def as_map(self):
            return {c.name: getattr(self, c.name) for c in self.__table__.columns}
    class Order(Base):
        __tablename__ = "orders"
        id = Column(Integer, primary_key=True)
        note: Mapped[str | None]
        lines = relationship("Line")
"""


@pytest.mark.parametrize(
    ("expression", "shape"),
    [
        ("(await Order.get(id=1)).id", "integer"),
        ("(await Order.get(id=1)).note", "string?"),
        ("(await Order.get(id=1)).shop_id", "integer"),
        ("(await Order.get(id=1)).shop.name", "string"),
        ("(await Order.create(paid=True)).paid", "boolean"),
        ("(await Order.get_or_create(paid=True))[0].kind", "string['big']"),
        ("[o.made for o in (await Shop.get(id=1)).orders]", "[string]"),
        ("(await Line.get(key=id)).order_id", "integer?"),
        ("(await Line.get(key=id)).pk", "string:uuid"),
        ("await Shop.all().values()", "[{id: integer, name: string}]"),
        ("await Order.filter(paid=True).values('id', 'note')", "[{id: integer, note: string?}]"),
        ("await Shop.all().values_list('name', flat=True)", "[string]"),
        (
            "(await Order.get(id=1)).total",
            "unknown: how a field of class `DecimalField` is written is not known",
        ),
    ],
)
def test_objects_of_tortoise(tmp_path: Path, expression: str, shape: str) -> None:
    assert sent(tmp_path, TORTOISE, f"return {expression}") == shape


@pytest.mark.parametrize(
    ("expression", "shape"),
    [
        ("Order.get_by_id(1).id", "integer"),
        ("Order.get_by_id(1).shop.name", "string"),
        ("Order.get_by_id(1).shop_id", "integer?"),
        ("[o.count for o in Shop.get_by_id(1).orders]", "[integer?]"),
        ("Shop.create(name='x').key", "integer"),
        ("list(Order.select().dicts())", "[{id: integer, shop: integer?, count: integer?}]"),
        (
            "[model_to_dict(o) for o in Order.select()]",
            "[{id: integer, shop: {key: integer, name: string}?, count: integer?}]",
        ),
        (
            "model_to_dict(Order.get_by_id(1), recurse=False)",
            "{id: integer, shop: integer?, count: integer?}",
        ),
        (
            "model_to_dict(Order.get_by_id(1), backrefs=True)",
            "unknown: the result of `playhouse.shortcuts.model_to_dict` comes from a library",
        ),
        (
            "list(Order.select(Order.id).dicts())",
            "[unknown: the items that `app.py#Order.select().dicts` gives come from a library]",
        ),
    ],
)
def test_objects_of_peewee(tmp_path: Path, expression: str, shape: str) -> None:
    assert sent(tmp_path, PEEWEE, f"return {expression}") == shape


@pytest.mark.parametrize(
    ("expression", "shape"),
    [
        ("Order.objects.get(pk=1).id", "integer"),
        ("Order.objects.create(note='x').shop_id", "integer"),
        ("[o.note for o in Shop.objects.get(pk=1).orders.all()]", "[string?]"),
        ("[t.text for t in Tagged.objects.get(pk=1).tags.all()]", "[string]"),
        (
            "list(Order.objects.filter(pk=1).values('id', 'shop__name'))",
            "[{id: integer, shop__name: string}]",
        ),
        ("list(Order.objects.values_list('id', 'note'))", "[(integer, string?)]"),
        (
            "model_to_dict(Order.objects.get(pk=1))",
            "{id: integer, note: string?, shop: integer}",
        ),
        ("model_to_dict(Order.objects.get(pk=1), fields=['id'])", "{id: integer}"),
        (
            "model_to_dict(Order.objects.get(pk=1), exclude=('id', 'shop'))",
            "{note: string?}",
        ),
        (
            "model_to_dict(Tagged.objects.get(pk=1))",
            "unknown: the result of `django.forms.models.model_to_dict` comes from a library",
        ),
    ],
)
def test_objects_of_django(tmp_path: Path, expression: str, shape: str) -> None:
    assert sent(tmp_path, DJANGO, f"return {expression}") == shape


@pytest.mark.parametrize(
    "expression",
    [
        "o.as_map()",
        "{c.key: getattr(o, c.key) for c in inspect(o).mapper.column_attrs}",
        "{c.name: getattr(o, c.name) for c in Order.__table__.c}",
    ],
)
def test_columns_of_sqlalchemy_by_their_names(tmp_path: Path, expression: str) -> None:
    body = f"o = session.query(Order).one()\nreturn {expression}"
    assert sent(tmp_path, ALCHEMY, body) == "{id: integer, note: string?}"


def test_objects_that_the_encoder_of_fastapi_writes_as_they_are(tmp_path: Path) -> None:
    source = """
        from typing import Annotated
        from decimal import Decimal
        import not_there
        from fastapi import Depends, FastAPI
        from fastapi.encoders import jsonable_encoder
        from fastapi.responses import JSONResponse
        from sqlalchemy import Column, DateTime, ForeignKey, Integer, Numeric, String, select
        from sqlalchemy.orm import DeclarativeBase, Mapped, Session, mapped_column, relationship
        class Base(DeclarativeBase): ...
        class Shop(Base):
            __tablename__ = "shops"
            id: Mapped[int] = mapped_column(primary_key=True)
            price = Column(Numeric, nullable=False)
            made = Column(DateTime)
            name: Mapped[str | None]
        class Order(Base):
            __tablename__ = "orders"
            id = Column(Integer, primary_key=True)
            shop_id = Column(Integer, ForeignKey("shops.id"), nullable=False)
            shop = relationship(Shop)
        def opened(): ...
        Opened = Annotated[Session, Depends(opened)]
        app = FastAPI()
        @app.get("/a")
        def a(db: Opened): return db.query(Shop).all()
        @app.get("/b")
        def b(db: Opened): return {"order": db.get(Order, 1)}
        @app.get("/c")
        def c(db: Opened):
            return JSONResponse(jsonable_encoder(db.scalars(select(Shop)).one()))
        @app.get("/d", response_model=not_there.ShopOut)
        def d(db: Opened): return db.get(Shop, 1)
        """
    shop = "{id: integer, price: number, made: string:date-time~, name: string?}"
    undetermined = "unknown: how deep a relation is loaded is not known"
    order = f"{{id: integer, shop_id: integer, shop~: {undetermined}}}"
    assert handled(tmp_path, "FastAPI", source) == [
        "GET /a",
        f"  200 application/json [{shop}]",
        "GET /b",
        f"  200 application/json {{order: {order}?}}",
        "GET /c",
        f"  200 application/json {shop}",
        "GET /d",
        "  200 application/json unknown: type `not_there.ShopOut` comes from a library",
    ]


def test_columns_of_a_base_class_that_is_not_seen(tmp_path: Path) -> None:
    models = """
        from fastapi_users.db import SQLAlchemyBaseUserTable
        from sqlalchemy.orm import DeclarativeBase, Mapped
        class Base(DeclarativeBase): ...
        class User(SQLAlchemyBaseUserTable, Base):
            __tablename__ = "users"
            note: Mapped[str]
            def to_map(self):
                return {c.name: getattr(self, c.name) for c in self.__table__.columns}
        """
    assert sent(tmp_path, models, "return session.get(User, 1).to_map()") == (
        "{*: unknown: the result of `getattr` comes from a library}"
    )


PLAIN = """
    class Base:
        def __init__(self, id: int):
            self.id = id
    class Order(Base):
        def __init__(self, id: int, note: str | None = None):
            super().__init__(id)
            self.note = note
            self.lines = []
    class Late:
        def __init__(self):
            self.a = 1
        def load(self):
            self.b = 2
"""


@pytest.mark.parametrize(
    ("expression", "shape"),
    [
        ("Order(id).__dict__", "{id: integer, note: string?, lines: [nothing]}"),
        ("vars(Order(id))", "{id: integer, note: string?, lines: [nothing]}"),
        ("getattr(Order(id), 'note')", "string?"),
        ("Late().__dict__", "unknown: `__dict__` is not a member that can be seen"),
    ],
)
def test_what_plain_objects_hold(tmp_path: Path, expression: str, shape: str) -> None:
    assert sent(tmp_path, PLAIN, f"return {expression}") == shape


def test_columns_say_more_than_what_is_not_known_of_their_values(tmp_path: Path) -> None:
    models = """
        import json
        from flask import request
        from dataclasses import dataclass
        from flask_sqlalchemy import SQLAlchemy
        db = SQLAlchemy()
        class Order(db.Model):
            id = db.Column(db.Integer, primary_key=True)
            note = db.Column(db.String, nullable=False)
        @dataclass
        class Line:
            text: str
        """
    body = """
        data = request.get_json()
        order, line = Order(note=data["note"]), Line(data["text"])
        return {"note": order.note, "text": line.text}
        """
    assert sent(tmp_path, models, body) == "{note: string, text: string}"
