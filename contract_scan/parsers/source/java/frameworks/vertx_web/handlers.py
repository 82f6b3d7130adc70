"""What handlers of Vert.x Web take and send: `RoutingContext`, its request and its response."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from contract_scan.ir.operation import Operation
from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    Constant,
    FunctionValue,
    Items,
    LibraryResult,
    LibrarySymbol,
    OneOf,
    Record,
    RecordEntry,
    Scope,
    Unresolved,
    Value,
    union_of,
)
from contract_scan.parsers.source.analysis.evaluation.call_sites import calls_in
from contract_scan.parsers.source.facts.nodes import (
    Assign,
    Branch,
    Call,
    Evaluate,
    Expr,
    Loop,
    Name,
    New,
    Statement,
)
from contract_scan.parsers.source.java.resolution.annotations import constant_name, type_name
from contract_scan.parsers.source.java.resolution.value_producers import producing_method
from contract_scan.parsers.source.java.serialization.jackson.settings import wire_variant
from contract_scan.parsers.source.java.web.branch_results import BranchResult, statuses_of
from contract_scan.parsers.source.java.web.chains import Chain, chain, function_called, method
from contract_scan.parsers.source.java.web.endpoints import Library, handler_name
from contract_scan.parsers.source.java.web.media import JSON
from contract_scan.parsers.source.java.web.outcomes import returned_outcomes
from contract_scan.parsers.source.java.web.reading import (
    RequestArgument,
    RequestReader,
    by_kind,
    methods_from_mark,
)
from contract_scan.parsers.source.java.web.request_inputs import with_path_variables
from contract_scan.parsers.source.java.web.request_method import handler_for
from contract_scan.parsers.source.java.web.responses import ResponseShapes
from contract_scan.parsers.source.java.web.states import Effect

_ENCODED = frozenset({"encode", "encodePrettily", "toString", "toBuffer"})
_ENCODERS = ("Json.encode", "Json.encodePrettily", "Json.encodeToBuffer")
_READS = by_kind(
    path="pathParam",
    query="queryParam request().getParam",
    header="request().getHeader",
    cookie="getCookie request().getCookie",
    form="request().getFormAttribute",
    body="body().asPojo",
    raw=(
        "request().body request().bodyHandler getBody getBodyAsJson getBodyAsJsonArray "
        "getBodyAsString body().asJsonObject body().asJsonArray body().asString body().buffer"
    ),
    anything="queryParams request().params request().formAttributes request().query fileUploads",
    nothing=(
        "pathParams request().headers request body response json end fail next redirect user get "
        "put data session vertx statusCode failure attachment addCookie remove reroute "
        "currentRoute normalizedPath setUser failed acceptableLocales preferredLanguage "
        "addEndHandler addHeadersEndHandler addBodyEndHandler clearUser getAcceptableContentType "
        "parsedHeaders mountPoint"
    ),
)


_FAILED = Effect(passed_on=True)
_RUN_AT_ONCE = ("AndForget", "AndAwait")
"""What Mutiny's variants of methods end with that need no subscriber."""
_READS.update(
    {
        f"{name}{ending}": "nothing"
        for name in ("json", "end", "redirect", "reroute")
        for ending in _RUN_AT_ONCE
    }
)


def _without_blocking_suffix(name: str) -> str:
    for ending in _RUN_AT_ONCE:
        name = name.removesuffix(ending)
    return name


def _effect(program: Program, name: str, call: Call, scope: Scope) -> Effect | None:
    """What a call on the context or its response does."""
    given = [argument.value for argument in call.args]
    match _without_blocking_suffix(name.rpartition(".")[2]):
        case "setStatusCode" if given:
            return Effect(statuses=statuses_of(program, program.evaluate(given[0], scope)))
        case "json" if given:
            return Effect(body=_json_value(program, given[0], scope), content_type=JSON)
        case "putHeader" if len(given) > 1:
            return _header(program, given, scope)
        case "end" | "send" | "write" if given:
            return _text(program, given[0], scope)
        case "end" | "send":
            return Effect()
        case "fail" if given:
            # An exception goes to the handlers of failures, which answer as they like.
            statuses = statuses_of(program, program.evaluate(given[0], scope))
            return Effect(statuses=statuses, body=Constant(None)) if all(statuses) else _FAILED
        case "redirect":
            return Effect(statuses=("302",))
        case "sendFile" | "attachment":
            return Effect(unknown=Reason("file-sent"), content_type="application/octet-stream")
        case "reroute":
            return Effect(unknown=Reason("request-rerouted"))
        case _:
            return None


