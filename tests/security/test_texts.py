"""Contracts and build files as an attacker writes them: objects of Python and entities of XML are
made of no text, and what multiplies is bounded."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from contract_scan.cli.main import main
from tests.security.test_hiding import CODE, CONTRACT

TOO_MANY = (
    "holds more than 1,000,000 values once its aliases are written out; split it, or raise the"
    " limit"
)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with one violation."""
    (tmp_path / "openapi.yaml").write_text(CONTRACT)
    (tmp_path / "app.py").write_text(CODE)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def told(capsys: pytest.CaptureFixture[str]) -> tuple[int, list[str], list[str]]:
    """The exit status, kinds of findings, and why something was not analysed."""
    status = main(["check", "--no-cache", "--output-format", "json", "--select", "CONTRACT-001"])
    report = json.loads(capsys.readouterr().out)
    kinds = [finding["kind"] for finding in report["findings"]]
    return status, kinds, [problem["reason"] for problem in report["not_analysed"]]


@pytest.mark.parametrize(
    "value",
    [
        "!!python/object/apply:os.system ['touch run']",
        "!!python/object/new:os.system ['touch run']",
        "!!python/name:os.system ''",
        "!!python/module:os ''",
        "!custom x",
        "!!binary aGVsbG8=",
        "!!set {a, b}",
    ],
)
def test_no_tag_of_yaml_makes_an_object(
    value: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "openapi.yaml").write_text(f"{CONTRACT}x-value: {value}\n")
    assert told(capsys) == (1, ["type"], [])
    assert not (folder / "run").exists()


def _repeated(first: str, further: str) -> str:
    """Twelve values, each of which holds the one before ten times."""
    lines = [f"x-0: &a0 {first}"]
    lines += (
        f"x-{n}: &a{n} " + further.format(", ".join([f"*a{n - 1}"] * 10)) for n in range(1, 12)
    )
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize(
    ("more", "reason"),
    [
        (_repeated("[x]", "[{}]"), TOO_MANY),
        (_repeated("{k: 1}", "{{<<: [{}]}}"), TOO_MANY),
        ("x-a: &a [*a]\n", "the alias `*a` stands inside what it repeats"),
        ("x-a: &a {<<: *a}\n", "the alias `*a` stands inside what it repeats"),
        (f"x-a: {'[' * 50_000}{']' * 50_000}\n", "is nested more than 200 levels deep; flatten it"),
        (
            "paths: {}\n",
            "the key `paths` is given twice in one mapping, which readers take differently;"
            " remove one",
        ),
        (f"---\n{CONTRACT}", "holds several YAML documents; keep one in each file"),
    ],
    ids=["aliases", "merges", "ring", "merged ring", "nesting", "keys", "documents"],
)
def test_what_multiplies_or_hides_in_yaml_is_named(
    more: str, reason: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "openapi.yaml").write_text(CONTRACT + more)
    assert told(capsys) == (2, [], [reason])


def test_a_merged_mapping_is_read(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    schema = "{type: object, required: [id], properties: {id: {type: string}}}"
    merged = "{<<: [&a {properties: {id: {type: string}}}, {type: object}]}"
    assert schema in CONTRACT
    (folder / "openapi.yaml").write_text(CONTRACT.replace(schema, merged))
    assert told(capsys) == (1, ["type"], [])


def test_no_pattern_of_a_contract_is_tried_on_texts(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """An engine with backtracking would not end."""
    text = "a" * 60 + "!"
    patterned = f'{{type: string, pattern: "^(a+)+$", enum: ["{text}"], example: "{text}"}}'
    (folder / "openapi.yaml").write_text(CONTRACT.replace("{type: string}", patterned))
    assert told(capsys) == (1, ["type"], [])


@pytest.fixture
def listening() -> Iterator[socket.socket]:
    """Listens on a loopback address, and answers nothing."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.setblocking(False)
        yield server


JAVA = """
import org.springframework.web.bind.annotation.*;
@RestController class Pages { @GetMapping("/pages") String pages() { return "x"; } }
"""
CSHARP = """
using Microsoft.AspNetCore.Mvc;
[ApiController] public class Rooms : ControllerBase {
    [HttpGet("/rooms")] public string F() => "x";
}
"""


def test_no_entity_of_a_build_file_is_followed(
    folder: Path, listening: socket.socket, capsys: pytest.CaptureFixture[str]
) -> None:
    doubling = "".join(f'<!ENTITY a{n} "{f"&a{n - 1};" * 10}">' for n in range(1, 12))
    address = f"http://127.0.0.1:{listening.getsockname()[1]}/x"
    head = (
        f'<!DOCTYPE x [<!ENTITY a0 "x"> {doubling} <!ENTITY secret SYSTEM "secret.txt">'
        f' <!ENTITY % more SYSTEM "{address}"> %more;]>\n'
    )
    build = "<group>&a11;&secret;</group><Nullable>&secret;</Nullable><module>&secret;</module>"
    (folder / "secret.txt").write_text("a-secret-of-the-machine")
    (folder / "Pages.java").write_text(JAVA)
    (folder / "Rooms.cs").write_text(CSHARP)
    for name in ("pom.xml", "App.csproj", "Directory.Build.props", "web.xml"):
        (folder / name).write_text(f"{head}<project>{build}</project>")
    main(["check", "--no-cache", "--output-format", "json"])
    said = capsys.readouterr()
    assert "a-secret-of-the-machine" not in said.out + said.err
    assert json.loads(said.out)["summary"]["files"] == 3
    with pytest.raises(BlockingIOError):
        listening.accept()


LIMITED = """
import resource, sys
resource.setrlimit(resource.RLIMIT_CPU, (30, 30))
from contract_scan.cli.main import main
sys.exit(main(["check", "--no-cache", "--jobs", "1", "--output-format", "json"]))
"""
ROOT = Path(__file__).parents[2]
SIZE = 400_000


def _filled(head: str, piece: str) -> str:
    return head + piece * (SIZE // len(piece))


@pytest.mark.skipif(os.name != "posix", reason="limits of processes are POSIX")
def test_no_text_is_gone_through_again_from_every_place_in_it(folder: Path) -> None:
    """Of each of these, a search that begins anew at every place takes hours."""
    web = folder / "src/main/webapp/WEB-INF/web.xml"
    configuration = folder / "conf/application.conf"
    for place in (web, configuration):
        place.parent.mkdir(parents=True)
    web.write_text(_filled("", "<!--"))
    configuration.write_text(_filled("", "\n"))
    (folder / "pom.xml").write_text(_filled("<project>openapi-generator", "<!--"))
    (folder / "App.csproj").write_text(_filled("<Project>", '<Using Include="a"0'))
    (folder / "Directory.Build.props").write_text(_filled("<Project>", "<!--"))
    (folder / "tsconfig.json").write_text(_filled("{", "/*"))
    (folder / "Pages.java").write_text(_filled("", "@\n") + JAVA)
    (folder / "Rooms.cs").write_text(_filled("", "\n") + CSHARP)
    (folder / "Page.kt").write_text(_filled("@RestController class Page", "/*"))
    (folder / "app.py").write_text(f"# generated {' ' * 1_900}\0\n{CODE}")
    (folder / "a.ts").write_text(
        f"/* contract-scan: {' ' * SIZE} x */\nimport express from 'express';\n"
        f"// {'/' * SIZE}contract-scan\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", LIMITED],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode in (1, 2), done.stderr
    assert json.loads(done.stdout)["summary"]["files"] == 4
