"""Django and its REST framework: URL configuration, routers, views, serializers, renderers."""

from __future__ import annotations

from pathlib import Path

import pytest

from contract_scan.parsers.source.python.frameworks.django.paths import from_regular_expression
from tests.parsers.source.python.project import described, operations, project, routes

REST = "Django REST framework"
SETTINGS = "ROOT_URLCONF = 'shop.urls'\n"


def described_all(root: Path, files: dict[str, str], framework: str = REST) -> list[str]:
    program = project(root, files)
    found = operations(program, framework)
    return [line for operation in found for line in described(program, operation)]


@pytest.mark.parametrize(
    ("pattern", "path"),
    [
        (r"^orders/$", "orders/"),
        (r"^orders/(?P<pk>[0-9]+)/?$", "orders/{pk}"),
        (r"^a\.json$", "a.json"),
        (r"(\d{4})/([-\w]+)/", "{arg1}/{arg2}/"),
        (r"^x/(?P<slug>[\w(]+)/y", "x/{slug}/y"),
        (r"^x/(?:a|b)/$", None),
        (r"^x.*$", None),
        (r"^jwks.json$", "jwks.json"),
        (r"^files/(?P<path>.*)$", "files/{path*}"),
        (r"^orders?/$", None),
        (r"^x/(y$", None),
    ],
)
def test_regular_expressions_as_paths(pattern: str, path: str | None) -> None:
    assert from_regular_expression(pattern) == path


def test_segments_behind_a_prefix_that_is_not_constant(tmp_path: Path) -> None:
    files = {
        "shop/settings.py": SETTINGS,
        "shop/urls.py": """
            import os
            from django.urls import include, re_path
            from library import BASE
            PREFIX = os.getenv("PREFIX", "api/")
            if not PREFIX.endswith("/"):
                PREFIX = PREFIX + "/"
            urlpatterns = [
                re_path(r"^{}v1/".format(PREFIX), include("shop.orders")),
                re_path(f"^{BASE}v2/", include("shop.orders")),
            ]
            """,
        "shop/orders.py": """
            from django.http import JsonResponse
            from django.urls import path
            from django.views.decorators.http import require_GET
            @require_GET
            def orders(request): return JsonResponse({"ok": True})
            urlpatterns = [path("orders", orders)]
            """,
    }
    assert routes(tmp_path, "Django", files) == [
        "GET /{computed}/orders (its route is not constant)",
        "GET /{computed}/v1/orders (its route is not constant)",
    ]


def test_url_configuration_across_files(tmp_path: Path) -> None:
    files = {
        "shop/settings.py": SETTINGS,
        "shop/urls.py": """
            from django.contrib import admin
            from django.urls import include, path, re_path
            from django.conf.urls.static import static
            from shop import views
            from shop.orders import urls as order_urls
            PREFIX = "api/"
            urlpatterns = [
                path("admin/", admin.site.urls),
                path(PREFIX, include("shop.items.urls", namespace="items")),
                path(f"{PREFIX}orders/", include((order_urls, "orders"))),
                re_path(r"^old/(?P<year>[0-9]{4})/$", views.old),
                path("health", views.health),
            ]
            if settings.DEBUG:
                late = [path("x", views.health)]
                urlpatterns += static("/media/") + [path("late/", include(late))]
            """,
        "shop/views.py": """
            from django.http import JsonResponse
            from django.views.decorators.http import require_GET, require_http_methods
            @require_GET
            def health(request): return JsonResponse({"ok": True}, status=202)
            @require_http_methods(["GET", "POST"])
            def old(request, year): ...
            """,
        "shop/items/urls.py": """
            from django.urls import path
            from .views import Items
            urlpatterns = [path("items/<int:pk>/", Items.as_view()),
                           path("items/<path:rest>", Items.as_view())]
            """,
        "shop/items/views.py": """
            from django.views import View
            class Items(View):
                def get(self, request, pk): ...
                def delete(self, request, pk): ...
            """,
        "shop/orders/urls.py": """
            from django.urls import path
            from django.views.decorators.csrf import csrf_exempt
            from shop.items.views import Items
            urlpatterns = [path("<uuid:id>", csrf_exempt(Items.as_view()))]
            """,
    }
    assert routes(tmp_path, "Django", files) == [
        "DELETE /api/items/{pk}/",
        "GET /api/items/{pk}/",
        "DELETE /api/items/{rest*}",
        "GET /api/items/{rest*}",
        "DELETE /api/orders/{id}",
        "GET /api/orders/{id}",
        "GET /health",
        "GET /late/x",
        "GET /old/{year}/",
        "POST /old/{year}/",
    ]


