"""`contract-scan explain` of what is told of exceptions, and with the severities of a project."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from contract_scan.cli.main import main
from tests.cli.test_check import DRIFT, write_project
from tests.cli.test_explain import explained

SETTINGS = """\
baseline = "known.json"

[[exceptions]]
rules = ["CONTRACT-001"]
path = "src/app.py"
reason = "until the next version"
owner = "team-orders"
expires = 2020-01-31

[[exceptions]]
rules = ["CONTRACT-002"]
operation = "GET /nowhere"
reason = "for the load balancer"
owner = "team-orders"

[severities]
"CONTRACT-001.type" = "warning"
"""
KNOWN = {
    "version": 1,
    "tool_version": "0.1.0",
    "findings": [
        {
            "fingerprint": "v1:00112233445566778899aabbccddeeff",
            "rule": "CONTRACT-001",
            "path": "src/app.py",
            "message": "what was",
            "count": 1,
        }
    ],
}


def test_exceptions_that_are_not_needed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    ignored = DRIFT.replace(
        "class Order", "# contract-scan: ignore[CONTRACT-002] of old\nclass Order"
    )
    write_project(tmp_path, source=ignored)
    (tmp_path / "contract-scan.toml").write_text(SETTINGS)
    (tmp_path / "known.json").write_text(json.dumps(KNOWN))
    monkeypatch.chdir(tmp_path)
    main(["check", "--no-cache", "--output-format", "json"])
    findings = json.loads(capsys.readouterr().out)["findings"]
    assert {finding["kind"] for finding in findings} == {
        "type",
        "unused-ignore",
        "unused-exception",
        "expired-exception",
        "stale-baseline",
    }
    for finding in findings:
        said = explained(capsys, finding["fingerprint"])
        assert said.startswith(
            f"{finding['rule']}/{finding['kind']} [warning] {finding['message']}\n"
        )
        assert f"       {finding['path']}:{finding['line']}:" in said
        assert ("  It is about\n    1. this " in said) == (finding["rule"] == "CONTRACT-000")
