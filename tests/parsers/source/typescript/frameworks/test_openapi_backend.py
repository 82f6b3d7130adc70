"""OpenAPI Backend: handlers by the names of operations."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.parsers.source.typescript.project import Project


def named(project: Project) -> dict[str, tuple[str, ...]]:
    """Operations by their names, with what they send."""
    return {
        operation.operation_id: tuple(
            f"{response.status} {''.join(project.shape(b.schema) for b in response.bodies)}"
            for response in operation.responses
        )
        for operation in project.code.operations_with_answers
        if (operation.method, operation.path) == ("*", "")
    }


def test_handlers_by_the_names_of_operations(tmp_path: Path) -> None:
    app = """
        import express from 'express';
        import OpenAPIBackend from 'openapi-backend';
        import * as more from './more';
        const api = new OpenAPIBackend({
          definition: './openapi.yaml',
          handlers: {
            list: async (c, req, res) => res.status(200).json([{ id: 1 }]),
            notFound: async (c, req, res) => res.status(404).json({}),
          },
        });
        api.register(more);
        api.register('one', (c, req, res) => { res.json({ id: 1 }); });
        api.registerHandler('two', two);
        function two(c, req, res) { res.status(202).end(); }
        other.register('three', two);
        express().use((req, res) => api.handleRequest(req, req, res));
    """
    more = "export const add = (c, req, res) => res.status(201).json({ added: true });"
    project = Project(tmp_path, {"app.ts": app, "more.ts": more})
    assert named(project) == {
        "list": ("200 [{id: 1}]",),
        "add": ("201 {added: True}",),
        "one": ("200 {id: 1}",),
        "two": ("202 ",),
    }


def test_handlers_that_only_return(tmp_path: Path) -> None:
    app = """
        import { OpenAPIBackend } from 'openapi-backend';
        const api = new OpenAPIBackend({ definition: './openapi.yaml' });
        api.register('list', async (c, event) => ({ statusCode: 200 }));
    """
    assert named(Project(tmp_path, {"app.ts": app})) == {"list": ("200 unknown",)}


def test_a_backend_that_a_library_of_mojaloop_makes(tmp_path: Path) -> None:
    app = """
        const { OpenapiBackend } = require('@mojaloop/central-services-shared').Util;
        const handlers = require('./handlers');
        const init = async (isAdmin) => {
          const chosen = isAdmin ? handlers.Admin : handlers.Api;
          return OpenapiBackend.initialise('./api.yaml', chosen);
        };
        module.exports = { init };
    """
    handlers = """
        module.exports.Api = { list: (context, req, h) => h.response([1]).code(202) };
        module.exports.Admin = { health: (context, req, h) => h.response({ ok: true }).code(200) };
    """
    project = Project(tmp_path, {"app.js": app, "handlers.js": handlers})
    assert set(named(project)) == {"list", "health"}


# ------------------------------------------------------------------------------------ behind Hapi


DOCUMENT = """
    openapi: 3.0.3
    info: {title: Orders, version: "1"}
    paths:
      /orders:
        get: {operationId: listOrders, responses: {"200": {description: ok}}}
        post:
          operationId: addOrder
          requestBody: {content: {application/json: {schema: {type: object}}}}
          responses: {"202": {description: ok}}
      /orders/{orderId}:
        get: {operationId: oneOrder, responses: {"200": {description: ok}}}
        put:
          operationId: changeOrder
          requestBody: {content: {application/json: {schema: {type: object}}}}
          responses: {"200": {description: ok}}
"""
HANDLERS = """
    module.exports = {
      listOrders: (context, request, h) => h.response([1]).code(200),
      addOrder: (context, request, h) => {
        save(request.payload.lines.map((line) => line.count));
        return h.response().code(202);
      },
      oneOrder: async (context, request, h) => ({ id: context.request.params.orderId }),
      changeOrder: async (context, request, h) => h.response().code(200),
      validationFail: (context, request, h) => h.response({ wrong: true }).code(400),
    };
"""
ROUTES = """
    const handle = (api, request, h) => api.handleRequest(
      { method: request.method, path: request.path, body: request.payload }, request, h);
    exports.all = (api) => [
      { method: 'GET', path: '/orders', handler: (request, h) => handle(api, request, h) },
      { method: 'POST', path: '/orders', handler: (request, h) => handle(api, request, h) },
      { method: 'GET', path: '/orders/{id}', handler: (request, h) => handle(api, request, h) },
      { method: 'PUT', path: '/orders/{id}', handler: (request, h) => handle(api, request, h) },
    ];
"""


SERVER = """
    const Hapi = require('@hapi/hapi');
    const OpenAPIBackend = require('openapi-backend').default;
    const handlers = require('./handlers');
    const routes = require('./routes');
    const start = async () => {
      const server = new Hapi.Server({ port: 1 });
      const api = new OpenAPIBackend({ definition: './api.yaml', handlers });
      server.route(routes.all(api));
    };
