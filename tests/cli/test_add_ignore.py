"""`check --add-ignore` writes the comments that except what is found."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from contract_scan.cli.main import main
from contract_scan.fixes.ignores import add_ignores
from contract_scan.ir.origin import Origin, Span
from contract_scan.ir.violation import Finding
from contract_scan.scanners.kinds.programs import LANGUAGES, MARK, program_of
from tests.forked import forked_python

NAME = "CONTRACT-001/type"


def written(folder: Path, language: str, name: str = NAME) -> tuple[Path, str]:
    """A project that breaks its contract in one place; the file of the code, and its text."""
    program = program_of(name)
    assert program is not None
    file, text = program.code[language]  # type: ignore[index]
    text = "\n".join(line.partition(MARK)[0] for line in text.split("\n"))
    (folder / program.contract[0]).write_text(program.contract[1])
    (folder / file).write_text(text)
    return folder / file, text


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_comment_is_written_in_the_syntax_of_the_language(
    tmp_path: Path,
    language: str,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    file, before = written(tmp_path, language)
    assert main(["check", "-q", "--add-ignore=both forms are read"]) == 0
    assert capfd.readouterr() == ("", "Ignored 1 finding by comments in 1 file.\n")
    sign = "#" if language == "python" else "//"
    added = set(file.read_text().splitlines()) - set(before.splitlines())
    (line,) = added
    assert line.strip() == f"{sign} contract-scan: ignore[{NAME}] both forms are read"
    after = file.read_bytes()
    assert main(["check", "-q", "--add-ignore"]) == 0
    assert capfd.readouterr() == ("", "Nothing to ignore.\n")
    assert file.read_bytes() == after


def test_findings_of_one_line_share_a_comment_and_one_that_is_there_is_extended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    file, wrong = written(tmp_path, "python")
    model, schema = program_of("CONTRACT-004/type").contract  # type: ignore[union-attr]
    (tmp_path / model).write_text(schema)
    assert main(["check", "-q", "--add-ignore=old"]) == 0
    comment = "    # contract-scan: ignore[CONTRACT-001/type, CONTRACT-004/type] old\n"
    assert comment in file.read_text()
    file.write_text(wrong.replace("str\n\n", "str  # contract-scan: ignore[CONTRACT-004] why\n\n"))
    assert main(["check", "-q", "--add-ignore"]) == 0
    line = next(line for line in file.read_text().splitlines() if "total" in line)
    assert line.endswith("# contract-scan: ignore[CONTRACT-004, CONTRACT-001/type] why")


def test_line_ends_stay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    file, before = written(tmp_path, "java")
    file.write_bytes(before.replace("\n", "\r\n").encode())
    assert main(["check", "-q", "--add-ignore=old"]) == 0
    after = file.read_bytes()
    assert b"ignore[CONTRACT-001/type] old\r\n" in after
    assert after.count(b"\n") == after.count(b"\r\n") == before.count("\n") + 1


def test_where_nothing_can_stand_above_the_comment_stands_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "openapi.yaml").write_text(
        "openapi: 3.0.3\ninfo: { title: Shop, version: '1' }\npaths:\n  /orders:\n    get:\n"
        "      responses: { '200': { description: ok } }\n"
    )
    file = tmp_path / "app.js"
    file.write_text(
        "import express from 'express';\nconst app = express();\n"
        "app.get('/orders', (req, res) => res.end());\n"
        "const text = `\n${app.get('/debug', (req, res) => res.end())}`;\n"
    )
    main(["check", "-q", "--add-ignore=old"])
    assert file.read_text().endswith(
        "end())}`; // contract-scan: ignore[CONTRACT-002/undocumented-endpoint] old\n"
    )


def test_what_stands_in_json_is_left_to_other_exceptions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "openapi.json").write_text(
        '{"openapi": "3.0.3", "info": {"title": "Shop", "version": "1"}, "paths": {"/orders":'
        ' {"get": {"responses": {"200": {"description": "ok"}}}}, "/more": {"get": {"responses":'
        ' {"200": {"description": "ok"}}}}}}'
    )
    (tmp_path / "app.js").write_text(
        "import express from 'express';\nconst app = express();\n"
        "app.get('/orders', (req, res) => res.end());\n"
    )
    assert main(["check", "-q", "--output-format", "concise", "--add-ignore"]) == 1
    out, err = capfd.readouterr()
    assert out.startswith("openapi.json:1:")
    assert err == (
        "openapi.json:1: CONTRACT-002/missing-endpoint: no comment can stand there\n"
        "What no comment can except, an exception of the configuration or a baseline can.\n"
        "Ignored 0 findings by comments in 0 files.\n"
    )


def test_files_are_put_back_where_scanning_again_fails(tmp_path: Path) -> None:
    file = tmp_path / "app.py"
    file.write_text("x = 1\n")
    finding = Finding(
        rule="CONTRACT-001",
        kind="type",
        severity="error",
        message="m",
        origin=Origin("app.py", Span(1, 1, 1, 2)),
        fingerprint="v1:1",
    )
    seen = []

    def look() -> list[Finding]:
        seen.append(file.read_text())
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        add_ignores(tmp_path, [finding], look, "old")
    assert seen == ["# contract-scan: ignore[CONTRACT-001/type] old\nx = 1\n"]
    assert file.read_text() == "x = 1\n"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--add-ignore", "--fix"], "--add-ignore and --fix exclude each other"),
        (["--add-ignore", "--diff"], "--add-ignore and --diff exclude each other"),
        (["--add-ignore=a\nb"], "the reason of --add-ignore must be one line of text"),
    ],
)
def test_wrong_uses(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    words: list[str],
    said: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    written(tmp_path, "python")
    assert main(["check", *words]) == 2
    assert capfd.readouterr().err == f"contract-scan: {said}\n"


def test_a_whole_system_is_clean_afterwards(tmp_path: Path) -> None:
    """In all languages, and again: nothing is left to ignore."""
    import shutil

    bookshop = Path(__file__).parents[2] / "fixtures" / "projects" / "bookshop"
    shutil.copytree(bookshop, tmp_path / "bookshop")
    command = [forked_python(), "-m", "contract_scan", "check", "-q", "--add-ignore=old debt"]
    first = subprocess.run(command, cwd=tmp_path / "bookshop", capture_output=True, text=True)
    assert (first.returncode, first.stdout) == (0, "")
    second = subprocess.run(command, cwd=tmp_path / "bookshop", capture_output=True, text=True)
    assert (second.returncode, second.stderr) == (0, "Nothing to ignore.\n")
