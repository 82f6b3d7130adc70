from __future__ import annotations

import re
from pathlib import Path

import msgspec

from contract_scan.reports.github import render
from tests.reports.hostile import HOSTILE
from tests.reports.samples import BUSY, CLEAN, project

COMMAND = re.compile(r"::(?:error|warning|notice) (?P<properties>[^\n]*?)::[^\r\n]*\n")


def test_one_command_a_problem_the_worst_first(tmp_path: Path) -> None:
    assert list(render(BUSY, project(tmp_path))) == [
        "::error title=contract-scan (CONTRACT-002/missing-endpoint),"
        "file=contracts/orders.yaml,line=8,col=5,endLine=8,endColumn=9"
        "::CONTRACT-002/missing-endpoint `POST /orders` is contracted, but no route answers it"
        "%0Ahelp: add a route, or remove the operation from the contract\n",
        "::error title=contract-scan (CONTRACT-001/status),"
        "file=src/orders.py,line=7,col=12,endLine=7,endColumn=48"
        "::CONTRACT-001/status `GET /orders/{id}` returns 201; the contract allows 200"
        "%0Acontract: contracts/orders.yaml:6%0Ahelp: return 200, or add 201 to the contract\n",
        "::warning title=contract-scan (CONTRACT-004/type),"
        "file=src/orders.py,line=11,col=2,endLine=11,endColumn=12"
        "::CONTRACT-004/type `Order.price` is a string; the model says number"
        "%0Acontract: contracts/orders.yaml:13\n",
        "::error title=contract-scan (not analysed),file=src/old.py,line=3"
        "::not analysed: is not UTF-8; save it as UTF-8\n",
    ]


def test_an_earlier_place_does_not_come_before_a_worse_finding(tmp_path: Path) -> None:
    lowered = [
        msgspec.structs.replace(finding, severity=severity)
        for finding, severity in zip(BUSY.findings, ("error", "note", "warning"), strict=True)
    ]
    report = msgspec.structs.replace(BUSY, findings=tuple(lowered), not_analysed=())
    setting = project(tmp_path)
    commands = [line.split(" ")[0] for line in render(report, setting)]
    assert commands == ["::error", "::warning"]
    setting = msgspec.structs.replace(setting, show=frozenset({"notes"}))
    commands = [line.split(" ")[0] for line in render(report, setting)]
    assert commands == ["::error", "::warning", "::notice"]


def test_a_clean_scan_says_nothing(tmp_path: Path) -> None:
    assert list(render(CLEAN, project(tmp_path))) == []


def test_paths_are_those_of_the_repository(tmp_path: Path) -> None:
    setting = msgspec.structs.replace(project(tmp_path / "shop"), repository=tmp_path)
    files = re.findall(r"file=([^,]*)", "".join(render(BUSY, setting)))
    assert files == [
        "shop/contracts/orders.yaml",
        "shop/src/orders.py",
        "shop/src/orders.py",
        "shop/src/old.py",
    ]


def test_foreign_text_makes_neither_commands_nor_properties(tmp_path: Path) -> None:
    pieces = list(render(HOSTILE, project(tmp_path)))
    assert len(pieces) == len(HOSTILE.problems) + len(HOSTILE.not_analysed)
    for piece in pieces:
        matched = COMMAND.fullmatch(piece)
        assert matched is not None
        names = [part.partition("=")[0] for part in matched["properties"].split(",")]
        assert set(names) <= {"title", "file", "line", "col", "endLine", "endColumn"}
        assert len(names) == len(set(names))
        assert "##[" not in piece
        assert "\x1b" not in piece
    assert "100%25" in "".join(pieces)