def test_configuration_that_nothing_includes_is_said(tmp_path: Path) -> None:
    files = {
        "shop/settings.py": SETTINGS,
        "shop/urls.py": "urlpatterns = []\n",
        "lost/urls.py": """
            from django.urls import path
            from django.views import View
            class Lost(View):
                def get(self, request): ...
            urlpatterns = [path("lost", Lost.as_view())]
            """,
    }
    assert routes(tmp_path, "Django", files) == [
        "GET /lost (no URL configuration that can be seen includes this one)"
    ]


def test_patterns_that_are_imported_by_name_belong_to_what_imports_them(tmp_path: Path) -> None:
    files = {
        "shop/settings.py": SETTINGS,
        "shop/urls.py": """
            import settings
            from django.urls import include, path
            prefix = ""
            if settings.ROOT:
                prefix = f"{settings.ROOT}/"
            urlpatterns = [path("api/", include("shop.api")), path(prefix, include("shop.api"))]
            if settings.DEBUG:
                urlpatterns = [] + urlpatterns
            """,
        "shop/api/__init__.py": """
            from .orders import urlpatterns as orders
            urlpatterns = [*orders]
            """,
        "shop/api/orders.py": """
            from django.urls import path
            from django.views import View
            class Orders(View):
                def get(self, request): ...
            urlpatterns = [path("orders", Orders.as_view())]
            """,
    }
    assert routes(tmp_path, "Django", files) == [
        "GET /api/orders",
        "GET /{computed}/orders (its route is not constant)",
    ]


def test_lists_of_patterns_are_read_part_by_part(tmp_path: Path) -> None:
    files = {
        "settings.py": "ROOT_URLCONF = 'shop.urls'\n",
        "shop/__init__.py": "",
        "shop/urls.py": """
            from django.urls import include, path
            from library import decorator_include, never
            from shop.api import patterns as api_patterns
            from shop.found import found_at_start
            urlpatterns = [
                path("api/", include((api_patterns, "api"))),
                path("kept/", decorator_include(never, [path("a", never_view)])),
                path("named/", decorator_include(never, "shop.named")),
                path("theirs/", decorator_include(never, "library.urls")),
                path("found/", include(found_at_start())),
            ]
            def never_view(request): ...
            """,
        "shop/found.py": "def found_at_start():\n    return [path for path in plugins()][1:]\n",
        "shop/named.py": """
            from django.urls import path
            def view(request): ...
            urlpatterns = [path("b", view)]
            """,
        "shop/api.py": """
            from django.urls import path
            from rest_framework import serializers, viewsets
            from rest_framework.decorators import action
            from rest_framework.routers import DefaultRouter
            class Orders(viewsets.ViewSet):
                def list(self, request): ...
                @action(detail=False, url_path="open/?$")
                def open(self, request): ...
            def extra(request): ...
            router = DefaultRouter()
            router.register("orders", Orders, basename="order")
            own = [path("extra/", extra)]
            patterns = router.urls + own
            """,
    }
    assert routes(tmp_path, REST, files) == [
        "GET /api/orders/",
        "GET /api/orders/open/",
    ]
    assert routes(tmp_path, "Django", files) == [
        "* /api/extra/",
        "* /found/{rest*} hidden (an entry of `urlpatterns` is undetermined)",
        "* /kept/a",
        "* /named/b",
        "* /theirs/{rest*} hidden (`library.urls` comes from a library)",
    ]


