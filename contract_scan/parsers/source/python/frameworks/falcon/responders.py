"""What responders of Falcon write into the response, path by path."""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.ir.operation import Response
from contract_scan.ir.origin import Origin
from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import Schema
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    FunctionValue,
    LibrarySymbol,
    Scope,
    Value,
    origin_at,
)
from contract_scan.parsers.source.analysis.evaluation.call_sites import calls_in
from contract_scan.parsers.source.facts.dotted_names import is_name
from contract_scan.parsers.source.facts.nodes import (
    Argument,
    Assign,
    Attribute,
    Branch,
    Call,
    Evaluate,
    Expr,
    Function,
    Loop,
    Name,
    Return,
    Statement,
    Throw,
)
from contract_scan.parsers.source.python.web.common import (
    merge_responses,
    response,
    status_of,
    undetermined_response,
    unknown,
)
from contract_scan.parsers.source.python.web.dumped_texts import json_source
from contract_scan.parsers.source.python.web.response_classes import is_json

_TEXTS = frozenset({"text", "body", "data"})
_MOST = 48
"""How many ways through a responder are told apart."""
_DEEPEST = 4
"""How deep functions are followed that are given the response."""


class _Written(Struct, frozen=True, eq=False):
    """What is written into the response, with the scope it is written in."""

    expr: Expr
    scope: Scope


class _State(Struct, frozen=True):
    """What the response holds at a place."""

    status: _Written | None = None
    content: _Written | None = None
    kind: str = ""
    """`media`, `text`, `stream`, or `given` where a function got the response that is not read."""
    content_type: _Written | None = None


def responses(
    program: Program, responder: FunctionValue, changed: Reason
) -> tuple[tuple[Response, ...], bool]:
    """The responses of a responder by status, and whether every status is told. `changed` says why
    content may not be sent as it is written."""
    params = [p.name for p in responder.function.params if p.name not in ("this", "self")]
    if len(params) < 2:
        return (), False
    walker = _Walker(program)
    before = walker.through(_hooks(program, responder, "before"), [_State()])
    ends = walker.function(responder, params[1], before)
    ends = walker.through(_hooks(program, responder, "after"), ends)
    states = list(dict.fromkeys(ends))
    if walker.lost or not states:
        if not states:
            return (), False  # it raises on every way
        return (undetermined_response(Reason("responder-path-limit"), _origin(responder)),), False
    found: list[Response] = []
    complete = True
    for state in states:
        status = _status(program, state)
        if status is None:
            complete = False
            continue
        if state.kind == "given":
            complete = False
        found.append(_response(program, responder, state, status, changed))
    return merge_responses(found), complete


def _origin(responder: FunctionValue) -> Origin:
    return origin_at(responder.scope, responder.function.name_span)


def _status(program: Program, state: _State) -> str | None:
    if state.status is None:
        return "200"
    value = program.evaluate(state.status.expr, state.status.scope)
    status = status_of(value)
    if status is None and isinstance(value, LibrarySymbol):
        name = value.name.rpartition(".")[2].removeprefix("HTTP_")
        if name in HTTPStatus.__members__:
            return str(HTTPStatus[name].value)
    return status


def _response(
    program: Program,
    responder: FunctionValue,
    state: _State,
    status: str,
    changed: Reason,
) -> Response:
    origin = _origin(responder)
    explicit = state.status is not None
    if state.kind == "given":
        why = unknown(Reason("response-passed-to-function"), origin)
        return response(status, why, origin, explicit=explicit)
    if state.content is None:
        return response(status, None, origin, explicit=explicit)
    content, scope = state.content.expr, state.content.scope
    origin = origin_at(scope, content.span)
    media = "application/json"
    if (kind := state.content_type) is not None:
        media = _media(program, program.evaluate(kind.expr, kind.scope)) or media
    schema: Schema
    if changed:
        schema = unknown(changed, origin)
    elif state.kind == "media" and is_json(media):
        schema = program.infer(content, scope)
    elif state.kind == "text" and is_json(media):
        schema = _text_schema(program, content, scope)
    else:
        schema = unknown(Reason("response-not-json"), origin)
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
    return unknown(Reason("text-not-read"), origin_at(scope, expr.span))


