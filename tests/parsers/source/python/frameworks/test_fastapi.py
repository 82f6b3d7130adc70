"""FastAPI: where routes are mounted, what handlers take, what they send."""

from __future__ import annotations

from pathlib import Path

from tests.parsers.source.python.project import handled, routes

FASTAPI = "FastAPI"


def test_a_router_that_is_included_again_in_the_same_way_has_its_routes_once(
    tmp_path: Path,
) -> None:
    files = {
        "main.py": """
            from fastapi import APIRouter, FastAPI
            app, api = FastAPI(), APIRouter(prefix="/v2")
            @api.get("/orders")
            def orders(): ...
            app.include_router(api)
            app.include_router(api)
            app.include_router(api, prefix="/old")
            """
    }
    assert routes(tmp_path, FASTAPI, files) == ["GET /old/v2/orders", "GET /v2/orders"]


def test_routers_included_several_deep_under_prefixes_from_everywhere(tmp_path: Path) -> None:
    files = {
        "shop/main.py": """
            from fastapi import FastAPI
            from shop.api import router as api_router
            from shop.settings import get_settings

            def create_app() -> FastAPI:
                settings = get_settings()
                app = FastAPI(title="Shop")
                app.include_router(api_router, prefix=settings.api_prefix)
                return app

            app = create_app()

            @app.get("/health", include_in_schema=False)
            def health(): return {"ok": True}
            """,
        "shop/settings.py": """
            from functools import lru_cache
            from pydantic_settings import BaseSettings
            from pydantic import Field
            class Settings(BaseSettings):
                api_prefix: str = Field("/api", env="PREFIX")
            @lru_cache
            def get_settings() -> Settings:
                return Settings()
            """,
        "shop/api/__init__.py": """
            from fastapi import APIRouter
            from . import orders, items as goods
            VERSION = 1
            router = APIRouter(prefix=f"/v{VERSION}")
            router.include_router(orders.router, prefix="/orders", tags=["orders"])
            router.include_router(goods.router)
            router.include_router(goods.router, prefix="/old")
            """,
        "shop/api/orders.py": """
            import fastapi
            router = fastapi.APIRouter()
            @router.get("")
            async def orders(): ...
            @router.get("/{order_id:int}")
            async def order(order_id: int): ...
            @router.api_route("/{order_id}/notes", methods=["PUT", "PATCH"])
            async def notes(order_id): ...
            """,
        "shop/api/items.py": """
            from fastapi import APIRouter
            router = APIRouter(prefix="/items")
            @router.delete("/{path:path}")
            def remove(path: str): ...
            """,
    }
    assert routes(tmp_path, FASTAPI, files) == [
        "DELETE /api/v1/items/{path*}",
        "DELETE /api/v1/old/items/{path*}",
        "GET /api/v1/orders",
        "GET /api/v1/orders/{order_id}",
        "PATCH /api/v1/orders/{order_id}/notes",
        "PUT /api/v1/orders/{order_id}/notes",
        "GET /health hidden",
    ]


def test_routes_added_by_calls_mounts_and_functions_that_take_the_application(
    tmp_path: Path,
) -> None:
    files = {
        "main.py": """
            from fastapi import FastAPI
            from routes import register, make_router
            from views import list_users
            app = FastAPI()
            admin = FastAPI()
            app.mount("/admin", admin)
            register(app)
            app.include_router(make_router(), prefix="/made")
            app.add_api_route("/users", list_users, methods=["GET", "POST"])
            app.get("/applied")(list_users)
            @admin.get("/stats")
            def stats(): ...
            """,
        "routes.py": """
            from fastapi import APIRouter, FastAPI
            from other import first, second
            def register(application: FastAPI):
                for router in (first, second):
                    application.include_router(router, prefix="/r")
                @application.post("/inner")
                def inner(): ...
            def make_router():
                router = APIRouter()
                @router.get("/x")
                def x(): ...
                return router
            """,
        "other.py": """
            from fastapi import APIRouter
            first, second = APIRouter(prefix="/1"), APIRouter(prefix="/2")
            @first.get("/a")
            def a(): ...
            @second.get("/b")
            def b(): ...
            """,
        "views.py": "def list_users(): ...\n",
    }
    assert routes(tmp_path, FASTAPI, files) == [
        "GET /admin/stats",
        "GET /applied",
        "POST /inner",
        "GET /made/x",
        "GET /r/1/a",
        "GET /r/2/b",
        "GET /users",
        "POST /users",
    ]


