"""Repositories that are made to be expensive, each of any size: what an attacker would commit, and
what a generator of code writes without meaning harm."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, TypeAlias

from msgspec import Struct

Files: TypeAlias = dict[str, str]
"""Path in the repository -> text."""
JsonSchema: TypeAlias = dict[str, Any]


class Shape(Struct, frozen=True):
    """One kind of expensive repository."""

    name: str
    files: Callable[[int], Files]
    """The repository of a size."""
    sizes: tuple[int, ...]
    """Sizes to measure, ascending."""
    unit: str
    """What the size counts."""
    most: float = 1.3
    """The largest exponent that is accepted."""
    reason: str = ""
    """Why it may be more than n·log n; empty where it may not."""


# ---------------------------------------------------------------------- contracts


def openapi(schemas: JsonSchema, body: JsonSchema, path: str = "/things") -> str:
    """A document with one operation that answers with a body."""
    content = {"application/json": {"schema": body}}
    return json.dumps(
        {
            "openapi": "3.0.3",
            "info": {"title": "t", "version": "1"},
            "paths": {
                path: {"get": {"responses": {"200": {"description": "ok", "content": content}}}}
            },
            "components": {"schemas": schemas},
        },
        indent=1,
    )


def reference(name: str) -> JsonSchema:
    """A reference to a component."""
    return {"$ref": f"#/components/schemas/{name}"}


def record(properties: JsonSchema) -> JsonSchema:
    """An object of which every property is required."""
    return {"type": "object", "required": [*properties], "properties": properties}


_STRING: JsonSchema = {"type": "string"}
_NUMBER: JsonSchema = {"type": "number"}


# ---------------------------------------------------------------------- code around a type


def nest(types: str, answer: str) -> str:
    """A NestJS controller that answers with a type."""
    return f"""import {{ Controller, Get }} from '@nestjs/common';
{types}
@Controller('things')
export class ThingsController {{
  @Get()
  find(): {answer} {{ return load(); }}
}}
declare function load(): any;
"""


def fastapi(types: str, answer: str) -> str:
    """A FastAPI application that answers with a type."""
    return f"""from typing import Annotated, Generic, Literal, TypeVar, Union
from fastapi import FastAPI
from pydantic import BaseModel, Field

app = FastAPI()
{types}
@app.get("/things")
def things() -> {answer}:
    return load()
"""


def aspnet(types: str, answer: str) -> str:
    """An ASP.NET Core controller that answers with a type."""
    return f"""#nullable enable
using Microsoft.AspNetCore.Mvc;
using System.Collections.Generic;
namespace App;
{types}
[ApiController]
[Route("things")]
public class ThingsController : ControllerBase {{
  [HttpGet] public ActionResult<{answer}> Find() => Load();
}}
"""


def spring(types: str, answer: str) -> str:
    """A Spring controller that answers with a type."""
    return f"""package app;
import java.util.List;
import org.springframework.web.bind.annotation.*;
@RestController
class ThingsController {{
  @GetMapping("/things") public {answer} find() {{ return load(); }}
}}
{types}
"""


# ---------------------------------------------------------------------- recursive unions


def expression_tree(variants: int) -> Files:
    """A recursive union that a tag tells apart, where one leaf differs."""
    names = [f"Kind{i}" for i in range(variants)]
    schemas: JsonSchema = {
        "Node": {"oneOf": [reference(name) for name in names]},
        **{
            name: record(
                {
                    "kind": {"type": "string", "enum": [name]},
                    "left": reference("Node"),
                    "right": reference("Node"),
                    "value": _NUMBER,
                }
            )
            for name in names
        },
    }
    types = "\n".join(
        f"export interface {name} {{ kind: '{name}'; left: Node; right: Node; "
        f"value: {'string' if i == 0 else 'number'} }}"
        for i, name in enumerate(names)
    )
    types += f"\nexport type Node = {' | '.join(names)};"
    return {
        "openapi.json": openapi(schemas, reference("Node")),
        "src/things.controller.ts": nest(types, "Node"),
    }


def expression_tree_python(variants: int) -> Files:
    """The same as models of pydantic."""
    names = [f"Kind{i}" for i in range(variants)]
    types = "".join(
        f'class {name}(BaseModel):\n    kind: Literal["{name}"]\n    left: "Node"\n'
        f'    right: "Node"\n    value: {"str" if i == 0 else "float"}\n'
        for i, name in enumerate(names)
    )
    types += f'Node = Annotated[Union[{", ".join(names)}], Field(discriminator="kind")]\n'
    contract = expression_tree(variants)["openapi.json"]
    return {"openapi.json": contract, "app.py": fastapi(types, "Node")}


# ---------------------------------------------------------------------- shared types


def _dag(depth: int) -> JsonSchema:
    levels = {
        f"Level{i}": record({"a": reference(f"Level{i + 1}"), "b": reference(f"Level{i + 1}")})
        for i in range(depth)
    }
    return {**levels, f"Level{depth}": record({"value": _NUMBER})}


def shared_types(depth: int) -> Files:
    """Every level holds the next one twice: two to the power of the depth ways to one difference."""
    types = "\n".join(
        f"export interface Level{i} {{ a: Level{i + 1}; b: Level{i + 1} }}" for i in range(depth)
    )
    types += f"\nexport interface Level{depth} {{ value: string }}"
    return {
        "openapi.json": openapi(_dag(depth), reference("Level0")),
        "src/things.controller.ts": nest(types, "Level0"),
    }


def shared_types_java(depth: int) -> Files:
    """The same as records of Java."""
    types = "\n".join(f"record Level{i}(Level{i + 1} a, Level{i + 1} b) {{}}" for i in range(depth))
    types += f"\nrecord Level{depth}(String value) {{}}"
    return {
        "openapi.json": openapi(_dag(depth), reference("Level0")),
        "src/ThingsController.java": spring(types, "Level0"),
    }


# ---------------------------------------------------------------------- growing generics


def _growing_contract(fields: int) -> str:
    schema = record({**{f"a{i}": _STRING for i in range(fields)}, "n": reference("T")})
    return openapi({"T": schema}, reference("T"))


def growing_generic(fields: int) -> Files:
    """A generic type that holds itself with a larger argument: it has endlessly many instances."""
    own = " ".join(f"a{i}: A;" for i in range(fields))
    return {
        "openapi.json": _growing_contract(fields),
        "src/things.controller.ts": nest(f"export type T<A> = {{ {own} n: T<[A]> }};", "T<string>"),
    }


def growing_generic_doubling(fields: int) -> Files:
    """The same, with an argument that doubles at every level."""
    own = " ".join(f"a{i}: A;" for i in range(fields))
    return {
        "openapi.json": _growing_contract(fields),
        "src/things.controller.ts": nest(
            f"export type T<A> = {{ {own} n: T<{{ x: A; y: A }}> }};", "T<string>"
        ),
    }


def growing_generic_python(fields: int) -> Files:
    """The same as a generic model of pydantic."""
    own = "".join(f"    a{i}: A\n" for i in range(fields))
    types = f'A = TypeVar("A")\nclass T(BaseModel, Generic[A]):\n{own}    n: "T[list[A]]"\n'
    return {"openapi.json": _growing_contract(fields), "app.py": fastapi(types, "T[str]")}


def growing_generic_csharp(fields: int) -> Files:
    """The same as a generic class of C#."""
    own = "".join(f"  public A A{i} {{ get; set; }}\n" for i in range(fields))
    types = f"public class T<A> {{\n{own}  public T<List<A>> N {{ get; set; }}\n}}"
    return {
        "openapi.json": _growing_contract(fields),
        "ThingsController.cs": aspnet(types, "T<string>"),
        "app.csproj": '<Project Sdk="Microsoft.NET.Sdk.Web"></Project>',
    }


