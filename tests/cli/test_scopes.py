"""`contract-scan scopes`, by the example of its page."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from contract_scan.cli.main import main

PAGE = Path(__file__).parents[2] / "docs" / "scope-contracts.md"


def blocks(language: str) -> list[str]:
    text = PAGE.read_text(encoding="utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```", text, flags=re.DOTALL | re.MULTILINE)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    prepare, contract = blocks("yaml")
    (tmp_path / "prepare.yaml").write_text(prepare)
    (tmp_path / "contract.yaml").write_text(contract)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_example_of_the_page_is_divided_as_it_shows(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    summary, contracts, *_ = blocks("text")
    assert main(["scopes", "generate", "prepare.yaml", "--yes"]) == 0
    assert capsys.readouterr() == (contracts, summary)


def test_boundaries_that_nobody_can_confirm_are_not_taken(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["scopes", "generate", "prepare.yaml", "--output-file", "out.md"]) == 2
    assert capsys.readouterr().err.splitlines()[-1] == (
        "contract-scan: the boundaries must be confirmed; say --yes where nobody can be asked"
    )
    assert not (folder / "out.md").exists()


def test_either_form_is_shown_in_either(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["scopes", "show", "contract.yaml", "--output-file", "contract.md"]) == 0
    assert main(["scopes", "show", "contract.md", "--format", "yaml"]) == 0
    again = capsys.readouterr().out
    (folder / "again.yaml").write_text(again)
    assert main(["scopes", "show", "again.yaml"]) == 0
    assert capsys.readouterr().out == (folder / "contract.md").read_text()


@pytest.mark.parametrize(
    ("name", "raw", "message"),
    [
        ("none.md", None, "none.md: cannot be read: No such file or directory"),
        ("empty.md", b"", "empty.md: holds no scope contract (`Scope Contract: NAME`)"),
        ("latin.md", b"\xe9", "latin.md: is not UTF-8; save it as UTF-8"),
        (
            "two.md",
            b"Scope Contract: A\nscope_id: a\nScope Contract: B\nscope_id: a\n",
            "two.md:3: the scope_id `a` is taken by the scope in line 1; choose another",
        ),
    ],
)
def test_a_file_that_cannot_be_used_is_one_line(
    name: str,
    raw: bytes | None,
    message: str,
    folder: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    if raw is not None:
        (folder / name).write_bytes(raw)
    assert main(["scopes", "show", name]) == 2
    assert capsys.readouterr() == ("", f"contract-scan: {message}\n")


def test_foreign_text_moves_no_terminal(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "a.yaml").write_text('name: "\\e[2J"\nidentity: {scope_id: a}\n')
    assert main(["scopes", "show", "a.yaml"]) == 0
    assert capsys.readouterr().out.startswith("Scope Contract: \\x1b[2J\n")


def test_the_handoff_of_the_page_is_read() -> None:
    from contract_scan.scopes.handoff import read_handoff

    text = blocks("text")[2]
    assert [one.delivered for one in read_handoff(text).fulfillment.outcomes] == [True, False]


BACKEND = """\
from fastapi import FastAPI
from pydantic import BaseModel

app = FastAPI()


class Refund(BaseModel):
    id: str


@app.post("/orders/{order}/refunds")
def refund(order: str) -> Refund:
    return Refund(id=order)
"""


def git(folder: Path, *words: str) -> None:
    identity = ("-c", "user.name=a", "-c", "user.email=a@example.com")
    subprocess.run(["git", *identity, *words], cwd=folder, check=True, capture_output=True)


@pytest.fixture
def working_tree(folder: Path) -> Path:
    """A repository in which the backend of the page's example begins."""
    assert main(["scopes", "generate", "prepare.yaml", "--yes", "--output-file", "scopes.md"]) == 0
    (folder / "shared").mkdir()
    (folder / "shared" / "money.py").write_text("CENTS = 100\n")
    git(folder, "init", "-q", "-b", "main")
    git(folder, "add", ".")
    git(folder, "commit", "-q", "-m", "begin")
    return folder


def test_a_scope_that_keeps_its_contract(
    working_tree: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    refunds = working_tree / "services" / "refunds"
    (refunds / "tests").mkdir(parents=True)
    (refunds / "app.py").write_text(BACKEND)
    (refunds / "tests" / "test_app.py").write_text("def test_refund() -> None: ...\n")
    (working_tree / "shared" / "money.py").write_text("CENTS = 100  # in a euro\n")
    git(working_tree, "add", "services/refunds/app.py")
    git(working_tree, "commit", "-q", "-m", "refunds")
    capsys.readouterr()
    words = ["scopes", "check", "scopes.md", "--scope", "backend-api", "--since", "HEAD~1"]
    assert main(words) == 0
    assert capsys.readouterr().out == "backend-api: 0 breaches of its contract, 0 undetermined\n"


def test_a_scope_that_breaks_its_contract(
    working_tree: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (working_tree / "shared" / "money.py").write_text("CENTS = 1\n")
    (working_tree / "handoff.md").write_text(blocks("text")[2])
    capsys.readouterr()
    words = ["scopes", "check", "scopes.md", "--scope", "frontend-ui", "--since", "main"]
    assert main(words) == 1
    assert capsys.readouterr().out == blocks("text")[3]
    words = ["scopes", "check", "scopes.md", "--scope", "backend-api", "--since", "main"]
    assert main([*words, "--handoff", "handoff.md"]) == 1
    said = capsys.readouterr().out.splitlines()
    assert (
        "handoff.md:10: wrong-claim: services/refunds/app.py is said to be delivered, but no such "
        "file"
    ) in said
    assert (
        "handoff.md:11: wrong-claim: shared/money.py is said to be undelivered, but is there"
    ) in said


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--scope", "x", "--since", "main"], "scopes.md: has no scope 'x'; it has backend-api, "),
        (["--scope", "backend-api", "--since", "nowhere"], "--since: "),
    ],
)
def test_a_scope_that_cannot_be_checked(
    words: list[str], message: str, working_tree: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["scopes", "check", "scopes.md", *words]) == 2
    assert capsys.readouterr().err.splitlines()[-1].startswith(f"contract-scan: {message}")
