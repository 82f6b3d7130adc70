"""Litestar: the tree of routers, controllers and handlers, what they take and what they send."""

from __future__ import annotations

from pathlib import Path

from tests.parsers.source.python.project import handled, routes

LITESTAR = "Litestar"


def test_the_tree_of_routers_controllers_and_handlers(tmp_path: Path) -> None:
    files = {
        "app.py": """
            from litestar import Litestar, Router, get
            from litestar.static_files import create_static_files_router
            from orders import OrderController, PREFIX
            import users
            @get(["/", "/index"])
            async def index() -> str: ...
            @get("/hidden", include_in_schema=False)
            async def hidden() -> None: ...
            api = Router(PREFIX + "/", route_handlers=[OrderController, users.router])
            app = Litestar([index, hidden, api, create_static_files_router("/s", ["x"])], path="/")
            app.register(users.late)
            """,
        "orders.py": """
            import litestar
            from litestar import Controller, HttpMethod, delete, get, route
            from litestar.handlers import websocket
            PREFIX = "/api/v1"
            class Base(Controller):
                @get("/ping")
                async def ping(self) -> None: ...
            class OrderController(Base):
                path = "/orders"
                @litestar.get()
                async def all(self) -> None: ...
                @delete(path="/{order_id:int}")
                async def remove(self, order_id: int) -> None: ...
                @route("/many", http_method=[HttpMethod.PUT, "PATCH"])
                async def many(self) -> None: ...
                @get("/files/{name:path}")
                async def file(self, name: str) -> None: ...
                @websocket("/socket")
                async def socket(self, socket) -> None: ...
            """,
        "users.py": """
            from litestar import Router, post
            @post("/users")
            async def create() -> None: ...
            @post("/late")
            async def late() -> None: ...
            router = Router(path="/admin", route_handlers=[create])
            """,
    }
    assert routes(tmp_path, LITESTAR, files) == [
        "GET /",
        "POST /api/v1/admin/users",
        "GET /api/v1/orders",
        "GET /api/v1/orders/files/{name*}",
        "PATCH /api/v1/orders/many",
        "PUT /api/v1/orders/many",
        "GET /api/v1/orders/ping",
        "DELETE /api/v1/orders/{order_id}",
        "GET /hidden hidden",
        "GET /index",
        "POST /late",
    ]


def test_handlers_that_are_found_as_the_application_starts(tmp_path: Path) -> None:
    source = """
        from litestar import Controller, Litestar, get
        from discovery import find_controllers
        class Found(Controller):
            path = "/found"
            @get("/x")
            async def x(self) -> None: ...
        class Core:
            def on_app_init(self, app_config):
                app_config.route_handlers.extend(find_controllers())
                return app_config
        app = Litestar(plugins=[Core()], path="/base")
        """
    assert routes(tmp_path, LITESTAR, {"app.py": source}) == [
        "GET /base/found/x",
        "* /base/{rest*} hidden (what is registered here could not be read)",
    ]


def test_what_is_undetermined_is_said(tmp_path: Path) -> None:
    source = """
        import os
        from litestar import Controller, Litestar, Router, get, route
        @get(os.environ["WHERE"])
        async def somewhere() -> None: ...
        @get("/below")
        async def below() -> None: ...
        @get("/alone")
        async def alone() -> None: ...
        @route("/any", http_method=METHODS)
        async def any() -> None: ...
        inner = Router(os.environ["PREFIX"], route_handlers=[below])
        app = Litestar([somewhere, inner, any])
        """
    assert routes(tmp_path, LITESTAR, {"app.py": source}) == [
        "GET / (its path is not constant)",
        "GET /alone (no application that can be seen registers this handler)",
        "* /any (its methods are not constant)",
        "GET /below (a path of a router or controller is not constant)",
    ]


