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
