"""The protocol: what an editor says, and what it is told."""

from __future__ import annotations

import asyncio
import logging
import os
import sys
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from threading import Event
from typing import Any, BinaryIO

from lsprotocol import types
from pygls.lsp.server import LanguageServer

from contract_scan import __version__
from contract_scan.ir.origin import Origin
from contract_scan.ir.violation import Finding
from contract_scan.parsers.source.discovery.discover import MAX_OTHER_BYTES, read_regular
from contract_scan.reports.display import display
from contract_scan.scanners.links import Link
from contract_scan.scanners.report import Report
from contract_scan.server.actions import (
    FIX_ALL,
    fix_actions,
    fix_all_action,
    ignore_actions,
    lines_of,
)
from contract_scan.server.connection import Connection
from contract_scan.server.diagnostics import SOURCE, diagnostics_of
from contract_scan.server.diagnostics_publisher import DiagnosticsPublisher
from contract_scan.server.folder import Folder, home_of, innermost
from contract_scan.server.hover import hover_text
from contract_scan.server.index import Index
from contract_scan.server.positions import Positions, code_points, path_of
from contract_scan.server.scan_worker import (
    ScanOutcome,
    SettingsOf,
    find_fixes,
    find_links,
    scan_folder,
)
from contract_scan.server.schedule import Schedule

WATCHED = (
    "**/*.{py,ts,tsx,mts,cts,js,jsx,mjs,cjs,cs,java,yaml,yml,json,md,toml,properties,xml,csproj,"
    "gradle,kts,gitignore}"
)
"""Files whose change may change what is found: code, contracts, configuration, build files."""
_NOT_WATCHED = frozenset({".git", ".contract_scan_cache", "node_modules"})


