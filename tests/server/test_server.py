"""The language server as an editor meets it: a real process, spoken to over its streams."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from lsprotocol import types

from contract_scan.reports.rule_url import rule_url
from tests.cli.test_check import CONTRACT, DRIFT, SOURCE, write_project
from tests.server.editor import ROOT, editing

WRONG_TYPE = "`GET /orders/{id}` response 200: `total` is a string, expected a number"


def run(test: Callable[[], Awaitable[None]]) -> None:
    """Run a test that waits."""
    asyncio.run(asyncio.wait_for(_awaited(test), 240))


async def _awaited(test: Callable[[], Awaitable[None]]) -> None:
    await test()


def test_drift_is_shown_with_its_contract_line(tmp_path: Path) -> None:
    write_project(tmp_path, DRIFT)

    async def test() -> None:
        async with editing(tmp_path) as editor:
            await editor.until_shown(app=[WRONG_TYPE])
            (found,) = editor.shown["src/app.py"]
            assert found == types.Diagnostic(
                range=types.Range(types.Position(8, 11), types.Position(8, 14)),
                severity=types.DiagnosticSeverity.Error,
                code="CONTRACT-001/type",
                code_description=types.CodeDescription(rule_url("CONTRACT-001/type")),
                source="contract-scan",
                message=f"{WRONG_TYPE}\nchange the type in the code, or the contract if the code is"
                " right",
                related_information=(
                    types.DiagnosticRelatedInformation(
                        types.Location(
                            (tmp_path / "openapi.json").as_uri(),
                            types.Range(types.Position(46, 10), types.Position(46, 17)),
                        ),
                        "the contract says this: number",
                    ),
                    types.DiagnosticRelatedInformation(
                        types.Location(
                            (tmp_path / "src" / "app.py").as_uri(),
                            types.Range(types.Position(12, 4), types.Position(12, 13)),
                        ),
                        "reached from here",
                    ),
                ),
                data=found.data,
            )
            assert editor.watched == [
                "workspace/didChangeWatchedFiles",
                "workspace/didChangeConfiguration",
            ]

    run(test)


def test_saving_scans_and_typing_does_not(tmp_path: Path) -> None:
    write_project(tmp_path, DRIFT)
    app, other = tmp_path / "src" / "app.py", tmp_path / "src" / "other.py"

    async def test() -> None:
        async with editing(tmp_path) as editor:
            editor.open(app)
            await editor.until_shown(app=[WRONG_TYPE])
            editor.change(app, SOURCE)
            other.write_text(
                "from src.app import Order, app\n\n\n"
                '@app.get("/other")\ndef other() -> Order:\n    return load()\n'
            )
            editor.changed_on_disk(other)
            await editor.until_shown(other=["`GET /other` is in no contract"])
            assert editor.messages("app")[0].startswith(WRONG_TYPE)
            editor.save(app, SOURCE)
            await editor.until_shown(app=[], other=["`GET /other` is in no contract"])

    run(test)


def test_a_changed_contract_changes_what_is_shown_of_the_code(tmp_path: Path) -> None:
    write_project(tmp_path, SOURCE)
    contract = tmp_path / "openapi.json"

    async def test() -> None:
        async with editing(tmp_path) as editor:
            editor.open(contract)
            text = contract.read_text()
            editor.save(contract, text.replace('"number"', '"boolean"'))
            await editor.until_shown(app=["`GET /orders/{id}` response 200: `total` is a number"])
            contract.write_text(text)
            editor.changed_on_disk(contract)
            await editor.until_shown(app=[])

    run(test)


def test_many_requests_at_once_end_in_the_last_state(tmp_path: Path) -> None:
    write_project(tmp_path, SOURCE)
    app = tmp_path / "src" / "app.py"

    async def test() -> None:
        async with editing(tmp_path) as editor:
            editor.open(app)
            for number in range(30):
                editor.save(app, SOURCE.replace("total: float", f"total{number}: float"))
                await asyncio.sleep(0.02 if number % 10 else 0.3)
            editor.save(app, DRIFT)
            await editor.until_shown(app=[WRONG_TYPE])

    run(test)


def test_definitions_lead_from_code_to_contract_and_back(tmp_path: Path) -> None:
    write_project(tmp_path, SOURCE)
    app, contract = tmp_path / "src" / "app.py", tmp_path / "openapi.json"
    here = tmp_path.name

    async def test() -> None:
        async with editing(tmp_path) as editor:
            editor.open(app)
            editor.open(contract)
            assert await editor.definition(app, 8, 6) == [(f"{here}/openapi.json", 46, 10)]
            assert await editor.definition(app, 6, 8) == [(f"{here}/openapi.json", 36, 6)]
            assert await editor.definition(app, 11, 3) == [(f"{here}/openapi.json", 8, 6)]
            assert await editor.definition(app, 0, 0) == []
            assert await editor.definition(contract, 46, 12) == [("src/app.py", 8, 4)]
            assert await editor.definition(contract, 47, 14) == [("src/app.py", 8, 4)]
            assert await editor.definition(contract, 36, 8) == [("src/app.py", 6, 6)]
            assert await editor.definition(contract, 8, 8) == [("src/app.py", 11, 0)]
            assert await editor.definition(contract, 2, 4) == []

    run(test)


def test_hovers_show_the_contracted_schema(tmp_path: Path) -> None:
    write_project(tmp_path, DRIFT)
    app = tmp_path / "src" / "app.py"

    async def test() -> None:
        async with editing(tmp_path) as editor:
            editor.open(app)
            await editor.until_shown(app=[WRONG_TYPE])
            assert await editor.hover(app, 6, 8) == (
                "**`Order`** — type of `GET /orders/{id}`, contracted in `openapi.json:37`\n\n"
                "```\nOrder\n  id: string\n  total: number\n```\n\n---\n\n"
                "`GET /orders/{id}`: violated"
            )
            assert await editor.hover(app, 0, 0) == ""

    run(test)


def test_text_of_a_contract_cannot_act_in_a_hover(tmp_path: Path) -> None:
    hostile = "a```\n# [x](http://e.example)"
    contract: dict[str, Any] = json.loads(json.dumps(CONTRACT).replace('"id"', json.dumps(hostile)))
    write_project(tmp_path, SOURCE, contract)
    app = tmp_path / "src" / "app.py"

    async def test() -> None:
        async with editing(tmp_path) as editor:
            editor.open(app)
            text = await editor.hover(app, 6, 8)
            assert "````\nOrder\n  a```\\n# [x](http://e.example): string\n" in text

    run(test)


def test_columns_are_utf_16_unless_the_client_asks_for_others(tmp_path: Path) -> None:
    source = DRIFT.replace("    total: str", "    id2: str = '🎈é'; total: str")
    write_project(tmp_path, source)
    app = tmp_path / "src" / "app.py"
    columns = {}

    async def test(*encodings: str) -> None:
        async with editing(tmp_path, encodings=encodings) as editor:
            editor.open(app)
            await editor.until(lambda e: len(e.messages("app")) == 2)
            (found,) = [d for d in editor.shown["src/app.py"] if "is a string" in d.message]
            columns[encodings] = found.range.start.character
            assert len(await editor.definition(app, 8, found.range.start.character)) == 1

    for encodings in ((), ("utf-8",), ("utf-32",), ("utf-16", "utf-8")):
        run(lambda encodings=encodings: test(*encodings))  # type: ignore[misc]
    before = "    id2: str = '🎈é'; total: "
    assert columns == {
        (): len(before) + 1,
        ("utf-8",): len(before.encode()),
        ("utf-32",): len(before),
        ("utf-16", "utf-8"): len(before) + 1,
    }


def test_an_exception_with_a_reason_can_be_put_in_place(tmp_path: Path) -> None:
    write_project(tmp_path, DRIFT)
    app = tmp_path / "src" / "app.py"

    async def test() -> None:
        async with editing(tmp_path) as editor:
            editor.open(app)
            await editor.until_shown(app=[WRONG_TYPE])
            offered = await editor.actions(app, editor.shown["src/app.py"])
            action = next(a for a in offered if a.title.startswith("Ignore"))
            assert action.title == "Ignore CONTRACT-001/type here, with a reason"
            assert action.kind == types.CodeActionKind.QuickFix
            assert action.edit == types.WorkspaceEdit(
                changes={
                    app.as_uri(): (
                        types.TextEdit(
                            types.Range(types.Position(8, 0), types.Position(8, 0)),
                            "    # contract-scan: ignore[CONTRACT-001/type] say why\n",
                        ),
                    )
                }
            )
            lines = DRIFT.splitlines(keepends=True)
            lines.insert(8, "    # contract-scan: ignore[CONTRACT-001/type] say why\n")
            editor.save(app, "".join(lines))
            await editor.until_shown(app=[])

    run(test)


def test_what_can_be_mended_is_offered_and_mends_it(tmp_path: Path) -> None:
    write_project(tmp_path, SOURCE.replace("total: float", "Total: float"))
    app = tmp_path / "src" / "app.py"

    async def test() -> None:
        async with editing(tmp_path) as editor:
            editor.open(app)
            await editor.until(lambda e: bool(e.messages("app")))
            offered = await editor.actions(app, editor.shown["src/app.py"])
            fix = next(a for a in offered if a.title.startswith("Fix"))
            assert fix.title == "Fix (unsafe): name it `total` on the wire"
            assert fix.is_preferred is None
            assert fix.edit is not None
            editor.save(app, edited(app.read_text(), fix.edit))
            await editor.until_shown(app=[])
            assert 'alias="total"' in app.read_text()

    run(test)


def test_unsaved_text_is_not_mended(tmp_path: Path) -> None:
    write_project(tmp_path, SOURCE.replace("total: float", "Total: float"))
    app = tmp_path / "src" / "app.py"

    async def test() -> None:
        async with editing(tmp_path) as editor:
            editor.open(app)
            await editor.until(lambda e: bool(e.messages("app")))
            editor.change(app, "# typed\n" + app.read_text())
            offered = await editor.actions(app, editor.shown["src/app.py"])
            assert [each.title for each in offered] == [
                "Ignore CONTRACT-001/name-case here, with a reason"
            ]

    run(test)


def edited(text: str, edit: types.WorkspaceEdit) -> str:
    """A text of one file with edits made, from its end to its start."""
    assert edit.changes is not None
    ((_, edits),) = edit.changes.items()
    lines = text.splitlines(keepends=True)
    starts = [sum(map(len, lines[:number])) for number in range(len(lines) + 1)]

    def offset(at: types.Position) -> int:
        return starts[at.line] + at.character

    for each in sorted(edits, key=lambda e: offset(e.range.start), reverse=True):
        start, end = offset(each.range.start), offset(each.range.end)
        text = text[:start] + each.new_text + text[end:]
    return text


def test_json_has_no_comments_to_put_an_exception_in(tmp_path: Path) -> None:
    write_project(tmp_path, SOURCE.replace("/orders/{id}", "/elsewhere"))
    contract = tmp_path / "openapi.json"

    async def test() -> None:
        async with editing(tmp_path) as editor:
            editor.open(contract)
            await editor.until(lambda e: bool(e.messages("openapi")))
            assert (
                await editor.actions(contract, editor.shown[f"{tmp_path.name}/openapi.json"]) == []
            )

    run(test)


def test_every_folder_has_its_own_configuration(tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    for folder in (one, two):
        write_project(folder, DRIFT)
        (folder / "src" / "app.py").rename(folder / "src" / f"{folder.name}.py")
    (two / "contract-scan.toml").write_text("ignore = ['CONTRACT-001']\n")

    async def test() -> None:
        async with editing(one, two) as editor:
            await editor.until_shown(one=[WRONG_TYPE])
            (two / "contract-scan.toml").write_text("")
            editor.changed_on_disk(two / "contract-scan.toml")
            await editor.until_shown(one=[WRONG_TYPE], two=[WRONG_TYPE])
            gone = types.WorkspaceFolder(one.as_uri(), "one")
            editor.client.workspace_did_change_workspace_folders(
                types.DidChangeWorkspaceFoldersParams(
                    types.WorkspaceFoldersChangeEvent(added=[], removed=[gone])
                )
            )
            await editor.until_shown(one=[], two=[WRONG_TYPE])

    run(test)


def test_a_broken_configuration_is_shown_where_it_is_broken(tmp_path: Path) -> None:
    write_project(tmp_path, DRIFT)
    configuration = tmp_path / "contract-scan.toml"
    configuration.write_text("# ours\nselekt = ['ALL']\n")
    name = f"{tmp_path.name}/contract-scan.toml"

    async def test() -> None:
        async with editing(tmp_path) as editor:
            await editor.until(lambda e: bool(e.shown.get(name)))
            (found,) = editor.shown[name]
            assert found.message.startswith("unknown key `selekt`; did you mean `select`?")
            assert found.range.start == types.Position(1, 0)
            assert found.code == "not-analysed"
            configuration.write_text("")
            editor.changed_on_disk(configuration)
            await editor.until_shown(app=[WRONG_TYPE])
            assert editor.shown[name] == []

    run(test)


def test_a_contract_that_cannot_be_read_is_shown_where_it_breaks(tmp_path: Path) -> None:
    write_project(tmp_path, SOURCE, '{\n  "openapi": "9.0.0"\n}\n')
    (tmp_path / "contract-scan.toml").write_text("contracts = ['openapi.json']\n")

    async def test() -> None:
        async with editing(tmp_path) as editor:
            await editor.until(lambda e: bool(e.messages("openapi")))
            (found,) = editor.shown[f"{tmp_path.name}/openapi.json"]
            assert (found.range.start.line, found.code) == (1, "not-analysed")

    run(test)


def test_a_folder_without_contracts_is_quiet(tmp_path: Path) -> None:
    (tmp_path / "app.py").write_text(SOURCE)

    async def test() -> None:
        async with editing(tmp_path) as editor:
            await editor.until(lambda e: bool(e.log))
            assert editor.shown == {}
            assert [each.split(": ")[1] for each in editor.log] == ["no contract was found"]

    run(test)


def test_a_file_that_is_opened_alone_brings_its_repository(tmp_path: Path) -> None:
    write_project(tmp_path, DRIFT)

    async def test() -> None:
        async with editing() as editor:
            editor.open(tmp_path / "src" / "app.py")
            await editor.until_shown(app=[WRONG_TYPE])

    run(test)


def test_hostile_messages_do_not_end_the_server(tmp_path: Path) -> None:
    write_project(tmp_path, DRIFT)
    app = tmp_path / "src" / "app.py"

    async def test() -> None:
        async with editing(tmp_path) as editor:
            await editor.until_shown(app=[WRONG_TYPE])
            editor.open(tmp_path / "src" / "gone.py", "x = 1\n")
            assert await editor.definition(tmp_path / "no" / "such.py", 900, 900) == []
            assert await editor.hover(app, 10_000, 10_000) == ""
            assert await editor.definition(Path("/"), 0, 0) == []
            untitled = types.TextDocumentItem("untitled:Untitled-1", "python", 0, "x")
            editor.client.text_document_did_open(types.DidOpenTextDocumentParams(untitled))
            assert await editor.hover(app, 8, 6) != ""

    run(test)


def served(*words: str, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, *words],
        input=stdin,
        cwd=ROOT,
        capture_output=True,
        check=False,
        timeout=120,
    )


def test_a_client_that_goes_without_a_word() -> None:
    done = served("-m", "contract_scan", "server")
    assert (done.returncode, done.stdout) == (1, b"")


def test_without_the_extra_one_line_says_so() -> None:
    script = (
        "import sys\n"
        "sys.modules['pygls'] = None\n"
        "from contract_scan.cli.main import main\n"
        "sys.exit(main(['server']))\n"
    )
    done = served("-c", script)
    assert (done.returncode, done.stdout, done.stderr) == (
        2,
        b"",
        b"contract-scan: the language server needs pygls: pip install 'contract-scan[lsp]'\n",
    )


def test_paths_are_for_the_editor_to_name() -> None:
    done = served("-m", "contract_scan", "server", "src")
    assert (done.returncode, done.stderr) == (
        2,
        b"contract-scan: src: the editor names the folders; leave out\n",
    )
