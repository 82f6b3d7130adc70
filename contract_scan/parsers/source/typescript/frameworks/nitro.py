"""Nuxt and Nitro: handlers that are files below `server/api` and `server/routes`."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator

from msgspec.structs import replace

from contract_scan.ir.operation import Body, Operation
from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import Unknown
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    FunctionValue,
    LibraryResult,
    LibrarySymbol,
    Record,
    Value,
)
from contract_scan.parsers.source.language import Files, Framework
from contract_scan.parsers.source.typescript.resolution import walker
from contract_scan.parsers.source.typescript.resolution.auto_imports import nitro_project
from contract_scan.parsers.source.typescript.web import returned_responses as fetch_responses
from contract_scan.parsers.source.typescript.web import statuses
from contract_scan.parsers.source.typescript.web.endpoints import (
    Handler,
    handler_name,
    handler_of,
    operation,
    read_endpoint,
)
from contract_scan.parsers.source.typescript.web.file_routes import (
    METHODS,
    SUFFIXES,
    bracket_paths,
    export_origin,
    exported_values,
    prefix_setting,
)
from contract_scan.parsers.source.typescript.web.response_heads import JSON
from contract_scan.parsers.source.typescript.web.returned_responses import (
    ResponseLibrary,
    ReturnedResponse,
    argument,
    argument_origin,
    value_response,
)
from contract_scan.parsers.source.typescript.web.taint_marks import FORM, TaintMarks

NAME = "Nitro"
_FOLDERS = {"server/api/": "/api", "server/routes/": ""}
_MODULES = ("", "h3.", "#imports.", "nitropack/runtime.", "nitro/h3.", "nitro.", "nitropack.")
"""Where its functions come from; nothing is imported where they are there by themselves."""


def _qualified_names(*names: str) -> frozenset[str]:
    return frozenset(f"{module}{name}" for module in _MODULES for name in names)


_DEFINERS = _qualified_names(
    *("defineEventHandler", "eventHandler", "defineCachedEventHandler", "cachedEventHandler"),
    *("defineLazyEventHandler", "lazyEventHandler", "defineHandler", "defineCachedHandler"),
)
_BODIES = {
    "readBody": JSON,
    "readFormData": FORM,
    "readMultipartFormData": FORM,
    "readRawBody": "*/*",
}
_MARKS = TaintMarks(
    bodies={f"{m}{name}()": kind for m in _MODULES for name, kind in _BODIES.items()},
    queries=frozenset(f"{name}()" for name in _qualified_names("getQuery")),
    validated={
        **dict.fromkeys(_qualified_names("readValidatedBody"), "body"),
        **dict.fromkeys(_qualified_names("getValidatedQuery"), "query"),
    },
)
_EVENT = LibrarySymbol("<event>")
_ERRORS = _qualified_names("createError", "HTTPError")
_SENT = {
    name: kind
    for kind in ("sendRedirect", "sendNoContent", "send")
    for name in _qualified_names(kind)
}


def _paths(files: Files) -> Iterable[str]:
    for path in files.source("typescript"):
        if any(folder in path for folder in _FOLDERS):
            yield path


def operations(program: Program, framework: Framework) -> Iterator[Operation]:
    """The handler of every file."""
    for path in program.convention_files(framework):
        if not path.endswith(SUFFIXES) or path.endswith(".d.ts"):
            continue
        for _, value in exported_values(program, path, ("default",)):
            handler = _handler(program, value) or _made_elsewhere(program, path, value)
            if handler is not None:
                yield from _operations(program, path, value, handler)


def _handler(program: Program, value: Value) -> Handler | None:
    """The function that `defineEventHandler` is given; None for what defines no handler."""
    if not isinstance(value, LibraryResult):
        return None
    if value.name not in _DEFINERS:
        inner = (program.evaluate(a.value, value.scope) for a in value.site.args)
        found = next(filter(None, (_handler(program, each) for each in inner)), None)
        return replace(found, wrapped=True) if found is not None else None
    given = argument(program, value, 0)
    entry = walker.entries(given).get("handler") if isinstance(given, Record) else None
    if entry is not None:
        given = entry.value
    if given is None:
        return Handler(None, Reason("handler-not-visible"))
    lazy = value.name.lower().endswith("lazyeventhandler")
    return replace(handler_of(program, given), wrapped=lazy)


def _made_elsewhere(program: Program, path: str, value: Value) -> Handler | None:
    """The handler of a file of a project that is one of Nitro or Nuxt for certain: a function as it
    stands, or what a function that is not seen makes of one."""
    if nitro_project(program.files, path) is None:
        return None
    if isinstance(value, FunctionValue):
        return handler_of(program, value)
    if not isinstance(value, LibraryResult):
        return None
    given = (program.evaluate(a.value, value.scope) for a in value.site.args)
    if "Handler" in value.name or any(isinstance(each, FunctionValue) for each in given):
        return Handler(None, Reason("factory-result-not-visible", value=value.name))
    return None


def _operations(program: Program, path: str, value: Value, handler: Handler) -> Iterator[Operation]:
    folder, marker = next((path[: path.index(f)], f) for f in _FOLDERS if f in path)
    stem = posixpath.splitext(path[len(folder) + len(marker) :])[0]
    *segments, last = stem.split("/")
    last = last.removesuffix(".dev").removesuffix(".prod")
    name, _, method = last.rpartition(".")
    if method.upper() in METHODS and name:
        last = name
    else:
        method = "*"
    if last != "index":
        segments.append(last)
    shown = [
        "[...path]" if part == "[...]" else part
        for part in segments
        if not (part.startswith("(") and part.endswith(")"))
    ]
    origin = export_origin(program, path, "default", value)
    handled = read_endpoint(program, handler, (_EVENT,), _MARKS, _DIALECT, origin)
    base, reason = prefix_setting(program, folder, "nuxt.config", ("app", "baseURL"))
    for template in bracket_paths(shown, base + _FOLDERS[marker]):
        yield operation(
            method.upper(),
            template,
            handled,
            origin,
            framework=NAME,
            handler=handler_name(handler.function),
            unresolved=reason,
        )


# ---------------------------------------------------------------------- what is sent


def _library_response(program: Program, made: LibraryResult) -> ReturnedResponse | None:
    if made.name in _ERRORS:
        return _error(program, made)
    if made.name not in _SENT:
        return fetch_responses.standard(program, made)
    match _SENT[made.name]:
        case "sendRedirect":
            return fetch_responses.redirect_response(program, made, position=2)
        case "sendNoContent":
            codes, explicit = fetch_responses.init_statuses(argument(program, made, 1), 204)
            return ReturnedResponse(codes, explicit, None)
        case _:
            given = argument(program, made, 1)
            return (
                None if given is None else value_response(program, given, argument_origin(made, 1))
            )


def _error(program: Program, made: LibraryResult) -> ReturnedResponse:
    """`createError({ statusCode: 404, data })`: what is sent holds more than is given."""
    entries = walker.entries(argument(program, made, 0) or Record(()))
    entry = entries.get("statusCode") or entries.get("status")
    codes = statuses.of_value(entry.value) if entry is not None else (500,)
    reason = Unknown(reason=Reason("error-handler-decides-error"), origin=argument_origin(made, 0))
    return ReturnedResponse(codes, True, Body(schema=reason, content_type="*/*"))


_DIALECT = ResponseLibrary(
    read_result=_library_response,
    plain=value_response,
    setters={**dict.fromkeys(_qualified_names("setResponseStatus"), 1)},
)

FRAMEWORK = Framework(
    name=NAME,
    markers=(),
    calls=(b"EventHandler(",),
    operations=operations,
    paths=_paths,
)
