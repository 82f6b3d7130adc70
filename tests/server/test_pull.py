"""Diagnostics that the editor asks for, kinds of actions, and what it takes back."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcException

from tests.cli.test_check import DRIFT, SOURCE, write_project
from tests.fixes.projects import java, write
from tests.fixes.test_operations import APP, V3
from tests.server.editor import editing
from tests.server.test_server import WRONG_TYPE, edited, run

MESSAGE = f"{WRONG_TYPE}\nchange the type in the code, or the contract if the code is right"
NULLABLE = java('String id, @JsonProperty("unit_price") double price')


def test_an_open_file_is_pulled_and_not_pushed(tmp_path: Path) -> None:
    write_project(tmp_path, DRIFT)
    app = tmp_path / "src" / "app.py"

    async def test() -> None:
        async with editing(tmp_path, pulls=True) as editor:
            editor.open(app)
            found, mark = await editor.pull(app)
            assert found == [MESSAGE]
            assert await editor.pull(app, mark) == (None, mark)
            assert editor.messages("app") == []
            editor.save(app, SOURCE)
            again, other = await editor.pull(app, mark)
            assert (again, other != mark) == ([], True)
            assert await editor.pull(app, other) == (None, other)

    run(test)


def test_what_is_not_open_is_pushed_until_all_is_pulled(tmp_path: Path) -> None:
    write_project(tmp_path, DRIFT)
    app = tmp_path / "src" / "app.py"

    async def test() -> None:
        async with editing(tmp_path, pulls=True) as editor:
            await editor.until_shown(app=[WRONG_TYPE])
            editor.open(app)
            await editor.until_shown(app=[])
            document = types.TextDocumentIdentifier(app.as_uri())
            editor.client.text_document_did_close(types.DidCloseTextDocumentParams(document))
            await editor.until_shown(app=[WRONG_TYPE])
            found = await editor.pull_all({})
            assert [*found] == ["src/app.py"]
            messages, mark = found["src/app.py"]
            assert messages == [MESSAGE]
            await editor.until_shown(app=[])
            assert await editor.pull_all({app.as_uri(): mark}) == {"src/app.py": (None, mark)}
            app.write_text(SOURCE)
            editor.changed_on_disk(app)
            changed = await editor.pull_all({app.as_uri(): mark})
            assert changed["src/app.py"][0] == []

    run(test)


def test_the_editor_is_told_when_to_pull_again(tmp_path: Path) -> None:
    write_project(tmp_path, DRIFT)
    app = tmp_path / "src" / "app.py"

    async def test() -> None:
        async with editing(tmp_path, pulls=True) as editor:
            await editor.until(lambda e: e.refreshed == 1)
            app.write_text(SOURCE)
            editor.changed_on_disk(app)
            await editor.until(lambda e: e.refreshed == 2)
            assert await editor.pull(app) == ([], (await editor.pull(app))[1])

    run(test)


def test_a_client_that_cannot_pull_is_told_everything(tmp_path: Path) -> None:
    write_project(tmp_path, DRIFT)

    async def test() -> None:
        async with editing(tmp_path) as editor:
            editor.open(tmp_path / "src" / "app.py")
            await editor.until_shown(app=[WRONG_TYPE])
            assert editor.refreshed == 0

    run(test)


def test_a_request_that_is_taken_back_is_answered_so(tmp_path: Path) -> None:
    write_project(tmp_path, DRIFT)
    app = tmp_path / "src" / "app.py"

    async def test() -> None:
        async with editing(tmp_path, pulls=True) as editor:
            editor.open(app)
            protocol = editor.client.protocol
            asked = protocol.send_request_async(
                types.TEXT_DOCUMENT_DIAGNOSTIC,
                types.DocumentDiagnosticParams(types.TextDocumentIdentifier(app.as_uri())),
                msg_id="pulled",
            )
            waiting = asyncio.ensure_future(asked)
            await asyncio.sleep(0)
            protocol.notify(types.CANCEL_REQUEST, types.CancelParams("pulled"))
            with pytest.raises(JsonRpcException) as refused:
                await waiting
            assert refused.value.code == types.LSPErrorCodes.RequestCancelled
            assert (await editor.pull(app))[0] == [MESSAGE]

    run(test)


def test_another_configuration_is_another_scan(tmp_path: Path) -> None:
    write_project(tmp_path, DRIFT)

    async def test() -> None:
        async with editing(tmp_path) as editor:
            await editor.until_shown(app=[WRONG_TYPE])
            assert sorted(editor.watched) == [
                "workspace/didChangeConfiguration",
                "workspace/didChangeWatchedFiles",
            ]
            (tmp_path / "contract-scan.toml").write_text('ignore = ["CONTRACT-001"]\n')
            editor.client.workspace_did_change_configuration(
                types.DidChangeConfigurationParams(None)
            )
            await editor.until_shown(app=[])

    run(test)


def test_actions_of_a_kind(tmp_path: Path) -> None:
    app = write(tmp_path, "App.java", NULLABLE)

    async def test() -> None:
        async with editing(tmp_path) as editor:
            editor.open(app)
            await editor.until(lambda e: bool(e.messages("App")))
            (diagnostic,) = next(iter(editor.shown.values()))
            one = "Fix: name it `unitPrice` on the wire"
            ignore = "Ignore CONTRACT-001/name-case here, with a reason"
            every = "Fix all that contract-scan can mend safely"
            for only, titles in (
                (None, [one, every, ignore]),
                ([types.CodeActionKind.QuickFix], [one, ignore]),
                ([types.CodeActionKind.Source], [every]),
                ([types.CodeActionKind.SourceFixAll], [every]),
                (["source.fixAll.contract-scan"], [every]),
                (["source.fixAll.other"], []),
                ([types.CodeActionKind.Refactor], []),
            ):
                offered = await editor.actions(app, [diagnostic], only)
                assert [each.title for each in offered] == titles
            (all_,) = await editor.actions(app, [], ["source.fixAll.contract-scan"])
            assert (all_.kind, all_.edit is not None) == ("source.fixAll.contract-scan", True)
            assert all_.edit is not None
            editor.save(app, edited(app.read_text(), all_.edit))
            await editor.until_shown(App=[])
            assert app.read_text() == NULLABLE.replace("unit_price", "unitPrice")

    run(test)


def test_a_route_is_added_to_the_contract(tmp_path: Path) -> None:
    app, contract = tmp_path / "app.py", tmp_path / "openapi.yaml"
    (tmp_path / ".git").mkdir()
    app.write_text(APP)
    contract.write_text(V3)

    async def test() -> None:
        async with editing(tmp_path) as editor:
            editor.open(app)
            editor.open(contract)
            await editor.until(lambda e: len(e.messages("app")) == 3)
            (shown,) = editor.shown.values()
            offered = [each for d in shown for each in await editor.actions(app, [d])]
            title = "Fix (unsafe): add `DELETE /orders/{id}` to the contract"
            (added,) = [each for each in offered if each.title == title]
            assert added.edit is not None and added.edit.changes is not None
            assert [*added.edit.changes] == [contract.as_uri()]
            editor.change(contract, f"{V3}# typed\n")
            typing = [each for d in shown for each in await editor.actions(app, [d])]
            assert not [each for each in typing if each.title.startswith("Fix")]
            editor.save(contract, edited(V3, added.edit))
            await editor.until(lambda e: len(e.messages("app")) == 2)

    run(test)
