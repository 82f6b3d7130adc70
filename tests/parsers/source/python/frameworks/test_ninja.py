"""Django Ninja and Ninja Extra: where routers are mounted, what views take, what they send."""

from __future__ import annotations

from pathlib import Path

from tests.parsers.source.python.project import handled, routes

NINJA = "Django Ninja"


def test_routers_below_apis_below_url_configurations(tmp_path: Path) -> None:
    files = {
        "config/settings.py": "ROOT_URLCONF = 'config.urls'\n",
        "config/urls.py": """
            from django.urls import include, path
            from config.api import api, internal
            urlpatterns = [path("api/", api.urls), path("x/", include("config.more"))]
            """,
        "config/more.py": """
            from django.urls import path
            from config.api import internal
            urlpatterns = [path("internal/", internal.urls)]
            """,
        "config/api.py": """
            from ninja import NinjaAPI
            from orders.views import router as orders_router
            PREFIX = "v1"
            api = NinjaAPI(version="1")
            internal = NinjaAPI(urls_namespace="internal")
            @api.get("/health", include_in_schema=False)
            def health(request): return {"ok": True}
            @internal.api_operation(["POST", "PATCH"], "/mixed")
            def mixed(request): ...
            api.add_router(f"/{PREFIX}/orders", orders_router)
            api.add_router("/named/", "users.api.router")
            """,
        "orders/views.py": """
            from ninja import Router
            router, notes = Router(), Router()
            router.add_router("/{order_id}/notes", notes)
            @router.get("")
            def all(request): ...
            @router.get("/{int:order_id}")
            def one(request, order_id: int): ...
            @notes.delete("/{path:rest}")
            def remove(request, order_id: int, rest: str): ...
            """,
        "users/api.py": """
            from ninja import Router
            router = Router()
            @router.put("me")
            def me(request): ...
            """,
    }
    assert routes(tmp_path, NINJA, files) == [
        "GET /api/health hidden",
        "PUT /api/named/me",
        "GET /api/v1/orders",
        "GET /api/v1/orders/{order_id}",
        "DELETE /api/v1/orders/{order_id}/notes/{rest*}",
        "PATCH /x/internal/mixed",
        "POST /x/internal/mixed",
    ]


def test_controllers_of_ninja_extra(tmp_path: Path) -> None:
    files = {
        "urls.py": """
            from django.urls import path
            from ninja_extra import NinjaExtraAPI
            from controllers import Orders, Users
            from ninja_jwt.controller import NinjaJWTDefaultController
            api = NinjaExtraAPI()
            api.register_controllers(Orders, Users, NinjaJWTDefaultController)
            urlpatterns = [path("api/", api.urls)]
            """,
        "controllers.py": """
            from ninja_extra import ControllerBase, api_controller, http_get, http_generic, route
            class Base:
                @http_get("/ping")
                def ping(self): ...
            @api_controller("/orders/{order_id}/lines", tags=["x"])
            class Orders(Base, ControllerBase):
                @route.post("")
                def add(self, order_id: int): ...
                @http_generic("/many", methods=["PUT", "PATCH"])
                def many(self, order_id: int): ...
            @api_controller
            class Users:
                @route.get("/users")
                def users(self): ...
            @api_controller("/alone")
            class Alone:
                @route.get("")
                def alone(self): ...
            """,
    }
    assert routes(tmp_path, NINJA, files) == [
        "POST /api/orders/{order_id}/lines",
        "PATCH /api/orders/{order_id}/lines/many",
        "PUT /api/orders/{order_id}/lines/many",
        "GET /api/orders/{order_id}/lines/ping",
        "GET /api/users",
        "* /api/{rest*} hidden (what is added here could not be read)",
        "GET /{computed}/alone (no application that can be seen includes this router)",
    ]


def test_what_is_undetermined_is_said(tmp_path: Path) -> None:
    source = """
        import os
        from ninja import NinjaAPI, Router
        from ninja_extra import NinjaExtraAPI
        from library import their_router
        api = NinjaAPI()
        lost, found = Router(), Router()
        api.add_router(os.environ["PREFIX"], found)
        api.add_router("/theirs", their_router)
        @found.get("/found")
        def a(request): ...
        @lost.get("/lost")
        def b(request): ...
        @api.get(os.environ["WHERE"])
        def c(request): ...
        @api.api_operation(METHODS, "/any")
        def d(request): ...
        """
    assert routes(tmp_path, NINJA, {"app.py": source}) == [
        "GET / (its path is not constant)",
        "* /any (its methods are not constant)",
        "* /theirs/{rest*} hidden (what is added here could not be read)",
        "GET /{computed}/found (a prefix of the router is not constant)",
        "GET /{computed}/lost (no application that can be seen includes this router)",
    ]


def test_parameters_and_bodies(tmp_path: Path) -> None:
    source = """
        from typing import List, Optional
        from ninja import Cookie, File, Form, Header, NinjaAPI, Query, Schema, UploadedFile
        api = NinjaAPI()
        class Filters(Schema):
            limit: int = 10
            q: Optional[str] = None
        class Order(Schema):
            id: int
        class Credentials(Schema):
            name: str
        @api.get("/a/{order_id}")
        def a(request, order_id: int, filters: Query[Filters], tags: List[str] = Query(...),
              x_token: str = Header(...), sid: str = Cookie(None), verbose: bool = False): ...
        @api.post("/b")
        def b(request, order: Order): ...
        @api.post("/c")
        def c(request, order: Order, other: Credentials): ...
        @api.post("/d")
        def d(request, form: Form[Credentials], file: UploadedFile = File(...)): ...
        @api.put("/e")
        def e(request, orders: List[Order]): ...
        """
    assert handled(tmp_path, NINJA, source) == [
        "GET /a/{order_id}",
        "  path order_id: integer",
        "  query limit?: integer",
        "  query q?: string?",
        "  query tags: [string]",
        "  header x-token: string",
        "  cookie sid?: string",
        "  query verbose?: boolean",
        "POST /b",
        "  takes application/json {id: integer}",
        "POST /c",
        "  takes application/json {order: {id: integer}, other: {name: string}}",
        "POST /d",
        "  takes multipart/form-data {name: string, file: string:binary}",
        "PUT /e",
        "  takes application/json [{id: integer}]",
    ]


