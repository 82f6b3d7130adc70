"""Django REST framework: what other libraries give serializers, fields and settings, and what
methods of serializers change."""

from __future__ import annotations

from pathlib import Path
from textwrap import indent

import pytest

from contract_scan.ir.operation import Operation
from contract_scan.parsers.source.analysis.domain.program import Program
from tests.parsers.source.python.project import operations, project, shape

VIEWS = """
from rest_framework import viewsets
from serializers import OrderSerializer
class Orders(viewsets.ModelViewSet):
    serializer_class = OrderSerializer
"""
URLS = """
from django.urls import path
from views import Orders
urlpatterns = [path("orders", Orders.as_view({"%s": "%s"}))]
"""
MODELS = """
from django.db import models
class Owner(models.Model):
    orders = models.ManyToManyField("Order")
class Order(models.Model):
    title = models.TextField()
"""
HEAD = """
from rest_framework import serializers
from models import Order
from somelib.polymorphism import PolymorphicField
from somelib.serializers import BaseSerializer, BaseMixin
"""


def found(
    root: Path, serializers: str, method: str = "get", action: str = "retrieve", settings: str = ""
) -> tuple[Program, Operation]:
    """The one operation of a view with these serializers."""
    files = {
        "models.py": MODELS,
        "serializers.py": HEAD + serializers,
        "views.py": VIEWS,
        "urls.py": URLS % (method, action),
        "settings.py": settings,
    }
    program = project(root, files)
    [operation] = operations(program, "Django REST framework")
    return program, operation


def response_body(root: Path, serializers: str, **others: str) -> str:
    """What a view with these serializers sends."""
    program, operation = found(root, serializers, **others)
    [response] = operation.responses
    return shape(program, response.bodies[0].schema)


UNKNOWN = "unknown: nothing says what the class of the field `%s` writes"


@pytest.mark.parametrize(
    ("serializers", "expected"),
    [
        (
            "class OrderSerializer(BaseSerializer):\n    id = serializers.IntegerField()\n",
            "{id: integer, ... the fields of `BaseSerializer` are not known}",
        ),
        (
            "class OrderSerializer(serializers.ModelSerializer):\n"
            "    class Meta:\n"
            "        model = Order\n"
            '        fields = ("title",) + BaseMixin.Meta.fields\n',
            "{... the fields of `OrderSerializer` are not constant}",
        ),
        (
            "class OrderSerializer(serializers.ModelSerializer, BaseMixin):\n"
            "    class Meta:\n"
            "        model = Order\n"
            '        fields = ("title",)\n',
            "{title: string}",
        ),
        (
            "class Line(PolymorphicField):\n"
            "    pass\n"
            "class OrderSerializer(serializers.Serializer):\n"
            "    id = serializers.IntegerField()\n"
            "    one = PolymorphicField()\n"
            "    two = Line()\n"
            "    three = undefined()\n"
            "    four = Order.objects.all()\n"
            "    five = 5\n",
            f"{{id: integer, one~=: {UNKNOWN % 'one'}, two~=: {UNKNOWN % 'two'}, "
            f"three~=: {UNKNOWN % 'three'}}}",
        ),
        (
            "class OrderSerializer(serializers.HyperlinkedModelSerializer):\n"
            "    class Meta:\n"
            "        model = Order\n"
            '        fields = ("owners",)\n'
            '        extra_kwargs = {"owners": {"many": True, "read_only": True}}\n',
            "{owners= (read): [unknown: `Order.owners` is no field that can be seen]}",
        ),
    ],
)
def test_fields_of_serializers(tmp_path: Path, serializers: str, expected: str) -> None:
    assert response_body(tmp_path, serializers) == expected


ORDERS = "class OrderSerializer(serializers.Serializer):\n    id = serializers.IntegerField()\n"


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ("", "[{id: integer}]"),
        ('REST_FRAMEWORK = {"PAGE_SIZE": 100}\n', "[{id: integer}]"),
        (
            "from somelib import BASE\nREST_FRAMEWORK = BASE.copy()\n",
            "unknown: the pagination of the view is undetermined",
        ),
    ],
)
def test_settings_that_a_library_gives_may_name_a_pagination(
    tmp_path: Path, settings: str, expected: str
) -> None:
    assert response_body(tmp_path, ORDERS, action="list", settings=settings) == expected


@pytest.mark.parametrize(
    ("field", "needed"),
    [
        ("serializers.IntegerField()", True),
        ("serializers.IntegerField(required=False)", False),
        ("serializers.IntegerField(read_only=True)", False),
        ("PolymorphicField()", False),
    ],
)
def test_a_body_is_needed_where_a_field_is(tmp_path: Path, field: str, needed: bool | None) -> None:
    serializers = f"class OrderSerializer(serializers.Serializer):\n    id = {field}\n"
    _, operation = found(tmp_path, serializers, "post", "create")
    assert [body.required for body in operation.request] == [needed]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("return super().get_fields()", "{id: integer}"),
        (
            'fields = super().get_fields()\ntext = "x"\nfields["id"].help_text += text\n'
            "return fields",
            "{id: integer}",
        ),
        (
            'fields = super().get_fields()\nfields["id"].read_only = True\nreturn fields',
            "{id~: integer, ... `get_fields` is overridden}",
        ),
        (
            'fields = super().get_fields()\nfields.pop("id")\nreturn fields',
            "{... `get_fields` is overridden}",
        ),
        (
            "fields = super().get_fields()\nchange(fields)\nreturn fields",
            "{id~: integer, ... `get_fields` is overridden}",
        ),
        (
            "fields = super().get_fields()\nif other():\n    return {}\nreturn fields",
            "{id~: integer, ... `get_fields` is overridden}",
        ),
    ],
)
def test_a_method_that_describes_fields_changes_none(
    tmp_path: Path, body: str, expected: str
) -> None:
    method = indent(f"def get_fields(self):\n{indent(body, '    ')}\n", "    ")
    assert response_body(tmp_path, ORDERS + method) == expected


def test_a_method_that_validates_in_place_of_the_library_may_need_nothing(tmp_path: Path) -> None:
    method = "    def run_validation(self, data):\n        return data\n"
    program, operation = found(tmp_path, ORDERS + method, "post", "create")
    assert [shape(program, body.schema) for body in operation.request] == [
        "unknown: `run_validation` is overridden"
    ]
