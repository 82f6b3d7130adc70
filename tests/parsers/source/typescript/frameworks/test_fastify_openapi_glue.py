"""Fastify OpenAPI Glue: handlers by the names of operations."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.parsers.source.typescript.frameworks.test_openapi_backend import named
from tests.parsers.source.typescript.project import Project

SERVICE = """
    class Base { async ping(request, reply) { return { pong: true }; } }
    export class Service extends Base {
      constructor() { super(); }
      async list(request, reply) { return [{ id: 1 }]; }
    }
    export async function list(request, reply) { return [{ id: 1 }]; }
    export const ping = async (request, reply) => { reply.code(201).send({ pong: true }); };
"""


@pytest.mark.parametrize(
    ("given", "ping"),
    [
        ("serviceHandlers: new Service()", "200 {pong: True}"),
        ("service: { list, ping }", "201 {pong: True}"),
        ("serviceHandlers: service", "201 {pong: True}"),
    ],
)
def test_handlers_of_objects_modules_and_classes(tmp_path: Path, given: str, ping: str) -> None:
    app = f"""
        import Fastify from 'fastify';
        import glue from 'fastify-openapi-glue';
        import * as service from './service';
        import {{ Service, list, ping }} from './service';
        const app = Fastify();
        app.register(glue, {{ specification: './openapi.json', {given}, prefix: 'v1' }});
    """
    project = Project(tmp_path, {"app.ts": app, "service.ts": SERVICE})
    assert named(project) == {"list": ("200 [{id: 1}]",), "ping": (ping,)}


DOCUMENT = """
{
  "openapi": "3.0.3", "info": {"title": "Orders", "version": "1"},
  "paths": {
    "/orders": {
      "get": {
        "operationId": "list",
        "parameters": [{"name": "page", "in": "query", "schema": {"type": "integer"}}],
        "responses": {"200": {"description": "ok", "content": {"application/json": {"schema":
          {"type": "array", "items": {"$ref": "#/components/schemas/Order"}}}}}}
      },
      "post": {
        "operationId": "add",
        "requestBody": {"content": {"application/json": {"schema":
          {"$ref": "#/components/schemas/Order"}}}},
        "responses": {"201": {"description": "ok", "content": {"application/json": {"schema":
          {"$ref": "#/components/schemas/Order"}}}}}
      }
    },
    "/search": {"post": {"operationId": "search", "responses": {"200": {"description": "ok"}}}}
  },
  "components": {"schemas": {"Order": {
    "type": "object", "required": ["id"], "properties": {"id": {"type": "integer"}}
  }}}
}
"""
APP = """
    import Fastify from 'fastify';
    import glue from 'fastify-openapi-glue';
    import { configure } from './service';
    export const build = (repository, searchable) => {
      const app = Fastify();
      app.register((inner) => {
        inner.register(glue, {
          specification: `${__dirname}/openapi.json`,
          serviceHandlers: configure(repository, searchable),
          prefix: 'v1',
        });
      }, { prefix: '/api' });
      return app;
    };
"""
HANDLERS = """
    const orders = (repository) => ({
      list: async (request, reply) => repository.list(),
      add: async (request, reply) => reply.code(201).send({ id: 1, secret: request.body.key }),
    });
    export const configure = (repository, searchable) => {
      const made = { ...orders(repository) };
      if (searchable) return { ...made, search: async (request, reply) => ({ found: [] }) };
      return made;
    };
"""


def registered(tmp_path: Path, changes: dict[str, str] | None = None) -> Project:
    """An application that hands a document and handlers to the plugin."""
    files = {"app.ts": APP, "service.ts": HANDLERS, "openapi.json": DOCUMENT}
    return Project(tmp_path, files | (changes or {}))


def test_routes_of_the_operations_of_a_document(tmp_path: Path) -> None:
    found = registered(tmp_path)
    assert {name: found.responses(name) for name in sorted(found.routes())} == {
        "GET /api/v1/orders": {"200*": "[{id: integer}]"},
        "POST /api/v1/orders": {"201": "{id: integer}"},
        "POST /api/v1/search": {"200*": "{found: [nothing]}"},
    }
    assert found.parameters("GET /api/v1/orders") == {"query page?: integer"}
    # Requests are held against the document, whatever the handlers make of them.
    assert found.request("POST /api/v1/orders") == "anything"
    assert found.request("GET /api/v1/orders") == ""


@pytest.mark.parametrize(
    ("path", "text", "added"),
    [
        # Nothing is written of an object that lacks what the schema requires.
        ("service.ts", HANDLERS.replace("{ id: 1, secret", "{ secret"), "{secret: unknown}"),
        ("service.ts", HANDLERS.replace("send({ id: 1, secret: request.body.key })", "send('x')"),
         "'x' (text/html)"),
        ("app.ts", APP.replace("return app", "app.setSerializerCompiler(own); return app"),
         "{id: 1, secret: unknown}"),
    ],
)  # fmt: skip
def test_responses_that_no_schema_writes(tmp_path: Path, path: str, text: str, added: str) -> None:
    found = registered(tmp_path, {path: text})
    assert found.responses("POST /api/v1/orders") == {"201": added}


def test_handlers_of_which_there_may_be_more(tmp_path: Path) -> None:
    handlers = HANDLERS.replace("...orders(repository)", "...orders(repository), ...others()")
    found = registered(tmp_path, {"service.ts": handlers.replace("search:", "find:")})
    assert found.routes() == {
        "GET /api/v1/orders",
        "POST /api/v1/orders",
        "POST /api/v1/search <the handler is not seen>",
    }


def test_operations_without_a_handler_are_no_routes(tmp_path: Path) -> None:
    """The plugin answers an error for them."""
    found = registered(tmp_path, {"service.ts": HANDLERS.replace("search:", "find:")})
    assert found.routes() == {"GET /api/v1/orders", "POST /api/v1/orders"}
