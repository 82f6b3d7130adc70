"""Formats of other tools: Pylint's lines, logging commands of Azure, diagnostics of Reviewdog."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec

from contract_scan.ir.fix import Edit, Fix
from contract_scan.ir.origin import Span
from contract_scan.reports import azure, pylint, rdjson
from contract_scan.reports.rule_url import rule_url
from contract_scan.scanners.report import Report
from tests.reports.hostile import HOSTILE
from tests.reports.samples import BUSY, WRONG_MODEL, project


def test_pylint_has_a_line_a_problem(tmp_path: Path) -> None:
    assert "".join(pylint.render(BUSY, project(tmp_path))) == (
        "contracts/orders.yaml:8: [CONTRACT-002/missing-endpoint] `POST /orders` is contracted, but"
        " no route answers it\n"
        "src/orders.py:7: [CONTRACT-001/status] `GET /orders/{id}` returns 201; the contract allows"
        " 200\n"
        "src/orders.py:11: [CONTRACT-004/type] `Order.price` is a string; the model says number\n"
        "src/old.py:3: [not-analysed] is not UTF-8; save it as UTF-8\n"
    )


def test_azure_has_a_command_a_problem(tmp_path: Path) -> None:
    assert "".join(azure.render(BUSY, project(tmp_path))).splitlines() == [
        "##vso[task.logissue type=error;sourcepath=contracts/orders.yaml;linenumber=8;"
        "columnnumber=5;code=CONTRACT-002/missing-endpoint;]`POST /orders` is contracted, but no "
        "route answers it",
        "##vso[task.logissue type=error;sourcepath=src/orders.py;linenumber=7;columnnumber=12;"
        "code=CONTRACT-001/status;]`GET /orders/{id}` returns 201; the contract allows 200",
        "##vso[task.logissue type=warning;sourcepath=src/orders.py;linenumber=11;columnnumber=2;"
        "code=CONTRACT-004/type;]`Order.price` is a string; the model says number",
        "##vso[task.logissue type=error;sourcepath=src/old.py;linenumber=3;code=not-analysed;]"
        "not analysed: is not UTF-8; save it as UTF-8",
    ]


def test_foreign_text_ends_no_command_and_starts_none(tmp_path: Path) -> None:
    setting = project(tmp_path)
    lines = "".join(azure.render(HOSTILE, setting)).splitlines()
    assert [line for line in lines if not line.startswith("##vso[task.logissue ")] == []
    assert [line for line in lines if "##vso" in line[2:]] == []
    odd = msgspec.structs.replace(
        WRONG_MODEL,
        message="50%] done;\nnext",
        origin=msgspec.structs.replace(WRONG_MODEL.origin, path="a;b]%.py"),
    )
    (line,) = azure.render(Report(findings=(odd,)), setting)
    assert "sourcepath=a%3Bb%5D%AZP25.py;" in line
    assert line.endswith("]50%AZP25] done;\\nnext\n")


def test_reviewdog_gets_ranges_in_bytes_and_what_would_mend_it(tmp_path: Path) -> None:
    setting = project(tmp_path)
    (tmp_path / "src" / "orders.py").write_text("x = 'é'; price: str\n", encoding="utf-8")
    span = Span(1, 17, 1, 20)
    mended = Fix(
        title="make it a float",
        safe=True,
        edits=(Edit("src/orders.py", span, "float"),),
        digest=b"",
    )
    origin = msgspec.structs.replace(WRONG_MODEL.origin, span=span)
    finding = msgspec.structs.replace(WRONG_MODEL, origin=origin, fix=mended)
    written = json.loads("".join(rdjson.render(Report(findings=(finding,)), setting)))
    assert written["source"]["name"] == "contract-scan"
    where = {"start": {"line": 1, "column": 18}, "end": {"line": 1, "column": 21}}
    (diagnostic,) = written["diagnostics"]
    assert diagnostic == {
        "message": "`Order.price` is a string; the model says number",
        "location": {"path": "src/orders.py", "range": where},
        "severity": "WARNING",
        "code": {"value": "CONTRACT-004/type", "url": rule_url("CONTRACT-004/type")},
        "relatedLocations": [
            {
                "message": "the contract",
                "location": {
                    "path": "contracts/orders.yaml",
                    "range": {
                        "start": {"line": 13, "column": 9},
                        "end": {"line": 13, "column": 14},
                    },
                },
            }
        ],
        "suggestions": [{"range": where, "text": "float"}],
    }


def test_reviewdog_is_told_what_was_not_read(tmp_path: Path) -> None:
    written = json.loads("".join(rdjson.render(BUSY, project(tmp_path))))
    assert written["diagnostics"][-1] == {
        "message": "not analysed: is not UTF-8; save it as UTF-8",
        "location": {"path": "src/old.py", "range": {"start": {"line": 3}}},
        "severity": "ERROR",
        "code": {"value": "not-analysed"},
    }
