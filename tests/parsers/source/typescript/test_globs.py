"""Modules that are loaded by a glob: which files of the project a constant pattern means."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.parsers.source.typescript.project import Project

FILES = (
    "src/users/routes.js",
    "src/orders/routes.ts",
    "src/orders/model.js",
    "src/orders/drafts/routes.js",
    "src/routes.js",
    "lib/routes.js",
)


def loaded(tmp_path: Path, loads: str, file: str = "src/app.js") -> set[str]:
    """The routes of the modules that a program mounts, and of what it mounts without telling."""
    sources = {
        path: f"""
            const router = require('express').Router();
            router.get('/{path.replace("/", "-").split(".")[0]}', (req, res) => res.json([]));
            module.exports = router;
        """
        for path in FILES
    }
    program = f"""
        const express = require('express');
        const fs = require('fs');
        const path = require('path');
        const {{ fileURLToPath }} = require('url');
        const {{ globSync, glob }} = require('tinyglobby');
        const app = express();
        {loads}
    """
    project = Project(tmp_path, {**sources, file: program, "package.json": "{}"})
    return {route for route in project.routes() if "no application" not in route}


@pytest.mark.parametrize(
    ("pattern", "options", "modules"),
    [
        ("**/routes.js", "", {"src-users", "src-orders", "src-orders-drafts", "src", "lib"}),
        ("src/**/routes.js", "", {"src-users", "src-orders", "src-orders-drafts", "src"}),
        ("./src/*/routes.js", "", {"src-users", "src-orders"}),
        ("src/*/routes.ts", "", {"src-orders"}),
        ("src/{users,orders/drafts}/*.{js,ts}", "", {"src-users", "src-orders-drafts"}),
        ("../lib/r?ut*.js", ", { cwd: __dirname }", {"lib"}),
        ("*/routes.js", ", { cwd: path.join(__dirname, '..') }", {"src", "lib"}),
        (
            "**/routes.js",
            ", { cwd: __dirname, ignore: ['**/drafts/**', 'routes.js'] }",
            {
                "src-users",
                "src-orders",
            },
        ),
    ],
)
def test_files_that_fit_a_pattern(
    tmp_path: Path, pattern: str, options: str, modules: set[str]
) -> None:
    absolute = options.replace("}", ", absolute: true }") or ", { absolute: true }"
    loads = f"globSync('{pattern}'{absolute}).forEach((file) => app.use(require(file)));"
    assert loaded(tmp_path, loads) == {f"GET /{name}-routes" for name in modules}


@pytest.mark.parametrize(
    "loads",
    [
        """
            glob('lib/*.js').then((files) => {
              files.forEach((file) => app.use(require(path.resolve(file))));
            });
        """,
        """
            async function load() {
              for await (const file of fs.promises.glob('lib/*.js')) {
                app.use(require(path.join(process.cwd(), file)));
              }
            }
        """,
        """
            async function load() {
              const folder = path.join(path.dirname(fileURLToPath(import.meta.url)), '../lib');
              const files = await fs.promises.readdir(folder, { recursive: true });
              for (const file of files) {
                const { default: router } = await import(`../lib/${file}`);
                app.use(router);
              }
            }
        """,
        """
            async function load(folder = new URL('../lib/', import.meta.url)) {
              fs.readdirSync(folder).forEach(async (file) => {
                app.use((await import(new URL(`../lib/${file}`, import.meta.url).href)).default);
              });
            }
        """,
        """
            const modules = import.meta.glob('../lib/*.js', { eager: true });
            Object.values(modules).forEach((router) => app.use(router));
        """,
    ],
)
def test_folders_of_modules_and_promises_of_files(tmp_path: Path, loads: str) -> None:
    assert loaded(tmp_path, loads) == {"GET /lib-routes"}


def test_a_computed_pattern_leaves_the_routes_undetermined(tmp_path: Path) -> None:
    loads = "globSync(process.env.ROUTES).forEach((file) => app.use('/api', require(file)));"
    reason = "`require` of a library is mounted there, and is not read"
    assert loaded(tmp_path, loads) == {f"* /api <{reason}>", f"* /api/{{path*}} <{reason}>"}
