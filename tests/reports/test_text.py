from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from contract_scan.ir.origin import Origin, Span
from contract_scan.ir.violation import OperationRef
from contract_scan.reports.display import without_commands
from contract_scan.reports.report import Setting
from contract_scan.reports.text import concise, full
from contract_scan.scanners.report import Report
from tests.reports.samples import (
    ALIKE,
    BUSY,
    CLEAN,
    MISSING_ENDPOINT,
    UNTYPED,
    WRONG_MODEL,
    WRONG_STATUS,
    project,
)


def test_full_shows_the_code_and_the_contract_line_it_breaks(tmp_path: Path) -> None:
    assert "".join(full(BUSY, project(tmp_path))) == (
        """\
CONTRACT-002/missing-endpoint [error] `POST /orders` is contracted, but no route answers it
 --> contracts/orders.yaml:8:5
  |
8 |     post: {}
  |     ^^^^
  |
  = help: add a route, or remove the operation from the contract
  = note: contract pointer #/paths/~1orders/post
  = rule: https://github.com/contract-scan/contract-scan/blob/main/docs/rules/CONTRACT-002/missing-endpoint.md

CONTRACT-001/status [error] `GET /orders/{id}` returns 201; the contract allows 200
 --> src/orders.py:7:12
  |
6 | def get_order(id: str):
7 |     return JSONResponse(order, status_code=201)
  |            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ found: 201
  |
 ::: contracts/orders.yaml:6:9
  |
6 |         "200": { description: ok }
  |         ----- expected: 200
  |
  = help: return 200, or add 201 to the contract
  = note: contract pointer #/paths/~1orders~1{id}/get/responses
  = rule: https://github.com/contract-scan/contract-scan/blob/main/docs/rules/CONTRACT-001/status.md

CONTRACT-004/type [warning] `Order.price` is a string; the model says number
  --> src/orders.py:11:2
   |
10 | class Order:
11 |     price: str
   |     ^^^^^^^^^^ found: string
   |
  ::: contracts/orders.yaml:13:9
   |
13 |         price: { type: number }
   |         ----- expected: number
   |
   = note: reached from src/orders.py:6:1
   = note: contract pointer #/components/schemas/Order/properties/price
   = rule: https://github.com/contract-scan/contract-scan/blob/main/docs/rules/CONTRACT-004/type.md

Undetermined in 1 place:
    1 × the handler's return type is declared as any
        GET /orders 200 response items[] at src/orders.py:6:1

Not analysed:
  src/old.py:3: is not UTF-8; save it as UTF-8

              total  verified  violated  missing  undetermined
operations        3         0         1        1             1
models            1         0         1        0             0

Found 3 problems (2 errors, 1 warning); 4 files read.
"""
    )


def test_code_that_does_something_else_is_shown_next_to_the_contract(tmp_path: Path) -> None:
    wrong_method = msgspec.structs.replace(
        MISSING_ENDPOINT, help="", expected="POST", reached_from=WRONG_STATUS.origin
    )
    setting = msgspec.structs.replace(project(tmp_path), quiet=True)
    assert "".join(full(Report(findings=(wrong_method,)), setting)) == (
        """\
CONTRACT-002/missing-endpoint [error] `POST /orders` is contracted, but no route answers it
 --> contracts/orders.yaml:8:5
  |
8 |     post: {}
  |     ^^^^ expected: POST
  |
 ::: src/orders.py:7:12
  |
7 |     return JSONResponse(order, status_code=201)
  |            ------------------------------------ the code does this
  |
  = note: contract pointer #/paths/~1orders/post
  = rule: https://github.com/contract-scan/contract-scan/blob/main/docs/rules/CONTRACT-002/missing-endpoint.md

"""
    )


def test_a_problem_of_many_places_is_shown_once(tmp_path: Path) -> None:
    operations = [OperationRef(method="GET", path=f"/{n}", status="200") for n in range(8)]
    alike = tuple(
        msgspec.structs.replace(WRONG_MODEL, rule="CONTRACT-001", model=None, operation=operation)
        for operation in operations
    )
    setting = msgspec.structs.replace(project(tmp_path), quiet=True)
    text = "".join(full(Report(findings=(*alike, WRONG_MODEL)), setting))
    assert [line for line in text.splitlines() if line.startswith("CONTRACT")] == [
        "CONTRACT-001/type [warning] `Order.price` is a string; the model says number",
        "CONTRACT-004/type [warning] `Order.price` is a string; the model says number",
    ]
    assert "   = affects: 8 operations: GET /0, GET /1, GET /2, … (5 more)\n   = rule: " in text
    verbose = "".join(full(Report(findings=alike), msgspec.structs.replace(setting, verbose=True)))
    assert ", GET /5, GET /6, GET /7\n   = rule: " in verbose


