"""`contract-scan completions`: what shells offer, asked as shells ask."""

from __future__ import annotations

import os
import pty
import re
import select
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from contract_scan.cli.main import main
from tests.forked import forked_python

ROOT = Path(__file__).parents[2]


def installed(folder: Path) -> dict[str, str]:
    """An environment in which `contract-scan` is a command."""
    command = folder / "bin" / "contract-scan"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec "{forked_python()}" -m contract_scan "$@"\n')
    command.chmod(0o755)
    path = f"{command.parent}{os.pathsep}{os.environ['PATH']}"
    return {**os.environ, "PATH": path, "PYTHONPATH": str(ROOT)}


def offered(capsys: pytest.CaptureFixture[str], line: str) -> list[str]:
    """The words that bash is told for a line whose last word is being typed."""
    words = line.split(" ")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("COMP_WORDS", " ".join(["contract-scan", *words]))
        patch.setenv("COMP_CWORD", str(len(words)))
        patch.setenv("_CONTRACT_SCAN_COMPLETE", "bash_complete")
        assert main([]) == 0
    return capsys.readouterr().out.split()


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("bas", ["plain,baseline"]),
        ("src/ap", ["file,src/ap"]),
        ("--out", ["plain,--output-format", "plain,--output-file"]),
        ("src/ --fail-o", ["plain,--fail-on"]),
        ("check --fail-on ", ["plain,error", "plain,warning", "plain,note", "plain,never"]),
        ("check --output-format sa", ["plain,sarif"]),
        ("check --output-format = js", ["plain,json", "plain,json-lines"]),
        ("check --fail-on =", ["plain,error", "plain,warning", "plain,note", "plain,never"]),
        ("check --color = never --fail-o", ["plain,--fail-on"]),
        ("check --contract ope", ["file,ope"]),
        ("check --select CONTRACT-001,CONTRACT-004", ["plain,CONTRACT-001,CONTRACT-004"]),
        ("rule CONTRACT-002", ["plain,CONTRACT-002"]),
        (
            "check --ignore CONTRACT-001/n",
            ["plain,CONTRACT-001/name-case", "plain,CONTRACT-001/nullable"],
        ),
        ("baseline p", ["plain,prune"]),
        ("completions ", ["plain,bash", "plain,zsh", "plain,fish"]),
        ("nothing --such-thing ", ["file,"]),
    ],
)
def test_what_is_offered(capsys: pytest.CaptureFixture[str], line: str, words: list[str]) -> None:
    assert offered(capsys, line) == words


def test_every_verb_is_offered_at_the_start(capsys: pytest.CaptureFixture[str]) -> None:
    from contract_scan.cli.verbs import VERBS

    assert offered(capsys, "") == [f"plain,{verb}" for verb in VERBS]


def test_a_real_bash_completes(tmp_path: Path) -> None:
    with typing(tmp_path, "bash", "--norc", "--noprofile", "-i") as shell:
        shell.types('eval "$(contract-scan completions bash)"\n')
        assert shell.completes("check --fail-on w") == "check --fail-on warning"
        assert shell.completes("bas") == "baseline"
        assert shell.completes("check --output-format=js") == "check --output-format=json"
        assert shell.completes("check --output-format sarif=o") == (
            "check --output-format sarif=out.sarif"
        )


@pytest.mark.skipif(shutil.which("fish") is None, reason="fish is not installed")
def test_a_real_fish_completes(tmp_path: Path) -> None:
    asked = (
        "contract-scan completions fish | source\n"
        'complete --do-complete "contract-scan check --fail-on w"\n'
        'complete --do-complete "contract-scan check --fail-on=w"\n'
        'complete --do-complete "contract-scan base"\n'
    )
    done = subprocess.run(
        ["fish", "--no-config", "--command", asked],
        env={**installed(tmp_path), "HOME": str(tmp_path)},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
        timeout=300,
    )
    assert done.stderr == ""
    assert done.stdout.splitlines()[:2] == ["warning", "--fail-on=warning"]
    assert done.stdout.splitlines()[2].startswith("baseline\t")


@pytest.mark.skipif(shutil.which("zsh") is None, reason="zsh is not installed")
@pytest.mark.parametrize("loaded", ["from a folder", "as a script"])
def test_a_real_zsh_completes(tmp_path: Path, loaded: str) -> None:
    """Not only the first time: what zsh loads from a folder is the function from then on."""
    folder = tmp_path / "functions"
    folder.mkdir()
    write = f"contract-scan completions zsh > {folder}/_contract-scan\n"
    if loaded == "as a script":
        start = f"autoload -Uz compinit; compinit -u -d dump; source {folder}/_contract-scan\n"
    else:
        start = f"fpath=({folder} $fpath); autoload -Uz compinit; compinit -u -d dump\n"
    with typing(tmp_path, "zsh", "-f", "-i") as shell:
        shell.types(f"{write}{start}bindkey -e\n")
        assert shell.completes("check --fail-on w") == "check --fail-on warning"
        assert shell.completes("check --color al") == "check --color always"
        assert shell.completes("check --output-format=js") == "check --output-format=json"
        assert shell.completes("check --output-format sarif=o") == (
            "check --output-format sarif=out.sarif"
        )


