"""An editor without a screen: a real client that speaks to the real server process."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from lsprotocol import types
from pygls.lsp.client import LanguageClient

from tests.forked import forked_python

ROOT = Path(__file__).parents[2]
PATIENCE = 60.0
"""Seconds after which a test gives up waiting."""

Shown = dict[str, list[types.Diagnostic]]


class Editor:
    """What a person at an editor does, and what they see."""

    def __init__(self, client: LanguageClient) -> None:
        self.client = client
        self.shown: Shown = {}
        """Diagnostics by the name of the file's last two parts."""
        self.log: list[str] = []
        self._news = asyncio.Condition()
        self._version = 0
        self.watched: list[str] = []
        """What the server has asked to be told of."""
        self.refreshed = 0
        """How often the server has said that pulling again is worth it."""

        @client.feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
        async def published(params: types.PublishDiagnosticsParams) -> None:
            await self._published(params)

        @client.feature(types.WINDOW_LOG_MESSAGE)
        async def logged(params: types.LogMessageParams) -> None:
            await self._logged(params)

        @client.feature(types.CLIENT_REGISTER_CAPABILITY)
        def registered(params: types.RegistrationParams) -> None:
            self.watched += [registration.method for registration in params.registrations]

        @client.feature(types.WORKSPACE_DIAGNOSTIC_REFRESH)
        async def refreshed(params: None) -> None:
            async with self._news:
                self.refreshed += 1
                self._news.notify_all()

    async def _published(self, params: types.PublishDiagnosticsParams) -> None:
        async with self._news:
            self.shown[short(params.uri)] = list(params.diagnostics)
            self._news.notify_all()

    async def _logged(self, params: types.LogMessageParams) -> None:
        async with self._news:
            self.log.append(params.message)
            self._news.notify_all()

    async def until(self, holds: Callable[[Editor], bool]) -> None:
        """Wait for what is shown or logged."""
        async with self._news:
            await asyncio.wait_for(self._news.wait_for(lambda: holds(self)), PATIENCE)

    async def until_shown(self, **messages: Sequence[str]) -> None:
        """Wait until the files show diagnostics with exactly these beginnings."""

        def holds(editor: Editor) -> bool:
            return all(
                len(found := editor.messages(name)) == len(wanted)
                and all(map(str.startswith, found, wanted))
                for name, wanted in messages.items()
            )

        await self.until(holds)

    def messages(self, name: str) -> list[str]:
        """The messages that the file of a base name (without suffix) shows."""
        return [
            each.message
            for path, found in sorted(self.shown.items())
            if Path(path).stem == name
            for each in found
        ]

    def open(self, path: Path, text: str | None = None) -> None:
        """Open a file."""
        said = path.read_bytes().decode("utf-8") if text is None else text
        item = types.TextDocumentItem(path.as_uri(), "any", 0, said)
        self.client.text_document_did_open(types.DidOpenTextDocumentParams(item))

    def change(self, path: Path, text: str) -> None:
        """Type something, without saving."""
        self._version += 1
        whole = types.TextDocumentContentChangeWholeDocument(text)
        document = types.VersionedTextDocumentIdentifier(self._version, path.as_uri())
        self.client.text_document_did_change(types.DidChangeTextDocumentParams(document, [whole]))

    def save(self, path: Path, text: str) -> None:
        """Type something and save it."""
        self.change(path, text)
        path.write_text(text, encoding="utf-8", newline="")
        document = types.TextDocumentIdentifier(path.as_uri())
        self.client.text_document_did_save(types.DidSaveTextDocumentParams(document))

    def changed_on_disk(self, *paths: Path) -> None:
        """Something else than the editor has written files."""
        changes = [types.FileEvent(path.as_uri(), types.FileChangeType.Changed) for path in paths]
        self.client.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams(changes))

    async def pull(self, path: Path, previous: str | None = None) -> tuple[list[str] | None, str]:
        """The messages of a file, which the editor asks for (None: as before), and their mark."""
        found = await self.client.text_document_diagnostic_async(
            types.DocumentDiagnosticParams(
                types.TextDocumentIdentifier(path.as_uri()), previous_result_id=previous
            )
        )
        if isinstance(found, types.RelatedUnchangedDocumentDiagnosticReport):
            return None, found.result_id
        return [each.message for each in found.items], found.result_id or ""

    async def pull_all(self, previous: dict[str, str]) -> dict[str, tuple[list[str] | None, str]]:
        """The same of all files, by the last two parts of their names."""
        known = [types.PreviousResultId(uri, mark) for uri, mark in previous.items()]
        found = await self.client.workspace_diagnostic_async(types.WorkspaceDiagnosticParams(known))
        return {
            short(each.uri): (
                None
                if isinstance(each, types.WorkspaceUnchangedDocumentDiagnosticReport)
                else [item.message for item in each.items],
                each.result_id or "",
            )
            for each in found.items
        }

    async def definition(self, path: Path, line: int, character: int) -> list[tuple[str, int, int]]:
        """File, line and column (from 0) that the place leads to."""
        found = await self.client.text_document_definition_async(
            types.DefinitionParams(
                types.TextDocumentIdentifier(path.as_uri()), types.Position(line, character)
            )
        )
        places = found if isinstance(found, list) else []
        return [
            (short(place.uri), place.range.start.line, place.range.start.character)
            for place in places
            if isinstance(place, types.Location)
        ]

    async def hover(self, path: Path, line: int, character: int) -> str:
        """The text of a hover; empty for none."""
        found = await self.client.text_document_hover_async(
            types.HoverParams(
                types.TextDocumentIdentifier(path.as_uri()), types.Position(line, character)
            )
        )
        if found is None:
            return ""
        assert isinstance(found.contents, types.MarkupContent)
        return found.contents.value

    async def actions(
        self,
        path: Path,
        diagnostics: Sequence[types.Diagnostic],
        only: Sequence[types.CodeActionKind | str] | None = None,
    ) -> list[types.CodeAction]:
        """What is offered for diagnostics of a file, of some kinds alone where these are named."""
        start = types.Position(0, 0)
        place = diagnostics[0].range if diagnostics else types.Range(start, start)
        found = await self.client.text_document_code_action_async(
            types.CodeActionParams(
                types.TextDocumentIdentifier(path.as_uri()),
                place,
                types.CodeActionContext(diagnostics, only),
            )
        )
        return [each for each in found or [] if isinstance(each, types.CodeAction)]


