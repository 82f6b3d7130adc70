"""What FastAPI handlers send: the declared model, or responses they make themselves."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.ir.operation import Response
from contract_scan.ir.origin import NO_SPAN, Origin, Span
from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.ir.schema import Unknown
from contract_scan.parsers.source.analysis.dataflow import reaching_definitions
from contract_scan.parsers.source.analysis.domain.effects import Mutation
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    ByType,
    ClassSymbol,
    Constant,
    FunctionValue,
    Instance,
    LibraryResult,
    Record,
    Scope,
    Unresolved,
    Value,
    is_null,
    origin_at,
)
from contract_scan.parsers.source.analysis.evaluation.base_constructors import base_construction
from contract_scan.parsers.source.analysis.evaluation.call_sites import calls_in
from contract_scan.parsers.source.facts.nodes import Call, Name, ObjectLiteral
from contract_scan.parsers.source.python.frameworks.fastapi.applications import Route
from contract_scan.parsers.source.python.frameworks.fastapi.response_model import ResponseModel
from contract_scan.parsers.source.python.resolution.calls_by_name import called_name
from contract_scan.parsers.source.python.resolution.type_expressions import as_type
from contract_scan.parsers.source.python.serialization.kinds import library_bases
from contract_scan.parsers.source.python.web.common import (
    argument,
    is_empty,
    merge_responses,
    response,
    status_of,
    statuses_of,
    text,
    unknown,
    varies,
)
from contract_scan.parsers.source.python.web.dispatch_by_method import exits_for
from contract_scan.parsers.source.python.web.dumped_texts import json_source
from contract_scan.parsers.source.python.web.mounts import Graph
from contract_scan.parsers.source.python.web.response_classes import (
    RESPONSE_TYPES,
    is_json,
    is_response,
)
from contract_scan.parsers.source.python.web.returns import as_answered

_SET_BY_RESPONSES = frozenset({"status_code", "body", "media_type"})
"""Members that Starlette's responses set of what they are made with."""


_WITHOUT_BODY = frozenset({"204", "205", "304"})
"""Statuses with which FastAPI sends no body, whatever is returned
(`is_body_allowed_for_status_code`, https://github.com/fastapi/fastapi/blob/master/fastapi/utils.py)."""


class ReturnedModel(Struct, frozen=True, eq=False):
    """A value that a handler returns and the framework writes, and the place of its `return`."""

    value: Value
    span: Span