def growing_generic_java(fields: int) -> Files:
    """The same as a generic class of Java."""
    own = "".join(f"  public A a{i};\n" for i in range(fields))
    types = f"class T<A> {{\n{own}  public T<List<A>> n;\n}}"
    return {
        "openapi.json": _growing_contract(fields),
        "src/ThingsController.java": spring(types, "T<String>"),
    }


# ---------------------------------------------------------------------- objects that double


def _doubled_contract() -> str:
    inner = record({"l": {"type": "object"}, "r": {"type": "object"}})
    return openapi({}, record({"l": inner, "r": inner}))


def doubled_objects(levels: int) -> Files:
    """Objects that each hold the one before twice."""
    body = "".join(f'    v{i} = {{"l": v{i - 1}, "r": v{i - 1}}}\n' for i in range(1, levels))
    return {
        "openapi.json": _doubled_contract(),
        "app.py": "from fastapi import FastAPI\n\napp = FastAPI()\n\n"
        f'@app.get("/things")\ndef things():\n    v0 = {{"id": 1}}\n{body}    return v{levels - 1}\n',
    }


def doubled_lists(levels: int) -> Files:
    """Lists that each hold all of the one before twice, in front of a view of Django."""
    body = "".join(f"L{i} = L{i - 1} + L{i - 1}\n" for i in range(1, levels))
    library = "from rest_framework"
    return {
        "openapi.json": openapi({}, record({"id": _STRING})),
        "manage.py": "",
        "settings.py": "INSTALLED_APPS = ['rest_framework']\nROOT_URLCONF = 'urls'\n",
        "urls.py": "from django.urls import path\nfrom views import Things\n"
        "urlpatterns = [path('things', Things.as_view())]\n",
        "views.py": f"{library}.views import APIView\n{library}.response import Response\n"
        f"{library}.permissions import IsAuthenticated\nL0 = [IsAuthenticated]\n{body}"
        f"class Things(APIView):\n    permission_classes = L{levels - 1}\n"
        "    def get(self, request):\n        return Response({'id': 'a'})\n",
    }


def doubled_objects_csharp(levels: int) -> Files:
    """The same with anonymous objects of C#."""
    body = "".join(
        f"    var v{i} = new {{ l = v{i - 1}, r = v{i - 1} }};\n" for i in range(1, levels)
    )
    return {
        "openapi.json": _doubled_contract(),
        "ThingsController.cs": f"""using Microsoft.AspNetCore.Mvc;
namespace App;
[ApiController]
[Route("things")]
public class ThingsController : ControllerBase {{
  [HttpGet] public IActionResult Find() {{
    var v0 = new {{ id = 1 }};
{body}    return Ok(v{levels - 1});
  }}
}}
""",
        "app.csproj": '<Project Sdk="Microsoft.NET.Sdk.Web"></Project>',
    }


# ---------------------------------------------------------------------- routers


def _leaf_contract() -> str:
    return openapi({}, record({"id": _STRING}), "/leaf")


def express_mounts(depth: int) -> Files:
    """Routers that are mounted twice by the router above."""
    routers = "".join(f"const r{i} = express.Router();\n" for i in range(depth + 1))
    mounts = "".join(
        f"r{i}.use('/a{i}', r{i + 1});\nr{i}.use('/b{i}', r{i + 1});\n" for i in range(depth)
    )
    return {
        "openapi.json": _leaf_contract(),
        "src/app.ts": f"import express from 'express';\nconst app = express();\n{routers}{mounts}"
        f"r{depth}.get('/leaf', (req, res) => res.json({{ id: 'a' }}));\napp.use('/', r0);\n"
        "app.listen(1);\n",
    }


def koa_mounts(depth: int) -> Files:
    """The same with Koa's router."""
    routers = "".join(f"const r{i} = new Router();\n" for i in range(depth + 1))
    mounts = "".join(
        f"r{i}.use('/a{i}', r{i + 1}.routes());\nr{i}.use('/b{i}', r{i + 1}.routes());\n"
        for i in range(depth)
    )
    return {
        "openapi.json": _leaf_contract(),
        "src/app.ts": "import Koa from 'koa';\nimport Router from '@koa/router';\n"
        f"const app = new Koa();\n{routers}"
        f"r{depth}.get('/leaf', (ctx) => {{ ctx.body = {{ id: 'a' }}; }});\n{mounts}"
        "app.use(r0.routes());\napp.listen(1);\n",
    }


