"""What queries of object mappers give, by what views send of it."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from tests.parsers.source.python.project import handled, project, shape

FLASK = """
    from flask_sqlalchemy import SQLAlchemy
    from sqlalchemy import func, select
    from sqlalchemy.orm import Session
    db = SQLAlchemy()
    class Customer(db.Model):
        id = db.Column(db.Integer, primary_key=True)
        name = db.Column(db.String, nullable=False)
        orders = db.relationship("Order", backref="customer")
    class Order(db.Model):
        id = db.Column(db.Integer, primary_key=True)
        note = db.Column(db.String)
        owner = db.relationship(Customer)
        def to_dict(self): return {"id": self.id}
"""


def sent(root: Path, models: str, body: str) -> str:
    """What the function `sent` gives, whose statements are given."""
    source = textwrap.dedent(models) + "def sent(session, typed: 'Session', id: int):\n"
    source += textwrap.indent(textwrap.dedent(body).strip(), "    ") + "\n"
    program = project(root, {"app.py": source})
    found = program.names.lookup("sent", program.module_scope(program.facts("app.py")))
    [result] = program.function_exits(found)  # type: ignore[arg-type]
    assert result.value is not None
    return shape(program, program.infer(result.value, result.scope))


@pytest.mark.parametrize(
    "query",
    [
        "Order.query.all()",
        "Order.query.filter_by(id=1).order_by(Order.id).offset(1).limit(2).all()",
        "Order.query",
        "db.session.query(Order).join(Customer).all()",
        "db.session.execute(db.select(Order).where(Order.id == 1)).scalars().all()",
        "db.session.scalars(select(Order)).unique()",
        "typed.scalars(select(Order)).all()",
        "session.query(Order).filter(Order.id == 1).all()",
        "session.exec(select(Order)).all()",
        "db.session.get(Customer, id).orders",
        "Order.query.paginate(page=1).items",
        "list(Order.query)",
        "[row[0] for row in session.execute(select(Order)).all()]",
        "[row[0] for row in db.session.query(Order, Customer)]",
    ],
)
def test_lists_of_objects(tmp_path: Path, query: str) -> None:
    assert sent(tmp_path, FLASK, f"return [o.to_dict() for o in {query}]") == "[{id: integer}]"


@pytest.mark.parametrize(
    "query",
    [
        "Order.query.get(id)",
        "Order.query.get_or_404(id)",
        "Order.query.filter_by(id=id).first()",
        "db.session.get(Order, id)",
        "db.get_or_404(Order, id)",
        "session.get(Order, id)",
        "typed.scalar(select(Order))",
        "session.execute(select(Order)).scalar_one_or_none()",
        "session.scalars(select(Order)).first()",
        "db.session.query(Order).one_or_none()",
    ],
)
def test_single_objects(tmp_path: Path, query: str) -> None:
    body = f"order = {query}\nreturn {{'note': order.note, 'owner': order.owner.name}}"
    assert sent(tmp_path, FLASK, body) == "{note: string~, owner: string}"


def test_pages_and_columns(tmp_path: Path) -> None:
    body = """
        page = Order.query.order_by(Order.id).paginate(page=1, per_page=9)
        return {
            "total": page.total, "more": page.has_next,
            "count": session.query(func.count(Order.id)).scalar() or 0,
            "names": [name for id, name in session.query(Customer.id, Customer.name)],
        }
        """
    expected = "{total: integer, more: boolean, count: integer, names: [string]}"
    assert sent(tmp_path, FLASK, body) == expected


@pytest.mark.parametrize(
    "query",
    [
        "Order.query.with_entities(Order.id).all()",
        "session.query(func.count(Order.id)).all()",
        "cache.query.all()",
        "session.other(Order).all()",
    ],
)
def test_rows_that_are_undetermined(tmp_path: Path, query: str) -> None:
    told = sent(tmp_path, FLASK, f"return [o.to_dict() for o in {query}]")
    assert told.startswith("[unknown: ")


@pytest.mark.parametrize(
    ("library", "query"),
    [
        ("from tortoise.models import Model", "await Order.all()"),
        ("from tortoise.models import Model", "await Order.filter(id=1).order_by('id')"),
        ("from beanie import Document as Model", "await Order.find_all().to_list()"),
        ("from mongoengine import Document as Model", "Order.objects(id=1)"),
        ("from mongoengine import Document as Model", "Order.objects"),
        ("from peewee import Model", "Order.select().where(Order.id == 1)"),
        ("from django.db.models import Model", "Order.objects.filter(id=1).select_related('a')"),
    ],
)
def test_lists_of_other_mappers(tmp_path: Path, library: str, query: str) -> None:
    models = f"""
        {library}
        class Order(Model):
            def to_dict(self): return {{"id": int(self.id)}}
        """
    body = f"return [o.to_dict() for o in {query}]"
    assert sent(tmp_path, models, body) == "[{id: integer}]"


@pytest.mark.parametrize(
    ("library", "query"),
    [
        ("from tortoise.models import Model", "await Order.get_or_none(id=1)"),
        ("from tortoise.models import Model", "await Order.filter(id=1).first()"),
        ("from beanie import Document as Model", "await Order.get(id)"),
        ("from peewee import Model", "Order.get_by_id(id)"),
        ("from django.db.models import Model", "Order.objects.get(id=1)"),
        (
            "from django.db.models import Model\nfrom django.shortcuts import get_object_or_404",
            "get_object_or_404(Order, id=id)",
        ),
    ],
)
def test_single_objects_of_other_mappers(tmp_path: Path, library: str, query: str) -> None:
    models = (
        f"{library}\nclass Order(Model):\n    def to_dict(self): return {{'id': int(self.id)}}\n"
    )
    assert sent(tmp_path, models, f"return ({query}).to_dict()") == "{id: integer}"


def test_managers_that_are_declared(tmp_path: Path) -> None:
    models = """
        from django.db import models
        from django.db.models.fields.related_descriptors import RelatedManager
        class Line(models.Model):
            def to_dict(self): return {"sku": "a"}
        class Order(models.Model):
            lines: "RelatedManager[Line]"
        """
    body = "order = Order.objects.get(id=id)\nreturn [line.to_dict() for line in order.lines.all()]"
    assert sent(tmp_path, models, body) == "[{sku: string['a']}]"


def test_what_is_sent_where_there_is_no_such_object(tmp_path: Path) -> None:
    source = textwrap.dedent(FLASK) + textwrap.dedent(
        """
        from rest_framework.response import Response
        from rest_framework.views import APIView
        from django.urls import path
        class One(APIView):
            def get(self, request, id):
                order = Order.query.filter_by(id=id).first()
                if order is None:
                    return Response({"error": "none"}, status=404)
                return Response(order.to_dict())
        urlpatterns = [path("one/<int:id>", One.as_view())]
        """
    )
    assert handled(tmp_path, "Django REST framework", source, settings="ROOT_URLCONF = 'app'") == [
        "GET /one/{id}",
        "  path id: integer",
        "  and other parameters",
        "  200 application/json {id: integer}",
        "  404 application/json {error: string['none']}",
    ]
