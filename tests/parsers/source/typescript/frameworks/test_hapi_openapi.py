"""hapi-openapi: routes of the operations of a document, by objects and files of handlers."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.parsers.source.typescript.project import Project

DOCUMENT = """
    swagger: "2.0"
    info: {title: Orders, version: "1"}
    basePath: /v2
    paths:
      /health: {get: {responses: {"200": {description: ok}}}}
      /orders/:
        post:
          parameters: [{in: body, name: order, schema: {type: object}}]
          responses: {"202": {description: ok}}
      /orders/{id}:
        get: {responses: {"200": {description: ok}}}
        put: {responses: {"200": {description: ok}}}
        delete: {responses: {"204": {description: ok}}}
      /orders/{id}/parts: {get: {responses: {"200": {description: ok}}}}
"""
SERVER = """
    const Hapi = require('@hapi/hapi');
    const Plugins = require('./plugins');
    const start = async (modules) => {
      const server = new Hapi.Server({ port: 1 });
      await server.register(modules);
      await server.start();
    };
    start([Plugins]);
"""
DOCUMENTATION = "GET /v2/api-docs <the plugin `hapi-openapi`, which is not read, may answer it>"


def project(tmp_path: Path, options: str, files: dict[str, str]) -> Project:
    """A server with the plugin and its options."""
    plugins = f"""
        const OpenAPI = require('hapi-openapi');
        const path = require('path');
        module.exports = {{ plugin: OpenAPI, options: {{ {options} }} }};
    """
    document = {"interface/api.yaml": DOCUMENT}
    return Project(tmp_path, {"server.js": SERVER, "plugins.js": plugins, **document, **files})


FILES = {
    "handlers/health.js": "exports.get = (request, h) => ({ up: true });",
    "handlers/orders.js": """
        const { Http } = require('shared').Enum;
        exports.post = async function create(request, h) {
          return h.response().code(Http.ReturnCodes.ACCEPTED.CODE);
        };
    """,
    "handlers/orders/{id}.js": """
        const found = (request, h) => h.response({ id: request.params.id }).code(200);
        module.exports = {
          get: found,
          delete: (request, h) => h.response().code(require('shared').Limits.DAILY.CODE),
          put: [(request, h) => request.query.dry, (request, h) => h.response([1]).code(201)],
        };
    """,
}


def test_handlers_in_files_by_the_segments_of_paths(tmp_path: Path) -> None:
    options = """
        api: path.resolve(__dirname, './interface/api.yaml'),
        handlers: path.resolve(__dirname, './handlers')
    """
    found = project(tmp_path, options, FILES)
    assert found.routes() == {
        DOCUMENTATION,
        "GET /v2/health",
        "POST /v2/orders",
        "GET /v2/orders/{id}",
        "PUT /v2/orders/{id}",
        "DELETE /v2/orders/{id}",
    }
    assert found.responses("GET /v2/health") == {"200*": "{up: True}"}
    assert found.responses("POST /v2/orders") == {"202": ""}
    assert found.responses("GET /v2/orders/{id}") == {"200": "{id: string}"}
    assert found.responses("DELETE /v2/orders/{id}") == {"200*": "unknown"}
    assert found.responses("PUT /v2/orders/{id}") == {"201": "[1]"}
    # The plugin holds bodies against the document, whether the handler reads them or not.
    assert found.request("POST /v2/orders") == "anything"
    assert found.request("PUT /v2/orders/{id}") == ""
    assert found.parameters("PUT /v2/orders/{id}") == {"path id: string", "query dry?: unknown"}


def test_handlers_in_an_object_and_a_path_from_where_the_program_starts(tmp_path: Path) -> None:
    options = """
        api: './interface/api.yaml',
        docs: { path: '/docs', prefixBasePath: false },
        handlers: {
          health: { get: () => 'up' },
          orders: { '{id}': { ...require('./one'), delete: made() } },
        }
    """
    one = "module.exports = { get: (request, h) => h.response({ id: 1 }) };"
    found = project(tmp_path, options, {"one.js": one, "package.json": "{}"})
    plugin = "the plugin `hapi-openapi`, which is not read, may answer it"
    assert found.routes() == {
        f"GET /docs <{plugin}>",
        "GET /v2/health",
        "GET /v2/orders/{id}",
        "DELETE /v2/orders/{id}",
    }


@pytest.mark.parametrize(
    "options",
    [
        "api: settings.document, handlers: path.join(__dirname, 'handlers')",
        "api: path.join(__dirname, 'absent.yaml'), handlers: path.join(__dirname, 'handlers')",
    ],
)
def test_a_document_that_is_undetermined(tmp_path: Path, options: str) -> None:
    found = project(tmp_path, options, FILES)
    assert found.routes() == {
        "* /{computed} <the plugin `hapi-openapi`, which is not read, may answer it>"
    }


def test_handlers_that_are_undetermined_leave_each_route_so(tmp_path: Path) -> None:
    options = "api: path.join(__dirname, 'interface/api.yaml'), handlers: settings.handlers"
    found = project(tmp_path, options, FILES)
    assert {route.partition(" <")[0] for route in found.routes()} == {
        "GET /v2/api-docs",
        "GET /v2/health",
        "POST /v2/orders",
        "GET /v2/orders/{id}",
        "PUT /v2/orders/{id}",
        "DELETE /v2/orders/{id}",
        "GET /v2/orders/{id}/parts",
    }
    assert all("<" in route for route in found.routes())
