"""Views of Django REST framework that hand requests on; what serializers write themselves."""

from __future__ import annotations

from pathlib import Path

from contract_scan.api import extract
from contract_scan.ir.schema import Object, Reference
from tests.parsers.source.python.project import described, operations, project, routes

SERIALIZERS = """
    from rest_framework import serializers
    class OrderSerializer(serializers.Serializer):
        id = serializers.IntegerField()
    """


def described_all(root: Path, views: str, urls: str, serializers: str = SERIALIZERS) -> list[str]:
    head = """
        from rest_framework import viewsets
        from rest_framework.decorators import action
        from rest_framework.pagination import PageNumberPagination
        from rest_framework.response import Response
        from serializers import OrderSerializer
        """
    files = {
        "serializers.py": serializers,
        "views.py": head + views,
        "urls.py": f"""
            from django.urls import path
            from views import Orders
            urlpatterns = [path("orders", Orders.as_view({urls}))]
            """,
    }
    program = project(root, files)
    found = operations(program, "Django REST framework")
    return [line for operation in found for line in described(program, operation)]


def test_what_is_known_of_a_request_holds_in_the_methods_that_it_is_handed_to(
    tmp_path: Path,
) -> None:
    views = """
        class Orders(viewsets.ViewSet):
            def find(self, request):
                return self.answer(request, OrderSerializer)
            def answer(self, request, serializer_class):
                if request.method.upper() == "HEAD":
                    return Response(status=204)
                return Response(serializer_class(request.user.order).data)
        """
    assert described_all(tmp_path, views, '{"get": "find"}') == [
        "GET /orders",
        "  and other parameters",
        "  200 application/json {id: integer}",
    ]


def test_pages_that_a_method_of_the_view_makes(tmp_path: Path) -> None:
    views = """
        class Orders(viewsets.GenericViewSet):
            pagination_class = PageNumberPagination
            serializer_class = OrderSerializer
            def find(self, request):
                return self.paged(self.get_queryset())
            def paged(self, queryset):
                page = self.paginate_queryset(queryset)
                if page is not None:
                    return self.get_paginated_response(self.get_serializer(page, many=True).data)
                return Response(self.get_serializer(queryset, many=True).data)
        """
    assert described_all(tmp_path, views, '{"get": "find"}') == [
        "GET /orders",
        "  and other parameters",
        "  200 application/json {count: integer, next: string:uri?, previous: string:uri?, "
        "results: [{id: integer}]}",
    ]


def test_actions_of_the_library_that_another_action_calls(tmp_path: Path) -> None:
    views = """
        class Orders(viewsets.ModelViewSet):
            serializer_class = OrderSerializer
            def recent(self, request):
                return self.list(request)
        """
    assert described_all(tmp_path, views, '{"get": "recent"}') == [
        "GET /orders",
        "  and other parameters",
        "  200 application/json [{id: integer}]",
    ]


def test_a_status_among_spread_arguments_is_undetermined(tmp_path: Path) -> None:
    views = """
        class Orders(viewsets.ViewSet):
            def find(self, request):
                answer = {"data": {"a": 1}, "status": 201}
                if request.user.order is None:
                    return Response({"b": 1}, status=404)
                return Response(**answer)
        """
    assert described_all(tmp_path, views, '{"get": "find"}') == [
        "GET /orders",
        "  and other parameters",
        "  404 application/json {b: integer[1]}",
    ]


def test_list_serializers_that_write_something_else(tmp_path: Path) -> None:
    serializers = """
        from rest_framework import serializers
        class ById(serializers.ListSerializer):
            def to_representation(self, data):
                return {item.id: item.name for item in data}
        class OrderSerializer(serializers.Serializer):
            id = serializers.IntegerField()
            class Meta:
                list_serializer_class = ById
        """
    views = """
        class Orders(viewsets.ViewSet):
            def find(self, request):
                return Response(OrderSerializer(request.user.orders, many=True).data)
        """
    assert described_all(tmp_path / "own", views, '{"get": "find"}', serializers) == [
        "GET /orders",
        "  and other parameters",
        "  200 application/json unknown: `ById` writes lists in its own way",
    ]
    views = """
        class Orders(viewsets.ReadOnlyModelViewSet):
            serializer_class = OrderSerializer
        """
    of_library = described_all(tmp_path / "of the library", views, '{"get": "list"}', serializers)
    assert of_library[-1] == "  200 application/json unknown: `ById` writes lists in its own way"


