"""Requests and responses of the servlet API, and the exchanges of WebFlux: what code that is handed
them reads and writes."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from contract_scan.ir.origin import Origin
from contract_scan.ir.reasons import Reason
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import Constant, FunctionValue, Scope
from contract_scan.parsers.source.facts.nodes import Call
from contract_scan.parsers.source.java.resolution.annotations import type_name
from contract_scan.parsers.source.java.web.branch_results import statuses_of
from contract_scan.parsers.source.java.web.chains import method
from contract_scan.parsers.source.java.web.effects import EffectOf, Effects
from contract_scan.parsers.source.java.web.endpoints import Library
from contract_scan.parsers.source.java.web.header_names import content_type_given
from contract_scan.parsers.source.java.web.media import JSON
from contract_scan.parsers.source.java.web.reading import Kind, by_kind
from contract_scan.parsers.source.java.web.states import Effect

_WRITES = frozenset({"write", "print", "println", "append", "printf", "format"})
_WRITERS = (("getWriter",), ("getOutputStream",))
_COMMON = by_kind(
    header="getHeader getIntHeader",
    form="getPart",
    raw="getReader getInputStream",
    anything="getParameterMap getParameterNames getQueryString getCookies getParts",
    nothing=(
        "getPathInfo getSession getAttribute setAttribute getRequestURI getRequestURL getMethod "
        "getRemoteAddr getServletPath getContextPath getServletContext setCharacterEncoding "
        "getUserPrincipal getRemoteUser isUserInRole getRequestDispatcher getContentType "
        "getContentLength getLocale getScheme getServerName getServerPort logout login "
        "getHeaderNames"
    ),
)
_GET: dict[str, Kind] = {**_COMMON, "getParameter": "query", "getParameterValues": "query"}
_OTHER: dict[str, Kind] = {**_COMMON, "getParameter": "anything", "getParameterValues": "anything"}
"""Beside GET, parameters stand in the query or in a form."""


def _effect(program: Program, name: str, call: Call, scope: Scope) -> Effect | None:
    """What a call on the response does."""
    given = [argument.value for argument in call.args]
    last = name.rpartition(".")[2]
    if last in _WRITES and given and name.startswith(("getWriter", "getOutputStream")):
        return Effect(body=program.evaluate(given[0], scope), piece=True)
    match last:
        case "setStatus" | "sendError" if given:
            statuses = statuses_of(program, program.evaluate(given[0], scope))
            body = Constant(None) if last == "sendError" else None
            return Effect(statuses=statuses, body=body)
        case "sendRedirect":
            return Effect(statuses=("302",))
        case "setContentType" if given:
            text = program.text(given[0], scope) or ""
            return Effect(content_type=text.partition(";")[0].strip())
        case "setHeader" | "addHeader" if kind := content_type_given(program, given, scope):
            return Effect(content_type=kind)
        case _:
            return None


def _effect_of_argument(
    program: Program, call: Call, given: Mapping[int, tuple[str, ...]], scope: Scope
) -> Effect | None:
    """The effect of a call that gets the response or its writer as an argument."""
    name = method(call)
    args = [a.value for a in call.args]
    if name in ("forward", "include") and () in given.values():
        page = Constant("a page")
        return Effect(body=page, content_type="text/html")
    if not any(path in _WRITERS for path in given.values()):
        return None
    if name in ("writeValue", "toJson", "serialize") and len(args) > 1:
        value = args[1] if 0 in given else args[0]
        return Effect(body=program.evaluate(value, scope), content_type=JSON)
    return Effect(unknown=Reason("given-writer", name=name))


def servlet_library(verb: str) -> Library:
    """What a method does that is given a request and a response of the servlet API, in this
    order."""
    return Library(
        reads=_GET if verb == "GET" else _OTHER,
        effect_of=_effect,
        handed_of=_effect_of_argument,
        responses=(1,),
        content_type=JSON,
        method_calls=("getMethod",),
    )


class ResponseUse(Struct, frozen=True):
    """What a method does to the response that it is given beside returning."""

    statuses: tuple[str, ...] = ()
    """The statuses that it may set, one for each path; an empty one where it sets none."""
    whole: bool = True
    """Whether nothing else may be done to the response: another status, or a body."""
    origin: Origin | None = None
    """Where it sets one."""


def _effect_on_exchange(program: Program, name: str, call: Call, scope: Scope) -> Effect | None:
    """What a call on the exchange or the response of Spring WebFlux does."""
    last = name.rpartition(".")[2]
    if last in ("setStatusCode", "setRawStatusCode") and call.args:
        return Effect(statuses=statuses_of(program, program.evaluate(call.args[0].value, scope)))
    if last in ("setComplete", "writeWith", "writeAndFlushWith"):
        return Effect(unknown=Reason("given-writer", name=last))
    return None


_EFFECTS: dict[str, EffectOf] = {
    "HttpServletResponse": _effect,
    "ServerWebExchange": _effect_on_exchange,
    "ServerHttpResponse": _effect_on_exchange,
}
"""By the classes of what the response is set through."""


def set_by(program: Program, function: FunctionValue) -> ResponseUse | None:
    """What a method does to the response among its parameters; None: it has none, or several."""
    named = [(i, type_name(param.type)) for i, param in enumerate(function.function.params)]
    given = {position: kind for position, kind in named if kind in _EFFECTS}
    if len(given) != 1:
        return None
    effects = Effects(program, _EFFECTS[next(iter(given.values()))], _effect_of_argument)
    states = effects.states(function, given)
    whole = effects.complete and all(s.is_status_known and s.body is None for s in states)
    known = (state for state in states if state.is_status_known and state.body is None)
    statuses = tuple(dict.fromkeys(state.status for state in known))
    origin = next((state.origin for state in states if state.status), None)
    return ResponseUse(statuses if any(statuses) else (), whole, origin)