def test_routes_inside_functions_that_are_given_their_router(tmp_path: Path) -> None:
    files = {
        "main.py": """
            from fastapi import APIRouter, FastAPI
            from more import add
            app = FastAPI()
            add(app)
            def typed(app: FastAPI):
                @app.post("/typed")
                def typed(): ...
            typed(app)
            def never(app: FastAPI, router: APIRouter):
                @app.get("/never")
                def never(): ...
                @router.get("/lost")
                def lost(): ...
            class Server:
                def __init__(self, app: FastAPI):
                    self.app = app
                def start(self):
                    @self.app.get("/member")
                    def member(): ...
            """,
        "more.py": """
            def add(app):
                @app.get("/more")
                def more(): ...
            """,
    }
    assert routes(tmp_path, "FastAPI", files) == [
        "GET /member",
        "GET /more",
        "GET /never",
        "POST /typed",
        "GET /{computed}/lost (no application that can be seen includes this router)",
    ]


def test_class_based_views_and_own_router_classes(tmp_path: Path) -> None:
    files = {
        "app.py": """
            from fastapi import APIRouter, FastAPI
            from fastapi_utils.cbv import cbv
            class ApiRouter(APIRouter):
                pass
            router = ApiRouter(prefix="/v1")
            app = FastAPI()
            app.include_router(router)
            @cbv(router)
            class Orders:
                @router.get("/orders")
                def orders(self): ...
            """,
    }
    assert routes(tmp_path, FASTAPI, files) == ["GET /v1/orders"]


def test_what_is_undetermined_is_said(tmp_path: Path) -> None:
    files = {
        "app.py": """
            import os
            from fastapi import APIRouter, FastAPI
            app = FastAPI()
            lost, found, named = APIRouter(), APIRouter(), APIRouter()
            app.include_router(found, prefix=os.environ["PREFIX"])
            app.include_router(named, prefix=os.getenv("PREFIX", "/named"))
            @lost.get("/lost")
            def a(): ...
            @found.get("/found")
            def b(): ...
            @named.get("/x")
            def c(): ...
            @app.get(make())
            def d(): ...
            """,
    }
    assert routes(tmp_path, FASTAPI, files) == [
        "GET / (its path is not constant)",
        "GET /named/x",
        "GET /{computed}/found (a prefix of the router is not constant)",
        "GET /{computed}/lost (no application that can be seen includes this router)",
    ]


def test_routers_without_any_application_stand_for_themselves(tmp_path: Path) -> None:
    source = """
        from fastapi import APIRouter
        router = APIRouter(prefix="/orders")
        @router.get("/{id}")
        def order(id: int): ...
        """
    assert routes(tmp_path, FASTAPI, {"orders.py": source}) == ["GET /orders/{id}"]


def test_clients_are_no_routes(tmp_path: Path) -> None:
    source = """
        import httpx
        from fastapi.testclient import TestClient
        client = httpx.Client()
        client.get("/orders")
        @client.get("/orders")
        def order(): ...
        """
    assert routes(tmp_path, FASTAPI, {"client.py": source}) == []


def test_parameters(tmp_path: Path) -> None:
    source = """
        from typing import Annotated, Optional
        from fastapi import Cookie, Depends, FastAPI, Header, Path, Query, Request
        app = FastAPI()
        def paging(limit: int = Query(20, le=100), offset: Annotated[int, Query(ge=0)] = 0):
            return limit, offset
        class Filters:
            def __init__(self, tag: Optional[str] = None, page=Depends(paging)): ...
        def authorizer(required: bool = True):
            def check(token: str = Header(..., alias="X-Token")): ...
            return check
        @app.get("/orders/{order_id}", dependencies=[Depends(authorizer())])
        def order(
            request: Request,
            order_id: int = Path(...),
            names: list[str] = Query(default=[], alias="name"),
            user_agent: str = Header(None),
            session: Annotated[str | None, Cookie()] = None,
            filters: Filters = Depends(),
            verbose: bool = False,
        ): ...
        """
    assert handled(tmp_path, FASTAPI, source) == [
        "GET /orders/{order_id}",
        "  path order_id: integer",
        "  query name?: [string]",
        "  header user-agent?: string",
        "  cookie session?: string?",
        "  query tag?: string?",
        "  query limit?: integer",
        "  query offset?: integer",
        "  query verbose?: boolean",
        "  header X-Token: string",
        "  200 application/json null",
    ]


