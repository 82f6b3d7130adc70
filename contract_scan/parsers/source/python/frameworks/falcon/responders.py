"""What responders of Falcon write into the response, path by path."""

from __future__ import annotations

from http import HTTPStatus
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.ir.operation import Response
from contract_scan.ir.origin import Origin
from contract_scan.ir.schema import Schema
from contract_scan.parsers.source.analysis.domain.values import (
    FunctionValue,
    LibrarySymbol,
    Scope,
    Value,
)
from contract_scan.parsers.source.analysis.evaluation.call_sites import calls_in
from contract_scan.parsers.source.facts.nodes import (
    Assign,
    Attribute,
    Branch,
    Call,
    Evaluate,
    Expr,
    Loop,
    Name,
    Return,
    Statement,
    Throw,
)
from contract_scan.parsers.source.python.web.common import (
    merge_responses,
    origin_at,
    response,
    status_of,
    unknown,
)
from contract_scan.parsers.source.python.web.dumped_texts import json_source
from contract_scan.parsers.source.python.web.response_classes import is_json

if TYPE_CHECKING:
    from contract_scan.parsers.source.analysis.domain.program import Program

_TEXTS = frozenset({"text", "body", "data"})
_MOST = 48
"""How many ways through a responder are told apart."""


class _State(Struct, frozen=True):
    """What the response holds at a place."""

    status: Expr | None = None
    content: Expr | None = None
    kind: str = ""
    """`media`, `text`, `stream`, or `given` where another function got the response."""
    content_type: Expr | None = None


def responses(
    program: Program, responder: FunctionValue, changed: str
) -> tuple[tuple[Response, ...], bool]:
    """The responses of a responder by status, and whether every status is told. `changed` says why
    content may not be sent as it is written."""
    params = [p.name for p in responder.function.params if p.name not in ("this", "self")]
    if len(params) < 2:
        return (), False
    scope = program.function_scope(responder.function, responder.scope)
    walker = _Walker(program, params[1], scope)
    ends = walker.walk(scope.statements or (), [_State()])
    states = list(dict.fromkeys((*walker.done, *ends)))
    if walker.lost or not states:
        if not states:
            return (), False  # it raises on every way
        why = unknown("the responder has too many ways to follow", _origin(responder))
        return (response("200", why, _origin(responder), explicit=False),), False
    found: list[Response] = []
    complete = True
    for state in states:
        status = _status(program, state, scope)
        if status is None:
            complete = False
            continue
        if state.kind == "given":
            complete = False
        found.append(_response(program, responder, state, status, scope, changed))
    return merge_responses(found), complete


def _origin(responder: FunctionValue) -> Origin:
    return origin_at(responder.scope, responder.function.name_span)


def _status(program: Program, state: _State, scope: Scope) -> str | None:
    if state.status is None:
        return "200"
    value = program.evaluate(state.status, scope)
    told = status_of(value)
    if told is None and isinstance(value, LibrarySymbol):
        name = value.name.rpartition(".")[2].removeprefix("HTTP_")
        if name in HTTPStatus.__members__:
            return str(HTTPStatus[name].value)
    return told


def _response(
    program: Program,
    responder: FunctionValue,
    state: _State,
    status: str,
    scope: Scope,
    changed: str,
) -> Response:
    origin = _origin(responder)
    explicit = state.status is not None
    if state.kind == "given":
        why = unknown("another function is given the response", origin)
        return response(status, why, origin, explicit=explicit)
    if state.content is None:
        return response(status, None, origin, explicit=explicit)
    origin = origin_at(scope, state.content.span)
    media = "application/json"
    if state.content_type is not None:
        media = _media(program, program.evaluate(state.content_type, scope)) or media
    schema: Schema
    if changed:
        schema = unknown(changed, origin)
    elif state.kind == "media" and is_json(media):
        schema = program.infer(state.content, scope)
    elif state.kind == "text" and is_json(media):
        schema = _text_schema(program, state.content, scope)
    else:
        schema = unknown("it is not sent as JSON", origin)
    return response(status, schema, origin, content_type=media, explicit=explicit)


def _media(program: Program, value: Value) -> str:
    known = {"MEDIA_JSON": "application/json", "MEDIA_TEXT": "text/plain"}
    known |= {"MEDIA_HTML": "text/html", "MEDIA_XML": "application/xml"}
    name = value.name.rpartition(".")[2] if isinstance(value, LibrarySymbol) else ""
    return program.evaluator.text(value) or known.get(name, "")


def _text_schema(program: Program, expr: Expr, scope: Scope) -> Schema:
    value = json_source(program, expr, scope)
    if value is not None:
        return program.schema_of(value)
    return unknown("its text is not read", origin_at(scope, expr.span))


class _Walker:
    """Follows the statements of a responder, with what the response holds on each way."""

    def __init__(self, program: Program, name: str, scope: Scope) -> None:
        self._program = program
        self._name = name
        self._scope = scope
        self.done: list[_State] = []
        """What the response holds where the responder returns early."""
        self.lost = False

    def walk(self, statements: tuple[Statement, ...], states: list[_State]) -> list[_State]:
        """The states after the statements, of the ways that go on."""
        for statement in statements:
            if not states:
                return []
            if len(states) > _MOST:
                self.lost = True
                return []
            states = self._after(statement, states)
        return states

    def _after(self, statement: Statement, states: list[_State]) -> list[_State]:
        match statement:
            case Return():
                self.done.extend(states)
                return []
            case Throw():
                return []
            case Branch(blocks=blocks, exhaustive=exhaustive):
                found = [state for block in blocks for state in self.walk(block, states)]
                if not exhaustive:
                    found.extend(states)
                return list(dict.fromkeys(found))
            case Loop(body=body):
                return list(dict.fromkeys((*states, *self.walk(body, states))))
            case Assign(target=Attribute(value=Name(id=id), name=name), value=value):
                if id == self._name:
                    return [_written_to(state, name, value) for state in states]
                return states
            case Evaluate(value=Call()) | Assign():
                if self._hands_over(statement):
                    return [replace(state, kind="given") for state in states]
                return states
            case _:
                return states

    def _hands_over(self, statement: Evaluate | Assign) -> bool:
        """Whether the response is given to some function."""
        nodes = () if statement.value is None else (statement.value,)
        for call, _ in calls_in(self._program, nodes, self._scope):
            for argument in call.args:
                if isinstance(argument.value, Name) and argument.value.id == self._name:
                    return True
        return False


def _written_to(state: _State, name: str, value: Expr | None) -> _State:
    match name:
        case "status" | "status_code":
            return replace(state, status=value)
        case "media":
            return replace(state, content=value, kind="media")
        case "stream":
            return replace(state, content=value, kind="stream")
        case "content_type":
            return replace(state, content_type=value)
        case _ if name in _TEXTS:
            return replace(state, content=value, kind="text")
        case _:
            return state
