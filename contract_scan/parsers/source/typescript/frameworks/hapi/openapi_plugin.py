"""hapi-openapi: `server.register({ plugin, options: { api: "api.yaml", handlers: "handlers" } })`.

Each operation of the document whose handler is there becomes a route. Handlers are the functions of
one object by the segments of their path and by their method. Files below a folder may make it up:
`handlers/orders/{id}.js` exports `{ get, put }`.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.ir.origin import Origin
from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    ClassValue,
    Constant,
    FunctionValue,
    Instance,
    Items,
    ModuleValue,
    Record,
    RecordEntry,
    Scope,
    Unresolved,
    Value,
)
from contract_scan.parsers.source.facts.nodes import Import
from contract_scan.parsers.source.typescript.frameworks.hapi.endpoints import Settings
from contract_scan.parsers.source.typescript.resolution import walker
from contract_scan.parsers.source.typescript.web.openapi_documents import (
    document_path,
    documents,
)
from contract_scan.parsers.source.typescript.web.paths import DYNAMIC_PREFIX
from contract_scan.parsers.source.typescript.web.returned_responses import is_nothing
from contract_scan.parsers.source.web.specification import Specification

_PACKAGES = ("hapi-openapi", "swaggerize-hapi")
_DOCUMENTATION = "/api-docs"
"""Where the plugin serves the document, unless an option says another path."""
_EXTENSION = "js"
"""Of files with handlers, unless an option says others."""


class OperationRoute(Struct, frozen=True):
    """A route that the plugin registers for an operation of its document."""

    method: str
    path: str
    unresolved: Reason
    settings: Settings


def is_openapi_plugin(name: str) -> bool:
    """Whether a qualified name is that of the plugin."""
    return name.split(".", 1)[0] in _PACKAGES


def document_routes(
    program: Program, name: str, options: Value | None, origin: Origin
) -> Iterator[OperationRoute]:
    """The routes of the plugin: one for any path where its document is undetermined."""
    entries = walker.entries(options) if options is not None else {}
    shown = Reason("plugin-not-read-may-answer", shown=name.split(".", 1)[0])
    document = _document(program, entries.get("api"))
    if document is None:
        settings = Settings(None, None, origin)
        yield OperationRoute("*", DYNAMIC_PREFIX, shown, settings)
        return
    handlers = _Handlers(program, entries, origin)
    yield _documentation_route(program, document, entries, shown, origin)
    for operation in document.operations:
        if operation.is_external:
            settings = Settings(None, None, origin)
            yield OperationRoute(operation.method, document.base + operation.path, shown, settings)
            continue
        segments = operation.path.rstrip("/").split("/")[1:]
        found = handlers.handler(segments, operation.method.lower())
        if found is None or is_nothing(found.value):
            continue  # the plugin registers no route for it
        reason = shown if isinstance(found.value, Unresolved) else NO_REASON
        yield OperationRoute(
            operation.method,
            document.base + operation.path,
            reason,
            replace(_settings(found), document_body=operation.has_body),
        )


def _document(program: Program, entry: RecordEntry | None) -> Specification | None:
    """The document that the option `api` names, which may also be its content."""
    if entry is None:
        return None
    found = documents(program, entry.value, _scope(program, entry.origin))
    return found[0] if len(found) == 1 else None


def _scope(program: Program, origin: Origin) -> Scope:
    return program.module_scope(program.facts(origin.path))


def _documentation_route(
    program: Program,
    document: Specification,
    entries: dict[str, RecordEntry],
    reason: Reason,
    origin: Origin,
) -> OperationRoute:
    """The route that answers with the document."""
    path: str | None = _DOCUMENTATION
    docs = walker.entries(entries["docs"].value) if "docs" in entries else {}
    for entry in (entries.get("docspath"), docs.get("path")):
        if entry is not None:
            path = program.evaluator.text(entry.value)
    if path is not None and "prefixBasePath" not in docs:
        path = f"{document.base}/{path.strip('/')}"
    shown = path if path is not None else DYNAMIC_PREFIX
    return OperationRoute("GET", shown, reason, Settings(None, None, origin))


def _settings(found: RecordEntry) -> Settings:
    """The settings of a route: of a list of functions the last answers, after the others."""
    value = found.value
    if not isinstance(value, Items) or not value.values:
        return Settings(value, None, found.origin)
    *before, handler = value.values
    steps = tuple(
        Record((RecordEntry("method", step, found.origin),), origin=found.origin) for step in before
    )
    options = Record((RecordEntry("pre", Items(steps), found.origin),), origin=found.origin)
    return Settings(handler, options, found.origin)


class _Handlers:
    """The handlers that the option `handlers` gives."""

    def __init__(self, program: Program, entries: dict[str, RecordEntry], origin: Origin) -> None:
        self._program = program
        self._origin = origin
        self._given = entries.get("handlers")
        self._folder = None
        if self._given is not None:
            scope = _scope(program, self._given.origin)
            self._folder = document_path(program, self._given.value, scope)
        self._suffixes = _suffixes(program, entries.get("extensions"))

    def handler(self, segments: Sequence[str], method: str) -> RecordEntry | None:
        """The handler of a path and method; None where there is none. An `Unresolved` value is
        one that may be there."""
        keys = [*segments, method]
        if self._folder is None:
            found = self._given
            return self._undetermined() if found is None else self._member(found, keys)
        if self._suffixes is None:
            return self._undetermined()
        # What a file exports under a name stands in the place of a folder of that name.
        for count in range(1, len(segments) + 1):
            stem = posixpath.join(self._folder, *segments[:count])
            for suffix in self._suffixes:
                exported = self._exported(f"{stem}.{suffix}")
                found = self._member(exported, keys[count:]) if exported is not None else None
                if found is not None:
                    return found
        return None

    def _exported(self, path: str) -> RecordEntry | None:
        """What requiring a file of the folder gives; None where it is not there."""
        if self._program.files.read(path) is None:
            path = f"{posixpath.splitext(path)[0]}.ts"  # what it is compiled of
            if self._program.files.read(path) is None:
                return None
        own = posixpath.dirname(self._origin.path) or "."
        module = f"./{posixpath.relpath(path, own)}"
        entry = Import(module=module, name="", modifiers=("require",))
        scope = _scope(self._program, self._origin)
        found = self._program.names.modules.resolve_import(scope.file, entry)
        value = self._program.evaluator.found_value(found, module, entry.span, scope)
        return RecordEntry(module, value, Origin(path))

    def _member(self, entry: RecordEntry, keys: Sequence[str]) -> RecordEntry | None:
        """What an object holds under keys, each of what the key before it gives."""
        for key in keys:
            match entry.value:
                case Record(entries=entries, partial=partial):
                    found = next((each for each in entries if each.name == key), None)
                    if found is None:
                        return self._undetermined(partial) if partial else None
                    entry = found
                case ModuleValue(path=path):
                    value = self._export(path, key)
                    if value is None:
                        return None
                    entry = RecordEntry(key, value, Origin(path))
                case Constant() | FunctionValue() | Items():
                    return None
                case Instance() | ClassValue():
                    value = self._program.evaluator.member(entry.value, key)
                    if value is None:
                        return None
                    entry = RecordEntry(key, value, entry.origin)
                case _:
                    return self._undetermined()
        return entry

    def _export(self, path: str, name: str) -> Value | None:
        found = self._program.names.modules.resolve_export(path, name)
        if found is None:
            return None
        scope = self._program.module_scope(self._program.facts(path))
        return self._program.evaluator.found_value(found, name, Origin(path).span, scope)

    def _undetermined(self, reason: Reason = NO_REASON) -> RecordEntry:
        why = reason or Reason("handler-not-visible")
        return RecordEntry("", Unresolved(why), self._origin)


def _suffixes(program: Program, entry: RecordEntry | None) -> tuple[str, ...] | None:
    """The extensions of files with handlers; None where they are undetermined."""
    if entry is None:
        return (_EXTENSION,)
    values = entry.value.values if isinstance(entry.value, Items) else (entry.value,)
    texts = [program.evaluator.text(value) for value in values]
    return None if None in texts else tuple(text for text in texts if text)
