"""What a handler answers by what it returns: responses of a library, or plain values.

`return NextResponse.json(x, { status: 201 })`, `return c.json(x)`, `return x`: whatever functions
of the project stand between, the value that is returned tells what is sent.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.ir.operation import Answers, Body, Response
from contract_scan.ir.origin import Origin, Span
from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import Scalar, Schema, Unknown
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.schemas import unite
from contract_scan.parsers.source.analysis.domain.values import (
    BySchema,
    Constant,
    FunctionValue,
    Instance,
    Items,
    LibraryResult,
    LibrarySymbol,
    OneOf,
    Record,
    Scope,
    Unresolved,
    Value,
    readable_name,
)
from contract_scan.parsers.source.analysis.refinement.correlated_destructuring import alternatives
from contract_scan.parsers.source.facts.nodes import (
    Assign,
    Attribute,
    Branch,
    Call,
    Evaluate,
    Expr,
    Function,
    Loop,
    Name,
    New,
    Return,
    Statement,
    Throw,
)
from contract_scan.parsers.source.facts.visitor import nodes_of
from contract_scan.parsers.source.typescript.resolution.walker import entries, nested_nodes
from contract_scan.parsers.source.typescript.web import statuses
from contract_scan.parsers.source.typescript.web.response_heads import JSON


class ReturnedResponse(Struct, frozen=True):
    """What one value sends when a handler returns it."""

    statuses: tuple[int, ...]
    """Empty where they are undetermined."""
    explicit_status: bool
    body: Body | None


ReadMade: TypeAlias = "Callable[[Program, LibraryResult], ReturnedResponse | None]"
ReadPlain: TypeAlias = "Callable[[Program, Value, Origin], ReturnedResponse | None]"


class ResponseLibrary(Struct, frozen=True, kw_only=True):
    """How one library's handlers answer."""

    read_result: ReadMade
    """What a value sends that a call of a library gave; None where it is no response."""
    plain: ReadPlain | None = None
    """What any other value sends; None where handlers must return responses."""
    setters: Mapping[str, int] = {}
    """Qualified names of functions that set the status of what is returned afterwards -> position
    of the status."""
    status_targets: frozenset[str] = frozenset()
    """Qualified names of what the status is assigned to (`set.status = 201`)."""
    effects: frozenset[str] = frozenset()
    """Qualified names of functions that end the request by being called: they throw."""


_PLAIN = (Record, Items, Constant, BySchema, Instance)


Statuses: TypeAlias = frozenset[int]
"""The statuses that may be set at a place, on one way or another."""
_NOTHING = 0
"""Stands for: none is set."""
_UNDETERMINED = -1
"""Stands for: one is set that is undetermined."""
NOTHING_SET: Statuses = frozenset({_NOTHING})
_DEEPEST = 4
"""How deep functions are followed that may set a status."""