class Responses:
    """What a handler sends, by status."""

    def __init__(
        self,
        program: Program,
        route: Route,
        handler: FunctionValue,
        graph: Graph,
        method: str = "",
        injected: tuple[InjectedResponse, ...] = (),
    ) -> None:
        self._program = program
        self._method = method
        self._route = route
        self._handler = handler
        self._graph = graph
        self._injected = injected
        self._model = ResponseModel(program, route, handler)
        self._origin = self._model.origin
        self.undetermined_status: Origin | None = None
        """The first place of which the status could not be told."""

    @property
    def complete(self) -> bool:
        """Whether every status that is sent could be told."""
        return self.undetermined_status is None

    def _note_undetermined(self, place: Origin) -> None:
        self.undetermined_status = self.undetermined_status or place

    def responses(self) -> tuple[Response, ...]:
        """Every known response: declared, and returned directly."""
        route = self._route
        declared = self._declared_status()
        explicit = declared is not None
        default = self._default_status()
        if not default:
            self._note_undetermined(route.origin)
        # A declared model is what is sent, unless the handler makes responses of its own.
        bypassed = self._model.declares_nothing() or self._makes_responses()
        direct, exits = self._returned_values() if bypassed else ([], self._exits_of_model())
        plain = [one.value for one in exits] if bypassed else []
        found: list[Response] = list(self._declared_responses())
        if bypassed and not plain and not direct and self._only_raises():
            self._note_undetermined(self._origin)
            return merge_responses(found)
        if plain or not direct:
            for current, (origin, values) in self._statuses_of(default, exits).items():
                schema = self._model.schema(values if bypassed else [])
                if schema is None and direct:
                    continue
                if not current:
                    schema = unknown(Reason("sent-status-not-constant"), origin)
                found.append(
                    response(
                        current,
                        None if current in _WITHOUT_BODY else schema,
                        origin,
                        content_type=self._model.content_type(),
                        explicit=explicit or current != default,
                    )
                )
        found.extend(direct)
        return merge_responses(found)

    def read_returned(self) -> tuple[Response, ...]:
        """The responses that the handler returns, where it has to make each one (Starlette)."""
        direct, exits = self._returned_values()
        plain = [one.value for one in exits]
        if plain or not direct:
            self._note_undetermined(self._origin)
            if not plain and self._only_raises():
                return ()
            schema = self._model.inferred_schema(plain, "")
            if not isinstance(self._program.types.flat(schema), Unknown):
                schema = unknown(Reason("no-response-found"), self._origin)
            direct.append(response("200", schema, self._origin, explicit=False))
        return merge_responses(direct)

    def _only_raises(self) -> bool:
        """Whether the handler never returns anything."""
        return self._program.evaluator.only_throws(self._handler)

    def _makes_responses(self) -> bool:
        """Whether something called in the handler may make a response."""
        scope = self._program.function_scope(self._handler.function, self._handler.scope)
        return any(
            isinstance(call, Call) and "response" in called_name(call).lower()
            for call, _ in calls_in(self._program, scope.statements or (), scope)
        )

    # returned values

    def _exits_of_model(self) -> list[ReturnedModel]:
        """Where the handler returns what the declared model describes, whatever it is."""
        return [
            ReturnedModel(Constant(None), one.span)
            for one in exits_for(self._program, self._handler, self._method)
            if not one.thrown
        ]

    def _statuses_of(
        self, status: str, exits: list[ReturnedModel]
    ) -> dict[str, tuple[Origin, list[Value]]]:
        """The statuses with which values are sent that are no responses: each with the place where
        it is set, and the values."""
        before = _CurrentStatuses({status: self._origin})
        program, inside = self._program, self._handler.function
        own: InjectedResponse | None = None
        for injected in self._injected:
            if injected.function.function is inside:
                own = injected
            else:
                before = statuses_after(program, injected, before)
        found: dict[str, tuple[Origin, list[Value]]] = {}
        for one in (*exits, ReturnedModel(Constant(None), NO_SPAN)):
            current: _CurrentStatuses | None = before
            if own is not None:
                current = _statuses_at(program, own, one.span, before)
            elif one.span == NO_SPAN and exits:
                continue
            if current is None:
                continue
            if current.undetermined_at is not None:
                self._note_undetermined(current.undetermined_at)
            for code, origin in current.places.items():
                values = found.setdefault(code, (origin, []))[1]
                if one in exits:
                    values.append(one.value)
        return found or {status: (self._origin, [one.value for one in exits])}

    def _returned_values(self) -> tuple[list[Response], list[ReturnedModel]]:
        """Responses that the handler makes itself, and the other values that it returns."""
        direct: list[Response] = []
        plain: list[ReturnedModel] = []
        for result in exits_for(self._program, self._handler, self._method):
            if result.thrown:
                continue
            if result.value is None:
                plain.append(ReturnedModel(Constant(None), result.span))
                continue
            value = self._program.evaluate(result.value, result.scope)
            for option in value.options if hasattr(value, "options") else (value,):
                made = self._direct(option)
                if made is None:
                    plain.append(ReturnedModel(option, result.span))
                else:
                    direct.extend(made)
        with_status = [made for made in direct if made.status]
        if with_status or plain:
            return with_status, plain
        # Nothing but responses of which the status is not known.
        return [replace(made, status=self._default_status()) for made in direct[:1]], plain

    def _direct(self, value: Value) -> tuple[Response, ...] | None:
        """What a response object that the handler makes sends, by status; None for other values."""
        program = self._program
        if isinstance(value, ByType):
            name = program.evaluator.qualified_name(value)
            if not is_response(name):
                return None
            self._note_undetermined(self._origin)
            shape = unknown(Reason("response-made-elsewhere"), self._origin)
            return (response(self._default_status(), shape, self._origin, explicit=False),)
        if isinstance(value, Instance):
            base = next(
                (b.name for b in library_bases(program, value.symbol) if is_response(b.name)), ""
            )
            if not base or value.site is None or value.scope is None:
                return None
            made = base_construction(program, value, base, _SET_BY_RESPONSES)
            media = self._media_of(value.symbol)
            if made is None:
                self._note_undetermined(origin_at(value.scope, value.site.span))
                shape = unknown(Reason("response-class-writes"), self._origin)
                return (response("", shape, self._origin, explicit=False),)
            own = program.find_method(value.symbol, "render")
            return self._made_responses(made, known=own is None, media=media)
        if isinstance(value, LibraryResult) and is_response(value.name):
            return self._made_responses(value, known=True)
        return None

    def _media_of(self, symbol: ClassSymbol) -> str:
        """The content type that a response class of the project names."""
        for owner in (symbol, *self._program.bases(symbol)):
            for member in owner.decl.members:
                if member.name == "media_type" and member.value is not None:
                    return text(self._program, member.value, self._program.class_scope(owner)) or ""
        return ""

    def _made_responses(
        self, made: LibraryResult, *, known: bool, media: str = ""
    ) -> tuple[Response, ...]:
        """One response for each status that it may have; one without any where undetermined."""
        kind = made.name.rpartition(".")[2]
        named = [a.value for a in made.site.args if a.name == "status_code"]
        positional = [a.value for a in made.site.args if not a.name and not a.spread]
        if not named and kind != "TemplateResponse":
            named = positional[1:2]
        statuses: tuple[str, ...] = ("307" if kind == "RedirectResponse" else "200",)
        if named:
            statuses = statuses_of(self._program.evaluate(named[0], made.scope))
        if not statuses:
            origin = origin_at(made.scope, made.site.span)
            self._note_undetermined(origin)
            undetermined = unknown(Reason("sent-status-not-constant"), origin)
            return (response("", undetermined, origin, explicit=False),)
        content = argument(made.site, 0, "content")
        value = None if content is None else self._program.evaluate(content, made.scope)
        why = NO_REASON if known else Reason("response-class-writes")
        if len(statuses) > 1 and value is not None and varies(value):
            why = Reason("content-of-status-undetermined")
        sent = tuple(self._made_response(made, status, why, media) for status in statuses)
        sent, complete = as_answered(self._program, made, sent)
        if not complete:
            self._note_undetermined(origin_at(made.scope, made.site.span))
        return sent

    def _made_response(self, made: LibraryResult, status: str, why: Reason, media: str) -> Response:
        program = self._program
        kind = made.name.rpartition(".")[2]
        arguments = {a.name: a.value for a in made.site.args if a.name}
        positional = [a.value for a in made.site.args if not a.name and not a.spread]
        origin = origin_at(made.scope, made.site.span)
        content_type = RESPONSE_TYPES.get(kind, "application/json")
        content = arguments.get("content", positional[0] if positional else None)
        if kind in ("Response", "JSONResponse", "StreamingResponse"):
            given = text(program, arguments.get("media_type"), made.scope) or media
            content_type = given or content_type
        if content is None and kind not in ("JSONResponse", "TemplateResponse"):
            return response(status, None, origin)
        if not content_type:
            body = None if content is None else program.evaluate(content, made.scope)
            if kind != "Response" or body is None or is_empty(body):
                return response(status, None, origin)
            undetermined = unknown(Reason("content-type-undetermined"), origin)
            return response(status, undetermined, origin, content_type="*/*")
        if not is_json(content_type):
            why = Reason("body-is-page" if content_type == "text/html" else "response-not-json")
            return response(status, unknown(why, origin), origin, content_type=content_type)
        if why or content is None:
            return response(status, unknown(why or Reason("response-class-writes"), origin), origin)
        if kind == "StreamingResponse":
            streamed = unknown(Reason("body-is-stream"), origin)
            return response(status, streamed, origin, content_type=content_type)
        value = json_source(program, content, made.scope) or program.evaluate(content, made.scope)
        shape = program.schema_of(value)
        return response(status, shape, origin, content_type=content_type)

    def _default_status(self) -> str:
        """The status that the route has for what is no response; empty where it is undetermined."""
        declared = self._declared_status()
        if declared is None:
            return "200"
        return "200" if is_null(declared) else status_of(declared) or ""

    def _declared_status(self) -> Value | None:
        """What the route is given as `status_code`, also among keywords that are spread."""
        route, program = self._route, self._program
        expr = route.argument("status_code")
        if expr is not None:
            return program.evaluate(expr, route.scope)
        for each in route.args:
            if each.spread == "**":
                spread = program.evaluate(each.value, route.scope)
                if not isinstance(spread, Record) or spread.partial or spread.values is not None:
                    return Unresolved(Reason("spread-may-have-further-keys"), each.value.span)
                found = [e.value for e in spread.entries if e.name == "status_code"]
                if found:
                    return found[0]
        return None

    # `responses={404: {"model": X}}`

    def _declared_responses(self) -> Iterator[Response]:
        expr = self._route.argument("responses")
        scope = self._route.scope
        if not isinstance(expr, ObjectLiteral):
            return
        for entry in expr.entries:
            status: str | None = entry.key
            if entry.key_expression is not None:
                status = status_of(self._program.evaluate(entry.key_expression, scope))
            if status is None or not isinstance(entry.value, ObjectLiteral):
                continue
            model = next((e.value for e in entry.value.entries if e.key == "model"), None)
            type = as_type(model) if model is not None else None
            if type is None or status == self._default_status():
                continue
            schema = self._program.schema(type, scope)
            documented = response(status.upper(), schema, origin_at(scope, entry.span))
            yield replace(documented, documented=True)


