"""Code that registers routes and messages with libraries of which only the names are known."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from contract_scan.api import scan

ROUTES = {
    "typescript": (
        "app.ts",
        """
        import express from "express";
        import { Implement } from "@orpc/nest";
        const app = express();
        app.get("/health", (request, response) => { response.json(1) });
        """,
        "oRPC",
    ),
    "javascript, by require": (
        "app.js",
        """
        const app = require('express')();
        const egg = require('egg');
        app.get('/health', (request, response) => { response.json(1) });
        """,
        "Egg",
    ),
    "python": (
        "app.py",
        """
from cornice.resource import resource
from fastapi import FastAPI
app = FastAPI()
@app.get("/health")
def health() -> int: ...
""",
        "Cornice",
    ),
    "python, a name of a module": (
        "app.py",
        """
from fastapi import FastAPI
from odoo import http
app = FastAPI()
@app.get("/health")
def health() -> int: ...
""",
        "Odoo",
    ),
    "csharp": (
        "Program.cs",
        """
        using Nancy;
        var app = WebApplication.Create();
        app.MapGet("/health", () => 1);
        """,
        "Nancy",
    ),
    "java": (
        "Health.java",
        """
        import org.restlet.resource.ServerResource;
        import org.springframework.web.bind.annotation.*;
        @RestController class Health { @GetMapping("/health") int health() { return 1; } }
        """,
        "Restlet",
    ),
}
NOT_USED = {
    "a library of a longer name": ("app.ts", "egg", "eggshell"),
    "a name that registers nothing": ("app.py", "odoo import http", "odoo import fields"),
}


def service(root: Path, name: str, code: str, *paths: str) -> Path:
    content = {"application/json": {"schema": {"type": "integer"}}}
    answers = {"get": {"responses": {"200": {"description": "", "content": content}}}}
    document = {
        "openapi": "3.1.0",
        "info": {"title": "Shop", "version": "1"},
        "paths": dict.fromkeys(paths, answers),
    }
    (root / "openapi.json").write_text(json.dumps(document))
    (root / name).write_text(code)
    return root


@pytest.mark.parametrize("language", ROUTES)
def test_an_operation_without_a_route_may_be_theirs(tmp_path: Path, language: str) -> None:
    name, code, library = ROUTES[language]
    report = scan(service(tmp_path, name, code, "/health", "/orders"), cache=False)
    reason = f"a route is undetermined: what is registered with {library} is not read"
    assert [(u.operation and u.operation.path, u.reason) for u in report.undetermined] == [
        ("/orders", reason)
    ]
    assert report.summary.operations.verified == 1
    assert report.findings == ()


@pytest.mark.parametrize("case", NOT_USED)
def test_what_only_looks_like_one_keeps_nothing_open(tmp_path: Path, case: str) -> None:
    name, known, other = NOT_USED[case]
    code = next(text for file, text, _ in ROUTES.values() if known in text)
    root = service(tmp_path, name, code.replace(known, other), "/health", "/orders")
    report = scan(root, cache=False)
    assert [f.kind for f in report.findings] == ["missing-endpoint"]
    assert report.undetermined == ()


def test_a_channel_that_no_place_uses_may_be_theirs(tmp_path: Path) -> None:
    document = {
        "asyncapi": "3.0.0",
        "info": {"title": "Shop", "version": "1"},
        "channels": {"orders": {"address": "orders", "messages": {"Order": {}}}},
        "operations": {"send": {"action": "send", "channel": {"$ref": "#/channels/orders"}}},
    }
    (tmp_path / "asyncapi.json").write_text(json.dumps(document))
    (tmp_path / "send.py").write_text("import pulsar\nclient = pulsar.Client('pulsar://broker')\n")
    report = scan(tmp_path, cache=False)
    assert [(u.channel, u.reason) for u in report.undetermined] == [
        (
            "orders",
            "a place that may use the channel: what is sent and received with Pulsar is not read",
        )
    ]
    assert report.findings == ()
