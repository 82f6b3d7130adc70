"""Operations that the contract itself puts at another server."""

from __future__ import annotations

from pathlib import Path

import pytest

from contract_scan.api import scan
from contract_scan.scanners.report import Report

CODE = """
from fastapi import FastAPI

app = FastAPI()


@app.get("/parts")
def list_parts() -> list[str]:
    return ["a"]
"""


def report_on(
    root: Path, document_servers: str, item_servers: str, operation_servers: str
) -> Report:
    """What a scan says of a service that has a route for `/parts`, and none for what is stored at
    `/bucket/{signed}`."""
    (root / "app.py").write_text(CODE)
    (root / "openapi.yaml").write_text(f"""
openapi: 3.0.3
info: {{title: parts, version: "1"}}
{document_servers}
paths:
  /parts:
    get:
      responses:
        "200":
          description: ""
          content:
            application/json: {{schema: {{type: array, items: {{type: string}}}}}}
  /bucket/{{signed}}:
    {item_servers}
    parameters: [{{name: signed, in: path, required: true, schema: {{type: string}}}}]
    put:
      {operation_servers}
      responses: {{"200": {{description: stored}}}}
""")
    return scan(root, cache=False)


OWN = 'servers: [{url: "https://api.example.com/"}]'
STORE = 'servers: [{url: "https://store.example.com/v1"}]'


@pytest.mark.parametrize(
    ("document_servers", "item_servers", "operation_servers"),
    [
        (OWN, STORE, ""),
        (OWN, "", STORE),
        (OWN, OWN, STORE),
        ("", STORE, ""),
        ('servers: [{url: "/"}]', STORE, ""),
    ],
)
def test_an_operation_at_a_host_that_the_document_does_not_name_is_not_missing(
    tmp_path: Path, document_servers: str, item_servers: str, operation_servers: str
) -> None:
    report = report_on(tmp_path, document_servers, item_servers, operation_servers)

    assert [finding.message for finding in report.findings] == []
    assert [entry.reason for entry in report.undetermined] == [
        "not compared: the contract puts them at the server store.example.com, which is none of its"
        " own, and the code has no route for them (1 operation)"
    ]
    assert (report.summary.operations.verified, report.summary.operations.absent) == (1, 1)


@pytest.mark.parametrize(
    ("document_servers", "item_servers", "operation_servers"),
    [
        pytest.param(OWN, "", "", id="no servers of its own"),
        pytest.param(OWN, 'servers: [{url: "https://api.example.com/v2"}]', "", id="same host"),
        pytest.param(OWN, 'servers: [{url: "/v2"}]', "", id="no host"),
        pytest.param(OWN, 'servers: [{url: "https://{host}/"}]', "", id="host filled in elsewhere"),
        pytest.param(OWN, STORE, OWN, id="the operation's servers count before those of its path"),
        pytest.param(
            OWN,
            'servers: [{url: "https://store.example.com/"}, {url: "https://api.example.com/"}]',
            "",
            id="one of several is the document's",
        ),
    ],
)
def test_an_operation_that_may_be_at_the_documents_servers_is_missing(
    tmp_path: Path, document_servers: str, item_servers: str, operation_servers: str
) -> None:
    report = report_on(tmp_path, document_servers, item_servers, operation_servers)

    assert [finding.message for finding in report.findings] == [
        "`PUT /bucket/{signed}` has no route in the code"
    ]
    assert (report.summary.operations.verified, report.summary.operations.absent) == (1, 0)