def test_viewsets_registered_below_others(tmp_path: Path) -> None:
    files = {
        "urls.py": """
            from rest_framework_extensions.routers import ExtendedSimpleRouter
            from django.urls import include, path
            from views import Assets, Files, Versions
            router = ExtendedSimpleRouter()
            assets = router.register(r"assets", Assets, basename="asset")
            files = assets.register(
                r"files", Files, basename="file", parents_query_lookups=["asset"]
            )
            files.register(
                r"versions", Versions, basename="version",
                parents_query_lookups=["file__asset", "file"],
            )
            assets.register(PREFIX, Versions, basename="x", parents_query_lookups=["asset"])
            urlpatterns = [path("api/", include(router.urls))]
            """,
        "views.py": """
            from rest_framework import viewsets
            class Assets(viewsets.ViewSet):
                def list(self, request): ...
            class Files(viewsets.ViewSet):
                def list(self, request, parent_lookup_asset=None): ...
            class Versions(viewsets.ViewSet):
                def retrieve(self, request, pk=None, **above): ...
            """,
    }
    below = "/api/assets/{parent_lookup_file__asset}/files/{parent_lookup_file}/versions/{pk}/"
    assert routes(tmp_path, REST, files) == [
        "GET /api/assets/",
        "GET /api/assets/{parent_lookup_asset}/files/",
        "GET /api/assets/{parent_lookup_asset}/{pk}/ (the prefix of the viewset is not constant)",
        f"GET {below}",
    ]


def test_routers(tmp_path: Path) -> None:
    files = {
        "urls.py": """
            from rest_framework.routers import DefaultRouter, SimpleRouter
            from rest_framework_nested import routers
            from django.urls import include, path
            from views import Items, Notes, Orders
            router = DefaultRouter()
            router.register(r"orders", Orders, basename="order")
            items = SimpleRouter(trailing_slash=False)
            items.register("items", Items)
            nested = routers.NestedSimpleRouter(router, "orders", lookup="order")
            nested.register("notes", Notes)
            urlpatterns = [path("api/", include(router.urls)), path("api/", include(items.urls)),
                           path("api/", include(nested.urls))]
            """,
        "views.py": """
            from rest_framework import mixins, viewsets
            from rest_framework.decorators import action
            class Orders(viewsets.ModelViewSet):
                http_method_names = ["get", "post", "delete"]
                lookup_field = "number"
                @action(detail=True, methods=["post"], url_path="send-out")
                def send(self, request, number=None): ...
                @action(detail=False)
                def recent(self, request): ...
                @recent.mapping.delete
                def forget(self, request): ...
            class Items(mixins.ListModelMixin, viewsets.GenericViewSet):
                def retrieve(self, request, pk=None): ...
            class Notes(viewsets.ReadOnlyModelViewSet):
                lookup_url_kwarg = "note"
            """,
    }
    assert routes(tmp_path, REST, files) == [
        "GET /api/items",
        "GET /api/items/{pk}",
        "GET /api/orders/",
        "POST /api/orders/",
        "DELETE /api/orders/recent/",
        "GET /api/orders/recent/",
        "DELETE /api/orders/{number}/",
        "GET /api/orders/{number}/",
        "POST /api/orders/{number}/send-out/",
        "GET /api/orders/{order_pk}/notes/",
        "GET /api/orders/{order_pk}/notes/{note}/",
    ]


MODELS = """
    import uuid
    from django.db import models
    class Owner(models.Model):
        id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
        name = models.CharField(max_length=10)
    class Order(models.Model):
        class State(models.TextChoices):
            OPEN = "open", "Open"
            DONE = "done", "Done"
        number = models.CharField(max_length=10)
        note = models.TextField(null=True, blank=True)
        price = models.DecimalField(max_digits=8, decimal_places=2)
        state = models.CharField(max_length=4, choices=State.choices, default=State.OPEN)
        owner = models.ForeignKey("shop.OWNER", on_delete=models.CASCADE)
        tags = models.ManyToManyField("shop.Tag", blank=True)
        created = models.DateTimeField(auto_now_add=True)
        @property
        def label(self) -> str: ...
    class Tag(models.Model):
        word = models.SlugField()
    """
URLS = """
    from rest_framework.routers import SimpleRouter
    from views import Orders
    router = SimpleRouter()
    router.register("orders", Orders)
    urlpatterns = router.urls
    """


