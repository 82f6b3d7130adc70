"""What a pull request plants so that its own drift is not found: it is counted, and nothing that it
hides counts as verified."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
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


def test_code_in_an_archive_that_other_code_loads_is_read(
    drifting: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (drifting / "_archive").mkdir()
    (drifting / "app.py").rename(drifting / "_archive" / "routes.py")
    (drifting / "main.py").write_text("from _archive.routes import app\n")
    assert counts(capsys) == {"verified": 0, "violated": 1, "ignored": 0, "known": 0}
    (drifting / "main.py").write_text("app = None\n")
    assert counts(capsys) == {"verified": 0, "violated": 0, "ignored": 0, "known": 0}


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
    assert "1 more finding ignored by the configuration.\n" in capsys.readouterr().out
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
    assert "1 more problem known from the baseline.\n" in capsys.readouterr().out
    assert counts(capsys, "--isolated") == {"verified": 0, "violated": 1, "ignored": 0, "known": 0}


def test_code_that_is_left_out_leaves_nothing_verified(
    drifting: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (drifting / "other.py").write_text("x = 1\n")
    (drifting / "contract-scan.toml").write_text('exclude = ["app.py"]\n')
    assert main(["check", "--no-cache"]) == 2
    assert counts(capsys) == {"verified": 0, "violated": 0, "ignored": 0, "known": 0}


# Links


@pytest.fixture(params=["in a repository", "without git"])
def folder(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Path]:
    """A folder with a contract alone, which nothing violates yet."""
    root = tmp_path / "scanned"
    root.mkdir()
    (root / "openapi.yaml").write_text(CONTRACT)
    (root / "other.py").write_text("from fastapi import FastAPI\n")
    if request.param == "in a repository":
        subprocess.run(["git", "init", "--quiet", str(root)], check=True)
        subprocess.run(["git", "-C", str(root), "add", "--all"], check=True)
    monkeypatch.chdir(root)
    yield root


def checked(capsys: pytest.CaptureFixture[str]) -> tuple[int, list[str], dict[str, str]]:
    """The exit status, the places of the violations, and what was not analysed with the reasons."""
    capsys.readouterr()
    status = main(["check", "--no-cache", "--output-format", "json"])
    report = json.loads(capsys.readouterr().out)
    places = sorted({each["path"] for each in report["findings"]})
    named = {each["path"]: each["reason"] for each in report["not_analysed"]}
    return status, places, {path: why for path, why in named.items() if path}


def put(root: Path, path: str, text: str = CODE) -> None:
    """Write a file and the folders above it."""
    (root / path).parent.mkdir(parents=True, exist_ok=True)
    (root / path).write_text(text, encoding="utf-8")


def link(root: Path, path: str, target: str) -> None:
    """Make a link and the folders above it."""
    (root / path).parent.mkdir(parents=True, exist_ok=True)
    (root / path).symlink_to(target)


@pytest.mark.parametrize("hidden", ["node_modules/x/app.py", "tests/app.py", ".venv/app.py"])
@pytest.mark.parametrize("whole", [False, True], ids=["a file", "its folder"])
def test_code_that_only_a_link_leads_to_is_read(
    hidden: str, whole: bool, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    put(folder, hidden)
    if whole:
        link(folder, "src/api", f"../{hidden.rpartition('/')[0]}")
    else:
        link(folder, "src/api/app.py", f"../../{hidden}")
    assert checked(capsys) == (1, ["src/api/app.py"], {})


def test_code_that_a_link_gives_its_suffix_is_read(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    put(folder, "app.dat")
    link(folder, "app.py", "app.dat")
    assert checked(capsys) == (1, ["app.py"], {})


def test_code_is_read_once_whatever_links_lead_to_it(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    put(folder, "src/app.py")
    link(folder, "again.py", "src/app.py")
    link(folder, "more", "src")
    link(folder, "more_of_it", "more")
    link(folder, "src/round", "..")
    link(folder, "itself", ".")
    assert checked(capsys) == (1, ["src/app.py"], {})


def test_imports_are_followed_through_links(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    router = CODE.replace("FastAPI()", "APIRouter()").replace("import FastAPI", "import APIRouter")
    put(folder, "elsewhere/things.py", router)
    link(folder, "src/routers", "../elsewhere")
    main_module = "from fastapi import FastAPI\nfrom src.routers import things\n"
    put(folder, "main.py", f"{main_module}app = FastAPI()\napp.include_router(things.app)\n")
    assert checked(capsys) == (1, ["elsewhere/things.py"], {})


@pytest.mark.parametrize("whole", [False, True], ids=["a file", "its folder"])
def test_a_link_in_a_folder_of_routes_is_a_route(
    whole: bool, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    put(folder, "package.json", '{"dependencies": {"next": "14"}}')
    handler = "export async function GET() { return Response.json({ id: 1 }); }\n"
    put(folder, "lib/route.ts", handler)
    if whole:
        link(folder, "app/things", "../lib")
    else:
        link(folder, "app/things/route.ts", "../../lib/route.ts")
    status, places, named = checked(capsys)
    assert (status, named) == (1, {})
    assert "app/things/route.ts" in places


@pytest.mark.parametrize(
    ("path", "target", "why"),
    [
        ("app.py", "../outside/app.py", "a link out of the scanned folder, which is not followed"),
        ("src", "../outside", "a link out of the scanned folder, which is not followed"),
        ("app.py", "gone.py", "a link that leads to no file"),
        ("app.py", "app.py", "a link that leads to no file"),
        ("app.py", ".git/app.py", "a link into what belongs to version control, which is not read"),
        ("src", ".git", "a link into what belongs to version control, which is not read"),
        ("app.py", ".env", "a link to what is no source file"),
    ],
    ids=["out", "folder out", "dangling", "ring", "git", "folder of git", "secrets"],
)
def test_a_link_that_is_not_followed_is_named(
    path: str, target: str, why: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    put(folder.parent, "outside/app.py")
    put(folder, ".git/app.py")
    if target == ".env":
        put(folder, ".gitignore", ".env\n")
        put(folder, ".env", "PASSWORD=secret\n")
    link(folder, path, target)
    _, places, named = checked(capsys)
    assert named.pop(path) == f"is {why}, and may hold a route or event"
    assert places in ([], ["openapi.yaml"])
    assert "secret" not in main_output(capsys)
    shutil.rmtree(folder / ".git")


def main_output(capsys: pytest.CaptureFixture[str]) -> str:
    """What a scan prints."""
    main(["check", "--no-cache"])
    return capsys.readouterr().out


def test_links_that_lead_nowhere_cost_the_status_alone(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    put(folder, "app.py", CODE.replace('"id": 1', '"id": "1"'))
    assert checked(capsys) == (0, [], {})
    link(folder, "more.py", "gone.py")
    link(folder, ".#app.py", "someone@host.4242:1")  # as Emacs marks a file that is edited
    link(folder, "picture.png", "gone.png")
    link(folder, "tests/data/gone.py", "nothing.py")
    reason = "is a link that leads to no file, and may hold a route or event"
    assert checked(capsys) == (2, [], {"more.py": reason})
    put(folder, "contract-scan.toml", 'exclude = ["more.py"]\n')
    assert checked(capsys) == (0, [], {})


def test_a_link_to_more_than_is_looked_through_is_named(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "contract_scan.parsers.source.discovery.links.MAX_FILES_BEHIND_LINKS", 2, raising=True
    )
    for number in range(3):
        put(folder, f"node_modules/x/{number}.py", "")
    link(folder, "x", "node_modules/x")
    reason = "is a link to a folder with more files than are looked through there"
    assert checked(capsys)[2]["x"] == f"{reason}, and may hold a route or event"


def test_another_target_of_a_link_is_seen(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    put(folder, "node_modules/good.py", CODE.replace('"id": 1', '"id": "1"'))
    put(folder, "node_modules/evil.py")
    link(folder, "app.py", "node_modules/good.py")
    assert [main(["check"]), main(["check"])] == [0, 0]
    (folder / "app.py").unlink()
    link(folder, "app.py", "node_modules/evil.py")
    assert main(["check"]) == 1
    put(folder, "node_modules/evil.py", CODE.replace('"id": 1', '"id": "1"'))
    assert main(["check"]) == 0
    (folder / "app.py").unlink()
    put(folder, "app.py")
    assert main(["check"]) == 1


@pytest.mark.parametrize("target", ["node_modules/openapi.yaml", "docs/things.txt"])
def test_a_contract_that_only_a_link_leads_to_is_read(
    target: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    put(folder, "app.py")
    put(folder, target, CONTRACT)
    (folder / "openapi.yaml").unlink()
    link(folder, "openapi.yaml", target)
    assert checked(capsys) == (1, ["app.py"], {})


@pytest.mark.parametrize("target", ["../openapi.yaml", "gone.yaml", ".git/openapi.yaml"])
def test_a_contract_behind_a_link_that_is_not_followed_is_named(
    target: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    put(folder, "app.py", CODE.replace('"id": 1', '"id": "1"'))
    put(folder.parent, "openapi.yaml", CONTRACT)
    put(folder, ".git/openapi.yaml", CONTRACT)
    link(folder, "more.openapi.yaml", target)
    status, places, named = checked(capsys)
    assert (status, places, [*named]) == (2, [], ["more.openapi.yaml"])
    assert named["more.openapi.yaml"].endswith(", and may be a contract")
    shutil.rmtree(folder / ".git")


# What is no file


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("pipe.py", "left out: it is no regular file, and may hold a route or event"),
        ("openapi.json", "is not a regular file"),
        (".gitignore", "cannot be read: it is no regular file; what it leaves out is not known"),
        ("pyproject.toml", "cannot be read: it is no regular file"),
    ],
)
@pytest.mark.parametrize("sort", ["pipe", "socket"])
def test_a_pipe_or_socket_in_the_place_of_a_file_is_named(
    sort: str, name: str, why: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(tmp_path, "app.py", CODE.replace('"id": 1', '"id": "1"'))
    put(tmp_path, "openapi.yaml", CONTRACT)
    monkeypatch.chdir(tmp_path)
    if sort == "pipe":
        os.mkfifo(name)
    else:
        with socket.socket(socket.AF_UNIX) as listening:
            listening.bind(name)
    words = ["-P", "-m", "contract_scan", "check", "--no-cache", "--output-format", "json"]
    done = subprocess.run([sys.executable, *words], capture_output=True, timeout=300, check=False)
    named = {each["path"]: each["reason"] for each in json.loads(done.stdout)["not_analysed"]}
    assert (done.returncode, named) == (2, {name: why})


def test_code_and_contracts_with_names_that_are_no_utf8_are_named(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Archives of other systems hold such names, and git takes them."""
    above = folder / os.fsdecode(b"caf\xe9")
    try:
        put(above, "app.py")
    except OSError:
        pytest.skip("this file system takes no such name")
    for name in (b"\xff.json", b"\xff.png"):
        (folder / os.fsdecode(name)).write_text("{}")
    put(folder / "node_modules" / "x", os.fsdecode(b"\xfd.py"))
    link(folder, "linked", "node_modules/x")
    link(folder, os.fsdecode(b"\xfe"), "other.py")
    put(folder, "app.py", CODE.replace('"id": 1', '"id": "1"'))
    why = "its name is not UTF-8, and may hold a route or event"
    named = dict.fromkeys((r"\xfe", r"\xff.json", r"linked/\xfd.py", r"caf\xe9/app.py"), why)
    assert checked(capsys) == (2, [], named)
    (above / "app.py").unlink()
    del named[r"caf\xe9/app.py"]
    assert checked(capsys) == (2, [], named)


