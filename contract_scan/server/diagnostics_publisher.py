"""Which diagnostics the client is told of, and which it asks for itself.

A client that can pull is told only of files that it has not open, and of nothing once it has asked
for the whole workspace: else it would show everything twice.
"""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import blake2b
from pathlib import Path

from lsprotocol import types
from pygls.lsp.server import LanguageServer

from contract_scan.server.folder import Folder
from contract_scan.server.positions import path_of


class DiagnosticsPublisher:
    """What the client sees of the diagnostics of all folders."""

    def __init__(self, server: LanguageServer, folders: dict[Path, Folder]) -> None:
        """`folders` are those of the moment, by their paths."""
        self._server = server
        self._folders = folders
        self._pushed: dict[str, list[types.Diagnostic]] = {}
        self._open: dict[Path, str] = {}
        """Addresses of open files as the client writes them."""
        self._pulls = self._pulls_all = self._refreshes = False

    def begin(self, capabilities: types.ClientCapabilities) -> None:
        """Take in what the client can do."""
        documents, workspace = capabilities.text_document, capabilities.workspace
        self._pulls = documents is not None and documents.diagnostic is not None
        pulling = workspace.diagnostics if workspace is not None else None
        self._refreshes = self._pulls and pulling is not None and bool(pulling.refresh_support)

    def mark_open(self, path: Path, uri: str) -> None:
        """A file is open now."""
        self._open[path] = uri
        self._push_again(path)

    def mark_closed(self, path: Path) -> None:
        """A file is not open any more."""
        self._open.pop(path, None)
        self._push_again(path)

    def client_uri(self, path: Path) -> str:
        """The address of a file, as the client writes it."""
        return self._open.get(path) or path.as_uri()

    def _push_again(self, path: Path) -> None:
        if self._pulls:
            self.publish(
                {uri for uri in self._uris_with_diagnostics() if path_of(uri) == path}, pull=False
            )

    def publish(self, uris: Iterable[str], *, pull: bool = True) -> None:
        """Publish the diagnostics of some files, or with `pull` ask the client to pull them
        again."""
        for uri in sorted(uris):
            path = path_of(uri)
            pulled = self._pulls_all or (self._pulls and path in self._open)
            found = [] if pulled else self._diagnostics_of(uri)
            if found == self._pushed.get(uri, []):
                continue
            self._pushed[uri] = found
            spelled = self._open.get(path, uri) if path is not None else uri
            self._server.text_document_publish_diagnostics(
                types.PublishDiagnosticsParams(spelled, found)
            )
        if pull and self._refreshes:
            self._server.workspace_diagnostic_refresh(None)

    def of_file(
        self, uri: str, previous: str | None
    ) -> types.RelatedFullDocumentDiagnosticReport | types.RelatedUnchangedDocumentDiagnosticReport:
        """What is said of a file, or that it is what was said before."""
        path = path_of(uri)
        known = next((each for each in self._uris_with_diagnostics() if path_of(each) == path), uri)
        found = self._diagnostics_of(known)
        identity = _identity(found)
        if identity == previous:
            return types.RelatedUnchangedDocumentDiagnosticReport(identity)
        return types.RelatedFullDocumentDiagnosticReport(found, result_id=identity)

    def of_all(self, previous: Iterable[types.PreviousResultId]) -> types.WorkspaceDiagnosticReport:
        """What is said of every file. From now on nothing is told unasked."""
        if not self._pulls_all:
            self._pulls_all = True
            self.publish([*self._pushed], pull=False)
        before = {path_of(each.uri): each for each in previous}
        spelled = {path_of(uri): uri for uri in self._uris_with_diagnostics()}
        items: list[
            types.WorkspaceFullDocumentDiagnosticReport
            | types.WorkspaceUnchangedDocumentDiagnosticReport
        ] = []
        for path in sorted({*before, *spelled}, key=str):
            uri = spelled.get(path) or before[path].uri
            found = self._diagnostics_of(uri)
            identity = _identity(found)
            shown = self._open.get(path, uri) if path is not None else uri
            if path in before and before[path].value == identity:
                items.append(types.WorkspaceUnchangedDocumentDiagnosticReport(shown, identity))
            else:
                items.append(
                    types.WorkspaceFullDocumentDiagnosticReport(shown, found, result_id=identity)
                )
        return types.WorkspaceDiagnosticReport(items)

    def _uris_with_diagnostics(self) -> list[str]:
        """Every file that has diagnostics."""
        folders = self._folders.values()
        return list(dict.fromkeys(uri for folder in folders for uri in folder.diagnostics))

    def _diagnostics_of(self, uri: str) -> list[types.Diagnostic]:
        """The diagnostics of a file in all folders together."""
        found: list[types.Diagnostic] = []
        for folder in self._folders.values():
            found += [each for each in folder.diagnostics.get(uri, ()) if each not in found]
        return found


def _identity(found: list[types.Diagnostic]) -> str:
    return blake2b(repr(found).encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()