def test_serializers_of_models(tmp_path: Path) -> None:
    files = {
        "urls.py": URLS,
        "shop/models.py": MODELS,
        "views.py": """
            from rest_framework import mixins, serializers, viewsets
            from shop.models import Order, Owner
            class OwnerSerializer(serializers.ModelSerializer):
                class Meta:
                    model = Owner
                    fields = "__all__"
            class OrderSerializer(serializers.ModelSerializer):
                owner_data = OwnerSerializer(source="owner", read_only=True)
                tags = serializers.SlugRelatedField(slug_field="word", many=True, read_only=True)
                total = serializers.SerializerMethodField()
                secret = serializers.CharField(write_only=True)
                def get_total(self, obj):
                    return {"price": obj.price, "at": obj.created.isoformat()}
                class Meta:
                    model = Order
                    fields = ["id", "number", "note", "state", "owner", "owner_data", "tags",
                              "total", "secret", "label"]
                    read_only_fields = ["number"]
                    extra_kwargs = {"owner": {"required": False}}
            class Orders(mixins.CreateModelMixin, mixins.RetrieveModelMixin,
                         mixins.DestroyModelMixin, viewsets.GenericViewSet):
                serializer_class = OrderSerializer
            """,
    }
    sent = (
        "{id= (read): integer, number= (read): string, note=: string?, "
        "state=: string['open', 'done'], owner=: string:uuid, "
        "owner_data= (read): {id= (read): string:uuid, name: string}, tags= (read): [string], "
        "total= (read): {price: string:decimal, at: string:date-time}, label= (read): string}"
    )
    assert described_all(tmp_path, files) == [
        "POST /orders/",
        "  and other parameters",
        "  takes application/json {note=: string?, state=: string['open', 'done'], "
        "owner=: string:uuid, secret (write): string}",
        f"  201 application/json {sent}",
        "DELETE /orders/{pk}/",
        "  path pk: string",
        "  and other parameters",
        "  204",
        "GET /orders/{pk}/",
        "  path pk: string",
        "  and other parameters",
        f"  200 application/json {sent}",
    ]


def test_pagination_serializers_by_action_and_overridden_actions(tmp_path: Path) -> None:
    files = {
        "settings.py": """
            REST_FRAMEWORK = {
                "DEFAULT_PAGINATION_CLASS": "rest_framework.pagination.PageNumberPagination",
                "PAGE_SIZE": 10,
            }
            """,
        "urls.py": URLS,
        "views.py": """
            from rest_framework import serializers, status, viewsets
            from rest_framework.decorators import action
            from rest_framework.response import Response
            class Short(serializers.Serializer):
                id = serializers.IntegerField()
            class Long(Short):
                name = serializers.CharField(allow_null=True, required=False)
            class Orders(viewsets.ViewSet, viewsets.GenericViewSet):
                serializer_class = Long
                by_action = {"list": Short}
                def get_serializer_class(self):
                    if self.action == "partial_update":
                        return Short
                    return self.by_action.get(self.action, super().get_serializer_class())
                def list(self, request):
                    page = self.paginate_queryset(self.get_queryset())
                    if page is not None:
                        found = self.get_serializer(page, many=True)
                        return self.get_paginated_response(found.data)
                    return Response(self.get_serializer(self.get_queryset(), many=True).data)
                def create(self, request):
                    serializer = self.get_serializer(data=request.data["order"])
                    if not serializer.is_valid():
                        return Response({"errors": serializer.errors}, status=400)
                    return Response(serializer.data, status=status.HTTP_201_CREATED)
                def partial_update(self, request, pk=None):
                    order = self.get_object()
                    serializer = self.get_serializer(order, data=request.data, partial=True)
                    return Response({"order": serializer.data})
                @action(detail=False, pagination_class=None, serializer_class=Short)
                def first(self, request):
                    return Response(self.get_serializer(self.get_object()).data)
            """,
    }
    assert described_all(tmp_path, files) == [
        "GET /orders/",
        "  and other parameters",
        "  200 application/json {count: integer, next: string:uri?, previous: string:uri?, "
        "results: [{id: integer}]}",
        "POST /orders/",
        "  and other parameters",
        "  takes application/json {order: {id: integer, name=: string?}}",
        "  201 application/json {id: integer, name=: string?}",
        "  400 application/json {errors: unknown: `errors` is not a member that can be seen}",
        "GET /orders/first/",
        "  and other parameters",
        "  200 application/json {id: integer}",
        "PATCH /orders/{pk}/",
        "  path pk: string",
        "  and other parameters",
        "  takes application/json {id=: integer}",
        "  200 application/json {order: {id: integer}}",
    ]