def test_a_way_that_starts_at_the_place_itself_is_not_named(tmp_path: Path) -> None:
    at_itself = msgspec.structs.replace(
        WRONG_STATUS, reached_from=Origin("src/orders.py", Span(7, 12, 9, 1))
    )
    setting = project(tmp_path)
    assert "".join(full(Report(findings=(at_itself,)), setting)) == "".join(
        full(Report(findings=(WRONG_STATUS,)), setting)
    )


def test_concise_says_one_problem_a_line(tmp_path: Path) -> None:
    setting = msgspec.structs.replace(project(tmp_path), quiet=True)
    assert "".join(concise(BUSY, setting)) == (
        "contracts/orders.yaml:8:5: CONTRACT-002/missing-endpoint [error]"
        " `POST /orders` is contracted, but no route answers it\n"
        "src/orders.py:7:12: CONTRACT-001/status [error]"
        " `GET /orders/{id}` returns 201; the contract allows 200\n"
        "src/orders.py:11:2: CONTRACT-004/type [warning]"
        " `Order.price` is a string; the model says number\n"
    )


def test_concise_tells_problems_that_read_alike_in_one_line(tmp_path: Path) -> None:
    setting = msgspec.structs.replace(project(tmp_path), quiet=True)
    assert "".join(concise(Report(findings=(*ALIKE, WRONG_MODEL)), setting)) == (
        "src/place0.py:1:1: CONTRACT-001/status [error]"
        " `Place0.run` returns 400, which the contract does not define;"
        " 2 more functions do the same (3 operations)\n"
        "src/orders.py:11:2: CONTRACT-004/type [warning]"
        " `Order.price` is a string; the model says number\n"
    )


def test_a_clean_scan_says_what_was_verified(tmp_path: Path) -> None:
    assert "".join(full(CLEAN, project(tmp_path))) == (
        "              total  verified  violated  missing  undetermined\n"
        "operations        2         2         0        0             0\n"
        "\n"
        "No violation in 1 file; 2 of 2 operations verified.\n"
    )


def test_paths_lead_there_from_the_working_directory(tmp_path: Path) -> None:
    setting = msgspec.structs.replace(project(tmp_path), prefix="services/shop/", quiet=True)
    text = "".join(concise(Report(findings=(WRONG_STATUS,)), setting))
    assert text.startswith("services/shop/src/orders.py:7:12: ")


@pytest.mark.parametrize(
    ("prefix", "path", "shown"),
    [
        ("", "../contracts/a.yaml", "../contracts/a.yaml"),
        ("services/shop/", "../../contracts/a.yaml", "contracts/a.yaml"),
        ("/root/shop/", "../a.yaml", "/root/a.yaml"),
        ("services/", "/elsewhere/a.yaml", "/elsewhere/a.yaml"),
    ],
)
def test_a_place_outside_the_scanned_folder(prefix: str, path: str, shown: str) -> None:
    setting = Setting(root=Path("/"), prefix=prefix, quiet=True)
    outside = msgspec.structs.replace(WRONG_STATUS, origin=Origin(path, Span(1, 2, 1, 3)))
    text = "".join(concise(Report(findings=(outside,)), setting))
    assert text.startswith(f"{shown}:1:2: ")


def test_statistics_take_the_place_of_the_findings(tmp_path: Path) -> None:
    setting = msgspec.structs.replace(project(tmp_path), statistics=True, quiet=True)
    twice = Report(findings=(MISSING_ENDPOINT, WRONG_STATUS, WRONG_STATUS))
    assert "".join(full(twice, setting)) == (
        "1 in 2  CONTRACT-001/status\n1 in 1  CONTRACT-002/missing-endpoint\n\n"
    )


def test_reasons_are_grouped_the_commonest_first(tmp_path: Path) -> None:
    rare = msgspec.structs.replace(UNTYPED, reason="the path is computed", field="")
    report = Report(undetermined=(rare, UNTYPED, msgspec.structs.replace(UNTYPED, field="a")))
    text = "".join(concise(report, project(tmp_path)))
    assert text.split("\n\n")[0] == (
        "Undetermined in 3 places:\n"
        "    2 × the handler's return type is declared as any\n"
        "        GET /orders 200 response a at src/orders.py:6:1, and 1 more\n"
        "    1 × the path is computed\n"
        "        GET /orders 200 response at src/orders.py:6:1"
    )