def hono_mounts(depth: int) -> Files:
    """The same with Hono."""
    routers = "".join(f"const r{i} = new Hono();\n" for i in range(depth + 1))
    mounts = "".join(
        f"r{i}.route('/a{i}', r{i + 1});\nr{i}.route('/b{i}', r{i + 1});\n"
        for i in reversed(range(depth))
    )
    return {
        "openapi.json": _leaf_contract(),
        "src/app.ts": f"import {{ Hono }} from 'hono';\n{routers}"
        f"r{depth}.get('/leaf', (c) => c.json({{ id: 'a' }}));\n{mounts}export default r0;\n",
    }


def fastify_mounts(depth: int) -> Files:
    """The same with plugins of Fastify."""
    plugins = "".join(
        f"async function r{i}(app) {{ app.register(r{i + 1}, {{ prefix: '/a{i}' }}); "
        f"app.register(r{i + 1}, {{ prefix: '/b{i}' }}); }}\n"
        for i in range(depth)
    )
    return {
        "openapi.json": _leaf_contract(),
        "src/app.ts": "import fastify from 'fastify';\nconst app = fastify();\n"
        f"async function r{depth}(app) {{ app.get('/leaf', async () => ({{ id: 'a' }})); }}\n"
        f"{plugins}app.register(r0, {{ prefix: '/' }});\napp.listen({{ port: 1 }});\n",
    }


def fastapi_mounts(depth: int) -> Files:
    """The same with FastAPI's `include_router`."""
    routers = "".join(f"r{i} = APIRouter()\n" for i in range(depth + 1))
    mounts = "".join(
        f'r{i}.include_router(r{i + 1}, prefix="/a{i}")\n'
        f'r{i}.include_router(r{i + 1}, prefix="/b{i}")\n'
        for i in reversed(range(depth))
    )
    return {
        "openapi.json": _leaf_contract(),
        "app.py": f"from fastapi import APIRouter, FastAPI\napp = FastAPI()\n{routers}"
        f'@r{depth}.get("/leaf")\ndef leaf():\n    return {{"id": "a"}}\n{mounts}'
        "app.include_router(r0)\n",
    }


def fastapi_included_again(count: int) -> Files:
    """One router that is included anew after each of its routes."""
    more = "".join(
        f"@api.post('/leaf')\ndef create{i}(): ...\napp.include_router(api)\n" for i in range(count)
    )
    return {
        "openapi.json": _leaf_contract(),
        "app.py": "from fastapi import APIRouter, FastAPI\napp = FastAPI()\napi = APIRouter()\n"
        f"@api.get('/leaf')\ndef leaf(): return {{'id': 'a'}}\n{more}",
    }


def flask_mounts(depth: int) -> Files:
    """The same with nested blueprints of Flask."""
    routers = "".join(f'r{i} = Blueprint("r{i}", __name__)\n' for i in range(depth + 1))
    mounts = "".join(
        f'r{i}.register_blueprint(r{i + 1}, url_prefix="/a{i}")\n'
        f'r{i}.register_blueprint(r{i + 1}, url_prefix="/b{i}", name="b{i}")\n'
        for i in reversed(range(depth))
    )
    return {
        "openapi.json": _leaf_contract(),
        "app.py": f"from flask import Blueprint, Flask\napp = Flask(__name__)\n{routers}"
        f'@r{depth}.get("/leaf")\ndef leaf():\n    return {{"id": "a"}}\n{mounts}'
        "app.register_blueprint(r0)\n",
    }


def django_includes(depth: int) -> Files:
    """The same with Django's `include`."""
    files = {
        f"shop/u{i}.py": "from django.urls import include, path\nurlpatterns = [\n"
        f'    path("a{i}/", include("shop.u{i + 1}")),\n'
        f'    path("b{i}/", include("shop.u{i + 1}")),\n]\n'
        for i in range(depth)
    }
    files[f"shop/u{depth}.py"] = (
        "from django.http import JsonResponse\nfrom django.urls import path\n"
        'def leaf(request):\n    return JsonResponse({"id": "a"})\n'
        'urlpatterns = [path("leaf", leaf)]\n'
    )
    files["shop/__init__.py"] = ""
    files["shop/settings.py"] = 'ROOT_URLCONF = "shop.u0"\nINSTALLED_APPS = []\n'
    files["openapi.json"] = _leaf_contract()
    return files


def starlette_mounts(depth: int) -> Files:
    """The same with Starlette's `Mount`."""
    mounts = "".join(
        f'r{i} = [Mount("/a{i}", routes=r{i + 1}), Mount("/b{i}", routes=r{i + 1})]\n'
        for i in reversed(range(depth))
    )
    return {
        "openapi.json": _leaf_contract(),
        "app.py": "from starlette.applications import Starlette\n"
        "from starlette.responses import JSONResponse\nfrom starlette.routing import Mount, Route\n"
        'async def leaf(request):\n    return JSONResponse({"id": "a"})\n'
        f'r{depth} = [Route("/leaf", leaf)]\n{mounts}app = Starlette(routes=r0)\n',
    }


def minimal_api_groups(depth: int) -> Files:
    """Groups of a minimal API, each mapped twice by a method for the next level."""
    methods = "".join(
        f'  public static void Map{i}(RouteGroupBuilder g) {{ Map{i + 1}(g.MapGroup("/a{i}")); '
        f'Map{i + 1}(g.MapGroup("/b{i}")); }}\n'
        for i in range(depth)
    )
    return {
        "openapi.json": _leaf_contract(),
        "app.csproj": '<Project Sdk="Microsoft.NET.Sdk.Web"></Project>',
        "Program.cs": "var app = WebApplication.CreateBuilder(args).Build();\n"
        'Routes.Map0(app.MapGroup("/"));\napp.Run();\n'
        f"public static class Routes {{\n{methods}"
        f"  public static void Map{depth}(RouteGroupBuilder g) {{ "
        'g.MapGet("/leaf", () => new { id = "a" }); }\n}\n',
    }


