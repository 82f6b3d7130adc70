"""Next.js: route handlers of the app folder, API routes of the pages folder, `basePath`."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator

from msgspec.structs import replace

from contract_scan.ir.operation import Answers, Application, Operation
from contract_scan.ir.origin import Origin, Span
from contract_scan.ir.reasons import Reason
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    FunctionValue,
    LibraryResult,
    LibrarySymbol,
    Value,
)
from contract_scan.parsers.source.language import Files, Framework
from contract_scan.parsers.source.typescript.resolution.projects import Projects
from contract_scan.parsers.source.typescript.web import dispatch_by_method as by_method
from contract_scan.parsers.source.typescript.web import returned_responses as fetch_responses
from contract_scan.parsers.source.typescript.web.endpoints import (
    Handler,
    handler_for,
    handler_name,
    handler_of,
    operation,
    read_endpoint,
    undetermined_summary,
)
from contract_scan.parsers.source.typescript.web.file_routes import (
    METHODS,
    SUFFIXES,
    bracket_paths,
    depends_on,
    export_origin,
    exported_values,
    imports,
    prefix_setting,
    project_folder,
    with_stem,
)
from contract_scan.parsers.source.typescript.web.handlers import HandlerSummary, read_handler
from contract_scan.parsers.source.typescript.web.optional_parameters import (
    as_asked,
    path_parameter_facts,
)
from contract_scan.parsers.source.typescript.web.paths import Template
from contract_scan.parsers.source.typescript.web.returned_responses import (
    ResponseLibrary,
    ReturnedResponse,
)
from contract_scan.parsers.source.typescript.web.taint_marks import FETCH, REQUEST

NAME = "Next.js"
_RESPONSE = "NextResponse"
_NAVIGATION = {
    "redirect": 307,
    "permanentRedirect": 308,
    "notFound": 404,
    "unauthorized": 401,
    "forbidden": 403,
}
_EFFECTS = frozenset(f"next/navigation.{name}" for name in _NAVIGATION)
_OTHER_ROUTERS = ("hono", "elysia")
"""Their own routes are read where they are written; the file only hands requests on."""


def _paths(files: Files) -> Iterable[str]:
    yield from with_stem(files, "route")
    for path in files.source("typescript"):
        if "pages/api/" in path:
            yield path


def operations(program: Program, framework: Framework) -> Iterator[Operation]:
    """Every exported method of every route file, every method an API route tells apart; each
    package with such files is an application of its own."""
    projects = Projects.for_files(program.files)
    for path in program.convention_files(framework):
        found: Iterator[Operation] = iter(())
        if posixpath.splitext(posixpath.basename(path))[0] == "route" and (
            "pages/api/" not in path
        ):
            found = _app_route(program, path)
        elif path.endswith(SUFFIXES) and not path.endswith(".d.ts"):
            found = _page_route(program, path)
        folder = projects.package_folder(posixpath.dirname(path))
        for route in found:
            if folder is not None:
                made = Origin(posixpath.join(folder, "package.json"), Span(1, 1, 1, 1))
                route = replace(route, application=Application(made))
            yield route


# ---------------------------------------------------------------------- the app folder


def _app_route(program: Program, path: str) -> Iterator[Operation]:
    place = project_folder(program.files, path, "app")
    if place is None:
        if not imports(program, path, "next"):
            return
        templates: tuple[Template, ...] = (Template("/{computed}", ()),)
        reason: Reason = Reason("app-folder-not-found")
    else:
        folder, segments = place
        if depends_on(program.files, folder, "next") is False and not imports(
            program, path, "next"
        ):
            return
        if any(part.startswith(("_", "(.")) for part in segments):
            return  # private folders, and folders that only pages can stand in for
        shown = [
            part.replace("%5F", "_")
            for part in segments
            if not part.startswith("@") and not (part.startswith("(") and part.endswith(")"))
        ]
        prefix, reason = prefix_setting(program, folder, "next.config", ("basePath",))
        templates = bracket_paths(shown, prefix)
    for method, value in exported_values(program, path, METHODS):
        if _hands_on(value):
            continue
        origin = export_origin(program, path, method, value)
        for template in templates:
            given = path_parameter_facts(template, templates)
            handler = handler_for(program, handler_of(program, value), method, given)
            handled = read_endpoint(
                program, handler, (REQUEST, LibrarySymbol("<context>")), FETCH, DIALECT, origin
            )
            yield operation(
                method,
                template,
                handled,
                origin,
                framework=NAME,
                handler=handler_name(handler.function) or method,
                unresolved=reason,
            )


def _hands_on(value: Value) -> bool:
    """`export const GET = handle(app)`: another framework's routes are all there is."""
    return (
        isinstance(value, LibraryResult)
        and value.name.split(".")[0].split("/")[0] in _OTHER_ROUTERS
    )