def test_parameters_and_dependencies(tmp_path: Path) -> None:
    source = """
        from datetime import date
        from typing import Annotated, Optional
        from uuid import UUID
        from litestar import Controller, Litestar, Request, get
        from litestar.di import Provide
        from litestar.params import Dependency, Parameter
        from sqlalchemy.ext.asyncio import AsyncSession
        def paging(page: int = 1, size: Annotated[int, Parameter(query="pageSize", le=100)] = 20):
            return page, size
        class Service:
            def __init__(self, session: AsyncSession): ...
        class Orders(Controller):
            dependencies = {"paging": Provide(paging), "service": Provide(Service)}
            @get("/{order_id:uuid}/{day:date}")
            async def order(
                self, request: Request, order_id: UUID, service: Service, paging: tuple,
                session: AsyncSession,
                token: Annotated[str, Parameter(header="X-Token")],
                session_id: Annotated[Optional[str], Parameter(cookie="sid")] = None,
                filters: Annotated[list[str], Dependency()] = (),
                tags: list[str] = Parameter(query="tag", default=[]),
                verbose: bool = False,
                since: Optional[date] = None,
            ) -> None: ...
        app = Litestar([Orders])
        """
    assert handled(tmp_path, LITESTAR, source) == [
        "GET /{order_id}/{day}",
        "  path order_id: string:uuid",
        "  query page?: integer",
        "  query pageSize?: integer",
        "  header X-Token: string",
        "  cookie sid?: string?",
        "  query tag?: [string]",
        "  query verbose?: boolean",
        "  query since?: string:date?",
        "  path day: string:date",
        "  and other parameters",
        "  200",
    ]


def test_bodies_statuses_and_declared_responses(tmp_path: Path) -> None:
    source = """
        from dataclasses import dataclass
        from typing import Annotated
        import msgspec
        from pydantic import BaseModel, Field
        from litestar import Litestar, delete, get, patch, post, put, status_codes
        from litestar.datastructures import UploadFile
        from litestar.enums import MediaType, RequestEncodingType
        from litestar.openapi import ResponseSpec
        from litestar.pagination import ClassicPagination, OffsetPagination
        from litestar.params import Body
        from litestar.response import Template
        @dataclass
        class Order:
            id: int
        class Item(msgspec.Struct, rename="camel"):
            unit_price: float
        class Named(BaseModel):
            first_name: str = Field(alias="firstName")
        @post("/a")
        async def a(data: Order) -> Item: ...
        @delete("/b")
        async def b() -> None: ...
        @post("/c", status_code=status_codes.HTTP_202_ACCEPTED)
        async def c(data: Annotated[Order, Body(media_type=RequestEncodingType.URL_ENCODED)]) \\
                -> list[Order]: ...
        @put("/d")
        async def d(data: UploadFile = Body(media_type=RequestEncodingType.MULTI_PART)) \\
                -> OffsetPagination[Order]: ...
        @get("/e")
        async def e() -> str: ...
        @get("/f", media_type=MediaType.HTML)
        async def f() -> str: ...
        @patch("/g", responses={409: ResponseSpec(data_container=Order)})
        async def g(data: Named) -> Named: ...
        @get("/h")
        async def h() -> Template: ...
        @get("/i")
        async def i() -> ClassicPagination[Item]: ...
        app = Litestar([a, b, c, d, e, f, g, h, i])
        """
    assert handled(tmp_path, LITESTAR, source) == [
        "POST /a",
        "  takes application/json {id: integer}",
        "  201 application/json {unitPrice: number}",
        "DELETE /b",
        "  204",
        "POST /c",
        "  takes application/x-www-form-urlencoded {id: integer}",
        "  202 application/json [{id: integer}]",
        "PUT /d",
        "  takes multipart/form-data {*: anything}",
        "  200 application/json "
        "{items: [{id: integer}], limit: integer, offset: integer, total: integer}",
        "GET /e",
        "  200 text/plain string",
        "GET /f",
        "  200 text/html string",
        "PATCH /g",
        "  takes application/json {firstName: string}",
        "  200 application/json {first_name<firstName>: string}",
        "  409 application/json {id: integer}",
        "GET /h",
        "  200 text/html unknown: the response is made in another function",
        "GET /i",
        "  200 application/json {items: [{unitPrice: number}], page_size: integer, "
        "current_page: integer, total_pages: integer}",
    ]


