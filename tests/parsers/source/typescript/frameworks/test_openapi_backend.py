"""OpenAPI Backend: handlers by the names of operations."""

from __future__ import annotations

from pathlib import Path

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