def test_a_root_or_contract_whose_name_is_no_utf8_is_one_line(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = folder.parent / os.fsdecode(b"\xff")
    try:
        folder.rename(other)
    except OSError:
        pytest.skip("this file system takes no such name")
    assert main(["check", str(other)]) == 2
    assert main(["check", "--contract", str(other / "openapi.yaml"), str(other.parent)]) == 2
    out, err = capsys.readouterr()
    assert (out, len(err.splitlines())) == ("", 2)
    assert "is a path that is not UTF-8, which no report can hold; rename the folder" in err
    assert "openapi.yaml: has a name that is not UTF-8; rename it" in err


# What is left out for its looks

PACKED = "var a=1;" * 4_000
"""One line as bundlers write it, longer than anybody's."""
LARGE = "// words\n" * 120_000
"""More than 1 MB."""
ROUTE = "app.get('/things',(q,r)=>r.json({id:1}));"
READ_SCRIPT = "const express = require('express');\nconst app = express();\n"


@pytest.fixture
def scripts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with an application of Express that keeps its contract."""
    put(tmp_path, "openapi.yaml", CONTRACT)
    put(tmp_path, "app.js", READ_SCRIPT + ROUTE.replace("id:1", 'id:"1"') + "\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("filler", [PACKED, LARGE], ids=["minified", "large"])
@pytest.mark.parametrize(
    "loading",
    [
        'var e=require("express"),app=e();',
        'import e from"express";var app=e();',
        "import{Hono}from'hono';var app=new Hono;",
        'const h=require("node:http");var s=h.createServer();',
    ],
)
def test_a_script_that_is_left_out_and_loads_a_library_of_routes_is_named(
    loading: str, filler: str, scripts: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    put(scripts, "more.js", f"{loading}{ROUTE}{filler}")
    why = "it is minified" if filler is PACKED else "it is larger than 1 MB"
    reason = f"left out: {why} and may hold a route or event; split it"
    assert checked(capsys) == (2, [], {"more.js": reason})


@pytest.mark.parametrize("filler", [PACKED, LARGE], ids=["minified", "large"])
@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("more.js", "require('./more')(app);"),
        ("lib/index.js", "require('./lib')(app);"),
        ("lib/more.min.js", "import more from './lib/more.min.js'; more(app);"),
    ],
)
def test_a_script_that_is_left_out_and_that_code_loads_is_named(
    path: str, words: str, filler: str, scripts: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    put(scripts, path, f"module.exports=function(app){{{ROUTE}}};{filler}")
    assert checked(capsys) == (0, [], {})
    put(scripts, "main.js", READ_SCRIPT + words)
    status, places, named = checked(capsys)
    # What a module that is followed calls is looked into, as long as it is not too large.
    expected = (1, [path]) if filler is PACKED else (2, [])
    assert ((status, places), [*named]) == (expected, [path])
    assert named[path].endswith(
        " and may hold a route or event, since other code loads it; split it"
    )


def test_scripts_that_are_only_delivered_are_not_named(
    scripts: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("jquery.min.js", "bundle.js"):
        put(scripts, f"static/{name}", f"$.get('/things');io.on('x');{PACKED}")
    put(scripts, "static/large.js", f"$.get('/things');{LARGE}")
    assert checked(capsys) == (0, [], {})


def test_a_large_script_that_a_contracted_answer_rests_on_is_named_also_without_a_sign_of_routes(
    scripts: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    put(scripts, "data.js", f"module.exports={{thing:1}};{LARGE}")
    loading = "const data = require('./data');\napp.get('/things', (q, r) => r.json(data.thing));\n"
    put(scripts, "app.js", READ_SCRIPT + loading)
    reason = "left out: it is larger than 1 MB, and other code loads it"
    assert checked(capsys)[2] == {"data.js": reason}


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("app.py", CODE + "x = (" + "1, " * 10_000 + ")\n"),
        ("app.py", CODE + "# words\n" * 150_000),
        ("App.java", "import javax.ws.rs.*; class A {" + " " * 30_000 + "}"),
        ("App.cs", "class A : ControllerBase {" + " " * 30_000 + "}"),
    ],
)
def test_code_of_a_library_that_is_left_out_is_named(
    name: str, text: str, scripts: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    put(scripts, name, text)
    status, _, named = checked(capsys)
    assert (status, [*named]) == (2, [name])
    assert named[name].endswith(" and may hold a route or event; split it")


# Odd spellings

SPRING = """import org.springframework.web.bind.annotation.*;
@RestController class Things {
  record Thing(int id) {}
  %s Thing things() { return new Thing(1); }
}
"""
MINIMAL = """var builder = WebApplication.CreateBuilder(args);
var app = builder.Build();
%s("/things", () => Results.Ok(new { id = 1 }));
app.Run();
"""
SCRIPT = READ_SCRIPT + "%s('/things', (q, r) => r.json({ id: 1 }));\n"
ODD = {
    "utf-7": ("app.py", "# coding: utf-7\n" + CODE.replace("@", "+AEA-")),
    "gbk": ("app.py", ("# coding: gbk\n# \u6587\n" + CODE).encode("gbk")),
    "a line that only a return ends": ("app.py", CODE.replace("@app", "# words\r@app")),
    "full-width letters": ("app.py", CODE.replace("@app", "@\uff41pp")),
    "full-width letters within a text": (
        "app.py",
        CODE.replace('"/things"', 'f"/{\uff30ATH}"').replace("@app", 'PATH = "things"\n\n\n@app'),
    ),
    "a module in other letters": ("app.py", CODE.replace("fastapi", "\U0001d41fastapi")),
    "an escape": ("app.js", SCRIPT % "\\u0061pp.get"),
    "an escape in brackets": ("app.ts", SCRIPT % "app.g\\u{65}t"),
    "U+2028 in JavaScript": ("app.js", SCRIPT % "// words\u2028app.get"),
    "an escape in C#": ("Program.cs", MINIMAL % "\\u0061pp.Map\\U00000047et"),
    "a sign before a name": ("Program.cs", MINIMAL % "@app.@MapGet"),
    "U+2028 in C#": ("Program.cs", MINIMAL % "// words\u2028app.MapGet"),
    "U+0085 in C#": ("Program.cs", MINIMAL % "// words\x85 // more\u2029 app.MapGet"),
    "a joiner": ("Program.cs", MINIMAL % "a\u200dpp.Map\xadGet"),
    "an escaped sign": ("Things.java", SPRING % '\\u0040Get\\uuu004dapping("/things")'),
    "an escaped line feed": ("Things.java", SPRING % '// words \\u000a @GetMapping("/things")'),
    "a return in Java": ("Things.java", SPRING % '// words\r@GetMapping("/things")'),
    "an escaped end of a comment": (
        "Things.java",
        SPRING % '/* \\u002a/ @GetMapping("/things") /**/',
    ),
    "a mark in Java": ("Things.java", SPRING % '@Get\u200bMapping("/things")'),
    "UTF-16": ("Things.java", (SPRING % '@GetMapping("/things")').encode("utf-16")),
}
"""Routes that compilers and interpreters read, each with a violation."""


@pytest.mark.parametrize("spelling", ODD)
def test_code_is_read_as_its_language_reads_it(
    spelling: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    path, text = ODD[spelling]
    put(tmp_path, "openapi.yaml", CONTRACT)
    (tmp_path / path).write_bytes(text if isinstance(text, bytes) else text.encode())
    monkeypatch.chdir(tmp_path)
    assert checked(capsys) == (1, [path], {})


@pytest.mark.parametrize("encoding", ["utf-16", "rot13", "punycode", "no-such-one"])
def test_code_in_an_encoding_that_is_not_read_is_named(
    encoding: str, drifting: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    put(drifting, "app.py", CODE.replace('"id": 1', '"id": "1"'))
    put(drifting, "more.py", f"# coding: {encoding}\n{CODE}")
    reason = "left out: it declares an encoding that is not read and may hold a route or event"
    assert checked(capsys) == (2, [], {"more.py": reason})


def test_code_whose_encoding_writes_lines_in_another_way_is_named(
    drifting: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    put(drifting, "app.py", CODE.replace('"id": 1', '"id": "1"'))
    put(drifting, "more.py", "# coding: utf-7\n" + CODE.replace("\n@", "# words+AAo-@"))
    status, _, named = checked(capsys)
    assert (status, [*named]) == (2, ["more.py"])


@pytest.mark.parametrize(
    "spelling", ["full-width letters", "an escape", "U+2028 in C#", "an escaped line feed"]
)
def test_an_odd_spelling_in_a_change_is_seen(
    spelling: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, text = ODD[spelling]
    assert isinstance(text, str)
    put(tmp_path, "openapi.yaml", CONTRACT)
    put(tmp_path, "kept.py", CODE.replace('"id": 1', '"id": "1"'))
    put(tmp_path, path, "\n" * 10)
    subprocess.run(["git", "init", "--quiet", str(tmp_path)], check=True)
    monkeypatch.chdir(tmp_path)
    assert [main(["check"]), main(["check"])] == [0, 0]
    put(tmp_path, path, text)
    assert main(["check"]) == 1


@pytest.mark.parametrize("name", ["more.openapi.yaml", "any.yml"])
def test_a_contract_in_another_encoding_is_named(
    name: str, drifting: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    put(drifting, "app.py", CODE.replace('"id": 1', '"id": "1"'))
    (drifting / name).write_bytes(CONTRACT.encode("utf-16"))
    reason = "is encoded in UTF-16 or UTF-32; save it as UTF-8"
    assert checked(capsys) == (2, [], {name: reason})