def test_a_pagination_that_a_property_of_the_view_gives(tmp_path: Path) -> None:
    views = """
        from rest_framework.pagination import PageNumberPagination
        class Pages(PageNumberPagination):
            page_size = 10
        class Orders(viewsets.ReadOnlyModelViewSet):
            serializer_class = OrderSerializer
            @property
            def pagination_class(self):
                return Pages
        """
    assert described_all(tmp_path, views, '{"get": "list"}')[-1] == (
        "  200 application/json unknown: the pagination of the view is undetermined"
    )


def test_serializers_with_a_data_of_their_own(tmp_path: Path) -> None:
    serializers = """
        from rest_framework import serializers
        class ErrorSerializer(serializers.Serializer):
            line = serializers.IntegerField()
        class OrderSerializer(serializers.Serializer):
            id = serializers.IntegerField()
            @property
            def data(self):
                return ErrorSerializer(self.instance, many=True).data
        """
    views = """
        from rest_framework.generics import UpdateAPIView
        class Orders(UpdateAPIView):
            serializer_class = OrderSerializer
        """
    assert described_all(tmp_path, views, '{"put": "update"}', serializers)[-1] == (
        "  200 application/json unknown: `OrderSerializer.data` is overridden"
    )


def test_data_of_a_serializer_with_a_field_of_that_name(tmp_path: Path) -> None:
    serializers = """
        from rest_framework import serializers
        class OrderSerializer(serializers.Serializer):
            data = serializers.CharField()
        """
    views = """
        class Orders(viewsets.ViewSet):
            def make(self, request):
                serializer = OrderSerializer(data={"other": 1})
                serializer.is_valid()
                return Response(serializer.data)
        """
    assert described_all(tmp_path, views, '{"get": "make"}', serializers) == [
        "GET /orders",
        "  and other parameters",
        "  200 application/json {data: string}",
    ]


def test_a_method_that_is_declared_to_give_a_list_and_gives_a_text(tmp_path: Path) -> None:
    serializers = """
        from rest_framework import serializers
        from rest_framework.reverse import reverse
        class OrderSerializer(serializers.Serializer):
            lines = serializers.SerializerMethodField()
            def get_lines(self, order) -> list[str]:
                return reverse("lines", args=(order.id,))
        """
    views = """
        class Orders(viewsets.ModelViewSet):
            serializer_class = OrderSerializer
        """
    assert described_all(tmp_path, views, '{"get": "retrieve"}', serializers) == [
        "GET /orders",
        "  and other parameters",
        "  200 application/json "
        "{lines= (read): unknown: `get_lines` is declared to give something else than it gives}",
    ]


def test_keys_that_are_deleted_where_they_are_null(tmp_path: Path) -> None:
    serializers = """
        from rest_framework import serializers
        class OrderSerializer(serializers.Serializer):
            id = serializers.IntegerField()
            note = serializers.CharField(allow_null=True)
            place = serializers.CharField(allow_null=True)
            def to_representation(self, order):
                data = super().to_representation(order)
                if data.get("note") is None:
                    del data["note"]
                if not data["place"]:
                    data.pop("place")
                return data
        """
    views = """
        class Orders(viewsets.ModelViewSet):
            serializer_class = OrderSerializer
        """
    assert described_all(tmp_path, views, '{"get": "retrieve"}', serializers) == [
        "GET /orders",
        "  and other parameters",
        "  200 application/json {id: integer, note-: string, place-: string}",
    ]


def test_keys_that_the_view_adds_to_the_data_of_the_request(tmp_path: Path) -> None:
    serializers = """
        from rest_framework import serializers
        class OrderSerializer(serializers.Serializer):
            title = serializers.CharField()
            owner = serializers.IntegerField()
        """
    views = """
        class Orders(viewsets.ViewSet):
            def make(self, request):
                request.data["owner"] = request.user.id
                serializer = OrderSerializer(data=request.data)
                serializer.is_valid(raise_exception=True)
                return Response(status=201)
        """
    assert described_all(tmp_path, views, '{"post": "make"}', serializers) == [
        "POST /orders",
        "  and other parameters",
        "  takes application/json {title: string}",
        "  201",
    ]


