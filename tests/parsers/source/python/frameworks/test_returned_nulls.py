"""FastAPI: null in the fields of a declared model, after what handlers return."""

from __future__ import annotations

from pathlib import Path
from textwrap import indent

import pytest

from tests.parsers.source.python.project import operations, project, shape

HEAD = """
from contextlib import suppress
from fastapi import FastAPI
from pydantic import BaseModel, field_validator
from somelib import change, read
app = FastAPI()
class Report(BaseModel):
    id: str
    note: str | None = None
def load() -> Report:
    return Report(id=read())
def clear(report: Report):
    report.note = None
"""
SENT, MAY_BE_NULL = "{id: string, note=: string}", "{id: string, note=: string?}"


@pytest.mark.parametrize(
    ("body", "sent"),
    [
        ("return Report(id=read(), note=given)", SENT),
        ('return {"id": read(), "note": given}', SENT),
        ("report = Report(id=read())\nreport.note = given\nreturn report", SENT),
        ("report = load()\nreport.note = given\nreturn report", SENT),
        ("if maybe is None:\n    raise ValueError\nreturn Report(id=read(), note=maybe)", SENT),
        ("return Report(id=read(), note=maybe)", MAY_BE_NULL),
        ("return Report(id=read())", MAY_BE_NULL),
        ("return Report(id=read(), note=change(given))", MAY_BE_NULL),
        ("report = Report(id=read(), note=given)\nchange(report)\nreturn report", MAY_BE_NULL),
        ("report = Report(id=read(), note=given)\nclear(report)\nreturn report", MAY_BE_NULL),
        (
            "report = Report(id=read())\nif given:\n    report.note = given\nreturn report",
            MAY_BE_NULL,
        ),
        (
            "report = Report(id=read())\nfor one in given:\n    report.note = one\nreturn report",
            MAY_BE_NULL,
        ),
        (
            "try:\n    report = Report(id=read())\n    report.note = str(change(given))\n"
            "    pass()\nexcept ValueError:\n    change()\nreturn report",
            MAY_BE_NULL,
        ),
        (
            "report = Report(id=read())\nwith suppress(ValueError):\n"
            "    report.note = str(int(given))\nreturn report",
            MAY_BE_NULL,
        ),
        (
            "if given:\n    return Report(id=read(), note=given)\nreturn Report(id=read())",
            MAY_BE_NULL,
        ),
        ("data = change(given)\nreturn Report(**data)", MAY_BE_NULL),
    ],
)
def test_a_field_that_every_returned_value_sets_holds_no_null(
    tmp_path: Path, body: str, sent: str
) -> None:
    handler = '@app.get("/")\ndef show(given: str, maybe: str | None = None) -> Report:\n'
    assert _response_body(tmp_path, handler + indent(body, "    ")) == sent


def test_a_validator_may_put_null_in_place_of_a_value(tmp_path: Path) -> None:
    handler = (
        CHECKED
        + '@app.get("/")\ndef show(given: str) -> Checked:\n    return Checked(note=given)\n'
    )
    assert _response_body(tmp_path, handler) != "{note=: string}"


CHECKED = """
class Checked(BaseModel):
    note: str | None = None
    @field_validator("note", mode="before")
    def emptied(cls, value):
        return value or None
"""


def _response_body(root: Path, handler: str) -> str:
    program = project(root, {"app.py": HEAD + handler + "\n"})
    [operation] = operations(program, "FastAPI")
    [response] = [each for each in operation.responses if each.status == "200"]
    return shape(program, response.bodies[0].schema)