def test_responses(tmp_path: Path) -> None:
    source = """
        from typing import Any, List
        from django.http import HttpResponse, JsonResponse
        from ninja import Field, NinjaAPI, Schema
        from ninja.responses import codes_4xx
        api = NinjaAPI()
        class Order(Schema):
            order_id: int = Field(alias="orderId")
        class Problem(Schema):
            detail: str
        @api.get("/a", response={200: List[Order], codes_4xx: Problem})
        def a(request): return load()
        @api.post("/b", by_alias=True,
                  response={201: Order, frozenset({404, 409}): Problem, ...: Any})
        def b(request): return 201, load()
        @api.delete("/c", response={204: None})
        def c(request): return 204, None
        @api.get("/d")
        def d(request): return {"count": 1}
        @api.get("/e", response={200: Any, 404: Any})
        def e(request, x: bool):
            if x: return 404, {"error": "no"}
            return {"order": Order(order_id=1)}
        @api.get("/f")
        def f(request) -> Order: return load()
        @api.delete("/g", response={200: Any, 204: None})
        def g(request): return HttpResponse(status=204)
        @api.get("/h")
        def h(request): return JsonResponse({"x": 1}, status=202)
        @api.get("/i")
        def i(request): return HttpResponse("")
        """
    order = "{order_id<orderId>: integer}"
    any = "unknown: it is declared as `Any`, which may be anything"
    assert handled(tmp_path, NINJA, source) == [
        "GET /a",
        f"  200 application/json [{order}]",
        "  4XX application/json {detail: string}",
        "POST /b",
        "  201 application/json {orderId: integer}",
        "  404 application/json {detail: string}",
        "  409 application/json {detail: string}",
        f"  default application/json {any}",
        "DELETE /c",
        "  204",
        "GET /d",
        "  200 application/json {count: integer[1]}",
        "GET /e",
        "  query x: boolean",
        f"  200 application/json {{order: {order}}}",
        "  404 application/json {error: string['no']}",
        "GET /f",
        f"  200 application/json {order}",
        "DELETE /g",
        "  204",
        "GET /h",
        "  202 application/json {x: integer[1]}",
        "GET /i",
        "  200",
    ]


def test_pages(tmp_path: Path) -> None:
    source = """
        from typing import List
        from ninja import NinjaAPI, Schema
        from ninja.pagination import PageNumberPagination, PaginationBase, paginate
        from ninja_extra.schemas import PaginatedResponseSchema
        api = NinjaAPI()
        class Order(Schema):
            id: int
        class Own(PaginationBase): ...
        @api.get("/a", response=List[Order])
        @paginate
        def a(request): ...
        @api.get("/b", response=List[Order])
        @paginate(PageNumberPagination, page_size=50)
        def b(request): ...
        @api.get("/c", response=List[Order])
        @paginate(Own)
        def c(request): ...
        @api.get("/d", response=PaginatedResponseSchema[Order])
        def d(request): ...
        """
    page = "  200 application/json {items: [{id: integer}], count: integer}"
    assert handled(tmp_path, NINJA, source) == [
        "GET /a",
        "  query limit?: integer",
        "  query offset?: integer",
        page,
        "GET /b",
        "  query page?: integer",
        page,
        "GET /c",
        "  and other parameters",
        "  200 application/json unknown: the class that pages the response is not read",
        "GET /d",
        "  200 application/json {count: integer, next: string:uri?, previous: string:uri?, "
        "results: [{id: integer}]}",
    ]


def test_schemas_of_models(tmp_path: Path) -> None:
    source = """
        from ninja import ModelSchema, NinjaAPI
        from models import Order
        api = NinjaAPI()
        class OrderOut(ModelSchema):
            total: float
            class Meta:
                model = Order
                fields = ["id", "note", "customer", "placed"]
        class OrderIn(ModelSchema):
            class Config:
                model = Order
                model_exclude = ["id", "placed"]
        class OrderPatch(ModelSchema):
            class Meta:
                model = Order
                exclude = ["id", "placed"]
                fields_optional = "__all__"
        @api.get("/a", response=OrderOut)
        def a(request): ...
        @api.post("/b", response={204: None})
        def b(request, order: OrderIn): ...
        @api.patch("/c", response={204: None})
        def c(request, order: OrderPatch): ...
        """
    models = """
        from django.db import models
        class Customer(models.Model):
            name = models.CharField(max_length=9)
        class Order(models.Model):
            customer = models.ForeignKey(Customer, on_delete=models.CASCADE)
            note = models.TextField(null=True)
            reference = models.CharField(max_length=9)
            placed = models.DateTimeField()
        """
    lines = handled(tmp_path, NINJA, source, models=models)
    assert lines == [
        "GET /a",
        "  200 application/json {id=: integer, note=: string?, "
        "customer<customer_id>: integer, placed: string:date-time, total: number}",
        "POST /b",
        "  takes application/json {customer_id: integer, note=: string?, reference: string}",
        "  204",
        "PATCH /c",
        "  takes application/json {customer_id=: integer~, note=: string?, reference=: string~}",
        "  204",
    ]