def vertx_mounts(depth: int) -> Files:
    """The same with Vert.x."""
    routers = "".join(f"    Router r{i} = Router.router(vertx);\n" for i in range(depth + 1))
    mounts = "".join(
        f'    r{i}.route("/a{i}/*").subRouter(r{i + 1});\n'
        f'    r{i}.route("/b{i}/*").subRouter(r{i + 1});\n'
        for i in range(depth)
    )
    return {
        "openapi.json": _leaf_contract(),
        "src/App.java": "package app;\nimport io.vertx.core.AbstractVerticle;\n"
        "import io.vertx.core.json.JsonObject;\nimport io.vertx.ext.web.Router;\n"
        f"class App extends AbstractVerticle {{\n  public void start() {{\n{routers}"
        f'    r{depth}.get("/leaf").handler(c -> c.json(new JsonObject().put("id", "a")));\n{mounts}'
        "    vertx.createHttpServer().requestHandler(r0).listen(1);\n  }\n}\n",
    }


def spring_nests(depth: int) -> Files:
    """Functional routes of Spring that nest the next level twice."""
    beans = "".join(
        f"  RouterFunction<ServerResponse> r{i}() {{ return route()"
        f'.nest(path("/a{i}"), () -> r{i + 1}()).nest(path("/b{i}"), () -> r{i + 1}()).build(); }}\n'
        for i in range(depth)
    )
    return {
        "openapi.json": _leaf_contract(),
        "src/Routes.java": "package app;\nimport java.util.Map;\n"
        "import org.springframework.context.annotation.*;\n"
        "import org.springframework.web.servlet.function.*;\n"
        "import static org.springframework.web.servlet.function.RouterFunctions.route;\n"
        "import static org.springframework.web.servlet.function.RequestPredicates.path;\n"
        f"@Configuration\nclass Routes {{\n  @Bean RouterFunction<ServerResponse> all() {{ return r0(); }}\n"
        f'{beans}  RouterFunction<ServerResponse> r{depth}() {{ return route().GET("/leaf", '
        'r -> ServerResponse.ok().body(Map.of("id", "a"))).build(); }\n}\n',
    }


def litestar_mounts(depth: int) -> Files:
    """The same with Litestar."""
    routers = "".join(
        f'r{i} = Router("/x{i}", route_handlers=[Router("/a{i}", route_handlers=[r{i + 1}]), '
        f'Router("/b{i}", route_handlers=[r{i + 1}])])\n'
        for i in reversed(range(depth))
    )
    return {
        "openapi.json": _leaf_contract(),
        "app.py": "from litestar import Litestar, Router, get\n\n"
        '@get("/leaf")\nasync def leaf() -> dict[str, str]:\n    return {"id": "a"}\n\n'
        f'r{depth} = Router("/x{depth}", route_handlers=[leaf])\n{routers}'
        "app = Litestar(route_handlers=[r0])\n",
    }


def adonis_groups(depth: int) -> Files:
    """Functions of AdonisJS, each called in two groups by the one before."""
    functions = "".join(
        f"function r{i}() {{ router.group(() => {{ r{i + 1}(); }}).prefix('/a{i}'); "
        f"router.group(() => {{ r{i + 1}(); }}).prefix('/b{i}'); }}\n"
        for i in range(depth)
    )
    return {
        "openapi.json": _leaf_contract(),
        "package.json": '{"dependencies": {"@adonisjs/core": "6.0.0"}}',
        "start/routes.ts": "import router from '@adonisjs/core/services/router';\n"
        f"{functions}function r{depth}() {{ router.get('/leaf', () => {{ return {{ id: 'a' }}; }}); }}\n"
        "r0();\n",
    }


# ---------------------------------------------------------------------- bodies of functions


def conditional_entries(entries: int) -> Files:
    """`if … d[key] = d` once after the other: every dictionary holds itself in two states."""
    body = "".join(f'    if flag({i}):\n        d["k{i}"] = d\n' for i in range(entries))
    return {
        "openapi.json": openapi({}, record({"id": _STRING})),
        "app.py": "from fastapi import FastAPI\n\napp = FastAPI()\n\n"
        f'@app.get("/things")\ndef things():\n    d = {{"id": "a"}}\n{body}    return d\n',
    }


def conditional_entries_typescript(entries: int) -> Files:
    """The same in TypeScript."""
    return _changed_in_express("  if (flag({i})) {{ d['k{i}'] = d; }}\n", entries)


def conditional_objects(entries: int) -> Files:
    """Two objects that hold each other, each changed at as many places as it is stored at."""
    return _changed_under_conditions(
        '    if flag({i}):\n        d["k{i}"] = e\n        e["k{i}"] = d\n', entries
    )


def conditional_spreads(entries: int) -> Files:
    """A dictionary that many conditions replace by itself and one key more."""
    return _changed_under_conditions(
        '    if flag({i}):\n        d = {{**d, "k{i}": {i}}}\n', entries
    )


def keys_set_either_way(entries: int) -> Files:
    """One key that is set where a test holds, and where it does not, again and again."""
    return _changed_under_conditions(
        '    if e:\n        d["k"] = {i}\n    if not e:\n        d["k"] = -{i}\n', entries
    )


def conditional_wrapping(levels: int) -> Files:
    """A dictionary that each condition puts into a new one: every one stands in all later ones."""
    return _changed_under_conditions('    if flag({i}):\n        d = {{"k{i}": d}}\n', levels)


def conditional_wrapping_typescript(levels: int) -> Files:
    """The same in TypeScript."""
    return _changed_in_express("  if (flag({i})) {{ d = {{ k{i}: d }}; }}\n", levels)


