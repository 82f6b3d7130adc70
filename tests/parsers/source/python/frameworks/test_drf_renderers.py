"""Renderers of Django REST framework that a project writes itself."""

from __future__ import annotations

from pathlib import Path

from tests.parsers.source.python.project import described, operations, project

SERIALIZERS = """
    from rest_framework import serializers
    class OrderSerializer(serializers.Serializer):
        id = serializers.IntegerField()
    """
URLS = """
    from django.urls import path
    from views import Orders
    urlpatterns = [path("orders", Orders.as_view())]
    """


def described_all(root: Path, files: dict[str, str]) -> list[str]:
    program = project(root, files)
    found = operations(program, "Django REST framework")
    return [line for operation in found for line in described(program, operation)]


def test_renderer_writes_errors_in_another_way(tmp_path: Path) -> None:
    renderers = """
        from rest_framework.renderers import JSONRenderer
        class Envelope(JSONRenderer):
            def render(self, data, media_type=None, renderer_context=None):
                status = renderer_context["response"].status_code
                if status >= 400:
                    return super().render({"errors": data})
                return super().render({"data": data})
        """
    views = """
        from rest_framework.response import Response
        from rest_framework.views import APIView
        from renderers import Envelope
        from serializers import OrderSerializer
        class Orders(APIView):
            renderer_classes = [Envelope]
            def get(self, request):
                if request.user is None:
                    return Response({"reason": "unknown"}, status=404)
                return Response(OrderSerializer(request.user.order).data)
        """
    files = {
        "serializers.py": SERIALIZERS,
        "renderers.py": renderers,
        "views.py": views,
        "urls.py": URLS,
    }
    assert described_all(tmp_path, files) == [
        "GET /orders",
        "  and other parameters",
        "  200 application/json {data: {id: integer}}",
        "  404 application/json {errors: {reason: string['unknown']}}",
    ]


def test_renderer_that_asks_for_what_is_undetermined_is_not_guessed(tmp_path: Path) -> None:
    renderers = """
        import json
        from rest_framework.renderers import JSONRenderer
        class Envelope(JSONRenderer):
            def render(self, data, media_type=None, renderer_context=None):
                if data.get("results", None) is not None:
                    return json.dumps({"orders": data["results"]})
                return json.dumps({"order": data})
        """
    views = """
        from library import OwnPagination
        from rest_framework import generics
        from renderers import Envelope
        from serializers import OrderSerializer
        class Orders(generics.ListAPIView):
            renderer_classes = [Envelope]
            pagination_class = OwnPagination
            serializer_class = OrderSerializer
        """
    files = {
        "serializers.py": SERIALIZERS,
        "renderers.py": renderers,
        "views.py": views,
        "urls.py": URLS,
    }
    assert described_all(tmp_path, files) == [
        "GET /orders",
        "  and other parameters",
        "  200 application/json unknown: which way `Envelope.render` takes is undetermined",
    ]