def test_bodies(tmp_path: Path) -> None:
    source = """
        from fastapi import Body, Depends, FastAPI, File, Form, UploadFile
        from fastapi.security import OAuth2PasswordRequestForm
        from pydantic import BaseModel
        app = FastAPI()
        class Order(BaseModel):
            id: int
        @app.post("/a", status_code=204)
        def a(order: Order): ...
        @app.post("/b", status_code=204)
        def b(order: Order = Body(..., embed=True, alias="wrapped")): ...
        @app.post("/c", status_code=204)
        def c(order: Order, note: str = Body("")): ...
        @app.post("/d", status_code=204)
        def d(file: UploadFile, title: str = Form(...)): ...
        @app.post("/e", status_code=204)
        def e(form: OAuth2PasswordRequestForm = Depends()): ...
        @app.post("/f", status_code=204)
        def f(orders: list[Order] | None = None): ...
        @app.get("/g", status_code=204)
        def g(order: Order = Depends()): ...
        """
    assert handled(tmp_path, FASTAPI, source) == [
        "POST /a",
        "  takes application/json {id: integer}",
        "  204",
        "POST /b",
        "  takes application/json {wrapped: {id: integer}}",
        "  204",
        "POST /c",
        "  takes application/json {order: {id: integer}, note-=: string}",
        "  204",
        "POST /d",
        "  takes multipart/form-data {file: string:binary, title: string}",
        "  204",
        "POST /e",
        "  takes application/x-www-form-urlencoded "
        "{username: string, password: string, scope-=: string}",
        "  204",
        "POST /f",
        "  takes application/json [{id: integer}]?",
        "  204",
        "GET /g",
        "  query id: integer",
        "  204",
    ]


def test_statuses_set_on_the_injected_response(tmp_path: Path) -> None:
    source = """
        from fastapi import Depends, FastAPI, Response, status
        from fastapi.responses import JSONResponse
        app = FastAPI()
        def set_accepted(answer: Response): answer.status_code = 202
        def counted(response: Response, n: int):
            if n > 3:
                response.status_code = status.HTTP_429_TOO_MANY_REQUESTS
        @app.post("/sometimes", response_model=list[int])
        def sometimes(response: Response, n: int):
            if n > 2:
                response.status_code = 207
            return [n]
        @app.post("/always", status_code=201)
        def always(response: Response) -> int:
            response.status_code = 200
            return 1
        @app.post("/each")
        def each(response: Response, n: int):
            if n > 2:
                response.status_code = 404
                return {"message": "not found"}
            return {"n": n}
        @app.post("/helper")
        async def helper(response: Response) -> int:
            set_accepted(response)
            response.headers["X-Count"] = "1"
            return 1
        @app.post("/dependency", dependencies=[Depends(counted)])
        def dependency() -> int: return 1
        @app.delete("/nothing")
        def nothing(response: Response) -> int | None:
            response.status_code = 204
        @app.post("/own")
        def own(response: Response) -> JSONResponse:
            response.status_code = 207
            return JSONResponse([1])
        """
    assert handled(tmp_path, FASTAPI, source) == [
        "POST /always",
        "  200 application/json integer",
        "POST /dependency",
        "  query n: integer",
        "  200 application/json integer",
        "  429 application/json integer",
        "POST /each",
        "  query n: integer",
        "  200 application/json {n: integer}",
        "  404 application/json {message: string['not found']}",
        "POST /helper",
        "  202 application/json integer",
        "DELETE /nothing",
        "  204",
        "POST /own",
        "  200 application/json [integer[1]]",
        "POST /sometimes",
        "  query n: integer",
        "  200 application/json [integer]",
        "  207 application/json [integer]",
    ]


