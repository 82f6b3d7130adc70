"""Express routes for every method whose function hands on to those behind it are middleware."""

from __future__ import annotations

from pathlib import Path

from tests.parsers.source.typescript.project import Project


def test_all_with_a_function_that_hands_on_is_nothing_to_document(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "app.ts": """
                import express from 'express';
                const app = express();
                function auth(req, res, next) {
                  if (!req.user) { return res.status(401).json({}); }
                  next();
                }
                app.all('/admin/*', auth);
                app.all('/any', (req, res) => res.json({}));
                app.all('/guarded', auth, (req, res) => res.json({}));
                app.all('/fails', async (req, res, next) => {
                  try { res.json({}); } catch (error) { next(error); }
                });
                app.get('/one', auth);
            """,
        },
    )
    assert {(f"{o.method} {o.path}", o.excluded_from_docs) for o in project.code.operations} == {
        ("* /admin/{wildcard*}", True),
        ("* /any", False),
        ("* /guarded", False),
        ("* /fails", False),
        ("GET /one", False),
    }