class App:
    """One server. Everything here runs in the event loop, scans in the worker of `schedule`."""

    def __init__(self, settings_of: SettingsOf) -> None:
        self.server = LanguageServer(
            "contract-scan", __version__, text_document_sync_kind=types.TextDocumentSyncKind.Full
        )
        self._settings_of = settings_of
        self._folders: dict[Path, Folder] = {}
        self._goodbye = False
        self._showing = DiagnosticsPublisher(self.server, self._folders)
        self._schedule: Schedule[ScanOutcome] = Schedule(
            self._scan, self._publish_scan, self._report_failure
        )
        self._offer()

    def serve_stdio(self) -> bool:
        """Serve standard input and output until the client goes; whether it said goodbye."""
        # pygls logs tracebacks of what a client sends; the client is told of that anyway.
        log = logging.getLogger("pygls")
        log.addHandler(logging.NullHandler())
        log.propagate = False
        wire = sys.stdout.buffer
        sys.stdout = sys.stderr  # whatever else is printed must not reach the client
        try:
            asyncio.run(self._serve(sys.stdin.buffer, wire))
        except (BrokenPipeError, KeyboardInterrupt):
            pass
        finally:
            self.server.shutdown()  # type: ignore[no-untyped-call]
            self._schedule.close()
        return self._goodbye

    async def _serve(self, stdin: BinaryIO, stdout: BinaryIO) -> None:
        await Connection(self.server).serve(stdin, stdout)

    def _offer(self) -> None:
        self._answer(types.INITIALIZED, self.initialized)
        self._answer(types.SHUTDOWN, self.shutdown)
        self._answer(types.TEXT_DOCUMENT_DID_OPEN, self.did_open)
        self._answer(types.TEXT_DOCUMENT_DID_CLOSE, self.did_close)
        self._answer(types.TEXT_DOCUMENT_DID_SAVE, self.did_save)
        self._answer(types.WORKSPACE_DID_CHANGE_WATCHED_FILES, self.files_changed)
        self._answer(types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS, self.folders_changed)
        self._answer(types.TEXT_DOCUMENT_DEFINITION, self.definition)
        self._answer(types.TEXT_DOCUMENT_HOVER, self.hover)
        kinds = types.CodeActionOptions(code_action_kinds=[types.CodeActionKind.QuickFix, FIX_ALL])
        self._answer(types.TEXT_DOCUMENT_CODE_ACTION, self.code_actions, kinds)
        pulling = types.DiagnosticOptions(
            inter_file_dependencies=True, workspace_diagnostics=True, identifier=SOURCE
        )
        self._answer(types.TEXT_DOCUMENT_DIAGNOSTIC, self.pull_diagnostics, pulling)
        self._answer(types.WORKSPACE_DIAGNOSTIC, self.pulled_all)
        self._answer(types.WORKSPACE_DID_CHANGE_CONFIGURATION, self.configuration_changed)

    def _answer(
        self, message: str, handler: Callable[[Any], Awaitable[object]], options: object = None
    ) -> None:
        async def answer(params: Any) -> object:  # pygls marks what it is given: no bound methods
            return await handler(params)

        self.server.feature(message, options)(answer)

    # ------------------------------------------------------------------ what the client says

    async def initialized(self, params: types.InitializedParams) -> None:
        """Scan every folder, and ask to be told of changes on disk."""
        capabilities = self.server.client_capabilities
        self._showing.begin(capabilities)
        for folder in self.server.workspace.folders.values():
            self._add(folder.uri)
        if not self._folders and (root := self.server.workspace.root_uri):
            self._add(root)
        wanted = list(_registrations(capabilities.workspace))
        if wanted:
            await self.server.client_register_capability_async(types.RegistrationParams(wanted))

    async def shutdown(self, params: None) -> None:
        """Stop what runs."""
        self._goodbye = True
        for folder in self._folders:
            self._schedule.forget(folder)

    async def did_open(self, params: types.DidOpenTextDocumentParams) -> None:
        """Scan around a file that is opened."""
        uri = params.text_document.uri
        path = path_of(uri)
        if path is None:
            return
        self._showing.mark_open(path, uri)
        if not innermost([*self._folders.values()], path) and (home := home_of(path)) is not None:
            self._folders.setdefault(home, Folder(home))
        for folder in innermost([*self._folders.values()], path):
            self._schedule.want(folder.path)

    async def did_close(self, params: types.DidCloseTextDocumentParams) -> None:
        """Forget how the client writes a file's address."""
        path = path_of(params.text_document.uri)
        if path is not None:
            self._showing.mark_closed(path)

    async def did_save(self, params: types.DidSaveTextDocumentParams) -> None:
        """Scan again: a contract, the code or the configuration may say something else now."""
        path = path_of(params.text_document.uri)
        if path is not None:
            self._request(path)

    async def files_changed(self, params: types.DidChangeWatchedFilesParams) -> None:
        """The same for files that something else has written."""
        for change in params.changes:
            path = path_of(change.uri)
            if path is not None and not _NOT_WATCHED.intersection(path.parts):
                self._request(path)

    async def folders_changed(self, params: types.DidChangeWorkspaceFoldersParams) -> None:
        """Scan new folders, and take back what was said of those that are gone."""
        for removed in params.event.removed:
            path = path_of(removed.uri)
            folder = self._folders.pop(path, None) if path is not None else None
            if folder is not None:
                self._schedule.forget(folder.path)
                self._showing.publish({*folder.diagnostics})
        for added in params.event.added:
            self._add(added.uri)

    async def definition(self, params: types.DefinitionParams) -> list[types.Location]:
        """From code to its contract, and from a contract to its code."""
        others: list[Origin] = []
        for folder, path, line, column in self._places(params.text_document.uri, params.position):
            positions = self._positions(folder)
            index = await self._index(folder)
            for link in index.links_at(path, line, column, positions.line):
                other = link.code if link.contract.path == path else link.contract
                others.append(other)
            others += _counterparts(folder.outcome.report, path, line) if not others else ()
            if others:
                places = [positions.location(other) for other in others]
                return [place for n, place in enumerate(places) if place not in places[:n]]
        return []

    async def hover(self, params: types.HoverParams) -> types.Hover | None:
        """What the contract says of the thing below the cursor."""
        for folder, path, line, column in self._places(params.text_document.uri, params.position):
            links = await self._links(folder, path, line, column)
            if links:
                text = hover_text(links, folder.outcome.report)
                return types.Hover(types.MarkupContent(types.MarkupKind.Markdown, text))
        return None

    async def code_actions(self, params: types.CodeActionParams) -> list[types.CodeAction]:
        """What can be done about the diagnostics of a place."""
        uri = params.text_document.uri
        diagnostics = [each for each in params.context.diagnostics if each.source == SOURCE]
        one_by_one = bool(diagnostics) and _wants(params, types.CodeActionKind.QuickFix)
        all_at_once = _wants(params, FIX_ALL)
        found: list[types.CodeAction] = []
        path = path_of(uri) if one_by_one or all_at_once else None
        holding = [] if path is None else innermost([*self._folders.values()], path)
        # What was found before the last save may have moved since.
        await self._schedule.wait_idle(folder.path for folder in holding)
        text = self._text(uri)
        if path is not None and text == _on_disk(path):
            for folder in holding:
                relative = path.relative_to(folder.path).as_posix()
                positions = self._positions(folder)
                mendable = self._fixes_of_saved_files(folder, await self._fixes(folder, relative))
                if one_by_one:
                    actions = fix_actions(diagnostics, mendable, positions, uri)
                    found += [each for each in actions if not each.disabled or self._shows_disabled]
                if all_at_once:
                    found += fix_all_action(mendable, positions, uri)
                if found:
                    break
        return [*found, *(ignore_actions(uri, text, diagnostics) if one_by_one else ())]

    async def pull_diagnostics(
        self, params: types.DocumentDiagnosticParams
    ) -> types.RelatedFullDocumentDiagnosticReport | types.RelatedUnchangedDocumentDiagnosticReport:
        """The diagnostics of a file, once the scans of its folders have ended."""
        uri = params.text_document.uri
        path = path_of(uri)
        if path is not None:
            holding = innermost([*self._folders.values()], path)
            await self._schedule.wait_idle(folder.path for folder in holding)
        return self._showing.of_file(uri, params.previous_result_id)

    async def pulled_all(
        self, params: types.WorkspaceDiagnosticParams
    ) -> types.WorkspaceDiagnosticReport:
        """The same of all files."""
        await self._schedule.wait_idle(self._folders)
        return self._showing.of_all(params.previous_result_ids)

    async def configuration_changed(self, params: types.DidChangeConfigurationParams) -> None:
        """Scan everything again: variables and files that settings come from may be others."""
        for folder in self._folders:
            self._schedule.request(folder)

    # ------------------------------------------------------------------ scans

    def _add(self, uri: str) -> None:
        path = path_of(uri)
        if path is not None and path.is_dir() and path not in self._folders:
            self._folders[path] = Folder(path)
            self._schedule.request(path)

    def _request(self, path: Path) -> None:
        """Scan the folders that a file may matter to: its own; all, where it is in none."""
        folders = [*self._folders.values()]
        for folder in innermost(folders, path) or folders:
            self._schedule.request(folder.path)

    def _scan(self, folder: Path, cancelled: Event) -> ScanOutcome:
        return scan_folder(folder, self._settings_of, cancelled)

    def _publish_scan(self, path: Path, outcome: ScanOutcome) -> None:
        folder = self._folders.get(path)
        if folder is None:
            return
        folder.outcome, folder.index, folder.fixes = outcome, None, {}
        before = {*folder.diagnostics}
        folder.diagnostics = diagnostics_of(outcome, self._positions(folder))
        self._showing.publish(before | {*folder.diagnostics})
        said = outcome.problem.reason if outcome.problem is not None else ""
        if said and said != folder.said:
            self._log(f"{path}: {said}", types.MessageType.Info)
        folder.said = said

    def _report_failure(self, path: Path, error: Exception) -> None:
        text = f"{path}: internal error: {type(error).__name__}: {error}"
        self._log(text, types.MessageType.Error)

    def _log(self, text: str, kind: types.MessageType) -> None:
        self.server.window_log_message(types.LogMessageParams(kind, display(text)))

    # ------------------------------------------------------------------ places

    @property
    def _encoding(self) -> str:
        encoding = self.server.workspace.position_encoding
        return str(getattr(encoding, "value", encoding) or "utf-16")

    def _text(self, uri: str) -> str:
        """The text of a file as the client sees it: of its buffer, else from disk; empty where it
        is neither open nor in a folder."""
        document = self.server.workspace.text_documents.get(uri)
        if document is not None:
            return str(document.source)
        path = path_of(uri)
        if path is None or not innermost([*self._folders.values()], path):
            return ""
        return _on_disk(path)

    def _positions(self, folder: Folder) -> Positions:
        return Positions(folder.path, self._encoding)

    def _places(self, uri: str, position: types.Position) -> list[tuple[Folder, str, int, int]]:
        """The place of the cursor in each folder that may know of it: path, line and column from
        1. The folders that hold the file come first."""
        path = path_of(uri)
        if path is None:
            return []
        lines = lines_of(self._text(uri))
        number = position.line
        text = lines[number] if number < len(lines) else ""
        column = code_points(text, position.character, self._encoding) + 1
        folders = [*self._folders.values()]
        own = innermost(folders, path)
        others = [folder for folder in folders if folder not in own]
        return [
            (folder, Path(os.path.relpath(path, folder.path)).as_posix(), number + 1, column)
            for folder in (*own, *others)
        ]

    async def _links(self, folder: Folder, path: str, line: int, column: int) -> list[Link]:
        index = await self._index(folder)
        return index.links_at(path, line, column, self._positions(folder).line)

    async def _fixes(self, folder: Folder, path: str) -> dict[str, Finding]:
        outcome = folder.outcome
        findings = [each for each in outcome.report.findings if each.origin.path == path]
        if path not in folder.fixes:
            folder.fixes[path] = asyncio.ensure_future(
                self._schedule.in_worker(
                    lambda: find_fixes(folder.path, findings, outcome.began, self._settings_of)
                )
            )
        return await asyncio.shield(folder.fixes[path])

    @property
    def _shows_disabled(self) -> bool:
        """Whether the client shows actions that cannot be chosen."""
        known = self.server.client_capabilities.text_document
        actions = known.code_action if known is not None else None
        return actions is not None and bool(actions.disabled_support)

    def _fixes_of_saved_files(
        self, folder: Folder, mendable: dict[str, Finding]
    ) -> dict[str, Finding]:
        """Without fixes of files that the client has open and not saved."""
        paths = {finding.fix.path for finding in mendable.values() if finding.fix is not None}
        uris = {path: self._showing.client_uri(folder.path / path) for path in paths}
        saved = {p for p in paths if self._text(uris[p]) == _on_disk(folder.path / p)}
        return {k: f for k, f in mendable.items() if f.fix is None or f.fix.path in saved}

    async def _index(self, folder: Folder) -> Index:
        if folder.index is None:
            folder.index = asyncio.ensure_future(self._make_index(folder.path))
        return await asyncio.shield(folder.index)

    async def _make_index(self, path: Path) -> Index:
        return await self._schedule.in_worker(lambda: Index(find_links(path, self._settings_of)))