def conditional_wrapping_java(levels: int) -> Files:
    """The same with maps of Java."""
    body = "".join(f'    if (flag({i})) {{ d = Map.of("k{i}", d); }}\n' for i in range(levels))
    return {
        "openapi.json": openapi({}, record({"id": _STRING})),
        "src/ThingsController.java": f"""package app;
import java.util.Map;
import org.springframework.web.bind.annotation.*;
@RestController
class ThingsController {{
  @GetMapping("/things") public Object find() {{
    Object d = Map.of("id", "a");
{body}    return d;
  }}
}}
""",
    }


def conditional_wrapping_csharp(levels: int) -> Files:
    """The same with anonymous objects of C#."""
    body = "".join(f"if (Flag({i})) {{ d = new {{ k{i} = d }}; }}\n" for i in range(levels))
    return {
        "openapi.json": openapi({}, record({"id": _STRING})),
        "Program.cs": "var app = WebApplication.CreateBuilder(args).Build();\n"
        f'app.MapGet("/things", () => {{\nobject d = new {{ id = "a" }};\n{body}'
        "return Results.Ok(d);\n});\napp.Run();\n",
    }


def conditional_filters_csharp(filters: int) -> Files:
    """A query of C# that is filtered under one condition after another, each time by a column that
    may be null."""
    body = "".join(
        f"if (Flag({i})) rows = rows.Where(r => r.K{i} == name);\n" for i in range(filters)
    )
    columns = "".join(f"public string? K{i} {{ get; set; }}\n" for i in range(filters))
    return {
        "openapi.json": openapi({}, {"type": "array", "items": record({"id": _STRING})}),
        "Rows.cs": "#nullable enable\nusing Microsoft.EntityFrameworkCore;\n"
        'public class Row {\npublic string Id { get; set; } = "";\n' + columns + "}\n"
        "public class Db : DbContext { public DbSet<Row> Rows { get; set; } }\n",
        "Program.cs": "#nullable enable\nvar app = WebApplication.CreateBuilder(args).Build();\n"
        'app.MapGet("/things", (Db db, string name) => {\nvar rows = db.Rows.AsNoTracking();\n'
        f"{body}return rows.ToList();\n}});\napp.Run();\n",
    }


def loops_that_replace(loops: int) -> Files:
    """Loops one after the other, each of which replaces what the loops before have left by what
    a call on it gives."""
    change = "    for v in given({i}):\n        d = d.where(v)\n"
    return _changed_under_conditions(change, loops, "d = select()")


def loops_that_replace_typescript(loops: int) -> Files:
    """The same in TypeScript."""
    change = "  for (const v of given({i})) {{ d = d.where(v); }}\n"
    return _changed_in_express(change, loops, "select()")


def _changed_under_conditions(
    change: str, times: int, beginning: str = 'd = {"id": "a"}\n    e = {"id": "b"}'
) -> Files:
    body = "".join(change.format(i=i) for i in range(times))
    return {
        "openapi.json": openapi({}, record({"id": _STRING})),
        "app.py": "from fastapi import FastAPI\nfrom store import select\n\napp = FastAPI()\n\n"
        f'@app.get("/things")\ndef things():\n    {beginning}\n{body}    return d\n',
    }


def _changed_in_express(change: str, times: int, beginning: str = "{ id: 'a' }") -> Files:
    body = "".join(change.format(i=i) for i in range(times))
    return {
        "openapi.json": openapi({}, record({"id": _STRING})),
        "src/app.ts": "import express from 'express';\nimport { select } from 'store';\n"
        "const app = express();\napp.get('/things', (req, res) => {\n"
        f"  let d: any = {beginning};\n{body}  res.json(d);\n}});\n",
    }


def deep_brackets(depth: int) -> Files:
    """Lists within lists, and calls within calls, as deep as the parser is let."""
    lists = "".join(f"v{i} = {'[' * 150}{']' * 150}\n" for i in range(depth))
    calls = "".join(f"w{i} = {'f(' * 150}1{')' * 150}\n" for i in range(depth))
    return {
        "openapi.json": openapi({}, record({"id": _STRING})),
        "app.py": f"from fastapi import FastAPI\napp = FastAPI()\n{lists}{calls}"
        '@app.get("/things")\ndef things():\n    return {"id": v0}\n',
    }


def deep_chain_python(depth: int) -> Files:
    """One chain of attributes, calls and operators, which nests without brackets."""
    chain = "x" + ".a(1)" * depth
    total = " + ".join(["y"] * depth)
    return {
        "openapi.json": openapi({}, record({"id": _STRING})),
        "app.py": f"from fastapi import FastAPI\napp = FastAPI()\nv = {chain}\nw = {total}\n"
        '@app.get("/things")\ndef things():\n    return {"id": v}\n',
    }


def deep_blocks_python(depth: int) -> Files:
    """Blocks within blocks, around nothing."""
    return {
        "openapi.json": openapi({}, {"type": "array"}),
        "app.py": fastapi("", "list") + "if x:\n " * depth + "pass\n",
    }


def ambiguous_operators(operators: int) -> Files:
    """Operators each of which may begin type arguments, so that a parser follows both readings."""
    return {
        "openapi.json": openapi({"C": record({"id": _STRING})}, reference("C")),
        "src/ThingsController.java": spring("class C { public String id; }", "C"),
        "src/Others.java": "import org.springframework.web.bind.annotation.*;\n@RestController\n"
        'class Others { @GetMapping("/b") public int f() { return a' + " <\na" * operators,
    }


def else_if_chain(branches: int) -> Files:
    """One `else if` after the other, each a level deeper in the syntax tree."""
    body = " else ".join(
        f"if (req.query.q === 'k{i}') {{ res.json({{ id: '{i}' }}); }}" for i in range(branches)
    )
    return {
        "openapi.json": openapi({}, record({"id": _STRING})),
        "src/app.ts": "import express from 'express';\nconst app = express();\n"
        f"app.get('/things', (req, res) => {{\n{body}\n}});\n",
    }


# ---------------------------------------------------------------------- what held