def test_verbose_names_every_place_and_every_reason(tmp_path: Path) -> None:
    reasons = [f"reason {number:02}" for number in range(12)]
    report = Report(
        undetermined=tuple(msgspec.structs.replace(UNTYPED, reason=reason) for reason in reasons)
    )
    setting = project(tmp_path)
    short = "".join(concise(report, setting))
    assert "and 4 more reasons (shown with --verbose)\n" in short
    long = "".join(concise(report, msgspec.structs.replace(setting, verbose=True)))
    assert [line.split("× ")[1] for line in long.splitlines() if "× " in line] == reasons


def test_a_finding_in_a_file_that_is_gone_has_no_frame(tmp_path: Path) -> None:
    gone = msgspec.structs.replace(
        WRONG_STATUS, origin=Origin("gone.py", Span(1, 1, 1, 2)), contract=None, help=""
    )
    setting = msgspec.structs.replace(project(tmp_path), quiet=True)
    assert "".join(full(Report(findings=(gone,)), setting)) == (
        "CONTRACT-001/status [error] `GET /orders/{id}` returns 201; the contract allows 200\n"
        " --> gone.py:1:1\n"
        "  = rule: https://github.com/contract-scan/contract-scan/blob/main/docs/rules/"
        "CONTRACT-001/status.md\n\n"
    )


@pytest.mark.parametrize("render", [full, concise])
def test_nothing_foreign_reaches_the_terminal_unescaped(tmp_path: Path, render: object) -> None:
    evil = "\x1b[2J\u202e\u009b31m\udcff\r\n::error::"
    setting = project(tmp_path)
    (tmp_path / "evil.py").write_bytes(b"x = '\x1b[2J\xe2\x80\xae\xff'\n")
    finding = msgspec.structs.replace(
        WRONG_STATUS,
        message=evil,
        found=evil,
        expected=evil,
        help=evil,
        origin=Origin("evil.py", Span(1, 1, 1, 9)),
    )
    report = Report(
        findings=(finding, msgspec.structs.replace(finding, origin=Origin(evil))),
        undetermined=(msgspec.structs.replace(UNTYPED, reason=evil, field=evil),),
    )
    assert callable(render)
    text = "".join(render(report, setting))
    assert "\\x1b[2J\\u202e\\x9b31m\\udcff\\r\\n::error::" in text
    assert [c for c in text if not c.isprintable() and c != "\n"] == []
    assert not any(line.startswith("::") for line in text.splitlines())


def test_colour_only_adds_escapes(tmp_path: Path) -> None:
    import re

    setting = project(tmp_path)
    plain = "".join(full(BUSY, setting))
    coloured = "".join(full(BUSY, msgspec.structs.replace(setting, color=True)))
    assert coloured != plain
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == plain
    assert without_commands(coloured) == coloured


def test_the_order_found_in_does_not_matter(tmp_path: Path) -> None:
    setting = project(tmp_path)
    backwards = Report(
        findings=BUSY.findings[::-1],
        undetermined=BUSY.undetermined,
        not_analysed=BUSY.not_analysed,
        summary=BUSY.summary,
        files=BUSY.files,
    )
    assert "".join(full(backwards, setting)) == "".join(full(BUSY, setting))


def test_lines_are_cut_to_the_width_and_what_is_wrong_never_is(tmp_path: Path) -> None:
    setting = msgspec.structs.replace(project(tmp_path), columns=40, quiet=True)
    shown = "".join(full(Report(findings=(WRONG_STATUS,)), setting)).splitlines()
    assert shown[3:6] == [
        "6 | def get_order(id: str):",
        "7 |     return JSONResponse(order, stat…",
        "  |            ^^^^^^^^^^^^^^^^^^^^^^^^^ found: 201",
    ]


def test_places_and_rules_are_links_where_the_terminal_has_links(tmp_path: Path) -> None:
    setting = msgspec.structs.replace(project(tmp_path), links=True, quiet=True)
    (line,) = concise(Report(findings=(WRONG_STATUS,)), setting)
    file = (tmp_path / "src" / "orders.py").as_uri()
    url = (
        "https://github.com/contract-scan/contract-scan/blob/main/docs/rules/CONTRACT-001/status.md"
    )
    assert line.startswith(
        f"\x1b]8;;{file}\x1b\\src/orders.py:7:12\x1b]8;;\x1b\\: "
        f"\x1b]8;;{url}\x1b\\CONTRACT-001/status\x1b]8;;\x1b\\ [error] "
    )
