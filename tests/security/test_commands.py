"""Names that would be commands to the program that runs a build."""

from __future__ import annotations

import json
import os
import re
import subprocess
from contextlib import suppress
from pathlib import Path
from xml.etree.ElementTree import fromstring

import pytest

from contract_scan.cli.main import main
from contract_scan.reports.display import without_commands
from contract_scan.reports.formats import FORMATS
from tests.cli.test_changed import CONTRACT, git, items, orders, project

__all__ = ["project"]

COMMAND = re.compile(
    r"^\s*::(?!: )|##(vso|teamcity)?\[|section_(start|end):\d|^\s*(---|\+\+\+|~~~|\^\^\^)(\s|$)",
    re.MULTILINE,
)
NAMES = (
    "::error file=x::y.py",
    "##[error]x.py",
    "##vso[task.complete]x.py",
    "##teamcity[x]x.py",
    "section_start:0:x[collapsed=true]x.py",
    "--- x.py",
    "+++ x.py",
    "~~~ x.py",
)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("format", ["concise", "grouped", "full"])
def test_no_line_of_a_report_is_one(
    project: Path, name: str, format: str, capsys: pytest.CaptureFixture[str]
) -> None:
    served = items("int").replace("APIRouter()", "FastAPI()")
    (project / "items.py").unlink()
    (project / "app.py").unlink()
    (project / name).write_text(served, encoding="utf-8")
    assert main(["check", "--output-format", format]) == 1
    out, err = capsys.readouterr()
    assert COMMAND.search(out + err) is None
    assert name[-4:] in out


def test_a_message_is_none_either(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "--contract", "##vso[task.complete]"]) == 2
    assert COMMAND.search(capsys.readouterr().err) is None


def test_two_harmless_texts_side_by_side() -> None:
    assert without_commands(" :" + ":error::x\na::b") == " \\x3a:error::x\na::b"


FOREIGN = (
    *("::error file=x::y", "##[error]x", "##vso[task.complete]x", "##teamcity[x]", "--- x"),
    *("a\n::error::b", "a\r::error::b", "a\n##vso[x]y", "a\u2028::error::c", "section_end:0:x"),
    *("\x1b[31mred", "\x1b]8;;http:evil.invalid\x07link", "\x9b31m", "\u202egpj"),
    *("</script><script>alert(1)<", "]]><x>", "|x|`y`<b>&amp;"),
)
ACTING = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
"""What a terminal acts on, or what reorders what is read."""