def _header(program: Program, given: list[Expr], scope: Scope) -> Effect | None:
    name = (program.text(given[0], scope) or constant_name(given[0])).lower()
    if name.replace("_", "-") != "content-type":
        return Effect()
    text = program.text(given[1], scope)
    kind = text.partition(";")[0].strip() if text else ""
    if not kind and "json" in constant_name(given[1]).lower():
        kind = JSON
    return Effect(content_type=kind)


def _text(program: Program, expr: Expr, scope: Scope) -> Effect:
    """The body that text stands for: JSON where it is seen to be encoded from a value."""
    links = chain(expr)
    if links.calls:
        last = links.calls[-1]
        name = program.qualified_name(last.callee, scope)
        if name.endswith(_ENCODERS) and last.args:
            return Effect(body=_json_value(program, last.args[0].value, scope), content_type=JSON)
        inner = getattr(last.callee, "value", None)
        if method(last) in _ENCODED and inner is not None and _is_json(program, inner, scope):
            return Effect(body=_json_value(program, inner, scope), content_type=JSON)
    return Effect(body=program.evaluate(expr, scope))


def _is_json(program: Program, expr: Expr, scope: Scope) -> bool:
    base = chain(expr).base
    if isinstance(base, New):
        return type_name(base.type) in _JSON_CLASSES
    return is_json(program.evaluate(expr, scope)) or is_json(program.evaluate(base, scope))


_METHOD_CALLS = ("request().method", "request().rawMethod")
LIBRARY = Library(reads=_READS, effect_of=_effect, must_send=True, method_calls=_METHOD_CALLS)


def answers(program: Program, handler: FunctionValue) -> bool:
    """Whether a handler may answer itself, rather than pass every request on (`ctx.next()`)."""
    params = handler.function.params
    if not params:
        return True
    bound: dict[str, Value] = {params[0].name: LibrarySymbol("<request>")}
    scope = program.function_scope(handler.function, handler.scope, bound)
    passes = False
    for call, place in calls_in(program, scope.statements or (), scope):
        if not isinstance(call, Call):
            continue
        before = methods_from_mark(program, chain(call).base, place)
        if before == () and chain(call).names == ("next",):
            passes = True
    return not passes


def responds(program: Program, base: Operation, handler: FunctionValue) -> Operation:
    """The operation of a `respond` handler: what it returns is sent as JSON."""
    variant = wire_variant(program, base.origin.path)
    handler = handler_for(program, handler, base.method, {0: _METHOD_CALLS})
    name = handler_name(handler, "the handler")
    inputs = RequestReader(program, _READS, variant).request_inputs(RequestArgument(handler, 0))
    sending = ResponseShapes(program, handler.scope, base.origin, name, variant)

    def read_outcome(program: Program, value: Value) -> Iterator[BranchResult]:
        del program
        yield BranchResult(body=value, is_status_known=not isinstance(value, Unresolved))

    outcomes = returned_outcomes(program, handler, read_outcome)
    responses, complete = sending.open_responses(outcomes, None, "200", JSON)
    return replace(
        base,
        parameters=with_path_variables(inputs.parameters, base.path, base.origin),
        parameters_complete=inputs.complete,
        request=tuple(inputs.bodies) if base.method not in ("GET", "HEAD") else (),
        responses=responses,
        statuses_complete=complete,
    )


# --------------------------------------------------------------- JSON objects put together in sight


