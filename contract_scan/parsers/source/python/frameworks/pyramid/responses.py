"""What Pyramid sends for what a view returns: by its renderer, or as the response that it makes."""

from __future__ import annotations

from collections.abc import Iterator

from contract_scan.ir.operation import Response
from contract_scan.ir.origin import NO_SPAN, Origin
from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.ir.schema import Schema
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    ByType,
    Constant,
    FunctionValue,
    LibraryResult,
    LibrarySymbol,
    OneOf,
    Record,
    Value,
    origin_at,
)
from contract_scan.parsers.source.facts.nodes import Attribute, Expr, Name
from contract_scan.parsers.source.python.frameworks.pyramid.configuration import Configuration
from contract_scan.parsers.source.python.frameworks.pyramid.views import DYNAMIC_SEGMENT, View
from contract_scan.parsers.source.python.web.common import (
    argument,
    merge_responses,
    response,
    status_of,
    undetermined_response,
    unknown,
)
from contract_scan.parsers.source.python.web.current_status import statuses_in_force
from contract_scan.parsers.source.python.web.error_statuses import named_status
from contract_scan.parsers.source.python.web.raised_errors import with_raised
from contract_scan.parsers.source.python.web.returns import as_answered

_JSON = "application/json"
_HTML = "text/html"
_STATUS = frozenset({"status", "status_code", "status_int"})
_RESPONSES = frozenset({"pyramid.response.Response", "webob.Response", "webob.response.Response"})
_EXCEPTIONS = ("pyramid.httpexceptions.", "webob.exc.")
_WRITERS = frozenset({"pyramid.renderers.JSON", "pyramid.renderers.JSONP"})


def responses(
    program: Program, configuration: Configuration, view: View
) -> tuple[tuple[Response, ...], bool]:
    """What a view sends, and whether all its statuses are known."""
    if view.view is None:
        return (undetermined_response(Reason("view-not-found"), view.origin),), False
    rendering = _Rendering(program, configuration, view)
    found = list(rendering.responses(view.view))
    known = [item for item in found if item is not None]
    return with_raised(program, view.view, merge_responses(known)), len(known) == len(found)


class _Rendering:
    def __init__(self, program: Program, configuration: Configuration, view: View) -> None:
        self._program = program
        self._view = view
        self._is_json, self._why, self._media = _renderer(program, configuration, view)

    def responses(self, view: FunctionValue) -> Iterator[Response | None]:
        """Every response; None for one whose status is undetermined."""
        program = self._program
        scope = program.function_scope(view.function, view.scope)
        statuses = statuses_in_force(program, scope, _is_status)
        for result in program.function_exits(view):
            if result.thrown:
                continue
            origin = origin_at(result.scope, result.span)
            status = statuses.get(result.span, "")
            if result.generator:
                yield undetermined_response(Reason("body-is-stream"), origin)
                continue
            value: Value = Constant(None)
            if result.value is not None:
                value = program.evaluate(result.value, result.scope)
                if _is_own_response(result.value) and not isinstance(value, LibraryResult):
                    yield self._request_response(status, origin)
                    continue
            for option in value.options if isinstance(value, OneOf) else (value,):
                yield from self._responses_of(option, status, origin)
        if NO_SPAN in statuses and not any(not r.thrown for r in program.function_exits(view)):
            origin = origin_at(view.scope, view.function.name_span)
            yield from self._responses_of(Constant(None), statuses[NO_SPAN], origin)

    def _request_response(self, status: str | None, origin: Origin) -> Response | None:
        """The response that the view has written to as `request.response`."""
        if status is None:
            return None
        shape = None if status == "204" else unknown(Reason("view-fills-response-in"), origin)
        return response(status or "200", shape, origin, explicit=bool(status))

    def _shape(self, value: Value) -> Schema:
        """What the renderer is given, as far as the view's annotation and its statements tell."""
        view = self._view.view
        declared = None if view is None else view.function.returns
        evaluator = self._program.evaluator
        if view is None or declared is None or not isinstance(value, Record):
            return self._program.schema_of(value)
        if not evaluator.says_nothing(declared, view.scope):
            value = evaluator.join_with_declared(value, ByType(declared, view.scope, declared.span))
        return self._program.schema_of(value)

    def _responses_of(
        self, value: Value, status: str | None, origin: Origin
    ) -> Iterator[Response | None]:
        """What a returned value sends; `status` is that of `request.response`, which a response
        that the view makes itself leaves out."""
        made = (
            _library_response(self._program, value, origin)
            if isinstance(value, LibraryResult)
            else None
        )
        if made is None or not isinstance(value, LibraryResult):
            yield self._response_of(value, status, origin)
            return
        known = () if made[0] is None else (made[0],)
        answered, complete = as_answered(self._program, value, known)
        yield from answered
        if not complete or not answered:
            yield None

    def _response_of(self, value: Value, status: str | None, origin: Origin) -> Response | None:
        if isinstance(value, LibrarySymbol) and value.name.startswith(_EXCEPTIONS):
            found = named_status(value.name)
            return None if found is None else response(found, None, origin)
        if status is None:
            return None
        shape = self._shape(value) if self._is_json else unknown(self._why, origin)
        return response(
            status or "200", shape, origin, content_type=self._media, explicit=bool(status)
        )


