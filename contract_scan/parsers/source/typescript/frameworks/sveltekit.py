"""SvelteKit: endpoints that are `+server` files."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator

from contract_scan.ir.operation import Body, Operation
from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import Unknown
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import LibraryResult, LibrarySymbol
from contract_scan.parsers.source.language import Files, Framework
from contract_scan.parsers.source.typescript.web import returned_responses as fetch_responses
from contract_scan.parsers.source.typescript.web import statuses
from contract_scan.parsers.source.typescript.web.endpoints import (
    handler_for,
    handler_name,
    handler_of,
    operation,
    read_endpoint,
)
from contract_scan.parsers.source.typescript.web.file_routes import (
    METHODS,
    bracket_paths,
    export_origin,
    exported_values,
    prefix_setting,
    project_folder,
    with_stem,
)
from contract_scan.parsers.source.typescript.web.optional_parameters import (
    path_parameter_facts,
)
from contract_scan.parsers.source.typescript.web.response_heads import JSON
from contract_scan.parsers.source.typescript.web.returned_responses import (
    ResponseLibrary,
    ReturnedResponse,
    argument,
    argument_origin,
)
from contract_scan.parsers.source.typescript.web.taint_marks import FORM, TaintMarks

NAME = "SvelteKit"
_KIT = "@sveltejs/kit"
_EFFECTS = frozenset({f"{_KIT}.error", f"{_KIT}.redirect"})
_CODE = re.compile(r"\[(x|u)\+([0-9a-fA-F]+)\]")
"""`[x+3a]` in the name of a folder stands for the character of that code."""
_BODIES = {"json": JSON, "formData": FORM, "text": "*/*", "blob": "*/*", "arrayBuffer": "*/*"}
_MARKS = TaintMarks(
    bodies={f"<event>.request.{name}()": kind for name, kind in _BODIES.items()},
    getters=frozenset(f"<event>.url.searchParams.{name}" for name in ("get", "getAll", "has")),
)


def _paths(files: Files) -> Iterable[str]:
    return with_stem(files, "+server")


def operations(program: Program, framework: Framework) -> Iterator[Operation]:
    """Every exported method of every `+server` file."""
    for path in program.convention_files(framework):
        found = project_folder(program.files, posixpath.normpath(path), "routes")
        if found is None:
            continue
        folder, segments = found
        shown = [
            _CODE.sub(lambda match: chr(int(match[2], 16)), part)
            for part in segments
            if not (part.startswith("(") and part.endswith(")"))
        ]
        prefix, reason = prefix_setting(program, folder, "svelte.config", ("kit", "paths", "base"))
        for name, value in exported_values(program, path, (*METHODS, "fallback")):
            origin = export_origin(program, path, name, value)
            method = "*" if name == "fallback" else name
            templates = bracket_paths(shown, prefix)
            for template in templates:
                given = path_parameter_facts(template, templates)
                handler = handler_for(program, handler_of(program, value), method, given)
                handled = read_endpoint(
                    program, handler, (LibrarySymbol("<event>"),), _MARKS, _DIALECT, origin
                )
                yield operation(
                    method,
                    template,
                    handled,
                    origin,
                    framework=NAME,
                    handler=handler_name(handler.function) or name,
                    unresolved=reason,
                )


def _library_response(program: Program, made: LibraryResult) -> ReturnedResponse | None:
    match made.name.removeprefix(f"{_KIT}."):
        case "json" if made.name.startswith(_KIT):
            return fetch_responses.json_response(program, made)
        case "text" if made.name.startswith(_KIT):
            return fetch_responses.body_response(program, made)
        case "error" | "redirect" as name if made.name.startswith(_KIT):
            given = argument(program, made, 0)
            codes = statuses.of_value(given) if given is not None else ()
            if name == "redirect":
                return ReturnedResponse(codes, True, None)
            reason = Unknown(reason=Reason("error-json-or-page"), origin=argument_origin(made, 0))
            return ReturnedResponse(codes, True, Body(schema=reason, content_type="*/*"))
        case _:
            return fetch_responses.standard(program, made)


_DIALECT = ResponseLibrary(read_result=_library_response, effects=_EFFECTS)

FRAMEWORK = Framework(
    name=NAME,
    markers=(),
    calls=(b"Response.json(", b"new Response("),
    operations=operations,
    paths=_paths,
)