class _Collector:
    def __init__(self, program: Program, dialect: ResponseLibrary, following: str = "") -> None:
        self._program = program
        self._dialect = dialect
        self._following = following
        self.sites: list[ResponseSite] = []
        self.undetermined: list[tuple[Reason, Origin]] = []
        self.complete = True
        self.handed_on: Statuses = frozenset()
        """The statuses that may be set when the handlers behind are called."""
        self._statuses: Statuses = NOTHING_SET
        self._set_by: tuple[Statuses, Expr, Scope] | None = None
        """The statuses that were set last, and what by."""
        self._ended: Statuses = frozenset()
        """The statuses with which a function returns that is followed."""
        self._followed: list[Function] = []
        names = (*dialect.setters, *dialect.status_targets)
        self._holders = frozenset(name.rpartition(".")[0] for name in names) - {""}

    def block(
        self, statements: tuple[Statement, ...], scope: Scope, statuses_set: Statuses
    ) -> Statuses:
        """Read a block, with the statuses that may be set before it; gives those behind it."""
        current = statuses_set
        for statement in statements:
            self._note_following(statement, current)
            self._statuses = current
            match statement:
                case Return(value=value):
                    if value is not None:
                        self._statuses = current = self._through(value, scope, current)
                        if not self._followed:
                            self.note_returned(value, scope)
                    self._ended |= current
                    return frozenset()
                case Throw(value=value):
                    if value is not None and not self._followed:
                        self.note_thrown(value, scope)
                    return frozenset()
                case Assign(target=Attribute() as target, value=value) if (
                    value is not None and self._assigns(target, scope)
                ):
                    current = self._told_by(value, scope)
                    self._set_by = current, value, scope
                case Evaluate(value=value) | Assign(value=value) if value is not None:
                    if self._dialect.effects and isinstance(statement, Evaluate):
                        self.effect(value, scope)
                    current = self._through(value, scope, current)
                case Branch(blocks=blocks):
                    ends = [self.block(block, scope, current) for block in blocks]
                    before = frozenset[int]() if statement.exhaustive else current
                    current = before.union(*ends)
                case Loop(body=body):
                    current |= self.block(body, scope, current)
                case _:
                    pass
        return current

    def _note_following(self, statement: Statement, current: Statuses) -> None:
        """Note a call of the handlers behind: `await next()`."""
        value = None if isinstance(statement, Branch | Loop) else getattr(statement, "value", None)
        if self._following and value is not None:
            for node in nested_nodes(value):
                if isinstance(node, Call) and getattr(node.callee, "id", "") == self._following:
                    self.handed_on |= current

    def _through(self, expr: Expr, scope: Scope, before: Statuses) -> Statuses:
        """The statuses behind an expression, which may set one or call a function that does."""
        if not self._holders or not isinstance(expr, Call):
            return before
        found = self._status_set(expr, scope)
        if found is not None:
            return found
        if len(self._followed) >= _DEEPEST or not any(
            self._is_holder(argument.value, scope) for argument in expr.args
        ):
            return before
        callee = self._program.evaluate(expr.callee, scope)
        if not isinstance(callee, FunctionValue) or callee.function in self._followed:
            return before
        bindings = self._program.evaluator.arguments_with_defaults(callee, expr, scope)
        inner = self._program.function_scope(callee.function, callee.scope, bindings)
        inner = replace(inner, receiver=callee.receiver or inner.receiver, depth=scope.depth + 1)
        around, self._ended = self._ended, frozenset()
        self._followed.append(callee.function)
        behind = self.block(inner.statements or (), inner, before) | self._ended
        self._followed.pop()
        self._ended = around
        return behind or before

    def _is_holder(self, expr: Expr, scope: Scope) -> bool:
        """Whether an expression is an object that statuses are set on."""
        value = self._program.evaluate(expr, scope)
        return isinstance(value, LibrarySymbol) and value.name in self._holders

    def _assigns(self, target: Attribute, scope: Scope) -> bool:
        names = self._dialect.status_targets
        if not any(name.endswith(f".{target.name}") for name in names):
            return False
        holder = self._program.evaluate(target.value, scope)
        return isinstance(holder, LibrarySymbol) and f"{holder.name}.{target.name}" in names

    def _told_by(self, expr: Expr, scope: Scope) -> Statuses:
        return frozenset(statuses.statuses(self._program, expr, scope) or (_UNDETERMINED,))

    def _status_set(self, expr: Expr, scope: Scope) -> Statuses | None:
        """The statuses that a statement sets; None where it sets none."""
        value = self._program.evaluate(expr, scope)
        if not isinstance(value, LibraryResult) or value.name not in self._dialect.setters:
            return None
        args = value.site.args[self._dialect.setters[value.name] :]
        if not args:
            return frozenset({_UNDETERMINED})
        found = self._told_by(args[0].value, value.scope)
        self._set_by = found, args[0].value, value.scope
        return found

    def note_returned(self, expr: Expr, scope: Scope) -> None:
        """Note what is returned, each of the values that the status stems from by itself."""
        told, set_by = self._statuses, self._set_by
        if set_by is None or set_by[0] != told or set_by[2] is not scope:
            self._note_returned(expr, scope)
            return
        for place in alternatives(self._program, (set_by[1], expr), scope):
            self._statuses = self._told_by(set_by[1], place)
            self._note_returned(expr, place)
        self._statuses = told

    def _note_returned(self, expr: Expr, scope: Scope) -> None:
        origin = Origin(scope.file.path, expr.span)
        options = _options(self._program.evaluate(expr, scope))
        if self._dialect.plain is None and any(map(self._answers, options)):
            # `if (isResponse(result)) return result;`: what is no response is not returned here.
            options = tuple(value for value in options if not isinstance(value, _PLAIN))
        for value in options:
            self._value(value, origin)

    def _answers(self, value: Value) -> bool:
        return (
            isinstance(value, LibraryResult)
            and self._dialect.read_result(self._program, value) is not None
        )

    def note_thrown(self, expr: Expr, scope: Scope) -> None:
        """`throw error(404)` sends a response, unless the value is a mere exception."""
        origin = Origin(scope.file.path, expr.span)
        for value in _options(self._program.evaluate(expr, scope)):
            reply = (
                self._dialect.read_result(self._program, value)
                if isinstance(value, LibraryResult)
                else None
            )
            if reply is not None:
                self._note(reply, origin)

    def effect(self, expr: Expr, scope: Scope) -> None:
        for value in _options(self._program.evaluate(expr, scope)):
            if isinstance(value, LibraryResult) and value.name in self._dialect.effects:
                self.note_thrown(expr, scope)
                return

    def _value(self, value: Value, origin: Origin) -> None:
        value = self._program.evaluator.unwrap(value)
        if isinstance(value, LibraryResult) and self._answers(value):
            for made in _taken_apart(self._program, value):
                reply = self._dialect.read_result(self._program, made)
                if reply is not None:
                    self._note(reply, Origin(value.scope.file.path, value.site.span))
            return
        if self._dialect.plain is not None:
            reply = self._dialect.plain(self._program, value, origin)
            if reply is not None:
                self._note(reply, origin)
            return
        if is_nothing(value):
            return
        self.complete = False
        self.undetermined.append((self._reason(value), origin))

    def _reason(self, value: Value) -> Reason:
        if isinstance(value, Unresolved):
            return Reason("returned-response-not-visible", reason=value.reason)
        name = self._program.evaluator.qualified_name(value)
        made = f" by `{readable_name(name)}`" if name else ""
        return Reason("response-factory-not-read", made=made)

    def _note(self, reply: ReturnedResponse, origin: Origin) -> None:
        replies = [reply]
        if not reply.explicit_status:
            told = tuple(sorted(self._statuses - {_NOTHING, _UNDETERMINED}))
            replies = [replace(reply, statuses=told, explicit_status=True)] if told else []
            if _NOTHING in self._statuses:
                replies.append(reply)
            if _UNDETERMINED in self._statuses:
                replies.append(replace(reply, statuses=()))
        for one in replies:
            self._note_sites(one, origin)

    def _note_sites(self, reply: ReturnedResponse, origin: Origin) -> None:
        self.complete = self.complete and bool(reply.statuses)
        if not reply.statuses:
            self.undetermined.append((Reason("response-status-not-constant"), origin))
        for status in reply.statuses:
            if status == statuses.OF_ERROR:
                continue
            empty = reply.body is None or status in (204, 205, 304)
            body = None if empty else reply.body
            self.sites.append(ResponseSite(str(status), reply.explicit_status, body, origin))


