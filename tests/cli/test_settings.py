"""File, environment, `--config` and flags: which of them wins, and what is said of each."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from contract_scan.cli.main import main
from tests.cli.test_check import UNDOCUMENTED, checked, write_project


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return write_project(tmp_path, UNDOCUMENTED)


def shown(capsys: pytest.CaptureFixture[str], *arguments: str) -> list[str]:
    assert main(["check", "--show-settings", *arguments]) == 0
    return capsys.readouterr().out.splitlines()


def remark(lines: list[str], start: str) -> str:
    (line,) = [line for line in lines if line.startswith(start)]
    return " ".join(line.split())


@pytest.mark.parametrize(
    ("key", "file", "variable", "text", "inline", "flags", "flag"),
    [
        ("exclude", '["a"]', "EXCLUDE", "b c", '["d"]', ["--exclude", "e"], '["e"]'),
        ("select", '["ALL"]', "SELECT", "CONTRACT", "[]", ["--select", "ALL"], '["ALL"]'),
        ("ignore", "[]", "IGNORE", "CONTRACT-001", "[]", ["--ignore", "ALL"], '["ALL"]'),
        ("fail-on", '"note"', "FAIL_ON", "error", '"warning"', ["--fail-on", "note"], '"note"'),
        (
            "output-format",
            '["json"]',
            "OUTPUT_FORMAT",
            "full sarif=x",
            '["html"]',
            ["--output-format", "concise"],
            '["concise"]',
        ),
        ("baseline", '"a.json"', "BASELINE", "b.json", '"c"', ["--baseline", "d"], '"d"'),
        ("jobs", "1", "JOBS", "2", "3", ["--jobs", "4"], "4"),
    ],
)
def test_flags_win_over_settings_over_the_environment_over_the_file(
    project: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    key: str,
    file: str,
    variable: str,
    text: str,
    inline: str,
    flags: list[str],
    flag: str,
) -> None:
    assert remark(shown(capsys), f"{key} =" if key in DEFAULTS else f"# {key} ").endswith(
        DEFAULTS.get(key, "is not set")
    )
    (project / "contract-scan.toml").write_text(f"\n{key} = {file}\n")
    assert remark(shown(capsys), f"{key} =") == f"{key} = {file} # contract-scan.toml:2"
    monkeypatch.setenv(f"CONTRACT_SCAN_{variable}", text)
    assert remark(shown(capsys), f"{key} =").endswith(f" # CONTRACT_SCAN_{variable}")
    setting = ["--config", f"{key} = {inline}"]
    assert remark(shown(capsys, *setting), f"{key} =") == f"{key} = {inline} # --config"
    assert remark(shown(capsys, *setting, *flags), f"{key} =") == f"{key} = {flag} # --{key}"


DEFAULTS = {
    "exclude": "# default",
    "select": "# default",
    "ignore": "# default",
    "fail-on": "# default",
    "output-format": "# default",
}


def test_everything_else_can_be_set_in_the_environment_as_toml(
    project: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    variables = {
        "SEVERITIES": "{ CONTRACT-002 = 'error' }",
        "PER_FILE_IGNORES": "{ 'x/**' = ['ALL'] }",
        "LIMITS": "{ source-bytes = 5000 }",
        "REQUIRED_MODELS": "Order, Customer",
        "SERVICES": "[{ name = 'orders', contracts = ['openapi.json'] }]",
        "EXCEPTIONS": "[{ rules = ['ALL'], path = 'y', reason = 'r', owner = 'o' }]",
        "CONTRACT_ENGINE": "{ enabled = true }",
        "EXTEND_EXCLUDE": "sandbox/",
        "EXTEND_SELECT": "CONTRACT-004",
    }
    for name, value in variables.items():
        monkeypatch.setenv(f"CONTRACT_SCAN_{name}", value)
    lines = shown(capsys)
    assert tomllib.loads("\n".join(lines)) == {
        "contracts": [],
        "exclude": [],
        "extend-exclude": ["sandbox/"],
        "select": [],
        "extend-select": ["CONTRACT-004"],
        "ignore": [],
        "fixable": [],
        "unfixable": [],
        "fail-on": "error",
        "min-verified": 0,
        "min-confidence": "guessed",
        "min-severity": "note",
        "memory-limit": 4096,
        "required-models": ["Order", "Customer"],
        "output-format": [],
        "per-file-ignores": {"x/**": ["ALL"]},
        "severities": {"CONTRACT-002": "error"},
        "services": [{"name": "orders", "contracts": ["openapi.json"]}],
        "exceptions": [{"rules": ["ALL"], "path": "y", "reason": "r", "owner": "o"}],
        "limits": {
            "source-bytes": 5000,
            "contract-bytes": 20_000_000,
            "contract-values": 1_000_000,
            "contract-files": 2_000,
        },
        "contract-engine": {"enabled": True},
    }
    assert checked(capsys)[0] == 1


def test_tables_are_joined_and_extending_lists_add_up(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "contract-scan.toml").write_text(
        "extend-exclude = ['a']\n[severities]\nCONTRACT-001 = 'note'\nCONTRACT-002 = 'note'\n"
    )
    more = ["--extend-exclude", "b", "--config", "severities.CONTRACT-002 = 'off'"]
    lines = shown(capsys, *more)
    assert remark(lines, "extend-exclude") == (
        'extend-exclude = ["a", "b"] # contract-scan.toml:1, --extend-exclude'
    )
    assert remark(lines, "CONTRACT-001") == 'CONTRACT-001 = "note" # contract-scan.toml:3'
    assert remark(lines, "CONTRACT-002") == 'CONTRACT-002 = "off" # --config'


def test_all_that_is_in_force(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "contract-scan.toml").write_text(
        'fail-on = "warning"\n\n[[services]]\nname = "orders"\ncontracts = ["openapi.json"]\n'
    )
    assert main(["check", "--show-settings", "src", "--contract", "openapi.json", "-j", "2"]) == 0
    assert capsys.readouterr() == (
        "# Folder: src\n"
        "# Configuration: contract-scan.toml\n"
        "\n"
        'contracts = ["openapi.json"]              # --contract\n'
        "exclude = []                              # default\n"
        "extend-exclude = []                       # default\n"
        "select = []                               # default\n"
        "extend-select = []                        # default\n"
        "ignore = []                               # default\n"
        "fixable = []                              # default\n"
        "unfixable = []                            # default\n"
        'fail-on = "warning"                       # contract-scan.toml:1\n'
        "# max-warnings is not set\n"
        "min-verified = 0                          # default\n"
        'min-confidence = "guessed"                # default\n'
        'min-severity = "note"                     # default\n'
        "required-models = []                      # default\n"
        "output-format = []                        # default\n"
        "# baseline is not set\n"
        "jobs = 2                                  # --jobs\n"
        "memory-limit = 4096                       # default\n"
        "\n"
        "[[services]]                              # contract-scan.toml:3\n"
        'name = "orders"\n'
        'contracts = ["openapi.json"]\n'
        "\n"
        "[limits]\n"
        "source-bytes = 1000000                    # default\n"
        "contract-bytes = 20000000                 # default\n"
        "contract-values = 1000000                 # default\n"
        "contract-files = 2000                     # default\n"
        "\n"
        "[contract-engine]\n"
        "enabled = false                           # default\n",
        "",
    )


def test_extend_select_adds_to_select_and_ignore_takes_away(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def rules(*arguments: str) -> set[str]:
        return {each["rule"] for each in checked(capsys, *arguments)[1]["findings"]}

    assert rules("--select", "CONTRACT-001") == set()
    assert rules("--select", "CONTRACT-001", "--extend-select", "CONTRACT-002") == {"CONTRACT-002"}
    both = ["--select", "CONTRACT-001", "--extend-select", "CONTRACT-002"]
    assert rules(*both, "--ignore", "CONTRACT-002") == set()


def test_outputs_of_the_configuration_are_written(
    project: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (project / "contract-scan.toml").write_text('output-format = ["concise", "json=scan.json"]\n')
    monkeypatch.chdir(project / "src")
    assert main(["check", "..", "--no-cache"]) == 0
    assert capsys.readouterr().out.startswith(str(project / "src/app.py:17:"))
    assert (project / "scan.json").is_file()


def test_a_baseline_of_the_configuration_counts(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "contract-scan.toml").write_text('baseline = "old.json"\n')
    assert main(["check", "--no-cache"]) == 2
    assert capsys.readouterr().err == (
        "contract-scan: old.json: there is no such baseline; make it with"
        " `contract-scan baseline create`\n"
    )
    assert main(["baseline", "create", "--no-cache"]) == 0
    assert capsys.readouterr().out.startswith("old.json: 1 entry (1 added, 0 dropped)\n")
    assert checked(capsys)[1]["summary"]["known"] == 1
    assert checked(capsys, "--config", 'baseline = ""')[1]["summary"]["known"] == 0
    assert checked(capsys, "--no-baseline")[1]["summary"]["known"] == 0


@pytest.mark.parametrize(
    ("arguments", "variables", "complaint"),
    [
        (["--config", "jobs = 0"], {}, "--config: `jobs` must be at least 1"),
        (
            ["--config", "selct = ['ALL']"],
            {},
            "--config: unknown key `selct`; did you mean `select`?",
        ),
        (["--config", "jobs ="], {}, "--config: `jobs =` is not valid TOML: Invalid value"),
        (
            ["--config", "a.toml", "--config", "b.toml"],
            {},
            "b.toml: --config names two files; one configuration counts",
        ),
        (["--config", "a.toml"], {}, "a.toml: cannot be read: No such file or directory"),
        (
            ["--config", "severities = {CONTRACT-009 = 'off'}"],
            {},
            "--config: `severities`: unknown rule `CONTRACT-009`; known are CONTRACT-000,"
            " CONTRACT-001, CONTRACT-002, CONTRACT-003, CONTRACT-004",
        ),
        (
            [],
            {"LIMITS": "{ source-byts = 1 }"},
            "CONTRACT_SCAN_LIMITS: unknown key `limits.source-byts`; did you mean `source-bytes`?",
        ),
        (
            [],
            {"LIMITS": "x"},
            "CONTRACT_SCAN_LIMITS: `limits = x` is not valid TOML: Invalid value",
        ),
        (
            [],
            {"LIMITS": "{}\njobs = 3"},
            "CONTRACT_SCAN_LIMITS: holds more than the value of `limits`",
        ),
        (
            [],
            {"SELECT": "CONTRACT-01"},
            "CONTRACT_SCAN_SELECT: unknown rule `CONTRACT-01`; did you mean `CONTRACT-001`?",
        ),
        (
            [],
            {"EXCEPTIONS": "[{ rules = ['ALL'], reason = 'r', owner = 'o' }]"},
            "CONTRACT_SCAN_EXCEPTIONS: `exceptions[0]` needs one of path, operation, channel,"
            " model, field; `ignore` turns rules off",
        ),
        (
            [],
            {"FAIL_ON": "warn"},
            "Invalid value for '--fail-on': 'warn' is not one of 'error', 'warning', 'note',"
            " 'never' (in the variable CONTRACT_SCAN_FAIL_ON); did you mean 'warning'?"
            " (see `contract-scan check --help`)",
        ),
        (["--select", ""], {}, "--select: names no rule; leave the option out, or say ALL"),
        (
            ["--baseline", "known.json", "--no-baseline"],
            {},
            "--baseline and --no-baseline exclude each other",
        ),
    ],
)
def test_a_mistake_outside_a_file_names_where_it_is(
    project: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    arguments: list[str],
    variables: dict[str, str],
    complaint: str,
) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(f"CONTRACT_SCAN_{name}", value)
    assert main(["check", "--no-cache", *arguments]) == 2
    assert capsys.readouterr() == ("", f"contract-scan: {complaint}\n")


def test_isolated_reads_no_file_and_takes_settings(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "contract-scan.toml").write_text("fail-on = 'warning'\n")
    assert checked(capsys)[0] == 1
    assert checked(capsys, "--isolated")[0] == 0
    assert checked(capsys, "--isolated", "--config", "fail-on = 'warning'")[0] == 1