@pytest.fixture
def foreign(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with such names and texts in every place, each with drift."""
    monkeypatch.chdir(tmp_path)
    for number, text in enumerate(FOREIGN):
        name = text.replace("/", "")
        told = {"description": text}
        schema = {"$ref": f"#/components/schemas/O{number}"}
        answer = {**told, "content": {"application/json": {"schema": schema}}}
        operation = {"operationId": text, "summary": text, **told, "responses": {"200": answer}}
        properties = {
            "id": {"type": "string", **told},
            text: {"type": "string", "enum": [text, "z"], **told},
        }
        model = {"type": "object", "required": [*properties], "properties": properties, **told}
        contract = {
            "openapi": "3.1.0",
            "info": {"title": text, "version": text},
            "paths": {f"/o{number}": {"get": operation}, f"/{name}": {"get": operation}},
            "components": {"schemas": {f"O{number}": model}},
        }
        (tmp_path / f"openapi{name}.json").write_text(json.dumps(contract), encoding="utf-8")
        (tmp_path / f"{name}{number}.py").write_text(
            "from typing import Literal\nfrom fastapi import FastAPI\n"
            f"from pydantic import BaseModel, Field\napp = FastAPI()\n"
            f"TEXT = '''\n{text}\n   {text}\n'''\n"
            f'class O{number}(BaseModel):\n    """\n{text}\n   {text}\n    """\n'
            f"    id: int\n    z: Literal[{text!r}] = Field(alias={text + 'q'!r})\n"
            f"@app.get('/o{number}', description={text!r})\ndef o() -> O{number}: ...\n",
            encoding="utf-8",
        )
    with suppress(OSError):  # some file systems take no such name
        Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xff.py")).write_text("app = FastAPI()\n")
    return tmp_path


def acting(text: str) -> list[str]:
    """What a terminal or a runner of builds would act on, with what stands around it."""
    found = [*COMMAND.finditer(text), *ACTING.finditer(text)]
    return [text[max(0, each.start() - 40) : each.end() + 20] for each in found]


@pytest.mark.parametrize("format", FORMATS)
def test_no_format_says_anything_that_acts(
    foreign: Path, format: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Also where git tells the names."""
    git(foreign, "init", "--quiet")
    git(foreign, "commit", "--quiet", "--allow-empty", "--message=Begin")
    assert main(["check", "--changed", "--output-format", format]) == 1
    out, err = capsys.readouterr()
    if format == "github":  # its own commands; each line is one, and nothing else begins one
        assert {line.partition(" ")[0] for line in out.splitlines()} <= {
            *("::error", "::warning", "::notice")
        }
        out = out.replace("\n::", "\n ").removeprefix("::")
    if format == "azure":  # likewise
        begin = "##vso[task.logissue "
        assert [line for line in out.splitlines() if not line.startswith(begin)] == []
        out = out.replace(f"\n{begin}", "\n").removeprefix(begin)
    assert acting(out + err) == []
    if format in ("json", "sarif", "gitlab"):
        assert "##vso[task.complete]x" in json.dumps(json.loads(out))
    if format == "html":
        assert "<script>alert(1)" not in out
    if format == "junit":
        fromstring(out)


@pytest.mark.parametrize("format", ["json", "openapi", "asyncapi", "jsonschema"])
def test_nor_does_what_the_code_has(
    foreign: Path, format: str, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["extract", "--format", format])
    out, err = capsys.readouterr()
    assert acting(out + err) == []
    held = json.dumps(json.loads(out))
    assert ("##vso[task.complete]x" in held) == (format != "asyncapi")  # there are no events


@pytest.mark.parametrize("words", [("--show-files",), ("--show-settings",), ("no\n::error::x",)])
def test_nor_does_what_is_said_beside(
    foreign: Path, words: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    main(["check", *words])
    out, err = capsys.readouterr()
    assert acting(out + err) == []
    assert "x" in out + err


def test_nor_does_a_diff_in_a_log(
    foreign: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("CI", "true")
    assert main(["check", "--unsafe-fixes", "--diff"]) == 1
    out, err = capsys.readouterr()
    lines, names = [], 0
    for line in out.split("\n"):
        named = re.fullmatch(r'(---|\+\+\+) (a/.*|b/.*|"a/.*"|"b/.*")', line)
        lines.append(line if named is None else f" {named[2]}")
        names += named is not None
    assert acting("\n".join(lines) + err) == []
    mixed = [text for text in FOREIGN if "\r" in text]  # two ways to end lines: not mended
    assert names == 2 * (len(FOREIGN) - len(mixed))


def test_a_diff_names_no_other_file_than_the_one_it_mends(
    foreign: Path, tmp_path_factory: pytest.TempPathFactory, capsys: pytest.CaptureFixture[str]
) -> None:
    for file in foreign.iterdir():
        file.unlink()
    (foreign / "openapi.yaml").write_text(CONTRACT, encoding="utf-8")
    served = orders("int").replace("APIRouter", "FastAPI")
    name = "a.py\n--- victim.py\n+++ victim.py\n@@ -0,0 +1 @@\n+bad\n\x1b.py"
    (foreign / name).write_text(served, encoding="utf-8")
    (foreign / "victim.py").touch()
    assert main(["check", "--unsafe-fixes", "--diff"]) == 1
    patch = capsys.readouterr().out
    subprocess.run(["git", "init", "--quiet"], cwd=foreign, check=True)
    applied = subprocess.run(
        ["git", "apply", "-"], cwd=foreign, input=patch, text=True, capture_output=True, check=False
    )
    assert (applied.returncode, applied.stderr) == (0, "")
    assert (foreign / "victim.py").read_text() == ""
    assert (foreign / name).read_text() != served