def test_response_models(tmp_path: Path) -> None:
    source = """
        from http import HTTPStatus
        from typing import Any, Generic, Optional, TypeVar
        from fastapi import FastAPI, status
        from pydantic import BaseModel, Field
        T = TypeVar("T")
        app = FastAPI()
        class Order(BaseModel):
            order_id: int = Field(alias="orderId")
            note: Optional[str] = None
        class Page(BaseModel, Generic[T]):
            items: list[T]
        class Problem(BaseModel):
            detail: str
        @app.get("/a", response_model=Page[Order])
        def a() -> dict: return load()
        @app.get("/b")
        async def b() -> list[Order] | None: ...
        @app.post("/c", status_code=status.HTTP_201_CREATED, response_model_exclude_none=True)
        def c() -> Order: ...
        @app.post("/d", status_code=HTTPStatus.ACCEPTED, response_model_by_alias=False)
        def d() -> Order: ...
        @app.get("/e", response_model=Order, response_model_exclude={"note"})
        def e(): ...
        @app.get("/f", response_model=Order, response_model_include=("note",),
                 responses={404: {"model": Problem}, status.HTTP_409_CONFLICT: {"model": Problem}})
        def f(): ...
        @app.get("/g")
        def g() -> Any: return {"order": Order(order_id=1), "count": len([1])}
        @app.get("/h", response_model=Order | Problem)
        def h(): ...
        @app.delete("/i", status_code=204)
        def i() -> None: ...
        @app.get("/j", response_model=Page[Order],
                 response_model_exclude={"items": {"__all__": {"note"}}})
        def j(): ...
        """
    order = "{orderId: integer, note=: string?}"
    assert handled(tmp_path, FASTAPI, source) == [
        "GET /a",
        f"  200 application/json {{items: [{order}]}}",
        "GET /b",
        f"  200 application/json [{order}]?",
        "POST /c",
        "  201 application/json {orderId: integer, note-=: string}",
        "POST /d",
        "  202 application/json {order_id<orderId>: integer, note=: string?}",
        "GET /e",
        "  200 application/json {orderId: integer}",
        "GET /f",
        "  200 application/json {note=: string?}",
        "  404 application/json {detail: string}",
        "  409 application/json {detail: string}",
        "GET /g",
        f"  200 application/json {{order: {order}, count: integer}}",
        "GET /h",
        f"  200 application/json ({order} | {{detail: string}})",
        "DELETE /i",
        "  204",
        "GET /j",
        "  200 application/json {items: unknown: parts of it are left out}",
    ]


def test_responses_made_by_the_handler(tmp_path: Path) -> None:
    source = """
        from fastapi import FastAPI, Response
        from fastapi.responses import FileResponse, JSONResponse, PlainTextResponse
        from fastapi.encoders import jsonable_encoder
        from pydantic import BaseModel
        app = FastAPI()
        class Order(BaseModel):
            id: int
        @app.get("/a", response_model=Order)
        def a(found: bool):
            if not found:
                return JSONResponse(status_code=404, content={"detail": "missing"})
            return load()
        @app.get("/b")
        def b() -> JSONResponse:
            body = {"ids": [1]}
            body["total"] = 2
            return JSONResponse(body, status_code=202)
        @app.get("/c")
        def c():
            return JSONResponse(content=jsonable_encoder(Order(id=1)))
        @app.get("/d", response_class=PlainTextResponse)
        def d() -> str: return "x"
        @app.get("/e")
        def e(): return FileResponse("x.bin")
        @app.post("/f", status_code=204)
        def f(): return Response(status_code=204)
        @app.get("/g")
        def g(kind: str): return Response(content=load(), media_type=kind)
        @app.get("/h")
        def h(): return Response("", 202)
        @app.get("/i", response_model=dict)
        def i(found: bool):
            if not found:
                return
            return JSONResponse({"id": 1})
        """
    assert handled(tmp_path, FASTAPI, source) == [
        "GET /a",
        "  query found: boolean",
        "  200 application/json {id: integer}",
        "  404 application/json {detail: string['missing']}",
        "GET /b",
        "  202 application/json {ids: [integer[1]], total: integer[2]}",
        "GET /c",
        "  200 application/json {id: integer}",
        "GET /d",
        "  200 text/plain string",
        "GET /e",
        "  200 application/octet-stream unknown: it is not sent as JSON",
        "POST /f",
        "  204",
        "GET /g",
        "  query kind: string",
        "  200 */* unknown: its content type is undetermined",
        "GET /h",
        "  202",
        "GET /i",
        "  query found: boolean",
        "  200 application/json ({*: unknown: `dict` is used without its type} | {id: integer[1]})",
    ]


