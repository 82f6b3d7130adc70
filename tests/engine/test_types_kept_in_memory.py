"""TypeScript types that bear the name of a shared model and hold what JSON has no form for."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from contract_scan.api import scan

DIMENSION = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "title": "Dimension",
    "type": "object",
    "required": ["name"],
    "properties": {"name": {"type": "string"}, "min": {"type": "number"}},
    "additionalProperties": False,
}


@pytest.mark.parametrize(
    ("member", "is_sent"),
    [
        ("pattern?: RegExp", False),
        ("known: Map<string, number>", False),
        ("type?: NumberConstructor | DateConstructor", False),
        ("label: string", True),
    ],
)
def test_only_a_type_that_json_can_hold_stands_for_a_shared_model(
    tmp_path: Path, member: str, is_sent: bool
) -> None:
    (tmp_path / "schemas").mkdir()
    (tmp_path / "schemas" / "dimension.json").write_text(json.dumps(DIMENSION))
    (tmp_path / "src").mkdir()
    source = f"export interface Dimension {{ name?: string; min?: number; {member}; }}\n"
    (tmp_path / "src" / "subset.ts").write_text(source)
    report = scan(tmp_path, cache=False)
    found = [(finding.kind, finding.field) for finding in report.findings]
    assert found == ([("required", "name"), ("extra-field", "label")] if is_sent else [])
    field = member.partition(":")[0].rstrip("?")
    reason = f"`Dimension.{field}` has no form in JSON: the type does not seem to be sent"
    assert [entry.reason for entry in report.undetermined] == ([] if is_sent else [reason])
