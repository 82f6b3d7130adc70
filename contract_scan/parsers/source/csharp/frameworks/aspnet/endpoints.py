"""The endpoints that calls of one file map, with what fluent calls behind them say."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.ir.schema import Unknown
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import Constant, FunctionValue, Scope
from contract_scan.parsers.source.csharp.frameworks.aspnet.endpoint_builders import (
    Mapped,
    built_routes,
    is_of_project,
)
from contract_scan.parsers.source.csharp.frameworks.aspnet.verbs import VERBS, maps
from contract_scan.parsers.source.csharp.frameworks.aspnet.wrappers import (
    Unwrapped,
    is_wrapper,
    wrapped_calls,
    wrappers_named,
)
from contract_scan.parsers.source.csharp.messaging.sites import wrapper_scopes
from contract_scan.parsers.source.csharp.resolution.callers import passed_for
from contract_scan.parsers.source.csharp.web.prefixes import constant_text
from contract_scan.parsers.source.csharp.web.responses import AnnotatedResponse, announced_body
from contract_scan.parsers.source.csharp.web.statuses import status_of
from contract_scan.parsers.source.facts.nodes import (
    ArrayLiteral,
    Attribute,
    Call,
    Cast,
    Expr,
    Function,
    Lambda,
    Name,
    NamedType,
    New,
    TypeExpr,
)
from contract_scan.parsers.source.facts.visitor import nodes_of

_MAX_CHAIN = 100


class Endpoint(Struct, frozen=True, kw_only=True):
    """One call that maps a route, for one verb."""

    call: Call
    scope: Scope
    receiver: Expr
    mapped_in: Scope
    """Where the receiver stands."""
    behind_it: tuple[tuple[Expr, str, Scope], ...] = ()
    """What wrappers map the route on, seen from their parameter of that name, outermost first."""
    verb: str
    """Name of the method that maps it."""
    method: str
    template: str
    unresolved: Reason
    handler: FunctionValue | None
    chained_calls: tuple[tuple[Call, Scope], ...]
    """Calls on what mapping gives: `.WithName(…)`, `.Produces<T>(…)`."""
    name: str = ""
    excluded_from_docs: bool = False
    consumes: tuple[str, ...] = ()
    versions: tuple[str, ...] = ()

    def declared_responses(self, program: Program, variant: str) -> tuple[AnnotatedResponse, ...]:
        """Responses that `.Produces<T>(status)` and its kin declare."""
        found: list[AnnotatedResponse] = []
        for call, scope in self.chained_calls:
            one = announced_call(program, call, scope, variant)
            if one is not None:
                found.append(one)
        return tuple(found)


def endpoints(program: Program, calls: Sequence[tuple[Call | New, Scope]]) -> Iterator[Endpoint]:
    """The endpoints among calls, in their order."""
    behind: dict[int, list[tuple[Call, Scope]]] = {}
    for call, scope in calls:
        if isinstance(call, Call):
            for inner in _chain(call):
                if _may_map(program, inner):
                    behind.setdefault(id(inner), []).append((call, scope))
                    break
    for call, scope in calls:
        if not isinstance(call, Call) or is_wrapper(program, scope.function):
            continue
        after = tuple(behind.get(id(call), ()))
        found = wrapped_calls(program, call, scope)
        for one in found:
            yield from _of_wrapper(program, call, scope, one, after)
        if found or not maps(call) or is_of_project(program, call, scope):
            continue
        own = list(_endpoint(program, call, scope, after))
        built = built_routes(program, call, scope) if any(e.unresolved for e in own) else []
        for route in built:
            for endpoint in _endpoint(program, call, route.scope, after):
                yield _of_builder(endpoint, route)
        called = [] if built else _as_called(program, call, scope, after, own)
        yield from () if built else called or own


def _may_map(program: Program, call: Call) -> bool:
    name = call.callee.name if isinstance(call.callee, Attribute) else ""
    return maps(call) or bool(name and wrappers_named(program, name))


def _chain(call: Call) -> Iterator[Call]:
    """The calls that a call is made on, outermost first."""
    current: Expr = call.callee
    for _ in range(_MAX_CHAIN):
        if isinstance(current, Attribute):
            current = current.value
        elif isinstance(current, Call):
            yield current
            current = current.callee
        else:
            return


def _as_called(
    program: Program,
    call: Call,
    scope: Scope,
    after: tuple[tuple[Call, Scope], ...],
    own: list[Endpoint],
) -> list[Endpoint]:
    """The endpoints of a call in a function, once for each call of that function: where its path or
    what is bound depends on what it is given (`Crud.Map<Order>(app, "orders")`)."""
    function = scope.function
    if function is None or not function.name or not isinstance(call.callee, Attribute):
        return []
    names = [param.name for param in function.params]
    is_given = any(e.unresolved for e in own) or _maps_group_of(program, function, scope, names)
    if not is_given and not function.type_params:
        return []
    found: list[Endpoint] = []
    receiver = call.callee.value
    for inside, outer, place in wrapper_scopes(program, scope):
        for endpoint in _endpoint(program, call, inside, after):
            on = endpoint
            if isinstance(receiver, Name) and receiver.id in names:
                given = passed_for(outer, function, names.index(receiver.id))
                on = replace(endpoint, receiver=given, mapped_in=place) if given else endpoint
            found.append(on)
    return found


def _maps_group_of(
    program: Program, function: Function, scope: Scope, names: Sequence[str]
) -> bool:
    """Whether a function maps a group of a prefix that it is given."""
    return any(
        isinstance(node, Call)
        and isinstance(node.callee, Attribute)
        and node.callee.name == "MapGroup"
        and any(isinstance(one, Name) and one.id in names for one in nodes_of(node.args))
        for node in nodes_of(program.body(function, scope.file))
    )


def _of_builder(endpoint: Endpoint, route: Mapped) -> Endpoint:
    site, scope = route.site
    receiver, place = route.receiver
    name = site.callee.name if isinstance(site.callee, Attribute) else endpoint.verb
    return replace(endpoint, call=site, scope=scope, verb=name, receiver=receiver, mapped_in=place)


def _of_wrapper(
    program: Program,
    call: Call,
    scope: Scope,
    one: Unwrapped,
    after: tuple[tuple[Call, Scope], ...],
) -> Iterator[Endpoint]:
    """The endpoints that one call in a wrapper maps for a call of the wrapper."""
    assert isinstance(call.callee, Attribute)
    for endpoint in _endpoint(program, one.inner, one.scope, (*one.chained_calls, *after)):
        inner = endpoint.handler is not None and endpoint.handler.scope is one.scope
        outer = replace(
            endpoint, receiver=call.callee.value, mapped_in=scope, behind_it=one.receivers
        )
        # What is handed over stands where the wrapper is called.
        yield outer if inner else replace(outer, call=call, scope=scope, verb=call.callee.name)


def _endpoint(
    program: Program, call: Call, scope: Scope, behind: tuple[tuple[Call, Scope], ...]
) -> Iterator[Endpoint]:
    callee = call.callee
    if not isinstance(callee, Attribute):
        return
    if callee.name == "Map" and not _is_route_map(program, call, scope):
        return
    pattern = _call_argument(call, 0, "pattern")
    handler = _call_argument(
        call, 2 if callee.name == "MapMethods" else 1, "handler", "requestDelegate"
    )
    if pattern is None or handler is None:
        return
    template = constant_text(program, pattern, scope)
    methods: tuple[str, ...] = (VERBS.get(callee.name, ""),)
    unresolved = NO_REASON if template is not None else Reason("route-path-computed")
    if callee.name == "MapMethods":
        texts = _verbs(program, _call_argument(call, 1, "httpMethods"), scope)
        methods = tuple(text.upper() for text in texts if text is not None)
        if not methods or None in texts:
            unresolved = unresolved or Reason("verbs-not-constant")
            methods = methods or ("*",)
    hidden, name, consumes, versions = _endpoint_metadata(program, behind)
    for method in methods:
        yield Endpoint(
            call=call,
            scope=scope,
            receiver=callee.value,
            mapped_in=scope,
            verb=callee.name,
            method=method,
            template=template if template is not None else program.template(pattern, scope) or "",
            unresolved=unresolved,
            handler=_function(program, handler, scope),
            chained_calls=behind,
            name=name,
            excluded_from_docs=hidden,
            consumes=consumes,
            versions=versions,
        )


def _verbs(program: Program, listed: Expr | None, scope: Scope) -> tuple[str | None, ...]:
    """`new[] { "PUT" }`, `[HttpMethods.Options]`: each verb, None for one that is undetermined."""
    inner = listed.value if isinstance(listed, Cast) else listed
    if not isinstance(inner, ArrayLiteral):
        return program.texts(listed, scope)
    found: list[str | None] = []
    for item in inner.items:
        if isinstance(item, Attribute) and getattr(item.value, "id", "") == "HttpMethods":
            found.append(item.name)
        else:
            found.append(program.text(item, scope))
    return tuple(found)


def _is_route_map(program: Program, call: Call, scope: Scope) -> bool:
    """`app.Map("/x", handler)` and not `mapper.Map(a, b)` or `app.Map("/x", app => …)`."""
    if call.type_args or len(call.args) != 2 or call.args[0].name not in ("", "pattern"):
        return False
    text = program.text(call.args[0].value, scope)
    handler = call.args[1].value
    if text is None or not text.startswith("/"):
        return False
    if isinstance(handler, Lambda) and len(handler.function.params) == 1:
        only = handler.function.params[0]
        return only.type is not None or only.name in ("context", "ctx", "http", "httpContext")
    return True


def _function(program: Program, handler: Expr, scope: Scope) -> FunctionValue | None:
    """The handler: a lambda, a method, or a delegate made of one."""
    if isinstance(handler, Cast):
        return _function(program, handler.value, scope)
    if isinstance(handler, New) and handler.args:
        return _function(program, handler.args[0].value, scope)
    return program.function_value(handler, scope)


def _call_argument(call: Call, position: int, *names: str) -> Expr | None:
    for argument in call.args:
        if argument.name and argument.name in names:
            return argument.value
    positional = [argument.value for argument in call.args if not argument.name]
    return positional[position] if position < len(positional) else None


# --------------------------------------------------------------------------- fluent calls


def _endpoint_metadata(
    program: Program, behind: tuple[tuple[Call, Scope], ...]
) -> tuple[bool, str, tuple[str, ...], tuple[str, ...]]:
    """(hidden, name, accepted content types, versions) that the calls chained to an endpoint
    set."""
    hidden = False
    name = ""
    consumes: list[str] = []
    versions: list[str] = []
    for call, scope in behind:
        match _method(call):
            case "ExcludeFromDescription":
                hidden = True
            case "WithName" if call.args:
                name = program.text(call.args[0].value, scope) or ""
            case "Accepts":
                texts = (program.text(a.value, scope) for a in call.args)
                consumes.extend(text for text in texts if text and "/" in text)
            case "HasApiVersion" | "MapToApiVersion" if call.args:
                version = version_text(program, call.args[0].value, scope)
                if version is not None:
                    versions.append(version)
            case _:
                pass
    return hidden, name, tuple(consumes), tuple(versions)


def _method(call: Call) -> str:
    return call.callee.name if isinstance(call.callee, Attribute) else ""


def version_text(program: Program, expr: Expr, scope: Scope) -> str | None:
    """A version as a route writes it: `1.0` of `1`, `1.0`, `"1.0"`, `new ApiVersion(1, 0)`."""
    if isinstance(expr, New):
        parts = [program.evaluate(a.value, scope) for a in expr.args[:2]]
        numbers = [p.value for p in parts if isinstance(p, Constant)]
        if numbers and all(isinstance(n, int) for n in numbers):
            return ".".join(str(n) for n in (*numbers, *([0] * (2 - len(numbers)))))
        return None
    value = program.evaluate(expr, scope)
    known = value.value if isinstance(value, Constant) else None
    if isinstance(known, str):
        return known
    if isinstance(known, int | float) and not isinstance(known, bool):
        return f"{float(known):.1f}"
    return None


def announced_call(
    program: Program, call: Call, scope: Scope, variant: str
) -> AnnotatedResponse | None:
    """The response that `.Produces<T>(status)` or its kin announces; None for other calls."""
    name = _method(call)
    if name not in ("Produces", "ProducesProblem", "ProducesValidationProblem"):
        return None
    status: str | None = "400" if name == "ProducesValidationProblem" else "200"
    for position, argument in enumerate(call.args):
        if argument.name == "statusCode" or (position == 0 and not argument.name):
            status = status_of(program, argument.value, scope)
    if status is None:
        return None
    type: TypeExpr | None = None
    kind = "application/json"
    if name == "Produces" and call.type_args:
        type = call.type_args[0]
    elif name != "Produces":
        kind = "application/problem+json"
        wanted = "HttpValidationProblemDetails" if "Validation" in name else "ProblemDetails"
        type = NamedType(name=wanted, span=call.span)
    for position, argument in enumerate(call.args):
        if argument.name == "contentType" or (position == 1 and not argument.name):
            said = program.text(argument.value, scope)
            kind = said if said and "/" in said else kind
    origin = program.origin(call, scope)
    found = announced_body(program, status, type, scope, variant, origin, kind)
    if isinstance(found.schema, Unknown) and not found.schema.reason:
        return replace(found, schema=None)
    return found