def short(uri: str) -> str:
    """The last two parts of an address."""
    return "/".join(uri.split("/")[-2:])


@asynccontextmanager
async def editing(
    *folders: Path,
    encodings: Sequence[str] | None = None,
    words: Sequence[str] = ("--no-cache",),
    pulls: bool = False,
    before: Sequence[str] = (),
    shows_disabled: bool = True,
    variables: Mapping[str, str] | None = None,
) -> AsyncIterator[Editor]:
    """An editor with these folders open; it leaves politely, and the server has to follow. What is
    `before` the command runs it, with further environment `variables`."""
    client = LanguageClient("editor", "1")
    editor = Editor(client)
    environment = {**os.environ, "PYTHONPATH": str(ROOT), **(variables or {})}
    python = (*before, sys.executable) if before else (forked_python(),)
    command = (*python, "-m", "contract_scan", "server", *words)
    await client.start_io(*command, env=environment, cwd=next(iter(folders), None))
    kinds = [types.PositionEncodingKind(each) for each in encodings or ()]
    await client.initialize_async(
        types.InitializeParams(
            types.ClientCapabilities(
                text_document=types.TextDocumentClientCapabilities(
                    diagnostic=types.DiagnosticClientCapabilities() if pulls else None,
                    code_action=types.CodeActionClientCapabilities(disabled_support=shows_disabled),
                ),
                general=types.GeneralClientCapabilities(position_encodings=kinds or None),
                workspace=types.WorkspaceClientCapabilities(
                    workspace_folders=True,
                    did_change_watched_files=types.DidChangeWatchedFilesClientCapabilities(
                        dynamic_registration=True
                    ),
                    did_change_configuration=types.DidChangeConfigurationClientCapabilities(
                        dynamic_registration=True
                    ),
                    diagnostics=types.DiagnosticWorkspaceClientCapabilities(refresh_support=pulls),
                ),
            ),
            workspace_folders=[types.WorkspaceFolder(f.as_uri(), f.name) for f in folders],
        )
    )
    client.initialized(types.InitializedParams())
    process = client._server
    assert process is not None
    try:
        yield editor
        await asyncio.wait_for(client.shutdown_async(None), PATIENCE)
        client.exit(None)
        await asyncio.wait_for(process.wait(), PATIENCE)
        assert process.returncode == 0
    finally:
        if process.returncode is None:
            process.kill()
        await client.stop()
