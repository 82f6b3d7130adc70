"""`contract-scan explain` of shared models for which no type of the code has the name."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.test_check import project
from tests.cli.test_explain import explained

__all__ = ["project"]

SCHEMA = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "title": "Order",
    "type": "object",
    "required": ["state"],
    "properties": {"state": {"$ref": "#/$defs/Progress"}},
    "$defs": {"Progress": {"type": "string", "enum": ["open", "paid"]}},
}
ORDER = "from pydantic import BaseModel\n\n\nclass Order(BaseModel):\n    state: str\n"


def test_a_model_that_others_hold(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "order.schema.json").write_text(json.dumps(SCHEMA, indent=1))
    (project / "app.py").write_text(ORDER)
    out = explained(capsys, "Progress")
    assert out.startswith("model Progress: undetermined, ")
    assert "  No type in the code is called so.\n" in out
    assert "Nothing in the code comes near it" not in out


def test_a_model_that_no_code_has(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "order.schema.json").write_text(json.dumps(SCHEMA, indent=1))
    (project / "gone.schema.json").write_text(json.dumps({**SCHEMA, "title": "Gone"}, indent=1))
    (project / "app.py").write_text(ORDER)
    lines = explained(capsys, "Gone").splitlines()
    assert lines[0] == "model Gone: absent, no type in the code stands for it"
    assert "  Nothing in the code comes near it." in lines
    assert lines[-1] == (
        "    define the type, or see whether the folder that was scanned holds it;"
        " `required-models` names the models that must be there"
    )