def statuses_handed_on(
    program: Program,
    scope: Scope,
    following: str,
    dialect: ResponseLibrary,
    before: Statuses = NOTHING_SET,
) -> Statuses:
    """The statuses that may be set when the function of a scope calls the handlers behind it, by a
    parameter of the name `following`."""
    collector = _Collector(program, dialect, following)
    collector.block(scope.statements or (), scope, before)
    return collector.handed_on or before


def answers(
    program: Program,
    statements: tuple[Statement, ...],
    scope: Scope,
    dialect: ResponseLibrary,
    before: Statuses = NOTHING_SET,
) -> Answers:
    """What the statements of a handler answer, read in a scope in which its parameters are
    bound, and that statuses `before` are set for."""
    collector = _Collector(program, dialect)
    collector.block(statements, scope, before)
    return collected_answers(collector.sites, collector.undetermined, complete=collector.complete)


def answer(program: Program, value: Value, origin: Origin, dialect: ResponseLibrary) -> Answers:
    """What a value answers that a library is given in place of a handler (`.get("/", "hi")`)."""
    collector = _Collector(program, dialect)
    for option in _options(value):
        collector._value(option, origin)
    return collected_answers(collector.sites, collector.undetermined, complete=collector.complete)


def collected_answers(
    sites: list[ResponseSite], undetermined: list[tuple[Reason, Origin]], *, complete: bool
) -> Answers:
    """What was found, with the first reason why a success is undetermined where none was."""
    responses = tuple(merge_by_status(sites))
    if undetermined and not any(r.status.startswith("2") for r in responses):
        reason, origin = undetermined[0]
        body = Body(schema=Unknown(reason=reason, origin=origin), origin=origin)
        unknown = Response(status="200", bodies=(body,), explicit_status=False, origin=origin)
        responses = (*responses, unknown)
    origins = (origin for _, origin in undetermined)
    return Answers(responses, complete and bool(sites), next(origins, None))


def _taken_apart(program: Program, made: LibraryResult) -> Iterator[LibraryResult]:
    """A response whose status and body are read of one variable, once for each value of that:
    `c.json(outcome.body, outcome.status)`, `h.response(outcome.body).code(outcome.status)`."""
    read: list[Expr] = []
    link: Value | None = made
    while isinstance(link, LibraryResult) and link.scope is made.scope:
        read.extend(a.value for a in link.site.args if any(map(_is_name, nodes_of(a.value))))
        link = link.receiver
    places = alternatives(program, tuple(read), made.scope) if len(read) > 1 else ()
    return (_read_in(made, place) for place in places) if len(places) > 1 else iter((made,))