def call_chain(length: int) -> Files:
    """A value that is handed from function to function."""
    functions = "".join(f"def f{i}():\n    return f{i + 1}()\n" for i in range(length))
    return {
        "openapi.json": openapi({}, record({"id": _STRING})),
        "app.py": f"from fastapi import FastAPI\napp = FastAPI()\n{functions}"
        f'def f{length}():\n    return {{"id": "a"}}\n'
        '@app.get("/things")\ndef things():\n    return f0()\n',
    }


def mutual_recursion(functions: int) -> Files:
    """Functions each of which calls the next two, and the last of which call the first."""
    body = "".join(
        f"function f{i}(n: number): any {{ return n ? f{(i + 1) % functions}(n - 1) : "
        f"{{ id: 'a', next: f{(i + 2) % functions}(n) }}; }}\n"
        for i in range(functions)
    )
    return {
        "openapi.json": openapi({}, record({"id": _STRING})),
        "src/app.ts": f"import express from 'express';\nconst app = express();\n{body}"
        "app.get('/things', (req, res) => { res.json(f0(1)); });\n",
    }


def spreads(length: int) -> Files:
    """Objects each of which spreads the one before."""
    body = "".join(f"const o{i + 1} = {{ ...o{i}, k{i}: 1 }};\n" for i in range(length))
    return {
        "openapi.json": openapi({}, record({"id": _STRING})),
        "src/app.ts": "import express from 'express';\nconst app = express();\n"
        f"const o0 = {{ id: 'a' }};\n{body}"
        f"app.get('/things', (req, res) => {{ res.json(o{length}); }});\n",
    }


def template_literals(length: int) -> Files:
    """Texts each of which holds the one before twice: two to the power of the length letters."""
    body = "".join(f"const t{i + 1} = `${{t{i}}}/${{t{i}}}`;\n" for i in range(length))
    return {
        "openapi.json": openapi({}, record({"id": _STRING})),
        "src/app.ts": "import express from 'express';\nconst app = express();\n"
        f"const t0 = '/x';\n{body}"
        f"app.get(t{length}, (req, res) => {{ res.json({{ id: 'a' }}); }});\n",
    }


def inheritance(depth: int) -> Files:
    """Classes each of which extends the one before by a field."""
    classes = "".join(
        f"class C{i + 1} extends C{i} {{ public String f{i}; }}\n" for i in range(depth)
    )
    return {
        "openapi.json": openapi({"C": record({"id": _STRING})}, reference("C")),
        "src/ThingsController.java": spring(
            f"class C0 {{ public String id; }}\n{classes}", f"C{depth}"
        ),
    }


def inheritance_csharp(depth: int) -> Files:
    """The same in C#."""
    classes = "".join(
        f"public class C{i + 1} : C{i} {{ public string F{i} {{ get; set; }} }}\n"
        for i in range(depth)
    )
    return {
        "openapi.json": openapi({"C": record({"id": _STRING})}, reference("C")),
        "app.csproj": '<Project Sdk="Microsoft.NET.Sdk.Web"></Project>',
        "ThingsController.cs": aspnet(
            f"public class C0 {{ public string Id {{ get; set; }} }}\n{classes}", f"C{depth}"
        ),
    }


def many_routes(routes: int) -> Files:
    """Routes in one file, each contracted."""
    contract = json.loads(openapi({}, record({"id": _STRING})))
    operation = contract["paths"].pop("/things")
    contract["paths"] = {f"/r{i}": operation for i in range(routes)}
    body = "".join(
        f"app.get('/r{i}', (req, res) => {{ res.json({{ id: 'a' }}); }});\n" for i in range(routes)
    )
    return {
        "openapi.json": json.dumps(contract),
        "src/app.ts": f"import express from 'express';\nconst app = express();\n{body}",
    }


def _paths(*paths: str) -> str:
    contract = json.loads(openapi({}, record({"id": _STRING})))
    operation = contract["paths"].pop("/things")
    contract["paths"] = dict.fromkeys(paths, operation)
    return json.dumps(contract)


def catch_alls(routes: int) -> Files:
    """Catch-alls below different words, and as many operations that none of them answers."""
    body = "".join(
        f"app.get('/p{i}/*', (req, res) => {{ res.json({{ id: 'a' }}); }});\n"
        for i in range(routes)
    )
    return {
        "openapi.json": _paths(*(f"/q{i}" for i in range(routes))),
        "src/app.ts": f"import express from 'express';\nconst app = express();\n{body}",
    }


NESTED = ("/t0/t1/t0", "/t1/none/t0", "/none")
"""Paths that are held against three loops over texts within each other: one that they register,
and two that they do not, the last of which nothing that they register could be."""


def nested_loops(texts: int) -> Files:
    """Three loops over the same texts within each other register a route for each combination."""
    listed = ", ".join(f"'t{i}'" for i in range(texts))
    return {
        "openapi.json": _paths(*NESTED),
        "src/app.ts": "import express from 'express';\nconst app = express();\n"
        f"const TEXTS = [{listed}];\n"
        "for (const a of TEXTS) {\n  for (const b of TEXTS) {\n    TEXTS.forEach((c) => {\n"
        "      app.get(`/${a}/${b}/${c}`, (req, res) => { res.json({ id: 'a' }); });\n"
        "    });\n  }\n}\n",
    }


def nested_loops_python(texts: int) -> Files:
    """The same in Python."""
    listed = ", ".join(f'"t{i}"' for i in range(texts))
    return {
        "openapi.json": _paths(*NESTED),
        "app.py": "from fastapi import FastAPI\nfrom pydantic import BaseModel\n\n"
        "class Thing(BaseModel):\n    id: str\n\n"
        f"app = FastAPI()\nTEXTS = [{listed}]\n\ndef read() -> Thing: ...\n\n"
        "for a in TEXTS:\n    for b in TEXTS:\n        for c in TEXTS:\n"
        '            app.add_api_route(f"/{a}/{b}/{c}", read, methods=["GET"])\n',
    }