class Typing:
    """Somebody at a shell."""

    def __init__(self, terminal: int) -> None:
        self._terminal = terminal

    def types(self, text: str) -> None:
        os.write(self._terminal, text.encode())

    def completes(self, words: str) -> str:
        """The words of a command after the tabulator: `echo` is put in front of it then."""
        self.types(f"contract-scan {words}\t\x01echo done: \x05\n")
        shown = printed(self._terminal)
        return re.findall(r"(?m)^done: contract-scan ([^\r\n]*)", shown)[-1].rstrip()


@contextmanager
def typing(folder: Path, *command: str) -> Iterator[Typing]:
    """A shell in a folder with one file in it."""
    (folder / "out.sarif").write_text("{}")
    leader, follower = pty.openpty()
    environment = {**installed(folder), "HOME": str(folder), "TERM": "dumb", "PS1": ""}
    shell = subprocess.Popen(
        command,
        env=environment,
        cwd=folder,
        stdin=follower,
        stdout=follower,
        stderr=follower,
        start_new_session=True,
    )
    os.close(follower)
    try:
        yield Typing(leader)
    finally:
        shell.kill()
        shell.wait()
        os.close(leader)


def printed(terminal: int) -> str:
    """What a terminal shows, up to the first line that begins with `done:`; at most a minute."""
    said = b""
    while select.select([terminal], [], [], 60)[0]:
        said += os.read(terminal, 4096)
        if re.search(rb"(?m)^done: [^\r\n]*\r?\n", said):
            break
    return said.decode(errors="replace")


@pytest.mark.parametrize(
    ("shell", "first"),
    [
        ("zsh", "#compdef contract-scan"),
        ("fish", "function _contract_scan_completion;"),
    ],
)
def test_the_scripts_of_other_shells(
    capsys: pytest.CaptureFixture[str], shell: str, first: str
) -> None:
    assert main(["completions", shell]) == 0
    script = capsys.readouterr().out
    assert script.strip().splitlines()[0] == first
    assert f"_CONTRACT_SCAN_COMPLETE={shell}_complete" in script


def test_zsh_and_fish_are_told_what_verbs_do(capsys: pytest.CaptureFixture[str]) -> None:
    answers = {}
    for shell, words in (("zsh", "contract-scan cle"), ("fish", "contract-scan cle")):
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("_CONTRACT_SCAN_COMPLETE", f"{shell}_complete")
            patch.setenv("COMP_WORDS", words)
            patch.setenv("COMP_CWORD", "1" if shell == "zsh" else "cle")
            assert main([]) == 0
        answers[shell] = capsys.readouterr().out
    assert answers == {
        "zsh": "plain\nclean\nRemove the cache.\n",
        "fish": "plain,clean\tRemove the cache.\n",
    }


def test_an_unknown_shell(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["completions", "fsh"]) == 2
    assert capsys.readouterr() == (
        "",
        "contract-scan: Invalid value for '[bash|zsh|fish]': 'fsh' is not one of 'bash', 'zsh',"
        " 'fish'; did you mean 'fish'? (see `contract-scan completions --help`)\n",
    )


def test_a_shell_that_asks_nonsense_is_told_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    for instruction in ("csh_complete", "bash_source", "bash", ""):
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("_CONTRACT_SCAN_COMPLETE", instruction)
            assert main([]) == 2
        assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        (["--fail-on", "eror"], "; did you mean 'error'? (see "),
        (["--color", "alwys"], "; did you mean 'always'? (see "),
        (["--fail-on", "catastrophe"], "is not one of 'error', 'warning', 'note', 'never' (see "),
        (["--alow-empty"], "Did you mean '--allow-empty'? (see "),
    ],
)
def test_mistyped_options_and_values(
    capsys: pytest.CaptureFixture[str], words: list[str], hint: str
) -> None:
    assert main(words) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert hint in err
    assert err.count("\n") == 1


def test_without_a_shell_the_shells_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["completions"]) == 2
    said = "contract-scan: name a shell: bash, zsh, fish (`contract-scan completions bash`)\n"
    assert capsys.readouterr() == ("", said)
