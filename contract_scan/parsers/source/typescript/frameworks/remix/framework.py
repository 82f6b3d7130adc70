"""Remix and React Router: resource routes, which are route files without a component."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator

from msgspec.structs import replace

from contract_scan.ir.operation import Body, Operation
from contract_scan.ir.origin import Origin
from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import Unknown
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    LibraryResult,
    LibrarySymbol,
    Record,
    Value,
)
from contract_scan.parsers.source.language import Files, Framework
from contract_scan.parsers.source.typescript.frameworks.remix import paths as remix_paths
from contract_scan.parsers.source.typescript.resolution import walker
from contract_scan.parsers.source.typescript.web import dispatch_by_method as by_method
from contract_scan.parsers.source.typescript.web import returned_responses as fetch_responses
from contract_scan.parsers.source.typescript.web.endpoints import (
    Handler,
    handler_name,
    handler_of,
    operation,
    read_endpoint,
)
from contract_scan.parsers.source.typescript.web.file_routes import (
    export_origin,
    exported_values,
    imports,
    prefix_setting,
)
from contract_scan.parsers.source.typescript.web.paths import join, templates
from contract_scan.parsers.source.typescript.web.returned_responses import (
    ResponseLibrary,
    ReturnedResponse,
    argument_origin,
    value_response,
)
from contract_scan.parsers.source.typescript.web.taint_marks import FETCH, REQUEST

NAME = "Remix"
_MODULES = ("@remix-run/", "react-router.", "react-router-dom.", "remix-typedjson.", "remix.")
_PACKAGES = ("@remix-run/node", "@remix-run/cloudflare", "@remix-run/server-runtime")
_CHANGING = ("POST", "PUT", "PATCH", "DELETE")
_ARGS = Record(
    (
        walker.entry("request", REQUEST),
        walker.entry("params", LibrarySymbol("<params>")),
        walker.entry("context", LibrarySymbol("<context>")),
    )
)


def _paths(files: Files) -> Iterable[str]:
    yield from remix_paths.route_files(files)
    for suffix in remix_paths.SUFFIXES:
        yield from (
            path for path in files.files_named(f"routes{suffix}") if path.startswith("app/")
        )
        yield from (path for path in files.files_named(f"routes{suffix}") if "/app/routes" in path)


def operations(program: Program, framework: Framework) -> Iterator[Operation]:
    """The loader and the action of every resource route."""
    configured: dict[tuple[str, str], list[str]] = {}
    for path in program.convention_files(framework):
        if posixpath.basename(path).startswith("routes."):
            folder = posixpath.dirname(posixpath.dirname(path))
            for pattern, file in remix_paths.configured_routes(program, path):
                configured.setdefault((file, folder), []).append(pattern)
    seen: set[str] = set()
    for (path, folder), patterns in configured.items():
        if program.files.has(path):
            seen.add(path)
            yield from _file(program, path, patterns, folder)
    for path in program.convention_files(framework):
        found = remix_paths.project_of(path)
        if found is None or path in seen:
            continue
        folder, name = found
        known = remix_paths.is_project(program.files, folder)
        if known is None:
            known = any(imports(program, path, package) for package in _PACKAGES)
        own = remix_paths.pattern_of(name) if known else None
        if own is not None:
            yield from _file(program, path, [own], folder)


def _file(program: Program, path: str, patterns: list[str], folder: str) -> Iterator[Operation]:
    if any(True for _ in exported_values(program, path, ("default",))):
        return  # a page
    base, reason = prefix_setting(program, folder, "react-router.config", ("basename",))
    for name, value in exported_values(program, path, ("loader", "action")):
        origin = export_origin(program, path, name, value)
        handler = handler_of(program, value)
        for method, specialised, expected in _methods(program, name, handler):
            handled = read_endpoint(program, specialised, (_ARGS,), FETCH, _DIALECT, origin)
            for pattern in patterns:
                for template in templates(join(base, pattern)):
                    yield operation(
                        method,
                        template,
                        handled,
                        origin,
                        framework=NAME,
                        handler=handler_name(handler.function) or name,
                        unresolved=reason,
                        hidden=not expected,
                    )


def _methods(program: Program, name: str, handler: Handler) -> Iterator[tuple[str, Handler, bool]]:
    """(method, the handler as it runs for it, whether a contract is expected to list it). An action
    answers every method that changes something, unless it tells them apart."""
    if name == "loader":
        if handler.function is not None:  # without what it answers to OPTIONS
            function = by_method.specialise_handler(program, handler.function, "GET", key="request")
            handler = replace(handler, function=function)
        yield "GET", handler, True
        return
    if handler.function is None:
        yield from ((method, handler, method == "POST") for method in _CHANGING)
        return
    branches = list(by_method.handlers(program, handler.function, key="request"))
    named = {method for method, _ in branches}
    for method, function in branches:
        narrowed = replace(handler, function=function)
        if method != "*":
            if method in _CHANGING:
                yield method, narrowed, True
            continue
        for other in _CHANGING:
            if other not in named:
                yield other, narrowed, other == "POST" and len(named) == 1


# ---------------------------------------------------------------------- what is sent


def _library_response(program: Program, made: LibraryResult) -> ReturnedResponse | None:
    if not made.name.startswith(_MODULES):
        return fetch_responses.standard(program, made)
    match made.name.rsplit(".", 1)[-1]:
        case "json" | "typedjson" | "data" | "superjson":
            return fetch_responses.json_response(program, made)
        case "redirect" | "redirectDocument" | "replace" | "typedredirect":
            return fetch_responses.redirect_response(program, made)
        case "defer" | "typeddefer" | "eventStream":
            reason = Unknown(reason=Reason("stream-sent"), origin=argument_origin(made, 0))
            return ReturnedResponse((200,), False, Body(schema=reason, content_type="*/*"))
        case _:
            return None


def _value_response(program: Program, value: Value, origin: Origin) -> ReturnedResponse | None:
    if isinstance(value, LibrarySymbol) and value.name == "undefined":
        return None  # a loader must give something
    return value_response(program, value, origin, text="text/plain", nothing=200)


_DIALECT = ResponseLibrary(read_result=_library_response, plain=_value_response)

FRAMEWORK = Framework(
    name=NAME,
    markers=(),
    calls=(b"json(", b"data(", b"new Response(", b"redirect("),
    operations=operations,
    paths=_paths,
)