def test_generic_views_function_views_and_representations(tmp_path: Path) -> None:
    files = {
        "urls.py": """
            from django.urls import path
            from views import Orders, count
            urlpatterns = [path("orders", Orders.as_view()), path("count", count)]
            """,
        "views.py": """
            from rest_framework import generics, serializers
            from rest_framework.decorators import api_view
            from rest_framework.response import Response
            class OrderSerializer(serializers.Serializer):
                id = serializers.IntegerField()
                inner = serializers.CharField(required=False)
                def to_representation(self, instance):
                    data = super().to_representation(instance)
                    data["kind"] = "order"
                    data.pop("inner")
                    return data
            class Orders(generics.ListCreateAPIView):
                pagination_class = None
                serializer_class = OrderSerializer
            @api_view(["GET", "POST"])
            def count(request):
                if request.method == "POST":
                    return Response({"read": request.data}, status=201)
                return Response({"count": 1})
            """,
    }
    assert described_all(tmp_path, files) == [
        "GET /count",
        "  and other parameters",
        "  200 application/json {count: integer[1]}",
        "POST /count",
        "  and other parameters",
        "  takes application/json unknown: the view reads the request itself",
        "  201 application/json {read: unknown: parameter `request` has no declared type}",
        "GET /orders",
        "  and other parameters",
        "  200 application/json [{id: integer, kind: string['order']}]",
        "POST /orders",
        "  and other parameters",
        "  takes application/json {id: integer, inner=: string}",
        "  201 application/json {id: integer, kind: string['order']}",
    ]


def test_renderers_rename_and_wrap(tmp_path: Path) -> None:
    files = {
        "settings.py": """
            REST_FRAMEWORK = {"DEFAULT_RENDERER_CLASSES": [
                "djangorestframework_camel_case.render.CamelCaseJSONRenderer"]}
            """,
        "urls.py": """
            from django.urls import path
            from views import Camel, Wrapped
            urlpatterns = [path("camel", Camel.as_view()), path("wrapped", Wrapped.as_view())]
            """,
        "views.py": """
            import json
            from rest_framework import generics, serializers
            from rest_framework.renderers import JSONRenderer
            class OrderSerializer(serializers.Serializer):
                order_id = serializers.IntegerField()
            class Base(JSONRenderer):
                label = "object"
                def render(self, data, media_type=None, renderer_context=None):
                    if data.get("errors", None) is not None:
                        return super().render(data)
                    return json.dumps({self.label: data})
            class Renderer(Base):
                label = "order"
            class Camel(generics.RetrieveAPIView):
                serializer_class = OrderSerializer
            class Wrapped(generics.RetrieveAPIView):
                serializer_class = OrderSerializer
                renderer_classes = (Renderer,)
            """,
    }
    assert described_all(tmp_path, files) == [
        "GET /camel",
        "  and other parameters",
        "  200 application/json {orderId: integer}",
        "GET /wrapped",
        "  and other parameters",
        "  200 application/json {order: {order_id: integer}}",
    ]


def test_pages_of_django_that_a_project_includes(tmp_path: Path) -> None:
    files = {
        "site/settings.py": "ROOT_URLCONF = 'site.urls'",
        "site/urls.py": """
            from django.urls import include, path
            urlpatterns = [
                path("accounts/", include("django.contrib.auth.urls")),
                path("i18n/", include("django.conf.urls.i18n")),
            ]
            """,
    }
    assert sorted(routes(tmp_path, "Django", files)) == [
        "* /accounts/login/ hidden",
        "* /accounts/logout/ hidden",
        "* /accounts/password_change/ hidden",
        "* /accounts/password_change/done/ hidden",
        "* /accounts/password_reset/ hidden",
        "* /accounts/password_reset/done/ hidden",
        "* /accounts/reset/done/ hidden",
        "* /accounts/reset/{uidb64}/{token}/ hidden",
        "* /i18n/setlang/ hidden",
    ]