def _is_name(node: object) -> bool:
    return isinstance(node, Name)


def _read_in(made: LibraryResult, place: Scope) -> LibraryResult:
    """What a call of a library gives, read in another scope."""
    receiver = made.receiver
    if isinstance(receiver, LibraryResult) and receiver.scope is made.scope:
        receiver = _read_in(receiver, place)
    return replace(made, scope=place, receiver=receiver)


def _options(value: Value) -> tuple[Value, ...]:
    return value.options if isinstance(value, OneOf) else (value,)


def is_nothing(value: Value) -> bool:
    """Whether a value is null or undefined."""
    return (isinstance(value, Constant) and value.value is None) or (
        isinstance(value, LibrarySymbol) and value.name == "undefined"
    )


def value_response(
    program: Program,
    value: Value,
    origin: Origin,
    *,
    text: str = "text/html",
    nothing: int = 204,
) -> ReturnedResponse:
    """What is returned is sent: nothing with a status of its own, texts as they are, all else as
    JSON."""
    if is_nothing(value):
        return ReturnedResponse((nothing,), False, None)
    schema = program.schema_of(value)
    flat = program.types.flat(schema)
    of_text = isinstance(flat, Scalar) and flat.type == "string"
    return ReturnedResponse(
        (200,),
        False,
        Body(schema=schema, content_type=text if of_text else JSON, origin=origin),
    )


# --------------------------------------------------------------- responses of the Fetch standard
# Responses of the Fetch standard, and of the libraries that extend them: `Response.json(x)`, `new
# Response(text, { status, headers })`, `NextResponse.json(…)`, `json(…)`, `redirect(…)`.


_STRINGIFY = "JSON.stringify"
_BYTES = Reason("body-not-json")


def argument(program: Program, made: LibraryResult, position: int) -> Value | None:
    """What a call was given at a position; None for nothing and for `undefined`."""
    args = made.site.args
    if position >= len(args) or any(a.spread for a in args[: position + 1]):
        return None
    value = program.evaluate(args[position].value, made.scope)
    if isinstance(value, LibrarySymbol) and value.name == "undefined":
        return None
    return value


def argument_origin(made: LibraryResult, position: int) -> Origin:
    """Where an argument of a call stands, or else the call."""
    args = made.site.args
    span = args[position].value.span if position < len(args) else made.site.span
    return Origin(made.scope.file.path, span)


def json_response(program: Program, made: LibraryResult) -> ReturnedResponse:
    """`json(body, init)`."""
    codes, explicit = init_statuses(argument(program, made, 1), 200)
    value = argument(program, made, 0)
    if value is None:
        return ReturnedResponse(codes, explicit, None)
    given = made.site.args[0].value
    body = Body(
        schema=program.schema_of(value),
        content_type=JSON,
        may_be_missing=program.evaluator.may_be_nothing(value, given, made.scope),
        origin=argument_origin(made, 0),
    )
    return ReturnedResponse(codes, explicit, body)


def body_response(program: Program, made: LibraryResult) -> ReturnedResponse:
    """`new Response(body, init)`: text that is JSON, other text, bytes, or nothing."""
    init = argument(program, made, 1)
    codes, explicit = init_statuses(init, 200)
    value = argument(program, made, 0)
    body = _raw_body(program, value, argument_origin(made, 0), init, "text/plain")
    return ReturnedResponse(codes, explicit, body)


def _raw_body(
    program: Program, value: Value | None, origin: Origin, init: Value | None, text: str
) -> Body | None:
    """What is sent as it is."""
    if value is None or (isinstance(value, Constant) and value.value is None):
        return None
    declared = content_type(program, init)
    parts = value.options if isinstance(value, OneOf) else (value,)
    texts = [
        p for p in parts if isinstance(p, LibraryResult) and p.name == _STRINGIFY and p.site.args
    ]
    if len(texts) == len(parts) == 1:
        inner = program.infer(texts[0].site.args[0].value, texts[0].scope)
        return Body(schema=inner, content_type=_json(declared), origin=origin)
    schema = program.types.flat(program.schema_of(value))
    if isinstance(schema, Scalar) and schema.type == "string":
        if "json" in declared:
            reason = Unknown(reason=Reason("json-written-as-text"), origin=origin)
            return Body(schema=reason, content_type=declared, origin=origin)
        return Body(schema=schema, content_type=declared or text, origin=origin)
    unknown = Unknown(reason=_BYTES, origin=origin)
    return Body(schema=unknown, content_type=declared or "*/*", origin=origin)


