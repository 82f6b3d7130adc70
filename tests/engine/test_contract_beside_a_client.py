"""A contract that stands in the folder of a front end, its routes elsewhere."""

from __future__ import annotations

import json
from pathlib import Path

from contract_scan.api import scan

SERVER = """
from fastapi import FastAPI
app = FastAPI()
@app.get("/api/orders/{number}")
def order(number: int) -> int: ...
"""


def project(root: Path, *paths: str) -> Path:
    content = {"application/json": {"schema": {"type": "integer"}}}
    answers = {"get": {"responses": {"200": {"description": "", "content": content}}}}
    document = {
        "openapi": "3.1.0",
        "info": {"title": "Shop", "version": "1"},
        "paths": dict.fromkeys(paths, answers),
    }
    for path, text in {
        "server/app/main.py": SERVER,
        "web/package.json": '{"name": "web"}',
        "web/client.ts": "export const base = '/api'",
        "web/openapi.json": json.dumps(document),
    }.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    return root


def test_the_routes_of_the_contract_are_found_where_they_are(tmp_path: Path) -> None:
    report = scan(project(tmp_path, "/api/orders/{id}"), cache=False)
    assert report.summary.operations.verified == 1
    assert report.findings == ()
    assert report.not_analysed == ()


def test_routes_of_the_front_end_itself_do_not_stand_for_them(tmp_path: Path) -> None:
    root = project(tmp_path, "/api/orders/{id}")
    (root / "web" / "proxy.ts").write_text(
        """
        import express from 'express';
        const app = express();
        app.get('/up', (req, res) => { res.json({ up: true }) });
        """
    )
    report = scan(root, cache=False)
    assert report.summary.operations.verified == 1
    assert report.findings == ()


def test_routes_of_every_method_stand_for_them(tmp_path: Path) -> None:
    root = project(tmp_path, "/api/orders/{id}")
    (root / "server" / "app" / "main.py").unlink()
    (root / "server" / "app.ts").write_text(
        """
        import express from 'express';
        const app = express();
        app.all('/api/orders/:id', (req, res) => { res.json(7) });
        """
    )
    report = scan(root, cache=False)
    assert report.summary.operations.verified == 1
    assert report.not_analysed == ()


def test_routes_of_another_api_are_not_held_to_it(tmp_path: Path) -> None:
    report = scan(project(tmp_path, "/weather", "/tides", "/sun"), cache=False)
    assert report.summary.operations.undetermined == 3
    assert report.findings == ()
    assert [p.path for p in report.not_analysed] == ["web/openapi.json"]


CONTROLLER = """
using Microsoft.AspNetCore.Mvc;
[ApiController, Route("api/v{version:apiVersion}/[controller]")]
public class OrdersController : ControllerBase
{
    [HttpGet("{id}")] public ActionResult<int> One(int id) => 7;
}
"""


def test_routes_of_versions_in_other_letters_stand_for_them(tmp_path: Path) -> None:
    root = project(tmp_path, "/api/v{version}/orders/{id}")
    (root / "server" / "app" / "main.py").unlink()
    (root / "web" / "proxy.ts").write_text(
        "import express from 'express';\nconst app = express();\n"
        "app.get('/{*page}', (req, res) => { res.sendFile('index.html') });\n"
    )
    (root / "server" / "Orders.cs").write_text(CONTROLLER)
    report = scan(root, cache=False)
    assert report.summary.operations.verified == 1
    assert report.findings == ()