def test_responses_whose_status_is_not_constant(tmp_path: Path) -> None:
    source = """
        from fastapi import FastAPI
        from fastapi.responses import JSONResponse
        app = FastAPI()
        @app.get("/a")
        def a():
            if done():
                return {"a": 1}
            return JSONResponse({"error": "no"}, status_code=find())
        @app.get("/c")
        def c():
            return JSONResponse({"c": 1}, status_code=200 if done() else 503)
        @app.get("/d")
        def d():
            ok = done()
            body = {"d": "yes" if ok else "no"}
            return JSONResponse(body, status_code=200 if ok else 503)
        @app.get("/b", status_code=202)
        def b():
            return JSONResponse({"error": "no"}, status_code=find())
        """
    assert handled(tmp_path, "FastAPI", source) == [
        "GET /a",
        "  200 application/json {a: integer[1]}",
        "GET /b",
        "  202 application/json unknown: the status that it is sent with is not constant",
        "GET /c",
        "  200 application/json {c: integer[1]}",
        "  503 application/json {c: integer[1]}",
        "GET /d",
        "  200 application/json unknown: which content goes with which status is not known",
        "  503 application/json unknown: which content goes with which status is not known",
    ]


def test_returned_values_without_a_declared_type(tmp_path: Path) -> None:
    source = """
        from fastapi import FastAPI, HTTPException
        from dataclasses import dataclass, asdict
        from orders import find
        app = FastAPI()
        @dataclass
        class Order:
            id: int
        @app.get("/a")
        def a(): return find(1)
        @app.get("/b")
        def b(): return [asdict(Order(1)) for _ in range(3)]
        @app.get("/c")
        def c(x: int):
            if x: return {"a": 1, "b": "x"}
            return {"a": None}
        @app.get("/d")
        def d(): return library.load()
        @app.get("/e")
        def e():
            log("gone")
            raise HTTPException(410)
        @app.get("/f")
        def f(): log("nothing is returned")
        """
    orders = """
        from pydantic import BaseModel
        class Found(BaseModel):
            name: str
        def find(id):
            return Found(name=str(id)).model_dump()
        """
    assert handled(tmp_path, FASTAPI, source, orders=orders) == [
        "GET /a",
        "  200 application/json {name: string}",
        "GET /b",
        "  200 application/json [{id: integer}]",
        "GET /c",
        "  query x: integer",
        "  200 application/json ({a: integer[1], b: string['x']} | {a: null})",
        "GET /d",
        "  200 application/json unknown: the result of `library.load` comes from a library",
        "GET /e",
        "  410",
        "GET /f",
        "  200 application/json null",
    ]


def test_routers_of_libraries_are_never_dropped(tmp_path: Path) -> None:
    source = """
        from fastapi import FastAPI
        from fastapi.staticfiles import StaticFiles
        from users import fastapi_users
        app = FastAPI()
        app.mount("/static", StaticFiles(directory="x"))
        app.include_router(fastapi_users.get_auth_router(), prefix="/auth")
        """
    assert routes(tmp_path, FASTAPI, {"app.py": source}) == [
        "* /auth/{rest*} hidden (the router that is included here could not be read)"
    ]


def test_a_file_with_routes_need_not_name_the_library(tmp_path: Path) -> None:
    files = {
        "app.py": """
            from fastapi import FastAPI
            app = FastAPI()
            import orders
            """,
        "orders.py": """
            from app import app
            @app.get("/orders")
            def orders(): ...
            """,
    }
    assert routes(tmp_path, FASTAPI, files) == ["GET /orders"]


