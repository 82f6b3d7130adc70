"""One cause in very many operations: a generated contract whose operations all send one entity."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from contract_scan.cli.main import main
from contract_scan.reports.markdown import ROOM

OPERATIONS = 185
SCREEN = 50
"""Lines of a terminal."""


def entity() -> dict[str, Any]:
    fields = {f"field{n}": {"type": "string"} for n in range(12)}
    return {"type": "object", "required": list(fields), "properties": fields}


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A service of FastAPI: its entity lacks two fields, and has two others as numbers."""
    schema = {"$ref": "#/components/schemas/Author"}
    content = {"application/json": {"schema": schema}}
    paths = {
        f"/shelves{n}/author": {
            "get": {"responses": {"200": {"description": "", "content": content}}}
        }
        for n in range(OPERATIONS)
    }
    contract = {
        "openapi": "3.0.3",
        "info": {"title": "Library", "version": "1"},
        "paths": paths,
        "components": {"schemas": {"Author": entity()}},
    }
    (tmp_path / "openapi.json").write_text(json.dumps(contract, indent=1), encoding="utf-8")
    fields = "".join(f"    field{n}: {'int' if n < 2 else 'str'}\n" for n in range(10))
    routes = "".join(
        f'@app.get("/shelves{n}/author")\ndef shelf{n}() -> AuthorDto: ...\n\n'
        for n in range(OPERATIONS)
    )
    (tmp_path / "app.py").write_text(
        "from fastapi import FastAPI\nfrom pydantic import BaseModel\n\napp = FastAPI()\n\n\n"
        f"class AuthorDto(BaseModel):\n{fields}\n\n{routes}",
        encoding="utf-8",
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)
    return tmp_path


def printed(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert main(["check", "--no-cache", *words]) == 1
    return capsys.readouterr().out


def test_it_fits_where_people_look(shop: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = printed(capsys).splitlines()
    assert len(lines) < 2 * SCREEN
    assert [line for line in lines if line.startswith(("CONTRACT", "Found"))] == [
        "CONTRACT-001/missing-field [error] `AuthorDto` lacks 2 fields that `Author` requires",
        "CONTRACT-001/type [error] `AuthorDto` has another type than `Author` for 2 fields",
        "Found 2 problems (2 errors) in 740 places; 1 file read.",
    ]
    affected = "185 operations (370 places): GET /shelves0/author, GET /shelves1/author, "
    assert [line[7:] for line in lines if "= fields:" in line or "= affects:" in line] == [
        "fields: field10, field11",
        f"affects: {affected}GET /shelves10/author, … (182 more)",
        "fields: field0 (integer instead of string), field1 (integer instead of string)",
        f"affects: {affected}GET /shelves10/author, … (182 more)",
    ]
    comment = printed(capsys, "--output-format", "markdown")
    assert len(comment) < ROOM / 10
    assert "did not fit" not in comment
    assert len(printed(capsys, "--output-format", "github").splitlines()) == 2


def test_programs_have_the_problems_and_every_place(
    shop: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    report = json.loads(printed(capsys, "--output-format", "json"))
    assert [
        (each["kind"], each["places"], len(each["operations"])) for each in report["problems"]
    ] == [
        ("missing-field", 370, OPERATIONS),
        ("type", 370, OPERATIONS),
    ]
    assert (report["summary"]["problems"], report["summary"]["places"]) == (2, 740)
    names = {each["fingerprint"] for each in report["problems"]}
    assert {each["problem"] for each in report["findings"]} == names
    results = json.loads(printed(capsys, "--output-format", "sarif"))["runs"][0]["results"]
    assert [each["properties"]["places"] for each in results] == [370, 370]


def test_places_are_listed_on_request(shop: Path, capsys: pytest.CaptureFixture[str]) -> None:
    listed = printed(capsys, "--quiet", "--output-format", "concise", "--show=places")
    assert len(listed.splitlines()) == 740
    for wrong, said in (
        ("all", "`--show`: unknown `all`; known are problems, places, notes"),
        ("problems,places", "`--show`: problems are listed, or else their places"),
    ):
        assert main(["check", f"--show={wrong}"]) == 2
        assert capsys.readouterr().err == f"contract-scan: {said}\n"