def nested_loops_java(texts: int) -> Files:
    """The same in Java."""
    listed = ", ".join(f'"t{i}"' for i in range(texts))
    return {
        "openapi.json": _paths(*NESTED),
        "App.java": "import io.javalin.Javalin;\nimport java.util.List;\n"
        "record Thing(String id) {}\n"
        f"class App {{\n  static final List<String> TEXTS = List.of({listed});\n"
        "  public static void main(String[] arguments) {\n    Javalin app = Javalin.create();\n"
        "    for (String a : TEXTS) for (String b : TEXTS) for (String c : TEXTS)\n"
        '      app.get("/" + a + "/" + b + "/" + c, ctx -> ctx.json(new Thing("a")));\n  }\n}\n',
    }


def nested_loops_csharp(texts: int) -> Files:
    """The same in C#."""
    listed = ", ".join(f'"t{i}"' for i in range(texts))
    return {
        "openapi.json": _paths(*NESTED),
        "Program.cs": f"var app = WebApplication.Create();\nvar texts = new[] {{ {listed} }};\n"
        "foreach (var a in texts) foreach (var b in texts) foreach (var c in texts)\n"
        '    app.MapGet($"/{a}/{b}/{c}", () => new Thing("a"));\napp.Run();\n'
        "record Thing(string Id);\n",
    }


def path_parameters(parameters: int) -> Files:
    """A controller whose path has many parameters, which each of its routes has."""
    path = "".join(f"/:p{i}" for i in range(parameters))
    routes = "".join(f"  @Get('r{i}') find{i}(): string {{ return ''; }}\n" for i in range(20))
    return {
        "openapi.json": openapi({}, _STRING),
        "src/things.controller.ts": "import { Controller, Get } from '@nestjs/common';\n"
        f"@Controller('{path}')\nexport class ThingsController {{\n{routes}}}\n",
    }


def many_keys(keys: int) -> Files:
    """An object of many keys, each contracted."""
    properties = {f"k{i}": _STRING for i in range(keys)}
    body = ", ".join(f"k{i}: 'a'" for i in range(keys))
    return {
        "openapi.json": openapi({}, record(properties)),
        "src/app.ts": "import express from 'express';\nconst app = express();\n"
        f"app.get('/things', (req, res) => {{ res.json({{ {body} }}); }});\n",
    }


def tested_members(members: int) -> Files:
    """An object of which every member is tested, and then read."""
    names = [f"k{i}" for i in range(members)]
    row = "".join(f"  {name}: string | null;\n" for name in names)
    tests = "".join(f"  if (row.{name} == null) {{ throw new Error(); }}\n" for name in names)
    body = ", ".join(f"{name}: row.{name}" for name in names)
    return {
        "openapi.json": openapi({}, record(dict.fromkeys(names, _STRING))),
        "src/app.ts": "import express from 'express';\nimport { load } from 'store';\n"
        f"const app = express();\ninterface Row {{\n{row}}}\n"
        "app.get('/things', (req, res) => {\n  const row: Row = load();\n"
        f"{tests}  res.json({{ {body} }});\n}});\n",
    }


def many_models(models: int) -> Files:
    """Types of the same name as the models of a contract, of which each uses the next."""
    schemas = {f"M{i}": record({"next": reference(f"M{i + 1}")}) for i in range(models)}
    schemas[f"M{models}"] = record({"id": _STRING})
    types = "\n".join(f"export interface M{i} {{ next: M{i + 1} }}" for i in range(models))
    types += f"\nexport interface M{models} {{ id: number }}"
    return {
        "openapi.json": openapi(schemas, reference("M0")),
        "src/things.controller.ts": nest(types, "M0"),
    }


def many_constants(constants: int) -> Files:
    """Constants at the top level of a file, of which models are looked for in each."""
    values = "".join(f'C{i} = "value{i}"\n' for i in range(constants))
    uses = ", ".join(f'"k{i}": C{i}' for i in range(constants))
    properties = {f"k{i}": _STRING for i in range(constants)}
    return {
        "openapi.json": openapi({}, record(properties)),
        "src/app.py": f"from fastapi import FastAPI\n\napp = FastAPI()\n{values}\n\n"
        f'@app.get("/things")\ndef things():\n    return {{{uses}}}\n',
    }


def patterns(length: int) -> Files:
    """Patterns that make an engine with backtracking try every way, and texts that fail them."""
    pattern = "(a+)+" * 8 + "$"
    schema = {"type": "string", "pattern": pattern, "enum": ["a" * length + "!"]}
    return {
        "openapi.json": openapi({}, record({"id": schema})),
        "src/app.ts": "import express from 'express';\nconst app = express();\n"
        f"app.get('/things', (req, res) => {{ res.json({{ id: '{'a' * length}!' }}); }});\n"
        f"app.get('/:{'a' * length}(({'(a+)+' * 8}))!', (req, res) => {{ res.json({{}}); }});\n"
        f"// {'app.get(' * length}\n/* {' ' * length} {'@' * length} {'<' * length} */\n",
    }


def wide_union(options: int) -> Files:
    """A union of plain objects without a tag, on both sides."""
    schemas = {f"O{i}": record({f"k{i}": _STRING, "value": _NUMBER}) for i in range(options)}
    types = "\n".join(
        f"export interface O{i} {{ k{i}: string; value: {'string' if i == 0 else 'number'} }}"
        for i in range(options)
    )
    union = " | ".join(f"O{i}" for i in range(options))
    return {
        "openapi.json": openapi(schemas, {"oneOf": [reference(name) for name in schemas]}),
        "src/things.controller.ts": nest(types, union),
    }


