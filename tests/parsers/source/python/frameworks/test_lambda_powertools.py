"""AWS Lambda Powertools: resolvers and routers."""

from __future__ import annotations

from pathlib import Path

from tests.parsers.source.python.project import handled, routes


def test_routers_across_files(tmp_path: Path) -> None:
    files = {
        "app.py": """
            from aws_lambda_powertools.event_handler import APIGatewayRestResolver, CORSConfig
            import orders, users
            from routes import routers
            app = APIGatewayRestResolver(cors=CORSConfig(), strip_prefixes=["/shop"])
            app.include_router(orders.router, prefix="/orders")
            app.include_router(router=users.router)
            for router in routers:
                app.include_router(router, "/more")
            @app.get("/health", include_in_schema=False)
            def health(): return {"ok": True}
            @app.route("/both", method=["GET", "POST"])
            def both(): return {}
            @app.route("/plain")
            def plain(): return {}
            @app.not_found
            def missing(error): return {}
            def handler(event, context): return app.resolve(event, context)
            """,
        "orders.py": """
            from aws_lambda_powertools.event_handler.api_gateway import Router
            router = Router()
            @router.get("/<order_id>/lines/<line_id>")
            def line(order_id, line_id): return {}
            @router.post("/")
            def create(): return {}
            """,
        "users.py": """
            from aws_lambda_powertools.event_handler.router import APIGatewayRouter
            router = APIGatewayRouter()
            NAME = open("x").read()
            @router.delete("/users/<name>")
            def remove(name): return {}
            @router.put(NAME)
            def put(): return {}
            """,
        "routes/__init__.py": """
            from routes.a import router as a
            routers = [a]
            """,
        "routes/a.py": """
            from aws_lambda_powertools.event_handler.api_gateway import Router
            router = Router()
            lost = Router()
            @router.patch("/a")
            def patch(): return {}
            @lost.patch("/lost")
            def lose(): return {}
            """,
    }
    assert routes(tmp_path, "AWS Lambda Powertools", files) == [
        "PUT / (its path is not constant)",
        "GET /both",
        "POST /both",
        "GET /health hidden",
        "PATCH /more/a",
        "POST /orders/",
        "GET /orders/{order_id}/lines/{line_id}",
        "GET /plain",
        "DELETE /users/{name}",
        "PATCH /{computed}/lost (no application that can be seen includes this router)",
    ]


def test_what_handlers_return(tmp_path: Path) -> None:
    source = """
        import json
        from http import HTTPStatus
        from aws_lambda_powertools.event_handler import (
            APIGatewayHttpResolver, Response, content_types,
        )
        from aws_lambda_powertools.event_handler.exceptions import NotFoundError
        app = APIGatewayHttpResolver()
        def answer(status, body):
            return Response(status_code=status, content_type="application/json", body=body)
        @app.post("/orders")
        def create():
            data = app.current_event.json_body
            if not data:
                raise NotFoundError("no")
            return {"n": 1}, 201
        @app.get("/orders/<order_id>")
        def one(order_id: str):
            if order_id == "x":
                return answer(404, json.dumps({"error": "no"}))
            return {"id": order_id}
        @app.get("/page")
        def page():
            return Response(
                status_code=HTTPStatus.OK, content_type=content_types.TEXT_HTML, body="<p>"
            )
        @app.delete("/orders/<order_id>")
        def remove(order_id):
            return Response(204)
        @app.put("/unclear")
        def unclear(code=None):
            return {}, code
        """
    assert handled(tmp_path, "AWS Lambda Powertools", source) == [
        "POST /orders",
        "  and other parameters",
        "  takes application/json unknown: the handler reads the request itself",
        "  201 application/json {n: integer[1]}",
        "DELETE /orders/{order_id}",
        "  path order_id: string",
        "  and other parameters",
        "  204",
        "GET /orders/{order_id}",
        "  path order_id: string",
        "  and other parameters",
        "  200 application/json {id: string}",
        "  404 application/json {error: string['no']}",
        "GET /page",
        "  and other parameters",
        "  200 text/html unknown: it is text",
        "PUT /unclear",
        "  and other parameters",
    ]


def test_validation_makes_types_count(tmp_path: Path) -> None:
    source = """
        from typing import Annotated, Optional
        from aws_lambda_powertools.event_handler import ALBResolver
        from aws_lambda_powertools.event_handler.openapi.params import Header, Query
        from pydantic import BaseModel, Field
        class Order(BaseModel):
            id_: int = Field(alias="id")
        app = ALBResolver(enable_validation=True)
        @app.post("/orders")
        def create(order: Order) -> Order: return order
        @app.get("/orders/<order_id>")
        def one(
            order_id: int,
            page: int = 1,
            word: Annotated[Optional[str], Query(max_length=3)] = None,
            trace: Annotated[str, Header(alias="X-Trace")] = "",
        ) -> list[Order]:
            return []
        """
    assert handled(tmp_path, "AWS Lambda Powertools", source) == [
        "POST /orders",
        "  and other parameters",
        "  takes application/json {id: integer}",
        "  200 application/json {id: integer}",
        "GET /orders/{order_id}",
        "  path order_id: integer",
        "  query page?: integer",
        "  query word?: string?",
        "  header X-Trace?: string",
        "  and other parameters",
        "  200 application/json [{id: integer}]",
    ]
