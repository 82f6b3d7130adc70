"""Routers, and methods of them, under names that they are given."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.parsers.source.python.project import routes

AIOHTTP = """
    from aiohttp import web
    async def h(request): ...
    app = web.Application()
    adder = app.router
    adder.add_get("/h", h)
    add = app.router.add_route
    add("PUT", "/g", h)
    def setup(app):
        router = app.router
        router.add_post("/s", h)
    setup(app)
"""
FLASK = """
    from flask import Flask
    app = Flask(__name__)
    route = app.route
    put = app.put
    get = app.get
    @route("/f1")
    def f1(): ...
    @get("/f2")
    def f2(): ...
    @put("/f3")
    def f3(): ...
    get = print
    @get("/f4")
    def f4(): ...
"""
FASTAPI = """
    from fastapi import FastAPI
    app = FastAPI()
    get = app.get
    router = app.router
    @get("/c1")
    def c1(): ...
    @router.get("/c2")
    def c2(): ...
"""


@pytest.mark.parametrize(
    ("library", "source", "expected"),
    [
        ("aiohttp", AIOHTTP, ["GET /h", "POST /s", "PUT /g"]),
        ("Flask", FLASK, ["GET /f1", "GET /f2", "PUT /f3"]),
        ("FastAPI", FASTAPI, ["GET /c1", "GET /c2"]),
    ],
)
def test_a_name_stands_for_the_router_or_method_it_was_given(
    tmp_path: Path, library: str, source: str, expected: list[str]
) -> None:
    assert sorted(routes(tmp_path, library, {"main.py": source})) == expected