"""


def behind_hapi(tmp_path: Path, changes: dict[str, str] | None = None) -> Project:
    """A server of Hapi whose routes hand their requests on to a backend."""
    files = {
        "server.js": SERVER,
        "routes.js": ROUTES,
        "handlers.js": HANDLERS,
        "api.yaml": DOCUMENT,
        "package.json": "{}",
    }
    return Project(tmp_path, {**files, **(changes or {})})


def test_routes_of_hapi_that_hand_on_to_a_backend(tmp_path: Path) -> None:
    found = behind_hapi(tmp_path)
    assert {name: found.responses(name) for name in sorted(found.routes())} == {
        "GET /orders": {"200": "[1]"},
        "GET /orders/{id}": {"200*": "{id: unknown}"},
        "POST /orders": {"202": ""},
        "PUT /orders/{id}": {"200": ""},
    }
    # The backend holds bodies against the document, whatever the handlers make of them.
    assert found.request("PUT /orders/{id}") == "anything"
    assert found.request("POST /orders") == "anything"
    assert found.request("GET /orders") == ""


def test_a_backend_that_does_not_validate(tmp_path: Path) -> None:
    found = behind_hapi(
        tmp_path, {"server.js": SERVER.replace("handlers }", "handlers, validate: false }")}
    )
    assert found.request("PUT /orders/{id}") == ""
    assert found.request("POST /orders") == "{lines: [{count?: value~}~]~}~"


@pytest.mark.parametrize(
    ("path", "text"),
    [
        # One handler answers in the place of all others.
        ("handlers.js", HANDLERS.replace("validationFail:", "postResponseHandler:")),
        # Something else may answer before the backend does.
        ("routes.js", ROUTES.replace("=> api.", "=> request.known ? request.known : api.")),
        # The handlers of names that the document does not have are others.
        ("api.yaml", DOCUMENT.replace("operationId: listOrders, ", "operationId: all, ")),
        ("api.yaml", DOCUMENT.replace("operationId: listOrders, ", "")),
        # An object of the project is no backend.
        (
            "routes.js",
            "class Own { handleRequest(a, b, c) { return c.response().code(204); } }\n"
            + ROUTES.replace("api.handleRequest", "new Own().handleRequest"),
        ),
    ],
)
def test_requests_that_no_backend_answers_are_undetermined(
    tmp_path: Path, path: str, text: str
) -> None:
    found = behind_hapi(tmp_path, {path: text})
    assert found.responses("GET /orders") != {"200": "[1]"}


def test_documents_that_name_an_operation_differently(tmp_path: Path) -> None:
    """Where it is undetermined which document a backend is made with, all that it may be count."""
    server = """
        const Hapi = require('@hapi/hapi');
        const { OpenapiBackend } = require('@mojaloop/central-services-shared').Util;
        const start = async () => {
          const server = new Hapi.Server({ port: 1 });
          const api = await OpenapiBackend.initialise(settings.path, require('./handlers'));
          server.route(require('./routes').all(api));
        };
    """
    swapped = DOCUMENT.replace("listOrders", "x").replace("addOrder", "listOrders")
    other = swapped.replace("operationId: x", "operationId: addOrder")
    found = behind_hapi(tmp_path, {"server.js": server, "other.yaml": other})
    assert found.responses("GET /orders") == {"200*": "unknown"}
    assert found.responses("PUT /orders/{id}") == {"200": ""}


EVERY_PATH = """
    exports.all = (api) => [{
      method: ['GET', 'POST'], path: '/{path*}',
      handler: (request, h) => api.handleRequest({ body: request.payload }, request, h),
    }];
"""


def test_a_route_of_hapi_for_every_path_that_hands_on(tmp_path: Path) -> None:
    """Each operation of the document with a handler is a route; that of a method which the route
    does not answer is none, and that of a handler which is not seen is undetermined."""
    handlers = HANDLERS.replace("oneOrder: async (context, request, h) =>", "more: () =>")
    changes = {"routes.js": EVERY_PATH, "handlers.js": handlers}
    found = behind_hapi(tmp_path / "a", changes)
    assert {name: found.responses(name) for name in sorted(found.routes())} == {
        "GET /orders": {"200": "[1]"},
        "POST /orders": {"202": ""},
    }
    changes["handlers.js"] = handlers.replace("more:", "...others(), more:")
    assert "GET /orders/{orderId}" in behind_hapi(tmp_path / "b", changes).routes()


def test_a_route_for_every_path_of_which_no_document_is_known(tmp_path: Path) -> None:
    server = SERVER.replace("'./api.yaml'", "settings.document")
    found = behind_hapi(tmp_path, {"routes.js": EVERY_PATH, "server.js": server})
    assert {"GET /{path*}", "POST /{path*}"} <= {name.partition(" <")[0] for name in found.routes()}


def test_routes_of_hapi_by_the_operations_of_a_backend(tmp_path: Path) -> None:
    """The names of the handlers stand for the operations of the contract."""
    routes = """
        exports.all = (api) => {
          const handler = (request, h) => api.handleRequest({ body: request.payload }, request, h);
          return api.router.getOperations().map((operation) => ({
            method: operation.method.toUpperCase(), path: operation.path, handler,
          }));
        };
    """
    found = named(behind_hapi(tmp_path, {"routes.js": routes}))
    assert found == {
        "listOrders": ("200 [1]",),
        "addOrder": ("202 ",),
        "oneOrder": ("200 {id: unknown}",),
        "changeOrder": ("200 ",),
    }