def test_a_key_that_is_a_property_of_the_model(tmp_path: Path) -> None:
    serializers = """
        from django.db import models
        from rest_framework import serializers
        class Order(models.Model):
            name = models.CharField(max_length=9)
            @property
            def id(self):
                return f"order-{self.name}"
        class OrderSerializer(serializers.ModelSerializer):
            class Meta:
                model = Order
                fields = ["id", "name"]
        """
    views = """
        class Orders(viewsets.ModelViewSet):
            serializer_class = OrderSerializer
        """
    assert described_all(tmp_path, views, '{"get": "retrieve"}', serializers) == [
        "GET /orders",
        "  and other parameters",
        "  200 application/json {id= (read): string, name: string}",
    ]


def test_field_classes_that_hand_on_what_the_library_makes(tmp_path: Path) -> None:
    source = """
        from rest_framework import serializers
        class History(serializers.ListField):
            child = serializers.IntegerField()
            def to_representation(self, data):
                return super().to_representation(data.values())
        class Labels(serializers.DictField):
            child = serializers.CharField()
        class Upper(serializers.CharField):
            def to_representation(self, value):
                return super().to_representation(value).upper()
        class OrderSerializer(serializers.Serializer):
            history = History()
            labels = Labels()
            upper = Upper()
        """
    views = """
        class Orders(viewsets.ViewSet):
            def find(self, request):
                return Response(OrderSerializer(self.order).data)
        """
    undetermined = "the result of `super.to_representation().upper` comes from a library"
    assert described_all(tmp_path, views, '{"get": "find"}', source) == [
        "GET /orders",
        "  and other parameters",
        f"  200 application/json {{history: [integer], labels: {{*: string}}, "
        f"upper: unknown: {undetermined}}}",
    ]


