"""SVC tables in their three layouts."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest

from contract_scan.errors import ContractError
from contract_scan.ir.origin import NOWHERE, Span
from contract_scan.parsers.contracts.svc_table import read_svc_table
from contract_scan.parsers.contracts.svc_types import read_type
from tests.parsers.contracts.loading import load_contract
from tests.parsers.contracts.rendering import render
from tests.parsers.contracts.test_openapi import lines


def table(text: str) -> list[str]:
    return lines(read_svc_table(dedent(text), "REQUIREMENTS.md"))


def test_the_layout_with_a_client_method() -> None:
    assert table(
        r"""
        # Requirements

        | SVC-ID | Frontend Service.Method | Endpoint | HTTP Method | Request DTO | Response DTO |
        |--------|-------------------------|----------|-------------|-------------|--------------|
        | SVC-001 | orders.create() | /api/orders | POST | { sku: string, note?: string } | Order { id: number, status: "draft"\|"paid" } |
        | SVC-002 | orders.get(id) | /api/orders/:id | GET | { id: number, full?: boolean } | `{ id: number }` |
        | SVC-003 | orders.drop(id) | /api/orders/{id} | DELETE | - | |
        """  # noqa: E501
    ) == [
        "POST /api/orders () [application/json! {sku: string, note?: string}] -> "
        "2XX: application/json Order{id: numeric, status: string of 'draft'/'paid'}",
        "GET /api/orders/{id} (path id: numeric, query full?: boolean) [] -> "
        "2XX: application/json {id: numeric}",
        "DELETE /api/orders/{id} () [] -> 2XX: ",
    ]


def test_the_layout_without_one() -> None:
    assert table(
        """
        | ID | Endpoint | Method | Request | Response |
        |----|----------|--------|---------|----------|
        | svc-1 | GET /api/tenders | | | Tender[] |
        | SVC-2 | PUT /api/tenders/{id} | PUT | {id: string, name} | { } |
        | REQ-1 | /api/other | GET | | |
        """
    ) == [
        "GET /api/tenders () [] -> 2XX: application/json "
        "[unknown <the table names the type `Tender` but not its fields>]",
        "PUT /api/tenders/{id} (path id: string) [application/json! "
        "{name: unknown <the table gives no type for this field>}] -> 2XX: application/json {}",
    ]


def test_a_table_of_tools_has_no_endpoints(tmp_path: Path) -> None:
    path = tmp_path / "REQUIREMENTS.md"
    path.write_text(
        "| SVC-ID | Client Method | MCP Tool | Request DTO | Response DTO |\n"
        "|---|---|---|---|---|\n"
        "| SVC-001 | Client.get(id) | get_contract | { id: string } | { id: string } |\n"
    )
    document = load_contract(path, tmp_path)
    assert (document.kind, document.http, document.operations) == ("svc-table", False, ())


def test_internal_rows_make_no_endpoint_and_the_rest_does() -> None:
    document = read_svc_table(
        dedent(
            """\
            | SVC-ID | Service | Endpoint | Method | Request | Response |
            |---|---|---|---|---|---|
            | SVC-001 | a.b() | N/A (internal) | N/A | { a: string } | list of X { b: int } |
              | SVC-002 | a.c() | `/c` | `get` | | list of X { b: int } |
            """
        ),
        "docs/REQUIREMENTS.md",
    )
    assert (document.http, document.problems) == (True, ())
    assert lines(document) == ["GET /c () [] -> 2XX: application/json [X{b: integer}]"]
    (operation,) = document.operations
    assert operation.operation_id == "SVC-002"
    assert operation.origin.span == Span(4, 3, 4, 62)
    assert operation.origin.pointer == "/SVC-002"


def test_endpoints_and_methods_as_people_write_them() -> None:
    document = read_svc_table(
        dedent(
            """\
            | SVC-ID | Endpoint | HTTP Method | Request DTO | Response DTO |
            |---|---|---|---|---|
            | SVC-001 | /orders/:id | PUT / PATCH | { note: string } | 204 No Content |
            | SVC-002 | https://api.shop.example/orders | GET | | { at: Date } (200) |
            | SVC-003a | api/orders | POST | { id: string } | 201: { id: string } |
            | SVC-004 | /ws/orders | WebSocket | | |
            | SVC-005 | tools/orders | | | |
            | SVC-006 | /orders/export | | | |
            | SVC-007 | /orders/search | QUERY | | |
            """
        ),
        "REQUIREMENTS.md",
    )
    note = "application/json! {note: string}"
    assert lines(document) == [
        f"PUT /orders/{{id}} () [{note}] -> 204: ",
        f"PATCH /orders/{{id}} () [{note}] -> 204: ",
        "GET /orders () [] -> 200: application/json {at: string}",
        "POST /api/orders () [application/json! {id: string}] -> "
        "201: application/json {id: string}",
    ]
    assert [(problem.line, problem.reason) for problem in document.problems] == [
        (8, "SVC-006 is not compared: it names no method"),
        (9, "SVC-007 is not compared: the method `QUERY` is not understood"),
    ]
    assert not any(problem.fatal for problem in document.problems)


def test_code_blocks_comments_and_other_tables_are_no_contract() -> None:
    assert (
        table(
            """
            ```
            | SVC-ID | Endpoint | Method | Request | Response |
            |---|---|---|---|---|
            | SVC-001 | /a | GET | | |
            ```
            <!--
            | SVC-ID | Endpoint | Method | Request | Response |
            |---|---|---|---|---|
            | SVC-002 | /b | GET | | |
            -->

            | Step | Endpoint | Method |
            |---|---|---|
            | SVC-003 | /c | GET |
            """
        )
        == []
    )


def test_a_file_without_such_a_table_says_so(tmp_path: Path) -> None:
    path = tmp_path / "REQUIREMENTS.md"
    path.write_text("SVC-001 is mentioned only.\n")
    with pytest.raises(ContractError) as caught:
        load_contract(path, tmp_path)
    assert str(caught.value) == (
        "REQUIREMENTS.md: holds no table with SVC-… rows; its header must name the columns"
    )


@pytest.mark.parametrize(
    ("cell", "shape"),
    [
        ("string", "string"),
        ("uuid", "string(uuid)"),
        ("int", "integer"),
        ("number", "numeric"),
        ("float", "number"),
        ("datetime", "string(date-time)"),
        ("string | null", "string|null"),
        ("string | number", "(string | numeric)"),
        ("'a' | 'b'", "string of 'a'/'b'"),
        ("1 | 2", "integer of 1/2"),
        ("object", "{*: any|null}"),
        ("any", "any|null"),
        ("array", "[unknown <the items' type is not given>]"),
        ("string[][]", "[[string]]"),
        ("[{ a: string }]", "[{a: string}]"),
        ("Array<{ a: int }>", "[{a: integer}]"),
        ("List[int]", "[integer]"),
        ("list of Item { a: int }", "[Item{a: integer}]"),
        ("Record<string, int>", "{*: integer}"),
        ("Dict[str, Item]", "{*: unknown <the table names the type `Item` but not its fields>}"),
        ("{ a: { b?: string[] }; c: bool }", "{a: {b?: [string]}, c: boolean}"),
        ("{ a: string, … }", "{a: string, ... <the table leaves fields out (`…`)>}"),
        ("{ ...Base, a: string }", "{a: string, ... <the table leaves fields out (`…`)>}"),
        ('{ "a-b": string, c: int = 5 }', "{a-b: string, c=: integer}"),
        ("{ a: string? }", "{a?: string}"),
        ("Order", "unknown <the table names the type `Order` but not its fields>"),
        ("Page<Order>", "unknown <the table names the type `Page` but not its fields>"),
        ("Promise<int>", "integer"),
        ("the order", "unknown <the type `the order` is not understood>"),
        ("{ a: string", "unknown <the type `{ a: string` is not understood>"),
        ("null", "unknown <the type `null` is not understood>"),
        ("%", "unknown <the type `%` is not understood>"),
    ],
)
def test_the_notation_of_types(cell: str, shape: str) -> None:
    assert render(read_type(cell, NOWHERE)) == shape


@pytest.mark.parametrize("cell", ["{a:" * 5000, "[" * 5000, "(" * 5000, "Array<" * 5000])
def test_deep_cells_are_not_understood(cell: str) -> None:
    assert render(read_type(cell, NOWHERE)).startswith("unknown <the type ")
