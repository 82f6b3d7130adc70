"""A contract that promises some text of any content type, and code that sends one."""

from __future__ import annotations

import pytest

from contract_scan.ir.operation import Body
from contract_scan.ir.schema import Schema
from contract_scan.scanners.media import is_any_text
from tests.scanners.builders import enum, obj, text


@pytest.mark.parametrize(
    ("contract", "schema", "code", "expected"),
    [
        ("*/*", text(), "*/*", True),
        ("*/*", text(nullable=True), "*/*", True),
        ("*/*", text(), "application/json", False),
        ("application/json", text(), "*/*", False),
        ("*/*", text("uuid"), "*/*", False),
        ("*/*", enum("a"), "*/*", False),
        ("*/*", obj(), "*/*", False),
    ],
)
def test_any_text(contract: str, schema: Schema, code: str, expected: bool) -> None:
    ours = Body(schema=schema, content_type=contract)
    assert is_any_text(ours, Body(schema=obj(), content_type=code)) is expected
