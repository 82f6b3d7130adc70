"""Kinds of drift are selected, ignored and graded like rules, wherever rules are."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from contract_scan.cli.main import main

CONTRACT = """\
openapi: 3.0.3
info: { title: Shop, version: "1" }
paths:
  /orders:
    get:
      responses:
        "200":
          description: ok
          content:
            application/json:
              schema:
                type: object
                required: [id, total]
                properties: { id: { type: string }, total: { type: number } }
"""
CODE = """\
from fastapi import FastAPI
from pydantic import BaseModel

app = FastAPI()


class Order(BaseModel):
    id: int
    total: float | None
    shop: str


@app.get("/orders")
def orders() -> Order:
    return load()
"""
TYPE, NULLABLE, EXTRA = (f"CONTRACT-001/{kind}" for kind in ("type", "nullable", "extra-field"))


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "openapi.yaml").write_text(CONTRACT)
    (tmp_path / "app.py").write_text(CODE)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def found(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, dict[str, str]]:
    """The exit status, and the severity of every kind that is reported."""
    result = main(["check", "--output-format", "json", *words])
    findings = json.loads(capsys.readouterr().out)["findings"]
    return result, {f"{each['rule']}/{each['kind']}": each["severity"] for each in findings}


ALL = {TYPE: "error", NULLABLE: "error", EXTRA: "warning"}


@pytest.mark.parametrize(
    ("words", "result", "kinds"),
    [
        ([], 1, {TYPE, NULLABLE, EXTRA}),
        (["--select", TYPE], 1, {TYPE}),
        (["--select", f"{TYPE},{EXTRA}", "--ignore", TYPE], 0, {EXTRA}),
        (["--ignore", "contract-001/NULLABLE"], 1, {TYPE, EXTRA}),
        (["--config", f'per-file-ignores = {{ "app.py" = ["{TYPE}"] }}'], 1, {NULLABLE, EXTRA}),
        (["--min-severity", "error"], 1, {TYPE, NULLABLE}),
        (["--fail-on", "never"], 0, {TYPE, NULLABLE, EXTRA}),
        (["--select", EXTRA, "--max-warnings", "1"], 0, {EXTRA}),
        (["--select", EXTRA, "--max-warnings", "0"], 1, {EXTRA}),
    ],
)
def test_kinds_and_severities_choose_what_is_reported(
    project: Path,
    capsys: pytest.CaptureFixture[str],
    words: list[str],
    result: int,
    kinds: set[str],
) -> None:
    assert found(capsys, *words) == (result, {name: ALL[name] for name in kinds})


@pytest.mark.parametrize(
    "setting",
    [
        f'ignore = ["{NULLABLE}"]\n',
        f'select = ["{TYPE}", "{EXTRA}"]\n',
        f'[severities]\n"{NULLABLE}" = "off"\n',
        '[severities]\n"CONTRACT-001.nullable" = "off"\n',
        f'[[exceptions]]\nrules = ["{NULLABLE}"]\npath = "app.py"\nreason = "r"\nowner = "o"\n',
        f'[per-file-ignores]\n"*.py" = ["{NULLABLE}"]\n',
    ],
)
def test_a_configuration_file_leaves_out_a_kind_and_it_is_counted(
    project: Path, capsys: pytest.CaptureFixture[str], setting: str
) -> None:
    (project / "contract-scan.toml").write_text(setting)
    assert found(capsys) == (1, {TYPE: "error", EXTRA: "warning"})
    assert main(["check"]) == 1
    assert "1 more finding ignored by the configuration.\n" in capsys.readouterr().out


def test_a_kind_that_is_left_out_breaks_its_promise_all_the_same(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["check", "--select", "CONTRACT-001/enum"]) == 0
    out = capsys.readouterr().out
    assert "operations        1         0         1        0             0\n" in out
    assert "No other violation in 1 file; 0 of 1 operation verified." in out


def test_a_severity_of_a_kind_counts_before_that_of_its_rule(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "contract-scan.toml").write_text(
        f'[severities]\nCONTRACT-001 = "note"\n"{TYPE}" = "warning"\n'
    )
    kinds = {TYPE: "warning", NULLABLE: "note", EXTRA: "note"}
    assert found(capsys) == (0, kinds)


def test_warnings_are_counted_as_problems_and_said(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["check", "-q", "--select", EXTRA, "--max-warnings=0"]) == 1
    assert capsys.readouterr().err == (
        "contract-scan: 1 problem is a warning; `max-warnings` allows 0\n"
    )


def test_only_kinds_that_may_be_mended_are(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    unsafe = ["check", "--diff", "--unsafe-fixes"]
    assert main([*unsafe, "--fixable", TYPE]) == 1
    mended = capsys.readouterr().out
    assert "+    id: str\n" in mended
    assert "-    shop: str\n" not in mended
    assert main([*unsafe, "--unfixable", f"{TYPE},{NULLABLE},{EXTRA}"]) == 0
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize("option", ["--select", "--extend-select", "--ignore", "--fixable"])
def test_an_unknown_kind_is_one_line_with_a_suggestion(
    project: Path, capsys: pytest.CaptureFixture[str], option: str
) -> None:
    assert main(["check", option, "CONTRACT-001/nulable"]) == 2
    assert capsys.readouterr() == (
        "",
        "contract-scan: unknown kind `nulable` of CONTRACT-001;"
        " did you mean `CONTRACT-001/nullable`?\n",
    )
