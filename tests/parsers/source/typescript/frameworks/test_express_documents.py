"""Express: libraries that hand the operations of a document to functions of modules."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.parsers.source.typescript.project import Project

_DOCUMENT = """
{header}
paths:
  /boats/{{boatId}}:
    {at_path}
    get:
      operationId: one
      {at_operation}
      parameters:
        - {{name: boatId, in: path, required: true, {text}}}
        - {{name: deck, in: query, {text}}}
      responses: {{"200": {{description: ok}}}}
    delete:
      operationId: gone
      {at_operation}
      responses: {{"204": {{description: gone}}}}
"""
_CONTROLLER = "exports.one = (req, res) => { res.json({ id: 1 }); };\n"


def document(key: str, value: str, *, at_path: bool = False, version: int = 2) -> str:
    """A document of two operations of one controller."""
    header = (
        'swagger: "2.0"\nbasePath: /api'
        if version == 2
        else "openapi: 3.0.0\nservers: [{url: /api}]"
    )
    text = "type: string" if version == 2 else "schema: {type: string}"
    named = f"{key}: {value}"
    return _DOCUMENT.format(
        header=header,
        text=text,
        at_path=named if at_path else "",
        at_operation="" if at_path else named,
    )


def inputs(project: Project) -> dict[str, list[str]]:
    """Routes with their parameters."""
    return {
        f"{each.method} {each.path}": sorted(f"{p.location} {p.name}" for p in each.parameters)
        for each in project.code.operations
    }


@pytest.mark.parametrize("validates", [True, False])
def test_swagger_tools(tmp_path: Path, validates: bool) -> None:
    app = """
        const app = require('express')();
        const text = require('fs').readFileSync('./api/boats.yaml', 'utf8');
        const document = require('js-yaml').load(text);
        require('swagger-tools').initializeMiddleware(document, function (middleware) {
          app.use(middleware.swaggerMetadata());
          %s
          app.use(middleware.swaggerRouter({ controllers: ['./api/other', './api/controllers'] }));
          app.listen(3000);
        });
    """ % ("app.use(middleware.swaggerValidator());" if validates else "")
    files = {
        "app.js": app,
        "package.json": "{}",
        "api/boats.yaml": document("x-swagger-router-controller", "boat", at_path=True),
        "api/controllers/boat.js": "exports.one = (args, res) => {\n"
        "  const id = args.swagger.params.boatId.value;\n"
        "  res.writeHead(200, { 'Content-Type': 'application/json' });\n"
        "  return res.end(JSON.stringify({ id }));\n};",
    }
    project = Project(tmp_path, files)
    # Nothing that is not exported is a route: the library answers it with an error.
    read = ["path boatId", "query deck"] if validates else ["path boatId"]
    assert inputs(project) == {"GET /api/boats/{boatId}": read}
    assert project.responses("GET /api/boats/{boatId}") == {"200": "{id: unknown}"}


def test_controllers_that_are_stubbed_or_not_there(tmp_path: Path) -> None:
    app = """
        const app = require('express')();
        const swagger = require('swagger-tools');
        swagger.initializeMiddleware(require('yamljs').load('boats.yaml'), (middleware) => {
          const options = { controllers: './controllers', useStubs: stub() };
          app.use('/v1', middleware.swaggerRouter(options));
        });
    """
    named = document("x-swagger-router-controller", "boat")
    files = {
        "app.js": app,
        "package.json": "{}",
        "boats.yaml": named,
        "controllers/boat.js": _CONTROLLER,
    }
    assert Project(tmp_path, files).routes() == {
        "GET /v1/api/boats/{boatId}",
        "DELETE /v1/api/boats/{boatId} <the handler is not seen>",
    }


def test_a_document_that_is_not_told_is_the_one_whose_controllers_are_there(tmp_path: Path) -> None:
    app = """
        const app = require('express')();
        require('swagger-tools').initializeMiddleware(load(), (middleware) => {
          app.use(middleware.swaggerRouter({ controllers: './controllers' }));
        });
    """
    named = document("x-swagger-router-controller", "boat", at_path=True)
    files = {
        "app.js": app,
        "package.json": "{}",
        "boats.yaml": named,
        "ferries.yaml": document("x-swagger-router-controller", "ferry"),
        "controllers/boat.js": _CONTROLLER,
    }
    assert Project(tmp_path / "one", files).routes() == {"GET /api/boats/{boatId}"}
    files["more.yaml"] = named
    assert Project(tmp_path / "two", files).routes() == {
        "* /{computed} <what is registered with swagger-tools is not read>"
    }


def test_operation_handlers_of_express_openapi_validator(tmp_path: Path) -> None:
    app = """
        import express from 'express';
        import path from 'path';
        import * as OpenApiValidator from 'express-openapi-validator';
        const app = express();
        app.use(OpenApiValidator.middleware({
          apiSpec: path.join(__dirname, 'boats.yaml'),
          operationHandlers: path.join(__dirname, 'handlers'),
        }));
    """
    files = {
        "src/app.ts": app,
        "src/boats.yaml": document("x-eov-operation-handler", "boat", version=3),
        "src/handlers/boat.ts": "export const one = (req, res) => res.json([1]);\n"
        "export default (req, res) => res.status(204).end();\n",
    }
    project = Project(tmp_path, files)
    assert inputs(project) == {
        "GET /api/boats/{boatId}": ["path boatId", "query deck"],
        "DELETE /api/boats/{boatId}": ["path boatId"],
    }
    assert project.responses("GET /api/boats/{boatId}") == {"200*": "[1]"}
    assert project.responses("DELETE /api/boats/{boatId}") == {"204": ""}


@pytest.mark.parametrize(
    ("key", "route", "app"),
    [
        (
            "x-swagger-router-controller",
            "/api/boats/{boatId}",
            """
            const SwaggerExpress = require('swagger-express-mw');
            const app = require('express')();
            SwaggerExpress.create({ appRoot: __dirname }, (error, swagger) => {
              swagger.register(app);
              app.listen(3000);
            });
            """,
        ),
        (
            "x-openapi-router-controller",
            "/api/boats/{boatId}",
            """
            const oas3Tools = require('oas3-tools');
            const path = require('path');
            const options = { routing: { controllers: path.join(__dirname, './api/controllers') } };
            const config = oas3Tools.expressAppConfig(
              path.join(__dirname, 'api/swagger/swagger.yaml'), options);
            require('http').createServer(config.getApp()).listen(8080);
            """,
        ),
        (
            "x-router-controller",
            "/boats/{boatId}",
            """
            import express from 'express';
            import { initialize } from '@oas-tools/core';
            const app = express();
            initialize(app, {
              oasFile: 'api/swagger/swagger.yaml',
              middleware: { router: { controllers: './api/controllers' } },
            }).then(() => app.listen(8080));
            """,
        ),
        (
            "x-router-controller",
            "/api/boats/{boatId}",
            """
            const oasTools = require('oas-tools');
            const app = require('express')();
            const spec = require('fs').readFileSync('./api/swagger/swagger.yaml', 'utf8');
            const document = require('js-yaml').safeLoad(spec);
            oasTools.configure({ controllers: __dirname + '/api/controllers' });
            oasTools.initializeMiddleware(document, app, () => app.listen(8080));
            """,
        ),
    ],
)
def test_libraries_that_are_given_the_application(
    tmp_path: Path, key: str, route: str, app: str
) -> None:
    files = {
        "index.js": app,
        "package.json": "{}",
        "api/swagger/swagger.yaml": document(key, "boat", version=3),
        "api/controllers/boat.js": _CONTROLLER,
    }
    assert Project(tmp_path, files).routes() == {f"GET {route}"}