_JSON_CLASSES = frozenset({"JsonObject", "JsonArray"})
_CHANGING = frozenset({"put", "add", "mergeIn", "remove", "clear", "putNull", "addNull", "set"})
_UNDETERMINED = Reason("json-object-not-followed")
_HANDED_ON = Reason("object-passed-on")
_MAX_DEPTH = 5
"""How many functions and objects inside each other are looked into."""


def _json_value(program: Program, expr: Expr, scope: Scope, depth: int = 0) -> Value:
    """What is sent as JSON: a value, or an object that is put together in sight: in one chain of
    calls, in the statements of one function, or by a function of the project."""
    links = chain(expr)
    if depth < _MAX_DEPTH:
        made = _built_json(program, links, scope, depth) or _local(program, links, scope, depth)
        if made is not None:
            return made
    if links.names[-1:] == ("mapFrom",) and links.calls[-1].args:
        return program.evaluate(links.calls[-1].args[0].value, scope)
    value = program.evaluate(expr, scope)
    if isinstance(links.base, Name) and is_json(value):
        found = _Statements(links.base.id)
        found.collect(scope.statements or (), conditional=False, depth=0)
        if found.calls:  # it is changed here in a way that is not followed
            return Unresolved(_UNDETERMINED, expr.span, scope.file.path)
    return _json_contents(program, value, expr, scope, depth)


def _json_contents(
    program: Program, value: Value, expr: Expr, scope: Scope, depth: int = 0
) -> Value:
    """The contents of the `JsonObject` that a function of the project returns; other values as
    they are."""
    if isinstance(value, OneOf):
        options = (_json_contents(program, each, expr, scope, depth) for each in value.options)
        return union_of(tuple(options))
    if isinstance(value, LibraryResult) and depth < _MAX_DEPTH:
        seen = _contents_of_construction(program, value, depth + 1)
        if seen is not None:
            return seen
    function = producing_method(program, value, _JSON_CLASSES) if depth < _MAX_DEPTH else None
    if function is not None:
        returned = [
            _json_value(program, each.value, each.scope, depth + 1)
            for each in program.function_exits(function)
            if each.value is not None and not each.thrown
        ]
        if returned:
            return union_of(tuple(returned))
    if is_json(value) or _is_new(chain(expr).base):
        return Unresolved(_UNDETERMINED, expr.span, scope.file.path)
    return value


def _contents_of_construction(program: Program, value: LibraryResult, depth: int) -> Value | None:
    """The contents of an object that a function builds: in its statements, or in one chain of
    calls."""
    if value.scope.function is None:
        return None  # a field, which anything may add to
    links = chain(value.site)
    for statement, is_nested in _assignments(value.scope.statements or ()):
        if statement.value is not None and chain(statement.value).base is links.base:
            if is_nested or not isinstance(statement.target, Name):
                return None
            return _local(program, Chain(statement.target, ()), value.scope, depth)
    return _built_json(program, links, value.scope, depth)


def _assignments(statements: tuple[Statement, ...]) -> Iterator[tuple[Assign, bool]]:
    """Every assignment, and whether it stands inside another statement."""
    pending: list[tuple[Statement, bool]] = [(statement, False) for statement in statements]
    while pending:
        statement, is_nested = pending.pop()
        match statement:
            case Assign():
                yield statement, is_nested
            case Branch(blocks=blocks):
                pending.extend((inner, True) for block in blocks for inner in block)
            case Loop(body=body):
                pending.extend((inner, True) for inner in body)
            case _:
                pass


def is_json(value: Value) -> bool:
    """Whether a value is an object or a list of Vert.x."""
    made = getattr(value, "name", "") or type_name(getattr(value, "type", None))
    return any(name in made for name in _JSON_CLASSES)


def _is_new(expr: Expr) -> bool:
    return isinstance(expr, New) and type_name(expr.type) in _JSON_CLASSES