# ---------------------------------------------------------------------------- injected responses
# Statuses that handlers and dependencies set on the response that FastAPI gives them.
#
# `response.status_code = 207` counts for everything that is returned but a response that the
# handler makes itself. https://fastapi.tiangolo.com/advanced/response-change-status-code/


_DEEPEST = 5
"""How deep calls of helpers that are handed the response are followed."""


class InjectedResponse(Struct, frozen=True, eq=False):
    """A parameter that the framework gives the response."""

    function: FunctionValue
    name: str


class _CurrentStatuses(Struct, frozen=True):
    """The statuses that a response may have at a place, each with where it is set."""

    places: dict[str, Origin]
    undetermined_at: Origin | None = None
    """Where a status is set that is not known; None: all are known."""

    def together(self, other: _CurrentStatuses) -> _CurrentStatuses:
        """Those of either."""
        return _CurrentStatuses(
            other.places | self.places, self.undetermined_at or other.undetermined_at
        )


def _statuses_at(
    program: Program,
    injected: InjectedResponse,
    use: Span,
    before: _CurrentStatuses,
    depth: int = 0,
) -> _CurrentStatuses | None:
    """The statuses at a place of a function (`NO_SPAN`: its end), of a response that has others
    `before` it runs; None where nothing leads there."""
    function = injected.function
    scope = program.function_scope(function.function, function.scope)
    state = reaching_definitions.parameter_state(scope.statements or (), injected.name, use)
    found: _CurrentStatuses | None = None
    for definition in state:
        current = before
        if definition.statement is reaching_definitions.HANDED:
            for mutation in definition.mutations:
                current = _statuses_after(program, mutation, scope, injected.name, current, depth)
        found = current if found is None else found.together(current)
    return found