def test_starlette(tmp_path: Path) -> None:
    source = """
        from starlette.applications import Starlette
        from starlette.endpoints import HTTPEndpoint
        from starlette.responses import JSONResponse
        from starlette.routing import Mount, Route, Router
        async def order(request):
            data = await request.json()
            return JSONResponse({"id": 1})
        class Items(HTTPEndpoint):
            async def get(self, request): return JSONResponse([1], status_code=206)
            async def delete(self, request): return JSONResponse(None, status_code=204)
        inner = Router(routes=[Route("/deep", order, methods=["POST"])])
        app = Starlette(routes=[
            Route("/orders/{id:int}", endpoint=order),
            Mount("/api", routes=[Route("/items", Items), Mount("/in", app=inner)]),
        ])
        """
    assert handled(tmp_path, "Starlette", source) == [
        "POST /api/in/deep",
        "  and other parameters",
        "  takes application/json unknown: the handler reads the request itself",
        "  200 application/json {id: integer[1]}",
        "DELETE /api/items",
        "  and other parameters",
        "  204",
        "GET /api/items",
        "  and other parameters",
        "  206 application/json [integer[1]]",
        "GET /orders/{id}",
        "  path id: integer",
        "  and other parameters",
        "  200 application/json {id: integer[1]}",
    ]


def test_unions_of_models_are_bodies(tmp_path: Path) -> None:
    source = """
        from typing import Annotated, Union
        from fastapi import FastAPI
        from pydantic import BaseModel, Field
        app = FastAPI()
        class Card(BaseModel):
            number: str
        class Cash(BaseModel):
            amount: int
        Payment = (
            Card  # the usual one
            | Cash
        )
        Marked = Annotated[Union[Card, Cash], Field(description="how it is paid")]
        @app.post("/inline")
        def inline(payment: Card | Cash) -> int: ...
        @app.post("/marked")
        def marked(payment: Marked) -> int: ...
        @app.post("/named")
        def named(payment: Payment, times: int | str) -> int: ...
        """
    paid = "  takes application/json ({number: string} | {amount: integer})"
    assert handled(tmp_path, "FastAPI", source) == [
        "POST /inline",
        paid,
        "  200 application/json integer",
        "POST /marked",
        paid,
        "  200 application/json integer",
        "POST /named",
        "  query times: (integer | string)",
        paid,
        "  200 application/json integer",
    ]


def test_a_path_is_what_the_callers_of_a_factory_give(tmp_path: Path) -> None:
    source = """
        from fastapi import FastAPI
        def make(health: str = "/health", version="/version", prefix="/o"):
            api = FastAPI()
            @api.get(health)
            def of_default() -> bool: return True
            @api.get(version)
            def of_several() -> bool: return True
            @api.get(prefix + "/x")
            def of_all() -> bool: return True
            return api
        def uncalled(path="/uncalled"):
            api = FastAPI()
            @api.get(path)
            def of_nobody() -> bool: return True
            return api
        app = FastAPI()
        app.mount("/a", make(version="/v", prefix="/p"))
        app.mount("/b", make("/health", "/w", prefix="/p"))
        """
    assert routes(tmp_path, "FastAPI", {"app.py": source}) == [
        "GET /a/health",
        "GET /a/p/x",
        "GET /a/version (its path is not constant)",
        "GET /b/health",
        "GET /b/p/x",
        "GET /b/version (its path is not constant)",
        "GET /uncalled",
    ]


def test_methods_and_prefixes_among_unpacked_options(tmp_path: Path) -> None:
    source = """
        from fastapi import APIRouter, FastAPI
        from settings import OPTIONS
        app = FastAPI(**OPTIONS)
        def show(): ...
        app.add_api_route("/known", show, **{"methods": ["PUT"]})
        app.add_api_route("/plain", show, **{"tags": ["a"]})
        app.add_api_route("/unknown", show, **OPTIONS)
        @app.api_route("/decorated", **OPTIONS)
        def decorated(): ...
        orders = APIRouter(**{"prefix": "/orders"})
        items = APIRouter(prefix="/items")
        @orders.get("/x")
        @items.get("/x")
        def x(): ...
        app.include_router(orders)
        app.include_router(items, **OPTIONS)
        """
    assert routes(tmp_path, "FastAPI", {"app.py": source}) == [
        "* /decorated (its methods are not constant)",
        "PUT /known",
        "GET /orders/x",
        "GET /plain",
        "* /unknown (its methods are not constant)",
        "GET /{computed}/items/x (a prefix of the router is not constant)",
    ]
