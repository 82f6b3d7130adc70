"""Contracts of a gateway, which say what is behind it for each operation."""

from __future__ import annotations

import json
from pathlib import Path

from contract_scan.api import scan
from contract_scan.scanners.report import Report

SERVER = """
import express from 'express';
const app = express();
app.get('/shop/orders/:id', (req, res) => {
  if (!req.headers['x-user']) { res.status(401).end(); return; }
  res.json({ total: 1 });
});
app.get('/shop/mails/:id', (req, res) => { res.json({ total: 'one' }); });
app.get('/internal/prices', (req, res) => { res.json({ total: 1 }); });
"""
OWN = ("/shop/orders/{id}", "/shop/mails/{id}")


def operation(integration: dict[str, object] | None = None) -> dict[str, object]:
    schema = {"type": "object", "properties": {"total": {"type": "integer"}}}
    answer = {"description": "", "content": {"application/json": {"schema": schema}}}
    written: dict[str, object] = {"responses": {"200": answer, "401": {"description": ""}}}
    if integration is not None:
        written["x-amazon-apigateway-integration"] = integration
    return {"get": written}


def contract(title: str, paths: dict[str, dict[str, object]]) -> str:
    info = {"title": title, "version": "1"}
    return json.dumps({"openapi": "3.0.1", "info": info, "paths": paths})


def forwarded(path: str) -> dict[str, object]:
    return operation(
        {
            "type": "http_proxy",
            "uri": f"http://${{stageVariables.Host}}:8080/${{stageVariables.Service}}{path}",
            "requestParameters": {"integration.request.header.x-user": "context.authorizer.id"},
        }
    )


def function(name: str) -> dict[str, object]:
    arn = f"arn:aws:lambda:eu-south-1:1234:function:{name}:live"
    lambda_ = "arn:aws:apigateway:eu-south-1:lambda:path/2015-03-31/functions"
    return operation({"type": "aws_proxy", "uri": f"{lambda_}/{arn}/invocations"})


def report_on(root: Path, gateway: dict[str, dict[str, object]]) -> Report:
    files = {
        "src/app.ts": SERVER,
        "openapi.json": contract("Shop", dict.fromkeys(OWN, operation())),
        "docs/gateway-openapi.json": contract("Gateway", gateway),
    }
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    return scan(root, cache=False)


def test_operations_that_a_gateway_forwards_are_compared_below_the_prefix(tmp_path: Path) -> None:
    gateway = {path: forwarded(path) for path in ("/orders/{id}", "/mails/{id}")}
    report = report_on(tmp_path, gateway)
    errors = [f for f in report.findings if f.severity == "error"]
    told = sorted((f.kind, f.operation.path) for f in errors if f.operation)
    assert told == [("type", "/mails/{id}"), ("type", "/shop/mails/{id}")]
    counts = report.summary.operations
    assert (counts.total, counts.verified, counts.violated) == (4, 2, 2)
    assert report.undetermined == ()


def test_operations_of_functions_and_of_the_gateway_itself_are_not_missing(tmp_path: Path) -> None:
    gateway = {
        "/orders/{id}": forwarded("/orders/{id}"),
        "/refunds": function("refunds-lambda"),
        "/ready": operation({"type": "mock"}),
    }
    report = report_on(tmp_path, gateway)
    assert sorted(entry.reason for entry in report.undetermined) == [
        "the contract of the gateway hands it to a function, `refunds-lambda`, whose code is not"
        " followed",
        "the gateway of the contract answers it itself",
    ]
    assert (report.summary.operations.missing, report.summary.operations.undetermined) == (0, 2)


def test_an_operation_may_be_forwarded_to_another_path(tmp_path: Path) -> None:
    paths = {"/orders/{id}": "/orders/{id}", "/mails/{id}": "/mails/{id}"}
    gateway = {path: forwarded(path) for path in paths}
    gateway["/costs"] = forwarded("/internal/prices")
    gateway["/charges"] = forwarded("/internal/charges")
    report = report_on(tmp_path, gateway)
    assert sorted((f.kind, f.operation.path) for f in report.findings if f.operation) == [
        ("missing-endpoint", "/charges"),
        ("type", "/mails/{id}"),
        ("type", "/shop/mails/{id}"),
    ]
    assert report.summary.operations.verified == 3
