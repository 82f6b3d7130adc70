"""Contracts that are found in a repository: older versions, parts, and such as promise nothing."""

from __future__ import annotations

from pathlib import Path

from contract_scan.api import scan
from contract_scan.cli.main import main

NAMES = ("open", "late", "paid", "lost", "held")
APP = "from fastapi import FastAPI\n\napp = FastAPI()\n" + "".join(
    f'\n\n@app.get("/orders/{name}")\ndef {name}_orders() -> list[int]:\n    return []\n'
    for name in NAMES
)


def contract(version: str, item: str) -> str:
    schema = f"{{type: array, items: {{type: {item}}}}}"
    response = f"description: ok, content: {{application/json: {{schema: {schema}}}}}"
    paths = "".join(
        f"  /orders/{name}:\n    get:\n      responses:\n        '200': {{{response}}}\n"
        for name in NAMES
    )
    return f"openapi: 3.0.3\ninfo: {{title: Shop, version: {version}}}\npaths:\n{paths}"


def test_code_is_held_against_the_newer_one_and_the_report_names_the_older_one(
    tmp_path: Path,
) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "openapi.yaml").write_text(contract("4.4.0", "string"))
    (tmp_path / "openapi.yaml").write_text(contract("5.0.1", "integer"))
    (tmp_path / "app.py").write_text(APP)

    found = scan(tmp_path, cache=False)
    assert found.findings == ()
    assert (found.summary.operations.total, found.summary.operations.verified) == (5, 5)
    assert [(one.path, one.expected, one.reason) for one in found.not_analysed] == [
        (
            "docs/openapi.yaml",
            True,
            "is version 4.4.0 of an interface whose version 5.0.1 is in `openapi.yaml`, which is"
            " compared; to compare both, name them with `--contract` or in the configuration",
        )
    ]

    both = [tmp_path / "docs" / "openapi.yaml", tmp_path / "openapi.yaml"]
    named = scan(tmp_path, contracts=both, cache=False)
    assert {finding.contract.path for finding in named.findings if finding.contract} == {
        "docs/openapi.yaml"
    }
    assert named.not_analysed == ()


PART = '{"paths": {"/orders/%s": {"get": {"responses": {"201": {}}}}}}'
PARTS = {
    "api/shop.template.json": '{"openapi": "3.0.3", "info": {}, "components": {}}',
    "api/shop.template.late.json": PART % "late",
    "api/shop.template.paid.json": PART % "paid",
    "api/names.json": '{"paths": ["a", "b"]}',
}


def write(folder: Path, files: dict[str, str]) -> None:
    for name, text in {**files, "app.py": "answer = 42\n"}.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text)


def test_a_document_in_parts_is_one_contract(tmp_path: Path) -> None:
    write(tmp_path, PARTS)
    (tmp_path / "app.py").write_text(APP)
    found = scan(tmp_path, cache=False)
    assert found.not_analysed == ()
    assert (found.summary.operations.total, found.summary.operations.missing) == (2, 0)
    assert {one.contract.path for one in found.findings if one.contract} == {
        "api/shop.template.late.json",
        "api/shop.template.paid.json",
    }


def test_a_contract_that_promises_nothing_is_nothing_to_compare_with(tmp_path: Path) -> None:
    write(tmp_path, {"api/shop.template.json": PARTS["api/shop.template.json"]})
    found = scan(tmp_path, cache=False)
    assert [(one.path, one.reason) for one in found.not_analysed] == [
        (
            "api/shop.template.json",
            "promises nothing: it has no operation, channel or shared model of the selected rules"
            " (`--allow-empty` if that is meant)",
        )
    ]
    assert main(["check", str(tmp_path), "--no-cache", "--quiet"]) == 2
    assert scan(tmp_path, cache=False, allow_empty=True).not_analysed == ()
