"""What stands for what below the cursor."""

from __future__ import annotations

from contract_scan.ir.document import ContractDocument
from contract_scan.ir.origin import Origin, Span
from contract_scan.scanners.links import Link
from contract_scan.server.index import Index

CONTRACT = """\
paths:
  /orders:
    get:
      responses:
        "200":
          description: all

  /items:
    get: {}
components:
  securitySchemes:
    key: {}
"""
DOCUMENT = ContractDocument(path="c.yaml", kind="openapi")


def link(name: str, contract: tuple[int, int], code: tuple[int, int], sort: str = "type") -> Link:
    line, column = contract
    at, start = code
    return Link(
        sort=sort,
        name=name,
        promise="GET /orders",
        contract=Origin("c.yaml", Span(line, column, line, column + 3)),
        code=Origin("a.py", Span(at, start, at, start + 5)),
        document=DOCUMENT,
    )


INDEX = Index(
    [
        link("GET /orders", (3, 5), (10, 1), "operation"),
        link("200", (5, 9), (10, 1), "response"),
        link("GET /items", (9, 5), (20, 1), "operation"),
        link("Order", (40, 5), (10, 20)),
    ]
)


def found(path: str, line: int, column: int) -> list[str]:
    lines = CONTRACT.split("\n")

    def line_of(_: str, number: int) -> str:
        return lines[number - 1] if number <= len(lines) else ""

    return [each.name for each in INDEX.links_at(path, line, column, line_of)]


def test_in_code_what_the_cursor_is_on_and_else_what_its_line_begins() -> None:
    assert found("a.py", 10, 2) == ["GET /orders"]
    assert found("a.py", 10, 22) == ["Order"]
    assert found("a.py", 20, 40) == ["GET /items"]
    assert found("a.py", 11, 1) == []


def test_in_a_contract_also_the_block_around_it() -> None:
    assert found("c.yaml", 3, 6) == ["GET /orders"]
    assert found("c.yaml", 4, 9) == ["GET /orders"]
    assert found("c.yaml", 6, 20) == ["200"]
    assert found("c.yaml", 9, 10) == ["GET /items"]


def test_a_block_that_has_ended_holds_nothing() -> None:
    assert found("c.yaml", 8, 4) == []
    assert found("c.yaml", 12, 7) == []
    assert found("c.yaml", 1, 1) == []


def test_other_files_have_no_links() -> None:
    assert found("b.py", 10, 2) == []
