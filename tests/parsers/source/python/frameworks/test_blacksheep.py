"""BlackSheep: applications, routers, controllers, what handlers take and send."""

from __future__ import annotations

from pathlib import Path

from tests.parsers.source.python.project import handled, operations, project, routes


def test_routes_of_applications_and_routers(tmp_path: Path) -> None:
    files = {
        "server.py": """
            from blacksheep import Application, Router, get
            from orders import child
            from more import add
            items = Router(prefix="/items")
            router = Router(sub_routers=[items])
            app = Application(router=router)
            app.mount("/shop", child)
            add(app)
            @get("/")
            def home(): return "hello"
            @app.router.get("/:culture/:area")
            def area(culture, area): return {}
            @router.post("/plain/<int:id>/")
            def plain(id: int): return {}
            @items.put("/{uuid:id}")
            def item(id): return {}
            @router.get("/files/*")
            def files(): return {}
            fetch = app.router.get
            @fetch("/named")
            def named(): return {}
            @app.router.route("/both", methods=["GET", "PATCH"])
            def both(): return {}
            """,
        "orders.py": """
            from blacksheep import Application
            child = Application()
            @child.router.delete("orders/:id")
            def gone(id: int): ...
            """,
        "more.py": """
            def add(app):
                @app.router.head("/late")
                def late(): ...
                app.router.add("PATCH", "/added", late)
            """,
    }
    assert routes(tmp_path, "BlackSheep", files) == [
        "GET /",
        "PATCH /added",
        "GET /both",
        "PATCH /both",
        "GET /files/{tail*}",
        "PUT /items/{id}",
        "HEAD /late",
        "GET /named",
        "POST /plain/{id}",
        "DELETE /shop/orders/{id}",
        "GET /{culture}/{area}",
    ]


def test_controllers(tmp_path: Path) -> None:
    files = {
        "controllers.py": """
            from blacksheep.server.controllers import APIController, Controller, delete, get, post
            class Home(Controller):
                @get("/")
                def index(self): return self.view()
            class Cats(Controller):
                route = "/cats"
                @get(":id")
                def one(self, id: int): return self.json({"id": id})
            class Dogs(APIController):
                @get()
                def all(self): return []
            class BirdsV2(APIController):
                @classmethod
                def version(cls): return "v2"
                @post()
                def add(self): return self.created("done")
            class Fish(APIController):
                @classmethod
                def route(cls): return "api/fishes"
                @delete("/:id")
                def gone(self, id: int): ...
            class Lost(Controller):
                @classmethod
                def route(cls): return find()
                @get("/x")
                def x(self): ...
            """,
    }
    assert routes(tmp_path, "BlackSheep", files) == [
        "GET /",
        "GET /api/dogs",
        "DELETE /api/fishes/{id}",
        "POST /api/v2/birds",
        "GET /cats/{id}",
        "GET /x (its path is not constant)",
    ]


def test_what_handlers_take_and_send(tmp_path: Path) -> None:
    source = """
        from dataclasses import dataclass
        from blacksheep import (
            Application, FromForm, FromHeader, FromJSON, FromQuery, FromServices, Request, Response,
            JSONContent, accepted, created, json, not_found, text,
        )
        from blacksheep.exceptions import Conflict
        app = Application()
        class Store: ...
        app.services.add_singleton(Store)
        @dataclass
        class Order:
            id: int
            note: str | None = None
        class FromTenant(FromHeader[str]):
            name = "X-Tenant"
        @app.router.get("/orders/:id")
        def order(
            id: int,
            store: Store,
            tenant: FromTenant,
            page: FromQuery[int] = FromQuery(1),
            state: str | None = None,
            size: int = 10,
            sort=None,
        ) -> Order:
            if not store.has(id):
                return not_found()
            return Order(id=id)
        @app.router.post("/orders")
        async def create(data: FromJSON[Order], store: FromServices[Store]):
            if store.has(data.value):
                raise Conflict()
            return created({"id": data.value.id})
        @app.router.put("/orders")
        async def replace(order: Order | None): return accepted("later")
        @app.router.patch("/orders")
        async def change(request: Request):
            data = await request.json()
            return json({"note": data["note"]}, 202)
        @app.router.delete("/orders")
        async def delete(): ...
        @app.router.post("/form")
        async def form(data: FromForm[Order]): return Response(418, None, JSONContent({"n": 1}))
        @app.router.get("/text")
        def words(): return text("done")
        @app.router.get("/plain")
        def plain(): return "done"
        """
    assert handled(tmp_path, "BlackSheep", source) == [
        "POST /form",
        "  takes multipart/form-data {id: integer, note=: string?}",
        "  418 application/json {n: integer[1]}",
        "DELETE /orders",
        "PATCH /orders",
        "  and other parameters",
        "  takes application/json {note: anything}~",
        "  202 application/json {note: unknown: `note` is not a member that can be seen}",
        "POST /orders",
        "  takes application/json {id: integer, note=: string?}",
        "  201 application/json {id: unknown: the value of `blacksheep.FromJSON.value.id` comes "
        "from a library}",
        "  409",
        "PUT /orders",
        "  takes application/json {id: integer, note=: string?}",
        "  202 text/plain unknown: its text is not read",
        "GET /orders/{id}",
        "  path id: integer",
        "  header X-Tenant: string",
        "  query page?: integer",
        "  query state?: string?",
        "  query size?: integer",
        "  query sort?: anything",
        "  200 application/json {id: integer, note=: string?}",
        "  404",
        "GET /plain",
        "  200 text/plain unknown: it is text",
        "GET /text",
        "  200 text/plain unknown: its text is not read",
    ]


def test_a_class_without_fields_may_be_a_body_or_a_service(tmp_path: Path) -> None:
    source = """
        from blacksheep import get, post
        class Mailer:
            def send(self, text: str): ...
        @post("/mails")
        async def send(mailer: Mailer): return None
        @get("/mails")
        async def all(mailer: Mailer): return None
        """
    assert handled(tmp_path, "BlackSheep", source) == [
        "GET /mails",
        "  204",
        "POST /mails",
        "  takes application/json unknown: whether the class is the body or a service is "
        "undetermined",
        "  204",
    ]


def test_a_body_that_may_be_missing_is_not_required(tmp_path: Path) -> None:
    source = """
        from dataclasses import dataclass
        from blacksheep import Application, FromJSON, post, put
        app = Application()
        @dataclass
        class Order:
            id: int
        @post("/orders")
        async def create(data: FromJSON[Order]): return None
        @put("/orders")
        async def replace(data: FromJSON[Order] | None): return None
        """
    known = operations(project(tmp_path, {"main.py": source}), "BlackSheep")
    assert [(each.method, each.request[0].required) for each in known] == [
        ("POST", True),
        ("PUT", False),
    ]
    assert [[one.status for one in each.responses] for each in known] == [["204"], ["204"]]
