"""The command as it is started from a shell."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from contract_scan import __version__
from contract_scan.cli.main import main
from contract_scan.cli.rule import NAMES
from contract_scan.scanners.kinds.page import page_of
from contract_scan.scanners.rules import RULES

COMMAND = [sys.executable, "-m", "contract_scan"]
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}


def run(*arguments: str, cwd: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*COMMAND, *arguments],
        cwd=cwd,
        env={**ENVIRONMENT, **environment},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )


@pytest.mark.parametrize("option", ["--version", "-V"])
def test_version(option: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([option]) == 0
    assert capsys.readouterr() == (f"contract-scan {__version__}\n", "")


@pytest.mark.parametrize("option", ["--help", "-h"])
def test_help_lists_the_verbs(option: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([option]) == 0
    lines = capsys.readouterr().out.splitlines()
    listed = lines[lines.index("Verbs:") + 1 :]
    assert [line.split()[0] for line in listed[:3]] == ["check", "extract", "rule"]


@pytest.mark.parametrize("verb", ["check", "extract", "rule"])
def test_every_verb_has_help(verb: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([verb, "--help"]) == 0
    assert capsys.readouterr().out.startswith(f"Usage: contract-scan {verb} ")


def test_every_option_of_a_check_stands_below_a_heading(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "--help"]) == 0
    lines = capsys.readouterr().out.splitlines()
    headings = [line for line in lines if line.endswith(":") and not line.startswith(" ")]
    assert headings == [
        *("Files:", "Rules:", "Fixes:", "Output:", "Exit status:", "Settings:", "Run:")
    ]


def test_what_was_made_is_not_looked_through_for_garbage_as_python_ends() -> None:
    last = "atexit.register(lambda: print(gc.get_freeze_count() > 0))"
    code = f"import atexit, gc; {last}; from contract_scan.cli.main import main; main(['rule'])"
    done = subprocess.run(
        [sys.executable, "-c", code], env=ENVIRONMENT, capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines()[-1] == "True"


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (
            ["chekc"],
            "`chekc` is neither a verb nor a path; did you mean `check`?"
            " (see `contract-scan --help`)",
        ),
        (["nowhere"], "nowhere: no such file or folder"),
        (["check", "nowhere"], "nowhere: no such file or folder"),
        (
            ["--fail-on", "x", "."],
            "Invalid value for '--fail-on': 'x' is not one of 'error', 'warning', 'note', 'never'"
            " (see `contract-scan check --help`)",
        ),
        (["--output-format", "jsn"], "unknown output format `jsn`; did you mean `json`?"),
        (["check", "--config", "no.toml"], "no.toml: cannot be read: No such file or directory"),
        (["check", "--contract", "no.yaml", "."], "no.yaml: no such contract"),
        (
            ["check", "--select", "CONTRACT-0001", "."],
            "unknown rule `CONTRACT-0001`; did you mean `CONTRACT-001`?",
        ),
        (
            ["check", "--config", "x.toml", "--isolated", "."],
            "--config and --isolated exclude each other",
        ),
        (["rule", "003"], "unknown rule `003`; did you mean `CONTRACT-003`?"),
        (
            ["rule", "CONTRACT-9"],
            "unknown rule `CONTRACT-9`; known are CONTRACT-000, CONTRACT-001, CONTRACT-002,"
            " CONTRACT-003, CONTRACT-004",
        ),
        (
            ["rule", "CONTRACT-001/nulable"],
            "unknown kind `nulable` of CONTRACT-001; did you mean `CONTRACT-001/nullable`?",
        ),
        (["rule", "nullable"], "unknown rule `nullable`; did you mean `CONTRACT-001/nullable`?"),
        (
            ["check", "--select", "CONTRACT-002/missing"],
            "unknown kind `missing` of CONTRACT-002; did you mean `CONTRACT-002/missing-endpoint`?",
        ),
        (["rule", "CONTRACT-01"], "unknown rule `CONTRACT-01`; did you mean `CONTRACT-001`?"),
        (["extract", "nowhere"], "nowhere: no such file or folder"),
    ],
)
def test_a_mistake_is_one_line_and_status_2(
    arguments: list[str],
    complaint: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(arguments) == 2
    assert capsys.readouterr() == ("", f"contract-scan: {complaint}\n")


def test_a_mistake_in_the_configuration_names_file_and_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "contract-scan.toml").write_text("\nselect = ['CONTRACT-001', 'CONTRACT-0002']\n")
    monkeypatch.chdir(tmp_path)
    assert main(["."]) == 2
    assert capsys.readouterr().err == (
        "contract-scan: contract-scan.toml:2: `select`: unknown rule `CONTRACT-0002`;"
        " did you mean `CONTRACT-002`?\n"
    )
    assert main(["--select", "CONTRACT-0002"]) == 2
    assert capsys.readouterr().err.startswith("contract-scan: unknown rule `CONTRACT-0002`")


def test_every_long_option_can_be_set_in_the_environment(tmp_path: Path) -> None:
    done = run(".", cwd=tmp_path, CONTRACT_SCAN_OUTPUT_FORMAT="jsn")
    assert (done.returncode, done.stderr) == (
        2,
        "contract-scan: unknown output format `jsn`; did you mean `json`?\n",
    )


def test_a_mistake_in_the_environment_names_the_variable(tmp_path: Path) -> None:
    done = run(".", cwd=tmp_path, CONTRACT_SCAN_COLOR="alwys")
    assert (done.returncode, done.stderr) == (
        2,
        "contract-scan: Invalid value for '--color': 'alwys' is not one of 'auto', 'always',"
        " 'never' (in the variable CONTRACT_SCAN_COLOR); did you mean 'always'?"
        " (see `contract-scan check --help`)\n",
    )


def test_foreign_text_in_an_error_is_escaped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["check", "\x1b[31mred"]) == 2
    assert capsys.readouterr().err == ("contract-scan: \\x1b[31mred: no such file or folder\n")


@pytest.mark.parametrize("rule", [rule.id for rule in RULES])
def test_rule_prints_its_page(rule: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rule", rule.lower()]) == 0
    page = next(each.documentation for each in RULES if each.id == rule)
    assert capsys.readouterr().out == page


def test_rule_without_an_id_lists_the_rules(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rule"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line for line in lines if not line.startswith(" ")] == [
        f"{rule.id}  {rule.summary}" for rule in RULES
    ]
    assert [line.split()[0] for line in lines] == [
        name for rule in RULES for name in NAMES if name.startswith(rule.id)
    ]
    assert (
        "  CONTRACT-001/nullable               null on one side only, in requests and responses"
        in lines
    )


def test_a_kind_has_a_page_of_its_own(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rule", "contract-001/Nullable"]) == 0
    assert capsys.readouterr().out == page_of("CONTRACT-001/nullable")


def test_a_page_can_be_rendered_for_a_terminal(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "72")
    assert main(["rule", "CONTRACT-001/nullable", "--color", "always"]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith("\x1b[1;34mCONTRACT-001/nullable: ")
    plain = re.sub(r"\x1b\[[0-9;]*m", "", shown)
    assert "`" not in plain and "](" not in plain
    code = [line for line in plain.splitlines() if line.startswith("    ")]
    prose = [line for line in plain.splitlines() if line not in code]
    assert code and max(map(len, prose)) <= 72


def test_a_reader_that_goes_away_is_no_error(tmp_path: Path) -> None:
    with subprocess.Popen(
        [*COMMAND, "rule", "CONTRACT-001"],
        cwd=tmp_path,
        env=ENVIRONMENT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        process.stdout.close()
        assert process.stderr is not None
        said = process.stderr.read()
        process.wait(timeout=300)
    assert (process.returncode, said) == (141, b"")


@pytest.mark.parametrize("words", [["--version"], ["--help"], ["rule", "CONTRACT-001"]])
def test_a_full_disk_is_one_line(words: list[str], tmp_path: Path) -> None:
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [*COMMAND, *words],
            cwd=tmp_path,
            env=ENVIRONMENT,
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
            timeout=300,
        )
    assert (done.returncode, done.stderr) == (
        2,
        "contract-scan: the output cannot be written: No space left on device\n",
    )


@pytest.mark.parametrize("redirection", [">&-", "2>&-", ">&- 2>&- <&-"])
def test_closed_streams_do_not_matter(redirection: str, tmp_path: Path) -> None:
    command = f'"{sys.executable}" -m contract_scan rule CONTRACT-001 {redirection}'
    done = subprocess.run(
        command,
        shell=True,
        cwd=tmp_path,
        env=ENVIRONMENT,
        check=False,
        timeout=300,
        capture_output=True,
    )
    assert (done.returncode, done.stderr) == (0, b"")


def open_for_the_reader(pipe: Path, process: subprocess.Popen[bytes]) -> int:
    """Open a pipe for writing as soon as the process reads it, so that it waits for more."""
    while process.poll() is None:
        try:
            return os.open(pipe, os.O_WRONLY | os.O_NONBLOCK)
        except OSError:
            time.sleep(0.01)
    raise AssertionError("the command ended before it read the pipe")


def test_an_interrupt_ends_quietly_with_130(tmp_path: Path) -> None:
    endless = tmp_path / "endless.toml"
    os.mkfifo(endless)
    with subprocess.Popen(
        [*COMMAND, "check", "--config", str(endless), "."],
        cwd=tmp_path,
        env=ENVIRONMENT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        writer = open_for_the_reader(endless, process)
        process.send_signal(signal.SIGINT)
        stdout, stderr = process.communicate(timeout=300)
        os.close(writer)
    assert (process.returncode, stdout, stderr) == (130, b"", b"")


def test_an_internal_error_is_one_line_unless_more_is_asked_for(tmp_path: Path) -> None:
    """A folder that vanishes under the command stands for what nobody thought of."""
    script = (
        "import os, sys; from contract_scan.cli.main import main; os.rmdir(os.getcwd());"
        " sys.exit(main(['check']))"
    )
    for number, (value, traceback) in enumerate((("", False), ("1", True))):
        folder = tmp_path / str(number)
        folder.mkdir()
        done = subprocess.run(
            [sys.executable, "-c", script],
            cwd=folder,
            env={**ENVIRONMENT, "CONTRACT_SCAN_TRACEBACK": value},
            capture_output=True,
            text=True,
            check=False,
            timeout=300,
        )
        assert done.returncode == 2
        assert done.stderr.splitlines()[-1].startswith(
            "contract-scan: internal error: FileNotFoundError"
        )
        assert ("Traceback" in done.stderr) is traceback


@pytest.mark.parametrize(
    ("word", "meant"),
    [("scan", "check"), ("lint", "check"), ("rules", "rule"), ("lsp", "server"), ("chek", "check")],
)
def test_other_words_for_a_verb_are_answered_with_the_verb(
    word: str,
    meant: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main([word]) == 2
    said = f"contract-scan: `{word}` is neither a verb nor a path; did you mean `{meant}`?"
    assert capsys.readouterr().err.startswith(said)


def test_a_verb_of_several_commands_lists_them(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["baseline"]) == 2
    error = capsys.readouterr().err
    assert error.startswith("Usage: contract-scan baseline [OPTIONS] COMMAND")
    assert "\n  prune   Drop what is not found any more, and add nothing.\n" in error


def test_who_asks_to_explain_a_rule_is_led_to_its_page(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "contract-001/type"]) == 2
    assert capsys.readouterr().err == (
        "contract-scan: `contract-001/type` is a rule, not something found; "
        "`contract-scan rule contract-001/type` explains it\n"
    )
