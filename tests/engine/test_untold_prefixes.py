"""Services that read their base path from the environment: the contract tells what it is."""

from __future__ import annotations

import json
from pathlib import Path
from textwrap import dedent

import pytest

from contract_scan.api import scan

PATHS = {
    "/users": ["get", "post"],
    "/users/{id}": ["get", "delete"],
    "/orders/{id}": ["get"],
}

FASTAPI = """
    import os
    from fastapi import APIRouter, FastAPI
    router = APIRouter(prefix="/users")
    @router.get("")
    def users(): ...
    @router.post("")
    def add(): ...
    @router.get("/{id}")
    def user(id: str): ...
    @router.put("/{id}")
    def change(id: str): ...
    app = FastAPI()
    app.include_router(router, prefix=os.environ["PREFIX"])
    @app.get(f"{os.environ['PREFIX']}/orders/{{id}}")
    def order(id: str): ...
    """

FLASK = """
    import os
    from flask import Blueprint, Flask
    shop = Blueprint("shop", __name__)
    @shop.get("/users")
    def users(): ...
    @shop.post("/users")
    def add(): ...
    @shop.get("/users/<id>")
    def user(id): ...
    @shop.put("/users/<id>")
    def change(id): ...
    @shop.get("/orders/<id>")
    def order(id): ...
    app = Flask(__name__)
    app.register_blueprint(shop, url_prefix=os.environ["PREFIX"])
    """

EXPRESS = """
    import express, { Router } from 'express';
    const router = Router();
    router.get('/users', users);
    router.post('/users', users);
    router.get('/users/:id', users);
    router.put('/users/:id', users);
    router.get('/orders/:id', users);
    const app = express();
    app.use(process.env.PREFIX, router);
    """

NEST = """
    import { NestFactory } from '@nestjs/core';
    import { Controller, Delete, Get, Module, Post, Put } from '@nestjs/common';
    @Controller('users')
    export class Users {
      @Get() all() {}
      @Post() add() {}
      @Get(':id') one() {}
      @Put(':id') change() {}
    }
    @Controller('orders')
    export class Orders { @Get(':id') one() {} }
    @Module({ controllers: [Users, Orders] })
    export class Shop {}
    async function start() {
      const app = await NestFactory.create(Shop);
      app.setGlobalPrefix(process.env.PREFIX);
    }
    """

MINIMAL = """
    var app = WebApplication.Create(args);
    var shop = app.MapGroup(app.Configuration["Prefix"]);
    shop.MapGet("/users", () => { });
    shop.MapPost("/users", () => { });
    shop.MapGet("/users/{id}", (string id) => { });
    shop.MapPut("/users/{id}", (string id) => { });
    shop.MapGet("/orders/{id}", (string id) => { });
    app.Run();
    """

SPRING = """
    package shop;
    import org.springframework.web.bind.annotation.*;
    @RestController @RequestMapping("${api.base}")
    class Shop {
      @GetMapping("/users") void users() {}
      @PostMapping("/users") void add() {}
      @GetMapping("/users/{id}") void user(@PathVariable String id) {}
      @PutMapping("/users/{id}") void change(@PathVariable String id) {}
      @GetMapping("/orders/{id}") void order(@PathVariable String id) {}
    }
    """

SERVICES = {
    "FastAPI": ("app.py", FASTAPI),
    "Flask": ("app.py", FLASK),
    "Express": ("app.ts", EXPRESS),
    "NestJS": ("app.ts", NEST),
    "minimal APIs": ("Program.cs", MINIMAL),
    "Spring MVC": ("src/main/java/shop/Shop.java", SPRING),
}


@pytest.mark.parametrize("prefix", ["", "/api/v1"], ids=["behind it", "in the paths"])
@pytest.mark.parametrize("framework", SERVICES)
def test_all_but_the_base_path_is_told(framework: str, prefix: str, tmp_path: Path) -> None:
    name, source = SERVICES[framework]
    (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / name).write_text(dedent(source))
    paths = {
        prefix + path: {method: {"responses": {"default": {"description": ""}}} for method in verbs}
        for path, verbs in PATHS.items()
    }
    info = {"title": "Shop", "version": "1"}
    document = {"openapi": "3.1.0", "info": info, "paths": paths}
    (tmp_path / "openapi.json").write_text(json.dumps(document))
    report = scan(tmp_path, cache=False, select=["CONTRACT-002"])
    said = {
        (f.kind, f"{f.operation.method} {f.operation.path}") for f in report.findings if f.operation
    }
    assert said == {
        ("method", f"DELETE {prefix}/users/{{id}}"),
        ("undocumented-endpoint", f"PUT {prefix}/users/{{id}}"),
    }
    assert [entry.operation for entry in report.undetermined] == [None]
    assert report.undetermined[0].reason.startswith("below which base path the code answers: ")
