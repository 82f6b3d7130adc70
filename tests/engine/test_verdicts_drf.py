"""Views of Django REST framework beside their contracts: actions that call `super()`."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.engine.judged import judged

ANIMALS = """
    /animals/:
      get:
        responses: {'200': {description: ok, content: {application/json: {schema: {type: array,
          items: {type: object, required: [legs], properties: {legs: {type: %s}}}}}}}}
"""


@pytest.mark.parametrize(
    ("classes", "is_known"),
    [
        (
            "class Animals(viewsets.ReadOnlyModelViewSet):\n"
            "    def list(self, request, *args, **kwargs):\n"
            "        return super().list(request, *args, **kwargs)",
            True,
        ),
        (
            "class Found(viewsets.GenericViewSet):\n"
            "    def get_object(self): return None\n"
            "class Common(Found, viewsets.ReadOnlyModelViewSet):\n"
            "    def list(self, request, *args, **kwargs):\n"
            "        return super().list(request, *args, **kwargs)\n"
            "class Animals(Common): pass",
            True,
        ),
        (
            "class Animals(mixins.ListModelMixin, viewsets.GenericViewSet):\n"
            "    def list(self, request):\n"
            "        audit(request)\n"
            "        return super(Animals, self).list(request)",
            True,
        ),
        (
            "class Other:\n"
            "    def list(self, request): return anything(request)\n"
            "class Animals(Other, viewsets.ReadOnlyModelViewSet):\n"
            "    def list(self, request): return super().list(request)",
            False,
        ),
    ],
)
def test_what_super_answers_is_what_the_mixin_answers(
    tmp_path: Path, classes: str, is_known: bool
) -> None:
    first, _, rest = classes.rpartition("class Animals")
    head, colon, body = rest.partition(":\n") if ":\n" in rest else rest.partition(": pass")
    settings = (
        "    queryset = Animal.objects.all()\n    serializer_class = AnimalSerializer\n"
        "    pagination_class = None\n"
    )
    views = f"{first}class Animals{head}:\n{settings}{body if colon == ':' + chr(10) else ''}"
    files = {
        "requirements.txt": "django==5.0.6\ndjangorestframework==3.15.1\n",
        "zoo/__init__.py": "",
        "zoo/settings.py": 'ROOT_URLCONF = "zoo.urls"\n',
        "zoo/models.py": "from django.db import models\nclass Animal(models.Model):\n"
        "    legs = models.IntegerField()\n",
        "zoo/views.py": "from elsewhere import anything, audit\n"
        "from rest_framework import mixins, serializers, viewsets\n"
        "from zoo.models import Animal\n"
        "class AnimalSerializer(serializers.ModelSerializer):\n    class Meta:\n"
        '        model = Animal\n        fields = ["legs"]\n' + views + "\n",
        "zoo/urls.py": "from django.urls import include, path\n"
        "from rest_framework.routers import DefaultRouter\nfrom zoo.views import Animals\n"
        'router = DefaultRouter()\nrouter.register("animals", Animals)\n'
        'urlpatterns = [path("", include(router.urls))]\n',
    }
    innocent = judged(tmp_path / "a", files, ANIMALS % "integer")
    guilty = judged(tmp_path / "b", files, ANIMALS % "string")
    assert [f for f in innocent.findings if "undocumented" not in f] == []
    assert innocent.verified == is_known
    found = [f for f in guilty.findings if "undocumented" not in f]
    assert found == (["GET /animals/ type: [].legs"] if is_known else [])


def test_fields_that_a_constructor_may_change_are_not_said_to_be_left_out(tmp_path: Path) -> None:
    files = {
        "requirements.txt": "django==5.0.6\ndjangorestframework==3.15.1\n",
        "zoo/__init__.py": "",
        "zoo/settings.py": 'ROOT_URLCONF = "zoo.urls"\n',
        "zoo/models.py": "from django.db import models\nclass Animal(models.Model):\n"
        "    legs = models.IntegerField()\n",
        "zoo/views.py": """
            from rest_framework import serializers, viewsets
            from elsewhere import add_fields
            from zoo.models import Animal
            class AnimalSerializer(serializers.Serializer):
                legs = serializers.IntegerField(required=False)
                def __init__(self, *args, **kwargs):
                    super().__init__(*args, **kwargs)
                    add_fields(self.fields)
                def to_representation(self, instance):
                    data = super().to_representation(instance)
                    data["kind"] = 1
                    return data
            class Animals(viewsets.ReadOnlyModelViewSet):
                queryset = Animal.objects.all()
                serializer_class = AnimalSerializer
                pagination_class = None
            """,
        "zoo/urls.py": "from django.urls import include, path\n"
        "from rest_framework.routers import DefaultRouter\nfrom zoo.views import Animals\n"
        'router = DefaultRouter()\nrouter.register("animals", Animals)\n'
        'urlpatterns = [path("", include(router.urls))]\n',
    }
    paths = """
        /animals/:
          get:
            responses: {'200': {description: ok, content: {application/json: {schema: {type: array,
              items: {type: object, required: [legs], properties: {legs: {type: integer},
              kind: {type: string}}}}}}}}
        /animals/{id}/:
          get:
            parameters: [{name: id, in: path, required: true, schema: {type: integer}}]
            responses: {'200': {description: ok, content: {application/json: {schema: {
              type: object}}}}}
    """
    said = judged(tmp_path, files, paths)
    assert said.findings == ["GET /animals/ type: [].kind"]
    assert "GET /animals/ [].legs" in said.undetermined
