"""What a project adds to types of libraries."""

from __future__ import annotations

from pathlib import Path

from tests.parsers.source.typescript.project import Project

ORDERS = """
    export interface Order { id: number }
    export class Orders { list(): Order[] { return query(); } }
"""


def test_decorations_of_fastify(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "orders.ts": ORDERS,
            "types.d.ts": """
                import { Orders, Order } from './orders';
                declare module 'fastify' {
                  interface FastifyInstance { orders: Orders }
                  interface FastifyRequest { order: Order }
                }
            """,
            "app.ts": """
                import Fastify, { FastifyInstance, FastifyRequest } from 'fastify';
                import { Orders } from './orders';
                const app = Fastify();
                app.decorate('stock', { left: 1 });
                app.decorate('twice', 1);
                app.decorate('twice', 'x');
                async function routes(fastify: FastifyInstance) {
                  fastify.get('/all', async () => fastify.orders.list());
                  fastify.get('/own', own);
                  fastify.get('/one', async (request: FastifyRequest) => request.order);
                  fastify.get('/left', async () => fastify.stock);
                  fastify.get('/twice', async () => ({ twice: fastify.twice }));
                }
                async function own(this: FastifyInstance, request: FastifyRequest) {
                  return { orders: this.orders.list(), left: this.stock.left };
                }
                app.register(routes);
            """,
        },
    )
    assert {route: project.responses(route)["200*"] for route in project.routes()} == {
        "GET /all": "[{id: numeric}]",
        "GET /own": "{orders: [{id: numeric}], left: 1}",
        "GET /one": "{id: numeric}",
        "GET /left": "{left: 1}",
        "GET /twice": "{twice: unknown}",
    }


def test_requests_of_express_and_state_of_hapi(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "orders.ts": ORDERS,
            "express.ts": """
                import express, { Request, Response } from 'express';
                import { Order } from './orders';
                declare global { namespace Express { interface Request { order: Order } } }
                const app = express();
                app.get('/express', (req: Request, res: Response) => { res.json(req.order); });
            """,
            "hapi.ts": """
                import Hapi from '@hapi/hapi';
                import { Orders } from './orders';
                declare module '@hapi/hapi' {
                  interface ServerApplicationState { orders: Orders }
                }
                const server = Hapi.server();
                server.route({
                  method: 'GET', path: '/hapi',
                  handler: (request) => request.server.app.orders.list(),
                });
            """,
        },
    )
    assert {route: project.responses(route)["200*"] for route in project.routes()} == {
        "GET /express": "{id: numeric}",
        "GET /hapi": "[{id: numeric}]",
    }
