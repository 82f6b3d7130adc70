"""`contract-scan config`: every key explained."""

from __future__ import annotations

import json

import pytest

from contract_scan.cli.main import main
from contract_scan.config.keys import every_key
from contract_scan.config.schema import config_schema


def test_all_keys_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["config"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == [key.name for key in every_key()]
    assert lines[8] == (
        "fail-on                  The mildest severity that makes the exit status 1; `never`: none"
        " does."
    )


def test_a_key_is_explained(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["config", "fail-on"]) == 0
    assert capsys.readouterr().out == (
        "fail-on\n"
        "\n"
        "The mildest severity that makes the exit status 1; `never`: none does.\n"
        "\n"
        'Type: "error", "warning", "note" or "never"\n'
        'Default: "error"\n'
        "Environment: CONTRACT_SCAN_FAIL_ON\n"
        "Option: --fail-on\n"
        "\n"
        "Example:\n"
        "\n"
        'fail-on = "warning"\n'
    )


@pytest.mark.parametrize("key", [key.name for key in every_key()])
def test_every_key_has_a_page(key: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["config", key]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == key
    assert len(lines[lines.index("Example:") + 2 :]) > 0


def test_an_unknown_key(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["config", "service.name"]) == 2
    assert capsys.readouterr() == (
        "",
        "contract-scan: unknown key `service.name`; did you mean `services.name`?\n",
    )


def test_the_schema_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["config", "--schema"]) == 0
    assert json.loads(capsys.readouterr().out) == config_schema()