def test_members_of_a_serializer_that_are_fields_by_what_they_inherit(tmp_path: Path) -> None:
    files = {
        "serializers.py": """
from rest_framework import serializers
class Upper(serializers.CharField): ...
class Inner(serializers.Serializer):
    id = serializers.IntegerField()
class Other: ...
class Order(serializers.Serializer):
    name = Upper()
    inner = Inner()
    other = Other()
""",
        "views.py": """
from rest_framework.views import APIView
from rest_framework.response import Response
from serializers import Order
class Orders(APIView):
    def get(self, request):
        return Response(Order(load()).data)
""",
        "urls.py": """
from django.urls import path
from views import Orders
urlpatterns = [path("orders", Orders.as_view())]
""",
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    extraction = extract(tmp_path, cache=False)
    (operation,) = extraction.endpoints
    ((body,),) = [response.bodies for response in operation.responses]
    assert isinstance(body.schema, Reference)
    shape = extraction.resolver.resolve(body.schema)
    assert isinstance(shape, Object)
    assert [field.name for field in shape.fields] == ["name", "inner"]


def test_routers_of_the_project_with_routes_of_their_own(tmp_path: Path) -> None:
    files = {
        "views.py": """
            from rest_framework import viewsets
            class Orders(viewsets.ViewSet):
                def list(self, request): ...
                def retrieve(self, request, pk): ...
                def bulk_destroy(self, request): ...
            class Shelves(viewsets.ViewSet):
                def list(self, request): ...
                def retrieve(self, request, pk): ...
            """,
        "urls.py": """
            from django.urls import include, path
            from rest_framework.routers import DefaultRouter, Route, SimpleRouter
            from views import Orders, Shelves
            class Bulk(DefaultRouter):
                routes = DefaultRouter.routes + [
                    Route(
                        url=r"^{prefix}:batchDelete{trailing_slash}$",
                        mapping={"post": "bulk_destroy"},
                        name="{basename}-bulk",
                        detail=False,
                        initkwargs={},
                    ),
                ]
            class OnlyOne(SimpleRouter):
                routes = [Route(url=r"^{prefix}/{lookup}$", mapping={"get": "retrieve"})]
            bulk = Bulk()
            bulk.register("orders", Orders, basename="orders")
            bulk.register("shelves", Shelves, basename="shelves")
            one = OnlyOne()
            one.register("one", Shelves, basename="one")
            urlpatterns = [path("api/", include(bulk.urls)), path("", include(one.urls))]
            """,
    }
    assert routes(tmp_path, "Django REST framework", files) == [
        "GET /api/orders/",
        "GET /api/orders/{pk}/",
        "POST /api/orders:batchDelete/",
        "GET /api/shelves/",
        "GET /api/shelves/{pk}/",
        "GET /one/{pk}",
    ]


def test_the_body_that_an_own_method_or_the_library_takes(tmp_path: Path) -> None:
    views = """
        from rest_framework import generics, mixins, serializers, status
        class Part(serializers.Serializer):
            name = serializers.CharField()
            note = serializers.CharField(required=False)
        class Changing:
            def input_of(self, request):
                return request.data
            def upsert(self, request, *args, **kwargs):
                data = self.input_of(request)
                serializer = self.get_serializer(self.find(), data=data)
                serializer.is_valid(raise_exception=True)
                made = serializer.save()
                return Response(
                    serializer.data,
                    status=status.HTTP_201_CREATED if made else status.HTTP_200_OK,
                )
            def update(self, request, *args, **kwargs):
                options = {"partial": kwargs.pop("partial", False)}
                serializer = self.get_serializer(self.find(), data=request.data, **options)
                serializer.is_valid(raise_exception=True)
                return Response(status=204)
        class Orders(Changing, mixins.CreateModelMixin, generics.GenericAPIView):
            serializer_class = Part
            def put(self, request, *args, **kwargs):
                return self.upsert(request, *args, **kwargs)
            def patch(self, request, *args, **kwargs):
                kwargs["partial"] = True
                return self.update(request, *args, **kwargs)
            def post(self, request, *args, **kwargs):
                return self.create(request, *args, **kwargs)
        """
    assert described_all(tmp_path, views, "") == [
        "PATCH /orders",
        "  and other parameters",
        "  takes application/json {name=: string, note=: string}",
        "  204",
        "POST /orders",
        "  and other parameters",
        "  takes application/json {name: string, note=: string}",
        "  201 application/json {name: string, note=: string}",
        "PUT /orders",
        "  and other parameters",
        "  takes application/json {name: string, note=: string}",
        "  200 application/json {name: string, note=: string}",
        "  201 application/json {name: string, note=: string}",
    ]


def test_a_body_of_which_it_is_undetermined_whether_a_part_is_enough(tmp_path: Path) -> None:
    views = """
        from library import is_partial
        class Orders(viewsets.GenericViewSet):
            serializer_class = OrderSerializer
            def put(self, request):
                serializer = self.get_serializer(data=request.data, partial=is_partial(request))
                serializer.is_valid(raise_exception=True)
                return Response(status=204)
        """
    assert described_all(tmp_path, views, '{"put": "put"}') == [
        "PUT /orders",
        "  and other parameters",
        "  takes application/json {id~: integer}",
        "  204",
    ]


def test_two_serializers_that_take_the_same_data(tmp_path: Path) -> None:
    views = """
        from rest_framework import mixins, serializers
        class Consent(serializers.Serializer):
            accepted = serializers.BooleanField()
        class Orders(mixins.CreateModelMixin, viewsets.GenericViewSet):
            serializer_class = OrderSerializer
            def both(self, request):
                self.check()
                return super().create(request)
            def check(self):
                Consent(data=self.request.data).is_valid(raise_exception=True)
            def one_of_them(self, request):
                if request.user.is_new:
                    given = Consent(data=request.data)
                else:
                    given = OrderSerializer(data=request.data)
                given.is_valid(raise_exception=True)
                return Response(status=204)
        """
    assert described_all(tmp_path, views, '{"post": "both", "put": "one_of_them"}') == [
        "POST /orders",
        "  and other parameters",
        "  takes application/json {accepted: boolean, id: integer}",
        "  201 application/json {id: integer}",
        "PUT /orders",
        "  and other parameters",
        "  takes application/json unknown: the handler validates the request with several models",
        "  204",
    ]