def test_responses_whose_status_is_not_constant(tmp_path: Path) -> None:
    source = """
        from litestar import Litestar, Response, get
        @get("/a")
        async def a() -> Response:
            if done():
                return Response({"a": 1})
            return Response({"error": "no"}, status_code=find())
        @get("/b", status_code=202)
        async def b() -> Response:
            return Response({"error": "no"}, status_code=find())
        @get("/c")
        async def c() -> Response:
            return Response({"c": 1}, status_code=200 if done() else 503)
        app = Litestar([a, b, c])
        """
    assert handled(tmp_path, "Litestar", source) == [
        "GET /a",
        "  200 application/json {a: integer[1]}",
        "GET /b",
        "  202 application/json unknown: the status that it is sent with is not constant",
        "GET /c",
        "  200 application/json {c: integer[1]}",
        "  503 application/json {c: integer[1]}",
    ]


def test_none_is_written_as_null_in_json_and_is_no_body_elsewhere(tmp_path: Path) -> None:
    source = """
        from litestar import Litestar, MediaType, Response, get
        @get("/json")
        async def as_json() -> Response[None]:
            return Response(content=None, status_code=200)
        @get("/none")
        async def none() -> Response[None]:
            return Response(None, status_code=204)
        @get("/text")
        async def as_text() -> Response[None]:
            return Response(None, status_code=200, media_type=MediaType.TEXT)
        @get("/written")
        async def written() -> Response[str]:
            return Response("", status_code=200, media_type=MediaType.JSON)
        app = Litestar([as_json, none, as_text, written])
        """
    assert handled(tmp_path, LITESTAR, source) == [
        "GET /json",
        "  200 application/json null",
        "GET /none",
        "  204",
        "GET /text",
        "  200",
        "GET /written",
        "  200",
    ]


def test_aliases_of_pydantic_models_are_sent_where_a_plugin_says_so(tmp_path: Path) -> None:
    source = """
        from pydantic import BaseModel, Field
        from litestar import Litestar, get
        from litestar.plugins.pydantic import PydanticPlugin
        class Named(BaseModel):
            first_name: str = Field(alias="firstName")
        @get("/a")
        async def a() -> Named: ...
        app = Litestar([a], plugins=[PydanticPlugin(prefer_alias=True)])
        """
    assert handled(tmp_path, LITESTAR, source) == [
        "GET /a",
        "  200 application/json {firstName: string}",
    ]


def test_responses_made_by_the_handler_and_hooks(tmp_path: Path) -> None:
    source = """
        from dataclasses import dataclass
        from litestar import Controller, Litestar, Response, get, post
        from litestar.exceptions import NotFoundException
        from litestar.response import Redirect
        @dataclass
        class Order:
            id: int
        async def marked(response: Response) -> Response:
            response.headers["x"] = "y"
            return response
        async def wrapped(response: Response) -> Response:
            return Response({"data": response.content})
        @post("/a", after_request=marked)
        async def a(found: bool) -> Response[Order]:
            if not found:
                return Response({"detail": "no"}, status_code=404)
            return Response(load())
        @get("/b")
        async def b() -> Response:
            return Response(content={"x": 1}, status_code=203)
        @get("/c")
        async def c() -> Redirect:
            return Redirect("/b")
        @get("/d")
        async def d() -> Order: raise NotFoundException()
        class Wrapped(Controller):
            path = "/e"
            after_request = wrapped
            @get()
            async def e(self) -> Order: ...
        app = Litestar([a, b, c, d, Wrapped])
        """
    assert handled(tmp_path, LITESTAR, source) == [
        "POST /a",
        "  query found: boolean",
        "  201 application/json {id: integer}",
        "  404 application/json {detail: string['no']}",
        "GET /b",
        "  203 application/json {x: integer[1]}",
        "GET /c",
        "  302",
        "GET /d",
        "  200 application/json {id: integer}",
        "  404",
        "GET /e",
        "  200 application/json unknown: the hook `after_request` may change what is sent",
    ]


