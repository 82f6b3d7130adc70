"""What a pull request plants so that its own drift is not found: it is counted, and nothing that it
hides counts as verified."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from contract_scan.cli.main import main

CONTRACT = """
openapi: 3.0.3
info: {title: Things, version: "1"}
paths:
  /things:
    get:
      responses:
        "200":
          description: A thing
          content:
            application/json:
              schema: {type: object, required: [id], properties: {id: {type: string}}}
"""
CODE = """
from fastapi import FastAPI

app = FastAPI()

@app.get("/things")
def things():
    return {"id": 1}
"""
EXCEPTION = '[[exceptions]]\nrules = ["CONTRACT-001"]\npath = "**"\nreason = "x"\nowner = "y"\n'


@pytest.fixture
def drifting(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with one violation."""
    (tmp_path / "openapi.yaml").write_text(CONTRACT)
    (tmp_path / "app.py").write_text(CODE)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def counts(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, int]:
    """How many promises and findings there are, of each sort."""
    capsys.readouterr()
    main(["check", "--no-cache", "--output-format", "json", *words])
    summary = json.loads(capsys.readouterr().out)["summary"]
    return {key: summary[key] for key in ("verified", "violated", "ignored", "known")}


@pytest.mark.parametrize(
    "configuration",
    [
        EXCEPTION,
        'ignore = ["CONTRACT-001"]\n',
        'select = ["CONTRACT-002"]\n',
        '[severities]\nCONTRACT-001 = "off"\n',
        '[severities]\n"CONTRACT-001.type" = "off"\n',
        'ignore = ["CONTRACT-001"]\n[severities]\n"CONTRACT-001.type" = "error"\n',
        '[per-file-ignores]\n"**" = ["CONTRACT-001"]\n',
    ],
    ids=["exception", "ignore", "select", "severity", "severity of a kind", "both", "files"],
)
def test_what_a_configuration_leaves_out_is_counted(
    configuration: str, drifting: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (drifting / "contract-scan.toml").write_text(configuration)
    assert counts(capsys) == {"verified": 0, "violated": 1, "ignored": 1, "known": 0}
    main(["check", "--no-cache"])
    assert "1 more finding excepted by the configuration.\n" in capsys.readouterr().out
    assert counts(capsys, "--isolated") == {"verified": 0, "violated": 1, "ignored": 0, "known": 0}


def test_what_a_comment_leaves_out_is_counted(
    drifting: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    comment = "  # contract-scan: ignore[CONTRACT-001] planted"
    (drifting / "app.py").write_text(CODE.rstrip() + comment)
    assert counts(capsys) == {"verified": 0, "violated": 1, "ignored": 1, "known": 0}


@pytest.mark.parametrize(
    ("configuration", "folder"),
    [
        ('baseline = "planted/known.json"\n', "planted"),
        ('fail-on = "error"\n', "."),
        ("", "."),
    ],
    ids=["named by the configuration", "found beside it", "found without one"],
)
def test_what_a_baseline_leaves_out_is_counted(
    configuration: str, folder: str, drifting: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (drifting / folder).mkdir(exist_ok=True)
    if configuration:
        (drifting / "contract-scan.toml").write_text(configuration)
    assert main(["baseline", "create"]) == 0
    assert counts(capsys) == {"verified": 0, "violated": 1, "ignored": 0, "known": 1}
    main(["check", "--no-cache"])
    assert "1 more finding known from the baseline.\n" in capsys.readouterr().out
    assert counts(capsys, "--isolated") == {"verified": 0, "violated": 1, "ignored": 0, "known": 0}


def test_code_that_is_left_out_leaves_nothing_verified(
    drifting: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (drifting / "other.py").write_text("x = 1\n")
    (drifting / "contract-scan.toml").write_text('exclude = ["app.py"]\n')
    assert main(["check", "--no-cache"]) == 2
    assert counts(capsys) == {"verified": 0, "violated": 0, "ignored": 0, "known": 0}
