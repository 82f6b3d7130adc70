from __future__ import annotations

from pathlib import Path

import msgspec

from contract_scan.reports.grouped import render
from tests.reports.hostile import HOSTILE
from tests.reports.samples import BUSY, CLEAN, project


def test_each_file_stands_once_above_its_findings(tmp_path: Path) -> None:
    setting = msgspec.structs.replace(project(tmp_path), quiet=True, prefix="shop/")
    assert "".join(render(BUSY, setting)) == (
        """\
shop/contracts/orders.yaml
  8:5  CONTRACT-002/missing-endpoint [error] `POST /orders` is contracted, but no route answers it

shop/src/orders.py
  7:12  CONTRACT-001/status [error] `GET /orders/{id}` returns 201; the contract allows 200
  11:2  CONTRACT-004/type [warning] `Order.price` is a string; the model says number

"""
    )


def test_the_summary_ends_it(tmp_path: Path) -> None:
    setting = project(tmp_path)
    assert "".join(render(BUSY, setting)).endswith(
        "\nFound 3 problems (2 errors, 1 warning); 4 files read.\n"
    )
    assert "".join(render(CLEAN, setting)).endswith(
        "\nNo violation in 1 file; 2 of 2 operations verified.\n"
    )


def test_colours_are_the_only_escapes(tmp_path: Path) -> None:
    setting = project(tmp_path)
    assert "\x1b" not in "".join(render(HOSTILE, setting))
    coloured = "".join(render(BUSY, msgspec.structs.replace(setting, color=True)))
    assert "\x1b[1;31mCONTRACT-001/status\x1b[0m" in coloured