def _built_json(program: Program, links: Chain, scope: Scope, depth: int) -> Value | None:
    """`new JsonObject().put("a", x)`, `new JsonArray().add(x)`."""
    base = links.base
    if not isinstance(base, New) or base.args or not _is_new(base):
        return None
    if type_name(base.type) == "JsonArray":
        if not links.calls or set(links.names) > {"add"} or "add" not in links.names:
            return None
        given = [call.args[0].value for call in links.calls if call.args]
        items = tuple(_json_value(program, each, scope, depth + 1) for each in given)
        return Items(items, True, False, program.origin(base, scope))
    if not links.calls or not set(links.names) <= {"put", "putNull"}:
        return None
    return _record(program, base, [(call, False) for call in links.calls], scope, depth)


def _record(
    program: Program,
    base: Expr,
    calls: list[tuple[Call, bool]],
    scope: Scope,
    depth: int,
    partial: Reason = NO_REASON,
) -> Record:
    entries: dict[str, RecordEntry] = {}
    for call, conditional in calls:
        key = program.text(call.args[0].value, scope) if call.args else None
        if method(call) != "put" or len(call.args) != 2 or key is None:
            partial = partial or Reason("key-computed")
            continue
        value = _json_value(program, call.args[1].value, scope, depth + 1)
        known = entries.get(key)
        if known is not None and conditional:
            value, conditional = union_of((known.value, value)), known.optional
        place = program.origin(call.args[0].value, scope)
        entries[key] = RecordEntry(key, value, place, conditional)
    return Record(tuple(entries.values()), partial, None, program.origin(base, scope))


def _local(program: Program, links: Chain, scope: Scope, depth: int) -> Value | None:
    """An object that statements of one function put together: `o.put("a", x); return o;`."""
    base = links.base
    if not isinstance(base, Name) or set(links.names) - {"put"}:
        return None
    found = _Statements(base.id)
    found.collect(scope.statements or (), conditional=False, depth=0)
    if len(found.made) != 1 or not isinstance(found.made[0], New | Call):
        return None
    first = chain(found.made[0])
    if not isinstance(first.base, New) or type_name(first.base.type) != "JsonObject":
        return None
    if first.base.args or set(first.names) - {"put"} or found.looped:
        return None
    calls = [*((call, False) for call in first.calls), *found.calls]
    calls.extend((call, False) for call in links.calls if all(call is not c for c, _ in calls))
    partial = _HANDED_ON if _is_handed_on(program, base.id, scope) else NO_REASON
    return _record(program, first.base, calls, scope, depth, partial)


class _Statements:
    """What the statements of a function do to a local."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.made: list[Expr | None] = []
        self.calls: list[tuple[Call, bool]] = []
        self.looped = False

    def collect(self, statements: tuple[Statement, ...], *, conditional: bool, depth: int) -> None:
        """Gather what is assigned to it and called on it; under a condition or not."""
        for statement in statements:
            match statement:
                case Assign(target=Name(id=name), value=value) if name == self.name:
                    self.made.append(value)
                case Evaluate(value=value):
                    self._collect_calls(value, conditional)
                case Branch(blocks=blocks) if depth < _MAX_DEPTH:
                    for block in blocks:
                        self.collect(block, conditional=True, depth=depth + 1)
                case Loop(body=body) if depth < _MAX_DEPTH:
                    before = len(self.calls)
                    self.collect(body, conditional=True, depth=depth + 1)
                    self.looped |= len(self.calls) > before
                case _:
                    pass

    def _collect_calls(self, expr: Expr, conditional: bool) -> None:
        links = chain(expr)
        if isinstance(links.base, Name) and links.base.id == self.name:
            for call in links.calls:
                if method(call) in _CHANGING:
                    self.calls.append((call, conditional))


def _is_handed_on(program: Program, name: str, scope: Scope) -> bool:
    """Whether a function of the project is given the object, other than to send it."""
    for call, place in calls_in(program, scope.statements or (), scope):
        if not isinstance(call, Call) or method(call) in ("put", "json", "end", "add"):
            continue
        is_given = any(isinstance(a.value, Name) and a.value.id == name for a in call.args)
        if is_given and function_called(program, call, place) is not None:
            return True
    return False