def _hooks(program: Program, responder: FunctionValue, kind: str) -> list[FunctionValue | None]:
    """The functions that `@falcon.before(f)` or `@falcon.after(f)` put around a responder or all of
    its class, in the order in which they run; None for one that cannot be told."""
    owner = responder.owner
    annotations = responder.function.annotations
    around = owner.decl.annotations if owner is not None else ()
    # What stands first runs outermost; decorators of the class run within those of methods.
    ordered = (*annotations, *around) if kind == "before" else (*around[::-1], *annotations[::-1])
    found: list[FunctionValue | None] = []
    for annotation in ordered:
        if annotation.callee is None or not annotation.args:
            continue
        if program.qualified_name(annotation.callee, responder.scope) in (
            f"falcon.{kind}",
            f"falcon.hooks.{kind}",
        ):
            found.append(program.function_value(annotation.args[0].value, responder.scope))
    return found


class _Walker:
    """Follows statements, with what the response holds on each way."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._open: list[Function] = []
        self._done: list[_State] = []
        """What the response holds where the function that is followed returns early."""
        self.lost = False

    def through(self, hooks: list[FunctionValue | None], states: list[_State]) -> list[_State]:
        """The states after hooks, which are called with request, response, resource, …"""
        for hook in hooks:
            params = [] if hook is None else hook.function.params
            names = [p.name for p in params if p.name not in ("this", "self")]
            if hook is None or len(names) < 2:
                states = [replace(state, kind="given") for state in states]
            else:
                states = self.function(hook, names[1], states)
        return states

    def function(
        self,
        function: FunctionValue,
        name: str,
        states: list[_State],
        bindings: Mapping[str, Value] | None = None,
    ) -> list[_State]:
        """The states after a function whose parameter `name` is the response."""
        if function.function in self._open or len(self._open) > _DEEPEST:
            return [replace(state, kind="given") for state in states]
        scope = self._program.function_scope(function.function, function.scope, bindings)
        scope = replace(scope, receiver=function.receiver or scope.receiver)
        around, self._done = self._done, []
        self._open.append(function.function)
        ends = self._walk(scope.statements or (), states, name, scope)
        self._open.pop()
        found = list(dict.fromkeys((*self._done, *ends)))
        self._done = around
        return found

    def _walk(
        self, statements: tuple[Statement, ...], states: list[_State], name: str, scope: Scope
    ) -> list[_State]:
        """The states after the statements, of the ways that go on."""
        for statement in statements:
            if not states:
                return []
            if len(states) > _MOST:
                self.lost = True
                return []
            states = self._states_after(statement, states, name, scope)
        return states

    def _states_after(
        self, statement: Statement, states: list[_State], response: str, scope: Scope
    ) -> list[_State]:
        match statement:
            case Return(value=value):
                if value is not None:
                    states = self._states_after_calls(value, states, response, scope)
                self._done.extend(states)
                return []
            case Throw():
                return []
            case Branch(blocks=blocks, exhaustive=exhaustive):
                found = [s for block in blocks for s in self._walk(block, states, response, scope)]
                if not exhaustive:
                    found.extend(states)
                return list(dict.fromkeys(found))
            case Loop(body=body):
                return list(dict.fromkeys((*states, *self._walk(body, states, response, scope))))
            case Assign(target=Attribute(value=Name(id=id), name=name), value=value) if (
                id == response
            ):
                written = None if value is None else _Written(value, scope)
                return [_written_to(state, name, written) for state in states]
            case Evaluate(value=value) | Assign(value=value) if value is not None:
                return self._states_after_calls(value, states, response, scope)
            case _:
                return states

    def _states_after_calls(
        self, expr: Expr, states: list[_State], response: str, scope: Scope
    ) -> list[_State]:
        """The states after the functions that an expression gives the response to."""
        for call, place in calls_in(self._program, (expr,), scope):
            if not any(is_name(argument.value, response) for argument in call.args):
                continue
            callee = (
                self._program.function_value(call.callee, place) if isinstance(call, Call) else None
            )
            parameter = None if callee is None else _parameter(callee, call.args, response)
            if callee is None or parameter is None:
                states = [replace(state, kind="given") for state in states]
                continue
            assert isinstance(call, Call)
            bindings = self._program.evaluator.arguments_with_defaults(callee, call, place)
            states = self.function(callee, parameter, states, bindings)
        return states


def _parameter(callee: FunctionValue, arguments: tuple[Argument, ...], response: str) -> str | None:
    """The parameter of a function that is handed the response."""
    names = [p.name for p in callee.function.params if p.name not in ("this", "self", "cls")]
    for position, argument in enumerate(arguments):
        if is_name(argument.value, response) and not argument.spread:
            return argument.name or (names[position] if position < len(names) else None)
    return None


def _written_to(state: _State, name: str, value: _Written | None) -> _State:
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