def _json(declared: str) -> str:
    return declared if "json" in declared or "event-stream" in declared else JSON


def init_statuses(init: Value | None, default: int) -> tuple[tuple[int, ...], bool]:
    """The statuses of `{ status: 201 }` or of a number, and whether the code says them."""
    if init is None:
        return (default,), False
    if isinstance(init, Constant) and init.value is None:
        return (default,), False
    if isinstance(init, Record):
        entry = entries(init).get("status")
        if entry is None:
            return ((), False) if init.partial else ((default,), False)
        found = statuses.of_value(entry.value)
        if entry.optional and found:
            found = tuple(dict.fromkeys((*found, default)))
        return found, True
    return statuses.of_value(init), True


def content_type(program: Program, init: Value | None) -> str:
    """The content type that `{ headers: { "Content-Type": … } }` says; empty: none."""
    headers = entries(init).get("headers") if init is not None else None
    value = headers.value if headers is not None else None
    if isinstance(value, LibraryResult) and isinstance(value.site, New) and value.name == "Headers":
        value = argument(program, value, 0)
    for name, entry in entries(value).items() if value is not None else ():
        if name.lower() == "content-type":
            text = program.evaluator.text(entry.value) or ""
            return text.split(";")[0].strip().lower()
    return ""


def redirect_response(
    program: Program, made: LibraryResult, *, default: int = 302, position: int = 1
) -> ReturnedResponse:
    """`redirect(url, status)`."""
    codes, explicit = init_statuses(argument(program, made, position), default)
    return ReturnedResponse(codes, explicit, None)


def standard(program: Program, made: LibraryResult) -> ReturnedResponse | None:
    """`Response.json`, `new Response`, `Response.redirect`; None for anything else."""
    match made.name:
        case "Response.json":
            return json_response(program, made)
        case "Response":
            return body_response(program, made)
        case "Response.redirect":
            return redirect_response(program, made)
        case "Response.error":
            return ReturnedResponse((500,), True, None)
        case _:
            return None


# ---------------------------------------------------------------------------- sites of responses
# Places that send a response, and the responses they make together.


WORDS_OF_STATUS = Scalar(type="string")
"""What is sent where code names a status alone: `Not Found`."""


class ResponseSite(Struct, frozen=True):
    """One place that sends a response."""

    status: str
    explicit_status: bool
    body: Body | None
    origin: Origin
    of_one_kind: bool = False
    """Whether it is for one kind of caught error alone, that nothing is seen to throw."""
    of_function: Span | None = None
    """The function of the project that is given the response and sends it; None: the handler."""


def merge_by_status(sites: list[ResponseSite]) -> Iterator[Response]:
    """One response per status; bodies of one content type are one body."""
    by_status: dict[str, list[ResponseSite]] = {}
    for item in sites:
        by_status.setdefault(item.status, []).append(item)
    for status, items in by_status.items():
        bodies: dict[str, list[Body]] = {}
        for item in items:
            if item.body is not None:
                bodies.setdefault(item.body.content_type, []).append(item.body)
        yield Response(
            status=status,
            bodies=tuple(_one_body(group) for group in bodies.values()),
            explicit_status=any(item.explicit_status for item in items),
            empty_at=_first_beside(items, _is_empty),
            words_at=_first_beside(items, _is_words),
            for_unseen_error=all(item.of_one_kind for item in items),
            origin=items[0].origin,
        )


def _is_empty(site: ResponseSite) -> bool:
    return site.body is None


def _is_words(site: ResponseSite) -> bool:
    return site.body is not None and site.body.schema is WORDS_OF_STATUS


def _first_beside(
    sites: list[ResponseSite], holds: Callable[[ResponseSite], bool]
) -> Origin | None:
    """The first place that sends no body, or the words of the status, where others send more. A
    function that does either by what it is given may always be given a body."""
    filled = [site for site in sites if not (_is_empty(site) or _is_words(site))]
    choosing = {site.of_function for site in filled} - {None}
    found = (site for site in sites if holds(site) and site.of_function not in choosing)
    return next((site.origin for site in found), None) if filled else None


def _one_body(bodies: list[Body]) -> Body:
    schema: Schema = unite(body.schema for body in bodies)
    if len(bodies) == 1:
        schema = bodies[0].schema
    missing = any(body.may_be_missing for body in bodies)
    return replace(bodies[0], schema=schema, may_be_missing=missing)