SHAPES = (
    Shape("recursive union, TypeScript", expression_tree, (4, 8, 16, 32), "variants"),
    Shape("recursive union, Python", expression_tree_python, (4, 8, 16, 32), "variants"),
    Shape("shared types, TypeScript", shared_types, (8, 16, 32, 64), "levels"),
    Shape("shared types, Java", shared_types_java, (8, 16, 32, 64), "levels"),
    Shape("growing generic, TypeScript", growing_generic, (1, 4, 16, 64), "fields"),
    Shape("growing generic that doubles", growing_generic_doubling, (1, 4, 16), "fields"),
    Shape("growing generic, Python", growing_generic_python, (1, 4, 16, 64), "fields"),
    Shape("growing generic, C#", growing_generic_csharp, (1, 4, 16, 64), "fields"),
    Shape("growing generic, Java", growing_generic_java, (1, 4, 16, 64), "fields"),
    Shape("doubled objects, Python", doubled_objects, (8, 16, 32, 64), "levels"),
    Shape("doubled lists, Python", doubled_lists, (8, 16, 32, 64), "levels"),
    Shape("doubled objects, C#", doubled_objects_csharp, (8, 16, 32, 64), "levels"),
    Shape("mounted twice, Express", express_mounts, (4, 8, 16, 32), "levels"),
    Shape("mounted twice, Koa", koa_mounts, (4, 8, 16, 32), "levels"),
    Shape("mounted twice, Hono", hono_mounts, (4, 8, 16, 32), "levels"),
    Shape("mounted twice, Fastify", fastify_mounts, (4, 8, 16, 32), "levels"),
    Shape("mounted twice, FastAPI", fastapi_mounts, (4, 8, 16, 32), "levels"),
    Shape("included again, FastAPI", fastapi_included_again, (80, 160, 320, 640), "times"),
    Shape("mounted twice, Flask", flask_mounts, (4, 8, 16, 32), "levels"),
    Shape("mounted twice, Django", django_includes, (4, 8, 16, 32), "levels"),
    Shape("mounted twice, Starlette", starlette_mounts, (4, 8, 16, 32), "levels"),
    Shape("mounted twice, minimal API", minimal_api_groups, (4, 8, 16, 32), "levels"),
    Shape("mounted twice, Litestar", litestar_mounts, (4, 8, 16, 32), "levels"),
    Shape("mounted twice, AdonisJS", adonis_groups, (4, 8, 16, 32), "levels"),
    Shape("mounted twice, Vert.x", vertx_mounts, (4, 8, 16, 32), "levels"),
    Shape("nested twice, Spring", spring_nests, (4, 8, 16, 32), "levels"),
    Shape("conditional entries, Python", conditional_entries, (80, 160, 320, 640), "entries"),
    Shape(
        "conditional entries, TypeScript",
        conditional_entries_typescript,
        (80, 160, 320, 640),
        "entries",
    ),
    Shape("conditional objects", conditional_objects, (80, 160, 320, 640), "entries"),
    Shape("conditional spreads", conditional_spreads, (80, 160, 320, 640), "entries"),
    Shape("keys set either way", keys_set_either_way, (80, 160, 320, 640), "pairs"),
    Shape("conditional wrapping, Python", conditional_wrapping, (80, 160, 320, 640), "levels"),
    Shape(
        "conditional wrapping, TypeScript",
        conditional_wrapping_typescript,
        (80, 160, 320, 640),
        "levels",
    ),
    Shape("conditional wrapping, Java", conditional_wrapping_java, (80, 160, 320, 640), "levels"),
    Shape("conditional wrapping, C#", conditional_wrapping_csharp, (80, 160, 320, 640), "levels"),
    Shape("conditional filters, C#", conditional_filters_csharp, (20, 40, 80, 160), "filters"),
    Shape("loops that replace, Python", loops_that_replace, (40, 80, 160, 320), "loops"),
    Shape(
        "loops that replace, TypeScript",
        loops_that_replace_typescript,
        (40, 80, 160, 320),
        "loops",
    ),
    Shape("deep brackets, Python", deep_brackets, (25, 50, 100, 200), "statements"),
    Shape("deep chain, Python", deep_chain_python, (500, 1000, 2000, 4000), "links"),
    Shape("deep blocks, Python", deep_blocks_python, (2500, 5000, 10000, 20000), "blocks"),
    Shape("ambiguous operators", ambiguous_operators, (2500, 5000, 10000, 20000), "operators"),
    Shape("else-if chain", else_if_chain, (50, 100, 200, 400), "branches"),
    Shape("call chain", call_chain, (100, 200, 400, 800), "calls"),
    Shape("mutual recursion", mutual_recursion, (25, 50, 100, 200), "functions"),
    Shape("spreads", spreads, (50, 100, 200, 400), "objects"),
    Shape("template literals", template_literals, (8, 16, 32, 64), "texts"),
    Shape("inheritance, Java", inheritance, (125, 250, 500, 1000), "classes"),
    Shape("inheritance, C#", inheritance_csharp, (125, 250, 500, 1000), "classes"),
    Shape("routes in a file", many_routes, (625, 1250, 2500, 5000), "routes"),
    Shape("catch-alls", catch_alls, (200, 400, 800, 1600), "routes"),
    Shape("loops in loops, TypeScript", nested_loops, (10, 20, 40, 80), "texts"),
    Shape("loops in loops, Python", nested_loops_python, (10, 20, 40, 80), "texts"),
    Shape("loops in loops, Java", nested_loops_java, (10, 20, 40, 80), "texts"),
    Shape("loops in loops, C#", nested_loops_csharp, (10, 20, 40, 80), "texts"),
    Shape("parameters of a path", path_parameters, (675, 1350, 2700), "parameters"),
    Shape("tested members", tested_members, (50, 100, 200, 400), "members"),
    Shape("keys of an object", many_keys, (1250, 2500, 5000, 10000), "keys"),
    Shape("constants of a file", many_constants, (1125, 2250, 4500, 9000), "constants"),
    Shape("chain of models", many_models, (50, 100, 200, 400), "models"),
    Shape("hostile patterns", patterns, (1000, 4000, 16000, 64000), "letters"),
    Shape("union of objects", wide_union, (25, 50, 100, 200), "alternatives"),
)
"""Every shape that is measured."""