def _renderer(
    program: Program, configuration: Configuration, view: View
) -> tuple[bool, Reason, str]:
    """Whether the renderer of a view writes JSON, else why not, and the content type."""
    name = view.renderer
    for made in configuration.calls:
        if made.method != "add_renderer" or name in ("", DYNAMIC_SEGMENT):
            continue
        given_name = argument(made.call, 0, "name")
        if given_name is None or program.text(given_name, made.scope) != name:
            continue
        factory = argument(made.call, 1, "factory")
        value = program.evaluate(factory, made.scope) if factory is not None else None
        if isinstance(value, LibraryResult) and value.name in _WRITERS:
            return True, NO_REASON, _JSON
        return False, Reason("custom-renderer", name=name), _JSON
    if name in ("json", "jsonp", "simplejson"):
        return True, NO_REASON, _JSON
    if name == "string":
        return False, Reason("body-is-text"), "text/plain"
    if name == DYNAMIC_SEGMENT:
        return False, Reason("renderer-undetermined"), _JSON
    if not name:
        return False, Reason("response-made-elsewhere"), _JSON
    if "." in name:
        return False, Reason("body-is-page"), _HTML
    return False, Reason("renderer-unknown", name=name), _JSON


def _library_response(
    program: Program, made: LibraryResult, origin: Origin
) -> tuple[Response | None] | None:
    """The response that a library call makes; None where it makes none."""
    last = made.name.rpartition(".")[2]
    site, scope = made.site, made.scope
    if made.name in _RESPONSES or made.name.startswith(_EXCEPTIONS):
        status: str | None = "200"
        given_status = argument(site, 1, "status", "status_code", "status_int")
        if last == "exception_response":
            given_status = argument(site, 0, "status_code")
        elif made.name not in _RESPONSES:
            status, given_status = named_status(made.name), None
        if given_status is not None:
            status = status_of(program.evaluate(given_status, scope))
        explicit = given_status is not None or made.name not in _RESPONSES
        return (
            None
            if status is None
            else _response_with_body(program, made, status, origin, explicit),
        )
    if last in ("FileResponse", "FileIter"):
        media = "application/octet-stream"
        why = unknown(Reason("body-is-file"), origin)
        return (response("200", why, origin, content_type=media, explicit=False),)
    if made.name == "pyramid.renderers.render_to_response":
        renderer = argument(site, 0, "renderer_name")
        content = argument(site, 1, "value")
        is_json = renderer is not None and program.text(renderer, scope) == "json"
        shape = unknown(Reason("body-is-page"), origin)
        if is_json and content is not None:
            written = program.schema_of(program.evaluate(content, scope))
            return (response("200", written, origin, explicit=False),)
        return (response("200", shape, origin, content_type=_HTML, explicit=False),)
    if last.endswith("Response") and made.name.startswith(("pyramid.", "webob.")):
        return (None,)
    return None


def _response_with_body(
    program: Program, made: LibraryResult, status: str, origin: Origin, explicit: bool
) -> Response:
    """`Response(json_body={…})`, `Response("text")`, `HTTPCreated(json_body={…})`."""
    named = {item.name: item.value for item in made.site.args if item.name}
    data = named.get("json_body", named.get("json"))
    if data is not None:
        shape = program.schema_of(program.evaluate(data, made.scope))
        return response(status, shape, origin, explicit=explicit)
    content = named.get("body", named.get("text"))
    is_plain = made.name in _RESPONSES
    if content is None and is_plain:
        content = argument(made.site, 0)
    if content is None:
        return response(status, None, origin, explicit=explicit)
    value = program.evaluate(content, made.scope)
    if (
        isinstance(value, LibraryResult)
        and value.name.rpartition(".")[2] == "dumps"
        and value.site.args
    ):
        inner = program.evaluate(value.site.args[0].value, value.scope)
        return response(status, program.schema_of(inner), origin, explicit=explicit)
    media = _media(program, made)
    why = unknown(Reason("text-not-read"), origin)
    return response(status, why, origin, content_type=media, explicit=explicit)


def _media(program: Program, made: LibraryResult) -> str:
    expr = next((a.value for a in made.site.args if a.name == "content_type"), None)
    if expr is None:
        return _HTML
    return (program.text(expr, made.scope) or _JSON).partition(";")[0]


def _is_status(target: Expr) -> bool:
    """`request.response.status_code`, `response.status`."""
    if not isinstance(target, Attribute) or target.name not in _STATUS:
        return False
    return _is_own_response(target.value)


def _is_own_response(expr: Expr) -> bool:
    """`request.response`, or a variable that is called so."""
    match expr:
        case Attribute(value=Name(id="request") | Attribute(name="request"), name="response"):
            return True
        case Name(id="response"):
            return True
        case _:
            return False