def test_data_transfer_objects(tmp_path: Path) -> None:
    source = """
        from dataclasses import dataclass, field
        from typing import Annotated
        from litestar import Controller, Litestar, get, patch, post
        from litestar.contrib.pydantic import PydanticDTO
        from litestar.dto import DataclassDTO, DTOConfig, DTOData
        from litestar.plugins.sqlalchemy import SQLAlchemyDTO
        from pydantic import BaseModel
        from models import Row
        @dataclass
        class City:
            zip_code: str
            country: "Country"
        @dataclass
        class Country:
            name: str
        @dataclass
        class User:
            user_id: int
            full_name: str
            password: str
            city: City
            _private: str = ""
        class ReadDTO(DataclassDTO[User]):
            config = DTOConfig(exclude={"password", "city.zip_code"}, rename_strategy="camel",
                               rename_fields={"full_name": "name"})
        WriteDTO = DataclassDTO[Annotated[User, DTOConfig(include={"full_name"}, partial=True)]]
        class Plain(BaseModel):
            a: int
            b: int
        class Users(Controller):
            path = "/users"
            dto = WriteDTO
            return_dto = ReadDTO
            @get()
            async def all(self) -> list[User]: ...
            @post()
            async def create(self, data: DTOData[User]) -> User: ...
            @patch(return_dto=None)
            async def change(self, data: User) -> None: ...
        @get("/plain", return_dto=PydanticDTO[Annotated[Plain, DTOConfig(exclude={"b"})]])
        async def plain() -> Plain: ...
        @get("/rows", return_dto=SQLAlchemyDTO[Row])
        async def rows() -> list[Row]: ...
        app = Litestar([Users, plain, rows])
        """
    user = "{userId: integer, name: string, city: {}}"
    assert handled(tmp_path, LITESTAR, source, models="class Row: ...") == [
        "GET /plain",
        "  200 application/json {a: integer}",
        "GET /rows",
        "  200 application/json unknown: what `SQLAlchemyDTO` sends of its model could not be read",
        "GET /users",
        f"  200 application/json [{user}]",
        "PATCH /users",
        "  takes application/json {full_name-=: string}",
        "  200",
        "POST /users",
        "  takes application/json {full_name-=: string}",
        f"  201 application/json {user}",
    ]


def test_types_that_encoders_of_the_project_write(tmp_path: Path) -> None:
    source = """
        from decimal import Decimal
        from dataclasses import dataclass
        from litestar import Controller, Litestar, Response, get
        class Key(int): ...
        class Slug(str): ...
        class Money:
            def __init__(self, amount): self.amount = amount
        def written(value: int) -> str: ...
        ENCODERS = {Key: written, Decimal: float}
        @dataclass
        class Order:
            key: Key
            total: Decimal
            slug: Slug
            paid: Money
        class Orders(Controller):
            type_encoders = {Money: lambda money: {"currency": "EUR"}}
            @get("/order")
            async def one(self) -> Order: ...
        @get("/file")
        async def file(suffix: str) -> Response:
            return Response(content=load(), media_type=TYPES.get(suffix))
        app = Litestar([Orders, file], type_encoders=ENCODERS)
        """
    doubt = "an encoder of the project may write it in its own way"
    assert handled(tmp_path, "Litestar", source) == [
        "GET /file",
        "  query suffix: string",
        "  200 */* unknown: its content type is not constant",
        "GET /order",
        f"  200 application/json {{key: string, total: number, slug: unknown: {doubt}, "
        "paid: {currency: string['EUR']}}",
    ]


def test_fields_of_an_open_dictionary_are_those_of_the_literal(tmp_path: Path) -> None:
    source = """
        from typing import Any
        from litestar import Litestar, get
        @get("/known")
        async def known() -> dict[str, Any]:
            return {"status": "ok", "count": 1}
        @get("/typed")
        async def typed() -> dict[str, int]:
            return {"count": 1}
        @get("/computed")
        async def computed() -> dict[str, Any]:
            return load()
        app = Litestar(route_handlers=[known, typed, computed])
        """
    assert handled(tmp_path, "Litestar", source) == [
        "GET /computed",
        "  200 application/json {*: unknown: it is declared as `Any`, which may be anything}",
        "GET /known",
        "  200 application/json {status: string['ok'], count: integer[1]}",
        "GET /typed",
        "  200 application/json {count: integer[1]}",
    ]
