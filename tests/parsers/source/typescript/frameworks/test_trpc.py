"""tRPC is no HTTP API that a contract describes: it gives no routes."""

from __future__ import annotations

from pathlib import Path

from tests.parsers.source.typescript.project import Project


def test_procedures_are_no_routes(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "router.ts": """
                import { initTRPC } from '@trpc/server';
                import { z } from 'zod';
                const t = initTRPC.create();
                export const users = t.router({
                  get: t.procedure.input(z.object({ id: z.string() })).query(({ input }) => input),
                  add: t.procedure.input(z.string()).mutation(({ input }) => ({ input })),
                });
                export const app = t.router({ users });
            """,
            "server.ts": """
                import express from 'express';
                import { createExpressMiddleware } from '@trpc/server/adapters/express';
                import { createHTTPServer } from '@trpc/server/adapters/standalone';
                import { app as router } from './router';
                const app = express();
                app.use('/trpc', createExpressMiddleware({ router }));
                app.get('/health', (req, res) => { res.json({ ok: true }); });
                createHTTPServer({ router }).listen(3000);
            """,
        },
    )
    library = (
        "`@trpc/server/adapters/express.createExpressMiddleware` of a library is mounted there"
    )
    assert project.routes() == {
        "GET /health",
        f"* /trpc <{library}, and is not read>",
        f"* /trpc/{{path*}} <{library}, and is not read>",
    }
    assert project.events() == set()