def _registrations(
    workspace: types.WorkspaceClientCapabilities | None,
) -> Iterator[types.Registration]:
    """What the client can be asked to tell of."""
    watching = workspace.did_change_watched_files if workspace else None
    if watching is not None and watching.dynamic_registration:
        watchers = [types.FileSystemWatcher(WATCHED)]
        options = types.DidChangeWatchedFilesRegistrationOptions(watchers)
        yield types.Registration("watched-files", types.WORKSPACE_DID_CHANGE_WATCHED_FILES, options)
    changing = workspace.did_change_configuration if workspace else None
    if changing is not None and changing.dynamic_registration:
        yield types.Registration("configuration", types.WORKSPACE_DID_CHANGE_CONFIGURATION)


def _wants(params: types.CodeActionParams, kind: str) -> bool:
    """Whether actions of a kind are asked for: by no kind, its own, or one that holds it."""
    only = params.context.only
    return not only or any(kind == each or kind.startswith(f"{each}.") for each in map(_text, only))


def _text(kind: types.CodeActionKind | str) -> str:
    return str(getattr(kind, "value", kind))


def _on_disk(path: Path) -> str:
    content = read_regular(path, MAX_OTHER_BYTES) or b""
    return content.decode("utf-8-sig", "replace")


def _counterparts(report: Report, path: str, line: int) -> Iterator[Origin]:
    """The other ends of the findings that begin, in code or contract, on a line."""
    for finding in report.findings:
        for here, there in (
            (finding.origin, finding.contract),
            (finding.contract, finding.origin),
        ):
            at = (here.path, here.span.line) if here is not None else None
            if at == (path, line) and there is not None and there != here:
                yield there
