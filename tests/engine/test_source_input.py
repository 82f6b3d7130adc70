"""Source files that are not as they should be: read where possible, named where not."""

from __future__ import annotations

from pathlib import Path

from contract_scan.api import scan
from contract_scan.scanners.report import Report

CONTRACT = """
openapi: 3.0.3
info: {title: Orders, version: "1"}
paths:
  /orders:
    get:
      responses:
        "200":
          description: all orders
          content:
            application/json:
              schema: {type: array, items: {type: string}}
"""
SERVICE = """
from fastapi import FastAPI
app = FastAPI()

@app.get("/orders")
def orders() -> list[str]:
    return []
"""


def scanned(root: Path, **files: bytes) -> Report:
    (root / "openapi.yaml").write_text(CONTRACT, encoding="utf-8")
    for name, content in files.items():
        (root / f"{name}.py").write_bytes(content)
    return scan(root, cache=False)


def verified(report: Report) -> tuple[int, int]:
    return (report.summary.operations.verified, report.summary.operations.total)


def test_utf_16_is_read_like_any_other_encoding(tmp_path: Path) -> None:
    report = scanned(tmp_path, app=SERVICE.encode("utf-16"))
    assert (verified(report), report.not_analysed) == ((1, 1), ())


def test_a_mark_before_utf_8_and_windows_line_ends_change_nothing(tmp_path: Path) -> None:
    text = b"\xef\xbb\xbf" + SERVICE.replace("\n", "\r\n").encode()
    report = scanned(tmp_path, app=text)
    assert (verified(report), report.findings, report.not_analysed) == ((1, 1), (), ())


def test_a_route_that_cannot_be_parsed_is_named_and_the_rest_is_read(tmp_path: Path) -> None:
    broken = SERVICE + '\n@app.get("/broken"\ndef broken( -> list[str:\n    return []\n'
    report = scanned(tmp_path, app=broken.encode())
    assert verified(report) == (1, 1)
    assert [(p.path, p.line, p.fatal) for p in report.not_analysed] == [("app.py", 9, False)]


def test_a_broken_file_without_a_framework_is_no_problem(tmp_path: Path) -> None:
    report = scanned(tmp_path, app=SERVICE.encode(), notes=b"x = = 1\n")
    assert (verified(report), report.not_analysed) == ((1, 1), ())


def test_a_file_that_is_too_large_is_named_only_if_it_may_hold_a_route(tmp_path: Path) -> None:
    filler = b"# nothing\n" * 110_000
    report = scanned(tmp_path, app=SERVICE.encode(), data=filler, more=filler + SERVICE.encode())
    assert [(p.path, p.reason) for p in report.not_analysed] == [
        ("more.py", "left out: it is larger than 1 MB and may hold a route or event; split it")
    ]


def test_no_route_at_all_is_a_problem_that_says_what_was_looked_for(tmp_path: Path) -> None:
    report = scanned(tmp_path, app=b"print('hello')\n")
    (problem,) = report.not_analysed
    assert problem.path == "openapi.yaml"
    assert problem.reason.startswith(
        "1 operation is contracted, but not one route was recognised in the code; looked for "
    )
    assert report.findings == ()
