"""Robyn: applications, routers, what handlers take and send."""

from __future__ import annotations

from pathlib import Path

from tests.parsers.source.python.project import handled, routes


def test_routes_of_applications_and_routers(tmp_path: Path) -> None:
    files = {
        "app.py": """
            from robyn import Robyn
            from orders import router, legacy
            from more import add, things
            app = Robyn(__file__)
            app.include_router(router)
            app.include_router(legacy)
            add(app)
            @app.get("/")
            def home(): return "hello"
            @app.patch("/files/*path")
            def files(request): return {}
            @app.get("hidden/", include_in_schema=False)
            def hidden(): return {}
            app.add_route("DELETE", "/gone/:id", home)
            app.add_view("/things", things)
            @app.get(path())
            def computed(): return {}
            if __name__ == "__main__":
                app.start(port=8080)
            """,
        "orders.py": """
            from robyn import SubRouter
            router = SubRouter(__name__, prefix="/orders")
            legacy = SubRouter(__file__, "/legacy/")
            inner = SubRouter("/lines")
            lost = SubRouter(prefix="/lost")
            router.include_router(inner)
            @router.get("/")
            def orders(): return []
            @router.post("/:id")
            async def write(request): return {}
            @inner.put("/:number")
            def line(number: int): return {}
            @legacy.get("/x")
            def x(): return {}
            @lost.get("/y")
            def y(): return {}
            """,
        "more.py": """
            def add(app):
                @app.head("/late")
                def late(): return ""
            def things():
                def get(): return {}
                def post(request): return {}
                def helper(): return 1
            """,
    }
    assert routes(tmp_path, "Robyn", files) == [
        "GET /",
        "PATCH /files/{path*}",
        "DELETE /gone/{id}",
        "GET /hidden hidden",
        "HEAD /late",
        "GET /legacy/x",
        "GET /orders",
        "PUT /orders/lines/{number}",
        "POST /orders/{id}",
        "GET /things",
        "POST /things",
        "GET /{computed}/lost/y (no application that can be seen includes this router)",
        "GET /{path*} (its path is not constant)",
    ]


def test_what_handlers_take_and_send(tmp_path: Path) -> None:
    source = """
        import json
        from pydantic import BaseModel
        from robyn.types import JsonBody
        from robyn import Request, Response, Robyn, jsonify, serve_file, status_codes
        app = Robyn(__file__)
        app.inject(store=make_store())
        class Order(BaseModel):
            id: int
            note: str | None = None
        @app.get("/orders/:id")
        def order(id: int, store, limit: int = 10, state: str | None = None):
            return {"id": id}
        @app.post("/orders", status_code=201, response_model=Order)
        def create(order: Order):
            return {"id": order.id}
        @app.put("/orders")
        async def replace(request: Request):
            data = request.json()
            if not data:
                return {"error": "empty"}, {"x-why": "empty"}, 400
            return Response(
                status_code=status_codes.HTTP_202_ACCEPTED,
                headers={},
                description=jsonify({"n": 1}),
            )
        class Change(JsonBody):
            note: str
        @app.patch("/orders")
        def change(data: Change):
            return json.dumps([1])
        @app.delete("/orders")
        def delete(request):
            return Response(204, {}, "")
        @app.get("/file")
        def file(): return serve_file("x.pdf")
        @app.get("/text")
        def text(): return "done"
        @app.get("/far")
        def far():
            return Response(status_code=find(), headers={}, description="x")
        """
    assert handled(tmp_path, "Robyn", source) == [
        "GET /far",
        "GET /file",
        "  200 application/octet-stream unknown: it is a file",
        "DELETE /orders",
        "  and other parameters",
        "  204",
        "PATCH /orders",
        "  takes application/json unknown: the handler reads the request itself",
        "  200 application/json [integer[1]]",
        "POST /orders",
        "  takes application/json {id: integer, note=: string?}",
        "  201 application/json {id: integer, note=: string?}",
        "PUT /orders",
        "  and other parameters",
        "  takes application/json unknown: the handler reads the request itself",
        "  202 application/json {n: integer[1]}",
        "  400 application/json {error: string['empty']}",
        "GET /orders/{id}",
        "  path id: integer",
        "  query limit?: integer",
        "  query state?: string?",
        "  200 application/json {id: integer}",
        "GET /text",
        "  200 text/plain unknown: it is text",
    ]