def _library_response(program: Program, made: LibraryResult) -> ReturnedResponse | None:
    module, _, name = made.name.partition(".")
    if module == "next/navigation" and name in _NAVIGATION:
        return ReturnedResponse((_NAVIGATION[name],), True, None)
    if module in ("next/server", "next/server.js") and name.startswith(_RESPONSE):
        match name[len(_RESPONSE) :]:
            case ".json":
                return fetch_responses.json_response(program, made)
            case "":
                return fetch_responses.body_response(program, made)
            case ".redirect":
                return fetch_responses.redirect_response(program, made, default=307)
            case _:
                return None
    return fetch_responses.standard(program, made)


DIALECT = ResponseLibrary(read_result=_library_response, effects=_EFFECTS)


# ---------------------------------------------------------------------- the pages folder


def _page_route(program: Program, path: str) -> Iterator[Operation]:
    stem = posixpath.splitext(path)[0]
    place = project_folder(program.files, stem + "/", "pages")
    if place is None or place[1][:1] != ["api"]:
        return
    folder, segments = place
    depends = depends_on(program.files, folder, "next")
    known = depends or imports(program, path, "next")
    if not known and depends is False:
        return
    if segments[-1] == "index":
        segments = segments[:-1]
    prefix, reason = prefix_setting(program, folder, "next.config", ("basePath",))
    for _, value in exported_values(program, path, ("default",)):
        origin = export_origin(program, path, "default", value)
        handler = handler_of(program, value)
        if not known and not _takes_both(handler):
            continue
        templates = bracket_paths(segments, prefix)
        functions: list[tuple[str, FunctionValue | None]] = [("*", None)]
        if handler.function is not None:
            functions = list(by_method.handlers(program, handler.function))
        for method, function in functions:
            for template in templates:
                given = path_parameter_facts(template, templates)
                if function is None:
                    handled = undetermined_summary(handler.reason, origin)
                else:
                    asked = as_asked(program, function, given, method, holder="query")
                    handled = _handler_signature(program, asked, handler)
                yield operation(
                    method,
                    template,
                    _with_path_parameters(handled, template),
                    origin,
                    framework=NAME,
                    handler=handler_name(handler.function),
                    unresolved=reason,
                )


def _takes_both(handler: Handler) -> bool:
    """Whether a function takes a request and a response, as nothing else says what it is."""
    return handler.function is not None and len(handler.function.function.params) == 2


def _with_path_parameters(handled: HandlerSummary, template: Template) -> HandlerSummary:
    """What a handler does, the parameters of the path told from those of the query: `req.query` of
    an API route holds both."""
    others = tuple(
        p for p in handled.parameters if p.location != "query" or p.name not in template.parameters
    )
    return replace(handled, parameters=others)


def _handler_signature(
    program: Program, function: FunctionValue, handler: Handler
) -> HandlerSummary:
    handled = read_handler(program, function)
    if not handler.wrapped:
        return handled
    return handled.with_changed_answers(Answers.left_open)


FRAMEWORK = Framework(
    name=NAME,
    markers=(),
    calls=(b"NextResponse", b"NextApiRe", b"Response.json(", b"new Response("),
    operations=operations,
    paths=_paths,
)
