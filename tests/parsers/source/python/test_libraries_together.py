"""Several libraries in one tree: none takes anything from another, whichever is asked first."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest

from contract_scan.ir.operation import with_answers
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.language import Framework
from contract_scan.parsers.source.python.language import LANGUAGE
from tests.parsers.source.python.project import described, project, shape

SHARED = {
    "common/__init__.py": "",
    "common/health.py": """
        def register(app):
            @app.route("/health")
            def health(*given):
                return {"ok": True}
        """,
    "common/send.py": """
        def publish(channel, body):
            channel.basic_publish(exchange="", routing_key="orders", body=body)
        """,
}

LIBRARIES = {
    "Flask": """
        from flask import Flask
        from common.health import register
        app = Flask(__name__)
        @app.get("/flask/<int:id>")
        def one(id: int): return {"flask": id}
        register(app)
        """,
    "Quart": """
        from quart import Quart
        from common.health import register
        app = Quart(__name__)
        @app.get("/quart/<int:id>")
        async def one(id: int): return {"quart": id}
        register(app)
        """,
    "Sanic": """
        from sanic import Sanic, json
        from common.health import register
        app = Sanic("shop")
        @app.get("/sanic/<id:int>")
        async def one(request, id: int): return json({"sanic": id})
        register(app)
        """,
    "Bottle": """
        from bottle import Bottle
        from common.health import register
        app = Bottle()
        @app.get("/bottle/<id:int>")
        def one(id): return {"bottle": 1}
        register(app)
        """,
    "FastAPI": """
        from fastapi import FastAPI, WebSocket
        from pydantic import BaseModel
        class Order(BaseModel):
            id: int
        app = FastAPI()
        @app.get("/fastapi/{id}")
        def one(id: int) -> Order: ...
        @app.websocket("/fastapi/live")
        async def live(socket: WebSocket):
            order = Order.model_validate(await socket.receive_json())
            await socket.send_json({"fastapi": 1})
        """,
    "Starlette": """
        from starlette.applications import Starlette
        from starlette.responses import JSONResponse
        from starlette.routing import Route
        async def one(request): return JSONResponse({"starlette": 1})
        app = Starlette(routes=[Route("/starlette/{id:int}", one)])
        """,
    "aiohttp": """
        from aiohttp import web
        async def one(request): return web.json_response({"aiohttp": 1})
        app = web.Application()
        app.router.add_get("/aiohttp/{id}", one)
        """,
    "Tornado": """
        from tornado.web import Application, RequestHandler
        class One(RequestHandler):
            def get(self, id): self.write({"tornado": 1})
        app = Application([(r"/tornado/(\\d+)", One)])
        """,
    "Falcon": """
        import falcon
        class One:
            def on_get(self, req, resp, id): resp.media = {"falcon": 1}
        app = falcon.App()
        app.add_route("/falcon/{id}", One())
        """,
    "Litestar": """
        from litestar import Litestar, get
        @get("/litestar/{id:int}")
        async def one(id: int) -> dict[str, int]: ...
        app = Litestar([one])
        """,
    "Celery": """
        from celery import Celery
        app = Celery("shop")
        @app.task(name="celery.paid")
        def paid(order_id: int): ...
        """,
    "pika": """
        import pika, json
        from common.send import publish
        channel = pika.BlockingConnection().channel()
        publish(channel, json.dumps({"pika": 1}))
        """,
    "redis-py": """
        import redis, json
        client = redis.Redis()
        client.publish("redis.orders", json.dumps({"redis": 1}))
        """,
    "kafka-python": """
        import json
        from kafka import KafkaProducer
        producer = KafkaProducer(value_serializer=lambda v: json.dumps(v).encode())
        producer.send("kafka.orders", {"kafka": 1})
        """,
}


def _file(name: str) -> str:
    return f"{name.lower().replace('-', '_')}_part/app.py"


def _tree(root: Path, names: list[str]) -> Program:
    files = {path: dedent(text) for path, text in SHARED.items()}
    return project(root, files | {_file(name): dedent(LIBRARIES[name]) for name in names})


def _told(program: Program, framework: Framework) -> list[str]:
    """Everything that one library gives."""
    lines: list[str] = []
    if framework.operations is not None:
        for operation in framework.operations(program, framework):
            marks = f"{operation.origin.path} {operation.unresolved}"
            lines.append("\n".join([marks, *described(program, with_answers(operation))]))
    if framework.events is not None:
        lines.extend(
            f"{use.origin.path} {use.unresolved} {use.direction} {use.address} "
            f"{shape(program, use.payload)}"
            for use in framework.events(program, framework)
        )
    return sorted(lines)


FRAMEWORKS = {f.name: f for f in LANGUAGE.frameworks if f.name in LIBRARIES}


def test_every_library_is_known_by_its_name() -> None:
    assert FRAMEWORKS.keys() == LIBRARIES.keys()


@pytest.mark.parametrize("turned", [False, True])
def test_together_each_gives_what_it_gives_alone(tmp_path: Path, turned: bool) -> None:
    alone = {
        name: _told(_tree(tmp_path / _file(name), [name]), framework)
        for name, framework in FRAMEWORKS.items()
    }
    whole = _tree(tmp_path / "all", list(LIBRARIES))
    order = sorted(FRAMEWORKS, reverse=turned)
    assert {name: _told(whole, FRAMEWORKS[name]) for name in order} == alone
    assert [name for name, told in alone.items() if not told] == []


def test_the_function_that_several_hand_their_application(tmp_path: Path) -> None:
    whole = _tree(tmp_path, list(LIBRARIES))
    health = {
        name: [
            operation.path
            for operation in (framework.operations or (lambda *_: ()))(whole, framework)
            if operation.path == "/health"
        ]
        for name, framework in FRAMEWORKS.items()
    }
    assert {name for name, paths in health.items() if paths} == {
        "Flask",
        "Quart",
        "Sanic",
        "Bottle",
    }