def statuses_after(
    program: Program, injected: InjectedResponse, before: _CurrentStatuses, depth: int = 0
) -> _CurrentStatuses:
    """The statuses after a function has returned, by whichever of its returns."""
    returned = [one.span for one in program.function_exits(injected.function) if not one.thrown]
    found: _CurrentStatuses | None = None
    for span in (*returned, NO_SPAN):
        current = _statuses_at(program, injected, span, before, depth)
        if current is not None:
            found = current if found is None else found.together(current)
    return before if found is None else found


def _statuses_after(
    program: Program,
    mutation: Mutation,
    scope: Scope,
    name: str,
    before: _CurrentStatuses,
    depth: int,
) -> _CurrentStatuses:
    if mutation.kind == "pass":
        after = _after_call(program, mutation, scope, name, before, depth)
    elif mutation.key == "status_code" and not mutation.path:
        given = mutation.value
        statuses = () if given is None else statuses_of(program.evaluate(given, scope))
        place = origin_at(scope, mutation.span)
        after = _CurrentStatuses(dict.fromkeys(statuses, place), None if statuses else place)
    else:
        return before
    return before.together(after) if mutation.conditional else after


def _after_call(
    program: Program,
    mutation: Mutation,
    scope: Scope,
    name: str,
    before: _CurrentStatuses,
    depth: int,
) -> _CurrentStatuses:
    """The statuses after a function that is handed the response has run."""
    call = mutation.value
    if not isinstance(call, Call) or depth > _DEEPEST:
        return before
    callee = program.function_value(call.callee, scope)
    if callee is None:
        return before
    parameters = [p.name for p in callee.function.params if p.name not in ("self", "cls")]
    for position, given in enumerate(call.args):
        if not isinstance(given.value, Name) or given.value.id != name:
            continue
        parameter = given.name or (parameters[position : position + 1] or [""])[0]
        if parameter:
            inner = InjectedResponse(callee, parameter)
            return statuses_after(program, inner, before, depth + 1)
    return before
